// Admission: from what a traveller asks to a query, or to a refusal that changes nothing and
// repeats neither user nor position.
#include "support/door.h"

#include "base/rng.h"
#include "engine/admission.h"

#include <math.h>

// --- Admitted ----------------------------------------------------------------

// --- Admitted -----------------------------------------------------------------------

static void test_a_query_takes_over_needs_and_gets_a_name_and_a_deadline(void **state)
{
    (void)state;
    door d = street_of_three(SC_COORDS_PLANAR);
    const sc_ask ask = on_edge("u17", sc_time_from_seconds(12.345), 2, 1.0);
    const sc_query query = admit(&d, &ask);

    sc__pseudonym_keys keys;
    sc__pseudonym_keys_derive(door_key, &keys);
    const sc__pseudonyms name = sc__pseudonyms_of(&keys, "u17", 3, ask.t);
    assert_memory_equal(&query.id, &name.id, sizeof name.id);
    assert_true(query.user == name.user);
    assert_true(query.deadline == sc_time_from_seconds(22.345));
    assert_int_equal(query.segment, sc_map_edges(d.map)[2].segment);
    assert_int_equal(query.k, modest.k);
    assert_int_equal(query.l, modest.l);
    assert_int_equal(query.max_hops, modest.max_hops);
    assert_int_equal(query.result_size, 5);
    door_free(&d);
}

static void test_a_position_goes_to_the_nearest_road(void **state)
{
    (void)state;
    static const sc_coords kinds[] = {SC_COORDS_PLANAR, SC_COORDS_GEOGRAPHIC};
    for (size_t i = 0; i < 2; i++) {
        door d = street_of_three(kinds[i]);
        for (sc_node_id node = 0; node < sc_map_node_count(d.map); node++) {
            double x = 0.0;
            double y = 0.0;
            sc_map_node_position(d.map, node, &x, &y);
            x += kinds[i] == SC_COORDS_PLANAR ? 3.0 : 3e-5;
            const sc_ask ask = at_position("u", node, x, y);
            sc_query query;
            sc_snap where;
            sc_snap wanted;
            CHECK_OK(sc_admission_admit(d.admission, &ask, &query, &where, &d.diag), &d.diag);
            assert_int_equal(sc_map_snap(d.map, x, y, HUGE_VAL, &wanted), SC_OK);
            assert_int_equal(where.edge, wanted.edge);
            assert_int_equal(where.segment, wanted.segment);
            assert_int_equal(query.segment, wanted.segment);
            CHECK_SAME(where.offset_m, wanted.offset_m);
            CHECK_SAME(where.distance_m, wanted.distance_m);
        }
        door_free(&d);
    }
}

static void test_a_place_on_an_edge_is_taken_as_it_is(void **state)
{
    (void)state;
    // Also on a map without coordinates.
    door d = street_of_three(SC_COORDS_NONE);
    for (sc_edge_id edge = 0; edge < sc_map_edge_count(d.map); edge++) {
        const double length_m = sc_map_edge_length_m(d.map, edge);
        // Half a millimetre over either end is rounding, and is put right.
        const struct {
            double offset_m;
            double wanted_m;
        } cases[] = {{0.0, 0.0},
                     {length_m / 3, length_m / 3},
                     {length_m, length_m},
                     {-0.00049, 0.0},
                     {length_m + 0.00049, length_m}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const sc_ask ask =
                on_edge("u", 10 * (sc_time)edge + (sc_time)i, edge, cases[i].offset_m);
            sc_query query;
            sc_snap where;
            CHECK_OK(sc_admission_admit(d.admission, &ask, &query, &where, &d.diag), &d.diag);
            assert_int_equal(where.edge, edge);
            assert_int_equal(where.segment, sc_map_edges(d.map)[edge].segment);
            assert_int_equal(query.segment, where.segment);
            CHECK_SAME(where.offset_m, cases[i].wanted_m);
            CHECK_SAME(where.distance_m, 0.0);
        }
    }
    door_free(&d);
}

