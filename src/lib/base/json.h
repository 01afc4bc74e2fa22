/**
 * @file json.h
 * @brief Writing JSON to a stream, the few parts that need care.
 *
 * Numbers and brackets are written by whoever prints; strings pass through
 * here, because a stranger's map may name an object anything.
 *
 * Used by: exports, records, starcloak's --json.
 */
#ifndef SC_BASE_JSON_H
#define SC_BASE_JSON_H

#include <stdio.h>

/** Write `text` quoted and escaped. Bytes that are not UTF-8 become U+FFFD. */
void sc_json_string(FILE *stream, const char *text);

/** The same for `size` bytes, which may hold a NUL and need not end with one. */
void sc_json_text(FILE *stream, const char *text, size_t size);

#endif
