// The list of figures, and the table of their numbers.
#include "lab/figures.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// === Statistics: means, intervals, differences, ranks ===========================================

static sc_lab_estimate finish(size_t count, double sum, double squares)
{
    sc_lab_estimate estimate = {.count = count};
    if (count == 0) return estimate;
    estimate.mean = sum / (double)count;
    if (count == 1) return estimate;
    const double variance = squares / (double)(count - 1);
    estimate.half = sc__student_95(count - 1) * sqrt(variance / (double)count);
    return estimate;
}

// One value of a sample: left, or left - right where there is a right.
static double value_at(const double *left, const double *right, size_t i)
{
    return right ? left[i] - right[i] : left[i];
}

static sc_lab_estimate estimate_of(const double *left, const double *right, size_t count)
{
    size_t known = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = value_at(left, right, i);
        if (isnan(value)) continue;
        sum += value;
        known++;
    }
    // A second pass around the mean: the squares of large, nearly equal values would drown it.
    double squares = 0;
    for (size_t i = 0; i < count && known > 1; i++) {
        const double value = value_at(left, right, i);
        if (isnan(value)) continue;
        const double off = value - sum / (double)known;
        squares += off * off;
    }
    return finish(known, sum, squares);
}

sc_lab_estimate sc__estimate(const double *values, size_t count)
{
    return estimate_of(values, NULL, count);
}

sc_lab_estimate sc__estimate_difference(const double *left, const double *right, size_t count)
{
    return estimate_of(left, right, count);
}

size_t sc__mean_ratio(const double *left, const double *right, size_t count, double *out)
{
    size_t known = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(left[i] > 0 && right[i] > 0)) continue;
        sum += log(left[i] / right[i]);
        known++;
    }
    if (known > 0) *out = exp(sum / (double)known);
    return known;
}

sc_lab_interval sc__possible_interval(const sc_lab_estimate *estimate, double most)
{
    return (sc_lab_interval){.low = fmax(0, estimate->mean - estimate->half),
                             .high = fmin(most, estimate->mean + estimate->half)};
}

int sc__sure_sign(const sc_lab_estimate *estimate)
{
    if (estimate->count < 2 || fabs(estimate->mean) <= estimate->half) return 0;
    return estimate->mean > 0 ? 1 : -1;
}

// The share of Student's distribution within tan(angle) * sqrt(degrees) of the middle. For whole
// degrees of freedom its integral is a finite sum, with powers of the cosine that go up in twos.
static double share_within(double angle, size_t degrees)
{
    const double c = cos(angle);
    const double s = sin(angle);
    const bool is_odd = degrees % 2 == 1;
    double term = is_odd ? c : 1;
    double sum = 0;
    for (size_t i = is_odd ? 3 : 2; i <= degrees; i += 2) {
        sum += term;
        term *= c * c * (double)(i - 1) / (double)i;
    }
    return is_odd ? 2 / M_PI * (angle + s * sum) : s * sum;
}

double sc__student_95(size_t degrees)
{
    double low = 0;
    double high = M_PI / 2;
    // 60 halvings leave nothing to halve.
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (share_within(middle, degrees) < 0.95) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return tan((low + high) / 2) * sqrt((double)degrees);
}

double sc__kendall(const double *values, size_t count)
{
    if (count < 2) return 0;
    double agreeing = 0;
    for (size_t j = 1; j < count; j++) {
        for (size_t i = 0; i < j; i++) {
            agreeing += (values[j] > values[i]) - (values[j] < values[i]);
        }
    }
    return agreeing / ((double)count * (double)(count - 1) / 2);
}

// === Figures ====================================================================================

const char *sc__method_title(sc_lab_method method)
{
    static const char *const titles[] = {
#define X(id, name, title, variant, is_strict) title,
        SC_LAB_METHOD_MAP(X)
#undef X
    };
    return titles[method];
}

const char *sc__axis_symbol(sc_lab_axis axis)
{
    static const char *const symbols[] = {
#define X(id, name, symbol, unit) symbol,
        SC_LAB_AXIS_MAP(X)
#undef X
    };
    return symbols[axis];
}

const char *sc__axis_unit(sc_lab_axis axis)
{
    static const char *const units[] = {
#define X(id, name, symbol, unit) unit,
        SC_LAB_AXIS_MAP(X)
#undef X
    };
    return units[axis];
}

/** What lab.h says about a metric. */
typedef struct metric_words {
    const char *title;
    const char *unit;
    bool is_log;
} metric_words;

static const metric_words metrics[] = {
#define X(id, name, title, unit, is_log) {title, unit, is_log},
    SC_LAB_METRIC_MAP(X)
#undef X
};

const char *sc__metric_title(sc_lab_metric metric)
{
    return metrics[metric].title;
}

const char *sc__metric_unit(sc_lab_metric metric)
{
    return metrics[metric].unit;
}

bool sc__metric_is_log(sc_lab_metric metric)
{
    return metrics[metric].is_log;
}

double sc__metric_most(sc_lab_metric metric)
{
    if (metric == SC_LAB_SUCCESS) return 100;
    return metric == SC_LAB_ENTROPY ? 1 : HUGE_VAL;
}

bool sc__metric_is_measured(sc_lab_metric metric)
{
    return metric == SC_LAB_THROUGHPUT || metric == SC_LAB_PROCESSING;
}

// Three digits that count, more above 1000, fewer below 0.1; -1: so small that it needs an
// exponent.
static int decimals_of(double value)
{
    const double size = fabs(value);
    if (size > 0 && size < 0.01) return -1;
    if (size >= 100) return 0;
    if (size >= 10) return 1;
    return size >= 1 || size <= 0 ? 2 : 3;
}

