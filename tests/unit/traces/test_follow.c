// Travellers who do as recorded ones did: where they are at which moment, by hand and at random.
#include "follow_town.h"

#include "support/metric.h"

// --- On the way -------------------------------------------------------------

// 300 m to B and 200 m towards E, in 100 s.
static void test_a_traveller_takes_the_way_at_an_even_pace_and_arrives_in_time(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_summary summary;
    sc_movement *m = follow(&t, "cab,0,100,0\ncab,100,400,200\n", NULL, &summary);
    assert_int_equal(m->count, 1);
    check_name(m, 0, "cab");
    check_there(m, 0, 0, 100, 0);
    check_there(m, 0, 30, 250, 0);
    check_there(m, 0, 60, 400, 0);
    check_there(m, 0, 80, 400, 100);
    check_there(m, 0, 100, 400, 200);
    check_away(m, 0, 100.000001, HUGE_VAL);
    check_away(m, 0, 1e6, HUGE_VAL);
    assert_int_equal(summary.fix_count, 2);
    assert_int_equal(summary.stretch_count, 1);
    assert_int_equal(summary.traveller_count, 1);
    assert_int_equal(summary.outside_count + summary.far_count, 0);
    assert_int_equal(summary.gap_count + summary.no_way_count, 0);
    CHECK_SAME(summary.seconds, 100.0);
    sc_movement_free(m);
    town_free(&t);
}

// From D to A, to the same segment the other way, and over three of them.
static void test_roads_are_driven_both_ways(void **state)
{
    (void)state;
    town t = town_new();
    sc_movement *m =
        follow(&t, "cab,0,950,0\ncab,10,850,0\ncab,20,900,0\ncab,100,100,0\n", NULL, NULL);
    check_there(m, 0, 5, 900, 0);
    check_there(m, 0, 10, 850, 0);
    check_there(m, 0, 15, 875, 0);
    check_there(m, 0, 40, 700, 0);
    check_there(m, 0, 50, 600, 0);
    check_there(m, 0, 95, 150, 0);
    sc_movement_free(m);
    town_free(&t);
}

// A loop of 200 m at P, with a spur: from 10 m into it to 10 m before its end one passes P.
//
//      R-----S
//      |     |
//   O--P-----Q      P-Q-S-R-P, 50 m each
static void test_a_way_may_leave_a_segment_and_come_back_to_it(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_PLANAR);
    const uint32_t o = sketch_add_node(&s, -50, 0);
    const uint32_t p = sketch_add_node(&s, 0, 0);
    const uint32_t q = sketch_add_node(&s, 50, 0);
    const uint32_t corner = sketch_add_node(&s, 50, 50);
    const uint32_t r = sketch_add_node(&s, 0, 50);
    sketch_add_edge(&s, o, p, 50);
    sketch_add_edge(&s, p, q, 50);
    sketch_add_edge(&s, q, corner, 50);
    sketch_add_edge(&s, corner, r, 50);
    sketch_add_edge(&s, r, p, 50);
    sketch_add_edge(&s, o, sketch_add_node(&s, -50, 50), 50);
    sketch_add_edge(&s, o, sketch_add_node(&s, -50, -50), 50);
    town t = town_of(&s);
    sc_movement *m =
        follow(&t, "cab,0,20,0\ncab,40,0,20\ncab,80,20,0\ncab,180,50,30\n", NULL, NULL);
    check_there(m, 0, 10, 10, 0);
    check_there(m, 0, 30, 0, 10);
    check_there(m, 0, 50, 0, 10);
    check_there(m, 0, 70, 10, 0);
    // Round two corners of the loop, without leaving it.
    check_there(m, 0, 80 + 50, 50, 0);
    sc_movement_free(m);
    town_free(&t);
}

