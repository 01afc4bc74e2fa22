/*
 * What `starcloak nearest` found, in three forms, and the table of objects that `starcloak query`
 * prints, too.
 */
#include "nearest_report.h"

#include <inttypes.h>
#include <string.h>

#include "format.h"

/** Widest column of categories and of objects; what is longer pushes the rest aside. */
enum { COLUMN_MAX = 24 };

/** Digits behind the point of a coordinate: about a decimetre on the globe. */
static int position_decimals(bool is_planar)
{
    return is_planar ? 2 : 6;
}

// --- A table of objects -------------------------------------------------------------------------

static void widen(int *width, const char *title, const char *text)
{
    const int columns = sc_text_columns(text);
    if (*width < (int)strlen(title)) *width = (int)strlen(title);
    if (*width < columns) *width = columns < COLUMN_MAX ? columns : COLUMN_MAX;
}

void sc_near_widths_add(sc_near_widths *widths, const sc_near_row *row)
{
    if (row->object) widen(&widths->object, "object", row->object);
    widen(&widths->category, "category", row->category);
    widen(&widths->name, "name", row->name);
    widths->has_streets |= row->street[0] != '\0';
}

void sc_near_put_row(sc_report *table, size_t rank, const sc_near_row *row,
                     const sc_near_widths *widths, const char *unit)
{
    const bool is_planar = row->is_planar;
    const bool has_position = row->has_position;
    const int decimals = position_decimals(is_planar);
    char x[SC_FORMAT_SIZE];
    char y[SC_FORMAT_SIZE];
    snprintf(x, sizeof(x), "%.*f", decimals, row->x);
    snprintf(y, sizeof(y), "%.*f", decimals, row->y);
    const sc_cell cells[] = {
        sc_cell_id("rank", NULL, 4, rank),
        sc_cell_number(unit, NULL, 12, row->distance_m, 2),
        sc_cell_number(row->duration_s == SC_UNKNOWN_S ? NULL : "seconds", NULL, 9, row->duration_s,
                       1),
        sc_cell_text(row->object ? "object" : NULL, NULL, -widths->object, row->object),
        sc_cell_text("category", NULL, -widths->category, row->category),
        sc_cell_text(!has_position ? NULL
                     : is_planar   ? "x"
                                   : "longitude",
                     NULL, 12, x),
        sc_cell_text(!has_position ? NULL
                     : is_planar   ? "y"
                                   : "latitude",
                     NULL, 11, y),
        sc_cell_text("name", NULL, widths->has_streets ? -widths->name : -1,
                     row->name[0] != '\0' ? row->name : "-"),
        sc_cell_text(widths->has_streets ? "street" : NULL, NULL, -1,
                     row->street[0] != '\0' ? row->street : "-"),
    };
    sc_report_cells(table, cells, sizeof(cells) / sizeof(cells[0]));
}

// --- An answer ----------------------------------------------------------------------------------

/** `number` has room for the number of an object that its owner has no name for. */
static sc_near_row row_at(const sc_near_view *view, size_t i, char number[SC_FORMAT_SIZE])
{
    const sc_object_table *table = sc_objects_table(view->objects);
    const sc_near *near = &view->results[i];
    const sc_object *object = &table->objects[near->object];
    snprintf(number, SC_FORMAT_SIZE, "%" PRIu32, near->object);
    sc_near_row row = {
        .distance_m = near->distance_m,
        .duration_s = near->duration_s,
        .object = table->keys ? table->strings + table->keys[near->object] : number,
        .category = sc_objects_vocabulary(view->objects)->names[object->category],
        .name = table->strings + object->name,
        .street = sc_map_segment_name(view->map, sc_map_edges(view->map)[object->edge].segment),
        .has_position = sc_map_coords(view->map) != SC_COORDS_NONE,
        .is_planar = sc_map_coords(view->map) == SC_COORDS_PLANAR,
    };
    if (row.has_position) {
        sc_map_edge_position(view->map, object->edge, object->offset * sc_map_unit_m(view->map),
                             &row.x, &row.y);
    }
    return row;
}

