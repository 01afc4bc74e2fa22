/**
 * @file lbs.h
 * @brief The provider: answers for a whole cloak, and knows nothing of who is in it.
 *
 * For each request of a relay it gives the objects on the segments that qualify and,
 * per border node, that node's own answer. With the exact position, the exact answer
 * follows from it (answer.h); docs/provider.md tells why that suffices.
 *
 * A border node is an intersection, so its nearest objects are usually a look-up in the nearest
 * index (objects.h). Where that does not reach - more objects than it keeps, a wide range, a
 * category without lists - one search serves all border nodes of the cloak together.
 *
 * It includes neither query.h nor cloak.h.
 */
#ifndef STARCLOAK_LBS_H
#define STARCLOAK_LBS_H

#include <starcloak/map.h>
#include <starcloak/objects.h>
#include <starcloak/relay.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_lbs_options {
    sc_request_limits limits;
    size_t max_segments;  ///< of one relay
    size_t max_requests;  ///< of one relay
    size_t max_objects;   ///< of one reply, as sc_reply_candidate_count() counts; more is refused
    uint64_t max_visits;  ///< of stars, by the searches for one relay; when exceeded, it is refused
    bool without_index;   ///< search always, as if there were none; for measurements
} sc_lbs_options;

/** The default limits; 10,000 segments, 1,000 requests, a million objects, ten million visits. */
SC_API sc_lbs_options sc_lbs_options_default(void);

/** Someone who answers. One thread; any number of them may share one set of objects. */
typedef struct sc_lbs sc_lbs;

/**
 * Time O(nodes). Memory O(nodes), and marks for searches, which are kept from one request to the
 * next.
 *
 * @param map  borrowed; must outlive the result
 */
SC_API SC_CHECKED sc_err sc_lbs_new(const sc_map *map, const sc_lbs_options *options, sc_lbs **out,
                                    sc_diag *diag);

/** NULL is fine. */
SC_API void sc_lbs_free(sc_lbs *lbs);

/**
 * Answer `relay` with `objects`, which lie on the same map.
 *
 * @param reply  overwritten; its table lends from `objects`, so hold them as long as it is used. On
 *               failure its content is undefined, but it can be filled again or released
 * @return SC_OK, SC_EMISMATCH (another map), SC_EREQUEST (a request that makes no sense),
 *         SC_EUNKNOWN (no such segment; a border node that is no intersection), SC_EINVAL (not
 *         ascending, empty, or more border nodes than ends), SC_ELIMIT (more segments, requests or
 *         objects than allowed), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_lbs_evaluate(sc_lbs *lbs, const sc_objects *objects,
                                         const sc_relay *relay, sc_reply *reply, sc_diag *diag);

/** A request for one point. */
typedef struct sc_near_query {
    sc_road_point at;
    const sc_request *request;  ///< borrowed
} sc_near_query;

/**
 * The exact answer for one point, by a plain search from there: no cloak, no index.
 *
 * @param out  nearest first, of equally far ones the lowest number first; lent until the next call
 * @return SC_OK, SC_EMISMATCH (objects of another map), SC_EREQUEST, SC_EUNKNOWN (no such edge),
 *         SC_EINVAL (beyond the edge), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_lbs_nearest(sc_lbs *lbs, const sc_objects *objects,
                                        const sc_near_query *query, const sc_near **out,
                                        size_t *count, sc_diag *diag);

/** Where the answers of border nodes came from, since the beginning. */
typedef struct sc_lbs_work {
    uint64_t looked_up;      ///< from the index
    uint64_t searched;       ///< by a search
    uint64_t searches;       ///< searches, each for one request and up to sixteen border nodes
    uint64_t stars_visited;  ///< by these
} sc_lbs_work;

SC_API sc_lbs_work sc_lbs_get_work(const sc_lbs *lbs);

#ifdef __cplusplus
}
#endif
#endif
