// The report: well-formed, complete, and in need of nothing else.
#include "lab/output.h"

#include "support/check.h"
#include "support/made_results.h"
#include "support/place.h"
#include "support/xml_page.h"

#include <stdio.h>
#include <sys/stat.h>

/** A report in a place of its own. */
typedef struct written {
    place here;
    char *text;
    xml_page page;
} written;

static written write_report(made_results *made)
{
    written w = {.here = place_new()};
    sc_lab_summary summary = {0};
    sc_diag diag = {""};
    made->options.directory = w.here.path;
    CHECK_OK(sc_lab_write(&made->results, &summary, &diag), &diag);
    made->options.directory = NULL;
    size_t size = 0;
    w.text = read_whole(place_path(&w.here, "report.html"), &size);
    w.page = xml_page_read(place_path(&w.here, "report.html"));
    xml_page_check_ids(&w.page);
    xml_page_check_references(&w.page, w.here.path);
    return w;
}

static void written_free(written *w)
{
    free(w->text);
    xml_page_free(&w->page);
    place_free(&w->here);
}

static void test_a_report_needs_nothing_but_itself(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made_results_fill(&made, as_the_paper_says);
    written w = write_report(&made);
    static const char *const outside[] = {"script", "link", "img", "iframe", "object", "embed"};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        assert_int_equal(xml_page_count(&w.page, outside[i]), 0);
    }
    assert_null(strstr(w.text, "@import"));
    assert_null(strstr(w.text, "url(http"));
    assert_int_equal(strncmp(w.text, "<!DOCTYPE html>\n<html lang=\"en\"", 31), 0);
    written_free(&w);
    made_results_free(&made);
}

static void test_a_report_tells_what_was_run(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.command = "starcloak experiment --map a&b.scm -o <out>";
    made.options.without_plots = true;
    made_results_fill(&made, as_the_paper_says);
    written w = write_report(&made);
    CHECK_CONTAINS(w.text, "An experiment of StarCloak 9.9 on town and country");
    CHECK_CONTAINS(w.text, "starcloak experiment --map a&amp;b.scm -o &lt;out&gt;");
    CHECK_CONTAINS(w.text, "10000 travellers were asked for on each map; how many there were is in "
                           "the table. Counted are the 60 s after a warm-up of 30 s");
    CHECK_CONTAINS(w.text, "trips by the fastest way");
    CHECK_CONTAINS(w.text, "because they got the same queries");
    CHECK_CONTAINS(w.text, "One stream for all");
    CHECK_CONTAINS(w.text, "Seeds 1 to 3.");
    CHECK_CONTAINS(w.text, "σ<sub>t</sub>, how late it may come</th><td class=\"n\">10</td><td "
                           "class=\"n\">2</td>");
    CHECK_CONTAINS(w.text, "3, 4, 5, 6, 7, 8, 9</td>");
    CHECK_CONTAINS(w.text, "Pause from an outcome");
    CHECK_CONTAINS(w.text, "<th scope=\"row\">Processor</th>");
    CHECK_CONTAINS(w.text, "<th scope=\"row\">Cores</th>");
    CHECK_CONTAINS(w.text, "Plots were left out, as asked for.");
    // Its host's name is not among what is told of a machine.
    char host[256] = "";
    FILE *file = fopen("/proc/sys/kernel/hostname", "r");
    if (file) {
        if (fgets(host, sizeof host, file)) host[strcspn(host, "\n")] = '\0';
        fclose(file);
    }
    if (strlen(host) > 5) assert_null(strstr(w.text, host));
    written_free(&w);

    made.options.is_closed = true;
    made.options.is_walk = true;
    made.options.command = NULL;
    made.options.version = NULL;
    w = write_report(&made);
    CHECK_CONTAINS(w.text, "Closed loop");
    assert_null(strstr(w.text, "same queries"));
    CHECK_CONTAINS(w.text, "each had travellers of its own with the same seed");
    CHECK_CONTAINS(w.text, "turns at random at every intersection");
    CHECK_CONTAINS(w.text, "An experiment of StarCloak on town and country");
    CHECK_CONTAINS(w.text, "Run <code>starcloak experiment</code> with the maps");
    written_free(&w);
    made_results_free(&made);
}

