/**
 * @file bytes.h
 * @brief What the inside does with a buffer of bytes (starcloak/bytes.h): append, also numbers, and
 * wipe.
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

/** Append a number as a varint: seven bits per byte, the least first, and the eighth says that more
 * follow. False when memory is out. */
SC_CHECKED bool sc_bytes_append_varint(sc_bytes *bytes, uint64_t number);

/** A number with a sign as one without, small if it is small: 0, -1, 1, -2 are 0, 1, 2, 3. */
static inline uint64_t sc_fold_sign(int64_t number)
{
    const uint64_t twice = (uint64_t)number << 1;
    return number < 0 ? ~twice : twice;
}

/** Overwrite all of the memory with zeros and make it empty; the memory is kept. */
void sc_bytes_wipe(sc_bytes *bytes);

#endif
