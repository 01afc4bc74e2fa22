// Blind RSA over OpenSSL's numbers and keys. Sections are those of RFC 9474.
//
// OpenSSL draws its salts itself, and the encoding must be had before it is signed, so
// EMSA-PSS-ENCODE is written here. The signatures are checked by OpenSSL's own code for PSS.
#include "oblivious/blind_rsa_internal.h"

#include "base/alloc.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <sodium.h>
#include <string.h>

enum {
    HASH_SIZE = 48,  ///< of SHA-384
    PSS_END = 0xbc,  ///< RFC 8017, 9.1.1, step 12
};

struct sc_blind_rsa_key {
    EVP_PKEY *pkey;
    BIGNUM *n;
    BIGNUM *e;
    size_t size;
    bool is_secret;
};

// --- Keys ----------------------------------------------------------------------------------------

void sc_blind_rsa_key_free(sc_blind_rsa_key *key)
{
    if (!key) return;
    EVP_PKEY_free(key->pkey);
    BN_free(key->n);
    BN_free(key->e);
    sc_free(key);
}

size_t sc_blind_rsa_size(const sc_blind_rsa_key *key)
{
    return key->size;
}

bool sc_blind_rsa_is_secret(const sc_blind_rsa_key *key)
{
    return key->is_secret;
}

/** A key of OpenSSL's, which is taken whatever happens. It must be of whole bytes, so that an
 * encoded message is as long as the modulus, and have an exponent that is one. */
static sc_err take_pkey(EVP_PKEY *pkey, bool is_secret, sc_blind_rsa_key **out)
{
    sc_blind_rsa_key *key = sc_calloc(1, sizeof *key);
    if (!key) {
        EVP_PKEY_free(pkey);
        return SC_ENOMEM;
    }
    key->pkey = pkey;
    key->is_secret = is_secret;
    const int bits = EVP_PKEY_get_bits(pkey);
    const bool is_sized =
        bits >= 8 * SC_BLIND_RSA_SIZE_MIN && bits <= 8 * SC_BLIND_RSA_SIZE_MAX && bits % 8 == 0;
    const bool is_sound = is_sized && EVP_PKEY_is_a(pkey, "RSA") == 1 &&
                          EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_N, &key->n) == 1 &&
                          EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_E, &key->e) == 1 &&
                          BN_is_odd(key->n) && BN_is_odd(key->e) && !BN_is_one(key->e) &&
                          BN_num_bits(key->e) <= 64;
    if (!is_sound) {
        sc_blind_rsa_key_free(key);
        return SC_EPARSE;
    }
    key->size = (size_t)bits / 8;
    *out = key;
    return SC_OK;
}

sc_err sc_blind_rsa_generate(size_t size, sc_blind_rsa_key **out)
{
    if (size < SC_BLIND_RSA_SIZE_MIN || size > SC_BLIND_RSA_SIZE_MAX) return SC_EINVAL;
    EVP_PKEY *pkey = EVP_RSA_gen(8 * size);
    return pkey ? take_pkey(pkey, true, out) : SC_ENOMEM;
}

sc_err sc_blind_rsa_from_numbers(const uint8_t *n, size_t n_size, const uint8_t *e, size_t e_size,
                                 sc_blind_rsa_key **out)
{
    if (n_size > SC_BLIND_RSA_SIZE_MAX || e_size > 8) return SC_EPARSE;
    EVP_PKEY *pkey = NULL;
    OSSL_PARAM *params = NULL;
    OSSL_PARAM_BLD *parts = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    BIGNUM *modulus = BN_bin2bn(n, (int)n_size, NULL);
    BIGNUM *exponent = BN_bin2bn(e, (int)e_size, NULL);
    ERR_set_mark();
    if (parts && context && modulus && exponent &&
        OSSL_PARAM_BLD_push_BN(parts, OSSL_PKEY_PARAM_RSA_N, modulus) == 1 &&
        OSSL_PARAM_BLD_push_BN(parts, OSSL_PKEY_PARAM_RSA_E, exponent) == 1) {
        params = OSSL_PARAM_BLD_to_param(parts);
    }
    const bool has_memory = params && EVP_PKEY_fromdata_init(context) == 1;
    if (has_memory) (void)EVP_PKEY_fromdata(context, &pkey, EVP_PKEY_PUBLIC_KEY, params);
    ERR_pop_to_mark();
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(parts);
    EVP_PKEY_CTX_free(context);
    BN_free(modulus);
    BN_free(exponent);
    if (pkey) return take_pkey(pkey, false, out);
    return has_memory ? SC_EPARSE : SC_ENOMEM;
}

