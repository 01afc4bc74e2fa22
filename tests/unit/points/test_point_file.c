// A provider of points that is asked as a file says, over HTTP: POST with a body, headers, errors
// that may pass, words for categories, and one that lists nothing beyond a radius.
#include "gather.h"
#include "support/loopback_server.h"

#include <stdio.h>

static const sc_seg_id segments[] = {0};

/** A town with a server that takes the question from the body. */
typedef struct stage {
    sketch drawing;
    sc_map *map;
    point_world world;
    loopback_server *server;
    size_t busy_first;  ///< so many questions get status 429
    bool is_list_left;  ///< an empty list is left out
    sc_diag diag;
} stage;

// The body is {"at":[LON,LAT],"n":K,"kinds":["WORD"]}.
static void answer(void *context, struct evhttp_request *request, size_t question)
{
    const stage *s = context;
    double lon = 0;
    double lat = 0;
    unsigned k = 0;
    char word[64] = "";
    if (question < s->busy_first) {
        loopback_set_header(request, "Retry-After", "0");
        evhttp_send_reply(request, 429, "Too many", NULL);
        return;
    }
    const int read =  // NOLINTNEXTLINE(cert-err34-c): a number that is too large would be ours
        sscanf(loopback_server_body(s->server), "{\"at\":[%lf,%lf],\"n\":%u,\"kinds\":[\"%60[^\"]",
               &lon, &lat, &k, word);
    if (evhttp_request_get_command(request) != EVHTTP_REQ_POST || read < 3) {
        evhttp_send_error(request, 400, "Bad request");
        return;
    }
    const char *ours = strcmp(word, "coffee") == 0 ? "cafe" : word;
    if (s->is_list_left) {
        loopback_send(request, "{}", 2);
        return;
    }
    char *body = point_world_tell(&s->world, POINT_GOOD, question, lon, lat, k, ours);
    loopback_send(request, body, strlen(body));
    free(body);
}

static void stage_init(stage *s)
{
    sc_rng rng;
    sc_rng_seed(&rng, 3);
    *s = (stage){.drawing = sketch_grid(SC_COORDS_PLANAR, 3, 3), .diag = {""}};
    s->map = town_with_objects(&s->drawing, 60, &rng);
    s->world = point_world_new(s->map, SC_POINT_STRAIGHT);
    s->server = loopback_server_start(answer, s);
}

static void stage_fini(stage *s)
{
    loopback_server_stop(s->server);
    point_world_free(&s->world);
    sc_map_free(s->map);
    sketch_free(&s->drawing);
}

static sc_point_settings *settings_of(stage *s, const char *more)
{
    char text[2000];
    const int size = snprintf(
        text, sizeof text,
        "[provider]\nurl = %s/near\nmethod = post\ncategories-quote = \"\n"
        "body = {\"at\":[{lon},{lat}],\"n\":{k},\"kinds\":[{category}]}\n"
        "[fields]\nlist = /results\nid = /id\nlon = /lon\nlat = /lat\ndistance = /distance_m\n"
        "name = /name\n[categories]\ncafe = coffee\n[headers]\nX-Key = s3cret\n%s",
        loopback_server_address(s->server), more);
    const sc_input input = {"near.ini", (const uint8_t *)text, (size_t)size};
    sc_point_settings *settings = NULL;
    CHECK_OK(sc__point_settings_read(&input, &settings, &s->diag), &s->diag);
    return settings;
}

static sc_err ask(stage *s, const char *more, const sc_request *request, sc_point_reply **reply)
{
    const sc_relay relay = {.map_checksum = sc_map_checksum(s->map),
                            .segments = segments,
                            .segment_count = 1,
                            .requests = request,
                            .request_count = 1};
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    sc_point_settings *settings = settings_of(s, more);
    sc_point_provider *provider = NULL;
    CHECK_OK(sc_point_provider_new(s->map, &town_vocabulary, settings, &provider, &s->diag),
             &s->diag);
    const sc_err err = sc_point_provider_ask(provider, &relay, NULL, &rng, reply, &s->diag);
    sc_point_provider_free(provider);
    sc_point_settings_free(settings);
    return err;
}

static const sc_request three_nearest = {.type = SC_REQUEST_KNN, .k = 3};

