// Methods in which each query makes a region of its own: who waits, who tries, who is a member, and
// that all promises are kept. What is said here holds for both of them.
#include <starcloak/engine.h>

#include "support/check.h"
#include "support/slow_roads.h"
#include "support/stage.h"

enum { STREAMS = 600 };

static const sc_variant both[] = {SC_VARIANT_SAMPLING, SC_VARIANT_EXPANSION};
enum { METHODS = sizeof both / sizeof *both };

static const sc_time deadline = 1000;

// Four junctions in a row, a dead end at each; two at A and at D.
static const char street[] = "o   o   o   o\n"
                             "|   |   |   |\n"
                             "A---B---C---D\n"
                             "|           |\n"
                             "o           o\n";

static void open_street(stage *st, sc_variant variant)
{
    sc_engine_options options = sc_engine_options_default();
    options.variant = variant;
    options.is_paranoid = true;
    stage_open(st, street, "", &options);
}

static void accept(stage *st, sc_cloak *cloak, sc_time now)
{
    sc_diag diag = {""};
    CHECK_OK(sc_engine_accept(st->engine, cloak, now, &diag), &diag);
    sc_cloak_free(cloak);
}

static void refuse(stage *st, sc_cloak *cloak)
{
    CHECK_OK(sc_engine_refuse(st->engine, cloak, NULL, 0), NULL);
    sc_cloak_free(cloak);
}

static void bring(stage *st, const sc_query *query, sc_time now)
{
    CHECK_OK(sc_engine_add_company(st->engine, query), NULL);
    stage_run(st, now);
}

// --- Members -----------------------------------------------------------------------

static void test_a_query_that_needs_no_other_is_cloaked_at_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        stage st;
        open_street(&st, both[i]);
        const sc_query query = stage_query(&st, 1, 'B', 1, deadline);
        stage_ask(&st, &query, 0);
        sc_cloak *cloak = stage_take(&st);
        check_members(cloak, (const uint32_t[]){1, 0});
        assert_int_equal(cloak->star_count, 0);
        assert_int_equal(cloak->members[0].star, SC_NONE);
        assert_int_equal(cloak->segment_count, 1);
        assert_int_equal(cloak->segments[0], query.segment);
        assert_int_equal(cloak->border_node_count, 1);
        assert_int_equal(cloak->border_nodes[0], sketch_node(&st.sketch, 'B'));
        assert_int_equal(cloak->deadline, deadline);
        accept(&st, cloak, 0);
        stage_close(&st);
    }
}

static void test_two_queries_of_one_user_are_one_user(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        stage st;
        open_street(&st, both[i]);
        const sc_query first = stage_query(&st, 1, 'A', 2, deadline);
        sc_query second = stage_query(&st, 2, 'B', 2, deadline);
        second.user = first.user;
        stage_ask(&st, &first, 0);
        stage_ask(&st, &second, 0);
        check_no_candidate(&st);
        const sc_query third = stage_query(&st, 3, 'C', 2, deadline);
        stage_ask(&st, &third, 0);
        sc_cloak *cloak = stage_take(&st);
        assert_in_range(cloak->member_count, 2, 3);
        accept(&st, cloak, 0);
        stage_close(&st);
    }
}

// The one at A goes nowhere beyond A, so D is never on its roads, nor are its needs met there.
static void test_no_query_is_a_member_of_roads_out_of_its_reach(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        stage st;
        open_street(&st, both[i]);
        sc_query near = stage_query(&st, 1, 'A', 2, deadline);
        near.max_hops = 0;
        const sc_query far = stage_query(&st, 2, 'D', 2, deadline);
        stage_ask(&st, &near, 0);
        stage_ask(&st, &far, 0);
        check_no_candidate(&st);
        assert_int_equal(sc_engine_get_stats(st.engine).searches, 0);  // not even tried
        stage_close(&st);
    }
}

