/**
 * @file books.h
 * @brief The books of a run: every question and every outcome is entered, and the report drawn up.
 *
 * Every query entered must be ended exactly once (P8); what is ended twice or was
 * never asked is refused, and what is left open at the end can be counted. Memory
 * is needed for open queries only.
 *
 * Uses: cloak, sim/tally, sim/waits. Used by: sim/runner.
 */
#ifndef SC_SIM_BOOKS_H
#define SC_SIM_BOOKS_H

#include <starcloak/cloak.h>

#include "sim/report.h"
#include "sim/tally.h"
#include "sim/waits.h"

/** Zero-initialise, then sc_books_init(). */
typedef struct sc_books {
    sc_waits open;
    sc_time first_asked;
    sc_time last_ended;
    uint64_t asked;
    sc_tally wait_us;  ///< of cloaked queries
    sc_tally users;    ///< of cloaks, as all below
    sc_tally segments;
    sc_tally border_nodes;
    sc_tally stars;
    uint64_t *user_room;  ///< to sort the users of a cloak in
    size_t user_capacity;
} sc_books;

SC_CHECKED sc_err sc_books_init(sc_books *books);

/** Release the memory; harmless twice, and on zeroed books. */
void sc_books_fini(sc_books *books);

/** A query was admitted. Times must not run backwards. */
SC_CHECKED sc_err sc_books_ask(sc_books *books, const sc_query_id *id, sc_wait wait);

/** A cloak was accepted; its members end by sc_books_end(). */
SC_CHECKED sc_err sc_books_cloak(sc_books *books, const sc_cloak *cloak);

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
