// Tables of what was measured at a point: a row for each method, means over the seeds.
#include "lab/report_internal.h"

#include <math.h>

static const sc_lab_result *result_at(const sc_lab_results *results, sc_lab_point point,
                                      uint64_t seed)
{
    point.seed = seed;
    return sc_lab_find(results, &point);
}

bool sc__report_has_point(const sc_lab_results *results, const sc_lab_point *point)
{
    return result_at(results, *point, results->options->first_seed) != NULL;
}

// A metric that no figure asks for is not measured, or not worth a column.
static bool is_shown(const sc_lab_options *options, uint32_t map, const sc_lab_shown *column)
{
    if (column->is_column) return true;
    const bool is_attack = column->metric == SC_LAB_ENTROPY;
    return sc_lab_has_metric(options, map, column->metric) &&
           (!is_attack || options->figures[column->metric] != 0);
}

static double most_of(const sc_lab_shown *column)
{
    if (!column->is_column) return sc__metric_most(column->metric);
    return column->most > 0 ? column->most : HUGE_VAL;
}

static bool value_of(const sc_lab_measure *measure, const sc_lab_shown *column, double *out)
{
    if (!column->is_column) {
        // None of the metrics in tables depends on how many cloaks were seen.
        return sc_lab_value(measure, column->metric, SC_LAB_AXIS_K, 0, out);
    }
    if (!sc__column_value(measure, column->column, out)) return false;
    if (column->per == SC_LAB_COLUMN_QUERIES) return true;
    double count;
    if (!sc__column_value(measure, column->per, &count) || count <= 0) return false;
    *out /= count;
    return true;
}

static sc_lab_estimate estimate(const sc_lab_results *results, const sc_lab_point *point,
                                sc_lab_method method, const sc_lab_shown *column, double *by_seed)
{
    const sc_lab_options *options = results->options;
    for (unsigned i = 0; i < options->seed_count; i++) {
        const sc_lab_result *result = result_at(results, *point, options->first_seed + i);
        if (!result || !value_of(&result->by_method[method], column, &by_seed[i])) {
            by_seed[i] = SC_NO_VALUE;
        }
        if (column->scale > 0) by_seed[i] *= column->scale;
    }
    return sc__estimate(by_seed, options->seed_count);
}

static void put_head(FILE *page, const sc_lab_options *options, const sc_lab_measures *measures)
{
    const uint32_t map = measures->point.map;
    fputs("<div class=\"wide\"><table><caption>", page);
    sc__html_text(page, options->maps[map].name);
    fprintf(page, "%s</caption>\n<thead><tr><th scope=\"col\">Method</th>", measures->caption);
    for (size_t i = 0; i < measures->column_count; i++) {
        const sc_lab_shown *column = &measures->columns[i];
        if (!is_shown(options, map, column)) continue;
        fprintf(page, "<th scope=\"col\" class=\"n\">%s <span class=\"u\">%s</span></th>",
                column->title, column->unit);
    }
    fputs("</tr></thead>\n<tbody>\n", page);
}

static void put_cell(FILE *page, const sc_lab_shown *column, const sc_lab_estimate *value)
{
    sc_lab_estimate shown = *value;
    // One value has no interval.
    if (column->is_plain && shown.count > 1) shown.count = 1;
    fprintf(page, "<td class=\"n\">%s</td>", sc__short_estimate(&shown, most_of(column)).text);
}

void sc__report_put_measures(FILE *page, const sc_lab_results *results,
                             const sc_lab_measures *measures, double *by_seed)
{
    const sc_lab_options *options = results->options;
    put_head(page, options, measures);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!sc__has_method(options, method)) continue;
        fputs("<tr><th scope=\"row\">", page);
        sc__report_put_method(page, method);
        fputs("</th>", page);
        for (size_t i = 0; i < measures->column_count; i++) {
            const sc_lab_shown *column = &measures->columns[i];
            if (!is_shown(options, measures->point.map, column)) continue;
            const sc_lab_estimate value =
                estimate(results, &measures->point, method, column, by_seed);
            put_cell(page, column, &value);
        }
        fputs("</tr>\n", page);
    }
    fputs("</tbody></table></div>\n", page);
}
