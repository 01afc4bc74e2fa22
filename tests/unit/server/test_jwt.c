// Tokens of another party's login: those that its keys signed for us are good, and no others.
#include "server/jwt.h"

#include "server/jwt_issuer.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <sodium.h>
#include <stdio.h>
#include <unistd.h>

enum { TEXT_SIZE = 8192, SET_SIZE = 6 * TEXT_SIZE, NOW = 1800000000 };

static const sc_jwt_terms terms = {
    .issuer = "https://login.example", .audience = "starcloak", .user = "sub"};

#define CLAIMS                                                                  \
    "{\"iss\":\"https://login.example\",\"aud\":\"starcloak\",\"sub\":\"ann\"," \
    "\"exp\":1800000600,\"iat\":1799999990,\"nbf\":1799999990,\"jti\":\"1\"}"

// --- An issuer -----------------------------------------------------------------------------------

typedef struct login {
    EVP_PKEY *rsa;
    EVP_PKEY *ec;
    uint8_t ed_public[crypto_sign_PUBLICKEYBYTES];
    uint8_t ed_secret[crypto_sign_SECRETKEYBYTES];
    char set[SET_SIZE];
    sc_jwt_keys *keys;
} login;

static void encode(const void *bytes, size_t size, char out[TEXT_SIZE])
{
    sodium_bin2base64(out, TEXT_SIZE, bytes, size, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static void encode_number(const EVP_PKEY *key, const char *name, int size, char out[TEXT_SIZE])
{
    BIGNUM *number = NULL;
    uint8_t bytes[1024];
    assert_int_equal(EVP_PKEY_get_bn_param(key, name, &number), 1);
    const int real = size > 0 ? size : BN_num_bytes(number);
    assert_int_equal(BN_bn2binpad(number, bytes, real), real);
    encode(bytes, (size_t)real, out);
    BN_free(number);
}

static void write_set(login *l, const char *more)
{
    static char n[TEXT_SIZE];
    static char e[TEXT_SIZE];
    static char x[TEXT_SIZE];
    static char y[TEXT_SIZE];
    static char ed[TEXT_SIZE];
    encode_number(l->rsa, OSSL_PKEY_PARAM_RSA_N, 0, n);
    encode_number(l->rsa, OSSL_PKEY_PARAM_RSA_E, 0, e);
    encode_number(l->ec, OSSL_PKEY_PARAM_EC_PUB_X, 32, x);
    encode_number(l->ec, OSSL_PKEY_PARAM_EC_PUB_Y, 32, y);
    encode(l->ed_public, sizeof l->ed_public, ed);
    snprintf(
        l->set, sizeof l->set,
        "{\"keys\":[%s{\"kty\":\"RSA\",\"kid\":\"r\",\"use\":\"sig\",\"n\":\"%s\",\"e\":\"%s\"},"
        "{\"kty\":\"EC\",\"kid\":\"e\",\"crv\":\"P-256\",\"x\":\"%s\",\"y\":\"%s\"},"
        "{\"kty\":\"OKP\",\"kid\":\"d\",\"alg\":\"EdDSA\",\"crv\":\"Ed25519\",\"x\":\"%s\"}]}",
        more, n, e, x, y, ed);
}

static sc_jwt_keys *parse(const char *set)
{
    sc_jwt_keys *keys = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_jwt_keys_parse("keys.json", set, strlen(set), &keys, &diag), &diag);
    return keys;
}

static void login_open(login *l)
{
    assert_true(sodium_init() >= 0);
    *l = (login){.rsa = EVP_RSA_gen(2048), .ec = EVP_EC_gen("P-256")};
    crypto_sign_keypair(l->ed_public, l->ed_secret);
    write_set(l, "");
    l->keys = parse(l->set);
    assert_int_equal(sc_jwt_keys_count(l->keys), 3);
}

static void login_close(login *l)
{
    sc_jwt_keys_free(l->keys);
    EVP_PKEY_free(l->rsa);
    EVP_PKEY_free(l->ec);
}

static size_t sign_by_openssl(EVP_PKEY *key, const char *text, uint8_t *out, size_t room)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    assert_int_equal(EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key), 1);
    size_t size = room;
    assert_int_equal(EVP_DigestSign(context, out, &size, (const uint8_t *)text, strlen(text)), 1);
    EVP_MD_CTX_free(context);
    return size;
}

