// An episode becomes stops with ways between them.
//
// Stops are the fixes that lie on roads: those in the window, the last one before it, and the first
// one behind it, since the ways to and from those two are partly in the window.
//
// Every fix and every pair of fixes is counted once, however many windows it has to do with: a pair
// in the window in which it begins, or in the first one if it begins before the start.
#include "base/alloc.h"
#include "traces/follow_internal.h"

/** An episode that is on the roads for less is left out. */
#define SHORTEST_US 1000000

/** An episode that is being made. */
typedef struct making {
    uint32_t track;
    bool is_first_window;
    sc_time begin;  ///< of the window, in recorded time; stops have times in the window
    sc_time end;    ///< of the window, in its own time
    size_t first;   ///< stop
} making;

sc_time sc__episode_end(const sc__frame *frame, const sc__episode *episode)
{
    const sc_time left = frame->end - episode->window * frame->window;
    return left < frame->window ? left : frame->window;
}

// --- Gathering stops --------------------------------------------------------

static sc_err add_stop(sc__stops *stops, sc_time t, sc_place place)
{
    if (!sc_grow(&stops->all, stops->count, &stops->capacity, sizeof *stops->all)) {
        return SC_ENOMEM;
    }
    stops->all[stops->count++] = (sc__stop){t, place, {.length = SC__NO_WAY}};
    return SC_OK;
}

// The last fix on a road before fix `i`, unless the window is too far from it.
static sc_err add_stop_before(sc__maker *maker, const making *m, size_t i)
{
    while (i-- > 0) {
        const sc_time t = sc__fix_moment(&maker->fixes, m->track, i) - m->begin;
        if (t < -maker->fixes.frame.max_gap) break;
        sc_place place;
        if (sc__fix_place(&maker->fixes, m->track, i, &place)) {
            return add_stop(&maker->stops, t, place);
        }
    }
    return SC_OK;
}

// The newest stop of the episode; NULL if it has none.
static const sc__stop *newest_stop(const sc__maker *maker, const making *m)
{
    const sc__stops *stops = &maker->stops;
    return stops->count > m->first ? &stops->all[stops->count - 1] : NULL;
}

// Whether a fix at `t` matters: it is in the window, or the newest stop may lead to it, or there is
// a gap between them that counts.
static bool matters(const sc__maker *maker, const making *m, sc_time t)
{
    const sc__frame *frame = &maker->fixes.frame;
    if (t < m->end) return true;
    const sc__stop *newest = newest_stop(maker, m);
    return newest && (t - newest->t <= frame->max_gap || t + m->begin < frame->end);
}

static sc_err gather_stops(sc__maker *maker, const making *m)
{
    sc__fixes *fixes = &maker->fixes;
    const size_t count = fixes->tracks[m->track].count;
    size_t i = sc__fix_search(fixes, m->track, m->begin);
    sc_err err = add_stop_before(maker, m, i);
    for (; !err && i < count; i++) {
        const sc_time t = sc__fix_moment(fixes, m->track, i) - m->begin;
        if (!matters(maker, m, t)) break;
        // Fixes that are less than a microsecond apart are one.
        const sc__stop *newest = newest_stop(maker, m);
        if (newest && newest->t == t) continue;
        sc_place place;
        if (!sc__fix_place(fixes, m->track, i, &place)) continue;
        err = add_stop(&maker->stops, t, place);
        if (t >= m->end) break;
    }
    return err;
}

// --- Ways between them ------------------------------------------------------

// The way from one stop to the next, where there is one and it need not be driven too fast.
static sc_err find_way(sc__maker *maker, const making *m, sc__stop *from, const sc__stop *to)
{
    sc_follow_summary *summary = &maker->summary;
    const bool is_counted = from->t >= 0 || m->is_first_window;
    if (to->t - from->t > maker->fixes.frame.max_gap) {
        summary->gap_count += from->t >= 0;  // both fixes count, not only one
        return SC_OK;
    }
    const double seconds = (double)(to->t - from->t) * 1e-6;
    bool is_legal = true;
    const sc_err err =
        sc__way_find(&maker->finder, &maker->legs, from->place, to->place,
                     SC_FOLLOW_MAX_SPEED_M_S * seconds / maker->unit_m, &from->way, &is_legal);
    if (err) return err;
    if (sc__has_way(from)) {
        summary->stretch_count += is_counted;
        summary->against_count += is_counted && !is_legal;
    } else {
        summary->no_way_count += is_counted;
    }
    return SC_OK;
}

// How long an episode is on the roads within its window.
static sc_time time_on_roads(const sc__stops *stops, const making *m)
{
    sc_time sum = 0;
    for (size_t i = m->first; i + 1 < stops->count; i++) {
        if (!sc__has_way(&stops->all[i])) continue;
        const sc_time begin = stops->all[i].t;
        const sc_time end = stops->all[i + 1].t;
        sum += (end < m->end ? end : m->end) - (begin > 0 ? begin : 0);
    }
    return sum;
}

