// What happens to queries in the slow engine: queue, star, graph, proposal, end. See
// slow_engine.h; the steps are those of docs/engine.md.
#include "support/slow_engine_internal.h"

#include "engine/candidate.h"
#include "support/check.h"
#include "support/slow_patient.h"
#include "support/slow_per_query.h"

void *slow_grown(void *array, size_t count, size_t size)
{
    void *moved = realloc(array, (count + 1) * size);
    if (!moved) abort();
    return moved;
}

slow_engine *slow_engine_new(const sc_map *map, const sc_engine_options *options, sc_rng *rng)
{
    slow_engine *engine = test_take(1, sizeof *engine);
    engine->roads = slow_roads_new(map);
    engine->options = *options;
    engine->rng = rng;
    engine->now = INT64_MIN;
    engine->assigned = test_take(engine->roads.segment_count, sizeof *engine->assigned);
    for (sc_seg_id s = 0; s < engine->roads.segment_count; s++) {
        engine->assigned[s] = SC_NONE;
    }
    return engine;
}

void slow_engine_free(slow_engine *engine)
{
    for (sc_cloak *cloak; (cloak = slow_engine_take_candidate(engine));) {
        slow_cloak_free(cloak);
    }
    slow_roads_free(&engine->roads);
    free(engine->queries);
    free(engine->assigned);
    free(engine->relaxed);
    free(engine->drops);
    free(engine);
}

const slow_roads *slow_engine_roads(const slow_engine *engine)
{
    return &engine->roads;
}

// --- Coming and going ------------------------------------------------------------