/** ES256 has two numbers of 32 bytes, and not the sequence that OpenSSL makes. */
static size_t unfold(uint8_t *signature, size_t size)
{
    const uint8_t *at = signature;
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &at, (long)size);
    BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + 32, 32);
    ECDSA_SIG_free(pair);
    return 64;
}

/** A token with that header and those claims, signed as `how`: r, e or d. */
static const char *make(const login *l, char how, const char *header, const char *claims)
{
    static char token[3 * TEXT_SIZE];
    static char part[TEXT_SIZE];
    uint8_t signature[1024];
    encode(header, strlen(header), part);
    int at = snprintf(token, sizeof token, "%s.", part);
    encode(claims, strlen(claims), part);
    at += snprintf(token + at, sizeof token - (size_t)at, "%s", part);
    size_t size = crypto_sign_BYTES;
    if (how == 'd') {
        crypto_sign_detached(signature, NULL, (const uint8_t *)token, strlen(token), l->ed_secret);
    } else {
        size = sign_by_openssl(how == 'r' ? l->rsa : l->ec, token, signature, sizeof signature);
        if (how == 'e') size = unfold(signature, size);
    }
    encode(signature, size, part);
    snprintf(token + at, sizeof token - (size_t)at, ".%s", part);
    return token;
}

static const struct {
    char how;
    const char *header;
} ways[] = {
    {'r', "{\"alg\":\"RS256\",\"typ\":\"JWT\",\"kid\":\"r\"}"},
    {'e', "{\"alg\":\"ES256\",\"kid\":\"e\",\"typ\":\"at+jwt\"}"},
    {'d', "{\"alg\":\"EdDSA\",\"kid\":\"d\"}"},
    {'r', "{\"alg\":\"RS256\"}"},
    {'e', "{\"alg\":\"ES256\"}"},
    {'d', "{\"alg\":\"EdDSA\"}"},
};
enum { WAYS = sizeof ways / sizeof *ways };

#define CHECK_VERDICT(keys, token, wanted)                                          \
    do {                                                                            \
        sc_token checked = {.user_size = 99};                                       \
        assert_int_equal(sc_jwt_check(keys, &terms, token, NOW, &checked), wanted); \
        if ((wanted) != SC_JWT_GOOD) assert_int_equal(checked.user_size, 99);       \
    } while (0)

// --- What is good --------------------------------------------------------------------------------

static void test_tokens_of_the_three_algorithms_are_good(void **state)
{
    (void)state;
    login l;
    login_open(&l);
    char user[SC_TOKEN_USER_MAX + 1] = "";
    for (size_t i = 0; i < WAYS; i++) {
        sc_token token = {0};
        const char *text = make(&l, ways[i].how, ways[i].header, CLAIMS);
        assert_int_equal(sc_jwt_check(l.keys, &terms, text, NOW, &token), SC_JWT_GOOD);
        assert_int_equal(token.expires_s, 1800000600);
        assert_int_equal(token.issued_s, 1799999990);
        assert_int_equal(token.user_size, strlen(token.user));
        // One account has one name, however its tokens are signed, and not its own.
        if (i > 0) assert_string_equal(token.user, user);
        assert_int_equal(strncmp(token.user, "jwt:", 4), 0);
        assert_null(strstr(token.user, "ann"));
        memcpy(user, token.user, sizeof user);
    }
    login_close(&l);
}

// RFC 8037, appendix A.4: the payload is no object, so only the signature is good.
static void test_the_signature_of_the_standard_is_good(void **state)
{
    (void)state;
    sc_jwt_keys *keys = parse("{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\","
                              "\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}");
    static const char token[] =
        "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    CHECK_VERDICT(keys, token, SC_JWT_MALFORMED);
    char other[sizeof token];
    memcpy(other, token, sizeof token);
    other[sizeof "eyJhbGciOiJFZERTQSJ9."] ^= 1;
    CHECK_VERDICT(keys, other, SC_JWT_FORGED);
    sc_jwt_keys_free(keys);
}

