// Following one traveller from cloak to cloak (starcloak/attack.h), and the search for what it can
// have reached in between.
//
// What is kept between two cloaks is the belief after the last one: its segments, how likely each
// is, and when the traveller asked. The next belief is made beside it and takes its place at the
// very end, when nothing can fail any more; so a cloak that could not be processed leaves no trace.
//
// The work is one search for each segment that is still possible.
#include <starcloak/attack.h>

#include "attack/belief.h"
#include "attack/tracker_internal.h"
#include "base/alloc.h"
#include "base/diag.h"

#include <math.h>
#include <string.h>

// === What is within reach: Dijkstra over the star graph, by time and up to a limit ==============

/** Of a segment that takes longer than any time there is. */
#define NEVER UINT64_MAX

// --- How long roads take -----------------------------------------------------------------

// How long an edge takes one way in free flow, or at a constant speed; SC_CLOSED in place of a time
// is for the caller to see. A speed next to nothing must not make an infinity of it.
static double edge_us(const sc_map *map, sc_edge_id edge, uint32_t time, double top_speed_m_s)
{
    if (top_speed_m_s <= 0) return time * (1e6 * sc_map_time_unit_s(map));
    const double us_per_unit = fmin(1e6 * sc_map_unit_m(map) / top_speed_m_s, 1e300);
    return sc_map_edges(map)[edge].length * us_per_unit;
}

// A segment driven one way; NEVER if it is closed, or takes longer than a whole number would hold.
static uint64_t segment_us(const sc__reach_search *reach, sc_seg_id segment, bool is_backward,
                           double top_speed_m_s)
{
    const sc_segment *segments = sc_map_segments(reach->map);
    double us = 0;
    for (sc_edge_id e = segments[segment].first_edge; e < segments[segment + 1].first_edge; e++) {
        const uint32_t time = sc__reach_edge_time(reach, e, is_backward);
        if (time == SC_CLOSED) return NEVER;
        us += edge_us(reach->map, e, time, top_speed_m_s);
    }
    return us < 1e18 ? (uint64_t)us : NEVER;
}

static void measure_segments(sc__reach_search *reach, double top_speed_m_s)
{
    for (sc_seg_id s = 0; s < sc_map_segment_count(reach->map); s++) {
        for (int way = 0; way < 2; way++) {
            reach->segment_us[s].by_way[way] = segment_us(reach, s, way, top_speed_m_s);
        }
    }
}

// --- Making and releasing ----------------------------------------------------------------

sc_err sc__reach_init(sc__reach_search *reach, const sc_map *map, double top_speed_m_s,
                      bool ignores_one_ways)
{
    const uint32_t segment_count = sc_map_segment_count(map);
    *reach = (sc__reach_search){.map = map, .ignores_one_ways = ignores_one_ways};
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
    sc__reach_queue_fini(&reach->queue);
    *reach = (sc__reach_search){.map = NULL};
}

// --- The search --------------------------------------------------------------------------

