// A real server on the loopback: exact answers, and what the server learns by them.
#include "gather.h"

#include "support/odd_cloak.h"
#include "support/point_server.h"

#include <pthread.h>

static const sc_request requests[] = {
    {.type = SC_REQUEST_KNN, .k = 3},
    {.type = SC_REQUEST_KNN, .k = 5, .category_count = 1, .categories = {1}},
    {.type = SC_REQUEST_RANGE, .radius_m = 250.0, .category_count = 2, .categories = {0, 1}},
};
enum { REQUESTS = sizeof requests / sizeof *requests };

/** A town with a provider in it, and a cloak. */
typedef struct stage {
    sketch drawing;
    sc_map *map;
    point_world world;
    point_server *server;
    sc_point_options options;
    sc_point_settings *settings;  ///< made of them when they are first needed
    odd_cloak cloak;
    sc_relay relay;
    sc_rng rng;
    sc_diag diag;
} stage;

// In place, since the server keeps where its world is.
static void stage_init(stage *s, sc_coords coords, sc_point_distance distance, uint64_t seed)
{
    *s = (stage){.diag = {""}};
    sc_rng_seed(&s->rng, seed);
    s->drawing = crooked_town(coords, 4, &s->rng);
    s->map = town_with_objects(&s->drawing, 150, &s->rng);
    s->world = point_world_new(s->map, distance);
    s->server = point_server_start(&s->world, POINT_GOOD);
    s->options = point_server_options(s->server);
    s->cloak = odd_cloak_of_stars(s->map, 3, &s->rng);
    s->relay = odd_cloak_relay(&s->cloak, s->map, requests, REQUESTS);
}

static void stage_fini(stage *s)
{
    sc_point_settings_free(s->settings);
    point_server_stop(s->server);
    odd_cloak_free(&s->cloak);
    point_world_free(&s->world);
    sc_map_free(s->map);
    sketch_free(&s->drawing);
}

static sc_point_provider *provider_of(stage *s)
{
    sc_point_provider *provider = NULL;
    sc_point_settings_free(s->settings);
    CHECK_OK(sc_point_settings_new(&s->options, &s->settings, &s->diag), &s->diag);
    CHECK_OK(sc_point_provider_new(s->map, &town_vocabulary, s->settings, &provider, &s->diag),
             &s->diag);
    return provider;
}

static sc_point_reply *ask(stage *s)
{
    sc_point_provider *provider = provider_of(s);
    sc_point_reply *reply = NULL;
    CHECK_OK(sc_point_provider_ask(provider, &s->relay, NULL, &s->rng, &reply, &s->diag), &s->diag);
    // A reply stands for itself.
    sc_point_provider_free(provider);
    return reply;
}

static void test_answers_over_http_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        check_case(seed);
        stage s;
        stage_init(&s, seed % 2 ? SC_COORDS_PLANAR : SC_COORDS_GEOGRAPHIC,
                   seed / 2 % 2 ? SC_POINT_ROAD : SC_POINT_STRAIGHT, seed);
        sc_point_reply *reply = ask(&s);
        for (int i = 0; i < 100; i++) {
            const sc_seg_id segment =
                s.cloak.segments[sc_rng_below(&s.rng, (uint32_t)s.cloak.segment_count)];
            const odd_position q = odd_position_on(s.map, segment, &s.rng);
            check_answer(reply, &s.world, q.edge, q.offset_m, (size_t)i % REQUESTS, 0.03);
        }
        sc_point_reply_free(reply);
        stage_fini(&s);
    }
    check_case_done();
}

// --- What the server learns -----------------------------------------------------

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// The lines of a text in ascending order; release with free().
static char *sorted_lines(const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    char **lines = test_take(strlen(text) + 1, sizeof *lines);
    size_t count = 0;
    for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n")) {
        lines[count++] = line;
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    char *sorted = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&sorted, &size);
    assert_non_null(out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s\n", lines[i]);
    }
    fclose(out);
    free(lines);
    free(copy);
    return sorted;
}

