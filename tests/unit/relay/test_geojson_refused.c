// Each thing that can be wrong in a GeoJSON message, by itself: it is refused, with its reason.
//
// The town is always the same, and so are its messages; a test puts something wrong in place of
// something right.
#include "support/check.h"
#include "support/sketch.h"

#include <starcloak/relay_codec.h>

#include <stdio.h>

//     A---B---C
//     |   |   |
//     D---E---F      with two crossings, B and E, and two categories
typedef struct town {
    sc_map *map;
    sc_vocabulary vocabulary;
    sc_relay relay;
    sc_codec_limits limits;
    char *relay_text;
    char *reply_text;
} town;

static const sc_seg_id town_segments[] = {0, 1, 2};
static const sc_node_id town_border[] = {1, 4};
static const sc_request town_requests[] = {
    {.k = 2, .category_count = 1, .categories = {0}},
    {.type = SC_REQUEST_RANGE, .radius_m = 12.5},
    {.type = SC_REQUEST_RANGE, .metric = SC_METRIC_TIME, .radius_s = 7.5},
};

static char *write_town_relay(const town *t)
{
    sc_bytes bytes = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_relay_encode(&(sc_codec){.map = t->map,
                                         .vocabulary = &t->vocabulary,
                                         .encoding = SC_ENCODING_GEOJSON},
                             &t->relay, &bytes, &diag),
             &diag);
    char *text = test_take(bytes.size + 1, 1);
    memcpy(text, bytes.data, bytes.size);
    sc_bytes_fini(&bytes);
    return text;
}

static char *write_town_reply(const town *t)
{
    double lon = 0.0;
    double lat = 0.0;
    sc_map_edge_position(t->map, 0, 1.0, &lon, &lat);
    char *text = test_take(2000, 1);
    snprintf(text, 2000,
             "{\"type\":\"FeatureCollection\",\"starcloak\":2,\"answers\":["
             "{\"on_segments\":[\"x\",\"y\"],\"border_nodes\":{"
             "\"b0\":[{\"object\":\"x\",\"distance_m\":3,\"duration_s\":2}],"
             "\"b1\":[{\"object\":\"y\",\"distance_m\":0.5,\"duration_s\":9},"
             "{\"duration_s\":0,\"object\":\"x\",\"distance_m\":1e1}]}},"
             "{\"on_segments\":[],\"border_nodes\":{\"b0\":[],\"b1\":[]}},"
             "{\"on_segments\":[],\"border_nodes\":{\"b1\":[],\"b0\":[]}}],"
             "\"features\":["
             "{\"type\":\"Feature\",\"id\":\"x\",\"properties\":{\"category\":\"cafe\"},"
             "\"geometry\":{\"type\":\"Point\",\"coordinates\":[%.7f,%.7f]}},"
             "{\"type\":\"Feature\",\"id\":\"y\",\"properties\":{\"category\":\"cafe\","
             "\"name\":\"Y\"},\"geometry\":{\"type\":\"Point\",\"coordinates\":[%.7f,%.7f,30]}}]}",
             lon, lat, lon, lat);
    return text;
}

static town town_new(void)
{
    sketch s = sketch_draw(SC_COORDS_GEOGRAPHIC,
                           "A-B-C\n"
                           "| | |\n"
                           "D-E-F\n",
                           "");
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, 0.5, "cafe", "");
    put_object(builder, 2, 0.5, "school", "");
    sketch_free(&s);
    town t = {.map = finish_builder(builder), .limits = sc_codec_limits_default()};
    CHECK_OK(sc_vocabulary_init_from_map(t.map, &t.vocabulary), NULL);
    t.relay = (sc_relay){.map_checksum = sc_map_checksum(t.map),
                         .segments = town_segments,
                         .segment_count = 3,
                         .border_nodes = town_border,
                         .border_node_count = 2,
                         .requests = town_requests,
                         .request_count = 3};
    t.relay_text = write_town_relay(&t);
    t.reply_text = write_town_reply(&t);
    return t;
}

