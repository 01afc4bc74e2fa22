// HKDF-SHA256 over libsodium's HMAC. Debian's libsodium has no HKDF of its own before 1.0.19.
#include "oblivious/hkdf.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

_Static_assert((int)crypto_auth_hmacsha256_BYTES == (int)SC_HKDF_SIZE, "of SHA-256");

static void update(crypto_auth_hmacsha256_state *mac, const void *bytes, size_t size)
{
    if (size > 0) crypto_auth_hmacsha256_update(mac, bytes, size);
}

void sc_hkdf_extract(const void *salt, size_t salt_size, const sc_hkdf_part *ikm, size_t count,
                     uint8_t prk[SC_HKDF_SIZE])
{
    // An empty salt stands for 32 zeros (RFC 5869, 2.2), and HMAC fills its key up with zeros.
    static const uint8_t no_salt[1] = {0};
    crypto_auth_hmacsha256_state mac;
    crypto_auth_hmacsha256_init(&mac, salt_size > 0 ? salt : no_salt, salt_size);
    for (size_t i = 0; i < count; i++) {
        update(&mac, ikm[i].bytes, ikm[i].size);
    }
    crypto_auth_hmacsha256_final(&mac, prk);
    sodium_memzero(&mac, sizeof mac);
}

void sc_hkdf_expand(const uint8_t prk[SC_HKDF_SIZE], const sc_hkdf_part *info, size_t count,
                    uint8_t *out, size_t size)
{
    assert(size <= SC_HKDF_MAX);
    uint8_t block[SC_HKDF_SIZE];
    crypto_auth_hmacsha256_state mac;
    // T(1) hashes info and the byte 1, T(n) also T(n-1) before them (RFC 5869, 2.3).
    for (uint8_t n = 1; size > 0; n++) {
        crypto_auth_hmacsha256_init(&mac, prk, SC_HKDF_SIZE);
        if (n > 1) update(&mac, block, sizeof block);
        for (size_t i = 0; i < count; i++) {
            update(&mac, info[i].bytes, info[i].size);
        }
        update(&mac, &n, 1);
        crypto_auth_hmacsha256_final(&mac, block);
        const size_t part = size < sizeof block ? size : sizeof block;
        memcpy(out, block, part);
        out += part;
        size -= part;
    }
    sodium_memzero(block, sizeof block);
    sodium_memzero(&mac, sizeof mac);
}
