// Privacy Pass: the RFCs' numbers; challenges, tokens and their fields in HTTP; what is no token.
#include "oblivious/privacy_pass_internal.h"
#include "oblivious/private_token_http.h"

#include "support/check.h"
#include "support/oom.h"
#include "vectors.h"

#include "base/bytes.h"

#include <sodium.h>
#include <stdio.h>

static const char file[] = "privacy_pass.txt";

static int begin(void **state)
{
    (void)state;
    return sodium_init() < 0 ? -1 : 0;
}

/** The key of RFC 9578, appendix A.2. */
static sc_pass_key example_key(void)
{
    char pem[4096];
    FILE *stream = fopen(SC_TEST_DATA "/oblivious/privacy_pass_key.pem", "r");
    assert_non_null(stream);
    const size_t size = fread(pem, 1, sizeof pem, stream);
    fclose(stream);
    sc_blind_rsa_key *rsa = NULL;
    sc_pass_key key = {0};
    assert_int_equal(sc_blind_rsa_from_pem(pem, size, &rsa), SC_OK);
    assert_int_equal(sc_pass_key_init(rsa, &key), SC_OK);
    return key;
}

// --- RFC 9578, appendix A.2; RFC 9577, appendix A.1 ----------------------------------------------

static void test_a_token_is_issued_as_in_the_rfc(void **state)
{
    (void)state;
    sc_pass_key key = example_key();
    uint8_t request[SC_PASS_REQUEST_SIZE];
    uint8_t response[SC_PASS_RESPONSE_SIZE];
    uint8_t token[SC_PASS_TOKEN_SIZE];
    uint8_t digest[SC_PASS_DIGEST_SIZE];
    sc_pass_pending pending = {0};
    vector *challenge = vector_read(file, "9578 A.2", "token_challenge");
    vector *nonce = vector_read(file, "9578 A.2", "nonce");
    vector *salt = vector_read(file, "9578 A.2", "salt");
    vector *blind = vector_read(file, "9578 A.2", "blind");
    vector_check(file, "9578 A.2", "token_key_id", key.id, sizeof key.id);
    assert_int_equal(
        sc__pass_begin_with(
            &key, challenge->bytes, challenge->size,
            &(sc__pass_random){.nonce = nonce->bytes, .salt = salt->bytes, .factor = blind->bytes},
            request, &pending),
        SC_OK);
    vector_check(file, "9578 A.2", "token_request", request, 64);
    assert_int_equal(sc_pass_issue(&key, request, sizeof request, response), SC_OK);
    vector_check(file, "9578 A.2", "token_response", response, 64);
    assert_int_equal(sc_pass_finish(&key, &pending, response, sizeof response, token), SC_OK);
    vector_check(file, "9578 A.2", "token", token, 128);
    sc_pass_challenge_digest(challenge->bytes, challenge->size, digest);
    assert_int_equal(sc_pass_verify(&key, digest, token, sizeof token), SC_OK);
    sc_pass_pending_wipe(&pending);
    sc_pass_key_fini(&key);
    sc_pass_key_fini(&key);
    free(challenge);
    free(nonce);
    free(salt);
    free(blind);
}

static void test_challenges_have_the_digests_of_the_rfc(void **state)
{
    (void)state;
    static const struct {
        const char *digest, *origins;
        bool has_context;
    } rows[] = {{"digest1", "origin.example", true},
                {"digest2", "origin.example", false},
                {"digest3", "", false},
                {"digest4", "", true},
                {"digest5", "foo.example,bar.example", true}};
    vector *context = vector_read(file, "9577 A.1", "redemption_context");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sc_pass_challenge challenge = {.issuer = "issuer.example",
                                       .has_context = rows[i].has_context};
        sc_pass_challenge read;
        uint8_t bytes[SC_PASS_CHALLENGE_MAX];
        uint8_t digest[SC_PASS_DIGEST_SIZE];
        memcpy(challenge.context, context->bytes, rows[i].has_context ? 32 : 0);
        snprintf(challenge.origins, sizeof challenge.origins, "%s", rows[i].origins);
        const size_t size = sc_pass_challenge_encode(&challenge, bytes);
        sc_pass_challenge_digest(bytes, size, digest);
        vector_check(file, "9577 A.1", rows[i].digest, digest, sizeof digest);
        assert_int_equal(sc_pass_challenge_parse(bytes, size, &read), SC_OK);
        assert_memory_equal(&read, &challenge, sizeof read);
    }
    free(context);
}

