// The stars, roads and distances that one search tests again and again. vicinity.h has the
// idea.
//
// Hops are symmetric: star i is far from star j iff j is far from i. So the stars that are far from
// some star of a set are the union of what each has far, one step per star, and how many are far
// from each star is a sum of such words, added column by column (`counters`).
#include "engine/vicinity.h"

#include "base/alloc.h"
#include "engine/engine_internal.h"
#include "engine/listing.h"

/** Take the stars of the last search their numbers. */
static void forget(sc__vicinity *around)
{
    for (uint32_t i = 0; i < around->count; i++) {
        around->number_of[around->ids[i]] = 0;
    }
    around->count = 0;
}

void sc__vicinity_fini(sc__vicinity *around)
{
    // Stars around users, and how busy the roads there are.
    forget(around);
    sc_free_wiped(around->near, SC__NEAR_HOPS + 1, sizeof *around->near);
    sc_free_wiped(around->stars, SC__VICINITY_MAX, sizeof *around->stars);
    sc_free_wiped(around->ids, SC__VICINITY_MAX, sizeof *around->ids);
    sc_free_wiped(around->roads, around->road_capacity, sizeof *around->roads);
    sc_free(around->bit_of);
    sc_free(around->number_of);
}

// --- Stars -------------------------------------------------------------------

/** Whether a vicinity is of use: engines without such demands test each set once. */
static bool is_of_use(const sc_engine *engine)
{
    return engine->numbers.count <= SC__VICINITY_MAX &&
           (engine->tables.density || engine->options.demands.is_strict);
}

/** Whether sets of roads can be tested by it. */
static bool tests_roads(const sc__demand_tables *tables)
{
    return !tables->classes && (!tables->density || tables->traffic == 2);
}

static sc_err make_tables(sc__vicinity *around, const sc_engine *engine)
{
    if (around->number_of) return SC_OK;
    if (!around->stars) around->stars = sc_calloc(SC__VICINITY_MAX, sizeof *around->stars);
    if (!around->ids) around->ids = sc_calloc(SC__VICINITY_MAX, sizeof *around->ids);
    if (!around->bit_of) around->bit_of = sc_calloc(SC__VICINITY_MAX + 1, sizeof *around->bit_of);
    if (!around->near) around->near = sc_calloc(SC__NEAR_HOPS + 1, sizeof *around->near);
    if (!around->stars || !around->ids || !around->bit_of || !around->near) return SC_ENOMEM;
    for (unsigned i = 0; i < SC__VICINITY_MAX; i++) {
        around->bit_of[i + 1] = UINT64_C(1) << i;
    }
    // A byte per star of the map, of which only the pages in use become real. The engine's table of
    // numbers takes less memory and three times the instructions.
    around->number_of = sc_calloc(sc_map_star_count(engine->map), sizeof *around->number_of);
    return around->number_of ? SC_OK : SC_ENOMEM;
}

sc_err sc__vicinity_begin(sc_engine *engine, sc__vicinity *around, const sc_star_id *stars)
{
    around->is_in_use = around->tests_roads = false;
    if (!is_of_use(engine)) return SC_OK;
    const sc_err err = make_tables(around, engine);
    if (err) return err;
    forget(around);
    size_t road_count = 0;
    around->count = engine->numbers.count;
    for (uint32_t i = 0; i < around->count; i++) {
        const sc_star *at = &engine->stars[stars[i]];
        around->ids[i] = stars[i];
        around->number_of[stars[i]] = (uint8_t)(i + 1);
        around->stars[i].near_hops = 0;
        road_count += at[1].first_segment - at[0].first_segment;
    }
    around->listed = 0;
    around->road_count = 0;
    if (!sc_reserve(&around->roads, road_count, &around->road_capacity, sizeof *around->roads)) {
        return SC_ENOMEM;
    }
    around->is_in_use = true;
    around->tests_roads = tests_roads(&engine->tables);
    return SC_OK;
}

// --- Sets of roads -----------------------------------------------------------

