// The door: what is refused and why, that a refusal changes nothing, and that it tells
// neither who asked nor where.
#include "support/door.h"

#include <math.h>

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

static void test_nobody_is_no_user(void **state)
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
    refuse(&plane, &ask, SC_EINVAL, "not in the plane");
    ask = at_position("u", 0, 1100.0, 1e5);
    refuse(&plane, &ask, SC_ETOOFAR, "no road is within 1000 m");
    door_free(&globe);
    door_free(&plane);
    door_free(&bare);
}

// --- Nothing changes, nothing is told -----------------------------------------------

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
        // Of a later moment, by a user who has not asked yet.
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
            if (strstr(diag.message, secrets[j])) fail_msg("told: %s", diag.message);
        }
    }
    door_free(&d);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_limits_that_admit_nothing_open_no_door),
    cmocka_unit_test(test_a_need_out_of_range_is_refused),
    cmocka_unit_test(test_nobody_is_no_user),
    cmocka_unit_test(test_an_edge_or_offset_that_is_not_there_is_refused),
    cmocka_unit_test(test_a_position_without_a_road_is_refused),
    cmocka_unit_test(test_a_refusal_leaves_the_door_as_it_was),
    cmocka_unit_test(test_no_refusal_tells_the_user_or_the_position),
};
SC_SUITE(tests)
