// measures.csv and report.json: what tools/report.py is told.
#include "lab/lab_output.h"

#include "lab/claims.h"

#include "support/check.h"
#include "support/made_results.h"
#include "support/place.h"

#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>

/** The two files of an experiment, in a place of its own. */
typedef struct written {
    place here;
    json_t *report;
    char *measures;
} written;

static written write_data(made_results *made)
{
    written w = {.here = place_new()};
    sc_lab_summary summary = {0};
    sc_diag diag = {""};
    made->options.directory = w.here.path;
    CHECK_OK(sc_lab_write(&made->results, &summary, &diag), &diag);
    made->options.directory = NULL;
    json_error_t why;
    w.report = json_load_file(place_path(&w.here, "report.json"), 0, &why);
    if (!w.report) fail_msg("report.json: %s", why.text);
    size_t size = 0;
    w.measures = read_whole(place_path(&w.here, "measures.csv"), &size);
    return w;
}

static void written_free(written *w)
{
    json_decref(w->report);
    free(w->measures);
    place_free(&w->here);
}

static const json_t *at(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!value) fail_msg("there is no \"%s\"", name);
    return value;
}

static const char *text_at(const json_t *object, const char *name)
{
    return json_string_value(at(object, name));
}

static double number_at(const json_t *object, const char *name)
{
    return json_number_value(at(object, name));
}

/** The entry of a list that has the name. */
static const json_t *named(const json_t *report, const char *list, const char *name)
{
    size_t i = 0;
    const json_t *item = NULL;
    json_array_foreach(at(report, list), i, item)
    {
        if (strcmp(text_at(item, "name"), name) == 0) return item;
    }
    fail_msg("%s has no '%s'", list, name);
    return NULL;
}

static size_t count_lines(const char *text, const char *begin)
{
    size_t count = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        count += strncmp(line, begin, strlen(begin)) == 0;
    }
    return count;
}

// --- report.json -------------------------------------------------------------------------

static void test_what_was_run_is_told(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.command = "starcloak experiment --map 'a&b.scm' -o \"<out>\"";
    made_results_fill(&made, as_the_paper_says);
    written w = write_data(&made);
    assert_string_equal(text_at(w.report, "version"), "9.9");
    assert_string_equal(text_at(w.report, "command"), made.options.command);
    assert_int_equal(number_at(w.report, "points"), made.results.count);
    assert_int_equal(number_at(at(w.report, "seeds"), "first"), 1);
    assert_int_equal(number_at(at(w.report, "seeds"), "count"), 3);
    assert_int_equal(number_at(w.report, "travellers"), 10000);
    assert_int_equal(number_at(w.report, "warm_up_s"), 30);
    assert_int_equal(number_at(w.report, "counted_s"), 60);
    assert_true(json_is_false(at(w.report, "closed")));
    const json_t *town = named(w.report, "maps", "town");
    assert_string_equal(text_at(town, "movement"), "trips");
    assert_true(number_at(town, "objects") > 0);
    assert_int_equal(number_at(named(w.report, "maps", "country"), "objects"), 0);
    const json_t *wait = named(w.report, "axes", "sigma_t");
    assert_string_equal(text_at(wait, "symbol"), "σt");
    assert_int_equal(number_at(at(wait, "need"), "mean"), 10);
    assert_int_equal(number_at(at(wait, "need"), "deviation"), 2);
    assert_true(json_is_true(at(wait, "varied")));
    assert_int_equal(json_array_size(at(named(w.report, "axes", "k"), "values")), 7);
    assert_null(json_object_get(named(w.report, "axes", "injected"), "need"));
    assert_int_equal(json_array_size(at(w.report, "figures")), 40);
    assert_int_equal(json_array_size(at(w.report, "methods")), SC_LAB_SAMPLING_LITERAL);
    // No limit is null.
    assert_int_equal(number_at(named(w.report, "metrics", "success"), "most"), 100);
    assert_true(json_is_null(at(named(w.report, "metrics", "anonymization"), "most")));
    assert_true(json_is_true(at(named(w.report, "metrics", "throughput"), "logarithmic")));
    written_free(&w);

    made.options.is_closed = true;
    made.options.is_walk = true;
    made.options.command = NULL;
    made.options.version = NULL;
    w = write_data(&made);
    assert_true(json_is_true(at(w.report, "closed")));
    assert_true(json_is_null(at(w.report, "command")));
    assert_true(json_is_null(at(w.report, "version")));
    assert_string_equal(text_at(named(w.report, "maps", "town"), "movement"), "walk");
    CHECK_CONTAINS(json_string_value(json_array_get(at(w.report, "rules"), 0)),
                   "each had travellers of its own with the same seed");
    written_free(&w);
    made_results_free(&made);
}

