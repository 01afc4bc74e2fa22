/**
 * @file engine_read.h
 * @brief Which engine made the cloaks of a record, from JSON: what sc_record_engine() was told.
 *
 * Used by: run_events.c.
 */
#ifndef SC_RECORD_ENGINE_READ_H
#define SC_RECORD_ENGINE_READ_H

#include <starcloak/engine.h>

#include "record/fields.h"

/**
 * The "engine" of the end of a record, which must be there. Whatever is accepted, an engine can be
 * made with.
 *
 * @return SC_OK, SC_EPARSE (a field that is missing, unknown or out of range)
 */
SC_CHECKED sc_err sc__engine_read(const sc__fields *end, sc_engine_options *out);

#endif
