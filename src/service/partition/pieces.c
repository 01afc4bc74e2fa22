// Connected stars of one kind, by breadth-first search. See partition_internal.h.
#include "partition/partition_make_internal.h"

uint32_t sc__label_pieces(const sc_map *map, const uint16_t *kind, uint32_t *label,
                          sc_star_id *queue)
{
    const sc_star *stars = sc_map_stars(map);
    const sc_star_id *neighbours = sc_map_star_neighbours(map);
    const uint32_t star_count = sc_map_star_count(map);
    for (sc_star_id i = 0; i < star_count; i++) {
        label[i] = SC_NONE;
    }
    uint32_t pieces = 0;
    for (sc_star_id first = 0; first < star_count; first++) {
        if (label[first] != SC_NONE) continue;
        size_t count = 0;
        queue[count++] = first;
        label[first] = pieces;
        for (size_t at = 0; at < count; at++) {
            const sc_star *star = &stars[queue[at]];
            for (uint32_t j = star[0].first_neighbour; j < star[1].first_neighbour; j++) {
                const sc_star_id next = neighbours[j];
                if (label[next] != SC_NONE || (kind && kind[next] != kind[first])) continue;
                label[next] = pieces;
                queue[count++] = next;
            }
        }
        pieces++;
    }
    return pieces;
}
