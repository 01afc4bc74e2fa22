// Reading relays and replies as GeoJSON. See docs/provider-protocol.md.
//
// The text is a stranger's and is bounded before it is parsed. Error messages never repeat it: it
// holds positions.
#include "base/alloc.h"
#include "base/diag.h"
#include "base/json_tree.h"
#include "base/string_index.h"
#include "map/geo.h"
#include "relay/geojson_match.h"
#include "relay/relay_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// === Text =======================================================================================

/** What is wanted of a feature; lent as long as it is. */
typedef struct feature_parts {
    const char *id;
    const char *geometry;  ///< "Point", "LineString", ...
    const sc_json_value *coordinates;
    const sc_json_value *properties;
} feature_parts;

// The tree of a text takes 24 bytes for a bracket of one. So the size of the tree is computed
// first, and a text is refused if its tree would be far larger than honest ones. An honest list of
// objects and distances takes some five times its text, one of keys of one digit seven times.
enum { GROWTH = 8, ALLOWANCE = 1 << 19 };

static sc_err parse(const sc__relay_codec *codec, sc__relay_message message, sc_json_tree *out)
{
    const size_t limit = codec->limits.max_bytes;
    const char *text = (const char *)message.bytes;
    if (sc_json_tree_bytes(text, message.size) / GROWTH > limit + ALLOWANCE / GROWTH) {
        return sc_fail(codec->diag, SC_ELIMIT,
                       "the message needs far more memory than its size justifies");
    }
    sc_json_error error = {.line = 1, .column = 1};
    const sc_err err = sc_json_tree_read(text, message.size, out, &error);
    if (err == SC_ENOMEM) return sc_fail_memory(codec->diag, "reading a message");
    // A number or a text alone is no message.
    if (!err && (sc_json_is_object(out->root) || sc_json_is_array(out->root))) return SC_OK;
    return sc_fail(codec->diag, SC_EPARSE, "line %zu, column %zu: %s", error.line, error.column,
                   error.fault == SC_JSON_TWICE ? "a member occurs twice"
                                                : "the message is not well-formed JSON");
}

static bool is_text(const sc_json_value *json, const char *text)
{
    return sc_json_is_string(json) && strcmp(sc_json_text_at(json), text) == 0;
}

static sc_err check_shape(const sc__relay_codec *codec, const sc_json_value *root, const char *list)
{
    if (!is_text(sc_json_member(root, "type"), "FeatureCollection")) {
        return sc_fail(codec->diag, SC_EPARSE, "the message is not a GeoJSON FeatureCollection");
    }
    const sc_json_value *version = sc_json_member(root, "starcloak");
    if (!sc_json_is_integer(version) || sc_json_integer(version) != 1) {
        return sc_fail(codec->diag, SC_EPARSE,
                       "'starcloak', the version of the protocol, is not 1");
    }
    const char *const lists[] = {"features", list};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!sc_json_is_array(sc_json_member(root, lists[i]))) {
            return sc_fail(codec->diag, SC_EPARSE, "the message has no list '%s'", lists[i]);
        }
    }
    return SC_OK;
}

// Read a message of version 1: a FeatureCollection with `features` and the list called `list`. Free
// with sc_json_tree_fini().
static sc_err load_message(const sc__relay_codec *codec, sc__relay_message message,
                           const char *list, sc_json_tree *out)
{
    sc_json_tree tree = {0};
    sc_err err = parse(codec, message, &tree);
    if (!err) err = check_shape(codec, tree.root, list);
    if (err) {
        sc_json_tree_fini(&tree);
        return err;
    }
    *out = tree;
    return SC_OK;
}

// False if `json` is no feature, or has no id that is a text.
static bool read_feature_parts(const sc_json_value *json, feature_parts *out)
{
    const sc_json_value *geometry = sc_json_member(json, "geometry");
    *out = (feature_parts){.id = sc_json_text_at(sc_json_member(json, "id")),
                           .geometry = sc_json_text_at(sc_json_member(geometry, "type")),
                           .coordinates = sc_json_member(geometry, "coordinates"),
                           .properties = sc_json_member(json, "properties")};
    return is_text(sc_json_member(json, "type"), "Feature") && out->id && out->geometry &&
           out->coordinates;
}

