// Judging claims about one method along an axis: does it rise, or its distance to another?
#include "lab/claim_judge.h"

#include <math.h>
#include <stdio.h>

/** The means along an axis, where there are any. */
typedef struct curve {
    double values[SC_LAB_GRID_MAX];
    size_t places[SC_LAB_GRID_MAX];  ///< of the values in the grid
    size_t count;
} curve;

// Of the method, or how far it is below the other, by seed.
static void take_values(const sc_lab_judge *judge, const sc_lab_claim *claim, size_t i,
                        double *by_seed)
{
    const sc_lab_statement *statement = claim->statement;
    const sc_lab_figure figure = sc__claim_figure(claim, statement->axis);
    const double *own = sc__table_values(judge->table, &figure, i, claim->method);
    const bool is_gap = statement->kind == SC_LAB_CLAIM_GAP;
    if (is_gap) sc__judge_pair(judge, claim, (sc_lab_spot){.axis = statement->axis, .i = i});
    for (size_t seed = 0; seed < judge->table->options->seed_count; seed++) {
        by_seed[seed] = is_gap ? judge->right[seed] - judge->left[seed] : own[seed];
    }
}

static curve curve_of(const sc_lab_judge *judge, const sc_lab_claim *claim)
{
    const sc_lab_options *options = judge->table->options;
    curve along = {.count = 0};
    for (size_t i = 0; i < options->grids[claim->statement->axis].count; i++) {
        take_values(judge, claim, i, judge->differences);
        const sc_lab_estimate estimate = sc__estimate(judge->differences, options->seed_count);
        if (estimate.count == 0) continue;
        along.values[along.count] = estimate.mean;
        along.places[along.count++] = i;
    }
    return along;
}

// From the first of them to the last, paired by seed.
static sc_lab_estimate change_along(const sc_lab_judge *judge, const sc_lab_claim *claim,
                                    const curve *along)
{
    const size_t seeds = judge->table->options->seed_count;
    double *first = judge->differences;
    double *last = judge->differences + seeds;
    take_values(judge, claim, along->places[0], first);
    take_values(judge, claim, along->places[along->count - 1], last);
    return sc__estimate_difference(last, first, seeds);
}

static void tell_along(const sc_lab_judge *judge, sc_lab_claim *claim, const curve *along,
                       double ranks, bool is_chance)
{
    const sc_lab_statement *statement = claim->statement;
    const double *at = judge->table->options->grids[statement->axis].values;
    const size_t last = along->count - 1;
    char worst[80] = "";
    if (claim->contradiction > 0) {
        snprintf(worst, sizeof worst, "; the most against it: %s in one step",
                 sc__short_number(claim->contradiction).text);
    }
    snprintf(claim->found, sizeof claim->found,
             "%s%s at %s = %g, %s at %g (%s)%s; rank correlation %.2f; so in %zu of %zu step%s%s",
             statement->kind == SC_LAB_CLAIM_GAP ? "gap " : "", sc__short_number(claim->left).text,
             sc__axis_symbol(statement->axis), at[along->places[0]],
             sc__short_number(claim->right).text, at[along->places[last]],
             sc__metric_unit(statement->metric), is_chance ? ", no more than chance" : "", ranks,
             claim->agreeing_count, last, sc__plural(last), worst);
}

static void judge_along(const sc_lab_judge *judge, sc_lab_claim *claim)
{
    const sc_lab_statement *statement = claim->statement;
    const curve along = curve_of(judge, claim);
    if (along.count < 2) {
        sc__claim_untold(claim, "fewer than two values of the axis have a number");
        return;
    }
    const sc_lab_estimate change = change_along(judge, claim, &along);
    if (change.count == 0) {
        sc__claim_untold(claim, "no seed has a number at both ends");
        return;
    }
    const size_t last = along.count - 1;
    const double ranks = sc__kendall(along.values, along.count);
    claim->left = along.values[0];
    claim->right = along.values[last];
    claim->point_count = last;
    for (size_t i = 1; i <= last; i++) {
        const double step = statement->sign * (along.values[i] - along.values[i - 1]);
        claim->agreeing_count += step > 0;
        claim->contradiction = fmax(claim->contradiction, sc__against(step));
    }
    const int sign = sc__sign_beyond_chance(&change, claim->left, claim->right);
    const bool ends_agree = statement->sign * (claim->right - claim->left) > 0;
    const bool ranks_agree = statement->sign * ranks >= SC_LAB_CLAIM_RANKS;
    const bool holds = sign == statement->sign && ends_agree && ranks_agree;
    claim->verdict = holds ? SC_LAB_HOLDS : SC_LAB_FAILS;
    tell_along(judge, claim, &along, ranks, sign == 0);
}

void sc__judge_trend(const sc_lab_judge *judge, sc_lab_claim *claim)
{
    const sc_lab_figure figure = sc__claim_figure(claim, claim->statement->axis);
    if (sc__claim_has_ends(judge->table->options, &figure, claim)) judge_along(judge, claim);
}
