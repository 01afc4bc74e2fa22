/**
 * @file lbs_search.h
 * @brief Finding the objects that a request asks for: in the index, or by a search.
 *
 *   index_lookup.c    answers of border nodes from the nearest index
 *   plain_search.c    one search from one place
 *   shared_search.c   one search for up to sixteen border nodes
 *
 * lbs.c chooses among them. For: this folder, its tests and benchmarks.
 */
#ifndef SC_LBS_LBS_SEARCH_H
#define SC_LBS_LBS_SEARCH_H

#include <starcloak/map.h>
#include <starcloak/relay.h>

#include "lbs/object_set.h"
#include "relay/relay_build.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// === How far a search must go ===================================================================

typedef struct sc_lbs_reach {
    sc_metric metric;
    uint32_t k;     ///< the k nearest; UINT32_MAX: all within the radius
    double radius;  ///< in units of the map, of length or of time; INFINITY: no limit
} sc_lbs_reach;

/** What `request` asks of a search. */
static inline sc_lbs_reach sc__lbs_reach_of(const sc_map *map, const sc_request *request)
{
    const sc_metric metric = request->metric;
    if (request->type == SC_REQUEST_KNN) {
        return (sc_lbs_reach){metric, request->k, (double)INFINITY};
    }
    const double radius = metric == SC_METRIC_TIME ? request->radius_s / sc_map_time_unit_s(map)
                                                   : request->radius_m / sc_map_unit_m(map);
    // An object on the very rim is within, whatever the division makes of its last digit.
    return (sc_lbs_reach){metric, UINT32_MAX, radius * (1.0 + 1e-12)};
}

/** An object at that cost in a metric, and in the other one, as a reply has it. */
static inline sc_near sc__lbs_near(const sc_map *map, sc_metric metric, sc_object_id object,
                                   double cost, double other)
{
    const bool is_by_time = metric == SC_METRIC_TIME;
    return (sc_near){.object = object,
                     .distance_m = (is_by_time ? other : cost) * sc_map_unit_m(map),
                     .duration_s = (is_by_time ? cost : other) * sc_map_time_unit_s(map)};
}

// === Which objects a request asks for (lbs.c) ===================================================

typedef struct sc_lbs_wanted {
    const uint8_t *is_in;  ///< per category; NULL: all are wanted
    sc_category_id only;   ///< the one category that is wanted; SC_NONE: several, or all
    uint64_t mask;         ///< a segment without any of these bits in its segment_mask has none
} sc_lbs_wanted;

/** Room for the table behind a `wanted`; zero-initialise, release with sc__lbs_wanted_fini(). */
typedef struct sc_lbs_wanted_table {
    uint8_t *is_in;
    size_t capacity;
} sc_lbs_wanted_table;

void sc__lbs_wanted_fini(sc_lbs_wanted_table *room);

/** What `request` wants of `view`; lent by `room` until the next call. */
SC_CHECKED sc_err sc__lbs_wanted_by(sc_lbs_wanted_table *room, const sc_objects_view *view,
                                    const sc_request *request, sc_lbs_wanted *out);

static inline bool sc__lbs_is_wanted(const sc_lbs_wanted *wanted, const sc_objects_view *view,
                                     sc_object_id object)
{
    return !wanted->is_in || wanted->is_in[view->category[object]];
}

// === Objects on the segments of a cloak (lbs.c) =================================================
// All of the wanted kind, for k nearest as well as for a range: each of them is the nearest of the
// place where it stands, and the place is in the cloak.

/** Add them to a reply as runs, ascending; counts them. False when memory is out. */
SC_CHECKED bool sc__lbs_add_on_segments(const sc_objects_view *view, const sc_lbs_wanted *wanted,
                                        const sc_relay *relay, sc_reply *reply, uint64_t *count);

