// Fastest routes: the times they are made of, the search, and the routes of both classes of
// vehicle. contraction.c builds the hierarchy that is searched.
//
// Each side of a search goes only to stars of higher rank, so it reaches a few hundred. Of any
// fastest way some spelling by shortcuts climbs to its highest star and descends from there: both
// sides have that star's least time.
#include "travel/routes.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/thread.h"
#include "travel/routes_internal.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

// --- Times --------------------------------------------------------------------

static uint32_t time_of(const sc_routes *routes, sc_edge_id edge, bool is_backwards)
{
    const sc_travel_times times = sc_map_edge_times(routes->map)[edge];
    const uint32_t time = is_backwards ? times.backward : times.forward;
    if (time != SC_CLOSED || !routes->ignores_directions) return time;
    return is_backwards ? times.forward : times.backward;
}

double sc_routes_edge_ms(const sc_routes *routes, sc_edge_id edge, bool is_backwards,
                         uint32_t units)
{
    const uint32_t time = time_of(routes, edge, is_backwards);
    if (units == 0 || time == SC_CLOSED) return 0.0;
    const unsigned road_class = sc_map_edge_classes(routes->map)[edge];
    const double ms =
        time * routes->ms_per_time[road_class < SC_ROAD_CLASS_COUNT ? road_class : SC_ROAD_UNKNOWN];
    const uint32_t length = sc_map_edges(routes->map)[edge].length;
    return units == length ? ms : ms * ((double)units / length);
}

uint32_t sc_routes_segment_ms(const sc_routes *routes, sc_leg leg)
{
    const sc_travel_times *ms = &routes->segment_ms[leg.segment];
    return leg.is_backwards ? ms->backward : ms->forward;
}

// From the first node of a segment along the edges before `place`, and the part of the one it is
// on; not rounded. Terms are added in the same order always, so that farther is never sooner.
static double exact_ms(const sc_routes *routes, sc_place place, bool is_backwards)
{
    const sc_edge *edges = sc_map_edges(routes->map);
    double ms = 0;
    for (sc_edge_id e = sc_map_segments(routes->map)[edges[place.edge].segment].first_edge;
         e < place.edge; e++) {
        ms += sc_routes_edge_ms(routes, e, is_backwards, edges[e].length);
    }
    return ms + sc_routes_edge_ms(routes, place.edge, is_backwards, place.offset);
}

uint32_t sc__place_ms(const sc_routes *routes, sc_place place, bool is_backwards)
{
    return (uint32_t)round(exact_ms(routes, place, is_backwards));
}

static sc_place first_place(const sc_map *map, sc_seg_id segment)
{
    return (sc_place){sc_map_segments(map)[segment].first_edge, 0};
}

static sc_place last_place(const sc_map *map, sc_seg_id segment)
{
    const sc_edge_id last = sc_map_segments(map)[segment + 1].first_edge - 1;
    return (sc_place){last, sc_map_edges(map)[last].length};
}

// Whether one can drive from one place of a segment to another behind it, or backwards from that
// to the first.
static bool is_open_between(const sc_routes *routes, sc_place first, sc_place behind,
                            bool is_backwards)
{
    const sc_edge *edges = sc_map_edges(routes->map);
    for (sc_edge_id e = first.edge; e <= behind.edge; e++) {
        const uint32_t enters = e == first.edge ? first.offset : 0;
        const uint32_t leaves = e == behind.edge ? behind.offset : edges[e].length;
        if (leaves > enters && time_of(routes, e, is_backwards) == SC_CLOSED) return false;
    }
    return true;
}

// How long a segment takes, parts that are closed taking no time; at least a millisecond, or
// SC__NEVER if it is too long.
static uint32_t whole_ms(const sc_routes *routes, sc_seg_id segment, bool is_backwards)
{
    const double ms = round(exact_ms(routes, last_place(routes->map, segment), is_backwards));
    if (ms > SC__MOST_MS) return SC__NEVER;
    return ms < 1 ? 1 : (uint32_t)ms;
}

