// Partitions in memory, as files, and the parts in reach of a query. Hops and reach are compared
// with plain searches from every star (starcloak/star.h, tested on its own).
#include "partition/partition_internal.h"

#include <starcloak/star.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/place.h"
#include "support/random_partition.h"
#include "support/sketch.h"

#include <stdio.h>
#include <xxhash.h>

// --- Homes, hops to the nearest star elsewhere, checksums ---------------------------------------

enum { ODD_MAPS = 1500 };

static uint32_t slow_hops_to_other(const sc_partition *partition, sc_ball *ball, sc_star_id star)
{
    size_t count = 0;
    const sc_star_id *stars = sc_ball_walk(ball, star, SC_NONE - 1, &count);
    for (size_t i = 0; i < count; i++) {
        if (sc_partition_part_of_star(partition, stars[i]) ==
            sc_partition_part_of_star(partition, star))
            continue;
        return sc_ball_hops(ball)[i] < 255 ? sc_ball_hops(ball)[i] : 255;
    }
    return 255;
}

static void check_hops(const sc_partition *partition)
{
    sc_ball *ball = NULL;
    CHECK_OK(sc_ball_new(sc_partition_map(partition), &ball), NULL);
    for (sc_star_id i = 0; i < sc_map_star_count(sc_partition_map(partition)); i++) {
        assert_int_equal(sc_partition_hops_to_other(partition, i),
                         slow_hops_to_other(partition, ball, i));
    }
    sc_ball_free(ball);
}

static void test_hops_to_another_part_are_those_of_a_plain_search(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        sc_partition *partition = random_partition(map, seed);
        check_hops(partition);
        sc_partition_free(partition);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

// A long street: star 0 is elsewhere, and the others are farther and farther away.
static void test_hops_are_told_up_to_254(void **state)
{
    (void)state;
    enum { STARS = 300 };
    sc_map *map = street_of(STARS);
    uint16_t parts[STARS] = {0};
    sc_ball *ball = NULL;
    size_t count = 0;
    CHECK_OK(sc_ball_new(map, &ball), NULL);
    sc_star_id end = 0;  // one that no star is farther from than STARS - 1 others
    do {
        sc_ball_walk(ball, end++, STARS, &count);
    } while (sc_ball_hops(ball)[STARS - 1] != STARS - 1);
    end--;
    parts[end] = 1;
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_new(map, parts, 2, &partition, NULL), NULL);
    for (sc_star_id i = 0; i < STARS; i++) {
        const uint32_t hops = i == end ? 1 : sc_ball_hops_of(ball, i);
        assert_int_equal(sc_partition_hops_to_other(partition, i), hops < 255 ? hops : 255);
    }
    sc_ball_free(ball);
    sc_partition_free(partition);
    sc_map_free(map);
}

static void test_the_home_of_a_segment_is_the_part_of_its_first_end(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_partition *partition = random_partition(map, 5);
    assert_ptr_equal(sc_partition_map(partition), map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        assert_int_equal(sc_partition_home(partition, s),
                         sc_partition_part_of_star(partition, sc_map_segments(map)[s].star_a));
    }
    sc_partition_free(partition);
    sc_map_free(map);
}

static void test_one_part_is_the_whole_map_and_has_no_other(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_whole(map, &partition, NULL), NULL);
    assert_int_equal(sc_partition_part_count(partition), 1);
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        assert_int_equal(sc_partition_part_of_star(partition, i), 0);
        assert_int_equal(sc_partition_hops_to_other(partition, i), 255);
    }
    sc_partition_free(partition);
    sc_partition_free(NULL);
    sc_map_free(map);
}

static uint64_t checksum_of(const sc_map *map, const uint16_t *part_of_star, uint32_t parts)
{
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_new(map, part_of_star, parts, &partition, NULL), NULL);
    const uint64_t checksum = sc_partition_checksum(partition);
    sc_partition_free(partition);
    return checksum;
}

