/**
 * @file issuer.h
 * @brief An issuer of anonymous tokens (Privacy Pass, RFC 9578, type 2): one token for each account
 *        and epoch, signed without being seen.
 *
 * It knows accounts and no query; a service that accepts its tokens (pass_issuer.h) knows queries
 * and no account. So its operator must be another than the service's; docs/split-trust.md says who
 * knows what.
 *
 *     POST /token-request     Authorization: Bearer TOKEN; application/private-token-request
 *     GET  /.well-known/private-token-issuer-directory
 *     GET  /healthz           {"status":"ok"}
 *
 * Accounts show a token of their own (token.h), signed by the issuer's token keys. Tokens are
 * signed for the present epoch alone: an account that is closed gets none from the next one on.
 *
 * One loop does everything, so an account that asks twice at once is asked about twice in turn. An
 * account is on the disk before anything is signed for it. Nothing is logged of accounts.
 */
#ifndef SC_ISSUER_ISSUER_H
#define SC_ISSUER_ISSUER_H

#include <starcloak/err.h>

#include "server/http.h"
#include "server/log.h"

typedef struct sc_issuer sc_issuer;

typedef struct sc_issuer_options {
    sc_http_options http;    ///< `handle`, `context`, `problem` and `loops` are the issuer's
    const char *state;       ///< a folder for keys and accounts
    const char *token_keys;  ///< by which tokens of accounts are signed: a file
    const char *revoked;     ///< a file; NULL: none
    int64_t epoch_s;         ///< > 0
    size_t max_accounts;     ///< of an epoch
    double address_rate;     ///< requests per second of one address; 0: no limit
    double address_burst;    ///< that may come at once
    sc_log *log;             ///< borrowed; may be NULL
} sc_issuer_options;

/** An epoch of an hour, a million accounts, 10 a second and 100 at once for each address. */
sc_issuer_options sc_issuer_options_default(void);

/** Open all, and make the keys that are missing; nothing is accepted yet. SC_EIO, SC_EPARSE,
 * SC_EINVAL, SC_ENOMEM. */
SC_CHECKED sc_err sc_issuer_new(const sc_issuer_options *options, sc_issuer **out, sc_diag *diag);

/** Serve. */
SC_CHECKED sc_err sc_issuer_start(sc_issuer *issuer, sc_diag *diag);

/** Read token keys, revoked tokens and certificates again; on failure all stay. */
SC_CHECKED sc_err sc_issuer_reload(sc_issuer *issuer, sc_diag *diag);

/** Its server; lent. */
sc_http *sc_issuer_http(sc_issuer *issuer);

/** NULL is fine. */
void sc_issuer_free(sc_issuer *issuer);

#endif
