// From JSON to events, field by field. See record_events.h. Lines as StarCloak writes them do not
// come this far: record_lines.c reads them.
//
// Messages name fields and lines, not values: a value may be a user or a position.
#include "verify/record_events.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/** More seconds than this, in either direction, are no time: 30,000 years. */
#define MAX_SECONDS 1e12

/** As far as operators may go; docs/demands.md. */
#define MAX_TRAFFIC 4
#define MAX_SPEED_M_S 1000.0
#define MAX_AGE_S 86400.0

/** Tiles: the levels that there can be, and coordinates in ten-millionths. */
#define MAX_LEVEL 26
#define MAX_STEPS ((int64_t)1 << 53)

/** A line under examination: where to complain, and whether there was reason to. */
typedef struct line {
    sc_event_reader *reader;
    sc_diag *diag;
    sc_err err;  ///< the first thing wrong; all after it is moot
} line;

static void refuse(line *at, const char *field, const char *wanted)
{
    if (at->err) return;
    at->err = sc_fail(at->diag, SC_EPARSE, "%s:%" PRIu64 ": '%s' is missing or is not %s",
                      at->reader->name, at->reader->line, field, wanted);
}

static void refuse_memory(line *at)
{
    if (!at->err) at->err = sc_fail_memory(at->diag, "reading a record");
}

// --- Single fields ---------------------------------------------------------------------

static sc_slice text_of(line *at, const sc_json_value *object, const char *field)
{
    const sc_json_value *value = sc_json_member(object, field);
    if (!sc_json_is_string(value)) {
        refuse(at, field, "a text");
        return (sc_slice){"", 0};
    }
    return (sc_slice){sc_json_text_at(value), sc_json_text_size(value)};
}

static sc_slice query_id_of(line *at, const sc_json_value *object)
{
    const sc_slice id = text_of(at, object, "query");
    if (id.size == 0) refuse(at, "query", "the id of a query");
    return id;
}

static double number_of(line *at, const sc_json_value *object, const char *field)
{
    const sc_json_value *value = sc_json_member(object, field);
    if (!sc_json_is_number(value)) refuse(at, field, "a number");
    return sc_json_number_at(value);
}

/** Seconds as whole microseconds. */
static int64_t time_of(line *at, const sc_json_value *object, const char *field)
{
    const double seconds = number_of(at, object, field);
    if (!(fabs(seconds) <= MAX_SECONDS)) {
        refuse(at, field, "a time in seconds");
        return 0;
    }
    return llround(seconds * 1e6);
}

/** A time to wait, of a microsecond at least. */
static int64_t wait_of(line *at, const sc_json_value *object, const char *field)
{
    const int64_t wait_us = time_of(at, object, field);
    if (wait_us <= 0) refuse(at, field, "a time above 0 seconds");
    return wait_us;
}

static uint32_t id_of_value(line *at, const sc_json_value *value, const char *field)
{
    const int64_t id = sc_json_integer(value);
    if (!sc_json_is_integer(value) || id < 0) refuse(at, field, "a whole number of 0 or more");
    return id < SC_NONE ? (uint32_t)id : SC_NONE;
}

static uint32_t id_of(line *at, const sc_json_value *object, const char *field)
{
    return id_of_value(at, sc_json_member(object, field), field);
}

/** A whole number that counts something; it may be huge but must fit. */
static uint32_t count_of(line *at, const sc_json_value *object, const char *field)
{
    const sc_json_value *value = sc_json_member(object, field);
    const int64_t count = sc_json_integer(value);
    if (!sc_json_is_integer(value) || count < 0 || count > UINT32_MAX) {
        refuse(at, field, "a whole number of 0 or more");
        return 0;
    }
    return (uint32_t)count;
}

/** The same, but none is too few. */
static uint32_t need_of(line *at, const sc_json_value *object, const char *field)
{
    const uint32_t need = count_of(at, object, field);
    if (need == 0) refuse(at, field, "a whole number of 1 or more");
    return need;
}

