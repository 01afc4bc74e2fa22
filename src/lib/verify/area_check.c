// Which tiles a cloak may and must be asked for. See area_check.h; docs/verify.md has the rules.
//
// A piece is the line that tells what a cloak needed; of several things that are wrong the first is
// told. What *may* be asked for is bounded from above, by boxes that are a little larger than any
// that roads, requests and replies can justify. What *must* be there is found by following roads.
#include "verify/area_check.h"

#include "base/alloc.h"
#include "map/geo.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Tiles of one span, at most. */
enum { SPAN_TILES = 4 };

/** Before anything is known of objects, a box reaches this share of a tile beyond the roads. */
#define FIRST_REACH 0.25

/** The line that is looked at. */
typedef struct look {
    sc_area_states *s;
    const sc_event_areas *areas;
    sc_verify_box roads;  ///< around the segments of the cloak
    char wrong[160];      ///< empty: nothing
} look;

// --- Boxes --------------------------------------------------------------------------------------

static double per_unit_m(const sc_area_states *s)
{
    return sc_map_coords(s->map) == SC_COORDS_GEOGRAPHIC ? SC_EARTH_RADIUS_M * SC_PI / 180.0 : 1.0;
}

static double shrink_at(const sc_area_states *s, double y)
{
    if (sc_map_coords(s->map) != SC_COORDS_GEOGRAPHIC) return 1.0;
    return fmax(cos(fmin(fabs(y), 89.9) * SC_PI / 180.0), 1e-3);
}

static sc_verify_box join(sc_verify_box a, sc_verify_box b)
{
    return (sc_verify_box){fmin(a.west, b.west), fmin(a.south, b.south), fmax(a.east, b.east),
                           fmax(a.north, b.north)};
}

// No smaller than any box that is said to reach so far: straight lines are up to a tenth shorter
// than ways along the surface.
static sc_verify_box widen(const sc_area_states *s, sc_verify_box box, double by_m)
{
    const double by = (by_m * (by_m < 9e4 ? 1.004 : 1.14) + 1) / per_unit_m(s);
    const double farthest = fmax(fabs(box.south - by), fabs(box.north + by));
    const double by_x = by / shrink_at(s, farthest);
    return (sc_verify_box){box.west - by_x, box.south - by, box.east + by_x, box.north + by};
}

static double side_x(const sc_area_states *s, uint32_t level)
{
    return ldexp((double)s->tiles.side_x, (int)s->tiles.level - (int)level);
}

static double side_y(const sc_area_states *s, uint32_t level)
{
    return ldexp((double)s->tiles.side_y, (int)s->tiles.level - (int)level);
}

static sc_verify_box box_of(const sc_area_states *s, const sc_event_span *span)
{
    const double x = side_x(s, span->level);
    const double y = side_y(s, span->level);
    const double west = (double)s->tiles.west;
    const double south = (double)s->tiles.south;
    return (sc_verify_box){(west + x * span->x[0]) * 1e-7, (south + y * span->y[0]) * 1e-7,
                           (west + x * (span->x[1] + 1.0)) * 1e-7,
                           (south + y * (span->y[1] + 1.0)) * 1e-7};
}

static double place_at(double coordinate, int64_t first, double side, uint32_t level)
{
    const double last = ldexp(1, (int)level) - 1;
    return fmin(fmax(floor((coordinate * 1e7 - (double)first) / side), 0), last);
}

/** Numbers of tiles of a level that a box touches. */
typedef struct touched {
    double x[2];
    double y[2];
} touched;

static touched touched_at(const sc_area_states *s, sc_verify_box box, uint32_t level)
{
    const sc_event_tiles *t = &s->tiles;
    return (touched){{place_at(box.west, t->west, side_x(s, level), level),
                      place_at(box.east, t->west, side_x(s, level), level)},
                     {place_at(box.south, t->south, side_y(s, level), level),
                      place_at(box.north, t->south, side_y(s, level), level)}};
}

