// What is no query: refused with the line and the field, and neither the user nor the place.
#include "support/check.h"
#include "support/sketch.h"

#include "record/stream.h"

#include <stdio.h>

#define USER "\"user\":\"Mallory\""
#define T "\"t\":12.5"
#define PLACE "\"lon\":-77.125,\"lat\":38.875"
#define PROFILE "\"profile\":{\"k\":5,\"l\":6,\"sigma_s\":4,\"sigma_t\":10.2}"
#define GOOD "{" USER "," T "," PLACE "," PROFILE "}"

/** The whole sentence behind "queries.jsonl:3: " and, for what is no JSON, "column N: ". */
typedef struct refusal {
    const char *text;
    const char *sentence;
} refusal;

static const refusal refusals[] = {
    // The line as a whole.
    {"17", "this is not an object; a line is one object, {...}"},
    {"[]", "this is not an object; a line is one object, {...}"},
    {"Mallory", "this is not JSON; a line is one object, {...}"},
    {"{", "the line ends inside its object; a line is one object, {...}"},
    {GOOD " {}", "there is more text after the object; a line is one object, {...}"},
    {"{" USER "," T "," PLACE "," PROFILE ",\"t\":13}",
     "a key occurs twice in one object; keep one of them"},
    {"{\"profile\":{\"k\":1,\"k\":2}}", "a key occurs twice in one object; keep one of them"},
    {"{\"x\":1e999}", "a number is too large to be read"},
    {"{\"x\":99999999999999999999}", "a number is too large to be read"},
    {"{\"user\":\"a\xff\"}", "this is not UTF-8"},
    {"{\"user\":\"a\\u0000b\"}", "a text contains the character 0; remove it"},

    // Who and when.
    {"{" T "," PLACE "," PROFILE "}", "\"user\" is missing; add it"},
    {"{\"event\":\"drop\",\"query\":\"Mallory\"," T ",\"reason\":\"expired\"}",
     "this is an event of a run record, not a query; 'starcloak verify' reads records"},
    {"{\"user\":1.5," T "," PLACE "," PROFILE "}", "\"user\" is neither a text nor a whole number"},
    {"{\"user\":null," T "," PLACE "," PROFILE "}",
     "\"user\" is neither a text nor a whole number"},
    {"{" USER "," PLACE "," PROFILE "}", "\"t\" is missing; add it"},
    {"{" USER ",\"t\":\"12.5\"," PLACE "," PROFILE "}",
     "\"t\" is not a number; write it without quotes"},
    {"{" USER ",\"t\":1.0001e12," PLACE "," PROFILE "}",
     "\"t\" is beyond 1e12 seconds; count seconds from a later time"},
    {"{" USER ",\"t\":-1.0001e12," PLACE "," PROFILE "}",
     "\"t\" is beyond 1e12 seconds; count seconds from a later time"},

    // Where.
    {"{" USER "," T "," PROFILE "}",
     "the query has no position; give either \"lon\" and \"lat\" or \"edge\" and \"offset_m\""},
    {"{" USER "," T "," PLACE ",\"edge\":3,\"offset_m\":1," PROFILE "}",
     "the query has two positions; give either \"lon\" and \"lat\" or \"edge\" and \"offset_m\""},
    {"{" USER "," T "," PLACE ",\"offset_m\":1," PROFILE "}",
     "the query has two positions; give either \"lon\" and \"lat\" or \"edge\" and \"offset_m\""},
    {"{" USER "," T ",\"lon\":-77.125," PROFILE "}", "\"lat\" is missing; add it"},
    {"{" USER "," T ",\"lat\":38.875," PROFILE "}", "\"lon\" is missing; add it"},
    {"{" USER "," T ",\"lon\":\"-77.125\",\"lat\":38.875," PROFILE "}",
     "\"lon\" is not a number; write it without quotes"},
    {"{" USER "," T ",\"lon\":-77.125,\"lat\":null," PROFILE "}",
     "\"lat\" is not a number; write it without quotes"},
    {"{" USER "," T ",\"edge\":77125," PROFILE "}", "\"offset_m\" is missing; add it"},
    {"{" USER "," T ",\"offset_m\":77125," PROFILE "}", "\"edge\" is missing; add it"},
    {"{" USER "," T ",\"edge\":77125.5,\"offset_m\":1," PROFILE "}",
     "\"edge\" is not a whole number; write it without quotes and decimals"},
    {"{" USER "," T ",\"edge\":77125,\"offset_m\":true," PROFILE "}",
     "\"offset_m\" is not a number; write it without quotes"},

    // How private.
    {"{" USER "," T "," PLACE "}", "\"profile\" is missing; add it"},
    {"{" USER "," T "," PLACE ",\"profile\":[5,6,4,10]}",
     "\"profile\" is not an object; write it in {...}"},
    {"{" USER "," T "," PLACE ",\"profile\":{\"l\":6,\"sigma_s\":4,\"sigma_t\":10}}",
     "\"profile.k\" is missing; add it"},
    {"{" USER "," T "," PLACE ",\"profile\":{\"k\":6,\"sigma_s\":4,\"sigma_t\":10}}",
     "\"profile.l\" is missing; add it"},
    {"{" USER "," T "," PLACE ",\"profile\":{\"k\":5,\"l\":6,\"sigma_t\":10}}",
     "\"profile.sigma_s\" is missing; add it"},
    {"{" USER "," T "," PLACE ",\"profile\":{\"k\":5,\"l\":6,\"sigma_s\":4}}",
     "\"profile.sigma_t\" is missing; add it"},
    {"{" USER "," T "," PLACE ",\"profile\":{\"k\":5.5,\"l\":6,\"sigma_s\":4,\"sigma_t\":10}}",
     "\"profile.k\" is not a whole number; write it without quotes and decimals"},
    {"{" USER "," T "," PLACE ",\"profile\":{\"k\":\"5\",\"l\":6,\"sigma_s\":4,\"sigma_t\":10}}",
     "\"profile.k\" is not a whole number; write it without quotes and decimals"},
    {"{" USER "," T "," PLACE ",\"profile\":{\"k\":5,\"l\":6,\"sigma_s\":4,\"sigma_t\":\"10\"}}",
     "\"profile.sigma_t\" is not a number; write it without quotes"},
    {"{" USER "," T "," PLACE ",\"profile\":{\"k\":5,\"l\":6,\"sigma_s\":4,\"sigma_t\":2e12}}",
     "\"profile.sigma_t\" is beyond 1e12 seconds; count seconds from a later time"},
    {"{" USER "," T "," PLACE
     ",\"profile\":{\"k\":5,\"l\":6,\"sigma_s\":4,\"sigma_t\":10,\"sigma_S\":2}}",
     "\"profile\" has an unknown key 'sigma_S'; correct or remove it"},

    // For what.
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":\"knn\"}",
     "\"request\" is not an object; write it in {...}"},
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":null}",
     "\"request\" is not an object; write it in {...}"},
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":{\"k\":5}}",
     "\"request.type\" is unknown; write \"knn\" or \"range\""},
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":{\"type\":\"nearest\",\"k\":5}}",
     "\"request.type\" is unknown; write \"knn\" or \"range\""},
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":{\"type\":7,\"k\":5}}",
     "\"request.type\" is unknown; write \"knn\" or \"range\""},
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":{\"type\":\"knn\"}}",
     "\"request.k\" is missing; add it"},
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":{\"type\":\"knn\",\"k\":0}}",
     "\"request.k\" is 0; ask for at least one object"},
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":{\"type\":\"knn\",\"k\":-1}}",
     "\"request.k\" is negative; write a count of 0 or more"},
    {"{" USER "," T "," PLACE "," PROFILE
     ",\"request\":{\"type\":\"knn\",\"k\":5,\"radius_m\":500}}",
     "\"request\" has an unknown key 'radius_m'; correct or remove it"},
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":{\"type\":\"range\"}}",
     "\"request.radius_m\" is missing; add it"},
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":{\"type\":\"range\",\"radius_m\":-3}}",
     "\"request.radius_m\" is below 0; write metres, 0 or more"},
    {"{" USER "," T "," PLACE "," PROFILE
     ",\"request\":{\"type\":\"knn\",\"metric\":\"taste\",\"k\":5}}",
     "\"request.metric\" is unknown; write \"distance\" or \"time\""},
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":{\"type\":\"knn\",\"metric\":7,\"k\":5}}",
     "\"request.metric\" is unknown; write \"distance\" or \"time\""},
    {"{" USER "," T "," PLACE "," PROFILE
     ",\"request\":{\"type\":\"range\",\"metric\":\"time\",\"radius_m\":5}}",
     "\"request.radius_m\" is metres, and the metric is \"time\"; write radius_s"},
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":{\"type\":\"range\",\"radius_s\":5}}",
     "\"request.radius_s\" is seconds; write radius_m, or add the metric \"time\""},
    {"{" USER "," T "," PLACE "," PROFILE
     ",\"request\":{\"type\":\"range\",\"metric\":\"time\",\"radius_s\":-1}}",
     "\"request.radius_s\" is below 0; write seconds, 0 or more"},
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":{\"type\":\"range\",\"metric\":\"time\"}}",
     "\"request.radius_s\" is missing; add it"},
    {"{" USER "," T "," PLACE "," PROFILE
     ",\"request\":{\"type\":\"range\",\"radius_m\":500,\"k\":5}}",
     "\"request\" has an unknown key 'k'; correct or remove it"},
    {"{" USER "," T "," PLACE "," PROFILE
     ",\"request\":{\"type\":\"knn\",\"k\":5,\"category\":\"caf\xc3\xa9\"}}",
     "'caf\\xc3\\xa9' is not a category of the map made from 'a sketch'; 'starcloak map info' "
     "lists its categories"},
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":{\"type\":\"knn\",\"k\":5,\"category\":3}}",
     "\"request.category\" is neither a name, nor a list of names, nor null"},
    {"{" USER "," T "," PLACE "," PROFILE
     ",\"request\":{\"type\":\"knn\",\"k\":5,\"category\":[\"cafe\",null]}}",
     "\"request.category\" is neither a name, nor a list of names, nor null"},
    {"{" USER "," T "," PLACE "," PROFILE
     ",\"request\":{\"type\":\"knn\",\"k\":5,\"category\":[]}}",
     "\"request.category\" names no category; write null for all"},
    {"{" USER "," T "," PLACE "," PROFILE ",\"request\":{\"type\":\"knn\",\"k\":5,\"category\":["
     "\"cafe\",\"cafe\",\"cafe\",\"cafe\",\"cafe\","
     "\"cafe\",\"cafe\",\"cafe\",\"cafe\",\"cafe\",\"cafe\",\"cafe\",\"cafe\",\"cafe\",\"cafe\","
     "\"cafe\","
     "\"cafe\"]}}",
     "\"request.category\" names more than 16 categories; write null for all"},
    {"{" USER "," T "," PLACE "," PROFILE
     ",\"request\":{\"type\":\"knn\",\"k\":5,\"category\":[\"cafe\",\"bar\"]}}",
     "'bar' is not a category of the map made from 'a sketch'; 'starcloak map info' lists its "
     "categories"},
};

