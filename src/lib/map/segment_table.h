/**
 * @file segment_table.h
 * @brief Tables about the segments of a map: CSV with a header, a line for each segment or more.
 *
 *     # map 0123456789abcdef
 *     segment,count
 *     0,17
 *
 * A table may be hostile. What is refused is refused with its line and its column, and with what to
 * do. A comment "# map CHECKSUM" is compared with the map; columns that are not asked for are
 * passed over, in any order. Quotes are those of RFC 4180, except that a field cannot hold a line
 * break; blanks around a field without quotes do not count.
 */
#ifndef SC_MAP_SEGMENT_TABLE_H
#define SC_MAP_SEGMENT_TABLE_H

#include <starcloak/map.h>

#include "base/line_reader.h"
#include "base/text.h"

#include <stdio.h>

/** The most columns that are asked for in one table. */
enum { SC_SEGMENT_TABLE_COLUMNS = 4 };

/** Which field of a line is in a column that the header does not have. */
#define SC_SEGMENT_TABLE_NOWHERE SIZE_MAX

/** What a table is about. */
typedef struct sc_segment_table_kind {
    const char *const *columns;  ///< what is asked for; NULL-ended; one is "segment"
    const char *contents;        ///< for messages: "a density"
    const char *name;            ///< "a table of densities"
    const char *doing;           ///< when memory is out: "reading a density"
} sc_segment_table_kind;

/** A table that is being read. Zero-initialise but for the first two. */
typedef struct sc_segment_table {
    const sc_map *map;  ///< borrowed
    const sc_segment_table_kind *kind;

    sc_line_reader source;
    sc_diag *diag;
    char *buffer;                            ///< where unquoted fields go: as long as a line may be
    size_t width;                            ///< fields that the header has; 0: there is no header
    size_t place[SC_SEGMENT_TABLE_COLUMNS];  ///< which field is in a column, or NOWHERE
    sc_slice fields[SC_SEGMENT_TABLE_COLUMNS];  ///< of the line at hand; lent until the next
} sc_segment_table;

/**
 * Open the table at `path` ("-" is standard input; xz and gzip are unpacked) and read its header,
 * if it has one: `place` and `width` are set. Which columns it must have is for the caller to say.
 *
 * @param diag  borrowed; told of errors from here to the end
 * @return SC_OK, SC_EIO, SC_EPARSE, SC_ELIMIT, SC_EMISMATCH, SC_ENOMEM; close it in any case
 */
SC_CHECKED sc_err sc__segment_table_open(sc_segment_table *table, const char *path, sc_diag *diag);

/** The same for bytes in memory (borrowed), as they are: nothing is unpacked. */
SC_CHECKED sc_err sc__segment_table_of(sc_segment_table *table, const sc_input *input,
                                       sc_diag *diag);

/**
 * The next line, cut into `fields`.
 *
 * @param more  set to false behind the last
 */
SC_CHECKED sc_err sc__segment_table_next(sc_segment_table *table, bool *more);

/** A segment of the map, from the field at hand of column `column`. */
SC_CHECKED sc_err sc__segment_table_segment(const sc_segment_table *table, size_t column,
                                            sc_seg_id *out);

/** Something is wrong with the line at hand, its column `column`, or the table as a whole. */
sc_err sc__segment_table_fail_line(const sc_segment_table *table, const char *what);
sc_err sc__segment_table_fail_field(const sc_segment_table *table, size_t column, const char *what,
                                    const char *advice);
sc_err sc__segment_table_fail(const sc_segment_table *table, const char *what);

/** The comment that names the map, for a table that is written. */
void sc__segment_table_write_map(FILE *out, const sc_map *map);

/** Harmless twice, and on a table that could not be opened. */
void sc__segment_table_close(sc_segment_table *table);

#endif
