/**
 * @file cluster_key.h
 * @brief Secret: the keys of a cluster's processes, by role.
 *
 * Gateways share one file, with 32 random bytes from which libsodium's kdf makes all keys:
 *  - the *names* key, behind pseudonyms and ids of queries, so that a user is one user at all
 *    gateways;
 *  - the *gateways* key, for messages from gateway to gateway;
 *  - the *broadcast* key, for heartbeats of gateways and placements, which all processes read, and
 *    the pair of keys that signs them;
 *  - a key for each *worker*, for messages between it and gateways, by the worker's number.
 *
 * A worker's file has its own key, the broadcast key, and the public half of the pair: it cannot
 * name users, read what is for other workers or gateways, or speak for any of them.
 *
 *     starcloak-gateways-2 <43 characters>
 *     starcloak-worker-2 NAME <128 characters>
 *
 * One line, URL-safe base64 without padding. Only its owner may read it (as files of token keys).
 *
 * The number of a process (sc_peer) tells its role and, of a worker, its key: the highest bit is
 * set for a worker, and the next 31 are a hash of the name in its key file. So a gateway finds the
 * key of any worker, and no worker can take the number of another one.
 */
#ifndef SC_CLUSTER_CLUSTER_KEY_H
#define SC_CLUSTER_CLUSTER_KEY_H

#include <starcloak/err.h>
#include <starcloak/query.h>

#include "messages/messages.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sc_cluster_role { SC_CLUSTER_GATEWAY, SC_CLUSTER_WORKER } sc_cluster_role;

/** Locked in memory where the system allows, wiped by sc_cluster_key_free(). Opaque; read by any
 * thread. */
typedef struct sc_cluster_key sc_cluster_key;

/**
 * @param role  of the process: a file for the other role is refused
 * @return SC_OK, SC_EIO (also: others may read it), SC_EPARSE, SC_EINVAL (another role), SC_ENOMEM
 */
SC_CHECKED sc_err sc_cluster_key_read(const char *path, sc_cluster_role role, sc_cluster_key **out,
                                      sc_diag *diag);

/** The same from the text of a file; `path` is for errors. */
SC_CHECKED sc_err sc_cluster_key_parse(const char *text, size_t size, const char *path,
                                       sc_cluster_role role, sc_cluster_key **out, sc_diag *diag);

/** NULL is fine. */
void sc_cluster_key_free(sc_cluster_key *key);

/** Room for the line of a file, with newline and NUL. */
enum { SC_CLUSTER_KEY_LINE = 224 };

/** A new key for the gateways of a cluster. */
SC_CHECKED sc_err sc_cluster_key_make(char line[SC_CLUSTER_KEY_LINE], sc_diag *diag);

/** The key of a worker, from the gateways'. @return SC_OK, SC_EINVAL (not a name of a process) */
SC_CHECKED sc_err sc_cluster_key_make_worker(const sc_cluster_key *gateways, const char *name,
                                             char line[SC_CLUSTER_KEY_LINE], sc_diag *diag);

/** SC_KEY_SIZE bytes; NULL in a worker's. */
const uint8_t *sc_cluster_key_names(const sc_cluster_key *key);

/** The name in a worker's file; "" in the gateways'. */
const char *sc_cluster_key_worker(const sc_cluster_key *key);

/** Draw a number for a process with this key, never SC_PEER_NONE. */
sc_peer sc_cluster_key_draw_peer(const sc_cluster_key *key);

/** By its number. */
bool sc_peer_is_worker(sc_peer peer);

/** Processes with one worker's key that are remembered. A stolen key can make up 2^32
 * numbers of processes, so all that is kept for each process is bounded by this; several workers
 * may share a key, and one that was restarted is remembered beside its former process. */
enum { SC_KEY_PROCESSES_MAX = 32 };

/** The least number that a process with the same worker's key can have, which stands for the key; 0
 * for all gateways. */
sc_peer sc_peer_key(sc_peer peer);

#endif