static void test_no_letter_can_be_changed(void **state)
{
    (void)state;
    login l;
    login_open(&l);
    for (size_t i = 0; i < 3; i++) {
        char token[TEXT_SIZE];
        snprintf(token, sizeof token, "%s", make(&l, ways[i].how, ways[i].header, CLAIMS));
        for (size_t at = 0; token[at]; at++) {
            const char was = token[at];
            token[at] = was == 'A' ? 'B' : 'A';
            sc_token out;
            assert_int_not_equal(sc_jwt_check(l.keys, &terms, token, NOW, &out), SC_JWT_GOOD);
            token[at] = was;
        }
        // Nor cut, nor be longer.
        for (size_t size = strlen(token); size-- > 0;) {
            char part[TEXT_SIZE];
            snprintf(part, sizeof part, "%.*s", (int)size, token);
            sc_token out;
            assert_int_not_equal(sc_jwt_check(l.keys, &terms, part, NOW, &out), SC_JWT_GOOD);
        }
        const size_t size = strlen(token);
        snprintf(token + size, sizeof token - size, ".");
        CHECK_VERDICT(l.keys, token, SC_JWT_MALFORMED);
    }
    login_close(&l);
}

// --- Confusions ----------------------------------------------------------------------------------

static void test_algorithms_cannot_be_confused(void **state)
{
    (void)state;
    login l;
    login_open(&l);
    static const struct {
        char how;
        const char *header;
        sc_jwt_verdict verdict;
    } cases[] = {
        {'r', "{\"alg\":\"none\"}", SC_JWT_ALGORITHM},
        {'r', "{\"alg\":\"None\"}", SC_JWT_ALGORITHM},
        {'r', "{\"alg\":\"HS256\",\"kid\":\"r\"}", SC_JWT_ALGORITHM},
        {'r', "{\"alg\":\"PS256\",\"kid\":\"r\"}", SC_JWT_ALGORITHM},
        {'r', "{\"alg\":\"rs256\",\"kid\":\"r\"}", SC_JWT_ALGORITHM},
        {'r', "{\"kid\":\"r\"}", SC_JWT_ALGORITHM},
        {'r', "{\"alg\":[\"RS256\"],\"kid\":\"r\"}", SC_JWT_ALGORITHM},
        {'r', "{\"alg\":\"RS256\",\"kid\":\"r\",\"crit\":[\"b64\"],\"b64\":false}",
         SC_JWT_ALGORITHM},
        {'r', "{\"alg\":\"RS256\",\"kid\":\"r\",\"typ\":\"dpop+jwt\"}", SC_JWT_ALGORITHM},
        // A key of one algorithm is none of another.
        {'r', "{\"alg\":\"ES256\",\"kid\":\"r\"}", SC_JWT_UNKNOWN_KEY},
        {'e', "{\"alg\":\"RS256\",\"kid\":\"e\"}", SC_JWT_UNKNOWN_KEY},
        {'e', "{\"alg\":\"EdDSA\",\"kid\":\"e\"}", SC_JWT_UNKNOWN_KEY},
        {'r', "{\"alg\":\"RS256\",\"kid\":\"other\"}", SC_JWT_UNKNOWN_KEY},
        {'r', "{\"alg\":\"RS256\",\"kid\":\"\"}", SC_JWT_UNKNOWN_KEY},
        {'r', "{\"alg\":\"RS256\",\"kid\":7}", SC_JWT_MALFORMED},
        {'e', "{\"alg\":\"RS256\",\"kid\":\"r\"}", SC_JWT_FORGED},
        {'r', "{\"alg\":\"EdDSA\",\"kid\":\"d\"}", SC_JWT_FORGED},
        {'d', "{\"alg\":\"ES256\",\"kid\":\"e\"}", SC_JWT_FORGED},
        {'r', "{\"alg\":\"RS256\",\"alg\":\"none\"}", SC_JWT_MALFORMED},
        {'r', "[\"RS256\"]", SC_JWT_MALFORMED},
        {'r', "", SC_JWT_MALFORMED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_VERDICT(l.keys, make(&l, cases[i].how, cases[i].header, CLAIMS), cases[i].verdict);
    }
    login_close(&l);
}

static void test_a_token_cannot_bring_its_own_key(void **state)
{
    (void)state;
    login l;
    login stranger;
    login_open(&l);
    login_open(&stranger);
    char header[2 * TEXT_SIZE];
    char x[TEXT_SIZE];
    encode(stranger.ed_public, sizeof stranger.ed_public, x);
    snprintf(header, sizeof header,
             "{\"alg\":\"EdDSA\",\"jku\":\"https://evil.example\",\"jwk\":{\"kty\":\"OKP\","
             "\"crv\":\"Ed25519\",\"x\":\"%s\"}}",
             x);
    CHECK_VERDICT(l.keys, make(&stranger, 'd', header, CLAIMS), SC_JWT_FORGED);
    login_close(&stranger);
    login_close(&l);
}

// --- Claims --------------------------------------------------------------------------------------

#define IS "\"iss\":\"https://login.example\","
#define FOR "\"aud\":\"starcloak\","
#define WHO "\"sub\":\"ann\","

static void test_claims_are_looked_at(void **state)
{
    (void)state;
    login l;
    login_open(&l);
    static const struct {
        const char *claims;
        sc_jwt_verdict verdict;
    } cases[] = {
        {"{" IS FOR WHO "\"exp\":1800000001}", SC_JWT_GOOD},
        {"{" IS FOR WHO "\"exp\":1800000001.5}", SC_JWT_GOOD},
        {"{" IS FOR WHO "\"exp\":1800000000}", SC_JWT_EXPIRED},
        {"{" IS FOR WHO "\"exp\":0}", SC_JWT_EXPIRED},
        {"{" IS FOR WHO "\"exp\":-5}", SC_JWT_MALFORMED},
        {"{" IS FOR WHO "\"exp\":\"1800000600\"}", SC_JWT_MALFORMED},
        {"{" IS FOR WHO "\"exp\":1e300}", SC_JWT_MALFORMED},
        {"{" IS FOR "\"sub\":\"ann\"}", SC_JWT_MALFORMED},
        {"{" IS FOR WHO "\"exp\":1800000600,\"nbf\":1800000030}", SC_JWT_GOOD},
        {"{" IS FOR WHO "\"exp\":1800000600,\"nbf\":1800000031}", SC_JWT_EARLY},
        {"{" IS FOR WHO "\"exp\":1800000600,\"nbf\":\"soon\"}", SC_JWT_MALFORMED},
        {"{" IS FOR WHO "\"exp\":1800000600,\"iat\":1800000031}", SC_JWT_EARLY},
        {"{" FOR WHO "\"exp\":1800000600}", SC_JWT_OTHER_ISSUER},
        {"{\"iss\":\"https://login.example/\"," FOR WHO "\"exp\":1800000600}", SC_JWT_OTHER_ISSUER},
        {"{\"iss\":[\"https://login.example\"]," FOR WHO "\"exp\":1800000600}",
         SC_JWT_OTHER_ISSUER},
        {"{" IS WHO "\"exp\":1800000600}", SC_JWT_OTHER_AUDIENCE},
        {"{" IS WHO "\"aud\":\"shop\",\"exp\":1800000600}", SC_JWT_OTHER_AUDIENCE},
        {"{" IS WHO "\"aud\":[],\"exp\":1800000600}", SC_JWT_OTHER_AUDIENCE},
        {"{" IS WHO "\"aud\":[\"shop\",\"starcloak\"],\"exp\":1800000600}", SC_JWT_GOOD},
        {"{" IS FOR "\"exp\":1800000600}", SC_JWT_NO_USER},
        {"{" IS FOR "\"sub\":\"\",\"exp\":1800000600}", SC_JWT_NO_USER},
        {"{" IS FOR "\"sub\":17,\"exp\":1800000600}", SC_JWT_NO_USER},
        {"[]", SC_JWT_MALFORMED},
        {"", SC_JWT_MALFORMED},
        {"{" IS FOR WHO WHO "\"exp\":1800000600}", SC_JWT_MALFORMED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_VERDICT(l.keys, make(&l, 'd', "{\"alg\":\"EdDSA\"}", cases[i].claims),
                      cases[i].verdict);
    }
    login_close(&l);
}

static void test_a_user_has_one_name_per_account(void **state)
{
    (void)state;
    login l;
    login_open(&l);
    sc_token ann = {0};
    sc_token bob = {0};
    sc_token elsewhere = {0};
    const char *header = "{\"alg\":\"EdDSA\"}";
    const sc_jwt_terms by_mail = {terms.issuer, terms.audience, "email"};
    const sc_jwt_terms other = {"https://login.other", terms.audience, "sub"};
    const char *token = make(&l, 'd', header, CLAIMS);
    assert_int_equal(sc_jwt_check(l.keys, &terms, token, NOW, &ann), SC_JWT_GOOD);
    token = make(&l, 'd', header, "{" IS FOR "\"sub\":\"bob\",\"exp\":1800000600}");
    assert_int_equal(sc_jwt_check(l.keys, &terms, token, NOW, &bob), SC_JWT_GOOD);
    assert_string_not_equal(ann.user, bob.user);
    token = make(&l, 'd', header, "{" IS FOR "\"email\":\"bob\",\"exp\":1800000600}");
    assert_int_equal(sc_jwt_check(l.keys, &by_mail, token, NOW, &elsewhere), SC_JWT_GOOD);
    assert_string_equal(elsewhere.user, bob.user);
    token =
        make(&l, 'd', header, "{\"iss\":\"https://login.other\"," FOR WHO "\"exp\":1800000600}");
    assert_int_equal(sc_jwt_check(l.keys, &other, token, NOW, &elsewhere), SC_JWT_GOOD);
    assert_string_not_equal(elsewhere.user, ann.user);
    login_close(&l);
}

static void test_every_refusal_has_its_words(void **state)
{
    (void)state;
    assert_string_equal(sc_jwt_words(SC_JWT_GOOD), "");
    for (int i = SC_JWT_MALFORMED; i <= SC_JWT_NO_MEMORY; i++) {
        assert_true(strlen(sc_jwt_words((sc_jwt_verdict)i)) > 20);
    }
}

// --- Sets of keys --------------------------------------------------------------------------------

#define P256_X "\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","
#define P256_Y "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\""

static void test_sets_that_cannot_be_used_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        const char *words;
    } cases[] = {
        {"", "this is not JSON"},
        {"{\"keys\":[}", "keys.json:1: column 10: this is not JSON"},
        {"[]", "an object with a list 'keys'"},
        {"{\"keys\":{}}", "an object with a list 'keys'"},
        {"{\"keys\":[]}", "none of its 0 keys can be used"},
        {"{\"keys\":[17]}", "key 1: it is not an object"},
        {"{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-521\"}]}", "none of its 1 keys can be used"},
        {"{\"keys\":[{\"kty\":\"oct\",\"k\":\"c2VjcmV0\"}]}", "key 1: it is a secret"},
        {"{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AA\",\"d\":\"AA\"}]}",
         "it is a secret"},
        {"{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\"}]}", "32 bytes"},
        {"{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAAA\"}]}", "32 bytes"},
        {"{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\"," P256_X "\"y\":\"AAAA\"}]}", "32 bytes"},
        {"{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\"," P256_X
         "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a1\"}]}",
         "key 1: "},
        {"{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\"," P256_X
         "\"y\":\"y_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}]}",
         "not a point of P-256"},
        {"{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":7," P256_X P256_Y "}]}",
         "its kid must be a text"},
        {"{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}", "fewer than 2048 bits"},
        {"{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQ\"}]}", "no exponent"},
        {"{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"Ag\"}]}", "no exponent"},
        {"{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQ*B\",\"e\":\"AQAB\"}]}", "must be base64url"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc_jwt_keys *keys = NULL;
        sc_diag diag = {""};
        assert_int_equal(
            sc_jwt_keys_parse("keys.json", cases[i].set, strlen(cases[i].set), &keys, &diag),
            SC_EPARSE);
        assert_null(keys);
        CHECK_CONTAINS(diag.message, cases[i].words);
    }
}

