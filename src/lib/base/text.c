// Lines, fields and numbers.
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

sc_lines sc_lines_of(const sc_input *input)
{
    const char *start = (const char *)input->data;
    const char *end = start + input->size;
    if (input->size >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) start += 3;
    return (sc_lines){.input = input, .next = start, .end = end, .line = 0};
}

bool sc_lines_next(sc_lines *lines, sc_slice *line)
{
    if (lines->next == lines->end) return false;

    const char *start = lines->next;
    const char *stop = memchr(start, '\n', (size_t)(lines->end - start));
    lines->next = stop ? stop + 1 : lines->end;
    if (!stop) stop = lines->end;
    if (stop > start && stop[-1] == '\r') stop--;

    lines->line++;
    *line = (sc_slice){start, (size_t)(stop - start)};
    return true;
}

static bool is_separator(char c)
{
    return c == ' ' || c == '\t';
}

bool sc_slice_field(sc_slice *line, sc_slice *field)
{
    const char *at = line->text;
    const char *end = at + line->size;
    while (at < end && is_separator(*at)) {
        at++;
    }
    const char *start = at;
    while (at < end && !is_separator(*at)) {
        at++;
    }
    *line = (sc_slice){at, (size_t)(end - at)};
    *field = (sc_slice){start, (size_t)(at - start)};
    return at > start;
}

// A quoted field is copied without its quotes; `line` starts behind the first.
static bool csv_unquote(sc_slice *line, char *buffer, sc_slice *field)
{
    size_t used = 0;
    for (size_t i = 0; i < line->size; i++) {
        if (line->text[i] != '"') {
            buffer[used++] = line->text[i];
        } else if (i + 1 < line->size && line->text[i + 1] == '"') {
            buffer[used++] = '"';
            i++;
        } else {
            *field = (sc_slice){buffer, used};
            *line = (sc_slice){line->text + i + 1, line->size - i - 1};
            return true;
        }
    }
    return false;
}

bool sc_slice_csv_field(sc_slice *line, char *buffer, sc_slice *field, bool *more, bool *broken)
{
    *broken = false;
    if (!*more) return false;

    if (line->size > 0 && line->text[0] == '"') {
        *line = (sc_slice){line->text + 1, line->size - 1};
        // Behind the closing quote only a comma or the end may stand.
        if (!csv_unquote(line, buffer, field) || (line->size > 0 && line->text[0] != ',')) {
            *broken = true;
            return false;
        }
    } else {
        const char *comma = line->size > 0 ? memchr(line->text, ',', line->size) : NULL;
        *field = (sc_slice){line->text, comma ? (size_t)(comma - line->text) : line->size};
        *line = (sc_slice){line->text + field->size, line->size - field->size};
    }
    *more = line->size > 0;
    if (*more) *line = (sc_slice){line->text + 1, line->size - 1};
    return true;
}

sc_slice sc_slice_trim(sc_slice slice)
{
    while (slice.size > 0 && sc_is_blank(slice.text[0])) {
        slice = (sc_slice){slice.text + 1, slice.size - 1};
    }
    while (slice.size > 0 && sc_is_blank(slice.text[slice.size - 1])) {
        slice.size--;
    }
    return slice;
}

bool sc_slice_is(sc_slice slice, const char *text)
{
    // Most are short, and differ at once: a loop takes half of what calls of the C library do.
    for (size_t i = 0; i < slice.size; i++) {
        if (text[i] != slice.text[i] || text[i] == '\0') return false;
    }
    return text[slice.size] == '\0';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool sc_slice_u64(sc_slice slice, uint64_t *out)
{
    if (slice.size == 0) return false;
    uint64_t value = 0;
    for (size_t i = 0; i < slice.size; i++) {
        const char c = slice.text[i];
        if (!is_digit(c)) return false;
        if (__builtin_mul_overflow(value, 10, &value)) return false;
        if (__builtin_add_overflow(value, (uint64_t)(c - '0'), &value)) return false;
    }
    *out = value;
    return true;
}

bool sc_slice_i64(sc_slice slice, int64_t *out)
{
    const bool negative = slice.size > 0 && slice.text[0] == '-';
    const bool has_sign = negative || (slice.size > 0 && slice.text[0] == '+');
    uint64_t magnitude = 0;
    if (!sc_slice_u64((sc_slice){slice.text + has_sign, slice.size - has_sign}, &magnitude)) {
        return false;
    }
    if (magnitude > (uint64_t)INT64_MAX + negative) return false;
    *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

// What strtod makes of it, in the C locale whatever the program's own is.
// Reached by numbers with many digits or large exponents, which are rare.
static bool slow_double(sc_slice slice, double *out)
{
    char copy[512];
    if (slice.size >= sizeof copy) return false;
    memcpy(copy, slice.text, slice.size);
    copy[slice.size] = '\0';

    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) return false;
    char *end = NULL;
    const double value = strtod_l(copy, &end, plain);
    freelocale(plain);
    if (end != copy + slice.size || !isfinite(value)) return false;
    *out = value;
    return true;
}

bool sc_slice_double(sc_slice slice, double *out)
{
    static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = slice.text;
    const char *end = at + slice.size;
    const bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;

    uint64_t digits = 0;
    int64_t digit_count = 0;
    int64_t after_point = 0;
    bool seen_point = false;
    for (; at < end && (is_digit(*at) || (*at == '.' && !seen_point)); at++) {
        if (*at == '.') {
            seen_point = true;
            continue;
        }
        if (digit_count < 19) digits = digits * 10 + (uint64_t)(*at - '0');
        digit_count++;
        after_point += seen_point;
    }
    if (digit_count == 0) return false;

    int64_t exponent = 0;
    if (at < end && (*at == 'e' || *at == 'E')) {
        if (!sc_slice_i64((sc_slice){at + 1, (size_t)(end - at - 1)}, &exponent)) return false;
        at = end;
    }
    if (at != end) return false;

    // Both the digits and the power of ten are exact doubles here, so one
    // multiplication or division rounds once and gives the nearest double.
    const int64_t scale = exponent > 1000 || exponent < -1000 ? 1000 : exponent - after_point;
    if (digit_count > 19 || digits > (1ull << 53) || scale < -22 || scale > 22) {
        return slow_double(slice, out);
    }
    double value = (double)digits;
    value = scale < 0 ? value / power_of_ten[-scale] : value * power_of_ten[scale];
    *out = negative ? -value : value;
    return true;
}

sc_err sc_lines_fail(const sc_lines *lines, sc_diag *diag, const char *what, sc_slice value)
{
    return sc_fail(diag, SC_EPARSE, "%s:%llu: %s: %s", lines->input->name,
                   (unsigned long long)lines->line, what, sc_quote(value.text, value.size).text);
}

sc_err sc_lines_fail_line(const sc_lines *lines, sc_diag *diag, const char *what)
{
    return sc_fail(diag, SC_EPARSE, "%s:%llu: %s", lines->input->name,
                   (unsigned long long)lines->line, what);
}
