// Border nodes by their definition: nodes of the segments with more incident edges in the
// map than in the segments. Every edge is counted at both its ends, the inner ones of a
// segment too, although they cannot matter if the map is sound. See verifier.h.
#include "verify/verifier.h"

#include "base/alloc.h"

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
