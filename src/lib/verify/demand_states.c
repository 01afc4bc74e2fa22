// Demands of a record, line by line. See demand_states.h.
#include "verify/demand_states.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static sc_err refuse(sc_demand_states *d, const char *what)
{
    snprintf(d->refusal, sizeof d->refusal, "%s", what);
    return SC_EPARSE;
}

static sc_key key_of(uint64_t id)
{
    return (sc_key){0, id};
}

// --- Lines --------------------------------------------------------------------------------------

// The table must be that of the run; without one, P14 is not checked.
static sc_err take_density(sc_demand_states *d, const sc_event_demands *line)
{
    d->density_checksum = line->density;
    if (!d->density) return SC_OK;
    const uint64_t given = sc_density_checksum(d->density);
    if (given == line->density) {
        d->demands.density = d->density;
        return SC_OK;
    }
    snprintf(d->refusal, sizeof d->refusal,
             "the run was with the density of checksum %016" PRIx64
             ", but the one given has %016" PRIx64 "; give that of the run",
             line->density, given);
    return SC_EMISMATCH;
}

static sc_err take_classes(sc_demand_states *d, const sc_event_demands *line)
{
    sc_err err = sc_place_classes_new(d->map, &d->classes);
    for (size_t i = 0; i < line->class_count && !err; i++) {
        uint32_t number = 0;
        err = sc_place_classes_add(d->classes, line->classes[i], &number);
        if (!err && number != i) return refuse(d, "a class is named twice");
    }
    if (err == SC_EINVAL) return refuse(d, "a class has a name that is none");
    d->demands.classes = d->classes;
    return err;
}

static sc_err take_demands(sc_demand_states *d, const sc_event_demands *line)
{
    if (d->has_demands) return refuse(d, "the demands come a second time");
    if (d->has_queries) return refuse(d, "the demands come behind a query");
    d->has_demands = true;
    d->demands = (sc_claim_demands){.traffic = line->traffic, .is_strict = line->is_strict};
    sc_err err = line->traffic > 0 ? take_density(d, line) : SC_OK;
    if (!err && line->class_count > 0) err = take_classes(d, line);
    if (err || !line->has_continuity) return err;
    if (!sc_map_is_in_metres(d->map)) {
        return refuse(d, "continuity is asked for on a map whose lengths are not in metres");
    }
    d->has_continuity = true;
    d->vmax_m_s = line->vmax_m_s;
    d->tau_us = line->tau_us;
    return sc__reached_init(&d->reached, d->map);
}

/** Whether the segments of a line exist and ascend. */
static sc_err look_at_segments(sc_demand_states *d, const sc_id_list *segments)
{
    for (size_t i = 0; i < segments->count; i++) {
        if (segments->ids[i] >= sc_map_segment_count(d->map)) {
            return refuse(d, "'segments' has one that the map does not have; check that this is "
                             "the map of the run");
        }
        if (i > 0 && segments->ids[i] <= segments->ids[i - 1]) {
            return refuse(d, "'segments' does not ascend");
        }
    }
    return SC_OK;
}

static sc_err take_class(sc_demand_states *d, const sc_event *event)
{
    const uint32_t count = d->classes ? sc_place_classes_count(d->classes) : 0;
    uint32_t number = 0;
    while (number < count &&
           !sc_slice_is(event->class_name, sc_place_classes_name(d->classes, number))) {
        number++;
    }
    if (d->has_queries) return refuse(d, "a class comes behind a query");
    if (number == count) return refuse(d, "no demands before it name this class");
    if (d->class_lines >> number & 1) return refuse(d, "this class comes a second time");
    const sc_err err = look_at_segments(d, &event->roads);
    if (err) return err;
    d->class_lines |= UINT32_C(1) << number;
    for (size_t i = 0; i < event->roads.count; i++) {
        sc_place_classes_mark(d->classes, number, event->roads.ids[i]);
    }
    return SC_OK;
}

