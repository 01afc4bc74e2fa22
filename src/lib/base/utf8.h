/**
 * @file utf8.h
 * @brief Telling UTF-8 from other bytes.
 *
 * Names in maps come from strangers; a map holds only well-formed UTF-8.
 *
 * Used by: json, map builder and check, OpenStreetMap reader, objects, relay, records.
 */
#ifndef SC_BASE_UTF8_H
#define SC_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/** Bytes of the character at `text`, 1 to 4; 0 if it is not well-formed (also when cut short). */
size_t sc_utf8_size(const char *text, size_t size);

/** Whether all of `text`, up to its NUL, is well-formed. */
bool sc_is_utf8(const char *text);

#endif
