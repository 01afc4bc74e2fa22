/*
 * `starcloak map export`: a map as CSV files that any other tool reads.
 *
 * The files and their columns are fixed: others rely on them. Each appears whole
 * or not at all.
 */
#include "command.h"

#include <starcloak/map.h>
#include <starcloak/map_export.h>

#include "format.h"
#include "inputs.h"

/** As long as a path may be, with the name of a file in it. */
#define FILE_PATH_SIZE 4352

typedef struct export_options {
    const char *path;
    const char *directory;
    bool geojson;
    bool svg;
    bool quiet;
} export_options;

enum { KEY_GEOJSON = SC_KEY_FIRST, KEY_SVG };

static const sc_option options_table[] = {
    {"geojson", KEY_GEOJSON, NULL,
     "also write map.geojson, with roads and objects, to view the map in other programs", NULL},
    {"svg", KEY_SVG, NULL, "also write map.svg, a picture of the roads and objects", NULL},
    {"quiet", 'q', NULL, "print nothing but errors", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    export_options *options = state->input;
    switch (key) {
    case KEY_GEOJSON:
        options->geojson = true;
        return 0;
    case KEY_SVG:
        options->svg = true;
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0) break;
        if (options->directory) sc_usage_error(state, "unexpected argument '%s'", argument);
        options->directory = argument;
        return 0;
    case ARGP_KEY_END:
        if (options->path && !options->directory) {
            sc_usage_error(state, "no directory given; name the DIR that the files go to");
        }
        break;
    default:
        break;
    }
    return sc_parse_map(key, argument, state, &options->path);
}

typedef sc_err export_one(const sc_map *map, const char *path, sc_diag *diag);

/** Write one file that stands beside the tables. */
static sc_err write_beside(const sc_map *map, const export_options *options, const char *name,
                           export_one *write, sc_diag *diag)
{
    char path[FILE_PATH_SIZE];
    const int size = snprintf(path, sizeof(path), "%s/%s", options->directory, name);
    if (size < 0 || (size_t)size >= sizeof(path)) {
        return sc_explain(diag, SC_EIO, "the name of the directory is too long");
    }
    return write(map, path, diag);
}

/** Write all that was asked for; the library makes the directory. */
static sc_err write_files(const sc_map *map, const export_options *options, sc_diag *diag)
{
    sc_err err = sc_map_export_csv(map, options->directory, diag);
    if (!err && options->geojson) {
        err = write_beside(map, options, "map.geojson", sc_map_export_geojson, diag);
    }
    if (!err && options->svg) {
        err = write_beside(map, options, "map.svg", sc_map_export_svg, diag);
    }
    return err;
}

static int run(sc_call *call)
{
    export_options options = {.path = NULL};
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    sc_err err = sc_input_open_map(options.path, NULL, &map, &diag);
    if (err) return sc_call_fail(call, err, &diag);

    // Before anything is written: all that was asked for, or nothing.
    if ((options.geojson || options.svg) && sc_map_coords(map) == SC_COORDS_NONE) {
        err = sc_explain(
            &diag, SC_ENOCOORDS,
            "%.800s: the map has no coordinates, so no %s can be written; leave out --%s",
            options.path, options.geojson ? "GeoJSON" : "picture",
            options.geojson ? "geojson" : "svg");
    }
    if (!err) err = write_files(map, &options, &diag);

    int status = SC_EXIT_OK;
    if (err) {
        status = sc_call_fail(call, err, &diag);
    } else if (!options.quiet) {
        sc_print_text(stdout, options.directory);
        printf(": nodes.csv, edges.csv, segments.csv, stars.csv%s%s%s\n",
               sc_map_object_count(map) > 0 ? ", pois.csv" : "",
               options.geojson ? ", map.geojson" : "", options.svg ? ", map.svg" : "");
    }
    sc_map_free(map);
    return status;
}

static const sc_entry files[] = {
    {"nodes.csv", "node,lon,lat"},
    {"edges.csv",
     "edge,from,to,length_m,segment,forward_s,backward_s,name; seconds from 'from' to 'to' and "
     "back, empty where the road is closed in that direction"},
    {"segments.csv", "segment,node_a,node_b,length_m"},
    {"stars.csv", "star,node"},
    {"pois.csv",
     "poi,edge,offset_m,category,lon,lat,name; offsets count from the edge's node 'from'"},
    {"map.geojson", "with --geojson: a FeatureCollection of segments and objects; forward_s and "
                    "backward_s are null where the road is closed"},
    {"map.svg", "with --svg: a picture, roads by class and objects as dots"},
    {NULL, NULL},
};

static const sc_topic topics[] = {{"Files", files}, {NULL, NULL}};

static const sc_entry examples[] = {
    {"starcloak map export cal.scm cal-csv", "The tables of cal.scm, in the directory cal-csv."},
    {"starcloak map export --svg city.scm city", "The same of city.scm, with a picture of it."},
    {NULL, NULL},
};

const sc_command sc_cmd_map_export = {
    .name = "export",
    .summary = "write a map as CSV files, and as GeoJSON or a picture too",
    .arguments = "FILE.scm DIR",
    .complete = SC_COMPLETE_MAPS,
    .complete_2 = SC_COMPLETE_DIRECTORIES,
    .description = "Write the tables of a map as CSV files with a header line into the directory "
                   "DIR, which is created if it does not exist. Files of the same names are "
                   "replaced. There is no pois.csv if the map has no objects; lon and lat stay "
                   "empty if it has no coordinates, and are x and y on a planar map.",
    .options = options_table,
    .topics = topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
