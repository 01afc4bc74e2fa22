/**
 * @file rare_requests.h
 * @brief Secret: no rare request twice. Which requests of a cloak would tie it to an earlier cloak
 * of the same user.
 *
 * A request is all that the provider learns beside the roads. One that few people make is a handle:
 * two cloaks with it are of one traveller, and one who sees both may intersect them. So a request
 * that a user has made before leaves only
 *
 *  1. if another member of the cloak makes it for the first time: the provider sees the same bytes
 *     with and without the user;
 *  2. or if so many users, the user included, made it in this cloak or within the last minute from
 *     cloaks that can reach this one: then the earlier one may be of any of them.
 *
 * *Can reach* is told from below, since to count a user who could not have come is no company: the
 * cloaks share a road; or twice the distance between their farthest corners, as the crow flies, can
 * be driven in the time between. Where roads make detours of more than that the second is no proof;
 * but it asks for the farthest corners where the nearest would do.
 *
 * Kept are, in memory alone: which user has made which request (a keyed pseudonym, a keyed hash and
 * a time) for `memory_us`, and who made it from which cloak for `window_us`. Both are bounded, and
 * wiped when they are over. What does not fit is forgotten, the oldest first: a forgotten request
 * of the user's own counts as a first one, a forgotten one of others is no company.
 *
 * When a service changes its map, two ledgers share what users have made themselves: it is kept by
 * the words for categories, whose numbers a map has of its own. Who made what in which cloak is of
 * a map, and is not shared: others then are no company, which is the careful side.
 */
#ifndef SC_LEDGER_RARE_REQUESTS_H
#define SC_LEDGER_RARE_REQUESTS_H

#include <starcloak/map.h>
#include <starcloak/query.h>
#include <starcloak/relay.h>

// --- A closed list of requests ------------------------------------------------------------------
//
// A radius of 1234.5 m is like a name, and 1234.6 m is nearly the same one: requests that differ
// that little are tied together without being equal. So requests are rounded up to a few numbers,
// and what was not asked for is left out of the answer.

/** The request that is made in place of one in normal form: the next larger of 1, 2, 3, 5, 10, 20,
 * 50, ... nearest, of 100 m, 200 m, 500 m, ..., of 1, 2, 5, 10, 20, 30, 60, 120 minutes; at most
 * the limit. */
sc_request sc_request_rounded(const sc_request *request, const sc_request_limits *limits);

/** Whether an object that is in the answer to a rounded request was asked for: number `place`,
 * nearest first, so far by the metric. */
bool sc_request_wants(const sc_request *wanted, size_t place, double distance_m, double duration_s);

// --- Requests that were made before -------------------------------------------------------------

/** The most users that may be asked for. */
#define SC_RARE_USERS_MAX 1000u

/** The requests that users have made, for all ledgers of a service. Any thread. */
typedef struct sc_rare_memory sc_rare_memory;

typedef struct sc_rare_options {
    uint32_t users;          ///< with so many a request is not rare; 0: all requests leave
    sc_time window_us;       ///< how long ago others may have made it
    sc_time memory_us;       ///< how long a user's own requests are remembered
    double speed_m_s;        ///< how fast travellers are at most
    size_t capacity;         ///< requests of users remembered; 40 bytes each
    sc_rare_memory *memory;  ///< shared with others, who have the same options; NULL: its own
} sc_rare_options;

/** Off; 5 users, of one minute, remembered for an hour, 33 m/s, a million requests. */
sc_rare_options sc_rare_options_default(void);

/** Remembers nothing yet. @return SC_OK, SC_EIO (libsodium does not start), SC_ENOMEM */
SC_CHECKED sc_err sc_rare_memory_new(size_t capacity, sc_rare_memory **out);

/** Wiped and freed with the last of those who hold it; NULL is fine. */
void sc_rare_memory_release(sc_rare_memory *memory);

typedef struct sc__rare_requests sc__rare_requests;

/** A cloak that is about to leave. */
typedef struct sc__rare_cloak {
    const sc_seg_id *segments;  ///< ascending
    size_t segment_count;
    const uint64_t *users;       ///< of its members
    const sc_request *requests;  ///< of its members, in normal form
    size_t member_count;
} sc__rare_cloak;

/** @param map  borrowed @return SC_OK, SC_EIO (libsodium does not start), SC_ENOMEM */
SC_CHECKED sc_err sc__rare_requests_new(const sc_map *map, const sc_rare_options *options,
                                        sc__rare_requests **out);

/** Wipe and free; NULL is fine. */
void sc__rare_requests_free(sc__rare_requests *rare);

/** The words for categories of the requests that come; until then their numbers mean themselves.
 * @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc__rare_requests_name(sc__rare_requests *rare, const sc_vocabulary *vocabulary);

/** Which members' requests must not leave: is_rare[i] is set for each. Returns how many. */
size_t sc__rare_requests_judge(sc__rare_requests *rare, const sc__rare_cloak *cloak, sc_time now,
                               bool *is_rare);

/** The cloak has left, with the requests of all members but those with is_rare[i] (NULL: none is).
 */
void sc__rare_requests_left(sc__rare_requests *rare, const sc__rare_cloak *cloak,
                            const bool *is_rare, sc_time now);

/** Wipe what is over; cheap. Returns when to call again: SC_TIME_NEVER if nothing is kept. */
sc_time sc__rare_requests_pass_time(sc__rare_requests *rare, sc_time now);

#endif
