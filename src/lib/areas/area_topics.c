// Which tiles a relay needs, round by round. See area_topics.h.
//
// Invariant: what a round needs is a function of the roads, the requests and of the objects inside
// of the tiles that the rounds before needed, even if `reply` was made from more objects. For an
// object outside costs at least what sc__least_cost_outside() says. So a list whose last object
// costs less than that has objects from inside alone, with or without the others; and if its last
// costs as much or more, it does so without them as well, as objects only make a list cheaper.
// How much more it costs may depend on them, and is not looked at.
#include "areas/area_topics.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/** Tiles that cover one box, at most: two by two at some level, always. */
enum { TILES_PER_BOX = 4 };

/** The first box reaches this share of a tile beyond the roads, and each other one so many times
 * as far as the one before. By docs/benchmarks.md. */
#define FIRST_REACH 0.25
#define REACH_GROWTH 2.0

void sc__area_topics_fini(sc__area_topics *topics)
{
    sc_free(topics->items);
    sc_free(topics->lines);
    sc_free(topics->costs);
    *topics = (sc__area_topics){.items = NULL};
}

// --- Boxes --------------------------------------------------------------------------------------

static sc__area_box box_at(const sc__area_topics *topics, const sc__area_topic *t, uint32_t step)
{
    const double reach_m = FIRST_REACH * pow(REACH_GROWTH, step) * topics->grid->tile_m;
    return sc__box_join(t->first, sc__box_widen(topics->grid, topics->roads, reach_m));
}

static bool is_same_span(const sc__tile_span *a, const sc__tile_span *b)
{
    return a->level == b->level && a->x0 == b->x0 && a->x1 == b->x1 && a->y0 == b->y0 &&
           a->y1 == b->y1;
}

// The first box that needs other tiles, and these. Only called where something is outside.
static void go_on(const sc__area_topics *topics, sc__area_topic *t)
{
    const sc__tile_span before = t->span;
    while (is_same_span(&t->span, &before)) {
        t->span = sc__tile_cover(topics->grid, box_at(topics, t, ++t->step), TILES_PER_BOX);
    }
}

// Lines to the outside are the same for all requests, and dear.
static void measure(sc__area_topics *topics, const sc_relay *relay, sc__area_topic *t)
{
    if (relay->border_node_count == 0) return;
    const sc__area_box box = sc__tile_span_box(topics->grid, t->span);
    double *lines = topics->lines + (size_t)(t - topics->items) * relay->border_node_count;
    for (size_t b = 0; b < relay->border_node_count; b++) {
        lines[b] = sc__line_outside_m(topics->grid, box, relay->border_nodes[b]);
    }
    memset(t->has_costs, 0, sizeof t->has_costs);
}

// So are their costs, for all requests of a metric.
static const double *costs_of(const sc__area_topics *topics, const sc_relay *relay,
                              sc__area_topic *t, sc_metric metric)
{
    const size_t count = relay->border_node_count;
    const size_t topic = (size_t)(t - topics->items);
    double *costs = topics->costs + (topic * SC_METRIC_COUNT + metric) * count;
    for (size_t b = 0; b < count && !t->has_costs[metric]; b++) {
        costs[b] = sc__least_cost_outside(topics->grid, topics->lines[topic * count + b], metric);
    }
    t->has_costs[metric] = true;
    return costs;
}

// --- Requests -----------------------------------------------------------------------------------

static sc__area_topic *find_topic(const sc__area_topics *topics, sc_category_id category)
{
    for (size_t i = 0; i < topics->count; i++) {
        if (topics->items[i].category == category) return &topics->items[i];
    }
    return NULL;
}

static bool add_topic(sc__area_topics *topics, sc_category_id category, sc__area_box box)
{
    sc__area_topic *known = find_topic(topics, category);
    if (known) {
        known->first = sc__box_join(known->first, box);
        return true;
    }
    if (!sc_grow(&topics->items, topics->count, &topics->capacity, sizeof *topics->items)) {
        return false;
    }
    topics->items[topics->count++] = (sc__area_topic){.category = category, .first = box};
    return true;
}

// What a request asks for: one topic or several. Where questions cannot name categories, or all
// are asked for anyhow, it is the one of all.
static size_t topics_of(const sc__area_topics *topics, const sc_request *request,
                        sc_category_id out[SC_REQUEST_CATEGORIES])
{
    if (request->category_count == 0 || !topics->are_named) {
        out[0] = SC_NONE;
        return 1;
    }
    memcpy(out, request->categories, request->category_count * sizeof *out);
    return request->category_count;
}

