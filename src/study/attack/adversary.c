// The adversary: its options, what it is shown, and what it concludes from a cloak
// (starcloak/attack.h).
//
//     sighting (score/score.c)
//       -> likelihoods of its segments (estimate.c)
//       |    ^ replays (replay.c), by threads (base/parallel.h)
//       |        ^ the engine (cloaker_engine.c), or another cloaker
//       -> what to believe of them (belief.c)
//
// An adversary keeps what is large or takes long to make, and what is the same for all cloaks: one
// cloaker for each thread, and a bit for each segment of the map. What depends on the cloak is made
// for it and freed when it is done.
#include <starcloak/attack.h>

#include "attack/belief.h"
#include "attack/cloaker_engine.h"
#include "attack/estimate.h"
#include "attack/placements.h"
#include "attack/replay.h"
#include "base/alloc.h"
#include "base/diag.h"

#include <unistd.h>

// === Sightings: what an adversary is shown of a cloak ===========================================
// A sighting comes from outside, and replays rely on it: segments of the map, ascending, and
// members that can be put onto them. Messages name no segment, since they may end up in a log.

static sc_err check_segments(const sc_map *map, const sc_sighting *sighting, sc_diag *diag)
{
    if (sighting->segment_count < 1) {
        return sc_fail(diag, SC_EINVAL, "attack: the cloak has no segment");
    }
    for (size_t i = 0; i < sighting->segment_count; i++) {
        if (sighting->segments[i] >= sc_map_segment_count(map)) {
            return sc_fail(diag, SC_EUNKNOWN,
                           "attack: the cloak has a segment that the map does not have; check that "
                           "it is of this map");
        }
        if (i > 0 && sighting->segments[i] <= sighting->segments[i - 1]) {
            return sc_fail(diag, SC_EINVAL, "attack: the segments of the cloak do not ascend");
        }
    }
    return SC_OK;
}

static sc_err check_needs(const sc_needs *needs, sc_diag *diag)
{
    if (needs->k >= 1 && needs->l >= 1) return SC_OK;
    return sc_fail(diag, SC_EINVAL,
                   "attack: a member asks for %u users and %u segments; both must be at least 1",
                   needs->k, needs->l);
}

/** Whether S, which ascends, has the segment. */
static bool has_segment(const sc_sighting *sighting, sc_seg_id segment)
{
    size_t first = 0;
    size_t end = sighting->segment_count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (sighting->segments[middle] < segment) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < sighting->segment_count && sighting->segments[first] == segment;
}

static sc_err check_members(const sc_sighting *sighting, sc_diag *diag)
{
    if (sighting->stranger_count < 1) {
        return sc_fail(diag, SC_EINVAL, "attack: the cloak has no member to look for");
    }
    if (sighting->stranger_count > SC_ATTACK_MEMBERS_MAX ||
        sighting->injected_count > SC_ATTACK_MEMBERS_MAX - sighting->stranger_count) {
        return sc_fail(diag, SC_EINVAL, "attack: the cloak has more than %d members",
                       SC_ATTACK_MEMBERS_MAX);
    }
    sc_err err = SC_OK;
    for (size_t i = 0; !err && i < sighting->stranger_count; i++) {
        err = check_needs(&sighting->strangers[i], diag);
    }
    for (size_t i = 0; !err && i < sighting->injected_count; i++) {
        if (!has_segment(sighting, sighting->injected[i].segment)) {
            return sc_fail(diag, SC_EINVAL, "attack: an injected query is not on the cloak");
        }
        err = check_needs(&sighting->injected[i].needs, diag);
    }
    return err;
}

/** @return SC_OK, SC_EINVAL, SC_EUNKNOWN (a segment that the map does not have) */
static sc_err check_sighting(const sc_map *map, const sc_sighting *sighting, sc_diag *diag)
{
    const sc_err err = check_segments(map, sighting, diag);
    return err ? err : check_members(sighting, diag);
}

