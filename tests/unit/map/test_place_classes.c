// Classes of places: in memory, and as tables that read back; what is said about bad ones, word by
// word.
#include "map/place_classes_internal.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/place.h"
#include "support/sketch.h"

#include <inttypes.h>
#include <stdio.h>

enum { SEGMENTS = 4 };

static sc_err read_text(const char *text, size_t size, sc_place_classes **out, sc_diag *diag)
{
    uint8_t *copy = test_take(size, 1);  // of exactly that size: reading beyond is seen
    memcpy(copy, text, size);
    const sc_input input = {"c.csv", copy, size};
    sc_map *map = crossroads_map();
    const sc_err err = sc__place_classes_read_input(map, &input, out, diag);
    sc_map_free(map);
    free(copy);
    return err;
}

static void test_classes_are_numbered_as_they_come(void **state)
{
    (void)state;
    sc_map *map = crossroads_map();
    sc_place_classes *classes = NULL;
    uint32_t number = 9;
    assert_int_equal(sc_place_classes_new(map, &classes), SC_OK);
    assert_int_equal(sc_place_classes_segment_count(classes), SEGMENTS);
    assert_int_equal(sc_place_classes_add(classes, "clinic", &number), SC_OK);
    assert_int_equal(number, 0);
    assert_int_equal(sc_place_classes_add(classes, "place-of_worship2", &number), SC_OK);
    assert_int_equal(number, 1);
    sc_place_classes_mark(classes, number, 3);
    assert_int_equal(sc_place_classes_add(classes, "clinic", &number), SC_OK);
    assert_int_equal(number, 0);
    sc_place_classes_mark(classes, number, 3);
    sc_place_classes_mark(classes, number, 1);
    assert_int_equal(sc_place_classes_count(classes), 2);
    assert_string_equal(sc_place_classes_name(classes, 1), "place-of_worship2");
    const uint32_t *bits = sc_place_classes_bits(classes);
    const uint32_t wanted[SEGMENTS] = {0, 1, 0, 3};
    assert_memory_equal(bits, wanted, sizeof wanted);

    static const char *const no_names[] = {"", "Clinic", "a b", "caf\xc3\xa9",
                                           "a-name-of-thirty-two-characters-"};
    for (size_t i = 0; i < sizeof no_names / sizeof *no_names; i++) {
        assert_int_equal(sc_place_classes_add(classes, no_names[i], &number), SC_EINVAL);
    }
    for (int i = 2; i <= SC_PLACE_CLASSES_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        assert_int_equal(sc_place_classes_add(classes, name, &number),
                         i < SC_PLACE_CLASSES_MAX ? SC_OK : SC_ELIMIT);
    }
    sc_place_classes_free(classes);
    sc_map_free(map);
}

static void test_a_table_may_look_otherwise(void **state)
{
    (void)state;
    static const char *const same[] = {
        "segment,class\n1,clinic\n3,clinic\n3,shelter\n",
        "\xef\xbb\xbf class, Segment\r\nclinic,3\r\nclinic, 1\r\n\r\n# next\r\nshelter,3",
        "name,segment,class\n\"St. Mary, old\",1,clinic\n,3,\"clinic\"\n,3, shelter \n",
    };
    const uint32_t wanted[SEGMENTS] = {0, 1, 0, 3};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        check_case(i);
        sc_place_classes *classes = NULL;
        sc_diag diag = {""};
        CHECK_OK(read_text(same[i], strlen(same[i]), &classes, &diag), &diag);
        assert_int_equal(sc_place_classes_count(classes), 2);
        assert_string_equal(sc_place_classes_name(classes, 0), "clinic");
        assert_string_equal(sc_place_classes_name(classes, 1), "shelter");
        assert_memory_equal(sc_place_classes_bits(classes), wanted, sizeof wanted);
        sc_place_classes_free(classes);
    }
    check_case_done();
}

static void test_any_classes_that_are_written_read_back(void **state)
{
    (void)state;
    const place p = place_new();
    const char *path = place_path(&p, "c.csv");
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        sketch_free(&s);
        const uint32_t count = sc_map_segment_count(map);
        sc_place_classes *made = NULL;
        sc_place_classes *read = NULL;
        sc_diag diag = {""};
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        assert_int_equal(sc_place_classes_new(map, &made), SC_OK);
        for (uint32_t c = 0; count > 0 && c < 5; c++) {
            char name[SC_PLACE_CLASS_NAME];
            uint32_t number = 0;
            snprintf(name, sizeof name, "class-%" PRIu64 "_%" PRIu32, seed, c);
            assert_int_equal(sc_place_classes_add(made, name, &number), SC_OK);
            sc_place_classes_mark(made, number, (sc_seg_id)sc_rng_below(&rng, count));
            sc_place_classes_mark(made, number, (sc_seg_id)sc_rng_below(&rng, count));
        }
        CHECK_OK(sc_place_classes_write(map, made, path, &diag), &diag);
        const sc_err err = sc_place_classes_read(map, path, &read, &diag);
        if (count == 0) {
            CHECK_REFUSED(err, SC_EPARSE, &diag, "a header but no lines");
        } else {
            CHECK_OK(err, &diag);
            assert_int_equal(sc_place_classes_count(read), sc_place_classes_count(made));
            assert_memory_equal(sc_place_classes_bits(read), sc_place_classes_bits(made),
                                count * sizeof(uint32_t));
        }
        sc_place_classes_free(made);
        sc_place_classes_free(read);
        sc_map_free(map);
    }
    check_case_done();
    place_free(&p);
}