static void test_travellers_are_those_that_there_were(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    made_results_fill(&made, as_the_paper_says);
    written w = write_report(&made);
    CHECK_CONTAINS(w.text, "<td class=\"n\">10000</td>");
    assert_null(strstr(w.text, "<span class=\"u\">10000 asked for</span>"));
    written_free(&w);

    for (size_t i = 0; i < made.results.count; i++) {
        if (made.all[i].point.map == 1) made.all[i].travellers = 400 + (uint32_t)(i % 7);
    }
    w = write_report(&made);
    CHECK_CONTAINS(w.text, "<td class=\"n\">10000</td>");
    CHECK_CONTAINS(w.text,
                   "<td class=\"n\">400 to 406 <span class=\"u\">10000 asked for</span></td>");
    written_free(&w);
    made_results_free(&made);
}

static void test_one_of_something_is_not_many(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    made.options.map_count = 1;
    made.options.seed_count = 1;
    made.options.travellers = 1;
    made.options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){{5}, 1};
    memset(made.options.figures, 0, sizeof made.options.figures);
    made.options.figures[SC_LAB_SUCCESS] = 1U << SC_LAB_AXIS_K;
    made_results_fill(&made, as_the_paper_says);
    written w = write_report(&made);
    CHECK_CONTAINS(w.text, ": 1 point, 1 figure.<");
    CHECK_CONTAINS(w.text, "<li>1 traveller was asked for");
    CHECK_CONTAINS(w.text, "so at 1 of 1 point<");
    CHECK_CONTAINS(w.text, "With the same maps and the seed 1 all comes out");
    written_free(&w);
    made_results_free(&made);
}

static void test_intervals_stay_within_what_is_possible(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    made_results_fill(&made, as_the_paper_says);
    for (size_t i = 0; i < made.results.count; i++) {
        sc_lab_measure *basic = &made.all[i].by_method[SC_LAB_BASIC];
        basic->cloaked = 9700 + 100 * made.all[i].point.seed;
        basic->wait_s = (double)made.all[i].point.seed - 1;
    }
    written w = write_report(&made);
    // 98, 99 and 100, and 0, 1 and 2: 4.3027 / sqrt(3) to either side.
    CHECK_CONTAINS(w.text, "StarCloak</th><td class=\"n\">99.0 (96.5 to 100.0)</td>"
                           "<td class=\"n\">1.00 (0.00 to 3.48)</td>");
    // And so among the numbers of the figures.
    CHECK_CONTAINS(w.text, "<th scope=\"row\">3</th><td class=\"n\">99.0 (96.5 to 100.0)</td>");
    written_free(&w);
    made_results_free(&made);
}

static void test_the_default_setting_is_summed_up(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    made_results_fill(&made, as_the_paper_says);
    written w = write_report(&made);
    // 70 - (5 + 5 - 8 - 3) + 0.1, 0.2, 0.3: mean 71.2, and 4.3027 * 0.1 / sqrt(3).
    CHECK_CONTAINS(w.text, "StarCloak</th><td class=\"n\">71.2 ± 0.2</td><td class=\"n\">2.20 ± "
                           "0.25</td><td class=\"n\">0.932 ± 0.002</td><td "
                           "class=\"n\">6.50</td>");
    written_free(&w);

    // Not if the defaults were not among the values.
    made.options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){{3, 4}, 2};
    memset(made.options.figures, 0, sizeof made.options.figures);
    made.options.figures[SC_LAB_SUCCESS] = 1U << SC_LAB_AXIS_K;
    made_results_fill(&made, as_the_paper_says);
    w = write_report(&made);
    CHECK_CONTAINS(w.text, "On town the default setting is not among those that were run.");
    written_free(&w);
    made_results_free(&made);
}

