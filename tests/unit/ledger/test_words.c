// Words, bids and results: what is copied is equal and shares nothing, and what cannot be made is
// not there.
#include "ledger/messages.h"

#include "base/alloc.h"
#include "support/check.h"
#include "support/streams.h"

static sc_bid *made_bid(void)
{
    sc_bid *bid = sc_bid_new(2, 3, 1, 2);
    assert_non_null(bid);
    bid->id.bytes[7] = 42;
    bid->worker = 5;
    bid->room = 1;
    bid->part = 9;
    bid->releaser = 6;
    bid->deadline = 100;
    bid->last = 200;
    for (uint32_t i = 0; i < 3; i++) {
        if (i < 2) bid->stars[i] = i;
        bid->segments[i] = 10 + i;
        if (i < 1) bid->border_nodes[i] = 20 + i;
        if (i < 2) bid->members[i] = (sc_bid_member){plain_query(i, i, 1, 1, 1, 100), 30 + i};
    }
    return bid;
}

static void check_bid_equal(const sc_bid *a, const sc_bid *b)
{
    assert_true(sc_bid_id_equal(&a->id, &b->id));
    assert_int_equal(a->worker, b->worker);
    assert_int_equal(a->room, b->room);
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

static void test_a_bid_is_made_with_its_counts_and_all_else_zero(void **state)
{
    (void)state;
    sc_bid *bid = sc_bid_new(2, 3, 1, 2);
    assert_int_equal(bid->star_count, 2);
    assert_int_equal(bid->segment_count, 3);
    assert_int_equal(bid->border_node_count, 1);
    assert_int_equal(bid->member_count, 2);
    assert_int_equal(bid->members[1].query.user, 0);
    assert_int_equal(bid->border_nodes[0], 0);
    // Nothing overlaps: each of them is written to its end.
    memset(bid->members, 1, 2 * sizeof *bid->members);
    memset(bid->stars, 2, 2 * sizeof *bid->stars);
    memset(bid->segments, 3, 3 * sizeof *bid->segments);
    memset(bid->border_nodes, 4, sizeof *bid->border_nodes);
    assert_int_equal(bid->members[1].star, 0x01010101);
    assert_int_equal(bid->stars[1], 0x02020202);
    assert_int_equal(bid->segments[2], 0x03030303);
    sc_bid_free(bid);
    sc_bid_free(NULL);
}

static void test_a_bid_beyond_all_memory_is_none(void **state)
{
    (void)state;
    assert_null(sc_bid_new(SIZE_MAX, 0, 0, 0));
    assert_null(sc_bid_new(0, SIZE_MAX / 2, SIZE_MAX / 4, 0));
    assert_null(sc_bid_new(0, 0, 0, SIZE_MAX / sizeof(sc_bid_member)));
    assert_null(sc_result_new(SC_FAILURE_NONE, "", SIZE_MAX, "", 1));
}

static void test_a_clone_of_a_bid_is_equal_and_shares_nothing(void **state)
{
    (void)state;
    sc_bid *bid = made_bid();
    sc_bid *copy = sc_bid_clone(bid);
    check_bid_equal(bid, copy);
    bid->segments[0] = 99;
    bid->members[0].query.user = 99;
    assert_int_equal(copy->segments[0], 10);
    assert_int_not_equal(copy->members[0].query.user, 99);
    sc_bid_free(bid);
    sc_bid_free(copy);
}

/** One word of each kind, with all that it may own. */
static sc_word made_word(sc_word_kind kind)
{
    sc_word word = {.kind = kind, .from = 4};
    switch (kind) {
    case SC_WORD_RESERVE:
        word.bid = made_bid();
        break;
    case SC_WORD_OK:
    case SC_WORD_RELEASE:
        word.count = 2;
        word.wishes = sc_calloc(2, sizeof *word.wishes);
        word.wishes[1].query = plain_id(1);
        word.wishes[1].request.k = 12;
        break;
    case SC_WORD_NO:
        word.count = 2;
        word.gone = sc_calloc(2, sizeof *word.gone);
        word.gone[1] = plain_id(3);
        break;
    case SC_WORD_RESULT:
        word.number = 12;
        word.result = sc_result_new(SC_FAILURE_NONE, "abc", 3, "defg", 4);
        break;
    default:
        word.query = plain_query(5, 1, 1, 1, 1, 7);
        break;
    }
    return word;
}

static void check_word_equal(const sc_word *a, const sc_word *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->from, b->from);
    switch (a->kind) {
    case SC_WORD_RESERVE:
        assert_ptr_not_equal(a->bid, b->bid);
        check_bid_equal(a->bid, b->bid);
        break;
    case SC_WORD_OK:
    case SC_WORD_RELEASE:
        assert_int_equal(a->count, b->count);
        assert_ptr_not_equal(a->wishes, b->wishes);
        assert_memory_equal(a->wishes, b->wishes, a->count * sizeof *a->wishes);
        break;
    case SC_WORD_NO:
        assert_int_equal(a->count, b->count);
        assert_ptr_not_equal(a->gone, b->gone);
        assert_memory_equal(a->gone, b->gone, a->count * sizeof *a->gone);
        break;
    case SC_WORD_RESULT:
        assert_int_equal(a->number, b->number);
        assert_ptr_not_equal(a->result, b->result);
        assert_int_equal(a->result->relay_size, 3);
        assert_int_equal(b->result->reply_size, 4);
        assert_memory_equal(b->result->relay, "abc", 3);
        assert_memory_equal(b->result->reply, "defg", 4);
        break;
    default:
        assert_memory_equal(&a->query, &b->query, sizeof a->query);
        break;
    }
}

