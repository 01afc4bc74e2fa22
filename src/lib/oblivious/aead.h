/**
 * @file aead.h
 * @brief Authenticated encryption: AES-128-GCM and ChaCha20-Poly1305 (RFC 5116, RFC 8439).
 *
 * The two of HPKE that clients have. AES is OpenSSL's (libsodium has AES-256 alone), ChaCha20 is
 * libsodium's. Nonces are the caller's care: none may be used twice with one key.
 */
#ifndef SC_OBLIVIOUS_AEAD_H
#define SC_OBLIVIOUS_AEAD_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** By their numbers in RFC 9180, section 7.3. */
typedef enum sc_aead {
    SC_AEAD_AES_128_GCM = 0x0001,
    SC_AEAD_CHACHA20_POLY1305 = 0x0003,
} sc_aead;

enum {
    SC_AEAD_KEY_MAX = 32,
    SC_AEAD_NONCE_SIZE = 12,     ///< Nn, of both
    SC_AEAD_TAG_SIZE = 16,       ///< Nt, of both
    SC_AEAD_SIZE_MAX = 1 << 28,  ///< of a message: far below the limits of both, and of an int
};

/** Whether `number` is one of ours. */
bool sc_aead_is_known(unsigned number);

/** Nk: 16 or 32. */
size_t sc_aead_key_size(sc_aead aead);

/**
 * Encrypt `size` bytes and append the tag. `out` has room for `size` + SC_AEAD_TAG_SIZE, and may be
 * `plain`.
 *
 * @param key  of sc_aead_key_size()
 * @return SC_OK, SC_ELIMIT (more than SC_AEAD_SIZE_MAX), SC_ENOMEM (OpenSSL's)
 */
SC_CHECKED sc_err sc_aead_seal(sc_aead aead, const uint8_t *key,
                               const uint8_t nonce[SC_AEAD_NONCE_SIZE], const void *aad,
                               size_t aad_size, const uint8_t *plain, size_t size, uint8_t *out);

/**
 * Decrypt what sc_aead_seal() gave. `out` has room for `size` - SC_AEAD_TAG_SIZE, and may be
 * `sealed`; after a refusal it has nothing of the text in it.
 *
 * @return SC_OK, SC_EPARSE (it was not sealed so), SC_ELIMIT, SC_ENOMEM (OpenSSL's)
 */
SC_CHECKED sc_err sc_aead_open(sc_aead aead, const uint8_t *key,
                               const uint8_t nonce[SC_AEAD_NONCE_SIZE], const void *aad,
                               size_t aad_size, const uint8_t *sealed, size_t size, uint8_t *out);

#endif
