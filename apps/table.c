/*
 * The table printer of reports.
 *
 * Text and JSON are written as rows come, so a report needs no memory and a row is written in the
 * order of its calls. The layout of both is fixed: scripts read the JSON by lines, and people
 * compare two reports by eye.
 */
#include "table.h"

#include <inttypes.h>
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
                       .label_columns = label_columns,
                       .digits = 10,
                       .json = sc_json_writer_of_stream(stream)};
    table.json.is_spaced = true;
    if (is_json) sc_json_open_object(&table.json, NULL);
    return table;
}

void sc_report_end(sc_report *table)
{
    if (table->is_json) fputs("\n}\n", table->stream);
}

// --- Text only ----------------------------------------------------------------------------------

void sc_report_title(sc_report *table, const char *title)
{
    if (!table->is_json) fprintf(table->stream, "\n%s\n", title);
}

void sc_report_heading(sc_report *table, const char *title, const sc_column *columns)
{
    if (table->is_json) return;
    fprintf(table->stream, "\n%-*s", table->label_columns + 2, title);
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
    if (table->is_json && table->depth == 0) sc_report_break_line(table, "  ");
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

static void put_line(FILE *stream, int columns, const char *const cells[3])
{
    const char *remark = cells[2];
    fprintf(stream, "  %-*s %*s%s%s\n", columns, cells[0], VALUE_COLUMNS, cells[1],
            remark[0] != '\0' ? "  " : "", remark);
}

void sc_report_line(sc_report *table, const char *label, const char *value, const char *remark)
{
    if (table->is_json || !label) return;
    put_line(table->stream, table->label_columns, (const char *const[]){label, value, remark});
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

/** The JSON of a number, or its text. */
static void put_number(sc_report *table, const char *label, const char *name, double value,
                       const char *cells[2])
{
    if (!table->is_json) {
        sc_report_line(table, label, cells[0], cells[1]);
    } else if (name && sc_report_member(table)) {
        sc_json_put_rounded(&table->json, name, value, table->digits);
    }
}

void sc_report_number(sc_report *table, const char *label, const char *name, double value,
                      int decimals, const char *remark)
{
    char number[SC_FORMAT_SIZE];
    put_number(table, label, name, value,
               (const char *[]){sc_format_decimal(number, value, decimals), remark});
}

void sc_report_seconds(sc_report *table, const char *label, const char *name, double seconds,
                       const char *remark)
{
    char number[SC_FORMAT_SIZE];
    put_number(table, label, name, seconds,
               (const char *[]){sc_format_seconds(number, seconds), remark});
}

static void put_cell(sc_report *table, const sc_column *column, double value, int decimals)
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
    if (!table->is_json) fprintf(table->stream, "  %-*s", table->label_columns, label);
    sc_report_open(table, name);
    for (size_t i = 0; columns[i].width > 0; i++) {
        put_cell(table, &columns[i], values[i], decimals);
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

// --- Reports on maps and files ------------------------------------------------------------------

FILE *sc_report_stream(const char *output)
{
    return strcmp(output, "-") == 0 ? stderr : stdout;
}

void sc_print_report_line(FILE *stream, const char *label, const char *value, const char *remark)
{
    put_line(stream, 10, (const char *const[]){label, value, remark});
}

static void put_count(FILE *stream, const char *label, uint64_t count, const char *remark)
{
    char number[SC_FORMAT_SIZE];
    sc_print_report_line(stream, label, sc_format_count(number, count), remark);
}

void sc_report_sizes(FILE *stream, const sc_map *map)
{
    char number[SC_FORMAT_SIZE];
    char remark[SC_FORMAT_SIZE + 16] = "";
    put_count(stream, "nodes", sc_map_node_count(map), "");
    put_count(stream, "edges", sc_map_edge_count(map), "");
    put_count(stream, "segments", sc_map_segment_count(map), "");
    put_count(stream, "stars", sc_map_star_count(map), "");
    if (sc_map_category_count(map) > 0) {
        snprintf(remark, sizeof(remark), "in %s categories",
                 sc_format_count(number, sc_map_category_count(map)));
    }
    put_count(stream, "objects", sc_map_object_count(map), remark);
    snprintf(remark, sizeof(remark), "(%s)", sc_format_bytes(number, sc_map_bytes(map)));
    put_count(stream, "bytes", sc_map_bytes(map), remark);
}

void sc_report_sizes_json(FILE *stream, const sc_map *map)
{
    fprintf(stream,
            "\"nodes\":%" PRIu32 ",\"edges\":%" PRIu32 ",\"segments\":%" PRIu32
            ",\"stars\":%" PRIu32 ",\"objects\":%" PRIu32 ",\"categories\":%" PRIu32
            ",\"bytes\":%zu,\"checksum\":\"%016" PRIx64 "\"",
            sc_map_node_count(map), sc_map_edge_count(map), sc_map_segment_count(map),
            sc_map_star_count(map), sc_map_object_count(map), sc_map_category_count(map),
            sc_map_bytes(map), sc_map_checksum(map));
}
