/*
 * The table printer of reports.
 *
 * Text and JSON are written as rows come, so a report needs no memory and a row is written in the
 * order of its calls. The layout of both is fixed: scripts read the JSON by lines, and people
 * compare two reports by eye.
 */
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"

enum { VALUE_COLUMNS = 13, BAR_COLUMNS = 16 };

const sc_column sc_summary_columns[] = {
    {"mean", "mean", VALUE_COLUMNS, SC_COLUMN_MEAN},
    {"median", "median", 10, SC_COLUMN_NUMBER},
    {"99 %", "p99", 10, SC_COLUMN_NUMBER},
    {"max", "max", 10, SC_COLUMN_NUMBER},
    {NULL, NULL, 0, SC_COLUMN_NUMBER},
};

sc_report sc_report_begin(FILE *stream, bool is_json, int label_columns)
{
    sc_report table = {.stream = stream,
                       .is_json = is_json,
                       .indent = 2,
                       .label_columns = label_columns,
                       .digits = 10,
                       .json = sc_json_writer_of_stream(stream)};
    table.json.is_spaced = true;
    if (is_json) sc_json_open_object(&table.json, NULL);
    return table;
}

sc_report sc_report_begin_line(FILE *stream, bool is_json, int label_columns)
{
    sc_report table = sc_report_begin(stream, is_json, label_columns);
    table.is_one_line = true;
    table.json.is_spaced = false;
    return table;
}

void sc_report_end(sc_report *table)
{
    if (table->is_json) fputs(table->is_one_line ? "}\n" : "\n}\n", table->stream);
}

// --- Text only ----------------------------------------------------------------------------------

void sc_report_title(sc_report *table, const char *title)
{
    if (!table->is_json) fprintf(table->stream, "\n%s\n", title);
}

void sc_report_heading(sc_report *table, const char *title, const sc_column *columns)
{
    if (table->is_json) return;
    fprintf(table->stream, "\n%-*s", table->label_columns + table->indent, title);
    for (; columns->width > 0; columns++) {
        if (columns->title) fprintf(table->stream, " %*s", columns->width, columns->title);
    }
    fputc('\n', table->stream);
}

void sc_report_bar(sc_report *table, double value, double longest)
{
    int size = longest > 0 ? (int)(value / longest * BAR_COLUMNS + 0.5) : 0;
    if (value > 0 && size == 0) size = 1;
    for (int i = 0; i < size; i++) {
        fputc('#', table->stream);
    }
    fputc('\n', table->stream);
}

double sc_share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

// --- JSON only ----------------------------------------------------------------------------------

void sc_report_break_line(sc_report *table, const char *blanks)
{
    if (!table->is_json) return;
    sc_json_break_line(&table->json);
    sc_json_put_text(&table->json, blanks);
}

bool sc_report_member(sc_report *table)
{
    const bool has_own_line = table->depth == 0 && !table->is_one_line;
    if (table->is_json && has_own_line) sc_report_break_line(table, "  ");
    return table->is_json;
}

void sc_report_string(sc_report *table, const char *name, const char *text)
{
    if (!sc_report_member(table)) return;
    if (text) {
        sc_json_put_string(&table->json, name, text);
    } else {
        sc_json_put_null(&table->json, name);
    }
}

void sc_report_flag(sc_report *table, const char *name, bool holds)
{
    if (sc_report_member(table)) sc_json_put_flag(&table->json, name, holds);
}

void sc_report_null(sc_report *table, const char *name)
{
    if (sc_report_member(table)) sc_json_put_null(&table->json, name);
}

void sc_report_hex(sc_report *table, const char *name, uint64_t value)
{
    if (sc_report_member(table)) sc_json_put_hex(&table->json, name, value);
}

void sc_report_open(sc_report *table, const char *name)
{
    if (!sc_report_member(table)) return;
    sc_json_open_object(&table->json, name);
    table->depth++;
}

void sc_report_close(sc_report *table)
{
    if (!table->is_json) return;
    sc_json_close_object(&table->json);
    table->depth--;
}

// --- Rows of both -------------------------------------------------------------------------------

void sc_report_line(sc_report *table, const char *label, const char *value, const char *remark)
{
    if (table->is_json || !label) return;
    fprintf(table->stream, "%*s%-*s %*s%s%s\n", table->indent, "", table->label_columns, label,
            VALUE_COLUMNS, value, remark[0] != '\0' ? "  " : "", remark);
}

