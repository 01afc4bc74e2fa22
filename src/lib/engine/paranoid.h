/**
 * @file paranoid.h
 * @brief Showing a cloak to the doubter (verify.h) before it leaves.
 *
 * Used by: proposal.c.
 */
#ifndef SC_ENGINE_PARANOID_H
#define SC_ENGINE_PARANOID_H

#include "engine/engine_internal.h"

/**
 * Let the verifier look at a proposal. What members need is taken from the engine's own
 * memory, not from the cloak, which has been in other hands.
 *
 * @return SC_OK, SC_EBROKEN (counted), SC_ENOMEM
 */
SC_CHECKED sc_err sc__verify_proposal(sc_engine *engine, const sc_cloak *cloak, sc_time now,
                                      sc_diag *diag);

#endif
