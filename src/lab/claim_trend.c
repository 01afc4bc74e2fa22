// Judging claims about one method along an axis: does it rise, and does it so more than another?
#include "lab/claim_internal.h"

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

// Whether there is an axis with two ends to look along; if not, the claim is told so.
static bool has_ends(const sc_lab_options *options, const sc_lab_figure *figure,
                     sc_lab_claim *claim)
{
    if (!sc__figure_is_wanted(options, figure)) {
        sc__claim_untold(claim, "no figure of this was asked for");
        return false;
    }
    if (sc__figure_grid(options, figure)->count < 2) {
        sc__claim_untold(claim, "fewer than two values of the axis have a number");
        return false;
    }
    return true;
}

// --- Losses from one end to the other --------------------------------------------

// The method's values at the end of an axis less those at its beginning, by seed. The larger of
// the two means is left in *largest, if it is larger than what is there.
static sc_lab_estimate rise_of(const sc_lab_judge *judge, const sc_lab_figure *figure,
                               sc_lab_method method, double *by_seed, double *largest)
{
    const sc_lab_table *table = judge->table;
    const size_t seeds = table->options->seed_count;
    const size_t count = sc__figure_grid(table->options, figure)->count;
    const double *first = sc__table_values(table, figure, 0, method);
    const double *last = sc__table_values(table, figure, count - 1, method);
    for (size_t seed = 0; seed < seeds; seed++) {
        by_seed[seed] = last[seed] - first[seed];
    }
    *largest = fmax(*largest, sc__estimate(first, seeds).mean);
    *largest = fmax(*largest, sc__estimate(last, seeds).mean);
    return sc__estimate(by_seed, seeds);
}

// One is to be above the other by `more`, and by more than chance, where the largest value that
// they come from is known. *chance is what is to be said of it.
static void judge_losses(sc_lab_claim *claim, const sc_lab_estimate *more, double largest,
                         const char **chance)
{
    const int sign = sc__sign_beyond_chance(more, largest, 0);
    claim->point_count = 1;
    claim->agreeing_count = more->mean > 0;
    claim->contradiction = sc__against(more->mean);
    claim->verdict = sign > 0 ? SC_LAB_HOLDS : SC_LAB_FAILS;
    *chance = sign == 0 ? ", no more than chance" : "";
}

static void judge_less_lost(const sc_lab_judge *judge, sc_lab_claim *claim)
{
    const sc_lab_statement *statement = claim->statement;
    const sc_lab_options *options = judge->table->options;
    const sc_lab_figure figure = sc__claim_figure(claim, statement->axis);
    const sc_lab_grid *grid = sc__figure_grid(options, &figure);
    const sc_lab_method other = sc__first_method(statement->other);
    double largest = 0;
    const sc_lab_estimate own = rise_of(judge, &figure, claim->method, judge->left, &largest);
    const sc_lab_estimate others = rise_of(judge, &figure, other, judge->right, &largest);
    const sc_lab_estimate more =
        sc__estimate_difference(judge->right, judge->left, options->seed_count);
    if (more.count == 0) {
        sc__claim_untold(claim, "no seed has a number at both ends");
        return;
    }
    const char *chance;
    judge_losses(claim, &more, largest, &chance);
    claim->left = own.mean;
    claim->right = others.mean;
    snprintf(claim->found, sizeof claim->found,
             "from %s = %g to %g %s loses %s percentage points, %s %s (%s more%s)",
             sc__axis_symbol(statement->axis), grid->values[grid->count - 1], grid->values[0],
             sc__method_title(claim->method), sc__short_number(own.mean).text,
             sc__method_title(other), sc__short_number(others.mean).text,
             sc__short_number(more.mean).text, chance);
}

// --- Two maps ----------------------------------------------------------------------

/** Two maps to compare. */
typedef struct two_maps {
    uint32_t sparse;
    uint32_t dense;
} two_maps;

// Travellers per star; a map without stars has room for none.
static double density(const sc_lab_table *table, uint32_t map)
{
    const uint32_t stars = sc_map_star_count(table->options->maps[map].map);
    return stars > 0 ? table->travellers[map] / stars : 0;
}

// The ones with fewest and most travellers per star, with or without those of recorded movement.
static two_maps find_extremes(const sc_lab_table *table, bool with_traces)
{
    two_maps found = {SC_NONE, SC_NONE};
    for (uint32_t i = 0; i < table->options->map_count; i++) {
        if (table->options->maps[i].traces && !with_traces) continue;
        const double here = density(table, i);
        if (found.sparse == SC_NONE || here < density(table, found.sparse)) found.sparse = i;
        if (found.dense == SC_NONE || here > density(table, found.dense)) found.dense = i;
    }
    return found;
}

void sc__judge_sparser(const sc_lab_judge *judge, sc_lab_claim *claim)
{
    const sc_lab_statement *statement = claim->statement;
    const sc_lab_options *options = judge->table->options;
    two_maps maps = find_extremes(judge->table, false);
    if (maps.sparse == maps.dense) maps = find_extremes(judge->table, true);
    if (maps.sparse == maps.dense) {
        sc__claim_untold(claim,
                         "two maps with different numbers of travellers per star are needed");
        return;
    }
    sc_lab_figure figure = sc__claim_figure(claim, statement->axis);
    figure.map = maps.sparse;
    if (!has_ends(options, &figure, claim)) return;
    double largest = 0;
    const sc_lab_estimate sparse = rise_of(judge, &figure, claim->method, judge->left, &largest);
    figure.map = maps.dense;
    const sc_lab_estimate dense = rise_of(judge, &figure, claim->method, judge->right, &largest);
    // What falls rises by less than 0, so the one that falls more is the one to be taken away.
    const sc_lab_estimate more =
        sc__estimate_difference(judge->right, judge->left, options->seed_count);
    if (more.count == 0) {
        sc__claim_untold(claim, "no seed has a number at both ends");
        return;
    }
    const char *chance;
    judge_losses(claim, &more, largest, &chance);
    claim->left = -sparse.mean;
    claim->right = -dense.mean;
    snprintf(claim->found, sizeof claim->found,
             "falls by %s percentage points on %s (%.3g travellers per star), by %s on %s (%.3g): "
             "%s more%s",
             sc__short_number(claim->left).text, options->maps[maps.sparse].name,
             density(judge->table, maps.sparse), sc__short_number(claim->right).text,
             options->maps[maps.dense].name, density(judge->table, maps.dense),
             sc__short_number(more.mean).text, chance);
}

void sc__judge_trend(const sc_lab_judge *judge, sc_lab_claim *claim)
{
    const sc_lab_figure figure = sc__claim_figure(claim, claim->statement->axis);
    if (!has_ends(judge->table->options, &figure, claim)) return;
    if (claim->statement->kind == SC_LAB_CLAIM_LESS_LOST) {
        judge_less_lost(judge, claim);
    } else {
        judge_along(judge, claim);
    }
}
