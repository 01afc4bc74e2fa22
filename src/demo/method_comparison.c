// Engines side by side in the time of their questions, and counts by the second.
//
// Counts are in a ring of seconds that reaches from the beginning of the window to the latest
// deadline there can be. A question is counted in the second of its deadline, and so is that it was
// cloaked: when that second is over, all methods have decided about the same questions, and a share
// of them favours no method that cloaks early and drops late. Cloaks are counted in the second in
// which they are found.
//
// Invariants:
//  1. Seconds count from the start. The ring has those from `oldest`, which is never older than the
//     window, on; all others are zero.
//  2. All engines have been given the same questions, and run at the same moments of asking.
#include "demo/method_comparison.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/rng.h"
#include "demo/attack_on_demand_internal.h"

#include <starcloak/prune.h>

#include <math.h>
#include <string.h>

/** A second more at both ends for the parts of a second. */
enum { RING_S = SC_COMPARISON_WINDOW_S + SC_COMPARISON_LONGEST_WAIT_S + 2 };

#define SECOND_US INT64_C(1000000)

/** A refused cloak is looked for again this much later, as in sim/runner.c. */
#define RETRY_US 1000

/** What belongs to a second. */
typedef struct second_counts {
    // By deadline.
    uint32_t asked;
    uint32_t cloaked;
    // Cloaks that were found.
    uint32_t cloaks;
    uint32_t members;
    uint64_t users;
    uint64_t segments;
    uint64_t border_nodes;
    int64_t wait_us;  ///< of all members together
    // Attacks that have ended.
    uint32_t attacked;
    uint32_t attacked_members;
    double chance;  ///< of all members together
} second_counts;

typedef struct method_lane {
    sc_variant variant;
    sc_engine *engine;
    sc_rng *rng;  ///< its own dice: so the others' do not depend on when each is served
    sc_time now;
    second_counts *ring;  ///< of RING_S
} method_lane;

struct sc_comparison {
    const sc_map *map;  ///< borrowed
    sc_comparison_options options;
    method_lane lanes[SC_COMPARISON_METHODS_MAX];
    size_t lane_count;
    sc_pruner *pruner;
    sc_time start;
    sc_time now;
    int64_t oldest;  ///< second that the ring has
    uint64_t left_out;
};

// --- The ring ------------------------------------------------------------------------------------

static int64_t second_of(const sc_comparison *comparison, sc_time t)
{
    return (t - comparison->start) / SECOND_US;
}

static second_counts *counts_at(const method_lane *lane, int64_t second)
{
    return &lane->ring[second % RING_S];
}

static void clear_second(sc_comparison *comparison, int64_t second)
{
    for (size_t i = 0; i < comparison->lane_count; i++) {
        *counts_at(&comparison->lanes[i], second) = (second_counts){0};
    }
}

/** Let the clock be `now`: seconds before the window become seconds of the future. */
static void turn_ring(sc_comparison *comparison, sc_time now)
{
    comparison->now = now;
    const int64_t first = second_of(comparison, now) - SC_COMPARISON_WINDOW_S;
    // After a long sleep of the machine all of them are old, and none need be cleared twice.
    if (first - comparison->oldest > RING_S) comparison->oldest = first - RING_S;
    while (comparison->oldest < first) {
        clear_second(comparison, comparison->oldest++);
    }
}

// --- Making --------------------------------------------------------------------------------------

static void close_lane(method_lane *lane)
{
    sc_engine_free(lane->engine);
    sc_rng_free(lane->rng);
    sc_free(lane->ring);
    *lane = (method_lane){0};
}

static sc_err open_lane(sc_comparison *comparison, sc_variant variant, sc_diag *diag)
{
    method_lane *lane = &comparison->lanes[comparison->lane_count];
    sc_engine_options engine = sc__attack_engine_for(&comparison->options.engine, variant);
    engine.is_paranoid = true;
    lane->variant = variant;
    lane->now = comparison->now;
    sc_err err = sc_rng_fork(comparison->options.rng, &lane->rng);
    if (!err) err = sc_engine_new(comparison->map, &engine, lane->rng, &lane->engine, NULL);
    if (!err) lane->ring = sc_calloc(RING_S, sizeof *lane->ring);
    if (!err && lane->ring) {
        comparison->lane_count++;
        return SC_OK;
    }
    close_lane(lane);
    // It cannot keep what the operator demands.
    return err == SC_EINVAL ? SC_OK : sc_fail_memory(diag, "comparing methods");
}

