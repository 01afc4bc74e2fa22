// Contraction hierarchies: stars are taken out of the star graph one by one, each leaving shortcuts
// between its neighbours where it lay on the fastest way (routes_internal.h has what always holds).
#include "travel/star_graph.h"

#include <string.h>

// === Parts ======================================================================================
// Stars between which one can drive both there and back are of one part: the strongly connected
// components of the star graph, by Tarjan's algorithm with a stack of its own instead of recursion.

/** A star that the walk is at, and which of its arcs it takes next. */
typedef struct walked_star {
    sc_star_id star;
    uint32_t next;
} walked_star;

typedef struct part_search {
    const sc__star_graph *graph;
    uint32_t *parts;    ///< by star; SC_NONE: not known yet
    uint32_t *reached;  ///< by star: when the walk came to it, from 1; 0: it has not
    uint32_t *least;    ///< by star: the first of those that it can come back to
    uint32_t reached_count;
    walked_star *walk;  ///< where the walk is, and how it came there
    size_t walk_capacity;
    size_t walk_count;
    sc_star_id *open;  ///< stars that have been reached and are of no part yet
    size_t open_count;
    uint32_t part_count;
} part_search;

static bool enter_star(part_search *s, sc_star_id star)
{
    if (!sc_grow(&s->walk, s->walk_count, &s->walk_capacity, sizeof *s->walk)) return false;
    s->walk[s->walk_count++] = (walked_star){star, 0};
    s->reached[star] = s->least[star] = ++s->reached_count;
    s->open[s->open_count++] = star;
    return true;
}

// All arcs of a star are done. If it cannot come back to one before it, what is open from it on is
// a part.
static void leave_star(part_search *s, sc_star_id star)
{
    s->walk_count--;
    if (s->walk_count > 0) {
        uint32_t *least = &s->least[s->walk[s->walk_count - 1].star];
        if (s->least[star] < *least) *least = s->least[star];
    }
    if (s->least[star] != s->reached[star]) return;
    sc_star_id last;
    do {
        last = s->open[--s->open_count];
        s->parts[last] = s->part_count;
    } while (last != star);
    s->part_count++;
}

static sc_err walk_from(part_search *s, sc_star_id first)
{
    if (!enter_star(s, first)) return SC_ENOMEM;
    while (s->walk_count > 0) {
        walked_star *at = &s->walk[s->walk_count - 1];
        uint32_t count = 0;
        const sc__arc *arcs = sc__star_graph_arcs(s->graph, at->star, &count);
        if (at->next == count) {
            leave_star(s, at->star);
            continue;
        }
        const sc__arc *arc = &arcs[at->next++];
        if (arc->there.ms == SC__NEVER || s->parts[arc->to] != SC_NONE) continue;
        if (s->reached[arc->to] == 0) {
            if (!enter_star(s, arc->to)) return SC_ENOMEM;
        } else if (s->reached[arc->to] < s->least[at->star]) {
            s->least[at->star] = s->reached[arc->to];
        }
    }
    return SC_OK;
}

// Number the parts by their first stars instead of the order in which they were found.
static void renumber(part_search *s, uint32_t *numbers)
{
    uint32_t count = 0;
    for (uint32_t part = 0; part < s->part_count; part++) {
        numbers[part] = SC_NONE;
    }
    for (sc_star_id star = 0; star < s->graph->star_count; star++) {
        uint32_t *number = &numbers[s->parts[star]];
        if (*number == SC_NONE) *number = count++;
        s->parts[star] = *number;
    }
}

static sc_err number_parts(sc_routes *routes, const sc__star_graph *graph)
{
    part_search s = {.graph = graph, .parts = routes->parts};
    const size_t star_count = graph->star_count;
    s.reached = sc_calloc(star_count, sizeof *s.reached);
    s.least = sc_malloc_array(star_count, sizeof *s.least);
    s.open = sc_malloc_array(star_count, sizeof *s.open);
    sc_err err = s.reached && s.least && s.open ? SC_OK : SC_ENOMEM;
    memset(s.parts, 0xff, star_count * sizeof *s.parts);
    for (sc_star_id star = 0; !err && star < star_count; star++) {
        if (s.reached[star] == 0) err = walk_from(&s, star);
    }
    if (!err) {
        renumber(&s, s.least);
        routes->part_count = s.part_count;
    }
    sc_free(s.reached);
    sc_free(s.least);
    sc_free(s.open);
    sc_free(s.walk);
    return err;
}