static sc_err take_zone(sc_demand_states *d, const sc_event *event)
{
    if (!d->has_demands) return refuse(d, "a zone comes before any demands");
    if (event->roads.count == 0) return refuse(d, "a zone has no segments");
    sc_err err = look_at_segments(d, &event->roads);
    if (err) return err;
    const uint32_t place = (uint32_t)d->zone_count;
    uint32_t holds = SC_NONE;
    if (!sc_grow(&d->zones, d->zone_count, &d->zone_capacity, sizeof *d->zones)) return SC_ENOMEM;
    err = sc_hash_put(&d->zone_numbers, key_of(event->zone), place, &holds);
    if (err) return err;
    if (holds != place) return refuse(d, "a zone before it has the same number");

    sc_seg_id *segments = sc_malloc_array(event->roads.count, sizeof *segments);
    if (!segments) return SC_ENOMEM;
    memcpy(segments, event->roads.ids, event->roads.count * sizeof *segments);
    d->zones[d->zone_count++] = (sc_zone_line){
        .user = XXH3_64bits(event->zone_user.text, event->zone_user.size),
        .next = SC_NONE,
        .segments = segments,
        .count = event->roads.count,
    };
    err = sc_hash_put(&d->zone_users, key_of(d->zones[place].user), place, &holds);
    if (err || holds == place) return err;
    d->zones[place].next = d->zones[holds].next;  // behind the first of its user
    d->zones[holds].next = place;
    return SC_OK;
}

sc_err sc__demand_states_event(sc_demand_states *states, const sc_event *event)
{
    if (event->kind == SC_EVENT_DEMANDS) return take_demands(states, &event->demands);
    if (event->kind == SC_EVENT_CLASS) return take_class(states, event);
    return take_zone(states, event);
}

// --- Pasts --------------------------------------------------------------------------------------

static void use_past(sc_past *past)
{
    if (past) past->use_count++;
}

static void unlink_past(sc_demand_states *d, sc_past *past)
{
    if (past->previous) {
        past->previous->next = past->next;
    } else {
        d->first_past = past->next;
    }
    if (past->next) past->next->previous = past->previous;
    d->past_count--;
    sc_free(past);
}

static void drop_past(sc_demand_states *d, sc_past *past)
{
    if (past && --past->use_count == 0) unlink_past(d, past);
}

/** A new one, used once, whose parts are still to be set. */
static sc_past *new_past(sc_demand_states *d, int64_t asked_us, size_t count)
{
    sc_past *past = sc_malloc(sizeof *past + count * sizeof *past->parts);
    if (!past) return NULL;
    *past = (sc_past){.next = d->first_past, .use_count = 1, .asked_us = asked_us, .count = count};
    if (past->next) past->next->previous = past;
    d->first_past = past;
    d->past_count++;
    return past;
}

/** All of the cloak at hand. */
static sc_past *new_whole_past(sc_demand_states *d, int64_t asked_us)
{
    const sc_segment *segments = sc_map_segments(d->map);
    const sc_edge *edges = sc_map_edges(d->map);
    size_t count = 0;
    for (size_t i = 0; i < d->segment_count; i++) {
        const sc_segment *segment = &segments[d->segments[i]];
        count += segment[1].first_edge - segment[0].first_edge;
    }
    sc_past *past = new_past(d, asked_us, count);
    if (!past) return NULL;
    count = 0;
    for (size_t i = 0; i < d->segment_count; i++) {
        const sc_segment *segment = &segments[d->segments[i]];
        for (sc_edge_id e = segment[0].first_edge; e < segment[1].first_edge; e++) {
            past->parts[count++] = (sc_edge_part){e, 0, edges[e].length};
        }
    }
    return past;
}

/** Whether a past is no older than tau at `asked_us`. */
static bool counts_at(const sc_demand_states *d, const sc_past *past, int64_t asked_us)
{
    return past && asked_us - past->asked_us <= d->tau_us;
}