// The finest level at which a box touches few enough tiles.
static uint32_t level_for(const sc_area_states *s, sc_verify_box box)
{
    uint32_t level = s->tiles.level;
    for (; level > 0; level--) {
        const touched t = touched_at(s, box, level);
        if ((t.x[1] - t.x[0] + 1) * (t.y[1] - t.y[0] + 1) <= SPAN_TILES) break;
    }
    return level;
}

// Whether all of it is at least so far inside of a box.
static bool is_inside_by(const sc_area_states *s, sc_verify_box it, sc_verify_box box, double by_m)
{
    const double least_m = by_m * (1 - 1e-6) - 0.01;
    const double per_y = per_unit_m(s);
    const bool has_equator = it.south <= 0 && it.north >= 0;
    const double nearest = has_equator ? 0 : fmin(fabs(it.south), fabs(it.north));
    const double per_x = per_y * shrink_at(s, nearest);
    return (it.west - box.west) * per_x >= least_m && (box.east - it.east) * per_x >= least_m &&
           (it.south - box.south) * per_y >= least_m && (box.north - it.north) * per_y >= least_m;
}

static sc_verify_box box_of_segments(const sc_area_states *s)
{
    const sc_segment *segments = sc_map_segments(s->map);
    sc_verify_box box = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < s->segments.count; i++) {
        const sc_seg_id id = s->segments.ids[i];
        if (id >= sc_map_segment_count(s->map)) continue;
        for (sc_edge_id e = segments[id].first_edge; e < segments[id + 1].first_edge; e++) {
            const sc_edge *edge = &sc_map_edges(s->map)[e];
            for (int end = 0; end < 2; end++) {
                double x = 0;
                double y = 0;
                sc_map_node_position(s->map, end ? edge->to : edge->from, &x, &y);
                box = join(box, (sc_verify_box){x, y, x, y});
            }
        }
    }
    return box;
}

// --- Costs and straight lines -------------------------------------------------------------------

// How far one gets at a cost if all roads are straight and none is quicker than usual.
static double straight_worth_m(const sc_area_states *s, sc_metric metric, double cost, double units)
{
    if (metric == SC_METRIC_DISTANCE) return cost + units * sc_map_unit_m(s->map);
    return (cost + units * sc_map_time_unit_s(s->map)) * SC__USUAL_M_S;
}

// A line so long that nothing beyond it costs less.
static double line_of_m(const sc_area_states *s, sc_metric metric, double cost)
{
    const double worth_m = straight_worth_m(s, metric, cost, 3);
    const double by_share =
        s->least_share[metric] > 0 ? worth_m / s->least_share[metric] : HUGE_VAL;
    return fmin(worth_m + s->lost_m[metric], by_share) * (1 + 1e-6);
}

// Whether something outside of a box might be reached from a node at that cost, by straight lines.
static bool may_lack(const sc_area_states *s, sc_verify_box box, sc_node_id node, sc_metric metric,
                     double cost)
{
    double x = 0;
    double y = 0;
    sc_map_node_position(s->map, node, &x, &y);
    const double per_y = per_unit_m(s);
    const double per_x = per_y * shrink_at(s, y);
    const double line_m =
        fmin(fmin(x - box.west, box.east - x) * per_x, fmin(y - box.south, box.north - y) * per_y);
    const double sure_m = line_m * (line_m < 9e4 ? 0.997 : 0.85) - s->tiles.reach_m - 0.1;
    if (sure_m <= 0) return true;
    const double worth_m = fmax(sure_m - s->lost_m[metric], sure_m * s->least_share[metric]);
    return straight_worth_m(s, metric, cost, 3) > worth_m;
}

// --- Requests -----------------------------------------------------------------------------------

// Whether a request is about the objects that a span is for.
static bool is_for(const sc_area_states *s, const sc_event_request *wish, sc_category_id category)
{
    if (wish->category_count == 0 || !s->tiles.is_by_category) return category == SC_NONE;
    for (uint32_t i = 0; i < wish->category_count; i++) {
        if (wish->categories[i] == category) return true;
    }
    return false;
}

