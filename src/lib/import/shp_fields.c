// The fields of a shapefile's table, and their values.
#include "import/shp_fields.h"

#include "base/diag.h"
#include "base/text.h"
#include "base/utf8.h"
#include "import/osm_internal.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

// --- Which field has what -------------------------------------------------------------

// "LINEARID, FULLNAME, ...": the fields that a table has, as far as there is room.
static void list_fields(DBFHandle table, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < DBFGetFieldCount(table) && used + 1 < size; i++) {
        char name[XBASE_FLDNAME_LEN_READ + 1] = "";
        DBFGetFieldInfo(table, i, name, NULL, NULL);
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 sc_quote(name, strlen(name)).text);
    }
}

// The number of a field that the user names, or else of the one that is usual, which may be
// missing: -1.
static sc_err find_field(const sc_shp_fields *fields, const char *wanted, const char *usual,
                         int *out, sc_diag *diag)
{
    if (!wanted) {
        *out = fields->table && usual ? DBFGetFieldIndex(fields->table, usual) : -1;
        return SC_OK;
    }
    *out = fields->table ? DBFGetFieldIndex(fields->table, wanted) : -1;
    if (*out >= 0) return SC_OK;
    if (!fields->table) {
        return sc_fail(diag, SC_EINVAL, "%s: no field %s: there is no .dbf file of the same name",
                       fields->file, sc_quote(wanted, strlen(wanted)).text);
    }
    char names[512];
    list_fields(fields->table, names, sizeof names);
    return sc_fail(diag, SC_EINVAL, "%s: no field %s; the file has %s", fields->file,
                   sc_quote(wanted, strlen(wanted)).text, names[0] != '\0' ? names : "none");
}

sc_err sc__shp_fields_find(sc_shp_fields *fields, const sc_import_options *options, sc_diag *diag)
{
    fields->class_field = -1;
    if (fields->table) {
        fields->class_field = DBFGetFieldIndex(fields->table, "MTFCC");
        fields->is_tiger = fields->class_field >= 0;
        if (!fields->is_tiger) fields->class_field = DBFGetFieldIndex(fields->table, "fclass");
    }
    // A field called "name" or "oneway" may be anything in other files.
    const bool is_geofabrik = !fields->is_tiger && fields->class_field >= 0;
    sc_err err = find_field(fields, options->direction_field, is_geofabrik ? "oneway" : NULL,
                            &fields->direction_field, diag);
    if (!err) {
        err = find_field(fields, options->speed_field, is_geofabrik ? "maxspeed" : NULL,
                         &fields->speed_field, diag);
    }
    if (!err) {
        err = find_field(fields, options->name_field, is_geofabrik ? "name" : "FULLNAME",
                         &fields->name_field, diag);
    }
    if (err) return err;
    return find_field(fields, NULL, is_geofabrik && !options->name_field ? "ref" : NULL,
                      &fields->ref_field, diag);
}

// --- Road classes ---------------------------------------------------------------------

// The MAF/TIGER feature class codes of roads.
static sc_road_class road_class_of_mtfcc(const char *code)
{
    static const struct {
        char code[6];
        uint8_t road_class;
    } classes[] = {
        {"S1100", SC_ROAD_MOTORWAY},   // primary: limited access
        {"S1200", SC_ROAD_SECONDARY},  // secondary: main arteries
        {"S1400", SC_ROAD_LOCAL},      // local and city streets
        {"S1500", SC_ROAD_SERVICE},    // trail for vehicles with four-wheel drive
        {"S1630", SC_ROAD_RAMP},       // ramp
        {"S1640", SC_ROAD_SERVICE},    // service drive along a highway
        {"S1710", SC_ROAD_PATH},       // walkway
        {"S1720", SC_ROAD_PATH},       // stairway
        {"S1730", SC_ROAD_SERVICE},    // alley
        {"S1740", SC_ROAD_SERVICE},    // private road for service vehicles
        {"S1780", SC_ROAD_SERVICE},    // parking lot
        {"S1810", SC_ROAD_PATH},       // winter trail
        {"S1820", SC_ROAD_PATH},       // bicycle path
        {"S1830", SC_ROAD_PATH},       // bridle path
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (strcasecmp(code, classes[i].code) == 0) return (sc_road_class)classes[i].road_class;
    }
    return SC_ROAD_UNKNOWN;
}

// Geofabrik's fclass: the highway value, but for "track_grade1" and the like.
static sc_road_class road_class_of_fclass(const char *fclass)
{
    static const char track[] = "track_grade";
    if (strncmp(fclass, track, strlen(track)) == 0) return SC_ROAD_SERVICE;
    return sc__osm_road_class((sc_slice){fclass, strlen(fclass)});
}

const char *sc__shp_fields_class(const sc_shp_fields *fields, int record)
{
    if (fields->class_field < 0) return "";
    const char *code = DBFReadStringAttribute(fields->table, record, fields->class_field);
    return code ? code : "";
}

// --- Values ---------------------------------------------------------------------------

