// What an adversary tries at a point: victims' cloaks are attacked, and travellers are followed
// from cloak to cloak.
#include "lab/attack_points.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/rng.h"
#include "lab/literal_cloaker.h"
#include "score/score.h"
#include "travel/movement.h"

#include <math.h>

// === Following travellers who ask again =========================================================
// The numbers of the first cloak and of the fifth should be of the same travellers: those with five
// may well live elsewhere than those with one. So travellers with as many cloaks as are looked at
// are followed; and only where there are hardly any, those with one less, and so on.

typedef struct following {
    const sc_map *map;
    const sc_density *density;  ///< NULL: uniform
    uint32_t least_asked;       ///< cloaks that a traveller must have, if there are enough such
    size_t max_travellers;
    uint64_t seed;  ///< of who is followed
} following;

/** So many make a mean; with fewer, those who have fewer cloaks are taken as well. */
enum { ENOUGH = 10 };

static sc_err find_trails(const following *f, const sc_cases *cases, sc_trails *trails)
{
    sc_err err = SC_OK;
    for (uint32_t least = f->least_asked; least > 0 && !err; least--) {
        sc_trails_fini(trails);
        err = sc_trails_init(trails, cases, least, f->seed);
        if (trails->count >= ENOUGH) break;
    }
    return err;
}

static sc_err see(sc_tracker *tracker, const sc_trails *trails, size_t trail, size_t i,
                  sc_lab_measure *sums)
{
    sc_posterior posterior = {.links = NULL};
    sc_score score;
    const sc_err err = sc_trail_see(tracker, NULL, trails, trail, i, &posterior, &score);
    if (!err) {
        sums->followed[i]++;
        sums->effective[i] += posterior.effective;
        sums->located[i] += score.probability;
    }
    sc_posterior_fini(&posterior);
    return err;
}

static sc_err follow_all(const following *f, sc_tracker *tracker, const sc_trails *trails,
                         sc_lab_measure *sums)
{
    sc_err err = SC_OK;
    for (size_t t = 0; t < trails->count && t < f->max_travellers && !err; t++) {
        const size_t count = trails->all[t].count;
        for (size_t i = 0; i < count && i < SC_LAB_ASKED_MAX && !err; i++) {
            err = see(tracker, trails, t, i, sums);
        }
    }
    return err;
}

/** @param measure  `followed`, `effective` and `located` are set */
static sc_err follow_travellers(const following *f, const sc_cases *cases, sc_lab_measure *measure,
                                sc_diag *diag)
{
    const sc_tracker_options options = {.density = f->density};
    sc_trails trails = {.all = NULL};
    sc_tracker *tracker = NULL;
    sc_lab_measure sums = *measure;
    sc_err err = sc_tracker_new(f->map, &options, &tracker, diag);
    if (!err) err = find_trails(f, cases, &trails);
    if (!err) err = follow_all(f, tracker, &trails, &sums);
    sc_tracker_free(tracker);
    sc_trails_fini(&trails);
    if (err) return err;
    for (size_t i = 0; i < SC_LAB_ASKED_MAX; i++) {
        if (sums.followed[i] == 0) continue;
        sums.effective[i] /= (double)sums.followed[i];
        sums.located[i] /= (double)sums.followed[i];
    }
    *measure = sums;
    return SC_OK;
}

// === Attacking victims ==========================================================================

/** Victims that are drawn for each cloak that is attacked: enough where one in six is cloaked. */
enum { DRAWN_PER_VICTIM = 6 };

/** Travellers that are followed for each cloak that is attacked: it takes much less. */
enum { FOLLOWED_PER_VICTIM = 5 };

/**
 * From one look at the traffic to the next. Shorter, and a traveller at a red light would be taken
 * for a crowd.
 */
#define LOOK_S 10.0

// --- Dice --------------------------------------------------------------------

/** What numbers are drawn for. Movements and questions take the seed of the point itself. */
typedef enum purpose { FOR_VICTIMS, FOR_TRAFFIC, FOR_REPLAYS, FOR_TRAILS } purpose;

static uint64_t seed_for(uint64_t seed, purpose what)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    uint64_t drawn = sc_rng_next(&rng);
    for (purpose i = FOR_VICTIMS; i < what; i++) {
        drawn = sc_rng_next(&rng);
    }
    return drawn;
}

