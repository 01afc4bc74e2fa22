// The default setting: all methods, all maps, the numbers that matter first.
#include "base/alloc.h"
#include "base/diag.h"
#include "lab/report_internal.h"

static const sc_lab_shown columns[] = {
    {.title = "Success", .unit = "%", .metric = SC_LAB_SUCCESS},
    {.title = "Wait", .unit = "s", .metric = SC_LAB_ANONYMIZATION},
    {.title = "Entropy", .unit = "under attack", .metric = SC_LAB_ENTROPY},
    {.title = "Users",
     .unit = "per cloak",
     .is_plain = true,
     .is_column = true,
     .column = SC_LAB_COLUMN_USERS},
    {.title = "Segments",
     .unit = "per cloak",
     .is_plain = true,
     .is_column = true,
     .column = SC_LAB_COLUMN_SEGMENTS},
    {.title = "Border nodes",
     .unit = "per cloak",
     .is_plain = true,
     .is_column = true,
     .column = SC_LAB_COLUMN_BORDER_NODES},
    {.title = "CPU", .unit = "µs per query", .is_column = true, .column = SC_LAB_COLUMN_CPU},
    {.title = "Throughput", .unit = "1000 per CPU s", .scale = 1e-3, .metric = SC_LAB_THROUGHPUT},
    {.title = "Candidates", .unit = "per query", .metric = SC_LAB_CANDIDATES},
    {.title = "Processing", .unit = "µs per query", .metric = SC_LAB_PROCESSING},
};

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
        // The point where all is as by default; any axis leads to it.
        const sc_lab_measures measures = {
            .point = sc_lab_point_at(options, map, SC_LAB_AXIS_K, options->workload.k.mean, 0),
            .caption = "",
            .columns = columns,
            .column_count = sizeof columns / sizeof columns[0]};
        if (sc__report_has_point(results, &measures.point)) {
            sc__report_put_measures(page, results, &measures, by_seed);
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