static void test_questions_by_post_with_headers_are_answered_exactly(void **state)
{
    (void)state;
    stage s;
    stage_init(&s);
    sc_point_reply *reply = NULL;
    CHECK_OK(ask(&s, "", &three_nearest, &reply), &s.diag);
    const double length_m = sc_map_edge_length_m(s.map, 0);
    for (int part = 0; part <= 4; part++) {
        check_answer(reply, &s.world, 0, length_m * part / 4.0, 0, 1e-6);
    }
    sc_point_reply_free(reply);
    const char *headers = loopback_server_headers(s.server);
    CHECK_CONTAINS(headers, "X-Key: s3cret");
    CHECK_CONTAINS(headers, "Content-Type: application/json");
    CHECK_CONTAINS(headers, "Accept: application/json");
    CHECK_CONTAINS(headers, "User-Agent: starcloak\n");
    // Nothing of the question is in the address.
    assert_int_equal(strncmp(loopback_server_asked(s.server), "/near\n", 6), 0);
    stage_fini(&s);
}

static void test_a_category_is_asked_for_in_the_providers_word(void **state)
{
    (void)state;
    stage s;
    stage_init(&s);
    const sc_request cafes = {
        .type = SC_REQUEST_KNN, .k = 2, .categories = {0}, .category_count = 1};
    sc_point_reply *reply = NULL;
    CHECK_OK(ask(&s, "", &cafes, &reply), &s.diag);
    CHECK_CONTAINS(loopback_server_body(s.server), "\"kinds\":[\"coffee\"]");
    check_answer(reply, &s.world, 0, 1.0, 0, 1e-6);
    sc_point_reply_free(reply);
    stage_fini(&s);
}

static void test_a_provider_that_is_busy_is_asked_again(void **state)
{
    (void)state;
    stage s;
    stage_init(&s);
    s.busy_first = 2;
    sc_point_reply *reply = NULL;
    CHECK_OK(ask(&s, "[limits]\nparallel = 1\nrate = 1000\n", &three_nearest, &reply), &s.diag);
    assert_true(loopback_server_count(s.server) == sc_point_reply_work(reply).questions + 2);
    sc_point_reply_free(reply);

    loopback_server_forget(s.server);
    s.busy_first = SIZE_MAX;
    CHECK_REFUSED(ask(&s, "[limits]\nparallel = 1\n", &three_nearest, &reply), SC_ENET, &s.diag,
                  "status 429");
    assert_int_equal(loopback_server_count(s.server), 4);
    assert_null(strstr(s.diag.message, "s3cret"));
    stage_fini(&s);
}

static void test_a_list_that_is_left_out_is_empty_if_the_file_says_so(void **state)
{
    (void)state;
    stage s;
    stage_init(&s);
    s.is_list_left = true;
    sc_point_reply *reply = NULL;
    CHECK_REFUSED(ask(&s, "", &three_nearest, &reply), SC_EREPLY, &s.diag, "has no list");
    CHECK_OK(ask(&s, "[fields]\nno-list = empty\n", &three_nearest, &reply), &s.diag);
    assert_int_equal(sc_point_reply_table(reply)->count, 0);
    sc_point_reply_free(reply);
    stage_fini(&s);
}

// Where a provider lists nothing beyond a radius, few objects do not mean that there are no others.
static void test_a_radius_bounds_what_an_answer_is_complete_for(void **state)
{
    (void)state;
    stage s;
    stage_init(&s);
    const sc_request all_near = {.type = SC_REQUEST_RANGE, .radius_m = 10.0};
    const sc_request many = {.type = SC_REQUEST_KNN, .k = 61};
    sc_point_reply *reply = NULL;
    // There are 60: whoever lists all of them can say so, one with a radius cannot.
    CHECK_OK(ask(&s, "", &many, &reply), &s.diag);
    sc_point_reply_free(reply);
    CHECK_REFUSED(ask(&s, "[points]\nradius = 100000\n", &many, &reply), SC_ELIMIT, &s.diag,
                  "lists nothing beyond the radius");
    CHECK_OK(ask(&s, "[points]\nradius = 100000\n", &all_near, &reply), &s.diag);
    sc_point_reply_free(reply);
    const sc_request wide = {.type = SC_REQUEST_RANGE, .radius_m = 100000.0};
    CHECK_REFUSED(ask(&s, "[points]\nradius = 100000\n", &wide, &reply), SC_ELIMIT, &s.diag,
                  "allow a larger radius");
    stage_fini(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_questions_by_post_with_headers_are_answered_exactly),
    cmocka_unit_test(test_a_category_is_asked_for_in_the_providers_word),
    cmocka_unit_test(test_a_provider_that_is_busy_is_asked_again),
    cmocka_unit_test(test_a_list_that_is_left_out_is_empty_if_the_file_says_so),
    cmocka_unit_test(test_a_radius_bounds_what_an_answer_is_complete_for),
};
SC_SUITE(tests)
