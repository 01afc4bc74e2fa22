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
// these there is room for one message that wakes the thread. The system gives the memory for it
// page by page, when it is first used.
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
#include "base/rng.h"
#include "base/thread.h"
#include "worker/parts.h"
#include "worker/proposals.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

/** Fields are grouped by who may touch them. */
struct sc__room {
    size_t max_queries;
    size_t rooms;  ///< that speak with the same voice
    const sc_map *map;
    const sc_partition *cut;
    sc_peer self;
    sc_voice voice;
    sc_handover *words;  ///< NULL: in place, each word is carried out at once
    atomic_bool is_ending;
    atomic_int wanted;      ///< the sc_variant that the engines are to have
    atomic_bool is_called;  ///< a word to look up is among the words: another need not follow
    pthread_t thread;       ///< of whoever starts and ends it, as the next
    bool has_thread;

    // Of the thread, or of whoever calls sc__room_round() instead.
    sc_rng *rng;
    sc__parts parts;              ///< but for what others may see of it
    bool is_part_missing;         ///< there was no memory for one
    sc_variant variant;           ///< that the engines have
    sc_partition_walker *walker;  ///< NULL if there is one part only
    sc_pruner *pruner;            ///< NULL if there is a pool
    sc_prune_pool *pool;          ///< or NULL
    sc__bids *bids;
    sc_time now;         ///< of the last round
    bool is_muffled;     ///< something could not be said in this round
    sc_time rest_until;  ///< memory has run out
    size_t batch_next;   ///< words of the batch from here on are still to be carried out
    size_t batch_count;
    sc_word batch[SC_CREW_BATCH];

    pthread_mutex_t lock;
    sc__bids_stats stats;  ///< under `lock`
};

enum {
    REST_US = 10000,  ///< after memory has run out
    RETRY_US = 1000,  ///< while gateways have too much to hear already
};

// --- What is said --------------------------------------------------------------------------

static bool can_say(sc__room *room)
{
    if (sc_voice_space(&room->voice) >= room->rooms) return true;
    room->is_muffled = true;
    return false;
}

/** To the gateway of a query. */
static void say(const sc__room *room, sc_word_kind kind, const sc_query *query,
                sc_drop_reason reason)
{
    sc_word word = {.kind = kind, .from = room->self, .reason = reason, .query = *query};
    sc_say(&room->voice, query->owner, &word);
}

// --- Queries -------------------------------------------------------------------------------

/** All parts in reach, its home first; another part's engine matters only near a cut. */
static const uint16_t *reach(const sc__room *room, const sc_query *query, uint16_t *home,
                             size_t *count)
{
    if (room->walker && sc_partition_is_near(room->cut, query->segment, query->max_hops)) {
        return sc_partition_reach(room->walker, query->segment, query->max_hops, count);
    }
    *home = (uint16_t)sc_partition_home(room->cut, query->segment);
    *count = 1;
    return home;
}

/** As company, to all parts in its reach but its home. One that finds no memory is passed over. */
static void add_company(sc__room *room, const sc_query *query)
{
    uint16_t home;
    size_t count;
    const uint16_t *parts = reach(room, query, &home, &count);
    for (size_t i = 1; i < count; i++) {
        sc__part *part = room->parts.open[parts[i]];
        if (!part) continue;
        if (sc_engine_add_company(part->engine, query) == SC_OK) sc__part_touch(part);
    }
}

static void add(sc__room *room, const sc_query *query)
{
    const uint32_t home = sc_partition_home(room->cut, query->segment);
    sc__part *part = room->parts.open[home];
    // One that is meant to be open, and is not, waits for memory.
    sc_err err = room->parts.is_meant[home] ? SC_ENOMEM : SC_OK;
    if (part) {
        err = sc_engine_add(part->engine, query);
        sc__part_touch(part);
    }
    if (err == SC_ELATE) {
        say(room, SC_WORD_DROPPED, query, SC_DROP_EXPIRED);
    } else if (err && err != SC_EDUPLICATE) {
        say(room, SC_WORD_NOT_TAKEN, query, (sc_drop_reason)0);
    } else {
        add_company(room, query);
    }
}

static void remove_query(sc__room *room, const sc_query *query)
{
    uint16_t home;
    size_t count;
    const uint16_t *parts = reach(room, query, &home, &count);
    for (size_t i = 0; i < count; i++) {
        sc__part *part = room->parts.open[parts[i]];
        // An engine may have dropped it already: the words crossed.
        if (part && sc_engine_remove(part->engine, &query->id) == SC_OK) sc__part_touch(part);
    }
}

