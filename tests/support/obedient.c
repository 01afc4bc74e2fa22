// The gateway's side of the commit, as short as it can be. See obedient.h.
#include "support/obedient.h"

#include "base/alloc.h"
#include "support/check.h"
#include "support/streams.h"

enum { FIRST_GATEWAY = 1 };

void obedient_open(obedient *o, uint32_t queries, uint32_t gateways)
{
    *o = (obedient){.gateways = gateways, .query_count = queries};
    heard_open(&o->heard);
    o->queries = test_take(queries, sizeof *o->queries);
}

void obedient_close(obedient *o)
{
    for (size_t i = 0; i < o->bid_count; i++) {
        sc_bid_free(o->bids[i]);
    }
    free(o->bids);
    free(o->queries);
    heard_close(&o->heard);
}

static obedient_query *find(obedient *o, const sc_query_id *id)
{
    uint32_t number = UINT32_MAX;
    memcpy(&number, id->bytes + sizeof(uint64_t), sizeof number);
    assert_true(number < o->query_count);
    return &o->queries[number];
}

// --- What is said --------------------------------------------------------------------------

static void say_query(obedient *o, const obedient_query *q, sc_word_kind kind)
{
    const uint32_t home = sc_partition_home(o->cut, q->query.segment);
    sc_word word = {
        .kind = kind, .from = q->query.owner, .part = home, .home = home, .query = q->query};
    sc_crew_hear(o->crew, &word);
}

/** Its end; copies of it are withdrawn. */
static void end_query(obedient *o, obedient_query *q, obedient_state state)
{
    assert_true(q->state == OBEDIENT_OPEN || q->state == OBEDIENT_RESERVED);
    q->state = state;
    say_query(o, q, SC_WORD_REMOVE);
}

static void answer(obedient *o, const sc_bid *bid, sc_peer self, sc_word_kind kind, sc_time now)
{
    sc_word word = {.kind = kind, .from = self, .id = bid->id, .room = bid->room, .deadline = now};
    sc_crew_hear(o->crew, &word);
}

// --- Bids ----------------------------------------------------------------------------------

static bool is_open(obedient *o, const sc_bid_member *member)
{
    return find(o, &member->query.id)->state == OBEDIENT_OPEN;
}

/** Who of our members is not open; a list without memory is no list. */
static void say_no(obedient *o, const sc_bid *bid, sc_peer self)
{
    sc_word word = {.kind = SC_WORD_NO, .from = self, .id = bid->id, .room = bid->room};
    word.gone = sc_calloc(bid->member_count, sizeof *word.gone);
    for (size_t i = 0; word.gone && i < bid->member_count; i++) {
        const sc_bid_member *member = &bid->members[i];
        if (member->query.owner == self && !is_open(o, member)) {
            word.gone[word.count++] = member->query.id;
        }
    }
    o->noes++;
    sc_crew_hear(o->crew, &word);
}

/** What must hold of every cloak that leaves. */
static void look_at(obedient *o, const sc_bid *bid, sc_time now)
{
    uint32_t users = 0;
    uint32_t homes = 0;
    for (size_t i = 0; i < bid->member_count; i++) {
        const sc_query *query = &bid->members[i].query;
        const sc_query *asked = &find(o, &query->id)->query;
        assert_int_equal(asked->owner, query->owner);
        assert_int_equal(asked->segment, query->segment);
        assert_int_equal(asked->deadline, query->deadline);
        assert_true(query->deadline >= now);
        assert_true(query->l <= bid->segment_count);
        bool is_new_user = true;
        bool is_new_home = true;
        for (size_t j = 0; j < i; j++) {
            const sc_query *other = &bid->members[j].query;
            is_new_user = is_new_user && other->user != query->user;
            is_new_home = is_new_home && sc_partition_home(o->cut, other->segment) !=
                                             sc_partition_home(o->cut, query->segment);
        }
        users += is_new_user;
        homes += is_new_home;
    }
    for (size_t i = 0; i < bid->member_count; i++) {
        assert_true(users >= bid->members[i].query.k);
    }
    o->cloaks++;
    o->across += homes > 1;
}

static void publish(obedient *o, const sc_bid *bid, sc_time now)
{
    look_at(o, bid, now);
    for (size_t i = 0; i < bid->member_count; i++) {
        end_query(o, find(o, &bid->members[i].query.id), OBEDIENT_PUBLISHED);
    }
    answer(o, bid, bid->releaser, SC_WORD_PUBLISHED, now);
}

