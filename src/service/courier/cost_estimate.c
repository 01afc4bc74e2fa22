// Counts of intersections and objects on a coarse grid, and what a request costs by them. See
// cost_estimate.h.
//
// The grid holds sums: a corner has the count of all cells below and left of it, so that any
// rectangle is four look-ups. Between corners the sums are interpolated, that is, what is in a cell
// is taken to be spread evenly: a small range in a large cell counts a part of it.
#include "courier/cost_estimate.h"

#include "base/alloc.h"

#include <math.h>

/** Cells along each side; a corner more. 270 kB for both sums. */
enum { CELLS = 128, CORNERS = CELLS + 1 };

/** Searches that share their way. */
#define LANES 16.0

/** A way by road is that much longer than the straight line, so that what is in reach by road is
 * about what is in a square of 2 * 0.68 times the range: as large as a circle of range / 1.3. */
#define HALF_SQUARE 0.68

/** Of a degree: in radians, and metres of latitude. */
#define RADIAN 0.017453292519943295
#define DEGREE_M 111320.0

/** Where nothing is known: objects for each intersection, and the share of a category. */
#define ASSUMED_OBJECTS 0.25
#define ASSUMED_SHARE 0.1

struct sc_cost_estimator {
    const sc_map *map;
    bool has_grid;
    double x, y;            ///< the lower left corner
    double cell_x, cell_y;  ///< in the map's coordinates
    double stars[CORNERS * CORNERS];
    double objects[CORNERS * CORNERS];
    double star_count;
    double object_count;  ///< counted or assumed
    double speed_m_s;     ///< of all roads, on average
    double segment_m;     ///< length of a segment, on average
    uint32_t index_k;     ///< so many nearest are looked up, not searched
    uint32_t category_count;
    double *shares;  ///< of each category that is counted
};

// --- The grid -------------------------------------------------------------------------------

static void include_point(double at, double *least, double *most)
{
    if (at < *least) *least = at;
    if (at > *most) *most = at;
}

static void lay_grid(sc_cost_estimator *estimator)
{
    const sc_star *stars = sc_map_stars(estimator->map);
    double least_x = HUGE_VAL, least_y = HUGE_VAL, most_x = -HUGE_VAL, most_y = -HUGE_VAL;
    for (sc_star_id i = 0; i < sc_map_star_count(estimator->map); i++) {
        double x, y;
        sc_map_node_position(estimator->map, stars[i].node, &x, &y);
        include_point(x, &least_x, &most_x);
        include_point(y, &least_y, &most_y);
    }
    if (!(most_x >= least_x)) return;
    estimator->has_grid = true;
    estimator->x = least_x;
    estimator->y = least_y;
    // Never 0, should all be at one place or in one line.
    estimator->cell_x = fmax((most_x - least_x) / CELLS, 1e-9);
    estimator->cell_y = fmax((most_y - least_y) / CELLS, 1e-9);
}

/** Count into the corner above and right of it: summed up later. */
static void count_at(const sc_cost_estimator *estimator, double *sums, double x, double y)
{
    const double column = fmin(fmax((x - estimator->x) / estimator->cell_x, 0), CELLS - 1);
    const double row = fmin(fmax((y - estimator->y) / estimator->cell_y, 0), CELLS - 1);
    sums[((size_t)row + 1) * CORNERS + (size_t)column + 1] += 1;
}

static void sum_up(double *sums)
{
    for (size_t row = 1; row < CORNERS; row++) {
        for (size_t column = 1; column < CORNERS; column++) {
            double *at = &sums[row * CORNERS + column];
            *at += at[-1] + at[-CORNERS] - at[-CORNERS - 1];
        }
    }
}

