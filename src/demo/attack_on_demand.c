// One attack from its request to its result.
//
// How long a replay takes differs a thousandfold, and so does how often one says anything. So there
// is a first look of a few replays, and what it tells decides how many follow: as many as were
// asked for; more, if few of them would bring back anything of the cloak; fewer, if they would take
// more than a second or two. Where even the first look takes that long, it has to do.
//
// Measured, in time of one core, with the city of 20,000 crossings and northwest Atlanta:
//
//                                            one replay      replays    the whole attack
//     5 to 10 members, 9 to 38 segments
//       basic, bounded, hybrid, xstar        3 to 20 us      4,096      0.01 to 0.09 s
//       expansion                            6 to 40 us      4,096      0.03 to 0.17 s
//     60 members, 200 to 530 segments
//       basic, xstar                         1.5 to 6 ms     250 to 960        1.6 s
//       hybrid, expansion                    10 to 50 ms     32 to 96          1.5 to 2.3 s
//     the same, and each of them within reach of a city of 200,000 crossings
//       expansion                            0.7 s           given up after 10 s
//
// Making an adversary takes 20 us, and 0.2 ms on a map ten times as large: nothing is gained by
// keeping one for the next attack.
#include "demo/attack_on_demand_internal.h"

#include "attack/cloaker_engine.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/rng.h"

#include <string.h>
#include <time.h>

#include <starcloak/cloak.h>
#include <starcloak/prune.h>

// --- The request as a value ----------------------------------------------------------------------

sc_attack_request *sc_attack_request_new(void)
{
    return sc_calloc(1, sizeof(sc_attack_request));
}

/** Positions, true or assumed, must not stay in memory. */
static void wipe_and_free(void *memory, size_t size)
{
    if (memory) explicit_bzero(memory, size);
    sc_free(memory);
}

void sc_attack_request_free(sc_attack_request *attack)
{
    if (!attack) return;
    wipe_and_free(attack->segments, attack->segment_count * sizeof *attack->segments);
    wipe_and_free(attack->places, attack->member_count * sizeof *attack->places);
    wipe_and_free(attack->members, attack->member_count * sizeof *attack->members);
    sc__posterior_wipe(&attack->posterior);
    wipe_and_free(attack, sizeof *attack);
}

void sc__posterior_wipe(sc_posterior *posterior)
{
    if (posterior->links) {
        explicit_bzero(posterior->links, posterior->link_count * sizeof *posterior->links);
    }
    sc_posterior_fini(posterior);
}

void sc_attack_give_up(sc_attack_request *attack)
{
    atomic_store_explicit(&attack->is_unwanted, true, memory_order_relaxed);
}

// --- Whether it makes sense ----------------------------------------------------------------------

static sc_err check_segments(const sc_map *map, const sc_seg_id *segments, size_t count,
                             sc_diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        if (segments[i] >= sc_map_segment_count(map)) {
            return sc_fail(diag, SC_EUNKNOWN, "attack: the map does not have one of the segments");
        }
    }
    return SC_OK;
}

static sc_err check_cloak(const sc_attack_request *attack, sc_diag *diag)
{
    if (attack->segment_count < 1 || attack->segment_count > SC_ATTACK_REQUEST_SEGMENTS_MAX) {
        return sc_fail(diag, SC_EINVAL, "attack: the number of segments must be 1 to %d, not %zu",
                       (int)SC_ATTACK_REQUEST_SEGMENTS_MAX, attack->segment_count);
    }
    for (size_t i = 1; i < attack->segment_count; i++) {
        if (attack->segments[i] <= attack->segments[i - 1]) {
            return sc_fail(diag, SC_EINVAL, "attack: the segments of the cloak do not ascend");
        }
    }
    return SC_OK;
}

