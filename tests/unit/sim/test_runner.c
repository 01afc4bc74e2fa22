// Recorded streams in virtual time: what is admitted, when it ends, and how long it waited.
#include "sim/run.h"

#include <stdio.h>

#include "sim/runner.h"
#include "support/check.h"
#include "support/history.h"
#include "support/place.h"
#include "support/sketch.h"

/** A grid of streets, and a place for records. */
typedef struct town {
    sc_map *map;
    place here;
} town;

static int open_town(void **state)
{
    static town the_town;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 8, 8);
    the_town.map = sketch_map(&s);
    the_town.here = place_new();
    sketch_free(&s);
    *state = &the_town;
    return 0;
}

static int close_town(void **state)
{
    const town *t = *state;
    place_free(&t->here);
    sc_map_free(t->map);
    return 0;
}

/** A stream in the making: begin with zero, end with run(). */
typedef struct words {
    char *text;
    size_t size;
    size_t count;
} words;

/** A query on an edge for k users and one segment, within three hops. */
static void say(words *w, const char *user, double t, unsigned edge, unsigned k, double wait_s)
{
    char line[300];
    const int size =
        snprintf(line, sizeof line,
                 "{\"user\":\"%s\",\"t\":%.6f,\"edge\":%u,\"offset_m\":1,\"profile\":{\"k\":%u,"
                 "\"l\":1,\"sigma_s\":3,\"sigma_t\":%.6f},\"request\":{\"type\":\"knn\",\"k\":1,"
                 "\"category\":null}}\n",
                 user, t, edge, k, wait_s);
    w->text = realloc(w->text, w->size + (size_t)size);
    assert_non_null(w->text);
    memcpy(w->text + w->size, line, (size_t)size);
    w->size += (size_t)size;
    w->count++;
}

static sc_run_report run(const sc_map *map, words *w, const sc_run_options *options)
{
    sc_stream *stream = NULL;
    sc_run_report report = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_stream_parse(map, w->text ? w->text : "", w->size, "text", &stream, &diag), &diag);
    CHECK_OK(sc_run_stream(map, stream, options, &report, &diag), &diag);
    sc_stream_free(stream);
    free(w->text);
    return report;
}

static void test_waits_are_those_of_the_queries_times(void **state)
{
    // Two find each other after 2 s; the third never finds four others, and expires.
    const town *t = *state;
    words w = {0};
    say(&w, "ada", 1, 0, 2, 5);
    say(&w, "bob", 3, 0, 2, 5);
    say(&w, "cyd", 4, 0, 5, 5);

    const sc_run_options options = sc_run_options_default();
    const sc_run_report report = run(t->map, &w, &options);
    assert_int_equal(report.queries, 3);
    assert_int_equal(report.cloaked, 2);
    assert_int_equal(report.cloaks, 1);
    assert_int_equal(report.engine.dropped[SC_DROP_EXPIRED], 1);
    CHECK_CLOSE(report.wait_s.mean, 1.0, 1e-9);
    CHECK_CLOSE(report.wait_s.max, 2.0, 1e-9);
    CHECK_SAME(report.users.mean, 2);
    // A query expires when the clock has passed its deadline.
    assert_int_equal(report.end, sc_time_from_seconds(9.0) + 1);
    CHECK_CLOSE(report.virtual_s, 8.000001, 1e-9);
}

static void test_the_engine_is_woken_between_queries(void **state)
{
    // The second finds three only when the first, who wants five, has expired; by then it is
    // alone on the clock: no query is asked between 2 s and 9 s.
    const town *t = *state;
    const char *path = place_path(&t->here, "run");
    words w = {0};
    say(&w, "ada", 0, 0, 5, 3);
    say(&w, "bob", 1, 0, 3, 8);
    say(&w, "cyd", 1.5, 0, 3, 8);
    say(&w, "dan", 2, 0, 3, 8);
    say(&w, "eve", 12, 0, 1, 8);

    sc_run_options options = sc_run_options_default();
    options.record = path;
    const sc_run_report report = run(t->map, &w, &options);
    assert_int_equal(report.engine.dropped[SC_DROP_EXPIRED], 1);
    assert_int_equal(report.cloaked, 4);
    history h = history_read(path);
    CHECK_CLOSE(h.lives[0].ended, 3.000001, 1e-9);
    CHECK_CLOSE(h.lives[1].ended, 3.000001, 1e-9);
    CHECK_CLOSE(h.lives[4].ended, 12, 1e-9);
    history_free(&h);
}