static void test_keys_for_other_uses_are_passed_over(void **state)
{
    (void)state;
    login l;
    login_open(&l);
    write_set(&l, "{\"kty\":\"EC\",\"crv\":\"P-256\",\"use\":\"enc\"},"
                  "{\"kty\":\"new\"},"
                  "{\"kty\":\"EC\",\"crv\":\"P-384\"},"
                  "{\"kty\":\"OKP\",\"crv\":\"X25519\"},"
                  "{\"kty\":\"RSA\",\"alg\":\"PS256\"},"
                  "{\"kty\":\"RSA\",\"key_ops\":[\"encrypt\"]},");
    sc_jwt_keys *keys = parse(l.set);
    assert_int_equal(sc_jwt_keys_count(keys), 3);
    CHECK_VERDICT(keys, make(&l, 'e', "{\"alg\":\"ES256\"}", CLAIMS), SC_JWT_GOOD);
    sc_jwt_keys_free(keys);
    login_close(&l);
}

static void test_a_token_without_a_key_id_needs_the_only_key(void **state)
{
    (void)state;
    login l;
    login_open(&l);
    write_set(&l, "{\"kty\":\"EC\",\"kid\":\"old\",\"crv\":\"P-256\"," P256_X P256_Y "},");
    sc_jwt_keys *keys = parse(l.set);
    CHECK_VERDICT(keys, make(&l, 'e', "{\"alg\":\"ES256\"}", CLAIMS), SC_JWT_UNKNOWN_KEY);
    CHECK_VERDICT(keys, make(&l, 'e', "{\"alg\":\"ES256\",\"kid\":\"e\"}", CLAIMS), SC_JWT_GOOD);
    CHECK_VERDICT(keys, make(&l, 'e', "{\"alg\":\"ES256\",\"kid\":\"old\"}", CLAIMS),
                  SC_JWT_FORGED);
    sc_jwt_keys_free(keys);
    login_close(&l);
}