// SubjectPublicKeyInfo: id-RSASSA-PSS with SHA-384, MGF1 with SHA-384 and a salt of 48 bytes, then
// a modulus of 256 bytes whose first bit is set, and the exponent 65537 (RFC 9578, 6.5). With these
// fixed, everything but the modulus is.
static const uint8_t spki_head[] = {
    0x30, 0x82, 0x01, 0x52, 0x30, 0x3d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d,
    0x01, 0x01, 0x0a, 0x30, 0x30, 0xa0, 0x0d, 0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48,
    0x01, 0x65, 0x03, 0x04, 0x02, 0x02, 0xa1, 0x1a, 0x30, 0x18, 0x06, 0x09, 0x2a, 0x86,
    0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x08, 0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48,
    0x01, 0x65, 0x03, 0x04, 0x02, 0x02, 0xa2, 0x03, 0x02, 0x01, 0x30, 0x03, 0x82, 0x01,
    0x0f, 0x00, 0x30, 0x82, 0x01, 0x0a, 0x02, 0x82, 0x01, 0x01, 0x00};
static const uint8_t spki_tail[] = {0x02, 0x03, 0x01, 0x00, 0x01};

_Static_assert(sizeof spki_head + 256 + sizeof spki_tail == SC_BLIND_RSA_SPKI_SIZE, "it fits");

sc_err sc_blind_rsa_from_spki(const uint8_t *bytes, size_t size, sc_blind_rsa_key **out)
{
    const uint8_t *modulus = bytes + sizeof spki_head;
    if (size != SC_BLIND_RSA_SPKI_SIZE || memcmp(bytes, spki_head, sizeof spki_head) != 0 ||
        memcmp(bytes + size - sizeof spki_tail, spki_tail, sizeof spki_tail) != 0 ||
        modulus[0] < 0x80) {
        return SC_EPARSE;
    }
    return sc_blind_rsa_from_numbers(modulus, 256, spki_tail + 2, 3, out);
}

sc_err sc_blind_rsa_to_spki(const sc_blind_rsa_key *key, uint8_t out[SC_BLIND_RSA_SPKI_SIZE])
{
    if (key->size != 256 || !BN_is_word(key->e, 65537)) return SC_EINVAL;
    memcpy(out, spki_head, sizeof spki_head);
    if (BN_bn2binpad(key->n, out + sizeof spki_head, 256) != 256) return SC_EINVAL;
    memcpy(out + sizeof spki_head + 256, spki_tail, sizeof spki_tail);
    return SC_OK;
}

/** A key in a file is not encrypted: nobody is asked for a password. */
// NOLINTNEXTLINE(readability-non-const-parameter): a callback of OpenSSL
static int no_password(char *out, int room, int is_writing, void *user)
{
    (void)out, (void)room, (void)is_writing, (void)user;
    return -1;
}

sc_err sc_blind_rsa_from_pem(const char *text, size_t size, sc_blind_rsa_key **out)
{
    if (size > SC_BLIND_RSA_PEM_MAX) return SC_EPARSE;
    BIO *bio = BIO_new_mem_buf(text, (int)size);
    if (!bio) return SC_ENOMEM;
    ERR_set_mark();
    EVP_PKEY *pkey = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
    EVP_PKEY_CTX *context = pkey ? EVP_PKEY_CTX_new_from_pkey(NULL, pkey, NULL) : NULL;
    // Numbers that do not belong together would sign with whatever they are.
    const bool is_pair = context && EVP_PKEY_pairwise_check(context) == 1;
    ERR_pop_to_mark();
    EVP_PKEY_CTX_free(context);
    BIO_free(bio);
    if (is_pair) return take_pkey(pkey, true, out);
    EVP_PKEY_free(pkey);
    return SC_EPARSE;
}

