/**
 * @file store.h
 * @brief The directory of an experiment: what is done stays done.
 *
 *     DIR/experiment.json      what all points share (lab/manifest.h)
 *     DIR/points/NAME.json     one file per point (below)
 *     DIR/.lock                held while a run is at work
 *
 * Files appear whole or not at all. A point that is not there, or damaged, is to be done. What does
 * not look like ours is never touched.
 */
#ifndef SC_LAB_STORE_H
#define SC_LAB_STORE_H

#include "lab/results.h"

// === Files of points ============================================================================
//     {"point":"california-k5-l5-s4-t10-n5-seed1",
//      "travellers":10000, "attacked":true, "least asked":0,
//      "methods":{"basic":{"queries":28411,"cloaked":28276,...},...},
//      "checksum":"5f0c..."}
//
// A point where queries are injected has how many in its name, as in "...-n5-i3-seed1".
//
// Numbers are written so that reading gives the very same ones. The checksum is of point and
// numbers: whatever else is in a file, it was written by us and for this point, or it does not
// count.

/** Room for a name: a map's of 64 letters, six numbers and a seed. */
enum { SC__POINT_NAME = 256 };

/** What files and messages call a point; every point another. Returns `out`. */
const char *sc__point_name(const sc_lab_options *options, const sc_lab_point *point,
                           char out[SC__POINT_NAME]);

/** Whether some point, of whatever experiment, may be called so. */
bool sc__is_point_name(const char *name, size_t size);

// === The directory ==============================================================================

/** Opened by sc__store_open(). */
typedef struct sc__store {
    const sc_lab_options *options;  ///< borrowed
    int lock;
} sc__store;

/**
 * Make the directory if it is not there, keep others out, forget what is there if the options say
 * so, and see that it is of the same experiment.
 *
 * @return SC_OK, SC_EIO, SC_EBUSY, SC_EMISMATCH, SC_ENOMEM; `store` is then not to be closed
 */
SC_CHECKED sc_err sc__store_open(sc__store *store, const sc_lab_options *options, sc_diag *diag);

/** Let others in. */
void sc__store_close(sc__store *store);

/** Keep a result. Processes that were forked from the opener may do so too. */
SC_CHECKED sc_err sc__store_save(const sc__store *store, const sc_lab_result *result,
                                 sc_diag *diag);

/**
 * Read what the directory has of `point`.
 *
 * @param is_there  set to whether that is all of it, attacks that the figures want now included; a
 *                  file that is missing or damaged has none
 * @return SC_OK, SC_EIO (there is one, and it cannot be read), SC_ENOMEM
 */
SC_CHECKED sc_err sc__store_load(const sc__store *store, const sc_lab_point *point,
                                 sc_lab_result *out, bool *is_there, sc_diag *diag);

/** Remove what processes that were killed have left half-written. */
void sc__store_sweep(const sc__store *store);

#endif
