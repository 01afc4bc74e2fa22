/**
 * @file publish.h
 * @brief Secret: from a proposal to what the provider sees, and back: relays, errands, seats.
 *
 * The one place where members' requests and positions are put together with a cloak. The relay
 * holds segments and requests (P7); the positions stay beside it, in the seats of the errand.
 *
 * Used by: ledger.c.
 */
#ifndef SC_LEDGER_PUBLISH_H
#define SC_LEDGER_PUBLISH_H

#include "ledger/books.h"

/** How errands are sent: sc_courier_send(), or what a test puts in its place. */
typedef sc_err sc__sender(void *context, sc_errand *errand);

typedef struct sc__publisher {
    // Set by whoever makes it.
    const sc_map *map;
    sc_rng *rng;
    sc__sender *send;
    void *send_context;
    sc_time provider_deadline_us;

    // Its own, zeroed at first: one place for each member.
    sc_request *requests;
    size_t request_capacity;
    uint32_t *which;
    size_t which_capacity;
    uint64_t *users;
    size_t user_capacity;
} sc__publisher;

/** Harmless twice. */
void sc__publisher_fini(sc__publisher *publisher);

/**
 * Send a proposal to the provider.
 *
 * @param relay  set on success: what was sent. Lent until the errand is back
 * @param users  set on success: how many different ones are behind it
 * @return SC_FAILURE_NONE, or why nothing was sent
 */
sc_failure sc__publish(sc__publisher *publisher, sc_proposal *proposal, sc_time now,
                       const sc_relay **relay, uint32_t *users);

/** The proposal that an errand was made for. */
sc_proposal *sc__errand_proposal(const sc_errand *errand);

/** Wipe and free an errand, with its relay and the answers that nobody took. NULL is fine. */
void sc__errand_free(sc_errand *errand);

#endif
