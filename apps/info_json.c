/*
 * `map info --json`. One member per line, so that line-based tools can pick one;
 * the members in front are those that most people want. Degrees are arrays: the
 * n-th number counts the nodes of degree n, the last one those of that degree or
 * more.
 */
#include "info.h"

#include <inttypes.h>
#include <math.h>

#include "base/json_write.h"

static void put_count(FILE *stream, const char *key, uint64_t value)
{
    fprintf(stream, ",\n  \"%s\": %" PRIu64, key, value);
}

/** JSON knows no infinity. */
static void put_double(FILE *stream, double value)
{
    if (isfinite(value)) {
        fprintf(stream, "%.10g", value);
    } else {
        fputs("null", stream);
    }
}

static void put_number(FILE *stream, const char *key, double value)
{
    fprintf(stream, ",\n  \"%s\": ", key);
    put_double(stream, value);
}

static void put_degrees(FILE *stream, const uint64_t degrees[SC_INFO_DEGREES])
{
    fputs("\"degrees\": [", stream);
    for (int i = 0; i < SC_INFO_DEGREES; i++) {
        fprintf(stream, "%s%" PRIu64, i > 0 ? ", " : "", degrees[i]);
    }
    fputc(']', stream);
}

static void put_spread(FILE *stream, const sc_spread *spread)
{
    const struct {
        const char *key;
        double value;
    } parts[] = {
        {"mean", spread->mean}, {"p10", spread->p10}, {"median", spread->median},
        {"p90", spread->p90},   {"max", spread->max},
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        fprintf(stream, "%s\"%s\": ", i > 0 ? ", " : "", parts[i].key);
        put_double(stream, parts[i].value);
    }
}

static void put_identity(FILE *stream, const sc_info_view *view)
{
    static const char *const kinds[] = {"none", "geographic", "planar"};
    const sc_map *map = view->map;
    fputs("{\n  \"file\": ", stream);
    sc_json_string(stream, view->path);
    fputs(",\n  \"source\": ", stream);
    sc_json_string(stream, sc_map_source(map));
    fprintf(stream, ",\n  \"checksum\": \"%016" PRIx64 "\"", sc_map_checksum(map));
    fprintf(stream, ",\n  \"coords\": \"%s\"", kinds[sc_map_coords(map)]);
    fprintf(stream, ",\n  \"in_metres\": %s", sc_map_is_in_metres(map) ? "true" : "false");
    put_number(stream, "unit_m", sc_map_unit_m(map));
    if (sc_map_coords(map) != SC_COORDS_NONE) {
        fprintf(stream, ",\n  \"bounds\": [%.10g, %.10g, %.10g, %.10g]", view->info->min_x,
                view->info->min_y, view->info->max_x, view->info->max_y);
    }
}

static void put_sizes(FILE *stream, const sc_map *map, const sc_map_info *info)
{
    put_count(stream, "nodes", sc_map_node_count(map));
    put_count(stream, "edges", sc_map_edge_count(map));
    put_count(stream, "segments", sc_map_segment_count(map));
    put_count(stream, "stars", sc_map_star_count(map));
    put_count(stream, "pseudo_stars", info->pseudo_stars);
    put_count(stream, "objects", sc_map_object_count(map));
    put_count(stream, "categories", sc_map_category_count(map));
    put_count(stream, "bytes", sc_map_bytes(map));
    put_number(stream, "length_m", info->length_m);
}

static void put_index(FILE *stream, const sc_index_info *index)
{
    fprintf(stream,
            ",\n  \"index\": {\"k\": %" PRIu32 ", \"lists\": %" PRIu32 ", \"left_out\": %" PRIu32
            ", \"index_bytes\": %zu}",
            index->k, index->list_count, index->left_out, index->bytes);
}

