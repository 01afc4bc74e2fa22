// Densities: how likely travellers are on each segment, and how many segments a cloak is worth
// under one; in memory, and as tables: CSV with a header that names `segment` and `count` or
// `weight`.
//
//     # map 0123456789abcdef
//     segment,count
//     0,17
//
// A table may be hostile. What is refused is refused with its line and its column, and with what to
// do; what is accepted has a weight above 0 for every segment (1), and neither the sum of all
// weights nor a share of it is lost to overflow (2). Quotes are those of RFC 4180, except that a
// field cannot hold a line break; blanks around a field without quotes do not count.
#include "base/alloc.h"
#include "base/checksum.h"
#include "base/diag.h"
#include "base/line_reader.h"
#include "map/density_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

// --- In memory ----------------------------------------------------------------------------------

sc_density *sc__density_new(size_t count)
{
    sc_density *density = NULL;
    const size_t each = sizeof *density->weights + sizeof *density->numbers;
    if (count > (SIZE_MAX - sizeof *density) / each) return NULL;
    density = sc_malloc(sizeof *density + count * each);
    if (!density) return NULL;
    density->count = count;
    density->numbers = (uint32_t *)(density->weights + count);
    return density;
}

void sc__density_finish(sc_density *density, bool is_counted)
{
    double largest = 0;
    for (size_t i = 0; i < density->count; i++) {
        largest = fmax(largest, density->weights[i]);
    }
    for (size_t i = 0; i < density->count; i++) {
        const double weight = density->weights[i];
        const double number = is_counted ? weight : weight / largest * SC_DENSITY_NUMBER_MAX;
        density->numbers[i] = (uint32_t)fmin(fmax(rint(number), 1), SC_DENSITY_NUMBER_MAX);
    }
}

double sc__counted_weight(uint64_t count)
{
    return (double)count + 1;
}

sc_err sc_density_new_uniform(const sc_map *map, sc_density **out)
{
    sc_density *density = sc__density_new(sc_map_segment_count(map));
    if (!density) return SC_ENOMEM;
    for (size_t i = 0; i < density->count; i++) {
        density->weights[i] = 1;
    }
    sc__density_finish(density, true);
    *out = density;
    return SC_OK;
}

sc_err sc_density_new_counted(const sc_map *map, const uint64_t *counts, sc_density **out)
{
    sc_density *density = sc__density_new(sc_map_segment_count(map));
    if (!density) return SC_ENOMEM;
    for (size_t i = 0; i < density->count; i++) {
        density->weights[i] = sc__counted_weight(counts[i]);
    }
    sc__density_finish(density, true);
    *out = density;
    return SC_OK;
}

void sc_density_free(sc_density *density)
{
    sc_free(density);
}

size_t sc_density_segment_count(const sc_density *density)
{
    return density->count;
}

double sc_density_weight(const sc_density *density, sc_seg_id segment)
{
    return density->weights[segment];
}

const uint32_t *sc_density_numbers(const sc_density *density)
{
    return density->numbers;
}

uint64_t sc_density_checksum(const sc_density *density)
{
    return XXH3_64bits(density->numbers, density->count * sizeof *density->numbers);
}

// With the weights w in units of their largest, and W their sum, the entropy of the shares w / W is
// log2 W - (sum of w log2 w) / W. No w is above 1 and W is at least 1, so nothing overflows,
// and a w that is too small to be told from 0 adds nothing.
double sc_density_effective(const sc_density *density, const sc_seg_id *segments, size_t count)
{
    if (!density || count < 2) return (double)count;
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, density->weights[segments[i]]);
    }
    double sum = 0;
    double logs = 0;
    for (size_t i = 0; i < count; i++) {
        const double w = density->weights[segments[i]] / largest;
        sum += w;
        if (w > 0) logs += w * log2(w);
    }
    const double effective = sum * exp2(-logs / sum);
    return fmin(fmax(effective, 1), (double)count);  // rounding may lead a little beyond
}

// --- Tables -------------------------------------------------------------------------------------

enum { LONGEST_LINE = 1 << 16, CHECKSUM_DIGITS = 16 };

