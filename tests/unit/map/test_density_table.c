// Tables of densities: what is written reads back, what may look otherwise is the same, and what is
// said about bad ones, word by word.
#include "map/density_internal.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/place.h"
#include "support/sketch.h"

#include <inttypes.h>
#include <stdio.h>
#include <zlib.h>

enum { SEGMENTS = 4 };

static sc_err read_bytes(const char *text, size_t size, sc_density **out, sc_diag *diag)
{
    uint8_t *copy = test_take(size, 1);  // of exactly that size: reading beyond is seen
    memcpy(copy, text, size);
    const sc_input input = {"d.csv", copy, size};
    sc_map *map = crossroads_map();
    const sc_err err = sc__density_read_input(map, &input, out, diag);
    sc_map_free(map);
    free(copy);
    return err;
}

static void check_weights(const sc_density *density, const double *wanted)
{
    assert_int_equal(sc_density_segment_count(density), SEGMENTS);
    for (sc_seg_id s = 0; s < SEGMENTS; s++) {
        CHECK_CLOSE(sc_density_weight(density, s), wanted[s], 1e-15 * wanted[s]);
    }
}

static void check_reads(const char *text, const double *wanted)
{
    sc_density *density = NULL;
    sc_diag diag = {""};
    CHECK_OK(read_bytes(text, strlen(text), &density, &diag), &diag);
    check_weights(density, wanted);
    sc_density_free(density);
}

// --- Good tables --------------------------------------------------------------------------

static void test_counts_that_are_written_read_back(void **state)
{
    (void)state;
    const place p = place_new();
    const char *path = place_path(&p, "d.csv");
    sc_map *map = crossroads_map();
    static const uint64_t counts[SEGMENTS] = {17, 0, 3, UINT64_MAX};
    sc_diag diag = {""};
    CHECK_OK(sc_density_write_counts(map, counts, path, &diag), &diag);

    char wanted[128];
    size_t size = 0;
    snprintf(wanted, sizeof wanted,
             "# map %016" PRIx64 "\nsegment,count\n0,17\n1,0\n2,3\n3,18446744073709551615\n",
             sc_map_checksum(map));
    char *text = read_whole(path, &size);
    assert_string_equal(text, wanted);
    free(text);

    sc_density *read = NULL;
    CHECK_OK(sc_density_read(map, path, &read, &diag), &diag);
    check_weights(read, (double[]){18, 1, 4, 0x1p64});
    sc_density_free(read);
    sc_map_free(map);
    place_free(&p);
}

static void test_any_counts_of_an_odd_map_read_back(void **state)
{
    (void)state;
    const place p = place_new();
    const char *path = place_path(&p, "d.csv");
    for (uint64_t seed = 0; seed < 30; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        sketch_free(&s);
        const uint32_t count = sc_map_segment_count(map);
        uint64_t *counts = test_take((size_t)count + 1, sizeof *counts);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        for (uint32_t i = 0; i < count; i++) {
            counts[i] = sc_rng_next(&rng) >> sc_rng_below(&rng, 64);
        }
        sc_density *made = NULL;
        sc_density *read = NULL;
        sc_diag diag = {""};
        assert_int_equal(sc_density_new_counted(map, counts, &made), SC_OK);
        CHECK_OK(sc_density_write_counts(map, counts, path, &diag), &diag);
        // A map without a road has a table without a line, which cannot be meant.
        const sc_err err = sc_density_read(map, path, &read, &diag);
        if (count == 0) CHECK_REFUSED(err, SC_EPARSE, &diag, "a header but no lines");
        if (count > 0) CHECK_OK(err, &diag);
        for (sc_seg_id i = 0; i < count; i++) {
            CHECK_SAME(sc_density_weight(read, i), sc_density_weight(made, i));
        }
        sc_density_free(made);
        sc_density_free(read);
        free(counts);
        sc_map_free(map);
    }
    check_case_done();
    place_free(&p);
}

