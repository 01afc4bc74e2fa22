/**
 * @file record_internal.h
 * @brief What the files of this folder share: putting numbers out, and one line of a stream.
 *
 * A record of a million queries is usual, so lines are put together from whole
 * numbers by hand; printf() is left to the numbers that need it. The streams
 * belong to one thread, and their locks are passed by.
 */
#ifndef SC_RECORD_RECORD_INTERNAL_H
#define SC_RECORD_RECORD_INTERNAL_H

#include "record/fields.h"
#include "record/stream.h"

/** A text of our own, as it is. */
static inline void sc__put(FILE *out, const char *text)
{
    fputs_unlocked(text, out);
}

/** A whole number. */
void sc__put_count(FILE *out, uint64_t count);

/** So many millionths, as a decimal number with six decimals, exactly. */
void sc__put_millionths(FILE *out, int64_t millionths);

/** The shortest of up to 17 digits that reads back as the very same number; it must be finite. */
void sc__put_exactly(FILE *out, double number);

/** A profile, as streams and records have it. */
void sc__put_profile(FILE *out, const sc_profile *profile);

/** Read the line `text`, which is not empty, into `out`; `stream` keeps the user. */
SC_CHECKED sc_err sc__stream_line_read(sc_stream *stream, const sc_map *map, const sc__place *place,
                                       sc_slice text, sc_spoken *out);

/** Keep a text as long as `stream` lives, with a NUL behind it; NULL when memory is out. */
const char *sc__stream_keep(sc_stream *stream, const char *text, size_t size);

#endif