static uint64_t cloak_number_of(line *at, const sc_json_value *object)
{
    const sc_json_value *value = sc_json_member(object, "cloak");
    const int64_t number = sc_json_integer(value);
    if (!sc_json_is_integer(value) || number < 0 || (uint64_t)number > SC__CLOAK_NUMBER_MAX) {
        refuse(at, "cloak", "the number of a cloak");
        return 0;
    }
    return (uint64_t)number;
}

static bool flag_of(line *at, const sc_json_value *object, const char *field)
{
    const sc_json_value *value = sc_json_member(object, field);
    if (!sc_json_is_flag(value)) refuse(at, field, "true or false");
    return sc_json_is_true(value);
}

/** Whether a text is a checksum. */
static bool is_checksum(const sc_json_value *value)
{
    enum { DIGITS = 16 };
    const char *text = sc_json_text_at(value);
    return text && sc_json_text_size(value) == DIGITS && strspn(text, "0123456789abcdef") == DIGITS;
}

static uint64_t checksum_of(line *at, const sc_json_value *object, const char *field)
{
    const sc_json_value *value = sc_json_member(object, field);
    if (is_checksum(value)) return strtoull(sc_json_text_at(value), NULL, 16);
    refuse(at, field, "a checksum of 16 hexadecimal digits");
    return 0;
}

/** The number of a zone, which is less than SC_NONE. */
static uint32_t zone_of(line *at, const sc_json_value *object)
{
    const uint32_t zone = id_of(at, object, "zone");
    if (zone == SC_NONE) refuse(at, "zone", "the number of a zone");
    return zone;
}

static const sc_json_value *object_of(line *at, const sc_json_value *object, const char *field)
{
    const sc_json_value *value = sc_json_member(object, field);
    if (!sc_json_is_object(value)) refuse(at, field, "an object");
    return value;
}

static const sc_json_value *array_of(line *at, const sc_json_value *object, const char *field)
{
    const sc_json_value *value = sc_json_member(object, field);
    if (!sc_json_is_array(value)) refuse(at, field, "a list");
    return value;
}

// --- Lists -----------------------------------------------------------------------------

static void read_ids(line *at, const sc_json_value *object, const char *field, sc_id_list *out)
{
    const sc_json_value *array = array_of(at, object, field);
    out->count = 0;
    for (size_t i = 0; i < sc_json_size(array) && !at->err; i++) {
        if (!sc_grow(&out->ids, out->count, &out->capacity, sizeof *out->ids)) {
            refuse_memory(at);
            return;
        }
        out->ids[out->count++] = id_of_value(at, sc_json_at(array, i), field);
    }
}

/** Whether a member, which has its query, has a field beside those that the format gives it. */
static bool member_tells_more(const sc_json_value *member)
{
    const size_t known = 1 + (sc_json_member(member, "star") != NULL);
    return sc_json_size(member) > known;
}

static void read_members(line *at, const sc_json_value *object, sc_event_cloak *out)
{
    const sc_json_value *array = array_of(at, object, "members");
    out->member_count = 0;
    for (size_t i = 0; i < sc_json_size(array) && !at->err; i++) {
        if (!sc_grow(&out->members, out->member_count, &out->member_capacity,
                     sizeof *out->members)) {
            refuse_memory(at);
            return;
        }
        const sc_json_value *member = sc_json_at(array, i);
        if (!sc_json_is_object(member)) refuse(at, "members", "a list of objects");
        const sc_json_value *star = sc_json_member(member, "star");
        out->members[out->member_count++] = (sc_event_member){
            .query = query_id_of(at, member),
            .star = star && !sc_json_is_null(star) ? id_of_value(at, star, "star") : SC_NONE,
        };
        out->tells_more |= member_tells_more(member);
    }
}

