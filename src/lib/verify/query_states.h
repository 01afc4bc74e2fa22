/**
 * @file query_states.h
 * @brief Following a record, event by event, with all that is found wrong on the way.
 */
#ifndef SC_VERIFY_QUERY_STATES_H
#define SC_VERIFY_QUERY_STATES_H

#include <starcloak/err.h>

#include "base/diag.h"
#include "base/hash.h"
#include "base/item_pool.h"
#include "verify/demand_states.h"
#include "verify/record_events.h"
#include "verify/verifier.h"

#include <stddef.h>
#include <stdint.h>

// === Every query of a record, and what has become of it (P8) ====================================
// A record may be far larger than memory, so what is known of a query shrinks as
// it ends: all of it while it is open, one word afterwards. That word and a
// 128-bit hash of the id stay for good, for else a second end, or an id that comes again,
// would go unnoticed: 40 to 80 bytes per query of the record, depending on when the tables
// last doubled, and 248 more per open one.
//
// Queries are numbered as they come, which is also the order of their arrival.

/** What is known of a query while it is open. */
typedef struct sc_open_query {
    sc_quoted name;   ///< its id, for sentences
    uint64_t line;    ///< where it was asked
    uint64_t listed;  ///< the last line at which a cloak lists it; 0: none
    uint64_t user;    ///< a hash
    int64_t deadline_us;
    sc_edge_id edge;
    sc_seg_id segment;  ///< that of the edge, whatever the record says
    double offset_m;
    uint32_t k;
    uint32_t l;
    uint32_t max_hops;
    sc_event_request wish;
    sc_open_demands demands;
} sc_open_query;

/** What has become of a query. */
typedef enum sc_query_end {
    SC_END_OPEN,      ///< the word: where it lies among the open ones
    SC_END_CLOAKED,   ///< the number of its cloak
    SC_END_WATCHED,   ///< the same, but its answer is wanted: where it lies in the sample
    SC_END_ANSWERED,  ///< nothing
    SC_END_LOST,      ///< dropped or failed: nothing
} sc_query_end;

typedef struct sc_query_table {
    sc_hash numbers;  ///< from the hash of an id to its number
    uint64_t *fates;  ///< by number: sc_query_end and its word
    size_t count;
    size_t fate_capacity;
    sc_item_pool open;  ///< of sc_open_query
} sc_query_table;

void sc__query_table_init(sc_query_table *ledger);

/** The key of an id. Different ids have different ones, for all that chance can do. */
sc_key sc__query_table_key(sc_slice id);

/** The number of a query, or SC_NONE if it is not known. */
uint32_t sc__query_table_find(const sc_query_table *ledger, sc_key key);

/**
 * A new query, open.
 *
 * @param out  set to where to write what is known of it, lent until it ends; or to
 *             NULL if there was one of that key
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (thousands of millions)
 */
SC_CHECKED sc_err sc__query_table_add(sc_query_table *ledger, sc_key key, sc_open_query **out);

static inline sc_query_end sc__query_table_fate(const sc_query_table *ledger, uint32_t number)
{
    return (sc_query_end)(ledger->fates[number] & 7);
}

static inline uint64_t sc__query_table_word(const sc_query_table *ledger, uint32_t number)
{
    return ledger->fates[number] >> 3;
}

/** What is known of an open query; lent until it ends. */
static inline sc_open_query *sc__query_table_open(const sc_query_table *ledger, uint32_t number)
{
    return sc_item_pool_at(&ledger->open, (uint32_t)sc__query_table_word(ledger, number));
}

/** Give a query another fate. If it was open, what was known of it is gone. */
void sc__query_table_settle(sc_query_table *ledger, uint32_t number, sc_query_end fate,
                            uint64_t word);

/** Harmless twice. */
void sc__query_table_fini(sc_query_table *ledger);

// === Does the order in which members are listed say who came first (P6)? ========================
// One cloak cannot show it: any order may be chance. Many can. Over the whole
// record two sums are kept that chance alone keeps near zero: one that grows if
// members tend to be listed in the order of their arrival, or against it; one
// that grows if the last to arrive tends to stand in the middle, or at the rims.
// docs/verify.md has the formulas, and how often a false alarm is to be expected.

