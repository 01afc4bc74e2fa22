// The reader of OpenStreetMap data as a whole: encodings, several files, progress,
// and the counts of real maps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/check.h"
#include "support/osm_read.h"
#include "support/osm_town.h"

// --- Encodings -------------------------------------------------------------

static void test_every_encoding_of_a_town_gives_the_same_map(void **state)
{
    (void)state;
    osm_result xml = osm_read_good(osm_town_xml, NULL);
    assert_int_equal(sc_map_node_count(xml.map), 4);
    assert_int_equal(sc_map_edge_count(xml.map), 3);
    assert_int_equal(sc_map_object_count(xml.map), 2);
    assert_int_equal(xml.report.ways_left_out, 1);

    for (unsigned kind = 0; kind < 16; kind++) {
        pbf_bytes file =
            osm_town_pbf(kind & 1 ? PBF_RAW : PBF_ZLIB, kind & 2, kind & 4 ? 10 : 1, kind & 8);
        osm_result pbf = osm_read_bytes(file.data, file.size, NULL);
        osm_assert_good(&pbf);
        assert_true(sc_map_checksum(pbf.map) == sc_map_checksum(xml.map));
        assert_int_equal(pbf.report.ways_left_out, 1);
        osm_free(&pbf);
        pbf_free(&file);
    }
    osm_free(&xml);
}

static void test_blobs_of_unknown_type_and_empty_blocks_are_skipped(void **state)
{
    (void)state;
    pbf_bytes town = osm_town_pbf(PBF_ZLIB, true, 1, false);
    osm_result expected = osm_read_bytes(town.data, town.size, NULL);
    osm_assert_good(&expected);

    pbf_bytes file = {0};
    pbf_bytes blob = {0};
    pbf_bytes empty = {0};
    pbf_add_header(&file, PBF_RAW, NULL);
    pbf_put_text(&blob, 1, "not a block at all");
    pbf_add_blob(&file, "OSMFuture", &blob);
    blob = pbf_blob_of(PBF_RAW, &empty);
    pbf_add_blob(&file, "OSMData", &blob);
    blob = pbf_blob_of(PBF_ZLIB, &empty);
    pbf_add_blob(&file, "OSMData", &blob);
    // A file may be several, one behind the other, each with its header.
    pbf_put(&file, town.data, town.size);
    osm_result result = osm_read_bytes(file.data, file.size, NULL);
    osm_assert_good(&result);
    assert_true(sc_map_checksum(result.map) == sc_map_checksum(expected.map));

    osm_free(&result);
    osm_free(&expected);
    pbf_free(&file);
    pbf_free(&town);
}

static void test_references_may_come_one_by_one_instead_of_packed(void **state)
{
    (void)state;
    pbf_bytes file = {0};
    pbf_bytes way = {0};
    pbf_block block = PBF_BLOCK;
    pbf_add_header(&file, PBF_RAW, NULL);
    pbf_add_dense_nodes(&block, osm_town_nodes, 3);
    pbf_put_number(&way, 1, 77);
    pbf_put_number(&way, 2, pbf_string(&block, "highway"));
    pbf_put_number(&way, 3, pbf_string(&block, "road"));
    for (int i = 0; i < 3; i++) {
        pbf_put_number(&way, 8, pbf_zigzag(1));
    }
    pbf_put_group(&block, 3, &way);
    pbf_add_block(&file, PBF_RAW, &block);
    osm_result result = osm_read_bytes(file.data, file.size, NULL);
    osm_assert_good(&result);
    assert_int_equal(sc_map_edge_count(result.map), 2);
    osm_free(&result);
    pbf_free(&file);
}

static void test_xml_may_begin_with_a_byte_order_mark_or_blanks(void **state)
{
    (void)state;
    osm_result expected = osm_read_good(osm_town_xml, NULL);
    char text[sizeof osm_town_xml + 8];

    snprintf(text, sizeof text, "\xef\xbb\xbf%s", osm_town_xml);
    osm_result result = osm_read_good(text, NULL);
    assert_true(sc_map_checksum(result.map) == sc_map_checksum(expected.map));
    osm_free(&result);

    // Blanks may not stand before the prolog, but before the first element.
    snprintf(text, sizeof text, "\n \t%s", strchr(osm_town_xml, '\n'));
    result = osm_read_good(text, NULL);
    assert_true(sc_map_checksum(result.map) == sc_map_checksum(expected.map));
    osm_free(&result);
    osm_free(&expected);
}

