// The worker's side of the commit. See bids.h.
//
// All memory of a bid is taken when its cloak comes in: what is heard later changes it in place,
// and what is said later fits into a word. So a bid that was said once can always be ended in good
// order. Only to name those who are silent memory is asked for later: without it they are named the
// next time.
//
// A bid is found by its id, whose random bits are the hash. All wait for the same patience, so that
// they wait in the order in which they began to: a list does for a heap.
#include "worker/proposals.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "worker/own_bid.h"
#include "worker/silence.h"

#include <string.h>

enum { FIRST_BUCKETS = 64 };  // a power of two, as all that follow

struct sc__bids {
    sc__bids_options options;
    sc_rng *rng;
    sc__own_bid **buckets;
    size_t bucket_count;
    sc__own_bid *first_waiting;
    sc__own_bid *last_waiting;
    sc__own_bid *first_done;
    sc__own_bid *last_done;
    sc__own_bid *lent;  ///< taken last, for the sake of its list
    sc__silence silence;
    sc__bids_stats stats;
};

// --- Life ----------------------------------------------------------------------------------

sc_err sc__bids_new(const sc__bids_options *options, sc_rng *rng, sc__bids **out)
{
    sc__bids *bids = sc_calloc(1, sizeof *bids);
    if (!bids) return SC_ENOMEM;
    bids->options = *options;
    bids->rng = rng;
    bids->bucket_count = FIRST_BUCKETS;
    bids->buckets = sc_calloc(FIRST_BUCKETS, sizeof(sc__own_bid *));
    if (!bids->buckets) {
        sc__bids_free(bids);
        return SC_ENOMEM;
    }
    *out = bids;
    return SC_OK;
}

static void forget_lent(sc__bids *bids)
{
    sc__own_bid_free(bids->lent);
    bids->lent = NULL;
}

void sc__bids_free(sc__bids *bids)
{
    if (!bids) return;
    for (sc__own_bid *each = bids->first_waiting, *later; each; each = later) {
        later = each->later;
        sc_cloak_free(each->cloak);
        sc__own_bid_free(each);
    }
    sc__bid_end end;
    while (sc__bids_take_done(bids, &end)) {
        sc_cloak_free(end.cloak);
    }
    sc_free(bids->buckets);
    sc_free(bids);
}

// --- Where bids are ------------------------------------------------------------------------

static sc__own_bid **bucket_of(const sc__bids *bids, const sc_bid_id *id)
{
    uint64_t bits;
    memcpy(&bits, id->bytes, sizeof bits);
    return &bids->buckets[bits & (bids->bucket_count - 1)];
}

static sc__own_bid *find(const sc__bids *bids, const sc_bid_id *id)
{
    sc__own_bid *found = *bucket_of(bids, id);
    while (found && !sc_bid_id_equal(&found->id, id)) {
        found = found->next;
    }
    return found;
}

static void put(sc__bids *bids, sc__own_bid *bid)
{
    sc__own_bid **bucket = bucket_of(bids, &bid->id);
    bid->next = *bucket;
    *bucket = bid;
}

static void take_out(sc__bids *bids, const sc__own_bid *bid)
{
    sc__own_bid **link = bucket_of(bids, &bid->id);
    while (*link != bid) {
        link = &(*link)->next;
    }
    *link = bid->next;
}

/** As many buckets as bids. Without memory for more the chains grow longer, and that is all. */
static void grow(sc__bids *bids)
{
    if (bids->stats.under_way < bids->bucket_count) return;
    sc__own_bid **larger = sc_calloc(bids->bucket_count * 2, sizeof(sc__own_bid *));
    if (!larger) return;
    sc_free(bids->buckets);
    bids->buckets = larger;
    bids->bucket_count *= 2;
    for (sc__own_bid *each = bids->first_waiting; each; each = each->later) {
        put(bids, each);
    }
}

/** It waits from now on: it is the last whose patience will be over. */
static void wait(sc__bids *bids, sc__own_bid *bid, sc_time now)
{
    bid->moment = now + bids->options.patience_us;
    bid->later = NULL;
    bid->earlier = bids->last_waiting;
    *(bid->earlier ? &bid->earlier->later : &bids->first_waiting) = bid;
    bids->last_waiting = bid;
}

static void stop_waiting(sc__bids *bids, sc__own_bid *bid)
{
    *(bid->earlier ? &bid->earlier->later : &bids->first_waiting) = bid->later;
    *(bid->later ? &bid->later->earlier : &bids->last_waiting) = bid->earlier;
}

/** It is not counted as undecided any more. */
static void stop_counting(sc__own_bid *bid)
{
    if (bid->allowance) sc__allowance_return(bid->allowance);
    bid->allowance = NULL;
}

