// Pages over a real server: packed for those who accept it, and not sent again to those who have
// them.
#include "api/static_pages.h"

#include "api/problem_details.h"
#include "server/http.h"
#include "support/check.h"
#include "support/openapi.h"
#include "support/sketch.h"
#include "support/web_client.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

typedef struct fixture {
    sc_map *map;
    sc_static_pages *pages;
    sc_http *http;
} fixture;

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    (void)loop;
    const fixture *f = context;
    const char *path = sc_http_request_path(request);
    if (strcmp(path, "/v1/map") == 0) {
        sc_static_pages_map(f->pages, request);
    } else if (strcmp(path, "/v1/map.bin") == 0) {
        sc_static_pages_map_bytes(f->pages, request);
    } else if (strcmp(path, "/v1/categories") == 0) {
        sc_static_pages_categories(f->pages, request);
    } else {
        sc_static_pages_openapi(f->pages, request);
    }
}

static void fixture_open(fixture *f, sc_map *map)
{
    sc_diag diag = {""};
    *f = (fixture){.map = map};
    sc_vocabulary vocabulary;
    CHECK_OK(sc_vocabulary_init_from_map(f->map, &vocabulary), NULL);
    CHECK_OK(sc_static_pages_new(f->map, &vocabulary, &f->pages, &diag), &diag);
    sc_vocabulary_fini(&vocabulary);
    static const char *const addresses[] = {"127.0.0.1:0"};
    sc_http_options options = sc_http_options_default();
    options.addresses = addresses;
    options.address_count = 1;
    options.loops = 1;
    options.handle = handle;
    options.context = f;
    options.problem = sc_problem_of_server;
    CHECK_OK(sc_http_new(&options, &f->http, &diag), &diag);
    CHECK_OK(sc_http_start(f->http, &diag), &diag);
}

static void fixture_close(fixture *f)
{
    sc_http_stop(f->http);
    sc_http_free(f->http);
    sc_static_pages_free(f->pages);
    sc_map_free(f->map);
}

static web_reply get(const fixture *f, const char *path, const char *headers)
{
    return web_ask(sc_http_address(f->http, 0), "GET", path, headers, NULL);
}

static const char *const paths[] = {"/v1/map", "/v1/map.bin", "/v1/categories", "/openapi.json"};
enum { PATHS = sizeof paths / sizeof *paths };

// What `packed` unpacks to is `plain`.
static void check_unpacks_to(const web_reply *packed, const web_reply *plain)
{
    z_stream stream = {.next_in = (Bytef *)packed->body, .avail_in = (uInt)packed->size};
    assert_int_equal(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
    unsigned char *out = test_take(plain->size + 1, 1);
    stream.next_out = out;
    stream.avail_out = (uInt)plain->size + 1;
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, plain->size);
    assert_memory_equal(out, plain->body, plain->size);
    inflateEnd(&stream);
    free(out);
}

static void test_pages_are_as_described(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, full_map(SC_COORDS_GEOGRAPHIC));
    json_t *document = openapi_load();
    for (size_t i = 0; i < PATHS; i++) {
        web_reply reply = get(&f, paths[i], "");
        assert_int_equal(reply.status, 200);
        openapi_check_response(document, "GET", paths[i], 200, web_header(&reply, "Content-Type"),
                               reply.body, reply.size);
        assert_string_equal(web_header(&reply, "Vary"), "Accept-Encoding");
        assert_string_equal(web_header(&reply, "Cache-Control"), "public, no-cache");
        assert_string_equal(web_header(&reply, "Content-Encoding"), "");
        web_reply_free(&reply);
    }
    json_decref(document);
    fixture_close(&f);
}

static void test_the_description_is_the_file_in_the_repository(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, full_map(SC_COORDS_PLANAR));
    web_reply reply = get(&f, "/openapi.json", "");
    json_t *document = openapi_load();
    json_t *shown = json_loadb(reply.body, reply.size, 0, NULL);
    assert_true(json_equal(document, shown));
    json_decref(shown);
    json_decref(document);
    web_reply_free(&reply);
    fixture_close(&f);
}

static void test_gzip_unpacks_to_the_same_page(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, full_map(SC_COORDS_GEOGRAPHIC));
    for (size_t i = 0; i < PATHS; i++) {
        web_reply plain = get(&f, paths[i], "");
        web_reply packed = get(&f, paths[i], "Accept-Encoding: gzip, br\r\n");
        assert_int_equal(packed.status, 200);
        assert_string_equal(web_header(&packed, "Content-Encoding"), "gzip");
        assert_string_equal(web_header(&packed, "Vary"), "Accept-Encoding");
        check_unpacks_to(&packed, &plain);
        web_reply_free(&plain);
        web_reply_free(&packed);
    }
    fixture_close(&f);
}

static web_reply get_if_not(const fixture *f, const char *path, const char *etag, const char *more)
{
    char headers[256];
    snprintf(headers, sizeof headers, "If-None-Match: %s\r\n%s", etag, more);
    return get(f, path, headers);
}