// False unless it is a position on the globe.
static bool read_position(const sc_json_value *json, sc__geojson_degrees *out)
{
    const sc_json_value *lon = sc_json_at(json, 0);
    const sc_json_value *lat = sc_json_at(json, 1);
    if (!sc_json_is_number(lon) || !sc_json_is_number(lat)) return false;
    *out = (sc__geojson_degrees){sc_json_number_at(lon), sc_json_number_at(lat)};
    return sc_geo_valid(SC_COORDS_GEOGRAPHIC, out->lon, out->lat);
}

// === Relays, as a provider with its own map reads them ==========================================
// Lines become segments and points become border nodes of this map (geojson_match.c). The provider
// must answer by the names that border nodes came with, which are their order in the message; so
// the relay keeps for each name its place in the order of this map.

/** What is being read. */
typedef struct relay_reading {
    const sc__relay_codec *codec;
    const sc_json_value *features;
    const sc_json_value *requests;
    sc__geojson_matching lines;
    sc__geojson_degrees *line;  ///< the points of the line at hand
    size_t line_capacity;
    sc__geojson_degrees *points;  ///< border nodes, in the order of the message
    size_t point_count;
    size_t point_capacity;
    sc_node_id *nodes;   ///< the same as nodes of this map
    sc_node_id *border;  ///< these, ascending, each once
} relay_reading;

static void relay_reading_fini(relay_reading *r)
{
    sc__geojson_matching_fini(&r->lines);
    sc_free(r->line);
    sc_free(r->points);
    sc_free(r->nodes);
    sc_free(r->border);
}

static sc_err fail_relay_memory(const relay_reading *r)
{
    return sc_fail_memory(r->codec->diag, "reading a relay");
}

static sc_err fail_relay_feature(const relay_reading *r, size_t feature, const char *what)
{
    return sc_fail(r->codec->diag, SC_EPARSE, "feature %zu %s", feature, what);
}

// --- Features ---------------------------------------------------------------------

// Ids are names by order, for people and for the reply: "s0", "s1", ..., "b0", "b1", ...
static bool has_id(const feature_parts *feature, char letter, size_t place)
{
    char wanted[24];
    snprintf(wanted, sizeof wanted, "%c%zu", letter, place);
    return strcmp(feature->id, wanted) == 0;
}

static sc_err read_line(relay_reading *r, size_t number, const feature_parts *feature)
{
    const size_t count = sc_json_size(feature->coordinates);
    if (!has_id(feature, 's', r->lines.lines)) {
        return fail_relay_feature(r, number, "is a line whose id is not s0, s1, ... in order");
    }
    if (count < 2) return fail_relay_feature(r, number, "is a line with fewer than two positions");
    if (!sc_reserve(&r->line, count, &r->line_capacity, sizeof *r->line))
        return fail_relay_memory(r);
    for (size_t i = 0; i < count; i++) {
        if (!read_position(sc_json_at(feature->coordinates, i), &r->line[i])) {
            return fail_relay_feature(r, number, "has a position that is not on the globe");
        }
    }
    return sc__geojson_matching_add(&r->lines, r->line, count);
}

static sc_err read_point(relay_reading *r, size_t number, const feature_parts *feature)
{
    if (!has_id(feature, 'b', r->point_count)) {
        return fail_relay_feature(r, number, "is a point whose id is not b0, b1, ... in order");
    }
    if (!sc_grow(&r->points, r->point_count, &r->point_capacity, sizeof *r->points)) {
        return fail_relay_memory(r);
    }
    if (!read_position(feature->coordinates, &r->points[r->point_count])) {
        return fail_relay_feature(r, number, "has a position that is not on the globe");
    }
    r->point_count++;
    return SC_OK;
}