static sc_past *last_of(const sc_demand_states *d, uint64_t user)
{
    const uint32_t place = sc_hash_get(&d->past_users, key_of(user), SC_NONE);
    return place == SC_NONE ? NULL : d->last[place];
}

/** Forget what is too old to count, now and then. */
static void sweep(sc_demand_states *d, int64_t now_us)
{
    enum { SWEEP_MIN = 1 << 10 };
    if (d->past_count < d->sweep_count) return;
    for (size_t i = 0; i < d->last_count; i++) {
        if (!d->last[i] || counts_at(d, d->last[i], now_us)) continue;
        drop_past(d, d->last[i]);
        d->last[i] = NULL;
    }
    d->sweep_count = 2 * d->past_count + SWEEP_MIN;
}

/** How far one comes in that time, in units of the map, rounded up: at most 2^62. */
static uint64_t distance_in(const sc_demand_states *d, int64_t time_us)
{
    if (time_us <= 0) return 0;
    const double units = d->vmax_m_s * ((double)time_us * 1e-6) / sc_map_unit_m(d->map);
    if (units >= 0x1p62) return UINT64_C(1) << 62;
    const uint64_t whole = (uint64_t)units;
    return (double)whole < units ? whole + 1 : whole;
}

/** Find what of the roads can be reached from a past by the time `asked_us`. */
static sc_err find_reached(sc_demand_states *d, const sc_past *past, int64_t asked_us,
                           const sc_seg_id *roads, size_t count, sc_claim_part *parts)
{
    return sc__reached_find(&d->reached, past->parts, past->count,
                            distance_in(d, asked_us - past->asked_us), roads, count, &d->found,
                            parts);
}

// --- Queries ------------------------------------------------------------------------------------

static bool is_in(const sc_zone_line *zone, sc_seg_id segment)
{
    for (size_t i = 0; i < zone->count; i++) {
        if (zone->segments[i] == segment) return true;
    }
    return false;
}

// A query names a zone if and only if its user has one there.
static sc_err find_zone(sc_demand_states *d, uint32_t number, uint64_t user, sc_seg_id segment,
                        uint32_t *out)
{
    *out = SC_NONE;
    if (number == SC_NONE) {
        uint32_t place = sc_hash_get(&d->zone_users, key_of(user), SC_NONE);
        for (; place != SC_NONE; place = d->zones[place].next) {
            if (is_in(&d->zones[place], segment)) {
                return refuse(d, "a query is in a zone of its user and does not name it");
            }
        }
        return SC_OK;
    }
    const uint32_t place = sc_hash_get(&d->zone_numbers, key_of(number), SC_NONE);
    if (place == SC_NONE) return refuse(d, "'zone' names a zone that has no line before it");
    if (d->zones[place].user != user) return refuse(d, "'zone' names a zone of another user");
    if (!is_in(&d->zones[place], segment)) {
        return refuse(d, "'zone' names a zone that the query is not in");
    }
    *out = place;
    return SC_OK;
}

sc_err sc__demand_states_query(sc_demand_states *states, const sc_event *event, uint64_t user,
                               sc_seg_id segment, sc_open_demands *out)
{
    sc_demand_states *d = states;
    *out = (sc_open_demands){.zone = SC_NONE, .asked_us = event->t_us, .user = user};
    if (!d->has_queries && d->classes) {
        const uint32_t missing = ~d->class_lines;
        for (uint32_t i = 0; i < sc_place_classes_count(d->classes); i++) {
            if (missing >> i & 1) {
                return refuse(d, "a class that the demands name has no line before the first "
                                 "query");
            }
        }
    }
    d->has_queries = true;
    const sc_err err = find_zone(d, event->asked.zone, user, segment, &out->zone);
    if (err || !d->has_continuity) return err;
    sc_past *last = last_of(d, user);
    if (counts_at(d, last, event->t_us)) out->past = last;
    use_past(out->past);
    return SC_OK;
}

void sc__demand_states_release(sc_demand_states *states, sc_open_demands *open)
{
    drop_past(states, open->past);
    open->past = NULL;
}

