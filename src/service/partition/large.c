// Cutting what is too large to be packed whole. See partition_internal.h.
//
// METIS wants some stars per part: with fewer than eight it leaves parts empty. Then the curve does
// as well: stars are numbered along it, so that what is near in number is near on the ground, and a
// part is a run of numbers.
#include "partition/partition_make_internal.h"

#include "base/alloc.h"
#include "base/diag.h"

enum { METIS_STARS_PER_PART = 8 };

/** Runs of about equal weight; every part gets a star at least. There are not fewer than parts. */
static void cut_along_curve(sc__cutting *cutting, const sc_star_id *stars, uint32_t count,
                            uint32_t parts)
{
    double total = 0;
    for (uint32_t i = 0; i < count; i++) {
        total += cutting->weight[stars[i]];
    }
    double passed = 0;
    uint32_t part = 0;
    uint32_t in_part = 0;
    for (uint32_t i = 0; i < count; i++) {
        // A star goes to the run in which its middle lies, unless those to come need all stars that
        // are left; no run is left out either.
        const double middle = passed + cutting->weight[stars[i]] / 2;
        const bool is_due = middle * parts > total * (part + 1);
        const bool is_needed = count - i == parts - 1 - part;
        if (in_part > 0 && part + 1 < parts && (is_due || is_needed)) {
            part++;
            in_part = 0;
        }
        cutting->part_of_star[stars[i]] = (uint16_t)part;
        passed += cutting->weight[stars[i]];
        in_part++;
    }
}

sc_err sc__cut_large(sc__cutting *cutting, const uint32_t *piece, const bool *piece_is_large,
                     uint32_t parts, uint32_t seed, sc_diag *diag)
{
    sc_star_id *stars = sc_malloc_array(cutting->star_count, sizeof *stars);
    if (!stars) return sc_fail_memory(diag, "cutting the map");
    uint32_t count = 0;
    for (sc_star_id i = 0; i < cutting->star_count; i++) {
        if (piece_is_large[piece[i]]) stars[count++] = i;
    }
    sc_err err = SC_OK;
    if (parts > 1 && count / METIS_STARS_PER_PART >= parts) {
        err = sc__cut_with_metis(cutting, stars, count, parts, seed, diag);
    } else if (count > 0) {
        cut_along_curve(cutting, stars, count, parts < count ? parts : count);
    }
    sc_free(stars);
    return err;
}