// === The longest time ===========================================================================
// From the first star of each part a plain search reaches all others; where all roads take as long
// both ways, no fastest way between two stars takes longer than twice what the farthest of them
// takes.

typedef struct sweep {
    const sc__star_graph *graph;
    const uint32_t *parts;  ///< by star
    uint32_t *ms;           ///< by star; SC__NEVER: not reached
    sc__star_queue queue;
    uint32_t farthest_ms;
} sweep;

// Reach everything in the part of `first`.
static sc_err reach_part(sweep *s, sc_star_id first)
{
    s->ms[first] = 0;
    if (!sc__star_queue_put(&s->queue, 0, first)) return SC_ENOMEM;
    while (s->queue.count > 0) {
        const sc__star_entry entry = sc__star_queue_take(&s->queue);
        if (entry.number > s->ms[entry.star]) continue;
        if (entry.number > SC__MOST_MS) return SC_ELIMIT;
        if (entry.number > s->farthest_ms) s->farthest_ms = entry.number;
        uint32_t count = 0;
        const sc__arc *arcs = sc__star_graph_arcs(s->graph, entry.star, &count);
        for (uint32_t i = 0; i < count; i++) {
            const sc_star_id to = arcs[i].to;
            if (arcs[i].there.ms == SC__NEVER || s->parts[to] != s->parts[first]) continue;
            // Both are SC__MOST_MS at most.
            const uint32_t ms = entry.number + arcs[i].there.ms;
            if (ms >= s->ms[to]) continue;
            s->ms[to] = ms;
            if (!sc__star_queue_put(&s->queue, ms, to)) return SC_ENOMEM;
        }
    }
    return SC_OK;
}

/** Find the time that no way exceeds. SC_ELIMIT if it is too long. */
static sc_err find_longest(sc_routes *routes, const sc__star_graph *graph)
{
    sweep s = {.graph = graph, .parts = routes->parts};
    s.ms = sc_malloc_array(graph->star_count, sizeof *s.ms);
    if (!s.ms) return SC_ENOMEM;
    memset(s.ms, 0xff, (size_t)graph->star_count * sizeof *s.ms);
    sc_err err = SC_OK;
    for (sc_star_id star = 0; !err && star < graph->star_count; star++) {
        if (s.ms[star] == SC__NEVER) err = reach_part(&s, star);
    }
    sc_free(s.ms);
    sc__star_queue_fini(&s.queue);
    if (err) return err;

    // A way may begin and end inside of segments.
    uint32_t slowest_ms = 0;
    for (sc_seg_id segment = 0; segment < sc_map_segment_count(routes->map); segment++) {
        const sc_travel_times ms = routes->segment_ms[segment];
        if (ms.forward != SC__NEVER && ms.forward > slowest_ms) slowest_ms = ms.forward;
        if (ms.backward != SC__NEVER && ms.backward > slowest_ms) slowest_ms = ms.backward;
    }
    // With one-way streets a way back may be much longer than the way there.
    routes->longest_ms = graph->is_symmetric ? 2 * (s.farthest_ms + slowest_ms) : SC__NEVER - 1;
    return SC_OK;
}

// === Witnesses: which shortcuts a star leaves behind ============================================
// From each neighbour of the star to each other there must be, without it, a way as fast as the one
// over it (a witness), or else a shortcut takes its place. One search from each neighbour looks for
// witnesses to all others; to those after it alone where all ways take as long both ways. Where
// they exist they are mostly near, so a search that has looked at many arcs gives up: a shortcut
// too many costs less than the search.

typedef struct shortcut_arc {
    sc_star_id from;
    sc_star_id to;
    uint32_t ms;
} shortcut_arc;

/** Working memory. Zero-initialise; witness_fini() when done. */
typedef struct witness_search {
    uint32_t longest_ms;
    uint32_t *ms;         ///< by star, from where the search began; SC__NEVER: not reached
    uint32_t *wanted_ms;  ///< by star: a way as fast as this is looked for; 0: none
    sc_star_id *reached;
    size_t reached_count;
    size_t reached_capacity;
    sc__star_queue queue;

    // What was found.
    shortcut_arc *shortcuts;
    size_t shortcut_count;
    size_t shortcut_capacity;
} witness_search;

/** Arcs that one search may look at. On real maps few come near. On a grid of 300 by 300, where all
 * ways tie, a quarter of it leaves twice the arcs, and twice as much takes longer to build. */
enum { MOST_ARCS = 4000 };

