// Counts of values by size: sums of several, and buckets that grow with the value.
#include "base/histogram.h"

#include <math.h>

static void add_count(atomic_uint_fast64_t *count, const atomic_uint_fast64_t *more)
{
    atomic_fetch_add_explicit(count, atomic_load_explicit(more, memory_order_relaxed),
                              memory_order_relaxed);
}

void sc_histogram_merge(sc_histogram *histogram, const sc_histogram *other)
{
    for (size_t i = 0; i < SC_HISTOGRAM_BUCKETS; i++) {
        add_count(&histogram->counts[i], &other->counts[i]);
    }
    add_count(&histogram->sum_millionths, &other->sum_millionths);
}

// --- For percentiles -----------------------------------------------------------------------------

static const uint64_t largest = ((uint64_t)1 << SC_LOG_HISTOGRAM_TOP_BITS) - 1;

/** Below 256 each number has its own; above, those with the same eight leading bits share one. */
static size_t bucket_of(uint64_t value)
{
    const uint64_t sharp = (uint64_t)1 << (SC_LOG_HISTOGRAM_SHARP_BITS + 1);
    if (value < sharp) return (size_t)value;
    if (value > largest) value = largest;
    const unsigned shift = 63U - (unsigned)__builtin_clzll(value) - SC_LOG_HISTOGRAM_SHARP_BITS;
    return ((size_t)shift << SC_LOG_HISTOGRAM_SHARP_BITS) + (size_t)(value >> shift);
}

/** The middle of a bucket. */
static double value_of(size_t bucket)
{
    const size_t sharp = (size_t)1 << (SC_LOG_HISTOGRAM_SHARP_BITS + 1);
    if (bucket < sharp) return (double)bucket;
    const unsigned shift = (unsigned)(bucket >> SC_LOG_HISTOGRAM_SHARP_BITS) - 1;
    const uint64_t lead = bucket - ((size_t)shift << SC_LOG_HISTOGRAM_SHARP_BITS);
    const uint64_t width = (uint64_t)1 << shift;
    return (double)(lead << shift) + (double)(width - 1) / 2;
}

void sc_log_histogram_add(sc_log_histogram *histogram, uint64_t value)
{
    histogram->counts[bucket_of(value)]++;
    histogram->count++;
    histogram->sum += value;
    if (value > histogram->max) histogram->max = value;
}

void sc_log_histogram_merge(sc_log_histogram *histogram, const sc_log_histogram *other)
{
    for (size_t i = 0; i < SC_LOG_HISTOGRAM_BUCKETS; i++) {
        histogram->counts[i] += other->counts[i];
    }
    histogram->count += other->count;
    histogram->sum += other->sum;
    if (other->max > histogram->max) histogram->max = other->max;
}

double sc_log_histogram_quantile(const sc_log_histogram *histogram, double part)
{
    if (histogram->count == 0) return 0;
    uint64_t rank = (uint64_t)ceil(part * (double)histogram->count);
    if (rank < 1) rank = 1;
    if (rank >= histogram->count) return (double)histogram->max;
    uint64_t below = 0;
    size_t bucket = 0;
    while (below + histogram->counts[bucket] < rank) {
        below += histogram->counts[bucket++];
    }
    return fmin(value_of(bucket), (double)histogram->max);
}

double sc_log_histogram_mean(const sc_log_histogram *histogram)
{
    return histogram->count > 0 ? (double)histogram->sum / (double)histogram->count : 0;
}