static void test_xml_may_be_utf_16(void **state)
{
    (void)state;
    osm_result expected = osm_read_good(osm_town_xml, NULL);
    // The prolog, which names UTF-8, is left out.
    const char *text = strchr(osm_town_xml, '\n');
    const size_t size = strlen(text);
    uint8_t *wide = malloc(2 * size + 2);
    assert_non_null(wide);
    for (int big_endian = 0; big_endian < 2; big_endian++) {
        memcpy(wide, big_endian ? "\xfe\xff" : "\xff\xfe", 2);
        for (size_t i = 0; i < size; i++) {
            wide[2 + 2 * i + (size_t)big_endian] = (uint8_t)text[i];
            wide[3 + 2 * i - (size_t)big_endian] = 0;
        }
        osm_result result = osm_read_bytes(wide, 2 * size + 2, NULL);
        osm_assert_good(&result);
        assert_true(sc_map_checksum(result.map) == sc_map_checksum(expected.map));
        osm_free(&result);
    }
    free(wide);
    osm_free(&expected);
}

static void test_fields_that_no_one_knows_are_skipped(void **state)
{
    (void)state;
    // Numbers of four and eight bytes, in the block and in a group.
    static const char unknown[] = "\xfd\x01"
                                  "1234"
                                  "\xf9\x01"
                                  "12345678";
    pbf_bytes file = {0};
    pbf_bytes way = {0};
    pbf_bytes group = {0};
    pbf_block block = PBF_BLOCK;
    pbf_add_header(&file, PBF_RAW, NULL);
    pbf_put(&block.groups, unknown, sizeof unknown - 1);
    pbf_add_dense_nodes(&block, osm_town_nodes, 3);
    pbf_put_number(&way, 1, 77);
    pbf_put_tags(&block, &way, PBF_TAGS("highway", "road"));
    pbf_put_deltas(&way, 8, (int64_t[]){1, 2, 3}, 3);
    pbf_put(&group, unknown, sizeof unknown - 1);
    pbf_put_taken(&group, 3, &way);
    pbf_put_number(&group, 3, 1);
    pbf_put_taken(&block.groups, 2, &group);
    pbf_add_block(&file, PBF_RAW, &block);
    osm_result result = osm_read_bytes(file.data, file.size, NULL);
    osm_assert_good(&result);
    assert_int_equal(sc_map_edge_count(result.map), 2);
    osm_free(&result);
    pbf_free(&file);
}

static void test_large_files_are_unpacked_twice(void **state)
{
    (void)state;
    // Three blocks of one node and 25 MB of nothing: more than the reader keeps
    // unpacked between its two passes.
    enum { PADDING = 25000000 };
    uint8_t *zeros = calloc(PADDING, 1);
    assert_non_null(zeros);
    pbf_bytes file = {0};
    pbf_block block = PBF_BLOCK;
    pbf_add_header(&file, PBF_ZLIB, NULL);
    for (size_t i = 0; i < 3; i++) {
        pbf_add_dense_nodes(&block, &osm_town_nodes[i], 1);
        pbf_put_part(&block.groups, 99, zeros, PADDING);
        pbf_add_block(&file, PBF_ZLIB, &block);
    }
    free(zeros);
    pbf_add_way(&block, 10, (int64_t[]){1, 2, 3}, 3, PBF_TAGS("highway", "road"));
    pbf_add_block(&file, PBF_ZLIB, &block);
    osm_result result = osm_read_bytes(file.data, file.size, NULL);
    osm_assert_good(&result);
    assert_int_equal(sc_map_edge_count(result.map), 2);
    osm_free(&result);
    pbf_free(&file);
}

// --- Several inputs --------------------------------------------------------

static void test_several_files_make_one_map_whatever_their_order(void **state)
{
    (void)state;
    // The second file brings a road of its own and repeats one of the town's.
    static const char more[] =
        "<osm><node id='4' lat='43.639' lon='7.422'/><node id='2' lat='43.64' lon='7.422'/>"
        "<node id='5' lat='43.6388' lon='7.4224'><tag k='amenity' v='cafe'/>"
        "<tag k='name' v='Chez Bob'/></node><node id='20' lat='43.638' lon='7.422'/>"
        "<way id='11'><tag k='highway' v='service'/><nd ref='2'/><nd ref='4'/></way>"
        "<way id='5'><tag k='highway' v='road'/><nd ref='4'/><nd ref='20'/></way></osm>";
    pbf_bytes town = osm_town_pbf(PBF_ZLIB, true, 1, false);
    const sc_input inputs[] = {
        {"town.osm.pbf", town.data, town.size},
        {"more.osm", (const uint8_t *)more, strlen(more)},
        {"town.osm", (const uint8_t *)osm_town_xml, strlen(osm_town_xml)},
        {"town.osm.pbf", town.data, town.size},
    };
    osm_result forward = osm_read(inputs, 2, &SC_IMPORT_DEFAULTS);
    osm_result backward = osm_read(inputs + 1, 3, &SC_IMPORT_DEFAULTS);
    osm_assert_good(&forward);
    osm_assert_good(&backward);
    assert_int_equal(sc_map_node_count(forward.map), 5);
    assert_int_equal(sc_map_edge_count(forward.map), 4);
    assert_int_equal(sc_map_object_count(forward.map), 2);
    assert_true(sc_map_checksum(forward.map) == sc_map_checksum(backward.map));
    osm_free(&forward);
    osm_free(&backward);
    pbf_free(&town);
}