// All of S must be in reach from one end. From A-B, without a hop, the roads of A are in reach from
// A and those of B from B, but never both.
static void test_all_roads_are_in_reach_from_one_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        stage st;
        open_street(&st, both[i]);
        sc_query middle = plain_query(1, stage_road(&st, 'A', 'B'), 3, 1, 0, deadline);
        sc_query at_a = stage_query(&st, 2, 'A', 3, deadline);
        sc_query at_b = stage_query(&st, 3, 'B', 3, deadline);
        stage_ask(&st, &at_a, 0);
        stage_ask(&st, &at_b, 0);
        stage_ask(&st, &middle, 0);
        check_no_candidate(&st);
        // With a hop they are.
        CHECK_OK(sc_engine_remove(st.engine, &middle.id), NULL);
        middle = plain_query(4, middle.segment, 3, 1, 1, deadline);
        for (uint32_t tries = 0; tries < 50; tries++) {  // luck may be needed
            stage_ask(&st, &middle, 0);
            sc_cloak *cloak = stage_take(&st);
            if (cloak) {
                check_members(cloak, (const uint32_t[]){2, 3, 4, 0});
                accept(&st, cloak, 0);
                break;
            }
            CHECK_OK(sc_engine_remove(st.engine, &middle.id), NULL);
        }
        assert_int_equal(sc_engine_get_stats(st.engine).cloaks, 1);
        stage_close(&st);
    }
}

// The one who wants ten users is on the same road and stays behind.
static void test_a_query_whose_k_is_not_met_is_left_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        stage st;
        open_street(&st, both[i]);
        const sc_query greedy = stage_query(&st, 1, 'A', 10, deadline);
        sc_query long_winded = greedy;  // content with users, but not with roads
        long_winded.id = plain_id(2);
        long_winded.user = 2;
        long_winded.k = 1;
        long_winded.l = 9;
        const sc_query plain = {.id = plain_id(3),
                                .user = 3,
                                .deadline = deadline,
                                .segment = greedy.segment,
                                .k = 1,
                                .l = 1,
                                .max_hops = 100};
        stage_ask(&st, &greedy, 0);
        stage_ask(&st, &long_winded, 0);
        sc_cloak *cloak = stage_take(&st);
        check_members(cloak, (const uint32_t[]){2, 0});
        assert_int_equal(cloak->segment_count, 9);
        refuse(&st, cloak);
        stage_ask(&st, &plain, 0);
        cloak = stage_take(&st);  // of the one who came back first
        check_members(cloak, (const uint32_t[]){2, 0});
        accept(&st, cloak, 0);
        cloak = stage_take(&st);
        check_members(cloak, (const uint32_t[]){3, 0});
        assert_int_equal(cloak->segment_count, 1);
        accept(&st, cloak, 0);
        check_no_candidate(&st);
        assert_int_equal(sc_engine_get_stats(st.engine).pending, 1);
        stage_close(&st);
    }
}

// --- Who tries -----------------------------------------------------------------------

// Two wait at A and B, each for three users. The third does not need anybody; but it comes after
// the oldest, who finds a cloak with all of them first. Where all are on one road, luck has no say.
static void test_the_oldest_tries_first(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        stage st;
        open_street(&st, both[i]);
        const sc_query first = stage_query(&st, 1, 'B', 3, deadline);
        const sc_query second = stage_query(&st, 2, 'B', 3, deadline);
        const sc_query third = stage_query(&st, 3, 'B', 1, deadline);
        stage_ask(&st, &first, 0);
        stage_ask(&st, &second, 0);
        check_no_candidate(&st);
        stage_ask(&st, &third, 0);
        sc_cloak *cloak = stage_take(&st);
        check_members(cloak, (const uint32_t[]){1, 2, 3, 0});
        assert_int_equal(cloak->segment_count, 1);
        accept(&st, cloak, 0);
        check_no_candidate(&st);
        stage_close(&st);
    }
}

