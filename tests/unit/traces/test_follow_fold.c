// Folding recorded time, and taking some travellers of many.
#include "follow_town.h"

// --- Folding ----------------------------------------------------------------

// Two windows of 100 s, with a border in the middle of a stretch; and none in the next but one.
static void test_each_window_of_a_track_is_a_traveller(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_options options = sc_follow_options_default();
    options.fold_s = 100;
    sc_follow_summary summary;
    sc_movement *m = follow(&t,
                            "cab,0,0,0\ncab,50,100,0\ncab,150,200,0\ncab,170,220,0\n"
                            "van,520,600,0\nvan,530,610,0\n",
                            &options, &summary);
    assert_int_equal(m->count, 3);
    check_name(m, 0, "cab#0");
    check_name(m, 1, "cab#1");
    check_name(m, 2, "van#5");
    check_there(m, 0, 25, 50, 0);
    check_there(m, 0, 75, 125, 0);
    check_there(m, 0, 100, 150, 0);
    check_away(m, 0, 100.000001, HUGE_VAL);
    check_there(m, 1, 0, 150, 0);
    check_there(m, 1, 50, 200, 0);
    check_there(m, 1, 70, 220, 0);
    check_away(m, 1, 71, HUGE_VAL);
    check_away(m, 2, 0, 20);
    check_there(m, 2, 25, 605, 0);
    assert_int_equal(summary.traveller_count, 3);
    assert_int_equal(summary.stretch_count, 4);
    CHECK_SAME(summary.seconds, 100.0);
    sc_movement_free(m);
    town_free(&t);
}

// 250 s from one fix to the next, in windows of 60 s.
static void test_a_stretch_may_go_on_for_many_windows(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_options options = sc_follow_options_default();
    options.fold_s = 60;
    sc_follow_summary summary;
    sc_movement *m = follow(&t, "cab,0,0,0\ncab,250,250,0\n", &options, &summary);
    assert_int_equal(m->count, 5);
    assert_int_equal(summary.stretch_count, 1);
    for (uint32_t window = 0; window < 5; window++) {
        check_there(m, window, 0, 60.0 * window, 0);
        check_there(m, window, 10, 60.0 * window + 10, 0);
    }
    check_away(m, 4, 11, HUGE_VAL);
    sc_movement_free(m);
    town_free(&t);
}

// Half a second of the second window, and then a whole one; then half a second of the first.
static void test_a_stay_of_less_than_a_second_is_left_out(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_options options = sc_follow_options_default();
    options.fold_s = 100;
    sc_movement *m = follow(&t, "cab,0,0,0\ncab,100.5,100,0\n", &options, NULL);
    assert_int_equal(m->count, 1);
    sc_movement_free(m);
    m = follow(&t, "cab,0,0,0\ncab,101,100,0\n", &options, NULL);
    assert_int_equal(m->count, 2);
    sc_movement_free(m);
    m = follow(&t, "bus,0,0,0\nbus,50,0,0\ncab,99.5,0,0\ncab,199.5,100,0\n", &options, NULL);
    assert_int_equal(m->count, 2);
    check_name(m, 0, "bus#0");
    check_name(m, 1, "cab#1");
    sc_movement_free(m);
    // Many fixes a second are no reason to leave a track out.
    m = follow(&t, "cab,0,0,0\ncab,0.4,4,0\ncab,0.8,8,0\ncab,1.2,12,0\n", &options, NULL);
    check_there(m, 0, 0.6, 6, 0);
    sc_movement_free(m);
    town_free(&t);
}

static void test_the_last_window_ends_where_recorded_time_does(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_options options = sc_follow_options_default();
    options.fold_s = 100;
    options.has_start = true;
    options.start_s = 10;
    options.end_s = 150;
    sc_movement *m = follow(&t, "cab,0,0,0\ncab,200,200,0\n", &options, NULL);
    assert_int_equal(m->count, 2);
    check_there(m, 0, 0, 10, 0);
    check_there(m, 0, 100, 110, 0);
    check_there(m, 1, 0, 110, 0);
    check_there(m, 1, 40, 150, 0);
    check_away(m, 1, 40.000001, HUGE_VAL);
    sc_movement_free(m);
    town_free(&t);
}

