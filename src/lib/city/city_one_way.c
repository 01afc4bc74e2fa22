// Which roads of a city are one-way.
//
// A road is what a driver takes for one: the pieces of a street from one side of its cell to the
// other, an arterial from end to end, a roundabout. Where only two streets meet, they belong to one
// road, so that a segment is one-way as a whole. Roads are drawn in random order, each with one
// direction for all of its pieces, until they have the share of all length that was asked for.
//
// 1. Every place can be reached from every other by driving. Two walks over the city see to it, one
//    along the streets from a first place and one against them: where a walk comes to an end before
//    it has seen everything, a one-way road that leads on against it is opened again, whole. What
//    can be reached from the first place, and can reach it, can reach everything.
// 2. Opening a road breaks no promise, so the second walk leaves to the first what it has. Other
//    roads take the place of those that were opened, and the walks are done again.
// 3. The share is never exceeded: a road that is too long for the rest is passed over.
#include "base/alloc.h"
#include "base/sort.h"
#include "city/city_internal.h"

#include <math.h>
#include <string.h>

enum { SALT_ROAD = 600, SALT_TURN };

/** After so many times what is missing to the share is not worth another walk. */
enum { ROUNDS = 12 };

/** The order in which roads are drawn: roundabouts, streets, arterials. */
#define RANK_ARTERIAL 0x80000000u

// --- Collecting ------------------------------------------------------------

static sc_err add_road(sc_city_ways *ways, uint32_t rank, bool is_backward, uint32_t *out)
{
    if (!sc_grow(&ways->roads, ways->road_count, &ways->road_capacity, sizeof *ways->roads)) {
        return SC_ENOMEM;
    }
    *out = (uint32_t)ways->road_count;
    ways->roads[ways->road_count++] = (sc_city_road){.rank = rank, .is_backward = is_backward};
    return SC_OK;
}

sc_err sc__city_ways_init(const sc_city *city, sc_city_ways *out)
{
    sc_city_ways ways = {.cell = SC_NONE};
    for (uint32_t i = 0; i < city->rows + city->columns; i++) {
        const uint64_t draw = sc__city_hash(city->seed, i, 0, SALT_ROAD);
        uint32_t road = 0;
        const sc_err err = add_road(&ways, RANK_ARTERIAL | (uint32_t)(draw >> 33), draw & 1, &road);
        if (err) {
            sc__city_ways_fini(&ways);
            return err;
        }
    }
    *out = ways;
    return SC_OK;
}

void sc__city_ways_fini(sc_city_ways *ways)
{
    sc_free(ways->streets);
    sc_free(ways->roads);
    *ways = (sc_city_ways){.cell = SC_NONE};
}

/** The road of a street inside a cell, which is made with its first street. */
static sc_err road_in_cell(sc_city_ways *ways, const sc_city *city, const sc_city_plan *plan,
                           uint8_t line, uint32_t *out)
{
    if (ways->in_cell[line] != SC_NONE) {
        *out = ways->in_cell[line];
        return SC_OK;
    }
    const uint64_t draw = sc__city_hash(city->seed, ways->cell, line, SALT_ROAD);
    const uint64_t turn = sc__city_hash(city->seed, plan->column, plan->row, SALT_TURN);
    // Side by side, streets of a quarter lead there and back in turn. A roundabout is driven
    // anticlockwise, as its pieces are drawn.
    const bool is_round = line == SC_CITY_LINE_ROUND;
    const sc_err err = add_road(ways, is_round ? 0 : (uint32_t)(draw >> 33),
                                !is_round && ((line + turn) & 1), out);
    if (!err) ways->in_cell[line] = *out;
    return err;
}

static sc_err road_of(sc_city_ways *ways, const sc_city *city, const sc_city_plan *plan,
                      uint8_t line, uint32_t *out)
{
    switch (line) {
    case SC_CITY_LINE_NONE:
        *out = SC_NONE;
        return SC_OK;
    case SC_CITY_LINE_SOUTH_SIDE:
        *out = plan->row;
        return SC_OK;
    case SC_CITY_LINE_WEST_SIDE:
        *out = city->rows + plan->column;
        return SC_OK;
    default:
        return road_in_cell(ways, city, plan, line, out);
    }
}

static double length_of(const sc_city *city, const sc_city_plan *plan, const sc_city_street *street,
                        uint32_t edge_count)
{
    double length_m = 0;
    sc_city_point from = sc__city_ground(city, plan, street->from);
    for (uint32_t k = 1; k <= edge_count; k++) {
        const sc_city_point at = k < edge_count
                                     ? sc__city_street_point(plan, street, (double)k / edge_count)
                                     : street->to;
        const sc_city_point to = sc__city_ground(city, plan, at);
        const double x = to.x - from.x;
        const double y = to.y - from.y;
        length_m += sqrt(x * x + y * y);
        from = to;
    }
    return length_m;
}

