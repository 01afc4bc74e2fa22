// Maps with objects that were made to be answered wrongly. See odd_town.h.
#include "support/odd_town.h"

#include "support/check.h"
#include "support/odd_objects.h"
#include "support/sketch.h"

#include <math.h>

// --- Tangles -----------------------------------------------------------------------------

/** What lengths a tangle has. */
typedef enum tangle_kind {
    TANGLE_PLAIN,
    TANGLE_WIDE,   ///< so long that distances need more than 32 bits
    TANGLE_DRAWN,  ///< those of the lines, and no two lines are the same
} tangle_kind;

// Often a round number, so that ways tie; sometimes nothing.
static double draw_length(sc_rng *rng, tangle_kind kind)
{
    if (kind == TANGLE_DRAWN) return SC_LENGTH_FROM_NODES;
    switch (sc_rng_below(rng, 6)) {
    case 0:
        return 0;
    case 1:
        return 10.0 * (1 + sc_rng_below(rng, 5));
    case 2:
        return 100.0;
    default:
        return (1 + sc_rng_below(rng, kind == TANGLE_WIDE ? 1000000000 : 200000)) / 1e3;
    }
}

static uint32_t add_junction(sketch *s, sc_rng *rng)
{
    const double x = sc_rng_unit(rng);
    const double y = sc_rng_unit(rng);
    if (s->coords == SC_COORDS_GEOGRAPHIC) return sketch_add_node(s, 8 + x / 100, 50 + y / 100);
    return sketch_add_node(s, 1000 * x, 1000 * y);
}

// A road of one to three pieces; of three to five if it has to have a shape of its own.
static void add_road(sketch *s, sc_rng *rng, uint32_t from, uint32_t to, tangle_kind kind)
{
    uint32_t at = from;
    const uint32_t least = kind == TANGLE_DRAWN ? 2 : 0;
    for (uint32_t inner = least + sc_rng_below(rng, 3); inner > 0; inner--) {
        const uint32_t next = add_junction(s, rng);
        sketch_add_edge(s, at, next, draw_length(rng, kind));
        at = next;
    }
    const bool is_turned = sc_rng_below(rng, 2);
    sketch_add_edge(s, is_turned ? to : at, is_turned ? at : to, draw_length(rng, kind));
}

static sketch draw_tangle(sc_rng *rng, tangle_kind kind)
{
    const sc_coords any = (sc_coords)sc_rng_below(rng, 3);
    sketch s = sketch_new(kind == TANGLE_DRAWN ? SC_COORDS_GEOGRAPHIC : any);
    s.unit_unknown = s.coords != SC_COORDS_GEOGRAPHIC && sc_rng_below(rng, 4) == 0;
    // Lines are many to draw and to recognise.
    const uint32_t junctions = 3 + sc_rng_below(rng, kind == TANGLE_DRAWN ? 10 : 38);
    const uint32_t reach = 2 + sc_rng_below(rng, junctions);  // small: long and thin; large: dense
    for (uint32_t v = 0; v < junctions; v++) {
        add_junction(&s, rng);
    }
    for (uint32_t v = 1; v < junctions; v++) {
        if (sc_rng_below(rng, 16) == 0) continue;  // an island begins
        const uint32_t back = 1 + sc_rng_below(rng, v < reach ? v : reach);
        add_road(&s, rng, v, v - back, kind);
    }
    for (uint32_t more = sc_rng_below(rng, 2 * junctions); more > 0; more--) {
        const uint32_t from = sc_rng_below(rng, junctions);
        const uint32_t ahead = from + sc_rng_below(rng, reach);  // itself: a loop
        add_road(&s, rng, from, ahead < junctions ? ahead : ahead - junctions, kind);
    }
    for (uint32_t more = sc_rng_below(rng, junctions); more > 0; more--) {
        add_road(&s, rng, sc_rng_below(rng, junctions), add_junction(&s, rng), kind);
    }
    if (s.edge_count == 0) add_road(&s, rng, 0, 1, kind);
    return s;
}

