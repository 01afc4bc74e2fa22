// A recorded run on the demo's streams: what happens is told in the record's time, and can be
// stopped, hurried and sought.
#include "demo/demo_replay.h"

#include "demo/position_frames.h"
#include "read_frames.h"
#include "replay_record.h"
#include "scene.h"
#include "support/oom.h"
#include "support/place.h"

/** A demo that replays a record. */
typedef struct replayed {
    scene on;
    place p;
    script s;
} replayed;

/** Write the record to `r->s`, then replayed_open(). */
static void replayed_prepare(replayed *r)
{
    scene_prepare(&r->on);
    r->p = place_new();
    r->s = script_new(r->on.live.map);
}

static void replayed_open(replayed *r)
{
    r->on.options.replay = place_write(&r->p, "run.jsonl", r->s.text, r->s.size);
    scene_open(&r->on);
    scene_start(&r->on);
}

static void replayed_close(replayed *r)
{
    scene_close(&r->on);
    script_free(&r->s);
    place_free(&r->p);
}

/**
 * Ten seconds from 100 on: 0 and 1 are together in cloak 0x2a after two of them, 2 is dropped after
 * eight; 3 asks after nine and waits until after ten, when it fails.
 */
static void write_story(script *s)
{
    script_query(s, 0, 100, 3);
    script_query(s, 1, 101, 5);
    script_query(s, 2, 101.5, 7);
    script_cloak(s, 0x2a, 102, (const unsigned[]){0, 1}, 2);
    script_loss(s, "drop", 2, 108, "expired");
    script_query(s, 3, 109, 9);
    script_loss(s, "failed", 3, 110, "provider");
    script_end(s, 110);
}

static json_t *control(const replayed *r, const char *body)
{
    json_t *now = ask_page(&r->on, body ? "POST" : "GET", "/demo/replay", body, 200);
    assert_int_equal(json_object_size(now), 5);
    return now;
}

static void command(const replayed *r, const char *body)
{
    json_decref(control(r, body));
}

// --- State ---------------------------------------------------------------------------------------

static void test_nothing_happens_before_somebody_looks(void **state)
{
    (void)state;
    replayed r;
    replayed_prepare(&r);
    write_story(&r.s);
    replayed_open(&r);
    json_t *now = control(&r, NULL);
    CHECK_SAME(number_of(now, "begin"), 100.0);
    CHECK_SAME(number_of(now, "end"), 110.0);
    CHECK_SAME(number_of(now, "now"), 100.0);
    CHECK_SAME(number_of(now, "speed"), 1.0);
    assert_true(json_is_false(json_object_get(now, "is_paused")));
    json_decref(now);
    now = control(&r, "{\"speed\":100}");
    CHECK_SAME(number_of(now, "now"), 100.0);
    CHECK_SAME(number_of(now, "speed"), 100.0);
    json_decref(now);
    replayed_close(&r);
}

