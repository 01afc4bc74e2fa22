// The exact answer: a search inside the cloak, and the provider's word for what is outside.
//
// An object is as far as the shorter of two ways: through the cloak alone, or through the cloak to
// a border node and on from there. docs/trust.md has the proof.
#include <starcloak/answer.h>

#include "answer/answer_internal.h"
#include "answer/own_reply.h"
#include "base/alloc.h"
#include "base/diag.h"

#include <inttypes.h>
#include <string.h>

// --- A filter ----------------------------------------------------------------

sc_filter_options sc_filter_options_default(void)
{
    return (sc_filter_options){.max_candidates = 1000000, .slack = 0.0};
}

sc_err sc_filter_new(const sc_map *map, const sc_filter_options *options, sc_filter **out,
                     sc_diag *diag)
{
    if (options->max_candidates == 0) {
        return sc_fail(diag, SC_EINVAL, "filter: at least one candidate must be allowed");
    }
    if (!(options->slack >= 0.0 && options->slack <= 1.0)) {
        return sc_fail(diag, SC_EINVAL, "filter: the slack must be from 0 to 1, not %g",
                       options->slack);
    }
    sc_filter *filter = sc_calloc(1, sizeof *filter);
    if (!filter) return sc_fail_memory(diag, "making a filter");
    filter->map = map;
    filter->options = *options;
    filter->unit_m = sc_map_unit_m(map);
    filter->unit_s = sc_map_time_unit_s(map);
    for (unsigned metric = 0; metric < SC_METRIC_COUNT; metric++) {
        filter->bounds[metric] = sc__cost_bounds_of(map, (sc_metric)metric);
    }
    if (sc__object_counts_init(&filter->counts, map)) {
        sc_filter_free(filter);
        return sc_fail_memory(diag, "counting the objects of the map");
    }
    *out = filter;
    return SC_OK;
}

void sc_filter_free(sc_filter *filter)
{
    if (!filter) return;
    sc_filter_forget(filter);
    sc__object_counts_fini(&filter->counts);
    sc__inside_fini(&filter->inside);
    sc__number_table_fini(&filter->numbers);
    sc_free(filter->taken);
    sc_free(filter->candidates);
    sc_free(filter->strips);
    sc_free(filter->claims);
    sc_free(filter->approaches);
    sc_free(filter->reaches);
    sc_free(filter->found);
    sc_free(filter->results);
    sc_free(filter);
}

// --- A reply -----------------------------------------------------------------

static sc_err check_requests(const sc_relay *relay, sc_diag *diag)
{
    // What a provider is willing to answer is its own business.
    const sc_request_limits none = {
        .max_k = UINT32_MAX, .max_radius_m = HUGE_VAL, .max_radius_s = HUGE_VAL};
    for (size_t r = 0; r < relay->request_count; r++) {
        if (sc_request_check(&relay->requests[r], &none, SC_NONE, diag)) return SC_EINVAL;
    }
    return SC_OK;
}

// Room for the answer to any of the requests, so that answering takes no memory.
static sc_err make_results(sc_filter *f, sc_diag *diag)
{
    size_t most = 1;
    for (size_t r = 0; r < f->relay->request_count; r++) {
        if (f->taken[r].candidate_count > most) most = f->taken[r].candidate_count;
    }
    if (most <= f->result_capacity) return SC_OK;
    sc_free(f->reaches);
    sc_free(f->found);
    sc_free(f->results);
    f->reaches = sc_malloc_array(most, sizeof *f->reaches);
    f->found = sc_malloc_array(most, sizeof *f->found);
    f->results = sc_malloc_array(most, sizeof *f->results);
    f->result_capacity = f->reaches && f->found && f->results ? most : 0;
    return f->result_capacity > 0 ? SC_OK : sc_fail_memory(diag, "making room for answers");
}