// === The adversary ==============================================================================

struct sc_adversary {
    const sc_map *map;  ///< borrowed
    sc_adversary_options options;
    sc_cloaker cloaker;
    sc__replayer **replayers;   ///< one for each thread
    unsigned replayer_count;    ///< that were made
    sc__segment_set cloak_set;  ///< none, but during an attack
};

// --- Options ---------------------------------------------------------------------

/** As many as there are processors. */
static unsigned default_threads(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    if (count < 1) return 1;
    return count < SC_ATTACK_THREADS_MAX ? (unsigned)count : SC_ATTACK_THREADS_MAX;
}

sc_adversary_options sc_adversary_options_default(void)
{
    return (sc_adversary_options){
        .engine = sc_engine_options_default(),
        .likeness = SC_LIKENESS_OVERLAP,
        .max_placements = 20000,
        .runs = 4,
        .samples = 20000,
        .fruitful = 300,
        .seed = 1,
        .threads = default_threads(),
    };
}

/** Those of the engine are checked where one is made. */
static sc_err check_options(const sc_map *map, const sc_adversary_options *options, sc_diag *diag)
{
    if (options->likeness != SC_LIKENESS_OVERLAP && options->likeness != SC_LIKENESS_EXACT) {
        return sc_fail(diag, SC_EINVAL, "attack: unknown likeness: %d", (int)options->likeness);
    }
    if (options->runs < 2) {
        return sc_fail(diag, SC_EINVAL,
                       "attack: a placement must be run at least 2 times, not %u: the error cannot "
                       "be estimated from one run",
                       options->runs);
    }
    if (options->samples < SC_ATTACK_BATCHES) {
        return sc_fail(diag, SC_EINVAL, "attack: there must be at least %d samples, not %llu",
                       SC_ATTACK_BATCHES, (unsigned long long)options->samples);
    }
    if (options->threads < 1 || options->threads > SC_ATTACK_THREADS_MAX) {
        return sc_fail(diag, SC_EINVAL,
                       "attack: the number of threads must be from 1 to %d, not %u",
                       SC_ATTACK_THREADS_MAX, options->threads);
    }
    if (options->density &&
        sc_density_segment_count(options->density) != sc_map_segment_count(map)) {
        return sc_fail(
            diag, SC_EINVAL,
            "attack: the density has %zu segments, but the map has %u; use a density of this map",
            sc_density_segment_count(options->density), sc_map_segment_count(map));
    }
    return SC_OK;
}

// --- Life ------------------------------------------------------------------------

/** One for each thread, with a cloaker of its own. */
static sc_err open_replayers(sc_adversary *adversary, sc_diag *diag)
{
    const sc_cloaker *cloaker = &adversary->cloaker;
    sc_err err = SC_OK;
    while (!err && adversary->replayer_count < adversary->options.threads) {
        // In a block of its own: its cloaker knows where the dice are, and threads that write to
        // them do not share a line of the cache.
        sc__replayer *replayer = sc_calloc(1, sizeof *replayer);
        if (!replayer) return sc_fail_memory(diag, "making an adversary");
        adversary->replayers[adversary->replayer_count++] = replayer;
        sc_rng_seed(&replayer->rng, adversary->options.seed);
        err = cloaker->open(cloaker->context, adversary->map, &replayer->rng, &replayer->cloaker,
                            diag);
        replayer->is_open = err == SC_OK;
    }
    return err;
}

sc_err sc_adversary_new(const sc_map *map, const sc_adversary_options *options,
                        const sc_cloaker *cloaker, sc_adversary **out, sc_diag *diag)
{
    sc_err err = check_options(map, options, diag);
    if (err) return err;
    err = SC_ENOMEM;
    sc_adversary *adversary = sc_calloc(1, sizeof *adversary);
    if (!adversary) return sc_fail_memory(diag, "making an adversary");
    adversary->map = map;
    adversary->options = *options;
    adversary->cloaker = cloaker ? *cloaker : sc__cloaker_engine(&adversary->options.engine);
    adversary->replayers = sc_calloc(options->threads, sizeof(sc__replayer *));
    if (adversary->replayers &&
        sc__segment_set_init(&adversary->cloak_set, sc_map_segment_count(map))) {
        err = open_replayers(adversary, diag);
    } else {
        (void)sc_fail_memory(diag, "making an adversary");
    }
    if (err) {
        sc_adversary_free(adversary);
        return err;
    }
    *out = adversary;
    return SC_OK;
}

