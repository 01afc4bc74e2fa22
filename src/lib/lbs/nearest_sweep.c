// One sweep: the k nearest objects of every star.
//
// A search from all objects at once, against the direction of the roads: what reaches a star is how
// far the object is from there. Each begins at the ends of its segment, where the road to it is
// open, and spreads to the stars from which a road leads here; a star keeps the k nearest that have
// reached it, and only what enters a star's list spreads on: what is not among the k nearest of a
// star is, beyond it, behind k others.
//
// A *label* is one entry of a list while the sweep runs, in one number:
//
//     cost (32 bits) | object (31 bits) | done (1 bit)
//
// and beside it is what the way costs in the other metric: of ways that cost the same, the least.
//
//  1. A list ascends and its unused labels, all ones, come last. So lists are ordered by
//     cost and then by object, and the least k of any labels are the same in whatever order
//     they come: the result does not depend on the order of work.
//  2. No object is in a list twice.
//  3. A label that is not done has still to spread along the roads of its star. Then its star is
//     in the queue, due in the label's stride or earlier.
//
// By cost alone, a star would be visited once for every label, and each visit is to some other
// end of memory. So work goes by strides (delta-stepping; Meyer and Sanders, 2003): a visit
// spreads all labels of a stride, a label that is improved within its stride spreads once
// more, and since a stride's stars are all known beforehand, their memory is asked for ahead of
// time. The lists are made in the very table that is handed out.
#include "lbs/nearest_sweep.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "map/map_tables.h"

#include <string.h>

// === Roads between stars ========================================================================
// A map has the segments of a star and, elsewhere, where each of them leads and what it costs. A
// sweep needs both some millions of times, so they are put side by side: 12 bytes per end of a
// segment, used by all sweeps of a metric and then thrown away. Dead ends and roads back to their
// own star lead nowhere nearer and are left out, and so is what is closed.

// Strides are about as long as the median segment, measured at a sample and rounded up to a power
// of two. On a city of two million nodes anything from half of that to four times as much takes the
// same time within a seventh, and a tenth of it 1.3 times as long: stars are then visited too
// often.
static unsigned choose_stride_shift(const sc_map *map, sc_metric metric)
{
    enum { SAMPLE = 1023 };
    uint32_t costs[SAMPLE];
    const uint32_t segment_count = sc_map_segment_count(map);
    const uint32_t count = segment_count < SAMPLE ? segment_count : SAMPLE;
    for (uint32_t i = 0; i < count; i++) {
        const sc_seg_id segment = (sc_seg_id)((uint64_t)i * segment_count / count);
        const uint32_t forward = sc__segment_step(map, metric, segment, false).cost;
        costs[i] =
            forward != SC_CLOSED ? forward : sc__segment_step(map, metric, segment, true).cost;
    }
    sc_sort_u32(costs, count);
    const uint32_t median = costs[count / 2];
    const unsigned bits = median > 0 ? 32 - (unsigned)__builtin_clz(median) : 0;
    return bits < 32 ? bits : 31;
}

// Add the road to `star` by a segment from its other end, if there is one.
static uint32_t add_road(sc_index_roads *roads, const sc_map *map, sc_star_id star,
                         sc_seg_id segment, uint32_t count)
{
    const sc_segment *at = &sc_map_segments(map)[segment];
    const bool is_at_end = at->star_a != star;
    const sc_star_id from = is_at_end ? at->star_a : at->star_b;
    if (from == star || from == SC_NONE) return count;
    const sc_step step = sc__segment_step(map, roads->metric, segment, !is_at_end);
    if (step.cost == SC_CLOSED) return count;
    roads->roads[count] = (sc_index_road){from, step};
    return count + 1;
}

