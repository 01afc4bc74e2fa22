/**
 * @file shp_check.h
 * @brief Checks a shapefile's bytes before shapelib gets them.
 *
 * Shapelib trusts its input too much: field widths in a .dbf,
 * record sizes in a .shx. Here every size and count is compared with the bytes
 * that are there, so that what is handed on is safe, and what is refused is
 * refused with file, byte and record. On the way the .shx is made, which is no
 * more than a list of where the records of the .shp are.
 */
#ifndef SC_IMPORT_SHP_CHECK_H
#define SC_IMPORT_SHP_CHECK_H

#include "base/file.h"

/** The .shx of a .shp. */
typedef struct sc_shp_index {
    uint8_t *shx;  ///< free with sc_free()
    size_t shx_size;
    uint32_t record_count;
} sc_shp_index;

/**
 * Check a whole .shp and make its .shx. When this succeeds the records hold
 * null shapes and lines (PolyLine, PolyLineZ or PolyLineM) with at least two
 * vertices in each part. Coordinates are not looked at.
 *
 * @return SC_OK, SC_EPARSE, SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc__shp_index(const sc_input *shp, sc_shp_index *out, sc_diag *diag);

/** Check a .dbf that must have `record_count` records. SC_OK or SC_EPARSE. */
SC_CHECKED sc_err sc__dbf_check(const sc_input *dbf, uint32_t record_count, sc_diag *diag);

#endif