// Whether the objects are a provider's own, which it calls by texts: they are not on the map, and
// there is nothing to compare them with.
static bool is_foreign(const sc_json_value *answer, const sc_json_value *results)
{
    const char *whose = sc_json_text_at(sc_json_member(answer, "objects"));
    if (whose && strcmp(whose, "provider") == 0) return true;
    for (size_t i = 0; i < sc_json_size(results); i++) {
        if (sc_json_is_string(sc_json_member(sc_json_at(results, i), "poi"))) return true;
    }
    return false;
}

static void read_results(line *at, const sc_json_value *object, sc_event_answer *out)
{
    const sc_json_value *array = array_of(at, object, "results");
    out->result_count = 0;
    out->is_foreign = is_foreign(object, array);
    for (size_t i = 0; i < sc_json_size(array) && !at->err; i++) {
        if (!sc_grow(&out->results, out->result_count, &out->result_capacity,
                     sizeof *out->results) ||
            !sc_grow(&out->keys, out->result_count, &out->key_capacity, sizeof *out->keys)) {
            refuse_memory(at);
            return;
        }
        const sc_json_value *result = sc_json_at(array, i);
        const sc_json_value *poi = sc_json_member(result, "poi");
        const bool has_text = sc_json_is_string(poi);
        out->keys[out->result_count] =
            has_text ? XXH3_64bits(sc_json_text_at(poi), sc_json_text_size(poi)) : 0;
        const bool has_duration = sc_json_member(result, "duration_s") != NULL;
        out->results[out->result_count++] = (sc_event_result){
            .object = has_text ? SC_NONE : id_of(at, result, "poi"),
            .distance_m = number_of(at, result, "distance_m"),
            .duration_s = has_duration ? number_of(at, result, "duration_s") : (double)NAN,
        };
    }
}

// --- Events ----------------------------------------------------------------------------

static sc_metric metric_of(line *at, const sc_json_value *request)
{
    const sc_json_value *value = sc_json_member(request, "metric");
    if (!value) return SC_METRIC_DISTANCE;
    const char *name = sc_json_text_at(value);
    const sc_metric metric = name ? sc_metric_find(name) : SC_METRIC_COUNT;
    if (metric == SC_METRIC_COUNT) {
        refuse(at, "metric", "'distance' or 'time'");
        return SC_METRIC_DISTANCE;
    }
    return metric;
}

static sc_key name_key(const sc_json_value *value)
{
    const XXH128_hash_t hash = XXH3_128bits(sc_json_text_at(value), sc_json_text_size(value));
    return (sc_key){hash.high64, hash.low64};
}

/** The number of a category: the map's, or one that follows them. */
static sc_category_id category_of(line *at, const sc_json_value *value)
{
    sc_event_reader *reader = at->reader;
    const sc_category_id known = sc_map_category_find(reader->map, sc_json_text_at(value));
    if (known != SC_NONE) return known;
    const uint32_t next = sc_map_category_count(reader->map) + (uint32_t)reader->names.count;
    uint32_t found = SC_NONE;
    if (sc_hash_put(&reader->names, name_key(value), next, &found)) refuse_memory(at);
    return found;
}

static void add_category(line *at, const sc_json_value *value, sc_event_request *wish)
{
    if (!sc_json_is_string(value)) {
        refuse(at, "category", "a name, a list of up to 16 names, or null");
        return;
    }
    wish->categories[wish->category_count++] = category_of(at, value);
}

static void read_categories(line *at, const sc_json_value *request, sc_event_request *wish)
{
    const sc_json_value *value = sc_json_member(request, "category");
    if (!value || sc_json_is_null(value)) return;
    const bool is_list = sc_json_is_array(value);
    const size_t count = is_list ? sc_json_size(value) : 1;
    if (count == 0 || count > SC_WISH_CATEGORIES) {
        refuse(at, "category", "a name, a list of up to 16 names, or null");
        return;
    }
    for (size_t i = 0; i < count && !at->err; i++) {
        add_category(at, is_list ? sc_json_at(value, i) : value, wish);
    }
}