static void test_claims_have_verdicts_in_words(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    made_results_fill(&made, as_the_paper_says);
    for (size_t i = 0; i < made.results.count; i++) {
        made.all[i].by_method[SC_LAB_STRICT].cloaked = 9999;
    }
    made.options.methods &= ~(1U << SC_LAB_SAMPLING);
    written w = write_report(&made);
    // Success of strict says nothing of how long, how fast, how much and how safe: five of eight
    // hold.
    CHECK_CONTAINS(w.text, "<p class=\"holds\"><strong>5</strong> hold</p>"
                           "<p class=\"fails\"><strong>3</strong> do not hold</p>"
                           "<p class=\"untold\"><strong>0</strong> cannot be told</p>");
    CHECK_CONTAINS(w.text, "<a href=\"#claim-4\">4. Throughput</a></th><td>Throughput of the "
                           "baselines is 5 to 6 times below that of StarCloak; XStar’s falls as l "
                           "rises.</td><td><span class=\"v holds\">✓ holds</span></td>");
    // Of 1a, 1b for both settings of bounded, and 1c for four variants, only 1b of strict fails.
    CHECK_CONTAINS(w.text, "all of them more often than XStar.</td><td>"
                           "<span class=\"v fails\">✗ does not hold</span></td>"
                           "<td><span class=\"v part\">6 of 7 statements hold</span></td>");
    CHECK_CONTAINS(w.text, "<span class=\"v holds\">✓ holds</span>");
    CHECK_CONTAINS(w.text, "<span class=\"v part\">◐ holds for 1 of 2</span>");
    CHECK_CONTAINS(w.text, "<span class=\"v untold\">not told</span>");
    CHECK_CONTAINS(w.text, "<span class=\"v fails\">does not hold</span>");
    CHECK_CONTAINS(w.text, "random sampling was not run");
    CHECK_CONTAINS(w.text, "rank correlation of the means with the axis is at least 0.6");
    CHECK_CONTAINS(w.text, "<a href=\"claims.csv\">");
    written_free(&w);
    made_results_free(&made);
}

static void test_figures_have_captions_links_and_numbers(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    made_results_fill(&made, as_the_paper_says);
    written w = write_report(&made);
    assert_int_equal(xml_page_count(&w.page, "figure"), 40);
    assert_int_equal(xml_page_count(&w.page, "figcaption"), 40);
    CHECK_CONTAINS(w.text, "Candidate result size (objects per query) on town, over k of k-NN "
                           "(objects). Means of 3 seeds, with 95 % intervals. "
                           "<a href=\"town-candidates-nearest.csv\">CSV</a>");
    written_free(&w);
    made_results_free(&made);
}

// --- The adversary -----------------------------------------------------------------------

static void test_a_report_tells_what_an_adversary_knows_and_does(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    made.options.max_victims = 23;
    made.options.adversary.max_placements = 2222;
    made.options.adversary.runs = 5;
    made.options.adversary.samples = 3333;
    made.options.adversary.likeness = SC_LIKENESS_OVERLAP;
    made_results_fill(&made, as_the_paper_says);
    written w = write_report(&made);
    CHECK_CONTAINS(w.text, "<a href=\"#attack\">Attacks</a>");
    CHECK_CONTAINS(w.text, "<h2 id=\"attack\">What an adversary learns</h2>");
    CHECK_CONTAINS(w.text,
                   "no more than 2222 such placements it tries them all, at least 5 times each; "
                   "elsewhere it draws 3333 of them");
    CHECK_CONTAINS(w.text, "it attacks up to 23 cloaks of each method");
    CHECK_CONTAINS(w.text, "Nothing of how busy a segment is");
    CHECK_CONTAINS(w.text, "the part of the cloak’s segments that");
    CHECK_CONTAINS(w.text, "Injected queries are its own");
    CHECK_CONTAINS(w.text, "Who asks again is followed");
    written_free(&w);

    made.options.knows_traffic = true;
    made.options.adversary.likeness = SC_LIKENESS_EXACT;
    made.options.figures[SC_LAB_ENTROPY] = 1U << SC_LAB_AXIS_K;
    made.options.figures[SC_LAB_EFFECTIVE] = 0;
    w = write_report(&made);
    CHECK_CONTAINS(w.text, "as counted in the traffic of another seed");
    CHECK_CONTAINS(w.text, "1 if it is the very same, 0 if not.");
    assert_null(strstr(w.text, "Injected queries are its own"));
    assert_null(strstr(w.text, "queries injected for each victim"));
    assert_null(strstr(w.text, "Who asks again is followed"));
    assert_null(strstr(w.text, "One cloak after the other"));
    written_free(&w);
    made_results_free(&made);
}

