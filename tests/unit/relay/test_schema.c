// The published schema and the messages agree: what is written is valid by it, and it refuses what
// is no message, as far as a schema can tell.
//
// The validator below knows the words that the schema uses, and stops at any other: so that nothing
// in it goes unchecked.
#include "support/check.h"
#include "support/messages.h"

#include <jansson.h>
#include <regex.h>
#include <stdio.h>

static bool is_valid(const json_t *root, const json_t *schema, const json_t *value);

// --- Words of JSON Schema ---------------------------------------------------------------

static bool is_of_type(const char *type, const json_t *value)
{
    if (strcmp(type, "object") == 0) return json_is_object(value);
    if (strcmp(type, "array") == 0) return json_is_array(value);
    if (strcmp(type, "string") == 0) return json_is_string(value);
    if (strcmp(type, "number") == 0) return json_is_number(value);
    if (strcmp(type, "integer") == 0) return json_is_integer(value);
    if (strcmp(type, "null") == 0) return json_is_null(value);
    fail_msg("a type that the validator does not know: %s", type);
    return false;
}

static bool check_type(const json_t *types, const json_t *value)
{
    if (json_is_string(types)) return is_of_type(json_string_value(types), value);
    for (size_t i = 0; i < json_array_size(types); i++) {
        if (is_of_type(json_string_value(json_array_get(types, i)), value)) return true;
    }
    return false;
}

static bool check_enum(const json_t *values, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(values); i++) {
        if (json_equal(json_array_get(values, i), value)) return true;
    }
    return false;
}

static bool matches(const char *pattern, const char *text)
{
    regex_t regex;
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    const bool found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

static bool check_one_of(const json_t *root, const json_t *schemas, const json_t *value)
{
    unsigned valid = 0;
    for (size_t i = 0; i < json_array_size(schemas); i++) {
        valid += is_valid(root, json_array_get(schemas, i), value);
    }
    return valid == 1;
}

static bool check_required(const json_t *names, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(names); i++) {
        if (!json_object_get(value, json_string_value(json_array_get(names, i)))) return false;
    }
    return true;
}

// `properties`, `patternProperties` and `additionalProperties` together.
static bool check_members(const json_t *root, const json_t *schema, const json_t *value)
{
    const json_t *patterns = json_object_get(schema, "patternProperties");
    const char *name = NULL;
    json_t *member = NULL;
    json_object_foreach((json_t *)(uintptr_t)value, name, member)
    {
        const json_t *known = json_object_get(json_object_get(schema, "properties"), name);
        const char *pattern = NULL;
        json_t *matching = NULL;
        json_object_foreach((json_t *)(uintptr_t)patterns, pattern, matching)
        {
            if (matches(pattern, name)) known = matching;
        }
        if (known && !is_valid(root, known, member)) return false;
        if (!known && json_is_false(json_object_get(schema, "additionalProperties"))) return false;
    }
    return true;
}

static bool check_items(const json_t *root, const json_t *schema, const json_t *value)
{
    const json_t *first = json_object_get(schema, "prefixItems");
    const json_t *all = json_object_get(schema, "items");
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *item = i < json_array_size(first) ? json_array_get(first, i) : all;
        if (item && !is_valid(root, item, json_array_get(value, i))) return false;
    }
    return true;
}

static const json_t *refer(const json_t *root, const char *where)
{
    assert_int_equal(strncmp(where, "#/$defs/", 8), 0);
    const json_t *found = json_object_get(json_object_get(root, "$defs"), where + 8);
    if (!found) fail_msg("the schema has no %s", where);
    return found;
}

static bool check_word(const json_t *root, const json_t *schema, const char *word,
                       const json_t *said, const json_t *value)
{
    const double number = json_number_value(value);
    const char *text = json_string_value(value);
    static const char *const silent[] = {"$schema",
                                         "$id",
                                         "$defs",
                                         "title",
                                         "description",
                                         "patternProperties",
                                         "additionalProperties"};
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
        if (strcmp(word, silent[i]) == 0) return true;
    }
    if (strcmp(word, "$ref") == 0)
        return is_valid(root, refer(root, json_string_value(said)), value);
    if (strcmp(word, "oneOf") == 0) return check_one_of(root, said, value);
    if (strcmp(word, "type") == 0) return check_type(said, value);
    if (strcmp(word, "const") == 0) return json_equal(said, value);
    if (strcmp(word, "enum") == 0) return check_enum(said, value);
    if (strcmp(word, "required") == 0) return check_required(said, value);
    if (strcmp(word, "properties") == 0) return check_members(root, schema, value);
    if (strcmp(word, "items") == 0 || strcmp(word, "prefixItems") == 0) {
        return check_items(root, schema, value);
    }
    if (strcmp(word, "minItems") == 0) {
        return !json_is_array(value) ||
               (json_int_t)json_array_size(value) >= json_integer_value(said);
    }
    if (strcmp(word, "maxItems") == 0) {
        return !json_is_array(value) ||
               (json_int_t)json_array_size(value) <= json_integer_value(said);
    }
    if (strcmp(word, "minimum") == 0)
        return !json_is_number(value) || number >= json_number_value(said);
    if (strcmp(word, "maximum") == 0)
        return !json_is_number(value) || number <= json_number_value(said);
    if (strcmp(word, "minLength") == 0) {
        return !text || (json_int_t)strlen(text) >= json_integer_value(said);
    }
    if (strcmp(word, "pattern") == 0) return !text || matches(json_string_value(said), text);
    fail_msg("a word that the validator does not know: %s", word);
    return false;
}

