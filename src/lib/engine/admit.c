// The door: a traveller's words become a query, or are refused with a reason.
//
// Invariants:
//  1. `last_t` is the time of the last query admitted, and `recent` holds the ids
//     of all admitted at that time. Earlier times are refused, so no other id can
//     come twice.
//  2. A refusal changes nothing: all that can fail comes before the first change.
//  3. No sentence repeats a user, an edge, an offset or a position.
//
// Checks go from cheap to dear: plain comparisons, the hashes (about half a
// microsecond), and the search for the nearest road.
#include <starcloak/admit.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "engine/query_internal.h"
#include "map/geo.h"

#include <inttypes.h>
#include <sodium.h>

struct sc_admission {
    const sc_map *map;  ///< borrowed
    sc_limits limits;
    sc_name_keys keys;
    sc_time last_t;
    sc_recent recent;
};

sc_err sc_admission_new(const sc_map *map, const sc_limits *limits, const uint8_t key[SC_KEY_SIZE],
                        sc_admission **out, sc_diag *diag)
{
    const sc_err err = sc__limits_check(limits, diag);
    if (err) return err;
    if (sodium_init() < 0) {
        return sc_fail(diag, SC_EIO, "libsodium does not start: the system gives no randomness");
    }
    sc_admission *admission = sc_calloc(1, sizeof *admission);
    if (!admission) return sc_fail_memory(diag, "opening for queries");

    admission->map = map;
    admission->limits = *limits;
    sc__name_keys_derive(key, &admission->keys);
    admission->last_t = -SC_TIME_FARTHEST;
    *out = admission;
    return SC_OK;
}

void sc_admission_free(sc_admission *admission)
{
    if (!admission) return;
    sc__recent_fini(&admission->recent);
    sodium_memzero(admission, sizeof *admission);
    sc_free(admission);
}

static sc_err check_time(const sc_admission *admission, sc_time t, sc_diag *diag)
{
    if (t < -SC_TIME_FARTHEST || t > SC_TIME_FARTHEST) {
        return sc_fail(diag, SC_EINVAL, "the time is out of range; give one within %.15g s of zero",
                       sc__in_seconds(SC_TIME_FARTHEST));
    }
    if (t < admission->last_t) {
        return sc_fail(diag, SC_ETIME,
                       "the time is %.6f s before that of a query already admitted; give queries "
                       "in the order of their times",
                       sc__in_seconds(admission->last_t - t));
    }
    return SC_OK;
}

static sc_err place_on_edge(const sc_map *map, sc_edge_id edge, double offset_m, sc_snap *out,
                            sc_diag *diag)
{
    if (edge >= sc_map_edge_count(map)) {
        return sc_fail(diag, SC_EUNKNOWN, "the map has no such edge; its edges are 0 to %" PRIu32,
                       sc_map_edge_count(map) - 1);
    }
    // An offset written with few digits may fall just past the end; half a unit is
    // what the map itself does not tell apart.
    const double length_m = sc_map_edge_length_m(map, edge);
    const double slack_m = 0.5 * sc_map_unit_m(map);
    if (!(offset_m >= -slack_m && offset_m <= length_m + slack_m)) {
        return sc_fail(diag, SC_EINVAL,
                       "the offset lies beyond its edge; give metres from the edge's first node, "
                       "0 to the edge's length");
    }
    const double inside_m = offset_m < 0.0 ? 0.0 : offset_m > length_m ? length_m : offset_m;
    *out = (sc_snap){.edge = edge,
                     .segment = sc_map_edges(map)[edge].segment,
                     .offset_m = inside_m,
                     .distance_m = 0.0};
    return SC_OK;
}

static sc_err place_on_ground(const sc_map *map, double x, double y, double max_snap_m,
                              sc_snap *out, sc_diag *diag)
{
    const sc_err err = sc_map_snap(map, x, y, max_snap_m, out);
    switch (err) {
    case SC_OK:
        return SC_OK;
    case SC_ETOOFAR:
        return sc_fail(diag, err,
                       "no road is within %.15g %s of the position; allow more, or ask "
                       "from nearer a road",
                       max_snap_m, sc_map_is_in_metres(map) ? "m" : "units");
    case SC_ENOCOORDS:
        return sc_fail(diag, err, "the map has no coordinates; give an edge and an offset instead");
    default:
        if (sc_map_coords(map) == SC_COORDS_PLANAR) {
            return sc_fail(diag, err,
                           "the position is not in the plane; give numbers of %.15g to %.15g",
                           -SC_PLANE_MAX, SC_PLANE_MAX);
        }
        return sc_fail(diag, err,
                       "the position is not on the globe; give a longitude of -180 to 180 and a "
                       "latitude of -90 to 90 degrees");
    }
}

static sc_err place(const sc_admission *admission, const sc_ask *ask, sc_snap *out, sc_diag *diag)
{
    if (ask->is_on_edge) {
        return place_on_edge(admission->map, ask->edge, ask->offset_m, out, diag);
    }
    return place_on_ground(admission->map, ask->x, ask->y, admission->limits.max_snap_m, out, diag);
}

sc_err sc_admission_admit(sc_admission *admission, const sc_ask *ask, sc_query *query,
                          sc_snap *where, sc_diag *diag)
{
    if (ask->user_size == 0) {
        return sc_fail(diag, SC_EINVAL, "the query names no user; give at least one byte");
    }
    sc_err err = sc__profile_check(&admission->limits, &ask->profile, diag);
    if (!err) err = check_time(admission, ask->t, diag);
    if (err) return err;

    const sc_name name = sc__name_of(&admission->keys, ask->user, ask->user_size, ask->t);
    const bool is_same_moment = ask->t == admission->last_t;
    if (is_same_moment && sc__recent_has(&admission->recent, &name.id)) {
        return sc_fail(diag, SC_EDUPLICATE,
                       "a query of this user and this very moment was admitted already; "
                       "give each query once");
    }
    sc_snap at;
    err = place(admission, ask, &at, diag);
    if (err) return err;
    if (sc__recent_reserve(&admission->recent)) return sc_fail_memory(diag, "admitting a query");

    // Nothing can fail from here on.
    if (!is_same_moment) sc__recent_forget(&admission->recent);
    sc__recent_put(&admission->recent, &name.id);
    admission->last_t = ask->t;
    *query = (sc_query){.id = name.id,
                        .user = name.user,
                        .deadline = ask->t + ask->profile.max_wait_us,
                        .segment = at.segment,
                        .k = ask->profile.k,
                        .l = ask->profile.l,
                        .max_hops = ask->profile.max_hops,
                        .result_size = ask->result_size};
    if (where) *where = at;
    return SC_OK;
}
