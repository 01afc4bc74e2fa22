// JSON Web Tokens: keys of a set, signatures, claims. jwt.h has the rules.
//
// OpenSSL checks RS256 and ES256, libsodium EdDSA: its checks of points are the stricter ones.
#include "server/jwt.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/json_tree.h"
#include "base/utf8.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    RSA_BITS_MIN = 2048,  ///< RFC 7518, section 3.3
    RSA_BITS_MAX = 8192,  ///< a check grows with the square
    P256_SIZE = 32,
    P256_SIGNATURE_SIZE = 64,
    SIGNATURE_MAX = RSA_BITS_MAX / 8,
    KEY_ID_MAX = 256,
    CLAIM_MAX = 1024,  ///< of a user
};

typedef enum jws_algorithm { RS256, ES256, EDDSA, NO_ALGORITHM } jws_algorithm;

typedef struct jwt_key {
    jws_algorithm algorithm;
    bool has_id;
    char id[KEY_ID_MAX + 1];
    EVP_PKEY *key;                                ///< of RS256 and ES256
    uint8_t ed25519[crypto_sign_PUBLICKEYBYTES];  ///< of EdDSA
} jwt_key;

struct sc_jwt_keys {
    size_t count;
    jwt_key keys[SC_JWT_KEYS_MAX];
};

// --- Base64 --------------------------------------------------------------------------------------

/** base64url without padding, as JOSE has it; false if it is not, or is more than `room`. */
static bool decode(const char *text, size_t size, uint8_t *out, size_t room, size_t *out_size)
{
    const char *end = NULL;
    return sodium_base642bin(out, room, text, size, NULL, out_size, &end,
                             sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0 &&
           end == text + size;
}

static bool decode_member(const sc_json_value *key, const char *name, uint8_t *out, size_t room,
                          size_t *size)
{
    const sc_json_value *value = sc_json_member(key, name);
    const char *text = sc_json_text_at(value);
    return text && decode(text, sc_json_text_size(value), out, room, size) && *size > 0;
}

// --- Keys ----------------------------------------------------------------------------------------

static bool is_text(const sc_json_value *value, const char *text)
{
    const char *found = sc_json_text_at(value);
    return found && strcmp(found, text) == 0;
}

/** A public key of its parts. NULL: they are none, or memory is out. */
static EVP_PKEY *make_key(const char *type, OSSL_PARAM_BLD *parts)
{
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(parts);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (params && context && EVP_PKEY_fromdata_init(context) == 1) {
        (void)EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params);
    }
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    return key;
}

static EVP_PKEY *make_rsa(const uint8_t *n, size_t n_size, const uint8_t *e, size_t e_size)
{
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *parts = OSSL_PARAM_BLD_new();
    BIGNUM *modulus = BN_bin2bn(n, (int)n_size, NULL);
    BIGNUM *exponent = BN_bin2bn(e, (int)e_size, NULL);
    if (parts && modulus && exponent &&
        OSSL_PARAM_BLD_push_BN(parts, OSSL_PKEY_PARAM_RSA_N, modulus) == 1 &&
        OSSL_PARAM_BLD_push_BN(parts, OSSL_PKEY_PARAM_RSA_E, exponent) == 1) {
        key = make_key("RSA", parts);
    }
    OSSL_PARAM_BLD_free(parts);
    BN_free(modulus);
    BN_free(exponent);
    return key;
}