// --- Challenges ----------------------------------------------------------------------------------

static void check_challenge(const char *digits, sc_err wanted)
{
    sc_pass_challenge read = {.issuer = "before"};
    vector *v = vector_of_hex(digits);
    uint8_t *bytes = test_take(v->size > 0 ? v->size : 1, 1);
    memcpy(bytes, v->bytes, v->size);
    const sc_err err = sc_pass_challenge_parse(bytes, v->size, &read);
    if (err != wanted) fail_msg("%s: got %d", digits, err);
    if (err) assert_string_equal(read.issuer, "before");
    free(bytes);
    free(v);
}

static void test_challenges_that_are_none_are_refused(void **state)
{
    (void)state;
    check_challenge("0002 0001 61 00 0000", SC_OK);
    check_challenge("0002 0001 61 00 0003 622c63", SC_OK);
    check_challenge("", SC_EPARSE);
    check_challenge("00", SC_EPARSE);
    check_challenge("0001 0001 61 00 0000", SC_EUNKNOWN);
    check_challenge("0000 acc3", SC_EUNKNOWN);
    check_challenge("0002", SC_EPARSE);
    check_challenge("0002 0000 00 0000", SC_EPARSE);            // no issuer
    check_challenge("0002 0002 61", SC_EPARSE);                 // cut in its issuer
    check_challenge("0002 0001 61", SC_EPARSE);                 // no context
    check_challenge("0002 0001 61 01 41 0000", SC_EPARSE);      // a context of 1 byte
    check_challenge("0002 0001 61 20 4141 0000", SC_EPARSE);    // cut in its context
    check_challenge("0002 0001 61 00", SC_EPARSE);              // no origins
    check_challenge("0002 0001 61 00 0000 00", SC_EPARSE);      // a byte too many
    check_challenge("0002 0001 00 00 0000", SC_EPARSE);         // NUL
    check_challenge("0002 0003 614062 00 0000", SC_EPARSE);     // a user before the host
    check_challenge("0002 0003 612c62 00 0000", SC_EPARSE);     // two issuers
    check_challenge("0002 0001 61 00 0003 622c2c", SC_EPARSE);  // an origin without a name
    check_challenge("0002 0001 61 00 0002 622c", SC_EPARSE);
    check_challenge("0002 0001 61 00 0003 622063", SC_EPARSE);
    check_challenge("0002 0100 61 00 0000", SC_EPARSE);
    uint8_t large[4 + 256 + 3] = {0, 2, 1, 0};
    sc_pass_challenge read;
    memset(large + 4, 'a', 256);
    assert_int_equal(sc_pass_challenge_parse(large, sizeof large, &read), SC_ELIMIT);
}

static void test_a_challenge_is_for_the_origins_that_it_names(void **state)
{
    (void)state;
    sc_pass_challenge c = {.issuer = "i"};
    assert_true(sc_pass_challenge_is_for(&c, "cloak.example"));
    snprintf(c.origins, sizeof c.origins, "a.example,Cloak.example,b.example:8443");
    assert_true(sc_pass_challenge_is_for(&c, "cloak.EXAMPLE"));
    assert_true(sc_pass_challenge_is_for(&c, "b.example:8443"));
    assert_false(sc_pass_challenge_is_for(&c, "b.example"));
    assert_false(sc_pass_challenge_is_for(&c, "oak.example"));
    assert_false(sc_pass_challenge_is_for(&c, ""));
}

static void test_a_context_is_of_one_epoch_and_one_origin(void **state)
{
    (void)state;
    uint8_t contexts[5][SC_PASS_CONTEXT_SIZE];
    assert_int_equal(sc_pass_epoch(7199, 3600), 1);
    assert_int_equal(sc_pass_epoch(7200, 3600), 2);
    assert_int_equal(sc_pass_epoch(-1, 3600), 0);
    sc_pass_epoch_context(1, 3600, "a.example", contexts[0]);
    sc_pass_epoch_context(2, 3600, "a.example", contexts[1]);
    sc_pass_epoch_context(1, 1800, "a.example", contexts[2]);
    sc_pass_epoch_context(1, 3600, "b.example", contexts[3]);
    sc_pass_epoch_context(1, 3600, "a.example", contexts[4]);
    for (size_t i = 1; i < 4; i++) {
        assert_memory_not_equal(contexts[0], contexts[i], SC_PASS_CONTEXT_SIZE);
    }
    assert_memory_equal(contexts[0], contexts[4], SC_PASS_CONTEXT_SIZE);
    // The bytes that docs/split-trust.md says, hashed by themselves.
    static const uint8_t said[] = "starcloak epoch 1\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\x0e\x10"
                                  "a.example";
    uint8_t digest[SC_PASS_DIGEST_SIZE];
    crypto_hash_sha256(digest, said, sizeof said - 1);
    assert_memory_equal(contexts[0], digest, sizeof digest);
}