static void end(sc__bids *bids, sc__own_bid *bid)
{
    stop_counting(bid);
    take_out(bids, bid);
    stop_waiting(bids, bid);
    bids->stats.under_way--;
    bid->next = NULL;
    *(bids->last_done ? &bids->last_done->next : &bids->first_done) = bid;
    bids->last_done = bid;
}

// --- What is said --------------------------------------------------------------------------

static void say(const sc__bids *bids, sc_peer to, const sc__own_bid *bid, sc_word_kind kind)
{
    sc_word word = {
        .kind = kind,
        .from = bids->options.self,
        .id = bid->id,
        .room = bids->options.room,
        .deadline = bid->deadline,
    };
    sc_say(&bids->options.voice, to, &word);
}

static void release(sc__bids *bids, sc__own_bid *bid, sc_time now)
{
    sc_word word = {
        .kind = SC_WORD_RELEASE,
        .from = bids->options.self,
        .id = bid->id,
        .room = bids->options.room,
        .deadline = bid->deadline,
        .wishes = bid->wishes,
        .count = bid->wish_count,
    };
    bid->wishes = NULL;
    bid->wish_count = 0;
    bid->is_released = true;
    if (bid->allowance) sc__allowance_widen(bid->allowance);
    bid->allowance = NULL;
    stop_waiting(bids, bid);
    wait(bids, bid, now);
    sc_say(&bids->options.voice, bid->releaser, &word);
}

/** Before it was released. Also to who said no: what comes twice or late must find it buried. */
static void call_off(sc__bids *bids, sc__own_bid *bid)
{
    for (size_t i = 0; i < bid->gateway_count; i++) {
        say(bids, bid->gateways[i].peer, bid, SC_WORD_ABORT);
    }
    end(bids, bid);
}

// --- A cloak comes in ----------------------------------------------------------------------

static bool has_silent(const sc__bids *bids, const sc__own_bid *bid)
{
    for (size_t i = 0; i < bid->gateway_count; i++) {
        if (sc__silence_has(&bids->silence, bid->gateways[i].peer)) return true;
    }
    return false;
}

bool sc__bids_add(sc__bids *bids, sc_cloak *cloak, uint32_t part, sc__allowance *allowance,
                  sc_time now)
{
    sc__own_bid *added = sc__own_bid_new(cloak, part, bids->rng);
    sc_bid **told = added ? sc__own_bid_tell(&bids->options, added) : NULL;
    if (!told) {
        sc__own_bid_free(added);
        return false;
    }
    added->made = now;
    if (!added->is_released && !has_silent(bids, added)) {
        added->allowance = allowance;
        sc__allowance_take(allowance);
    }
    grow(bids);
    put(bids, added);
    wait(bids, added, now);
    bids->stats.under_way++;
    bids->stats.made++;
    // A single gateway may answer before this returns, and the bid may be gone then.
    const size_t count = added->gateway_count;
    for (size_t i = 0; i < count; i++) {
        sc_word word = {.kind = SC_WORD_RESERVE, .from = bids->options.self, .bid = told[i]};
        sc_say(&bids->options.voice, added->gateways[i].peer, &word);
    }
    sc_free(told);
    return true;
}

// --- What is heard -------------------------------------------------------------------------

static void hear_ok(sc__bids *bids, sc__own_bid *bid, sc__party *gateway, const sc_word *word,
                    sc_time now)
{
    if (bid->is_released || gateway->has_said_ok) return;
    gateway->has_said_ok = true;
    bid->unsaid--;
    if (word->deadline < bid->deadline) bid->deadline = word->deadline;
    if (gateway->peer != bid->releaser) {
        // One that wishes for more than its members has no claim to more.
        const size_t room = bid->wish_room - bid->wish_count;
        const size_t count = word->count < room ? word->count : room;
        if (count > 0) {
            memcpy(bid->wishes + bid->wish_count, word->wishes, count * sizeof *bid->wishes);
        }
        bid->wish_count += count;
    }
    if (bid->unsaid == 0) release(bids, bid, now);
}

static void hear_no(sc__bids *bids, sc__own_bid *bid, sc_word *word, sc_time now)
{
    const bool is_single = bid->gateway_count == 1;
    if (bid->is_released && !is_single) return;
    bid->gone = word->gone;
    bid->gone_count = word->count;
    word->gone = NULL;
    word->count = 0;
    bids->stats.refused++;
    if (bid->allowance) sc__allowance_halve(bid->allowance, bid->made, now);
    bid->allowance = NULL;
    if (is_single) {
        end(bids, bid);
    } else {
        call_off(bids, bid);
    }
}

