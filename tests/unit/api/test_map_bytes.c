// The map as bytes: read back, it is the page of JSON, number for number.
#include "api/map_display.h"

#include "support/check.h"
#include "support/sketch.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- A reader, by the layout in map_display.h alone
// -------------------------------------------------

typedef struct reader {
    sc_bytes bytes;
    size_t at;
} reader;

static uint64_t little(const reader *r, size_t at, size_t size)
{
    assert_true(at + size <= r->bytes.size);
    uint64_t value = 0;
    for (size_t i = size; i > 0; i--) {
        value = value << 8 | r->bytes.data[at + i - 1];
    }
    return value;
}

static uint64_t whole(reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint64_t byte = little(r, r->at++, 1);
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    fail_msg("a number has no end");
    return 0;
}

static int64_t with_sign(reader *r)
{
    const uint64_t folded = whole(r);
    return folded % 2 ? -(int64_t)(folded / 2) - 1 : (int64_t)(folded / 2);
}

static reader reader_of(const sc_map *map)
{
    reader r = {.at = SC__MAP_BYTES_HEAD};
    assert_true(sc__map_bytes_write(map, &r.bytes));
    return r;
}

// --- Both ways
// ------------------------------------------------------------------------------------

/** Of each junction, in their order. */
typedef struct junction {
    uint64_t node;
    int64_t x;
    int64_t y;
} junction;

static json_int_t at(const json_t *array, size_t i)
{
    return json_integer_value(json_array_get(array, i));
}

static void check_head(const reader *r, const sc_map *map, const json_t *page)
{
    assert_memory_equal(r->bytes.data, "SCMD", 4);
    assert_int_equal(little(r, 8, 2), SC__MAP_BYTES_VERSION);
    assert_int_equal(little(r, 10, 1), sc_map_coords(map));
    assert_int_equal(little(r, 12, 4), json_integer_value(json_object_get(page, "nodes")));
    assert_int_equal(little(r, 16, 8), r->bytes.size);
    assert_int_equal(r->bytes.size % 4, 0);
    char checksum[17];
    snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)little(r, 24, 8));
    assert_string_equal(checksum, json_string_value(json_object_get(page, "checksum")));

    uint64_t check = 2166136261;
    for (size_t i = 8; i < r->bytes.size; i += 4) {
        check = ((check ^ little(r, i, 4)) * 16777619) % 0x100000000;
    }
    assert_int_equal(little(r, 4, 4), check);
}

static void check_bounds(const reader *r, const json_t *page)
{
    const double per_unit = pow(10.0, (double)little(r, 11, 1));
    CHECK_CLOSE(1.0 / per_unit, json_number_value(json_object_get(page, "unit")), 1e-15);
    const json_t *bounds = json_object_get(page, "bounds");
    for (size_t i = 0; i < 4; i++) {
        // The page has them in decimals; the nearest number to those is this quotient.
        const double side = (double)(int64_t)little(r, 32 + 8 * i, 8) / per_unit;
        CHECK_SAME(side, json_number_value(json_array_get(bounds, i)));
    }
}

static junction *read_junctions(reader *r)
{
    const size_t count = little(r, 64, 4);
    junction *junctions = calloc(count, sizeof *junctions);
    assert_non_null(junctions);
    uint64_t node = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t more = whole(r);
        assert_true(i == 0 || more > 0);
        junctions[i].node = node += more;
    }
    int64_t x = (int64_t)little(r, 32, 8);
    int64_t y = (int64_t)little(r, 40, 8);
    for (size_t i = 0; i < count; i++) {
        junctions[i].x = x += with_sign(r);
        junctions[i].y = y += with_sign(r);
    }
    return junctions;
}

static size_t *read_ends(reader *r)
{
    const size_t count = little(r, 68, 4);
    size_t *ends = calloc(2 * count, sizeof *ends);
    assert_non_null(ends);
    int64_t place = 0;
    for (size_t s = 0; s < count; s++) {
        ends[2 * s] = (size_t)(place += with_sign(r));
        ends[2 * s + 1] = (size_t)(place + with_sign(r));
    }
    for (size_t i = 0; i < 2 * count; i++) {
        assert_true(ends[i] < little(r, 64, 4));
    }
    return ends;
}

static void check_line(reader *points, const json_t *line, const junction *from, const junction *to)
{
    assert_int_equal(at(line, 0), from->x);
    assert_int_equal(at(line, 1), from->y);
    int64_t x = from->x;
    int64_t y = from->y;
    const size_t last = json_array_size(line) - 2;
    for (size_t i = 2; i < last; i += 2) {
        const int64_t dx = with_sign(points);
        const int64_t dy = with_sign(points);
        assert_int_equal(at(line, i), dx);
        assert_int_equal(at(line, i + 1), dy);
        x += dx;
        y += dy;
    }
    assert_int_equal(x + at(line, last), to->x);
    assert_int_equal(y + at(line, last + 1), to->y);
}

static void check_names(reader *r, const json_t *page)
{
    const json_t *names = json_object_get(page, "names");
    const json_t *name_of = json_object_get(page, "name_of");
    assert_int_equal(json_array_size(names), little(r, 76, 4));
    for (size_t s = 0; s < json_array_size(name_of); s++) {
        assert_int_equal(whole(r), at(name_of, s));
    }
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        assert_int_equal(whole(r), strlen(name));
        assert_memory_equal(r->bytes.data + r->at, name, strlen(name));
        r->at += strlen(name);
    }
}

