// A run of a method that takes no notice of other queries (literal.h).
//
// Questions are taken in batches that do not go beyond a second of virtual time, so that where all
// travellers are is looked up once for a batch. As in other runs (runner.h), CPU time is taken
// around the admission of a batch and around its cloaks; moving travellers and listeners is not in
// it.
#include "sim/literal.h"

#include <starcloak/prune.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/rng.h"
#include "sim/counts.h"
#include "sim/runner.h"

#include <string.h>
#include <time.h>
#include <xxhash.h>

/** How often travellers tell where they are. */
#define LOOK_US 1000000

/** What became of a question; its roads and border nodes are in `ids` of the run. */
typedef struct literal_outcome {
    sc_err refusal;  ///< SC_OK: it was admitted
    sc_query query;
    sc_snap where;
    size_t first_id;
    size_t segment_count;  ///< 0: dropped
    size_t border_node_count;
} literal_outcome;

typedef struct literal_run {
    const sc_literal_crowd *crowd;
    const sc_run_options *options;
    const sc_edge *edges;
    sc_admission *admission;
    sc_literal *literal;
    sc_pruner *pruner;
    sc_run_counts counts;
    sc_run_report report;

    // Where travellers were when they last told.
    sc_time told;            ///< when that was; -1: not yet
    uint32_t *on_segment;    ///< by segment: how many
    sc_seg_id *places;       ///< by traveller; SC_NONE: on no road
    sc_hash numbers;         ///< of travellers, by name
    sc_request_line *lines;  ///< room for a batch of travellers' questions
    uint32_t *who;

    // Of the batch.
    literal_outcome *outcomes;
    uint32_t *ids;
    size_t id_count;
    size_t id_capacity;
} literal_run;

// --- Life --------------------------------------------------------------------------

static sc_key name_key(const char *name, size_t size)
{
    const XXH128_hash_t hash = XXH3_128bits(name, size);
    return (sc_key){.high = hash.high64, .low = hash.low64};
}

static sc_err number_travellers(literal_run *run)
{
    const sc_movement *seen = run->crowd->seen;
    sc_err err = SC_OK;
    for (uint32_t who = 0; who < seen->count && !err; who++) {
        char room[32];
        uint32_t put = 0;
        const char *name = sc_movement_name(seen, who, room);
        err = sc_hash_put(&run->numbers, name_key(name, strlen(name)), who, &put);
    }
    return err;
}

/** Ids and pseudonyms follow from the seed. */
static sc_err make_admission(literal_run *run, const sc_map *map, sc_diag *diag)
{
    sc_rng rng;
    uint64_t key[SC_KEY_SIZE / sizeof(uint64_t)];
    sc_rng_seed(&rng, run->options->seed);
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        key[i] = sc_rng_next(&rng);
    }
    return sc_admission_new(map, &run->options->limits, (const uint8_t *)key, &run->admission,
                            diag);
}

static void run_fini(literal_run *run)
{
    sc_admission_free(run->admission);
    sc_literal_free(run->literal);
    sc_pruner_free(run->pruner);
    sc_run_counts_fini(&run->counts);
    sc_free(run->on_segment);
    sc_free(run->places);
    sc_hash_fini(&run->numbers);
    sc_free(run->lines);
    sc_free(run->who);
    sc_free(run->outcomes);
    sc_free(run->ids);
}

/** Whether it fails or not, run_fini() comes last. */
static sc_err run_init(literal_run *run, const sc_literal_crowd *crowd,
                       const sc_run_options *options, sc_diag *diag)
{
    const sc_map *map = crowd->seen->map;
    *run =
        (literal_run){.crowd = crowd, .options = options, .edges = sc_map_edges(map), .told = -1};
    if (options->record) {
        return sc_fail(diag, SC_EINVAL,
                       "the literal baselines leave no record: their cloaks keep no promise that "
                       "records are verified by");
    }
    run->on_segment = sc_calloc(sc_map_segment_count(map), sizeof *run->on_segment);
    run->places = sc_malloc_array(crowd->seen->count, sizeof *run->places);
    run->lines = sc_malloc_array(SC_SLICE_MAX, sizeof *run->lines);
    run->who = sc_malloc_array(SC_SLICE_MAX, sizeof *run->who);
    run->outcomes = sc_malloc_array(SC_SLICE_MAX, sizeof *run->outcomes);
    if (!run->on_segment || !run->places || !run->lines || !run->who || !run->outcomes) {
        return SC_ENOMEM;
    }
    memset(run->places, 0xff, crowd->seen->count * sizeof *run->places);  // SC_NONE
    sc_err err = number_travellers(run);
    if (!err) err = sc_literal_new(map, &run->literal);
    if (!err) err = sc_pruner_new(map, &run->pruner);
    if (!err) err = sc_run_counts_init(&run->counts, options->window);
    return err ? err : make_admission(run, map, diag);
}