// --- Cloaks -------------------------------------------------------------------------------------

sc_err sc__demand_states_cloak(sc_demand_states *states, const sc_id_list *segments)
{
    sc_demand_states *d = states;
    size_t count = 0;
    d->member_count = 0;
    d->segment_count = 0;
    if (!d->has_continuity) return SC_OK;
    if (!sc_reserve(&d->segments, segments->count, &d->segment_capacity, sizeof *d->segments)) {
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < segments->count; i++) {
        if (segments->ids[i] < sc_map_segment_count(d->map))
            d->segments[count++] = segments->ids[i];
    }
    if (count == 0) return SC_OK;
    sc_sort_u32(d->segments, count);
    d->segment_count = 1;
    for (size_t i = 1; i < count; i++) {
        if (d->segments[i] != d->segments[i - 1]) d->segments[d->segment_count++] = d->segments[i];
    }
    return SC_OK;
}

/** The later of two pasts that count for a query; NULL if none does. */
static const sc_past *later_of(const sc_demand_states *d, const sc_open_demands *open)
{
    const sc_past *last = last_of(d, open->user);
    const bool is_before = counts_at(d, last, open->asked_us) && last->asked_us < open->asked_us;
    if (!is_before) return open->past;
    return open->past && open->past->asked_us >= last->asked_us ? open->past : last;
}

/** Where the user of a query can be after the cloak at hand; `parts` is room for one per segment.
 */
static sc_past *past_after(sc_demand_states *d, const sc_open_demands *open, sc_claim_part *parts)
{
    const sc_past *before = later_of(d, open);
    if (before != open->past &&
        find_reached(d, before, open->asked_us, d->segments, d->segment_count, parts)) {
        return NULL;
    }
    if (!before || d->found.count == 0) return new_whole_past(d, open->asked_us);
    sc_past *past = new_past(d, open->asked_us, d->found.count);
    if (past) memcpy(past->parts, d->found.at, d->found.count * sizeof *past->parts);
    return past;
}

sc_err sc__demand_states_member(sc_demand_states *states, const sc_open_demands *open)
{
    sc_demand_states *d = states;
    const size_t n = d->segment_count;
    const size_t first = d->member_count * n;
    if (!d->has_demands) return SC_OK;
    if (!sc_grow(&d->members, d->member_count, &d->member_capacity, sizeof *d->members) ||
        !sc_reserve(&d->parts, first + 2 * n, &d->part_capacity, sizeof *d->parts)) {
        return SC_ENOMEM;
    }
    sc_member_demands *member = &d->members[d->member_count];
    *member = (sc_member_demands){.user = open->user};
    if (open->zone != SC_NONE) {
        member->own.zone = d->zones[open->zone].segments;
        member->own.zone_count = d->zones[open->zone].count;
    }
    if (d->has_continuity) {
        member->own.has_reached = open->past != NULL;
        d->found.count = 0;
        if (open->past) {
            const sc_err err = find_reached(d, open->past, open->asked_us, d->segments, n,
                                            n > 0 ? d->parts + first : NULL);
            if (err) return err;
        }
        member->past = past_after(d, open, n > 0 ? d->parts + first + n : NULL);
        if (!member->past) return SC_ENOMEM;
    }
    d->member_count++;
    return SC_OK;
}

const sc_claim_own *sc__demand_states_own(const sc_demand_states *states, size_t member)
{
    if (!states->has_demands) return NULL;
    // Set now, since the parts stay where they are from here on.
    sc_claim_own *own = &states->members[member].own;
    if (own->has_reached) {
        own->reached = states->parts + member * states->segment_count;
        own->reached_count = states->segment_count;
    }
    return own;
}

/** The place of a user in the list of last pasts; new ones get one. */
static sc_err place_of(sc_demand_states *d, uint64_t user, uint32_t *out)
{
    const uint32_t place = (uint32_t)d->last_count;
    if (d->last_count >= SC_NONE) return SC_ELIMIT;
    if (!sc_grow(&d->last, d->last_count, &d->last_capacity, sizeof(void *))) return SC_ENOMEM;
    const sc_err err = sc_hash_put(&d->past_users, key_of(user), place, out);
    if (!err && *out == place) d->last[d->last_count++] = NULL;
    return err;
}

