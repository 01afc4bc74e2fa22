// Densities in memory, and how many segments a cloak is worth under one. See density.h; tables are
// in density_file.c.
#include "map/density_internal.h"

#include "base/alloc.h"

#include <math.h>
#include <stdint.h>

sc_density *sc__density_new(size_t count)
{
    sc_density *density = NULL;
    if (count > (SIZE_MAX - sizeof *density) / sizeof *density->weights) return NULL;
    density = sc_malloc(sizeof *density + count * sizeof *density->weights);
    if (density) density->count = count;
    return density;
}

double sc__counted_weight(uint64_t count)
{
    return (double)count + 1;
}

sc_err sc_density_new_uniform(const sc_map *map, sc_density **out)
{
    sc_density *density = sc__density_new(sc_map_segment_count(map));
    if (!density) return SC_ENOMEM;
    for (size_t i = 0; i < density->count; i++) {
        density->weights[i] = 1;
    }
    *out = density;
    return SC_OK;
}

sc_err sc_density_new_counted(const sc_map *map, const uint64_t *counts, sc_density **out)
{
    sc_density *density = sc__density_new(sc_map_segment_count(map));
    if (!density) return SC_ENOMEM;
    for (size_t i = 0; i < density->count; i++) {
        density->weights[i] = sc__counted_weight(counts[i]);
    }
    *out = density;
    return SC_OK;
}

void sc_density_free(sc_density *density)
{
    sc_free(density);
}

size_t sc_density_segment_count(const sc_density *density)
{
    return density->count;
}

double sc_density_weight(const sc_density *density, sc_seg_id segment)
{
    return density->weights[segment];
}

// With the weights w in units of their largest, and W their sum, the entropy of the shares w / W is
// log2 W - (sum of w log2 w) / W. No w is above 1 and W is at least 1, so nothing overflows,
// and a w that is too small to be told from 0 adds nothing.
double sc_density_effective(const sc_density *density, const sc_seg_id *segments, size_t count)
{
    if (!density || count < 2) return (double)count;
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, density->weights[segments[i]]);
    }
    double sum = 0;
    double logs = 0;
    for (size_t i = 0; i < count; i++) {
        const double w = density->weights[segments[i]] / largest;
        sum += w;
        if (w > 0) logs += w * log2(w);
    }
    const double effective = sum * exp2(-logs / sum);
    return fmin(fmax(effective, 1), (double)count);  // rounding may lead a little beyond
}
