// Blind RSA: the RFC's numbers, keys in their files, and what must not be signed.
#include "oblivious/blind_rsa_internal.h"

#include "support/check.h"
#include "support/oom.h"
#include "vectors.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <sodium.h>

static const char file[] = "blind_rsa.txt";
enum { SIZE = 512 };

static int begin(void **state)
{
    (void)state;
    return sodium_init() < 0 ? -1 : 0;
}

static BIGNUM *number(const char *name)
{
    vector *v = vector_read(file, "A.3", name);
    BIGNUM *n = BN_bin2bn(v->bytes, (int)v->size, NULL);
    free(v);
    return n;
}

/** The key pair of the RFC, by way of a PEM. */
static sc_blind_rsa_key *example_key(void)
{
    static const char *const params[] = {
        OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
        OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
        OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
        OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
    enum { N, E, D, P, Q, DP, DQ, QINV, NUMBERS };
    BIGNUM *numbers[NUMBERS] = {number("n"), number("e"), number("d"), number("p"),
                                number("q"), BN_new(),    BN_new(),    BN_new()};
    BN_CTX *scratch = BN_CTX_new();
    BIGNUM *less = BN_new();
    assert_true(BN_sub(less, numbers[P], BN_value_one()) == 1 &&
                BN_mod(numbers[DP], numbers[D], less, scratch) == 1 &&
                BN_sub(less, numbers[Q], BN_value_one()) == 1 &&
                BN_mod(numbers[DQ], numbers[D], less, scratch) == 1 &&
                BN_mod_inverse(numbers[QINV], numbers[Q], numbers[P], scratch) != NULL);
    OSSL_PARAM_BLD *parts = OSSL_PARAM_BLD_new();
    for (size_t i = 0; i < NUMBERS; i++) {
        assert_int_equal(OSSL_PARAM_BLD_push_BN(parts, params[i], numbers[i]), 1);
    }
    OSSL_PARAM *built = OSSL_PARAM_BLD_to_param(parts);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    EVP_PKEY *pkey = NULL;
    assert_int_equal(EVP_PKEY_fromdata_init(context), 1);
    assert_int_equal(EVP_PKEY_fromdata(context, &pkey, EVP_PKEY_KEYPAIR, built), 1);
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL;
    assert_int_equal(PEM_write_bio_PKCS8PrivateKey(bio, pkey, NULL, NULL, 0, NULL, NULL), 1);
    const long size = BIO_get_mem_data(bio, &text);
    sc_blind_rsa_key *key = NULL;
    assert_int_equal(sc_blind_rsa_from_pem(text, (size_t)size, &key), SC_OK);
    BIO_free(bio);
    EVP_PKEY_free(pkey);
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(built);
    OSSL_PARAM_BLD_free(parts);
    BN_free(less);
    BN_CTX_free(scratch);
    for (size_t i = 0; i < NUMBERS; i++) {
        BN_free(numbers[i]);
    }
    return key;
}

/** r of the RFC, which prints its inverse. */
static void example_factor(uint8_t factor[SIZE])
{
    BN_CTX *context = BN_CTX_new();
    BIGNUM *inverse = number("inv");
    BIGNUM *n = number("n");
    BIGNUM *r = BN_mod_inverse(NULL, inverse, n, context);
    assert_int_equal(BN_bn2binpad(r, factor, SIZE), SIZE);
    BN_free(r);
    BN_free(n);
    BN_free(inverse);
    BN_CTX_free(context);
}

/** One run of the protocol with the salt and the blinding of the RFC. */
typedef struct run {
    uint8_t blinded[SIZE];
    uint8_t inverse[SIZE];
    uint8_t blind_signature[SIZE];
    uint8_t signature[SIZE];
} run;

static run run_example(const sc_blind_rsa_key *key, const uint8_t *message, size_t size)
{
    run r = {0};
    uint8_t factor[SIZE];
    vector *salt = vector_read(file, "A.3", "salt");
    example_factor(factor);
    assert_int_equal(
        sc__blind_rsa_blind_with(key, message, size, salt->bytes, factor, r.blinded, r.inverse),
        SC_OK);
    assert_int_equal(sc_blind_rsa_sign(key, r.blinded, r.blind_signature), SC_OK);
    assert_int_equal(
        sc_blind_rsa_finalize(key, message, size, r.blind_signature, r.inverse, r.signature),
        SC_OK);
    assert_int_equal(sc_blind_rsa_verify(key, message, size, r.signature), SC_OK);
    free(salt);
    return r;
}

static void test_the_deterministic_variant_is_that_of_the_rfc(void **state)
{
    (void)state;
    sc_blind_rsa_key *key = example_key();
    vector *message = vector_read(file, "A.3", "msg");
    const run r = run_example(key, message->bytes, message->size);
    vector_check(file, "A.3", "inv", r.inverse, SIZE);
    vector_check(file, "A.3", "blinded_msg", r.blinded, SIZE);
    vector_check(file, "A.3", "blind_sig", r.blind_signature, SIZE);
    vector_check(file, "A.3", "sig", r.signature, SIZE);
    free(message);
    sc_blind_rsa_key_free(key);
}

static void test_the_randomized_variant_is_that_of_the_rfc(void **state)
{
    (void)state;
    sc_blind_rsa_key *key = example_key();
    vector *prefix = vector_read(file, "A.1", "msg_prefix");
    vector *message = vector_read(file, "A.3", "msg");
    uint8_t prepared[256];
    assert_int_equal(prefix->size, SC_BLIND_RSA_PREFIX_SIZE);
    memcpy(prepared, prefix->bytes, prefix->size);
    memcpy(prepared + prefix->size, message->bytes, message->size);
    const run r = run_example(key, prepared, prefix->size + message->size);
    vector_check(file, "A.1", "blinded_msg", r.blinded, 32);
    vector_check(file, "A.1", "sig", r.signature, 32);
    free(prefix);
    free(message);
    sc_blind_rsa_key_free(key);
}

// --- Keys of our own -----------------------------------------------------------------------------

static sc_blind_rsa_key *small_key(void)
{
    sc_blind_rsa_key *key = NULL;
    assert_int_equal(sc_blind_rsa_generate(256, &key), SC_OK);
    assert_int_equal(sc_blind_rsa_size(key), 256);
    assert_true(sc_blind_rsa_is_secret(key));
    return key;
}

static void test_what_a_signer_sees_is_never_the_same(void **state)
{
    (void)state;
    static const uint8_t message[] = "one account, one token";
    sc_blind_rsa_key *key = small_key();
    uint8_t blinded[2][256];
    uint8_t inverse[2][256];
    uint8_t blind_signature[256];
    uint8_t signature[2][256];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(sc_blind_rsa_blind(key, message, sizeof message, blinded[i], inverse[i]),
                         SC_OK);
        assert_int_equal(sc_blind_rsa_sign(key, blinded[i], blind_signature), SC_OK);
        assert_int_equal(sc_blind_rsa_finalize(key, message, sizeof message, blind_signature,
                                               inverse[i], signature[i]),
                         SC_OK);
        assert_memory_not_equal(signature[i], blind_signature, 256);
    }
    assert_memory_not_equal(blinded[0], blinded[1], 256);
    assert_memory_not_equal(signature[0], signature[1], 256);
    sc_blind_rsa_key_free(key);
}