// --- Bids ----------------------------------------------------------------------------------

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
static void settle_bids(sc__room *room)
{
    sc__bid_end end;
    while (sc__bids_take_done(room->bids, &end)) {
        sc__part *part = sc__parts_of(&room->parts, end.cloak);
        if (end.is_published) {
            accept_cloak(part, end.cloak, end.left);
        } else {
            refuse(part, end.cloak, end.gone, end.gone_count);
        }
    }
}

/** A cloak that was, or could not be, pruned. */
static void propose(sc__room *room, sc_cloak *cloak, sc_time now)
{
    sc__part *part = sc__parts_of(&room->parts, cloak);
    bool has_memory = cloak->is_pruned;
    if (has_memory && part->is_open && !sc__allowance_is_spent(&part->allowance)) {
        has_memory = sc__bids_add(room->bids, cloak, part->number, &part->allowance, now);
        if (has_memory) return;
    }
    if (!has_memory) room->rest_until = now + REST_US;
    refuse(part, cloak, NULL, 0);
}

// --- Words ---------------------------------------------------------------------------------

static void take_over_parts(sc__room *room, sc_time now)
{
    if (!sc__parts_look(&room->parts) && !(room->is_part_missing && now >= room->rest_until)) {
        return;
    }
    room->is_part_missing = false;
    for (uint32_t i = 0; i < room->parts.count; i++) {
        sc__part *part = room->parts.open[i];
        if (part && !room->parts.is_meant[i]) {
            sc__parts_close(&room->parts, part);
            sc__bids_abort_part(room->bids, i);
            settle_bids(room);
        }
        if (part || !room->parts.is_meant[i]) continue;
        if (sc__parts_open(&room->parts, i, NULL)) {
            room->is_part_missing = true;
            room->rest_until = now + REST_US;
        }
    }
}

/** Let the engines have the variant that is wanted. If that fails, the next round tries again. */
static void take_over_variant(sc__room *room)
{
    const sc_variant wanted = (sc_variant)atomic_load(&room->wanted);
    if (wanted == room->variant) return;
    if (sc__parts_switch(&room->parts, wanted) == SC_OK) room->variant = wanted;
}

static void look_up(sc__room *room, sc_time now)
{
    take_over_parts(room, now);
    take_over_variant(room);
}

/** Carry out a message, which is wiped. It is not asked whether there is room for what is sent
 * then. */
static void obey(sc__room *room, sc_word *word, sc_time now)
{
    sc__bids_hear_from(room->bids, word->from);
    switch (word->kind) {
    case SC_WORD_ADD:
        add(room, &word->query);
        break;
    case SC_WORD_COMPANY:
        add_company(room, &word->query);
        break;
    case SC_WORD_REMOVE:
        remove_query(room, &word->query);
        break;
    case SC_WORD_NONE:
        // Before the look: who wants something after it calls again.
        atomic_store(&room->is_called, false);
        look_up(room, now);
        break;
    default:
        sc__bids_hear(room->bids, word, now);
        settle_bids(room);
        break;
    }
    sc_word_fini(word);
}

void sc__room_prefetch(const sc__room *room, const sc_query *query)
{
    const sc__part *part = room->parts.open[sc_partition_home(room->cut, query->segment)];
    if (part) sc_engine_prefetch(part->engine, query);
}

/** For a query that will be added a few words later. */
static void prefetch(const sc__room *room, size_t place)
{
    if (place >= room->batch_count || room->batch[place].kind != SC_WORD_ADD) return;
    sc__room_prefetch(room, &room->batch[place].query);
}

static void obey_all(sc__room *room, sc_time now)
{
    if (room->batch_next == room->batch_count) {
        room->batch_count = sc_handover_take(room->words, room->batch, SC_CREW_BATCH);
        room->batch_next = 0;
    }
    // Each may be answered by a word.
    while (room->batch_next < room->batch_count && can_say(room)) {
        prefetch(room, room->batch_next + SC_ENGINE_PREFETCH_AHEAD);
        obey(room, &room->batch[room->batch_next++], now);
    }
}

// --- What was found ------------------------------------------------------------------------

