/**
 * @file privacy_pass_internal.h
 * @brief Asking for a token with a nonce and a blinding that are given: for the RFC's numbers.
 */
#ifndef SC_OBLIVIOUS_PRIVACY_PASS_INTERNAL_H
#define SC_OBLIVIOUS_PRIVACY_PASS_INTERNAL_H

#include "oblivious/privacy_pass.h"

/** What is random in a request; NULL for salt and factor: they are drawn. */
typedef struct sc__pass_random {
    const uint8_t *nonce;
    const uint8_t *salt;
    const uint8_t *factor;
} sc__pass_random;

/** As sc_pass_begin(). */
SC_CHECKED sc_err sc__pass_begin_with(const sc_pass_key *key, const uint8_t *challenge,
                                      size_t challenge_size, const sc__pass_random *random,
                                      uint8_t request[SC_PASS_REQUEST_SIZE],
                                      sc_pass_pending *pending);

#endif