static void test_a_newcomer_is_told_how_things_are_at_that_moment(void **state)
{
    (void)state;
    replayed r;
    replayed_prepare(&r);
    write_story(&r.s);
    replayed_open(&r);
    command(&r, "{\"paused\":true,\"t\":101.75}");
    // A moment later the seek is done: the first listener waits for the reset.
    onlooker first = onlooker_come(&r.on, "/demo/events");
    command(&r, "{\"t\":101.75}");
    json_decref(onlooker_next(&first, "reset"));

    onlooker eye = onlooker_come(&r.on, "/demo/events");
    json_t *hello = onlooker_any(&eye);
    assert_string_equal(eye.name, "hello");
    CHECK_SAME(number_of(hello, "t"), 101.75);
    assert_int_equal(whole_of(hello, "travellers"), 3);  // at once, at most
    json_decref(hello);
    json_t *pending = onlooker_any(&eye);
    assert_string_equal(eye.name, "pending");
    const json_t *queries = json_object_get(pending, "queries");
    assert_int_equal(json_array_size(queries), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *query = json_array_get(queries, i);
        assert_int_equal(whole_of(query, "query"), i + 1);
        assert_int_equal(whole_of(query, "segment"), r.s.segments[i]);
        static const double waited[] = {1.75, 0.75, 0.25};
        CHECK_CLOSE(number_of(query, "waited_s"), waited[i], 1e-9);
    }
    json_decref(pending);
    json_t *replay = onlooker_any(&eye);
    assert_string_equal(eye.name, "replay");
    CHECK_SAME(number_of(replay, "now"), 101.75);
    assert_true(json_is_true(json_object_get(replay, "is_paused")));
    json_decref(replay);

    onlooker provider = onlooker_come(&r.on, "/v1/events");
    json_t *history = onlooker_any(&provider);
    assert_string_equal(provider.name, "history");
    const json_t *rows = json_object_get(history, "rows");
    assert_int_equal(json_array_size(rows), 2);
    CHECK_SAME(json_number_value(json_array_get(json_array_get(rows, 1), 0)), 101.0);
    json_decref(history);
    json_t *counters = onlooker_any(&provider);
    assert_string_equal(provider.name, "counters");
    assert_int_equal(whole_of(counters, "pending"), 3);
    assert_int_equal(whole_of(counters, "cloaks"), 0);
    json_decref(counters);
    onlooker_leave(&provider);
    onlooker_leave(&eye);
    onlooker_leave(&first);
    replayed_close(&r);
}

// --- Playing -------------------------------------------------------------------------------------

static void check_ended(const json_t *event, json_int_t query, const char *outcome,
                        const char *reason, double wait_s)
{
    assert_int_equal(whole_of(event, "query"), query);
    assert_string_equal(text_of(event, "outcome"), outcome);
    if (reason) {
        assert_string_equal(text_of(event, "reason"), reason);
        assert_null(json_object_get(event, "cloak"));
    } else {
        assert_string_equal(text_of(event, "cloak"), "000000000000002a");
    }
    if (wait_s > 0) CHECK_CLOSE(number_of(event, "wait_s"), wait_s, 1e-9);
}

/** What is told of queries from the beginning, when the first waits, until the end. */
static void check_story(const replayed *r, onlooker *eye)
{
    static const char *const names[] = {"asked", "asked", "ended", "ended",
                                        "ended", "asked", "ended"};
    size_t told = 0;
    for (bool is_over = false; !is_over;) {
        json_t *event = onlooker_any(eye);
        if (strcmp(eye->name, "replay") == 0) {
            // It may tell of the pause at the beginning once more.
            is_over = json_is_true(json_object_get(event, "is_paused")) &&
                      number_of(event, "now") > 109.5;
            if (is_over) CHECK_SAME(number_of(event, "now"), 110.0);
        } else if (strcmp(eye->name, "asked") == 0 || strcmp(eye->name, "ended") == 0) {
            assert_true(told < 7);
            assert_string_equal(eye->name, names[told]);
            if (told < 2) {
                assert_int_equal(json_object_size(event), 7);
                assert_int_equal(whole_of(event, "query"), told + 2);
                assert_int_equal(whole_of(event, "segment"), r->s.segments[told + 1]);
                assert_int_equal(whole_of(event, "k"), 2);
                assert_int_equal(whole_of(event, "max_hops"), 3);
                CHECK_SAME(number_of(event, "max_wait_s"), 10.0);
            }
            if (told == 2) check_ended(event, 1, "answered", NULL, 2);
            if (told == 3) check_ended(event, 2, "answered", NULL, 1);
            if (told == 4) check_ended(event, 3, "dropped", "expired", 6.5);
            if (told == 5) assert_int_equal(whole_of(event, "query"), 4);
            if (told == 6) check_ended(event, 4, "failed", "provider", 0);
            told++;
        }
        json_decref(event);
    }
    assert_int_equal(told, 7);
}