static void test_a_table_may_look_otherwise(void **state)
{
    (void)state;
    static const char *const same[] = {
        "segment,count\n0,1\n1,2\n2,3\n3,0\n",
        "segment,count\n3,0\n2,3\n0,1\n1,2",
        "segment,count\n2,3\n0,1\n1,2\n",  // none was counted on 3
        "count,segment\n1,0\n2,1\n3,2\n0,3\n",
        "\xef\xbb\xbfSegment,COUNT\r\n0,1\r\n1,2\r\n2,3\r\n3,0\r\n",
        " segment , count \n\t0 , 1\n1,2\n2,3\n3,0\n",
        "\"segment\",\"count\"\n\"0\",\"1\"\n1,2\n2,\"3\"\n3,0\n",
        "street,segment,length_m,count,\n\"High, \"\"St\"\"\",0,1.5,1,\n,1,,2,\n,2,,3,x\n,3,,0,\n",
        "# counted on Monday\n\nsegment,count\n# the north\n0,1\n1,2\n \n  # the south\n2,3\n3,0\n",
        "#\n# map\n# map of the town\n# map 0123\nsegment,count\n0,1\n1,2\n2,3\n",
        "# map ffffffffffffffff of old\nsegment,count\n0,1\n1,2\n2,3\n",
        "# MAP ffffffffffffffff\nsegment,count\n0,1\n1,2\n2,3\n",
        "segment,count\n000,01\n1,2\n2,3\n",
        "segment,weight\n0,2\n1,3\n2,4\n3,1\n",
        "segment,weight\n0,2e0\n1,3.0\n2,+4\n3,0.1e1\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        check_case(i);
        check_reads(same[i], (double[]){2, 3, 4, 1});
    }
    check_case_done();
}

static void test_weights_are_taken_as_they_are_and_nowhere_is_impossible(void **state)
{
    (void)state;
    check_reads("segment,weight\n0,0.25\n1,50\n2,0\n", (double[]){0.25, 50, 5e-5, 5e-5});
    check_reads("segment,weight\n2,1e100\n0,1e-100\n1,-0\n", (double[]){1e-100, 1e94, 1e100, 1e94});
    check_reads("segment,weight\n3,1e-100\n", (double[]){1e-106, 1e-106, 1e-106, 1e-100});
}

static void test_the_checksum_of_the_map_is_compared(void **state)
{
    (void)state;
    sc_map *map = crossroads_map();
    char text[128];
    const uint64_t checksum = sc_map_checksum(map);
    snprintf(text, sizeof text, "segment,count\n1,1\n  #map\t%016" PRIx64 " \n", checksum);
    check_reads(text, (double[]){1, 2, 1, 1});

    snprintf(text, sizeof text, "segment,count\n1,1\n# map %016" PRIx64 "\n", checksum ^ 1);
    char wanted[sizeof(sc_diag)];
    snprintf(wanted, sizeof wanted,
             "d.csv:3: this is a density of the map with the checksum %016" PRIx64
             ", not of this map; use that map ('starcloak map info' shows checksums)",
             checksum ^ 1);
    sc_density *density = NULL;
    sc_diag diag = {""};
    assert_int_equal(read_bytes(text, strlen(text), &density, &diag), SC_EMISMATCH);
    assert_string_equal(diag.message, wanted);
    assert_null(density);
    sc_map_free(map);
}

static void test_a_packed_table_is_unpacked(void **state)
{
    (void)state;
    const place p = place_new();
    const char *path = place_path(&p, "d.csv.gz");
    gzFile packed = gzopen(path, "wb");
    assert_non_null(packed);
    static const char text[] = "segment,count\n1,9\n";
    assert_int_equal(gzwrite(packed, text, sizeof text - 1), sizeof text - 1);
    gzclose(packed);
    sc_map *map = crossroads_map();
    sc_density *density = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_density_read(map, path, &density, &diag), &diag);
    check_weights(density, (double[]){1, 10, 1, 1});
    sc_density_free(density);
    sc_map_free(map);
    place_free(&p);
}

