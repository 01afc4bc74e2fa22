// The engine's room. See room.h.
//
// The ledger's words must find room, since it cannot take them back. That there is room follows
// from this: it asks whether we are behind, that is whether max_queries commands wait, before each
// batch of queries that it adds. After the last one, what can still come is
//   - one removal for each query that is open then: at most max_queries;
//   - one answer for each cloak that has none. Each has a member of its own that the engine still
//     has: a query that is open, or one whose removal is among the commands that wait.
// Together with those that waited before that is four times max_queries and two batches.
#include "ledger/room.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/handover.h"
#include "base/rng.h"
#include "base/thread.h"

#include <starcloak/prune.h>

#include <poll.h>
#include <stdatomic.h>
#include <string.h>

enum {
    MESSAGES = 4096,  ///< that may wait to be heard
    REST_US = 10000,  ///< after memory has run out
    RETRY_US = 1000,  ///< while the ledger has too much to hear already
};

struct sc__room {
    size_t max_queries;
    sc_handover *commands;
    sc_handover *messages;
    atomic_bool is_ending;
    pthread_t thread;  ///< of whoever starts and ends it, as the next
    bool has_thread;

    // Of the thread, or of whoever calls sc__room_round() instead.
    sc_rng *rng;
    sc_engine *engine;
    sc_pruner *pruner;    ///< NULL if there is a pool
    sc_prune_pool *pool;  ///< or NULL
    size_t to_tell;       ///< messages for which there is room in this round
    sc_time rest_until;   ///< memory has run out
    sc__command batch[SC__ROOM_BATCH];

    pthread_mutex_t lock;
    sc_engine_stats stats;  ///< under `lock`
};

// --- Life ----------------------------------------------------------------------------------

static sc_err make_handovers(sc__room *room)
{
    const size_t capacity =
        4 * room->max_queries + 2 * (size_t)SC__ROOM_BATCH + 1;  // one to wake us
    sc_err err = sc_handover_new(sizeof(sc__command), capacity, &room->commands);
    if (!err) err = sc_handover_new(sizeof(sc__message), MESSAGES, &room->messages);
    return err;
}

static sc_err make_engine(sc__room *room, const sc_map *map, const sc__room_options *options,
                          sc_rng *rng, sc_diag *diag)
{
    sc_err err = sc_rng_fork(rng, &room->rng);
    if (err) return sc_fail(diag, err, "engine: %s", sc_err_text(err));
    err = sc_engine_new(map, &options->engine, room->rng, &room->engine, diag);
    if (err) return err;
    err = options->prune_threads > 0
              ? sc_prune_pool_new(map, options->prune_threads, rng, &room->pool)
              : sc_pruner_new(map, &room->pruner);
    if (err) return sc_fail(diag, err, "threads that prune: %s", sc_err_text(err));
    return SC_OK;
}

sc_err sc__room_new(const sc_map *map, const sc__room_options *options, sc_rng *rng, sc__room **out,
                    sc_diag *diag)
{
    sc__room *room = sc_calloc(1, sizeof *room);
    if (!room) return sc_fail_memory(diag, "making room for an engine");
    pthread_mutex_init(&room->lock, NULL);
    room->max_queries = options->max_queries;
    room->rest_until = INT64_MIN;
    sc_err err = make_handovers(room);
    if (err) {
        (void)sc_fail(diag, err, "making room for an engine: %s", sc_err_text(err));
    } else {
        err = make_engine(room, map, options, rng, diag);
    }
    if (err) {
        sc__room_free(room);
        return err;
    }
    *out = room;
    return SC_OK;
}

void sc__room_free(sc__room *room)
{
    if (!room) return;
    sc__room_end(room);
    sc__message message;
    while (room->messages && sc_handover_take(room->messages, &message, 1) == 1) {
        if (message.kind == SC__MESSAGE_PROPOSED) sc_cloak_free(message.cloak);
    }
    sc_prune_pool_free(room->pool);
    sc_pruner_free(room->pruner);
    sc_engine_free(room->engine);
    sc_rng_free(room->rng);
    sc_handover_free(room->commands);
    sc_handover_free(room->messages);
    pthread_mutex_destroy(&room->lock);
    sc_free(room);
}