static bool is_same_wish(const sc_event_request *a, const sc_event_request *b)
{
    return a->is_range == b->is_range && a->metric == b->metric && a->k == b->k &&
           a->radius == b->radius && a->category_count == b->category_count &&
           memcmp(a->categories, b->categories, a->category_count * sizeof *a->categories) == 0;
}

// Whether a member before it has the same request (and, if that is asked, an answer).
static bool is_repeated(const sc_area_states *s, size_t member, bool answered_only)
{
    for (size_t i = 0; i < member; i++) {
        if (answered_only && !s->members[i].is_answered) continue;
        if (is_same_wish(&s->members[i].wish, &s->members[member].wish)) return true;
    }
    return false;
}

// --- Objects of a round -------------------------------------------------------------------------

/** An object on its way into the table. */
struct sc_gathered {
    uint64_t key;
    uint64_t area;
    sc_object object;
};

static int newest_of_key_first(const void *a, const void *b)
{
    const struct sc_gathered *x = a;
    const struct sc_gathered *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->area < y->area) - (x->area > y->area);
}

static int by_edge(const void *a, const void *b)
{
    const sc_object *x = &((const struct sc_gathered *)a)->object;
    const sc_object *y = &((const struct sc_gathered *)b)->object;
    if (x->edge != y->edge) return x->edge < y->edge ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static const sc_known_area *find_area(const sc_area_states *s, uint64_t number)
{
    const uint32_t place = sc_hash_get(&s->by_number, (sc_key){1, number}, SC_NONE);
    return place != SC_NONE && s->areas[place].number == number ? &s->areas[place] : NULL;
}

static bool gather_area(sc_area_states *s, const sc_known_area *area, size_t *count)
{
    const double unit_m = sc_map_unit_m(s->map);
    for (size_t i = 0; i < area->object_count; i++) {
        const sc_event_object *object = &area->objects[i];
        const double length = sc_map_edges(s->map)[object->edge].length;
        if (!sc_grow(&s->gathered, *count, &s->gathered_capacity, sizeof *s->gathered)) {
            return false;
        }
        s->gathered[(*count)++] = (struct sc_gathered){
            .key = object->key,
            .area = area->number,
            .object = {.edge = object->edge,
                       .offset = (uint32_t)fmin(fmax(round(object->offset_m / unit_m), 0), length),
                       .category = object->category}};
    }
    return true;
}

// Whether the table has the objects of these very areas already; if not, they are noted.
static sc_err note_used(look *at, size_t round, bool *is_same)
{
    sc_area_states *s = at->s;
    size_t count = 0;
    *is_same = s->used_count > 0;
    for (size_t i = 0; i < at->areas->use_count; i++) {
        if (at->areas->uses[i].round != round) continue;
        const uint64_t number = at->areas->uses[i].area;
        if (count >= s->used_count || s->used[count] != number) *is_same = false;
        if (!sc_grow(&s->used, count, &s->used_capacity, sizeof *s->used)) return SC_ENOMEM;
        s->used[count++] = number;
    }
    *is_same = *is_same && count == s->used_count;
    s->used_count = count;
    return SC_OK;
}

// The objects of a round become those that are searched for. Of those with one key the newest is.
static sc_err use_round(look *at, size_t round)
{
    sc_area_states *s = at->s;
    bool is_same = false;
    size_t count = 0;
    sc_err err = note_used(at, round, &is_same);
    if (err || is_same) return err;
    for (size_t i = 0; i < s->used_count; i++) {
        const sc_known_area *area = find_area(s, s->used[i]);
        if (area && !gather_area(s, area, &count)) return SC_ENOMEM;
    }
    if (count > 0) qsort(s->gathered, count, sizeof *s->gathered, newest_of_key_first);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && s->gathered[i].key == s->gathered[i - 1].key) continue;
        s->gathered[kept++] = s->gathered[i];
    }
    if (kept > 0) qsort(s->gathered, kept, sizeof *s->gathered, by_edge);
    if (!sc_reserve(&s->objects, kept, &s->object_capacity, sizeof *s->objects) ||
        !sc_reserve(&s->keys, kept, &s->key_capacity, sizeof *s->keys)) {
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < kept; i++) {
        s->objects[i] = s->gathered[i].object;
        s->keys[i] = s->gathered[i].key;
    }
    s->object_count = kept;
    return sc__ways_use(&s->answers.ways, s->objects, (uint32_t)kept);
}

