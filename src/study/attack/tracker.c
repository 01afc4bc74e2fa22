// Following one traveller from cloak to cloak. See attack.h.
//
// What is kept between two cloaks is the belief after the last one: its segments, how likely each
// is, and when the traveller asked. The next belief is made beside it and takes its place at the
// very end, when nothing can fail any more; so a cloak that could not be seen has not been seen.
//
// The work is one search (reach.h) for each segment that is still possible.
#include <starcloak/attack.h>

#include "attack/belief.h"
#include "attack/tracker_internal.h"
#include "base/alloc.h"
#include "base/diag.h"

#include <math.h>

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
                       "the top speed must be above 0 m/s, or 0 for that of each road, not %g",
                       options->top_speed_m_s);
    }
    const uint32_t segment_count = sc_map_segment_count(map);
    if (options->density && sc_density_segment_count(options->density) != segment_count) {
        return sc_fail(diag, SC_EINVAL,
                       "the density is of another map: it has %zu segments, the map %u",
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
    err = sc__reach_init(&tracker->reach, map, options->top_speed_m_s);
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
