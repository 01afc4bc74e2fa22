// HPKE: the RFC's own numbers, and what must not open.
#include "oblivious/hkdf.h"
#include "oblivious/hpke.h"

#include "support/check.h"
#include "vectors.h"

#include <sodium.h>

static const char file[] = "hpke.txt";
static const char *const sections[] = {"A.1.1", "A.2.1"};
enum { SECTIONS = 2 };

static int begin(void **state)
{
    (void)state;
    return sodium_init() < 0 ? -1 : 0;
}

static sc_aead aead_of(const char *section)
{
    vector *v = vector_read(file, section, "aead");
    const sc_aead aead = (sc_aead)v->bytes[1];
    free(v);
    return aead;
}

// --- RFC 9180, appendix A ------------------------------------------------------------------------

static void test_key_pairs_are_derived_as_the_rfc_does(void **state)
{
    (void)state;
    static const char *const pairs[][3] = {{"ikmE", "skEm", "pkEm"}, {"ikmR", "skRm", "pkRm"}};
    for (size_t s = 0; s < SECTIONS; s++) {
        for (size_t i = 0; i < 2; i++) {
            uint8_t secret[SC_HPKE_KEY_SIZE];
            uint8_t public[SC_HPKE_KEY_SIZE];
            vector *ikm = vector_read(file, sections[s], pairs[i][0]);
            sc_hpke_derive_key_pair(ikm->bytes, ikm->size, secret, public);
            vector_check(file, sections[s], pairs[i][1], secret, sizeof secret);
            vector_check(file, sections[s], pairs[i][2], public, sizeof public);
            sc_hpke_public_key(secret, public);
            vector_check(file, sections[s], pairs[i][2], public, sizeof public);
            free(ikm);
        }
    }
}

typedef struct both {
    sc_hpke_context sender;
    sc_hpke_context recipient;
    uint8_t enc[SC_HPKE_KEY_SIZE];
} both;

static both set_up(const char *section)
{
    both b;
    const sc_aead aead = aead_of(section);
    vector *info = vector_read(file, section, "info");
    vector *ephemeral = vector_read(file, section, "skEm");
    vector *public = vector_read(file, section, "pkRm");
    vector *secret = vector_read(file, section, "skRm");
    assert_int_equal(sc_hpke_setup_sender(aead, public->bytes, info->bytes, info->size,
                                          ephemeral->bytes, b.enc, &b.sender),
                     SC_OK);
    assert_int_equal(sc_hpke_setup_recipient(aead, b.enc, secret->bytes, public->bytes, info->bytes,
                                             info->size, &b.recipient),
                     SC_OK);
    free(info);
    free(ephemeral);
    free(public);
    free(secret);
    return b;
}

static void test_both_sides_have_the_keys_of_the_rfc(void **state)
{
    (void)state;
    for (size_t s = 0; s < SECTIONS; s++) {
        const both b = set_up(sections[s]);
        const sc_hpke_context *sides[] = {&b.sender, &b.recipient};
        vector_check(file, sections[s], "enc", b.enc, sizeof b.enc);
        for (size_t i = 0; i < 2; i++) {
            vector_check(file, sections[s], "key", sides[i]->key, sc_aead_key_size(sides[i]->aead));
            vector_check(file, sections[s], "base_nonce", sides[i]->base_nonce,
                         sizeof sides[i]->base_nonce);
            vector_check(file, sections[s], "exporter_secret", sides[i]->exporter_secret,
                         sizeof sides[i]->exporter_secret);
        }
    }
}