// --- Bad tables ---------------------------------------------------------------------------

static void test_a_bad_table_is_refused_with_its_line_its_column_and_what_to_do(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {"", "d.csv: the file is empty; it must begin with a header segment,count"},
        {"\n# nothing\n", "d.csv: the file is empty; it must begin with a header segment,count"},
        {"segment,count\n",
         "d.csv: the file has a header but no lines; add a line for each segment"},
        {"\nid,count\n0,1\n",
         "d.csv:2: the header has no column 'segment'; write segment,count or segment,weight"},
        {"0,1\n",
         "d.csv:1: the header has no column 'segment'; write segment,count or segment,weight"},
        {"segment,number\n0,1\n", "d.csv:1: the header has neither 'count' nor 'weight'; write "
                                  "segment,count or segment,weight"},
        {"segment,count,weight\n0,1,1\n", "d.csv:1: the header has both 'count' and 'weight'; "
                                          "rename the column that is not to be used"},
        {"segment,count,Segment\n0,1,0\n", "d.csv:1: field 'segment' is in the header twice: "
                                           "'Segment'; rename the column that is not to be used"},
        {"segment,\"count\n0,1\n",
         "d.csv:1: field 2 begins with a quote and does not end with one; "
         "close it, or leave both out"},
        {"segment,count\n0,\"1\"2\n", "d.csv:2: field 2 begins with a quote and does not end with "
                                      "one; close it, or leave both out"},
        {"segment,count\n0\n", "d.csv:2: the header has 2 fields, but this line has 1; put a text "
                               "with a comma in double quotes, and leave out no field"},
        {"segment,count\n0,1,2\n", "d.csv:2: the header has 2 fields, but this line has 3; put a "
                                   "text with a comma in double quotes, and leave out no field"},
        {"segment,count\n0,1\nnorth,2\n",
         "d.csv:3: field 'segment' is not a whole number: 'north'; write the segment's number, as "
         "'starcloak map export' does"},
        {"segment,count\n,2\n", "d.csv:2: field 'segment' is not a whole number: ''; write the "
                                "segment's number, as 'starcloak map export' does"},
        {"segment,count\n-1,2\n", "d.csv:2: field 'segment' is not a whole number: '-1'; write the "
                                  "segment's number, as 'starcloak map export' does"},
        {"segment,count\n4,2\n", "d.csv:2: field 'segment' is 4, but the map has 4 segments, "
                                 "numbered from 0; use the map that the table was made for"},
        {"segment,count\n4294967296,2\n",
         "d.csv:2: field 'segment' is 4294967296, but the map has 4 segments, numbered from 0; use "
         "the map that the table was made for"},
        {"segment,count\n1,2\n2,0\n01,2\n",
         "d.csv:4: field 'segment' names a segment a second time: '01'; keep one line for it"},
        {"segment,weight\n1,0\n1,2\n",
         "d.csv:3: field 'segment' names a segment a second time: '1'; keep one line for it"},
        {"segment,count\n1,2.5\n", "d.csv:2: field 'count' is not a whole number of 0 or more: "
                                   "'2.5'; count travellers, or call the column 'weight'"},
        {"segment,count\n1,-2\n", "d.csv:2: field 'count' is not a whole number of 0 or more: "
                                  "'-2'; count travellers, or call the column 'weight'"},
        {"segment,count\n1,18446744073709551616\n",
         "d.csv:2: field 'count' is not a whole number of 0 or more: '18446744073709551616'; count "
         "travellers, or call the column 'weight'"},
        {"segment,weight\n1,much\n",
         "d.csv:2: field 'weight' is not a number: 'much'; write one like 0.25"},
        {"segment,weight\n1,nan\n",
         "d.csv:2: field 'weight' is not a number: 'nan'; write one like 0.25"},
        {"segment,weight\n1,1e999\n",
         "d.csv:2: field 'weight' is not a number: '1e999'; write one like 0.25"},
        {"segment,weight\n1,-1\n",
         "d.csv:2: field 'weight' is neither 0 nor from 1e-100 to 1e100: '-1'; only the ratios of "
         "weights matter: multiply all of them by the same number"},
        {"segment,weight\n1,1.1e100\n",
         "d.csv:2: field 'weight' is neither 0 nor from 1e-100 to 1e100: '1.1e100'; only the "
         "ratios of weights matter: multiply all of them by the same number"},
        {"segment,weight\n1,0.9e-100\n",
         "d.csv:2: field 'weight' is neither 0 nor from 1e-100 to 1e100: '0.9e-100'; only the "
         "ratios of weights matter: multiply all of them by the same number"},
        {"segment,weight\n1,0\n2,0.0\n",
         "d.csv: field 'weight' is 0 in every line; at least one must be above 0"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_case(i);
        sc_density *density = NULL;
        sc_diag diag = {""};
        assert_int_equal(read_bytes(bad[i].text, strlen(bad[i].text), &density, &diag), SC_EPARSE);
        assert_string_equal(diag.message, bad[i].message);
        assert_null(density);
        assert_int_equal(read_bytes(bad[i].text, strlen(bad[i].text), &density, NULL), SC_EPARSE);
    }
    check_case_done();
}

