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

#include "base/json_write.h"
#include "command.h"
#include "format.h"
#include "inputs.h"
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

/** An answer, and where it was asked for. All borrowed. */
typedef struct near_view {
    const sc_map *map;
    const sc_objects *objects;
    sc_snap where;
    bool is_snapped;  ///< `where` was found from a position, and is so far from it
    const sc_near *results;
    size_t count;
} near_view;

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

// --- Report -------------------------------------------------------------------------------------

/** Widest column of categories and of objects; what is longer pushes the rest aside. */
enum { COLUMN_MAX = 24 };

/** One line of an answer. */
typedef struct row {
    size_t rank;  ///< from 1
    double distance_m;
    const char *key;  ///< how its owner calls it; NULL: by `number`
    uint32_t number;
    const char *category;
    const char *name;
    bool has_position;
    double x;
    double y;
} row;

static row row_at(const near_view *view, size_t i)
{
    const sc_object_table *table = sc_objects_table(view->objects);
    const sc_near *near = &view->results[i];
    const sc_object *object = &table->objects[near->object];
    row r = {.rank = i + 1,
             .distance_m = near->distance_m,
             .key = table->keys ? table->strings + table->keys[near->object] : NULL,
             .number = near->object,
             .category = sc_objects_vocabulary(view->objects)->names[object->category],
             .name = table->strings + object->name,
             .has_position = sc_map_coords(view->map) != SC_COORDS_NONE};
    if (r.has_position) {
        sc_map_edge_position(view->map, object->edge, object->offset * sc_map_unit_m(view->map),
                             &r.x, &r.y);
    }
    return r;
}

/** Digits behind the point of a coordinate: about a decimetre. */
static int position_decimals(const sc_map *map)
{
    return sc_map_coords(map) == SC_COORDS_GEOGRAPHIC ? 6 : 2;
}

// --- For people -------------------------------------------------------------------------

static void put_padded(FILE *stream, const char *text, int width)
{
    sc_print_text(stream, text);
    fprintf(stream, "%*s", width > sc_text_columns(text) ? width - sc_text_columns(text) : 0, "");
}

static const char *object_text(const row *r, char out[SC_FORMAT_SIZE])
{
    if (r->key) return r->key;
    snprintf(out, SC_FORMAT_SIZE, "%" PRIu32, r->number);
    return out;
}

/** The widths that a column needs, at least that of its title. */
static void measure(const near_view *view, int *object_width, int *category_width)
{
    *object_width = 6;
    *category_width = 8;
    for (size_t i = 0; i < view->count; i++) {
        char number[SC_FORMAT_SIZE];
        const row r = row_at(view, i);
        const int object = sc_text_columns(object_text(&r, number));
        const int category = sc_text_columns(r.category);
        if (object > *object_width) *object_width = object < COLUMN_MAX ? object : COLUMN_MAX;
        if (category > *category_width) {
            *category_width = category < COLUMN_MAX ? category : COLUMN_MAX;
        }
    }
}

static void put_place(FILE *stream, const near_view *view, const char *unit)
{
    char number[SC_FORMAT_SIZE];
    fprintf(stream, "edge %" PRIu32 " of segment %" PRIu32 ", %s %s from its first node",
            view->where.edge, view->where.segment,
            sc_format_decimal(number, view->where.offset_m, 2), unit);
    if (view->is_snapped) {
        fprintf(stream, "; %s %s from the position",
                sc_format_decimal(number, view->where.distance_m, 2), unit);
    }
    fputc('\n', stream);
}

static void put_row(FILE *stream, const row *r, int object_width, int category_width, int decimals)
{
    char number[SC_FORMAT_SIZE];
    fprintf(stream, "%4zu %12s  ", r->rank, sc_format_decimal(number, r->distance_m, 2));
    put_padded(stream, object_text(r, number), object_width);
    fputs("  ", stream);
    put_padded(stream, r->category, category_width);
    if (r->has_position) fprintf(stream, " %12.*f %11.*f", decimals, r->x, decimals, r->y);
    fputs("  ", stream);
    sc_print_text(stream, r->name[0] != '\0' ? r->name : "-");
    fputc('\n', stream);
}

