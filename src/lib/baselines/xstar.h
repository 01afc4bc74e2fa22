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

#include "engine/method.h"

extern const sc__method sc__xstar;

#endif
