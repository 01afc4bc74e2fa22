/**
 * @file cluster_seal.h
 * @brief Secret: sealed messages: which key, from whom, for whom.
 *
 *     sender (8 bytes, lowest first) | nonce (24 random bytes) | ciphertext | tag (16)
 *
 * XChaCha20-Poly1305; the sender and the subject are additional data, so a message that was sealed
 * for one subject does not open under another, nor as another sender's. What is broadcast has an
 * Ed25519 signature (64 bytes) before its text, inside the ciphertext.
 *
 * | seal          | opened by            | key                                             |
 * |---------------|----------------------|-------------------------------------------------|
 * | to gateways   | gateways             | by the sender: the gateways' key, or a worker's |
 * | to a worker   | that worker          | the worker's                                    |
 * | broadcast     | all                  | the broadcast key; signed by gateways           |
 *
 * A message that is played back opens: commit messages bear that (docs/cluster-protocol.md), and
 * heartbeats and placements carry what shows that they are fresh (freshness.h).
 */
#ifndef SC_CLUSTER_CLUSTER_SEAL_H
#define SC_CLUSTER_CLUSTER_SEAL_H

#include "cluster/cluster_key.h"

typedef enum sc_seal { SC_SEAL_TO_GATEWAYS, SC_SEAL_TO_WORKER, SC_SEAL_BROADCAST } sc_seal;

/** Bytes that sealing adds at most. */
enum { SC_SEAL_EXTRA = 8 + 24 + 16 + 64 };

/** Bytes that this seal adds. */
size_t sc_seal_extra(sc_seal seal);

/**
 * @param self  the sender, with a number of this key's (sc_cluster_key_draw_peer())
 * @param to    of SC_SEAL_TO_WORKER the worker, else ignored
 * @param out   of size + sc_seal_extra() bytes; may not overlap
 * @return false if this key cannot: a worker broadcasts nothing, and sends nothing to workers
 */
bool sc_seal_message(const sc_cluster_key *key, sc_seal seal, sc_peer self, sc_peer to,
                     const char *subject, const void *plain, size_t size, uint8_t *out);

/**
 * @param from  set to the sender: a gateway, or the worker that it must have been. The number of a
 *              gateway is believed of any process with the gateways' key
 * @param out   of size bytes; the message is at its beginning
 * @return the size of the message, or SIZE_MAX: not sealed for us and for this subject
 */
size_t sc_unseal_message(const sc_cluster_key *key, sc_seal seal, const char *subject,
                         const uint8_t *sealed, size_t size, void *out, sc_peer *from);

#endif
