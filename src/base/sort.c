// Radix sort of an order by 32-bit keys. See sort.h.
#include "base/sort.h"

#include "base/alloc.h"

sc_err sc_sort_order(const uint32_t *keys, uint32_t count, uint32_t *order)
{
    // Radix sort, eleven bits at a time: three stable passes.
    enum { BITS = 11, BUCKETS = 1 << BITS };
    uint32_t *other = sc_malloc_array(count, sizeof *other);
    if (!other) return SC_ENOMEM;

    for (uint32_t i = 0; i < count; i++) {
        other[i] = i;
    }
    uint32_t *from = other;
    uint32_t *to = order;
    for (unsigned shift = 0; shift < 32; shift += BITS) {
        uint32_t start[BUCKETS + 1] = {0};
        for (uint32_t i = 0; i < count; i++) {
            start[((keys[i] >> shift) & (BUCKETS - 1)) + 1]++;
        }
        for (int b = 0; b < BUCKETS; b++) {
            start[b + 1] += start[b];
        }
        for (uint32_t i = 0; i < count; i++) {
            to[start[(keys[from[i]] >> shift) & (BUCKETS - 1)]++] = from[i];
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    // Three passes: the result is in `order`, where the first pass wrote.
    sc_free(other);
    return SC_OK;
}
