// A map as a picture: roads by class, wider where they matter more, and objects
// as dots.
//
// The picture is 1200 units wide and as high as the map needs. Degrees are drawn
// on a plane at the map's middle latitude. Classes are painted one over the
// other, from paths to motorways, each as one group, so that a style can be
// changed in one place of the file.
#include <starcloak/map_export.h>

#include "base/diag.h"
#include "base/file.h"
#include "map/map_internal.h"

#include <math.h>

/** Where the picture's corner is on the map, and its scale. */
typedef struct view {
    double left;
    double top;
    double x_scale;
    double y_scale;
    double width;
    double height;
} view;

/** How a class of road is drawn. */
typedef struct pencil {
    sc_road_class road_class;
    const char *colour;
    double width;
} pencil;

// From the lowest to the highest.
static const pencil pencils[] = {
    {SC_ROAD_PATH, "#b9c9b0", 0.5},     {SC_ROAD_SERVICE, "#b9b2a6", 0.6},
    {SC_ROAD_UNKNOWN, "#8f8c86", 0.8},  {SC_ROAD_LOCAL, "#8f8c86", 0.7},
    {SC_ROAD_TERTIARY, "#8fb0cc", 1.1}, {SC_ROAD_SECONDARY, "#e8b54d", 1.7},
    {SC_ROAD_PRIMARY, "#e0813f", 2.4},  {SC_ROAD_RAMP, "#b79ac8", 1.2},
    {SC_ROAD_TRUNK, "#cf5f4a", 2.8},    {SC_ROAD_MOTORWAY, "#8e5bb5", 3.4},
};
enum { PENCIL_COUNT = sizeof pencils / sizeof *pencils };

// Where a node is drawn: beyond the 180th meridian longitudes go on.
static void place_node(const sc_map *map, sc_node_id node, double *x, double *y)
{
    sc_map_node_position(map, node, x, y);
    *x = sc__node_x(map, node);
}

static view view_of(const sc_map *map)
{
    const double width = 1200.0;
    double min_x = HUGE_VAL;
    double min_y = HUGE_VAL;
    double max_x = -HUGE_VAL;
    double max_y = -HUGE_VAL;
    for (sc_node_id v = 0; v < map->node_count; v++) {
        double x = 0.0;
        double y = 0.0;
        place_node(map, v, &x, &y);
        min_x = fmin(min_x, x);
        min_y = fmin(min_y, y);
        max_x = fmax(max_x, x);
        max_y = fmax(max_y, y);
    }
    const double middle = (min_y + max_y) / 2.0;
    const double narrowing =
        map->coords == SC_COORDS_GEOGRAPHIC ? fmax(cos(middle * SC_PI / 180.0), 0.01) : 1.0;
    // A map without width is given one, so that nothing is divided by zero.
    const double side = fmax((max_x - min_x) * narrowing, (max_y - min_y) / 10.0);
    const double scale = side > 0.0 ? width / side : 1.0;
    return (view){.left = min_x,
                  .top = max_y,
                  .x_scale = scale * narrowing,
                  .y_scale = scale,
                  .width = width,
                  .height = fmax((max_y - min_y) * scale, 1.0)};
}

static void draw_to(const sc_map *map, const view *v, FILE *out, char verb, sc_node_id node)
{
    double x = 0.0;
    double y = 0.0;
    place_node(map, node, &x, &y);
    fprintf(out, "%c%.1f %.1f", verb, (x - v->left) * v->x_scale, (v->top - y) * v->y_scale);
}

// All edges of one class as one path, drawn on where they follow each other.
static void draw_class(const sc_map *map, const view *v, FILE *out, const pencil *p)
{
    const sc_edge *edges = sc__edges(map);
    const uint8_t *classes = sc_map_edge_classes(map);
    fprintf(out, "<path class=\"%s\" stroke=\"%s\" stroke-width=\"%.1f\" d=\"",
            sc_road_class_name(p->road_class), p->colour, p->width);
    sc_node_id at = SC_NONE;
    for (sc_edge_id e = 0; e < map->edge_count; e++) {
        if (classes[e] != p->road_class) continue;
        if (edges[e].from != at) draw_to(map, v, out, 'M', edges[e].from);
        draw_to(map, v, out, 'L', edges[e].to);
        at = edges[e].to;
    }
    fputs("\"/>\n", out);
}

static void draw_objects(const sc_map *map, const view *v, FILE *out)
{
    const sc_object *objects = sc__objects(map);
    fputs("<path class=\"objects\" stroke=\"#2f9e6b\" stroke-opacity=\"0.8\" stroke-width=\"2.2\" "
          "stroke-linecap=\"round\" d=\"",
          out);
    for (sc_object_id i = 0; i < map->object_count; i++) {
        double x = 0.0;
        double y = 0.0;
        sc_map_edge_position(map, objects[i].edge, objects[i].offset * map->unit_m, &x, &y);
        if (x < v->left) x += 360.0;
        fprintf(out, "M%.1f %.1fh0", (x - v->left) * v->x_scale, (v->top - y) * v->y_scale);
    }
    fputs("\"/>\n", out);
}

sc_err sc_map_export_svg(const sc_map *map, const char *path, sc_diag *diag)
{
    if (map->coords == SC_COORDS_NONE) {
        return sc_fail(diag, SC_ENOCOORDS, "the map has no coordinates, so it cannot be drawn");
    }
    sc_outfile file;
    const sc_err err = sc_outfile_open(path, &file, diag);
    if (err) return err;
    const view v = view_of(map);
    fprintf(file.stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-10 -10 %.0f %.0f\" "
            "fill=\"none\" stroke-linejoin=\"round\">\n"
            "<rect x=\"-10\" y=\"-10\" width=\"100%%\" height=\"100%%\" fill=\"#fbfaf7\"/>\n",
            v.width + 20.0, v.height + 20.0);
    for (int i = 0; i < PENCIL_COUNT && !ferror(file.stream); i++) {
        draw_class(map, &v, file.stream, &pencils[i]);
    }
    if (map->object_count > 0) draw_objects(map, &v, file.stream);
    fputs("</svg>\n", file.stream);
    return sc_outfile_commit(&file, diag);
}
