// One pass over the edges to count, one to fill. See verifier.h.
#include "verify/verifier.h"

#include "base/alloc.h"
#include "base/sort.h"

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

// === Distances in hops ==========================================================================
// How far the parts of a cloak are from one star, and how many segments are near it: breadth
// first over the roads that were found again (above), level by level.

/** A walk under way. */
typedef struct walk {
    sc_verifier *verifier;
    const sc_targets *targets;
    uint32_t number;
    size_t count;  ///< stars in the queue
    size_t found;  ///< targets
} walk;

// Come to a star, unless the walk was there before.
static sc_err visit(walk *w, sc_star_id star)
{
    sc_verifier *v = w->verifier;
    if (star == SC_NONE || v->stars[star].walked == w->number) return SC_OK;
    v->stars[star].walked = w->number;
    if (!sc_grow(&v->queue, w->count, &v->queue_capacity, sizeof *v->queue)) return SC_ENOMEM;
    v->queue[w->count++] = star;

    if (!w->targets->are_segments) {
        w->found += v->stars[star].claimed == w->targets->claim;
        return SC_OK;
    }
    const sc_roads *roads = &v->roads;
    for (uint32_t i = roads->first_touched[star]; i < roads->first_touched[star + 1]; i++) {
        sc_segment_marks *marks = &v->segments[roads->touched[i]];
        if (!w->targets->are_any && marks->claimed != w->targets->claim) continue;
        if (marks->walked == w->number) continue;
        marks->walked = w->number;
        w->found++;
    }
    return SC_OK;
}

static sc_err visit_neighbours(walk *w, sc_star_id star)
{
    const sc_roads *roads = &w->verifier->roads;
    for (uint32_t i = roads->first_touched[star]; i < roads->first_touched[star + 1]; i++) {
        const sc_touching touching = roads->touching[roads->touched[i]];
        sc_err err = visit(w, touching.a);
        if (!err) err = visit(w, touching.b);
        if (err) return err;
    }
    return SC_OK;
}

sc_err sc__reach(sc_verifier *verifier, sc_star_id from, uint32_t max_hops,
                 const sc_targets *targets, uint32_t *reach)
{
    walk w = {verifier, targets, sc__walk_number(verifier), 0, 0};
    sc_err err = visit(&w, from);
    uint32_t hops = 0;
    size_t level = 0;
    while (!err && w.found < targets->count && hops < max_hops && level < w.count) {
        const size_t level_end = w.count;
        for (; level < level_end && w.found < targets->count && !err; level++) {
            err = visit_neighbours(&w, verifier->queue[level]);
        }
        hops++;
    }
    if (err) return err;
    *reach = w.found >= targets->count ? hops : SC_NONE;
    return SC_OK;
}

sc_err sc__has_room(sc_verifier *verifier, sc_seg_id segment, uint32_t max_hops, uint32_t wanted,
                    bool *has_room)
{
    const sc_touching touching = verifier->roads.touching[segment];
    const sc_star_id ends[] = {touching.a, touching.b};
    const sc_targets targets = {
        .claim = sc__claim_number(verifier, 2),
        .count = wanted,
        .are_segments = true,
        .are_any = true,
    };
    *has_room = false;
    for (size_t i = 0; i < 2 && !*has_room; i++) {
        if (ends[i] == SC_NONE) continue;
        uint32_t reach = SC_NONE;
        const sc_err err = sc__reach(verifier, ends[i], max_hops, &targets, &reach);
        if (err) return err;
        *has_room = reach != SC_NONE;
    }
    return SC_OK;
}