static void test_a_clone_of_any_word_is_equal_and_owns_its_own(void **state)
{
    (void)state;
    for (int kind = SC_WORD_NONE; kind < SC_WORD_KIND_COUNT; kind++) {
        check_case((uint64_t)kind);
        sc_word word = made_word((sc_word_kind)kind);
        sc_word copy;
        assert_true(sc_word_clone(&word, &copy));
        check_word_equal(&word, &copy);
        sc_word_fini(&word);
        sc_word_fini(&word);
        assert_int_equal(word.kind, SC_WORD_NONE);
        sc_word_fini(&copy);
    }
    check_case_done();
}

static void test_words_that_own_nothing_can_be_cloned_too(void **state)
{
    (void)state;
    const sc_word_kind kinds[] = {SC_WORD_RESERVE, SC_WORD_OK, SC_WORD_NO, SC_WORD_RESULT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sc_word word = {.kind = kinds[i]};
        sc_word copy;
        assert_true(sc_word_clone(&word, &copy));
        assert_int_equal(copy.kind, kinds[i]);
        sc_word_fini(&copy);
        sc_word_fini(&word);
    }
}

static void test_without_memory_a_clone_is_no_word(void **state)
{
    (void)state;
    const sc_word_kind kinds[] = {SC_WORD_RESERVE, SC_WORD_RELEASE, SC_WORD_NO, SC_WORD_RESULT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sc_word word = made_word(kinds[i]);
        sc_word copy;
        sc_alloc_fail_at(1);
        assert_false(sc_word_clone(&word, &copy));
        sc_alloc_fail_at(0);
        assert_int_equal(copy.kind, SC_WORD_NONE);
        sc_word_fini(&copy);
        sc_word_fini(&word);
    }
}

static void test_every_kind_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < SC_WORD_KIND_COUNT; i++) {
        const char *name = sc_word_kind_name((sc_word_kind)i);
        assert_non_null(name);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(name, sc_word_kind_name((sc_word_kind)j));
        }
    }
    assert_null(sc_word_kind_name(SC_WORD_KIND_COUNT));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_bid_is_made_with_its_counts_and_all_else_zero),
    cmocka_unit_test(test_a_bid_beyond_all_memory_is_none),
    cmocka_unit_test(test_a_clone_of_a_bid_is_equal_and_shares_nothing),
    SC_CASES(test_a_clone_of_any_word_is_equal_and_owns_its_own),
    cmocka_unit_test(test_words_that_own_nothing_can_be_cloned_too),
    cmocka_unit_test(test_without_memory_a_clone_is_no_word),
    cmocka_unit_test(test_every_kind_has_a_name_of_its_own),
};
SC_SUITE(tests)
