// Edges are joined into segments: maximal chains whose inner nodes have degree 2.
//
// Every edge is walked exactly once. Chains are begun at every node of degree other than 2, in the
// order of the nodes; what is left then has only nodes of degree 2 and consists of rings, each
// begun at its first node.
#include "map/builder_internal.h"

#include "base/alloc.h"

#include <stdbool.h>

/** The half edges that leave each node: those of node v are [first[v], first[v + 1]). */
typedef struct leaving {
    uint32_t *first;
    sc_half_edge *steps;
} leaving;

static sc_err leaving_of(const sc_builder *builder, const uint32_t *degree, leaving *out)
{
    const size_t n = builder->node_count;
    const size_t m = builder->edge_count;
    out->first = sc_malloc_array(n + 1, sizeof *out->first);
    out->steps = sc_malloc_array(2 * m, sizeof *out->steps);
    if (!out->first || !out->steps) return SC_ENOMEM;

    // Fill from the back: first[v] starts as the end of v's run and moves to its
    // beginning.
    uint32_t sum = 0;
    for (size_t v = 0; v < n; v++) {
        sum += degree[v];
        out->first[v] = sum;
    }
    out->first[n] = sum;
    for (size_t e = m; e-- > 0;) {
        out->steps[--out->first[builder->edges[e].to]] = (sc_half_edge)(2 * e + 1);
        out->steps[--out->first[builder->edges[e].from]] = (sc_half_edge)(2 * e);
    }
    return SC_OK;
}

static bool is_walked(const uint8_t *walked, sc_half_edge step)
{
    return walked[step >> 4] & (1u << ((step >> 1) & 7));
}

static void mark_walked(uint8_t *walked, sc_half_edge step)
{
    walked[step >> 4] |= (uint8_t)(1u << ((step >> 1) & 7));
}

/** What the walk needs, and where it has come to. */
typedef struct walk {
    const sc_builder *builder;
    const leaving *leaving;
    const uint32_t *degree;
    uint8_t *walked;  ///< one bit per edge
    sc_chains *chains;
    uint32_t step_count;
} walk;

// Walk from `step` to the end of its chain, or round its ring.
static void walk_chain(walk *w, sc_half_edge step)
{
    w->chains->first[w->chains->count++] = w->step_count;
    for (;;) {
        mark_walked(w->walked, step);
        w->chains->steps[w->step_count++] = step;
        const sc_node_id node = sc__step_to(w->builder, step);
        if (w->degree[node] != 2) return;

        // Two half edges leave the node; the one to take is not the way back.
        const sc_half_edge *ways = w->leaving->steps + w->leaving->first[node];
        step = ways[0] == (step ^ 1) ? ways[1] : ways[0];
        if (is_walked(w->walked, step)) return;
    }
}

static void walk_all(walk *w)
{
    for (int rings = 0; rings < 2; rings++) {
        for (size_t v = 0; v < w->builder->node_count; v++) {
            if ((w->degree[v] == 2) != rings) continue;
            const uint32_t end = w->leaving->first[v] + w->degree[v];
            for (uint32_t i = w->leaving->first[v]; i < end; i++) {
                const sc_half_edge step = w->leaving->steps[i];
                if (!is_walked(w->walked, step)) walk_chain(w, step);
            }
        }
    }
    w->chains->first[w->chains->count] = w->step_count;
}

sc_err sc__chains_find(const sc_builder *builder, sc_chains *out)
{
    const size_t m = builder->edge_count;
    sc_err err = SC_ENOMEM;
    leaving ways = {0};
    sc_chains chains = {0};

    uint8_t *walked = sc_calloc(m / 8 + 1, 1);
    chains.degree = sc_calloc(builder->node_count, sizeof *chains.degree);
    chains.steps = sc_malloc_array(m, sizeof *chains.steps);
    chains.first = sc_malloc_array(m + 1, sizeof *chains.first);
    if (!walked || !chains.degree || !chains.steps || !chains.first) goto done;

    for (size_t e = 0; e < m; e++) {
        chains.degree[builder->edges[e].from]++;
        chains.degree[builder->edges[e].to]++;
    }
    err = leaving_of(builder, chains.degree, &ways);
    if (err) goto done;

    walk w = {.builder = builder,
              .leaving = &ways,
              .degree = chains.degree,
              .walked = walked,
              .chains = &chains};
    walk_all(&w);
    *out = chains;
    chains = (sc_chains){0};
done:
    sc_free(walked);
    sc_free(ways.first);
    sc_free(ways.steps);
    sc__chains_fini(&chains);
    return err;
}

void sc__chains_fini(sc_chains *chains)
{
    sc_free(chains->steps);
    sc_free(chains->first);
    sc_free(chains->degree);
    *chains = (sc_chains){0};
}
