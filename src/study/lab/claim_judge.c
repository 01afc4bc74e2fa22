// Judging claims about one method against others, at the points of all figures of a metric.
#include "lab/claim_judge.h"

#include <math.h>
#include <stdio.h>

/** Where the claim is looked at. */
typedef struct places {
    sc_lab_spot all[SC_LAB_PLACES_MAX];
    size_t count;
} places;

// Axes cross: where each has its default value they have the same point, which counts once.
static bool is_same_point(const sc_lab_options *options, sc_lab_spot a, sc_lab_spot b)
{
    const sc_lab_point p =
        sc_lab_point_at(options, 0, a.axis, options->grids[a.axis].values[a.i], 0);
    const sc_lab_point q =
        sc_lab_point_at(options, 0, b.axis, options->grids[b.axis].values[b.i], 0);
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        if (p.mean[axis] != q.mean[axis]) return false;
    }
    return true;
}

static void add_place(const sc_lab_options *options, places *list, sc_lab_spot place)
{
    for (size_t i = 0; i < list->count; i++) {
        if (is_same_point(options, list->all[i], place)) return;
    }
    list->all[list->count++] = place;
}

// Whether the claim looks at the i-th value of that axis.
static bool is_looked_at(const sc_lab_options *options, const sc_lab_statement *statement,
                         sc_lab_spot place)
{
    const sc_lab_grid *grid = &options->grids[place.axis];
    switch (statement->kind) {
    case SC_LAB_CLAIM_AT_END:
        return place.axis == statement->axis && place.i + 1 == grid->count;
    case SC_LAB_CLAIM_FROM:
        return place.axis == statement->axis && grid->values[place.i] >= statement->from;
    default:
        return true;
    }
}

static void list_places(const sc_lab_options *options, const sc_lab_claim *claim, places *list)
{
    list->count = 0;
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        const sc_lab_figure figure = sc__claim_figure(claim, axis);
        if (!sc__figure_is_wanted(options, &figure)) continue;
        for (size_t i = 0; i < options->grids[axis].count; i++) {
            const sc_lab_spot place = {.axis = axis, .i = i};
            if (is_looked_at(options, claim->statement, place)) add_place(options, list, place);
        }
    }
}

// --- One above the other -------------------------------------------------------

/** What all points together say. */
typedef struct tally {
    size_t count;
    size_t agreeing;
    double left;  ///< sums of means
    double right;
    double worst;  ///< the difference that agrees least
    sc_lab_spot worst_place;
    bool is_contradicted;  ///< somewhere, and not by chance
    bool is_even;          ///< the means disagree by no more than chance, where that is enough
} tally;

// Differences have the sign of the claim: what is above 0 agrees with it.
static sc_lab_estimate difference_of(const sc_lab_judge *judge, int sign)
{
    const size_t seeds = judge->table->options->seed_count;
    return sign > 0 ? sc__estimate_difference(judge->left, judge->right, seeds)
                    : sc__estimate_difference(judge->right, judge->left, seeds);
}

// Whether a point agrees, where the two differ by `mean`.
static bool is_enough(const sc_lab_statement *statement, double mean, int beyond_chance)
{
    if (statement->kind == SC_LAB_CLAIM_FROM) return beyond_chance > 0;
    if (statement->is_at_least) return beyond_chance >= 0;
    return statement->is_strict ? mean > 0 : mean >= 0;
}

static void count_place(const sc_lab_judge *judge, const sc_lab_claim *claim, sc_lab_spot place,
                        tally *sum)
{
    const sc_lab_statement *statement = claim->statement;
    const size_t seeds = judge->table->options->seed_count;
    sc__judge_pair(judge, claim, place);
    const sc_lab_estimate difference = difference_of(judge, statement->sign);
    if (difference.count == 0) return;
    const double left = sc__estimate(judge->left, seeds).mean;
    const double right = sc__estimate(judge->right, seeds).mean;
    for (size_t seed = 0; seed < seeds; seed++) {
        judge->differences[sum->count * seeds + seed] =
            statement->sign * (judge->left[seed] - judge->right[seed]);
    }
    sum->count++;
    sum->left += left;
    sum->right += right;
    const int beyond_chance = sc__sign_beyond_chance(&difference, left, right);
    sum->agreeing += is_enough(statement, difference.mean, beyond_chance);
    sum->is_contradicted |= beyond_chance < 0;
    if (difference.mean < sum->worst) {
        sum->worst = difference.mean;
        sum->worst_place = place;
    }
}