static sc_err read_feature(relay_reading *r, size_t number)
{
    feature_parts feature;
    if (!read_feature_parts(sc_json_at(r->features, number), &feature)) {
        return fail_relay_feature(r, number, "has no id or no geometry");
    }
    if (strcmp(feature.geometry, "LineString") == 0) return read_line(r, number, &feature);
    if (strcmp(feature.geometry, "Point") == 0) return read_point(r, number, &feature);
    return fail_relay_feature(r, number, "is neither a LineString nor a Point");
}

static sc_err find_border_nodes(relay_reading *r)
{
    r->nodes = sc_malloc_array(r->point_count, sizeof *r->nodes);
    r->border = sc_malloc_array(r->point_count, sizeof *r->border);
    if (!r->nodes || !r->border) return fail_relay_memory(r);
    return sc__geojson_find_crossings(r->codec, r->lines.segments, r->lines.count, r->points,
                                      r->point_count, r->nodes);
}

static sc_err read_features(relay_reading *r)
{
    const size_t count = sc_json_size(r->features);
    // Each segment has two ends at most, so there are at most two points to a line.
    if (count / 3 > r->codec->limits.max_segments) {
        return sc_fail(r->codec->diag, SC_ELIMIT, "the relay has %zu features; too many", count);
    }
    sc_err err = SC_OK;
    for (size_t i = 0; !err && i < count; i++) {
        err = read_feature(r, i);
    }
    if (!err) err = sc__geojson_matching_end(&r->lines);
    return err ? err : find_border_nodes(r);
}

// --- Requests -----------------------------------------------------------------------

static sc_err read_categories(const relay_reading *r, size_t place, const sc_json_value *json,
                              sc_request *to)
{
    if (!json || sc_json_is_null(json)) return SC_OK;
    const size_t count = sc_json_size(json);
    if (!sc_json_is_array(json) || count < 1 || count > SC_REQUEST_CATEGORIES) {
        return sc_fail(r->codec->diag, SC_EREQUEST,
                       "the categories of request %zu are not a list of 1 to %d names", place,
                       (int)SC_REQUEST_CATEGORIES);
    }
    to->category_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        const char *word = sc_json_text_at(sc_json_at(json, i));
        to->categories[i] = word ? sc_vocabulary_find(r->codec->vocabulary, word) : SC_NONE;
    }
    return SC_OK;
}

static sc_err read_request(const relay_reading *r, size_t place, sc_request *to)
{
    const sc_json_value *json = sc_json_at(r->requests, place);
    const char *type = sc_json_text_at(sc_json_member(json, "type"));
    const sc_json_value *k = sc_json_member(json, "k");
    const sc_json_value *radius_m = sc_json_member(json, "radius_m");
    if (type && strcmp(type, "knn") == 0) {
        to->type = SC_REQUEST_KNN;
        if (!sc_json_is_integer(k) || sc_json_integer(k) < 1 || sc_json_integer(k) > UINT32_MAX) {
            return sc_fail(r->codec->diag, SC_EREQUEST,
                           "k of request %zu is not a whole number of 1 or more", place);
        }
        to->k = (uint32_t)sc_json_integer(k);
    } else if (type && strcmp(type, "range") == 0) {
        to->type = SC_REQUEST_RANGE;
        if (!sc_json_is_number(radius_m)) {
            return sc_fail(r->codec->diag, SC_EREQUEST, "radius_m of request %zu is not a number",
                           place);
        }
        to->radius_m = sc_json_number_at(radius_m);
    } else {
        return sc_fail(r->codec->diag, SC_EREQUEST,
                       "the type of request %zu is neither 'knn' nor 'range'", place);
    }
    const sc_err err = read_categories(r, place, sc_json_member(json, "categories"), to);
    return err ? err : sc__relay_request_accept(r->codec, place, to);
}

static sc_err read_requests(const relay_reading *r, sc_request *requests, size_t count)
{
    sc_err err = SC_OK;
    for (size_t i = 0; !err && i < count; i++) {
        err = read_request(r, i, &requests[i]);
    }
    return err ? err : sc__relay_requests_differ(r->codec, requests, count);
}