static void test_doors_with_one_key_agree_on_names_and_others_do_not(void **state)
{
    (void)state;
    door one = street_of_three(SC_COORDS_PLANAR);
    door two = street_of_three(SC_COORDS_NONE);
    door three = street_of_three(SC_COORDS_PLANAR);
    const uint8_t another_key[SC_KEY_SIZE] = {7, 7, 8};
    const sc_limits limits = sc_limits_default();
    sc_admission_free(three.admission);
    CHECK_OK(sc_admission_new(three.map, &limits, another_key, &three.admission, &three.diag),
             &three.diag);

    const sc_ask ask = on_edge("u17", 5, 0, 0.0);
    const sc_query a = admit(&one, &ask);
    const sc_query b = admit(&two, &ask);
    const sc_query c = admit(&three, &ask);
    assert_memory_equal(&a.id, &b.id, sizeof a.id);
    assert_true(a.user == b.user);
    assert_memory_not_equal(&a.id, &c.id, sizeof a.id);
    assert_true(a.user != c.user);
    door_free(&one);
    door_free(&two);
    door_free(&three);
}

// --- In time, and once --------------------------------------------------------------

static void test_time_may_stand_still_but_not_run_backwards(void **state)
{
    (void)state;
    door d = street_of_three(SC_COORDS_PLANAR);
    static const struct {
        sc_time t;
        bool is_fine;
    } times[] = {{-50, true},  {-50, true}, {-51, false}, {0, true},
                 {-1, false},  {7, true},   {7, true},    {6, false},
                 {-50, false}, {7, true},   {8, true},    {-SC_TIME_FARTHEST, false}};
    char user[] = "a";
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        user[0]++;
        const sc_ask ask = on_edge(user, times[i].t, 0, 0.0);
        if (times[i].is_fine) {
            admit(&d, &ask);
        } else {
            refuse(&d, &ask, SC_ETIME, " s before that of a query already admitted");
        }
    }
    door_free(&d);
}

static void test_times_so_far_away_that_sums_could_overflow_are_refused(void **state)
{
    (void)state;
    door d = street_of_three(SC_COORDS_PLANAR);
    const sc_time beyond[] = {INT64_MIN, -SC_TIME_FARTHEST - 1, SC_TIME_FARTHEST + 1,
                              INT64_MAX - sc_time_from_seconds(10), INT64_MAX};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        const sc_ask ask = on_edge("u", beyond[i], 0, 0.0);
        refuse(&d, &ask, SC_EINVAL, "time is out of range");
    }
    const sc_ask first = on_edge("u", -SC_TIME_FARTHEST, 0, 0.0);
    const sc_ask last = on_edge("u", SC_TIME_FARTHEST, 0, 0.0);
    assert_true(admit(&d, &first).deadline == -SC_TIME_FARTHEST + modest.max_wait_us);
    refuse(&d, &first, SC_EDUPLICATE, "already");
    assert_true(admit(&d, &last).deadline == SC_TIME_FARTHEST + modest.max_wait_us);
    door_free(&d);
}

static void test_a_user_asks_once_at_one_time(void **state)
{
    (void)state;
    door d = street_of_three(SC_COORDS_PLANAR);
    const sc_ask ask = on_edge("u", 5, 0, 0.0);
    const sc_ask elsewhere = on_edge("u", 5, 1, 0.0);
    const sc_ask other = on_edge("v", 5, 0, 0.0);
    const sc_ask later = on_edge("u", 6, 0, 0.0);
    admit(&d, &ask);
    refuse(&d, &ask, SC_EDUPLICATE, "admitted already");
    refuse(&d, &elsewhere, SC_EDUPLICATE, "admitted already");
    admit(&d, &other);
    refuse(&d, &ask, SC_EDUPLICATE, "admitted already");
    admit(&d, &later);
    refuse(&d, &later, SC_EDUPLICATE, "admitted already");
    refuse(&d, &ask, SC_ETIME, "before");
    door_free(&d);
}

