/**
 * @file cluster.h
 * @brief The commands of `starcloak cluster`.
 *
 * Used by: cmd_cluster*.c.
 */
#ifndef SC_APPS_CLUSTER_H
#define SC_APPS_CLUSTER_H

#include "command.h"

extern const sc_command sc_cmd_cluster_key;
extern const sc_command sc_cmd_cluster_status;

#endif