// --- Where travellers are ------------------------------------------------------------

/** The beginning of the second in which `t` is. */
static sc_time second_of(sc_time t)
{
    return t < 0 ? 0 : t - t % LOOK_US;
}

/** Look where all travellers are at the beginning of the second of `t`. */
static sc_err look(literal_run *run, sc_time t)
{
    sc_movement *seen = run->crowd->seen;
    const sc_time now = second_of(t);
    if (now <= run->told) return SC_OK;
    for (uint32_t who = 0; who < seen->count; who++) {
        sc_place place;
        sc_time back = now;
        const sc_err err = sc_movement_at(seen, who, now, &place, &back);
        if (err) return err;
        const sc_seg_id segment = back == now ? run->edges[place.edge].segment : SC_NONE;
        if (run->places[who] != SC_NONE) run->on_segment[run->places[who]]--;
        if (segment != SC_NONE) run->on_segment[segment]++;
        run->places[who] = segment;
    }
    run->told = now;
    return SC_OK;
}

// --- A batch -------------------------------------------------------------------------

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static sc_err admit(literal_run *run, const sc_request_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        literal_outcome *outcome = &run->outcomes[i];
        *outcome = (literal_outcome){.refusal = SC_OK};
        outcome->refusal = sc_admission_admit(run->admission, &lines[i].ask, &outcome->query,
                                              &outcome->where, NULL);
        if (outcome->refusal == SC_ENOMEM) return SC_ENOMEM;
    }
    return SC_OK;
}

static sc_cloak cloak_of(const literal_run *run, const literal_outcome *outcome, sc_member *member)
{
    *member = (sc_member){.query = outcome->query, .star = SC_NONE};
    return (sc_cloak){
        .segments = run->ids + outcome->first_id,
        .segment_count = outcome->segment_count,
        .border_nodes = run->ids + outcome->first_id + outcome->segment_count,
        .border_node_count = outcome->border_node_count,
        .members = member,
        .member_count = 1,
        .deadline = outcome->query.deadline,
    };
}

/** Keep the roads of a cloak, and find its border nodes: either end of a road may be one. */
static sc_err keep(literal_run *run, const sc_literal_cloak *chosen, sc_rng *rng,
                   literal_outcome *outcome)
{
    const size_t room = 3 * chosen->segment_count;
    if (!sc_reserve(&run->ids, run->id_count + room, &run->id_capacity, sizeof *run->ids)) {
        return SC_ENOMEM;
    }
    outcome->first_id = run->id_count;
    outcome->segment_count = chosen->segment_count;
    memcpy(run->ids + run->id_count, chosen->segments,
           chosen->segment_count * sizeof *chosen->segments);
    sc_member member;
    sc_cloak cloak = cloak_of(run, outcome, &member);
    const sc_err err = sc_pruner_prune(run->pruner, &cloak, rng);
    if (err) return err;
    outcome->border_node_count = cloak.border_node_count;
    run->id_count += room;
    return SC_OK;
}

/** The asker is on its own road, wherever it was when it last told, and counts once. */
static sc_err choose(literal_run *run, const sc_ask *ask, literal_outcome *outcome)
{
    sc_rng rng;
    sc_literal_cloak chosen;
    // By who asks and when: whatever else is asked, the dice of this query are the same.
    sc_rng_seed(&rng, XXH3_64bits_withSeed(ask->user, ask->user_size,
                                           run->options->seed + (uint64_t)ask->t));
    const uint32_t who = sc_hash_get(&run->numbers, name_key(ask->user, ask->user_size), SC_NONE);
    const sc_seg_id last = who == SC_NONE ? SC_NONE : run->places[who];
    if (last != SC_NONE) run->on_segment[last]--;
    sc_err err = sc_literal_choose(run->literal, run->crowd->method, &outcome->query,
                                   run->on_segment, &rng, &chosen);
    if (last != SC_NONE) run->on_segment[last]++;
    if (!err && chosen.segment_count > 0) err = keep(run, &chosen, &rng, outcome);
    return err;
}

static sc_err choose_all(literal_run *run, const sc_request_line *lines, size_t count)
{
    sc_err err = SC_OK;
    run->id_count = 0;
    for (size_t i = 0; i < count && !err; i++) {
        if (!run->outcomes[i].refusal) err = choose(run, &lines[i].ask, &run->outcomes[i]);
    }
    return err;
}

