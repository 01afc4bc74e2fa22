/**
 * @file jwt_issuer.h
 * @brief The issuer whose JSON Web Tokens are accepted: its keys, kept fresh, and tokens that were
 * good before.
 *
 * Keys are in a file or at an address (key_source.h); a token whose key is not known brings the
 * next question forward. While an issuer cannot be reached the keys that are known stay in use.
 *
 * To check a signature takes some 30 to 100 us, so tokens that were good are remembered until they
 * expire or keys change, in a table of fixed size, by a keyed hash: tokens themselves are not kept.
 */
#ifndef SC_SERVER_JWT_ISSUER_H
#define SC_SERVER_JWT_ISSUER_H

#include <starcloak/err.h>

#include "server/jwt.h"
#include "server/log.h"

typedef struct sc_jwt_issuer_options {
    const char *keys;      ///< a file, or an address: "https://login.example/keys"
    const char *issuer;    ///< as in sc_jwt_terms; all copied
    const char *audience;  ///< the same
    const char *user;      ///< the same
    const char *ca;        ///< PEM file of authorities for the address; NULL: those of the system
    double refresh_s;      ///< of an address, > 0
    double retry_s;        ///< at least between two questions to it, > 0
    sc_log *log;           ///< borrowed; may be NULL
} sc_jwt_issuer_options;

/** Any thread may check tokens. */
typedef struct sc_jwt_issuer sc_jwt_issuer;

/**
 * Read the file of keys. Those at an address are asked for after sc_jwt_issuer_start().
 *
 * @return SC_OK, SC_EIO, SC_EPARSE, SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc_jwt_issuer_new(const sc_jwt_issuer_options *options, sc_jwt_issuer **out,
                                    sc_diag *diag);

/** Begin to ask for keys at an address, in a thread; nothing is done for a file. */
SC_CHECKED sc_err sc_jwt_issuer_start(sc_jwt_issuer *issuer, sc_diag *diag);

/** Read the file again, or ask the address soon. On failure the old keys stay. */
SC_CHECKED sc_err sc_jwt_issuer_reload(sc_jwt_issuer *issuer, sc_diag *diag);

/** Stop asking and free; NULL is fine. */
void sc_jwt_issuer_free(sc_jwt_issuer *issuer);

/** As sc_jwt_check(). Any thread. */
sc_jwt_verdict sc_jwt_issuer_check(sc_jwt_issuer *issuer, const char *text, int64_t now_s,
                                   sc_token *out);

/** Keys in use, checks of signatures and tokens that were remembered; for tests and metrics. */
typedef struct sc_jwt_issuer_stats {
    uint64_t keys;
    uint64_t checked;
    uint64_t remembered;
    uint64_t fetched;   ///< sets of keys that came from the address
    uint64_t failures;  ///< to fetch one
} sc_jwt_issuer_stats;
sc_jwt_issuer_stats sc_jwt_issuer_stats_of(sc_jwt_issuer *issuer);

#endif