static void begin(sc__reach_search *reach)
{
    reach->found_count = 0;
    reach->queue.count = 0;
    // After four thousand million searches the numbers start again at 1, and old marks must not be
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
    if (!sc__reach_queue_reserve(&reach->queue, reach->queue.count + 1)) return false;
    sc__reach_queue_push(&reach->queue, (sc__reach_entry){us, star});
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

// Come to one end of a segment: find it, if one may enter it there, and drive on to its other end,
// if that can be done in `left_us`.
static bool pass(sc__reach_search *reach, sc__reach_entry entry, sc_seg_id segment,
                 bool is_backward, uint64_t left_us)
{
    const sc_segment *road = &sc_map_segments(reach->map)[segment];
    const sc_edge_id first = is_backward ? road[1].first_edge - 1 : road[0].first_edge;
    if (sc__reach_edge_time(reach, first, is_backward) == SC_CLOSED) return true;
    if (!find_segment(reach, segment)) return false;
    const uint64_t us = reach->segment_us[segment].by_way[is_backward];
    if (us == NEVER || us > left_us) return true;
    return arrive(reach, is_backward ? road->star_a : road->star_b, entry.us + us);
}

static bool visit(sc__reach_search *reach, sc__reach_entry entry, uint64_t left_us)
{
    const sc_star *star = &sc_map_stars(reach->map)[entry.star];
    const sc_seg_id *listed = sc_map_star_segments(reach->map);
    for (uint32_t i = star[0].first_segment; i < star[1].first_segment; i++) {
        const sc_segment *segment = &sc_map_segments(reach->map)[listed[i]];
        if (segment->star_a == entry.star && !pass(reach, entry, listed[i], false, left_us)) {
            return false;
        }
        if (segment->star_b == entry.star && !pass(reach, entry, listed[i], true, left_us)) {
            return false;
        }
    }
    return true;
}

// Where on its segment a driver is, is unknown: it may be about to leave by either end to which the
// last bit of road is open.
static bool leave(sc__reach_search *reach, sc_seg_id from)
{
    const sc_segment *road = &sc_map_segments(reach->map)[from];
    const sc_edge_id last = road[1].first_edge - 1;
    const bool is_by_a = sc__reach_edge_time(reach, road->first_edge, true) != SC_CLOSED;
    const bool is_by_b = sc__reach_edge_time(reach, last, false) != SC_CLOSED;
    return find_segment(reach, from) && (!is_by_a || arrive(reach, road->star_a, 0)) &&
           (!is_by_b || arrive(reach, road->star_b, 0));
}

sc_err sc__reach_find(sc__reach_search *reach, sc_seg_id from, uint64_t within_us)
{
    begin(reach);
    if (!leave(reach, from)) return SC_ENOMEM;
    while (reach->queue.count > 0) {
        const sc__reach_entry entry = sc__reach_queue_pop(&reach->queue);
        if (entry.us > reach->stars[entry.star].us) continue;
        if (!visit(reach, entry, within_us - entry.us)) return SC_ENOMEM;
    }
    return SC_OK;
}

// === The tracker ================================================================================

/** How likely the traveller is on each segment of a cloak. */
typedef struct belief {
    sc_seg_id *segments;
    size_t segment_capacity;
    double *p;  ///< summing to 1
    size_t p_capacity;
    size_t count;  ///< 0: nothing was seen
} belief;

struct sc_tracker {
    const sc_map *map;          ///< borrowed
    const sc_density *density;  ///< borrowed; NULL: uniform
    sc__reach_search reach;
    belief now;
    sc_time asked_from;  ///< of the last cloak
    sc_time asked_until;

    // Room for the next step.
    belief next;
    double *prior;  ///< what the density says of each segment
    size_t prior_capacity;
    double *row;  ///< and what the cloaks before say as well
    size_t row_capacity;
};

// --- Making and freeing ------------------------------------------------------------------

static sc_err check_options(const sc_map *map, const sc_tracker_options *options, sc_diag *diag)
{
    if (!(options->top_speed_m_s >= 0 && isfinite(options->top_speed_m_s))) {
        return sc_fail(diag, SC_EINVAL,
                       "the top speed must be above 0 m/s, or 0 for the speed of each road, not %g",
                       options->top_speed_m_s);
    }
    const uint32_t segment_count = sc_map_segment_count(map);
    if (options->density && sc_density_segment_count(options->density) != segment_count) {
        return sc_fail(
            diag, SC_EINVAL,
            "the density has %zu segments, but the map has %u; use a density of this map",
            sc_density_segment_count(options->density), (unsigned)segment_count);
    }
    return SC_OK;
}

sc_err sc_tracker_new(const sc_map *map, const sc_tracker_options *options, sc_tracker **out,
                      sc_diag *diag)
{
    sc_err err = check_options(map, options, diag);
    if (err) return err;
    sc_tracker *tracker = sc_calloc(1, sizeof *tracker);
    if (!tracker) return sc_fail_memory(diag, "making a tracker");
    tracker->map = map;
    tracker->density = options->density;
    err = sc__reach_init(&tracker->reach, map, options->top_speed_m_s, options->ignores_one_ways);
    if (err) {
        sc_tracker_free(tracker);
        return sc_fail_memory(diag, "making a tracker");
    }
    *out = tracker;
    return SC_OK;
}

static void free_belief(belief *b)
{
    sc_free(b->segments);
    sc_free(b->p);
}

void sc_tracker_free(sc_tracker *tracker)
{
    if (!tracker) return;
    sc__reach_fini(&tracker->reach);
    free_belief(&tracker->now);
    free_belief(&tracker->next);
    sc_free(tracker->prior);
    sc_free(tracker->row);
    sc_free(tracker);
}

void sc_tracker_forget(sc_tracker *tracker)
{
    tracker->now.count = 0;
}

// --- What is seen ------------------------------------------------------------------------

static sc_err check_cloak(const sc_tracker *tracker, const sc_tracked *cloak)
{
    if (cloak->segment_count == 0) return SC_EINVAL;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        if (cloak->segments[i] >= sc_map_segment_count(tracker->map)) return SC_EUNKNOWN;
        if (i > 0 && cloak->segments[i] <= cloak->segments[i - 1]) return SC_EINVAL;
    }
    if (cloak->asked_until < cloak->asked_from) return SC_ETIME;
    const bool is_first = tracker->now.count == 0;
    return is_first || cloak->asked_until >= tracker->asked_until ? SC_OK : SC_ETIME;
}

