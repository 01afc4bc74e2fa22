// A provider over real HTTP: what it answers, and what it refuses with which status.
#include "provider/provider.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/check.h"
#include "support/lbs_scene.h"
#include "support/sketch.h"

static const char compact[] = "application/x-protobuf; version=2";
static const char geojson[] = "application/geo+json; version=2";

static const char *type_of(sc_encoding encoding)
{
    return encoding == SC_ENCODING_COMPACT ? compact : geojson;
}

/** The cloak, sent as such a message, gets exactly the reply that it would get in one process. */
static void check_answered(const lbs_scene *s, const char *path, sc_encoding encoding)
{
    sc_bytes message = lbs_scene_message(s, encoding);
    sc_bytes wanted = lbs_scene_reply(s, encoding, &message);
    lbs_answer got = lbs_post(s, path, type_of(encoding), message.data, message.size);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.type, type_of(encoding));
    assert_int_equal(got.size, wanted.size);
    assert_memory_equal(got.body, wanted.data, wanted.size);
    lbs_answer_free(&got);
    sc_bytes_fini(&wanted);
    sc_bytes_fini(&message);
}

static void test_a_cloak_is_answered_in_its_encoding(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    lbs_scene_start(&s, sc__provider_evaluate);
    for (int i = 0; i < 3; i++) {
        check_answered(&s, "/", SC_ENCODING_COMPACT);
        check_answered(&s, "/any/path?at=all", SC_ENCODING_GEOJSON);
    }
    check_answered(&s, "/metricsx", SC_ENCODING_COMPACT);
    lbs_scene_close(&s);
}

// --- Many at once ----------------------------------------------------------------------

enum { CLIENTS = 8, QUESTIONS = 20 };

typedef struct client {
    const lbs_scene *s;
    const sc_bytes *message;
    const sc_bytes *wanted;
    int right;
} client;

static void *ask_again_and_again(void *context)
{
    client *c = context;
    for (int i = 0; i < QUESTIONS; i++) {
        lbs_answer got = lbs_post(c->s, "/", compact, c->message->data, c->message->size);
        c->right += got.status == 200 && got.size == c->wanted->size &&
                    memcmp(got.body, c->wanted->data, got.size) == 0;
        lbs_answer_free(&got);
    }
    return NULL;
}

static void test_many_clients_are_answered_by_several_loops_and_threads(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    s.options.http.loops = 3;
    s.options.threads = 3;
    lbs_scene_start(&s, sc__provider_evaluate);
    sc_bytes message = lbs_scene_message(&s, SC_ENCODING_COMPACT);
    sc_bytes wanted = lbs_scene_reply(&s, SC_ENCODING_COMPACT, &message);
    client clients[CLIENTS];
    pthread_t threads[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (client){.s = &s, .message = &message, .wanted = &wanted};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_again_and_again, &clients[i]), 0);
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(clients[i].right, QUESTIONS);
    }
    assert_true(sc_provider_drain(s.provider, 30));
    assert_int_equal(atomic_load(&s.provider->open), 0);
    sc_bytes_fini(&wanted);
    sc_bytes_fini(&message);
    lbs_scene_close(&s);
}

// --- Refusals --------------------------------------------------------------------------

/** The cloak as it is now is refused with that status, for that reason. */
static void check_refused(const lbs_scene *s, sc_encoding encoding, long status, const char *why)
{
    sc_bytes message = lbs_scene_message(s, encoding);
    lbs_answer got = lbs_post(s, "/", type_of(encoding), message.data, message.size);
    lbs_check_problem(&got, status, why);
    sc_bytes_fini(&message);
}

static void test_a_body_that_is_no_message_is_400(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    lbs_scene_start(&s, sc__provider_evaluate);
    lbs_answer got = lbs_post(&s, "/", compact, "\xff\xff\xff", 3);
    lbs_check_problem(&got, 400, "");
    got = lbs_post(&s, "/", geojson, "", 0);
    lbs_check_problem(&got, 400, "");
    got = lbs_post(&s, "/", geojson, "{\"type\":\"Feature\"}", 18);
    lbs_check_problem(&got, 400, "");
    got = lbs_post(&s, "/", geojson, "{\"\x01\"", 4);
    lbs_check_problem(&got, 400, "");
    sc_bytes message = lbs_scene_message(&s, SC_ENCODING_COMPACT);
    got = lbs_post(&s, "/", geojson, message.data, message.size);
    lbs_check_problem(&got, 400, "");
    sc_bytes_fini(&message);
    check_answered(&s, "/", SC_ENCODING_COMPACT);
    lbs_scene_close(&s);
}