// Stops that no way leads to or from are of no use.
static void drop_lone_stops(sc__stops *stops, const making *m)
{
    size_t kept = m->first;
    bool is_reached = false;
    for (size_t i = m->first; i < stops->count; i++) {
        const bool leads_on = sc__has_way(&stops->all[i]);
        if (is_reached || leads_on) stops->all[kept++] = stops->all[i];
        is_reached = leads_on;
    }
    stops->count = kept;
}

sc_err sc__episode_make(sc__maker *maker, const sc__episode *episode, bool *is_traveller)
{
    const sc__frame *frame = &maker->fixes.frame;
    sc__stops *stops = &maker->stops;
    const making m = {.track = episode->track,
                      .is_first_window = episode->window == 0,
                      .begin = episode->window * frame->window,
                      .end = sc__episode_end(frame, episode),
                      .first = stops->count};
    sc_err err = gather_stops(maker, &m);
    for (size_t i = m.first; !err && i + 1 < stops->count; i++) {
        err = find_way(maker, &m, &stops->all[i], &stops->all[i + 1]);
    }
    if (err) return err;
    *is_traveller = time_on_roads(stops, &m) >= SHORTEST_US;
    if (*is_traveller) {
        drop_lone_stops(stops, &m);
    } else {
        stops->count = m.first;
    }
    return SC_OK;
}

// === The ways between places, all in one array ==================================================
// A way is kept as its legs alone, 4 bytes each. Where it begins and ends is with the stops; how
// far along it a traveller is follows from the lengths of its segments, which the map has.

// --- Legs -------------------------------------------------------------------

// How far into a leg a place on its segment is.
static uint64_t units_along(const sc_map *map, sc_leg leg, sc_place place)
{
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segment = &sc_map_segments(map)[leg.segment];
    uint64_t units = place.offset;
    for (sc_edge_id e = segment->first_edge; e < place.edge; e++) {
        units += edges[e].length;
    }
    return leg.is_backwards ? segment->length - units : units;
}

// The place that far into a leg.
static sc_place place_along(const sc_map *map, sc_leg leg, uint64_t units)
{
    const sc_edge *edges = sc_map_edges(map);
    const sc_segment *segment = &sc_map_segments(map)[leg.segment];
    if (leg.is_backwards) units = segment->length - units;
    sc_edge_id e = segment->first_edge;
    for (; units > edges[e].length; e++) {
        units -= edges[e].length;
    }
    return (sc_place){e, (uint32_t)units};
}

sc_place sc__way_place(const sc_map *map, const sc__legs *legs, const sc__way *way, sc_place from,
                       uint64_t units)
{
    if (units == 0) return from;
    const sc_segment *segments = sc_map_segments(map);
    const sc_packed_leg *next = legs->all + way->first_leg;
    sc_leg leg = sc_leg_unpack(*next++);
    units += units_along(map, leg, from);
    while (units > segments[leg.segment].length) {
        units -= segments[leg.segment].length;
        leg = sc_leg_unpack(*next++);
    }
    return place_along(map, leg, units);
}

// --- Finding ----------------------------------------------------------------

sc_err sc__way_finder_init(sc__way_finder *finder, const sc_map *map, const sc_routes *routes)
{
    *finder = (sc__way_finder){.map = map, .way = {.length = SC__NO_WAY}};
    const sc_travel_times *times = sc_map_edge_times(map);
    for (sc_edge_id e = 0; e < sc_map_edge_count(map) && !finder->has_one_ways; e++) {
        finder->has_one_ways = times[e].forward == SC_CLOSED || times[e].backward == SC_CLOSED;
    }
    return sc_route_search_new(routes, &finder->search);
}

void sc__way_finder_fini(sc__way_finder *finder)
{
    sc_route_search_free(finder->search);
    sc_route_search_free(finder->search_both_ways);
    sc_routes_free(finder->both_ways);
    sc_route_fini(&finder->route);
    *finder = (sc__way_finder){0};
}

// From where the first leg is joined to where the last one is left.
static uint64_t route_length(const sc_map *map, const sc_route *route, sc_place from, sc_place to)
{
    const sc_segment *segments = sc_map_segments(map);
    const size_t last = route->leg_count - 1;
    uint64_t length = 0;
    for (size_t i = 0; i < last; i++) {
        length += segments[route->legs[i].segment].length;
    }
    return length + units_along(map, route->legs[last], to) -
           units_along(map, route->legs[0], from);
}

static bool is_same_place(sc_place a, sc_place b)
{
    return a.edge == b.edge && a.offset == b.offset;
}

static sc_err keep_route(sc__legs *legs, const sc_route *route)
{
    if (!sc_reserve(&legs->all, legs->count + route->leg_count, &legs->capacity,
                    sizeof *legs->all)) {
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < route->leg_count; i++) {
        legs->all[legs->count++] = sc_leg_pack(route->legs[i]);
    }
    return SC_OK;
}

// Search for a way and measure it: SC__NO_WAY if there is none, or none that is short enough.
static sc_err search_way(sc__way_finder *finder, sc_route_search *search, sc_place from,
                         sc_place to, double max_length, uint64_t *length)
{
    sc_route *route = &finder->route;
    *length = SC__NO_WAY;
    const sc_err err = sc_route_find(search, from, to, route);
    if (err || route->leg_count == 0) return err;
    const uint64_t found = route_length(finder->map, route, from, to);
    if ((double)found <= max_length) *length = found;
    return SC_OK;
}

