// Well-formed UTF-8, character by character: all of Unicode, and nothing else.
#include "support/check.h"

#include "base/utf8.h"

// A code point as UTF-8, by the plain rule, whether it may be or not.
static size_t encode(uint32_t c, size_t size, char out[4])
{
    static const unsigned char lead[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
    for (size_t i = size; i-- > 1;) {
        out[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)(lead[size] | c);
    return size;
}

static void test_every_code_point_has_the_size_of_its_shortest_form(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < 0x110000; c++) {
        const size_t least = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        const bool surrogate = c >= 0xd800 && c < 0xe000;
        for (size_t size = least; size <= 4; size++) {
            char text[4];
            encode(c, size, text);
            // Longer forms than needed, and halves of pairs, are not well-formed.
            const size_t wanted = size == least && !surrogate ? size : 0;
            if (sc_utf8_size(text, size) != wanted) fail_msg("U+%04X in %zu bytes", c, size);
            // Cut short it is nothing.
            for (size_t cut = 0; cut < size && size == least; cut++) {
                if (sc_utf8_size(text, cut) != 0) fail_msg("U+%04X cut to %zu", c, cut);
            }
        }
    }
}

static void test_what_lies_beyond_unicode_is_refused(void **state)
{
    (void)state;
    for (uint32_t c = 0x110000; c < 0x200000; c += 0x111) {
        char text[4];
        encode(c, 4, text);
        assert_int_equal(sc_utf8_size(text, 4), 0);
    }
}

static void test_a_second_byte_that_does_not_continue_is_refused(void **state)
{
    (void)state;
    for (unsigned first = 0x80; first < 0x100; first++) {
        for (unsigned second = 0; second < 0x100; second++) {
            if (second >= 0x80 && second < 0xc0) continue;
            const char text[4] = {(char)first, (char)second, (char)0x80, (char)0x80};
            assert_int_equal(sc_utf8_size(text, 4), 0);
        }
    }
    assert_int_equal(sc_utf8_size("\xe2\x82"
                                  "A",
                                  3),
                     0);
    assert_int_equal(sc_utf8_size("\xf0\x9f\x8c"
                                  "A",
                                  4),
                     0);
}

static void test_only_the_first_character_is_looked_at(void **state)
{
    (void)state;
    assert_int_equal(sc_utf8_size("a\xff", 2), 1);
    assert_int_equal(sc_utf8_size("\xc3\xa9\xff", 3), 2);
}

static void test_a_text_is_utf8_if_all_its_characters_are(void **state)
{
    (void)state;
    assert_true(sc_is_utf8(""));
    assert_true(sc_is_utf8("caf\xc3\xa9 \xe2\x82\xac"));
    assert_false(sc_is_utf8("\xff"));
    assert_false(sc_is_utf8("a\xff"));
    assert_false(sc_is_utf8("caf\xc3"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_code_point_has_the_size_of_its_shortest_form),
    cmocka_unit_test(test_what_lies_beyond_unicode_is_refused),
    cmocka_unit_test(test_a_second_byte_that_does_not_continue_is_refused),
    cmocka_unit_test(test_only_the_first_character_is_looked_at),
    cmocka_unit_test(test_a_text_is_utf8_if_all_its_characters_are),
};
SC_SUITE(tests)
