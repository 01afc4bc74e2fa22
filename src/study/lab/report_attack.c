// What an adversary learns: what it knows, how it guesses, and how near it came to the truth.
//
// The figures of entropy and effective segments stand among the others; here is what they leave
// out: how much work was done, how sure the numbers are, and what the beliefs were worth.
#include "base/alloc.h"
#include "base/diag.h"
#include "lab/report_internal.h"

#include <inttypes.h>

// The first is for tables of injection, the last for the others: injected queries hardly change it.
static const sc_lab_shown attacked[] = {
    {.title = "Recognised",
     .unit = "per cloak",
     .is_plain = true,
     .is_column = true,
     .column = SC_LAB_COLUMN_RECOGNISED},
    {.title = "Entropy", .unit = "of log2 |S|", .metric = SC_LAB_ENTROPY},
    {.title = "Error",
     .unit = "of one cloak",
     .is_plain = true,
     .is_column = true,
     .column = SC_LAB_COLUMN_ENTROPY_ERROR},
    {.title = "Bias",
     .unit = "of all cloaks",
     .is_plain = true,
     .is_column = true,
     .column = SC_LAB_COLUMN_ENTROPY_BIAS},
    {.title = "Probability",
     .unit = "true segment",
     .is_column = true,
     .column = SC_LAB_COLUMN_PROBABILITY,
     .most = 1},
    {.title = "Rank", .unit = "true segment", .is_column = true, .column = SC_LAB_COLUMN_RANK},
    {.title = "Cloaks",
     .unit = "per seed",
     .is_plain = true,
     .is_column = true,
     .column = SC_LAB_COLUMN_ATTACKED_CLOAKS},
    {.title = "Enumerated",
     .unit = "% of them",
     .is_plain = true,
     .is_column = true,
     .column = SC_LAB_COLUMN_ENUMERATED,
     .per = SC_LAB_COLUMN_ATTACKED_CLOAKS,
     .scale = 100},
    {.title = "Unexplained",
     .unit = "% of them",
     .is_plain = true,
     .is_column = true,
     .column = SC_LAB_COLUMN_UNEXPLAINED,
     .per = SC_LAB_COLUMN_ATTACKED_CLOAKS,
     .scale = 100},
    {.title = "Replays",
     .unit = "per cloak",
     .is_plain = true,
     .is_column = true,
     .column = SC_LAB_COLUMN_REPLAYS,
     .per = SC_LAB_COLUMN_ATTACKED_CLOAKS},
    {.title = "Segments",
     .unit = "per cloak",
     .is_plain = true,
     .is_column = true,
     .column = SC_LAB_COLUMN_ATTACKED_SEGMENTS},
    {.title = "Effective",
     .unit = "2^H",
     .is_plain = true,
     .is_column = true,
     .column = SC_LAB_COLUMN_ATTACKED_EFFECTIVE},
};
enum { ATTACKED_COUNT = sizeof attacked / sizeof attacked[0] };

// After the n-th cloak.
#define LOCATED(n)                                                      \
    {                                                                   \
        .title = "Cloak " #n, .unit = "probability", .is_column = true, \
        .column = SC_LAB_COLUMN_LOCATED_##n, .most = 1,                 \
    }

static const sc_lab_shown followed[1 + SC_LAB_ASKED_MAX] = {
    {.title = "Travellers",
     .unit = "per seed",
     .is_plain = true,
     .is_column = true,
     .column = SC_LAB_COLUMN_FOLLOWED_1},
    LOCATED(1),
    LOCATED(2),
    LOCATED(3),
    LOCATED(4),
    LOCATED(5),
    LOCATED(6),
    LOCATED(7),
    LOCATED(8),
};

static bool wants(const sc_lab_options *options, sc_lab_metric metric)
{
    return options->figures[metric] != 0;
}

static bool wants_injection(const sc_lab_options *options)
{
    return (options->figures[SC_LAB_ENTROPY] >> SC_LAB_AXIS_INJECTED & 1U) != 0;
}

