// Oblivious HTTP: key configurations, sealed requests, sealed responses. Sections are those of
// RFC 9458.
#include "oblivious/oblivious_http.h"

#include "oblivious/hkdf.h"

#include <sodium.h>
#include <string.h>

static void put_u16(uint8_t *out, unsigned value)
{
    out[0] = (uint8_t)(value >> 8);
    out[1] = (uint8_t)value;
}

static unsigned get_u16(const uint8_t *bytes)
{
    return (unsigned)bytes[0] << 8 | bytes[1];
}

// --- Key configurations (3.1, 3.2) ---------------------------------------------------------------

/** Where the parts of a configuration begin. */
enum {
    CONFIG_KEM = 1,
    CONFIG_KEY = CONFIG_KEM + 2,
    CONFIG_SUITES_SIZE = CONFIG_KEY + SC_HPKE_KEY_SIZE,
    CONFIG_SUITES = CONFIG_SUITES_SIZE + 2,
    SUITE_SIZE = 4,
    CONFIG_MIN = CONFIG_KEY + 1 + 2 + SUITE_SIZE,  ///< with the shortest key of any KEM
};

static size_t encode_config(const sc_ohttp_config *config, uint8_t *out)
{
    out[0] = config->key_id;
    put_u16(out + CONFIG_KEM, SC_HPKE_KEM_X25519);
    memcpy(out + CONFIG_KEY, config->public_key, SC_HPKE_KEY_SIZE);
    put_u16(out + CONFIG_SUITES_SIZE, (unsigned)(SUITE_SIZE * config->aead_count));
    for (size_t i = 0; i < config->aead_count; i++) {
        put_u16(out + CONFIG_SUITES + SUITE_SIZE * i, SC_HPKE_KDF_HKDF_SHA256);
        put_u16(out + CONFIG_SUITES + SUITE_SIZE * i + 2, (unsigned)config->aeads[i]);
    }
    return CONFIG_SUITES + SUITE_SIZE * config->aead_count;
}

size_t sc_ohttp_configs_encode(const sc_ohttp_config *configs, size_t count, uint8_t *out)
{
    uint8_t *p = out;
    for (size_t i = 0; i < count; i++) {
        const size_t size = encode_config(&configs[i], p + 2);
        put_u16(p, (unsigned)size);
        p += 2 + size;
    }
    return (size_t)(p - out);
}

/** One configuration of exactly `size` bytes. Returns false for an error in it; it can be used if
 * it has an AEAD. */
static bool parse_config(const uint8_t *bytes, size_t size, sc_ohttp_config *out)
{
    *out = (sc_ohttp_config){0};
    if (size < CONFIG_MIN) return false;
    // Of another KEM the size of the key is not known, so nothing behind it can be checked.
    if (get_u16(bytes + CONFIG_KEM) != SC_HPKE_KEM_X25519) return true;
    if (size < CONFIG_SUITES + SUITE_SIZE) return false;
    const size_t suites = get_u16(bytes + CONFIG_SUITES_SIZE);
    if (suites != size - CONFIG_SUITES || suites % SUITE_SIZE != 0) return false;
    out->key_id = bytes[0];
    memcpy(out->public_key, bytes + CONFIG_KEY, SC_HPKE_KEY_SIZE);
    for (const uint8_t *suite = bytes + CONFIG_SUITES; suite < bytes + size; suite += SUITE_SIZE) {
        const unsigned aead = get_u16(suite + 2);
        if (get_u16(suite) != SC_HPKE_KDF_HKDF_SHA256 || !sc_aead_is_known(aead)) continue;
        const bool is_again = out->aead_count > 0 && (unsigned)out->aeads[0] == aead;
        if (is_again || out->aead_count == SC_OHTTP_AEADS_MAX) continue;
        out->aeads[out->aead_count++] = (sc_aead)aead;
    }
    return true;
}

