/**
 * @file attack_points.h
 * @brief What an adversary tries at a point: victims are attacked, travellers are followed.
 *
 * All but the algorithm is the same for every method: who the victims are, what is injected near
 * them, the density that the adversary holds, and its dice. Of each method the same number of
 * victims' cloaks is attacked, as long as so many were cloaked; more victims are drawn than that,
 * since no method cloaks everybody.
 *
 *     questions -> sc__point_attack_init() -> a stream -> each method -> its cases
 *               -> sc__point_attack_run()
 */
#ifndef SC_LAB_ATTACK_POINTS_H
#define SC_LAB_ATTACK_POINTS_H

#include "lab/point.h"
#include "lab/results.h"
#include "score/cases.h"
#include "score/inject.h"
#include "sim/literal.h"

/** Zero-initialise, then sc__point_attack_init(). */
typedef struct sc__point_attack {
    const sc_lab_options *options;  ///< borrowed
    const sc_map *map;
    uint64_t seed;           ///< of the point
    bool is_attacked;        ///< victims are
    uint32_t least_asked;    ///< as sc_lab_least_asked()
    sc_injection injection;  ///< the victims; its lines are what they and all others ask
    sc_density *density;     ///< NULL: uniform
} sc__point_attack;

/** Whether there is anything to try at a point. */
bool sc__point_attack_is_wanted(const sc_lab_options *options, const sc_lab_point *point);

/** The run that is attacked. Lines and map must outlive the attack. */
typedef struct sc__attacked_run {
    const sc__map_setup *setup;
    const sc_lab_point *point;
    const sc_request_line *lines;  ///< in the order of time
    size_t line_count;
    sc_run_window counted;
} sc__attacked_run;

/**
 * Choose victims among what is asked in `counted`, put the adversary's queries near them, and count
 * the traffic of another seed if the adversary is to know it.
 *
 * @return SC_OK, or what injections, movements and densities fail with
 */
SC_CHECKED sc_err sc__point_attack_init(sc__point_attack *attack, const sc_lab_options *options,
                                        const sc__attacked_run *run, sc_diag *diag);

/** Harmless twice, and on a zeroed one. */
void sc__point_attack_fini(sc__point_attack *attack);

/** The algorithm that the adversary knows. */
typedef struct sc__attacked_method {
    sc_engine_options engine;
    const sc_literal_method *literal;  ///< NULL: the engine's
    uint32_t travellers;               ///< how many there are, which the literal one counts
} sc__attacked_method;

/**
 * Attack and follow what a method made of the attack's lines.
 *
 * @param cases    all of its cloaks
 * @param measure  of the method: what was learnt is added to it
 */
SC_CHECKED sc_err sc__point_attack_run(const sc__point_attack *attack,
                                       const sc__attacked_method *method, const sc_cases *cases,
                                       sc_lab_measure *measure, sc_diag *diag);

#endif