// === The nearest index (index_lookup.c) =========================================================
// A request for one category, or for all, has one list; one for several categories has a list for
// each, whose answers are merged: the k nearest of all are among the k nearest of each. A list is
// enough for a star if it holds k objects, or all that can be reached, or one beyond the radius.

/** The lists that a request needs. */
typedef struct sc_index_lookup {
    const sc_objects_view *view;
    sc_lbs_reach reach;
    bool is_possible;  ///< false: a list is missing
    uint32_t count;
    const sc_nearest_list *lists[SC_REQUEST_CATEGORIES];
    bool is_whole[SC_REQUEST_CATEGORIES];  ///< a full list of this category has all its objects
} sc_index_lookup;

/** Find them. Written in place, and of the lists only those counted: this is a hot path. */
void sc__index_lookup_init(sc_index_lookup *lookup, const sc_objects_view *view,
                           const sc_request *request, sc_lbs_reach reach);

/** What list `i` holds for `star`, nearest first. */
static inline const sc_nearest *sc__index_lookup_entries(const sc_index_lookup *lookup, uint32_t i,
                                                         sc_star_id star)
{
    const sc_nearest_list *list = lookup->lists[i];
    return lookup->view->index.entries + list->first + (uint64_t)star * list->k;
}

/** What their ways cost in the other metric, at the same places. */
static inline const uint32_t *sc__index_lookup_others(const sc_index_lookup *lookup, uint32_t i,
                                                      sc_star_id star)
{
    const sc_nearest_list *list = lookup->lists[i];
    return lookup->view->index.others + list->first + (uint64_t)star * list->k;
}

/** Ask for the memory that a look-up of `star` will touch. */
static inline void sc__index_lookup_fetch(const sc_index_lookup *lookup, sc_star_id star)
{
    for (uint32_t i = 0; i < lookup->count; i++) {
        __builtin_prefetch(sc__index_lookup_entries(lookup, i, star));
        __builtin_prefetch(sc__index_lookup_others(lookup, i, star));
    }
}

/** Whether the lists are enough for `star`; they must be possible. */
bool sc__index_lists_reach(const sc_index_lookup *lookup, sc_star_id star);

/** What became of an attempt. */
typedef enum sc_index_lookup_result {
    SC_LOOKED_UP,
    SC_LISTS_TOO_SHORT,  ///< nothing was added
    SC_NO_ROOM,          ///< memory is out
} sc_index_lookup_result;

/** Add the answer of `star` to a reply if the lists are enough for it; they must be possible. */
SC_CHECKED sc_index_lookup_result sc__index_look_up(const sc_index_lookup *lookup, sc_star_id star,
                                                    sc_reply *reply);

// === Marks (plain_search.c) =====================================================================
// Which stars or objects the current search has seen, and where it keeps the rest. A mark holds the
// number of the search that set it, so that a new search begins with nothing marked and nothing has
// to be cleared.

typedef struct sc_lbs_mark {
    uint32_t search;  ///< that set it; 0: none yet
    uint32_t slot;    ///< where that search keeps the rest
} sc_lbs_mark;

/** Zero-initialise; release with sc__lbs_marks_fini(). */
typedef struct sc_lbs_marks {
    sc_lbs_mark *marks;
    size_t count;
    uint32_t search;  ///< the current one
} sc_lbs_marks;

/** Begin a search among `count` things; false when memory is out. */
bool sc__lbs_marks_begin(sc_lbs_marks *marks, size_t count);

void sc__lbs_marks_fini(sc_lbs_marks *marks);

static inline bool sc__lbs_marked(const sc_lbs_marks *marks, uint32_t thing)
{
    return marks->marks[thing].search == marks->search;
}

// === Queue ======================================================================================
// A heap of stars to be visited, nearest first. Entries are never changed: a star that is reached
// by a shorter way is put in again, and the older entry is out of date when it comes out.

typedef struct sc_lbs_queued {
    double cost;  ///< in units of the map; whole numbers of them are exact
    sc_star_id star;
} sc_lbs_queued;

