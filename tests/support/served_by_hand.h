/**
 * @file served_by_hand.h
 * @brief A map that is served by a service which a test puts together itself.
 */
#ifndef SC_TESTS_SUPPORT_SERVED_BY_HAND_H
#define SC_TESTS_SUPPORT_SERVED_BY_HAND_H

#include "api/served_map.h"
#include "base/alloc.h"
#include "support/check.h"

/**
 * Serve `map`; its ledger and courier are for the test to make, before anything counts them. The
 * service has its server, which has not started. sc_served_maps_close() and sc_served_maps_free()
 * of `service->maps` end all of it.
 */
static inline sc_served_map *serve_by_hand(sc_service_internal *service, const sc_map *map)
{
    sc_diag diag = {""};
    CHECK_OK(sc_served_maps_new(service, &diag), &diag);
    sc_served_map *served = sc_calloc(1, sizeof *served);
    assert_non_null(served);
    served->service = service;
    served->map = map;
    served->is_geographic = sc_map_coords(map) == SC_COORDS_GEOGRAPHIC;
    sc_served_map_serve(served);
    return served;
}

#endif
