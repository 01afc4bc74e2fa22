/**
 * @file follow.h
 * @brief Travellers who do as recorded ones did.
 *
 * Fixes are snapped onto the roads; those too far from any are left out. Between two fixes a
 * traveller takes the fastest way for a car, at an even pace, so that it passes both in time. Where
 * the roads know no such way, or one that would need more than SC_FOLLOW_MAX_SPEED_M_S, and where
 * the fixes are too far apart in time, it is off the roads meanwhile. A stretch that crosses the
 * start, the end or the border of a window is followed as far as it lies inside, so that the roads
 * are as full there as in between. A track that is on the roads for less than a second in all is
 * left out.
 *
 * Real fleets are small. To have as many travellers as a simulation wants, recorded time can be
 * folded: cut into windows of equal length, and each traveller's part of each window becomes a
 * traveller of its own, all in one window. ("cab3#7": cab3 in window 7.)
 */
#ifndef SC_TRACES_FOLLOW_H
#define SC_TRACES_FOLLOW_H

#include <starcloak/map.h>
#include <starcloak/query.h>

#include "traces/traces.h"
#include "travel/routes.h"

/** No traveller drives faster, not even in traces: 60 m/s. */
#define SC_FOLLOW_MAX_SPEED_M_S 60.0

typedef struct sc_follow_options {
    double max_snap_m;   ///< farther from any road, a fix is left out
    double max_gap_s;    ///< fixes farther apart in time have nothing between them
    double fold_s;       ///< length of a window; 0: do not fold
    uint32_t max_count;  ///< take that many at random if there are more; 0: all
    uint64_t seed;       ///< for that choice
    bool has_start;      ///< else recorded time begins with the first fix
    double start_s;      ///< recorded time that becomes 0
    double end_s;        ///< recorded time from which on nothing counts; INFINITY
    bool repeats;        ///< when the last has left the roads, all begin again, and so on
} sc_follow_options;

/** 100 m, 300 s, no folding, all, once. */
sc_follow_options sc_follow_options_default(void);

/**
 * What became of the traces. Where only some travellers were taken, far fixes and pairs are counted
 * as far as they were looked at.
 */
typedef struct sc_follow_summary {
    size_t fix_count;
    size_t outside_count;  ///< before the start or after the end
    size_t far_count;      ///< too far from any road
    size_t stretch_count;  ///< pairs of fixes with something between them
    size_t against_count;  ///< of them, those that no way explains but one against one-way streets
    size_t gap_count;      ///< too far apart in time
    size_t no_way_count;   ///< no way, or too fast
    uint32_t traveller_count;
    double seconds;  ///< from 0 to the last moment at which a traveller is on the road
} sc_follow_summary;

/** What is followed, and where. */
typedef struct sc_follow_input {
    const sc_map *map;        ///< must have coordinates; must outlive the movement, as `routes`
    const sc_routes *routes;  ///< of the map
    const sc_traces *traces;  ///< read only while the movement is made
} sc_follow_input;

/**
 * Ways are found now, so that later only places are looked up.
 *
 * @param input     borrowed
 * @param progress  may be NULL
 * @param summary  may be NULL
 * @return SC_OK, SC_ENOCOORDS, SC_EINVAL (options out of range, or no track is ever on the roads:
 *         `diag` says what became of the fixes), SC_ELIMIT (a map too large), SC_ENOMEM
 */
SC_CHECKED sc_err sc_follow_new(const sc_follow_input *input, const sc_follow_options *options,
                                const sc_progress *progress, sc_movement **out,
                                sc_follow_summary *summary, sc_diag *diag);

#endif
