/**
 * @file format.h
 * @brief Numbers, sizes and strangers' texts, as people like to read them.
 */
#ifndef SC_APPS_FORMAT_H
#define SC_APPS_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Room for any number or size below. */
#define SC_FORMAT_SIZE 32

/** "21,048". Returns `out`, so that it can stand in a call of printf(). */
const char *sc_format_count(char out[SC_FORMAT_SIZE], uint64_t count);

/** "1,234.5": thousands parted, with `decimals` digits after the point. */
const char *sc_format_decimal(char out[SC_FORMAT_SIZE], double value, int decimals);

/** "12.3 MB": powers of 1000, as disks are sold. */
const char *sc_format_bytes(char out[SC_FORMAT_SIZE], uint64_t bytes);

/** "12.3M": for counts where room is scarce. */
void sc_format_short(char *out, size_t size, uint64_t count);

/** "0.35 s", "4 min 10 s". */
const char *sc_format_seconds(char out[SC_FORMAT_SIZE], double seconds);

/**
 * Print a text that came from a stranger's file, or the name of one: bytes of
 * control characters, which could steer a terminal or break a line, and bytes that
 * are not UTF-8 become "\xNN".
 */
void sc_print_text(FILE *stream, const char *text);

/** The same into `out`; what does not fit is left out. */
void sc_format_text(char *out, size_t size, const char *text);

/** How many columns such a text takes, with one per character of UTF-8. */
int sc_text_columns(const char *text);

#endif
