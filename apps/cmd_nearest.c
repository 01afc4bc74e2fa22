/*
 * `starcloak nearest`: the nearest objects by road from a position. No cloak, nothing is hidden:
 * it is the plain search that all cloaked answers must equal.
 *
 * One position comes from --lon and --lat, or --edge and --offset-m; many come from standard input,
 * one per line, and each is answered at once, from the objects that are current at that moment.
 */
#include <starcloak/lbs.h>
#include <starcloak/map.h>
#include <starcloak/objects.h>
#include <starcloak/relay.h>

#include "command.h"
#include "format.h"
#include "inputs.h"
#include "nearest_report.h"
#include "objects_options.h"
#include "values.h"

#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/** Zero-initialise. */
typedef struct category_names {
    const char *names[SC_REQUEST_CATEGORIES];  ///< borrowed
    uint32_t count;
} category_names;

// --- Categories by name -------------------------------------------------------------------------

/** How much of a stranger's name a message shows. */
#define NAME_SIZE 41

/** How many names are listed. */
enum { LISTED = 12 };

/** Take down one more; too many are a usage error. */
static void category_names_add(category_names *names, const struct argp_state *state,
                               const char *option, const char *name)
{
    if (name[0] == '\0') sc_usage_error(state, "%s: the name of the category is empty", option);
    if (names->count == SC_REQUEST_CATEGORIES) {
        sc_usage_error(state, "%s: more than %d categories; leave them out to ask for all", option,
                       SC_REQUEST_CATEGORIES);
    }
    names->names[names->count++] = name;
}

/** "cafe, school, ..." */
static void list_names(const sc_vocabulary *vocabulary, char *out, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < vocabulary->count && used < size; i++) {
        char name[NAME_SIZE];
        sc_format_text(name, sizeof(name), i < LISTED ? vocabulary->names[i] : "...");
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "", name);
        if (i == LISTED) return;
    }
}

static sc_err fail_unknown(const char *name, const sc_vocabulary *vocabulary, sc_diag *diag)
{
    char shown[NAME_SIZE];
    char list[(NAME_SIZE + 2) * (LISTED + 1)] = "none";
    sc_format_text(shown, sizeof(shown), name);
    sc_suggestion suggestion = sc_suggestion_for(name);
    for (uint32_t i = 0; i < vocabulary->count; i++) {
        sc_suggestion_offer(&suggestion, vocabulary->names[i]);
    }
    list_names(vocabulary, list, sizeof(list));
    if (suggestion.best) {
        char best[NAME_SIZE];
        sc_format_text(best, sizeof(best), suggestion.best);
        snprintf(diag->message, sizeof(diag->message),
                 "unknown category '%s'; did you mean '%s'? Known categories: %s", shown, best,
                 list);
    } else if (vocabulary->count == 0) {
        snprintf(diag->message, sizeof(diag->message),
                 "unknown category '%s': the map has no objects, so no category is known; of a "
                 "provider name them in section [categories] of its file",
                 shown);
    } else {
        snprintf(diag->message, sizeof(diag->message),
                 "unknown category '%s'; known categories: %s", shown, list);
    }
    return SC_EUNKNOWN;
}

/**
 * Fill in the categories of `request`; none given means all.
 *
 * @return SC_OK, SC_EUNKNOWN with the nearest name and the first of those that there are
 */
static sc_err category_names_find(const category_names *names, const sc_vocabulary *vocabulary,
                                  sc_request *request, sc_diag *diag)
{
    request->category_count = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        const sc_category_id category = sc_vocabulary_find(vocabulary, names->names[i]);
        if (category == SC_NONE) return fail_unknown(names->names[i], vocabulary, diag);
        request->categories[request->category_count++] = category;
    }
    return SC_OK;
}

// --- The command --------------------------------------------------------------------------------

#define K_DEFAULT 5

typedef struct nearest_options {
    const char *map;
    sc_objects_options objects;
    const char *areas;  ///< the file of a provider of areas; NULL: none
    category_names categories;
    sc_request request;
    bool has_k;
    bool has_metres;
    bool has_seconds;
    bool has_metric;
    double x;
    double y;
    bool has_x;
    bool has_y;
    sc_edge_id edge;
    double offset_m;
    bool has_edge;
    bool has_offset;
    double heading_deg;  ///< NaN: not given
    double max_snap_m;
    bool json;
} nearest_options;

