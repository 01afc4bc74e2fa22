// Lines of a record about demands: what is written, what the run reader and the verifier make of
// it, and what both refuse, with the line.
#include "record/record_write.h"
#include "record/run_reader.h"
#include "record/zone_table.h"

#include "support/check.h"
#include "support/made_record.h"
#include "support/place.h"
#include "verify/verify_record.h"

#include <inttypes.h>
#include <stdio.h>

static sc_map *map;

static int open_map(void **state)
{
    (void)state;
    map = made_town();
    return map ? 0 : 1;
}

static int close_map(void **state)
{
    (void)state;
    sc_map_free(map);
    return 0;
}

static sc_zone_table *zones_of(const char *text)
{
    const sc_input input = {"z.csv", (const uint8_t *)text, strlen(text)};
    sc_zone_table *zones = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_zone_table_of(map, &input, &zones, &diag), &diag);
    return zones;
}

static sc_err read_all(const char *text, sc_run_reader **out, sc_run_line *cloak, sc_diag *diag)
{
    const sc_input input = {"run.jsonl", (const uint8_t *)text, strlen(text)};
    CHECK_OK(sc_run_reader_of(map, NULL, &input, out, diag), diag);
    sc_run_line line;
    sc_err err;
    while (!(err = sc_run_reader_next(*out, &line, diag)) && line.text.text) {
        if (line.kind == SC_RUN_CLOAK) *cloak = line;
    }
    return err;
}

static sc_err verify(const char *text, const sc_density *density, sc_verify_report *report,
                     sc_diag *diag)
{
    const sc_input input = {"run.jsonl", (const uint8_t *)text, strlen(text)};
    const sc_verify_options options = {.density = density};
    return sc__verify_input(map, &input, &options, report, diag);
}

// --- What is written ------------------------------------------------------------------------

static void write_query(sc_record *record, const char *user, sc_seg_id segment)
{
    const sc_edge_id edge = sc_map_segments(map)[segment].first_edge;
    const sc_profile profile = {.k = 1, .l = 1, .max_hops = 1, .max_wait_us = 5000000};
    const sc_ask ask = {.user = user, .user_size = strlen(user), .t = 2500000, .profile = profile};
    const sc_snap where = {.edge = edge, .segment = segment, .offset_m = 0};
    sc_query query = {.id = {{(uint8_t)user[0], (uint8_t)segment}}};
    sc_record_query(record, &query, &ask, &where, &(sc_request){.k = 1});
}

