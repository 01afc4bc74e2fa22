/*
 * `starcloak map info`: what a map is like, as text or as JSON.
 *
 * The numbers are the library's (map_info.h), but for the objects of each category, which are
 * counted here, and the nearest index (objects.h).
 */
#include "command.h"

#include <inttypes.h>
#include <stdlib.h>

#include <starcloak/map.h>
#include <starcloak/map_info.h>
#include <starcloak/objects.h>

#include "format.h"
#include "inputs.h"
#include "table.h"

/** Maps from OpenStreetMap have hundreds of categories; the first ones tell most. */
enum { CATEGORIES_SHOWN = 20 };

/** A category and how many objects have it. */
typedef struct category_total {
    sc_category_id category;
    uint32_t count;
} category_total;

/** All that is printed about one map. Everything is borrowed. */
typedef struct info_view {
    const char *path;
    const sc_map *map;
    const sc_map_info *info;
    const category_total *categories;  ///< sc_map_category_count() of them, most frequent first
    sc_index_info index;
} info_view;

// --- Report -------------------------------------------------------------------------------------
//
// Text has sections of aligned numbers within 80 columns, with bars where shares are worth a look.
// JSON has the members first that most people want. Degrees are arrays there: the n-th number
// counts the nodes of degree n, the last one those of that degree or more.

static void put_text_head(FILE *stream, const info_view *view)
{
    static const char *const kinds[] = {"none: positions cannot be snapped to this map",
                                        "longitude and latitude, in degrees", "planar"};
    const sc_map *map = view->map;
    const sc_map_info *info = view->info;
    fprintf(stream, "%s\n  %-12s ", view->path, "made from");
    sc_print_text(stream, sc_map_source(map));
    fprintf(stream, "\n  %-12s %s\n", "coordinates", kinds[sc_map_coords(map)]);
    if (sc_map_coords(map) != SC_COORDS_NONE) {
        fprintf(stream, "  %-12s %.6f to %.6f, %.6f to %.6f\n", "bounds", info->min_x, info->max_x,
                info->min_y, info->max_y);
    }
    fprintf(stream, "  %-12s %s\n", "lengths",
            sc_map_is_in_metres(map) ? "metres" : "units of unknown size");
    fprintf(stream, "  %-12s %016" PRIx64 "\n", "checksum", sc_map_checksum(map));
}

static void put_json_head(sc_report *table, const info_view *view)
{
    static const char *const kinds[] = {"none", "geographic", "planar"};
    const sc_map *map = view->map;
    const sc_map_info *info = view->info;
    const double bounds[] = {info->min_x, info->min_y, info->max_x, info->max_y};
    sc_report_string(table, "file", view->path);
    sc_report_string(table, "source", sc_map_source(map));
    if (sc_report_member(table)) sc_json_put_hex(&table->json, "checksum", sc_map_checksum(map));
    sc_report_string(table, "coords", kinds[sc_map_coords(map)]);
    sc_report_flag(table, "in_metres", sc_map_is_in_metres(map));
    sc_report_number(table, NULL, "unit_m", sc_map_unit_m(map), 0, "");
    if (sc_map_coords(map) == SC_COORDS_NONE || !sc_report_member(table)) return;
    sc_json_open_array(&table->json, "bounds");
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        sc_json_put_rounded(&table->json, NULL, bounds[i], table->digits);
    }
    sc_json_close_array(&table->json);
}

// Directions, speeds and names of the roads.
static void put_travel(sc_report *table, const sc_map *map, const sc_map_info *info)
{
    const bool in_metres = sc_map_is_in_metres(map);
    const double shown = in_metres ? 1000 : 1;
    char share[64];
    snprintf(share, sizeof(share), "%s, %.1f %% of all roads", in_metres ? "km" : "units",
             info->length_m > 0 ? 100 * info->one_way_m / info->length_m : 0);
    sc_report_number(table, "one-way roads", NULL, info->one_way_m / shown, 1, share);
    sc_report_number(table, NULL, "one_way_m", info->one_way_m, 0, "");
    if (in_metres) {
        sc_report_number(table, "top speed", NULL, 3.6 * info->top_speed_m_s, 0, "km/h");
    }
    sc_report_number(table, NULL, "top_speed_m_s", info->top_speed_m_s, 0, "");
    snprintf(share, sizeof(share), "%s, %.1f %% of all roads", in_metres ? "km" : "units",
             info->length_m > 0 ? 100 * info->named_m / info->length_m : 0);
    sc_report_number(table, "roads with a name", NULL, info->named_m / shown, 1, share);
    sc_report_number(table, NULL, "named_m", info->named_m, 0, "");
    if (*info->longest_name == '\0') return;
    snprintf(share, sizeof(share), "%s, %.40s", in_metres ? "km" : "units", info->longest_name);
    sc_report_number(table, "longest road", NULL, info->longest_name_m / shown, 1, share);
    sc_report_string(table, "longest_road", info->longest_name);
    sc_report_number(table, NULL, "longest_road_m", info->longest_name_m, 0, "");
}

