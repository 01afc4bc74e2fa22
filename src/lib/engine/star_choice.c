// Selecting a star: the first random step of a cloak.
//
// Queries on one road gather at one star, and roads that meet at an active star go to that star.
// Otherwise an end is drawn, the one that is cheaper to answer for with the higher probability.
// Most of a cloak's randomness comes from here: an adversary who knows the map and the traffic
// still does not know which of the two neighbourhoods a query went to.
#include "engine/star_choice.h"

#include "engine/cloaking_graph.h"
#include "engine/covered_set.h"

/**
 * Whether `star` is active for `query`: it has a vertex that the query could share, as far as k
 * goes. Otherwise one query that wants the impossible would draw all others to its star.
 */
static bool is_active_for(const sc_engine *engine, const sc_query *query, sc_star_id star)
{
    if (engine->options.k_spread == 0) return sc__is_active(engine, star);
    for (sc__slot at = sc__first_vertex(engine, star); at != SC_NONE;) {
        const sc__vertex *vertex = sc__vertex_at(engine, at);
        if (sc__k_fits(engine, vertex, query->k)) return true;
        at = vertex->next;
    }
    return false;
}

/** The star that the query's segment is assigned to, if that is active for the query; else SC_NONE.
 */
static sc_star_id assigned_star(const sc_engine *engine, const sc_query *query)
{
    const uint8_t assigned = engine->assigned[query->segment];
    if (assigned == SC__UNASSIGNED) return SC_NONE;
    const sc_segment *segment = &engine->segments[query->segment];
    const sc_star_id star = assigned == SC__TO_STAR_A ? segment->star_a : segment->star_b;
    return is_active_for(engine, query, star) ? star : SC_NONE;
}

void sc__assign(sc_engine *engine, const sc_query *query, sc_star_id star)
{
    if (assigned_star(engine, query) != SC_NONE) return;
    engine->assigned[query->segment] =
        engine->segments[query->segment].star_a == star ? SC__TO_STAR_A : SC__TO_STAR_B;
}

void sc__unassign(sc_engine *engine, sc_star_id star)
{
    for (uint32_t j = engine->stars[star].first_segment; j < engine->stars[star + 1].first_segment;
         j++) {
        const sc_seg_id segment = engine->star_segments[j];
        const uint8_t to_this =
            engine->segments[segment].star_a == star ? SC__TO_STAR_A : SC__TO_STAR_B;
        if (engine->assigned[segment] == to_this) engine->assigned[segment] = SC__UNASSIGNED;
    }
}

/** What it would cost to answer `query` for all segments of `star`. */
static double cost_of(const sc_engine *engine, const sc_query *query, sc_star_id star)
{
    return sc_cost_model_estimate(&engine->options.cost, engine->object_density,
                                  sc_star_extent(engine->map, star), query->result_size);
}

sc_star_id sc__draw_end(sc_engine *engine, const sc_query *query, sc_star_id a, sc_star_id b)
{
    // Inversely proportional to cost: each end is taken with the other's share.
    const double cost_a = cost_of(engine, query, a);
    const double cost_b = cost_of(engine, query, b);
    return sc_rng_unit(engine->rng) * (cost_a + cost_b) < cost_b ? a : b;
}

static sc_star_id choose(sc_engine *engine, const sc_query *query, const sc_segment *segment)
{
    const sc_star_id a = segment->star_a;
    const sc_star_id b = segment->star_b;
    if (b == SC_NONE || a == b) return a;

    const sc_star_id assigned = assigned_star(engine, query);
    if (assigned != SC_NONE) return assigned;

    const bool a_is_active = is_active_for(engine, query, a);
    const bool b_is_active = is_active_for(engine, query, b);
    if (a_is_active != b_is_active) return a_is_active ? a : b;

    return sc__draw_end(engine, query, a, b);
}

sc_err sc__select_star(sc_engine *engine, const sc_query *query, sc_star_id *out)
{
    const sc_segment *segment = &engine->segments[query->segment];
    const sc_star_id chosen = choose(engine, query, segment);

    bool is_met = false;
    sc_err err = sc__ball_meets_query(engine, chosen, query->max_hops, query, &is_met);
    if (err) return err;
    if (is_met) {
        *out = chosen;
        return SC_OK;
    }
    const sc_star_id other = sc__other_end(segment, chosen);
    if (other != SC_NONE && other != chosen) {
        err = sc__ball_meets_query(engine, other, query->max_hops, query, &is_met);
        if (err) return err;
    }
    // If neither end has roads enough, no other query will ever help.
    *out = is_met ? other : SC_NONE;
    return SC_OK;
}

sc_err sc__why_no_end(sc_engine *engine, const sc_query *query, sc_drop_reason *out)
{
    const sc_segment *segment = &engine->segments[query->segment];
    const sc_star_id ends[] = {segment->star_a, segment->star_b};
    *out = SC_DROP_INFEASIBLE;
    if (sc__tables_are_empty(&engine->tables) && !query->own) return SC_OK;
    for (int i = 0; i < 2 && ends[i] != SC_NONE; i++) {
        bool is_enough = false;
        const sc_err err = sc__ball_is_enough(engine, ends[i], query->max_hops,
                                              (sc__demand){.segments = query->l}, &is_enough);
        if (err) return err;
        if (is_enough) *out = SC_DROP_EXPOSED;
    }
    return SC_OK;
}
