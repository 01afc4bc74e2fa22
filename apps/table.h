/**
 * @file table.h
 * @brief Reports: rows of numbers that are described once and printed as aligned text for people
 * or as one JSON object for programs.
 *
 *     sc_report table = sc_report_begin(stdout, is_json, 24);
 *     sc_report_title(&table, "Queries");
 *     sc_report_count(&table, "admitted", "queries", report->queries, "");
 *     sc_report_end(&table);
 *
 * prints
 *
 *     Queries                                       {
 *       admitted                         1,200        "queries": 1200
 *                                                   }
 *
 * A row has a label, which text shows, and a name, which JSON shows. NULL for one of them leaves
 * the row out of that form: some numbers are only for people or only for programs, and some stand
 * in another place there. In JSON every row is a line of its own, so that line-based tools can pick
 * one; rows between sc_report_open() and sc_report_close() share the line of their object. Reports
 * of sc_report_begin_line() have one line altogether.
 *
 * Whether the stream could be written is asked when it is closed (sc_stdout_close()).
 */
#ifndef SC_APPS_TABLE_H
#define SC_APPS_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <starcloak/map.h>

#include "base/json_write.h"
#include "sim/run.h"

typedef struct sc_report {
    FILE *stream;
    bool is_json;
    bool is_one_line;     ///< the JSON
    bool has_titles;      ///< of the cells that are open
    int indent;           ///< of labels in text: 2, unless it is changed
    int label_columns;    ///< width of labels in text
    int digits;           ///< significant digits of numbers in JSON: 10, unless it is changed
    unsigned depth;       ///< objects of JSON that are open within the outermost
    sc_json_writer json;  ///< of `stream`, for values that no function below writes
} sc_report;

/** How values of a column are shown. */
typedef enum sc_column_kind {
    SC_COLUMN_NUMBER,
    SC_COLUMN_MEAN,   ///< with two decimals where the others are whole
    SC_COLUMN_COUNT,  ///< a whole number in JSON, too
} sc_column_kind;

/** A column. A list ends with one that has no width. */
typedef struct sc_column {
    const char *title;  ///< NULL: in JSON only
    const char *name;
    int width;
    sc_column_kind kind;
} sc_column;

/** Mean, median, 99th percentile and maximum, as an sc_summary has them. */
extern const sc_column sc_summary_columns[];

sc_report sc_report_begin(FILE *stream, bool is_json, int label_columns);
void sc_report_end(sc_report *table);

/** The same with JSON on one line, without blanks; seconds have four decimals there. */
sc_report sc_report_begin_line(FILE *stream, bool is_json, int label_columns);

// --- Text only ----------------------------------------------------------------------------------

/** An empty line and a title. */
void sc_report_title(sc_report *table, const char *title);

/** An empty line, a title and the titles of columns. */
void sc_report_heading(sc_report *table, const char *title, const sc_column *columns);

/** A bar of at most 16 characters, `value` / `longest` of that, and the end of the line. */
void sc_report_bar(sc_report *table, double value, double longest);

/** `part` of `whole` in percent; 0 of nothing. */
double sc_share(uint64_t part, uint64_t whole);

// --- JSON only ----------------------------------------------------------------------------------

/** Begin a member; its value is then written to `table->json`. False where text is printed. */
bool sc_report_member(sc_report *table);

void sc_report_string(sc_report *table, const char *name, const char *text);  ///< NULL: null
void sc_report_flag(sc_report *table, const char *name, bool holds);
void sc_report_null(sc_report *table, const char *name);
void sc_report_hex(sc_report *table, const char *name, uint64_t value);  ///< 16 digits
void sc_report_open(sc_report *table, const char *name);
void sc_report_close(sc_report *table);

/** Go on in the next line, with blanks in front. */
void sc_report_break_line(sc_report *table, const char *blanks);

// --- Rows of both -------------------------------------------------------------------------------

/** A label, a text that is aligned to the right, and a remark ("": none). Text only. */
void sc_report_line(sc_report *table, const char *label, const char *value, const char *remark);

void sc_report_count(sc_report *table, const char *label, const char *name, uint64_t count,
                     const char *remark);

/** A count, and its share of `whole` with the words after it, unless `whole` is 0. */
void sc_report_share(sc_report *table, const char *label, const char *name, uint64_t count,
                     uint64_t whole, const char *of);

void sc_report_number(sc_report *table, const char *label, const char *name, double value,
                      int decimals, const char *remark);
void sc_report_seconds(sc_report *table, const char *label, const char *name, double seconds,
                       const char *remark);

/** One value for each column; in JSON an object. `decimals` are those of the text. */
void sc_report_row(sc_report *table, const char *label, const char *name, const sc_column *columns,
                   const double *values, int decimals);

/** The same for the columns of sc_summary_columns. */
void sc_report_summary(sc_report *table, const char *label, const char *name,
                       const sc_summary *summary, int decimals);

// --- Tables of cells ----------------------------------------------------------------------------

/** A value in a row, and the column it stands in. The functions below make it. */
typedef struct sc_cell {
    const char *title;  ///< NULL: in JSON only
    const char *name;   ///< NULL: in text only
    int width;          ///< negative: aligned to the left, with two blanks in front
    enum { SC_CELL_TEXT, SC_CELL_COUNT, SC_CELL_ID, SC_CELL_NUMBER } kind;
    const char *text;
    uint64_t count;
    double number;
    int decimals;
} sc_cell;

/** `text` is borrowed, and may be a stranger's. */
sc_cell sc_cell_text(const char *title, const char *name, int width, const char *text);
sc_cell sc_cell_count(const char *title, const char *name, int width, uint64_t count);

/** A count without commas. */
sc_cell sc_cell_id(const char *title, const char *name, int width, uint64_t id);

/** `decimals` are those of the text; NaN is a dash there, and null in JSON. */
sc_cell sc_cell_number(const char *title, const char *name, int width, double value, int decimals);

/** Begin a table: an array in JSON, an empty line and the titles of its first row in text. */
void sc_report_open_cells(sc_report *table, const char *name);
void sc_report_close_cells(sc_report *table);

/** A row: an object in JSON. */
void sc_report_cells(sc_report *table, const sc_cell *cells, size_t count);

// --- Reports on maps and files ------------------------------------------------------------------

/** The file that was written: "output", or a line of text that goes on as `format` says. */
void sc_report_output(sc_report *table, const char *path, const char *format, ...) SC_PRINTF(3, 4);

/** The sizes of a map; in JSON its checksum, too. */
void sc_report_sizes(sc_report *table, const sc_map *map);

/** A number of bytes, also in kB, MB and so on. */
void sc_report_bytes(sc_report *table, const char *name, uint64_t bytes);

/**
 * Where a report belongs: standard output, unless the data itself went there
 * (`-o -`). Sharing it would spoil both.
 */
FILE *sc_report_stream(const char *output);

#endif
