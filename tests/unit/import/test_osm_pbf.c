// What the OpenStreetMap reader refuses of pbf, and with which words: file, byte,
// field and value.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/check.h"
#include "support/osm_read.h"
#include "support/pbf_write.h"

// --- The frame --------------------------------------------------------

// The file header, which takes 19 bytes, and whatever blob the test adds.
static pbf_bytes file_with(const char *type, pbf_bytes *blob)
{
    pbf_bytes file = {0};
    pbf_add_header(&file, PBF_RAW, NULL);
    pbf_add_blob(&file, type, blob);
    return file;
}

static void assert_pbf_refused(pbf_bytes *file, sc_err err, const char *message)
{
    osm_assert_refused(osm_read_bytes(file->data, file->size, NULL), err, message);
    pbf_free(file);
}

static void test_a_bad_frame_is_refused(void **state)
{
    (void)state;
    pbf_bytes file = {0};
    pbf_put(&file, "\0\0", 2);
    assert_pbf_refused(
        &file, SC_EPARSE,
        "in.osm: byte 0: the file ends inside the size of a blob header: 2 of 4 bytes");

    pbf_put(&file, "\0\1\0\1rest", 8);
    assert_pbf_refused(&file, SC_ELIMIT,
                       "in.osm: byte 0: a blob header of 65537 bytes, more than the 65536 allowed");

    pbf_put(&file, "\0\0\0\x10rest", 8);
    assert_pbf_refused(&file, SC_EPARSE,
                       "in.osm: byte 0: the file ends inside a blob header: 4 of 16 bytes");

    pbf_put(&file, "\0\0\0\4rest", 8);
    assert_pbf_refused(&file, SC_EPARSE, "in.osm: byte 0: a blob header is damaged");

    pbf_put(&file, "\0\0\0\0", 4);
    assert_pbf_refused(&file, SC_EPARSE, "in.osm: byte 0: a blob header is damaged");

    pbf_bytes blob = {0};
    pbf_add_blob(&file, "OSMData", &blob);
    assert_pbf_refused(
        &file, SC_EPARSE,
        "in.osm: byte 0: not an OpenStreetMap pbf file: its first blob is 'OSMData', "
        "not 'OSMHeader'");

    pbf_put_blob_header(&file, "OSMHeader", 32 * 1024 * 1024 + 1);
    assert_pbf_refused(
        &file, SC_ELIMIT,
        "in.osm: byte 0: datasize of a blob out of range: 33554433 (at most 33554432)");

    pbf_put_blob_header(&file, "OSMHeader", (uint64_t)-1);
    assert_pbf_refused(&file, SC_ELIMIT,
                       "in.osm: byte 0: datasize of a blob out of range: -1 (at most 33554432)");

    pbf_put_blob_header(&file, "OSMHeader", 5);
    pbf_put(&file, "1234", 4);
    assert_pbf_refused(&file, SC_EPARSE,
                       "in.osm: byte 0: the file ends inside a blob: 4 of 5 bytes");

    pbf_add_header(&file, PBF_ZLIB, PBF_FEATURES("OsmSchema-V0.6", "HistoricalInformation"));
    assert_pbf_refused(
        &file, SC_EPARSE,
        "in.osm: byte 0: the file requires an unsupported feature: 'HistoricalInformation'");

    pbf_put_number(&blob, 1, 7);
    pbf_add_blob(&file, "OSMHeader", &blob);
    assert_pbf_refused(&file, SC_EPARSE, "in.osm: byte 0: a blob is damaged");
}

static void test_a_file_cut_anywhere_is_refused_or_lacks_roads(void **state)
{
    (void)state;
    pbf_bytes file = {0};
    pbf_block block = PBF_BLOCK;
    pbf_add_header(&file, PBF_ZLIB, PBF_FEATURES("OsmSchema-V0.6"));
    pbf_add_dense_nodes(&block, (pbf_node[]){{1, 1, 1, NULL}, {2, 1, 2, NULL}}, 2);
    pbf_add_way(&block, 5, (int64_t[]){1, 2}, 2, PBF_TAGS("highway", "road"));
    pbf_add_block(&file, PBF_ZLIB, &block);
    for (size_t size = 0; size < file.size; size++) {
        // A copy of that size, so that a sanitizer sees a byte read beyond it.
        uint8_t *cut = malloc(size + (size == 0));
        assert_non_null(cut);
        memcpy(cut, file.data, size);
        osm_result result = osm_read_bytes(cut, size, NULL);
        assert_int_equal(result.err, SC_EPARSE);
        assert_null(result.map);
        assert_memory_equal(result.diag.message, "in.osm: ", 8);
        free(cut);
    }
    pbf_free(&file);
}