/** A seek to the beginning was told: the first query is asked at that very moment. */
static void check_beginning(onlooker *eye)
{
    json_t *reset = onlooker_next(eye, "reset");
    CHECK_SAME(number_of(reset, "t"), 100.0);
    json_decref(reset);
    json_t *pending = onlooker_next(eye, "pending");
    const json_t *queries = json_object_get(pending, "queries");
    assert_int_equal(json_array_size(queries), 1);
    assert_int_equal(whole_of(json_array_get(queries, 0), "query"), 1);
    json_decref(pending);
}

/** What the provider sees of it. */
static void check_provider(onlooker *eye)
{
    json_t *cloak = onlooker_next(eye, "cloak");
    assert_string_equal(text_of(cloak, "id"), "000000000000002a");
    assert_int_equal(json_array_size(json_object_get(cloak, "requests")), 2);
    assert_int_equal(json_array_size(json_object_get(cloak, "border_nodes")), 1);
    json_decref(cloak);
    for (bool is_over = false; !is_over;) {
        json_t *counters = onlooker_next(eye, "counters");
        is_over = number_of(counters, "t") >= 110;
        if (is_over) {
            assert_int_equal(whole_of(counters, "answered"), 2);
            assert_int_equal(whole_of(counters, "dropped"), 1);
            assert_int_equal(whole_of(counters, "expired"), 1);
            assert_int_equal(whole_of(counters, "failed"), 1);
            assert_int_equal(whole_of(counters, "users"), 2);
            assert_int_equal(whole_of(counters, "pending"), 0);
            CHECK_CLOSE(number_of(counters, "wait_s"), 3.0, 1e-9);
        }
        json_decref(counters);
    }
}

static void test_what_happened_is_told_in_order_and_again(void **state)
{
    (void)state;
    replayed r;
    replayed_prepare(&r);
    write_story(&r.s);
    replayed_open(&r);
    onlooker eye = onlooker_come(&r.on, "/demo/events");
    onlooker provider = onlooker_come(&r.on, "/v1/events");
    command(&r, "{\"paused\":true,\"speed\":20,\"t\":0}");
    for (int round = 0; round < 3; round++) {
        check_beginning(&eye);
        json_decref(onlooker_next(&provider, "reset"));
        if (round == 0) command(&r, "{\"paused\":false}");
        check_story(&r, &eye);
        check_provider(&provider);
        command(&r, "{\"paused\":false}");  // from its end it begins again
    }
    // What the provider sees names no one.
    assert_null(strstr(provider.received.text, "\"who\""));
    assert_null(strstr(provider.received.text, "\"query\""));
    assert_null(strstr(eye.received.text, "secret"));
    onlooker_leave(&provider);
    onlooker_leave(&eye);
    replayed_close(&r);
}

static void test_queries_are_where_they_were_asked(void **state)
{
    (void)state;
    replayed r;
    replayed_prepare(&r);
    write_story(&r.s);
    replayed_open(&r);
    command(&r, "{\"paused\":true}");
    onlooker eye = onlooker_come(&r.on, "/demo/events");
    json_t *hello = onlooker_next(&eye, "hello");
    const double step = number_of(hello, "step");
    json_decref(hello);
    command(&r, "{\"t\":101.75}");
    json_decref(onlooker_next(&eye, "reset"));
    json_t *pending = onlooker_next(&eye, "pending");
    frame_reader reader = frame_reader_new(3);
    bool is_base = false;
    while (!is_base) {
        json_t *event = onlooker_next(&eye, "positions");
        is_base = json_is_true(json_object_get(event, "base")) && number_of(event, "t") > 101;
        frame_read(&reader, event);
        json_decref(event);
    }
    const sc_map *map = r.on.live.map;
    const sc_map_grid grid = sc_map_grid_of(map);
    static const sc_edge_id edges[] = {3, 5, 7};
    for (size_t i = 0; i < 3; i++) {
        const json_t *query = json_array_get(json_object_get(pending, "queries"), i);
        const json_int_t who = whole_of(query, "who");
        int32_t at[2];
        sc_position_units(map, &grid, edges[i], sc_map_edge_length_m(map, edges[i]) / 2, at);
        CHECK_CLOSE((double)reader.at[2 * who] * step, at[0], step / 2);
        CHECK_CLOSE((double)reader.at[2 * who + 1] * step, at[1], step / 2);
    }
    json_decref(pending);
    // Those that have ended are gone.
    command(&r, "{\"t\":104}");
    size_t left = 3;
    while (left != 1) {
        json_t *event = onlooker_next(&eye, "positions");
        frame_read(&reader, event);
        json_decref(event);
        left = 0;
        for (size_t i = 0; i < 3; i++) {
            left += reader.at[2 * i] >= 0;
        }
    }
    frame_reader_free(&reader);
    onlooker_leave(&eye);
    replayed_close(&r);
}

