/**
 * @file cluster_keys.h
 * @brief Keys of a cluster for tests: always the same.
 */
#ifndef SC_TESTS_SUPPORT_CLUSTER_KEYS_H
#define SC_TESTS_SUPPORT_CLUSTER_KEYS_H

#include "cluster/cluster_key.h"

/** Free with sc_cluster_key_free(). */
sc_cluster_key *cluster_gateways_key(void);
sc_cluster_key *cluster_worker_key(const char *name);

#endif
