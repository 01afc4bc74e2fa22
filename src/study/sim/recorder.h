/**
 * @file recorder.h
 * @brief A record as one who listens to a run.
 *
 * Uses: record, sim/run. Used by: sim/runner.
 */
#ifndef SC_SIM_RECORDER_H
#define SC_SIM_RECORDER_H

#include "record/record_write.h"
#include "sim/run.h"

/** Write down all that is heard; errors are collected by the record. @param record  borrowed */
sc_run_listener sc_recorder_of(sc_record *record);

#endif
