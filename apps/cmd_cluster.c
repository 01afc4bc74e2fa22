/*
 * `starcloak cluster`: gateways and workers as a whole. A group; each of its commands is a file of
 * its own.
 */
#include "cluster.h"

static const sc_command *const cluster_commands[] = {
    &sc_cmd_cluster_key,
    &sc_cmd_cluster_status,
    NULL,
};

static const sc_entry examples[] = {
    {"starcloak cluster key cluster.key", "Make the key that all processes of a cluster share."},
    {"starcloak cluster status --config cluster.ini", "Who is there, and who has which part."},
    {NULL, NULL},
};

const sc_command sc_cmd_cluster = {
    .name = "cluster",
    .summary = "set up and look at a cluster of gateways and workers",
    .description =
        "Where travellers are too many for one process, 'starcloak gateway' takes their queries "
        "and "
        "'starcloak worker' finds cloaks for them, each on as many machines as one likes, around "
        "NATS servers. 'starcloak partition' cuts the map into the parts that workers share.",
    .examples = examples,
    .children = cluster_commands,
};