static void test_no_query_tries_where_users_cannot_be_enough(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        stage st;
        open_street(&st, both[i]);
        for (uint32_t number = 1; number <= 4; number++) {
            const sc_query query = stage_query(&st, number, 'B', 5, deadline);
            stage_ask(&st, &query, 0);
        }
        assert_int_equal(sc_engine_get_stats(st.engine).searches, 0);
        assert_int_equal(sc_engine_get_stats(st.engine).checks, 0);
        stage_close(&st);
    }
}

// Five on one road, who all want five users, and all but the first six roads, which the first
// cannot reach: once the fifth has come, every query might be helped, and none is.
static void test_no_more_than_the_cap_try_for_one_newcomer(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        stage st;
        sc_engine_options options = sc_engine_options_default();
        options.variant = both[i];
        options.max_combinations = 2;
        stage_open(&st, street, "", &options);
        for (uint32_t number = 1; number <= 5; number++) {
            sc_query query = stage_query(&st, number, 'B', 5, deadline);
            query.l = number == 1 ? 1 : 6;
            query.max_hops = number == 1 ? 0 : 100;
            stage_ask(&st, &query, 0);
        }
        const sc_engine_stats stats = sc_engine_get_stats(st.engine);
        assert_int_equal(stats.cap_hits, 1);
        assert_int_equal(stats.searches, 3);  // the two oldest, and the newcomer
        check_no_candidate(&st);
        stage_close(&st);
    }
}

// --- Company, refusals, ends --------------------------------------------------------

static void test_company_lets_no_query_try_but_is_a_member(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        stage st;
        open_street(&st, both[i]);
        const sc_query alone = stage_query(&st, 1, 'B', 1, deadline);  // enough by itself
        const sc_query own = stage_query(&st, 2, 'B', 3, deadline);
        const sc_query other = stage_query(&st, 3, 'B', 2, deadline);
        const sc_query last = stage_query(&st, 4, 'B', 3, deadline);
        bring(&st, &alone, 0);
        stage_ask(&st, &own, 0);
        bring(&st, &other, 0);
        check_no_candidate(&st);
        assert_int_equal(sc_engine_get_stats(st.engine).searches, 0);
        assert_int_equal(sc_engine_get_stats(st.engine).company_held, 2);
        stage_ask(&st, &last, 0);
        sc_cloak *cloak = stage_take(&st);
        check_members(cloak, (const uint32_t[]){1, 2, 3, 4, 0});
        accept(&st, cloak, 0);
        const sc_engine_stats stats = sc_engine_get_stats(st.engine);
        assert_int_equal(stats.accepted, 2);
        assert_int_equal(stats.company_accepted, 2);
        assert_int_equal(stats.company_held, 0);
        stage_close(&st);
    }
}

static void test_refused_members_go_back_and_try_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        stage st;
        open_street(&st, both[i]);
        const sc_query first = stage_query(&st, 1, 'B', 2, deadline);
        const sc_query second = stage_query(&st, 2, 'B', 2, deadline);
        stage_ask(&st, &first, 0);
        stage_ask(&st, &second, 0);
        sc_cloak *cloak = stage_take(&st);
        CHECK_OK(sc_engine_remove(st.engine, &second.id), NULL);
        refuse(&st, cloak);
        assert_int_equal(sc_engine_next_wake(st.engine), 0);
        stage_run(&st, 1);
        check_no_candidate(&st);  // alone again
        const sc_query third = stage_query(&st, 3, 'B', 2, deadline);
        stage_ask(&st, &third, 2);
        cloak = stage_take(&st);
        check_members(cloak, (const uint32_t[]){1, 3, 0});
        accept(&st, cloak, 2);
        assert_int_equal(sc_engine_next_wake(st.engine), SC_TIME_NEVER);
        stage_close(&st);
    }
}

