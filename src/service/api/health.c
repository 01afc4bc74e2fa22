// Alive, and ready. See health.h.
#include "api/health.h"

#include <string.h>

static void reply(sc_http_request *request, int status, const char *body)
{
    sc_http_reply(request, status, "application/json", body, strlen(body), NULL, 0);
}

void sc_health_live(sc_http_request *request)
{
    reply(request, 200, "{\"status\":\"ok\"}");
}

void sc_health_ready(const sc_service_internal *parts, sc_http_request *request)
{
    if (atomic_load(&parts->is_draining)) {
        reply(request, 503, "{\"status\":\"draining\"}");
    } else if (sc_courier_stats_of(parts->courier).is_suspended) {
        // Queries would wait for company only to fail; another instance may fare better.
        reply(request, 503, "{\"status\":\"provider_suspended\"}");
    } else if (parts->gateway && !sc_gateway_is_ready(parts->gateway)) {
        // Queries on the roads of some parts would wait in vain.
        reply(request, 503, "{\"status\":\"parts_unserved\"}");
    } else {
        reply(request, 200, "{\"status\":\"ready\"}");
    }
}
