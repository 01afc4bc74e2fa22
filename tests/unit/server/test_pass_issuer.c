// Anonymous tokens: one key and one user for each epoch, whatever clients and directories try.
#include "server/pass_issuer.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"

#include "base/bytes.h"

#include <sodium.h>
#include <stdio.h>

enum { EPOCH_S = 600, N = 2833333, KEYS = 3, HEADER = SC_PASS_AUTHORIZATION_SIZE };
/** The first second of epoch number N. */
static const int64_t start_s = (int64_t)N * EPOCH_S;

static const char issuer_name[] = "issuer.example";
static const char origin[] = "cloak.example";

static sc_pass_key keys[KEYS];

static int begin(void **state)
{
    (void)state;
    if (sodium_init() < 0) return -1;
    for (size_t i = 0; i < KEYS; i++) {
        sc_blind_rsa_key *rsa = NULL;
        if (sc_blind_rsa_generate(SC_PASS_MODULUS_SIZE, &rsa)) return -1;
        if (sc_pass_key_init(rsa, &keys[i])) return -1;
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEYS; i++) {
        sc_pass_key_fini(&keys[i]);
    }
    return 0;
}

// --- A directory, its issuer and a client --------------------------------------------------------

/** A key in a directory. */
typedef struct listed {
    size_t key;
    int64_t not_before_s;
} listed;

static const char *write_directory(place *p, const listed *list, size_t count)
{
    sc_pass_directory directory = {.request_uri = "/token-request", .count = count};
    sc_bytes text = {0};
    for (size_t i = 0; i < count; i++) {
        memcpy(directory.keys[i].spki, keys[list[i].key].spki, sizeof keys[0].spki);
        directory.keys[i].not_before_s = list[i].not_before_s;
    }
    assert_int_equal(sc_pass_directory_write(&directory, &text), SC_OK);
    assert_true(sc_bytes_append(&text, "", 1));
    const char *path = place_write_text(p, "directory.json", (const char *)text.data);
    sc_bytes_fini(&text);
    return path;
}

static sc_pass_issuer *open_issuer(const char *path)
{
    sc_diag diag = {""};
    sc_pass_issuer *issuer = NULL;
    const sc_pass_issuer_options options = {.directory = path,
                                            .name = issuer_name,
                                            .origin = origin,
                                            .epoch_s = EPOCH_S,
                                            .refresh_s = 600,
                                            .retry_s = 10};
    CHECK_OK(sc_pass_issuer_new(&options, &issuer, &diag), &diag);
    CHECK_OK(sc_pass_issuer_start(issuer, &diag), &diag);
    return issuer;
}

/** A token of a key for an epoch at an origin, as the value of Authorization. */
static void make_for(size_t key, uint64_t epoch, const char *at, char out[HEADER])
{
    sc_pass_challenge challenge = {.has_context = true};
    uint8_t bytes[SC_PASS_CHALLENGE_MAX];
    uint8_t request[SC_PASS_REQUEST_SIZE];
    uint8_t response[SC_PASS_RESPONSE_SIZE];
    uint8_t token[SC_PASS_TOKEN_SIZE];
    sc_pass_pending pending = {0};
    snprintf(challenge.issuer, sizeof challenge.issuer, "%s", issuer_name);
    snprintf(challenge.origins, sizeof challenge.origins, "%s", at);
    sc_pass_epoch_context(epoch, EPOCH_S, at, challenge.context);
    const size_t size = sc_pass_challenge_encode(&challenge, bytes);
    assert_int_equal(sc_pass_begin(&keys[key], bytes, size, request, &pending), SC_OK);
    assert_int_equal(sc_pass_issue(&keys[key], request, sizeof request, response), SC_OK);
    assert_int_equal(sc_pass_finish(&keys[key], &pending, response, sizeof response, token), SC_OK);
    sc_pass_pending_wipe(&pending);
    sc_pass_authorization_write(token, out);
}

static void make(size_t key, uint64_t epoch, char out[HEADER])
{
    make_for(key, epoch, origin, out);
}

static sc_pass_verdict check_at(sc_pass_issuer *issuer, const char *token, int64_t now_s)
{
    sc_token out;
    return sc_pass_issuer_check(issuer, token, now_s, 0, &out);
}

// --- Users ---------------------------------------------------------------------------------------

