/**
 * @file router.h
 * @brief Which page a request is for, and whether its sender may see it.
 *
 * Uses: parts. Used by: service.
 */
#ifndef SC_SERVICE_ROUTER_H
#define SC_SERVICE_ROUTER_H

#include "api/parts.h"

/** For sc_http_options.handle; `context` is the sc_parts. */
void sc_route(void *context, unsigned loop, sc_http_request *request);

#endif
