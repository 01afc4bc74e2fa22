/**
 * @file router.h
 * @brief Which page a request is for, and whether its sender may see it.
 *
 * Uses: service_internal. Used by: service.
 */
#ifndef SC_SERVICE_ROUTER_H
#define SC_SERVICE_ROUTER_H

#include "api/service_internal.h"

/** For sc_http_options.handle; `context` is the sc_service_internal. */
void sc_route(void *context, unsigned loop, sc_http_request *request);

#endif