static EVP_PKEY *make_p256(const uint8_t point[1 + 2 * P256_SIZE])
{
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *parts = OSSL_PARAM_BLD_new();
    if (parts &&
        OSSL_PARAM_BLD_push_utf8_string(parts, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
        OSSL_PARAM_BLD_push_octet_string(parts, OSSL_PKEY_PARAM_PUB_KEY, point,
                                         1 + 2 * P256_SIZE) == 1) {
        key = make_key("EC", parts);
    }
    OSSL_PARAM_BLD_free(parts);
    return key;
}

/** Returns what is wrong with it; NULL: nothing. */
static const char *read_rsa(const sc_json_value *from, jwt_key *out)
{
    uint8_t n[RSA_BITS_MAX / 8 + 1];
    uint8_t e[8];
    size_t n_size = 0;
    size_t e_size = 0;
    if (!decode_member(from, "n", n, sizeof n, &n_size) ||
        !decode_member(from, "e", e, sizeof e, &e_size)) {
        return "its members n and e must be base64url, of at most 8192 and 64 bits";
    }
    // An exponent of 1 would make every signature good, and an even one is none.
    if ((e[e_size - 1] & 1) == 0 || (e_size == 1 && e[0] < 3)) return "its exponent is no exponent";
    out->key = make_rsa(n, n_size, e, e_size);
    if (!out->key) return "it is not a public RSA key";
    const int bits = EVP_PKEY_get_bits(out->key);
    if (bits < RSA_BITS_MIN) return "it has fewer than 2048 bits";
    return bits > RSA_BITS_MAX ? "it has more than 8192 bits" : NULL;
}

static const char *read_p256(const sc_json_value *from, jwt_key *out)
{
    uint8_t point[1 + 2 * P256_SIZE] = {POINT_CONVERSION_UNCOMPRESSED};
    size_t x_size = 0;
    size_t y_size = 0;
    if (!decode_member(from, "x", point + 1, P256_SIZE, &x_size) ||
        !decode_member(from, "y", point + 1 + P256_SIZE, P256_SIZE, &y_size) ||
        x_size != P256_SIZE || y_size != P256_SIZE) {
        return "its members x and y must be base64url of 32 bytes";
    }
    out->key = make_p256(point);
    return out->key ? NULL : "it is not a point of P-256";
}

static const char *read_ed25519(const sc_json_value *from, jwt_key *out)
{
    size_t size = 0;
    if (!decode_member(from, "x", out->ed25519, sizeof out->ed25519, &size) ||
        size != sizeof out->ed25519) {
        return "its member x must be base64url of 32 bytes";
    }
    return NULL;
}

static jws_algorithm algorithm_of_key(const sc_json_value *key)
{
    const sc_json_value *type = sc_json_member(key, "kty");
    const sc_json_value *curve = sc_json_member(key, "crv");
    if (is_text(type, "RSA")) return RS256;
    if (is_text(type, "EC") && is_text(curve, "P-256")) return ES256;
    if (is_text(type, "OKP") && is_text(curve, "Ed25519")) return EDDSA;
    return NO_ALGORITHM;
}

static jws_algorithm algorithm_named(const char *name)
{
    static const char *const names[] = {"RS256", "ES256", "EdDSA"};
    for (int i = 0; name && i < NO_ALGORITHM; i++) {
        if (strcmp(names[i], name) == 0) return (jws_algorithm)i;
    }
    return NO_ALGORITHM;
}

/** Whether a key is there to check signatures of its algorithm. */
static bool is_for_us(const sc_json_value *key, jws_algorithm algorithm)
{
    const sc_json_value *use = sc_json_member(key, "use");
    const sc_json_value *named = sc_json_member(key, "alg");
    const sc_json_value *operations = sc_json_member(key, "key_ops");
    bool may_verify = !operations;
    for (size_t i = 0; i < sc_json_size(operations); i++) {
        may_verify = may_verify || is_text(sc_json_at(operations, i), "verify");
    }
    return algorithm != NO_ALGORITHM && (!use || is_text(use, "sig")) && may_verify &&
           (!named || algorithm_named(sc_json_text_at(named)) == algorithm);
}

static bool has_secret(const sc_json_value *key)
{
    return is_text(sc_json_member(key, "kty"), "oct") || sc_json_member(key, "d") ||
           sc_json_member(key, "k");
}

static bool read_id(const sc_json_value *key, jwt_key *out)
{
    const sc_json_value *id = sc_json_member(key, "kid");
    if (!id) return true;
    const char *text = sc_json_text_at(id);
    if (!text || sc_json_text_size(id) > KEY_ID_MAX) return false;
    out->has_id = true;
    memcpy(out->id, text, sc_json_text_size(id) + 1);
    return true;
}

/** Returns what is wrong with it; NULL: nothing, and `keys` have it if it is for us. */
static const char *take_key(sc_jwt_keys *keys, const sc_json_value *from)
{
    if (!sc_json_is_object(from)) return "it is not an object";
    if (has_secret(from)) {
        return "it is a secret, which others can sign with; give public keys only";
    }
    const jws_algorithm algorithm = algorithm_of_key(from);
    if (!is_for_us(from, algorithm)) return NULL;
    if (keys->count == SC_JWT_KEYS_MAX) return "there are more than 64 of them";
    jwt_key *key = &keys->keys[keys->count++];
    key->algorithm = algorithm;
    if (!read_id(from, key)) return "its kid must be a text of at most 256 bytes";
    return algorithm == RS256   ? read_rsa(from, key)
           : algorithm == ES256 ? read_p256(from, key)
                                : read_ed25519(from, key);
}

static sc_err take_set(const char *name, const sc_json_value *root, sc_jwt_keys *keys,
                       sc_diag *diag)
{
    const sc_json_value *list = sc_json_member(root, "keys");
    if (!sc_json_is_array(list)) {
        return sc_fail(
            diag, SC_EPARSE,
            "%s: this is not a JSON Web Key Set; it must be an object with a list 'keys'", name);
    }
    for (size_t i = 0; i < sc_json_size(list); i++) {
        const char *wrong = take_key(keys, sc_json_at(list, i));
        if (wrong) return sc_fail(diag, SC_EPARSE, "%s: key %zu: %s", name, i + 1, wrong);
    }
    if (keys->count > 0) return SC_OK;
    return sc_fail(diag, SC_EPARSE,
                   "%s: none of its %zu keys can be used; needed is one for signatures by RS256, "
                   "ES256 or EdDSA with Ed25519",
                   name, sc_json_size(list));
}

sc_err sc_jwt_keys_parse(const char *name, const char *text, size_t size, sc_jwt_keys **out,
                         sc_diag *diag)
{
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "libsodium cannot be started");
    sc_json_tree tree = {0};
    sc_json_error error;
    sc_err err = sc_json_tree_read(text, size, &tree, &error);
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "reading keys");
    if (err) {
        return sc_fail(diag, err, "%s:%zu: column %zu: this is not JSON", name, error.line,
                       error.column);
    }
    sc_jwt_keys *keys = sc_calloc(1, sizeof *keys);
    err = keys ? take_set(name, tree.root, keys, diag) : sc_fail_memory(diag, "reading keys");
    sc_json_tree_fini(&tree);
    if (err) {
        sc_jwt_keys_free(keys);
        return err;
    }
    *out = keys;
    return SC_OK;
}

