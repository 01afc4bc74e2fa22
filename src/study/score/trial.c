// An attack on a recorded run.
#include "score/trial.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/rng.h"

#include <time.h>

// --- Words -------------------------------------------------------------------

const char *sc_trial_kind_name(sc_trial_kind kind)
{
    switch (kind) {
#define X(id, name, title) \
    case SC_TRIAL_##id:    \
        return name;
        SC_TRIAL_MAP(X)
#undef X
    default:
        return "unknown";
    }
}

const char *sc_trial_kind_title(sc_trial_kind kind)
{
    switch (kind) {
#define X(id, name, title) \
    case SC_TRIAL_##id:    \
        return title;
        SC_TRIAL_MAP(X)
#undef X
    default:
        return "unknown";
    }
}

sc_trial_options sc_trial_options_default(void)
{
    return (sc_trial_options){
        .kind = SC_TRIAL_CORRELATION,
        .adversary = sc_adversary_options_default(),
        .injection = sc_injection_options_default(),
        .continuity = sc_continuity_options_default(),
        .limit = 100,
        .seed = 1,
    };
}

// --- Rows --------------------------------------------------------------------

/** A trial at work. */
typedef struct work {
    const sc_map *map;
    const sc_trial_options *options;
    sc_adversary *adversary;
    sc_rule *rule;
    sc_case_zones zones;    ///< by user, if they are known
    sc_trail_reach *reach;  ///< NULL: nothing is excluded by it
    sc_trial *trial;
} work;

static void tell(const work *w, uint64_t done, uint64_t total)
{
    const sc_progress *progress = &w->options->progress;
    if (progress->report) progress->report(progress->context, "attacking", done, total);
}

static double wall_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static size_t count_injected(const sc_case *one)
{
    size_t count = 0;
    for (size_t i = 0; i < one->member_count; i++) {
        count += one->members[i].is_injected;
    }
    return count;
}

/** Add a row; it owns the posterior then. */
static sc_err add_row(work *w, const sc_case *one, const sc_posterior *posterior,
                      const sc_score *score)
{
    sc_trial *trial = w->trial;
    if (!sc_grow(&trial->rows, trial->row_count, &trial->row_capacity, sizeof *trial->rows)) {
        return SC_ENOMEM;
    }
    trial->rows[trial->row_count++] = (sc_trial_row){
        .cloak = one->number,
        .seen = 1,
        .members = one->member_count,
        .recognised = count_injected(one),
        .by_density =
            sc_density_effective(w->options->adversary.density, one->segments, one->segment_count),
        .posterior = *posterior,
        .score = *score,
        .expected = sc_expected_probability(posterior),
    };
    return SC_OK;
}

/** The row is about one member; `possible` as in sc_trial_row. */
static void tell_member(const work *w, const sc_case_member *member, size_t possible)
{
    const uint32_t l = member->needs.l;
    const uint32_t traffic = w->options->traffic;
    sc_trial_row *row = &w->trial->rows[w->trial->row_count - 1];
    row->l = l;
    row->possible = possible;
    row->bound = traffic < 2 ? 0.5 : 1.0 / (l < traffic ? l : traffic);
}

static sc_err attack_sighting(work *w, const sc_case *one, const sc_sighting *sighting,
                              sc_posterior *posterior, sc_diag *diag)
{
    const double start = wall_s();
    const sc_err err =
        w->options->kind == SC_TRIAL_REPLAY
            ? sc_adversary_replay(w->adversary, one->number, sighting, posterior, diag)
            : sc_adversary_correlate(w->adversary, one->number, sighting, posterior, diag);
    w->trial->replay_wall_s += wall_s() - start;
    return err;
}

static sc_err attack_case(work *w, const sc_case *one, sc_diag *diag)
{
    sc_own_sighting own = {.strangers = NULL};
    sc_posterior posterior = {.links = NULL};
    sc_err err = sc_sighting_init(&own, one);
    if (!err) err = attack_sighting(w, one, &own.sighting, &posterior, diag);
    sc_sighting_fini(&own);
    if (err) return err;
    const sc_score score = sc_score_case(&posterior, one);
    err = add_row(w, one, &posterior, &score);
    if (err) sc_posterior_fini(&posterior);
    return err;
}

// --- By the rules ------------------------------------------------------------

