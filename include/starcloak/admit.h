/**
 * @file admit.h
 * @brief Secret: what a traveller asks, with user and position, and how it becomes a query.
 *
 * An sc_ask (who, where, when, how private) goes into sc_admission_admit() and comes out as an
 * sc_query (query.h), which is all that engines get. The position stays with the caller, in an
 * sc_snap.
 */
#ifndef STARCLOAK_ADMIT_H
#define STARCLOAK_ADMIT_H

#include <starcloak/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an operator allows. */
typedef struct sc_limits {
    uint32_t max_k;
    uint32_t max_l;
    uint32_t max_hops;
    sc_time max_wait_us;
    double max_snap_m;  ///< a position farther from any road is refused
} sc_limits;

/**
 * 1,000 users, 10,000 segments, 16 hops, one hour, 1,000 m. A query costs time and memory for all
 * stars that its hops reach, and their number grows with the square of the hops.
 */
SC_API sc_limits sc_limits_default(void);

/** A traveller's words. */
typedef struct sc_ask {
    const char *user;  ///< borrowed; any bytes, at least one
    size_t user_size;
    sc_time t;        ///< when it was asked
    bool is_on_edge;  ///< true: `edge` and `offset_m`; false: `x` and `y`
    double x;         ///< longitude, or x of a planar map
    double y;
    sc_edge_id edge;
    double offset_m;  ///< from the edge's `from`; within the edge's length
    sc_profile profile;
    uint32_t result_size;  ///< 0 if not known
} sc_ask;

/** Admits queries. It holds the key, the limits and the latest time; for one thread. */
typedef struct sc_admission sc_admission;

/**
 * @param map  borrowed; must outlive the result
 * @param key  SC_KEY_SIZE secret bytes, copied. With them guesses of users and times
 *             can be tested; use new ones for each start of a service, and the same
 *             ones in all gateways of one service.
 * @return SC_OK, SC_ENOMEM, SC_EINVAL (a limit that admits nothing), SC_EIO (libsodium
 *         does not start)
 */
SC_API SC_CHECKED sc_err sc_admission_new(const sc_map *map, const sc_limits *limits,
                                          const uint8_t key[SC_KEY_SIZE], sc_admission **out,
                                          sc_diag *diag);

/** Wipe the key and free; NULL is fine. */
SC_API void sc_admission_free(sc_admission *admission);

/**
 * Admit a query, or refuse it with a reason and change nothing. The sentence in
 * `diag` never repeats the user or the position: it may end up in a log.
 *
 * @param query  set on success
 * @param where  set on success: the position on the road. May be NULL
 * @return SC_OK, or why not: SC_EPROFILE (a need out of range), SC_ETIME (earlier than a
 *         query before it), SC_EDUPLICATE (this user at this time), SC_EUNKNOWN (no
 *         such edge), SC_EINVAL (no user, a time out of range, an offset beyond the
 *         edge, no position on the globe), SC_ETOOFAR, SC_ENOCOORDS, SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_admission_admit(sc_admission *admission, const sc_ask *ask,
                                            sc_query *query, sc_snap *where, sc_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
