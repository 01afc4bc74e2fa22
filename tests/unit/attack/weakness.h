/**
 * @file weakness.h
 * @brief What the tests of weaknesses share: attack a cloak, and the numbers of docs/attacks.md.
 *
 * Every number is exact (slow_attack.h), and the adversary must come to it within its errors. The
 * entropy by overlap, the likeness of the paper, stands beside it: it hardly notices.
 */
#ifndef SC_TESTS_UNIT_ATTACK_WEAKNESS_H
#define SC_TESTS_UNIT_ATTACK_WEAKNESS_H

#include "support/check.h"
#include "support/toy_stage.h"

/** The linkability of a road is this, but for rounding. */
#define CHECK_LINK(toy, exact, road, wanted) \
    CHECK_CLOSE(toy_link((toy), (exact), (road)), (wanted), 1e-12)

//         G   H   I   J   K
//         |   |   |   |   |
//     F---A---B---C---D---E---L
static const char street_of_five[] = "    G   H   I   J   K    \n"
                                     "    |   |   |   |   |    \n"
                                     "F---A---B---C---D---E---L\n";

//         F   G   H   I
//         |   |   |   |
//     E---A---B---C---D---J
static const char street_of_four[] = "    F   G   H   I    \n"
                                     "    |   |   |   |    \n"
                                     "E---A---B---C---D---J\n";

/** Attack to the letter; the entropies, to three digits, are those of the documentation. */
static inline slow_posterior attack(const toy_stage *toy, double normalised, double by_overlap)
{
    const slow_posterior exact = toy_attack(toy, SC_LIKENESS_EXACT);
    const slow_posterior overlap = toy_attack(toy, SC_LIKENESS_OVERLAP);
    assert_true(exact.likeness > 0);
    CHECK_CLOSE(exact.normalised_entropy, normalised, 0.0005);
    CHECK_CLOSE(overlap.normalised_entropy, by_overlap, 0.0005);
    return exact;
}

static inline sc_needs needs(uint32_t k, uint32_t l, uint32_t max_hops)
{
    return (sc_needs){.k = k, .l = l, .max_hops = max_hops, .result_size = 1};
}

#endif
