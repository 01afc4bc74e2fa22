/**
 * @file seal.h
 * @brief Sealed messages: XChaCha20-Poly1305 with the cluster's key, bound to their subject.
 *
 *     nonce (24 random bytes) | ciphertext | tag (16)        additional data: the subject
 *
 * A message that was sealed for one subject does not open under another. One that is played back
 * opens: the protocol bears duplicates, and beats and placements carry numbers that only grow.
 *
 * Used by: wire.c, wire_ears.c.
 */
#ifndef SC_CLUSTER_SEAL_H
#define SC_CLUSTER_SEAL_H

#include <starcloak/err.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes that sealing adds. */
enum { SC_SEAL_EXTRA = 24 + 16 };

/** @param out  of size + SC_SEAL_EXTRA bytes; may not overlap */
void sc_seal(const uint8_t *key, const char *subject, const void *plain, size_t size, uint8_t *out);

/** @param out  of size - SC_SEAL_EXTRA bytes. False: not sealed with this key for this subject. */
bool sc_unseal(const uint8_t *key, const char *subject, const uint8_t *sealed, size_t size,
               void *out);

#endif
