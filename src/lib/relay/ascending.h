/**
 * @file ascending.h
 * @brief Numbers that ascend, each once: what ids are sent as, and looked up in.
 *
 * Used by: the encoders and decoders.
 */
#ifndef SC_RELAY_ASCENDING_H
#define SC_RELAY_ASCENDING_H

#include <stdint.h>

/** Make `numbers` ascend, each once; returns how many are left. */
uint32_t sc__sort_unique(uint32_t *numbers, uint32_t count);

/** Where `number` stands among ascending numbers, or would: behind all that are less. */
uint32_t sc__place_of(const uint32_t *numbers, uint32_t count, uint32_t number);

#endif
