// Replays of the literal baselines: an asker on a segment of the cloak, and other travellers on all
// roads around, or on segments of the cloak.
#include "lab/literal_cloaker.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/sort.h"

#include <math.h>

// --- What the adversary assumes ------------------------------------------------------

static double weight_of(const sc_density *density, sc_seg_id segment)
{
    return density ? sc_density_weight(density, segment) : 1.0;
}

sc_err sc__literal_cloaker_init(sc__literal_cloaker *cloaker, const sc_map *map,
                                const sc__literal_beliefs *beliefs)
{
    *cloaker = (sc__literal_cloaker){.method = beliefs->method,
                                     .others = beliefs->others,
                                     .map = map,
                                     .density = beliefs->density};
    double sum = 0;
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        sum += weight_of(beliefs->density, s);
    }
    cloaker->per_weight = sum > 0 ? beliefs->travellers / sum : 0;
    return sc_ball_new(map, &cloaker->ball);
}

void sc__literal_cloaker_fini(sc__literal_cloaker *cloaker)
{
    sc_ball_free(cloaker->ball);
    sc_free(cloaker->roads);
    sc_free(cloaker->means);
    *cloaker = (sc__literal_cloaker){0};
}

static sc_err add_ball(sc__literal_cloaker *c, sc_star_id star, uint32_t max_hops)
{
    size_t count = 0;
    const sc_star_id *found = sc_ball_walk(c->ball, star, max_hops, &count);
    const sc_star *stars = sc_map_stars(c->map);
    const sc_seg_id *listed = sc_map_star_segments(c->map);
    for (size_t i = 0; i < count; i++) {
        for (uint32_t j = stars[found[i]].first_segment; j < stars[found[i] + 1].first_segment;
             j++) {
            if (!sc_grow(&c->roads, c->road_count, &c->road_capacity, sizeof *c->roads)) {
                return SC_ENOMEM;
            }
            c->roads[c->road_count++] = listed[j];
        }
    }
    return SC_OK;
}

/** Ascending, each once. */
static void keep_each_once(sc__literal_cloaker *c)
{
    size_t kept = 0;
    sc_sort_u32(c->roads, c->road_count);
    for (size_t i = 0; i < c->road_count; i++) {
        if (kept == 0 || c->roads[i] != c->roads[kept - 1]) c->roads[kept++] = c->roads[i];
    }
    c->road_count = kept;
}

/** All roads that a replay looks at. */
static sc_err add_roads_around(sc__literal_cloaker *c, const sc_seg_id *segments, size_t count,
                               uint32_t max_hops)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < count && !err; i++) {
        const sc_segment *segment = &sc_map_segments(c->map)[segments[i]];
        err = add_ball(c, segment->star_a, max_hops);
        if (!err && segment->star_b != SC_NONE) err = add_ball(c, segment->star_b, max_hops);
        // The balls of neighbours are nearly the same: without this, the list would be long.
        keep_each_once(c);
    }
    return err;
}

static sc_err add_cloak(sc__literal_cloaker *c, const sc_seg_id *segments, size_t count)
{
    if (!sc_reserve(&c->roads, count, &c->road_capacity, sizeof *c->roads)) return SC_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        c->roads[c->road_count++] = segments[i];
    }
    return SC_OK;
}

sc_err sc__literal_cloaker_see(sc__literal_cloaker *cloaker, const sc_seg_id *segments,
                               size_t count, uint32_t max_hops)
{
    const bool is_cloak = cloaker->others == SC_OTHERS_CLOAK;
    cloaker->road_count = 0;
    const sc_err err = is_cloak ? add_cloak(cloaker, segments, count)
                                : add_roads_around(cloaker, segments, count, max_hops);
    if (err || !sc_reserve(&cloaker->means, cloaker->road_count, &cloaker->mean_capacity,
                           sizeof *cloaker->means)) {
        return SC_ENOMEM;
    }
    double sum = 0;
    for (size_t i = 0; i < cloaker->road_count; i++) {
        const double weight = weight_of(cloaker->density, cloaker->roads[i]);
        sum += weight;
        cloaker->means[i] = is_cloak ? sum : cloaker->per_weight * weight;
    }
    return SC_OK;
}