static void test_messages_are_sealed_and_opened_as_in_the_rfc(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"aad0", "ct0"}, {"aad1", "ct1"}, {"aad2", "ct2"}};
    for (size_t s = 0; s < SECTIONS; s++) {
        both b = set_up(sections[s]);
        vector *text = vector_read(file, sections[s], "pt");
        for (size_t i = 0; i < 3; i++) {
            uint8_t sealed[128];
            vector *aad = vector_read(file, sections[s], names[i][0]);
            assert_int_equal(
                sc_hpke_seal(&b.sender, aad->bytes, aad->size, text->bytes, text->size, sealed),
                SC_OK);
            vector_check(file, sections[s], names[i][1], sealed, text->size + SC_AEAD_TAG_SIZE);
            // In its own place.
            assert_int_equal(sc_hpke_open(&b.recipient, aad->bytes, aad->size, sealed,
                                          text->size + SC_AEAD_TAG_SIZE, sealed),
                             SC_OK);
            assert_memory_equal(sealed, text->bytes, text->size);
            free(aad);
        }
        free(text);
    }
}

static void test_exports_are_those_of_the_rfc(void **state)
{
    (void)state;
    for (size_t s = 0; s < SECTIONS; s++) {
        const both b = set_up(sections[s]);
        uint8_t out[32];
        sc_hpke_export(&b.sender, "", 0, out, sizeof out);
        vector_check(file, sections[s], "export0", out, sizeof out);
        sc_hpke_export(&b.recipient, "\0", 1, out, sizeof out);
        vector_check(file, sections[s], "export1", out, sizeof out);
        sc_hpke_export(&b.recipient, "TestContext", 11, out, sizeof out);
        vector_check(file, sections[s], "export2", out, sizeof out);
    }
}

// --- What must not open --------------------------------------------------------------------------

static void test_nothing_that_was_changed_opens(void **state)
{
    (void)state;
    static const uint8_t text[] = "beauty is truth";
    for (size_t s = 0; s < SECTIONS; s++) {
        both b = set_up(sections[s]);
        uint8_t sealed[sizeof text + SC_AEAD_TAG_SIZE];
        uint8_t opened[sizeof text];
        assert_int_equal(sc_hpke_seal(&b.sender, "a", 1, text, sizeof text, sealed), SC_OK);
        for (size_t bit = 0; bit < 8 * sizeof sealed; bit++) {
            sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
            memset(opened, 'x', sizeof opened);
            assert_int_equal(sc_hpke_open(&b.recipient, "a", 1, sealed, sizeof sealed, opened),
                             SC_EPARSE);
            assert_null(memmem(opened, sizeof opened, "truth", 5));
            sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        for (size_t size = 0; size < sizeof sealed; size++) {
            assert_int_equal(sc_hpke_open(&b.recipient, "a", 1, sealed, size, opened), SC_EPARSE);
        }
        assert_int_equal(sc_hpke_open(&b.recipient, "b", 1, sealed, sizeof sealed, opened),
                         SC_EPARSE);
        assert_int_equal(sc_hpke_open(&b.recipient, "", 0, sealed, sizeof sealed, opened),
                         SC_EPARSE);
        // All those attempts have not moved the recipient on.
        assert_int_equal(sc_hpke_open(&b.recipient, "a", 1, sealed, sizeof sealed, opened), SC_OK);
        assert_memory_equal(opened, text, sizeof text);
        assert_int_equal(sc_hpke_open(&b.recipient, "a", 1, sealed, sizeof sealed, opened),
                         SC_EPARSE);
    }
}

static void test_an_empty_message_can_be_sealed(void **state)
{
    (void)state;
    for (size_t s = 0; s < SECTIONS; s++) {
        both b = set_up(sections[s]);
        uint8_t sealed[SC_AEAD_TAG_SIZE];
        assert_int_equal(sc_hpke_seal(&b.sender, NULL, 0, NULL, 0, sealed), SC_OK);
        assert_int_equal(sc_hpke_open(&b.recipient, NULL, 0, sealed, sizeof sealed, NULL), SC_OK);
    }
}

static void test_a_point_of_low_order_is_refused_by_both_sides(void **state)
{
    (void)state;
    // 0, 1 and a point of order 8: X25519 gives zero for each, whatever the secret key.
    static const char *const points[] = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"};
    uint8_t own[SC_HPKE_KEY_SIZE] = {1, 2, 3};
    uint8_t enc[SC_HPKE_KEY_SIZE];
    sc_hpke_context context;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        vector *point = vector_of_hex(points[i]);
        assert_int_equal(
            sc_hpke_setup_sender(SC_AEAD_AES_128_GCM, point->bytes, "", 0, own, enc, &context),
            SC_EINVAL);
        assert_int_equal(
            sc_hpke_setup_recipient(SC_AEAD_AES_128_GCM, point->bytes, own, own, "", 0, &context),
            SC_EINVAL);
        free(point);
    }
}