static void test_on_another_map_names_and_times_go_on(void **state)
{
    (void)state;
    door d = street_of_three(SC_COORDS_GEOGRAPHIC);
    sketch grid = sketch_grid(SC_COORDS_GEOGRAPHIC, 9, 9);
    sc_map *other = sketch_map(&grid);
    const sc_edge_id last = sc_map_edge_count(other) - 1;
    assert_true(last >= sc_map_edge_count(d.map));
    const sc_ask here = on_edge("agnes", 5, 0, 1.0);
    const sc_ask there = on_edge("agnes", 6, last, 1.0);
    const sc_query before = admit(&d, &here);
    sc_query query;
    assert_int_equal(sc_admission_admit(d.admission, &there, &query, NULL, NULL), SC_EUNKNOWN);
    sc__admission_move(d.admission, other);
    const sc_query after = admit(&d, &there);
    assert_int_equal(after.segment, sc_map_edges(other)[last].segment);
    assert_true(after.user == before.user);
    assert_int_equal(sc_admission_admit(d.admission, &there, &query, NULL, NULL), SC_EDUPLICATE);
    sketch_free(&grid);
    door_free(&d);
    sc_map_free(other);
}

static void test_thousands_may_ask_at_one_time_each_once(void **state)
{
    (void)state;
    enum { USERS = 5000 };
    door d = street_of_three(SC_COORDS_NONE);
    for (sc_time t = 0; t < 2; t++) {
        for (int pass = 0; pass < 2; pass++) {
            for (uint32_t i = 0; i < USERS; i++) {
                sc_ask ask = on_edge("", t, 0, 0.0);
                ask.user = (const char *)&i;
                ask.user_size = sizeof i;
                sc_query query;
                assert_int_equal(sc_admission_admit(d.admission, &ask, &query, NULL, NULL),
                                 pass == 0 ? SC_OK : SC_EDUPLICATE);
            }
        }
    }
    door_free(&d);
}

// --- Against a plain list -------------------------------------------------------------

typedef struct asked {
    uint32_t user;
    sc_time t;
} asked;

// The definition: every query ever admitted is remembered.
static sc_err plain_answer(const asked *list, size_t count, const sc_ask *ask, asked as,
                           const sc_map *map)
{
    if (ask->profile.k < 1 || ask->profile.k > 1000) return SC_EPROFILE;
    for (size_t i = 0; i < count; i++) {
        if (list[i].t > as.t) return SC_ETIME;
    }
    for (size_t i = 0; i < count; i++) {
        if (list[i].t == as.t && list[i].user == as.user) return SC_EDUPLICATE;
    }
    return ask->edge < sc_map_edge_count(map) ? SC_OK : SC_EUNKNOWN;
}

static void test_any_stream_is_admitted_as_a_plain_list_would(void **state)
{
    (void)state;
    enum { ASKS = 400 };
    for (uint64_t seed = 0; seed < 100; seed++) {
        check_case(seed);
        door d = street_of_three(SC_COORDS_NONE);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        const uint32_t users = 1 + sc_rng_below(&rng, 60);
        const uint32_t pace = 1 + sc_rng_below(&rng, 100);
        asked list[ASKS];
        size_t count = 0;
        sc_time now = 0;
        for (int i = 0; i < ASKS; i++) {
            if (sc_rng_below(&rng, pace) == 0) now += sc_rng_below(&rng, 5);
            const asked as = {sc_rng_below(&rng, users),
                              now - (sc_rng_below(&rng, 20) == 0 ? 2 : 0)};
            sc_ask ask = on_edge("", as.t, sc_rng_below(&rng, 10), 0.0);
            ask.user = (const char *)&as.user;
            ask.user_size = sizeof as.user;
            if (sc_rng_below(&rng, 20) == 0) ask.profile.k = 0;
            const sc_err wanted = plain_answer(list, count, &ask, as, d.map);
            sc_query query;
            assert_int_equal(sc_admission_admit(d.admission, &ask, &query, NULL, NULL), wanted);
            if (wanted == SC_OK) list[count++] = as;
        }
        door_free(&d);
    }
    check_case_done();
}

// --- Refused -----------------------------------------------------------------

