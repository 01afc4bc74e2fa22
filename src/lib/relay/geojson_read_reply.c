// Reading GeoJSON replies, as the trusted side does. See docs/provider-protocol.md.
//
// Objects are the provider's own, at positions; here they are put on roads of our map. An object
// that is listed with the segments goes to the nearest point of these, however near another road
// is: the provider knows better on which side of a corner its door is. Lists name objects by their
// keys; the order of features is that of the table.
//
// Error messages repeat nothing of the text: it holds positions.
#include "relay/geojson_read.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/string_index.h"
#include "relay/relay_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static const char *name_of(const sc__geojson_feature *feature)
{
    const char *name = sc_json_text_at(sc_json_member(feature->properties, "name"));
    return name ? name : "";
}

// Look at feature `i`; its texts are copied once all are known.
static sc_err read_object(reply_reading *r, size_t i, size_t *text_bytes)
{
    sc__geojson_feature feature;
    if (!sc__geojson_read_feature(sc_json_at(r->features, i), &feature) || feature.id[0] == '\0') {
        return fail_object(r, i, "has no id or no geometry");
    }
    if (strcmp(feature.geometry, "Point") != 0 ||
        !sc__geojson_read_position(feature.coordinates, &r->places[i])) {
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
        sc__geojson_feature feature;
        sc__geojson_read_feature(sc_json_at(r->features, i), &feature);
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

// False unless the member is a number that the length of a way, or its time, can be.
static bool read_amount(const sc_json_value *near, const char *name, double *out)
{
    const sc_json_value *amount = sc_json_member(near, name);
    if (!sc_json_is_number(amount)) return false;
    *out = sc_json_number_at(amount);
    return *out >= 0.0 && *out <= SC__COST_MAX;
}

static sc_err read_list(reply_reading *r, size_t answer, const sc_json_value *list)
{
    const size_t count = sc_json_size(list);
    const sc_err err = spend(r, answer, count);
    if (err) return err;
    for (size_t i = 0; i < count; i++) {
        const sc_json_value *json = sc_json_at(list, i);
        sc_near near = {.object = object_of(r, sc_json_member(json, "object"))};
        if (near.object == SC_NONE) return fail_answer(r, answer, "a list names no object");
        if (!read_amount(json, "distance_m", &near.distance_m)) {
            return fail_answer(r, answer, "a distance is not a number of 0 or more");
        }
        if (!read_amount(json, "duration_s", &near.duration_s)) {
            return fail_answer(r, answer, "a duration is not a number of 0 or more");
        }
        if (!sc__reply_add_near(r->reply, near)) return fail_reply_memory(r);
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
    double offset = rint(snap.offset_m / sc_map_unit_m(map));
    r->table.objects[i].edge = snap.edge;
    // Within what rounding may do to it, an object at the end of an edge is there: else it could
    // seem to lie in a road that is closed.
    enum { ROUNDING = 2 };
    if (offset <= ROUNDING) offset = 0.0;
    if (offset >= (double)length - ROUNDING) offset = length;
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
    sc_err err = sc__geojson_load(codec, message, "answers", &tree);
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
