/**
 * @file hkdf.h
 * @brief HKDF-SHA256 (RFC 5869), which HPKE and Oblivious HTTP derive their keys with.
 *
 * Both hash concatenations ("HPKE-v1", a suite, a label, ...). They are given as parts, so that no
 * buffer has to hold a concatenation of secrets.
 */
#ifndef SC_OBLIVIOUS_HKDF_H
#define SC_OBLIVIOUS_HKDF_H

#include <stddef.h>
#include <stdint.h>

enum {
    SC_HKDF_SIZE = 32,                 ///< of a pseudorandom key: Nh of RFC 9180
    SC_HKDF_MAX = 255 * SC_HKDF_SIZE,  ///< of what one expansion can give (RFC 5869, 2.3)
};

/** A piece of what is hashed; a size of 0 goes with any pointer. */
typedef struct sc_hkdf_part {
    const void *bytes;
    size_t size;
} sc_hkdf_part;

/** HKDF-Extract: a pseudorandom key of `salt` and the parts of the input keying material. */
void sc_hkdf_extract(const void *salt, size_t salt_size, const sc_hkdf_part *ikm, size_t count,
                     uint8_t prk[SC_HKDF_SIZE]);

/** HKDF-Expand: `size` bytes, at most SC_HKDF_MAX, of `prk` and the parts of info. */
void sc_hkdf_expand(const uint8_t prk[SC_HKDF_SIZE], const sc_hkdf_part *info, size_t count,
                    uint8_t *out, size_t size);

#endif
