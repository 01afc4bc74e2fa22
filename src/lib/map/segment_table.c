// Reading tables about segments: the comment that names the map, the header, lines and their
// fields. See segment_table.h.
#include "map/segment_table.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_LINE = 1 << 16, CHECKSUM_DIGITS = 16 };

// --- Complaints ---------------------------------------------------------------------------------

sc_err sc__segment_table_fail(const sc_segment_table *table, const char *what)
{
    return sc_fail(table->diag, SC_EPARSE, "%s: %s", table->source.name, what);
}

sc_err sc__segment_table_fail_line(const sc_segment_table *table, const char *what)
{
    return sc_fail(table->diag, SC_EPARSE, "%s:%" PRIu64 ": %s", table->source.name,
                   table->source.line, what);
}

static sc_err fail_value(const sc_segment_table *table, size_t column, sc_slice value,
                         const char *what, const char *advice)
{
    return sc_fail(table->diag, SC_EPARSE, "%s:%" PRIu64 ": field '%s' %s: %s; %s",
                   table->source.name, table->source.line, table->kind->columns[column], what,
                   sc_quote(value.text, value.size).text, advice);
}

sc_err sc__segment_table_fail_field(const sc_segment_table *table, size_t column, const char *what,
                                    const char *advice)
{
    return fail_value(table, column, table->fields[column], what, advice);
}

// --- Fields -------------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static sc_slice trim(sc_slice text)
{
    while (text.size > 0 && is_blank(text.text[0])) {
        text = (sc_slice){text.text + 1, text.size - 1};
    }
    while (text.size > 0 && is_blank(text.text[text.size - 1])) {
        text.size--;
    }
    return text;
}

/** A line that is cut into fields from left to right. */
typedef struct cutter {
    const sc_segment_table *table;
    sc_slice rest;
    char *buffer;  ///< the part that is not used yet
    bool more;
    size_t count;  ///< fields cut off so far
} cutter;

static cutter cut(const sc_segment_table *table, sc_slice line)
{
    return (cutter){.table = table, .rest = line, .buffer = table->buffer, .more = true};
}

/** The next field; it stays while the others are cut. Not to be called when there is no more. */
static sc_err cut_field(cutter *c, sc_slice *field)
{
    bool broken = false;
    if (!sc_slice_csv_field(&c->rest, c->buffer, field, &c->more, &broken)) {
        const sc_segment_table *t = c->table;
        return sc_fail(t->diag, SC_EPARSE,
                       "%s:%" PRIu64 ": field %zu begins with a quote and does not end with one; "
                       "close it, or leave both out",
                       t->source.name, t->source.line, c->count + 1);
    }
    const bool is_quoted = field->text == c->buffer;
    if (is_quoted) {
        c->buffer += field->size;
    } else {
        *field = trim(*field);
    }
    c->count++;
    return SC_OK;
}

sc_err sc__segment_table_segment(const sc_segment_table *table, size_t column, sc_seg_id *out)
{
    uint64_t segment = 0;
    const uint32_t count = sc_map_segment_count(table->map);
    if (!sc_slice_u64(table->fields[column], &segment)) {
        return sc__segment_table_fail_field(
            table, column, "is not a whole number",
            "write the segment's number, as 'starcloak map export' does");
    }
    if (segment >= count) {
        return sc_fail(table->diag, SC_EPARSE,
                       "%s:%" PRIu64 ": field '%s' is %" PRIu64 ", but the map has %" PRIu32
                       " segments, numbered from 0; use the map that the table was made for",
                       table->source.name, table->source.line, table->kind->columns[column],
                       segment, count);
    }
    *out = (sc_seg_id)segment;
    return SC_OK;
}

// --- The header ---------------------------------------------------------------------------------

/** Which of the columns that are asked for has that title; false if none. */
static bool find_column(const sc_segment_table *table, sc_slice title, size_t *out)
{
    const char *const *names = table->kind->columns;
    for (*out = 0; names[*out]; (*out)++) {
        if (title.size == strlen(names[*out]) &&
            strncasecmp(title.text, names[*out], title.size) == 0) {
            return true;
        }
    }
    return false;
}

static sc_err read_header(sc_segment_table *table, sc_slice line)
{
    cutter c = cut(table, line);
    while (c.more) {
        sc_slice title = {0};
        size_t column = 0;
        const sc_err err = cut_field(&c, &title);
        if (err) return err;
        if (!find_column(table, title, &column)) continue;
        if (table->place[column] != SC_SEGMENT_TABLE_NOWHERE) {
            return fail_value(table, column, title, "is in the header twice",
                              "rename the column that is not to be used");
        }
        table->place[column] = c.count - 1;
    }
    table->width = c.count;
    return SC_OK;
}

