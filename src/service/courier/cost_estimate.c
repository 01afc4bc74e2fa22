// Counts of intersections and objects on a coarse grid, and what a request costs by them. See
// cost_estimate.h.
//
// The grid holds sums: a corner has the count of all cells below and left of it, so that any
// rectangle is four look-ups. Between corners the sums are interpolated, that is, what is in a cell
// is taken to be spread evenly: a small range in a large cell counts a part of it.
#include "courier/cost_estimate.h"

#include "base/alloc.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

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

/** Of a set of objects. One block. */
typedef struct object_counts {
    double sums[CORNERS * CORNERS];
    double count;
    uint32_t index_k;  ///< so many nearest are looked up, not searched
    uint32_t category_count;
    double shares[];  ///< of each category; none if there are no objects
} object_counts;

struct sc_cost_estimator {
    // Read-only.
    const sc_map *map;
    bool has_grid;
    double x, y;            ///< the lower left corner
    double cell_x, cell_y;  ///< in the map's coordinates
    double stars[CORNERS * CORNERS];
    double star_count;
    double speed_m_s;  ///< of all roads, on average
    double segment_m;  ///< length of a segment, on average

    // Under `lock`.
    pthread_rwlock_t lock;
    object_counts *objects;
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

/** An object counts where its road begins. Shares are by the objects' own categories. */
static void count_objects(const sc_cost_estimator *estimator, const sc_object *objects,
                          uint32_t count, object_counts *counts)
{
    const sc_edge *edges = sc_map_edges(estimator->map);
    counts->count = count;
    for (uint32_t i = 0; i < count; i++) {
        if (objects[i].category < counts->category_count)
            counts->shares[objects[i].category] += 1.0 / count;
        if (!estimator->has_grid) continue;
        double x, y;
        sc_map_node_position(estimator->map, edges[objects[i].edge].from, &x, &y);
        count_at(estimator, counts->sums, x, y);
    }
    sum_up(counts->sums);
}

/** Room for counts of so many categories; NULL if memory is out. */
static object_counts *counts_new(uint32_t category_count)
{
    object_counts *counts =
        sc_calloc(1, sizeof *counts + category_count * sizeof counts->shares[0]);
    if (counts) counts->category_count = category_count;
    return counts;
}

/** From shares by the words of the objects to shares by those of requests. A word that has no
 * object has no share. NULL if memory is out; `own` is gone in any case. */
static object_counts *translate(object_counts *own, const sc_vocabulary *from,
                                const sc_vocabulary *to)
{
    object_counts *counts = counts_new(to->count);
    if (counts) {
        memcpy(counts->sums, own->sums, sizeof counts->sums);
        counts->count = own->count;
        counts->index_k = own->index_k;
        for (sc_category_id i = 0; i < from->count; i++) {
            const sc_category_id category = sc_vocabulary_find(to, from->names[i]);
            if (category < to->count) counts->shares[category] = own->shares[i];
        }
    }
    sc_free(own);
    return counts;
}

/** NULL if memory is out. */
static object_counts *count_all(const sc_cost_estimator *estimator, const sc_cost_objects *built_in)
{
    const sc_map *map = estimator->map;
    if (!built_in || !built_in->objects) {
        const uint32_t count = sc_map_object_count(map);
        object_counts *counts = counts_new(count > 0 ? sc_map_category_count(map) : 0);
        if (!counts) return NULL;
        count_objects(estimator, sc_map_objects(map), count, counts);
        counts->index_k = sc_index_options_default().k;
        return counts;
    }
    const sc_object_table *table = sc_objects_table(built_in->objects);
    const sc_vocabulary *own = sc_objects_vocabulary(built_in->objects);
    object_counts *counts = counts_new(table->count > 0 ? own->count : 0);
    if (!counts) return NULL;
    count_objects(estimator, table->objects, table->count, counts);
    counts->index_k = sc_objects_index_info(built_in->objects).k;
    const bool has_other_words = built_in->vocabulary && counts->category_count > 0;
    return has_other_words ? translate(counts, own, built_in->vocabulary) : counts;
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

sc_err sc_cost_estimator_new(const sc_map *map, const sc_cost_objects *built_in,
                             sc_cost_estimator **out)
{
    sc_cost_estimator *estimator = sc_calloc(1, sizeof *estimator);
    if (!estimator) return SC_ENOMEM;
    pthread_rwlock_init(&estimator->lock, NULL);
    estimator->map = map;
    if (sc_map_coords(map) != SC_COORDS_NONE) lay_grid(estimator);
    count_stars(estimator);
    measure_roads(estimator);
    estimator->objects = count_all(estimator, built_in);
    if (!estimator->objects) {
        sc_cost_estimator_free(estimator);
        return SC_ENOMEM;
    }
    *out = estimator;
    return SC_OK;
}

sc_err sc_cost_estimator_recount(sc_cost_estimator *estimator, const sc_cost_objects *built_in)
{
    object_counts *next = count_all(estimator, built_in);
    if (!next) return SC_ENOMEM;
    pthread_rwlock_wrlock(&estimator->lock);
    object_counts *before = estimator->objects;
    estimator->objects = next;
    pthread_rwlock_unlock(&estimator->lock);
    sc_free(before);
    return SC_OK;
}

void sc_cost_estimator_free(sc_cost_estimator *estimator)
{
    if (!estimator) return;
    sc_free(estimator->objects);
    pthread_rwlock_destroy(&estimator->lock);
    sc_free(estimator);
}

// --- Requests -------------------------------------------------------------------------------

static double share_of(const object_counts *counts, const sc_request *request)
{
    if (request->category_count == 0) return 1;
    double share = 0;
    for (uint32_t i = 0; i < request->category_count; i++) {
        const sc_category_id category = request->categories[i];
        share += category < counts->category_count ? counts->shares[category] : ASSUMED_SHARE;
    }
    return fmin(share, 1);
}

/** Under the lock. Intersections and objects within so many metres by road, of all categories. */
static sc_cost_reach within(const sc_cost_estimator *estimator, sc_seg_id segment, double radius_m)
{
    const object_counts *counts = estimator->objects;
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
        found.objects = sum_within(estimator, counts->sums, x, y, half_m / unit_x, half_m / unit_y);
    } else {
        // As on a grid of streets.
        const double hops = radius_m / estimator->segment_m;
        found.stars = fmin(2 * hops * hops, estimator->star_count);
        found.objects = counts->count * found.stars / fmax(estimator->star_count, 1);
    }
    if (counts->count == 0) found.objects = ASSUMED_OBJECTS * found.stars;
    return found;
}

/** Under the lock. */
static sc_cost_reach reach_of(const sc_cost_estimator *estimator, sc_seg_id segment,
                              const sc_request *request)
{
    const object_counts *counts = estimator->objects;
    const double share = share_of(counts, request);
    if (request->type == SC_REQUEST_RANGE) {
        const double radius_m = request->metric == SC_METRIC_TIME
                                    ? request->radius_s * estimator->speed_m_s
                                    : request->radius_m;
        sc_cost_reach reach = within(estimator, segment, radius_m);
        reach.objects *= share;
        return reach;
    }
    const double objects =
        counts->count > 0 ? counts->count : ASSUMED_OBJECTS * estimator->star_count;
    const double found = fmin(request->k, objects * share);
    const bool is_looked_up = request->k <= counts->index_k && request->category_count <= 1;
    const double wanted = request->k * estimator->star_count / fmax(objects * share, 1);
    return (sc_cost_reach){
        .stars = is_looked_up ? 1 : fmin(wanted, estimator->star_count),
        .objects = found,
    };
}

sc_cost_reach sc_cost_reach_of(const sc_cost_estimator *estimator, sc_seg_id segment,
                               const sc_request *request)
{
    // Only the lock is changed, so the estimator stays const for the caller.
    pthread_rwlock_t *lock = (pthread_rwlock_t *)(uintptr_t)&estimator->lock;
    pthread_rwlock_rdlock(lock);
    const sc_cost_reach reach = reach_of(estimator, segment, request);
    pthread_rwlock_unlock(lock);
    return reach;
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
