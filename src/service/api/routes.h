/**
 * @file routes.h
 * @brief Which page a request is for, and whether its sender may see it.
 *
 * Uses: service_internal. Used by: service.
 */
#ifndef SC_API_ROUTES_H
#define SC_API_ROUTES_H

#include "api/service_internal.h"

/** For sc_http_options.handle; `context` is the sc_service_internal. */
void sc_route(void *context, unsigned loop, sc_http_request *request);

#endif