static sc_err take_in(sc_filter *filter, const sc_relay *relay, const sc_reply *reply,
                      bool is_stranger, sc_diag *diag)
{
    sc_filter_forget(filter);  // before arrays grow and move
    filter->relay = relay;
    filter->reply = reply;
    sc_err err = sc__inside_build(&filter->inside, filter->map, relay, diag);
    if (!err) err = check_requests(relay, diag);
    if (!err) err = sc__reply_check_lists(filter, diag);
    if (!err && is_stranger) err = sc__reply_check_agreement(filter, diag);
    if (!err) err = make_results(filter, diag);
    filter->is_open = !err;
    return err;
}

sc_err sc_filter_open(sc_filter *filter, const sc_relay *relay, const sc_reply *reply,
                      sc_diag *diag)
{
    return take_in(filter, relay, reply, true, diag);
}

sc_err sc_filter_open_own(sc_filter *filter, const sc_relay *relay, const sc_reply *reply,
                          sc_diag *diag)
{
    const bool is_its_turn = filter->own_count == 0;
    const sc_err err = take_in(filter, relay, reply, is_its_turn, diag);
    // After one that was refused the next has its turn: a mistake of ours seldom comes alone.
    filter->own_count = err ? 0 : (filter->own_count + 1) % SC_OWN_REPLIES_PER_CHECK;
    return err;
}

void sc_filter_forget(sc_filter *filter)
{
    if (filter->answered > 0) {
        explicit_bzero(filter->reaches, filter->answered * sizeof *filter->reaches);
        explicit_bzero(filter->found, filter->answered * sizeof *filter->found);
        explicit_bzero(filter->results, filter->answered * sizeof *filter->results);
    }
    filter->answered = 0;
    sc__inside_wipe(&filter->inside);
    filter->is_open = false;
    filter->relay = NULL;
    filter->reply = NULL;
    filter->objects = NULL;
    filter->object_count = 0;
}

// --- An answer ---------------------------------------------------------------

/** An exact position in the cloak: its segment, and where one can drive from it. */
typedef struct place {
    uint32_t segment;
    sc_road_legs legs;
} place;

static bool find_place(const sc_filter *f, sc_road_point at, place *out)
{
    if (at.edge >= sc_map_edge_count(f->map)) return false;
    const double length = sc_map_edges(f->map)[at.edge].length;
    const double offset = at.offset_m / f->unit_m;
    // A unit beyond the end is rounding; NaN is nowhere.
    if (!(offset >= -1.0 && offset <= length + 1.0)) return false;
    out->segment = sc__inside_segment_of(&f->inside, at.edge);
    if (out->segment == SC_NONE) return false;
    out->legs = sc__road_legs(f->map, at.edge, fmin(fmax(offset, 0.0), length), at.direction);
    return true;
}

// What it takes to an object on the road of the place, straight there.
static sc_reach reach_on_road(sc_metric metric, const place *from, const sc_road_spot *spot)
{
    sc_reach best = {HUGE_VAL, HUGE_VAL};
    for (int i = 0; i < from->legs.count; i++) {
        const sc_road_leg *leg = &from->legs.legs[i];
        if (!sc__road_leg_passes(leg, spot)) continue;
        sc_cost distance;
        sc_cost time;
        sc__road_leg_to(leg, spot, &distance, &time);
        sc_reach reach = sc__inside_span_reach(sc__inside_span_of(metric, distance, time));
        // Rounding may put an object a little before the place that it lies behind.
        reach = (sc_reach){fmax(reach.cost, 0.0), fmax(reach.other, 0.0)};
        if (sc__reach_is_less(reach, best)) best = reach;
    }
    return best;
}

// What it takes to each candidate from the place, through the cloak.
static void measure_inside(sc_filter *f, size_t r, const place *from)
{
    const sc_request_candidates *taken = &f->taken[r];
    const sc_candidate *candidates = sc__filter_candidates_of(f, r);
    for (uint32_t i = 0; i < taken->candidate_count; i++) {
        f->reaches[i] = (sc_reach){HUGE_VAL, HUGE_VAL};
    }
    sc__inside_search_place(&f->inside, taken->metric, from->segment, &from->legs);
    for (size_t s = taken->first_strip; s < taken->first_strip + taken->strip_count; s++) {
        const sc_strip *strip = &f->strips[s];
        for (uint32_t i = strip->first; i < strip->first + strip->count; i++) {
            const sc_road_spot *spot = &candidates[i].spot;
            f->reaches[i] = sc__inside_reach(&f->inside, strip->segment, spot);
            if (strip->segment != from->segment) continue;
            const sc_reach direct = reach_on_road(taken->metric, from, spot);
            if (sc__reach_is_less(direct, f->reaches[i])) f->reaches[i] = direct;
        }
    }
}