static void test_a_message_about_another_map_is_409(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    lbs_scene_start(&s, sc__provider_evaluate);
    sc_bytes message = lbs_scene_message(&s, SC_ENCODING_COMPACT);
    message.data[1] ^= 1;  // the map's checksum comes first
    lbs_answer got = lbs_post(&s, "/", compact, message.data, message.size);
    lbs_check_problem(&got, 409, "another map");
    sc_bytes_fini(&message);
    // Nothing at all is a message, too, by the rules of Protocol Buffers: all of it is left out.
    got = lbs_post(&s, "/", compact, "", 0);
    lbs_check_problem(&got, 400, "of version 1 of the provider protocol");
    lbs_scene_close(&s);
}

// As a service asked before there were metrics: three segments, one border node, the two nearest.
static void test_a_relay_of_version_1_is_400_and_says_what_to_update(void **state)
{
    (void)state;
    static const char why[] = "the relay is of version 1 of the provider protocol, and the "
                              "provider reads version 2; update the service";
    static const uint8_t old_compact[] = {0x09, 1, 2, 3,    4, 5, 6,    7, 8, 0x12, 3,
                                          0,    1, 1, 0x1a, 1, 2, 0x22, 2, 8, 2};
    static const char old_geojson[] =
        "{\"type\":\"FeatureCollection\",\"starcloak\":1,"
        "\"requests\":[{\"type\":\"range\",\"radius_m\":500}],\"features\":["
        "{\"type\":\"Feature\",\"id\":\"s0\",\"properties\":null,\"geometry\":"
        "{\"type\":\"LineString\",\"coordinates\":[[8.001,49.998],[8.001,49.999]]}}]}";
    lbs_scene s;
    lbs_scene_open(&s);
    lbs_scene_start(&s, sc__provider_evaluate);
    lbs_answer got = lbs_post(&s, "/", "application/x-protobuf", old_compact, sizeof old_compact);
    lbs_check_problem(&got, 400, why);
    got = lbs_post(&s, "/", "application/geo+json", old_geojson, sizeof old_geojson - 1);
    lbs_check_problem(&got, 400, why);
    // One that names its version is not even read.
    got = lbs_post(&s, "/", "application/x-protobuf; version=1", old_compact, sizeof old_compact);
    lbs_check_problem(&got, 415, "of version 1 of the provider protocol, and the provider reads");
    lbs_scene_close(&s);
}

static void test_a_message_of_this_version_needs_no_parameter(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    lbs_scene_start(&s, sc__provider_evaluate);
    sc_bytes message = lbs_scene_message(&s, SC_ENCODING_COMPACT);
    lbs_answer got = lbs_post(&s, "/", "application/x-protobuf", message.data, message.size);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.type, compact);
    lbs_answer_free(&got);
    sc_bytes_fini(&message);
    lbs_scene_close(&s);
}

static void test_too_much_is_413(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    s.options.http.max_body_bytes = 100000;
    s.options.lbs.max_objects = 5;
    lbs_scene_start(&s, sc__provider_evaluate);
    char *large = test_take(1, 100001);
    lbs_answer got = lbs_post(&s, "/", compact, large, 100001);
    lbs_check_problem(&got, 413, "too large");
    got = lbs_post(&s, "/", compact, large, 100000);
    lbs_check_problem(&got, 400, "");
    free(large);
    check_refused(&s, SC_ENCODING_COMPACT, 413, "5");
    sc_provider_free(s.provider);
    s.provider = NULL;

    s.options.lbs.max_objects = 1000;
    s.options.codec.max_segments = 2;
    lbs_scene_start(&s, sc__provider_evaluate);
    check_refused(&s, SC_ENCODING_COMPACT, 413, "segments; at most 2");
    check_refused(&s, SC_ENCODING_GEOJSON, 413, "2");
    lbs_scene_close(&s);
}

static void test_other_media_types_are_415(void **state)
{
    (void)state;
    static const char *const others[] = {NULL, "application/json", "text/plain",
                                         "application/x-protobuf; version=1",
                                         "application/x-protobuf; version=3"};
    lbs_scene s;
    lbs_scene_open(&s);
    lbs_scene_start(&s, sc__provider_evaluate);
    sc_bytes message = lbs_scene_message(&s, SC_ENCODING_COMPACT);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        lbs_answer got = lbs_post(&s, "/", others[i], message.data, message.size);
        lbs_check_problem(&got, 415, "the Content-Type ");
    }
    sc_bytes_fini(&message);
    lbs_scene_close(&s);
}

