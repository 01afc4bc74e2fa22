// Sealing and opening messages. See seal.h.
//
// A nonce is drawn at random for each message: with 24 bytes of it, no two of one key are ever the
// same, and processes need not agree on a counter.
#include "cluster/seal.h"

#include "cluster/cluster_key.h"

#include <sodium.h>
#include <string.h>

enum {
    NONCE_SIZE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    TAG_SIZE = crypto_aead_xchacha20poly1305_ietf_ABYTES,
};

_Static_assert((int)SC_SEAL_EXTRA == (int)NONCE_SIZE + (int)TAG_SIZE, "what the header promises");
_Static_assert((int)SC_SEAL_KEY_SIZE == (int)crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
               "and the key's size");

void sc_seal(const uint8_t *key, const char *subject, const void *plain, size_t size, uint8_t *out)
{
    randombytes_buf(out, NONCE_SIZE);
    crypto_aead_xchacha20poly1305_ietf_encrypt(out + NONCE_SIZE, NULL, plain, size,
                                               (const uint8_t *)subject, strlen(subject), NULL, out,
                                               key);
}

bool sc_unseal(const uint8_t *key, const char *subject, const uint8_t *sealed, size_t size,
               void *out)
{
    if (size < SC_SEAL_EXTRA) return false;
    return crypto_aead_xchacha20poly1305_ietf_decrypt(out, NULL, NULL, sealed + NONCE_SIZE,
                                                      size - NONCE_SIZE, (const uint8_t *)subject,
                                                      strlen(subject), sealed, key) == 0;
}
