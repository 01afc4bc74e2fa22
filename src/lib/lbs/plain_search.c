// Incremental network expansion: from one place outwards, until enough objects are found.
//
// Dijkstra's search over stars and segments. Each star that is taken out of the queue offers the
// objects on its segments; the search ends when the next star is farther than the k-th object, or
// than the radius.
//
// By itself it needs no index: so it answers for an exact position, and so it is what all else is
// measured and tested against. Given the lists of the index it *leans* on them: a star then offers
// what its lists hold, and is not expanded if these reach as far as is still of interest. From a
// star whose own list is too short, that is a step or two instead of all the way.
#include "lbs/lbs_search.h"

#include "base/alloc.h"
#include "map/road_legs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// === Marks ======================================================================================

bool sc__lbs_marks_begin(sc_lbs_marks *marks, size_t count)
{
    if (count > marks->count) {
        sc_lbs_mark *grown = sc_calloc(count, sizeof *grown);
        if (!grown) return false;
        sc_free(marks->marks);
        *marks = (sc_lbs_marks){.marks = grown, .count = count};
    }
    // After 2^32 searches the numbers start again, and old marks must not look like new ones.
    if (++marks->search == 0) {
        memset(marks->marks, 0, marks->count * sizeof *marks->marks);
        marks->search = 1;
    }
    return true;
}

void sc__lbs_marks_fini(sc_lbs_marks *marks)
{
    sc_free(marks->marks);
    *marks = (sc_lbs_marks){.count = 0};
}

// === The search =================================================================================

void sc__plain_search_fini(sc_plain_search *search)
{
    sc__lbs_marks_fini(&search->stars);
    sc__lbs_marks_fini(&search->objects);
    sc_lbs_queue_fini(&search->queue);
    sc_free(search->star_costs);
    sc_free(search->hits);
    sc_free(search->best.distances);
    *search = (sc_plain_search){.visited = 0};
}

// --- What is found -----------------------------------------------------------

static bool offer_object(sc_plain_search *s, sc_object_id object, sc_lbs_cost way)
{
    if (way.cost > s->bound) return true;
    sc_lbs_mark *mark = &s->objects.marks[object];
    if (mark->search == s->objects.search) {
        sc_lbs_hit *hit = &s->hits[mark->slot];
        if (sc__lbs_is_cheaper(way, hit->way)) hit->way = way;
        return true;
    }
    if (!sc_grow(&s->hits, s->hit_count, &s->hit_capacity, sizeof *s->hits)) return false;
    *mark = (sc_lbs_mark){s->objects.search, (uint32_t)s->hit_count};
    s->hits[s->hit_count++] = (sc_lbs_hit){way, object};
    if (s->reach.k != UINT32_MAX) {
        sc__lbs_best_add(&s->best, way.cost);
        s->bound = sc__lbs_best_bound(&s->best, s->bound);
    }
    return true;
}

// The objects of a segment from its first node on, to which the way costs `before`, or backwards
// from its last. They stand in the order of the road, so the first one too far ends it, and the
// first one that the road is not open to.
static bool offer_segment(sc_plain_search *s, sc_seg_id segment, sc_lbs_cost before, bool backwards)
{
    const sc_objects_view *view = s->view;
    if (!(view->segment_mask[segment] & s->wanted->mask)) return true;
    const uint32_t first = view->segment_first[segment];
    const uint32_t end = view->segment_first[segment + 1];
    const uint32_t length = sc_map_segments(view->map)[segment].length;
    for (uint32_t i = 0; i < end - first; i++) {
        const sc_object_id object = backwards ? end - 1 - i : first + i;
        const sc_step step = sc__object_step(view, s->reach.metric, object, length, backwards);
        if (step.cost == SC_CLOSED || before.cost + step.cost > s->bound) break;
        if (!sc__lbs_is_wanted(s->wanted, view, object)) continue;
        if (!offer_object(s, object, sc__lbs_cost_plus(before, step))) return false;
    }
    return true;
}

// --- The way there -----------------------------------------------------------

