// The worker's side of the commit: proposals that are under way. See proposals.h.
//
// All memory of a proposal is taken when its cloak comes in: messages received later change it in
// place, and what is sent later fits into a message. So a proposal that was sent once can always be
// ended in order. Memory is asked for later only to name the members of silent gateways: without it
// they are named the next time.
//
// A proposal is found by its id, whose random bits are the hash. All wait for the same patience,
// and so in the order in which they began to wait: a list is enough, no heap is needed.
#include "worker/proposals.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "worker/backoff.h"

#include <string.h>

// --- One proposal: its cloak, the gateways of its members, and their replies --------------------

/** Somebody whose members are in a bid. */
typedef struct party {
    sc_peer peer;
    bool has_said_ok;
    bool is_gone;  ///< silent again: what it has in the bid is not worth waiting for
} party;

typedef struct own_bid {
    sc_bid_id id;
    sc_cloak *cloak;
    uint32_t part;
    sc__allowance *allowance;  ///< that counts it as undecided; NULL once it is decided
    sc_time made;
    sc_peer releaser;  ///< R
    bool is_released;  ///< R decides from now on
    sc_time deadline;  ///< the least that is known
    sc_time last;      ///< the greatest of the members'
    sc_time moment;    ///< when patience is over
    sc_wish *wishes;   ///< of members that are not R's; NULL once they are said, or of a single one
    size_t wish_count;
    size_t wish_room;
    // How it ended.
    bool is_published;
    sc_time left;
    sc_query_id *gone;
    size_t gone_count;
    // Where it is.
    struct own_bid *next;     ///< of its bucket, or of those that are done
    struct own_bid *earlier;  ///< of those that wait
    struct own_bid *later;
    size_t unsaid;  ///< gateways that have not said ok
    size_t gateway_count;
    party gateways[];  ///< each once; room for one per member
} own_bid;

/** Wipe and free all but its cloak; NULL is fine. */
static void free_own_bid(own_bid *bid)
{
    if (!bid) return;
    if (bid->wishes) {
        explicit_bzero(bid->wishes, bid->wish_count * sizeof *bid->wishes);
        sc_free(bid->wishes);
    }
    if (bid->gone) {
        explicit_bzero(bid->gone, bid->gone_count * sizeof *bid->gone);
        sc_free(bid->gone);
    }
    explicit_bzero(bid, sizeof *bid + bid->gateway_count * sizeof *bid->gateways);
    sc_free(bid);
}

/** NULL if that peer has no members in it. */
static party *party_of(own_bid *bid, sc_peer peer)
{
    for (size_t i = 0; i < bid->gateway_count; i++) {
        if (bid->gateways[i].peer == peer) return &bid->gateways[i];
    }
    return NULL;
}

/** Who has members in it, and by when they must have their cloak. */
static void look_at_members(own_bid *bid)
{
    const sc_cloak *cloak = bid->cloak;
    bid->last = cloak->deadline;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *query = &cloak->members[i].query;
        if (query->deadline > bid->last) bid->last = query->deadline;
        bid->wish_room += query->owner != bid->releaser;
        if (!party_of(bid, query->owner)) {
            bid->gateways[bid->gateway_count++].peer = query->owner;
        }
    }
    bid->unsaid = bid->gateway_count;
    bid->is_released = bid->gateway_count == 1;
}

/** Draw an id and R. All memory that it will ever need is taken; NULL if there is none. */
static own_bid *new_own_bid(sc_cloak *cloak, uint32_t part, sc_rng *rng)
{
    own_bid *made = sc_calloc(1, sizeof *made + cloak->member_count * sizeof *made->gateways);
    if (!made) return NULL;
    const uint64_t random[2] = {sc_rng_next(rng), sc_rng_next(rng)};
    _Static_assert(sizeof random == sizeof made->id.bytes, "an id is two random numbers");
    memcpy(made->id.bytes, random, sizeof random);
    made->cloak = cloak;
    made->part = part;
    made->deadline = cloak->deadline;
    const uint32_t drawn = sc_rng_below(rng, (uint32_t)cloak->member_count);
    made->releaser = cloak->members[drawn].query.owner;
    look_at_members(made);
    if (made->wish_room == 0) return made;
    made->wishes = sc_malloc_array(made->wish_room, sizeof *made->wishes);
    if (made->wishes) return made;
    free_own_bid(made);
    return NULL;
}

/** Its members whose gateways are gone are named as not open; nobody, if there is no memory. */
static void name_gone(own_bid *bid)
{
    const sc_cloak *cloak = bid->cloak;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *query = &cloak->members[i].query;
        if (!party_of(bid, query->owner)->is_gone) continue;
        if (!bid->gone) bid->gone = sc_malloc_array(cloak->member_count, sizeof *bid->gone);
        if (!bid->gone) return;
        bid->gone[bid->gone_count++] = query->id;
    }
}

