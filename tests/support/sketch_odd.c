// Odd maps at random: what real data and strangers come up with. See sketch.h.
#include "support/sketch.h"

#include "base/rng.h"
#include "support/check.h"

#include <math.h>

/** How the positions of one map are drawn. */
typedef struct ground {
    double x;
    double y;
    double step;
    uint32_t cells;  ///< positions per side; 0 for no grid
} ground;

static ground choose_ground(sc_rng *rng, sc_coords coords)
{
    // A coarse grid makes nodes fall together and distances tie.
    const uint32_t cells = sc_rng_below(rng, 2) ? 2 + sc_rng_below(rng, 6) : 0;
    if (coords == SC_COORDS_PLANAR) {
        static const double sizes[] = {1e-5, 1.0, 1000.0, 1e6, 1e7};
        const double size = sizes[sc_rng_below(rng, 5)];
        const double x = (sc_rng_unit(rng) - 0.5) * size * 3;
        const double y = (sc_rng_unit(rng) - 0.5) * size * 3;
        return (ground){x, y, size, cells};
    }
    static const struct {
        double x, y, step;
    } corners[] = {{8.0, 50.0, 0.01},       {-122.0, 37.0, 1e-6}, {-179.99, -17.0, 0.005},
                   {179.995, -17.0, 0.005}, {0.0, 89.99, 0.01},   {-60.0, -90.0, 1e-4},
                   {0.0, 0.0, 1e-7},        {-70.0, -60.0, 90.0}};
    const uint32_t i = sc_rng_below(rng, sizeof corners / sizeof *corners);
    return (ground){corners[i].x, corners[i].y, corners[i].step, cells};
}

static double draw_along(sc_rng *rng, double from, double step, uint32_t cells)
{
    if (cells == 0) return from + sc_rng_unit(rng) * step;
    return from + sc_rng_below(rng, cells) * (step / (cells - 1));
}

static uint32_t add_node(sketch *s, sc_rng *rng, const ground *g)
{
    double x = draw_along(rng, g->x, g->step, g->cells);
    double y = draw_along(rng, g->y, g->step, g->cells);
    if (s->coords == SC_COORDS_GEOGRAPHIC) {
        x = fmin(fmax(x, -180.0), 180.0);
        y = fmin(fmax(y, -90.0), 90.0);
    }
    return sketch_add_node(s, x, y);
}

static uint32_t any_node(sketch *s, sc_rng *rng, const ground *g)
{
    if (s->node_count == 0 || sc_rng_below(rng, 3) == 0) return add_node(s, rng, g);
    return sc_rng_below(rng, s->node_count);
}

static void add_edge(sketch *s, sc_rng *rng, uint32_t from, uint32_t to)
{
    // Mostly all different, so that a mistaken identity shows; sometimes none.
    const double length = sc_rng_below(rng, 8) == 0 ? 0.0 : (1 + sc_rng_below(rng, 900000)) / 1e3;
    const bool turned = sc_rng_below(rng, 2);
    sketch_add_edge(s, turned ? to : from, turned ? from : to, length);
    s->edges[s->edge_count - 1].road_class = (sc_road_class)sc_rng_below(rng, SC_ROAD_CLASS_COUNT);
}

// A road of several pieces between two nodes, which may be the same one.
static void add_chain(sketch *s, sc_rng *rng, const ground *g, uint32_t from, uint32_t to)
{
    uint32_t at = from;
    for (uint32_t inner = sc_rng_below(rng, 5); inner > 0; inner--) {
        const uint32_t next = add_node(s, rng, g);
        add_edge(s, rng, at, next);
        at = next;
    }
    add_edge(s, rng, at, to);
}

static void add_something(sketch *s, sc_rng *rng, const ground *g)
{
    switch (sc_rng_below(rng, 8)) {
    case 0: {  // a ring or a loop, elsewhere or here
        const uint32_t node = any_node(s, rng, g);
        add_chain(s, rng, g, node, node);
        break;
    }
    case 1:  // the same road once more
        if (s->edge_count > 0) {
            const sketch_edge again = s->edges[sc_rng_below(rng, s->edge_count)];
            sketch_add_edge(s, again.from, again.to, again.length);
            s->edges[s->edge_count - 1] = again;
        }
        break;
    case 2:  // a node without a road
        add_node(s, rng, g);
        break;
    case 3: {  // a road apart from all others
        const uint32_t from = add_node(s, rng, g);
        add_chain(s, rng, g, from, add_node(s, rng, g));
        break;
    }
    default: {
        const uint32_t from = any_node(s, rng, g);
        add_chain(s, rng, g, from, any_node(s, rng, g));
        break;
    }
    }
}

// Renumber nodes and roads, so that no reader of them can lean on their order.
static void shuffle(sketch *s, sc_rng *rng)
{
    uint32_t *number = test_take(s->node_count, sizeof *number);
    for (uint32_t v = 0; v < s->node_count; v++) {
        number[v] = v;
    }
    for (uint32_t v = s->node_count; v > 1; v--) {
        const uint32_t other = sc_rng_below(rng, v);
        const uint32_t swapped = number[v - 1];
        number[v - 1] = number[other];
        number[other] = swapped;
    }
    double *x = test_take(s->node_count, sizeof *x);
    double *y = test_take(s->node_count, sizeof *y);
    for (uint32_t v = 0; v < s->node_count; v++) {
        x[number[v]] = s->x[v];
        y[number[v]] = s->y[v];
    }
    memcpy(s->x, x, s->node_count * sizeof *x);
    memcpy(s->y, y, s->node_count * sizeof *y);
    for (uint32_t e = 0; e < s->edge_count; e++) {
        s->edges[e].from = number[s->edges[e].from];
        s->edges[e].to = number[s->edges[e].to];
    }
    for (uint32_t e = s->edge_count; e > 1; e--) {
        const uint32_t other = sc_rng_below(rng, e);
        const sketch_edge swapped = s->edges[e - 1];
        s->edges[e - 1] = s->edges[other];
        s->edges[other] = swapped;
    }
    free(x);
    free(y);
    free(number);
}

sketch sketch_odd(uint64_t seed)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    sketch s = sketch_new((sc_coords)sc_rng_below(&rng, 3));
    s.unit_unknown = s.coords != SC_COORDS_GEOGRAPHIC && sc_rng_below(&rng, 3) == 0;
    const ground g = choose_ground(&rng, s.coords);
    const uint32_t pieces = 1 + sc_rng_below(&rng, 14);
    while (s.edge_count == 0 || sc_rng_below(&rng, pieces) > 0) {
        add_something(&s, &rng, &g);
    }
    shuffle(&s, &rng);
    return s;
}
