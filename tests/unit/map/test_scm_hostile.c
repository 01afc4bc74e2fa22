// Forged map files: every checksum is right, and one number is not. A file that
// could lead an accessor out of its tables is refused; one that only lies about
// the roads is opened safely, and sc_map_check() says so.
#include <starcloak/map_export.h>
#include <starcloak/map_info.h>
#include <starcloak/star.h>

#include "support/check.h"
#include "support/place.h"
#include "support/scm_patch.h"
#include "support/sketch.h"

#include "base/rng.h"

#include <math.h>

// The file that all forgeries begin with, in which no table is empty; made once for all tests.
static scm_bytes original;

static int make_original(void **state)
{
    (void)state;
    sc_map *map = full_map_with_directions(SC_COORDS_GEOGRAPHIC);
    sc_objects *objects = NULL;
    const sc_index_options options = {.k = 3, .max_bytes = SIZE_MAX, .threads = 1};
    sc_diag diag = {""};
    CHECK_OK(sc_objects_new_from_map(map, &objects), NULL);
    CHECK_OK(sc_objects_build_index(objects, &options, &diag), &diag);
    original = scm_of_objects(objects);
    sc_objects_release(objects);
    sc_map_free(map);
    return 0;
}

static int free_original(void **state)
{
    (void)state;
    scm_free(&original);
    return 0;
}

static scm_bytes fresh(void)
{
    return scm_copy(&original);
}

// The forgery is refused with these words; it is freed.
static void check_refused(scm_bytes *file, const char *said)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_map_open_memory(file->data, file->size, "forged.scm", &map, &diag);
    if (!err) sc_map_free(map);
    CHECK_REFUSED(err, SC_EFORMAT, &diag, said);
    assert_int_equal(strncmp(diag.message, "forged.scm: ", 12), 0);
    scm_free(file);
}

static uint64_t count_of(const scm_bytes *file, sc_table_kind kind)
{
    return scm_header(file)->tables[kind].count;
}

// --- The header ----------------------------------------------------------------------

#define FORGE_HEADER(change, said)                 \
    do {                                           \
        scm_bytes file = fresh();                  \
        sc_scm_header *header = scm_header(&file); \
        change;                                    \
        scm_seal_header(&file);                    \
        check_refused(&file, (said));              \
    } while (0)

static void test_measures_out_of_range_are_refused(void **state)
{
    (void)state;
    FORGE_HEADER(header->coords = 3, "unknown kind of coordinates");
    FORGE_HEADER(header->coords = UINT32_MAX, "unknown kind of coordinates");
    FORGE_HEADER(header->in_metres = 2, "unknown flag");
    FORGE_HEADER(header->reserved = 1, "unknown flag");
    FORGE_HEADER(header->unit_m = 0.0, "unit of length");
    FORGE_HEADER(header->unit_m = -1e-3, "unit of length");
    FORGE_HEADER(header->unit_m = NOT_A_NUMBER, "unit of length");
    FORGE_HEADER(header->unit_m = HUGE_VAL, "unit of length");
    FORGE_HEADER(header->time_unit_s = 0.0, "unit of time");
    FORGE_HEADER(header->time_unit_s = -1e-3, "unit of time");
    FORGE_HEADER(header->time_unit_s = NOT_A_NUMBER, "unit of time");
    FORGE_HEADER(header->time_unit_s = HUGE_VAL, "unit of time");
    FORGE_HEADER(header->grid_per_unit = 0.0, "grid of coordinates");
    FORGE_HEADER(header->grid_per_unit = NOT_A_NUMBER, "grid of coordinates");
    FORGE_HEADER(header->grid_per_unit = -1.0, "grid of coordinates");
    FORGE_HEADER(header->grid_per_unit = 1e8, "grid of coordinates is not 1e-7 degrees");
    FORGE_HEADER(header->origin_x = 1.0, "grid of coordinates is not 1e-7 degrees");
    FORGE_HEADER(header->origin_x = -180.0, "grid of coordinates is not 1e-7 degrees");
    FORGE_HEADER(header->origin_y = 180.0, "grid of coordinates is not 1e-7 degrees");
    FORGE_HEADER(header->origin_y = -1.0, "grid of coordinates is not 1e-7 degrees");
    FORGE_HEADER(header->origin_x = HUGE_VAL, "grid of coordinates");
    FORGE_HEADER(header->origin_y = NOT_A_NUMBER, "grid of coordinates");
    FORGE_HEADER(memset(header->source, 'x', sizeof header->source), "source text");
    FORGE_HEADER(header->table_count = SC_TABLE_COUNT - 1, "number of tables");
    FORGE_HEADER(header->table_count = UINT32_MAX, "number of tables");
}