static void keep(obedient *o, sc_bid *bid)
{
    if (o->bid_count == o->bid_capacity) {
        o->bid_capacity = o->bid_capacity > 0 ? 2 * o->bid_capacity : 16;
        sc_bid **larger = realloc(o->bids, o->bid_capacity * sizeof(sc_bid *));
        assert_non_null(larger);
        o->bids = larger;
    }
    o->bids[o->bid_count++] = bid;
}

static void hear_reserve(obedient *o, sc_peer self, sc_bid *bid, sc_time now)
{
    bool is_all_open = true;
    for (size_t i = 0; i < bid->member_count; i++) {
        const sc_bid_member *member = &bid->members[i];
        if (member->query.owner == self) is_all_open = is_all_open && is_open(o, member);
    }
    if (!is_all_open || bid->deadline < now) {
        say_no(o, bid, self);
        sc_bid_free(bid);
    } else if (bid->is_single) {
        publish(o, bid, now);
        sc_bid_free(bid);
    } else {
        for (size_t i = 0; i < bid->member_count; i++) {
            if (bid->members[i].query.owner != self) continue;
            obedient_query *q = find(o, &bid->members[i].query.id);
            q->state = OBEDIENT_RESERVED;
            q->bid = bid->id;
        }
        answer(o, bid, self, SC_WORD_OK, bid->deadline);
        keep(o, bid);
    }
}

/** Take out what R keeps of a bid; the others' are freed. */
static sc_bid *take_bid(obedient *o, const sc_bid_id *id)
{
    sc_bid *taken = NULL;
    for (size_t i = 0; i < o->bid_count;) {
        if (!sc_bid_id_equal(&o->bids[i]->id, id)) {
            i++;
            continue;
        }
        sc_bid_free(taken);
        taken = o->bids[i];
        o->bids[i] = o->bids[--o->bid_count];
    }
    return taken;
}

/** It was reserved for a bid that has come to nothing. */
static void open_again(obedient *o, obedient_query *q)
{
    q->state = OBEDIENT_OPEN;
    if (q->is_dropped) {
        end_query(o, q, OBEDIENT_DROPPED);
    } else {
        say_query(o, q, SC_WORD_ADD);
    }
}

/** The members of one gateway, or of all. */
static void open_members(obedient *o, sc_peer self, bool is_of_all, const sc_bid_id *id)
{
    for (uint32_t i = 0; i < o->query_count; i++) {
        obedient_query *q = &o->queries[i];
        if (q->state != OBEDIENT_RESERVED || !sc_bid_id_equal(&q->bid, id)) continue;
        if (is_of_all || q->query.owner == self) open_again(o, q);
    }
}

/** The word may have been long on its way, or we slow to hear it. */
static void hear_release(obedient *o, const sc_bid_id *id, sc_time now)
{
    sc_bid *bid = take_bid(o, id);
    assert_non_null(bid);
    if (bid->deadline >= now) {
        publish(o, bid, now);
    } else {
        answer(o, bid, bid->releaser, SC_WORD_DEAD, now);
        open_members(o, bid->releaser, true, id);
    }
    sc_bid_free(bid);
}

static void hear_end(obedient *o, const sc_query_id *id, obedient_state state)
{
    obedient_query *q = find(o, id);
    if (q->state == OBEDIENT_OPEN) end_query(o, q, state);
    if (q->state == OBEDIENT_RESERVED) q->is_dropped = true;
}

bool obedient_listen(obedient *o, sc_time now)
{
    bool is_any = false;
    for (heard_word each; heard_take(&o->heard, &each); is_any = true) {
        switch (each.word.kind) {
        case SC_WORD_RESERVE:
            hear_reserve(o, each.to, each.word.bid, now);
            each.word.bid = NULL;
            break;
        case SC_WORD_RELEASE:
            hear_release(o, &each.word.id, now);
            break;
        case SC_WORD_ABORT:
            open_members(o, each.to, false, &each.word.id);
            break;
        case SC_WORD_DROPPED:
            hear_end(o, &each.word.query.id, OBEDIENT_DROPPED);
            break;
        case SC_WORD_NOT_TAKEN:
            hear_end(o, &each.word.query.id, OBEDIENT_NOT_TAKEN);
            break;
        default:
            fail_msg("\"%s\" needs no answer here", sc_word_kind_name(each.word.kind));
        }
        sc_word_fini(&each.word);
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
    say_query(o, q, SC_WORD_ADD);
}

void obedient_leave(obedient *o, uint32_t number)
{
    obedient_query *q = &o->queries[number];
    if (q->state == OBEDIENT_OPEN) end_query(o, q, OBEDIENT_GONE);
}

void obedient_resend(obedient *o)
{
    for (uint32_t i = 0; i < o->query_count; i++) {
        if (o->queries[i].state == OBEDIENT_OPEN) say_query(o, &o->queries[i], SC_WORD_ADD);
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
