// CSV with a header: id, t, and lon and lat (or x and y), in any order, others among them.
//
// Quotes are those of RFC 4180, except that a field cannot hold a line break. Blanks around a field
// without quotes do not count. A line may lack fields at its end that are not needed, but none may
// be there that the header has no name for: then a comma is where none should be, and what is read
// as a longitude might be something else.
//
#include "base/alloc.h"
#include "base/diag.h"
#include "traces/trace_readers.h"

#include <string.h>
#include <strings.h>

enum { MAX_FIELDS = 64 };

typedef enum title { TITLE_ID, TITLE_T, TITLE_LON, TITLE_LAT, TITLE_X, TITLE_Y, TITLE_COUNT } title;

static const char *const title_words[] = {"id", "t", "lon", "lat", "x", "y"};

/** What a line is read for. */
typedef enum column { COLUMN_ID, COLUMN_T, COLUMN_X, COLUMN_Y, COLUMN_COUNT } column;

/** Where the columns are. */
typedef struct columns {
    size_t field[COLUMN_COUNT];
    const char *name[COLUMN_COUNT];  ///< as the header calls them
    size_t count;                    ///< fields the header has
} columns;

/** One line cut into fields. */
typedef struct fields {
    sc_slice field[MAX_FIELDS];
    size_t count;
    char *buffer;  ///< where unquoted text goes: as long as a line may be
} fields;

static title title_of(sc_slice field)
{
    for (title t = 0; t < TITLE_COUNT; t++) {
        if (field.size == strlen(title_words[t]) &&
            strncasecmp(field.text, title_words[t], field.size) == 0) {
            return t;
        }
    }
    return TITLE_COUNT;
}

// --- Fields ------------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static sc_slice trim(sc_slice field)
{
    while (field.size > 0 && is_blank(field.text[0])) {
        field = (sc_slice){field.text + 1, field.size - 1};
    }
    while (field.size > 0 && is_blank(field.text[field.size - 1])) {
        field.size--;
    }
    return field;
}

// False if a quote is never closed. Fields beyond the last that fits are cut off with the line.
static bool cut(sc_slice line, fields *out, bool *is_too_long)
{
    char *buffer = out->buffer;
    bool more = true;
    bool broken = false;
    sc_slice field = {0};
    out->count = 0;
    while (out->count < MAX_FIELDS && sc_slice_csv_field(&line, buffer, &field, &more, &broken)) {
        const bool is_quoted = field.text == buffer;
        if (is_quoted) buffer += field.size;
        out->field[out->count++] = is_quoted ? field : trim(field);
    }
    *is_too_long = more && !broken;
    return !broken;
}

static sc_err cut_line(const sc__trace_lines *lines, sc_slice line, fields *out)
{
    bool is_too_long = false;
    if (!cut(line, out, &is_too_long)) {
        return sc_fail(lines->file->diag, SC_EPARSE,
                       "%s:%llu: field %zu begins with a quote and does not end with one",
                       lines->file->input->name, (unsigned long long)lines->lines.line,
                       out->count + 1);
    }
    if (is_too_long) return sc__trace_fail_line(lines, "more than 64 fields");
    return SC_OK;
}

// --- The header --------------------------------------------------------------------------------

bool sc__csv_is_header(sc_slice line)
{
    enum { LONGEST = 4096, ENOUGH = 2 };
    char buffer[LONGEST];
    if (line.size > sizeof buffer) return false;
    fields f = {.buffer = buffer};
    bool is_too_long = false;
    if (!cut(line, &f, &is_too_long)) return false;
    size_t known = 0;
    for (size_t i = 0; i < f.count; i++) {
        known += title_of(f.field[i]) != TITLE_COUNT;
    }
    return known >= ENOUGH;
}

static sc_err take_column(const sc__trace_lines *lines, const size_t *at, title t, column c,
                          columns *out)
{
    if (at[t] == MAX_FIELDS) {
        return sc_fail(lines->file->diag, SC_EPARSE,
                       "%s:%llu: the header has no column '%s'; write id,t,lon,lat or id,t,x,y",
                       lines->file->input->name, (unsigned long long)lines->lines.line,
                       title_words[t]);
    }
    out->field[c] = at[t];
    out->name[c] = title_words[t];
    return SC_OK;
}

