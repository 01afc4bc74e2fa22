// The road network by its definitions alone. See reference.h.
#include "support/reference.h"

#include "support/check.h"

#include <math.h>

static bool meets_at(const sketch_edge *edge, uint32_t node)
{
    return edge->from == node || edge->to == node;
}

// Two edges belong together at a node of degree 2 that both have.
static bool joined(const reference *r, const sketch_edge *a, const sketch_edge *b)
{
    return (r->degree[a->from] == 2 && meets_at(b, a->from)) ||
           (r->degree[a->to] == 2 && meets_at(b, a->to));
}

static void find_components(reference *r)
{
    const sketch *s = r->sketch;
    for (uint32_t v = 0; v < s->node_count; v++) {
        r->component[v] = v;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = 0; e < s->edge_count; e++) {
            uint32_t *a = &r->component[s->edges[e].from];
            uint32_t *b = &r->component[s->edges[e].to];
            changed |= *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
}

static void find_segments(reference *r)
{
    const sketch *s = r->sketch;
    for (uint32_t e = 0; e < s->edge_count; e++) {
        r->segment_of[e] = e;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t a = 0; a < s->edge_count; a++) {
            for (uint32_t b = 0; b < a; b++) {
                if (!joined(r, &s->edges[a], &s->edges[b])) continue;
                uint32_t *x = &r->segment_of[a];
                uint32_t *y = &r->segment_of[b];
                changed |= *x != *y;
                *x = *y = *x < *y ? *x : *y;
            }
        }
    }
}

static bool has_intersection(const reference *r, uint32_t component)
{
    for (uint32_t v = 0; v < r->sketch->node_count; v++) {
        if (r->component[v] == component && r->degree[v] >= 3) return true;
    }
    return false;
}

uint32_t reference_star(const reference *r, uint32_t node)
{
    if (r->degree[node] >= 3) return node;
    if (r->degree[node] == 0 || has_intersection(r, r->component[node])) return SC_NONE;
    return r->component[node];
}

static void find_stars(reference *r)
{
    const sketch *s = r->sketch;
    const size_t n = s->node_count;
    for (uint32_t e = 0; e < s->edge_count; e++) {
        // An end of an edge is the end of its segment unless it is an inner
        // node; at a pseudo-star any node stands for the component.
        const uint32_t a = reference_star(r, s->edges[e].from);
        const uint32_t b = reference_star(r, s->edges[e].to);
        if (a != SC_NONE) r->touches[(size_t)a * s->edge_count + r->segment_of[e]] = true;
        if (b != SC_NONE) r->touches[(size_t)b * s->edge_count + r->segment_of[e]] = true;
    }
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < n; b++) {
            for (uint32_t e = 0; e < s->edge_count && a != b; e++) {
                if (reference_touches(r, a, e) && reference_touches(r, b, e)) {
                    r->adjacent[a * n + b] = true;
                }
            }
        }
    }
}

reference reference_new(const sketch *s)
{
    reference r = {.sketch = s};
    const size_t n = s->node_count;
    r.degree = test_take(n, sizeof *r.degree);
    r.component = test_take(n, sizeof *r.component);
    r.segment_of = test_take(s->edge_count, sizeof *r.segment_of);
    r.touches = test_take(n * s->edge_count, sizeof *r.touches);
    r.adjacent = test_take(n * n, sizeof *r.adjacent);
    for (uint32_t e = 0; e < s->edge_count; e++) {
        r.degree[s->edges[e].from]++;
        r.degree[s->edges[e].to]++;
    }
    find_components(&r);
    find_segments(&r);
    find_stars(&r);
    return r;
}

void reference_free(reference *r)
{
    free(r->degree);
    free(r->component);
    free(r->segment_of);
    free(r->touches);
    free(r->adjacent);
    *r = (reference){0};
}

uint32_t reference_segment_count(const reference *r)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < r->sketch->edge_count; e++) {
        count += r->segment_of[e] == e;
    }
    return count;
}

uint32_t reference_star_count(const reference *r)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < r->sketch->node_count; v++) {
        count += reference_star(r, v) == v;
    }
    return count;
}

bool reference_touches(const reference *r, uint32_t star, uint32_t edge)
{
    return r->touches[(size_t)star * r->sketch->edge_count + edge];
}

bool reference_adjacent(const reference *r, uint32_t star, uint32_t other)
{
    return r->adjacent[(size_t)star * r->sketch->node_count + other];
}

void reference_hops(const reference *r, uint32_t star, uint32_t *hops)
{
    const uint32_t n = r->sketch->node_count;
    for (uint32_t v = 0; v < n; v++) {
        hops[v] = SC_NONE;
    }
    hops[star] = 0;
    for (uint32_t round = 0; round < n; round++) {
        for (uint32_t v = 0; v < n; v++) {
            if (hops[v] != round) continue;
            for (uint32_t w = 0; w < n; w++) {
                if (hops[w] == SC_NONE && reference_adjacent(r, v, w)) hops[w] = round + 1;
            }
        }
    }
}

// --- Which edge is which -----------------------------------------------------------

/** An edge without its direction and number. */
typedef struct edge_look {
    uint32_t low;
    uint32_t high;
    uint32_t road_class;
    uint32_t length;
    uint32_t number;
} edge_look;

static edge_look look_of(uint32_t from, uint32_t to, uint32_t length, uint32_t road_class,
                         uint32_t number)
{
    return (edge_look){from < to ? from : to, from < to ? to : from, road_class, length, number};
}

static int compare_looks(const void *a, const void *b)
{
    const int order = memcmp(a, b, offsetof(edge_look, number));
    const edge_look *x = a;
    const edge_look *y = b;
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

uint32_t *reference_match_edges(const reference *r, const sc_map *map)
{
    const sketch *s = r->sketch;
    const uint32_t m = s->edge_count;
    assert_int_equal(sc_map_node_count(map), s->node_count);
    assert_int_equal(sc_map_edge_count(map), m);
    edge_look *wanted = test_take(m, sizeof *wanted);
    edge_look *found = test_take(m, sizeof *found);
    const sc_edge *edges = sc_map_edges(map);
    for (uint32_t e = 0; e < m; e++) {
        const sketch_edge *edge = &s->edges[e];
        const uint32_t length = (uint32_t)lround(edge->length / sc_map_unit_m(map));
        wanted[e] = look_of(edge->from, edge->to, length, edge->road_class, e);
        found[e] =
            look_of(edges[e].from, edges[e].to, edges[e].length, sc_map_edge_classes(map)[e], e);
    }
    qsort(wanted, m, sizeof *wanted, compare_looks);
    qsort(found, m, sizeof *found, compare_looks);
    uint32_t *match = test_take(m, sizeof *match);
    for (uint32_t i = 0; i < m; i++) {
        assert_memory_equal(&found[i], &wanted[i], offsetof(edge_look, number));
        match[found[i].number] = wanted[i].number;
    }
    free(wanted);
    free(found);
    return match;
}