// --- Lists of border nodes ----------------------------------------------------------------------

// What the last object of a list costs, or the radius; HUGE_VAL if there are fewer than asked for.
static sc_err cost_of_list(sc_area_states *s, const sc_event_request *wish, sc_node_id node,
                           double *cost)
{
    *cost = wish->radius;
    if (wish->is_range) return SC_OK;
    *cost = 0;
    s->answers.ways.extent = NULL;
    sc_err err = sc__ways_from_node(&s->answers.ways, wish, node);
    for (uint32_t i = 0; i < wish->k && !err; i++) {
        sc_searched_object found;
        err = sc__ways_next(&s->answers.ways, HUGE_VAL, &found);
        if (err) break;
        const bool is_by_time = wish->metric == SC_METRIC_TIME;
        *cost = is_by_time ? found.duration_s : found.distance_m;
        if (found.object == SC_NONE) {
            *cost = HUGE_VAL;
            break;
        }
    }
    return err;
}

// All places that cost less than that, from a node.
static sc_err reach_of_list(sc_area_states *s, const sc_event_request *wish, sc_node_id node,
                            double cost, sc_verify_box *out)
{
    const double unit =
        wish->metric == SC_METRIC_TIME ? sc_map_time_unit_s(s->map) : sc_map_unit_m(s->map);
    sc_ways *ways = &s->answers.ways;
    double x = 0;
    double y = 0;
    sc_map_node_position(s->map, node, &x, &y);
    *out = (sc_verify_box){x, y, x, y};
    // Two units less: objects are at whole units.
    ways->extent_limit = cost / unit - 2;
    if (ways->extent_limit < 0) return SC_OK;
    ways->extent = out;
    sc_err err = sc__ways_from_node(ways, wish, node);
    sc_searched_object found = {.object = 0};
    while (!err && found.object != SC_NONE) {
        err = sc__ways_next(ways, cost, &found);
    }
    ways->extent = NULL;
    return err;
}

// --- What may be asked for ----------------------------------------------------------------------

static const sc_event_span *find_span(const sc_event_areas *areas, size_t round,
                                      sc_category_id category)
{
    for (size_t i = 0; i < areas->span_count; i++) {
        const sc_event_span *span = &areas->spans[i];
        if (span->round == round && span->category == category) return span;
    }
    return NULL;
}

static void say(look *at, const char *what, const sc_event_span *span)
{
    if (at->wrong[0] != '\0') return;
    snprintf(at->wrong, sizeof at->wrong, "round %zu: %s", span->round + 1, what);
}

static bool is_span(const sc_area_states *s, const sc_event_span *span)
{
    if (span->level > s->tiles.level || span->x[0] > span->x[1] || span->y[0] > span->y[1]) {
        return false;
    }
    const double across = ldexp(1, (int)span->level);
    return span->x[1] < across && span->y[1] < across &&
           (span->x[1] - span->x[0] + 1.0) * (span->y[1] - span->y[0] + 1.0) <= SPAN_TILES;
}

// No tile of a span may be beyond the box, nor larger than the box makes necessary.
static bool is_within(const sc_area_states *s, const sc_event_span *span, sc_verify_box most)
{
    const touched t = touched_at(s, most, span->level);
    return span->level >= level_for(s, most) && span->x[0] >= t.x[0] && span->x[1] <= t.x[1] &&
           span->y[0] >= t.y[0] && span->y[1] <= t.y[1];
}