static void town_free(town *t)
{
    free(t->relay_text);
    free(t->reply_text);
    sc_vocabulary_fini(&t->vocabulary);
    sc_map_free(t->map);
}

// `text` with the first `old` in it replaced; release with free().
static char *replace(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    if (!at) fail_msg("the message has no %s", old);
    const size_t before = (size_t)(at - text);
    const size_t size = strlen(text) - strlen(old) + strlen(new) + 1;
    char *changed = test_take(size, 1);
    snprintf(changed, size, "%.*s%s%s", (int)before, text, new, at + strlen(old));
    return changed;
}

static sc_err read_relay(const town *t, const char *text, sc_diag *diag)
{
    sc_relay *relay = NULL;
    const sc_err err = sc_relay_decode(&(sc_codec){.map = t->map,
                                                   .vocabulary = &t->vocabulary,
                                                   .encoding = SC_ENCODING_GEOJSON,
                                                   .limits = &t->limits},
                                       text, strlen(text), &relay, diag);
    assert_true(!err == !!relay);
    sc_relay_free(relay);
    return err;
}

static sc_err read_reply(const town *t, const char *text, sc_diag *diag)
{
    sc_reply reply;
    sc_reply_init(&reply);
    const sc_err err = sc_reply_decode(&(sc_codec){.map = t->map,
                                                   .vocabulary = &t->vocabulary,
                                                   .encoding = SC_ENCODING_GEOJSON,
                                                   .limits = &t->limits},
                                       &t->relay, text, strlen(text), &reply, diag);
    sc_reply_fini(&reply);
    return err;
}

/** Something wrong in place of something right, and what is said about it. */
typedef struct flaw {
    const char *old;
    const char *new;
    sc_err err;
    const char *message;
} flaw;

