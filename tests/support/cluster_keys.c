// Keys of a cluster for tests. See cluster_keys.h.
#include "support/cluster_keys.h"

#include "support/check.h"

static const char gateways_line[] =
    "starcloak-gateways-2 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n";

sc_cluster_key *cluster_gateways_key(void)
{
    sc_cluster_key *key = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_cluster_key_parse(gateways_line, strlen(gateways_line), "test", SC_CLUSTER_GATEWAY,
                                  &key, &diag),
             &diag);
    return key;
}

sc_cluster_key *cluster_worker_key(const char *name)
{
    sc_cluster_key *gateways = cluster_gateways_key();
    sc_cluster_key *key = NULL;
    char line[SC_CLUSTER_KEY_LINE];
    sc_diag diag = {""};
    CHECK_OK(sc_cluster_key_make_worker(gateways, name, line, &diag), &diag);
    CHECK_OK(sc_cluster_key_parse(line, strlen(line), "test", SC_CLUSTER_WORKER, &key, &diag),
             &diag);
    sc_cluster_key_free(gateways);
    return key;
}
