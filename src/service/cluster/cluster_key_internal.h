/**
 * @file cluster_key_internal.h
 * @brief Secret: what cluster_key.c and cluster_seal.c share: the keys themselves.
 */
#ifndef SC_CLUSTER_CLUSTER_KEY_INTERNAL_H
#define SC_CLUSTER_CLUSTER_KEY_INTERNAL_H

#include "cluster/cluster_key.h"

#include "cluster/heartbeat.h"

#include <sodium.h>

enum { SC__SEAL_KEY_SIZE = crypto_aead_xchacha20poly1305_ietf_KEYBYTES };

struct sc_cluster_key {
    sc_cluster_role role;
    uint8_t broadcast[SC__SEAL_KEY_SIZE];
    uint8_t public_key[crypto_sign_PUBLICKEYBYTES];

    // Of gateways.
    uint8_t names[SC_KEY_SIZE];
    uint8_t gateways[SC__SEAL_KEY_SIZE];
    uint8_t workers[crypto_kdf_KEYBYTES];  ///< behind those of all workers
    uint8_t secret_key[crypto_sign_SECRETKEYBYTES];

    // Of a worker.
    char worker[SC_PEER_NAME_SIZE];
    uint32_t worker_number;  ///< 31 bits
    uint8_t own[SC__SEAL_KEY_SIZE];
};

/** As a gateway: the key of the worker with this number (31 bits). */
void sc__cluster_key_of_worker(const sc_cluster_key *key, uint32_t number,
                               uint8_t out[SC__SEAL_KEY_SIZE]);

/** The number in the number of a worker's process. */
static inline uint32_t sc__worker_number(sc_peer peer)
{
    return (uint32_t)(peer >> 32) & INT32_MAX;
}

#endif