static void test_partitions_that_differ_have_different_checksums(void **state)
{
    (void)state;
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    sketch other_grid = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    other_grid.edges[0].length += 1;
    sc_map *map = sketch_map(&grid);
    sc_map *other_map = sketch_map(&other_grid);
    uint16_t *parts = test_take(sc_map_star_count(map), sizeof *parts);
    const uint64_t checksum = checksum_of(map, parts, 3);
    assert_true(checksum == checksum_of(map, parts, 3));
    assert_true(checksum != checksum_of(map, parts, 4));
    assert_true(checksum != checksum_of(other_map, parts, 3));
    parts[sc_map_star_count(map) - 1] = 2;
    assert_true(checksum != checksum_of(map, parts, 3));
    free(parts);
    sc_map_free(map);
    sc_map_free(other_map);
    sketch_free(&grid);
    sketch_free(&other_grid);
}

static void test_parts_that_cannot_be_are_refused(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    uint16_t *parts = test_take(sc_map_star_count(map), sizeof *parts);
    sc_partition *partition = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_partition_new(map, parts, 0, &partition, &diag), SC_EINVAL, &diag,
                  "a partition of 0 parts; it has 1 to 4096");
    CHECK_REFUSED(sc_partition_new(map, parts, SC_PARTITION_PARTS_MAX + 1, &partition, &diag),
                  SC_EINVAL, &diag, "a partition of 4097 parts");
    parts[1] = 7;
    CHECK_REFUSED(sc_partition_new(map, parts, 7, &partition, &diag), SC_EINVAL, &diag,
                  "star 1 is in part 7 of a partition that has 7, from 0 on");
    assert_null(partition);
    CHECK_OK(sc_partition_new(map, parts, SC_PARTITION_PARTS_MAX, &partition, &diag), &diag);
    sc_partition_free(partition);
    free(parts);
    sc_map_free(map);
}

// --- Files: they read back, and damaged ones are refused ----------------------------------------

/** A file in memory that a test may damage. */
typedef struct bytes {
    sc_map *map;
    uint8_t *data;
    size_t size;
} bytes;

static bytes some_file(void)
{
    const place p = place_new();
    const char *path = place_path(&p, "a.partition");
    bytes b = {.map = full_map(SC_COORDS_PLANAR)};
    sc_partition *partition = random_partition(b.map, 4);
    assert_true(sc_partition_part_count(partition) > 1);
    CHECK_OK(sc_partition_write(partition, path, NULL), NULL);
    b.data = (uint8_t *)read_whole(path, &b.size);
    sc_partition_free(partition);
    place_free(&p);
    return b;
}

static void bytes_free(bytes *b)
{
    free(b->data);
    sc_map_free(b->map);
}

/** Make the hash right again, so that what stands before it is looked at. */
static void mend_hash(bytes *b)
{
    const uint64_t hash = XXH3_64bits(b->data, b->size - sizeof hash);
    memcpy(b->data + b->size - sizeof hash, &hash, sizeof hash);
}

static void check_refused_file(const bytes *b, size_t size, sc_err wanted, const char *part)
{
    uint8_t *copy = test_take(size, 1);  // of exactly that size: reading beyond is seen
    memcpy(copy, b->data, size);
    const sc_input input = {"a.partition", copy, size};
    sc_partition *partition = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc__partition_read_input(&input, b->map, &partition, &diag), wanted, &diag, part);
    CHECK_CONTAINS(diag.message, "a.partition: ");
    CHECK_CONTAINS(diag.message, "'starcloak partition'");
    assert_null(partition);
    free(copy);
}