static bool same_id(const sc_query_id *a, const sc_query_id *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static slow_query *find(slow_engine *engine, const sc_query_id *id)
{
    for (size_t i = 0; i < engine->query_count; i++) {
        if (same_id(&engine->queries[i].query.id, id)) return &engine->queries[i];
    }
    return NULL;
}

static sc_err add(slow_engine *engine, const sc_query *query, bool is_company)
{
    if (query->k == 0 || query->l == 0) return SC_EPROFILE;
    if (query->segment >= engine->roads.segment_count) return SC_EUNKNOWN;
    if (query->deadline < engine->now) return SC_ELATE;
    if (find(engine, &query->id)) return SC_EDUPLICATE;
    engine->queries = slow_grown(engine->queries, engine->query_count, sizeof *engine->queries);
    engine->queries[engine->query_count++] = (slow_query){
        .query = *query,
        .is_company = is_company,
        .place = IN_QUEUE,
        .turn = engine->next_turn++,
    };
    engine->stats.added += !is_company;
    engine->stats.company += is_company;
    return SC_OK;
}

sc_err slow_engine_add(slow_engine *engine, const sc_query *query)
{
    return add(engine, query, false);
}

sc_err slow_engine_add_company(slow_engine *engine, const sc_query *query)
{
    return add(engine, query, true);
}

void slow_end_assignments(slow_engine *engine)
{
    for (sc_seg_id s = 0; s < engine->roads.segment_count; s++) {
        sc_star_id *star = &engine->assigned[s];
        if (*star != SC_NONE && !slow_is_active(engine, *star)) *star = SC_NONE;
    }
}

static bool vertex_exists(const slow_engine *engine, uint64_t vertex)
{
    for (size_t i = 0; i < engine->query_count; i++) {
        if (slow_holds(&engine->queries[i], vertex)) return true;
    }
    return false;
}

static bool is_relaxed(const slow_engine *engine, uint64_t vertex)
{
    for (size_t i = 0; i < engine->relaxed_count; i++) {
        if (engine->relaxed[i] == vertex) return true;
    }
    return false;
}

static void relax(slow_engine *engine, uint64_t vertex)
{
    if (is_relaxed(engine, vertex)) return;
    engine->relaxed = slow_grown(engine->relaxed, engine->relaxed_count, sizeof *engine->relaxed);
    engine->relaxed[engine->relaxed_count++] = vertex;
}

// The query has ended; a vertex that it leaves behind is relaxed.
static void take_out(slow_engine *engine, slow_query *q)
{
    const slow_query ended = *q;
    const size_t after = (size_t)(engine->queries + engine->query_count - (q + 1));
    memmove(q, q + 1, after * sizeof *q);
    engine->query_count--;
    if (ended.place != IN_GRAPH) return;
    slow_end_assignments(engine);
    if (vertex_exists(engine, ended.vertex)) relax(engine, ended.vertex);
}

static void drop(slow_engine *engine, slow_query *q, sc_drop_reason reason)
{
    if (!q->is_company) {
        engine->drops = slow_grown(engine->drops, engine->drop_count, sizeof *engine->drops);
        engine->drops[engine->drop_count++] = (sc_drop){q->query, reason, engine->now};
        engine->drops[engine->drop_count - 1].query.own = NULL;
        engine->stats.dropped[reason]++;
    }
    take_out(engine, q);
}

sc_err slow_engine_remove(slow_engine *engine, const sc_query_id *id)
{
    slow_query *q = find(engine, id);
    if (!q || q->is_gone) return SC_EUNKNOWN;
    if (q->place == IN_PROPOSAL) {
        q->is_gone = true;
        return SC_OK;
    }
    engine->stats.removed += !q->is_company;
    take_out(engine, q);
    return SC_OK;
}

// No end of its road is what the query asks for.
static void drop_hopeless(slow_engine *engine, slow_query *q)
{
    drop(engine, q, slow_has_its_l(engine, &q->query) ? SC_DROP_EXPOSED : SC_DROP_INFEASIBLE);
}

// --- One run ---------------------------------------------------------------------

// Without a graph it goes to its segment, which is no vertex.
static void enter_per_query(slow_engine *engine, slow_query *q)
{
    if (!slow_per_query_is_feasible(engine, &q->query)) {
        drop(engine, q, SC_DROP_INFEASIBLE);
        return;
    }
    q->vertex = UINT64_MAX - q->turn;
    q->star = SC_NONE;
    q->place = IN_GRAPH;
    if (!q->is_company) slow_per_query_arrive(engine, q);
}

// Nor is there a graph for one that is listed.
static void enter_patient(slow_engine *engine, slow_query *q)
{
    if (!slow_patient_list(engine, q)) {
        drop_hopeless(engine, q);
        return;
    }
    q->vertex = UINT64_MAX - q->turn;
    q->star = SC_NONE;
    q->place = IN_GRAPH;
    q->urgency_is_known = slow_is_urgent(engine, q);
    if (!q->is_company) slow_patient_look_around(engine, q);
}

static void enter_graph(slow_engine *engine, slow_query *q)
{
    if (engine->options.variant == SC_VARIANT_PATIENT) {
        enter_patient(engine, q);
        return;
    }
    if (slow_is_per_query(engine)) {
        enter_per_query(engine, q);
        return;
    }
    const sc_star_id star = slow_select_star(engine, &q->query);
    if (star == SC_NONE) {
        drop_hopeless(engine, q);
        return;
    }
    slow_assign(engine, &q->query, star);
    q->vertex = slow_find_vertex(engine, &q->query, star);
    q->star = star;
    q->place = IN_GRAPH;
    q->urgency_is_known = slow_is_urgent(engine, q);
    if (!q->is_company) slow_search_for_new(engine, q->vertex);
}

static bool has_expired(const slow_engine *engine, const slow_query *q)
{
    return q->place != IN_PROPOSAL && engine->now > q->query.deadline;
}

static bool has_become_urgent(const slow_engine *engine, const slow_query *q)
{
    return q->place == IN_GRAPH && !q->urgency_is_known && slow_is_urgent(engine, q);
}

// Of the queries of which `is_due` says so, the one with the least deadline, the first added
// among equals; NULL if there is none.
static slow_query *next_due(slow_engine *engine,
                            bool (*is_due)(const slow_engine *, const slow_query *))
{
    slow_query *next = NULL;
    for (size_t i = 0; i < engine->query_count; i++) {
        slow_query *q = &engine->queries[i];
        if (!is_due(engine, q)) continue;
        if (!next || q->query.deadline < next->query.deadline) next = q;
    }
    return next;
}

static slow_query *next_in_queue(slow_engine *engine)
{
    slow_query *next = NULL;
    for (size_t i = 0; i < engine->query_count; i++) {
        slow_query *q = &engine->queries[i];
        if (q->place == IN_QUEUE && (!next || q->turn < next->turn)) next = q;
    }
    return next;
}

static bool holds_more_than_company(const slow_engine *engine, uint64_t vertex)
{
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (slow_holds(q, vertex) && !q->is_company) return true;
    }
    return false;
}

static void know_urgency(slow_engine *engine, uint64_t vertex)
{
    for (size_t i = 0; i < engine->query_count; i++) {
        slow_query *q = &engine->queries[i];
        if (slow_holds(q, vertex)) q->urgency_is_known |= slow_is_urgent(engine, q);
    }
}

sc_err slow_engine_run(slow_engine *engine, sc_time now)
{
    if (now < engine->now) return SC_ETIME;
    engine->now = now;
    for (slow_query *q; (q = next_due(engine, has_expired));) {
        drop(engine, q, SC_DROP_EXPIRED);
    }
    for (size_t i = 0; i < engine->relaxed_count; i++) {
        const uint64_t vertex = engine->relaxed[i];
        if (holds_more_than_company(engine, vertex)) slow_search(engine, vertex);
    }
    for (slow_query *q; (q = next_due(engine, has_become_urgent));) {
        const uint64_t vertex = q->vertex;
        know_urgency(engine, vertex);
        if (engine->options.variant == SC_VARIANT_PATIENT) {
            slow_patient_search(engine, q);
        } else if (!is_relaxed(engine, vertex)) {
            slow_search(engine, vertex);
        }
    }
    engine->relaxed_count = 0;
    for (slow_query *q; (q = next_in_queue(engine));) {
        enter_graph(engine, q);
    }
    return SC_OK;
}