static void test_a_bad_blob_is_refused(void **state)
{
    (void)state;
    pbf_bytes blob = {0};
    pbf_bytes file = file_with("OSMData", &blob);
    assert_pbf_refused(&file, SC_EPARSE, "in.osm: byte 19: a blob has no content");

    static const char *const packings[] = {"lzma", "bzip2", "lz4", "zstd"};
    for (unsigned i = 0; i < 4; i++) {
        char message[256];
        snprintf(message, sizeof message,
                 "in.osm: byte 19: a blob is compressed with %s; only zlib and uncompressed blobs "
                 "are supported",
                 packings[i]);
        pbf_put_number(&blob, 2, 100);
        pbf_put_text(&blob, 4 + i, "packed");
        file = file_with("OSMData", &blob);
        assert_pbf_refused(&file, SC_EPARSE, message);
    }

    pbf_put_text(&blob, 3, "x");
    file = file_with("OSMData", &blob);
    assert_pbf_refused(&file, SC_EPARSE,
                       "in.osm: byte 19: raw_size of a compressed blob is missing");

    pbf_put_number(&blob, 2, 32 * 1024 * 1024 + 1);
    pbf_put_text(&blob, 3, "x");
    file = file_with("OSMData", &blob);
    assert_pbf_refused(
        &file, SC_ELIMIT,
        "in.osm: byte 19: raw_size of a compressed blob out of range: 33554433 (at most 33554432)");

    pbf_put_number(&blob, 2, 10);
    pbf_put_text(&blob, 3, "this is not zlib");
    file = file_with("OSMData", &blob);
    assert_pbf_refused(
        &file, SC_EPARSE,
        "in.osm: byte 19: the zlib data of a blob are damaged: incorrect header check");
}

static void test_a_blob_must_unpack_to_the_size_it_claims(void **state)
{
    (void)state;
    // Twelve bytes that are a block: a field no one knows.
    pbf_bytes content = {0};
    pbf_put_text(&content, 99, "123456789");
    assert_int_equal(content.size, 12);
    for (uint64_t claimed = 11; claimed <= 13; claimed++) {
        pbf_bytes honest = pbf_blob_of(PBF_ZLIB, &content);
        pbf_bytes blob = {0};
        pbf_put_number(&blob, 2, claimed);
        pbf_put(&blob, honest.data + 2, honest.size - 2);
        pbf_free(&honest);
        pbf_bytes file = file_with("OSMData", &blob);
        assert_pbf_refused(
            &file, SC_EPARSE,
            claimed == 11 ? "in.osm: byte 19: a blob uncompresses to more than its raw_size of 11"
            : claimed == 13
                ? "in.osm: byte 19: a blob uncompresses to 12 bytes, not its raw_size of 13"
                : "in.osm: the file has no way with a highway tag");
    }

    // The zlib data cut short.
    pbf_bytes blob = {0};
    uint8_t packed[64];
    uLongf size = sizeof packed;
    assert_int_equal(compress(packed, &size, content.data, (uLong)content.size), Z_OK);
    pbf_put_number(&blob, 2, 12);
    pbf_put_part(&blob, 3, packed, size - 5);
    pbf_bytes file = file_with("OSMData", &blob);
    assert_pbf_refused(&file, SC_EPARSE, "in.osm: byte 19: the zlib data of a blob end too early");
    pbf_free(&content);
}

// --- Blocks -----------------------------------------------------------

// A file whose block is `content` (freed).
static pbf_bytes file_of_block(pbf_bytes *content)
{
    pbf_bytes blob = pbf_blob_of(PBF_ZLIB, content);
    pbf_free(content);
    return file_with("OSMData", &blob);
}

// A file whose only group has the one element (freed), beside a good road.
static pbf_bytes file_of_element(unsigned field, pbf_bytes *element)
{
    pbf_block block = PBF_BLOCK;
    pbf_add_dense_nodes(&block, (pbf_node[]){{1, 1, 1, NULL}, {2, 1, 2, NULL}}, 2);
    pbf_add_way(&block, 5, (int64_t[]){1, 2}, 2, PBF_TAGS("highway", "road"));
    pbf_put_group(&block, field, element);
    pbf_bytes content = pbf_finish_block(&block);
    return file_of_block(&content);
}

