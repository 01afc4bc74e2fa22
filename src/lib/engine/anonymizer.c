// An engine with all that it needs: key, limits, randomness, pruning, and the answer to every
// proposal. starcloak/anonymizer.h has the contract.
//
// Invariants:
//  1. Memory is reserved before anything is taken from the engine. So a call that fails has
//     either not taken a candidate or a drop, or has kept it as an outcome, or has refused the
//     candidate, which needs no memory: no query is lost.
//  2. A query that was admitted and could not be added is taken back from admission: else it could
//     not be given again.
//  3. outcomes[0 .. taken) have been taken; the cloak of the last of them is `lent`. The others
//     wait, in the order in which they came about.
//
// Admission, engine and pruning have generators of their own, forked from one root in this order.
// So do the runs of `starcloak cloak`, whose cloaks can therefore be repeated here.
#include <starcloak/anonymizer.h>
#include <starcloak/prune.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/rng.h"
#include "engine/admission.h"
#include "engine/engine_internal.h"

#include <string.h>

/**
 * The members of a refused cloak are searched for again this much later. At the same time the
 * same cloak would be found again at once, without end if it is broken for good.
 */
#define RETRY_US 1000

/** An sc_anonymizer_outcome that is not taken yet. */
typedef struct kept_outcome {
    sc_time t;
    sc_cloak *cloak;  ///< owned; NULL: a drop
    uint64_t dropped_tag;
    sc_drop_reason reason;
} kept_outcome;

struct sc_anonymizer {
    sc_limits limits;
    sc_profile profile;  ///< of queries that come without one
    sc_admission *admission;
    sc_engine *engine;
    sc_continuity *continuity;  ///< NULL: not asked for
    sc_rng *engine_rng;
    sc_pruner *pruner;
    sc_rng *prune_rng;
    sc_time now;       ///< of the last run; INT64_MIN before the first
    sc_time asked_at;  ///< time of the last query
    bool has_new;      ///< a query was added since the last run
    kept_outcome *outcomes;
    size_t outcome_count;
    size_t outcome_capacity;
    size_t taken;
    sc_cloak *lent;  ///< of the outcome taken last
};

// --- Life -------------------------------------------------------------------

sc_anonymizer_options sc_anonymizer_options_default(void)
{
    return (sc_anonymizer_options){
        .engine = sc_engine_options_default(),
        .limits = sc_limits_default(),
        .profile = {.k = 5, .l = 5, .max_hops = 8, .max_wait_us = sc_time_from_seconds(10)},
        .continuity = sc_continuity_options_default(),
    };
}

/** With the caller's key, or with one of the root's numbers. */
static sc_err make_admission(sc_anonymizer *anonymizer, const sc_map *map,
                             const sc_anonymizer_options *options, sc_rng *root, sc_diag *diag)
{
    // Forked even where a key is given, so that a key changes ids and no other choice.
    sc_rng *rng = NULL;
    sc_err err = sc_rng_fork(root, &rng);
    if (err) return err;
    uint64_t drawn[SC_KEY_SIZE / sizeof(uint64_t)];
    for (size_t i = 0; i < SC_KEY_SIZE / sizeof(uint64_t); i++) {
        drawn[i] = sc_rng_next(rng);
    }
    sc_rng_free(rng);
    const uint8_t *key = options->key ? options->key : (const uint8_t *)drawn;
    err = sc_admission_new(map, &options->limits, key, &anonymizer->admission, diag);
    explicit_bzero(drawn, sizeof drawn);
    return err;
}

