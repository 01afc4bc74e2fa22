/**
 * @file parts.h
 * @brief Secret: the parts of an engine thread: an engine for each that is open.
 *
 * A part is opened when it is wanted, and closed when it is not any more. A cloak knows its engine
 * by its address. So the engine of a part that is closed is kept, without being run, until the last
 * of its cloaks is back from where it was pruned or proposed: else another engine might be made at
 * the same place, and be taken for it. The same part can be opened again meanwhile.
 *
 * Engines run only when they have something to do: when messages came for them, or a moment of
 * theirs has come; and not while too many of their proposals are undecided (backoff.h). To see that
 * this is not so takes a look at a few numbers of each part.
 *
 * What a part costs is measured around the runs of its engine, by the thread's own clock of
 * processor time, read once between two runs; adding a query to the queue is not in it, since to
 * read that clock would take longer.
 *
 * One thread has the parts; any thread may say what is wanted, and see what they have done.
 */
#ifndef SC_WORKER_PARTS_H
#define SC_WORKER_PARTS_H

#include <starcloak/cloak.h>
#include <starcloak/engine.h>
#include <starcloak/map.h>
#include <starcloak/rng.h>

#include "worker/backoff.h"
#include "worker/engine_pool.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct sc__part {
    uint32_t number;
    sc_engine *engine;
    bool is_open;             ///< false: it goes when no cloak of it is under way
    bool is_due;              ///< something was done to its engine, which must run
    bool has_found;           ///< candidates or drops may wait in it
    bool is_changed;          ///< since others were shown it
    sc_time wake;             ///< when its engine must run otherwise
    sc__allowance allowance;  ///< of undecided proposals: while it is spent the engine rests
    size_t under_way;         ///< cloaks that were taken from it and have no answer yet
    uint64_t cpu_ns;          ///< spent in runs, of which some are measured
    sc_engine_stats shown;    ///< under `lock`, as the next
    uint64_t shown_cpu_ns;
    struct sc__part *next;
} sc__part;

typedef struct sc__parts {
    const sc_map *map;
    sc_engine_options options;  ///< of engines to come
    sc_rng *rng;                ///< borrowed
    uint32_t count;             ///< of the whole partition
    uint32_t engine_thread;     ///< whose parts they are
    sc__part **open;            ///< by number; NULL: it is not
    bool *is_meant;             ///< by number: it was wanted when the thread last looked
    sc__part *first;            ///< of all, those that are closed too; changed under `lock`
    uint32_t round_count;       ///< calls of sc__parts_run(), of which some are measured
    atomic_bool is_news;        ///< something else is wanted

    pthread_mutex_t lock;
    bool *is_wanted;         ///< by number
    sc_engine_stats closed;  ///< of engines that are gone
} sc__parts;

/** None is open. `parts` stays where it is; sc__parts_fini() also after a failure. */
SC_CHECKED sc_err sc__parts_init(sc__parts *parts, const sc_map *map,
                                 const sc_engine_options *options, uint32_t count,
                                 uint32_t engine_thread, sc_rng *rng);

/** Cloaks under way must be freed before, or not be looked at any more. Harmless on zeroes. */
void sc__parts_fini(sc__parts *parts);

// --- Any thread -----------------------------------------------------------------------------

/** These and no others; each below the partition's count. */
void sc__parts_want(sc__parts *parts, const uint16_t *numbers, size_t count);

/** As they were last shown. Adds to what is there; loads[part] of parts that are open, unless it is
 * NULL. */
void sc__parts_add_stats(sc__parts *parts, sc_engine_stats *stats, sc_part_load *loads);

/** Count for count. */
void sc__engine_stats_add(sc_engine_stats *stats, const sc_engine_stats *more);

// --- The one thread -------------------------------------------------------------------------

/** Whether something else is wanted than at the last look. It is then in `is_meant`. */
bool sc__parts_look(sc__parts *parts);

/** @return SC_OK, SC_ENOMEM, SC_EINVAL (an option out of range) */
SC_CHECKED sc_err sc__parts_open(sc__parts *parts, uint32_t number, sc_diag *diag);

/** Its queries are forgotten with it. */
void sc__parts_close(sc__parts *parts, sc__part *part);

/** Whose engine found that cloak. There is one, as long as the cloak is counted as under way. */
sc__part *sc__parts_of(const sc__parts *parts, const sc_cloak *cloak);

/** Run the engines that have something to do and are allowed to. SC_ENOMEM: one of them could not
 * finish. */
SC_CHECKED sc_err sc__parts_run(sc__parts *parts, sc_time now);

/** Let all engines, also those to come, search in another way. */
SC_CHECKED sc_err sc__parts_switch(sc__parts *parts, sc_variant variant);

/** Show others what has changed, and let go of what is closed and has nothing under way. */
void sc__parts_show(sc__parts *parts);

/** When one of them has something to do even if nothing comes. */
sc_time sc__parts_next_wake(const sc__parts *parts);

/** Something was done to its engine. */
static inline void sc__part_touch(sc__part *part)
{
    part->is_due = part->is_changed = true;
}

#endif
