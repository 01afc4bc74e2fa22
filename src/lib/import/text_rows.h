/**
 * @file text_rows.h
 * @brief Lines of blank-separated fields, read one by one, with messages about wrong ones.
 *
 * Every message reads "FILE:LINE: field 'name' what is wrong: 'value'" and,
 * where it helps, shows how the line should look. The readers of plain text only
 * name the fields they expect.
 */
#ifndef SC_IMPORT_TEXT_ROWS_H
#define SC_IMPORT_TEXT_ROWS_H

#include "base/text.h"

/** A file being read, and the line at hand. */
typedef struct sc_rows {
    sc_lines lines;
    sc_slice line;      ///< the whole of it
    sc_slice rest;      ///< what is not cut off yet
    sc_slice field;     ///< the field cut off last
    const char *shape;  ///< what a line should be, as "node x y"
    sc_diag *diag;      ///< may be NULL
} sc_rows;

/** Begin before the first line of `input` (borrowed). */
sc_rows sc__rows_of(const sc_input *input, const char *shape, sc_diag *diag);

/** Go to the next line that holds more than blanks; false at the end. */
bool sc__rows_next(sc_rows *rows);

/** Bytes of the input up to the next line. For progress. */
uint64_t sc__rows_passed(const sc_rows *rows);

/** Cut the next field off; SC_EPARSE where there is none. */
SC_CHECKED sc_err sc__rows_field(sc_rows *rows, const char *name);

/** The next field as a number; not nan, not inf. */
SC_CHECKED sc_err sc__rows_double(sc_rows *rows, const char *name, double *out);

/** The next field as a whole number of at least 0. */
SC_CHECKED sc_err sc__rows_u64(sc_rows *rows, const char *name, uint64_t *out);

/** The next field as a whole number in low..high. */
SC_CHECKED sc_err sc__rows_i64(sc_rows *rows, const char *name, int64_t low, int64_t high,
                               int64_t *out);

/** The line must end here. */
SC_CHECKED sc_err sc__rows_end(sc_rows *rows);

/** "FILE:LINE: ..." about the line at hand; returns SC_EPARSE. */
sc_err sc__rows_fail(const sc_rows *rows, const char *format, ...) SC_PRINTF(2, 3);

/** "FILE:LINE: field 'name' <why>: 'value'" about the field cut off last; returns SC_EPARSE. */
sc_err sc__rows_fail_field(const sc_rows *rows, const char *name, const char *why);

/** The message about a builder that is full (SC_ELIMIT) or out of memory; returns `err`. */
sc_err sc__rows_fail_add(const sc_rows *rows, sc_err err, const char *doing);

#endif
