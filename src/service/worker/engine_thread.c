// An engine room. See room.h.
//
// The words of a ledger in the same process must find room, since it does not say them twice. That
// there is room follows from this: it asks whether we are behind, that is whether max_queries words
// wait, before each batch of queries that it adds. After the last one, what can still come is, in
// the worst case all to the same room,
//   - for each query that is open then: one word that it is company, one that it is open again
//     after a bid, one to remove it: at most three times max_queries;
//   - one answer for each bid that has none. Each has a member that this room's engine answers for
//     and still has: a query that is open, or one whose removal is among the words that wait.
// Together with those that waited before that is six times max_queries and two batches. Beside
// these there is room for one word to look up. The memory for it is the system's to give, page by
// page, when it is first used.
#include "worker/engine_thread_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/rng.h"
#include "base/thread.h"

#include <poll.h>
#include <stdio.h>

// --- Life ----------------------------------------------------------------------------------

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
            sc__room_obey(room, &room->batch[room->batch_next++], room->now);
        }
        room->batch_count = sc_handover_take(room->words, room->batch, SC_CREW_BATCH);
        room->batch_next = 0;
        if (room->batch_count == 0) break;
    }
    sc__room_show(room);
}

// --- From other threads --------------------------------------------------------------------

bool sc__room_hear(sc__room *room, sc_word *word)
{
    if (room->words) return sc_handover_put(room->words, word);
    sc__room_obey(room, word, room->now);
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
