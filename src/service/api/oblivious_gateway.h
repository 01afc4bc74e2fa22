/**
 * @file oblivious_gateway.h
 * @brief The gateway resource of Oblivious HTTP (RFC 9458): requests that come sealed by a relay.
 *
 *     client --sealed--> relay --sealed--> /.well-known/ohttp-gateway --opened--> routes
 *
 * The relay knows the client's address and sees no request; the service opens the request and sees
 * the relay's address alone. What is within goes to the same routes as what comes by itself, but
 * for pages of operators, and so do asynchronous queries, so that no connection of a relay has to
 * be held for one. docs/split-trust.md has the whole.
 *
 *     GET  /.well-known/ohttp-gateway   the keys to seal with (application/ohttp-keys)
 *     POST /.well-known/ohttp-gateway   a sealed request (message/ohttp-req)
 *
 * Keys take turns (oblivious_keys.h): in memory, or in a file that several gateways share and
 * `starcloak oblivious keys` rotates. Replays are refused within a window by the Date of the
 * request within (replay_store.h).
 */
#ifndef SC_API_OBLIVIOUS_GATEWAY_H
#define SC_API_OBLIVIOUS_GATEWAY_H

#include <starcloak/err.h>
#include <stdint.h>

#include "server/http.h"

#define SC_OBLIVIOUS_PATH "/.well-known/ohttp-gateway"

typedef struct sc_oblivious_gateway sc_oblivious_gateway;

typedef struct sc_oblivious_options {
    const char *keys;  ///< a file with them; NULL: made here, and kept in memory alone
    int64_t period_s;  ///< of keys that are made here
    int64_t window_s;  ///< how far the Date of a request may be from now
    size_t replays;    ///< requests that are remembered
} sc_oblivious_options;

/** Counted since the start; any thread. */
typedef struct sc_oblivious_stats {
    uint64_t opened;     ///< requests
    uint64_t unopened;   ///< sealed for no key of ours, or damaged
    uint64_t replayed;   ///< refused as come before
    uint64_t misdated;   ///< refused for their Date, or for want of one
    uint64_t crowded;    ///< refused, as the store of replays was full
    uint64_t keys_made;  ///< or read again from their file
} sc_oblivious_stats;

/**
 * Watches the time in the first loop of `http`, so before sc_http_start().
 *
 * @return SC_OK, SC_EINVAL, SC_EIO or SC_EPARSE (the file), SC_ENOMEM
 */
SC_CHECKED sc_err sc_oblivious_gateway_new(sc_http *http, const sc_oblivious_options *options,
                                           sc_oblivious_gateway **out, sc_diag *diag);

/** After the loops have stopped; NULL is fine. */
void sc_oblivious_gateway_free(sc_oblivious_gateway *gateway);

/** Read the file of keys again. On failure the old ones stay. Any thread. */
SC_CHECKED sc_err sc_oblivious_gateway_reload(sc_oblivious_gateway *gateway, sc_diag *diag);

/** The routes. */
void sc_oblivious_gateway_show_keys(sc_oblivious_gateway *gateway, sc_http_request *request);
void sc_oblivious_gateway_post(sc_oblivious_gateway *gateway, sc_http_request *request);

sc_oblivious_stats sc_oblivious_gateway_stats(const sc_oblivious_gateway *gateway);

#endif
