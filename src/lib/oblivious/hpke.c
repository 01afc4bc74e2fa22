// HPKE's base mode with one KEM and one KDF. Sections are those of RFC 9180.
//
// The RFC's LabeledExtract and LabeledExpand (4) put a version, the suite and a label before what
// they hash. There are two suites: the KEM's own, and that of the whole, which names the AEAD.
#include "oblivious/hpke.h"

#include "oblivious/hkdf.h"

#include <sodium.h>
#include <string.h>

_Static_assert((int)crypto_scalarmult_curve25519_BYTES == (int)SC_HPKE_KEY_SIZE, "of X25519");

enum {
    MODE_BASE = 0x00,  ///< 5, table 1
    KEM_SUITE_SIZE = 5,
    SUITE_SIZE = 10,
};

static const char version[] = "HPKE-v1";

/** suite_id of the KEM: "KEM" and its number (4.1). */
static const uint8_t kem_suite[KEM_SUITE_SIZE] = {'K', 'E', 'M', SC_HPKE_KEM_X25519 >> 8,
                                                  SC_HPKE_KEM_X25519 & 0xff};

/** A suite_id. */
typedef struct suite {
    const uint8_t *bytes;
    size_t size;
} suite;

static const suite kem = {kem_suite, sizeof kem_suite};

/** suite_id of the rest: "HPKE", then the numbers of KEM, KDF and AEAD (5.1). */
static suite hpke_suite(sc_aead aead, uint8_t bytes[SUITE_SIZE])
{
    static const uint8_t name[] = {'H', 'P', 'K', 'E'};
    const unsigned numbers[] = {SC_HPKE_KEM_X25519, SC_HPKE_KDF_HKDF_SHA256, (unsigned)aead};
    memcpy(bytes, name, sizeof name);
    for (size_t i = 0; i < 3; i++) {
        bytes[4 + 2 * i] = (uint8_t)(numbers[i] >> 8);
        bytes[5 + 2 * i] = (uint8_t)numbers[i];
    }
    return (suite){bytes, SUITE_SIZE};
}

/** LabeledExtract(salt, label, ikm); the salt has SC_HKDF_SIZE bytes, or is NULL for an empty one.
 */
static void labeled_extract(suite of, const uint8_t *salt, const char *label, const void *ikm,
                            size_t ikm_size, uint8_t prk[SC_HKDF_SIZE])
{
    const sc_hkdf_part parts[] = {
        {version, strlen(version)}, {of.bytes, of.size}, {label, strlen(label)}, {ikm, ikm_size}};
    sc_hkdf_extract(salt, salt ? (size_t)SC_HKDF_SIZE : 0, parts, sizeof parts / sizeof *parts,
                    prk);
}

/** LabeledExpand(prk, label, info, size). */
static void labeled_expand(suite of, const uint8_t prk[SC_HKDF_SIZE], const char *label,
                           const void *info, size_t info_size, uint8_t *out, size_t size)
{
    const uint8_t length[] = {(uint8_t)(size >> 8), (uint8_t)size};
    const sc_hkdf_part parts[] = {{length, sizeof length},
                                  {version, strlen(version)},
                                  {of.bytes, of.size},
                                  {label, strlen(label)},
                                  {info, info_size}};
    sc_hkdf_expand(prk, parts, sizeof parts / sizeof *parts, out, size);
}

// --- DHKEM(X25519, HKDF-SHA256): 4.1, 7.1 ------------------------------------------------------

void sc_hpke_public_key(const uint8_t secret_key[SC_HPKE_KEY_SIZE],
                        uint8_t public_key[SC_HPKE_KEY_SIZE])
{
    // Clamping is part of X25519 itself, and the base point never gives zero.
    (void)crypto_scalarmult_curve25519_base(public_key, secret_key);
}

void sc_hpke_derive_key_pair(const uint8_t *seed, size_t seed_size,
                             uint8_t secret_key[SC_HPKE_KEY_SIZE],
                             uint8_t public_key[SC_HPKE_KEY_SIZE])
{
    uint8_t prk[SC_HKDF_SIZE];
    labeled_extract(kem, NULL, "dkp_prk", seed, seed_size, prk);
    labeled_expand(kem, prk, "sk", NULL, 0, secret_key, SC_HPKE_KEY_SIZE);
    sc_hpke_public_key(secret_key, public_key);
    sodium_memzero(prk, sizeof prk);
}

/** DH() and ExtractAndExpand() of both sides: the shared secret. False: the point is of low order,
 * and the result of X25519 is zero (7.1.4 requires this check; libsodium makes it). */
static bool agree(const uint8_t secret_key[SC_HPKE_KEY_SIZE], const uint8_t peer[SC_HPKE_KEY_SIZE],
                  const uint8_t enc[SC_HPKE_KEY_SIZE], const uint8_t recipient[SC_HPKE_KEY_SIZE],
                  uint8_t shared_secret[SC_HKDF_SIZE])
{
    uint8_t dh[SC_HPKE_KEY_SIZE];
    uint8_t prk[SC_HKDF_SIZE];
    uint8_t kem_context[2 * SC_HPKE_KEY_SIZE];
    const bool is_sound = crypto_scalarmult_curve25519(dh, secret_key, peer) == 0;
    if (is_sound) {
        memcpy(kem_context, enc, SC_HPKE_KEY_SIZE);
        memcpy(kem_context + SC_HPKE_KEY_SIZE, recipient, SC_HPKE_KEY_SIZE);
        labeled_extract(kem, NULL, "eae_prk", dh, sizeof dh, prk);
        labeled_expand(kem, prk, "shared_secret", kem_context, sizeof kem_context, shared_secret,
                       SC_HKDF_SIZE);
    }
    sodium_memzero(dh, sizeof dh);
    sodium_memzero(prk, sizeof prk);
    return is_sound;
}

