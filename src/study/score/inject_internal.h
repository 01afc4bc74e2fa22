/**
 * @file inject_internal.h
 * @brief What an injection is made of: victims that are drawn, and the roads around them.
 *
 *     victims.c  who is to be found, and in which case it was
 *     around.c   segments near a victim's, in random order
 *     inject.c   lines of the adversary's own among those given
 *
 * For: this folder.
 */
#ifndef SC_SCORE_INJECT_INTERNAL_H
#define SC_SCORE_INJECT_INTERNAL_H

#include <starcloak/star.h>

#include "base/rng.h"
#include "score/inject.h"

/** What is needed of a victim to be near it. */
typedef struct sc__quarry {
    const sc_spoken *line;  ///< lent by whoever gave the lines
    sc_seg_id segment;
    uint64_t seed;  ///< of where the queries near it go
} sc__quarry;

/**
 * Draw the victims of `injection`, which depends on the lines, the seed and the window alone: with
 * fewer wanted it is the first of them.
 *
 * @param out  set to one per victim, in their order; to be freed, also after a failure
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__victims_draw(sc_injection *injection, const sc_map *map,
                                   const sc_spoken *lines, size_t line_count,
                                   const sc_injection_options *options, sc__quarry **out);

/** Segments around another. Zero-initialise, then sc__around_init(); sc__around_fini(). */
typedef struct sc__around {
    const sc_map *map;  ///< borrowed
    sc_ball *ball;
    sc_seg_id *segments;
    size_t count;
    size_t capacity;
} sc__around;

SC_CHECKED sc_err sc__around_init(sc__around *around, const sc_map *map);

/** Harmless twice. */
void sc__around_fini(sc__around *around);

/**
 * List all segments that touch a star within `max_hops` of a star of `segment`, itself among them,
 * each once, in an order drawn from `rng`: those before it are the same however many are used.
 *
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__around_draw(sc__around *around, sc_seg_id segment, uint32_t max_hops,
                                  sc_rng *rng);

#endif