// Trucks are slower than the map's times, which are those of cars, by as much as on other roads of
// the class.
static sc_err measure_segments(sc_routes *routes, sc_vehicle vehicle)
{
    const sc_map *map = routes->map;
    const double unit_ms = 1e3 * sc_map_time_unit_s(map);
    for (unsigned c = 0; c < SC_ROAD_CLASS_COUNT; c++) {
        routes->ms_per_time[c] = unit_ms * sc_speed_m_s(SC_CAR, c) / sc_speed_m_s(vehicle, c);
    }
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        uint32_t *const ms[2] = {&routes->segment_ms[s].forward, &routes->segment_ms[s].backward};
        for (int way = 0; way < 2; way++) {
            const sc_place first = first_place(map, s);
            *ms[way] = whole_ms(routes, s, way);
            if (*ms[way] == SC__NEVER) return SC_ELIMIT;
            if (!is_open_between(routes, first, last_place(map, s), way)) *ms[way] = SC__NEVER;
        }
    }
    return SC_OK;
}

// --- Parts --------------------------------------------------------------------

uint32_t sc_routes_part(const sc_routes *routes, sc_seg_id segment)
{
    const sc_segment *road = &sc_map_segments(routes->map)[segment];
    const sc_travel_times ms = routes->segment_ms[segment];
    const bool is_open = ms.forward != SC__NEVER || ms.backward != SC__NEVER;
    const bool is_two_way = ms.forward != SC__NEVER && ms.backward != SC__NEVER;
    const uint32_t part = routes->parts[road->star_a];
    if (road->star_b == SC_NONE) return is_two_way ? part : SC_NONE;
    return is_open && routes->parts[road->star_b] == part ? part : SC_NONE;
}

uint32_t sc_routes_part_count(const sc_routes *routes)
{
    return routes->part_count;
}

// --- Making and freeing ---------------------------------------------------------

static sc_err make(sc_routes *routes, sc_vehicle vehicle, const sc_progress *progress)
{
    const uint32_t segment_count = sc_map_segment_count(routes->map);
    const uint32_t star_count = sc_map_star_count(routes->map);
    if (segment_count >= SC__MOST_IDS || star_count >= SC__MOST_IDS) return SC_ELIMIT;
    routes->segment_ms = sc_malloc_array(segment_count, sizeof *routes->segment_ms);
    routes->parts = sc_malloc_array(star_count, sizeof *routes->parts);
    if (!routes->segment_ms || !routes->parts) return SC_ENOMEM;
    const sc_err err = measure_segments(routes, vehicle);
    return err ? err : sc__routes_contract(routes, progress);
}

static sc_err new_routes(const sc_map *map, sc_vehicle vehicle, bool ignores_directions,
                         const sc_progress *progress, sc_routes **out, sc_diag *diag)
{
    sc_routes *routes = sc_calloc(1, sizeof *routes);
    if (!routes) return sc_fail_memory(diag, "finding routes");
    routes->map = map;
    routes->ignores_directions = ignores_directions;
    const sc_err err = make(routes, vehicle, progress);
    if (err) {
        sc_routes_free(routes);
        if (err == SC_ENOMEM) return sc_fail_memory(diag, "finding routes");
        return sc_fail(
            diag, err,
            "the map is too large for finding routes: it has more than a thousand million "
            "segments, or a route takes more than 12 days; check the unit of its lengths");
    }
    *out = routes;
    return SC_OK;
}

sc_err sc_routes_new(const sc_map *map, sc_vehicle vehicle, const sc_progress *progress,
                     sc_routes **out, sc_diag *diag)
{
    return new_routes(map, vehicle, false, progress, out, diag);
}

sc_err sc_routes_new_both_ways(const sc_map *map, sc_vehicle vehicle, const sc_progress *progress,
                               sc_routes **out, sc_diag *diag)
{
    return new_routes(map, vehicle, true, progress, out, diag);
}

