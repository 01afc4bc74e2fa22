/**
 * @file order.h
 * @brief Does the order in which members are listed say who came first (P6)?
 *
 * One cloak cannot show it: any order may be chance. Many can. Over the whole
 * record two sums are kept that chance alone keeps near zero: one that grows if
 * members tend to be listed in the order of their arrival, or against it; one
 * that grows if the last to arrive tends to stand in the middle, or at the rims.
 * docs/verify.md has the formulas, and how often a false alarm is to be expected.
 *
 * Uses: base. Used by: follow.
 */
#ifndef SC_VERIFY_ORDER_H
#define SC_VERIFY_ORDER_H

#include <starcloak/err.h>
#include <stddef.h>
#include <stdint.h>

/** A sum of terms of mean 0 and variance 1. */
typedef struct sc_drift {
    double sum;
    uint64_t count;
} sc_drift;

typedef struct sc_order {
    sc_drift trend;   ///< listed in the order of arrival, or against it
    sc_drift newest;  ///< where the last to arrive stands
    uint32_t *ranks;  ///< room for one cloak
    size_t capacity;
} sc_order;

/** Fewer cloaks than this show nothing. */
#define SC_ORDER_MIN_CLOAKS 100

/** More standard deviations than this are no chance. */
#define SC_ORDER_MAX_DEVIATIONS 6.0

/**
 * A cloak whose members, as listed, arrived as the `arrivals`-th; all different.
 *
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__order_add(sc_order *order, const uint32_t *arrivals, size_t count);

/** How many standard deviations a sum is from zero; it has a term at least. */
double sc__drift_deviations(const sc_drift *drift);

/** Harmless twice. */
void sc__order_fini(sc_order *order);

#endif