static sc_err set_up(sc_anonymizer *anonymizer, const sc_map *map,
                     const sc_anonymizer_options *options, sc_diag *diag)
{
    sc_rng *root = NULL;
    sc_err err =
        options->is_seeded ? sc_rng_new_seeded(options->seed, &root) : sc_rng_new_secure(&root);
    if (err) return err;
    err = make_admission(anonymizer, map, options, root, diag);
    if (!err) err = sc_rng_fork(root, &anonymizer->engine_rng);
    if (!err) err = sc_rng_fork(root, &anonymizer->prune_rng);
    if (!err) {
        err =
            sc_engine_new(map, &options->engine, anonymizer->engine_rng, &anonymizer->engine, diag);
    }
    if (!err) err = sc_pruner_new(map, &anonymizer->pruner);
    if (!err && options->has_continuity) {
        err = sc_continuity_new(map, &options->continuity, &anonymizer->continuity, diag);
    }
    sc_rng_free(root);
    return err;
}

sc_err sc_anonymizer_new(const sc_map *map, const sc_anonymizer_options *options,
                         sc_anonymizer **out, sc_diag *diag)
{
    const sc_anonymizer_options defaults = sc_anonymizer_options_default();
    if (!options) options = &defaults;
    sc_err err = sc__limits_check(&options->limits, diag);
    if (!err) err = sc__profile_check(&options->limits, &options->profile, diag);
    if (err) return err;
    if (options->has_continuity && options->engine.variant != SC_VARIANT_PATIENT) {
        return sc_fail(diag, SC_EINVAL, "continuity is kept by the engine patient alone, not by %s",
                       sc_variant_name(options->engine.variant));
    }
    sc_anonymizer *anonymizer = sc_calloc(1, sizeof *anonymizer);
    if (!anonymizer) return sc_fail_memory(diag, "making an anonymizer");

    anonymizer->limits = options->limits;
    anonymizer->profile = options->profile;
    anonymizer->now = INT64_MIN;
    err = set_up(anonymizer, map, options, diag);
    if (err) {
        sc_anonymizer_free(anonymizer);
        if (err == SC_ENOMEM) return sc_fail_memory(diag, "making an anonymizer");
        if (err == SC_EIO)
            return sc_fail(diag, err, "the system's random generator is not available");
        return err;
    }
    *out = anonymizer;
    return SC_OK;
}

void sc_anonymizer_free(sc_anonymizer *anonymizer)
{
    if (!anonymizer) return;
    sc_cloak_free(anonymizer->lent);
    for (size_t i = anonymizer->taken; i < anonymizer->outcome_count; i++) {
        sc_cloak_free(anonymizer->outcomes[i].cloak);
    }
    sc_free(anonymizer->outcomes);
    sc_pruner_free(anonymizer->pruner);
    sc_engine_free(anonymizer->engine);
    sc_continuity_free(anonymizer->continuity);
    sc_admission_free(anonymizer->admission);
    sc_rng_free(anonymizer->engine_rng);
    sc_rng_free(anonymizer->prune_rng);
    sc_free(anonymizer);
}

// --- In ---------------------------------------------------------------------

static bool is_empty(const sc_profile *profile)
{
    return profile->k == 0 && profile->l == 0 && profile->max_hops == 0 &&
           profile->max_wait_us == 0;
}

/** Add a query that was admitted, with what its user can have reached. */
static sc_err add(sc_anonymizer *anonymizer, const sc_query *admitted, sc_time asked)
{
    if (!anonymizer->continuity) return sc_engine_add(anonymizer->engine, admitted);
    sc_own_demands own = {0};
    sc_query query = *admitted;
    query.own = &own;
    sc_continuity_erase(anonymizer->continuity, asked);
    sc_err err = sc_continuity_ask(anonymizer->continuity, &query, asked, &own);
    if (!err) {
        err = sc_engine_add(anonymizer->engine, &query);
        if (err) sc_continuity_end(anonymizer->continuity, &query.id);
    }
    explicit_bzero(&query, sizeof query);
    return err;
}