static void test_standing_still_is_being_on_the_road(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_summary summary;
    sc_movement *m = follow(&t, "cab,5,100,0\ncab,65,100,0\ncab,125,100,0\n", NULL, &summary);
    // Recorded time begins with the first fix.
    check_there(m, 0, 0, 100, 0);
    check_there(m, 0, 31, 100, 0);
    check_there(m, 0, 120, 100, 0);
    assert_int_equal(summary.stretch_count, 2);
    sc_movement_free(m);
    town_free(&t);
}

static void test_travellers_come_when_their_fixes_begin(void **state)
{
    (void)state;
    town t = town_new();
    sc_movement *m = follow(&t,
                            "b,200,100,0\nb,210,150,0\n"
                            "a,100,0,0\na,110,50,0\n",
                            NULL, NULL);
    assert_int_equal(m->count, 2);
    check_name(m, 0, "a");
    check_name(m, 1, "b");
    check_there(m, 0, 2, 10, 0);
    check_away(m, 1, 2, 100);
    check_away(m, 1, 99.999999, 100);
    check_there(m, 1, 100, 100, 0);
    check_there(m, 1, 104, 120, 0);
    sc_movement_free(m);
    town_free(&t);
}

// --- Off the roads ----------------------------------------------------------

// The third is 90 m off and still snapped; the fourth 101 m off: as if it was not there.
static void test_a_fix_too_far_from_any_road_is_left_out(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_summary summary;
    sc_movement *m = follow(&t,
                            "cab,0,0,3\ncab,10,100,-3\ncab,20,200,90\ncab,25,250,101\n"
                            "cab,30,200,0\n",
                            NULL, &summary);
    assert_int_equal(summary.far_count, 1);
    assert_int_equal(summary.stretch_count, 3);
    check_there(m, 0, 5, 50, 0);
    check_there(m, 0, 20, 200, 0);
    check_there(m, 0, 25, 200, 0);
    sc_movement_free(m);

    sc_follow_options strict = sc_follow_options_default();
    strict.max_snap_m = 2;
    m = follow(&t, "cab,0,0,3\ncab,10,100,1\ncab,20,200,1\n", &strict, &summary);
    assert_int_equal(summary.far_count, 1);
    check_away(m, 0, 9, 10);
    check_there(m, 0, 15, 150, 0);
    sc_movement_free(m);
    town_free(&t);
}

static void test_fixes_too_far_apart_in_time_have_nothing_between_them(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_summary summary;
    sc_movement *m = follow(&t,
                            "cab,0,0,0\ncab,100,100,0\ncab,400,200,0\n"
                            "cab,700.000001,300,0\ncab,710,350,0\n",
                            NULL, &summary);
    assert_int_equal(summary.stretch_count, 3);
    assert_int_equal(summary.gap_count, 1);
    // 300 s are allowed, and a microsecond more is not.
    check_there(m, 0, 250, 150, 0);
    check_there(m, 0, 400, 200, 0);
    check_away(m, 0, 400.000001, 700.000001);
    check_away(m, 0, 700, 700.000001);
    check_there(m, 0, 700.000001, 300, 0);
    check_there(m, 0, 710, 350, 0);
    sc_movement_free(m);
    town_free(&t);
}

// A lone fix in a gap is no moment on the road, though it lies on one.
static void test_a_fix_with_gaps_on_both_sides_is_passed_over(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_summary summary;
    sc_movement *m = follow(&t,
                            "cab,0,0,0\ncab,10,100,0\ncab,1000,200,0\ncab,2000,300,0\n"
                            "cab,2010,350,0\n",
                            NULL, &summary);
    assert_int_equal(summary.gap_count, 2);
    check_away(m, 0, 500, 2000);
    check_away(m, 0, 1000, 2000);
    check_there(m, 0, 2000, 300, 0);
    sc_movement_free(m);
    town_free(&t);
}