static void test_bytes_that_are_not_aligned_are_refused(void **state)
{
    (void)state;
    char *shifted = test_take(original.size + 8, 1);
    for (size_t by = 1; by < 8; by++) {
        memcpy(shifted + by, original.data, original.size);
        sc_map *map = NULL;
        sc_diag diag = {""};
        CHECK_REFUSED(sc_map_open_memory(shifted + by, original.size, "shifted.scm", &map, &diag),
                      SC_EINVAL, &diag, "aligned to 8");
        assert_null(map);
    }
    free(shifted);
}

static void test_a_directory_that_is_not_the_canonical_one_is_refused(void **state)
{
    (void)state;
    for (int kind = 0; kind < SC_TABLE_COUNT; kind++) {
        check_case((uint64_t)kind);
        FORGE_HEADER(header->tables[kind].kind = SC_TABLE_COUNT, "directory");
        FORGE_HEADER(header->tables[kind].kind ^= 1, "directory");
        FORGE_HEADER(header->tables[kind].element_size++, "directory");
        FORGE_HEADER(header->tables[kind].element_size = 0, "directory");
        FORGE_HEADER(header->tables[kind].offset += 64, "directory");
        FORGE_HEADER(header->tables[kind].offset += 1, "directory");
        FORGE_HEADER(header->tables[kind].offset = UINT64_MAX - 63, "directory");
        FORGE_HEADER(header->tables[kind].offset = 0, "directory");
        FORGE_HEADER(header->tables[kind].count = UINT64_MAX, "directory");
        FORGE_HEADER(header->tables[kind].count = UINT64_MAX / 16 + 2, "directory");
        FORGE_HEADER(header->tables[kind].count = (uint64_t)1 << 40, "directory");
        FORGE_HEADER(header->tables[kind].checksum ^= 1, "checksum");
    }
    check_case_done();
}

static void test_bytes_between_the_tables_are_refused(void **state)
{
    (void)state;
    scm_bytes probe = fresh();
    uint64_t end = sizeof(sc_scm_header);
    for (int kind = 0; kind < SC_TABLE_COUNT; kind++) {
        const sc_scm_table table = scm_header(&probe)->tables[kind];
        for (uint64_t i = end; i < table.offset; i++) {
            scm_bytes file = scm_copy(&probe);
            file.data[i] = 1;
            check_refused(&file, "unexpected bytes between its tables");
        }
        end = table.offset + table.count * table.element_size;
    }
    scm_free(&probe);
}

// The file with one element of a table taken away (-1) or added (+1), laid out as
// it must be.
static scm_bytes resized(sc_table_kind kind, int by)
{
    const sc_scm_header *from = scm_header(&original);
    sc_table tables[SC_TABLE_COUNT];
    for (int k = 0; k < SC_TABLE_COUNT; k++) {
        tables[k].data = scm_table(&original, (sc_table_kind)k);
        tables[k].count = from->tables[k].count + (k == (int)kind ? (uint64_t)(int64_t)by : 0);
    }
    sc_scm_header header = *from;
    scm_bytes file = {NULL, sc__scm_lay_out(tables, header.tables)};
    header.file_size = file.size;
    file.data = test_take(file.size, 1);
    memcpy(file.data, &header, sizeof header);
    for (int k = 0; k < SC_TABLE_COUNT; k++) {
        const bool less = k == (int)kind && by < 0;
        const uint64_t kept = less ? tables[k].count : from->tables[k].count;
        memcpy(file.data + header.tables[k].offset, tables[k].data,
               kept * header.tables[k].element_size);
    }
    scm_seal(&file);
    return file;
}

