/**
 * @file books_internal.h
 * @brief Secret: what the files of the books share: their pages.
 *
 *     books.c      tickets come, go, and run out of time
 *     proposals.c  what the engine says, and what leaves
 *     settle.c     how a ticket gets its outcome
 *
 * Used by: these three.
 */
#ifndef SC_LEDGER_BOOKS_INTERNAL_H
#define SC_LEDGER_BOOKS_INTERNAL_H

#include "ledger/books.h"
#include "ledger/examine.h"
#include "ledger/tickets.h"

struct sc__books {
    sc__books_options options;
    sc_rng *rng;
    sc__examiner examiner;
    sc__tickets tickets;    ///< all that have no outcome
    sc__moments deadlines;  ///< with the guard, of tickets that are open or reserved
    sc__moments releases;   ///< of proposals that are reserved and not yet due
    sc_proposal **due;      ///< the others
    size_t due_count;
    // Each proposal has a member that no other has: there are never more than tickets.
    sc_proposal *proposals;
    size_t proposal_count;       ///< that were ever used
    sc_proposal *idle_proposal;  ///< the first of those given back
    sc_ticket *first_settled;
    sc_ticket *last_settled;
    sc_ledger_stats stats;
};

// --- Outcomes (settle.c) -------------------------------------------------------------------

/** A ticket that is not in the books gets its outcome. */
void sc__hand_out(sc__books *books, sc_ticket *ticket, sc_outcome outcome, sc_time now);

/** One that is in the books gets its outcome and leaves them. */
void sc__settle_dropped(sc__books *books, sc_ticket *ticket, sc_drop_reason reason, sc_time now);
void sc__settle_failed(sc__books *books, sc_ticket *ticket, sc_failure failure, sc_time now);
void sc__settle_gone(sc__books *books, sc_ticket *ticket, sc_time now);
void sc__settle_answered(sc__books *books, sc_ticket *ticket, sc_answer *answer, sc_time now);

// --- Proposals that are off (proposals.c) --------------------------------------------------

/**
 * A reserved proposal is off. Its members are open again, but for `gone`, which may be NULL, and
 * those whose time has run out.
 */
void sc__withdraw_proposal(sc__books *books, sc_proposal *proposal, const sc_ticket *gone,
                           sc_time now);

/** A reserved proposal is off, and its members have failed. */
void sc__fail_proposal(sc__books *books, sc_proposal *proposal, sc_failure failure, sc_time now);

// --- Words for the engine ------------------------------------------------------------------

static inline void sc__tell(const sc__books *books, const sc__command *command)
{
    books->options.tell(books->options.context, command);
}

static inline void sc__tell_remove(const sc__books *books, const sc_ticket *ticket)
{
    sc__tell(books, &(sc__command){.kind = SC__COMMAND_REMOVE, .id = ticket->query.id});
}

#endif
