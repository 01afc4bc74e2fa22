// The reader of .cnode, .cedge and calmap.txt: what it says about bad files, word
// by word: file, line, field, value, and what to do.
#include "import/import_internal.h"

#include <starcloak/map_import.h>

#include "support/check.h"
#include "support/place.h"
#include "support/texts.h"

#include <math.h>
#include <stdio.h>

static text_files texts(const char *nodes, const char *edges, const char *objects)
{
    return (text_files){{{"a.cnode", nodes}, {"a.cedge", edges}, {"calmap.txt", objects}}};
}

static void check_refused(const char *nodes, const char *edges, const char *objects,
                          const char *message)
{
    const text_files files = texts(nodes, edges, objects);
    check_texts_refused(sc__load_cnode, &files, &SC_IMPORT_DEFAULTS, SC_EPARSE, message);
}

// --- What bad files are told -----------------------------------------------------------

#define TWO_ "0 1 2\n1 3 4\n"

static void test_bad_node_files_are_refused_with_line_field_and_value(void **state)
{
    (void)state;
    static const struct {
        const char *nodes;
        const char *message;
    } bad[] = {
        {"", "a.cnode: the file has no nodes"},
        {" \n\r\n", "a.cnode: the file has no nodes"},
        {"0 1 2\n1 3\n", "a.cnode:2: field 'y' is missing; a line has the form 'node x y'"},
        {"0 1 2\n1\n", "a.cnode:2: field 'x' is missing; a line has the form 'node x y'"},
        {"0 1 2 9\n", "a.cnode:1: one field too many: '9'; a line has the form 'node x y'"},
        {"0,1,2\n", "a.cnode:1: field 'node' is not a whole number of at least 0: '0,1,2'"},
        {"-1 1 2\n", "a.cnode:1: field 'node' is not a whole number of at least 0: '-1'"},
        {"0.5 1 2\n", "a.cnode:1: field 'node' is not a whole number of at least 0: '0.5'"},
        {"99999999999999999999 1 2\n",
         "a.cnode:1: field 'node' is not a whole number of at least 0: '99999999999999999999'"},
        {"1 1 2\n", "a.cnode:1: field 'node' is 1, expected 0; ids must count up from 0"},
        {"0 1 2\n0 3 4\n", "a.cnode:2: field 'node' is 0, expected 1; ids must count up from 0"},
        {"0 1 2\n4294967296 3 4\n",
         "a.cnode:2: field 'node' is 4294967296, expected 1; ids must count up from 0"},
        {"0 east 2\n", "a.cnode:1: field 'x' is not a number: 'east'"},
        {"0 1 2x\n", "a.cnode:1: field 'y' is not a number: '2x'"},
        {"0 nan 2\n", "a.cnode:1: field 'x' is not a number: 'nan'"},
        {"0 1 -inf\n", "a.cnode:1: field 'y' is not a number: '-inf'"},
        {"0 1e999 2\n", "a.cnode:1: field 'x' is not a number: '1e999'"},
        {"0 0x10 2\n", "a.cnode:1: field 'x' is not a number: '0x10'"},
        {"0 \x1b[2J 2\n", "a.cnode:1: field 'x' is not a number: '\\x1b[2J'"},
        {"0 1 2\n1 181 4\n2 5 6\n", "a.cnode:2: field 'x' is outside -180..180: 181; for a map on "
                                    "a plane give --coords planar"},
        {"0 1 2\n\n1 3 -90.00001\n2 5 6\n", "a.cnode:3: field 'y' is outside -90..90: -90.00001; "
                                            "for a map on a plane give --coords planar"},
        {"0 1000 2000\n1 1 2e12\n2 9000 1\n",
         "a.cnode:2: field 'y' is outside -1e+08..1e+08: 2e+12"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_refused(bad[i].nodes, "0 0 0 1\n", NULL, bad[i].message);
    }
}

static void test_bad_edge_files_are_refused_with_line_field_and_value(void **state)
{
    (void)state;
    static const struct {
        const char *nodes;
        const char *edges;
        const char *message;
    } bad[] = {
        {TWO_, "", "a.cedge: the file has no edges"},
        {NULL, "\n\n", "a.cedge: the file has no edges"},
        {TWO_, "0 0 1 5\n1 1\n",
         "a.cedge:2: field 'to' is missing; a line has the form 'edge from to length'"},
        {TWO_, "0 0 1\n",
         "a.cedge:1: field 'length' is missing; a line has the form 'edge from to length'"},
        {TWO_, "0 0 1 5 6\n",
         "a.cedge:1: one field too many: '6'; a line has the form 'edge from to length'"},
        {TWO_, "e 0 1 5\n", "a.cedge:1: field 'edge' is not a whole number of at least 0: 'e'"},
        {TWO_, "0 a 1 5\n", "a.cedge:1: field 'from' is not a whole number of at least 0: 'a'"},
        {TWO_, "0 0 1.0 5\n", "a.cedge:1: field 'to' is not a whole number of at least 0: '1.0'"},
        {TWO_, "0 0 1 five\n", "a.cedge:1: field 'length' is not a number: 'five'"},
        {TWO_, "0 0 1 NaN\n", "a.cedge:1: field 'length' is not a number: 'NaN'"},
        {TWO_, "0 0 1 inf\n", "a.cedge:1: field 'length' is not a number: 'inf'"},
        {TWO_, "0 0 1 -5\n", "a.cedge:1: field 'length' is negative: '-5'"},
        {NULL, "0 0 1 -1e-300\n", "a.cedge:1: field 'length' is negative: '-1e-300'"},
        {NULL, "0 0 1 4e13\n", "a.cedge:1: field 'length' is too long for a road: 4e+13"},
        {NULL, "0 0 1 1e300\n", "a.cedge:1: field 'length' is too long for a road: 1e+300"},
        {TWO_, "0 0 1 5\n1 2 0 5\n",
         "a.cedge:2: field 'from': node '2' has no coordinates; add it to a.cnode, which has nodes "
         "0 to 1"},
        {TWO_, "0 0 4294967296 5\n",
         "a.cedge:1: field 'to': node '4294967296' has no coordinates; add it to a.cnode, which "
         "has nodes 0 to 1"},
        {NULL, "0 0 4000000000 5\n",
         "a.cedge:1: field 'to' is too large for a file of 17 bytes: '4000000000'; node ids must "
         "count from 0 without gaps"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_refused(bad[i].nodes, bad[i].edges, NULL, bad[i].message);
    }
}

static void test_bad_object_files_are_refused_with_line_field_and_value(void **state)
{
    (void)state;
    static const struct {
        const char *edges;
        const char *objects;
        const char *message;
    } bad[] = {
        {"0 0 1 5\n", "", "calmap.txt: the file has no edges"},
        {NULL, "", "calmap.txt: the file has no edges"},
        {NULL, "0 1 5\n",
         "calmap.txt:1: field 'number-of-objects' is missing; a line has the form 'from to length "
         "number-of-objects'"},
        {NULL, "0 1 2 5.5\n",
         "calmap.txt:1: field 'number-of-objects' is not a whole number of at least 0: '5.5'"},
        {NULL, "0 1 -2 0\n", "calmap.txt:1: field 'length' is negative: '-2'"},
        {NULL, "0 1 2 0 3 1\n",
         "calmap.txt:1: one field too many: '3'; a line has the form 'from to length "
         "number-of-objects'"},
        {NULL, "0 1 2 1\n",
         "calmap.txt:1: the line with the objects of this edge is missing; is the file truncated?"},
        {NULL, "0 1 2 3\n4 1 5 1\n", "calmap.txt:2: 3 objects announced, 2 found"},
        {NULL, "0 1 2 18446744073709551615\n\n",
         "calmap.txt:2: 18446744073709551615 objects announced, 0 found"},
        {NULL, "0 1 2 1\n4\n",
         "calmap.txt:2: field 'distance' is missing; a line has the form 'category distance "
         "category distance ...'"},
        {NULL, "0 1 2 1\n4 1 5 1\n", "calmap.txt:2: more than the 1 objects announced: '5'"},
        {NULL, "0 1 2 1\nbar 1\n",
         "calmap.txt:2: field 'category' is not a whole number of at least 0: 'bar'"},
        {NULL, "0 1 2 1\n4 x\n", "calmap.txt:2: field 'distance' is not a number: 'x'"},
        {NULL, "0 1 2 1\n4 -1\n", "calmap.txt:2: field 'distance' is negative: '-1'"},
        {NULL, "0 1 2 1\n4 2.1\n",
         "calmap.txt:2: field 'distance' is beyond the end of its edge of length 2: '2.1'"},
        {"0 0 1 5\n", "0 1 5 0\n1 0 5 0\n",
         "calmap.txt:2: more edges than in a.cedge; both files must list the same edges"},
        {"0 0 1 5\n1 1 0 6\n", "0 1 5 0\n",
         "calmap.txt: lists 1 edges, a.cedge has 2; is the file truncated?"},
        {"0 0 1 5\n1 1 0 6\n", "0 1 5 0\n0 1 6 0\n",
         "calmap.txt:2: differs from edge 1 of a.cedge, which is 1 0 6; both files must list the "
         "same edges in the same order"},
        {"0 0 1 5\n", "0 1 5.01 0\n",
         "calmap.txt:1: differs from edge 0 of a.cedge, which is 0 1 5; both files must list the "
         "same edges in the same order"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_refused(NULL, bad[i].edges, bad[i].objects, bad[i].message);
    }
}

static void test_files_that_do_not_make_a_map_together_are_refused(void **state)
{
    (void)state;
    static const char text[] = "0 0 1 5\n";
    static const struct {
        text_files files;
        sc_coords coords;
        const char *message;
    } bad[] = {
        {{{{"a.csv", text}}},
         SC_COORDS_NONE,
         "a.csv: unknown kind of file; names must end in .cnode, .cedge or .txt (calmap)"},
        {{{{"a.cnode", text}}},
         SC_COORDS_NONE,
         "a.cnode: a node file alone has no roads; add its .cedge file or calmap.txt"},
        {{{{"a.cedge", text}, {"b.CEDGE.xz", text}}},
         SC_COORDS_NONE,
         "b.CEDGE.xz: a second file of the same kind as a.cedge; give one of each kind"},
        {{{{"a.cedge", text}}},
         SC_COORDS_PLANAR,
         "a.cedge: --coords needs a .cnode file, and none is given"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_import_options options = SC_IMPORT_DEFAULTS;
        options.coords = bad[i].coords;
        check_texts_refused(sc__load_cnode, &bad[i].files, &options, SC_EINVAL, bad[i].message);
    }
}

static void test_an_import_names_the_files_of_a_map_that_cannot_be_finished(void **state)
{
    (void)state;
    const place p = place_new();
    const char *nodes = "0 179.9 0\n1 -179.9 0\n2 -0.1 0\n3 0.1 0\n";
    const char *edges = "0 0 1 1\n1 2 3 1\n";
    char node_path[600];
    snprintf(node_path, sizeof node_path, "%s",
             place_write(&p, "fiji.cnode", nodes, strlen(nodes)));
    const char *paths[] = {node_path, place_write(&p, "fiji.cedge", edges, strlen(edges))};
    sc_map *map = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_map_import(&(sc_import_source){SC_FORMAT_CNODE, paths, 2},
                                     &SC_IMPORT_DEFAULTS, &map, NULL, &diag);
    CHECK_REFUSED(err, SC_EINVAL, &diag,
                  "fiji.cnode and others: the road from -0.1000000,0.0000000 to "
                  "0.1000000,0.0000000 crosses the 0th meridian and others cross the 180th");
    assert_null(map);
    place_free(&p);
}

static void test_units_that_are_none_are_refused(void **state)
{
    (void)state;
    const char *paths[] = {SC_TEST_DATA "/cnode/town.cedge"};
    static const struct {
        double unit_m;
        double max_snap_m;
        const char *message;
    } bad[] = {
        {-1.0, 1000.0, "invalid unit of length: -1 metres; give a positive number"},
        {NOT_A_NUMBER, 1000.0, "invalid unit of length: nan metres; give a positive number"},
        {HUGE_VAL, 1000.0, "invalid unit of length: inf metres; give a positive number"},
        {0.0, -1.0, "invalid distance for snapping objects: -1; give metres, at least 0"},
        {0.0, NOT_A_NUMBER, "invalid distance for snapping objects: nan; give metres, at least 0"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sc_import_options options = SC_IMPORT_DEFAULTS;
        options.unit_m = bad[i].unit_m;
        options.max_object_snap_m = bad[i].max_snap_m;
        sc_map *map = NULL;
        sc_diag diag = {""};
        assert_int_equal(sc_map_import(&(sc_import_source){SC_FORMAT_CNODE, paths, 1}, &options,
                                       &map, NULL, &diag),
                         SC_EINVAL);
        assert_string_equal(diag.message, bad[i].message);
    }
}

static void test_bad_category_names_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {"", "the file has no lines 'cat_name,cat_id'"},
        {"cat_name,cat_id\n", "the file has no lines 'cat_name,cat_id'"},
        {"school\n", ":1: expected 'cat_name,cat_id': 'school'"},
        {"cat_name,cat_id\nschool,x\n",
         ":2: field 'cat_id' is not a whole number in 0..1000000: 'x'"},
        {"school,1000001\n", ":1: field 'cat_id' is not a whole number in 0..1000000: '1000001'"},
        {"school,-1\n", ":1: field 'cat_id' is not a whole number in 0..1000000: '-1'"},
        {"school,\n", ":1: field 'cat_id' is not a whole number in 0..1000000: ''"},
        {",4\n", ":1: field 'cat_name' is empty: ',4'"},
        {"a,4\nb,4\n", ":2: field 'cat_id' occurs twice: '4'"},
        {"a,4\ncat_name,cat_id\n",
         ":2: field 'cat_id' is not a whole number in 0..1000000: 'cat_id'"},
    };
    const place p = place_new();
    const text_files files = texts(NULL, NULL, "0 1 5 1\n4 1\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_case(i);
        sc_import_options options = SC_IMPORT_DEFAULTS;
        options.category_names = place_write(&p, "names.csv", bad[i].text, strlen(bad[i].text));
        sc_map *map = NULL;
        sc_diag diag = {""};
        CHECK_REFUSED(read_texts(sc__load_cnode, &files, &options, &map, NULL, &diag), SC_EPARSE,
                      &diag, bad[i].message);
        CHECK_CONTAINS(diag.message, options.category_names);
    }
    check_case_done();
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.category_names = place_path(&p, "missing.csv");
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(read_texts(sc__load_cnode, &files, &options, &map, NULL, &diag), SC_EIO, &diag,
                  "missing.csv: cannot read");
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_bad_category_names_are_refused),
    cmocka_unit_test(test_bad_node_files_are_refused_with_line_field_and_value),
    cmocka_unit_test(test_bad_edge_files_are_refused_with_line_field_and_value),
    cmocka_unit_test(test_bad_object_files_are_refused_with_line_field_and_value),
    cmocka_unit_test(test_files_that_do_not_make_a_map_together_are_refused),
    cmocka_unit_test(test_an_import_names_the_files_of_a_map_that_cannot_be_finished),
    cmocka_unit_test(test_units_that_are_none_are_refused),
};
SC_SUITE(tests)