static sc_time first_time_after(sc_time t)
{
    return t < SC_TIME_NEVER ? t + 1 : SC_TIME_NEVER;
}

sc_time slow_engine_next_wake(const slow_engine *engine)
{
    sc_time wake = SC_TIME_NEVER;
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (q->place == IN_PROPOSAL) continue;
        if (q->place == IN_QUEUE) return engine->now;
        if (has_become_urgent(engine, q)) return engine->now;
        sc_time next = first_time_after(q->query.deadline);
        if (slow_has_urgency(engine) && !q->is_company && !q->urgency_is_known) {
            next = first_time_after(q->query.deadline - engine->options.consideration_us);
        }
        if (next < wake) wake = next;
    }
    for (size_t i = 0; i < engine->relaxed_count; i++) {
        if (vertex_exists(engine, engine->relaxed[i])) return engine->now;
    }
    return wake;
}

void slow_engine_switch(slow_engine *engine, sc_variant variant)
{
    if (variant == engine->options.variant) return;
    engine->options.variant = variant;
    for (size_t i = 0; i < engine->query_count; i++) {
        engine->queries[i].urgency_is_known = false;
    }
}

// --- Proposals -------------------------------------------------------------------

sc_cloak *slow_engine_take_candidate(slow_engine *engine)
{
    sc_cloak *oldest = engine->candidates;
    if (oldest) engine->candidates = sc__candidate_of(oldest)->next;
    return oldest;
}

void slow_engine_prune(const slow_engine *engine, sc_cloak *candidate, sc_rng *rng)
{
    slow_prune(&engine->roads, &engine->options.demands, candidate, rng);
}

// One of the cloak's members, or NULL if it is not a proposal of this engine.
static slow_query *next_member(slow_engine *engine, const sc_cloak *cloak)
{
    for (size_t i = 0; i < engine->query_count; i++) {
        slow_query *q = &engine->queries[i];
        if (q->place == IN_PROPOSAL && q->proposal == cloak) return q;
    }
    return NULL;
}

sc_err slow_engine_accept(slow_engine *engine, const sc_cloak *cloak, sc_time now)
{
    if (cloak->segment_count == 0 || !next_member(engine, cloak)) return SC_EINVAL;
    if (now > cloak->deadline) return SC_ELATE;
    for (slow_query *q; (q = next_member(engine, cloak));) {
        engine->stats.accepted += !q->is_company;
        engine->stats.company_accepted += q->is_company;
        take_out(engine, q);
    }
    engine->stats.cloaks++;
    return SC_OK;
}

static bool is_among(const sc_query_id *id, const sc_query_id *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (same_id(&ids[i], id)) return true;
    }
    return false;
}

sc_err slow_engine_refuse(slow_engine *engine, const sc_cloak *cloak, const sc_query_id *gone,
                          size_t gone_count)
{
    if (!next_member(engine, cloak)) return SC_EINVAL;
    for (slow_query *q; (q = next_member(engine, cloak));) {
        if (q->is_gone || is_among(&q->query.id, gone, gone_count)) {
            engine->stats.removed += !q->is_company;
            take_out(engine, q);
            continue;
        }
        q->place = IN_QUEUE;
        q->turn = engine->next_turn++;
    }
    engine->stats.refused++;
    return SC_OK;
}

bool slow_engine_take_drop(slow_engine *engine, sc_drop *out)
{
    if (engine->drop_count == 0) return false;
    *out = engine->drops[0];
    engine->drop_count--;
    memmove(engine->drops, engine->drops + 1, engine->drop_count * sizeof *engine->drops);
    return true;
}

slow_settle_counts slow_engine_settle_counts(const slow_engine *engine)
{
    return engine->settle_counts;
}

sc_engine_stats slow_engine_stats_of(const slow_engine *engine)
{
    sc_engine_stats stats = engine->stats;
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        stats.pending += !q->is_company && q->place != IN_PROPOSAL;
        stats.proposed += !q->is_company && q->place == IN_PROPOSAL;
        stats.company_held += q->is_company;
    }
    for (uint64_t vertex = 0; vertex < engine->next_vertex; vertex++) {
        stats.vertices += vertex_exists(engine, vertex);
    }
    if (engine->options.variant == SC_VARIANT_PATIENT) {
        stats.active_stars = slow_patient_active_star_count(engine);
        return stats;
    }
    for (sc_star_id star = 0; star < engine->roads.star_count; star++) {
        stats.active_stars += slow_is_active(engine, star);
    }
    return stats;
}