static void test_every_lack_of_memory_is_told(void **state)
{
    (void)state;
    login l;
    login_open(&l);
    char token[TEXT_SIZE];
    snprintf(token, sizeof token, "%s", make(&l, 'e', "{\"alg\":\"ES256\"}", CLAIMS));
    FOR_EACH_FAILURE(n)
    {
        sc_jwt_keys *keys = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_jwt_keys_parse("keys.json", l.set, strlen(l.set), &keys, &diag);
        const bool has_failed = oom_happened();
        sc_jwt_keys_free(keys);
        if (!has_failed) break;
        assert_int_equal(err, SC_ENOMEM);
    }
    FOR_EACH_FAILURE(n)
    {
        sc_token out;
        const sc_jwt_verdict verdict = sc_jwt_check(l.keys, &terms, token, NOW, &out);
        if (!oom_happened()) break;
        assert_int_equal(verdict, SC_JWT_NO_MEMORY);
    }
    login_close(&l);
}

// --- The issuer, by a file -----------------------------------------------------------------------

static sc_jwt_issuer_options issuer_options(const char *path)
{
    return (sc_jwt_issuer_options){.keys = path,
                                   .issuer = terms.issuer,
                                   .audience = terms.audience,
                                   .user = terms.user,
                                   .refresh_s = 600,
                                   .retry_s = 10};
}