// How far the first box of a category may reach beyond the roads; negative: no request asks for it.
static double first_reach_m(const sc_area_states *s, sc_category_id category)
{
    double reach_m = -1;
    for (size_t i = 0; i < s->member_count; i++) {
        const sc_event_request *wish = &s->members[i].wish;
        if (!is_for(s, wish, category)) continue;
        const double own_m = wish->is_range
                                 ? line_of_m(s, wish->metric, wish->radius)
                                 : FIRST_REACH * (double)s->tiles.side_y * 1e-7 * per_unit_m(s);
        reach_m = fmax(reach_m, own_m);
    }
    return reach_m;
}

static void look_at_first(look *at, const sc_event_span *span)
{
    const double reach_m = first_reach_m(at->s, span->category);
    if (reach_m < 0) {
        say(at, "tiles of a category that no member asks for", span);
        return;
    }
    const sc_verify_box most = widen(at->s, at->roads, at->s->tiles.reach_m + reach_m);
    if (!is_within(at->s, span, most)) {
        say(at, "tiles that do not follow from the roads and the requests", span);
    }
}

// The box that the lists of the round before can ask for; false: they lack nothing.
static sc_err next_box(const look *at, const sc_event_span *before, sc_verify_box *most,
                       bool *is_lacking)
{
    sc_area_states *s = at->s;
    const sc_verify_box box = box_of(s, before);
    const double side_m = side_y(s, before->level) * 1e-7 * per_unit_m(s);
    *is_lacking = false;
    *most = widen(s, box, side_m);
    for (size_t m = 0; m < s->member_count; m++) {
        const sc_event_request *wish = &s->members[m].wish;
        if (!is_for(s, wish, before->category) || is_repeated(s, m, false)) continue;
        for (size_t b = 0; b < s->border_nodes.count; b++) {
            const sc_node_id node = s->border_nodes.ids[b];
            double cost = 0;
            if (node >= sc_map_node_count(s->map)) continue;
            const sc_err err = cost_of_list(s, wish, node, &cost);
            if (err) return err;
            if (!may_lack(s, box, node, wish->metric, cost)) continue;
            *is_lacking = true;
            if (!isfinite(cost)) continue;
            const double line_m = line_of_m(s, wish->metric, cost);
            *most = join(*most, widen(s, at->roads, s->tiles.reach_m + line_m));
        }
    }
    return SC_OK;
}

static sc_err look_at_next(look *at, const sc_event_span *span)
{
    const sc_event_span *before = find_span(at->areas, span->round - 1, span->category);
    if (!before) {
        say(at, "tiles of a category that the round before did not need", span);
        return SC_OK;
    }
    const bool is_same = before->level == span->level && before->x[0] == span->x[0] &&
                         before->x[1] == span->x[1] && before->y[0] == span->y[0] &&
                         before->y[1] == span->y[1];
    if (is_same) return SC_OK;
    sc_verify_box most;
    bool is_lacking = false;
    const sc_err err = next_box(at, before, &most, &is_lacking);
    if (err) return err;
    if (!is_lacking) {
        say(at, "more tiles, although the lists of the round before lack nothing", span);
    } else if (!is_within(at->s, span, most)) {
        say(at, "tiles that the lists of the round before do not demand", span);
    }
    return SC_OK;
}

