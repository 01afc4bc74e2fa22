// Zones over HTTP: asked for once, sealed, sent with queries, and of use to their user alone.
#include "api/sealed_zones.h"

#include <starcloak/zones.h>

#include "support/check.h"
#include "support/live_service.h"
#include "support/web_client.h"

#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

enum { ROOM = 4096, KEY_PATH = 512 };

/** A file with a key of its own. */
static void write_key(char path[KEY_PATH], char digit)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, KEY_PATH, "%s/starcloak-zone-key-XXXXXX", folder ? folder : "/tmp");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    char key[65];
    memset(key, digit, 64);
    key[64] = '\n';
    assert_int_equal(write(fd, key, sizeof key), sizeof key);
    close(fd);
}

static void open_with(live_service *s, char digit, sc_variant variant)
{
    char path[KEY_PATH];
    live_service_prepare(s);
    write_key(path, digit);
    s->options.zone_key = path;
    s->options.zone_roads = SC_ZONE_ROADS;
    s->options.ledger.engine.variant = variant;
    s->options.ledger.engine.max_combinations = sc_variant_cap(variant);
    s->options.ledger.engine.crowd = 1;  // two are enough: a larger crowd is waited for
    live_service_start(s);
    s->options.zone_key = NULL;
    unlink(path);
}

static web_reply post(const live_service *s, const char *user, const char *path, const char *body)
{
    char headers[LIVE_HEADERS_SIZE];
    live_service_token(s, user, headers);
    return web_ask(live_service_address(s), "POST", path, headers, body);
}

/** The zone of an edge, for a user; the number of its roads. */
static size_t ask_zone(const live_service *s, const char *user, sc_edge_id edge, char out[ROOM])
{
    char body[128];
    snprintf(body, sizeof body, "{\"position\":{\"edge\":%u,\"offset_m\":1}}", edge);
    web_reply reply = post(s, user, "/v1/zone", body);
    assert_int_equal(reply.status, 200);
    json_t *json = json_loads(reply.body, 0, NULL);
    const char *text = json_string_value(json_object_get(json, "zone"));
    assert_non_null(text);
    snprintf(out, ROOM, "%s", text);
    const size_t roads = (size_t)json_integer_value(json_object_get(json, "roads"));
    json_decref(json);
    web_reply_free(&reply);
    return roads;
}

static void send_query(const live_service *s, int fd, const char *user, sc_edge_id edge,
                       const char *zone, unsigned max_hops)
{
    char headers[LIVE_HEADERS_SIZE];
    char body[ROOM + 512];
    live_service_token(s, user, headers);
    const int size = snprintf(body, sizeof body,
                              "{\"position\":{\"edge\":%u,\"offset_m\":1},\"profile\":{\"k\":2,"
                              "\"l\":1,\"max_hops\":%u,\"max_wait_s\":60},"
                              "\"request\":{\"type\":\"knn\",\"k\":1}",
                              edge, max_hops);
    snprintf(body + size, sizeof body - (size_t)size, zone ? ",\"zone\":\"%s\"}" : "}", zone);
    web_send(fd, "POST", "/v1/queries", headers, body);
}

/** A query that is refused at once, with these words in its problem. */
static void check_refused(const live_service *s, const char *user, sc_edge_id edge,
                          const char *zone, unsigned max_hops, const char *words)
{
    const int fd = web_connect(live_service_address(s));
    send_query(s, fd, user, edge, zone, max_hops);
    web_reply reply = web_receive(fd);
    assert_int_equal(reply.status, 400);
    CHECK_CONTAINS(reply.body, words);
    web_reply_free(&reply);
    close(fd);
}

/** How many segments the cloak of two travellers has, one of them with a zone. */
static unsigned segments_of_cloak(const live_service *s, sc_edge_id edge, const char *zone)
{
    int fds[2];
    unsigned segments = 0;
    for (int i = 0; i < 2; i++) {
        fds[i] = web_connect(live_service_address(s));
        send_query(s, fds[i], i == 0 ? "ann" : "bob", edge, i == 0 ? zone : NULL, 8);
    }
    for (int i = 0; i < 2; i++) {
        web_reply reply = web_receive(fds[i]);
        assert_int_equal(reply.status, 200);
        CHECK_CONTAINS(reply.body, "\"answered\"");
        json_t *json = json_loads(reply.body, 0, NULL);
        json_t *cloak = json_object_get(json, "cloak");
        segments = (unsigned)json_integer_value(json_object_get(cloak, "segments"));
        json_decref(json);
        web_reply_free(&reply);
        close(fds[i]);
    }
    return segments;
}