sc_err sc_ohttp_configs_parse(const uint8_t *bytes, size_t size, sc_ohttp_config *out, size_t room,
                              size_t *count)
{
    if (size == 0) return SC_EPARSE;  // "one or more" (3.2)
    if (size > SC_OHTTP_LIST_MAX) return SC_ELIMIT;
    // Twice, so that a list with an error in it sets nothing.
    for (int is_checked = 0; is_checked < 2; is_checked++) {
        size_t usable = 0;
        for (size_t at = 0; at < size;) {
            if (size - at < 2) return SC_EPARSE;
            const size_t config_size = get_u16(bytes + at);
            sc_ohttp_config config;
            at += 2;
            if (config_size > size - at || !parse_config(bytes + at, config_size, &config)) {
                return SC_EPARSE;
            }
            at += config_size;
            if (config.aead_count == 0 || usable == room) continue;
            if (is_checked) out[usable] = config;
            usable++;
        }
        if (is_checked) *count = usable;
    }
    return SC_OK;
}

// --- Requests (4.1, 4.3) -------------------------------------------------------------------------

static const char request_label[] = "message/bhttp request";
static const char response_label[] = "message/bhttp response";

/** The label with its zero byte, then the header. */
enum { INFO_SIZE = sizeof request_label + SC_OHTTP_HEADER_SIZE };

static void make_info(const uint8_t header[SC_OHTTP_HEADER_SIZE], uint8_t info[INFO_SIZE])
{
    memcpy(info, request_label, sizeof request_label);
    memcpy(info + sizeof request_label, header, SC_OHTTP_HEADER_SIZE);
}

static bool has_aead(const sc_ohttp_config *config, unsigned aead)
{
    for (size_t i = 0; i < config->aead_count; i++) {
        if ((unsigned)config->aeads[i] == aead) return true;
    }
    return false;
}

size_t sc_ohttp_padded_size(size_t size)
{
    enum { SMALLEST = 1024, STEP = 4 };
    size_t padded = SMALLEST;
    while (padded < size && padded <= SC_AEAD_SIZE_MAX) {
        padded *= STEP;
    }
    return padded < size ? size : padded;
}

sc_err sc_ohttp_seal_request(const sc_ohttp_config *config, sc_aead aead,
                             const uint8_t random[SC_HPKE_KEY_SIZE], const uint8_t *request,
                             size_t size, uint8_t *out, sc_ohttp_exchange *exchange)
{
    if (!has_aead(config, aead)) return SC_EINVAL;
    uint8_t info[INFO_SIZE];
    sc_ohttp_exchange made = {0};
    out[0] = config->key_id;
    put_u16(out + 1, SC_HPKE_KEM_X25519);
    put_u16(out + 3, SC_HPKE_KDF_HKDF_SHA256);
    put_u16(out + 5, (unsigned)aead);
    make_info(out, info);
    sc_err err = sc_hpke_setup_sender(aead, config->public_key, info, sizeof info, random, made.enc,
                                      &made.context);
    if (!err) {
        memcpy(out + SC_OHTTP_HEADER_SIZE, made.enc, sizeof made.enc);
        err = sc_hpke_seal(&made.context, NULL, 0, request, size,
                           out + SC_OHTTP_HEADER_SIZE + SC_HPKE_KEY_SIZE);
    }
    if (!err) *exchange = made;
    sc_ohttp_exchange_wipe(&made);
    return err;
}

sc_err sc_ohttp_request_key_id(const uint8_t *bytes, size_t size, uint8_t *key_id)
{
    if (size < SC_OHTTP_REQUEST_EXTRA) return SC_EPARSE;
    *key_id = bytes[0];
    return SC_OK;
}

sc_err sc_ohttp_open_request(const sc_ohttp_config *config,
                             const uint8_t secret_key[SC_HPKE_KEY_SIZE], const uint8_t *bytes,
                             size_t size, uint8_t *out, size_t *out_size,
                             sc_ohttp_exchange *exchange)
{
    if (size < SC_OHTTP_REQUEST_EXTRA) return SC_EPARSE;
    const unsigned aead = get_u16(bytes + 5);
    if (bytes[0] != config->key_id || get_u16(bytes + 1) != SC_HPKE_KEM_X25519 ||
        get_u16(bytes + 3) != SC_HPKE_KDF_HKDF_SHA256 || !has_aead(config, aead)) {
        return SC_EUNKNOWN;
    }
    const size_t head = SC_OHTTP_HEADER_SIZE + SC_HPKE_KEY_SIZE;
    uint8_t info[INFO_SIZE];
    sc_ohttp_exchange made = {0};
    make_info(bytes, info);
    memcpy(made.enc, bytes + SC_OHTTP_HEADER_SIZE, sizeof made.enc);
    sc_err err = sc_hpke_setup_recipient((sc_aead)aead, made.enc, secret_key, config->public_key,
                                         info, sizeof info, &made.context);
    if (err) err = SC_EPARSE;  // a point of low order is no enc
    if (!err) err = sc_hpke_open(&made.context, NULL, 0, bytes + head, size - head, out);
    if (!err) {
        *out_size = size - SC_OHTTP_REQUEST_EXTRA;
        *exchange = made;
    }
    sc_ohttp_exchange_wipe(&made);
    return err;
}

