/**
 * @file plain_search.h
 * @brief Incremental network expansion: from one place outwards, until enough objects are found.
 *
 * Dijkstra's search over stars and segments. Each star that is taken out of the queue offers the
 * objects on its segments; the search ends when the next star is farther than the k-th object, or
 * than the radius.
 *
 * By itself it needs no index: so it answers for an exact position, and so it is what all else is
 * measured and tested against. Given the lists of the index it *leans* on them: a star then offers
 * what its lists hold, and is not gone beyond if these reach as far as is still of interest. From a
 * star whose own list is too short, that is a step or two instead of all the way.
 *
 * Used by: border.c, lbs.c, tests, benchmarks.
 */
#ifndef SC_LBS_PLAIN_SEARCH_H
#define SC_LBS_PLAIN_SEARCH_H

#include "lbs/best.h"
#include "lbs/lbs_search.h"
#include "lbs/marks.h"
#include "lbs/queue.h"
#include "lbs/reach.h"
#include "lbs/wanted.h"

/** An object and how far it is, in units of the map. */
typedef struct sc_hit {
    double distance;
    sc_object_id object;
} sc_hit;

/** Working memory; zero-initialise, release with sc__plain_search_fini(). */
typedef struct sc_plain_search {
    sc_marks stars;
    double *star_distances;  ///< by slot
    size_t star_count;
    size_t star_capacity;

    sc_marks objects;
    sc_hit *hits;  ///< by slot; after a search its result, nearest first
    size_t hit_count;
    size_t hit_capacity;

    sc_queue queue;
    sc_best best;
    size_t best_capacity;
    double bound;      ///< nothing farther is of interest
    uint64_t visited;  ///< stars taken out of the queue, since the beginning

    // What the current search is about.
    const sc_objects_view *view;
    const sc_wanted *wanted;
    const sc_lookup *lists;  ///< to lean on; NULL: none
    sc_reach reach;
} sc_plain_search;

void sc__plain_search_fini(sc_plain_search *search);

/**
 * From a star. The result is in `hits`, of equally far ones the lowest number first.
 *
 * @param lists  of the request, to lean on; NULL: search all the way
 */
SC_CHECKED sc_err sc__search_from_star(sc_plain_search *search, const sc_objects_view *view,
                                       const sc_wanted *wanted, const sc_lookup *lists,
                                       sc_reach reach, sc_star_id star);

/** From a place `along` a segment, in units from its first node. */
SC_CHECKED sc_err sc__search_from_point(sc_plain_search *search, const sc_objects_view *view,
                                        const sc_wanted *wanted, sc_reach reach, sc_seg_id segment,
                                        double along);

#endif
