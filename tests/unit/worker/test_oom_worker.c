// Every allocation of a worker's life fails once, in turn: at the start it sends so; later each
// query still has one end, each cloak comes back, and nothing is lost or leaked. The engine
// threads' threads are played by hand, so that all allocations are this thread's.
#include "worker/engine_pool.h"

#include "base/diag.h"
#include "base/rng.h"
#include "engine/candidate.h"
#include "support/check.h"
#include "support/obedient.h"
#include "support/oom.h"
#include "support/sketch.h"
#include "support/streams.h"
#include "worker/proposals.h"

enum { PARTS = 3, QUERIES = 14, STEP_US = 50 };

typedef struct scene {
    sc_map *map;
    sc_partition *partition;
    obedient gateways;
    sc_engine_pool *engines;
    sc_time now;
} scene;

//   A   B   C
//   |   |   |
//   D---E---F       a star for each part
//   |   |   |
//   G   H   I
static void draw_town(scene *s)
{
    sketch drawn = sketch_named(small_maps[0].name);
    *s = (scene){.map = sketch_map(&drawn)};
    sketch_free(&drawn);
    CHECK_OK(sc_partition_new(s->map, (uint16_t[]){0, 1, 2}, PARTS, &s->partition, NULL), NULL);
}

static sc_err open_pool(scene *s, sc_diag *diag)
{
    sc_engine_pool_options options = {
        .engine = sc_engine_options_default(),
        .partition = s->partition,
        .engine_threads = 2,
        .max_queries = QUERIES,
        .self = 7,
        .patience_us = 1000,
        .port = received_port(&s->gateways.received),
    };
    options.engine.is_paranoid = true;
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    return sc_engine_pool_new(s->map, &options, &rng, &s->engines, diag);
}

static void test_a_start_without_memory_sends_so(void **state)
{
    (void)state;
    scene s;
    draw_town(&s);
    obedient_open(&s.gateways, 1, 1);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = open_pool(&s, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
        assert_null(s.engines);
        failures++;
    }
    print_message("# %lu\n", failures);
    assert_true(failures > 20);
    // Parts that cannot be spread stay as they are.
    CHECK_OK(sc_engine_pool_set_parts(s.engines, (uint16_t[]){2}, 1), NULL);
    sc_part_load loads[PARTS];
    failures = 0;
    FOR_EACH_FAILURE(n)
    {
        const sc_err err = sc_engine_pool_set_parts(s.engines, (uint16_t[]){0, 1}, 2);
        if (!oom_happened()) {
            CHECK_OK(err, NULL);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        sc_engine_pool_round(s.engines, 1);
        sc_engine_pool_stats_of(s.engines, loads);
        assert_true(loads[2].is_open && !loads[0].is_open);
        failures++;
    }
    assert_true(failures > 0);
    sc_engine_pool_free(s.engines);
    obedient_close(&s.gateways);
    sc_partition_free(s.partition);
    sc_map_free(s.map);
}

static void go_on(scene *s, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        sc_engine_pool_round(s->engines, s->now);
        (void)obedient_listen(&s->gateways, s->now);
        s->now += STEP_US;
    }
}

/** Queries of all kinds, and a part that goes and comes. */
static void live(scene *s, unsigned long n)
{
    CHECK_OK(sc_engine_pool_set_parts(s->engines, (uint16_t[]){0, 1, 2}, 3), NULL);
    oom_arm(n);
    for (uint32_t i = 0; i < QUERIES; i++) {
        const uint32_t k = i == 0 ? 100 : 1 + i % 3;
        obedient_ask(&s->gateways, i, i % sc_map_segment_count(s->map), k, 1 + i % 4, 4,
                     s->now + 100000);
        if (i % 3 == 2) go_on(s, 2);
    }
    obedient_leave(&s->gateways, 4);
    // Without memory the parts stay as they are, and that is well, too.
    const sc_err err = sc_engine_pool_set_parts(s->engines, (uint16_t[]){1}, 1);
    (void)err;
    go_on(s, 10);
}

