/**
 * @file async_route_internal.h
 * @brief Secret: requests that are held, as async_route.c and async_visits.c share them.
 *
 * A waiter is one of three: a request of ours for a query of ours; a *guest*, which has no request,
 * since another gateway has the client; a *visitor*, which has no query, since another gateway has
 * that.
 */
#ifndef SC_API_ASYNC_ROUTE_INTERNAL_H
#define SC_API_ASYNC_ROUTE_INTERNAL_H

#include "api/async_route.h"
#include "base/handover.h"

#include <pthread.h>
#include <sodium.h>

/** What is replied with. */
typedef enum reply_form {
    FORM_HELD,   ///< the outcome as of a query that is held
    FORM_ASYNC,  ///< the same, or 202
    FORM_LOOK,   ///< where it stands
} reply_form;

struct sc_async_waiter {
    TAILQ_ENTRY(sc_async_waiter) link;  ///< under the lock
    bool is_woken;                      ///< under the lock: which list it is in
    sc_async_route *route;
    sc_http_request *request;  ///< NULL: of a client of another gateway
    sc_async_query *query;     ///< NULL: another gateway has it
    sc_peer peer;              ///< that gateway, of either
    uint64_t number;           ///< of the visit, of either
    unsigned loop;
    reply_form form;
    bool is_preferred;
    bool has_known;  ///< it is told as soon as the state is not `known`; else once it is final
    sc_async_state known;
    size_t until;  ///< its place among the deadlines of its loop

    // Of a query that another gateway has.
    sc_async_id id;
    sc_async_hash owner;
    uint32_t place;    ///< among those that wait for an answer
    sc_visit *answer;  ///< under the lock; NULL: there is none yet
};

typedef struct async_loop {
    sc_handover *bell;              ///< readable: some are woken
    sc_deadlines until;             ///< of its waiters; its thread's
    sc_bytes reply;                 ///< being composed; its thread's, wiped after each
    struct sc_async_waiters woken;  ///< under the lock
} async_loop;

/** For a visitor that waits for another gateway. */
typedef struct visitor_place {
    struct sc_async_waiter *waiter;  ///< NULL: it is free
} visitor_place;

struct sc_async_route {
    sc_service_internal *service;
    uint8_t owner_key[crypto_generichash_KEYBYTES];
    uint8_t body_key[crypto_generichash_KEYBYTES];
    async_loop *loops;  ///< service->loops of them

    // Of a cluster; set before the start.
    sc_gateway *gateway;  ///< NULL: there is none
    sc_handover *visits;  ///< of sc_msg, for the first loop; NULL as well
    uint8_t seal_key[crypto_shorthash_KEYBYTES];

    // Under `lock`.
    pthread_mutex_t lock;
    sc_async_queries *table;
    visitor_place *visitors;
    size_t visitor_capacity;
    uint64_t visit_number;  ///< of the last
};

static inline sc_async_limits sc__async_limits(const sc_policy *policy)
{
    enum { BYTES_EACH = 4096 };
    return (sc_async_limits){.lease_us = policy->lease_us,
                             .keep_us = policy->outcome_keep_us,
                             .max_outcomes = policy->max_outcomes,
                             .max_bytes = policy->max_outcomes * BYTES_EACH};
}

enum { LOCATION_ROOM = 16 + SC_ASYNC_ID_TEXT, HEADERS_MAX = 3 };

/** A reply without its body, which is in the loop's bytes. */
typedef struct told {
    int status;
    bool is_problem;
    bool is_applied;
    char location[LOCATION_ROOM];  ///< "": none
    unsigned retry_after_s;        ///< 0: none
} told;

/** What is asked of a waiter. */
typedef struct sc__async_asked {
    sc_http_request *request;
    unsigned loop;
    reply_form form;
    bool is_preferred;
    bool has_known;
    sc_async_state known;
    sc_time wait_us;  ///< < 0: until it is told
    sc_peer peer;     ///< of a guest or a visitor
    uint64_t number;
} sc__async_asked;

/** In the loop's thread; NULL if memory is out. It is in no list yet. */
struct sc_async_waiter *sc__async_waiter_new(sc_async_route *route, const sc__async_asked *asked,
                                             sc_time now);
void sc__async_waiter_free(struct sc_async_waiter *waiter);

/** For sc_http_on_gone(). */
void sc__async_waiter_gone(void *context);

/** Under the lock: put it among those that its loop replies to. It is in no other list. */
void sc__async_waiter_wake(sc_async_route *route, struct sc_async_waiter *waiter);

/** Under the lock: it is in no list any more, and does not hold its query. */
void sc__async_waiter_detach(sc_async_route *route, const sc_policy *policy,
                             struct sc_async_waiter *waiter, sc_time now);

/** The lock is held and the query is, by this request; afterwards neither is. Replies now, or once
 * there is something to tell. */
void sc__async_serve_and_unlock(sc_async_route *route, const sc_policy *policy,
                                const sc__async_asked *asked, sc_async_query *query, sc_time now);

/** The lock is held, and is not any more: its query is withdrawn. */
void sc__async_delete_and_unlock(sc_async_route *route, sc_async_query *query);

// --- Queries of other gateways (async_visits.c) --------------------------------------------------

/** Watches the first loop. @param names_key  of all gateways */
SC_CHECKED sc_err sc__async_visits_open(sc_async_route *route, const uint8_t *names_key);
void sc__async_visits_close(sc_async_route *route);

/** Bytes of ids here: those of a cluster name their gateway. */
size_t sc__async_id_size(const sc_async_route *route);

/** Add the number of this gateway to the random bytes of an id, sealed. */
void sc__async_id_seal(const sc_async_route *route, sc_async_id *id);

/** The gateway that has a query of that id; SC_PEER_NONE: this one. */
sc_peer sc__async_id_home(const sc_async_route *route, const sc_async_id *id);

/** A request about a query. */
typedef struct sc__async_request {
    sc_http_request *request;
    unsigned loop;
    sc_async_hash owner;
    sc_async_id id;
    sc_peer home;
} sc__async_request;

/**
 * Ask the gateway that has it.
 *
 * @param wanted  of a look; NULL: it is to be deleted
 * @return whether the request is held now; if not, `problem` says why
 */
bool sc__async_visit(sc_async_route *route, const sc__async_request *asked,
                     const sc_async_look *wanted, sc_problem *problem);

/** A visitor has its answer, or its time is over. The lock is held, and is not any more. */
void sc__async_visitor_tell_and_unlock(sc_async_route *route, struct sc_async_waiter *waiter);

/** Its client is gone: its gateway is told, so that the lease runs. */
void sc__async_visitor_gone(sc_async_route *route, const struct sc_async_waiter *waiter);

/** What there is to tell a guest. */
void sc__async_guest_answer(sc_async_route *route, sc_peer peer, uint64_t number, unsigned status,
                            const void *body, size_t size);

#endif
