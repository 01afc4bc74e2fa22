// One pass over the edges to count, one to fill. See roads.h.
#include "verify/roads.h"

#include "base/alloc.h"

#include <string.h>

// The star at each node, or SC_NONE. Only needed while the tables are made.
static sc_star_id *stars_at_nodes(const sc_map *map)
{
    const size_t n = sc_map_node_count(map);
    const sc_star *stars = sc_map_stars(map);
    sc_star_id *star_at = sc_malloc_array(n, sizeof *star_at);
    if (!star_at) return NULL;
    memset(star_at, 0xff, n * sizeof *star_at);
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        star_at[stars[i].node] = i;
    }
    return star_at;
}

// `star` touches `segment`; true if that was not known.
static bool touch(sc_roads *roads, sc_seg_id segment, sc_star_id star)
{
    if (star == SC_NONE || sc__roads_touch(roads, segment, star)) return false;
    sc_touching *touching = &roads->touching[segment];
    *(touching->a == SC_NONE ? &touching->a : &touching->b) = star;
    return true;
}

static void find_touching(sc_roads *roads, const sc_star_id *star_at)
{
    const sc_edge *edges = sc_map_edges(roads->map);
    uint32_t *count = roads->first_touched + 1;
    for (sc_edge_id e = 0; e < sc_map_edge_count(roads->map); e++) {
        const sc_star_id from = star_at[edges[e].from];
        const sc_star_id to = star_at[edges[e].to];
        roads->degree[edges[e].from]++;
        roads->degree[edges[e].to]++;
        if (touch(roads, edges[e].segment, from)) count[from]++;
        if (touch(roads, edges[e].segment, to)) count[to]++;
    }
}

// From counts to places; first_touched[star] moves on while the segments of `star` are
// put in, so that in the end it is where those of the next begin.
static sc_err turn_round(sc_roads *roads)
{
    const uint32_t star_count = sc_map_star_count(roads->map);
    uint32_t *first = roads->first_touched;
    for (sc_star_id i = 0; i < star_count; i++) {
        first[i + 1] += first[i];
    }
    roads->touched = sc_malloc_array(first[star_count], sizeof *roads->touched);
    if (!roads->touched) return SC_ENOMEM;

    for (sc_seg_id s = 0; s < sc_map_segment_count(roads->map); s++) {
        const sc_touching *touching = &roads->touching[s];
        if (touching->a != SC_NONE) roads->touched[first[touching->a]++] = s;
        if (touching->b != SC_NONE) roads->touched[first[touching->b]++] = s;
    }
    memmove(first + 1, first, star_count * sizeof *first);
    first[0] = 0;
    return SC_OK;
}

sc_err sc__roads_init(sc_roads *roads, const sc_map *map)
{
    sc_err err = SC_ENOMEM;
    const size_t segment_count = sc_map_segment_count(map);
    *roads = (sc_roads){.map = map};
    sc_star_id *star_at = stars_at_nodes(map);
    if (!star_at) goto done;
    roads->degree = sc_calloc(sc_map_node_count(map), sizeof *roads->degree);
    if (!roads->degree) goto done;
    roads->first_touched =
        sc_calloc((size_t)sc_map_star_count(map) + 1, sizeof *roads->first_touched);
    if (!roads->first_touched) goto done;
    roads->touching = sc_malloc_array(segment_count, sizeof *roads->touching);
    if (!roads->touching) goto done;
    memset(roads->touching, 0xff, segment_count * sizeof *roads->touching);

    find_touching(roads, star_at);
    err = turn_round(roads);
done:
    sc_free(star_at);
    if (err) sc__roads_fini(roads);
    return err;
}

void sc__roads_fini(sc_roads *roads)
{
    sc_free(roads->degree);
    sc_free(roads->first_touched);
    sc_free(roads->touched);
    sc_free(roads->touching);
    *roads = (sc_roads){0};
}