/** Weights that are not 0 are within these, for (2): there are fewer than 2^32 segments. */
static const double least_weight = 1e-100;
static const double most_weight = 1e100;

/** What a segment without a weight gets, for (1): so much of the largest. */
static const double share_of_unseen = 1e-6;

/** Stands where no line has come yet. */
static const double unseen = -1;

typedef enum column { COLUMN_SEGMENT, COLUMN_COUNT, COLUMN_WEIGHT, COLUMNS } column;

static const char *const column_names[] = {"segment", "count", "weight"};

/** A table that is being read. */
typedef struct table {
    const sc_map *map;
    sc_line_reader *source;
    sc_diag *diag;
    char *buffer;     ///< where unquoted fields go: as long as a line may be
    column measure;   ///< what it has, counts or weights
    size_t place[2];  ///< which field is the segment, and which the measure
    size_t width;     ///< fields that the header has; 0 before it was seen
    sc_density *density;
    size_t seen;  ///< segments that have their weight; the others have `unseen`
    double largest;
} table;

// --- Complaints ----------------------------------------------------------------------------

static sc_err fail_line(const table *t, const char *what)
{
    return sc_fail(t->diag, SC_EPARSE, "%s:%" PRIu64 ": %s", t->source->name, t->source->line,
                   what);
}

static sc_err fail_field(const table *t, column c, const char *what, sc_slice value,
                         const char *advice)
{
    return sc_fail(t->diag, SC_EPARSE, "%s:%" PRIu64 ": field '%s' %s: %s; %s", t->source->name,
                   t->source->line, column_names[c], what, sc_quote(value.text, value.size).text,
                   advice);
}

// --- Fields --------------------------------------------------------------------------------

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
    const table *table;
    sc_slice rest;
    char *buffer;  ///< the part that is not used yet
    bool more;
    size_t count;  ///< fields cut off so far
} cutter;

static cutter cut(const table *t, sc_slice line)
{
    return (cutter){.table = t, .rest = line, .buffer = t->buffer, .more = true};
}

