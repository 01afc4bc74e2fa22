// Privacy Pass: challenges, issuance and tokens of type 2. Sections are those of RFC 9577
// (challenges, tokens) and RFC 9578 (issuance), as it is said.
#include "oblivious/privacy_pass_internal.h"

#include "oblivious/blind_rsa_internal.h"

#include <sodium.h>
#include <string.h>
#include <strings.h>

_Static_assert((int)crypto_hash_sha256_BYTES == (int)SC_PASS_DIGEST_SIZE, "SHA-256");

static void put_u16(uint8_t *out, size_t value)
{
    out[0] = (uint8_t)(value >> 8);
    out[1] = (uint8_t)value;
}

static size_t get_u16(const uint8_t *bytes)
{
    return (size_t)bytes[0] << 8 | bytes[1];
}

// --- Challenges: names (RFC 9577, 2.1.1.1) -------------------------------------------------------

/** The bytes of a host and a port, which leave out the user that an authority could have. */
static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("-._~:[]%", c));
}

static bool is_name(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (!is_name_byte(text[i])) return false;
    }
    return size > 0;
}

/** The names of a list, one after the other; false at its end. */
static bool next_origin(const char **rest, const char **name, size_t *size)
{
    if (!*rest) return false;
    *name = *rest;
    *size = strcspn(*rest, ",");
    *rest = (*rest)[*size] == ',' ? *rest + *size + 1 : NULL;
    return true;
}

static bool are_origins(const char *list)
{
    const char *rest = list;
    const char *name = NULL;
    size_t size = 0;
    if (*list == '\0') return true;
    while (next_origin(&rest, &name, &size)) {
        if (!is_name(name, size)) return false;
    }
    return true;
}

bool sc_pass_challenge_is_for(const sc_pass_challenge *challenge, const char *origin)
{
    const char *rest = challenge->origins;
    const char *name = NULL;
    size_t size = 0;
    if (*rest == '\0') return true;
    while (next_origin(&rest, &name, &size)) {
        if (size == strlen(origin) && strncasecmp(name, origin, size) == 0) return true;
    }
    return false;
}

// --- Challenges: bytes (RFC 9577, 2.1.1) ---------------------------------------------------------

size_t sc_pass_challenge_encode(const sc_pass_challenge *challenge,
                                uint8_t out[SC_PASS_CHALLENGE_MAX])
{
    const size_t issuer_size = strnlen(challenge->issuer, sizeof challenge->issuer);
    const size_t origins_size = strnlen(challenge->origins, sizeof challenge->origins);
    if (issuer_size > SC_PASS_ISSUER_MAX || origins_size > SC_PASS_ORIGIN_MAX ||
        !is_name(challenge->issuer, issuer_size) || !are_origins(challenge->origins)) {
        return 0;
    }
    uint8_t *p = out;
    put_u16(p, SC_PASS_TYPE);
    put_u16(p + 2, issuer_size);
    memcpy(p + 4, challenge->issuer, issuer_size);
    p += 4 + issuer_size;
    *p++ = challenge->has_context ? SC_PASS_CONTEXT_SIZE : 0;
    if (challenge->has_context) {
        memcpy(p, challenge->context, SC_PASS_CONTEXT_SIZE);
        p += SC_PASS_CONTEXT_SIZE;
    }
    put_u16(p, origins_size);
    memcpy(p + 2, challenge->origins, origins_size);
    return (size_t)(p + 2 + origins_size - out);
}

/** What is left of a challenge. */
typedef struct reader {
    const uint8_t *next;
    size_t left;
} reader;

/** A text behind its length of two bytes, ended with NUL. SC_ELIMIT: it is longer than `room` - 1.
 */
static sc_err read_text(reader *r, char *out, size_t room)
{
    if (r->left < 2 || r->left - 2 < get_u16(r->next)) return SC_EPARSE;
    const size_t size = get_u16(r->next);
    if (size >= room) return SC_ELIMIT;
    memcpy(out, r->next + 2, size);
    out[size] = '\0';
    r->next += 2 + size;
    r->left -= 2 + size;
    // A NUL within would end the text earlier than the challenge says.
    return strlen(out) == size ? SC_OK : SC_EPARSE;
}

static sc_err read_context(reader *r, sc_pass_challenge *out)
{
    if (r->left < 1) return SC_EPARSE;
    const size_t size = r->next[0];
    if ((size != 0 && size != SC_PASS_CONTEXT_SIZE) || r->left - 1 < size) return SC_EPARSE;
    out->has_context = size > 0;
    memcpy(out->context, r->next + 1, size);
    r->next += 1 + size;
    r->left -= 1 + size;
    return SC_OK;
}

