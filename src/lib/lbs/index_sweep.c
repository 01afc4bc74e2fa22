// One sweep: the k nearest objects of every star.
//
// A search from all objects at once. Each begins at the ends of its segment and spreads along the
// roads; a star keeps the k nearest that have reached it, and only what enters a star's list
// spreads on: what is not among the k nearest of a star is, beyond it, behind k others.
//
// A *label* is one entry of a list while the sweep runs, in one number:
//
//     distance (32 bits) | object (31 bits) | done (1 bit)
//
//  1. A list ascends and its unused labels, all ones, come last. So lists are ordered by
//     distance and then by object, and the least k of any labels are the same in whatever order
//     they come: the result does not depend on the order of work.
//  2. No object is in a list twice.
//  3. A label that is not done has still to spread along the roads of its star. Then its star is
//     in the queue, due in the label's stride or earlier.
//
// By distance alone, a star would be visited once for every label, and each visit is to some other
// end of memory. So work goes by strides (delta-stepping; Meyer and Sanders, 2003): a visit
// spreads all labels of a stride, a label that is improved within its stride spreads once
// more, and since a stride's stars are all known beforehand, their memory is asked for ahead of
// time. The lists are made in the very table that is handed out.
#include "lbs/index.h"

#include "base/alloc.h"
#include "map/map_tables.h"

#include <string.h>

#define UNUSED UINT64_MAX
#define DONE UINT64_C(1)
#define NOT_WAITING UINT32_MAX

/** A sweep in progress. */
typedef struct sweep {
    sc_index_sweeper *memory;
    const sc_index_roads *roads;
    uint64_t *labels;  ///< those of star s are [s * k, s * k + k)
    uint32_t k;
    bool lacks_some;  ///< a list with room to spare lacks an object that is too far for 32 bits
} sweep;

static uint64_t label_of(uint64_t distance, sc_object_id object)
{
    return distance << 32 | (uint64_t)object << 1;
}

static uint32_t label_distance(uint64_t label)
{
    return (uint32_t)(label >> 32);
}

static sc_object_id label_object(uint64_t label)
{
    return (uint32_t)label >> 1;
}

// Put a label into the list of k that it may belong to; false if it does not. The object's former
// label, which is farther, goes; else the last does.
static bool insert(uint64_t *list, uint32_t k, uint64_t label)
{
    // An unused label differs from every object's, whose numbers are smaller.
    const sc_object_id object = label_object(label);
    if (label >= list[k - 1]) return false;
    uint32_t i = 0;
    for (; list[i] < label; i++) {
        if (label_object(list[i]) == object) return false;
    }
    if ((list[i] | DONE) == (label | DONE)) return false;
    uint64_t moved = label;
    for (; i < k; i++) {
        const uint64_t next = list[i];
        list[i] = moved;
        if (label_object(next) == object) break;
        moved = next;
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

// An object reaches a star.
static sc_err arrive(sweep *s, sc_star_id star, uint64_t distance, sc_object_id object)
{
    uint64_t *list = s->labels + (size_t)star * s->k;
    if (distance >= SC_NEAREST_CUT) {
        s->lacks_some = s->lacks_some || lacks(list, s->k, object);
        return SC_OK;
    }
    if (!insert(list, s->k, label_of(distance, object))) return SC_OK;
    return visit_later(s, star, (uint32_t)distance >> s->roads->stride_shift);
}

// The objects on one segment reach its ends.
static sc_err start_on(sweep *s, const sc_objects_view *view, sc_seg_id segment_id,
                       sc_category_id category)
{
    const sc_segment *segment = &sc_map_segments(view->map)[segment_id];
    if (sc_star_is_pseudo(&sc_map_stars(view->map)[segment->star_a])) return SC_OK;
    const uint32_t end = view->segment_first[segment_id + 1];
    for (sc_object_id o = view->segment_first[segment_id]; o < end; o++) {
        if (category != SC_NONE && view->category[o] != category) continue;
        sc_err err = arrive(s, segment->star_a, view->along[o], o);
        if (!err && segment->star_b != SC_NONE) {
            err = arrive(s, segment->star_b, segment->length - view->along[o], o);
        }
        if (err) return err;
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

// An object that is at a star reaches the others around it.
static sc_err spread_label(sweep *s, sc_star_id star, uint64_t label)
{
    const sc_index_roads *roads = s->roads;
    for (uint32_t i = roads->first[star]; i < roads->first[star + 1]; i++) {
        const uint64_t distance = (uint64_t)label_distance(label) + roads->roads[i].length;
        const sc_err err = arrive(s, roads->roads[i].to, distance, label_object(label));
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
        const uint32_t due = label_distance(label) >> s->roads->stride_shift;
        if (due > stride) return visit_later(s, star, due);
        list[i] = label | DONE;
        const sc_err err = spread_label(s, star, label);
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
            const sc_star_id to = roads->roads[i].to;
            __builtin_prefetch(s->labels + (size_t)to * s->k, 1);
            __builtin_prefetch(&s->memory->due[to], 1);
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
            err = spread_label(s, star, list[i]);
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
        const bool is_cut = s->lacks_some || sc_star_is_pseudo(&stars[star]);
        for (uint32_t i = 0; i < s->k; i++) {
            const size_t place = (size_t)star * s->k + i;
            const uint64_t label = s->labels[place];
            out[place] = label == UNUSED
                             ? (sc_nearest){SC_NONE, is_cut ? SC_NEAREST_CUT : SC_NEAREST_ALL}
                             : (sc_nearest){label_object(label), label_distance(label)};
        }
    }
}

sc_err sc__index_sweep(sc_index_sweeper *sweeper, const sc_index_roads *roads,
                       const sc_objects_view *view, const sc_nearest_list *list, sc_nearest *out)
{
    _Static_assert(sizeof(uint64_t) == sizeof *out, "a label lies where its entry will be");
    const uint32_t star_count = sc_map_star_count(view->map);
    if (!sweeper->due) sweeper->due = sc_malloc_array(star_count, sizeof *sweeper->due);
    if (!sweeper->due) return SC_ENOMEM;
    memset(sweeper->due, 0xff, star_count * sizeof *sweeper->due);
    sc__index_queue_clear(&sweeper->queue);

    sweep s = {.memory = sweeper, .roads = roads, .labels = (void *)out, .k = list->k};
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
