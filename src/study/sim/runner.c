// A run, slice by slice; runner.h has the four parts of a slice.
#include "sim/runner.h"

#include <starcloak/engine.h>
#include <starcloak/prune.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/rng.h"
#include "sim/counts.h"
#include "sim/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// === Playing: an engine and pruning in virtual time =============================================
// While candidates are pruned virtual time stands still, in a pool too: every cloak is accepted at
// the very moment at which it was found. The engine and pruning have each a generator of their own,
// so that where candidates are pruned changes no other choice.

/** What became of queries at a moment: a cloak, or (NULL) a drop. */
typedef struct run_outcome {
    sc_time t;
    sc_cloak *cloak;
    sc_query_id dropped;
    sc_drop_reason reason;
} run_outcome;

/** Zero-initialise, then player_init(). */
typedef struct engine_player {
    sc_engine *engine;          ///< add queries by player_add(), then step
    sc_continuity *continuity;  ///< NULL: not asked for
    sc_rng *engine_rng;
    sc_rng *prune_rng;
    sc_pruner *pruner;      ///< inline, or
    sc_prune_pool *pool;    ///< in threads
    sc_time now;            ///< of the last step; INT64_MIN before the first
    run_outcome *outcomes;  ///< in the order of time
    size_t outcome_count;
    size_t outcome_capacity;
} engine_player;

/**
 * A refused cloak is looked for again this much later. At the same moment it would be
 * found again at once, and if it is broken for good, for ever.
 */
#define RETRY_US 1000

/** @param root  the generators are forked from it */
static sc_err player_init(engine_player *player, const sc_map *map, const sc_run_options *options,
                          sc_rng *root, sc_diag *diag)
{
    player->now = INT64_MIN;
    sc_err err = sc_rng_fork(root, &player->engine_rng);
    if (!err) err = sc_rng_fork(root, &player->prune_rng);
    if (!err) {
        err = sc_engine_new(map, &options->engine, player->engine_rng, &player->engine, diag);
    }
    if (!err && options->has_continuity) {
        err = sc_continuity_new(map, &options->continuity, &player->continuity, diag);
    }
    if (err) return err;
    if (options->prune_threads == 0) return sc_pruner_new(map, &player->pruner);
    return sc_prune_pool_new(map, options->prune_threads, player->prune_rng, &player->pool);
}

/** Free all outcomes. */
static void player_forget(engine_player *player)
{
    for (size_t i = 0; i < player->outcome_count; i++) {
        sc_cloak_free(player->outcomes[i].cloak);
    }
    player->outcome_count = 0;
}

/** Release all; harmless twice, and on a zeroed player. */
static void player_fini(engine_player *player)
{
    player_forget(player);
    sc_free(player->outcomes);
    sc_prune_pool_free(player->pool);
    sc_pruner_free(player->pruner);
    sc_engine_free(player->engine);
    sc_continuity_free(player->continuity);
    sc_rng_free(player->engine_rng);
    sc_rng_free(player->prune_rng);
    *player = (engine_player){0};
}

static sc_err keep_outcome(engine_player *player, const run_outcome *outcome)
{
    if (!sc_grow(&player->outcomes, player->outcome_count, &player->outcome_capacity,
                 sizeof *player->outcomes)) {
        sc_cloak_free(outcome->cloak);
        return SC_ENOMEM;
    }
    player->outcomes[player->outcome_count++] = *outcome;
    return SC_OK;
}

/** Add a query, with what its user can have reached since its last cloak. */
static sc_err player_add(engine_player *player, const sc_query *query, sc_time asked)
{
    if (!player->continuity) return sc_engine_add(player->engine, query);
    sc_own_demands own = {0};
    if (query->own) own = *query->own;
    sc_continuity_erase(player->continuity, asked);
    const sc_err err = sc_continuity_ask(player->continuity, query, asked, &own);
    if (err) return err;
    sc_query added = *query;
    added.own = &own;
    return sc_engine_add(player->engine, &added);
}

/** Accept a cloak, and keep it as the last one of its members' users. */
static sc_err accept(engine_player *player, const sc_cloak *cloak, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (size_t i = 0; player->continuity && i < cloak->member_count && !err; i++) {
        err = sc_continuity_propose(player->continuity, &cloak->members[i].query.id,
                                    cloak->segments, cloak->segment_count);
    }
    if (!err) err = sc_engine_accept(player->engine, cloak, player->now, diag);
    for (size_t i = 0; player->continuity && i < cloak->member_count && !err; i++) {
        sc_continuity_accept(player->continuity, &cloak->members[i].query.id);
    }
    return err;
}

