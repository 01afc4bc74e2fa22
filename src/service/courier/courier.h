/**
 * @file courier.h
 * @brief The way to the provider and back: a relay goes out, the exact answers for some places come
 * in.
 *
 * An *errand* is a relay and, beside it, the places on its segments for which answers are wanted.
 * The places never leave: they meet the reply when it is back, in a provider thread, where it is
 * decoded, checked as a whole (answer.h) and filtered. Four kinds of provider are behind one
 * interface:
 *
 *   built in   evaluated by the provider threads: tables in, tables out
 *   HTTP       docs/provider-protocol.md; all exchanges by one thread with curl's multi interface
 *   points     one that knows only points (point_provider.h); each thread asks by itself
 *   areas      one that lists what is in a box (area_provider.h); likewise, and all share its tiles
 *
 * With no provider threads the courier has no thread: it works *in place*, in that of its owner,
 * who gives it turns and waits with it (sc_courier_turn(), sc_courier_poll()). So it is with all
 * kinds but points and areas, which are waited for.
 *
 * An exchange that fails in a way that may pass (no connection, a timeout, 429, 500, 502, 503, 504)
 * is tried again with the same bytes, after a growing pause with jitter, as long as the errand's
 * deadline allows. A *breaker* opens after some failures in a row: errands then fail at once,
 * without asking the provider, until a single one that is let through has come back well.
 *
 * A cloak must not leave after the least deadline of its members (P5), however busy connections and
 * threads are. So an errand has a moment, `leave_by_us`, after which its first byte is not sent:
 * one that still waits then, for a thread, for a connection or for the other side to take it up,
 * fails at once as not sent in time. What has been sent before may be sent again until the
 * deadline.
 *
 * Knows positions (as edges, offsets and directions), neither users nor queries.
 */
#ifndef SC_COURIER_COURIER_H
#define SC_COURIER_COURIER_H

#include <starcloak/answer.h>
#include <starcloak/area_provider.h>
#include <starcloak/map.h>
#include <starcloak/object_feed.h>
#include <starcloak/objects.h>
#include <starcloak/point_provider.h>
#include <starcloak/relay_codec.h>
#include <starcloak/rng.h>

#include "base/histogram.h"
#include "courier/cost_estimate.h"
#include "messages/failure.h"

#include <poll.h>

/** An object of an answer, as the traveller is told of it. */
typedef struct sc_found {
    double distance_m;
    double duration_s;  ///< of the same way; SC_UNKNOWN_S from a provider that knows points only
    double x;           ///< longitude, or x of a planar map; NaN if the map has no coordinates
    double y;
    uint32_t name;  ///< places in the answer's texts; "" where there is none
    uint32_t category;
    uint32_t street;  ///< the road that it is on
    uint32_t key;     ///< how the provider calls it; the number of one of the map's own objects
} sc_found;

/** The exact answer for one place. One block of memory; free with sc_answer_free(). */
typedef struct sc_answer {
    size_t count;
    const sc_found *found;  ///< nearest first, in the metric of the request
    const char *texts;      ///< each ends with NUL
    size_t size;            ///< of the whole block, to be wiped
} sc_answer;

/** Wipe and free; NULL is fine. */
void sc_answer_free(sc_answer *answer);

/** A place that an answer is wanted for, and the answer. */
typedef struct sc_answer_place {
    sc_road_point at;
    uint32_t request;   ///< its place in the relay
    sc_answer *answer;  ///< set when the errand is back and did not fail; the caller's to free
} sc_answer_place;

typedef struct sc_errand {
    sc_relay *relay;          ///< the caller's, until the errand is back
    sc_answer_place *places;  ///< the caller's
    size_t place_count;
    int64_t leave_by_us;  ///< by sc_clock_us(): if nothing has been sent by then, nothing will be
    int64_t deadline_us;  ///< the same: after that it has failed, in any case
    uint64_t number;      ///< the caller's, for those who are told of what leaves; not sent
    uint32_t users;       ///< different ones of the cloak; the same
    /** Another gateway has asked, and this is the reply, in the compact encoding: nothing is sent,
     * a thread reads it; the breaker and the counts, which tell how the provider does, are left
     * alone. The caller's; NULL: ask. */
    const void *given;
    size_t given_size;
    bool wants_reply;  ///< another gateway needs the reply too: `reply` is filled
    void *context;     ///< the caller's
    // Set when it is back:
    sc_failure failure;
    sc_diag diag;      ///< for the operator: never a position
    double latency_s;  ///< from being sent to being back, retries included
    /** If wanted, and it did not fail: what others are given, in the compact encoding, so that they
     * find the same answers; the caller's to release. Empty: a gateway that needs it asks for the
     * same cloak by itself. So it is with a provider of points, and with one that is built in while
     * its set of objects has other categories than the courier. Without memory to write it the
     * errand fails, as overloaded. */
    sc_bytes reply;
    unsigned tries;
} sc_errand;

typedef enum sc_courier_kind {
    SC_COURIER_BUILT_IN,
    SC_COURIER_HTTP,
    SC_COURIER_POINTS,
    SC_COURIER_AREAS
} sc_courier_kind;

