// How many objects can be reached: as many as a plain search over all roads finds.
#include "answer/reply_bounds.h"

#include "support/check.h"
#include "support/odd_objects.h"
#include "support/odd_town.h"
#include "support/sketch.h"

// From every star of an odd map, islands, rings and single roads among them.
static void test_as_many_can_be_reached_as_a_search_finds(void **state)
{
    (void)state;
    enum { TOWNS = 200 };
    size_t partial = 0;
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        sc_object_counts census = {.components = NULL};
        CHECK_OK(sc__object_counts_init(&census, town.map), NULL);
        sc_request requests[3];
        const size_t count =
            odd_requests(town.map, sc_map_category_count(town.map), &town.rng, requests, 3);
        const uint32_t star_count = sc_map_star_count(town.map);
        for (sc_star_id star = 0; star < star_count; star += 1 + star_count / 8) {
            for (size_t r = 0; r < count; r++) {
                sc_request all = requests[r];
                all.type = SC_REQUEST_KNN;
                all.k = UINT32_MAX;
                slow_answer found =
                    slow_nearest_at_node(&town.slow, sc_map_stars(town.map)[star].node, &all);
                assert_int_equal(sc__object_counts_reachable(&census, star, &all),
                                 found.near_count);
                if (found.near_count < sc_map_object_count(town.map)) partial++;
                slow_answer_free(&found);
            }
        }
        sc__object_counts_fini(&census);
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(partial > TOWNS);
}

static void test_a_map_without_objects_has_none_to_reach(void **state)
{
    (void)state;
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A---B---C\n", "");
    sc_map *map = finish_builder(sketch_builder(&s));
    sc_object_counts census = {.components = NULL};
    CHECK_OK(sc__object_counts_init(&census, map), NULL);
    assert_null(census.components);
    const sc_request any = {.type = SC_REQUEST_KNN, .k = 1};
    assert_int_equal(sc__object_counts_reachable(&census, 0, &any), 0);
    sc__object_counts_fini(&census);
    sc__object_counts_fini(&census);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_as_many_can_be_reached_as_a_search_finds),
    cmocka_unit_test(test_a_map_without_objects_has_none_to_reach),
};
SC_SUITE(tests)