void sc_jwt_keys_free(sc_jwt_keys *keys)
{
    if (!keys) return;
    for (size_t i = 0; i < keys->count; i++) {
        EVP_PKEY_free(keys->keys[i].key);
    }
    sc_free(keys);
}

size_t sc_jwt_keys_count(const sc_jwt_keys *keys)
{
    return keys->count;
}

// --- Tokens: three parts -------------------------------------------------------------------------

/** A part of a token, as it stands there. */
typedef struct part {
    const char *text;
    size_t size;
} part;

typedef struct token_parts {
    part header;
    part claims;
    part signature;
    part input;  ///< what is signed: the first two with their dot
} token_parts;

static bool split(const char *text, token_parts *out)
{
    const size_t size = strnlen(text, SC_JWT_SIZE_MAX + 1);
    if (size > SC_JWT_SIZE_MAX) return false;
    const char *first = memchr(text, '.', size);
    const char *second = first ? memchr(first + 1, '.', size - (size_t)(first + 1 - text)) : NULL;
    if (!second || strchr(second + 1, '.')) return false;
    out->header = (part){text, (size_t)(first - text)};
    out->claims = (part){first + 1, (size_t)(second - first - 1)};
    out->signature = (part){second + 1, size - (size_t)(second + 1 - text)};
    out->input = (part){text, (size_t)(second - text)};
    return true;
}

/** The JSON object that a part is. */
static sc_jwt_verdict read_part(part from, sc_json_tree *out)
{
    uint8_t *bytes = sc_malloc(from.size + 1);
    size_t size = 0;
    if (!bytes) return SC_JWT_NO_MEMORY;
    sc_err err = SC_EPARSE;
    if (decode(from.text, from.size, bytes, from.size + 1, &size)) {
        sc_json_error error;
        err = sc_json_tree_read((const char *)bytes, size, out, &error);
    }
    sodium_memzero(bytes, from.size + 1);
    sc_free(bytes);
    if (err) return err == SC_ENOMEM ? SC_JWT_NO_MEMORY : SC_JWT_MALFORMED;
    return sc_json_is_object(out->root) ? SC_JWT_GOOD : SC_JWT_MALFORMED;
}

// --- Tokens: signatures --------------------------------------------------------------------------

/** A signature of ES256 is two numbers of 32 bytes; OpenSSL wants them as a sequence. */
static bool is_signed_p256(EVP_MD_CTX *context, const part *input, const uint8_t *signature,
                           size_t size)
{
    if (size != P256_SIGNATURE_SIZE) return false;
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, P256_SIZE, NULL);
    BIGNUM *s = BN_bin2bn(signature + P256_SIZE, P256_SIZE, NULL);
    bool is_good = false;
    if (pair && r && s && ECDSA_SIG_set0(pair, r, s) == 1) {
        r = s = NULL;
        uint8_t *sequence = NULL;
        const int sequence_size = i2d_ECDSA_SIG(pair, &sequence);
        is_good =
            sequence_size > 0 && EVP_DigestVerify(context, sequence, (size_t)sequence_size,
                                                  (const uint8_t *)input->text, input->size) == 1;
        OPENSSL_free(sequence);
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(pair);
    return is_good;
}

