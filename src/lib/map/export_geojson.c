// A map as GeoJSON: one line string per segment, one point per object. Lines across the 180th
// meridian are cut there in two.
#include "map/export_geojson.h"

#include <starcloak/map_export.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/json_write.h"
#include "map/line_pieces.h"
#include "map/map_internal.h"

// --- Positions and lines ------------------------------------------------------------------------

void sc_geojson_write_position(FILE *out, const sc_map *map, double x, double y)
{
    const int decimals = sc__position_decimals(map);
    fprintf(out, "[%.*f,%.*f]", decimals, x, decimals, y);
}

/** A line being written. */
typedef struct line_output {
    FILE *out;
    const sc_map *map;
    bool has_begun;
} line_output;

static void write_point(void *context, double x, double y, bool begins)
{
    line_output *line = context;
    if (begins) {
        fputs(line->has_begun ? "],[" : "[", line->out);
    } else {
        fputc(',', line->out);
    }
    line->has_begun = true;
    sc_geojson_write_position(line->out, line->map, x, y);
}

void sc_geojson_write_coordinates(FILE *out, const sc_map *map, sc_seg_id segment)
{
    line_output line = {.out = out, .map = map};
    sc_map_line_pieces(map, segment, write_point, &line);
    fputc(']', out);
}

void sc_geojson_write_line(FILE *out, const sc_map *map, sc_seg_id segment)
{
    const bool is_cut = sc_map_line_pieces(map, segment, NULL, NULL) > 1;
    fprintf(out, "{\"type\":\"%s\",\"coordinates\":%s", is_cut ? "MultiLineString" : "LineString",
            is_cut ? "[" : "");
    sc_geojson_write_coordinates(out, map, segment);
    fputs(is_cut ? "]}" : "}", out);
}

// --- A whole map --------------------------------------------------------------------------------

// A travel time in seconds; null where the road is closed.
static void write_time(const sc_map *map, FILE *out, const char *key, uint32_t units)
{
    if (units == SC_CLOSED) {
        fprintf(out, ",\"%s\":null", key);
    } else {
        fprintf(out, ",\"%s\":%.*f", key, sc__time_decimals(map), units * map->time_unit_s);
    }
}

static void write_segment(const sc_map *map, FILE *out, sc_seg_id s)
{
    const sc_segment *segment = &sc__segments(map)[s];
    const unsigned road_class = sc_map_edge_classes(map)[segment->first_edge];
    fprintf(out,
            "{\"type\":\"Feature\",\"properties\":{\"segment\":%u,\"length_m\":%.*f,"
            "\"class\":\"%s\",\"star_a\":%u,\"star_b\":",
            s, sc__length_decimals(map), sc_map_segment_length_m(map, s),
            sc_road_class_name(road_class), segment->star_a);
    if (segment->star_b == SC_NONE) {
        fputs("null", out);
    } else {
        fprintf(out, "%u", segment->star_b);
    }
    write_time(map, out, "forward_s", sc_map_segment_times(map)[s].forward);
    write_time(map, out, "backward_s", sc_map_segment_times(map)[s].backward);
    fputs(",\"name\":", out);
    sc_json_string(out, sc_map_segment_name(map, s));
    fputs("},\"geometry\":", out);
    sc_geojson_write_line(out, map, s);
    fputc('}', out);
}

static void write_object(const sc_map *map, FILE *out, sc_object_id i)
{
    const sc_object *object = &sc__objects(map)[i];
    double x = 0.0;
    double y = 0.0;
    sc_map_edge_position(map, object->edge, object->offset * map->unit_m, &x, &y);
    fprintf(out, ",\n{\"type\":\"Feature\",\"properties\":{\"poi\":%u,\"edge\":%u,\"category\":", i,
            object->edge);
    sc_json_string(out, sc_map_category_name(map, object->category));
    fputs(",\"name\":", out);
    sc_json_string(out, sc_map_object_name(map, i));
    fputs("},\"geometry\":{\"type\":\"Point\",\"coordinates\":", out);
    const int decimals = sc__position_decimals(map) + SC__OBJECT_DECIMALS;
    fprintf(out, "[%.*f,%.*f]}}", decimals, x, decimals, y);
}

sc_err sc_map_export_geojson(const sc_map *map, const char *path, sc_diag *diag)
{
    if (map->coords == SC_COORDS_NONE) {
        return sc_fail(diag, SC_ENOCOORDS, "the map has no coordinates, so GeoJSON cannot show it");
    }
    sc_outfile file;
    const sc_err err = sc_outfile_open(path, &file, diag);
    if (err) return err;
    fprintf(file.stream, "{\"type\":\"FeatureCollection\",\"starcloak:coordinates\":\"%s\",",
            map->coords == SC_COORDS_GEOGRAPHIC ? "geographic" : "planar");
    fputs("\"features\":[\n", file.stream);
    for (sc_seg_id s = 0; s < map->segment_count && !ferror(file.stream); s++) {
        if (s > 0) fputs(",\n", file.stream);
        write_segment(map, file.stream, s);
    }
    for (sc_object_id i = 0; i < map->object_count && !ferror(file.stream); i++) {
        write_object(map, file.stream, i);
    }
    fputs("\n]}\n", file.stream);
    return sc_outfile_commit(&file, diag);
}
