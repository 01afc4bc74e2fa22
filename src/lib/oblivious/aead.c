// AES-128-GCM by OpenSSL, ChaCha20-Poly1305 by libsodium, behind one form.
//
// Both compare tags in constant time. libsodium checks the tag before it decrypts; OpenSSL decrypts
// first, so what it wrote is wiped when the tag is wrong.
#include "oblivious/aead.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <sodium.h>

_Static_assert((int)crypto_aead_chacha20poly1305_ietf_KEYBYTES == (int)SC_AEAD_KEY_MAX, "fits");
_Static_assert((int)crypto_aead_chacha20poly1305_ietf_NPUBBYTES == (int)SC_AEAD_NONCE_SIZE, "fits");
_Static_assert((int)crypto_aead_chacha20poly1305_ietf_ABYTES == (int)SC_AEAD_TAG_SIZE, "fits");

enum { AES_KEY_SIZE = 16 };

bool sc_aead_is_known(unsigned number)
{
    return number == SC_AEAD_AES_128_GCM || number == SC_AEAD_CHACHA20_POLY1305;
}

size_t sc_aead_key_size(sc_aead aead)
{
    return aead == SC_AEAD_AES_128_GCM ? (size_t)AES_KEY_SIZE : (size_t)SC_AEAD_KEY_MAX;
}

/** Starts either direction and takes the associated data. False: OpenSSL has no memory. */
static bool begin_aes(EVP_CIPHER_CTX *context, bool seals, const uint8_t *key, const uint8_t *nonce,
                      const void *aad, size_t aad_size)
{
    int done = 0;
    // GCM's nonces have 12 bytes unless it is told otherwise.
    return context &&
           EVP_CipherInit_ex2(context, EVP_aes_128_gcm(), key, nonce, seals, NULL) == 1 &&
           (aad_size == 0 || EVP_CipherUpdate(context, NULL, &done, aad, (int)aad_size) == 1);
}

static sc_err seal_aes(const uint8_t *key, const uint8_t *nonce, const void *aad, size_t aad_size,
                       const uint8_t *plain, size_t size, uint8_t *out)
{
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int done = 0;
    const bool is_done =
        begin_aes(context, true, key, nonce, aad, aad_size) &&
        (size == 0 || EVP_CipherUpdate(context, out, &done, plain, (int)size) == 1) &&
        EVP_CipherFinal_ex(context, out + size, &done) == 1 &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, SC_AEAD_TAG_SIZE, out + size) == 1;
    EVP_CIPHER_CTX_free(context);  // wipes the key
    return is_done ? SC_OK : SC_ENOMEM;
}

static sc_err open_aes(const uint8_t *key, const uint8_t *nonce, const void *aad, size_t aad_size,
                       const uint8_t *sealed, size_t size, uint8_t *out)
{
    // OpenSSL takes the tag by a pointer that is not const.
    uint8_t tag[SC_AEAD_TAG_SIZE];
    uint8_t rest[SC_AEAD_TAG_SIZE];
    int done = 0;
    sc_err err = SC_ENOMEM;
    for (size_t i = 0; i < sizeof tag; i++) {
        tag[i] = sealed[size + i];
    }
    // What OpenSSL notes of a failure would be taken for one of the connection that this thread
    // serves.
    ERR_set_mark();
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (begin_aes(context, false, key, nonce, aad, aad_size) &&
        (size == 0 || EVP_CipherUpdate(context, out, &done, sealed, (int)size) == 1) &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, sizeof tag, tag) == 1) {
        err = EVP_CipherFinal_ex(context, rest, &done) == 1 ? SC_OK : SC_EPARSE;
    }
    EVP_CIPHER_CTX_free(context);
    ERR_pop_to_mark();
    if (err && size > 0) sodium_memzero(out, size);
    return err;
}

sc_err sc_aead_seal(sc_aead aead, const uint8_t *key, const uint8_t nonce[SC_AEAD_NONCE_SIZE],
                    const void *aad, size_t aad_size, const uint8_t *plain, size_t size,
                    uint8_t *out)
{
    if (size > SC_AEAD_SIZE_MAX || aad_size > SC_AEAD_SIZE_MAX) return SC_ELIMIT;
    if (aead == SC_AEAD_AES_128_GCM) return seal_aes(key, nonce, aad, aad_size, plain, size, out);
    crypto_aead_chacha20poly1305_ietf_encrypt(out, NULL, plain, size, aad, aad_size, NULL, nonce,
                                              key);
    return SC_OK;
}

sc_err sc_aead_open(sc_aead aead, const uint8_t *key, const uint8_t nonce[SC_AEAD_NONCE_SIZE],
                    const void *aad, size_t aad_size, const uint8_t *sealed, size_t size,
                    uint8_t *out)
{
    if (size < SC_AEAD_TAG_SIZE) return SC_EPARSE;
    if (size > SC_AEAD_SIZE_MAX || aad_size > SC_AEAD_SIZE_MAX) return SC_ELIMIT;
    const size_t plain_size = size - SC_AEAD_TAG_SIZE;
    if (aead == SC_AEAD_AES_128_GCM) {
        return open_aes(key, nonce, aad, aad_size, sealed, plain_size, out);
    }
    const bool is_open = crypto_aead_chacha20poly1305_ietf_decrypt(out, NULL, NULL, sealed, size,
                                                                   aad, aad_size, nonce, key) == 0;
    return is_open ? SC_OK : SC_EPARSE;
}
