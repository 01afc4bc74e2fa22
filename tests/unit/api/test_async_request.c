// What requests say about queries with a life of their own: preferences, keys, ids, parameters.
#include "api/async_request.h"

#include "support/check.h"

#include <string.h>

static void test_preferences_are_read_and_others_passed_over(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_preferred;
        double wait_s;  ///< < 0: none
    } rows[] = {
        {"", false, -1},
        {"respond-async", true, -1},
        {"Respond-Async", true, -1},
        {"respond-async, wait=5", true, 5},
        {"wait = \"7.5\" , respond-async", true, 7.5},
        {"wait=\"5, respond-async", false, -1},
        {"respond-async;foo=\"a,b\", wait=1, wait=2", true, 1},
        {"return=minimal, wait=x", false, -1},
        {"wait=12345678901", false, -1},
        {"wait=1.", false, -1},
        {"wait=1 2", false, -1},
        {"respond-asynchronously", false, -1},
        {"foo=\"respond-async\"", false, -1},
        {"foo=\"\\\", respond-async\", wait=3", false, 3},
        {",,,respond-async,,", true, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sc_async_headers headers;
        assert_true(sc__async_headers_parse(rows[i].text, NULL, &headers, NULL));
        if (headers.is_preferred != rows[i].is_preferred ||
            headers.has_wait != (rows[i].wait_s >= 0) ||
            (headers.has_wait && headers.wait_s != rows[i].wait_s)) {
            fail_msg("%s: %d %d %g", rows[i].text, headers.is_preferred, headers.has_wait,
                     headers.wait_s);
        }
    }
}

static void test_keys_are_visible_letters(void **state)
{
    (void)state;
    static const char longest[] =
        "0123456789012345678901234567890123456789012345678901234567890123";
    static const char longer[] =
        "01234567890123456789012345678901234567890123456789012345678901234";
    static const char *const good[] = {"a", "\"8e03978e-40d5\"", "~!", longest};
    static const char *const bad[] = {"", "a b", "a\tb", "\x7f", "\xc3\xa9", longer};
    sc_async_headers headers;
    sc_problem problem;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(sc__async_headers_parse(NULL, good[i], &headers, &problem));
        assert_int_equal(headers.key_size, strlen(good[i]));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (sc__async_headers_parse(NULL, bad[i], &headers, &problem)) fail_msg("%s", bad[i]);
        assert_string_equal(problem.field, "Idempotency-Key");
    }
}

static void test_parameters_are_a_time_and_a_state(void **state)
{
    (void)state;
    sc_async_look look;
    sc_problem problem;
    assert_true(sc_async_look_parse("", 30, &look, &problem));
    assert_true(!look.has_known && look.wait_s == 0);
    assert_true(sc_async_look_parse("wait=0.5&known=cloaked&", 30, &look, &problem));
    assert_true(look.has_known && look.known == SC_ASYNC_CLOAKED && look.wait_s == 0.5);
    assert_true(sc_async_look_parse("&&wait=30", 30, &look, &problem));
    static const char *const bad[] = {
        "wait",          "wait=",      "wait=30.01",     "wait=1e1", "wait=+1",
        "wait=1&known=", "known=wait", "known=waiting2", "weight=1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (sc_async_look_parse(bad[i], 30, &look, &problem)) fail_msg("%s", bad[i]);
    }
}

static void test_an_id_comes_back_from_its_path_and_no_other_text_does(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        sc_async_id id = {.size = SC_ASYNC_RANDOM_SIZE};
        memset(id.bytes, (int)byte, id.size);
        char path[64] = "/v1/queries/";
        char *text = path + strlen(path);
        sc_async_id_write(&id, text);
        assert_int_equal(strlen(text), 22);
        sc_async_id back;
        assert_true(sc_async_path_read(path, SC_ASYNC_RANDOM_SIZE, &back));
        assert_memory_equal(back.bytes, id.bytes, SC_ASYNC_RANDOM_SIZE);
        // Another length, a letter more or less, and bits that no id has.
        assert_false(sc_async_path_read(path, SC_ASYNC_ID_MAX, &back));
        text[22] = 'A';
        text[23] = '\0';
        assert_false(sc_async_path_read(path, SC_ASYNC_RANDOM_SIZE, &back));
        text[21] = '\0';
        assert_false(sc_async_path_read(path, SC_ASYNC_RANDOM_SIZE, &back));
        text[21] = '_';
        text[22] = '\0';
        assert_false(sc_async_path_read(path, SC_ASYNC_RANDOM_SIZE, &back));
    }
    sc_async_id back;
    assert_false(sc_async_path_is("/v1/queries/"));
    assert_false(sc_async_path_is("/v1/queries"));
    assert_false(sc_async_path_read("/v1/queries/AAAAAAAAAAA/AAAAAAAAAA", 16, &back));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_preferences_are_read_and_others_passed_over),
    cmocka_unit_test(test_keys_are_visible_letters),
    cmocka_unit_test(test_parameters_are_a_time_and_a_state),
    cmocka_unit_test(test_an_id_comes_back_from_its_path_and_no_other_text_does),
};
SC_SUITE(tests)