static void test_counts_that_do_not_belong_together_are_refused(void **state)
{
    (void)state;
    for (int kind = 0; kind < SC_TABLE_COUNT; kind++) {
        check_case((uint64_t)kind);
        // Strings, and categories that no object is in, may be more than are used.
        const bool may_be_more = kind == SC_TABLE_STRINGS || kind == SC_TABLE_CATEGORIES;
        scm_bytes less = resized((sc_table_kind)kind, -1);
        scm_bytes more = resized((sc_table_kind)kind, 1);
        check_refused(&less, "damaged map");
        if (may_be_more) {
            scm_free(&more);
        } else {
            check_refused(&more, "damaged map");
        }
    }
    check_case_done();
    FORGE_HEADER(header->node_count++, "damaged map");
    FORGE_HEADER(header->node_count = 0, "damaged map");
    FORGE_HEADER(header->node_count = UINT32_MAX, "damaged map");
    FORGE_HEADER(header->coords = SC_COORDS_NONE, "damaged map");
}

// --- Indices out of range ----------------------------------------------------------

// Write `value` at a byte offset of element `i` of a table, and seal.
static scm_bytes forge(sc_table_kind kind, uint64_t i, size_t field, uint32_t value)
{
    scm_bytes file = fresh();
    const size_t size = sc__table_element_size(kind);
    assert_true(i < count_of(&file, kind) && field + sizeof value <= size);
    memcpy((uint8_t *)scm_table(&file, kind) + i * size + field, &value, sizeof value);
    scm_seal(&file);
    return file;
}

/** A column of a table that holds indices, and the least value that is too large. */
typedef struct index_column {
    sc_table_kind kind;
    size_t field;
    uint32_t bound;
    uint64_t spare;  ///< elements at the end of the table where it means nothing
    bool may_be_none;
} index_column;

static void test_every_index_out_of_range_is_refused(void **state)
{
    (void)state;
    scm_bytes file = fresh();
    const uint32_t nodes = scm_header(&file)->node_count;
    const uint32_t edges = (uint32_t)count_of(&file, SC_TABLE_EDGES);
    const uint32_t segments = (uint32_t)count_of(&file, SC_TABLE_SEGMENTS) - 1;
    const uint32_t stars = (uint32_t)count_of(&file, SC_TABLE_STARS) - 1;
    const uint32_t categories = (uint32_t)count_of(&file, SC_TABLE_CATEGORIES);
    const uint32_t strings = (uint32_t)count_of(&file, SC_TABLE_STRINGS);
    const index_column columns[] = {
        {SC_TABLE_EDGES, offsetof(sc_edge, from), nodes, 0, false},
        {SC_TABLE_EDGES, offsetof(sc_edge, to), nodes, 0, false},
        {SC_TABLE_EDGES, offsetof(sc_edge, segment), segments, 0, false},
        {SC_TABLE_SEGMENTS, offsetof(sc_segment, star_a), stars, 1, false},
        {SC_TABLE_SEGMENTS, offsetof(sc_segment, star_b), stars, 1, true},
        {SC_TABLE_STARS, offsetof(sc_star, node), nodes, 1, false},
        {SC_TABLE_STAR_SEGMENTS, 0, segments, 0, false},
        {SC_TABLE_STAR_NEIGHBOURS, 0, stars, 0, false},
        {SC_TABLE_OBJECTS, offsetof(sc_object, edge), edges, 0, false},
        {SC_TABLE_OBJECTS, offsetof(sc_object, category), categories, 0, false},
        {SC_TABLE_OBJECTS, offsetof(sc_object, name), strings, 0, false},
        {SC_TABLE_CATEGORIES, 0, strings, 0, false},
        {SC_TABLE_SEGMENT_NAMES, 0, strings, 0, false},
    };
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        check_case(c);
        const index_column *column = &columns[c];
        for (uint64_t i = 0; i + column->spare < count_of(&file, column->kind); i++) {
            const uint32_t bad[] = {column->bound, column->bound + 1, 0x7fffffff,
                                    0x80000000,    UINT32_MAX - 1,    UINT32_MAX};
            for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
                if (bad[b] == SC_NONE && column->may_be_none) continue;
                scm_bytes forged = forge(column->kind, i, column->field, bad[b]);
                check_refused(&forged, "out of range");
            }
        }
    }
    check_case_done();
    scm_free(&file);
}

