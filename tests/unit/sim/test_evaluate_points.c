// Answering the cloaks of a record with a provider that knows points only: a real one, over HTTP.
#include "support/check.h"
#include "support/made_record.h"
#include "support/place.h"
#include "support/point_server.h"
#include "support/sketch.h"

#include "sim/evaluate.h"

#include <jansson.h>

enum { OBJECTS = 24 };

static sc_map *map;
static sc_vocabulary vocabulary;

// Blocks of a hundred metres, an object on every road.
static int open_map(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_GEOGRAPHIC, 4, 4);
    sc_builder *builder = sketch_builder(&s);
    assert_int_equal(s.edge_count, OBJECTS);
    for (sc_edge_id e = 0; e < OBJECTS; e++) {
        put_object(builder, e, (e % 10 + 1) / 12.0, e % 3 == 0 ? "school" : "cafe", "");
    }
    sketch_free(&s);
    map = finish_builder(builder);
    return sc_vocabulary_init_from_map(map, &vocabulary) ? 1 : 0;
}

static int close_map(void **state)
{
    (void)state;
    sc_vocabulary_fini(&vocabulary);
    sc_map_free(map);
    return 0;
}

/** A record, a provider to answer it, and the results. */
typedef struct stage {
    place place;
    made_record record;
    const char *path;
    point_world world;
    point_server *server;
    sc_evaluate_report report;
    sc_diag diag;
} stage;

static sc_err evaluate(stage *s, uint64_t seed, sc_point_distance distance, point_mode mode)
{
    const made_wishes wishes = {.cloaks = 6, .min_members = 2};
    *s = (stage){.place = place_new(), .record = made_record_new(map, seed, &wishes)};
    size_t size = 0;
    char *text = made_text(&s->record, &size);
    s->path = place_write(&s->place, "run.jsonl", text, size);
    free(text);
    s->world = point_world_new(map, distance);
    s->server = point_server_start(&s->world, mode);

    sc_point_options how = point_server_options(s->server);
    how.spacing_m = 60;
    sc_point_settings *settings = NULL;
    sc_point_provider *provider = NULL;
    CHECK_OK(sc_point_settings_new(&how, &settings, &s->diag), &s->diag);
    CHECK_OK(sc_point_provider_new(map, &vocabulary, settings, &provider, &s->diag), &s->diag);
    sc_evaluate_options options = sc_evaluate_options_default();
    options.points = provider;
    options.vocabulary = &vocabulary;
    options.is_seeded = true;
    const sc_err err = sc_evaluate(map, s->path, s->path, &options, &s->report, &s->diag);
    sc_point_provider_free(provider);
    sc_point_settings_free(settings);
    return err;
}

static void strike(stage *s)
{
    point_server_stop(s->server);
    point_world_free(&s->world);
    made_record_free(&s->record);
    place_free(&s->place);
}

// Against the provider's own distance to every object.
static void check_answer(const stage *s, const json_t *answer)
{
    const char *id = json_string_value(json_object_get(answer, "query"));
    const made_event *query = made_find_query(&s->record, id);
    sc_request request = {.type = query->nearest > 0 ? SC_REQUEST_KNN : SC_REQUEST_RANGE,
                          .k = query->nearest,
                          .radius_m = query->radius_m,
                          .category_count = query->category != SC_NONE,
                          .categories = {query->category}};
    sc_near wanted[OBJECTS];
    const size_t count =
        point_world_answer(&s->world, query->edge, query->offset_m, &request, wanted);
    const json_t *results = json_object_get(answer, "results");
    assert_string_equal(json_string_value(json_object_get(answer, "objects")), "provider");
    assert_int_equal(json_array_size(results), count);
    for (size_t i = 0; i < count; i++) {
        const json_t *result = json_array_get(results, i);
        assert_true(json_is_string(json_object_get(result, "poi")));
        CHECK_CLOSE(json_number_value(json_object_get(result, "distance_m")), wanted[i].distance_m,
                    0.02);
    }
}

static size_t check_answers(const stage *s)
{
    size_t size = 0;
    size_t count = 0;
    char *text = read_whole(s->path, &size);
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        if (strncmp(line, "{\"event\":\"answer\"", 16) != 0) continue;
        json_t *answer = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
        assert_non_null(answer);
        check_answer(s, answer);
        json_decref(answer);
        count++;
    }
    free(text);
    return count;
}

static void test_every_member_gets_the_exact_answer_in_the_providers_distance(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        check_case(seed);
        stage s;
        CHECK_OK(evaluate(&s, seed, seed % 2 == 0 ? SC_POINT_STRAIGHT : SC_POINT_ROAD, POINT_GOOD),
                 &s.diag);
        assert_int_equal(s.report.answered, s.report.queries);
        assert_int_equal(check_answers(&s), s.report.queries);
        assert_int_equal(s.report.questions, point_server_count(s.server));
        assert_true(s.report.points > 0 && s.report.questions >= s.report.points);
        assert_true(s.report.bytes_out.mean > 0 && s.report.bytes_in.mean > 0);
        assert_true(s.report.provider_wall_s > 0);
        sc_verify_report verified;
        const sc_verify_options options = sc_verify_options_default();
        CHECK_OK(sc_record_verify(map, s.path, &options, &verified, &s.diag), &s.diag);
        assert_int_equal(verified.violations, 0);
        assert_int_equal(verified.foreign_answers, s.report.answered);
        strike(&s);
    }
    check_case_done();
}

// The file at `path` is what was made up for it.
static void check_untouched(const stage *s)
{
    size_t size = 0;
    char *before = made_text(&s->record, &size);
    char *after = read_whole(s->path, &size);
    assert_string_equal(before, after);
    assert_int_equal(count_entries(s->place.path), 1);
    free(before);
    free(after);
}

static void
test_a_provider_that_talks_nonsense_fails_every_query_and_leaves_the_record(void **state)
{
    (void)state;
    stage s;
    CHECK_OK(evaluate(&s, 3, SC_POINT_STRAIGHT, POINT_NOT_JSON), &s.diag);
    assert_int_equal(s.report.answered, 0);
    assert_int_equal(s.report.failed, s.report.queries);
    assert_true(sc_evaluate_is_fruitless(&s.report));
    CHECK_CONTAINS(s.report.first_failure.message, "run.jsonl:");
    CHECK_CONTAINS(s.report.first_failure.message, ": cloak ");
    check_untouched(&s);
    strike(&s);
}

static void test_a_provider_that_is_not_there_ends_it_and_leaves_the_record(void **state)
{
    (void)state;
    stage s;
    const sc_err err = evaluate(&s, 4, SC_POINT_STRAIGHT, POINT_CLOSED);
    CHECK_REFUSED(err, SC_ENET, &s.diag, ": cloak ");
    CHECK_CONTAINS(s.diag.message, "run.jsonl:");
    check_untouched(&s);
    strike(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_member_gets_the_exact_answer_in_the_providers_distance),
    cmocka_unit_test(test_a_provider_that_talks_nonsense_fails_every_query_and_leaves_the_record),
    cmocka_unit_test(test_a_provider_that_is_not_there_ends_it_and_leaves_the_record),
};
SC_SUITE_WITH(tests, open_map, close_map)
