// Messages, proposals and results: what is copied is equal and shares nothing, and what cannot be
// made is not there.
#include "messages/messages.h"

#include "base/alloc.h"
#include "support/check.h"
#include "support/streams.h"

static sc_proposal *made_proposal(void)
{
    sc_proposal *proposal = sc_proposal_new(2, 3, 1, 2);
    assert_non_null(proposal);
    proposal->id.bytes[7] = 42;
    proposal->worker = 5;
    proposal->engine_thread = 1;
    proposal->part = 9;
    proposal->releaser = 6;
    proposal->deadline = 100;
    proposal->last = 200;
    for (uint32_t i = 0; i < 3; i++) {
        if (i < 2) proposal->stars[i] = i;
        proposal->segments[i] = 10 + i;
        if (i < 1) proposal->border_nodes[i] = 20 + i;
        if (i < 2)
            proposal->members[i] = (sc_proposal_member){plain_query(i, i, 1, 1, 1, 100), 30 + i};
    }
    return proposal;
}

static void check_proposal_equal(const sc_proposal *a, const sc_proposal *b)
{
    assert_true(sc_proposal_id_equal(&a->id, &b->id));
    assert_int_equal(a->worker, b->worker);
    assert_int_equal(a->engine_thread, b->engine_thread);
    assert_int_equal(a->part, b->part);
    assert_int_equal(a->releaser, b->releaser);
    assert_int_equal(a->is_single, b->is_single);
    assert_int_equal(a->deadline, b->deadline);
    assert_int_equal(a->last, b->last);
    assert_int_equal(a->star_count, b->star_count);
    assert_int_equal(a->segment_count, b->segment_count);
    assert_int_equal(a->border_node_count, b->border_node_count);
    assert_int_equal(a->member_count, b->member_count);
    assert_memory_equal(a->stars, b->stars, a->star_count * sizeof *a->stars);
    assert_memory_equal(a->segments, b->segments, a->segment_count * sizeof *a->segments);
    assert_memory_equal(a->border_nodes, b->border_nodes,
                        a->border_node_count * sizeof *a->border_nodes);
    assert_memory_equal(a->members, b->members, a->member_count * sizeof *a->members);
}

static void test_a_proposal_is_made_with_its_counts_and_all_else_zero(void **state)
{
    (void)state;
    sc_proposal *proposal = sc_proposal_new(2, 3, 1, 2);
    assert_int_equal(proposal->star_count, 2);
    assert_int_equal(proposal->segment_count, 3);
    assert_int_equal(proposal->border_node_count, 1);
    assert_int_equal(proposal->member_count, 2);
    assert_int_equal(proposal->members[1].query.user, 0);
    assert_int_equal(proposal->border_nodes[0], 0);
    // Nothing overlaps: each of them is written to its end.
    memset(proposal->members, 1, 2 * sizeof *proposal->members);
    memset(proposal->stars, 2, 2 * sizeof *proposal->stars);
    memset(proposal->segments, 3, 3 * sizeof *proposal->segments);
    memset(proposal->border_nodes, 4, sizeof *proposal->border_nodes);
    assert_int_equal(proposal->members[1].star, 0x01010101);
    assert_int_equal(proposal->stars[1], 0x02020202);
    assert_int_equal(proposal->segments[2], 0x03030303);
    sc_proposal_free(proposal);
    sc_proposal_free(NULL);
}

static void test_a_proposal_beyond_all_memory_is_none(void **state)
{
    (void)state;
    assert_null(sc_proposal_new(SIZE_MAX, 0, 0, 0));
    assert_null(sc_proposal_new(0, SIZE_MAX / 2, SIZE_MAX / 4, 0));
    assert_null(sc_proposal_new(0, 0, 0, SIZE_MAX / sizeof(sc_proposal_member)));
    assert_null(sc_result_new(SC_FAILURE_NONE, "", SIZE_MAX, "", 1));
}

static void test_a_clone_of_a_proposal_is_equal_and_shares_nothing(void **state)
{
    (void)state;
    sc_proposal *proposal = made_proposal();
    sc_proposal *copy = sc_proposal_clone(proposal);
    check_proposal_equal(proposal, copy);
    proposal->segments[0] = 99;
    proposal->members[0].query.user = 99;
    assert_int_equal(copy->segments[0], 10);
    assert_int_not_equal(copy->members[0].query.user, 99);
    sc_proposal_free(proposal);
    sc_proposal_free(copy);
}

static const sc_seg_id some_zone[] = {3, 8};
static const sc_reached some_reached[] = {{2, 100}, {3, SC_REACHED_WHOLE}, {9, 1}};
static const sc_own_demands some_own = {some_zone, 2, some_reached, 3, true};

static void check_own_equal(const sc_own_demands *a, const sc_own_demands *b)
{
    assert_ptr_not_equal(a, b);
    assert_ptr_not_equal(a->zone, b->zone);
    assert_ptr_not_equal(a->reached, b->reached);
    assert_int_equal(b->has_reached, true);
    assert_int_equal(b->zone_count, 2);
    assert_int_equal(b->reached_count, 3);
    assert_memory_equal(b->zone, some_zone, sizeof some_zone);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(b->reached[i].segment, some_reached[i].segment);
        assert_int_equal(b->reached[i].part, some_reached[i].part);
    }
}

