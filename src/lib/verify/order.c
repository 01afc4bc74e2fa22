// Two sums that tell a shuffled order from one that remembers. See order.h.
#include "verify/order.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a;
    const uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static uint32_t rank_of(const uint32_t *sorted, size_t count, uint32_t arrival)
{
    const uint32_t *at = bsearch(&arrival, sorted, count, sizeof *sorted, compare_numbers);
    return (uint32_t)(at - sorted);
}

static void add_term(sc_drift *drift, double term)
{
    drift->sum += term;
    drift->count++;
}

// Spearman's correlation of place and rank, scaled to variance 1: for n members in random
// order it has mean 0 and variance 1 / (n - 1).
static void add_trend(sc_drift *drift, const uint32_t *arrivals, const uint32_t *sorted,
                      size_t count)
{
    const double n = (double)count;
    const double middle = (n - 1.0) / 2.0;
    double product = 0.0;
    for (size_t i = 0; i < count; i++) {
        product += ((double)i - middle) * (rank_of(sorted, count, arrivals[i]) - middle);
    }
    const double most = n * (n * n - 1.0) / 12.0;
    add_term(drift, product / most * sqrt(n - 1.0));
}

// The square of the newest member's distance from the middle, in units in which places are 1
// apart, less its mean. Of a uniform place, the mean is (n^2 - 1) / 12, and the variance
// (n^2 - 1) (n^2 - 4) / 180. Scaled to variance 1, so that large cloaks count no more than small.
static void add_newest(sc_drift *drift, const uint32_t *arrivals, const uint32_t *sorted,
                       size_t count)
{
    const double n = (double)count;
    size_t place = 0;
    while (arrivals[place] != sorted[count - 1]) {
        place++;
    }
    const double off = (double)place - (n - 1.0) / 2.0;
    const double mean = (n * n - 1.0) / 12.0;
    const double variance = (n * n - 1.0) * (n * n - 4.0) / 180.0;
    add_term(drift, (off * off - mean) / sqrt(variance));
}

sc_err sc__order_add(sc_order *order, const uint32_t *arrivals, size_t count)
{
    if (count < 2) return SC_OK;
    for (size_t i = 0; i < count; i++) {
        if (!sc_grow(&order->ranks, i, &order->capacity, sizeof *order->ranks)) return SC_ENOMEM;
        order->ranks[i] = arrivals[i];
    }
    sc_sort_u32(order->ranks, count);
    add_trend(&order->trend, arrivals, order->ranks, count);
    // Of two, each is as far from the middle as the other.
    if (count > 2) add_newest(&order->newest, arrivals, order->ranks, count);
    return SC_OK;
}

double sc__drift_deviations(const sc_drift *drift)
{
    return drift->sum / sqrt((double)drift->count);
}

void sc__order_fini(sc_order *order)
{
    sc_free(order->ranks);
    *order = (sc_order){.capacity = 0};
}
