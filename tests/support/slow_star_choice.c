// Which star and which vertex a query of the slow engine goes to. The
// steps are those of docs/engine.md.
#include "support/slow_engine_internal.h"

#include "support/check.h"

bool slow_is_active(const slow_engine *engine, sc_star_id star)
{
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (q->place == IN_GRAPH && q->star == star) return true;
    }
    return false;
}

// Whether a query that wants `k` and all that the vertex holds go together: no k of them is more
// than so many times another.
static bool k_goes_together(const slow_engine *engine, uint32_t k, uint64_t vertex)
{
    uint32_t least = k;
    uint32_t most = k;
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (!slow_holds(q, vertex)) continue;
        if (q->query.k < least) least = q->query.k;
        if (q->query.k > most) most = q->query.k;
    }
    const uint64_t spread = slow_k_spread(engine);
    return spread == 0 || most <= spread * least;
}

// Whether the star has a vertex whose k goes together with the query's.
static bool counts_as_active(const slow_engine *engine, const sc_query *query, sc_star_id star)
{
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (q->place != IN_GRAPH || q->star != star) continue;
        if (k_goes_together(engine, query->k, q->vertex)) return true;
    }
    return false;
}

// --- Selecting a star ------------------------------------------------------------

// The formulas of starcloak/cost.h, written again.
double slow_star_cost(const slow_engine *engine, sc_star_id star, uint32_t result_size)
{
    const sc_cost_model *per = &engine->options.cost;
    bool *stars = test_take(engine->roads.star_count, sizeof *stars);
    stars[star] = true;
    const sc_extent roads = slow_extent(&engine->roads, stars);
    free(stars);
    const double border_nodes = (double)roads.border_node_count;
    const double from_border_nodes = result_size * border_nodes;
    const double on_segments = slow_object_density(&engine->roads) * roads.length_m;
    const double sending = per->object * (from_border_nodes + on_segments);
    const double answering =
        per->segment * (double)roads.segment_count + per->border_node * border_nodes;
    return per->balance * sending + (1 - per->balance) * answering;
}

static sc_star_id choose_star(const slow_engine *engine, const sc_query *query)
{
    const sc_segment *segment = &sc_map_segments(engine->roads.map)[query->segment];
    const sc_star_id a = segment->star_a;
    const sc_star_id b = segment->star_b;
    if (b == SC_NONE || a == b) return a;
    const sc_star_id assigned = engine->assigned[query->segment];
    if (assigned != SC_NONE && counts_as_active(engine, query, assigned)) return assigned;
    const bool a_is_active = counts_as_active(engine, query, a);
    const bool b_is_active = counts_as_active(engine, query, b);
    if (a_is_active != b_is_active) return a_is_active ? a : b;
    const double cost_a = slow_star_cost(engine, a, query->result_size);
    const double cost_b = slow_star_cost(engine, b, query->result_size);
    return sc_rng_unit(engine->rng) * (cost_a + cost_b) < cost_b ? a : b;
}

void slow_assign(slow_engine *engine, const sc_query *query, sc_star_id star)
{
    sc_star_id *assigned = &engine->assigned[query->segment];
    if (*assigned == SC_NONE || !counts_as_active(engine, query, *assigned)) *assigned = star;
}

static bool is_feasible(const slow_engine *engine, sc_star_id star, const sc_query *query)
{
    return slow_ball_may_do(&engine->roads, &engine->options.demands, query, star, query->max_hops);
}

bool slow_has_its_l(const slow_engine *engine, const sc_query *query)
{
    const slow_roads *roads = &engine->roads;
    const sc_segment *segment = &sc_map_segments(roads->map)[query->segment];
    return slow_ball_segment_count(roads, segment->star_a, query->max_hops) >= query->l ||
           (segment->star_b != SC_NONE &&
            slow_ball_segment_count(roads, segment->star_b, query->max_hops) >= query->l);
}

sc_star_id slow_select_star(const slow_engine *engine, const sc_query *query)
{
    const sc_star_id chosen = choose_star(engine, query);
    if (is_feasible(engine, chosen, query)) return chosen;
    const sc_segment *segment = &sc_map_segments(engine->roads.map)[query->segment];
    const sc_star_id other = chosen == segment->star_a ? segment->star_b : segment->star_a;
    return other != SC_NONE && is_feasible(engine, other, query) ? other : SC_NONE;
}

// --- Adding to the graph ---------------------------------------------------------

// Whether a query fits with all that the vertex holds: their k go together, and within the least
// max_hops is what each of them asks for. With XStar the k alone decides.
static bool fits(const slow_engine *engine, const sc_query *query, sc_star_id star, uint64_t vertex)
{
    if (!k_goes_together(engine, query->k, vertex)) return false;
    if (engine->options.variant == SC_VARIANT_XSTAR) return true;
    uint32_t max_hops = query->max_hops;
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (slow_holds(q, vertex) && q->query.max_hops < max_hops) max_hops = q->query.max_hops;
    }
    const sc_demands *demands = &engine->options.demands;
    bool may_do = slow_ball_may_do(&engine->roads, demands, query, star, max_hops);
    for (size_t i = 0; i < engine->query_count && may_do; i++) {
        const slow_query *q = &engine->queries[i];
        if (!slow_holds(q, vertex)) continue;
        may_do = slow_ball_may_do(&engine->roads, demands, &q->query, star, max_hops);
    }
    return may_do;
}

uint64_t slow_find_vertex(slow_engine *engine, const sc_query *query, sc_star_id star)
{
    uint64_t oldest = UINT64_MAX;
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (q->place != IN_GRAPH || q->star != star || q->vertex >= oldest) continue;
        if (fits(engine, query, star, q->vertex)) oldest = q->vertex;
    }
    return oldest < UINT64_MAX ? oldest : engine->next_vertex++;
}
