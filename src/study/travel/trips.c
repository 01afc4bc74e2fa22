// Travellers who are on their way somewhere.
//
// What a traveller does follows from its numbers alone: the first of them say where it sets out, as
// what and how fast, those of its n-th trip where that leads. So nothing has to be remembered but
// how far it is, and where it is at a moment does not depend on when it was asked before. A way can
// be found again at any time, and is the same one; hence only the next KEPT_LEGS legs of it are
// kept, half a kilobyte, however long it is. (On a map of 300,000 nodes a way has 300 legs and
// takes three hours; to keep it whole would save a search in an hour and a half.)
//
// Invariants:
//  1. `entered` is a sum of whole microseconds, one number for each leg and each stop, and so the
//     same however often it is asked for (unless more than MAX_TRIPS_PASSED trips lie between).
//  2. A traveller is changed at the very end of a call, when nothing can fail any more.
//  3. Every trip is followed by a stop, so that where ways take no time (roads without length, a
//     destination that is the start) time goes by nevertheless.
#include "travel/trips.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "travel/travel_internal.h"

// === A stretch: a piece of one segment, driven in one direction =================================
// The edges of a segment are numbered along it, so that a stretch is a row of numbers, counted up
// or down. It enters its first edge at `from` and leaves its last at `to`; all others it passes
// from one end to the other.

/** What a stretch passes of one edge. */
typedef struct piece {
    uint32_t enters;  ///< units from the edge's `from`
    uint32_t leaves;
} piece;

static piece piece_of(const sc_map *map, const sc__stretch *stretch, sc_edge_id edge)
{
    const uint32_t length = sc_map_edges(map)[edge].length;
    piece passed = stretch->is_backwards ? (piece){length, 0} : (piece){0, length};
    if (edge == stretch->from.edge) passed.enters = stretch->from.offset;
    if (edge == stretch->to.edge) passed.leaves = stretch->to.offset;
    return passed;
}

static uint32_t units_of(piece passed)
{
    return passed.leaves > passed.enters ? passed.leaves - passed.enters
                                         : passed.enters - passed.leaves;
}

static sc_edge_id next_edge(const sc__stretch *stretch, sc_edge_id edge)
{
    return stretch->is_backwards ? edge - 1 : edge + 1;
}

sc__stretch sc__stretch_whole(const sc_map *map, sc_leg leg)
{
    const sc_segment *segment = &sc_map_segments(map)[leg.segment];
    const sc_edge_id last = segment[1].first_edge - 1;
    const sc_place begin = {segment->first_edge, 0};
    const sc_place end = {last, sc_map_edges(map)[last].length};
    if (leg.is_backwards) return (sc__stretch){end, begin, true};
    return (sc__stretch){begin, end, false};
}

sc__stretch sc__stretch_between(sc_place from, sc_place to)
{
    const bool is_backwards = from.edge == to.edge ? to.offset < from.offset : to.edge < from.edge;
    return (sc__stretch){from, to, is_backwards};
}

double sc__stretch_ms(const sc_map *map, const sc_routes *routes, const sc__stretch *stretch)
{
    double ms = 0;
    for (sc_edge_id edge = stretch->from.edge;; edge = next_edge(stretch, edge)) {
        ms += sc_routes_edge_ms(routes, edge, stretch->is_backwards,
                                units_of(piece_of(map, stretch, edge)));
        if (edge == stretch->to.edge) return ms;
    }
}

sc_place sc__stretch_at(const sc_map *map, const sc_routes *routes, const sc__stretch *stretch,
                        double ms)
{
    for (sc_edge_id edge = stretch->from.edge;; edge = next_edge(stretch, edge)) {
        const piece passed = piece_of(map, stretch, edge);
        const uint32_t units = units_of(passed);
        const double takes_ms = sc_routes_edge_ms(routes, edge, stretch->is_backwards, units);
        if (ms < takes_ms) {
            // Cut to whole units: no traveller is ahead of time.
            const uint32_t done = (uint32_t)(units * (ms / takes_ms));
            return (sc_place){edge,
                              stretch->is_backwards ? passed.enters - done : passed.enters + done};
        }
        if (edge == stretch->to.edge) return stretch->to;
        ms -= takes_ms;
    }
}

// === Travellers =================================================================================

enum {
    /** See above. */
    KEPT_LEGS = 128,
    /** Trips in one call; a traveller not asked about for ages rests at the end of the last one. */
    MAX_TRIPS_PASSED = 4096,
};