/** What is below and left of a point; places in cells. */
static double sum_below(const double *sums, double column, double row)
{
    column = fmin(fmax(column, 0), CELLS);
    row = fmin(fmax(row, 0), CELLS);
    const size_t c = column < CELLS ? (size_t)column : CELLS - 1;
    const size_t r = row < CELLS ? (size_t)row : CELLS - 1;
    const double right = column - (double)c;
    const double up = row - (double)r;
    const double *at = &sums[r * CORNERS + c];
    return (at[0] * (1 - right) + at[1] * right) * (1 - up) +
           (at[CORNERS] * (1 - right) + at[CORNERS + 1] * right) * up;
}

static double sum_within(const sc_cost_estimator *estimator, const double *sums, double x, double y,
                         double half_x, double half_y)
{
    const double left = (x - half_x - estimator->x) / estimator->cell_x;
    const double right = (x + half_x - estimator->x) / estimator->cell_x;
    const double low = (y - half_y - estimator->y) / estimator->cell_y;
    const double high = (y + half_y - estimator->y) / estimator->cell_y;
    return sum_below(sums, right, high) - sum_below(sums, left, high) -
           sum_below(sums, right, low) + sum_below(sums, left, low);
}

// --- Counting -------------------------------------------------------------------------------

static void count_stars(sc_cost_estimator *estimator)
{
    const sc_star *stars = sc_map_stars(estimator->map);
    estimator->star_count = sc_map_star_count(estimator->map);
    if (!estimator->has_grid) return;
    for (sc_star_id i = 0; i < sc_map_star_count(estimator->map); i++) {
        double x, y;
        sc_map_node_position(estimator->map, stars[i].node, &x, &y);
        count_at(estimator, estimator->stars, x, y);
    }
    sum_up(estimator->stars);
}

/** An object counts where its road begins. */
static sc_err count_objects(sc_cost_estimator *estimator, const sc_object *objects, uint32_t count,
                            uint32_t category_count)
{
    estimator->object_count = count;
    if (count == 0) return SC_OK;
    estimator->shares = sc_calloc(category_count, sizeof *estimator->shares);
    if (!estimator->shares) return SC_ENOMEM;
    estimator->category_count = category_count;
    const sc_edge *edges = sc_map_edges(estimator->map);
    for (uint32_t i = 0; i < count; i++) {
        if (objects[i].category < category_count)
            estimator->shares[objects[i].category] += 1.0 / count;
        if (!estimator->has_grid) continue;
        double x, y;
        sc_map_node_position(estimator->map, edges[objects[i].edge].from, &x, &y);
        count_at(estimator, estimator->objects, x, y);
    }
    sum_up(estimator->objects);
    return SC_OK;
}

static void measure_roads(sc_cost_estimator *estimator)
{
    const uint32_t count = sc_map_segment_count(estimator->map);
    double length_m = 0;
    double time_s = 0;
    for (sc_seg_id i = 0; i < count; i++) {
        const sc_travel_times times = sc_map_segment_times(estimator->map)[i];
        const uint32_t open = times.forward != SC_CLOSED ? times.forward : times.backward;
        if (open == SC_CLOSED) continue;
        length_m += sc_map_segment_length_m(estimator->map, i);
        time_s += (double)open * sc_map_time_unit_s(estimator->map);
    }
    estimator->speed_m_s = time_s > 0 ? length_m / time_s : 1;
    estimator->segment_m = count > 0 && length_m > 0 ? length_m / count : 1;
}

sc_err sc_cost_estimator_new(const sc_map *map, const sc_objects *objects, sc_cost_estimator **out)
{
    sc_cost_estimator *estimator = sc_calloc(1, sizeof *estimator);
    if (!estimator) return SC_ENOMEM;
    estimator->map = map;
    if (sc_map_coords(map) != SC_COORDS_NONE) lay_grid(estimator);
    count_stars(estimator);
    measure_roads(estimator);
    sc_err err = SC_OK;
    if (objects) {
        const sc_object_table *table = sc_objects_table(objects);
        err = count_objects(estimator, table->objects, table->count,
                            sc_objects_vocabulary(objects)->count);
        estimator->index_k = sc_objects_index_info(objects).k;
    } else {
        err = count_objects(estimator, sc_map_objects(map), sc_map_object_count(map),
                            sc_map_category_count(map));
        estimator->index_k = sc_index_options_default().k;
    }
    if (err) {
        sc_cost_estimator_free(estimator);
        return err;
    }
    *out = estimator;
    return SC_OK;
}

