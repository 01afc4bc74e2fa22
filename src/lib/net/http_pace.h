/**
 * @file http_pace.h
 * @brief How fast a provider is asked: limits of rate and of questions at once, for all threads
 * together, and leaving it alone for a while when it says so.
 */
#ifndef SC_NET_HTTP_PACE_H
#define SC_NET_HTTP_PACE_H

#include "net/http_batch.h"

#include <pthread.h>
#include <stdint.h>

/** Any thread. sc_http_pace_init() it, and leave it where it is. */
typedef struct sc_http_pace {
    pthread_mutex_t lock;
    double rate_per_s;    ///< 0: none
    double most_pause_s;  ///< it is left alone for at most so long, whatever its Retry-After says
    uint64_t parallel;
    uint64_t running;  ///< under the lock, as the next
    int64_t next_us;   ///< when the next may leave
} sc_http_pace;

/** @param deadline_s  no caller waits longer than that */
void sc_http_pace_init(sc_http_pace *pace, double rate_per_s, uint64_t parallel, double deadline_s);
void sc_http_pace_fini(sc_http_pace *pace);

/** For sc_http_batch: whether another question may leave now, and that one has ended. */
bool sc_http_pace_may_leave(sc_http_pace *pace, long *wait_ms);
void sc_http_pace_ends(sc_http_pace *pace);

/**
 * Whether a question is to be asked again after an answer with an error that may pass (429, 502,
 * 503, 504); if so, all leave the provider alone until then.
 *
 * @param retries  how often it was asked again; counted on
 */
bool sc_http_pace_again(sc_http_pace *pace, sc_http_arrival *arrival, unsigned *retries);

#endif
