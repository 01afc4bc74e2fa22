/**
 * @file live_service.h
 * @brief A whole service on a small town, listening on a free port, with the built-in provider.
 *
 *     live_service s;
 *     live_service_prepare(&s);           // change s.options here
 *     live_service_start(&s);
 *     web_ask(live_service_address(&s), "GET", "/healthz", "", NULL);
 *     live_service_close(&s);
 *
 * Five by five crossings on the globe, a cafe or a school on every third road. Two travellers are
 * company enough, and a cloak leaves almost at once.
 */
#ifndef SC_TESTS_SUPPORT_LIVE_SERVICE_H
#define SC_TESTS_SUPPORT_LIVE_SERVICE_H

#include "api/service.h"
#include "support/sketch.h"

enum { LIVE_HEADERS_SIZE = 512 };

typedef struct live_service {
    sc_map *map;
    sc_objects *objects;
    const char *addresses[1];
    sc_service_options options;
    sc_service *service;
} live_service;

void live_service_prepare(live_service *s);
void live_service_start(live_service *s);
void live_service_close(live_service *s);

const char *live_service_address(const live_service *s);

/** The header line with a token of that user. */
const char *live_service_token(const live_service *s, const char *user,
                               char headers[LIVE_HEADERS_SIZE]);

#endif
