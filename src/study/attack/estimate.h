/**
 * @file estimate.h
 * @brief Likelihoods of all segments of one cloak, from replays in batches.
 *
 * Batches are independent of each other and alike, so that their differences tell how sure the
 * estimate is (belief.h). Each is cut into chunks, which are what threads take; random
 * numbers are seeded again for each chunk and its results go into a row of their own, so that
 * nothing depends on who did what, or when.
 */
#ifndef SC_ATTACK_ESTIMATE_H
#define SC_ATTACK_ESTIMATE_H

#include "attack/belief.h"
#include "attack/replay.h"

/** What is done in a batch. */
typedef enum sc__method {
    SC__SINGLE,     ///< one stranger alone, on each segment in turn, some times over
    SC__ENUMERATE,  ///< all strangers, in every placement, once or some times over
    SC__SAMPLE,     ///< all strangers, in placements that are drawn
} sc__method;

/** What is to be estimated, and how. */
typedef struct sc__estimation {
    const sc__replay_setup *setup;
    const double *weights;  ///< of places, summing to 1
    sc__method method;
    size_t batch_count;
    uint64_t batch_size;             ///< replays in a batch
    uint64_t seed;                   ///< of this cloak
    sc__replayer *const *replayers;  ///< each with room for all members
    unsigned replayer_count;
} sc__estimation;

/** What came of it. Zero-initialise; sc__estimate_fini(). */
typedef struct sc__estimate {
    sc__likelihoods likelihoods;  ///< of the batches, weighted by the density
    double *rows;                 ///< what they are in
    uint64_t fruitful;
} sc__estimate;

/**
 * @param out  set on success
 * @return SC_OK, SC_ENOMEM, SC_EIO (a thread cannot be started), or what the cloaker says
 */
SC_CHECKED sc_err sc__estimate_init(sc__estimate *out, const sc__estimation *estimation);

/** Harmless twice. */
void sc__estimate_fini(sc__estimate *estimate);

/** A seed for `number`, every bit of which depends on every bit of both. */
uint64_t sc__seed_mix(uint64_t seed, uint64_t number);

#endif
