// Reading GeoJSON: messages as text, and relays. geojson_read_reply.c has replies. See
// docs/provider-protocol.md.
//
// The text is a stranger's and is bounded before it is parsed. Error messages never repeat it: it
// holds positions.
#include "relay/geojson_read.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "map/geo.h"
#include "relay/relay_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// === Text =======================================================================================

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
    if (!sc_json_is_integer(version) || sc_json_integer(version) < 1) {
        return sc_fail(codec->diag, SC_EPARSE,
                       "the message has no 'starcloak', the version of the protocol");
    }
    const sc_err err = sc__relay_version_accept(codec, strcmp(list, "answers") == 0,
                                                (uint64_t)sc_json_integer(version));
    if (err) return err;
    const char *const lists[] = {"features", list};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!sc_json_is_array(sc_json_member(root, lists[i]))) {
            return sc_fail(codec->diag, SC_EPARSE, "the message has no list '%s'", lists[i]);
        }
    }
    return SC_OK;
}

sc_err sc__geojson_load(const sc__relay_codec *codec, sc__relay_message message, const char *list,
                        sc_json_tree *out)
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

bool sc__geojson_read_feature(const sc_json_value *json, sc__geojson_feature *out)
{
    const sc_json_value *geometry = sc_json_member(json, "geometry");
    *out = (sc__geojson_feature){.id = sc_json_text_at(sc_json_member(json, "id")),
                                 .geometry = sc_json_text_at(sc_json_member(geometry, "type")),
                                 .coordinates = sc_json_member(geometry, "coordinates"),
                                 .properties = sc_json_member(json, "properties")};
    return is_text(sc_json_member(json, "type"), "Feature") && out->id && out->geometry &&
           out->coordinates;
}

bool sc__geojson_read_position(const sc_json_value *json, sc__geojson_degrees *out)
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
static bool has_id(const sc__geojson_feature *feature, char letter, size_t place)
{
    char wanted[24];
    snprintf(wanted, sizeof wanted, "%c%zu", letter, place);
    return strcmp(feature->id, wanted) == 0;
}

// Whether both are the same point of the 180th meridian, once as 180 and once as -180.
static bool meet_at_meridian(sc__geojson_degrees a, sc__geojson_degrees b)
{
    return fabs(a.lon) == 180.0 && b.lon == -a.lon && a.lat == b.lat;
}

// Append the positions of a line, or of a piece of one that was cut at the 180th meridian: where
// it goes on, the point of the cut is taken once.
static sc_err append_line(relay_reading *r, size_t number, const sc_json_value *positions,
                          size_t *count)
{
    const size_t more = sc_json_size(positions);
    if (more < 2) return fail_relay_feature(r, number, "is a line with fewer than two positions");
    if (!sc_reserve(&r->line, *count + more, &r->line_capacity, sizeof *r->line)) {
        return fail_relay_memory(r);
    }
    for (size_t i = 0; i < more; i++) {
        sc__geojson_degrees at;
        if (!sc__geojson_read_position(sc_json_at(positions, i), &at)) {
            return fail_relay_feature(r, number, "has a position that is not on the globe");
        }
        if (i == 0 && *count > 0) {
            if (meet_at_meridian(r->line[*count - 1], at)) continue;
            return fail_relay_feature(r, number,
                                      "is a MultiLineString whose lines do not go on from each "
                                      "other at the 180th meridian");
        }
        r->line[(*count)++] = at;
    }
    return SC_OK;
}

static sc_err read_line(relay_reading *r, size_t number, const sc__geojson_feature *feature,
                        bool is_cut)
{
    if (!has_id(feature, 's', r->lines.lines)) {
        return fail_relay_feature(r, number, "is a line whose id is not s0, s1, ... in order");
    }
    const size_t pieces = is_cut ? sc_json_size(feature->coordinates) : 1;
    if (pieces == 0) return fail_relay_feature(r, number, "is a line without positions");
    size_t count = 0;
    sc_err err = SC_OK;
    for (size_t i = 0; !err && i < pieces; i++) {
        err = append_line(
            r, number, is_cut ? sc_json_at(feature->coordinates, i) : feature->coordinates, &count);
    }
    return err ? err : sc__geojson_matching_add(&r->lines, r->line, count);
}

