// The library of split trust as a process that is told what to do, for tests with implementations
// by others (interop.mjs).
//
// A command is a line: its name, then words of hexadecimal digits ("-" is an empty one). The answer
// is a line "ok" with words, or "no" with the number of an sc_err. A process keeps one key of each
// kind and one exchange of each side.
#include "base/alloc.h"
#include "base/bytes.h"
#include "oblivious/binary_http.h"
#include "oblivious/oblivious_keys.h"
#include "oblivious/private_token_http.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORDS_MAX = 64, WORD_MAX = 1 << 16, LINE_MAX_SIZE = 1 << 20 };

/** A word of a command, as bytes that end with a NUL which does not count. */
typedef struct word {
    uint8_t *bytes;
    size_t size;
} word;

static word words[WORDS_MAX];
static size_t word_count;

static struct {
    sc_ohttp_keys *keys;
    sc_ohttp_exchange gateway;
    sc_ohttp_exchange client;
    sc_pass_key issuer;
    sc_pass_key asked;
    sc_pass_pending pending;
} own;

static void take(void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    putchar(' ');
    if (size == 0) putchar('-');
    for (size_t i = 0; i < size; i++) {
        const uint8_t byte = ((const uint8_t *)bytes)[i];
        putchar(digits[byte >> 4]);
        putchar(digits[byte & 15]);
    }
}

static void take_slice(sc_slice s)
{
    take((void *)(uintptr_t)s.text, s.size);
}

static sc_slice slice(size_t i)
{
    return (sc_slice){(const char *)words[i].bytes, words[i].size};
}

static const char *text(size_t i)
{
    return (const char *)words[i].bytes;
}

static void random_bytes(uint8_t out[32])
{
    randombytes_buf(out, 32);
}

// --- HPKE ----------------------------------------------------------------------------------------

/** AEAD, public key, info, aad, text: enc, sealed twice, export. */
static sc_err hpke_seal(void)
{
    uint8_t ephemeral[32];
    uint8_t enc[32];
    uint8_t out[WORD_MAX];
    uint8_t exported[48];
    sc_hpke_context context;
    random_bytes(ephemeral);
    sc_err err = sc_hpke_setup_sender((sc_aead)words[0].bytes[0], words[1].bytes, words[2].bytes,
                                      words[2].size, ephemeral, enc, &context);
    if (err) return err;
    printf("ok");
    take(enc, sizeof enc);
    for (int i = 0; i < 2; i++) {
        err = sc_hpke_seal(&context, words[3].bytes, words[3].size, words[4].bytes, words[4].size,
                           out);
        if (!err) take(out, words[4].size + SC_AEAD_TAG_SIZE);
    }
    sc_hpke_export(&context, "peer", 4, exported, sizeof exported);
    take(exported, sizeof exported);
    return err;
}

/** AEAD, secret key, info, aad, enc, sealed: text, export. */
static sc_err hpke_open(void)
{
    uint8_t out[WORD_MAX];
    uint8_t exported[48];
    sc_hpke_context context;
    uint8_t public_key[SC_HPKE_KEY_SIZE];
    sc_hpke_public_key(words[1].bytes, public_key);
    sc_err err = sc_hpke_setup_recipient((sc_aead)words[0].bytes[0], words[4].bytes, words[1].bytes,
                                         public_key, words[2].bytes, words[2].size, &context);
    if (!err) {
        err = sc_hpke_open(&context, words[3].bytes, words[3].size, words[5].bytes, words[5].size,
                           out);
    }
    if (err) return err;
    printf("ok");
    take(out, words[5].size - SC_AEAD_TAG_SIZE);
    sc_hpke_export(&context, "peer", 4, exported, sizeof exported);
    take(exported, sizeof exported);
    return SC_OK;
}

// --- Binary HTTP ---------------------------------------------------------------------------------