static void test_a_line_without_end_is_refused(void **state)
{
    (void)state;
    enum { LIMIT = 65536 };
    char *text = test_take(LIMIT + 32, 1);
    size_t size = (size_t)sprintf(text, "segment,count\n1,");
    memset(text + size, '0', LIMIT - 3);
    text[size + LIMIT - 3] = '7';  // the line is as long as one may be
    size += LIMIT - 2;
    sc_density *density = NULL;
    sc_diag diag = {""};
    CHECK_OK(read_bytes(text, size, &density, &diag), &diag);
    check_weights(density, (double[]){1, 8, 1, 1});
    sc_density_free(density);

    text[size] = ' ';
    density = NULL;
    assert_int_equal(read_bytes(text, size + 1, &density, &diag), SC_EPARSE);
    assert_string_equal(
        diag.message,
        "d.csv:2: the line is longer than 65,536 bytes; check that this is a table of densities");
    assert_null(density);
    free(text);
}

// --- Files --------------------------------------------------------------------------------

static void test_a_file_that_cannot_be_read_or_written_is_named(void **state)
{
    (void)state;
    const place p = place_new();
    sc_map *map = crossroads_map();
    const uint64_t counts[SEGMENTS] = {0};
    sc_density *density = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_density_read(map, place_path(&p, "no.csv"), &density, &diag), SC_EIO, &diag,
                  "no.csv");
    assert_null(density);
    CHECK_REFUSED(sc_density_write_counts(map, counts, place_path(&p, "no/d.csv"), &diag), SC_EIO,
                  &diag, "no/d.csv: cannot write");
    CHECK_REFUSED(sc_density_write_counts(map, counts, p.path, &diag), SC_EIO, &diag,
                  "it is a directory");
    assert_int_equal(count_entries(p.path), 0);
    sc_map_free(map);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_counts_that_are_written_read_back),
    SC_CASES(test_any_counts_of_an_odd_map_read_back),
    SC_CASES(test_a_table_may_look_otherwise),
    cmocka_unit_test(test_weights_are_taken_as_they_are_and_nowhere_is_impossible),
    cmocka_unit_test(test_the_checksum_of_the_map_is_compared),
    cmocka_unit_test(test_a_packed_table_is_unpacked),
    SC_CASES(test_a_bad_table_is_refused_with_its_line_its_column_and_what_to_do),
    cmocka_unit_test(test_a_line_without_end_is_refused),
    cmocka_unit_test(test_a_file_that_cannot_be_read_or_written_is_named),
};
SC_SUITE(tests)
