// An engine thread: its life, what any thread may call, and its rounds. See engine_thread.h.
//
// The messages of a ledger in the same process must find room, since it does not send them twice.
// That there is room follows from this: it asks whether we are behind, that is whether max_queries
// messages wait, before each batch of queries that it adds. After the last one, what can still come
// is, in the worst case all to the same thread,
//   - for each query that is open then: one message that it is company, one that it is open again
//     after a proposal, one to remove it: at most three times max_queries;
//   - one answer for each proposal that has none. Each has a member that this thread's engine
//     answers for and still has: a query that is open, or one whose removal is among the messages
//     that wait.
// Together with those that waited before that is six times max_queries and two batches. Beside
// these there is room for one message that wakes the thread, and for as many of other engine
// threads, which tell this one of company: they send nothing while that many messages wait, each
// having looked by itself, so that a thread that stands still is not filled by them. What they do
// not send is lost, and costs success at most: the ledger decides. The system gives the memory for
// it page by page, when it is first used.
//
// A round carries out messages, runs engines, and proposes what they found. A message is sent only
// where the port has room for it and for one of each other engine thread beside it, which may have
// looked at the same moment. With several gateways messages go over a network, where they may be
// lost anyway, so that one look is enough for all messages of a proposal.
//
// What is received of a proposal reaches the engine before the next message is carried out: a
// member that was gone may be open again in the very next message, and must then be forgotten
// already.
#include "worker/engine_thread.h"

#include <starcloak/prune.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/handover.h"
#include "base/pace.h"
#include "base/rng.h"
#include "base/thread.h"
#include "worker/parts.h"
#include "worker/proposals.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

/** Fields are grouped by who may touch them. */
struct sc__engine_thread {
    size_t max_queries;
    size_t thread_count;  ///< that send through the same port
    const sc_map *map;
    const sc_partition *partition;
    sc_peer self;
    sc_port port;
    int64_t round_us;
    const sc__siblings *siblings;  ///< NULL: there are none
    sc_handover *msgs;             ///< NULL: in place, each message is carried out at once
    atomic_bool is_ending;
    atomic_int wanted;      ///< the sc_variant that the engines are to have
    atomic_bool is_called;  ///< a message to look up is among the messages: another need not follow
    pthread_t thread;       ///< of the thread that starts and ends it, as the next
    bool has_thread;

    // Of the thread, or of the caller of sc__engine_thread_round() instead.
    sc_rng *rng;
    sc__parts parts;              ///< but for what others may see of it
    bool is_part_missing;         ///< there was no memory for one
    sc_variant variant;           ///< that the engines have
    sc_partition_walker *walker;  ///< NULL if there is one part only
    sc_pruner *pruner;            ///< NULL if there is a pool
    sc_prune_pool *pool;          ///< or NULL
    sc__proposals *proposals;
    sc_time now;         ///< of the last round
    bool is_paused;      ///< something could not be sent in this round
    sc_time rest_until;  ///< memory has run out
    size_t batch_next;   ///< messages of the batch from here on are still to be carried out
    size_t batch_count;
    sc_msg batch[SC_ENGINE_POOL_BATCH];

    pthread_mutex_t lock;
    sc__proposals_stats stats;  ///< under `lock`
};

enum {
    REST_US = 10000,  ///< after memory has run out
    RETRY_US = 1000,  ///< while gateways have too much to receive already
};

// --- What is sent ---------------------------------------------------------------------------

static bool can_send(sc__engine_thread *thread)
{
    if (sc_port_space(&thread->port) >= thread->thread_count) return true;
    thread->is_paused = true;
    return false;
}

/** To the gateway of a query. */
static void send_msg(const sc__engine_thread *thread, sc_msg_kind kind, const sc_query *query,
                     sc_drop_reason reason)
{
    sc_msg msg = {.kind = kind, .from = thread->self, .reason = reason, .query = *query};
    msg.query.own = NULL;
    sc_port_send(&thread->port, query->owner, &msg);
}

// --- Queries --------------------------------------------------------------------------------

/** All parts in reach, its home first; another part's engine matters only near a border of parts.
 */