// --- What is the same for all methods --------------------------------------------

bool sc__point_attack_is_wanted(const sc_lab_options *options, const sc_lab_point *point)
{
    return sc_lab_is_attacked(options, point) || sc_lab_is_followed(options, point);
}

static sc_err choose_victims(sc__point_attack *attack, const sc__attacked_run *run, sc_diag *diag)
{
    sc_injection_options options = sc_injection_options_default();
    options.injected = (uint32_t)run->point->mean[SC_LAB_AXIS_INJECTED];
    options.victims = DRAWN_PER_VICTIM * attack->options->max_victims;
    options.window = run->counted;
    // As everybody's on average: its queries do not stand out, and do not keep cloaks small either,
    // which would show in the entropy of no method.
    options.profile.max_hops = (uint32_t)lround(run->point->mean[SC_LAB_AXIS_SIGMA_S]);
    options.seed = seed_for(attack->seed, FOR_VICTIMS);
    return sc_injection_init(&attack->injection, attack->map, run->lines, run->line_count, &options,
                             diag);
}

static sc_err watch_traffic(sc__point_attack *attack, const sc__attacked_run *run, uint64_t *counts,
                            sc_diag *diag)
{
    sc_movement *movement = NULL;
    const uint64_t seed = seed_for(attack->seed, FOR_TRAFFIC);
    sc_err err = sc__map_setup_movement(run->setup, attack->options, seed, &movement, diag);
    if (err) return err;
    err = sc_traffic_count(movement, run->counted.from, run->counted.until,
                           sc_time_from_seconds(LOOK_S), counts);
    sc_movement_free(movement);
    return err ? err : sc_density_new_counted(attack->map, counts, &attack->density);
}

static sc_err know_traffic(sc__point_attack *attack, const sc__attacked_run *run, sc_diag *diag)
{
    uint64_t *counts = sc_calloc(sc_map_segment_count(attack->map), sizeof *counts);
    if (!counts) return SC_ENOMEM;
    const sc_err err = watch_traffic(attack, run, counts, diag);
    sc_free(counts);
    return err;
}

sc_err sc__point_attack_init(sc__point_attack *attack, const sc_lab_options *options,
                             const sc__attacked_run *run, sc_diag *diag)
{
    *attack = (sc__point_attack){
        .options = options,
        .map = run->setup->map->map,
        .seed = run->point->seed,
        .is_attacked = sc_lab_is_attacked(options, run->point),
        .least_asked = sc_lab_least_asked(options, run->point),
    };
    sc_err err = choose_victims(attack, run, diag);
    if (!err && options->knows_traffic) err = know_traffic(attack, run, diag);
    if (err) sc__point_attack_fini(attack);
    return err;
}

void sc__point_attack_fini(sc__point_attack *attack)
{
    sc_injection_fini(&attack->injection);
    sc_density_free(attack->density);
    *attack = (sc__point_attack){.options = NULL};
}

// --- Attacks on victims ------------------------------------------------------------

/** Add what was learnt of one cloak; means are sums until all are done. */
static void take_down(const sc_case *one, const sc_sighting *sighting,
                      const sc_posterior *posterior, sc_lab_measure *sums)
{
    const sc_score score = sc_score_case(posterior, one);
    sums->attacked_cloaks++;
    sums->attacked_segments += (double)posterior->link_count;
    sums->recognised += (double)sighting->injected_count;
    sums->enumerated += posterior->is_enumerated;
    sums->unexplained += posterior->is_unexplained;
    sums->replays += posterior->replays;
    // That nothing was found out by so many replays says nothing of the cloak.
    if (posterior->is_unexplained) return;
    // Less its bias: else methods of which few replays bring something back would look worse.
    sums->entropy += fmin(fmax(posterior->normalised_entropy - posterior->normalised_bias, 0), 1);
    sums->entropy_error += posterior->normalised_error * posterior->normalised_error;
    sums->entropy_bias += posterior->normalised_bias;
    sums->attacked_effective += posterior->effective;
    sums->probability += score.probability;
    sums->rank += score.rank;
}

