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
#include "worker/backoff.h"
#include "worker/own_proposal.h"

#include <string.h>

// --- All proposals --------------------------------------------------------------------------

enum { FIRST_BUCKETS = 64 };  // a power of two, as all that follow

struct sc__proposals {
    sc__proposals_options options;
    sc_rng *rng;
    sc__own_proposal **buckets;
    size_t bucket_count;
    sc__own_proposal *first_waiting;
    sc__own_proposal *last_waiting;
    sc__own_proposal *first_done;
    sc__own_proposal *last_done;
    sc__own_proposal *lent;  ///< taken last, for the sake of its list
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
    proposals->buckets = sc_calloc(FIRST_BUCKETS, sizeof(sc__own_proposal *));
    if (!proposals->buckets) {
        sc__proposals_free(proposals);
        return SC_ENOMEM;
    }
    *out = proposals;
    return SC_OK;
}

static void forget_lent(sc__proposals *proposals)
{
    sc__own_proposal_free(proposals->lent);
    proposals->lent = NULL;
}

void sc__proposals_free(sc__proposals *proposals)
{
    if (!proposals) return;
    for (sc__own_proposal *each = proposals->first_waiting, *later; each; each = later) {
        later = each->later;
        sc_cloak_free(each->cloak);
        sc__own_proposal_free(each);
    }
    sc__proposal_end end;
    while (sc__proposals_take_done(proposals, &end)) {
        sc_cloak_free(end.cloak);
    }
    sc_free(proposals->buckets);
    sc_free(proposals);
}

// --- Where proposals are --------------------------------------------------------------------

static sc__own_proposal **bucket_of(const sc__proposals *proposals, const sc_proposal_id *id)
{
    uint64_t bits;
    memcpy(&bits, id->bytes, sizeof bits);
    return &proposals->buckets[bits & (proposals->bucket_count - 1)];
}

static sc__own_proposal *find(const sc__proposals *proposals, const sc_proposal_id *id)
{
    sc__own_proposal *found = *bucket_of(proposals, id);
    while (found && !sc_proposal_id_equal(&found->id, id)) {
        found = found->next;
    }
    return found;
}

static void put(sc__proposals *proposals, sc__own_proposal *proposal)
{
    sc__own_proposal **bucket = bucket_of(proposals, &proposal->id);
    proposal->next = *bucket;
    *bucket = proposal;
}

static void take_out(sc__proposals *proposals, const sc__own_proposal *proposal)
{
    sc__own_proposal **link = bucket_of(proposals, &proposal->id);
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
    sc__own_proposal **larger = sc_calloc(proposals->bucket_count * 2, sizeof(sc__own_proposal *));
    if (!larger) return;
    sc_free(proposals->buckets);
    proposals->buckets = larger;
    proposals->bucket_count *= 2;
    for (sc__own_proposal *each = proposals->first_waiting; each; each = each->later) {
        put(proposals, each);
    }
}

/** It waits from now on: it is the last whose patience will be over. */
static void wait(sc__proposals *proposals, sc__own_proposal *proposal, sc_time now)
{
    proposal->moment = now + proposals->options.patience_us;
    proposal->later = NULL;
    proposal->earlier = proposals->last_waiting;
    *(proposal->earlier ? &proposal->earlier->later : &proposals->first_waiting) = proposal;
    proposals->last_waiting = proposal;
}

static void stop_waiting(sc__proposals *proposals, sc__own_proposal *proposal)
{
    *(proposal->earlier ? &proposal->earlier->later : &proposals->first_waiting) = proposal->later;
    *(proposal->later ? &proposal->later->earlier : &proposals->last_waiting) = proposal->earlier;
}

/** It is not counted as undecided any more. */
static void stop_counting(sc__own_proposal *proposal)
{
    if (proposal->allowance) sc__allowance_return(proposal->allowance);
    proposal->allowance = NULL;
}

static void end(sc__proposals *proposals, sc__own_proposal *proposal)
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

