// Traces as a whole: files and folders, formats found out, packed files, and the same movements
// told in all four formats.
#include "traces/traces.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/place.h"
#include "support/trace_texts.h"

#include <stdio.h>
#include <sys/stat.h>

static sc_err read_path(const char *path, sc_trace_format format, sc_traces **out, sc_diag *diag)
{
    sc_traces_options options = sc_traces_options_default();
    options.format = format;
    return sc_traces_read(path, &options, out, diag);
}

static sc_traces *good_path(const char *path)
{
    sc_traces *traces = NULL;
    sc_diag diag = {""};
    CHECK_OK(read_path(path, SC_TRACE_ANY, &traces, &diag), &diag);
    return traces;
}

static void check_path_refused(const char *path, sc_trace_format format, sc_err wanted,
                               const char *part)
{
    sc_traces *traces = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(read_path(path, format, &traces, &diag), wanted, &diag, part);
    CHECK_CONTAINS(diag.message, path);
    assert_null(traces);
}

static const char *folder_in(const place *p, const char *name)
{
    const char *path = place_path(p, name);
    assert_int_equal(mkdir(path, 0755), 0);
    return path;
}

// --- What formats are called -------------------------------------------------------------------

static void test_formats_have_names(void **state)
{
    (void)state;
    assert_string_equal(sc_trace_format_name(SC_TRACE_ANY), "any");
    assert_string_equal(sc_trace_format_name(SC_TRACE_CABSPOTTING), "cabspotting");
    assert_string_equal(sc_trace_format_name(SC_TRACE_FCD), "fcd");
    assert_string_equal(sc_trace_format_name(SC_TRACE_BRINKHOFF), "brinkhoff");
    assert_string_equal(sc_trace_format_name(SC_TRACE_CSV), "csv");
    assert_null(sc_trace_format_name(SC_TRACE_FORMAT_COUNT));
    sc_traces *traces = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(read_path("x", SC_TRACE_FORMAT_COUNT, &traces, &diag), SC_EINVAL, &diag,
                  "unknown format of traces");
}

// --- The examples ------------------------------------------------------------------------------

static void check_example(const char *name, sc_trace_format format)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/traces/%s", SC_TEST_DATA, name);
    sc_traces *traces = good_path(path);
    check_traces(traces, 2);
    CHECK_TRACK(traces, 0, "1", {0, 8.677, 49.41}, {20, 8.68, 49.41}, {47, 8.684, 49.41},
                {60, 8.686, 49.41});
    CHECK_TRACK(traces, 1, "2", {5, 8.68, 49.412}, {20, 8.68, 49.41}, {40, 8.682, 49.408},
                {60, 8.684, 49.41});
    const sc_traces_summary summary = sc_traces_summary_of(traces);
    assert_int_equal(summary.format, format);
    assert_int_equal(summary.same_time_count, 0);
    CHECK_SAME(summary.first_s, 0.0);
    CHECK_SAME(summary.last_s, 60.0);
    sc_traces_free(traces);
}

static void test_the_examples_tell_one_story(void **state)
{
    (void)state;
    check_example("cabs", SC_TRACE_CABSPOTTING);
    check_example("town.fcd.xml", SC_TRACE_FCD);
    check_example("town.brinkhoff.txt", SC_TRACE_BRINKHOFF);
    check_example("town.csv", SC_TRACE_CSV);
    check_example("town.csv.gz", SC_TRACE_CSV);
}

// --- Telling formats apart ---------------------------------------------------------------------