void sc_routes_free(sc_routes *routes)
{
    if (!routes) return;
    sc_free(routes->segment_ms);
    sc_free(routes->parts);
    sc_free(routes->rank_of);
    sc_free(routes->first_arc);
    sc_free(routes->arcs);
    sc_free(routes);
}

size_t sc_routes_bytes(const sc_routes *routes)
{
    const size_t star_count = sc_map_star_count(routes->map);
    const size_t numbers = 2 * (size_t)sc_map_segment_count(routes->map) + 3 * star_count + 1;
    return sizeof *routes + numbers * sizeof(uint32_t) +
           routes->first_arc[star_count] * sizeof *routes->arcs;
}

// === Searching ==================================================================================

/** What one side knows of a star. */
typedef struct label {
    uint32_t ms;    ///< from the side's place; SC__NEVER: not reached
    uint32_t from;  ///< the rank before; SC_NONE where the side began
} label;

typedef struct side {
    bool is_backwards;  ///< the ways that it finds lead to its place, not from there
    label *labels;      ///< by rank
    uint32_t *reached;
    size_t reached_count;
    size_t reached_capacity;
    sc__star_queue queue;
} side;

struct sc_route_search {
    const sc_routes *routes;  ///< borrowed
    side sides[2];            ///< from `from`, from `to`
    uint32_t *ahead;          ///< ranks the way still goes to, the next one last
    size_t ahead_count;
    size_t ahead_capacity;
};

/** A place as the searches see it: where they begin from it, or end at it. */
typedef struct spot {
    sc_seg_id segment;
    uint32_t a_ms;  ///< to the star at the segment's first node, or from there; SC__NEVER: no way
    uint32_t b_ms;  ///< the same at its last node
    uint32_t rank_a;
    uint32_t rank_b;  ///< SC_NONE at a dead end
} spot;

/** The best way so far. */
typedef struct finding {
    uint32_t ms;
    uint32_t meeting;  ///< the rank where both sides meet; SC_NONE: it stays on the segment
} finding;

// --- Working memory -----------------------------------------------------------

sc_err sc_route_search_new(const sc_routes *routes, sc_route_search **out)
{
    sc_route_search *search = sc_calloc(1, sizeof *search);
    if (!search) return SC_ENOMEM;
    const size_t star_count = sc_map_star_count(routes->map);
    search->routes = routes;
    search->sides[1].is_backwards = true;
    for (int i = 0; i < 2; i++) {
        search->sides[i].labels = sc_malloc_array(star_count, sizeof(label));
        if (!search->sides[i].labels) {
            sc_route_search_free(search);
            return SC_ENOMEM;
        }
        memset(search->sides[i].labels, 0xff, star_count * sizeof(label));
    }
    *out = search;
    return SC_OK;
}

void sc_route_search_free(sc_route_search *search)
{
    if (!search) return;
    for (int i = 0; i < 2; i++) {
        sc_free(search->sides[i].labels);
        sc_free(search->sides[i].reached);
        sc__star_queue_fini(&search->sides[i].queue);
    }
    sc_free(search->ahead);
    sc_free(search);
}

void sc_route_fini(sc_route *route)
{
    sc_free(route->legs);
    *route = (sc_route){0};
}

// --- Climbing -----------------------------------------------------------------

static bool reach(side *s, uint32_t rank, uint32_t ms, uint32_t from)
{
    if (s->labels[rank].ms == SC__NEVER) {
        if (!sc_grow(&s->reached, s->reached_count, &s->reached_capacity, sizeof *s->reached)) {
            return false;
        }
        s->reached[s->reached_count++] = rank;
    }
    s->labels[rank] = (label){ms, from};
    return sc__star_queue_put(&s->queue, ms, rank);
}

static void forget(side *s)
{
    for (size_t i = 0; i < s->reached_count; i++) {
        s->labels[s->reached[i]].ms = SC__NEVER;
    }
    s->reached_count = 0;
    s->queue.count = 0;
}

