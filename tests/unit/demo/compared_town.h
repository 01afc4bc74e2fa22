/**
 * @file compared_town.h
 * @brief Questions of a small town for a comparison of methods, and a plain recount of its figures.
 *
 *     compared_town town;
 *     compared_town_init(&town, seed);
 *     const sc_query *query = compared_town_ask(&town, after_us);      // then sc_comparison_ask()
 *     compared_town_fini(&town);
 */
#ifndef SC_TESTS_UNIT_DEMO_COMPARED_TOWN_H
#define SC_TESTS_UNIT_DEMO_COMPARED_TOWN_H

#include "base/rng.h"
#include "demo/method_comparison.h"
#include "support/check.h"
#include "support/sketch.h"

enum { TOWN_QUESTIONS = 4000, TOWN_CLOAKS = 12000, TOWN_USERS = 40 };

#define TOWN_START INT64_C(123456789)

typedef struct town_question {
    sc_query query;
    sc_time asked;
    bool is_cloaked[SC_COMPARISON_METHODS_MAX];
} town_question;

typedef struct town_cloak {
    size_t method;
    sc_time t;
    size_t users;
    size_t segments;
    size_t border_nodes;
    size_t members;
    sc_time wait;  ///< of all members together
} town_cloak;

typedef struct compared_town {
    sc_map *map;
    sc_rng rng;       ///< of the questions
    sc_rng dice;      ///< of the engines
    sc_time longest;  ///< that a question waits
    town_question *questions;
    size_t question_count;
    town_cloak *cloaks;
    size_t cloak_count;
} compared_town;

static inline void compared_town_init(compared_town *town, uint64_t seed)
{
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 6, 6);
    *town = (compared_town){.map = sketch_map(&grid),
                            .longest = sc_time_from_seconds(8),
                            .questions = test_take(TOWN_QUESTIONS, sizeof(town_question)),
                            .cloaks = test_take(TOWN_CLOAKS, sizeof(town_cloak))};
    sketch_free(&grid);
    sc_rng_seed(&town->rng, seed);
    sc_rng_seed(&town->dice, seed + 1);
}

static inline void compared_town_fini(compared_town *town)
{
    sc_map_free(town->map);
    free(town->questions);
    free(town->cloaks);
}

/** The next question, asked at `t`; lent. */
static inline const sc_query *compared_town_ask(compared_town *town, sc_time t)
{
    assert_true(town->question_count < TOWN_QUESTIONS);
    const uint64_t number = town->question_count++;
    town_question *question = &town->questions[number];
    const sc_time least = sc_time_from_seconds(1);
    *question = (town_question){
        .asked = t,
        .query = {.user = 1 + sc_rng_below(&town->rng, TOWN_USERS),
                  .deadline =
                      t + least + sc_rng_below(&town->rng, (uint32_t)(town->longest - least)),
                  .segment = sc_rng_below(&town->rng, sc_map_segment_count(town->map)),
                  .k = 2 + sc_rng_below(&town->rng, 6),
                  .l = 2 + sc_rng_below(&town->rng, 5),
                  .max_hops = 1 + sc_rng_below(&town->rng, 3),
                  .result_size = 3},
    };
    memcpy(question->query.id.bytes, &number, sizeof number);
    return &question->query;
}

static inline bool has_segment(const sc_cloak *cloak, sc_seg_id segment)
{
    for (size_t i = 0; i < cloak->segment_count; i++) {
        if (cloak->segments[i] == segment) return true;
    }
    return false;
}

/** A `cloaked` of the options, whose context is the town: what each member was promised is looked
 * at, and the cloak is kept for the recount. */
static inline void compared_town_take(void *context, const sc_compared_cloak *found)
{
    compared_town *town = context;
    const sc_cloak *cloak = found->cloak;
    assert_true(town->cloak_count < TOWN_CLOAKS);
    town_cloak *kept = &town->cloaks[town->cloak_count++];
    *kept = (town_cloak){.method = found->method,
                         .t = found->t,
                         .segments = cloak->segment_count,
                         .border_nodes = cloak->border_node_count,
                         .members = cloak->member_count};
    bool is_here[TOWN_USERS + 1] = {false};
    for (size_t i = 0; i < cloak->member_count; i++) {
        uint64_t number = 0;
        memcpy(&number, cloak->members[i].query.id.bytes, sizeof number);
        town_question *question = &town->questions[number];
        assert_false(question->is_cloaked[found->method]);
        question->is_cloaked[found->method] = true;
        assert_true(found->t >= question->asked && found->t <= question->query.deadline);
        assert_true(has_segment(cloak, question->query.segment));
        assert_true(found->users >= question->query.k);
        assert_true(cloak->segment_count >= question->query.l);
        kept->wait += found->t - question->asked;
        kept->users += !is_here[question->query.user];
        is_here[question->query.user] = true;
    }
    assert_int_equal(found->users, kept->users);
}

static inline sc_comparison_options compared_town_options(compared_town *town)
{
    return (sc_comparison_options){
        .methods = {SC_VARIANT_BASIC, SC_VARIANT_XSTAR, SC_VARIANT_EXPANSION},
        .method_count = 3,
        .engine = sc_engine_options_default(),
        .rng = &town->dice,
        .cloaked = compared_town_take,
        .context = town,
    };
}

#endif