static void test_demands_are_written_before_the_first_query(void **state)
{
    (void)state;
    const place p = place_new();
    const char *path = place_path(&p, "run.jsonl");
    sc_zone_table *zones = zones_of("zone,user,segment\n7,u1,2\n7,u1,0\n9,\"\xff\",1\n9,\xff,3\n");
    sc_place_classes *classes = NULL;
    sc_density *density = NULL;
    uint32_t number = 0;
    CHECK_OK(sc_place_classes_new(map, &classes), NULL);
    CHECK_OK(sc_place_classes_add(classes, "clinic", &number), NULL);
    sc_place_classes_mark(classes, number, 3);
    sc_place_classes_mark(classes, number, 1);
    CHECK_OK(sc_place_classes_add(classes, "shelter", &number), NULL);
    CHECK_OK(sc_density_new_uniform(map, &density), NULL);

    sc_record *record = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_record_open(map, path, &record, &diag), &diag);
    sc_record_demands(
        record,
        &(sc_recorded_demands){
            .demands = {.is_strict = true, .traffic = 3, .density = density, .classes = classes},
            .has_continuity = true,
            .continuity = {.vmax_m_s = 33.3, .tau_us = 300500000},
            .zones = zones});
    write_query(record, "u1", 2);
    write_query(record, "u1", 1);
    write_query(record, "\xff", 1);
    CHECK_OK(sc_record_close(record, 9000000, &diag), &diag);

    size_t size = 0;
    char *text = read_whole(path, &size);
    char wanted[1024];
    snprintf(wanted, sizeof wanted,
             "{\"event\":\"demands\",\"t\":2.500000,\"strict\":true,\"traffic\":3,\"density\":"
             "\"%016" PRIx64 "\",\"continuity\":{\"vmax_m_s\":33.3,\"tau_s\":300.500000},"
             "\"classes\":[\"clinic\",\"shelter\"]}\n"
             "{\"event\":\"class\",\"class\":\"clinic\",\"segments\":[1,3]}\n"
             "{\"event\":\"class\",\"class\":\"shelter\",\"segments\":[]}\n"
             "{\"event\":\"zone\",\"zone\":7,\"user\":\"u1\",\"segments\":[0,2]}\n"
             "{\"event\":\"zone\",\"zone\":9,\"user\":\"hex:ff\",\"segments\":[1,3]}\n"
             "{\"event\":\"query\",",
             sc_density_checksum(density));
    assert_int_equal(strncmp(text, wanted, strlen(wanted)), 0);
    const char *first = strstr(text, "\"zone\":7}\n");
    assert_non_null(first);
    assert_null(strstr(first + 1, "\"zone\":7}\n"));
    assert_non_null(strstr(first, "\"zone\":9}\n"));

    sc_run_reader *reader = NULL;
    sc_run_line cloak = {0};
    CHECK_OK(read_all(text, &reader, &cloak, &diag), &diag);
    const sc_run_demands *demands = sc_run_reader_demands(reader);
    assert_true(demands->is_strict && demands->has_continuity);
    assert_int_equal(demands->traffic, 3);
    assert_true(demands->density_checksum == sc_density_checksum(density));
    CHECK_SAME(demands->vmax_m_s, 33.3);
    assert_int_equal(demands->tau_us, 300500000);
    assert_memory_equal(sc_place_classes_bits(demands->classes), sc_place_classes_bits(classes),
                        sc_map_segment_count(map) * sizeof(uint32_t));
    sc_run_reader_free(reader);

    sc_verify_report report;
    CHECK_OK(verify(text, density, &report, &diag), &diag);
    assert_false(report.lacks_density);
    assert_int_equal(report.demanded, 1U << SC_PROMISE_P9 | 1U << SC_PROMISE_P12 |
                                          1U << SC_PROMISE_P13 | 1U << SC_PROMISE_P14);
    CHECK_OK(verify(text, NULL, &report, &diag), &diag);
    assert_true(report.lacks_density);
    free(text);
    sc_density_free(density);
    sc_place_classes_free(classes);
    sc_zone_table_free(zones);
    place_free(&p);
}

static void test_a_run_without_demands_says_nothing_of_them(void **state)
{
    (void)state;
    const place p = place_new();
    const char *path = place_path(&p, "run.jsonl");
    sc_record *record = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_record_open(map, path, &record, &diag), &diag);
    sc_record_demands(record, &(sc_recorded_demands){.zones = NULL});
    write_query(record, "u1", 2);
    CHECK_OK(sc_record_close(record, 9000000, &diag), &diag);
    size_t size = 0;
    char *text = read_whole(path, &size);
    assert_int_equal(strncmp(text, "{\"event\":\"query\"", 16), 0);
    sc_run_reader *reader = NULL;
    sc_run_line cloak = {0};
    CHECK_OK(read_all(text, &reader, &cloak, &diag), &diag);
    assert_null(sc_run_reader_demands(reader));
    sc_run_reader_free(reader);
    free(text);
    place_free(&p);
}

// --- What is refused ------------------------------------------------------------------------

#define DEMANDS "{\"event\":\"demands\",\"t\":0,\"strict\":true"
#define QUERY(id, user, edge, segment, more)                                                    \
    "{\"event\":\"query\",\"query\":\"" id "\",\"user\":\"" user "\",\"t\":1,\"edge\":" edge    \
    ",\"offset_m\":0,\"segment\":" segment                                                      \
    ",\"profile\":{\"k\":1,\"l\":1,\"sigma_s\":1,\"sigma_t\":2},\"request\":{\"type\":\"knn\"," \
    "\"k\":1,\"category\":null}" more "}\n"
