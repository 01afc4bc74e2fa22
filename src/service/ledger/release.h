/**
 * @file release.h
 * @brief Secret: from a reservation to what the provider sees, and back: relays, errands, places.
 *
 * The one place where members' requests and positions are put together with a cloak. The relay
 * holds segments and requests (P7), those of other gateways' members too; the positions of our own
 * stay beside it, in the places of the errand.
 *
 * Where other gateways have members, the relay and the reply go to them as well, as a *result*. A
 * gateway that gets one sends an errand that only has to be read; the relay in it tells which
 * request is in which place.
 */
#ifndef SC_LEDGER_RELEASE_H
#define SC_LEDGER_RELEASE_H

#include "ledger/rare_requests.h"
#include "ledger/state.h"

/** How errands are sent: sc_courier_send(), or what a test puts in its place. */
typedef sc_err sc__sender(void *context, sc_errand *errand);

typedef struct sc__publisher {
    // Set by the caller.
    const sc_map *map;
    sc_rng *rng;
    sc__sender *send;
    void *send_context;
    const sc_vocabulary *vocabulary;  ///< the courier's: for results
    sc_time provider_deadline_us;
    sc__rare_requests *rare;  ///< owned; NULL: all requests are sent

    // Its own, zeroed at first: one place for each member, and two of `users`.
    sc_request *requests;
    size_t request_capacity;
    uint32_t *which;
    size_t which_capacity;
    uint64_t *users;
    size_t user_capacity;
    bool *is_rare;
    size_t is_rare_capacity;
} sc__publisher;

/** Harmless twice. */
void sc__publisher_fini(sc__publisher *publisher);

/** What has left for a cloak. */
typedef struct sc__departure {
    const sc_relay *relay;  ///< what was sent; lent until the errand is back. NULL: nothing was,
                            ///< since all requests are rare (rare_requests.h)
    uint64_t number;        ///< drawn for the cloak; in the errand, not in the relay
    uint32_t users;         ///< how many different ones are behind it
} sc__departure;

/**
 * Send the cloak of a reservation to the provider, without rare requests: members of ours that
 * make one are marked.
 *
 * @param out  set on success
 * @return SC_FAILURE_NONE, or why nothing was sent
 */
sc_failure sc__publish(sc__publisher *publisher, sc_reservation *reservation, sc_time now,
                       sc__departure *out);

/**
 * Send the result that has arrived for a reservation to the courier, which reads it. Where R could
 * not send the reply, the same cloak is asked for once more. Members whose request R has not sent
 * are marked as those of a rare request, if rare requests are looked at here; if there are no
 * others, nothing is sent.
 *
 * @param has_sent  set on success
 * @return SC_FAILURE_NONE, or why that cannot be done
 */
sc_failure sc__digest(sc__publisher *publisher, sc_reservation *reservation, sc_time now,
                      bool *has_sent);

/** What came back, for other gateways; NULL if memory is out, or there is nothing but the failure.
 */
sc_result *sc__errand_result(const sc__publisher *publisher, const sc_errand *errand);

/** The reservation that an errand was made for. */
sc_reservation *sc__errand_reservation(const sc_errand *errand);

/** Wipe and free an errand, with its relay, its reply and the answers that were not taken. NULL is
 * fine. */
void sc__errand_free(sc_errand *errand);

#endif
