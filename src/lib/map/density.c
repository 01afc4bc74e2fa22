// Densities: how likely travellers are on each segment, and how many segments a cloak is worth
// under one; in memory, and as tables: CSV with a header that names `segment` and `count` or
// `weight` (segment_table.h).
//
// A table that is accepted has a weight above 0 for every segment (1), and neither the sum of all
// weights nor a share of it is lost to overflow (2).
#include "base/alloc.h"
#include "base/checksum.h"
#include "base/diag.h"
#include "map/density_internal.h"
#include "map/segment_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>

// --- In memory ----------------------------------------------------------------------------------

sc_density *sc__density_new(size_t count)
{
    sc_density *density = NULL;
    const size_t each = sizeof *density->weights + sizeof *density->numbers;
    if (count > (SIZE_MAX - sizeof *density) / each) return NULL;
    density = sc_malloc(sizeof *density + count * each);
    if (!density) return NULL;
    density->count = count;
    density->numbers = (void *)(density->weights + count);
    return density;
}

void sc__density_finish(sc_density *density, bool is_counted)
{
    double largest = 0;
    double seen = 0;
    for (size_t i = 0; i < density->count; i++) {
        largest = fmax(largest, density->weights[i]);
        seen += density->weights[i] - sc__counted_weight(0);
    }
    density->mean_count =
        is_counted && density->count > 0 ? seen / (double)density->count : (double)NAN;
    // Counts stay as they are if they can: a cut one would make a busy road pass for a quieter one.
    const bool is_scaled = !is_counted || largest > SC_DENSITY_NUMBER_MAX;
    for (size_t i = 0; i < density->count; i++) {
        const double weight = density->weights[i];
        const double number = is_scaled ? weight / largest * SC_DENSITY_NUMBER_MAX : weight;
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

double sc_density_mean_count(const sc_density *density)
{
    return density->mean_count;
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

/** Weights that are not 0 are within these, for (2): there are fewer than 2^32 segments. */
static const double least_weight = 1e-100;
static const double most_weight = 1e100;

/** What a segment without a weight gets, for (1): so much of the largest. */
static const double share_of_unseen = 1e-6;

/** Stands where no line has come yet. */
static const double unseen = -1;

enum { COLUMN_SEGMENT, COLUMN_COUNT, COLUMN_WEIGHT };

static const char *const column_names[] = {"segment", "count", "weight", NULL};

static const sc_segment_table_kind density_table = {.columns = column_names,
                                                    .contents = "a density",
                                                    .name = "a table of densities",
                                                    .doing = "reading a density"};

/** A density that is being read. */
typedef struct reading {
    sc_segment_table table;
    bool is_counted;  ///< it has counts; else weights
    sc_density *density;
    size_t seen;  ///< segments that have their weight; the others have `unseen`
    double largest;
} reading;

static sc_err look_at_header(reading *r)
{
    const sc_segment_table *t = &r->table;
    if (t->width == 0) {
        return sc__segment_table_fail(
            t, "the file is empty; it must begin with a header segment,count");
    }
    const bool has_counts = t->place[COLUMN_COUNT] != SC_SEGMENT_TABLE_NOWHERE;
    const bool has_weights = t->place[COLUMN_WEIGHT] != SC_SEGMENT_TABLE_NOWHERE;
    if (t->place[COLUMN_SEGMENT] == SC_SEGMENT_TABLE_NOWHERE) {
        return sc__segment_table_fail_line(
            t, "the header has no column 'segment'; write segment,count or segment,weight");
    }
    if (has_counts == has_weights) {
        return sc__segment_table_fail_line(
            t, has_counts ? "the header has both 'count' and 'weight'; rename "
                            "the column that is not to be used"
                          : "the header has neither 'count' nor 'weight'; "
                            "write segment,count or segment,weight");
    }
    r->is_counted = has_counts;
    return SC_OK;
}

static sc_err read_measure(const reading *r, double *out)
{
    const sc_segment_table *t = &r->table;
    if (r->is_counted) {
        uint64_t count = 0;
        if (!sc_slice_u64(t->fields[COLUMN_COUNT], &count)) {
            return sc__segment_table_fail_field(t, COLUMN_COUNT,
                                                "is not a whole number of 0 or more",
                                                "count travellers, or call the column 'weight'");
        }
        *out = sc__counted_weight(count);
        return SC_OK;
    }
    double weight = 0;
    if (!sc_slice_double(t->fields[COLUMN_WEIGHT], &weight)) {
        return sc__segment_table_fail_field(t, COLUMN_WEIGHT, "is not a number",
                                            "write one like 0.25");
    }
    if (weight != 0 && !(weight >= least_weight && weight <= most_weight)) {
        return sc__segment_table_fail_field(
            t, COLUMN_WEIGHT, "is neither 0 nor from 1e-100 to 1e100",
            "only the ratios of weights matter: multiply all of them by the same number");
    }
    *out = weight;
    return SC_OK;
}

static sc_err read_row(reading *r)
{
    sc_seg_id segment = 0;
    double weight = 0;
    sc_err err = sc__segment_table_segment(&r->table, COLUMN_SEGMENT, &segment);
    if (err) return err;
    if (r->density->weights[segment] != unseen) {
        return sc__segment_table_fail_field(
            &r->table, COLUMN_SEGMENT, "names a segment a second time", "keep one line for it");
    }
    err = read_measure(r, &weight);
    if (err) return err;
    r->density->weights[segment] = weight;
    r->seen++;
    if (weight > r->largest) r->largest = weight;
    return SC_OK;
}

/** Give the segments that are not in the table, or have no weight there, theirs. */
static sc_err fill_in(const reading *r)
{
    if (r->seen == 0) {
        return sc__segment_table_fail(
            &r->table, "the file has a header but no lines; add a line for each segment");
    }
    if (!(r->largest > 0)) {
        return sc__segment_table_fail(
            &r->table, "field 'weight' is 0 in every line; at least one must be above 0");
    }
    const double little = r->is_counted ? sc__counted_weight(0) : r->largest * share_of_unseen;
    for (size_t i = 0; i < r->density->count; i++) {
        if (!(r->density->weights[i] > 0)) r->density->weights[i] = little;
    }
    sc__density_finish(r->density, r->is_counted);
    return SC_OK;
}

static sc_err read_rows(reading *r)
{
    for (;;) {
        bool more = false;
        sc_err err = sc__segment_table_next(&r->table, &more);
        if (!err && !more) return fill_in(r);
        if (!err) err = read_row(r);
        if (err) return err;
    }
}

static sc_density *new_unseen(size_t count)
{
    sc_density *density = sc__density_new(count);
    for (size_t i = 0; density && i < count; i++) {
        density->weights[i] = unseen;
    }
    return density;
}

// All but opening the table, which is closed in any case.
static sc_err read_table(reading *r, sc_err err, sc_density **out)
{
    if (!err) {
        r->density = new_unseen(sc_map_segment_count(r->table.map));
        if (!r->density) err = sc_fail_memory(r->table.diag, density_table.doing);
    }
    if (!err) err = look_at_header(r);
    if (!err) err = read_rows(r);
    sc__segment_table_close(&r->table);
    if (err) {
        sc_density_free(r->density);
        return err;
    }
    *out = r->density;
    return SC_OK;
}

sc_err sc__density_read_input(const sc_map *map, const sc_input *input, sc_density **out,
                              sc_diag *diag)
{
    reading r = {.table = {.map = map, .kind = &density_table}};
    return read_table(&r, sc__segment_table_of(&r.table, input, diag), out);
}

sc_err sc_density_read(const sc_map *map, const char *path, sc_density **out, sc_diag *diag)
{
    reading r = {.table = {.map = map, .kind = &density_table}};
    return read_table(&r, sc__segment_table_open(&r.table, path, diag), out);
}

sc_err sc_density_write_counts(const sc_map *map, const uint64_t *counts, const char *path,
                               sc_diag *diag)
{
    sc_outfile out;
    const sc_err err = sc_outfile_open(path, &out, diag);
    if (err) return err;
    sc__segment_table_write_map(out.stream, map);
    fprintf(out.stream, "%s,%s\n", column_names[COLUMN_SEGMENT], column_names[COLUMN_COUNT]);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        fprintf(out.stream, "%" PRIu32 ",%" PRIu64 "\n", s, counts[s]);
    }
    return sc_outfile_commit(&out, diag);
}
