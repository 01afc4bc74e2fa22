// What a traveller can have reached, cloak by cloak. See trail_reach.h.
//
// The history is kept as an engine keeps it, by playing the traveller's queries in the order of
// time: each is asked, and leaves with its cloak. Of the same moment asking comes first, as in a
// run.
#include "score/trail_reach.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

/** A query of the traveller's is asked, or its cloak leaves. */
typedef struct reach_event {
    sc_time t;
    bool has_left;
    size_t step;
    size_t member;
    sc_query_id id;
} reach_event;

struct sc_trail_reach {
    sc_continuity *continuity;
    reach_event *events;
    size_t event_count;
    size_t event_capacity;

    // By step.
    size_t *first;  ///< where its parts begin; SIZE_MAX: there are none
    size_t first_capacity;
    uint16_t *parts;
    size_t part_count;
    size_t part_capacity;
};

sc_err sc_trail_reach_new(const sc_map *map, const sc_continuity_options *options,
                          sc_trail_reach **out, sc_diag *diag)
{
    sc_trail_reach *reach = sc_calloc(1, sizeof *reach);
    if (!reach) return sc_fail_memory(diag, "following travellers");
    const sc_err err = sc_continuity_new(map, options, &reach->continuity, diag);
    if (err) {
        sc_free(reach);
        return err;
    }
    *out = reach;
    return SC_OK;
}

void sc_trail_reach_free(sc_trail_reach *reach)
{
    if (!reach) return;
    sc_continuity_free(reach->continuity);
    sc_free(reach->events);
    sc_free(reach->first);
    sc_free(reach->parts);
    sc_free(reach);
}

// --- The order of time -----------------------------------------------------------------

static int by_time(const void *a, const void *b)
{
    const reach_event *left = a;
    const reach_event *right = b;
    if (left->t != right->t) return left->t < right->t ? -1 : 1;
    if (left->has_left != right->has_left) return left->has_left ? 1 : -1;
    return memcmp(&left->id, &right->id, sizeof left->id);
}

static sc_err add_event(sc_trail_reach *reach, reach_event event)
{
    if (!sc_grow(&reach->events, reach->event_count, &reach->event_capacity,
                 sizeof *reach->events)) {
        return SC_ENOMEM;
    }
    const uint64_t number = reach->event_count / 2;
    for (size_t i = 0; i < sizeof number; i++) {
        event.id.bytes[i] = (uint8_t)(number >> (8 * (sizeof number - 1 - i)));
    }
    reach->events[reach->event_count++] = event;
    return SC_OK;
}

/** All queries of the traveller in the cloak of a step. */
static sc_err add_step(sc_trail_reach *reach, const sc_case *one, size_t step, uint64_t user)
{
    sc_err err = SC_OK;
    for (size_t m = 0; m < one->member_count && !err; m++) {
        if (one->members[m].user != user) continue;
        reach_event event = {.t = one->members[m].asked, .step = step, .member = m};
        err = add_event(reach, event);
        event.t = one->t;
        event.has_left = true;
        if (!err) err = add_event(reach, event);
    }
    return err;
}

static sc_err list_events(sc_trail_reach *reach, const sc_trails *trails, size_t trail)
{
    const sc_trail *of = &trails->all[trail];
    sc_err err = SC_OK;
    reach->event_count = 0;
    reach->part_count = 0;
    if (!sc_reserve(&reach->first, of->count, &reach->first_capacity, sizeof *reach->first)) {
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < of->count && !err; i++) {
        const sc_trail_step step = trails->steps[of->first + i];
        const sc_case one = sc_cases_at(trails->cases, step.which);
        reach->first[i] = SIZE_MAX;
        err = add_step(reach, &one, i, one.members[step.member].user);
    }
    if (err) return err;
    qsort(reach->events, reach->event_count, sizeof *reach->events, by_time);
    return SC_OK;
}

// --- Playing it ------------------------------------------------------------------------

/** Keep what is reached of the segments of a cloak; both lists ascend. */
static sc_err keep_parts(sc_trail_reach *reach, const sc_case *one, size_t step,
                         const sc_own_demands *own)
{
    if (!sc_reserve(&reach->parts, reach->part_count + one->segment_count, &reach->part_capacity,
                    sizeof *reach->parts)) {
        return SC_ENOMEM;
    }
    reach->first[step] = reach->part_count;
    size_t at = 0;
    for (size_t i = 0; i < one->segment_count; i++) {
        while (at < own->reached_count && own->reached[at].segment < one->segments[i]) {
            at++;
        }
        const bool is_there =
            at < own->reached_count && own->reached[at].segment == one->segments[i];
        reach->parts[reach->part_count++] = is_there ? own->reached[at].part : 0;
    }
    return SC_OK;
}

static sc_err play(sc_trail_reach *reach, const reach_event *event, const sc_case *one,
                   bool is_followed)
{
    if (event->has_left) {
        const sc_err err =
            sc_continuity_propose(reach->continuity, &event->id, one->segments, one->segment_count);
        if (!err) sc_continuity_accept(reach->continuity, &event->id);
        return err;
    }
    const sc_case_member *member = &one->members[event->member];
    const sc_query query = {.id = event->id,
                            .user = member->user,
                            .segment = member->segment,
                            .max_hops = member->needs.max_hops};
    sc_own_demands own = {0};
    const sc_err err = sc_continuity_ask(reach->continuity, &query, event->t, &own);
    if (err || !own.has_reached || !is_followed) return err;
    return keep_parts(reach, one, event->step, &own);
}

sc_err sc_trail_reach_find(sc_trail_reach *reach, const sc_trails *trails, size_t trail)
{
    sc_err err = list_events(reach, trails, trail);
    for (size_t i = 0; i < reach->event_count && !err; i++) {
        const reach_event *event = &reach->events[i];
        const sc_trail_step step = trails->steps[trails->all[trail].first + event->step];
        const sc_case one = sc_cases_at(trails->cases, step.which);
        err = play(reach, event, &one, event->member == step.member);
    }
    // What was asked has left, unless memory is out; and the next traveller is another.
    for (size_t i = 0; i < reach->event_count; i++) {
        sc_continuity_end(reach->continuity, &reach->events[i].id);
    }
    sc_continuity_erase(reach->continuity, SC_TIME_NEVER);
    return err;
}

const uint16_t *sc_trail_reach_at(const sc_trail_reach *reach, size_t i)
{
    return reach->first[i] == SIZE_MAX ? NULL : reach->parts + reach->first[i];
}