static void test_a_page_is_not_sent_to_those_who_have_it(void **state)
{
    (void)state;
    static const char gzip[] = "Accept-Encoding: gzip\r\n";
    fixture f;
    fixture_open(&f, full_map(SC_COORDS_GEOGRAPHIC));
    for (size_t i = 0; i < PATHS; i++) {
        char etags[2][64];
        for (unsigned packed = 0; packed < 2; packed++) {
            web_reply reply = get(&f, paths[i], packed ? gzip : "");
            snprintf(etags[packed], sizeof etags[packed], "%s", web_header(&reply, "ETag"));
            web_reply_free(&reply);
            reply = get_if_not(&f, paths[i], etags[packed], packed ? gzip : "");
            assert_int_equal(reply.status, 304);
            assert_int_equal(reply.size, 0);
            assert_string_equal(web_header(&reply, "ETag"), etags[packed]);
            assert_string_equal(web_header(&reply, "Vary"), "Accept-Encoding");
            assert_string_equal(web_header(&reply, "Content-Encoding"), "");
            web_reply_free(&reply);
        }
        // Packed or not, the bytes differ, and so do their tags.
        assert_string_not_equal(etags[0], etags[1]);
        web_reply reply = get_if_not(&f, paths[i], etags[0], gzip);
        assert_int_equal(reply.status, 200);
        web_reply_free(&reply);
    }
    fixture_close(&f);
}

static void map_etag(sc_map *map, char out[64])
{
    fixture f;
    fixture_open(&f, map);
    web_reply reply = get(&f, "/v1/map", "");
    snprintf(out, 64, "%s", web_header(&reply, "ETag"));
    web_reply_free(&reply);
    fixture_close(&f);
}

static void test_equal_maps_have_equal_tags_and_others_others(void **state)
{
    (void)state;
    char first[64];
    char again[64];
    char other[64];
    map_etag(full_map(SC_COORDS_GEOGRAPHIC), first);
    map_etag(full_map(SC_COORDS_GEOGRAPHIC), again);
    map_etag(full_map(SC_COORDS_PLANAR), other);
    assert_string_equal(first, again);
    assert_string_not_equal(first, other);
}

static void test_a_head_request_gets_the_headers_alone(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, full_map(SC_COORDS_NONE));
    web_reply whole = get(&f, "/v1/map", "");
    const int fd = web_connect(sc_http_address(f.http, 0));
    web_send(fd, "HEAD", "/v1/map", "Connection: close\r\n", NULL);
    web_stream stream = {0};
    web_stream_await_end(fd, &stream);
    assert_true(stream.size >= 4);
    assert_string_equal(stream.text + stream.size - 4, "\r\n\r\n");
    CHECK_CONTAINS(stream.text, "HTTP/1.1 200 ");
    char length[64];
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", whole.size);
    CHECK_CONTAINS(stream.text, length);
    free(stream.text);
    close(fd);
    web_reply_free(&whole);
    fixture_close(&f);
}

// Forty thousand crossings are megabytes: more than a socket takes at once, and it comes whole.
static void test_a_large_map_comes_whole_to_several_at_once(void **state)
{
    (void)state;
    enum { CLIENTS = 8 };
    sketch grid = sketch_grid(SC_COORDS_GEOGRAPHIC, 200, 200);
    fixture f;
    fixture_open(&f, sketch_map(&grid));
    sketch_free(&grid);
    int fds[CLIENTS];
    for (size_t i = 0; i < CLIENTS; i++) {
        fds[i] = web_connect(sc_http_address(f.http, 0));
        web_send(fds[i], "GET", "/v1/map", i % 2 ? "Accept-Encoding: gzip\r\n" : "", NULL);
    }
    web_reply replies[CLIENTS];
    for (size_t i = 0; i < CLIENTS; i++) {
        replies[i] = web_receive(fds[i]);
        close(fds[i]);
    }
    assert_true(replies[0].size > 2000000);
    for (size_t i = 1; i < CLIENTS; i++) {
        assert_int_equal(replies[i].size, replies[i % 2].size);
        assert_memory_equal(replies[i].body, replies[i % 2].body, replies[i].size);
    }
    check_unpacks_to(&replies[1], &replies[0]);
    for (size_t i = 0; i < CLIENTS; i++) {
        web_reply_free(&replies[i]);
    }
    fixture_close(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pages_are_as_described),
    cmocka_unit_test(test_the_description_is_the_file_in_the_repository),
    cmocka_unit_test(test_gzip_unpacks_to_the_same_page),
    cmocka_unit_test(test_a_page_is_not_sent_to_those_who_have_it),
    cmocka_unit_test(test_equal_maps_have_equal_tags_and_others_others),
    cmocka_unit_test(test_a_head_request_gets_the_headers_alone),
    cmocka_unit_test(test_a_large_map_comes_whole_to_several_at_once),
};
SC_SUITE(tests)