static void test_a_report_tells_what_guesses_are_worth(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    made_results_fill(&made, as_the_paper_says);
    written w = write_report(&made);
    CHECK_CONTAINS(w.text, "<caption>town, nothing injected</caption>");
    CHECK_CONTAINS(w.text, "<caption>country, 6 queries injected for each victim</caption>");
    // XStar: 0.85 + 0.002 less 6 times 0.03, half of the injected recognised; 0.06 and a fifth of
    // what is missing to 1; 9 times; 5 of 20, 1 of 20, and 60000 for 20.
    CHECK_CONTAINS(w.text, "XStar</th><td class=\"n\">3.00</td><td class=\"n\">0.672 ± 0.002</td>"
                           "<td class=\"n\">0.006</td><td class=\"n\">-0.002</td>"
                           "<td class=\"n\">0.126 ± 0.000</td>"
                           "<td class=\"n\">6.05 ± 0.02</td>"
                           "<td class=\"n\">20.0</td><td class=\"n\">25.0</td>"
                           "<td class=\"n\">5.00</td><td class=\"n\">3000</td>"
                           "<td class=\"n\">11.0</td><td class=\"n\">9.50</td></tr>");
    // The strict variant as the others.
    CHECK_CONTAINS(w.text, "bounded, strict</th><td class=\"n\">0.912 ± 0.002</td>");
    // As many cloaks as are looked at; 1 / (1 + 15 * 0.932), and so on.
    CHECK_CONTAINS(w.text, "Cloak 5 <span class=\"u\">probability</span></th></tr>");
    CHECK_CONTAINS(w.text, "StarCloak</th><td class=\"n\">15.0</td>"
                           "<td class=\"n\">0.067 ± 0.000</td>");
    written_free(&w);
    made_results_free(&made);
}

static void test_a_report_warns_of_entropies_from_too_few_replays(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    made_results_fill(&made, as_the_paper_says);
    written w = write_report(&made);
    assert_null(strstr(w.text, "Few replays:"));
    written_free(&w);
    for (size_t i = 0; i < made.results.count; i++) {
        made.all[i].by_method[SC_LAB_SAMPLING].entropy_bias = -0.18;
        made.all[i].by_method[SC_LAB_EXPANSION].entropy_bias = i % 2 == 0 ? -0.018 : -0.021;
        // Whoever was not attacked does not count.
        if (i > 0) made.all[i].by_method[SC_LAB_XSTAR].attacked_cloaks = 0;
        if (i > 0) made.all[i].by_method[SC_LAB_XSTAR].entropy_bias = -0.5;
    }
    w = write_report(&made);
    CHECK_CONTAINS(w.text, "Few replays: entropy was corrected upwards by about 0.180 (random "
                           "sampling), as a mean over all points.");
    written_free(&w);
    made_results_free(&made);
}

static void test_a_report_without_attacks_does_not_speak_of_them(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    made.options.figures[SC_LAB_ENTROPY] = 0;
    made.options.figures[SC_LAB_EFFECTIVE] = 0;
    made_results_fill(&made, as_the_paper_says);
    written w = write_report(&made);
    assert_null(strstr(w.text, "id=\"attack\""));
    assert_null(strstr(w.text, "href=\"#attack\""));
    assert_null(strstr(w.text, "under attack"));
    // But the paper's claim about it is there, not told.
    CHECK_CONTAINS(w.text, "8. Resilience to attacks</a>");
    CHECK_CONTAINS(w.text, "<p class=\"untold\"><strong>1</strong> cannot be told</p>");
    written_free(&w);
    made_results_free(&made);
}

static void test_victims_that_there_were_not_have_no_numbers(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    made_results_fill(&made, as_the_paper_says);
    for (size_t i = 0; i < made.results.count; i++) {
        for (int method = 0; method < SC_LAB_METHOD_COUNT; method++) {
            sc_lab_measure *measure = &made.all[i].by_method[method];
            measure->attacked_cloaks = 0;
            memset(measure->followed, 0, sizeof measure->followed);
        }
    }
    written w = write_report(&made);
    CHECK_CONTAINS(w.text, "XStar</th><td class=\"n\">–</td><td class=\"n\">–</td>");
    CHECK_CONTAINS(w.text, "There are no numbers: nobody had enough cloaks to be followed.");
    assert_null(strstr(w.text, "nan"));
    written_free(&w);
    made_results_free(&made);
}

// --- Odd ones ----------------------------------------------------------------------------

