// A run, slice by slice. See runner.h.
#include "sim/runner.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/rng.h"
#include "sim/counts.h"
#include "sim/player.h"
#include "sim/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/** A question of the slice. */
typedef struct asked {
    const sc_spoken *spoken;
    sc_err refusal;  ///< SC_OK: admitted, and what follows is set
    sc_query query;
    sc_snap where;
} asked;

/** A traveller who may go on. */
typedef struct turn {
    sc_time t;
    uint32_t traveller;
} turn;

/** The record, and the caller's. */
enum { LISTENERS_MAX = 2 };

struct sc_runner {
    sc_travellers *travellers;  ///< borrowed; NULL for a stream
    sc_admission *admission;
    sc_player player;
    sc_record *record;  ///< NULL: none is wanted
    sc_run_listener listeners[LISTENERS_MAX];
    size_t listener_count;
    sc_books books;
    sc_run_report report;

    // Of the slice.
    asked *questions;
    size_t question_count;
    turn *turns;
    size_t turn_count;
    size_t turn_capacity;
};

// --- Life --------------------------------------------------------------------

/** Draw the key of ids and pseudonyms, which in a seeded run are then repeatable too. */
static sc_err open_door(sc_runner *runner, const sc_map *map, const sc_limits *limits, sc_rng *root,
                        sc_diag *diag)
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
    err = open_door(runner, map, &options->limits, root, diag);
    if (!err) err = sc_player_init(&runner->player, map, options, root, diag);
    sc_rng_free(root);
    return err;
}

static sc_err let_listen(sc_runner *runner, const sc_map *map, const sc_run_options *options,
                         sc_diag *diag)
{
    if (options->record) {
        const sc_err err = sc_record_open(map, options->record, &runner->record, diag);
        if (err) return err;
        sc_record_engine(runner->record, &options->engine);
        runner->listeners[runner->listener_count++] = sc_recorder_of(runner->record);
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
    runner->questions = sc_malloc_array(SC_SLICE_MAX, sizeof *runner->questions);
    if (!runner->questions) goto fail;
    err = sc_books_init(&runner->books, options->window);
    if (err) goto fail;
    err = set_up(runner, map, options, diag);
    if (err) goto fail;
    err = let_listen(runner, map, options, diag);
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
    sc_player_fini(&runner->player);
    sc_admission_free(runner->admission);
    sc_books_fini(&runner->books);
    sc_free(runner->questions);
    sc_free(runner->turns);
    sc_free(runner);
}

sc_time sc_runner_next_wake(const sc_runner *runner)
{
    return sc_player_next_wake(&runner->player);
}

// --- 1. Admit ----------------------------------------------------------------

static void keep_refusal(sc_run_report *report, const asked *question, const sc_diag *why)
{
    report->refused[question->refusal]++;
    if (report->shown_count == SC_REFUSALS_SHOWN) return;
    sc_refusal *shown = &report->shown[report->shown_count++];
    shown->line = question->spoken->line;
    shown->reason = question->refusal;
    snprintf(shown->text, sizeof shown->text, "%.*s", (int)sizeof shown->text - 1,
             why->message[0] != '\0' ? why->message : sc_err_text(question->refusal));
}

static sc_err admit(sc_runner *runner, const sc_spoken *questions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        asked *question = &runner->questions[i];
        sc_diag why;
        why.message[0] = '\0';
        question->spoken = &questions[i];
        question->refusal = sc_admission_admit(runner->admission, &questions[i].ask,
                                               &question->query, &question->where, &why);
        if (question->refusal == SC_ENOMEM) return SC_ENOMEM;
        if (question->refusal) keep_refusal(&runner->report, question, &why);
    }
    runner->question_count = count;
    return SC_OK;
}

// --- 2. Play -----------------------------------------------------------------

static sc_err play(sc_runner *runner, sc_time until, sc_diag *diag)
{
    sc_err err = SC_OK;
    sc_player *player = &runner->player;
    const asked *question = runner->questions;
    const asked *end = question + runner->question_count;
    while (!err && question < end) {
        if (question->refusal) {
            question++;
            continue;
        }
        const sc_time t = question->spoken->ask.t;
        err = sc_player_wake_until(player, t, diag);
        // All that is asked in one moment goes in before the engine runs once.
        for (; !err && question < end && !question->refusal && question->spoken->ask.t == t;
             question++) {
            if (end - question > SC_ENGINE_PREFETCH_AHEAD &&
                !question[SC_ENGINE_PREFETCH_AHEAD].refusal) {
                sc_engine_prefetch(player->engine, &question[SC_ENGINE_PREFETCH_AHEAD].query);
            }
            err = sc_engine_add(player->engine, &question->query);
        }
        if (!err) err = sc_player_step(player, t, diag);
    }
    return err ? err : sc_player_wake_until(player, until, diag);
}

// --- 3. Tell -----------------------------------------------------------------

static sc_err keep_turn(sc_runner *runner, uint32_t traveller, sc_time t)
{
    if (!runner->travellers) return SC_OK;
    if (!sc_grow(&runner->turns, runner->turn_count, &runner->turn_capacity,
                 sizeof *runner->turns)) {
        return SC_ENOMEM;
    }
    runner->turns[runner->turn_count++] = (turn){.t = t, .traveller = traveller};
    return SC_OK;
}

static int by_time_then_traveller(const void *a, const void *b)
{
    const turn *left = a;
    const turn *right = b;
    if (left->t != right->t) return left->t < right->t ? -1 : 1;
    return left->traveller < right->traveller ? -1 : left->traveller > right->traveller;
}

