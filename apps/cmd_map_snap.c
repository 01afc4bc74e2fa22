/*
 * `starcloak map snap`: where do positions fall on the roads?
 *
 * One position comes from --lon and --lat; many come from standard input, one
 * per line, and give one line each, in order, so that the two can be pasted
 * together. A position that is too far from any road is reported on standard error
 * and gives a line of dashes (null in JSON), and the exit status says so in
 * the end.
 */
#include "command.h"

#include <inttypes.h>
#include <math.h>

#include <starcloak/map.h>

#include "base/json_write.h"
#include "format.h"
#include "inputs.h"
#include "values.h"

typedef struct snap_options {
    const char *path;
    double x;
    double y;
    bool has_x;
    bool has_y;
    double max_snap_m;
    bool json;
} snap_options;

enum {
    KEY_LON = SC_KEY_FIRST,
    KEY_LAT,
    KEY_MAX_SNAP_M,
    KEY_JSON,
};

static const sc_option options_table[] = {
    {"lon", KEY_LON, "X", "longitude in degrees, or x on a planar map", NULL},
    {"lat", KEY_LAT, "Y", "latitude in degrees, or y on a planar map", NULL},
    {"max-snap-m", KEY_MAX_SNAP_M, "M",
     "refuse a position farther than M metres from any road (default: no limit)", NULL},
    {"json", KEY_JSON, NULL, "print one JSON object per position", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    snap_options *options = state->input;
    switch (key) {
    case KEY_LON:
        options->x = sc_value_number(state, "--lon", argument, -HUGE_VAL, HUGE_VAL);
        options->has_x = true;
        return 0;
    case KEY_LAT:
        options->y = sc_value_number(state, "--lat", argument, -HUGE_VAL, HUGE_VAL);
        options->has_y = true;
        return 0;
    case KEY_MAX_SNAP_M:
        options->max_snap_m = sc_value_number(state, "--max-snap-m", argument, 0, HUGE_VAL);
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_END:
        if (options->has_x != options->has_y) {
            sc_usage_error(state, "%s is missing; a position needs both --lon and --lat",
                           options->has_x ? "--lat" : "--lon");
        }
        break;
    default:
        break;
    }
    return sc_parse_map(key, argument, state, &options->path);
}

static void print_json(const sc_map *map, const sc_snap *snap)
{
    if (!snap) {
        puts("null");
        return;
    }
    printf("{\"edge\":%" PRIu32 ",\"segment\":%" PRIu32
           ",\"offset_m\":%.4f,\"distance_m\":%.4f,\"name\":",
           snap->edge, snap->segment, snap->offset_m, snap->distance_m);
    sc_json_string(stdout, sc_map_segment_name(map, snap->segment));
    puts("}");
}

static void print_columns(const sc_map *map, const sc_snap *snap)
{
    if (!snap) {
        puts("-\t-\t-\t-\t-");
        return;
    }
    printf("%" PRIu32 "\t%" PRIu32 "\t%.4f\t%.4f\t", snap->edge, snap->segment, snap->offset_m,
           snap->distance_m);
    sc_print_text(stdout, sc_map_segment_name(map, snap->segment));
    putchar('\n');
}

static void print_for_people(const sc_map *map, const sc_snap *snap)
{
    const char *unit = sc_map_is_in_metres(map) ? "m" : "units";
    char offset[SC_FORMAT_SIZE];
    char distance[SC_FORMAT_SIZE];
    printf("edge      %" PRIu32 "\nsegment   %" PRIu32 "\n", snap->edge, snap->segment);
    printf("offset    %s %s\n", sc_format_decimal(offset, snap->offset_m, 2), unit);
    printf("distance  %s %s\n", sc_format_decimal(distance, snap->distance_m, 2), unit);
    const char *name = sc_map_segment_name(map, snap->segment);
    if (*name == '\0') return;
    fputs("road      ", stdout);
    sc_print_text(stdout, name);
    putchar('\n');
}

static int snap_one(const sc_call *call, const sc_map *map, const snap_options *options)
{
    sc_snap snap;
    const sc_err err = sc_map_snap(map, options->x, options->y, options->max_snap_m, &snap);
    if (err) {
        sc_diag why;
        sc_position_explain(err, map, options->path, options->max_snap_m, &why);
        return sc_call_fail(call, err, &why);
    }
    if (options->json) {
        print_json(map, &snap);
    } else {
        print_for_people(map, &snap);
    }
    return SC_EXIT_OK;
}

/** What each line needs. */
typedef struct snapping {
    const sc_call *call;
    const sc_map *map;
    const snap_options *options;
} snapping;

static int snap_line(void *context, uint64_t line, double x, double y)
{
    const snapping *s = context;
    int status = SC_EXIT_OK;
    sc_snap snap;
    const sc_err err = sc_map_snap(s->map, x, y, s->options->max_snap_m, &snap);
    if (err) {
        sc_diag why;
        sc_position_explain(err, s->map, s->options->path, s->options->max_snap_m, &why);
        status = sc_position_fail(s->call, line, err, why.message);
    }
    if (s->options->json) {
        print_json(s->map, err ? NULL : &snap);
    } else {
        print_columns(s->map, err ? NULL : &snap);
    }
    return status;
}

static int snap_lines(const sc_call *call, const sc_map *map, const snap_options *options)
{
    if (sc_map_coords(map) == SC_COORDS_NONE) {
        sc_diag why;
        sc_position_explain(SC_ENOCOORDS, map, options->path, options->max_snap_m, &why);
        return sc_call_fail(call, SC_ENOCOORDS, &why);
    }
    snapping s = {.call = call, .map = map, .options = options};
    return sc_positions_each(call, snap_line, &s);
}

static int run(sc_call *call)
{
    snap_options options = {.max_snap_m = HUGE_VAL};
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    const sc_err err = sc_input_open_map(options.path, NULL, &map, &diag);
    if (err) return sc_call_fail(call, err, &diag);
    const int status =
        options.has_x ? snap_one(call, map, &options) : snap_lines(call, map, &options);
    sc_map_free(map);
    return status;
}

static const sc_entry examples[] = {
    {"starcloak map snap sf.scm --lon -122.4194 --lat 37.7749", "One position."},
    {"starcloak map snap sf.scm --max-snap-m 50 < fixes.txt > snapped.tsv",
     "Many positions, one per line; those farther than 50 m from any road are refused."},
    {NULL, NULL},
};

const sc_command sc_cmd_map_snap = {
    .name = "snap",
    .summary = "find the road nearest to a position",
    .arguments = "FILE.scm [--lon X --lat Y]",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Find the edge nearest to a position, by distance on the ground, and the place on it.\n"
        "Without --lon and --lat, positions are read from standard input, one per line, "
        "longitude and latitude separated by a blank or a comma. Each gives one line with five "
        "columns separated by tabs: edge, segment, offset along the edge from its first node, "
        "distance from the position, both in metres, and the name of the road, if it has one. A "
        "position that is too far from any road gives five dashes (with --json: null) and a "
        "message, and the "
        "exit status is then 1.",
    .options = options_table,
    .examples = examples,
    .parse = parse,
    .run = run,
};
