/**
 * @file own_view.h
 * @brief The parts of a service that has all engines in its own process, seen as a cluster of one.
 *
 * Keeps what it saw last, so that loads can be told as queries per second.
 */
#ifndef SC_SERVICE_OWN_VIEW_H
#define SC_SERVICE_OWN_VIEW_H

#include "cluster/cluster_view.h"
#include "partition/partition.h"
#include "worker/engine_pool.h"

typedef struct sc_own_view sc_own_view;

/** @param engines  borrowed, as the cut @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_own_view_new(sc_engine_pool *engines, const sc_partition *cut,
                                  sc_own_view **out);

/** NULL is fine. */
void sc_own_view_free(sc_own_view *own);

/** What there is to see now; free with sc_cluster_view_free(). NULL if memory is out. Any thread.
 */
sc_cluster_view *sc_own_view_now(sc_own_view *own);

#endif
