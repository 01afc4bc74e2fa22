// The paranoid look: a proposal that keeps its promises is reserved; one that breaks any of them is
// counted, refused and never leaves.
#include "ledger/books.h"

#include "support/check.h"
#include "support/desk.h"
#include "support/stage.h"

enum { DEADLINE = 100000 };

//   A   B   C
//   |   |   |
//   D---E---F
//   |   |   |
//   G   H   I
typedef struct scene {
    stage stage;
    desk desk;
    sc_ticket *tickets[2];
    sc_cloak *cloak;
} scene;

/** Queries at two ends of the street, each for two users, and the cloak that the engine finds. */
static scene *scene_open(void)
{
    scene *s = test_take(1, sizeof *s);
    const sc_engine_options engine = sc_engine_options_default();
    stage_open(&s->stage, small_maps[0].picture, small_maps[0].more, &engine);
    sc__books_options options = desk_options();
    options.paranoid = s->stage.map;
    desk_open(&s->desk, &options, 1);
    for (uint32_t i = 0; i < 2; i++) {
        sc_query query = stage_query(&s->stage, i + 1, i == 0 ? 'D' : 'F', 2, DEADLINE);
        query.l = 3;
        query.max_hops = 4;
        stage_ask(&s->stage, &query, 0);
        s->tickets[i] = desk_ticket(i + 1, 2, DEADLINE);
        s->tickets[i]->query = query;
        sc__books_add(s->desk.books, s->tickets[i], 0);
        (void)desk_next(&s->desk, SC__COMMAND_ADD);
    }
    s->cloak = stage_take(&s->stage);
    assert_non_null(s->cloak);
    return s;
}

static void scene_close(scene *s)
{
    desk_close(&s->desk);
    stage_close(&s->stage);
    free(s);
}

static void test_a_proposal_that_keeps_its_promises_is_reserved(void **state)
{
    (void)state;
    scene *s = scene_open();
    desk_propose(&s->desk, s->cloak, 1);
    desk_check_quiet(&s->desk);
    assert_int_equal(s->tickets[0]->state, SC_TICKET_RESERVED);
    assert_int_equal(sc__books_stats(s->desk.books).violations, 0);
    scene_close(s);
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
    s->cloak->segment_count--;
}

static void a_border_node_less(scene *s)
{
    // The whole street has no border: it gets one that is none.
    s->cloak->border_nodes[0] = 0;
    s->cloak->border_node_count = s->cloak->border_node_count ? 0 : 1;
}

static void another_star(scene *s)
{
    sc_star_id *star = &s->cloak->members[0].star;
    *star = *star == s->cloak->stars[0] ? s->cloak->stars[1] : s->cloak->stars[0];
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
        const sc_cloak *cloak = s->cloak;
        desk_propose(&s->desk, s->cloak, 1);
        desk_check_answer(&s->desk, SC__COMMAND_REFUSE, cloak);
        assert_int_equal(s->tickets[0]->state, SC_TICKET_OPEN);
        assert_int_equal(s->tickets[1]->state, SC_TICKET_OPEN);
        assert_null(sc__books_take_due(s->desk.books, 1000));
        const sc_ledger_stats stats = sc__books_stats(s->desk.books);
        assert_int_equal(stats.violations, 1);
        assert_int_equal(stats.refused, 1);
        assert_int_equal(stats.cloaks, 0);
        desk_check_nobody(&s->desk);
        scene_close(s);
    }
    check_case_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_proposal_that_keeps_its_promises_is_reserved),
        SC_CASES(test_a_proposal_that_breaks_a_promise_is_counted_and_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
