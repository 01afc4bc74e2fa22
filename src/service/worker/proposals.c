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

// --- One proposal: its cloak, the gateways of its members, and their replies ----------------

/** A gateway with members in a proposal. */
typedef struct party {
    sc_peer peer;
    bool has_said_ok;
    bool is_gone;  ///< silent again: what it has in the proposal is not worth waiting for
} party;

typedef struct own_proposal {
    sc_proposal_id id;
    sc_cloak *cloak;
    uint32_t part;
    sc__allowance *allowance;  ///< that counts it as undecided; NULL once it is decided
    sc_time made;
    sc_peer releaser;  ///< R
    bool is_released;  ///< R decides from now on
    sc_time deadline;  ///< the least that is known
    sc_time last;      ///< the greatest of the members'
    sc_time moment;    ///< when patience is over
    sc_wish *wishes;   ///< of members that are not R's; NULL once they are sent, or of a single one
    size_t wish_count;
    size_t wish_room;
    // How it ended.
    bool is_published;
    sc_time left;
    sc_query_id *gone;
    size_t gone_count;
    // Where it is.
    struct own_proposal *next;     ///< of its bucket, or of those that are done
    struct own_proposal *earlier;  ///< of those that wait
    struct own_proposal *later;
    size_t unsaid;  ///< gateways that have not said ok
    size_t gateway_count;
    party gateways[];  ///< each once; room for one per member
} own_proposal;

/** Wipe and free all but its cloak; NULL is fine. */
static void free_own_proposal(own_proposal *proposal)
{
    if (!proposal) return;
    if (proposal->wishes) {
        explicit_bzero(proposal->wishes, proposal->wish_count * sizeof *proposal->wishes);
        sc_free(proposal->wishes);
    }
    if (proposal->gone) {
        explicit_bzero(proposal->gone, proposal->gone_count * sizeof *proposal->gone);
        sc_free(proposal->gone);
    }
    explicit_bzero(proposal,
                   sizeof *proposal + proposal->gateway_count * sizeof *proposal->gateways);
    sc_free(proposal);
}

/** NULL if that peer has no members in it. */
static party *party_of(own_proposal *proposal, sc_peer peer)
{
    for (size_t i = 0; i < proposal->gateway_count; i++) {
        if (proposal->gateways[i].peer == peer) return &proposal->gateways[i];
    }
    return NULL;
}

/** Who has members in it, and by when they must have their cloak. */
static void look_at_members(own_proposal *proposal)
{
    const sc_cloak *cloak = proposal->cloak;
    proposal->last = cloak->deadline;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *query = &cloak->members[i].query;
        if (query->deadline > proposal->last) proposal->last = query->deadline;
        proposal->wish_room += query->owner != proposal->releaser;
        if (!party_of(proposal, query->owner)) {
            proposal->gateways[proposal->gateway_count++].peer = query->owner;
        }
    }
    proposal->unsaid = proposal->gateway_count;
    proposal->is_released = proposal->gateway_count == 1;
}

/** Draw an id and R. All memory that it will ever need is taken; NULL if there is none. */
static own_proposal *new_own_proposal(sc_cloak *cloak, uint32_t part, sc_rng *rng)
{
    own_proposal *made = sc_calloc(1, sizeof *made + cloak->member_count * sizeof *made->gateways);
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
    free_own_proposal(made);
    return NULL;
}

/** Its members whose gateways are gone are named as not open; none, if memory is out. */
static void name_gone(own_proposal *proposal)
{
    const sc_cloak *cloak = proposal->cloak;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *query = &cloak->members[i].query;
        if (!party_of(proposal, query->owner)->is_gone) continue;
        if (!proposal->gone)
            proposal->gone = sc_malloc_array(cloak->member_count, sizeof *proposal->gone);
        if (!proposal->gone) return;
        proposal->gone[proposal->gone_count++] = query->id;
    }
}

/** There may be none: a cloak can be without stars, or without a border. */
static void copy(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0) memcpy(to, from, count * size);
}