static void test_what_is_asked_depends_on_the_cloak_alone_and_its_order_on_chance(void **state)
{
    (void)state;
    stage s;
    stage_init(&s, SC_COORDS_GEOGRAPHIC, SC_POINT_STRAIGHT, 3);
    s.options.parallel = 1;  // so that they arrive as they were asked
    char *first = NULL;
    char *first_sorted = NULL;
    for (uint64_t seed = 0; seed < 5; seed++) {
        sc_rng_seed(&s.rng, seed % 4);
        point_server_forget(s.server);
        sc_point_reply *reply = ask(&s);
        // Any number of travellers may be told their answers: the provider is not asked again.
        const size_t asked = point_server_count(s.server);
        assert_int_equal(sc_point_reply_work(reply).questions, asked);
        for (size_t i = 0; i < s.cloak.segment_count; i++) {
            const odd_position q = odd_position_on(s.map, s.cloak.segments[i], &s.rng);
            check_answer(reply, &s.world, q.edge, q.offset_m, 0, 0.03);
        }
        sc_point_reply_free(reply);
        assert_int_equal(point_server_count(s.server), asked);

        char *lines = strdup(point_server_asked(s.server));
        char *sorted = sorted_lines(lines);
        if (!first) {
            first = lines;
            first_sorted = sorted;
            continue;
        }
        assert_string_equal(sorted, first_sorted);
        // The same seed, the same order.
        assert_int_equal(strcmp(lines, first) == 0, seed % 4 == 0);
        free(lines);
        free(sorted);
    }
    free(first);
    free(first_sorted);
    stage_fini(&s);
}

static void test_every_topic_is_asked_at_every_point_and_nothing_else(void **state)
{
    (void)state;
    stage s;
    stage_init(&s, SC_COORDS_PLANAR, SC_POINT_ROAD, 4);
    sc_point_reply *reply = ask(&s);
    const char *asked = point_server_asked(s.server);
    for (uint32_t i = 0; i < reply->cover.point_count; i++) {
        static const char *const words[] = {"", "cafe", "fuel%20%26%20more"};
        for (int word = 0; word < 3; word++) {
            char line[200];
            snprintf(line, sizeof line, "/nearest?lon=%.7f&lat=%.7f&k=16&category=%s\n",
                     reply->cover.points[i].x, reply->cover.points[i].y, words[word]);
            CHECK_CONTAINS(asked, line);
        }
    }
    // Not more than each again, for twice as many, until they reach.
    const sc_point_work work = sc_point_reply_work(reply);
    assert_int_equal(work.points, reply->cover.point_count);
    assert_true(work.questions >= 3 * work.points);
    assert_true(work.questions <= 15 * work.points);  // for 16, 32, 64, 128, 256
    assert_true(work.candidates >= work.questions);
    assert_true(work.bytes_out > 60 * work.questions && work.bytes_in > 80 * work.candidates);
    sc_point_reply_free(reply);
    stage_fini(&s);
}

static void test_headers_tell_nothing(void **state)
{
    (void)state;
    stage s;
    stage_init(&s, SC_COORDS_PLANAR, SC_POINT_STRAIGHT, 5);
    s.options.parallel = 2;
    sc_point_reply *reply = ask(&s);
    // The server sets a cookie each time, and never sees it again.
    const char *headers = point_server_headers(s.server);
    const char *host = strchr(s.options.url, '/') + 2;
    char wanted[200];
    snprintf(wanted, sizeof wanted, "Host: %.*s\nUser-Agent: starcloak\nAccept: application/json\n",
             (int)strcspn(host, "/"), host);
    assert_string_equal(headers, wanted);
    sc_point_reply_free(reply);
    stage_fini(&s);
}

static void test_a_proxy_of_the_environment_is_not_told(void **state)
{
    (void)state;
    stage s;
    stage_init(&s, SC_COORDS_PLANAR, SC_POINT_STRAIGHT, 6);
    // Nothing listens there.
    assert_int_equal(setenv("http_proxy", "http://127.0.0.1:1", 1), 0);
    assert_int_equal(setenv("all_proxy", "http://127.0.0.1:1", 1), 0);
    sc_point_reply *reply = ask(&s);
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    sc_point_reply_free(reply);
    stage_fini(&s);
}