// --- Issuance and tokens -------------------------------------------------------------------------

typedef struct issued {
    sc_pass_key key;
    uint8_t request[SC_PASS_REQUEST_SIZE];
    uint8_t response[SC_PASS_RESPONSE_SIZE];
    uint8_t token[SC_PASS_TOKEN_SIZE];
    uint8_t digest[SC_PASS_DIGEST_SIZE];
} issued;

static issued issue(void)
{
    static const uint8_t challenge[] = "any bytes are a challenge to the issuer";
    issued i = {.key = example_key()};
    sc_pass_pending pending = {0};
    assert_int_equal(sc_pass_begin(&i.key, challenge, sizeof challenge, i.request, &pending),
                     SC_OK);
    assert_int_equal(sc_pass_issue(&i.key, i.request, sizeof i.request, i.response), SC_OK);
    assert_int_equal(sc_pass_finish(&i.key, &pending, i.response, sizeof i.response, i.token),
                     SC_OK);
    sc_pass_challenge_digest(challenge, sizeof challenge, i.digest);
    return i;
}

static void test_a_token_is_good_for_its_key_and_its_challenge(void **state)
{
    (void)state;
    issued i = issue();
    assert_int_equal(sc_pass_verify(&i.key, i.digest, i.token, sizeof i.token), SC_OK);
    assert_int_equal(sc_pass_verify(&i.key, i.digest, i.token, sizeof i.token - 1), SC_EPARSE);
    i.token[1] = 1;
    assert_int_equal(sc_pass_verify(&i.key, i.digest, i.token, sizeof i.token), SC_EPARSE);
    i.token[1] = 2;
    sc_pass_token token;
    assert_int_equal(sc_pass_token_parse(i.token, sizeof i.token, &token), SC_OK);
    for (size_t at = 2; at < sizeof i.token; at += 13) {
        const uint8_t *byte = &i.token[at];
        const sc_err wanted = byte >= token.authenticator      ? SC_EBROKEN
                              : byte >= token.key_id           ? SC_EUNKNOWN
                              : byte >= token.challenge_digest ? SC_EMISMATCH
                                                               : SC_EBROKEN;
        i.token[at] ^= 1;
        assert_int_equal(sc_pass_verify(&i.key, i.digest, i.token, sizeof i.token), wanted);
        i.token[at] ^= 1;
    }
    i.digest[0] ^= 1;
    assert_int_equal(sc_pass_verify(&i.key, i.digest, i.token, sizeof i.token), SC_EMISMATCH);
    sc_pass_key_fini(&i.key);
}

static void test_an_issuer_signs_requests_for_its_key_only(void **state)
{
    (void)state;
    issued i = issue();
    uint8_t id = 0;
    assert_int_equal(sc_pass_request_key(i.request, sizeof i.request, &id), SC_OK);
    assert_int_equal(id, i.key.id[31]);
    assert_int_equal(sc_pass_issue(&i.key, i.request, sizeof i.request - 1, i.response), SC_EPARSE);
    i.request[2] ^= 1;
    assert_int_equal(sc_pass_issue(&i.key, i.request, sizeof i.request, i.response), SC_EPARSE);
    i.request[2] ^= 1;
    i.request[1] = 1;
    assert_int_equal(sc_pass_issue(&i.key, i.request, sizeof i.request, i.response), SC_EPARSE);
    i.request[1] = 2;
    memset(i.request + 3, 0xff, SC_PASS_MODULUS_SIZE);
    assert_int_equal(sc_pass_issue(&i.key, i.request, sizeof i.request, i.response), SC_EPARSE);
    sc_pass_key public;
    assert_int_equal(sc_pass_key_parse(i.key.spki, sizeof i.key.spki, &public), SC_OK);
    assert_memory_equal(public.id, i.key.id, sizeof public.id);
    i.request[3] = 0;
    assert_int_equal(sc_pass_issue(&public, i.request, sizeof i.request, i.response), SC_EINVAL);
    sc_pass_key_fini(&public);
    sc_pass_key_fini(&i.key);
}