static bool is_signed_by(const jwt_key *key, const part *input, const uint8_t *signature,
                         size_t size)
{
    const uint8_t *text = (const uint8_t *)input->text;
    if (key->algorithm == EDDSA) {
        return size == crypto_sign_BYTES &&
               crypto_sign_verify_detached(signature, text, input->size, key->ed25519) == 0;
    }
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_good = false;
    if (context && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key->key) == 1) {
        is_good = key->algorithm == ES256
                      ? is_signed_p256(context, input, signature, size)
                      : EVP_DigestVerify(context, signature, size, text, input->size) == 1;
    }
    EVP_MD_CTX_free(context);
    return is_good;
}

/** The key that a header names; one without a name means the only key of its algorithm. */
static const jwt_key *find_key(const sc_jwt_keys *keys, jws_algorithm algorithm, const char *id)
{
    const jwt_key *found = NULL;
    for (size_t i = 0; i < keys->count; i++) {
        const jwt_key *key = &keys->keys[i];
        if (key->algorithm != algorithm) continue;
        if (id && (!key->has_id || strcmp(key->id, id) != 0)) continue;
        if (found) return NULL;
        found = key;
    }
    return found;
}

static bool is_type_of_tokens(const sc_json_value *type)
{
    const char *text = sc_json_text_at(type);
    return !type || (text && (strcasecmp(text, "JWT") == 0 || strcasecmp(text, "at+jwt") == 0 ||
                              strcasecmp(text, "application/at+jwt") == 0));
}

/** Whether a header is one that we understand, and its key is known. */
static sc_jwt_verdict check_header(const sc_jwt_keys *keys, const sc_json_value *header,
                                   const jwt_key **key)
{
    const sc_json_value *id = sc_json_member(header, "kid");
    const jws_algorithm algorithm = algorithm_named(sc_json_text_at(sc_json_member(header, "alg")));
    if (algorithm == NO_ALGORITHM || sc_json_member(header, "crit") ||
        !is_type_of_tokens(sc_json_member(header, "typ"))) {
        return SC_JWT_ALGORITHM;
    }
    if (id && !sc_json_is_string(id)) return SC_JWT_MALFORMED;
    *key = find_key(keys, algorithm, sc_json_text_at(id));
    return *key ? SC_JWT_GOOD : SC_JWT_UNKNOWN_KEY;
}

static sc_jwt_verdict check_signature(const sc_jwt_keys *keys, const token_parts *parts)
{
    const jwt_key *key = NULL;
    sc_json_tree header = {0};
    sc_jwt_verdict verdict = read_part(parts->header, &header);
    if (verdict == SC_JWT_GOOD) verdict = check_header(keys, header.root, &key);
    sc_json_tree_fini(&header);
    if (verdict != SC_JWT_GOOD) return verdict;

    uint8_t signature[SIGNATURE_MAX];
    size_t size = 0;
    if (!decode(parts->signature.text, parts->signature.size, signature, sizeof signature, &size)) {
        return SC_JWT_MALFORMED;
    }
    return is_signed_by(key, &parts->input, signature, size) ? SC_JWT_GOOD : SC_JWT_FORGED;
}

// --- Tokens: claims ------------------------------------------------------------------------------

static bool is_among(const sc_json_value *audience, const char *wanted)
{
    if (!sc_json_is_array(audience)) return is_text(audience, wanted);
    for (size_t i = 0; i < sc_json_size(audience); i++) {
        if (is_text(sc_json_at(audience, i), wanted)) return true;
    }
    return false;
}

/** A time: seconds, whole or not. False if there is none that makes sense. */
static bool read_time(const sc_json_value *value, int64_t *out)
{
    const double seconds = sc_json_number_at(value);
    if (!sc_json_is_number(value) || !(seconds >= 0 && seconds < 1e12)) return false;
    *out = (int64_t)seconds;
    return true;
}

/** Whether nbf and iat, where they are, have come. */
static sc_jwt_verdict check_times(const sc_json_value *claims, int64_t now_s, sc_token *out)
{
    const sc_json_value *before = sc_json_member(claims, "nbf");
    const sc_json_value *issued = sc_json_member(claims, "iat");
    int64_t before_s = 0;
    out->issued_s = 0;
    if (!read_time(sc_json_member(claims, "exp"), &out->expires_s) ||
        (before && !read_time(before, &before_s)) ||
        (issued && !read_time(issued, &out->issued_s))) {
        return SC_JWT_MALFORMED;
    }
    if (out->expires_s <= now_s) return SC_JWT_EXPIRED;
    const int64_t latest_s = now_s + SC_JWT_LEEWAY_S;
    return before_s > latest_s || out->issued_s > latest_s ? SC_JWT_EARLY : SC_JWT_GOOD;
}

