/**
 * @file claim_judge.h
 * @brief What the judges of claims share.
 */
#ifndef SC_LAB_CLAIM_JUDGE_H
#define SC_LAB_CLAIM_JUDGE_H

#include "lab/claims.h"

/** How many points a claim can look at. */
enum { SC_LAB_PLACES_MAX = SC_LAB_AXIS_COUNT * SC_LAB_GRID_MAX };

/** What a judge needs; `left` and `right` have room for a number per seed. */
typedef struct sc_lab_judge {
    const sc_lab_table *table;
    double *left;
    double *right;
    double *differences;  ///< room for a number per seed of every point, and of two at least
} sc_lab_judge;

/** A place in a figure, for sc__judge_pair(). */
typedef struct sc_lab_spot {
    sc_lab_axis axis;
    size_t i;  ///< in the axis's grid
} sc_lab_spot;

/**
 * Fill `left` with the claim's method and `right` with the best of the others, at one place. Where
 * one of them is missing, both become NaN.
 */
void sc__judge_pair(const sc_lab_judge *judge, const sc_lab_claim *claim, sc_lab_spot place);

/** The first method of a set that has any. */
sc_lab_method sc__first_method(unsigned methods);

/** The figure a claim looks at, over that axis. */
sc_lab_figure sc__claim_figure(const sc_lab_claim *claim, sc_lab_axis axis);

/** Not to be told, for this reason. */
void sc__claim_untold(sc_lab_claim *claim, const char *reason);

/**
 * 1 if the difference `by` of two values, left and right, is above 0 by more than chance, -1 if it
 * is so below 0, and 0 if it may be chance.
 */
int sc__sign_beyond_chance(const sc_lab_estimate *by, double left, double right);

/** Whether there is an axis with two ends to look along; if not, the claim is told so. */
bool sc__claim_has_ends(const sc_lab_options *options, const sc_lab_figure *figure,
                        sc_lab_claim *claim);

/** How far something that agrees by `by` is against a claim: 0 if it is not. */
double sc__against(double by);

/** Judge those that compare methods at points, and fill in all but `who`. */
void sc__judge_order(const sc_lab_judge *judge, sc_lab_claim *claim);

/** Judge those that go along an axis. */
void sc__judge_trend(const sc_lab_judge *judge, sc_lab_claim *claim);

/** Judge those that look at the two ends of an axis. */
void sc__judge_ends(const sc_lab_judge *judge, sc_lab_claim *claim);

#endif
