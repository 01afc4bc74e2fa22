/**
 * @file prefetch.h
 * @brief Calling for memory before it is needed.
 *
 * Used by: engine.c.
 */
#ifndef SC_ENGINE_PREFETCH_H
#define SC_ENGINE_PREFETCH_H

#include "engine/engine_internal.h"

/** A query on `segment` will be served a few queries from now. */
void sc__prefetch(sc_engine *engine, sc_seg_id segment);

#endif