/** How long one stays at a destination. */
#define STOP_US 1000000

/** A traveller, all zero before the first question about it. */
typedef struct traveller {
    sc_place from;  ///< of the way it is on
    sc_place to;
    sc_time entered;      ///< when it came to the leg it is on, or to its destination
    uint32_t trip;        ///< which one it is on, from 1; 0: it has never been asked about
    uint32_t leg;         ///< which of its way it is on; `leg_count` while it stops
    uint32_t leg_count;   ///< of the whole way
    uint32_t first_kept;  ///< which leg stands first in memory
    float pace;
    sc_vehicle vehicle;
} traveller;
_Static_assert(sizeof(traveller) == 48, "a million travellers are to fit");

/** Edges to set out from and to go to: those one can come to and leave again, by part. */
typedef struct edge_table {
    uint32_t *first;    ///< by part, one more
    sc_edge_id *edges;  ///< of part p: [first[p], first[p + 1])
    uint32_t count;     ///< of all of them
} edge_table;

typedef struct trips {
    sc_movement base;
    const sc_route_table *routes;  ///< borrowed
    double truck_share;
    uint64_t seed;
    edge_table table;
    traveller *travellers;
    sc_packed_leg *kept;  ///< KEPT_LEGS each
    sc_route_search *search[SC_VEHICLE_COUNT];
    sc_route found;  ///< room for a way
} trips;

// --- Where to ---------------------------------------------------------------

static uint32_t part_of(const trips *all, sc_edge_id edge)
{
    const sc_seg_id segment = sc_map_edges(all->base.map)[edge].segment;
    return sc_routes_part(all->routes->by_vehicle[SC_CAR], segment);
}

// While it is filled, first[p + 1] is where the next edge of p goes; when all are in, where they
// stop.
static sc_err fill_table(trips *all)
{
    const uint32_t edge_count = sc_map_edge_count(all->base.map);
    const uint32_t part_count = sc_routes_part_count(all->routes->by_vehicle[SC_CAR]);
    edge_table *table = &all->table;
    table->first = sc_calloc((size_t)part_count + 1, sizeof *table->first);
    table->edges = sc_malloc_array(edge_count, sizeof *table->edges);
    if (!table->first || !table->edges) return SC_ENOMEM;
    uint32_t *next = table->first + 1;
    for (sc_edge_id e = 0; e < edge_count; e++) {
        if (part_of(all, e) == SC_NONE) continue;
        next[part_of(all, e)]++;
        table->count++;
    }
    sc__counts_to_starts(next, part_count);
    for (sc_edge_id e = 0; e < edge_count; e++) {
        if (part_of(all, e) != SC_NONE) table->edges[next[part_of(all, e)]++] = e;
    }
    return SC_OK;
}

/** The generator of a traveller's trip; of number 0: of what it is like. */
static sc_rng numbers_of(const trips *all, uint32_t who, uint32_t trip)
{
    const uint64_t own = sc_traveller_seed(all->seed, who, SC_FOR_TRIPS);
    sc_rng rng;
    sc_rng_seed(&rng, sc_traveller_seed(own, trip, SC_FOR_TRIPS));
    return rng;
}

// At one of the two ends of an edge; in the middle of a one-way street, so that a traveller comes
// to it and leaves it along the street.
static sc_place either_end(const trips *all, sc_edge_id edge, sc_rng *rng)
{
    const bool is_to = sc_rng_below(rng, 2) == 1;
    const uint32_t length = sc_map_edges(all->base.map)[edge].length;
    const sc_travel_times times = sc_map_edge_times(all->base.map)[edge];
    const bool is_one_way = times.forward == SC_CLOSED || times.backward == SC_CLOSED;
    if (is_one_way) return (sc_place){edge, length / 2};
    return (sc_place){edge, is_to ? length : 0};
}

// Any road that one can come to and leave again; if the map has none, any at all.
static sc_place draw_start(const trips *all, sc_rng *rng)
{
    const uint32_t edge_count = sc_map_edge_count(all->base.map);
    sc_edge_id edge = sc_rng_below(rng, edge_count);
    while (all->table.count > 0 && part_of(all, edge) == SC_NONE) {
        edge = all->table.edges[sc_rng_below(rng, all->table.count)];
    }
    return either_end(all, edge, rng);
}

