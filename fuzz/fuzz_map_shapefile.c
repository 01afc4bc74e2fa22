// Door: shapefiles. Whatever the bytes, the reader ends; it either refuses them
// with a message or gives a map that passes its own check.
//
// An input is: one byte of flags, the size of the .shp (three bytes,
// little-endian), the .shp, and the .dbf in what is left. Each file is copied to
// memory of exactly its size, so that reading past its end is seen.
#include "door.h"

enum {
    WITH_DBF = 1,
    WITH_CLASSES = 2,
    WITH_UTM = 4,
    // Put the true size into the .shp's header, so that a fuzzer that made the
    // file longer or shorter gets past the first check.
    MEND_SIZE = 8,
    // Name the fields of direction, speed and name; without, they must be Geofabrik's.
    WITH_FIELDS = 16,
};

static void read_shapefile(const sc_input *inputs, size_t count, unsigned flags)
{
    sc_import_options options = SC_IMPORT_DEFAULTS;
    if (flags & WITH_CLASSES) options.classes = "S1100,S1400";
    if (flags & WITH_UTM) options.utm_zone = -19;
    if (flags & WITH_FIELDS) {
        options.direction_field = "oneway";
        options.speed_field = "maxspeed";
        options.name_field = "name";
    }
    sc_import_report report = {0};
    sc_diag diag = {""};
    const sc_load load = {inputs, count, &options, &report, &diag};
    sc_builder *builder = NULL;
    const sc_err err = sc__load_shapefile(&load, &builder);
    if (err) {
        door_refused(err, &diag, inputs, count);
    } else {
        door_accepted(builder, HUGE_VAL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4 || size > DOOR_MAX_SIZE) return 0;
    const unsigned flags = data[0];
    const size_t told_size = data[1] | (size_t)data[2] << 8 | (size_t)data[3] << 16;
    const size_t shp_size = told_size < size - 4 ? told_size : size - 4;
    const size_t dbf_size = size - 4 - shp_size;
    uint8_t *shp = door_copy(data + 4, shp_size);
    uint8_t *dbf = door_copy(data + 4 + shp_size, dbf_size);
    if ((flags & MEND_SIZE) && shp_size >= 100) {
        const size_t words = shp_size / 2;
        shp[24] = 0;
        shp[25] = (uint8_t)(words >> 16);
        shp[26] = (uint8_t)(words >> 8);
        shp[27] = (uint8_t)words;
    }
    const sc_input inputs[] = {{"fuzz.shp", shp, shp_size}, {"fuzz.dbf", dbf, dbf_size}};
    read_shapefile(inputs, flags & WITH_DBF ? 2 : 1, flags);
    free(shp);
    free(dbf);
    return 0;
}