static sc_err check_request_count(const relay_reading *r)
{
    const size_t count = sc_json_size(r->requests);
    if (count == 0) return sc_fail(r->codec->diag, SC_EPARSE, "the relay has no requests");
    if (count <= r->codec->limits.max_requests) return SC_OK;
    return sc_fail(r->codec->diag, SC_ELIMIT, "the relay has %zu requests; at most %zu are allowed",
                   count, r->codec->limits.max_requests);
}

// --- All of it ------------------------------------------------------------------------

static void copy_ids(uint32_t *to, const uint32_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

static sc_err make_relay(relay_reading *r, sc_relay **out)
{
    const size_t request_count = sc_json_size(r->requests);
    const uint32_t point_count = (uint32_t)r->point_count;
    copy_ids(r->border, r->nodes, r->point_count);
    const uint32_t border_count = sc__relay_sort_ids(r->border, point_count);

    const sc__relay_counts counts = {r->lines.count, border_count, request_count, r->point_count};
    sc__relay_tables tables;
    sc_relay *relay = sc__relay_alloc_placed(&counts, &tables);
    if (!relay) return fail_relay_memory(r);
    relay->map_checksum = sc_map_checksum(r->codec->map);
    copy_ids(tables.segments, r->lines.segments, r->lines.count);
    copy_ids(tables.border_nodes, r->border, border_count);
    for (size_t i = 0; i < r->point_count; i++) {
        tables.places[i] = sc__relay_id_place(tables.border_nodes, border_count, r->nodes[i]);
    }
    const sc_err err = read_requests(r, tables.requests, request_count);
    if (err) {
        sc_relay_free(relay);
        return err;
    }
    *out = relay;
    return SC_OK;
}

sc_err sc__geojson_read_relay(const sc__relay_codec *codec, sc__relay_message message,
                              sc_relay **out)
{
    sc_json_tree tree = {0};
    sc_err err = load_message(codec, message, "requests", &tree);
    if (err) return err;
    relay_reading r = {.codec = codec,
                       .features = sc_json_member(tree.root, "features"),
                       .requests = sc_json_member(tree.root, "requests"),
                       .lines = {.codec = codec}};
    err = check_request_count(&r);
    if (!err) err = read_features(&r);
    if (!err) err = make_relay(&r, out);
    relay_reading_fini(&r);
    sc_json_tree_fini(&tree);
    return err;
}

// === Replies, as the trusted side reads them ====================================================
// Objects are the provider's own, at positions; here they are put on roads of our map. An object
// that is listed with the segments goes to the nearest point of these, however near another road
// is: the provider knows better on which side of a corner its door is. Lists name objects by their
// keys; the order of features is that of the table.

// An object farther than this from the roads that it is said to be on is not on them.
#define ON_SEGMENTS_MAX_M 1000.0

/** What is being read. */
typedef struct reply_reading {
    const sc__relay_codec *codec;
    const sc_relay *relay;
    sc_reply *reply;
    const sc_json_value *features;
    sc_string_index words;        ///< for categories: numbers are those of the vocabulary
    sc_string_index keys;         ///< of objects: numbers are those of the table
    sc__geojson_degrees *places;  ///< of objects
    bool *is_on_segment;          ///< of objects: listed with the segments
    uint32_t *names;              ///< of each border node, how the message calls it: b0, b1, ...
    sc__reply_table table;
    size_t object_count;
    size_t objects_left;  ///< as many more may be listed
} reply_reading;

static void reply_reading_fini(reply_reading *r)
{
    sc_string_index_fini(&r->words);
    sc_string_index_fini(&r->keys);
    sc_free(r->places);
    sc_free(r->is_on_segment);
    sc_free(r->names);
    sc_free(r->table.objects);
}

static sc_err fail_reply_memory(const reply_reading *r)
{
    return sc_fail_memory(r->codec->diag, "reading a reply");
}

// --- Objects ------------------------------------------------------------------------

static sc_err fail_object(const reply_reading *r, size_t feature, const char *what)
{
    return sc_fail(r->codec->diag, SC_EREPLY, "feature %zu %s", feature, what);
}

static const char *word_at(const void *vocabulary, uint32_t category)
{
    return ((const sc_vocabulary *)vocabulary)->names[category];
}

static const char *key_at(const void *features, uint32_t object)
{
    return sc_json_text_at(sc_json_member(sc_json_at(features, object), "id"));
}

static const char *name_of(const feature_parts *feature)
{
    const char *name = sc_json_text_at(sc_json_member(feature->properties, "name"));
    return name ? name : "";
}

// Look at feature `i`; its texts are copied once all are known.
static sc_err read_object(reply_reading *r, size_t i, size_t *text_bytes)
{
    feature_parts feature;
    if (!read_feature_parts(sc_json_at(r->features, i), &feature) || feature.id[0] == '\0') {
        return fail_object(r, i, "has no id or no geometry");
    }
    if (strcmp(feature.geometry, "Point") != 0 ||
        !read_position(feature.coordinates, &r->places[i])) {
        return fail_object(r, i, "is not a Point on the globe");
    }
    const char *word = sc_json_text_at(sc_json_member(feature.properties, "category"));
    if (!word || sc_string_index_find(&r->words, word) == SC_NONE) {
        return fail_object(r, i, "is of a category that is not known to this side");
    }
    uint32_t first = 0;
    if (sc_string_index_put(&r->keys, feature.id, (uint32_t)i, &first)) return fail_reply_memory(r);
    if (first != i) return fail_object(r, i, "has the same id as another object");
    *text_bytes += strlen(feature.id) + 1 + strlen(name_of(&feature)) + 1;
    return SC_OK;
}

static sc_err fill_table(reply_reading *r, size_t text_bytes)
{
    const sc_err err = sc__reply_table_init(&r->table, r->object_count, text_bytes);
    if (err == SC_ELIMIT) return sc_fail(r->codec->diag, err, "the reply has too many objects");
    if (err) return fail_reply_memory(r);
    for (size_t i = 0; i < r->object_count; i++) {
        feature_parts feature;
        read_feature_parts(sc_json_at(r->features, i), &feature);
        const char *word = sc_json_text_at(sc_json_member(feature.properties, "category"));
        r->table.objects[i] =
            (sc_object){.category = sc_string_index_find(&r->words, word),
                        .name = sc__reply_table_text(&r->table, name_of(&feature))};
        r->table.keys[i] = sc__reply_table_text(&r->table, feature.id);
    }
    return SC_OK;
}

static sc_err read_objects(reply_reading *r)
{
    r->object_count = sc_json_size(r->features);
    if (r->object_count > r->codec->limits.max_objects) {
        return sc_fail(r->codec->diag, SC_ELIMIT,
                       "the reply has %zu objects; at most %zu are allowed", r->object_count,
                       r->codec->limits.max_objects);
    }
    // Objects are numbered in 32 bits, whatever is allowed.
    if (r->object_count >= SC_NONE) {
        return sc_fail(r->codec->diag, SC_ELIMIT, "the reply has too many objects");
    }
    r->places = sc_malloc_array(r->object_count, sizeof *r->places);
    r->is_on_segment = sc_calloc(r->object_count, sizeof *r->is_on_segment);
    if (!r->places || !r->is_on_segment) return fail_reply_memory(r);
    for (uint32_t i = 0; i < r->codec->vocabulary->count; i++) {
        uint32_t number = 0;
        if (sc_string_index_put(&r->words, r->codec->vocabulary->names[i], i, &number)) {
            return fail_reply_memory(r);
        }
    }
    size_t text_bytes = 0;
    sc_err err = SC_OK;
    for (size_t i = 0; !err && i < r->object_count; i++) {
        err = read_object(r, i, &text_bytes);
    }
    return err ? err : fill_table(r, text_bytes);
}

// --- Answers --------------------------------------------------------------------------

static sc_err fail_answer(const reply_reading *r, size_t answer, const char *what)
{
    return sc_fail(r->codec->diag, SC_EREPLY, "answer %zu: %s", answer, what);
}

// The object that a list names; SC_NONE if there is none.
static uint32_t object_of(const reply_reading *r, const sc_json_value *key)
{
    return sc_json_is_string(key) ? sc_string_index_find(&r->keys, sc_json_text_at(key)) : SC_NONE;
}

static sc_err spend(reply_reading *r, size_t answer, size_t count)
{
    if (count > r->objects_left) {
        return sc_fail(r->codec->diag, SC_ELIMIT,
                       "answer %zu: the reply lists more than the %zu objects allowed", answer,
                       r->codec->limits.max_objects);
    }
    r->objects_left -= count;
    return SC_OK;
}

static sc_err read_on_segments(reply_reading *r, size_t answer, const sc_json_value *list)
{
    if (!sc_json_is_array(list)) return fail_answer(r, answer, "there is no list 'on_segments'");
    const size_t count = sc_json_size(list);
    const sc_err err = spend(r, answer, count);
    if (err) return err;
    sc_object_run run = {0};
    for (size_t i = 0; i < count; i++) {
        const uint32_t object = object_of(r, sc_json_at(list, i));
        if (object == SC_NONE) return fail_answer(r, answer, "'on_segments' names no object");
        r->is_on_segment[object] = true;
        if (run.count > 0 && object == run.first + run.count) {
            run.count++;
            continue;
        }
        if (run.count > 0 && !sc__reply_add_run(r->reply, run.first, run.count)) {
            return fail_reply_memory(r);
        }
        run = (sc_object_run){object, 1};
    }
    if (run.count > 0 && !sc__reply_add_run(r->reply, run.first, run.count))
        return fail_reply_memory(r);
    sc__reply_end_runs(r->reply, answer);
    return SC_OK;
}

static sc_err read_list(reply_reading *r, size_t answer, const sc_json_value *list)
{
    const size_t count = sc_json_size(list);
    const sc_err err = spend(r, answer, count);
    if (err) return err;
    for (size_t i = 0; i < count; i++) {
        const sc_json_value *near = sc_json_at(list, i);
        const uint32_t object = object_of(r, sc_json_member(near, "object"));
        const sc_json_value *distance = sc_json_member(near, "distance_m");
        const double distance_m = sc_json_number_at(distance);
        if (object == SC_NONE) return fail_answer(r, answer, "a list names no object");
        if (!sc_json_is_number(distance) ||
            !(distance_m >= 0.0 && distance_m <= SC__DISTANCE_MAX_M)) {
            return fail_answer(r, answer, "a distance is not a number of 0 or more");
        }
        if (!sc__reply_add_near(r->reply, object, distance_m)) return fail_reply_memory(r);
    }
    return SC_OK;
}

static sc_err read_answer(reply_reading *r, size_t answer, const sc_json_value *json)
{
    const sc_relay *relay = r->relay;
    const size_t name_count =
        relay->border_places ? relay->border_place_count : relay->border_node_count;
    const sc_json_value *lists = sc_json_member(json, "border_nodes");
    sc_err err = read_on_segments(r, answer, sc_json_member(json, "on_segments"));
    if (err) return err;
    if (!sc_json_is_object(lists) || sc_json_size(lists) != name_count) {
        return fail_answer(r, answer, "'border_nodes' does not have one list for each border node");
    }
    for (size_t b = 0; b < relay->border_node_count; b++) {
        char name[24];
        snprintf(name, sizeof name, "b%u", r->names[b]);
        const sc_json_value *list = sc_json_member(lists, name);
        if (!sc_json_is_array(list)) {
            return sc_fail(r->codec->diag, SC_EREPLY, "answer %zu has no list of border node %s",
                           answer, name);
        }
        err = read_list(r, answer, list);
        if (err) return err;
        sc__reply_end_nears(r->reply, answer, b);
    }
    return SC_OK;
}

// How the message calls border nodes: in the order of the relay, or as the relay came.
static sc_err name_border_nodes(reply_reading *r)
{
    const sc_relay *relay = r->relay;
    r->names = sc_malloc_array(relay->border_node_count, sizeof *r->names);
    if (!r->names) return fail_reply_memory(r);
    for (size_t b = 0; b < relay->border_node_count; b++) {
        r->names[b] = (uint32_t)b;
    }
    for (size_t i = 0; i < relay->border_place_count; i++) {
        r->names[relay->border_places[i]] = (uint32_t)i;
    }
    return SC_OK;
}

static sc_err read_answers(reply_reading *r, const sc_json_value *answers)
{
    const size_t count = sc_json_size(answers);
    if (count != r->relay->request_count) {
        return sc_fail(r->codec->diag, SC_EREPLY, "the reply has %zu answers for %zu requests",
                       count, r->relay->request_count);
    }
    sc_err err = name_border_nodes(r);
    for (size_t i = 0; !err && i < count; i++) {
        err = read_answer(r, i, sc_json_at(answers, i));
    }
    return err;
}

// --- Where objects are ------------------------------------------------------------------

static sc_err place_object(reply_reading *r, const sc__geojson_nearby *nearby, size_t i)
{
    const sc_map *map = r->codec->map;
    const sc__geojson_degrees at = r->places[i];
    sc_snap snap;
    if (r->is_on_segment[i]) {
        bool is_told = true;
        snap = sc__geojson_nearby_snap(nearby, at, &is_told);
        if (snap.distance_m > ON_SEGMENTS_MAX_M) {
            return fail_object(r, i, "is listed with the segments but far from them");
        }
        // Better no answer than one that is made of a guess.
        if (!is_told) {
            return fail_object(
                r, i,
                "is on one of several roads with the same geometry; use the compact encoding");
        }
    } else {
        const sc_err err = sc_map_snap(map, at.lon, at.lat, HUGE_VAL, &snap);
        if (err) return fail_object(r, i, "cannot be put on a road");
    }
    const uint32_t length = sc_map_edges(map)[snap.edge].length;
    const double offset = rint(snap.offset_m / sc_map_unit_m(map));
    r->table.objects[i].edge = snap.edge;
    r->table.objects[i].offset = offset < length ? (uint32_t)offset : length;
    return SC_OK;
}

static sc_err place_objects(reply_reading *r)
{
    sc__geojson_nearby nearby;
    if (sc__geojson_nearby_init(&nearby, r->codec->map, r->relay)) return fail_reply_memory(r);
    sc_err err = SC_OK;
    for (size_t i = 0; !err && r->places && i < r->object_count; i++) {
        err = place_object(r, &nearby, i);
    }
    sc__geojson_nearby_fini(&nearby);
    return err;
}

sc_err sc__geojson_read_reply(const sc__relay_codec *codec, const sc_relay *relay,
                              sc__relay_message message, sc_reply *reply)
{
    sc_json_tree tree = {0};
    sc_err err = load_message(codec, message, "answers", &tree);
    if (err) return err;
    reply_reading r = {.codec = codec,
                       .relay = relay,
                       .reply = reply,
                       .features = sc_json_member(tree.root, "features"),
                       .words = {.text_of = word_at, .owner = codec->vocabulary},
                       .keys = {.text_of = key_at, .owner = sc_json_member(tree.root, "features")},
                       .objects_left = codec->limits.max_objects};
    if (sc__reply_begin(reply, relay->request_count, relay->border_node_count)) {
        err = read_objects(&r);
    } else {
        err = fail_reply_memory(&r);
    }
    if (!err) err = read_answers(&r, sc_json_member(tree.root, "answers"));
    if (!err) err = place_objects(&r);
    if (!err) {
        reply->map_checksum = sc_map_checksum(codec->map);
        sc__reply_table_give(&r.table, reply);
    }
    reply_reading_fini(&r);
    sc_json_tree_fini(&tree);
    return err;
}
