/**
 * @file area_lists.h
 * @brief The objects of a round, and what follows from them by driving along roads, for
 * area_check.c.
 */
#ifndef SC_VERIFY_AREA_LISTS_H
#define SC_VERIFY_AREA_LISTS_H

#include "verify/area_check.h"

/** The area of that number; NULL: there is none. Lent. */
const sc_known_area *sc__area_find(const sc_area_states *s, uint64_t number);

/** The objects of a round become those that are searched for; of those with one key, the newest. */
SC_CHECKED sc_err sc__area_use_round(sc_area_states *s, const sc_event_areas *areas, size_t round);

/** What the last object of a list costs, or the radius; HUGE_VAL if it has fewer than asked for. */
SC_CHECKED sc_err sc__area_cost_of_list(sc_area_states *s, const sc_event_request *wish,
                                        sc_node_id node, double *cost);

/** A box around all places that cost less than that, from a node. */
SC_CHECKED sc_err sc__area_reach_of_list(sc_area_states *s, const sc_event_request *wish,
                                         sc_node_id node, double cost, sc_verify_box *out);

#endif
