/**
 * @file follow.h
 * @brief Following a record, event by event, with all that is found wrong on the way.
 *
 * Uses: verifier, ledger, order, sample, base. Used by: record.
 */
#ifndef SC_VERIFY_FOLLOW_H
#define SC_VERIFY_FOLLOW_H

#include "base/hash.h"
#include "verify/record_events.h"
#include "verify/findings.h"
#include "verify/ledger.h"
#include "verify/order.h"
#include "verify/answer_sample.h"

/** What a record has shown so far. */
typedef struct sc_follow {
    const sc_map *map;
    sc_verifier *verifier;
    sc_findings findings;
    sc_verify_report report;  ///< but for its counts of promises, which are in `findings`
    sc_ledger ledger;
    sc_sample sample;
    sc_order order;
    bool has_ended;
    uint64_t misplaced;  ///< queries that are not where the map has their roads
    int64_t t_us;        ///< the latest time so far
    sc_hash cloaks;      ///< the numbers of cloaks so far
    bool has_stars;      ///< the first cloak has, so all should; known once there is a cloak

    uint64_t line;          ///< where whatever is told now is to be found
    const sc_event *cloak;  ///< the cloak that is looked at, if one is

    // The claim of the cloak at hand, member by member.
    sc_claim_member *members;
    size_t member_capacity;
    uint32_t *numbers;  ///< in the ledger
    size_t number_capacity;
    size_t *places;  ///< in the event's list
    size_t place_capacity;
    size_t member_count;
} sc_follow;

/**
 * Begin. On failure there is nothing to release. The result must not be moved.
 *
 * @param map  borrowed
 */
SC_CHECKED sc_err sc__follow_init(sc_follow *follow, const sc_map *map,
                                  const sc_verify_options *options);

/** Harmless twice. */
void sc__follow_fini(sc_follow *follow);

/**
 * The event at `line` comes next. None may come behind the end.
 *
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (too many queries)
 */
SC_CHECKED sc_err sc__follow_event(sc_follow *follow, uint64_t line, const sc_event *event);

// --- For follow.c and ends.c -------------------------------------------------------------

/** The id of a query, for sentences. */
static inline sc_quoted sc__quote_id(sc_slice id)
{
    return sc_quote(id.text, id.size);
}

/** A drop or a failure. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc__follow_loss(sc_follow *follow, const sc_event *event);

/** An answer. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc__follow_answer(sc_follow *follow, const sc_event *event);

#endif
