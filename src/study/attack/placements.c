// Multisets of places: counted, numbered, weighed, drawn.
//
// In lexicographic order all placements that begin with place p, for n strangers, come before those
// that begin with p + 1, and there are as many of them as placements of n - 1 strangers on the
// places from p on. So counting is all that numbering needs.
#include "attack/placements.h"

#include "base/alloc.h"

#include <math.h>

// n choose r, grown one factor at a time: (n-r+1 choose 1), (n-r+2 choose 2), ... Each is a whole
// number and no smaller than the one before, so once one is too large the result is. As r is at
// most n / 2, that is after 34 factors at the latest: 68 choose 34 is above 2^64.
uint64_t sc__placement_count(size_t places, size_t strangers)
{
    if (places == 0) return strangers == 0;
    const size_t r = strangers < places - 1 ? strangers : places - 1;
    size_t n = 0;
    if (__builtin_add_overflow(places - 1, strangers, &n)) return UINT64_MAX;
    uint64_t count = 1;
    for (size_t i = 1; i <= r; i++) {
        // count * factor / i, in two parts so that it overflows only where the result does.
        const uint64_t factor = n - r + i;
        uint64_t whole = 0;
        uint64_t rest = 0;
        if (__builtin_mul_overflow(count / i, factor, &whole)) return UINT64_MAX;
        if (__builtin_mul_overflow(count % i, factor, &rest)) return UINT64_MAX;
        if (__builtin_add_overflow(whole, rest / i, &count)) return UINT64_MAX;
    }
    return count;
}

void sc__placement_at(uint64_t rank, size_t places, size_t strangers, uint32_t *at)
{
    size_t place = 0;
    for (size_t i = 0; i < strangers; i++) {
        for (; place + 1 < places; place++) {
            const uint64_t here = sc__placement_count(places - place, strangers - i - 1);
            if (rank < here) break;
            rank -= here;
        }
        at[i] = (uint32_t)place;
    }
}

bool sc__placement_next(size_t places, size_t strangers, uint32_t *at)
{
    size_t last = strangers;  // the last stranger who is not on the last place
    while (last > 0 && at[last - 1] + (size_t)1 >= places) {
        last--;
    }
    const uint32_t place = last > 0 ? at[last - 1] + 1 : 0;
    for (size_t i = last > 0 ? last - 1 : 0; i < strangers; i++) {
        at[i] = place;
    }
    return last > 0;
}

// Stranger number t, the c-th on its place, has the factor w t / c: after t of them the product is
// the weight of their placement. It can be far too small for a double and become large again (half
// of 10,000 strangers on one place, then the others on another), so its exponent is kept apart.
double sc__placement_weight(const double *w, size_t strangers, const uint32_t *at)
{
    double mantissa = 1;
    int exponent = 0;
    size_t on_place = 0;
    for (size_t i = 0; i < strangers; i++) {
        on_place = i > 0 && at[i] == at[i - 1] ? on_place + 1 : 1;
        const double ways = (double)(i + 1) / (double)on_place;
        int step = 0;
        mantissa = frexp(mantissa * ways * w[at[i]], &step);
        exponent += step;
    }
    return ldexp(mantissa, exponent);
}

// --- Drawing -------------------------------------------------------------------------------

bool sc__draws_init(sc__draws *draws, const double *w, size_t count)
{
    double *sums = sc_malloc_array(count, sizeof *sums);
    if (!sums) return false;
    double sum = 0;
    size_t end = 0;  // behind the last place that can be drawn
    for (size_t i = 0; i < count; i++) {
        sum += w[i];
        sums[i] = fmin(sum, 1);
        if (w[i] > 0) end = i + 1;
    }
    // What rounding has lost is the last one's, not that of one with weight 0 behind it.
    for (size_t i = end > 0 ? end - 1 : 0; i < count; i++) {
        sums[i] = 1;
    }
    *draws = (sc__draws){.sums = sums, .count = count};
    return true;
}

void sc__draws_fini(sc__draws *draws)
{
    sc_free(draws->sums);
    *draws = (sc__draws){0};
}

// The first whose sum is above the number drawn. One with weight 0 has the sum of the one before
// it (or 0, and no number is below that), so it is never the first.
uint32_t sc__draw(const sc__draws *draws, sc_rng *rng)
{
    const double drawn = sc_rng_unit(rng);
    size_t low = 0;
    size_t high = draws->count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (draws->sums[middle] > drawn) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return (uint32_t)low;
}