// Without the place. Which column jansson names is its own affair.
static const char *sentence_of(const sc_diag *diag)
{
    const char *sentence = diag->message + strlen("queries.jsonl:3: ");
    if (strncmp(sentence, "column ", 7) != 0) return sentence;
    sentence += 7 + strspn(sentence + 7, "0123456789");
    return strncmp(sentence, ": ", 2) == 0 ? sentence + 2 : sentence;
}

// A good line, an empty one, and then the bad one: it is the third.
static void check_refused(const sc_map *map, const refusal *r)
{
    char text[1024];
    const int size = snprintf(text, sizeof text, "%s\n\n%s\n%s\n", GOOD, r->text, GOOD);
    print_message("# %s\n", r->sentence);

    sc_stream *stream = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_stream_parse(map, text, (size_t)size, "queries.jsonl", &stream, &diag);
    CHECK_REFUSED(err, SC_EPARSE, &diag, "queries.jsonl:3: ");
    assert_string_equal(sentence_of(&diag), r->sentence);
    assert_null(stream);
    // Neither who nor where: both stand in most of these lines.
    assert_null(strstr(diag.message, "Mallory"));
    assert_null(strstr(diag.message, "77.125"));
    assert_null(strstr(diag.message, "38.875"));
    assert_null(strstr(diag.message, "77125"));
}

