/**
 * @file shared_search.h
 * @brief One search for up to sixteen stars at once: what their surroundings share is walked once.
 *
 * The border nodes of a cloak lie close together, and searches from each of them would visit
 * almost the same stars. Here every star that is reached holds sixteen distances, one for each
 * *lane*, that is, for each star the search began at; a step along a segment adds its length to
 * all of them at once and keeps the shorter ones, which is a handful of vector instructions.
 *
 * A star is visited again whenever one of its distances improves, so the order of visits matters.
 * Left to themselves the lanes would spread like rings on a pond, one behind the other, and visit
 * every star once each. So they are first spread over the roads of the cloak: then each star at
 * its border knows a distance for every lane, nearly always the right one, and the lanes leave the
 * cloak together. And a star waits in the queue with the *greatest* of the distances that became
 * shorter, so that lanes that come a little later are waited for. Any order gives the right answer;
 * this one takes about one and a half visits per star, the least distance first took two.
 *
 * By itself it needs no index. Given the lists of a request it leans on them as the plain search
 * does: a lane goes no farther from a star whose lists reach as far as it is still interested.
 *
 * Distances are 30 bits of map units (a thousand kilometres of millimetres). Where that is not
 * enough for a lane, the search says so and the caller takes the plain one (plain_search.h).
 *
 * Used by: border.c.
 */
#ifndef SC_LBS_SHARED_SEARCH_H
#define SC_LBS_SHARED_SEARCH_H

#include "lbs/best.h"
#include "lbs/lbs_search.h"
#include "lbs/marks.h"
#include "lbs/queue.h"
#include "lbs/reach.h"
#include "lbs/wanted.h"

enum { SC_LANES = 16 };

/** A distance per lane; SC_LANE_FAR: not reached. */
typedef struct sc_lanes {
    int32_t of[SC_LANES];
} sc_lanes;

#define SC_LANE_FAR (INT32_C(1) << 30)

/** What a shared search is for. */
typedef struct sc_shared_question {
    const sc_objects_view *view;
    const sc_wanted *wanted;
    const sc_lookup *lists;  ///< of the request, to lean on; NULL: search all the way
    sc_reach reach;
    const sc_seg_id *segments;  ///< roads that join the stars; for speed alone, any will do
    size_t segment_count;
} sc_shared_question;

/** A star that was reached. */
typedef struct sc_shared_star {
    sc_lanes distance;
    int32_t queued;  ///< the distance it waits with in the queue; SC_LANE_FAR: it does not wait
} sc_shared_star;

/** An object that was found. */
typedef struct sc_shared_object {
    sc_lanes distance;
    sc_object_id object;
} sc_shared_object;

/** Working memory; zero-initialise, release with sc__shared_search_fini(). */
typedef struct sc_shared_search {
    sc_marks star_marks;
    sc_shared_star *stars;  ///< by slot
    size_t star_count;
    size_t star_capacity;

    sc_marks object_marks;
    sc_shared_object *objects;  ///< by slot
    size_t object_count;
    size_t object_capacity;

    sc_queue queue;
    sc_lanes bound;     ///< nothing farther is of interest to a lane; below 0: the lane is not used
    int32_t max_bound;  ///< nor, if it is farther than this, to any
    sc_best best[SC_LANES];
    double *best_room;
    size_t best_capacity;
    bool is_lost;      ///< something was too far for 30 bits
    uint64_t visited;  ///< stars taken out of the queue, since the beginning

    // Results: hits of lane i are [start[i], start[i + 1]), as distance << 32 | object, ascending.
    uint64_t *hits;
    size_t hit_count;
    size_t hit_capacity;
    size_t start[SC_LANES + 1];
    bool is_unsure[SC_LANES];  ///< this lane's result may lack something far away

    const sc_shared_question *question;  ///< what the current search is about
    size_t lane_count;
} sc_shared_search;

void sc__shared_search_fini(sc_shared_search *search);

/** Search from `count` stars, 1 to SC_LANES of them; the results are in `hits`. */
SC_CHECKED sc_err sc__shared_search(sc_shared_search *search, const sc_shared_question *question,
                                    const sc_star_id *stars, size_t count);

#endif