static void test_a_good_token_is_checked_once(void **state)
{
    (void)state;
    login l;
    login_open(&l);
    place p = place_new();
    const char *path = place_write_text(&p, "keys.json", l.set);
    sc_jwt_issuer_options options = issuer_options(path);
    sc_jwt_issuer *issuer = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_jwt_issuer_new(&options, &issuer, &diag), &diag);
    CHECK_OK(sc_jwt_issuer_start(issuer, &diag), &diag);
    char token[TEXT_SIZE];
    snprintf(token, sizeof token, "%s", make(&l, 'r', "{\"alg\":\"RS256\"}", CLAIMS));
    sc_token first = {0};
    sc_token again = {0};
    assert_int_equal(sc_jwt_issuer_check(issuer, token, NOW, &first), SC_JWT_GOOD);
    assert_int_equal(sc_jwt_issuer_check(issuer, token, NOW + 599, &again), SC_JWT_GOOD);
    assert_memory_equal(&first, &again, sizeof first);
    assert_int_equal(sc_jwt_issuer_stats_of(issuer).checked, 1);
    assert_int_equal(sc_jwt_issuer_stats_of(issuer).remembered, 1);
    // What has expired is not good for having been.
    assert_int_equal(sc_jwt_issuer_check(issuer, token, NOW + 600, &again), SC_JWT_EXPIRED);
    // A forged one is never remembered.
    token[strlen(token) - 3] ^= 1;
    assert_int_not_equal(sc_jwt_issuer_check(issuer, token, NOW, &again), SC_JWT_GOOD);
    assert_int_not_equal(sc_jwt_issuer_check(issuer, token, NOW, &again), SC_JWT_GOOD);
    assert_int_equal(sc_jwt_issuer_stats_of(issuer).checked, 4);
    sc_jwt_issuer_free(issuer);
    place_free(&p);
    login_close(&l);
}

