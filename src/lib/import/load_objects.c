// Extra objects for any map: a CSV file with lon,lat,category[,name].
//
// A first line with names of columns is a header and may have them in any order,
// others among them; without one they are in the order above. Blanks around a
// field do not count. Positions are snapped to the nearest road when the map is
// finished; an object with both coordinates left empty is counted and left out.
#include "import/import_internal.h"

#include "base/alloc.h"
#include "base/text.h"
#include "map/geo.h"

#include <string.h>
#include <strings.h>

enum { COLUMN_X, COLUMN_Y, COLUMN_CATEGORY, COLUMN_NAME, COLUMN_COUNT, MAX_FIELDS = 64 };

/** Which field of a line each column is; -1 for none. */
typedef struct columns {
    int field[COLUMN_COUNT];
    size_t count;  ///< fields that a line may have
} columns;

static bool same_word(sc_slice field, const char *word)
{
    return field.size == strlen(word) && strncasecmp(field.text, word, field.size) == 0;
}

static int column_of(sc_slice title)
{
    static const struct {
        const char *title;
        int column;
    } known[] = {{"lon", COLUMN_X},
                 {"long", COLUMN_X},
                 {"longitude", COLUMN_X},
                 {"x", COLUMN_X},
                 {"lat", COLUMN_Y},
                 {"latitude", COLUMN_Y},
                 {"y", COLUMN_Y},
                 {"name", COLUMN_NAME},
                 {"category", COLUMN_CATEGORY},
                 {"cat_name", COLUMN_CATEGORY},
                 {"cat_id", COLUMN_CATEGORY}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (same_word(title, known[i].title)) return known[i].column;
    }
    return -1;
}

/** One line cut into fields. */
typedef struct fields {
    sc_slice field[MAX_FIELDS];
    size_t count;
    char *buffer;  ///< where unquoted text goes
    size_t capacity;
} fields;

static sc_err cut_line(const sc_lines *lines, sc_slice line, fields *out, sc_diag *diag)
{
    if (line.size > out->capacity) {
        char *moved = sc_realloc(out->buffer, line.size);
        if (!moved) return sc_fail_memory(diag, "reading objects");
        out->buffer = moved;
        out->capacity = line.size;
    }
    bool more = true;
    bool broken = false;
    char *buffer = out->buffer;
    sc_slice field;
    out->count = 0;
    while (sc_slice_csv_field(&line, buffer, &field, &more, &broken)) {
        if (field.text == buffer) buffer += field.size;
        if (out->count == MAX_FIELDS) {
            return sc_fail(diag, SC_EPARSE, "%s:%llu: more than %d fields", lines->input->name,
                           (unsigned long long)lines->line, (int)MAX_FIELDS);
        }
        out->field[out->count++] = sc_slice_trim(field);
    }
    if (!broken) return SC_OK;
    return sc_fail(diag, SC_EPARSE,
                   "%s:%llu: field %zu begins with a quote and does not end with one",
                   lines->input->name, (unsigned long long)lines->line, out->count + 1);
}

// A header names a column, and does not begin with a position.
static bool is_header(const fields *f)
{
    double number = 0.0;
    if (f->count >= 2 && sc_slice_double(f->field[0], &number) &&
        sc_slice_double(f->field[1], &number)) {
        return false;
    }
    for (size_t i = 0; i < f->count; i++) {
        if (column_of(f->field[i]) >= 0) return true;
    }
    return false;
}

static sc_err read_header(const sc_lines *lines, const fields *f, columns *out, sc_diag *diag)
{
    columns found = {.field = {-1, -1, -1, -1}, .count = f->count};
    for (size_t i = 0; i < f->count; i++) {
        const int column = column_of(f->field[i]);
        if (column >= 0 && found.field[column] < 0) found.field[column] = (int)i;
    }
    static const char *const titles[] = {"lon", "lat", "category"};
    for (size_t column = 0; column < sizeof titles / sizeof *titles; column++) {
        if (found.field[column] >= 0) continue;
        return sc_fail(diag, SC_EPARSE, "%s:%llu: the header has no column '%s'",
                       lines->input->name, (unsigned long long)lines->line, titles[column]);
    }
    *out = found;
    return SC_OK;
}

static sc_err pick(const sc_lines *lines, const fields *f, const columns *c, int column,
                   const char *name, sc_diag *diag, sc_slice *out)
{
    const int at = c->field[column];
    if (at < 0 || (size_t)at >= f->count) {
        return sc_fail(
            diag, SC_EPARSE,
            "%s:%llu: field '%s' is missing; a line has the form lon,lat,category[,name]",
            lines->input->name, (unsigned long long)lines->line, name);
    }
    *out = f->field[at];
    return SC_OK;
}

