// One search for up to sixteen stars at once: what their surroundings share is walked once.
//
// The border nodes of a cloak lie close together, and searches from each of them would visit almost
// the same stars. Here every star that is reached holds sixteen distances, one for each *lane*,
// that is, for each star the search began at; a step along a segment adds its cost to all of them
// at once and keeps the lower ones, which is a handful of vector instructions.
//
// A star is visited again whenever one of its distances improves, so the order of visits matters.
// Left to themselves the lanes would spread like rings on a pond, one behind the other, and visit
// every star once each. So they are first spread over the roads of the cloak: then each star at its
// border has a distance for every lane, nearly always the right one, and the lanes leave the cloak
// together. And a star waits in the queue with the *greatest* of the distances that became shorter,
// so that lanes that come a little later are waited for. Any order gives the right answer; this one
// takes about one and a half visits per star, the least distance first took two.
//
// By itself it needs no index. Given the lists of a request it leans on them as the plain search
// does: a lane goes no farther from a star whose lists reach as far as it is still interested.
//
// Costs are 30 bits of map units in the metric of the search (a thousand kilometres of millimetres,
// twelve days of milliseconds), and 31 bits in the other one. Where that is not enough for a lane,
// the result is marked and the caller takes the plain search (plain_search.c).
#include "lbs/lbs_search.h"

#include "base/alloc.h"
#include "base/cpu_variants.h"
#include "base/sort.h"

#include <math.h>

void sc__shared_search_fini(sc_shared_search *search)
{
    sc__lbs_marks_fini(&search->star_marks);
    sc__lbs_marks_fini(&search->object_marks);
    sc_lbs_queue_fini(&search->queue);
    sc_free(search->stars);
    sc_free(search->objects);
    sc_free(search->best_room);
    sc_free(search->hits);
    *search = (sc_shared_search){.visited = 0};
}

// --- Lanes -------------------------------------------------------------------

#define OTHER_MASK INT64_C(0xffffffff)
/** Set when the other metric has come to more than its 31 bits. One step cannot carry it further.
 */
#define CARRIED (INT64_C(1) << 31)

/** A step as a number that can be added to a lane's; its cost must be below SC_LANE_MOST, and what
 * it costs in the other metric below CARRIED. */
static int64_t lane_step(sc_step step)
{
    return (int64_t)step.cost << SC_LANE_SHIFT | step.other;
}

/** Whether nothing may be added to one of the lanes. */
static bool has_carried(const sc_lbs_lanes *lanes)
{
    int64_t any = 0;
    for (int i = 0; i < SC_LANES; i++) {
        any |= lanes->of[i];
    }
    return any & CARRIED;
}

/** The greatest number of a lane with that cost. */
static int64_t lane_bound(int64_t cost)
{
    return cost << SC_LANE_SHIFT | OTHER_MASK;
}

static int64_t lane_cost(int64_t lane)
{
    return lane >> SC_LANE_SHIFT;
}

static int64_t least_lane(const sc_lbs_lanes *lanes)
{
    int64_t least = SC_LANE_FAR;
    for (int i = 0; i < SC_LANES; i++) {
        least = lanes->of[i] < least ? lanes->of[i] : least;
    }
    return least;
}

/** Whether what a lane has reached is too far, by `way`, to be counted. */
static bool loses(const sc_lbs_lanes *from, int64_t way)
{
    for (int i = 0; i < SC_LANES; i++) {
        if (from->of[i] < SC_LANE_FAR && from->of[i] + way >= SC_LANE_FAR) return true;
    }
    return false;
}

/**
 * Go on from `from` by `way`: where that is cheaper, and within the bound, `to` takes it.
 *
 * @return the greatest cost that became less, SC_LANE_FAR if none did
 */
SC_INLINE int64_t go_on(sc_shared_search *s, const sc_lbs_lanes *from, int64_t way,
                        sc_lbs_lanes *to)
{
    // Straight loops over all lanes, without a branch, so that the compiler makes vectors of them.
    int64_t most = -1;
    for (int i = 0; i < SC_LANES; i++) {
        const int64_t there = from->of[i] + way;
        const int64_t is_cheaper = (there < to->of[i]) & (there <= s->bound.of[i]);
        to->of[i] = is_cheaper ? there : to->of[i];
        const int64_t gained = is_cheaper ? there : -1;
        most = gained > most ? gained : most;
    }
    // Few maps have ways so far that it must be looked at which lanes they are too far for.
    if (s->farthest >= SC_LANE_FAR - way) s->is_lost |= loses(from, way);
    if (most < 0) return SC_LANE_FAR;
    s->farthest = most > s->farthest ? most : s->farthest;
    return most;
}