static void test_what_was_not_signed_does_not_verify(void **state)
{
    (void)state;
    static const uint8_t message[] = "one account, one token";
    sc_blind_rsa_key *key = small_key();
    sc_blind_rsa_key *other = small_key();
    uint8_t blinded[256];
    uint8_t inverse[256];
    uint8_t blind_signature[256];
    uint8_t signature[256];
    assert_int_equal(sc_blind_rsa_blind(key, message, sizeof message, blinded, inverse), SC_OK);
    assert_int_equal(sc_blind_rsa_sign(key, blinded, blind_signature), SC_OK);
    assert_int_equal(
        sc_blind_rsa_finalize(key, message, sizeof message, blind_signature, inverse, signature),
        SC_OK);
    assert_int_equal(sc_blind_rsa_verify(key, message, sizeof message - 1, signature), SC_EPARSE);
    assert_int_equal(sc_blind_rsa_verify(other, message, sizeof message, signature), SC_EPARSE);
    for (size_t bit = 0; bit < 2048; bit += 37) {
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(sc_blind_rsa_verify(key, message, sizeof message, signature), SC_EPARSE);
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    memset(signature, 0x5a, sizeof signature);
    blind_signature[9] ^= 4;
    assert_int_equal(
        sc_blind_rsa_finalize(key, message, sizeof message, blind_signature, inverse, signature),
        SC_EPARSE);
    assert_int_equal(signature[0], 0x5a);
    // Nothing of that is left for the connection that the thread serves next.
    assert_int_equal(ERR_peek_error(), 0);
    sc_blind_rsa_key_free(key);
    sc_blind_rsa_key_free(other);
}

static void test_numbers_that_are_too_large_are_not_signed(void **state)
{
    (void)state;
    sc_blind_rsa_key *key = small_key();
    uint8_t spki[SC_BLIND_RSA_SPKI_SIZE];
    uint8_t number_sent[256];
    uint8_t out[256];
    assert_int_equal(sc_blind_rsa_to_spki(key, spki), SC_OK);
    const uint8_t *modulus = spki + SC_BLIND_RSA_SPKI_SIZE - 5 - 256;
    memset(number_sent, 0xff, sizeof number_sent);
    assert_int_equal(sc_blind_rsa_sign(key, number_sent, out), SC_EPARSE);
    memcpy(number_sent, modulus, sizeof number_sent);
    assert_int_equal(sc_blind_rsa_sign(key, number_sent, out), SC_EPARSE);
    number_sent[255] -= 1;  // a modulus is odd
    assert_int_equal(sc_blind_rsa_sign(key, number_sent, out), SC_OK);
    sc_blind_rsa_key_free(key);
}

static void test_a_factor_without_an_inverse_is_drawn_again(void **state)
{
    (void)state;
    sc_blind_rsa_key *key = small_key();
    const uint8_t salt[SC_BLIND_RSA_SALT_SIZE] = {0};
    uint8_t factor[256] = {0};
    uint8_t blinded[256];
    uint8_t inverse[256];
    assert_int_equal(sc__blind_rsa_blind_with(key, factor, 1, salt, factor, blinded, inverse),
                     SC_ELIMIT);
    memset(factor, 0xff, sizeof factor);
    assert_int_equal(sc__blind_rsa_blind_with(key, factor, 1, salt, factor, blinded, inverse),
                     SC_ELIMIT);
    sc_blind_rsa_key_free(key);
}

/** A power of 3 has no inverse for a third of all numbers: a message that is one of them shows that
 * the key is none, a factor is drawn again. */
static void test_a_key_that_is_no_product_of_two_primes_is_noticed(void **state)
{
    (void)state;
    uint8_t n[256];
    uint8_t blinded[256];
    uint8_t inverse[256];
    const uint8_t e[] = {1, 0, 1};
    sc_blind_rsa_key *key = NULL;
    BN_CTX *context = BN_CTX_new();
    BIGNUM *three = BN_new();
    BIGNUM *power = BN_new();
    BIGNUM *exponent = BN_new();
    BN_set_word(three, 3);
    BN_set_word(exponent, 1292);
    assert_int_equal(BN_exp(power, three, exponent, context), 1);
    assert_int_equal(BN_bn2binpad(power, n, sizeof n), 256);
    assert_int_equal(sc_blind_rsa_from_numbers(n, sizeof n, e, sizeof e, &key), SC_OK);
    size_t noticed = 0;
    for (uint8_t i = 0; i < 64; i++) {
        const sc_err err = sc_blind_rsa_blind(key, &i, 1, blinded, inverse);
        assert_true(err == SC_OK || err == SC_EINVAL);
        if (err) noticed++;
    }
    assert_in_range(noticed, 1, 63);
    sc_blind_rsa_key_free(key);
    BN_free(three);
    BN_free(power);
    BN_free(exponent);
    BN_CTX_free(context);
}

static void test_keys_are_read_as_they_were_written(void **state)
{
    (void)state;
    sc_blind_rsa_key *key = small_key();
    sc_blind_rsa_key *read = NULL;
    uint8_t spki[SC_BLIND_RSA_SPKI_SIZE];
    uint8_t again[SC_BLIND_RSA_SPKI_SIZE];
    char pem[SC_BLIND_RSA_PEM_MAX];
    assert_int_equal(sc_blind_rsa_to_spki(key, spki), SC_OK);
    const size_t size = sc_blind_rsa_to_pem(key, pem);
    assert_true(size > 1000);
    assert_int_equal(sc_blind_rsa_from_pem(pem, size, &read), SC_OK);
    assert_true(sc_blind_rsa_is_secret(read));
    assert_int_equal(sc_blind_rsa_to_spki(read, again), SC_OK);
    assert_memory_equal(again, spki, sizeof spki);
    sc_blind_rsa_key_free(read);
    assert_int_equal(sc_blind_rsa_from_spki(spki, sizeof spki, &read), SC_OK);
    assert_false(sc_blind_rsa_is_secret(read));
    assert_int_equal(sc_blind_rsa_to_pem(read, pem), 0);
    assert_int_equal(sc_blind_rsa_sign(read, spki, again), SC_EINVAL);
    assert_int_equal(sc_blind_rsa_to_spki(read, again), SC_OK);
    assert_memory_equal(again, spki, sizeof spki);
    sc_blind_rsa_key_free(read);
    // OpenSSL takes the form for what the RFC says that it is.
    const uint8_t *bytes = spki;
    EVP_PKEY *pkey = d2i_PUBKEY(NULL, &bytes, sizeof spki);
    assert_non_null(pkey);
    assert_int_equal(EVP_PKEY_is_a(pkey, "RSA-PSS"), 1);
    EVP_PKEY_free(pkey);
    sc_blind_rsa_key_free(key);
}

static void test_keys_that_are_none_are_refused(void **state)
{
    (void)state;
    sc_blind_rsa_key *key = small_key();
    sc_blind_rsa_key *read = NULL;
    uint8_t spki[SC_BLIND_RSA_SPKI_SIZE];
    const uint8_t e[] = {1, 0, 1};
    assert_int_equal(sc_blind_rsa_to_spki(key, spki), SC_OK);
    const uint8_t *n = spki + SC_BLIND_RSA_SPKI_SIZE - 5 - 256;
    assert_int_equal(sc_blind_rsa_from_spki(spki, sizeof spki - 1, &read), SC_EPARSE);
    for (size_t i = 0; i < sizeof spki; i += i == 80 ? 256 : 1) {
        const bool is_modulus = i >= sizeof spki - 5 - 256 && i < sizeof spki - 5;
        spki[i] ^= 0x80;
        if (!is_modulus || i == sizeof spki - 5 - 256) {
            assert_int_equal(sc_blind_rsa_from_spki(spki, sizeof spki, &read), SC_EPARSE);
        }
        spki[i] ^= 0x80;
    }
    assert_int_equal(sc_blind_rsa_from_numbers(n, 255, e, 3, &read), SC_EPARSE);
    assert_int_equal(sc_blind_rsa_from_numbers(n, 256, e, 1, &read), SC_EPARSE);  // 1
    assert_int_equal(sc_blind_rsa_from_numbers(n, 256, e, 2, &read), SC_EPARSE);  // even
    assert_int_equal(sc_blind_rsa_from_numbers(n, 600, e, 3, &read), SC_EPARSE);
    assert_int_equal(sc_blind_rsa_from_pem("", 0, &read), SC_EPARSE);
    assert_int_equal(sc_blind_rsa_from_pem("-----BEGIN PRIVATE KEY-----\n", 28, &read), SC_EPARSE);
    assert_int_equal(sc_blind_rsa_generate(128, &read), SC_EINVAL);
    assert_null(read);
    assert_int_equal(ERR_peek_error(), 0);
    sc_blind_rsa_key_free(key);
    sc_blind_rsa_key_free(NULL);
}

static void test_keys_without_memory(void **state)
{
    (void)state;
    sc_blind_rsa_key *key = small_key();
    uint8_t spki[SC_BLIND_RSA_SPKI_SIZE];
    assert_int_equal(sc_blind_rsa_to_spki(key, spki), SC_OK);
    sc_blind_rsa_key_free(key);
    FOR_EACH_FAILURE(n)
    {
        key = NULL;
        const sc_err err = sc_blind_rsa_from_spki(spki, sizeof spki, &key);
        if (!oom_happened()) break;
        assert_int_equal(err, SC_ENOMEM);
        assert_null(key);
    }
    sc_blind_rsa_key_free(key);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_deterministic_variant_is_that_of_the_rfc),
    cmocka_unit_test(test_the_randomized_variant_is_that_of_the_rfc),
    cmocka_unit_test(test_what_a_signer_sees_is_never_the_same),
    cmocka_unit_test(test_what_was_not_signed_does_not_verify),
    cmocka_unit_test(test_numbers_that_are_too_large_are_not_signed),
    cmocka_unit_test(test_a_factor_without_an_inverse_is_drawn_again),
    cmocka_unit_test(test_a_key_that_is_no_product_of_two_primes_is_noticed),
    cmocka_unit_test(test_keys_are_read_as_they_were_written),
    cmocka_unit_test(test_keys_that_are_none_are_refused),
    cmocka_unit_test(test_keys_without_memory),
};
SC_SUITE_WITH(tests, begin, NULL)