static bool is_valid(const json_t *root, const json_t *schema, const json_t *value)
{
    const char *word = NULL;
    json_t *said = NULL;
    json_object_foreach((json_t *)(uintptr_t)schema, word, said)
    {
        if (!check_word(root, schema, word, said, value)) return false;
    }
    // Without `properties` these words stand alone.
    return !json_object_get(schema, "patternProperties") || check_members(root, schema, value);
}

static json_t *load_schema(void)
{
    json_error_t error;
    json_t *schema = json_load_file(SC_REPOSITORY "/docs/provider-protocol.schema.json",
                                    JSON_REJECT_DUPLICATES, &error);
    if (!schema) fail_msg("the schema, line %d: %s", error.line, error.text);
    return schema;
}

// --- What is written --------------------------------------------------------------------

static json_t *encode(const exchange *x, bool reply)
{
    sc_bytes bytes = {0};
    sc_diag diag = {""};
    CHECK_OK(reply ? sc_reply_encode(&(sc_codec){.map = x->map,
                                                 .vocabulary = &x->vocabulary,
                                                 .encoding = SC_ENCODING_GEOJSON},
                                     x->relay, &x->reply, &bytes, &diag)
                   : sc_relay_encode(&(sc_codec){.map = x->map,
                                                 .vocabulary = &x->vocabulary,
                                                 .encoding = SC_ENCODING_GEOJSON},
                                     x->relay, &bytes, &diag),
             &diag);
    json_error_t error;
    json_t *message =
        json_loadb((const char *)bytes.data, bytes.size, JSON_REJECT_DUPLICATES, &error);
    if (!message) fail_msg("not JSON: %s", error.text);
    sc_bytes_fini(&bytes);
    return message;
}

static void test_what_is_written_is_valid_by_the_schema(void **state)
{
    (void)state;
    json_t *schema = load_schema();
    unsigned tried = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        exchange x = exchange_new(seed, seed % 2);
        if (sc_map_coords(x.map) == SC_COORDS_GEOGRAPHIC) {
            json_t *relay = encode(&x, false);
            json_t *reply = encode(&x, true);
            assert_true(is_valid(schema, refer(schema, "#/$defs/relay"), relay));
            assert_true(is_valid(schema, refer(schema, "#/$defs/reply"), reply));
            assert_true(is_valid(schema, schema, relay));
            assert_false(is_valid(schema, refer(schema, "#/$defs/reply"), relay));
            assert_false(is_valid(schema, refer(schema, "#/$defs/relay"), reply));
            json_decref(relay);
            json_decref(reply);
            tried++;
        }
        exchange_free(&x);
    }
    check_case_done();
    json_decref(schema);
    assert_true(tried > 60);
}

static void test_a_relay_names_nothing_of_the_map(void **state)
{
    (void)state;
    // Neither its checksum nor an id: members are those of the schema, and no others.
    exchange x = exchange_on(full_map(SC_COORDS_GEOGRAPHIC), 5, false);
    json_t *relay = encode(&x, false);
    assert_int_equal(json_object_size(relay), 4);
    const json_t *features = json_object_get(relay, "features");
    for (size_t i = 0; i < json_array_size(features); i++) {
        const json_t *feature = json_array_get(features, i);
        assert_int_equal(json_object_size(feature), 4);
        assert_true(json_is_null(json_object_get(feature, "properties")));
        assert_int_equal(json_object_size(json_object_get(feature, "geometry")), 2);
    }
    json_decref(relay);
    exchange_free(&x);
}

// --- What is refused --------------------------------------------------------------------

static bool is_valid_text(const json_t *schema, const char *text)
{
    json_error_t error;
    json_t *message = json_loads(text, 0, &error);
    if (!message) fail_msg("not JSON: %s", error.text);
    const bool valid = is_valid(schema, schema, message);
    json_decref(message);
    return valid;
}

#define RELAY(requests, features)                                            \
    "{\"type\":\"FeatureCollection\",\"starcloak\":2,\"requests\":" requests \
    ",\"features\":" features "}"
#define LINE                                                                          \
    "{\"type\":\"Feature\",\"id\":\"s0\",\"properties\":null,\"geometry\":{\"type\":" \
    "\"LineString\","                                                                 \
    "\"coordinates\":[[1,2],[3,4]]}}"