static void test_a_partition_reads_back_as_it_was_written(void **state)
{
    (void)state;
    const place p = place_new();
    const char *path = place_path(&p, "a.partition");
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    for (uint64_t seed = 0; seed < 20; seed++) {
        sc_partition *partition = random_partition(map, seed);
        sc_partition *again = NULL;
        sc_diag diag = {""};
        CHECK_OK(sc_partition_write(partition, path, &diag), &diag);
        CHECK_OK(sc_partition_read(path, map, &again, &diag), &diag);
        assert_int_equal(sc_partition_part_count(again), sc_partition_part_count(partition));
        assert_true(sc_partition_checksum(again) == sc_partition_checksum(partition));
        for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
            assert_int_equal(sc_partition_part_of_star(again, i),
                             sc_partition_part_of_star(partition, i));
            assert_int_equal(sc_partition_hops_to_other(again, i),
                             sc_partition_hops_to_other(partition, i));
        }
        sc_partition_free(partition);
        sc_partition_free(again);
    }
    sc_map_free(map);
    place_free(&p);
}

// The bytes are a promise to other programs: SCCUT, a version, a checksum, two counts, the parts.
static void test_a_file_has_the_bytes_that_were_promised(void **state)
{
    (void)state;
    bytes b = some_file();
    const uint32_t star_count = sc_map_star_count(b.map);
    const uint64_t map_checksum = sc_map_checksum(b.map);
    assert_int_equal(b.size, 24 + 2 * star_count + 8);
    assert_memory_equal(b.data, "SCCUT\0\1\0", 8);
    assert_memory_equal(b.data + 8, &map_checksum, 8);
    assert_memory_equal(b.data + 16, &star_count, 4);
    sc_partition *partition = random_partition(b.map, 4);
    for (sc_star_id i = 0; i < star_count; i++) {
        assert_int_equal(b.data[24 + 2 * i], sc_partition_part_of_star(partition, i));
    }
    sc_partition_free(partition);
    bytes_free(&b);
}

static void test_a_file_that_is_cut_short_or_goes_on_is_refused(void **state)
{
    (void)state;
    bytes b = some_file();
    check_refused_file(&b, 0, SC_EPARSE, "is empty, and no partition of a map");
    for (size_t size = 1; size < b.size; size++) {
        check_refused_file(&b, size, SC_EPARSE,
                           size < 6 ? "not a partition of a map" : "damaged partition: ");
    }
    bytes longer = {b.map, test_take(b.size + 1, 1), b.size + 1};
    memcpy(longer.data, b.data, b.size);
    check_refused_file(&longer, longer.size, SC_EPARSE, "bytes long, and one of");
    free(longer.data);
    bytes_free(&b);
}