#define ZONE "{\"event\":\"zone\",\"zone\":3,\"user\":\"u1\",\"segments\":[0,2]}\n"
#define END "{\"event\":\"end\",\"t\":2}\n"

static const struct {
    const char *text;
    const char *to_reader;
    const char *to_verifier;
} refusals[] = {
    {DEMANDS "}\n" DEMANDS "}\n", "run.jsonl:2: the demands come a second time",
     "run.jsonl:2: the demands come a second time"},
    {QUERY("a", "u1", "0", "0", "") DEMANDS "}\n", "run.jsonl:2: the demands come behind a query",
     "run.jsonl:2: the demands come behind a query"},
    {"{\"event\":\"demands\",\"t\":0}\n",
     "run.jsonl:1: \"strict\" is neither true nor false, or missing",
     "run.jsonl:1: 'strict' is missing or is not true or false"},
    {"{\"event\":\"demands\",\"strict\":true}\n", "run.jsonl:1: \"t\" is missing",
     "run.jsonl:1: 't' is missing"},
    {DEMANDS ",\"traffic\":1}\n", "\"traffic\" is out of range; write 2 to 4, or 0 for none",
     "'traffic' is missing or is not 0 or a whole number from 2 to 4"},
    {DEMANDS ",\"traffic\":5}\n", "\"traffic\" is out of range", "'traffic' is missing or is not"},
    {DEMANDS ",\"traffic\":2}\n", "\"density\" is missing",
     "'density' is missing or is not a checksum of 16 hexadecimal digits"},
    {DEMANDS ",\"traffic\":2,\"density\":\"0123\"}\n",
     "\"density\" is not a checksum of 16 hexadecimal digits", "'density' is missing or is not"},
    {DEMANDS ",\"continuity\":33}\n", "\"continuity\" is not an object",
     "'continuity' is missing or is not an object"},
    {DEMANDS ",\"continuity\":{\"vmax_m_s\":0,\"tau_s\":300}}\n",
     "\"continuity.vmax_m_s\" is out of range", "'vmax_m_s' is missing or is not a speed above 0"},
    {DEMANDS ",\"continuity\":{\"vmax_m_s\":33,\"tau_s\":86401}}\n",
     "\"continuity.tau_s\" is out of range", "'tau_s' is missing or is not a time above 0"},
    {DEMANDS ",\"classes\":[\"Clinic\"]}\n", "\"classes\" is not a list of up to 32 names",
     "a class has a name that is none"},
    {DEMANDS ",\"classes\":[7]}\n", "\"classes\" is not a list",
     "'classes' is missing or is not a list of names"},
    {DEMANDS ",\"classes\":[\"a\",\"a\"]}\n", "\"classes\" names a class twice",
     "a class is named twice"},
    {"{\"event\":\"class\",\"class\":\"a\",\"segments\":[]}\n",
     "\"class\" is not among the classes of demands before it",
     "run.jsonl:1: no demands before it name this class"},
    {DEMANDS ",\"classes\":[\"a\"]}\n{\"event\":\"class\",\"class\":\"b\",\"segments\":[]}\n",
     "run.jsonl:2: \"class\" is not among", "run.jsonl:2: no demands before it name this class"},
    {DEMANDS ",\"classes\":[\"a\"]}\n{\"event\":\"class\",\"class\":\"a\",\"segments\":[1]}\n"
             "{\"event\":\"class\",\"class\":\"a\",\"segments\":[1]}\n",
     "run.jsonl:3: \"class\" comes a second time", "run.jsonl:3: this class comes a second time"},
    {DEMANDS ",\"classes\":[\"a\"]}\n{\"event\":\"class\",\"class\":\"a\",\"segments\":[2,1]}\n",
     "run.jsonl:2: \"segments\" does not ascend", "run.jsonl:2: 'segments' does not ascend"},
    {DEMANDS ",\"classes\":[\"a\"]}\n{\"event\":\"class\",\"class\":\"a\",\"segments\":[999]}\n",
     "run.jsonl:2: \"segments\" has one that the map does not have",
     "run.jsonl:2: 'segments' has one that the map does not have"},
    {DEMANDS ",\"classes\":[\"a\"]}\n" QUERY("a", "u1", "0", "0", ""),
     "run.jsonl:2: a class that the demands name has no line before the first query",
     "run.jsonl:2: a class that the demands name has no line before the first query"},
    {ZONE, "run.jsonl:1: a zone comes before any demands",
     "run.jsonl:1: a zone comes before any demands"},
    {DEMANDS "}\n" ZONE ZONE, "run.jsonl:3: \"zone\" is the number of a zone before it",
     "run.jsonl:3: a zone before it has the same number"},
    {DEMANDS "}\n{\"event\":\"zone\",\"zone\":3,\"user\":\"u1\",\"segments\":[]}\n",
     "\"segments\" is empty", "a zone has no segments"},
    {DEMANDS "}\n{\"event\":\"zone\",\"zone\":4294967295,\"user\":\"u1\",\"segments\":[1]}\n",
     "\"zone\" is too large", "'zone' is missing or is not the number of a zone"},
    {DEMANDS "}\n" QUERY("a", "u1", "0", "0", ",\"zone\":3"),
     "run.jsonl:2: \"zone\" names a zone that has no line before it",
     "run.jsonl:2: 'zone' names a zone that has no line before it"},
    {DEMANDS "}\n" ZONE QUERY("a", "u2", "0", "0", ",\"zone\":3"),
     "run.jsonl:3: \"zone\" names a zone of another user",
     "run.jsonl:3: 'zone' names a zone of another user"},
    {DEMANDS "}\n" ZONE QUERY("a", "u1", "0", "0", ""),
     "run.jsonl:3: a query is in a zone of its user and does not name it",
     "run.jsonl:3: a query is in a zone of its user and does not name it"},
};

