/**
 * @file answer.h
 * @brief The trusted side: what is sent for a cloak, and the exact answer out of what comes back.
 *
 * The shortest way from a point in a cloak to an object either stays in the cloak or
 * leaves it for the first time through a border node. So a small search inside the cloak, from the
 * exact position to its border nodes and to the objects on its segments, together with the
 * provider's distances from the border nodes, is the exact answer (docs/trust.md).
 *
 * The provider is not trusted. A reply is checked as a whole before anything is made of it: what is
 * impossible on this map, or contradicts itself, is refused with a reason.
 *
 * It knows positions, and neither users nor members.
 */
#ifndef STARCLOAK_ANSWER_H
#define STARCLOAK_ANSWER_H

#include <starcloak/map.h>
#include <starcloak/relay.h>
#include <starcloak/rng.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a relay is made of: the published part of a cloak, and its members' requests. Borrowed. */
typedef struct sc_relay_content {
    const sc_seg_id *segments;
    size_t segment_count;
    const sc_node_id *border_nodes;
    size_t border_node_count;
    const sc_request *requests;  ///< one per member
    size_t member_count;
} sc_relay_content;

/**
 * Make a relay for a cloak: the different requests among its members', in random order.
 *
 * @param content  copied
 * @param which    one per member: set to the place of its request in the relay
 * @param out      one block of memory; free with sc_relay_free()
 * @return SC_OK, SC_ENOMEM, SC_EINVAL (no segment or no request)
 */
SC_API SC_CHECKED sc_err sc_relay_new(const sc_map *map, const sc_relay_content *content,
                                      sc_rng *rng, uint32_t *which, sc_relay **out);

typedef struct sc_filter_options {
    size_t max_candidates;  ///< of one request; a reply with more is refused

    // By what share, 0 to 1, distances may contradict each other or the map: 0 where both sides
    // have the same map but for rounding; more for a provider with a map of its own. Such a one may
    // also put things that share of 100 m elsewhere.
    double slack;
} sc_filter_options;

/** A million, as many as the provider sends unless told otherwise (lbs.h); no slack. */
SC_API sc_filter_options sc_filter_options_default(void);

/** Makes exact answers out of replies. One thread; memory is kept from one cloak to the next. */
typedef struct sc_filter sc_filter;

/**
 * Looks at the whole map once: how short roads may be for the distance between their ends, and how
 * many of its objects can be reached from where. Time O(edges + objects); memory 4 bytes per star,
 * if the map has objects.
 *
 * @param map  borrowed; must outlive the result
 * @return SC_OK, SC_EINVAL (options out of range), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_filter_new(const sc_map *map, const sc_filter_options *options,
                                       sc_filter **out, sc_diag *diag);

/** NULL is fine. */
SC_API void sc_filter_free(sc_filter *filter);

/**
 * Take in the reply to a relay: check all of it, and keep both (borrowed) until the next one is
 * taken in, or it is forgotten.
 *
 * Refused, each with a reason: another map; another number of requests or border nodes; an object,
 * edge, category or text that does not exist; an object that does not qualify, or that stands twice
 * in one list; an object given as on the segments that is not; a distance that is not a number, is
 * negative, infinite, out of order, beyond the radius, shorter than any road could be, or longer
 * than the way through the cloak; lists that contradict each other along the roads of the cloak;
 * more candidates than allowed. If the objects are the map's own, also: not all of those on the
 * segments; and, without slack, a list of nearest ones that is shorter or longer than what can be
 * reached allows. What cannot be seen from here - objects left out everywhere, or too long ways
 * outside - is named in docs/trust.md.
 *
 * @return SC_OK, SC_EREPLY, SC_EMISMATCH (a relay or a reply of another map), SC_EUNKNOWN (a relay
 *         with a segment or node that the map does not have), SC_EINVAL (a relay that is no cloak,
 *         or with a request that makes no sense), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_filter_open(sc_filter *filter, const sc_relay *relay,
                                        const sc_reply *reply, sc_diag *diag);

/**
 * The exact answer to one of the requests of the relay taken in, for an exact position on its
 * segments.
 *
 * @param request  its place in the relay
 * @param out      nearest first; of equally far ones the lowest number first. Lent until the next
 *                 call
 * @return SC_OK, SC_EINVAL (not on the segments, or no reply taken in, or no such request)
 */
SC_API SC_CHECKED sc_err sc_filter_answer(sc_filter *filter, sc_road_point at, size_t request,
                                          const sc_near **out, size_t *count, sc_diag *diag);

/**
 * Wipe what the last answers left behind: a few distances reveal a position. The
 * last answer lent is wiped as well, and the reply is let go: one must be taken in again before the
 * next answer. Takes as long as one answer at most. Done by itself when the next reply is taken in,
 * and when the filter is freed.
 */
SC_API void sc_filter_forget(sc_filter *filter);

#ifdef __cplusplus
}
#endif
#endif