static void test_any_changed_bit_is_noticed(void **state)
{
    (void)state;
    bytes b = some_file();
    for (size_t i = 0; i < 8 * b.size; i++) {
        b.data[i / 8] ^= (uint8_t)(1 << i % 8);
        check_refused_file(&b, b.size, SC_EPARSE, "");
        b.data[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    bytes_free(&b);
}

static void test_numbers_behind_a_right_hash_are_looked_at_too(void **state)
{
    (void)state;
    const struct {
        size_t at;
        uint32_t value;
        size_t size;
        sc_err err;
        const char *part;
    } cases[] = {
        {6, 2, 2, SC_EPARSE, "partition of format version 2, this program reads version 1"},
        {8, 1, 4, SC_EMISMATCH, "this is a partition of the map with the checksum "},
        {16, 1, 4, SC_EPARSE, "and one of 1 stars has 34"},
        {16, UINT32_MAX, 4, SC_EPARSE, "and one of 4294967295 stars has 8589934622"},
        {20, 0, 4, SC_EPARSE, "damaged partition: a partition of 0 parts; it has 1 to 4096"},
        {20, 4097, 4, SC_EPARSE, "damaged partition: a partition of 4097 parts"},
        {24, 4096, 2, SC_EPARSE, "damaged partition: star 0 is in part 4096"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b = some_file();
        memcpy(b.data + cases[i].at, &cases[i].value, cases[i].size);
        mend_hash(&b);
        check_refused_file(&b, b.size, cases[i].err, cases[i].part);
        bytes_free(&b);
    }
}

// The checksum of this map, and yet another number of stars: only a forger writes that.
static void test_a_file_with_fewer_stars_than_its_map_is_refused(void **state)
{
    (void)state;
    bytes b = some_file();
    const uint32_t fewer = sc_map_star_count(b.map) - 1;
    memcpy(b.data + 16, &fewer, sizeof fewer);
    b.size -= sizeof(uint16_t);
    mend_hash(&b);
    check_refused_file(&b, b.size, SC_EPARSE, "not as many stars as its map");
    bytes_free(&b);
}

static void test_what_is_no_file_is_told_by_its_name(void **state)
{
    (void)state;
    const place p = place_new();
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_partition *partition = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_partition_read(place_path(&p, "none.partition"), map, &partition, &diag),
                  SC_EIO, &diag, "none.partition: cannot read: ");
    CHECK_REFUSED(sc_partition_read(p.path, map, &partition, &diag), SC_EIO, &diag,
                  "is a directory");
    const char *text =
        place_write_text(&p, "text.partition", "a line of text, longer than a header\n");
    CHECK_REFUSED(sc_partition_read(text, map, &partition, &diag), SC_EPARSE, &diag,
                  "is not a partition of a map");
    CHECK_OK(sc_partition_whole(map, &partition, NULL), NULL);
    CHECK_REFUSED(sc_partition_write(partition, place_path(&p, "no/such/folder.partition"), &diag),
                  SC_EIO, &diag, "folder.partition");
    sc_partition_free(partition);
    sc_map_free(map);
    place_free(&p);
}

// --- Reach: all stars within the hops, and one more, of either end ------------------------------

enum { REACH_MAPS = 800, MAX_HOPS = 6, MAX_PARTS = 6 };

static void mark_parts(const sc_partition *partition, sc_ball *ball, sc_star_id star,
                       uint32_t max_hops, bool *in_reach)
{
    size_t count = 0;
    const sc_star_id *stars = sc_ball_walk(ball, star, max_hops, &count);
    for (size_t i = 0; i < count; i++) {
        in_reach[sc_partition_part_of_star(partition, stars[i])] = true;
    }
}

static void check_reach(const sc_partition *partition, sc_ball *ball, sc_partition_walker *walker,
                        sc_seg_id segment, uint32_t max_hops)
{
    const sc_segment *s = &sc_map_segments(sc_partition_map(partition))[segment];
    const uint32_t far = max_hops < SC_NONE ? max_hops + 1 : max_hops;
    bool in_reach[MAX_PARTS] = {false};
    mark_parts(partition, ball, s->star_a, far, in_reach);
    if (s->star_b != SC_NONE) mark_parts(partition, ball, s->star_b, far, in_reach);

    size_t count = 0;
    const uint16_t *parts = sc_partition_reach(walker, segment, max_hops, &count);
    assert_true(count >= 1);
    assert_int_equal(parts[0], sc_partition_home(partition, segment));
    for (size_t i = 0; i < count; i++) {
        assert_true(in_reach[parts[i]]);
        in_reach[parts[i]] = false;  // each once
        if (i > 1) assert_true(parts[i - 1] < parts[i]);
    }
    for (uint32_t i = 0; i < MAX_PARTS; i++) {
        assert_false(in_reach[i]);
    }
    if (far < 255) {
        assert_int_equal(sc_partition_is_near(partition, segment, max_hops), count > 1);
    } else if (count > 1) {
        assert_true(sc_partition_is_near(partition, segment, max_hops));
    }
}

static void check_map(const sc_map *map, uint64_t seed)
{
    sc_partition *partition = random_partition(map, seed);
    sc_ball *ball = NULL;
    sc_partition_walker *walker = NULL;
    CHECK_OK(sc_ball_new(map, &ball), NULL);
    CHECK_OK(sc_partition_walker_new(partition, &walker), NULL);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        for (uint32_t hops = 0; hops <= MAX_HOPS; hops++) {
            check_reach(partition, ball, walker, s, hops);
        }
        check_reach(partition, ball, walker, s, SC_NONE);
    }
    sc_partition_walker_free(walker);
    sc_ball_free(ball);
    sc_partition_free(partition);
}

static void test_parts_in_reach_of_odd_maps_are_those_of_a_plain_search(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < REACH_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        check_map(map, seed);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_parts_in_reach_on_a_grid_are_those_of_a_plain_search(void **state)
{
    (void)state;
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 9, 9);
    sc_map *map = sketch_map(&grid);
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_case(seed);
        check_map(map, seed);
    }
    check_case_done();
    sc_map_free(map);
    sketch_free(&grid);
}

