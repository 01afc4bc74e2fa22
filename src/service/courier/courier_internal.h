/**
 * @file courier_internal.h
 * @brief What is inside a courier: jobs, their queue, the provider threads.
 *
 * A *job* is an errand on its way. All jobs there can be are made at the start, so that sending
 * needs no memory; how many are out is how many errands are under way.
 *
 *     send --> queue --> a thread --> back                        built in, points
 *     send --> queue --> a thread writes --> connections --> queue --> a thread reads --> back HTTP
 *     send --> queue --> a thread reads --> back                  a reply that is given
 *
 * Every job goes through sc__courier_settle() exactly once.
 *
 * In place there is one answerer without a thread; the connections have none either, and there is
 * no watch, since the caller of sc_courier_turn() has nothing else to wait for.
 *
 * A job that waits in the queue for longer than until it must leave is taken out by the *watch*, a
 * thread that sleeps until the next such moment: provider threads may all be busy for long.
 */
#ifndef SC_COURIER_COURIER_INTERNAL_H
#define SC_COURIER_COURIER_INTERNAL_H

#include "base/deadlines.h"
#include "courier/answerer.h"
#include "courier/breaker.h"
#include "courier/courier.h"
#include "courier/provider_connections.h"
#include "courier/request_categories.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct sc__job {
    sc_errand *errand;
    int64_t sent_us;
    int64_t leave_by_us;  ///< the errand's, and not after its deadline
    double cost;          ///< steps that the provider needs for it, estimated
    int64_t order_us;     ///< its place in queues: see sc__order_of()
    bool is_dear;         ///< it costs so much that few of its kind are under way at once
    bool is_trial;        ///< for the breaker
    bool is_replied;      ///< there is a reply to be read: nothing has to leave any more
    // Over HTTP.
    sc_bytes request;  ///< what the exchange sends
    sc__exchange exchange;

    struct sc__job *next;  ///< among the spare ones
    size_t place;          ///< in the queue
    size_t leaving;  ///< in the queue, unless it is replied: its place among those that must leave
} sc__job;

/** A provider thread; in place, what one would need. */
typedef struct sc__provider_thread {
    sc_courier *courier;
    sc__answerer answerer;
    sc_rng *rng;                ///< of points
    sc_point_provider *points;  ///< that it asks; else NULL
    sc_area_asker *asker;       ///< of areas; else NULL
    pthread_t thread;
} sc__provider_thread;

struct sc_courier {
    atomic_uint_fast64_t counted_loads;  ///< of the feed, when its objects were counted; any thread

    // Read-only once it has started.
    const sc_map *map;
    sc_courier_options options;  ///< without its texts
    sc__categories categories;
    sc_cost_estimator *costs;      ///< its objects: any thread
    sc_area_provider *areas;       ///< NULL: it is of another kind
    sc__connections *connections;  ///< over HTTP
    bool has_curl;                 ///< whether curl knows of us
    sc__provider_thread *threads;
    bool is_in_place;        ///< no threads
    unsigned thread_count;   ///< that are made
    unsigned running_count;  ///< of them, with a thread; of the one who starts and stops
    pthread_t watch;
    bool has_watch;  ///< of the one who starts and stops

    // Under the lock, which is held for a few assignments.
    pthread_mutex_t lock;
    pthread_cond_t is_needed;   ///< a provider thread: a job is in the queue, or it is over
    pthread_cond_t is_over;     ///< by the clock of sc_clock_us()
    sc_deadlines queue[2];      ///< by order_us; of cheap jobs, and of dear ones
    unsigned dear_count;        ///< provider threads that have a dear job
    sc_deadlines leaving;       ///< of jobs in the queue that are not replied: when they must leave
    pthread_cond_t is_changed;  ///< the watch: it must look earlier than it meant to, or it is over
    int64_t look_us;            ///< when the watch means to look
    sc__job *jobs;              ///< all of them; untouched memory behind the first `job_count`
    size_t job_count;
    sc__job *spare;       ///< of those, the ones that are free
    size_t under_way;     ///< the others
    unsigned idle_count;  ///< provider threads that wait and have not been called
    bool is_stopping;
    sc__breaker breaker;
    int64_t well_us;   ///< when an errand came back well last
    double well_cost;  ///< the cost of those, on average over some time; 0: there was none

    // Of all.
    atomic_uint_fast64_t sent;
    atomic_uint_fast64_t tries;  ///< but those of the connections, as the next two
    atomic_uint_fast64_t bytes_out;
    atomic_uint_fast64_t bytes_in;
    atomic_uint_fast64_t failed[SC_FAILURE_COUNT];
    sc_histogram latency;
};

// --- The queue and the breaker (provider_threads.c) -----------------------------------------
//
// Cheap jobs go before dear ones, and old ones before new ones: each is sorted in at the moment it
// was sent and some time for each step that it costs, so that a dear one waits for those that come
// within that time, and no longer. And half of the provider threads, and of the connections, are
// never given to dear jobs. A user has no more jobs here than pending queries (user-pending), also
// when its clients have gone away.

/** Where a job is sorted in: ten microseconds later for each step, fifty times what a step takes,
 * so that the dearest that are usual wait some seconds for others; never more than a minute. */
static inline int64_t sc__order_of(int64_t sent_us, double cost)
{
    return sent_us + (int64_t)(cost < 6e6 ? cost * 10.0 : 6e7);
}

/** Put a job into the queue and call a provider thread. Any thread. */
void sc__courier_enqueue(sc_courier *courier, sc__job *job);

/** The next job; waits for one. NULL: the courier stops. The caller owes sc__courier_done(). */
sc__job *sc__courier_next(sc_courier *courier);

/** A provider thread is done with a job that it was given, which may be gone. */
void sc__courier_done(sc_courier *courier, bool was_dear);

/** The next job, without waiting; NULL: there is none. */
sc__job *sc__courier_take(sc_courier *courier);
bool sc__courier_has_jobs(sc_courier *courier);

/** The watch's thread; `context` is the courier. */
void *sc__watch_run(void *context);

/** Wait until a moment; false if the courier stops before. */
bool sc__courier_pause(sc_courier *courier, int64_t until_us);

/** Whether the breaker lets a new job through, and one that was let through go on. */
bool sc__courier_admit(sc_courier *courier, sc__job *job);
bool sc__courier_may_go_on(sc_courier *courier, const sc__job *job);

/** Whether it is too late to begin with a job; the errand's diagnosis says so then. */
bool sc__courier_is_too_late(const sc__job *job);

/** The errand is back: release its job and tell. */
void sc__courier_settle(sc_courier *courier, sc__job *job, sc_failure failure);

/** Bring back what is still in the queue, as stopped; when all threads have ended. */
void sc__courier_clear(sc_courier *courier);

// --- What provider threads do ------------------------------------------------------------

/** What a provider thread runs; `context` is its sc__provider_thread. */
void *sc__provider_thread_run(void *context);

/** For the connections: `context` is the courier. */
void sc__exchange_leaves(void *context, const sc__exchange *exchange);
void sc__exchange_back(void *context, sc__exchange *exchange);
bool sc__exchange_may_go_on(void *context, const sc__exchange *exchange);

/** Count the objects again for the estimate of costs, unless these are the feed's set of so many
 * loads that was counted before. Any thread. */
void sc__courier_recount(sc_courier *courier, const sc_objects *objects, uint64_t loads);

#endif