static void test_a_query_that_left_helps_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        stage st;
        open_street(&st, both[i]);
        const sc_query removed = stage_query(&st, 1, 'B', 3, deadline);
        const sc_query expired = stage_query(&st, 2, 'B', 3, 10);
        const sc_query third = stage_query(&st, 3, 'B', 3, deadline);
        stage_ask(&st, &removed, 0);
        stage_ask(&st, &expired, 0);
        CHECK_OK(sc_engine_remove(st.engine, &removed.id), NULL);
        assert_int_equal(sc_engine_next_wake(st.engine), 11);
        stage_run(&st, 11);
        check_drop(&st, 2, SC_DROP_EXPIRED, 11);
        stage_ask(&st, &third, 11);
        check_no_candidate(&st);
        assert_int_equal(sc_engine_get_stats(st.engine).pending, 1);
        stage_close(&st);
    }
}

// From B's dead end there are three roads without a hop. From A-B there are, with a hop, five
// around A and seven around B.
static void test_roads_that_are_too_few_around_both_ends_are_infeasible(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        stage st;
        open_street(&st, both[i]);
        sc_query query = stage_query(&st, 1, 'B', 1, deadline);
        query.max_hops = 0;
        query.l = 4;
        stage_ask(&st, &query, 0);
        check_drop(&st, 1, SC_DROP_INFEASIBLE, 0);
        sc_query middle = plain_query(2, stage_road(&st, 'A', 'B'), 1, 6, 1, deadline);
        stage_ask(&st, &middle, 0);
        sc_cloak *cloak = stage_take(&st);
        check_members(cloak, (const uint32_t[]){2, 0});
        assert_int_equal(cloak->segment_count, 6);
        accept(&st, cloak, 0);
        middle = plain_query(3, middle.segment, 1, 8, 1, deadline);
        stage_ask(&st, &middle, 0);
        check_drop(&st, 3, SC_DROP_INFEASIBLE, 0);
        check_no_drop(&st);
        stage_close(&st);
    }
}

// --- Promises ----------------------------------------------------------------------

static bool reaches_all(const slow_roads *roads, const sc_cloak *cloak, sc_star_id star,
                        uint32_t max_hops)
{
    const sc_segment *segments = sc_map_segments(roads->map);
    for (size_t i = 0; star != SC_NONE && i < cloak->segment_count; i++) {
        const sc_segment *segment = &segments[cloak->segments[i]];
        uint32_t hops = slow_hops(roads, star, segment->star_a);
        if (segment->star_b != SC_NONE && slow_hops(roads, star, segment->star_b) < hops) {
            hops = slow_hops(roads, star, segment->star_b);
        }
        if (hops == SC_NONE || hops > max_hops) return false;
    }
    return star != SC_NONE;
}

static void check_member(const slow_roads *roads, const sc_cloak *cloak, const bool *inside,
                         const sc_query *query, sc_time now)
{
    size_t users = 0;
    for (size_t i = 0; i < cloak->member_count; i++) {
        bool is_new = true;
        for (size_t j = 0; j < i; j++) {
            is_new &= cloak->members[i].query.user != cloak->members[j].query.user;
        }
        users += is_new;
    }
    const sc_segment *own = &sc_map_segments(roads->map)[query->segment];
    assert_true(inside[query->segment]);            // P1
    assert_true(users >= query->k);                 // P2
    assert_true(cloak->segment_count >= query->l);  // P3
    assert_true(reaches_all(roads, cloak, own->star_a, query->max_hops) ||
                reaches_all(roads, cloak, own->star_b, query->max_hops));  // P4
    assert_true(now <= query->deadline);                                   // P5
}

/** Looks at accepted cloaks. */
typedef struct witness {
    slow_roads roads;
    uint64_t cloaks;
    uint64_t shared;
} witness;

