// The paper's bound: the stars that queries are assigned to cost, on average over the random
// choices, at most twice the cheapest stars that touch all their segments. The optimum is found by
// trying all sets of stars, so the maps are small.
#include <starcloak/engine.h>

#include <math.h>

#include "support/check.h"
#include "support/slow_roads.h"
#include "support/stage.h"

static const sc_time deadline = 1000;

/** A segment costs 1 and nothing else does: the cost of a star is how many it has. */
static sc_engine_options count_segments(void)
{
    sc_engine_options options = sc_engine_options_default();
    options.cost = (sc_cost_model){.segment = 1};
    options.max_combinations = 4096;  // so that all stars of a map are found together
    return options;
}

/** Queries on some segments of a map, and what it costs to serve them. */
typedef struct errand {
    const sc_map *map;
    sc_engine_options options;
    sc_seg_id segments[32];
    uint32_t segment_count;
    double cost[32];  ///< by star
} errand;

// The cheapest set of stars that touches every segment of the errand, by trying all sets.
static double find_optimum(const errand *e)
{
    double best = HUGE_VAL;
    const uint32_t star_count = sc_map_star_count(e->map);
    const sc_segment *segments = sc_map_segments(e->map);
    for (uint32_t set = 0; set < 1U << star_count; set++) {
        double cost = 0;
        bool is_cover = true;
        for (sc_star_id x = 0; x < star_count; x++) {
            if (set >> x & 1) cost += e->cost[x];
        }
        for (uint32_t i = 0; i < e->segment_count; i++) {
            const sc_segment *s = &segments[e->segments[i]];
            is_cover &= (set >> s->star_a & 1) || (s->star_b != SC_NONE && (set >> s->star_b & 1));
        }
        if (is_cover && cost < best) best = cost;
    }
    return best;
}

// What the stars cost that an engine selects: every query asks for as many users as there are, so
// all are active until the last has come, and all are members of one cloak.
static double run_errand(const errand *e, uint64_t seed)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    sc_engine *engine = NULL;
    CHECK_OK(sc_engine_new(e->map, &e->options, &rng, &engine, NULL), NULL);
    for (uint32_t i = 0; i < e->segment_count; i++) {
        const sc_query query = plain_query(i, e->segments[i], e->segment_count, 1, 100, deadline);
        CHECK_OK(sc_engine_add(engine, &query), NULL);
    }
    CHECK_OK(sc_engine_run(engine, 0), NULL);
    sc_cloak *cloak = sc_engine_take_candidate(engine);
    assert_non_null(cloak);
    assert_int_equal(cloak->member_count, e->segment_count);
    double cost = 0;
    for (sc_star_id x = 0; x < sc_map_star_count(e->map); x++) {
        bool is_selected = false;
        for (size_t i = 0; i < cloak->member_count; i++) {
            is_selected |= cloak->members[i].star == x;
        }
        if (is_selected) cost += e->cost[x];
    }
    sc_cloak_free(cloak);
    sc_engine_free(engine);
    return cost;
}

static void find_costs(errand *e)
{
    const double density = sc_map_object_density(e->map);
    for (sc_star_id x = 0; x < sc_map_star_count(e->map); x++) {
        e->cost[x] =
            sc_cost_model_estimate(&e->options.cost, density, sc_star_extent(e->map, x), 0);
    }
}

// The mean over seeds is at most twice the optimum. The mean of a sample may be above the true
// one by chance: four standard errors of it are allowed for. Returns mean / optimum.
static double check_bound(errand *e, uint32_t runs)
{
    double sum = 0;
    double squares = 0;
    find_costs(e);
    for (uint64_t seed = 0; seed < runs; seed++) {
        const double cost = run_errand(e, seed);
        sum += cost;
        squares += cost * cost;
    }
    const double mean = sum / runs;
    const double variance = fmax(0, squares / runs - mean * mean);
    const double optimum = find_optimum(e);
    assert_true(mean >= optimum * (1 - 1e-12));
    assert_true(mean <= 2 * optimum + 4 * sqrt(variance / runs));
    return mean / optimum;
}

static bool is_connected(const sc_map *map)
{
    slow_roads roads = slow_roads_new(map);
    bool connected = true;
    for (sc_star_id x = 0; x < roads.star_count; x++) {
        connected &= slow_hops(&roads, 0, x) != SC_NONE;
    }
    slow_roads_free(&roads);
    return connected;
}

static void test_selected_stars_cost_at_most_twice_the_optimum_on_average(void **state)
{
    (void)state;
    enum { MAPS = 20, RUNS = 100, MOST_STARS = 7 };
    uint32_t tried = 0;
    double sum = 0;
    for (uint64_t seed = 0; tried < MAPS; seed++) {
        check_case(seed);
        sc_map *map = stream_map(seed);
        const uint32_t stars = sc_map_star_count(map);
        if (stars >= 4 && stars <= MOST_STARS && is_connected(map)) {
            sc_rng rng;
            sc_rng_seed(&rng, seed);
            errand e = {.map = map, .options = count_segments(), .segment_count = 14};
            if (tried % 2) e.options.cost = sc_cost_model_default();
            for (uint32_t i = 0; i < e.segment_count; i++) {
                e.segments[i] = sc_rng_below(&rng, sc_map_segment_count(map));
            }
            sum += check_bound(&e, RUNS);
            tried++;
        }
        sc_map_free(map);
    }
    check_case_done();
    print_message("# mean cost / optimum, on average over the maps: %.2f\n", sum / MAPS);
}

// Three busy squares around a quiet junction. A choice that takes either end of a road with the
// same chance pays for a square nearly always: above four times the optimum, which is the junction.
static void test_a_quiet_junction_is_preferred_to_busy_squares(void **state)
{
    (void)state;
    stage st;
    const sc_engine_options options = count_segments();
    stage_open(&st,
               "  o o o   o o o   o o o\n"
               "   \\|/     \\|/     \\|/\n"
               "o---B---o   C   o---D---o\n"
               "   /|\\     /|\\     /|\\\n"
               "  o o o   o | o   o o o\n"
               "            |\n"
               "            A\n",
               "AB AD BB BB BB CC CC CC CC DD DD DD", &options);
    errand e = {.map = st.map, .options = options, .segment_count = 3};
    e.segments[0] = stage_road(&st, 'A', 'B');
    e.segments[1] = stage_road(&st, 'A', 'C');
    e.segments[2] = stage_road(&st, 'A', 'D');
    const double ratio = check_bound(&e, 2000);
    CHECK_CLOSE(find_optimum(&e), 3, 1e-12);
    print_message("# mean cost / optimum: %.2f\n", ratio);
    stage_close(&st);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_selected_stars_cost_at_most_twice_the_optimum_on_average),
    cmocka_unit_test(test_a_quiet_junction_is_preferred_to_busy_squares),
};
SC_SUITE(tests)
