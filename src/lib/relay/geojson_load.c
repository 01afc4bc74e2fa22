// JSON text from a stranger, within bounds. See geojson_internal.h.
//
// The tree of a text takes 24 bytes for a bracket of one. So the text is looked through first, and
// refused if its tree would be far larger than honest ones. What is said about a text never repeats
// it: it holds positions.
#include "relay/geojson_match.h"

#include "base/diag.h"
#include "map/geo.h"

#include <string.h>

// An honest list of objects and distances takes some five times its text, one of keys of one digit
// seven times.
enum { GROWTH = 8, ALLOWANCE = 1 << 19 };

static sc_err parse(const sc__codec *codec, sc__message message, sc_json_tree *out)
{
    const size_t limit = codec->limits.max_bytes;
    const char *text = (const char *)message.bytes;
    if (sc_json_tree_bytes(text, message.size) / GROWTH > limit + ALLOWANCE / GROWTH) {
        return sc_fail(codec->diag, SC_ELIMIT,
                       "the message takes far more memory than its size explains");
    }
    sc_json_error error = {.line = 1, .column = 1};
    const sc_err err = sc_json_tree_read(text, message.size, out, &error);
    if (err == SC_ENOMEM) return sc_fail_memory(codec->diag, "reading a message");
    // A number or a text alone is no message.
    if (!err && (sc_json_is_object(out->root) || sc_json_is_array(out->root))) return SC_OK;
    return sc_fail(codec->diag, SC_EPARSE, "line %zu, column %zu: %s", error.line, error.column,
                   error.fault == SC_JSON_TWICE ? "a member is there twice"
                                                : "the message is not well-formed JSON");
}

static bool is_text(const sc_json_value *json, const char *text)
{
    return sc_json_is_string(json) && strcmp(sc_json_text_at(json), text) == 0;
}

static sc_err check_shape(const sc__codec *codec, const sc_json_value *root, const char *list)
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

sc_err sc__geojson_load(const sc__codec *codec, sc__message message, const char *list,
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

bool sc__geojson_feature(const sc_json_value *json, sc__feature *out)
{
    const sc_json_value *geometry = sc_json_member(json, "geometry");
    *out = (sc__feature){.id = sc_json_text_at(sc_json_member(json, "id")),
                         .geometry = sc_json_text_at(sc_json_member(geometry, "type")),
                         .coordinates = sc_json_member(geometry, "coordinates"),
                         .properties = sc_json_member(json, "properties")};
    return is_text(sc_json_member(json, "type"), "Feature") && out->id && out->geometry &&
           out->coordinates;
}

bool sc__geojson_point(const sc_json_value *json, sc__degrees *out)
{
    const sc_json_value *lon = sc_json_at(json, 0);
    const sc_json_value *lat = sc_json_at(json, 1);
    if (!sc_json_is_number(lon) || !sc_json_is_number(lat)) return false;
    *out = (sc__degrees){sc_json_number_at(lon), sc_json_number_at(lat)};
    return sc_geo_valid(SC_COORDS_GEOGRAPHIC, out->lon, out->lat);
}