static sc_event_request read_wish(line *at, const sc_json_value *request)
{
    sc_event_request wish = {.metric = metric_of(at, request)};
    const sc_slice type = text_of(at, request, "type");
    wish.is_range = sc_slice_is(type, "range");
    if (wish.is_range) {
        const bool is_by_time = wish.metric == SC_METRIC_TIME;
        wish.radius = number_of(at, request, is_by_time ? "radius_s" : "radius_m");
    } else if (sc_slice_is(type, "knn")) {
        wish.k = count_of(at, request, "k");
    } else {
        refuse(at, "type", "'knn' or 'range'");
    }
    read_categories(at, request, &wish);
    return wish;
}

static void read_query(line *at, const sc_json_value *object, sc_event *out)
{
    const sc_json_value *profile = object_of(at, object, "profile");
    out->query = query_id_of(at, object);
    out->asked = (sc_event_query){
        .user = text_of(at, object, "user"),
        .edge = id_of(at, object, "edge"),
        .segment = id_of(at, object, "segment"),
        .offset_m = number_of(at, object, "offset_m"),
        .k = need_of(at, profile, "k"),
        .l = need_of(at, profile, "l"),
        .max_hops = count_of(at, profile, "sigma_s"),
        .max_wait_us = wait_of(at, profile, "sigma_t"),
        .wish = read_wish(at, object_of(at, object, "request")),
        .zone = sc_json_member(object, "zone") ? zone_of(at, object) : SC_NONE,
    };
}

static void read_cloak(line *at, const sc_json_value *object, sc_event *out)
{
    // The event, its time and the five that follow. All are required and none stands twice, so
    // one more than these is one that the format does not know.
    enum { FIELD_COUNT = 7 };
    out->cloak = cloak_number_of(at, object);
    read_ids(at, object, "stars", &out->cloaked.stars);
    read_ids(at, object, "segments", &out->cloaked.segments);
    read_ids(at, object, "border_nodes", &out->cloaked.border_nodes);
    out->cloaked.tells_more = sc_json_size(object) > FIELD_COUNT;
    read_members(at, object, &out->cloaked);
}

static void read_loss(line *at, const sc_json_value *object, sc_event *out)
{
    out->query = query_id_of(at, object);
    out->reason = text_of(at, object, "reason");
}

static void read_answer(line *at, const sc_json_value *object, sc_event *out)
{
    out->query = query_id_of(at, object);
    out->cloak = cloak_number_of(at, object);
    read_results(at, object, &out->answer);
}

// Others may have a "map" of their own at the end: only what looks like a checksum is one.
static void read_end(line *at, const sc_json_value *object, sc_event *out)
{
    const bool tells_map = is_checksum(sc_json_member(object, "map"));
    out->end = (sc_event_end){.tells_map = tells_map,
                              .map_checksum = tells_map ? checksum_of(at, object, "map") : 0};
}

static void read_continuity(line *at, const sc_json_value *object, sc_event_demands *out)
{
    const sc_json_value *continuity = object_of(at, object, "continuity");
    const double tau_s = number_of(at, continuity, "tau_s");
    out->has_continuity = true;
    out->vmax_m_s = number_of(at, continuity, "vmax_m_s");
    if (!(out->vmax_m_s > 0 && out->vmax_m_s <= MAX_SPEED_M_S)) {
        refuse(at, "vmax_m_s", "a speed above 0 and up to 1000 m/s");
    }
    if (!(tau_s > 0 && tau_s <= MAX_AGE_S)) {
        refuse(at, "tau_s", "a time above 0 and up to 86400 seconds");
        return;
    }
    out->tau_us = llround(tau_s * 1e6);
}

