// Admission: what a traveller asks becomes a query, or is refused with a reason.
//
// Invariants:
//  1. `last_t` is the time of the last query admitted, and `recent` holds the ids
//     of all admitted at that time. Earlier times are refused, so no other id can
//     come twice.
//  2. A refusal changes nothing: all that can fail comes before the first change.
//  3. No message repeats a user, an edge, an offset or a position.
//
// Checks go from cheap to expensive: plain comparisons, the hashes (about half a
// microsecond), and the search for the nearest road.
#include "engine/admission.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "map/geo.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

// --- Limits and profiles -----------------------------------------------------

sc_limits sc_limits_default(void)
{
    return (sc_limits){.max_k = 1000,
                       .max_l = 10000,
                       .max_hops = 16,
                       .max_wait_us = sc_time_from_seconds(3600),
                       .max_snap_m = 1000.0};
}

sc_err sc__limits_check(const sc_limits *limits, sc_diag *diag)
{
    if (limits->max_k == 0) {
        return sc_fail(diag, SC_EINVAL, "a limit of 0 users admits no query; allow 1 or more");
    }
    if (limits->max_l == 0) {
        return sc_fail(diag, SC_EINVAL, "a limit of 0 segments admits no query; allow 1 or more");
    }
    if (limits->max_wait_us <= 0 || limits->max_wait_us > SC_TIME_FARTHEST) {
        return sc_fail(diag, SC_EINVAL,
                       "the limit of %.15g s for sigma_t (the longest wait) is out of range; allow "
                       "more than 0 and at most "
                       "%.15g s",
                       sc__in_seconds(limits->max_wait_us), sc__in_seconds(SC_TIME_FARTHEST));
    }
    // Written so that a limit that is not a number is refused too.
    if (!(limits->max_snap_m >= 0.0)) {
        return sc_fail(diag, SC_EINVAL,
                       "the limit of %.15g m for the distance to the nearest road is out of range; "
                       "allow 0 m or more",
                       limits->max_snap_m);
    }
    return SC_OK;
}

static sc_err check_need(const char *need, uint32_t value, uint32_t least, uint32_t most,
                         sc_diag *diag)
{
    if (value >= least && value <= most) return SC_OK;
    return sc_fail(diag, SC_EPROFILE,
                   "%s of %" PRIu32 " is not allowed; ask for %" PRIu32 " to %" PRIu32, need, value,
                   least, most);
}

sc_err sc__profile_check(const sc_limits *limits, const sc_profile *profile, sc_diag *diag)
{
    sc_err err = check_need("k (users)", profile->k, 1, limits->max_k, diag);
    if (!err) err = check_need("l (segments)", profile->l, 1, limits->max_l, diag);
    if (!err) err = check_need("sigma_s (hops)", profile->max_hops, 0, limits->max_hops, diag);
    if (err) return err;

    if (profile->max_wait_us <= 0 || profile->max_wait_us > limits->max_wait_us) {
        return sc_fail(diag, SC_EPROFILE,
                       "sigma_t (the longest wait) of %.15g s is not allowed; ask for more than 0 "
                       "and at most %.15g s",
                       sc__in_seconds(profile->max_wait_us), sc__in_seconds(limits->max_wait_us));
    }
    return SC_OK;
}

// --- Ids and pseudonyms ------------------------------------------------------
//
// A query's id is a keyed hash of its user and its time, a pseudonym a keyed hash of the user. Both
// are BLAKE2b under keys of their own, derived from the one given. The id is made from the user's
// whole hash and the time, 40 bytes, so that a user's bytes are hashed once, however many they are,
// and no two pairs of user and time give the same input.

void sc__pseudonym_keys_derive(const uint8_t key[SC_KEY_SIZE], sc__pseudonym_keys *out)
{
    // Keeps these keys apart from any others derived from the same one.
    static const char purpose[] = "SC-names";
    enum { OF_USERS = 1, OF_QUERIES = 2 };
    _Static_assert(sizeof purpose - 1 == crypto_kdf_CONTEXTBYTES,
                   "the length that libsodium needs");
    _Static_assert(crypto_kdf_KEYBYTES == SC_KEY_SIZE, "the length that libsodium needs");

    // With these lengths it cannot fail.
    (void)crypto_kdf_derive_from_key(out->of_users, SC_KEY_SIZE, OF_USERS, purpose, key);
    (void)crypto_kdf_derive_from_key(out->of_queries, SC_KEY_SIZE, OF_QUERIES, purpose, key);
}

