/**
 * @file static_pages.h
 * @brief Pages that do not change while the service runs: the map for display, categories, the
 * description of all this.
 *
 *     GET /v1/map         {"checksum":"...","nodes":n,"is_geographic":true,"bounds":[w,s,e,n],
 *                          "unit":1e-7,"segments":[[x,y,dx,dy,dx,dy,...],...],"ends":[a,b,a,b,...],
 *                          "classes":[6,...]}                  page_map.h tells what these mean
 *     GET /v1/map.bin     the same map as bytes, for the UI; map_bytes.h has the layout
 *     GET /v1/categories  {"categories":[{"name":"cafe","objects":112},...]}
 *     GET /openapi.json   OpenAPI 3.1 of all pages (openapi.json beside this file)
 *
 * Written once at the start, and kept (kept.h). The map and the categories are no secret: the
 * provider has them.
 *
 * Uses: service_internal, kept, page_map, map_bytes. Used by: service, router.
 */
#ifndef SC_API_STATIC_PAGES_H
#define SC_API_STATIC_PAGES_H

#include "api/service_internal.h"

/**
 * @param map         read only during this call
 * @param vocabulary  the same
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc_pages_new(const sc_map *map, const sc_vocabulary *vocabulary, sc_pages **out,
                               sc_diag *diag);

/** After the loops have stopped; NULL is fine. */
void sc_pages_free(sc_pages *pages);

void sc_pages_map(const sc_pages *pages, sc_http_request *request);
void sc_pages_map_bytes(const sc_pages *pages, sc_http_request *request);
void sc_pages_categories(const sc_pages *pages, sc_http_request *request);
void sc_pages_openapi(const sc_pages *pages, sc_http_request *request);

#endif
