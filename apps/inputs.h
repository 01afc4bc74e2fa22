/**
 * @file inputs.h
 * @brief Inputs of commands: maps and records, positions from standard input, and outputs that
 * would replace an input.
 *
 * Maps, streams of queries and records of runs are easily mixed up. A file that cannot be read
 * as what it should be is looked at once more, at its first bytes only: if it seems to be
 * of another known kind, the message names that kind and the one that is needed. Messages repeat
 * nothing of the content, which may be a user or a position.
 */
#ifndef SC_APPS_INPUTS_H
#define SC_APPS_INPUTS_H

#include <starcloak/density.h>
#include <starcloak/map.h>
#include <starcloak/place_classes.h>

#include "command.h"

#include <stdbool.h>

/** What a file seems to be. */
typedef enum sc_input_kind {
    SC_INPUT_UNKNOWN,
    SC_INPUT_MAP,
    SC_INPUT_STREAM,
    SC_INPUT_RECORD,
    SC_INPUT_DENSITY,
    SC_INPUT_CLASSES,
    SC_INPUT_ZONES,
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
 * Reading `path` as what is `wanted`, a stream, a record or a table, failed with `err`, and
 * `diag` says why: if it seems to be something else, let it say that instead. Returns `err`.
 */
sc_err sc_input_explain(sc_err err, const char *path, sc_input_kind wanted, sc_diag *diag);

/** How many segments are of any class whose bit is in `mask`. */
size_t sc_input_marked_segments(const sc_place_classes *classes, uint32_t mask);

/** Room for the words of sc_input_warns_of_density(). */
#define SC_DENSITY_WARNING_SIZE 256

/**
 * Whether a density rests on so few counts that every command that demands traffic by it warns.
 *
 * @param words  set to the warning, without the name of a file
 */
bool sc_input_warns_of_density(const sc_density *density, char words[SC_DENSITY_WARNING_SIZE]);

// --- Positions from standard input --------------------------------------------------------------
// Positions from standard input, one per line, and why one has no place on the roads.

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

// --- Outputs that would replace an input --------------------------------------------------------

/**
 * Whether `output` is the file `input`, under whatever name, or the table that is
 * read along with it if it is a .shp. A file that does not exist yet is compared by its
 * directory and name. Standard output ("-") is never a file that is read.
 */
bool sc_overlaps(const char *output, const char *input);

#endif
