// METIS on the star graph: dividing what is too large to be packed whole.
//
// METIS counts in 32 bits with a sign, weights and their sums too. So the stars share a budget of
// 2^30 between them, however much they weigh, and each gets 1 at least: METIS divides by weights.
//
// METIS needs some stars per part: with fewer than eight it leaves parts empty. Then the map is
// divided along the curve by which stars are numbered: stars near in number are near on the ground,
// and a part is a run of numbers.
#include "partition/partition_internal.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <math.h>
#include <metis.h>

// --- METIS -------------------------------------------------------------------------------------

_Static_assert(sizeof(idx_t) == sizeof(int32_t), "this is METIS with 32-bit numbers");

/** Of all stars that are divided together. */
static const double weight_budget = 1 << 30;

/** A graph as METIS wants it; vertex v is the v-th of the stars that are divided. */
typedef struct metis_graph {
    idx_t count;
    idx_t *first;  ///< count + 1: where the neighbours of a vertex begin
    idx_t *neighbours;
    idx_t *shared;  ///< segments that a vertex shares with each of them
    idx_t *weight;
    idx_t *part;
} metis_graph;

static void graph_fini(metis_graph *graph)
{
    sc_free(graph->first);
    sc_free(graph->neighbours);
    sc_free(graph->shared);
    sc_free(graph->weight);
    sc_free(graph->part);
}

static bool graph_init(metis_graph *graph, const sc_map *map, uint32_t count)
{
    const size_t most = sc_map_stars(map)[sc_map_star_count(map)].first_neighbour;
    *graph = (metis_graph){
        .count = (idx_t)count,
        .first = sc_malloc_array((size_t)count + 1, sizeof(idx_t)),
        .neighbours = sc_malloc_array(most, sizeof(idx_t)),
        .shared = sc_malloc_array(most, sizeof(idx_t)),
        .weight = sc_malloc_array(count, sizeof(idx_t)),
        .part = sc_malloc_array(count, sizeof(idx_t)),
    };
    return graph->first && graph->neighbours && graph->shared && graph->weight && graph->part;
}

/** How many segments lead from `star` to `other`. */
static idx_t shared_segments(const sc_map *map, sc_star_id star, sc_star_id other)
{
    const sc_star *at = &sc_map_stars(map)[star];
    const sc_seg_id *listed = sc_map_star_segments(map);
    const sc_segment *segments = sc_map_segments(map);
    idx_t count = 0;
    for (uint32_t j = at[0].first_segment; j < at[1].first_segment; j++) {
        const sc_segment *segment = &segments[listed[j]];
        count += segment->star_a == other || segment->star_b == other;
    }
    return count;
}

/** Neighbours that are not divided now are left out. */
static void list_neighbours(metis_graph *graph, const sc_map *map, const sc_star_id *stars,
                            const uint32_t *vertex_of_star)
{
    const sc_star_id *neighbours = sc_map_star_neighbours(map);
    idx_t total = 0;
    for (idx_t v = 0; v < graph->count; v++) {
        const sc_star *at = &sc_map_stars(map)[stars[v]];
        graph->first[v] = total;
        for (uint32_t j = at[0].first_neighbour; j < at[1].first_neighbour; j++) {
            const uint32_t other = vertex_of_star[neighbours[j]];
            if (other == SC_NONE) continue;
            graph->neighbours[total] = (idx_t)other;
            graph->shared[total] = shared_segments(map, stars[v], neighbours[j]);
            total++;
        }
    }
    graph->first[graph->count] = total;
}

static void weigh(metis_graph *graph, const sc__partition_draft *draft, const sc_star_id *stars)
{
    double total = 0;
    for (idx_t v = 0; v < graph->count; v++) {
        total += draft->weight[stars[v]];
    }
    const double budget = fmax(weight_budget - graph->count, 0);
    for (idx_t v = 0; v < graph->count; v++) {
        graph->weight[v] = 1 + (idx_t)(draft->weight[stars[v]] / total * budget);
    }
}

