// JSON pointers, as RFC 6901 has them.
#include "base/json_pointer.h"
#include "support/check.h"

static void test_pointers_lead_where_the_rfc_says(void **state)
{
    (void)state;
    static const char text[] =
        "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"m~n\":8,\"x\":null,\"~1\":9}";
    static const struct {
        const char *pointer;
        const char *text;
        int64_t number;
    } good[] = {{"/foo/0", "bar", 0}, {"/foo/1", "baz", 0}, {"/", NULL, 0},
                {"/a~1b", NULL, 1},   {"/m~0n", NULL, 8},   {"/~01", NULL, 9}};
    static const char *const nowhere[] = {
        "/foo/2", "/foo/01", "/foo/-", "/foo/0/1", "/bar", "/x", "/foo/99999999999999999999"};
    sc_json_tree tree;
    sc_json_error error;
    assert_int_equal(sc_json_tree_read(text, strlen(text), &tree, &error), SC_OK);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const sc_json_value *value = sc_json_pointer_follow(tree.root, good[i].pointer);
        assert_non_null(value);
        if (good[i].text) assert_string_equal(sc_json_text_at(value), good[i].text);
        if (!good[i].text) assert_int_equal(sc_json_integer(value), good[i].number);
    }
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        assert_null(sc_json_pointer_follow(tree.root, nowhere[i]));
    }
    assert_ptr_equal(sc_json_pointer_follow(tree.root, ""), tree.root);
    sc_json_tree_fini(&tree);
}

static void test_what_is_no_pointer_is_seen(void **state)
{
    (void)state;
    static const char *const sound[] = {"", "/", "/a", "/a/0", "/~0~1", "//"};
    static const char *const bad[] = {"a", "a/b", "/~", "/a~2", "/~a", " /a"};
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        assert_true(sc_json_pointer_is_sound(sound[i]));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(sc_json_pointer_is_sound(bad[i]));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pointers_lead_where_the_rfc_says),
    cmocka_unit_test(test_what_is_no_pointer_is_seen),
};
SC_SUITE(tests)
