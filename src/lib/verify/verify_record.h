/**
 * @file verify_record.h
 * @brief Records that are in memory: what is behind sc_record_verify(), for tests and fuzzers.
 */
#ifndef SC_VERIFY_RECORD_H
#define SC_VERIFY_RECORD_H

#include <starcloak/verify.h>

#include "base/file.h"

/** sc_record_verify() for bytes in memory, as they are: nothing is unpacked. */
SC_CHECKED sc_err sc__verify_input(const sc_map *map, const sc_input *input,
                                   const sc_verify_options *options, sc_verify_report *report,
                                   sc_diag *diag);

#endif
