/**
 * @file query.h
 * @brief Secret: a query as engines know it, without the user and the position.
 *
 * An sc_query has keyed hashes of who asked and when, the segment, the needs and the deadline.
 * sc_admission_admit() (admit.h) makes it of what a traveller asks. Workers include this header and
 * never admit.h: tests/includes checks it.
 *
 * Times are whole microseconds from any zero that all users of an engine share,
 * so that "the clock has passed the deadline" has one meaning everywhere.
 *
 * The provider's side never includes this header.
 */
#ifndef STARCLOAK_QUERY_H
#define STARCLOAK_QUERY_H

#include <starcloak/demands.h>
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
    // What llround() does, but without linking libm. The difference is
    // exact; adding a half first would be rounded itself where microseconds fill a double.
    const double us = s * 1e6;
    const sc_time whole = (sc_time)us;
    const double rest = us - (double)whole;
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

/** "Never", as a time. */
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
    uint64_t user;      ///< keyed pseudonym: equal for queries of one user, and reveals no more
    sc_time deadline;   ///< the last time at which a cloak is not late
    sc_seg_id segment;  ///< where the traveller is
    uint32_t k;         ///< needs, as in the profile
    uint32_t l;
    uint32_t max_hops;
    uint32_t result_size;  ///< objects the request asks for; weighs in the cost of a star
    uint64_t owner;  ///< the caller's: carried along, never looked at; sc_admission_admit() sets 0
    /** What it asks of its roads beyond the profile; NULL: nothing. Engines copy it as they add the
     * query; that of a member lives as long as its cloak, that of a drop is NULL. */
    const sc_own_demands *own;
} sc_query;

/** Bytes of the key behind ids and pseudonyms. */
#define SC_KEY_SIZE 32

/** Room for an id in hexadecimal, with its NUL. */
#define SC_QUERY_ID_TEXT 33

/** Write `id` as 32 hexadecimal digits; returns `out`. */
SC_API const char *sc_query_id_text(const sc_query_id *id, char out[SC_QUERY_ID_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
