// Answers, printed. See near_report.h.
#include "near_report.h"

#include <inttypes.h>

#include "base/json_write.h"
#include "format.h"

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

static row row_at(const sc_near_view *view, size_t i)
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
static void measure(const sc_near_view *view, int *object_width, int *category_width)
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

static void put_place(FILE *stream, const sc_near_view *view, const char *unit)
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

void sc_near_print_text(FILE *stream, const sc_near_view *view)
{
    const bool in_metres = sc_map_is_in_metres(view->map);
    const sc_coords coords = sc_map_coords(view->map);
    put_place(stream, view, in_metres ? "m" : "units");
    if (view->count == 0) {
        fputs("\nNothing of the kind is within reach.\n", stream);
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

void sc_near_print_columns(FILE *stream, uint64_t number, const sc_near_view *view)
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

void sc_near_print_json(FILE *stream, const sc_near_view *view)
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
