// Who there could be: every track in every window. See follow_internal.h.
//
// Only the times of fixes are looked at. A fix that turns out to lie far from any road can only
// take time on the road away, never add some: if two fixes on either side of it are near enough in
// time, then so is each of them and the one between.
#include "traces/follow_internal.h"

#include "base/alloc.h"

// Add the windows from that of `begin` to that of `last` which are not there yet.
static sc_err add_windows(sc__episodes *episodes, const sc__fixes *fixes, uint32_t track,
                          sc_time begin, sc_time last)
{
    const sc_time length = fixes->frame.window;
    int64_t window = begin / length;
    if (episodes->count > 0) {
        const sc__episode *newest = &episodes->all[episodes->count - 1];
        if (newest->track == track && newest->window >= window) window = newest->window + 1;
    }
    const int64_t end = last / length + 1;
    if (end - window > (int64_t)(SC_TRAVELLERS_MAX - episodes->count)) return SC_ELIMIT;
    for (; window < end; window++) {
        if (!sc_grow(&episodes->all, episodes->count, &episodes->capacity, sizeof *episodes->all)) {
            return SC_ENOMEM;
        }
        episodes->all[episodes->count++] = (sc__episode){.window = window, .track = track};
    }
    return SC_OK;
}

static sc_err list_track(sc__episodes *episodes, const sc__fixes *fixes, uint32_t track)
{
    const sc__frame *frame = &fixes->frame;
    const size_t count = fixes->tracks[track].count;
    // The fix before the start may lead across it.
    const size_t first = sc__fix_search(fixes, track, 0);
    for (size_t i = first > 0 ? first - 1 : 0; i < count; i++) {
        const sc_time t = sc__fix_moment(fixes, track, i);
        if (t >= frame->end) break;
        sc_time last = t;
        if (i + 1 < count) {
            // What is between two fixes ends just before the second.
            const sc_time next = sc__fix_moment(fixes, track, i + 1);
            if (next > t && next - t <= frame->max_gap) last = next - 1;
        }
        if (last >= frame->end) last = frame->end - 1;
        if (last < 0) continue;
        const sc_err err = add_windows(episodes, fixes, track, t > 0 ? t : 0, last);
        if (err) return err;
    }
    return SC_OK;
}

sc_err sc__episodes_list(sc__episodes *episodes, const sc__fixes *fixes)
{
    sc_err err = SC_OK;
    for (uint32_t track = 0; !err && track < fixes->track_count; track++) {
        err = list_track(episodes, fixes, track);
    }
    return err;
}

void sc__episodes_fini(sc__episodes *episodes)
{
    sc_free(episodes->all);
    *episodes = (sc__episodes){0};
}