static void read_class_names(line *at, const sc_json_value *object, sc_event_demands *out)
{
    const sc_json_value *array = array_of(at, object, "classes");
    if (sc_json_size(array) > SC_PLACE_CLASSES_MAX) {
        refuse(at, "classes", "a list of up to 32 names");
    }
    for (size_t i = 0; i < sc_json_size(array) && !at->err; i++) {
        out->classes[out->class_count] = sc_json_text_at(sc_json_at(array, i));
        if (!out->classes[out->class_count++]) refuse(at, "classes", "a list of names");
    }
}

// Only whether it is strict must be said; what is not there is not asked for.
static void read_demands(line *at, const sc_json_value *object, sc_event *out)
{
    sc_event_demands *demands = &out->demands;
    *demands = (sc_event_demands){.is_strict = flag_of(at, object, "strict")};
    if (sc_json_member(object, "traffic")) demands->traffic = count_of(at, object, "traffic");
    if (demands->traffic == 1 || demands->traffic > MAX_TRAFFIC) {
        refuse(at, "traffic", "0 or a whole number from 2 to 4");
    }
    if (demands->traffic > 0) demands->density = checksum_of(at, object, "density");
    if (sc_json_member(object, "continuity")) read_continuity(at, object, demands);
    if (sc_json_member(object, "classes")) read_class_names(at, object, demands);
}

static void read_class(line *at, const sc_json_value *object, sc_event *out)
{
    out->class_name = text_of(at, object, "class");
    read_ids(at, object, "segments", &out->roads);
}

static void read_zone(line *at, const sc_json_value *object, sc_event *out)
{
    out->zone = zone_of(at, object);
    out->zone_user = text_of(at, object, "user");
    read_ids(at, object, "segments", &out->roads);
}

// --- Areas -----------------------------------------------------------------------------

/** A whole number of any sign that is exact in JSON. */
static int64_t steps_of(line *at, const sc_json_value *object, const char *field, int64_t least)
{
    const sc_json_value *value = sc_json_member(object, field);
    const int64_t steps = sc_json_integer(value);
    if (!sc_json_is_integer(value) || steps < least || steps > MAX_STEPS) {
        refuse(at, field, "a whole number of steps");
        return least;
    }
    return steps;
}

static uint32_t level_of(line *at, const sc_json_value *object)
{
    const uint32_t level = count_of(at, object, "level");
    if (level > MAX_LEVEL) refuse(at, "level", "a level of 0 to 26");
    return level;
}

static void read_tiles(line *at, const sc_json_value *object, sc_event *out)
{
    out->tiles = (sc_event_tiles){.west = steps_of(at, object, "west", -MAX_STEPS),
                                  .south = steps_of(at, object, "south", -MAX_STEPS),
                                  .side_x = steps_of(at, object, "side_x", 1),
                                  .side_y = steps_of(at, object, "side_y", 1),
                                  .level = level_of(at, object),
                                  .snap_m = number_of(at, object, "snap_m"),
                                  .reach_m = number_of(at, object, "reach_m"),
                                  .is_by_category = flag_of(at, object, "by_category")};
    if (!(out->tiles.snap_m >= 0)) refuse(at, "snap_m", "0 or more");
    if (!(out->tiles.reach_m >= out->tiles.snap_m)) refuse(at, "reach_m", "'snap_m' or more");
}

/** Null is all of them. */
static sc_category_id topic_of(line *at, const sc_json_value *object)
{
    const sc_json_value *value = sc_json_member(object, "category");
    if (sc_json_is_null(value)) return SC_NONE;
    if (sc_json_is_string(value)) return category_of(at, value);
    refuse(at, "category", "a name or null");
    return SC_NONE;
}

static uint64_t area_number_of(line *at, const sc_json_value *value, const char *field)
{
    const int64_t number = sc_json_integer(value);
    if (sc_json_is_integer(value) && number >= 0) return (uint64_t)number;
    refuse(at, field, "the number of an area");
    return 0;
}

