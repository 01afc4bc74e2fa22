// Servers that do not do as they should: each is refused with its reason, and soon; and no reason
// tells where was asked.
#include "gather.h"

#include "support/point_server.h"

static const sc_request two_nearest = {.type = SC_REQUEST_KNN, .k = 2};
static const sc_request nearest_cafe = {
    .type = SC_REQUEST_KNN, .k = 1, .category_count = 1, .categories = {0}};
static const sc_seg_id segments[] = {0};

typedef struct stage {
    sketch drawing;
    sc_map *map;
    point_world world;
} stage;

static stage stage_new(void)
{
    stage s = {.drawing = sketch_grid(SC_COORDS_GEOGRAPHIC, 3, 3)};
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    s.map = town_with_objects(&s.drawing, 40, &rng);
    s.world = point_world_new(s.map, SC_POINT_STRAIGHT);
    return s;
}

static void stage_free(stage *s)
{
    point_world_free(&s->world);
    sc_map_free(s->map);
    sketch_free(&s->drawing);
}

static sc_err ask_for(const sc_request *request, const stage *s, const sc_point_options *options,
                      sc_diag *diag)
{
    const sc_relay relay = {.map_checksum = sc_map_checksum(s->map),
                            .segments = segments,
                            .segment_count = 1,
                            .requests = request,
                            .request_count = 1};
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    sc_point_settings *settings = NULL;
    sc_point_provider *provider = NULL;
    sc_point_reply *reply = NULL;
    CHECK_OK(sc_point_settings_new(options, &settings, diag), diag);
    CHECK_OK(sc_point_provider_new(s->map, &town_vocabulary, settings, &provider, diag), diag);
    const sc_err err = sc_point_provider_ask(provider, &relay, NULL, &rng, &reply, diag);
    sc_point_reply_free(reply);
    sc_point_provider_free(provider);
    sc_point_settings_free(settings);
    return err;
}

static sc_err ask(const stage *s, const sc_point_options *options, sc_diag *diag)
{
    return ask_for(&two_nearest, s, options, diag);
}

// No coordinate of the town: 8 degrees east, at the equator.
static void check_says_nothing(const char *message)
{
    assert_null(strstr(message, "8.00"));
    assert_null(strstr(message, "0.00"));
    assert_null(strstr(message, "lon="));
    assert_null(strstr(message, "nearest?"));
}

static void test_every_misbehaviour_has_its_error(void **state)
{
    (void)state;
    static const struct {
        point_mode mode;
        sc_err err;
        const char *why;
    } cases[] = {
        {POINT_GOOD, SC_OK, ""},
        {POINT_SLOW, SC_ENET, "did not answer within 0.3 seconds"},
        {POINT_ERROR, SC_ENET, "status 500 instead of 200"},
        {POINT_MISSING, SC_ENET, "status 404 instead of 200"},
        {POINT_REDIRECT, SC_ENET, "redirect (status 302), and redirects are not followed"},
        {POINT_CLOSED, SC_ENET, "cannot be asked"},
        {POINT_TRUNCATED, SC_ENET, "cannot be asked"},
        {POINT_HUGE, SC_EREPLY, "larger than the limit of 100000 bytes"},
        {POINT_HUGE_IN_CHUNKS, SC_EREPLY, "larger than the limit of 100000 bytes"},
        {POINT_NO_BODY, SC_EREPLY, "ends too early"},
        {POINT_NOT_JSON, SC_EREPLY, "is not JSON"},
        {POINT_HALF_JSON, SC_EREPLY, "ends too early"},
        {POINT_NO_LIST, SC_EREPLY, "has no list"},
        {POINT_NOT_A_NUMBER, SC_EREPLY, "is not JSON"},
        {POINT_NEGATIVE, SC_EREPLY, "is negative"},
        {POINT_OFF_THE_GLOBE, SC_EREPLY, "not a position in degrees"},
        {POINT_TWICE, SC_EREPLY, "one object twice"},
        {POINT_UNSORTED, SC_EREPLY, "not in the order of distance"},
        {POINT_TOO_MANY, SC_EREPLY, "than the 16 that were asked for"},
        {POINT_LONG_KEY, SC_EREPLY, "id is longer than 255 bytes"},
        {POINT_NOT_UTF8, SC_EREPLY, "is not UTF-8"},
        {POINT_IN_KM, SC_EREPLY, "is not the straight line in metres"},
        {POINT_MOVES, SC_EREPLY, "two positions"},
        {POINT_FORGETS, SC_EREPLY, "leaves out an object"},
    };
    stage s = stage_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        point_server *server = point_server_start(&s.world, cases[i].mode);
        sc_point_options options = point_server_options(server);
        options.timeout_s = cases[i].mode == POINT_SLOW ? 0.3 : 10.0;
        options.max_bytes = 100000;
        options.parallel = 3;
        sc_diag diag = {""};
        const sc_err err = ask(&s, &options, &diag);
        CHECK_REFUSED(err, cases[i].err, &diag, cases[i].why);
        check_says_nothing(diag.message);
        // In particular where a redirect leads to was not asked.
        assert_null(strstr(point_server_asked(server), "elsewhere"));
        point_server_stop(server);
    }
    stage_free(&s);
}