/**
 * Let everybody go on, in an order that depends neither on that of a cloak's members, which pruning
 * shuffles, nor on that of cloaks in a pool: of two who ask at one moment it decides who is first.
 */
static sc_err take_turns(sc_runner *runner)
{
    if (runner->turn_count == 0) return SC_OK;
    sc_err err = SC_OK;
    qsort(runner->turns, runner->turn_count, sizeof *runner->turns, by_time_then_traveller);
    for (size_t i = 0; i < runner->turn_count && !err; i++) {
        const turn next = runner->turns[i];
        err = sc_travellers_resume(runner->travellers, next.traveller, next.t);
    }
    runner->turn_count = 0;
    return err;
}

static sc_err tell_question(sc_runner *runner, const asked *question, uint32_t traveller)
{
    const sc_spoken *spoken = question->spoken;
    if (question->refusal) return keep_turn(runner, traveller, spoken->ask.t);
    sc_err err = SC_OK;
    for (size_t i = 0; i < runner->listener_count && !err; i++) {
        const sc_run_listener *to = &runner->listeners[i];
        if (to->asked) err = to->asked(to->context, &question->query, spoken, &question->where);
    }
    if (err) return err;
    return sc_books_ask(&runner->books, &question->query.id,
                        (sc_wait){.since = spoken->ask.t, .traveller = traveller});
}

static sc_err tell_end(sc_runner *runner, const sc_query_id *id, const sc_outcome *outcome,
                       sc_diag *diag)
{
    sc_wait wait;
    const sc_err err = sc_books_end(&runner->books, id, outcome->t, outcome->cloak != NULL, &wait);
    if (err == SC_EBROKEN) return sc_fail(diag, err, "a query ended that was not open");
    return err ? err : keep_turn(runner, wait.traveller, outcome->t);
}

static sc_err tell_drop(sc_runner *runner, const sc_outcome *outcome, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < runner->listener_count && !err; i++) {
        const sc_run_listener *to = &runner->listeners[i];
        if (!to->dropped) continue;
        err = to->dropped(to->context, &outcome->dropped, outcome->t, outcome->reason);
    }
    return err ? err : tell_end(runner, &outcome->dropped, outcome, diag);
}

static sc_err tell_cloak(sc_runner *runner, const sc_outcome *outcome, sc_diag *diag)
{
    sc_err err = SC_OK;
    const sc_cloak *cloak = outcome->cloak;
    for (size_t i = 0; i < runner->listener_count && !err; i++) {
        const sc_run_listener *to = &runner->listeners[i];
        if (to->cloaked) err = to->cloaked(to->context, cloak, outcome->t);
    }
    if (!err) err = sc_books_cloak(&runner->books, cloak, outcome->t);
    for (size_t i = 0; i < cloak->member_count && !err; i++) {
        err = tell_end(runner, &cloak->members[i].query.id, outcome, diag);
    }
    return err;
}

static sc_err tell_outcome(sc_runner *runner, const sc_outcome *outcome, sc_diag *diag)
{
    return outcome->cloak ? tell_cloak(runner, outcome, diag) : tell_drop(runner, outcome, diag);
}

/** Questions and outcomes, merged by time. */
static sc_err tell(sc_runner *runner, const uint32_t *who, sc_diag *diag)
{
    sc_err err = SC_OK;
    size_t told = 0;
    const sc_outcome *outcomes = runner->player.outcomes;
    const size_t outcome_count = runner->player.outcome_count;
    for (size_t i = 0; !err && i < runner->question_count; i++) {
        const asked *question = &runner->questions[i];
        // What was refused has no place in the order of time.
        const sc_time t = question->refusal ? INT64_MIN : question->spoken->ask.t;
        while (!err && told < outcome_count && outcomes[told].t < t) {
            err = tell_outcome(runner, &outcomes[told++], diag);
        }
        if (!err) err = tell_question(runner, question, who ? who[i] : 0);
    }
    while (!err && told < outcome_count) {
        err = tell_outcome(runner, &outcomes[told++], diag);
    }
    return err ? err : take_turns(runner);
}

// --- The whole ---------------------------------------------------------------

/** CPU time of all threads: a pool's work is work. */
static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

sc_err sc_runner_slice(sc_runner *runner, const sc_spoken *questions, const uint32_t *who,
                       size_t count, sc_time until, sc_diag *diag)
{
    const double start = cpu_s();
    sc_err err = admit(runner, questions, count);
    if (err) return err;
    const double admitted = cpu_s();
    err = play(runner, until, diag);
    if (err) return err;
    const double played = cpu_s();
    err = tell(runner, who, diag);
    if (err) return err;
    const double told = cpu_s();
    sc_player_forget(&runner->player);
    runner->report.admission_cpu_s += admitted - start;
    runner->report.engine_cpu_s += played - admitted + (cpu_s() - told);
    return SC_OK;
}

sc_err sc_runner_finish(sc_runner *runner, sc_run_report *report, sc_diag *diag)
{
    sc_err err = sc_runner_slice(runner, NULL, NULL, 0, SC_TIME_NEVER, diag);
    if (err) return err;
    if (runner->books.open.count > 0) {
        return sc_fail(diag, SC_EBROKEN, "%zu queries have no outcome", runner->books.open.count);
    }
    const sc_time now = runner->player.now;
    runner->report.end = now == INT64_MIN ? 0 : now;
    runner->report.engine = sc_engine_get_stats(runner->player.engine);
    sc_books_report(&runner->books, &runner->report);
    if (runner->record) {
        sc_record *record = runner->record;
        runner->record = NULL;
        err = sc_record_close(record, runner->report.end, diag);
    }
    if (!err) *report = runner->report;
    return err;
}