static const flaw relay_flaws[] = {
    {"{\"type\"", "", SC_EPARSE, "line 1, column 1: the message is not well-formed JSON"},
    {"\"type\"", "\"type\":1,\"type\"", SC_EPARSE, "a member occurs twice"},
    {"FeatureCollection", "Feature", SC_EPARSE, "not a GeoJSON FeatureCollection"},
    {"\"starcloak\":2", "\"starcloak\":1", SC_EPARSE,
     "the relay is of version 1 of the provider protocol, and the provider reads version 2; update "
     "the service"},
    {"\"starcloak\":2", "\"starcloak\":3", SC_EPARSE,
     "of version 3 of the provider protocol, and the provider reads version 2; update the "
     "provider"},
    {"\"starcloak\":2", "\"starcloak\":9223372036854775807", SC_EPARSE, "update the provider"},
    {"\"starcloak\":2", "\"starcloak\":0", SC_EPARSE, "has no 'starcloak', the version of the"},
    {"\"starcloak\":2", "\"starcloak\":-1", SC_EPARSE, "has no 'starcloak', the version of the"},
    {"\"starcloak\":2", "\"starcloak\":2.0", SC_EPARSE, "has no 'starcloak', the version of the"},
    {"\"starcloak\":2,", "", SC_EPARSE, "has no 'starcloak', the version of the protocol"},
    {"\"features\"", "\"other\"", SC_EPARSE, "has no list 'features'"},
    {"\"requests\"", "\"other\"", SC_EPARSE, "has no list 'requests'"},
    // Requests.
    {"\"type\":\"knn\"", "\"type\":\"all\"", SC_EREQUEST, "request 0 is neither 'knn' nor"},
    {"\"type\":\"knn\"", "\"type\":7", SC_EREQUEST, "request 0 is neither 'knn' nor 'range'"},
    {"{\"type\":\"knn\",\"k\":2,\"metric\":\"distance\",\"categories\":[\"cafe\"]}", "null",
     SC_EREQUEST, "request 0"},
    {"\"k\":2", "\"k\":0", SC_EREQUEST, "k of request 0 is not a whole number of 1 or more"},
    {"\"k\":2", "\"k\":4294967296", SC_EREQUEST, "k of request 0"},
    {"\"k\":2", "\"k\":2.5", SC_EREQUEST, "k of request 0"},
    {"\"k\":2", "\"j\":2", SC_EREQUEST, "k of request 0"},
    {"\"radius_m\":12.5", "\"radius_m\":-1", SC_EREQUEST, "request 1 is invalid: the radius"},
    {"\"radius_m\":12.5", "\"radius_m\":1e999", SC_EPARSE, "not well-formed"},
    {"\"radius_m\":12.5", "\"radius_m\":\"2\"", SC_EREQUEST, "radius_m of request 1 is not a"},
    {"\"radius_s\":7.5", "\"radius_s\":-1", SC_EREQUEST, "request 2 is invalid: the radius"},
    {"\"radius_s\":7.5", "\"radius_s\":null", SC_EREQUEST, "radius_s of request 2 is not a"},
    {"\"radius_m\":12.5", "\"radius_s\":12.5", SC_EREQUEST,
     "request 1 is by distance and has radius_s"},
    {"\"radius_m\":12.5", "\"radius_m\":12.5,\"radius_s\":3", SC_EREQUEST,
     "request 1 is by distance and has radius_s"},
    {"\"radius_s\":7.5", "\"radius_m\":7.5", SC_EREQUEST, "request 2 is by time and has radius_m"},
    {"\"metric\":\"time\",", "", SC_EREQUEST, "request 2 is by distance and has radius_s"},
    {"\"metric\":\"time\"", "\"metric\":\"Time\"", SC_EREQUEST,
     "the metric of request 2 is neither 'distance' nor 'time'"},
    {"\"metric\":\"time\"", "\"metric\":null", SC_EREQUEST, "the metric of request 2 is neither"},
    {"\"metric\":\"distance\"", "\"metric\":1", SC_EREQUEST, "the metric of request 0 is neither"},
    {"[\"cafe\"]", "[\"zoo\"]", SC_EREQUEST, "category 0 of request 0 is not known to this side"},
    {"[\"cafe\"]", "[3]", SC_EREQUEST, "category 0 of request 0 is not known to this side"},
    {"[\"cafe\"]", "[]", SC_EREQUEST, "not a list of 1 to 16 names"},
    {"[\"cafe\"]", "\"cafe\"", SC_EREQUEST, "not a list of 1 to 16 names"},
    {"{\"type\":\"range\",\"metric\":\"distance\",\"radius_m\":12.5}",
     "{\"type\":\"knn\",\"k\":2,\"categories\":[\"cafe\","
     "\"cafe\"]}",
     SC_EREQUEST, "requests 0 and 1 are the same"},
    {"[{\"type\":\"knn\",\"k\":2,\"metric\":\"distance\",\"categories\":[\"cafe\"]},{\"type\":"
     "\"range\","
     "\"metric\":\"distance\",\"radius_m\":12.5},{\"type\":\"range\",\"metric\":\"time\",\"radius_"
     "s\":7.5}]",
     "[]", SC_EPARSE, "no requests"},
    // Features.
    {"\"Feature\"", "\"Thing\"", SC_EPARSE, "feature 0 has no id or no geometry"},
    {"\"id\":\"s0\"", "\"id\":0", SC_EPARSE, "feature 0 has no id or no geometry"},
    {"\"id\":\"s0\"", "\"id\":\"s1\"", SC_EPARSE, "feature 0 is a line whose id is not s0"},
    {"\"id\":\"s1\"", "\"id\":\"s01\"", SC_EPARSE, "feature 1 is a line whose id is not"},
    {"\"id\":\"b1\"", "\"id\":\"b0\"", SC_EPARSE, "feature 4 is a point whose id is not b0"},
    {"\"LineString\"", "\"Polygon\"", SC_EPARSE, "feature 0 is neither a LineString nor a Point"},
    {"\"LineString\"", "\"Point\"", SC_EPARSE, "feature 0 is a point whose id is not"},
    {"\"coordinates\":[[", "\"coordinates\":[[\"1\",2],[", SC_EPARSE, "feature 0 has a position"},
    {"\"coordinates\":[[", "\"coordinates\":[[1],[", SC_EPARSE, "feature 0 has a position"},
    {"\"coordinates\":[[", "\"coordinates\":[[1,90.5],[", SC_EPARSE, "not on the globe"},
    {"\"coordinates\":[[", "\"coordinates\":[[1,2],[", SC_EUNKNOWN, "line 0 leaves the roads"},
};

