// Shapefiles for tests. See sheet.h.
#include "support/sheet.h"

#include "import/import_internal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

const sheet_shape sheet_crossing[SHEET_CROSSING_COUNT] = {
    {3, 1, {-122.40, -122.39, -122.38}, {37.7, 37.7, 37.7}, {0}, "S1100"},
    {2, 1, {-122.39, -122.39}, {37.69, 37.7}, {0}, "S1400"},
    {4, 2, {-122.39, -122.39, -122.30, -122.29}, {37.7, 37.71, 37.6, 37.6}, {0, 2}, "S1710"},
};

static uint8_t *take_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    uint8_t *bytes = malloc(65536);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 65536, file);
    assert_true(*size > 0 && *size < 65536);
    fclose(file);
    unlink(path);
    return bytes;
}

static void write_shape(SHPHandle shp, int type, const sheet_shape *s)
{
    SHPObject *object = s->vertex_count == 0
                            ? SHPCreateSimpleObject(SHPT_NULL, 0, NULL, NULL, NULL)
                            : SHPCreateObject(type, -1, s->part_count, s->part_start, NULL,
                                              s->vertex_count, s->x, s->y, s->x, s->y);
    assert_non_null(object);
    assert_true(SHPWriteObject(shp, -1, object) >= 0);
    SHPDestroyObject(object);
}

// What shapelib writes: a folder, the files in it, and their handles.
typedef struct sheet_writer {
    char base[4096];
    char path[4200];
    SHPHandle shp;
    DBFHandle dbf;
} sheet_writer;

static void writer_open(sheet_writer *w, int type)
{
    const char *folder = getenv("TMPDIR");
    snprintf(w->base, sizeof w->base, "%s/starcloak-shp-XXXXXX", folder ? folder : P_tmpdir);
    assert_non_null(mkdtemp(w->base));
    snprintf(w->path, sizeof w->path, "%s/roads.shp", w->base);
    w->shp = SHPCreate(w->path, type);
    w->dbf = DBFCreate(w->path);
    assert_true(w->shp && w->dbf);
}

static sheet writer_take(sheet_writer *w)
{
    SHPClose(w->shp);
    DBFClose(w->dbf);
    sheet made = {0};
    made.shp = take_file(w->path, &made.shp_size);
    snprintf(w->path, sizeof w->path, "%s/roads.dbf", w->base);
    made.dbf = take_file(w->path, &made.dbf_size);
    snprintf(w->path, sizeof w->path, "%s/roads.shx", w->base);
    unlink(w->path);
    snprintf(w->path, sizeof w->path, "%s/roads.cpg", w->base);
    unlink(w->path);
    assert_int_equal(rmdir(w->base), 0);
    return made;
}

// Let shapelib write `count` shapes; the .dbf has the given field and a longer one.
sheet sheet_new(int type, const sheet_shape *shapes, int count, const char *field)
{
    sheet_writer w;
    writer_open(&w, type);
    assert_int_equal(DBFAddField(w.dbf, "FULLNAME", FTString, 20, 0), 0);
    assert_int_equal(DBFAddField(w.dbf, field, FTString, 5, 0), 1);
    for (int i = 0; i < count; i++) {
        write_shape(w.shp, type, &shapes[i]);
        DBFWriteStringAttribute(w.dbf, i, 0, "Main St");
        DBFWriteStringAttribute(w.dbf, i, 1, shapes[i].code ? shapes[i].code : "");
    }
    return writer_take(&w);
}

sheet sheet_new_table(int count, const sheet_field *fields, int field_count)
{
    sheet_writer w;
    writer_open(&w, SHPT_ARC);
    for (int f = 0; f < field_count; f++) {
        assert_int_equal(DBFAddField(w.dbf, fields[f].name, fields[f].type,
                                     fields[f].type == FTString ? 20 : 3, 0),
                         f);
    }
    for (int i = 0; i < count; i++) {
        write_shape(w.shp, SHPT_ARC, &sheet_crossing[i]);
        for (int f = 0; f < field_count; f++) {
            const char *value = fields[f].values[i];
            if (!value) {
                DBFWriteNULLAttribute(w.dbf, i, f);
            } else if (fields[f].type == FTString) {
                DBFWriteStringAttribute(w.dbf, i, f, value);
            } else {
                DBFWriteIntegerAttribute(w.dbf, i, f, (int)strtol(value, NULL, 10));
            }
        }
    }
    return writer_take(&w);
}

void sheet_free(sheet *s)
{
    free(s->shp);
    free(s->dbf);
}

sheet sheet_new_crossing(void)
{
    return sheet_new(SHPT_ARC, sheet_crossing, SHEET_CROSSING_COUNT, "MTFCC");
}

sc_err sheet_load_inputs(const sc_input *inputs, size_t count, const sc_import_options *options,
                         sc_import_report *report, sc_map **map, sc_diag *diag)
{
    const sc_load load = {inputs, count, options, report, diag};
    sc_builder *builder = NULL;
    sc_err err = sc__load_shapefile(&load, &builder);
    if (err) {
        assert_null(builder);
        return err;
    }
    err = sc_builder_finish(builder, HUGE_VAL, NULL, map, NULL, diag);
    sc_builder_free(builder);
    return err;
}

sc_err sheet_load(const sheet *s, bool with_dbf, const sc_import_options *options, sc_map **map,
                  sc_diag *diag)
{
    const sc_input inputs[] = {{"a/roads.shp", s->shp, s->shp_size},
                               {"a/roads.dbf.xz", s->dbf, s->dbf_size}};
    sc_import_report report = {0};
    return sheet_load_inputs(inputs, with_dbf ? 2 : 1, options, &report, map, diag);
}

sc_map *sheet_load_good(const sheet *s, bool with_dbf, const sc_import_options *options)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    if (sheet_load(s, with_dbf, options, &map, &diag)) fail_msg("%s", diag.message);
    if (sc_map_check(map, &diag)) fail_msg("%s", diag.message);
    return map;
}

void sheet_assert_refused(const sheet *s, bool with_dbf, const sc_import_options *options,
                          sc_err expected, const char *message)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    const sc_err err = sheet_load(s, with_dbf, options, &map, &diag);
    if (err != expected || strcmp(diag.message, message) != 0) {
        fail_msg("\n  got  %d %s\n  want %d %s", (int)err, diag.message, (int)expected, message);
    }
    assert_null(map);
}
