/**
 * @file query.h
 * @brief Secret: a query, and how it is admitted.
 *
 * A traveller's words (who, where, when, how private) go into sc_admission_admit() and come
 * out as an sc_query: the keyed hashes of who and when, the segment, the needs
 * and the deadline. That is all the engine ever sees. The position stays with
 * the caller, in an sc_snap.
 *
 * Times are whole microseconds from any zero that all users of an engine share,
 * so that "the clock has passed the deadline" has one meaning everywhere.
 *
 * The provider's side never includes this header.
 */
#ifndef STARCLOAK_QUERY_H
#define STARCLOAK_QUERY_H

#include <starcloak/map.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Microseconds. */
typedef int64_t sc_time;

/**
 * Seconds as an sc_time, to the nearest microsecond; halves go away from zero.
 *
 * @param s  from -9e12 to 9e12, nearly 300,000 years; nothing is promised beyond
 */
static inline sc_time sc_time_from_seconds(double s)
{
    // What llround() does, but whoever includes this need not link libm. The difference is
    // exact; adding a half first would be rounded itself where microseconds fill a double.
    const double us = s * 1e6;
    const sc_time whole = (sc_time)us;
    const double rest = us - (double)whole;
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

/** "Never", for a moment. */
#define SC_TIME_NEVER INT64_MAX

/** How private a traveller wants to be, and what that may cost. */
typedef struct sc_profile {
    uint32_t k;           ///< different users the cloak must hold, >= 1
    uint32_t l;           ///< segments it must have, >= 1
    uint32_t max_hops;    ///< how far it may reach (sigma_s), hops between stars
    sc_time max_wait_us;  ///< how late it may come (sigma_t), > 0
} sc_profile;

/** A keyed hash of user and issue time. */
typedef struct sc_query_id {
    uint8_t bytes[16];
} sc_query_id;

/** A query as the engine knows it. */
typedef struct sc_query {
    sc_query_id id;
    uint64_t user;      ///< keyed pseudonym: equal for queries of one user, and says no more
    sc_time deadline;   ///< the last moment at which a cloak is still in time
    sc_seg_id segment;  ///< where the traveller is
    uint32_t k;         ///< needs, as in the profile
    uint32_t l;
    uint32_t max_hops;
    uint32_t result_size;  ///< objects the request asks for; weighs in the cost of a star
    uint64_t owner;  ///< the caller's: carried along, never looked at; sc_admission_admit() sets 0
} sc_query;

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

/** Bytes of the key behind ids and pseudonyms. */
#define SC_KEY_SIZE 32

/** The door. It holds the key, the limits and the last moment it saw; one thread. */
typedef struct sc_admission sc_admission;

/**
 * @param map  borrowed; must outlive the result
 * @param key  SC_KEY_SIZE secret bytes, copied. Whoever has them can test guesses of
 *             users and times; use new ones for each start of a service, and the same
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
 *         query before it), SC_EDUPLICATE (this user at this very moment), SC_EUNKNOWN (no
 *         such edge), SC_EINVAL (no user, a time beyond all calendars, an offset beyond the
 *         edge, no position on the globe), SC_ETOOFAR, SC_ENOCOORDS, SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_admission_admit(sc_admission *admission, const sc_ask *ask,
                                            sc_query *query, sc_snap *where, sc_diag *diag);

/** Room for an id in hexadecimal, with its NUL. */
#define SC_QUERY_ID_TEXT 33

/** Write `id` as 32 hexadecimal digits; returns `out`. */
SC_API const char *sc_query_id_text(const sc_query_id *id, char out[SC_QUERY_ID_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
