// The checks themselves, one by one: what is published, and what becomes of queries.
//
//      |   |   |
//    --A---B---C--      two members, near A and B, who want two users and three segments
//      |   |   |
#include "cluster_sim/ground_truth.h"

#include "support/check.h"
#include "support/sketch.h"

typedef struct scene {
    sketch s;
    sc_map *map;
    sc_partition *partition;
    sc__truth truth;
    sc_query queries[2];
    sc_proposal *proposal;
} scene;

static sc_query query_at(sc_seg_id segment, uint8_t who)
{
    sc_query query = {
        .user = who, .deadline = 1000, .segment = segment, .k = 2, .l = 3, .max_hops = 4};
    query.id.bytes[0] = who;
    return query;
}

/** A cloak of the stars A and B, with members on segments of A and of B. */
static sc_proposal *proposal_of(const sc_map *map, const sc_query *queries)
{
    sc_proposal *proposal = sc_proposal_new(2, 16, 16, 2);
    assert_non_null(proposal);
    proposal->stars[0] = 0;
    proposal->stars[1] = 1;
    proposal->segment_count = 0;
    for (sc_seg_id i = 0; i < sc_map_segment_count(map); i++) {
        const sc_segment *segment = &sc_map_segments(map)[i];
        if (segment->star_a <= 1 || segment->star_b <= 1)
            proposal->segments[proposal->segment_count++] = i;
    }
    proposal->border_node_count = 1;
    proposal->border_nodes[0] = sc_map_stars(map)[2].node;  // C alone has other roads
    for (size_t i = 0; i < 2; i++) {
        proposal->members[i] = (sc_proposal_member){.query = queries[i], .star = (sc_star_id)i};
    }
    return proposal;
}

static int set_up(void **state)
{
    scene *x = test_take(1, sizeof *x);
    x->s = sketch_draw(SC_COORDS_PLANAR,
                       "  o   o   o  \n"
                       "  |   |   |  \n"
                       "o-A---B---C-o\n"
                       "  |   |   |  \n"
                       "  o   o   o  \n",
                       "");
    x->map = sketch_map(&x->s);
    sc_diag diag;
    CHECK_OK(sc_partition_whole(x->map, &x->partition, &diag), &diag);
    sc_cluster_sim_options options = sc_cluster_sim_options_default();
    options.partition = x->partition;
    assert_int_equal(sc__truth_init(&x->truth, x->map, &options), SC_OK);
    for (sc_seg_id i = 0; i < sc_map_segment_count(x->map); i++) {
        const sc_segment *segment = &sc_map_segments(x->map)[i];
        if (segment->star_a == 0) x->queries[0] = query_at(i, 1);
        if (segment->star_a == 1) x->queries[1] = query_at(i, 2);
    }
    for (size_t i = 0; i < 2; i++) {
        uint64_t number = 7;
        assert_int_equal(sc__truth_ask(&x->truth, &x->queries[i], &number), SC_OK);
        assert_int_equal(number, i);
    }
    x->proposal = proposal_of(x->map, x->queries);
    *state = x;
    return 0;
}

static int tear_down(void **state)
{
    scene *x = *state;
    sc_proposal_free(x->proposal);
    sc__truth_fini(&x->truth);
    sc_partition_free(x->partition);
    sc_map_free(x->map);
    sketch_free(&x->s);
    free(x);
    return 0;
}

static void publish(scene *x, sc_time now)
{
    uint32_t users = 0;
    assert_int_equal(sc__truth_publish(&x->truth, x->proposal, now, &users), SC_OK);
    assert_int_equal(users, 2);
}

static void settle(scene *x, uint64_t number, sc_outcome outcome)
{
    const sc_ticket ticket = {.outcome = outcome, .failure = SC_FAILURE_TIMEOUT};
    sc__truth_settle(&x->truth, number, &ticket, 500);
}

static void test_a_good_cloak_and_its_answers_are_fine(void **state)
{
    scene *x = *state;
    publish(x, 1000);
    settle(x, 0, SC_OUTCOME_ANSWERED);
    settle(x, 1, SC_OUTCOME_FAILED);
    sc__truth_end(&x->truth, 2000);
    const sc_cluster_sim_verdict *verdict = &x->truth.verdict;
    assert_string_equal(verdict->what, "");
    assert_int_equal(verdict->cloaks, 1);
    assert_int_equal(verdict->answered, 1);
    assert_int_equal(verdict->failed[SC_FAILURE_TIMEOUT], 1);
    assert_int_equal(verdict->ruled_out_cloaks, 0);
}

static void test_a_second_cloak_is_seen(void **state)
{
    scene *x = *state;
    publish(x, 100);
    assert_int_equal(x->truth.verdict.twice, 0);
    publish(x, 200);
    assert_int_equal(x->truth.verdict.twice, 2);
    CHECK_CONTAINS(x->truth.verdict.what, "two cloaks");
}

