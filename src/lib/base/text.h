/**
 * @file text.h
 * @brief Lines, fields and numbers from a buffer of text.
 *
 * The text is a mapped file: not ended by NUL, possibly hostile, possibly huge.
 * Numbers are read without the locale, and a number is the whole field or none:
 * "12x" is refused, not read as 12.
 */
#ifndef SC_BASE_TEXT_H
#define SC_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/file.h"

/** A piece of text inside a buffer; not ended by NUL. */
typedef struct sc_slice {
    const char *text;
    size_t size;
} sc_slice;

/** A position in a text that is read line by line. */
typedef struct sc_lines {
    const sc_input *input;
    const char *next;  ///< start of the line after this one
    const char *end;
    uint64_t line;  ///< number of the current line, from 1
} sc_lines;

/** Begin before the first line of `input` (a byte order mark is passed over). */
sc_lines sc_lines_of(const sc_input *input);

/** The next line without its LF or CR LF; false at the end. */
bool sc_lines_next(sc_lines *lines, sc_slice *line);

/** Cut the next blank-separated field off the front of `line`; false if none is left. */
bool sc_slice_field(sc_slice *line, sc_slice *field);

/**
 * Cut the next CSV field off the front of `line`: a comma ends it, double quotes
 * protect commas, a doubled quote inside is a quote. *more, true at first, is
 * whether another field follows. Unquoting needs room, so
 * `buffer` must hold line->size bytes; the field points there or into the line.
 * False if none is left, or if a quote is never closed (*broken is set then).
 */
bool sc_slice_csv_field(sc_slice *line, char *buffer, sc_slice *field, bool *more, bool *broken);

/** Blanks: space, tab, line feed, carriage return, form feed. */
static inline bool sc_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/** The slice without the blanks at both of its ends. */
sc_slice sc_slice_trim(sc_slice slice);

/** Whether the slice is exactly `text`. */
bool sc_slice_is(sc_slice slice, const char *text);

/** The whole slice as a decimal number; false if it is not one (nan and inf are none). */
bool sc_slice_double(sc_slice slice, double *out);

/** The whole slice as an unsigned decimal integer; false if not one, or too large. */
bool sc_slice_u64(sc_slice slice, uint64_t *out);

/** The whole slice as a signed decimal integer. */
bool sc_slice_i64(sc_slice slice, int64_t *out);

/**
 * "FILE:LINE: <what>: 'value'": the ordinary complaint about a field.
 * Returns SC_EPARSE.
 */
sc_err sc_lines_fail(const sc_lines *lines, sc_diag *diag, const char *what, sc_slice value);

/** The same about a line as a whole. */
sc_err sc_lines_fail_line(const sc_lines *lines, sc_diag *diag, const char *what);

#endif