// --- Contexts: 5.1 -----------------------------------------------------------------------------

/** KeySchedule() of the base mode, in which psk and psk_id are empty. Wipes the shared secret. */
static void key_schedule(sc_aead aead, uint8_t shared_secret[SC_HKDF_SIZE], const void *info,
                         size_t info_size, sc_hpke_context *out)
{
    uint8_t suite_bytes[SUITE_SIZE];
    const suite whole = hpke_suite(aead, suite_bytes);
    uint8_t secret[SC_HKDF_SIZE];
    // key_schedule_context: the mode, psk_id_hash, info_hash.
    uint8_t context[1 + 2 * SC_HKDF_SIZE] = {MODE_BASE};
    labeled_extract(whole, NULL, "psk_id_hash", NULL, 0, context + 1);
    labeled_extract(whole, NULL, "info_hash", info, info_size, context + 1 + SC_HKDF_SIZE);
    labeled_extract(whole, shared_secret, "secret", NULL, 0, secret);
    memset(out, 0, sizeof *out);
    out->aead = aead;
    labeled_expand(whole, secret, "key", context, sizeof context, out->key, sc_aead_key_size(aead));
    labeled_expand(whole, secret, "base_nonce", context, sizeof context, out->base_nonce,
                   sizeof out->base_nonce);
    labeled_expand(whole, secret, "exp", context, sizeof context, out->exporter_secret,
                   sizeof out->exporter_secret);
    sodium_memzero(secret, sizeof secret);
    sodium_memzero(shared_secret, SC_HKDF_SIZE);
}

sc_err sc_hpke_setup_sender(sc_aead aead, const uint8_t public_key[SC_HPKE_KEY_SIZE],
                            const void *info, size_t info_size,
                            const uint8_t ephemeral[SC_HPKE_KEY_SIZE],
                            uint8_t enc[SC_HPKE_KEY_SIZE], sc_hpke_context *out)
{
    uint8_t shared_secret[SC_HKDF_SIZE];
    uint8_t own[SC_HPKE_KEY_SIZE];
    sc_hpke_public_key(ephemeral, own);
    if (!agree(ephemeral, public_key, own, public_key, shared_secret)) return SC_EINVAL;
    key_schedule(aead, shared_secret, info, info_size, out);
    memcpy(enc, own, sizeof own);
    return SC_OK;
}

sc_err sc_hpke_setup_recipient(sc_aead aead, const uint8_t enc[SC_HPKE_KEY_SIZE],
                               const uint8_t secret_key[SC_HPKE_KEY_SIZE],
                               const uint8_t public_key[SC_HPKE_KEY_SIZE], const void *info,
                               size_t info_size, sc_hpke_context *out)
{
    uint8_t shared_secret[SC_HKDF_SIZE];
    if (!agree(secret_key, enc, enc, public_key, shared_secret)) return SC_EINVAL;
    key_schedule(aead, shared_secret, info, info_size, out);
    return SC_OK;
}

void sc_hpke_context_wipe(sc_hpke_context *context)
{
    sodium_memzero(context, sizeof *context);
}

// --- Messages and exports: 5.2, 5.3 ------------------------------------------------------------

/** ComputeNonce(): the number of the message, most significant byte first, over the base. */
static void compute_nonce(const sc_hpke_context *context, uint8_t nonce[SC_AEAD_NONCE_SIZE])
{
    memcpy(nonce, context->base_nonce, SC_AEAD_NONCE_SIZE);
    for (unsigned i = 0; i < 8; i++) {
        nonce[SC_AEAD_NONCE_SIZE - 1 - i] ^= (uint8_t)(context->sequence >> (8 * i));
    }
}

sc_err sc_hpke_seal(sc_hpke_context *context, const void *aad, size_t aad_size,
                    const uint8_t *plain, size_t size, uint8_t *out)
{
    // The RFC allows 2^96 - 1 messages; a counter of 64 bits ends before that and never returns.
    if (context->sequence == UINT64_MAX) return SC_ELIMIT;
    uint8_t nonce[SC_AEAD_NONCE_SIZE];
    compute_nonce(context, nonce);
    const sc_err err =
        sc_aead_seal(context->aead, context->key, nonce, aad, aad_size, plain, size, out);
    // Also after a failure: some of the message may have been encrypted under this nonce.
    context->sequence++;
    return err;
}

sc_err sc_hpke_open(sc_hpke_context *context, const void *aad, size_t aad_size,
                    const uint8_t *sealed, size_t size, uint8_t *out)
{
    if (context->sequence == UINT64_MAX) return SC_ELIMIT;
    uint8_t nonce[SC_AEAD_NONCE_SIZE];
    compute_nonce(context, nonce);
    const sc_err err =
        sc_aead_open(context->aead, context->key, nonce, aad, aad_size, sealed, size, out);
    if (!err) context->sequence++;
    return err;
}

void sc_hpke_export(const sc_hpke_context *context, const void *exporter_context,
                    size_t exporter_context_size, uint8_t *out, size_t size)
{
    uint8_t suite_bytes[SUITE_SIZE];
    labeled_expand(hpke_suite(context->aead, suite_bytes), context->exporter_secret, "sec",
                   exporter_context, exporter_context_size, out, size);
}