// The same against one-way streets.
static sc_err search_both_ways(sc__way_finder *finder, sc_place from, sc_place to,
                               double max_length, uint64_t *length)
{
    sc_err err = SC_OK;
    if (!finder->both_ways) {
        err = sc_routes_new_both_ways(finder->map, SC_CAR, NULL, &finder->both_ways, NULL);
    }
    if (!err && !finder->search_both_ways) {
        err = sc_route_search_new(finder->both_ways, &finder->search_both_ways);
    }
    if (err) return err;
    return search_way(finder, finder->search_both_ways, from, to, max_length, length);
}

sc_err sc__way_find(sc__way_finder *finder, sc__legs *legs, sc_place from, sc_place to,
                    double max_length, sc__way *out, bool *is_legal)
{
    const bool is_known = finder->way.length != SC__NO_WAY && is_same_place(finder->from, from) &&
                          is_same_place(finder->to, to) && (double)finder->way.length <= max_length;
    if (!is_known) {
        uint64_t length = SC__NO_WAY;
        bool is_found_legal = true;
        sc_err err = search_way(finder, finder->search, from, to, max_length, &length);
        if (!err && length == SC__NO_WAY && finder->has_one_ways) {
            err = search_both_ways(finder, from, to, max_length, &length);
            is_found_legal = false;
        }
        if (err) return err;
        *out = (sc__way){.length = SC__NO_WAY};
        if (length == SC__NO_WAY) return SC_OK;
        const sc__way way = {.length = length, .first_leg = legs->count};
        err = keep_route(legs, &finder->route);
        if (err) return err;
        finder->from = from;
        finder->to = to;
        finder->way = way;
        finder->is_legal = is_found_legal;
    }
    *out = finder->way;
    *is_legal = finder->is_legal;
    return SC_OK;
}

// === Where a follower is: a look at its stops and the way between two of them ===================
// Invariants that this relies on, and sc__episode_make() ensures:
//  1. A follower's stops ascend in time; each has a way to the next or is reached by one.
//  2. Its last stop has no way.
//  3. Every way begins before `until`: a traveller that waits for one finds it.

// Where it is on the way from `stop` to the next, in the same share as of time.
static sc_place place_between(const sc__follow *follow, const sc__stop *stop, sc_time t)
{
    const double share = (double)(t - stop->t) / (double)(stop[1].t - stop->t);
    const uint64_t units = (uint64_t)((double)stop->way.length * share);
    return sc__way_place(follow->movement.map, &follow->legs, &stop->way, stop->place, units);
}

// Where it is at `t` of its recorded time; *back as for sc_movement_at().
static void look_up(const sc__follow *follow, sc__follower *one, sc_time t, sc_place *out,
                    sc_time *back)
{
    if (t > one->until) {
        *back = SC_TIME_NEVER;
        return;
    }
    while (one->stop + 1 < one->stop_end && follow->stops[one->stop + 1].t <= t) {
        one->stop++;
    }
    const sc__stop *stop = &follow->stops[one->stop];
    if (stop->t <= t && sc__has_way(stop)) {
        *out = place_between(follow, stop, t);
        *back = t;
    } else if (stop->t == t) {
        *out = stop->place;  // it has just arrived
        *back = t;
    } else {
        // Before its first stop, or behind one without a way; then it goes on from the next.
        const size_t next = stop->t > t ? one->stop : one->stop + 1;
        *back = next < one->stop_end ? follow->stops[next].t : SC_TIME_NEVER;
    }
}

static sc_err follow_at(sc_movement *movement, uint32_t who, sc_time t, sc_place *out,
                        sc_time *back)
{
    sc__follow *follow = (sc__follow *)movement;
    sc__follower *one = &follow->followers[who];
    if (follow->period == SC_TIME_NEVER) {
        look_up(follow, one, t, out, back);
        return SC_OK;
    }
    const sc_time lap = t - t % follow->period;
    if (lap != one->lap) {
        one->lap = lap;
        one->stop = one->first_stop;
    }
    look_up(follow, one, t - lap, out, back);
    if (*back == SC_TIME_NEVER) {
        const sc_time first = follow->stops[one->first_stop].t;
        *back = follow->period + (first > 0 ? first : 0);
    }
    *back += lap;
    return SC_OK;
}

// NOLINTNEXTLINE(readability-non-const-parameter): other kinds write to `room`
static const char *follow_name(const sc_movement *movement, uint32_t who, char room[32])
{
    (void)room;
    const sc__follow *follow = (const sc__follow *)movement;
    return follow->names + follow->followers[who].name;
}

static void follow_free(sc_movement *movement)
{
    sc__follow *follow = (sc__follow *)movement;
    sc_free(follow->followers);
    sc_free(follow->stops);
    sc_free(follow->legs.all);
    sc_free(follow->names);
    sc_free(follow);
}

const sc_movement_kind sc__follow_kind = {follow_at, follow_name, follow_free};
