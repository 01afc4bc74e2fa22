// Segments around another. See inject_internal.h.
#include "score/inject_internal.h"

#include "base/alloc.h"
#include "base/sort.h"

sc_err sc__around_init(sc__around *around, const sc_map *map)
{
    around->map = map;
    return sc_ball_new(map, &around->ball);
}

void sc__around_fini(sc__around *around)
{
    sc_ball_free(around->ball);
    sc_free(around->segments);
    *around = (sc__around){0};
}

static bool add_segments_of(sc__around *around, sc_star_id star)
{
    const sc_star *stars = sc_map_stars(around->map);
    const sc_seg_id *listed = sc_map_star_segments(around->map);
    for (uint32_t i = stars[star].first_segment; i < stars[star + 1].first_segment; i++) {
        if (!sc_grow(&around->segments, around->count, &around->capacity,
                     sizeof *around->segments)) {
            return false;
        }
        around->segments[around->count++] = listed[i];
    }
    return true;
}

static bool add_ball(sc__around *around, sc_star_id star, uint32_t max_hops)
{
    size_t count = 0;
    const sc_star_id *stars = sc_ball_walk(around->ball, star, max_hops, &count);
    for (size_t i = 0; i < count; i++) {
        if (!add_segments_of(around, stars[i])) return false;
    }
    return true;
}

/** Most are there several times: both their stars are, and in both balls. */
static void keep_each_once(sc__around *around)
{
    sc_seg_id *segments = around->segments;
    sc_sort_u32(segments, around->count);
    size_t kept = 1;
    for (size_t i = 1; i < around->count; i++) {
        if (segments[i] != segments[kept - 1]) segments[kept++] = segments[i];
    }
    around->count = kept;
}

sc_err sc__around_draw(sc__around *around, sc_seg_id segment, uint32_t max_hops, sc_rng *rng)
{
    const sc_segment *centre = &sc_map_segments(around->map)[segment];
    around->count = 0;
    if (!add_ball(around, centre->star_a, max_hops)) return SC_ENOMEM;
    if (centre->star_b != SC_NONE && centre->star_b != centre->star_a &&
        !add_ball(around, centre->star_b, max_hops)) {
        return SC_ENOMEM;
    }
    keep_each_once(around);
    for (size_t i = 0; i < around->count; i++) {
        const size_t drawn = i + sc_rng_below(rng, (uint32_t)(around->count - i));
        const sc_seg_id other = around->segments[drawn];
        around->segments[drawn] = around->segments[i];
        around->segments[i] = other;
    }
    return SC_OK;
}
