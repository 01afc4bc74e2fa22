/**
 * @file flock.h
 * @brief Some travellers, their connections, and the one thread that serves all of them.
 *
 * A flock has an epoll loop and a table of descriptors of its own, so that the limit of descriptors
 * counts for each flock by itself. Travellers ask when they want to (closed loop), or somebody does
 * whenever the dice say so (open loop), or all do at once and wait (holding).
 *
 * Uses: client/wire, words, response, judge, books, spoil. Used by: client/run.
 */
#ifndef SC_CLIENT_FLOCK_H
#define SC_CLIENT_FLOCK_H

#include <stdatomic.h>

#include "demo/loadgen/loadgen.h"
#include "demo/loadgen/target.h"
#include "demo/loadgen/request_text.h"

/** How far a run has come. */
typedef enum sc__phase {
    SC__RUNNING = 0,
    SC__DRAINING,  ///< no new queries; those there are are waited for
    SC__CLOSING,   ///< those there are are given up
} sc__phase;

/** What all flocks of a run share. All but the last two are set before they start. */
typedef struct sc__course {
    const sc_map *map;
    const sc_load_options *options;
    const sc_target *target;
    const sc__words *words;
    int64_t start_us;           ///< sc_clock_us(): when travellers' time is 0
    int64_t measure_from_us;    ///< what is asked from then
    int64_t measure_to_us;      ///< until then is measured
    atomic_int phase;           ///< an sc__phase
    atomic_uint_fast64_t told;  ///< queries that whoever watches was told of: the last one's number
} sc__course;

typedef struct sc__flock sc__flock;

/**
 * @param number  of the flock, from 0; its movement is options->movements[number]
 * @param first   of its travellers among those of all flocks: tokens and addresses go by it
 * @return SC_OK, SC_EINVAL, SC_ENOMEM
 */
SC_CHECKED sc_err sc__flock_new(sc__course *course, unsigned number, uint32_t first,
                                sc__flock **out, sc_diag *diag);

/** NULL is fine. */
void sc__flock_free(sc__flock *flock);

/**
 * Serve the travellers until the course is over and none waits. Whatever is still open then is
 * closed.
 *
 * @return SC_OK, SC_EIO (no epoll), SC_ENOMEM
 */
SC_CHECKED sc_err sc__flock_run(sc__flock *flock);

/** Let this thread have descriptors of its own from now on; what cannot be had is done without. */
void sc__flock_own_descriptors(void);

/** What it has seen; once it has run. */
const sc_load_books *sc__flock_books(const sc__flock *flock);

/** Queries that were begun, sent, and have ended, so far. Any thread. */
typedef struct sc__flock_counts {
    uint64_t asked;
    uint64_t sent;
    uint64_t ended;
} sc__flock_counts;

sc__flock_counts sc__flock_counts_of(const sc__flock *flock);

#endif
