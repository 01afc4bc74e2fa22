// Oblivious HTTP: the RFC's example, both AEADs, and what must not open.
#include "oblivious/oblivious_http.h"

#include "support/check.h"
#include "vectors.h"

#include <sodium.h>

static const char file[] = "oblivious_http.txt";

static int begin(void **state)
{
    (void)state;
    return sodium_init() < 0 ? -1 : 0;
}

// --- RFC 9458, appendix A ------------------------------------------------------------------------

/** The key of the example, read from what its gateway publishes. */
static sc_ohttp_config example_config(void)
{
    sc_ohttp_config config;
    size_t count = 0;
    uint8_t list[64];
    vector *v = vector_read(file, "A", "config");
    list[0] = 0;
    list[1] = (uint8_t)v->size;
    memcpy(list + 2, v->bytes, v->size);
    assert_int_equal(sc_ohttp_configs_parse(list, 2 + v->size, &config, 1, &count), SC_OK);
    assert_int_equal(count, 1);
    free(v);
    return config;
}

static void test_the_configuration_of_the_rfc_is_read_and_written(void **state)
{
    (void)state;
    const sc_ohttp_config config = example_config();
    uint8_t public[SC_HPKE_KEY_SIZE];
    uint8_t again[2 + SC_OHTTP_CONFIG_SIZE];
    vector *secret = vector_read(file, "A", "secret_key");
    sc_hpke_public_key(secret->bytes, public);
    assert_int_equal(config.key_id, 1);
    assert_memory_equal(config.public_key, public, sizeof public);
    assert_int_equal(config.aead_count, 2);
    assert_int_equal(config.aeads[0], SC_AEAD_AES_128_GCM);
    assert_int_equal(config.aeads[1], SC_AEAD_CHACHA20_POLY1305);
    const size_t size = sc_ohttp_configs_encode(&config, 1, again);
    assert_int_equal(again[0], 0);
    assert_int_equal(again[1], size - 2);
    vector_check(file, "A", "config", again + 2, size - 2);
    free(secret);
}

static void test_the_exchange_of_the_rfc_is_sealed_and_opened(void **state)
{
    (void)state;
    const sc_ohttp_config config = example_config();
    sc_ohttp_exchange client;
    sc_ohttp_exchange gateway;
    uint8_t sealed[128];
    uint8_t opened[128];
    size_t size = 0;
    vector *request = vector_read(file, "A", "request");
    vector *ephemeral = vector_read(file, "A", "ephemeral");
    vector *secret = vector_read(file, "A", "secret_key");
    assert_int_equal(sc_ohttp_seal_request(&config, SC_AEAD_AES_128_GCM, ephemeral->bytes,
                                           request->bytes, request->size, sealed, &client),
                     SC_OK);
    const size_t sealed_size = request->size + SC_OHTTP_REQUEST_EXTRA;
    vector_check(file, "A", "sealed_request", sealed, sealed_size);
    vector_check(file, "A", "enc", client.enc, sizeof client.enc);
    assert_int_equal(
        sc_ohttp_open_request(&config, secret->bytes, sealed, sealed_size, opened, &size, &gateway),
        SC_OK);
    vector_check(file, "A", "request", opened, size);

    vector *response = vector_read(file, "A", "response");
    vector *nonce = vector_read(file, "A", "response_nonce");
    assert_int_equal(
        sc_ohttp_seal_response(&gateway, nonce->bytes, response->bytes, response->size, sealed),
        SC_OK);
    const size_t response_size = response->size + sc_ohttp_response_extra(&gateway);
    vector_check(file, "A", "sealed_response", sealed, response_size);
    assert_int_equal(sc_ohttp_open_response(&client, sealed, response_size, opened, &size), SC_OK);
    vector_check(file, "A", "response", opened, size);
    free(request);
    free(ephemeral);
    free(secret);
    free(response);
    free(nonce);
}

// --- Requests and responses ----------------------------------------------------------------------

static const uint8_t question[] = "where is the nearest pharmacy?";
static const uint8_t reply[] = "two streets from here";

typedef struct exchange {
    sc_ohttp_config config;
    uint8_t secret[SC_HPKE_KEY_SIZE];
    sc_ohttp_exchange client;
    uint8_t request[sizeof question + SC_OHTTP_REQUEST_EXTRA];
} exchange;

static exchange ask(sc_aead aead, uint8_t number)
{
    exchange e = {.config = {.key_id = 5, .aeads = {aead}, .aead_count = 1}};
    uint8_t random[SC_HPKE_KEY_SIZE] = {0,
                                        number};  // X25519 passes over three bits of the first byte
    memset(e.secret, 7, sizeof e.secret);
    sc_hpke_public_key(e.secret, e.config.public_key);
    assert_int_equal(sc_ohttp_seal_request(&e.config, aead, random, question, sizeof question,
                                           e.request, &e.client),
                     SC_OK);
    return e;
}