static bool reach_star(sc_plain_search *s, sc_star_id star, sc_lbs_cost way)
{
    if (way.cost > s->bound) return true;
    sc_lbs_mark *mark = &s->stars.marks[star];
    if (mark->search == s->stars.search) {
        if (!sc__lbs_is_cheaper(way, s->star_costs[mark->slot])) return true;
        s->star_costs[mark->slot] = way;
    } else {
        if (!sc_grow(&s->star_costs, s->star_count, &s->star_capacity, sizeof *s->star_costs)) {
            return false;
        }
        *mark = (sc_lbs_mark){s->stars.search, (uint32_t)s->star_count};
        s->star_costs[s->star_count++] = way;
    }
    if (!sc_lbs_queue_reserve(&s->queue, s->queue.count + 1)) return false;
    sc_lbs_queue_push(&s->queue, (sc_lbs_queued){way.cost, star});
    return true;
}

// Offer what the lists of a star hold. `is_enough` is set if nothing else that lies beyond it is
// of interest: each list goes on farther than the bound, or has all there is.
static bool offer_lists(sc_plain_search *s, sc_star_id star, sc_lbs_cost before, bool *is_enough)
{
    *is_enough = true;
    for (uint32_t i = 0; i < s->lists->count; i++) {
        const sc_nearest *entries = sc__index_lookup_entries(s->lists, i, star);
        const uint32_t *others = sc__index_lookup_others(s->lists, i, star);
        const uint32_t kept = s->lists->lists[i]->k;
        uint32_t at = 0;
        for (; at < kept && entries[at].object != SC_NONE; at++) {
            const sc_step step = {entries[at].cost, others[at]};
            if (before.cost + step.cost > s->bound) break;
            if (!offer_object(s, entries[at].object, sc__lbs_cost_plus(before, step))) return false;
        }
        if (at == kept) {
            *is_enough &= s->lists->is_whole[i];
        } else if (entries[at].object == SC_NONE) {
            *is_enough &= entries[at].cost == SC_NEAREST_ALL;
        }
    }
    return true;
}

// Go on along a segment from one of its ends: to its objects, and to the star at its other end.
static bool go_along(sc_plain_search *s, sc_seg_id segment, sc_lbs_cost before, bool backwards)
{
    const sc_segment *road = &sc_map_segments(s->view->map)[segment];
    const sc_star_id to = backwards ? road->star_a : road->star_b;
    if (!offer_segment(s, segment, before, backwards)) return false;
    if (to == SC_NONE) return true;
    const sc_step step = sc__segment_step(s->view->map, s->reach.metric, segment, backwards);
    return step.cost == SC_CLOSED || reach_star(s, to, sc__lbs_cost_plus(before, step));
}

static bool visit_star(sc_plain_search *s, sc_star_id star, sc_lbs_cost before)
{
    if (s->lists) {
        bool is_enough = false;
        if (!offer_lists(s, star, before, &is_enough)) return false;
        if (is_enough) return true;
    }
    const sc_map *map = s->view->map;
    const sc_star *at = &sc_map_stars(map)[star];
    const sc_seg_id *listed = sc_map_star_segments(map);
    s->visited++;
    for (uint32_t i = at[0].first_segment; i < at[1].first_segment; i++) {
        const sc_segment *segment = &sc_map_segments(map)[listed[i]];
        // A road that returns to its start is taken both ways.
        if (segment->star_a == star && !go_along(s, listed[i], before, false)) return false;
        if (segment->star_b == star && !go_along(s, listed[i], before, true)) return false;
    }
    return true;
}

static bool is_nearer(const sc_lbs_hit *a, const sc_lbs_hit *b)
{
    return a->way.cost != b->way.cost ? a->way.cost < b->way.cost : a->object < b->object;
}

static int compare_hits(const void *a, const void *b)
{
    return is_nearer(b, a) - is_nearer(a, b);
}

// Sort what was found and keep the k nearest.
static void settle(sc_plain_search *s)
{
    // Most of what is left over was offered before the bound came down.
    size_t count = 0;
    for (size_t i = 0; i < s->hit_count; i++) {
        if (s->hits[i].way.cost <= s->bound) s->hits[count++] = s->hits[i];
    }
    enum { FEW = 32 };
    if (count > FEW) qsort(s->hits, count, sizeof *s->hits, compare_hits);
    for (size_t i = 1; i < count && count <= FEW; i++) {
        const sc_lbs_hit hit = s->hits[i];
        size_t at = i;
        for (; at > 0 && is_nearer(&hit, &s->hits[at - 1]); at--) {
            s->hits[at] = s->hits[at - 1];
        }
        s->hits[at] = hit;
    }
    s->hit_count = count < s->reach.k ? count : s->reach.k;
}