size_t sc_blind_rsa_to_pem(const sc_blind_rsa_key *key, char out[SC_BLIND_RSA_PEM_MAX])
{
    if (!key->is_secret) return 0;
    BIO *bio = BIO_new(BIO_s_secmem());  // wiped when it is freed
    char *text = NULL;
    size_t size = 0;
    if (bio && PEM_write_bio_PKCS8PrivateKey(bio, key->pkey, NULL, NULL, 0, NULL, NULL) == 1) {
        const long there = BIO_get_mem_data(bio, &text);
        if (there > 0 && there <= SC_BLIND_RSA_PEM_MAX) size = (size_t)there;
    }
    if (size > 0) memcpy(out, text, size);
    BIO_free(bio);
    return size;
}

// --- EMSA-PSS-ENCODE (RFC 8017, 9.1.1) -----------------------------------------------------------

/** SHA-384 of up to three parts. */
static bool hash_parts(const uint8_t *const parts[3], const size_t sizes[3], uint8_t out[HASH_SIZE])
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_done = context && EVP_DigestInit_ex2(context, EVP_sha384(), NULL) == 1;
    for (int i = 0; i < 3 && is_done; i++) {
        is_done = sizes[i] == 0 || EVP_DigestUpdate(context, parts[i], sizes[i]) == 1;
    }
    is_done = is_done && EVP_DigestFinal_ex(context, out, NULL) == 1;
    EVP_MD_CTX_free(context);
    return is_done;
}

/** Masks `size` bytes with MGF1 of a hash (RFC 8017, B.2.1). */
static bool mask(uint8_t *bytes, size_t size, const uint8_t seed[HASH_SIZE])
{
    uint8_t block[HASH_SIZE];
    for (uint32_t n = 0; size > 0; n++) {
        const uint8_t counter[] = {(uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8),
                                   (uint8_t)n};
        if (!hash_parts((const uint8_t *const[]){seed, counter, NULL},
                        (const size_t[]){HASH_SIZE, sizeof counter, 0}, block)) {
            return false;
        }
        const size_t part = size < sizeof block ? size : sizeof block;
        for (size_t i = 0; i < part; i++) {
            *bytes++ ^= block[i];
        }
        size -= part;
    }
    return true;
}

/**
 * The encoded message of `size` bytes, in which the first bit is 0: emBits is one less than the
 * bits of the modulus, as RSASSA-PSS-VERIFY has it (RFC 8017, 8.1.2). RFC 9474 prints bit_len(n)
 * in 4.2; what its appendix computes is this.
 */
static bool encode_pss(const uint8_t *message, size_t message_size,
                       const uint8_t salt[SC_BLIND_RSA_SALT_SIZE], uint8_t *out, size_t size)
{
    static const uint8_t zeros[8] = {0};
    uint8_t message_hash[HASH_SIZE];
    uint8_t *hash = out + size - 1 - HASH_SIZE;
    const size_t block_size = size - HASH_SIZE - 1;
    if (!hash_parts((const uint8_t *const[]){message, NULL, NULL},
                    (const size_t[]){message_size, 0, 0}, message_hash) ||
        !hash_parts((const uint8_t *const[]){zeros, message_hash, salt},
                    (const size_t[]){sizeof zeros, HASH_SIZE, SC_BLIND_RSA_SALT_SIZE}, hash)) {
        return false;
    }
    memset(out, 0, block_size);
    out[block_size - SC_BLIND_RSA_SALT_SIZE - 1] = 0x01;
    memcpy(out + block_size - SC_BLIND_RSA_SALT_SIZE, salt, SC_BLIND_RSA_SALT_SIZE);
    if (!mask(out, block_size, hash)) return false;
    out[0] &= 0x7f;
    out[size - 1] = PSS_END;
    return true;
}

