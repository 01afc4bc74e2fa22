// Following a traveller from cloak to cloak, worked out by hand; and what is refused.
#include "tracking.h"

#include "slow_reach.h"

#include "support/sketch.h"

// --- By hand -------------------------------------------------------------------------------

/** A street of roads of 100 m, each of which takes ten seconds at 10 m/s. */
typedef struct street {
    sketch s;
    sc_map *map;
} street;

//    S   T   U   V   W   X   Y   Z
//    |   |   |   |   |   |   |   |
//  P-A---B---C---D---E---F---G---H-Q   I---J
static street street_new(void)
{
    street st = {.s = sketch_draw(SC_COORDS_PLANAR,
                                  "  S   T   U   V   W   X   Y   Z\n"
                                  "  |   |   |   |   |   |   |   |\n"
                                  "P-A---B---C---D---E---F---G---H-Q   I---J\n",
                                  "")};
    for (uint32_t e = 0; e < st.s.edge_count; e++) {
        st.s.edges[e].length = 100.0;
    }
    st.map = sketch_map(&st.s);
    return st;
}

static void street_free(street *st)
{
    sc_map_free(st->map);
    sketch_free(&st->s);
}

static sc_seg_id road(const street *st, const char *ends)
{
    return segment_between(&st->s, st->map, ends[0], ends[1]);
}

/** See a cloak of up to three roads, asked for at that second. */
static sc_posterior see_roads(sc_tracker *tracker, const street *st, const char *const roads[3],
                              double second)
{
    sc_seg_id segments[3];
    size_t count = 0;
    for (; count < 3 && roads[count]; count++) {
        segments[count] = road(st, roads[count]);
    }
    sc_sort_u32(segments, count);
    return see(tracker, segments, count, sc_time_from_seconds(second),
               sc_time_from_seconds(second));
}

#define ROADS(...) ((const char *const[3]){__VA_ARGS__})

// A traveller was on A-B or on G-H. Ten seconds later it is on B-C, D-E or F-G: D-E is too far from
// either. From A-B seven roads can be reached (those at A, B and C), from G-H as many; so B-C and
// F-G are as likely. Another ten seconds later it is on C-D or E-D... which only B-C leads to.
static void test_three_cloaks_leave_one_road(void **state)
{
    (void)state;
    street st = street_new();
    sc_tracker *tracker = tracker_on(st.map, NULL, 10.0);

    sc_posterior first = see_roads(tracker, &st, ROADS("AB", "GH"), 0);
    CHECK_CLOSE(link_of(&first, road(&st, "AB")), 0.5, 1e-12);
    CHECK_CLOSE(link_of(&first, road(&st, "GH")), 0.5, 1e-12);
    CHECK_CLOSE(first.effective, 2.0, 1e-12);

    sc_posterior second = see_roads(tracker, &st, ROADS("BC", "DE", "FG"), 10);
    CHECK_CLOSE(link_of(&second, road(&st, "BC")), 0.5, 1e-12);
    CHECK_SAME(link_of(&second, road(&st, "DE")), 0.0);
    CHECK_CLOSE(link_of(&second, road(&st, "FG")), 0.5, 1e-12);
    assert_int_equal(second.ruled_out, 1);

    sc_posterior third = see_roads(tracker, &st, ROADS("CD", "DV"), 15);
    CHECK_CLOSE(link_of(&third, road(&st, "CD")), 1.0, 1e-12);
    CHECK_SAME(link_of(&third, road(&st, "DV")), 0.0);
    CHECK_CLOSE(third.entropy, 0.0, 1e-12);
    CHECK_CLOSE(third.effective, 1.0, 1e-12);
    assert_false(first.is_unexplained || second.is_unexplained || third.is_unexplained);

    sc_posterior_fini(&first);
    sc_posterior_fini(&second);
    sc_posterior_fini(&third);
    sc_tracker_free(tracker);
    street_free(&st);
}