// --- What comes back --------------------------------------------------------------

static void test_objects_have_keys_names_categories_positions_and_roads(void **state)
{
    (void)state;
    stage s;
    stage_init(&s, SC_COORDS_GEOGRAPHIC, SC_POINT_ROAD, 8);
    sc_point_reply *reply = ask(&s);
    const sc_object_table *table = sc_point_reply_table(reply);
    assert_true(table->count > 10);
    for (uint32_t i = 0; i < table->count; i++) {
        const uint32_t own = world_object(reply, i);
        const sc_object *object = &table->objects[i];
        const sc_object *wanted = &sc_map_objects(s.map)[own];
        double lon = 0.0;
        double lat = 0.0;
        sc_point_reply_position(reply, i, &lon, &lat);
        CHECK_SAME(lon, s.world.x[own]);
        CHECK_SAME(lat, s.world.y[own]);
        assert_string_equal(table->strings + object->name, sc_map_object_name(s.map, own));
        assert_int_equal(object->category, wanted->category);
        // Its road, or one that it touches.
        double x = 0.0;
        double y = 0.0;
        sc_map_edge_position(s.map, object->edge, object->offset * sc_map_unit_m(s.map), &x, &y);
        assert_true(sc__point_straight_m(s.map, x, y, lon, lat) < 0.01);
        // Numbered by key, whatever the order of asking was.
        if (i > 0) {
            assert_true(
                strcmp(table->strings + table->keys[i - 1], table->strings + table->keys[i]) < 0);
        }
    }
    sc_point_reply_free(reply);
    stage_fini(&s);
}

static void test_asking_for_what_cannot_be_asked_is_refused(void **state)
{
    (void)state;
    stage s;
    stage_init(&s, SC_COORDS_PLANAR, SC_POINT_STRAIGHT, 9);
    sc_point_provider *provider = provider_of(&s);
    sc_point_reply *reply = NULL;

    sc_relay relay = s.relay;
    relay.map_checksum++;
    CHECK_REFUSED(sc_point_provider_ask(provider, &relay, NULL, &s.rng, &reply, &s.diag),
                  SC_EMISMATCH, &s.diag, "another map");
    relay = s.relay;
    relay.request_count = 0;
    CHECK_REFUSED(sc_point_provider_ask(provider, &relay, NULL, &s.rng, &reply, &s.diag), SC_EINVAL,
                  &s.diag, "has no requests");
    const sc_seg_id foreign[] = {0, sc_map_segment_count(s.map)};
    relay = s.relay;
    relay.segments = foreign;
    relay.segment_count = 2;
    CHECK_REFUSED(sc_point_provider_ask(provider, &relay, NULL, &s.rng, &reply, &s.diag),
                  SC_EUNKNOWN, &s.diag, "segment 1 of the relay does not exist");
    const sc_seg_id twice[] = {1, 1};
    relay.segments = twice;
    CHECK_REFUSED(sc_point_provider_ask(provider, &relay, NULL, &s.rng, &reply, &s.diag), SC_EINVAL,
                  &s.diag, "segment 1 of the relay is not above the one before");
    static const sc_request bad[] = {
        {.type = SC_REQUEST_KNN, .k = 0},
        {.type = SC_REQUEST_RANGE, .radius_m = -1.0},
        {.type = SC_REQUEST_KNN, .k = 1, .category_count = 1, .categories = {2}},
    };
    relay = s.relay;
    relay.request_count = 1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        relay.requests = &bad[i];
        CHECK_REFUSED(sc_point_provider_ask(provider, &relay, NULL, &s.rng, &reply, &s.diag),
                      SC_EREQUEST, &s.diag, "");
    }
    const sc_request by_time[] = {
        {.type = SC_REQUEST_KNN, .metric = SC_METRIC_TIME, .k = 1},
        {.type = SC_REQUEST_RANGE, .metric = SC_METRIC_TIME, .radius_s = 1e9},
    };
    for (size_t i = 0; i < 2; i++) {
        relay.requests = &by_time[i];
        CHECK_REFUSED(sc_point_provider_ask(provider, &relay, NULL, &s.rng, &reply, &s.diag),
                      SC_EREQUEST, &s.diag,
                      "by time, and a provider that knows points only tells no travel");
    }
    const sc_request many = {.type = SC_REQUEST_KNN, .k = 1001};
    relay.requests = &many;
    CHECK_REFUSED(sc_point_provider_ask(provider, &relay, NULL, &s.rng, &reply, &s.diag), SC_ELIMIT,
                  &s.diag, "largest k is 1000");
    sc_point_provider_free(provider);

    char plain[256];
    snprintf(plain, sizeof plain, "%.*s", (int)(strstr(s.options.url, "&cat") - s.options.url),
             s.options.url);
    s.options.url = plain;
    provider = provider_of(&s);
    CHECK_REFUSED(sc_point_provider_ask(provider, &s.relay, NULL, &s.rng, &reply, &s.diag),
                  SC_EREQUEST, &s.diag, "no {category}; add it to the URL");
    // All of that was seen without asking.
    assert_int_equal(point_server_count(s.server), 0);
    relay = s.relay;
    relay.request_count = 1;
    CHECK_OK(sc_point_provider_ask(provider, &relay, NULL, &s.rng, &reply, &s.diag), &s.diag);
    sc_point_reply_free(reply);
    sc_point_provider_free(provider);
    stage_fini(&s);
}

