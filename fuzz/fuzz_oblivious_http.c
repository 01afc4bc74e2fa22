// Door: sealed requests and responses of Oblivious HTTP, lists of keys, files of a gateway's keys.
//
// The first byte says what the rest is: 'q' a sealed request, 'r' a sealed response, 'o' two bytes
// that say which bit is to be turned, then a text that is sealed rightly, as a request and as a
// response, 'k' a list of keys, 'f' a file of a gateway's keys, 'd' a Date field. Nothing opens
// that was not sealed; what was sealed opens, and not if one bit is another.
#include "door.h"

#include "oblivious/oblivious_keys.h"
#include "oblivious/replay_store.h"

#include <sodium.h>

enum { NOW = 1800000000 };

/** A gateway whose key is always the same. */
static const sc_ohttp_keys *gateway(void)
{
    static const char text[] = "starcloak-ohttp-keys-1\n"
                               "1 0 9000000000 9000000000 "
                               "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA\n";
    static sc_ohttp_keys *keys = NULL;
    sc_diag diag;
    if (!keys &&
        (sodium_init() < 0 || sc_ohttp_keys_parse("keys", text, sizeof text - 1, &keys, &diag))) {
        abort();
    }
    return keys;
}

static sc_ohttp_config gateway_config(void)
{
    uint8_t list[SC_OHTTP_KEYS_LIST_MAX];
    sc_ohttp_config config;
    size_t count = 0;
    const size_t size = sc_ohttp_keys_list(gateway(), NOW, list, NULL);
    if (sc_ohttp_configs_parse(list, size, &config, 1, &count) || count != 1) abort();
    return config;
}

static bool is_refusal(sc_err err)
{
    return err == SC_EPARSE || err == SC_EUNKNOWN;
}

static void try_request(const uint8_t *data, size_t size)
{
    uint8_t *out = malloc(size + 1);
    size_t out_size = 0;
    sc_ohttp_exchange exchange;
    if (!out) abort();
    const sc_err err = sc_ohttp_keys_open(gateway(), NOW, data, size, out, &out_size, &exchange);
    DOOR_PROMISE(is_refusal(err), "nothing opens that was not sealed");
    free(out);
}

/** A request of our own, to which responses are tried. */
static sc_ohttp_exchange ask(sc_aead aead, const uint8_t *text, size_t size, uint8_t *sealed)
{
    const sc_ohttp_config config = gateway_config();
    const uint8_t random[SC_HPKE_KEY_SIZE] = {7, 7, 7};
    sc_ohttp_exchange client;
    DOOR_PROMISE(!sc_ohttp_seal_request(&config, aead, random, text, size, sealed, &client),
                 "any text can be sealed");
    return client;
}

static void try_response(const uint8_t *data, size_t size)
{
    uint8_t sealed[1 + SC_OHTTP_REQUEST_EXTRA];
    uint8_t *out = malloc(size + 1);
    size_t out_size = 0;
    if (!out) abort();
    for (int aead = 1; aead <= 3; aead += 2) {
        const sc_ohttp_exchange client = ask((sc_aead)aead, (const uint8_t *)"?", 1, sealed);
        DOOR_PROMISE(sc_ohttp_open_response(&client, data, size, out, &out_size) == SC_EPARSE,
                     "nothing opens that was not sealed");
    }
    free(out);
}