static void test_a_token_is_one_user_until_its_epoch_ends(void **state)
{
    (void)state;
    place p = place_new();
    sc_pass_issuer *issuer = open_issuer(write_directory(&p, &(listed){0, start_s}, 1));
    char token[HEADER];
    char other[HEADER];
    sc_token first = {0};
    sc_token again = {0};
    sc_token second = {0};
    make(0, N, token);
    make(0, N, other);
    assert_int_equal(sc_pass_issuer_check(issuer, token, start_s, 0, &first), SC_PASS_GOOD);
    assert_int_equal(sc_pass_issuer_check(issuer, token, start_s + EPOCH_S - 1, 0, &again),
                     SC_PASS_GOOD);
    assert_int_equal(sc_pass_issuer_check(issuer, other, start_s, 0, &second), SC_PASS_GOOD);
    assert_memory_equal(&first, &again, sizeof first);
    assert_string_not_equal(first.user, second.user);
    assert_true(first.is_of_epoch);
    assert_int_equal(first.issued_s, start_s);
    assert_int_equal(first.expires_s, start_s + EPOCH_S);
    // A signature is checked once.
    const sc_pass_issuer_stats stats = sc_pass_issuer_stats_of(issuer);
    assert_int_equal(stats.verdicts[SC_PASS_GOOD], 3);
    assert_int_equal(stats.remembered, 1);
    assert_int_equal(stats.keys, 1);
    // Not before its epoch, and not after.
    assert_int_equal(check_at(issuer, token, start_s - 1), SC_PASS_EPOCH);
    assert_int_equal(check_at(issuer, token, start_s + EPOCH_S), SC_PASS_EPOCH);
    sc_pass_issuer_free(issuer);
    place_free(&p);
}

static void test_its_user_can_be_of_no_other_kind_of_token(void **state)
{
    (void)state;
    place p = place_new();
    sc_pass_issuer *issuer = open_issuer(write_directory(&p, &(listed){0, start_s}, 1));
    sc_token_keys *own = NULL;
    char token[HEADER];
    char bearer[SC_TOKEN_SIZE];
    sc_token out = {0};
    sc_diag diag = {""};
    make(0, N, token);
    assert_int_equal(sc_pass_issuer_check(issuer, token, start_s, 0, &out), SC_PASS_GOOD);
    assert_int_equal(out.user_size, strlen(out.user));
    assert_in_range(out.user_size, 20, SC_TOKEN_USER_MAX);
    CHECK_OK(sc_token_keys_new(&own), NULL);
    assert_int_equal(sc_token_issue(own, out.user, 1, 2, bearer, &diag), SC_EINVAL);
    assert_string_not_equal(out.user, "jwt:");
    sc_token_keys_free(own);
    sc_pass_issuer_free(issuer);
    place_free(&p);
}

static void test_the_epoch_before_is_good_for_a_while_where_that_is_asked(void **state)
{
    (void)state;
    place p = place_new();
    const listed list[] = {{1, start_s + EPOCH_S}, {0, start_s}};
    sc_pass_issuer *issuer = open_issuer(write_directory(&p, list, 2));
    const int64_t next_s = start_s + EPOCH_S;
    char token[HEADER];
    char before[HEADER];
    sc_token first = {0};
    sc_token late = {0};
    make(0, N, token);
    make(0, N - 1, before);
    assert_int_equal(sc_pass_issuer_check(issuer, token, start_s, 0, &first), SC_PASS_GOOD);
    assert_int_equal(sc_pass_issuer_check(issuer, token, next_s + 59, 60, &late), SC_PASS_GOOD);
    assert_memory_equal(&first, &late, sizeof first);
    assert_int_equal(sc_pass_issuer_check(issuer, token, next_s + 60, 60, &late), SC_PASS_EPOCH);
    // The one before last never, however long outcomes are kept.
    assert_int_equal(sc_pass_issuer_check(issuer, before, next_s, 10 * (int64_t)EPOCH_S, &late),
                     SC_PASS_EPOCH);
    sc_pass_issuer_free(issuer);
    place_free(&p);
}

// --- Keys ----------------------------------------------------------------------------------------

static void test_an_epoch_has_one_key(void **state)
{
    (void)state;
    place p = place_new();
    // That of the epoch before, the epoch's own, and one that begins within it.
    const listed list[] = {{2, start_s + 1}, {0, start_s - EPOCH_S}, {1, start_s}};
    sc_pass_issuer *issuer = open_issuer(write_directory(&p, list, 3));
    char token[HEADER];
    const sc_pass_verdict expected[] = {SC_PASS_KEY, SC_PASS_GOOD, SC_PASS_KEY};
    for (size_t key = 0; key < KEYS; key++) {
        make(key, N, token);
        assert_int_equal(check_at(issuer, token, start_s + EPOCH_S - 1), expected[key]);
    }
    make(0, N - 1, token);
    assert_int_equal(check_at(issuer, token, start_s - 1), SC_PASS_GOOD);
    make(2, N + 1, token);
    assert_int_equal(check_at(issuer, token, start_s + EPOCH_S), SC_PASS_GOOD);
    sc_pass_issuer_free(issuer);
    place_free(&p);
}

