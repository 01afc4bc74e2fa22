// What lines tell of areas, until a cloak's are looked at. See area_check.h.
//
// An area is kept until another of the same tile and category is told. Of cloaks the last one is
// kept, with its members and answers: what it needed is told behind them.
#include "base/alloc.h"
#include "map/geo.h"
#include "verify/area_check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// --- What the map says --------------------------------------------------------------------------

// The straight line of an edge, through the earth where it is round.
static double straight_m(const sc_map *map, sc_edge_id edge)
{
    double x[2];
    double y[2];
    sc_map_node_position(map, sc_map_edges(map)[edge].from, &x[0], &y[0]);
    sc_map_node_position(map, sc_map_edges(map)[edge].to, &x[1], &y[1]);
    if (sc_map_coords(map) != SC_COORDS_GEOGRAPHIC) return hypot(x[1] - x[0], y[1] - y[0]);
    const double rad = SC_PI / 180.0;
    const double up = sin((y[1] - y[0]) * rad / 2);
    const double aside = sin((x[1] - x[0]) * rad / 2);
    return 2 * SC_EARTH_RADIUS_M *
           sqrt(up * up + cos(y[0] * rad) * cos(y[1] * rad) * aside * aside);
}

// What an edge is worth as a straight line: its length, or how far one gets in its time at the
// usual speed.
static double worth_m(const sc_map *map, sc_edge_id edge, sc_metric metric)
{
    if (metric == SC_METRIC_DISTANCE) return sc_map_edge_length_m(map, edge);
    const sc_travel_times times = sc_map_edge_times(map)[edge];
    const uint32_t quickest = times.forward < times.backward ? times.forward : times.backward;
    return quickest * sc_map_time_unit_s(map) * SC__USUAL_M_S;
}

// By how much roads are shorter, or quicker, than straight lines.
static void measure_roads(sc_area_states *s)
{
    const sc_map *map = s->map;
    s->roads = (sc_verify_box){HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (sc_node_id n = 0; n < sc_map_node_count(map); n++) {
        double x = 0;
        double y = 0;
        sc_map_node_position(map, n, &x, &y);
        s->roads = (sc_verify_box){fmin(s->roads.west, x), fmin(s->roads.south, y),
                                   fmax(s->roads.east, x), fmax(s->roads.north, y)};
    }
    for (int m = 0; m < 2; m++) {
        s->lost_m[m] = 0;
        s->least_share[m] = 1;
        for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
            const double line = straight_m(map, e);
            const double worth = worth_m(map, e, (sc_metric)m);
            if (!(line > worth)) continue;
            s->lost_m[m] += line - worth;
            s->least_share[m] = fmin(s->least_share[m], worth / line);
        }
    }
}

// --- Tiles --------------------------------------------------------------------------------------

static bool hold_all_roads(const sc_area_states *s)
{
    const sc_event_tiles *t = &s->tiles;
    const double all = ldexp(1, (int)t->level);
    const double per =
        sc_map_coords(s->map) == SC_COORDS_GEOGRAPHIC ? 180.0 / (SC_EARTH_RADIUS_M * SC_PI) : 1.0;
    const double margin = t->snap_m * per;
    return (double)t->west * 1e-7 <= s->roads.west - margin &&
           (double)t->south * 1e-7 <= s->roads.south - margin &&
           ((double)t->west + all * (double)t->side_x) * 1e-7 >= s->roads.east + margin &&
           ((double)t->south + all * (double)t->side_y) * 1e-7 >= s->roads.north + margin;
}

sc_err sc__area_tiles(sc_area_states *s, const sc_event *event, bool is_first)
{
    sc__looked_at(s->findings, SC_PROMISE_AREAS);
    if (s->has_tiles || !is_first) {
        sc__wrong(s->findings, SC_PROMISE_AREAS, "%s",
                  s->has_tiles ? "the fixed tiles are told a second time"
                               : "the fixed tiles are told after the first query");
        if (s->has_tiles) return SC_OK;
    }
    if (sc_map_coords(s->map) == SC_COORDS_NONE || sc_map_node_count(s->map) == 0) {
        sc__wrong(s->findings, SC_PROMISE_AREAS, "there are tiles, but the map has no coordinates");
        return SC_OK;
    }
    const sc_err err = sc__answers_init(&s->answers, s->map);
    if (err) return err;
    s->tiles = event->tiles;
    s->has_tiles = true;
    measure_roads(s);
    if (is_first && !hold_all_roads(s)) {
        sc__wrong(s->findings, SC_PROMISE_AREAS,
                  "the fixed tiles do not hold all roads and what is near them");
    }
    return SC_OK;
}

// --- The last cloak -----------------------------------------------------------------------------

