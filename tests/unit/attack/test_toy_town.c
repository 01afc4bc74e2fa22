// The methods as toy_town.h has them, against the engine: the same outcomes, as often. The
// exact posterior rests on this.
#include "support/toy_town.h"

#include <starcloak/engine.h>
#include <starcloak/prune.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/sketch.h"
#include "support/streams.h"

/** What the engine may come to in one case, and how often it did. */
typedef struct tally {
    toy_outcome outcome;
    double chance;
    uint32_t times;
} tally;

enum { OUTCOMES = 4096, ROUNDS = 300 };

// Dead ends, a square, a loop, two roads between the same stars, a lone road.
static const char *const pictures[] = {
    "o   o   o   o\n"
    "|   |   |   |\n"
    "A---B---C---D\n"
    "|   |   |   |\n"
    "o   o   o   o\n",

    "o-A---B-o\n"
    "  |   |  \n"
    "o-C---D  \n"
    "      |  \n"
    "  o---E-o\n",

    "o   o o--o  \n"
    "|   |       \n"
    "A---B---C---D\n"
    "    |   |    \n"
    "    o   o    \n",
};
static const char *const more[] = {"", "", "AB DD"};

// --- One case --------------------------------------------------------------------

static bool is_same(const toy_outcome *a, const toy_outcome *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        if (a->cloaks[i].segments != b->cloaks[i].segments) return false;
        if (a->cloaks[i].members != b->cloaks[i].members) return false;
    }
    return true;
}

// Find an outcome among those listed, or add it.
static size_t look_up(tally *tallies, size_t *count, const toy_outcome *outcome)
{
    size_t i = 0;
    while (i < *count && !is_same(&tallies[i].outcome, outcome)) {
        i++;
    }
    if (i == *count) {
        assert_true(i < OUTCOMES);
        tallies[(*count)++] = (tally){.outcome = *outcome};
    }
    return i;
}

static size_t list_outcomes(const toy_town *town, const toy_query *queries, size_t count,
                            tally *tallies)
{
    size_t outcome_count = 0;
    double all = 0;
    dice d = dice_new();
    do {
        toy_outcome outcome;
        toy_cloak(town, queries, count, &d, &outcome);
        tallies[look_up(tallies, &outcome_count, &outcome)].chance += d.chance;
        all += d.chance;
    } while (dice_turn(&d));
    CHECK_CLOSE(all, 1, 1e-9);
    return outcome_count;
}

static void take_cloaks(sc_engine *engine, sc_pruner *pruner, sc_rng *rng, toy_outcome *out)
{
    for (sc_cloak *cloak; (cloak = sc_engine_take_candidate(engine));) {
        CHECK_OK(sc_pruner_prune(pruner, cloak, rng), NULL);
        toy_segments segments = 0;
        toy_queries members = 0;
        for (size_t i = 0; i < cloak->segment_count; i++) {
            segments |= (toy_segments)1 << cloak->segments[i];
        }
        for (size_t i = 0; i < cloak->member_count; i++) {
            members |= 1u << (cloak->members[i].query.user - 1);
        }
        out->cloaks[out->count].segments = segments;
        out->cloaks[out->count++].members = members;
        CHECK_OK(sc_engine_accept(engine, cloak, 0, NULL), NULL);
        sc_cloak_free(cloak);
    }
}

// The queries come to an engine of their own, one after the other, and wait until they expire.
static toy_outcome run_engine(const toy_town *town, const toy_query *queries, size_t count,
                              sc_pruner *pruner, sc_rng *rng)
{
    const sc_time deadline = sc_time_from_seconds(10);
    toy_outcome out = {.count = 0};
    sc_engine *engine = NULL;
    CHECK_OK(sc_engine_new(town->map, &town->options, rng, &engine, NULL), NULL);
    for (size_t i = 0; i < count; i++) {
        const sc_needs *needs = &queries[i].needs;
        sc_query query = plain_query((uint32_t)i + 1, queries[i].segment, needs->k, needs->l,
                                     needs->max_hops, deadline);
        query.result_size = needs->result_size;
        CHECK_OK(sc_engine_add(engine, &query), NULL);
        CHECK_OK(sc_engine_run(engine, 0), NULL);
        take_cloaks(engine, pruner, rng, &out);
    }
    for (sc_time wake; (wake = sc_engine_next_wake(engine)) != SC_TIME_NEVER;) {
        CHECK_OK(sc_engine_run(engine, wake), NULL);
        take_cloaks(engine, pruner, rng, &out);
    }
    sc_engine_free(engine);
    return out;
}

