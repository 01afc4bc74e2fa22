// Which parts touch which. See partition_internal.h.
#include "partition/partition_make_internal.h"

#include "base/alloc.h"

static void set(sc__touching *touching, uint32_t a, uint32_t b)
{
    const size_t at = (size_t)a * touching->parts + b;
    touching->bits[at / 64] |= UINT64_C(1) << at % 64;
}

sc_err sc__touching_init(sc__touching *touching, const sc_cut *cut)
{
    const sc_map *map = sc_cut_map(cut);
    const sc_star *stars = sc_map_stars(map);
    const sc_star_id *neighbours = sc_map_star_neighbours(map);
    const size_t parts = sc_cut_parts(cut);
    *touching = (sc__touching){.parts = (uint32_t)parts,
                               .bits = sc_calloc(parts * parts / 64 + 1, sizeof(uint64_t))};
    if (!touching->bits) return SC_ENOMEM;
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        const uint32_t part = sc_cut_part_of_star(cut, i);
        for (uint32_t j = stars[i].first_neighbour; j < stars[i + 1].first_neighbour; j++) {
            const uint32_t other = sc_cut_part_of_star(cut, neighbours[j]);
            if (other != part) set(touching, part, other);
        }
    }
    return SC_OK;
}

void sc__touching_fini(sc__touching *touching)
{
    sc_free(touching->bits);
    *touching = (sc__touching){0};
}