static const uint16_t *reach(const sc__engine_thread *thread, const sc_query *query, uint16_t *home,
                             size_t *count)
{
    if (thread->walker &&
        sc_partition_is_near(thread->partition, query->segment, query->max_hops)) {
        return sc_partition_reach(thread->walker, query->segment, query->max_hops, count);
    }
    *home = (uint16_t)sc_partition_home(thread->partition, query->segment);
    *count = 1;
    return home;
}

static uint16_t sibling_of(const sc__engine_thread *thread, uint16_t part)
{
    return atomic_load_explicit(&thread->siblings->thread_of[part], memory_order_acquire);
}

/** Whether one of these parts is of that engine thread. */
static bool has_any(const sc__engine_thread *thread, uint16_t sibling, const uint16_t *parts,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (sibling_of(thread, parts[i]) == sibling) return true;
    }
    return false;
}

/** A message about a query whose home is ours, and that reaches these parts, its home first: pass
 * it on to the engine threads that have others of them. */
static void tell_siblings(const sc__engine_thread *thread, const sc_msg *msg, const uint16_t *parts,
                          size_t count)
{
    if (!thread->siblings || count < 2) return;
    const uint16_t self = (uint16_t)thread->parts.engine_thread;
    if (sibling_of(thread, parts[0]) != self) return;
    for (size_t i = 1; i < count; i++) {
        const uint16_t sibling = sibling_of(thread, parts[i]);
        if (sibling == SC__NO_ENGINE_THREAD || has_any(thread, sibling, parts, i)) continue;
        sc_msg copy;
        bool is_told = sc_msg_clone(msg, &copy);
        if (copy.kind == SC_MSG_ADD) copy.kind = SC_MSG_COMPANY;
        is_told = is_told && sc__engine_thread_hear(thread->siblings->threads[sibling], &copy);
        if (is_told) {
            explicit_bzero(&copy, sizeof copy);
        } else {
            atomic_fetch_add(thread->siblings->lost, 1);
            sc_msg_fini(&copy);
        }
    }
}

/** As company, to all parts in its reach but its home. One that finds no memory is passed over. */
static void add_company(sc__engine_thread *thread, const sc_msg *msg)
{
    const sc_query *query = &msg->query;
    uint16_t home;
    size_t count;
    const uint16_t *parts = reach(thread, query, &home, &count);
    tell_siblings(thread, msg, parts, count);
    for (size_t i = 1; i < count; i++) {
        sc__part *part = thread->parts.open[parts[i]];
        if (!part) continue;
        if (sc_engine_add_company(part->engine, query) == SC_OK) sc__part_touch(part);
    }
}

static void add(sc__engine_thread *thread, const sc_msg *msg)
{
    const sc_query *query = &msg->query;
    const uint32_t home = sc_partition_home(thread->partition, query->segment);
    sc__part *part = thread->parts.open[home];
    // One that is meant to be open, and is not, waits for memory.
    sc_err err = thread->parts.is_meant[home] ? SC_ENOMEM : SC_OK;
    if (part) {
        err = sc_engine_add(part->engine, query);
        sc__part_touch(part);
    }
    if (err == SC_ELATE) {
        send_msg(thread, SC_MSG_DROPPED, query, SC_DROP_EXPIRED);
    } else if (err && err != SC_EDUPLICATE) {
        send_msg(thread, SC_MSG_NOT_TAKEN, query, (sc_drop_reason)0);
    } else {
        add_company(thread, msg);
    }
}

static void remove_query(sc__engine_thread *thread, const sc_msg *msg)
{
    const sc_query *query = &msg->query;
    uint16_t home;
    size_t count;
    const uint16_t *parts = reach(thread, query, &home, &count);
    tell_siblings(thread, msg, parts, count);
    for (size_t i = 0; i < count; i++) {
        sc__part *part = thread->parts.open[parts[i]];
        // An engine may have dropped it already: the messages crossed.
        if (part && sc_engine_remove(part->engine, &query->id) == SC_OK) sc__part_touch(part);
    }
}

// --- Proposals ------------------------------------------------------------------------------