static void check_ends(scene *s)
{
    obedient_check_ends(&s->gateways);
    const sc_engine_pool_stats stats = sc_engine_pool_stats_of(s->engines, NULL);
    const sc_engine_stats *engine = &stats.engine;
    assert_int_equal(engine->added, engine->accepted + engine->dropped[0] + engine->dropped[1] +
                                        engine->removed + engine->pending + engine->proposed);
    assert_int_equal(engine->pending + engine->proposed + engine->company_held, 0);
    assert_int_equal(engine->broken, 0);
    assert_int_equal(stats.proposals_under_way, 0);
}

static void test_every_query_has_one_end_whatever_memory_does(void **state)
{
    (void)state;
    scene s;
    draw_town(&s);
    unsigned long troubled = 0;
    unsigned not_taken = 0;
    bool is_last = false;
    for (unsigned long n = 1; !is_last; n++) {
        check_case(n);
        obedient_open(&s.gateways, QUERIES, 2);
        s.engines = NULL;
        s.now = 1000;
        sc_diag diag = {""};
        CHECK_OK(open_pool(&s, &diag), &diag);
        s.gateways.engines = s.engines;
        s.gateways.partition = s.partition;
        live(&s, n);
        is_last = !oom_happened();
        // Memory is back: all parts are there again, what waited for it goes on, and the rest runs
        // out of time.
        s.now += 20000;
        CHECK_OK(sc_engine_pool_set_parts(s.engines, (uint16_t[]){0, 1, 2}, 3), NULL);
        obedient_resend(&s.gateways);
        go_on(&s, 10);
        s.now += 200000;
        go_on(&s, 4);
        check_ends(&s);
        troubled += !is_last;
        not_taken += obedient_count(&s.gateways, OBEDIENT_NOT_TAKEN);
        if (is_last) {
            print_message("# untroubled: %u cloaks, %u across\n", s.gateways.cloaks,
                          s.gateways.across);
            assert_int_equal(obedient_count(&s.gateways, OBEDIENT_NOT_TAKEN), 0);
            assert_true(s.gateways.cloaks > 2);
        }
        sc_engine_pool_free(s.engines);
        obedient_close(&s.gateways);
    }
    check_case_done();
    print_message("# %lu troubled, %u queries not taken in them\n", troubled, not_taken);
    assert_true(troubled > 40 && not_taken > 20);
    sc_partition_free(s.partition);
    sc_map_free(s.map);
}

/** Members of two gateways. */
static sc_cloak *made_cloak(void)
{
    sc_cloak *cloak = sc__cloak_new(1, 2, 3);
    assert_non_null(cloak);
    for (uint32_t i = 0; i < 3; i++) {
        cloak->members[i] = (sc_member){.query = plain_query(i, 0, 1, 1, 1, 1000)};
        cloak->members[i].query.owner = 1 + i % 2;
    }
    cloak->deadline = 1000;
    cloak->is_pruned = true;
    return cloak;
}

static sc__proposals_options proposals_options(received *gateways)
{
    return (sc__proposals_options){.patience_us = 10, .port = received_port(gateways)};
}

static void test_proposals_without_memory_are_none(void **state)
{
    (void)state;
    received gateways;
    received_open(&gateways);
    const sc__proposals_options options = proposals_options(&gateways);
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    unsigned failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc__proposals *proposals = NULL;
        const sc_err err = sc__proposals_new(&options, &rng, &proposals);
        const bool has_failed = oom_happened();
        assert_int_equal(err, has_failed ? SC_ENOMEM : SC_OK);
        assert_int_equal(proposals == NULL, has_failed);
        sc__proposals_free(proposals);
        if (!has_failed) break;
        failures++;
    }
    assert_int_equal(failures, 2);
    received_close(&gateways);
}

/** Proposals whose messages are received by `gateways`, which the caller closes after them. */
static sc__proposals *open_proposals(received *gateways, sc_rng *rng)
{
    received_open(gateways);
    const sc__proposals_options options = proposals_options(gateways);
    sc_rng_seed(rng, 1);
    sc__proposals *proposals = NULL;
    CHECK_OK(sc__proposals_new(&options, rng, &proposals), NULL);
    return proposals;
}