bool sc__report_has_attack(const sc_lab_options *options)
{
    return wants(options, SC_LAB_ENTROPY) || wants(options, SC_LAB_EFFECTIVE);
}

// --- In words --------------------------------------------------------------------

static void put_knowledge(FILE *page, const sc_lab_options *options)
{
    fputs("<p>Somebody who knows everything but the dice guesses on which segment of a cloak a "
          "traveller is. True positions are used only to tell what the guesses are worth.</p>\n"
          "<h3>What it knows</h3>\n<ul>\n"
          "<li>The cloak as the provider sees it; how many members it has and what they asked for "
          "(<i>k</i>, <i>l</i>, σ<sub>s</sub>, objects), but neither who asked for what nor who "
          "came first.</li>\n"
          "<li>The map, and the method with all its parameters and costs.</li>\n",
          page);
    fputs(options->knows_traffic
              ? "<li>How busy each segment is, as counted in the traffic of another seed.</li>\n"
              : "<li>Nothing of how busy a segment is: they are all alike to it.</li>\n",
          page);
    fputs("</ul>\n", page);
}

static void put_replays(FILE *page, const sc_lab_options *options)
{
    const sc_adversary_options *how = &options->adversary;
    fputs("<h3>How it guesses</h3>\n<ul>\n"
          "<li>It puts all members onto segments of the cloak, runs the method again, and sees how "
          "like the outcome is to the cloak: ",
          page);
    fputs(how->likeness == SC_LIKENESS_EXACT
              ? "1 if it is the very same, 0 if not."
              : "the part of the cloak’s segments that the traveller’s new cloak has.",
          page);
    fputs(" The more alike they are with a traveller on a segment, the likelier is the "
          "segment.</li>\n",
          page);
    fprintf(page,
            "<li>Where there are no more than %" PRIu64
            " such placements it tries them all, at least %" PRIu32
            " times each; elsewhere it draws %" PRIu64 " of them.</li>\n",
            how->max_placements, how->runs, how->samples);
    fprintf(page,
            "<li>At each point of a figure it attacks up to %" PRIu32
            " cloaks of each method.</li>\n",
            options->max_victims);
    if (wants_injection(options)) {
        fputs("<li>Injected queries are its own: it asks near a victim just before the victim "
              "does, for as many users as it has there and one more, finds its queries among the "
              "members of the cloak, and leaves out whatever contradicts them.</li>\n",
              page);
    }
    if (wants(options, SC_LAB_EFFECTIVE)) {
        fputs("<li>Who asks again is followed: it knows which cloaks are of one traveller, when "
              "they left and how fast one can drive, and rules out what cannot be reached from "
              "where the traveller may have been.</li>\n",
              page);
    }
    fputs("</ul>\n", page);
}

static void put_legend(FILE *page)
{
    fputs(
        "<p>Entropy is 1 where all segments of a cloak are alike to the adversary, and 0 where "
        "it is sure. Its error is what chance may do to one cloak’s. Too few replays make it look "
        "lower than it is: by about its bias, which has been taken off. Rank 1 is the likeliest "
        "segment; a blind guess "
        "has the middle one. Enumerated are cloaks of which all placements were tried. Unexplained "
        "are those that no replay came near, so that the adversary knows no more than "
        "before.</p>\n",
        page);
}

// --- In numbers ------------------------------------------------------------------

/** An entropy that was corrected by more than this is to be compared with care. */
#define TOO_MUCH_BIAS 0.02

// By how much entropy was corrected, over all points; 0 if none was attacked.
static double mean_correction(const sc_lab_results *results, sc_lab_method method)
{
    double sum = 0;
    uint64_t count = 0;
    for (size_t i = 0; i < results->count; i++) {
        const sc_lab_measure *measure = &results->all[i].by_method[method];
        sum -= measure->entropy_bias * (double)measure->attacked_cloaks;
        count += measure->attacked_cloaks;
    }
    return count > 0 ? sum / (double)count : 0;
}

