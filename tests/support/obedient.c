// The gateway's side of the commit, as short as it can be. See obedient.h.
#include "support/obedient.h"

#include "base/alloc.h"
#include "support/check.h"
#include "support/streams.h"

enum { FIRST_GATEWAY = 1 };

void obedient_open(obedient *o, uint32_t queries, uint32_t gateways)
{
    *o = (obedient){.gateways = gateways, .query_count = queries};
    received_open(&o->received);
    o->queries = test_take(queries, sizeof *o->queries);
}

void obedient_close(obedient *o)
{
    for (size_t i = 0; i < o->proposal_count; i++) {
        sc_proposal_free(o->proposals[i]);
    }
    free(o->proposals);
    free(o->queries);
    received_close(&o->received);
}

static obedient_query *find(obedient *o, const sc_query_id *id)
{
    uint32_t number = UINT32_MAX;
    memcpy(&number, id->bytes + sizeof(uint64_t), sizeof number);
    assert_true(number < o->query_count);
    return &o->queries[number];
}

// --- What is sent --------------------------------------------------------------------------

static void send_query(obedient *o, const obedient_query *q, sc_msg_kind kind)
{
    const uint32_t home = sc_partition_home(o->partition, q->query.segment);
    sc_msg msg = {
        .kind = kind, .from = q->query.owner, .part = home, .home = home, .query = q->query};
    sc_engine_pool_receive(o->engines, &msg);
}

/** Its end; copies of it are withdrawn. */
static void end_query(obedient *o, obedient_query *q, obedient_state state)
{
    assert_true(q->state == OBEDIENT_OPEN || q->state == OBEDIENT_RESERVED);
    q->state = state;
    send_query(o, q, SC_MSG_REMOVE);
}

static void answer(obedient *o, const sc_proposal *proposal, sc_peer self, sc_msg_kind kind,
                   sc_time now)
{
    sc_msg msg = {.kind = kind,
                  .from = self,
                  .id = proposal->id,
                  .engine_thread = proposal->engine_thread,
                  .deadline = now};
    sc_engine_pool_receive(o->engines, &msg);
}

// --- Proposals ----------------------------------------------------------------------------------

static bool is_open(obedient *o, const sc_proposal_member *member)
{
    return find(o, &member->query.id)->state == OBEDIENT_OPEN;
}

/** Who of our members is not open; a list without memory is no list. */
static void send_no(obedient *o, const sc_proposal *proposal, sc_peer self)
{
    sc_msg msg = {.kind = SC_MSG_NO,
                  .from = self,
                  .id = proposal->id,
                  .engine_thread = proposal->engine_thread};
    msg.gone = sc_calloc(proposal->member_count, sizeof *msg.gone);
    for (size_t i = 0; msg.gone && i < proposal->member_count; i++) {
        const sc_proposal_member *member = &proposal->members[i];
        if (member->query.owner == self && !is_open(o, member)) {
            msg.gone[msg.count++] = member->query.id;
        }
    }
    o->noes++;
    sc_engine_pool_receive(o->engines, &msg);
}

/** What must hold of every cloak that leaves. */
static void look_at(obedient *o, const sc_proposal *proposal, sc_time now)
{
    uint32_t users = 0;
    uint32_t homes = 0;
    for (size_t i = 0; i < proposal->member_count; i++) {
        const sc_query *query = &proposal->members[i].query;
        const sc_query *asked = &find(o, &query->id)->query;
        assert_int_equal(asked->owner, query->owner);
        assert_int_equal(asked->segment, query->segment);
        assert_int_equal(asked->deadline, query->deadline);
        assert_true(query->deadline >= now);
        assert_true(query->l <= proposal->segment_count);
        bool is_new_user = true;
        bool is_new_home = true;
        for (size_t j = 0; j < i; j++) {
            const sc_query *other = &proposal->members[j].query;
            is_new_user = is_new_user && other->user != query->user;
            is_new_home = is_new_home && sc_partition_home(o->partition, other->segment) !=
                                             sc_partition_home(o->partition, query->segment);
        }
        users += is_new_user;
        homes += is_new_home;
    }
    for (size_t i = 0; i < proposal->member_count; i++) {
        assert_true(users >= proposal->members[i].query.k);
    }
    o->cloaks++;
    o->across += homes > 1;
}

static void publish(obedient *o, const sc_proposal *proposal, sc_time now)
{
    look_at(o, proposal, now);
    for (size_t i = 0; i < proposal->member_count; i++) {
        end_query(o, find(o, &proposal->members[i].query.id), OBEDIENT_PUBLISHED);
    }
    answer(o, proposal, proposal->releaser, SC_MSG_PUBLISHED, now);
}

static void keep(obedient *o, sc_proposal *proposal)
{
    if (o->proposal_count == o->proposal_capacity) {
        o->proposal_capacity = o->proposal_capacity > 0 ? 2 * o->proposal_capacity : 16;
        sc_proposal **larger = realloc(o->proposals, o->proposal_capacity * sizeof(sc_proposal *));
        assert_non_null(larger);
        o->proposals = larger;
    }
    o->proposals[o->proposal_count++] = proposal;
}

