// Where a driver can be after so much time: as a slow search over nodes finds it, at any limit.
#include "attack/tracker_internal.h"

#include "slow_reach.h"

#include "support/check.h"
#include "support/odd_town.h"
#include "support/sketch.h"

#include "base/rng.h"

static sc__reach_search reach_on(const sc_map *map, double top_speed_m_s)
{
    sc__reach_search reach;
    CHECK_OK(sc__reach_init(&reach, map, top_speed_m_s, false), NULL);
    return reach;
}

static void find(sc__reach_search *reach, sc_seg_id from, uint64_t within_us)
{
    CHECK_OK(sc__reach_find(reach, from, within_us), NULL);
}

/** What is found is in a list without repetitions, and in the list is what is found. */
static void check_list(const sc__reach_search *reach)
{
    size_t marked = 0;
    for (sc_seg_id s = 0; s < sc_map_segment_count(reach->map); s++) {
        size_t listed = 0;
        for (size_t i = 0; i < reach->found_count; i++) {
            listed += reach->found[i] == s;
        }
        assert_int_equal(listed, sc__reach_has(reach, s));
        marked += sc__reach_has(reach, s);
    }
    assert_int_equal(marked, reach->found_count);
}

// --- As a slow search has it ---------------------------------------------------------------

/** A limit worth trying: often just enough for some segment, or just too little. */
static uint64_t draw_limit(const slow_reach *slow, sc_seg_id from, sc_rng *rng)
{
    const sc_seg_id to = sc_rng_below(rng, sc_map_segment_count(slow->map));
    const double us = slow_us(slow, from, to);
    const uint64_t exact = us < 1e18 ? (uint64_t)us : UINT64_MAX;
    switch (sc_rng_below(rng, 6)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return exact;
    case 3:
        return exact > 0 ? exact - 1 : 0;
    default:
        return (uint64_t)(sc_rng_unit(rng) * 2.0 * (us < 1e18 ? us : 1e9));
    }
}

