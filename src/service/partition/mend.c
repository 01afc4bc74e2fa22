// Empty parts filled, and all of them numbered along the curve. See mend.h.
#include "partition/mend.h"

#include "base/alloc.h"
#include "base/diag.h"

/** A part as far as mending goes. */
typedef struct load {
    double weight;
    uint32_t stars;
} load;

static uint32_t find_empty(const load *loads, uint32_t parts)
{
    for (uint32_t i = 0; i < parts; i++) {
        if (loads[i].stars == 0) return i;
    }
    return SC_NONE;
}

static uint32_t find_heaviest(const load *loads, uint32_t parts)
{
    uint32_t best = SC_NONE;
    for (uint32_t i = 0; i < parts; i++) {
        if (loads[i].stars < 2) continue;
        if (best == SC_NONE || loads[i].weight > loads[best].weight) best = i;
    }
    return best;
}

/** The stars of `from` that come after half of its weight go to `to`; each keeps one at least. */
static void halve(sc__cutting *cutting, load *loads, uint32_t from, uint32_t to)
{
    const load all = loads[from];
    load kept = {0};
    for (sc_star_id i = 0; i < cutting->star_count; i++) {
        if (cutting->part_of_star[i] != from) continue;
        const double weight = cutting->weight[i];
        const bool keeps = kept.weight + weight / 2 <= all.weight / 2;
        if (kept.stars == 0 || (keeps && kept.stars < all.stars - 1)) {
            kept.weight += weight;
            kept.stars++;
        } else {
            cutting->part_of_star[i] = (uint16_t)to;
            loads[to].weight += weight;
            loads[to].stars++;
        }
    }
    loads[from] = kept;
}

sc_err sc__mend_empty(sc__cutting *cutting, uint32_t parts, sc_diag *diag)
{
    load *loads = sc_calloc(parts, sizeof *loads);
    if (!loads) return sc_fail_memory(diag, "mending parts");
    for (sc_star_id i = 0; i < cutting->star_count; i++) {
        loads[cutting->part_of_star[i]].weight += cutting->weight[i];
        loads[cutting->part_of_star[i]].stars++;
    }
    uint32_t empty;
    while ((empty = find_empty(loads, parts)) != SC_NONE) {
        halve(cutting, loads, find_heaviest(loads, parts), empty);
    }
    sc_free(loads);
    return SC_OK;
}

sc_err sc__renumber(sc__cutting *cutting, uint32_t parts, sc_diag *diag)
{
    uint16_t *number = sc_malloc_array(parts, sizeof *number);
    if (!number) return sc_fail_memory(diag, "numbering parts");
    for (uint32_t i = 0; i < parts; i++) {
        number[i] = SC__NO_PART;
    }
    uint16_t next = 0;
    for (sc_star_id i = 0; i < cutting->star_count; i++) {
        uint16_t *part = &cutting->part_of_star[i];
        if (number[*part] == SC__NO_PART) number[*part] = next++;
        *part = number[*part];
    }
    sc_free(number);
    return SC_OK;
}