static void witness_fini(witness_search *witness)
{
    sc_free(witness->ms);
    sc_free(witness->wanted_ms);
    sc_free(witness->reached);
    sc_free(witness->shortcuts);
    sc__star_queue_fini(&witness->queue);
    *witness = (witness_search){.longest_ms = 0};
}

static sc_err witness_init(witness_search *witness, uint32_t star_count, uint32_t longest_ms)
{
    *witness = (witness_search){.longest_ms = longest_ms};
    witness->ms = sc_malloc_array(star_count, sizeof *witness->ms);
    witness->wanted_ms = sc_calloc(star_count, sizeof *witness->wanted_ms);
    if (!witness->ms || !witness->wanted_ms) {
        witness_fini(witness);
        return SC_ENOMEM;
    }
    memset(witness->ms, 0xff, (size_t)star_count * sizeof *witness->ms);
    return SC_OK;
}

static bool reach(witness_search *w, sc_star_id star, uint32_t ms)
{
    if (w->ms[star] == SC__NEVER) {
        if (!sc_grow(&w->reached, w->reached_count, &w->reached_capacity, sizeof *w->reached)) {
            return false;
        }
        w->reached[w->reached_count++] = star;
    }
    w->ms[star] = ms;
    return sc__star_queue_put(&w->queue, ms, star);
}

// Look for the ways that are wanted, `open` of them, none longer than `limit_ms`. Those found are
// wanted no more.
static sc_err search(witness_search *w, const sc__star_graph *graph, sc_star_id from,
                     sc_star_id without, uint32_t limit_ms, uint32_t open)
{
    uint32_t looked_at = 0;
    if (!reach(w, from, 0)) return SC_ENOMEM;
    while (w->queue.count > 0) {
        const sc__star_entry entry = sc__star_queue_take(&w->queue);
        if (entry.number > w->ms[entry.star]) continue;
        uint32_t count = 0;
        const sc__arc *arcs = sc__star_graph_arcs(graph, entry.star, &count);
        looked_at += count;
        if (looked_at > MOST_ARCS) return SC_OK;
        for (uint32_t i = 0; i < count; i++) {
            const sc_star_id to = arcs[i].to;
            const uint64_t ms = (uint64_t)entry.number + arcs[i].there.ms;
            if (ms > limit_ms || ms >= w->ms[to] || to == without) continue;
            if (!reach(w, to, (uint32_t)ms)) return SC_ENOMEM;
            if (ms > w->wanted_ms[to]) continue;
            w->wanted_ms[to] = 0;
            if (--open == 0) return SC_OK;
        }
    }
    return SC_OK;
}

static void forget(witness_search *w)
{
    for (size_t i = 0; i < w->reached_count; i++) {
        w->ms[w->reached[i]] = SC__NEVER;
    }
    w->reached_count = 0;
    w->queue.count = 0;
}

// Shortcuts from neighbour `i` to the others.
static sc_err shortcuts_from(witness_search *w, const sc__star_graph *graph, sc_star_id star,
                             const sc__arc *arcs, uint32_t count, uint32_t i)
{
    const uint32_t first = graph->is_symmetric ? i + 1 : 0;
    uint32_t limit_ms = 0;
    uint32_t open = 0;
    for (uint32_t j = first; j < count; j++) {
        const uint64_t ms = (uint64_t)arcs[i].back.ms + arcs[j].there.ms;
        if (j == i || ms > w->longest_ms) continue;
        w->wanted_ms[arcs[j].to] = (uint32_t)ms;
        if (ms > limit_ms) limit_ms = (uint32_t)ms;
        open++;
    }
    if (open == 0) return SC_OK;

    sc_err err = search(w, graph, arcs[i].to, star, limit_ms, open);
    for (uint32_t j = first; j < count; j++) {
        const shortcut_arc shortcut = {arcs[i].to, arcs[j].to, w->wanted_ms[arcs[j].to]};
        w->wanted_ms[arcs[j].to] = 0;
        if (err || shortcut.ms == 0) continue;
        if (!sc_grow(&w->shortcuts, w->shortcut_count, &w->shortcut_capacity,
                     sizeof *w->shortcuts)) {
            err = SC_ENOMEM;
            continue;
        }
        w->shortcuts[w->shortcut_count++] = shortcut;
    }
    forget(w);
    return err;
}

/**
 * Find the shortcuts that must be there once `star` is gone: between two neighbours, unless another
 * way is as fast. Searches give up early, which only leaves more shortcuts than are needed.
 */