typedef struct sc_courier_options {
    sc_courier_kind kind;
    unsigned threads;    ///< provider threads, up to 64; with points and areas: how many cloaks are
                         ///< asked for at once, 1 at least. 0: in place, without any thread
    size_t max_errands;  ///< under way at once; more are refused
    // built in
    sc_objects *objects;   ///< held by the caller, who outlives the courier; or NULL, and then:
    sc_object_feed *feed;  ///< the current set is asked for each errand
    // HTTP
    const char *url;
    sc_encoding encoding;
    const char *ca;           ///< PEM; NULL: the system's
    const char *certificate;  ///< PEM, of ours, with its key; NULL: none
    const char *key;
    unsigned connections;  ///< kept open to the provider at most
    double try_timeout_s;  ///< for one try
    // points
    const sc_point_settings *points;  ///< outlives the courier
    // areas
    const sc_area_settings *areas;  ///< outlives the courier
    // all of these: what the provider calls categories that the map does not have
    const char *const *more_categories;
    size_t more_category_count;
    // both that may fail
    unsigned breaker_failures;  ///< in a row, that open the breaker; 0: it never opens
    double breaker_pause_s;     ///< until one is let through
    sc_filter_options filter;
    /** HTTP alone: these very bytes are the body that is sent for an errand. Called at most once,
     * however often it is tried: when there is a connection for the first time and the next thing
     * is to speak on it. So never for an errand of which nothing is said; and for one that may
     * yet fail. In the connections' thread; must be quick. The bytes are lent. May be NULL. */
    void (*leaves)(void *context, const sc_errand *errand, const void *bytes, size_t size);
    /** Called by a provider thread (or another of the courier) when an errand is back; must be
     * quick. In place: called by sc_courier_turn() and sc_courier_free(). */
    void (*back)(void *context, sc_errand *errand);
    void *context;
} sc_courier_options;

/** Built in without objects (so of no use yet); 1 provider thread, 10,000 errands; compact, 8
 * connections, 3 s a try; a breaker that opens after 8 failures for 5 s. */
sc_courier_options sc_courier_options_default(void);

typedef struct sc_courier sc_courier;

/**
 * Start the threads, all signals blocked in them. Options are copied, texts too.
 *
 * @param map  borrowed
 * @return SC_OK, SC_EINVAL, SC_ENET (curl cannot be set up), SC_EIO (a file or a thread),
 * SC_ENOCOORDS, SC_ENOMEM
 */
SC_CHECKED sc_err sc_courier_new(const sc_map *map, const sc_courier_options *options, sc_rng *rng,
                                 sc_courier **out, sc_diag *diag);

/** Whatever is under way comes back first, as stopped; then the threads end. NULL is fine. */
void sc_courier_free(sc_courier *courier);

/** Certificates for a provider over HTTP that were read again. */
typedef struct sc__shared_rules sc_courier_files;

/**
 * Read the certificates and the key that `options` name, for a provider over HTTP that is at the
 * same address.
 *
 * @return SC_OK, SC_EINVAL, SC_EIO, SC_ENOMEM
 */
SC_CHECKED sc_err sc_courier_read_files(const sc_courier_options *options, sc_courier_files **out,
                                        sc_diag *diag);

/** Use them, which are taken, for connections that are opened from now on; what is under way is not
 * disturbed. Any thread. */
void sc_courier_use_files(sc_courier *courier, sc_courier_files *files);

/** They are not used after all; NULL is fine. */
void sc_courier_files_free(sc_courier_files *files);

/**
 * Send an errand. Any thread; never waits.
 *
 * @return SC_OK: it will come back, exactly once, failed or not; SC_EBUSY (too many under way): it
 * won't
 */
SC_CHECKED sc_err sc_courier_send(sc_courier *courier, sc_errand *errand);

/** Whether it has no thread, and needs the next two. */
bool sc_courier_is_in_place(const sc_courier *courier);

/**
 * In place: do what there is to do, in this thread; always the same one. No errand is begun with
 * after `until_us`, so that the caller can look after others.
 *
 * @return whether something is left that need not wait
 */
bool sc_courier_turn(sc_courier *courier, int64_t until_us);

/** In place: whether a provider elsewhere has been asked, and has not answered. */
bool sc_courier_is_asking(const sc_courier *courier);

/** As poll() on `count` descriptors, 8 at most; in place, it returns also when a turn has something
 * to do. `wake_us`: by sc_clock_us(), when to return at last. */
void sc_courier_poll(sc_courier *courier, struct pollfd *fds, size_t count, int64_t wake_us);

/**
 * The words for categories that requests may use, the same as long as the courier lives: the map's,
 * then those of the objects at the start, then `more_categories`. A set of objects that is loaded
 * later is asked by words. Lent; any thread.
 */
const sc_vocabulary *sc_courier_vocabulary(const sc_courier *courier);

/** What requests cost, by the objects that the last errand was answered from. Lent; any thread. */
const sc_cost_estimator *sc_courier_costs(const sc_courier *courier);

/** Counted since the start; any thread. All but the first without replies that were given. */
typedef struct sc_courier_stats {
    uint64_t under_way;
    uint64_t sent;   ///< errands
    uint64_t tries;  ///< exchanges begun, retries included
    uint64_t failed[SC_FAILURE_COUNT];
    uint64_t bytes_out;  ///< bodies, over HTTP
    uint64_t bytes_in;
    bool is_suspended;  ///< the breaker is open
    uint64_t times_suspended;
} sc_courier_stats;

/** What its provider of areas has and did. False: it has none. Any thread. */
bool sc_courier_areas(sc_courier *courier, sc_area_status *out);

sc_courier_stats sc_courier_stats_of(sc_courier *courier);

/** Seconds from sending to being back, of all errands that came back well. Lent; any thread. */
const sc_histogram *sc_courier_latency(const sc_courier *courier);

#endif