static sc_err open_rule(work *w, sc_diag *diag)
{
    const sc_rule_options how = {.density = w->options->adversary.density,
                                 .demanded = w->options->demanded,
                                 .traffic = w->options->traffic,
                                 .counts_all = w->options->counts_all};
    const sc_zone_table *zones = w->options->knows_zones ? w->options->zones : NULL;
    const sc_err err = sc_case_zones_init(&w->zones, zones);
    return err ? err : sc_rule_new(w->map, &how, &w->rule, diag);
}

/** What one who knows the rules sees of a member: the cloak with its stars, what it asked for, and
 * its zones if they are known. */
static sc_ruled rule_case(const work *w, const sc_case *one, const sc_case_member *member)
{
    sc_ruled ruled = {.segments = one->segments,
                      .segment_count = one->segment_count,
                      .stars = one->stars,
                      .star_count = one->star_count,
                      .needs = member->needs};
    ruled.zones = sc_case_zones_of(&w->zones, member->user, &ruled.zone_count);
    return ruled;
}

static sc_err exclude_for(work *w, const sc_case *one, const sc_case_member *member)
{
    const sc_ruled cloak = rule_case(w, one, member);
    sc_left left;
    sc_posterior posterior = {.links = NULL};
    sc_err err = sc_rule_see(w->rule, &cloak, &left, &posterior);
    if (err) return err;
    const sc_score score = sc_score_of(&posterior, member->segment);
    err = add_row(w, one, &posterior, &score);
    if (err) {
        sc_posterior_fini(&posterior);
    } else {
        tell_member(w, member, left.possible);
    }
    return err;
}

static sc_err attack_members(work *w, const sc_case *one)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < one->member_count && !err; i++) {
        if (!one->members[i].is_injected) err = exclude_for(w, one, &one->members[i]);
    }
    w->trial->attacked++;
    return err;
}

/** Without stars there is no rule to know: sampling and expansion have none. */
static sc_err check_stars(const sc_cases *cases, sc_diag *diag)
{
    for (size_t i = 0; i < cases->count; i++) {
        if (sc_cases_at(cases, i).star_count > 0) continue;
        return sc_fail(diag, SC_EINVAL,
                       "the record has cloaks without stars, so the rules cannot be applied; use "
                       "the record of a run with another method than sampling or expansion");
    }
    return SC_OK;
}

// --- Which cloaks ------------------------------------------------------------

/** List the cases that have a stranger: in the others there is no user to be found. */
static size_t list_with_strangers(const sc_cases *cases, size_t *which)
{
    size_t count = 0;
    for (size_t i = 0; i < cases->count; i++) {
        const sc_case one = sc_cases_at(cases, i);
        if (count_injected(&one) < one.member_count) which[count++] = i;
    }
    return count;
}

/** Take those off the list that have more members than an adversary takes on, and count them. */
static size_t pass_over_crowded(sc_trial *trial, const sc_cases *cases, size_t *which, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (sc_cases_at(cases, which[i]).member_count <= SC_ATTACK_MEMBERS_MAX) {
            which[kept++] = which[i];
        }
    }
    trial->passed_over = count - kept;
    return kept;
}

static sc_err fail_crowded(sc_diag *diag)
{
    return sc_fail(diag, SC_EINVAL,
                   "every cloak that could be attacked has more than %d members, which is too "
                   "many; use the record of a run with fewer travellers",
                   SC_ATTACK_MEMBERS_MAX);
}

/** Leave `wanted` of `count` in the list, drawn at random, in the order they had. */
static void draw(size_t *which, size_t count, size_t wanted, uint64_t seed)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    size_t taken = 0;
    // Each in turn with the chance that leaves all choices equally likely.
    for (size_t i = 0; i < count && taken < wanted; i++) {
        const double chance = (double)(wanted - taken) / (double)(count - i);
        if (sc_rng_unit(&rng) < chance) which[taken++] = which[i];
    }
}

/** `limit` of `count`; all if there are fewer, or there is no limit. */
static size_t at_most(uint64_t limit, size_t count)
{
    return limit > 0 && limit < count ? (size_t)limit : count;
}

