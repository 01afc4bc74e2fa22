/**
 * @file cluster_key.h
 * @brief Secret: the key that all processes of a cluster share, and what is derived from it.
 *
 * A file with one line, "starcloak-cluster-1 " and 43 characters of URL-safe base64 without
 * padding: 32 bytes. Only its owner may read it (as files of token keys). From it come, by
 * libsodium's kdf: the key behind pseudonyms and ids of queries, so that a user is one user at all
 * gateways; the key that seals messages, so that neither NATS servers nor other clients
 * there learn or change anything.
 */
#ifndef SC_CLUSTER_CLUSTER_KEY_H
#define SC_CLUSTER_CLUSTER_KEY_H

#include <starcloak/err.h>
#include <starcloak/query.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SC_SEAL_KEY_SIZE = 32 };

/** Locked in memory where the system allows, wiped by sc_cluster_key_free(). Opaque. */
typedef struct sc_cluster_key sc_cluster_key;

/** @return SC_OK, SC_EIO (also: others may read it), SC_EPARSE, SC_ENOMEM */
SC_CHECKED sc_err sc_cluster_key_read(const char *path, sc_cluster_key **out, sc_diag *diag);
void sc_cluster_key_free(sc_cluster_key *key);

/** A new key as its line, with newline and NUL. */
enum { SC_CLUSTER_KEY_LINE = 72 };
SC_CHECKED sc_err sc_cluster_key_make(char line[SC_CLUSTER_KEY_LINE], sc_diag *diag);

const uint8_t *sc_cluster_key_names(const sc_cluster_key *key);  ///< SC_KEY_SIZE bytes
const uint8_t *sc_cluster_key_seal(const sc_cluster_key *key);   ///< SC_SEAL_KEY_SIZE bytes

// --- Sealed messages ---------------------------------------------------------------------------
// XChaCha20-Poly1305 with the cluster's key, bound to their subject.
//
//     nonce (24 random bytes) | ciphertext | tag (16)        additional data: the subject
//
// A message that was sealed for one subject does not open under another. One that is played back
// opens: the protocol bears duplicates, and heartbeats and placements carry numbers that only grow.

/** Bytes that sealing adds. */
enum { SC_SEAL_EXTRA = 24 + 16 };

/** @param out  of size + SC_SEAL_EXTRA bytes; may not overlap */
void sc_seal(const uint8_t *key, const char *subject, const void *plain, size_t size, uint8_t *out);

/** @param out  of size - SC_SEAL_EXTRA bytes. False: not sealed with this key for this subject. */
bool sc_unseal(const uint8_t *key, const char *subject, const uint8_t *sealed, size_t size,
               void *out);

#endif
