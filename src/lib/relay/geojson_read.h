/**
 * @file geojson_read.h
 * @brief GeoJSON messages as text: what readers of relays and of replies share.
 */
#ifndef SC_RELAY_GEOJSON_READ_H
#define SC_RELAY_GEOJSON_READ_H

#include "base/json_tree.h"
#include "relay/geojson_match.h"

/**
 * Read a message of version 2: a FeatureCollection with `features` and the list called `list`.
 *
 * @param out  free with sc_json_tree_fini()
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT, SC_EPARSE
 */
SC_CHECKED sc_err sc__geojson_load(const sc__relay_codec *codec, sc__relay_message message,
                                   const char *list, sc_json_tree *out);

/** What is wanted of a feature; lent as long as it is. */
typedef struct sc__geojson_feature {
    const char *id;
    const char *geometry;  ///< "Point", "LineString", ...
    const sc_json_value *coordinates;
    const sc_json_value *properties;
} sc__geojson_feature;

/** False if `json` is no feature, or has no id that is a text. */
bool sc__geojson_read_feature(const sc_json_value *json, sc__geojson_feature *out);

/** False unless it is a position on the globe. */
bool sc__geojson_read_position(const sc_json_value *json, sc__geojson_degrees *out);

#endif