static void test_what_cannot_be_answered_is_422(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    s.options.lbs.limits =
        (sc_request_limits){.max_k = 10, .max_radius_m = 400, .max_radius_s = 60};
    lbs_scene_start(&s, sc__provider_evaluate);
    check_answered(&s, "/", SC_ENCODING_COMPACT);

    s.requests[0].k = 11;
    check_refused(&s, SC_ENCODING_COMPACT, 422, "11");
    check_refused(&s, SC_ENCODING_GEOJSON, 422, "11");
    s.requests[0].k = 3;
    s.requests[2].radius_m = 401;
    check_refused(&s, SC_ENCODING_COMPACT, 422, "401");
    s.requests[2] =
        (sc_request){.type = SC_REQUEST_RANGE, .metric = SC_METRIC_TIME, .radius_s = 61};
    check_refused(&s, SC_ENCODING_COMPACT, 422, "the radius is 61 s; ask for 0 to 60 s");
    check_refused(&s, SC_ENCODING_GEOJSON, 422, "the radius is 61 s; ask for 0 to 60 s");
    s.requests[2].radius_s = 60;
    check_answered(&s, "/", SC_ENCODING_COMPACT);
    check_answered(&s, "/", SC_ENCODING_GEOJSON);

    // A word that the provider does not have.
    const char *const words[] = {"cafe", "pub"};
    const sc_vocabulary vocabulary = {.names = words, .count = 2};
    s.requests[1].categories[0] = 1;
    sc_bytes message = {.data = NULL};
    CHECK_OK(
        sc_relay_encode(
            &(sc_codec){.map = s.map, .vocabulary = &vocabulary, .encoding = SC_ENCODING_COMPACT},
            &s.relay, &message, NULL),
        NULL);
    lbs_answer got = lbs_post(&s, "/", compact, message.data, message.size);
    lbs_check_problem(&got, 422, "category");
    sc_bytes_fini(&message);
    s.requests[1].categories[0] = 0;

    // A node that is a corner of the grid is no crossing.
    sc_node_id corner = 0;
    s.relay.border_nodes = &corner;
    s.relay.border_node_count = 1;
    check_refused(&s, SC_ENCODING_COMPACT, 422, "not an intersection");
    lbs_scene_close(&s);
}

static void test_geometry_for_a_map_without_degrees_is_422(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    sc_bytes message = lbs_scene_message(&s, SC_ENCODING_GEOJSON);
    sketch flat = sketch_grid(SC_COORDS_NONE, 3, 3);
    sc_builder *builder = sketch_builder(&flat);
    put_object(builder, 0, 0.5, "cafe", "");
    sc_map *map = finish_builder(builder);
    sketch_free(&flat);
    sc_objects *objects = NULL;
    CHECK_OK(sc_objects_new_from_map(map, &objects), NULL);
    s.options.objects = objects;
    sc_diag diag = {""};
    CHECK_OK(sc_provider_new(map, &s.options, &s.provider, &diag), &diag);
    CHECK_OK(sc_provider_start(s.provider, &diag), &diag);
    lbs_answer got = lbs_post(&s, "/", geojson, message.data, message.size);
    lbs_check_problem(&got, 422, "coordinates");
    sc_bytes_fini(&message);
    lbs_scene_close(&s);
    sc_objects_release(objects);
    sc_map_free(map);
}

static void test_methods_that_do_not_fit_are_405(void **state)
{
    (void)state;
    static const char *const methods[] = {"GET", "DELETE", "PUT"};
    lbs_scene s;
    lbs_scene_open(&s);
    lbs_scene_start(&s, sc__provider_evaluate);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        lbs_answer got = lbs_ask(&s, methods[i], "/");
        assert_string_equal(got.allow, "POST");
        lbs_check_problem(&got, 405, "POST");
    }
    lbs_answer got = lbs_post(&s, "/metrics", compact, "x", 1);
    assert_string_equal(got.allow, "GET, HEAD");
    lbs_check_problem(&got, 405, "only GET and HEAD");
    got = lbs_post(&s, "/v1/categories/x", compact, "x", 1);
    lbs_check_problem(&got, 404, "no such page");
    lbs_scene_close(&s);
}