static sc_err look_at_rounds(look *at)
{
    const sc_event_areas *areas = at->areas;
    sc_err err = SC_OK;
    for (size_t i = 0; i < areas->span_count && !err; i++) {
        const sc_event_span *span = &areas->spans[i];
        if (!is_span(at->s, span)) say(at, "no span of up to four of the fixed tiles", span);
        if (find_span(areas, span->round, span->category) != span) {
            say(at, "a category is there twice", span);
        }
        // Spans come round by round; what the one before had is in the table.
        if (span->round > 0 && at->wrong[0] == '\0') err = use_round(at, span->round - 1);
        if (err || at->wrong[0] != '\0') return err;
        if (!is_inside_by(at->s, at->roads, box_of(at->s, span), at->s->tiles.snap_m)) {
            say(at, "the tiles do not hold the roads of the cloak and what is near them", span);
        }
        if (span->round == 0) look_at_first(at, span);
        if (span->round > 0 && at->wrong[0] == '\0') err = look_at_next(at, span);
    }
    return err;
}

static void look_at_asked(look *at)
{
    const sc_area_states *s = at->s;
    for (size_t i = 0; i < s->asked_count && at->wrong[0] == '\0'; i++) {
        const sc_known_area *area = &s->areas[s->asked[i]];
        bool is_needed = false;
        for (size_t j = 0; j < at->areas->span_count; j++) {
            const sc_event_span *span = &at->areas->spans[j];
            is_needed |= span->category == area->category && span->level == area->level &&
                         area->x >= span->x[0] && area->x <= span->x[1] && area->y >= span->y[0] &&
                         area->y <= span->y[1];
        }
        if (!is_needed) {
            snprintf(at->wrong, sizeof at->wrong,
                     "area %" PRIu64 " was asked for, and no round needs it", area->number);
        }
    }
}

// --- What must be there -------------------------------------------------------------------------

static bool is_part_of(uint32_t x, uint32_t level, uint32_t whole, uint32_t whole_level)
{
    return whole_level <= level && x >> (level - whole_level) == whole;
}

// Whether an area of a round has a tile of that category.
static bool has_tile(const look *at, const sc_event_span *span, uint32_t x, uint32_t y)
{
    for (size_t i = 0; i < at->areas->use_count; i++) {
        const sc_event_use *use = &at->areas->uses[i];
        const sc_known_area *area = use->round == span->round ? find_area(at->s, use->area) : NULL;
        if (!area || (area->category != SC_NONE && area->category != span->category)) continue;
        if (is_part_of(x, span->level, area->x, area->level) &&
            is_part_of(y, span->level, area->y, area->level)) {
            return true;
        }
    }
    return false;
}

static void look_for_tiles(look *at, size_t round)
{
    for (size_t i = 0; i < at->areas->span_count; i++) {
        const sc_event_span *span = &at->areas->spans[i];
        if (span->round != round) continue;
        for (uint32_t y = span->y[0]; y <= span->y[1]; y++) {
            for (uint32_t x = span->x[0]; x <= span->x[1]; x++) {
                if (!has_tile(at, span, x, y)) say(at, "no area has a tile that it needs", span);
            }
        }
    }
}

// Whether a span holds all roads of the map, so that there is nothing outside.
static bool holds_all(const sc_area_states *s, const sc_event_span *span)
{
    return is_inside_by(s, s->roads, box_of(s, span), s->tiles.snap_m);
}

// What a request needs of the last round: nothing outside can come before what its lists have.
static sc_err look_at_wish(look *at, const sc_event_request *wish, const sc_event_span *span)
{
    sc_area_states *s = at->s;
    if (holds_all(s, span)) return SC_OK;
    for (size_t b = 0; b < s->border_nodes.count && at->wrong[0] == '\0'; b++) {
        const sc_node_id node = s->border_nodes.ids[b];
        double cost = 0;
        sc_verify_box reached;
        if (node >= sc_map_node_count(s->map)) continue;
        sc_err err = cost_of_list(s, wish, node, &cost);
        if (!err) err = reach_of_list(s, wish, node, cost, &reached);
        if (err) return err;
        if (!is_inside_by(s, reached, box_of(s, span), s->tiles.snap_m)) {
            say(at, "an object outside of the tiles could belong to an answer", span);
        }
    }
    return SC_OK;
}

