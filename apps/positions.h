/**
 * @file positions.h
 * @brief Positions from standard input, one per line, and why one has no place on the roads.
 *
 * Used by: map snap, nearest.
 */
#ifndef SC_APPS_POSITIONS_H
#define SC_APPS_POSITIONS_H

#include <starcloak/map.h>

#include "command.h"

/** Does something with the position of line `line`; returns an exit status. */
typedef int (*sc_position_visit)(void *context, uint64_t line, double x, double y);

/**
 * Hand each line of standard input, longitude and latitude separated by blanks or a comma, to
 * `visit`. What is no position ends it with a message, as does an output that cannot be written.
 * Returns the exit status: a failure if there was one.
 */
int sc_positions_each(const sc_call *call, sc_position_visit visit, void *context);

/** Complain about line `line` of standard input; returns the status. */
int sc_position_fail(const sc_call *call, uint64_t line, sc_err err, const char *what);

/**
 * Let `diag` say why sc_map_snap() failed with `err`, without repeating the position: messages
 * end up in logs. Returns `err`.
 *
 * @param path        of the map
 * @param max_snap_m  the limit that was given
 */
sc_err sc_position_explain(sc_err err, const sc_map *map, const char *path, double max_snap_m,
                           sc_diag *diag);

#endif
