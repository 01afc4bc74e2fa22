/**
 * @file point_reply.h
 * @brief What came back for one cloak, while it comes in and afterwards.
 *
 * For each topic and each point there is a list: the last, and longest, answer of the
 * provider there. The life of a reply:
 *
 *   1. sc__point_reply_new()      the cover, the topics, empty lists
 *   2. sc__point_reply_take()     an answer goes in, once it is checked by itself  (take.c)
 *      sc__point_reply_next_k()   does it reach, or is more to be asked for?       (reach.c)
 *   3. sc__point_reply_settle()   objects are numbered by key, lists sorted by object
 *      sc__point_reply_believe()  do neighbouring lists contradict each other?     (believe.c)
 *   4. sc_point_reply_answer()          exact answers for exact positions                (answer.c)
 *
 * Nothing in steps 1 to 3 knows a position of a traveller.
 *
 * Used by: points, its tests and its fuzzer.
 */
#ifndef SC_POINTS_POINT_REPLY_H
#define SC_POINTS_POINT_REPLY_H

#include "points/point_cover.h"
#include "points/point_settings.h"
#include "points/stock.h"
#include "points/topics.h"

/** What the provider knows of one topic at one point. */
typedef struct sc__point_list {
    sc_near *nears;  ///< nearest first; once settled by object
    uint32_t count;
    uint32_t k;         ///< how many were asked for; 0: not asked yet
    double kth_m;       ///< as many objects as the topic asks for are within this
    double complete_m;  ///< every object that is nearer is in the list; infinite: all there are
} sc__point_list;

struct sc_point_reply {
    const sc_map *map;
    double grain_m;  ///< by how much the provider's numbers may be rounded
    sc_request *requests;
    size_t request_count;
    sc__cover cover;
    sc__topics topics;
    sc__point_list *lists;  ///< of topic t at point p: lists[t * point_count + p]
    size_t list_count;
    size_t near_count;  ///< of all lists
    sc__stock stock;
    sc_object_table table;
    sc_point_work work;
    sc_near *answer;  ///< the last one, lent to whoever asked
    size_t answer_capacity;
};

/**
 * Rounding, as a share: the earth is a sphere here and may be an ellipsoid there, which is within
 * 0.6 % of it.
 */
#define SC__STRAIGHT_SHARE 0.006

/** Roads of the provider may be longer or shorter than ours by this share, plus two grains. */
#define SC__ROAD_SHARE 0.05

/**
 * @param relay  checked; what is needed of it is copied
 * @return SC_OK, SC_ELIMIT (too many points, or k), SC_ENOMEM
 */
SC_CHECKED sc_err sc__point_reply_new(const sc_map *map, const sc__point_settings *settings,
                                      const sc_relay *relay, sc_point_reply **out, sc_diag *diag);

/** The point and the topic of a list. */
const sc__point *sc__asked_point(const sc_point_reply *reply, size_t list);
const sc__topic *sc__asked_topic(const sc_point_reply *reply, size_t list);

/**
 * Put an answer into its list, in place of the one before.
 *
 * @param k  how many were asked for
 * @return SC_OK, SC_EREPLY, SC_ELIMIT (more than can be kept), SC_ENOMEM
 */
SC_CHECKED sc_err sc__point_reply_take(sc_point_reply *reply, const sc__point_settings *settings,
                                       const sc_vocabulary *vocabulary, size_t list, uint32_t k,
                                       const char *bytes, size_t size, sc_diag *diag);

/**
 * How many objects to ask for next.
 *
 * @param out  0: the list reaches far enough
 * @return SC_OK, or SC_ELIMIT: it does not, and more than `max_k` cannot be asked for
 */
SC_CHECKED sc_err sc__point_reply_next_k(const sc_point_reply *reply, size_t list, uint32_t max_k,
                                         uint32_t *out, sc_diag *diag);

/** Number the objects by key and sort the lists by object. */
SC_CHECKED sc_err sc__point_reply_settle(sc_point_reply *reply, sc_diag *diag);

/** Wipe and free the last answer: how far a few things are tells where somebody is. */
void sc__point_reply_forget(sc_point_reply *reply);

/** Whether neighbouring lists can both be true. @return SC_OK, or SC_EREPLY with a reason */
SC_CHECKED sc_err sc__point_reply_believe(const sc_point_reply *reply, sc_diag *diag);

#endif