static double radius_of(const sc_request *request)
{
    return request->metric == SC_METRIC_TIME ? request->radius_s : request->radius_m;
}

bool sc__area_topics_begin(sc__area_topics *topics, const sc_relay *relay)
{
    const sc__tile_grid *grid = topics->grid;
    topics->roads = sc__relay_box(grid, relay);
    topics->count = 0;
    const sc__area_box nearest = sc__box_widen(grid, topics->roads, FIRST_REACH * grid->tile_m);
    for (size_t r = 0; r < relay->request_count; r++) {
        const sc_request *request = &relay->requests[r];
        sc__area_box box = nearest;
        if (request->type == SC_REQUEST_RANGE) {
            const double reach_m = sc__line_of_cost(grid, request->metric, radius_of(request));
            box = sc__box_widen(grid, topics->roads, reach_m);
        }
        sc_category_id categories[SC_REQUEST_CATEGORIES];
        const size_t count = topics_of(topics, request, categories);
        for (size_t i = 0; i < count; i++) {
            if (!add_topic(topics, categories[i], box)) return false;
        }
    }
    const size_t lines = topics->count * relay->border_node_count;
    if (!sc_reserve(&topics->lines, lines, &topics->line_capacity, sizeof *topics->lines) ||
        !sc_reserve(&topics->costs, lines * SC_METRIC_COUNT, &topics->cost_capacity,
                    sizeof *topics->costs)) {
        return false;
    }
    for (size_t i = 0; i < topics->count; i++) {
        topics->items[i].span = sc__tile_cover(grid, topics->items[i].first, TILES_PER_BOX);
        measure(topics, relay, &topics->items[i]);
    }
    return true;
}

// --- What is lacking ----------------------------------------------------------------------------

// What a list must reach to: all that is outside costs more; HUGE_VAL: there is no limit.
static inline double needed_cost(const sc_request *request, const sc_reply *reply, size_t list)
{
    const uint32_t first = reply->near_start[list];
    const uint32_t end = reply->near_start[list + 1];
    if (request->type == SC_REQUEST_RANGE) return radius_of(request);
    if (end - first < request->k) return HUGE_VAL;
    return sc_near_cost(&reply->nears[end - 1], request->metric);
}

// Of a list that may lack something those topics are noted that reach least far from its node.
// Which these are follows from tiles and nodes alone; the others may be right as they are.
static void look_at_list(sc__area_topic *const *its, const double *const *costs, size_t count,
                         size_t b, double cost)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        if (costs[i][b] < least) least = costs[i][b];
    }
    if (cost < least || isinf(least)) return;
    for (size_t i = 0; i < count; i++) {
        if (costs[i][b] <= least) its[i]->is_lacking = true;
    }
}

static void look_at_request(const sc__area_topics *topics, const sc_relay *relay, size_t r,
                            const sc_reply *reply)
{
    const sc_request *request = &relay->requests[r];
    sc_category_id categories[SC_REQUEST_CATEGORIES];
    sc__area_topic *its[SC_REQUEST_CATEGORIES];
    const double *costs[SC_REQUEST_CATEGORIES];
    const size_t count = topics_of(topics, request, categories);
    if (relay->border_node_count == 0) return;
    for (size_t i = 0; i < count; i++) {
        its[i] = find_topic(topics, categories[i]);
        costs[i] = costs_of(topics, relay, its[i], request->metric);
    }
    for (size_t b = 0; b < relay->border_node_count; b++) {
        const double cost = needed_cost(request, reply, r * relay->border_node_count + b);
        look_at_list(its, costs, count, b, cost);
    }
}

bool sc__area_topics_widen(sc__area_topics *topics, const sc_relay *relay, const sc_reply *reply)
{
    bool is_wider = false;
    for (size_t i = 0; i < topics->count; i++) {
        topics->items[i].is_lacking = false;
    }
    for (size_t r = 0; r < relay->request_count; r++) {
        look_at_request(topics, relay, r, reply);
    }
    for (size_t i = 0; i < topics->count; i++) {
        sc__area_topic *t = &topics->items[i];
        if (!t->is_lacking) continue;
        is_wider = true;
        go_on(topics, t);
        measure(topics, relay, t);
    }
    return is_wider;
}