static sc_err expand(sc_plain_search *s)
{
    while (s->queue.count > 0) {
        const sc_lbs_queued next = sc_lbs_queue_pop(&s->queue);
        if (next.cost > s->bound) break;
        // A star that was reached at a lower cost since has been visited at that.
        const sc_lbs_cost way = s->star_costs[s->stars.marks[next.star].slot];
        if (next.cost > way.cost) continue;
        if (!visit_star(s, next.star, way)) return SC_ENOMEM;
    }
    settle(s);
    return SC_OK;
}

// --- Where it begins ---------------------------------------------------------

static sc_err begin(sc_plain_search *s, const sc_objects_view *view, const sc_lbs_wanted *wanted,
                    const sc_index_lookup *lists, sc_lbs_reach reach)
{
    s->view = view;
    s->wanted = wanted;
    s->lists = lists;
    s->reach = reach;
    s->bound = reach.radius;
    s->hit_count = 0;
    s->star_count = 0;
    s->queue.count = 0;
    s->best.count = 0;
    s->best.k = reach.k;
    if (reach.k != UINT32_MAX && reach.k > s->best_capacity) {
        double *grown = sc_realloc_array(s->best.distances, reach.k, sizeof *grown);
        if (!grown) return SC_ENOMEM;
        s->best.distances = grown;
        s->best_capacity = reach.k;
    }
    const bool has_room = sc__lbs_marks_begin(&s->stars, sc_map_star_count(view->map)) &&
                          sc__lbs_marks_begin(&s->objects, view->object_count);
    return has_room ? SC_OK : SC_ENOMEM;
}

sc_err sc__plain_search_star(sc_plain_search *search, const sc_objects_view *view,
                             const sc_lbs_wanted *wanted, const sc_index_lookup *lists,
                             sc_lbs_reach reach, sc_star_id star)
{
    const sc_err err = begin(search, view, wanted, lists, reach);
    if (err) return err;
    return reach_star(search, star, (sc_lbs_cost){0.0, 0.0}) ? expand(search) : SC_ENOMEM;
}

// What it takes to get to a spot on a leg, in the order of the search's metric.
static sc_lbs_cost leg_cost(const sc_plain_search *s, const sc_road_leg *leg,
                            const sc_road_spot *spot)
{
    sc_cost distance;
    sc_cost time;
    sc__road_leg_to(leg, spot, &distance, &time);
    // Rounding may put an object a little before the place that it lies behind.
    const double metres = fmax(sc__cost_plus(distance, 0.0), 0.0);
    const double seconds = fmax(sc__cost_plus(time, 0.0), 0.0);
    return s->reach.metric == SC_METRIC_TIME ? (sc_lbs_cost){seconds, metres}
                                             : (sc_lbs_cost){metres, seconds};
}

static bool begin_on_leg(sc_plain_search *s, sc_seg_id segment, const sc_road_leg *leg)
{
    const sc_objects_view *view = s->view;
    for (sc_object_id i = view->segment_first[segment]; i < view->segment_first[segment + 1]; i++) {
        if (!sc__lbs_is_wanted(s->wanted, view, i)) continue;
        const sc_object *object = &view->objects[i];
        const sc_road_spot spot = sc__road_spot_whole(view->map, object->edge, object->offset);
        if (!sc__road_leg_passes(leg, &spot)) continue;
        if (!offer_object(s, i, leg_cost(s, leg, &spot))) return false;
    }
    const sc_segment *road = &sc_map_segments(view->map)[segment];
    const sc_star_id end = leg->is_backward ? road->star_a : road->star_b;
    if (!leg->reaches_end || end == SC_NONE) return true;
    return reach_star(s, end, leg_cost(s, leg, &leg->limit));
}

sc_err sc__plain_search_point(sc_plain_search *search, const sc_objects_view *view,
                              const sc_lbs_wanted *wanted, sc_lbs_reach reach, sc_road_point at)
{
    const sc_err err = begin(search, view, wanted, NULL, reach);
    if (err) return err;
    const sc_seg_id segment = sc_map_edges(view->map)[at.edge].segment;
    const double offset = at.offset_m / sc_map_unit_m(view->map);
    const double length = sc_map_edges(view->map)[at.edge].length;
    const sc_road_legs legs =
        sc__road_legs(view->map, at.edge, fmin(fmax(offset, 0.0), length), at.direction);
    for (int i = 0; i < legs.count; i++) {
        if (!begin_on_leg(search, segment, &legs.legs[i])) return SC_ENOMEM;
    }
    return expand(search);
}
