/**
 * @file point_file.h
 * @brief The result of one point as a file.
 *
 *     {"point":"california-k5-l5-s4-t10-n5-seed1",
 *      "travellers":10000, "attacked":true, "least asked":0,
 *      "methods":{"basic":{"queries":28411,"cloaked":28276,...},...},
 *      "checksum":"5f0c..."}
 *
 * A point where queries are injected has how many in its name, as in "...-n5-i3-seed1".
 *
 * Numbers are written so that reading gives the very same ones. The checksum is of point and
 * numbers: whatever else is in a file, it was written by us and for this point, or it does not
 * count.
 *
 * Uses: lab/results. Used by: lab/store.
 */
#ifndef SC_LAB_POINT_FILE_H
#define SC_LAB_POINT_FILE_H

#include "lab/results.h"

/** Room for a name: a map's of 64 letters, six numbers and a seed. */
enum { SC__POINT_NAME = 256 };

/** What files and messages call a point; every point another. Returns `out`. */
const char *sc__point_name(const sc_lab_options *options, const sc_lab_point *point,
                           char out[SC__POINT_NAME]);

/** Whether some point, of whatever experiment, may be called so. */
bool sc__is_point_name(const char *name, size_t size);

/** The file appears whole or not at all. @return SC_OK, SC_EIO, SC_ENOMEM */
SC_CHECKED sc_err sc__point_write(const char *path, const sc_lab_options *options,
                                  const sc_lab_result *result, sc_diag *diag);

/**
 * Read what a file has of `point`.
 *
 * @param is_there  set to whether that is all of it, attacks that the figures want now included; a
 *                  file that is missing or damaged has none
 * @return SC_OK, SC_EIO (there is one, and it cannot be read), SC_ENOMEM
 */
SC_CHECKED sc_err sc__point_read(const char *path, const sc_lab_options *options,
                                 const sc_lab_point *point, sc_lab_result *out, bool *is_there,
                                 sc_diag *diag);

#endif
