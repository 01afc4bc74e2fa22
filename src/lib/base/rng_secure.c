// Secure sources: numbers nobody can predict, from libsodium. See rng.h.
//
// A number is wiped from the reserve as it is handed out: whoever reads our
// memory later learns what will be drawn, at most, and not what a cloak was
// made with.
#include "base/rng.h"

#include "base/alloc.h"

#include <sodium.h>

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