/** There may be none: a cloak can be without stars, or without a border. */
static void copy(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0) memcpy(to, from, count * size);
}

/** All that the cloak knows. */
static sc_bid *copy_cloak(const sc_cloak *cloak)
{
    sc_bid *bid = sc_bid_new(cloak->star_count, cloak->segment_count, cloak->border_node_count,
                             cloak->member_count);
    if (!bid) return NULL;
    copy(bid->stars, cloak->stars, cloak->star_count, sizeof *bid->stars);
    copy(bid->segments, cloak->segments, cloak->segment_count, sizeof *bid->segments);
    copy(bid->border_nodes, cloak->border_nodes, cloak->border_node_count,
         sizeof *bid->border_nodes);
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_member *member = &cloak->members[i];
        bid->members[i] = (sc_bid_member){.query = member->query, .star = member->star};
    }
    return bid;
}

/** As gateways are told of it. */
static sc_bid *describe(const sc__bids_options *options, const own_bid *bid)
{
    sc_bid *told = copy_cloak(bid->cloak);
    if (!told) return NULL;
    told->id = bid->id;
    told->worker = options->self;
    told->room = options->room;
    told->part = bid->part;
    told->releaser = bid->releaser;
    told->is_single = bid->gateway_count == 1;
    told->deadline = bid->deadline;
    told->last = bid->last;
    return told;
}

/** As gateways are told of it: one for each, all or none. Free the list with sc_free(). */
static sc_bid **tell_bid(const sc__bids_options *options, const own_bid *bid)
{
    sc_bid **told = sc_calloc(bid->gateway_count, sizeof(sc_bid *));
    if (!told) return NULL;
    size_t count = 0;
    while (count < bid->gateway_count && (told[count] = describe(options, bid))) {
        count++;
    }
    if (count == bid->gateway_count) return told;
    while (count > 0) {
        sc_bid_free(told[--count]);
    }
    sc_free(told);
    return NULL;
}

// --- All proposals ------------------------------------------------------------------------------

enum { FIRST_BUCKETS = 64 };  // a power of two, as all that follow

struct sc__bids {
    sc__bids_options options;
    sc_rng *rng;
    own_bid **buckets;
    size_t bucket_count;
    own_bid *first_waiting;
    own_bid *last_waiting;
    own_bid *first_done;
    own_bid *last_done;
    own_bid *lent;  ///< taken last, for the sake of its list
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
    bids->buckets = sc_calloc(FIRST_BUCKETS, sizeof(own_bid *));
    if (!bids->buckets) {
        sc__bids_free(bids);
        return SC_ENOMEM;
    }
    *out = bids;
    return SC_OK;
}

static void forget_lent(sc__bids *bids)
{
    free_own_bid(bids->lent);
    bids->lent = NULL;
}

void sc__bids_free(sc__bids *bids)
{
    if (!bids) return;
    for (own_bid *each = bids->first_waiting, *later; each; each = later) {
        later = each->later;
        sc_cloak_free(each->cloak);
        free_own_bid(each);
    }
    sc__bid_end end;
    while (sc__bids_take_done(bids, &end)) {
        sc_cloak_free(end.cloak);
    }
    sc_free(bids->buckets);
    sc_free(bids);
}

// --- Where bids are ------------------------------------------------------------------------

static own_bid **bucket_of(const sc__bids *bids, const sc_bid_id *id)
{
    uint64_t bits;
    memcpy(&bits, id->bytes, sizeof bits);
    return &bids->buckets[bits & (bids->bucket_count - 1)];
}

static own_bid *find(const sc__bids *bids, const sc_bid_id *id)
{
    own_bid *found = *bucket_of(bids, id);
    while (found && !sc_bid_id_equal(&found->id, id)) {
        found = found->next;
    }
    return found;
}

static void put(sc__bids *bids, own_bid *bid)
{
    own_bid **bucket = bucket_of(bids, &bid->id);
    bid->next = *bucket;
    *bucket = bid;
}

static void take_out(sc__bids *bids, const own_bid *bid)
{
    own_bid **link = bucket_of(bids, &bid->id);
    while (*link != bid) {
        link = &(*link)->next;
    }
    *link = bid->next;
}

/** As many buckets as bids. Without memory for more the chains grow longer, and that is all. */
static void grow(sc__bids *bids)
{
    if (bids->stats.under_way < bids->bucket_count) return;
    own_bid **larger = sc_calloc(bids->bucket_count * 2, sizeof(own_bid *));
    if (!larger) return;
    sc_free(bids->buckets);
    bids->buckets = larger;
    bids->bucket_count *= 2;
    for (own_bid *each = bids->first_waiting; each; each = each->later) {
        put(bids, each);
    }
}