static void receive_reserve(obedient *o, sc_peer self, sc_proposal *proposal, sc_time now)
{
    bool is_all_open = true;
    for (size_t i = 0; i < proposal->member_count; i++) {
        const sc_proposal_member *member = &proposal->members[i];
        if (member->query.owner == self) is_all_open = is_all_open && is_open(o, member);
    }
    if (!is_all_open || proposal->deadline < now) {
        send_no(o, proposal, self);
        sc_proposal_free(proposal);
    } else if (proposal->is_single) {
        publish(o, proposal, now);
        sc_proposal_free(proposal);
    } else {
        for (size_t i = 0; i < proposal->member_count; i++) {
            if (proposal->members[i].query.owner != self) continue;
            obedient_query *q = find(o, &proposal->members[i].query.id);
            q->state = OBEDIENT_RESERVED;
            q->proposal = proposal->id;
        }
        answer(o, proposal, self, SC_MSG_OK, proposal->deadline);
        keep(o, proposal);
    }
}

/** Take out what R keeps of a proposal; the others' are freed. */
static sc_proposal *take_proposal(obedient *o, const sc_proposal_id *id)
{
    sc_proposal *taken = NULL;
    for (size_t i = 0; i < o->proposal_count;) {
        if (!sc_proposal_id_equal(&o->proposals[i]->id, id)) {
            i++;
            continue;
        }
        sc_proposal_free(taken);
        taken = o->proposals[i];
        o->proposals[i] = o->proposals[--o->proposal_count];
    }
    return taken;
}

/** It was reserved for a proposal that has come to nothing. */
static void open_again(obedient *o, obedient_query *q)
{
    q->state = OBEDIENT_OPEN;
    if (q->is_dropped) {
        end_query(o, q, OBEDIENT_DROPPED);
    } else {
        send_query(o, q, SC_MSG_ADD);
    }
}

/** The members of one gateway, or of all. */
static void open_members(obedient *o, sc_peer self, bool is_of_all, const sc_proposal_id *id)
{
    for (uint32_t i = 0; i < o->query_count; i++) {
        obedient_query *q = &o->queries[i];
        if (q->state != OBEDIENT_RESERVED || !sc_proposal_id_equal(&q->proposal, id)) continue;
        if (is_of_all || q->query.owner == self) open_again(o, q);
    }
}

/** The message may have been long on its way, or we slow to receive it. */
static void receive_release(obedient *o, const sc_proposal_id *id, sc_time now)
{
    sc_proposal *proposal = take_proposal(o, id);
    assert_non_null(proposal);
    if (proposal->deadline >= now) {
        publish(o, proposal, now);
    } else {
        answer(o, proposal, proposal->releaser, SC_MSG_DEAD, now);
        open_members(o, proposal->releaser, true, id);
    }
    sc_proposal_free(proposal);
}

static void receive_end(obedient *o, const sc_query_id *id, obedient_state state)
{
    obedient_query *q = find(o, id);
    if (q->state == OBEDIENT_OPEN) end_query(o, q, state);
    if (q->state == OBEDIENT_RESERVED) q->is_dropped = true;
}

bool obedient_listen(obedient *o, sc_time now)
{
    bool is_any = false;
    for (received_msg each; received_take(&o->received, &each); is_any = true) {
        switch (each.msg.kind) {
        case SC_MSG_RESERVE:
            receive_reserve(o, each.to, each.msg.proposal, now);
            each.msg.proposal = NULL;
            break;
        case SC_MSG_RELEASE:
            receive_release(o, &each.msg.id, now);
            break;
        case SC_MSG_ABORT:
            open_members(o, each.to, false, &each.msg.id);
            break;
        case SC_MSG_DROPPED:
            receive_end(o, &each.msg.query.id, OBEDIENT_DROPPED);
            break;
        case SC_MSG_NOT_TAKEN:
            receive_end(o, &each.msg.query.id, OBEDIENT_NOT_TAKEN);
            break;
        default:
            fail_msg("\"%s\" needs no answer here", sc_msg_kind_name(each.msg.kind));
        }
        sc_msg_fini(&each.msg);
    }
    return is_any;
}

// --- Clients -------------------------------------------------------------------------------

void obedient_ask(obedient *o, uint32_t number, sc_seg_id segment, uint32_t k, uint32_t l,
                  uint32_t max_hops, sc_time deadline)
{
    obedient_query *q = &o->queries[number];
    assert_int_equal(q->state, OBEDIENT_UNASKED);
    q->query = plain_query(number, segment, k, l, max_hops, deadline);
    q->query.owner = FIRST_GATEWAY + number % o->gateways;
    q->state = OBEDIENT_OPEN;
    send_query(o, q, SC_MSG_ADD);
}

void obedient_leave(obedient *o, uint32_t number)
{
    obedient_query *q = &o->queries[number];
    if (q->state == OBEDIENT_OPEN) end_query(o, q, OBEDIENT_GONE);
}

void obedient_resend(obedient *o)
{
    for (uint32_t i = 0; i < o->query_count; i++) {
        if (o->queries[i].state == OBEDIENT_OPEN) send_query(o, &o->queries[i], SC_MSG_ADD);
    }
}

uint32_t obedient_count(const obedient *o, obedient_state state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < o->query_count; i++) {
        count += o->queries[i].state == state;
    }
    return count;
}

void obedient_check_ends(const obedient *o)
{
    assert_int_equal(obedient_count(o, OBEDIENT_OPEN), 0);
    assert_int_equal(obedient_count(o, OBEDIENT_RESERVED), 0);
}
