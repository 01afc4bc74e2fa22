// The sentence for a person: whole, printable, cut to fit.
#include "support/check.h"

#include "base/diag.h"

static void test_every_error_has_a_text_of_its_own(void **state)
{
    (void)state;
    enum { COUNT = 10 };
    for (int i = 0; i < COUNT; i++) {
        assert_true(strlen(sc_err_text((sc_err)i)) > 3);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(sc_err_text((sc_err)i), sc_err_text((sc_err)j));
        }
    }
    assert_string_equal(sc_err_text(SC_OK), "success");
    assert_string_equal(sc_err_text((sc_err)4711), "unknown error");
}

static void test_a_failure_fills_the_diagnosis_and_returns_its_code(void **state)
{
    (void)state;
    sc_diag diag = {"before"};
    assert_int_equal(sc_fail(&diag, SC_EMAP, "%s:%d: bad", "f", 12), SC_EMAP);
    assert_string_equal(diag.message, "f:12: bad");
    assert_int_equal(sc_fail_memory(&diag, "thinking"), SC_ENOMEM);
    assert_string_equal(diag.message, "out of memory while thinking");
    assert_int_equal(sc_fail(NULL, SC_EIO, "unheard"), SC_EIO);
}

static void test_a_sentence_too_long_is_cut_and_ended(void **state)
{
    (void)state;
    char longest[3000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    sc_diag diag;
    memset(&diag, 'y', sizeof diag);
    assert_int_equal(sc_fail(&diag, SC_EIO, "%s", longest), SC_EIO);
    assert_int_equal(strlen(diag.message), sizeof diag.message - 1);
}

static void check_quoted(const char *bytes, size_t size, const char *wanted)
{
    // Exactly so many bytes, so that a sanitizer sees each step beyond.
    char *tight = test_take(size, 1);
    if (size > 0) memcpy(tight, bytes, size);
    assert_string_equal(sc_quote(tight, size).text, wanted);
    free(tight);
}

static void test_a_strangers_bytes_are_made_printable(void **state)
{
    (void)state;
    check_quoted("", 0, "''");
    check_quoted("abc", 3, "'abc'");
    check_quoted("\x1b[31m", 5, "'\\x1b[31m'");
    check_quoted("a\0\n\xff", 4, "'a\\x00\\x0a\\xff'");
}

static void test_long_values_are_shortened_and_fit_whatever_they_hold(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        for (size_t size = 0; size < 100; size++) {
            char bytes[100];
            memset(bytes, (int)byte, size);
            const sc_quoted quoted = sc_quote(bytes, size);
            const size_t length = strlen(quoted.text);
            assert_true(length < sizeof quoted.text);
            assert_int_equal(quoted.text[0], '\'');
            // Nine escapes always fit, forty bytes never do with their quote.
            const bool cut = quoted.text[length - 1] != '\'';
            if (size <= 9) assert_false(cut);
            if (size > 40) assert_true(cut);
            for (const char *at = quoted.text; *at; at++) {
                assert_true(*at >= 0x20 && *at < 0x7f);
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_error_has_a_text_of_its_own),
    cmocka_unit_test(test_a_failure_fills_the_diagnosis_and_returns_its_code),
    cmocka_unit_test(test_a_sentence_too_long_is_cut_and_ended),
    cmocka_unit_test(test_a_strangers_bytes_are_made_printable),
    cmocka_unit_test(test_long_values_are_shortened_and_fit_whatever_they_hold),
};
SC_SUITE(tests)