/** To the pool, or pruned here and now; back to the engine, if too many bids are undecided. */
static void take_candidates(sc__room *room, sc__part *part, sc_time now)
{
    sc_cloak *cloak;
    while ((room->pool || can_say(room)) && (cloak = sc_engine_take_candidate(part->engine))) {
        part->under_way++;
        if (sc__allowance_is_spent(&part->allowance)) {
            refuse(part, cloak, NULL, 0);
            continue;
        }
        if (room->pool) {
            sc_prune_pool_give(room->pool, cloak);
            continue;
        }
        const sc_err err = sc_pruner_prune(room->pruner, cloak, room->rng);
        (void)err;  // it is not pruned then
        propose(room, cloak, now);
    }
}

static void tell_drops(sc__room *room, const sc__part *part)
{
    sc_drop drop;
    while (can_say(room) && sc_engine_take_drop(part->engine, &drop)) {
        say(room, SC_WORD_DROPPED, &drop.query, drop.reason);
        explicit_bzero(&drop, sizeof drop);
    }
}

static void tell_what_was_found(sc__room *room, sc_time now)
{
    for (sc__part *part = room->parts.first; part; part = part->next) {
        if (!part->is_open || !part->has_found) continue;
        take_candidates(room, part, now);
        tell_drops(room, part);
        part->has_found = room->is_muffled;
    }
    sc_cloak *cloak;
    while (room->pool && can_say(room) && (cloak = sc_prune_pool_take(room->pool, false))) {
        propose(room, cloak, now);
    }
}

/** Let others see what was done. */
static void show(sc__room *room)
{
    sc__parts_show(&room->parts);
    const sc__bids_stats stats = sc__bids_stats_of(room->bids);
    pthread_mutex_lock(&room->lock);
    room->stats = stats;
    pthread_mutex_unlock(&room->lock);
}

static sc_time next_wake(sc__room *room, sc_time now)
{
    if (room->is_muffled) return now + RETRY_US;
    if (room->words && sc_handover_count(room->words) > 0) return now;
    sc_time engines = sc__parts_next_wake(&room->parts);
    if (room->is_part_missing) engines = now;
    if (engines < room->rest_until) engines = room->rest_until;
    const sc_time bids = sc__bids_next_wake(room->bids);
    return bids < engines ? bids : engines;
}

sc_time sc__room_round(sc__room *room, sc_time now)
{
    room->now = now;
    room->is_muffled = false;
    look_up(room, now);
    if (room->words) obey_all(room, now);
    sc__bids_pass_time(room->bids, now);
    settle_bids(room);
    if (now >= room->rest_until) {
        const sc_err err = sc__parts_run(&room->parts, now);
        if (err) room->rest_until = now + REST_US;
    }
    tell_what_was_found(room, now);
    show(room);
    return next_wake(room, now);
}

// --- Life and thread
// ----------------------------------------------------------------------------------

static sc_err make_tools(sc__room *room, const sc_crew_options *options, uint32_t number,
                         sc_rng *rng)
{
    const size_t capacity = 6 * room->max_queries + 2 * (size_t)SC_CREW_BATCH + 1;
    sc_err err = SC_OK;
    if (!options->is_in_place) err = sc_handover_new(sizeof(sc_word), capacity, &room->words);
    if (!err) err = sc_rng_fork(rng, &room->rng);
    if (!err && sc_partition_part_count(room->cut) > 1)
        err = sc_partition_walker_new(room->cut, &room->walker);
    if (!err) {
        err = options->prune_threads > 0
                  ? sc_prune_pool_new(room->map, options->prune_threads, rng, &room->pool)
                  : sc_pruner_new(room->map, &room->pruner);
    }
    if (err) return err;
    const sc__bids_options bids = {
        .self = options->self,
        .room = number,
        .patience_us = options->patience_us,
        .voice = options->voice,
    };
    err = sc__bids_new(&bids, room->rng, &room->bids);
    if (err) return err;
    return sc__parts_init(&room->parts, room->map, &options->engine,
                          sc_partition_part_count(room->cut), number, room->rng);
}

sc_err sc__room_new(const sc_map *map, const sc_crew_options *options, uint32_t number, sc_rng *rng,
                    sc__room **out, sc_diag *diag)
{
    sc__room *room = sc_calloc(1, sizeof *room);
    if (!room) return sc_fail_memory(diag, "making room for engines");
    pthread_mutex_init(&room->lock, NULL);
    room->map = map;
    room->max_queries = options->max_queries;
    room->rooms = options->rooms;
    room->cut = options->cut;
    room->self = options->self;
    room->voice = options->voice;
    room->rest_until = INT64_MIN;
    room->variant = options->engine.variant;
    atomic_init(&room->wanted, (int)room->variant);
    const sc_err err = make_tools(room, options, number, rng);
    if (err) {
        sc__room_free(room);
        return sc_fail(diag, err, "making room for engines: %s", sc_err_text(err));
    }
    *out = room;
    return SC_OK;
}