/** Accept a cloak that has been pruned, or refuse it: then its members go on waiting. */
static sc_err settle(engine_player *player, sc_cloak *cloak, sc_diag *diag)
{
    if (!cloak->is_pruned) {  // as it comes from a pool that is out of memory
        sc_cloak_free(cloak);
        return SC_ENOMEM;
    }
    sc_err err = accept(player, cloak, diag);
    if (!err) return keep_outcome(player, &(run_outcome){.t = player->now, .cloak = cloak});
    // Memory may be out for checking it; that is no fault of the cloak.
    if (err != SC_ENOMEM) err = sc_engine_refuse(player->engine, cloak, NULL, 0);
    sc_cloak_free(cloak);
    return err;
}

static sc_err prune_inline(engine_player *player, sc_diag *diag)
{
    sc_err err = SC_OK;
    sc_cloak *cloak = NULL;
    while (!err && (cloak = sc_engine_take_candidate(player->engine))) {
        err = sc_pruner_prune(player->pruner, cloak, player->prune_rng);
        if (!err) {
            err = settle(player, cloak, diag);
        } else {
            sc_cloak_free(cloak);
        }
    }
    return err;
}

static sc_err prune_in_pool(engine_player *player, sc_diag *diag)
{
    sc_err err = SC_OK;
    sc_cloak *cloak = NULL;
    while ((cloak = sc_engine_take_candidate(player->engine))) {
        sc_prune_pool_give(player->pool, cloak);
    }
    while (!err && (cloak = sc_prune_pool_take(player->pool, true))) {
        err = settle(player, cloak, diag);
    }
    return err;
}

/** Set the clock to `now`, not earlier than before; the outcomes of the step are added. */
static sc_err player_step(engine_player *player, sc_time now, sc_diag *diag)
{
    sc_err err = sc_engine_run(player->engine, now);
    if (err) return err;
    player->now = now;
    sc_drop drop;
    while (!err && sc_engine_take_drop(player->engine, &drop)) {
        err = keep_outcome(
            player, &(run_outcome){.t = now, .dropped = drop.query.id, .reason = drop.reason});
        if (player->continuity) sc_continuity_end(player->continuity, &drop.query.id);
    }
    if (err) return err;
    return player->pool ? prune_in_pool(player, diag) : prune_inline(player, diag);
}

/** When the engine next has something to do by itself; always after `now`. */
static sc_time player_next_wake(const engine_player *player)
{
    const sc_time wake = sc_engine_next_wake(player->engine);
    return wake > player->now ? wake : player->now + RETRY_US;
}

/** A step for each of the engine's wakes before `until`. */
static sc_err player_wake_until(engine_player *player, sc_time until, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (sc_time wake; !err && (wake = player_next_wake(player)) < until;) {
        err = player_step(player, wake, diag);
    }
    return err;
}

// === A record as a listener of the run ==========================================================

static sc_err write_query(void *context, const sc_query *query, const sc_request_line *request_line,
                          const sc_snap *where)
{
    sc_record_query(context, query, &request_line->ask, where, &request_line->request);
    return SC_OK;
}

static sc_err write_cloak(void *context, const sc_cloak *cloak, sc_time t)
{
    sc_record_cloak(context, cloak, t);
    return SC_OK;
}

static sc_err write_drop(void *context, const sc_query_id *id, sc_time t, sc_drop_reason reason)
{
    sc_record_drop(context, id, t, sc_drop_reason_name(reason));
    return SC_OK;
}

/** Write down everything that happens; errors are collected by the record, which is borrowed. */
static sc_run_listener record_listener(sc_record *record)
{
    return (sc_run_listener){
        .context = record, .asked = write_query, .cloaked = write_cloak, .dropped = write_drop};
}

// === The run ====================================================================================

/** A question of the slice. */
typedef struct asked {
    const sc_request_line *request_line;
    sc_err refusal;  ///< SC_OK: admitted, and what follows is set
    sc_query query;
    sc_snap where;
} asked;

/** A traveller who got its outcome at `t` and may go on. */
typedef struct resumption {
    sc_time t;
    uint32_t traveller;
} resumption;

/** The record, and the caller's. */
enum { LISTENERS_MAX = 2 };

struct sc_runner {
    sc_travellers *travellers;  ///< borrowed; NULL for a stream
    sc_admission *admission;
    const sc_zone_table *zones;  ///< borrowed; NULL: none
    engine_player player;
    sc_record *record;  ///< NULL: none is wanted
    sc_run_listener listeners[LISTENERS_MAX];
    size_t listener_count;
    sc_run_counts counts;
    sc_run_report report;

