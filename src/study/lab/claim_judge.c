// Judging one claim: one method against others at points, one method along an axis, or what changes
// from one end of an axis to the other.
#include "lab/claim_judge.h"

#include <math.h>
#include <stdio.h>

// === One method against others ==================================================================

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
typedef struct verdicts {
    size_t count;
    size_t agreeing;
    double left;  ///< sums of means
    double right;
    double worst;  ///< the difference that agrees least
    sc_lab_spot worst_place;
    bool is_contradicted;  ///< somewhere, and not by chance
    bool is_even;          ///< the means disagree by no more than chance, where that is enough
} verdicts;

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
                        verdicts *sum)
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

static double mean_difference(const sc_lab_statement *statement, const verdicts *sum)
{
    return statement->sign * (sum->left - sum->right);
}

// With a single seed there is no interval: points differ because they are different points.
static bool is_within_chance(const sc_lab_judge *judge, const verdicts *sum)
{
    const size_t seeds = judge->table->options->seed_count;
    const sc_lab_estimate all = sc__estimate(judge->differences, sum->count * seeds);
    if (seeds > 1 && all.count > 1) return sc__sure_sign(&all) >= 0;
    const double larger = fmax(fabs(sum->left), fabs(sum->right));
    return fabs(sum->left - sum->right) < SC_LAB_CLAIM_EVEN * larger;
}

static bool order_holds(const sc_lab_statement *statement, const verdicts *sum)
{
    const bool is_mostly_so = 2 * sum->agreeing > sum->count;
    if (statement->kind == SC_LAB_CLAIM_FROM) return sum->agreeing == sum->count;
    if (statement->kind == SC_LAB_CLAIM_MOSTLY) return is_mostly_so;
    const double difference = mean_difference(statement, sum);
    const bool agrees = statement->is_strict ? difference > 0 : difference >= 0;
    return (agrees || sum->is_even) && is_mostly_so && !sum->is_contradicted;
}

static void tell_order(const sc_lab_judge *judge, sc_lab_claim *claim, const verdicts *sum)
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
    verdicts sum = {0};
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
                                    ? "no figure with such large values was requested"
                                    : "no figure of this was requested");
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

// === Along an axis ==============================================================================

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

// === From one end of an axis to the other =======================================================

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
    const sc_lab_method other = sc__first_method(claim->other);
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