// --- Commands ------------------------------------------------------------------------------

static void say(sc__room *room, const sc__message *message)
{
    if (sc_handover_put(room->messages, message)) room->to_tell--;
}

static void say_dropped(sc__room *room, const sc_query_id *id, sc_drop_reason reason)
{
    say(room, &(sc__message){.kind = SC__MESSAGE_DROPPED, .reason = reason, .id = *id});
}

static void add(sc__room *room, const sc_query *query)
{
    const sc_err err = sc_engine_add(room->engine, query);
    if (err == SC_ELATE) {
        say_dropped(room, &query->id, SC_DROP_EXPIRED);
    } else if (err) {
        say(room, &(sc__message){.kind = SC__MESSAGE_NOT_TAKEN, .id = query->id});
    }
}

/** A proposal is off; its members that were not removed go on. */
static void refuse(sc__room *room, sc_cloak *cloak)
{
    // It can only fail for a cloak that is not the engine's, of which it then knows nothing.
    const sc_err err = sc_engine_refuse(room->engine, cloak, NULL, 0);
    (void)err;
    sc_cloak_free(cloak);
}

static void remove_query(sc__room *room, const sc_query_id *id)
{
    const sc_err err = sc_engine_remove(room->engine, id);
    (void)err;  // the engine has dropped it already: the words crossed
}

static void accept_cloak(sc__room *room, sc_cloak *cloak, sc_time published)
{
    if (sc_engine_accept(room->engine, cloak, published, NULL) == SC_OK) {
        sc_cloak_free(cloak);
        return;
    }
    // The engine's clock is ahead, and for it a deadline has passed. Yet it has left in time.
    for (size_t i = 0; i < cloak->member_count; i++) {
        remove_query(room, &cloak->members[i].query.id);
    }
    refuse(room, cloak);
}

static void obey(sc__room *room, const sc__command *command)
{
    switch (command->kind) {
    case SC__COMMAND_ADD:
        add(room, &command->query);
        break;
    case SC__COMMAND_REMOVE:
        remove_query(room, &command->id);
        break;
    case SC__COMMAND_ACCEPT:
        accept_cloak(room, command->cloak, command->now);
        break;
    case SC__COMMAND_REFUSE:
        refuse(room, command->cloak);
        break;
    case SC__COMMAND_WAKE:
        break;
    }
}

static void obey_all(sc__room *room)
{
    // Each may be answered by a message.
    const size_t most = room->to_tell < SC__ROOM_BATCH ? room->to_tell : SC__ROOM_BATCH;
    const size_t count = sc_handover_take(room->commands, room->batch, most);
    for (size_t i = 0; i < count; i++) {
        const size_t ahead = i + SC_ENGINE_AHEAD;
        if (ahead < count && room->batch[ahead].kind == SC__COMMAND_ADD) {
            sc_engine_expect(room->engine, &room->batch[ahead].query);
        }
        obey(room, &room->batch[i]);
    }
    explicit_bzero(room->batch, count * sizeof *room->batch);
}

// --- What was found ------------------------------------------------------------------------

/** A cloak that was, or could not be, pruned. */
static void propose(sc__room *room, sc_cloak *cloak, sc_time now)
{
    if (cloak->is_pruned) {
        say(room, &(sc__message){.kind = SC__MESSAGE_PROPOSED, .cloak = cloak});
        return;
    }
    refuse(room, cloak);
    room->rest_until = now + REST_US;
}