static void put_sizes(sc_report *table, const sc_map *map, const sc_map_info *info)
{
    char of_stars[96] = "";
    char of_objects[96] = "";
    char number[SC_FORMAT_SIZE];
    const bool in_metres = sc_map_is_in_metres(map);
    if (info->pseudo_stars > 0) {
        snprintf(of_stars, sizeof(of_stars), "%s of them without an intersection",
                 sc_format_count(number, info->pseudo_stars));
    }
    if (sc_map_category_count(map) > 0) {
        snprintf(of_objects, sizeof(of_objects), "in %s categories",
                 sc_format_count(number, sc_map_category_count(map)));
    }
    sc_report_title(table, "Size");
    sc_report_count(table, "nodes", "nodes", sc_map_node_count(map), "");
    sc_report_count(table, "edges", "edges", sc_map_edge_count(map), "");
    sc_report_count(table, "segments", "segments", sc_map_segment_count(map), "");
    sc_report_count(table, "stars", "stars", sc_map_star_count(map), of_stars);
    sc_report_count(table, NULL, "pseudo_stars", info->pseudo_stars, "");
    sc_report_count(table, "objects", "objects", sc_map_object_count(map), of_objects);
    sc_report_count(table, NULL, "categories", sc_map_category_count(map), "");
    sc_report_count(table, NULL, "bytes", sc_map_bytes(map), "");
    sc_report_number(table, NULL, "length_m", info->length_m, 0, "");
    sc_report_number(table, "roads", NULL, in_metres ? info->length_m / 1000 : info->length_m, 1,
                     in_metres ? "km" : "units");
    put_travel(table, map, info);
}

static void put_index(sc_report *table, const sc_index_info *index)
{
    char remark[96];
    char number[SC_FORMAT_SIZE];
    const int used = snprintf(remark, sizeof(remark), "lists of %" PRIu32 " per star", index->k);
    if (index->left_out > 0) {
        snprintf(remark + used, sizeof(remark) - (size_t)used, "; %s categories have none",
                 sc_format_count(number, index->left_out));
    }
    sc_report_open(table, "index");
    sc_report_count(table, NULL, "k", index->k, "");
    sc_report_count(table, index->k > 0 ? "nearest index" : NULL, "lists", index->list_count,
                    remark);
    sc_report_count(table, NULL, "left_out", index->left_out, "");
    sc_report_count(table, NULL, "index_bytes", index->bytes, "");
    sc_report_close(table);
}

static void put_json_degrees(sc_json_writer *json, const uint64_t degrees[SC_INFO_DEGREES])
{
    sc_json_open_array(json, "degrees");
    for (int i = 0; i < SC_INFO_DEGREES; i++) {
        sc_json_put_count(json, NULL, degrees[i]);
    }
    sc_json_close_array(json);
}

static void put_text_degrees(sc_report *table, const sc_map_info *info)
{
    uint64_t total = 0;
    uint64_t most = 0;
    for (int i = 0; i < SC_INFO_DEGREES; i++) {
        total += info->degrees[i];
        if (info->degrees[i] > most) most = info->degrees[i];
    }
    fprintf(table->stream, "\n%-26s %13s %13s\n", "Degrees of nodes", "nodes", "merged");
    for (int i = 0; i < SC_INFO_DEGREES; i++) {
        if (info->degrees[i] == 0 && info->simple.degrees[i] == 0) continue;
        char number[SC_FORMAT_SIZE];
        char merged[SC_FORMAT_SIZE];
        fprintf(
            table->stream, "  %d%-23s %13s %13s %5.1f %% ", i,
            i == SC_INFO_DEGREES - 1 ? " or more" : "", sc_format_count(number, info->degrees[i]),
            sc_format_count(merged, info->simple.degrees[i]), sc_share(info->degrees[i], total));
        sc_report_bar(table, (double)info->degrees[i], (double)most);
    }
}