static sc_err check_members(const sc_attack_request *attack, sc_diag *diag)
{
    if (!attack->members || attack->member_count < 1 ||
        attack->member_count > SC_ATTACK_REQUEST_MEMBERS_MAX) {
        return sc_fail(diag, SC_EINVAL,
                       "attack: the number of members or queries must be 1 to %d, not %zu",
                       (int)SC_ATTACK_REQUEST_MEMBERS_MAX, attack->member_count);
    }
    for (size_t i = 0; i < attack->member_count; i++) {
        if (attack->members[i].k < 1 || attack->members[i].l < 1) {
            return sc_fail(diag, SC_EINVAL, "attack: k and l must be at least 1");
        }
    }
    return SC_OK;
}

sc_err sc__attack_check(const sc_map *map, const sc_attack_request *attack, sc_diag *diag)
{
    if ((unsigned)attack->method >= SC_VARIANT_COUNT) {
        return sc_fail(diag, SC_EINVAL, "attack: unknown method: %d", (int)attack->method);
    }
    if (!attack->segments == !attack->places) {
        return sc_fail(diag, SC_EINVAL,
                       "attack: give either a cloak, or queries and their positions");
    }
    sc_err err = check_members(attack, diag);
    if (!err && attack->segments) err = check_cloak(attack, diag);
    if (err) return err;
    return attack->segments ? check_segments(map, attack->segments, attack->segment_count, diag)
                            : check_segments(map, attack->places, attack->member_count, diag);
}

// --- When to stop --------------------------------------------------------------------------------
//
// An attack has taken too long, its client is gone, or the demo stops. A replay cannot be
// interrupted, but between two of them there is a chance to look. So an adversary is given a
// cloaker that is the engine's in all but this: it refuses to go on when the attack is to stop, and
// the whole attack fails with that reason.

typedef struct stop_rule {
    int64_t until_us;  ///< by sc_clock_us()
    const atomic_bool *is_unwanted;
    const atomic_bool *is_stopping;
} stop_rule;

/** What a stoppable cloaker needs; borrowed by it and by all it opens. */
typedef struct stoppable {
    sc_cloaker cloaker;  ///< who does the work
    const stop_rule *stop;
} stoppable;

/** @return SC_OK, SC_EINTERRUPTED (not wanted any more), SC_ELATE (it takes too long) */
static sc_err check_stop(const stop_rule *stop)
{
    if (atomic_load_explicit(stop->is_unwanted, memory_order_relaxed) ||
        atomic_load_explicit(stop->is_stopping, memory_order_relaxed)) {
        return SC_EINTERRUPTED;
    }
    return sc_clock_us() < stop->until_us ? SC_OK : SC_ELATE;
}

typedef struct opened_cloaker {
    const stoppable *own;
    void *inner;  ///< what the cloaker behind opened
} opened_cloaker;

static sc_err open_cloaker(void *context, const sc_map *map, sc_rng *rng, void **out, sc_diag *diag)
{
    const stoppable *own = context;
    opened_cloaker *w = sc_calloc(1, sizeof *w);
    if (!w) return sc_fail_memory(diag, "making an adversary");
    w->own = own;
    const sc_cloaker *behind = &own->cloaker;
    const sc_err err = behind->open(behind->context, map, rng, &w->inner, diag);
    if (err) {
        sc_free(w);
        return err;
    }
    *out = w;
    return SC_OK;
}

static sc_err replay(void *opened, const sc_query *queries, size_t count, sc_replayed *replayed)
{
    opened_cloaker *w = opened;
    const sc_err err = check_stop(w->own->stop);
    return err ? err : w->own->cloaker.replay(w->inner, queries, count, replayed);
}

static void close_cloaker(void *opened)
{
    opened_cloaker *w = opened;
    w->own->cloaker.close(w->inner);
    sc_free(w);
}

/** One that asks check_stop() before each replay. */
static sc_cloaker stoppable_cloaker(const stoppable *own)
{
    return (sc_cloaker){
        .context = (void *)own,  // which is only read
        .open = open_cloaker,
        .replay = replay,
        .close = close_cloaker,
    };
}

