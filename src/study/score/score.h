/**
 * @file score.h
 * @brief What an adversary's belief is worth: the only place where it meets the truth.
 */
#ifndef SC_SCORE_SCORE_H
#define SC_SCORE_SCORE_H

#include "score/cases.h"

typedef struct sc_score {
    double probability;  ///< given to the true segment
    double rank;  ///< of the true segment, 1 is the likeliest; among equals the mean of theirs
} sc_score;

/** One traveller; a true segment that is not among the links has probability 0 and the last rank.
 */
sc_score sc_score_of(const sc_posterior *posterior, sc_seg_id truth);

/**
 * What a true segment would be given on average if the belief were right: then each segment is the
 * true one as often as its linkability says, which makes the sum of their squares. Less than that
 * over many cloaks is overconfidence.
 */
double sc_expected_probability(const sc_posterior *posterior);

/** The mean over all strangers of a case: to the adversary they are all alike. */
sc_score sc_score_case(const sc_posterior *posterior, const sc_case *one);

// --- Travellers who ask again ----------------------------------------------------

/** The cloaks of one traveller in the order of time. */
typedef struct sc_trail {
    size_t first;  ///< in `steps`
    size_t count;
} sc_trail;

typedef struct sc_trail_step {
    size_t which;   ///< case
    size_t member;  ///< of it
} sc_trail_step;

/** Zero-initialise; sc_trails_fini(), harmless twice. */
typedef struct sc_trails {
    const sc_cases *cases;  ///< borrowed
    sc_trail *all;          ///< in random order
    size_t count;
    sc_trail_step *steps;
    size_t step_count;
} sc_trails;

/**
 * All travellers (not the adversary's own) with at least `least` cloaks, in an order drawn by
 * `seed`. Of two members of one cloak that are the same user, the first counts.
 *
 * @param cases  borrowed; must outlive the trails
 */
SC_CHECKED sc_err sc_trails_init(sc_trails *trails, const sc_cases *cases, size_t least,
                                 uint64_t seed);

void sc_trails_fini(sc_trails *trails);

/**
 * Let the tracker, which forgets what it saw before, see step `i` of a trail; to be called for i =
 * 0, 1, 2, ... in turn.
 *
 * @param is_left  by segment of the step: what the rules leave to the traveller; NULL: all
 * @param score    of the traveller; may be NULL
 */
SC_CHECKED sc_err sc_trail_see(sc_tracker *tracker, const bool *is_left, const sc_trails *trails,
                               size_t trail, size_t i, sc_posterior *out, sc_score *score);

#endif
