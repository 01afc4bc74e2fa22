/**
 * @file query_sealed.h
 * @brief The request of `starcloak query --relay`: sealed for the service, sent by a relay.
 *
 * The relay sees the address of this machine and no request, the service the request and the
 * relay's address. The keys to seal with come from the service itself, by a request that says
 * nothing: a relay that gave them could give its own, and read all. docs/split-trust.md.
 */
#ifndef SC_APPS_QUERY_SEALED_H
#define SC_APPS_QUERY_SEALED_H

#include "query_http.h"

typedef struct sc_sealing {
    const char *relay;  ///< where it is sent, http:// or https://
    const char *keys;   ///< a file of the service's keys (application/ohttp-keys); NULL: asked for
} sc_sealing;

/**
 * As sc_post_send(), by a relay.
 *
 * @return as that; SC_EPARSE: what came back is not from the service
 */
SC_CHECKED sc_err sc_post_send_sealed(const sc_post *post, const sc_sealing *sealing,
                                      sc_post_reply *out, sc_diag *diag);

#endif
