// The bins. A number below 2^11 is its own bin. A larger one is shifted right until
// 11 bits are left, the highest of them set: the shift says which block of 1,024
// bins, the lower ten bits which of them.
//
//     bins      0 .. 2047    numbers 0 .. 2047, one each
//     bins   2048 .. 3071    numbers 2048 .. 4095, two each (shift 1)
//     bins   3072 .. 4095    numbers 4096 .. 8191, four each (shift 2)
//     ...
#include "sim/tally.h"

#include "base/alloc.h"

#include <math.h>

/** Bits of a number that a bin tells apart. */
#define EXACT_BITS 11
#define HALF ((uint64_t)1 << (EXACT_BITS - 1))
#define BIN_COUNT ((64 - EXACT_BITS + 2) * HALF)

sc_err sc_tally_init(sc_tally *tally)
{
    uint64_t *bins = sc_calloc(BIN_COUNT, sizeof *bins);
    if (!bins) return SC_ENOMEM;
    *tally = (sc_tally){.bins = bins};
    return SC_OK;
}

void sc_tally_fini(sc_tally *tally)
{
    sc_free(tally->bins);
    *tally = (sc_tally){0};
}

static uint64_t bin_of(uint64_t value)
{
    if (value < 2 * HALF) return value;
    const unsigned shift = 64 - EXACT_BITS - (unsigned)__builtin_clzll(value);
    return shift * HALF + (value >> shift);
}

/** The middle of a bin: the number itself where the bin holds only one. */
static double middle_of(uint64_t bin)
{
    if (bin < 2 * HALF) return (double)bin;
    const unsigned shift = (unsigned)(bin / HALF - 1);
    const uint64_t least = (bin - shift * HALF) << shift;
    const uint64_t width = (uint64_t)1 << shift;
    return (double)least + (double)(width - 1) / 2;
}

void sc_tally_add(sc_tally *tally, uint64_t value)
{
    tally->count++;
    tally->sum += value;
    if (value > tally->max) tally->max = value;
    tally->bins[bin_of(value)]++;
}

/** The least number that `percent` of all do not exceed; there is at least one. */
static double percentile(const sc_tally *tally, unsigned percent)
{
    const uint64_t rank = tally->count - tally->count * (100 - percent) / 100;
    uint64_t seen = 0;
    uint64_t bin = 0;
    for (; bin < BIN_COUNT - 1; bin++) {
        seen += tally->bins[bin];
        if (seen >= rank) break;
    }
    // The middle of the last bin may lie beyond all that was counted.
    return fmin(middle_of(bin), (double)tally->max);
}

sc_summary sc_tally_summary(const sc_tally *tally, double unit)
{
    if (tally->count == 0) return (sc_summary){0};
    return (sc_summary){
        .count = tally->count,
        .mean = (double)tally->sum / (double)tally->count * unit,
        .median = percentile(tally, 50) * unit,
        .p99 = percentile(tally, 99) * unit,
        .max = (double)tally->max * unit,
    };
}
