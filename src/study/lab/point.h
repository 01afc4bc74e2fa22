/**
 * @file point.h
 * @brief What comes out at one point: every method on the same questions, its cloaks at the
 * provider and before an adversary.
 *
 * Questions are asked for a while before they count, since at the beginning there are no other
 * queries to be cloaked with, and for as long as anyone waits after that, since those who ask last
 * need company too.
 *
 * A provider is shown the same number of cloaks by every method: as many as the method with the
 * fewest has (one without any has none to show, and does not hold the others back), and no more
 * than the options allow; spread evenly over the time.
 *
 * An adversary comes last, and where a figure wants it (lab/attack_points.h): whatever is timed is
 * done by then. Its victims ask what all methods are asked, so in a closed loop those questions are
 * asked once more. Where it injects queries, only the attack is of interest: the run that is
 * measured is the one with its queries, and nothing goes to the provider.
 */
#ifndef SC_LAB_POINT_H
#define SC_LAB_POINT_H

#include <starcloak/objects.h>

#include "lab/lab.h"
#include "lab/results.h"

// === What all points of one map share ===========================================================
// Routes along its roads, and its objects.
// Finding out the fastest ways takes longer than many a point, so it is done once, before the
// processes part; they read it and leave it as it is.

/** Zero-initialise, then sc__map_setup_init(). */
typedef struct sc__map_setup {
    const sc_lab_map *map;  ///< borrowed; NULL before the init
    sc_route_table table;   ///< for trips; walks need none
    sc_routes *routes;      ///< for traces
    sc_objects *objects;    ///< NULL: the map has none
} sc__map_setup;

/** @param map  of the options; borrowed, must outlive the setup */
SC_CHECKED sc_err sc__map_setup_init(sc__map_setup *setup, const sc_lab_options *options,
                                     const sc_lab_map *map, sc_diag *diag);

/** Harmless twice, and on a zeroed one. */
void sc__map_setup_fini(sc__map_setup *setup);

/**
 * The travellers of a seed, all at their beginnings.
 *
 * @param options  those of the init
 * @return SC_OK, SC_EINVAL (traces that end before all is counted, or as sc_follow_new()),
 *         SC_ENOMEM
 */
SC_CHECKED sc_err sc__map_setup_movement(const sc__map_setup *setup, const sc_lab_options *options,
                                         uint64_t seed, sc_movement **out, sc_diag *diag);

// === One point ==================================================================================

/**
 * @param setup  of the point's map
 * @param out     set on success; methods that are not asked for are zero
 * @return SC_OK, or what movement, run or evaluation fail with
 */
SC_CHECKED sc_err sc__point_run(const sc_lab_options *options, const sc__map_setup *setup,
                                const sc_lab_point *point, sc_lab_result *out, sc_diag *diag);

#endif