// Four children per entry: fewer levels to climb than with two, and four entries of sixteen bytes
// are one cache line.
#define SC_HEAP sc_lbs_queue
#define SC_HEAP_ENTRY sc_lbs_queued
#define SC_HEAP_IS_BEFORE(heap, a, b) ((a).cost < (b).cost)
#define SC_HEAP_CHILDREN 4
#include "base/heap_template.h"

// === The k least of some distances ==============================================================
// How far the k-th nearest object is at most: a heap with the greatest on top. A distance that is
// put in may turn out shorter later; the top is then a little too far, never too near, and a search
// that stops there has missed nothing.

/** Room for k distances, which the caller owns. */
typedef struct sc_lbs_best {
    double *distances;
    uint32_t count;
    uint32_t k;
} sc_lbs_best;

#define SC_HEAP sc__lbs_farthest
#define SC_HEAP_ENTRY double
#define SC_HEAP_IS_BEFORE(heap, a, b) ((a) > (b))
#include "base/heap_template.h"

/** Take in a distance; of more than k the greatest is forgotten. */
static inline void sc__lbs_best_add(sc_lbs_best *best, double distance)
{
    sc__lbs_farthest heap = {.entries = best->distances, .count = best->count};
    if (best->count < best->k) {
        best->count++;
        sc__lbs_farthest_push(&heap, distance);
    } else if (best->k > 0 && distance < best->distances[0]) {
        sc__lbs_farthest_replace_top(&heap, distance);
    }
}

/** No object farther than this is among the k nearest; `otherwise` while there are fewer than k. */
static inline double sc__lbs_best_bound(const sc_lbs_best *best, double otherwise)
{
    return best->count == best->k && best->k > 0 ? best->distances[0] : otherwise;
}

// === Plain search (plain_search.c) ==============================================================

/** What a way costs, in units of the map: in the metric of the search, and in the other one. */
typedef struct sc_lbs_cost {
    double cost;
    double other;
} sc_lbs_cost;

/** Of ways that cost the same in the metric of the search, the other one decides. */
static inline bool sc__lbs_is_cheaper(sc_lbs_cost a, sc_lbs_cost b)
{
    return a.cost < b.cost || (a.cost == b.cost && a.other < b.other);
}

static inline sc_lbs_cost sc__lbs_cost_plus(sc_lbs_cost a, sc_step step)
{
    return (sc_lbs_cost){a.cost + step.cost, a.other + step.other};
}

/** An object and what the way to it costs. */
typedef struct sc_lbs_hit {
    sc_lbs_cost way;
    sc_object_id object;
} sc_lbs_hit;

/** Working memory; zero-initialise, release with sc__plain_search_fini(). */
typedef struct sc_plain_search {
    sc_lbs_marks stars;
    sc_lbs_cost *star_costs;  ///< by slot
    size_t star_count;
    size_t star_capacity;

    sc_lbs_marks objects;
    sc_lbs_hit *hits;  ///< by slot; after a search its result, nearest first
    size_t hit_count;
    size_t hit_capacity;

    sc_lbs_queue queue;
    sc_lbs_best best;
    size_t best_capacity;
    double bound;      ///< nothing farther is of interest
    uint64_t visited;  ///< stars taken out of the queue, since the beginning

    // What the current search is about.
    const sc_objects_view *view;
    const sc_lbs_wanted *wanted;
    const sc_index_lookup *lists;  ///< to lean on; NULL: none
    sc_lbs_reach reach;
} sc_plain_search;

void sc__plain_search_fini(sc_plain_search *search);

/**
 * From a star. The result is in `hits`, of equally far ones the lowest number first.
 *
 * @param lists  of the request, to lean on; NULL: search all the way
 */
SC_CHECKED sc_err sc__plain_search_star(sc_plain_search *search, const sc_objects_view *view,
                                        const sc_lbs_wanted *wanted, const sc_index_lookup *lists,
                                        sc_lbs_reach reach, sc_star_id star);