sc_err sc__index_roads_init(sc_index_roads *roads, const sc_map *map, sc_metric metric)
{
    const uint32_t star_count = sc_map_star_count(map);
    const sc_star *stars = sc_map_stars(map);
    const sc_seg_id *listed = sc_map_star_segments(map);
    roads->metric = metric;
    roads->first = sc_malloc_array((size_t)star_count + 1, sizeof *roads->first);
    roads->roads = sc_malloc_array(stars[star_count].first_segment, sizeof *roads->roads);
    if (!roads->first || !roads->roads) {
        sc__index_roads_fini(roads);
        return SC_ENOMEM;
    }
    uint32_t count = 0;
    for (sc_star_id star = 0; star < star_count; star++) {
        roads->first[star] = count;
        for (uint32_t i = stars[star].first_segment; i < stars[star + 1].first_segment; i++) {
            count = add_road(roads, map, star, listed[i], count);
        }
    }
    roads->first[star_count] = count;
    roads->stride_shift = choose_stride_shift(map, metric);
    return SC_OK;
}

void sc__index_roads_fini(sc_index_roads *roads)
{
    sc_free(roads->first);
    sc_free(roads->roads);
    *roads = (sc_index_roads){0};
}

// === Which stars are due, nearest first: a radix heap ===========================================
// What is put is never earlier than what was taken last (`now`), and that makes a heap of piles
// enough: pile 0 holds what is due now, pile i what first differs from `now` in bit i - 1. When
// pile 0 is empty, the lowest pile that is not has the earliest stride; `now` becomes that, and the
// pile is dealt out to lower ones. An item only ever moves down, so it is moved at most 32 times,
// each time by reading and writing memory in order; a binary heap jumps about in it.
//
// Measured on a city of two million nodes, per list: 2.0 to 3.5 s with a binary heap and every
// distance by itself, 1.4 to 1.8 s with this heap, 0.3 s with this heap and strides.

enum { PILES = sizeof((sc_index_queue *)0)->piles / sizeof(sc_index_pile) };

void sc__index_queue_fini(sc_index_queue *queue)
{
    for (int i = 0; i < PILES; i++) {
        sc_free(queue->piles[i].items);
    }
    sc_free(queue->taken.items);
    *queue = (sc_index_queue){0};
}

void sc__index_queue_clear(sc_index_queue *queue)
{
    for (int i = 0; i < PILES; i++) {
        queue->piles[i].count = 0;
    }
    queue->taken.count = 0;
    queue->now = 0;
}

sc_err sc__index_queue_put(sc_index_queue *queue, sc_index_due due)
{
    const uint32_t differs = due.stride ^ queue->now;
    sc_index_pile *pile = &queue->piles[differs ? 32 - __builtin_clz(differs) : 0];
    if (!sc_grow(&pile->items, pile->count, &pile->capacity, sizeof *pile->items)) {
        return SC_ENOMEM;
    }
    pile->items[pile->count++] = due;
    return SC_OK;
}

// Go on to the earliest stride of a pile, and deal the pile out.
static sc_err deal(sc_index_queue *queue, sc_index_pile *pile)
{
    uint32_t earliest = UINT32_MAX;
    for (size_t i = 0; i < pile->count; i++) {
        if (pile->items[i].stride < earliest) earliest = pile->items[i].stride;
    }
    queue->now = earliest;
    // All of them agree with `now` in the bit that put them here, so none comes back.
    for (size_t i = 0; i < pile->count; i++) {
        const sc_err err = sc__index_queue_put(queue, pile->items[i]);
        if (err) return err;
    }
    pile->count = 0;
    return SC_OK;
}

sc_err sc__index_queue_take(sc_index_queue *queue, const sc_index_due **out, size_t *count)
{
    for (int i = 1; i < PILES && queue->piles[0].count == 0; i++) {
        if (queue->piles[i].count == 0) continue;
        const sc_err err = deal(queue, &queue->piles[i]);
        if (err) return err;
    }
    // The two arrays change places, so that what is taken is not disturbed by what is put.
    const sc_index_pile taken = queue->piles[0];
    queue->piles[0] = queue->taken;
    queue->piles[0].count = 0;
    queue->taken = taken;
    *out = taken.items;
    *count = taken.count;
    return SC_OK;
}

