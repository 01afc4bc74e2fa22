// Four queries of two gateways. See desk_four.h.
#include "support/desk_four.h"

#include "support/check.h"

const uint32_t four_all[] = {1000, 1, 1001, 2, 0};
const uint32_t four_ours[] = {1, 2, 0};
const uint32_t four_theirs[] = {1001, 1000, 0};
const uint32_t four_none[] = {0};

desk *four_open(void)
{
    desk *d = test_take(1, sizeof *d);
    const sc__books_options options = desk_options();
    desk_open(d, &options, 1);
    return d;
}

void four_close(desk *d)
{
    const sc_ledger_stats stats = sc__books_stats(d->books);
    desk_check_stats(&stats);
    desk_close(d);
    free(d);
}

sc_bid_id four_reserve(desk *d, sc_peer releaser)
{
    desk_ask(d, 1, 5000, 0);
    desk_ask(d, 2, 4000, 0);
    const sc_bid_id id = desk_reserve(d, desk_bid(d, four_all, releaser), 0);
    sc_word ok = desk_next(d, SC_WORD_OK, DESK_WORKER);
    assert_memory_equal(&ok.id, &id, sizeof id);
    assert_int_equal(ok.room, 3);
    assert_int_equal(ok.deadline, 4000);
    assert_int_equal(ok.count, releaser == DESK_SELF ? 0 : 2);
    sc_word_fini(&ok);
    desk_check_quiet(d);
    return id;
}

sc_proposal *four_publish(desk *d, sc_bid_id *id)
{
    *id = four_reserve(d, DESK_SELF);
    desk_release(d, id, four_theirs, 4000, 10);
    sc_proposal *proposal = sc__books_take_due(d->books, 200);
    assert_non_null(proposal);
    sc__books_published(d->books, proposal, 4711, 4, 200);
    desk_check_word(d, SC_WORD_PUBLISHED, DESK_WORKER, id);
    sc_word word = desk_next(d, SC_WORD_PUBLISHED, DESK_OTHER);
    assert_memory_equal(&word.id, id, sizeof *id);
    assert_int_equal(word.number, 4711);
    assert_int_equal(word.users, 4);
    assert_int_equal(word.deadline, 200);
    desk_check_quiet(d);
    return proposal;
}

void four_check_failure(desk *d, sc_failure failure)
{
    sc_word word = desk_next(d, SC_WORD_RESULT, DESK_OTHER);
    assert_int_equal(word.result->failure, failure);
    sc_word_fini(&word);
}
