// The simple graph of a map: built anew from its edges, each pair of different
// nodes joined once, and counted by the same chains as the map itself.
#include "map/simple.h"

#include "base/alloc.h"
#include "map/builder_internal.h"

#include <stdlib.h>

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint64_t sc_count_repeated(uint64_t *pairs, size_t count)
{
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    uint64_t repeated = 0;
    for (size_t i = 1; i < count; i++) {
        const bool again = pairs[i] == pairs[i - 1];
        const bool second = i < 2 || pairs[i - 1] != pairs[i - 2];
        repeated += again && second;
    }
    return repeated;
}

static sc_err simple_graph(const sc_map *map, sc_builder *builder)
{
    sc_err err = SC_OK;
    for (uint32_t v = 0; v < map->node_count && !err; v++) {
        sc_node_id node = 0;
        err = sc_builder_add_node(builder, 0.0, 0.0, &node);
    }
    if (err) return err;
    uint64_t *pairs = sc_malloc_array(map->edge_count, sizeof *pairs);
    if (!pairs) return SC_ENOMEM;
    size_t count = 0;
    for (uint32_t e = 0; e < map->edge_count; e++) {
        const sc_edge *edge = &sc__edges(map)[e];
        if (edge->from != edge->to) pairs[count++] = sc_pair(edge->from, edge->to);
    }
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < count && !err; i++) {
        if (i > 0 && pairs[i] == pairs[i - 1]) continue;
        err = sc_builder_add_edge(builder, (sc_node_id)(pairs[i] >> 32), (sc_node_id)pairs[i], 0.0,
                                  SC_ROAD_UNKNOWN, NULL);
    }
    sc_free(pairs);
    return err;
}

static sc_err count_chains(const sc_builder *builder, const sc_chains *chains,
                           sc_simple_counts *out)
{
    uint64_t *pairs = sc_malloc_array(chains->count, sizeof *pairs);
    if (!pairs) return SC_ENOMEM;
    for (uint32_t c = 0; c < chains->count; c++) {
        const uint32_t first = chains->first[c];
        const uint32_t end = chains->first[c + 1];
        const sc_node_id a = sc__step_from(builder, chains->steps[first]);
        const sc_node_id b = sc__step_to(builder, chains->steps[end - 1]);
        if (end - first > out->longest_chain) out->longest_chain = end - first;
        if (chains->degree[a] == 2) {
            out->rings++;
            continue;
        }
        out->segments++;
        if (chains->degree[a] < 3 || chains->degree[b] < 3) continue;
        if (a == b) {
            out->back_to_own_star++;
        } else {
            pairs[out->star_to_star++] = sc_pair(a, b);
        }
    }
    out->multiple_pairs = sc_count_repeated(pairs, out->star_to_star);
    sc_free(pairs);
    return SC_OK;
}

sc_err sc_simple_count(const sc_map *map, sc_simple_counts *out)
{
    sc_builder *builder = NULL;
    sc_chains chains = {0};
    sc_simple_counts counts = {0};
    sc_err err = sc_builder_new(SC_COORDS_NONE, &builder);
    if (err) return err;
    err = simple_graph(map, builder);
    if (!err) err = sc__chains_find(builder, &chains);
    if (!err) err = count_chains(builder, &chains, &counts);
    if (!err) {
        counts.edges = builder->edge_count;
        for (uint32_t v = 0; v < map->node_count; v++) {
            const uint32_t degree = chains.degree[v];
            counts.degrees[degree < SC_INFO_DEGREES ? degree : SC_INFO_DEGREES - 1]++;
            counts.stars += degree >= 3;
        }
        *out = counts;
    }
    sc__chains_fini(&chains);
    sc_builder_free(builder);
    return err;
}