static sc_map *map_of_sketch(void)
{
    sketch s = sketch_named("street of three");
    sc_builder *builder = sketch_builder(&s);
    sc_builder_set_source(builder, "a sketch");
    put_object(builder, 0, 0.5, "cafe", "");
    sketch_free(&s);
    return finish_builder(builder);
}

static void test_a_line_that_is_no_query_is_refused_with_its_field(void **state)
{
    (void)state;
    sc_map *map = map_of_sketch();
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        check_refused(map, &refusals[i]);
    }
    sc_map_free(map);
}

// Each cut of a good line is either refused or, at its end, whole.
static void test_a_line_cut_anywhere_is_refused(void **state)
{
    (void)state;
    sc_map *map = map_of_sketch();
    const size_t whole = strlen(GOOD);
    for (size_t size = 1; size <= whole; size++) {
        char *cut = test_take(size, 1);  // so that reading beyond is seen
        memcpy(cut, GOOD, size);
        sc_stream *stream = NULL;
        const sc_err err = sc_stream_parse(map, cut, size, "cut", &stream, NULL);
        assert_int_equal(err, size == whole ? SC_OK : SC_EPARSE);
        sc_stream_free(stream);
        free(cut);
    }
    sc_map_free(map);
}

static void test_nesting_without_end_is_refused(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    sc_map *map = map_of_sketch();
    char *text = test_take(DEPTH + 6, 1);
    snprintf(text, DEPTH, "{\"a\":");
    memset(text + 5, '[', DEPTH);
    sc_stream *stream = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_stream_parse(map, text, DEPTH + 5, "deep", &stream, &diag);
    CHECK_REFUSED(err, SC_EPARSE, &diag, "deep:1: column ");
    CHECK_CONTAINS(diag.message, ": objects are nested too deeply");
    free(text);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_line_that_is_no_query_is_refused_with_its_field),
    cmocka_unit_test(test_a_line_cut_anywhere_is_refused),
    cmocka_unit_test(test_nesting_without_end_is_refused),
};
SC_SUITE(tests)
