// Streets and objects are found by their names, the best first; and the page that shows them.
#include "demo/place_search.h"

#include <starcloak/map_build.h>

#include "scene.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

// --- A street of names ---------------------------------------------------------------------------

static void add_road(sc_builder *builder, double y, double length, const char *name)
{
    sc_node_id ends[2];
    sc_edge_id edge = 0;
    CHECK_OK(sc_builder_add_node(builder, 0, y, &ends[0]), NULL);
    CHECK_OK(sc_builder_add_node(builder, length, y, &ends[1]), NULL);
    CHECK_OK(
        sc_builder_add_edge(builder, ends[0], ends[1], SC_LENGTH_FROM_NODES, SC_ROAD_LOCAL, &edge),
        NULL);
    CHECK_OK(sc_builder_set_edge_name(builder, edge, name, strlen(name)), NULL);
}

/** Roads one above the other, from y = 0 on, 10 apart; with an object in the middle of the first.
 */
static sc_map *town(void)
{
    static const struct {
        const char *name;
        double length;
    } roads[] = {
        {"Hauptstraße", 100}, {"Hauptstraße", 300}, {"Hauptstraße", 200}, {"Alte Hauptgasse", 100},
        {"Überhaupt", 100},   {"Haupt", 100},       {"ÄRMELWEG", 100},    {"", 100},
    };
    sc_builder *builder = NULL;
    CHECK_OK(sc_builder_new(SC_COORDS_PLANAR, &builder), NULL);
    for (size_t i = 0; i < sizeof roads / sizeof *roads; i++) {
        add_road(builder, (double)i * 10, roads[i].length, roads[i].name);
    }
    put_object(builder, 0, 0.5, "post_office", "Hauptpost");
    put_object(builder, 3, 0.25, "haupt_bar", "Zum \tBären");
    put_object(builder, 7, 0.5, "cafe", "");
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_builder_finish(builder, 100, NULL, &map, NULL, &diag), &diag);
    sc_builder_free(builder);
    return map;
}

typedef struct found {
    sc_place_hit hits[SC_PLACE_SEARCH_LIMIT_MAX];
    size_t count;
    bool more;
} found;

static found find(const sc_place_search *search, const char *text, size_t limit)
{
    found all;
    all.count = sc_place_search_find(search, text, strlen(text), limit, all.hits, &all.more);
    return all;
}

static const char *name_of(const sc_map *map, const sc_place_hit *hit)
{
    return hit->object == SC_NONE ? sc_map_segment_name(map, hit->segment)
                                  : sc_map_object_name(map, hit->object);
}

static void check_names(const sc_map *map, const sc_place_search *search, const char *text,
                        const char *const *wanted)
{
    const found all = find(search, text, SC_PLACE_SEARCH_LIMIT_MAX);
    size_t i = 0;
    for (; wanted[i]; i++) {
        assert_true(i < all.count);
        assert_string_equal(name_of(map, &all.hits[i]), wanted[i]);
    }
    assert_int_equal(all.count, i);
    assert_false(all.more);
}

#define CHECK_NAMES(text, ...) \
    check_names(map, search, text, (const char *const[]){__VA_ARGS__, NULL})

static void test_the_best_names_come_first(void **state)
{
    (void)state;
    sc_map *map = town();
    sc_place_search *search = NULL;
    CHECK_OK(sc_place_search_new(map, &search), NULL);
    CHECK_NAMES("haupt", "Haupt", "Hauptpost", "Hauptstraße", "Alte Hauptgasse", "Überhaupt",
                "Zum \tBären");
    CHECK_NAMES("HAUPTS", "Hauptstraße");
    CHECK_NAMES("e haupt", "Alte Hauptgasse");
    CHECK_NAMES("überH", "Überhaupt");
    CHECK_NAMES("ärmel", "ÄRMELWEG");
    CHECK_NAMES("ÄRM", "ÄRMELWEG");
    CHECK_NAMES("zum  b", "Zum \tBären");
    CHECK_NAMES("office", "Hauptpost");
    CHECK_NAMES("caf", "");
    check_names(map, search, "nowhere", (const char *const[]){NULL});
    // Not across the end of a name.
    check_names(map, search, "gasse\x1eüber", (const char *const[]){NULL});
    check_names(map, search, "post\x1f", (const char *const[]){NULL});
    sc_place_search_free(search);
    sc_map_free(map);
}

static void test_a_street_is_its_longest_segment(void **state)
{
    (void)state;
    sc_map *map = town();
    sc_place_search *search = NULL;
    CHECK_OK(sc_place_search_new(map, &search), NULL);
    const found all = find(search, "hauptstr", 5);
    assert_int_equal(all.count, 1);
    assert_int_equal(all.hits[0].object, SC_NONE);
    CHECK_CLOSE(sc_map_segment_length_m(map, all.hits[0].segment), 300, 0.01);
    sc_place_search_free(search);
    sc_map_free(map);
}