static void test_what_is_wrong_in_a_relay_is_told(void **state)
{
    (void)state;
    town t = town_new();
    sc_diag diag = {""};
    CHECK_OK(read_relay(&t, t.relay_text, &diag), &diag);
    for (size_t i = 0; i < sizeof relay_flaws / sizeof *relay_flaws; i++) {
        const flaw *f = &relay_flaws[i];
        char *text = replace(t.relay_text, f->old, f->new);
        CHECK_REFUSED(read_relay(&t, text, &diag), f->err, &diag, f->message);
        free(text);
    }
    town_free(&t);
}

static const flaw reply_flaws[] = {
    {"\"starcloak\":2", "\"starcloak\":true", SC_EPARSE, "has no 'starcloak', the version of"},
    {"\"starcloak\":2", "\"starcloak\":1", SC_EPARSE,
     "the service reads version 2; update the provider"},
    {"\"starcloak\":2", "\"starcloak\":3", SC_EPARSE,
     "the service reads version 2; update the service"},
    {"\"answers\"", "\"requests\"", SC_EPARSE, "has no list 'answers'"},
    // Objects.
    {"\"id\":\"y\"", "\"id\":\"x\"", SC_EREPLY, "feature 1 has the same id as another object"},
    {"\"id\":\"y\"", "\"id\":\"\"", SC_EREPLY, "feature 1 has no id"},
    {"\"id\":\"y\"", "\"id\":5", SC_EREPLY, "feature 1 has no id"},
    {"\"category\":\"cafe\"", "\"category\":\"zoo\"", SC_EREPLY, "feature 0 is of a category that"},
    {"{\"category\":\"cafe\"}", "null", SC_EREPLY, "feature 0 is of a category that"},
    {"\"Point\"", "\"MultiPoint\"", SC_EREPLY, "feature 0 is not a Point on the globe"},
    {"\"coordinates\":[", "\"coordinates\":[181,0,", SC_EREPLY, "feature 0 is not a Point on"},
    {"\"coordinates\":[", "\"coordinates\":[0,0,", SC_EREPLY,
     "feature 0 is listed with the segments but far from them"},
    // Answers.
    {",{\"on_segments\":[],\"border_nodes\":{\"b0\":[],\"b1\":[]}}", "", SC_EREPLY,
     "2 answers for 3 requests"},
    {"{\"on_segments\":[],\"border_nodes\":{\"b0\":[],\"b1\":[]}}", "7", SC_EREPLY,
     "answer 1: there is no list 'on_segments'"},
    {"[\"x\",\"y\"]", "{\"x\":1}", SC_EREPLY, "answer 0: there is no list 'on_segments'"},
    {"[\"x\",\"y\"]", "[\"x\",\"z\"]", SC_EREPLY, "answer 0: 'on_segments' names no object"},
    {"[\"x\",\"y\"]", "[\"x\",0]", SC_EREPLY, "answer 0: 'on_segments' names no object"},
    {"\"border_nodes\"", "\"nodes\"", SC_EREPLY, "answer 0: 'border_nodes' does not have one list"},
    {"{\"b0\":[],\"b1\":[]}", "{\"b0\":[]}", SC_EREPLY,
     "answer 1: 'border_nodes' does not have one"},
    {"{\"b0\":[],\"b1\":[]}", "{\"b0\":[],\"b1\":[],\"b2\":[]}", SC_EREPLY, "answer 1: 'border"},
    {"{\"b0\":[],\"b1\":[]}", "{\"b0\":[],\"b2\":[]}", SC_EREPLY,
     "answer 1 has no list of border node b1"},
    {"{\"b0\":[],\"b1\":[]}", "{\"b0\":[],\"b1\":{}}", SC_EREPLY,
     "answer 1 has no list of border node b1"},
    {"{\"object\":\"x\"", "{\"object\":\"z\"", SC_EREPLY, "answer 0: a list names no object"},
    {"{\"object\":\"x\",\"distance_m\":3,\"duration_s\":2}", "\"x\"", SC_EREPLY,
     "answer 0: a list names no object"},
    {"\"distance_m\":3", "\"distance_m\":-3", SC_EREPLY, "a distance is not a number of 0 or more"},
    {"\"distance_m\":3", "\"distance_m\":\"3\"", SC_EREPLY, "a distance is not a number"},
    {"\"distance_m\":3", "\"distance_m\":null", SC_EREPLY, "a distance is not a number"},
    {"\"distance_m\":3", "\"distance_m\":1e16", SC_EREPLY, "a distance is not a number"},
    {"\"distance_m\":3", "\"distance_m\":NaN", SC_EPARSE, "not well-formed JSON"},
    {"\"distance_m\":3,", "", SC_EREPLY, "a distance is not a number"},
    {",\"duration_s\":2", "", SC_EREPLY, "answer 0: a duration is not a number of 0 or more"},
    {"\"duration_s\":2", "\"duration_s\":-0.001", SC_EREPLY, "a duration is not a number of 0"},
    {"\"duration_s\":2", "\"duration_s\":\"2\"", SC_EREPLY, "a duration is not a number"},
    {"\"duration_s\":2", "\"duration_s\":null", SC_EREPLY, "a duration is not a number"},
    {"\"duration_s\":2", "\"duration_s\":1e16", SC_EREPLY, "a duration is not a number"},
    {"\"duration_s\":2", "\"duration_s\":NaN", SC_EPARSE, "not well-formed JSON"},
    {"\"duration_s\":2", "\"duration_s\":-1e999", SC_EPARSE, "not well-formed JSON"},
};

