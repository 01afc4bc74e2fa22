// The CSV files of an experiment; lab_output.h says what their columns are.
#include "base/alloc.h"
#include "base/diag.h"
#include "lab/lab_output.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool sc__column_value(const sc_lab_measure *m, sc_lab_column column, double *out)
{
    switch (column) {
#define X(id, field, name, is_there) \
    case SC_LAB_COLUMN_##id:         \
        *out = (double)m->field;     \
        return is_there;
        SC_LAB_COLUMN_MAP(X)
#undef X
    case SC_LAB_COLUMN_COUNT:
        break;
    }
    return false;
}

void sc__csv_text(FILE *stream, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"') fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void put_number(FILE *stream, double value)
{
    fprintf(stream, "%.10g", value);
}

static void end_line(FILE *stream)
{
    fputs("\n", stream);
}

// --- Points --------------------------------------------------------------------

// Cloaks seen are columns of a row, not rows.
static bool has_points(sc_lab_axis axis)
{
    return axis != SC_LAB_AXIS_ASKED;
}

static void put_point_header(FILE *stream)
{
    fputs("map,seed", stream);
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        if (!has_points(axis)) continue;
        fprintf(stream, ",%s", sc_lab_axis_name(axis));
    }
    fputs(",method", stream);
#define X(id, field, name, is_there) fputs("," name, stream);
    SC_LAB_COLUMN_MAP(X)
#undef X
    end_line(stream);
}

static void put_point(FILE *stream, const sc_lab_options *options, const sc_lab_result *result,
                      sc_lab_method method)
{
    const sc_lab_point *point = &result->point;
    sc__csv_text(stream, options->maps[point->map].name);
    fprintf(stream, ",%" PRIu64, point->seed);
    for (sc_lab_axis axis = 0; axis < SC_LAB_AXIS_COUNT; axis++) {
        if (!has_points(axis)) continue;
        fputc(',', stream);
        put_number(stream, point->mean[axis]);
    }
    fprintf(stream, ",%s", sc_lab_method_name(method));
    for (sc_lab_column column = 0; column < SC_LAB_COLUMN_COUNT; column++) {
        double value;
        fputc(',', stream);
        if (sc__column_value(&result->by_method[method], column, &value)) put_number(stream, value);
    }
    end_line(stream);
}

sc_err sc__csv_write_points(const sc_lab_results *results, sc_diag *diag)
{
    sc_lab_file file;
    const sc_err err = sc__lab_file_open(&file, results->options, "points.csv", diag);
    if (err) return err;
    put_point_header(file.out.stream);
    for (size_t i = 0; i < results->count; i++) {
        for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
            if (!sc__has_method(results->options, method)) continue;
            put_point(file.out.stream, results->options, &results->all[i], method);
        }
    }
    return sc__lab_file_commit(&file, diag);
}

// --- Figures -------------------------------------------------------------------

void sc__csv_estimate(FILE *stream, const sc_lab_estimate *estimate, sc_lab_interval ends)
{
    fputc(',', stream);
    if (estimate->count > 0) put_number(stream, estimate->mean);
    fputc(',', stream);
    if (estimate->count > 1) put_number(stream, ends.low);
    fputc(',', stream);
    if (estimate->count > 1) put_number(stream, ends.high);
    fprintf(stream, ",%zu", estimate->count);
}

static void put_figure(FILE *stream, const sc_lab_table *table, const sc_lab_figure *figure)
{
    const sc_lab_grid *grid = sc__figure_grid(table->options, figure);
    const char *measured = sc__metric_is_measured(figure->metric) ? "_measured" : "";
    fprintf(stream, "%s,method,mean%s,low%s,high%s,seeds", sc_lab_axis_name(figure->axis), measured,
            measured, measured);
    end_line(stream);
    for (size_t i = 0; i < grid->count; i++) {
        for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
            if (!sc__has_method(table->options, method)) continue;
            const sc_lab_estimate estimate = sc__table_estimate(table, figure, i, method);
            put_number(stream, grid->values[i]);
            fprintf(stream, ",%s", sc_lab_method_name(method));
            sc__csv_estimate(stream, &estimate,
                             sc__possible_interval(&estimate, sc__metric_most(figure->metric)));
            end_line(stream);
        }
    }
}