/** All that the cloak knows. */
static sc_proposal *copy_cloak(const sc_cloak *cloak)
{
    sc_proposal *proposal = sc_proposal_new(cloak->star_count, cloak->segment_count,
                                            cloak->border_node_count, cloak->member_count);
    if (!proposal) return NULL;
    copy(proposal->stars, cloak->stars, cloak->star_count, sizeof *proposal->stars);
    copy(proposal->segments, cloak->segments, cloak->segment_count, sizeof *proposal->segments);
    copy(proposal->border_nodes, cloak->border_nodes, cloak->border_node_count,
         sizeof *proposal->border_nodes);
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_member *member = &cloak->members[i];
        proposal->members[i] = (sc_proposal_member){.query = member->query, .star = member->star};
    }
    return proposal;
}

/** As gateways are told of it. */
static sc_proposal *describe(const sc__proposals_options *options, const own_proposal *proposal)
{
    sc_proposal *told = copy_cloak(proposal->cloak);
    if (!told) return NULL;
    told->id = proposal->id;
    told->worker = options->self;
    told->engine_thread = options->engine_thread;
    told->part = proposal->part;
    told->releaser = proposal->releaser;
    told->is_single = proposal->gateway_count == 1;
    told->deadline = proposal->deadline;
    told->last = proposal->last;
    return told;
}

/** As gateways are told of it: one for each, all or none. Free the list with sc_free(). */
static sc_proposal **tell_proposal(const sc__proposals_options *options,
                                   const own_proposal *proposal)
{
    sc_proposal **told = sc_calloc(proposal->gateway_count, sizeof(sc_proposal *));
    if (!told) return NULL;
    size_t count = 0;
    while (count < proposal->gateway_count && (told[count] = describe(options, proposal))) {
        count++;
    }
    if (count == proposal->gateway_count) return told;
    while (count > 0) {
        sc_proposal_free(told[--count]);
    }
    sc_free(told);
    return NULL;
}

// --- All proposals --------------------------------------------------------------------------

enum { FIRST_BUCKETS = 64 };  // a power of two, as all that follow

struct sc__proposals {
    sc__proposals_options options;
    sc_rng *rng;
    own_proposal **buckets;
    size_t bucket_count;
    own_proposal *first_waiting;
    own_proposal *last_waiting;
    own_proposal *first_done;
    own_proposal *last_done;
    own_proposal *lent;  ///< taken last, for the sake of its list
    sc__silence silence;
    sc__proposals_stats stats;
};

// --- Life -----------------------------------------------------------------------------------

sc_err sc__proposals_new(const sc__proposals_options *options, sc_rng *rng, sc__proposals **out)
{
    sc__proposals *proposals = sc_calloc(1, sizeof *proposals);
    if (!proposals) return SC_ENOMEM;
    proposals->options = *options;
    proposals->rng = rng;
    proposals->bucket_count = FIRST_BUCKETS;
    proposals->buckets = sc_calloc(FIRST_BUCKETS, sizeof(own_proposal *));
    if (!proposals->buckets) {
        sc__proposals_free(proposals);
        return SC_ENOMEM;
    }
    *out = proposals;
    return SC_OK;
}

static void forget_lent(sc__proposals *proposals)
{
    free_own_proposal(proposals->lent);
    proposals->lent = NULL;
}

void sc__proposals_free(sc__proposals *proposals)
{
    if (!proposals) return;
    for (own_proposal *each = proposals->first_waiting, *later; each; each = later) {
        later = each->later;
        sc_cloak_free(each->cloak);
        free_own_proposal(each);
    }
    sc__proposal_end end;
    while (sc__proposals_take_done(proposals, &end)) {
        sc_cloak_free(end.cloak);
    }
    sc_free(proposals->buckets);
    sc_free(proposals);
}

// --- Where proposals are --------------------------------------------------------------------

static own_proposal **bucket_of(const sc__proposals *proposals, const sc_proposal_id *id)
{
    uint64_t bits;
    memcpy(&bits, id->bytes, sizeof bits);
    return &proposals->buckets[bits & (proposals->bucket_count - 1)];
}

static own_proposal *find(const sc__proposals *proposals, const sc_proposal_id *id)
{
    own_proposal *found = *bucket_of(proposals, id);
    while (found && !sc_proposal_id_equal(&found->id, id)) {
        found = found->next;
    }
    return found;
}

