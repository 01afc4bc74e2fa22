/**
 * @file methods.h
 * @brief The methods that StarCloak is compared with, as engine/method.h has them.
 */
#ifndef SC_BASELINES_METHODS_H
#define SC_BASELINES_METHODS_H

#include "engine/method.h"

/**
 * XStar: a super-star grows around a star until it is enough for all queries on it. Reconstructed
 * from the outline of its publication (Wang and Liu, VLDB 2009); docs/methods.md has the rules.
 */
extern const sc__engine_method sc__xstar;

/** Random sampling and network expansion: each query makes a region of its own. */
extern const sc__engine_method sc__per_query_method;

#endif