sc_err sc_anonymizer_ask(sc_anonymizer *anonymizer, const sc_ask *ask, uint64_t tag,
                         sc_anonymizer_ticket *ticket, sc_diag *diag)
{
    sc_ask filled = *ask;
    if (is_empty(&ask->profile)) filled.profile = anonymizer->profile;
    sc_err err = sc__profile_check(&anonymizer->limits, &filled.profile, diag);
    if (err) return err;
    if (filled.t < sc__saturating_sub(anonymizer->now, filled.profile.max_wait_us)) {
        return sc_fail(diag, SC_ELATE,
                       "the query's deadline is before the time of the last run; give the time at "
                       "which it was asked, and run with the time it is now");
    }
    if (sc__engine_reserve(anonymizer->engine)) return sc_fail_memory(diag, "admitting a query");

    sc_query query;
    sc_snap where;
    err = sc_admission_admit(anonymizer->admission, &filled, &query, &where, diag);
    if (!err) {
        query.owner = tag;
        err = add(anonymizer, &query, filled.t);
        if (err) sc__admission_take_back(anonymizer->admission, &query.id);  // 2.
        if (err == SC_ENOMEM) err = sc_fail_memory(diag, "admitting a query");
    }
    if (!err) {
        anonymizer->asked_at = filled.t;
        anonymizer->has_new = true;
        if (ticket) *ticket = (sc_anonymizer_ticket){query.id, query.deadline, where};
    }
    explicit_bzero(&filled, sizeof filled);
    explicit_bzero(&query, sizeof query);
    explicit_bzero(&where, sizeof where);
    return err;
}

sc_err sc_anonymizer_cancel(sc_anonymizer *anonymizer, const sc_query_id *id)
{
    if (anonymizer->continuity) sc_continuity_end(anonymizer->continuity, id);
    return sc_engine_remove(anonymizer->engine, id);
}

// --- The clock --------------------------------------------------------------

/** Make sure that one more outcome can be kept (1.). */
static sc_err reserve_outcome(sc_anonymizer *anonymizer)
{
    if (anonymizer->taken > 0) {
        anonymizer->outcome_count -= anonymizer->taken;
        memmove(anonymizer->outcomes, anonymizer->outcomes + anonymizer->taken,
                anonymizer->outcome_count * sizeof *anonymizer->outcomes);
        anonymizer->taken = 0;
    }
    const bool has_room = sc_grow(&anonymizer->outcomes, anonymizer->outcome_count,
                                  &anonymizer->outcome_capacity, sizeof *anonymizer->outcomes);
    return has_room ? SC_OK : SC_ENOMEM;
}

static sc_err take_drops(sc_anonymizer *anonymizer)
{
    for (;;) {
        const sc_err err = reserve_outcome(anonymizer);
        if (err) return err;
        sc_drop drop;
        if (!sc_engine_take_drop(anonymizer->engine, &drop)) return SC_OK;
        anonymizer->outcomes[anonymizer->outcome_count++] =
            (kept_outcome){.t = drop.t, .dropped_tag = drop.query.owner, .reason = drop.reason};
        if (anonymizer->continuity) sc_continuity_end(anonymizer->continuity, &drop.query.id);
        explicit_bzero(&drop, sizeof drop);
    }
}

/** Get the memory to keep a cloak as the last one of its members. */
static sc_err propose_places(sc_anonymizer *anonymizer, const sc_cloak *cloak)
{
    sc_err err = SC_OK;
    for (size_t i = 0; anonymizer->continuity && i < cloak->member_count && !err; i++) {
        err = sc_continuity_propose(anonymizer->continuity, &cloak->members[i].query.id,
                                    cloak->segments, cloak->segment_count);
    }
    return err;
}

static void accept_places(sc_anonymizer *anonymizer, const sc_cloak *cloak)
{
    for (size_t i = 0; anonymizer->continuity && i < cloak->member_count; i++) {
        sc_continuity_accept(anonymizer->continuity, &cloak->members[i].query.id);
    }
}

