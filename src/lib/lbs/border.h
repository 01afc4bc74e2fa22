/**
 * @file border.h
 * @brief The answers of a cloak's border nodes to one request, from the cheapest source there is.
 *
 *   1. the index, where a node's lists reach as far as the request (lookup.h);
 *   2. else one search for all such border nodes together (shared_search.h);
 *   3. or a search for each (plain_search.h), where objects are so dense that there is little
 *      to share.
 *
 * Searches lean on the lists around where there are any.
 *
 * Used by: lbs.c.
 */
#ifndef SC_LBS_BORDER_H
#define SC_LBS_BORDER_H

#include <starcloak/lbs.h>

#include "lbs/lbs_search.h"
#include "lbs/plain_search.h"
#include "lbs/shared_search.h"

/** Working memory; zero-initialise, release with sc__border_fini(). */
typedef struct sc_border {
    sc_plain_search plain;
    sc_shared_search shared;
    size_t group_count;  ///< border nodes that the last shared search was for, a lane each
    size_t group_next;   ///< the lane whose answer comes next
    sc_lbs_work work;
} sc_border;

void sc__border_fini(sc_border *border);

/** Stars that searches have visited, since the beginning. */
static inline uint64_t sc__border_visits(const sc_border *border)
{
    return border->plain.visited + border->shared.visited;
}

/** A request, and where it is asked. */
typedef struct sc_border_question {
    const sc_objects_view *view;
    const sc_request *request;
    const sc_wanted *wanted;
    const sc_relay *relay;
    const sc_star_id *stars;  ///< of the border nodes
    size_t count;
    size_t place;         ///< of the request in the relay
    uint64_t max_nears;   ///< the reply may have so many in all
    uint64_t max_visits;  ///< searches may have visited so many stars in all
    bool without_index;
} sc_border_question;

/**
 * Add the answers to a reply.
 *
 * @return SC_OK, SC_ENOMEM, SC_ELIMIT (too many objects or visits; the latter is noticed between
 * searches)
 */
SC_CHECKED sc_err sc__border_answer(sc_border *border, const sc_border_question *question,
                                    sc_reply *reply);

#endif