sc_lab_short_number sc__short_number(double value)
{
    sc_lab_short_number number;
    const int decimals = decimals_of(value);
    if (decimals < 0) {
        snprintf(number.text, sizeof number.text, "%.2g", value);
    } else {
        snprintf(number.text, sizeof number.text, "%.*f", decimals, value);
    }
    return number;
}

const char *sc__plural(size_t count)
{
    return count == 1 ? "" : "s";
}

// --- Figures -----------------------------------------------------------------

bool sc__figure_is_wanted(const sc_lab_options *options, const sc_lab_figure *figure)
{
    return (options->figures[figure->metric] >> figure->axis & 1U) != 0 &&
           sc_lab_goes_over(figure->metric, figure->axis) &&
           sc_lab_has_metric(options, figure->map, figure->metric);
}

void sc__figures_list(const sc_lab_options *options, sc_lab_figures *out)
{
    out->count = 0;
    for (sc_lab_metric metric = 0; metric < SC_LAB_METRIC_COUNT; metric++) {
        for (uint32_t map = 0; map < options->map_count; map++) {
            for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
                const sc_lab_figure figure = {.metric = metric, .map = map, .axis = axis};
                if (sc__figure_is_wanted(options, &figure)) out->all[out->count++] = figure;
            }
        }
    }
}

const sc_lab_grid *sc__figure_grid(const sc_lab_options *options, const sc_lab_figure *figure)
{
    return &options->grids[figure->axis];
}

char *sc__figure_file(const sc_lab_options *options, const sc_lab_figure *figure,
                      const char *extension)
{
    const char *map = options->maps[figure->map].name;
    const char *metric = sc_lab_metric_name(figure->metric);
    const char *axis = sc_lab_axis_name(figure->axis);
    const size_t size =
        strlen(map) + strlen(metric) + strlen(axis) + strlen(extension) + sizeof "--.";
    char *name = sc_malloc(size);
    if (name) snprintf(name, size, "%s-%s-%s.%s", map, metric, axis, extension);
    return name;
}

// --- Their numbers -----------------------------------------------------------

// Where the seeds of one method and metric begin. Seeds lie side by side, so they come last.
static size_t place_of(const sc_lab_table *table, const sc_lab_figure *figure, size_t i,
                       sc_lab_method method)
{
    size_t place = figure->map;
    place = place * table->value_count + table->first_value[figure->axis] + i;
    place = place * SC_LAB_METHOD_COUNT + method;
    place = place * SC_LAB_METRIC_COUNT + figure->metric;
    return place * table->options->seed_count;
}

static void take_result(sc_lab_table *table, sc_lab_figure figure, size_t i, unsigned seed,
                        const sc_lab_result *result)
{
    const double at = sc__figure_grid(table->options, &figure)->values[i];
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        const bool is_there = result && sc__has_method(table->options, method);
        for (figure.metric = 0; figure.metric < SC_LAB_METRIC_COUNT; figure.metric++) {
            double *cell = &table->cells[place_of(table, &figure, i, method) + seed];
            if (!is_there ||
                !sc_lab_value(&result->by_method[method], figure.metric, figure.axis, at, cell)) {
                *cell = SC_NO_VALUE;
            }
        }
    }
}

static void take_axis(sc_lab_table *table, const sc_lab_results *results, sc_lab_figure figure)
{
    const sc_lab_options *options = table->options;
    const sc_lab_grid *grid = sc__figure_grid(options, &figure);
    for (size_t i = 0; i < grid->count; i++) {
        for (unsigned seed = 0; seed < options->seed_count; seed++) {
            const sc_lab_point point = sc_lab_point_at(options, figure.map, figure.axis,
                                                       grid->values[i], options->first_seed + seed);
            take_result(table, figure, i, seed, sc_lab_find(results, &point));
        }
    }
}

static double mean_travellers(const sc_lab_results *results, uint32_t map)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++) {
        if (results->all[i].point.map != map) continue;
        sum += results->all[i].travellers;
        count++;
    }
    return count > 0 ? sum / (double)count : 0;
}

sc_err sc__table_init(sc_lab_table *table, const sc_lab_results *results, sc_diag *diag)
{
    const sc_lab_options *options = results->options;
    *table = (sc_lab_table){.options = options};
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        table->first_value[axis] = table->value_count;
        table->value_count += options->grids[axis].count;
    }
    const size_t settings = options->map_count * table->value_count * options->seed_count;
    table->cells = sc_calloc(settings, sizeof(double) * SC_LAB_METHOD_COUNT * SC_LAB_METRIC_COUNT);
    if (!table->cells) return sc_fail_memory(diag, "gathering the numbers of the figures");
    for (uint32_t map = 0; map < options->map_count; map++) {
        table->travellers[map] = mean_travellers(results, map);
        for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
            take_axis(table, results, (sc_lab_figure){.map = map, .axis = axis});
        }
    }
    return SC_OK;
}

void sc__table_fini(sc_lab_table *table)
{
    sc_free(table->cells);
    *table = (sc_lab_table){0};
}

const double *sc__table_values(const sc_lab_table *table, const sc_lab_figure *figure, size_t i,
                               sc_lab_method method)
{
    return &table->cells[place_of(table, figure, i, method)];
}

sc_lab_estimate sc__table_estimate(const sc_lab_table *table, const sc_lab_figure *figure, size_t i,
                                   sc_lab_method method)
{
    return sc__estimate(sc__table_values(table, figure, i, method), table->options->seed_count);
}
