/**
 * @file sighted.h
 * @brief Cloaks of small random towns, as an adversary sees them.
 */
#ifndef SC_TESTS_UNIT_ATTACK_SIGHTED_H
#define SC_TESTS_UNIT_ATTACK_SIGHTED_H

#include <starcloak/attack.h>
#include <starcloak/prune.h>

#include "support/check.h"
#include "support/streams.h"

enum { SIGHTED_SEGMENTS = 12, SIGHTED_MEMBERS = 4 };

typedef struct sighted {
    sc_map *map;
    sc_seg_id segments[SIGHTED_SEGMENTS];
    sc_needs needs[SIGHTED_MEMBERS];
    sc_sighting sighting;
} sighted;

/** See a cloak, if it is one that is worth it: not too large, and not of one member only. */
static inline bool sighted_see(sighted *s, const sc_cloak *cloak)
{
    const size_t members = cloak->member_count;
    const size_t segments = cloak->segment_count;
    if (segments < 3 || segments > SIGHTED_SEGMENTS || members < 2 || members > SIGHTED_MEMBERS) {
        return false;
    }
    memcpy(s->segments, cloak->segments, segments * sizeof *s->segments);
    for (size_t i = 0; i < members; i++) {
        const sc_query *query = &cloak->members[i].query;
        s->needs[i] = (sc_needs){query->k, query->l, query->max_hops, query->result_size};
    }
    s->sighting = (sc_sighting){.segments = s->segments,
                                .segment_count = segments,
                                .strangers = s->needs,
                                .stranger_count = members};
    return true;
}

/** Try once: some ask in some town, and perhaps a cloak is seen. */
static inline bool sighted_try(sighted *s, const sc_engine_options *options, uint64_t seed)
{
    sc_rng rng;
    sc_engine *engine = NULL;
    sc_pruner *pruner = NULL;
    bool is_seen = false;
    sc_rng_seed(&rng, seed);
    s->map = stream_map(seed);
    CHECK_OK(sc_engine_new(s->map, options, &rng, &engine, NULL), NULL);
    CHECK_OK(sc_pruner_new(s->map, &pruner), NULL);
    for (uint32_t i = 0; i < 5; i++) {
        sc_query query = plain_query(i, 0, 0, 0, 0, 100);
        query.segment = sc_rng_below(&rng, sc_map_segment_count(s->map));
        query.k = 2 + sc_rng_below(&rng, 3);
        query.l = 1 + sc_rng_below(&rng, 7);
        query.max_hops = 1 + sc_rng_below(&rng, 4);
        query.result_size = sc_rng_below(&rng, 20);
        CHECK_OK(sc_engine_add(engine, &query), NULL);
    }
    CHECK_OK(sc_engine_run(engine, 0), NULL);
    for (sc_cloak *cloak; (cloak = sc_engine_take_candidate(engine));) {
        CHECK_OK(sc_pruner_prune(pruner, cloak, &rng), NULL);
        is_seen = is_seen || sighted_see(s, cloak);
        sc_cloak_free(cloak);
    }
    sc_pruner_free(pruner);
    sc_engine_free(engine);
    return is_seen;
}

/** A cloak of the method in the first town, from `seed` on, that has a fit one. It must not be
 * moved; release with sighted_free(). */
static inline void sighted_new(sighted *s, const sc_engine_options *options, uint64_t seed)
{
    while (!sighted_try(s, options, seed)) {
        sc_map_free(s->map);
        seed++;
    }
}

static inline void sighted_free(sighted *s)
{
    sc_map_free(s->map);
}

/** What an adversary of these tests is told: quick, as many replays as it says, and without
 * threads.
 */
static inline sc_adversary_options sighted_options(sc_variant variant)
{
    sc_adversary_options options = sc_adversary_options_default();
    options.engine.variant = variant;
    options.engine.max_combinations = sc_variant_cap(variant);
    options.samples = 1600;
    options.fruitful = 0;
    options.threads = 1;
    return options;
}

static inline sc_adversary *adversary_on(const sc_map *map, const sc_adversary_options *options)
{
    sc_diag diag = {""};
    sc_adversary *adversary = NULL;
    CHECK_OK(sc_adversary_new(map, options, NULL, &adversary, &diag), &diag);
    return adversary;
}

static inline sc_posterior correlate(sc_adversary *adversary, uint64_t number,
                                     const sc_sighting *sighting)
{
    sc_diag diag = {""};
    sc_posterior posterior;
    CHECK_OK(sc_adversary_correlate(adversary, number, sighting, &posterior, &diag), &diag);
    return posterior;
}

static inline sc_posterior replay(sc_adversary *adversary, uint64_t number,
                                  const sc_sighting *sighting)
{
    sc_diag diag = {""};
    sc_posterior posterior;
    CHECK_OK(sc_adversary_replay(adversary, number, sighting, &posterior, &diag), &diag);
    return posterior;
}

#endif