static void check_columns(reader *r, const json_t *page)
{
    const json_t *lines = json_object_get(page, "segments");
    const json_t *nodes = json_object_get(page, "ends");
    const json_t *classes = json_object_get(page, "classes");
    const json_t *directions = json_object_get(page, "directions");
    const size_t count = little(r, 68, 4);
    assert_int_equal(json_array_size(lines), count);
    junction *junctions = read_junctions(r);
    size_t *ends = read_ends(r);
    size_t inner = 0;
    for (size_t s = 0; s < count; s++) {
        const uint64_t points = whole(r);
        assert_int_equal(2 * (points + 2), json_array_size(json_array_get(lines, s)));
        inner += points;
    }
    assert_int_equal(little(r, 72, 4), inner);
    for (size_t s = 0; s < count; s++) {
        const junction *from = &junctions[ends[2 * s]];
        const junction *to = &junctions[ends[2 * s + 1]];
        assert_int_equal(from->node, at(nodes, 2 * s));
        assert_int_equal(to->node, at(nodes, 2 * s + 1));
        check_line(r, json_array_get(lines, s), from, to);
    }
    for (size_t s = 0; s < count; s++) {
        assert_int_equal(little(r, r->at++, 1), at(classes, s) | at(directions, s) << 4);
    }
    check_names(r, page);
    free(junctions);
    free(ends);
}

static void check_both_ways(const sc_map *map)
{
    sc_bytes text = {0};
    assert_true(sc__map_json_write(map, &text));
    json_t *page = json_loadb((const char *)text.data, text.size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(page);
    sc_bytes_fini(&text);
    reader r = reader_of(map);
    check_head(&r, map, page);
    if (json_is_array(json_object_get(page, "bounds"))) {
        check_bounds(&r, page);
        check_columns(&r, page);
    } else {
        for (size_t i = 32; i < SC__MAP_BYTES_HEAD; i++) {
            assert_int_equal(r.bytes.data[i], 0);
        }
    }
    for (; r.at % 4 != 0; r.at++) {
        assert_int_equal(little(&r, r.at, 1), 0);
    }
    assert_int_equal(r.at, r.bytes.size);
    sc_bytes_fini(&r.bytes);
    json_decref(page);
}

// --- Maps
// -----------------------------------------------------------------------------------------

static void test_bytes_say_what_the_page_says(void **state)
{
    (void)state;
    unsigned kinds[3] = {0};
    for (uint64_t seed = 0; seed < 150; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        kinds[sc_map_coords(map)]++;
        check_both_ways(map);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
    for (size_t i = 0; i < 3; i++) {
        assert_true(kinds[i] > 10);  // all kinds of coordinates came up
    }
}

// Roads, objects, names; objects are not drawn, and do not matter.
static void test_a_full_map_is_the_same_too(void **state)
{
    (void)state;
    static const sc_coords kinds[] = {SC_COORDS_GEOGRAPHIC, SC_COORDS_PLANAR};
    for (size_t i = 0; i < 2; i++) {
        sc_map *map = full_map(kinds[i]);
        check_both_ways(map);
        sc_map_free(map);
    }
}

//     o             c     A curved road; and one apart, at the other end of the widest plane.
//    / \             \    .
//   a   b             d
static void test_numbers_may_be_small_and_large(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_PLANAR);
    const uint32_t a = sketch_add_node(&s, -9e7, -9e7);
    const uint32_t o = sketch_add_node(&s, -9e7 + 1, -9e7 + 1);
    const uint32_t b = sketch_add_node(&s, -9e7 + 2, -9e7);
    const uint32_t c = sketch_add_node(&s, 9e7, 9e7);
    const uint32_t d = sketch_add_node(&s, 9e7 + 1, 9e7 - 1);
    sketch_add_edge(&s, a, o, 2.0);
    sketch_add_edge(&s, o, b, 2.0);
    sketch_add_edge(&s, c, d, 2.0);
    sc_map *map = sketch_map(&s);
    assert_int_equal(sc_map_segment_count(map), 2);
    check_both_ways(map);
    sc_map_free(map);
    sketch_free(&s);
}

// Worked by hand, as an example for readers of these bytes, as in
// docs/ui.md.
static void test_a_small_map_byte_by_byte(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
    const uint32_t a = sketch_add_node(&s, 8.001, 49.998);
    const uint32_t o = sketch_add_node(&s, 8.001, 49.999);
    const uint32_t b = sketch_add_node(&s, 8.002, 49.999);
    sketch_add_edge(&s, a, o, 111.0);
    sketch_add_edge(&s, o, b, 71.0);
    sc_map *map = sketch_map(&s);
    reader r = reader_of(map);
    static const uint8_t columns[] = {
        0,                                   // the first junction is node 0
        2,                                   // the second is node 2
        0,    0,                             // in the south-west corner
        0xa0, 0x9c, 0x01, 0xa0, 0x9c, 0x01,  // 10,000 east and north of it
        0,    2,                             // a road from the first to the second
        1,                                   // with one point between
        0,    0xa0, 0x9c, 0x01,              // 10,000 north of its beginning
        0x36,                                // a local road, open both ways; it has no name
        0,    0,                             // up to a multiple of 4
    };
    assert_int_equal(r.bytes.size, SC__MAP_BYTES_HEAD + sizeof columns);
    assert_memory_equal(r.bytes.data + SC__MAP_BYTES_HEAD, columns, sizeof columns);
    sc_bytes_fini(&r.bytes);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_bytes_say_what_the_page_says),
    cmocka_unit_test(test_a_full_map_is_the_same_too),
    cmocka_unit_test(test_numbers_may_be_small_and_large),
    cmocka_unit_test(test_a_small_map_byte_by_byte),
};
SC_SUITE(tests)