static void test_a_second_cloak_after_the_gateway_crashed_is_seen(void **state)
{
    scene *x = *state;
    publish(x, 100);
    sc__truth_disconnect(&x->truth, 0);
    publish(x, 200);
    assert_int_equal(x->truth.verdict.twice, 2);
}

static void test_a_late_cloak_is_seen(void **state)
{
    scene *x = *state;
    publish(x, 1001);
    assert_int_equal(x->truth.verdict.late, 2);
    assert_int_equal(x->truth.verdict.broken, 1);  // the verifier sends so too
}

static void test_a_cloak_of_who_was_dropped_is_seen(void **state)
{
    scene *x = *state;
    settle(x, 0, SC_OUTCOME_DROPPED);
    publish(x, 600);
    assert_int_equal(x->truth.verdict.broken, 1);
}

static void test_who_is_dropped_after_its_cloak_left_is_seen(void **state)
{
    scene *x = *state;
    publish(x, 600);
    settle(x, 0, SC_OUTCOME_DROPPED);
    assert_int_equal(x->truth.verdict.broken, 1);
    settle(x, 1, SC_OUTCOME_GONE);
    assert_int_equal(x->truth.verdict.broken, 2);
}

static void test_a_cloak_that_counts_who_has_gone_is_seen(void **state)
{
    scene *x = *state;
    x->proposal->releaser = x->proposal->members[0].query.owner = 5;
    x->proposal->members[1].query.owner = 6;
    sc__truth_leave(&x->truth, &x->queries[1].id);  // of another gateway: R need not know
    publish(x, 100);
    assert_int_equal(x->truth.verdict.broken, 0);
    x->truth.facts[0].is_published = x->truth.facts[1].is_published = false;
    sc__truth_leave(&x->truth, &x->queries[0].id);
    publish(x, 100);
    assert_int_equal(x->truth.verdict.broken, 1);
    CHECK_CONTAINS(x->truth.verdict.what, "went away");
}

static void test_an_answer_without_a_cloak_is_seen(void **state)
{
    scene *x = *state;
    settle(x, 0, SC_OUTCOME_ANSWERED);
    assert_int_equal(x->truth.verdict.broken, 1);
}

static void test_a_cloak_with_too_few_users_is_seen(void **state)
{
    scene *x = *state;
    x->proposal->member_count = 1;
    uint32_t users = 0;
    assert_int_equal(sc__truth_publish(&x->truth, x->proposal, 100, &users), SC_OK);
    assert_int_equal(users, 1);
    assert_int_equal(x->truth.verdict.broken, 1);
    CHECK_CONTAINS(x->truth.verdict.what, "P2");
}

static void test_a_worker_cannot_make_needs_smaller(void **state)
{
    scene *x = *state;
    x->truth.facts[0].query.l = 100;  // what was asked, whatever the proposal sends
    publish(x, 100);
    assert_int_equal(x->truth.verdict.broken, 1);
    CHECK_CONTAINS(x->truth.verdict.what, "P3");
}

static void test_a_member_that_was_never_asked_is_seen(void **state)
{
    scene *x = *state;
    x->proposal->members[1].query.id.bytes[5] = 1;
    uint32_t users = 0;
    assert_int_equal(sc__truth_publish(&x->truth, x->proposal, 100, &users), SC_OK);
    assert_true(x->truth.verdict.broken > 0);
}

static void test_a_second_outcome_and_a_missing_one_are_seen(void **state)
{
    scene *x = *state;
    settle(x, 0, SC_OUTCOME_FAILED);
    settle(x, 0, SC_OUTCOME_FAILED);
    assert_int_equal(x->truth.verdict.resettled, 1);
    sc__truth_end(&x->truth, 2000);
    assert_int_equal(x->truth.verdict.unsettled, 1);
}

static void test_an_id_is_asked_once(void **state)
{
    scene *x = *state;
    uint64_t number = 0;
    assert_int_equal(sc__truth_ask(&x->truth, &x->queries[0], &number), SC_EDUPLICATE);
    assert_int_equal(x->truth.verdict.asked, 2);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static const struct CMUnitTest tests[] = {
    TEST(test_a_good_cloak_and_its_answers_are_fine),
    TEST(test_a_second_cloak_is_seen),
    TEST(test_a_second_cloak_after_the_gateway_crashed_is_seen),
    TEST(test_a_late_cloak_is_seen),
    TEST(test_a_cloak_of_who_was_dropped_is_seen),
    TEST(test_who_is_dropped_after_its_cloak_left_is_seen),
    TEST(test_a_cloak_that_counts_who_has_gone_is_seen),
    TEST(test_an_answer_without_a_cloak_is_seen),
    TEST(test_a_cloak_with_too_few_users_is_seen),
    TEST(test_a_worker_cannot_make_needs_smaller),
    TEST(test_a_member_that_was_never_asked_is_seen),
    TEST(test_a_second_outcome_and_a_missing_one_are_seen),
    TEST(test_an_id_is_asked_once),
};
SC_SUITE(tests)