sc_err sc__csv_write_figure(const sc_lab_table *table, const sc_lab_figure *figure, sc_diag *diag)
{
    char *name = sc__figure_file(table->options, figure, "csv");
    if (!name) return sc_fail_memory(diag, "writing a figure");
    sc_lab_file file;
    sc_err err = sc__lab_file_open(&file, table->options, name, diag);
    if (!err) {
        put_figure(file.out.stream, table, figure);
        err = sc__lab_file_commit(&file, diag);
    }
    sc_free(name);
    return err;
}

// --- Claims --------------------------------------------------------------------

static void put_if_known(FILE *stream, double value)
{
    fputc(',', stream);
    if (!isnan(value)) put_number(stream, value);
}

static void put_findings(FILE *stream, const sc_lab_claim *claim)
{
    fprintf(stream, ",%s,%zu,%zu", sc__verdict_text(claim->verdict), claim->point_count,
            claim->agreeing_count);
    put_if_known(stream, claim->left);
    put_if_known(stream, claim->right);
    put_if_known(stream, claim->verdict == SC_LAB_UNTOLD ? SC_NO_VALUE : claim->contradiction);
    fputc(',', stream);
    sc__csv_text(stream, claim->found);
}

// What comes from CPU time stands in columns of its own.
static void put_claim(FILE *stream, const sc_lab_options *options, const sc_lab_claim *claim)
{
    static const char nothing[] = ",,,,,,,";
    const bool is_measured = sc__metric_is_measured(claim->statement->metric);
    fprintf(stream, "%s,", claim->statement->id);
    if (claim->map != SC_NONE) sc__csv_text(stream, options->maps[claim->map].name);
    fputc(',', stream);
    sc__csv_text(stream, claim->statement->text);
    fputc(',', stream);
    sc__csv_text(stream, claim->who);
    fprintf(stream, ",%s", sc__reading_name(claim->reading));
    if (is_measured) fputs(nothing, stream);
    put_findings(stream, claim);
    if (!is_measured) fputs(nothing, stream);
    end_line(stream);
}

sc_err sc__csv_write_claims(const sc_lab_options *options, const sc_lab_claims *claims,
                            sc_diag *diag)
{
    sc_lab_file file;
    const sc_err err = sc__lab_file_open(&file, options, "claims.csv", diag);
    if (err) return err;
    FILE *stream = file.out.stream;
    fputs("claim,map,statement,methods,reading,verdict,points,agreeing,left,right,contradiction,"
          "found,"
          "verdict_measured,points_measured,agreeing_measured,left_measured,right_measured,"
          "contradiction_measured,found_measured",
          stream);
    end_line(stream);
    for (size_t i = 0; i < claims->count; i++) {
        put_claim(stream, options, &claims->all[i]);
    }
    return sc__lab_file_commit(&file, diag);
}

// === measures.csv ===============================================================================
// DIR/measures.csv: means over the seeds of what the report shows in tables, by map and method.
//
//     table     default: all needs as by default   attacked: nothing injected
//               injected: as many queries injected as the grid has at most
//               followed: travellers who ask again
//     map, method, measure, mean, low, high (95 %, cut to what is possible), seeds with a value
//
// A measure whose name ends in "_measured" comes from CPU time. A table that was not run, and a
// measure that a map or the figures do not have, has no row.

/** A metric, or if `is_column` a number of the measure. */
typedef struct measure {
    const char *name;
    bool is_column;
    sc_lab_metric metric;
    sc_lab_column column;
    sc_lab_column per;  ///< the column it is divided by; SC_LAB_COLUMN_QUERIES: not divided
    double most;        ///< of a column; 0: no limit
    bool is_signed;     ///< may be below 0
} measure;

static const measure defaults[] = {
    {.name = "success", .metric = SC_LAB_SUCCESS},
    {.name = "anonymization", .metric = SC_LAB_ANONYMIZATION},
    {.name = "entropy", .metric = SC_LAB_ENTROPY},
    {.name = "users", .is_column = true, .column = SC_LAB_COLUMN_USERS},
    {.name = "segments", .is_column = true, .column = SC_LAB_COLUMN_SEGMENTS},
    {.name = "border_nodes", .is_column = true, .column = SC_LAB_COLUMN_BORDER_NODES},
    {.name = "cpu_us_measured", .is_column = true, .column = SC_LAB_COLUMN_CPU},
    {.name = "throughput_measured", .metric = SC_LAB_THROUGHPUT},
    {.name = "candidates", .metric = SC_LAB_CANDIDATES},
    {.name = "processing_measured", .metric = SC_LAB_PROCESSING},
};