static void read_objects(line *at, const sc_json_value *object, sc_event_area *out)
{
    const sc_json_value *array = array_of(at, object, "objects");
    for (size_t i = 0; i < sc_json_size(array) && !at->err; i++) {
        if (!sc_grow(&out->objects, out->object_count, &out->object_capacity,
                     sizeof *out->objects)) {
            refuse_memory(at);
            return;
        }
        const sc_json_value *item = sc_json_at(array, i);
        const sc_slice key = text_of(at, item, "poi");
        const sc_json_value *category = sc_json_member(item, "category");
        if (!sc_json_is_string(category)) refuse(at, "category", "a name");
        if (at->err) return;
        out->objects[out->object_count++] =
            (sc_event_object){.key = XXH3_64bits(key.text, key.size),
                              .category = category_of(at, category),
                              .edge = id_of(at, item, "edge"),
                              .offset_m = number_of(at, item, "offset_m")};
    }
}

static void read_area(line *at, const sc_json_value *object, sc_event *out)
{
    sc_event_area *area = &out->area;
    area->number = area_number_of(at, sc_json_member(object, "area"), "area");
    area->is_asked = sc_json_member(object, "cloak") != NULL;
    if (area->is_asked) out->cloak = cloak_number_of(at, object);
    area->level = level_of(at, object);
    area->x = count_of(at, object, "x");
    area->y = count_of(at, object, "y");
    area->category = topic_of(at, object);
    area->is_same = !sc_json_member(object, "objects");
    area->object_count = 0;
    if (!area->is_same) read_objects(at, object, area);
}

static void read_ends(line *at, const sc_json_value *object, const char *field, uint32_t out[2])
{
    const sc_json_value *array = array_of(at, object, field);
    if (sc_json_size(array) != 2) refuse(at, field, "a list of two whole numbers");
    for (size_t i = 0; i < 2 && !at->err; i++) {
        out[i] = id_of_value(at, sc_json_at(array, i), field);
    }
}

static void read_round(line *at, const sc_json_value *object, size_t round, sc_event_areas *out)
{
    const sc_json_value *tiles = array_of(at, object, "tiles");
    const sc_json_value *areas = array_of(at, object, "areas");
    for (size_t i = 0; i < sc_json_size(tiles) && !at->err; i++) {
        const sc_json_value *item = sc_json_at(tiles, i);
        if (!sc_grow(&out->spans, out->span_count, &out->span_capacity, sizeof *out->spans)) {
            refuse_memory(at);
            return;
        }
        sc_event_span *span = &out->spans[out->span_count++];
        *span = (sc_event_span){
            .round = round, .category = topic_of(at, item), .level = level_of(at, item)};
        read_ends(at, item, "x", span->x);
        read_ends(at, item, "y", span->y);
    }
    for (size_t i = 0; i < sc_json_size(areas) && !at->err; i++) {
        if (!sc_grow(&out->uses, out->use_count, &out->use_capacity, sizeof *out->uses)) {
            refuse_memory(at);
            return;
        }
        const uint64_t area = area_number_of(at, sc_json_at(areas, i), "areas");
        out->uses[out->use_count++] = (sc_event_use){round, area};
    }
}

static void read_areas(line *at, const sc_json_value *object, sc_event *out)
{
    sc_event_areas *areas = &out->areas;
    const sc_json_value *rounds = array_of(at, object, "rounds");
    out->cloak = cloak_number_of(at, object);
    areas->span_count = 0;
    areas->use_count = 0;
    areas->round_count = sc_json_size(rounds);
    for (size_t i = 0; i < areas->round_count && !at->err; i++) {
        read_round(at, sc_json_at(rounds, i), i, areas);
    }
}

