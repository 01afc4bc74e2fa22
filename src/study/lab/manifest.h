/**
 * @file manifest.h
 * @brief What all points of a directory share: experiment.json.
 *
 * Points may be added to a directory as long as what they have in common stays the same: the
 * program to the last byte, the methods, the travellers, the times, the spreads of what they want,
 * the roads. The values that are varied, the seeds and the figures may change; maps may be added.
 */
#ifndef SC_LAB_MANIFEST_H
#define SC_LAB_MANIFEST_H

#include <starcloak/err.h>

#include "base/json_tree.h"
#include "lab/lab.h"

#include <stdbool.h>

/**
 * Hold the options against the manifest at `path`, if there is one; write it, if there is none or
 * if maps were added.
 *
 * @return SC_OK, SC_EMISMATCH (`diag` says what differs), SC_EIO, SC_ENOMEM
 */
SC_CHECKED sc_err sc__manifest_settle(const char *path, const sc_lab_options *options,
                                      sc_diag *diag);

// === Reading the laboratory's own files =========================================================

/**
 * Read the file at `path`.
 *
 * @param out       what is in it; empty if there is no file, or one that is damaged. Release with
 *                  sc_json_tree_fini()
 * @param is_there  set to whether there is a file, damaged or not
 * @return SC_OK, SC_EIO (there may be one, and it cannot be read), SC_ENOMEM
 */
SC_CHECKED sc_err sc__json_read(const char *path, sc_json_tree *out, bool *is_there, sc_diag *diag);

#endif
