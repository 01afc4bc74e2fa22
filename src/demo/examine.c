// One attack from its words to what came of it. See attack_on_demand_internal.h.
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
#include "demo/made.h"
#include "demo/patience.h"

#include <time.h>

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
    const sc__examiner *examiner;
    sc_engine_options engine;  ///< the method
    sc_sighting sighting;
    sc__patience patience;
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

    const sc__impatient impatient = {sc__cloaker_engine(&x->engine), &x->patience};
    const sc_cloaker cloaker = sc__impatient_cloaker(&impatient);
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
                       "the method's cloak has more than %d segments; ask for less",
                       (int)SC_ATTACK_REQUEST_SEGMENTS_MAX);
    }
    sc_seg_id *segments = sc_malloc_array(cloak->segment_count, sizeof *segments);
    sc_needs *own = sc_malloc_array(cloak->member_count, sizeof *own);
    if (!segments || !own) {
        sc_free(segments);
        sc_free(own);
        return sc_fail_memory(diag, "looking at a cloak");
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
    const sc__making making = {.map = x->examiner->map,
                               .engine = &x->engine,
                               .attack = attack,
                               .rng = x->examiner->rng,
                               .patience = &x->patience};
    sc_cloak *cloak = NULL;
    sc_err err = sc__made_cloak(&making, &cloak, x->diag);
    attack->is_found = cloak != NULL;
    if (!err && cloak) err = see(cloak, attack, needs, x->diag);
    sc_cloak_free(cloak);
    return err;
}

// --- All of it -----------------------------------------------------------------------------------

/** The operator's engine with another method; how many combinations to try is another number for
 * those that are not of its kind. */
static sc_engine_options engine_for(const sc_engine_options *engine, sc_variant method)
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
        return sc_fail(diag, err,
                       "an adversary takes too long with this; name fewer members, or "
                       "such as want fewer hops");
    }
    return err;
}

sc_err sc__attack_run(const sc__examiner *examiner, sc_attack_request *attack)
{
    examination x = {
        .examiner = examiner,
        .engine = engine_for(&examiner->options->engine, attack->method),
        .patience = {.until_us = sc_clock_us() + LONGEST_US,
                     .is_unwanted = &attack->is_unwanted,
                     .is_stopping = examiner->is_stopping},
        .diag = &attack->diag,
    };
    sc_needs *made = NULL;
    sc_err err = sc__patience_left(&x.patience);
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
