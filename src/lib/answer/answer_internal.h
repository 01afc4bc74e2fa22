/**
 * @file answer_internal.h
 * @brief What a filter holds: the roads of the cloak, and the reply in a form that can be searched.
 *
 * A reply is checked and converted (reply_check.c), then exact answers are made of it
 * (exact_answer.c). Converting numbers the objects of each request from 0, its *candidates*: first
 * those on the cloak's segments, then those that only border nodes name. Each entry of a border
 * node's list becomes a *claim*: this candidate is this far from here.
 *
 * For: this folder and its tests.
 */
#ifndef SC_ANSWER_ANSWER_INTERNAL_H
#define SC_ANSWER_ANSWER_INTERNAL_H

#include <starcloak/answer.h>
#include <starcloak/err.h>

#include "answer/inside_search.h"
#include "answer/reply_bounds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// === A table of numbers =========================================================================
// Which numbers have been seen, and where each is kept: a hash table that starts again without
// clearing, since a slot holds the round in which it was written. Slots are chosen by a hash that
// is keyed by the address of the table, which a stranger cannot know, so that no reply can be made
// whose objects all meet in one place.

typedef struct sc_number_slot {
    uint32_t number;
    uint32_t place;
    uint32_t round;  ///< in which it was written; 0: in none
} sc_number_slot;

/** Zero-initialise; release with sc__number_table_fini(). */
typedef struct sc_number_table {
    sc_number_slot *slots;
    size_t count;
    size_t capacity;  ///< a power of two
    uint32_t round;
} sc_number_table;

void sc__number_table_fini(sc_number_table *table);

/** Begin a round, with room for `count` different numbers; false when memory is out. */
SC_CHECKED bool sc__number_table_begin(sc_number_table *table, size_t count);

/** Where `number` is kept; one that is new in this round is kept at `place` from now on. */
uint32_t sc__number_table_put(sc_number_table *table, uint32_t number, uint32_t place);

// === The filter =================================================================================

/** An object that may be in an answer. Distances are in units of the map. */
typedef struct sc_candidate {
    uint32_t object;
    uint32_t segment;   ///< of the cloak, if it lies there; else SC_NONE
    sc_road_spot spot;  ///< where on that segment
    size_t listed;      ///< the list that was last seen to have it, from 1
    double cost;        ///< and what it takes to get there from that border node
    uint32_t approach;  ///< its place among the approaches; SC_NONE: not needed yet
} sc_candidate;

/** An entry of a border node's list: a candidate is so far away, in the request's metric. */
typedef struct sc_border_claim {
    sc_reach reach;
    uint32_t candidate;  ///< of the same request
} sc_border_claim;

/** What is known of the way to a candidate. */
typedef struct sc_reached_object {
    uint32_t object;
    sc_reach reach;
} sc_reached_object;

/** Candidates first .. first + count - 1 lie on the same segment of the cloak. */
typedef struct sc_strip {
    uint32_t segment;
    uint32_t first;
    uint32_t count;
} sc_strip;

/** The candidates of one request. */
typedef struct sc_request_candidates {
    size_t first_candidate;
    uint32_t candidate_count;
    size_t first_strip;
    size_t strip_count;
    sc_metric metric;
    uint32_t k;     ///< UINT32_MAX: as many as there are
    double radius;  ///< in units of the metric; HUGE_VAL: no matter how far
} sc_request_candidates;

struct sc_filter {
    const sc_map *map;
    sc_filter_options options;
    double unit_m;
    double unit_s;
    sc_cost_bounds bounds[SC_METRIC_COUNT];
    sc_object_counts counts;
    sc_known_spots known_spots;

    // The reply; is_open: it has passed the checks.
    bool is_open;
    uint32_t own_count;  ///< replies of this process since one was compared with the roads
    const sc_relay *relay;
    const sc_reply *reply;
    const sc_object *objects;  ///< what numbers of the reply stand for
    uint32_t object_count;

    sc_inside inside;
    sc_request_candidates *taken;  ///< per request
    size_t taken_capacity;
    sc_candidate *candidates;
    size_t candidate_count;
    size_t candidate_capacity;
    sc_strip *strips;
    size_t strip_count;
    size_t strip_capacity;
    sc_border_claim *claims;  ///< one per entry of reply->nears, at the same place
    size_t claim_capacity;
    sc_approach *approaches;
    size_t approach_count;
    size_t approach_capacity;
    sc_number_table numbers;  ///< objects of the request at hand

    // For answers.
    sc_reach *reaches;         ///< per candidate of the request
    sc_reached_object *found;  ///< the nearest of them
    sc_near *results;
    size_t result_capacity;  ///< of all three
    size_t answered;         ///< as many of each were written since they were last wiped
};

/** The list of border node `b` for request `r`, as the reply counts lists. */
static inline size_t sc__filter_list_of(const sc_filter *filter, size_t r, size_t b)
{
    return r * filter->relay->border_node_count + b;
}

/** The candidates of a request. */
static inline sc_candidate *sc__filter_candidates_of(const sc_filter *filter, size_t r)
{
    return filter->candidates + filter->taken[r].first_candidate;
}

/**
 * Metres or seconds in units of the map. Whole units that have been through metres and back are
 * whole again, so that sums of them are exact; a thousandth of a unit makes no difference
 * otherwise.
 */
static inline double sc__filter_in_units(const sc_filter *filter, sc_metric metric, double amount)
{
    const double units = amount / (metric == SC_METRIC_TIME ? filter->unit_s : filter->unit_m);
    const double whole = nearbyint(units);
    return fabs(units - whole) <= 0x1p-12 ? whole : units;
}

/** The metric that `metric` is not. */
static inline sc_metric sc__other_metric(sc_metric metric)
{
    return metric == SC_METRIC_TIME ? SC_METRIC_DISTANCE : SC_METRIC_TIME;
}

/**
 * How much more than `cost` another cost may be and still agree with it. A unit is lost here and
 * there by rounding; where the provider has a map of its own, also its share of the cost, and of a
 * hundred metres for where it puts things, or of the time that they take on foot.
 */
static inline double sc__filter_tolerance(const sc_filter *filter, sc_metric metric, double cost)
{
    const double slack = filter->options.slack;
    const double elsewhere =
        metric == SC_METRIC_TIME ? 72.0 / filter->unit_s : 100.0 / filter->unit_m;
    return 2.0 + slack * elsewhere + (1e-9 + slack) * cost;
}

/** Where a reply names an object. */
typedef struct sc_reply_entry {
    size_t request;
    uint32_t border;  ///< the place of the border node in the relay; SC_NONE: on the segments
    uint32_t object;
} sc_reply_entry;

/**
 * Refuse the reply because of an object in a list: "reply: request 1, border node 17: object 5 is
 * listed twice". Requests are counted from 1, border nodes and objects called by their numbers;
 * `format` is the end of the sentence. Returns SC_EREPLY.
 */
SC_PRINTF(4, 5)
sc_err sc__reply_refuse(const sc_filter *filter, sc_diag *diag, sc_reply_entry at,
                        const char *format, ...);

/** Check the lists, each of which is sound by itself, against the roads and each other. */
SC_CHECKED sc_err sc__reply_check_agreement(sc_filter *filter, sc_diag *diag);

/**
 * Check the lists of filter->reply, each by itself, against the relay and the map, and convert them
 * into candidates, strips and claims.
 *
 * @return SC_OK, SC_EMISMATCH, SC_EREPLY with a reason, SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc__reply_check_lists(sc_filter *filter, sc_diag *diag);

#endif