static void put_place(FILE *stream, const sc_near_view *view)
{
    const char *unit = sc_map_is_in_metres(view->map) ? "m" : "units";
    const char *street = sc_map_segment_name(view->map, view->where.segment);
    char number[SC_FORMAT_SIZE];
    if (street[0] != '\0') {
        fputs("you are on ", stream);
        sc_print_text(stream, street);
        fputc('\n', stream);
    }
    fprintf(stream, "edge %" PRIu32 " of segment %" PRIu32 ", %s %s from its first node",
            view->where.edge, view->where.segment,
            sc_format_decimal(number, view->where.offset_m, 2), unit);
    if (view->is_snapped) {
        fprintf(stream, "; %s %s from the position",
                sc_format_decimal(number, view->where.distance_m, 2), unit);
    }
    fputc('\n', stream);
}

void sc_near_print_text(FILE *stream, const sc_near_view *view)
{
    char number[SC_FORMAT_SIZE];
    sc_near_widths widths = {0};
    sc_report table = sc_report_begin(stream, false, 0);
    put_place(stream, view);
    if (view->count == 0) fputs("\nNo such object can be reached.\n", stream);
    for (size_t i = 0; i < view->count; i++) {
        const sc_near_row row = row_at(view, i, number);
        sc_near_widths_add(&widths, &row);
    }
    for (size_t i = 0; i < view->count; i++) {
        const sc_near_row row = row_at(view, i, number);
        sc_near_put_row(&table, i + 1, &row, &widths,
                        sc_map_is_in_metres(view->map) ? "metres" : "units");
    }
}

void sc_near_print_columns(FILE *stream, uint64_t number, const sc_near_view *view)
{
    if (!view || view->count == 0) {
        fprintf(stream, "%" PRIu64 "\t-\t-\t-\t-\t-\t-\t-\t-\t-\n", number);
        return;
    }
    for (size_t i = 0; i < view->count; i++) {
        char text[SC_FORMAT_SIZE];
        const sc_near_row row = row_at(view, i, text);
        const int decimals = position_decimals(row.is_planar) + 1;
        fprintf(stream, "%" PRIu64 "\t%zu\t%.4f\t", number, i + 1, row.distance_m);
        // Tabs and line ends in names are shown as \x09 and \x0a, so columns stay columns.
        sc_print_text(stream, row.object);
        fputc('\t', stream);
        sc_print_text(stream, row.category);
        if (row.has_position) {
            fprintf(stream, "\t%.*f\t%.*f\t", decimals, row.x, decimals, row.y);
        } else {
            fputs("\t-\t-\t", stream);
        }
        sc_print_text(stream, row.name[0] != '\0' ? row.name : "-");
        fprintf(stream, "\t%.3f\t", row.duration_s);
        sc_print_text(stream, row.street[0] != '\0' ? row.street : "-");
        fputc('\n', stream);
    }
}

static void put_json_object(sc_json_writer *json, const sc_near_view *view, size_t i)
{
    char number[SC_FORMAT_SIZE];
    const sc_near_row row = row_at(view, i, number);
    const int decimals = position_decimals(row.is_planar) + 1;
    sc_json_open_object(json, NULL);
    if (row.object == number) sc_json_put_count(json, "poi", view->results[i].object);
    if (row.object != number) sc_json_put_string(json, "poi", row.object);
    sc_json_put_decimals(json, "distance_m", row.distance_m, 6);
    sc_json_put_decimals(json, "duration_s", row.duration_s, 6);
    sc_json_put_string(json, "category", row.category);
    sc_json_put_string(json, "name", row.name);
    sc_json_put_string(json, "street", row.street);
    if (row.has_position) {
        sc_json_put_decimals(json, row.is_planar ? "x" : "lon", row.x, decimals);
        sc_json_put_decimals(json, row.is_planar ? "y" : "lat", row.y, decimals);
    }
    sc_json_close_object(json);
}

void sc_near_print_json(FILE *stream, const sc_near_view *view)
{
    sc_json_writer json = sc_json_writer_of_stream(stream);
    sc_json_open_object(&json, NULL);
    sc_json_put_count(&json, "edge", view->where.edge);
    sc_json_put_count(&json, "segment", view->where.segment);
    sc_json_put_decimals(&json, "offset_m", view->where.offset_m, 4);
    if (view->is_snapped) sc_json_put_decimals(&json, "snap_m", view->where.distance_m, 4);
    sc_json_put_string(&json, "street", sc_map_segment_name(view->map, view->where.segment));
    sc_json_put_string(&json, "metric", sc_metric_name(view->metric));
    sc_json_open_array(&json, "results");
    for (size_t i = 0; i < view->count; i++) {
        put_json_object(&json, view, i);
    }
    sc_json_close_array(&json);
    sc_json_close_object(&json);
    sc_json_put_text(&json, "\n");
}