void sc_adversary_free(sc_adversary *adversary)
{
    if (!adversary) return;
    for (unsigned i = 0; adversary->replayers && i < adversary->replayer_count; i++) {
        sc__replayer *replayer = adversary->replayers[i];
        if (replayer->is_open) adversary->cloaker.close(replayer->cloaker);
        sc__replayer_fini(replayer);
        sc_free(replayer);
    }
    sc_free(adversary->replayers);
    sc__segment_set_fini(&adversary->cloak_set);
    sc_free(adversary);
}

// --- What it makes of it ---------------------------------------------------------

/** The density of the segments of S, summing to 1; NULL if memory is out. */
static double *weights_of(const sc_density *density, const sc_sighting *sighting)
{
    const size_t count = sighting->segment_count;
    double *weights = sc_malloc_array(count, sizeof *weights);
    if (!weights) return NULL;
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        weights[i] = density ? sc_density_weight(density, sighting->segments[i]) : 1.0;
        if (weights[i] > largest) largest = weights[i];
    }
    // In units of the largest, so that no sum is beyond all numbers.
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        weights[i] /= largest;
        sum += weights[i];
    }
    for (size_t i = 0; i < count; i++) {
        weights[i] /= sum;
    }
    return weights;
}

/** How the likelihoods of a cloak are estimated, at first. */
typedef struct approach {
    sc__method method;
    uint64_t placements;
    size_t batch_count;
    uint64_t batch_size;
} approach;

/** One traveller, on each segment as often as the samples allow, and at least once in a batch. */
static approach approach_alone(const sc_adversary_options *options, const sc_sighting *sighting)
{
    const uint64_t places = sighting->segment_count;
    const uint64_t rounds = options->samples / SC_ATTACK_BATCHES / places;
    return (approach){SC__SINGLE, places, SC_ATTACK_BATCHES, places * (rounds > 0 ? rounds : 1)};
}

/**
 * Every placement, as often as it must be, and more often while there are fewer replays than
 * samples. A batch goes over all of them once, or some times over.
 */
static approach approach_each(const sc_adversary_options *options, uint64_t placements)
{
    const uint64_t affordable = (options->samples + placements - 1) / placements;
    const uint64_t runs = affordable > options->runs ? affordable : options->runs;
    const uint64_t batches = runs < SC_ATTACK_BATCHES ? runs : SC_ATTACK_BATCHES;
    const uint64_t rounds = (runs + batches - 1) / batches;
    return (approach){SC__ENUMERATE, placements, batches, placements * rounds};
}

/** All strangers: every placement if there are few enough, else some of them. */
static approach approach_all(const sc_adversary_options *options, const sc_sighting *sighting)
{
    const uint64_t placements =
        sc__placement_count(sighting->segment_count, sighting->stranger_count);
    if (placements <= options->max_placements && placements < UINT64_MAX) {
        return approach_each(options, placements);
    }
    return (approach){SC__SAMPLE, placements, SC_ATTACK_BATCHES,
                      options->samples / SC_ATTACK_BATCHES};
}

/** Each time that too few replays are fruitful, there are so many times as many. */
enum { GROWTH = 4 };

static bool can_grow(const sc__estimation *estimation)
{
    return estimation->batch_size <= UINT64_MAX / GROWTH / estimation->batch_count;
}

/**
 * Estimate, and again with larger batches while too few replays are fruitful.
 *
 * @param estimation  becomes that of the estimate
 */
