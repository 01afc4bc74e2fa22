// The vicinity of a search: what it says of sets of stars and their roads is what plain sets say
// (support/slow_roads.h, support/slow_demand.h), on odd maps, for one numbering after the other.
#include "engine/vicinity.h"

#include "engine/patient.h"
#include "support/check.h"
#include "support/made_demands.h"
#include "support/slow_demand.h"
#include "support/streams.h"

enum { TOWNS = 400, NUMBERINGS = 6, SETS = 8, MOST_MEMBERS = 3, MOST_HOPS = 5 };

/** A town, an engine with one of the demands that a vicinity is for, and how often sets meet. */
typedef struct ground {
    sc_map *map;
    slow_roads roads;
    made_demands made;
    sc_demands demands;
    sc_rng rng;
    sc_engine *engine;
    const sc_star_id *stars;  ///< by number
    uint32_t met;
    uint32_t sets;
} ground;

static sc__vicinity *vicinity_of(const ground *g)
{
    sc__patient *own = g->engine->method_state;
    return &own->around;
}

/** An engine with these demands in place of the ground's. */
static void ground_ask(ground *g, sc_demands demands)
{
    sc_engine_options options = sc_engine_options_default();
    sc_diag diag = {""};
    options.variant = SC_VARIANT_PATIENT;
    options.demands = g->demands = demands;
    sc_engine_free(g->engine);
    g->engine = NULL;
    CHECK_OK(sc_engine_new(g->map, &options, &g->rng, &g->engine, &diag), &diag);
}

static void ground_open(ground *g, uint64_t seed)
{
    g->map = stream_map(seed);
    g->roads = slow_roads_new(g->map);
    g->engine = NULL;
    sc_rng_seed(&g->rng, seed);
    made_demands_start(&g->made, &g->roads, seed);
    sc_demands demands = {.is_strict = seed % 4 > 0};
    if (seed % 4 != 1) {
        demands.traffic = 2;
        demands.density = g->made.density;
    }
    ground_ask(g, demands);
}

static void ground_close(ground *g)
{
    sc_engine_free(g->engine);
    made_demands_end(&g->made);
    slow_roads_free(&g->roads);
    sc_map_free(g->map);
}

/** Number the stars of a ball; gives it, to be freed. */
static sc__ball *number_ball(ground *g)
{
    const sc_star_id star = sc_rng_below(&g->rng, g->roads.star_count);
    sc__ball *ball = NULL;
    CHECK_OK(sc__ball_new(g->engine, star, sc_rng_below(&g->rng, MOST_HOPS), &ball), NULL);
    CHECK_OK(sc__number_stars(g->engine, ball, ball->count), NULL);
    g->stars = sc__ball_stars(ball);
    CHECK_OK(sc__vicinity_begin(g->engine, vicinity_of(g), g->stars), NULL);
    return ball;
}

static uint64_t all_of(const ground *g)
{
    uint64_t mask;
    sc__mask_fill(&mask, 1, g->engine->numbers.count);
    return mask;
}

/** The roads of the stars of `mask`, as flags; to be freed. */
static bool *roads_of(const ground *g, uint64_t mask, size_t *count)
{
    bool *stars = test_take(g->roads.star_count, sizeof *stars);
    bool *roads = test_take(g->roads.segment_count, sizeof *roads);
    for (uint64_t bits = mask; bits != 0; bits &= bits - 1) {
        stars[g->stars[__builtin_ctzll(bits)]] = true;
    }
    *count = 0;
    for (sc_seg_id segment = 0; segment < g->roads.segment_count; segment++) {
        roads[segment] = slow_touches(&g->roads, stars, segment);
        *count += roads[segment];
    }
    free(stars);
    return roads;
}

/** Members on roads of the set: all of them are satisfied iff what they ask together is met. */
static void check_demand(ground *g, uint64_t mask)
{
    size_t road_count;
    size_t own_count;
    bool *roads = roads_of(g, mask, &road_count);
    uint32_t *owns = slow_ids(roads, g->roads.segment_count, &own_count);
    sc__demand all = {0};
    bool each = true;
    for (uint32_t i = 0; i <= sc_rng_below(&g->rng, MOST_MEMBERS); i++) {
        const sc_seg_id own = owns[sc_rng_below(&g->rng, (uint32_t)own_count)];
        const uint32_t l = 1 + sc_rng_below(&g->rng, (uint32_t)road_count + 1);
        const sc_query member = plain_query(i, own, 1, l, 1, 0);
        all = sc__demand_meet(all, sc__demand_of(&g->engine->tables, &member));
        each = each && slow_demand_is_met(&g->roads, &g->demands, &member, roads);
    }
    assert_int_equal(sc__vicinity_count(g->engine, vicinity_of(g), mask), road_count);
    assert_int_equal(sc__vicinity_meets(g->engine, vicinity_of(g), mask, &all), each);
    g->met += each;
    g->sets++;
    free(owns);
    free(roads);
}

