/*
 * `starcloak map import`: a road map of another format becomes a .scm file.
 *
 * The reading is the library's (map_import.h); here are its options, the guess
 * of the format, the progress bar and the report. An option that the format has
 * no use for is refused: silently ignoring it would be a lie.
 */
#include <starcloak/map_import.h>

#include "command.h"
#include "format.h"
#include "inputs.h"
#include "progress_bar.h"
#include "table.h"
#include "values.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/** How a guess ended. */
typedef enum guess {
    SC_GUESS_FOUND,     ///< *format is set
    SC_GUESS_UNKNOWN,   ///< no name of a known ending: *culprit is the first such
    SC_GUESS_CONFLICT,  ///< *culprit is of another format than those before it
} guess;

// --- Formats, guessed from names ----------------------------------------------------------------
//
// Guessing a format from names, never from content: a guess that a person can
// foresee is worth more than a clever one.

#define SHP ".shp"

typedef struct ending {
    const char *suffix;
    sc_format format;
} ending;

static const ending endings[] = {
    {".cnode", SC_FORMAT_CNODE}, {".cedge", SC_FORMAT_CNODE},  {".txt", SC_FORMAT_CNODE},
    {".gr", SC_FORMAT_DIMACS},   {".co", SC_FORMAT_DIMACS},    {".osm", SC_FORMAT_OSM},
    {".pbf", SC_FORMAT_OSM},     {SHP, SC_FORMAT_SHAPEFILE},   {".dbf", SC_FORMAT_SHAPEFILE},
    {".svg", SC_FORMAT_MOBISIM}, {".net.xml", SC_FORMAT_SUMO},
};

static bool ends_in(const char *text, size_t size, const char *suffix)
{
    const size_t suffix_size = strlen(suffix);
    return size > suffix_size && strncasecmp(text + size - suffix_size, suffix, suffix_size) == 0;
}

// How many bytes of `path` come before ".xz" or ".gz", if it ends so.
static size_t plain_size(const char *path)
{
    const size_t size = strlen(path);
    return ends_in(path, size, ".xz") || ends_in(path, size, ".gz") ? size - strlen(".xz") : size;
}

// A shapefile is many files, and people name them in one go (`roads.*`): what is
// named like a .shp goes with it. The reader knows which of them it has no use for.
static bool is_beside_shp(const char *path, const char *const *paths, size_t path_count)
{
    for (size_t i = 0; i < path_count; i++) {
        const size_t size = plain_size(paths[i]);
        if (!ends_in(paths[i], size, SHP)) continue;
        // With the dot, so that "roads2.prj" is not taken for a part of "roads.shp".
        if (strncmp(path, paths[i], size - strlen("shp")) == 0) return true;
    }
    return false;
}

static bool guess_one(const char *path, const char *const *paths, size_t path_count,
                      sc_format *format)
{
    const size_t size = plain_size(path);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        if (ends_in(path, size, endings[i].suffix)) {
            *format = endings[i].format;
            return true;
        }
    }
    *format = SC_FORMAT_SHAPEFILE;
    return is_beside_shp(path, paths, path_count);
}

/**
 * Guess the format of `paths` from the endings of their names, once ".xz" and
 * ".gz" are taken off. Every name must agree; one of no known ending is part of a
 * shapefile if a .shp of that name is among the others.
 */
static guess guess_format(const char *const *paths, size_t path_count, sc_format *format,
                          const char **culprit)
{
    sc_format common = SC_FORMAT_CNODE;
    for (size_t i = 0; i < path_count; i++) {
        sc_format guessed = SC_FORMAT_CNODE;
        *culprit = paths[i];
        if (!guess_one(paths[i], paths, path_count, &guessed)) return SC_GUESS_UNKNOWN;
        if (i > 0 && guessed != common) return SC_GUESS_CONFLICT;
        common = guessed;
    }
    *format = common;
    return SC_GUESS_FOUND;
}

// --- The command --------------------------------------------------------------------------------

typedef struct import_options {
    const char *const *inputs;
    size_t input_count;
    const char *output;
    sc_format format;
    bool format_given;
    bool quiet;
    bool json;
    unsigned used;  ///< bits of the options that only some formats know, see `limited`
    sc_import_options library;
} import_options;

