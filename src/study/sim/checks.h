/**
 * @file checks.h
 * @brief Answers put aside, evenly spread over a record, to be compared with a plain search.
 *
 * How many answers a record has is known only at its end. So every one is put aside at first;
 * when there are twice as many as wanted, every second is let go, and from then on every second is
 * put aside; and so on. Where all are wanted, they are compared as soon as there are some.
 *
 * The plain search is sc_lbs_nearest(): from the exact position over the whole map, without
 * cloak or index. Distances must be equal to a millimetre, rank by rank.
 *
 * Uses: lbs. Used by: sim/evaluation.
 */
#ifndef SC_SIM_CHECKS_H
#define SC_SIM_CHECKS_H

#include <starcloak/lbs.h>

/** An answer. */
typedef struct sc_check {
    sc_edge_id edge;
    double offset_m;
    sc_request request;
    uint64_t line;        ///< of its cloak
    double *distances_m;  ///< of its results, nearest first
    size_t count;
} sc_check;

/** Zero-initialise but for what comes first; release with sc_checks_fini(). */
typedef struct sc_checks {
    sc_lbs *lbs;
    const sc_objects *objects;
    uint64_t wanted;  ///< answers; UINT64_MAX: all

    uint64_t checked;
    uint64_t wrong;
    uint64_t first_wrong;  ///< the line of its cloak

    sc_check *kept;
    size_t kept_count;
    size_t kept_capacity;
    uint64_t seen;
    uint64_t stride;  ///< one of so many is put aside; 0 before the first
} sc_checks;

/**
 * The next answer: put it aside if it is one to be compared.
 *
 * @param check  its distances are made from `results`
 */
SC_CHECKED sc_err sc_checks_add(sc_checks *checks, sc_check check, const sc_near *results,
                                sc_diag *diag);

/** There are no more: compare those that are left. */
SC_CHECKED sc_err sc_checks_finish(sc_checks *checks, sc_diag *diag);

/** Harmless twice. */
void sc_checks_fini(sc_checks *checks);

#endif
