/**
 * @file search_digest.h
 * @brief What tells how one worker searches for cloaks from how another does.
 *
 * Workers that search differently keep the same promises, so they may serve one cluster, and do
 * while its settings are changed. But then success, waiting and what a flood of large k can do
 * depend on the part of the map. So heartbeats of workers carry this, and gateways warn.
 */
#ifndef SC_CLUSTER_SEARCH_DIGEST_H
#define SC_CLUSTER_SEARCH_DIGEST_H

#include <starcloak/engine.h>

/** The settings that its engine uses; the others are 0. Zeroed: not known. */
typedef struct sc_search_digest {
    uint32_t engine;  ///< 1 and its sc_variant
    bool is_strict;   ///< bounded and hybrid; with patient it is a demand
    uint32_t lambda;
    int64_t alpha_us;
    uint32_t crowd;
    uint32_t k_spread;
    uint32_t cap;
} sc_search_digest;

sc_search_digest sc_search_digest_of(const sc_engine_options *options);

/** The setting in which two differ, the one to look at first: "engine", "strict", "lambda",
 * "alpha", "crowd", "k-spread" or "cap"; NULL if they are the same, or one is not known. */
const char *sc_search_digest_difference(const sc_search_digest *a, const sc_search_digest *b);

#endif