sc_err sc__city_ways_add(sc_city_ways *ways, const sc_city *city, const sc_city_plan *plan,
                         const sc_city_street *street, sc_city_built built)
{
    const uint32_t cell = plan->row * city->columns + plan->column;
    if (ways->cell != cell) {
        memset(ways->in_cell, 0xff, sizeof ways->in_cell);  // SC_NONE
        ways->cell = cell;
    }
    if (!sc_grow(&ways->streets, ways->street_count, &ways->street_capacity,
                 sizeof *ways->streets)) {
        return SC_ENOMEM;
    }
    const sc_err err = road_of(ways, city, plan, street->line, &built.road);
    if (err) return err;
    built.length_m = length_of(city, plan, street, built.edge_count);
    ways->length_m += built.length_m;
    ways->streets[ways->street_count++] = built;
    return SC_OK;
}

// --- Walking ---------------------------------------------------------------

/** The streets at each node, and a walk over them. */
typedef struct walk {
    sc_city_ways *ways;
    uint32_t *first;  ///< streets at node n: at[first[n]] to at[first[n + 1] - 1]
    uint32_t *at;
    bool *is_seen;      ///< per node
    sc_node_id *queue;  ///< those that were seen, in this order
    size_t queue_count;
    uint32_t *barred;  ///< streets that led to a node not seen yet, but against the walk
    size_t barred_count;
} walk;

static void walk_fini(walk *w)
{
    sc_free(w->first);
    sc_free(w->at);
    sc_free(w->is_seen);
    sc_free(w->queue);
    sc_free(w->barred);
}

static bool walk_init(walk *w, sc_city_ways *ways, uint32_t node_count)
{
    const size_t count = ways->street_count;
    *w = (walk){
        .ways = ways,
        .first = sc_calloc((size_t)node_count + 2, sizeof *w->first),
        .at = sc_malloc_array(2 * count, sizeof *w->at),
        .is_seen = sc_malloc_array(node_count, sizeof *w->is_seen),
        .queue = sc_malloc_array(node_count, sizeof *w->queue),
        .barred = sc_malloc_array(count, sizeof *w->barred),
    };
    if (!w->first || !w->at || !w->is_seen || !w->queue || !w->barred) {
        walk_fini(w);
        return false;
    }
    // Counted two places on, added up one place on; filling moves them to their own.
    for (size_t s = 0; s < count; s++) {
        w->first[ways->streets[s].a + 2]++;
        w->first[ways->streets[s].b + 2]++;
    }
    for (uint32_t n = 2; n < node_count + 2; n++) {
        w->first[n] += w->first[n - 1];
    }
    for (size_t s = 0; s < count; s++) {
        w->at[w->first[ways->streets[s].a + 1]++] = (uint32_t)s;
        w->at[w->first[ways->streets[s].b + 1]++] = (uint32_t)s;
    }
    return true;
}

static void see(walk *w, sc_node_id node)
{
    w->is_seen[node] = true;
    w->queue[w->queue_count++] = node;
}

static bool is_backward(const sc_city_ways *ways, const sc_city_built *street)
{
    return ways->roads[street->road].is_backward != street->is_turned;
}

/** Whether a street lets the walk pass from its first end, or from its second. */
static bool lets_pass(const sc_city_ways *ways, const sc_city_built *street, bool is_from_first)
{
    if (street->road == SC_NONE || !ways->roads[street->road].is_one_way) return true;
    return is_backward(ways, street) != is_from_first;
}

/** See all that can be reached from the queue's nodes, from its `head` on. @returns its end */
static size_t spread(walk *w, size_t head, bool is_against)
{
    for (; head < w->queue_count; head++) {
        const sc_node_id node = w->queue[head];
        for (uint32_t i = w->first[node]; i < w->first[node + 1]; i++) {
            const sc_city_built *street = &w->ways->streets[w->at[i]];
            const bool is_from_first = street->a == node;
            const sc_node_id other = is_from_first ? street->b : street->a;
            if (w->is_seen[other]) continue;
            if (lets_pass(w->ways, street, is_from_first != is_against)) {
                see(w, other);
            } else {
                w->barred[w->barred_count++] = w->at[i];
            }
        }
    }
    return head;
}

/** Open the roads without which the walk does not see everything. @returns how long they are */
static double open_what_bars(walk *w, uint32_t node_count, bool is_against)
{
    sc_city_ways *ways = w->ways;
    memset(w->is_seen, 0, node_count * sizeof *w->is_seen);
    w->queue_count = 0;
    w->barred_count = 0;
    size_t head = 0;
    size_t next_barred = 0;
    double opened_m = 0;
    // Were the city in several pieces, each would have a first place of its own.
    for (size_t s = 0; s < ways->street_count; s++) {
        if (!w->is_seen[ways->streets[s].a]) see(w, ways->streets[s].a);
        head = spread(w, head, is_against);
        while (next_barred < w->barred_count) {
            const sc_city_built *street = &ways->streets[w->barred[next_barred++]];
            if (w->is_seen[street->a] && w->is_seen[street->b]) continue;
            sc_city_road *road = &ways->roads[street->road];
            if (road->is_one_way) opened_m += road->length_m;
            road->is_one_way = false;
            see(w, w->is_seen[street->a] ? street->b : street->a);
            head = spread(w, head, is_against);
        }
    }
    return opened_m;
}