static void test_a_format_is_found_by_how_a_file_begins(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sc_trace_format format;
    } files[] = {
        {"1 2 0 3\n", SC_TRACE_CABSPOTTING},
        {" \n\t1\t2 0\t3", SC_TRACE_CABSPOTTING},
        {"point 1 2 3 4 5 6\n", SC_TRACE_BRINKHOFF},
        {"\n newpoint 1 2 3 4 5 6\n", SC_TRACE_BRINKHOFF},
        {"disappearpoint\t1\t2\t3\t4\t5\t6\n", SC_TRACE_BRINKHOFF},
        {"id,t,lon,lat\na,1,2,3\n", SC_TRACE_CSV},
        {"\"LAT\", t ,other,id,lon\n1,2,,a,3\n", SC_TRACE_CSV},
        {"<fcd-export><timestep time='1'><vehicle id='a' x='2' y='3'/></timestep></fcd-export>",
         SC_TRACE_FCD},
        {"\n <!-- <osm> > -->\n<fcd-export a='b'><timestep time='1'><person id='a' x='2' y='3'/>"
         "</timestep></fcd-export>",
         SC_TRACE_FCD},
        {"<?xml version='1.0'?><!-- --><!-- --><fcd-export><timestep time='1'><vehicle id='a' "
         "x='2' y='3'/></timestep></fcd-export>",
         SC_TRACE_FCD},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        check_case(i);
        sc_traces *traces = good_traces("file", files[i].text);
        check_traces(traces, 1);
        const sc_traces_summary summary = sc_traces_summary_of(traces);
        assert_int_equal(summary.format, files[i].format);
        assert_int_equal(summary.file_count, 1);
        assert_int_equal(summary.other_file_count, 0);
        sc_traces_free(traces);
    }
    check_case_done();
}

static void test_a_file_in_no_format_is_refused(void **state)
{
    (void)state;
    static const char message[] =
        "a:1: these are not traces; a file must begin with `latitude longitude occupancy time` "
        "(cabspotting), <fcd-export> (SUMO), newpoint (Brinkhoff), or a header id,t,lon,lat (CSV)";
    static const char *const files[] = {
        "hello\n",
        "1 2 3\n",
        "1 2 0 3 4\n",
        "1 2 0 x\n",
        "points 1 2 3\n",
        "a,1,2,3\n",
        "id,name\n",
        "id,timestamp,longitude,latitude\n",
        "\"id,t,lon,lat\n",
        "<osm/>\n",
        "<cab id='a'/>\n<fcd-export/>\n",
        "<!-- <fcd-export>\n",
        "<",
        "<!",
        "<fcd",
        "\n\n",
        "\x01\x02\x03",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        check_case(i);
        check_traces_refused("a", files[i], SC_TRACE_ANY, SC_EPARSE, message);
    }
    check_case_done();
    check_traces_refused("a", "", SC_TRACE_ANY, SC_EINVAL, "a: the file is empty");
}

static void test_a_nul_byte_is_in_no_text(void **state)
{
    (void)state;
    static const char text[] = "1 2 0 3\n4 5 1 6\n7\0 8 0 9\n";
    const sc_traces_options options = sc_traces_options_default();
    sc_traces *traces = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(parse_traces("a", text, sizeof text - 1, &options, &traces, &diag), SC_EPARSE,
                  &diag, "a:3: the line contains a NUL byte");
    assert_null(traces);
}

// --- The same in all formats -------------------------------------------------------------------

typedef struct made_report {
    uint32_t id;
    sc_fix fix;
} made_report;

/** Movements at random, in order of time: ids are whole numbers, so that every format can tell. */
static size_t make_up(uint64_t seed, made_report *out, size_t most)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    const uint32_t travellers = 1 + sc_rng_below(&rng, 12);
    const size_t count = 1 + sc_rng_below(&rng, (uint32_t)most);
    double t_s = sc_rng_unit(&rng) * 1e6;
    for (size_t i = 0; i < count; i++) {
        if (sc_rng_below(&rng, 3) > 0) t_s += sc_rng_unit(&rng) * 100.0;
        out[i] = (made_report){
            .id = sc_rng_below(&rng, travellers),
            .fix = {t_s, sc_rng_unit(&rng) * 360.0 - 180.0, sc_rng_unit(&rng) * 180.0 - 90.0}};
    }
    return count;
}

