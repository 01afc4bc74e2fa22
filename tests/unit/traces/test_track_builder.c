// Gathering fixes: order of time against a plain sort, names that are used again, limits.
#include "traces/trace_readers.h"

#include <starcloak/rng.h>

#include "base/rng.h"
#include "support/check.h"

#include <stdio.h>

static void init(sc__tracks *tracks, sc_diag *diag)
{
    *diag = (sc_diag){""};
    sc__tracks_init(tracks, diag);
}

static uint32_t traveller(sc__tracks *tracks, sc__trace_kind kind, const char *id)
{
    uint32_t number = UINT32_MAX;
    CHECK_OK(sc__tracks_traveller(tracks, kind, (sc_slice){id, strlen(id)}, &number), tracks->diag);
    return number;
}

static void add(sc__tracks *tracks, uint32_t number, double t_s, double x)
{
    CHECK_OK(sc__tracks_add(tracks, number, (sc_fix){.t_s = t_s, .x = x}), tracks->diag);
}

static sc__gathered finish(sc__tracks *tracks)
{
    sc__gathered gathered = {0};
    CHECK_OK(sc__tracks_finish(tracks, &gathered), tracks->diag);
    sc__tracks_fini(tracks);
    return gathered;
}

// --- Order -------------------------------------------------------------------------------------

// The number of fixes before `t_s`, and which of those at `t_s` came first.
static size_t place_of(const sc_fix *came, size_t count, double t_s, double *first_x)
{
    size_t before = 0;
    bool is_known = false;
    for (size_t i = 0; i < count; i++) {
        bool is_new = came[i].t_s < t_s;
        for (size_t j = 0; j < i && is_new; j++) {
            is_new = came[j].t_s != came[i].t_s;
        }
        before += is_new;
        if (came[i].t_s == t_s && !is_known) {
            *first_x = came[i].x;
            is_known = true;
        }
    }
    return before;
}

static void test_fixes_are_in_order_of_time_and_the_first_of_each_moment_stays(void **state)
{
    (void)state;
    enum { CASES = 200, MOST = 120 };
    sc_rng rng;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        check_case(seed);
        sc_rng_seed(&rng, seed);
        sc_fix came[MOST];
        const size_t count = 1 + sc_rng_below(&rng, MOST);
        const uint32_t moments = 1 + (uint32_t)sc_rng_below(&rng, 2 * MOST);
        const uint64_t shape = sc_rng_below(&rng, 3);
        sc_diag diag;
        sc__tracks tracks;
        init(&tracks, &diag);
        const uint32_t number = traveller(&tracks, SC__TRACE_VEHICLE, "a");
        for (size_t i = 0; i < count; i++) {
            // Ascending in pairs, descending in pairs, or anyhow; x says when it came.
            const size_t pair = i / 2;
            const double t = shape == 0   ? (double)pair
                             : shape == 1 ? -(double)pair
                                          : (double)sc_rng_below(&rng, moments);
            came[i] = (sc_fix){.t_s = t, .x = (double)i};
            add(&tracks, number, t, (double)i);
        }
        sc__gathered gathered = finish(&tracks);
        assert_int_equal(gathered.track_count, 1);
        assert_int_equal(gathered.fix_count + gathered.same_time_count, count);
        assert_int_equal(gathered.tracks[0].count, gathered.fix_count);
        for (size_t i = 0; i < gathered.fix_count; i++) {
            const sc_fix *fix = &gathered.tracks[0].fixes[i];
            double first_x = -1.0;
            assert_int_equal(place_of(came, count, fix->t_s, &first_x), i);
            CHECK_SAME(fix->x, first_x);
        }
        sc__gathered_fini(&gathered);
    }
    check_case_done();
}

static void test_many_travellers_keep_their_own_fixes(void **state)
{
    (void)state;
    enum { TRAVELLERS = 1000, ROUNDS = 20 };
    sc_diag diag;
    sc__tracks tracks;
    init(&tracks, &diag);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TRAVELLERS; i++) {
            char id[16];
            snprintf(id, sizeof id, "%03d", (i * 7) % TRAVELLERS);
            add(&tracks, traveller(&tracks, SC__TRACE_VEHICLE, id), round, (i * 7) % TRAVELLERS);
        }
    }
    sc__gathered gathered = finish(&tracks);
    assert_int_equal(gathered.track_count, TRAVELLERS);
    for (int i = 0; i < TRAVELLERS; i++) {
        char id[16];
        snprintf(id, sizeof id, "%03d", i);
        assert_string_equal(gathered.tracks[i].name, id);
        assert_int_equal(gathered.tracks[i].count, ROUNDS);
        for (int round = 0; round < ROUNDS; round++) {
            CHECK_SAME(gathered.tracks[i].fixes[round].t_s, (double)round);
            CHECK_SAME(gathered.tracks[i].fixes[round].x, (double)i);
        }
    }
    sc__gathered_fini(&gathered);
}

