/**
 * @file provider_internal.h
 * @brief What the files of the provider share: parcels, desks, and what is counted.
 *
 * A *parcel* is one cloak on its way: a loop makes it of a request (counter.c), a desk answers it
 * (desk.c), and the loop gives the reply to the client. Who may touch which of its fields is said
 * below; whoever hands it on touches it no more, but for the loop, which may notice that the client
 * has gone.
 *
 *     loop --(one queue for all desks)--> desk --(a handover for each loop)--> loop
 *
 * Invariants:
 *  1. At most `max_open` parcels exist at a time, and every queue has room for all of them: handing
 *     on never fails.
 *  2. A parcel is freed by its loop, once it came back; or, when all threads have ended, by
 *     whoever finds it in a queue.
 *
 * Uses: provider. Used by: the files of this folder and their tests.
 */
#ifndef SC_PROVIDER_PROVIDER_INTERNAL_H
#define SC_PROVIDER_PROVIDER_INTERNAL_H

#include <stdatomic.h>

#include <starcloak/map.h>

#include "base/handover.h"
#include "base/histogram.h"
#include "base/thread_pool.h"
#include "provider/provider.h"

// --- Parcels ---------------------------------------------------------------------------

typedef struct sc__parcel {
    // The loop's alone.
    sc_http_request *request;  ///< NULL: the client has gone
    sc_provider *provider;
    unsigned loop;
    int64_t came_us;

    // Told by the loop to whoever is about to begin: nobody waits for it any more.
    atomic_bool is_unwanted;

    // Set before it is handed on.
    struct sc__parcel *next;  ///< in the desks' queue
    sc_encoding encoding;

    // The desk's, until it comes back.
    sc_err err;
    sc_diag diag;    ///< of `err`
    sc_bytes reply;  ///< if it was answered

    size_t size;
    uint8_t body[];  ///< what was sent; also set before
} sc__parcel;

/** With a copy of the body; NULL if there is no memory. */
sc__parcel *sc__parcel_new(const void *body, size_t size);

/** NULL is fine. */
void sc__parcel_free(sc__parcel *parcel);

// --- What is counted -------------------------------------------------------------------

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
typedef struct sc__tally {
    atomic_uint_fast64_t by_status[SC__STATUS_COUNT + 1];  ///< the last: of all others
    atomic_uint_fast64_t looked_up;                        ///< answers of border nodes, by index
    atomic_uint_fast64_t searched;                         ///< or by search
    atomic_uint_fast64_t unwanted;  ///< parcels whose client went away before its reply
    sc_histogram evaluation_s;      ///< decoding, evaluating, encoding
    sc_histogram reply_s;           ///< from the whole request to the reply, waiting included
} sc__tally;

void sc__tally_init(sc__tally *tally);

void sc__tally_status(sc__tally *tally, int status);

// --- Desks -----------------------------------------------------------------------------

/** What a thread needs to answer. */
typedef struct sc__desk {
    struct sc__desks *desks;
    sc_lbs *lbs;
    sc_reply reply;    ///< filled again and again
    sc_lbs_work work;  ///< what was counted already
} sc__desk;

/** What a desk does with a parcel; sc__desk_answer(), or what a test puts in its place. */
typedef void sc__answerer(sc__desk *desk, sc__parcel *parcel);

typedef struct sc__desks {
    // Read only.
    const sc_map *map;
    const sc_provider_options *options;
    sc__tally *tally;
    sc__answerer *answer;
    sc_handover *const *back;  ///< for each loop, where its parcels go when they are done
    sc__desk *desks;
    size_t desk_count;
    sc_thread_pool *threads;  ///< one for each desk
} sc__desks;

/**
 * Start the threads, all signals blocked in them. The rest of `desks`, its read-only fields but for
 * the desks themselves, must be set.
 */
SC_CHECKED sc_err sc__desks_start(sc__desks *desks, sc_diag *diag);

/** Let each desk finish what it has begun, wait for it, and free what still waits. Harmless on a
 * zeroed one, and twice. */
void sc__desks_fini(sc__desks *desks);

/** Hand a parcel on. Any thread. */
void sc__desks_put(sc__desks *desks, sc__parcel *parcel);

/** How many wait. Any thread. */
size_t sc__desks_waiting(sc__desks *desks);

/** Decode, evaluate, encode. In the desk's thread. */
void sc__desk_answer(sc__desk *desk, sc__parcel *parcel);

// --- The provider ----------------------------------------------------------------------

struct sc_provider {
    const sc_map *map;
    sc_provider_options options;
    size_t max_open;
    sc_http *http;
    sc_handover **back;  ///< for each loop
    sc__desks desks;
    sc__tally tally;

    atomic_size_t open;  ///< parcels there are
    atomic_bool is_draining;
    _Atomic(int64_t) overload_told_us;  ///< when an overload was last logged; 0: never
};

/** sc_provider_new() with another answerer. */
SC_CHECKED sc_err sc__provider_new(const sc_map *map, const sc_provider_options *options,
                                   sc__answerer *answer, sc_provider **out, sc_diag *diag);

/** The objects of this moment, held for the caller. Any thread. */
sc_objects *sc__provider_objects(const sc_provider_options *options);

/** For the server: a request has come; some parcels of a loop are done. */
void sc__counter_handle(void *context, unsigned loop, sc_http_request *request);
void sc__counter_ring(void *context, unsigned loop);

/** Which encoding a Content-Type speaks of (NULL: it is missing); false if it is none that is read
 * here. */
bool sc__media_type_read(const char *content_type, sc_encoding *out);

// --- Replies; in the loop's thread -----------------------------------------------------

/** Reply, and count it. */
void sc__counter_reply(sc_provider *provider, sc_http_request *request, int status,
                       const char *type, const void *body, size_t size);

/** Reply with problem details (RFC 9457) that have `title`. 405 needs `allow`; 503 gets
 * Retry-After. */
void sc__counter_problem(sc_provider *provider, sc_http_request *request, int status,
                         const char *title, const char *allow);

/** What the protocol answers to an error. */
int sc__counter_status(sc_err err);

/** For sc_http_options.problem: the same for what the server itself refuses. */
size_t sc__counter_refusal(void *context, int status, char *buffer, size_t room);

/** A page that can be read at that path, or below it; NULL if there is none. */
typedef struct sc__provider_entry {
    const char *path;
    void (*show)(sc_provider *provider, sc_http_request *request);
} sc__provider_entry;

const sc__provider_entry *sc__provider_page(const char *path);

/** Append all counts, in Prometheus' text format; false if memory is out. */
bool sc__tally_write(sc_provider *provider, sc_bytes *out);

#endif