// --- Towns -------------------------------------------------------------------------------

static sketch draw_town(uint64_t seed, sc_rng *rng)
{
    switch (seed % ODD_TOWN_KINDS) {
    case 0:
    case 1:
        return sketch_odd(seed);
    case 2: {
        size_t count = 0;
        while (small_maps[count].name) {
            count++;
        }
        return sketch_named(small_maps[sc_rng_below(rng, (uint32_t)count)].name);
    }
    case 3:
        return sketch_grid(SC_COORDS_PLANAR, 2 + sc_rng_below(rng, 5), 2 + sc_rng_below(rng, 5));
    case 4:
        return draw_tangle(rng, TANGLE_WIDE);
    default:
        return draw_tangle(rng, TANGLE_PLAIN);
    }
}

// Sometimes a round number, so that ways tie.
static double draw_time(sc_rng *rng)
{
    return sc_rng_below(rng, 3) == 0 ? 10.0 : (1 + sc_rng_below(rng, 100000)) / 1e3;
}

// Close some roads in one direction, or many, and let some take longer one way than the other.
static void draw_directions(sc_builder *builder, sc_rng *rng)
{
    const uint32_t closed = sc_rng_below(rng, 3);  // none, some, most of them
    for (sc_edge_id e = 0; e < sc_builder_edge_count(builder); e++) {
        double forward_s = draw_time(rng);
        double backward_s = sc_rng_below(rng, 2) ? forward_s : draw_time(rng);
        if (sc_rng_below(rng, 4) < closed + (closed == 2)) {
            *(sc_rng_below(rng, 2) ? &forward_s : &backward_s) = SC_CLOSED_S;
        }
        if (sc_rng_below(rng, 4) == 0 && closed == 0) continue;  // the usual times
        CHECK_OK(sc_builder_set_edge_times(builder, e, forward_s, backward_s), NULL);
    }
}

// Takes the sketch over.
static void settle(odd_town *town, sketch *s)
{
    sc_builder *builder = sketch_builder(s);
    if (sc_rng_below(&town->rng, 4) > 0) draw_directions(builder, &town->rng);
    odd_objects_put(builder, s, &town->rng);
    town->map = finish_builder(builder);
    sketch_free(s);
    CHECK_OK(sc_objects_new_from_map(town->map, &town->objects), NULL);
    town->slow = slow_nearest_new(town->map, sc_objects_table(town->objects));
}

odd_town odd_town_new(uint64_t seed)
{
    odd_town town = {0};
    sc_rng_seed(&town.rng, seed);
    sketch s = draw_town(seed, &town.rng);
    settle(&town, &s);
    return town;
}

odd_town odd_town_drawn(uint64_t seed)
{
    odd_town town = {0};
    sc_rng_seed(&town.rng, seed);
    sketch s = draw_tangle(&town.rng, TANGLE_DRAWN);
    settle(&town, &s);
    return town;
}

void odd_town_free(odd_town *town)
{
    slow_nearest_free(&town->slow);
    sc_objects_release(town->objects);
    sc_map_free(town->map);
    *town = (odd_town){0};
}

void odd_town_index(odd_town *town)
{
    sc_index_options options = sc_index_options_default();
    options.k = 1 + sc_rng_below(&town->rng, 8);
    options.threads = 1;
    if (sc_rng_below(&town->rng, 4) == 0) options.max_bytes = sc_rng_below(&town->rng, 4000);
    sc_diag diag = {""};
    CHECK_OK(sc_objects_build_index(town->objects, &options, &diag), &diag);
}

sc_lbs *odd_town_lbs(const odd_town *town, bool without_index)
{
    sc_lbs_options options = sc_lbs_options_default();
    options.limits.max_radius_m = HUGE_VAL;
    options.limits.max_radius_s = HUGE_VAL;
    options.without_index = without_index;
    sc_lbs *lbs = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_lbs_new(town->map, &options, &lbs, &diag), &diag);
    return lbs;
}
