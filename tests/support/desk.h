/**
 * @file desk.h
 * @brief Books on a desk, for tests that play the ledger: tickets by number, made-up cloaks, and
 * everything that the engine was told.
 *
 * Ticket i has the id and the user of plain_query(i) (streams.h). A cloak here is a list of members
 * on one segment; only the paranoid would mind.
 *
 * Used by: tests of the ledger.
 */
#ifndef SC_TESTS_SUPPORT_DESK_H
#define SC_TESTS_SUPPORT_DESK_H

#include "base/rng.h"
#include "ledger/books.h"

enum { DESK_TOLD = 256, DESK_MEMBERS = 16 };

typedef struct desk {
    sc_rng rng;
    sc__books *books;
    sc__command told[DESK_TOLD];  ///< and not yet looked at
    size_t told_count;
    sc_ticket *settled;  ///< and not yet looked at
} desk;

/** It stays where it is: the books know its address. */
void desk_open(desk *d, const sc__books_options *options, uint64_t seed);

/** Room for 8 tickets, 100 us of jitter, 10 us of guard. */
sc__books_options desk_options(void);

/** Stops the books, frees all that is settled and all cloaks. */
void desk_close(desk *d);

/** A ticket of k users; not yet in the books. */
sc_ticket *desk_ticket(uint32_t number, uint32_t k, sc_time deadline);

/** The same, in the books; what the engine is told of it is looked at. */
sc_ticket *desk_ask(desk *d, uint32_t number, sc_time deadline, sc_time now);

/** A pruned cloak of one segment with these members; the last number is 0. */
sc_cloak *desk_cloak(const uint32_t *numbers);

/** The engine proposes it. */
void desk_propose(desk *d, sc_cloak *cloak, sc_time now);

/** The engine says that there will be no cloak for it. */
void desk_drop(desk *d, uint32_t number, sc_drop_reason reason, sc_time now);

/** The next thing that the engine was told, which must be of that kind. Cloaks are freed by
 * desk_check_answer(). */
sc__command desk_next(desk *d, sc__command_kind kind);

/** It was told to remove that query. */
void desk_check_remove(desk *d, uint32_t number);

/** It was told what became of a cloak, which is freed. */
void desk_check_answer(desk *d, sc__command_kind kind, const sc_cloak *cloak);

/** It was told nothing more. */
void desk_check_quiet(const desk *d);

/**
 * That ticket has this outcome, and is freed.
 *
 * @param why  an sc_drop_reason or an sc_failure, as the outcome is; else 0
 */
void desk_check_settled(desk *d, uint32_t number, sc_outcome outcome, int why);

/** Nobody more has an outcome. */
void desk_check_nobody(desk *d);

/** Each ticket taken is counted in one place. */
void desk_check_stats(const sc_ledger_stats *stats);

#endif