// From P-A ten seconds lead to the roads at A and B, five of them; from C-D to those at B, C, D and
// E, nine of them. A-B and B-C are within reach of both, D-E of C-D only. So from 1/2 each, A-B and
// B-C get 1/5 + 1/9 each and D-E gets 1/9, but for a common factor.
static void test_many_ways_from_a_place_make_each_less_likely(void **state)
{
    (void)state;
    street st = street_new();
    sc_tracker *tracker = tracker_on(st.map, NULL, 10.0);
    sc_posterior first = see_roads(tracker, &st, ROADS("PA", "CD"), 0);
    sc_posterior second = see_roads(tracker, &st, ROADS("AB", "BC", "DE"), 10);
    const double sum = 2 * (1.0 / 5 + 1.0 / 9) + 1.0 / 9;
    CHECK_CLOSE(link_of(&second, road(&st, "AB")), (1.0 / 5 + 1.0 / 9) / sum, 1e-12);
    CHECK_CLOSE(link_of(&second, road(&st, "BC")), (1.0 / 5 + 1.0 / 9) / sum, 1e-12);
    CHECK_CLOSE(link_of(&second, road(&st, "DE")), 1.0 / 9 / sum, 1e-12);
    sc_posterior_fini(&first);
    sc_posterior_fini(&second);
    sc_tracker_free(tracker);
    street_free(&st);
}

// It may have asked at any moment of its patience: so there is more time between two cloaks than
// between the moments at which they left, by the patience behind the first.
static void test_the_patience_behind_a_cloak_is_time_to_drive(void **state)
{
    (void)state;
    street st = street_new();
    sc_tracker *tracker = tracker_on(st.map, NULL, 10.0);
    const sc_seg_id start[] = {road(&st, "AB")};
    const sc_seg_id far[] = {road(&st, "EF")};  // three roads from B
    const struct {
        double patience_s;
        bool is_enough;
    } cases[] = {{0, false}, {19.9, false}, {20, true}, {60, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc_tracker_forget(tracker);
        const sc_time left = sc_time_from_seconds(100);
        const sc_time from = left - sc_time_from_seconds(cases[i].patience_s);
        sc_posterior first = see(tracker, start, 1, from, left);
        // The patience behind the second does not matter.
        sc_posterior second = see(tracker, far, 1, 0, left + sc_time_from_seconds(10));
        assert_int_equal(second.is_unexplained, !cases[i].is_enough);
        sc_posterior_fini(&first);
        sc_posterior_fini(&second);
    }
    sc_tracker_free(tracker);
    street_free(&st);
}

static void test_where_nothing_can_be_reached_it_starts_afresh(void **state)
{
    (void)state;
    street st = street_new();
    uint64_t counts[64] = {0};
    assert_true(sc_map_segment_count(st.map) <= 64);
    counts[road(&st, "GH")] = 2;  // with the one more, three times as busy as the others
    sc_density *density = NULL;
    CHECK_OK(sc_density_new_counted(st.map, counts, &density), NULL);
    sc_tracker *tracker = tracker_on(st.map, density, 10.0);

    sc_posterior posterior = see_roads(tracker, &st, ROADS("AB", "BC"), 0);
    assert_false(posterior.is_unexplained);
    sc_posterior_fini(&posterior);
    // In a second no traveller gets from one end of the street to the other.
    posterior = see_roads(tracker, &st, ROADS("FG", "GH"), 1);
    assert_true(posterior.is_unexplained);
    CHECK_CLOSE(link_of(&posterior, road(&st, "FG")), 0.25, 1e-12);
    CHECK_CLOSE(link_of(&posterior, road(&st, "GH")), 0.75, 1e-12);
    sc_posterior_fini(&posterior);
    // From here on it is followed again: H-Q is next to G-H, E-F next to F-G.
    posterior = see_roads(tracker, &st, ROADS("EF", "HQ", "AB"), 1);
    assert_false(posterior.is_unexplained);
    // At F and G there are five roads, one of them thrice as busy: 7; at G and H as well.
    CHECK_CLOSE(link_of(&posterior, road(&st, "EF")), 0.25, 1e-12);
    CHECK_CLOSE(link_of(&posterior, road(&st, "HQ")), 0.75, 1e-12);
    CHECK_SAME(link_of(&posterior, road(&st, "AB")), 0.0);
    sc_posterior_fini(&posterior);
    // Roads that are not connected take for ever.
    posterior = see_roads(tracker, &st, ROADS("IJ"), 1e6);
    assert_true(posterior.is_unexplained);
    CHECK_CLOSE(link_of(&posterior, road(&st, "IJ")), 1.0, 1e-12);
    sc_posterior_fini(&posterior);

    sc_tracker_free(tracker);
    sc_density_free(density);
    street_free(&st);
}

// --- Refused -------------------------------------------------------------------------------

static void test_bad_options_are_refused_with_a_reason(void **state)
{
    (void)state;
    street st = street_new();
    sketch other = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    sc_map *other_map = sketch_map(&other);
    sc_density *density = NULL;
    CHECK_OK(sc_density_new_uniform(other_map, &density), NULL);
    sc_tracker *tracker = NULL;
    sc_diag diag = {""};
    const double speeds[] = {-1.0, -1e-300, NOT_A_NUMBER, HUGE_VAL};
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        const sc_tracker_options options = {.top_speed_m_s = speeds[i]};
        CHECK_REFUSED(sc_tracker_new(st.map, &options, &tracker, &diag), SC_EINVAL, &diag,
                      "the top speed must be");
        assert_int_equal(sc_tracker_new(st.map, &options, &tracker, NULL), SC_EINVAL);
    }
    const sc_tracker_options options = {.density = density};
    CHECK_REFUSED(sc_tracker_new(st.map, &options, &tracker, &diag), SC_EINVAL, &diag,
                  "use a density of this map");
    assert_null(tracker);
    sc_tracker_free(NULL);
    sc_density_free(density);
    sc_map_free(other_map);
    sketch_free(&other);
    street_free(&st);
}

