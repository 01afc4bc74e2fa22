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
 * one; rows between sc_report_open() and sc_report_close() share the line of their object.
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

// --- Reports on maps and files ------------------------------------------------------------------

/** Print the sizes of `map` for people, one line each. */
void sc_report_sizes(FILE *stream, const sc_map *map);

/** Print the same as members of a JSON object, without its braces. */
void sc_report_sizes_json(FILE *stream, const sc_map *map);

/** Print one line in the columns of sc_report_sizes(); `remark` may be "". */
void sc_print_report_line(FILE *stream, const char *label, const char *value, const char *remark);

/**
 * Where a report belongs: standard output, unless the data itself went there
 * (`-o -`). Sharing it would spoil both.
 */
FILE *sc_report_stream(const char *output);

#endif
