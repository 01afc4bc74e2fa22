/**
 * @file store.h
 * @brief The directory of an experiment: what is done stays done.
 *
 *     DIR/experiment.json      what all points share (lab/manifest.h)
 *     DIR/points/NAME.json     one file per point (lab/point_file.h)
 *     DIR/.lock                held while a run is at work
 *
 * Files appear whole or not at all. A point that is not there, or damaged, is to be done. What does
 * not look like ours is never touched.
 *
 * Uses: lab/manifest, lab/point_file. Used by: lab/lab, lab/workers.
 */
#ifndef SC_LAB_STORE_H
#define SC_LAB_STORE_H

#include "lab/point_file.h"

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

/** As sc__point_read(). */
SC_CHECKED sc_err sc__store_load(const sc__store *store, const sc_lab_point *point,
                                 sc_lab_result *out, bool *is_there, sc_diag *diag);

/** Remove what processes that were killed have left half-written. */
void sc__store_sweep(const sc__store *store);

#endif
