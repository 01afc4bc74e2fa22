// Reading JSON where it lies: for any text, however spoilt, it finds what jansson finds.
#include "base/json_pull.h"

#include "support/spoilt_text.h"

#include <jansson.h>
#include <stdio.h>

// --- Beside jansson ------------------------------------------------------------------------------

static bool same_value(sc_json_pull *json, const json_t *wanted, int depth);

static bool same_text(sc_json_raw got, const json_t *wanted)
{
    // What jansson has may hold a NUL, which no name of ours does.
    return strlen(json_string_value(wanted)) != json_string_length(wanted) ||
           sc_json_string_is(got, json_string_value(wanted));
}

static bool same_object(sc_json_pull *json, const json_t *wanted, int depth)
{
    size_t count = 0;
    sc_json_raw name;
    if (!sc_json_enter(json, '{')) return false;
    while (sc_json_next_member(json, &name)) {
        const char *key = NULL;
        json_t *value = NULL;
        json_t *found = NULL;
        json_object_foreach((json_t *)wanted, key, value)
        {
            if (sc_json_string_is(name, key)) found = value;
        }
        if (!found || !same_value(json, found, depth)) return false;
        count++;
    }
    return !json->wrong && count == json_object_size(wanted);
}

static bool same_array(sc_json_pull *json, const json_t *wanted, int depth)
{
    size_t count = 0;
    if (!sc_json_enter(json, '[')) return false;
    while (sc_json_next_element(json)) {
        if (!same_value(json, json_array_get(wanted, count), depth)) return false;
        count++;
    }
    return !json->wrong && count == json_array_size(wanted);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the small texts of this test
static bool same_value(sc_json_pull *json, const json_t *wanted, int depth)
{
    sc_json_raw text;
    double number = 0.0;
    if (!wanted || depth > 100) return false;
    switch (sc_json_peek(json)) {
    case SC_JSON_OBJECT:
        return json_is_object(wanted) && same_object(json, wanted, depth + 1);
    case SC_JSON_ARRAY:
        return json_is_array(wanted) && same_array(json, wanted, depth + 1);
    case SC_JSON_STRING:
        return json_is_string(wanted) && sc_json_text_of(json, &text) && same_text(text, wanted);
    case SC_JSON_NUMBER:
        return json_is_real(wanted) && sc_json_number(json, &number) &&
               number == json_real_value(wanted);
    case SC_JSON_WORD:
        return sc_json_word(json, json_is_true(wanted)    ? "true"
                                  : json_is_false(wanted) ? "false"
                                                          : "null") &&
               !json_is_object(wanted) && !json_is_array(wanted) && !json_is_string(wanted) &&
               !json_is_real(wanted);
    case SC_JSON_NONE:
        break;
    }
    return false;
}

// Whether the text is JSON, by walking through whatever is there.
static bool walks(sc_json_pull *json, int depth)
{
    sc_json_raw text;
    double number = 0.0;
    switch (sc_json_peek(json)) {
    case SC_JSON_OBJECT:
        if (depth > 100 || !sc_json_enter(json, '{')) return false;
        while (sc_json_next_member(json, &text)) {
            if (!walks(json, depth + 1)) return false;
        }
        return !json->wrong;
    case SC_JSON_ARRAY:
        if (depth > 100 || !sc_json_enter(json, '[')) return false;
        while (sc_json_next_element(json)) {
            if (!walks(json, depth + 1)) return false;
        }
        return !json->wrong;
    case SC_JSON_STRING:
        return sc_json_text_of(json, &text);
    case SC_JSON_NUMBER:
        return sc_json_number(json, &number);
    case SC_JSON_WORD:
        return sc_json_word(json, *json->at == 't' ? "true" : *json->at == 'f' ? "false" : "null");
    case SC_JSON_NONE:
        break;
    }
    return false;
}

/** What became of the texts, so that a test can say that it saw enough of each. */
typedef struct tally {
    unsigned accepted;
    unsigned refused;
} tally;

static void compare(const spoilt_text *text, tally *seen)
{
    // At the end of memory of exactly its size, so that reading on is seen.
    char *copy = test_take(text->size + 1, 1);
    memcpy(copy + 1, text->bytes, text->size);
    json_t *wanted = json_loadb(copy + 1, text->size,
                                JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, NULL);
    sc_json_pull json = sc_json_pull_of(copy + 1, text->size);
    const bool is_json = walks(&json, 0) && sc_json_end(&json);
    if (wanted) {
        seen->accepted++;
        assert_true(is_json);
        sc_json_pull again = sc_json_pull_of(copy + 1, text->size);
        json_t *unique = json_loadb(copy + 1, text->size,
                                    JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL |
                                        JSON_REJECT_DUPLICATES,
                                    NULL);
        if (unique) {
            assert_true(same_value(&again, unique, 0));
            assert_true(sc_json_end(&again));
        }
        json_decref(unique);
    } else {
        seen->refused++;
        assert_false(is_json);
        assert_true(sc_json_offset(&json) <= text->size);
    }
    json_decref(wanted);
    free(copy);
}

static void test_whatever_is_json_for_jansson_is_the_same_here_and_nothing_else(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ("{\"position\":{\"lon\":-84.39,\"lat\":33.75},\"profile\":{\"k\":5,\"max_wait_s\":1e1},"
         "\"request\":{\"type\":\"knn\",\"k\":5,\"categories\":[\"caf\\u00e9\",\"\xc3\xa9\"]}}"),
        "[1,-0,0.5,1E+3,12e-2,true,false,null,\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",[],{},[[]],{\"\":{}}]",
        " { \"a\" : [ 1 , { \"b\" : \"\\ud834\\udd1e\" } ] , \"c\" : -12.25e+2 } ",
        "\"\xf0\x9d\x84\x9e plain \x7f\"",
    };
    tally seen = {0};
    for (uint64_t seed = 0; seed < 20000; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        spoilt_text text = text_of(texts[seed % 4]);
        const uint32_t times = sc_rng_below(&rng, 4);
        for (uint32_t i = 0; i < times; i++) {
            spoil_once(&text, &rng);
        }
        compare(&text, &seen);
    }
    check_case_done();
    assert_true(seen.accepted > 5000);
    assert_true(seen.refused > 5000);
}

// --- By hand -------------------------------------------------------------------------------------

static void check_number(const char *text, bool is_one, double wanted)
{
    sc_json_pull json = sc_json_pull_of(text, strlen(text));
    double got = 77.0;
    const bool is_good = sc_json_number(&json, &got) && sc_json_end(&json);
    if (is_good != is_one) fail_msg("'%s' is read wrongly", text);
    if (is_one) CHECK_SAME(got, wanted);
}

static void test_numbers_are_those_of_the_grammar(void **state)
{
    (void)state;
    check_number("0", true, 0.0);
    check_number("-0", true, -0.0);
    check_number(" 12.5e-1\n", true, 1.25);
    check_number("1E+2", true, 100.0);
    check_number("-122.41941550000001", true, -122.41941550000001);
    static const char *const others[] = {"",    "-",   "+1",  "01",  ".5",    "5.",  "1e",  "1e+",
                                         "0x1", "1_0", "NaN", "inf", "1e999", "1 2", "--1", "1,"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        check_number(others[i], false, 0.0);
    }
}

static void check_wrong(const char *text, size_t byte, const char *why)
{
    sc_json_pull json = sc_json_pull_of(text, strlen(text));
    assert_false(walks(&json, 0) && sc_json_end(&json));
    assert_non_null(json.wrong);
    CHECK_CONTAINS(json.wrong, why);
    assert_int_equal(sc_json_offset(&json), byte);
}

static void test_what_is_wrong_is_told_with_its_byte(void **state)
{
    (void)state;
    check_wrong("{\"a\":1,}", 7, "a string is expected");
    check_wrong("{\"a\" 1}", 5, "a colon is expected");
    check_wrong("{\"a\":1 \"b\":2}", 7, "a comma or a } is expected");
    check_wrong("[1 2]", 3, "a comma or a ] is expected");
    check_wrong("[1", 2, "a comma or a ] is expected");
    check_wrong("[\"a\x01\"]", 3, "a string contains a control character");
    check_wrong("[\"\xff\"]", 2, "not UTF-8");
    check_wrong("[\"\\x\"]", 2, "invalid escape sequence");
    check_wrong("[\"\\ud800\"]", 2, "invalid escape sequence");
    check_wrong("[\"\\udc00\\ud800\"]", 2, "invalid escape sequence");
    check_wrong("[\"open", 6, "does not end");
    check_wrong("[] []", 3, "nothing more is expected");
    check_wrong("nul", 0, "another literal");
}

static void test_after_something_wrong_nothing_is_read(void **state)
{
    (void)state;
    sc_json_pull json = sc_json_pull_of("[x,1]", 5);
    double number = 0.0;
    sc_json_raw text;
    assert_true(sc_json_enter(&json, '['));
    assert_true(sc_json_next_element(&json));
    assert_false(sc_json_number(&json, &number));
    assert_false(sc_json_next_element(&json));
    assert_false(sc_json_next_member(&json, &text));
    assert_false(sc_json_text_of(&json, &text));
    assert_false(sc_json_word(&json, "x"));
    assert_false(sc_json_enter(&json, 'x'));
    assert_false(sc_json_end(&json));
    assert_int_equal(sc_json_peek(&json), SC_JSON_NONE);
    assert_int_equal(sc_json_offset(&json), 1);
    CHECK_CONTAINS(json.wrong, "a number is expected");
}

static bool means(const char *written, const char *text)
{
    sc_json_pull json = sc_json_pull_of(written, strlen(written));
    sc_json_raw string;
    assert_true(sc_json_text_of(&json, &string));
    return sc_json_string_is(string, text);
}

static void test_a_string_is_what_its_escapes_mean(void **state)
{
    (void)state;
    assert_true(means("\"max_hops\"", "max_hops"));
    assert_true(means("\"\\u006dax\\u005fhops\"", "max_hops"));
    assert_true(means("\"\\u00e9\\u20ac\\ud83d\\ude00\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
    assert_true(means("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"));
    assert_true(means("\"\"", ""));
    assert_false(means("\"max_hop\"", "max_hops"));
    assert_false(means("\"max_hops2\"", "max_hops"));
    assert_false(means("\"\\u006dax_hop\"", "max_hops"));
    assert_false(means("\"\\u006dax_hopsX\"", "max_hops"));
    assert_false(means("\"\\u0000\"", ""));
    assert_false(means("\"k\\u0000\"", "k"));
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_whatever_is_json_for_jansson_is_the_same_here_and_nothing_else),
    cmocka_unit_test(test_numbers_are_those_of_the_grammar),
    cmocka_unit_test(test_what_is_wrong_is_told_with_its_byte),
    cmocka_unit_test(test_after_something_wrong_nothing_is_read),
    cmocka_unit_test(test_a_string_is_what_its_escapes_mean),
};
SC_SUITE(tests)
