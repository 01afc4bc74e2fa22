/**
 * @file cluster_key.h
 * @brief Secret: the key that all processes of a cluster share, and what is derived from it.
 *
 * A file with one line, "starcloak-cluster-1 " and 43 characters of URL-safe base64 without
 * padding: 32 bytes. Nobody but its owner may read it (as files of token keys). From it come, by
 * libsodium's kdf: the key behind pseudonyms and ids of queries, so that a user is one user at all
 * gateways; the key that seals messages, so that neither NATS servers nor whoever listens there
 * learn or change anything.
 *
 * Used by: starcloak gateway, worker, cluster; wire.c and seal.c, for the size of a key.
 */
#ifndef SC_CLUSTER_CLUSTER_KEY_H
#define SC_CLUSTER_CLUSTER_KEY_H

#include <starcloak/query.h>

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

#endif