sc_err sc_comparison_new(const sc_map *map, const sc_comparison_options *options, sc_time now,
                         sc_comparison **out, sc_diag *diag)
{
    if (options->method_count > SC_COMPARISON_METHODS_MAX) {
        return sc_fail(diag, SC_EINVAL, "at most %d methods can be compared, not %zu",
                       (int)SC_COMPARISON_METHODS_MAX, options->method_count);
    }
    sc_comparison *comparison = sc_calloc(1, sizeof *comparison);
    if (!comparison) return sc_fail_memory(diag, "comparing methods");
    comparison->map = map;
    comparison->options = *options;
    comparison->start = now;
    comparison->now = now;
    sc_err err = sc_pruner_new(map, &comparison->pruner);
    if (err) (void)sc_fail_memory(diag, "comparing methods");
    for (size_t i = 0; !err && i < options->method_count; i++) {
        err = open_lane(comparison, options->methods[i], diag);
    }
    if (err) {
        sc_comparison_free(comparison);
        return err;
    }
    *out = comparison;
    return SC_OK;
}

void sc_comparison_free(sc_comparison *comparison)
{
    if (!comparison) return;
    for (size_t i = 0; i < comparison->lane_count; i++) {
        close_lane(&comparison->lanes[i]);
    }
    sc_pruner_free(comparison->pruner);
    sc_free(comparison);
}

size_t sc_comparison_method_count(const sc_comparison *comparison)
{
    return comparison->lane_count;
}

sc_variant sc_comparison_method(const sc_comparison *comparison, size_t method)
{
    return comparison->lanes[method].variant;
}

// --- Cloaks --------------------------------------------------------------------------------------

/** Different users among the members, of whom there are few. */
static uint32_t count_users(const sc_cloak *cloak)
{
    uint32_t count = 0;
    for (size_t i = 0; i < cloak->member_count; i++) {
        size_t j = 0;
        while (cloak->members[j].query.user != cloak->members[i].query.user) {
            j++;
        }
        count += i == j;
    }
    return count;
}

static void count_cloak(const sc_comparison *comparison, const method_lane *lane,
                        const sc_compared_cloak *compared)
{
    const sc_cloak *cloak = compared->cloak;
    second_counts *found = counts_at(lane, second_of(comparison, lane->now));
    found->cloaks++;
    found->users += compared->users;
    found->segments += cloak->segment_count;
    found->border_nodes += cloak->border_node_count;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *query = &cloak->members[i].query;
        found->members++;
        found->wait_us += lane->now - (sc_time)query->owner;
        counts_at(lane, second_of(comparison, query->deadline))->cloaked++;
    }
}

/** One that broke a promise would be found again, so its members leave, and end as dropped. */
static sc_err refuse(method_lane *lane, const sc_cloak *cloak, sc_err why)
{
    sc_err err = SC_OK;
    for (size_t i = 0; !err && why == SC_EBROKEN && i < cloak->member_count; i++) {
        err = sc_engine_remove(lane->engine, &cloak->members[i].query.id);
    }
    return err ? err : sc_engine_refuse(lane->engine, cloak, NULL, 0);
}

static sc_err settle(sc_comparison *comparison, method_lane *lane, sc_cloak *cloak)
{
    const sc_comparison_options *options = &comparison->options;
    sc_err err = sc_pruner_prune(comparison->pruner, cloak, lane->rng);
    if (err) return err;
    err = sc_engine_accept(lane->engine, cloak, lane->now, NULL);
    if (err == SC_ENOMEM) return err;
    if (err) return refuse(lane, cloak, err);
    const sc_compared_cloak found = {.method = (size_t)(lane - comparison->lanes),
                                     .variant = lane->variant,
                                     .cloak = cloak,
                                     .users = count_users(cloak),
                                     .t = lane->now};
    count_cloak(comparison, lane, &found);
    if (options->cloaked) options->cloaked(options->context, &found);
    return SC_OK;
}

// --- Time ----------------------------------------------------------------------------------------

static sc_err run_lane(sc_comparison *comparison, method_lane *lane, sc_time now)
{
    lane->now = now;
    sc_err err = sc_engine_run(lane->engine, now);
    for (sc_cloak *cloak; !err && (cloak = sc_engine_take_candidate(lane->engine));) {
        err = settle(comparison, lane, cloak);
        sc_cloak_free(cloak);
    }
    // Who is not cloaked when the deadline has passed was dropped: that is not counted again here.
    for (sc_drop drop; !err && sc_engine_take_drop(lane->engine, &drop);) {
    }
    return err;
}

