/**
 * @file lbs_search.h
 * @brief Answers of border nodes that stand in the nearest index.
 *
 * A request for one category, or for all, has one list; one for several categories has a list
 * for each, whose answers are merged: the k nearest of all are among the k nearest of each. A list
 * is enough for a star if it holds k objects, or all that can be reached, or one beyond the radius.
 *
 * Used by: border.c; the searches, which lean on lists.
 */
#ifndef SC_LBS_LBS_SEARCH_H
#define SC_LBS_LBS_SEARCH_H

#include "lbs/objects_view.h"
#include "lbs/reach.h"
#include "relay/relay_build.h"

/** The lists that a request needs. */
typedef struct sc_lookup {
    const sc_objects_view *view;
    sc_reach reach;
    bool is_possible;  ///< false: a list is missing
    uint32_t count;
    const sc_nearest_list *lists[SC_REQUEST_CATEGORIES];
    bool is_whole[SC_REQUEST_CATEGORIES];  ///< a full list of this category has all its objects
} sc_lookup;

/** Find them. Written in place, and of the lists only those counted: this is a hot path. */
void sc__lookup_init(sc_lookup *lookup, const sc_objects_view *view, const sc_request *request,
                     sc_reach reach);

/** What list `i` holds for `star`, nearest first. */
static inline const sc_nearest *sc__lookup_entries(const sc_lookup *lookup, uint32_t i,
                                                   sc_star_id star)
{
    const sc_nearest_list *list = lookup->lists[i];
    return lookup->view->entries + list->first + (uint64_t)star * list->k;
}

/** Whether the lists are enough for `star`; they must be possible. */
bool sc__lists_reach(const sc_lookup *lookup, sc_star_id star);

/** What became of an attempt. */
typedef enum sc_looked_up {
    SC_LOOKED_UP,
    SC_LISTS_TOO_SHORT,  ///< nothing was added
    SC_NO_ROOM,          ///< memory is out
} sc_looked_up;

/** Add the answer of `star` to a reply if the lists are enough for it; they must be possible. */
SC_CHECKED sc_looked_up sc__look_up(const sc_lookup *lookup, sc_star_id star, sc_reply *reply);

#endif