static sc_err encode(sc_bhttp_message *m, size_t first_field)
{
    static sc_bhttp_field fields[WORDS_MAX / 2];
    uint8_t out[WORD_MAX];
    const sc_bhttp_form form =
        words[0].bytes[0] ? SC_BHTTP_INDETERMINATE_LENGTH : SC_BHTTP_KNOWN_LENGTH;
    for (size_t i = first_field; i + 1 < word_count; i += 2) {
        fields[m->header_count++] = (sc_bhttp_field){slice(i), slice(i + 1)};
    }
    m->headers = fields;
    const size_t size = sc_ohttp_padded_size(sc_bhttp_size(m, form));
    const sc_err err = size > sizeof out ? SC_ELIMIT : sc_bhttp_encode(m, form, out, size);
    if (err) return err;
    printf("ok");
    take(out, size);
    return SC_OK;
}

/** Form, method, scheme, authority, path, content, fields. */
static sc_err bhttp_request(void)
{
    sc_bhttp_message m = {.is_request = true,
                          .method = slice(1),
                          .scheme = slice(2),
                          .authority = slice(3),
                          .path = slice(4),
                          .content = words[5].bytes,
                          .content_size = words[5].size};
    return encode(&m, 6);
}

/** Form, status in two bytes, content, fields. */
static sc_err bhttp_response(void)
{
    sc_bhttp_message m = {.status = (unsigned)(words[1].bytes[0] << 8 | words[1].bytes[1]),
                          .content = words[2].bytes,
                          .content_size = words[2].size};
    return encode(&m, 3);
}

/** A message: method, scheme, authority and path, or the status; content; headers. */
static sc_err bhttp_decode(void)
{
    sc_bhttp_decoded read = {0};
    const sc_err err = sc_bhttp_decode(words[0].bytes, words[0].size, &read);
    if (err) return err;
    const sc_bhttp_message *m = &read.message;
    uint8_t status[] = {(uint8_t)(m->status >> 8), (uint8_t)m->status};
    printf("ok");
    if (m->is_request) {
        take_slice(m->method);
        take_slice(m->scheme);
        take_slice(m->authority);
        take_slice(m->path);
    } else {
        take(status, sizeof status);
    }
    take((void *)(uintptr_t)m->content, m->content_size);
    for (size_t i = 0; i < m->header_count; i++) {
        take_slice(m->headers[i].name);
        take_slice(m->headers[i].value);
    }
    sc_bhttp_decoded_fini(&read);
    return SC_OK;
}

// --- Oblivious HTTP ------------------------------------------------------------------------------

/** New keys: their list. */
static sc_err ohttp_keys(void)
{
    uint8_t seed[32];
    uint8_t list[SC_OHTTP_KEYS_LIST_MAX];
    bool made = false;
    random_bytes(seed);
    sc_ohttp_keys_free(own.keys);
    own.keys = NULL;
    const sc_err err = sc_ohttp_keys_rotate(NULL, time(NULL), &(sc_ohttp_rotation){3600, 600}, seed,
                                            &own.keys, &made);
    if (err) return err;
    printf("ok");
    take(list, sc_ohttp_keys_list(own.keys, time(NULL), list, NULL));
    return SC_OK;
}

/** A sealed request: what is in it. */
static sc_err ohttp_open(void)
{
    uint8_t out[WORD_MAX];
    size_t size = 0;
    const sc_err err = sc_ohttp_keys_open(own.keys, time(NULL), words[0].bytes, words[0].size, out,
                                          &size, &own.gateway);
    if (err) return err;
    printf("ok");
    take(out, size);
    return SC_OK;
}

/** A response: sealed. */
static sc_err ohttp_answer(void)
{
    uint8_t out[WORD_MAX];
    uint8_t random[32];
    random_bytes(random);
    const sc_err err =
        sc_ohttp_seal_response(&own.gateway, random, words[0].bytes, words[0].size, out);
    if (err) return err;
    printf("ok");
    take(out, words[0].size + sc_ohttp_response_extra(&own.gateway));
    return SC_OK;
}

/** A list of keys, AEAD, request: sealed. */
static sc_err ohttp_seal(void)
{
    uint8_t out[WORD_MAX];
    uint8_t random[32];
    sc_ohttp_config config;
    size_t count = 0;
    random_bytes(random);
    sc_err err = sc_ohttp_configs_parse(words[0].bytes, words[0].size, &config, 1, &count);
    if (!err && count == 0) err = SC_EUNKNOWN;
    if (!err) {
        err = sc_ohttp_seal_request(&config, (sc_aead)words[1].bytes[0], random, words[2].bytes,
                                    words[2].size, out, &own.client);
    }
    if (err) return err;
    printf("ok");
    take(out, words[2].size + SC_OHTTP_REQUEST_EXTRA);
    return SC_OK;
}

