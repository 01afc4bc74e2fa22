// From drawn lines to nodes and edges. See pen.h.
#include "import/polylines.h"

#include "base/diag.h"
#include "import/utm.h"
#include "map/geo.h"

#include <math.h>
#include <string.h>

sc_err sc__pen_init(sc_pen *pen, const sc_import_options *options, sc_diag *diag)
{
    if (options->utm_zone != 0 && !sc__utm_zone_exists(options->utm_zone)) {
        return sc_fail(diag, SC_EINVAL,
                       "no such UTM zone: %d; zones are 1 to 60, and -1 to -60 in the south",
                       options->utm_zone);
    }
    if (!(options->unit_m >= 0 && isfinite(options->unit_m))) {
        return sc_fail(diag, SC_EINVAL, "not a number of metres per unit: %g", options->unit_m);
    }
    *pen = (sc_pen){.unit_m = options->unit_m, .utm_zone = options->utm_zone};
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
static bool place_node(const sc_pen *pen, double *x, double *y)
{
    if (pen->unit_m > 0) {
        *x *= pen->unit_m;
        *y *= pen->unit_m;
    }
    if (pen->utm_zone != 0) return sc__utm_to_degrees(pen->utm_zone, *x, *y, x, y);
    return sc_geo_valid(pen->coords, *x, *y);
}

static sc_err node_at(sc_pen *pen, double x, double y, sc_node_id *out)
{
    const sc_key key = {bits_of(x), bits_of(y)};
    const sc_node_id next = sc_builder_node_count(pen->builder);
    sc_node_id node = SC_NONE;
    sc_err err = sc_hash_put(&pen->node_at, key, next, &node);
    if (err) return err;

    if (node == next) {
        if (!place_node(pen, &x, &y)) return SC_EINVAL;
        err = sc_builder_add_node(pen->builder, x, y, &node);
        if (err) return err;
    }
    *out = node;
    return SC_OK;
}

void sc__pen_lift(sc_pen *pen)
{
    pen->is_down = false;
}

sc_err sc__pen_draw(sc_pen *pen, double x, double y, sc_road_class road_class)
{
    sc_node_id node = SC_NONE;
    if (pen->is_down) {
        if (x == pen->x && y == pen->y) return SC_OK;

        if (pen->node == SC_NONE) {
            const sc_err err = node_at(pen, pen->x, pen->y, &pen->node);
            if (err) return err;
        }
        sc_err err = node_at(pen, x, y, &node);
        if (err) return err;
        err = sc_builder_add_edge(pen->builder, pen->node, node, SC_LENGTH_FROM_NODES, road_class,
                                  NULL);
        if (err) return err;
    } else {
        // It gets a node only with the second point, but a bad one is found here.
        double node_x = x;
        double node_y = y;
        if (!place_node(pen, &node_x, &node_y)) return SC_EINVAL;
    }
    pen->is_down = true;
    pen->x = x;
    pen->y = y;
    pen->node = node;
    return SC_OK;
}

const char *sc__pen_complaint(const sc_pen *pen)
{
    if (pen->utm_zone != 0) return "not a position in a UTM zone";
    return pen->coords == SC_COORDS_GEOGRAPHIC ? "not a longitude and latitude on the globe"
                                               : "not a position on a plane of roads";
}

void sc__pen_fini(sc_pen *pen)
{
    sc_hash_fini(&pen->node_at);
}
