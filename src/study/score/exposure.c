// Whose true segment is too likely: shares of rows, with intervals that reckon with rows that are
// alike because they are of one cloak, or of one traveller.
#include "score/trial.h"

#include <math.h>

/** What is asked of a row. */
typedef bool (*question)(const sc_trial_row *row);

// Rounding may lead a little beyond a bound that is met exactly.
#define ROUNDING 1e-9

static bool is_above_half(const sc_trial_row *row)
{
    return row->score.probability > 0.5 + ROUNDING;
}

static bool is_above_bound(const sc_trial_row *row)
{
    return row->score.probability > row->bound + ROUNDING;
}

static bool has_too_few(const sc_trial_row *row)
{
    return row->possible < row->l;
}

static bool is_excluded(const sc_trial_row *row)
{
    return row->score.probability <= 0;
}

// --- Counting --------------------------------------------------------------------

/** Rows of one cloak, or of one traveller; they stand next to each other. */
typedef struct group {
    double count;  ///< that the answer is yes to
    double all;
} group;

/** Sums over groups. */
typedef struct sums {
    size_t groups;
    double count;
    double all;
    double count_squares;
    double all_squares;
    double products;
} sums;

static void close_group(sums *s, group *g)
{
    if (g->all > 0) {
        s->groups++;
        s->count += g->count;
        s->all += g->all;
        s->count_squares += g->count * g->count;
        s->all_squares += g->all * g->all;
        s->products += g->count * g->all;
    }
    *g = (group){0};
}

static sums sum_groups(const sc_trial *trial, size_t seen, question ask)
{
    sums s = {0};
    group g = {0};
    const sc_trial_row *last = NULL;
    for (size_t i = 0; i < trial->row_count; i++) {
        const sc_trial_row *row = &trial->rows[i];
        if (row->l == 0 || (seen > 0 && row->seen != seen)) continue;
        if (last && !sc_trial_rows_are_alike(last, row)) close_group(&s, &g);
        g.count += ask(row);
        g.all++;
        last = row;
    }
    close_group(&s, &g);
    return s;
}

// --- Intervals -------------------------------------------------------------------

// As many independent rows as have the variance of the share that is seen between groups.
static double independent_rows(const sums *s)
{
    const double p = s->count / s->all;
    const double groups = (double)s->groups;
    if (p <= 0 || p >= 1 || s->groups < 2) return groups;
    const double squares = s->count_squares - 2 * p * s->products + p * p * s->all_squares;
    const double seen = groups / (groups - 1) * squares / (s->all * s->all);
    const double expected = p * (1 - p) / s->all;
    return seen > expected ? s->all * expected / seen : s->all;
}

static sc_trial_share share_of(const sc_trial *trial, size_t seen, question ask)
{
    const double z = 1.959964;
    const sums s = sum_groups(trial, seen, ask);
    if (s.groups == 0) return (sc_trial_share){.count = 0};
    const double p = s.count / s.all;
    const double n = independent_rows(&s);
    const double middle = p + z * z / (2 * n);
    const double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    const double unit = 1 + z * z / n;
    return (sc_trial_share){
        .count = (size_t)s.count,
        .all = (size_t)s.all,
        .share = p,
        .low = s.count > 0 ? fmax((middle - half) / unit, 0) : 0,
        .high = s.count < s.all ? fmin((middle + half) / unit, 1) : 1,
    };
}

sc_trial_exposure sc_trial_exposure_of(const sc_trial *trial, size_t seen)
{
    return (sc_trial_exposure){
        .above_half = share_of(trial, seen, is_above_half),
        .above_bound = share_of(trial, seen, is_above_bound),
        .too_few = share_of(trial, seen, has_too_few),
        .excluded = share_of(trial, seen, is_excluded),
    };
}