static sc_err read_header(const sc__trace_lines *lines, const fields *f, columns *out)
{
    size_t at[TITLE_COUNT];
    for (title t = 0; t < TITLE_COUNT; t++) {
        at[t] = MAX_FIELDS;
    }
    for (size_t i = 0; i < f->count; i++) {
        const title t = title_of(f->field[i]);
        if (t == TITLE_COUNT) continue;
        if (at[t] != MAX_FIELDS) {
            return sc__trace_fail_field(lines, title_words[t], "is named twice in the header");
        }
        at[t] = i;
    }
    // A table with both says the same twice; maps have degrees more often than planes.
    const bool has_plane = at[TITLE_X] != MAX_FIELDS && at[TITLE_Y] != MAX_FIELDS;
    const bool has_degrees = at[TITLE_LON] != MAX_FIELDS && at[TITLE_LAT] != MAX_FIELDS;
    const bool is_plane = has_plane && !has_degrees;
    sc_err err = take_column(lines, at, TITLE_ID, COLUMN_ID, out);
    if (!err) err = take_column(lines, at, TITLE_T, COLUMN_T, out);
    if (!err) err = take_column(lines, at, is_plane ? TITLE_X : TITLE_LON, COLUMN_X, out);
    if (!err) err = take_column(lines, at, is_plane ? TITLE_Y : TITLE_LAT, COLUMN_Y, out);
    out->count = f->count;
    return err;
}

// --- Lines -------------------------------------------------------------------------------------

static sc_err pick(const sc__trace_lines *lines, const fields *f, const columns *where, column c,
                   sc_slice *out)
{
    if (where->field[c] >= f->count) {
        return sc__trace_fail_field(lines, where->name[c], "is missing");
    }
    *out = f->field[where->field[c]];
    return SC_OK;
}

static sc_err pick_number(const sc__trace_lines *lines, const fields *f, const columns *where,
                          column c, double *out)
{
    sc_slice text = {0};
    const sc_err err = pick(lines, f, where, c, &text);
    if (err) return err;
    return sc_slice_double(text, out)
               ? SC_OK
               : sc__trace_fail_field(lines, where->name[c], "is not a number");
}

static sc_err add_line(const sc__trace_lines *lines, const fields *f, const columns *where)
{
    sc_slice id = {0};
    sc_slice time = {0};
    sc_fix fix = {0};
    sc_err err = pick(lines, f, where, COLUMN_ID, &id);
    if (!err) err = pick(lines, f, where, COLUMN_T, &time);
    if (!err) err = pick_number(lines, f, where, COLUMN_X, &fix.x);
    if (!err) err = pick_number(lines, f, where, COLUMN_Y, &fix.y);
    if (err) return err;
    const char *problem = sc__trace_id_problem(id);
    if (problem) return sc__trace_fail_field(lines, where->name[COLUMN_ID], problem);
    if (!sc__csv_time(time, &fix.t_s)) {
        return sc__trace_fail_field(lines, where->name[COLUMN_T],
                                    "is neither a number of seconds nor a time of UTC like "
                                    "2008-06-04T00:00:00Z");
    }
    if (f->count > where->count) {
        return sc__trace_fail_line(lines, "more fields than the header has; put a text with a "
                                          "comma in double quotes");
    }
    uint32_t traveller = 0;
    sc__tracks *tracks = lines->file->tracks;
    err = sc__tracks_traveller(tracks, SC__TRACE_VEHICLE, id, &traveller);
    return err ? err : sc__tracks_add(tracks, traveller, fix);
}

static sc_err read_lines(const sc__trace_file *file, fields *f)
{
    sc__trace_lines lines = sc__trace_lines_of(file);
    columns where = {.count = 0};
    for (;;) {
        sc_slice line = {0};
        sc_err err = sc__trace_line_next(&lines, &line);
        if (!err && line.text) err = cut_line(&lines, line, f);
        if (err) return err;
        if (!line.text) break;
        err = where.count == 0 ? read_header(&lines, f, &where) : add_line(&lines, f, &where);
        if (err) return err;
    }
    if (where.count > 0) return SC_OK;
    return sc_fail(file->diag, SC_EPARSE,
                   "%s: the file is empty; it must begin with a header id,t,lon,lat",
                   file->input->name);
}