// To the island, and back; then 700 m in 11 s, which is too fast, and in 12 s, which is not.
static void test_where_there_is_no_way_or_only_a_race_one_is_off_the_roads(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_summary summary;
    sc_movement *m = follow(&t,
                            "cab,0,0,0\ncab,10,100,0\ncab,100,100,2000\ncab,110,150,2000\n"
                            "cab,200,0,0\ncab,211,700,0\ncab,223,0,0\n",
                            NULL, &summary);
    assert_int_equal(summary.stretch_count, 3);
    assert_int_equal(summary.no_way_count, 3);
    check_there(m, 0, 10, 100, 0);
    check_away(m, 0, 11, 100);
    check_there(m, 0, 105, 125, 2000);
    check_there(m, 0, 110, 150, 2000);
    check_away(m, 0, 111, 211);
    check_away(m, 0, 200, 211);
    check_there(m, 0, 211, 700, 0);
    check_there(m, 0, 217, 350, 0);
    sc_movement_free(m);
    town_free(&t);
}

// Both drive the same way; what is slow enough for one is a race for the other.
static void test_a_race_is_one_even_where_another_took_its_time(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_summary summary;
    sc_movement *m = follow(&t,
                            "a,0,0,0\na,100,700,0\n"
                            "b,0,0,0\nb,11,700,0\nb,23,0,0\n",
                            NULL, &summary);
    assert_int_equal(summary.no_way_count, 1);
    check_there(m, 0, 10, 70, 0);
    check_away(m, 1, 10, 11);
    sc_movement_free(m);
    town_free(&t);
}

static void test_fixes_less_than_a_microsecond_apart_are_one(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_summary summary;
    sc_movement *m = follow(&t, "cab,0,0,0\ncab,0.0000001,10,0\ncab,10,100,0\n", NULL, &summary);
    assert_int_equal(summary.stretch_count, 1);
    assert_int_equal(summary.no_way_count, 0);
    check_there(m, 0, 5, 50, 0);
    sc_movement_free(m);
    town_free(&t);
}

// --- From the start to the end ----------------------------------------------

static void test_a_stretch_across_the_start_or_the_end_is_followed_in_part(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_options options = sc_follow_options_default();
    options.has_start = true;
    options.start_s = 1050;
    options.end_s = 1250;
    sc_follow_summary summary;
    sc_movement *m = follow(&t,
                            "cab,900,100,0\ncab,1000,0,0\ncab,1049,0,999\ncab,1100,100,0\n"
                            "cab,1200,200,0\ncab,1300,300,0\ncab,1400,350,0\n",
                            &options, &summary);
    assert_int_equal(summary.fix_count, 7);
    assert_int_equal(summary.outside_count, 5);
    assert_int_equal(summary.far_count, 0);
    assert_int_equal(summary.stretch_count, 3);
    CHECK_SAME(summary.seconds, 200.0);
    check_there(m, 0, 0, 50, 0);
    check_there(m, 0, 50, 100, 0);
    check_there(m, 0, 200, 250, 0);
    check_away(m, 0, 200.000001, HUGE_VAL);
    sc_movement_free(m);
    town_free(&t);
}

static void test_who_has_no_fix_from_the_start_to_the_end_may_yet_be_on_its_way(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_options options = sc_follow_options_default();
    options.has_start = true;
    options.start_s = 20;
    options.end_s = 40;
    sc_follow_summary summary;
    sc_movement *m = follow(&t,
                            "early,0,0,0\nearly,20,100,0\n"
                            "late,40,0,0\nlate,80,100,0\n"
                            "on,0,0,0\non,100,100,0\n",
                            &options, &summary);
    assert_int_equal(m->count, 1);
    check_name(m, 0, "on");
    check_there(m, 0, 10, 30, 0);
    // Of "early" only the moment of its arrival lies inside.
    assert_int_equal(summary.outside_count, 5);
    sc_movement_free(m);
    town_free(&t);
}