static void test_damaged_containers_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *message;
    } cases[] = {
        // A field's length beyond the end, a number that never ends, a wire type of old.
        {"\x12\x05", 2, "in.osm: byte 19: a block of elements is damaged"},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12,
         "in.osm: byte 19: a block of elements is damaged"},
        {"\x0b\x0c", 2, "in.osm: byte 19: a block of elements is damaged"},
        {"\x12\x02\x1a\x05", 4, "in.osm: byte 19: a group of elements is damaged"},
        {"\x12\x02\x1a\x00", 4, "in.osm: byte 19: a way is damaged"},
        // A way with one tag, and a string table that is cut.
        {"\x0a\x02\x0a\x05\x12\x0a\x1a\x08\x08\x01\x12\x01\x00\x1a\x01\x00", 16,
         "in.osm: byte 19: the string table of a block is damaged"},
        {"\x88\x01\x00", 3, "in.osm: byte 19: granularity of a block out of range: 0"},
        {"\x88\x01\x80\x80\x80\x80\x10", 7,
         "in.osm: byte 19: granularity of a block out of range: 4294967296"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pbf_bytes content = {0};
        pbf_put(&content, cases[i].bytes, cases[i].size);
        pbf_bytes file = file_of_block(&content);
        assert_pbf_refused(&file, SC_EPARSE, cases[i].message);
    }
}

