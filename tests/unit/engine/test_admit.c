// The door: how a query is admitted, when, and how often. Why others are refused is in
// test_admit_refused.c.
#include "support/door.h"

#include "base/rng.h"
#include "engine/query_internal.h"

#include <math.h>

// --- Admitted -----------------------------------------------------------------------

static void test_a_query_takes_over_needs_and_gets_a_name_and_a_deadline(void **state)
{
    (void)state;
    door d = street_of_three(SC_COORDS_PLANAR);
    const sc_ask ask = on_edge("u17", sc_time_from_seconds(12.345), 2, 1.0);
    const sc_query query = admit(&d, &ask);

    sc_name_keys keys;
    sc__name_keys_derive(door_key, &keys);
    const sc_name name = sc__name_of(&keys, "u17", 3, ask.t);
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
    } moments[] = {{-50, true},  {-50, true}, {-51, false}, {0, true},
                   {-1, false},  {7, true},   {7, true},    {6, false},
                   {-50, false}, {7, true},   {8, true},    {-SC_TIME_FARTHEST, false}};
    char user[] = "a";
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        user[0]++;
        const sc_ask ask = on_edge(user, moments[i].t, 0, 0.0);
        if (moments[i].is_fine) {
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

static void test_a_user_asks_once_in_one_moment(void **state)
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

static void test_thousands_may_ask_in_one_moment_each_once(void **state)
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_query_takes_over_needs_and_gets_a_name_and_a_deadline),
    cmocka_unit_test(test_a_position_goes_to_the_nearest_road),
    cmocka_unit_test(test_a_place_on_an_edge_is_taken_as_it_is),
    cmocka_unit_test(test_doors_with_one_key_agree_on_names_and_others_do_not),
    cmocka_unit_test(test_time_may_stand_still_but_not_run_backwards),
    cmocka_unit_test(test_times_so_far_away_that_sums_could_overflow_are_refused),
    cmocka_unit_test(test_a_user_asks_once_in_one_moment),
    cmocka_unit_test(test_thousands_may_ask_in_one_moment_each_once),
    SC_CASES(test_any_stream_is_admitted_as_a_plain_list_would),
};
SC_SUITE(tests)
