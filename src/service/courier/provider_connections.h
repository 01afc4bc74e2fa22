/**
 * @file provider_connections.h
 * @brief Bytes to a provider over HTTP and bytes back: one thread, some connections, retries.
 *
 * The thread is their own; or, in place (a courier without provider threads), that of the caller of
 * sc__connections_turn().
 *
 * This part knows neither roads nor answers. It takes *exchanges*, each with the bytes to send and
 * a deadline, and brings each back exactly once: with a reply, or with the reason why there is
 * none.
 *
 *     WAITING for a connection --> RUNNING --> back
 *        ^                            |
 *        |                            v  it failed, and that may pass
 *        +---------------------- PAUSING
 *
 *  1. At most `connections` exchanges are running, one on each; the others wait here and not in
 *     curl, which does not look at the time of what waits.
 *  2. Every exchange has a timer from the moment it is taken until it is back: its
 * deadline, the moment until which it must leave if no byte of it has, or the end of its pause.
 * Deadlines do not depend on curl.
 *  3. Each try sends the same bytes.
 *  4. The first byte of an exchange leaves before `leave_by_us`, or none does: it waits no longer
 *     for a connection, nor for one that is being made. Later tries have time until the deadline.
 *  5. Replies that wait to be read are bounded: when they hold too much, nothing new is begun.
 */
#ifndef SC_COURIER_PROVIDER_CONNECTIONS_H
#define SC_COURIER_PROVIDER_CONNECTIONS_H

#include "base/diag.h"
#include "base/thread.h"
#include "courier/courier.h"

#include <errno.h>
#include <string.h>

/** Bytes there and back. The caller keeps it where it is until it is back. */
typedef struct sc__exchange {
    // Set by the caller.
    const void *request;  ///< borrowed
    size_t request_size;
    int64_t leave_by_us;  ///< not after the deadline
    int64_t deadline_us;
    int64_t order_us;  ///< of those that wait for a connection, the least goes first
    bool is_dear;      ///< half of the connections are not for such
    sc_diag *diag;     ///< filled if it fails

    // Set when it is back.
    sc_failure failure;
    unsigned tries;
    int status;      ///< of HTTP, of the last try; 0: none came
    uint8_t *reply;  ///< give back with sc__connections_forget()
    size_t reply_size;

    // Of provider_connections.c.
    size_t timer;  ///< its place among the timers
    size_t place;  ///< and among those that wait for a connection
    bool is_sent;  ///< a byte of it has left, in this try or another
    bool is_told;  ///< `leaves` has been called
    enum { SC__WAITING, SC__RUNNING, SC__PAUSING } state;
    struct sc__connection *connection;  ///< that it is running on
    struct sc__exchange *next;          ///< of those that were posted and not taken yet
} sc__exchange;

typedef struct sc__connections sc__connections;

typedef struct sc__connections_hooks {
    /** The first byte of an exchange is about to be sent: once, in the connections' thread, must
     * be quick. May be NULL. */
    void (*leaves)(void *context, const sc__exchange *exchange);
    /** An exchange is back; in the connections' thread, must be quick. */
    void (*back)(void *context, sc__exchange *exchange);
    /** Whether one that failed may try again; in the connections' thread, and so at most once at a
     * time.
     */
    bool (*may_go_on)(void *context, const sc__exchange *exchange);
    void *context;
} sc__connections_hooks;

/**
 * Start its thread, all signals blocked in it, unless it is in place. curl has been set up by the
 * caller.
 *
 * @param options  the part about HTTP, and max_errands: how many exchanges there are at most
 * @param rng      taken over, also on failure
 * @return SC_OK, SC_EINVAL, SC_EIO (a file or a thread), SC_ENET, SC_ENOMEM
 */
SC_CHECKED sc_err sc__connections_new(const sc_courier_options *options,
                                      const sc__connections_hooks *hooks, sc_rng *rng,
                                      sc__connections **out, sc_diag *diag);

/** Whatever it has comes back first, as stopped. NULL is fine; twice is harmless. No exchange may
 * be sent any more. */
void sc__connections_stop(sc__connections *connections);

/** Stops it first; NULL is fine. */
void sc__connections_free(sc__connections *connections);

/** Rules that were read again, with other certificates. */
typedef struct sc__shared_rules sc__shared_rules;

/** Read them. @return SC_OK, SC_EINVAL, SC_EIO, SC_ENOMEM */
SC_CHECKED sc_err sc__shared_rules_read(const sc_courier_options *options, sc__shared_rules **out,
                                        sc_diag *diag);

/** Of some that are not used; NULL is fine. */
void sc__shared_rules_free(sc__shared_rules *rules);

/** Use them, which are taken, for exchanges that begin from now on. Any thread. */
void sc__connections_renew(sc__connections *connections, sc__shared_rules *rules);

/** Send it. Any thread; needs no memory and never waits. */
void sc__connections_post(sc__connections *connections, sc__exchange *exchange);

/** In place: take up what was posted, go on with what runs, bring back what has ended. Always the
 * same thread. Returns whether something came back well, and so waits to be read. */
bool sc__connections_turn(sc__connections *connections);

/** In place: whether an exchange is under way. */
bool sc__connections_is_busy(const sc__connections *connections);

/** In place: wait until a turn has something to do, one of `fds` has (8 at most), or it is
 * `wake_us`.
 */
void sc__connections_poll(sc__connections *connections, struct pollfd *fds, size_t count,
                          int64_t wake_us);

/** Its reply has been read: free it. Any thread. */
void sc__connections_forget(sc__connections *connections, sc__exchange *exchange);

/** Counted since the start; any thread. */
typedef struct sc__connections_counts {
    uint64_t tries;
    uint64_t bytes_out;
    uint64_t bytes_in;
} sc__connections_counts;

sc__connections_counts sc__connections_counts_of(const sc__connections *connections);

/** SC_OK, or SC_EIO: the system has no thread to give. */
SC_CHECKED static inline sc_err sc__thread_start(pthread_t *thread, void *(*run)(void *),
                                                 void *context, sc_diag *diag)
{
    if (!sc_thread_start(thread, run, context)) return SC_OK;
    return sc_fail(diag, SC_EIO, "cannot start a thread for the provider: %s", strerror(errno));
}

#endif
