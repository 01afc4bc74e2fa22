// Classes of places: names, and a bit per segment for each of them; in memory, and as tables: CSV
// with a header that names `segment` and `class` (segment_table.h).
#include "map/place_classes_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "map/segment_table.h"

#include <inttypes.h>
#include <string.h>

// --- In memory ----------------------------------------------------------------------------------

struct sc_place_classes {
    uint32_t count;
    char names[SC_PLACE_CLASSES_MAX][SC_PLACE_CLASS_NAME];
    size_t segment_count;
    uint32_t bits[];
};

sc_err sc_place_classes_new(const sc_map *map, sc_place_classes **out)
{
    const size_t count = sc_map_segment_count(map);
    sc_place_classes *classes = sc_calloc(1, sizeof *classes + count * sizeof *classes->bits);
    if (!classes) return SC_ENOMEM;
    classes->segment_count = count;
    *out = classes;
    return SC_OK;
}

void sc_place_classes_free(sc_place_classes *classes)
{
    sc_free(classes);
}

static bool is_name(const char *name)
{
    const size_t size = strlen(name);
    return size > 0 && size < SC_PLACE_CLASS_NAME &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == size;
}

sc_err sc_place_classes_add(sc_place_classes *classes, const char *name, uint32_t *number)
{
    if (!is_name(name)) return SC_EINVAL;
    for (*number = 0; *number < classes->count; (*number)++) {
        if (strcmp(classes->names[*number], name) == 0) return SC_OK;
    }
    if (classes->count == SC_PLACE_CLASSES_MAX) return SC_ELIMIT;
    memcpy(classes->names[classes->count++], name, strlen(name) + 1);
    return SC_OK;
}

void sc_place_classes_mark(sc_place_classes *classes, uint32_t number, sc_seg_id segment)
{
    classes->bits[segment] |= UINT32_C(1) << number;
}

uint32_t sc_place_classes_count(const sc_place_classes *classes)
{
    return classes->count;
}

const char *sc_place_classes_name(const sc_place_classes *classes, uint32_t number)
{
    return classes->names[number];
}

size_t sc_place_classes_segment_count(const sc_place_classes *classes)
{
    return classes->segment_count;
}

const uint32_t *sc_place_classes_bits(const sc_place_classes *classes)
{
    return classes->bits;
}

// --- Tables -------------------------------------------------------------------------------------

enum { COLUMN_SEGMENT, COLUMN_CLASS };

static const char *const column_names[] = {"segment", "class", NULL};

static const sc_segment_table_kind class_table = {.columns = column_names,
                                                  .contents = "a table of classes",
                                                  .name = "a table of classes",
                                                  .doing = "reading classes of places"};

static sc_err look_at_header(const sc_segment_table *t)
{
    if (t->width == 0) {
        return sc__segment_table_fail(
            t, "the file is empty; it must begin with a header segment,class");
    }
    for (size_t i = 0; column_names[i]; i++) {
        if (t->place[i] != SC_SEGMENT_TABLE_NOWHERE) continue;
        return sc__segment_table_fail_line(
            t, i == COLUMN_SEGMENT ? "the header has no column 'segment'; write segment,class"
                                   : "the header has no column 'class'; write segment,class");
    }
    return SC_OK;
}

static sc_err read_class(const sc_segment_table *t, sc_place_classes *classes, uint32_t *number)
{
    char name[SC_PLACE_CLASS_NAME] = "";
    const sc_slice field = t->fields[COLUMN_CLASS];
    if (field.size < sizeof name) memcpy(name, field.text, field.size);
    const sc_err err = sc_place_classes_add(classes, name, number);
    if (err == SC_ELIMIT) {
        return sc__segment_table_fail_field(t, COLUMN_CLASS, "is the 33rd class",
                                            "there may be 32: join classes that are alike");
    }
    if (err || strlen(name) != field.size) {
        return sc__segment_table_fail_field(
            t, COLUMN_CLASS, "is not a name",
            "write 1 to 31 lower-case letters, digits, '-' and '_'");
    }
    return SC_OK;
}

static sc_err read_row(const sc_segment_table *t, sc_place_classes *classes)
{
    sc_seg_id segment = 0;
    uint32_t number = 0;
    sc_err err = sc__segment_table_segment(t, COLUMN_SEGMENT, &segment);
    if (!err) err = read_class(t, classes, &number);
    if (err) return err;
    if (classes->bits[segment] >> number & 1) {
        return sc__segment_table_fail_field(t, COLUMN_SEGMENT,
                                            "names a segment of this class a second time",
                                            "keep one line for it");
    }
    sc_place_classes_mark(classes, number, segment);
    return SC_OK;
}

static sc_err read_rows(sc_segment_table *t, sc_place_classes *classes)
{
    for (;;) {
        bool more = false;
        sc_err err = sc__segment_table_next(t, &more);
        if (!err && !more) break;
        if (!err) err = read_row(t, classes);
        if (err) return err;
    }
    if (classes->count > 0) return SC_OK;
    return sc__segment_table_fail(
        t, "the file has a header but no lines; add a line for each segment of a class");
}

// All but opening the table, which is closed in any case.
static sc_err read_table(sc_segment_table *t, sc_err err, sc_place_classes **out)
{
    sc_place_classes *classes = NULL;
    if (!err) err = look_at_header(t);
    if (!err && sc_place_classes_new(t->map, &classes)) {
        err = sc_fail_memory(t->diag, class_table.doing);
    }
    if (!err) err = read_rows(t, classes);
    sc__segment_table_close(t);
    if (err) {
        sc_place_classes_free(classes);
        return err;
    }
    *out = classes;
    return SC_OK;
}

sc_err sc__place_classes_read_input(const sc_map *map, const sc_input *input,
                                    sc_place_classes **out, sc_diag *diag)
{
    sc_segment_table t = {.map = map, .kind = &class_table};
    return read_table(&t, sc__segment_table_of(&t, input, diag), out);
}

sc_err sc_place_classes_read(const sc_map *map, const char *path, sc_place_classes **out,
                             sc_diag *diag)
{
    sc_segment_table t = {.map = map, .kind = &class_table};
    return read_table(&t, sc__segment_table_open(&t, path, diag), out);
}

sc_err sc_place_classes_write(const sc_map *map, const sc_place_classes *classes, const char *path,
                              sc_diag *diag)
{
    sc_outfile out;
    const sc_err err = sc_outfile_open(path, &out, diag);
    if (err) return err;
    sc__segment_table_write_map(out.stream, map);
    fprintf(out.stream, "%s,%s\n", column_names[COLUMN_SEGMENT], column_names[COLUMN_CLASS]);
    for (uint32_t number = 0; number < classes->count; number++) {
        for (sc_seg_id s = 0; s < classes->segment_count; s++) {
            if (!(classes->bits[s] >> number & 1)) continue;
            fprintf(out.stream, "%" PRIu32 ",%s\n", s, classes->names[number]);
        }
    }
    return sc_outfile_commit(&out, diag);
}