static void test_where_too_much_happens_the_state_is_told(void **state)
{
    (void)state;
    replayed r;
    replayed_prepare(&r);
    script_query(&r.s, 0, 100, 3);
    for (unsigned i = 1; i < 1000; i++) {
        script_query(&r.s, i, 105, i % sc_map_edge_count(r.on.live.map));
    }
    script_end(&r.s, 300);
    replayed_open(&r);
    command(&r, "{\"paused\":true,\"speed\":50}");
    onlooker eye = onlooker_come(&r.on, "/demo/events");
    json_decref(onlooker_next(&eye, "replay"));
    command(&r, "{\"paused\":false}");
    size_t asked = 0;
    for (size_t waiting = 0; waiting < 1000;) {
        json_t *event = onlooker_any(&eye);
        if (strcmp(eye.name, "pending") == 0) {
            waiting = json_array_size(json_object_get(event, "queries"));
        }
        asked += strcmp(eye.name, "asked") == 0;
        json_decref(event);
    }
    assert_true(asked <= 1);
    onlooker_leave(&eye);
    replayed_close(&r);
}

// --- Pages ---------------------------------------------------------------------------------------

static void check_refused(const replayed *r, const char *method, const char *path, const char *body,
                          int status, const char *part)
{
    web_reply reply = web_ask(live_service_address(&r->on.live), method, path, "", body);
    assert_int_equal(reply.status, status);
    CHECK_CONTAINS(reply.body, part);
    web_reply_free(&reply);
}

static void test_controls_that_are_none_are_refused(void **state)
{
    (void)state;
    replayed r;
    replayed_prepare(&r);
    write_story(&r.s);
    replayed_open(&r);
    check_refused(&r, "POST", "/demo/replay", "{\"speed\":0}", 400, "/speed");
    check_refused(&r, "POST", "/demo/replay", "{\"speed\":101}", 400, "0.1 to 100");
    check_refused(&r, "POST", "/demo/replay", "{\"speed\":\"fast\"}", 400, "/speed");
    check_refused(&r, "POST", "/demo/replay", "{\"paused\":1}", 400, "true or false");
    check_refused(&r, "POST", "/demo/replay", "{\"paused\":null}", 400, "true or false");
    check_refused(&r, "POST", "/demo/replay", "{\"t\":true}", 400, "/t");
    check_refused(&r, "POST", "/demo/replay", "{\"to\":1}", 400, "allowed are paused, speed, t");
    check_refused(&r, "POST", "/demo/replay", "{\"t\":1", 400, "body");
    check_refused(&r, "DELETE", "/demo/replay", NULL, 405, "GET, POST");
    // Times are brought into the record.
    static const struct {
        const char *body;
        double now;
    } times[] = {{"{\"paused\":true,\"t\":-1e300}", 100},
                 {"{\"t\":1e300}", 110},
                 {"{\"t\":104.5}", 104.5},
                 {"{}", 104.5}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        json_t *now = control(&r, times[i].body);
        CHECK_SAME(number_of(now, "now"), times[i].now);
        json_decref(now);
    }
    replayed_close(&r);
}