static void look(void *context, const sc_cloak *cloak, sc_time now)
{
    witness *w = context;
    bool *inside = test_take(w->roads.segment_count, sizeof *inside);
    assert_int_equal(cloak->star_count, 0);
    for (size_t i = 0; i < cloak->segment_count; i++) {
        if (i > 0) assert_true(cloak->segments[i - 1] < cloak->segments[i]);  // P6
        inside[cloak->segments[i]] = true;
    }
    size_t border_count = 0;
    for (sc_node_id v = 0; v < sc_map_node_count(w->roads.map); v++) {  // P7
        if (!slow_is_border(&w->roads, inside, v)) continue;
        assert_true(border_count < cloak->border_node_count);
        assert_int_equal(cloak->border_nodes[border_count++], v);
    }
    assert_int_equal(cloak->border_node_count, border_count);
    for (size_t i = 0; i < cloak->member_count; i++) {
        check_member(&w->roads, cloak, inside, &cloak->members[i].query, now);
    }
    w->cloaks++;
    w->shared += cloak->members[0].query.user != cloak->members[cloak->member_count - 1].query.user;
    free(inside);
}

static witness drive(uint64_t seed, const sc_map *map, sc_variant variant)
{
    witness w = {.roads = slow_roads_new(map)};
    sc_engine_options options = stream_options(seed);
    options.variant = variant;
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    sc_engine *engine = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_engine_new(map, &options, &rng, &engine, &diag), &diag);
    stream s = stream_new(seed, map);
    stream_drive(&s, engine, look, &w);
    sc_engine_free(engine);
    slow_roads_free(&w.roads);
    return w;
}

static void test_promises_hold_on_random_maps(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        uint64_t shared = 0;
        for (uint64_t seed = 0; seed < STREAMS; seed++) {
            check_case(seed);
            sc_map *map = stream_map(seed);
            shared += drive(seed, map, both[i]).shared;
            sc_map_free(map);
        }
        assert_true(shared > STREAMS / 2);
    }
    check_case_done();
}

// Freed in the middle of everything, an engine leaves nothing behind: the address sanitizer looks.
static void
test_an_engine_can_be_freed_while_queries_wait_and_candidates_are_not_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        stage st;
        open_street(&st, both[i]);
        for (uint32_t number = 1; number <= 3; number++) {
            const sc_query waits = stage_query(&st, number, 'C', 9, deadline);
            stage_ask(&st, &waits, 0);
        }
        sc_query wide = stage_query(&st, 4, 'B', 4, deadline);
        wide.l = 9;
        stage_ask(&st, &wide, 0);
        const sc_query found = stage_query(&st, 5, 'A', 1, deadline);
        stage_ask(&st, &found, 0);
        assert_int_equal(sc_engine_get_stats(st.engine).proposed, 1);
        assert_int_equal(sc_engine_get_stats(st.engine).pending, 4);
        stage_close(&st);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_query_that_needs_no_other_is_cloaked_at_once),
    cmocka_unit_test(test_two_queries_of_one_user_are_one_user),
    cmocka_unit_test(test_no_query_is_a_member_of_roads_out_of_its_reach),
    cmocka_unit_test(test_all_roads_are_in_reach_from_one_end),
    cmocka_unit_test(test_a_query_whose_k_is_not_met_is_left_out),
    cmocka_unit_test(test_the_oldest_tries_first),
    cmocka_unit_test(test_no_query_tries_where_users_cannot_be_enough),
    cmocka_unit_test(test_no_more_than_the_cap_try_for_one_newcomer),
    cmocka_unit_test(test_company_lets_no_query_try_but_is_a_member),
    cmocka_unit_test(test_refused_members_go_back_and_try_again),
    cmocka_unit_test(test_a_query_that_left_helps_none),
    cmocka_unit_test(test_roads_that_are_too_few_around_both_ends_are_infeasible),
    SC_CASES(test_promises_hold_on_random_maps),
    cmocka_unit_test(test_an_engine_can_be_freed_while_queries_wait_and_candidates_are_not_taken),
};
SC_SUITE(tests)