sc_err sc_pass_challenge_parse(const uint8_t *bytes, size_t size, sc_pass_challenge *out)
{
    if (size < 2) return SC_EPARSE;
    if (get_u16(bytes) != SC_PASS_TYPE) return SC_EUNKNOWN;
    reader r = {bytes + 2, size - 2};
    sc_pass_challenge read = {.has_context = false};
    sc_err err = read_text(&r, read.issuer, sizeof read.issuer);
    if (!err) err = read_context(&r, &read);
    if (!err) err = read_text(&r, read.origins, sizeof read.origins);
    if (err) return err;
    if (r.left > 0 || !is_name(read.issuer, strlen(read.issuer)) || !are_origins(read.origins)) {
        return SC_EPARSE;
    }
    *out = read;
    return SC_OK;
}

void sc_pass_challenge_digest(const uint8_t *challenge, size_t size,
                              uint8_t out[SC_PASS_DIGEST_SIZE])
{
    crypto_hash_sha256(out, challenge, size);
}

// --- Epochs --------------------------------------------------------------------------------------

uint64_t sc_pass_epoch(int64_t now_s, int64_t epoch_s)
{
    return now_s < 0 || epoch_s < 1 ? 0 : (uint64_t)(now_s / epoch_s);
}

void sc_pass_epoch_context(uint64_t epoch, int64_t epoch_s, const char *origin,
                           uint8_t out[SC_PASS_CONTEXT_SIZE])
{
    static const char label[] = "starcloak epoch 1";  // hashed with its zero byte
    const uint64_t numbers[] = {epoch, (uint64_t)epoch_s};
    uint8_t bytes[16];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(numbers[i / 8] >> (56 - 8 * (i % 8)));
    }
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, (const uint8_t *)label, sizeof label);
    crypto_hash_sha256_update(&state, bytes, sizeof bytes);
    crypto_hash_sha256_update(&state, (const uint8_t *)origin, strlen(origin));
    crypto_hash_sha256_final(&state, out);
}

// --- Keys (RFC 9578, 6.5) ------------------------------------------------------------------------

sc_err sc_pass_key_init(sc_blind_rsa_key *rsa, sc_pass_key *out)
{
    sc_pass_key key = {.rsa = rsa};
    const sc_err err = sc_blind_rsa_to_spki(rsa, key.spki);
    if (err) {
        sc_blind_rsa_key_free(rsa);
        return err;
    }
    crypto_hash_sha256(key.id, key.spki, sizeof key.spki);
    *out = key;
    return SC_OK;
}

sc_err sc_pass_key_parse(const uint8_t *spki, size_t size, sc_pass_key *out)
{
    sc_blind_rsa_key *rsa = NULL;
    const sc_err err = sc_blind_rsa_from_spki(spki, size, &rsa);
    return err ? err : sc_pass_key_init(rsa, out);
}

void sc_pass_key_fini(sc_pass_key *key)
{
    sc_blind_rsa_key_free(key->rsa);
    *key = (sc_pass_key){0};
}

// --- Issuance: the client (RFC 9578, 6.1, 6.3) ---------------------------------------------------

/** Where the parts of a token and of a request begin. */
enum {
    TOKEN_NONCE = 2,
    TOKEN_DIGEST = TOKEN_NONCE + SC_PASS_NONCE_SIZE,
    TOKEN_KEY_ID = TOKEN_DIGEST + SC_PASS_DIGEST_SIZE,
    REQUEST_KEY = 2,
    REQUEST_BLINDED = 3,
};

sc_err sc__pass_begin_with(const sc_pass_key *key, const uint8_t *challenge, size_t challenge_size,
                           const sc__pass_random *random, uint8_t request[SC_PASS_REQUEST_SIZE],
                           sc_pass_pending *pending)
{
    uint8_t *input = pending->input;
    put_u16(input, SC_PASS_TYPE);
    memcpy(input + TOKEN_NONCE, random->nonce, SC_PASS_NONCE_SIZE);
    sc_pass_challenge_digest(challenge, challenge_size, input + TOKEN_DIGEST);
    memcpy(input + TOKEN_KEY_ID, key->id, SC_PASS_KEY_ID_SIZE);
    put_u16(request, SC_PASS_TYPE);
    request[REQUEST_KEY] = key->id[SC_PASS_KEY_ID_SIZE - 1];
    uint8_t *blinded = request + REQUEST_BLINDED;
    const sc_err err =
        random->factor
            ? sc__blind_rsa_blind_with(key->rsa, input, SC_PASS_INPUT_SIZE, random->salt,
                                       random->factor, blinded, pending->inverse)
            : sc_blind_rsa_blind(key->rsa, input, SC_PASS_INPUT_SIZE, blinded, pending->inverse);
    if (err) sc_pass_pending_wipe(pending);
    return err;
}