// --- What is found -----------------------------------------------------------

static void tighten(sc_shared_search *s, int lane, int64_t found)
{
    sc__lbs_best_add(&s->best[lane], (double)lane_cost(found));
    const double bound = (double)lane_cost(s->bound.of[lane]);
    s->bound.of[lane] = lane_bound((int64_t)sc__lbs_best_bound(&s->best[lane], bound));
}

static void find_max_bound(sc_shared_search *s)
{
    s->max_bound = -1;
    for (size_t i = 0; i < s->lane_count; i++) {
        if (s->bound.of[i] > s->max_bound) s->max_bound = s->bound.of[i];
    }
}

static sc_shared_object *object_slot(sc_shared_search *s, sc_object_id object)
{
    sc_lbs_mark *mark = &s->object_marks.marks[object];
    if (mark->search == s->object_marks.search) return &s->objects[mark->slot];
    if (!sc_grow(&s->objects, s->object_count, &s->object_capacity, sizeof *s->objects)) {
        return NULL;
    }
    *mark = (sc_lbs_mark){s->object_marks.search, (uint32_t)s->object_count};
    sc_shared_object *slot = &s->objects[s->object_count++];
    slot->object = object;
    for (int i = 0; i < SC_LANES; i++) {
        slot->cost.of[i] = SC_LANE_FAR;
    }
    return slot;
}

SC_CPU_VARIANTS static bool offer_object(sc_shared_search *s, sc_object_id object,
                                         const sc_lbs_lanes *from, sc_step step)
{
    s->has_carried |= step.other >= CARRIED;
    if (s->has_carried) return true;
    sc_shared_object *slot = object_slot(s, object);
    if (!slot) return false;
    const sc_lbs_lanes before = slot->cost;
    if (go_on(s, from, lane_step(step), &slot->cost) == SC_LANE_FAR) return true;
    if (s->question->reach.k == UINT32_MAX) return true;
    // A lane counts an object once, with the cost it was found at.
    for (size_t i = 0; i < s->lane_count; i++) {
        if (before.of[i] == SC_LANE_FAR && slot->cost.of[i] < SC_LANE_FAR) {
            tighten(s, (int)i, slot->cost.of[i]);
        }
    }
    find_max_bound(s);
    return true;
}

// The objects of a segment, from its first node on or backwards from its last; `least` is the
// least of `from`. They stand in the order of the road, so the first one too far ends it, and the
// first one that the road is not open to.
static bool offer_segment(sc_shared_search *s, sc_seg_id segment, const sc_lbs_lanes *from,
                          int64_t least, bool backwards)
{
    const sc_objects_view *view = s->question->view;
    if (!(view->segment_mask[segment] & s->question->wanted->mask)) return true;
    const sc_metric metric = s->question->reach.metric;
    const uint32_t first = view->segment_first[segment];
    const uint32_t end = view->segment_first[segment + 1];
    const uint32_t length = sc_map_segments(view->map)[segment].length;
    for (uint32_t i = 0; i < end - first; i++) {
        const sc_object_id object = backwards ? end - 1 - i : first + i;
        const sc_step step = sc__object_step(view, metric, object, length, backwards);
        if (step.cost == SC_CLOSED) break;
        const int64_t there = lane_cost(least) + step.cost;
        if (step.cost >= SC_LANE_MOST || there > lane_cost(s->max_bound)) {
            s->is_lost |= step.cost >= SC_LANE_MOST || there >= SC_LANE_MOST;
            break;
        }
        if (!sc__lbs_is_wanted(s->question->wanted, view, object)) continue;
        if (!offer_object(s, object, from, step)) return false;
    }
    return true;
}

// Offer what one list of a star holds, and let lanes end at the star that need nothing beyond it:
// the list goes on farther than their bound, or has all there is.
static bool offer_list(sc_shared_search *s, uint32_t i, sc_star_id star, const sc_lbs_lanes *from,
                       int64_t least, sc_lbs_lanes *beyond)
{
    const sc_nearest *entries = sc__index_lookup_entries(s->question->lists, i, star);
    const uint32_t *others = sc__index_lookup_others(s->question->lists, i, star);
    const uint32_t kept = s->question->lists->lists[i]->k;
    uint32_t at = 0;
    for (; at < kept && entries[at].object != SC_NONE; at++) {
        const sc_step step = {entries[at].cost, others[at]};
        if (step.cost >= SC_LANE_MOST) {
            s->is_lost = true;
            return true;
        }
        if (lane_cost(least) + step.cost > lane_cost(s->max_bound)) return true;
        if (!offer_object(s, entries[at].object, from, step)) return false;
    }
    const bool is_all =
        at == kept ? s->question->lists->is_whole[i] : entries[at].cost == SC_NEAREST_ALL;
    if (is_all) return true;
    const int64_t last = at == kept ? (int64_t)entries[at - 1].cost << SC_LANE_SHIFT : 0;
    for (int lane = 0; lane < SC_LANES; lane++) {
        const bool goes_on = at < kept || from->of[lane] + last <= s->bound.of[lane];
        if (goes_on) beyond->of[lane] = from->of[lane];
    }
    return true;
}