static void test_the_machine_is_told_without_its_name(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made_results_fill(&made, as_the_paper_says);
    written w = write_data(&made);
    const json_t *machine = at(w.report, "machine");
    assert_true(strlen(text_at(machine, "processor")) > 0);
    assert_true(strlen(text_at(machine, "compiler")) > 0);
    assert_true(number_at(machine, "cores") >= 1);
    assert_true(number_at(machine, "memory_gib") > 0);
    char host[256] = "";
    FILE *file = fopen("/proc/sys/kernel/hostname", "r");
    if (file) {
        if (fgets(host, sizeof host, file)) host[strcspn(host, "\n")] = '\0';
        fclose(file);
    }
    char *all = json_dumps(w.report, 0);
    if (strlen(host) > 5) assert_null(strstr(all, host));
    free(all);
    written_free(&w);
    made_results_free(&made);
}

static void test_travellers_are_those_that_there_were(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made_results_fill(&made, as_the_paper_says);
    for (size_t i = 0; i < made.results.count; i++) {
        if (made.all[i].point.map == 1) made.all[i].travellers = 400 + (uint32_t)(i % 7);
    }
    written w = write_data(&made);
    const json_t *crowd = at(named(w.report, "maps", "country"), "travellers");
    assert_int_equal(number_at(crowd, "least"), 400);
    assert_int_equal(number_at(crowd, "most"), 406);
    crowd = at(named(w.report, "maps", "town"), "travellers");
    assert_int_equal(number_at(crowd, "least"), 10000);
    assert_int_equal(number_at(crowd, "most"), 10000);
    written_free(&w);
    made_results_free(&made);
}

static void test_the_adversary_is_told(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.max_victims = 23;
    made.options.adversary.max_placements = 2222;
    made.options.adversary.runs = 5;
    made.options.adversary.samples = 3333;
    made.options.adversary.likeness = SC_LIKENESS_OVERLAP;
    made_results_fill(&made, as_the_paper_says);
    written w = write_data(&made);
    const json_t *adversary = at(w.report, "adversary");
    assert_int_equal(number_at(adversary, "max_victims"), 23);
    assert_int_equal(number_at(adversary, "max_placements"), 2222);
    assert_int_equal(number_at(adversary, "runs"), 5);
    assert_int_equal(number_at(adversary, "samples"), 3333);
    assert_string_equal(text_at(adversary, "likeness"), "overlap");
    assert_string_equal(text_at(adversary, "others"), "roads");
    assert_true(json_is_false(at(adversary, "knows_traffic")));
    written_free(&w);

    made.options.knows_traffic = true;
    made.options.adversary.likeness = SC_LIKENESS_EXACT;
    w = write_data(&made);
    assert_string_equal(text_at(at(w.report, "adversary"), "likeness"), "exact");
    assert_true(json_is_true(at(at(w.report, "adversary"), "knows_traffic")));
    written_free(&w);
    made_results_free(&made);
}

static void test_how_far_entropy_was_corrected_is_told(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made_results_fill(&made, as_the_paper_says);
    for (size_t i = 0; i < made.results.count; i++) {
        made.all[i].by_method[SC_LAB_SAMPLING].entropy_bias = -0.18;
        // Points that were not attacked do not count.
        if (i > 0) made.all[i].by_method[SC_LAB_XSTAR].attacked_cloaks = 0;
        if (i > 0) made.all[i].by_method[SC_LAB_XSTAR].entropy_bias = -0.5;
    }
    written w = write_data(&made);
    CHECK_CLOSE(number_at(named(w.report, "methods", "sampling"), "entropy_correction"), 0.18,
                1e-9);
    assert_true(number_at(named(w.report, "methods", "xstar"), "entropy_correction") < 0.02);
    written_free(&w);
    made_results_free(&made);
}

// What a claim comes to in the only reading of the baselines that was run.
static const json_t *verdict_at(const json_t *claims, size_t i)
{
    const json_t *verdicts = at(json_array_get(claims, i), "verdicts");
    assert_int_equal(json_array_size(verdicts), 1);
    return json_array_get(verdicts, 0);
}

