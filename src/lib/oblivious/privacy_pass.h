/**
 * @file privacy_pass.h
 * @brief Privacy Pass with publicly verifiable tokens (RFC 9577, RFC 9578, type 2: blind RSA): one
 *        account, one token, and nobody can tell which.
 *
 *     service               client                        issuer
 *     challenge   ------->  sc_pass_begin()   request -->  sc_pass_issue()
 *                           sc_pass_finish()  <-- response
 *     sc_pass_verify()  <-- token
 *
 * The issuer knows the account and signs blind; the service sees the token and knows no account. A
 * cloak is shared by different users, so a token must still count as one: the issuer signs once for
 * an account, a key and with it an epoch, and the nonce of a token, which cannot be changed behind
 * the signature, stands for its user until the epoch ends.
 *
 * The challenge is the same for every client. Its redemption context is computed of the epoch and
 * the origin (sc_pass_epoch_context()), so a client can compute it too and refuse any other: a
 * challenge of its own would mark it.
 *
 * Numbers are in network byte order. Nothing but a key is allocated; libsodium must have been
 * started.
 */
#ifndef SC_OBLIVIOUS_PRIVACY_PASS_H
#define SC_OBLIVIOUS_PRIVACY_PASS_H

#include "oblivious/blind_rsa.h"

enum {
    SC_PASS_TYPE = 0x0002,       ///< Blind RSA (2048-bit), RFC 9578, 8.2.2
    SC_PASS_MODULUS_SIZE = 256,  ///< Nk
    SC_PASS_KEY_ID_SIZE = 32,    ///< Nid
    SC_PASS_NONCE_SIZE = 32,
    SC_PASS_DIGEST_SIZE = 32,
    SC_PASS_CONTEXT_SIZE = 32,
    SC_PASS_INPUT_SIZE = 2 + SC_PASS_NONCE_SIZE + SC_PASS_DIGEST_SIZE + SC_PASS_KEY_ID_SIZE,
    SC_PASS_TOKEN_SIZE = SC_PASS_INPUT_SIZE + SC_PASS_MODULUS_SIZE,
    SC_PASS_REQUEST_SIZE = 2 + 1 + SC_PASS_MODULUS_SIZE,
    SC_PASS_RESPONSE_SIZE = SC_PASS_MODULUS_SIZE,
    SC_PASS_ISSUER_MAX = 255,   ///< of a name; longer ones are refused
    SC_PASS_ORIGIN_MAX = 1023,  ///< of all origins of a challenge
    SC_PASS_CHALLENGE_MAX =
        2 + 2 + SC_PASS_ISSUER_MAX + 1 + SC_PASS_CONTEXT_SIZE + 2 + SC_PASS_ORIGIN_MAX,
};

#define SC_PASS_REQUEST_TYPE "application/private-token-request"
#define SC_PASS_RESPONSE_TYPE "application/private-token-response"

// --- Challenges (RFC 9577, 2.1) ------------------------------------------------------------------

/** A TokenChallenge of type 2. */
typedef struct sc_pass_challenge {
    char issuer[SC_PASS_ISSUER_MAX + 1];
    bool has_context;
    uint8_t context[SC_PASS_CONTEXT_SIZE];
    char origins[SC_PASS_ORIGIN_MAX + 1];  ///< with commas between them, or empty
} sc_pass_challenge;

/** Write it. Returns its size, 0: its names are no names. */
size_t sc_pass_challenge_encode(const sc_pass_challenge *challenge,
                                uint8_t out[SC_PASS_CHALLENGE_MAX]);

/** Read one. SC_EUNKNOWN: of another type, to be passed over. SC_EPARSE, SC_ELIMIT (a name that is
 * too long). */
SC_CHECKED sc_err sc_pass_challenge_parse(const uint8_t *bytes, size_t size,
                                          sc_pass_challenge *out);

/** Whether a challenge that `origin` gave is for it (2.1.3): it names no origin, or this one among
 * others, in letters of either case. */
bool sc_pass_challenge_is_for(const sc_pass_challenge *challenge, const char *origin);

/** challenge_digest: SHA-256 of a challenge's bytes. */
void sc_pass_challenge_digest(const uint8_t *challenge, size_t size,
                              uint8_t out[SC_PASS_DIGEST_SIZE]);

/** The number of the epoch at `now_s`: since 1970, of `epoch_s` seconds each. */
uint64_t sc_pass_epoch(int64_t now_s, int64_t epoch_s);

