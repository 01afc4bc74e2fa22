// An episode becomes stops with ways between them. See follow_internal.h.
//
// Stops are the fixes that lie on roads: those in the window, the last one before it, and the first
// one behind it, since the ways to and from those two are partly in the window.
//
// Every fix and every pair of fixes is counted once, however many windows it has to do with: a pair
// in the window in which it begins, or in the first one if it begins before the start.
#include "traces/follow_internal.h"

#include "base/alloc.h"

/** Who is on the roads for less is nobody: one cannot ask in passing. */
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

// The way from one stop to the next, where there is one and nobody would have to race.
static sc_err find_way(sc__maker *maker, const making *m, sc__stop *from, const sc__stop *to)
{
    sc_follow_summary *summary = &maker->summary;
    const bool is_counted = from->t >= 0 || m->is_first_window;
    if (to->t - from->t > maker->fixes.frame.max_gap) {
        summary->gap_count += from->t >= 0;  // both fixes count, not only one
        return SC_OK;
    }
    const double seconds = (double)(to->t - from->t) * 1e-6;
    const sc_err err = sc__way_find(&maker->finder, &maker->legs, from->place, to->place,
                                    SC_FOLLOW_MAX_SPEED_M_S * seconds / maker->unit_m, &from->way);
    if (err) return err;
    if (sc__has_way(from)) {
        summary->stretch_count += is_counted;
    } else {
        summary->no_way_count += is_counted;
    }
    return SC_OK;
}

// How long somebody is on the roads within the window.
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
