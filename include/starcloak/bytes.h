/**
 * @file bytes.h
 * @brief A buffer of bytes that grows.
 *
 * What is written for sending (a relay, a reply, a document) goes into one, and may be written into
 * the same one again: `size` is set back and the memory is kept.
 */
#ifndef STARCLOAK_BYTES_H
#define STARCLOAK_BYTES_H

#include <starcloak/err.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes that grow; zero-initialise, release with sc_bytes_fini(). */
typedef struct sc_bytes {
    uint8_t *data;
    size_t size;
    size_t capacity;  ///< opaque
} sc_bytes;

/** Harmless twice. */
SC_API void sc_bytes_fini(sc_bytes *bytes);

#ifdef __cplusplus
}
#endif

#endif
