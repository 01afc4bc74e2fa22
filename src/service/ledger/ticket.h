/**
 * @file ticket.h
 * @brief Secret: one query from its request to its outcome. The only place where a true position
 * waits.
 *
 * A ticket is made in the loop of an HTTP connection, handed to the ledger, and comes back to the
 * loop with its outcome. It is owned by one of them at a time, and wiped when it is freed. It holds
 * a keyed pseudonym and no user.
 */
#ifndef SC_LEDGER_TICKET_H
#define SC_LEDGER_TICKET_H

#include <starcloak/engine.h>
#include <starcloak/map.h>
#include <starcloak/query.h>
#include <starcloak/relay.h>

#include "courier/courier.h"

/** How a query ends (P8). */
typedef enum sc_outcome {
    SC_OUTCOME_NONE = 0,  ///< not yet
    SC_OUTCOME_ANSWERED,
    SC_OUTCOME_DROPPED,  ///< with an sc_drop_reason
    SC_OUTCOME_FAILED,   ///< with an sc_failure
    SC_OUTCOME_GONE,     ///< its client went away before it was published; not reported
} sc_outcome;

/** "answered", "dropped", "failed", "gone" */
const char *sc_outcome_name(sc_outcome outcome);

/** Where a query stands:
 *      open -> reserved(c) -> published(c) -> answered | failed | dropped (a rare request)
 *      open -> dropped | gone | failed
 *      reserved(c) -> open | gone | dropped | failed (in doubt at its deadline) */
typedef enum sc_ticket_state {
    SC_TICKET_NEW = 0,  ///< not yet the ledger's
    SC_TICKET_OPEN,
    SC_TICKET_RESERVED,
    SC_TICKET_PUBLISHED,
    SC_TICKET_SETTLED,  ///< it has its outcome
} sc_ticket_state;

/** What the roads of a query's cloak must be beyond l of them (docs/demands.md), as bits. */
#define SC_TICKET_DEMAND_MAP(X) \
    X(TRAFFIC, 1, "traffic")    \
    X(CLASSES, 2, "classes")    \
    X(ZONE, 4, "zone")          \
    X(CONTINUITY, 8, "continuity")

enum {
#define X(name, bit, word) SC_TICKET_##name = (bit),
    SC_TICKET_DEMAND_MAP(X)
#undef X
};

/** Parts that a ticket remembers; few queries reach more. */
enum { SC_TICKET_REACH = 16 };

typedef struct sc_ticket {
    // Set by the loop.
    sc_query query;      ///< times are sc_clock_us(); `own` is the ledger's to set
    sc_own_demands own;  ///< the user's zone; `reached` is the ledger's
    sc_seg_id *zone;     ///< the memory of that zone, if there is one: freed with the ticket
    size_t zone_count;
    sc_road_point at;    ///< where the traveller is, and which way it goes
    sc_request request;  ///< in normal form, categories as the courier's vocabulary has them
    sc_request wanted;   ///< what the traveller asked for, if `request` was rounded
    bool is_rounded;
    sc_time asked;
    double max_cost;  ///< steps (courier/cost_estimate.h) that its cloak may cost; 0: any number
    void *client;     ///< that waits for it; the ledger never looks at it
    unsigned loop;    ///< in which it waits
    bool is_watched;  ///< its client is told when its cloak leaves

    // The ledger's.
    sc_ticket_state state;
    struct sc_reservation *reservation;  ///< that it is reserved for, or was published in
    size_t place;                        ///< among the members of the proposal
    size_t moment;                       ///< its place among the deadlines (base/deadlines.h)
    size_t resend;                       ///< and among the moments when engines are told of it
    uint32_t home;                       ///< the part whose engine answers for it
    bool is_near;                        ///< other parts are in its reach
    bool is_spread;                      ///< they were told of it
    bool owes_add;                       ///< its home must be told of it again
    bool is_gone;                        ///< its client went away after it was reserved
    bool is_rare;                        ///< its cloak left without its request
    uint8_t reach_count;                 ///< of the next; 0: not known, or too many
    uint16_t reach[SC_TICKET_REACH];     ///< parts in its reach, its home first
    struct sc_ticket *next;              ///< for its owner

    // The outcome.
    sc_outcome outcome;
    sc_drop_reason drop;   ///< of SC_OUTCOME_DROPPED
    unsigned demands;      ///< of SC_DROP_EXPOSED: those in force, SC_TICKET_TRAFFIC and others
    sc_time linked_until;  ///< if continuity is among them: the last time at which it is
    sc_failure failure;    ///< of SC_OUTCOME_FAILED
    uint64_t cloak;        ///< the number of its cloak, of SC_OUTCOME_ANSWERED, as the next two
    uint32_t users;        ///< different ones of it
    uint32_t segments;
    sc_time published;  ///< when its cloak left; or when it was dropped
    sc_time settled;
    double cost;        ///< steps of its own request in the cloak proposed last; 0: there was none
    sc_answer *answer;  ///< of SC_OUTCOME_ANSWERED; freed with the ticket
} sc_ticket;

/** A zeroed ticket, or NULL. */
sc_ticket *sc_ticket_new(void);

/** Wipe, and free its answer and its zone: then it is as a new one. */
void sc_ticket_clear(sc_ticket *ticket);

/** Wipe and free, with its answer; NULL is fine. */
void sc_ticket_free(sc_ticket *ticket);

#endif
