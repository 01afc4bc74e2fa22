// Which spans of roads are within a distance of others: Dijkstra over the stars, from the ends
// of the spans, until the ends of all targets are settled or everything else is too far. On a
// target, what counts is near one of the spans along the target itself, or near one of its ends.
#include "engine/road_reach.h"

#include "base/alloc.h"

#include <string.h>

void sc__road_spans_fini(sc__road_spans *spans)
{
    if (spans->items) {
        explicit_bzero(spans->items, spans->capacity * sizeof *spans->items);
    }
    sc_free(spans->items);
    *spans = (sc__road_spans){0};
}

sc_err sc__road_reach_init(sc__road_reach *reach, const sc_map *map)
{
    const uint32_t star_count = sc_map_star_count(map);
    *reach = (sc__road_reach){.map = map};
    reach->distance = sc_calloc(star_count, sizeof *reach->distance);
    reach->is_wanted = sc_calloc(star_count, sizeof *reach->is_wanted);
    if (!reach->distance || !reach->is_wanted) {
        sc__road_reach_fini(reach);
        return SC_ENOMEM;
    }
    return SC_OK;
}

void sc__road_reach_fini(sc__road_reach *reach)
{
    sc_free(reach->distance);
    sc_free(reach->is_wanted);
    sc_free(reach->touched);
    sc__road_visits_fini(&reach->visits);
    *reach = (sc__road_reach){0};
}

// --- The search --------------------------------------------------------------

static bool is_untouched(const sc__road_reach *reach, sc_star_id star)
{
    return reach->distance[star] == 0 && !reach->is_wanted[star];
}

/** Note that a star has to be cleared when the search ends. */
static bool touch(sc__road_reach *reach, sc_star_id star)
{
    if (!is_untouched(reach, star)) return true;
    if (!sc_grow(&reach->touched, reach->touched_count, &reach->touched_capacity,
                 sizeof *reach->touched)) {
        return false;
    }
    reach->touched[reach->touched_count++] = star;
    return true;
}

/** Wipe all that the search has found on its way. */
static void clear(sc__road_reach *reach)
{
    for (size_t i = 0; i < reach->touched_count; i++) {
        reach->distance[reach->touched[i]] = 0;
        reach->is_wanted[reach->touched[i]] = false;
    }
    if (reach->touched) {
        explicit_bzero(reach->touched, reach->touched_count * sizeof *reach->touched);
    }
    reach->touched_count = 0;
    if (reach->visits.entries) {
        explicit_bzero(reach->visits.entries,
                       reach->visits.capacity * sizeof *reach->visits.entries);
    }
    reach->visits.count = 0;
}

/** Mark the ends of the targets as wanted; counts them. */
static bool want(sc__road_reach *reach, const sc_seg_id *targets, size_t target_count,
                 size_t *wanted)
{
    const sc_segment *segments = sc_map_segments(reach->map);
    for (size_t i = 0; i < target_count; i++) {
        const sc_star_id ends[] = {segments[targets[i]].star_a, segments[targets[i]].star_b};
        for (int end = 0; end < 2; end++) {
            if (ends[end] == SC_NONE || reach->is_wanted[ends[end]]) continue;
            if (!touch(reach, ends[end])) return false;
            reach->is_wanted[ends[end]] = true;
            (*wanted)++;
        }
    }
    return true;
}

/** Come to a star, unless the search was there on a way that is no longer. */
static bool arrive(sc__road_reach *reach, sc_star_id star, uint64_t distance, uint64_t within)
{
    if (star == SC_NONE || distance > within) return true;
    if (reach->distance[star] != 0 && reach->distance[star] - 1 <= distance) return true;
    if (!sc__road_visits_reserve(&reach->visits, reach->visits.count + 1)) return false;
    if (!touch(reach, star)) return false;
    reach->distance[star] = distance + 1;
    sc__road_visits_push(&reach->visits, (sc__road_visit){distance, star});
    return true;
}

static bool leave(sc__road_reach *reach, const sc__road_span *from, size_t count, uint64_t within)
{
    for (size_t i = 0; i < count; i++) {
        const sc_segment *segment = &sc_map_segments(reach->map)[from[i].segment];
        if (!arrive(reach, segment->star_a, from[i].from, within) ||
            !arrive(reach, segment->star_b, segment->length - from[i].to, within)) {
            return false;
        }
    }
    return true;
}