static void test_its_first_token_settles_the_key_of_an_epoch(void **state)
{
    (void)state;
    place p = place_new();
    sc_pass_issuer *issuer = open_issuer(write_directory(&p, &(listed){0, start_s}, 1));
    sc_diag diag = {""};
    char old[HEADER];
    char renewed[HEADER];
    make(0, N, old);
    make(1, N, renewed);
    // Before it, a directory may still change.
    write_directory(&p, &(listed){1, start_s}, 1);
    CHECK_OK(sc_pass_issuer_reload(issuer, &diag), &diag);
    assert_int_equal(check_at(issuer, old, start_s), SC_PASS_KEY);
    assert_int_equal(check_at(issuer, renewed, start_s), SC_PASS_GOOD);
    // An account with a token of either key would be two users.
    write_directory(&p, &(listed){0, start_s}, 1);
    CHECK_OK(sc_pass_issuer_reload(issuer, &diag), &diag);
    assert_int_equal(check_at(issuer, old, start_s), SC_PASS_KEY);
    make(1, N, renewed);
    assert_int_equal(check_at(issuer, renewed, start_s), SC_PASS_GOOD);
    // The next epoch goes by the new directory.
    make(0, N + 1, old);
    assert_int_equal(check_at(issuer, old, start_s + EPOCH_S), SC_PASS_GOOD);
    sc_pass_issuer_free(issuer);
    place_free(&p);
}

static void test_the_first_of_two_keys_of_one_moment_is_the_epochs(void **state)
{
    (void)state;
    place p = place_new();
    const listed list[] = {{1, start_s}, {0, start_s}};
    sc_pass_issuer *issuer = open_issuer(write_directory(&p, list, 2));
    char token[HEADER];
    make(0, N, token);
    assert_int_equal(check_at(issuer, token, start_s), SC_PASS_KEY);
    make(1, N, token);
    assert_int_equal(check_at(issuer, token, start_s), SC_PASS_GOOD);
    sc_pass_issuer_free(issuer);
    place_free(&p);
}

// --- What is not good ----------------------------------------------------------------------------

static void test_other_tokens_are_refused_with_their_reason(void **state)
{
    (void)state;
    place p = place_new();
    sc_pass_issuer *issuer = open_issuer(write_directory(&p, &(listed){0, start_s}, 1));
    char token[HEADER];
    make_for(0, N, "shop.example", token);
    assert_int_equal(check_at(issuer, token, start_s), SC_PASS_EPOCH);
    make(0, N + 1, token);
    assert_int_equal(check_at(issuer, token, start_s), SC_PASS_EPOCH);
    assert_int_equal(check_at(issuer, "PrivateToken token=\"AAAA\"", start_s), SC_PASS_MALFORMED);
    assert_int_equal(check_at(issuer, "PrivateToken", start_s), SC_PASS_MALFORMED);
    make(0, N - 1, token);
    assert_int_equal(check_at(issuer, token, start_s - 1), SC_PASS_KEY);
    for (int verdict = SC_PASS_MALFORMED; verdict < SC_PASS_VERDICT_COUNT; verdict++) {
        assert_string_not_equal(sc_pass_words((sc_pass_verdict)verdict), "");
    }
    assert_int_equal(sc_pass_issuer_stats_of(issuer).verdicts[SC_PASS_EPOCH], 2);
    assert_int_equal(sc_pass_issuer_stats_of(issuer).verdicts[SC_PASS_MALFORMED], 2);
    sc_pass_issuer_free(issuer);
    place_free(&p);
}

static void test_no_bit_can_be_another(void **state)
{
    (void)state;
    place p = place_new();
    sc_pass_issuer *issuer = open_issuer(write_directory(&p, &(listed){0, start_s}, 1));
    char text[HEADER];
    uint8_t token[SC_PASS_TOKEN_SIZE];
    make(0, N, text);
    assert_int_equal(sc_pass_authorization_parse(text, strlen(text), token), SC_OK);
    assert_int_equal(check_at(issuer, text, start_s), SC_PASS_GOOD);
    for (size_t i = 0; i < sizeof token; i++) {
        token[i] ^= (uint8_t)(1U << i % 8);
        sc_pass_authorization_write(token, text);
        assert_int_not_equal(check_at(issuer, text, start_s), SC_PASS_GOOD);
        // A second time neither: what was refused is not remembered.
        assert_int_not_equal(check_at(issuer, text, start_s), SC_PASS_GOOD);
        token[i] ^= (uint8_t)(1U << i % 8);
    }
    assert_int_equal(sc_pass_issuer_stats_of(issuer).verdicts[SC_PASS_GOOD], 1);
    sc_pass_issuer_free(issuer);
    place_free(&p);
}

