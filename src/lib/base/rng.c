// Random numbers: seeded sources, which repeat a run bit for bit; secure sources, from libsodium,
// which cannot be predicted; and what is drawn from either kind.
//
// A number of a secure source is wiped from the reserve as it is handed out: an attacker who reads
// the memory of the process later learns at most what will be drawn, not what a cloak was made
// with.
#include "base/rng.h"

#include "base/alloc.h"

#include <math.h>
#include <sodium.h>

// --- Seeded sources -----------------------------------------------------------------------------

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void sc_rng_seed(sc_rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        rng->state[i] = splitmix64(&seed);
    }
    rng->reserve = NULL;
}

sc_err sc_rng_new_seeded(uint64_t seed, sc_rng **out)
{
    sc_rng *rng = sc_malloc(sizeof *rng);
    if (!rng) return SC_ENOMEM;
    sc_rng_seed(rng, seed);
    *out = rng;
    return SC_OK;
}

sc_err sc_rng_fork(sc_rng *rng, sc_rng **out)
{
    if (rng->reserve) return sc_rng_new_secure(out);

    // The seed is drawn last, so that a fork that fails leaves `rng` as it was.
    sc_rng *fork = NULL;
    const sc_err err = sc_rng_new_seeded(0, &fork);
    if (err) return err;
    sc_rng_seed(fork, sc_rng_next(rng));
    *out = fork;
    return SC_OK;
}

void sc_rng_free(sc_rng *rng)
{
    if (!rng) return;
    if (rng->reserve) sodium_memzero(rng->reserve, sizeof *rng->reserve);
    sc_free(rng->reserve);
    sodium_memzero(rng, sizeof *rng);
    sc_free(rng);
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
    // Marsaglia's polar method; its second number is let go, so that a source
    // has nothing to remember but where it is.
    for (;;) {
        const double u = 2.0 * sc_rng_unit(rng) - 1.0;
        const double v = 2.0 * sc_rng_unit(rng) - 1.0;
        const double s = u * u + v * v;
        if (s > 0.0 && s < 1.0) return u * sqrt(-2.0 * log(s) / s);
    }
}

// --- Secure sources -----------------------------------------------------------------------------

sc_err sc_rng_new_secure(sc_rng **out)
{
    // Harmless when repeated, and from any thread.
    if (sodium_init() < 0) return SC_EIO;

    sc_rng *rng = sc_calloc(1, sizeof *rng);
    if (!rng) return SC_ENOMEM;
    rng->reserve = sc_calloc(1, sizeof *rng->reserve);
    if (!rng->reserve) {
        sc_free(rng);
        return SC_ENOMEM;
    }
    *out = rng;
    return SC_OK;
}

uint64_t sc__rng_next_secure(sc_rng_reserve *reserve)
{
    if (reserve->left == 0) {
        randombytes_buf(reserve->numbers, sizeof reserve->numbers);
        reserve->left = SC_RNG_RESERVE;
    }
    uint64_t *number = &reserve->numbers[--reserve->left];
    const uint64_t result = *number;
    *number = 0;
    return result;
}