static bool begin(side *s, const spot *at)
{
    if (at->a_ms != SC__NEVER && !reach(s, at->rank_a, at->a_ms, SC_NONE)) return false;
    if (at->rank_b == SC_NONE || s->labels[at->rank_b].ms <= at->b_ms) return true;
    return reach(s, at->rank_b, at->b_ms, SC_NONE);
}

// Whether a detour over a higher star comes here sooner: then no fastest way climbs through here.
static bool is_stalled(const side *s, const sc__arc *arcs, const sc__arc *end, uint32_t ms)
{
    for (const sc__arc *arc = arcs; arc < end; arc++) {
        const sc__link *down = s->is_backwards ? &arc->there : &arc->back;
        if ((uint64_t)s->labels[arc->to].ms + down->ms < ms) return true;
    }
    return false;
}

// Take one star of one side.
static bool step(const sc_routes *routes, side *own, const side *other, finding *best)
{
    const sc__star_entry entry = sc__star_queue_take(&own->queue);
    const uint32_t rank = entry.star;
    if (entry.number > own->labels[rank].ms) return true;
    const uint64_t whole = (uint64_t)entry.number + other->labels[rank].ms;
    if (whole < best->ms) {
        best->ms = (uint32_t)whole;
        best->meeting = rank;
    }
    const sc__arc *arcs = routes->arcs + routes->first_arc[rank];
    const sc__arc *end = routes->arcs + routes->first_arc[rank + 1];
    if (is_stalled(own, arcs, end, entry.number)) return true;
    for (const sc__arc *arc = arcs; arc < end; arc++) {
        const sc__link *up = own->is_backwards ? &arc->back : &arc->there;
        const uint64_t ms = (uint64_t)entry.number + up->ms;
        if (ms >= own->labels[arc->to].ms || ms >= best->ms) continue;
        if (!reach(own, arc->to, (uint32_t)ms, rank)) return false;
    }
    return true;
}

// Both sides take stars until neither can improve on the best.
static bool climb(sc_route_search *search, finding *best)
{
    side *sides = search->sides;
    for (int entry = 0;; entry ^= 1) {
        bool is_open[2];
        for (int i = 0; i < 2; i++) {
            is_open[i] =
                sides[i].queue.count > 0 && sc__star_queue_least(&sides[i].queue) < best->ms;
        }
        if (!is_open[0] && !is_open[1]) return true;
        const int own = is_open[entry] ? entry : 1 - entry;
        if (!step(search->routes, &sides[own], &sides[1 - own], best)) return false;
    }
}

// --- Spelling out ---------------------------------------------------------------

static bool put_ahead(sc_route_search *search, uint32_t rank)
{
    if (!sc_grow(&search->ahead, search->ahead_count, &search->ahead_capacity,
                 sizeof *search->ahead)) {
        return false;
    }
    search->ahead[search->ahead_count++] = rank;
    return true;
}

// Put ahead the stars where the way leads from one arc into the next: the first one last.
static bool put_all_ahead(sc_route_search *search, uint32_t meeting)
{
    search->ahead_count = 0;
    for (uint32_t r = search->sides[1].labels[meeting].from; r != SC_NONE;
         r = search->sides[1].labels[r].from) {
        if (!put_ahead(search, r)) return false;
    }
    for (size_t i = 0, j = search->ahead_count; i + 1 < j; i++) {
        const uint32_t swapped = search->ahead[i];
        search->ahead[i] = search->ahead[--j];
        search->ahead[j] = swapped;
    }
    for (uint32_t r = meeting; r != SC_NONE; r = search->sides[0].labels[r].from) {
        if (!put_ahead(search, r)) return false;
    }
    return true;
}

static bool add_leg(sc_route *route, sc_seg_id segment, bool is_backwards)
{
    if (!sc_grow(&route->legs, route->leg_count, &route->leg_capacity, sizeof *route->legs)) {
        return false;
    }
    route->legs[route->leg_count++] = (sc_leg){segment, is_backwards};
    return true;
}

