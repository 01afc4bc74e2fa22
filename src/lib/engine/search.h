/**
 * @file search.h
 * @brief Searching the cloaking graph for vertices that can be cloaked together.
 */
#ifndef SC_ENGINE_SEARCH_H
#define SC_ENGINE_SEARCH_H

#include "engine/method.h"

/** Basic, bounded and hybrid. */
extern const sc__engine_method sc__starcloak;

/** Append the users of a vertex, one for each query, to the `*count` in the engine's scratch. */
SC_CHECKED sc_err sc__collect_users(sc_engine *engine, sc__slot vertex, size_t *count);

/** Release the working memory of searches. */
void sc__scratch_fini(sc__scratch *scratch);

#endif
