/**
 * @file sheet.h
 * @brief Small shapefiles for tests, written by shapelib itself.
 */
#ifndef SC_TESTS_SHEET_H
#define SC_TESTS_SHEET_H

#include <starcloak/map_import.h>

#include "base/file.h"

#include <shapefil.h>

/** A line of up to 8 vertices in `part_count` parts; without vertices, a null shape. */
typedef struct sheet_shape {
    int vertex_count, part_count;
    double x[8], y[8];
    int part_start[4];
    const char *code;  ///< MTFCC, or NULL for none
} sheet_shape;

/** The bytes of a .shp and its .dbf. */
typedef struct sheet {
    uint8_t *shp, *dbf;
    size_t shp_size, dbf_size;
} sheet;

/**
 * Three roads that meet in one point; the third has a second part elsewhere:
 *
 *        |3
 *    ----+----1
 *    2   |           3b ---
 *
 * As SHPT_ARC: a header of 100 bytes; record 1 at byte 100 with 96 bytes of
 * content, record 2 at 204 with 80, record 3 at 292 with 116; 416 bytes in all.
 * The table: a header of 97 bytes, three records of 26, and one byte that ends
 * it; 176 bytes.
 */
enum { SHEET_CROSSING_COUNT = 3 };
extern const sheet_shape sheet_crossing[SHEET_CROSSING_COUNT];

/** Let shapelib write shapes of type SHPT_...; `field` has the codes. */
sheet sheet_new(int type, const sheet_shape *shapes, int count, const char *field);

/** A field of a table and its values, one for each record. */
typedef struct sheet_field {
    const char *name;
    DBFFieldType type;
    const char *values[4];
} sheet_field;

/** The first `count` of the three roads, with a table of these fields instead. */
sheet sheet_new_table(int count, const sheet_field *fields, int field_count);

/** The three roads. */
sheet sheet_new_crossing(void);

void sheet_free(sheet *s);

/** Read it as "a/roads.shp" and, if asked, "a/roads.dbf.xz", up to the finished map. */
sc_err sheet_load(const sheet *s, bool with_dbf, const sc_import_options *options, sc_map **map,
                  sc_diag *diag);

/** The same from inputs. */
sc_err sheet_load_inputs(const sc_input *inputs, size_t count, const sc_import_options *options,
                         sc_import_report *report, sc_map **map, sc_diag *diag);

/** The same where it must succeed, and pass the map's own check. */
sc_map *sheet_load_good(const sheet *s, bool with_dbf, const sc_import_options *options);

/** The same where it must fail with exactly this message. */
void sheet_assert_refused(const sheet *s, bool with_dbf, const sc_import_options *options,
                          sc_err expected, const char *message);

#endif
