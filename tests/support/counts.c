// Counting a map both ways. See counts.h.
#include "support/counts.h"

#include <starcloak/map_info.h>

#include "support/check.h"

#include <math.h>

static bool differs(const char *kind, const char *name, uint64_t got, uint64_t wanted)
{
    if (got == wanted) return false;
    print_error("%s %s: got %llu, wanted %llu\n", kind, name, (unsigned long long)got,
                (unsigned long long)wanted);
    return true;
}

static bool graphs_differ(const char *kind, const graph_counts *got, const graph_counts *wanted)
{
    bool bad = differs(kind, "edges", got->edges, wanted->edges);
    bad |= differs(kind, "stars", got->stars, wanted->stars);
    bad |= differs(kind, "segments", got->segments, wanted->segments);
    bad |= differs(kind, "rings", got->rings, wanted->rings);
    bad |= differs(kind, "star-to-star segments", got->star_to_star, wanted->star_to_star);
    bad |=
        differs(kind, "segments back to own star", got->back_to_own_star, wanted->back_to_own_star);
    bad |=
        differs(kind, "pairs with several segments", got->multiple_pairs, wanted->multiple_pairs);
    bad |= differs(kind, "longest chain", got->longest_chain, wanted->longest_chain);
    bad |= differs(kind, "isolated nodes", got->degree_0, wanted->degree_0);
    bad |= differs(kind, "nodes of degree 1", got->degree_1, wanted->degree_1);
    bad |= differs(kind, "nodes of degree 2", got->degree_2, wanted->degree_2);
    return bad;
}

void check_counts(const sc_map *map, const known_counts *known)
{
    sc_map_info info;
    assert_int_equal(sc_map_describe(map, &info), SC_OK);
    const graph_counts simple = {.edges = info.simple.edges,
                                 .stars = info.simple.stars,
                                 .segments = info.simple.segments,
                                 .rings = info.simple.rings,
                                 .star_to_star = info.simple.star_to_star,
                                 .back_to_own_star = info.simple.back_to_own_star,
                                 .multiple_pairs = info.simple.multiple_pairs,
                                 .longest_chain = info.simple.longest_chain,
                                 .degree_0 = info.simple.degrees[0],
                                 .degree_1 = info.simple.degrees[1],
                                 .degree_2 = info.simple.degrees[2]};
    const graph_counts kept = {.edges = sc_map_edge_count(map),
                               .stars = sc_map_star_count(map) - info.pseudo_stars,
                               .segments = sc_map_segment_count(map),
                               .rings = info.rings,
                               .star_to_star = info.star_to_star,
                               .back_to_own_star = info.back_to_own_star,
                               .multiple_pairs = info.multiple_pairs,
                               .longest_chain = info.longest_chain,
                               .degree_0 = info.isolated_nodes,
                               .degree_1 = info.degrees[1],
                               .degree_2 = info.degrees[2]};
    bool bad = differs("all", "nodes", sc_map_node_count(map), known->nodes);
    bad |= differs("all", "self-loops", info.self_loops, known->self_loops);
    bad |= differs("all", "parallel edges", info.parallel_edges, known->parallel_edges);
    bad |= differs("all", "components", info.components, known->components);
    bad |= differs("all", "largest component", info.largest_component, known->largest_component);
    bad |= graphs_differ("simple", &simple, &known->simple);
    bad |= graphs_differ("kept", &kept, &known->kept);
    assert_false(bad);
    CHECK_CLOSE(info.ball[4].mean, known->ball_mean, known->ball_spread);
}