static const sc_aead aeads[] = {SC_AEAD_AES_128_GCM, SC_AEAD_CHACHA20_POLY1305};

static void test_both_aeads_carry_both_ways_in_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        exchange e = ask(aeads[i], 1);
        sc_ohttp_exchange gateway;
        const uint8_t random[SC_OHTTP_NONCE_MAX] = {9, 8, 7};
        uint8_t sealed[sizeof reply + SC_OHTTP_RESPONSE_EXTRA_MAX];
        size_t size = 0;
        uint8_t *place = e.request + SC_OHTTP_REQUEST_EXTRA - SC_AEAD_TAG_SIZE;
        assert_int_equal(sc_ohttp_open_request(&e.config, e.secret, e.request, sizeof e.request,
                                               place, &size, &gateway),
                         SC_OK);
        assert_int_equal(size, sizeof question);
        assert_memory_equal(place, question, size);
        const size_t extra = sc_ohttp_response_extra(&gateway);
        assert_int_equal(extra, i == 0 ? 32 : 48);
        assert_int_equal(sc_ohttp_seal_response(&gateway, random, reply, sizeof reply, sealed),
                         SC_OK);
        place = sealed + extra - SC_AEAD_TAG_SIZE;
        assert_int_equal(
            sc_ohttp_open_response(&e.client, sealed, sizeof reply + extra, place, &size), SC_OK);
        assert_int_equal(size, sizeof reply);
        assert_memory_equal(place, reply, size);
    }
}

