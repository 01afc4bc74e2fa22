/**
 * @file cluster_setup.h
 * @brief What a process of a cluster needs before it starts: its key, its name, the connection to
 * NATS.
 */
#ifndef SC_APPS_CLUSTER_SETUP_H
#define SC_APPS_CLUSTER_SETUP_H

#include "api/settings.h"
#include "cluster/bus.h"
#include "cluster/cluster_key.h"
#include "cluster/heartbeat.h"

/** Zero-initialise; release with sc_cluster_setup_close(). */
typedef struct sc_cluster_setup {
    sc_cluster_key *key;
    char **servers;
    size_t server_count;
    char *password;  ///< NULL: none; wiped when closed
    char name[SC_PEER_NAME_SIZE];
    sc_bus_options bus;  ///< points to all of the above, and to the settings
} sc_cluster_setup;

/**
 * @param role  whose key the file must have
 * @return SC_OK, SC_EINVAL (a setting that a process of a cluster needs, or one that makes no
 * sense), SC_EIO, SC_EPARSE, SC_ENOMEM
 */
SC_CHECKED sc_err sc_cluster_setup_open(const sc_settings *settings, sc_cluster_role role,
                                        sc_cluster_setup *out, sc_diag *diag);

/** For --check: whether the files for TLS with NATS may be used, as those of `serve`: no private
 * key that others may read, no certificate that is not valid now. */
SC_CHECKED sc_err sc_cluster_setup_check_files(const sc_settings *settings, sc_diag *diag);

/** The password was used, and is wiped. */
void sc_cluster_setup_forget_password(sc_cluster_setup *setup);

void sc_cluster_setup_close(sc_cluster_setup *setup);

#endif
