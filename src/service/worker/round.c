// What a room does in a round: words are carried out, engines run, and what they found is told. See
// room.h.
//
// A word is said only where the voice has room for it and for one of each other room beside it,
// which may have looked at the same moment. With several gateways words go over a network, where
// they may be lost anyway, so that one look does for all words of a bid.
//
// What is heard of a bid reaches the engine before the next word is carried out: a member that was
// told to be gone may be open again in the very next word, and must then be forgotten already.
#include "worker/engine_thread_internal.h"

#include "base/rng.h"

#include <string.h>

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

void sc__room_obey(sc__room *room, sc_word *word, sc_time now)
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
        sc__room_obey(room, &room->batch[room->batch_next++], now);
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

void sc__room_show(sc__room *room)
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
    sc__room_show(room);
    return next_wake(room, now);
}