// Lengths are whole thousandths or millionths: at a speed of 1 all times are whole microseconds,
// exactly, and so are ties.
static void test_at_a_constant_speed_all_within_the_limit_is_found_and_nothing_else(void **state)
{
    (void)state;
    int found_some = 0;
    int found_all = 0;
    for (uint64_t seed = 0; seed < 160; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        const uint32_t count = sc_map_segment_count(town.map);
        CHECK_SAME(fmod(1e6 * sc_map_unit_m(town.map), 1.0), 0.0);
        slow_reach slow = slow_reach_new(town.map, 1.0);
        sc__reach_search reach = reach_on(town.map, 1.0);
        for (int i = 0; i < 40; i++) {
            const sc_seg_id from = sc_rng_below(&town.rng, count);
            const uint64_t within_us = draw_limit(&slow, from, &town.rng);
            find(&reach, from, within_us);
            check_list(&reach);
            for (sc_seg_id to = 0; to < count; to++) {
                const double us = slow_us(&slow, from, to);
                const bool is_within = isfinite(us) && us <= (double)within_us;
                assert_int_equal(sc__reach_has(&reach, to), is_within);
            }
            for (size_t k = 1; k < reach.found_count; k++) {
                assert_true(slow_us(&slow, from, reach.found[k - 1]) <=
                            slow_us(&slow, from, reach.found[k]));
            }
            found_some += reach.found_count < count;
            found_all += reach.found_count == count;
        }
        sc__reach_fini(&reach);
        sc__reach_fini(&reach);  // harmless twice
        slow_reach_free(&slow);
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(found_some > 1000);
    assert_true(found_all > 1000);
}

/** Give all roads of a town a class at random. */
static sc_map *odd_roads(uint64_t seed)
{
    sketch s = sketch_odd(seed);
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    for (uint32_t e = 0; e < s.edge_count; e++) {
        s.edges[e].road_class = (sc_road_class)sc_rng_below(&rng, SC_ROAD_CLASS_COUNT);
    }
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

// Each segment is rounded down to a microsecond: so what is within reach is always found, and what
// is found is beyond it by less than a microsecond for each segment of the way, or by the last
// digit of a long one.
static void test_in_free_flow_each_road_is_driven_at_the_speed_of_its_class(void **state)
{
    (void)state;
    int out_of_reach = 0;
    int within_reach = 0;
    for (uint64_t seed = 0; seed < 160; seed++) {
        check_case(seed);
        sc_map *map = odd_roads(seed);
        const uint32_t count = sc_map_segment_count(map);
        slow_reach slow = slow_reach_new(map, 0);
        sc__reach_search reach = reach_on(map, 0);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        for (int i = 0; i < 40; i++) {
            const sc_seg_id from = sc_rng_below(&rng, count);
            const uint64_t within_us = draw_limit(&slow, from, &rng);
            const double beyond = (double)within_us * (1 + 1e-12) + count;
            find(&reach, from, within_us);
            check_list(&reach);
            for (sc_seg_id to = 0; to < count; to++) {
                const double us = slow_us(&slow, from, to);
                const bool has = sc__reach_has(&reach, to);
                if (us * (1 + 1e-12) <= (double)within_us) assert_true(has);
                if (!(us <= beyond)) assert_false(has);
                if (has) {
                    within_reach++;
                } else {
                    out_of_reach++;
                }
            }
        }
        sc__reach_fini(&reach);
        slow_reach_free(&slow);
        sc_map_free(map);
    }
    check_case_done();
    assert_true(within_reach > 1000);
    assert_true(out_of_reach > 1000);
}

// --- By hand -------------------------------------------------------------------------------

// Roads of 100 m: at 10 m/s each takes ten seconds. H-I has no intersection, and from J to K there
// are two roads, a ring.
//
//   A   B   C
//   |   |   |
//   D---E---F---G   H---I   J===K
//   |
//   L
static sketch draw_street(void)
{
    sketch s = sketch_draw(SC_COORDS_PLANAR,
                           "A   B   C\n"
                           "|   |   |\n"
                           "D---E---F---G   H---I   J---K\n"
                           "|\n"
                           "L\n",
                           "JK");
    for (uint32_t e = 0; e < s.edge_count; e++) {
        s.edges[e].length = 100.0;
    }
    return s;
}

static void test_time_is_counted_from_the_nearer_end_to_the_nearer_end(void **state)
{
    (void)state;
    sketch s = draw_street();
    sc_map *map = sketch_map(&s);
    sc__reach_search reach = reach_on(map, 10.0);
    const sc_seg_id de = segment_between(&s, map, 'D', 'E');
    const sc_seg_id ef = segment_between(&s, map, 'E', 'F');
    const sc_seg_id fg = segment_between(&s, map, 'F', 'G');
    const sc_seg_id ad = segment_between(&s, map, 'A', 'D');
    const sc_seg_id be = segment_between(&s, map, 'B', 'E');

    // Itself and what shares an end with it need no time: A-D, D-L, B-E, E-F.
    find(&reach, de, 0);
    assert_int_equal(reach.found_count, 5);
    assert_true(sc__reach_has(&reach, de) && sc__reach_has(&reach, ef));
    assert_true(sc__reach_has(&reach, ad) && sc__reach_has(&reach, be));
    // F-G is one road away: ten seconds and not a microsecond less.
    find(&reach, de, 9999999);
    assert_false(sc__reach_has(&reach, fg));
    find(&reach, de, 10000000);
    assert_true(sc__reach_has(&reach, fg));
    // From A-D it is two roads.
    find(&reach, ad, 19999999);
    assert_false(sc__reach_has(&reach, fg));
    find(&reach, ad, 20000000);
    assert_true(sc__reach_has(&reach, fg));

    sc__reach_fini(&reach);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_roads_that_are_not_connected_are_never_within_reach(void **state)
{
    (void)state;
    sketch s = draw_street();
    sc_map *map = sketch_map(&s);
    sc__reach_search reach = reach_on(map, 10.0);
    const sc_seg_id lone = segment_between(&s, map, 'H', 'I');
    const sc_seg_id de = segment_between(&s, map, 'D', 'E');

    find(&reach, lone, UINT64_MAX);
    assert_int_equal(reach.found_count, 1);
    assert_int_equal(reach.found[0], lone);
    // Seven roads on the street, one alone, and the ring.
    assert_int_equal(sc_map_segment_count(map), 9);
    find(&reach, de, UINT64_MAX);
    assert_int_equal(reach.found_count, 7);
    for (sc_seg_id ring = 0; ring < 9; ring++) {
        if (ring == lone || sc__reach_has(&reach, ring)) continue;
        find(&reach, ring, UINT64_MAX);
        assert_int_equal(reach.found_count, 1);
        assert_int_equal(reach.found[0], ring);
        break;
    }

    sc__reach_fini(&reach);
    sc_map_free(map);
    sketch_free(&s);
}

// Next to no speed, and nearly all there is: nothing is divided by nothing, nothing overflows.
static void test_the_slowest_stay_and_the_fastest_are_everywhere(void **state)
{
    (void)state;
    sketch s = draw_street();
    sc_map *map = sketch_map(&s);
    const sc_seg_id de = segment_between(&s, map, 'D', 'E');
    sc__reach_search slowest = reach_on(map, 5e-324);
    find(&slowest, de, UINT64_MAX);
    assert_int_equal(slowest.found_count, 5);
    sc__reach_search fastest = reach_on(map, 1e308);
    find(&fastest, de, 0);
    assert_int_equal(fastest.found_count, 7);
    sc__reach_fini(&slowest);
    sc__reach_fini(&fastest);
    sc_map_free(map);
    sketch_free(&s);
}

// --- What a search costs -------------------------------------------------------------------

static size_t count_stars(const sc__reach_search *reach)
{
    size_t count = 0;
    for (sc_star_id star = 0; star < sc_map_star_count(reach->map); star++) {
        count += reach->stars[star].search == reach->search;
    }
    return count;
}

static void test_a_search_leaves_the_rest_of_the_map_alone(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 60, 60);
    sc_map *map = sketch_map(&s);
    sc__reach_search reach = reach_on(map, 10.0);
    size_t largest = 0;
    for (sc_seg_id from = 0; from < sc_map_segment_count(map); from += 97) {
        // Two roads of ten seconds: at most 6 + 6 stars around either end.
        find(&reach, from, 20000000);
        assert_true(count_stars(&reach) <= 26);
        if (reach.found_count > largest) largest = reach.found_count;
    }
    assert_true(largest > 20);
    assert_true(reach.found_capacity < 128 && reach.queue.capacity < 128);
    sc__reach_fini(&reach);
    sc_map_free(map);
    sketch_free(&s);
}

// The numbers of searches start over some day; marks of the first ones are then still there.
static void test_marks_of_old_searches_are_not_believed_when_numbers_start_over(void **state)
{
    (void)state;
    sketch s = draw_street();
    sc_map *map = sketch_map(&s);
    sc__reach_search reach = reach_on(map, 10.0);
    const sc_seg_id de = segment_between(&s, map, 'D', 'E');
    find(&reach, de, UINT64_MAX);  // number 1 marks all seven
    reach.search = UINT32_MAX;
    find(&reach, de, 0);
    assert_int_equal(reach.search, 1);
    assert_int_equal(reach.found_count, 5);
    check_list(&reach);
    sc__reach_fini(&reach);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_at_a_constant_speed_all_within_the_limit_is_found_and_nothing_else),
    SC_CASES(test_in_free_flow_each_road_is_driven_at_the_speed_of_its_class),
    cmocka_unit_test(test_time_is_counted_from_the_nearer_end_to_the_nearer_end),
    cmocka_unit_test(test_roads_that_are_not_connected_are_never_within_reach),
    cmocka_unit_test(test_the_slowest_stay_and_the_fastest_are_everywhere),
    cmocka_unit_test(test_a_search_leaves_the_rest_of_the_map_alone),
    cmocka_unit_test(test_marks_of_old_searches_are_not_believed_when_numbers_start_over),
};
SC_SUITE(tests)