/** From sums to means: of all cloaks, or of those that were explained. */
static void divide(sc_lab_measure *sums)
{
    const double all = (double)sums->attacked_cloaks;
    const double explained = fmax(all - (double)sums->unexplained, 1);
    sums->attacked_segments /= all;
    sums->recognised /= all;
    sums->entropy /= explained;
    sums->entropy_error = sqrt(sums->entropy_error / explained);
    sums->entropy_bias /= explained;
    sums->attacked_effective /= explained;
    sums->probability /= explained;
    sums->rank /= explained;
}

/** An adversary who attacks one method. */
typedef struct victims_adversary {
    sc_adversary *adversary;
    bool is_literal;
    sc__literal_cloaker literal;  ///< if it is
} victims_adversary;

static sc_err attack_one(victims_adversary *by, uint64_t number, const sc_case *one,
                         sc_lab_measure *sums, sc_diag *diag)
{
    sc_own_sighting seen = {.strangers = NULL};
    sc_posterior posterior = {.links = NULL};
    sc_err err = sc_sighting_init(&seen, one);
    if (!err && by->is_literal) {
        err = sc__literal_cloaker_see(&by->literal, one->segments, one->segment_count,
                                      one->members[0].needs.max_hops);
    }
    if (!err) err = sc_adversary_correlate(by->adversary, number, &seen.sighting, &posterior, diag);
    if (!err) take_down(one, &seen.sighting, &posterior, sums);
    sc_posterior_fini(&posterior);
    sc_sighting_fini(&seen);
    return err;
}

/** @param which  room for all victims */
static sc_err attack_all(const sc__point_attack *attack, victims_adversary *by,
                         const sc_cases *cases, size_t *which, sc_lab_measure *measure,
                         sc_diag *diag)
{
    sc_err err = SC_OK;
    sc_lab_measure sums = *measure;
    const size_t found = sc_injection_find(&attack->injection, cases, which);
    const size_t max = attack->options->max_victims;
    const size_t count = found < max ? found : max;
    for (size_t i = 0; i < count && !err; i++) {
        const sc_case one = sc_cases_at(cases, which[i]);
        err = attack_one(by, i, &one, &sums, diag);
    }
    if (err || count == 0) return err;
    divide(&sums);
    *measure = sums;
    return SC_OK;
}

static sc_err attack_victims(const sc__point_attack *attack, const sc__attacked_method *method,
                             const sc_cases *cases, sc_lab_measure *measure, sc_diag *diag)
{
    sc_adversary_options options = attack->options->adversary;
    options.engine = method->engine;
    options.density = attack->density;
    options.seed = seed_for(attack->seed, FOR_REPLAYS);
    // Points are done side by side; a process that was forked has no other threads.
    options.threads = 1;
    victims_adversary by = {.is_literal = method->literal != NULL};
    const sc_cloaker literal = sc__literal_cloaker_of(&by.literal);
    size_t *which = sc_malloc_array(attack->injection.victim_count, sizeof *which);
    sc_err err = which ? SC_OK : SC_ENOMEM;
    if (!err && method->literal) {
        const sc__literal_beliefs beliefs = {.method = *method->literal,
                                             .others = attack->options->others,
                                             .density = attack->density,
                                             .travellers = method->travellers};
        err = sc__literal_cloaker_init(&by.literal, attack->map, &beliefs);
    }
    if (!err) {
        err = sc_adversary_new(attack->map, &options, by.is_literal ? &literal : NULL,
                               &by.adversary, diag);
    }
    if (!err) err = attack_all(attack, &by, cases, which, measure, diag);
    sc_adversary_free(by.adversary);
    sc__literal_cloaker_fini(&by.literal);
    sc_free(which);
    return err;
}

sc_err sc__point_attack_run(const sc__point_attack *attack, const sc__attacked_method *method,
                            const sc_cases *cases, sc_lab_measure *measure, sc_diag *diag)
{
    sc_err err = SC_OK;
    if (attack->is_attacked && attack->injection.victim_count > 0) {
        err = attack_victims(attack, method, cases, measure, diag);
    }
    if (err || attack->least_asked == 0) return err;
    const following f = {
        .map = attack->map,
        .density = attack->density,
        .least_asked = attack->least_asked,
        .max_travellers = FOLLOWED_PER_VICTIM * (size_t)attack->options->max_victims,
        .seed = seed_for(attack->seed, FOR_TRAILS),
    };
    return follow_travellers(&f, cases, measure, diag);
}