static void test_one_seed_and_nothing_cloaked_make_a_report_too(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    made.options.seed_count = 1;
    made_results_fill(&made, as_the_paper_says);
    for (size_t i = 0; i < made.results.count; i++) {
        for (int method = 0; method < SC_LAB_METHOD_COUNT; method++) {
            made.all[i].by_method[method] = (sc_lab_measure){.queries = 9, .cpu_us = 1};
        }
    }
    written w = write_report(&made);
    CHECK_CONTAINS(w.text, "One seed, 1: there are no intervals.");
    CHECK_CONTAINS(w.text, "There are no numbers: nothing was cloaked.");
    CHECK_CONTAINS(w.text, "StarCloak</th><td class=\"n\">0.00</td><td class=\"n\">–</td>");
    assert_null(strstr(w.text, "nan"));
    written_free(&w);
    made_results_free(&made);
}

static void test_a_report_without_any_point_says_so_little(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    memset(made.options.figures, 0, sizeof made.options.figures);
    made_results_fill(&made, as_the_paper_says);
    assert_int_equal(made.results.count, 0);
    written w = write_report(&made);
    CHECK_CONTAINS(w.text, "0 points, 0 figures");
    written_free(&w);
    made_results_free(&made);
}

static void test_names_cannot_become_tags(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    // Files are named after maps, so the tag that ends has its slash the wrong way.
    made.options.maps[0].name = "<script>alert('1')<\\script>\"&\xc3\x28\x02\xef\xbf\xbf";
    made.options.maps[1].name = "50% of #1, mostly?";
    made_results_fill(&made, as_the_paper_says);
    written w = write_report(&made);
    assert_int_equal(xml_page_count(&w.page, "script"), 0);
    CHECK_CONTAINS(w.text,
                   "&lt;script&gt;alert(&#39;1&#39;)&lt;\\script&gt;&quot;&amp;\xef\xbf\xbd(");
    CHECK_CONTAINS(w.text, "href=\"50%25%20of%20%231%2C%20mostly%3F-success-k.csv\"");
    written_free(&w);
    made_results_free(&made);
}

static void test_a_place_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made.options.without_plots = true;
    made_results_fill(&made, as_the_paper_says);
    place here = place_new();
    // What bears the report's name is a directory.
    assert_int_equal(mkdir(place_path(&here, "report.html"), 0777), 0);
    made.options.directory = here.path;
    sc_lab_summary summary = {0};
    sc_diag diag = {""};
    sc_err err = sc_lab_write(&made.results, &summary, &diag);
    CHECK_REFUSED(err, SC_EIO, &diag, "report.html': cannot write");
    assert_int_equal(summary.figure_count, 0);

    lose_rights(&here);
    err = sc_lab_write(&made.results, &summary, &diag);
    have_rights_again();
    CHECK_REFUSED(err, SC_EIO, &diag, "points.csv: cannot write");
    place_free(&here);
    made_results_free(&made);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_report_needs_nothing_but_itself),
    cmocka_unit_test(test_a_report_tells_what_was_run),
    cmocka_unit_test(test_travellers_are_those_that_there_were),
    cmocka_unit_test(test_one_of_something_is_not_many),
    cmocka_unit_test(test_intervals_stay_within_what_is_possible),
    cmocka_unit_test(test_the_default_setting_is_summed_up),
    cmocka_unit_test(test_claims_have_verdicts_in_words),
    cmocka_unit_test(test_figures_have_captions_links_and_numbers),
    cmocka_unit_test(test_a_report_tells_what_an_adversary_knows_and_does),
    cmocka_unit_test(test_a_report_tells_what_guesses_are_worth),
    cmocka_unit_test(test_a_report_warns_of_entropies_from_too_few_replays),
    cmocka_unit_test(test_a_report_without_attacks_does_not_speak_of_them),
    cmocka_unit_test(test_victims_that_there_were_not_have_no_numbers),
    cmocka_unit_test(test_one_seed_and_nothing_cloaked_make_a_report_too),
    cmocka_unit_test(test_a_report_without_any_point_says_so_little),
    cmocka_unit_test(test_names_cannot_become_tags),
    cmocka_unit_test(test_a_place_that_cannot_be_written_is_told),
};
SC_SUITE(tests)