/** It waits from now on: it is the last whose patience will be over. */
static void wait(sc__bids *bids, own_bid *bid, sc_time now)
{
    bid->moment = now + bids->options.patience_us;
    bid->later = NULL;
    bid->earlier = bids->last_waiting;
    *(bid->earlier ? &bid->earlier->later : &bids->first_waiting) = bid;
    bids->last_waiting = bid;
}

static void stop_waiting(sc__bids *bids, own_bid *bid)
{
    *(bid->earlier ? &bid->earlier->later : &bids->first_waiting) = bid->later;
    *(bid->later ? &bid->later->earlier : &bids->last_waiting) = bid->earlier;
}

/** It is not counted as undecided any more. */
static void stop_counting(own_bid *bid)
{
    if (bid->allowance) sc__allowance_return(bid->allowance);
    bid->allowance = NULL;
}

static void end(sc__bids *bids, own_bid *bid)
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

static void say(const sc__bids *bids, sc_peer to, const own_bid *bid, sc_word_kind kind)
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

static void release(sc__bids *bids, own_bid *bid, sc_time now)
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
static void call_off(sc__bids *bids, own_bid *bid)
{
    for (size_t i = 0; i < bid->gateway_count; i++) {
        say(bids, bid->gateways[i].peer, bid, SC_WORD_ABORT);
    }
    end(bids, bid);
}

// --- A cloak comes in ----------------------------------------------------------------------

static bool has_silent(const sc__bids *bids, const own_bid *bid)
{
    for (size_t i = 0; i < bid->gateway_count; i++) {
        if (sc__silence_has(&bids->silence, bid->gateways[i].peer)) return true;
    }
    return false;
}

bool sc__bids_add(sc__bids *bids, sc_cloak *cloak, uint32_t part, sc__allowance *allowance,
                  sc_time now)
{
    own_bid *added = new_own_bid(cloak, part, bids->rng);
    sc_bid **told = added ? tell_bid(&bids->options, added) : NULL;
    if (!told) {
        free_own_bid(added);
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

static void hear_ok(sc__bids *bids, own_bid *bid, party *gateway, const sc_word *word, sc_time now)
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

static void hear_no(sc__bids *bids, own_bid *bid, sc_word *word, sc_time now)
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

static void hear_dead(sc__bids *bids, own_bid *bid, const party *gateway)
{
    if (bid->is_released && gateway->peer != bid->releaser) return;
    bids->stats.refused++;
    if (bid->is_released) {
        end(bids, bid);
    } else {
        call_off(bids, bid);
    }
}

static void hear_published(sc__bids *bids, own_bid *bid, const party *gateway, const sc_word *word)
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
    own_bid *bid = is_answer ? find(bids, &word->id) : NULL;
    party *gateway = bid ? party_of(bid, word->from) : NULL;
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
static void ask(sc__bids *bids, own_bid *bid, sc_time now)
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
    for (own_bid *each = bids->first_waiting; each; each = each->later) {
        if (each->allowance && party_of(each, silent)) stop_counting(each);
    }
}

/** Not all have answered. Members of gateways that did not for the second time are gone. */
static void lose_patience(sc__bids *bids, own_bid *bid, sc_time now)
{
    const sc_time told = bid->moment - bids->options.patience_us;
    for (size_t i = 0; i < bid->gateway_count; i++) {
        party *gateway = &bid->gateways[i];
        if (gateway->has_said_ok) continue;
        if (!sc__silence_has(&bids->silence, gateway->peer)) count_without(bids, gateway->peer);
        gateway->is_gone = sc__silence_note(&bids->silence, gateway->peer, told, now);
    }
    name_gone(bid);
    bids->stats.silent++;
    call_off(bids, bid);
}

void sc__bids_pass_time(sc__bids *bids, sc_time now)
{
    for (own_bid *first; (first = bids->first_waiting) && first->moment <= now;) {
        if (first->is_released) {
            ask(bids, first, now);
        } else {
            lose_patience(bids, first, now);
        }
    }
}

void sc__bids_abort_part(sc__bids *bids, uint32_t part)
{
    for (own_bid *each = bids->first_waiting, *later; each; each = later) {
        later = each->later;
        if (each->part == part && !each->is_released) call_off(bids, each);
    }
}

bool sc__bids_take_done(sc__bids *bids, sc__bid_end *out)
{
    forget_lent(bids);
    own_bid *done = bids->first_done;
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
