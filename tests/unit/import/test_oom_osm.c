// Reading OpenStreetMap data while memory runs out: every allocation fails once, in
// turn. Nothing may leak (the sanitizer watches), and the error must say so.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "import/import_internal.h"
#include "support/check.h"
#include "support/pbf_write.h"

static const char xml[] =
    "<osm><node id='11' lat='1' lon='1'/><node id='12' lat='1' lon='1.1'>"
    "<tag k='shop' v='books'/><tag k='name' v='Page One'/></node><node id='13' lat='1.1' lon='1'/>"
    "<way id='21'><nd ref='11'/><nd ref='12'/><tag k='highway' v='road'/></way>"
    "<way id='20'><nd ref='13'/><nd ref='12'/><tag k='highway' v='road'/></way>"
    "<way id='22'><nd ref='11'/><nd ref='12'/><nd ref='13'/><nd ref='11'/>"
    "<tag k='leisure' v='park'/></way></osm>";

static pbf_bytes make_pbf(pbf_packing packing)
{
    pbf_bytes file = {0};
    pbf_block block = PBF_BLOCK;
    const pbf_node nodes[] = {
        {1, 10000000, 10000000, NULL},
        {2, 11000000, 10000000, PBF_TAGS("amenity", "cafe", "name", "Bean")},
        {3, 11000000, 11000000, NULL},
    };
    pbf_add_header(&file, packing, PBF_FEATURES("OsmSchema-V0.6"));
    pbf_add_dense_nodes(&block, nodes, 2);
    pbf_add_plain_node(&block, &nodes[2]);
    pbf_add_block(&file, packing, &block);
    pbf_add_way(&block, 5, (int64_t[]){1, 2, 3}, 3, PBF_TAGS("highway", "road"));
    pbf_add_way(&block, 4, (int64_t[]){3, 1}, 2, PBF_TAGS("highway", "road"));
    pbf_add_way(&block, 6, (int64_t[]){1, 2, 3, 1}, 4, PBF_TAGS("shop", "yes", "name", "Mall"));
    pbf_add_block(&file, packing, &block);
    return file;
}

static void assert_survives(const sc_input *inputs, size_t count, uint32_t edge_count)
{
    unsigned long n = 1;
    for (;; n++) {
        sc_import_report report = {0};
        sc_diag diag = {""};
        const sc_load load = {inputs, count, &SC_IMPORT_DEFAULTS, &report, &diag};
        sc_builder *builder = NULL;
        sc_alloc_fail_at(n);
        const sc_err err = sc__load_osm(&load, &builder);
        const bool has_failed = sc_alloc_has_failed();
        sc_alloc_fail_at(0);
        if (!has_failed) {
            assert_int_equal(err, SC_OK);
            assert_int_equal(sc_builder_edge_count(builder), edge_count);
            sc_builder_free(builder);
            break;
        }
        if (err != SC_ENOMEM) fail_msg("allocation %lu: %d %s", n, (int)err, diag.message);
        assert_null(builder);
        assert_non_null(strstr(diag.message, "out of memory"));
    }
    // So that the loop is known to have met the allocations there are.
    assert_true(n > 20);
}

static void test_pbf_with_zlib_survives_every_failing_allocation(void **state)
{
    (void)state;
    pbf_bytes file = make_pbf(PBF_ZLIB);
    assert_survives(&(sc_input){"a.pbf", file.data, file.size}, 1, 3);
    pbf_free(&file);
}

static void test_raw_pbf_survives_every_failing_allocation(void **state)
{
    (void)state;
    pbf_bytes file = make_pbf(PBF_RAW);
    assert_survives(&(sc_input){"a.pbf", file.data, file.size}, 1, 3);
    pbf_free(&file);
}

static void test_pbf_and_xml_together_survive_every_failing_allocation(void **state)
{
    (void)state;
    pbf_bytes file = make_pbf(PBF_ZLIB);
    const sc_input inputs[] = {{"a.pbf", file.data, file.size},
                               {"b.osm", (const uint8_t *)xml, strlen(xml)}};
    assert_survives(inputs, 2, 5);
    pbf_free(&file);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pbf_with_zlib_survives_every_failing_allocation),
    cmocka_unit_test(test_raw_pbf_survives_every_failing_allocation),
    cmocka_unit_test(test_pbf_and_xml_together_survive_every_failing_allocation),
};
SC_SUITE(tests)
