/**
 * @file xstar.h
 * @brief XStar: a super-star grows around a star until it is enough for all on it.
 *
 * Reconstructed from the outline of its publication (Wang and Liu, VLDB 2009); docs/methods.md says
 * how. Queries are placed as in the cloaking graph, but all of a star are one vertex, whatever
 * they ask for.
 *
 * Used by: variants.c.
 */
#ifndef SC_ENGINE_XSTAR_H
#define SC_ENGINE_XSTAR_H

#include "engine/engine_internal.h"

/**
 * Let a super-star grow from the star of `vertex`, which holds all queries there. If it is
 * enough, its vertices leave the graph and a candidate, whole, joins the engine's queue. If that
 * fails for lack of memory, nothing has changed.
 */
SC_CHECKED sc_err sc__xstar_search(sc_engine *engine, sc__slot vertex);

#endif
