// Files of cuts: what is written reads back, and what is said about bad ones.
#include "partition/partition_internal.h"

#include "support/check.h"
#include "support/place.h"
#include "support/random_partition.h"
#include "support/sketch.h"

#include <stdio.h>
#include <xxhash.h>

/** A file in memory that a test may damage. */
typedef struct bytes {
    sc_map *map;
    uint8_t *data;
    size_t size;
} bytes;

static bytes some_file(void)
{
    const place p = place_new();
    const char *path = place_path(&p, "a.cut");
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
    const sc_input input = {"a.cut", copy, size};
    sc_partition *partition = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc__partition_read_input(&input, b->map, &partition, &diag), wanted, &diag, part);
    CHECK_CONTAINS(diag.message, "a.cut: ");
    CHECK_CONTAINS(diag.message, "'starcloak partition'");
    assert_null(partition);
    free(copy);
}

static void test_a_cut_reads_back_as_it_was_written(void **state)
{
    (void)state;
    const place p = place_new();
    const char *path = place_path(&p, "a.cut");
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
    check_refused_file(&b, 0, SC_EPARSE, "is empty, and no cut of a map");
    for (size_t size = 1; size < b.size; size++) {
        check_refused_file(&b, size, SC_EPARSE, size < 6 ? "not a cut of a map" : "damaged cut: ");
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
        {6, 2, 2, SC_EPARSE, "cut of format version 2, this program reads version 1"},
        {8, 1, 4, SC_EMISMATCH, "this is a cut of the map with the checksum "},
        {16, 1, 4, SC_EPARSE, "and one of 1 stars has 34"},
        {16, UINT32_MAX, 4, SC_EPARSE, "and one of 4294967295 stars has 8589934622"},
        {20, 0, 4, SC_EPARSE, "damaged cut: a cut of 0 parts; it has 1 to 4096"},
        {20, 4097, 4, SC_EPARSE, "damaged cut: a cut of 4097 parts"},
        {24, 4096, 2, SC_EPARSE, "damaged cut: star 0 is in part 4096"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b = some_file();
        memcpy(b.data + cases[i].at, &cases[i].value, cases[i].size);
        mend_hash(&b);
        check_refused_file(&b, b.size, cases[i].err, cases[i].part);
        bytes_free(&b);
    }
}

// The checksum of this map, and yet another number of stars: nobody but a forger writes that.
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
    CHECK_REFUSED(sc_partition_read(place_path(&p, "none.cut"), map, &partition, &diag), SC_EIO,
                  &diag, "none.cut: cannot read: ");
    CHECK_REFUSED(sc_partition_read(p.path, map, &partition, &diag), SC_EIO, &diag,
                  "is a directory");
    const char *text = place_write_text(&p, "text.cut", "a line of text, longer than a header\n");
    CHECK_REFUSED(sc_partition_read(text, map, &partition, &diag), SC_EPARSE, &diag,
                  "is not a cut of a map");
    CHECK_OK(sc_partition_whole(map, &partition, NULL), NULL);
    CHECK_REFUSED(sc_partition_write(partition, place_path(&p, "no/such/folder.cut"), &diag),
                  SC_EIO, &diag, "folder.cut");
    sc_partition_free(partition);
    sc_map_free(map);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_cut_reads_back_as_it_was_written),
    cmocka_unit_test(test_a_file_has_the_bytes_that_were_promised),
    cmocka_unit_test(test_a_file_that_is_cut_short_or_goes_on_is_refused),
    cmocka_unit_test(test_any_changed_bit_is_noticed),
    cmocka_unit_test(test_numbers_behind_a_right_hash_are_looked_at_too),
    cmocka_unit_test(test_a_file_with_fewer_stars_than_its_map_is_refused),
    cmocka_unit_test(test_what_is_no_file_is_told_by_its_name),
};
SC_SUITE(tests)
