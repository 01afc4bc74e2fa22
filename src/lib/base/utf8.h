/**
 * @file utf8.h
 * @brief Checking UTF-8.
 *
 * Names in maps come from outside; a map holds only well-formed UTF-8.
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