static void test_a_bad_table_is_refused_with_its_line_its_column_and_what_to_do(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {"", "c.csv: the file is empty; it must begin with a header segment,class"},
        {"segment,class\n",
         "c.csv: the file has a header but no lines; add a line for each segment of a class"},
        {"#\nid,class\n", "c.csv:2: the header has no column 'segment'; write segment,class"},
        {"segment,kind\n0,clinic\n",
         "c.csv:1: the header has no column 'class'; write segment,class"},
        {"segment,class,CLASS\n",
         "c.csv:1: field 'class' is in the header twice: 'CLASS'; rename the column that is not to "
         "be used"},
        {"segment,class\n4,clinic\n",
         "c.csv:2: field 'segment' is 4, but the map has 4 segments, numbered from 0; use the map "
         "that the table was made for"},
        {"segment,class\n1,clinic\n1,shelter\n1,clinic\n",
         "c.csv:4: field 'segment' names a segment of this class a second time: '1'; keep one line "
         "for it"},
        {"segment,class\n1,Clinic\n",
         "c.csv:2: field 'class' is not a name: 'Clinic'; write 1 to 31 lower-case letters, "
         "digits, '-' and '_'"},
        {"segment,class\n1,\n",
         "c.csv:2: field 'class' is not a name: ''; write 1 to 31 lower-case letters, digits, '-' "
         "and '_'"},
        {"segment,class\n1\n", "c.csv:2: the header has 2 fields, but this line has 1; put a text "
                               "with a comma in double quotes, and leave out no field"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_case(i);
        sc_place_classes *classes = NULL;
        sc_diag diag = {""};
        const size_t size = strlen(bad[i].text);
        assert_int_equal(read_text(bad[i].text, size, &classes, &diag), SC_EPARSE);
        assert_string_equal(diag.message, bad[i].message);
        assert_null(classes);
        assert_int_equal(read_text(bad[i].text, size, &classes, NULL), SC_EPARSE);
    }
    check_case_done();
}

static void test_no_more_classes_than_there_are_bits(void **state)
{
    (void)state;
    char text[1024] = "segment,class\n";
    size_t size = strlen(text);
    for (int i = 0; i <= SC_PLACE_CLASSES_MAX; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "2,c%d\n", i);
    }
    sc_place_classes *classes = NULL;
    sc_diag diag = {""};
    assert_int_equal(read_text(text, size, &classes, &diag), SC_EPARSE);
    assert_string_equal(diag.message, "c.csv:34: field 'class' is the 33rd class: 'c32'; there may "
                                      "be 32: join classes that are alike");
    assert_int_equal(read_text(text, size - strlen("2,c32\n"), &classes, &diag), SC_OK);
    assert_int_equal(sc_place_classes_bits(classes)[2], UINT32_MAX);
    sc_place_classes_free(classes);
}

static void test_a_table_of_another_map_is_refused(void **state)
{
    (void)state;
    static const char text[] = "# map 0123456789abcdef\nsegment,class\n1,clinic\n";
    sc_place_classes *classes = NULL;
    sc_diag diag = {""};
    assert_int_equal(read_text(text, sizeof text - 1, &classes, &diag), SC_EMISMATCH);
    assert_string_equal(diag.message,
                        "c.csv:1: this is a table of classes of the map with the checksum "
                        "0123456789abcdef, not of this map; use that map ('starcloak map info' "
                        "shows checksums)");
}

static void test_files_that_cannot_be_read_or_written_are_named(void **state)
{
    (void)state;
    const place p = place_new();
    sc_map *map = crossroads_map();
    sc_place_classes *classes = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_place_classes_read(map, place_path(&p, "no.csv"), &classes, &diag), SC_EIO,
                  &diag, "no.csv");
    assert_int_equal(sc_place_classes_new(map, &classes), SC_OK);
    CHECK_REFUSED(sc_place_classes_write(map, classes, place_path(&p, "no/c.csv"), &diag), SC_EIO,
                  &diag, "no/c.csv: cannot write");
    sc_place_classes_free(classes);
    sc_map_free(map);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_classes_are_numbered_as_they_come),
    SC_CASES(test_a_table_may_look_otherwise),
    SC_CASES(test_any_classes_that_are_written_read_back),
    SC_CASES(test_a_bad_table_is_refused_with_its_line_its_column_and_what_to_do),
    cmocka_unit_test(test_no_more_classes_than_there_are_bits),
    cmocka_unit_test(test_a_table_of_another_map_is_refused),
    cmocka_unit_test(test_files_that_cannot_be_read_or_written_are_named),
};
SC_SUITE(tests)