static sc_err attack_all(work *w, const sc_cases *cases, const size_t *which, size_t count,
                         sc_diag *diag)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < count && !err; i++) {
        const sc_case one = sc_cases_at(cases, which[i]);
        tell(w, i, count);
        err = w->rule ? attack_members(w, &one) : attack_case(w, &one, diag);
    }
    if (!err) tell(w, count, count);
    return err;
}

static sc_err attack_record(work *w, const sc_case_record *record, sc_diag *diag)
{
    size_t *which = sc_malloc_array(record->cases.count, sizeof *which);
    if (!which) return SC_ENOMEM;
    const size_t listed = list_with_strangers(&record->cases, which);
    const size_t count = pass_over_crowded(w->trial, &record->cases, which, listed);
    const size_t wanted = at_most(w->options->limit, count);
    w->trial->choice = count;
    sc_err err = SC_OK;
    if (listed == 0) {
        err = sc_fail(diag, SC_EINVAL,
                      "all members of the record's cloaks are the adversary's own (their names "
                      "begin with '" SC_INJECTED_PREFIX
                      "'), so there is no user to find; use the record of a run with other users");
    } else if (count == 0) {
        err = fail_crowded(diag);
    } else {
        draw(which, count, wanted, w->options->seed);
        err = attack_all(w, &record->cases, which, wanted, diag);
    }
    sc_free(which);
    return err;
}

// --- With queries of its own -------------------------------------------------

static sc_err run_again(const work *w, const sc_injection *injection, sc_case_collector *collector,
                        sc_diag *diag)
{
    sc_run_report report;
    sc_run_options run = sc_run_options_default();
    run.engine = w->options->adversary.engine;
    run.zones = w->options->zones;
    run.has_continuity = w->options->has_continuity;
    run.continuity = w->options->continuity;
    run.seed = w->options->seed;
    run.listener = sc_case_collector_listener(collector);
    run.progress = w->options->progress;
    const sc_err err =
        sc_run_lines(w->map, injection->lines, injection->line_count, &run, &report, diag);
    sc_case_collector_settle(collector);
    return err;
}

static sc_err attack_victims(work *w, const sc_injection *injection, const sc_cases *cases,
                             sc_diag *diag)
{
    size_t *which = sc_malloc_array(injection->victim_count, sizeof *which);
    if (!which) return SC_ENOMEM;
    const size_t found = sc_injection_find(injection, cases, which);
    const size_t count = pass_over_crowded(w->trial, cases, which, found);
    sc_err err = SC_OK;
    if (found == 0) {
        err = sc_fail(diag, SC_EINVAL,
                      "none of %zu victims found a cloak; choose more victims, or use the record "
                      "of a run with more success",
                      injection->victim_count);
    } else if (count == 0) {
        err = fail_crowded(diag);
    } else {
        err = attack_all(w, cases, which, count, diag);
    }
    sc_free(which);
    return err;
}

static sc_err attack_by_injection(work *w, const sc_case_record *record, sc_diag *diag)
{
    sc_injection injection = {.lines = NULL};
    sc_case_collector collector = {.cases = {.count = 0}};
    sc_injection_options how = w->options->injection;
    how.seed = w->options->seed;
    how.victims = (uint32_t)at_most(w->options->limit, UINT32_MAX);
    sc_err err =
        sc_injection_init(&injection, w->map, record->lines, record->line_count, &how, diag);
    if (!err) {
        w->trial->choice = record->line_count;
        w->trial->victims = injection.victim_count;
        err = run_again(w, &injection, &collector, diag);
    }
    if (!err) err = attack_victims(w, &injection, &collector.cases, diag);
    sc_case_collector_fini(&collector);
    sc_injection_fini(&injection);
    return err;
}

// --- From cloak to cloak -----------------------------------------------------

/** Exclude by the rules what of step `i` of a trail the traveller cannot be on. */
static sc_err exclude_step(const work *w, const sc_case *one, const sc_case_member *member,
                           size_t i, const bool **is_left)
{
    sc_left left;
    *is_left = NULL;
    if (!w->rule) return SC_OK;
    sc_ruled cloak = rule_case(w, one, member);
    if (w->reach) cloak.reached = sc_trail_reach_at(w->reach, i);
    const sc_err err = sc_rule_see(w->rule, &cloak, &left, NULL);
    if (!err) *is_left = left.is_left;
    return err;
}

