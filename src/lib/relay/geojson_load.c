// JSON text from a stranger, within bounds. See geojson_internal.h.
//
// jansson makes a tree of the text, and takes some two hundred bytes for an empty object of two. So
// the text is looked through first, and refused if its tree would be far larger than honest ones.
// What is said about a text never repeats it: it holds positions.
#include "relay/geojson_internal.h"

#include "base/diag.h"
#include "map/geo.h"

#include <string.h>

// What jansson takes for each, a little more than less. A member is the string that names it.
enum { OBJECT_BYTES = 240, LIST_BYTES = 144, STRING_BYTES = 96, ITEM_BYTES = 64 };

// An honest list of objects and distances takes some 16 times its text.
enum { GROWTH = 24, ALLOWANCE = 1 << 20 };

// Bytes that a tree of this text takes, well-formed or not.
static size_t tree_bytes(sc__message message)
{
    size_t bytes = message.size;
    bool in_string = false;
    for (size_t i = 0; i < message.size; i++) {
        const uint8_t c = message.bytes[i];
        if (in_string) {
            if (c == '\\') i++;
            if (c == '"') in_string = false;
            continue;
        }
        switch (c) {
        case '{':
            bytes += OBJECT_BYTES;
            break;
        case '[':
            bytes += LIST_BYTES;
            break;
        case ',':
            bytes += ITEM_BYTES;
            break;
        case '"':
            in_string = true;
            bytes += STRING_BYTES;
            break;
        default:
            break;
        }
    }
    return bytes;
}

static sc_err parse(const sc__codec *codec, sc__message message, json_t **out)
{
    const size_t limit = codec->limits.max_bytes;
    if (tree_bytes(message) / GROWTH > limit + ALLOWANCE / GROWTH) {
        return sc_fail(codec->diag, SC_ELIMIT,
                       "the message takes far more memory than its size explains");
    }
    json_error_t error;
    json_t *root =
        json_loadb((const char *)message.bytes, message.size, JSON_REJECT_DUPLICATES, &error);
    if (root) {
        *out = root;
        return SC_OK;
    }
    if (json_error_code(&error) == json_error_out_of_memory) {
        return sc_fail_memory(codec->diag, "reading a message");
    }
    return sc_fail(codec->diag, SC_EPARSE, "line %d, column %d: %s", error.line, error.column,
                   json_error_code(&error) == json_error_duplicate_key
                       ? "a member is there twice"
                       : "the message is not well-formed JSON");
}

static bool is_text(const json_t *json, const char *text)
{
    return json_is_string(json) && strcmp(json_string_value(json), text) == 0;
}

static sc_err check_shape(const sc__codec *codec, const json_t *root, const char *list)
{
    if (!is_text(json_object_get(root, "type"), "FeatureCollection")) {
        return sc_fail(codec->diag, SC_EPARSE, "the message is not a GeoJSON FeatureCollection");
    }
    const json_t *version = json_object_get(root, "starcloak");
    if (!json_is_integer(version) || json_integer_value(version) != 1) {
        return sc_fail(codec->diag, SC_EPARSE,
                       "'starcloak', the version of the protocol, is not 1");
    }
    const char *const lists[] = {"features", list};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!json_is_array(json_object_get(root, lists[i]))) {
            return sc_fail(codec->diag, SC_EPARSE, "the message has no list '%s'", lists[i]);
        }
    }
    return SC_OK;
}

sc_err sc__geojson_load(const sc__codec *codec, sc__message message, const char *list, json_t **out)
{
    json_t *root = NULL;
    sc_err err = parse(codec, message, &root);
    if (!err) err = check_shape(codec, root, list);
    if (err) {
        json_decref(root);
        return err;
    }
    *out = root;
    return SC_OK;
}

bool sc__geojson_feature(const json_t *json, sc__feature *out)
{
    const json_t *geometry = json_object_get(json, "geometry");
    *out = (sc__feature){.id = json_string_value(json_object_get(json, "id")),
                         .geometry = json_string_value(json_object_get(geometry, "type")),
                         .coordinates = json_object_get(geometry, "coordinates"),
                         .properties = json_object_get(json, "properties")};
    return is_text(json_object_get(json, "type"), "Feature") && out->id && out->geometry &&
           out->coordinates;
}

bool sc__geojson_point(const json_t *json, sc__degrees *out)
{
    const json_t *lon = json_array_get(json, 0);
    const json_t *lat = json_array_get(json, 1);
    if (!json_is_number(lon) || !json_is_number(lat)) return false;
    *out = (sc__degrees){json_number_value(lon), json_number_value(lat)};
    return sc_geo_valid(SC_COORDS_GEOGRAPHIC, out->lon, out->lat);
}