// The first is for the table of injection alone.
static const measure attacked[] = {
    {.name = "recognised", .is_column = true, .column = SC_LAB_COLUMN_RECOGNISED},
    {.name = "entropy", .metric = SC_LAB_ENTROPY},
    {.name = "entropy_error", .is_column = true, .column = SC_LAB_COLUMN_ENTROPY_ERROR},
    {.name = "entropy_bias",
     .is_column = true,
     .column = SC_LAB_COLUMN_ENTROPY_BIAS,
     .is_signed = true},
    {.name = "probability", .is_column = true, .column = SC_LAB_COLUMN_PROBABILITY, .most = 1},
    {.name = "rank", .is_column = true, .column = SC_LAB_COLUMN_RANK},
    {.name = "attacked_cloaks", .is_column = true, .column = SC_LAB_COLUMN_ATTACKED_CLOAKS},
    {.name = "enumerated_share",
     .is_column = true,
     .column = SC_LAB_COLUMN_ENUMERATED,
     .per = SC_LAB_COLUMN_ATTACKED_CLOAKS},
    {.name = "unexplained_share",
     .is_column = true,
     .column = SC_LAB_COLUMN_UNEXPLAINED,
     .per = SC_LAB_COLUMN_ATTACKED_CLOAKS},
    {.name = "replays_per_cloak",
     .is_column = true,
     .column = SC_LAB_COLUMN_REPLAYS,
     .per = SC_LAB_COLUMN_ATTACKED_CLOAKS},
    {.name = "attacked_segments", .is_column = true, .column = SC_LAB_COLUMN_ATTACKED_SEGMENTS},
    {.name = "attacked_effective", .is_column = true, .column = SC_LAB_COLUMN_ATTACKED_EFFECTIVE},
};

#define LOCATED(n)                                                                               \
    {                                                                                            \
        .name = "located_" #n, .is_column = true, .column = SC_LAB_COLUMN_LOCATED_##n, .most = 1 \
    }

static const measure followed[1 + SC_LAB_ASKED_MAX] = {
    {.name = "followed", .is_column = true, .column = SC_LAB_COLUMN_FOLLOWED_1},
    LOCATED(1),
    LOCATED(2),
    LOCATED(3),
    LOCATED(4),
    LOCATED(5),
    LOCATED(6),
    LOCATED(7),
    LOCATED(8),
};

/** All methods at one point. */
typedef struct measure_table {
    const char *name;
    sc_lab_point point;  ///< its seed does not matter
    const measure *measures;
    size_t count;
} measure_table;

/** What the rows are made from. */
typedef struct writer {
    FILE *stream;
    const sc_lab_results *results;
    double *by_seed;  ///< room for a number per seed
} writer;

static const sc_lab_result *result_at(const sc_lab_results *results, sc_lab_point point,
                                      uint64_t seed)
{
    point.seed = seed;
    return sc_lab_find(results, &point);
}

// Entropy that no figure asks for is measured nowhere; the provider's metrics need objects.
static bool is_shown(const sc_lab_options *options, uint32_t map, const measure *m)
{
    if (m->is_column) return true;
    return sc_lab_has_metric(options, map, m->metric) &&
           (m->metric != SC_LAB_ENTROPY || options->figures[SC_LAB_ENTROPY] != 0);
}

static bool value_of(const sc_lab_measure *from, const measure *m, double *out)
{
    // None of the metrics in tables depends on how many cloaks were seen.
    if (!m->is_column) return sc_lab_value(from, m->metric, SC_LAB_AXIS_K, 0, out);
    if (!sc__column_value(from, m->column, out)) return false;
    if (m->per == SC_LAB_COLUMN_QUERIES) return true;
    double count;
    if (!sc__column_value(from, m->per, &count) || count <= 0) return false;
    *out /= count;
    return true;
}

static sc_lab_interval interval_of(const sc_lab_estimate *estimate, const measure *m)
{
    if (m->is_signed) {
        return (sc_lab_interval){estimate->mean - estimate->half, estimate->mean + estimate->half};
    }
    const double most = m->most > 0 ? m->most : HUGE_VAL;
    return sc__possible_interval(estimate, m->is_column ? most : sc__metric_most(m->metric));
}