// Columns that say where lists begin must ascend from 0 to the size of what they
// point into; each entry is tried with values that break this.
static void test_every_list_that_does_not_ascend_is_refused(void **state)
{
    (void)state;
    scm_bytes file = fresh();
    static const struct {
        sc_table_kind kind;
        size_t field;
        bool strictly;  ///< no list is empty
    } columns[] = {{SC_TABLE_SEGMENTS, offsetof(sc_segment, first_edge), true},
                   {SC_TABLE_STARS, offsetof(sc_star, first_segment), false},
                   {SC_TABLE_STARS, offsetof(sc_star, first_neighbour), false},
                   {SC_TABLE_SEGMENT_OBJECTS, 0, false}};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        check_case(c);
        const size_t size = sc__table_element_size(columns[c].kind);
        const uint8_t *table = scm_table(&file, columns[c].kind);
        const uint64_t count = count_of(&file, columns[c].kind);
        for (uint64_t i = 0; i < count; i++) {
            uint32_t before = 0;
            uint32_t after = 0;
            uint32_t here = 0;
            memcpy(&here, table + i * size + columns[c].field, sizeof here);
            if (i > 0) memcpy(&before, table + (i - 1) * size + columns[c].field, sizeof before);
            if (i + 1 < count)
                memcpy(&after, table + (i + 1) * size + columns[c].field, sizeof after);
            const uint32_t bad[] = {after + 1, before - 1, UINT32_MAX, here + 1000000};
            for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
                if (i == 0 && b == 0 && bad[b] == 0) continue;
                scm_bytes forged = forge(columns[c].kind, i, columns[c].field, bad[b]);
                check_refused(&forged, "out of range");
            }
            if (columns[c].strictly && i > 0) {
                scm_bytes forged = forge(columns[c].kind, i, columns[c].field, before);
                check_refused(&forged, "out of range");
            }
        }
    }
    check_case_done();
    scm_free(&file);
}

static void test_strings_without_an_end_are_refused(void **state)
{
    (void)state;
    scm_bytes file = fresh();
    char *strings = scm_table(&file, SC_TABLE_STRINGS);
    strings[count_of(&file, SC_TABLE_STRINGS) - 1] = 'x';
    scm_seal(&file);
    check_refused(&file, "table of strings");
}

// --- Lies that are safe ----------------------------------------------------------------