// What the engine comes to is possible, and no outcome comes five deviations too often or too
// seldom; two more are allowed to the rare ones, whose numbers are not normal. True if there was a
// cloak, or if there were dice.
static bool compare(const toy_town *town, const toy_query *queries, size_t count, sc_rng *rng)
{
    tally *tallies = test_take(OUTCOMES, sizeof *tallies);
    size_t outcome_count = list_outcomes(town, queries, count, tallies);
    const size_t possible = outcome_count;
    sc_pruner *pruner = NULL;
    CHECK_OK(sc_pruner_new(town->map, &pruner), NULL);
    // Without dice once is enough.
    const uint32_t rounds = possible > 1 ? ROUNDS : 1;
    for (uint32_t i = 0; i < rounds; i++) {
        const toy_outcome outcome = run_engine(town, queries, count, pruner, rng);
        tallies[look_up(tallies, &outcome_count, &outcome)].times++;
        assert_int_equal(outcome_count, possible);
    }
    for (size_t i = 0; i < possible; i++) {
        const double p = tallies[i].chance;
        CHECK_CLOSE(tallies[i].times, rounds * p,
                    rounds > 1 ? 5 * __builtin_sqrt(rounds * p * (1 - p)) + 2 : 1e-9);
    }
    const bool is_telling = possible > 1 || tallies[0].outcome.count > 0;
    sc_pruner_free(pruner);
    free(tallies);
    return is_telling;
}

// --- Many cases ------------------------------------------------------------------

static void draw_queries(const toy_town *town, toy_query *queries, size_t count, uint32_t most_hops,
                         sc_rng *rng)
{
    for (size_t i = 0; i < count; i++) {
        queries[i] = (toy_query){
            .segment = sc_rng_below(rng, town->segment_count),
            .needs = {.k = 1 + sc_rng_below(rng, (uint32_t)count),
                      .l = 1 + sc_rng_below(rng, 5),
                      .max_hops = sc_rng_below(rng, most_hops + 1),
                      .result_size = sc_rng_below(rng, 4)},
        };
    }
}

static void compare_variant(sc_variant variant, size_t query_count, uint32_t most_hops)
{
    sc_engine_options options = sc_engine_options_default();
    options.variant = variant;
    options.max_combinations = sc_variant_cap(variant);
    toy_town *town = test_take(1, sizeof *town);
    uint32_t telling = 0;
    for (size_t m = 0; m < sizeof pictures / sizeof pictures[0]; m++) {
        sketch s = sketch_draw(SC_COORDS_PLANAR, pictures[m], more[m]);
        sc_map *map = sketch_map(&s);
        toy_town_init(town, map, &options);
        for (uint64_t seed = 0; seed < 12; seed++) {
            check_case(seed);
            sc_rng rng;
            toy_query queries[TOY_QUERIES];
            sc_rng_seed(&rng, 100 * m + seed);
            draw_queries(town, queries, query_count, most_hops, &rng);
            telling += compare(town, queries, query_count, &rng);
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
    assert_true(telling >= 12);  // of 36
    free(town);
}

static void test_basic_does_what_the_engine_does(void **state)
{
    (void)state;
    compare_variant(SC_VARIANT_BASIC, 4, 2);
}

static void test_bounded_does_what_the_engine_does(void **state)
{
    (void)state;
    compare_variant(SC_VARIANT_BOUNDED, 4, 2);
}

static void test_hybrid_does_what_the_engine_does(void **state)
{
    (void)state;
    compare_variant(SC_VARIANT_HYBRID, 4, 2);
}

static void test_xstar_does_what_the_engine_does(void **state)
{
    (void)state;
    compare_variant(SC_VARIANT_XSTAR, 4, 2);
}

static void test_sampling_does_what_the_engine_does(void **state)
{
    (void)state;
    compare_variant(SC_VARIANT_SAMPLING, 2, 0);
}

static void test_expansion_does_what_the_engine_does(void **state)
{
    (void)state;
    compare_variant(SC_VARIANT_EXPANSION, 4, 2);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_basic_does_what_the_engine_does),
    SC_CASES(test_bounded_does_what_the_engine_does),
    SC_CASES(test_hybrid_does_what_the_engine_does),
    SC_CASES(test_xstar_does_what_the_engine_does),
    SC_CASES(test_sampling_does_what_the_engine_does),
    SC_CASES(test_expansion_does_what_the_engine_does),
};
SC_SUITE(tests)