static void test_a_cloak_in_the_zone_holds_all_of_it(void **state)
{
    (void)state;
    static const sc_variant variants[] = {SC_VARIANT_BASIC, SC_VARIANT_PATIENT};
    for (size_t v = 0; v < 2; v++) {
        live_service s;
        open_with(&s, '7', variants[v]);
        char zone[ROOM];
        for (sc_edge_id edge = 0; edge < 10; edge += 3) {
            const size_t roads = ask_zone(&s, "ann", edge, zone);
            assert_true(roads >= SC_ZONE_ROADS);
            // Two at one place need a star or two; with the zone there is all of it. That it is
            // that very zone, the ledger checks (reservations.c).
            assert_true(segments_of_cloak(&s, edge, zone) >= roads);
        }
        live_service_close(&s);
    }
}

static void test_asking_again_from_anywhere_in_it_gives_the_same_zone(void **state)
{
    (void)state;
    live_service s;
    open_with(&s, '7', SC_VARIANT_BASIC);
    sc_sealed_zones *sealed = NULL;
    char path[KEY_PATH];
    write_key(path, '7');
    sc_diag diag = {""};
    CHECK_OK(sc_sealed_zones_new(s.map, path, SC_ZONE_ROADS, &sealed, &diag), &diag);
    unlink(path);
    sc_token ann = {.user = "ann", .user_size = 3};
    char zone[ROOM];
    sc_opened_zone first = {0};
    sc_problem problem;
    (void)ask_zone(&s, "ann", 4, zone);
    assert_true(sc_sealed_zones_open(sealed, zone, strlen(zone), &ann, &first, &problem));
    for (sc_edge_id edge = 0; edge < sc_map_edge_count(s.map); edge++) {
        sc_opened_zone again = {0};
        (void)ask_zone(&s, "ann", edge, zone);
        assert_true(sc_sealed_zones_open(sealed, zone, strlen(zone), &ann, &again, &problem));
        // The same, or nothing in common.
        const bool is_in = sc_opened_zone_has(&first, sc_map_edges(s.map)[edge].segment);
        for (size_t i = 0; i < again.count; i++) {
            assert_int_equal(sc_opened_zone_has(&first, again.segments[i]), is_in);
        }
        if (is_in) assert_int_equal(again.count, first.count);
        sc_opened_zone_fini(&again);
        sc_opened_zone_fini(&again);
    }
    sc_opened_zone_fini(&first);
    sc_sealed_zones_free(sealed);
    sc_sealed_zones_free(NULL);
    live_service_close(&s);
}

static void test_zones_of_others_and_of_elsewhere_are_refused_in_words(void **state)
{
    (void)state;
    live_service s;
    live_service other;
    open_with(&s, '7', SC_VARIANT_BASIC);
    open_with(&other, '8', SC_VARIANT_BASIC);
    char zone[ROOM];
    (void)ask_zone(&s, "ann", 4, zone);
    check_refused(&s, "bob", 4, zone, 8, "the zone is of another user");
    check_refused(&other, "ann", 4, zone, 8, "not sealed by this service");
    check_refused(&s, "ann", 4, zone, 1, "/profile/max_hops");
    check_refused(&s, "ann", 4, "scz1_AAAA", 8, "this is not a zone");
    check_refused(&s, "ann", 4, "scz1_", 8, "this is not a zone");
    check_refused(&s, "ann", 4, "scz1_%%%%", 8, "this is not a zone");
    check_refused(&s, "ann", 4, "sct1_AAAAAAAA", 8, "this is not a zone");
    // One letter that is another.
    zone[40] = zone[40] == 'A' ? 'B' : 'A';
    check_refused(&s, "ann", 4, zone, 8, "not sealed by this service");
    live_service_close(&other);
    live_service_close(&s);
}