// --- Refused ------------------------------------------------------------------------

static void test_limits_that_admit_nothing_open_no_door(void **state)
{
    (void)state;
    door d = street_of_three(SC_COORDS_PLANAR);
    sc_limits limits = sc_limits_default();
    limits.max_l = 0;
    sc_admission *out = NULL;
    CHECK_REFUSED(sc_admission_new(d.map, &limits, door_key, &out, &d.diag), SC_EINVAL, &d.diag,
                  "0 segments");
    assert_null(out);
    sc_admission_free(NULL);
    door_free(&d);
}

static void test_a_need_out_of_range_is_refused(void **state)
{
    (void)state;
    door d = street_of_three(SC_COORDS_PLANAR);
    sc_ask ask = on_edge("u", 0, 0, 0.0);
    ask.profile.k = 1001;
    refuse(&d, &ask, SC_EPROFILE, "k (users) of 1001 is not allowed; ask for 1 to 1000");
    ask.profile = modest;
    ask.profile.max_wait_us = 0;
    refuse(&d, &ask, SC_EPROFILE, "sigma_t");
    ask.profile = modest;
    admit(&d, &ask);
    door_free(&d);
}

static void test_an_empty_user_is_refused(void **state)
{
    (void)state;
    door d = street_of_three(SC_COORDS_PLANAR);
    sc_ask ask = on_edge("", 0, 0, 0.0);
    refuse(&d, &ask, SC_EINVAL, "no user");
    ask.user = NULL;
    refuse(&d, &ask, SC_EINVAL, "no user");
    door_free(&d);
}

static void test_an_edge_or_offset_that_is_not_there_is_refused(void **state)
{
    (void)state;
    door d = street_of_three(SC_COORDS_NONE);
    const sc_edge_id edges = sc_map_edge_count(d.map);
    sc_ask ask = on_edge("u", 0, edges, 0.0);
    refuse(&d, &ask, SC_EUNKNOWN, "no such edge; its edges are 0 to 7");
    ask.edge = SC_NONE;
    refuse(&d, &ask, SC_EUNKNOWN, "no such edge");

    const double length_m = sc_map_edge_length_m(d.map, 3);
    const double beyond[] = {-0.00051,  length_m + 0.00051, -1.0,        1e300,
                             -HUGE_VAL, HUGE_VAL,           NOT_A_NUMBER};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        ask = on_edge("u", 0, 3, beyond[i]);
        refuse(&d, &ask, SC_EINVAL, "offset");
    }
    door_free(&d);
}

static void test_a_position_without_a_road_is_refused(void **state)
{
    (void)state;
    door globe = street_of_three(SC_COORDS_GEOGRAPHIC);
    door plane = street_of_three(SC_COORDS_PLANAR);
    door bare = street_of_three(SC_COORDS_NONE);

    sc_ask ask = at_position("u", 0, 0.0, 0.0);
    refuse(&globe, &ask, SC_ETOOFAR, "no road is within 1000 m");
    refuse(&bare, &ask, SC_ENOCOORDS, "no coordinates; give an edge");
    ask = at_position("u", 0, 181.0, 50.0);
    refuse(&globe, &ask, SC_EINVAL, "not on the globe");
    ask = at_position("u", 0, 8.0, NOT_A_NUMBER);
    refuse(&globe, &ask, SC_EINVAL, "not on the globe");
    refuse(&plane, &ask, SC_EINVAL, "outside the plane");
    ask = at_position("u", 0, 1100.0, 1e5);
    refuse(&plane, &ask, SC_ETOOFAR, "no road is within 1000 m");
    door_free(&globe);
    door_free(&plane);
    door_free(&bare);
}

// --- Nothing changes, and no message repeats a secret ---------------------------

