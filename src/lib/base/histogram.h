/**
 * @file histogram.h
 * @brief Counts of values by size, as Prometheus wants them; any thread may add.
 *
 * Zero-initialise with its bounds; nothing to free. A reader may see a value counted in its bucket
 * and not yet in the sum: monitoring does not mind.
 *
 * Used by: the service's metrics, the load generator's report.
 */
#ifndef SC_BASE_HISTOGRAM_H
#define SC_BASE_HISTOGRAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { SC_HISTOGRAM_BUCKETS = 24 };

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

#endif