static sc_err look_at_member(look *at, size_t m, size_t round)
{
    const sc_area_states *s = at->s;
    const sc_event_request *wish = &s->members[m].wish;
    const bool is_all = wish->category_count == 0 || !s->tiles.is_by_category;
    const uint32_t count = is_all ? 1 : wish->category_count;
    for (uint32_t i = 0; i < count && at->wrong[0] == '\0'; i++) {
        const sc_event_span *span =
            find_span(at->areas, round, is_all ? SC_NONE : wish->categories[i]);
        if (!span) {
            snprintf(at->wrong, sizeof at->wrong,
                     "a member is answered, and no tiles are of what it asked for");
            break;
        }
        const sc_err err = look_at_wish(at, wish, span);
        if (err) return err;
    }
    return SC_OK;
}

static sc_err look_at_last(look *at)
{
    sc_area_states *s = at->s;
    if (s->answer_count == 0 || at->wrong[0] != '\0') return SC_OK;
    if (at->areas->round_count == 0) {
        snprintf(at->wrong, sizeof at->wrong, "members are answered, and there was no round");
        return SC_OK;
    }
    const size_t last = at->areas->round_count - 1;
    sc_err err = use_round(at, last);
    if (!err) look_for_tiles(at, last);
    for (size_t m = 0; m < s->member_count && !err && at->wrong[0] == '\0'; m++) {
        if (!s->members[m].is_answered || is_repeated(s, m, true)) continue;
        err = look_at_member(at, m, last);
    }
    return err;
}

// --- Answers ------------------------------------------------------------------------------------

static sc_object_id object_of_key(const sc_area_states *s, uint64_t key)
{
    for (size_t i = 0; i < s->object_count; i++) {
        if (s->keys[i] == key) return (sc_object_id)i;
    }
    return SC_NONE;
}

// The answers of the cloak, beside a plain search over the objects of its areas.
static sc_err look_at_answers(sc_area_states *s)
{
    sc_err err = SC_OK;
    const uint64_t line = *s->line;
    for (size_t m = 0; m < s->member_count && !err && s->answers_wanted > 0; m++) {
        const sc_area_member *member = &s->members[m];
        if (!member->is_answered) continue;
        // Without a result there may be no list.
        sc_event_result *results =
            member->result_count > 0 ? s->results + member->first_result : NULL;
        for (size_t i = 0; i < member->result_count; i++) {
            results[i].object = object_of_key(s, s->result_keys[member->first_result + i]);
        }
        sc_watched watched = {.edge = member->edge,
                              .offset_m = member->offset_m,
                              .wish = member->wish,
                              .name = member->name,
                              .results = results,
                              .result_count = member->result_count};
        s->answers_wanted--;
        *s->line = member->line;
        err = sc__answers_look(&s->answers, &watched, s->findings);
    }
    *s->line = line;
    return err;
}

sc_err sc__area_needed(sc_area_states *s, const sc_event *event)
{
    look at = {.s = s, .areas = &event->areas};
    sc__looked_at(s->findings, SC_PROMISE_AREAS);
    if (!s->has_tiles || !s->has_cloak || s->is_told || event->cloak != s->cloak) {
        sc__wrong(s->findings, SC_PROMISE_AREAS, "the areas of cloak %" PRIu64 " %s", event->cloak,
                  s->has_tiles ? "are not told once, right behind its answers"
                               : "are told before the fixed tiles");
        return SC_OK;
    }
    s->is_told = true;
    at.roads = box_of_segments(s);
    sc_err err = look_at_rounds(&at);
    if (!err) look_at_asked(&at);
    if (!err) err = look_at_last(&at);
    if (err) return err;
    if (at.wrong[0] != '\0') {
        sc__wrong(s->findings, SC_PROMISE_AREAS, "cloak %" PRIu64 ": %s", s->cloak, at.wrong);
        return SC_OK;
    }
    return s->answer_count > 0 ? look_at_answers(s) : SC_OK;
}
