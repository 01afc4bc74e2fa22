// A segment as a GeoJSON line. See geojson_line.h.
#include "map/export_geojson.h"

#include "map/map_internal.h"

void sc_geojson_write_position(FILE *out, const sc_map *map, double x, double y)
{
    const int decimals = sc__position_decimals(map);
    fprintf(out, "[%.*f,%.*f]", decimals, x, decimals, y);
}

static void write_node(FILE *out, const sc_map *map, sc_node_id node)
{
    double x = 0.0;
    double y = 0.0;
    sc_map_node_position(map, node, &x, &y);
    sc_geojson_write_position(out, map, x, y);
}

void sc_geojson_write_coordinates(FILE *out, const sc_map *map, sc_seg_id segment)
{
    const sc_edge *edges = sc__edges(map);
    const sc_segment *at = &sc__segments(map)[segment];
    fputc('[', out);
    write_node(out, map, edges[at[0].first_edge].from);
    for (sc_edge_id e = at[0].first_edge; e < at[1].first_edge; e++) {
        fputc(',', out);
        write_node(out, map, edges[e].to);
    }
    fputc(']', out);
}

void sc_geojson_write_line(FILE *out, const sc_map *map, sc_seg_id segment)
{
    fputs("{\"type\":\"LineString\",\"coordinates\":", out);
    sc_geojson_write_coordinates(out, map, segment);
    fputc('}', out);
}