/** From `from` to those lanes of it, in the same place, that must go beyond the star. */
static bool lean(sc_shared_search *s, sc_star_id star, sc_lbs_lanes *from)
{
    const sc_lbs_lanes all = *from;
    const int64_t least = least_lane(&all);
    for (int i = 0; i < SC_LANES; i++) {
        from->of[i] = SC_LANE_FAR;
    }
    for (uint32_t i = 0; i < s->question->lists->count; i++) {
        if (!offer_list(s, i, star, &all, least, from)) return false;
    }
    return true;
}

// --- The way there -----------------------------------------------------------

static sc_shared_star *star_slot(sc_shared_search *s, sc_star_id star)
{
    sc_lbs_mark *mark = &s->star_marks.marks[star];
    if (mark->search == s->star_marks.search) return &s->stars[mark->slot];
    if (!sc_grow(&s->stars, s->star_count, &s->star_capacity, sizeof *s->stars)) return NULL;
    *mark = (sc_lbs_mark){s->star_marks.search, (uint32_t)s->star_count};
    sc_shared_star *slot = &s->stars[s->star_count++];
    slot->queued = SC_LANE_FAR;
    for (int i = 0; i < SC_LANES; i++) {
        slot->cost.of[i] = SC_LANE_FAR;
    }
    return slot;
}

static bool wait(sc_shared_search *s, sc_shared_star *slot, sc_star_id star, int64_t cost)
{
    if (cost >= slot->queued) return true;
    slot->queued = cost;
    if (!sc_lbs_queue_reserve(&s->queue, s->queue.count + 1)) return false;
    // What a double loses of it makes no difference: any order will do.
    sc_lbs_queue_push(&s->queue, (sc_lbs_queued){(double)cost, star});
    return true;
}

SC_CPU_VARIANTS static bool reach_star(sc_shared_search *s, sc_star_id star,
                                       const sc_lbs_lanes *from, sc_step step)
{
    if (step.cost == SC_CLOSED) return true;
    if (step.cost >= SC_LANE_MOST) {
        s->is_lost = true;
        return true;
    }
    s->has_carried |= step.other >= CARRIED;
    if (s->has_carried) return true;
    sc_shared_star *slot = star_slot(s, star);
    if (!slot) return false;
    const int64_t gained = go_on(s, from, lane_step(step), &slot->cost);
    return gained == SC_LANE_FAR || wait(s, slot, star, gained);
}

static bool visit_star(sc_shared_search *s, sc_star_id star)
{
    const sc_map *map = s->question->view->map;
    const sc_star *at = &sc_map_stars(map)[star];
    const sc_seg_id *listed = sc_map_star_segments(map);
    // A copy: the slots move when there come to be more of them.
    sc_lbs_lanes from = s->stars[s->star_marks.marks[star].slot].cost;
    s->visited++;
    s->has_carried |= has_carried(&from);
    if (s->question->lists && !lean(s, star, &from)) return false;
    const int64_t least = least_lane(&from);
    if (least == SC_LANE_FAR) return true;
    for (uint32_t i = at[0].first_segment; i < at[1].first_segment; i++) {
        const sc_seg_id id = listed[i];
        const sc_segment *segment = &sc_map_segments(map)[id];
        for (int backwards = 0; backwards < 2; backwards++) {
            const sc_star_id begin = backwards ? segment->star_b : segment->star_a;
            const sc_star_id end = backwards ? segment->star_a : segment->star_b;
            if (begin != star) continue;
            if (!offer_segment(s, id, &from, least, backwards)) return false;
            // A road that returns to its start is taken both ways for its objects' sake.
            if (end == SC_NONE || end == star) continue;
            const sc_step step = sc__segment_step(map, s->question->reach.metric, id, backwards);
            if (!reach_star(s, end, &from, step)) return false;
        }
    }
    return true;
}

// --- Results -----------------------------------------------------------------

