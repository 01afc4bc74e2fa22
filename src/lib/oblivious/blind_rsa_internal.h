/**
 * @file blind_rsa_internal.h
 * @brief The blinding of blind_rsa.c with a salt and a factor that are given: for the RFC's
 * numbers.
 */
#ifndef SC_OBLIVIOUS_BLIND_RSA_INTERNAL_H
#define SC_OBLIVIOUS_BLIND_RSA_INTERNAL_H

#include "oblivious/blind_rsa.h"

/** As sc_blind_rsa_blind(). `factor` is r, of sc_blind_rsa_size(). The RFC's "blinding error" is
 * SC_ELIMIT: another factor may do. */
SC_CHECKED sc_err sc__blind_rsa_blind_with(const sc_blind_rsa_key *key, const uint8_t *message,
                                           size_t size, const uint8_t salt[SC_BLIND_RSA_SALT_SIZE],
                                           const uint8_t *factor, uint8_t *blinded,
                                           uint8_t *inverse);

#endif