static void test_a_zone_of_another_map_is_refused_in_words(void **state)
{
    (void)state;
    live_service s;
    open_with(&s, '7', SC_VARIANT_BASIC);
    sketch grid = sketch_grid(SC_COORDS_GEOGRAPHIC, 4, 7);
    sc_map *map = sketch_map(&grid);
    sketch_free(&grid);
    char path[KEY_PATH];
    char zone[ROOM];
    sc_sealed_zones *sealed = NULL;
    sc_diag diag = {""};
    write_key(path, '7');
    CHECK_OK(sc_sealed_zones_new(map, path, SC_ZONE_ROADS, &sealed, &diag), &diag);
    unlink(path);
    sc_token ann = {.user = "ann", .user_size = 3};
    sc_opened_zone opened = {0};
    sc_problem problem;
    (void)ask_zone(&s, "ann", 4, zone);
    assert_false(sc_sealed_zones_open(sealed, zone, strlen(zone), &ann, &opened, &problem));
    CHECK_CONTAINS(problem.detail, "another map");
    assert_null(opened.segments);
    sc_sealed_zones_free(sealed);
    sc_map_free(map);
    live_service_close(&s);
}

static void test_a_service_without_zones_says_so(void **state)
{
    (void)state;
    live_service s;
    live_service_prepare(&s);
    live_service_start(&s);
    web_reply reply = post(&s, "ann", "/v1/zone", "{\"position\":{\"edge\":1,\"offset_m\":1}}");
    assert_int_equal(reply.status, 404);
    CHECK_CONTAINS(reply.body, "zone-key");
    web_reply_free(&reply);
    check_refused(&s, "ann", 4, "scz1_AAAA", 8, "this service has no zones");
    live_service_close(&s);
}

static void test_where_there_is_no_zone_it_is_said_why(void **state)
{
    (void)state;
    live_service s;
    open_with(&s, '7', SC_VARIANT_BASIC);
    static const struct {
        const char *body;
        int status;
        const char *words;
    } cases[] = {
        {"{\"position\":{\"edge\":4000,\"offset_m\":1}}", 400, "no such edge"},
        {"{\"position\":{\"edge\":1,\"offset_m\":1e9}}", 400, "beyond the end of the edge"},
        {"{\"position\":{\"edge\":1,\"offset_m\":-1}}", 400, "/position/offset_m"},
        {"{\"position\":{\"lon\":100,\"lat\":1}}", 422, "off-road"},
        {"{\"position\":{\"x\":1,\"y\":1}}", 400, "lon and lat"},
        {"{}", 400, "missing"},
        {"{\"position\":{\"edge\":1,\"offset_m\":1},\"profile\":{}}", 400, "unknown member"},
        {"[]", 400, "an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        web_reply reply = post(&s, "ann", "/v1/zone", cases[i].body);
        assert_int_equal(reply.status, cases[i].status);
        CHECK_CONTAINS(reply.body, cases[i].words);
        web_reply_free(&reply);
    }
    // Without a token.
    web_reply reply = web_ask(live_service_address(&s), "POST", "/v1/zone", "", cases[0].body);
    assert_int_equal(reply.status, 401);
    web_reply_free(&reply);
    live_service_close(&s);
}

static void test_an_island_has_no_zone(void **state)
{
    (void)state;
    live_service s;
    live_service_prepare(&s);
    char path[KEY_PATH];
    write_key(path, '7');
    s.options.zone_key = path;
    s.options.zone_roads = 100;  // more than the town has
    live_service_start(&s);
    s.options.zone_key = NULL;
    unlink(path);
    web_reply reply = post(&s, "ann", "/v1/zone", "{\"position\":{\"edge\":1,\"offset_m\":1}}");
    assert_int_equal(reply.status, 422);
    CHECK_CONTAINS(reply.body, "too few roads hang together");
    web_reply_free(&reply);
    live_service_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_cloak_in_the_zone_holds_all_of_it),
    cmocka_unit_test(test_asking_again_from_anywhere_in_it_gives_the_same_zone),
    cmocka_unit_test(test_zones_of_others_and_of_elsewhere_are_refused_in_words),
    cmocka_unit_test(test_a_zone_of_another_map_is_refused_in_words),
    cmocka_unit_test(test_a_service_without_zones_says_so),
    cmocka_unit_test(test_where_there_is_no_zone_it_is_said_why),
    cmocka_unit_test(test_an_island_has_no_zone),
};
SC_SUITE(tests)