static sc_err pick_number(const sc_lines *lines, const fields *f, const columns *c, int column,
                          const char *name, sc_diag *diag, double *out)
{
    sc_slice text = {0};
    const sc_err err = pick(lines, f, c, column, name, diag, &text);
    if (err) return err;
    if (sc_slice_double(text, out)) return SC_OK;
    return sc_fail(diag, SC_EPARSE, "%s:%llu: field '%s' is not a number: %s", lines->input->name,
                   (unsigned long long)lines->line, name, sc_quote(text.text, text.size).text);
}

static sc_err fail_position(const sc_lines *lines, const sc_builder *builder, double x, double y,
                            sc_diag *diag)
{
    const bool bad_lon = !sc_geo_valid(sc_builder_coords(builder), x, 0.0);
    const double limit = sc_builder_coords(builder) == SC_COORDS_PLANAR ? SC_PLANE_MAX
                         : bad_lon                                      ? 180
                                                                        : 90;
    return sc_fail(diag, SC_EPARSE, "%s:%llu: field '%s' is outside %g..%g: %.10g",
                   lines->input->name, (unsigned long long)lines->line, bad_lon ? "lon" : "lat",
                   -limit, limit, bad_lon ? x : y);
}

static sc_err add_line(const sc_lines *lines, const fields *f, const columns *c,
                       sc_builder *builder, sc_diag *diag)
{
    double x = 0.0;
    double y = 0.0;
    sc_slice category = {0};
    sc_err err = pick_number(lines, f, c, COLUMN_X, "lon", diag, &x);
    if (!err) err = pick_number(lines, f, c, COLUMN_Y, "lat", diag, &y);
    if (!err) err = pick(lines, f, c, COLUMN_CATEGORY, "category", diag, &category);
    if (err) return err;
    if (category.size == 0) return sc_lines_fail_line(lines, diag, "field 'category' is empty");
    if (f->count > c->count) {
        return sc_fail(diag, SC_EPARSE,
                       "%s:%llu: one field too many: %s; put a name with a comma in double quotes",
                       lines->input->name, (unsigned long long)lines->line,
                       sc_quote(f->field[c->count].text, f->field[c->count].size).text);
    }

    sc_slice name = {"", 0};
    const int name_at = c->field[COLUMN_NAME];
    if (name_at >= 0 && (size_t)name_at < f->count) name = f->field[name_at];
    sc_category_id id = 0;
    err = sc_builder_add_category(builder, category.text, category.size, &id);
    if (!err) err = sc_builder_add_object_at(builder, x, y, id, name.text, name.size);
    if (err == SC_EINVAL) return fail_position(lines, builder, x, y, diag);
    if (err == SC_ENOCOORDS) {
        return sc_fail(diag, SC_EINVAL,
                       "%s: the map has no coordinates, so objects cannot be placed on it",
                       lines->input->name);
    }
    if (err == SC_ELIMIT) {
        sc_lines_fail_line(lines, diag, "more objects or texts than one map can hold");
        return err;
    }
    return err ? sc_fail_memory(diag, "reading objects") : SC_OK;
}

// Published lists have lines with a category and two empty coordinates.
static bool has_no_place(const fields *f, const columns *c)
{
    const size_t x = (size_t)c->field[COLUMN_X];
    const size_t y = (size_t)c->field[COLUMN_Y];
    return f->count >= 3 && x < f->count && y < f->count && f->field[x].size == 0 &&
           f->field[y].size == 0;
}

sc_err sc__load_objects(const sc_input *input, sc_builder *builder, sc_import_report *report,
                        sc_diag *diag)
{
    sc_lines lines = sc_lines_of(input);
    columns where = {.field = {COLUMN_X, COLUMN_Y, COLUMN_CATEGORY, COLUMN_NAME},
                     .count = COLUMN_COUNT};
    fields f = {.count = 0};
    bool is_first = true;
    sc_slice line;
    sc_err err = SC_OK;
    while (!err && sc_lines_next(&lines, &line)) {
        if (sc_slice_trim(line).size == 0) continue;
        err = cut_line(&lines, line, &f, diag);
        if (err) break;
        if (is_first && is_header(&f)) {
            err = read_header(&lines, &f, &where, diag);
        } else if (has_no_place(&f, &where)) {
            report->objects_without_place++;
        } else {
            err = add_line(&lines, &f, &where, builder, diag);
        }
        is_first = false;
    }
    sc_free(f.buffer);
    if (err) return err;
    if (is_first) {
        return sc_fail(diag, SC_EPARSE, "%s: the file has no lines lon,lat,category[,name]",
                       input->name);
    }
    return SC_OK;
}