void sc__room_free(sc__room *room)
{
    if (!room) return;
    sc__room_end(room);
    sc_prune_pool_free(room->pool);
    sc_pruner_free(room->pruner);
    sc__bids_free(room->bids);
    sc__parts_fini(&room->parts);
    sc_partition_walker_free(room->walker);
    sc_rng_free(room->rng);
    sc_handover_free(room->words);
    pthread_mutex_destroy(&room->lock);
    sc_free(room);
}

// --- The thread ----------------------------------------------------------------------------

static void *work(void *argument)
{
    sc__room *room = argument;
    char name[16];
    snprintf(name, sizeof name, "engine-%u", (unsigned)room->parts.room);
    pthread_setname_np(pthread_self(), name);
    struct pollfd bells[] = {
        {.fd = sc_handover_fd(room->words), .events = POLLIN},
        {.fd = room->pool ? sc_prune_pool_fd(room->pool) : -1, .events = POLLIN},
    };
    while (!atomic_load(&room->is_ending)) {
        const sc_time wake = sc__room_round(room, sc_clock_us());
        // The word that calls us to the end may just have been taken in that very round: nothing
        // else would wake us.
        if (atomic_load(&room->is_ending)) break;
        // What cannot be said anyway need not wake us.
        (void)poll(bells, room->is_muffled ? 0 : 2, sc_clock_wait_ms(sc_clock_us(), wake));
    }
    return NULL;
}

sc_err sc__room_start(sc__room *room)
{
    const sc_err err = sc_thread_start(&room->thread, work, room);
    room->has_thread = !err;
    return err;
}

/** Let the thread look up from its work. One that works in place is woken by its owner. */
static void call(sc__room *room)
{
    if (!room->words || atomic_exchange(&room->is_called, true)) return;
    // Without room for the word there are words enough, and so a round.
    const sc_word look = {.kind = SC_WORD_NONE};
    if (!sc_handover_put(room->words, &look)) atomic_store(&room->is_called, false);
}

void sc__room_end(sc__room *room)
{
    if (room->has_thread) {
        atomic_store(&room->is_ending, true);
        call(room);
        pthread_join(room->thread, NULL);
        room->has_thread = false;
    }
    if (!room->parts.map) return;  // half made: nobody knows it
    // Whether there is room for what is said now is no longer waited for; cloaks that were answered
    // are counted, and freed.
    while (room->words) {
        while (room->batch_next < room->batch_count) {
            obey(room, &room->batch[room->batch_next++], room->now);
        }
        room->batch_count = sc_handover_take(room->words, room->batch, SC_CREW_BATCH);
        room->batch_next = 0;
        if (room->batch_count == 0) break;
    }
    show(room);
}

// --- From other threads --------------------------------------------------------------------

bool sc__room_hear(sc__room *room, sc_word *word)
{
    if (room->words) return sc_handover_put(room->words, word);
    obey(room, word, room->now);
    return true;
}

void sc__room_set_parts(sc__room *room, const uint16_t *parts, size_t count)
{
    sc__parts_want(&room->parts, parts, count);
    call(room);
}

sc_err sc__room_switch(sc__room *room, sc_variant variant)
{
    // What is wanted has always been something that the engines can be, but for how they were made.
    if (!sc_variant_is_switchable(variant) || !sc_variant_is_switchable(sc__room_variant(room))) {
        return SC_EINVAL;
    }
    atomic_store(&room->wanted, (int)variant);
    call(room);
    return SC_OK;
}

sc_variant sc__room_variant(const sc__room *room)
{
    return (sc_variant)atomic_load(&room->wanted);
}

bool sc__room_is_behind(sc__room *room)
{
    return room->words && sc_handover_count(room->words) >= room->max_queries;
}

void sc__room_add_stats(sc__room *room, sc_crew_stats *stats, sc_part_load *loads)
{
    sc__parts_add_stats(&room->parts, &stats->engine, loads);
    pthread_mutex_lock(&room->lock);
    stats->bids += room->stats.made;
    stats->bids_under_way += room->stats.under_way;
    stats->bids_published += room->stats.published;
    stats->bids_refused += room->stats.refused;
    stats->bids_silent += room->stats.silent;
    stats->bids_unknown += room->stats.unknown;
    stats->asked += room->stats.asked;
    pthread_mutex_unlock(&room->lock);
}
