/**
 * @file attack_scene.h
 * @brief A service with one more page, the attacks on demand, and clients on plain sockets.
 *
 *     attack_scene *on = attack_scene_open(2, NULL);
 *     const int fd = query_scene_connect(live_service_address(&on->live));
 *     query_scene_post(fd, ATTACK_PATH, "Content-Type: application/json\r\n", body);
 *     const query_scene_reply reply = query_scene_receive(fd);
 *     attack_scene_close(on);
 */
#ifndef SC_TESTS_UNIT_DEMO_ATTACK_SCENE_H
#define SC_TESTS_UNIT_DEMO_ATTACK_SCENE_H

#include "demo/attack_route.h"
#include "support/live_service.h"
#include "unit/api/query_scene.h"

#define ATTACK_PATH "/v1/attacks"

typedef struct attack_scene {
    live_service live;
    sc_extra_page page;
    sc_attack_route *attacks;
} attack_scene;

static inline void attack_scene_show(void *context, unsigned loop, sc_http_request *request)
{
    const attack_scene *on = context;
    sc_attack_route_ask(on->attacks, loop, request);
}

/** A service that is not started and has no attacks yet. @param show  NULL: the route itself */
static inline attack_scene *attack_scene_prepare(unsigned loops, sc_http_handler show)
{
    attack_scene *on = test_take(1, sizeof *on);
    sc_diag diag = {""};
    live_service_prepare(&on->live);
    on->page = (sc_extra_page){.path = ATTACK_PATH,
                               .method = SC_HTTP_POST,
                               .show = show ? show : attack_scene_show,
                               .context = on};
    on->live.options.http.loops = loops;
    on->live.options.extra = &on->page;
    on->live.options.extra_count = 1;
    CHECK_OK(sc_service_new(on->live.map, &on->live.options, &on->live.service, &diag), &diag);
    return on;
}

static inline sc_err attack_scene_attach(attack_scene *on, sc_diag *diag)
{
    return sc_attack_route_new(on->live.map, on->live.service, &on->live.options.ledger.engine,
                               NULL, &on->attacks, diag);
}

static inline attack_scene *attack_scene_open(unsigned loops, sc_http_handler show)
{
    attack_scene *on = attack_scene_prepare(loops, show);
    sc_diag diag = {""};
    CHECK_OK(attack_scene_attach(on, &diag), &diag);
    CHECK_OK(sc_service_start(on->live.service, &diag), &diag);
    return on;
}

/** The loops stop first, and the map is needed until the attacks have ended. */
static inline void attack_scene_close(attack_scene *on)
{
    sc_service_free(on->live.service);
    on->live.service = NULL;
    sc_attack_route_free(on->attacks);
    live_service_close(&on->live);
    free(on);
}

#endif