static char *as_csv(const made_report *all, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "lat,id,t,lon\n");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%.17g,\"%u\",%.17g,%.17g\n", all[i].fix.y, all[i].id, all[i].fix.t_s,
                all[i].fix.x);
    }
    fclose(out);
    return text;
}

static char *as_fcd(const made_report *all, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "<fcd-export>\n");
    for (size_t i = 0; i < count; i++) {
        fprintf(
            out,
            "<timestep time=\"%.17g\"><vehicle x=\"%.17g\" y=\"%.17g\" id=\"%u\"/></timestep>\n",
            all[i].fix.t_s, all[i].fix.x, all[i].fix.y, all[i].id);
    }
    fprintf(out, "</fcd-export>\n");
    fclose(out);
    return text;
}

static char *as_brinkhoff(const made_report *all, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "point\t%u\t%zu\t0\t%.17g\t%.17g\t%.17g\t0\t0\t0\n", all[i].id, i,
                all[i].fix.t_s, all[i].fix.x, all[i].fix.y);
    }
    fclose(out);
    return text;
}

// A file per cab, latest first. Of fixes at one moment only the first is written: in a file in
// reverse, another would come before it.
static void write_cabs(const place *p, const made_report *all, size_t count)
{
    for (uint32_t id = 0; id < 12; id++) {
        char name[32];
        snprintf(name, sizeof name, "cabs/new_%u.txt", id);
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        for (size_t i = count; i-- > 0;) {
            bool is_first = all[i].id == id;
            for (size_t j = 0; j < i && is_first; j++) {
                is_first = all[j].id != id || all[j].fix.t_s != all[i].fix.t_s;
            }
            if (!is_first) continue;
            fprintf(out, "%.17g %.17g %zu %.17g\n", all[i].fix.y, all[i].fix.x, i % 2,
                    all[i].fix.t_s);
        }
        fclose(out);
        place_write_text(p, name, text);
        free(text);
    }
}

static void test_the_same_movements_are_the_same_in_every_format(void **state)
{
    (void)state;
    enum { CASES = 25, MOST = 300 };
    made_report *all = test_take(MOST, sizeof *all);
    for (uint64_t seed = 0; seed < CASES; seed++) {
        check_case(seed);
        const size_t count = make_up(seed, all, MOST);
        char *csv = as_csv(all, count);
        char *fcd = as_fcd(all, count);
        char *brinkhoff = as_brinkhoff(all, count);
        const place p = place_new();
        folder_in(&p, "cabs");
        write_cabs(&p, all, count);

        sc_traces *a = good_traces("a", csv);
        sc_traces *b = good_traces("b", fcd);
        sc_traces *c = good_traces("c", brinkhoff);
        sc_traces *d = good_path(place_path(&p, "cabs"));
        check_same_traces(a, b);
        check_same_traces(a, c);
        check_same_traces(a, d);
        const sc_traces_summary summary = sc_traces_summary_of(a);
        assert_int_equal(summary.fix_count + summary.same_time_count, count);
        assert_int_equal(sc_traces_summary_of(b).same_time_count, summary.same_time_count);
        assert_int_equal(sc_traces_summary_of(c).same_time_count, summary.same_time_count);

        sc_traces_free(a);
        sc_traces_free(b);
        sc_traces_free(c);
        sc_traces_free(d);
        place_free(&p);
        free(csv);
        free(fcd);
        free(brinkhoff);
    }
    check_case_done();
    free(all);
}

// --- Folders -----------------------------------------------------------------------------------