static void put(sc__proposals *proposals, own_proposal *proposal)
{
    own_proposal **bucket = bucket_of(proposals, &proposal->id);
    proposal->next = *bucket;
    *bucket = proposal;
}

static void take_out(sc__proposals *proposals, const own_proposal *proposal)
{
    own_proposal **link = bucket_of(proposals, &proposal->id);
    while (*link != proposal) {
        link = &(*link)->next;
    }
    *link = proposal->next;
}

/** As many buckets as proposals. Without memory for more the chains grow longer, and that is all.
 */
static void grow(sc__proposals *proposals)
{
    if (proposals->stats.under_way < proposals->bucket_count) return;
    own_proposal **larger = sc_calloc(proposals->bucket_count * 2, sizeof(own_proposal *));
    if (!larger) return;
    sc_free(proposals->buckets);
    proposals->buckets = larger;
    proposals->bucket_count *= 2;
    for (own_proposal *each = proposals->first_waiting; each; each = each->later) {
        put(proposals, each);
    }
}

/** It waits from now on: it is the last whose patience will be over. */
static void wait(sc__proposals *proposals, own_proposal *proposal, sc_time now)
{
    proposal->moment = now + proposals->options.patience_us;
    proposal->later = NULL;
    proposal->earlier = proposals->last_waiting;
    *(proposal->earlier ? &proposal->earlier->later : &proposals->first_waiting) = proposal;
    proposals->last_waiting = proposal;
}

static void stop_waiting(sc__proposals *proposals, own_proposal *proposal)
{
    *(proposal->earlier ? &proposal->earlier->later : &proposals->first_waiting) = proposal->later;
    *(proposal->later ? &proposal->later->earlier : &proposals->last_waiting) = proposal->earlier;
}

/** It is not counted as undecided any more. */
static void stop_counting(own_proposal *proposal)
{
    if (proposal->allowance) sc__allowance_return(proposal->allowance);
    proposal->allowance = NULL;
}

static void end(sc__proposals *proposals, own_proposal *proposal)
{
    stop_counting(proposal);
    take_out(proposals, proposal);
    stop_waiting(proposals, proposal);
    proposals->stats.under_way--;
    proposal->next = NULL;
    *(proposals->last_done ? &proposals->last_done->next : &proposals->first_done) = proposal;
    proposals->last_done = proposal;
}

// --- What is sent ---------------------------------------------------------------------------

static void send_msg(const sc__proposals *proposals, sc_peer to, const own_proposal *proposal,
                     sc_msg_kind kind)
{
    sc_msg msg = {
        .kind = kind,
        .from = proposals->options.self,
        .id = proposal->id,
        .engine_thread = proposals->options.engine_thread,
        .deadline = proposal->deadline,
    };
    sc_port_send(&proposals->options.port, to, &msg);
}

static void release(sc__proposals *proposals, own_proposal *proposal, sc_time now)
{
    sc_msg msg = {
        .kind = SC_MSG_RELEASE,
        .from = proposals->options.self,
        .id = proposal->id,
        .engine_thread = proposals->options.engine_thread,
        .deadline = proposal->deadline,
        .wishes = proposal->wishes,
        .count = proposal->wish_count,
    };
    proposal->wishes = NULL;
    proposal->wish_count = 0;
    proposal->is_released = true;
    if (proposal->allowance) sc__allowance_widen(proposal->allowance);
    proposal->allowance = NULL;
    stop_waiting(proposals, proposal);
    wait(proposals, proposal, now);
    sc_port_send(&proposals->options.port, proposal->releaser, &msg);
}

/** Before it was released. Also to the gateway that said no: what comes twice or late must find it
 * buried. */
static void call_off(sc__proposals *proposals, own_proposal *proposal)
{
    for (size_t i = 0; i < proposal->gateway_count; i++) {
        send_msg(proposals, proposal->gateways[i].peer, proposal, SC_MSG_ABORT);
    }
    end(proposals, proposal);
}

// --- A cloak comes in -----------------------------------------------------------------------

