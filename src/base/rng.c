// xoshiro256++ by Blackman and Vigna, seeded by splitmix64. See rng.h.
#include "base/rng.h"

#include <math.h>

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

void sc_rng_seed(sc_rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        rng->state[i] = splitmix64(&seed);
    }
}

uint64_t sc_rng_next(sc_rng *rng)
{
    uint64_t *s = rng->state;
    const uint64_t result = rotate(s[0] + s[3], 23) + s[0];
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint32_t sc_rng_below(sc_rng *rng, uint32_t bound)
{
    // Multiply and shift; the few values that would favour some results are
    // drawn again (Lemire's method).
    uint64_t product = (sc_rng_next(rng) >> 32) * bound;
    if ((uint32_t)product < bound) {
        const uint32_t threshold = (uint32_t)(-bound) % bound;
        while ((uint32_t)product < threshold) {
            product = (sc_rng_next(rng) >> 32) * bound;
        }
    }
    return (uint32_t)(product >> 32);
}

double sc_rng_unit(sc_rng *rng)
{
    return (double)(sc_rng_next(rng) >> 11) * 0x1p-53;
}

double sc_rng_normal(sc_rng *rng)
{
    // Marsaglia's polar method; its second number is let go, so that the state
    // is the four words alone.
    for (;;) {
        const double u = 2.0 * sc_rng_unit(rng) - 1.0;
        const double v = 2.0 * sc_rng_unit(rng) - 1.0;
        const double s = u * u + v * v;
        if (s > 0.0 && s < 1.0) return u * sqrt(-2.0 * log(s) / s);
    }
}
