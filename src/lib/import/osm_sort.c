// Sorting records by a 64-bit id, in time that grows with their number alone.
//
// Radix sort from the lowest byte to the highest, so equal ids keep their order.
// Real ids need five of the eight rounds: a round in which all records share the
// byte is left out.
//
// Used by: osm_resolve.c, osm_build.c.
#include "import/osm_internal.h"

#include "base/alloc.h"

#include <string.h>

enum { DIGITS = 8, VALUES = 256 };

// Ids as numbers that order the same way: negative ones before the others.
static uint64_t rank_of(int64_t id)
{
    return (uint64_t)id ^ (UINT64_C(1) << 63);
}

static bool is_sorted(const sc__osm_keyed *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (items[i - 1].id > items[i].id) return false;
    }
    return true;
}

// Turn counts of a digit's values into where each value's records begin; false
// when one value has them all.
static bool starts_of(size_t *counts, size_t count)
{
    size_t start = 0;
    for (size_t value = 0; value < VALUES; value++) {
        const size_t here = counts[value];
        if (here == count) return false;
        counts[value] = start;
        start += here;
    }
    return true;
}

sc_err sc__osm_sort(sc__osm_keyed *items, size_t count)
{
    // Most files are in order already.
    if (is_sorted(items, count)) return SC_OK;

    sc__osm_keyed *copy = sc_malloc_array(count, sizeof *copy);
    if (!copy) return SC_ENOMEM;

    size_t counts[DIGITS][VALUES] = {{0}};
    for (size_t i = 0; i < count; i++) {
        const uint64_t rank = rank_of(items[i].id);
        for (unsigned digit = 0; digit < DIGITS; digit++) {
            counts[digit][(rank >> (8 * digit)) & 0xff]++;
        }
    }

    sc__osm_keyed *from = items;
    sc__osm_keyed *to = copy;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        size_t *starts = counts[digit];
        if (!starts_of(starts, count)) continue;
        for (size_t i = 0; i < count; i++) {
            to[starts[(rank_of(from[i].id) >> (8 * digit)) & 0xff]++] = from[i];
        }
        sc__osm_keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
    sc_free(copy);
    return SC_OK;
}
