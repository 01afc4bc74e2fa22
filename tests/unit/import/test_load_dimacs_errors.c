// The reader of DIMACS graphs: what it says about bad files, word by word: file,
// line, field, value, and what to do.
#include "import/import_internal.h"

#include "support/check.h"
#include "support/texts.h"

static void check_refused(const char *arcs, const char *places, const char *message)
{
    const text_files files = {{{"a.gr", arcs}, {"a.co", places}}};
    check_texts_refused(sc__load_dimacs, &files, &SC_IMPORT_DEFAULTS, SC_EPARSE, message);
}

#define GRAPH_ "p sp 2 2\na 1 2 5\na 2 1 5\n"

static void test_bad_graphs_are_refused_with_line_field_and_value(void **state)
{
    (void)state;
    static const struct {
        const char *arcs;
        const char *message;
    } bad[] = {
        {"", "a.gr: no line 'p sp NODES ARCS' found; is the file empty?"},
        {"c nothing but words\n\n", "a.gr: no line 'p sp NODES ARCS' found; is the file empty?"},
        {"a 1 2 5\n", "a.gr:1: a line 'p sp NODES ARCS' is expected: 'a 1 2 5'"},
        {"p max 2 2\n", "a.gr:1: a line 'p sp NODES ARCS' is expected: 'p max 2 2'"},
        {"p\n", "a.gr:1: a line 'p sp NODES ARCS' is expected: 'p'"},
        {"p sp\n", "a.gr:1: field 'nodes' is missing; a line has the form 'p sp NODES ARCS'"},
        {"p sp 2\n", "a.gr:1: field 'arcs' is missing; a line has the form 'p sp NODES ARCS'"},
        {"p sp 2 2 2\n", "a.gr:1: one field too many: '2'; a line has the form 'p sp NODES ARCS'"},
        {"p sp two 2\n", "a.gr:1: field 'nodes' is not a whole number: 'two'"},
        {"p sp 0 0\n", "a.gr:1: field 'nodes' is outside 1..9223372036854775807: '0'"},
        {"p sp 2 -2\n", "a.gr:1: field 'arcs' is outside 0..9223372036854775807: '-2'"},
        {"p sp 4000000000 2\na 1 2 5\n",
         "a.gr:1: field 'nodes' is too large for a file of 26 bytes: '4000000000'"},
        {"c\np sp 2 0\n", "a.gr: the file has no arcs, so no roads"},
        {"p sp 2 2\np sp 2 2\n", "a.gr:2: a line 'a TAIL HEAD WEIGHT' is expected: 'p sp 2 2'"},
        {"p sp 2 1\narc 1 2 5\n", "a.gr:2: a line 'a TAIL HEAD WEIGHT' is expected: 'arc 1 2 5'"},
        {"p sp 2 1\n1 2 5\n", "a.gr:2: a line 'a TAIL HEAD WEIGHT' is expected: '1 2 5'"},
        {"p sp 2 1\na 1 2\n",
         "a.gr:2: field 'weight' is missing; a line has the form 'a TAIL HEAD WEIGHT'"},
        {"p sp 2 1\na 1\n",
         "a.gr:2: field 'head' is missing; a line has the form 'a TAIL HEAD WEIGHT'"},
        {"p sp 2 1\na 1 2 5 6\n",
         "a.gr:2: one field too many: '6'; a line has the form 'a TAIL HEAD WEIGHT'"},
        {"p sp 2 1\nc\na x 2 5\n", "a.gr:3: field 'tail' is not a whole number: 'x'"},
        {"p sp 2 1\na 3 2 5\n", "a.gr:2: field 'tail' is outside 1..2: '3'"},
        {"p sp 2 1\na 1 0 5\n", "a.gr:2: field 'head' is outside 1..2: '0'"},
        {"p sp 2 1\na 1 4294967297 5\n", "a.gr:2: field 'head' is outside 1..2: '4294967297'"},
        {"p sp 2 1\na 1 2 -5\n", "a.gr:2: field 'weight' is outside 0..9007199254740992: '-5'"},
        {"p sp 2 1\na 1 2 5.5\n", "a.gr:2: field 'weight' is not a whole number: '5.5'"},
        {"p sp 2 1\na 1 2 nan\n", "a.gr:2: field 'weight' is not a whole number: 'nan'"},
        {"p sp 2 1\na 1 2 9007199254740993\n",
         "a.gr:2: field 'weight' is outside 0..9007199254740992: '9007199254740993'"},
        {"p sp 2 1\na 1 2 99999999999999999999\n",
         "a.gr:2: field 'weight' is not a whole number: '99999999999999999999'"},
        {"p sp 2 1\na 1 2 400000000000000\n",
         "a.gr:2: field 'weight' is too long for a road: '400000000000000'"},
        {"p sp 2 2\na 1 2 5\n", "a.gr: 2 arcs announced, 1 found; is the file damaged?"},
        {"p sp 2 1\na 1 2 5\na 2 1 5\n", "a.gr: 1 arcs announced, 2 found; is the file damaged?"},
        // Cut in the middle of a line.
        {"p sp 2 2\na 1 2 5\na 2",
         "a.gr:3: field 'head' is missing; a line has the form 'a TAIL HEAD WEIGHT'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_refused(bad[i].arcs, NULL, bad[i].message);
    }
}

static void test_bad_coordinates_are_refused_with_line_field_and_value(void **state)
{
    (void)state;
    static const struct {
        const char *places;
        const char *message;
    } bad[] = {
        {"", "a.co: no line 'p aux sp co NODES' found; is the file empty?"},
        {"v 1 0 0\n", "a.co:1: a line 'p aux sp co NODES' is expected: 'v 1 0 0'"},
        {"p sp 2 2\n", "a.co:1: a line 'p aux sp co NODES' is expected: 'p sp 2 2'"},
        {"p aux sp co\n",
         "a.co:1: field 'nodes' is missing; a line has the form 'p aux sp co NODES'"},
        {"p aux sp co 2 3\n",
         "a.co:1: one field too many: '3'; a line has the form 'p aux sp co NODES'"},
        {"p aux sp co x\n", "a.co:1: field 'nodes' is not a whole number: 'x'"},
        {"p aux sp co 99999\n",
         "a.co:1: field 'nodes' is too large for a file of 18 bytes: '99999'"},
        {"p aux sp co 2\nv 1 0 0\nv 1 5 5\n", "a.co:3: field 'id' occurs twice: '1'"},
        {"p aux sp co 2\nv 1 0 0\nv 3 5 5\n", "a.co:3: field 'id' is outside 1..2: '3'"},
        {"p aux sp co 2\nv 0 0 0\n", "a.co:2: field 'id' is outside 1..2: '0'"},
        {"p aux sp co 2\nv 1 0\n",
         "a.co:2: field 'latitude' is missing; a line has the form 'v ID LONGITUDE LATITUDE'"},
        {"p aux sp co 2\nv 1 0 0 0\n",
         "a.co:2: one field too many: '0'; a line has the form 'v ID LONGITUDE LATITUDE'"},
        {"p aux sp co 2\nv 1 -69.5 45\n",
         "a.co:2: field 'longitude' is not a whole number: '-69.5'"},
        {"p aux sp co 2\nv 1 180000001 0\n",
         "a.co:2: field 'longitude' is outside -180000000..180000000: '180000001'"},
        {"p aux sp co 2\nv 1 0 -90000001\n",
         "a.co:2: field 'latitude' is outside -90000000..90000000: '-90000001'"},
        {"p aux sp co 2\nw 1 0 0\n",
         "a.co:2: a line 'v ID LONGITUDE LATITUDE' is expected: 'w 1 0 0'"},
        {"p aux sp co 2\nv 2 0 0\n",
         "a.co: node 1 has no coordinates (2 nodes announced, 1 found); add a line 'v' for it"},
        {"p aux sp co 3\nv 2 0 0\nv 1 0 0\nv 3 0 0\n",
         "a.gr:1: field 'nodes' is 2, but a.co has coordinates of 3 nodes"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_refused(GRAPH_, bad[i].places, bad[i].message);
    }
}

static void test_files_that_do_not_make_a_map_together_are_refused(void **state)
{
    (void)state;
    static const char places[] = "p aux sp co 2\nv 1 0 0\nv 2 1 1\n";
    static const struct {
        text_files files;
        const char *message;
    } bad[] = {
        {{{{"a.txt", GRAPH_}}}, "a.txt: unknown kind of file; names must end in .gr or .co"},
        {{{{"a.co", places}}}, "a.co: a coordinate file alone has no roads; add its .gr file"},
        {{{{"a.gr", GRAPH_}, {"b.gr", GRAPH_}, {"c.co", places}}},
         "c.co: no .gr file of the same name is given"},
        {{{{"a.gr", GRAPH_}, {"a.co", places}, {"b.co.xz", places}}},
         "b.co.xz: a second .co file for a.gr, after a.co"},
        {{{{"a.gr", GRAPH_}, {"b.gr", GRAPH_}, {"a.co", places}}},
         "b.gr: another graph has a .co file, but this one has none; give .co files for all graphs "
         "or for none"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_texts_refused(sc__load_dimacs, &bad[i].files, &SC_IMPORT_DEFAULTS, SC_EINVAL,
                            bad[i].message);
    }
}

static void test_a_second_graph_is_judged_like_the_first(void **state)
{
    (void)state;
    const text_files files = {{{"a.gr", GRAPH_}, {"b.gr", "p sp 1 2\na 1 1 0\na 1 2 5\n"}}};
    check_texts_refused(sc__load_dimacs, &files, &SC_IMPORT_DEFAULTS, SC_EPARSE,
                        "b.gr:3: field 'head' is outside 1..1: '2'");
}

#define TIMED_ "p sp 2 2\na 1 2 5\na 2 1 5\n"

static void test_bad_travel_times_are_refused_with_line_and_reason(void **state)
{
    (void)state;
    static const struct {
        const char *times;
        const char *message;
    } bad[] = {
        {"", "a-t.gr: no line 'p sp NODES ARCS' found; is the file empty?"},
        {"a 1 2 5\n", "a-t.gr:1: expected a line 'p sp NODES ARCS': 'a 1 2 5'"},
        {"p sp 3 2\n", "a-t.gr:1: 3 nodes and 2 arcs, but a-d.gr has 2 and 2"},
        {"p sp 2 3\n", "a-t.gr:1: 2 nodes and 3 arcs, but a-d.gr has 2 and 2"},
        {"p sp 2 2\na 1 2 7\n", "a-t.gr: 2 arcs announced, 1 found; is the file damaged?"},
        {"p sp 2 2\na 1 2 7\na 2 1 7\na 1 2 7\n", "a-t.gr:4: one line too many: a-d.gr has 2 arcs"},
        {"p sp 2 2\na 1 2 7\nx\n", "a-t.gr:3: expected a line 'a TAIL HEAD WEIGHT': 'x'"},
        {"p sp 2 2\na 1 2 7\na 2 1 -7\n",
         "a-t.gr:3: field 'weight' is outside 0..9007199254740992: '-7'"},
        {"p sp 2 2\na 1 2 7\na 2 1 9007199254740992\n",
         "a-t.gr:3: field 'weight' is too long a time: '9007199254740992'"},
        {"p sp 2 2\na 1 2 7 8\na 2 1 7\n",
         "a-t.gr:2: one field too many: '8'; a line is 'a TAIL HEAD WEIGHT'"},
        {"p sp 2 2\na 2 1 7\na 1 2 7\n",
         "a-t.gr:2: the arc of a-d.gr at this place goes from 1 to 2, not from 2 to 1; both files "
         "need the same arcs in the same order"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const text_files files = {{{"a-d.gr", TIMED_}, {"a-t.gr", bad[i].times}}};
        check_texts_refused(sc__load_dimacs, &files, &SC_IMPORT_DEFAULTS, SC_EPARSE,
                            bad[i].message);
    }
}

static void test_travel_times_that_fit_no_graph_are_refused(void **state)
{
    (void)state;
    sc_import_options options = SC_IMPORT_DEFAULTS;
    const text_files one_of_two = {{{"a-d.gr", TIMED_}, {"a-t.gr", TIMED_}, {"b-d.gr", TIMED_}}};
    check_texts_refused(sc__load_dimacs, &one_of_two, &options, SC_EINVAL,
                        "b-d.gr: no travel times are given for it, but for another graph; give all "
                        "or none");
    const text_files twice = {{{"a-d.gr", TIMED_}, {"a-t.gr", TIMED_}, {"x/a-t.gr", TIMED_}}};
    check_texts_refused(sc__load_dimacs, &twice, &options, SC_EINVAL,
                        "x/a-t.gr: a second graph of travel times for the same lengths");
    options.times = "t";
    const text_files alone = {{{"t", TIMED_}}};
    check_texts_refused(sc__load_dimacs, &alone, &options, SC_EINVAL,
                        "t: a graph of travel times alone has no lengths; add the .gr file that "
                        "has");
    const text_files two = {{{"a.gr", TIMED_}, {"b.gr", TIMED_}, {"t", TIMED_}}};
    check_texts_refused(sc__load_dimacs, &two, &options, SC_EINVAL,
                        "t: travel times of one graph, but 2 graphs are given; name them as "
                        "USA-road-d.NY.gr and USA-road-t.NY.gr are, and give all as inputs");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bad_graphs_are_refused_with_line_field_and_value),
    cmocka_unit_test(test_bad_coordinates_are_refused_with_line_field_and_value),
    cmocka_unit_test(test_files_that_do_not_make_a_map_together_are_refused),
    cmocka_unit_test(test_a_second_graph_is_judged_like_the_first),
    cmocka_unit_test(test_bad_travel_times_are_refused_with_line_and_reason),
    cmocka_unit_test(test_travel_times_that_fit_no_graph_are_refused),
};
SC_SUITE(tests)
