// Lines and fields of the formats that are text. See traces_internal.h.
#include "traces/traces_internal.h"

#include "base/diag.h"

#include <string.h>

enum { LINES_PER_PROGRESS = 1 << 16 };

sc__trace_lines sc__trace_lines_of(const sc__trace_file *file)
{
    return (sc__trace_lines){.file = file, .lines = sc_lines_of(file->input)};
}

static void report_progress(const sc__trace_lines *lines)
{
    const sc_progress *progress = lines->file->progress;
    if (!progress || !progress->report || lines->lines.line % LINES_PER_PROGRESS != 0) return;
    const sc_input *input = lines->file->input;
    progress->report(progress->context, SC__TRACE_PHASE,
                     (uint64_t)(lines->lines.next - (const char *)input->data), input->size);
}

static bool is_blank(sc_slice line)
{
    sc_slice field;
    return !sc_slice_field(&line, &field);
}

sc_err sc__trace_line_next(sc__trace_lines *lines, sc_slice *line)
{
    while (sc_lines_next(&lines->lines, line)) {
        report_progress(lines);
        if (line->size > SC__TRACE_MAX_LINE) {
            return sc__trace_fail_line(lines, "the line is too long for a trace");
        }
        if (line->size > 0 && memchr(line->text, '\0', line->size)) {
            return sc__trace_fail_line(lines, "a NUL byte, which no text has");
        }
        if (!is_blank(*line)) return SC_OK;
    }
    *line = (sc_slice){NULL, 0};
    return SC_OK;
}

sc_err sc__trace_fail_line(const sc__trace_lines *lines, const char *what)
{
    return sc_lines_fail_line(&lines->lines, lines->file->diag, what);
}

sc_err sc__trace_fail_field(const sc__trace_lines *lines, const char *name, const char *what)
{
    return sc_fail(lines->file->diag, SC_EPARSE, "%s:%llu: field '%s' %s", lines->file->input->name,
                   (unsigned long long)lines->lines.line, name, what);
}

sc_err sc__trace_field(const sc__trace_lines *lines, sc_slice *line, const char *name,
                       sc_slice *out)
{
    return sc_slice_field(line, out) ? SC_OK : sc__trace_fail_field(lines, name, "is missing");
}

sc_err sc__trace_number(const sc__trace_lines *lines, sc_slice *line, const char *name, double *out)
{
    sc_slice field = {0};
    const sc_err err = sc__trace_field(lines, line, name, &field);
    if (err) return err;
    return sc_slice_double(field, out) ? SC_OK
                                       : sc__trace_fail_field(lines, name, "is not a number");
}
