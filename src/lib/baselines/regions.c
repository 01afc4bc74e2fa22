// Regions of stars, made for those who hold them. See region.h.
#include "baselines/regions.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <string.h>

sc_err sc__regions_init(sc__regions *regions, const sc_map *map)
{
    regions->star_count = sc_map_star_count(map);
    regions->of_star = sc_calloc(regions->star_count, sizeof(sc__region *));
    return regions->of_star ? SC_OK : SC_ENOMEM;
}

void sc__regions_fini(sc__regions *regions)
{
    for (uint32_t i = 0; regions->of_star && i < regions->star_count; i++) {
        sc_free(regions->of_star[i]);
    }
    sc_free(regions->of_star);
    sc__numbers_fini(&regions->seen);
    *regions = (sc__regions){0};
}

/** Segments of all stars of `ball`, those between two of them counted twice. */
static uint32_t most_segments(const sc_engine *engine, const sc__ball *ball)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ball->count; i++) {
        const sc_star *star = &engine->stars[sc__ball_stars(ball)[i]];
        count += star[1].first_segment - star[0].first_segment;
    }
    return count;
}

/** A region for a ball with room for so many segments; one block. */
static sc__region *region_new(const sc__ball *ball, uint32_t room)
{
    // At most a quarter full: most who are looked for are not there, and an empty place says so.
    uint32_t places = 4;
    while (places / 4 < ball->count) {
        if (places > UINT32_MAX / 2) return NULL;
        places *= 2;
    }
    const size_t id_count = (size_t)ball->depth + 1 + room;
    sc__region *region =
        sc_malloc(sizeof *region + places * sizeof *region->far + id_count * sizeof(uint32_t));
    if (!region) return NULL;
    *region = (sc__region){
        .depth = ball->depth,
        .is_complete = ball->is_complete,
        .far_mask = places - 1,
        .far = (sc__far *)(region + 1),
    };
    region->upto = (uint32_t *)(region->far + places);
    region->segments = region->upto + ball->depth + 1;
    memset(region->far, 0xff, places * sizeof *region->far);  // SC_NONE everywhere
    return region;
}

static void put_star(sc__region *region, sc_star_id star, uint32_t hops)
{
    uint32_t at = star & region->far_mask;
    while (region->far[at].star != SC_NONE) {
        at = (at + 1) & region->far_mask;
    }
    region->far[at] = (sc__far){star, hops};
}

/** Append the segments of `star` that are not listed yet. */
static void list_segments(const sc_engine *engine, sc__numbers *seen, sc_star_id star,
                          sc__region *region)
{
    const sc_star *at = &engine->stars[star];
    for (uint32_t j = at[0].first_segment; j < at[1].first_segment; j++) {
        const sc_seg_id segment = engine->star_segments[j];
        sc__numbered *place = sc__numbers_at(seen, segment);
        if (place->stored - seen->first < seen->count) continue;
        region->segments[seen->count] = segment;
        sc__numbers_put(seen, place, segment);
    }
}

/** Ring by ring. */
static void fill(const sc_engine *engine, sc__numbers *seen, const sc__ball *ball,
                 sc__region *region)
{
    uint32_t at = 0;
    for (uint32_t hops = 0; hops <= ball->depth; hops++) {
        const uint32_t first = seen->count;
        for (; at < sc__ball_count(ball, hops); at++) {
            const sc_star_id star = sc__ball_stars(ball)[at];
            put_star(region, star, hops);
            list_segments(engine, seen, star, region);
        }
        sc_sort_u32(region->segments + first, seen->count - first);
        region->upto[hops] = seen->count;
    }
}

static sc_err make_region(sc_engine *engine, sc__numbers *seen, sc_star_id star, uint32_t hops,
                          sc__region **out)
{
    sc__ball *ball = NULL;
    sc_err err = sc__ball_new(engine, star, hops, &ball);
    if (err) return err;
    const uint32_t room = most_segments(engine, ball);
    err = sc__numbers_begin(seen, room);
    sc__region *region = err ? NULL : region_new(ball, room);
    if (region) fill(engine, seen, ball, region);
    sc_free(ball);
    if (!region) return SC_ENOMEM;
    *out = region;
    return SC_OK;
}

sc_err sc__region_hold(sc_engine *engine, sc__regions *regions, sc_star_id star, uint32_t hops)
{
    sc__region *held = regions->of_star[star];
    if (!held || (!held->is_complete && held->depth < hops)) {
        sc__region *region = NULL;
        const sc_err err = make_region(engine, &regions->seen, star, hops, &region);
        if (err) return err;
        if (held) region->holder_count = held->holder_count;
        sc_free(held);
        regions->of_star[star] = region;
    }
    regions->of_star[star]->holder_count++;
    return SC_OK;
}

void sc__region_release(sc__regions *regions, sc_star_id star)
{
    sc__region *region = regions->of_star[star];
    if (--region->holder_count > 0) return;
    sc_free(region);
    regions->of_star[star] = NULL;
}
