// The objects on the segments of a cloak. See on_segments.h.
#include "lbs/on_segments.h"

// Of one category: they stand beside each other among the segment's objects by category.
static bool add_only(const sc_objects_view *view, sc_category_id category, uint32_t first,
                     uint32_t end, sc_reply *reply, uint64_t *count)
{
    const uint32_t *categories = view->ordered_category;
    uint32_t low = first;
    for (uint32_t length = end - first; length > 0;) {
        const uint32_t half = length / 2;
        const bool is_before = categories[low + half] < category;
        low = is_before ? low + half + 1 : low;
        length = is_before ? length - half - 1 : half;
    }
    if (low == end) return true;
    sc_object_run *runs = sc__reply_reserve_runs(reply, end - low);
    if (!runs) return false;
    uint32_t used = 0;
    for (; low < end && categories[low] == category; low++) {
        runs[used++] = (sc_object_run){view->by_category[low], 1};
    }
    sc__reply_use_runs(reply, used);
    *count += used;
    return true;
}

// Of several: in the order of the road.
static bool add_several(const sc_objects_view *view, const uint8_t *is_in, uint32_t first,
                        uint32_t end, sc_reply *reply, uint64_t *count)
{
    for (uint32_t i = first; i < end; i++) {
        if (!is_in[view->category[i]]) continue;
        if (!sc__reply_add_run(reply, i, 1)) return false;
        ++*count;
    }
    return true;
}

bool sc__add_on_segments(const sc_objects_view *view, const sc_wanted *wanted,
                         const sc_relay *relay, sc_reply *reply, uint64_t *count)
{
    for (size_t i = 0; i < relay->segment_count; i++) {
        const sc_seg_id segment = relay->segments[i];
        if (!(view->segment_mask[segment] & wanted->mask)) continue;
        const uint32_t first = view->segment_first[segment];
        const uint32_t end = view->segment_first[segment + 1];
        bool has_room = true;
        if (!wanted->is_in) {
            has_room = sc__reply_add_run(reply, first, end - first);
            *count += end - first;
        } else if (wanted->only != SC_NONE) {
            has_room = add_only(view, wanted->only, first, end, reply, count);
        } else {
            has_room = add_several(view, wanted->is_in, first, end, reply, count);
        }
        if (!has_room) return false;
    }
    return true;
}
