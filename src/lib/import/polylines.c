// From drawn lines to nodes and edges.
#include "import/polylines.h"

#include "base/diag.h"
#include "import/utm.h"
#include "map/geo.h"

#include <math.h>
#include <string.h>

sc_err sc__polylines_init(sc_polylines *lines, const sc_import_options *options, sc_diag *diag)
{
    if (options->utm_zone != 0 && !sc__utm_zone_exists(options->utm_zone)) {
        return sc_fail(diag, SC_EINVAL,
                       "unknown UTM zone: %d; zones are 1 to 60, and -1 to -60 in the south",
                       options->utm_zone);
    }
    if (!(options->unit_m >= 0 && isfinite(options->unit_m))) {
        return sc_fail(diag, SC_EINVAL, "invalid unit of length: %g metres; give a positive number",
                       options->unit_m);
    }
    *lines = (sc_polylines){.unit_m = options->unit_m, .utm_zone = options->utm_zone};
    return SC_OK;
}

static uint64_t bits_of(double value)
{
    // Adding 0 makes 0 of -0 and changes nothing else.
    const double plain = value + 0.0;
    uint64_t bits = 0;
    memcpy(&bits, &plain, sizeof bits);
    return bits;
}

// Where the node of a point goes; false where no map can have one.
static bool place_node(const sc_polylines *lines, double *x, double *y)
{
    if (lines->unit_m > 0) {
        *x *= lines->unit_m;
        *y *= lines->unit_m;
    }
    if (lines->utm_zone != 0) return sc__utm_to_degrees(lines->utm_zone, *x, *y, x, y);
    return sc_geo_valid(lines->coords, *x, *y);
}

static sc_err node_at(sc_polylines *lines, double x, double y, sc_node_id *out)
{
    const sc_key key = {bits_of(x), bits_of(y)};
    const sc_node_id next = sc_builder_node_count(lines->builder);
    sc_node_id node = SC_NONE;
    sc_err err = sc_hash_put(&lines->node_at, key, next, &node);
    if (err) return err;

    if (node == next) {
        if (!place_node(lines, &x, &y)) return SC_EINVAL;
        err = sc_builder_add_node(lines->builder, x, y, &node);
        if (err) return err;
    }
    *out = node;
    return SC_OK;
}

void sc__polylines_begin(sc_polylines *lines)
{
    lines->has_last = false;
}

// How far it is from the last point to (x, y), as the builder measures it.
static double step_m(const sc_polylines *lines, double x, double y)
{
    double last_x = lines->last_x;
    double last_y = lines->last_y;
    place_node(lines, &last_x, &last_y);
    place_node(lines, &x, &y);
    return lines->coords == SC_COORDS_GEOGRAPHIC ? sc_geo_distance_m(last_x, last_y, x, y)
                                                 : hypot(x - last_x, y - last_y);
}

static sc_err add_edge(sc_polylines *lines, sc_node_id node, double x, double y,
                       const sc_line_road *road)
{
    sc_edge_id edge = 0;
    sc_err err = sc_builder_add_edge(lines->builder, lines->last_node, node, SC_LENGTH_FROM_NODES,
                                     road->road_class, &edge);
    if (err) return err;
    if (road->speed_m_s > 0 || road->is_closed_forward || road->is_closed_backward) {
        const double speed_m_s =
            road->speed_m_s > 0 ? road->speed_m_s : sc_road_class_speed_m_s(road->road_class);
        const double time_s = step_m(lines, x, y) / speed_m_s;
        err = sc_builder_set_edge_times(lines->builder, edge,
                                        road->is_closed_forward ? SC_CLOSED_S : time_s,
                                        road->is_closed_backward ? SC_CLOSED_S : time_s);
        if (err) return err;
    }
    if (!road->name || road->name[0] == '\0') return SC_OK;
    return sc_builder_set_edge_name(lines->builder, edge, road->name, strlen(road->name));
}

sc_err sc__polylines_add(sc_polylines *lines, double x, double y, const sc_line_road *road)
{
    sc_node_id node = SC_NONE;
    if (lines->has_last) {
        if (x == lines->last_x && y == lines->last_y) return SC_OK;

        if (lines->last_node == SC_NONE) {
            const sc_err err = node_at(lines, lines->last_x, lines->last_y, &lines->last_node);
            if (err) return err;
        }
        sc_err err = node_at(lines, x, y, &node);
        if (err) return err;
        err = add_edge(lines, node, x, y, road);
        if (err) return err;
    } else {
        // It gets a node only with the second point, but a bad one is found here.
        double node_x = x;
        double node_y = y;
        if (!place_node(lines, &node_x, &node_y)) return SC_EINVAL;
    }
    lines->has_last = true;
    lines->last_x = x;
    lines->last_y = y;
    lines->last_node = node;
    return SC_OK;
}

const char *sc__polylines_invalid(const sc_polylines *lines)
{
    if (lines->utm_zone != 0) return "coordinates outside the UTM zone";
    return lines->coords == SC_COORDS_GEOGRAPHIC ? "not a longitude and latitude"
                                                 : "coordinates outside the allowed range";
}

void sc__polylines_fini(sc_polylines *lines)
{
    sc_hash_fini(&lines->node_at);
}