/** A table, within 80 columns but for long names. */
static void near_print_text(FILE *stream, const near_view *view)
{
    const bool in_metres = sc_map_is_in_metres(view->map);
    const sc_coords coords = sc_map_coords(view->map);
    put_place(stream, view, in_metres ? "m" : "units");
    if (view->count == 0) {
        fputs("\nNo such object can be reached.\n", stream);
        return;
    }
    int object_width = 0;
    int category_width = 0;
    measure(view, &object_width, &category_width);
    fprintf(stream, "\n%4s %12s  %-*s  %-*s", "rank", in_metres ? "metres" : "units", object_width,
            "object", category_width, "category");
    if (coords != SC_COORDS_NONE) {
        const bool is_planar = coords == SC_COORDS_PLANAR;
        fprintf(stream, " %12s %11s", is_planar ? "x" : "longitude", is_planar ? "y" : "latitude");
    }
    fputs("  name\n", stream);
    for (size_t i = 0; i < view->count; i++) {
        const row r = row_at(view, i);
        put_row(stream, &r, object_width, category_width, position_decimals(view->map));
    }
}

// --- For tools ----------------------------------------------------------------------------

/**
 * A line per object with eight columns, separated by tabs: number of the position, rank, metres,
 * object, category, longitude, latitude, name. Without a result (or without a view) one line with
 * dashes.
 */
static void near_print_columns(FILE *stream, uint64_t number, const near_view *view)
{
    if (!view || view->count == 0) {
        fprintf(stream, "%" PRIu64 "\t-\t-\t-\t-\t-\t-\t-\n", number);
        return;
    }
    const int decimals = position_decimals(view->map) + 1;
    for (size_t i = 0; i < view->count; i++) {
        char text[SC_FORMAT_SIZE];
        const row r = row_at(view, i);
        fprintf(stream, "%" PRIu64 "\t%zu\t%.4f\t", number, r.rank, r.distance_m);
        // Tabs and line ends in names are shown as \x09 and \x0a, so columns stay columns.
        sc_print_text(stream, object_text(&r, text));
        fputc('\t', stream);
        sc_print_text(stream, r.category);
        if (r.has_position) {
            fprintf(stream, "\t%.*f\t%.*f\t", decimals, r.x, decimals, r.y);
        } else {
            fputs("\t-\t-\t", stream);
        }
        sc_print_text(stream, r.name[0] != '\0' ? r.name : "-");
        fputc('\n', stream);
    }
}

// --- For programs -------------------------------------------------------------------------

static void put_json_row(FILE *stream, const row *r, const sc_map *map)
{
    const bool is_planar = sc_map_coords(map) == SC_COORDS_PLANAR;
    fputs("{\"poi\":", stream);
    if (r->key) {
        sc_json_string(stream, r->key);
    } else {
        fprintf(stream, "%" PRIu32, r->number);
    }
    fprintf(stream, ",\"distance_m\":%.6f,\"category\":", r->distance_m);
    sc_json_string(stream, r->category);
    fputs(",\"name\":", stream);
    sc_json_string(stream, r->name);
    if (r->has_position) {
        const int decimals = position_decimals(map) + 1;
        fprintf(stream, ",\"%s\":%.*f,\"%s\":%.*f", is_planar ? "x" : "lon", decimals, r->x,
                is_planar ? "y" : "lat", decimals, r->y);
    }
    fputc('}', stream);
}

/** One JSON object, on one line. */
static void near_print_json(FILE *stream, const near_view *view)
{
    fprintf(stream, "{\"edge\":%" PRIu32 ",\"segment\":%" PRIu32 ",\"offset_m\":%.4f,",
            view->where.edge, view->where.segment, view->where.offset_m);
    if (view->is_snapped) fprintf(stream, "\"snap_m\":%.4f,", view->where.distance_m);
    fputs("\"results\":[", stream);
    for (size_t i = 0; i < view->count; i++) {
        const row r = row_at(view, i);
        if (i > 0) fputc(',', stream);
        put_json_row(stream, &r, view->map);
    }
    fputs("]}\n", stream);
}

// --- The command --------------------------------------------------------------------------------

#define K_DEFAULT 5

typedef struct nearest_options {
    const char *map;
    sc_objects_options objects;
    category_names categories;
    sc_request request;
    bool has_k;
    bool has_radius;
    double x;
    double y;
    bool has_x;
    bool has_y;
    sc_edge_id edge;
    double offset_m;
    bool has_edge;
    bool has_offset;
    double max_snap_m;
    bool json;
} nearest_options;