enum {
    KEY_LON = SC_KEY_FIRST,
    KEY_LAT,
    KEY_EDGE,
    KEY_OFFSET_M,
    KEY_HEADING,
    KEY_METRIC,
    KEY_RADIUS_M,
    KEY_RADIUS_S,
    KEY_MAX_SNAP_M,
    KEY_AREAS,
    KEY_JSON,
};

static const sc_option options_table[] = {
    {"lon", KEY_LON, "X",
     "longitude in degrees, or x on a planar map (default: positions come from standard input)",
     NULL},
    {"lat", KEY_LAT, "Y", "latitude in degrees, or y on a planar map (required with --lon)", NULL},
    {"edge", KEY_EDGE, "E", "instead: the number of an edge (default: --lon and --lat)", NULL},
    {"offset-m", KEY_OFFSET_M, "M",
     "metres along the edge, from its first node (required with --edge)", NULL},
    {"heading", KEY_HEADING, "DEG",
     "which way one goes there, on a road that is open both ways: degrees clockwise from north, 0 "
     "to 360 (default: either way)",
     NULL},
    {"metric", KEY_METRIC, "NAME",
     "what is near: 'distance', by the shortest way (default), or 'time', by the quickest",
     "distance time"},
    {"count", 'k', "N", "the N nearest objects, 1 to 1,000 (default 5)", NULL},
    {"radius-m", KEY_RADIUS_M, "M",
     "instead: all objects within M metres by road, up to 100,000 (default: the nearest)", NULL},
    {"radius-s", KEY_RADIUS_S, "S",
     "instead: all objects within S seconds, up to 7,200 (default: the nearest)", NULL},
    {"category", 'c', "NAME",
     "only objects of this category; may be given up to 16 times (default: all)", NULL},
    {"max-snap-m", KEY_MAX_SNAP_M, "M",
     "refuse a position farther than M metres from any road (default: no limit)", NULL},
    SC_OBJECTS_OPTIONS,
    SC_OBJECTS_WATCH_OPTIONS,
    {"area-provider", KEY_AREAS, SC_AREA_OPTION_ARGUMENT,
     "take the objects from a provider that lists what is in a box; the file says how. It is "
     "asked for tiles around the road of the position (default: those of the map)",
     SC_COMPLETE_FILES},
    {"json", KEY_JSON, NULL, "print one JSON object per position", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

// --- Usage ----------------------------------------------------------------------------

static void check_request(const nearest_options *options, const struct argp_state *state)
{
    const bool is_by_time = options->request.metric == SC_METRIC_TIME;
    if (options->has_k && (options->has_metres || options->has_seconds)) {
        sc_usage_error(state,
                       "-k asks for the nearest objects and %s for all within a %s; give one of "
                       "them",
                       options->has_metres ? "--radius-m" : "--radius-s",
                       options->has_metres ? "distance" : "time");
    }
    if (options->has_metres && options->has_seconds) {
        sc_usage_error(state, "a range is in metres or in seconds; give --radius-m or --radius-s");
    }
    if (options->has_metric && options->has_metres && is_by_time) {
        sc_usage_error(state, "a range in metres is by distance; give --radius-s, or leave "
                              "--metric out");
    }
    if (options->has_metric && options->has_seconds && !is_by_time) {
        sc_usage_error(state, "a range in seconds is by time; give --radius-m, or leave "
                              "--metric out");
    }
}

static void check_usage(const nearest_options *options, const struct argp_state *state)
{
    if (options->has_x != options->has_y) {
        sc_usage_error(state, "%s is missing; a position needs both --lon and --lat",
                       options->has_x ? "--lat" : "--lon");
    }
    if (options->has_edge != options->has_offset) {
        sc_usage_error(state, "%s is missing; a place on a road needs both --edge and --offset-m",
                       options->has_edge ? "--offset-m" : "--edge");
    }
    if (options->has_x && options->has_edge) {
        sc_usage_error(state,
                       "give the position either by --lon and --lat or by --edge and --offset-m");
    }
    check_request(options, state);
    if (!isnan(options->heading_deg) && !options->has_x && !options->has_edge) {
        sc_usage_error(state, "--heading is of one position: give --lon and --lat, or --edge and "
                              "--offset-m");
    }
    sc_objects_options_check(state, &options->objects);
    if (options->areas && options->objects.feed.database) {
        sc_usage_error(state, "objects come from --objects or from --area-provider; leave one of "
                              "them out");
    }
}

/** Which objects are asked for; false if `key` is about something else. */
static bool request_option(int key, const char *argument, const struct argp_state *state,
                           nearest_options *options)
{
    const sc_request_limits limits = sc_request_limits_default();
    switch (key) {
    case 'k':
        options->request.k = (uint32_t)sc_value_count(state, "-k", argument, 1, limits.max_k);
        options->has_k = true;
        return true;
    case KEY_RADIUS_M:
        options->request.type = SC_REQUEST_RANGE;
        options->request.radius_m =
            sc_value_number(state, "--radius-m", argument, 0, limits.max_radius_m);
        options->has_metres = true;
        return true;
    case KEY_RADIUS_S:
        options->request.type = SC_REQUEST_RANGE;
        options->request.radius_s =
            sc_value_number(state, "--radius-s", argument, 0, limits.max_radius_s);
        options->has_seconds = true;
        return true;
    case KEY_METRIC:
        options->request.metric = sc_value_metric(state, "--metric", argument);
        options->has_metric = true;
        return true;
    case 'c':
        category_names_add(&options->categories, state, "--category", argument);
        return true;
    default:
        return false;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    nearest_options *options = state->input;
    if (sc_objects_option(key, argument, state, &options->objects)) return 0;
    if (request_option(key, argument, state, options)) return 0;
    switch (key) {
    case KEY_LON:
        options->x = sc_value_number(state, "--lon", argument, -HUGE_VAL, HUGE_VAL);
        options->has_x = true;
        return 0;
    case KEY_LAT:
        options->y = sc_value_number(state, "--lat", argument, -HUGE_VAL, HUGE_VAL);
        options->has_y = true;
        return 0;
    case KEY_EDGE:
        options->edge = (sc_edge_id)sc_value_count(state, "--edge", argument, 0, SC_NONE - 1);
        options->has_edge = true;
        return 0;
    case KEY_OFFSET_M:
        options->offset_m = sc_value_number(state, "--offset-m", argument, 0, HUGE_VAL);
        options->has_offset = true;
        return 0;
    case KEY_HEADING:
        options->heading_deg = sc_value_number(state, "--heading", argument, 0, 360);
        return 0;
    case KEY_MAX_SNAP_M:
        options->max_snap_m = sc_value_number(state, "--max-snap-m", argument, 0, HUGE_VAL);
        return 0;
    case KEY_AREAS:
        options->areas = argument;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_END:
        check_usage(options, state);
        break;
    default:
        break;
    }
    return sc_parse_map(key, argument, state, &options->map);
}

// --- Answers --------------------------------------------------------------------------

/** All that a position needs to be answered. */
typedef struct asking {
    const sc_call *call;
    const nearest_options *options;
    const sc_map *map;
    const sc_opened_objects *opened;
    sc_opened_areas areas;
    sc_reply reply;  ///< of a provider of areas
    sc_lbs *lbs;
} asking;

/** Where the options say, or where x and y fall on the roads. */
static sc_err find_place(const asking *a, double x, double y, sc_snap *where, sc_diag *diag)
{
    const nearest_options *options = a->options;
    if (!options->has_edge) {
        const sc_err err = sc_map_snap(a->map, x, y, options->max_snap_m, where);
        if (!err) return SC_OK;
        return sc_position_explain(err, a->map, options->map, options->max_snap_m, diag);
    }
    if (options->edge >= sc_map_edge_count(a->map)) {
        return sc_explain(diag, SC_EUNKNOWN,
                          "%.400s: there is no edge %" PRIu32
                          "; edges are numbered from 0, and the map has %" PRIu32,
                          options->map, options->edge, sc_map_edge_count(a->map));
    }
    *where = (sc_snap){.edge = options->edge,
                       .segment = sc_map_edges(a->map)[options->edge].segment,
                       .offset_m = options->offset_m};
    return SC_OK;
}

// The objects of a provider of areas that an answer on that road can need: it is told of the road
// and its neighbourhood, as for a cloak of one segment.
static sc_err ask_areas(asking *a, sc_seg_id segment, const sc_objects **objects, sc_diag *diag)
{
    const sc_segment *road = &sc_map_segments(a->map)[segment];
    const sc_star *stars = sc_map_stars(a->map);
    const sc_node_id ends[] = {stars[road->star_a].node,
                               road->star_b == SC_NONE ? SC_NONE : stars[road->star_b].node};
    sc_node_id borders[2];
    size_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        if (ends[i] == SC_NONE || (i == 1 && ends[1] == ends[0])) continue;
        borders[count++] = ends[i];
    }
    if (count == 2 && borders[0] > borders[1]) {
        borders[0] = ends[1];
        borders[1] = ends[0];
    }
    sc_request request = a->options->request;
    if (a->options->has_seconds) request.metric = SC_METRIC_TIME;
    sc_err err = category_names_find(
        &a->options->categories, sc_area_provider_vocabulary(a->areas.provider), &request, diag);
    if (err) return err;
    request = sc_request_normalise(&request);
    const sc_relay relay = {.map_checksum = sc_map_checksum(a->map),
                            .segments = &segment,
                            .segment_count = 1,
                            .border_nodes = borders,
                            .border_node_count = count,
                            .requests = &request,
                            .request_count = 1};
    err = sc_area_asker_ask(a->areas.asker, &relay, NULL, &a->reply, diag);
    if (!err) *objects = sc_area_asker_objects(a->areas.asker);
    return err;
}

// Categories may change with the objects, so they are looked up each time.
static sc_err answer(asking *a, const sc_objects *objects, const sc_snap *where, sc_near_view *view,
                     sc_diag *diag)
{
    if (a->areas.asker) {
        const sc_err err = ask_areas(a, where->segment, &objects, diag);
        if (err) return err;
    }
    sc_request request = a->options->request;
    if (a->options->has_seconds) request.metric = SC_METRIC_TIME;
    *view = (sc_near_view){.map = a->map,
                           .objects = objects,
                           .where = *where,
                           .is_snapped = !a->options->has_edge,
                           .metric = request.metric};
    const sc_err err = category_names_find(&a->options->categories, sc_objects_vocabulary(objects),
                                           &request, diag);
    if (err) return err;
    request = sc_request_normalise(&request);
    const sc_near_query query = {
        {.edge = where->edge,
         .offset_m = where->offset_m,
         .direction = sc_map_edge_direction(a->map, where->edge, a->options->heading_deg)},
        &request};
    return sc_lbs_nearest(a->lbs, objects, &query, &view->results, &view->count, diag);
}

// Nothing was found; what the provider listed all the same may be wrongly described in the file.
static void tell_unused(const asking *a)
{
    if (!a->areas.provider) return;
    const sc_area_status status = sc_area_provider_status(a->areas.provider);
    if (status.outside > 0) {
        sc_call_note(a->call,
                     "note: %" PRIu64 " of the provider's objects lie outside of the boxes that it "
                     "was asked for; if they should not, check axis-order (section [fields])",
                     status.outside);
    }
    if (status.left_out > 0) {
        sc_call_note(a->call,
                     "note: %" PRIu64 " of the provider's objects were left out: they have no "
                     "category that was asked for (section [fields], category, and section "
                     "[categories]), or are far from any road (snap, section [tiles])",
                     status.left_out);
    }
}

static int answer_one(asking *a)
{
    sc_diag diag = {.message = ""};
    sc_snap where;
    sc_near_view view;
    sc_err err = find_place(a, a->options->x, a->options->y, &where, &diag);
    if (!err) err = answer(a, a->opened->objects, &where, &view, &diag);
    if (err) return sc_call_fail(a->call, err, &diag);
    if (a->options->json) {
        sc_near_print_json(stdout, &view);
    } else {
        sc_near_print_text(stdout, &view);
    }
    if (view.count == 0) tell_unused(a);
    return SC_EXIT_OK;
}

/** Answer a line from the current objects, and flush the answer. */
static int answer_line(void *context, uint64_t line, double x, double y)
{
    asking *a = context;
    int status = SC_EXIT_OK;
    sc_diag diag = {.message = ""};
    sc_snap where;
    sc_near_view view;
    sc_objects *current = a->opened->feed ? sc_object_feed_current(a->opened->feed) : NULL;
    sc_err err = find_place(a, x, y, &where, &diag);
    if (!err) err = answer(a, current ? current : a->opened->objects, &where, &view, &diag);
    if (err) status = sc_position_fail(a->call, line, err, diag.message);
    if (!a->options->json) {
        sc_near_print_columns(stdout, line, err ? NULL : &view);
    } else if (err) {
        puts("null");
    } else {
        sc_near_print_json(stdout, &view);
    }
    fflush(stdout);
    sc_objects_release(current);
    return status;
}

static int answer_lines(asking *a)
{
    if (sc_map_coords(a->map) == SC_COORDS_NONE) {
        sc_diag diag;
        sc_position_explain(SC_ENOCOORDS, a->map, a->options->map, HUGE_VAL, &diag);
        return sc_call_fail(a->call, SC_ENOCOORDS, &diag);
    }
    return sc_positions_each(a->call, answer_line, a);
}

static int ask(sc_call *call, const sc_map *map, const nearest_options *options)
{
    sc_diag diag = {.message = ""};
    sc_opened_objects opened = {.objects = NULL};
    const sc_lbs_options how = sc_lbs_options_default();
    asking a = {.call = call, .options = options, .map = map, .opened = &opened};
    sc_err err = SC_OK;
    sc_reply_init(&a.reply);
    if (options->areas) {
        err = sc_areas_open(options->areas, map, &a.areas, &diag);
    } else {
        if (!options->objects.feed.database) err = sc_input_need_objects(map, options->map, &diag);
        if (!err) err = sc_objects_open(call, &options->objects, map, &opened, &diag);
    }
    if (!err) err = sc_lbs_new(map, &how, &a.lbs, &diag);
    int status = SC_EXIT_OK;
    if (err) {
        status = sc_call_fail(call, err, &diag);
    } else if (options->has_x || options->has_edge) {
        status = answer_one(&a);
    } else {
        status = answer_lines(&a);
    }
    sc_lbs_free(a.lbs);
    sc_reply_fini(&a.reply);
    sc_areas_close(&a.areas);
    sc_objects_close(&opened);
    return status;
}

static int run(sc_call *call)
{
    nearest_options options = {.objects = sc_objects_options_default(),
                               .request = {.type = SC_REQUEST_KNN, .k = K_DEFAULT},
                               .heading_deg = (double)NAN,
                               .max_snap_m = HUGE_VAL};
    options.objects.no_index = true;
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    const sc_err err = sc_input_open_map(options.map, NULL, &map, &diag);
    if (err) return sc_call_fail(call, err, &diag);
    const int status = ask(call, map, &options);
    sc_map_free(map);
    return status;
}

static const sc_entry examples[] = {
    {"starcloak nearest sf.scm --lon -122.4194 --lat 37.7749 -k 5 --category hospital",
     "The five nearest hospitals by road."},
    {"starcloak nearest sf.scm --edge 77 --offset-m 31.5 --radius-m 500",
     "All objects within 500 metres of a place on a road."},
    {"starcloak nearest sf.scm --lon -122.4194 --lat 37.7749 --heading 90 --metric time",
     "What one who drives east reaches first."},
    {"starcloak nearest sf.scm --objects postgresql://localhost/city --objects-channel objects",
     "Objects of a database, in their state at the time each position is read."},
    {NULL, NULL},
};

const sc_command sc_cmd_nearest = {
    .name = "nearest",
    .summary = "find the nearest objects by road, exactly and without a cloak",
    .arguments = "FILE.scm [--lon X --lat Y]",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Put a position on the nearest road and search from there for the objects nearest by road, "
        "as one may drive: by distance or by time; or for all within a distance or a time. "
        "The position is not hidden, and no provider is asked: answers obtained through a cloak "
        "must equal these.\nWithout a position, positions are read from standard input, "
        "one per line, longitude and latitude separated by a blank or a comma, and each is "
        "answered at once from the objects that are current at that moment. Each object found "
        "gives one line with ten columns separated by tabs: line of the position, rank, metres "
        "by road, object, category, longitude, latitude, name, seconds and street. A position "
        "without objects in reach gives dashes, as does one that is too far from any road (with "
        "--json: null), for which the exit "
        "status is then 1.",
    .options = options_table,
    .examples = examples,
    .parse = parse,
    .run = run,
};
