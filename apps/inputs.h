/**
 * @file inputs.h
 * @brief Kind words for whoever gave one file for another.
 *
 * Maps, streams of queries and records of runs are easily mixed up. A file that cannot be read
 * as what it should be is looked at once more, at its first bytes only: if it seems to be
 * something else that we know, the message says what, and what is wanted. Of what is in a file
 * nothing is repeated; it may be a user or a position.
 *
 * Used by: every command that reads a map, a stream, a record or a density.
 */
#ifndef SC_APPS_INPUTS_H
#define SC_APPS_INPUTS_H

#include <stdbool.h>

#include <starcloak/map.h>

/** What a file seems to be. */
typedef enum sc_input_kind {
    SC_INPUT_UNKNOWN,
    SC_INPUT_MAP,
    SC_INPUT_STREAM,
    SC_INPUT_RECORD,
    SC_INPUT_DENSITY,
    SC_INPUT_REPORT,
    SC_INPUT_GEOJSON,
    SC_INPUT_PACKED,
} sc_input_kind;

/**
 * As sc_map_open(). If `path` is something else and `next`, the argument behind it (or NULL),
 * is a map, they were given the wrong way round.
 */
SC_CHECKED sc_err sc_input_open_map(const char *path, const char *next, sc_map **out,
                                    sc_diag *diag);

/** Whether there are objects on the map, that at `path`; if not, `diag` says what to do. */
SC_CHECKED sc_err sc_input_need_objects(const sc_map *map, const char *path, sc_diag *diag);

/** Whether the file at `path` begins as one packed by xz or gzip. Not for standard input. */
bool sc_input_is_packed(const char *path);

/**
 * Reading `path` as what is `wanted`, a stream, a record or a density, failed with `err`, and
 * `diag` says why: if it seems to be something else, let it say that instead. Returns `err`.
 */
sc_err sc_input_explain(sc_err err, const char *path, sc_input_kind wanted, sc_diag *diag);

#endif