static void test_lines_that_contradict_each_other_are_refused_with_their_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        check_case(i);
        char text[2048];
        snprintf(text, sizeof text, "%s" END, refusals[i].text);
        sc_run_reader *reader = NULL;
        sc_run_line cloak = {0};
        sc_diag diag = {""};
        sc_err err = read_all(text, &reader, &cloak, &diag);
        assert_true(err == SC_EPARSE || err == SC_EMISMATCH);
        assert_non_null(strstr(diag.message, refusals[i].to_reader));
        assert_null(strstr(diag.message, "u1"));
        sc_run_reader_free(reader);
        sc_verify_report report;
        CHECK_REFUSED(verify(text, NULL, &report, &diag), SC_EPARSE, &diag,
                      refusals[i].to_verifier);
        assert_null(strstr(diag.message, "u1"));
    }
    check_case_done();
}

static void test_another_density_is_refused_with_both_checksums(void **state)
{
    (void)state;
    sc_density *density = NULL;
    sc_verify_report report;
    sc_diag diag = {""};
    CHECK_OK(sc_density_new_uniform(map, &density), NULL);
    char wanted[200];
    snprintf(wanted, sizeof wanted,
             "run.jsonl:1: the run was with the density of checksum 0123456789abcdef, but the one "
             "given has %016" PRIx64 "; give that of the run",
             sc_density_checksum(density));
    static const char text[] = DEMANDS ",\"traffic\":2,\"density\":\"0123456789abcdef\"}\n" END;
    assert_int_equal(verify(text, density, &report, &diag), SC_EMISMATCH);
    assert_string_equal(diag.message, wanted);
    CHECK_OK(verify(DEMANDS "}\n" END, density, &report, &diag), &diag);
    assert_true(report.has_idle_density && !report.lacks_density && report.demanded == 0);
    sc_density_free(density);
}