sc_err sc__demand_states_left(sc_demand_states *states)
{
    sc_demand_states *d = states;
    int64_t now_us = INT64_MIN;
    for (size_t i = 0; i < d->member_count && d->has_continuity; i++) {
        sc_past *past = d->members[i].past;
        uint32_t place = 0;
        const sc_err err = place_of(d, d->members[i].user, &place);
        if (err) return err;
        if (past->asked_us > now_us) now_us = past->asked_us;
        d->members[i].past = NULL;
        sc_past *replaced = past;
        if (!d->last[place] || d->last[place]->asked_us <= past->asked_us) {
            replaced = d->last[place];
            d->last[place] = past;
        }
        drop_past(d, replaced);
    }
    if (d->has_continuity && d->member_count > 0) sweep(d, now_us);
    return SC_OK;
}

sc_err sc__demand_states_around(sc_demand_states *states, const sc_open_demands *open,
                                const sc_seg_id *roads, size_t count, const sc_claim_own **out)
{
    sc_demand_states *d = states;
    *out = NULL;
    d->member_count = 0;
    d->segment_count = count;
    if (!d->has_demands) return SC_OK;
    if (!sc_grow(&d->members, 0, &d->member_capacity, sizeof *d->members) ||
        !sc_reserve(&d->parts, count, &d->part_capacity, sizeof *d->parts)) {
        return SC_ENOMEM;
    }
    sc_claim_own *own = &d->members[0].own;
    *own = (sc_claim_own){.has_reached = open->past != NULL};
    if (open->zone != SC_NONE) {
        own->zone = d->zones[open->zone].segments;
        own->zone_count = d->zones[open->zone].count;
    }
    if (own->has_reached) {
        const sc_err err = find_reached(d, open->past, open->asked_us, roads, count, d->parts);
        if (err) return err;
    }
    *out = sc__demand_states_own(d, 0);
    return SC_OK;
}

bool sc__demand_states_lack_density(const sc_demand_states *states)
{
    return states->demands.traffic > 0 && !states->demands.density;
}

void sc__demand_states_report(const sc_demand_states *states, sc_verify_report *report)
{
    const sc_claim_demands *demands = &states->demands;
    if (states->has_continuity) report->demanded |= 1U << SC_PROMISE_P9;
    if (states->zone_count > 0) report->demanded |= 1U << SC_PROMISE_P12;
    if (states->classes) report->demanded |= 1U << SC_PROMISE_P13;
    if (demands->traffic > 0) report->demanded |= 1U << SC_PROMISE_P14;
    report->density_checksum = states->density_checksum;
    report->lacks_density = sc__demand_states_lack_density(states);
    report->has_idle_density = states->density && demands->traffic == 0;
}

// --- Life ---------------------------------------------------------------------------------------

void sc__demand_states_init(sc_demand_states *states, const sc_map *map, const sc_density *density)
{
    *states = (sc_demand_states){.map = map, .density = density};
}

void sc__demand_states_fini(sc_demand_states *states)
{
    sc_demand_states *d = states;
    while (d->first_past) {
        unlink_past(d, d->first_past);
    }
    for (size_t i = 0; i < d->zone_count; i++) {
        sc_free(d->zones[i].segments);
    }
    sc_free(d->zones);
    sc_place_classes_free(d->classes);
    sc_hash_fini(&d->zone_numbers);
    sc_hash_fini(&d->zone_users);
    sc_hash_fini(&d->past_users);
    sc__reached_fini(&d->reached);
    sc_free(d->last);
    sc_free(d->segments);
    sc_free(d->members);
    sc_free(d->parts);
    sc_free(d->found.at);
    sc__demand_states_init(d, d->map, d->density);
}