/** One message of each kind, with all that it may own. */
static sc_msg made_msg(sc_msg_kind kind)
{
    sc_msg msg = {.kind = kind, .from = 4};
    switch (kind) {
    case SC_MSG_RESERVE:
        msg.proposal = made_proposal();
        break;
    case SC_MSG_OK:
    case SC_MSG_RELEASE:
        msg.count = 2;
        msg.wishes = sc_calloc(2, sizeof *msg.wishes);
        msg.wishes[1].query = plain_id(1);
        msg.wishes[1].request.k = 12;
        break;
    case SC_MSG_NO:
        msg.count = 2;
        msg.gone = sc_calloc(2, sizeof *msg.gone);
        msg.gone[1] = plain_id(3);
        break;
    case SC_MSG_RESULT:
        msg.number = 12;
        msg.result = sc_result_new(SC_FAILURE_NONE, "abc", 3, "defg", 4);
        break;
    case SC_MSG_VISIT:
    case SC_MSG_VISITED:
        msg.visit = sc_visit_new("hi", 2);
        msg.visit->number = 7;
        break;
    case SC_MSG_ADD:
    case SC_MSG_COMPANY:
        msg.query = plain_query(5, 1, 1, 1, 1, 7);
        assert_true(sc_msg_set_own(&msg, &some_own));
        break;
    default:
        msg.query = plain_query(5, 1, 1, 1, 1, 7);
        break;
    }
    return msg;
}

static void check_msg_equal(const sc_msg *a, const sc_msg *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->from, b->from);
    switch (a->kind) {
    case SC_MSG_RESERVE:
        assert_ptr_not_equal(a->proposal, b->proposal);
        check_proposal_equal(a->proposal, b->proposal);
        break;
    case SC_MSG_OK:
    case SC_MSG_RELEASE:
        assert_int_equal(a->count, b->count);
        assert_ptr_not_equal(a->wishes, b->wishes);
        assert_memory_equal(a->wishes, b->wishes, a->count * sizeof *a->wishes);
        break;
    case SC_MSG_NO:
        assert_int_equal(a->count, b->count);
        assert_ptr_not_equal(a->gone, b->gone);
        assert_memory_equal(a->gone, b->gone, a->count * sizeof *a->gone);
        break;
    case SC_MSG_RESULT:
        assert_int_equal(a->number, b->number);
        assert_ptr_not_equal(a->result, b->result);
        assert_int_equal(a->result->relay_size, 3);
        assert_int_equal(b->result->reply_size, 4);
        assert_memory_equal(b->result->relay, "abc", 3);
        assert_memory_equal(b->result->reply, "defg", 4);
        break;
    case SC_MSG_VISIT:
    case SC_MSG_VISITED:
        assert_ptr_not_equal(a->visit, b->visit);
        assert_int_equal(a->visit->size, 2);
        assert_memory_equal(a->visit, b->visit, sizeof *a->visit + 2);
        break;
    case SC_MSG_ADD:
    case SC_MSG_COMPANY:
        assert_memory_equal(&a->query.id, &b->query.id, sizeof a->query.id);
        check_own_equal(a->query.own, b->query.own);
        break;
    default:
        assert_memory_equal(&a->query, &b->query, sizeof a->query);
        break;
    }
}

static void test_a_clone_of_any_message_is_equal_and_owns_its_own(void **state)
{
    (void)state;
    for (int kind = SC_MSG_NONE; kind < SC_MSG_KIND_COUNT; kind++) {
        check_case((uint64_t)kind);
        sc_msg msg = made_msg((sc_msg_kind)kind);
        sc_msg copy;
        assert_true(sc_msg_clone(&msg, &copy));
        check_msg_equal(&msg, &copy);
        sc_msg_fini(&msg);
        sc_msg_fini(&msg);
        assert_int_equal(msg.kind, SC_MSG_NONE);
        sc_msg_fini(&copy);
    }
    check_case_done();
}

static void test_messages_that_own_nothing_can_be_cloned_too(void **state)
{
    (void)state;
    const sc_msg_kind kinds[] = {SC_MSG_ADD, SC_MSG_RESERVE, SC_MSG_OK, SC_MSG_NO, SC_MSG_RESULT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sc_msg msg = {.kind = kinds[i]};
        sc_msg copy;
        assert_true(sc_msg_clone(&msg, &copy));
        assert_int_equal(copy.kind, kinds[i]);
        sc_msg_fini(&copy);
        sc_msg_fini(&msg);
    }
}

static void test_without_memory_a_clone_is_no_msg(void **state)
{
    (void)state;
    const sc_msg_kind kinds[] = {SC_MSG_COMPANY, SC_MSG_RESERVE, SC_MSG_RELEASE, SC_MSG_NO,
                                 SC_MSG_RESULT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sc_msg msg = made_msg(kinds[i]);
        sc_msg copy;
        sc_alloc_fail_at(1);
        assert_false(sc_msg_clone(&msg, &copy));
        sc_alloc_fail_at(0);
        assert_int_equal(copy.kind, SC_MSG_NONE);
        sc_msg_fini(&copy);
        sc_msg_fini(&msg);
    }
}

static void test_every_kind_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < SC_MSG_KIND_COUNT; i++) {
        const char *name = sc_msg_kind_name((sc_msg_kind)i);
        assert_non_null(name);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(name, sc_msg_kind_name((sc_msg_kind)j));
        }
    }
    assert_null(sc_msg_kind_name(SC_MSG_KIND_COUNT));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_proposal_is_made_with_its_counts_and_all_else_zero),
    cmocka_unit_test(test_a_proposal_beyond_all_memory_is_none),
    cmocka_unit_test(test_a_clone_of_a_proposal_is_equal_and_shares_nothing),
    SC_CASES(test_a_clone_of_any_message_is_equal_and_owns_its_own),
    cmocka_unit_test(test_messages_that_own_nothing_can_be_cloned_too),
    cmocka_unit_test(test_without_memory_a_clone_is_no_msg),
    cmocka_unit_test(test_every_kind_has_a_name_of_its_own),
};
SC_SUITE(tests)