static void test_a_response_that_is_no_signature_makes_no_token(void **state)
{
    (void)state;
    issued i = issue();
    sc_pass_pending pending = {0};
    uint8_t token[SC_PASS_TOKEN_SIZE] = {0};
    uint8_t request[SC_PASS_REQUEST_SIZE];
    assert_int_equal(sc_pass_begin(&i.key, i.digest, 32, request, &pending), SC_OK);
    // The answer to another request, and one that is too short.
    assert_int_equal(sc_pass_finish(&i.key, &pending, i.response, sizeof i.response, token),
                     SC_EPARSE);
    assert_int_equal(sc_pass_finish(&i.key, &pending, i.response, 255, token), SC_EPARSE);
    assert_int_equal(token[1], 0);
    sc_pass_key_fini(&i.key);
}

// --- Authorization -------------------------------------------------------------------------------

static sc_err parse_authorization(const char *value, uint8_t token[SC_PASS_TOKEN_SIZE])
{
    return sc_pass_authorization_parse(value, strlen(value), token);
}

static void test_a_token_goes_through_its_field(void **state)
{
    (void)state;
    issued i = issue();
    char value[SC_PASS_AUTHORIZATION_SIZE];
    char other[4096];
    uint8_t token[SC_PASS_TOKEN_SIZE];
    sc_pass_authorization_write(i.token, value);
    assert_true(sc_pass_authorization_is_ours(value, strlen(value)));
    assert_int_equal(parse_authorization(value, token), SC_OK);
    assert_memory_equal(token, i.token, sizeof token);
    char *quoted = strchr(value, '"');
    static const char *const good[][2] = {{"privatetoken  token = ", ""},
                                          {"PrivateToken token=", ", x=1"},
                                          {"PrivateToken ,x=\"a, b\\\" token=c\",,TOKEN=", " ,"}};
    for (size_t n = 0; n < sizeof good / sizeof *good; n++) {
        memset(token, 0, sizeof token);
        snprintf(other, sizeof other, "%s%s%s", good[n][0], quoted, good[n][1]);
        assert_int_equal(parse_authorization(other, token), SC_OK);
        assert_memory_equal(token, i.token, sizeof token);
    }
    static const char *const bad[][2] = {{"Bearer token=", ""},
                                         {"PrivateToken ", ""},
                                         {"PrivateTokentoken=", ""},
                                         {"PrivateToken token=", " token=1"},
                                         {"PrivateToken token=", ", Basic x"},
                                         {"PrivateToken x=", ""}};
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        snprintf(other, sizeof other, "%s%s%s", bad[n][0], quoted, bad[n][1]);
        assert_int_equal(parse_authorization(other, token), SC_EPARSE);
    }
    snprintf(other, sizeof other, "PrivateToken token=%s, token=%s", quoted, quoted);
    assert_int_equal(parse_authorization(other, token), SC_EPARSE);
    assert_int_equal(parse_authorization("", token), SC_EPARSE);
    assert_int_equal(parse_authorization("PrivateToken", token), SC_EPARSE);
    assert_int_equal(parse_authorization("PrivateToken token=\"", token), SC_EPARSE);
    assert_int_equal(parse_authorization("PrivateToken token=\"AAI=\"", token), SC_EPARSE);
    assert_false(sc_pass_authorization_is_ours("Bearer x", 8));
    sc_pass_key_fini(&i.key);
}

// --- WWW-Authenticate ----------------------------------------------------------------------------

#define CHALLENGE \
    "AAIADmlzc3Vlci5leGFtcGxlIIo-g6M9mABdLzC-9Bn6a_TNXGAF42sShbu0zNQPpLODAA5vcmlnaW4uZXhhbXBsZQ=="
#define CHALLENGE_TYPE_1                                                                         \
    "AAEADmlzc3Vlci5leGFtcGxlIIo-g6M9mABdLzC-9Bn6a_TNXGAF42sShbu0zNQPpLODAA5vcmlnaW4uZXhhbXBsZQ" \
    "=="