// --- A cloak made by a method -------------------------------------------------------------------
//
// Each try has an engine of its own: making one costs far less than what follows, and nothing of
// one try is left to the next. It is run after every query, not once for all of them: it comes to
// the same, and there is a chance to look up in between.

/** What is to be tried. */
typedef struct making {
    const sc_map *map;
    const sc_engine_options *engine;  ///< the method with its parameters
    const sc_attack_request *attack;  ///< its queries
    sc_rng *rng;
    const stop_rule *stop;
} making;

/** Methods throw dice: where the first query finds no cloak, it is tried again, so many times. */
enum { TRIES = 8 };

/** Hybrid's alpha need not be longer: thirty years. So a deadline stays within an sc_time. */
#define LONGEST_ALPHA_S 1e9

/** From when they come to when they are near their deadlines; how long does not matter, since time
 * only goes on from one thing that happens to the next. */
#define UNTIL_NEAR_S 10.0

typedef struct attempt {
    sc_engine *engine;
    sc_pruner *pruner;
    sc_rng *rng;
    sc_time now;
    sc_cloak *found;
} attempt;

/** A query's id is its number. */
static sc_query_id id_of(uint64_t number)
{
    sc_query_id id = {{0}};
    memcpy(id.bytes, &number, sizeof number);
    return id;
}

static bool has_first(const sc_cloak *cloak)
{
    const sc_query_id first = id_of(0);
    for (size_t i = 0; i < cloak->member_count; i++) {
        if (memcmp(&cloak->members[i].query.id, &first, sizeof first) == 0) return true;
    }
    return false;
}

/** Let the clock be t->now; of the cloaks that leave, keep the one that is looked for. */
static sc_err run(attempt *t)
{
    sc_err err = sc_engine_run(t->engine, t->now);
    for (sc_cloak *cloak; !err && !t->found && (cloak = sc_engine_take_candidate(t->engine));) {
        err = sc_pruner_prune(t->pruner, cloak, t->rng);
        if (!err) err = sc_engine_accept(t->engine, cloak, t->now, NULL);
        if (!err && has_first(cloak)) {
            t->found = cloak;
        } else {
            sc_cloak_free(cloak);
        }
    }
    return err;
}

static sc_err add(attempt *t, const sc_attack_request *attack, size_t i, sc_time deadline)
{
    const sc_needs *needs = &attack->members[i];
    const sc_query query = {.id = id_of(i),
                            .user = i + 1,
                            .deadline = deadline,
                            .segment = attack->places[i],
                            .k = needs->k,
                            .l = needs->l,
                            .max_hops = needs->max_hops,
                            .result_size = needs->result_size};
    return sc_engine_add(t->engine, &query);
}

static sc_err play(attempt *t, const making *m, sc_time deadline)
{
    const sc_attack_request *attack = m->attack;
    sc_err err = SC_OK;
    for (size_t i = 0; !err && !t->found && i < attack->member_count; i++) {
        err = check_stop(m->stop);
        if (!err) err = add(t, attack, i, deadline);
        if (!err) err = run(t);
    }
    for (sc_time wake; !err && !t->found && (wake = sc_engine_next_wake(t->engine)) <= deadline;) {
        t->now = wake;
        err = check_stop(m->stop);
        if (!err) err = run(t);
    }
    return err;
}

/** One attempt: *out is the cloak, or NULL. */
static sc_err try_once(const making *m, sc_cloak **out, sc_diag *diag)
{
    sc_engine_options options = *m->engine;
    options.is_paranoid = false;  // these cloaks are never released
    const sc_time longest = sc_time_from_seconds(LONGEST_ALPHA_S);
    if (options.consideration_us > longest) options.consideration_us = longest;

    attempt t = {.rng = m->rng};
    sc_err err = sc_engine_new(m->map, &options, t.rng, &t.engine, diag);
    if (!err) err = sc_pruner_new(m->map, &t.pruner);
    if (!err) err = play(&t, m, options.consideration_us + sc_time_from_seconds(UNTIL_NEAR_S));
    sc_engine_free(t.engine);
    sc_pruner_free(t.pruner);
    if (err) {
        sc_cloak_free(t.found);
        return err;
    }
    *out = t.found;
    return SC_OK;
}