// --- Responses (4.2, 4.4) ------------------------------------------------------------------------

/** max(Nn, Nk): 16 with AES-128-GCM, 32 with ChaCha20-Poly1305. */
static size_t nonce_size(const sc_ohttp_exchange *exchange)
{
    const size_t key_size = sc_aead_key_size(exchange->context.aead);
    return key_size > SC_AEAD_NONCE_SIZE ? key_size : (size_t)SC_AEAD_NONCE_SIZE;
}

size_t sc_ohttp_response_extra(const sc_ohttp_exchange *exchange)
{
    return nonce_size(exchange) + SC_AEAD_TAG_SIZE;
}

/** What a response is sealed with. */
typedef struct response_keys {
    uint8_t key[SC_AEAD_KEY_MAX];
    uint8_t nonce[SC_AEAD_NONCE_SIZE];
} response_keys;

/** Keys of the secret that both sides export, salted with enc and the response's own nonce: a
 * request that is replayed is answered under other keys. */
static void derive_response_keys(const sc_ohttp_exchange *exchange, const uint8_t *response_nonce,
                                 response_keys *out)
{
    const size_t size = nonce_size(exchange);
    uint8_t secret[SC_OHTTP_NONCE_MAX];
    uint8_t salt[SC_HPKE_KEY_SIZE + SC_OHTTP_NONCE_MAX];
    uint8_t prk[SC_HKDF_SIZE];
    sc_hpke_export(&exchange->context, response_label, strlen(response_label), secret, size);
    memcpy(salt, exchange->enc, SC_HPKE_KEY_SIZE);
    memcpy(salt + SC_HPKE_KEY_SIZE, response_nonce, size);
    sc_hkdf_extract(salt, SC_HPKE_KEY_SIZE + size, &(sc_hkdf_part){secret, size}, 1, prk);
    sc_hkdf_expand(prk, &(sc_hkdf_part){"key", 3}, 1, out->key,
                   sc_aead_key_size(exchange->context.aead));
    sc_hkdf_expand(prk, &(sc_hkdf_part){"nonce", 5}, 1, out->nonce, sizeof out->nonce);
    sodium_memzero(secret, sizeof secret);
    sodium_memzero(prk, sizeof prk);
}

sc_err sc_ohttp_seal_response(const sc_ohttp_exchange *exchange,
                              const uint8_t random[SC_OHTTP_NONCE_MAX], const uint8_t *response,
                              size_t size, uint8_t *out)
{
    response_keys keys;
    const size_t head = nonce_size(exchange);
    derive_response_keys(exchange, random, &keys);
    const sc_err err = sc_aead_seal(exchange->context.aead, keys.key, keys.nonce, NULL, 0, response,
                                    size, out + head);
    memcpy(out, random, head);
    sodium_memzero(&keys, sizeof keys);
    return err;
}

sc_err sc_ohttp_open_response(const sc_ohttp_exchange *exchange, const uint8_t *bytes, size_t size,
                              uint8_t *out, size_t *out_size)
{
    const size_t head = nonce_size(exchange);
    if (size < head + SC_AEAD_TAG_SIZE) return SC_EPARSE;
    response_keys keys;
    derive_response_keys(exchange, bytes, &keys);
    const sc_err err = sc_aead_open(exchange->context.aead, keys.key, keys.nonce, NULL, 0,
                                    bytes + head, size - head, out);
    if (!err) *out_size = size - head - SC_AEAD_TAG_SIZE;
    sodium_memzero(&keys, sizeof keys);
    return err;
}

void sc_ohttp_exchange_wipe(sc_ohttp_exchange *exchange)
{
    sodium_memzero(exchange, sizeof *exchange);
}
