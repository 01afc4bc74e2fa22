/**
 * @file shp_memory.h
 * @brief Lets shapelib read a shapefile that lies in memory.
 *
 * Inputs reach the readers as bytes, unpacked where they were compressed, while
 * shapelib opens files by name. It can be given other functions for its file
 * work, and these serve it the bytes. The `.shx` is made here from the `.shp`
 * (shp_check.h), so no one needs to have it.
 *
 * Uses: file. Used by: load_shapefile.c, tests.
 */
#ifndef SC_IMPORT_SHP_MEMORY_H
#define SC_IMPORT_SHP_MEMORY_H

#include <shapefil.h>

#include "base/file.h"

/** A place in bytes that are read like a file. */
typedef struct sc_shp_cursor {
    const uint8_t *data;  ///< NULL: there is no such file
    size_t size;
    size_t at;
} sc_shp_cursor;

/** The files of one shapefile, as shapelib sees them. Must stay where it is while open. */
typedef struct sc_shp_memory {
    sc_shp_cursor shp;
    sc_shp_cursor shx;
    sc_shp_cursor dbf;
} sc_shp_memory;

/**
 * Open the shapes; `shp` and `shx` must have passed sc__shp_index(). Close with
 * SHPClose(). NULL when memory is out.
 */
SHPHandle sc__shp_open(sc_shp_memory *memory);

/** Open the attributes, which must have passed sc__dbf_check(). Close with DBFClose(). */
DBFHandle sc__dbf_open(sc_shp_memory *memory);

#endif
