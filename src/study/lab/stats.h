/**
 * @file stats.h
 * @brief What a handful of seeds says: means, intervals, differences, ranks.
 *
 * Values come one per seed; where there is none (nothing was cloaked) it is NaN and left out. An
 * interval is that of Student's t with as many degrees of freedom as there are values less one:
 * with two values it is wide, and one value has none.
 *
 * Two methods at one point got the same stream of queries, or travellers of the same seed, so they
 * are compared seed by seed: what makes a seed hard for both of them then falls out of the
 * difference.
 *
 * Used by: lab (figures, claims, report).
 */
#ifndef SC_LAB_STATS_H
#define SC_LAB_STATS_H

#include <stdbool.h>
#include <stddef.h>

/** "There is none", as a double; math.h has a float. */
#define SC_NO_VALUE __builtin_nan("")

/** A mean, and how far from it the truth may be. */
typedef struct sc_lab_estimate {
    size_t count;  ///< values it comes from; if 0, all else is 0
    double mean;
    double half;  ///< half of the 95 % interval; 0 with fewer than two values
} sc_lab_estimate;

/** Of `count` values, less those that are NaN. */
sc_lab_estimate sc__estimate(const double *values, size_t count);

/** Of the differences left - right, over those that have both. */
sc_lab_estimate sc__estimate_difference(const double *left, const double *right, size_t count);

/**
 * The mean ratio left / right, over those that have both and have them above 0: the geometric mean,
 * so that it does not matter which of the two is called the left one.
 *
 * @return how many it comes from; *out is left alone if none
 */
size_t sc__mean_ratio(const double *left, const double *right, size_t count, double *out);

/** The ends of an interval. */
typedef struct sc_lab_interval {
    double low;
    double high;
} sc_lab_interval;

/**
 * The 95 % interval, for people, cut to what is possible: nothing that is measured is below 0, or
 * above `most`. Whoever decides by intervals takes them whole.
 */
sc_lab_interval sc__possible_interval(const sc_lab_estimate *estimate, double most);

/**
 * 1 if the mean is above 0, and not by chance: all of the interval is. -1 if it is so below 0, else
 * 0. Of a single value this cannot be told: 0, see claims.h.
 */
int sc__sure_sign(const sc_lab_estimate *estimate);

/** How far from the middle 95 % of Student's distribution reach, both ways; `degrees` >= 1. */
double sc__student_95(size_t degrees);

/**
 * Kendall's rank correlation of `values` with their order: 1 if each is above those before it, -1
 * if each is below them. Equal ones count neither way. 0 for fewer than two.
 */
double sc__kendall(const double *values, size_t count);

#endif