static void test_all_questions_together_have_a_deadline(void **state)
{
    (void)state;
    stage s = stage_new();
    point_server *slow = point_server_start(&s.world, POINT_SLOW);
    sc_point_options options = point_server_options(slow);
    sc_diag diag = {""};
    options.deadline_s = 0.2;
    CHECK_REFUSED(ask(&s, &options, &diag), SC_ENET, &diag,
                  "did not answer all questions about a cloak within the deadline of 0.2 seconds");
    check_says_nothing(diag.message);
    // What passes first is what is said; and without a deadline there is the timeout.
    options.timeout_s = 0.1;
    options.deadline_s = 60.0;
    CHECK_REFUSED(ask(&s, &options, &diag), SC_ENET, &diag, "did not answer within 0.1 seconds");
    options.deadline_s = 0.0;
    CHECK_REFUSED(ask(&s, &options, &diag), SC_ENET, &diag, "did not answer within 0.1 seconds");
    point_server_stop(slow);

    // Each of some thousand questions, one after the other, is soon enough, and all are not.
    point_server *good = point_server_start(&s.world, POINT_GOOD);
    options = point_server_options(good);
    options.parallel = 1;
    options.spacing_m = 0.04;
    options.deadline_s = 0.1;
    CHECK_REFUSED(ask(&s, &options, &diag), SC_ENET, &diag, "within the deadline of");
    options.spacing_m = 200.0;
    options.deadline_s = 0.0;
    CHECK_OK(ask(&s, &options, &diag), &diag);
    point_server_stop(good);
    stage_free(&s);
}

static void test_a_body_as_large_as_allowed_is_taken(void **state)
{
    (void)state;
    stage s = stage_new();
    point_server *server = point_server_start(&s.world, POINT_HUGE_IN_CHUNKS);
    sc_point_options options = point_server_options(server);
    options.max_bytes = 1 << 20;
    sc_diag diag = {""};
    // It has nothing but blanks in it, and it is read.
    CHECK_REFUSED(ask(&s, &options, &diag), SC_EREPLY, &diag, "ends too early");
    options.max_bytes = (1 << 20) - 1;
    CHECK_REFUSED(ask(&s, &options, &diag), SC_EREPLY, &diag, "larger than");
    point_server_stop(server);
    stage_free(&s);
}

static void test_another_category_than_asked_for_is_refused(void **state)
{
    (void)state;
    stage s = stage_new();
    point_server *server = point_server_start(&s.world, POINT_OTHER_CATEGORY);
    sc_point_options options = point_server_options(server);
    sc_diag diag = {""};
    CHECK_REFUSED(ask_for(&nearest_cafe, &s, &options, &diag), SC_EREPLY, &diag,
                  "is not the category asked for");
    // A request for all of them, or without a check, takes what comes.
    CHECK_OK(ask(&s, &options, &diag), &diag);
    options.category_field = NULL;
    CHECK_OK(ask_for(&nearest_cafe, &s, &options, &diag), &diag);
    point_server_stop(server);
    stage_free(&s);
}

static void test_an_absent_provider_gives_no_answer(void **state)
{
    (void)state;
    stage s = stage_new();
    static const char *const nowhere[] = {
        "http://127.0.0.1:1/{lon}/{lat}/{k}",
        "https://127.0.0.1:1/{lon}/{lat}/{k}",
        "http://nobody.invalid/{lon}/{lat}/{k}",
    };
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        sc_point_options options = sc_point_options_default();
        options.url = nowhere[i];
        options.timeout_s = 2.0;
        sc_diag diag = {""};
        CHECK_REFUSED(ask(&s, &options, &diag), SC_ENET, &diag, "the provider ");
        check_says_nothing(diag.message);
    }
    stage_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_misbehaviour_has_its_error),
    cmocka_unit_test(test_all_questions_together_have_a_deadline),
    cmocka_unit_test(test_a_body_as_large_as_allowed_is_taken),
    cmocka_unit_test(test_another_category_than_asked_for_is_refused),
    cmocka_unit_test(test_an_absent_provider_gives_no_answer),
};
SC_SUITE(tests)
