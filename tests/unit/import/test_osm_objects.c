// Which objects the OpenStreetMap reader finds, and what it says of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/check.h"
#include "support/osm_read.h"
#include "support/osm_town.h"

static sc_object_id find_object(const sc_map *map, const char *category)
{
    const sc_category_id id = sc_map_category_find(map, category);
    for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
        if (sc_map_objects(map)[i].category == id) return i;
    }
    fail_msg("no object of category %s", category);
    return SC_NONE;
}

static void test_objects_have_category_name_and_place(void **state)
{
    (void)state;
    osm_result result = osm_read_good(osm_town_xml, NULL);
    const sc_object_id cafe = find_object(result.map, "cafe");
    const sc_object_id park = find_object(result.map, "park");
    assert_string_equal(sc_map_object_name(result.map, cafe), "Chez Bob");
    assert_string_equal(sc_map_object_name(result.map, park), "");

    // The park's middle is at 7.4227, 43.6395; the nearest road passes north of it.
    const sc_object *object = &sc_map_objects(result.map)[park];
    double x = 0;
    double y = 0;
    sc_map_edge_position(result.map, object->edge, object->offset * sc_map_unit_m(result.map), &x,
                         &y);
    assert_true(fabs(x - 7.4227) < 1e-6 && fabs(y - 43.64) < 1e-6);
    osm_free(&result);
}

// One road, and the given elements.
static osm_result read_with_road(const char *elements, const char *ways)
{
    char xml[4096];
    snprintf(xml, sizeof xml,
             "<osm><node id='1' lat='1' lon='1'/><node id='2' lat='1' lon='1.01'/>"
             "<way id='1'><nd ref='1'/><nd ref='2'/><tag k='highway' v='road'/></way>%s</osm>",
             elements);
    return osm_read_good(xml, ways);
}