// === The sweep ==================================================================================

#define UNUSED UINT64_MAX
#define DONE UINT64_C(1)
#define NOT_WAITING UINT32_MAX
/** Of the other metric: at least so much. A list ends before such an entry when it is handed out.
 */
#define TOO_MUCH UINT32_MAX

/** A sweep in progress. */
typedef struct sweep {
    sc_index_sweeper *memory;
    const sc_index_roads *roads;
    uint64_t *labels;  ///< those of star s are [s * k, s * k + k)
    uint32_t *others;  ///< at the same places
    uint32_t k;
    bool lacks_some;  ///< a list with room to spare lacks an object that is too far for 32 bits
} sweep;

static uint64_t label_of(uint64_t cost, sc_object_id object)
{
    return cost << 32 | (uint64_t)object << 1;
}

static uint32_t label_cost(uint64_t label)
{
    return (uint32_t)(label >> 32);
}

static sc_object_id label_object(uint64_t label)
{
    return (uint32_t)label >> 1;
}

// Put a label into the list of k that it may belong to; false if it does not. The object's former
// label, which is farther, goes; else the last does.
static bool insert(uint64_t *list, uint32_t *others, uint32_t k, uint64_t label, uint32_t other)
{
    // An unused label differs from every object's, whose numbers are smaller.
    const sc_object_id object = label_object(label);
    if (label > list[k - 1]) return false;
    uint32_t i = 0;
    for (; list[i] < label; i++) {
        if (label_object(list[i]) == object) return false;
    }
    if ((list[i] | DONE) == (label | DONE)) {
        if (other >= others[i]) return false;
        list[i] = label;
        others[i] = other;
        return true;
    }
    uint64_t moved = label;
    uint32_t moved_other = other;
    for (; i < k; i++) {
        const uint64_t next = list[i];
        const uint32_t next_other = others[i];
        list[i] = moved;
        others[i] = moved_other;
        if (label_object(next) == object) break;
        moved = next;
        moved_other = next_other;
    }
    return true;
}

// Whether a list with room to spare does without this object.
static bool lacks(const uint64_t *list, uint32_t k, sc_object_id object)
{
    if (list[k - 1] != UNUSED) return false;
    for (uint32_t i = 0; list[i] != UNUSED; i++) {
        if (label_object(list[i]) == object) return false;
    }
    return true;
}

// Let `star` be visited in that stride, unless it will be before.
static sc_err visit_later(const sweep *s, sc_star_id star, uint32_t stride)
{
    if (stride >= s->memory->due[star]) return SC_OK;
    s->memory->due[star] = stride;
    return sc__index_queue_put(&s->memory->queue, (sc_index_due){stride, star});
}

// An object reaches a star, at that cost and that of the other metric.
static sc_err arrive(sweep *s, sc_star_id star, uint64_t cost, uint64_t other, sc_object_id object)
{
    const size_t place = (size_t)star * s->k;
    uint64_t *list = s->labels + place;
    if (cost >= SC_NEAREST_CUT) {
        s->lacks_some = s->lacks_some || lacks(list, s->k, object);
        return SC_OK;
    }
    const uint32_t counted = other < TOO_MUCH ? (uint32_t)other : TOO_MUCH;
    if (!insert(list, s->others + place, s->k, label_of(cost, object), counted)) return SC_OK;
    return visit_later(s, star, (uint32_t)cost >> s->roads->stride_shift);
}

