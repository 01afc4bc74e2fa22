/**
 * @file own_bid.h
 * @brief Secret: a bid of this worker's: its cloak, whose members are in it, and what they said.
 *
 * Used by: bids.c.
 */
#ifndef SC_WORKER_OWN_BID_H
#define SC_WORKER_OWN_BID_H

#include "worker/proposals.h"

/** Somebody whose members are in a bid. */
typedef struct sc__party {
    sc_peer peer;
    bool has_said_ok;
    bool is_gone;  ///< silent again: what it has in the bid is not worth waiting for
} sc__party;

typedef struct sc__own_bid {
    sc_bid_id id;
    sc_cloak *cloak;
    uint32_t part;
    sc__allowance *allowance;  ///< that counts it as undecided; NULL once it is decided
    sc_time made;
    sc_peer releaser;  ///< R
    bool is_released;  ///< R decides from now on
    sc_time deadline;  ///< the least that is known
    sc_time last;      ///< the greatest of the members'
    sc_time moment;    ///< when patience is over
    sc_wish *wishes;   ///< of members that are not R's; NULL once they are said, or of a single one
    size_t wish_count;
    size_t wish_room;
    // How it ended.
    bool is_published;
    sc_time left;
    sc_query_id *gone;
    size_t gone_count;
    // Where it is.
    struct sc__own_bid *next;     ///< of its bucket, or of those that are done
    struct sc__own_bid *earlier;  ///< of those that wait
    struct sc__own_bid *later;
    size_t unsaid;  ///< gateways that have not said ok
    size_t gateway_count;
    sc__party gateways[];  ///< each once; room for one per member
} sc__own_bid;

/** Draw an id and R. All memory that it will ever need is taken; NULL if there is none. */
sc__own_bid *sc__own_bid_new(sc_cloak *cloak, uint32_t part, sc_rng *rng);

/** Wipe and free all but its cloak; NULL is fine. */
void sc__own_bid_free(sc__own_bid *bid);

/** NULL if that peer has no members in it. */
sc__party *sc__own_bid_party(sc__own_bid *bid, sc_peer peer);

/** Its members whose gateways are gone are named as not open; nobody, if there is no memory. */
void sc__own_bid_name_gone(sc__own_bid *bid);

/** As gateways are told of it: one for each, all or none. Free the list with sc_free(). */
sc_bid **sc__own_bid_tell(const sc__bids_options *options, const sc__own_bid *bid);

#endif
