// Counting who is where. See traffic.h.
#include "sim/traffic.h"

#include "base/alloc.h"

// The first moment of a clock that ticks every `step`, and did at `t`, that is not before `back`;
// `until` if there is none before that.
static sc_time tick_from(sc_time t, sc_time back, sc_time step, sc_time until)
{
    if (back >= until) return until;
    const sc_time behind = (back - t) % step;
    const sc_time wait = behind == 0 ? 0 : step - behind;
    return wait < until - back ? back + wait : until;
}

static sc_err count_one(sc_movement *movement, uint32_t who, sc_time from, sc_time until,
                        sc_time step, uint64_t *counts)
{
    const sc_edge *edges = sc_map_edges(movement->map);
    for (sc_time t = from; t < until;) {
        sc_place place;
        sc_time back = t;
        const sc_err err = sc_movement_at(movement, who, t, &place, &back);
        if (err) return err;
        if (back == t) {
            counts[edges[place.edge].segment]++;
            t = step < until - t ? t + step : until;
        } else {
            t = tick_from(t, back, step, until);
        }
    }
    return SC_OK;
}

sc_err sc_traffic_count(sc_movement *movement, sc_time from, sc_time until, sc_time step,
                        uint64_t *counts)
{
    if (from < 0 || until <= from || step <= 0) return SC_EINVAL;
    // Counted aside, so that a failure leaves no half of it behind.
    const uint32_t segment_count = sc_map_segment_count(movement->map);
    uint64_t *counted = sc_calloc(segment_count, sizeof *counted);
    if (!counted) return SC_ENOMEM;
    sc_err err = SC_OK;
    for (uint32_t who = 0; who < movement->count && !err; who++) {
        err = count_one(movement, who, from, until, step, counted);
    }
    for (sc_seg_id s = 0; s < segment_count && !err; s++) {
        counts[s] += counted[s];
    }
    sc_free(counted);
    return err;
}