// The objects on one segment reach those of its ends from which one may drive to them.
static sc_err start_on(sweep *s, const sc_objects_view *view, sc_seg_id segment_id,
                       sc_category_id category)
{
    const sc_segment *segment = &sc_map_segments(view->map)[segment_id];
    if (sc_star_is_pseudo(&sc_map_stars(view->map)[segment->star_a])) return SC_OK;
    const sc_metric metric = s->roads->metric;
    const uint32_t end = view->segment_first[segment_id + 1];
    for (sc_object_id o = view->segment_first[segment_id]; o < end; o++) {
        if (category != SC_NONE && view->category[o] != category) continue;
        for (int backwards = 0; backwards < 2; backwards++) {
            const sc_star_id star = backwards ? segment->star_b : segment->star_a;
            const sc_step step = sc__object_step(view, metric, o, segment->length, backwards);
            if (star == SC_NONE || step.cost == SC_CLOSED) continue;
            const sc_err err = arrive(s, star, step.cost, step.other, o);
            if (err) return err;
        }
    }
    return SC_OK;
}

static sc_err start(sweep *s, const sc_objects_view *view, sc_category_id category)
{
    const uint64_t wanted = category == SC_NONE ? UINT64_MAX : UINT64_C(1) << category % 64;
    const uint32_t segment_count = sc_map_segment_count(view->map);
    for (sc_seg_id i = 0; i < segment_count; i++) {
        if (!(view->segment_mask[i] & wanted)) continue;
        const sc_err err = start_on(s, view, i, category);
        if (err) return err;
    }
    return SC_OK;
}

// The object at place `i` of a star's list reaches the stars from which roads lead here.
static sc_err spread_label(sweep *s, sc_star_id star, uint32_t i)
{
    const sc_index_roads *roads = s->roads;
    // Copies: a road may lead back to this very list.
    const uint64_t label = s->labels[(size_t)star * s->k + i];
    const uint64_t so_far = s->others[(size_t)star * s->k + i];
    for (uint32_t r = roads->first[star]; r < roads->first[star + 1]; r++) {
        const sc_index_road *road = &roads->roads[r];
        const uint64_t cost = (uint64_t)label_cost(label) + road->step.cost;
        const sc_err err =
            arrive(s, road->from, cost, so_far + road->step.other, label_object(label));
        if (err) return err;
    }
    return SC_OK;
}

// Spread the labels of a star that are due by the end of a stride.
static sc_err visit(sweep *s, sc_star_id star, uint32_t stride)
{
    uint64_t *list = s->labels + (size_t)star * s->k;
    for (uint32_t i = 0; i < s->k && list[i] != UNUSED; i++) {
        const uint64_t label = list[i];
        if (label & DONE) continue;
        const uint32_t due = label_cost(label) >> s->roads->stride_shift;
        if (due > stride) return visit_later(s, star, due);
        list[i] = label | DONE;
        const sc_err err = spread_label(s, star, i);
        if (err) return err;
    }
    return SC_OK;
}

// Ask for the memory that visits to come will touch, in the order in which one leads to the other:
// a star's list and roads, then the lists at their other ends. How far ahead was found by trying;
// half or twice as far is as good, and none of it makes a sweep twice as long.
static void fetch_ahead(const sweep *s, const sc_index_due *due, size_t count)
{
    enum { LISTS = 12, ROADS = 8, ENDS = 4 };
    const sc_index_roads *roads = s->roads;
    if (count > LISTS) {
        const sc_star_id star = due[LISTS].star;
        __builtin_prefetch(s->labels + (size_t)star * s->k, 1);
        __builtin_prefetch(&roads->first[star]);
        __builtin_prefetch(&s->memory->due[star], 1);
    }
    if (count > ROADS) __builtin_prefetch(&roads->roads[roads->first[due[ROADS].star]]);
    if (count > ENDS) {
        const sc_star_id star = due[ENDS].star;
        for (uint32_t i = roads->first[star]; i < roads->first[star + 1]; i++) {
            const sc_star_id from = roads->roads[i].from;
            __builtin_prefetch(s->labels + (size_t)from * s->k, 1);
            __builtin_prefetch(s->others + (size_t)from * s->k, 1);
            __builtin_prefetch(&s->memory->due[from], 1);
        }
    }
}