static void test_a_map_without_coordinates_cannot_be_asked_about(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_NONE);
    sc_point_options options = sc_point_options_default();
    options.url = "http://127.0.0.1/{lon}/{lat}/{k}";
    sc_point_provider *provider = NULL;
    sc_diag diag = {""};
    sc_point_settings *settings = NULL;
    CHECK_OK(sc_point_settings_new(&options, &settings, &diag), &diag);
    CHECK_REFUSED(sc_point_provider_new(map, &town_vocabulary, settings, &provider, &diag),
                  SC_ENOCOORDS, &diag, "no coordinates");
    assert_null(provider);
    sc_point_settings_free(settings);
    sc_map_free(map);
}

// --- In threads -------------------------------------------------------------------

static void *ask_often(void *context)
{
    stage *s = context;
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (int i = 0; i < 3; i++) {
        sc_diag diag = {""};
        sc_point_provider *provider = NULL;
        sc_point_reply *reply = NULL;
        if (sc_point_provider_new(s->map, &town_vocabulary, s->settings, &provider, &diag) ||
            sc_point_provider_ask(provider, &s->relay, NULL, &rng, &reply, &diag)) {
            return context;
        }
        sc_point_reply_free(reply);
        sc_point_provider_free(provider);
    }
    return NULL;
}

static void test_providers_in_several_threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    enum { THREADS = 3 };
    stage s;
    stage_init(&s, SC_COORDS_PLANAR, SC_POINT_STRAIGHT, 10);
    s.relay.request_count = 1;
    CHECK_OK(sc_point_settings_new(&s.options, &s.settings, &s.diag), &s.diag);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &s), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    stage_fini(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_answers_over_http_are_exact),
    cmocka_unit_test(test_what_is_asked_depends_on_the_cloak_alone_and_its_order_on_chance),
    cmocka_unit_test(test_every_topic_is_asked_at_every_point_and_nothing_else),
    cmocka_unit_test(test_headers_tell_nothing),
    cmocka_unit_test(test_a_proxy_of_the_environment_is_not_told),
    cmocka_unit_test(test_objects_have_keys_names_categories_positions_and_roads),
    cmocka_unit_test(test_asking_for_what_cannot_be_asked_is_refused),
    cmocka_unit_test(test_a_map_without_coordinates_cannot_be_asked_about),
    cmocka_unit_test(test_providers_in_several_threads_do_not_disturb_each_other),
};
SC_SUITE(tests)
