// Means, intervals, differences, ranks. See stats.h.
#include "lab/stats.h"

#include <math.h>

static sc_lab_estimate finish(size_t count, double sum, double squares)
{
    sc_lab_estimate estimate = {.count = count};
    if (count == 0) return estimate;
    estimate.mean = sum / (double)count;
    if (count == 1) return estimate;
    const double variance = squares / (double)(count - 1);
    estimate.half = sc__student_95(count - 1) * sqrt(variance / (double)count);
    return estimate;
}

// One value of a sample: left, or left - right where there is a right.
static double value_at(const double *left, const double *right, size_t i)
{
    return right ? left[i] - right[i] : left[i];
}

static sc_lab_estimate estimate_of(const double *left, const double *right, size_t count)
{
    size_t known = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = value_at(left, right, i);
        if (isnan(value)) continue;
        sum += value;
        known++;
    }
    // A second pass around the mean: the squares of large, nearly equal values would drown it.
    double squares = 0;
    for (size_t i = 0; i < count && known > 1; i++) {
        const double value = value_at(left, right, i);
        if (isnan(value)) continue;
        const double off = value - sum / (double)known;
        squares += off * off;
    }
    return finish(known, sum, squares);
}

sc_lab_estimate sc__estimate(const double *values, size_t count)
{
    return estimate_of(values, NULL, count);
}

sc_lab_estimate sc__estimate_difference(const double *left, const double *right, size_t count)
{
    return estimate_of(left, right, count);
}

size_t sc__mean_ratio(const double *left, const double *right, size_t count, double *out)
{
    size_t known = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(left[i] > 0 && right[i] > 0)) continue;
        sum += log(left[i] / right[i]);
        known++;
    }
    if (known > 0) *out = exp(sum / (double)known);
    return known;
}

sc_lab_interval sc__possible_interval(const sc_lab_estimate *estimate, double most)
{
    return (sc_lab_interval){.low = fmax(0, estimate->mean - estimate->half),
                             .high = fmin(most, estimate->mean + estimate->half)};
}

int sc__sure_sign(const sc_lab_estimate *estimate)
{
    if (estimate->count < 2 || fabs(estimate->mean) <= estimate->half) return 0;
    return estimate->mean > 0 ? 1 : -1;
}

// The share of Student's distribution within tan(angle) * sqrt(degrees) of the middle. For whole
// degrees of freedom its integral is a finite sum, with powers of the cosine that go up in twos.
static double share_within(double angle, size_t degrees)
{
    const double c = cos(angle);
    const double s = sin(angle);
    const bool is_odd = degrees % 2 == 1;
    double term = is_odd ? c : 1;
    double sum = 0;
    for (size_t i = is_odd ? 3 : 2; i <= degrees; i += 2) {
        sum += term;
        term *= c * c * (double)(i - 1) / (double)i;
    }
    return is_odd ? 2 / M_PI * (angle + s * sum) : s * sum;
}

double sc__student_95(size_t degrees)
{
    double low = 0;
    double high = M_PI / 2;
    // 60 halvings leave nothing to halve.
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (share_within(middle, degrees) < 0.95) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return tan((low + high) / 2) * sqrt((double)degrees);
}

double sc__kendall(const double *values, size_t count)
{
    if (count < 2) return 0;
    double agreeing = 0;
    for (size_t j = 1; j < count; j++) {
        for (size_t i = 0; i < j; i++) {
            agreeing += (values[j] > values[i]) - (values[j] < values[i]);
        }
    }
    return agreeing / ((double)count * (double)(count - 1) / 2);
}