static void test_a_key_that_is_removed_is_good_no_more(void **state)
{
    (void)state;
    login l;
    login next;
    login_open(&l);
    login_open(&next);
    place p = place_new();
    const char *path = place_write_text(&p, "keys.json", l.set);
    sc_jwt_issuer_options options = issuer_options(path);
    sc_jwt_issuer *issuer = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_jwt_issuer_new(&options, &issuer, &diag), &diag);
    char token[TEXT_SIZE];
    snprintf(token, sizeof token, "%s", make(&l, 'd', "{\"alg\":\"EdDSA\"}", CLAIMS));
    sc_token out;
    assert_int_equal(sc_jwt_issuer_check(issuer, token, NOW, &out), SC_JWT_GOOD);
    // A damaged file changes nothing.
    place_write_text(&p, "keys.json", "{}");
    assert_int_equal(sc_jwt_issuer_reload(issuer, &diag), SC_EPARSE);
    assert_int_equal(sc_jwt_issuer_check(issuer, token, NOW, &out), SC_JWT_GOOD);
    place_write_text(&p, "keys.json", next.set);
    CHECK_OK(sc_jwt_issuer_reload(issuer, &diag), &diag);
    assert_int_equal(sc_jwt_issuer_check(issuer, token, NOW, &out), SC_JWT_FORGED);
    snprintf(token, sizeof token, "%s", make(&next, 'd', "{\"alg\":\"EdDSA\"}", CLAIMS));
    assert_int_equal(sc_jwt_issuer_check(issuer, token, NOW, &out), SC_JWT_GOOD);
    sc_jwt_issuer_free(issuer);
    place_free(&p);
    login_close(&next);
    login_close(&l);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tokens_of_the_three_algorithms_are_good),
    cmocka_unit_test(test_the_signature_of_the_standard_is_good),
    cmocka_unit_test(test_no_letter_can_be_changed),
    cmocka_unit_test(test_algorithms_cannot_be_confused),
    cmocka_unit_test(test_a_token_cannot_bring_its_own_key),
    cmocka_unit_test(test_claims_are_looked_at),
    cmocka_unit_test(test_a_user_has_one_name_per_account),
    cmocka_unit_test(test_every_refusal_has_its_words),
    cmocka_unit_test(test_sets_that_cannot_be_used_are_refused),
    cmocka_unit_test(test_keys_for_other_uses_are_passed_over),
    cmocka_unit_test(test_a_token_without_a_key_id_needs_the_only_key),
    cmocka_unit_test(test_every_lack_of_memory_is_told),
    cmocka_unit_test(test_a_good_token_is_checked_once),
    cmocka_unit_test(test_a_key_that_is_removed_is_good_no_more),
};
SC_SUITE(tests)
