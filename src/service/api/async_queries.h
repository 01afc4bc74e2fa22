/**
 * @file async_queries.h
 * @brief Secret: queries with a life of their own: found by an id, kept by a lease, and their
 * outcomes.
 *
 *     waiting --published--> cloaked --> answered | dropped | failed
 *        +---------------------------> dropped | failed
 *        +-- lease over, or its client withdraws --> withdrawn
 *
 * A query that is asked asynchronously, or with an idempotency key, does not depend on a
 * connection. Its *lease* is renewed by every contact, and does not end while a request is held for
 * it; once it is over the ledger is told to withdraw the query, unless its cloak has left. An
 * outcome is *kept* for a while and then wiped.
 *
 *  1. A query is found by a keyed hash of its id and its owner together, so that the id of another
 *     user's query and one that never was are the same: not found. So it is with idempotency keys.
 *  2. No user, no position and no body is kept: of the body a keyed hash, in which another one
 *     under the same key is noticed.
 *  3. Outcomes are bounded in number and bytes. Where there are too many, the one that would be
 *     forgotten next is forgotten now.
 *  4. A query whose ticket is in the ledger, or that a request is held for, stays in memory, found
 *     or not: who has its address may use it.
 *
 * The table belongs to one thread at a time, and the time is an argument: see async_route.c.
 */
#ifndef SC_API_ASYNC_QUERIES_H
#define SC_API_ASYNC_QUERIES_H

#include <starcloak/query.h>

#include "base/deadlines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

/** Bytes of an id: random ones, and in a cluster those that seal the number of its gateway. */
enum { SC_ASYNC_RANDOM_SIZE = 16, SC_ASYNC_SEALED_SIZE = 8 };
enum { SC_ASYNC_ID_MAX = SC_ASYNC_RANDOM_SIZE + SC_ASYNC_SEALED_SIZE };

/** Of a user, of a body and of a key: keyed hashes. */
enum { SC_ASYNC_HASH_SIZE = 16 };

typedef struct sc_async_hash {
    uint8_t bytes[SC_ASYNC_HASH_SIZE];
} sc_async_hash;

typedef struct sc_async_id {
    uint8_t bytes[SC_ASYNC_ID_MAX];
    uint8_t size;
} sc_async_id;

/** Where a query stands, as its client is told. */
#define SC_ASYNC_STATE_MAP(X) \
    X(WAITING, "waiting")     \
    X(CLOAKED, "cloaked")     \
    X(ANSWERED, "answered")   \
    X(DROPPED, "dropped")     \
    X(FAILED, "failed")       \
    X(WITHDRAWN, "withdrawn")

typedef enum sc_async_state {
#define X(name, word) SC_ASYNC_##name,
    SC_ASYNC_STATE_MAP(X)
#undef X
        SC_ASYNC_STATE_COUNT
} sc_async_state;

const char *sc_async_state_name(sc_async_state state);

static inline bool sc_async_state_is_final(sc_async_state state)
{
    return state >= SC_ASYNC_ANSWERED;
}

/** How long things last and how many may be; those of the policy in force. */
typedef struct sc_async_limits {
    sc_time lease_us;
    sc_time keep_us;      ///< an outcome, after it was first told; twice as long if it never was
    size_t max_outcomes;  ///< kept at once
    size_t max_bytes;     ///< that they may have together
} sc_async_limits;

/** A request that is held for a query; the table only has the list. */
struct sc_async_waiter;
TAILQ_HEAD(sc_async_waiters, sc_async_waiter);

/** One query. Its fields are the table's to write, but for `waiters`, which are its user's. */
typedef struct sc_async_query {
    sc_async_id id;
    sc_async_hash place;      ///< of id and owner: where it is found
    sc_async_hash key_place;  ///< of key and owner, if it has a key
    sc_async_hash body;       ///< of what was sent under that key
    sc_query_id query;        ///< to withdraw it from the ledger by
    sc_time wait_us;          ///< that its body said; < 0: it said nothing
    sc_time lease_until;
    sc_time keep_until;  ///< once it is final
    size_t deadline;     ///< its place among leases or outcomes; SC_NO_DEADLINE
    uint8_t *outcome;    ///< JSON of `size` bytes; NULL: none, or memory was out
    uint32_t size;       ///< of it
    uint32_t holders;    ///< requests that are held for it
    sc_async_state state;
    uint16_t status;         ///< of a reply with the outcome
    uint16_t retry_after_s;  ///< of that; 0: none
    bool has_key;
    bool is_open;       ///< its ticket is in the ledger
    bool is_withdrawn;  ///< the ledger was told so
    bool is_told;       ///< its outcome was told at least once
    bool is_forgotten;  ///< it is not found any more
    struct sc_async_waiters waiters;
} sc_async_query;