static double mean_difference(const sc_lab_statement *statement, const tally *sum)
{
    return statement->sign * (sum->left - sum->right);
}

// With a single seed there is no interval: points differ because they are different points.
static bool is_within_chance(const sc_lab_judge *judge, const tally *sum)
{
    const size_t seeds = judge->table->options->seed_count;
    const sc_lab_estimate all = sc__estimate(judge->differences, sum->count * seeds);
    if (seeds > 1 && all.count > 1) return sc__sure_sign(&all) >= 0;
    const double larger = fmax(fabs(sum->left), fabs(sum->right));
    return fabs(sum->left - sum->right) < SC_LAB_CLAIM_EVEN * larger;
}

static bool order_holds(const sc_lab_statement *statement, const tally *sum)
{
    const bool is_mostly_so = 2 * sum->agreeing > sum->count;
    if (statement->kind == SC_LAB_CLAIM_FROM) return sum->agreeing == sum->count;
    if (statement->kind == SC_LAB_CLAIM_MOSTLY) return is_mostly_so;
    const double difference = mean_difference(statement, sum);
    const bool agrees = statement->is_strict ? difference > 0 : difference >= 0;
    return (agrees || sum->is_even) && is_mostly_so && !sum->is_contradicted;
}

static void tell_order(const sc_lab_judge *judge, sc_lab_claim *claim, const tally *sum)
{
    const sc_lab_grid *grids = judge->table->options->grids;
    const sc_lab_spot at = sum->worst_place;
    char worst[80] = "";
    if (sum->worst < 0) {
        snprintf(worst, sizeof worst, "; the most against it: %s at %s = %g",
                 sc__short_number(-sum->worst).text, sc__axis_symbol(at.axis),
                 grids[at.axis].values[at.i]);
    }
    snprintf(claim->found, sizeof claim->found,
             "%s against %s %s%s; so %sat %zu of %zu point%s%s%s",
             sc__short_number(claim->left).text, sc__short_number(claim->right).text,
             sc__metric_unit(claim->statement->metric), sum->is_even ? ", which may be chance" : "",
             claim->statement->kind == SC_LAB_CLAIM_FROM ? "by more than chance " : "",
             sum->agreeing, sum->count, sc__plural(sum->count), worst,
             sum->is_contradicted ? ", more than chance" : "");
}

static void judge_order(const sc_lab_judge *judge, sc_lab_claim *claim, const places *list)
{
    tally sum = {0};
    for (size_t i = 0; i < list->count; i++) {
        count_place(judge, claim, list->all[i], &sum);
    }
    if (sum.count == 0) {
        sc__claim_untold(claim, "no point where both have a value");
        return;
    }
    sum.is_even = claim->statement->is_at_least && mean_difference(claim->statement, &sum) < 0 &&
                  is_within_chance(judge, &sum);
    claim->point_count = sum.count;
    claim->agreeing_count = sum.agreeing;
    claim->left = sum.left / (double)sum.count;
    claim->right = sum.right / (double)sum.count;
    claim->contradiction = sc__against(sum.worst);
    claim->verdict = order_holds(claim->statement, &sum) ? SC_LAB_HOLDS : SC_LAB_FAILS;
    tell_order(judge, claim, &sum);
}

// --- Many times above, and near each other ---------------------------------------

