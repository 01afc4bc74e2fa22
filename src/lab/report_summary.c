// The default setting: all methods, all maps, the numbers that matter first.
#include "base/alloc.h"
#include "base/diag.h"
#include "lab/csv.h"
#include "lab/report_internal.h"

#include <math.h>

/** A column of the summary: a metric, or if `is_column` a number of the measure. */
typedef struct shown {
    const char *title;
    const char *unit;
    bool is_column;
    sc_lab_metric metric;
    sc_lab_column column;
    double scale;  ///< 0 is 1
} shown;

static const shown columns[] = {
    {.title = "Success", .unit = "%", .metric = SC_LAB_SUCCESS},
    {.title = "Wait", .unit = "s", .metric = SC_LAB_ANONYMIZATION},
    {.title = "Users", .unit = "per cloak", .is_column = true, .column = SC_LAB_COLUMN_USERS},
    {.title = "Segments", .unit = "per cloak", .is_column = true, .column = SC_LAB_COLUMN_SEGMENTS},
    {.title = "Border nodes",
     .unit = "per cloak",
     .is_column = true,
     .column = SC_LAB_COLUMN_BORDER_NODES},
    {.title = "CPU", .unit = "µs per query", .is_column = true, .column = SC_LAB_COLUMN_CPU},
    {.title = "Throughput", .unit = "1000 per CPU s", .scale = 1e-3, .metric = SC_LAB_THROUGHPUT},
    {.title = "Candidates", .unit = "per query", .metric = SC_LAB_CANDIDATES},
    {.title = "Processing", .unit = "µs per query", .metric = SC_LAB_PROCESSING},
};

enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

// The point where all is as by default; any axis leads to it.
static const sc_lab_result *default_result(const sc_lab_results *results, uint32_t map,
                                           uint64_t seed)
{
    const sc_lab_options *options = results->options;
    const sc_lab_point point =
        sc_lab_point_at(options, map, SC_LAB_AXIS_K, options->workload.k.mean, seed);
    return sc_lab_find(results, &point);
}

static bool is_shown(const sc_lab_options *options, uint32_t map, const shown *column)
{
    return column->is_column || sc_lab_has_metric(options, map, column->metric);
}

static double most_of(const shown *column)
{
    return column->is_column ? HUGE_VAL : sc__metric_most(column->metric);
}

static sc_lab_estimate estimate(const sc_lab_results *results, uint32_t map, sc_lab_method method,
                                const shown *column, double *by_seed)
{
    const sc_lab_options *options = results->options;
    for (unsigned i = 0; i < options->seed_count; i++) {
        const sc_lab_result *result = default_result(results, map, options->first_seed + i);
        const sc_lab_measure *measure = result ? &result->by_method[method] : NULL;
        const bool is_there =
            measure && (column->is_column ? sc__column_value(measure, column->column, &by_seed[i])
                                          : sc_lab_value(measure, column->metric, &by_seed[i]));
        if (!is_there) by_seed[i] = SC_NO_VALUE;
        if (column->scale > 0) by_seed[i] *= column->scale;
    }
    return sc__estimate(by_seed, options->seed_count);
}

static void put_head(FILE *page, const sc_lab_options *options, uint32_t map)
{
    fputs("<div class=\"wide\"><table><caption>", page);
    sc__html_text(page, options->maps[map].name);
    fputs("</caption>\n<thead><tr><th scope=\"col\">Method</th>", page);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (!is_shown(options, map, &columns[i])) continue;
        fprintf(page, "<th scope=\"col\" class=\"n\">%s <span class=\"u\">%s</span></th>",
                columns[i].title, columns[i].unit);
    }
    fputs("</tr></thead>\n<tbody>\n", page);
}

static void put_map(FILE *page, const sc_lab_results *results, uint32_t map, double *by_seed)
{
    const sc_lab_options *options = results->options;
    put_head(page, options, map);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!sc__has_method(options, method)) continue;
        fputs("<tr><th scope=\"row\">", page);
        sc__report_put_method(page, method);
        fputs("</th>", page);
        for (size_t i = 0; i < COLUMN_COUNT; i++) {
            if (!is_shown(options, map, &columns[i])) continue;
            const sc_lab_estimate value = estimate(results, map, method, &columns[i], by_seed);
            fprintf(page, "<td class=\"n\">%s</td>",
                    sc__short_estimate(&value, most_of(&columns[i])).text);
        }
        fputs("</tr>\n", page);
    }
    fputs("</tbody></table></div>\n", page);
}

sc_err sc__report_put_summary(FILE *page, const sc_lab_findings *findings, sc_diag *diag)
{
    const sc_lab_results *results = findings->results;
    const sc_lab_options *options = results->options;
    double *by_seed = sc_malloc_array(options->seed_count, sizeof *by_seed);
    if (!by_seed) return sc_fail_memory(diag, "writing the report");
    fputs("<section aria-labelledby=\"summary\">\n<h2 id=\"summary\">At the default setting</h2>\n"
          "<p>All needs have their default means.",
          page);
    if (options->seed_count > 1) {
        fputs(
            " ± is half of the 95 % interval over the seeds; one that goes beyond what is possible "
            "is given by its ends, cut there.",
            page);
    }
    fputs("</p>\n", page);
    for (uint32_t map = 0; map < options->map_count; map++) {
        if (default_result(results, map, options->first_seed)) {
            put_map(page, results, map, by_seed);
        } else {
            fputs("<p>On ", page);
            sc__html_text(page, options->maps[map].name);
            fputs(" the default setting is not among those that were run.</p>\n", page);
        }
    }
    fputs("</section>\n", page);
    sc_free(by_seed);
    return SC_OK;
}