static sc_err find_shortcuts(witness_search *witness, const sc__star_graph *graph, sc_star_id star)
{
    uint32_t count = 0;
    const sc__arc *arcs = sc__star_graph_arcs(graph, star, &count);
    witness->shortcut_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const sc_err err = shortcuts_from(witness, graph, star, arcs, count, i);
        if (err) return err;
    }
    return SC_OK;
}

// === Ordering: which star is taken out next =====================================================
// Good stars to begin with are those that leave few shortcuts and are spread evenly: small streets
// first, main roads last. A star's number says how good, by the shortcuts it would leave less the
// arcs it would take along, and by its depth, the longest chain of neighbours already taken out
// below it. Numbers change as neighbours go, mostly upwards, so a star's is computed again when
// its turn has come, and it waits on if another is better by then.

/** What an arc more counts, and a step of depth. On real maps searches are slower by a tenth with
 * half the weight for depth, by a half with none; with twice the weight they are not faster, and
 * building takes longer. */
enum { ARC_WEIGHT = 2, DEPTH_WEIGHT = 1 };

/** A star with more arcs waits for its neighbours to go before its shortcuts are looked for, of
 * which there may be one for each two arcs. Real junctions never come near. */
enum { CROWDED = 100 };

/** Numbers are positive. */
#define NUMBER_ZERO 0x40000000

typedef struct ordering {
    sc_routes *routes;
    sc__star_graph *graph;
    witness_search witness;
    sc__star_queue queue;
    sc_star_id *taken_out;  ///< by rank
    uint32_t *depth;        ///< by star
    uint32_t done;
    const sc_progress *progress;
} ordering;

static void report(const ordering *o)
{
    enum { EVERY = 4096 };
    if (!o->progress || !o->progress->report) return;
    if (o->done % EVERY != 0 && o->done != o->graph->star_count) return;
    o->progress->report(o->progress->context, "routes", o->done, o->graph->star_count);
}

static bool is_crowded(const ordering *o, sc_star_id star)
{
    return o->graph->lists[star].count > CROWDED;
}

// Ways that a star has, one for two directions where all are alike both ways.
static int64_t count_ways(const sc__star_graph *graph, sc_star_id star)
{
    uint32_t count = 0;
    const sc__arc *arcs = sc__star_graph_arcs(graph, star, &count);
    if (graph->is_symmetric) return count;
    int64_t ways = 0;
    for (uint32_t i = 0; i < count; i++) {
        ways += (arcs[i].there.ms != SC__NEVER) + (arcs[i].back.ms != SC__NEVER);
    }
    return ways;
}

// How good it would be to take `star` out now. Leaves its shortcuts in the witness, unless it is
// crowded.
static sc_err number_of(ordering *o, sc_star_id star, uint32_t *number)
{
    const int64_t arcs = count_ways(o->graph, star);
    int64_t shortcuts = arcs * (arcs - 1) / 2;
    // Where directions differ, each of them counts half.
    const int64_t weight = o->graph->is_symmetric ? ARC_WEIGHT : ARC_WEIGHT / 2;
    if (!is_crowded(o, star)) {
        const sc_err err = find_shortcuts(&o->witness, o->graph, star);
        if (err) return err;
        shortcuts = (int64_t)o->witness.shortcut_count;
    }
    const int64_t sum =
        NUMBER_ZERO + (shortcuts - arcs) * weight + (int64_t)o->depth[star] * DEPTH_WEIGHT;
    *number = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
    return SC_OK;
}

// Everybody's number, to begin with.
static sc_err line_up(ordering *o)
{
    for (sc_star_id star = 0; star < o->graph->star_count; star++) {
        uint32_t number = 0;
        const sc_err err = number_of(o, star, &number);
        if (err) return err;
        if (!sc__star_queue_put(&o->queue, number, star)) return SC_ENOMEM;
    }
    return SC_OK;
}

// Take `star` out and put in the shortcuts, which are in the witness.
static sc_err take_out(ordering *o, sc_star_id star)
{
    sc__star_graph_remove(o->graph, star);
    for (size_t i = 0; i < o->witness.shortcut_count; i++) {
        const shortcut_arc *shortcut = &o->witness.shortcuts[i];
        const sc__link way = {shortcut->ms, SC__SHORTCUT | star};
        sc_err err = sc__star_graph_link(o->graph, shortcut->from, shortcut->to, way);
        if (!err && o->graph->is_symmetric) {
            err = sc__star_graph_link(o->graph, shortcut->to, shortcut->from, way);
        }
        if (err) return err;
    }
    uint32_t count = 0;
    const sc__arc *arcs = sc__star_graph_arcs(o->graph, star, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *depth = &o->depth[arcs[i].to];
        if (*depth <= o->depth[star]) *depth = o->depth[star] + 1;
    }
    o->routes->rank_of[star] = o->done;
    o->taken_out[o->done++] = star;
    return SC_OK;
}