static sc_err run_metis(metis_graph *graph, uint32_t parts, uint32_t seed, sc_diag *diag)
{
    idx_t options[METIS_NOPTIONS];
    idx_t constraints = 1;
    idx_t part_count = (idx_t)parts;
    idx_t edge_cut = 0;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)(seed & INT32_MAX);
    const int result = METIS_PartGraphKway(
        &graph->count, &constraints, graph->first, graph->neighbours, graph->weight, NULL,
        graph->shared, &part_count, NULL, NULL, options, &edge_cut, graph->part);
    if (result == METIS_OK) return SC_OK;
    if (result == METIS_ERROR_MEMORY) return sc_fail_memory(diag, "METIS was partitioning the map");
    // METIS treats SIGTERM as an error of its own.
    return sc_fail(diag, SC_EINTERRUPTED, "METIS was interrupted while it divided the map");
}

static sc_err divide_with_metis(sc__partition_draft *draft, const sc_star_id *stars, uint32_t count,
                                uint32_t parts, uint32_t seed, sc_diag *diag)
{
    metis_graph graph = {0};
    sc_err err = SC_ENOMEM;
    uint32_t *vertex_of_star = sc_malloc_array(draft->star_count, sizeof *vertex_of_star);
    const bool is_allocated = graph_init(&graph, draft->map, count);
    if (!vertex_of_star || !is_allocated) {
        err = sc_fail_memory(diag, "partitioning the map");
        goto done;
    }
    for (sc_star_id i = 0; i < draft->star_count; i++) {
        vertex_of_star[i] = SC_NONE;
    }
    for (uint32_t v = 0; v < count; v++) {
        vertex_of_star[stars[v]] = v;
    }
    list_neighbours(&graph, draft->map, stars, vertex_of_star);
    weigh(&graph, draft, stars);
    // Freed first: METIS needs much memory.
    sc_free(vertex_of_star);
    vertex_of_star = NULL;
    err = run_metis(&graph, parts, seed, diag);
    for (uint32_t v = 0; !err && v < count; v++) {
        draft->part_of_star[stars[v]] = (uint16_t)graph.part[v];
    }
done:
    graph_fini(&graph);
    sc_free(vertex_of_star);
    return err;
}

// --- Along the curve ---------------------------------------------------------------------------

enum { METIS_STARS_PER_PART = 8 };

/** Runs of about equal weight; every part gets a star at least. There are not fewer than parts. */
static void divide_along_curve(sc__partition_draft *draft, const sc_star_id *stars, uint32_t count,
                               uint32_t parts)
{
    double total = 0;
    for (uint32_t i = 0; i < count; i++) {
        total += draft->weight[stars[i]];
    }
    double passed = 0;
    uint32_t part = 0;
    uint32_t in_part = 0;
    for (uint32_t i = 0; i < count; i++) {
        // A star goes to the run in which its middle lies, unless those to come need all stars that
        // are left; no run is left out either.
        const double middle = passed + draft->weight[stars[i]] / 2;
        const bool is_due = middle * parts > total * (part + 1);
        const bool is_needed = count - i == parts - 1 - part;
        if (in_part > 0 && part + 1 < parts && (is_due || is_needed)) {
            part++;
            in_part = 0;
        }
        draft->part_of_star[stars[i]] = (uint16_t)part;
        passed += draft->weight[stars[i]];
        in_part++;
    }
}

sc_err sc__partition_divide_large(sc__partition_draft *draft, const uint32_t *piece,
                                  const bool *piece_is_large, uint32_t parts, uint32_t seed,
                                  sc_diag *diag)
{
    sc_star_id *stars = sc_malloc_array(draft->star_count, sizeof *stars);
    if (!stars) return sc_fail_memory(diag, "partitioning the map");
    uint32_t count = 0;
    for (sc_star_id i = 0; i < draft->star_count; i++) {
        if (piece_is_large[piece[i]]) stars[count++] = i;
    }
    sc_err err = SC_OK;
    if (parts > 1 && count / METIS_STARS_PER_PART >= parts) {
        err = divide_with_metis(draft, stars, count, parts, seed, diag);
    } else if (count > 0) {
        divide_along_curve(draft, stars, count, parts < count ? parts : count);
    }
    sc_free(stars);
    return err;
}
