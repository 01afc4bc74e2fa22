/**
 * @file options.h
 * @brief Whether an engine's options make sense.
 */
#ifndef SC_ENGINE_OPTIONS_H
#define SC_ENGINE_OPTIONS_H

#include <starcloak/engine.h>

/** SC_OK, or SC_EINVAL with the option and its range. */
SC_CHECKED sc_err sc__options_check(const sc_engine_options *options, sc_diag *diag);

#endif