/** A sealed response to the request before: what is in it. */
static sc_err ohttp_read(void)
{
    uint8_t out[WORD_MAX];
    size_t size = 0;
    const sc_err err =
        sc_ohttp_open_response(&own.client, words[0].bytes, words[0].size, out, &size);
    if (err) return err;
    printf("ok");
    take(out, size);
    return SC_OK;
}

// --- Privacy Pass --------------------------------------------------------------------------------

/** Issuer, context (or nothing), origins: the bytes of a challenge. */
static sc_err pass_challenge(void)
{
    sc_pass_challenge c = {.has_context = words[1].size == SC_PASS_CONTEXT_SIZE};
    uint8_t out[SC_PASS_CHALLENGE_MAX];
    snprintf(c.issuer, sizeof c.issuer, "%s", text(0));
    snprintf(c.origins, sizeof c.origins, "%s", text(2));
    if (c.has_context) memcpy(c.context, words[1].bytes, sizeof c.context);
    const size_t size = sc_pass_challenge_encode(&c, out);
    if (size == 0) return SC_EINVAL;
    printf("ok");
    take(out, size);
    return SC_OK;
}

/** A new issuer: its public key, its secret key, its directory. */
static sc_err pass_issuer(void)
{
    static sc_pass_directory directory;
    sc_blind_rsa_key *rsa = NULL;
    char pem[SC_BLIND_RSA_PEM_MAX];
    sc_bytes json = {0};
    sc_pass_key_fini(&own.issuer);
    sc_err err = sc_blind_rsa_generate(SC_PASS_MODULUS_SIZE, &rsa);
    if (!err) err = sc_pass_key_init(rsa, &own.issuer);
    if (err) return err;
    directory = (sc_pass_directory){.request_uri = "/request", .count = 1};
    directory.keys[0].not_before_s = 5;
    memcpy(directory.keys[0].spki, own.issuer.spki, sizeof own.issuer.spki);
    err = sc_pass_directory_write(&directory, &json);
    if (err) return err;
    printf("ok");
    take(own.issuer.spki, sizeof own.issuer.spki);
    take(pem, sc_blind_rsa_to_pem(own.issuer.rsa, pem));
    take(json.data, json.size);
    sc_bytes_fini(&json);
    return SC_OK;
}

/** A request: the response. */
static sc_err pass_issue(void)
{
    uint8_t out[SC_PASS_RESPONSE_SIZE];
    const sc_err err = sc_pass_issue(&own.issuer, words[0].bytes, words[0].size, out);
    if (err) return err;
    printf("ok");
    take(out, sizeof out);
    return SC_OK;
}

/** A challenge, a public key: the request. */
static sc_err pass_begin(void)
{
    uint8_t out[SC_PASS_REQUEST_SIZE];
    sc_pass_key_fini(&own.asked);
    sc_err err = sc_pass_key_parse(words[1].bytes, words[1].size, &own.asked);
    if (!err) err = sc_pass_begin(&own.asked, words[0].bytes, words[0].size, out, &own.pending);
    if (err) return err;
    printf("ok");
    take(out, sizeof out);
    return SC_OK;
}

/** A response to it: the token, and the field that it is sent in. */
static sc_err pass_finish(void)
{
    uint8_t token[SC_PASS_TOKEN_SIZE];
    char value[SC_PASS_AUTHORIZATION_SIZE];
    const sc_err err =
        sc_pass_finish(&own.asked, &own.pending, words[0].bytes, words[0].size, token);
    if (err) return err;
    sc_pass_authorization_write(token, value);
    printf("ok");
    take(token, sizeof token);
    take(value, strlen(value));
    return SC_OK;
}

