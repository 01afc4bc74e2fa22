// What tells the demands of one process from those of another.
#include "cluster/demand_digest.h"

#include "base/checksum.h"

#include <string.h>

/** Names in the order of their numbers, then the bits of all roads. A set with the same classes in
 * another order is another: records and metrics name classes by number. Never 0. */
static uint64_t checksum_classes(const sc_place_classes *classes)
{
    const uint32_t count = sc_place_classes_count(classes);
    uint64_t sum = count;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = sc_place_classes_name(classes, i);
        sum = XXH3_64bits_withSeed(name, strlen(name), sum);
    }
    const uint32_t *bits = sc_place_classes_bits(classes);
    sum = XXH3_64bits_withSeed(bits, sc_place_classes_segment_count(classes) * sizeof *bits, sum);
    return sum > 0 ? sum : 1;
}

sc_demand_digest sc_demand_digest_of(const sc_demands *demands,
                                     const sc_continuity_digest *continuity)
{
    // A density that is there to measure by is no demand: workers need not have it.
    const bool has_density = demands->density && demands->traffic > 0;
    return (sc_demand_digest){
        .density = has_density ? sc_density_checksum(demands->density) : 0,
        .classes = demands->classes ? checksum_classes(demands->classes) : 0,
        .traffic = demands->traffic,
        .is_strict = demands->is_strict,
        // Without it its numbers mean nothing.
        .continuity = continuity->is_asked ? *continuity : (sc_continuity_digest){0},
    };
}

/** Whether both know a number, and it is another. */
static bool differ(double a, double b)
{
    return a > 0 && b > 0 && a != b;
}

static const char *continuity_difference(const sc_continuity_digest *a,
                                         const sc_continuity_digest *b)
{
    if (a->is_asked != b->is_asked) return "continuity";
    if (differ(a->vmax_m_s, b->vmax_m_s)) return "vmax";
    return differ(a->tau_s, b->tau_s) ? "tau" : NULL;
}

const char *sc_demand_digest_difference(const sc_demand_digest *a, const sc_demand_digest *b)
{
    if (a->density != b->density) return "density";
    if (a->classes != b->classes) return "classes";
    if (a->traffic != b->traffic) return "traffic";
    if (a->is_strict != b->is_strict) return "strict";
    return continuity_difference(&a->continuity, &b->continuity);
}