static void judge_factor(const sc_lab_judge *judge, sc_lab_claim *claim, const places *list)
{
    const size_t seeds = judge->table->options->seed_count;
    double logs = 0;
    double least = HUGE_VAL;
    double most = 0;
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        double times;
        sc__judge_pair(judge, claim, list->all[i]);
        if (sc__mean_ratio(judge->right, judge->left, seeds, &times) == 0) continue;
        logs += log(times);
        least = fmin(least, times);
        most = fmax(most, times);
        claim->agreeing_count += times >= SC_LAB_CLAIM_TIMES;
        count++;
    }
    if (count == 0) {
        sc__claim_untold(claim, "no point where both have a value");
        return;
    }
    claim->point_count = count;
    claim->left = exp(logs / (double)count);
    claim->right = SC_LAB_CLAIM_TIMES;
    claim->contradiction = sc__against(least - SC_LAB_CLAIM_TIMES);
    claim->verdict = claim->left >= SC_LAB_CLAIM_TIMES ? SC_LAB_HOLDS : SC_LAB_FAILS;
    snprintf(claim->found, sizeof claim->found,
             "%s times below on the whole, %s to %s at single points; at least %g times at %zu of "
             "%zu point%s",
             sc__short_number(claim->left).text, sc__short_number(least).text,
             sc__short_number(most).text, SC_LAB_CLAIM_TIMES, claim->agreeing_count, count,
             sc__plural(count));
}

// How far apart, as a part of the larger.
static double apart(double left, double right)
{
    const double larger = fmax(fabs(left), fabs(right));
    return larger > 0 ? fabs(left - right) / larger : 0;
}

static void judge_similar(const sc_lab_judge *judge, sc_lab_claim *claim, const places *list)
{
    const size_t seeds = judge->table->options->seed_count;
    double left = 0;
    double right = 0;
    double farthest = 0;
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        sc__judge_pair(judge, claim, list->all[i]);
        const sc_lab_estimate a = sc__estimate(judge->left, seeds);
        const sc_lab_estimate b = sc__estimate(judge->right, seeds);
        if (a.count == 0) continue;
        left += a.mean;
        right += b.mean;
        farthest = fmax(farthest, apart(a.mean, b.mean));
        claim->agreeing_count += apart(a.mean, b.mean) <= SC_LAB_CLAIM_NEAR;
        count++;
    }
    if (count == 0) {
        sc__claim_untold(claim, "no point where both have a value");
        return;
    }
    claim->point_count = count;
    claim->left = left / (double)count;
    claim->right = right / (double)count;
    claim->contradiction = farthest > SC_LAB_CLAIM_NEAR ? farthest : 0;
    claim->verdict = apart(left, right) <= SC_LAB_CLAIM_NEAR ? SC_LAB_HOLDS : SC_LAB_FAILS;
    snprintf(
        claim->found, sizeof claim->found,
        "%s against %s %s, %s %% apart; within %g %% at %zu of %zu point%s, the farthest %s %%",
        sc__short_number(claim->left).text, sc__short_number(claim->right).text,
        sc__metric_unit(claim->statement->metric), sc__short_number(100 * apart(left, right)).text,
        100 * SC_LAB_CLAIM_NEAR, claim->agreeing_count, count, sc__plural(count),
        sc__short_number(100 * farthest).text);
}

void sc__judge_order(const sc_lab_judge *judge, sc_lab_claim *claim)
{
    places list;
    list_places(judge->table->options, claim, &list);
    if (list.count == 0) {
        sc__claim_untold(claim, claim->statement->kind == SC_LAB_CLAIM_FROM
                                    ? "no figure with so large values was asked for"
                                    : "no figure of this was asked for");
        return;
    }
    switch (claim->statement->kind) {
    case SC_LAB_CLAIM_FACTOR:
        judge_factor(judge, claim, &list);
        break;
    case SC_LAB_CLAIM_SIMILAR:
        judge_similar(judge, claim, &list);
        break;
    default:
        judge_order(judge, claim, &list);
        break;
    }
}