/** A cloak is off; its members that are not gone go on. */
static void refuse(sc__part *part, sc_cloak *cloak, const sc_query_id *gone, size_t gone_count)
{
    // It can only fail for a cloak that is not the engine's, of which it then knows nothing.
    const sc_err err = sc_engine_refuse(part->engine, cloak, gone, gone_count);
    (void)err;
    sc__part_touch(part);
    part->under_way--;
    sc_cloak_free(cloak);
}

static void accept_cloak(sc__part *part, sc_cloak *cloak, sc_time left)
{
    if (sc_engine_accept(part->engine, cloak, left, NULL) == SC_OK) {
        part->is_changed = true;
        part->under_way--;
        sc_cloak_free(cloak);
        return;
    }
    // The engine's clock is ahead, and for it a deadline has passed. Yet it has left in time.
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_err err = sc_engine_remove(part->engine, &cloak->members[i].query.id);
        (void)err;  // it was removed before
    }
    refuse(part, cloak, NULL, 0);
}

/** What is done goes back to the engines. */
static void settle_proposals(sc__engine_thread *thread)
{
    sc__proposal_end end;
    while (sc__proposals_take_done(thread->proposals, &end)) {
        sc__part *part = sc__parts_of(&thread->parts, end.cloak);
        if (end.is_published) {
            accept_cloak(part, end.cloak, end.left);
        } else {
            refuse(part, end.cloak, end.gone, end.gone_count);
        }
    }
}

/** A cloak that was, or could not be, pruned. */
static void propose(sc__engine_thread *thread, sc_cloak *cloak, sc_time now)
{
    sc__part *part = sc__parts_of(&thread->parts, cloak);
    bool has_memory = cloak->is_pruned;
    if (has_memory && part->is_open && !sc__allowance_is_spent(&part->allowance)) {
        has_memory =
            sc__proposals_add(thread->proposals, cloak, part->number, &part->allowance, now);
        if (has_memory) return;
    }
    if (!has_memory) thread->rest_until = now + REST_US;
    refuse(part, cloak, NULL, 0);
}

// --- Messages -------------------------------------------------------------------------------

static void take_over_parts(sc__engine_thread *thread, sc_time now)
{
    if (!sc__parts_look(&thread->parts) &&
        !(thread->is_part_missing && now >= thread->rest_until)) {
        return;
    }
    thread->is_part_missing = false;
    for (uint32_t i = 0; i < thread->parts.count; i++) {
        sc__part *part = thread->parts.open[i];
        if (part && !thread->parts.is_meant[i]) {
            sc__parts_close(&thread->parts, part);
            sc__proposals_abort_part(thread->proposals, i);
            settle_proposals(thread);
        }
        if (part || !thread->parts.is_meant[i]) continue;
        if (sc__parts_open(&thread->parts, i, NULL)) {
            thread->is_part_missing = true;
            thread->rest_until = now + REST_US;
        }
    }
}

/** Let the engines have the variant that is wanted. If that fails, the next round tries again. */
static void take_over_variant(sc__engine_thread *thread)
{
    const sc_variant wanted = (sc_variant)atomic_load(&thread->wanted);
    if (wanted == thread->variant) return;
    if (sc__parts_switch(&thread->parts, wanted) == SC_OK) thread->variant = wanted;
}

static void look_up(sc__engine_thread *thread, sc_time now)
{
    take_over_parts(thread, now);
    take_over_variant(thread);
}

/** Carry out a message, which is wiped. It is not asked whether there is room for what is sent
 * then. */
static void obey(sc__engine_thread *thread, sc_msg *msg, sc_time now)
{
    sc__proposals_note_alive(thread->proposals, msg->from);
    switch (msg->kind) {
    case SC_MSG_ADD:
        add(thread, msg);
        break;
    case SC_MSG_COMPANY:
        add_company(thread, msg);
        break;
    case SC_MSG_REMOVE:
        remove_query(thread, msg);
        break;
    case SC_MSG_NONE:
        // Before the look: who wants something after it calls again.
        atomic_store(&thread->is_called, false);
        look_up(thread, now);
        break;
    default:
        sc__proposals_receive(thread->proposals, msg, now);
        settle_proposals(thread);
        break;
    }
    sc_msg_fini(msg);
}

