/**
 * @file query_pass.h
 * @brief The anonymous token of `starcloak query --issuer`: asked for once in an epoch, and kept in
 * a file.
 *
 * The account's token is shown to the issuer, and the anonymous one to the service. The challenge
 * is computed here, of issuer, origin and epoch, and no other is taken: one that the service could
 * choose might mark who asks. docs/split-trust.md.
 */
#ifndef SC_APPS_QUERY_PASS_H
#define SC_APPS_QUERY_PASS_H

#include "oblivious/private_token_http.h"
#include "query_http.h"

/** All borrowed. */
typedef struct sc_pass_source {
    const char *issuer;   ///< its address, http:// or https://
    const char *name;     ///< of it in challenges; NULL: the host of the address
    const char *origin;   ///< the service's name; NULL: the host of `service`
    const char *service;  ///< the service's address
    const char *file;     ///< where the token is kept, for the owner alone
    const char *ca;       ///< as in sc_post
    const char *account;  ///< the token that the issuer is shown; NULL: none
    int64_t epoch_s;
} sc_pass_source;

/**
 * The token of the present epoch, from the file or the issuer, as the value of Authorization.
 *
 * @return SC_OK, SC_EIO (the file), SC_ENET (with a reason; also what the issuer refuses),
 * SC_EPARSE (what came is not of an issuer), SC_EINVAL (a name), SC_ENOMEM
 */
SC_CHECKED sc_err sc_pass_source_get(const sc_pass_source *source, int64_t now_s,
                                     char out[SC_PASS_AUTHORIZATION_SIZE], sc_diag *diag);

#endif
