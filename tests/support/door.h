/**
 * @file door.h
 * @brief A small map with an open door: queries are admitted and refused at it.
 */
#ifndef SC_TESTS_SUPPORT_DOOR_H
#define SC_TESTS_SUPPORT_DOOR_H

#include "support/check.h"
#include "support/sketch.h"

#include <starcloak/admit.h>

static const uint8_t door_key[SC_KEY_SIZE] = {7, 7, 7};

static const sc_profile modest = {.k = 3, .l = 4, .max_hops = 2, .max_wait_us = 10000000};

typedef struct door {
    sc_map *map;
    sc_admission *admission;
    sc_diag diag;
} door;

static inline door door_on(sc_map *map)
{
    door d = {.map = map};
    const sc_limits limits = sc_limits_default();
    CHECK_OK(sc_admission_new(map, &limits, door_key, &d.admission, &d.diag), &d.diag);
    return d;
}

//   A   B   C
//   |   |   |
//   D---E---F
//   |   |   |
//   G   H   I
static inline door street_of_three(sc_coords coords)
{
    sketch s = sketch_draw(coords, small_maps[0].picture, small_maps[0].more);
    const door d = door_on(sketch_map(&s));
    sketch_free(&s);
    return d;
}

static inline void door_free(door *d)
{
    sc_admission_free(d->admission);
    sc_map_free(d->map);
}

static inline sc_ask on_edge(const char *user, sc_time t, sc_edge_id edge, double offset_m)
{
    return (sc_ask){.user = user,
                    .user_size = strlen(user),
                    .t = t,
                    .is_on_edge = true,
                    .edge = edge,
                    .offset_m = offset_m,
                    .profile = modest,
                    .result_size = 5};
}

static inline sc_ask at_position(const char *user, sc_time t, double x, double y)
{
    sc_ask ask = on_edge(user, t, SC_NONE, NOT_A_NUMBER);
    ask.is_on_edge = false;
    ask.x = x;
    ask.y = y;
    return ask;
}

static inline sc_query admit(door *d, const sc_ask *ask)
{
    sc_query query = {0};
    CHECK_OK(sc_admission_admit(d->admission, ask, &query, NULL, &d->diag), &d->diag);
    return query;
}

// Refused for that reason, in these words, with nothing written.
static inline void refuse(door *d, const sc_ask *ask, sc_err wanted, const char *part)
{
    sc_query query;
    sc_snap where;
    memset(&query, 0x5a, sizeof query);
    memset(&where, 0x5a, sizeof where);
    // As bytes: padding counts too.
    uint8_t query_before[sizeof query];
    uint8_t where_before[sizeof where];
    memcpy(query_before, &query, sizeof query);
    memcpy(where_before, &where, sizeof where);
    CHECK_REFUSED(sc_admission_admit(d->admission, ask, &query, &where, &d->diag), wanted, &d->diag,
                  part);
    assert_memory_equal(&query, query_before, sizeof query);
    assert_memory_equal(&where, where_before, sizeof where);
    // It need not be asked why.
    assert_int_equal(sc_admission_admit(d->admission, ask, &query, NULL, NULL), wanted);
}

#endif