static sc_err estimate_well(sc__estimate *out, sc__estimation *estimation, uint64_t wanted)
{
    sc_err err = sc__estimate_init(out, estimation);
    for (int times = GROWTH; times <= SC_ATTACK_MORE; times *= GROWTH) {
        if (err || out->fruitful >= wanted || !can_grow(estimation)) break;
        sc__estimate_fini(out);
        estimation->batch_size *= GROWTH;
        // Other dice, else those that were found wanting would have a share in it again. The seeds
        // of the batches are numbered below this one.
        estimation->seed = sc__seed_mix(estimation->seed, SC_ATTACK_BATCHES);
        err = sc__estimate_init(out, estimation);
    }
    return err;
}

/** Replay a sighting that was checked. */
static sc_err attack(sc_adversary *adversary, uint64_t number, const sc_sighting *sighting,
                     const approach *how, sc_posterior *out)
{
    const size_t member_count = sighting->stranger_count + sighting->injected_count;
    for (unsigned i = 0; i < adversary->replayer_count; i++) {
        if (!sc__replayer_reserve(adversary->replayers[i], member_count)) return SC_ENOMEM;
    }
    double *weights = weights_of(adversary->options.density, sighting);
    if (!weights) return SC_ENOMEM;
    const sc__replay_setup setup = {
        .sighting = sighting,
        .cloak_set = &adversary->cloak_set,
        .likeness = adversary->options.likeness,
        .cloaker = &adversary->cloaker,
    };
    sc__estimation estimation = {
        .setup = &setup,
        .weights = weights,
        .method = how->method,
        .batch_count = how->batch_count,
        .batch_size = how->batch_size,
        .seed = sc__seed_mix(adversary->options.seed, number),
        .replayers = adversary->replayers,
        .replayer_count = adversary->replayer_count,
    };
    sc__estimate estimate = {0};
    sc_posterior posterior = {0};
    sc__segment_set_add(&adversary->cloak_set, sighting->segments, sighting->segment_count);
    sc_err err = estimate_well(&estimate, &estimation, adversary->options.fruitful);
    sc__segment_set_remove(&adversary->cloak_set, sighting->segments, sighting->segment_count);
    if (!err) {
        err = sc__posterior_init(&posterior, sighting->segments, &estimate.likelihoods, weights);
    }
    if (!err) {
        posterior.is_enumerated = how->method != SC__SAMPLE;
        posterior.placements = how->placements;
        posterior.replays = estimation.batch_count * estimation.batch_size;
        posterior.fruitful = estimate.fruitful;
        *out = posterior;
    }
    sc__estimate_fini(&estimate);
    sc_free(weights);
    return err;
}

static sc_err fail_attack(sc_err err, sc_diag *diag)
{
    switch (err) {
    case SC_OK:
        return SC_OK;
    case SC_ENOMEM:
        return sc_fail_memory(diag, "attacking a cloak");
    case SC_EIO:
        return sc_fail(diag, err, "attack: cannot start a thread; use fewer threads");
    default:
        return sc_fail(diag, err, "attack: a replay failed: %s", sc_err_text(err));
    }
}

sc_err sc_adversary_replay(sc_adversary *adversary, uint64_t number, const sc_sighting *sighting,
                           sc_posterior *out, sc_diag *diag)
{
    const sc_err err = check_sighting(adversary->map, sighting, diag);
    if (err) return err;
    const approach how = approach_alone(&adversary->options, sighting);
    return fail_attack(attack(adversary, number, sighting, &how, out), diag);
}

sc_err sc_adversary_correlate(sc_adversary *adversary, uint64_t number, const sc_sighting *sighting,
                              sc_posterior *out, sc_diag *diag)
{
    const sc_err err = check_sighting(adversary->map, sighting, diag);
    if (err) return err;
    const approach how = approach_all(&adversary->options, sighting);
    return fail_attack(attack(adversary, number, sighting, &how, out), diag);
}