/**
 * Let the queries of an attack come one after the other, and then time go on to their deadlines,
 * which are all the same.
 *
 * @param out  the cloak that the first of them is in, the caller's; NULL if there is none
 * @return SC_OK, SC_ENOMEM, SC_EINTERRUPTED, SC_ELATE
 */
static sc_err make_cloak(const making *m, sc_cloak **out, sc_diag *diag)
{
    sc_cloak *cloak = NULL;
    sc_err err = SC_OK;
    for (int i = 0; !err && !cloak && i < TRIES; i++) {
        err = try_once(m, &cloak, diag);
    }
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "cloaking queries to be attacked");
    if (!err) *out = cloak;
    return err;
}

/** No more waiting after that, whatever has been found by then. It is for odd attacks alone, as of
 * 64 members who would go through the whole of a large map. */
#define LONGEST_US INT64_C(10000000)

/** What an attack may cost of a core, but for its first look. */
#define GOAL_US UINT64_C(1500000)

/** Replays of the first look: the fewest that an adversary does. */
enum { LOOK = SC_ATTACK_BATCHES };

/** Replays that say something: as many as the laboratory wants (attack.h). */
enum { FRUITFUL = 300 };

/** Where placements are few, all of them are looked at, each so many times at least: as many
 * batches as it takes for errors that mean something. */
enum { RUNS = 8 };

/** What is being done. */
typedef struct examination {
    const sc__attack_examiner *examiner;
    sc_engine_options engine;  ///< the method
    sc_sighting sighting;
    stop_rule stop;
    sc_diag *diag;
} examination;

// --- The attack ----------------------------------------------------------------------------------

static sc_err attack_with(const examination *x, uint64_t samples, sc_posterior *out)
{
    sc_adversary_options options = sc_adversary_options_default();
    options.engine = x->engine;
    options.density = x->examiner->options->density;
    options.max_placements = samples / RUNS;
    options.runs = RUNS;
    options.samples = samples;
    options.fruitful = 0;  // we see to it ourselves
    options.seed = sc_rng_next(x->examiner->rng);
    options.threads = 1;  // the others are for those who ask

    const stoppable own = {sc__cloaker_engine(&x->engine), &x->stop};
    const sc_cloaker cloaker = stoppable_cloaker(&own);
    sc_adversary *adversary = NULL;
    sc_err err = sc_adversary_new(x->examiner->map, &options, &cloaker, &adversary, x->diag);
    if (!err) err = sc_adversary_correlate(adversary, 0, &x->sighting, out, x->diag);
    sc_adversary_free(adversary);
    return err;
}

/** What this thread has used of a processor. The clock on the wall would also count the others'
 * work, which goes before ours. */
static uint64_t used_us(void)
{
    struct timespec used = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / 1000;
}

/** How many replays are to follow a first look. */
static uint64_t worth_running(uint64_t samples, const sc_posterior *look, uint64_t look_us)
{
    const uint64_t expected = samples * look->fruitful / look->replays;
    uint64_t wanted = samples * SC_ATTACK_MORE;
    if (expected * SC_ATTACK_MORE > FRUITFUL) wanted = samples * FRUITFUL / expected;
    if (wanted < samples) wanted = samples;
    const uint64_t affordable = look->replays * GOAL_US / (look_us > 0 ? look_us : 1);
    return wanted < affordable ? wanted : affordable;
}

static sc_err look_and_attack(const examination *x, sc_posterior *out)
{
    const uint64_t begun_us = used_us();
    sc_posterior look = {0};
    sc_err err = attack_with(x, LOOK, &look);
    if (err) return err;
    const uint64_t samples = x->examiner->options->samples;
    const uint64_t count = worth_running(samples, &look, used_us() - begun_us);
    sc_posterior better = {0};
    if (count > look.replays) err = attack_with(x, count, &better);
    const bool is_better = !err && better.links;
    *out = is_better ? better : look;
    if (is_better) sc__posterior_wipe(&look);
    if (!err || err == SC_ELATE) return SC_OK;  // then the first look is what there is
    sc__posterior_wipe(out);
    return err;
}

