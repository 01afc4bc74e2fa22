/**
 * @file counts.h
 * @brief The books of a run: every question and every outcome is entered, and the report drawn up.
 *
 * Every query entered must be ended exactly once (P8); what is ended twice or was
 * never asked is refused, and what is left open at the end can be counted. Memory
 * is needed for open queries only.
 *
 * A window of time may be set: then only what was asked in it counts, and cloaks that leave in it.
 * What comes before and after is entered all the same, since it too must end once.
 *
 * Uses: cloak, sim/run, sim/tally, sim/waits. Used by: sim/runner.
 */
#ifndef SC_SIM_COUNTS_H
#define SC_SIM_COUNTS_H

#include <starcloak/cloak.h>

#include "sim/run.h"
#include "sim/tally.h"
#include "sim/waits.h"

/** Zero-initialise, then sc_books_init(). */
typedef struct sc_books {
    sc_run_window window;
    sc_waits open;
    bool has_begun;
    sc_time first_asked;  ///< of all, as the next
    sc_time last_ended;
    uint64_t asked;    ///< in the window
    sc_tally wait_us;  ///< of cloaked queries that were asked in the window
    sc_tally users;    ///< of cloaks that left in the window, as all below
    sc_tally segments;
    sc_tally border_nodes;
    sc_tally stars;
    uint64_t *user_room;  ///< to sort the users of a cloak in
    size_t user_capacity;
} sc_books;

/** @param window  what counts; an empty one counts all */
SC_CHECKED sc_err sc_books_init(sc_books *books, sc_run_window window);

/** Release the memory; harmless twice, and on zeroed books. */
void sc_books_fini(sc_books *books);

/** A query was admitted. Times must not run backwards. */
SC_CHECKED sc_err sc_books_ask(sc_books *books, const sc_query_id *id, sc_wait wait);

/** A cloak was accepted at `t`; its members end by sc_books_end(). */
SC_CHECKED sc_err sc_books_cloak(sc_books *books, const sc_cloak *cloak, sc_time t);

/**
 * A query has ended at `t`, in a cloak or without.
 *
 * @param wait  what was entered with it
 * @return SC_OK, SC_EBROKEN: it is not open, or `t` is before it was asked (it is then ended)
 */
SC_CHECKED sc_err sc_books_end(sc_books *books, const sc_query_id *id, sc_time t, bool is_cloaked,
                               sc_wait *wait);

/** Fill in what the books know: queries, waits, sizes, the span of time. */
void sc_books_report(const sc_books *books, sc_run_report *report);

#endif