/** The next field; it stays while the others are cut. Not to be called when there is no more. */
static sc_err cut_field(cutter *c, sc_slice *field)
{
    bool broken = false;
    if (!sc_slice_csv_field(&c->rest, c->buffer, field, &c->more, &broken)) {
        const table *t = c->table;
        return sc_fail(t->diag, SC_EPARSE,
                       "%s:%" PRIu64 ": field %zu begins with a quote and does not end with one; "
                       "close it, or leave both out",
                       t->source->name, t->source->line, c->count + 1);
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

// --- The header ----------------------------------------------------------------------------

static column column_of(sc_slice title)
{
    for (column c = 0; c < COLUMNS; c++) {
        if (title.size == strlen(column_names[c]) &&
            strncasecmp(title.text, column_names[c], title.size) == 0) {
            return c;
        }
    }
    return COLUMNS;
}

static sc_err read_header(table *t, sc_slice line)
{
    size_t place[COLUMNS];
    bool has[COLUMNS] = {false};
    cutter c = cut(t, line);
    while (c.more) {
        sc_slice title = {0};
        const sc_err err = cut_field(&c, &title);
        if (err) return err;
        const column known = column_of(title);
        if (known == COLUMNS) continue;
        if (has[known]) {
            return fail_field(t, known, "is in the header twice", title,
                              "rename the column that is not to be used");
        }
        has[known] = true;
        place[known] = c.count - 1;
    }
    if (!has[COLUMN_SEGMENT]) {
        return fail_line(
            t, "the header has no column 'segment'; write segment,count or segment,weight");
    }
    if (has[COLUMN_COUNT] == has[COLUMN_WEIGHT]) {
        return fail_line(t, has[COLUMN_COUNT] ? "the header has both 'count' and 'weight'; rename "
                                                "the column that is not to be used"
                                              : "the header has neither 'count' nor 'weight'; "
                                                "write segment,count or segment,weight");
    }
    t->measure = has[COLUMN_COUNT] ? COLUMN_COUNT : COLUMN_WEIGHT;
    t->place[0] = place[COLUMN_SEGMENT];
    t->place[1] = place[t->measure];
    t->width = c.count;
    return SC_OK;
}

// --- Lines ---------------------------------------------------------------------------------

static sc_err cut_row(const table *t, sc_slice line, sc_slice fields[2])
{
    cutter c = cut(t, line);
    while (c.more) {
        sc_slice field = {0};
        const sc_err err = cut_field(&c, &field);
        if (err) return err;
        for (size_t i = 0; i < 2; i++) {
            if (t->place[i] == c.count - 1) fields[i] = field;
        }
    }
    if (c.count == t->width) return SC_OK;
    return sc_fail(t->diag, SC_EPARSE,
                   "%s:%" PRIu64 ": the header has %zu fields, but this line has %zu; put a text "
                   "with a comma in double quotes, and leave out no field",
                   t->source->name, t->source->line, t->width, c.count);
}

static sc_err read_segment(const table *t, sc_slice field, sc_seg_id *out)
{
    uint64_t segment = 0;
    if (!sc_slice_u64(field, &segment)) {
        return fail_field(t, COLUMN_SEGMENT, "is not a whole number", field,
                          "write the segment's number, as 'starcloak map export' does");
    }
    if (segment >= t->density->count) {
        return sc_fail(t->diag, SC_EPARSE,
                       "%s:%" PRIu64 ": field 'segment' is %" PRIu64
                       ", but the map has %zu segments, numbered from 0; use the map that the "
                       "table was made for",
                       t->source->name, t->source->line, segment, t->density->count);
    }
    if (t->density->weights[segment] != unseen) {
        return fail_field(t, COLUMN_SEGMENT, "names a segment a second time", field,
                          "keep one line for it");
    }
    *out = (sc_seg_id)segment;
    return SC_OK;
}

static sc_err read_measure(const table *t, sc_slice field, double *out)
{
    if (t->measure == COLUMN_COUNT) {
        uint64_t count = 0;
        if (!sc_slice_u64(field, &count)) {
            return fail_field(t, COLUMN_COUNT, "is not a whole number of 0 or more", field,
                              "count travellers, or call the column 'weight'");
        }
        *out = sc__counted_weight(count);
        return SC_OK;
    }
    double weight = 0;
    if (!sc_slice_double(field, &weight)) {
        return fail_field(t, COLUMN_WEIGHT, "is not a number", field, "write one like 0.25");
    }
    if (weight != 0 && !(weight >= least_weight && weight <= most_weight)) {
        return fail_field(
            t, COLUMN_WEIGHT, "is neither 0 nor from 1e-100 to 1e100", field,
            "only the ratios of weights matter: multiply all of them by the same number");
    }
    *out = weight;
    return SC_OK;
}

static sc_err read_row(table *t, sc_slice line)
{
    sc_slice fields[2] = {{0}};
    sc_seg_id segment = 0;
    double weight = 0;
    sc_err err = cut_row(t, line, fields);
    if (!err) err = read_segment(t, fields[0], &segment);
    if (!err) err = read_measure(t, fields[1], &weight);
    if (err) return err;
    t->density->weights[segment] = weight;
    t->seen++;
    if (weight > t->largest) t->largest = weight;
    return SC_OK;
}

// --- Comments ------------------------------------------------------------------------------

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
static sc_err read_comment(const table *t, sc_slice line)
{
    sc_slice rest = {line.text + 1, line.size - 1};
    sc_slice word = {0};
    uint64_t checksum = 0;
    if (!sc_slice_field(&rest, &word) || !sc_slice_is(word, "map")) return SC_OK;
    if (!sc_slice_field(&rest, &word) || !read_checksum(word, &checksum)) return SC_OK;
    if (sc_slice_field(&rest, &word)) return SC_OK;
    if (checksum == sc_map_checksum(t->map)) return SC_OK;
    return sc_fail(t->diag, SC_EMISMATCH,
                   "%s:%" PRIu64 ": this is a density of the map with the checksum %016" PRIx64
                   ", not of this map; use that map ('starcloak map info' shows checksums)",
                   t->source->name, t->source->line, checksum);
}

// --- All of it -----------------------------------------------------------------------------

static sc_err read_line(table *t, sc_slice line)
{
    if (line.size > LONGEST_LINE) {
        return fail_line(
            t, "the line is longer than 65,536 bytes; check that this is a table of densities");
    }
    const sc_slice text = trim(line);
    if (text.size == 0) return SC_OK;
    if (text.text[0] == '#') return read_comment(t, text);
    return t->width == 0 ? read_header(t, line) : read_row(t, line);
}

static sc_err read_lines(table *t)
{
    for (;;) {
        sc_slice line = {0};
        sc_err err = sc_line_reader_next(t->source, &line, t->diag);
        if (!err && !line.text) return SC_OK;
        if (!err) err = read_line(t, line);
        if (err) return err;
    }
}

/** Give the segments that are not in the table, or have no weight there, theirs. */
static sc_err fill_in(const table *t)
{
    const char *name = t->source->name;
    if (t->width == 0) {
        return sc_fail(t->diag, SC_EPARSE,
                       "%s: the file is empty; it must begin with a header segment,count", name);
    }
    if (t->seen == 0) {
        return sc_fail(t->diag, SC_EPARSE,
                       "%s: the file has a header but no lines; add a line for each segment", name);
    }
    if (!(t->largest > 0)) {
        return sc_fail(t->diag, SC_EPARSE,
                       "%s: field 'weight' is 0 in every line; at least one must be above 0", name);
    }
    const double little =
        t->measure == COLUMN_COUNT ? sc__counted_weight(0) : t->largest * share_of_unseen;
    for (size_t i = 0; i < t->density->count; i++) {
        if (!(t->density->weights[i] > 0)) t->density->weights[i] = little;
    }
    sc__density_finish(t->density, t->measure == COLUMN_COUNT);
    return SC_OK;
}

static sc_density *new_unseen(size_t count)
{
    sc_density *density = sc__density_new(count);
    for (size_t i = 0; density && i < count; i++) {
        density->weights[i] = unseen;
    }
    return density;
}

static sc_err read_source(const sc_map *map, sc_line_reader *source, sc_density **out,
                          sc_diag *diag)
{
    table t = {
        .map = map,
        .source = source,
        .diag = diag,
        .buffer = sc_malloc(LONGEST_LINE),
        .density = new_unseen(sc_map_segment_count(map)),
    };
    sc_err err = SC_ENOMEM;
    if (t.buffer && t.density) {
        err = read_lines(&t);
        if (!err) err = fill_in(&t);
    } else {
        sc_fail_memory(diag, "reading a density");
    }
    sc_free(t.buffer);
    if (err) {
        sc_density_free(t.density);
        return err;
    }
    *out = t.density;
    return SC_OK;
}

sc_err sc__density_read_input(const sc_map *map, const sc_input *input, sc_density **out,
                              sc_diag *diag)
{
    sc_line_reader source;
    sc_line_reader_of(&source, input);
    const sc_err err = read_source(map, &source, out, diag);
    sc_line_reader_close(&source);
    return err;
}

sc_err sc_density_read(const sc_map *map, const char *path, sc_density **out, sc_diag *diag)
{
    sc_line_reader source;
    sc_err err = sc_line_reader_open(&source, path, diag);
    if (err) return err;
    err = read_source(map, &source, out, diag);
    sc_line_reader_close(&source);
    return err;
}

sc_err sc_density_write_counts(const sc_map *map, const uint64_t *counts, const char *path,
                               sc_diag *diag)
{
    sc_outfile out;
    const sc_err err = sc_outfile_open(path, &out, diag);
    if (err) return err;
    fprintf(out.stream, "# map %016" PRIx64 "\n%s,%s\n", sc_map_checksum(map),
            column_names[COLUMN_SEGMENT], column_names[COLUMN_COUNT]);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        fprintf(out.stream, "%" PRIu32 ",%" PRIu64 "\n", s, counts[s]);
    }
    return sc_outfile_commit(&out, diag);
}
