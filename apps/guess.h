/**
 * @file guess.h
 * @brief Which format files have, told from their names.
 *
 * Used by: map import.
 */
#ifndef SC_APPS_GUESS_H
#define SC_APPS_GUESS_H

#include <stddef.h>

#include <starcloak/map_import.h>

/** How a guess ended. */
typedef enum sc_guess {
    SC_GUESS_FOUND,     ///< *format is set
    SC_GUESS_UNKNOWN,   ///< no name of a known ending: *culprit is the first such
    SC_GUESS_CONFLICT,  ///< *culprit is of another format than those before it
} sc_guess;

/**
 * Guess the format of `paths` from the endings of their names, once ".xz" and
 * ".gz" are taken off. Every name must agree; one of no known ending is part of a
 * shapefile if a .shp of that name is among the others.
 */
sc_guess sc_guess_format(const char *const *paths, size_t path_count, sc_format *format,
                         const char **culprit);

#endif