/** From a place on a road, whose offset is within its edge. */
SC_CHECKED sc_err sc__plain_search_point(sc_plain_search *search, const sc_objects_view *view,
                                         const sc_lbs_wanted *wanted, sc_lbs_reach reach,
                                         sc_road_point at);

// === Shared search (shared_search.c) ============================================================

enum { SC_LANES = 16 };

/**
 * What a way costs per lane, in one number: 30 bits of the metric of the search, one bit that stays
 * 0 and 31 bits of the other one, so that comparing numbers compares first the one and then the
 * other. SC_LANE_FAR and above: not reached.
 */
typedef struct sc_lbs_lanes {
    int64_t of[SC_LANES];
} sc_lbs_lanes;

/** What is too much for the metric of the search, and where it begins in a lane's number. */
#define SC_LANE_MOST (INT32_C(1) << 30)
enum { SC_LANE_SHIFT = 32 };
#define SC_LANE_FAR ((int64_t)SC_LANE_MOST << SC_LANE_SHIFT)

/** What a shared search is for. */
typedef struct sc_shared_question {
    const sc_objects_view *view;
    const sc_lbs_wanted *wanted;
    const sc_index_lookup *lists;  ///< of the request, to lean on; NULL: search all the way
    sc_lbs_reach reach;
    const sc_seg_id *segments;  ///< roads that join the stars; for speed alone, any will do
    size_t segment_count;
} sc_shared_question;

/** A star that was reached. */
typedef struct sc_shared_star {
    sc_lbs_lanes cost;
    int64_t queued;  ///< the cost it waits with in the queue; SC_LANE_FAR: it does not wait
} sc_shared_star;

/** An object that was found. */
typedef struct sc_shared_object {
    sc_lbs_lanes cost;
    sc_object_id object;
} sc_shared_object;

/** Working memory; zero-initialise, release with sc__shared_search_fini(). */
typedef struct sc_shared_search {
    sc_lbs_marks star_marks;
    sc_shared_star *stars;  ///< by slot
    size_t star_count;
    size_t star_capacity;

    sc_lbs_marks object_marks;
    sc_shared_object *objects;  ///< by slot
    size_t object_count;
    size_t object_capacity;

    sc_lbs_queue queue;
    sc_lbs_lanes bound;  ///< nothing dearer is of interest to a lane; below 0: it is not used
    int64_t max_bound;   ///< nor, if it is dearer than this, to any
    sc_lbs_best best[SC_LANES];
    double *best_room;
    size_t best_capacity;
    int64_t farthest;  ///< the greatest number that any lane of any star has had
    bool is_lost;      ///< something was too far for 30 bits
    bool has_carried;  ///< something was too much for the 31 bits of the other metric
    uint64_t visited;  ///< stars taken out of the queue, since the beginning

    // Results: hits of lane i are [start[i], start[i + 1]), as cost << 32 | object, ascending.
    uint64_t *hits;
    size_t hit_count;
    size_t hit_capacity;
    size_t start[SC_LANES + 1];
    bool is_unsure[SC_LANES];  ///< this lane's result may lack something far away

    const sc_shared_question *question;  ///< what the current search is about
    size_t lane_count;
} sc_shared_search;

void sc__shared_search_fini(sc_shared_search *search);

/** What the way to hit `i` of a lane costs in the other metric. */
static inline uint32_t sc__shared_other(const sc_shared_search *search, size_t lane, size_t i)
{
    const sc_lbs_mark *mark = &search->object_marks.marks[(uint32_t)search->hits[i]];
    return (uint32_t)search->objects[mark->slot].cost.of[lane];
}

/** Search from `count` stars, 1 to SC_LANES of them; the results are in `hits`. */
SC_CHECKED sc_err sc__shared_search(sc_shared_search *search, const sc_shared_question *question,
                                    const sc_star_id *stars, size_t count);

#endif
