/**
 * @file continuity.h
 * @brief Secret: where users can be since their last cloak, so that one cloak does not spoil the
 * next (docs/continuity.md).
 *
 * An observer of two cloaks of one user can leave out of the second what is too far from the first.
 * So a query of a user who has a recent cloak counts roads by the part of them that can be reached:
 * sc_own_demands.reached. The history that this needs is kept here, in memory only: for each user
 * the time and the reachable places of its last cloak.
 *
 *     err = sc_continuity_ask(continuity, &query, asked, &own);    // with each query
 *     query.own = &own;                                            // then to the engine
 *     err = sc_continuity_propose(continuity, &id, segments, n);   // its cloak is about to leave
 *     sc_continuity_accept(continuity, &id);                       // it has left
 *     sc_continuity_end(continuity, &id);                          // or: the query ended without
 *
 * What is kept, exactly:
 *  1. A user is a pseudonym. After a query that was asked at t and whose cloak has the segments S,
 *     its places R are S whole if the user had no other cloak asked for within tau before t; else
 *     R = F on S, where F are the places within vmax times the time between both askings of the R
 *     before, by road. If these have nothing in common, R is S whole again.
 *  2. Times are those of asking, when the user was there, and not those at which cloaks leave.
 *  3. All roads are open both ways, one-way streets too: F then has users who walk or cycle, and
 *     those who are placed on the wrong one of two roads side by side.
 *  4. All lengths are whole units of the map, and ends belong to what they end. The distance is
 *     vmax * (microseconds * 1e-6) / unit in double precision, rounded up. Parts in the table are
 *     SC_REACHED_WHOLE * covered / length, rounded down.
 *  5. Of several queries that a user asks before the first has its cloak, each goes by the cloaks
 *     that had left when it was asked. What is kept is of the one that was asked last.
 *  6. What is older than tau is wiped by sc_continuity_erase(), and so is the oldest where there
 *     are too many users. What a query was given stays with it until it ends.
 *
 * For one thread at a time. The provider's side never includes this header.
 */
#ifndef STARCLOAK_CONTINUITY_H
#define STARCLOAK_CONTINUITY_H

#include <starcloak/demands.h>
#include <starcloak/map.h>
#include <starcloak/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most that an operator may choose. */
#define SC_VMAX_MAX_M_S 1000.0
#define SC_TAU_MAX_S 86400.0

typedef struct sc_continuity_options {
    double vmax_m_s;   ///< how fast users are taken to be, at most; above 0, to SC_VMAX_MAX_M_S
    sc_time tau_us;    ///< how long a cloak counts; above 0, to SC_TAU_MAX_S
    size_t max_users;  ///< whose last cloak is kept, >= 1; a cloak takes 12 bytes for each segment
} sc_continuity_options;

/** 33 m/s, 300 s, a million users. */
SC_API sc_continuity_options sc_continuity_options_default(void);

/** SC_OK, or SC_EINVAL with what may be chosen. */
SC_API SC_CHECKED sc_err sc_continuity_options_check(const sc_continuity_options *options,
                                                     sc_diag *diag);

/** The last cloaks of users, and what queries that wait were given. Opaque. */
typedef struct sc_continuity sc_continuity;

/**
 * @param map  borrowed; must outlive the result
 * @return SC_OK, SC_ENOMEM, SC_EINVAL (an option out of range; a map whose lengths are not in
 *         metres)
 */
SC_API SC_CHECKED sc_err sc_continuity_new(const sc_map *map, const sc_continuity_options *options,
                                           sc_continuity **out, sc_diag *diag);

/** Wipe and free; NULL is fine. */
SC_API void sc_continuity_free(sc_continuity *continuity);

/**
 * A query is asked: where can its user be? Time: of the roads around, as far as the user came.
 *
 * @param asked  when
 * @param own    `reached`, `reached_count` and `has_reached` are set; the table is lent until the
 *               query ends
 * @return SC_OK, SC_EDUPLICATE (a query of that id waits), SC_EUNKNOWN (no such segment), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_continuity_ask(sc_continuity *continuity, const sc_query *query,
                                           sc_time asked, sc_own_demands *own);

/**
 * The query's cloak is about to leave: get the memory that accepting it needs. Nothing else
 * changes, and it may be called again with another cloak.
 *
 * @param segments  of the cloak, ascending
 * @return SC_OK, SC_EUNKNOWN (no such query waits), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_continuity_propose(sc_continuity *continuity, const sc_query_id *id,
                                               const sc_seg_id *segments, size_t segment_count);

/** The cloak that was proposed last has left, and the query ends. Nothing if there is none. */
SC_API void sc_continuity_accept(sc_continuity *continuity, const sc_query_id *id);

/** The query ends without a cloak. Nothing if no such query waits. */
SC_API void sc_continuity_end(sc_continuity *continuity, const sc_query_id *id);

/** The last time at which the cloak counts by which `reached` of a waiting query was set; 0 if
 * there is no such cloak or no such query. */
SC_API sc_time sc_continuity_counts_until(const sc_continuity *continuity, const sc_query_id *id);

/** Wipe what is older than tau by the time `now`. */
SC_API void sc_continuity_erase(sc_continuity *continuity, sc_time now);

/** The first time at which sc_continuity_erase() has something to wipe; SC_TIME_NEVER: none. */
SC_API sc_time sc_continuity_next_erasure(const sc_continuity *continuity);

typedef struct sc_continuity_stats {
    uint64_t users;        ///< whose last cloak is kept now
    uint64_t waiting;      ///< queries that have not ended
    uint64_t erased;       ///< last cloaks that became older than tau
    uint64_t crowded_out;  ///< last cloaks that were wiped to make room: there, the promise is void
    uint64_t asked;        ///< queries
    uint64_t linked;       ///< of them, those with a cloak no older than tau
    uint64_t bytes;        ///< of users and queries, now
} sc_continuity_stats;

SC_API sc_continuity_stats sc_continuity_get_stats(const sc_continuity *continuity);

#ifdef __cplusplus
}
#endif
#endif