// The first fix does not count, so the gap behind it does not either.
static void test_a_gap_across_the_start_has_no_traveller(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_options options = sc_follow_options_default();
    options.has_start = true;
    options.start_s = 100;
    options.max_gap_s = 50;
    sc_follow_summary summary;
    sc_movement *m = follow(&t, "cab,60,0,0\ncab,111,100,0\ncab,121,200,0\n", &options, &summary);
    assert_int_equal(summary.gap_count, 0);
    check_away(m, 0, 0, 11);
    sc_movement_free(m);
    town_free(&t);
}

// The first fix may be anywhere in time; what lies beyond all calendars does not count.
// a drives at once, b after 20 s; both have left the roads after 30.
static void test_what_is_repeated_begins_again_when_all_have_left(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_options options = sc_follow_options_default();
    options.repeats = true;
    sc_follow_summary summary;
    sc_movement *m = follow(&t,
                            "a,0,100,0\na,10,200,0\n"
                            "b,20,300,0\nb,30,200,0\n",
                            &options, &summary);
    CHECK_SAME(summary.seconds, 30.0);
    const double period = 30.000001;
    for (int lap = 0; lap < 3; lap++) {
        check_there(m, 0, lap * period, 100, 0);
        check_there(m, 0, lap * period + 5, 150, 0);
        check_there(m, 0, lap * period + 10, 200, 0);
        check_away(m, 0, lap * period + 10.5, (lap + 1) * period);
        check_away(m, 1, lap * period + 3, lap * period + 20);
        check_there(m, 1, lap * period + 25, 250, 0);
        check_there(m, 1, lap * period + 30, 200, 0);
    }
    // Laps may be left out.
    check_there(m, 0, 1000 * period + 5, 150, 0);
    check_away(m, 1, 1000 * period + 5, 1000 * period + 20);
    sc_movement_free(m);
    town_free(&t);
}

// A way that crosses the start of recorded time is on the road at the beginning of each lap.
static void test_what_is_repeated_may_begin_on_the_way(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_options options = sc_follow_options_default();
    options.repeats = true;
    options.has_start = true;
    options.start_s = 5;
    sc_movement *m = follow(&t,
                            "a,0,100,0\na,10,200,0\n"
                            "b,20,300,0\nb,30,200,0\n",
                            &options, NULL);
    check_there(m, 0, 0, 150, 0);
    check_away(m, 0, 6, 25.000001);
    check_there(m, 0, 25.000001, 150, 0);
    sc_movement_free(m);
    town_free(&t);
}

static void test_times_far_from_now_are_fine(void **state)
{
    (void)state;
    town t = town_new();
    sc_movement *m = follow(&t, "cab,-1e11,0,0\ncab,-99999999900,100,0\n", NULL, NULL);
    check_there(m, 0, 50, 50, 0);
    sc_movement_free(m);
    m = follow(&t, "cab,0,0,0\ncab,100,100,0\ncab,1e15,200,0\n", NULL, NULL);
    check_there(m, 0, 50, 50, 0);
    check_away(m, 0, 101, HUGE_VAL);
    sc_movement_free(m);
    town_free(&t);
}

// --- At random --------------------------------------------------------------

static road_place place_m(const sc_map *map, sc_place place)
{
    return (road_place){place.edge, place.offset * sc_map_unit_m(map)};
}