static void put_text_components(sc_report *table, const sc_map *map, const sc_map_info *info)
{
    char remark[48];
    snprintf(remark, sizeof(remark), "nodes, %.1f %% of all",
             sc_share(info->largest_component, sc_map_node_count(map)));
    sc_report_title(table, "Components");
    sc_report_count(table, "components", NULL, info->components, "");
    sc_report_count(table, "the largest", NULL, info->largest_component, remark);
    sc_report_count(table, "isolated nodes", NULL, info->isolated_nodes, "");
}

/** Counts as the map has them, and as they are if chains of edges are merged. */
static void put_text_segments(sc_report *table, const sc_map *map, const sc_map_info *info)
{
    static const sc_column columns[] = {{"kept", NULL, 13, SC_COLUMN_NUMBER},
                                        {"merged", NULL, 13, SC_COLUMN_NUMBER},
                                        {NULL, NULL, 0, SC_COLUMN_NUMBER}};
    static const sc_column single[] = {{"kept", NULL, 13, SC_COLUMN_NUMBER},
                                       {NULL, NULL, 0, SC_COLUMN_NUMBER}};
    const sc_simple_counts *simple = &info->simple;
    const struct {
        const char *label;
        uint64_t kept;
        uint64_t merged;
        bool is_single;  ///< there is none if chains are merged
    } rows[] = {
        {"edges", sc_map_edge_count(map), simple->edges, false},
        {"stars", sc_map_star_count(map), simple->stars, false},
        {"segments", sc_map_segment_count(map), simple->segments, false},
        {"  between two stars", info->star_to_star, simple->star_to_star, false},
        {"  back to their own star", info->back_to_own_star, simple->back_to_own_star, false},
        {"  dead ends", info->dead_ends, 0, true},
        {"  lone roads", info->lone_roads, 0, true},
        {"rings", info->rings, simple->rings, false},
        {"pairs joined repeatedly", info->multiple_pairs, simple->multiple_pairs, false},
        {"edges of longest segment", info->longest_chain, simple->longest_chain, false},
        {"self-loops", info->self_loops, 0, true},
        {"parallel edges", info->parallel_edges, 0, true},
        {"edges of length 0", info->zero_length_edges, 0, true},
    };
    sc_report_heading(table, "Edges and segments", columns);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const double values[] = {(double)rows[i].kept, (double)rows[i].merged};
        sc_report_row(table, rows[i].label, NULL, rows[i].is_single ? single : columns, values, 0);
    }
}

static void put_json_graph(sc_report *table, const sc_map_info *info)
{
    if (sc_report_member(table)) put_json_degrees(&table->json, info->degrees);
    sc_report_count(table, NULL, "self_loops", info->self_loops, "");
    sc_report_count(table, NULL, "parallel_edges", info->parallel_edges, "");
    sc_report_count(table, NULL, "zero_length_edges", info->zero_length_edges, "");
    sc_report_count(table, NULL, "components", info->components, "");
    sc_report_count(table, NULL, "isolated_nodes", info->isolated_nodes, "");
    sc_report_count(table, NULL, "largest_component", info->largest_component, "");
    sc_report_count(table, NULL, "rings", info->rings, "");
    sc_report_count(table, NULL, "lone_roads", info->lone_roads, "");
    sc_report_count(table, NULL, "dead_ends", info->dead_ends, "");
    sc_report_count(table, NULL, "star_to_star", info->star_to_star, "");
    sc_report_count(table, NULL, "back_to_own_star", info->back_to_own_star, "");
    sc_report_count(table, NULL, "multiple_pairs", info->multiple_pairs, "");
    sc_report_count(table, NULL, "longest_chain", info->longest_chain, "");
}