static void test_bad_nodes_are_refused(void **state)
{
    (void)state;
    pbf_bytes node = {0};
    pbf_put_number(&node, 1, pbf_zigzag(7));
    pbf_bytes file = file_of_element(1, &node);
    assert_pbf_refused(&file, SC_EPARSE, "in.osm: byte 19: a node is damaged");

    static const struct {
        int64_t lat;
        int64_t lon;
        const char *message;
    } cases[] = {
        {900000001, 0, "in.osm: byte 19: node 7: latitude out of range: 90.0000001"},
        {-900000001, 0, "in.osm: byte 19: node 7: latitude out of range: -90.0000001"},
        {0, 1800000001, "in.osm: byte 19: node 7: longitude out of range: 180.0000001"},
        {0, INT64_MIN, "in.osm: byte 19: node 7: longitude out of range: -922337203685.4775391"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pbf_put_number(&node, 1, pbf_zigzag(7));
        pbf_put_number(&node, 8, pbf_zigzag(cases[i].lat));
        pbf_put_number(&node, 9, pbf_zigzag(cases[i].lon));
        file = file_of_element(1, &node);
        assert_pbf_refused(&file, SC_EPARSE, cases[i].message);
    }

    pbf_put_number(&node, 1, pbf_zigzag(7));
    pbf_put_number(&node, 8, 0);
    pbf_put_number(&node, 9, 0);
    pbf_put_part(&node, 2, "\1\2", 2);
    pbf_put_part(&node, 3, "\1", 1);
    file = file_of_element(1, &node);
    assert_pbf_refused(&file, SC_EPARSE, "in.osm: byte 19: node 7 has 2 tag keys but 1 tag values");

    // The table has three strings: "", "highway", "road".
    pbf_put_number(&node, 1, pbf_zigzag(7));
    pbf_put_number(&node, 8, 0);
    pbf_put_number(&node, 9, 0);
    pbf_put_part(&node, 2, "\1", 1);
    pbf_put_part(&node, 3, "\3", 1);
    file = file_of_element(1, &node);
    assert_pbf_refused(&file, SC_EPARSE,
                       "in.osm: byte 19: node 7: a tag refers to string 3, but the table has 3");
}

static void test_bad_dense_nodes_are_refused(void **state)
{
    (void)state;
    pbf_bytes dense = {0};
    pbf_put_deltas(&dense, 1, (int64_t[]){7, 8}, 2);
    pbf_put_deltas(&dense, 8, (int64_t[]){1, 1}, 2);
    pbf_put_deltas(&dense, 9, (int64_t[]){1}, 1);
    pbf_bytes file = file_of_element(2, &dense);
    assert_pbf_refused(&file, SC_EPARSE,
                       "in.osm: byte 19: dense nodes have 2 ids, 2 latitudes and 1 longitudes");

    pbf_put_part(&dense, 1, "\x80", 1);
    file = file_of_element(2, &dense);
    assert_pbf_refused(&file, SC_EPARSE, "in.osm: byte 19: a set of dense nodes is damaged");

    static const struct {
        const char *tags;
        size_t size;
        const char *message;
    } cases[] = {
        {"\1\2", 2, "in.osm: byte 19: node 7: the tags of dense nodes end too early"},
        {"\1", 1, "in.osm: byte 19: node 7: the tags of dense nodes end too early"},
        {"\0\1\2", 3, "in.osm: byte 19: node 8: the tags of dense nodes end too early"},
        {"\0", 1, "in.osm: byte 19: node 8: the tags of dense nodes end too early"},
        {"\1\3\0\0", 4, "in.osm: byte 19: node 7: a tag refers to string 3, but the table has 3"},
        {"\0\xff\xff\xff\xff\x0f\1\0", 8,
         "in.osm: byte 19: node 8: a tag refers to string 4294967295, but the table has 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pbf_put_deltas(&dense, 1, (int64_t[]){7, 8}, 2);
        pbf_put_deltas(&dense, 8, (int64_t[]){1, 1}, 2);
        pbf_put_deltas(&dense, 9, (int64_t[]){1, 1}, 2);
        pbf_put_part(&dense, 10, cases[i].tags, cases[i].size);
        file = file_of_element(2, &dense);
        assert_pbf_refused(&file, SC_EPARSE, cases[i].message);
    }

    // Two differences that no 64-bit id survives: 2^63 - 1 and again.
    pbf_bytes ids = {0};
    pbf_put_varint(&ids, pbf_zigzag(INT64_MAX));
    pbf_put_varint(&ids, pbf_zigzag(INT64_MAX));
    pbf_put_taken(&dense, 1, &ids);
    pbf_put_deltas(&dense, 8, (int64_t[]){1, 1}, 2);
    pbf_put_deltas(&dense, 9, (int64_t[]){1, 1}, 2);
    file = file_of_element(2, &dense);
    assert_pbf_refused(&file, SC_EPARSE,
                       "in.osm: byte 19: dense node number 2: id or coordinate out of range");
}

static void test_bad_ways_are_refused(void **state)
{
    (void)state;
    pbf_bytes way = {0};
    pbf_put_number(&way, 1, 9);
    pbf_put_part(&way, 2, "\1", 1);
    pbf_bytes file = file_of_element(3, &way);
    assert_pbf_refused(&file, SC_EPARSE, "in.osm: byte 19: way 9 has 1 tag keys but 0 tag values");

    pbf_put_number(&way, 1, 9);
    pbf_put_part(&way, 2, "\x7f", 1);
    pbf_put_part(&way, 3, "\1", 1);
    file = file_of_element(3, &way);
    assert_pbf_refused(&file, SC_EPARSE,
                       "in.osm: byte 19: way 9: a tag refers to string 127, but the table has 3");

    pbf_bytes refs = {0};
    pbf_put_varint(&refs, pbf_zigzag(INT64_MIN));
    pbf_put_varint(&refs, pbf_zigzag(-1));
    pbf_put_number(&way, 1, 9);
    pbf_put_part(&way, 2, "\1", 1);
    pbf_put_part(&way, 3, "\2", 1);
    pbf_put_taken(&way, 8, &refs);
    file = file_of_element(3, &way);
    assert_pbf_refused(&file, SC_EPARSE,
                       "in.osm: byte 19: way 9: id of its node number 2 out of range");

    pbf_put_number(&way, 1, 9);
    pbf_put_part(&way, 2, "\1", 1);
    pbf_put_part(&way, 3, "\2", 1);
    pbf_put_deltas(&way, 8, (int64_t[]){1, 4711}, 2);
    file = file_of_element(3, &way);
    assert_pbf_refused(&file, SC_EPARSE,
                       "in.osm: byte 19: way 9: node 4711 has no coordinates, since the file does "
                       "not have it; give --skip-missing-nodes to end roads there");
}

static void test_a_small_message_cannot_ask_for_much_memory(void **state)
{
    (void)state;
    // Four million empty unknown fields: 8 MB, but a gigabyte once unpacked.
    enum { COUNT = 4000000 };
    for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
        pbf_bytes way = {0};
        pbf_put_number(&way, 1, 9);
        if (one_by_one) pbf_put_number(&way, 8, pbf_zigzag(1));
        for (int i = 0; i < COUNT; i++) {
            pbf_put(&way, "\x7a\x00", 2);
        }
        pbf_bytes file = file_of_element(3, &way);
        assert_true(file.size < 100000);
        // Where references are packed, as usual, the way is read in place and asks for nothing.
        osm_result result = osm_read_bytes(file.data, file.size, NULL);
        if (one_by_one) {
            osm_assert_refused(
                result, SC_ELIMIT,
                "in.osm: byte 19: a way needs far more memory than its size justifies");
        } else {
            osm_assert_good(&result);
            osm_free(&result);
        }
        pbf_free(&file);
    }
}

// A column of differences, in fields of one number each or in one field for all.
static void put_column(pbf_bytes *out, unsigned field, const int64_t *steps, size_t count,
                       bool in_pieces)
{
    pbf_bytes column = {0};
    for (size_t i = 0; i < count; i++) {
        pbf_put_varint(&column, pbf_zigzag(steps[i]));
        if (in_pieces) pbf_put_taken(out, field, &column);
    }
    if (!in_pieces) pbf_put_taken(out, field, &column);
}

static void put_numbers(pbf_bytes *out, unsigned field, const uint64_t *numbers, size_t count,
                        bool in_pieces)
{
    pbf_bytes column = {0};
    for (size_t i = 0; i < count; i++) {
        pbf_put_varint(&column, numbers[i]);
        if (in_pieces) pbf_put_taken(out, field, &column);
    }
    if (!in_pieces) pbf_put_taken(out, field, &column);
}

// Each column of nodes and ways may come in one piece or in several: bits of `pieces` choose.
static pbf_bytes file_in_pieces(unsigned pieces)
{
    pbf_bytes file = {0};
    pbf_block block = PBF_BLOCK;
    const uint64_t highway = pbf_string(&block, "highway");
    const uint64_t road = pbf_string(&block, "road");
    const uint64_t shop = pbf_string(&block, "shop");
    const uint64_t yes = pbf_string(&block, "yes");
    const uint64_t oneway = pbf_string(&block, "oneway");
    pbf_bytes dense = {0};
    put_column(&dense, 1, (int64_t[]){5, 1, -3}, 3, pieces & 1);
    put_column(&dense, 8, (int64_t[]){436400000, 100, -300}, 3, pieces & 2);
    put_column(&dense, 9, (int64_t[]){74210000, 100, 300}, 3, pieces & 4);
    put_numbers(&dense, 10, (uint64_t[]){0, shop, yes, 0, 0}, 5, pieces & 8);
    pbf_put_group(&block, 2, &dense);
    pbf_bytes way = {0};
    pbf_put_number(&way, 1, 9);
    put_numbers(&way, 2, (uint64_t[]){highway, oneway}, 2, pieces & 16);
    put_numbers(&way, 3, (uint64_t[]){road, yes}, 2, pieces & 32);
    put_column(&way, 8, (int64_t[]){5, 1, -3}, 3, pieces & 64);
    pbf_put_group(&block, 3, &way);
    pbf_add_header(&file, PBF_RAW, NULL);
    pbf_add_block(&file, PBF_RAW, &block);
    return file;
}

static void test_columns_may_come_in_pieces(void **state)
{
    (void)state;
    uint64_t checksum = 0;
    for (unsigned pieces = 0; pieces < 128; pieces++) {
        pbf_bytes file = file_in_pieces(pieces);
        osm_result result = osm_read_bytes(file.data, file.size, NULL);
        osm_assert_good(&result);
        assert_int_equal(sc_map_edge_count(result.map), 2);
        assert_int_equal(sc_map_object_count(result.map), 1);
        if (pieces == 0) checksum = sc_map_checksum(result.map);
        assert_true(sc_map_checksum(result.map) == checksum);
        osm_free(&result);
        pbf_free(&file);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_bad_frame_is_refused),
    cmocka_unit_test(test_a_file_cut_anywhere_is_refused_or_lacks_roads),
    cmocka_unit_test(test_a_bad_blob_is_refused),
    cmocka_unit_test(test_a_blob_must_unpack_to_the_size_it_claims),
    cmocka_unit_test(test_damaged_containers_are_refused),
    cmocka_unit_test(test_bad_nodes_are_refused),
    cmocka_unit_test(test_bad_dense_nodes_are_refused),
    cmocka_unit_test(test_bad_ways_are_refused),
    cmocka_unit_test(test_a_small_message_cannot_ask_for_much_memory),
    cmocka_unit_test(test_columns_may_come_in_pieces),
};
SC_SUITE(tests)