static void send_msg(const sc__proposals *proposals, sc_peer to, const sc__own_proposal *proposal,
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

static void release(sc__proposals *proposals, sc__own_proposal *proposal, sc_time now)
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
static void call_off(sc__proposals *proposals, sc__own_proposal *proposal)
{
    for (size_t i = 0; i < proposal->gateway_count; i++) {
        send_msg(proposals, proposal->gateways[i].peer, proposal, SC_MSG_ABORT);
    }
    end(proposals, proposal);
}

// --- A cloak comes in -----------------------------------------------------------------------

static bool has_silent(const sc__proposals *proposals, const sc__own_proposal *proposal)
{
    for (size_t i = 0; i < proposal->gateway_count; i++) {
        if (sc__silence_has(&proposals->silence, proposal->gateways[i].peer)) return true;
    }
    return false;
}

bool sc__proposals_add(sc__proposals *proposals, sc_cloak *cloak, uint32_t part,
                       sc__allowance *allowance, sc_time now)
{
    sc__own_proposal *added = sc__own_proposal_new(cloak, part, proposals->rng);
    sc_proposal **told = added ? sc__own_proposal_tell(proposals->options.self,
                                                       proposals->options.engine_thread, added)
                               : NULL;
    if (!told) {
        sc__own_proposal_free(added);
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

static void receive_ok(sc__proposals *proposals, sc__own_proposal *proposal, sc__party *gateway,
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

static void receive_no(sc__proposals *proposals, sc__own_proposal *proposal, sc_msg *msg,
                       sc_time now)
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

static void receive_dead(sc__proposals *proposals, sc__own_proposal *proposal,
                         const sc__party *gateway)
{
    if (proposal->is_released && gateway->peer != proposal->releaser) return;
    proposals->stats.refused++;
    if (proposal->is_released) {
        end(proposals, proposal);
    } else {
        call_off(proposals, proposal);
    }
}

static void receive_published(sc__proposals *proposals, sc__own_proposal *proposal,
                              const sc__party *gateway, const sc_msg *msg)
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
    sc__own_proposal *proposal = is_answer ? find(proposals, &msg->id) : NULL;
    sc__party *gateway = proposal ? sc__own_proposal_gateway(proposal, msg->from) : NULL;
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
static void send_ask(const sc__proposals *proposals, const sc__own_proposal *proposal)
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
static void ask(sc__proposals *proposals, sc__own_proposal *proposal, sc_time now)
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
    for (sc__own_proposal *each = proposals->first_waiting; each; each = each->later) {
        if (each->allowance && sc__own_proposal_gateway(each, silent)) stop_counting(each);
    }
}

/** Not all have answered. Members of gateways that did not for the second time are gone. */
static void lose_patience(sc__proposals *proposals, sc__own_proposal *proposal, sc_time now)
{
    const sc_time told = proposal->moment - proposals->options.patience_us;
    for (size_t i = 0; i < proposal->gateway_count; i++) {
        sc__party *gateway = &proposal->gateways[i];
        if (gateway->has_said_ok) continue;
        if (!sc__silence_has(&proposals->silence, gateway->peer))
            count_without(proposals, gateway->peer);
        gateway->is_gone = sc__silence_note(&proposals->silence, gateway->peer, told, now);
    }
    sc__own_proposal_name_gone(proposal);
    proposals->stats.silent++;
    call_off(proposals, proposal);
}

void sc__proposals_pass_time(sc__proposals *proposals, sc_time now)
{
    for (sc__own_proposal *first; (first = proposals->first_waiting) && first->moment <= now;) {
        if (first->is_released) {
            ask(proposals, first, now);
        } else {
            lose_patience(proposals, first, now);
        }
    }
}

void sc__proposals_abort_part(sc__proposals *proposals, uint32_t part)
{
    for (sc__own_proposal *each = proposals->first_waiting, *later; each; each = later) {
        later = each->later;
        if (each->part == part && !each->is_released) call_off(proposals, each);
    }
}

bool sc__proposals_take_done(sc__proposals *proposals, sc__proposal_end *out)
{
    forget_lent(proposals);
    sc__own_proposal *done = proposals->first_done;
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