#define CUT                                                                           \
    "{\"type\":\"Feature\",\"id\":\"s0\",\"properties\":null,\"geometry\":{\"type\":" \
    "\"MultiLineString\","                                                            \
    "\"coordinates\":[[[179,4],[180,4]],[[-180,4],[-179,4]]]}}"
#define KNN "{\"type\":\"knn\",\"k\":1}"
#define NEAR(rest) \
    REPLY("[{\"on_segments\":[],\"border_nodes\":{\"b0\":[{\"object\":\"x\"" rest "}]}}]")
#define REPLY(answers) \
    "{\"type\":\"FeatureCollection\",\"starcloak\":2,\"answers\":" answers ",\"features\":[]}"

static void test_the_schema_refuses_what_is_no_message(void **state)
{
    (void)state;
    json_t *schema = load_schema();
    assert_true(is_valid_text(schema, RELAY("[" KNN "]", "[" LINE "]")));
    assert_true(is_valid_text(schema, RELAY("[" KNN "]", "[" CUT "]")));
    assert_true(
        is_valid_text(schema, REPLY("[{\"on_segments\":[],\"border_nodes\":{\"b0\":[]}}]")));
    assert_true(is_valid_text(schema, NEAR(",\"distance_m\":1,\"duration_s\":0")));
    static const char *const asked[] = {
        "[{\"type\":\"knn\",\"metric\":\"time\",\"k\":1}]",
        "[{\"type\":\"range\",\"radius_m\":1}]",
        "[{\"type\":\"range\",\"metric\":\"distance\",\"radius_m\":1}]",
        "[{\"type\":\"range\",\"metric\":\"time\",\"radius_s\":1}]",
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        char text[512];
        snprintf(text, sizeof text, RELAY("%s", "[" LINE "]"), asked[i]);
        assert_true(is_valid_text(schema, text));
    }
    static const char *const wrong[] = {
        "{}",
        "[]",
        RELAY("[]", "[" LINE "]"),
        RELAY("[" KNN "]", "[]"),
        RELAY("[{\"type\":\"knn\"}]", "[" LINE "]"),
        RELAY("[{\"type\":\"knn\",\"k\":0}]", "[" LINE "]"),
        RELAY("[{\"type\":\"knn\",\"k\":1.5}]", "[" LINE "]"),
        RELAY("[{\"type\":\"knn\",\"k\":1,\"user\":\"u1\"}]", "[" LINE "]"),
        RELAY("[{\"type\":\"range\",\"radius_m\":-1}]", "[" LINE "]"),
        RELAY("[{\"type\":\"range\",\"radius_m\":1,\"categories\":[]}]", "[" LINE "]"),
        RELAY("[" KNN "]", "[{\"type\":\"Feature\",\"id\":\"x0\",\"properties\":null,\"geometry\":"
                           "{\"type\":\"Point\",\"coordinates\":[1,2]}}]"),
        RELAY("[" KNN "]", "[{\"type\":\"Feature\",\"id\":\"b0\",\"properties\":null,\"geometry\":"
                           "{\"type\":\"Point\",\"coordinates\":[1,91]}}]"),
        REPLY("[{\"on_segments\":[]}]"),
        REPLY("[{\"on_segments\":[],\"border_nodes\":{\"c0\":[]}}]"),
        "{\"type\":\"FeatureCollection\",\"starcloak\":1,\"requests\":[" KNN "],\"features\":[" LINE
        "]}",
        RELAY("[{\"type\":\"range\",\"radius_s\":1}]", "[" LINE "]"),
        RELAY("[{\"type\":\"range\",\"metric\":\"time\",\"radius_m\":1}]", "[" LINE "]"),
        RELAY("[{\"type\":\"range\",\"metric\":\"time\",\"radius_m\":1,\"radius_s\":1}]",
              "[" LINE "]"),
        RELAY("[{\"type\":\"range\",\"metric\":\"time\",\"radius_s\":-1}]", "[" LINE "]"),
        RELAY("[{\"type\":\"knn\",\"metric\":\"hops\",\"k\":1}]", "[" LINE "]"),
        NEAR(""),
        NEAR(",\"distance_m\":1"),
        NEAR(",\"duration_s\":1"),
        NEAR(",\"distance_m\":-1,\"duration_s\":1"),
        NEAR(",\"distance_m\":1,\"duration_s\":-1"),
        NEAR(",\"distance_m\":1,\"duration_s\":\"1\""),
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (is_valid_text(schema, wrong[i])) fail_msg("valid by the schema: %s", wrong[i]);
    }
    json_decref(schema);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_what_is_written_is_valid_by_the_schema),
    cmocka_unit_test(test_a_relay_names_nothing_of_the_map),
    cmocka_unit_test(test_the_schema_refuses_what_is_no_message),
};
SC_SUITE(tests)