static void test_claims_have_a_verdict_for_each_reading(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.methods |= SC_LAB_LITERAL_BASELINES;
    made_results_fill(&made, as_the_paper_says);
    for (size_t i = 0; i < made.results.count; i++) {
        made.all[i].by_method[SC_LAB_EXPANSION_LITERAL].wait_s = 0;
    }
    written w = write_data(&made);
    const json_t *verdicts = at(json_array_get(at(w.report, "paper_claims"), 4), "verdicts");
    assert_int_equal(json_array_size(verdicts), 2);
    assert_string_equal(text_at(json_array_get(verdicts, 0), "reading"), "shared");
    assert_string_equal(text_at(json_array_get(verdicts, 0), "verdict"), "holds");
    assert_string_equal(text_at(json_array_get(verdicts, 1), "reading"), "literal");
    assert_string_equal(text_at(json_array_get(verdicts, 1), "verdict"), "does not hold");
    assert_int_equal(json_array_size(at(json_array_get(verdicts, 1), "exceptions")), 2);
    written_free(&w);
    made_results_free(&made);
}

static void test_claims_have_texts_and_verdicts(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made_results_fill(&made, as_the_paper_says);
    for (size_t i = 0; i < made.results.count; i++) {
        made.all[i].by_method[SC_LAB_STRICT].cloaked = 9999;
    }
    made.options.methods &= ~(1U << SC_LAB_SAMPLING);
    written w = write_data(&made);
    const json_t *claims = at(w.report, "paper_claims");
    size_t held = 0;
    assert_int_equal(json_array_size(claims), SC_LAB_PAPER_CLAIMS);
    for (size_t i = 0; i < json_array_size(claims); i++) {
        held += strcmp(text_at(verdict_at(claims, i), "verdict"), "holds") == 0;
    }
    // Success of strict says nothing of how long, how fast, how much and how safe: five of eight
    // hold.
    assert_int_equal(held, 5);
    assert_string_equal(text_at(json_array_get(claims, 3), "title"), "Throughput");
    assert_string_equal(text_at(verdict_at(claims, 0), "verdict"), "mostly holds");
    assert_string_equal(text_at(verdict_at(claims, 0), "reading"), "shared");
    const json_t *exceptions = at(verdict_at(claims, 0), "exceptions");
    assert_true(json_array_size(exceptions) > 1);
    assert_string_equal(text_at(json_array_get(exceptions, 0), "claim"), "1b");
    assert_string_equal(text_at(json_array_get(exceptions, 0), "map"), made.options.maps[0].name);
    assert_string_equal(text_at(json_array_get(exceptions, 0), "methods"),
                        "bounded, strict against hybrid");
    assert_int_equal(json_array_size(at(verdict_at(claims, 3), "exceptions")), 0);
    assert_int_equal(json_array_size(at(w.report, "statements")), 31);
    assert_string_equal(text_at(json_array_get(at(w.report, "statements"), 0), "claim"), "1a");
    assert_true(json_array_size(at(w.report, "rules")) == 11);
    written_free(&w);
    made_results_free(&made);
}

static void test_names_cannot_leave_their_strings(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.maps[0].name = "a\",\"b\": 1, \xc3\x28\x02";
    made_results_fill(&made, as_the_paper_says);
    written w = write_data(&made);
    assert_string_equal(text_at(json_array_get(at(w.report, "maps"), 0), "name"),
                        "a\",\"b\": 1, \xef\xbf\xbd(\x02");
    written_free(&w);
    made_results_free(&made);
}

static void test_nothing_run_is_a_report_too(void **state)
{
    (void)state;
    made_results made = made_results_new();
    memset(made.options.figures, 0, sizeof made.options.figures);
    made_results_fill(&made, as_the_paper_says);
    assert_int_equal(made.results.count, 0);
    written w = write_data(&made);
    assert_int_equal(number_at(w.report, "points"), 0);
    assert_int_equal(json_array_size(at(w.report, "figures")), 0);
    assert_true(json_is_null(at(named(w.report, "maps", "town"), "travellers")));
    assert_string_equal(w.measures, "table,map,method,measure,mean,low,high,seeds\n");
    written_free(&w);
    made_results_free(&made);
}