/** A sum of terms of mean 0 and variance 1. */
typedef struct sc_drift {
    double sum;
    uint64_t count;
} sc_drift;

typedef struct sc_order {
    sc_drift trend;   ///< listed in the order of arrival, or against it
    sc_drift newest;  ///< where the last to arrive stands
    uint32_t *ranks;  ///< room for one cloak
    size_t capacity;
} sc_order;

/** Fewer cloaks than this show nothing. */
#define SC_ORDER_MIN_CLOAKS 100

/** More standard deviations than this are no chance. */
#define SC_ORDER_MAX_DEVIATIONS 6.0

/**
 * A cloak whose members, as listed, arrived as the `arrivals`-th; all different.
 *
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__order_add(sc_order *order, const uint32_t *arrivals, size_t count);

/** How many standard deviations a sum is from zero; it has a term at least. */
double sc__drift_deviations(const sc_drift *drift);

/** Harmless twice. */
void sc__order_fini(sc_order *order);

// === The sample of answers that are checked =====================================================
// Which answers are looked at: a random few, spread over the record, in little memory.
//
// How many answers a record has is known only at its end, and whether a cloaked
// query will get one, only when it does. So every query has a lot, a number made
// from its id, and those with the lowest lots are watched: where they are and what
// they want is kept until their answer comes. When more are watched, or more have been
// answered, than there is need for, the limit of lots is lowered and queries
// above it are let go. What is left at the end is a random sample of all answers.

/** A cloaked query, and perhaps its answer. */
typedef struct sc_watched {
    uint64_t lot;
    uint64_t cloak;
    uint32_t number;  ///< in the ledger
    sc_edge_id edge;
    double offset_m;
    sc_event_request wish;
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
SC_CHECKED sc_err sc__sample_cloaked(sc_sample *sample, sc_query_table *ledger, uint32_t number,
                                     sc_key key, uint64_t cloak);

/** The cloak of a query that is cloaked or watched. */
uint64_t sc__sample_cloak(const sc_sample *sample, const sc_query_table *ledger, uint32_t number);

/** A cloaked query was answered: settle it in the ledger, and keep the results if it is watched. */
SC_CHECKED sc_err sc__sample_answered(sc_sample *sample, sc_query_table *ledger, uint32_t number,
                                      uint64_t line, const sc_event_answer *answer);

/** A cloaked query has no answer to look at: give it that fate, and watch it no more. */
void sc__sample_dismiss(sc_sample *sample, sc_query_table *ledger, uint32_t number,
                        sc_query_end fate);

/** The record is over: keep the answered, as many as wanted, in the order of their lines. */
SC_CHECKED sc_err sc__sample_close(sc_sample *sample, sc_query_table *ledger);

/** Harmless twice. */
void sc__sample_fini(sc_sample *sample);

// ================================================================================================

/** What a provider of areas was asked (area_check.h). */
typedef struct sc_area_states sc_area_states;

/** What a record has shown so far. */
typedef struct sc_follow {
    const sc_map *map;
    sc_verifier *verifier;
    sc_findings findings;
    sc_verify_report report;  ///< but for its counts of promises, which are in `findings`
    sc_query_table ledger;
    sc_sample sample;
    sc_order order;
    sc_demand_states demands;
    sc_area_states *areas;
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
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (too many queries), SC_EPARSE and SC_EMISMATCH (what it says
 *         of demands is refused, as demands.refusal has it)
 */
SC_CHECKED sc_err sc__follow_event(sc_follow *follow, uint64_t line, const sc_event *event);

// --- For query_ends.c --------------------------------------------------------------------

/** The id of a query, for sentences. */
static inline sc_quoted sc__quote_id(sc_slice id)
{
    return sc_quote(id.text, id.size);
}

/** P8 is broken by a query, in these words. */
void sc__follow_wrong(sc_follow *f, sc_slice query, const char *what);

/** A drop or a failure. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc__follow_loss(sc_follow *follow, const sc_event *event);

/** An answer. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc__follow_answer(sc_follow *follow, const sc_event *event);

#endif
