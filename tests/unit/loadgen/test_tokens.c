// A token for each traveller.
#include "demo/loadgen/loadgen.h"

#include <stdio.h>
#include <sys/stat.h>

#include "server/token.h"
#include "support/check.h"
#include "support/place.h"

static void test_issued_tokens_are_good_and_name_different_users(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "keys");
    sc_diag diag = {""};
    CHECK_OK(sc_token_keys_write(path, &diag), &diag);
    sc_token_keys *keys = NULL;
    CHECK_OK(sc_token_keys_read(path, &keys, &diag), &diag);
    sc_tokens *tokens = NULL;
    CHECK_OK(sc_tokens_issue(path, 3, 100, &tokens, &diag), &diag);
    for (uint32_t i = 0; i < 3; i++) {
        char user[32];
        sc_token token;
        snprintf(user, sizeof(user), "load-%u", i + 1);
        CHECK_OK(sc_token_check(keys, sc_tokens_at(tokens, i), &token), NULL);
        assert_string_equal(token.user, user);
        assert_true(token.expires_s - token.issued_s >= 100);
    }
    sc_tokens_free(tokens);
    sc_token_keys_free(keys);
    place_free(&p);
}

static sc_err issue_two(void *context, uint32_t i, char *out, sc_diag *diag)
{
    (void)diag;
    if (i == 2) return SC_EBUSY;
    snprintf(out, SC_TOKEN_SIZE, "%s%u", (const char *)context, i);
    return SC_OK;
}

static void test_another_program_may_issue_them(void **state)
{
    (void)state;
    static char prefix[] = "sct1_of";
    sc_tokens *tokens = NULL;
    CHECK_OK(sc_tokens_gather(2, issue_two, prefix, &tokens, NULL), NULL);
    assert_string_equal(sc_tokens_at(tokens, 0), "sct1_of0");
    assert_string_equal(sc_tokens_at(tokens, 1), "sct1_of1");
    sc_tokens_free(tokens);
    tokens = NULL;
    assert_int_equal(sc_tokens_gather(3, issue_two, prefix, &tokens, NULL), SC_EBUSY);
    assert_null(tokens);
}

static void test_a_file_has_one_token_per_line(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_write_text(&p, "tokens", "# of today\nsct1_a\n\nsct1_b\r\nsct1_c\n");
    sc_tokens *tokens = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_tokens_read(path, 2, &tokens, &diag), &diag);
    assert_string_equal(sc_tokens_at(tokens, 0), "sct1_a");
    assert_string_equal(sc_tokens_at(tokens, 1), "sct1_b");
    sc_tokens_free(tokens);
    tokens = NULL;
    CHECK_REFUSED(sc_tokens_read(path, 4, &tokens, &diag), SC_EINVAL, &diag, "--travellers 3");
    assert_null(tokens);
    place_free(&p);
}

static void test_what_is_no_token_is_refused_and_not_repeated(void **state)
{
    (void)state;
    static const char *const texts[] = {"good\nbad secret\n", "good\nsecret\x01\n",
                                        "good\nsecret\xc3\xa4\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        place p = place_new();
        const char *path = place_write_text(&p, "tokens", texts[i]);
        sc_tokens *tokens = NULL;
        sc_diag diag = {""};
        CHECK_REFUSED(sc_tokens_read(path, 2, &tokens, &diag), SC_EPARSE, &diag, ":2:");
        assert_null(strstr(diag.message, "secret"));
        place_free(&p);
    }
    static char text[SC_TOKEN_SIZE + 2];
    memset(text, 'x', SC_TOKEN_SIZE);
    place p = place_new();
    sc_tokens *tokens = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_tokens_read(place_write_text(&p, "tokens", text), 1, &tokens, &diag),
                  SC_EPARSE, &diag, ":1:");
    place_free(&p);
}

static void test_files_that_are_not_there_are_told(void **state)
{
    (void)state;
    sc_tokens *tokens = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_tokens_read("no-such-tokens", 1, &tokens, &diag), SC_EIO, &diag,
                  "no-such-tokens");
    CHECK_REFUSED(sc_tokens_issue("no-such-keys", 1, 1, &tokens, &diag), SC_EIO, &diag,
                  "no-such-keys");
    assert_null(tokens);
    sc_tokens_free(NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_issued_tokens_are_good_and_name_different_users),
    cmocka_unit_test(test_another_program_may_issue_them),
    cmocka_unit_test(test_a_file_has_one_token_per_line),
    cmocka_unit_test(test_what_is_no_token_is_refused_and_not_repeated),
    cmocka_unit_test(test_files_that_are_not_there_are_told),
};
SC_SUITE(tests)