static bool copy_ids(sc_id_list *to, const sc_id_list *from)
{
    if (!sc_reserve(&to->ids, from->count, &to->capacity, sizeof *to->ids)) return false;
    if (from->count > 0) memcpy(to->ids, from->ids, from->count * sizeof *to->ids);
    to->count = from->count;
    return true;
}

void sc__area_states_end(sc_area_states *s)
{
    if (!s->has_tiles || !s->has_cloak || s->is_told || s->answer_count == 0) return;
    sc__looked_at(s->findings, SC_PROMISE_AREAS);
    *s->line = s->cloak_line;
    sc__wrong(s->findings, SC_PROMISE_AREAS,
              "cloak %" PRIu64 " has answers, and no line tells which areas they are made from",
              s->cloak);
}

sc_err sc__area_cloak(sc_area_states *s, const sc_event *event, uint64_t line)
{
    if (!s->has_tiles) return SC_OK;
    sc__area_states_end(s);
    *s->line = line;
    s->has_cloak = true;
    s->is_told = false;
    s->cloak = event->cloak;
    s->cloak_line = line;
    s->answer_count = 0;
    s->member_count = 0;
    s->result_count = 0;
    s->asked_count = 0;
    return copy_ids(&s->segments, &event->cloaked.segments) &&
                   copy_ids(&s->border_nodes, &event->cloaked.border_nodes)
               ? SC_OK
               : SC_ENOMEM;
}

sc_err sc__area_member(sc_area_states *s, const sc_area_member *member)
{
    if (!s->has_tiles) return SC_OK;
    if (!sc_grow(&s->members, s->member_count, &s->member_capacity, sizeof *s->members)) {
        return SC_ENOMEM;
    }
    s->members[s->member_count++] = *member;
    return SC_OK;
}

sc_err sc__area_answer(sc_area_states *s, uint32_t number, uint64_t line, const sc_event *event)
{
    if (!s->has_tiles || !s->has_cloak || event->cloak != s->cloak) return SC_OK;
    for (size_t i = 0; i < s->member_count; i++) {
        sc_area_member *member = &s->members[i];
        const size_t count = event->answer.result_count;
        if (member->number != number || member->is_answered) continue;
        if (!sc_reserve(&s->results, s->result_count + count, &s->result_capacity,
                        sizeof *s->results) ||
            !sc_reserve(&s->result_keys, s->result_count + count, &s->result_key_capacity,
                        sizeof *s->result_keys)) {
            return SC_ENOMEM;
        }
        for (size_t r = 0; r < count; r++) {
            s->results[s->result_count + r] = event->answer.results[r];
            s->result_keys[s->result_count + r] = event->answer.keys[r];
        }
        member->is_answered = true;
        member->line = line;
        member->first_result = s->result_count;
        member->result_count = count;
        s->result_count += count;
        s->answer_count++;
        return SC_OK;
    }
    return SC_OK;
}

// --- Areas --------------------------------------------------------------------------------------

// The place of an area of that tile and category.
static sc_err find_place(sc_area_states *s, const sc_event_area *area, size_t *out)
{
    const sc_key tile = {(uint64_t)area->level << 32 | area->category,
                         (uint64_t)area->x << 32 | area->y};
    uint32_t place = SC_NONE;
    if (!sc_grow(&s->areas, s->area_count, &s->area_capacity, sizeof *s->areas)) return SC_ENOMEM;
    if (sc_hash_put(&s->by_tile, tile, (uint32_t)s->area_count, &place)) return SC_ENOMEM;
    if (place == s->area_count) s->areas[s->area_count++] = (sc_known_area){.object_count = 0};
    *out = place;
    return SC_OK;
}

static sc_err keep_area(sc_area_states *s, const sc_event_area *area, size_t *place)
{
    sc_err err = find_place(s, area, place);
    uint32_t unused = 0;
    if (!err) {
        err = sc_hash_put(&s->by_number, (sc_key){1, area->number}, (uint32_t)*place, &unused);
    }
    if (err) return err;
    sc_known_area *known = &s->areas[*place];
    sc_event_object *objects = sc_malloc_array(area->object_count, sizeof *objects);
    if (!objects) return SC_ENOMEM;
    if (area->object_count > 0) {
        memcpy(objects, area->objects, area->object_count * sizeof *objects);
    }
    sc_free(known->objects);
    *known = (sc_known_area){.number = area->number,
                             .level = area->level,
                             .x = area->x,
                             .y = area->y,
                             .category = area->category,
                             .objects = objects,
                             .object_count = area->object_count};
    return SC_OK;
}

// The sides of a tile in coordinates.
static sc_verify_box box_of(const sc_event_tiles *t, const sc_event_area *area)
{
    const double side_x = ldexp((double)t->side_x, (int)t->level - (int)area->level);
    const double side_y = ldexp((double)t->side_y, (int)t->level - (int)area->level);
    const double west = (double)t->west + side_x * area->x;
    const double south = (double)t->south + side_y * area->y;
    return (sc_verify_box){west * 1e-7, south * 1e-7, (west + side_x) * 1e-7,
                           (south + side_y) * 1e-7};
}