enum {
    KEY_FORMAT = 'f',
    KEY_PROFILE = SC_KEY_FIRST,
    KEY_WAYS,
    KEY_FERRIES,
    KEY_CLASS,
    KEY_CATEGORY_NAMES,
    KEY_OBJECTS,
    KEY_UNIT_M,
    KEY_COORDS,
    KEY_UTM,
    KEY_SKIP_MISSING_NODES,
    KEY_MAX_OBJECT_SNAP_M,
    KEY_DIRECTION_FIELD,
    KEY_SPEED_FIELD,
    KEY_NAME_FIELD,
    KEY_TIMES,
    KEY_TIME_UNIT_S,
    KEY_JSON,
};

static const sc_option options_table[] = {
    {"output", 'o', "FILE.scm", "where the map goes (required); - is standard output",
     SC_COMPLETE_MAPS},
    {"format", KEY_FORMAT, "FORMAT",
     "how to read the inputs: cnode, dimacs, osm, shapefile, mobisim or sumo (default: recognised "
     "by the file name extensions)",
     "cnode dimacs osm shapefile mobisim sumo"},
    {"objects", KEY_OBJECTS, "FILE.csv",
     "objects to put on the map, with any format: lines of lon,lat,category[,name]; each goes to "
     "the nearest road",
     SC_COMPLETE_FILES},
    {"max-object-snap-m", KEY_MAX_OBJECT_SNAP_M, "M",
     "leave out objects farther than M metres from any road (default 1000)", NULL},
    {"profile", KEY_PROFILE, "PROFILE",
     "osm, sumo: for whom directions, access and speeds of the roads are read: car (the default), "
     "bike, foot, or any for all roads as open both ways",
     "car bike foot any"},
    {"ways", KEY_WAYS, "LIST",
     "osm: highway values to keep, separated by commas; drivable, walk, bike and all stand for "
     "sets of them (default: those of the profile)",
     "drivable walk bike all"},
    {"ferries", KEY_FERRIES, NULL, "osm: lines of ferries are roads too", NULL},
    {"skip-missing-nodes", KEY_SKIP_MISSING_NODES, NULL,
     "osm: skip references to nodes that the file does not have, instead of refusing the file",
     NULL},
    {"class", KEY_CLASS, "LIST",
     "shapefile: classes to keep (MTFCC of TIGER, fclass of Geofabrik), separated by commas "
     "(default: all)",
     NULL},
    {"direction-field", KEY_DIRECTION_FIELD, "NAME",
     "shapefile: the field that says which way a road is open: F or yes is along the line, T or -1 "
     "against it, B or no both ways (default: oneway of Geofabrik)",
     NULL},
    {"speed-field", KEY_SPEED_FIELD, "NAME",
     "shapefile: the field that has speeds, in km/h, or with mph behind the number; nothing or 0 "
     "where unknown (default: maxspeed of Geofabrik)",
     NULL},
    {"name-field", KEY_NAME_FIELD, "NAME",
     "shapefile: the field that has names of roads (default: name and ref of Geofabrik, FULLNAME "
     "of "
     "TIGER)",
     NULL},
    {"category-names", KEY_CATEGORY_NAMES, "FILE.csv",
     "cnode: names for the numbered categories of objects, lines of cat_name,cat_id",
     SC_COMPLETE_FILES},
    {"coords", KEY_COORDS, "KIND",
     "cnode, shapefile, sumo: what the coordinates are, geographic or planar (default: recognised "
     "by the numbers; sumo: as the file says)",
     "geographic planar"},
    {"unit-m", KEY_UNIT_M, "X",
     "all but osm and sumo: a unit of length in the files is X metres (default: what the format "
     "says)",
     NULL},
    {"times", KEY_TIMES, "FILE.gr",
     "dimacs: the travel times of the arcs, as a graph of the same arcs in the same order "
     "(default: "
     "the input named as USA-road-t.NY.gr is beside USA-road-d.NY.gr, if there is one)",
     SC_COMPLETE_FILES},
    {"time-unit-s", KEY_TIME_UNIT_S, "X",
     "dimacs: a unit of travel time in the files is X seconds (default 0.0036)", NULL},
    {"utm", KEY_UTM, "ZONE",
     "shapefile, mobisim, sumo: the coordinates are UTM of this zone, as 16N or 56S; turn them "
     "into "
     "degrees (default: keep metres; sumo: what the file says)",
     NULL},
    {"quiet", 'q', NULL, "print nothing but errors and what --json asks for; no progress bar",
     NULL},
    {"json", KEY_JSON, NULL, "print the report as one JSON object, with --quiet too", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

/** Options that only some formats know. */
static const struct {
    int key;
    unsigned formats;
    const char *name;
    const char *for_what;
} limited[] = {
    {KEY_PROFILE, 1U << SC_FORMAT_OSM | 1U << SC_FORMAT_SUMO, "--profile", "osm and sumo"},
    {KEY_WAYS, 1U << SC_FORMAT_OSM, "--ways", "osm"},
    {KEY_FERRIES, 1U << SC_FORMAT_OSM, "--ferries", "osm"},
    {KEY_SKIP_MISSING_NODES, 1U << SC_FORMAT_OSM, "--skip-missing-nodes", "osm"},
    {KEY_CLASS, 1U << SC_FORMAT_SHAPEFILE, "--class", "shapefile"},
    {KEY_DIRECTION_FIELD, 1U << SC_FORMAT_SHAPEFILE, "--direction-field", "shapefile"},
    {KEY_SPEED_FIELD, 1U << SC_FORMAT_SHAPEFILE, "--speed-field", "shapefile"},
    {KEY_NAME_FIELD, 1U << SC_FORMAT_SHAPEFILE, "--name-field", "shapefile"},
    {KEY_CATEGORY_NAMES, 1U << SC_FORMAT_CNODE, "--category-names", "cnode"},
    {KEY_COORDS, 1U << SC_FORMAT_CNODE | 1U << SC_FORMAT_SHAPEFILE | 1U << SC_FORMAT_SUMO,
     "--coords", "cnode, shapefile and sumo"},
    {KEY_UNIT_M, ~(1U << SC_FORMAT_OSM | 1U << SC_FORMAT_SUMO), "--unit-m",
     "all formats but osm and sumo"},
    {KEY_TIMES, 1U << SC_FORMAT_DIMACS, "--times", "dimacs"},
    {KEY_TIME_UNIT_S, 1U << SC_FORMAT_DIMACS, "--time-unit-s", "dimacs"},
    {KEY_UTM, 1U << SC_FORMAT_SHAPEFILE | 1U << SC_FORMAT_MOBISIM | 1U << SC_FORMAT_SUMO, "--utm",
     "shapefile, mobisim and sumo"},
};

#define LIMITED_COUNT (sizeof(limited) / sizeof(limited[0]))

static const char *const format_names[] = {
#define X(name, value, text) [value] = (text),
    SC_FORMAT_MAP(X)
#undef X
        NULL,
};

static const char *const profile_names[] = {
#define X(name, value, text) [value] = (text),
    SC_IMPORT_PROFILE_MAP(X)
#undef X
        NULL,
};

static const char *const coords_names[] = {"geographic", "planar", NULL};

static void choose_format(import_options *options, const struct argp_state *state)
{
    const char *culprit = NULL;
    switch (guess_format(options->inputs, options->input_count, &options->format, &culprit)) {
    case SC_GUESS_FOUND:
        return;
    case SC_GUESS_UNKNOWN:
        sc_usage_error(state, "cannot tell the format of '%s' from its name; add --format",
                       culprit);
    case SC_GUESS_CONFLICT:
        sc_usage_error(
            state,
            "'%s' and '%s' look like different formats; add --format, or import them one by one",
            culprit, options->inputs[0]);
    }
}

/** Whatever is read must not be replaced, not even by what was made of it. */
static bool is_output_read(const import_options *options)
{
    const char *const others[] = {options->library.objects, options->library.category_names,
                                  options->library.times};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (others[i] && sc_overlaps(options->output, others[i])) return true;
    }
    for (size_t i = 0; i < options->input_count; i++) {
        if (sc_overlaps(options->output, options->inputs[i])) return true;
    }
    return false;
}

static void check_usage(import_options *options, const struct argp_state *state)
{
    if (options->input_count == 0) sc_usage_error(state, "no input given; name the files to read");
    sc_value_output(state, options->output);
    if (!options->format_given) choose_format(options, state);
    for (size_t i = 0; i < LIMITED_COUNT; i++) {
        const bool used = (options->used & 1U << i) != 0;
        if (used && (limited[i].formats & 1U << options->format) == 0) {
            sc_usage_error(state, "%s is for %s, but the format is %s", limited[i].name,
                           limited[i].for_what, sc_format_name(options->format));
        }
    }
    if (is_output_read(options)) {
        sc_usage_error(state, "the output '%s' is also an input; choose another name",
                       options->output);
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    import_options *options = state->input;
    for (size_t i = 0; i < LIMITED_COUNT; i++) {
        if (limited[i].key == key) options->used |= 1U << i;
    }
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case KEY_FORMAT:
        options->format = (sc_format)sc_value_word(state, "--format", argument, format_names);
        options->format_given = true;
        return 0;
    case KEY_PROFILE:
        options->library.profile =
            (sc_import_profile)sc_value_word(state, "--profile", argument, profile_names);
        return 0;
    case KEY_FERRIES:
        options->library.ferries = true;
        return 0;
    case KEY_WAYS:
        options->library.ways = argument;
        return 0;
    case KEY_CLASS:
        options->library.classes = argument;
        return 0;
    case KEY_DIRECTION_FIELD:
        options->library.direction_field = argument;
        return 0;
    case KEY_SPEED_FIELD:
        options->library.speed_field = argument;
        return 0;
    case KEY_NAME_FIELD:
        options->library.name_field = argument;
        return 0;
    case KEY_CATEGORY_NAMES:
        options->library.category_names = argument;
        return 0;
    case KEY_OBJECTS:
        options->library.objects = argument;
        return 0;
    case KEY_UNIT_M:
        options->library.unit_m = sc_value_number(state, "--unit-m", argument, 1e-9, 1e9);
        return 0;
    case KEY_TIMES:
        options->library.times = argument;
        return 0;
    case KEY_TIME_UNIT_S:
        options->library.time_unit_s = sc_value_number(state, "--time-unit-s", argument, 1e-9, 1e9);
        return 0;
    case KEY_COORDS:
        options->library.coords = sc_value_word(state, "--coords", argument, coords_names) == 0
                                      ? SC_COORDS_GEOGRAPHIC
                                      : SC_COORDS_PLANAR;
        return 0;
    case KEY_UTM:
        options->library.utm_zone = sc_value_utm_zone(state, "--utm", argument);
        return 0;
    case KEY_SKIP_MISSING_NODES:
        options->library.skip_missing_nodes = true;
        return 0;
    case KEY_MAX_OBJECT_SNAP_M:
        options->library.max_object_snap_m =
            sc_value_number(state, "--max-object-snap-m", argument, 0, HUGE_VAL);
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_ARGS:
        options->inputs = (const char *const *)state->argv + state->next;
        options->input_count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_END:
        check_usage(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/** What a reader left out or mended. */
static void put_remarks(sc_report *table, const sc_import_report *report)
{
    const struct {
        const char *name;
        uint64_t count;
        const char *text;
    } remarks[] = {
        {"ways_left_out", report->ways_left_out, "roads: not of the chosen kinds, left out"},
        {"ways_closed", report->ways_closed, "roads: closed to the profile, left out"},
        {"missing_nodes", report->missing_nodes, "references: to nodes not in the files, left out"},
        {"repeated_nodes", report->repeated_nodes, "references: repeat the one before, left out"},
        {"unpaired_arcs", report->unpaired_arcs, "arcs: without their opposite, one-way roads"},
        {"objects_too_far", report->objects_too_far, "objects: too far from any road, left out"},
        {"objects_without_place", report->objects_without_place,
         "objects: without a position, left out"},
        {"objects_clamped", report->objects_clamped,
         "objects: beyond the end of their edge, moved to its end"},
    };
    for (size_t i = 0; i < sizeof(remarks) / sizeof(remarks[0]); i++) {
        sc_report_count(table, remarks[i].count > 0 ? "note" : NULL, remarks[i].name,
                        remarks[i].count, remarks[i].text);
    }
}

static void print_report(const import_options *options, const sc_map *map,
                         const sc_import_report *report, double seconds)
{
    char number[SC_FORMAT_SIZE];
    char speed[2 * SC_FORMAT_SIZE] = "";
    if (seconds > 0) {
        snprintf(speed, sizeof(speed), "(%s read, %.1f MB/s)",
                 sc_format_bytes(number, report->bytes_read),
                 (double)report->bytes_read / 1e6 / seconds);
    }
    sc_report table = sc_report_begin_line(sc_report_stream(options->output), options->json, 10);
    sc_report_output(&table, options->output, ": read as %s%s", sc_format_name(options->format),
                     options->format_given ? "" : ", as the names suggest");
    sc_report_string(&table, "format", sc_format_name(options->format));
    sc_report_flag(&table, "format_guessed", !options->format_given);
    sc_report_string(&table, "source", sc_map_source(map));
    sc_report_sizes(&table, map);
    put_remarks(&table, report);
    sc_report_count(&table, NULL, "bytes_read", report->bytes_read, "");
    sc_report_seconds(&table, "time", "seconds", seconds, speed);
    sc_report_end(&table);
}

static int fail(const sc_call *call, const import_options *options, sc_err err, const sc_diag *diag)
{
    const int status = sc_call_fail(call, err, diag);
    const bool about_content = err == SC_EPARSE || err == SC_EFORMAT;
    if (about_content && !options->format_given) {
        sc_call_note(call, "read as %s, as the names suggest; --format chooses another",
                     sc_format_name(options->format));
    }
    return status;
}

static int run(sc_call *call)
{
    import_options options = {.library = SC_IMPORT_DEFAULTS};
    sc_call_parse(call, &options);

    sc_bar bar;
    sc_diag diag = {.message = ""};
    sc_import_report report = {0};
    sc_map *map = NULL;
    const double start = sc_clock_s();
    sc_bar_init(&bar, options.quiet);
    options.library.progress = sc_bar_listen(&bar);
    const sc_import_source source = {options.format, options.inputs, options.input_count};
    sc_err err = sc_map_import(&source, &options.library, &map, &report, &diag);
    if (!err) err = sc_map_save(map, options.output, &diag);
    sc_bar_clear(&bar);

    int status = SC_EXIT_OK;
    if (err) {
        status = fail(call, &options, err, &diag);
    } else if (options.json || !options.quiet) {
        print_report(&options, map, &report, sc_clock_s() - start);
    }
    sc_map_free(map);
    return status;
}

static const sc_entry formats[] = {
    {"cnode", "Files .cnode (node longitude latitude) and .cedge (edge start end length), with or "
              "without the merged map .txt that puts objects on the edges; .cedge alone makes a "
              "map without coordinates."},
    {"dimacs", "Files .gr of the 9th DIMACS challenge, with or without the .co that has their "
               "coordinates and the second .gr that has their travel times; several graphs make "
               "one map. An arc without its opposite is a one-way road."},
    {"osm", "OpenStreetMap: .osm.pbf or XML. Directions, access, speeds and names of the roads are "
            "those of their tags. Objects are taken from amenity, shop, tourism, leisure and like "
            "tags."},
    {"shapefile", "Roads of TIGER/Line, Geofabrik and others, .shp with the .dbf beside it. "
                  "Vertices with equal coordinates are one node."},
    {"mobisim", "The .svg maps of the simulator GT-MobiSim."},
    {"sumo", "Networks .net.xml of the traffic simulator SUMO: lanes open to the profile, their "
             "directions, lengths and speeds. UTM becomes degrees; other planes keep their "
             "metres."},
    {NULL, NULL},
};

static const sc_topic topics[] = {{"Formats", formats}, {NULL, NULL}};

static const sc_entry examples[] = {
    {"starcloak map import cal.cnode cal.cedge calmap.txt -o cal.scm",
     "California's highways with objects; the format is recognised by the names."},
    {"starcloak map import ME.gr.xz ME.co.xz VT.gr.xz VT.co.xz -o me-vt.scm",
     "Two states as one map, straight from compressed files."},
    {"starcloak map import monaco.osm.pbf --ways all --objects cameras.csv -o monaco.scm",
     "Every way of Monaco, footpaths too, and your own objects."},
    {"starcloak map import monaco.osm.pbf --profile bike -o monaco-bike.scm",
     "The roads and paths that are open to bicycles, in the directions open to them."},
    {"starcloak map import --format mobisim atlanta.svg --utm 16N -o atlanta.scm",
     "A map in UTM metres, turned into degrees."},
    {"starcloak map import USA-road-d.NY.gr USA-road-t.NY.gr -o new-york.scm",
     "Lengths and travel times of the same arcs, without coordinates."},
    {"starcloak map import streets.shp --direction-field DIR --name-field LABEL -o town.scm",
     "A shapefile whose fields have names of their own."},
    {"starcloak map import town.net.xml -o town.scm", "A network of SUMO's netconvert."},
    {NULL, NULL},
};

const sc_command sc_cmd_map_import = {
    .name = "import",
    .summary = "read a road map of another format",
    .arguments = "INPUT... -o FILE.scm",
    .complete = SC_COMPLETE_FILES,
    .description =
        "Read road data and write it as a map that all other commands open at once. Inputs may be "
        "compressed with xz or gzip.\nLengths become metres where the format defines their unit; "
        "lengths of unknown unit are kept, and the map is marked so. Repeated edges, self-loops, "
        "isolated nodes and several components are kept.\nThe map is written under another name "
        "first and then renamed: an import that fails leaves an older FILE.scm as it was, and "
        "nothing else. On a terminal, a progress bar is shown while it works.",
    .options = options_table,
    .topics = topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
