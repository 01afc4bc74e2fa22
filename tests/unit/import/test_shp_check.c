// What the shapefile reader says about bad files. They are made by shapelib and
// then damaged byte by byte.
#include "import/shp_check.h"
#include "support/check.h"

#include "support/sheet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_bad_coordinates_are_refused_by_record_part_and_vertex(void **state)
{
    (void)state;
    const struct {
        double x, y;
        const char *message;
    } bad[] = {
        {nan(""), 1, "coordinates that are not finite numbers: nan 1"},
        {1, -HUGE_VAL, "coordinates that are not finite numbers: 1 -inf"},
        {180.5, 1, "not a longitude and latitude: 180.5 1"},
        {1, -90.25, "not a longitude and latitude: 1 -90.25"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sheet_shape shapes[SHEET_CROSSING_COUNT];
        memcpy(shapes, sheet_crossing, sizeof shapes);
        shapes[2].x[3] = bad[i].x;
        shapes[2].y[3] = bad[i].y;
        sheet s = sheet_new(SHPT_ARC, shapes, SHEET_CROSSING_COUNT, "MTFCC");
        char message[256];
        snprintf(message, sizeof message, "a/roads.shp: record 3, part 2, vertex 2: %s",
                 bad[i].message);
        sheet_assert_refused(&s, true, &SC_IMPORT_DEFAULTS, SC_EPARSE, message);
        sheet_free(&s);
    }
}

typedef struct damage {
    char file;  // 's' or 'd'
    size_t at;
    const char *bytes;
    size_t count;
    const char *message;  // without the name of the file
} damage;

static const damage damages[] = {
    {'s', 0, "\x89PNG", 4, "byte 0: not a shapefile: file code 2303741511 instead of 9994"},
    {'s', 28, "\x01", 1, "byte 28: shapefile version 769 instead of 1000"},
    {'s', 27, "\xff", 1,
     "byte 24: the header gives a size of 510 bytes, but the file has 416; is it truncated?"},
    {'s', 32, "\x05", 1,
     "byte 32: shapes of type 5 (Polygon); roads are read from PolyLine, PolyLineZ and PolyLineM"},
    {'s', 32, "\x63", 1,
     "byte 32: shapes of type 99 (unknown); roads are read from PolyLine, PolyLineZ and PolyLineM"},
    {'s', 103, "\x02", 1, "byte 100: record 1: records are not in order, this one has number: 2"},
    {'s', 207, "\x07", 1, "byte 204: record 2: records are not in order, this one has number: 7"},
    {'s', 296, "\xff\xff\xff\xff", 4,
     "byte 296: record 3: the content extends beyond the end of the file, bytes: 8589934590"},
    {'s', 299, "\x01", 1, "byte 296: record 3: too short for a shape, bytes of content: 2"},
    {'s', 299, "\x10", 1, "byte 296: record 3: too short for a line, bytes of content: 32"},
    {'s', 212, "\x0d", 1, "byte 212: record 2: shape type differs from that of the file: 13"},
    {'s', 148, "\xff\xff\xff\xff", 4,
     "byte 144: record 1: 1 parts and 4294967295 vertices need 68719476768 bytes, but the record "
     "has 96"},
    {'s', 144, "\x00", 1, "byte 144: record 1: no part, but vertices: 3"},
    {'s', 152, "\x01", 1, "byte 152: record 1: part 1 does not begin at vertex 0 but at: 1"},
    {'s', 348, "\x09", 1, "byte 344: record 3: part 1 runs from vertex 0 to 9, of 4"},
    {'s', 348, "\x00", 1, "byte 344: record 3: part 1 runs from vertex 0 to 0, of 4"},
    {'s', 348, "\x03", 1, "byte 348: record 3: part 2 has one vertex; a line needs two"},
    {'d', 4, "\x04", 1, "byte 4: 4 records, but the .shp of the same name has 3"},
    {'d', 8, "\x20\x00", 2, "byte 8: header of 32 bytes in a file of 176"},
    {'d', 8, "\xff\xff", 2, "byte 8: header of 65535 bytes in a file of 176"},
    {'d', 10, "\xff", 1,
     "byte 10: 3 records of 255 bytes need 862 bytes, but the file has 176; is it truncated?"},
    {'d', 10, "\x00", 1, "byte 10: records of 0 bytes"},
    {'d', 10, "\x05", 1, "byte 48: the fields go beyond the record of 5 bytes"},
    {'d', 80, "\x06", 1, "byte 80: the fields go beyond the record of 26 bytes"},
};

static void test_damaged_files_are_refused_with_byte_and_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        const damage *d = &damages[i];
        sheet s = sheet_new_crossing();
        assert_int_equal(s.shp_size, 416);
        assert_int_equal(s.dbf_size, 176);
        memcpy((d->file == 'd' ? s.dbf : s.shp) + d->at, d->bytes, d->count);
        char message[256];
        snprintf(message, sizeof message, "%s: %s",
                 d->file == 'd' ? "a/roads.dbf.xz" : "a/roads.shp", d->message);
        sheet_assert_refused(&s, true, &SC_IMPORT_DEFAULTS, SC_EPARSE, message);
        sheet_free(&s);
    }
}

