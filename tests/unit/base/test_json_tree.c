// A JSON document as a tree: the same values as jansson reads, and the same refusals.
#include "base/json_tree.h"

#include "base/alloc.h"
#include "base/json_write.h"
#include "support/spoilt_text.h"

#include <jansson.h>

// --- Compared with jansson -----------------------------------------------------------------------

static bool same_value(const sc_json_value *got, const json_t *wanted)
{
    switch (json_typeof(wanted)) {
    case JSON_OBJECT: {
        if (!sc_json_is_object(got) || sc_json_size(got) != json_object_size(wanted)) return false;
        const char *name = NULL;
        const json_t *value = NULL;
        size_t i = 0;
        json_object_foreach((json_t *)(uintptr_t)wanted, name, value)
        {
            // In the order of the text as well.
            if (strcmp(sc_json_member_name(got, i), name) != 0) return false;
            if (sc_json_member(got, name) != sc_json_at(got, i)) return false;
            if (!same_value(sc_json_at(got, i), value)) return false;
            i++;
        }
        return sc_json_member_name(got, i) == NULL && sc_json_at(got, i) == NULL;
    }
    case JSON_ARRAY:
        if (!sc_json_is_array(got) || sc_json_size(got) != json_array_size(wanted)) return false;
        for (size_t i = 0; i < json_array_size(wanted); i++) {
            if (!same_value(sc_json_at(got, i), json_array_get(wanted, i))) return false;
        }
        return true;
    case JSON_STRING:
        return sc_json_is_string(got) && sc_json_text_size(got) == json_string_length(wanted) &&
               strcmp(sc_json_text_at(got), json_string_value(wanted)) == 0;
    case JSON_INTEGER:
        return sc_json_is_integer(got) && sc_json_integer(got) == json_integer_value(wanted) &&
               sc_json_number_at(got) == json_number_value(wanted);
    case JSON_REAL:
        return sc_json_is_number(got) && !sc_json_is_integer(got) &&
               sc_json_number_at(got) == json_real_value(wanted);
    case JSON_TRUE:
        return sc_json_is_true(got) && sc_json_is_flag(got);
    case JSON_FALSE:
        return sc_json_is_flag(got) && !sc_json_is_true(got);
    case JSON_NULL:
        return sc_json_is_null(got);
    }
    return false;
}

typedef struct tally {
    unsigned accepted;
    unsigned refused;
} tally;

