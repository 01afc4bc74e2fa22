/**
 * @file slow_engine_internal.h
 * @brief What the parts of the slow engine share: its state, and their ways into each other.
 *
 * Parts: slow_engine.c (what happens to queries), slow_star_choice.c (where they go),
 * slow_search.c (which vertices fit together), slow_xstar.c (the same for XStar),
 * slow_per_query.c (sampling and expansion), slow_patient.c (patient).
 */
#ifndef SC_TESTS_SUPPORT_SLOW_ENGINE_INTERNAL_H
#define SC_TESTS_SUPPORT_SLOW_ENGINE_INTERNAL_H

#include "support/slow_engine.h"

/** Where a query is. */
typedef enum slow_place { IN_QUEUE, IN_GRAPH, IN_PROPOSAL } slow_place;

/** A query that has not ended. */
typedef struct slow_query {
    sc_query query;
    bool is_company;
    slow_place place;
    uint64_t turn;             ///< in the queue: the least is next
    sc_star_id star;           ///< in the graph or a proposal: the star it was assigned to
    uint64_t vertex;           ///< in the graph: the vertex that holds it; the least is the oldest
    bool has_listing[2];       ///< patient, in the graph: at star_a, at star_b
    bool urgency_is_known;     ///< hybrid, patient: it has been searched for as an urgent one
    const sc_cloak *proposal;  ///< in a proposal: that one
    bool is_gone;              ///< in a proposal: removed meanwhile
} slow_query;

struct slow_engine {
    slow_roads roads;
    sc_engine_options options;
    sc_rng *rng;
    sc_time now;          ///< of the last run
    slow_query *queries;  ///< all that have not ended, in the order in which they were added
    size_t query_count;
    sc_star_id *assigned;  ///< by segment; SC_NONE where it is not
    uint64_t *relaxed;     ///< vertices to search again, in the order of their relaxing
    size_t relaxed_count;
    uint64_t next_turn;
    uint64_t next_vertex;
    sc_cloak *candidates;  ///< found and not yet taken, the oldest first
    sc_drop *drops;        ///< not yet taken, the oldest first
    size_t drop_count;
    sc_engine_stats stats;  ///< but for what can be counted now
    slow_settle_counts settle_counts;
};

/** One more place in an array of `count` things. */
void *slow_grown(void *array, size_t count, size_t size);

/** Whether vertex `vertex` holds this query. */
static inline bool slow_holds(const slow_query *q, uint64_t vertex)
{
    return q->place == IN_GRAPH && q->vertex == vertex;
}

/** Whether deadlines that are near matter to the variant. */
static inline bool slow_has_urgency(const slow_engine *engine)
{
    return engine->options.variant == SC_VARIANT_HYBRID ||
           engine->options.variant == SC_VARIANT_PATIENT;
}

/** Whether it is closer than alpha to its deadline. */
static inline bool slow_is_urgent(const slow_engine *engine, const slow_query *q)
{
    return slow_has_urgency(engine) && !q->is_company &&
           q->query.deadline - engine->now < engine->options.consideration_us;
}

/** k_spread, for the variants that it means something to; else 0. */
static inline uint32_t slow_k_spread(const slow_engine *engine)
{
    const sc_variant variant = engine->options.variant;
    const bool has_spread = variant != SC_VARIANT_SAMPLING && variant != SC_VARIANT_EXPANSION;
    return has_spread ? engine->options.k_spread : 0;
}

/** Whether a star has a vertex. */
bool slow_is_active(const slow_engine *engine, sc_star_id star);

/** Assign the query's segment to the star taken, unless it is assigned to one that counts. */
void slow_assign(slow_engine *engine, const sc_query *query, sc_star_id star);

/** Whether a ball around an end of the query's road has as many segments as its l. */
bool slow_has_its_l(const slow_engine *engine, const sc_query *query);

/** The star for a query, or SC_NONE if what it asks for cannot be met from either end. */
sc_star_id slow_select_star(const slow_engine *engine, const sc_query *query);

/** What it costs to answer for all segments of a star, by the formulas of starcloak/cost.h. */
double slow_star_cost(const slow_engine *engine, sc_star_id star, uint32_t result_size);

/** The oldest vertex of the star that the query fits into, or a new one. */
uint64_t slow_find_vertex(slow_engine *engine, const sc_query *query, sc_star_id star);

/** Assignments to stars that are no longer active end. After every loss of the graph. */
void slow_end_assignments(slow_engine *engine);

/** The queries with a flag leave the graph as members of a candidate with these stars. */
void slow_propose(slow_engine *engine, const bool *is_member, const bool *stars);

/** Search from a vertex; what is found becomes a candidate and leaves the graph. */
bool slow_search(slow_engine *engine, uint64_t vertex);

/** The same for the vertex of a new query, which may also help urgent ones nearby. */
void slow_search_for_new(slow_engine *engine, uint64_t vertex);

#endif
