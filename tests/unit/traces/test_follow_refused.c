// What cannot be followed: maps, options and traces that are refused, with a sentence that helps
// and gives no traveller away.
#include "follow_town.h"

static sc_err try_to_follow(const town *t, const char *lines, const sc_follow_options *options,
                            sc_diag *diag)
{
    sc_traces *traces = traces_of(lines);
    sc_movement *movement = NULL;
    const sc_err err = sc_follow_new(&(sc_follow_input){t->map, t->routes, traces}, options, NULL,
                                     &movement, NULL, diag);
    assert_int_equal(movement == NULL, err != SC_OK);
    sc_movement_free(movement);
    sc_traces_free(traces);
    return err;
}

static void test_a_map_without_coordinates_is_refused(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_NONE, 3, 3);
    town t = town_of(&s);
    const sc_follow_options options = sc_follow_options_default();
    sc_diag diag = {""};
    CHECK_REFUSED(try_to_follow(&t, "cab,0,0,0\ncab,10,50,0\n", &options, &diag), SC_ENOCOORDS,
                  &diag, "the map has no coordinates");
    town_free(&t);
}

static void test_options_out_of_range_are_refused(void **state)
{
    (void)state;
    town t = town_new();
    const sc_follow_options usual = sc_follow_options_default();
    sc_follow_options options;
    const struct {
        double *field;
        double value;
        const char *message;
    } cases[] = {
        {&options.max_snap_m, -1, "from a road must be 0 m or more, not -1 m"},
        {&options.max_snap_m, NOT_A_NUMBER, "from a road must be 0 m or more"},
        {&options.max_gap_s, 0, "must be more than 0 s, not 0 s"},
        {&options.max_gap_s, NOT_A_NUMBER, "between two fixes must be more than 0 s"},
        {&options.fold_s, 0.5, "1 s or more, not 0.5 s"},
        {&options.fold_s, -3600, "1 s or more"},
        {&options.fold_s, HUGE_VAL, "1 s or more"},
        {&options.fold_s, NOT_A_NUMBER, "1 s or more"},
        {&options.start_s, HUGE_VAL, "the start must be a time in seconds"},
        {&options.start_s, NOT_A_NUMBER, "the start must be a time in seconds"},
        {&options.end_s, 0, "must end after its start"},
        {&options.end_s, NOT_A_NUMBER, "must end after its start"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        options = usual;
        options.has_start = true;
        *cases[i].field = cases[i].value;
        sc_diag diag = {""};
        CHECK_REFUSED(try_to_follow(&t, "cab,0,0,0\ncab,10,50,0\n", &options, &diag), SC_EINVAL,
                      &diag, cases[i].message);
    }
    // Without limits one may be.
    options = usual;
    options.max_snap_m = HUGE_VAL;
    options.max_gap_s = HUGE_VAL;
    options.fold_s = 1e300;
    sc_diag diag = {""};
    CHECK_OK(try_to_follow(&t, "cab,0,0,-5e4\ncab,1e9,50,0\n", &options, &diag), &diag);
    town_free(&t);
}

static void test_where_no_track_is_ever_on_the_roads_the_message_says_why(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_options options = sc_follow_options_default();
    sc_diag diag = {""};
    CHECK_REFUSED(try_to_follow(&t, "cab,0,0,777\ncab,10,50,777\ncab,500,0,0\n", &options, &diag),
                  SC_EINVAL, &diag,
                  "no track of the traces moves on the roads; fixes: 3 in all, 0 before the start "
                  "or after the end, 2 more than 100 m from any road; pairs of the others: 0 more "
                  "than 300 s apart, 0 without a route between them; movement needs two fixes of a "
                  "track; check that traces and map show the same area in the same coordinates");
    CHECK_REFUSED(try_to_follow(&t, "cab,0,0,0\ncab,1000,50,0\n", &options, &diag), SC_EINVAL,
                  &diag, " 1 more than 300 s apart");
    CHECK_REFUSED(try_to_follow(&t, "cab,0,0,0\ncab,100,50,2000\n", &options, &diag), SC_EINVAL,
                  &diag, " 1 without a route between them");
    CHECK_REFUSED(try_to_follow(&t, "cab,0,0,0\nvan,100,50,0\n", &options, &diag), SC_EINVAL, &diag,
                  "no track of the traces");
    options.has_start = true;
    options.start_s = 1000;
    CHECK_REFUSED(try_to_follow(&t, "cab,0,0,0\ncab,100,50,0\n", &options, &diag), SC_EINVAL, &diag,
                  "2 in all, 2 before the start or after the end");
    // Before the first fix, which is the start unless another is given.
    options.has_start = false;
    options.end_s = -5;
    CHECK_REFUSED(try_to_follow(&t, "cab,0,0,0\ncab,100,50,0\n", &options, &diag), SC_EINVAL, &diag,
                  "2 in all, 2 before the start or after the end");
    town_free(&t);
}

// Metres on a map in degrees.
static void test_what_is_no_position_on_the_globe_is_too_far(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 3, 3);
    town t = town_of(&s);
    const sc_follow_options options = sc_follow_options_default();
    sc_diag diag = {""};
    CHECK_REFUSED(try_to_follow(&t, "cab,0,5000,777\ncab,10,5001,777\n", &options, &diag),
                  SC_EINVAL, &diag, " 2 more than 100 m from any road");
    town_free(&t);
}