static size_t parse_offers(const char *value, sc_pass_offer offers[2])
{
    size_t count = 99;
    const sc_err err = sc_pass_authenticate_parse(value, strlen(value), offers, 2, &count);
    if (err) assert_int_equal(err, SC_EPARSE);
    return count;
}

/** RFC 9577, appendix A.2: parameters and challenges that are not known are passed over. */
static void test_challenges_are_found_in_their_field(void **state)
{
    (void)state;
    sc_pass_offer offers[2];
    sc_pass_key key = example_key();
    char text[sodium_base64_ENCODED_LEN(SC_BLIND_RSA_SPKI_SIZE, sodium_base64_VARIANT_URLSAFE)];
    char value[2 * SC_PASS_AUTHENTICATE_SIZE + 64];
    sodium_bin2base64(text, sizeof text, key.spki, sizeof key.spki, sodium_base64_VARIANT_URLSAFE);
    snprintf(value, sizeof value,
             "PrivateToken challenge=\"%s\", token-key=\"%s\",unknownChallengeAttribute=\"ignore-me"
             "\", max-age=\"10\", PrivateToken challenge=\"%s\", "
             "token-key=\"67H-0zgxA2HAjQx1dpaWcSluBemaF9eSbfwopT-r1In6wPgryoYkmmaPOlv6s3TJ\","
             "unknownChallengeAttribute=\"ignore-me\", max-age=\"10\"",
             CHALLENGE, text, CHALLENGE_TYPE_1);
    assert_int_equal(parse_offers(value, offers), 1);
    vector_check(file, "9577 A.2", "token_challenge", offers[0].challenge,
                 offers[0].challenge_size);
    assert_true(offers[0].has_key);
    assert_memory_equal(offers[0].key, key.spki, sizeof key.spki);
    assert_int_equal(offers[0].max_age_s, 10);
    // What we write is read, twice in one field, and by itself.
    sc_pass_offer ours = offers[0];
    char first[SC_PASS_AUTHENTICATE_SIZE];
    char second[SC_PASS_AUTHENTICATE_SIZE];
    sc_pass_authenticate_write(&ours, first);
    ours.has_key = false;
    ours.max_age_s = -1;
    sc_pass_authenticate_write(&ours, second);
    snprintf(value, sizeof value, "Basic realm=\"grease\", %s, Negotiate ab/c==, %s", first,
             second);
    assert_int_equal(parse_offers(value, offers), 2);
    assert_int_equal(offers[0].max_age_s, 10);
    assert_false(offers[1].has_key);
    assert_int_equal(offers[1].max_age_s, -1);
    sc_pass_key_fini(&key);
}

static void test_fields_that_could_mean_something_else_are_passed_over(void **state)
{
    (void)state;
    sc_pass_offer offers[2];
    assert_int_equal(parse_offers("", offers), 0);
    assert_int_equal(parse_offers("Bearer", offers), 0);
    assert_int_equal(parse_offers("PrivateToken", offers), 0);
    assert_int_equal(parse_offers("PrivateToken challenge=" CHALLENGE, offers), 1);
    assert_int_equal(
        parse_offers("PrivateToken challenge=" CHALLENGE ", challenge=" CHALLENGE, offers), 0);
    assert_int_equal(
        parse_offers("PrivateToken challenge=" CHALLENGE ", token-key=\"AAAA\"", offers), 0);
    assert_int_equal(parse_offers("PrivateToken challenge=" CHALLENGE ", max-age=-1", offers), 0);
    assert_int_equal(parse_offers("PrivateToken challenge=\"AAA\"", offers), 0);
    // The grammar is broken: nothing is known of the rest.
    assert_int_equal(parse_offers("challenge=" CHALLENGE, offers), 99);
    assert_int_equal(parse_offers("PrivateToken challenge=\"" CHALLENGE, offers), 99);
    assert_int_equal(parse_offers("PrivateToken challenge=\"" CHALLENGE "\" x", offers), 99);
    assert_int_equal(parse_offers("PrivateToken \x01", offers), 99);
    char *large = test_take(SC_PASS_HEADER_MAX + 2, 1);
    size_t count = 0;
    memset(large, ',', SC_PASS_HEADER_MAX + 1);
    assert_int_equal(sc_pass_authenticate_parse(large, SC_PASS_HEADER_MAX + 1, offers, 2, &count),
                     SC_ELIMIT);
    free(large);
}

