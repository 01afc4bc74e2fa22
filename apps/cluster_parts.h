/**
 * @file cluster_parts.h
 * @brief What a process of a cluster stands on: its key, its name, the way to NATS; by settings.
 *
 * Used by: gateway, worker, cluster status.
 */
#ifndef SC_APPS_CLUSTER_PARTS_H
#define SC_APPS_CLUSTER_PARTS_H

#include "api/settings.h"
#include "cluster/bus.h"
#include "cluster/cluster_key.h"
#include "cluster/heartbeat.h"

/** Zero-initialise; release with sc_cluster_parts_close(). */
typedef struct sc_cluster_parts {
    sc_cluster_key *key;
    char **servers;
    size_t server_count;
    char *password;  ///< NULL: none; wiped when closed
    char name[SC_PEER_NAME_SIZE];
    sc_bus_options bus;  ///< points to all of the above, and to the settings
} sc_cluster_parts;

/**
 * @return SC_OK, SC_EINVAL (a setting that a process of a cluster needs, or one that makes no
 * sense), SC_EIO, SC_EPARSE, SC_ENOMEM
 */
SC_CHECKED sc_err sc_cluster_parts_open(const sc_settings *settings, sc_cluster_parts *out,
                                        sc_diag *diag);

/** The password was used, and is wiped. */
void sc_cluster_parts_forget_password(sc_cluster_parts *parts);

void sc_cluster_parts_close(sc_cluster_parts *parts);

#endif