static void test_a_folder_is_read_in_order_of_names_and_formats_may_mix(void **state)
{
    (void)state;
    const place p = place_new();
    place_write_text(&p, "new_cab.txt", "1 1 0 1\n");
    place_write_text(&p, "b.csv", "id,t,x,y\nboth,1,2,2\nboth,2,3,3\n");
    place_write_text(&p, "a.dat", "point 9 1 0 1 4 4\n");
    // The first file to tell of a moment is the one that counts.
    place_write_text(&p, "c.xml",
                     "<fcd-export><timestep time='2'><vehicle id='both' x='8' y='8'/>"
                     "</timestep><timestep time='3'><vehicle id='both' x='5' y='5'/>"
                     "</timestep></fcd-export>");
    place_write_text(&p, ".hidden", "1 1 0 broken\n");
    place_write_text(&p, "README", "About these traces.\n");
    place_write_text(&p, "empty", "");
    folder_in(&p, "more");
    place_write_text(&p, "more/new_deep.txt", "1 1 0 1\n");

    sc_traces *traces = good_path(p.path);
    check_traces(traces, 3);
    CHECK_TRACK(traces, 0, "9", {1, 4, 4});
    CHECK_TRACK(traces, 1, "both", {1, 2, 2}, {2, 3, 3}, {3, 5, 5});
    CHECK_TRACK(traces, 2, "cab", {1, 1, 1});
    const sc_traces_summary summary = sc_traces_summary_of(traces);
    assert_int_equal(summary.file_count, 4);
    assert_int_equal(summary.other_file_count, 2);
    assert_int_equal(summary.same_time_count, 1);
    assert_int_equal(summary.format, SC_TRACE_CABSPOTTING);
    CHECK_SAME(summary.first_s, 1.0);
    CHECK_SAME(summary.last_s, 3.0);
    sc_traces_free(traces);

    // With a slash behind it, it is the same folder.
    traces = good_path(place_path(&p, ""));
    check_traces(traces, 3);
    sc_traces_free(traces);
    place_free(&p);
}

static void test_a_named_format_is_for_every_file(void **state)
{
    (void)state;
    const place p = place_new();
    place_write_text(&p, "new_a.txt", "1 1 0 1\n");
    place_write_text(&p, "new_b.txt", "");
    sc_traces *traces = NULL;
    sc_diag diag = {""};
    CHECK_OK(read_path(p.path, SC_TRACE_CABSPOTTING, &traces, &diag), &diag);
    check_traces(traces, 1);
    assert_int_equal(sc_traces_summary_of(traces).file_count, 2);
    sc_traces_free(traces);
    place_write_text(&p, "README", "About\n");
    check_path_refused(p.path, SC_TRACE_CABSPOTTING, SC_EPARSE,
                       "/README:1: field 'latitude' is not a number");
    place_free(&p);
}

static void test_a_bad_file_in_a_folder_is_named(void **state)
{
    (void)state;
    const place p = place_new();
    place_write_text(&p, "new_a.txt", "1 1 0 1\n");
    place_write_text(&p, "new_b.txt", "1 1 0 1\n2 2 0\n");
    check_path_refused(p.path, SC_TRACE_ANY, SC_EPARSE, "/new_b.txt:2: field 'time' is missing");
    place_free(&p);
}

static void test_a_folder_without_traces_is_refused(void **state)
{
    (void)state;
    const place p = place_new();
    check_path_refused(p.path, SC_TRACE_ANY, SC_EINVAL,
                       ": no traces in this folder, which has 0 other files");
    place_write_text(&p, "README", "About\n");
    place_write_text(&p, ".new_a.txt", "1 1 0 1\n");
    check_path_refused(p.path, SC_TRACE_ANY, SC_EINVAL,
                       ": no traces in this folder, which has 1 other files");
    place_write_text(&p, "t.csv", "id,t,lon,lat\n");
    check_path_refused(p.path, SC_TRACE_ANY, SC_EINVAL, ": the traces have no fix");
    place_free(&p);
}

// --- What cannot be read -----------------------------------------------------------------------

