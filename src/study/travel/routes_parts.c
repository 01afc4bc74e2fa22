// Connected parts of the roads, and how far it is across them. See routes_internal.h.
//
// From the first star of each part a plain search reaches all others; no fastest way between two
// stars takes longer than twice what the farthest of them takes.
#include "travel/routes_internal.h"

#include <string.h>

typedef struct sweep {
    const sc__net *net;
    uint32_t *parts;  ///< by star
    uint32_t *ms;     ///< by star; SC__NEVER: not reached
    sc__turns turns;
    uint32_t farthest_ms;
} sweep;

// Number everything that can be reached from `first`.
static sc_err reach_all(sweep *s, sc_star_id first, uint32_t part)
{
    s->ms[first] = 0;
    if (!sc__turns_put(&s->turns, 0, first)) return SC_ENOMEM;
    while (s->turns.count > 0) {
        const sc__turn turn = sc__turns_take(&s->turns);
        if (turn.number > s->ms[turn.star]) continue;
        if (turn.number > SC__MOST_MS) return SC_ELIMIT;
        if (turn.number > s->farthest_ms) s->farthest_ms = turn.number;
        s->parts[turn.star] = part;
        uint32_t count = 0;
        const sc__arc *arcs = sc__net_arcs(s->net, turn.star, &count);
        for (uint32_t i = 0; i < count; i++) {
            // Both are SC__MOST_MS at most.
            const uint32_t ms = turn.number + arcs[i].ms;
            if (ms >= s->ms[arcs[i].to]) continue;
            s->ms[arcs[i].to] = ms;
            if (!sc__turns_put(&s->turns, ms, arcs[i].to)) return SC_ENOMEM;
        }
    }
    return SC_OK;
}

sc_err sc__find_parts(sc_routes *routes, const sc__net *net)
{
    sweep s = {.net = net, .parts = routes->parts};
    s.ms = sc_malloc_array(net->star_count, sizeof *s.ms);
    if (!s.ms) return SC_ENOMEM;
    memset(s.ms, 0xff, (size_t)net->star_count * sizeof *s.ms);
    sc_err err = SC_OK;
    for (sc_star_id star = 0; !err && star < net->star_count; star++) {
        if (s.ms[star] == SC__NEVER) err = reach_all(&s, star, routes->part_count++);
    }
    sc_free(s.ms);
    sc__turns_fini(&s.turns);
    if (err) return err;

    // A way may begin and end inside of segments.
    uint32_t slowest_ms = 0;
    for (sc_seg_id segment = 0; segment < sc_map_segment_count(routes->map); segment++) {
        const uint32_t ms = routes->segment_ms[segment];
        if (ms > slowest_ms) slowest_ms = ms;
    }
    routes->longest_ms = 2 * (s.farthest_ms + slowest_ms);
    return SC_OK;
}