static void hear_dead(sc__bids *bids, sc__own_bid *bid, const sc__party *gateway)
{
    if (bid->is_released && gateway->peer != bid->releaser) return;
    bids->stats.refused++;
    if (bid->is_released) {
        end(bids, bid);
    } else {
        call_off(bids, bid);
    }
}

static void hear_published(sc__bids *bids, sc__own_bid *bid, const sc__party *gateway,
                           const sc_word *word)
{
    // R's word holds whenever it is said.
    if (gateway->peer != bid->releaser) return;
    bid->is_published = true;
    bid->left = word->deadline;
    bids->stats.published++;
    end(bids, bid);
}

void sc__bids_hear_from(sc__bids *bids, sc_peer gateway)
{
    sc__silence_break(&bids->silence, gateway);
}

void sc__bids_hear(sc__bids *bids, sc_word *word, sc_time now)
{
    const bool is_answer = word->kind == SC_WORD_OK || word->kind == SC_WORD_NO ||
                           word->kind == SC_WORD_DEAD || word->kind == SC_WORD_PUBLISHED;
    sc__own_bid *bid = is_answer ? find(bids, &word->id) : NULL;
    sc__party *gateway = bid ? sc__own_bid_party(bid, word->from) : NULL;
    if (gateway) {
        if (word->kind == SC_WORD_OK) hear_ok(bids, bid, gateway, word, now);
        if (word->kind == SC_WORD_NO) hear_no(bids, bid, word, now);
        if (word->kind == SC_WORD_DEAD) hear_dead(bids, bid, gateway);
        if (word->kind == SC_WORD_PUBLISHED) hear_published(bids, bid, gateway, word);
    }
    sc_word_fini(word);
}

// --- Time ----------------------------------------------------------------------------------

/** R has been silent. */
static void ask(sc__bids *bids, sc__own_bid *bid, sc_time now)
{
    if (now > bid->last) {
        bid->is_published = true;
        bid->left = now;
        bids->stats.unknown++;
        end(bids, bid);
        return;
    }
    stop_waiting(bids, bid);
    wait(bids, bid, now);
    bids->stats.asked++;
    say(bids, bid->releaser, bid, SC_WORD_ASK);
}

/** Bids that wait for a gateway that is silent shall not keep others from being made meanwhile. */
static void count_without(sc__bids *bids, sc_peer silent)
{
    for (sc__own_bid *each = bids->first_waiting; each; each = each->later) {
        if (each->allowance && sc__own_bid_party(each, silent)) stop_counting(each);
    }
}

/** Not all have answered. Members of gateways that did not for the second time are gone. */
static void lose_patience(sc__bids *bids, sc__own_bid *bid, sc_time now)
{
    const sc_time told = bid->moment - bids->options.patience_us;
    for (size_t i = 0; i < bid->gateway_count; i++) {
        sc__party *gateway = &bid->gateways[i];
        if (gateway->has_said_ok) continue;
        if (!sc__silence_has(&bids->silence, gateway->peer)) count_without(bids, gateway->peer);
        gateway->is_gone = sc__silence_note(&bids->silence, gateway->peer, told, now);
    }
    sc__own_bid_name_gone(bid);
    bids->stats.silent++;
    call_off(bids, bid);
}

void sc__bids_pass_time(sc__bids *bids, sc_time now)
{
    for (sc__own_bid *first; (first = bids->first_waiting) && first->moment <= now;) {
        if (first->is_released) {
            ask(bids, first, now);
        } else {
            lose_patience(bids, first, now);
        }
    }
}

void sc__bids_abort_part(sc__bids *bids, uint32_t part)
{
    for (sc__own_bid *each = bids->first_waiting, *later; each; each = later) {
        later = each->later;
        if (each->part == part && !each->is_released) call_off(bids, each);
    }
}

bool sc__bids_take_done(sc__bids *bids, sc__bid_end *out)
{
    forget_lent(bids);
    sc__own_bid *done = bids->first_done;
    if (!done) return false;
    bids->first_done = done->next;
    if (!done->next) bids->last_done = NULL;
    bids->lent = done;
    *out = (sc__bid_end){
        .cloak = done->cloak,
        .is_published = done->is_published,
        .left = done->left,
        .gone = done->gone,
        .gone_count = done->gone_count,
    };
    return true;
}

sc_time sc__bids_next_wake(const sc__bids *bids)
{
    return bids->first_waiting ? bids->first_waiting->moment : SC_TIME_NEVER;
}

sc__bids_stats sc__bids_stats_of(const sc__bids *bids)
{
    return bids->stats;
}