void sc__engine_thread_prefetch(const sc__engine_thread *thread, const sc_query *query)
{
    const sc__part *part = thread->parts.open[sc_partition_home(thread->partition, query->segment)];
    if (part) sc_engine_prefetch(part->engine, query);
}

/** For a query that will be added a few messages later. */
static void prefetch(const sc__engine_thread *thread, size_t place)
{
    if (place >= thread->batch_count || thread->batch[place].kind != SC_MSG_ADD) return;
    sc__engine_thread_prefetch(thread, &thread->batch[place].query);
}

static void obey_all(sc__engine_thread *thread, sc_time now)
{
    if (thread->batch_next == thread->batch_count) {
        thread->batch_count = sc_handover_take(thread->msgs, thread->batch, SC_ENGINE_POOL_BATCH);
        thread->batch_next = 0;
    }
    // Each may be answered by a message.
    while (thread->batch_next < thread->batch_count && can_send(thread)) {
        prefetch(thread, thread->batch_next + SC_ENGINE_PREFETCH_AHEAD);
        obey(thread, &thread->batch[thread->batch_next++], now);
    }
}

// --- What was found -------------------------------------------------------------------------

/** To the pool, or pruned here and now; back to the engine, if too many proposals are undecided. */
static void take_candidates(sc__engine_thread *thread, sc__part *part, sc_time now)
{
    sc_cloak *cloak;
    while ((thread->pool || can_send(thread)) && (cloak = sc_engine_take_candidate(part->engine))) {
        part->under_way++;
        if (sc__allowance_is_spent(&part->allowance)) {
            refuse(part, cloak, NULL, 0);
            continue;
        }
        if (thread->pool) {
            sc_prune_pool_give(thread->pool, cloak);
            continue;
        }
        const sc_err err = sc_pruner_prune(thread->pruner, cloak, thread->rng);
        (void)err;  // it is not pruned then
        propose(thread, cloak, now);
    }
}

static void tell_drops(sc__engine_thread *thread, const sc__part *part)
{
    sc_drop drop;
    while (can_send(thread) && sc_engine_take_drop(part->engine, &drop)) {
        send_msg(thread, SC_MSG_DROPPED, &drop.query, drop.reason);
        explicit_bzero(&drop, sizeof drop);
    }
}

static void tell_what_was_found(sc__engine_thread *thread, sc_time now)
{
    for (sc__part *part = thread->parts.first; part; part = part->next) {
        if (!part->is_open || !part->has_found) continue;
        take_candidates(thread, part, now);
        tell_drops(thread, part);
        part->has_found = thread->is_paused;
    }
    sc_cloak *cloak;
    while (thread->pool && can_send(thread) && (cloak = sc_prune_pool_take(thread->pool, false))) {
        propose(thread, cloak, now);
    }
}

/** Let others see what was done. */
static void show(sc__engine_thread *thread)
{
    sc__parts_show(&thread->parts);
    const sc__proposals_stats stats = sc__proposals_stats_of(thread->proposals);
    pthread_mutex_lock(&thread->lock);
    thread->stats = stats;
    pthread_mutex_unlock(&thread->lock);
}

sc_time sc__engine_thread_next_wake(sc__engine_thread *thread, sc_time now)
{
    if (thread->is_paused) return now + RETRY_US;
    if (thread->msgs && sc_handover_count(thread->msgs) > 0) return now;
    sc_time engines = sc__parts_next_wake(&thread->parts);
    if (thread->is_part_missing) engines = now;
    if (engines < thread->rest_until) engines = thread->rest_until;
    const sc_time proposals = sc__proposals_next_wake(thread->proposals);
    return proposals < engines ? proposals : engines;
}

sc_time sc__engine_thread_round(sc__engine_thread *thread, sc_time now)
{
    thread->now = now;
    thread->is_paused = false;
    look_up(thread, now);
    if (thread->msgs) obey_all(thread, now);
    sc__proposals_pass_time(thread->proposals, now);
    settle_proposals(thread);
    if (now >= thread->rest_until) {
        const sc_err err = sc__parts_run(&thread->parts, now);
        if (err) thread->rest_until = now + REST_US;
    }
    tell_what_was_found(thread, now);
    sc_port_flush(&thread->port);
    show(thread);
    return sc__engine_thread_next_wake(thread, now);
}

