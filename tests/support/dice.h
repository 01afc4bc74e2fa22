/**
 * @file dice.h
 * @brief All ways that something random can go, one after the other, each with its probability.
 *
 * What rolls the dice is run again and again, and each time one roll comes out otherwise, until
 * every way has been gone:
 *
 *     dice d = dice_new();
 *     do {
 *         const uint32_t star = dice_below(&d, 3);
 *         ...
 *         expected += d.chance * outcome;
 *     } while (dice_turn(&d));
 *
 * How many sides a roll has may depend on the rolls before it, and on nothing else that changes.
 * The chances of all ways sum to 1.
 */
#ifndef SC_TESTS_SUPPORT_DICE_H
#define SC_TESTS_SUPPORT_DICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** No way is longer than this. */
enum { DICE_ROLLS = 64 };

/** From dice_new(); nothing to release. */
typedef struct dice {
    double chance;                ///< of all rolls of this way so far, together
    uint32_t rolled[DICE_ROLLS];  ///< this way, as far as it is settled
    uint32_t sides[DICE_ROLLS];
    size_t settled;
    size_t at;  ///< rolls made of this way
} dice;

/** Nothing rolled yet. */
dice dice_new(void);

/** One of `sides`, each as likely as any other. */
uint32_t dice_below(dice *d, uint32_t sides);

/** One of `count`, each with its weight over the sum of all. */
uint32_t dice_weighted(dice *d, const double *weights, uint32_t count);

/** Go back and come another way; false when all have been gone. */
bool dice_turn(dice *d);

#endif
