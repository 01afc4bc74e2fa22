// What a provider of areas was asked: records of real questions pass, and each way to break one is
// found.
#include <starcloak/map_generate.h>
#include <starcloak/verify.h>

#include "sim/evaluate.h"
#include "support/area_server.h"
#include "support/breaks_areas.h"
#include "support/check.h"
#include "support/made_record.h"
#include "support/oom.h"
#include "support/place.h"
#include "verify/verify_record.h"

#include <stdio.h>
#include <stdlib.h>

#define SNAP_M 120.0
#define TILES "[tiles]\nsnap = 120\nsize = 500\n"

static const sc_map *city(void)
{
    static sc_map *map;
    sc_diag diag = {""};
    const sc_city_options options = {.node_count = 1500, .seed = 5, .one_way_share = 0.3};
    if (!map) CHECK_OK(sc_map_generate_city(&options, &map, &diag), &diag);
    return map;
}

/** Someone to ask. */
typedef struct scene {
    place place;
    sc_rng rng;
    area_world world;
    area_server *server;
    sc_area_settings *settings;
    sc_area_provider *provider;
    sc_area_asker *asker;
} scene;

static scene open_scene(uint32_t count, area_mode mode, const char *more)
{
    scene s = {.place = place_new()};
    sc_diag diag = {""};
    sc_rng_seed(&s.rng, 7);
    s.world = area_world_new(city(), count, SNAP_M, &s.rng);
    s.server = area_server_start(&s.world, mode);
    s.settings = area_server_settings(s.server, more);
    CHECK_OK(sc_area_provider_new(city(), NULL, s.settings, &s.provider, &diag), &diag);
    CHECK_OK(sc_area_asker_new(s.provider, &s.asker, &diag), &diag);
    return s;
}

static void close_scene(scene *s)
{
    sc_area_asker_free(s->asker);
    sc_area_provider_free(s->provider);
    sc_area_settings_free(s->settings);
    area_server_stop(s->server);
    area_world_free(&s->world);
    place_free(&s->place);
}

static sc_evaluate_report evaluate(const scene *s, const char *path)
{
    sc_evaluate_options how = sc_evaluate_options_default();
    sc_evaluate_report report;
    sc_diag diag = {""};
    how.areas = s->asker;
    how.area_provider = s->provider;
    how.vocabulary = sc_area_provider_vocabulary(s->provider);
    CHECK_OK(sc_evaluate(city(), path, path, &how, &report, &diag), &diag);
    assert_int_equal(report.failed, 0);
    assert_true(report.answered > 0);
    return report;
}

// A record of some cloaks, answered by asking for areas; release with free().
static char *answered_record(const scene *s, uint64_t seed, uint32_t cloaks, bool has_categories)
{
    const made_wishes wishes = {.cloaks = cloaks, .min_members = 2};
    made_record record = made_record_new(city(), seed, &wishes);
    for (size_t i = 0; i < record.count && !has_categories; i++) {
        record.events[i].category = SC_NONE;
    }
    size_t size = 0;
    char *asked = made_text(&record, &size);
    const char *path = place_write_text(&s->place, "run.jsonl", asked);
    (void)evaluate(s, path);
    free(asked);
    made_record_free(&record);
    return read_whole(path, &size);
}

static sc_verify_report verify(const char *text)
{
    sc_verify_report report;
    sc_diag diag = {""};
    const sc_input input = {"run.jsonl", (const uint8_t *)text, strlen(text)};
    const sc_verify_options options = sc_verify_options_default();
    CHECK_OK(sc__verify_input(city(), &input, &options, &report, &diag), &diag);
    return report;
}