// --- The client: Blind, Finalize (4.2, 4.4) ------------------------------------------------------

sc_err sc__blind_rsa_blind_with(const sc_blind_rsa_key *key, const uint8_t *message, size_t size,
                                const uint8_t salt[SC_BLIND_RSA_SALT_SIZE], const uint8_t *factor,
                                uint8_t *blinded, uint8_t *inverse)
{
    uint8_t encoded[SC_BLIND_RSA_SIZE_MAX];
    const int modulus_size = (int)key->size;
    sc_err err = SC_ENOMEM;
    BN_CTX *context = BN_CTX_secure_new();
    if (!context) return SC_ENOMEM;
    BN_CTX_start(context);
    BIGNUM *m = BN_CTX_get(context);
    BIGNUM *r = BN_CTX_get(context);
    BIGNUM *inv = BN_CTX_get(context);
    BIGNUM *x = BN_CTX_get(context);
    ERR_set_mark();
    if (!x || !encode_pss(message, size, salt, encoded, key->size) ||
        !BN_bin2bn(encoded, modulus_size, m) || !BN_bin2bn(factor, modulus_size, r) ||
        BN_gcd(x, m, key->n, context) != 1) {
        goto done;
    }
    BN_set_flags(r, BN_FLG_CONSTTIME);
    // A common divisor would be a factor of n: such a key is no key.
    err = SC_EINVAL;
    if (!BN_is_one(x)) goto done;
    err = SC_ELIMIT;
    if (BN_is_zero(r) || BN_cmp(r, key->n) >= 0 || !BN_mod_inverse(inv, r, key->n, context)) {
        goto done;
    }
    err = SC_ENOMEM;
    if (BN_mod_exp(x, r, key->e, key->n, context) != 1 ||
        BN_mod_mul(x, m, x, key->n, context) != 1 ||
        BN_bn2binpad(x, blinded, modulus_size) != modulus_size ||
        BN_bn2binpad(inv, inverse, modulus_size) != modulus_size) {
        goto done;
    }
    err = SC_OK;
done:
    ERR_pop_to_mark();
    sodium_memzero(encoded, sizeof encoded);
    BN_CTX_end(context);
    BN_CTX_free(context);  // numbers of a secure context are wiped
    return err;
}

sc_err sc_blind_rsa_blind(const sc_blind_rsa_key *key, const uint8_t *message, size_t size,
                          uint8_t *blinded, uint8_t *inverse)
{
    // The first bit of a modulus is set, so a draw is below it in half of the cases at least.
    enum { DRAWS_MAX = 256 };
    uint8_t salt[SC_BLIND_RSA_SALT_SIZE];
    uint8_t factor[SC_BLIND_RSA_SIZE_MAX];
    sc_err err = SC_ELIMIT;
    randombytes_buf(salt, sizeof salt);
    for (int i = 0; i < DRAWS_MAX && err == SC_ELIMIT; i++) {
        randombytes_buf(factor, key->size);
        err = sc__blind_rsa_blind_with(key, message, size, salt, factor, blinded, inverse);
    }
    sodium_memzero(factor, sizeof factor);
    sodium_memzero(salt, sizeof salt);
    return err == SC_ELIMIT ? SC_EINVAL : err;
}

sc_err sc_blind_rsa_finalize(const sc_blind_rsa_key *key, const uint8_t *message, size_t size,
                             const uint8_t *blind_signature, const uint8_t *inverse,
                             uint8_t *signature)
{
    uint8_t made[SC_BLIND_RSA_SIZE_MAX];
    const int modulus_size = (int)key->size;
    BN_CTX *context = BN_CTX_secure_new();
    if (!context) return SC_ENOMEM;
    BN_CTX_start(context);
    BIGNUM *z = BN_CTX_get(context);
    BIGNUM *inv = BN_CTX_get(context);
    ERR_set_mark();
    const bool is_done = inv && BN_bin2bn(blind_signature, modulus_size, z) &&
                         BN_bin2bn(inverse, modulus_size, inv) &&
                         BN_mod_mul(z, z, inv, key->n, context) == 1 &&
                         BN_bn2binpad(z, made, modulus_size) == modulus_size;
    ERR_pop_to_mark();
    BN_CTX_end(context);
    BN_CTX_free(context);
    const sc_err err = is_done ? sc_blind_rsa_verify(key, message, size, made) : SC_ENOMEM;
    if (!err) memcpy(signature, made, key->size);
    sodium_memzero(made, sizeof made);
    return err;
}