// --- Life and thread ------------------------------------------------------------------------

/** Messages; see above. */
static size_t room_of_ledger(const sc__engine_thread *thread)
{
    return 6 * thread->max_queries + 2 * (size_t)SC_ENGINE_POOL_BATCH;
}

static sc_err make_tools(sc__engine_thread *thread, const sc_engine_pool_options *options,
                         uint32_t number, sc_rng *rng)
{
    const size_t of_siblings = room_of_ledger(thread) + thread->thread_count;
    const size_t capacity = room_of_ledger(thread) + of_siblings + 1;
    sc_err err = SC_OK;
    if (!options->is_in_place) err = sc_handover_new(sizeof(sc_msg), capacity, &thread->msgs);
    if (!err) err = sc_rng_fork(rng, &thread->rng);
    if (!err && sc_partition_part_count(thread->partition) > 1)
        err = sc_partition_walker_new(thread->partition, &thread->walker);
    if (!err) {
        err = options->prune_threads > 0
                  ? sc_prune_pool_new(thread->map, options->prune_threads, rng, &thread->pool)
                  : sc_pruner_new(thread->map, &thread->pruner);
    }
    if (err) return err;
    const sc__proposals_options proposals = {
        .self = options->self,
        .engine_thread = number,
        .patience_us = options->patience_us,
        .port = options->port,
    };
    err = sc__proposals_new(&proposals, thread->rng, &thread->proposals);
    if (err) return err;
    return sc__parts_init(&thread->parts, thread->map, &options->engine,
                          sc_partition_part_count(thread->partition), number, thread->rng);
}

sc_err sc__engine_thread_new(const sc_map *map, const sc_engine_pool_options *options,
                             uint32_t number, sc_rng *rng, sc__engine_thread **out, sc_diag *diag)
{
    sc__engine_thread *thread = sc_calloc(1, sizeof *thread);
    if (!thread) return sc_fail_memory(diag, "making engine threads");
    pthread_mutex_init(&thread->lock, NULL);
    thread->map = map;
    thread->max_queries = options->max_queries;
    thread->thread_count = options->engine_threads;
    thread->partition = options->partition;
    thread->self = options->self;
    thread->port = options->port;
    thread->round_us = options->round_us;
    thread->rest_until = INT64_MIN;
    thread->variant = options->engine.variant;
    atomic_init(&thread->wanted, (int)thread->variant);
    const sc_err err = make_tools(thread, options, number, rng);
    if (err) {
        sc__engine_thread_free(thread);
        return sc_fail(diag, err, "engines: cannot start a thread: %s", sc_err_text(err));
    }
    *out = thread;
    return SC_OK;
}

void sc__engine_thread_free(sc__engine_thread *thread)
{
    if (!thread) return;
    sc__engine_thread_end(thread);
    sc_prune_pool_free(thread->pool);
    sc_pruner_free(thread->pruner);
    sc__proposals_free(thread->proposals);
    sc__parts_fini(&thread->parts);
    sc_partition_walker_free(thread->walker);
    sc_rng_free(thread->rng);
    // What siblings sent after the end.
    sc_msg msg;
    while (thread->msgs && sc_handover_take(thread->msgs, &msg, 1) == 1) {
        sc_msg_fini(&msg);
    }
    sc_handover_free(thread->msgs);
    pthread_mutex_destroy(&thread->lock);
    sc_free(thread);
}

// --- The thread -----------------------------------------------------------------------------

static void *work(void *argument)
{
    sc__engine_thread *thread = argument;
    char name[16];
    snprintf(name, sizeof name, "engine-%u", (unsigned)thread->parts.engine_thread);
    pthread_setname_np(pthread_self(), name);
    struct pollfd inputs[] = {
        {.fd = sc_handover_fd(thread->msgs), .events = POLLIN},
        {.fd = thread->pool ? sc_prune_pool_fd(thread->pool) : -1, .events = POLLIN},
    };
    sc_pace pace = {0};
    while (!atomic_load(&thread->is_ending)) {
        const sc_time wake = sc__engine_thread_round(thread, sc_clock_us());
        // The message that calls us to the end may just have been taken in that very round: nothing
        // else would wake us.
        if (atomic_load(&thread->is_ending)) break;
        sc_pace_sleep(sc_pace_next(&pace, thread->round_us, sc_clock_us()));
        // What cannot be sent anyway need not wake us.
        (void)poll(inputs, thread->is_paused ? 0 : 2, sc_clock_wait_ms(sc_clock_us(), wake));
    }
    return NULL;
}