static void test_no_more_than_wanted_come_and_the_best_of_all(void **state)
{
    (void)state;
    sc_map *map = town();
    sc_place_search *search = NULL;
    CHECK_OK(sc_place_search_new(map, &search), NULL);
    const found all = find(search, "a", SC_PLACE_SEARCH_LIMIT_MAX);
    assert_false(all.more);
    for (size_t limit = 1; limit < all.count; limit++) {
        const found some = find(search, "a", limit);
        assert_true(some.more);
        assert_int_equal(some.count, limit);
        for (size_t i = 0; i < limit; i++) {
            assert_int_equal(some.hits[i].entry, all.hits[i].entry);
        }
    }
    sc_place_search_free(search);
    sc_map_free(map);
}

// Against a plain look at every name; of names without marks and other letters than ASCII's.
static void test_all_names_that_have_the_text_are_found(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_place_search *search = NULL;
    CHECK_OK(sc_place_search_new(map, &search), NULL);
    for (int c = 'a'; c <= 'z'; c++) {
        const char text[] = {(char)c, '\0'};
        size_t wanted = 0;
        for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
            const sc_object *object = &sc_map_objects(map)[i];
            wanted += strcasestr(sc_map_object_name(map, i), text) ||
                      strcasestr(sc_map_category_name(map, object->category), text);
        }
        const found all = find(search, text, SC_PLACE_SEARCH_LIMIT_MAX);
        size_t objects = 0;
        for (size_t i = 0; i < all.count; i++) {
            objects += all.hits[i].object != SC_NONE;
        }
        assert_int_equal(objects, wanted);
    }
    sc_place_search_free(search);
    sc_map_free(map);
}

static void test_a_search_that_cannot_be_prepared(void **state)
{
    (void)state;
    sc_map *map = town();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_place_search *search = NULL;
        const sc_err err = sc_place_search_new(map, &search);
        const bool happened = oom_happened();
        if (!happened) {
            CHECK_OK(err, NULL);
            sc_alloc_fail_at(1);
            const found none = find(search, "haupt", 5);
            sc_alloc_fail_at(0);
            assert_int_equal(none.count, 0);
            sc_place_search_free(search);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(search);
        failures++;
    }
    assert_true(failures > 3);
    sc_map_free(map);
}

// --- The page ------------------------------------------------------------------------------------

static void test_the_page_shows_where_they_are(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    scene_open(&on);
    json_t *page = ask_page(&on, "GET", "/demo/places?text=CAF&limit=2", NULL, 200);
    assert_int_equal(json_object_size(page), 2);
    assert_true(json_is_true(json_object_get(page, "more")));
    const json_t *places = json_object_get(page, "places");
    assert_int_equal(json_array_size(places), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *place = json_array_get(places, i);
        assert_string_equal(text_of(place, "kind"), "place");
        assert_string_equal(text_of(place, "category"), "cafe");
        assert_true(whole_of(place, "segment") < sc_map_segment_count(on.live.map));
        const json_t *position = json_object_get(place, "position");
        sc_snap road;
        CHECK_OK(sc_map_snap(on.live.map, number_of(position, "lon"), number_of(position, "lat"), 1,
                             &road),
                 NULL);
        assert_int_equal(road.segment, whole_of(place, "segment"));
    }
    json_decref(page);
    page = ask_page(&on, "GET", "/demo/places?limit=50&other=1&text=%63a%66e", NULL, 200);
    assert_true(json_array_size(json_object_get(page, "places")) > 2);
    json_decref(page);
    scene_close(&on);
}

static void test_questions_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "/demo/places",
        "/demo/places?text=",
        "/demo/places?text=%f",
        "/demo/places?text=%fx",
        "/demo/places?text=%ff",
        "/demo/places?text=a&limit=0",
        "/demo/places?text=a&limit=51",
        "/demo/places?text=a&limit=-1",
        "/demo/places?text=a&limit=",
        "/demo/places?text=a&limit=100000000000000000000",
    };
    scene on;
    scene_prepare(&on);
    scene_open(&on);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        json_t *problem = ask_page(&on, "GET", paths[i], NULL, 400);
        CHECK_CONTAINS(text_of(problem, "field"), "parameter ");
        json_decref(problem);
    }
    char path[200] = "/demo/places?text=";
    memset(path + strlen(path), 'a', SC_PLACE_SEARCH_TEXT_MAX);
    json_decref(ask_page(&on, "GET", path, NULL, 200));
    path[strlen(path)] = 'a';
    json_decref(ask_page(&on, "GET", path, NULL, 400));
    scene_close(&on);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_best_names_come_first),
    cmocka_unit_test(test_a_street_is_its_longest_segment),
    cmocka_unit_test(test_no_more_than_wanted_come_and_the_best_of_all),
    cmocka_unit_test(test_all_names_that_have_the_text_are_found),
    cmocka_unit_test(test_a_search_that_cannot_be_prepared),
    cmocka_unit_test(test_the_page_shows_where_they_are),
    cmocka_unit_test(test_questions_that_are_none_are_refused),
};
SC_SUITE(tests)
