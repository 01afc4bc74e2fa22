/**
 * @file replay.h
 * @brief One replay: travellers are put onto segments of S, cloaked again, and what came of it is
 * held against S.
 *
 * What the strangers asked for is dealt out again each time, and so is the order in which they and
 * the injected ones come: an adversary knows neither. Nothing but the random generator is carried
 * from one replay to the next.
 */
#ifndef SC_ATTACK_REPLAY_H
#define SC_ATTACK_REPLAY_H

#include <starcloak/attack.h>

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How long after they come queries expire: long enough for any method that does not wait for
 * others. */
#define SC__REPLAY_PATIENCE_S 10.0

/** Segments of a map, a bit for each. */
typedef struct sc__segment_set {
    uint64_t *words;
    size_t segment_count;
} sc__segment_set;

/** False if memory is out. None is marked. */
bool sc__segment_set_init(sc__segment_set *set, size_t segment_count);
void sc__segment_set_fini(sc__segment_set *set);

/** Mark segments, which must be below the count, or clear them again. */
void sc__segment_set_add(sc__segment_set *set, const sc_seg_id *segments, size_t count);
void sc__segment_set_remove(sc__segment_set *set, const sc_seg_id *segments, size_t count);

/** How many of the segments are marked; any beyond the count is not. */
size_t sc__segment_set_count(const sc__segment_set *set, const sc_seg_id *segments, size_t count);

/** What all replays against one cloak have in common. Only read while they run. */
typedef struct sc__replay_setup {
    const sc_sighting *sighting;
    const sc__segment_set *cloak_set;  ///< S
    sc_likeness likeness;
    const sc_cloaker *cloaker;
} sc__replay_setup;

struct sc_replayed {
    const sc__replay_setup *setup;
    double *likeness;  ///< by query: that of its cloak, 0 if it has none
    size_t query_count;
};

/** A thread's own, which replays, with a cloaker, random numbers and memory of its own; not to be
 * moved. */
typedef struct sc__replayer {
    sc_rng rng;     ///< seeded by the caller
    void *cloaker;  ///< as `open` gave it
    bool is_open;   ///< it did

    // For one replay; there is room for `capacity` queries.
    sc_query *queries;
    uint32_t *places;  ///< by query: where in S the stranger is; SC_NONE: an injected one
    uint32_t *order;   ///< by query: which member it is, strangers first
    sc_needs *needs;   ///< by stranger
    double *likeness;  ///< by query
    uint32_t *at;      ///< by stranger: for callers that put them onto places
    size_t capacity;
} sc__replayer;

/** Make room for that many queries. False if memory is out: there is then room for none. */
bool sc__replayer_reserve(sc__replayer *replayer, size_t count);

/** Release the memory, not the cloaker; harmless twice. */
void sc__replayer_fini(sc__replayer *replayer);

/**
 * Replay all members: strangers at `at` (places in S), the injected ones where they are. There must
 * be room for all of them.
 *
 * @param share     what a stranger with likeness 1 counts
 * @param row       by place: each stranger's likeness times `share` is added at its place
 * @param fruitful  1 is added if some stranger has likeness above 0
 * @return SC_OK, or what the cloaker says: nothing is added then
 */
SC_CHECKED sc_err sc__replay_all(sc__replayer *replayer, const sc__replay_setup *setup,
                                 const uint32_t *at, double share, double *row, uint64_t *fruitful);

/** Replay one stranger alone at `place`, asking for one user only. The rest is as above. */
SC_CHECKED sc_err sc__replay_one(sc__replayer *replayer, const sc__replay_setup *setup,
                                 uint32_t place, double share, double *row, uint64_t *fruitful);

#endif
