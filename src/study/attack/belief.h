/**
 * @file belief.h
 * @brief From likelihoods to linkabilities, their entropy, and how sure they are.
 *
 * Likelihoods come in batches that are independent of each other and alike, each a row with a
 * number per segment of S; the estimate is that of the sum of all rows. Leaving out one row in turn
 * (the jackknife) tells how far off linkabilities and entropy may be, and by how much the entropy
 * is too low.
 */
#ifndef SC_ATTACK_BELIEF_H
#define SC_ATTACK_BELIEF_H

#include <starcloak/attack.h>

/** H in bits of probabilities that sum to 1; 0 log 0 is 0. */
double sc__entropy(const double *p, size_t count);

/** H / log2(count), 0 to 1; 0 for one or none. */
double sc__entropy_normalised(double entropy, size_t count);

/** Rows of likelihoods. */
typedef struct sc__likelihoods {
    const double *rows;  ///< batch after batch, `place_count` each, not negative
    size_t batch_count;  ///< with fewer than two there are no errors
    size_t place_count;
} sc__likelihoods;

/**
 * Fill in links, entropies, errors, bias, effective, ruled_out and is_unexplained. If the rows sum
 * to nothing, the linkabilities are `prior` (summing to 1). All other fields become 0.
 *
 * @param segments  by place
 * @return SC_OK, SC_ENOMEM (`out` is untouched)
 */
SC_CHECKED sc_err sc__posterior_init(sc_posterior *out, const sc_seg_id *segments,
                                     const sc__likelihoods *likelihoods, const double *prior);

#endif