// Whether an object can belong to a tile: its road is no farther from it than objects may be.
static bool is_near(const sc_area_states *s, sc_verify_box box, const sc_event_object *object)
{
    double x[2];
    double y[2];
    const sc_edge *edge = &sc_map_edges(s->map)[object->edge];
    const double length_m = sc_map_edge_length_m(s->map, object->edge);
    sc_map_node_position(s->map, edge->from, &x[0], &y[0]);
    sc_map_node_position(s->map, edge->to, &x[1], &y[1]);
    const double part = length_m > 0 ? fmin(fmax(object->offset_m / length_m, 0), 1) : 0;
    const double at_x = x[0] + (x[1] - x[0]) * part;
    const double at_y = y[0] + (y[1] - y[0]) * part;
    double per_y = 1;
    double per_x = 1;
    if (sc_map_coords(s->map) == SC_COORDS_GEOGRAPHIC) {
        per_y = SC_EARTH_RADIUS_M * SC_PI / 180.0;
        per_x = per_y * cos(at_y * SC_PI / 180.0);
    }
    const double off_x = fmax(fmax(box.west - at_x, at_x - box.east), 0) * per_x;
    const double off_y = fmax(fmax(box.south - at_y, at_y - box.north), 0) * per_y;
    return hypot(off_x, off_y) <= s->tiles.reach_m * 1.01 + 1;
}

// What is wrong with an area by itself; NULL: nothing.
static const char *find_area_wrong(const sc_area_states *s, const sc_event_area *area)
{
    const double across = ldexp(1, (int)area->level);
    if (area->level > s->tiles.level || area->x >= across || area->y >= across) {
        return "is none of the fixed tiles";
    }
    if (!s->tiles.is_by_category && area->category != SC_NONE) {
        return "is of a category, although questions do not name any";
    }
    const sc_verify_box box = box_of(&s->tiles, area);
    for (size_t i = 0; i < area->object_count; i++) {
        const sc_event_object *object = &area->objects[i];
        if (object->edge >= sc_map_edge_count(s->map) || !isfinite(object->offset_m)) {
            return "has an object on an edge that the map does not have";
        }
        if (area->category != SC_NONE && object->category != area->category) {
            return "has an object of another category";
        }
        if (!is_near(s, box, object)) return "has an object that is too far from its tile";
    }
    return NULL;
}

sc_err sc__area_fetched(sc_area_states *s, const sc_event *event)
{
    const sc_event_area *area = &event->area;
    size_t place = 0;
    sc__looked_at(s->findings, SC_PROMISE_AREAS);
    const char *wrong = s->has_tiles ? find_area_wrong(s, area) : "is told before the fixed tiles";
    if (!wrong && area->is_asked && (!s->has_cloak || s->is_told || event->cloak != s->cloak)) {
        wrong = "is not told behind the cloak that it was asked for";
    }
    if (wrong) {
        sc__wrong(s->findings, SC_PROMISE_AREAS, "area %" PRIu64 " %s", area->number, wrong);
        return SC_OK;
    }
    if (area->is_same) {
        const uint32_t known = sc_hash_get(&s->by_number, (sc_key){1, area->number}, SC_NONE);
        if (known == SC_NONE || s->areas[known].number != area->number) {
            sc__wrong(s->findings, SC_PROMISE_AREAS,
                      "area %" PRIu64 " is said to be unchanged, and was not told before",
                      area->number);
            return SC_OK;
        }
        place = known;
    } else {
        const sc_err err = keep_area(s, area, &place);
        if (err) return err;
        s->used_count = 0;
    }
    if (!area->is_asked) return SC_OK;
    if (!sc_grow(&s->asked, s->asked_count, &s->asked_capacity, sizeof *s->asked)) {
        return SC_ENOMEM;
    }
    s->asked[s->asked_count++] = place;
    return SC_OK;
}

void sc__area_states_fini(sc_area_states *s)
{
    for (size_t i = 0; i < s->area_count; i++) {
        sc_free(s->areas[i].objects);
    }
    if (s->has_tiles) sc__answers_fini(&s->answers);
    sc_hash_fini(&s->by_number);
    sc_hash_fini(&s->by_tile);
    sc_free(s->areas);
    sc_free(s->segments.ids);
    sc_free(s->border_nodes.ids);
    sc_free(s->members);
    sc_free(s->results);
    sc_free(s->result_keys);
    sc_free(s->asked);
    sc_free(s->objects);
    sc_free(s->keys);
    sc_free(s->used);
    sc_free(s->gathered);
    *s = (sc_area_states){.map = s->map};
}