    // Of the slice.
    asked *questions;
    sc_own_demands *own_demands;  ///< of the questions; NULL without zones
    size_t question_count;
    resumption *resumptions;
    size_t resumption_count;
    size_t resumption_capacity;
};

// --- Life --------------------------------------------------------------------

/** Draw the key of ids and pseudonyms, which in a seeded run are then repeatable too. */
static sc_err make_admission(sc_runner *runner, const sc_map *map, const sc_limits *limits,
                             sc_rng *root, sc_diag *diag)
{
    sc_rng *rng = NULL;
    sc_err err = sc_rng_fork(root, &rng);
    if (err) return err;
    uint64_t key[SC_KEY_SIZE / sizeof(uint64_t)];
    for (size_t i = 0; i < SC_KEY_SIZE / sizeof(uint64_t); i++) {
        key[i] = sc_rng_next(rng);
    }
    sc_rng_free(rng);
    err = sc_admission_new(map, limits, (const uint8_t *)key, &runner->admission, diag);
    explicit_bzero(key, sizeof key);
    return err;
}

static sc_err set_up(sc_runner *runner, const sc_map *map, const sc_run_options *options,
                     sc_diag *diag)
{
    // Nothing is drawn from the root but other generators: travellers start from the same seed,
    // and would otherwise share their numbers with the engine.
    sc_rng *root = NULL;
    sc_err err =
        options->is_secure ? sc_rng_new_secure(&root) : sc_rng_new_seeded(options->seed, &root);
    if (err) return err;
    err = make_admission(runner, map, &options->limits, root, diag);
    if (!err) err = player_init(&runner->player, map, options, root, diag);
    sc_rng_free(root);
    return err;
}

static sc_err add_listeners(sc_runner *runner, const sc_map *map, const sc_run_options *options,
                            sc_diag *diag)
{
    if (options->record) {
        const sc_err err = sc_record_open(map, options->record, &runner->record, diag);
        if (err) return err;
        sc_record_engine(runner->record, &options->engine);
        sc_record_demands(runner->record,
                          &(sc_recorded_demands){.demands = options->engine.demands,
                                                 .has_continuity = options->has_continuity,
                                                 .continuity = options->continuity,
                                                 .zones = options->zones});
        runner->listeners[runner->listener_count++] = record_listener(runner->record);
    }
    runner->listeners[runner->listener_count++] = options->listener;
    return SC_OK;
}

sc_err sc_runner_new(const sc_map *map, const sc_run_options *options, sc_travellers *travellers,
                     sc_runner **out, sc_diag *diag)
{
    sc_err err = SC_ENOMEM;
    sc_runner *runner = sc_calloc(1, sizeof *runner);
    if (!runner) goto fail;
    runner->travellers = travellers;
    runner->zones = options->zones;
    runner->questions = sc_malloc_array(SC_SLICE_MAX, sizeof *runner->questions);
    if (!runner->questions) goto fail;
    if (runner->zones) {
        runner->own_demands = sc_malloc_array(SC_SLICE_MAX, sizeof *runner->own_demands);
        if (!runner->own_demands) goto fail;
    }
    err = sc_run_counts_init(&runner->counts, options->window);
    if (err) goto fail;
    err = set_up(runner, map, options, diag);
    if (err) goto fail;
    err = add_listeners(runner, map, options, diag);
    if (err) goto fail;
    *out = runner;
    return SC_OK;
fail:
    sc_runner_free(runner);
    return err;
}

void sc_runner_free(sc_runner *runner)
{
    if (!runner) return;
    sc_record_abandon(runner->record);
    player_fini(&runner->player);
    sc_admission_free(runner->admission);
    sc_run_counts_fini(&runner->counts);
    sc_free(runner->questions);
    sc_free(runner->own_demands);
    sc_free(runner->resumptions);
    sc_free(runner);
}

sc_time sc_runner_next_wake(const sc_runner *runner)
{
    return player_next_wake(&runner->player);
}

// --- 1. Admit ----------------------------------------------------------------

static void keep_refusal(sc_run_report *report, const asked *question, const sc_diag *why)
{
    report->refused[question->refusal]++;
    if (report->shown_count == SC_REFUSALS_SHOWN) return;
    sc_refusal *shown = &report->shown[report->shown_count++];
    shown->line = question->request_line->line;
    shown->reason = question->refusal;
    snprintf(shown->text, sizeof shown->text, "%.*s", (int)sizeof shown->text - 1,
             why->message[0] != '\0' ? why->message : sc_err_text(question->refusal));
}