/** A public key, a challenge, the value of Authorization: nothing. */
static sc_err pass_verify(void)
{
    uint8_t token[SC_PASS_TOKEN_SIZE];
    uint8_t digest[SC_PASS_DIGEST_SIZE];
    sc_pass_key key = {0};
    sc_err err = sc_pass_key_parse(words[0].bytes, words[0].size, &key);
    if (!err) err = sc_pass_authorization_parse(text(2), words[2].size, token);
    sc_pass_challenge_digest(words[1].bytes, words[1].size, digest);
    if (!err) err = sc_pass_verify(&key, digest, token, sizeof token);
    sc_pass_key_fini(&key);
    if (!err) printf("ok");
    return err;
}

/** A challenge, a public key, a number of seconds: the value of WWW-Authenticate. */
static sc_err pass_offer(void)
{
    sc_pass_offer offer = {
        .challenge_size = words[0].size, .has_key = true, .max_age_s = words[2].bytes[0]};
    char value[SC_PASS_AUTHENTICATE_SIZE];
    if (words[0].size > sizeof offer.challenge || words[1].size != sizeof offer.key) {
        return SC_EINVAL;
    }
    memcpy(offer.challenge, words[0].bytes, words[0].size);
    memcpy(offer.key, words[1].bytes, sizeof offer.key);
    sc_pass_authenticate_write(&offer, value);
    printf("ok");
    take(value, strlen(value));
    return SC_OK;
}

/** The value of WWW-Authenticate: challenge and key of each that is of use. */
static sc_err pass_offers(void)
{
    sc_pass_offer offers[8];
    size_t count = 0;
    const sc_err err = sc_pass_authenticate_parse(text(0), words[0].size, offers, 8, &count);
    if (err) return err;
    printf("ok");
    for (size_t i = 0; i < count; i++) {
        take(offers[i].challenge, offers[i].challenge_size);
        take(offers[i].key, offers[i].has_key ? sizeof offers[i].key : 0);
    }
    return SC_OK;
}

// --- Commands ------------------------------------------------------------------------------------

static const struct {
    const char *name;
    size_t words;
    sc_err (*run)(void);
} commands[] = {
    {"hpke-seal", 5, hpke_seal},           {"hpke-open", 6, hpke_open},
    {"bhttp-request", 6, bhttp_request},   {"bhttp-response", 3, bhttp_response},
    {"bhttp-decode", 1, bhttp_decode},     {"ohttp-keys", 0, ohttp_keys},
    {"ohttp-open", 1, ohttp_open},         {"ohttp-answer", 1, ohttp_answer},
    {"ohttp-seal", 3, ohttp_seal},         {"ohttp-read", 1, ohttp_read},
    {"pass-challenge", 3, pass_challenge}, {"pass-issuer", 0, pass_issuer},
    {"pass-issue", 1, pass_issue},         {"pass-begin", 2, pass_begin},
    {"pass-finish", 1, pass_finish},       {"pass-verify", 3, pass_verify},
    {"pass-offer", 3, pass_offer},         {"pass-offers", 1, pass_offers},
};

static void read_word(const char *digits)
{
    word *w = &words[word_count++];
    size_t size = 0;
    w->bytes = calloc(strlen(digits) / 2 + 1, 1);
    if (!w->bytes) abort();
    if (strcmp(digits, "-") != 0 &&
        sodium_hex2bin(w->bytes, strlen(digits) / 2, digits, strlen(digits), NULL, &size, NULL)) {
        abort();
    }
    w->size = size;
}

static sc_err run(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return word_count < commands[i].words ? SC_EINVAL : commands[i].run();
        }
    }
    return SC_EUNKNOWN;
}

int main(void)
{
    static char line[LINE_MAX_SIZE];
    if (sodium_init() < 0) return 1;
    while (fgets(line, sizeof line, stdin)) {
        char *rest = NULL;
        const char *name = strtok_r(line, " \n", &rest);
        for (const char *w = strtok_r(NULL, " \n", &rest); w && word_count < WORDS_MAX;
             w = strtok_r(NULL, " \n", &rest)) {
            read_word(w);
        }
        const sc_err err = name ? run(name) : SC_EINVAL;
        if (err) printf("no %d", (int)err);
        putchar('\n');
        fflush(stdout);
        while (word_count > 0) {
            free(words[--word_count].bytes);
        }
    }
    sc_ohttp_keys_free(own.keys);
    sc_pass_key_fini(&own.issuer);
    sc_pass_key_fini(&own.asked);
    return 0;
}