static bool has_silent(const sc__proposals *proposals, const own_proposal *proposal)
{
    for (size_t i = 0; i < proposal->gateway_count; i++) {
        if (sc__silence_has(&proposals->silence, proposal->gateways[i].peer)) return true;
    }
    return false;
}

bool sc__proposals_add(sc__proposals *proposals, sc_cloak *cloak, uint32_t part,
                       sc__allowance *allowance, sc_time now)
{
    own_proposal *added = new_own_proposal(cloak, part, proposals->rng);
    sc_proposal **told = added ? tell_proposal(&proposals->options, added) : NULL;
    if (!told) {
        free_own_proposal(added);
        return false;
    }
    added->made = now;
    if (!added->is_released && !has_silent(proposals, added)) {
        added->allowance = allowance;
        sc__allowance_take(allowance);
    }
    grow(proposals);
    put(proposals, added);
    wait(proposals, added, now);
    proposals->stats.under_way++;
    proposals->stats.made++;
    // A single gateway may answer before this returns, and the proposal may be gone then.
    const size_t count = added->gateway_count;
    for (size_t i = 0; i < count; i++) {
        sc_msg msg = {.kind = SC_MSG_RESERVE, .from = proposals->options.self, .proposal = told[i]};
        sc_port_send(&proposals->options.port, added->gateways[i].peer, &msg);
    }
    sc_free(told);
    return true;
}

// --- What is received -----------------------------------------------------------------------

static void receive_ok(sc__proposals *proposals, own_proposal *proposal, party *gateway,
                       const sc_msg *msg, sc_time now)
{
    if (proposal->is_released || gateway->has_said_ok) return;
    gateway->has_said_ok = true;
    proposal->unsaid--;
    if (msg->deadline < proposal->deadline) proposal->deadline = msg->deadline;
    if (gateway->peer != proposal->releaser) {
        // One that wishes for more than its members has no claim to more.
        const size_t left = proposal->wish_room - proposal->wish_count;
        const size_t count = msg->count < left ? msg->count : left;
        if (count > 0) {
            memcpy(proposal->wishes + proposal->wish_count, msg->wishes,
                   count * sizeof *proposal->wishes);
        }
        proposal->wish_count += count;
    }
    if (proposal->unsaid == 0) release(proposals, proposal, now);
}

static void receive_no(sc__proposals *proposals, own_proposal *proposal, sc_msg *msg, sc_time now)
{
    const bool is_single = proposal->gateway_count == 1;
    if (proposal->is_released && !is_single) return;
    proposal->gone = msg->gone;
    proposal->gone_count = msg->count;
    msg->gone = NULL;
    msg->count = 0;
    proposals->stats.refused++;
    if (proposal->allowance) sc__allowance_halve(proposal->allowance, proposal->made, now);
    proposal->allowance = NULL;
    if (is_single) {
        end(proposals, proposal);
    } else {
        call_off(proposals, proposal);
    }
}

static void receive_dead(sc__proposals *proposals, own_proposal *proposal, const party *gateway)
{
    if (proposal->is_released && gateway->peer != proposal->releaser) return;
    proposals->stats.refused++;
    if (proposal->is_released) {
        end(proposals, proposal);
    } else {
        call_off(proposals, proposal);
    }
}

static void receive_published(sc__proposals *proposals, own_proposal *proposal,
                              const party *gateway, const sc_msg *msg)
{
    // R's message holds whenever it is sent.
    if (gateway->peer != proposal->releaser) return;
    proposal->is_published = true;
    proposal->left = msg->deadline;
    proposals->stats.published++;
    end(proposals, proposal);
}

void sc__proposals_note_alive(sc__proposals *proposals, sc_peer gateway)
{
    sc__silence_break(&proposals->silence, gateway);
}

void sc__proposals_receive(sc__proposals *proposals, sc_msg *msg, sc_time now)
{
    const bool is_answer = msg->kind == SC_MSG_OK || msg->kind == SC_MSG_NO ||
                           msg->kind == SC_MSG_DEAD || msg->kind == SC_MSG_PUBLISHED;
    own_proposal *proposal = is_answer ? find(proposals, &msg->id) : NULL;
    party *gateway = proposal ? party_of(proposal, msg->from) : NULL;
    if (gateway) {
        if (msg->kind == SC_MSG_OK) receive_ok(proposals, proposal, gateway, msg, now);
        if (msg->kind == SC_MSG_NO) receive_no(proposals, proposal, msg, now);
        if (msg->kind == SC_MSG_DEAD) receive_dead(proposals, proposal, gateway);
        if (msg->kind == SC_MSG_PUBLISHED) receive_published(proposals, proposal, gateway, msg);
    }
    sc_msg_fini(msg);
}