static void test_a_place_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    static const char *const names[] = {"report.json", "measures.csv"};
    made_results made = made_results_new();
    made_results_fill(&made, as_the_paper_says);
    for (size_t i = 0; i < 2; i++) {
        place here = place_new();
        // What bears the file's name is a directory.
        assert_int_equal(mkdir(place_path(&here, names[i]), 0777), 0);
        made.options.directory = here.path;
        sc_lab_summary summary = {0};
        sc_diag diag = {""};
        sc_err err = sc_lab_write(&made.results, &summary, &diag);
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%s': cannot write", names[i]);
        CHECK_REFUSED(err, SC_EIO, &diag, wanted);
        assert_int_equal(summary.figure_count, 0);
        lose_rights(&here);
        err = sc_lab_write(&made.results, &summary, &diag);
        have_rights_again();
        CHECK_REFUSED(err, SC_EIO, &diag, "points.csv: cannot write");
        place_free(&here);
    }
    made_results_free(&made);
}

// --- measures.csv ------------------------------------------------------------------------

static void test_the_default_setting_is_summed_up(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made_results_fill(&made, as_the_paper_says);
    written w = write_data(&made);
    // 70 - (5 + 5 - 8 - 3) + 0.1, 0.2, 0.3: mean 71.2, and 4.3027 * 0.1 / sqrt(3).
    CHECK_CONTAINS(w.measures, "\ndefault,town,basic,success,71.2,70.95158");
    CHECK_CONTAINS(w.measures, "\ndefault,town,basic,anonymization,2.2,");
    CHECK_CONTAINS(w.measures, "\ndefault,town,basic,entropy,0.932,");
    CHECK_CONTAINS(w.measures, "\ndefault,town,basic,users,6.5,");
    CHECK_CONTAINS(w.measures, "\ndefault,town,basic,cpu_us_measured,");
    CHECK_CONTAINS(w.measures, "\ndefault,town,basic,throughput_measured,");
    CHECK_CONTAINS(w.measures, "\ndefault,town,basic,processing_measured,");
    // Without objects, nothing of a provider.
    assert_int_equal(count_lines(w.measures, "default,country,basic,candidates"), 0);
    assert_int_equal(count_lines(w.measures, "default,country,basic,success"), 1);
    written_free(&w);

    // Not if the defaults were not among the values.
    made.options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){{3, 4}, 2};
    memset(made.options.figures, 0, sizeof made.options.figures);
    made.options.figures[SC_LAB_SUCCESS] = 1U << SC_LAB_AXIS_K;
    made_results_fill(&made, as_the_paper_says);
    w = write_data(&made);
    assert_int_equal(count_lines(w.measures, "default,"), 0);
    written_free(&w);
    made_results_free(&made);
}

static void test_intervals_stay_within_what_is_possible(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made_results_fill(&made, as_the_paper_says);
    for (size_t i = 0; i < made.results.count; i++) {
        sc_lab_measure *basic = &made.all[i].by_method[SC_LAB_BASIC];
        basic->cloaked = 9700 + 100 * made.all[i].point.seed;
        basic->wait_s = (double)made.all[i].point.seed - 1;
        basic->entropy_bias = -(double)made.all[i].point.seed;
    }
    written w = write_data(&made);
    // 98, 99 and 100, and 0, 1 and 2: 4.3027 / sqrt(3) to either side.
    CHECK_CONTAINS(w.measures, "\ndefault,town,basic,success,99,96.515862");
    CHECK_CONTAINS(w.measures, ",100,3\ndefault,town,basic,anonymization,1,0,3.484137");
    // A bias may well be below 0.
    CHECK_CONTAINS(w.measures, "\nattacked,town,basic,entropy_bias,-2,-4.484137");
    written_free(&w);
    made_results_free(&made);
}

