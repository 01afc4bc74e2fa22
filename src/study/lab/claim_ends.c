// Judging claims about the two ends of an axis: what is lost or gained from one to the other, by a
// method compared with another one, or on a map compared with another one, or not at all.
#include "lab/claim_judge.h"

#include <math.h>
#include <stdio.h>

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

// --- Two rises -------------------------------------------------------------------

/** "12.0 more", and whether that is more than chance. */
typedef struct more_words {
    char text[80];
} more_words;

// What is in `left` is to be above what is in `right` (with sign -1: below), by more than chance.
// `largest` is the largest value that they come from. False if no seed has both.
static bool judge_rises(const sc_lab_judge *judge, sc_lab_claim *claim, int sign, double largest,
                        more_words *words)
{
    const size_t seeds = judge->table->options->seed_count;
    const sc_lab_estimate more = sign > 0
                                     ? sc__estimate_difference(judge->left, judge->right, seeds)
                                     : sc__estimate_difference(judge->right, judge->left, seeds);
    if (more.count == 0) {
        sc__claim_untold(claim, "no seed has a number at both ends");
        return false;
    }
    const int beyond = sc__sign_beyond_chance(&more, largest, 0);
    claim->point_count = 1;
    claim->agreeing_count = more.mean > 0;
    claim->contradiction = sc__against(more.mean);
    claim->verdict = beyond > 0 ? SC_LAB_HOLDS : SC_LAB_FAILS;
    snprintf(words->text, sizeof words->text, "%s %s%s", sc__short_number(fabs(more.mean)).text,
             more.mean < 0 ? "less" : "more", beyond == 0 ? ", no more than chance" : "");
    return true;
}

// A method that loses less than another, or gains more.
static void judge_against_other(const sc_lab_judge *judge, sc_lab_claim *claim)
{
    const sc_lab_statement *statement = claim->statement;
    const sc_lab_figure figure = sc__claim_figure(claim, statement->axis);
    const sc_lab_grid *grid = sc__figure_grid(judge->table->options, &figure);
    const sc_lab_method other = sc__first_method(statement->other);
    const bool is_loss = statement->kind == SC_LAB_CLAIM_LESS_LOST;
    double largest = 0;
    const sc_lab_estimate own = rise_of(judge, &figure, claim->method, judge->left, &largest);
    const sc_lab_estimate others = rise_of(judge, &figure, other, judge->right, &largest);
    more_words more;
    if (!judge_rises(judge, claim, is_loss ? -1 : 1, largest, &more)) return;
    claim->left = own.mean;
    claim->right = others.mean;
    const char *symbol = sc__axis_symbol(statement->axis);
    const double first = grid->values[0];
    const double last = grid->values[grid->count - 1];
    if (is_loss) {
        snprintf(claim->found, sizeof claim->found,
                 "from %s = %g to %g %s loses %s percentage points, %s %s (%s)", symbol, last,
                 first, sc__method_title(claim->method), sc__short_number(claim->left).text,
                 sc__method_title(other), sc__short_number(claim->right).text, more.text);
    } else {
        snprintf(claim->found, sizeof claim->found,
                 "from %s = %g to %g %s rises by %s %s, %s by %s (%s)", symbol, first, last,
                 sc__method_title(claim->method), sc__short_number(claim->left).text,
                 sc__metric_unit(statement->metric), sc__method_title(other),
                 sc__short_number(claim->right).text, more.text);
    }
}

// --- No rise ---------------------------------------------------------------------

static void judge_steady(const sc_lab_judge *judge, sc_lab_claim *claim)
{
    const sc_lab_statement *statement = claim->statement;
    const sc_lab_options *options = judge->table->options;
    const sc_lab_figure figure = sc__claim_figure(claim, statement->axis);
    const sc_lab_grid *grid = sc__figure_grid(options, &figure);
    const size_t end = grid->count - 1;
    double largest = 0;
    const sc_lab_estimate change = rise_of(judge, &figure, claim->method, judge->left, &largest);
    if (change.count == 0) {
        sc__claim_untold(claim, "no seed has a number at both ends");
        return;
    }
    claim->left = sc__table_estimate(judge->table, &figure, 0, claim->method).mean;
    claim->right = sc__table_estimate(judge->table, &figure, end, claim->method).mean;
    const bool is_small = fabs(change.mean) <= SC_LAB_CLAIM_STAYS * largest;
    const bool is_chance = sc__sign_beyond_chance(&change, largest, 0) == 0;
    const bool holds = is_small || is_chance;
    claim->point_count = 1;
    claim->agreeing_count = holds;
    claim->contradiction = holds ? 0 : fabs(change.mean);
    claim->verdict = holds ? SC_LAB_HOLDS : SC_LAB_FAILS;
    snprintf(claim->found, sizeof claim->found, "%s at %s = %g, %s at %g (%s), a change of %s %%%s",
             sc__short_number(claim->left).text, sc__axis_symbol(statement->axis), grid->values[0],
             sc__short_number(claim->right).text, grid->values[end],
             sc__metric_unit(statement->metric),
             sc__short_number(largest > 0 ? 100 * change.mean / largest : 0).text,
             is_chance ? ", no more than chance" : "");
}

// --- Two maps --------------------------------------------------------------------

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

static void judge_sparser(const sc_lab_judge *judge, sc_lab_claim *claim)
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
    if (!sc__claim_has_ends(options, &figure, claim)) return;
    double largest = 0;
    const sc_lab_estimate sparse = rise_of(judge, &figure, claim->method, judge->left, &largest);
    figure.map = maps.dense;
    const sc_lab_estimate dense = rise_of(judge, &figure, claim->method, judge->right, &largest);
    more_words more;
    // What falls rises by less than 0, so the one that falls more is the one to be below.
    if (!judge_rises(judge, claim, -1, largest, &more)) return;
    claim->left = -sparse.mean;
    claim->right = -dense.mean;
    snprintf(claim->found, sizeof claim->found,
             "falls by %s percentage points on %s (%.3g travellers per star), by %s on %s (%.3g): "
             "%s",
             sc__short_number(claim->left).text, options->maps[maps.sparse].name,
             density(judge->table, maps.sparse), sc__short_number(claim->right).text,
             options->maps[maps.dense].name, density(judge->table, maps.dense), more.text);
}

void sc__judge_ends(const sc_lab_judge *judge, sc_lab_claim *claim)
{
    if (claim->statement->kind == SC_LAB_CLAIM_SPARSER) {
        judge_sparser(judge, claim);
        return;
    }
    const sc_lab_figure figure = sc__claim_figure(claim, claim->statement->axis);
    if (!sc__claim_has_ends(judge->table->options, &figure, claim)) return;
    if (claim->statement->kind == SC_LAB_CLAIM_STEADY) {
        judge_steady(judge, claim);
    } else {
        judge_against_other(judge, claim);
    }
}