// One ask for each way to be refused at `t`, all by `user`; `map` has coordinates.
enum { REFUSALS = 7 };
static void refusals(sc_ask out[REFUSALS], const char *user, sc_time t)
{
    for (int i = 0; i < REFUSALS; i++) {
        out[i] = on_edge(user, t, 0, 0.0);
    }
    out[0].profile.k = 0;
    out[1].t = INT64_MAX;
    out[2].edge = 3141592;
    out[3].offset_m = 2718.281;
    out[4] = at_position(user, t, 11.131719, 48.232931);
    out[5] = at_position(user, t, 1111.31719, 48.232931);
    out[6] = out[0];
    out[6].user_size = 0;
}

static void test_a_refusal_leaves_the_door_as_it_was(void **state)
{
    (void)state;
    sc_ask wrong[REFUSALS];
    for (int i = 0; i < REFUSALS; i++) {
        door d = street_of_three(SC_COORDS_GEOGRAPHIC);
        const sc_ask before = on_edge("a", 10, 0, 0.0);
        admit(&d, &before);
        // Of a later time, by a user who has not asked yet.
        refusals(wrong, "b", 20);
        sc_query query;
        assert_int_not_equal(sc_admission_admit(d.admission, &wrong[i], &query, NULL, NULL), SC_OK);
        // The clock has not moved, the first is remembered, the other is not.
        const sc_ask between = on_edge("b", 10, 0, 0.0);
        refuse(&d, &before, SC_EDUPLICATE, "already");
        admit(&d, &between);
        const sc_ask again = on_edge("b", 20, 0, 0.0);
        admit(&d, &again);
        door_free(&d);
    }
}

static void test_no_refusal_tells_the_user_or_the_position(void **state)
{
    (void)state;
    static const char *const secrets[] = {"agnes", "3141592", "2718",  "11.1",
                                          "1111",  "48.2",    "31719", "232931"};
    door d = street_of_three(SC_COORDS_GEOGRAPHIC);
    sc_ask wrong[REFUSALS + 2];
    refusals(wrong, "agnes", 20);
    wrong[REFUSALS] = on_edge("agnes", 5, 3141592, 2718.0);
    wrong[REFUSALS + 1] = on_edge("agnes", 10, 0, 0.0);
    const sc_ask before = wrong[REFUSALS + 1];
    admit(&d, &before);
    for (int i = 0; i < REFUSALS + 2; i++) {
        sc_query query;
        sc_diag diag = {""};
        assert_int_not_equal(sc_admission_admit(d.admission, &wrong[i], &query, NULL, &diag),
                             SC_OK);
        // A sentence: what, and after a semicolon what to do.
        CHECK_CONTAINS(diag.message, "; ");
        for (size_t j = 0; j < sizeof secrets / sizeof *secrets; j++) {
            if (strstr(diag.message, secrets[j])) fail_msg("repeated: %s", diag.message);
        }
    }
    door_free(&d);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_query_takes_over_needs_and_gets_a_name_and_a_deadline),
    cmocka_unit_test(test_a_position_goes_to_the_nearest_road),
    cmocka_unit_test(test_a_place_on_an_edge_is_taken_as_it_is),
    cmocka_unit_test(test_doors_with_one_key_agree_on_names_and_others_do_not),
    cmocka_unit_test(test_time_may_stand_still_but_not_run_backwards),
    cmocka_unit_test(test_times_so_far_away_that_sums_could_overflow_are_refused),
    cmocka_unit_test(test_a_user_asks_once_at_one_time),
    cmocka_unit_test(test_on_another_map_names_and_times_go_on),
    cmocka_unit_test(test_thousands_may_ask_at_one_time_each_once),
    SC_CASES(test_any_stream_is_admitted_as_a_plain_list_would),
    cmocka_unit_test(test_limits_that_admit_nothing_open_no_door),
    cmocka_unit_test(test_a_need_out_of_range_is_refused),
    cmocka_unit_test(test_an_empty_user_is_refused),
    cmocka_unit_test(test_an_edge_or_offset_that_is_not_there_is_refused),
    cmocka_unit_test(test_a_position_without_a_road_is_refused),
    cmocka_unit_test(test_a_refusal_leaves_the_door_as_it_was),
    cmocka_unit_test(test_no_refusal_tells_the_user_or_the_position),
};
SC_SUITE(tests)