// --- Names -------------------------------------------------------------------------------------

static void test_no_two_tracks_have_one_name(void **state)
{
    (void)state;
    sc_diag diag;
    sc__tracks tracks;
    init(&tracks, &diag);
    // Three tracks of "a", a person "a", and others who are called what these might be.
    const uint32_t a = traveller(&tracks, SC__TRACE_VEHICLE, "a");
    add(&tracks, a, 0, 1);
    sc__tracks_part(&tracks, a);
    add(&tracks, a, 0, 2);
    add(&tracks, traveller(&tracks, SC__TRACE_PERSON, "a"), 0, 3);
    sc__tracks_part(&tracks, a);
    sc__tracks_part(&tracks, a);
    add(&tracks, a, 0, 4);
    add(&tracks, traveller(&tracks, SC__TRACE_PERSON, "a/2"), 0, 5);
    add(&tracks, traveller(&tracks, SC__TRACE_VEHICLE, "a/2"), 0, 6);
    add(&tracks, traveller(&tracks, SC__TRACE_VEHICLE, "a/4"), 0, 7);
    add(&tracks, traveller(&tracks, SC__TRACE_VEHICLE, "a."), 0, 8);
    // Never seen anywhere, so no track; but the name is taken.
    traveller(&tracks, SC__TRACE_VEHICLE, "a/5");

    sc__gathered gathered = finish(&tracks);
    static const struct {
        const char *name;
        double x;
    } wanted[] = {{"a", 1},   {"a.", 8},  {"a/2", 5}, {"a/2/2", 6},
                  {"a/3", 2}, {"a/4", 7}, {"a/6", 3}, {"a/7", 4}};
    assert_int_equal(gathered.track_count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < gathered.track_count; i++) {
        assert_string_equal(gathered.tracks[i].name, wanted[i].name);
        CHECK_SAME(gathered.tracks[i].fixes[0].x, wanted[i].x);
    }
    sc__gathered_fini(&gathered);
}

static void test_an_id_has_a_few_letters(void **state)
{
    (void)state;
    char text[SC__TRACE_MAX_ID + 1];
    memset(text, 'a', sizeof text);
    assert_null(sc__trace_id_problem((sc_slice){text, 1}));
    assert_null(sc__trace_id_problem((sc_slice){text, SC__TRACE_MAX_ID}));
    assert_string_equal(sc__trace_id_problem((sc_slice){text, SC__TRACE_MAX_ID + 1}),
                        "is longer than 255 bytes");
    assert_string_equal(sc__trace_id_problem((sc_slice){text, 0}), "is empty");
    static const char *const control[] = {"a\n", "\x7f", "a\tb", "\x1b[0m"};
    for (size_t i = 0; i < sizeof control / sizeof *control; i++) {
        assert_string_equal(sc__trace_id_problem((sc_slice){control[i], strlen(control[i])}),
                            "contains a control character");
    }
    assert_string_equal(sc__trace_id_problem((sc_slice){"a\0b", 3}),
                        "contains a control character");
    assert_string_equal(sc__trace_id_problem((sc_slice){"a\xc3", 2}), "is not UTF-8");
    assert_string_equal(sc__trace_id_problem((sc_slice){"\xed\xa0\x80", 3}), "is not UTF-8");
}

// --- Limits ------------------------------------------------------------------------------------

static void test_what_is_too_much_is_told(void **state)
{
    (void)state;
    sc_diag diag;
    sc__tracks tracks;
    init(&tracks, &diag);
    assert_int_equal(tracks.most, UINT32_MAX - 1);
    tracks.most = 2;
    const uint32_t a = traveller(&tracks, SC__TRACE_VEHICLE, "a");
    traveller(&tracks, SC__TRACE_VEHICLE, "b");
    uint32_t c = 0;
    CHECK_REFUSED(sc__tracks_traveller(&tracks, SC__TRACE_VEHICLE, (sc_slice){"c", 1}, &c),
                  SC_ELIMIT, &diag, "more than 2 travellers; read fewer files at once");
    assert_int_equal(traveller(&tracks, SC__TRACE_VEHICLE, "a"), a);
    add(&tracks, a, 0, 0);
    add(&tracks, a, 1, 0);
    CHECK_REFUSED(sc__tracks_add(&tracks, a, (sc_fix){.t_s = 2}), SC_ELIMIT, &diag,
                  "more than 2 fixes; read fewer files at once");
    sc__tracks_fini(&tracks);
    sc__tracks_fini(&tracks);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_fixes_are_in_order_of_time_and_the_first_of_each_moment_stays),
    cmocka_unit_test(test_many_travellers_keep_their_own_fixes),
    cmocka_unit_test(test_no_two_tracks_have_one_name),
    cmocka_unit_test(test_an_id_has_a_few_letters),
    cmocka_unit_test(test_what_is_too_much_is_told),
};
SC_SUITE(tests)