// --- Directories ---------------------------------------------------------------------------------

static void test_a_directory_is_read_as_it_was_written(void **state)
{
    (void)state;
    static sc_pass_directory directory;
    static sc_pass_directory read;
    sc_pass_key key = example_key();
    sc_bytes bytes = {0};
    directory = (sc_pass_directory){.request_uri = "https://issuer.example/request", .count = 2};
    for (size_t i = 0; i < 2; i++) {
        memcpy(directory.keys[i].spki, key.spki, sizeof key.spki);
    }
    directory.keys[0].not_before_s = 1686913811;
    directory.keys[1].not_before_s = -1;
    assert_int_equal(sc_pass_directory_write(&directory, &bytes), SC_OK);
    assert_int_equal(sc_pass_directory_parse((const char *)bytes.data, bytes.size, &read), SC_OK);
    assert_memory_equal(&read, &directory, sizeof read);
    assert_ptr_equal(sc_pass_directory_choose(&read, 1686913810), &read.keys[1]);
    assert_ptr_equal(sc_pass_directory_choose(&read, 1686913811), &read.keys[0]);
    read.count = 1;
    assert_null(sc_pass_directory_choose(&read, 1686913810));
    FOR_EACH_FAILURE(n)
    {
        const sc_err err = sc_pass_directory_parse((const char *)bytes.data, bytes.size, &read);
        if (!oom_happened()) break;
        assert_int_equal(err, SC_ENOMEM);
    }
    FOR_EACH_FAILURE(n)
    {
        sc_bytes other = {0};
        const sc_err err = sc_pass_directory_write(&directory, &other);
        const bool happened = oom_happened();
        sc_bytes_fini(&other);
        if (!happened) break;
        assert_int_equal(err, SC_ENOMEM);
    }
    sc_bytes_fini(&bytes);
    sc_pass_key_fini(&key);
}

static void test_directories_that_are_none_are_refused(void **state)
{
    (void)state;
    static sc_pass_directory read;
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"issuer-request-uri\":\"\",\"token-keys\":[]}",
        "{\"issuer-request-uri\":1,\"token-keys\":[]}",
        "{\"issuer-request-uri\":\"/x\",\"token-keys\":{}}",
        "{\"issuer-request-uri\":\"/x\",\"token-keys\":[1]}",
        "{\"issuer-request-uri\":\"/x\",\"token-keys\":[{\"token-type\":2}]}",
        "{\"issuer-request-uri\":\"x\",\"token-keys\":[{\"token-type\":2,\"token-key\":\"A\"}]}",
        "{\"issuer-request-uri\":\"/\\u0000\",\"token-keys\":[]}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(sc_pass_directory_parse(bad[i], strlen(bad[i]), &read), SC_EPARSE);
    }
    static const char other[] = "{\"issuer-request-uri\":\"/x\",\"token-keys\":[{\"token-type\":1,"
                                "\"token-key\":\"AA==\"}]}";
    assert_int_equal(sc_pass_directory_parse(other, strlen(other), &read), SC_OK);
    assert_int_equal(read.count, 0);
    assert_int_equal(sc_pass_directory_parse(other, SC_PASS_DIRECTORY_MAX + 1, &read), SC_ELIMIT);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_token_is_issued_as_in_the_rfc),
    cmocka_unit_test(test_challenges_have_the_digests_of_the_rfc),
    cmocka_unit_test(test_challenges_that_are_none_are_refused),
    cmocka_unit_test(test_a_challenge_is_for_the_origins_that_it_names),
    cmocka_unit_test(test_a_context_is_of_one_epoch_and_one_origin),
    cmocka_unit_test(test_a_token_is_good_for_its_key_and_its_challenge),
    cmocka_unit_test(test_an_issuer_signs_requests_for_its_key_only),
    cmocka_unit_test(test_a_response_that_is_no_signature_makes_no_token),
    cmocka_unit_test(test_a_token_goes_through_its_field),
    cmocka_unit_test(test_challenges_are_found_in_their_field),
    cmocka_unit_test(test_fields_that_could_mean_something_else_are_passed_over),
    cmocka_unit_test(test_a_directory_is_read_as_it_was_written),
    cmocka_unit_test(test_directories_that_are_none_are_refused),
};
SC_SUITE_WITH(tests, begin, NULL)
