// The paranoid look: a proposal that keeps its promises is reserved; one that breaks any of them is
// counted, refused and never leaves.
#include "ledger/state.h"

#include "support/check.h"
#include "support/ledger_fixture.h"
#include "support/stage.h"

enum { DEADLINE = 100000 };

//   A   B   C
//   |   |   |
//   D---E---F
//   |   |   |
//   G   H   I
typedef struct scene {
    stage stage;
    ledger_fixture ledger_fixture;
    sc_partition *partition;
    sc_ticket *tickets[2];
    sc_proposal *proposal;
} scene;

/** A cloak as a worker would propose it. */
static sc_proposal *proposal_of(ledger_fixture *d, const sc_cloak *cloak)
{
    sc_proposal *proposal = sc_proposal_new(cloak->star_count, cloak->segment_count,
                                            cloak->border_node_count + 1, cloak->member_count);
    proposal->border_node_count = cloak->border_node_count;
    memcpy(proposal->stars, cloak->stars, cloak->star_count * sizeof *cloak->stars);
    memcpy(proposal->segments, cloak->segments, cloak->segment_count * sizeof *cloak->segments);
    memcpy(proposal->border_nodes, cloak->border_nodes,
           cloak->border_node_count * sizeof *cloak->border_nodes);
    for (size_t i = 0; i < cloak->member_count; i++) {
        proposal->members[i] =
            (sc_proposal_member){cloak->members[i].query, cloak->members[i].star};
        proposal->members[i].query.owner = PEER_SELF;
    }
    proposal->id.bytes[0] = ++d->proposals;
    proposal->worker = PEER_WORKER;
    proposal->engine_thread = 3;
    proposal->releaser = PEER_SELF;
    proposal->is_single = true;
    return proposal;
}

/** Queries at two ends of the street, each for two users, and the cloak that the engine finds. */
static scene *scene_open(void)
{
    scene *s = test_take(1, sizeof *s);
    const sc_engine_options engine = sc_engine_options_default();
    stage_open(&s->stage, small_maps[0].picture, small_maps[0].more, &engine);
    sc__ledger_state_options options = ledger_options();
    options.paranoid = s->stage.map;
    CHECK_OK(sc_partition_whole(s->stage.map, &s->partition, NULL), NULL);
    options.partition = s->partition;
    ledger_open(&s->ledger_fixture, &options, 1);
    for (uint32_t i = 0; i < 2; i++) {
        sc_query query = stage_query(&s->stage, i + 1, i == 0 ? 'D' : 'F', 2, DEADLINE);
        query.l = 3;
        query.max_hops = 4;
        stage_ask(&s->stage, &query, 0);
        s->tickets[i] = ledger_ticket(i + 1, 2, DEADLINE);
        s->tickets[i]->query = query;
        sc__ledger_state_add(s->ledger_fixture.ledger_state, s->tickets[i], 0);
        (void)ledger_next(&s->ledger_fixture, SC_MSG_ADD, SC_PEER_NONE);
    }
    sc_cloak *cloak = stage_take(&s->stage);
    assert_non_null(cloak);
    s->proposal = proposal_of(&s->ledger_fixture, cloak);
    CHECK_OK(sc_engine_refuse(s->stage.engine, cloak, NULL, 0), NULL);
    sc_cloak_free(cloak);
    return s;
}

static void scene_close(scene *s)
{
    ledger_close(&s->ledger_fixture);
    sc_partition_free(s->partition);
    stage_close(&s->stage);
    free(s);
}

static void test_a_proposal_that_keeps_its_promises_is_reserved(void **state)
{
    (void)state;
    scene *s = scene_open();
    ledger_reserve(&s->ledger_fixture, s->proposal, 1);
    ledger_check_quiet(&s->ledger_fixture);
    assert_int_equal(s->tickets[0]->state, SC_TICKET_RESERVED);
    assert_int_equal(sc__ledger_state_stats(s->ledger_fixture.ledger_state).violations, 0);
    scene_close(s);
}

/** Query 2 becomes another gateway's: of it there is only what the proposal sends. */
static void give_away_second(scene *s)
{
    for (size_t i = 0; i < 2; i++) {
        if (s->proposal->members[i].query.user != s->tickets[1]->query.user) continue;
        s->proposal->members[i].query.owner = PEER_OTHER;
    }
    s->proposal->is_single = false;
}

static void test_of_others_members_the_proposal_is_believed(void **state)
{
    (void)state;
    for (int is_broken = 0; is_broken < 2; is_broken++) {
        scene *s = scene_open();
        give_away_second(s);
        for (size_t i = 0; is_broken && i < 2; i++) {
            if (s->proposal->members[i].query.owner == PEER_OTHER)
                s->proposal->members[i].query.l = 50;
        }
        const sc_proposal_id id = ledger_reserve(&s->ledger_fixture, s->proposal, 1);
        ledger_check_msg(&s->ledger_fixture, is_broken ? SC_MSG_NO : SC_MSG_OK, PEER_WORKER, &id);
        assert_int_equal(sc__ledger_state_stats(s->ledger_fixture.ledger_state).violations,
                         is_broken);
        scene_close(s);
    }
}

static void too_few_users(scene *s)
{
    s->tickets[1]->query.user = s->tickets[0]->query.user;
}

static void too_few_segments(scene *s)
{
    s->tickets[0]->query.l = 50;
}

static void too_far(scene *s)
{
    s->tickets[0]->query.max_hops = 0;
}

static void elsewhere(scene *s)
{
    s->tickets[0]->query.segment = s->tickets[1]->query.segment;
}

static void a_segment_less(scene *s)
{
    s->proposal->segment_count--;
}

static void a_border_node_less(scene *s)
{
    // The whole street has no border: it gets one that is none.
    s->proposal->border_nodes[0] = 0;
    s->proposal->border_node_count = s->proposal->border_node_count ? 0 : 1;
}

static void another_star(scene *s)
{
    sc_star_id *star = &s->proposal->members[0].star;
    *star = *star == s->proposal->stars[0] ? s->proposal->stars[1] : s->proposal->stars[0];
}

static void test_a_proposal_that_breaks_a_promise_is_counted_and_refused(void **state)
{
    (void)state;
    void (*const breaks[])(scene *) = {too_few_users, too_few_segments,   too_far,
                                       elsewhere,     a_border_node_less, another_star,
                                       a_segment_less};
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        check_case(i);
        scene *s = scene_open();
        breaks[i](s);
        const sc_proposal_id id = ledger_reserve(&s->ledger_fixture, s->proposal, 1);
        ledger_check_no(&s->ledger_fixture, &id, (const uint32_t[]){0});
        assert_int_equal(s->tickets[0]->state, SC_TICKET_OPEN);
        assert_int_equal(s->tickets[1]->state, SC_TICKET_OPEN);
        assert_null(sc__ledger_state_take_due(s->ledger_fixture.ledger_state, 1000));
        const sc_ledger_stats stats = sc__ledger_state_stats(s->ledger_fixture.ledger_state);
        assert_int_equal(stats.violations, 1);
        assert_int_equal(stats.refused, 1);
        assert_int_equal(stats.cloaks, 0);
        ledger_check_none_settled(&s->ledger_fixture);
        scene_close(s);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_proposal_that_keeps_its_promises_is_reserved),
    cmocka_unit_test(test_of_others_members_the_proposal_is_believed),
    SC_CASES(test_a_proposal_that_breaks_a_promise_is_counted_and_refused),
};
SC_SUITE(tests)