static void test_what_guesses_are_worth_is_told(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made_results_fill(&made, as_the_paper_says);
    written w = write_data(&made);
    // XStar: 0.85 + 0.002 less 6 times 0.03, half of the injected recognised; 5 of 20, 1 of 20, and
    // 60000 for 20.
    static const char *const wanted[] = {
        "recognised,3,3,3,3",           "entropy,0.672,",         "entropy_error,0.006",
        "entropy_bias,-0.002,",         "probability,0.1256",     "rank,6.048",
        "attacked_cloaks,20,20,20,3",   "enumerated_share,0.25,", "unexplained_share,0.05,",
        "replays_per_cloak,3000,3000,", "attacked_segments,11,",  "attacked_effective,9.5",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        char line[100];
        snprintf(line, sizeof line, "\ninjected,country,xstar,%s", wanted[i]);
        CHECK_CONTAINS(w.measures, line);
    }
    assert_int_equal(count_lines(w.measures, "attacked,town,xstar,recognised"), 0);
    CHECK_CONTAINS(w.measures, "\nattacked,town,strict,entropy,0.912,");
    // As many cloaks as are looked at; 1 / (1 + 15 * 0.932).
    CHECK_CONTAINS(w.measures, "\nfollowed,town,basic,followed,15,15,15,3");
    CHECK_CONTAINS(w.measures, "\nfollowed,town,basic,located_1,0.0667");
    assert_int_equal(count_lines(w.measures, "followed,town,basic,located_5"), 1);
    assert_int_equal(count_lines(w.measures, "followed,town,basic,located_6"), 0);
    written_free(&w);

    made.options.figures[SC_LAB_ENTROPY] = 1U << SC_LAB_AXIS_K;
    made.options.figures[SC_LAB_EFFECTIVE] = 0;
    w = write_data(&made);
    assert_true(count_lines(w.measures, "attacked,") > 0);
    assert_int_equal(count_lines(w.measures, "injected,"), 0);
    assert_int_equal(count_lines(w.measures, "followed,"), 0);
    written_free(&w);

    made.options.figures[SC_LAB_ENTROPY] = 0;
    w = write_data(&made);
    assert_int_equal(count_lines(w.measures, "attacked,"), 0);
    assert_int_equal(count_lines(w.measures, "default,town,basic,entropy"), 0);
    written_free(&w);
    made_results_free(&made);
}

static void test_what_there_was_not_has_no_numbers(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made_results_fill(&made, as_the_paper_says);
    for (size_t i = 0; i < made.results.count; i++) {
        for (int method = 0; method < SC_LAB_METHOD_COUNT; method++) {
            sc_lab_measure *measure = &made.all[i].by_method[method];
            measure->attacked_cloaks = 0;
            memset(measure->followed, 0, sizeof measure->followed);
        }
    }
    written w = write_data(&made);
    CHECK_CONTAINS(w.measures, "\nattacked,town,xstar,entropy,,,,0\n");
    CHECK_CONTAINS(w.measures, "\nattacked,town,xstar,enumerated_share,,,,0\n");
    CHECK_CONTAINS(w.measures, "\nfollowed,town,xstar,located_1,,,,0\n");
    assert_null(strstr(w.measures, "nan"));
    written_free(&w);
    made_results_free(&made);
}

static void test_one_seed_has_no_interval(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.seed_count = 1;
    made_results_fill(&made, as_the_paper_says);
    for (size_t i = 0; i < made.results.count; i++) {
        for (int method = 0; method < SC_LAB_METHOD_COUNT; method++) {
            made.all[i].by_method[method] = (sc_lab_measure){.queries = 9, .cpu_us = 1};
        }
    }
    written w = write_data(&made);
    CHECK_CONTAINS(w.measures, "\ndefault,town,basic,success,0,,,1\n"
                               "default,town,basic,anonymization,,,,0\n");
    assert_null(strstr(w.measures, "nan"));
    written_free(&w);
    made_results_free(&made);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_was_run_is_told),
    cmocka_unit_test(test_the_machine_is_told_without_its_name),
    cmocka_unit_test(test_travellers_are_those_that_there_were),
    cmocka_unit_test(test_the_adversary_is_told),
    cmocka_unit_test(test_how_far_entropy_was_corrected_is_told),
    cmocka_unit_test(test_claims_have_texts_and_verdicts),
    cmocka_unit_test(test_claims_have_a_verdict_for_each_reading),
    cmocka_unit_test(test_names_cannot_leave_their_strings),
    cmocka_unit_test(test_nothing_run_is_a_report_too),
    cmocka_unit_test(test_a_place_that_cannot_be_written_is_told),
    cmocka_unit_test(test_the_default_setting_is_summed_up),
    cmocka_unit_test(test_intervals_stay_within_what_is_possible),
    cmocka_unit_test(test_what_guesses_are_worth_is_told),
    cmocka_unit_test(test_what_there_was_not_has_no_numbers),
    cmocka_unit_test(test_one_seed_has_no_interval),
};
SC_SUITE(tests)
