/**
 * @file osm_door.h
 * @brief What both fuzzers of OpenStreetMap files do with one.
 *
 * What the reader accepts must make a map that passes its own check; what it
 * refuses must come with a sentence (door.h).
 */
#ifndef SC_FUZZ_OSM_DOOR_H
#define SC_FUZZ_OSM_DOOR_H

#include "door.h"

static inline void door_osm_as(const sc_input *input, sc_import_profile profile,
                               bool skip_missing_nodes)
{
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.profile = profile;
    options.ways = profile == SC_IMPORT_BIKE ? NULL : "all";
    options.ferries = true;
    options.skip_missing_nodes = skip_missing_nodes;
    sc_import_report report = {0};
    sc_diag diag = {""};
    const sc_load load = {input, 1, &options, &report, &diag};
    sc_builder *builder = NULL;
    const sc_err err = sc__load_osm(&load, &builder);
    if (err) {
        DOOR_PROMISE(!builder, "a refusal leaves nothing behind");
        door_refused(err, &diag, input, 1);
    } else {
        door_accepted(builder, HUGE_VAL);
    }
}

/** Read the file for every profile, with and without the nodes that it lacks. */
static inline void door_osm(const sc_input *input)
{
    door_osm_as(input, SC_IMPORT_CAR, false);
    door_osm_as(input, SC_IMPORT_CAR, true);
    door_osm_as(input, SC_IMPORT_BIKE, true);
    door_osm_as(input, SC_IMPORT_FOOT, true);
}

#endif
