// Sorting numbers, by radix, by insertion or by the C library.
#include "base/sort.h"

#include "base/alloc.h"

#include <stdlib.h>

/**
 * Up to so many numbers are sorted by insertion. In random order that takes half the time of
 * qsort() or less, 50 ns in place of 130 for eight and 0.8 us in place of 2.1 for 64. Beyond,
 * what is listed in descending order would suffer: of 64 it takes as long as qsort(), of 128
 * half as long again.
 */
enum { INSERTION_MAX = 64 };

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

static int compare_u32(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a;
    const uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static int compare_u64(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

void sc_sort_u32(uint32_t *ids, size_t count)
{
    if (count > INSERTION_MAX) {
        qsort(ids, count, sizeof *ids, compare_u32);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const uint32_t id = ids[i];
        size_t at = i;
        for (; at > 0 && ids[at - 1] > id; at--) {
            ids[at] = ids[at - 1];
        }
        ids[at] = id;
    }
}

static void sort_u64(uint64_t *values, size_t count)
{
    if (count > INSERTION_MAX) {
        qsort(values, count, sizeof *values, compare_u64);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const uint64_t value = values[i];
        size_t at = i;
        for (; at > 0 && values[at - 1] > value; at--) {
            values[at] = values[at - 1];
        }
        values[at] = value;
    }
}

size_t sc_sort_count_different(uint64_t *values, size_t count)
{
    if (count == 0) return 0;
    sort_u64(values, count);
    size_t different = 1;
    for (size_t i = 1; i < count; i++) {
        different += values[i] != values[i - 1];
    }
    return different;
}