static void compare(const char *bytes, size_t size, tally *seen)
{
    // At the end of memory of exactly its size, so that reading on is seen.
    char *copy = test_take(size + 1, 1);
    memcpy(copy + 1, bytes, size);
    json_t *wanted = json_loadb(copy + 1, size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    sc_json_tree tree = {0};
    sc_json_error error = {0};
    const sc_err err = sc_json_tree_read(copy + 1, size, &tree, &error);
    if (wanted) {
        seen->accepted++;
        assert_int_equal(err, SC_OK);
        assert_true(same_value(tree.root, wanted));
    } else {
        seen->refused++;
        assert_int_equal(err, SC_EPARSE);
        assert_int_not_equal(error.fault, SC_JSON_FINE);
        assert_true(error.byte >= 1 && error.byte <= size + 1);
        assert_true(error.line >= 1 && error.column >= 1);
    }
    sc_json_tree_fini(&tree);
    sc_json_tree_fini(&tree);
    json_decref(wanted);
    free(copy);
}

static void test_what_is_json_for_jansson_is_the_same_tree_and_nothing_else(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ("{\"position\":{\"lon\":-84.39,\"lat\":33.75},\"profile\":{\"k\":5,\"max_wait_s\":1e1},"
         "\"request\":{\"type\":\"knn\",\"k\":5,\"categories\":[\"caf\\u00e9\",\"\xc3\xa9\"]}}"),
        "[1,-0,0.5,1E+3,12e-2,true,false,null,\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",[],{},[[]],{\"\":{}},"
        "9223372036854775807,-9223372036854775808]",
        " { \"a\" : [ 1 , { \"b\" : \"\\ud834\\udd1e\" } ] , \"c\" : -12.25e+2 } ",
        ("{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":10,"
         "\"k\":11,\"l\":12,\"m\":13,\"n\":14,\"o\":15,\"p\":16,\"q\":17,\"r\":18,\"s\":[]}"),
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
        // jansson passes over a NUL behind a number.
        if (!memchr(text.bytes, '\0', text.size)) compare(text.bytes, text.size, &seen);
    }
    check_case_done();
    assert_true(seen.accepted > 5000);
    assert_true(seen.refused > 5000);
}

// --- By hand -------------------------------------------------------------------------------------

static void check_refused(const char *text, sc_json_fault fault, size_t byte, size_t line,
                          size_t column)
{
    sc_json_tree tree = {0};
    sc_json_error error = {0};
    assert_int_equal(sc_json_tree_read(text, strlen(text), &tree, &error), SC_EPARSE);
    if (error.fault != fault || error.byte != byte || error.line != line ||
        error.column != column) {
        fail_msg("'%s': fault %d, byte %zu, line %zu, column %zu", text, (int)error.fault,
                 error.byte, error.line, error.column);
    }
}

static void test_a_refusal_tells_why_and_where(void **state)
{
    (void)state;
    check_refused("", SC_JSON_CUT_SHORT, 1, 1, 1);
    check_refused("{\"a\":x}", SC_JSON_SYNTAX, 6, 1, 6);
    check_refused("{\"a\":1", SC_JSON_CUT_SHORT, 6, 1, 6);
    check_refused("[1,\n2,\n  }", SC_JSON_SYNTAX, 10, 3, 3);
    check_refused("[\"\xc3\xa9\xe2\x82\xac\",]", SC_JSON_SYNTAX, 10, 1, 7);
    check_refused("[1] 2", SC_JSON_FOLLOWED, 5, 1, 5);
    check_refused("[\"\xff\"]", SC_JSON_NOT_UTF8, 3, 1, 3);
    check_refused("[\"a\\u0000\"]", SC_JSON_HAS_NUL, 2, 1, 2);
    check_refused("[1e999]", SC_JSON_TOO_LARGE, 2, 1, 2);
    check_refused("[9223372036854775808]", SC_JSON_TOO_LARGE, 2, 1, 2);
    check_refused("{\"a\":1, \"\\u0061\":2}", SC_JSON_TWICE, 9, 1, 9);
}

static void test_depth_is_bounded(void **state)
{
    (void)state;
    char text[2 * SC_JSON_DEPTH_MAX + 2];
    sc_json_tree tree = {0};
    sc_json_error error = {0};
    memset(text, '[', SC_JSON_DEPTH_MAX + 1);
    memset(text + SC_JSON_DEPTH_MAX + 1, ']', SC_JSON_DEPTH_MAX + 1);
    assert_int_equal(sc_json_tree_read(text, sizeof text, &tree, &error), SC_EPARSE);
    assert_int_equal(error.fault, SC_JSON_TOO_DEEP);
    assert_int_equal(sc_json_tree_read(text + 1, sizeof text - 2, &tree, &error), SC_OK);
    sc_json_tree_fini(&tree);
}

// Names in an order that is neither theirs nor its reverse; one of them twice if asked for.
static void write_large(sc_bytes *out, size_t members, size_t again)
{
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_open_object(&json, NULL);
    for (size_t i = 0; i < members; i++) {
        char name[24];
        snprintf(name, sizeof name, "b%zu", i == members - 1 ? again : i * 7919 % members);
        sc_json_put_count(&json, name, i);
    }
    sc_json_close_object(&json);
    assert_false(json.has_failed);
}

static void test_members_of_large_objects_are_found_and_may_not_stand_twice(void **state)
{
    (void)state;
    for (size_t members = 2; members < 700; members += 1 + members / 3) {
        sc_bytes text = {0};
        sc_json_tree tree = {0};
        sc_json_error error = {0};
        write_large(&text, members, (members - 1) * 7919 % members);
        assert_int_equal(sc_json_tree_read((const char *)text.data, text.size, &tree, &error),
                         SC_OK);
        assert_int_equal(sc_json_size(tree.root), members);
        for (size_t i = 0; i < members; i++) {
            const char *name = sc_json_member_name(tree.root, i);
            assert_int_equal(sc_json_integer(sc_json_member(tree.root, name)), i);
        }
        assert_null(sc_json_member(tree.root, "b"));
        assert_null(sc_json_member(tree.root, "zzz"));
        assert_null(sc_json_member(tree.root, "b0000"));
        sc_json_tree_fini(&tree);
        text.size = 0;
        write_large(&text, members, 0);
        assert_int_equal(sc_json_tree_read((const char *)text.data, text.size, &tree, &error),
                         SC_EPARSE);
        assert_int_equal(error.fault, SC_JSON_TWICE);
        sc_bytes_fini(&text);
    }
}

static void test_asking_what_is_not_there_gives_nothing(void **state)
{
    (void)state;
    static const char text[] = "[7]";
    sc_json_tree tree = {0};
    sc_json_error error = {0};
    assert_int_equal(sc_json_tree_read(text, strlen(text), &tree, &error), SC_OK);
    const sc_json_value *seven = sc_json_at(tree.root, 0);
    assert_null(sc_json_at(tree.root, 1));
    assert_null(sc_json_member(tree.root, "a"));
    assert_null(sc_json_member(NULL, "a"));
    assert_null(sc_json_at(seven, 0));
    assert_null(sc_json_text_at(seven));
    assert_null(sc_json_member_name(tree.root, 0));
    assert_int_equal(sc_json_size(seven), 0);
    assert_int_equal(sc_json_size(NULL), 0);
    assert_int_equal(sc_json_integer(NULL), 0);
    assert_true(sc_json_number_at(tree.root) == 0.0);
    assert_false(sc_json_is_null(NULL));
    sc_json_tree_fini(&tree);
}

static void test_without_memory_there_is_no_tree(void **state)
{
    (void)state;
    sc_json_tree tree = {0};
    sc_json_error error = {0};
    sc_alloc_fail_at(1);
    const sc_err err = sc_json_tree_read("[]", 2, &tree, &error);
    sc_alloc_fail_at(0);
    assert_int_equal(err, SC_ENOMEM);
    assert_null(tree.root);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_what_is_json_for_jansson_is_the_same_tree_and_nothing_else),
    cmocka_unit_test(test_a_refusal_tells_why_and_where),
    cmocka_unit_test(test_depth_is_bounded),
    cmocka_unit_test(test_members_of_large_objects_are_found_and_may_not_stand_twice),
    cmocka_unit_test(test_asking_what_is_not_there_gives_nothing),
    cmocka_unit_test(test_without_memory_there_is_no_tree),
};
SC_SUITE(tests)
