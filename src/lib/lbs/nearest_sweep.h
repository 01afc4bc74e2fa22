/**
 * @file nearest_sweep.h
 * @brief Computing the lists of the nearest index: roads between stars, and one sweep per list.
 *
 * nearest_index.c decides which lists there is memory for, and runs the sweeps in several threads.
 *
 * For: this folder and its tests.
 */
#ifndef SC_LBS_NEAREST_SWEEP_H
#define SC_LBS_NEAREST_SWEEP_H

#include "lbs/object_set.h"

// --- Roads ------------------------------------------------------------------

/** A segment that leads to a star, as seen from there. */
typedef struct sc_index_road {
    sc_star_id from;
    sc_step step;  ///< from there to the star
} sc_index_road;

/** What joins stars: roads to star s are [first[s], first[s + 1]). Read by all sweeps. */
typedef struct sc_index_roads {
    sc_metric metric;
    uint32_t *first;
    sc_index_road *roads;
    unsigned stride_shift;  ///< cost c is in stride c >> stride_shift
} sc_index_roads;

/** The roads in one metric. Release with sc__index_roads_fini(). */
SC_CHECKED sc_err sc__index_roads_init(sc_index_roads *roads, const sc_map *map, sc_metric metric);

/** Harmless twice. */
void sc__index_roads_fini(sc_index_roads *roads);

// --- The queue --------------------------------------------------------------

/** A star and the stride in which it is due. */
typedef struct sc_index_due {
    uint32_t stride;
    sc_star_id star;
} sc_index_due;

typedef struct sc_index_pile {
    sc_index_due *items;
    size_t count;
    size_t capacity;
} sc_index_pile;

/** Stars by stride. Zero-initialise; release with sc__index_queue_fini(). */
typedef struct sc_index_queue {
    sc_index_pile piles[33];  ///< by the highest bit in which a stride differs from `now`
    sc_index_pile taken;
    uint32_t now;  ///< the stride taken last; nothing earlier can be put
} sc_index_queue;

/** Harmless twice. */
void sc__index_queue_fini(sc_index_queue *queue);

/** Start again at stride 0. */
void sc__index_queue_clear(sc_index_queue *queue);

/** `due.stride` is `queue->now` or later. */
SC_CHECKED sc_err sc__index_queue_put(sc_index_queue *queue, sc_index_due due);

/**
 * Take all stars of the earliest stride, which becomes `now`.
 *
 * @param out  lent until the next taking; in the order in which they were put
 * @param count  0: the queue is empty
 */
SC_CHECKED sc_err sc__index_queue_take(sc_index_queue *queue, const sc_index_due **out,
                                       size_t *count);

// --- Sweeps -----------------------------------------------------------------

/** The working memory of a sweep. One thread; zero-initialise. */
typedef struct sc_index_sweeper {
    uint32_t *due;  ///< per star: the stride in which it waits; UINT32_MAX: it does not
    sc_index_queue queue;
} sc_index_sweeper;

/** Harmless twice. */
void sc__index_sweeper_fini(sc_index_sweeper *sweeper);

/**
 * Find the nearest objects of every star. Time about O(stars * k), whatever the category.
 *
 * @param list  which category, how many; `first` does not matter
 * @param out     stars * k entries, as map_tables.h describes them; of equally far objects the
 *                lowest number comes first, so there is one right answer
 * @param others  as many: what each way costs in the other metric
 */
SC_CHECKED sc_err sc__index_sweep(sc_index_sweeper *sweeper, const sc_index_roads *roads,
                                  const sc_objects_view *view, const sc_nearest_list *list,
                                  sc_nearest *out, uint32_t *others);

#endif
