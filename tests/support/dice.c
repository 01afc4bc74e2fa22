// All ways that something random can go. See dice.h.
#include "support/dice.h"

#include "support/check.h"

dice dice_new(void)
{
    return (dice){.chance = 1};
}

// The next roll: as settled, or the first side of a new one.
static uint32_t roll(dice *d, uint32_t sides)
{
    assert_true(sides > 0 && d->at < DICE_ROLLS);
    if (d->at == d->settled) {
        d->rolled[d->at] = 0;
        d->sides[d->at] = sides;
        d->settled++;
    }
    assert_int_equal(d->sides[d->at], sides);
    return d->rolled[d->at++];
}

uint32_t dice_below(dice *d, uint32_t sides)
{
    const uint32_t side = roll(d, sides);
    d->chance /= sides;
    return side;
}

uint32_t dice_weighted(dice *d, const double *weights, uint32_t count)
{
    const uint32_t side = roll(d, count);
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += weights[i];
    }
    d->chance *= weights[side] / sum;
    return side;
}

bool dice_turn(dice *d)
{
    // The last roll that has a side left gets the next one; what came behind it is open again.
    d->settled = d->at;
    while (d->settled > 0 && d->rolled[d->settled - 1] + 1 == d->sides[d->settled - 1]) {
        d->settled--;
    }
    d->at = 0;
    d->chance = 1;
    if (d->settled == 0) return false;
    d->rolled[d->settled - 1]++;
    return true;
}
