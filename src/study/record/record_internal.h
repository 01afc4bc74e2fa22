/**
 * @file record_internal.h
 * @brief Numbers and profiles, as streams and run records have them (record_write.c).
 */
#ifndef SC_RECORD_RECORD_INTERNAL_H
#define SC_RECORD_RECORD_INTERNAL_H

#include <starcloak/query.h>
#include <stdio.h>

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

#endif
