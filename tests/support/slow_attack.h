/**
 * @file slow_attack.h
 * @brief The adversary of starcloak/attack.h without samples: the exact posterior of its model.
 *
 * Everything that is random in the model is rolled by dice.h, one way after the other: where each
 * stranger stands, which wishes it has, who comes first, and all dice of the method (toy_town.h).
 * The linkabilities are then what they are, up to the rounding of doubles; whatever an adversary
 * estimates must agree with them within the error it states.
 */
#ifndef SC_TESTS_SUPPORT_SLOW_ATTACK_H
#define SC_TESTS_SUPPORT_SLOW_ATTACK_H

#include "support/toy_town.h"

/** What can be known, exactly. */
typedef struct slow_posterior {
    sc_seg_id segments[TOY_SEGMENTS];  ///< those of the sighting
    double links[TOY_SEGMENTS];        ///< linkabilities, in that order
    size_t count;
    double normalised_entropy;
    double likeness;  ///< that a stranger meets with on average; 0: it explains nothing
    size_t ruled_out;
    uint64_t ways;  ///< how many there were
} slow_posterior;

/** @param density  NULL: uniform */
slow_posterior slow_correlate(const toy_town *town, const sc_sighting *sighting,
                              const sc_density *density, sc_likeness likeness);
slow_posterior slow_replay(const toy_town *town, const sc_sighting *sighting,
                           const sc_density *density, sc_likeness likeness);

/** H / log2(count) of weights that need not sum to 1, by the textbook. */
double slow_normalised_entropy(const double *weights, size_t count);

/** The linkability of one segment; it must be in the sighting. */
double slow_link(const slow_posterior *exact, sc_seg_id segment);

/**
 * How many standard errors an estimate may be off. Those errors are estimates too, of 32 batches at
 * least: of ten thousand numbers about one would be farther off by chance, and seeds are fixed.
 */
#define SLOW_ERRORS 4.5

/**
 * An estimate agrees: every linkability, and the entropy less its bias, within SLOW_ERRORS of its
 * own standard errors; and what is impossible was never seen.
 */
#define CHECK_AGREES(estimate, exact) slow_check_agrees((estimate), (exact), __FILE__, __LINE__)
void slow_check_agrees(const sc_posterior *estimate, const slow_posterior *exact, const char *file,
                       int line);

#endif