static void test_a_context_ends_before_a_nonce_returns(void **state)
{
    (void)state;
    both b = set_up(sections[0]);
    uint8_t sealed[SC_AEAD_TAG_SIZE];
    b.sender.sequence = UINT64_MAX - 1;
    assert_int_equal(sc_hpke_seal(&b.sender, NULL, 0, NULL, 0, sealed), SC_OK);
    assert_int_equal(sc_hpke_seal(&b.sender, NULL, 0, NULL, 0, sealed), SC_ELIMIT);
    b.recipient.sequence = UINT64_MAX;
    assert_int_equal(sc_hpke_open(&b.recipient, NULL, 0, sealed, sizeof sealed, NULL), SC_ELIMIT);
}

static void test_nothing_stays_in_a_wiped_context(void **state)
{
    (void)state;
    both b = set_up(sections[0]);
    const sc_hpke_context empty = {0};
    sc_hpke_context_wipe(&b.sender);
    assert_memory_equal(&b.sender, &empty, sizeof empty);
}

// --- HKDF ----------------------------------------------------------------------------------------

static void test_hkdf_is_that_of_rfc_5869(void **state)
{
    (void)state;
    // A.1: with a salt and info; the output ends within a block. A.3: without either.
    uint8_t prk[SC_HKDF_SIZE];
    uint8_t out[42];
    uint8_t ikm[22];
    memset(ikm, 0x0b, sizeof ikm);
    vector *salt = vector_of_hex("000102030405060708090a0b0c");
    vector *info = vector_of_hex("f0f1f2f3f4f5f6f7f8f9");
    vector *first = vector_of_hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                                  "34007208d5b887185865");
    vector *third = vector_of_hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
                                  "9d201395faa4b61a96c8");
    // Parts are one text, wherever it is cut.
    const sc_hkdf_part parts[] = {{ikm, 5}, {ikm, 0}, {ikm + 5, sizeof ikm - 5}};
    sc_hkdf_extract(salt->bytes, salt->size, parts, 3, prk);
    const sc_hkdf_part infos[] = {{info->bytes, 3}, {info->bytes + 3, info->size - 3}};
    sc_hkdf_expand(prk, infos, 2, out, sizeof out);
    assert_memory_equal(out, first->bytes, sizeof out);
    sc_hkdf_extract(NULL, 0, parts, 3, prk);
    sc_hkdf_expand(prk, NULL, 0, out, sizeof out);
    assert_memory_equal(out, third->bytes, sizeof out);
    free(salt);
    free(info);
    free(first);
    free(third);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_key_pairs_are_derived_as_the_rfc_does),
    cmocka_unit_test(test_both_sides_have_the_keys_of_the_rfc),
    cmocka_unit_test(test_messages_are_sealed_and_opened_as_in_the_rfc),
    cmocka_unit_test(test_exports_are_those_of_the_rfc),
    cmocka_unit_test(test_nothing_that_was_changed_opens),
    cmocka_unit_test(test_an_empty_message_can_be_sealed),
    cmocka_unit_test(test_a_point_of_low_order_is_refused_by_both_sides),
    cmocka_unit_test(test_a_context_ends_before_a_nonce_returns),
    cmocka_unit_test(test_nothing_stays_in_a_wiped_context),
    cmocka_unit_test(test_hkdf_is_that_of_rfc_5869),
};
SC_SUITE_WITH(tests, begin, NULL)
