// Lines of fields, and the messages about wrong ones.
#include "import/text_rows.h"

#include <stdarg.h>
#include <stdio.h>

sc_rows sc__rows_of(const sc_input *input, const char *shape, sc_diag *diag)
{
    return (sc_rows){.lines = sc_lines_of(input), .shape = shape, .diag = diag};
}

bool sc__rows_next(sc_rows *rows)
{
    while (sc_lines_next(&rows->lines, &rows->line)) {
        rows->rest = rows->line;
        sc_slice rest = rows->line;
        sc_slice field;
        if (sc_slice_field(&rest, &field)) return true;
    }
    return false;
}

uint64_t sc__rows_passed(const sc_rows *rows)
{
    return (uint64_t)(rows->lines.next - (const char *)rows->lines.input->data);
}

sc_err sc__rows_field(sc_rows *rows, const char *name)
{
    if (sc_slice_field(&rows->rest, &rows->field)) return SC_OK;
    return sc__rows_fail(rows, "field '%s' is missing; a line has the form '%s'", name,
                         rows->shape);
}

sc_err sc__rows_double(sc_rows *rows, const char *name, double *out)
{
    const sc_err err = sc__rows_field(rows, name);
    if (err) return err;
    if (sc_slice_double(rows->field, out)) return SC_OK;
    return sc__rows_fail_field(rows, name, "is not a number");
}

sc_err sc__rows_u64(sc_rows *rows, const char *name, uint64_t *out)
{
    const sc_err err = sc__rows_field(rows, name);
    if (err) return err;
    if (sc_slice_u64(rows->field, out)) return SC_OK;
    return sc__rows_fail_field(rows, name, "is not a whole number of at least 0");
}

sc_err sc__rows_i64(sc_rows *rows, const char *name, int64_t low, int64_t high, int64_t *out)
{
    const sc_err err = sc__rows_field(rows, name);
    if (err) return err;
    int64_t value = 0;
    if (!sc_slice_i64(rows->field, &value)) {
        return sc__rows_fail_field(rows, name, "is not a whole number");
    }
    if (value < low || value > high) {
        return sc__rows_fail(rows, "field '%s' is outside %lld..%lld: %s", name, (long long)low,
                             (long long)high, sc_quote(rows->field.text, rows->field.size).text);
    }
    *out = value;
    return SC_OK;
}

sc_err sc__rows_end(sc_rows *rows)
{
    if (!sc_slice_field(&rows->rest, &rows->field)) return SC_OK;
    return sc__rows_fail(rows, "one field too many: %s; a line has the form '%s'",
                         sc_quote(rows->field.text, rows->field.size).text, rows->shape);
}

sc_err sc__rows_fail(const sc_rows *rows, const char *format, ...)
{
    sc_diag what;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what.message, sizeof what.message, format, arguments);
    va_end(arguments);
    return sc_lines_fail_line(&rows->lines, rows->diag, what.message);
}

sc_err sc__rows_fail_field(const sc_rows *rows, const char *name, const char *why)
{
    return sc__rows_fail(rows, "field '%s' %s: %s", name, why,
                         sc_quote(rows->field.text, rows->field.size).text);
}

sc_err sc__rows_fail_add(const sc_rows *rows, sc_err err, const char *doing)
{
    if (err == SC_ENOMEM) return sc_fail_memory(rows->diag, doing);
    sc__rows_fail(rows, "too many elements for one map, while %s; split the data", doing);
    return err;
}