static sc_err spread(sweep *s)
{
    sc_index_queue *queue = &s->memory->queue;
    for (;;) {
        const sc_index_due *due = NULL;
        size_t count = 0;
        sc_err err = sc__index_queue_take(queue, &due, &count);
        if (err || count == 0) return err;
        for (size_t i = 0; i < count; i++) {
            fetch_ahead(s, due + i, count - i);
            // Others have been overtaken by an earlier visit.
            if (s->memory->due[due[i].star] != due[i].stride) continue;
            s->memory->due[due[i].star] = NOT_WAITING;
            err = visit(s, due[i].star, due[i].stride);
            if (err) return err;
        }
    }
}

// A list may have lacked an object only for the moment. With all lists done, nothing that arrives
// once more changes any of them, and what does not fit shows whether it is still lacking.
static sc_err look_again(sweep *s, const sc_objects_view *view, sc_category_id category)
{
    s->lacks_some = false;
    sc_err err = start(s, view, category);
    const uint32_t star_count = sc_map_star_count(view->map);
    for (sc_star_id star = 0; star < star_count; star++) {
        const uint64_t *list = s->labels + (size_t)star * s->k;
        for (uint32_t i = 0; i < s->k && list[i] != UNUSED && !err; i++) {
            err = spread_label(s, star, i);
        }
    }
    return err;
}

// Turn the labels into what is handed out, each in its own place.
static void hand_out(const sweep *s, const sc_map *map, sc_nearest *out)
{
    const sc_star *stars = sc_map_stars(map);
    const uint32_t star_count = sc_map_star_count(map);
    for (sc_star_id star = 0; star < star_count; star++) {
        bool is_cut = s->lacks_some || sc_star_is_pseudo(&stars[star]);
        bool is_over = false;
        for (uint32_t i = 0; i < s->k; i++) {
            const size_t place = (size_t)star * s->k + i;
            const uint64_t label = s->labels[place];
            if (label != UNUSED && s->others[place] == TOO_MUCH) is_cut = is_over = true;
            if (label == UNUSED || is_over) {
                out[place] = (sc_nearest){SC_NONE, is_cut ? SC_NEAREST_CUT : SC_NEAREST_ALL};
                s->others[place] = 0;
            } else {
                out[place] = (sc_nearest){label_object(label), label_cost(label)};
            }
        }
    }
}

sc_err sc__index_sweep(sc_index_sweeper *sweeper, const sc_index_roads *roads,
                       const sc_objects_view *view, const sc_nearest_list *list, sc_nearest *out,
                       uint32_t *others)
{
    _Static_assert(sizeof(uint64_t) == sizeof *out, "a label lies where its entry will be");
    const uint32_t star_count = sc_map_star_count(view->map);
    if (!sweeper->due) sweeper->due = sc_malloc_array(star_count, sizeof *sweeper->due);
    if (!sweeper->due) return SC_ENOMEM;
    memset(sweeper->due, 0xff, star_count * sizeof *sweeper->due);
    sc__index_queue_clear(&sweeper->queue);

    sweep s = {.memory = sweeper, .roads = roads, .labels = (void *)out, .k = list->k};
    s.others = others;
    memset(s.labels, 0xff, (size_t)star_count * list->k * sizeof *s.labels);
    sc_err err = start(&s, view, list->category);
    if (!err) err = spread(&s);
    if (!err && s.lacks_some) err = look_again(&s, view, list->category);
    if (!err) hand_out(&s, view->map, out);
    return err;
}

void sc__index_sweeper_fini(sc_index_sweeper *sweeper)
{
    sc_free(sweeper->due);
    sc__index_queue_fini(&sweeper->queue);
    *sweeper = (sc_index_sweeper){0};
}