// --- Streets in a row ------------------------------------------------------

/** The other street at a node where two meet; SC_NONE where there are more or fewer. */
static uint32_t next_street(const walk *w, sc_node_id node, uint32_t street)
{
    const uint32_t first = w->first[node];
    if (w->first[node + 1] - first != 2) return SC_NONE;
    return w->at[first] == street ? w->at[first + 1] : w->at[first];
}

/** Append the streets in a row from one end of `street` on, turned as it is, to `barred`. */
static void follow(walk *w, uint32_t street, bool is_from_first, bool *is_met)
{
    sc_city_built *streets = w->ways->streets;
    sc_node_id node = is_from_first ? streets[street].a : streets[street].b;
    for (uint32_t s = next_street(w, node, street); s != SC_NONE && !is_met[s];
         s = next_street(w, node, s)) {
        is_met[s] = true;
        w->barred[w->barred_count++] = s;
        // Away from the first end of the street, a row leads towards it.
        const bool is_begun_at_b = streets[s].b == node;
        streets[s].is_turned = is_begun_at_b != is_from_first;
        node = is_begun_at_b ? streets[s].a : streets[s].b;
    }
}

/** Give the streets of each row one road, that of the first, or none if one of them has none. */
static bool join_rows(walk *w)
{
    sc_city_ways *ways = w->ways;
    bool *is_met = sc_calloc(ways->street_count, sizeof *is_met);
    if (!is_met) return false;
    for (uint32_t s = 0; s < ways->street_count; s++) {
        if (is_met[s]) continue;
        is_met[s] = true;
        w->barred_count = 0;
        w->barred[w->barred_count++] = s;
        follow(w, s, false, is_met);
        follow(w, s, true, is_met);
        uint32_t road = ways->streets[s].road;
        for (size_t i = 0; i < w->barred_count; i++) {
            if (ways->streets[w->barred[i]].road == SC_NONE) road = SC_NONE;
        }
        for (size_t i = 0; i < w->barred_count; i++) {
            sc_city_built *street = &ways->streets[w->barred[i]];
            street->road = road;
            if (road != SC_NONE) ways->roads[road].length_m += street->length_m;
        }
    }
    sc_free(is_met);
    return true;
}

// --- Choosing --------------------------------------------------------------

/** Draw roads while they fit into `room_m`. @returns how long they are */
static double draw_roads(sc_city_ways *ways, const uint32_t *order, double room_m)
{
    double drawn_m = 0;
    for (size_t i = 0; i < ways->road_count; i++) {
        sc_city_road *road = &ways->roads[order[i]];
        if (road->was_drawn || road->length_m > room_m - drawn_m) continue;
        road->was_drawn = true;
        road->is_one_way = true;
        drawn_m += road->length_m;
    }
    return drawn_m;
}

static sc_err order_roads(const sc_city_ways *ways, uint32_t *order)
{
    uint32_t *ranks = sc_malloc_array(ways->road_count, sizeof *ranks);
    if (!ranks) return SC_ENOMEM;
    for (size_t i = 0; i < ways->road_count; i++) {
        ranks[i] = ways->roads[i].rank;
    }
    const sc_err err = sc_sort_order(ranks, (uint32_t)ways->road_count, order);
    sc_free(ranks);
    return err;
}

sc_err sc__city_ways_choose(sc_city_ways *ways, double share, uint32_t node_count)
{
    walk w;
    if (!walk_init(&w, ways, node_count)) return SC_ENOMEM;
    uint32_t *order = sc_malloc_array(ways->road_count, sizeof *order);
    const sc_err err = order && join_rows(&w) ? order_roads(ways, order) : SC_ENOMEM;
    double room_m = share * ways->length_m;
    for (int round = 0; !err && round < ROUNDS; round++) {
        const double drawn_m = draw_roads(ways, order, room_m);
        if (drawn_m <= 0) break;
        room_m += open_what_bars(&w, node_count, false) + open_what_bars(&w, node_count, true);
        room_m -= drawn_m;
    }
    sc_free(order);
    walk_fini(&w);
    return err;
}

sc_err sc__city_ways_build(const sc_city_ways *ways, sc_builder *builder)
{
    for (size_t s = 0; s < ways->street_count; s++) {
        const sc_city_built *street = &ways->streets[s];
        if (street->road == SC_NONE || !ways->roads[street->road].is_one_way) continue;
        const bool closed = is_backward(ways, street);
        for (uint32_t k = 0; k < street->edge_count; k++) {
            const sc_err err = sc_builder_set_edge_times(builder, street->first_edge + k,
                                                         closed ? SC_CLOSED_S : SC_USUAL_S,
                                                         closed ? SC_USUAL_S : SC_CLOSED_S);
            if (err) return err;
        }
    }
    return SC_OK;
}