// The follower of that track and window; false if there is none.
static bool find_follower(const sc_movement *m, const char *track, int64_t window, uint32_t *who)
{
    char wanted[64];
    char room[32];
    snprintf(wanted, sizeof wanted, "%s#%lld", track, (long long)window);
    for (*who = 0; *who < m->count; ++*who) {
        if (strcmp(sc_movement_name(m, *who, room), wanted) == 0) return true;
    }
    return false;
}

// Fixes are at odd seconds, windows end at even ones: no piece is shorter than a second, and no
// traveller arrives just when a window ends.
static void test_folded_travellers_are_where_the_whole_ones_are_second_by_second(void **state)
{
    (void)state;
    town t = grid_town();
    const double folds_s[] = {22, 66, 602};
    size_t there_count = 0;
    for (uint64_t seed = 0; seed < 15; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        char *lines = random_lines(&rng);
        sc_follow_options options = random_options();
        options.has_start = true;
        options.start_s = 0;
        sc_follow_summary summary;
        sc_movement *whole = follow(&t, lines, &options, &summary);
        options.fold_s = folds_s[seed % 3];
        sc_movement *folded = follow(&t, lines, &options, NULL);
        const sc_time window_us = sc_time_from_seconds(options.fold_s);
        size_t whole_there = 0;
        size_t folded_there = 0;
        for (uint32_t i = 0; i < whole->count; i++) {
            char room[32];
            const char *track = sc_movement_name(whole, i, room);
            // Even seconds, so that no arrival is looked at either.
            for (sc_time now = 0; now < sc_time_from_seconds(summary.seconds);
                 now += sc_time_from_seconds(2)) {
                const sighting wanted = look(whole, i, now);
                uint32_t who;
                sighting got = {0};
                if (find_follower(folded, track, now / window_us, &who)) {
                    got = look(folded, who, now % window_us);
                }
                assert_int_equal(got.is_there, wanted.is_there);
                if (got.is_there) {
                    assert_memory_equal(&got.place, &wanted.place, sizeof got.place);
                }
                whole_there += wanted.is_there;
                folded_there += got.is_there;
            }
        }
        assert_int_equal(whole_there, folded_there);
        there_count += whole_there;
        sc_movement_free(whole);
        sc_movement_free(folded);
        free(lines);
    }
    check_case_done();
    assert_true(there_count > 5000);
    town_free(&t);
}

// --- Taking some ------------------------------------------------------------

enum { CABS = 24 };

// Cabs that are on the roads for 10 s (even ones) or never (odd ones); release with free().
static char *cab_lines(void)
{
    char *lines = test_take((size_t)2 * CABS * LINE, 1);
    size_t used = 0;
    for (int i = 0; i < CABS; i++) {
        const int y = i % 2 == 0 ? 0 : 1000;
        used += (size_t)snprintf(lines + used, (size_t)2 * LINE,
                                 "cab%02d,0,%d,%d\ncab%02d,10,%d,%d\n", i, i, y, i, i + 10, y);
    }
    return lines;
}

// The numbers of the cabs chosen, as bits.
static uint32_t choice(const town *t, const sc_traces *traces, uint32_t max_count, uint64_t seed)
{
    sc_follow_options options = sc_follow_options_default();
    options.max_count = max_count;
    options.seed = seed;
    sc_movement *m = NULL;
    sc_follow_summary summary;
    CHECK_OK(sc_follow_new(&(sc_follow_input){t->map, t->routes, traces}, &options, NULL, &m,
                           &summary, NULL),
             NULL);
    assert_int_equal(summary.traveller_count, m->count);
    assert_int_equal(m->count, max_count == 0 || max_count > CABS / 2 ? CABS / 2 : max_count);
    uint32_t bits = 0;
    long last = -1;
    for (uint32_t i = 0; i < m->count; i++) {
        char room[32];
        const long cab = strtol(sc_movement_name(m, i, room) + strlen("cab"), NULL, 10);
        // Each once, and in order.
        assert_true(cab > last);
        last = cab;
        check_there(m, i, 5, (double)cab + 5, 0);
        bits |= 1u << cab;
    }
    sc_movement_free(m);
    return bits;
}

