/*
 * `map info` for people: sections of aligned numbers, with bars where shares are
 * worth a look. Everything fits into 80 columns and plain ASCII.
 */
#include "info.h"

#include <inttypes.h>
#include <string.h>

#include "format.h"

/** The longest bar. */
#define BAR_SIZE 16

/** Maps from OpenStreetMap have hundreds of categories; the first ones tell most. */
#define CATEGORIES_SHOWN 20

static void put_heading(FILE *stream, const char *title)
{
    fprintf(stream, "\n%s\n", title);
}

static void put_row(FILE *stream, const char *label, uint64_t count, const char *remark)
{
    char number[SC_FORMAT_SIZE];
    fprintf(stream, "  %-24s %13s%s%s\n", label, sc_format_count(number, count),
            remark[0] != '\0' ? "  " : "", remark);
}

static double share_of(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/** A bar that is `value` / `longest` of the whole width; what is there at all shows. */
static void put_bar(FILE *stream, double value, double longest)
{
    int size = longest > 0 ? (int)(value / longest * BAR_SIZE + 0.5) : 0;
    if (value > 0 && size == 0) size = 1;
    for (int i = 0; i < size; i++) {
        fputc('#', stream);
    }
}

static void put_identity(FILE *stream, const sc_info_view *view)
{
    static const char *const kinds[] = {"none: nothing can be snapped to this map",
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

static void put_sizes(FILE *stream, const sc_map *map, const sc_map_info *info)
{
    char remark[96] = "";
    char number[SC_FORMAT_SIZE];
    put_heading(stream, "Size");
    put_row(stream, "nodes", sc_map_node_count(map), "");
    put_row(stream, "edges", sc_map_edge_count(map), "");
    put_row(stream, "segments", sc_map_segment_count(map), "");
    if (info->pseudo_stars > 0) {
        snprintf(remark, sizeof(remark), "%s of them without an intersection",
                 sc_format_count(number, info->pseudo_stars));
    }
    put_row(stream, "stars", sc_map_star_count(map), remark);
    snprintf(remark, sizeof(remark), "in %s categories",
             sc_format_count(number, sc_map_category_count(map)));
    put_row(stream, "objects", sc_map_object_count(map),
            sc_map_category_count(map) > 0 ? remark : "");
    if (sc_map_is_in_metres(map)) {
        fprintf(stream, "  %-24s %13s  km\n", "roads",
                sc_format_decimal(number, info->length_m / 1000, 1));
    } else {
        fprintf(stream, "  %-24s %13s  units\n", "roads",
                sc_format_decimal(number, info->length_m, 1));
    }
}

static void put_index(FILE *stream, const sc_index_info *index)
{
    if (index->k == 0) return;
    char remark[96];
    char number[SC_FORMAT_SIZE];
    const int used = snprintf(remark, sizeof(remark), "lists of %" PRIu32 " per star", index->k);
    if (index->left_out > 0) {
        snprintf(remark + used, sizeof(remark) - (size_t)used, "; %s categories have none",
                 sc_format_count(number, index->left_out));
    }
    put_row(stream, "nearest index", index->list_count, remark);
}

static void put_degrees(FILE *stream, const sc_map_info *info)
{
    uint64_t total = 0;
    uint64_t most = 0;
    for (int i = 0; i < SC_INFO_DEGREES; i++) {
        total += info->degrees[i];
        if (info->degrees[i] > most) most = info->degrees[i];
    }
    fprintf(stream, "\n%-26s %13s %13s\n", "Degrees of nodes", "nodes", "merged");
    for (int i = 0; i < SC_INFO_DEGREES; i++) {
        if (info->degrees[i] == 0 && info->simple.degrees[i] == 0) continue;
        char number[SC_FORMAT_SIZE];
        char merged[SC_FORMAT_SIZE];
        fprintf(
            stream, "  %d%-23s %13s %13s %5.1f %% ", i, i == SC_INFO_DEGREES - 1 ? " or more" : "",
            sc_format_count(number, info->degrees[i]),
            sc_format_count(merged, info->simple.degrees[i]), share_of(info->degrees[i], total));
        put_bar(stream, (double)info->degrees[i], (double)most);
        fputc('\n', stream);
    }
}

static void put_components(FILE *stream, const sc_map *map, const sc_map_info *info)
{
    char remark[48];
    put_heading(stream, "Components");
    put_row(stream, "components", info->components, "");
    snprintf(remark, sizeof(remark), "nodes, %.1f %% of all",
             share_of(info->largest_component, sc_map_node_count(map)));
    put_row(stream, "the largest", info->largest_component, remark);
    put_row(stream, "isolated nodes", info->isolated_nodes, "");
}

/** One row of the counts that both ways of counting have. */
static void put_two(FILE *stream, const char *label, uint64_t kept, uint64_t merged)
{
    char number[SC_FORMAT_SIZE];
    char merged_number[SC_FORMAT_SIZE];
    fprintf(stream, "  %-24s %13s %13s\n", label, sc_format_count(number, kept),
            sc_format_count(merged_number, merged));
}

static void put_segments(FILE *stream, const sc_map *map, const sc_map_info *info)
{
    const sc_simple_counts *simple = &info->simple;
    fprintf(stream, "\n%-26s %13s %13s\n", "Edges and segments", "kept", "merged");
    put_two(stream, "edges", sc_map_edge_count(map), simple->edges);
    put_two(stream, "stars", sc_map_star_count(map), simple->stars);
    put_two(stream, "segments", sc_map_segment_count(map), simple->segments);
    put_two(stream, "  between two stars", info->star_to_star, simple->star_to_star);
    put_two(stream, "  back to their own star", info->back_to_own_star, simple->back_to_own_star);
    put_row(stream, "  dead ends", info->dead_ends, "");
    put_row(stream, "  lone roads", info->lone_roads, "");
    put_two(stream, "rings", info->rings, simple->rings);
    put_two(stream, "pairs joined repeatedly", info->multiple_pairs, simple->multiple_pairs);
    put_two(stream, "edges of longest segment", info->longest_chain, simple->longest_chain);
    put_row(stream, "self-loops", info->self_loops, "");
    put_row(stream, "parallel edges", info->parallel_edges, "");
    put_row(stream, "edges of length 0", info->zero_length_edges, "");
}

static void put_spread_heading(FILE *stream, const char *title)
{
    fprintf(stream, "\n%-26s %9s %9s %9s %9s %9s\n", title, "mean", "10 %", "median", "90 %",
            "max");
}

static void put_spread(FILE *stream, const char *label, const sc_spread *spread)
{
    const double values[] = {spread->mean, spread->p10, spread->median, spread->p90, spread->max};
    fprintf(stream, "  %-24s", label);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char number[SC_FORMAT_SIZE];
        fprintf(stream, " %9s", sc_format_decimal(number, values[i], 1));
    }
    fputc('\n', stream);
}

static void put_spreads(FILE *stream, const sc_map *map, const sc_map_info *info)
{
    put_spread_heading(stream, sc_map_is_in_metres(map) ? "Lengths of segments, m"
                                                        : "Lengths of segments, units");
    put_spread(stream, "segments", &info->segment_length_m);

    put_spread_heading(stream, "Balls: other stars within");
    for (int hops = 1; hops <= SC_INFO_MAX_HOPS; hops++) {
        char label[24];
        snprintf(label, sizeof(label), "%d %s", hops, hops == 1 ? "hop" : "hops");
        put_spread(stream, label, &info->ball[hops]);
    }
    char stars[SC_FORMAT_SIZE];
    char segments[SC_FORMAT_SIZE];
    fprintf(stream, "  measured at %s stars; a ball of %d hops has %s segments on average\n",
            sc_format_count(stars, info->ball_sample), SC_INFO_MAX_HOPS,
            sc_format_decimal(segments, info->ball_segments, 1));
}

static void put_classes(FILE *stream, const sc_map *map, const sc_map_info *info)
{
    double most = 0;
    for (int i = 0; i < SC_ROAD_CLASS_COUNT; i++) {
        if (info->class_length_m[i] > most) most = info->class_length_m[i];
    }
    // A map whose data do not tell classes has one line only, and that says nothing.
    if (info->class_length_m[SC_ROAD_UNKNOWN] >= info->length_m) return;
    const bool in_metres = sc_map_is_in_metres(map);
    put_heading(stream, in_metres ? "Roads by class, km" : "Roads by class, units");
    for (unsigned i = 0; i < SC_ROAD_CLASS_COUNT; i++) {
        const double length = info->class_length_m[i];
        if (!(length > 0)) continue;
        char number[SC_FORMAT_SIZE];
        fprintf(stream, "  %-24s %13s %5.1f %% ", sc_road_class_name(i),
                sc_format_decimal(number, in_metres ? length / 1000 : length, 1),
                100 * length / info->length_m);
        put_bar(stream, length, most);
        fputc('\n', stream);
    }
}

static void put_categories(FILE *stream, const sc_info_view *view)
{
    const uint32_t category_count = sc_map_category_count(view->map);
    if (category_count > 0) put_heading(stream, "Objects by category");
    for (uint32_t i = 0; i < category_count && i < CATEGORIES_SHOWN; i++) {
        const sc_category_count *row = &view->categories[i];
        const char *name = sc_map_category_name(view->map, row->category);
        char number[SC_FORMAT_SIZE];
        fputs("  ", stream);
        sc_print_text(stream, name);
        const int columns = sc_text_columns(name);
        fprintf(stream, "%*s %13s %5.1f %% ", columns < 24 ? 24 - columns : 0, "",
                sc_format_count(number, row->count),
                share_of(row->count, sc_map_object_count(view->map)));
        put_bar(stream, row->count, view->categories[0].count);
        fputc('\n', stream);
    }
    if (category_count > CATEGORIES_SHOWN) {
        char number[SC_FORMAT_SIZE];
        fprintf(stream, "  ... and %s more; --json lists them all\n",
                sc_format_count(number, category_count - CATEGORIES_SHOWN));
    }
}

static void put_bytes(FILE *stream, const sc_map *map, const sc_map_info *info)
{
    const size_t total = sc_map_bytes(map);
    char number[SC_FORMAT_SIZE];
    put_heading(stream, "Bytes");
    for (int i = 0; i < SC_INFO_TABLES; i++) {
        if (!info->table_names[i]) continue;
        fprintf(stream, "  %-24s %13s %5.1f %%\n", info->table_names[i],
                sc_format_count(number, info->table_bytes[i]),
                share_of(info->table_bytes[i], total));
    }
    char remark[64];
    const uint32_t edge_count = sc_map_edge_count(map);
    snprintf(remark, sizeof(remark), "%.1f per edge",
             edge_count > 0 ? (double)total / (double)edge_count : 0);
    put_row(stream, "all", total, remark);
}

void sc_info_print_text(FILE *stream, const sc_info_view *view)
{
    put_identity(stream, view);
    put_sizes(stream, view->map, view->info);
    put_index(stream, &view->index);
    put_degrees(stream, view->info);
    put_components(stream, view->map, view->info);
    put_segments(stream, view->map, view->info);
    put_spreads(stream, view->map, view->info);
    put_classes(stream, view->map, view->info);
    put_categories(stream, view);
    put_bytes(stream, view->map, view->info);
}