// --- Time -----------------------------------------------------------------------------------

/** What became of it? Names the member of R's that waits longest, if it is still open there the
 * proposal has not left. */
static void send_ask(const sc__proposals *proposals, const own_proposal *proposal)
{
    sc_msg msg = {
        .kind = SC_MSG_ASK,
        .from = proposals->options.self,
        .id = proposal->id,
        .engine_thread = proposals->options.engine_thread,
        .deadline = proposal->last,
    };
    sc_time latest = INT64_MIN;
    for (size_t i = 0; i < proposal->cloak->member_count; i++) {
        const sc_query *query = &proposal->cloak->members[i].query;
        if (query->owner != proposal->releaser || query->deadline <= latest) continue;
        latest = query->deadline;
        msg.member = query->id;
    }
    sc_port_send(&proposals->options.port, proposal->releaser, &msg);
}

/** R has been silent. */
static void ask(sc__proposals *proposals, own_proposal *proposal, sc_time now)
{
    if (now > proposal->last) {
        proposal->is_published = true;
        proposal->left = now;
        proposals->stats.unknown++;
        end(proposals, proposal);
        return;
    }
    stop_waiting(proposals, proposal);
    wait(proposals, proposal, now);
    proposals->stats.asked++;
    send_ask(proposals, proposal);
}

/** Proposals that wait for a gateway that is silent shall not keep others from being made
 * meanwhile. */
static void count_without(sc__proposals *proposals, sc_peer silent)
{
    for (own_proposal *each = proposals->first_waiting; each; each = each->later) {
        if (each->allowance && party_of(each, silent)) stop_counting(each);
    }
}

/** Not all have answered. Members of gateways that did not for the second time are gone. */
static void lose_patience(sc__proposals *proposals, own_proposal *proposal, sc_time now)
{
    const sc_time told = proposal->moment - proposals->options.patience_us;
    for (size_t i = 0; i < proposal->gateway_count; i++) {
        party *gateway = &proposal->gateways[i];
        if (gateway->has_said_ok) continue;
        if (!sc__silence_has(&proposals->silence, gateway->peer))
            count_without(proposals, gateway->peer);
        gateway->is_gone = sc__silence_note(&proposals->silence, gateway->peer, told, now);
    }
    name_gone(proposal);
    proposals->stats.silent++;
    call_off(proposals, proposal);
}

void sc__proposals_pass_time(sc__proposals *proposals, sc_time now)
{
    for (own_proposal *first; (first = proposals->first_waiting) && first->moment <= now;) {
        if (first->is_released) {
            ask(proposals, first, now);
        } else {
            lose_patience(proposals, first, now);
        }
    }
}

void sc__proposals_abort_part(sc__proposals *proposals, uint32_t part)
{
    for (own_proposal *each = proposals->first_waiting, *later; each; each = later) {
        later = each->later;
        if (each->part == part && !each->is_released) call_off(proposals, each);
    }
}

bool sc__proposals_take_done(sc__proposals *proposals, sc__proposal_end *out)
{
    forget_lent(proposals);
    own_proposal *done = proposals->first_done;
    if (!done) return false;
    proposals->first_done = done->next;
    if (!done->next) proposals->last_done = NULL;
    proposals->lent = done;
    *out = (sc__proposal_end){
        .cloak = done->cloak,
        .is_published = done->is_published,
        .left = done->left,
        .gone = done->gone,
        .gone_count = done->gone_count,
    };
    return true;
}

sc_time sc__proposals_next_wake(const sc__proposals *proposals)
{
    return proposals->first_waiting ? proposals->first_waiting->moment : SC_TIME_NEVER;
}

sc__proposals_stats sc__proposals_stats_of(const sc__proposals *proposals)
{
    return proposals->stats;
}
