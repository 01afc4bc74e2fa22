/**
 * @file upstream.h
 * @brief The way from the relay to the gateway: a thread with many requests under way.
 *
 * A passage is one sealed request. A loop makes it and posts it; the thread sends it, and hands it
 * back to the loop it came from, with a reply or without. Its fields belong to its holder; only
 * `is_gone` may be set by the loop meanwhile, when the client goes, and then the thread gives it up
 * soon, so that the gateway sees it go, too.
 */
#ifndef SC_OBLIVIOUS_RELAY_UPSTREAM_H
#define SC_OBLIVIOUS_RELAY_UPSTREAM_H

#include <starcloak/bytes.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "base/handover.h"
#include "net/http_client.h"

typedef struct sc__passage {
    void *client;  ///< the loop's
    unsigned loop;
    sc_bytes request;
    // The reply.
    bool is_answered;  ///< false: the gateway could not be reached, or not in time
    bool is_late;
    long status;
    char type[64];  ///< of the body
    long retry_after_s;
    sc_http_body reply;
    // The thread's.
    CURL *easy;
    TAILQ_ENTRY(sc__passage) link;
    atomic_size_t *held;  ///< the reply's bytes are counted here; NULL: not begun

    atomic_bool is_gone;
} sc__passage;

typedef struct sc__upstream sc__upstream;

typedef struct sc__upstream_options {
    const char *url;
    const char *ca;
    const char *certificate;
    const char *key;
    double timeout_s;
    size_t max_waiting;  ///< so many passages are there at most
    sc_handover **back;  ///< one for each loop, of sc__passage *
} sc__upstream_options;

/** Ready; the thread begins with sc__upstream_start(). SC_ENET (curl), SC_EIO, SC_ENOMEM. */
SC_CHECKED sc_err sc__upstream_new(const sc__upstream_options *options, sc__upstream **out,
                                   sc_diag *diag);
SC_CHECKED sc_err sc__upstream_start(sc__upstream *upstream, sc_diag *diag);

/** Ends the thread: all that is under way is handed back without a reply. */
void sc__upstream_stop(sc__upstream *upstream);

/** After the stop; NULL is fine. */
void sc__upstream_free(sc__upstream *upstream);

/** False if there is no room: nothing is done then. Any thread. */
bool sc__upstream_post(sc__upstream *upstream, sc__passage *passage);

/** A passage has `is_gone` now. Any thread. */
void sc__upstream_forsake(sc__upstream *upstream, sc__passage *passage);

/** NULL is fine. Wipes. */
void sc__passage_free(sc__passage *passage);

#endif
