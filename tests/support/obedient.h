/**
 * @file obedient.h
 * @brief Gateways that send ok and published at once, and keep the book on how each query ended.
 *
 * Query i is plain_query(i) (streams.h) and belongs to gateway 1 + i % gateways. A gateway reserves
 * what is open, publishes when it is told to, withdraws the copies of what has ended, and sends
 * again what is open again. A client may go away.
 */
#ifndef SC_TESTS_SUPPORT_OBEDIENT_H
#define SC_TESTS_SUPPORT_OBEDIENT_H

#include "support/received.h"
#include "worker/engine_pool.h"

typedef enum obedient_state {
    OBEDIENT_UNASKED = 0,
    OBEDIENT_OPEN,
    OBEDIENT_RESERVED,
    OBEDIENT_PUBLISHED,
    OBEDIENT_DROPPED,
    OBEDIENT_NOT_TAKEN,
    OBEDIENT_GONE,
    OBEDIENT_STATE_COUNT,
} obedient_state;

typedef struct obedient_query {
    sc_query query;
    obedient_state state;
    bool is_dropped;          ///< told while it was reserved
    sc_proposal_id proposal;  ///< for which it is reserved
} obedient_query;

typedef struct obedient {
    received received;
    sc_engine_pool *engines;        ///< set by the test, once there is one
    const sc_partition *partition;  ///< as the next
    uint32_t gateways;
    uint32_t query_count;
    obedient_query *queries;
    sc_proposal **proposals;  ///< reserved, of several gateways
    size_t proposal_count;
    size_t proposal_capacity;
    unsigned cloaks;
    unsigned noes;
    unsigned across;  ///< cloaks with members of different homes
} obedient;

/** It stays where it is. */
void obedient_open(obedient *o, uint32_t queries, uint32_t gateways);
void obedient_close(obedient *o);

/** Query `number` is asked. */
void obedient_ask(obedient *o, uint32_t number, sc_seg_id segment, uint32_t k, uint32_t l,
                  uint32_t max_hops, sc_time deadline);

/** Its client goes away, if it is open. */
void obedient_leave(obedient *o, uint32_t number);

/** Say all that are open again: parts have moved. */
void obedient_resend(obedient *o);

/** Hear and answer all that was sent; whether there was anything. */
bool obedient_listen(obedient *o, sc_time now);

/** How many are in that state. */
uint32_t obedient_count(const obedient *o, obedient_state state);

/** Each query that was asked has ended. That it has ended once only is looked at all the time. */
void obedient_check_ends(const obedient *o);

#endif