/** List the roads of a star. */
static void list_roads(const sc_engine *engine, sc__vicinity *around, uint32_t number)
{
    const sc_star_id star = around->ids[number];
    const sc_star *at = &engine->stars[star];
    const uint32_t *density = engine->tables.density;
    sc__near_star *made = &around->stars[number];
    uint64_t linked = 0;
    uint64_t traffic = 0;
    uint64_t busiest = 0;
    made->first_road = (uint32_t)around->road_count;
    for (uint32_t j = at[0].first_segment; j < at[1].first_segment; j++) {
        const sc_seg_id segment = engine->star_segments[j];
        const sc_star_id other = sc__other_end(&engine->segments[segment], star);
        const bool is_alone = other == SC_NONE || other == star;
        const sc__near_road road = {
            .other = is_alone ? 0 : around->bit_of[around->number_of[other]],
            .density = density ? density[segment] : 1,
        };
        linked |= road.other;
        traffic += road.density;
        busiest = road.density > busiest ? road.density : busiest;
        around->roads[around->road_count++] = road;
    }
    made->road_count = (uint32_t)around->road_count - made->first_road;
    made->linked = linked;
    made->traffic = traffic;
    made->busiest = (uint32_t)busiest;
}

/** List the roads of the stars of `mask`. */
static inline void list_all(const sc_engine *engine, sc__vicinity *around, uint64_t mask)
{
    for (uint64_t bits = mask & ~around->listed; bits != 0; bits &= bits - 1) {
        list_roads(engine, around, (uint32_t)__builtin_ctzll(bits));
    }
    around->listed |= mask;
}

size_t sc__vicinity_sole(const sc__vicinity *around, uint32_t number, uint64_t others)
{
    const sc__near_star *star = &around->stars[number];
    size_t count = star->road_count;
    if (!(star->linked & others)) return count;
    for (uint32_t j = 0; j < star->road_count; j++) {
        count -= (around->roads[star->first_road + j].other & others) != 0;
    }
    return count;
}

size_t sc__vicinity_count(const sc_engine *engine, sc__vicinity *around, uint64_t mask)
{
    size_t count = 0;
    list_all(engine, around, mask);
    for (uint64_t bits = mask; bits != 0; bits &= bits - 1) {
        const uint64_t earlier = mask & ((bits & -bits) - 1);
        count += sc__vicinity_sole(around, (uint32_t)__builtin_ctzll(bits), earlier);
    }
    return count;
}

/** The traffic of the roads of a set that are no busier than `most`. */
static uint64_t add_low(const sc__vicinity *around, uint64_t mask, uint64_t most)
{
    uint64_t traffic = 0;
    for (uint64_t bits = mask; bits != 0; bits &= bits - 1) {
        const uint64_t earlier = mask & ((bits & -bits) - 1);
        const sc__near_star *star = &around->stars[__builtin_ctzll(bits)];
        for (uint32_t j = 0; j < star->road_count; j++) {
            const sc__near_road road = around->roads[star->first_road + j];
            const uint64_t density = (road.other & earlier) ? 0 : road.density;
            traffic += density <= most ? density : 0;
        }
    }
    return traffic;
}

/** Whether a road of density `exposure` is in the core of a set with so much traffic (demand.c). */
static bool is_in_core(const sc__vicinity *around, uint64_t mask, uint64_t exposure,
                       uint64_t traffic)
{
    for (;;) {
        const uint64_t most = traffic / 2;
        if (exposure > most) return false;
        const uint64_t left = add_low(around, mask, most);
        if (left == traffic) return true;
        traffic = left;
    }
}