// --- Replays -------------------------------------------------------------------------

/** Above this mean a normal distribution is as good, and needs one draw only. */
#define POISSON_BY_STEPS 30.0

uint32_t sc__poisson_draw(sc_rng *rng, double mean)
{
    if (mean > POISSON_BY_STEPS) {
        return (uint32_t)fmax(0, floor(mean + sqrt(mean) * sc_rng_normal(rng) + 0.5));
    }
    uint32_t count = 0;
    double left = sc_rng_unit(rng);
    for (double share = exp(-mean); left >= share && share > 0; share *= mean / count) {
        left -= share;
        count++;
    }
    return count;
}

/** A cloaker at work. */
typedef struct opened_literal {
    const sc__literal_cloaker *how;
    sc_literal *literal;
    sc_rng *rng;       ///< borrowed
    uint32_t *others;  ///< by segment: travellers there
} opened_literal;

static void close_literal(void *opened)
{
    opened_literal *w = opened;
    if (!w) return;
    sc_literal_free(w->literal);
    sc_free(w->others);
    sc_free(w);
}

static sc_err open_literal(void *context, const sc_map *map, sc_rng *rng, void **out, sc_diag *diag)
{
    opened_literal *w = sc_calloc(1, sizeof *w);
    if (w) {
        w->how = context;
        w->rng = rng;
        w->others = sc_calloc(sc_map_segment_count(map), sizeof *w->others);
    }
    if (!w || !w->others || sc_literal_new(map, &w->literal) != SC_OK) {
        close_literal(w);
        return sc_fail_memory(diag, "replaying a literal baseline");
    }
    *out = w;
    return SC_OK;
}

/** Others on all roads: each road by itself. */
static void put_around(const opened_literal *w)
{
    const sc__literal_cloaker *how = w->how;
    for (size_t i = 0; i < how->road_count; i++) {
        w->others[how->roads[i]] = sc__poisson_draw(w->rng, how->means[i]);
    }
}

/** So many others on segments of the cloak. Where the density has no one on any of them, they are
 * on the last one. */
static void put_within(const opened_literal *w, uint32_t count)
{
    const sc__literal_cloaker *how = w->how;
    for (uint32_t n = 0; n < count && how->road_count > 0; n++) {
        const double drawn = sc_rng_unit(w->rng) * how->means[how->road_count - 1];
        size_t i = 0;
        while (i + 1 < how->road_count && drawn >= how->means[i]) {
            i++;
        }
        w->others[how->roads[i]]++;
    }
}

static void take_away(const opened_literal *w)
{
    for (size_t i = 0; i < w->how->road_count; i++) {
        w->others[w->how->roads[i]] = 0;
    }
}

/** Each query by itself, with travellers drawn for it: no other query is anything to it. */
static sc_err replay(void *opened, const sc_query *queries, size_t count, sc_replayed *replayed)
{
    const opened_literal *w = opened;
    const sc__literal_cloaker *how = w->how;
    for (size_t i = 0; i < count; i++) {
        if (how->others == SC_OTHERS_CLOAK) {
            put_within(w, queries[i].k > 0 ? queries[i].k - 1 : 0);
        } else {
            put_around(w);
        }
        sc_literal_cloak cloak;
        const sc_err err =
            sc_literal_choose(w->literal, how->method, &queries[i], w->others, w->rng, &cloak);
        // The next cloak may have other roads.
        take_away(w);
        if (err) return err;
        if (cloak.segment_count == 0) continue;
        sc_replayed_add(replayed, cloak.segments, cloak.segment_count, &i, 1);
    }
    return SC_OK;
}

sc_cloaker sc__literal_cloaker_of(sc__literal_cloaker *cloaker)
{
    return (sc_cloaker){
        .context = cloaker, .open = open_literal, .replay = replay, .close = close_literal};
}