static void tell_candidates(sc__room *room, sc_time now)
{
    sc_cloak *cloak;
    if (room->pool) {
        while ((cloak = sc_engine_take_candidate(room->engine))) {
            sc_prune_pool_give(room->pool, cloak);
        }
        while (room->to_tell > 0 && (cloak = sc_prune_pool_take(room->pool, false))) {
            propose(room, cloak, now);
        }
        return;
    }
    while (room->to_tell > 0 && (cloak = sc_engine_take_candidate(room->engine))) {
        const sc_err err = sc_prune(room->pruner, cloak, room->rng);
        (void)err;  // it is not pruned then
        propose(room, cloak, now);
    }
}

static void tell_drops(sc__room *room)
{
    sc_drop drop;
    while (room->to_tell > 0 && sc_engine_take_drop(room->engine, &drop)) {
        say_dropped(room, &drop.query.id, drop.reason);
    }
    explicit_bzero(&drop, sizeof drop);
}

static void keep_stats(sc__room *room)
{
    const sc_engine_stats stats = sc_engine_stats_of(room->engine);
    pthread_mutex_lock(&room->lock);
    room->stats = stats;
    pthread_mutex_unlock(&room->lock);
}

sc_time sc__room_round(sc__room *room, sc_time now)
{
    room->to_tell = MESSAGES - sc_handover_count(room->messages);
    obey_all(room);
    if (now >= room->rest_until) {
        const sc_err err = sc_engine_run(room->engine, now);
        if (err) room->rest_until = now + REST_US;
    }
    tell_candidates(room, now);
    tell_drops(room);
    keep_stats(room);
    if (room->to_tell == 0) return now + RETRY_US;
    const sc_time wake = sc_engine_next_wake(room->engine);
    return wake > room->rest_until ? wake : room->rest_until;
}

// --- The thread ----------------------------------------------------------------------------

static void *work(void *argument)
{
    sc__room *room = argument;
    struct pollfd bells[] = {
        {.fd = sc_handover_fd(room->commands), .events = POLLIN},
        {.fd = room->pool ? sc_prune_pool_fd(room->pool) : -1, .events = POLLIN},
    };
    while (!atomic_load(&room->is_ending)) {
        const sc_time wake = sc__room_round(room, sc_clock_us());
        // What cannot be told anyway need not wake us.
        const bool can_tell = room->to_tell > 0;
        (void)poll(bells, can_tell ? 2 : 0, sc_clock_wait_ms(sc_clock_us(), wake));
    }
    return NULL;
}

sc_err sc__room_start(sc__room *room)
{
    const sc_err err = sc_thread_start(&room->thread, work, room);
    room->has_thread = !err;
    return err;
}

void sc__room_end(sc__room *room)
{
    if (room->has_thread) {
        atomic_store(&room->is_ending, true);
        sc__room_tell(room, &(sc__command){.kind = SC__COMMAND_WAKE});
        pthread_join(room->thread, NULL);
        room->has_thread = false;
    }
    // Nobody hears any more; but cloaks that were answered are counted, and freed.
    if (!room->engine) return;
    while (sc_handover_take(room->commands, room->batch, 1) == 1) {
        obey(room, &room->batch[0]);
        explicit_bzero(room->batch, sizeof *room->batch);
    }
    keep_stats(room);
}

// --- The ledger's side ---------------------------------------------------------------------

void sc__room_tell(sc__room *room, const sc__command *command)
{
    const bool is_told = sc_handover_put(room->commands, command);
    (void)is_told;  // see above
}

bool sc__room_is_behind(sc__room *room)
{
    return sc_handover_count(room->commands) >= room->max_queries;
}

size_t sc__room_hear(sc__room *room, sc__message *messages, size_t capacity)
{
    return sc_handover_take(room->messages, messages, capacity);
}

int sc__room_fd(const sc__room *room)
{
    return sc_handover_fd(room->messages);
}

sc_engine_stats sc__room_stats(sc__room *room)
{
    pthread_mutex_lock(&room->lock);
    const sc_engine_stats stats = room->stats;
    pthread_mutex_unlock(&room->lock);
    return stats;
}