/** What comes back for a request, ended by NUL. */
static void ask_by_hand(const lbs_scene *s, const char *words, char *received, size_t room)
{
    const int fd = lbs_connect(s);
    assert_int_equal(send(fd, words, strlen(words), MSG_NOSIGNAL), strlen(words));
    size_t size = 0;
    ssize_t got = 0;
    while (size + 1 < room && (got = recv(fd, received + size, room - 1 - size, 0)) > 0) {
        size += (size_t)got;
    }
    received[size] = '\0';
    close(fd);
}

static void test_what_cannot_be_expected_is_417(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    lbs_scene_start(&s, sc__provider_evaluate);
    char received[2048];
    ask_by_hand(&s,
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\n"
                "Expect: gold\r\nContent-Length: 4\r\n\r\n",
                received, sizeof received);
    CHECK_CONTAINS(received, "HTTP/1.1 417 ");
    CHECK_CONTAINS(received,
                   "\"status\":417,\"title\":\"the only supported value of Expect is 100-continue");
    lbs_answer got = lbs_ask(&s, "GET", "/metrics");
    CHECK_CONTAINS(got.body, "\nstarcloak_lbs_requests_total{status=\"417\"} 1\n");
    lbs_answer_free(&got);
    lbs_scene_close(&s);
}

// --- Starting --------------------------------------------------------------------------

static void test_no_client_is_served_before_it_starts(void **state)
{
    (void)state;
    static const char words[] = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    lbs_scene s;
    lbs_scene_open(&s);
    sc_diag diag = {""};
    CHECK_OK(sc_provider_new(s.map, &s.options, &s.provider, &diag), &diag);
    // The sockets are there: who comes now waits in the kernel's queue.
    const int fd = lbs_connect(&s);
    assert_true(fd >= 0);
    assert_int_equal(send(fd, words, sizeof words - 1, MSG_NOSIGNAL), sizeof words - 1);
    struct pollfd reply = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&reply, 1, 100), 0);
    assert_int_equal(sc_http_stats_of(sc_provider_http(s.provider)).accepted, 0);
    CHECK_OK(sc_provider_start(s.provider, &diag), &diag);
    char received[16] = "";
    assert_int_equal(recv(fd, received, 12, MSG_WAITALL), 12);
    assert_string_equal(received, "HTTP/1.1 200");
    close(fd);
    lbs_scene_close(&s);
}

static void test_a_provider_that_never_starts_can_be_freed(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    sc_diag diag = {""};
    CHECK_OK(sc_provider_new(s.map, &s.options, &s.provider, &diag), &diag);
    lbs_scene_close(&s);
}

static void check_not_opened(const lbs_scene *s, sc_err wanted, const char *why)
{
    sc_provider *provider = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_provider_new(s->map, &s->options, &provider, &diag), wanted, &diag, why);
    assert_null(provider);
}

static void test_options_that_make_no_provider_are_refused(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    s.options.threads = 0;
    check_not_opened(&s, SC_EINVAL, "threads");
    s.options.threads = 65;
    check_not_opened(&s, SC_EINVAL, "threads");
    s.options.threads = 1;
    s.options.max_waiting = 0;
    check_not_opened(&s, SC_EINVAL, "wait");
    s.options.max_waiting = 1;
    s.options.objects = NULL;
    check_not_opened(&s, SC_EINVAL, "objects");
    s.options.objects = s.objects;
    static const char *const nowhere[] = {"nowhere"};
    s.options.http.addresses = nowhere;
    check_not_opened(&s, SC_EINVAL, "nowhere");
    sc_provider_free(NULL);
    lbs_scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_cloak_is_answered_in_its_encoding),
    cmocka_unit_test(test_many_clients_are_answered_by_several_loops_and_threads),
    cmocka_unit_test(test_a_body_that_is_no_message_is_400),
    cmocka_unit_test(test_a_message_about_another_map_is_409),
    cmocka_unit_test(test_a_relay_of_version_1_is_400_and_says_what_to_update),
    cmocka_unit_test(test_a_message_of_this_version_needs_no_parameter),
    cmocka_unit_test(test_too_much_is_413),
    cmocka_unit_test(test_other_media_types_are_415),
    cmocka_unit_test(test_what_cannot_be_answered_is_422),
    cmocka_unit_test(test_geometry_for_a_map_without_degrees_is_422),
    cmocka_unit_test(test_methods_that_do_not_fit_are_405),
    cmocka_unit_test(test_what_cannot_be_expected_is_417),
    cmocka_unit_test(test_no_client_is_served_before_it_starts),
    cmocka_unit_test(test_a_provider_that_never_starts_can_be_freed),
    cmocka_unit_test(test_options_that_make_no_provider_are_refused),
};
SC_SUITE(tests)