static void test_a_walk_goes_farther_than_a_byte_can_tell(void **state)
{
    (void)state;
    enum { STARS = 400 };
    sc_map *map = street_of(STARS);
    uint16_t parts[STARS] = {0};
    sc_ball *ball = NULL;
    sc_partition *partition = NULL;
    sc_partition_walker *walker = NULL;
    size_t count = 0;
    CHECK_OK(sc_ball_new(map, &ball), NULL);
    // A star at one end of the street is elsewhere: the last that is reached from any other.
    const sc_star_id end = sc_ball_walk(ball, 0, STARS, &count)[STARS - 1];
    parts[end] = 1;
    CHECK_OK(sc_partition_new(map, parts, 2, &partition, NULL), NULL);
    CHECK_OK(sc_partition_walker_new(partition, &walker), NULL);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s += 7) {
        for (uint32_t hops = 250; hops < 260; hops++) {
            check_reach(partition, ball, walker, s, hops);
        }
        check_reach(partition, ball, walker, s, STARS);
    }
    sc_partition_walker_free(walker);
    sc_partition_free(partition);
    sc_ball_free(ball);
    sc_map_free(map);
}

static void test_with_one_part_nothing_else_is_in_reach(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    sc_partition *partition = NULL;
    sc_partition_walker *walker = NULL;
    CHECK_OK(sc_partition_whole(map, &partition, NULL), NULL);
    CHECK_OK(sc_partition_walker_new(partition, &walker), NULL);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        size_t count = 0;
        assert_false(sc_partition_is_near(partition, s, SC_NONE));
        assert_int_equal(sc_partition_reach(walker, s, SC_NONE, &count)[0], 0);
        assert_int_equal(count, 1);
    }
    sc_partition_walker_free(walker);
    sc_partition_walker_free(NULL);
    sc_partition_free(partition);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_hops_to_another_part_are_those_of_a_plain_search),
    cmocka_unit_test(test_hops_are_told_up_to_254),
    cmocka_unit_test(test_the_home_of_a_segment_is_the_part_of_its_first_end),
    cmocka_unit_test(test_one_part_is_the_whole_map_and_has_no_other),
    cmocka_unit_test(test_partitions_that_differ_have_different_checksums),
    cmocka_unit_test(test_parts_that_cannot_be_are_refused),
    cmocka_unit_test(test_a_partition_reads_back_as_it_was_written),
    cmocka_unit_test(test_a_file_has_the_bytes_that_were_promised),
    cmocka_unit_test(test_a_file_that_is_cut_short_or_goes_on_is_refused),
    cmocka_unit_test(test_any_changed_bit_is_noticed),
    cmocka_unit_test(test_numbers_behind_a_right_hash_are_looked_at_too),
    cmocka_unit_test(test_a_file_with_fewer_stars_than_its_map_is_refused),
    cmocka_unit_test(test_what_is_no_file_is_told_by_its_name),
    SC_CASES(test_parts_in_reach_of_odd_maps_are_those_of_a_plain_search),
    SC_CASES(test_parts_in_reach_on_a_grid_are_those_of_a_plain_search),
    cmocka_unit_test(test_a_walk_goes_farther_than_a_byte_can_tell),
    cmocka_unit_test(test_with_one_part_nothing_else_is_in_reach),
};
SC_SUITE(tests)
