// All figures, by metric and map, each with its numbers at hand.
#include "lab/report_internal.h"

// What each metric means, in the order of SC_LAB_METRIC_MAP.
static const char *const about_metrics[SC_LAB_METRIC_COUNT] = {
    [SC_LAB_SUCCESS] = "Queries that got a cloak in time, of all that were admitted. Higher is "
                       "better.",
    [SC_LAB_THROUGHPUT] =
        "Queries that the method admits and handles in a second of CPU time, times "
        "its success rate. Measured. Higher is better; the axis is logarithmic.",
    [SC_LAB_ANONYMIZATION] =
        "How long a query waits for its cloak, of those that got one. Lower is "
        "better.",
    [SC_LAB_PROCESSING] = "CPU time that the provider takes for a cloaked query; from every method "
                          "it gets the same number of cloaks. Measured. Lower is better.",
    [SC_LAB_CANDIDATES] = "Objects that the provider sends back for a query. Lower is better.",
    [SC_LAB_ENTROPY] =
        "How unsure an adversary is who runs the method again and again: the entropy of its belief "
        "about the segment that a traveller is on, as a part of the most there can be, log2 of the "
        "number of segments. Higher is better; 1 is a blind guess. Too few replays make it look "
        "lower than it is, which is corrected as far as it can be told: <a href=\"#attack\">how "
        "many there were, and how far off the numbers may be</a>.",
    [SC_LAB_EFFECTIVE] =
        "How many equally likely segments would leave an adversary as unsure as it is, after it "
        "has linked the first, second, ... cloak of a traveller who asks again on the way: "
        "segments of the next cloak count only as far as they can be reached from those of the "
        "one before. Higher is better; larger cloaks begin with more. The paper has no such figure "
        "and claims nothing of it.",
};

// Why there may be no number at all.
static const char *why_none(sc_lab_metric metric)
{
    return metric == SC_LAB_EFFECTIVE ? "nobody had enough cloaks to be followed"
                                      : "nothing was cloaked";
}

static void put_numbers(FILE *page, const sc_lab_table *table, const sc_lab_figure *figure)
{
    const sc_lab_grid *grid = sc__figure_grid(table->options, figure);
    fputs("<details><summary>Numbers</summary><div class=\"wide\"><table><caption>", page);
    sc__figure_put_title(page, table->options, figure);
    fputs("</caption>\n<thead><tr><th scope=\"col\">", page);
    sc__report_put_symbol(page, figure->axis);
    fputs("</th>", page);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!sc__has_method(table->options, method)) continue;
        fprintf(page, "<th scope=\"col\" class=\"n\">%s</th>", sc__method_title(method));
    }
    fputs("</tr></thead>\n<tbody>\n", page);
    for (size_t i = 0; i < grid->count; i++) {
        fprintf(page, "<tr><th scope=\"row\">%g</th>", grid->values[i]);
        for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
            if (!sc__has_method(table->options, method)) continue;
            const sc_lab_estimate estimate = sc__table_estimate(table, figure, i, method);
            fprintf(page, "<td class=\"n\">%s</td>",
                    sc__short_estimate(&estimate, sc__metric_most(figure->metric)).text);
        }
        fputs("</tr>\n", page);
    }
    fputs("</tbody></table></div></details>\n", page);
}

static void put_file_link(FILE *page, const sc_lab_options *options, const sc_lab_figure *figure,
                          const char *extension, const char *text)
{
    fputs("<a href=\"", page);
    sc__html_link(page, options->maps[figure->map].name);
    fprintf(page, "-%s-%s.%s\">%s</a>", sc_lab_metric_name(figure->metric),
            sc_lab_axis_name(figure->axis), extension, text);
}

static void put_figure(FILE *page, const sc_lab_findings *findings, size_t i)
{
    const sc_lab_figure *figure = &findings->figures->all[i];
    const sc_lab_options *options = findings->results->options;
    const bool is_drawn = findings->plots->by_figure[i].text != NULL;
    fputs("<figure>\n", page);
    if (is_drawn) sc__plot_put(page, findings->plots, findings->table, findings->figures, i);
    fputs("<figcaption>", page);
    sc__figure_put_title(page, options, figure);
    if (!sc__figure_has_values(findings->table, figure)) {
        fprintf(page, ". There are no numbers: %s", why_none(figure->metric));
    } else if (options->seed_count > 1) {
        fprintf(page, ". Means of %u seeds, with 95 %% intervals", options->seed_count);
    }
    const double start = is_drawn ? sc__figure_axis_start(findings->table, figure) : 0;
    if (start > 0) fprintf(page, ". The vertical axis begins at %g, not at 0", start);
    fputs(". ", page);
    put_file_link(page, options, figure, "csv", "CSV");
    if (is_drawn) {
        fputs(" ", page);
        put_file_link(page, options, figure, "svg", "SVG");
    }
    fputs("</figcaption>\n", page);
    put_numbers(page, findings->table, figure);
    fputs("</figure>\n", page);
}

static void put_why_no_plots(FILE *page, const sc_lab_plots *plots)
{
    if (plots->state == SC_LAB_PLOTS_NO_GNUPLOT) {
        fputs("<p class=\"note\">There are no plots, because gnuplot is not installed. On Debian "
              "and Ubuntu, <code>apt install gnuplot-nox</code> brings it; run the same command "
              "again then, and only the plots are made.</p>\n",
              page);
    } else if (plots->state == SC_LAB_PLOTS_UNWANTED) {
        fputs("<p class=\"note\">Plots were left out, as asked for.</p>\n", page);
    } else if (plots->state == SC_LAB_PLOTS_FAILED) {
        fputs("<p class=\"note\">There are no plots, because gnuplot failed. Repair it and run the "
              "same command again: only the plots are made then. <code>--no-plots</code> leaves "
              "them out.</p>\n",
              page);
    }
}

void sc__report_put_figures(FILE *page, const sc_lab_findings *findings)
{
    const sc_lab_figures *figures = findings->figures;
    const sc_lab_options *options = findings->results->options;
    fputs("<section aria-labelledby=\"figures\">\n<h2 id=\"figures\">Figures</h2>\n", page);
    put_why_no_plots(page, findings->plots);
    for (size_t i = 0; i < figures->count; i++) {
        const sc_lab_figure *figure = &figures->all[i];
        const sc_lab_figure *before = i > 0 ? &figures->all[i - 1] : NULL;
        const bool is_metric = !before || before->metric != figure->metric;
        const bool is_map = is_metric || before->map != figure->map;
        if (before && is_map) fputs("</div>\n", page);
        if (is_metric) {
            fprintf(page, "<h3 id=\"%s\">%s</h3>\n<p>%s</p>\n", sc_lab_metric_name(figure->metric),
                    sc__metric_title(figure->metric), about_metrics[figure->metric]);
        }
        if (is_map) {
            fputs("<h4>", page);
            sc__html_text(page, options->maps[figure->map].name);
            fputs("</h4>\n<div class=\"grid\">\n", page);
        }
        put_figure(page, findings, i);
    }
    fputs(figures->count > 0 ? "</div>\n</section>\n" : "</section>\n", page);
}