enum {
    KEY_LON = SC_KEY_FIRST,
    KEY_LAT,
    KEY_EDGE,
    KEY_OFFSET_M,
    KEY_RADIUS_M,
    KEY_MAX_SNAP_M,
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
    {"count", 'k', "N", "the N nearest objects, 1 to 1,000 (default 5)", NULL},
    {"radius-m", KEY_RADIUS_M, "M",
     "instead: all objects within M metres by road, up to 100,000 (default: the nearest)", NULL},
    {"category", 'c', "NAME",
     "only objects of this category; may be given up to 16 times (default: all)", NULL},
    {"max-snap-m", KEY_MAX_SNAP_M, "M",
     "refuse a position farther than M metres from any road (default: no limit)", NULL},
    SC_OBJECTS_OPTIONS,
    SC_OBJECTS_WATCH_OPTIONS,
    {"json", KEY_JSON, NULL, "print one JSON object per position", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

// --- Usage ----------------------------------------------------------------------------

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
    if (options->has_k && options->has_radius) {
        sc_usage_error(state, "-k asks for the nearest objects and --radius-m for all within a "
                              "distance; give one of them");
    }
    sc_objects_options_check(state, &options->objects);
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
        options->has_radius = true;
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
    case KEY_MAX_SNAP_M:
        options->max_snap_m = sc_value_number(state, "--max-snap-m", argument, 0, HUGE_VAL);
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
        snprintf(diag->message, sizeof(diag->message),
                 "%.400s: there is no edge %" PRIu32
                 "; edges are numbered from 0, and the map has %" PRIu32,
                 options->map, options->edge, sc_map_edge_count(a->map));
        return SC_EUNKNOWN;
    }
    *where = (sc_snap){.edge = options->edge,
                       .segment = sc_map_edges(a->map)[options->edge].segment,
                       .offset_m = options->offset_m};
    return SC_OK;
}

// Categories may change with the objects, so they are looked up each time.
static sc_err answer(const asking *a, const sc_objects *objects, const sc_snap *where,
                     near_view *view, sc_diag *diag)
{
    sc_request request = a->options->request;
    *view = (near_view){
        .map = a->map, .objects = objects, .where = *where, .is_snapped = !a->options->has_edge};
    const sc_err err = category_names_find(&a->options->categories, sc_objects_vocabulary(objects),
                                           &request, diag);
    if (err) return err;
    request = sc_request_normalise(&request);
    const sc_near_query query = {{where->edge, where->offset_m}, &request};
    return sc_lbs_nearest(a->lbs, objects, &query, &view->results, &view->count, diag);
}

static int answer_one(const asking *a)
{
    sc_diag diag = {.message = ""};
    sc_snap where;
    near_view view;
    sc_err err = find_place(a, a->options->x, a->options->y, &where, &diag);
    if (!err) err = answer(a, a->opened->objects, &where, &view, &diag);
    if (err) return sc_call_fail(a->call, err, &diag);
    if (a->options->json) {
        near_print_json(stdout, &view);
    } else {
        near_print_text(stdout, &view);
    }
    return SC_EXIT_OK;
}

/** Answer a line from the current objects, and flush the answer. */
static int answer_line(void *context, uint64_t line, double x, double y)
{
    const asking *a = context;
    int status = SC_EXIT_OK;
    sc_diag diag = {.message = ""};
    sc_snap where;
    near_view view;
    sc_objects *current = a->opened->feed ? sc_object_feed_current(a->opened->feed) : NULL;
    sc_err err = find_place(a, x, y, &where, &diag);
    if (!err) err = answer(a, current ? current : a->opened->objects, &where, &view, &diag);
    if (err) status = sc_position_fail(a->call, line, err, diag.message);
    if (!a->options->json) {
        near_print_columns(stdout, line, err ? NULL : &view);
    } else if (err) {
        puts("null");
    } else {
        near_print_json(stdout, &view);
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
    if (!options->objects.feed.database) err = sc_input_need_objects(map, options->map, &diag);
    if (!err) err = sc_objects_open(call, &options->objects, map, &opened, &diag);
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
    sc_objects_close(&opened);
    return status;
}

static int run(sc_call *call)
{
    nearest_options options = {.objects = sc_objects_options_default(),
                               .request = {.type = SC_REQUEST_KNN, .k = K_DEFAULT},
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
        "or for all within a distance. The position is not hidden, and no provider is asked: "
        "answers obtained through a cloak must equal these.\nWithout a position, positions are "
        "read from standard input, one per line, longitude and latitude separated by a blank or a "
        "comma, and each is answered at once from the objects that are current at that moment. "
        "Each object found gives one line with eight columns separated by tabs: line of the "
        "position, rank, metres by road, object, category, longitude, latitude and name. A "
        "position without objects in reach gives dashes, as does one that is too far from any road "
        "(with --json: null), for which the exit status is then 1.",
    .options = options_table,
    .examples = examples,
    .parse = parse,
    .run = run,
};
