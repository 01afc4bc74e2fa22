// DIR/report.html: one page that needs no other file, no script and no network.
//
// It is HTML5 and well-formed XML at once. Whatever comes from outside (names of maps, the command,
// the machine) passes through sc__html_text(). Two runs with the same seeds on one machine give
// the same page but for what is measured: there is no date in it.
#include "lab/report_internal.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

void sc__report_put_symbol(FILE *page, sc_lab_axis axis)
{
    const char *symbol = sc__axis_symbol(axis);
    const size_t first = sc_utf8_size(symbol, strlen(symbol));
    if (first > 1) {
        fprintf(page, "%.*s<sub>%s</sub>", (int)first, symbol, symbol + first);
    } else {
        fputs(symbol, page);
    }
}

void sc__report_put_method(FILE *page, sc_lab_method method)
{
    fprintf(page, "<span class=\"dot\" style=\"background:%s\"></span>%s",
            sc__method_colour(method), sc__method_title(method));
}

static void put_names(FILE *page, const sc_lab_options *options)
{
    for (size_t i = 0; i < options->map_count; i++) {
        if (i > 0) fputs(i + 1 < options->map_count ? ", " : " and ", page);
        sc__html_text(page, options->maps[i].name);
    }
}

static void put_head(FILE *page, const sc_lab_options *options)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
          "<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>StarCloak: experiment on ",
          page);
    put_names(page, options);
    fprintf(page, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", sc__report_style());
}

static void put_header(FILE *page, const sc_lab_findings *findings)
{
    const sc_lab_options *options = findings->results->options;
    fputs("<header>\n<h1>Hiding travellers on roads: the methods compared</h1>\n"
          "<p class=\"lead\">An experiment of StarCloak",
          page);
    if (options->version) {
        fputs(" ", page);
        sc__html_text(page, options->version);
    }
    fputs(" on ", page);
    put_names(page, options);
    const size_t points = findings->results->count;
    const size_t figure_count = findings->figures->count;
    fprintf(page, ": %zu point%s, %zu figure%s.</p>\n<nav aria-label=\"Sections\"><ul>\n", points,
            sc__plural(points), figure_count, sc__plural(figure_count));
    fputs("<li><a href=\"#summary\">Default setting</a></li>\n"
          "<li><a href=\"#claims\">Claims</a></li>\n",
          page);
    if (sc__report_has_attack(options)) fputs("<li><a href=\"#attack\">Attacks</a></li>\n", page);
    fputs("<li><a href=\"#figures\">Figures</a></li>\n", page);
    const sc_lab_figures *figures = findings->figures;
    for (size_t i = 0; i < figures->count; i++) {
        const sc_lab_metric metric = figures->all[i].metric;
        if (i > 0 && figures->all[i - 1].metric == metric) continue;
        fprintf(page, "<li><a href=\"#%s\">%s</a></li>\n", sc_lab_metric_name(metric),
                sc__metric_title(metric));
    }
    fputs("<li><a href=\"#setup\">What was run</a></li>\n"
          "<li><a href=\"#repeat\">Repeat it</a></li>\n</ul></nav>\n</header>\n",
          page);
}

static void put_repeat(FILE *page, const sc_lab_options *options)
{
    fputs("<section aria-labelledby=\"repeat\">\n<h2 id=\"repeat\">Repeat it</h2>\n", page);
    if (options->command) {
        fputs("<pre><code>", page);
        sc__html_text(page, options->command);
        fputs("</code></pre>\n", page);
    } else {
        fputs(
            "<p>Run <code>starcloak experiment</code> with the maps, needs and seeds below.</p>\n",
            page);
    }
    if (options->seed_count == 1) {
        fprintf(page, "<p>With the same maps and the seed %" PRIu64, options->first_seed);
    } else {
        fprintf(page, "<p>With the same maps and seeds (%u from %" PRIu64 " on)",
                options->seed_count, options->first_seed);
    }
    fputs(" all comes out the same but for what is measured, whatever the number of cores. Every "
          "point and method is in <a href=\"points.csv\">points.csv</a>; columns that end in "
          "<code>_measured</code> come from CPU time.</p>\n</section>\n",
          page);
}

sc_err sc__report_write(const sc_lab_findings *findings, sc_diag *diag)
{
    const sc_lab_options *options = findings->results->options;
    sc_lab_file file;
    sc_err err = sc__lab_file_open(&file, options, "report.html", diag);
    if (err) return err;
    FILE *page = file.out.stream;
    put_head(page, options);
    put_header(page, findings);
    fputs("<main>\n", page);
    err = sc__report_put_summary(page, findings, diag);
    if (!err) {
        sc__report_put_claims(page, findings);
        err = sc__report_put_attack(page, findings, diag);
    }
    if (err) {
        sc__lab_file_abandon(&file);
        return err;
    }
    sc__report_put_figures(page, findings);
    sc__report_put_setup(page, findings);
    put_repeat(page, options);
    fputs("</main>\n<footer><p>Made by <code>starcloak experiment</code>.</p></footer>\n</body>\n"
          "</html>\n",
          page);
    return sc__lab_file_commit(&file, diag);
}