static void test_a_replay_says_what_it_is_and_takes_no_queries(void **state)
{
    (void)state;
    replayed r;
    replayed_prepare(&r);
    write_story(&r.s);
    replayed_open(&r);
    json_t *about = ask_page(&r.on, "GET", "/v1/about", NULL, 200);
    char *offers = json_dumps(json_object_get(about, "offers"), JSON_COMPACT);
    assert_string_equal(offers, "[\"attacks\",\"replay\"]");
    free(offers);
    json_decref(about);
    about = ask_page(&r.on, "GET", "/demo/about", NULL, 200);
    assert_int_equal(json_array_size(json_object_get(about, "engines")), 1);
    json_decref(about);
    check_refused(&r, "POST", "/v1/queries", "{}", 400, "replays a recorded run");
    check_refused(&r, "POST", "/demo/engine", "{\"engine\":\"hybrid\"}", 400, "--replay");
    json_decref(ask_page(&r.on, "GET", "/demo/places?text=cafe", NULL, 200));
    assert_int_equal(sc_demo_violations(r.on.demo), 0);
    assert_null(sc_demo_trouble(r.on.demo));
    replayed_close(&r);
}

// A live demo has no such page, and its engine is its own.
static void test_travellers_cannot_be_stopped(void **state)
{
    (void)state;
    scene on;
    scene_prepare(&on);
    scene_open(&on);
    json_decref(ask_page(&on, "GET", "/demo/replay", NULL, 404));
    assert_null(sc_demo_recorded_engine(on.demo));
    scene_close(&on);
}

static void test_the_engine_is_that_of_the_record(void **state)
{
    (void)state;
    replayed r;
    replayed_prepare(&r);
    script_query(&r.s, 0, 100, 3);
    script_put(&r.s, "{\"event\":\"end\",\"t\":110.000000,\"engine\":{\"method\":\"xstar\","
                     "\"strict\":false,\"lambda\":1,\"alpha_s\":2.000000,\"cap\":64,\"cost\":{"
                     "\"segment\":1,\"border_node\":2,\"object\":30,\"balance\":0.5}}}\n");
    replayed_open(&r);
    const sc_engine_options *engine = sc_demo_recorded_engine(r.on.demo);
    assert_non_null(engine);
    assert_int_equal(engine->variant, SC_VARIANT_XSTAR);
    replayed_close(&r);
}

static void test_a_replay_that_cannot_be_prepared(void **state)
{
    (void)state;
    replayed r;
    replayed_prepare(&r);
    write_story(&r.s);
    const sc_replay_options options = {
        .path = place_write(&r.p, "run.jsonl", r.s.text, r.s.size),
        .every_s = 0.1,
        .max_places = 2,
        .max_listeners = 4,
    };
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_replay *replay = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_replay_new(r.on.live.map, &options, &replay, &diag);
        const bool happened = oom_happened();
        if (!happened) {
            CHECK_OK(err, &diag);
            assert_int_equal(sc_replay_places(replay), 2);  // of three that wait at once
            sc_replay_free(replay);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
        assert_null(replay);
        failures++;
    }
    assert_true(failures > 10);
    sc_replay_free(NULL);
    live_service_close(&r.on.live);
    script_free(&r.s);
    place_free(&r.p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nothing_happens_before_somebody_looks),
    cmocka_unit_test(test_a_newcomer_is_told_how_things_are_at_that_moment),
    cmocka_unit_test(test_what_happened_is_told_in_order_and_again),
    cmocka_unit_test(test_queries_are_where_they_were_asked),
    cmocka_unit_test(test_where_too_much_happens_the_state_is_told),
    cmocka_unit_test(test_controls_that_are_none_are_refused),
    cmocka_unit_test(test_a_replay_says_what_it_is_and_takes_no_queries),
    cmocka_unit_test(test_travellers_cannot_be_stopped),
    cmocka_unit_test(test_the_engine_is_that_of_the_record),
    cmocka_unit_test(test_a_replay_that_cannot_be_prepared),
};
SC_SUITE(tests)
