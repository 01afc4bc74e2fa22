/**
 * @file bytes.h
 * @brief What the inside does with a buffer of bytes (starcloak/bytes.h): append, and wipe.
 */
#ifndef SC_BASE_BYTES_H
#define SC_BASE_BYTES_H

#include <starcloak/bytes.h>
#include <stdbool.h>

/** Room for `more` bytes behind those that are there; false when memory is out. */
SC_CHECKED bool sc_bytes_reserve(sc_bytes *bytes, size_t more);

/**
 * The same for bytes that must not be left behind in freed memory: if they have to be moved, the
 * old place is overwritten with zeros.
 */
SC_CHECKED bool sc_bytes_reserve_wiping(sc_bytes *bytes, size_t more);

/** Append; false when memory is out, and nothing is appended then. */
SC_CHECKED bool sc_bytes_append(sc_bytes *bytes, const void *more, size_t size);

/** Overwrite all of the memory with zeros and make it empty; the memory is kept. */
void sc_bytes_wipe(sc_bytes *bytes);

#endif