// All roads are alike, so the fastest way is the shortest, and a traveller that drives it evenly is
// at each moment as far from both fixes as its share of time says. Times of roads are whole
// milliseconds, so of two ways that differ by centimetres either may count as the fastest.
static void test_places_between_fixes_are_those_of_a_slow_reference(void **state)
{
    (void)state;
    town t = grid_town();
    metric distances = metric_new(t.map);
    const sc_follow_options options = random_options();
    size_t stretch_count = 0;
    size_t leap_count = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        char *lines = random_lines(&rng);
        sc_traces *traces = traces_of(lines);
        size_t track_count;
        const sc_track *tracks = sc_traces_tracks(traces, &track_count);
        sc_movement *m = follow(&t, lines, &options, NULL);
        assert_int_equal(m->count, track_count);
        double start_s = HUGE_VAL;
        for (size_t i = 0; i < track_count; i++) {
            start_s = fmin(start_s, tracks[i].fixes[0].t_s);
        }
        for (uint32_t who = 0; who < m->count; who++) {
            sc_snap last = {0};
            double last_s = -HUGE_VAL;
            for (size_t i = 0; i < tracks[who].count; i++) {
                const sc_fix *fix = &tracks[who].fixes[i];
                sc_snap here;
                if (sc_map_snap(t.map, fix->x, fix->y, options.max_snap_m, &here)) continue;
                const double t_s = fix->t_s - start_s;
                const double took_s = t_s - last_s;
                const road_place from = {last.edge, last.offset_m};
                const road_place to = {here.edge, here.offset_m};
                const double way_m = metric_between(&distances, from, to);
                const bool is_near = took_s <= options.max_gap_s;
                const bool is_race = way_m > SC_FOLLOW_MAX_SPEED_M_S * took_s;
                for (int quarter = 1; is_near && quarter < 4; quarter++) {
                    const double share = quarter / 4.0;
                    const sighting seen =
                        look(m, who, sc_time_from_seconds(last_s + share * took_s));
                    assert_int_equal(seen.is_there, !is_race);
                    if (is_race) continue;
                    const road_place at = place_m(t.map, seen.place);
                    CHECK_CLOSE(metric_between(&distances, from, at), share * way_m, 0.05);
                    CHECK_CLOSE(metric_between(&distances, at, to), (1 - share) * way_m, 0.05);
                }
                stretch_count += is_near && !is_race;
                leap_count += is_near && is_race;
                last = here;
                last_s = t_s;
            }
        }
        sc_movement_free(m);
        sc_traces_free(traces);
        free(lines);
    }
    check_case_done();
    assert_true(stretch_count > 2000);
    assert_true(leap_count > 10);
    metric_free(&distances);
    town_free(&t);
}

static void test_no_traveller_is_faster_than_allowed(void **state)
{
    (void)state;
    town t = grid_town();
    metric distances = metric_new(t.map);
    const sc_follow_options options = random_options();
    const double step_s = 0.25;
    double fastest_m_s = 0;
    for (uint64_t seed = 0; seed < 5; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        char *lines = random_lines(&rng);
        sc_follow_summary summary;
        sc_movement *m = follow(&t, lines, &options, &summary);
        for (uint32_t who = 0; who < m->count; who++) {
            sighting last = {0};
            for (uint32_t step = 0; step * step_s <= summary.seconds; step++) {
                const sighting now = look(m, who, sc_time_from_seconds(step * step_s));
                if (last.is_there && now.is_there) {
                    const double moved_m = metric_between(&distances, place_m(t.map, last.place),
                                                          place_m(t.map, now.place));
                    fastest_m_s = fmax(fastest_m_s, moved_m / step_s);
                }
                last = now;
            }
        }
        sc_movement_free(m);
        free(lines);
    }
    check_case_done();
    // A millimetre is lost to whole units.
    assert_true(fastest_m_s <= SC_FOLLOW_MAX_SPEED_M_S + 1e-3 / step_s);
    assert_true(fastest_m_s > 40);
    metric_free(&distances);
    town_free(&t);
}

