/**
 * @file variants.h
 * @brief Searching as the engine's variant has it: basic, bounded or hybrid.
 *
 * Used by: engine.c.
 */
#ifndef SC_ENGINE_VARIANTS_H
#define SC_ENGINE_VARIANTS_H

#include "engine/method.h"

/** Basic, bounded and hybrid. */
extern const sc__method sc__starcloak;

#endif