static void test_the_challenge_is_the_same_for_all_and_that_of_the_epoch(void **state)
{
    (void)state;
    place p = place_new();
    sc_pass_issuer *issuer = open_issuer(write_directory(&p, &(listed){0, start_s}, 1));
    char value[SC_PASS_AUTHENTICATE_SIZE];
    char again[SC_PASS_AUTHENTICATE_SIZE];
    uint8_t context[SC_PASS_CONTEXT_SIZE];
    sc_pass_offer offer;
    sc_pass_challenge challenge;
    size_t count = 0;
    assert_true(sc_pass_issuer_challenge(issuer, start_s + 100, value));
    assert_true(sc_pass_issuer_challenge(issuer, start_s + 100, again));
    assert_string_equal(value, again);
    assert_int_equal(sc_pass_authenticate_parse(value, strlen(value), &offer, 1, &count), SC_OK);
    assert_int_equal(count, 1);
    assert_int_equal(offer.max_age_s, EPOCH_S - 100);
    assert_memory_equal(offer.key, keys[0].spki, sizeof offer.key);
    assert_int_equal(sc_pass_challenge_parse(offer.challenge, offer.challenge_size, &challenge),
                     SC_OK);
    sc_pass_epoch_context(N, EPOCH_S, origin, context);
    assert_memory_equal(challenge.context, context, sizeof context);
    assert_string_equal(challenge.issuer, issuer_name);
    assert_string_equal(challenge.origins, origin);
    // Before there is a key there is nothing to ask for.
    assert_false(sc_pass_issuer_challenge(issuer, start_s - 1, value));
    sc_pass_issuer_free(issuer);
    place_free(&p);
}

static void test_what_is_no_directory_or_name_is_refused(void **state)
{
    (void)state;
    place p = place_new();
    sc_diag diag = {""};
    sc_pass_issuer *issuer = open_issuer(write_directory(&p, &(listed){0, start_s}, 1));
    char token[HEADER];
    place_write_text(&p, "directory.json", "{\"issuer-request-uri\":\"/\",\"token-keys\":[]}");
    assert_int_not_equal(sc_pass_issuer_reload(issuer, &diag), SC_OK);
    assert_non_null(strstr(diag.message, "directory of a token issuer"));
    make(0, N, token);
    assert_int_equal(check_at(issuer, token, start_s), SC_PASS_GOOD);
    sc_pass_issuer_free(issuer);
    const char *path = write_directory(&p, &(listed){0, start_s}, 1);
    const char *const names[] = {"", "two words", "a,b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const sc_pass_issuer_options options = {
            .directory = path, .name = issuer_name, .origin = names[i], .epoch_s = EPOCH_S};
        assert_int_equal(sc_pass_issuer_new(&options, &issuer, &diag), SC_EINVAL);
    }
    place_free(&p);
}

static void test_every_lack_of_memory_is_told(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = write_directory(&p, &(listed){0, start_s}, 1);
    const sc_pass_issuer_options options = {
        .directory = path, .name = issuer_name, .origin = origin, .epoch_s = EPOCH_S};
    FOR_EACH_FAILURE(n)
    {
        sc_pass_issuer *issuer = NULL;
        const sc_err err = sc_pass_issuer_new(&options, &issuer, NULL);
        sc_pass_issuer_free(issuer);
        if (!oom_happened()) break;
        assert_int_equal(err, SC_ENOMEM);
    }
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_token_is_one_user_until_its_epoch_ends),
    cmocka_unit_test(test_its_user_can_be_of_no_other_kind_of_token),
    cmocka_unit_test(test_the_epoch_before_is_good_for_a_while_where_that_is_asked),
    cmocka_unit_test(test_an_epoch_has_one_key),
    cmocka_unit_test(test_its_first_token_settles_the_key_of_an_epoch),
    cmocka_unit_test(test_the_first_of_two_keys_of_one_moment_is_the_epochs),
    cmocka_unit_test(test_other_tokens_are_refused_with_their_reason),
    cmocka_unit_test(test_no_bit_can_be_another),
    cmocka_unit_test(test_the_challenge_is_the_same_for_all_and_that_of_the_epoch),
    cmocka_unit_test(test_what_is_no_directory_or_name_is_refused),
    cmocka_unit_test(test_every_lack_of_memory_is_told),
};
SC_SUITE_WITH(tests, begin, end)