// Off the roads, the time to ask again is given; there must be nothing before, and it then.
static void test_asking_again_and_again_is_as_asking_once(void **state)
{
    (void)state;
    town t = grid_town();
    const sc_follow_options options = random_options();
    for (uint64_t seed = 0; seed < 10; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        char *lines = random_lines(&rng);
        sc_follow_summary summary;
        sc_movement *often = follow(&t, lines, &options, &summary);
        for (uint32_t who = 0; who < often->count; who++) {
            sc_time back = 0;
            for (sc_time now = 0; now < sc_time_from_seconds(summary.seconds);
                 now += sc_time_from_seconds(7)) {
                sc_place place;
                sc_time told = -1;
                CHECK_OK(sc_movement_at(often, who, now, &place, &told), NULL);
                assert_true(now >= back ? told >= now : told == back);
                if (told > now && told != SC_TIME_NEVER && told != back) {
                    sc_movement *other = follow(&t, lines, &options, NULL);
                    assert_false(look(other, who, told - 1).is_there);
                    assert_true(look(other, who, told).is_there);
                    sc_movement_free(other);
                }
                back = told;
                if (now % sc_time_from_seconds(91) != 0) continue;
                sc_movement *once = follow(&t, lines, &options, NULL);
                const sighting seen = look(once, who, now);
                assert_int_equal(seen.is_there, told == now);
                if (seen.is_there) assert_memory_equal(&seen.place, &place, sizeof place);
                sc_movement_free(once);
            }
        }
        sc_movement_free(often);
        free(lines);
    }
    check_case_done();
    town_free(&t);
}

// Every fix near a road but the first of each track ends a pair.
static void test_every_pair_of_fixes_is_counted_once(void **state)
{
    (void)state;
    town t = grid_town();
    const double folds_s[] = {0, 10, 30, 1e6};
    for (uint64_t seed = 0; seed < 10; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        char *lines = random_lines(&rng);
        sc_follow_summary unfolded = {0};
        for (size_t i = 0; i < sizeof folds_s / sizeof *folds_s; i++) {
            sc_follow_options options = random_options();
            options.fold_s = folds_s[i];
            sc_follow_summary s;
            sc_movement_free(follow(&t, lines, &options, &s));
            if (i == 0) unfolded = s;
            assert_int_equal(s.fix_count, TRACKS * FIXES);
            assert_int_equal(s.far_count + s.stretch_count + s.gap_count + s.no_way_count,
                             TRACKS * FIXES - TRACKS);
            assert_int_equal(s.far_count, unfolded.far_count);
            assert_int_equal(s.stretch_count, unfolded.stretch_count);
            assert_int_equal(s.gap_count, unfolded.gap_count);
        }
        free(lines);
    }
    check_case_done();
    town_free(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_traveller_takes_the_way_at_an_even_pace_and_arrives_in_time),
    cmocka_unit_test(test_roads_are_driven_both_ways),
    cmocka_unit_test(test_a_way_may_leave_a_segment_and_come_back_to_it),
    cmocka_unit_test(test_standing_still_is_being_on_the_road),
    cmocka_unit_test(test_travellers_come_when_their_fixes_begin),
    cmocka_unit_test(test_a_fix_too_far_from_any_road_is_left_out),
    cmocka_unit_test(test_fixes_too_far_apart_in_time_have_nothing_between_them),
    cmocka_unit_test(test_a_fix_with_gaps_on_both_sides_is_passed_over),
    cmocka_unit_test(test_where_there_is_no_way_or_only_a_race_one_is_off_the_roads),
    cmocka_unit_test(test_a_race_is_one_even_where_another_took_its_time),
    cmocka_unit_test(test_fixes_less_than_a_microsecond_apart_are_one),
    cmocka_unit_test(test_a_stretch_across_the_start_or_the_end_is_followed_in_part),
    cmocka_unit_test(test_who_has_no_fix_from_the_start_to_the_end_may_yet_be_on_its_way),
    cmocka_unit_test(test_a_gap_across_the_start_has_no_traveller),
    cmocka_unit_test(test_what_is_repeated_begins_again_when_all_have_left),
    cmocka_unit_test(test_what_is_repeated_may_begin_on_the_way),
    cmocka_unit_test(test_times_far_from_now_are_fine),
    SC_CASES(test_places_between_fixes_are_those_of_a_slow_reference),
    SC_CASES(test_no_traveller_is_faster_than_allowed),
    SC_CASES(test_asking_again_and_again_is_as_asking_once),
    SC_CASES(test_every_pair_of_fixes_is_counted_once),
};
SC_SUITE(tests)