static void test_what_is_asked_passes_with_any_provider_and_cache(void **state)
{
    (void)state;
    static const struct {
        area_mode mode;
        const char *more;
    } cases[] = {
        {AREA_GOOD, TILES},
        {AREA_GOOD, TILES "[cache]\nbytes = 0\n"},
        {AREA_GOOD, "[tiles]\nsnap = 120\n"},
        {AREA_GOOD, "[tiles]\nsnap = 120\nsize = 150\n"},
        {AREA_ETAG, TILES},
        {AREA_NO_STORE, TILES},
        {AREA_EVERYTHING, TILES},
        {AREA_GOOD, TILES "[provider]\ncategories-at-once = 1\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(i);
        scene s = open_scene(i % 2 ? 400 : 60, cases[i].mode, cases[i].more);
        char *text = answered_record(&s, 3 + i, 24, true);
        const sc_verify_report report = verify(text);
        for (size_t v = 0; v < report.shown_count; v++) {
            print_message("%s\n", report.shown[v].text);
        }
        assert_int_equal(report.violated[SC_PROMISE_AREAS], 0);
        assert_int_equal(report.violated[SC_PROMISE_ANSWERS], 0);
        assert_true(report.checked[SC_PROMISE_AREAS] > 24);
        assert_true(report.checked[SC_PROMISE_ANSWERS] > 24);
        assert_true(report.demanded >> SC_PROMISE_AREAS & 1);
        free(text);
        close_scene(&s);
    }
    check_case_done();
}

static void test_each_breakage_is_found(void **state)
{
    (void)state;
    scene s = open_scene(150, AREA_GOOD, TILES);
    char *text = answered_record(&s, 3, 24, false);
    assert_int_equal(verify(text).violations, 0);
    for (size_t i = 0; area_breakages[i].name; i++) {
        check_case(i);
        char *broken = area_breakages[i].go(text);
        const sc_verify_report report = verify(broken);
        if (report.shown_count == 0) print_message("%s: nothing\n", area_breakages[i].name);
        assert_true(report.shown_count > 0);
        if (!strstr(report.shown[0].text, area_breakages[i].says)) {
            print_message("%s: %s\n", area_breakages[i].name, report.shown[0].text);
        }
        assert_non_null(strstr(report.shown[0].text, area_breakages[i].says));
        assert_int_equal(report.shown[0].promise, area_breakages[i].promise);
        for (unsigned p = 0; p < SC_PROMISE_COUNT; p++) {
            const bool may_be = p == SC_PROMISE_AREAS || p == SC_PROMISE_ANSWERS;
            if (!may_be) assert_int_equal(report.violated[p], 0);
        }
        free(broken);
    }
    check_case_done();
    free(text);
    close_scene(&s);
}

static void test_an_evaluation_replaces_what_an_earlier_one_told_of_areas(void **state)
{
    (void)state;
    scene s = open_scene(150, AREA_GOOD, TILES);
    char *text = answered_record(&s, 3, 6, true);
    const char *path = place_path(&s.place, "run.jsonl");
    size_t size = 0;
    // All tiles are there now, so nothing is asked for.
    assert_int_equal(evaluate(&s, path).questions, 0);
    char *again = read_whole(path, &size);
    assert_null(strstr(strchr(again, '\n'), "{\"event\":\"tiles\""));
    assert_null(strstr(again, ",\"cloak\":0,\"level\""));
    const sc_verify_report verified = verify(again);
    assert_int_equal(verified.violations, 0);
    assert_true(verified.checked[SC_PROMISE_AREAS] > 6);
    free(again);
    free(text);
    close_scene(&s);
}

static void test_lines_that_are_no_areas_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *says;
    } bad[] = {
        {"{\"event\":\"tiles\"}", "'west' is missing or is not a whole number of steps"},
        {"{\"event\":\"tiles\",\"west\":0,\"south\":0,\"side_x\":0}", "'side_x' is missing"},
        {"{\"event\":\"tiles\",\"west\":0,\"south\":0,\"side_x\":1,\"side_y\":1,\"level\":27}",
         "'level' is missing or is not a level of 0 to 26"},
        {"{\"event\":\"tiles\",\"west\":0,\"south\":0,\"side_x\":1,\"side_y\":1,\"level\":2,"
         "\"snap_m\":5,\"reach_m\":4,\"by_category\":true}",
         "'reach_m' is missing or is not 'snap_m' or more"},
        {"{\"event\":\"area\",\"area\":-1}", "'area' is missing or is not the number of an area"},
        {"{\"event\":\"area\",\"area\":1,\"cloak\":\"x\"}", "'cloak' is missing"},
        {"{\"event\":\"area\",\"area\":1,\"level\":1,\"x\":0,\"y\":0,\"category\":7}",
         "'category' is missing or is not a name or null"},
        {"{\"event\":\"area\",\"area\":1,\"level\":1,\"x\":0,\"y\":0,\"category\":null,"
         "\"objects\":[{\"poi\":\"a\",\"category\":\"b\",\"edge\":0}]}",
         "'offset_m' is missing"},
        {"{\"event\":\"area\",\"area\":1,\"level\":1,\"x\":0,\"y\":0,\"category\":null,"
         "\"objects\":[{\"poi\":7}]}",
         "'poi' is missing or is not a text"},
        {"{\"event\":\"areas\",\"cloak\":0}", "'rounds' is missing or is not a list"},
        {"{\"event\":\"areas\",\"cloak\":0,\"rounds\":[{\"tiles\":[]}]}", "'areas' is missing"},
        {"{\"event\":\"areas\",\"cloak\":0,\"rounds\":[{\"tiles\":[{\"category\":null,\"level\":1,"
         "\"x\":[0],\"y\":[0,0]}],\"areas\":[]}]}",
         "'x' is missing or is not a list of two whole numbers"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[500];
        sc_verify_report report;
        sc_diag diag = {""};
        snprintf(text, sizeof text, "%s\n{\"event\":\"end\",\"t\":1}\n", bad[i].line);
        const sc_input input = {"run.jsonl", (const uint8_t *)text, strlen(text)};
        const sc_verify_options options = sc_verify_options_default();
        const sc_err err = sc__verify_input(city(), &input, &options, &report, &diag);
        CHECK_REFUSED(err, SC_EPARSE, &diag, bad[i].says);
    }
}

static void test_memory_that_runs_out_while_areas_are_looked_at_is_said(void **state)
{
    (void)state;
    scene s = open_scene(100, AREA_GOOD, TILES);
    char *text = answered_record(&s, 4, 3, true);
    const sc_input input = {"run.jsonl", (const uint8_t *)text, strlen(text)};
    const sc_verify_options options = sc_verify_options_default();
    FOR_EACH_FAILURE(n)
    {
        sc_verify_report report;
        sc_diag diag = {""};
        const sc_err err = sc__verify_input(city(), &input, &options, &report, &diag);
        if (!oom_happened()) {
            assert_int_equal(err, SC_OK);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
    }
    free(text);
    close_scene(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_what_is_asked_passes_with_any_provider_and_cache),
    SC_CASES(test_each_breakage_is_found),
    cmocka_unit_test(test_an_evaluation_replaces_what_an_earlier_one_told_of_areas),
    cmocka_unit_test(test_lines_that_are_no_areas_are_refused),
    cmocka_unit_test(test_memory_that_runs_out_while_areas_are_looked_at_is_said),
};
SC_SUITE(tests)