static sc_place draw_destination(const trips *all, sc_place from, sc_rng *rng)
{
    const uint32_t part = part_of(all, from.edge);
    if (part == SC_NONE) return from;
    const uint32_t first = all->table.first[part];
    const uint32_t count = all->table.first[part + 1] - first;
    return either_end(all, all->table.edges[first + sc_rng_below(rng, count)], rng);
}

// --- Along a way ------------------------------------------------------------

/** A traveller that is being moved. */
typedef struct moving {
    trips *all;
    traveller now;
    const sc_packed_leg *kept;  ///< what it had kept of its way
    bool is_found;              ///< the whole way is in all->found
} moving;

static sc_err find_way(moving *m)
{
    m->is_found = true;
    return sc_route_find(m->all->search[m->now.vehicle], m->now.from, m->now.to, &m->all->found);
}

/** The leg it is on; it must be at hand. */
static sc_leg leg_now(const moving *m)
{
    if (m->is_found) return m->all->found.legs[m->now.leg];
    return sc_leg_unpack(m->kept[m->now.leg - m->now.first_kept]);
}

/** See that the leg it is on is at hand. */
static sc_err reach_leg(moving *m)
{
    const bool is_at_hand =
        m->is_found || m->now.leg == m->now.leg_count || m->now.leg - m->now.first_kept < KEPT_LEGS;
    return is_at_hand ? SC_OK : find_way(m);
}

/** Put the next legs back into its memory. */
static void keep_legs(moving *m, sc_packed_leg *kept)
{
    m->now.first_kept = m->now.leg;
    for (uint32_t i = 0; i < KEPT_LEGS && m->now.leg + i < m->now.leg_count; i++) {
        kept[i] = sc_leg_pack(m->all->found.legs[m->now.leg + i]);
    }
}

/** What it passes of the segment it is on. */
static sc__stretch stretch_now(const moving *m)
{
    const traveller *now = &m->now;
    // A single leg leads straight from one place to the other.
    if (now->leg_count == 1) return sc__stretch_between(now->from, now->to);
    sc__stretch stretch = sc__stretch_whole(m->all->base.map, leg_now(m));
    if (now->leg == 0) stretch.from = now->from;
    if (now->leg == now->leg_count - 1) stretch.to = now->to;
    return stretch;
}

static const sc_routes *routes_of(const moving *m)
{
    return m->all->routes->by_vehicle[m->now.vehicle];
}

/** How long the leg it is on takes, or the stop. */
static sc_time takes_us(const moving *m)
{
    const traveller *now = &m->now;
    if (now->leg == now->leg_count) return STOP_US;
    double ms;
    if (now->leg > 0 && now->leg < now->leg_count - 1) {
        ms = sc_routes_segment_ms(routes_of(m), leg_now(m));
    } else {
        const sc__stretch stretch = stretch_now(m);
        ms = sc__stretch_ms(m->all->base.map, routes_of(m), &stretch);
    }
    return sc_time_from_seconds(ms * 1e-3 / (double)now->pace);
}

static sc_place place_at(const moving *m, sc_time t)
{
    if (m->now.leg == m->now.leg_count) return m->now.to;
    const sc_map *map = m->all->base.map;
    const sc__stretch stretch = stretch_now(m);
    // Segments take whole milliseconds, their edges do not: so it is the share of the time that
    // counts. The time is not 0, or the leg would be over.
    const double share = (double)(t - m->now.entered) / (double)takes_us(m);
    const double ms = sc__stretch_ms(map, routes_of(m), &stretch);
    return sc__stretch_at(map, routes_of(m), &stretch, share * ms);
}

// --- From trip to trip ------------------------------------------------------

/** The next trip, from where the last one ended. */
static sc_err set_out(moving *m, uint32_t who)
{
    traveller *now = &m->now;
    now->trip++;
    sc_rng rng = numbers_of(m->all, who, now->trip);
    now->from = now->to;
    now->to = draw_destination(m->all, now->from, &rng);
    const sc_err err = find_way(m);
    if (err) return err;
    now->leg = 0;
    now->leg_count = (uint32_t)m->all->found.leg_count;
    // There is a way between roads of one part; without one, the traveller stays.
    if (now->leg_count == 0) now->to = now->from;
    return SC_OK;
}