/** A hash of two texts that no other two have: sizes stand before them. */
static void hash_pair(const char *use, const char *first, const sc_json_value *second, uint8_t *out,
                      size_t size)
{
    const uint64_t sizes[] = {strlen(first), sc_json_text_size(second)};
    crypto_generichash_state state;
    crypto_generichash_init(&state, (const uint8_t *)use, strlen(use), size);
    crypto_generichash_update(&state, (const uint8_t *)sizes, sizeof sizes);
    crypto_generichash_update(&state, (const uint8_t *)first, sizes[0]);
    crypto_generichash_update(&state, (const uint8_t *)sc_json_text_at(second), sizes[1]);
    crypto_generichash_final(&state, out, size);
    sodium_memzero(&state, sizeof state);
}

static bool name_user(const sc_jwt_terms *terms, const sc_json_value *claims, sc_token *out)
{
    static const char prefix[] = "jwt:";
    const sc_json_value *user = sc_json_member(claims, terms->user);
    const size_t size = sc_json_text_size(user);
    if (!sc_json_is_string(user) || size == 0 || size > CLAIM_MAX) return false;
    uint8_t hash[24];
    hash_pair("starcloak jwt user", terms->issuer, user, hash, sizeof hash);
    memcpy(out->user, prefix, sizeof prefix);
    sodium_bin2base64(out->user + sizeof prefix - 1, sizeof out->user - (sizeof prefix - 1), hash,
                      sizeof hash, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    out->user_size = strlen(out->user);
    return true;
}

static sc_jwt_verdict check_claims(const sc_jwt_terms *terms, const sc_json_value *claims,
                                   int64_t now_s, sc_token *out)
{
    if (!is_text(sc_json_member(claims, "iss"), terms->issuer)) return SC_JWT_OTHER_ISSUER;
    if (!is_among(sc_json_member(claims, "aud"), terms->audience)) return SC_JWT_OTHER_AUDIENCE;
    const sc_jwt_verdict verdict = check_times(claims, now_s, out);
    if (verdict != SC_JWT_GOOD) return verdict;
    const sc_json_value *id = sc_json_member(claims, "jti");
    out->serial = 0;
    if (sc_json_is_string(id)) {
        uint8_t hash[16];
        hash_pair("starcloak jwt serial", terms->issuer, id, hash, sizeof hash);
        memcpy(&out->serial, hash, sizeof out->serial);
    }
    return name_user(terms, claims, out) ? SC_JWT_GOOD : SC_JWT_NO_USER;
}

sc_jwt_verdict sc_jwt_check(const sc_jwt_keys *keys, const sc_jwt_terms *terms, const char *text,
                            int64_t now_s, sc_token *out)
{
    token_parts parts;
    if (!split(text, &parts)) return SC_JWT_MALFORMED;
    sc_jwt_verdict verdict = check_signature(keys, &parts);
    if (verdict != SC_JWT_GOOD) return verdict;
    sc_json_tree claims = {0};
    sc_token token = {0};
    verdict = read_part(parts.claims, &claims);
    if (verdict == SC_JWT_GOOD) verdict = check_claims(terms, claims.root, now_s, &token);
    if (verdict == SC_JWT_GOOD) *out = token;
    sc_json_tree_fini(&claims);
    return verdict;
}

const char *sc_jwt_words(sc_jwt_verdict verdict)
{
    switch (verdict) {
    case SC_JWT_GOOD:
        return "";
    case SC_JWT_MALFORMED:
        return "this is neither a token of this service nor a JSON Web Token";
    case SC_JWT_ALGORITHM:
        return "the token must be signed by RS256, ES256 or EdDSA, without extensions";
    case SC_JWT_UNKNOWN_KEY:
        return "the token was signed with a key that this service does not know";
    case SC_JWT_FORGED:
        return "the token was not signed by its issuer";
    case SC_JWT_OTHER_ISSUER:
        return "the token is of another issuer";
    case SC_JWT_OTHER_AUDIENCE:
        return "the token is for another service (aud)";
    case SC_JWT_EXPIRED:
        return "the token has expired; get a new one";
    case SC_JWT_EARLY:
        return "the token is not valid yet; check the clocks";
    case SC_JWT_NO_USER:
        return "the token does not say who the user is";
    case SC_JWT_NO_MEMORY:
        return "the token could not be checked; retry";
    }
    return "";
}
