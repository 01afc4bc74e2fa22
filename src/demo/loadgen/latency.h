/**
 * @file latency.h
 * @brief Percentiles of many numbers in little room: a histogram whose buckets grow with the value.
 *
 * Each power of two is cut into 128 buckets, so a percentile is within 0.4 % of the truth; numbers
 * below 256 are kept exactly, and so are the count, the sum and the largest. Adding is a shift and
 * an increment. For microseconds first of all, but any whole numbers will do.
 *
 * Zero-initialise; nothing to free.
 *
 * Used by: client/books.
 */
#ifndef SC_CLIENT_LATENCY_H
#define SC_CLIENT_LATENCY_H

#include <stddef.h>
#include <stdint.h>

enum {
    SC_LATENCY_SHARP_BITS = 7,  ///< 2^7 buckets per power of two
    SC_LATENCY_TOP_BITS = 40,   ///< larger numbers (of microseconds: twelve days) count as this
    SC_LATENCY_BUCKETS = (SC_LATENCY_TOP_BITS - SC_LATENCY_SHARP_BITS + 1) << SC_LATENCY_SHARP_BITS,
};

typedef struct sc_latency {
    uint64_t counts[SC_LATENCY_BUCKETS];
    uint64_t count;
    uint64_t sum;
    uint64_t max;
} sc_latency;

/** Count `value`. */
void sc_latency_add(sc_latency *latency, uint64_t value);

/** Add all that `other` has counted. */
void sc_latency_merge(sc_latency *latency, const sc_latency *other);

/** The value that a share of `part` (0 to 1) does not exceed; 0 if there is none. */
double sc_latency_quantile(const sc_latency *latency, double part);

/** 0 if there is none. */
double sc_latency_mean(const sc_latency *latency);

#endif