static sc_err take_out_all(ordering *o)
{
    sc_err err = line_up(o);
    while (!err && o->queue.count > 0) {
        const sc_star_id star = sc__star_queue_take(&o->queue).star;
        uint32_t number = 0;
        err = number_of(o, star, &number);
        if (err) break;
        if (o->queue.count > 0 && number > sc__star_queue_least(&o->queue)) {
            if (!sc__star_queue_put(&o->queue, number, star)) err = SC_ENOMEM;
            continue;
        }
        if (is_crowded(o, star)) err = find_shortcuts(&o->witness, o->graph, star);
        if (!err) err = take_out(o, star);
        report(o);
    }
    return err;
}

// A way as it is written down, by ranks; `from` is the star that it leaves.
static sc__link ranked_way(const ordering *o, sc_star_id from, sc__link way)
{
    if (way.ms == SC__NEVER) return way;
    if (way.via & SC__SHORTCUT) {
        way.via = SC__SHORTCUT | o->routes->rank_of[way.via & ~SC__SHORTCUT];
    } else if (sc_map_segments(o->routes->map)[way.via].star_a != from) {
        way.via |= SC__BACKWARDS;
    }
    return way;
}

static sc__arc ranked(const ordering *o, sc_star_id from, sc__arc arc)
{
    return (sc__arc){.to = o->routes->rank_of[arc.to],
                     .there = ranked_way(o, from, arc.there),
                     .back = ranked_way(o, arc.to, arc.back)};
}

// Write down what remains: the arcs of each star when it was taken out.
static sc_err write_down(const ordering *o)
{
    sc_routes *routes = o->routes;
    const uint32_t star_count = o->graph->star_count;
    uint64_t total = 0;
    for (sc_star_id star = 0; star < star_count; star++) {
        total += o->graph->lists[star].count;
    }
    if (total >= UINT32_MAX) return SC_ELIMIT;
    routes->first_arc = sc_malloc_array((size_t)star_count + 1, sizeof *routes->first_arc);
    routes->arcs = sc_malloc_array(total, sizeof *routes->arcs);
    if (!routes->first_arc || !routes->arcs) return SC_ENOMEM;

    uint32_t next = 0;
    for (uint32_t rank = 0; rank < star_count; rank++) {
        const sc_star_id star = o->taken_out[rank];
        uint32_t count = 0;
        const sc__arc *arcs = sc__star_graph_arcs(o->graph, star, &count);
        routes->first_arc[rank] = next;
        for (uint32_t i = 0; i < count; i++) {
            routes->arcs[next++] = ranked(o, star, arcs[i]);
        }
    }
    routes->first_arc[star_count] = next;
    return SC_OK;
}

/** Take out all stars, and keep the hierarchy in `routes`. */
static sc_err contract_all(sc_routes *routes, sc__star_graph *graph, const sc_progress *progress)
{
    ordering o = {.routes = routes, .graph = graph, .progress = progress};
    sc_err err = witness_init(&o.witness, graph->star_count, routes->longest_ms);
    if (err) return err;
    err = SC_ENOMEM;
    o.taken_out = sc_malloc_array(graph->star_count, sizeof *o.taken_out);
    o.depth = sc_calloc(graph->star_count, sizeof *o.depth);
    routes->rank_of = sc_malloc_array(graph->star_count, sizeof *routes->rank_of);
    if (o.taken_out && o.depth && routes->rank_of) err = take_out_all(&o);
    if (!err) err = write_down(&o);
    witness_fini(&o.witness);
    sc__star_queue_fini(&o.queue);
    sc_free(o.taken_out);
    sc_free(o.depth);
    return err;
}

sc_err sc__routes_contract(sc_routes *routes, const sc_progress *progress)
{
    sc__star_graph graph;
    sc_err err = sc__star_graph_init(&graph, routes->map, routes->segment_ms);
    if (err) return err;
    err = number_parts(routes, &graph);
    if (!err) err = find_longest(routes, &graph);
    if (!err) err = contract_all(routes, &graph, progress);
    sc__star_graph_fini(&graph);
    return err;
}