// --- The signer: BlindSign (4.3) -----------------------------------------------------------------

/** RSASP1 (RFC 8017, 5.2.1): OpenSSL blinds it, and needs the same time for every number. */
static bool apply_secret(const sc_blind_rsa_key *key, const uint8_t *in, uint8_t *out)
{
    size_t size = key->size;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key->pkey, NULL);
    const bool is_done = context && EVP_PKEY_sign_init(context) == 1 &&
                         EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1 &&
                         EVP_PKEY_sign(context, out, &size, in, key->size) == 1 &&
                         size == key->size;
    EVP_PKEY_CTX_free(context);
    return is_done;
}

/** RSAVP1 (RFC 8017, 5.2.2). */
static bool apply_public(const sc_blind_rsa_key *key, const uint8_t *in, uint8_t *out)
{
    size_t size = key->size;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key->pkey, NULL);
    const bool is_done = context && EVP_PKEY_verify_recover_init(context) == 1 &&
                         EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1 &&
                         EVP_PKEY_verify_recover(context, out, &size, in, key->size) == 1 &&
                         size == key->size;
    EVP_PKEY_CTX_free(context);
    return is_done;
}

/** Whether a number is below the modulus. The number is what a client sent: no secret. */
static bool is_below_modulus(const sc_blind_rsa_key *key, const uint8_t *number)
{
    uint8_t modulus[SC_BLIND_RSA_SIZE_MAX];
    return BN_bn2binpad(key->n, modulus, (int)key->size) == (int)key->size &&
           memcmp(number, modulus, key->size) < 0;
}

sc_err sc_blind_rsa_sign(const sc_blind_rsa_key *key, const uint8_t *blinded, uint8_t *signed_out)
{
    if (!key->is_secret) return SC_EINVAL;
    if (!is_below_modulus(key, blinded)) return SC_EPARSE;
    uint8_t made[SC_BLIND_RSA_SIZE_MAX];
    uint8_t again[SC_BLIND_RSA_SIZE_MAX];
    sc_err err = SC_ENOMEM;
    ERR_set_mark();
    if (apply_secret(key, blinded, made) && apply_public(key, made, again)) {
        err = CRYPTO_memcmp(again, blinded, key->size) == 0 ? SC_OK : SC_EBROKEN;
    }
    ERR_pop_to_mark();
    if (!err) memcpy(signed_out, made, key->size);
    sodium_memzero(made, sizeof made);
    return err;
}

// --- Everyone: verification (4.5) ----------------------------------------------------------------

sc_err sc_blind_rsa_verify(const sc_blind_rsa_key *key, const uint8_t *message, size_t size,
                           const uint8_t *signature)
{
    EVP_PKEY_CTX *options = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    sc_err err = SC_ENOMEM;
    ERR_set_mark();
    if (context &&
        EVP_DigestVerifyInit_ex(context, &options, "SHA384", NULL, NULL, key->pkey, NULL) == 1 &&
        EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1 &&
        EVP_PKEY_CTX_set_rsa_mgf1_md(options, EVP_sha384()) == 1 &&
        EVP_PKEY_CTX_set_rsa_pss_saltlen(options, SC_BLIND_RSA_SALT_SIZE) == 1) {
        err =
            EVP_DigestVerify(context, signature, key->size, message, size) == 1 ? SC_OK : SC_EPARSE;
    }
    ERR_pop_to_mark();
    EVP_MD_CTX_free(context);
    return err;
}