// The value of a field as text without blanks around it; empty where there is none.
static sc_slice value_of(const sc_shp_fields *fields, int record, int field)
{
    const char *text = field >= 0 ? DBFReadStringAttribute(fields->table, record, field) : NULL;
    return sc_slice_trim((sc_slice){text ? text : "", text ? strlen(text) : 0});
}

static sc_err fail_field(const sc_shp_fields *fields, int record, int field, const char *what,
                         sc_diag *diag)
{
    char name[XBASE_FLDNAME_LEN_READ + 1] = "";
    DBFGetFieldInfo(fields->table, field, name, NULL, NULL);
    const sc_slice value = value_of(fields, record, field);
    return sc_fail(diag, SC_EPARSE, "%s: record %d: field %s is %s; %s", fields->file, record + 1,
                   sc_quote(name, strlen(name)).text, sc_quote(value.text, value.size).text, what);
}

static bool is_word_of(sc_slice value, const char *const *words)
{
    for (; *words; words++) {
        if (strlen(*words) == value.size && strncasecmp(value.text, *words, value.size) == 0) {
            return true;
        }
    }
    return false;
}

// F and T alone are "from" and "to" (Geofabrik, HERE), not false and true.
static sc_err read_direction(const sc_shp_fields *fields, int record, sc_line_road *road,
                             sc_diag *diag)
{
    static const char *const both[] = {"", "B", "both", "0", "no", "N", "false", "2", NULL};
    static const char *const forward[] = {"F", "FT", "forward", "1", "yes", "Y", "true", "+", NULL};
    static const char *const backward[] = {"T", "TF", "backward", "reverse", "-1", "-", NULL};
    const sc_slice value = value_of(fields, record, fields->direction_field);
    road->is_closed_backward = is_word_of(value, forward);
    road->is_closed_forward = is_word_of(value, backward);
    if (road->is_closed_backward || road->is_closed_forward || is_word_of(value, both)) {
        return SC_OK;
    }
    return fail_field(fields, record, fields->direction_field,
                      "a direction is F or yes (along the line), T or -1 (against it), B or no",
                      diag);
}

// In km/h, or in miles per hour where "mph" is written behind it; nothing or 0: not known.
static sc_err read_speed(const sc_shp_fields *fields, int record, sc_line_road *road, sc_diag *diag)
{
    enum { MOST_KMH = 500 };
    sc_slice value = value_of(fields, record, fields->speed_field);
    double km_h_per_unit = 1.0;
    if (value.size > 3 && strncasecmp(value.text + value.size - 3, "mph", 3) == 0) {
        value = sc_slice_trim((sc_slice){value.text, value.size - 3});
        km_h_per_unit = 1.609344;
    }
    double speed = 0.0;
    // Stars are how dBase writes a number that is not known.
    const bool is_unknown = value.size == 0 || value.text[0] == '*';
    if (!is_unknown && !sc_slice_double(value, &speed)) {
        return fail_field(fields, record, fields->speed_field,
                          "a speed is a number of km/h, or of miles with mph behind it", diag);
    }
    const double km_h = speed * km_h_per_unit;
    if (km_h != 0.0 && !(km_h >= 1 && km_h <= MOST_KMH)) {
        return fail_field(fields, record, fields->speed_field,
                          "a speed is 1 to 500 km/h, or 0 where it is unknown", diag);
    }
    road->speed_m_s = km_h / 3.6;
    return SC_OK;
}

// What is not UTF-8 is taken as Latin-1, in which older files are written.
static void read_name(const sc_shp_fields *fields, int record, sc_shp_road *road)
{
    sc_slice value = value_of(fields, record, fields->name_field);
    if (value.size == 0) value = value_of(fields, record, fields->ref_field);
    bool is_utf8 = true;
    for (size_t i = 0; is_utf8 && i < value.size;) {
        const size_t size = sc_utf8_size(value.text + i, value.size - i);
        is_utf8 = size > 0;
        i += size;
    }
    size_t used = 0;
    for (size_t i = 0; i < value.size && used + 2 < sizeof road->name; i++) {
        const uint8_t byte = (uint8_t)value.text[i];
        if (is_utf8 || byte < 0x80) {
            road->name[used++] = (char)byte;
        } else {
            road->name[used++] = (char)(0xc0 | byte >> 6);
            road->name[used++] = (char)(0x80 | (byte & 0x3f));
        }
    }
    road->name[used] = '\0';
}

sc_err sc__shp_fields_read(const sc_shp_fields *fields, int record, sc_shp_road *out, sc_diag *diag)
{
    *out = (sc_shp_road){.line.name = out->name};
    if (!fields->table) return SC_OK;
    const char *code = sc__shp_fields_class(fields, record);
    out->line.road_class =
        fields->is_tiger ? road_class_of_mtfcc(code) : road_class_of_fclass(code);
    read_name(fields, record, out);
    sc_err err = SC_OK;
    if (fields->direction_field >= 0) err = read_direction(fields, record, &out->line, diag);
    if (!err && fields->speed_field >= 0) err = read_speed(fields, record, &out->line, diag);
    return err;
}