// The bytes of `value`, lowest first: gateways of one service may be machines of
// several kinds, and must agree.
static void write_u64(uint8_t out[8], uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t read_u64(const uint8_t bytes[8])
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

sc__pseudonyms sc__pseudonyms_of(const sc__pseudonym_keys *keys, const char *user, size_t user_size,
                                 sc_time t)
{
    enum { USER_HASH = 32 };
    uint8_t who_and_when[USER_HASH + 8];
    crypto_generichash(who_and_when, USER_HASH, (const uint8_t *)user, user_size, keys->of_users,
                       sizeof keys->of_users);
    write_u64(who_and_when + USER_HASH, (uint64_t)t);

    sc__pseudonyms name = {.user = read_u64(who_and_when)};
    crypto_generichash(name.id.bytes, sizeof name.id.bytes, who_and_when, sizeof who_and_when,
                       keys->of_queries, sizeof keys->of_queries);
    sodium_memzero(who_and_when, sizeof who_and_when);
    return name;
}

const char *sc_query_id_text(const sc_query_id *id, char out[SC_QUERY_ID_TEXT])
{
    return sodium_bin2hex(out, SC_QUERY_ID_TEXT, id->bytes, sizeof id->bytes);
}

// --- Ids of the latest time --------------------------------------------------
//
// A hash set that forgets all ids at once. In a busy service nearly every query has a time of its
// own, so forgetting must cost nothing; but a recorded stream may have thousands at one time. So a
// slot has the number of the round in which it was filled, and is free in any other round.
//
// An id is a keyed hash: its bytes are its place, and without the key users whose ids collide
// cannot be chosen.

struct sc__recent_id {
    sc_query_id id;
    uint64_t round;
};

// All bits are as good as random, so the first ones do.
static size_t hash_of(const sc_query_id *id)
{
    size_t bits = 0;
    memcpy(&bits, id->bytes, sizeof bits);
    return bits;
}

#define SC_TABLE table
#define SC_TABLE_TYPE sc__recent_ids
#define SC_TABLE_SLOT sc__recent_id
#define SC_TABLE_KEY const sc_query_id *
#define SC_TABLE_IS_FREE(table, slot) ((slot)->round != (table)->round)
#define SC_TABLE_HAS(table, slot, key) (memcmp(&(slot)->id, key, sizeof *(key)) == 0)
#define SC_TABLE_HASH(table, key) hash_of(key)
#define SC_TABLE_HASH_OF(table, slot) hash_of(&(slot)->id)
#define SC_TABLE_LEAST 16
#include "base/table_template.h"

sc_err sc__recent_reserve(sc__recent_ids *recent)
{
    // Fresh slots are of round 0, which is never the current one.
    if (recent->round == 0) recent->round = 1;
    return table_reserve(recent, recent->count + 1) ? SC_OK : SC_ENOMEM;
}

bool sc__recent_has(const sc__recent_ids *recent, const sc_query_id *id)
{
    return table_find(recent, id) != NULL;
}

void sc__recent_put(sc__recent_ids *recent, const sc_query_id *id)
{
    table_put(recent, id, (sc__recent_id){.id = *id, .round = recent->round});
}

void sc__recent_remove(sc__recent_ids *recent, const sc_query_id *id)
{
    table_remove(recent, table_slot_of(recent, id));
}

void sc__recent_forget(sc__recent_ids *recent)
{
    recent->count = 0;
    recent->round++;
}

void sc__recent_fini(sc__recent_ids *recent)
{
    table_fini(recent);
    recent->round = 0;
}

// --- Admission ---------------------------------------------------------------

struct sc_admission {
    const sc_map *map;  ///< borrowed
    sc_limits limits;
    sc__pseudonym_keys keys;
    sc_time last_t;
    sc__recent_ids recent;
};

sc_err sc_admission_new(const sc_map *map, const sc_limits *limits, const uint8_t key[SC_KEY_SIZE],
                        sc_admission **out, sc_diag *diag)
{
    const sc_err err = sc__limits_check(limits, diag);
    if (err) return err;
    if (sodium_init() < 0) {
        return sc_fail(
            diag, SC_EIO,
            "libsodium cannot be initialised: the system's random generator is not available");
    }
    sc_admission *admission = sc_calloc(1, sizeof *admission);
    if (!admission) return sc_fail_memory(diag, "preparing admission");

    admission->map = map;
    admission->limits = *limits;
    sc__pseudonym_keys_derive(key, &admission->keys);
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

sc_err sc__place_on_edge(const sc_map *map, sc_edge_id edge, double offset_m, sc_snap *out,
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
                       "no road is within %.15g %s of the position; allow a larger distance, or "
                       "give a position nearer to a road",
                       max_snap_m, sc_map_is_in_metres(map) ? "m" : "units");
    case SC_ENOCOORDS:
        return sc_fail(diag, err, "the map has no coordinates; give an edge and an offset instead");
    default:
        if (sc_map_coords(map) == SC_COORDS_PLANAR) {
            return sc_fail(diag, err,
                           "the position is outside the plane; give numbers from %.15g to %.15g",
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
        return sc__place_on_edge(admission->map, ask->edge, ask->offset_m, out, diag);
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

    const sc__pseudonyms name =
        sc__pseudonyms_of(&admission->keys, ask->user, ask->user_size, ask->t);
    const bool is_same_moment = ask->t == admission->last_t;
    if (is_same_moment && sc__recent_has(&admission->recent, &name.id)) {
        return sc_fail(diag, SC_EDUPLICATE,
                       "a query of this user and this time was admitted already; "
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

void sc__admission_take_back(sc_admission *admission, const sc_query_id *id)
{
    sc__recent_remove(&admission->recent, id);
}

void sc__admission_move(sc_admission *admission, const sc_map *map)
{
    admission->map = map;
}
