/**
 * @file run_listeners.h
 * @brief The cloaks of a method that leave in the counted time, kept for the provider.
 *
 * A cloak knows its members by their ids only; where they are and what they ask for is remembered
 * from when they asked.
 *
 * Uses: sim/run, record/run_reader. Used by: lab/point.
 */
#ifndef SC_LAB_RUN_LISTENERS_H
#define SC_LAB_RUN_LISTENERS_H

#include "base/hash.h"
#include "record/run_reader.h"
#include "sim/run.h"

/** A cloak, with places in the lists of all. */
typedef struct sc__kept_cloak {
    sc_time t;
    size_t first_id;  ///< segments, then border nodes
    size_t segment_count;
    size_t border_node_count;
    size_t first_member;
    size_t member_count;
} sc__kept_cloak;

/** Set the window, zero the rest; sc__cloaks_fini() when done. */
typedef struct sc__cloaks {
    sc_run_window window;  ///< what leaves in it is kept

    sc__kept_cloak *all;  ///< in the order of time
    size_t count;
    size_t capacity;
    uint32_t *ids;
    size_t id_count;
    size_t id_capacity;
    sc_run_member *members;  ///< without ids
    size_t member_count;
    size_t member_capacity;

    // Whoever has asked, until the run is over.
    sc_hash numbers;  ///< by query id
    sc_run_member *askers;
    size_t asker_count;
    size_t asker_capacity;
} sc__cloaks;

/** @param cloaks  borrowed */
sc_run_listener sc__cloaks_listener(sc__cloaks *cloaks);

/** The run is over: who asked is forgotten, the cloaks stay. */
void sc__cloaks_settle(sc__cloaks *cloaks);

/** Cloak `i`, as evaluations want it; lent. */
sc_run_cloak sc__cloaks_at(const sc__cloaks *cloaks, size_t i);

/** Harmless twice. */
void sc__cloaks_fini(sc__cloaks *cloaks);

#endif