/** A query in a zone of its user asks for all of it. */
static void find_zone(const sc_runner *runner, size_t i)
{
    asked *question = &runner->questions[i];
    const sc_ask *ask = &question->request_line->ask;
    const sc_user_zone *zone =
        sc_zone_table_find(runner->zones, ask->user, ask->user_size, question->where.segment);
    if (!zone) return;
    runner->own_demands[i] = (sc_own_demands){.zone = zone->segments, .zone_count = zone->count};
    question->query.own = &runner->own_demands[i];
}

static sc_err admit(sc_runner *runner, const sc_request_line *questions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        asked *question = &runner->questions[i];
        sc_diag why;
        why.message[0] = '\0';
        question->request_line = &questions[i];
        question->refusal = sc_admission_admit(runner->admission, &questions[i].ask,
                                               &question->query, &question->where, &why);
        if (question->refusal == SC_ENOMEM) return SC_ENOMEM;
        if (question->refusal) keep_refusal(&runner->report, question, &why);
        if (!question->refusal && runner->zones) find_zone(runner, i);
    }
    runner->question_count = count;
    return SC_OK;
}

// --- 2. Play -----------------------------------------------------------------

static sc_err play(sc_runner *runner, sc_time until, sc_diag *diag)
{
    sc_err err = SC_OK;
    engine_player *player = &runner->player;
    const asked *question = runner->questions;
    const asked *end = question + runner->question_count;
    while (!err && question < end) {
        if (question->refusal) {
            question++;
            continue;
        }
        const sc_time t = question->request_line->ask.t;
        err = player_wake_until(player, t, diag);
        // All that is asked in one moment goes in before the engine runs once.
        for (; !err && question < end && !question->refusal && question->request_line->ask.t == t;
             question++) {
            if (end - question > SC_ENGINE_PREFETCH_AHEAD &&
                !question[SC_ENGINE_PREFETCH_AHEAD].refusal) {
                sc_engine_prefetch(player->engine, &question[SC_ENGINE_PREFETCH_AHEAD].query);
            }
            err = player_add(player, &question->query, t);
        }
        if (!err) err = player_step(player, t, diag);
    }
    return err ? err : player_wake_until(player, until, diag);
}

// --- 3. Report to listeners -----------------------------------------------------------------

static sc_err add_resumption(sc_runner *runner, uint32_t traveller, sc_time t)
{
    if (!runner->travellers) return SC_OK;
    if (!sc_grow(&runner->resumptions, runner->resumption_count, &runner->resumption_capacity,
                 sizeof *runner->resumptions)) {
        return SC_ENOMEM;
    }
    runner->resumptions[runner->resumption_count++] = (resumption){.t = t, .traveller = traveller};
    return SC_OK;
}

static int by_time_then_traveller(const void *a, const void *b)
{
    const resumption *left = a;
    const resumption *right = b;
    if (left->t != right->t) return left->t < right->t ? -1 : 1;
    return left->traveller < right->traveller ? -1 : left->traveller > right->traveller;
}

/**
 * Let these travellers go on, in an order that depends neither on that of a cloak's members, which
 * pruning shuffles, nor on that of cloaks in a pool: of two who ask at one moment it decides who is
 * first.
 */
static sc_err resume_travellers(sc_runner *runner)
{
    if (runner->resumption_count == 0) return SC_OK;
    sc_err err = SC_OK;
    qsort(runner->resumptions, runner->resumption_count, sizeof *runner->resumptions,
          by_time_then_traveller);
    for (size_t i = 0; i < runner->resumption_count && !err; i++) {
        const resumption next = runner->resumptions[i];
        err = sc_travellers_resume(runner->travellers, next.traveller, next.t);
    }
    runner->resumption_count = 0;
    return err;
}

static sc_err report_question(sc_runner *runner, const asked *question, uint32_t traveller)
{
    const sc_request_line *request_line = question->request_line;
    if (question->refusal) return add_resumption(runner, traveller, request_line->ask.t);
    sc_err err = SC_OK;
    for (size_t i = 0; i < runner->listener_count && !err; i++) {
        const sc_run_listener *to = &runner->listeners[i];
        if (to->asked)
            err = to->asked(to->context, &question->query, request_line, &question->where);
    }
    if (err) return err;
    return sc_run_counts_query(
        &runner->counts, &question->query.id,
        (sc_pending_query){.since = request_line->ask.t, .traveller = traveller});
}

