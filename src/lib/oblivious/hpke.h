/**
 * @file hpke.h
 * @brief Hybrid public key encryption (RFC 9180): base mode, DHKEM(X25519, HKDF-SHA256),
 *        HKDF-SHA256, and either AEAD of aead.h.
 *
 * A sender seals messages to a public key; only the holder of its secret key opens them, and nobody
 * learns who sent them. Both sides can export further secrets from the context. Names are those of
 * the RFC: `enc` is the sender's ephemeral public key, sent along; `info` binds a context to what
 * it is used for.
 *
 * Written here over X25519, HMAC-SHA256 and the AEADs of libsodium and OpenSSL, since OpenSSL of
 * Debian 12 has no HPKE. docs/dependencies.md says why not NSS.
 *
 * Nothing here is allocated, and the flow of control depends on nothing secret. libsodium must have
 * been started (sodium_init()). A context belongs to one thread; wipe it when it is done.
 */
#ifndef SC_OBLIVIOUS_HPKE_H
#define SC_OBLIVIOUS_HPKE_H

#include "oblivious/aead.h"

enum {
    SC_HPKE_KEM_X25519 = 0x0020,       ///< DHKEM(X25519, HKDF-SHA256), RFC 9180, 7.1
    SC_HPKE_KDF_HKDF_SHA256 = 0x0001,  ///< RFC 9180, 7.2
    SC_HPKE_KEY_SIZE = 32,             ///< Nsk, Npk and Nenc
    SC_HPKE_SEED_MIN = 32,             ///< of key material that a key pair is derived from
    SC_HPKE_HASH_SIZE = 32,            ///< Nh
};

/** Of a sender or a recipient. The fields are for the functions below. */
typedef struct sc_hpke_context {
    sc_aead aead;
    uint8_t key[SC_AEAD_KEY_MAX];
    uint8_t base_nonce[SC_AEAD_NONCE_SIZE];
    uint8_t exporter_secret[SC_HPKE_HASH_SIZE];
    uint64_t sequence;  ///< of the next message
} sc_hpke_context;

/** DeriveKeyPair (7.1.3): the same seed gives the same pair. */
void sc_hpke_derive_key_pair(const uint8_t *seed, size_t seed_size,
                             uint8_t secret_key[SC_HPKE_KEY_SIZE],
                             uint8_t public_key[SC_HPKE_KEY_SIZE]);

/** The public key of a secret one, of which any 32 bytes are one. */
void sc_hpke_public_key(const uint8_t secret_key[SC_HPKE_KEY_SIZE],
                        uint8_t public_key[SC_HPKE_KEY_SIZE]);

/**
 * SetupBaseS (5.1.1): a context that sends to `public_key`, and `enc` for the recipient.
 *
 * @param ephemeral  32 random bytes, used for this context alone; wipe them
 * @return SC_OK, or SC_EINVAL: the public key is a point of low order, which makes no secret
 */
SC_CHECKED sc_err sc_hpke_setup_sender(sc_aead aead, const uint8_t public_key[SC_HPKE_KEY_SIZE],
                                       const void *info, size_t info_size,
                                       const uint8_t ephemeral[SC_HPKE_KEY_SIZE],
                                       uint8_t enc[SC_HPKE_KEY_SIZE], sc_hpke_context *out);

/**
 * SetupBaseR (5.1.1): the recipient's side. SC_EINVAL: `enc` is a point of low order.
 *
 * @param public_key  of `secret_key`; computing it again would nearly double the time
 */
SC_CHECKED sc_err sc_hpke_setup_recipient(sc_aead aead, const uint8_t enc[SC_HPKE_KEY_SIZE],
                                          const uint8_t secret_key[SC_HPKE_KEY_SIZE],
                                          const uint8_t public_key[SC_HPKE_KEY_SIZE],
                                          const void *info, size_t info_size, sc_hpke_context *out);

/**
 * Context.Seal (5.2): the next message. `out` has room for `size` + SC_AEAD_TAG_SIZE, and may be
 * `plain`.
 *
 * @return as sc_aead_seal(); SC_ELIMIT also when the context has sealed all that it may
 */
SC_CHECKED sc_err sc_hpke_seal(sc_hpke_context *context, const void *aad, size_t aad_size,
                               const uint8_t *plain, size_t size, uint8_t *out);

/** Context.Open (5.2): messages open in the order in which they were sealed; one that does not
 * changes nothing. Returns as sc_aead_open(). */
SC_CHECKED sc_err sc_hpke_open(sc_hpke_context *context, const void *aad, size_t aad_size,
                               const uint8_t *sealed, size_t size, uint8_t *out);

/** Context.Export (5.3): `size` bytes, at most SC_HKDF_MAX, that both sides know. */
void sc_hpke_export(const sc_hpke_context *context, const void *exporter_context,
                    size_t exporter_context_size, uint8_t *out, size_t size);

/** Nothing secret stays in it. */
void sc_hpke_context_wipe(sc_hpke_context *context);

#endif