void sc_report_count(sc_report *table, const char *label, const char *name, uint64_t count,
                     const char *remark)
{
    char number[SC_FORMAT_SIZE];
    if (!table->is_json) {
        sc_report_line(table, label, sc_format_count(number, count), remark);
    } else if (name && sc_report_member(table)) {
        sc_json_put_count(&table->json, name, count);
    }
}

void sc_report_share(sc_report *table, const char *label, const char *name, uint64_t count,
                     uint64_t whole, const char *of)
{
    char remark[64] = "";
    if (whole > 0) snprintf(remark, sizeof(remark), "%5.1f %%%s", sc_share(count, whole), of);
    sc_report_count(table, label, name, count, remark);
}

void sc_report_number(sc_report *table, const char *label, const char *name, double value,
                      int decimals, const char *remark)
{
    char number[SC_FORMAT_SIZE];
    if (!table->is_json) {
        sc_report_line(table, label, sc_format_decimal(number, value, decimals), remark);
    } else if (name && sc_report_member(table)) {
        sc_json_put_rounded(&table->json, name, value, table->digits);
    }
}

void sc_report_seconds(sc_report *table, const char *label, const char *name, double seconds,
                       const char *remark)
{
    char number[SC_FORMAT_SIZE];
    if (!table->is_json) {
        sc_report_line(table, label, sc_format_seconds(number, seconds), remark);
    } else if (!table->is_one_line) {
        sc_report_number(table, label, name, seconds, 0, remark);
    } else if (name) {
        sc_json_put_decimals(&table->json, name, seconds, 4);
    }
}

static void put_value(sc_report *table, const sc_column *column, double value, int decimals)
{
    char number[SC_FORMAT_SIZE];
    if (!table->is_json) {
        if (!column->title) return;
        if (column->kind == SC_COLUMN_MEAN && decimals == 0) decimals = 2;
        fprintf(table->stream, " %*s", column->width, sc_format_decimal(number, value, decimals));
    } else if (column->kind == SC_COLUMN_COUNT) {
        sc_json_put_count(&table->json, column->name, (uint64_t)value);
    } else {
        sc_json_put_rounded(&table->json, column->name, value, table->digits);
    }
}

void sc_report_row(sc_report *table, const char *label, const char *name, const sc_column *columns,
                   const double *values, int decimals)
{
    if (!(table->is_json ? name : label)) return;
    if (!table->is_json) {
        fprintf(table->stream, "%*s%-*s", table->indent, "", table->label_columns, label);
    }
    sc_report_open(table, name);
    for (size_t i = 0; columns[i].width > 0; i++) {
        put_value(table, &columns[i], values[i], decimals);
    }
    sc_report_close(table);
    if (!table->is_json) fputc('\n', table->stream);
}

void sc_report_summary(sc_report *table, const char *label, const char *name,
                       const sc_summary *summary, int decimals)
{
    const double values[] = {summary->mean, summary->median, summary->p99, summary->max};
    sc_report_row(table, label, name, sc_summary_columns, values, decimals);
}

// --- Tables of cells ----------------------------------------------------------------------------

sc_cell sc_cell_text(const char *title, const char *name, int width, const char *text)
{
    return (sc_cell){title, name, width, SC_CELL_TEXT, text, 0, 0, 0};
}

sc_cell sc_cell_count(const char *title, const char *name, int width, uint64_t count)
{
    return (sc_cell){title, name, width, SC_CELL_COUNT, NULL, count, 0, 0};
}

sc_cell sc_cell_id(const char *title, const char *name, int width, uint64_t id)
{
    return (sc_cell){title, name, width, SC_CELL_ID, NULL, id, 0, 0};
}

sc_cell sc_cell_number(const char *title, const char *name, int width, double value, int decimals)
{
    return (sc_cell){title, name, width, SC_CELL_NUMBER, NULL, 0, value, decimals};
}

void sc_report_open_cells(sc_report *table, const char *name)
{
    table->has_titles = false;
    if (!sc_report_member(table)) return;
    sc_json_open_array(&table->json, name);
    table->depth++;
}

void sc_report_close_cells(sc_report *table)
{
    if (!table->is_json) return;
    sc_json_close_array(&table->json);
    table->depth--;
}