/** When the engine has something to do by itself; always after the last run. */
static sc_time next_wake(const method_lane *lane)
{
    const sc_time wake = sc_engine_next_wake(lane->engine);
    return wake > lane->now ? wake : lane->now + RETRY_US;
}

sc_err sc_comparison_advance(sc_comparison *comparison, sc_time now)
{
    sc_err err = SC_OK;
    if (now < comparison->now) now = comparison->now;
    for (size_t i = 0; i < comparison->lane_count; i++) {
        method_lane *lane = &comparison->lanes[i];
        for (sc_time wake; !err && (wake = next_wake(lane)) <= now;) {
            err = run_lane(comparison, lane, wake);
        }
    }
    if (!err) turn_ring(comparison, now);
    return err;
}

static bool is_left_out(const sc_comparison *comparison, const sc_query *query)
{
    const sc_time longest = SC_COMPARISON_LONGEST_WAIT_S * SECOND_US;
    if (query->deadline < comparison->now || query->deadline - comparison->now > longest) {
        return true;
    }
    for (size_t i = 0; i < comparison->lane_count; i++) {
        const sc_engine_stats stats = sc_engine_get_stats(comparison->lanes[i].engine);
        if (stats.pending >= SC_COMPARISON_PENDING_MAX) return true;
    }
    return false;
}

sc_err sc_comparison_ask(sc_comparison *comparison, const sc_query *query, sc_time asked)
{
    sc_err err = sc_comparison_advance(comparison, asked);
    if (err) return err;
    if (is_left_out(comparison, query)) {
        comparison->left_out++;
        return SC_OK;
    }
    sc_query own = *query;
    own.owner = (uint64_t)comparison->now;  // when it began to wait
    for (size_t i = 0; !err && i < comparison->lane_count; i++) {
        method_lane *lane = &comparison->lanes[i];
        err = sc_engine_add(lane->engine, &own);
        if (err) break;
        counts_at(lane, second_of(comparison, own.deadline))->asked++;
        err = run_lane(comparison, lane, comparison->now);
    }
    explicit_bzero(&own, sizeof own);
    return err;
}

// --- Figures -------------------------------------------------------------------------------------

void sc_comparison_add_attack(sc_comparison *comparison, size_t method, double sum,
                              size_t member_count)
{
    second_counts *now =
        counts_at(&comparison->lanes[method], second_of(comparison, comparison->now));
    now->attacked++;
    now->attacked_members += (uint32_t)member_count;
    now->chance += sum;
}

static double mean(double sum, uint64_t count)
{
    return count > 0 ? sum / (double)count : (double)NAN;
}

sc_comparison_figures sc_comparison_figures_of(const sc_comparison *comparison, size_t method)
{
    const method_lane *lane = &comparison->lanes[method];
    const sc_engine_stats stats = sc_engine_get_stats(lane->engine);
    second_counts sum = {0};
    const int64_t until = second_of(comparison, comparison->now);
    for (int64_t second = comparison->oldest; second < until; second++) {
        const second_counts *counts = counts_at(lane, second);
        sum.asked += counts->asked;
        sum.cloaked += counts->cloaked;
        sum.cloaks += counts->cloaks;
        sum.members += counts->members;
        sum.users += counts->users;
        sum.segments += counts->segments;
        sum.border_nodes += counts->border_nodes;
        sum.wait_us += counts->wait_us;
        sum.attacked += counts->attacked;
        sum.attacked_members += counts->attacked_members;
        sum.chance += counts->chance;
    }
    return (sc_comparison_figures){
        .asked = sum.asked,
        .cloaked = sum.cloaked,
        .pending = stats.pending,
        .cloaks = sum.cloaks,
        .users = mean((double)sum.users, sum.cloaks),
        .segments = mean((double)sum.segments, sum.cloaks),
        .border_nodes = mean((double)sum.border_nodes, sum.cloaks),
        .wait_s = mean((double)sum.wait_us * 1e-6, sum.members),
        .chance = mean(sum.chance, sum.attacked_members),
        .attacked = sum.attacked,
        .violations = stats.broken,
    };
}

uint64_t sc_comparison_left_out(const sc_comparison *comparison)
{
    return comparison->left_out;
}