static void try_sealed(const uint8_t *data, size_t size)
{
    if (size < 2) return;
    const size_t bit = (size_t)data[0] << 8 | data[1];
    const uint8_t *text = data + 2;
    size -= 2;
    uint8_t *sealed = malloc(size + SC_OHTTP_REQUEST_EXTRA);
    uint8_t *out = malloc(size + SC_OHTTP_REQUEST_EXTRA);
    const uint8_t random[SC_OHTTP_NONCE_MAX] = {9};
    size_t out_size = 0;
    if (!sealed || !out) abort();
    for (int aead = 1; aead <= 3; aead += 2) {
        sc_ohttp_exchange server;
        const sc_ohttp_exchange client = ask((sc_aead)aead, text, size, sealed);
        const size_t request_size = size + SC_OHTTP_REQUEST_EXTRA;
        const sc_err err =
            sc_ohttp_keys_open(gateway(), NOW, sealed, request_size, out, &out_size, &server);
        DOOR_PROMISE(!err && out_size == size && memcmp(out, text, size) == 0, "a request opens");
        sealed[bit / 8 % request_size] ^= (uint8_t)(1 << bit % 8);
        DOOR_PROMISE(is_refusal(sc_ohttp_keys_open(gateway(), NOW, sealed, request_size, out,
                                                   &out_size, &server)),
                     "and not if a bit is another");
        // The room of a request is more than a response needs.
        const size_t response_size = size + sc_ohttp_response_extra(&client);
        DOOR_PROMISE(!sc_ohttp_seal_response(&client, random, text, size, sealed),
                     "any text can be sealed");
        DOOR_PROMISE(!sc_ohttp_open_response(&client, sealed, response_size, out, &out_size) &&
                         out_size == size && memcmp(out, text, size) == 0,
                     "a response opens");
        sealed[bit / 8 % response_size] ^= (uint8_t)(1 << bit % 8);
        DOOR_PROMISE(sc_ohttp_open_response(&client, sealed, response_size, out, &out_size) ==
                         SC_EPARSE,
                     "and not if a bit is another");
    }
    free(sealed);
    free(out);
}

static void try_list(const uint8_t *data, size_t size)
{
    enum { ROOM = 64 };
    static sc_ohttp_config configs[ROOM];
    static sc_ohttp_config again[ROOM];
    static uint8_t list[ROOM * (2 + SC_OHTTP_CONFIG_SIZE)];
    size_t count = 0;
    size_t read = 0;
    const sc_err err = sc_ohttp_configs_parse(data, size, configs, ROOM, &count);
    DOOR_PROMISE(!err || err == SC_EPARSE || err == SC_ELIMIT, "there are two ways to be refused");
    if (err || count == 0) return;
    for (size_t i = 0; i < count; i++) {
        DOOR_PROMISE(configs[i].aead_count >= 1 && configs[i].aead_count <= SC_OHTTP_AEADS_MAX,
                     "a key has something to be used with");
    }
    const size_t written = sc_ohttp_configs_encode(configs, count, list);
    DOOR_PROMISE(!sc_ohttp_configs_parse(list, written, again, ROOM, &read) && read == count &&
                     memcmp(again, configs, count * sizeof *configs) == 0,
                 "what is accepted, written, reads back as the same");
}

static void try_file(const uint8_t *data, size_t size)
{
    const sc_input input = {"keys.txt", data, size};
    sc_ohttp_keys *keys = NULL;
    sc_ohttp_keys *again = NULL;
    sc_diag diag = {""};
    char text[SC_OHTTP_KEYS_TEXT_MAX];
    const sc_err err = sc_ohttp_keys_parse(input.name, (const char *)data, size, &keys, &diag);
    if (err) {
        DOOR_PROMISE(!keys, "a refusal leaves nothing behind");
        door_refused(err, &diag, &input, 1);
        return;
    }
    const size_t written = sc_ohttp_keys_print(keys, text);
    DOOR_PROMISE(!sc_ohttp_keys_parse("again", text, written, &again, &diag) &&
                     sc_ohttp_keys_count(again) == sc_ohttp_keys_count(keys),
                 "what is accepted, written, reads back");
    sc_ohttp_keys_free(keys);
    sc_ohttp_keys_free(again);
}

static void try_date(const uint8_t *data, size_t size)
{
    int64_t time_s = 0;
    if (sc_http_date_parse((const char *)data, size, &time_s)) return;
    DOOR_PROMISE(time_s >= 0 && time_s <= 253402300800, "a date is between 1970 and 9999");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > DOOR_MAX_SIZE) return 0;
    gateway();
    uint8_t *copy = door_copy(data + 1, size - 1);
    switch (data[0]) {
    case 'q':
        try_request(copy, size - 1);
        break;
    case 'r':
        try_response(copy, size - 1);
        break;
    case 'o':
        try_sealed(copy, size - 1);
        break;
    case 'k':
        try_list(copy, size - 1);
        break;
    case 'f':
        try_file(copy, size - 1);
        break;
    case 'd':
        try_date(copy, size - 1);
        break;
    default:
        break;
    }
    free(copy);
    return 0;
}