// --- Progress --------------------------------------------------------------

static void note_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    uint64_t *last = context;
    assert_memory_equal(phase, "reading ", 8);
    assert_true(done <= total);
    assert_true(done >= *last || strcmp(phase, "reading nodes") == 0);
    *last = done;
}

static void test_progress_reaches_the_whole(void **state)
{
    (void)state;
    uint64_t last = 0;
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.progress = (sc_progress){note_progress, &last};
    pbf_bytes town = osm_town_pbf(PBF_ZLIB, true, 1, false);
    const sc_input inputs[] = {{"a.pbf", town.data, town.size}, {"b.pbf", town.data, town.size}};
    osm_result result = osm_read(inputs, 2, &options);
    osm_assert_good(&result);
    assert_int_equal(last, 2 * town.size);
    osm_free(&result);
    pbf_free(&town);
}

static void test_progress_is_told_while_xml_is_read(void **state)
{
    (void)state;
    // 70,000 elements: a report comes every 65,536.
    enum { COUNT = 70000 };
    static const char head[] =
        "<osm><node id='1' lat='1' lon='1'/><node id='2' lat='1' lon='2'/><way "
        "id='1'><nd ref='1'/><nd ref='2'/><tag k='highway' v='road'/></way>";
    pbf_bytes text = {0};
    pbf_put(&text, head, sizeof head - 1);
    for (int i = 0; i < COUNT; i++) {
        pbf_put(&text, "<x/>", 4);
    }
    pbf_put(&text, "</osm>", 6);
    uint64_t last = 0;
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.progress = (sc_progress){note_progress, &last};
    osm_result result = osm_read(&(sc_input){"in.osm", text.data, text.size}, 1, &options);
    osm_assert_good(&result);
    assert_true(last > text.size / 2 && last <= text.size);
    osm_free(&result);
    pbf_free(&text);
}

// --- Real data -------------------------------------------------------------

static void test_real_maps_have_the_counts_that_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *ways;
        uint32_t node_count;
        uint32_t edge_count;  ///< 0: not known
    } cases[] = {
        {"rnv.osm.pbf", "drivable", 164598, 177790},
        {"andorra.osm.pbf", "drivable", 26915, 27637},
        {"liechtenstein.osm.pbf", "drivable", 24216, 24922},
        {"baltimore.osm.pbf", "drivable", 13983, 16670},
        {"monaco.osm.pbf", "drivable", 5320, 5545},
        {"rnv.osm.pbf", "all", 164598, 177790},
        {"andorra.osm.pbf", "all", 107774, 0},
        {"liechtenstein.osm.pbf", "all", 73083, 0},
        {"baltimore.osm.pbf", "all", 16724, 0},
        {"monaco.osm.pbf", "all", 9271, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[4096];
        sc_file file = {0};
        sc_diag diag = {""};
        osm_data_path(path, sizeof path, cases[i].name);
        if (sc_file_open(path, &file, &diag) != SC_OK) skip();
        osm_result result =
            osm_read_as(file.input.data, file.input.size, SC_IMPORT_ANY, cases[i].ways);
        osm_assert_good(&result);
        assert_int_equal(sc_map_node_count(result.map), cases[i].node_count);
        if (cases[i].edge_count > 0) {
            assert_int_equal(sc_map_edge_count(result.map), cases[i].edge_count);
        }
        assert_int_equal(result.report.repeated_nodes, 0);
        assert_int_equal(result.report.missing_nodes, 0);
        osm_free(&result);
        sc_file_close(&file);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_encoding_of_a_town_gives_the_same_map),
    cmocka_unit_test(test_blobs_of_unknown_type_and_empty_blocks_are_skipped),
    cmocka_unit_test(test_references_may_come_one_by_one_instead_of_packed),
    cmocka_unit_test(test_xml_may_begin_with_a_byte_order_mark_or_blanks),
    cmocka_unit_test(test_xml_may_be_utf_16),
    cmocka_unit_test(test_fields_that_no_one_knows_are_skipped),
    cmocka_unit_test(test_large_files_are_unpacked_twice),
    cmocka_unit_test(test_several_files_make_one_map_whatever_their_order),
    cmocka_unit_test(test_progress_reaches_the_whole),
    cmocka_unit_test(test_progress_is_told_while_xml_is_read),
    cmocka_unit_test(test_real_maps_have_the_counts_that_are_known),
};
SC_SUITE(tests)