// --- A cloak to be attacked
// -----------------------------------------------------------------------

/** Take over what can be seen of a cloak. @param needs  the caller's to free */
static sc_err see(const sc_cloak *cloak, sc_attack_request *attack, sc_needs **needs, sc_diag *diag)
{
    if (cloak->segment_count > SC_ATTACK_REQUEST_SEGMENTS_MAX) {
        return sc_fail(diag, SC_ELIMIT,
                       "the cloak that the method found has more than %d segments; ask for fewer",
                       (int)SC_ATTACK_REQUEST_SEGMENTS_MAX);
    }
    sc_seg_id *segments = sc_malloc_array(cloak->segment_count, sizeof *segments);
    sc_needs *own = sc_malloc_array(cloak->member_count, sizeof *own);
    if (!segments || !own) {
        sc_free(segments);
        sc_free(own);
        return sc_fail_memory(diag, "checking a cloak");
    }
    for (size_t i = 0; i < cloak->segment_count; i++) {
        segments[i] = cloak->segments[i];
    }
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *query = &cloak->members[i].query;
        own[i] = (sc_needs){query->k, query->l, query->max_hops, query->result_size};
    }
    attack->segments = segments;
    attack->segment_count = cloak->segment_count;
    attack->found_members = cloak->member_count;
    *needs = own;
    return SC_OK;
}

/** Let the method make a cloak. @param needs  of its members; NULL if there is none */
static sc_err make(const examination *x, sc_attack_request *attack, sc_needs **needs)
{
    const making m = {.map = x->examiner->map,
                      .engine = &x->engine,
                      .attack = attack,
                      .rng = x->examiner->rng,
                      .stop = &x->stop};
    sc_cloak *cloak = NULL;
    sc_err err = make_cloak(&m, &cloak, x->diag);
    attack->is_found = cloak != NULL;
    if (!err && cloak) err = see(cloak, attack, needs, x->diag);
    sc_cloak_free(cloak);
    return err;
}

// --- All of it -----------------------------------------------------------------------------------

sc_engine_options sc__attack_engine_for(const sc_engine_options *engine, sc_variant method)
{
    sc_engine_options options = *engine;
    if (sc_variant_cap(method) != sc_variant_cap(engine->variant)) {
        options.max_combinations = sc_variant_cap(method);
    }
    options.variant = method;
    return options;
}

static sc_err tell(sc_err err, sc_diag *diag)
{
    if (err == SC_ELATE) {
        return sc_fail(
            diag, err,
            "this attack takes too long; give fewer members, or members with fewer hops");
    }
    return err;
}

sc_err sc__attack_run(const sc__attack_examiner *examiner, sc_attack_request *attack)
{
    examination x = {
        .examiner = examiner,
        .engine = sc__attack_engine_for(&examiner->options->engine, attack->method),
        .stop = {.until_us = sc_clock_us() + LONGEST_US,
                 .is_unwanted = &attack->is_unwanted,
                 .is_stopping = examiner->is_stopping},
        .diag = &attack->diag,
    };
    sc_needs *made = NULL;
    sc_err err = check_stop(&x.stop);
    if (attack->places) {
        if (!err) err = make(&x, attack, &made);
    } else {
        attack->is_found = true;
        attack->found_members = attack->member_count;
    }
    if (!err && attack->is_found) {
        x.sighting = (sc_sighting){.segments = attack->segments,
                                   .segment_count = attack->segment_count,
                                   .strangers = made ? made : attack->members,
                                   .stranger_count = attack->found_members};
        err = look_and_attack(&x, &attack->posterior);
    }
    sc_free(made);
    return tell(err, &attack->diag);
}
