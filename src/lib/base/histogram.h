/**
 * @file histogram.h
 * @brief Counts of values by size: with bounds, as Prometheus wants them, and for percentiles.
 *
 * A sc_histogram has the bounds that its user gives it, and any thread may add to it. A
 * sc_log_histogram has buckets that grow with the value and gives percentiles; it belongs to one
 * thread, and those of several are merged.
 *
 * Both are zero-initialised, and there is nothing to free.
 */
#ifndef SC_BASE_HISTOGRAM_H
#define SC_BASE_HISTOGRAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { SC_HISTOGRAM_BUCKETS = 24 };

/**
 * With bounds. A reader may see a value counted in its bucket and not yet in the sum: monitoring
 * does not mind.
 */
typedef struct sc_histogram {
    const double *bounds;  ///< ascending upper bounds, inclusive; borrowed
    size_t bound_count;    ///< below SC_HISTOGRAM_BUCKETS: the last bucket has no bound
    atomic_uint_fast64_t counts[SC_HISTOGRAM_BUCKETS];
    atomic_uint_fast64_t sum_millionths;  ///< of all values
} sc_histogram;

/** Count `value`, which is not negative. Any thread. */
static inline void sc_histogram_add(sc_histogram *histogram, double value)
{
    size_t bucket = 0;
    while (bucket < histogram->bound_count && value > histogram->bounds[bucket])
        bucket++;
    atomic_fetch_add_explicit(&histogram->counts[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->sum_millionths, (uint64_t)(value * 1e6 + 0.5),
                              memory_order_relaxed);
}

/** Add all that `other`, of the same bounds, has counted. Any thread. */
void sc_histogram_merge(sc_histogram *histogram, const sc_histogram *other);

// --- For percentiles -----------------------------------------------------------------------------

enum {
    SC_LOG_HISTOGRAM_SHARP_BITS = 7,  ///< 2^7 buckets per power of two
    SC_LOG_HISTOGRAM_TOP_BITS =
        40,  ///< larger numbers (of microseconds: twelve days) count as this
    SC_LOG_HISTOGRAM_BUCKETS = (SC_LOG_HISTOGRAM_TOP_BITS - SC_LOG_HISTOGRAM_SHARP_BITS + 1)
                               << SC_LOG_HISTOGRAM_SHARP_BITS,
};

/**
 * Each power of two is cut into 128 buckets, so a percentile is within 0.4 % of the truth; numbers
 * below 256 are kept exactly, and so are the count, the sum and the largest. Adding is a shift and
 * an increment. For microseconds first of all, but any whole numbers will do.
 */
typedef struct sc_log_histogram {
    uint64_t counts[SC_LOG_HISTOGRAM_BUCKETS];
    uint64_t count;
    uint64_t sum;
    uint64_t max;
} sc_log_histogram;

/** Count `value`. */
void sc_log_histogram_add(sc_log_histogram *histogram, uint64_t value);

/** Add all that `other` has counted. */
void sc_log_histogram_merge(sc_log_histogram *histogram, const sc_log_histogram *other);

/** The value that a share of `part` (0 to 1) does not exceed; 0 if there is none. */
double sc_log_histogram_quantile(const sc_log_histogram *histogram, double part);

/** 0 if there is none. */
double sc_log_histogram_mean(const sc_log_histogram *histogram);

#endif