static void put_graph(FILE *stream, const sc_map_info *info)
{
    fputs(",\n  ", stream);
    put_degrees(stream, info->degrees);
    put_count(stream, "self_loops", info->self_loops);
    put_count(stream, "parallel_edges", info->parallel_edges);
    put_count(stream, "zero_length_edges", info->zero_length_edges);
    put_count(stream, "components", info->components);
    put_count(stream, "isolated_nodes", info->isolated_nodes);
    put_count(stream, "largest_component", info->largest_component);
    put_count(stream, "rings", info->rings);
    put_count(stream, "lone_roads", info->lone_roads);
    put_count(stream, "dead_ends", info->dead_ends);
    put_count(stream, "star_to_star", info->star_to_star);
    put_count(stream, "back_to_own_star", info->back_to_own_star);
    put_count(stream, "multiple_pairs", info->multiple_pairs);
    put_count(stream, "longest_chain", info->longest_chain);
    fputs(",\n  \"segment_length_m\": {", stream);
    put_spread(stream, &info->segment_length_m);
    fputc('}', stream);
}

static void put_classes(FILE *stream, const sc_map_info *info)
{
    fputs(",\n  \"class_length_m\": {", stream);
    for (unsigned i = 0; i < SC_ROAD_CLASS_COUNT; i++) {
        fprintf(stream, "%s\"%s\": ", i > 0 ? ", " : "", sc_road_class_name(i));
        put_double(stream, info->class_length_m[i]);
    }
    fputc('}', stream);
}

static void put_balls(FILE *stream, const sc_map_info *info)
{
    put_count(stream, "ball_sample", info->ball_sample);
    put_number(stream, "ball_segments", info->ball_segments);
    fputs(",\n  \"balls\": [", stream);
    for (int hops = 1; hops <= SC_INFO_MAX_HOPS; hops++) {
        fprintf(stream, "%s\n    {\"hops\": %d, ", hops > 1 ? "," : "", hops);
        put_spread(stream, &info->ball[hops]);
        fputc('}', stream);
    }
    fputs("\n  ]", stream);
}

/** On one line, so that it can be told from the counts above by its line. */
static void put_simple(FILE *stream, const sc_simple_counts *simple)
{
    fprintf(stream,
            ",\n  \"simple\": {\"edges\": %" PRIu64 ", \"stars\": %" PRIu64
            ", \"segments\": %" PRIu64 ", \"rings\": %" PRIu64 ", \"star_to_star\": %" PRIu64
            ", \"back_to_own_star\": %" PRIu64 ", \"multiple_pairs\": %" PRIu64
            ", \"longest_chain\": %" PRIu64 ", ",
            simple->edges, simple->stars, simple->segments, simple->rings, simple->star_to_star,
            simple->back_to_own_star, simple->multiple_pairs, simple->longest_chain);
    put_degrees(stream, simple->degrees);
    fputc('}', stream);
}

static void put_categories(FILE *stream, const sc_info_view *view)
{
    fputs(",\n  \"objects_by_category\": [", stream);
    for (uint32_t i = 0; i < sc_map_category_count(view->map); i++) {
        fprintf(stream, "%s\n    {\"category\": ", i > 0 ? "," : "");
        sc_json_string(stream, sc_map_category_name(view->map, view->categories[i].category));
        fprintf(stream, ", \"count\": %" PRIu32 "}", view->categories[i].count);
    }
    fputs("\n  ]", stream);
}

static void put_tables(FILE *stream, const sc_map_info *info)
{
    fputs(",\n  \"table_bytes\": {", stream);
    for (int i = 0; i < SC_INFO_TABLES; i++) {
        fprintf(stream, "%s\"%s\": %zu", i > 0 ? ", " : "", info->table_names[i],
                info->table_bytes[i]);
    }
    fputc('}', stream);
}

void sc_info_print_json(FILE *stream, const sc_info_view *view)
{
    put_identity(stream, view);
    put_sizes(stream, view->map, view->info);
    put_index(stream, &view->index);
    put_graph(stream, view->info);
    put_classes(stream, view->info);
    put_balls(stream, view->info);
    put_simple(stream, &view->info->simple);
    put_categories(stream, view);
    put_tables(stream, view->info);
    fputs("\n}\n", stream);
}
