// Questions as the bytes of requests.
#include "demo/loadgen/request_text.h"

#include <jansson.h>
#include <stdio.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/sketch.h"

/** The head of what was written; its body is read into *body, to be released. */
static const char *part(const char *text, size_t size, json_t **body)
{
    static char head[2048];
    const char *end = strstr(text, "\r\n\r\n");
    assert_non_null(end);
    const size_t head_size = (size_t)(end + 4 - text);
    assert_true(head_size < sizeof(head));
    memcpy(head, text, head_size);
    head[head_size] = '\0';
    char length[64];
    snprintf(length, sizeof(length), "\r\nContent-Length: %zu\r\n", size - head_size);
    CHECK_CONTAINS(head, length);
    *body = json_loadb(end + 4, size - head_size, 0, NULL);
    assert_non_null(*body);
    return head;
}

static const sc__client_query plain_question = {
    .edge = 1,
    .offset_m = 0.25,
    .profile = {.k = 5, .l = 3, .max_hops = 4, .max_wait_us = 2500000},
    .nearest = 7,
    .category = SC_NONE,
};

static double number(const json_t *object, const char *path)
{
    char key[32];
    const char *dot;
    while ((dot = strchr(path, '.'))) {
        snprintf(key, sizeof(key), "%.*s", (int)(dot - path), path);
        object = json_object_get(object, key);
        path = dot + 1;
    }
    assert_true(json_is_number(json_object_get(object, path)));
    return json_number_value(json_object_get(object, path));
}

static json_t *say(const sc_map *map, const sc__client_query *question, const char **head)
{
    static char text[SC__REQUEST_SIZE];
    const sc_target target = {.host = "h:1", .path = "/base"};
    sc__request_writer *writer = NULL;
    json_t *body = NULL;
    CHECK_OK(sc__request_writer_new(map, &target, &writer), NULL);
    const size_t size = sc__request_writer_query(writer, "sct1_x", question, text);
    *head = part(text, size, &body);
    sc__request_writer_free(writer);
    return body;
}

static void test_a_query_says_who_where_and_what(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    const char *head = NULL;
    json_t *body = say(map, &plain_question, &head);
    assert_memory_equal(head, "POST /base/v1/queries HTTP/1.1\r\n", 32);
    CHECK_CONTAINS(head, "\r\nHost: h:1\r\n");
    CHECK_CONTAINS(head, "\r\nAuthorization: Bearer sct1_x\r\n");
    CHECK_CONTAINS(head, "\r\nContent-Type: application/json\r\n");
    double x = 0;
    double y = 0;
    sc_map_edge_position(map, 1, 0.25, &x, &y);
    CHECK_CLOSE(number(body, "position.lon"), x, 1e-9);
    CHECK_CLOSE(number(body, "position.lat"), y, 1e-9);
    CHECK_SAME(number(body, "profile.k"), 5.0);
    CHECK_SAME(number(body, "profile.l"), 3.0);
    CHECK_SAME(number(body, "profile.max_hops"), 4.0);
    CHECK_SAME(number(body, "profile.max_wait_s"), 2.5);
    CHECK_SAME(number(body, "request.k"), 7.0);
    assert_null(json_object_get(json_object_get(body, "request"), "categories"));
    json_decref(body);
    sc_map_free(map);
}

static void test_a_place_is_told_as_the_map_can(void **state)
{
    (void)state;
    const char *head = NULL;
    sc_map *plane = full_map(SC_COORDS_PLANAR);
    json_t *body = say(plane, &plain_question, &head);
    double x = 0;
    double y = 0;
    sc_map_edge_position(plane, 1, 0.25, &x, &y);
    CHECK_CLOSE(number(body, "position.x"), x, 1e-9);
    CHECK_CLOSE(number(body, "position.y"), y, 1e-9);
    json_decref(body);
    sc_map_free(plane);
    sc_map *blind = full_map(SC_COORDS_NONE);
    body = say(blind, &plain_question, &head);
    CHECK_SAME(number(body, "position.edge"), 1.0);
    CHECK_SAME(number(body, "position.offset_m"), 0.25);
    json_decref(body);
    sc_map_free(blind);
}

static void test_categories_are_told_by_name_whatever_that_is(void **state)
{
    (void)state;
    static const char odd[] = "caf\xc3\xa9 \"x\"\\\n";
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 3, 3);
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, 0.5, odd, "");
    sc_map *map = finish_builder(builder);
    sketch_free(&s);
    sc__client_query question = plain_question;
    question.category = sc_map_category_find(map, odd);
    const char *head = NULL;
    json_t *body = say(map, &question, &head);
    const json_t *names = json_object_get(json_object_get(body, "request"), "categories");
    assert_int_equal(json_array_size(names), 1);
    assert_string_equal(json_string_value(json_array_get(names, 0)), odd);
    json_decref(body);
    sc_map_free(map);
}

// What the service makes of the writer is where the traveller is, to a fraction of a millimetre.
static void test_the_place_survives_being_written_down(void **state)
{
    (void)state;
    const sc_coords kinds[] = {SC_COORDS_GEOGRAPHIC, SC_COORDS_PLANAR, SC_COORDS_NONE};
    const sc_target target = {.host = "h"};
    for (size_t kind = 0; kind < 3; kind++) {
        sketch s = sketch_grid(kinds[kind], 5, 5);
        sc_map *map = sketch_map(&s);
        sketch_free(&s);
        sc__request_writer *writer = NULL;
        CHECK_OK(sc__request_writer_new(map, &target, &writer), NULL);
        sc_rng rng;
        sc_rng_seed(&rng, kind);
        for (int i = 0; i < 200; i++) {
            sc__client_query question = plain_question;
            question.edge = sc_rng_below(&rng, sc_map_edge_count(map));
            // Not at a junction, where the nearest edge is anybody's.
            question.offset_m =
                (0.1 + 0.8 * sc_rng_unit(&rng)) * sc_map_edge_length_m(map, question.edge);
            sc_edge_id edge = SC_NONE;
            double offset_m = -1;
            CHECK_OK(sc__request_writer_position(writer, map, &question, &edge, &offset_m), NULL);
            assert_int_equal(edge, question.edge);
            CHECK_CLOSE(offset_m, question.offset_m, 0.001);
        }
        sc__request_writer_free(writer);
        sc_map_free(map);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_query_says_who_where_and_what),
    cmocka_unit_test(test_a_place_is_told_as_the_map_can),
    cmocka_unit_test(test_categories_are_told_by_name_whatever_that_is),
    cmocka_unit_test(test_the_place_survives_being_written_down),
};
SC_SUITE(tests)