sc_err sc__list_around(sc_verifier *verifier, sc_star_id star, uint32_t max_hops, size_t *count)
{
    const sc_roads *roads = &verifier->roads;
    const sc_targets targets = {.claim = sc__claim_number(verifier, 1),
                                .count = SIZE_MAX,
                                .are_segments = true,
                                .are_any = true};
    walk w = {verifier, &targets, sc__walk_number(verifier), 0, 0};
    sc_err err = visit(&w, star);
    size_t next = 0;
    for (uint32_t hops = 0; hops < max_hops && next < w.count && !err; hops++) {
        for (const size_t level_end = w.count; next < level_end && !err; next++) {
            err = visit_neighbours(&w, verifier->queue[next]);
        }
    }
    *count = 0;
    for (size_t i = 0; i < w.count && !err; i++) {
        const sc_star_id at = verifier->queue[i];
        const uint32_t end = roads->first_touched[at + 1];
        for (uint32_t j = roads->first_touched[at]; j < end && !err; j++) {
            const sc_seg_id segment = roads->touched[j];
            // A segment between two of the stars is listed with the first.
            if (verifier->segments[segment].walked != w.number) continue;
            verifier->segments[segment].walked = 0;
            if (!sc_grow(&verifier->roads_of_member, *count, &verifier->road_capacity,
                         sizeof *verifier->roads_of_member)) {
                err = SC_ENOMEM;
            } else {
                verifier->roads_of_member[(*count)++] = segment;
            }
        }
    }
    if (!err) sc_sort_u32(verifier->roads_of_member, *count);
    return err;
}

// === Border nodes ===============================================================================
// Border nodes by their definition: nodes of the segments with more incident edges in the
// map than in the segments. Every edge is counted at both its ends, the inner ones of a
// segment too, although they cannot matter if the map is sound.

/** Set in a node's count once the claim has listed it; no degree reaches it. */
#define LISTED 0x80000000U

static sc_err count_end(sc_verifier *v, sc_node_id node, size_t *count)
{
    if (v->ends[node] == 0) {
        if (!sc_grow(&v->nodes, *count, &v->node_capacity, sizeof *v->nodes)) return SC_ENOMEM;
        v->nodes[(*count)++] = node;
    }
    v->ends[node]++;
    return SC_OK;
}

// Count the ends of the claimed edges at each node; `count` nodes have any.
static sc_err count_ends(sc_verifier *v, const sc_claim *claim, uint32_t number, size_t *count)
{
    const sc_map *map = v->roads.map;
    const sc_segment *segments = sc_map_segments(map);
    const sc_edge *edges = sc_map_edges(map);
    for (size_t i = 0; i < claim->segment_count; i++) {
        const sc_seg_id s = claim->segments[i];
        if (s >= sc_map_segment_count(map) || v->segments[s].walked == number) continue;
        v->segments[s].walked = number;
        for (sc_edge_id e = segments[s].first_edge; e < segments[s + 1].first_edge; e++) {
            sc_err err = count_end(v, edges[e].from, count);
            if (!err) err = count_end(v, edges[e].to, count);
            if (err) return err;
        }
    }
    return SC_OK;
}

static bool is_border(const sc_verifier *v, sc_node_id node)
{
    const uint32_t ends = v->ends[node] & ~LISTED;
    return ends > 0 && ends < v->roads.degree[node];
}

sc_err sc__border_compare(sc_verifier *verifier, const sc_claim *claim, sc_border_error *out)
{
    sc_border_error found = {.has_extra = false, .has_missing = false};
    size_t count = 0;
    const sc_err err = count_ends(verifier, claim, sc__walk_number(verifier), &count);
    if (!err) {
        for (size_t i = 0; i < claim->border_node_count; i++) {
            const sc_node_id node = claim->border_nodes[i];
            if (node < sc_map_node_count(verifier->roads.map) && is_border(verifier, node)) {
                verifier->ends[node] |= LISTED;
            } else {
                found.has_extra = true;
                found.extra = node;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        const sc_node_id node = verifier->nodes[i];
        if (is_border(verifier, node) && !(verifier->ends[node] & LISTED)) {
            found.has_missing = true;
            found.missing = node;
        }
        verifier->ends[node] = 0;
    }
    if (!err) *out = found;
    return err;
}
