/**
 * @file point.h
 * @brief What comes out at one point: every method on the same questions, its cloaks at the
 * provider and before an adversary.
 *
 * Questions are asked for a while before they count, since at the beginning nobody has company yet,
 * and for as long as anyone waits after that, since those who ask last need company too.
 *
 * A provider is shown the same number of cloaks by every method: as many as the method with the
 * fewest has (one without any has none to show, and does not hold the others back), and no more
 * than the options allow; spread evenly over the time.
 *
 * An adversary comes last, and where a figure wants it (lab/attack_points.h): whatever is timed is
 * done by then. Its victims ask what all methods are asked, so in a closed loop those questions are
 * asked once more. Where it injects queries, only the attack is of interest: the run that is
 * measured is the one with its queries, and nothing goes to the provider.
 *
 * Uses: sim, lab/ground, lab/assault. Used by: lab/workers.
 */
#ifndef SC_LAB_POINT_H
#define SC_LAB_POINT_H

#include "lab/ground.h"
#include "lab/results.h"

/**
 * @param ground  of the point's map
 * @param out     set on success; methods that are not asked for are zero
 * @return SC_OK, or what movement, run or evaluation fail with
 */
SC_CHECKED sc_err sc__point_run(const sc_lab_options *options, const sc__ground *ground,
                                const sc_lab_point *point, sc_lab_result *out, sc_diag *diag);

#endif