static sc_err follow_one(work *w, sc_tracker *tracker, const sc_cases *cases,
                         const sc_trails *trails, size_t trail)
{
    sc_err err = w->reach ? sc_trail_reach_find(w->reach, trails, trail) : SC_OK;
    for (size_t i = 0; i < trails->all[trail].count && !err; i++) {
        const sc_trail_step *step = &trails->steps[trails->all[trail].first + i];
        const sc_case one = sc_cases_at(cases, step->which);
        sc_posterior posterior = {.links = NULL};
        sc_score score;
        const bool *is_left = NULL;
        err = exclude_step(w, &one, &one.members[step->member], i, &is_left);
        if (!err) err = sc_trail_see(tracker, is_left, trails, trail, i, &posterior, &score);
        if (err) break;
        err = add_row(w, &one, &posterior, &score);
        if (err) {
            sc_posterior_fini(&posterior);
            break;
        }
        sc_trial_row *row = &w->trial->rows[w->trial->row_count - 1];
        row->traveller = trail + 1;
        row->seen = i + 1;
        tell_member(w, &one.members[step->member], posterior.link_count - posterior.ruled_out);
    }
    return err;
}

static sc_err follow_all(work *w, sc_tracker *tracker, const sc_cases *cases,
                         const sc_trails *trails)
{
    const size_t count = at_most(w->options->limit, trails->count);
    sc_err err = SC_OK;
    for (size_t i = 0; i < count && !err; i++) {
        tell(w, i, count);
        err = follow_one(w, tracker, cases, trails, i);
    }
    if (!err) tell(w, count, count);
    return err;
}

static sc_err attack_by_tracking(work *w, const sc_case_record *record, sc_diag *diag)
{
    const sc_tracker_options how = {.density = w->options->adversary.density,
                                    .top_speed_m_s = w->options->top_speed_m_s,
                                    .ignores_one_ways = w->options->ignores_one_ways};
    sc_trails trails = {.all = NULL};
    sc_tracker *tracker = NULL;
    sc_err err = sc_trails_init(&trails, &record->cases, 2, w->options->seed);
    if (!err && trails.count == 0) {
        err = sc_fail(diag, SC_EINVAL,
                      "no user of the record was cloaked twice, so none can be followed; record a "
                      "longer run");
    }
    w->trial->choice = trails.count;
    if (!err) err = sc_tracker_new(w->map, &how, &tracker, diag);
    // Where a traveller can be by its cloaks weighs only where traffic does.
    if (!err && w->rule && w->options->has_continuity && w->options->traffic > 1) {
        err = sc_trail_reach_new(w->map, &w->options->continuity, &w->reach, diag);
    }
    if (!err) err = follow_all(w, tracker, &record->cases, &trails);
    sc_tracker_free(tracker);
    sc_trails_fini(&trails);
    return err;
}

// --- The whole ---------------------------------------------------------------

sc_err sc_trial_run(const sc_map *map, const sc_case_record *record,
                    const sc_trial_options *options, sc_trial *trial, sc_diag *diag)
{
    work w = {.map = map, .options = options, .trial = trial};
    sc_err err = SC_OK;
    const bool has_rules = sc_trial_knows_rules(options);
    const bool has_replays = sc_trial_has_replays(options->kind);
    if (has_rules) err = check_stars(&record->cases, diag);
    if (!err && has_rules) err = open_rule(&w, diag);
    if (!err && has_replays) {
        err = sc_adversary_new(map, &options->adversary, NULL, &w.adversary, diag);
    }
    if (!err) {
        switch (options->kind) {
        case SC_TRIAL_INJECTION:
            err = attack_by_injection(&w, record, diag);
            break;
        case SC_TRIAL_TRACKING:
            err = attack_by_tracking(&w, record, diag);
            break;
        default:
            err = attack_record(&w, record, diag);
            break;
        }
    }
    sc_adversary_free(w.adversary);
    sc_rule_free(w.rule);
    sc_case_zones_fini(&w.zones);
    sc_trail_reach_free(w.reach);
    return err == SC_ENOMEM ? sc_fail_memory(diag, "attacking cloaks") : err;
}

void sc_trial_fini(sc_trial *trial)
{
    for (size_t i = 0; i < trial->row_count; i++) {
        sc_posterior_fini(&trial->rows[i].posterior);
    }
    sc_free(trial->rows);
    *trial = (sc_trial){.rows = NULL};
}