// Whatever was opened can be used in every way without harm.
static void use_all(const sc_map *map, const place *p, bool export)
{
    sc_diag diag = {""};
    sc_map_info info;
    sc_ball *ball = NULL;
    CHECK_OK(sc_map_describe(map, &info), NULL);
    CHECK_OK(sc_ball_new(map, &ball), NULL);
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        size_t count = 0;
        sc_ball_walk(ball, i, 3, &count);
        assert_true(sc_ball_segment_count(ball) <= UINT32_MAX);
    }
    sc_ball_free(ball);
    for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
        assert_true(strlen(sc_map_object_name(map, i)) < 1000);
        assert_int_not_equal(
            sc_map_category_find(map, sc_map_category_name(map, sc_map_objects(map)[i].category)),
            SC_NONE);
    }
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        sc_object_id first = 0;
        sc_object_id last = 0;
        sc_map_segment_objects(map, s, &first, &last);
        assert_true(strlen(sc_map_segment_name(map, s)) < 1000);
        assert_true(first <= last && last <= sc_map_object_count(map));
    }
    sc_objects *objects = NULL;
    if (!sc_objects_new_from_map(map, &objects)) {
        const sc_index_options options = {.k = 2, .max_bytes = SIZE_MAX, .threads = 1};
        const sc_err wrong = sc_objects_check_index(objects, &diag);
        assert_true(wrong == SC_OK || wrong == SC_EMAP);
        CHECK_OK(sc_objects_build_index(objects, &options, &diag), &diag);
    }
    sc_objects_release(objects);
    sc_snap snap;
    const sc_err err = sc_map_snap(map, 8.0001, 49.9999, HUGE_VAL, &snap);
    assert_true(err == SC_OK || err == SC_ETOOFAR);
    if (!err) assert_true(snap.edge < sc_map_edge_count(map));
    if (!export) return;
    CHECK_OK(sc_map_export_csv(map, place_path(p, "csv"), &diag), &diag);
    CHECK_OK(sc_map_export_geojson(map, place_path(p, "g.json"), &diag), &diag);
}

static void test_a_forged_map_that_opens_is_safe_in_every_use(void **state)
{
    (void)state;
    place p = place_new();
    scm_bytes file = fresh();
    sc_rng rng;
    sc_rng_seed(&rng, 6);
    unsigned opened = 0;
    unsigned wrong = 0;
    for (uint64_t round = 0; round < 4000; round++) {
        check_case(round);
        scm_bytes forged = scm_copy(&file);
        // A few numbers of any table become other small numbers, so that many pass.
        for (uint32_t changes = 1 + sc_rng_below(&rng, 3); changes > 0; changes--) {
            const sc_table_kind kind = (sc_table_kind)sc_rng_below(&rng, SC_TABLE_COUNT);
            const size_t size = count_of(&file, kind) * sc__table_element_size(kind);
            if (size < 4) continue;
            const uint32_t value = sc_rng_below(&rng, 16);
            const size_t at = (size_t)4 * sc_rng_below(&rng, (uint32_t)(size / 4));
            memcpy((uint8_t *)scm_table(&forged, kind) + at, &value, sizeof value);
        }
        scm_seal(&forged);
        sc_map *map = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_map_open_memory(forged.data, forged.size, "f.scm", &map, &diag);
        if (!err) {
            opened++;
            wrong += sc_map_check(map, &diag) == SC_EMAP;
            if (opened % 8 == 0) use_all(map, &p, opened % 64 == 0);
            sc_map_free(map);
        } else {
            assert_int_equal(err, SC_EFORMAT);
        }
        scm_free(&forged);
    }
    check_case_done();
    // Else this test would prove nothing.
    assert_true(opened > 400 && wrong > 200);
    scm_free(&file);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_measures_out_of_range_are_refused),
    cmocka_unit_test(test_bytes_that_are_not_aligned_are_refused),
    SC_CASES(test_a_directory_that_is_not_the_canonical_one_is_refused),
    cmocka_unit_test(test_bytes_between_the_tables_are_refused),
    SC_CASES(test_counts_that_do_not_belong_together_are_refused),
    SC_CASES(test_every_index_out_of_range_is_refused),
    SC_CASES(test_every_list_that_does_not_ascend_is_refused),
    cmocka_unit_test(test_strings_without_an_end_are_refused),
    SC_CASES(test_a_forged_map_that_opens_is_safe_in_every_use),
};
SC_SUITE_WITH(tests, make_original, free_original)
