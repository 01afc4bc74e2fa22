// The CSV files of an experiment; csv.h says what their columns are.
#include "lab/csv.h"

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
    fputs("claim,map,statement,methods,verdict,points,agreeing,left,right,contradiction,found,"
          "verdict_measured,points_measured,agreeing_measured,left_measured,right_measured,"
          "contradiction_measured,found_measured",
          stream);
    end_line(stream);
    for (size_t i = 0; i < claims->count; i++) {
        put_claim(stream, options, &claims->all[i]);
    }
    return sc__lab_file_commit(&file, diag);
}