// The `via` of the way from one star to another; the lower one has the arc.
static uint32_t via_between(const sc_routes *routes, uint32_t from, uint32_t to)
{
    const uint32_t low = from < to ? from : to;
    const uint32_t high = from < to ? to : from;
    const sc__arc *arc = routes->arcs + routes->first_arc[low];
    while (arc->to != high) {
        arc++;
    }
    return from < to ? arc->there.via : arc->back.via;
}

// Whether a way between the spot and `rank`, one of its ends, is by the first node of its segment.
static bool is_by_a(const spot *at, uint32_t rank)
{
    if (at->rank_a != at->rank_b) return rank == at->rank_a;
    return at->a_ms <= at->b_ms;
}

// A way that leaves its segment, star by star: an arc is a leg, or there is a star to pass before.
static bool spell_out(sc_route_search *search, const spot *from, const spot *to, uint32_t meeting,
                      sc_route *route)
{
    const sc_routes *routes = search->routes;
    if (!put_all_ahead(search, meeting)) return false;
    uint32_t here = search->ahead[--search->ahead_count];
    if (!add_leg(route, from->segment, is_by_a(from, here))) return false;
    while (search->ahead_count > 0) {
        const uint32_t next = search->ahead[search->ahead_count - 1];
        const uint32_t via = via_between(routes, here, next);
        if (via & SC__SHORTCUT) {
            if (!put_ahead(search, via & ~SC__SHORTCUT)) return false;
            continue;
        }
        const bool is_backwards = (via & SC__BACKWARDS) != 0;
        if (!add_leg(route, via & ~SC__BACKWARDS, is_backwards)) return false;
        here = next;
        search->ahead_count--;
    }
    return add_leg(route, to->segment, !is_by_a(to, here));
}

// Who begins or ends at a star may be said to do so on one of its segments and to pass this very
// segment too, there and back: leave out the part without length.
static void drop_turns(sc_route *route)
{
    sc_leg *legs = route->legs;
    size_t count = route->leg_count;
    if (count > 1 && legs[0].segment == legs[1].segment &&
        legs[0].is_backwards != legs[1].is_backwards) {
        memmove(legs, legs + 1, --count * sizeof *legs);
    }
    if (count > 1 && legs[count - 1].segment == legs[count - 2].segment &&
        legs[count - 1].is_backwards != legs[count - 2].is_backwards) {
        count--;
    }
    route->leg_count = count;
}

// --- All together ---------------------------------------------------------------

// How long it takes between the first node of a segment and a place on it, or (`is_behind`) between
// the place and the last node, driven forwards or backwards.
static uint32_t part_ms(const sc_routes *routes, sc_seg_id segment, sc_place place, bool is_behind,
                        bool is_backwards)
{
    const sc_map *map = routes->map;
    const sc_place first = is_behind ? place : first_place(map, segment);
    const sc_place behind = is_behind ? last_place(map, segment) : place;
    const uint32_t all_ms = sc_routes_segment_ms(routes, (sc_leg){segment, is_backwards});
    if (all_ms == SC__NEVER && !is_open_between(routes, first, behind, is_backwards)) {
        return SC__NEVER;
    }
    const uint32_t ms = sc__place_ms(routes, place, is_backwards);
    if (!is_behind) return ms;
    return (all_ms == SC__NEVER ? whole_ms(routes, segment, is_backwards) : all_ms) - ms;
}

static spot spot_of(const sc_routes *routes, sc_place place, bool is_start)
{
    const sc_seg_id segment = sc_map_edges(routes->map)[place.edge].segment;
    const sc_segment *road = &sc_map_segments(routes->map)[segment];
    return (spot){
        .segment = segment,
        .a_ms = part_ms(routes, segment, place, false, is_start),
        .b_ms = part_ms(routes, segment, place, true, !is_start),
        .rank_a = routes->rank_of[road->star_a],
        .rank_b = road->star_b == SC_NONE ? SC_NONE : routes->rank_of[road->star_b],
    };
}