sc_err sc_pass_begin(const sc_pass_key *key, const uint8_t *challenge, size_t challenge_size,
                     uint8_t request[SC_PASS_REQUEST_SIZE], sc_pass_pending *pending)
{
    uint8_t nonce[SC_PASS_NONCE_SIZE];
    randombytes_buf(nonce, sizeof nonce);
    const sc_err err = sc__pass_begin_with(key, challenge, challenge_size,
                                           &(sc__pass_random){.nonce = nonce}, request, pending);
    sodium_memzero(nonce, sizeof nonce);
    return err;
}

sc_err sc_pass_finish(const sc_pass_key *key, const sc_pass_pending *pending,
                      const uint8_t *response, size_t response_size,
                      uint8_t token[SC_PASS_TOKEN_SIZE])
{
    uint8_t signature[SC_PASS_MODULUS_SIZE];
    if (response_size != SC_PASS_RESPONSE_SIZE) return SC_EPARSE;
    const sc_err err = sc_blind_rsa_finalize(key->rsa, pending->input, SC_PASS_INPUT_SIZE, response,
                                             pending->inverse, signature);
    if (err) return err;
    memcpy(token, pending->input, SC_PASS_INPUT_SIZE);
    memcpy(token + SC_PASS_INPUT_SIZE, signature, sizeof signature);
    sodium_memzero(signature, sizeof signature);
    return SC_OK;
}

void sc_pass_pending_wipe(sc_pass_pending *pending)
{
    sodium_memzero(pending, sizeof *pending);
}

// --- Issuance: the issuer (RFC 9578, 6.2) --------------------------------------------------------

sc_err sc_pass_request_key(const uint8_t *request, size_t size, uint8_t *truncated_id)
{
    if (size != SC_PASS_REQUEST_SIZE || get_u16(request) != SC_PASS_TYPE) return SC_EPARSE;
    *truncated_id = request[REQUEST_KEY];
    return SC_OK;
}

sc_err sc_pass_issue(const sc_pass_key *key, const uint8_t *request, size_t size,
                     uint8_t response[SC_PASS_RESPONSE_SIZE])
{
    uint8_t truncated_id = 0;
    const sc_err err = sc_pass_request_key(request, size, &truncated_id);
    if (err) return err;
    if (truncated_id != key->id[SC_PASS_KEY_ID_SIZE - 1]) return SC_EPARSE;
    return sc_blind_rsa_sign(key->rsa, request + REQUEST_BLINDED, response);
}

// --- Tokens (RFC 9577, 2.2; RFC 9578, 6.4) -------------------------------------------------------

sc_err sc_pass_token_parse(const uint8_t *bytes, size_t size, sc_pass_token *out)
{
    if (size != SC_PASS_TOKEN_SIZE || get_u16(bytes) != SC_PASS_TYPE) return SC_EPARSE;
    *out = (sc_pass_token){.nonce = bytes + TOKEN_NONCE,
                           .challenge_digest = bytes + TOKEN_DIGEST,
                           .key_id = bytes + TOKEN_KEY_ID,
                           .authenticator = bytes + SC_PASS_INPUT_SIZE};
    return SC_OK;
}

sc_err sc_pass_verify(const sc_pass_key *key, const uint8_t challenge_digest[SC_PASS_DIGEST_SIZE],
                      const uint8_t *token, size_t size)
{
    sc_pass_token t;
    sc_err err = sc_pass_token_parse(token, size, &t);
    if (err) return err;
    if (sodium_memcmp(t.key_id, key->id, SC_PASS_KEY_ID_SIZE) != 0) return SC_EUNKNOWN;
    if (sodium_memcmp(t.challenge_digest, challenge_digest, SC_PASS_DIGEST_SIZE) != 0) {
        return SC_EMISMATCH;
    }
    err = sc_blind_rsa_verify(key->rsa, token, SC_PASS_INPUT_SIZE, t.authenticator);
    return err == SC_EPARSE ? SC_EBROKEN : err;
}
