/**
 * @file json_write.h
 * @brief Writing JSON into memory: what is written by hand, and the parts that need care.
 *
 * For replies that are made often and must cost little: no tree is built, brackets and names
 * are appended as text, and only strings and numbers are looked at. Each function returns false if
 * memory is out, and has appended nothing then, so that a whole object is one chain of `&&`.
 */
#ifndef SC_BASE_JSON_WRITE_H
#define SC_BASE_JSON_WRITE_H

#include <starcloak/bytes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Make sure that `more` bytes can follow without another allocation. */
bool sc_json_reserve(sc_bytes *out, size_t more);

/** `text` as it is: brackets, names, commas. */
bool sc_json_append_text(sc_bytes *out, const char *text);

/** `text` quoted and escaped as sc_json_string() does it. Bytes that are not UTF-8 become U+FFFD.
 */
bool sc_json_append_string(sc_bytes *out, const char *text);

bool sc_json_append_whole(sc_bytes *out, uint64_t value);

/**
 * A number with the fewest digits that read back as the same double; null for what is none (NaN,
 * infinite).
 */
bool sc_json_append_number(sc_bytes *out, double value);

/**
 * A number rounded to at most `decimals` (0 to 9) digits after the point; zeros at the end are left
 * out. Much cheaper than the shortest form.
 */
bool sc_json_append_fixed(sc_bytes *out, double value, unsigned decimals);

/** A string of 16 hexadecimal digits, zeros in front: the id of a cloak. */
bool sc_json_append_hex(sc_bytes *out, uint64_t value);

/** Bytes as a string in base64, padded. */
bool sc_json_append_base64(sc_bytes *out, const void *bytes, size_t size);

/** The most that sc_json_escape() writes for `size` bytes. */
#define SC_JSON_ESCAPED(size) (2 + 6 * (size))

/**
 * Write `size` bytes of text, quoted and escaped, to `out`, which has room for
 * SC_JSON_ESCAPED(size); no NUL at the end. Returns how many were written. Needs no memory.
 */
size_t sc_json_escape(const char *text, size_t size, char *out);

#endif
