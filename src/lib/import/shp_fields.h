/**
 * @file shp_fields.h
 * @brief What the table of a shapefile says of its roads: class, direction, speed, name.
 *
 * The fields are those that the user names, or else Geofabrik's (oneway, maxspeed in km/h, name,
 * and ref for roads without one; fclass) and TIGER's (FULLNAME, which has the route number of
 * roads of which RTTYP says that they have one; MTFCC; there are no directions and no speeds).
 */
#ifndef SC_IMPORT_SHP_FIELDS_H
#define SC_IMPORT_SHP_FIELDS_H

#include <starcloak/map_import.h>

#include "import/polylines.h"

#include <shapefil.h>

/** Where a table has what. Numbers of fields are -1 where there is none. */
typedef struct sc_shp_fields {
    DBFHandle table;   ///< borrowed; NULL: there is no .dbf
    const char *file;  ///< its name for messages, or that of the .shp
    int class_field;
    bool is_tiger;  ///< the class is an MTFCC code, not a highway value
    int direction_field;
    int speed_field;
    int name_field;
    int ref_field;  ///< the name of roads that have no other
} sc_shp_fields;

/** A road of the table; must stay where it is, since `line` points to `name`. */
typedef struct sc_shp_road {
    sc_line_road line;
    char name[2 * 255 + 1];  ///< the longest value there is, as UTF-8 of Latin-1
} sc_shp_road;

/** Find the fields once `table` and `file` are set. SC_EINVAL when one that the user names is
 * missing; the message lists those that are there. */
SC_CHECKED sc_err sc__shp_fields_find(sc_shp_fields *fields, const sc_import_options *options,
                                      sc_diag *diag);

/** The class of a record as the table writes it; "" where it does not. */
const char *sc__shp_fields_class(const sc_shp_fields *fields, int record);

/** Read what is said of a record; SC_EPARSE where a direction or a speed is none. */
SC_CHECKED sc_err sc__shp_fields_read(const sc_shp_fields *fields, int record, sc_shp_road *out,
                                      sc_diag *diag);

#endif