/** A new traveller, at a random moment of its first trip. */
static sc_err begin(moving *m, uint32_t who)
{
    const trips *all = m->all;
    traveller *now = &m->now;
    sc_rng rng = numbers_of(all, who, 0);
    now->to = draw_start(all, &rng);
    now->vehicle = sc_rng_unit(&rng) < all->truck_share ? SC_TRUCK : SC_CAR;
    now->pace = (float)sc__pace_draw(&rng);
    const sc_err err = set_out(m, who);
    if (err) return err;
    sc_time all_us = 0;
    for (; now->leg < now->leg_count; now->leg++) {
        all_us += takes_us(m);
    }
    now->leg = 0;
    now->entered = -(sc_time)(sc_rng_unit(&rng) * (double)all_us);
    return SC_OK;
}

/** Move on until the leg or the stop of the moment `t`. */
static sc_err advance(moving *m, uint32_t who, sc_time t)
{
    traveller *now = &m->now;
    for (uint32_t trips_passed = 0;;) {
        sc_err err = reach_leg(m);
        if (err) return err;
        const sc_time leaves = now->entered + takes_us(m);
        if (leaves > t) return SC_OK;
        now->entered = leaves;
        if (now->leg < now->leg_count) {
            now->leg++;
            continue;
        }
        if (trips_passed++ == MAX_TRIPS_PASSED) {
            now->entered = t;
            return SC_OK;
        }
        err = set_out(m, who);
        if (err) return err;
    }
}

static sc_err trips_at(sc_movement *movement, uint32_t who, sc_time t, sc_place *out, sc_time *back)
{
    trips *all = (trips *)movement;
    sc_packed_leg *kept = all->kept + (size_t)who * KEPT_LEGS;
    moving m = {.all = all, .now = all->travellers[who], .kept = kept};
    sc_err err = m.now.trip == 0 ? begin(&m, who) : SC_OK;
    if (!err) err = advance(&m, who, t);
    if (err) return err;
    *out = place_at(&m, t);
    *back = t;
    if (m.is_found) keep_legs(&m, kept);
    all->travellers[who] = m.now;
    return SC_OK;
}

// --- Making and freeing -----------------------------------------------------

static void trips_free(sc_movement *movement)
{
    trips *all = (trips *)movement;
    for (int vehicle = 0; vehicle < SC_VEHICLE_COUNT; vehicle++) {
        sc_route_search_free(all->search[vehicle]);
    }
    sc_route_fini(&all->found);
    sc_free(all->table.first);
    sc_free(all->table.edges);
    sc_free(all->travellers);
    sc_free(all->kept);
    sc_free(all);
}

static const sc_movement_kind trips_kind = {
    .at = trips_at, .name = sc__movement_number_name, .free = trips_free};

sc_trips_options sc_trips_options_default(void)
{
    return (sc_trips_options){.count = 10000, .truck_share = 0.2, .seed = 1};
}

static sc_err make_tables(trips *all, uint32_t count)
{
    all->travellers = sc_calloc(count, sizeof *all->travellers);
    all->kept = sc_malloc_array((size_t)count * KEPT_LEGS, sizeof *all->kept);
    if (!all->travellers || !all->kept) return SC_ENOMEM;
    for (int vehicle = 0; vehicle < SC_VEHICLE_COUNT; vehicle++) {
        const sc_err err =
            sc_route_search_new(all->routes->by_vehicle[vehicle], &all->search[vehicle]);
        if (err) return err;
    }
    return fill_table(all);
}

sc_err sc_trips_new(const sc_map *map, const sc_route_table *routes,
                    const sc_trips_options *options, sc_movement **out, sc_diag *diag)
{
    sc_err err = sc__movement_check(map, options->count, diag);
    if (err) return err;
    if (!(options->truck_share >= 0.0 && options->truck_share <= 1.0)) {  // nor what is no number
        return sc_fail(diag, SC_EINVAL, "the share of trucks must be 0 to 1, not %g",
                       options->truck_share);
    }
    trips *all = sc_calloc(1, sizeof *all);
    if (!all) return sc_fail_memory(diag, "making travellers");
    all->base = (sc_movement){.kind = &trips_kind, .map = map, .count = options->count};
    all->routes = routes;
    all->truck_share = options->truck_share;
    all->seed = options->seed;
    err = make_tables(all, options->count);
    if (err) {
        trips_free(&all->base);
        return sc_fail_memory(diag, "making travellers");
    }
    *out = &all->base;
    return SC_OK;
}
