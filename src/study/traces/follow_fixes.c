// Recorded fixes as moments of ours and places on roads. See follow_internal.h.
//
// A fleet of real cabs has millions of fixes, of which a simulation may want few: so nothing is
// snapped before somebody asks, and what was snapped is remembered.
#include "traces/follow_internal.h"

#include "base/alloc.h"

#include <math.h>

/** Moments are within this of the start, 126,000 years, so that differences of them fit. */
#define MOMENT_LIMIT_S 4e12

static sc_time moment_of(double seconds)
{
    return sc_time_from_seconds(fmin(fmax(seconds, -MOMENT_LIMIT_S), MOMENT_LIMIT_S));
}

// A span of time that may be without end.
static sc_time span_of(double seconds)
{
    return seconds > MOMENT_LIMIT_S ? SC_TIME_NEVER : moment_of(seconds);
}

static double first_fix_s(const sc_track *tracks, size_t count)
{
    double first_s = HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        first_s = fmin(first_s, tracks[i].fixes[0].t_s);
    }
    return first_s;
}

sc_err sc__fixes_init(sc__fixes *fixes, const sc_map *map, const sc_traces *traces,
                      const sc_follow_options *options)
{
    size_t count = 0;
    const sc_track *tracks = sc_traces_tracks(traces, &count);
    *fixes = (sc__fixes){.map = map,
                         .tracks = tracks,
                         .track_count = (uint32_t)count,
                         .max_snap_m = options->max_snap_m};
    const double start_s = options->has_start ? options->start_s : first_fix_s(tracks, count);
    fixes->frame = (sc__frame){
        .start_s = start_s,
        .end = span_of(options->end_s - start_s),
        .window = options->fold_s > 0 ? span_of(options->fold_s) : SC_TIME_NEVER,
        .max_gap = span_of(options->max_gap_s),
    };
    fixes->first = sc_malloc_array(count, sizeof *fixes->first);
    if (!fixes->first) return SC_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        fixes->first[i] = fixes->fix_count;
        fixes->fix_count += tracks[i].count;
    }
    fixes->states = sc_calloc(fixes->fix_count, sizeof *fixes->states);
    fixes->places = sc_malloc_array(fixes->fix_count, sizeof *fixes->places);
    return fixes->states && fixes->places ? SC_OK : SC_ENOMEM;
}

void sc__fixes_fini(sc__fixes *fixes)
{
    sc_free(fixes->first);
    sc_free(fixes->states);
    sc_free(fixes->places);
    *fixes = (sc__fixes){0};
}

sc_time sc__fix_moment(const sc__fixes *fixes, uint32_t track, size_t i)
{
    return moment_of(fixes->tracks[track].fixes[i].t_s - fixes->frame.start_s);
}

size_t sc__fix_search(const sc__fixes *fixes, uint32_t track, sc_time t)
{
    size_t low = 0;
    size_t high = fixes->tracks[track].count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sc__fix_moment(fixes, track, middle) < t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// What is not even a position on the globe is too far as well: traces in metres, on a map in
// degrees.
static bool snap(const sc__fixes *fixes, const sc_fix *fix, sc_place *out)
{
    sc_snap found;
    if (sc_map_snap(fixes->map, fix->x, fix->y, fixes->max_snap_m, &found)) return false;
    const double units = round(found.offset_m / sc_map_unit_m(fixes->map));
    const uint32_t length = sc_map_edges(fixes->map)[found.edge].length;
    *out = (sc_place){found.edge, units < length ? (uint32_t)units : length};
    return true;
}

bool sc__fix_place(sc__fixes *fixes, uint32_t track, size_t i, sc_place *out)
{
    const size_t number = fixes->first[track] + i;
    if (fixes->states[number] == SC__FIX_UNKNOWN) {
        const sc_fix *fix = &fixes->tracks[track].fixes[i];
        const bool is_near = snap(fixes, fix, &fixes->places[number]);
        fixes->states[number] = is_near ? SC__FIX_NEAR : SC__FIX_FAR;
        const sc_time t = sc__fix_moment(fixes, track, i);
        if (!is_near && t >= 0 && t < fixes->frame.end) fixes->far_count++;
    }
    if (fixes->states[number] == SC__FIX_FAR) return false;
    *out = fixes->places[number];
    return true;
}
