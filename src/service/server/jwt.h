/**
 * @file jwt.h
 * @brief Tokens of another party's login: JSON Web Tokens (RFC 7519), by its public keys.
 *
 * A company with a login of its own has an issuer (OpenID Connect, OAuth 2.0) that signs tokens,
 * and publishes its public keys as a JSON Web Key Set (RFC 7517). Accepted are compact JWS
 * (RFC 7515) signed by RS256, ES256 or EdDSA with Ed25519 (RFC 8037), and nothing else:
 *
 *  1. The algorithm of a token must be that of the key, and keys have one algorithm each: "none",
 *     and a public key taken as a shared secret (HS256), find no key.
 *  2. Keys come from the operator's set alone; what a token says of keys (jwk, jku, x5c, x5u) is
 *     not looked at. Extensions that must be understood (crit) are not.
 *  3. iss and aud must be those of the settings, exp must be there and not have passed, nbf must
 *     have come, give or take SC_JWT_LEEWAY_S. The claims are read only if the signature is good.
 *
 * The user is a claim, by default sub, and stands for the account at this issuer: its name within
 * StarCloak is "jwt:" and a hash of issuer and claim, so that no user of another issuer, and none
 * of our own tokens (token.h), can have it, and what is kept in memory is no account's name.
 */
#ifndef SC_SERVER_JWT_H
#define SC_SERVER_JWT_H

#include <starcloak/err.h>

#include "server/token.h"

enum {
    SC_JWT_SIZE_MAX = 8192,  ///< of a token; those of large logins have some 2,000
    SC_JWT_KEYS_MAX = 64,    ///< of a set that can be used
    SC_JWT_LEEWAY_S = 30,    ///< by which the clock of an issuer may be ahead
};

/** Public keys of an issuer; never changes. Read by any thread. */
typedef struct sc_jwt_keys sc_jwt_keys;

/**
 * Read a JSON Web Key Set. Keys of other kinds or for other uses are passed over.
 *
 * @param name  of the file or address, for errors
 * @return SC_OK, SC_EPARSE (not such a set, a key that is damaged or too short, a secret in it, no
 *         key that can be used), SC_ELIMIT (too many), SC_ENOMEM
 */
SC_CHECKED sc_err sc_jwt_keys_parse(const char *name, const char *text, size_t size,
                                    sc_jwt_keys **out, sc_diag *diag);

/** NULL is fine. */
void sc_jwt_keys_free(sc_jwt_keys *keys);

/** Those that can be used. */
size_t sc_jwt_keys_count(const sc_jwt_keys *keys);

/** What a token must say, beside being signed. */
typedef struct sc_jwt_terms {
    const char *issuer;    ///< iss is this
    const char *audience;  ///< aud is this, or has it
    const char *user;      ///< the claim that is the user: "sub"
} sc_jwt_terms;

/** What came of a token. */
typedef enum sc_jwt_verdict {
    SC_JWT_GOOD,
    SC_JWT_MALFORMED,    ///< it is no JSON Web Token
    SC_JWT_ALGORITHM,    ///< of another algorithm, or with extensions
    SC_JWT_UNKNOWN_KEY,  ///< there is no such key: the issuer may have a new one
    SC_JWT_FORGED,       ///< the signature is not of that key
    SC_JWT_OTHER_ISSUER,
    SC_JWT_OTHER_AUDIENCE,
    SC_JWT_EXPIRED,
    SC_JWT_EARLY,    ///< nbf or iat are in the future
    SC_JWT_NO_USER,  ///< the claim is missing, or cannot be a user
    SC_JWT_NO_MEMORY,
} sc_jwt_verdict;

/** Why a token is refused and what to do, for its sender; "" for SC_JWT_GOOD. Quotes nothing. */
const char *sc_jwt_words(sc_jwt_verdict verdict);

/**
 * Check a token. `out` is set if it is good, to a token of ours that is good for as long: its
 * serial is of the claim jti, if there is one.
 *
 * @param now_s  seconds since 1970
 */
sc_jwt_verdict sc_jwt_check(const sc_jwt_keys *keys, const sc_jwt_terms *terms, const char *text,
                            int64_t now_s, sc_token *out);

#endif