static void test_the_same_seed_takes_the_same_travellers(void **state)
{
    (void)state;
    town t = town_new();
    char *lines = cab_lines();
    sc_traces *traces = traces_of(lines);
    uint32_t different = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_case(seed);
        const uint32_t chosen = choice(&t, traces, 6, seed);
        assert_int_equal(choice(&t, traces, 6, seed), chosen);
        different += chosen != choice(&t, traces, 6, 20);
    }
    check_case_done();
    assert_true(different >= 18);
    sc_traces_free(traces);
    free(lines);
    town_free(&t);
}

static void test_all_are_taken_where_there_are_not_more(void **state)
{
    (void)state;
    town t = town_new();
    char *lines = cab_lines();
    sc_traces *traces = traces_of(lines);
    const uint32_t all = choice(&t, traces, 0, 1);
    assert_int_equal(all, 0x555555);
    assert_int_equal(choice(&t, traces, CABS / 2, 1), all);
    // More than there are on the roads, fewer than there are tracks; then more than tracks.
    assert_int_equal(choice(&t, traces, CABS / 2 + 1, 2), all);
    assert_int_equal(choice(&t, traces, UINT32_MAX, 3), all);
    sc_traces_free(traces);
    free(lines);
    town_free(&t);
}

static void test_everybody_is_as_likely_to_be_taken(void **state)
{
    (void)state;
    enum { SEEDS = 1200, TAKEN = 3 };
    town t = town_new();
    char *lines = cab_lines();
    sc_traces *traces = traces_of(lines);
    uint32_t counts[CABS] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const uint32_t bits = choice(&t, traces, TAKEN, seed);
        for (int cab = 0; cab < CABS; cab++) {
            counts[cab] += (bits >> cab) & 1;
        }
    }
    // Each is one of three among twelve: within four standard deviations of a quarter.
    for (int cab = 0; cab < CABS; cab += 2) {
        CHECK_CLOSE(counts[cab], SEEDS / 4.0, 4.0 * sqrt(SEEDS * 3.0 / 16.0));
    }
    sc_traces_free(traces);
    free(lines);
    town_free(&t);
}

// Some windows of many: still the same travellers, as if all had been taken.
static void test_those_taken_are_as_they_would_be_among_all(void **state)
{
    (void)state;
    town t = grid_town();
    for (uint64_t seed = 0; seed < 10; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        char *lines = random_lines(&rng);
        sc_follow_options options = random_options();
        options.fold_s = 50;
        sc_movement *all = follow(&t, lines, &options, NULL);
        options.max_count = all->count / 3;
        options.seed = seed;
        sc_movement *some = follow(&t, lines, &options, NULL);
        assert_int_equal(some->count, all->count / 3);
        uint32_t match = 0;
        for (uint32_t i = 0; i < some->count; i++, match++) {
            char room[32];
            const char *name = sc_movement_name(some, i, room);
            while (match < all->count && strcmp(sc_movement_name(all, match, room), name) != 0) {
                match++;
            }
            assert_true(match < all->count);
            for (sc_time now = 0; now <= sc_time_from_seconds(50); now += sc_time_from_seconds(1)) {
                const sighting wanted = look(all, match, now);
                const sighting got = look(some, i, now);
                assert_int_equal(got.is_there, wanted.is_there);
                if (got.is_there) {
                    assert_memory_equal(&got.place, &wanted.place, sizeof got.place);
                }
            }
        }
        sc_movement_free(all);
        sc_movement_free(some);
        free(lines);
    }
    check_case_done();
    town_free(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_window_of_a_track_is_a_traveller),
    cmocka_unit_test(test_a_stretch_may_go_on_for_many_windows),
    cmocka_unit_test(test_a_stay_of_less_than_a_second_is_left_out),
    cmocka_unit_test(test_the_last_window_ends_where_recorded_time_does),
    SC_CASES(test_folded_travellers_are_where_the_whole_ones_are_second_by_second),
    SC_CASES(test_the_same_seed_takes_the_same_travellers),
    cmocka_unit_test(test_all_are_taken_where_there_are_not_more),
    cmocka_unit_test(test_everybody_is_as_likely_to_be_taken),
    SC_CASES(test_those_taken_are_as_they_would_be_among_all),
};
SC_SUITE(tests)
