/**
 * @file cloaker_engine.h
 * @brief The engine as something to be replayed: all six methods behind the sc_cloaker of attack.h.
 */
#ifndef SC_ATTACK_CLOAKER_ENGINE_H
#define SC_ATTACK_CLOAKER_ENGINE_H

#include <starcloak/attack.h>

/**
 * A cloaker whose threads have an engine each. Opening one fails as sc_engine_new() does; a replay
 * fails with SC_ENOMEM alone, and leaves nothing behind.
 *
 * @param options  borrowed, and read when it is opened for a thread
 */
sc_cloaker sc__cloaker_engine(const sc_engine_options *options);

#endif