static void test_a_proposal_without_memory_is_off_and_no_gateway_is_told(void **state)
{
    (void)state;
    received gateways;
    sc_rng rng;
    sc__proposals *proposals = open_proposals(&gateways, &rng);
    sc__allowance allowance = {0};
    unsigned failures = 0;
    bool has_room = false;
    for (unsigned long n = 1; !has_room; n++) {
        sc_cloak *cloak = made_cloak();
        oom_arm(n);
        has_room = sc__proposals_add(proposals, cloak, 0, &allowance, 1);
        assert_int_equal(has_room, !oom_happened());
        if (has_room) break;
        received_check_quiet(&gateways);
        sc__proposal_end end;
        assert_false(sc__proposals_take_done(proposals, &end));
        sc_cloak_free(cloak);
        failures++;
    }
    assert_true(failures >= 4);
    assert_int_equal(sc__proposals_stats_of(proposals).made, 1);
    assert_int_equal(received_count(&gateways), 2);
    sc__proposals_free(proposals);
    received_close(&gateways);
}

/** A proposal without an answer; returns how many of its members are gone. */
static size_t be_silent(sc__proposals *proposals, sc_time now)
{
    sc__allowance allowance = {0};
    assert_true(sc__proposals_add(proposals, made_cloak(), 0, &allowance, now));
    const bool is_armed = now == 20;
    if (is_armed) oom_arm(1);
    sc__proposals_pass_time(proposals, now + 10);
    assert_int_equal(oom_happened(), is_armed);
    sc__proposal_end end;
    assert_true(sc__proposals_take_done(proposals, &end));
    sc_cloak_free(end.cloak);
    return end.gone_count;
}

static void test_who_is_silent_is_named_when_there_is_memory(void **state)
{
    (void)state;
    received gateways;
    sc_rng rng;
    sc__proposals *proposals = open_proposals(&gateways, &rng);
    assert_int_equal(be_silent(proposals, 10), 0);
    assert_int_equal(be_silent(proposals, 20), 0);
    assert_int_equal(be_silent(proposals, 30), 3);
    sc__proposals_free(proposals);
    received_close(&gateways);
}

static void test_a_table_that_cannot_grow_still_finds_its_proposals(void **state)
{
    (void)state;
    received gateways;
    sc_rng rng;
    sc__proposals *proposals = open_proposals(&gateways, &rng);
    enum { MANY = 200 };
    sc__allowance allowance = {0};
    for (int i = 0; i < MANY; i++) {
        sc_cloak *cloak = made_cloak();
        // What the proposal itself takes is there: itself, its wishes, and three for the gateways.
        oom_arm(6);
        assert_true(sc__proposals_add(proposals, cloak, 0, &allowance, 1));
        // From the 65th on there should be more buckets.
        assert_int_equal(oom_happened(), i >= 64);
    }
    assert_int_equal(sc__proposals_stats_of(proposals).made, MANY);
    for (int i = 0; i < 2 * MANY; i++) {
        received_msg each;
        assert_true(received_take(&gateways, &each));
        assert_int_equal(each.msg.kind, SC_MSG_RESERVE);
        sc_msg dead = {.kind = SC_MSG_DEAD, .from = each.to, .id = each.msg.proposal->id};
        sc__proposals_receive(proposals, &dead, 1);
        sc_msg_fini(&each.msg);
    }
    assert_int_equal(sc__proposals_stats_of(proposals).under_way, 0);
    sc__proposals_free(proposals);
    received_close(&gateways);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_start_without_memory_sends_so),
    SC_CASES(test_every_query_has_one_end_whatever_memory_does),
    cmocka_unit_test(test_proposals_without_memory_are_none),
    cmocka_unit_test(test_a_proposal_without_memory_is_off_and_no_gateway_is_told),
    cmocka_unit_test(test_who_is_silent_is_named_when_there_is_memory),
    cmocka_unit_test(test_a_table_that_cannot_grow_still_finds_its_proposals),
};
SC_SUITE(tests)
