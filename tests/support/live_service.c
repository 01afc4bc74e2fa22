// A whole service on a small town. See live_service.h.
#include "support/live_service.h"

#include "server/token.h"
#include "support/check.h"
#include "support/default_policy.h"

#include <stdio.h>

static sc_map *town(void)
{
    sketch grid = sketch_grid(SC_COORDS_GEOGRAPHIC, 5, 5);
    sc_builder *builder = sketch_builder(&grid);
    for (sc_edge_id edge = 0; edge < grid.edge_count; edge += 3) {
        char name[16];
        snprintf(name, sizeof name, "No. %u", edge);
        put_object(builder, edge, 0.5, edge % 2 == 0 ? "cafe" : "school", name);
    }
    sketch_free(&grid);
    return finish_builder(builder);
}

void live_service_prepare(live_service *s)
{
    *s = (live_service){.map = town(), .addresses = {"127.0.0.1:0"}};
    CHECK_OK(sc_objects_new_from_map(s->map, &s->objects), NULL);
    s->options = (sc_service_options){
        .http = sc_http_options_default(),
        .ledger = sc_ledger_options_default(),
        .courier = sc_courier_options_default(),
        .policy = default_policy(),
        .max_listeners = 4,
        .version = "0",
    };
    s->options.http.addresses = s->addresses;
    s->options.http.address_count = 1;
    s->options.http.is_admin_shared = true;
    s->options.ledger.jitter_us = 1000;
    s->options.courier.objects = s->objects;
    s->options.courier.threads = 0;
    s->options.policy.least = (sc_profile){.k = 1, .l = 1, .max_hops = 0, .max_wait_us = 1000};
    s->options.policy.standard.k = 2;
    s->options.policy.user_rate = 0.0;
    s->options.policy.address_rate = 0.0;
}

void live_service_start(live_service *s)
{
    sc_diag diag = {""};
    CHECK_OK(sc_service_new(s->map, &s->options, &s->service, &diag), &diag);
    CHECK_OK(sc_service_start(s->service, &diag), &diag);
}

void live_service_close(live_service *s)
{
    sc_service_free(s->service);
    sc_objects_release(s->objects);
    sc_map_free(s->map);
}

const char *live_service_address(const live_service *s)
{
    return sc_http_address(sc_service_http(s->service), 0);
}

const char *live_service_token(const live_service *s, const char *user,
                               char headers[LIVE_HEADERS_SIZE])
{
    char token[SC_TOKEN_SIZE];
    sc_diag diag = {""};
    CHECK_OK(sc_service_issue(s->service, user, 3600, token, &diag), &diag);
    snprintf(headers, LIVE_HEADERS_SIZE, "Authorization: Bearer %s\r\n", token);
    return headers;
}