static void test_a_shp_cut_anywhere_is_refused(void **state)
{
    (void)state;
    sheet s = sheet_new_crossing();
    const size_t whole = s.shp_size;
    for (size_t size = 0; size < whole; size++) {
        // Once as it is cut, and once with a header that knows of the cut.
        for (int told = 0; told < 2; told++) {
            s.shp_size = size;
            if (told && size >= 100) {
                s.shp[26] = (uint8_t)(size / 2 >> 8);
                s.shp[27] = (uint8_t)(size / 2);
            }
            // A file that ends between two records is a good one, but for the table.
            const bool at_record = told && (size == 204 || size == 292);
            sc_map *map = NULL;
            sc_diag diag = {""};
            const sc_err err = sheet_load(&s, at_record, &SC_IMPORT_DEFAULTS, &map, &diag);
            assert_int_equal(err, SC_EPARSE);
            assert_null(map);
            assert_non_null(strstr(diag.message, at_record ? "byte 4: 3 records, but" : "shp: "));
        }
        s.shp[26] = 0;
        s.shp[27] = (uint8_t)(whole / 2);
    }
    sheet_free(&s);
}

static void test_a_dbf_cut_anywhere_is_refused(void **state)
{
    (void)state;
    sheet s = sheet_new_crossing();
    // The last byte only marks the end, and not all programs write it.
    const size_t needed = s.dbf_size - 1;
    for (s.dbf_size = 0; s.dbf_size < needed; s.dbf_size++) {
        sc_map *map = NULL;
        sc_diag diag = {""};
        assert_int_equal(sheet_load(&s, true, &SC_IMPORT_DEFAULTS, &map, &diag), SC_EPARSE);
        assert_non_null(strstr(diag.message, "roads.dbf.xz: byte "));
    }
    sc_map_free(sheet_load_good(&s, true, &SC_IMPORT_DEFAULTS));
    sheet_free(&s);
}

static void test_files_without_roads_are_refused(void **state)
{
    (void)state;
    const sheet_shape null = {.code = "S1400"};
    sheet s = sheet_new(SHPT_ARC, &null, 1, "MTFCC");
    sheet_assert_refused(&s, true, &SC_IMPORT_DEFAULTS, SC_EPARSE,
                         "a/roads.shp: no roads found: no line has two different points");
    s.shp_size = 100;
    s.shp[27] = 50;
    sheet_assert_refused(&s, false, &SC_IMPORT_DEFAULTS, SC_EPARSE,
                         "a/roads.shp: the file has no records");
    s.shp_size = 0;
    sheet_assert_refused(&s, false, &SC_IMPORT_DEFAULTS, SC_EPARSE,
                         "a/roads.shp: the file is empty");
    sheet_free(&s);
}

static void test_classes_need_a_table_that_has_them(void **state)
{
    (void)state;
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.classes = "S1100";
    sheet s = sheet_new(SHPT_ARC, sheet_crossing, SHEET_CROSSING_COUNT, "KIND");
    sheet_assert_refused(&s, false, &options, SC_EINVAL,
                         "a/roads.shp: cannot select roads of class 'S1100': there is no .dbf file "
                         "of the same name");
    sheet_assert_refused(
        &s, true, &options, SC_EINVAL,
        "a/roads.dbf.xz: cannot select roads of class 'S1100': the file has no field MTFCC or "
        "fclass");
    sheet_free(&s);

    s = sheet_new_crossing();
    options.classes = "S9999,1100";
    sheet_assert_refused(&s, true, &options, SC_EPARSE,
                         "a/roads.shp: no record has a class among 'S9999,1100'");
    options.classes = " , ";
    sheet_assert_refused(&s, true, &options, SC_EINVAL, "the list of road classes is empty: ' , '");
    sheet_free(&s);
}

static void test_inputs_that_do_not_belong_together_are_refused(void **state)
{
    (void)state;
    sheet s = sheet_new_crossing();
    const sc_input inputs[] = {{"roads.shp", s.shp, s.shp_size}, {"other.dbf", s.dbf, s.dbf_size}};
    sc_import_report report = {0};
    sc_map *map = NULL;
    sc_diag diag = {""};
    assert_int_equal(sheet_load_inputs(inputs, 2, &SC_IMPORT_DEFAULTS, &report, &map, &diag),
                     SC_EINVAL);
    assert_string_equal(
        diag.message,
        "other.dbf: no .shp file of the same name is given; a .dbf file has no roads");
    const sc_input companion = {"roads.shx", s.shp, s.shp_size};
    assert_int_equal(sheet_load_inputs(&companion, 1, &SC_IMPORT_DEFAULTS, &report, &map, &diag),
                     SC_EINVAL);
    assert_string_equal(diag.message, "no .shp file is given; it has the roads");

    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.unit_m = 0.3048;
    sheet_assert_refused(
        &s, true, &options, SC_EINVAL,
        "a/roads.shp: the coordinates are degrees, so a unit of 0.3048 m cannot apply");
    sheet_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bad_coordinates_are_refused_by_record_part_and_vertex),
    cmocka_unit_test(test_damaged_files_are_refused_with_byte_and_value),
    cmocka_unit_test(test_a_shp_cut_anywhere_is_refused),
    cmocka_unit_test(test_a_dbf_cut_anywhere_is_refused),
    cmocka_unit_test(test_files_without_roads_are_refused),
    cmocka_unit_test(test_classes_need_a_table_that_has_them),
    cmocka_unit_test(test_inputs_that_do_not_belong_together_are_refused),
};
SC_SUITE(tests)