sc_err sc__engine_thread_start(sc__engine_thread *thread)
{
    const sc_err err = sc_thread_start(&thread->thread, work, thread);
    thread->has_thread = !err;
    return err;
}

/** Let the thread look up from its work. One that works in place is woken by its owner. */
static void call(sc__engine_thread *thread)
{
    if (!thread->msgs || atomic_exchange(&thread->is_called, true)) return;
    // Without room for the message there are messages enough, and so a round.
    const sc_msg look = {.kind = SC_MSG_NONE};
    if (!sc_handover_put(thread->msgs, &look)) atomic_store(&thread->is_called, false);
}

void sc__engine_thread_end(sc__engine_thread *thread)
{
    if (thread->has_thread) {
        atomic_store(&thread->is_ending, true);
        call(thread);
        pthread_join(thread->thread, NULL);
        thread->has_thread = false;
    }
    if (!thread->parts.map) return;  // half made: not known elsewhere
    // Whether there is room for what is sent now is no longer waited for; cloaks that were answered
    // are counted, and freed.
    while (thread->msgs) {
        while (thread->batch_next < thread->batch_count) {
            obey(thread, &thread->batch[thread->batch_next++], thread->now);
        }
        thread->batch_count = sc_handover_take(thread->msgs, thread->batch, SC_ENGINE_POOL_BATCH);
        thread->batch_next = 0;
        if (thread->batch_count == 0) break;
    }
    show(thread);
}

// --- From other threads ---------------------------------------------------------------------

void sc__engine_thread_meet(sc__engine_thread *thread, const sc__siblings *siblings)
{
    thread->siblings = siblings;
}

bool sc__engine_thread_receive(sc__engine_thread *thread, sc_msg *msg)
{
    if (thread->msgs) return sc_handover_put(thread->msgs, msg);
    obey(thread, msg, thread->now);
    return true;
}

bool sc__engine_thread_hear(sc__engine_thread *thread, sc_msg *msg)
{
    if (thread->msgs && sc_handover_count(thread->msgs) >= room_of_ledger(thread)) return false;
    return sc__engine_thread_receive(thread, msg);
}

void sc__engine_thread_set_parts(sc__engine_thread *thread, const uint16_t *parts, size_t count)
{
    sc__parts_want(&thread->parts, parts, count);
    call(thread);
}

sc_err sc__engine_thread_switch(sc__engine_thread *thread, sc_variant variant)
{
    // What is wanted has always been something that the engines can be, but for how they were made.
    if (!sc_variant_is_switchable(variant) ||
        !sc_variant_is_switchable(sc__engine_thread_variant(thread))) {
        return SC_EINVAL;
    }
    atomic_store(&thread->wanted, (int)variant);
    call(thread);
    return SC_OK;
}

sc_variant sc__engine_thread_variant(const sc__engine_thread *thread)
{
    return (sc_variant)atomic_load(&thread->wanted);
}

bool sc__engine_thread_is_behind(sc__engine_thread *thread)
{
    return thread->msgs && sc_handover_count(thread->msgs) >= thread->max_queries;
}

void sc__engine_thread_add_stats(sc__engine_thread *thread, sc_engine_pool_stats *stats,
                                 sc_part_load *loads)
{
    sc__parts_add_stats(&thread->parts, &stats->engine, loads);
    pthread_mutex_lock(&thread->lock);
    stats->proposals += thread->stats.made;
    stats->proposals_under_way += thread->stats.under_way;
    stats->proposals_published += thread->stats.published;
    stats->proposals_refused += thread->stats.refused;
    stats->proposals_silent += thread->stats.silent;
    stats->proposals_unknown += thread->stats.unknown;
    stats->asked += thread->stats.asked;
    pthread_mutex_unlock(&thread->lock);
}