/** How many there are and were. */
typedef struct sc_async_stats {
    uint64_t pending;                ///< without an outcome
    uint64_t outcomes;               ///< kept
    uint64_t bytes;                  ///< of them
    uint64_t asked;                  ///< since the start, as the rest
    uint64_t repeated;               ///< requests that asked again what was asked already
    uint64_t lapsed;                 ///< queries withdrawn since their lease was over
    uint64_t forgotten_told;         ///< outcomes whose time was over
    uint64_t forgotten_untold;       ///< the same, and no request had come for them
    uint64_t forgotten_crowded_out;  ///< to make room for others
    uint64_t forgotten_deleted;      ///< queries, with or without an outcome, by their clients
} sc_async_stats;

typedef struct sc_async_queries sc_async_queries;

SC_CHECKED sc_err sc_async_queries_new(sc_async_queries **out);

/** Wipe and free all that are there; none may be open or held. NULL is fine. */
void sc_async_queries_free(sc_async_queries *table);

sc_async_stats sc_async_queries_stats(const sc_async_queries *table);

// --- Asking --------------------------------------------------------------------------------------

/** What is known of a query when it is asked. */
typedef struct sc_async_ask {
    sc_async_id id;
    sc_async_hash owner;
    const char *key;  ///< lent; NULL: it has none
    size_t key_size;
    sc_async_hash body;  ///< if it has a key
    sc_query_id query;
    sc_time wait_us;
} sc_async_ask;

/**
 * Enter a query, waiting, open and held once.
 *
 * @return SC_OK; SC_EDUPLICATE (this user has a query of that key), SC_ENOMEM
 */
SC_CHECKED sc_err sc_async_queries_add(sc_async_queries *table, const sc_async_ask *ask,
                                       const sc_async_limits *limits, sc_time now,
                                       sc_async_query **out);

/** The query of that owner and id; NULL: there is none. Finding it is a contact. */
sc_async_query *sc_async_queries_find(sc_async_queries *table, const sc_async_id *id,
                                      const sc_async_hash *owner, const sc_async_limits *limits,
                                      sc_time now);

/** The same by its key; it counts as repeated if the body is the same. */
sc_async_query *sc_async_queries_find_key(sc_async_queries *table, const char *key, size_t key_size,
                                          const sc_async_hash *owner, const sc_async_hash *body,
                                          const sc_async_limits *limits, sc_time now);

// --- Presence ------------------------------------------------------------------------------------

/** A request is held for it: its lease does not end. */
void sc_async_query_hold(sc_async_query *query);

/** That request has its reply, or its client is gone: the lease runs from now. The query may be
 * freed by this. */
void sc_async_queries_release(sc_async_queries *table, sc_async_query *query,
                              const sc_async_limits *limits, sc_time now);

/**
 * Withdraw queries whose lease is over.
 *
 * @param ids  are filled with those that the ledger must be told of; once for each query
 * @return how many; fewer than `room`: there are no others now
 */
size_t sc_async_queries_lapse(sc_async_queries *table, const sc_async_limits *limits, sc_time now,
                              sc_query_id *ids, size_t room);

/**
 * Its client does not want it any more: it is not found from now on, and if it has no outcome it is
 * withdrawn. Held requests are to be told so; it may be freed by this if there are none.
 *
 * @return whether the ledger must be told
 */
bool sc_async_queries_delete(sc_async_queries *table, sc_async_query *query);

// --- Outcomes ------------------------------------------------------------------------------------

/** Its cloak has left: the lease does not count any more. */
void sc_async_queries_cloaked(sc_async_queries *table, sc_async_query *query);

/** What became of a query. */
typedef struct sc_async_outcome {
    sc_async_state state;
    uint16_t status;
    uint16_t retry_after_s;
    const void *json;  ///< copied
    size_t size;
} sc_async_outcome;

/**
 * Its ticket is back. The query may be freed by this, if it is not found any more and not held.
 *
 * @return whether held requests are to be told: false if it may have been freed
 */
bool sc_async_queries_settle(sc_async_queries *table, sc_async_query *query,
                             const sc_async_outcome *outcome, const sc_async_limits *limits,
                             sc_time now);

/** The outcome has been told: from the first time on it is kept for `keep_us`. */
void sc_async_queries_told(sc_async_queries *table, sc_async_query *query,
                           const sc_async_limits *limits, sc_time now);

/** Wipe outcomes whose time is over. */
void sc_async_queries_pass_time(sc_async_queries *table, sc_time now);

/** How many have a client that was in contact within its lease and does not know the outcome yet:
 * those that a service that stops has to wait for. */
size_t sc_async_queries_awaited(const sc_async_queries *table, sc_time now);

#endif
