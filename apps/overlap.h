/**
 * @file overlap.h
 * @brief Would writing one file replace another?
 *
 * Used by: map import, queries, cloak, simulate, evaluate, attack, density.
 */
#ifndef SC_APPS_OVERLAP_H
#define SC_APPS_OVERLAP_H

#include <stdbool.h>

/**
 * Whether `output` is the file `input`, under whatever name, or the table that is
 * read along with it if it is a .shp. A file that is not there yet is told by its
 * directory and name. Standard output ("-") is never a file that is read.
 */
bool sc_overlaps(const char *output, const char *input);

#endif
