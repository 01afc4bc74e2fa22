/**
 * @file own_proposal.h
 * @brief Secret: a proposal of this worker: its cloak, the gateways of its members, their replies.
 *
 * For proposals.c alone, which says when a proposal changes and where it is kept.
 */
#ifndef SC_WORKER_OWN_PROPOSAL_H
#define SC_WORKER_OWN_PROPOSAL_H

#include <starcloak/cloak.h>
#include <starcloak/rng.h>

#include "messages/messages.h"
#include "worker/backoff.h"

/** A gateway with members in a proposal. */
typedef struct sc__party {
    sc_peer peer;
    bool has_said_ok;
    bool is_gone;  ///< silent again: what it has in the proposal is not worth waiting for
} sc__party;

/** All memory that it will ever need is taken with it. */
typedef struct sc__own_proposal {
    sc_proposal_id id;
    sc_cloak *cloak;
    uint32_t part;
    sc__allowance *allowance;  ///< that counts it as undecided; NULL once it is decided
    sc_time made;
    sc_peer releaser;  ///< R
    bool is_released;  ///< R decides from now on
    sc_time deadline;  ///< the least that is known
    sc_time last;      ///< the greatest of the members'
    sc_time moment;    ///< when patience is over
    sc_wish *wishes;   ///< of members that are not R's; NULL once they are sent, or of a single one
    size_t wish_count;
    size_t wish_room;
    // How it ended.
    bool is_published;
    sc_time left;
    sc_query_id *gone;
    size_t gone_count;
    // Where it is.
    struct sc__own_proposal *next;     ///< of its bucket, or of those that are done
    struct sc__own_proposal *earlier;  ///< of those that wait
    struct sc__own_proposal *later;
    size_t unsaid;  ///< gateways that have not said ok
    size_t gateway_count;
    sc__party gateways[];  ///< each once; room for one per member
} sc__own_proposal;

/** Draw an id and R. NULL: memory is out, and the cloak is still the caller's. */
sc__own_proposal *sc__own_proposal_new(sc_cloak *cloak, uint32_t part, sc_rng *rng);

/** Wipe and free all but its cloak; NULL is fine. */
void sc__own_proposal_free(sc__own_proposal *proposal);

/** NULL if that peer has no members in it. */
sc__party *sc__own_proposal_gateway(sc__own_proposal *proposal, sc_peer peer);

/** Its members whose gateways are gone are named as not open; none, if memory is out. */
void sc__own_proposal_name_gone(sc__own_proposal *proposal);

/** As gateways are told of it by that worker: one for each, all or none. Free the list with
 * sc_free(). */
sc_proposal **sc__own_proposal_tell(sc_peer self, uint32_t engine_thread,
                                    const sc__own_proposal *proposal);

#endif