/** Prune a candidate and accept it; what cannot leave is refused, and its members go on. */
static sc_err settle(sc_anonymizer *anonymizer, sc_cloak *cloak)
{
    sc_err err = sc_pruner_prune(anonymizer->pruner, cloak, anonymizer->prune_rng);
    if (!err) err = propose_places(anonymizer, cloak);
    if (!err) err = sc_engine_accept(anonymizer->engine, cloak, anonymizer->now, NULL);
    if (!err) {
        accept_places(anonymizer, cloak);
        anonymizer->outcomes[anonymizer->outcome_count++] =
            (kept_outcome){.t = anonymizer->now, .cloak = cloak};
        return SC_OK;
    }
    const sc_err refusal = sc_engine_refuse(anonymizer->engine, cloak, NULL, 0);
    sc_cloak_free(cloak);
    if (err == SC_ENOMEM) return err;
    return refusal;
}

static sc_err take_candidates(sc_anonymizer *anonymizer)
{
    for (;;) {
        sc_err err = reserve_outcome(anonymizer);
        if (err) return err;
        sc_cloak *cloak = sc_engine_take_candidate(anonymizer->engine);
        if (!cloak) return SC_OK;
        err = settle(anonymizer, cloak);
        if (err) return err;
    }
}

static sc_err run_at(sc_anonymizer *anonymizer, sc_time now, sc_diag *diag)
{
    if (now < anonymizer->now) {
        return sc_fail(diag, SC_ETIME,
                       "the time is before that of the last run; give times that "
                       "do not decrease");
    }
    anonymizer->now = now;
    anonymizer->has_new = false;
    if (anonymizer->continuity) sc_continuity_erase(anonymizer->continuity, now);
    const sc_err run = sc_engine_run(anonymizer->engine, now);
    // Also after a run that failed: what it had found until then is waiting.
    sc_err err = take_drops(anonymizer);
    if (!err) err = take_candidates(anonymizer);
    if (run) err = run;
    return err == SC_ENOMEM ? sc_fail_memory(diag, "anonymizing") : err;
}

sc_time sc_anonymizer_next_wake(const sc_anonymizer *anonymizer)
{
    const sc_time wake = sc_engine_next_wake(anonymizer->engine);
    if (wake > anonymizer->now) return wake;
    if (anonymizer->has_new && anonymizer->asked_at > anonymizer->now) return anonymizer->asked_at;
    return sc__saturating_sub(anonymizer->now, -RETRY_US);
}

sc_err sc_anonymizer_run(sc_anonymizer *anonymizer, sc_time now, sc_diag *diag)
{
    if (now != SC_TIME_NEVER) return run_at(anonymizer, now, diag);
    sc_err err = SC_OK;
    for (sc_time wake; !err && (wake = sc_anonymizer_next_wake(anonymizer)) != SC_TIME_NEVER;) {
        err = run_at(anonymizer, wake, diag);
    }
    return err;
}

// --- Out --------------------------------------------------------------------

bool sc_anonymizer_take(sc_anonymizer *anonymizer, sc_anonymizer_outcome *out)
{
    sc_cloak_free(anonymizer->lent);
    anonymizer->lent = NULL;
    if (anonymizer->taken == anonymizer->outcome_count) return false;
    const kept_outcome *next = &anonymizer->outcomes[anonymizer->taken++];
    anonymizer->lent = next->cloak;
    *out = (sc_anonymizer_outcome){.t = next->t,
                                   .cloak = next->cloak,
                                   .dropped_tag = next->dropped_tag,
                                   .reason = next->reason};
    return true;
}

sc_engine_stats sc_anonymizer_get_stats(const sc_anonymizer *anonymizer)
{
    return sc_engine_get_stats(anonymizer->engine);
}

sc_continuity_stats sc_anonymizer_get_continuity_stats(const sc_anonymizer *anonymizer)
{
    if (!anonymizer->continuity) return (sc_continuity_stats){0};
    return sc_continuity_get_stats(anonymizer->continuity);
}
