/**
 * @file evaluate.h
 * @brief Answering the cloaks of a run record.
 *
 * Each cloak goes to a provider and back (sim/evaluation.h). The record is written anew, with the
 * answers right behind their cloaks; answers and failures that it had there before are left out.
 *
 * Uses: record, sim/evaluation. Used by: starcloak evaluate and simulate.
 */
#ifndef SC_SIM_EVALUATE_H
#define SC_SIM_EVALUATE_H

#include "sim/evaluation.h"

/**
 * Evaluate the record at `path` ("-" is standard input; xz and gzip are unpacked).
 *
 * @param output  where the new record goes, as sc_record_open(); may be `path`. NULL: nowhere. On
 *                failure, and if the evaluation was fruitless, it is as it was
 * @return SC_OK, also if queries fail or answers are wrong; SC_EIO, SC_EPARSE (not a record),
 *         SC_EMISMATCH (of another map), SC_EINVAL (options), SC_ENET (the provider was never
 *         reached), SC_ELIMIT, SC_ENOCOORDS, SC_ENOMEM
 */
SC_CHECKED sc_err sc_evaluate(const sc_map *map, const char *path, const char *output,
                              const sc_evaluate_options *options, sc_evaluate_report *report,
                              sc_diag *diag);

#endif