static void put_json_cell(sc_report *table, const sc_cell *cell)
{
    if (cell->kind == SC_CELL_TEXT) {
        sc_json_put_string(&table->json, cell->name, cell->text);
    } else if (cell->kind == SC_CELL_NUMBER) {
        sc_json_put_rounded(&table->json, cell->name, cell->number, table->digits);
    } else {
        sc_json_put_count(&table->json, cell->name, cell->count);
    }
}

static const char *format_cell(const sc_cell *cell, char out[SC_FORMAT_SIZE])
{
    if (cell->kind == SC_CELL_TEXT) return cell->text;
    if (cell->kind == SC_CELL_COUNT) return sc_format_count(out, cell->count);
    if (cell->kind == SC_CELL_ID) {
        snprintf(out, SC_FORMAT_SIZE, "%" PRIu64, cell->count);
        return out;
    }
    return isnan(cell->number) ? "-" : sc_format_decimal(out, cell->number, cell->decimals);
}

/** A line of titles or of values. Blanks wait for a text that follows: no line ends with them. */
static void put_text_cells(FILE *stream, const sc_cell *cells, size_t count, bool are_titles)
{
    int blanks = 0;
    for (size_t i = 0; i < count; i++) {
        if (!cells[i].title) continue;
        char number[SC_FORMAT_SIZE];
        const char *text = are_titles ? cells[i].title : format_cell(&cells[i], number);
        const int padding = abs(cells[i].width) - sc_text_columns(text);
        const bool is_left = cells[i].width < 0;
        if (is_left && i > 0) blanks++;
        if (!is_left && padding > 0) blanks += padding;
        if (text[0] != '\0') {
            fprintf(stream, "%*s", blanks, "");
            sc_print_text(stream, text);
            blanks = 0;
        }
        blanks += is_left && padding > 0 ? padding + 1 : 1;
    }
    fputc('\n', stream);
}

void sc_report_cells(sc_report *table, const sc_cell *cells, size_t count)
{
    if (!table->is_json) {
        if (!table->has_titles) fputc('\n', table->stream);
        if (!table->has_titles) put_text_cells(table->stream, cells, count, true);
        table->has_titles = true;
        put_text_cells(table->stream, cells, count, false);
        return;
    }
    sc_json_open_object(&table->json, NULL);
    for (size_t i = 0; i < count; i++) {
        if (cells[i].name) put_json_cell(table, &cells[i]);
    }
    sc_json_close_object(&table->json);
}

// --- Reports on maps and files ------------------------------------------------------------------

FILE *sc_report_stream(const char *output)
{
    return strcmp(output, "-") == 0 ? stderr : stdout;
}

void sc_report_output(sc_report *table, const char *path, const char *format, ...)
{
    sc_report_string(table, "output", path);
    if (table->is_json) return;
    va_list arguments;
    va_start(arguments, format);
    sc_print_text(table->stream, path);
    vfprintf(table->stream, format, arguments);
    va_end(arguments);
    fputc('\n', table->stream);
}

void sc_report_bytes(sc_report *table, const char *name, uint64_t bytes)
{
    char number[SC_FORMAT_SIZE];
    char remark[SC_FORMAT_SIZE + 2];
    snprintf(remark, sizeof(remark), "(%s)", sc_format_bytes(number, bytes));
    sc_report_count(table, "bytes", name, bytes, remark);
}

void sc_report_sizes(sc_report *table, const sc_map *map)
{
    char number[SC_FORMAT_SIZE];
    char remark[SC_FORMAT_SIZE + 16] = "";
    const uint32_t categories = sc_map_category_count(map);
    if (categories > 0) {
        snprintf(remark, sizeof(remark), "in %s categories", sc_format_count(number, categories));
    }
    sc_report_count(table, "nodes", "nodes", sc_map_node_count(map), "");
    sc_report_count(table, "edges", "edges", sc_map_edge_count(map), "");
    sc_report_count(table, "segments", "segments", sc_map_segment_count(map), "");
    sc_report_count(table, "stars", "stars", sc_map_star_count(map), "");
    sc_report_count(table, "objects", "objects", sc_map_object_count(map), remark);
    sc_report_count(table, NULL, "categories", categories, "");
    sc_report_bytes(table, "bytes", sc_map_bytes(map));
    sc_report_hex(table, "checksum", sc_map_checksum(map));
}
