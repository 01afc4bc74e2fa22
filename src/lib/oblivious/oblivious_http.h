/**
 * @file oblivious_http.h
 * @brief Oblivious HTTP (RFC 9458): requests and responses sealed between a client and a gateway,
 * so that the relay between them sees no request, and the gateway sees no client.
 *
 *     client                        relay            gateway
 *     sc_ohttp_seal_request()   --->  bytes  --->    sc_ohttp_open_request()
 *     sc_ohttp_open_response()  <---  bytes  <---    sc_ohttp_seal_response()
 *
 * What is sealed is a message of binary_http.h, padded to sc_ohttp_padded_size(). The gateway's
 * keys are in oblivious_keys.h, and what stops replayed requests in replay_store.h.
 *
 * Nothing here is allocated. Randomness is an argument: 32 bytes that are used once.
 */
#ifndef SC_OBLIVIOUS_OBLIVIOUS_HTTP_H
#define SC_OBLIVIOUS_OBLIVIOUS_HTTP_H

#include "oblivious/hpke.h"

#define SC_OHTTP_KEYS_TYPE "application/ohttp-keys"
#define SC_OHTTP_REQUEST_TYPE "message/ohttp-req"
#define SC_OHTTP_RESPONSE_TYPE "message/ohttp-res"

/** What a gateway answers to a request that no key of its opens (5.3). */
#define SC_OHTTP_KEY_PROBLEM "https://iana.org/assignments/http-problem-types#ohttp-key"

/** What it answers, sealed, to a request whose Date is too far from its own (6.5.2). */
#define SC_OHTTP_DATE_PROBLEM "https://iana.org/assignments/http-problem-types#date"

enum {
    SC_OHTTP_AEADS_MAX = 2,
    SC_OHTTP_CONFIG_SIZE = 1 + 2 + SC_HPKE_KEY_SIZE + 2 + 4 * SC_OHTTP_AEADS_MAX,
    SC_OHTTP_LIST_MAX = 1 << 14,  ///< of an application/ohttp-keys that is read
    SC_OHTTP_HEADER_SIZE = 7,     ///< key, KEM, KDF, AEAD
    SC_OHTTP_REQUEST_EXTRA = SC_OHTTP_HEADER_SIZE + SC_HPKE_KEY_SIZE + SC_AEAD_TAG_SIZE,
    SC_OHTTP_NONCE_MAX = 32,
    SC_OHTTP_RESPONSE_EXTRA_MAX = SC_OHTTP_NONCE_MAX + SC_AEAD_TAG_SIZE,
};

// --- Key configurations (3) ----------------------------------------------------------------------

/** A public key of a gateway and what may be used with it; of DHKEM(X25519), with HKDF-SHA256. */
typedef struct sc_ohttp_config {
    uint8_t key_id;
    uint8_t public_key[SC_HPKE_KEY_SIZE];
    sc_aead aeads[SC_OHTTP_AEADS_MAX];  ///< as the gateway lists them
    size_t aead_count;                  ///< 1 or 2
} sc_ohttp_config;

/** Write `count` configurations as an application/ohttp-keys; each takes at most 2 +
 * SC_OHTTP_CONFIG_SIZE bytes. Returns how many were written. */
size_t sc_ohttp_configs_encode(const sc_ohttp_config *configs, size_t count, uint8_t *out);

/**
 * Read an application/ohttp-keys. Keys of other KEMs, and suites that are not known here, are
 * passed over; a list with any error in it is refused as a whole (3.2), since what different
 * clients make of its rest would tell them apart.
 *
 * @param room   of `out`; further configurations are checked, not kept
 * @param count  set on success, of those that can be used: maybe 0
 * @return SC_OK, SC_EPARSE, SC_ELIMIT (larger than SC_OHTTP_LIST_MAX)
 */
SC_CHECKED sc_err sc_ohttp_configs_parse(const uint8_t *bytes, size_t size, sc_ohttp_config *out,
                                         size_t room, size_t *count);

// --- Requests and responses (4) ------------------------------------------------------------------

/** What both sides keep between a request and its response. Secret: wipe it. */
typedef struct sc_ohttp_exchange {
    sc_hpke_context context;
    uint8_t enc[SC_HPKE_KEY_SIZE];  ///< identifies the request among all others
} sc_ohttp_exchange;

/**
 * The size to which a binary message of `size` bytes is padded: 1, 4, 16, 64, 256 KiB and so on, so
 * that lengths tell no more than this.
 */
size_t sc_ohttp_padded_size(size_t size);

/**
 * The client seals a request (4.3). `out` has room for `size` + SC_OHTTP_REQUEST_EXTRA bytes, all
 * of which are set.
 *
 * @param aead    one of the configuration's
 * @param random  32 random bytes, for this request alone
 * @return SC_OK, SC_EINVAL (the public key is none, or has no such AEAD), SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc_ohttp_seal_request(const sc_ohttp_config *config, sc_aead aead,
                                        const uint8_t random[SC_HPKE_KEY_SIZE],
                                        const uint8_t *request, size_t size, uint8_t *out,
                                        sc_ohttp_exchange *exchange);

/** The number of the key that a request is sealed for, its first byte. SC_EPARSE: it is too short
 * to be a request. */
SC_CHECKED sc_err sc_ohttp_request_key_id(const uint8_t *bytes, size_t size, uint8_t *key_id);

/**
 * The gateway opens a request (4.3) with the secret key of the number that it names. `out` has room
 * for `size` - SC_OHTTP_REQUEST_EXTRA bytes; it is elsewhere, or exactly where the sealed text
 * begins, at `bytes` + SC_OHTTP_REQUEST_EXTRA - SC_AEAD_TAG_SIZE.
 *
 * @param config      what was published of this key
 * @param secret_key  of `config`
 * @return SC_OK, SC_EPARSE (not sealed for this key, or damaged), SC_EUNKNOWN (it names another
 *         key, KEM, KDF or AEAD), SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc_ohttp_open_request(const sc_ohttp_config *config,
                                        const uint8_t secret_key[SC_HPKE_KEY_SIZE],
                                        const uint8_t *bytes, size_t size, uint8_t *out,
                                        size_t *out_size, sc_ohttp_exchange *exchange);

/** What a sealed response has beyond its message. */
size_t sc_ohttp_response_extra(const sc_ohttp_exchange *exchange);

/**
 * The gateway seals a response (4.4). `out` has room for `size` + sc_ohttp_response_extra().
 *
 * @param random  32 random bytes, for this response alone
 * @return SC_OK, SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc_ohttp_seal_response(const sc_ohttp_exchange *exchange,
                                         const uint8_t random[SC_OHTTP_NONCE_MAX],
                                         const uint8_t *response, size_t size, uint8_t *out);

/**
 * The client opens a response (4.4). `out` has room for `size` - sc_ohttp_response_extra() bytes;
 * it is elsewhere, or at `bytes` + sc_ohttp_response_extra() - SC_AEAD_TAG_SIZE.
 *
 * @return SC_OK, SC_EPARSE (not a response to this request), SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc_ohttp_open_response(const sc_ohttp_exchange *exchange, const uint8_t *bytes,
                                         size_t size, uint8_t *out, size_t *out_size);

void sc_ohttp_exchange_wipe(sc_ohttp_exchange *exchange);

#endif