static void test_the_category_comes_from_the_tag_that_ranks_first(void **state)
{
    (void)state;
    static const struct {
        const char *tags;
        const char *category;  ///< NULL: no object
    } cases[] = {
        {"<tag k='amenity' v='hospital'/>", "hospital"},
        {"<tag k='tourism' v='hotel'/><tag k='amenity' v='restaurant'/>", "restaurant"},
        {"<tag k='amenity' v='restaurant'/><tag k='tourism' v='hotel'/>", "restaurant"},
        {"<tag k='shop' v='yes'/>", "shop"},
        {"<tag k='shop' v='books;music'/>", "books"},
        {"<tag k='shop' v=' books ; music'/>", "books"},
        {"<tag k='shop' v=';'/>", "shop"},
        {"<tag k='shop' v='no'/>", NULL},
        {"<tag k='shop' v=''/>", NULL},
        {"<tag k='shop' v='no'/><tag k='office' v='lawyer'/>", "lawyer"},
        {"<tag k='railway' v='station'/>", "station"},
        {"<tag k='railway' v='rail'/>", NULL},
        {"<tag k='railway' v='switch'/><tag k='healthcare' v='doctor'/>", "doctor"},
        {"<tag k='aeroway' v='aerodrome'/>", "aerodrome"},
        {"<tag k='aeroway' v='taxiway'/>", NULL},
        {"<tag k='public_transport' v='stop_position'/>", NULL},
        {"<tag k='building' v='yes'/><tag k='name' v='x'/>", NULL},
        {"<tag k='highway' v='crossing'/>", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char node[512];
        snprintf(node, sizeof node, "<node id='5' lat='1' lon='1'>%s</node>", cases[i].tags);
        osm_result result = read_with_road(node, NULL);
        assert_int_equal(sc_map_object_count(result.map), cases[i].category ? 1 : 0);
        if (cases[i].category) {
            assert_string_equal(sc_map_category_name(result.map, 0), cases[i].category);
        }
        osm_free(&result);
    }
}

static void test_ways_are_objects_only_when_closed_and_no_highway(void **state)
{
    (void)state;
    static const char corners[] =
        "<node id='3' lat='1' lon='1.002'/><node id='4' lat='1.001' lon='1'/>";
    static const struct {
        const char *way;
        uint32_t object_count;
    } cases[] = {
        {"<nd ref='1'/><nd ref='3'/><nd ref='4'/><nd ref='1'/><tag k='shop' v='x'/>", 1},
        {"<nd ref='1'/><nd ref='3'/><nd ref='4'/><tag k='shop' v='x'/>", 0},
        {"<nd ref='1'/><nd ref='3'/><nd ref='1'/><tag k='shop' v='x'/>", 0},
        {"<nd ref='1'/><nd ref='3'/><nd ref='4'/><nd ref='1'/>", 0},
        {"<nd ref='1'/><nd ref='3'/><nd ref='4'/><nd ref='1'/><tag k='shop' v='x'/>"
         "<tag k='highway' v='pedestrian'/>",
         0},
        {"<tag k='shop' v='x'/>", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char elements[1024];
        snprintf(elements, sizeof elements, "%s<way id='7'>%s</way>", corners, cases[i].way);
        osm_result result = read_with_road(elements, NULL);
        assert_int_equal(sc_map_object_count(result.map), cases[i].object_count);
        osm_free(&result);
    }
}

static void test_outlines_may_lack_nodes(void **state)
{
    (void)state;
    // Of the first outline one corner is there, of the second none.
    osm_result result = read_with_road("<way id='7'><nd ref='91'/><nd ref='2'/><nd ref='92'/><nd "
                                       "ref='91'/><tag k='shop' v='a'/></way>"
                                       "<way id='8'><nd ref='91'/><nd ref='93'/><nd ref='92'/><nd "
                                       "ref='91'/><tag k='shop' v='b'/></way>",
                                       NULL);
    assert_int_equal(sc_map_object_count(result.map), 1);
    assert_string_equal(sc_map_category_name(result.map, sc_map_objects(result.map)[0].category),
                        "a");
    assert_int_equal(result.report.objects_without_place, 1);
    osm_free(&result);
}

static void test_names_become_presentable(void **state)
{
    (void)state;
    pbf_bytes file = {0};
    pbf_block block = PBF_BLOCK;
    const pbf_node nodes[] = {
        {1, 10000000, 10000000,
         PBF_TAGS("shop", "bad\xff", "name", "caf\xe9 \xc3\xa9\n\x01\xc2\x9b\xc2\x80\xc2\xa0!")},
        {2, 10001000, 10000000, NULL},
    };
    pbf_add_header(&file, PBF_ZLIB, NULL);
    pbf_add_dense_nodes(&block, nodes, 2);
    pbf_add_way(&block, 1, (int64_t[]){1, 2}, 2, PBF_TAGS("highway", "road"));
    pbf_add_block(&file, PBF_ZLIB, &block);
    osm_result result = osm_read_bytes(file.data, file.size, NULL);
    osm_assert_good(&result);
    assert_string_equal(sc_map_category_name(result.map, 0), "bad\xef\xbf\xbd");
    assert_string_equal(sc_map_object_name(result.map, 0), "caf\xef\xbf\xbd \xc3\xa9    \xc2\xa0!");
    osm_free(&result);
    pbf_free(&file);
}

static void test_elements_of_dense_nodes_keep_their_own_tags(void **state)
{
    (void)state;
    // Tags of dense nodes are one long column; the untagged node between counts.
    pbf_bytes file = {0};
    pbf_block block = PBF_BLOCK;
    const pbf_node nodes[] = {
        {1, 10000000, 10000000, PBF_TAGS("shop", "first", "name", "A")},
        {2, 10100000, 10000000, NULL},
        {3, 10200000, 10000000, PBF_TAGS("name", "B", "shop", "third")},
    };
    pbf_add_header(&file, PBF_ZLIB, NULL);
    pbf_add_dense_nodes(&block, nodes, 3);
    pbf_add_way(&block, 1, (int64_t[]){1, 2, 3}, 3, PBF_TAGS("highway", "road"));
    pbf_add_block(&file, PBF_ZLIB, &block);
    osm_result result = osm_read_bytes(file.data, file.size, NULL);
    osm_assert_good(&result);
    assert_int_equal(sc_map_object_count(result.map), 2);
    const sc_object_id first = find_object(result.map, "first");
    const sc_object_id third = find_object(result.map, "third");
    assert_string_equal(sc_map_object_name(result.map, first), "A");
    assert_string_equal(sc_map_object_name(result.map, third), "B");
    osm_free(&result);
    pbf_free(&file);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_objects_have_category_name_and_place),
    cmocka_unit_test(test_the_category_comes_from_the_tag_that_ranks_first),
    cmocka_unit_test(test_ways_are_objects_only_when_closed_and_no_highway),
    cmocka_unit_test(test_outlines_may_lack_nodes),
    cmocka_unit_test(test_names_become_presentable),
    cmocka_unit_test(test_elements_of_dense_nodes_keep_their_own_tags),
};
SC_SUITE(tests)
