/**
 * @file topics.h
 * @brief What has to be asked at every point, for all requests of a cloak together.
 *
 * A topic is a category, or all of them. Requests that differ only in how many or how far
 * share it: the longest list serves all. A request for several categories is one topic each.
 *
 * Used by: reply, reach, answer.
 */
#ifndef SC_POINTS_TOPICS_H
#define SC_POINTS_TOPICS_H

#include <starcloak/relay.h>

typedef struct sc__topic {
    sc_category_id category;  ///< SC_NONE: all
    uint32_t k;               ///< the most objects that a request asks for; 0: none counts them
    double radius_m;          ///< the widest range; negative: there is none
} sc__topic;

typedef struct sc__topics {
    sc__topic *list;
    size_t count;
    size_t capacity;
} sc__topics;

/**
 * The topics of some requests.
 *
 * @param out  set on success; release with sc__topics_fini()
 */
SC_CHECKED sc_err sc__topics_init(const sc_request *requests, size_t count, sc__topics *out,
                                  sc_diag *diag);

/** Harmless twice. */
void sc__topics_fini(sc__topics *topics);

/** The place of a category's topic; `count` if it has none. */
size_t sc__topics_find(const sc__topics *topics, sc_category_id category);

#endif
