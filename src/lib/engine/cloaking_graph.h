/**
 * @file cloaking_graph.h
 * @brief The cloaking graph: vertices of stars, and the queries they hold.
 *
 * Who is whose neighbour is not stored: needs change with every query that comes
 * or goes, and search.c finds neighbours as fast as a list of them could be read.
 *
 * Used by: engine.c, candidate.c.
 */
#ifndef SC_ENGINE_CLOAKING_GRAPH_H
#define SC_ENGINE_CLOAKING_GRAPH_H

#include "engine/engine_internal.h"

/** Put a query at the end of a list, at its front, or take it out. */
void sc__list_append(const sc_engine *engine, sc__list *list, sc__slot slot);
void sc__list_prepend(const sc_engine *engine, sc__list *list, sc__slot slot);
void sc__list_remove(const sc_engine *engine, sc__list *list, sc__slot slot);

#define SC__LIST_EMPTY ((sc__list){SC_NONE, SC_NONE})

/**
 * Add a query (in no list) to the graph at `star`: to the first vertex of the star
 * that can take it, or to a new one. On failure nothing has changed.
 *
 * @param out  the vertex it went to
 */
SC_CHECKED sc_err sc__graph_add(sc_engine *engine, sc__slot slot, sc_star_id star, sc__slot *out);

/**
 * Take a query out of its vertex. A vertex that still has queries gets its needs
 * computed anew and waits to be searched again; an empty one leaves the graph. Time: the queries of
 * the vertex.
 */
void sc__graph_remove(sc_engine *engine, sc__slot slot);

/** Take a vertex out of the graph. Its queries are no longer its own. */
void sc__graph_drop_vertex(sc_engine *engine, sc__slot slot);

/**
 * Let the balls of all relaxed vertices reach as far as their needs now allow. Must come
 * before any search: who is relaxed may be somebody's neighbour.
 */
SC_CHECKED sc_err sc__graph_stretch(sc_engine *engine);

/** Put a vertex on a list of those to search again, unless it is there. */
void sc__graph_wait(sc_engine *engine, sc__waiting why, sc__slot slot);

/** The first vertex of a list that still needs its search, or SC_NONE; others are cleared away. */
sc__slot sc__graph_first_waiting(sc_engine *engine, sc__waiting why);

#endif