static void test_what_is_wrong_in_a_reply_is_told(void **state)
{
    (void)state;
    town t = town_new();
    sc_diag diag = {""};
    CHECK_OK(read_reply(&t, t.reply_text, &diag), &diag);
    for (size_t i = 0; i < sizeof reply_flaws / sizeof *reply_flaws; i++) {
        const flaw *f = &reply_flaws[i];
        char *text = replace(t.reply_text, f->old, f->new);
        CHECK_REFUSED(read_reply(&t, text, &diag), f->err, &diag, f->message);
        free(text);
    }
    town_free(&t);
}

static void test_more_than_the_limits_is_refused(void **state)
{
    (void)state;
    town t = town_new();
    sc_diag diag = {""};
    t.limits.max_segments = 2;
    CHECK_REFUSED(read_relay(&t, t.relay_text, &diag), SC_ELIMIT, &diag,
                  "more than the 2 segments");
    t.limits.max_segments = 1;
    CHECK_REFUSED(read_relay(&t, t.relay_text, &diag), SC_ELIMIT, &diag,
                  "more than the 1 segments");
    t.limits.max_segments = 0;
    CHECK_REFUSED(read_relay(&t, t.relay_text, &diag), SC_ELIMIT, &diag, "5 features; too many");
    t.limits = sc_codec_limits_default();
    t.limits.max_requests = 1;
    CHECK_REFUSED(read_relay(&t, t.relay_text, &diag), SC_ELIMIT, &diag, "3 requests; at most 1");
    t.limits.max_objects = 1;
    CHECK_REFUSED(read_reply(&t, t.reply_text, &diag), SC_ELIMIT, &diag, "2 objects; at most 1");
    t.limits.max_objects = 4;
    CHECK_REFUSED(read_reply(&t, t.reply_text, &diag), SC_ELIMIT, &diag,
                  "answer 0: the reply lists more than the 4 objects allowed");
    t.limits.max_objects = 5;
    CHECK_OK(read_reply(&t, t.reply_text, &diag), &diag);
    town_free(&t);
}

