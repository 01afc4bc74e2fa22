/**
 * @file variants.h
 * @brief Searching as the engine's variant has it: basic, bounded, hybrid or XStar.
 *
 * Used by: engine.c.
 */
#ifndef SC_ENGINE_VARIANTS_H
#define SC_ENGINE_VARIANTS_H

#include "engine/engine_internal.h"

/**
 * Search from a vertex. What is found leaves the graph and joins the engine's queue of
 * candidates; if that fails for lack of memory, nothing has changed.
 *
 * @param is_new  the vertex has just got a query: hybrid then lets those near it that are
 *                urgent search too
 */
SC_CHECKED sc_err sc__search(sc_engine *engine, sc__slot vertex, bool is_new);

#endif
