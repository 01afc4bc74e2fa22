// Buckets that grow with the value. See latency.h.
#include "demo/loadgen/latency.h"

#include <math.h>

static const uint64_t largest = ((uint64_t)1 << SC_LATENCY_TOP_BITS) - 1;

/** Below 256 each number has its own; above, those with the same eight leading bits share one. */
static size_t bucket_of(uint64_t value)
{
    const uint64_t sharp = (uint64_t)1 << (SC_LATENCY_SHARP_BITS + 1);
    if (value < sharp) return (size_t)value;
    if (value > largest) value = largest;
    const unsigned shift = 63U - (unsigned)__builtin_clzll(value) - SC_LATENCY_SHARP_BITS;
    return ((size_t)shift << SC_LATENCY_SHARP_BITS) + (size_t)(value >> shift);
}

/** The middle of a bucket. */
static double value_of(size_t bucket)
{
    const size_t sharp = (size_t)1 << (SC_LATENCY_SHARP_BITS + 1);
    if (bucket < sharp) return (double)bucket;
    const unsigned shift = (unsigned)(bucket >> SC_LATENCY_SHARP_BITS) - 1;
    const uint64_t lead = bucket - ((size_t)shift << SC_LATENCY_SHARP_BITS);
    const uint64_t width = (uint64_t)1 << shift;
    return (double)(lead << shift) + (double)(width - 1) / 2;
}

void sc_latency_add(sc_latency *latency, uint64_t value)
{
    latency->counts[bucket_of(value)]++;
    latency->count++;
    latency->sum += value;
    if (value > latency->max) latency->max = value;
}

void sc_latency_merge(sc_latency *latency, const sc_latency *other)
{
    for (size_t i = 0; i < SC_LATENCY_BUCKETS; i++) {
        latency->counts[i] += other->counts[i];
    }
    latency->count += other->count;
    latency->sum += other->sum;
    if (other->max > latency->max) latency->max = other->max;
}

double sc_latency_quantile(const sc_latency *latency, double part)
{
    if (latency->count == 0) return 0;
    uint64_t rank = (uint64_t)ceil(part * (double)latency->count);
    if (rank < 1) rank = 1;
    if (rank >= latency->count) return (double)latency->max;
    uint64_t below = 0;
    size_t bucket = 0;
    while (below + latency->counts[bucket] < rank) {
        below += latency->counts[bucket++];
    }
    return fmin(value_of(bucket), (double)latency->max);
}

double sc_latency_mean(const sc_latency *latency)
{
    return latency->count > 0 ? (double)latency->sum / (double)latency->count : 0;
}