static const struct {
    const char *name;
    bool has_time;
    void (*read)(line *at, const sc_json_value *object, sc_event *out);
} kinds[SC_EVENT_KIND_COUNT] = {
    [SC_EVENT_QUERY] = {"query", true, read_query},
    [SC_EVENT_CLOAK] = {"cloak", true, read_cloak},
    [SC_EVENT_DROP] = {"drop", true, read_loss},
    [SC_EVENT_FAILED] = {"failed", true, read_loss},
    [SC_EVENT_ANSWER] = {"answer", false, read_answer},
    [SC_EVENT_END] = {"end", true, read_end},
    [SC_EVENT_DEMANDS] = {"demands", true, read_demands},
    [SC_EVENT_CLASS] = {"class", false, read_class},
    [SC_EVENT_ZONE] = {"zone", false, read_zone},
    [SC_EVENT_TILES] = {"tiles", false, read_tiles},
    [SC_EVENT_AREA] = {"area", false, read_area},
    [SC_EVENT_AREAS] = {"areas", false, read_areas},
};

bool sc__event_has_time(sc_event_kind kind)
{
    return kinds[kind].has_time;
}

static void read_event(line *at, const sc_json_value *object)
{
    sc_event *out = &at->reader->event;
    if (!sc_json_member(object, "event") && sc_json_member(object, "profile")) {
        at->err = sc_fail(at->diag, SC_EPARSE,
                          "%s:%" PRIu64 ": this is a query of a stream, not an event of a run "
                          "record; 'starcloak cloak --record' makes a record of a stream",
                          at->reader->name, at->reader->line);
        return;
    }
    const sc_slice name = text_of(at, object, "event");
    for (unsigned kind = 0; kind < SC_EVENT_KIND_COUNT && !at->err; kind++) {
        if (!sc_slice_is(name, kinds[kind].name)) continue;
        out->kind = (sc_event_kind)kind;
        if (kinds[kind].has_time) out->t_us = time_of(at, object, "t");
        kinds[kind].read(at, object, out);
        return;
    }
    refuse(at, "event",
           "one of query, cloak, drop, failed, answer, end, demands, class, zone, tiles, area, "
           "areas");
}

static const char *why_unreadable(sc_json_fault fault)
{
    switch (fault) {
    case SC_JSON_TWICE:
        return "a key occurs twice";
    case SC_JSON_TOO_LARGE:
        return "a number is too large";
    default:
        return "not JSON";
    }
}

sc_err sc__reader_read(sc_event_reader *reader, uint64_t number, sc_slice text, sc_diag *diag)
{
    bool is_read = false;
    if (sc__record_line_read(reader, text, &is_read))
        return sc_fail_memory(diag, "reading a record");
    if (is_read) return SC_OK;
    sc_json_tree_fini(&reader->document);
    sc_json_error error = {.byte = 1};
    // A key that stands twice is refused: it could say one thing here and another elsewhere.
    const sc_err err = sc_json_tree_read(text.text, text.size, &reader->document, &error);
    reader->line = number;
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "reading a record");
    const sc_json_value *root = reader->document.root;
    // A number or a text alone is no document.
    if (err || !(sc_json_is_object(root) || sc_json_is_array(root))) {
        return sc_fail(diag, SC_EPARSE, "%s:%" PRIu64 ": %s, at byte %zu of the line", reader->name,
                       number, why_unreadable(error.fault), error.byte);
    }
    line at = {.reader = reader, .diag = diag, .err = SC_OK};
    if (!sc_json_is_object(root)) {
        return sc_fail(diag, SC_EPARSE, "%s:%" PRIu64 ": not an event of a record", reader->name,
                       number);
    }
    read_event(&at, root);
    return at.err;
}

void sc__reader_fini(sc_event_reader *reader)
{
    sc_event *event = &reader->event;
    sc_json_tree_fini(&reader->document);
    sc_free(event->cloaked.stars.ids);
    sc_free(event->cloaked.segments.ids);
    sc_free(event->cloaked.border_nodes.ids);
    sc_free(event->cloaked.members);
    sc_free(event->answer.results);
    sc_free(event->answer.keys);
    sc_free(event->roads.ids);
    sc_free(event->area.objects);
    sc_free(event->areas.spans);
    sc_free(event->areas.uses);
    sc_hash_fini(&reader->names);
    *event = (sc_event){.kind = SC_EVENT_END};
}
