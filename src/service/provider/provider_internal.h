/**
 * @file provider_internal.h
 * @brief What the files of the provider share: jobs, the pool that answers them, and counts.
 *
 * A *job* is one cloak with the request that carries it: a loop creates it (request_handler.c), an
 * evaluator answers it (evaluator_pool.c), and the loop sends the reply to the client. The fields'
 * owners are named below; a thread that hands a job on does not touch it again, except for the
 * loop, which may mark that the client has closed its connection.
 *
 *     loop --(one queue for all evaluators)--> evaluator --(a handover for each loop)--> loop
 *
 * Invariants:
 *  1. At most `max_open` jobs exist at a time, and every queue has room for all of them: handing on
 *     never fails.
 *  2. A job is freed by its loop after it came back; or, when all threads have ended, by the code
 * that empties the queues.
 */
#ifndef SC_PROVIDER_PROVIDER_INTERNAL_H
#define SC_PROVIDER_PROVIDER_INTERNAL_H

#include <stdatomic.h>

#include <starcloak/map.h>

#include "base/handover.h"
#include "base/histogram.h"
#include "base/thread_pool.h"
#include "provider/provider.h"

// --- Jobs ---------------------------------------------------------------------------

typedef struct sc__provider_job {
    // The loop's alone.
    sc_http_request *request;  ///< NULL: the client has gone
    sc_provider *provider;
    unsigned loop;
    int64_t came_us;

    // Set by the loop, read by the evaluator before it begins: the client has gone.
    atomic_bool is_unwanted;

    // Set before it is handed on.
    struct sc__provider_job *next;  ///< in the pool's queue
    sc_encoding encoding;

    // Written by the evaluator.
    sc_err err;
    sc_diag diag;    ///< of `err`
    sc_bytes reply;  ///< if it was answered

    size_t size;
    uint8_t body[];  ///< what was sent; also set before
} sc__provider_job;

/** With a copy of the body; NULL if there is no memory. */
sc__provider_job *sc__provider_job_new(const void *body, size_t size);

/** NULL is fine. */
void sc__provider_job_free(sc__provider_job *job);

// --- Counts -------------------------------------------------------------------

/** Statuses that are counted one by one; all others together. */
#define SC__STATUS_MAP(X) \
    X(200)                \
    X(400) X(404) X(405) X(408) X(409) X(413) X(415) X(417) X(422) X(431) X(500) X(501) X(503)

enum {
#define X(status) SC__STATUS_##status,
    SC__STATUS_MAP(X)
#undef X
        SC__STATUS_COUNT
};

/** Any thread may add. */
typedef struct sc__provider_counts {
    atomic_uint_fast64_t by_status[SC__STATUS_COUNT + 1];  ///< the last: of all others
    atomic_uint_fast64_t looked_up;                        ///< answers of border nodes, by index
    atomic_uint_fast64_t searched;                         ///< or by search
    atomic_uint_fast64_t unwanted;  ///< jobs whose client went away before its reply
    sc_histogram evaluation_s;      ///< decoding, evaluating, encoding
    sc_histogram reply_s;           ///< from the whole request to the reply, waiting included
} sc__provider_counts;

void sc__provider_counts_init(sc__provider_counts *counts);

void sc__provider_counts_status(sc__provider_counts *counts, int status);

// --- The pool of evaluators ----------------------------------------------------------------------

/** What a thread needs to answer. */
typedef struct sc__provider_evaluator {
    struct sc__provider_pool *pool;
    sc_lbs *lbs;
    sc_reply reply;    ///< filled again and again
    sc_lbs_work work;  ///< what was counted already
} sc__provider_evaluator;

/** What an evaluator does with a job; sc__provider_evaluate(), or what a test puts in its place. */
typedef void sc__answerer(sc__provider_evaluator *evaluator, sc__provider_job *job);

typedef struct sc__provider_pool {
    // Read only.
    const sc_map *map;
    const sc_provider_options *options;
    sc__provider_counts *counts;
    sc__answerer *answer;
    sc_handover *const *back;  ///< for each loop, where its jobs go when they are done
    sc__provider_evaluator *evaluators;
    size_t evaluator_count;
    sc_thread_pool *threads;  ///< one for each evaluator
} sc__provider_pool;

/**
 * Start the threads, all signals blocked in them. The read-only fields of `pool` must be set,
 * except for `evaluators`.
 */
SC_CHECKED sc_err sc__provider_pool_start(sc__provider_pool *pool, sc_diag *diag);

/** Wait until each evaluator has finished its job, and free jobs that wait. Harmless on a zeroed
 * pool, and twice. */
void sc__provider_pool_fini(sc__provider_pool *pool);

/** Queue a job. Any thread. */
void sc__provider_pool_put(sc__provider_pool *pool, sc__provider_job *job);

/** Jobs that wait for an evaluator. Any thread. */
size_t sc__provider_pool_waiting(sc__provider_pool *pool);

/** Decode, evaluate, encode. In the evaluator's thread. */
void sc__provider_evaluate(sc__provider_evaluator *evaluator, sc__provider_job *job);

// --- The provider ----------------------------------------------------------------------

struct sc_provider {
    const sc_map *map;
    sc_provider_options options;
    size_t max_open;
    sc_http *http;
    sc_handover **back;  ///< for each loop
    sc__provider_pool pool;
    sc__provider_counts counts;

    atomic_size_t open;  ///< jobs there are
    atomic_bool is_draining;
    _Atomic(int64_t) overload_logged_us;  ///< when an overload was last logged; 0: never
};

/** sc_provider_new() with another answerer. */
SC_CHECKED sc_err sc__provider_new(const sc_map *map, const sc_provider_options *options,
                                   sc__answerer *answer, sc_provider **out, sc_diag *diag);

/** The objects of this moment, held for the caller. Any thread. */
sc_objects *sc__provider_objects(const sc_provider_options *options);

/** For the server: a request arrived; jobs of a loop are done. */
void sc__provider_handle(void *context, unsigned loop, sc_http_request *request);
void sc__provider_take_done(void *context, unsigned loop);

/**
 * The encoding that a Content-Type names (NULL: it is missing); false if it names none, or another
 * version of the protocol.
 */
bool sc__media_type_read(const char *content_type, sc_encoding *out);

/** For people: why a Content-Type is not read, and which side to update if it is the version. */
const char *sc__media_type_problem(const char *content_type);

/** For sc_http_options.problem: problem details of requests that the server itself refuses. */
size_t sc__provider_refusal(void *context, int status, char *buffer, size_t room);

/** Append all counts, in Prometheus' text format; false if memory is out. */
bool sc__provider_metrics_write(sc_provider *provider, sc_bytes *out);

#endif
