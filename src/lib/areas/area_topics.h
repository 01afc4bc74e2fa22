/**
 * @file area_topics.h
 * @brief Which tiles a relay needs, round by round.
 *
 * For each category that the requests name (or for all together) there are boxes, each larger than
 * the one before, which follow from the roads and the requests alone. A round needs the tiles that
 * cover one of them; replies only decide which categories go on to the next. That decision is the
 * same whatever objects beyond these tiles happen to be known, so the tiles that a relay needs do
 * not depend on what a cache has. docs/area-provider.md has the proof.
 */
#ifndef SC_AREAS_AREA_TOPICS_H
#define SC_AREAS_AREA_TOPICS_H

#include "areas/tile_grid.h"

/** A category that is asked for, and how far. */
typedef struct sc__area_topic {
    sc_category_id category;          ///< SC_NONE: all
    sc__area_box first;               ///< the roads, and what ranges can reach
    uint32_t step;                    ///< which of the boxes behind it
    sc__tile_span span;               ///< covers that
    bool is_lacking;                  ///< some list needs more of it
    bool has_costs[SC_METRIC_COUNT];  ///< those of `costs` are of this span
} sc__area_topic;

/** Zero-initialise; release with sc__area_topics_fini(). */
typedef struct sc__area_topics {
    const sc__tile_grid *grid;
    bool are_named;  ///< questions are for categories; else for all objects
    sc__area_box roads;
    sc__area_topic *items;
    size_t count;
    size_t capacity;
    double *lines;  ///< metres to the outside of the tiles: by topic and border node
    double *costs;  ///< what is outside costs as much at least: by topic, metric and border node
    size_t line_capacity;
    size_t cost_capacity;
} sc__area_topics;

void sc__area_topics_fini(sc__area_topics *topics);

/** What the first round of `relay` needs; time O(segments). False when memory is out. */
SC_CHECKED bool sc__area_topics_begin(sc__area_topics *topics, const sc_relay *relay);

/** What the next round needs, if the lists of `reply` may lack an object that is outside of the
 * tiles of this one. False: they lack nothing. */
bool sc__area_topics_widen(sc__area_topics *topics, const sc_relay *relay, const sc_reply *reply);

#endif