/** What a star has alone leaves with it. */
static void check_sole(const ground *g, uint64_t mask)
{
    size_t with;
    free(roads_of(g, mask, &with));
    for (uint64_t bits = mask; bits != 0; bits &= bits - 1) {
        const uint64_t others = mask & ~(bits & -bits);
        size_t without;
        free(roads_of(g, others, &without));
        assert_int_equal(sc__vicinity_sole(vicinity_of(g), (uint32_t)__builtin_ctzll(bits), others),
                         with - without);
    }
}

/** How many stars of `mask` are farther than that from the star of a number. */
static uint32_t count_far(const ground *g, uint64_t mask, int number, uint32_t hops)
{
    uint32_t count = 0;
    for (uint64_t bits = mask; bits != 0; bits &= bits - 1) {
        count += slow_hops(&g->roads, g->stars[number], g->stars[__builtin_ctzll(bits)]) > hops;
    }
    return count;
}

static void check_hops(ground *g, uint64_t mask, uint64_t from)
{
    const uint32_t hops = sc_rng_below(&g->rng, MOST_HOPS);
    uint64_t possible = 0;
    uint64_t farthest = 0;
    uint32_t most = 1;
    for (uint64_t bits = mask; bits != 0; bits &= bits - 1) {
        const uint64_t bit = bits & -bits;
        const uint32_t count = count_far(g, mask, __builtin_ctzll(bits), hops);
        if (count == 0) possible |= bit;
        if (!(from & bit) || count < most) continue;
        if (count > most) farthest = 0;
        most = count;
        farthest |= bit;
    }
    CHECK_OK(sc__vicinity_measure(g->engine, vicinity_of(g), mask, hops), NULL);
    assert_int_equal(sc__vicinity_possible(vicinity_of(g), mask, hops), possible);
    assert_int_equal(sc__vicinity_farthest(vicinity_of(g), mask, from, hops), farthest);
}

static uint64_t draw_mask(ground *g, uint64_t of)
{
    const uint64_t high = sc_rng_below(&g->rng, UINT32_MAX);
    return of & (high << 32 | sc_rng_below(&g->rng, UINT32_MAX));
}

static void test_sets_of_stars_are_what_plain_sets_are(void **state)
{
    (void)state;
    ground g = {0};
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        ground_open(&g, seed);
        for (int i = 0; i < NUMBERINGS; i++) {
            sc__ball *ball = number_ball(&g);
            assert_int_equal(vicinity_of(&g)->is_in_use, ball->count <= SC__VICINITY_MAX);
            for (int j = 0; vicinity_of(&g)->is_in_use && j < SETS; j++) {
                const uint64_t mask = j == 0 ? all_of(&g) : draw_mask(&g, all_of(&g));
                if (mask == 0) continue;
                check_demand(&g, mask);
                check_sole(&g, mask);
                check_hops(&g, mask, draw_mask(&g, mask));
            }
            sc__ball_free(g.engine, ball);
        }
        ground_close(&g);
    }
    check_case_done();
    print_message("# %u of %u sets meet the demand\n", g.met, g.sets);
    assert_in_range(g.met, g.sets / 10, g.sets * 9 / 10);
}

static void test_classes_and_larger_shares_are_left_to_others(void **state)
{
    (void)state;
    ground g = {0};
    ground_open(&g, 2);
    const sc_demands demands = g.demands;
    sc__ball_free(g.engine, number_ball(&g));
    assert_true(vicinity_of(&g)->tests_roads);

    sc_demands other = demands;
    other.traffic = 3;
    ground_ask(&g, other);
    sc__ball_free(g.engine, number_ball(&g));
    assert_false(vicinity_of(&g)->tests_roads);

    other = demands;
    other.classes = g.made.classes;
    ground_ask(&g, other);
    sc__ball_free(g.engine, number_ball(&g));
    assert_false(vicinity_of(&g)->tests_roads);

    ground_ask(&g, (sc_demands){0});
    sc__ball_free(g.engine, number_ball(&g));
    assert_false(vicinity_of(&g)->tests_roads);
    ground_close(&g);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_sets_of_stars_are_what_plain_sets_are),
    cmocka_unit_test(test_classes_and_larger_shares_are_left_to_others),
};
SC_SUITE(tests)
