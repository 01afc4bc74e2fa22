// Strings in JSON: escaped where they must be, and UTF-8 whatever they were.
#include "support/check.h"

#include "base/json.h"

// What is written for `text`; release with free().
static char *written(const char *text)
{
    char *out = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&out, &size);
    assert_non_null(stream);
    sc_json_string(stream, text);
    fclose(stream);
    return out;
}

static void check_written(const char *text, const char *wanted)
{
    char *got = written(text);
    assert_string_equal(got, wanted);
    free(got);
}

static void test_plain_text_is_only_quoted(void **state)
{
    (void)state;
    check_written("", "\"\"");
    check_written("cafe / bar", "\"cafe / bar\"");
    check_written("Stra\xc3\x9f"
                  "e \xf0\x9f\x8c\x9f",
                  "\"Stra\xc3\x9f"
                  "e \xf0\x9f\x8c\x9f\"");
}

static void test_quotes_backslashes_and_control_characters_are_escaped(void **state)
{
    (void)state;
    check_written("a\"b\\c", "\"a\\\"b\\\\c\"");
    check_written("\n\t\x01\x1f\x7f", "\"\\u000a\\u0009\\u0001\\u001f\\u007f\"");
    check_written("\xc2\x80\xc2\x9b\xc2\xa0", "\"\\u0080\\u009b\xc2\xa0\"");
}

static void test_every_byte_alone_gives_a_string_of_clean_characters(void **state)
{
    (void)state;
    for (unsigned byte = 1; byte < 256; byte++) {
        const char text[] = {(char)byte, '\0'};
        char *got = written(text);
        for (const char *at = got; *at; at++) {
            assert_true((unsigned char)*at >= 0x20 && (unsigned char)*at < 0x7f);
        }
        if (byte >= 0x80) assert_string_equal(got, "\"\\ufffd\"");
        free(got);
    }
}

static void test_broken_utf8_is_replaced_byte_by_byte(void **state)
{
    (void)state;
    check_written("a\xc3(", "\"a\\ufffd(\"");
    check_written("\xe2\x82", "\"\\ufffd\\ufffd\"");
    check_written("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
    check_written("\xc0\xaf", "\"\\ufffd\\ufffd\"");
}

static void test_bytes_with_a_size_need_no_end_and_may_hold_a_nul(void **state)
{
    (void)state;
    char *out = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&out, &size);
    assert_non_null(stream);
    // A cut character at the end of what was handed in, whole in what lies behind it.
    sc_json_text(stream, "a\0b\"c\xc3\x9f", 6);
    sc_json_text(stream, "", 0);
    fclose(stream);
    assert_string_equal(out, "\"a\\u0000b\\\"c\\ufffd\"\"\"");
    free(out);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_plain_text_is_only_quoted),
    cmocka_unit_test(test_quotes_backslashes_and_control_characters_are_escaped),
    cmocka_unit_test(test_every_byte_alone_gives_a_string_of_clean_characters),
    cmocka_unit_test(test_broken_utf8_is_replaced_byte_by_byte),
    cmocka_unit_test(test_bytes_with_a_size_need_no_end_and_may_hold_a_nul),
};
SC_SUITE(tests)