// Twice the most travellers there may be, out of two fixes; and no memory is taken for them.
static void test_folding_into_too_many_windows_is_refused(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_options options = sc_follow_options_default();
    options.max_gap_s = 1e9;
    options.fold_s = 1;
    sc_diag diag = {""};
    CHECK_REFUSED(try_to_follow(&t, "cab,0,0,0\ncab,2e8,50,0\n", &options, &diag), SC_EINVAL, &diag,
                  "folding makes more than 100000000 travellers; choose longer windows");
    town_free(&t);
}

static void test_no_message_repeats_a_name_or_a_position(void **state)
{
    (void)state;
    town t = town_new();
    sc_follow_options options = sc_follow_options_default();
    const char *const lines[] = {"secret-cab,0,123.5,777.5\nsecret-cab,10,124.5,777.5\n",
                                 "secret-cab,0,123.5,0\n",
                                 "secret-cab,0,123.5,0\nsecret-cab,100,124.5,2000\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        sc_diag diag = {""};
        CHECK_REFUSED(try_to_follow(&t, lines[i], &options, &diag), SC_EINVAL, &diag, "no track");
        assert_null(strstr(diag.message, "secret"));
        assert_null(strstr(diag.message, "123"));
        assert_null(strstr(diag.message, "124"));
        assert_null(strstr(diag.message, "777"));
    }
    town_free(&t);
}

// --- Progress ---------------------------------------------------------------

/** What was reported. */
typedef struct reports {
    uint64_t count;
    uint64_t done;
    uint64_t total;
} reports;

static void note(void *context, const char *phase, uint64_t done, uint64_t total)
{
    reports *r = context;
    assert_string_equal(phase, "following traces");
    assert_true(done >= r->done && done <= total);
    r->count++;
    r->done = done;
    r->total = total;
}

static void test_progress_goes_from_nothing_to_all(void **state)
{
    (void)state;
    town t = grid_town();
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    char *lines = random_lines(&rng);
    sc_traces *traces = traces_of(lines);
    for (uint32_t max_count = 0; max_count <= 50; max_count += 50) {
        sc_follow_options options = random_options();
        options.fold_s = 10;
        options.max_count = max_count;
        reports r = {0};
        sc_movement *m = NULL;
        const sc_progress progress = {note, &r};
        CHECK_OK(sc_follow_new(&(sc_follow_input){t.map, t.routes, traces}, &options, &progress, &m,
                               NULL, NULL),
                 NULL);
        assert_true(r.count >= 2);
        assert_true(r.done == r.total);
        if (max_count > 0) assert_int_equal(r.total, max_count);
        sc_movement_free(m);
    }
    sc_traces_free(traces);
    free(lines);
    town_free(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_map_without_coordinates_is_refused),
    cmocka_unit_test(test_options_out_of_range_are_refused),
    cmocka_unit_test(test_where_no_track_is_ever_on_the_roads_the_message_says_why),
    cmocka_unit_test(test_what_is_no_position_on_the_globe_is_too_far),
    cmocka_unit_test(test_folding_into_too_many_windows_is_refused),
    cmocka_unit_test(test_no_message_repeats_a_name_or_a_position),
    cmocka_unit_test(test_progress_goes_from_nothing_to_all),
};
SC_SUITE(tests)
