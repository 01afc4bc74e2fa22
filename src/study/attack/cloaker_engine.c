// The engine as something to be replayed.
//
// Making an engine takes time and memory for the whole map, a replay for a handful of roads. So a
// thread has one engine and one pruner for all its replays, and every replay leaves the engine as
// empty as it found it: what was cloaked is accepted, what was dropped is taken, and the rest is
// removed. Only the clock goes on.
//
// Time passes in a replay only as far as something happens in it. All queries come at its start;
// most methods search when a query comes, and never again. Hybrid searches once more when
// deadlines are near, and for that the clock is moved to where the engine wants to be woken.
#include "attack/cloaker_engine.h"

#include "attack/replay.h"
#include "base/alloc.h"
#include "base/diag.h"

#include <string.h>

#include <starcloak/prune.h>

/** Hybrid's alpha need not be longer: thirty years. So deadlines stay within an sc_time, while the
 * clock goes on by ten seconds at most in each replay. */
#define LONGEST_ALPHA_S 1e9

typedef struct opened_cloaker {
    sc_engine *engine;
    sc_pruner *pruner;
    sc_rng *rng;       ///< borrowed
    sc_time patience;  ///< from start to deadline
    sc_time now;       ///< the clock of the engine
    size_t *members;   ///< of one cloak: places among the queries
    size_t member_capacity;
} opened_cloaker;

// --- Life ------------------------------------------------------------------------

static void close_cloaker(void *opened)
{
    opened_cloaker *w = opened;
    if (!w) return;
    sc_engine_free(w->engine);
    sc_pruner_free(w->pruner);
    sc_free(w->members);
    sc_free(w);
}

static sc_err open_cloaker(void *context, const sc_map *map, sc_rng *rng, void **out, sc_diag *diag)
{
    const sc_engine_options *given = context;
    sc_engine_options options = *given;
    options.is_paranoid = false;  // replays are not published
    const sc_time longest = sc_time_from_seconds(LONGEST_ALPHA_S);
    if (options.consideration_us > longest) options.consideration_us = longest;

    opened_cloaker *w = sc_calloc(1, sizeof *w);
    if (!w) return sc_fail_memory(diag, "making an engine to replay with");
    w->rng = rng;
    // Some time is left before deadlines are near, however soon that is.
    w->patience = options.consideration_us + sc_time_from_seconds(SC__REPLAY_PATIENCE_S);
    sc_err err = sc_engine_new(map, &options, rng, &w->engine, diag);
    if (!err && sc_pruner_new(map, &w->pruner) != SC_OK) {
        err = sc_fail_memory(diag, "making an engine to replay with");
    }
    if (err) {
        close_cloaker(w);
        return err;
    }
    *out = w;
    return SC_OK;
}

// --- One replay ------------------------------------------------------------------

/** Within a replay a query's id is its place: nothing else is in the engine. */
static sc_query_id id_of(size_t place)
{
    sc_query_id id = {{0}};
    memcpy(id.bytes, &place, sizeof place);
    return id;
}

static size_t place_of(const sc_query_id *id)
{
    size_t place;
    memcpy(&place, id->bytes, sizeof place);
    return place;
}

/** All queries come, one after the other. */
static sc_err add_all(opened_cloaker *w, const sc_query *queries, size_t count)
{
    sc_err err = SC_OK;
    for (size_t i = 0; !err && i < count; i++) {
        sc_query query = queries[i];
        query.id = id_of(i);
        query.deadline = w->now + w->patience;
        err = sc_engine_add(w->engine, &query);
    }
    return err;
}

static sc_err publish(opened_cloaker *w, sc_cloak *cloak, sc_replayed *replayed)
{
    sc_err err = sc_pruner_prune(w->pruner, cloak, w->rng);
    if (!err) err = sc_engine_accept(w->engine, cloak, w->now, NULL);
    if (err) return err;
    for (size_t i = 0; i < cloak->member_count; i++) {
        w->members[i] = place_of(&cloak->members[i].query.id);
    }
    sc_replayed_add(replayed, cloak->segments, cloak->segment_count, w->members,
                    cloak->member_count);
    return SC_OK;
}

/** It is not to be: its members wait again. */
static void put_back(opened_cloaker *w, sc_cloak *cloak)
{
    const sc_err refused = sc_engine_refuse(w->engine, cloak, NULL, 0);
    (void)refused;  // which fails for proposals of other engines alone
}

/** Let the clock be `now`, and tell of the cloaks that come of it. */
static sc_err run(opened_cloaker *w, sc_time now, sc_replayed *replayed)
{
    w->now = now;
    sc_err err = sc_engine_run(w->engine, now);
    for (sc_cloak *cloak; !err && (cloak = sc_engine_take_candidate(w->engine));) {
        err = publish(w, cloak, replayed);
        if (err) put_back(w, cloak);
        sc_cloak_free(cloak);
    }
    return err;
}

/** Leave nothing of this replay to the next one. */
static void clear(opened_cloaker *w, size_t count)
{
    for (sc_cloak *cloak; (cloak = sc_engine_take_candidate(w->engine));) {
        put_back(w, cloak);
        sc_cloak_free(cloak);
    }
    for (size_t i = 0; i < count; i++) {
        const sc_query_id id = id_of(i);
        const sc_err removed = sc_engine_remove(w->engine, &id);
        (void)removed;  // queries that were cloaked or dropped are gone already
    }
    for (sc_drop drop; sc_engine_take_drop(w->engine, &drop);) {
    }
}

static sc_err replay(void *opened, const sc_query *queries, size_t count, sc_replayed *replayed)
{
    opened_cloaker *w = opened;
    if (!sc_reserve(&w->members, count, &w->member_capacity, sizeof *w->members)) return SC_ENOMEM;
    const sc_time deadline = w->now + w->patience;
    sc_err err = add_all(w, queries, count);
    if (!err) err = run(w, w->now, replayed);
    for (sc_time wake; !err && (wake = sc_engine_next_wake(w->engine)) <= deadline;) {
        err = run(w, wake, replayed);
    }
    clear(w, count);
    return err;
}

sc_cloaker sc__cloaker_engine(const sc_engine_options *options)
{
    return (sc_cloaker){
        .context = (void *)options,  // which open_cloaker() only reads
        .open = open_cloaker,
        .replay = replay,
        .close = close_cloaker,
    };
}
