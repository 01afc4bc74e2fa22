// Door: JSON Web Tokens of another party's login, and sets of its keys.
//
// The first byte says what the rest is: 't' the text of a token; 'h' header and claims, parted by a
// NUL, which the fuzzer encodes and signs rightly with EdDSA, since no mutation finds a signature;
// 'k' a set of keys. A token that is let in is signed, of the issuer, for us, and has not expired;
// its user has the form of names by an issuer. A set is refused in one line, or has keys.
#include "door.h"

#include "server/jwt.h"
#include "server/token_internal.h"

#include <sodium.h>
#include <stdio.h>

enum { NOW = 1800000000, PART_MAX = 3000 };

static const sc_jwt_terms terms = {
    .issuer = "https://login.example", .audience = "starcloak", .user = "sub"};

/** An issuer that is always the same. */
static const uint8_t *secret_key(sc_jwt_keys **keys)
{
    static sc_jwt_keys *known = NULL;
    static uint8_t secret[crypto_sign_SECRETKEYBYTES];
    if (!known) {
        static const uint8_t seed[crypto_sign_SEEDBYTES] = {7};
        uint8_t public[crypto_sign_PUBLICKEYBYTES];
        char x[64];
        char set[256];
        sc_diag diag = {""};
        if (sodium_init() < 0) abort();
        crypto_sign_seed_keypair(public, secret, seed);
        sodium_bin2base64(x, sizeof x, public, sizeof public,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING);
        snprintf(set, sizeof set,
                 "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"a\",\"x\":\"%s\"}]}",
                 x);
        if (sc_jwt_keys_parse("keys", set, strlen(set), &known, &diag)) abort();
    }
    *keys = known;
    return secret;
}

static void check(const char *text)
{
    sc_jwt_keys *keys = NULL;
    secret_key(&keys);
    sc_token token = {0};
    const sc_jwt_verdict verdict = sc_jwt_check(keys, &terms, text, NOW, &token);
    if (verdict != SC_JWT_GOOD) {
        DOOR_PROMISE(token.user_size == 0, "nothing is said of a token that is refused");
        DOOR_PROMISE(*sc_jwt_words(verdict) != '\0', "a refusal has words");
        return;
    }
    DOOR_PROMISE(token.expires_s > NOW, "what is let in has not expired");
    DOOR_PROMISE(token.issued_s <= NOW + SC_JWT_LEEWAY_S, "and was issued");
    DOOR_PROMISE(token.user_size == strlen(token.user) && token.user_size == 36,
                 "its user is a hash");
    DOOR_PROMISE(sc__user_is_name(token.user, token.user_size), "which is a name");
}

static size_t encode(const uint8_t *bytes, size_t size, char *out)
{
    sodium_bin2base64(out, sodium_base64_ENCODED_LEN(PART_MAX, 7), bytes, size,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    return strlen(out);
}

/** Sign what is said, and check it. */
static void check_signed(const uint8_t *said, size_t size)
{
    static char token[3 * sodium_base64_ENCODED_LEN(PART_MAX, 7)];
    sc_jwt_keys *keys = NULL;
    const uint8_t *secret = secret_key(&keys);
    const uint8_t *end = memchr(said, '\0', size);
    const size_t header = end ? (size_t)(end - said) : size;
    const size_t claims = end ? size - header - 1 : 0;
    if (header > PART_MAX || claims > PART_MAX) return;
    size_t at = encode(said, header, token);
    token[at++] = '.';
    at += encode(end ? end + 1 : said, claims, token + at);
    uint8_t signature[crypto_sign_BYTES];
    crypto_sign_detached(signature, NULL, (const uint8_t *)token, at, secret);
    token[at++] = '.';
    encode(signature, sizeof signature, token + at);
    check(token);
}

static void check_keys(const uint8_t *bytes, size_t size)
{
    sc_jwt_keys *keys = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_jwt_keys_parse("set", (const char *)bytes, size, &keys, &diag);
    if (err) {
        DOOR_PROMISE(!keys, "nothing is made of a set that is refused");
        DOOR_PROMISE(*diag.message != '\0' && !strchr(diag.message, '\n'), "in one line");
        return;
    }
    DOOR_PROMISE(sc_jwt_keys_count(keys) > 0 && sc_jwt_keys_count(keys) <= SC_JWT_KEYS_MAX,
                 "a set has keys");
    sc_jwt_keys_free(keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    if (data[0] == 'h') {
        check_signed(data + 1, size - 1);
    } else if (data[0] == 'k') {
        check_keys(data + 1, size - 1);
    } else if (size <= PART_MAX) {
        char text[PART_MAX + 1];
        memcpy(text, data + 1, size - 1);
        text[size - 1] = '\0';
        check(text);
    }
    return 0;
}