// --- Lines --------------------------------------------------------------------------------------

static sc_err cut_row(sc_segment_table *table, sc_slice line)
{
    cutter c = cut(table, line);
    while (c.more) {
        sc_slice field = {0};
        const sc_err err = cut_field(&c, &field);
        if (err) return err;
        for (size_t i = 0; i < SC_SEGMENT_TABLE_COLUMNS; i++) {
            if (table->place[i] == c.count - 1) table->fields[i] = field;
        }
    }
    if (c.count == table->width) return SC_OK;
    return sc_fail(table->diag, SC_EPARSE,
                   "%s:%" PRIu64 ": the header has %zu fields, but this line has %zu; put a text "
                   "with a comma in double quotes, and leave out no field",
                   table->source.name, table->source.line, table->width, c.count);
}

static bool read_checksum(sc_slice text, uint64_t *out)
{
    if (text.size != CHECKSUM_DIGITS) return false;
    static const char digits[] = "0123456789abcdef";
    uint64_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        const char *digit = memchr(digits, text.text[i], CHECKSUM_DIGITS);
        if (!digit) return false;
        value = value << 4 | (uint64_t)(digit - digits);
    }
    *out = value;
    return true;
}

// "# map 0123456789abcdef", and nothing behind it; whatever else a comment says is for people.
static sc_err read_comment(const sc_segment_table *table, sc_slice line)
{
    sc_slice rest = {line.text + 1, line.size - 1};
    sc_slice word = {0};
    uint64_t checksum = 0;
    if (!sc_slice_field(&rest, &word) || !sc_slice_is(word, "map")) return SC_OK;
    if (!sc_slice_field(&rest, &word) || !read_checksum(word, &checksum)) return SC_OK;
    if (sc_slice_field(&rest, &word)) return SC_OK;
    if (checksum == sc_map_checksum(table->map)) return SC_OK;
    return sc_fail(table->diag, SC_EMISMATCH,
                   "%s:%" PRIu64 ": this is %s of the map with the checksum %016" PRIx64
                   ", not of this map; use that map ('starcloak map info' shows checksums)",
                   table->source.name, table->source.line, table->kind->contents, checksum);
}

/** The next line that is neither empty nor a comment; its text is NULL behind the last. */
static sc_err next_line(sc_segment_table *table, sc_slice *line)
{
    for (;;) {
        sc_err err = sc_line_reader_next(&table->source, line, table->diag);
        if (err || !line->text) return err;
        if (line->size > LONGEST_LINE) {
            return sc_fail(table->diag, SC_EPARSE,
                           "%s:%" PRIu64
                           ": the line is longer than 65,536 bytes; check that this is %s",
                           table->source.name, table->source.line, table->kind->name);
        }
        const sc_slice text = trim(*line);
        if (text.size == 0) continue;
        if (text.text[0] != '#') return SC_OK;
        err = read_comment(table, text);
        if (err) return err;
    }
}

// --- The table ----------------------------------------------------------------------------------

// The source is open: read up to the header.
static sc_err begin(sc_segment_table *table)
{
    for (size_t i = 0; i < SC_SEGMENT_TABLE_COLUMNS; i++) {
        table->place[i] = SC_SEGMENT_TABLE_NOWHERE;
    }
    table->buffer = sc_malloc(LONGEST_LINE);
    if (!table->buffer) return sc_fail_memory(table->diag, table->kind->doing);
    sc_slice line = {0};
    const sc_err err = next_line(table, &line);
    return err || !line.text ? err : read_header(table, line);
}

sc_err sc__segment_table_open(sc_segment_table *table, const char *path, sc_diag *diag)
{
    table->diag = diag;
    const sc_err err = sc_line_reader_open(&table->source, path, diag);
    return err ? err : begin(table);
}

sc_err sc__segment_table_of(sc_segment_table *table, const sc_input *input, sc_diag *diag)
{
    table->diag = diag;
    sc_line_reader_of(&table->source, input);
    return begin(table);
}

sc_err sc__segment_table_next(sc_segment_table *table, bool *more)
{
    sc_slice line = {0};
    const sc_err err = next_line(table, &line);
    *more = !err && line.text;
    return *more ? cut_row(table, line) : err;
}

void sc__segment_table_close(sc_segment_table *table)
{
    sc_line_reader_close(&table->source);
    sc_free(table->buffer);
    table->buffer = NULL;
}

void sc__segment_table_write_map(FILE *out, const sc_map *map)
{
    fprintf(out, "# map %016" PRIx64 "\n", sc_map_checksum(map));
}