static const sc_column spread_columns[] = {
    {"mean", "mean", 9, SC_COLUMN_NUMBER},     {"10 %", "p10", 9, SC_COLUMN_NUMBER},
    {"median", "median", 9, SC_COLUMN_NUMBER}, {"90 %", "p90", 9, SC_COLUMN_NUMBER},
    {"max", "max", 9, SC_COLUMN_NUMBER},       {NULL, NULL, 0, SC_COLUMN_NUMBER},
};

static void put_spread(sc_report *table, const char *label, const char *name,
                       const sc_spread *spread)
{
    const double values[] = {spread->mean, spread->p10, spread->median, spread->p90, spread->max};
    sc_report_row(table, label, name, spread_columns, values, 1);
}

static void put_lengths(sc_report *table, const sc_map *map, const sc_map_info *info)
{
    sc_report_heading(
        table, sc_map_is_in_metres(map) ? "Lengths of segments, m" : "Lengths of segments, units",
        spread_columns);
    put_spread(table, "segments", "segment_length_m", &info->segment_length_m);
}

static void put_text_balls(sc_report *table, const sc_map_info *info)
{
    sc_report_heading(table, "Balls: other stars within", spread_columns);
    for (int hops = 1; hops <= SC_INFO_MAX_HOPS; hops++) {
        char label[24];
        snprintf(label, sizeof(label), "%d %s", hops, hops == 1 ? "hop" : "hops");
        put_spread(table, label, NULL, &info->ball[hops]);
    }
    char stars[SC_FORMAT_SIZE];
    char segments[SC_FORMAT_SIZE];
    fprintf(table->stream, "  measured at %s stars; a ball of %d hops has %s segments on average\n",
            sc_format_count(stars, info->ball_sample), SC_INFO_MAX_HOPS,
            sc_format_decimal(segments, info->ball_segments, 1));
}

static void put_text_classes(sc_report *table, const sc_map *map, const sc_map_info *info)
{
    double most = 0;
    for (int i = 0; i < SC_ROAD_CLASS_COUNT; i++) {
        if (info->class_length_m[i] > most) most = info->class_length_m[i];
    }
    // A map whose data do not tell classes has one line only, and that says nothing.
    if (info->class_length_m[SC_ROAD_UNKNOWN] >= info->length_m) return;
    const bool in_metres = sc_map_is_in_metres(map);
    sc_report_title(table, in_metres ? "Roads by class, km" : "Roads by class, units");
    for (unsigned i = 0; i < SC_ROAD_CLASS_COUNT; i++) {
        const double length = info->class_length_m[i];
        if (!(length > 0)) continue;
        char number[SC_FORMAT_SIZE];
        fprintf(table->stream, "  %-24s %13s %5.1f %% ", sc_road_class_name(i),
                sc_format_decimal(number, in_metres ? length / 1000 : length, 1),
                100 * length / info->length_m);
        sc_report_bar(table, length, most);
    }
}

static void put_json_classes(sc_report *table, const sc_map_info *info)
{
    sc_report_open(table, "class_length_m");
    for (unsigned i = 0; i < SC_ROAD_CLASS_COUNT; i++) {
        sc_report_number(table, NULL, sc_road_class_name(i), info->class_length_m[i], 0, "");
    }
    sc_report_close(table);
}

static void put_json_balls(sc_report *table, const sc_map_info *info)
{
    sc_json_writer *json = &table->json;
    sc_report_count(table, NULL, "ball_sample", info->ball_sample, "");
    sc_report_number(table, NULL, "ball_segments", info->ball_segments, 0, "");
    if (!sc_report_member(table)) return;
    sc_json_open_array(json, "balls");
    for (unsigned hops = 1; hops <= SC_INFO_MAX_HOPS; hops++) {
        const sc_spread *spread = &info->ball[hops];
        sc_report_break_line(table, "    ");
        sc_json_open_object(json, NULL);
        sc_json_put_count(json, "hops", hops);
        sc_json_put_rounded(json, "mean", spread->mean, table->digits);
        sc_json_put_rounded(json, "p10", spread->p10, table->digits);
        sc_json_put_rounded(json, "median", spread->median, table->digits);
        sc_json_put_rounded(json, "p90", spread->p90, table->digits);
        sc_json_put_rounded(json, "max", spread->max, table->digits);
        sc_json_close_object(json);
    }
    sc_json_put_text(json, "\n  ");
    sc_json_close_array(json);
}