static bool gather(sc_shared_search *s)
{
    s->hit_count = 0;
    s->start[0] = 0;
    for (size_t lane = 0; lane < s->lane_count; lane++) {
        bool is_whole = !s->has_carried;
        for (size_t i = 0; i < s->object_count; i++) {
            const int64_t cost = s->objects[i].cost.of[lane];
            // A bound that came later may leave it out: it is then not among the k nearest.
            if (cost > s->bound.of[lane]) continue;
            is_whole &= !(cost & CARRIED);
            if (!sc_grow(&s->hits, s->hit_count, &s->hit_capacity, sizeof *s->hits)) return false;
            s->hits[s->hit_count++] = (uint64_t)lane_cost(cost) << 32 | s->objects[i].object;
        }
        const size_t count = s->hit_count - s->start[lane];
        if (count > 0) sc_sort_count_different(s->hits + s->start[lane], count);
        if (count > s->question->reach.k) s->hit_count = s->start[lane] + s->question->reach.k;
        s->start[lane + 1] = s->hit_count;
        // With a bound below the limit of what can be counted, nothing beyond it can matter.
        s->is_unsure[lane] = !is_whole || (s->is_lost && s->bound.of[lane] == SC_LANE_FAR - 1);
    }
    return true;
}

static bool begin(sc_shared_search *s, const sc_star_id *stars, size_t count)
{
    s->lane_count = count;
    s->star_count = 0;
    s->object_count = 0;
    s->queue.count = 0;
    s->is_lost = s->question->reach.radius >= SC_LANE_MOST && isfinite(s->question->reach.radius);
    s->has_carried = false;
    s->farthest = 0;
    if (s->question->reach.k != UINT32_MAX && s->question->reach.k > s->best_capacity) {
        double *grown =
            sc_realloc_array(s->best_room, (size_t)s->question->reach.k * SC_LANES, sizeof *grown);
        if (!grown) return false;
        s->best_room = grown;
        s->best_capacity = s->question->reach.k;
    }
    if (!sc__lbs_marks_begin(&s->star_marks, sc_map_star_count(s->question->view->map)))
        return false;
    if (!sc__lbs_marks_begin(&s->object_marks, s->question->view->object_count)) return false;

    const int64_t bound =
        lane_bound(s->question->reach.radius < SC_LANE_MOST ? (int64_t)s->question->reach.radius
                                                            : SC_LANE_MOST - 1);
    for (size_t i = 0; i < SC_LANES; i++) {
        s->bound.of[i] = i < count ? bound : -1;
        double *room = s->best_room ? s->best_room + i * s->best_capacity : NULL;
        s->best[i] = (sc_lbs_best){room, 0, s->question->reach.k};
    }
    find_max_bound(s);
    for (size_t i = 0; i < count; i++) {
        sc_shared_star *slot = star_slot(s, stars[i]);
        if (!slot) return false;
        slot->cost.of[i] = 0;
        if (!wait(s, slot, stars[i], 0)) return false;
    }
    return true;
}

// Spread the lanes over the roads of the cloak: each road in turn, as long as that brings anything.
// What is left after some rounds, as on a winding way of many segments, the search itself brings.
static bool spread_inside(sc_shared_search *s)
{
    enum { ROUNDS = 16 };
    const sc_segment *segments = sc_map_segments(s->question->view->map);
    size_t before = 0;
    for (int round = 0; round < ROUNDS && s->queue.count > before; round++) {
        before = s->queue.count;
        for (size_t i = 0; i < s->question->segment_count; i++) {
            const sc_segment *road = &segments[s->question->segments[i]];
            if (road->star_b == SC_NONE || road->star_b == road->star_a) continue;
            for (int way = 0; way < 2; way++) {
                const sc_star_id from = way ? road->star_b : road->star_a;
                const sc_star_id to = way ? road->star_a : road->star_b;
                if (!sc__lbs_marked(&s->star_marks, from)) continue;
                const sc_lbs_lanes lanes = s->stars[s->star_marks.marks[from].slot].cost;
                s->has_carried |= has_carried(&lanes);
                const sc_step step =
                    sc__segment_step(s->question->view->map, s->question->reach.metric,
                                     s->question->segments[i], way);
                if (!reach_star(s, to, &lanes, step)) return false;
            }
        }
    }
    return true;
}

sc_err sc__shared_search(sc_shared_search *search, const sc_shared_question *question,
                         const sc_star_id *stars, size_t count)
{
    sc_shared_search *s = search;
    s->question = question;
    if (!begin(s, stars, count) || !spread_inside(s)) return SC_ENOMEM;
    while (s->queue.count > 0 && !s->has_carried) {
        const sc_lbs_queued next = sc_lbs_queue_pop(&s->queue);
        sc_shared_star *slot = &s->stars[s->star_marks.marks[next.star].slot];
        if (next.cost != (double)slot->queued) continue;
        slot->queued = SC_LANE_FAR;
        if (!visit_star(s, next.star)) return SC_ENOMEM;
    }
    return gather(s) ? SC_OK : SC_ENOMEM;
}