/** A question and what became of it, to the listener and the counts. */
static sc_err report_one(literal_run *run, const sc_request_line *line,
                         const literal_outcome *outcome)
{
    const sc_run_listener *to = &run->options->listener;
    const sc_query *query = &outcome->query;
    const sc_time t = line->ask.t;
    const bool is_cloaked = outcome->segment_count > 0;
    sc_member member;
    sc_pending_query wait;
    const sc_cloak cloak = cloak_of(run, outcome, &member);
    sc_err err = to->asked ? to->asked(to->context, query, line, &outcome->where) : SC_OK;
    if (!err) {
        err = sc_run_counts_query(&run->counts, &query->id, (sc_pending_query){.since = t});
    }
    if (!err && is_cloaked && to->cloaked) err = to->cloaked(to->context, &cloak, t);
    if (!err && is_cloaked) err = sc_run_counts_cloak(&run->counts, &cloak, t);
    if (!err && !is_cloaked && to->dropped) {
        err = to->dropped(to->context, &query->id, t, SC_DROP_INFEASIBLE);
    }
    if (!err) err = sc_run_counts_end(&run->counts, &query->id, t, is_cloaked, &wait);
    if (err) return err;
    run->report.engine.added++;
    run->report.engine.accepted += is_cloaked;
    run->report.engine.dropped[SC_DROP_INFEASIBLE] += !is_cloaked;
    run->report.end = t;
    return SC_OK;
}

/** Questions of one second, in the order of time. */
static sc_err play(literal_run *run, const sc_request_line *lines, size_t count)
{
    if (count == 0) return SC_OK;
    sc_err err = look(run, lines[0].ask.t);
    if (err) return err;
    const double start = cpu_s();
    err = admit(run, lines, count);
    const double admitted = cpu_s();
    if (!err) err = choose_all(run, lines, count);
    const double played = cpu_s();
    for (size_t i = 0; i < count && !err; i++) {
        const literal_outcome *outcome = &run->outcomes[i];
        if (outcome->refusal) {
            run->report.refused[outcome->refusal]++;
        } else {
            err = report_one(run, &lines[i], outcome);
        }
    }
    run->report.admission_cpu_s += admitted - start;
    run->report.engine_cpu_s += played - admitted;
    return err;
}

static sc_err finish(literal_run *run, sc_err err, sc_run_report *report, sc_diag *diag)
{
    if (!err) {
        sc_run_counts_report(&run->counts, &run->report);
        *report = run->report;
    }
    run_fini(run);
    return err == SC_ENOMEM ? sc_fail_memory(diag, "cloaking") : err;
}

// --- Where questions come from ---------------------------------------------------------

sc_err sc_literal_run_lines(const sc_literal_crowd *crowd, const sc_request_line *lines,
                            size_t count, const sc_run_options *options, sc_run_report *report,
                            sc_diag *diag)
{
    literal_run run;
    sc_err err = run_init(&run, crowd, options, diag);
    for (size_t done = 0; !err && done < count;) {
        const sc_time second = second_of(lines[done].ask.t);
        size_t size = 1;
        while (size < SC_SLICE_MAX && done + size < count &&
               second_of(lines[done + size].ask.t) == second) {
            size++;
        }
        err = play(&run, lines + done, size);
        done += size;
    }
    return finish(&run, err, report, diag);
}

/** What is asked before `until`, as far as there is room. */
static size_t ask(literal_run *run, sc_travellers *travellers, sc_time until)
{
    size_t count = 0;
    while (count < SC_SLICE_MAX && sc_travellers_next(travellers) < until) {
        run->who[count] = sc_travellers_ask(travellers, &run->lines[count]);
        count++;
    }
    return count;
}

static sc_err drive(literal_run *run, sc_travellers *travellers, sc_time end)
{
    sc_err err = SC_OK;
    // No pause is shorter than a second, so none who asks in a batch asks in it again.
    for (sc_time next; !err && (next = sc_travellers_next(travellers)) < end;) {
        const sc_time second = second_of(next) + LOOK_US;
        const size_t count = ask(run, travellers, second < end ? second : end);
        err = play(run, run->lines, count);
        for (size_t i = 0; i < count && !err; i++) {
            err = sc_travellers_resume(travellers, run->who[i], run->lines[i].ask.t);
        }
    }
    return err;
}

sc_err sc_literal_run_travellers(const sc_literal_crowd *crowd, sc_movement *movement,
                                 const sc_workload *workload, double seconds,
                                 const sc_run_options *options, sc_run_report *report,
                                 sc_diag *diag)
{
    literal_run run;
    sc_travellers *travellers = NULL;
    sc_err err = run_init(&run, crowd, options, diag);
    if (!err) err = sc_travellers_new(movement, workload, options->seed, &travellers, diag);
    if (!err) err = drive(&run, travellers, sc_time_from_seconds(seconds));
    sc_travellers_free(travellers);
    return finish(&run, err, report, diag);
}
