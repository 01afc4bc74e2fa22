// Means over the rows of a trial. See trial.h.
#include "score/trial.h"

#include <math.h>

static bool is_among(const sc_trial_row *row, size_t seen)
{
    return seen == 0 || row->seen == seen;
}

static void add_belief(sc_trial_means *sum, const sc_trial_row *row)
{
    const sc_posterior *posterior = &row->posterior;
    sum->explained++;
    sum->entropy += posterior->normalised_entropy;
    sum->entropy_error += posterior->normalised_error * posterior->normalised_error;
    sum->bias += posterior->normalised_bias;
    sum->effective += posterior->effective;
    sum->by_density += row->by_density;
    sum->probability += row->score.probability;
    sum->expected += row->expected;
    sum->by_chance += 1 / (double)posterior->link_count;
    sum->rank += row->score.rank;
    sum->ruled_out += (double)posterior->ruled_out;
}

static void add_row(sc_trial_means *sum, const sc_trial_row *row)
{
    const sc_posterior *posterior = &row->posterior;
    sum->count++;
    sum->enumerated += posterior->is_enumerated;
    sum->replays += posterior->replays;
    sum->segments += (double)posterior->link_count;
    sum->members += (double)row->members;
    sum->recognised += (double)row->recognised;
    if (posterior->is_unexplained) {
        sum->unexplained++;
    } else {
        add_belief(sum, row);
    }
}

static double spread_of_mean(const sc_trial *trial, size_t seen, double mean, size_t count)
{
    if (count < 2) return 0;
    double squares = 0;
    for (size_t i = 0; i < trial->row_count; i++) {
        const sc_trial_row *row = &trial->rows[i];
        if (!is_among(row, seen) || row->posterior.is_unexplained) continue;
        const double off = row->posterior.normalised_entropy - mean;
        squares += off * off;
    }
    return sqrt(squares / (double)(count - 1) / (double)count);
}

static void divide(double *const *sums, size_t sum_count, size_t count)
{
    for (size_t i = 0; i < sum_count && count > 0; i++) {
        *sums[i] /= (double)count;
    }
}

sc_trial_means sc_trial_means_of(const sc_trial *trial, size_t seen)
{
    sc_trial_means means = {.count = 0};
    for (size_t i = 0; i < trial->row_count; i++) {
        if (is_among(&trial->rows[i], seen)) add_row(&means, &trial->rows[i]);
    }
    double *const of_all[] = {&means.segments, &means.members, &means.recognised};
    double *const of_explained[] = {&means.entropy,    &means.bias,        &means.effective,
                                    &means.by_density, &means.probability, &means.entropy_error,
                                    &means.expected,   &means.by_chance,   &means.rank,
                                    &means.ruled_out};
    divide(of_all, sizeof of_all / sizeof of_all[0], means.count);
    divide(of_explained, sizeof of_explained / sizeof of_explained[0], means.explained);
    means.entropy_error = sqrt(means.entropy_error);
    means.mean_error = spread_of_mean(trial, seen, means.entropy, means.explained);
    return means;
}

size_t sc_trial_most_seen(const sc_trial *trial)
{
    size_t most = 0;
    for (size_t i = 0; i < trial->row_count; i++) {
        if (trial->rows[i].seen > most) most = trial->rows[i].seen;
    }
    return most;
}
