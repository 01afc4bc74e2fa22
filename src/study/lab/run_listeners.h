/**
 * @file run_listeners.h
 * @brief Listeners of a run: they keep its cloaks, or its questions; and several in one.
 */
#ifndef SC_LAB_RUN_LISTENERS_H
#define SC_LAB_RUN_LISTENERS_H

#include "base/hash.h"
#include "record/run_reader.h"
#include "sim/run.h"

// === Cloaks =====================================================================================
// The cloaks of a method that leave in the counted time, kept for the provider. A cloak has its
// members by their ids only; where they are and what they ask for is kept from when they asked.

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

    // All who asked, until the run is over.
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

// === Questions ==================================================================================
// What travellers asked in a run, kept to be asked again of every method.

/** Zero-initialise; sc__questions_fini() when done. */
typedef struct sc__questions {
    sc_request_line *lines;  ///< in the order of time
    size_t count;
    size_t capacity;
    char *names;  ///< of users, one behind the other as in the lines
    size_t name_size;
    size_t name_capacity;
} sc__questions;

/** Keeps every question that it hears of. @param questions  borrowed */
sc_run_listener sc__questions_listener(sc__questions *questions);

/** The run is over: `lines` may be used from now on, and none is added any more. */
void sc__questions_settle(sc__questions *questions);

/** Harmless twice. */
void sc__questions_fini(sc__questions *questions);

// === Several listeners ==========================================================================
// One keeps cloaks for the provider, another for the adversary.

/** As many as there may be. */
enum { SC__LISTENERS_MAX = 2 };

/** Zero-initialise, then sc__listeners_add(). */
typedef struct sc__listeners {
    sc_run_listener all[SC__LISTENERS_MAX];
    size_t count;
} sc__listeners;

/** There must be room for it. */
void sc__listeners_add(sc__listeners *listeners, sc_run_listener listener);

/**
 * One that tells all of them, in the order in which they were added, until one fails.
 *
 * @param listeners  borrowed
 */
sc_run_listener sc__listeners_listener(sc__listeners *listeners);

#endif