static void test_what_is_not_admitted_is_counted_told_and_passed_over(void **state)
{
    const town *t = *state;
    words w = {0};
    say(&w, "ada", 5, 0, 2, 5);
    say(&w, "bob", 4, 0, 2, 5);    // too early
    say(&w, "cyd", 5, 999, 2, 5);  // no such edge
    say(&w, "ada", 5, 0, 2, 5);    // once more
    say(&w, "dan", 5, 0, 0, 5);    // no other user at all
    say(&w, "eve", 4.5, 0, 2, 5);  // too early
    say(&w, "fay", 4.5, 0, 2, 5);  // too early
    say(&w, "gus", 6, 0, 2, 5);

    const sc_run_options options = sc_run_options_default();
    const sc_run_report report = run(t->map, &w, &options);
    assert_int_equal(report.queries, 2);
    assert_int_equal(report.cloaked, 2);
    assert_int_equal(report.refused[SC_ETIME], 3);
    assert_int_equal(report.refused[SC_EUNKNOWN], 1);
    assert_int_equal(report.refused[SC_EDUPLICATE], 1);
    assert_int_equal(report.refused[SC_EPROFILE], 1);
    assert_int_equal(sc_run_refused_count(&report), 6);
    assert_int_equal(report.shown_count, SC_REFUSALS_SHOWN);
    assert_int_equal(report.shown[1].reason, SC_EUNKNOWN);
    for (size_t i = 0; i < report.shown_count; i++) {
        assert_int_equal(report.shown[i].line, i + 2);
        assert_true(strlen(report.shown[i].text) > 10);
        assert_null(strstr(report.shown[i].text, "ada"));
    }
}

static void test_a_stream_longer_than_a_slice_is_one_run(void **state)
{
    // Ten ask in each moment, and slices end in the middle of one.
    const town *t = *state;
    const char *path = place_path(&t->here, "run");
    words w = {0};
    for (unsigned i = 0; i < 2 * SC_SLICE_MAX + 100; i++) {
        const unsigned moment = i / 10;
        char user[16];
        snprintf(user, sizeof user, "u%u", i);
        say(&w, user, moment * 0.05, i * 37 % sc_map_edge_count(t->map), 1 + i % 12, 2);
    }
    sc_run_options options = sc_run_options_default();
    options.engine.variant = SC_VARIANT_HYBRID;
    options.record = path;
    const sc_run_report report = run(t->map, &w, &options);
    assert_int_equal(report.queries, w.count);
    assert_in_range(report.cloaked, w.count / 2, w.count - 1);
    check_promises(t->map, path);
    history h = history_read(path);
    assert_int_equal(h.count, w.count);
    assert_true(h.is_ordered);
    history_free(&h);
}

static void test_an_empty_stream_is_an_empty_run(void **state)
{
    const town *t = *state;
    const char *path = place_path(&t->here, "run");
    words w = {0};
    sc_run_options options = sc_run_options_default();
    options.record = path;
    const sc_run_report report = run(t->map, &w, &options);
    assert_int_equal(report.queries, 0);
    CHECK_SAME(report.virtual_s, 0);
    history h = history_read(path);
    assert_int_equal(h.count, 0);
    CHECK_SAME(h.end, 0);
    history_free(&h);
}

static void test_times_before_zero_are_times(void **state)
{
    const town *t = *state;
    words w = {0};
    say(&w, "ada", -7, 0, 2, 5);
    say(&w, "bob", -4, 0, 2, 5);
    const sc_run_options options = sc_run_options_default();
    const sc_run_report report = run(t->map, &w, &options);
    assert_int_equal(report.cloaked, 2);
    assert_int_equal(report.end, sc_time_from_seconds(-4.0));
    CHECK_CLOSE(report.wait_s.max, 3.0, 1e-9);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_waits_are_those_of_the_queries_times),
    cmocka_unit_test(test_the_engine_is_woken_between_queries),
    cmocka_unit_test(test_what_is_not_admitted_is_counted_told_and_passed_over),
    cmocka_unit_test(test_a_stream_longer_than_a_slice_is_one_run),
    cmocka_unit_test(test_an_empty_stream_is_an_empty_run),
    cmocka_unit_test(test_times_before_zero_are_times),
};
SC_SUITE_WITH(tests, open_town, close_town)