static void test_a_small_text_does_not_take_much_memory(void **state)
{
    (void)state;
    // An empty object takes three bytes of the text, and sixteen times as much as a tree.
    town t = town_new();
    t.limits.max_bytes = 100000;
    char *text = test_take(t.limits.max_bytes + 1, 1);
    memset(text, ' ', t.limits.max_bytes);
    for (size_t i = 0; i + 3 < t.limits.max_bytes; i += 3) {
        text[i] = '{';
        text[i + 1] = '}';
        text[i + 2] = ',';
    }
    text[0] = '[';
    sc_diag diag = {""};
    CHECK_REFUSED(read_reply(&t, text, &diag), SC_ELIMIT, &diag, "far more memory than its size");
    // The same bytes inside of a string are a string.
    text[0] = '"';
    text[t.limits.max_bytes - 1] = '"';
    CHECK_REFUSED(read_reply(&t, text, &diag), SC_EPARSE, &diag, "not well-formed JSON");
    free(text);
    town_free(&t);
}

static void test_what_is_said_does_not_repeat_a_position(void **state)
{
    (void)state;
    town t = town_new();
    sc_diag diag = {""};
    char *text = replace(t.relay_text, "\"coordinates\":[[", "\"coordinates\":[12.3456789[");
    CHECK_REFUSED(read_relay(&t, text, &diag), SC_EPARSE, &diag, "column");
    assert_null(strstr(diag.message, "12.34"));
    free(text);
    text = replace(t.relay_text, "\"coordinates\":[[", "\"coordinates\":[[12.3456789,9],[");
    CHECK_REFUSED(read_relay(&t, text, &diag), SC_EUNKNOWN, &diag, "line 0");
    assert_null(strstr(diag.message, "12.34"));
    free(text);
    town_free(&t);
}

static void test_texts_cut_anywhere_are_refused(void **state)
{
    (void)state;
    town t = town_new();
    sc_diag diag = {""};
    // The relay ends with a line break, which it can do without.
    for (size_t size = 0; size + 1 < strlen(t.relay_text); size++) {
        char *text = test_take(size + 1, 1);
        memcpy(text, t.relay_text, size);
        CHECK_REFUSED(read_relay(&t, text, &diag), SC_EPARSE, &diag, "not well-formed JSON");
        free(text);
    }
    for (size_t size = 0; size < strlen(t.reply_text); size++) {
        char *text = test_take(size + 1, 1);
        memcpy(text, t.reply_text, size);
        CHECK_REFUSED(read_reply(&t, text, &diag), SC_EPARSE, &diag, "not well-formed JSON");
        free(text);
    }
    town_free(&t);
}

static void test_texts_with_a_byte_changed_are_harmless(void **state)
{
    (void)state;
    town t = town_new();
    const char bytes[] = {'0', '9', '-', '"', '[', '}', ',', '\\', 'e', '\0', '\xff'};
    char *const texts[] = {t.relay_text, t.reply_text};
    for (size_t i = 0; i < 2; i++) {
        const size_t size = strlen(texts[i]);
        for (size_t at = 0; at < size; at++) {
            const char kept = texts[i][at];
            texts[i][at] = bytes[at % sizeof bytes];
            sc_diag diag = {""};
            const sc_err err =
                i == 0 ? read_relay(&t, texts[i], &diag) : read_reply(&t, texts[i], &diag);
            assert_true(err != SC_ENOMEM);
            assert_true(!err || diag.message[0] != '\0');
            texts[i][at] = kept;
        }
    }
    town_free(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_wrong_in_a_relay_is_told),
    cmocka_unit_test(test_what_is_wrong_in_a_reply_is_told),
    cmocka_unit_test(test_more_than_the_limits_is_refused),
    cmocka_unit_test(test_a_small_text_does_not_take_much_memory),
    cmocka_unit_test(test_what_is_said_does_not_repeat_a_position),
    cmocka_unit_test(test_texts_cut_anywhere_are_refused),
    cmocka_unit_test(test_texts_with_a_byte_changed_are_harmless),
};
SC_SUITE(tests)
