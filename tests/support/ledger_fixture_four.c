// Four queries of two gateways. See ledger_fixture_four.h.
#include "support/ledger_fixture_four.h"

#include "support/check.h"

const uint32_t four_all[] = {1000, 1, 1001, 2, 0};
const uint32_t four_ours[] = {1, 2, 0};
const uint32_t four_theirs[] = {1001, 1000, 0};
const uint32_t four_none[] = {0};

ledger_fixture *four_open(void)
{
    ledger_fixture *d = test_take(1, sizeof *d);
    const sc__ledger_state_options options = ledger_options();
    ledger_open(d, &options, 1);
    return d;
}

void four_close(ledger_fixture *d)
{
    const sc_ledger_stats stats = sc__ledger_state_stats(d->ledger_state);
    ledger_check_stats(&stats);
    ledger_close(d);
    free(d);
}

sc_proposal_id four_reserve(ledger_fixture *d, sc_peer releaser)
{
    ledger_ask(d, 1, 5000, 0);
    ledger_ask(d, 2, 4000, 0);
    const sc_proposal_id id = ledger_reserve(d, ledger_proposal(d, four_all, releaser), 0);
    sc_msg ok = ledger_next(d, SC_MSG_OK, PEER_WORKER);
    assert_memory_equal(&ok.id, &id, sizeof id);
    assert_int_equal(ok.engine_thread, 3);
    assert_int_equal(ok.deadline, 4000);
    assert_int_equal(ok.count, releaser == PEER_SELF ? 0 : 2);
    sc_msg_fini(&ok);
    ledger_check_quiet(d);
    return id;
}

sc_reservation *four_publish(ledger_fixture *d, sc_proposal_id *id)
{
    *id = four_reserve(d, PEER_SELF);
    ledger_release(d, id, four_theirs, 4000, 10);
    sc_reservation *reservation = sc__ledger_state_take_due(d->ledger_state, 200);
    assert_non_null(reservation);
    sc__ledger_state_published(d->ledger_state, reservation, 4711, 4, 200);
    ledger_check_msg(d, SC_MSG_PUBLISHED, PEER_WORKER, id);
    sc_msg msg = ledger_next(d, SC_MSG_PUBLISHED, PEER_OTHER);
    assert_memory_equal(&msg.id, id, sizeof *id);
    assert_int_equal(msg.number, 4711);
    assert_int_equal(msg.users, 4);
    assert_int_equal(msg.deadline, 200);
    ledger_check_quiet(d);
    return reservation;
}

void four_check_failure(ledger_fixture *d, sc_failure failure)
{
    sc_msg msg = ledger_next(d, SC_MSG_RESULT, PEER_OTHER);
    assert_int_equal(msg.result->failure, failure);
    sc_msg_fini(&msg);
}