static void test_what_is_not_there_or_forbidden_is_told(void **state)
{
    (void)state;
    const place p = place_new();
    check_path_refused(place_path(&p, "none"), SC_TRACE_ANY, SC_EIO,
                       "cannot read: No such file or directory; check the name");

    const char *file = place_write_text(&p, "new_a.txt", "1 1 0 1\n");
    const char *folder = folder_in(&p, "closed");
    assert_int_equal(chmod(file, 0), 0);
    assert_int_equal(chmod(folder, 0), 0);
    lose_rights(&p);
    check_path_refused(file, SC_TRACE_ANY, SC_EIO, "you do not have permission to read it");
    check_path_refused(folder, SC_TRACE_ANY, SC_EIO,
                       "cannot read the folder: Permission denied; you do not have permission");
    check_path_refused(p.path, SC_TRACE_ANY, SC_EIO, "new_a.txt: cannot read: Permission denied");
    have_rights_again();
    assert_int_equal(chmod(folder, 0755), 0);
    place_free(&p);
}

static void check_cut(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/traces/%s", SC_TEST_DATA, name);
    size_t size = 0;
    char *bytes = read_whole(path, &size);
    const place p = place_new();
    for (size_t cut = 8; cut < size; cut += 7) {
        check_case(cut);
        check_path_refused(place_write(&p, "packed", bytes, cut), SC_TRACE_ANY, SC_EPARSE,
                           "data are damaged or cut short");
    }
    check_case_done();
    place_free(&p);
    free(bytes);
}

static void test_a_packed_file_that_was_cut_is_refused(void **state)
{
    (void)state;
    check_cut("cabs/new_2.txt.xz");
    check_cut("town.csv.gz");
}

// --- Progress ----------------------------------------------------------------------------------

typedef struct received {
    uint64_t reports;
    uint64_t last;
    uint64_t total;
} received;

static void hear(void *context, const char *phase, uint64_t done, uint64_t total)
{
    received *h = context;
    assert_string_equal(phase, "reading traces");
    assert_true(done >= h->last && done <= total);
    *h = (received){.reports = h->reports + 1, .last = done, .total = total};
}

static void test_long_reading_is_reported(void **state)
{
    (void)state;
    enum { LINES = 200000, LINE_SIZE = 24 };
    char *text = test_take(LINES, LINE_SIZE);
    size_t size = 0;
    for (int i = 0; i < LINES; i++) {
        size += (size_t)snprintf(text + size, LINE_SIZE, "1 2 0 %d\n", i);
    }
    received h = {0};
    sc_traces_options options = sc_traces_options_default();
    options.progress = (sc_progress){hear, &h};
    sc_traces *traces = NULL;
    sc_diag diag = {""};
    CHECK_OK(parse_traces("a", text, size, &options, &traces, &diag), &diag);
    assert_int_equal(h.reports, 3);
    assert_int_equal(h.total, size);
    sc_traces_free(traces);
    free(text);

    const place p = place_new();
    place_write_text(&p, "new_a.txt", "1 1 0 1\n");
    place_write_text(&p, "new_b.txt", "1 1 0 1\n");
    h = (received){0};
    CHECK_OK(sc_traces_read(p.path, &options, &traces, &diag), &diag);
    assert_int_equal(h.reports, 2);
    assert_int_equal(h.total, 2);
    sc_traces_free(traces);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_formats_have_names),
    cmocka_unit_test(test_the_examples_tell_one_story),
    SC_CASES(test_a_format_is_found_by_how_a_file_begins),
    SC_CASES(test_a_file_in_no_format_is_refused),
    cmocka_unit_test(test_a_nul_byte_is_in_no_text),
    SC_CASES(test_the_same_movements_are_the_same_in_every_format),
    cmocka_unit_test(test_a_folder_is_read_in_order_of_names_and_formats_may_mix),
    cmocka_unit_test(test_a_named_format_is_for_every_file),
    cmocka_unit_test(test_a_bad_file_in_a_folder_is_named),
    cmocka_unit_test(test_a_folder_without_traces_is_refused),
    cmocka_unit_test(test_what_is_not_there_or_forbidden_is_told),
    SC_CASES(test_a_packed_file_that_was_cut_is_refused),
    cmocka_unit_test(test_long_reading_is_reported),
};
SC_SUITE(tests)