static void test_what_cannot_be_a_cloak_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    street st = street_new();
    sc_tracker *tracker = tracker_on(st.map, NULL, 10.0);
    const uint32_t segment_count = sc_map_segment_count(st.map);
    sc_posterior first = see_roads(tracker, &st, ROADS("AB", "GH"), 100);
    const sc_seg_id good[] = {0, 1};
    const sc_seg_id twice[] = {1, 1};
    const sc_seg_id falling[] = {1, 0};
    const sc_seg_id unknown[] = {0, segment_count};
    const sc_seg_id none[] = {SC_NONE};
    const sc_time t = sc_time_from_seconds(100);
    const struct {
        sc_tracked cloak;
        sc_err wanted;
    } cases[] = {
        {{NULL, 0, t, t, NULL}, SC_EINVAL},        {{twice, 2, t, t, NULL}, SC_EINVAL},
        {{falling, 2, t, t, NULL}, SC_EINVAL},     {{unknown, 2, t, t, NULL}, SC_EUNKNOWN},
        {{none, 1, t, t, NULL}, SC_EUNKNOWN},      {{good, 2, t - 1, t - 1, NULL}, SC_ETIME},
        {{good, 2, t + 2, t + 1, NULL}, SC_ETIME},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        sc_posterior posterior = {.replays = 4711};
        assert_int_equal(sc_tracker_see(tracker, &cases[i].cloak, &posterior), cases[i].wanted);
        assert_true(posterior.replays == 4711 && !posterior.links);
    }
    check_case_done();
    // As if nothing had been: D-E is out of reach of both.
    sc_posterior second = see_roads(tracker, &st, ROADS("BC", "DE", "FG"), 110);
    assert_int_equal(second.ruled_out, 1);
    CHECK_CLOSE(link_of(&second, road(&st, "BC")), 0.5, 1e-12);
    sc_posterior_fini(&first);
    sc_posterior_fini(&second);
    sc_tracker_free(tracker);
    street_free(&st);
}

// From the beginning to the end of time is more than a signed number holds; it is all the time in
// the world nevertheless.
static void test_all_the_time_in_the_world_is_enough(void **state)
{
    (void)state;
    street st = street_new();
    sc_tracker *tracker = tracker_on(st.map, NULL, 10.0);
    const sc_seg_id one_end[] = {road(&st, "PA")};
    const sc_seg_id other_end[] = {road(&st, "HQ")};
    sc_posterior first = see(tracker, one_end, 1, INT64_MIN, INT64_MIN);
    sc_posterior second = see(tracker, other_end, 1, INT64_MIN, INT64_MAX);
    assert_false(second.is_unexplained);
    sc_posterior_fini(&first);
    sc_posterior_fini(&second);
    sc_tracker_free(tracker);
    street_free(&st);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_three_cloaks_leave_one_road),
    cmocka_unit_test(test_many_ways_from_a_place_make_each_less_likely),
    cmocka_unit_test(test_the_patience_behind_a_cloak_is_time_to_drive),
    cmocka_unit_test(test_where_nothing_can_be_reached_it_starts_afresh),
    cmocka_unit_test(test_bad_options_are_refused_with_a_reason),
    SC_CASES(test_what_cannot_be_a_cloak_is_refused_and_changes_nothing),
    cmocka_unit_test(test_all_the_time_in_the_world_is_enough),
};
SC_SUITE(tests)