/** The redemption context of an epoch at an origin: SHA-256 of "starcloak epoch 1", a zero byte,
 * the epoch's number and its length in seconds as 8 bytes each, and the origin. No secret: see
 * above. */
void sc_pass_epoch_context(uint64_t epoch, int64_t epoch_s, const char *origin,
                           uint8_t out[SC_PASS_CONTEXT_SIZE]);

// --- Keys ----------------------------------------------------------------------------------------

/** A key of an issuer with what is sent of it. */
typedef struct sc_pass_key {
    sc_blind_rsa_key *rsa;
    uint8_t spki[SC_BLIND_RSA_SPKI_SIZE];  ///< token-key
    uint8_t id[SC_PASS_KEY_ID_SIZE];       ///< token_key_id: its SHA-256
} sc_pass_key;

/** Takes `rsa`, also on failure. SC_EINVAL: it is not of 2048 bits with the exponent 65537. */
SC_CHECKED sc_err sc_pass_key_init(sc_blind_rsa_key *rsa, sc_pass_key *out);

/** A public key as it was published. SC_EPARSE, SC_ENOMEM. */
SC_CHECKED sc_err sc_pass_key_parse(const uint8_t *spki, size_t size, sc_pass_key *out);

/** Harmless on zeros and twice. */
void sc_pass_key_fini(sc_pass_key *key);

// --- Issuance (RFC 9578, 6) ----------------------------------------------------------------------

/** What a client keeps until the issuer has answered. Secret: wipe it. */
typedef struct sc_pass_pending {
    uint8_t input[SC_PASS_INPUT_SIZE];
    uint8_t inverse[SC_PASS_MODULUS_SIZE];
} sc_pass_pending;

/** The client asks for a token of a challenge, by its bytes (6.1). Nonce and blinding are drawn
 * within. SC_EINVAL: the key is none. SC_ENOMEM. */
SC_CHECKED sc_err sc_pass_begin(const sc_pass_key *key, const uint8_t *challenge,
                                size_t challenge_size, uint8_t request[SC_PASS_REQUEST_SIZE],
                                sc_pass_pending *pending);

/** The client makes the token of the response (6.3). SC_EPARSE: the issuer did not sign. */
SC_CHECKED sc_err sc_pass_finish(const sc_pass_key *key, const sc_pass_pending *pending,
                                 const uint8_t *response, size_t response_size,
                                 uint8_t token[SC_PASS_TOKEN_SIZE]);

void sc_pass_pending_wipe(sc_pass_pending *pending);

/** The last byte of the id of the key that a request is for (6.2): issuers choose their key by it.
 * SC_EPARSE: it is no request of type 2. */
SC_CHECKED sc_err sc_pass_request_key(const uint8_t *request, size_t size, uint8_t *truncated_id);

/**
 * The issuer signs a request (6.2). Whether it may is its own to know: once for each account and
 * key.
 *
 * @return SC_OK, SC_EPARSE (no request, or not for this key: 422 Unprocessable Content), SC_EINVAL
 *         (there is no secret key), SC_EBROKEN (see sc_blind_rsa_sign()), SC_ENOMEM
 */
SC_CHECKED sc_err sc_pass_issue(const sc_pass_key *key, const uint8_t *request, size_t size,
                                uint8_t response[SC_PASS_RESPONSE_SIZE]);

// --- Tokens (RFC 9577, 2.2) ----------------------------------------------------------------------

/** The fields of a token; they point into it. */
typedef struct sc_pass_token {
    const uint8_t *nonce;
    const uint8_t *challenge_digest;
    const uint8_t *key_id;
    const uint8_t *authenticator;
} sc_pass_token;

/** Read a token. SC_EPARSE: it is none of type 2. It proves nothing yet. */
SC_CHECKED sc_err sc_pass_token_parse(const uint8_t *bytes, size_t size, sc_pass_token *out);

/**
 * Whether a token was issued with `key` for the challenge whose digest is given. That it is used
 * once, or by one user, is for the caller to see to.
 *
 * @return SC_OK, SC_EPARSE (it is no token), SC_EUNKNOWN (of another key), SC_EMISMATCH (for
 * another challenge, maybe that of another epoch), SC_EBROKEN (not signed by the key), SC_ENOMEM
 */
SC_CHECKED sc_err sc_pass_verify(const sc_pass_key *key,
                                 const uint8_t challenge_digest[SC_PASS_DIGEST_SIZE],
                                 const uint8_t *token, size_t size);

#endif
