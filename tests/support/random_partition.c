// Partitions, streets and cities for tests.
#include "support/random_partition.h"

#include <starcloak/map_generate.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/sketch.h"

sc_partition *random_partition(const sc_map *map, uint64_t seed)
{
    const uint32_t star_count = sc_map_star_count(map);
    uint16_t *part_of_star = test_take(star_count, sizeof *part_of_star);
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    const uint32_t parts = 1 + sc_rng_below(&rng, 6);
    // Stars near in number are near on the ground: a new part is begun now and then.
    uint16_t part = 0;
    for (sc_star_id i = 0; i < star_count; i++) {
        if (sc_rng_below(&rng, 3) == 0) part = (uint16_t)sc_rng_below(&rng, parts);
        part_of_star[i] = part;
    }
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_new(map, part_of_star, parts, &partition, NULL), NULL);
    free(part_of_star);
    return partition;
}

//   o   o   o       o
//   |   |   |       |
// o-*---*---*- ... -*-o
sc_map *street_of(uint32_t stars)
{
    sketch s = sketch_new(SC_COORDS_PLANAR);
    uint32_t before = sketch_add_node(&s, -100, 0);
    for (uint32_t i = 0; i < stars; i++) {
        const uint32_t crossing = sketch_add_node(&s, 100.0 * i, 0);
        const uint32_t end = sketch_add_node(&s, 100.0 * i, 50);
        sketch_add_edge(&s, before, crossing, 100);
        sketch_add_edge(&s, crossing, end, 50);
        before = crossing;
    }
    sketch_add_edge(&s, before, sketch_add_node(&s, 100.0 * stars, 0), 100);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    assert_int_equal(sc_map_star_count(map), stars);
    return map;
}

sc_map *city_of(uint32_t nodes)
{
    const sc_city_options options = {.node_count = nodes, .seed = 1};
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_generate_city(&options, &map, &diag), &diag);
    return map;
}