static sc_err report_end(sc_runner *runner, const sc_query_id *id, const run_outcome *outcome,
                         sc_diag *diag)
{
    sc_pending_query wait;
    const sc_err err =
        sc_run_counts_end(&runner->counts, id, outcome->t, outcome->cloak != NULL, &wait);
    if (err == SC_EBROKEN) return sc_fail(diag, err, "a query ended that was not open");
    return err ? err : add_resumption(runner, wait.traveller, outcome->t);
}

static sc_err report_drop(sc_runner *runner, const run_outcome *outcome, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < runner->listener_count && !err; i++) {
        const sc_run_listener *to = &runner->listeners[i];
        if (!to->dropped) continue;
        err = to->dropped(to->context, &outcome->dropped, outcome->t, outcome->reason);
    }
    return err ? err : report_end(runner, &outcome->dropped, outcome, diag);
}

static sc_err report_cloak(sc_runner *runner, const run_outcome *outcome, sc_diag *diag)
{
    sc_err err = SC_OK;
    const sc_cloak *cloak = outcome->cloak;
    for (size_t i = 0; i < runner->listener_count && !err; i++) {
        const sc_run_listener *to = &runner->listeners[i];
        if (to->cloaked) err = to->cloaked(to->context, cloak, outcome->t);
    }
    if (!err) err = sc_run_counts_cloak(&runner->counts, cloak, outcome->t);
    for (size_t i = 0; i < cloak->member_count && !err; i++) {
        err = report_end(runner, &cloak->members[i].query.id, outcome, diag);
    }
    return err;
}

static sc_err report_outcome(sc_runner *runner, const run_outcome *outcome, sc_diag *diag)
{
    return outcome->cloak ? report_cloak(runner, outcome, diag)
                          : report_drop(runner, outcome, diag);
}

/** Questions and outcomes, merged by time. */
static sc_err report_all(sc_runner *runner, const uint32_t *who, sc_diag *diag)
{
    sc_err err = SC_OK;
    size_t told = 0;
    const run_outcome *outcomes = runner->player.outcomes;
    const size_t outcome_count = runner->player.outcome_count;
    for (size_t i = 0; !err && i < runner->question_count; i++) {
        const asked *question = &runner->questions[i];
        // What was refused has no place in the order of time.
        const sc_time t = question->refusal ? INT64_MIN : question->request_line->ask.t;
        while (!err && told < outcome_count && outcomes[told].t < t) {
            err = report_outcome(runner, &outcomes[told++], diag);
        }
        if (!err) err = report_question(runner, question, who ? who[i] : 0);
    }
    while (!err && told < outcome_count) {
        err = report_outcome(runner, &outcomes[told++], diag);
    }
    return err ? err : resume_travellers(runner);
}

// --- The whole ---------------------------------------------------------------

/** CPU time of all threads: a pool's work is work. */
static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

sc_err sc_runner_slice(sc_runner *runner, const sc_request_line *questions, const uint32_t *who,
                       size_t count, sc_time until, sc_diag *diag)
{
    const double start = cpu_s();
    sc_err err = admit(runner, questions, count);
    if (err) return err;
    const double admitted = cpu_s();
    err = play(runner, until, diag);
    if (err) return err;
    const double played = cpu_s();
    err = report_all(runner, who, diag);
    if (err) return err;
    const double told = cpu_s();
    player_forget(&runner->player);
    runner->report.admission_cpu_s += admitted - start;
    runner->report.engine_cpu_s += played - admitted + (cpu_s() - told);
    return SC_OK;
}

sc_err sc_runner_finish(sc_runner *runner, sc_run_report *report, sc_diag *diag)
{
    sc_err err = sc_runner_slice(runner, NULL, NULL, 0, SC_TIME_NEVER, diag);
    if (err) return err;
    if (runner->counts.open.count > 0) {
        return sc_fail(diag, SC_EBROKEN, "%zu queries have no outcome", runner->counts.open.count);
    }
    const sc_time now = runner->player.now;
    runner->report.end = now == INT64_MIN ? 0 : now;
    runner->report.engine = sc_engine_get_stats(runner->player.engine);
    if (runner->player.continuity) {
        runner->report.continuity = sc_continuity_get_stats(runner->player.continuity);
    }
    sc_run_counts_report(&runner->counts, &runner->report);
    if (runner->record) {
        sc_record *record = runner->record;
        runner->record = NULL;
        err = sc_record_close(record, runner->report.end, diag);
    }
    if (!err) *report = runner->report;
    return err;
}