static void test_a_request_opens_only_as_it_was_sealed(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        exchange e = ask(aeads[i], 1);
        sc_ohttp_exchange gateway;
        uint8_t opened[sizeof question];
        size_t size = 77;
        for (size_t bit = 0; bit < 8 * sizeof e.request; bit++) {
            e.request[bit / 8] ^= (uint8_t)(1 << bit % 8);
            const sc_err err = sc_ohttp_open_request(&e.config, e.secret, e.request,
                                                     sizeof e.request, opened, &size, &gateway);
            // X25519 does not look at the last bit of a point; what is derived of enc does.
            assert_int_equal(err, bit / 8 < SC_OHTTP_HEADER_SIZE ? SC_EUNKNOWN : SC_EPARSE);
            e.request[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        for (size_t cut = 0; cut < sizeof e.request; cut++) {
            assert_int_equal(
                sc_ohttp_open_request(&e.config, e.secret, e.request, cut, opened, &size, &gateway),
                SC_EPARSE);
        }
        assert_int_equal(size, 77);
        e.secret[3] ^= 1;
        assert_int_equal(sc_ohttp_open_request(&e.config, e.secret, e.request, sizeof e.request,
                                               opened, &size, &gateway),
                         SC_EPARSE);
    }
}

static void test_a_response_opens_only_for_its_request(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        exchange first = ask(aeads[i], 1);
        exchange second = ask(aeads[i], 2);
        sc_ohttp_exchange gateway;
        const uint8_t random[SC_OHTTP_NONCE_MAX] = {1};
        uint8_t sealed[sizeof reply + SC_OHTTP_RESPONSE_EXTRA_MAX];
        uint8_t opened[sizeof sealed];
        size_t size = 0;
        assert_int_equal(sc_ohttp_open_request(&first.config, first.secret, first.request,
                                               sizeof first.request, opened, &size, &gateway),
                         SC_OK);
        assert_int_equal(sc_ohttp_seal_response(&gateway, random, reply, sizeof reply, sealed),
                         SC_OK);
        const size_t sealed_size = sizeof reply + sc_ohttp_response_extra(&gateway);
        assert_int_equal(sc_ohttp_open_response(&second.client, sealed, sealed_size, opened, &size),
                         SC_EPARSE);
        for (size_t bit = 0; bit < 8 * sealed_size; bit++) {
            sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_int_equal(
                sc_ohttp_open_response(&first.client, sealed, sealed_size, opened, &size),
                SC_EPARSE);
            sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        for (size_t cut = 0; cut < sealed_size; cut++) {
            assert_int_equal(sc_ohttp_open_response(&first.client, sealed, cut, opened, &size),
                             SC_EPARSE);
        }
        assert_int_equal(sc_ohttp_open_response(&first.client, sealed, sealed_size, opened, &size),
                         SC_OK);
    }
}

static void test_a_request_is_not_sealed_with_what_the_gateway_does_not_take(void **state)
{
    (void)state;
    exchange e = ask(SC_AEAD_AES_128_GCM, 1);
    const uint8_t random[SC_HPKE_KEY_SIZE] = {1};
    assert_int_equal(sc_ohttp_seal_request(&e.config, SC_AEAD_CHACHA20_POLY1305, random, question,
                                           sizeof question, e.request, &e.client),
                     SC_EINVAL);
    memset(e.config.public_key, 0, sizeof e.config.public_key);
    assert_int_equal(sc_ohttp_seal_request(&e.config, SC_AEAD_AES_128_GCM, random, question,
                                           sizeof question, e.request, &e.client),
                     SC_EINVAL);
}

// --- Lists of configurations ---------------------------------------------------------------------

#define KEY32 "31e1f05a740102115220e9af918f738674aec95f54db6e04eb705aae8e798155"

static void check_list(const char *digits, sc_err wanted, size_t wanted_count)
{
    sc_ohttp_config configs[2];
    size_t count = 99;
    vector *v = vector_of_hex(digits);
    uint8_t *bytes = test_take(v->size > 0 ? v->size : 1, 1);
    memcpy(bytes, v->bytes, v->size);
    const sc_err err = sc_ohttp_configs_parse(bytes, v->size, configs, 2, &count);
    if (err != wanted) fail_msg("%s: got %d", digits, err);
    assert_int_equal(count, wanted ? 99 : wanted_count);
    free(bytes);
    free(v);
}

static void test_keys_that_are_not_known_are_passed_over(void **state)
{
    (void)state;
    // Another KEM, whose key has another size; then one of ours.
    check_list("000c 02 ffff 010203 0004 00010001 0029 01 0020" KEY32 "0004 00010001", SC_OK, 1);
    // A suite that is not known before one that is, and another KDF.
    check_list("0031 01 0020" KEY32 "000c 00010002 00020001 00010003", SC_OK, 1);
    check_list("0029 01 0020" KEY32 "0004 00010002", SC_OK, 0);
    // More than there is room for are not kept.
    check_list("0029 01 0020" KEY32 "0004 00010001 0029 02 0020" KEY32
               "0004 00010001 0029 03 0020" KEY32 "0004 00010001",
               SC_OK, 2);
}

static void test_a_suite_that_comes_twice_counts_once(void **state)
{
    (void)state;
    sc_ohttp_config config;
    size_t count = 0;
    vector *v = vector_of_hex("0031 01 0020" KEY32 "000c 00010003 00010003 00010001");
    assert_int_equal(sc_ohttp_configs_parse(v->bytes, v->size, &config, 1, &count), SC_OK);
    assert_int_equal(count, 1);
    assert_int_equal(config.aead_count, 2);
    assert_int_equal(config.aeads[0], SC_AEAD_CHACHA20_POLY1305);
    assert_int_equal(config.aeads[1], SC_AEAD_AES_128_GCM);
    free(v);
}

static void test_a_list_with_an_error_is_refused_as_a_whole(void **state)
{
    (void)state;
    check_list("", SC_EPARSE, 0);
    check_list("00", SC_EPARSE, 0);
    check_list("0000", SC_EPARSE, 0);
    check_list("0029 01 0020" KEY32 "0004 00010001 00", SC_EPARSE, 0);
    check_list("0029 01 0020" KEY32 "0004 000100", SC_EPARSE, 0);
    check_list("002a 01 0020" KEY32 "0004 00010001 00", SC_EPARSE, 0);    // more than its suites
    check_list("0029 01 0020" KEY32 "0008 00010001", SC_EPARSE, 0);       // fewer
    check_list("0025 01 0020" KEY32 "0000", SC_EPARSE, 0);                // none
    check_list("002b 01 0020" KEY32 "0006 00010001 0001", SC_EPARSE, 0);  // half of one
    check_list("0029 01 0020" KEY32 "0004 00010001 0003 010020", SC_EPARSE, 0);
    uint8_t *large = test_take(SC_OHTTP_LIST_MAX + 1, 1);
    size_t count = 0;
    assert_int_equal(sc_ohttp_configs_parse(large, SC_OHTTP_LIST_MAX + 1, NULL, 0, &count),
                     SC_ELIMIT);
    free(large);
}

// --- Padding -------------------------------------------------------------------------------------

static void test_messages_have_few_sizes(void **state)
{
    (void)state;
    static const struct {
        size_t size, padded;
    } rows[] = {{0, 1024},     {1, 1024},      {1024, 1024},    {1025, 4096},        {4096, 4096},
                {4097, 16384}, {65536, 65536}, {65537, 262144}, {SIZE_MAX, SIZE_MAX}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(sc_ohttp_padded_size(rows[i].size), rows[i].padded);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_configuration_of_the_rfc_is_read_and_written),
    cmocka_unit_test(test_the_exchange_of_the_rfc_is_sealed_and_opened),
    cmocka_unit_test(test_both_aeads_carry_both_ways_in_place),
    cmocka_unit_test(test_a_request_opens_only_as_it_was_sealed),
    cmocka_unit_test(test_a_response_opens_only_for_its_request),
    cmocka_unit_test(test_a_request_is_not_sealed_with_what_the_gateway_does_not_take),
    cmocka_unit_test(test_keys_that_are_not_known_are_passed_over),
    cmocka_unit_test(test_a_suite_that_comes_twice_counts_once),
    cmocka_unit_test(test_a_list_with_an_error_is_refused_as_a_whole),
    cmocka_unit_test(test_messages_have_few_sizes),
};
SC_SUITE_WITH(tests, begin, NULL)