/** On one line, so that it can be told from the counts above by its line. */
static void put_json_simple(sc_report *table, const sc_simple_counts *simple)
{
    sc_report_open(table, "simple");
    sc_report_count(table, NULL, "edges", simple->edges, "");
    sc_report_count(table, NULL, "stars", simple->stars, "");
    sc_report_count(table, NULL, "segments", simple->segments, "");
    sc_report_count(table, NULL, "rings", simple->rings, "");
    sc_report_count(table, NULL, "star_to_star", simple->star_to_star, "");
    sc_report_count(table, NULL, "back_to_own_star", simple->back_to_own_star, "");
    sc_report_count(table, NULL, "multiple_pairs", simple->multiple_pairs, "");
    sc_report_count(table, NULL, "longest_chain", simple->longest_chain, "");
    if (table->is_json) put_json_degrees(&table->json, simple->degrees);
    sc_report_close(table);
}

static void put_text_categories(sc_report *table, const info_view *view)
{
    const uint32_t category_count = sc_map_category_count(view->map);
    char number[SC_FORMAT_SIZE];
    if (category_count > 0) sc_report_title(table, "Objects by category");
    for (uint32_t i = 0; i < category_count && i < CATEGORIES_SHOWN; i++) {
        const category_total *row = &view->categories[i];
        const char *name = sc_map_category_name(view->map, row->category);
        fputs("  ", table->stream);
        sc_print_text(table->stream, name);
        const int columns = sc_text_columns(name);
        fprintf(table->stream, "%*s %13s %5.1f %% ", columns < 24 ? 24 - columns : 0, "",
                sc_format_count(number, row->count),
                sc_share(row->count, sc_map_object_count(view->map)));
        sc_report_bar(table, row->count, view->categories[0].count);
    }
    if (category_count > CATEGORIES_SHOWN) {
        fprintf(table->stream, "  ... and %s more; --json lists them all\n",
                sc_format_count(number, category_count - CATEGORIES_SHOWN));
    }
}

static void put_json_categories(sc_report *table, const info_view *view)
{
    sc_json_writer *json = &table->json;
    if (!sc_report_member(table)) return;
    sc_json_open_array(json, "objects_by_category");
    for (uint32_t i = 0; i < sc_map_category_count(view->map); i++) {
        const category_total *row = &view->categories[i];
        sc_report_break_line(table, "    ");
        sc_json_open_object(json, NULL);
        sc_json_put_string(json, "category", sc_map_category_name(view->map, row->category));
        sc_json_put_count(json, "count", row->count);
        sc_json_close_object(json);
    }
    sc_json_put_text(json, "\n  ");
    sc_json_close_array(json);
}

static void put_bytes(sc_report *table, const sc_map *map, const sc_map_info *info)
{
    const size_t total = sc_map_bytes(map);
    const uint32_t edge_count = sc_map_edge_count(map);
    sc_report_title(table, "Bytes");
    sc_report_open(table, "table_bytes");
    for (int i = 0; i < SC_INFO_TABLES; i++) {
        const char *name = info->table_names[i];
        char number[SC_FORMAT_SIZE];
        sc_report_count(table, NULL, name, info->table_bytes[i], "");
        if (table->is_json || !name) continue;
        fprintf(table->stream, "  %-24s %13s %5.1f %%\n", name,
                sc_format_count(number, info->table_bytes[i]),
                sc_share(info->table_bytes[i], total));
    }
    sc_report_close(table);
    char remark[64];
    snprintf(remark, sizeof(remark), "%.1f per edge",
             edge_count > 0 ? (double)total / (double)edge_count : 0);
    sc_report_count(table, "all", NULL, total, remark);
}

static void print_info(FILE *stream, bool is_json, const info_view *view)
{
    const sc_map *map = view->map;
    const sc_map_info *info = view->info;
    if (!is_json) put_text_head(stream, view);
    sc_report table = sc_report_begin(stream, is_json, 24);
    put_json_head(&table, view);
    put_sizes(&table, map, info);
    put_index(&table, &view->index);
    if (is_json) {
        put_json_graph(&table, info);
        put_lengths(&table, map, info);
        put_json_classes(&table, info);
        put_json_balls(&table, info);
        put_json_simple(&table, &info->simple);
        put_json_categories(&table, view);
    } else {
        put_text_degrees(&table, info);
        put_text_components(&table, map, info);
        put_text_segments(&table, map, info);
        put_lengths(&table, map, info);
        put_text_balls(&table, info);
        put_text_classes(&table, map, info);
        put_text_categories(&table, view);
    }
    put_bytes(&table, map, info);
    sc_report_end(&table);
}