// And by way of border nodes, if that is cheaper.
static void measure_outside(sc_filter *f, size_t r)
{
    for (size_t b = 0; b < f->relay->border_node_count; b++) {
        const sc_inside_span span = f->inside.spans[f->inside.border_vertex[b]];
        if (isinf(span.cost.whole)) continue;
        const uint32_t *starts = f->reply->near_start + sc__filter_list_of(f, r, b);
        for (size_t i = starts[0]; i < starts[1]; i++) {
            const sc_border_claim *claim = &f->claims[i];
            const sc_reach reach = {sc__cost_plus(span.cost, claim->reach.cost),
                                    sc__cost_plus(span.other, claim->reach.other)};
            if (sc__reach_is_less(reach, f->reaches[claim->candidate])) {
                f->reaches[claim->candidate] = reach;
            }
        }
    }
}

static bool is_before(sc_reached_object a, sc_reached_object b)
{
    if (a.reach.cost != b.reach.cost) return a.reach.cost < b.reach.cost;
    return a.object < b.object;
}

// The farthest on top.
#define SC_HEAP farthest
#define SC_HEAP_ENTRY sc_reached_object
#define SC_HEAP_IS_BEFORE(heap, a, b) is_before(b, a)
#include "base/heap_template.h"

// The k nearest candidates within the radius, nearest first. Returns how many.
static size_t pick(sc_filter *f, size_t r)
{
    const sc_request_candidates *taken = &f->taken[r];
    const sc_candidate *candidates = sc__filter_candidates_of(f, r);
    farthest heap = {.entries = f->found};
    for (uint32_t i = 0; i < taken->candidate_count; i++) {
        const sc_reached_object found = {candidates[i].object, f->reaches[i]};
        if (found.reach.cost > taken->radius || isinf(found.reach.cost)) continue;
        if (heap.count < taken->k) {
            farthest_push(&heap, found);
        } else if (is_before(found, heap.entries[0])) {
            farthest_replace_top(&heap, found);
        }
    }
    const size_t count = heap.count;
    farthest_sort(&heap);
    return count;
}

// In metres and seconds.
static sc_near near_of(const sc_filter *f, sc_metric metric, sc_reached_object found)
{
    const bool is_by_time = metric == SC_METRIC_TIME;
    const double distance = is_by_time ? found.reach.other : found.reach.cost;
    const double time = is_by_time ? found.reach.cost : found.reach.other;
    return (sc_near){found.object, distance * f->unit_m, time * f->unit_s};
}

sc_err sc_filter_answer(sc_filter *filter, sc_road_point at, size_t request, const sc_near **out,
                        size_t *count, sc_diag *diag)
{
    if (!filter->is_open)
        return sc_fail(diag, SC_EINVAL, "filter: no reply is open; call sc_filter_open() first");
    if (request >= filter->relay->request_count) {
        return sc_fail(diag, SC_EINVAL, "filter: the relay has no request %zu", request + 1);
    }
    place from;
    if (!find_place(filter, at, &from)) {
        return sc_fail(diag, SC_EINVAL, "filter: the position is not on the segments of the relay");
    }
    const size_t candidate_count = filter->taken[request].candidate_count;
    if (filter->answered < candidate_count) filter->answered = candidate_count;
    measure_inside(filter, request, &from);
    measure_outside(filter, request);
    *count = pick(filter, request);
    for (size_t i = 0; i < *count; i++) {
        filter->results[i] = near_of(filter, filter->taken[request].metric, filter->found[i]);
    }
    explicit_bzero(&from, sizeof from);
    *out = filter->results;
    return SC_OK;
}