static bool make_room(sc_tracker *tracker, size_t count)
{
    belief *next = &tracker->next;
    return sc_reserve(&next->segments, count, &next->segment_capacity, sizeof *next->segments) &&
           sc_reserve(&next->p, count, &next->p_capacity, sizeof *next->p) &&
           sc_reserve(&tracker->prior, count, &tracker->prior_capacity, sizeof *tracker->prior) &&
           sc_reserve(&tracker->row, count, &tracker->row_capacity, sizeof *tracker->row);
}

static double weight_of(const sc_tracker *tracker, sc_seg_id segment)
{
    return tracker->density ? sc_density_weight(tracker->density, segment) : 1.0;
}

static void fill_prior(sc_tracker *tracker, const sc_tracked *cloak)
{
    double sum = 0;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        sum += weight_of(tracker, cloak->segments[i]);
    }
    for (size_t i = 0; i < cloak->segment_count; i++) {
        tracker->prior[i] = weight_of(tracker, cloak->segments[i]) / sum;
    }
}

// --- What follows from it ----------------------------------------------------------------

// From `from`, where the traveller was with probability `p`, it went to any segment within reach,
// by their weights: add its chances to be on those of the cloak.
static sc_err follow(sc_tracker *tracker, sc_seg_id from, double p, uint64_t within_us,
                     const sc_tracked *cloak)
{
    sc__reach_search *reach = &tracker->reach;
    const sc_err err = sc__reach_find(reach, from, within_us);
    if (err) return err;
    double all = 0;
    for (size_t i = 0; i < reach->found_count; i++) {
        all += weight_of(tracker, reach->found[i]);
    }
    for (size_t i = 0; i < cloak->segment_count; i++) {
        if (!sc__reach_has(reach, cloak->segments[i])) continue;
        tracker->row[i] += p * weight_of(tracker, cloak->segments[i]) / all;
    }
    return SC_OK;
}

// How likely each segment of the cloak is, but for a common factor.
static sc_err fill_row(sc_tracker *tracker, const sc_tracked *cloak)
{
    const belief *now = &tracker->now;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        tracker->row[i] = now->count == 0 ? tracker->prior[i] : 0.0;
    }
    // The difference may be too large for a signed number, but is not negative.
    const uint64_t within_us = (uint64_t)cloak->asked_until - (uint64_t)tracker->asked_from;
    for (size_t i = 0; i < now->count; i++) {
        if (now->p[i] == 0.0) continue;
        const sc_err err = follow(tracker, now->segments[i], now->p[i], within_us, cloak);
        if (err) return err;
    }
    for (size_t i = 0; i < cloak->segment_count && cloak->is_left; i++) {
        if (!cloak->is_left[i]) tracker->row[i] = 0.0;
    }
    return SC_OK;
}

// Believe what the posterior says, and keep the room that the last belief was in.
static void believe(sc_tracker *tracker, const sc_tracked *cloak, const sc_posterior *posterior)
{
    belief next = tracker->next;
    next.count = posterior->link_count;
    for (size_t i = 0; i < next.count; i++) {
        next.segments[i] = posterior->links[i].segment;
        next.p[i] = posterior->links[i].linkability;
    }
    tracker->next = tracker->now;
    tracker->now = next;
    tracker->asked_from = cloak->asked_from;
    tracker->asked_until = cloak->asked_until;
}

sc_err sc_tracker_see(sc_tracker *tracker, const sc_tracked *cloak, sc_posterior *out)
{
    sc_err err = check_cloak(tracker, cloak);
    if (err) return err;
    if (!make_room(tracker, cloak->segment_count)) return SC_ENOMEM;
    fill_prior(tracker, cloak);
    err = fill_row(tracker, cloak);
    if (err) return err;
    const sc__likelihoods likelihoods = {
        .rows = tracker->row, .batch_count = 1, .place_count = cloak->segment_count};
    sc_posterior posterior = {0};
    err = sc__posterior_init(&posterior, cloak->segments, &likelihoods, tracker->prior);
    if (err) return err;
    believe(tracker, cloak, &posterior);
    *out = posterior;
    return SC_OK;
}
