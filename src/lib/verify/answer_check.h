/**
 * @file answers.h
 * @brief Is an answer the exact one? Compared with a plain search from where the traveller is.
 *
 * Of objects equally far, any may be named, in any order; all else must agree: how many, which
 * category, which distances, and the nearest first.
 *
 * Uses: distances, sample, findings. Used by: record.
 */
#ifndef SC_VERIFY_ANSWERS_H
#define SC_VERIFY_ANSWERS_H

#include "verify/distances.h"
#include "verify/findings.h"
#include "verify/answer_sample.h"

/** An object and how far it is. */
typedef struct sc_found {
    sc_object_id object;
    double distance_m;
} sc_found;

/** Room for comparing answers; zero-initialise but for `distances`. */
typedef struct sc_answers {
    sc_distances distances;
    sc_found *found;  ///< what the plain search gives, and a little beyond
    size_t found_count;
    size_t found_capacity;
} sc_answers;

SC_CHECKED sc_err sc__answers_init(sc_answers *answers, const sc_map *map);

/** Harmless twice. */
void sc__answers_fini(sc_answers *answers);

/** Look at an answer that is watched, and add to the findings. Sorts its results. */
SC_CHECKED sc_err sc__answers_look(sc_answers *answers, sc_watched *watched, sc_findings *findings);

#endif