static void put_row(const writer *w, const measure_table *table, sc_lab_method method,
                    const measure *m)
{
    const sc_lab_options *options = w->results->options;
    for (unsigned i = 0; i < options->seed_count; i++) {
        const sc_lab_result *result = result_at(w->results, table->point, options->first_seed + i);
        if (!result || !value_of(&result->by_method[method], m, &w->by_seed[i])) {
            w->by_seed[i] = SC_NO_VALUE;
        }
    }
    const sc_lab_estimate estimate = sc__estimate(w->by_seed, options->seed_count);
    fprintf(w->stream, "%s,", table->name);
    sc__csv_text(w->stream, options->maps[table->point.map].name);
    fprintf(w->stream, ",%s,%s", sc_lab_method_name(method), m->name);
    sc__csv_estimate(w->stream, &estimate, interval_of(&estimate, m));
    fputc('\n', w->stream);
}

static void put_table(const writer *w, const measure_table *table)
{
    const sc_lab_options *options = w->results->options;
    if (!result_at(w->results, table->point, options->first_seed)) return;
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!sc__has_method(options, method)) continue;
        for (size_t i = 0; i < table->count; i++) {
            if (!is_shown(options, table->point.map, &table->measures[i])) continue;
            put_row(w, table, method, &table->measures[i]);
        }
    }
}

// The victims at the default setting, and where most queries are injected.
static void put_attacked(const writer *w, uint32_t map)
{
    const sc_lab_options *options = w->results->options;
    const sc_lab_grid *grid = &options->grids[SC_LAB_AXIS_INJECTED];
    const size_t count = sizeof attacked / sizeof attacked[0];
    put_table(w, &(measure_table){"attacked",
                                  sc_lab_point_at(options, map, SC_LAB_AXIS_INJECTED, 0, 0),
                                  attacked + 1, count - 1});
    const bool has_injected =
        (options->figures[SC_LAB_ENTROPY] >> SC_LAB_AXIS_INJECTED & 1U) != 0 && grid->count > 0;
    const double most = has_injected ? grid->values[grid->count - 1] : 0;
    if (most <= 0) return;
    put_table(w, &(measure_table){"injected",
                                  sc_lab_point_at(options, map, SC_LAB_AXIS_INJECTED, most, 0),
                                  attacked, count});
}

static void put_followed(const writer *w, uint32_t map)
{
    const sc_lab_options *options = w->results->options;
    const sc_lab_grid *asked = &options->grids[SC_LAB_AXIS_ASKED];
    const size_t last = asked->count > 0 ? (size_t)asked->values[asked->count - 1] : 0;
    put_table(w,
              &(measure_table){"followed", sc_lab_point_at(options, map, SC_LAB_AXIS_ASKED, 1, 0),
                               followed, 1 + last});
}

static void put_all(const writer *w)
{
    const sc_lab_options *options = w->results->options;
    fputs("table,map,method,measure,mean,low,high,seeds\n", w->stream);
    for (uint32_t map = 0; map < options->map_count; map++) {
        // The point where all is as by default; any axis leads to it.
        put_table(w, &(measure_table){
                         "default",
                         sc_lab_point_at(options, map, SC_LAB_AXIS_K, options->workload.k.mean, 0),
                         defaults, sizeof defaults / sizeof defaults[0]});
        if (options->figures[SC_LAB_ENTROPY] != 0) put_attacked(w, map);
        if (options->figures[SC_LAB_EFFECTIVE] != 0) put_followed(w, map);
    }
}

sc_err sc__csv_write_measures(const sc_lab_results *results, sc_diag *diag)
{
    double *by_seed = sc_malloc_array(results->options->seed_count, sizeof *by_seed);
    if (!by_seed) return sc_fail_memory(diag, "writing the measures");
    sc_lab_file file;
    sc_err err = sc__lab_file_open(&file, results->options, "measures.csv", diag);
    if (!err) {
        put_all(&(writer){.stream = file.out.stream, .results = results, .by_seed = by_seed});
        err = sc__lab_file_commit(&file, diag);
    }
    sc_free(by_seed);
    return err;
}