/** The straight way between two places of a segment. */
typedef struct straight_way {
    uint32_t ms;  ///< SC__NEVER: there is none
    bool is_backwards;
} straight_way;

static straight_way straight(const sc_routes *routes, sc_place from, sc_place to)
{
    const bool is_backwards = from.edge == to.edge ? to.offset < from.offset : to.edge < from.edge;
    const sc_place first = is_backwards ? to : from;
    const sc_place behind = is_backwards ? from : to;
    if (!is_open_between(routes, first, behind, is_backwards)) {
        return (straight_way){SC__NEVER, is_backwards};
    }
    const uint32_t first_ms = sc__place_ms(routes, first, is_backwards);
    return (straight_way){sc__place_ms(routes, behind, is_backwards) - first_ms, is_backwards};
}

static bool find(sc_route_search *search, sc_place from, sc_place to, sc_route *route)
{
    const spot start = spot_of(search->routes, from, true);
    const spot end = spot_of(search->routes, to, false);
    const bool is_same = start.segment == end.segment;
    const straight_way direct =
        is_same ? straight(search->routes, from, to) : (straight_way){SC__NEVER, false};
    finding best = {search->routes->longest_ms + 1, SC_NONE};
    if (direct.ms < best.ms) best.ms = direct.ms;
    if (!begin(&search->sides[0], &start) || !begin(&search->sides[1], &end)) return false;
    if (!climb(search, &best)) return false;
    if (best.meeting == SC_NONE) {
        return direct.ms == SC__NEVER || add_leg(route, start.segment, direct.is_backwards);
    }
    if (!spell_out(search, &start, &end, best.meeting, route)) return false;
    drop_turns(route);
    return true;
}

sc_err sc_route_find(sc_route_search *search, sc_place from, sc_place to, sc_route *route)
{
    route->leg_count = 0;
    const bool is_found = find(search, from, to, route);
    forget(&search->sides[0]);
    forget(&search->sides[1]);
    search->ahead_count = 0;
    if (is_found) return SC_OK;
    route->leg_count = 0;
    return SC_ENOMEM;
}

// === Routes for both classes of vehicle =========================================================

/** The ways of one class, and what came of making them. */
typedef struct making {
    const sc_map *map;
    sc_vehicle vehicle;
    const sc_progress *progress;
    sc_routes *routes;
    sc_err err;
    sc_diag diag;
} making;

static void *make_routes(void *argument)
{
    making *m = argument;
    m->err = sc_routes_new(m->map, m->vehicle, m->progress, &m->routes, &m->diag);
    return NULL;
}

// Whether `m` is now being made in a thread of its own.
static bool start_making(making *m, pthread_t *thread)
{
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return false;
    return sc_thread_start(thread, make_routes, m) == SC_OK;
}

sc_err sc_route_table_init(sc_route_table *routes, const sc_map *map, const sc_progress *progress,
                           sc_diag *diag)
{
    *routes = (sc_route_table){0};
    // Both take about as long, so progress is reported of one alone, and from the thread of the
    // caller.
    making cars = {.map = map, .vehicle = SC_CAR, .progress = progress};
    making trucks = {.map = map, .vehicle = SC_TRUCK};
    pthread_t thread;
    const bool is_aside = start_making(&trucks, &thread);
    make_routes(&cars);
    if (is_aside) {
        pthread_join(thread, NULL);
    } else if (!cars.err) {
        make_routes(&trucks);
    }
    routes->by_vehicle[SC_CAR] = cars.routes;
    routes->by_vehicle[SC_TRUCK] = trucks.routes;
    const making *failed = cars.err ? &cars : &trucks;
    if (failed->err) {
        sc_route_table_fini(routes);
        if (diag) *diag = failed->diag;
    }
    return failed->err;
}

void sc_route_table_fini(sc_route_table *routes)
{
    for (int vehicle = 0; vehicle < SC_VEHICLE_COUNT; vehicle++) {
        sc_routes_free(routes->by_vehicle[vehicle]);
    }
    *routes = (sc_route_table){0};
}
