// Dijkstra's search over the star graph, by time and up to a limit. See reach.h.
#include "attack/tracker_internal.h"

#include "base/alloc.h"
#include "travel/speeds.h"

#include <math.h>
#include <string.h>

/** Of a segment that takes longer than any time there is. */
#define NEVER UINT64_MAX

// --- How long roads take -----------------------------------------------------------------

// Microseconds per unit of length, by class of road.
static void measure_classes(const sc_map *map, double top_speed_m_s,
                            double us_per_unit[SC_ROAD_CLASS_COUNT])
{
    for (unsigned c = 0; c < SC_ROAD_CLASS_COUNT; c++) {
        const double speed_m_s = top_speed_m_s > 0 ? top_speed_m_s : sc_speed_m_s(SC_CAR, c);
        // A speed next to nothing must not make an infinity of it: no length times that is no
        // number.
        us_per_unit[c] = fmin(1e6 * sc_map_unit_m(map) / speed_m_s, 1e300);
    }
}

static void measure_segments(sc__reach_search *reach, double top_speed_m_s)
{
    double us_per_unit[SC_ROAD_CLASS_COUNT];
    measure_classes(reach->map, top_speed_m_s, us_per_unit);
    const sc_edge *edges = sc_map_edges(reach->map);
    const uint8_t *classes = sc_map_edge_classes(reach->map);
    const sc_segment *segments = sc_map_segments(reach->map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(reach->map); s++) {
        double us = 0;
        for (sc_edge_id e = segments[s].first_edge; e < segments[s + 1].first_edge; e++) {
            const unsigned road_class = classes[e] < SC_ROAD_CLASS_COUNT ? classes[e] : 0;
            us += edges[e].length * us_per_unit[road_class];
        }
        // Beyond that a whole number would not hold it.
        reach->segment_us[s] = us < 1e18 ? (uint64_t)us : NEVER;
    }
}

// --- Making and releasing ----------------------------------------------------------------

sc_err sc__reach_init(sc__reach_search *reach, const sc_map *map, double top_speed_m_s)
{
    const uint32_t segment_count = sc_map_segment_count(map);
    *reach = (sc__reach_search){.map = map};
    reach->segment_us = sc_malloc_array(segment_count, sizeof *reach->segment_us);
    reach->stars = sc_calloc(sc_map_star_count(map), sizeof *reach->stars);
    reach->marks = sc_calloc(segment_count, sizeof *reach->marks);
    if (!reach->segment_us || !reach->stars || !reach->marks) {
        sc__reach_fini(reach);
        return SC_ENOMEM;
    }
    measure_segments(reach, top_speed_m_s);
    return SC_OK;
}

void sc__reach_fini(sc__reach_search *reach)
{
    sc_free(reach->segment_us);
    sc_free(reach->stars);
    sc_free(reach->marks);
    sc_free(reach->found);
    sc__reach_turns_fini(&reach->turns);
    *reach = (sc__reach_search){.map = NULL};
}

// --- The search --------------------------------------------------------------------------

static void begin(sc__reach_search *reach)
{
    reach->found_count = 0;
    reach->turns.count = 0;
    // After four thousand million searches the numbers begin anew, and old marks must not be
    // believed.
    if (++reach->search == 0) {
        memset(reach->stars, 0, sc_map_star_count(reach->map) * sizeof *reach->stars);
        memset(reach->marks, 0, sc_map_segment_count(reach->map) * sizeof *reach->marks);
        reach->search = 1;
    }
}

// Come to a star, unless the search was there as soon.
static bool arrive(sc__reach_search *reach, sc_star_id star, uint64_t us)
{
    if (star == SC_NONE) return true;
    sc__reached_star *reached = &reach->stars[star];
    if (reached->search == reach->search && reached->us <= us) return true;
    *reached = (sc__reached_star){us, reach->search};
    if (!sc__reach_turns_reserve(&reach->turns, reach->turns.count + 1)) return false;
    sc__reach_turns_push(&reach->turns, (sc__reach_turn){us, star});
    return true;
}

static bool find_segment(sc__reach_search *reach, sc_seg_id segment)
{
    if (sc__reach_has(reach, segment)) return true;
    if (!sc_grow(&reach->found, reach->found_count, &reach->found_capacity, sizeof *reach->found)) {
        return false;
    }
    reach->marks[segment] = reach->search;
    reach->found[reach->found_count++] = segment;
    return true;
}

// Find the segments of a star, and drive on along those that can be passed in `left_us`.
static bool visit(sc__reach_search *reach, sc__reach_turn turn, uint64_t left_us)
{
    const sc_star *star = &sc_map_stars(reach->map)[turn.star];
    const sc_seg_id *listed = sc_map_star_segments(reach->map);
    for (uint32_t i = star[0].first_segment; i < star[1].first_segment; i++) {
        if (!find_segment(reach, listed[i])) return false;
        const uint64_t us = reach->segment_us[listed[i]];
        if (us == NEVER || us > left_us) continue;
        const sc_segment *segment = &sc_map_segments(reach->map)[listed[i]];
        const bool is_at_a = segment->star_a == turn.star;
        const sc_star_id other = is_at_a ? segment->star_b : segment->star_a;
        if (!arrive(reach, other, turn.us + us)) return false;
    }
    return true;
}

sc_err sc__reach_find(sc__reach_search *reach, sc_seg_id from, uint64_t within_us)
{
    begin(reach);
    const sc_segment *segment = &sc_map_segments(reach->map)[from];
    if (!arrive(reach, segment->star_a, 0) || !arrive(reach, segment->star_b, 0)) return SC_ENOMEM;
    while (reach->turns.count > 0) {
        const sc__reach_turn turn = sc__reach_turns_pop(&reach->turns);
        if (turn.us > reach->stars[turn.star].us) continue;
        if (!visit(reach, turn, within_us - turn.us)) return SC_ENOMEM;
    }
    return SC_OK;
}
