/**
 * @file osm_read.h
 * @brief From bytes of OpenStreetMap data to a map, as the tests need it.
 *
 * Include after cmocka.h.
 */
#ifndef SC_TESTS_SUPPORT_OSM_READ_H
#define SC_TESTS_SUPPORT_OSM_READ_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import_internal.h"

/** What came of reading. */
typedef struct osm_result {
    sc_err err;
    sc_map *map;  ///< NULL on failure; free with osm_free()
    sc_import_report report;
    sc_diag diag;
} osm_result;

/** Read the inputs as one map; what is accepted must pass the map's own check. */
static inline osm_result osm_read(const sc_input *inputs, size_t count,
                                  const sc_import_options *options)
{
    osm_result result = {0};
    sc_builder *builder = NULL;
    const sc_load load = {inputs, count, options, &result.report, &result.diag};
    result.err = sc__load_osm(&load, &builder);
    if (!result.err) {
        result.err = sc_builder_finish(builder, HUGE_VAL, NULL, &result.map, NULL, &result.diag);
    }
    if (!result.err) result.err = sc_map_check(result.map, &result.diag);
    sc_builder_free(builder);
    return result;
}

static inline osm_result osm_read_bytes(const void *bytes, size_t size, const char *ways)
{
    sc_import_options options = SC_IMPORT_DEFAULTS;
    if (ways) options.ways = ways;
    return osm_read(&(sc_input){"in.osm", bytes, size}, 1, &options);
}

/** The same for another profile than car. */
static inline osm_result osm_read_as(const void *bytes, size_t size, sc_import_profile profile,
                                     const char *ways)
{
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.profile = profile;
    options.ways = ways;
    return osm_read(&(sc_input){"in.osm", bytes, size}, 1, &options);
}

static inline osm_result osm_read_text(const char *xml, const char *ways)
{
    return osm_read_bytes(xml, strlen(xml), ways);
}

static inline void osm_free(osm_result *result)
{
    sc_map_free(result->map);
    result->map = NULL;
}

/** Fail the test unless reading went well. */
static inline void osm_assert_good(const osm_result *result)
{
    if (result->err) fail_msg("%s: %s", sc_err_text(result->err), result->diag.message);
}

/** Read XML that must be good. */
static inline osm_result osm_read_good(const char *xml, const char *ways)
{
    const osm_result result = osm_read_text(xml, ways);
    osm_assert_good(&result);
    return result;
}

/** Fail the test unless reading was refused in exactly these words. */
static inline void osm_assert_refused(osm_result result, sc_err err, const char *message)
{
    if (result.err != err || strcmp(result.diag.message, message) != 0) {
        fail_msg("\n  got  %d %s\n  want %d %s", (int)result.err, result.diag.message, (int)err,
                 message);
    }
    assert_null(result.map);
}

/** The path of a file of the real data. */
static inline void osm_data_path(char *out, size_t size, const char *name)
{
    const char *folder = getenv("STARCLOAK_DATA");
    snprintf(out, size, "%s/osm/%s", folder ? folder : SC_REPOSITORY "/../shared/data", name);
}

#endif
