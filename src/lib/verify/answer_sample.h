/**
 * @file sample.h
 * @brief Which answers are looked at: a random few, spread over the record, in little memory.
 *
 * How many answers a record has is known only at its end, and whether a cloaked
 * query will get one, only when it does. So every query has a lot, a number made
 * from its id, and those with the lowest lots are watched: where they are and what
 * they want is kept until their answer comes. When more are watched, or more have been
 * answered, than there is need for, the limit of lots is lowered and whoever lies
 * above it is let go. What is left at the end is a random sample of all answers.
 *
 * Uses: ledger, events. Used by: follow, answers.
 */
#ifndef SC_VERIFY_SAMPLE_H
#define SC_VERIFY_SAMPLE_H

#include "verify/record_events.h"
#include "verify/ledger.h"

/** A cloaked query, and perhaps its answer. */
typedef struct sc_watched {
    uint64_t lot;
    uint64_t cloak;
    uint32_t number;  ///< in the ledger
    sc_edge_id edge;
    double offset_m;
    sc_wish wish;
    sc_quoted name;

    bool is_answered;
    uint64_t line;  ///< of the answer
    sc_event_result *results;
    size_t result_count;
} sc_watched;

/** Zero-initialise but for `wanted`; release with sc__sample_fini(). */
typedef struct sc_sample {
    uint64_t wanted;  ///< answers, at most
    uint64_t barred;  ///< lots from here on are not watched; 0: none is barred
    sc_watched *watched;
    size_t count;
    size_t answered_count;  ///< of them
    size_t capacity;
    uint64_t *lots;  ///< room to sort them
    size_t lot_capacity;
} sc_sample;

/**
 * The open query of `number` became a member of `cloak`: settle it in the ledger, watched or
 * not. On failure it is still open; others may have been let go.
 */
SC_CHECKED sc_err sc__sample_cloaked(sc_sample *sample, sc_ledger *ledger, uint32_t number,
                                     sc_key key, uint64_t cloak);

/** The cloak of a query that is cloaked or watched. */
uint64_t sc__sample_cloak(const sc_sample *sample, const sc_ledger *ledger, uint32_t number);

/** A cloaked query was answered: settle it in the ledger, and keep the results if it is watched. */
SC_CHECKED sc_err sc__sample_answered(sc_sample *sample, sc_ledger *ledger, uint32_t number,
                                      uint64_t line, const sc_event_answer *answer);

/** A cloaked query has no answer to look at: give it that fate, and watch it no more. */
void sc__sample_dismiss(sc_sample *sample, sc_ledger *ledger, uint32_t number, sc_fate fate);

/** The record is over: keep the answered, as many as wanted, in the order of their lines. */
SC_CHECKED sc_err sc__sample_close(sc_sample *sample, sc_ledger *ledger);

/** Harmless twice. */
void sc__sample_fini(sc_sample *sample);

#endif