// Which methods cannot be judged by so few replays.
static void put_warning(FILE *page, const sc_lab_results *results)
{
    const char *before = "<p class=\"note\">Few replays: entropy was corrected upwards by about ";
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        const double added =
            sc__has_method(results->options, method) ? mean_correction(results, method) : 0;
        if (added <= TOO_MUCH_BIAS) continue;
        fprintf(page, "%s%s (%s)", before, sc__short_number(added).text, sc__method_title(method));
        before = ", ";
    }
    if (before[0] != ',') return;
    fputs(", as a mean over all points. What is said of it may change with more samples.</p>\n",
          page);
}

// The victims at the default setting, and where most queries are injected.
static void put_attacked(FILE *page, const sc_lab_results *results, uint32_t map, double *by_seed)
{
    const sc_lab_options *options = results->options;
    const sc_lab_grid *injected = &options->grids[SC_LAB_AXIS_INJECTED];
    const bool has_injected = wants_injection(options) && injected->count > 0;
    sc_lab_measures measures = {
        .point = sc_lab_point_at(options, map, SC_LAB_AXIS_INJECTED, 0, 0),
        .caption = ", nothing injected",
        .columns = attacked + 1,
        .column_count = ATTACKED_COUNT - 1,
    };
    if (sc__report_has_point(results, &measures.point)) {
        sc__report_put_measures(page, results, &measures, by_seed);
    }
    const double most = has_injected ? injected->values[injected->count - 1] : 0;
    if (most <= 0) return;
    char caption[64];
    snprintf(caption, sizeof caption, ", %g quer%s injected for each victim", most,
             most > 1 ? "ies" : "y");
    measures.caption = caption;
    measures.columns = attacked;
    measures.column_count = ATTACKED_COUNT;
    measures.point = sc_lab_point_at(options, map, SC_LAB_AXIS_INJECTED, most, 0);
    if (sc__report_has_point(results, &measures.point)) {
        sc__report_put_measures(page, results, &measures, by_seed);
    }
}

static void put_followed(FILE *page, const sc_lab_results *results, uint32_t map, double *by_seed)
{
    const sc_lab_options *options = results->options;
    const sc_lab_grid *asked = &options->grids[SC_LAB_AXIS_ASKED];
    const sc_lab_measures measures = {
        .point = sc_lab_point_at(options, map, SC_LAB_AXIS_ASKED, 1, 0),
        .caption = ", the true segment, cloak by cloak",
        .columns = followed,
        .column_count = 1 + (asked->count > 0 ? (size_t)asked->values[asked->count - 1] : 0),
    };
    if (sc__report_has_point(results, &measures.point)) {
        sc__report_put_measures(page, results, &measures, by_seed);
    }
}

sc_err sc__report_put_attack(FILE *page, const sc_lab_findings *findings, sc_diag *diag)
{
    const sc_lab_results *results = findings->results;
    const sc_lab_options *options = results->options;
    if (!sc__report_has_attack(options)) return SC_OK;
    double *by_seed = sc_malloc_array(options->seed_count, sizeof *by_seed);
    if (!by_seed) return sc_fail_memory(diag, "writing the report");
    fputs("<section aria-labelledby=\"attack\">\n"
          "<h2 id=\"attack\">What an adversary learns</h2>\n",
          page);
    put_knowledge(page, options);
    put_replays(page, options);
    if (wants(options, SC_LAB_ENTROPY)) {
        fputs("<h3>One cloak</h3>\n", page);
        put_legend(page);
        put_warning(page, results);
        for (uint32_t map = 0; map < options->map_count; map++) {
            put_attacked(page, results, map, by_seed);
        }
    }
    if (wants(options, SC_LAB_EFFECTIVE)) {
        fputs("<h3>One cloak after the other</h3>\n"
              "<p>The <a href=\"#effective\">figures</a> show how many segments are left. Here is "
              "how likely the adversary holds the one where the traveller really is.</p>\n",
              page);
        for (uint32_t map = 0; map < options->map_count; map++) {
            put_followed(page, results, map, by_seed);
        }
    }
    fputs("</section>\n", page);
    sc_free(by_seed);
    return SC_OK;
}