bool sc__vicinity_meets(const sc_engine *engine, sc__vicinity *around, uint64_t mask,
                        const sc__demand *demand)
{
    const uint32_t exposure = demand->exposure[0];
    size_t count = 0;
    uint64_t traffic = 0;
    uint64_t busiest = exposure;
    list_all(engine, around, mask);
    for (uint64_t bits = mask; bits != 0; bits &= bits - 1) {
        const uint64_t earlier = mask & ((bits & -bits) - 1);
        const sc__near_star *star = &around->stars[__builtin_ctzll(bits)];
        count += star->road_count;
        traffic += star->traffic;
        busiest = star->busiest > busiest ? star->busiest : busiest;
        if (star->linked & earlier) {  // some of its roads were counted already
            for (uint32_t j = 0; j < star->road_count; j++) {
                const sc__near_road road = around->roads[star->first_road + j];
                const bool is_counted = road.other & earlier;
                count -= is_counted;
                traffic -= is_counted ? road.density : 0;
            }
        }
        // No road is more likely than one of two: all are the core.
        if (count >= demand->segments && 2 * busiest <= traffic) return true;
    }
    return count >= demand->segments && is_in_core(around, mask, exposure, traffic);
}

// --- How far stars are apart -------------------------------------------------

/** Find out which stars are within 0, 1, 2, ... hops of one. */
static sc_err find_near(sc_engine *engine, sc__vicinity *around, uint32_t number, uint32_t max_hops)
{
    const sc__ball *ball;
    const sc_err err = sc__ball_of(engine, around->ids[number], max_hops, &ball);
    if (err) return err;
    const sc_star_id *stars = sc__ball_stars(ball);
    uint64_t near = 0;
    uint32_t at = 0;
    for (uint32_t hops = 0; hops <= max_hops; hops++) {
        const uint32_t end = sc__ball_count(ball, hops);
        near |= sc__vicinity_mark(around, stars + at, end - at);
        around->near[hops].of[number] = near;
        at = end;
    }
    around->stars[number].near_hops = max_hops + 1;
    return SC_OK;
}

sc_err sc__vicinity_measure(sc_engine *engine, sc__vicinity *around, uint64_t mask,
                            uint32_t max_hops)
{
    sc_err err = SC_OK;
    for (uint64_t bits = mask; !err && bits != 0; bits &= bits - 1) {
        const uint32_t number = (uint32_t)__builtin_ctzll(bits);
        if (around->stars[number].near_hops > max_hops) continue;
        err = find_near(engine, around, number, max_hops);
    }
    return err;
}

uint64_t sc__vicinity_possible(const sc__vicinity *around, uint64_t mask, uint32_t max_hops)
{
    const uint64_t *near = around->near[max_hops].of;
    uint64_t possible = mask;
    for (uint64_t bits = mask; bits != 0; bits &= bits - 1) {
        possible &= near[__builtin_ctzll(bits)];
    }
    return possible;
}

/** Add a bit to the digits of one number per bit; gives what is carried on. */
static inline uint64_t add_bits(uint64_t *digits, uint64_t bits)
{
    const uint64_t carried = *digits & bits;
    *digits ^= bits;
    return carried;
}

/** Those of `stars` that have the digit, if any has. */
static inline uint64_t keep_larger(uint64_t stars, uint64_t digits)
{
    const uint64_t larger = stars & digits;
    return larger ? larger : stars;
}

uint64_t sc__vicinity_farthest(const sc__vicinity *around, uint64_t mask, uint64_t from,
                               uint32_t max_hops)
{
    const uint64_t *near = around->near[max_hops].of;
    uint64_t ones = 0;
    uint64_t twos = 0;
    uint64_t fours = 0;
    uint64_t eights = 0;
    uint64_t sixteens = 0;
    uint64_t thirty_twos = 0;  // 63 is the largest sum, since none is far from itself
    for (uint64_t bits = mask; bits != 0; bits &= bits - 1) {
        const uint64_t far = mask & ~near[__builtin_ctzll(bits)];
        const uint64_t carried =
            add_bits(&eights, add_bits(&fours, add_bits(&twos, add_bits(&ones, far))));
        if (__builtin_expect(carried != 0, false)) {
            thirty_twos ^= add_bits(&sixteens, carried);
        }
    }
    const uint64_t any = ones | twos | fours | eights | sixteens | thirty_twos;
    uint64_t most = keep_larger(any & from, thirty_twos);
    most = keep_larger(keep_larger(most, sixteens), eights);
    return keep_larger(keep_larger(keep_larger(most, fours), twos), ones);
}
