/**
 * @file cluster_page.h
 * @brief Pages of a map that is in several parts: how it is cut, and who has which part.
 *
 *     GET /v1/cut      {"cut":"16 hex digits","parts":16,"segments":[part of segment 0, ...]}
 *     GET /v1/cluster  the cluster now: processes, parts and their load (docs/ui.md)
 *
 * There are such pages in a gateway, and in a service whose own engines have several parts. The cut
 * does not change while the service runs, and is kept (kept.h); it is no secret, as the map is
 * none. The cluster is for those who may see the metrics.
 *
 * Uses: service_internal, kept. Used by: service, router.
 */
#ifndef SC_SERVICE_CLUSTER_PAGE_H
#define SC_SERVICE_CLUSTER_PAGE_H

#include "api/service_internal.h"

/**
 * Write the cut, and keep it.
 *
 * @param cut  read only during this call
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT
 */
SC_CHECKED sc_err sc_partition_page_new(const sc_partition *cut, sc_partition_page **out,
                                        sc_diag *diag);

/** After the loops have stopped; NULL is fine. */
void sc_partition_page_free(sc_partition_page *page);

void sc_partition_page_show(const sc_partition_page *page, sc_http_request *request);

/** Where `parts->view` is. */
void sc_cluster_show(const sc_service_internal *parts, sc_http_request *request);

#endif
