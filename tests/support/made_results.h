/**
 * @file made_results.h
 * @brief Results of an experiment that was not run: numbers by a formula.
 *
 * Two small maps, "town" with objects and few stars, "country" without objects and with more. The
 * formula as_the_paper_says() gives numbers of which every claim holds; tests change single ones.
 */
#ifndef SC_TESTS_SUPPORT_MADE_RESULTS_H
#define SC_TESTS_SUPPORT_MADE_RESULTS_H

#include "lab/results.h"

typedef struct made_results {
    sc_lab_options options;
    sc_lab_results results;
    sc_lab_result *all;
    sc_map *maps[2];
} made_results;

/** All figures, default grids, three seeds, all methods, no directory, no results yet. */
made_results made_results_new(void);
void made_results_free(made_results *made);

/** What comes out at a point. */
typedef sc_lab_measure made_formula(const sc_lab_point *point, sc_lab_method method);

made_formula as_the_paper_says;

/** Fill in results for every point that the options ask for. */
void made_results_fill(made_results *made, made_formula *formula);

/** The result at a point, to be changed. */
sc_lab_result *made_result_at(made_results *made, uint32_t map, sc_lab_axis axis, double value,
                              uint64_t seed);

#endif