// --- Tables of zones --------------------------------------------------------------------------

static void test_zones_are_found_by_user_and_road(void **state)
{
    (void)state;
    sc_zone_table *zones =
        zones_of("user,segment,zone,note\nu2,1,9,\nu1,4,5,home\nu1,2,5,home\nu2,0,9,\n"
                 "u1,0,6,work\nu1,1,6,work\n");
    size_t count = 0;
    const sc_user_zone *all = sc_zone_table_zones(zones, &count);
    assert_int_equal(count, 3);
    assert_int_equal(all[1].number, 5);
    assert_int_equal(all[1].count, 2);
    assert_int_equal(all[1].segments[0], 2);
    assert_int_equal(all[1].segments[1], 4);
    assert_ptr_equal(sc_zone_table_find(zones, "u1", 2, 4), &all[1]);
    assert_ptr_equal(sc_zone_table_find(zones, "u1", 2, 1), &all[2]);
    assert_ptr_equal(sc_zone_table_find(zones, "u2", 2, 1), &all[0]);
    assert_null(sc_zone_table_find(zones, "u2", 2, 4));
    assert_null(sc_zone_table_find(zones, "u", 1, 4));
    sc_zone_table_free(zones);
}

static void test_a_bad_table_of_zones_is_refused_without_a_user(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        {"", "z.csv: the file is empty; it must begin with a header zone,user,segment"},
        {"zone,user,segment\n",
         "z.csv: the file has a header but no lines; add a line for each road of a zone"},
        {"zone,segment\n", "z.csv:1: the header has no column 'user'; write zone,user,segment"},
        {"user,segment\n", "z.csv:1: the header has no column 'zone'; write zone,user,segment"},
        {"zone,user,segment\n1,Zoltan,999\n",
         "z.csv:2: field 'segment' is 999, but the map has 23 segments, numbered from 0; use the "
         "map that the table was made for"},
        {"zone,user,segment\nhome,Zoltan,1\n",
         "z.csv:2: field 'zone' is not the number of a zone: 'home'; write a whole number from 0 "
         "to 4294967294"},
        {"zone,user,segment\n1,,1\n",
         "z.csv:2: field 'user' is empty or has the character 0 in it; write the user as in the "
         "stream of queries"},
        {"zone,user,segment\n1,Zoltan,1\n1,Zoe,2\n",
         "z.csv:3: field 'user' is not that of the zone's lines before; give each user zones of "
         "its own"},
        {"zone,user,segment\n1,Zoltan,1\n2,Zoltan,1\n",
         "z.csv:3: field 'segment' is in a zone of this user already: '1'; keep one line for it: "
         "zones of one user have no road in common"},
        {"zone,user,segment\n1,Zoltan,1\n",
         "z.csv: zone 1 has one road, which shows where its user lives; give it at least 2, better "
         "5"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_case(i);
        const sc_input input = {"z.csv", (const uint8_t *)bad[i].text, strlen(bad[i].text)};
        sc_zone_table *zones = NULL;
        sc_diag diag = {""};
        assert_int_equal(sc_zone_table_of(map, &input, &zones, &diag), SC_EPARSE);
        assert_string_equal(diag.message, bad[i].message);
        assert_null(zones);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_demands_are_written_before_the_first_query),
    cmocka_unit_test(test_a_run_without_demands_says_nothing_of_them),
    SC_CASES(test_lines_that_contradict_each_other_are_refused_with_their_number),
    cmocka_unit_test(test_another_density_is_refused_with_both_checksums),
    cmocka_unit_test(test_zones_are_found_by_user_and_road),
    SC_CASES(test_a_bad_table_of_zones_is_refused_without_a_user),
};
SC_SUITE_WITH(tests, open_map, close_map)