sc_err sc__csv_read(const sc__trace_file *file)
{
    fields f = {.buffer = sc_malloc(SC__TRACE_MAX_LINE)};
    if (!f.buffer) return sc_fail_memory(file->diag, "reading traces");
    const sc_err err = read_lines(file, &f);
    sc_free(f.buffer);
    return err;
}

// === Times in CSV: seconds from any zero, or a calendar's, of UTC ===============================

// "2008-06-04T00:00:00Z", with or without a fraction of the last second.
enum { DATE_SIZE = 10, LEAST_SIZE = 20 };

static bool read_digits(const char *text, size_t count, unsigned least, unsigned most,
                        unsigned *out)
{
    uint64_t number = 0;
    if (!sc_slice_u64((sc_slice){text, count}, &number)) return false;
    *out = (unsigned)number;
    return number >= least && number <= most;
}

static unsigned days_of_month(unsigned year, unsigned month)
{
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && is_leap);
}

// Days since 1970-01-01. Counted in years that begin in March, so that the odd day comes last;
// 719,468 days lie between the March of year 0 and 1970.
static int64_t days_since_1970(unsigned year, unsigned month, unsigned day)
{
    const int64_t years = (int64_t)year - (month <= 2);
    const int64_t months = month > 2 ? month - 3 : month + 9;
    // Months from March on have 31, 30, 31, 30, 31 days, again and again.
    const int64_t before_month = (153 * months + 2) / 5;
    const int64_t leap_days = years >= 0 ? years / 4 - years / 100 + years / 400 : -1;
    return 365 * years + leap_days + before_month + (day - 1) - 719468;
}

static bool read_date(const char *text, int64_t *days)
{
    unsigned year = 0;
    unsigned month = 0;
    unsigned day = 0;
    if (text[4] != '-' || text[7] != '-') return false;
    if (!read_digits(text, 4, 0, 9999, &year) || !read_digits(text + 5, 2, 1, 12, &month) ||
        !read_digits(text + 8, 2, 1, days_of_month(year, month), &day)) {
        return false;
    }
    *days = days_since_1970(year, month, day);
    return true;
}

// `text` is "00:00:00" or "00:00:00.25".
static bool read_clock(sc_slice text, double *seconds)
{
    unsigned hour = 0;
    unsigned minute = 0;
    unsigned second = 0;
    double with_fraction = 0.0;
    if (text.text[2] != ':' || text.text[5] != ':') return false;
    if (!read_digits(text.text, 2, 0, 23, &hour) ||
        !read_digits(text.text + 3, 2, 0, 59, &minute) ||
        !read_digits(text.text + 6, 2, 0, 59, &second)) {
        return false;
    }
    // Behind whole seconds nothing may stand but a point and digits; no exponent, above all.
    if (text.size > 8) {
        uint64_t fraction = 0;
        if (text.text[8] != '.' || text.size > 8 + 1 + 15 ||
            !sc_slice_u64((sc_slice){text.text + 9, text.size - 9}, &fraction)) {
            return false;
        }
    }
    if (!sc_slice_double((sc_slice){text.text + 6, text.size - 6}, &with_fraction)) return false;
    *seconds = hour * 3600.0 + minute * 60.0 + with_fraction;
    return true;
}

bool sc__csv_time(sc_slice text, double *out)
{
    if (sc_slice_double(text, out)) return true;
    if (text.size < LEAST_SIZE || text.text[DATE_SIZE] != 'T' || text.text[text.size - 1] != 'Z') {
        return false;
    }
    int64_t days = 0;
    double seconds = 0.0;
    const sc_slice clock = {text.text + DATE_SIZE + 1, text.size - DATE_SIZE - 2};
    if (!read_date(text.text, &days) || !read_clock(clock, &seconds)) return false;
    *out = (double)days * 86400.0 + seconds;
    return true;
}