static bool visit(sc__road_reach *reach, sc__road_visit at, uint64_t within)
{
    const sc_star *star = &sc_map_stars(reach->map)[at.star];
    const sc_seg_id *listed = sc_map_star_segments(reach->map);
    for (uint32_t i = star[0].first_segment; i < star[1].first_segment; i++) {
        const sc_segment *segment = &sc_map_segments(reach->map)[listed[i]];
        const sc_star_id to = segment->star_a == at.star ? segment->star_b : segment->star_a;
        if (!arrive(reach, to, at.distance + segment->length, within)) return false;
    }
    return true;
}

static bool search(sc__road_reach *reach, const sc__road_span *from, size_t from_count,
                   uint64_t within, const sc_seg_id *targets, size_t target_count)
{
    size_t wanted = 0;
    if (!want(reach, targets, target_count, &wanted)) return false;
    if (!leave(reach, from, from_count, within)) return false;
    while (wanted > 0 && reach->visits.count > 0) {
        const sc__road_visit at = sc__road_visits_pop(&reach->visits);
        if (at.distance > reach->distance[at.star] - 1) continue;
        if (reach->is_wanted[at.star]) {
            reach->is_wanted[at.star] = false;
            wanted--;
        }
        if (!visit(reach, at, within)) return false;
    }
    return true;
}

// --- What lies on the targets ------------------------------------------------

/** Append a span behind those of its segment, which begin at out->items[first]; in order. */
static bool insert(sc__road_spans *out, size_t first, sc__road_span added)
{
    if (!sc_grow(&out->items, out->count, &out->capacity, sizeof *out->items)) return false;
    size_t at = out->count++;
    for (; at > first && out->items[at - 1].from > added.from; at--) {
        out->items[at] = out->items[at - 1];
    }
    out->items[at] = added;
    return true;
}

/** Join those that touch, from out->items[first] on. */
static void join(sc__road_spans *out, size_t first)
{
    if (out->count == first) return;
    size_t last = first;
    for (size_t i = first + 1; i < out->count; i++) {
        if (out->items[i].from > out->items[last].to) {
            out->items[++last] = out->items[i];
        } else if (out->items[i].to > out->items[last].to) {
            out->items[last].to = out->items[i].to;
        }
    }
    out->count = last + 1;
}

/** How far one gets beyond a star; false if it is too far itself. */
static bool rest_at(const sc__road_reach *reach, sc_star_id star, uint64_t within, uint64_t *rest)
{
    if (star == SC_NONE || reach->distance[star] == 0) return false;
    *rest = within - (reach->distance[star] - 1);
    return true;
}

static uint32_t at_most(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

/** All that is reached of one segment; `from` are the spans on it. */
static bool collect(const sc__road_reach *reach, sc_seg_id segment, const sc__road_span *from,
                    size_t from_count, uint64_t within, sc__road_spans *out)
{
    const sc_segment *road = &sc_map_segments(reach->map)[segment];
    const size_t first = out->count;
    uint64_t rest;
    if (rest_at(reach, road->star_a, within, &rest) &&
        !insert(out, first, (sc__road_span){segment, 0, at_most(rest, road->length)})) {
        return false;
    }
    if (rest_at(reach, road->star_b, within, &rest) &&
        !insert(
            out, first,
            (sc__road_span){segment, road->length - at_most(rest, road->length), road->length})) {
        return false;
    }
    for (size_t i = 0; i < from_count; i++) {
        const uint32_t before = from[i].from - at_most(within, from[i].from);
        const uint32_t behind = from[i].to + at_most(within, road->length - from[i].to);
        if (!insert(out, first, (sc__road_span){segment, before, behind})) return false;
    }
    join(out, first);
    return true;
}

sc_err sc__road_reach_find(sc__road_reach *reach, const sc__road_span *from, size_t from_count,
                           uint64_t within, const sc_seg_id *targets, size_t target_count,
                           sc__road_spans *out)
{
    out->count = 0;
    bool is_whole = search(reach, from, from_count, within, targets, target_count);
    size_t next = 0;
    for (size_t i = 0; i < target_count && is_whole; i++) {
        while (next < from_count && from[next].segment < targets[i]) {
            next++;
        }
        size_t end = next;
        while (end < from_count && from[end].segment == targets[i]) {
            end++;
        }
        is_whole = collect(reach, targets[i], &from[next], end - next, within, out);
    }
    if (!is_whole) out->count = 0;
    clear(reach);
    return is_whole ? SC_OK : SC_ENOMEM;
}