void sc_cost_estimator_free(sc_cost_estimator *estimator)
{
    if (!estimator) return;
    sc_free(estimator->shares);
    sc_free(estimator);
}

// --- Requests -------------------------------------------------------------------------------

static double share_of(const sc_cost_estimator *estimator, const sc_request *request)
{
    if (request->category_count == 0) return 1;
    double share = 0;
    for (uint32_t i = 0; i < request->category_count; i++) {
        const sc_category_id category = request->categories[i];
        share += category < estimator->category_count ? estimator->shares[category] : ASSUMED_SHARE;
    }
    return fmin(share, 1);
}

/** Intersections and objects within so many metres by road, of all categories. */
static sc_cost_reach within(const sc_cost_estimator *estimator, sc_seg_id segment, double radius_m)
{
    sc_cost_reach found;
    if (estimator->has_grid) {
        const sc_edge_id edge = sc_map_segments(estimator->map)[segment].first_edge;
        double x, y;
        sc_map_node_position(estimator->map, sc_map_edges(estimator->map)[edge].from, &x, &y);
        const bool is_globe = sc_map_coords(estimator->map) == SC_COORDS_GEOGRAPHIC;
        const double unit_y = is_globe ? DEGREE_M : 1;
        const double unit_x = is_globe ? DEGREE_M * fmax(cos(y * RADIAN), 0.01) : 1;
        const double half_m = HALF_SQUARE * radius_m;
        found.stars =
            sum_within(estimator, estimator->stars, x, y, half_m / unit_x, half_m / unit_y);
        found.objects =
            sum_within(estimator, estimator->objects, x, y, half_m / unit_x, half_m / unit_y);
    } else {
        // As on a grid of streets.
        const double hops = radius_m / estimator->segment_m;
        found.stars = fmin(2 * hops * hops, estimator->star_count);
        found.objects = estimator->object_count * found.stars / fmax(estimator->star_count, 1);
    }
    if (estimator->object_count == 0) found.objects = ASSUMED_OBJECTS * found.stars;
    return found;
}

sc_cost_reach sc_cost_reach_of(const sc_cost_estimator *estimator, sc_seg_id segment,
                               const sc_request *request)
{
    const double share = share_of(estimator, request);
    if (request->type == SC_REQUEST_RANGE) {
        const double radius_m = request->metric == SC_METRIC_TIME
                                    ? request->radius_s * estimator->speed_m_s
                                    : request->radius_m;
        sc_cost_reach reach = within(estimator, segment, radius_m);
        reach.objects *= share;
        return reach;
    }
    const double objects = estimator->object_count > 0 ? estimator->object_count
                                                       : ASSUMED_OBJECTS * estimator->star_count;
    const double found = fmin(request->k, objects * share);
    const bool is_looked_up = request->k <= estimator->index_k && request->category_count <= 1;
    const double wanted = request->k * estimator->star_count / fmax(objects * share, 1);
    return (sc_cost_reach){
        .stars = is_looked_up ? 1 : fmin(wanted, estimator->star_count),
        .objects = found,
    };
}

double sc_cost_steps(sc_cost_reach reach, double border_nodes)
{
    return reach.stars * ceil(border_nodes / LANES) + reach.objects * border_nodes;
}

double sc_cost_of_relay(const sc_cost_estimator *estimator, const sc_relay *relay)
{
    double sum = 0;
    for (size_t i = 0; i < relay->request_count; i++) {
        sum += sc_cost_steps(sc_cost_reach_of(estimator, relay->segments[0], &relay->requests[i]),
                             (double)relay->border_node_count);
    }
    return sum;
}

double sc_cost_expected_border(uint32_t segments)
{
    // Cloaks of a generated city: 3 segments have 4, 50 have 33, 500 have 250.
    return 3 + 0.6 * segments;
}