// --- The command --------------------------------------------------------------------------------

typedef struct info_options {
    const char *path;
    bool json;
} info_options;

enum { KEY_JSON = SC_KEY_FIRST };

static const sc_option options_table[] = {
    {"json", KEY_JSON, NULL, "print everything as one JSON object", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    info_options *options = state->input;
    switch (key) {
    case KEY_JSON:
        options->json = true;
        return 0;
    default:
        return sc_parse_map(key, argument, state, &options->path);
    }
}

static int most_frequent_first(const void *a, const void *b)
{
    const category_total *left = a;
    const category_total *right = b;
    if (left->count != right->count) return left->count > right->count ? -1 : 1;
    return left->category < right->category ? -1 : left->category > right->category;
}

/** Count the objects of each category, or NULL if memory is out. */
static category_total *count_categories(const sc_map *map)
{
    const uint32_t category_count = sc_map_category_count(map);
    category_total *counts = calloc((size_t)category_count + 1, sizeof(*counts));
    if (!counts) return NULL;
    for (sc_category_id i = 0; i < category_count; i++) {
        counts[i].category = i;
    }
    const sc_object *objects = sc_map_objects(map);
    for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
        counts[objects[i].category].count++;
    }
    qsort(counts, category_count, sizeof(*counts), most_frequent_first);
    return counts;
}

/** What the nearest index of the map holds; objects that make no sense have none. */
static sc_err describe_index(const sc_map *map, sc_index_info *out)
{
    sc_objects *objects = NULL;
    const sc_err err = sc_objects_new_from_map(map, &objects);
    if (!err) *out = sc_objects_index_info(objects);
    sc_objects_release(objects);
    return err == SC_ENOMEM ? err : SC_OK;
}

static int run(sc_call *call)
{
    info_options options = {.path = NULL};
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    sc_err err = sc_input_open_map(options.path, NULL, &map, &diag);
    if (err) return sc_call_fail(call, err, &diag);

    sc_map_info info;
    err = sc_map_describe(map, &info);
    category_total *categories = err ? NULL : count_categories(map);
    if (!err && !categories) err = SC_ENOMEM;
    sc_index_info index = {.k = 0};
    if (!err) err = describe_index(map, &index);
    int status = SC_EXIT_OK;
    if (err) {
        status = sc_call_fail(call, err, NULL);
    } else {
        const info_view view = {.path = options.path,
                                .map = map,
                                .info = &info,
                                .categories = categories,
                                .index = index};
        print_info(stdout, options.json, &view);
    }
    free(categories);
    sc_map_free(map);
    return status;
}

static const sc_entry meanings[] = {
    {"edges", "Straight pieces of road. All edges of the data are kept: roads that return to their "
              "start, and several between the same two nodes."},
    {"segments", "Roads from one junction or dead end to the next, however many edges they have."},
    {"stars", "Junctions of three or more road ends, with the segments that end there; and one for "
              "each component without such a junction."},
    {"merged", "The same map counted as most publications do: self-loops dropped, parallel edges "
               "counted once, rings apart from segments, no star where there is no "
               "intersection."},
    {"balls",
     "How many other stars are within some hops of a star: the area that a cloak can be made of."},
    {"nearest index", "The nearest objects of every star, if 'starcloak map index' has stored "
                      "them: a list for all categories together and lists for some."},
    {NULL, NULL},
};

static const sc_topic topics[] = {{"Meanings", meanings}, {NULL, NULL}};

static const sc_entry examples[] = {
    {"starcloak map info cal.scm", "Describe a map."},
    {"starcloak map info cal.scm --json", "The same for a program."},
    {NULL, NULL},
};

const sc_command sc_cmd_map_info = {
    .name = "info",
    .summary = "describe a map",
    .arguments = "FILE.scm",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Print how large a map is and what it is like: degrees of its nodes, components, lengths "
        "of "
        "segments, stars and the neighbourhoods around them, objects by category, and the bytes of "
        "each table.",
    .options = options_table,
    .topics = topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
