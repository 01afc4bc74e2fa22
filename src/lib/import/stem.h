/**
 * @file stem.h
 * @brief What the names of files that belong together have in common.
 *
 * "roads.shp" and "roads.dbf.xz" are two parts of one thing, told by the stem
 * "roads" of their names: without ".xz" or ".gz", and without the last ending.
 *
 * Uses: nothing. Used by: import.c, load_dimacs.c, load_shapefile.c.
 */
#ifndef SC_IMPORT_STEM_H
#define SC_IMPORT_STEM_H

#include <stdbool.h>
#include <stddef.h>

/** How many bytes of `path`, directories included, are its stem. */
size_t sc__stem_size(const char *path);

/** Whether both have the same stem, letter by letter. */
bool sc__same_stem(const char *a, const char *b);

#endif