static sc_err read_point(relay_reading *r, size_t number, const sc__geojson_feature *feature)
{
    if (!has_id(feature, 'b', r->point_count)) {
        return fail_relay_feature(r, number, "is a point whose id is not b0, b1, ... in order");
    }
    if (!sc_grow(&r->points, r->point_count, &r->point_capacity, sizeof *r->points)) {
        return fail_relay_memory(r);
    }
    if (!sc__geojson_read_position(feature->coordinates, &r->points[r->point_count])) {
        return fail_relay_feature(r, number, "has a position that is not on the globe");
    }
    r->point_count++;
    return SC_OK;
}

static sc_err read_feature(relay_reading *r, size_t number)
{
    sc__geojson_feature feature;
    if (!sc__geojson_read_feature(sc_json_at(r->features, number), &feature)) {
        return fail_relay_feature(r, number, "has no id or no geometry");
    }
    if (strcmp(feature.geometry, "LineString") == 0) return read_line(r, number, &feature, false);
    if (strcmp(feature.geometry, "MultiLineString") == 0) {
        return read_line(r, number, &feature, true);
    }
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

// Distance unless the request says otherwise.
static sc_err read_metric(const relay_reading *r, size_t place, const sc_json_value *json,
                          sc_request *to)
{
    if (!json) return SC_OK;
    const char *name = sc_json_text_at(json);
    to->metric = name ? sc_metric_find(name) : SC_METRIC_COUNT;
    if (to->metric != SC_METRIC_COUNT) return SC_OK;
    return sc_fail(r->codec->diag, SC_EREQUEST,
                   "the metric of request %zu is neither 'distance' nor 'time'", place);
}

static sc_err read_k(const relay_reading *r, size_t place, const sc_json_value *json,
                     sc_request *to)
{
    const sc_json_value *k = sc_json_member(json, "k");
    if (!sc_json_is_integer(k) || sc_json_integer(k) < 1 || sc_json_integer(k) > UINT32_MAX) {
        return sc_fail(r->codec->diag, SC_EREQUEST,
                       "k of request %zu is not a whole number of 1 or more", place);
    }
    to->k = (uint32_t)sc_json_integer(k);
    return SC_OK;
}

// A range is in the unit of its metric.
static sc_err read_radius(const relay_reading *r, size_t place, const sc_json_value *json,
                          sc_request *to)
{
    const bool is_by_time = to->metric == SC_METRIC_TIME;
    const char *name = is_by_time ? "radius_s" : "radius_m";
    const char *contrary = is_by_time ? "radius_m" : "radius_s";
    const sc_json_value *radius = sc_json_member(json, name);
    if (sc_json_member(json, contrary)) {
        return sc_fail(r->codec->diag, SC_EREQUEST, "request %zu is by %s and has %s", place,
                       sc_metric_name(to->metric), contrary);
    }
    if (!sc_json_is_number(radius)) {
        return sc_fail(r->codec->diag, SC_EREQUEST, "%s of request %zu is not a number", name,
                       place);
    }
    *(is_by_time ? &to->radius_s : &to->radius_m) = sc_json_number_at(radius);
    return SC_OK;
}

static sc_err read_request(const relay_reading *r, size_t place, sc_request *to)
{
    const sc_json_value *json = sc_json_at(r->requests, place);
    const char *type = sc_json_text_at(sc_json_member(json, "type"));
    sc_err err = read_metric(r, place, sc_json_member(json, "metric"), to);
    if (err) return err;
    if (type && strcmp(type, "knn") == 0) {
        to->type = SC_REQUEST_KNN;
        err = read_k(r, place, json, to);
    } else if (type && strcmp(type, "range") == 0) {
        to->type = SC_REQUEST_RANGE;
        err = read_radius(r, place, json, to);
    } else {
        err = sc_fail(r->codec->diag, SC_EREQUEST,
                      "the type of request %zu is neither 'knn' nor 'range'", place);
    }
    if (!err) err = read_categories(r, place, sc_json_member(json, "categories"), to);
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
    sc_err err = sc__geojson_load(codec, message, "requests", &tree);
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
