// Sealed requests: opened, handed to the routes, their replies sealed.
//
// A sealed request is opened where it lies, in the body of the outer request, so that the text of
// it is wiped with that. Its reply is written, padded and sealed in one piece of memory.
//
// What goes wrong before a request is open is answered in the clear, as the relay's business; what
// goes wrong after is sealed, as the client's alone.
#include "api/oblivious_gateway.h"

#include "api/problem_details.h"
#include "base/alloc.h"
#include "base/diag.h"
#include "oblivious/binary_http.h"
#include "oblivious/oblivious_keys.h"
#include "oblivious/replay_store.h"

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/** How often keys are looked after, and how long clients may keep them at the least, seconds. */
enum { TICK_S = 10, KEEP_KEYS_S = 60 };

struct sc_oblivious_gateway {
    char *path;  ///< of the file of keys; NULL: there is none
    sc_ohttp_rotation rotation;
    sc_replay_store *replays;
    pthread_rwlock_t lock;
    sc_ohttp_keys *keys;  ///< under the lock
    atomic_uint_fast64_t opened;
    atomic_uint_fast64_t unopened;
    atomic_uint_fast64_t replayed;
    atomic_uint_fast64_t misdated;
    atomic_uint_fast64_t crowded;
    atomic_uint_fast64_t keys_made;
};

static void count(atomic_uint_fast64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static int64_t seconds_now(void)
{
    return (int64_t)time(NULL);
}

// --- Keys ----------------------------------------------------------------------------------------

static void exchange_keys(sc_oblivious_gateway *gateway, sc_ohttp_keys *keys)
{
    pthread_rwlock_wrlock(&gateway->lock);
    sc_ohttp_keys *old = gateway->keys;
    gateway->keys = keys;
    pthread_rwlock_unlock(&gateway->lock);
    sc_ohttp_keys_free(old);
}

/** Only the first loop's thread, and the one that starts, call it: so `keys` may be read without
 * the lock here. */
static sc_err rotate(sc_oblivious_gateway *gateway)
{
    uint8_t seed[SC_OHTTP_SEED_SIZE];
    randombytes_buf(seed, sizeof seed);
    sc_ohttp_keys *next = NULL;
    bool is_made = false;
    const sc_err err = sc_ohttp_keys_rotate(gateway->keys, seconds_now(), &gateway->rotation, seed,
                                            &next, &is_made);
    sodium_memzero(seed, sizeof seed);
    if (err) return err;
    if (is_made) count(&gateway->keys_made);
    exchange_keys(gateway, next);
    return SC_OK;
}

sc_err sc_oblivious_gateway_reload(sc_oblivious_gateway *gateway, sc_diag *diag)
{
    if (!gateway->path) return SC_OK;
    sc_ohttp_keys *keys = NULL;
    const sc_err err = sc_ohttp_keys_read(gateway->path, &keys, diag);
    if (err) return err;
    uint8_t list[SC_OHTTP_KEYS_LIST_MAX];
    if (sc_ohttp_keys_list(keys, seconds_now(), list, NULL) == 0) {
        sc_ohttp_keys_free(keys);
        return sc_fail(diag, SC_EINVAL,
                       "%s: no key of it may be used any more; make the next one with 'starcloak "
                       "oblivious keys %s'",
                       gateway->path, gateway->path);
    }
    count(&gateway->keys_made);
    exchange_keys(gateway, keys);
    return SC_OK;
}

/** Runs in the first loop. A rotation that fails for want of memory is tried again. */
static void tick(void *context, unsigned loop)
{
    (void)loop;
    sc_oblivious_gateway *gateway = context;
    if (!gateway->path) (void)rotate(gateway);
}

void sc_oblivious_gateway_show_keys(sc_oblivious_gateway *gateway, sc_http_request *request)
{
    uint8_t list[SC_OHTTP_KEYS_LIST_MAX];
    int64_t until_s = 0;
    const int64_t now_s = seconds_now();
    pthread_rwlock_rdlock(&gateway->lock);
    const size_t size = sc_ohttp_keys_list(gateway->keys, now_s, list, &until_s);
    pthread_rwlock_unlock(&gateway->lock);
    if (size == 0) {
        sc_problem problem;
        sc_problem_set(&problem, SC_PROBLEM_OVERLOADED, NULL, "there is no key at the moment");
        problem.retry_after_s = TICK_S;
        sc_problem_reply(request, &problem, NULL);
        return;
    }
    // All clients are to have the same list at the same time, so that it marks none of them.
    const int64_t keep_s = until_s - now_s > KEEP_KEYS_S ? until_s - now_s : KEEP_KEYS_S;
    char keep[64];
    snprintf(keep, sizeof keep, "public, max-age=%lld", (long long)keep_s);
    const sc_http_header headers[] = {{"Cache-Control", keep}};
    sc_http_reply(request, 200, SC_OHTTP_KEYS_TYPE, list, size, headers, 1);
}

// --- One request
// -----------------------------------------------------------------------------------

/** What is kept while the routes have what was within. */
typedef struct opened {
    sc_http_request *outer;
    sc_ohttp_exchange exchange;
} opened;

static void forget(opened *o)
{
    explicit_bzero(o, sizeof *o);
    sc_free(o);
}

static void reply_in_the_clear(sc_http_request *request, sc_problem_kind kind, const char *detail)
{
    sc_problem problem;
    sc_problem_set(&problem, kind, NULL, "%s", detail);
    if (kind == SC_PROBLEM_OVERLOADED) problem.retry_after_s = 1;
    sc_problem_reply(request, &problem, "GET, HEAD, POST");
}

static sc_slice slice_of(const char *text)
{
    return (sc_slice){text, strlen(text)};
}

/** Headers that are the outer reply's business, or add bytes for nothing. */
static bool is_carried(const char *name)
{
    return strncasecmp(name, "Access-Control-", strlen("Access-Control-")) != 0 &&
           strcasecmp(name, "Connection") != 0;
}

/** Field names are lower case in binary HTTP. */
static void put_lower(char *to, size_t room, const char *name)
{
    size_t i = 0;
    for (; name[i] != '\0' && i + 1 < room; i++) {
        to[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + ('a' - 'A') : name[i]);
    }
    to[i] = '\0';
}

enum {
    FIELDS_MAX = 16,
    NAME_ROOM = 40,
    HEADERS_MAX = 8192,   ///< of a reply, roughly
    REPLY_MAX = 1 << 20,  ///< with its padding: a few KiB of a request must not fetch much more
};

/** The sealed reply, in memory of its own; NULL: memory is out. */
static uint8_t *seal(const sc_ohttp_exchange *exchange, const sc_http_inner_reply *reply,
                     size_t *size)
{
    char names[FIELDS_MAX][NAME_ROOM];
    sc_bhttp_field fields[FIELDS_MAX];
    size_t field_count = 0;
    if (reply->type) {
        fields[field_count++] = (sc_bhttp_field){slice_of("content-type"), slice_of(reply->type)};
    }
    for (size_t i = 0; i < reply->header_count && field_count < FIELDS_MAX; i++) {
        const sc_http_header *header = &reply->headers[i];
        if (!is_carried(header->name) || strlen(header->name) >= NAME_ROOM) continue;
        put_lower(names[field_count], NAME_ROOM, header->name);
        fields[field_count] =
            (sc_bhttp_field){slice_of(names[field_count]), slice_of(header->value)};
        field_count++;
    }
    const sc_bhttp_message message = {.status = (unsigned)reply->status,
                                      .headers = fields,
                                      .header_count = field_count,
                                      .content = reply->body,
                                      .content_size = reply->size};
    const size_t padded = sc_ohttp_padded_size(sc_bhttp_size(&message, SC_BHTTP_KNOWN_LENGTH));
    const size_t room = padded + sc_ohttp_response_extra(exchange);
    uint8_t *out = sc_malloc(room);
    if (!out) return NULL;
    uint8_t *plain = out + (room - padded - SC_AEAD_TAG_SIZE);
    uint8_t random[SC_OHTTP_NONCE_MAX];
    randombytes_buf(random, sizeof random);
    if (sc_bhttp_encode(&message, SC_BHTTP_KNOWN_LENGTH, plain, padded) ||
        sc_ohttp_seal_response(exchange, random, plain, padded, out)) {
        sc_free_wiped(out, room, 1);
        return NULL;
    }
    *size = room;
    return out;
}

/** What is told instead of a reply that is too large. */
static sc_http_inner_reply too_large(void)
{
    static const char body[] =
        "{\"type\":\"urn:starcloak:problem:forbidden\",\"title\":\"The reply is too large to be "
        "sealed\",\"status\":403,\"detail\":\"pages that are for all can be had unsealed\"}";
    return (sc_http_inner_reply){
        .status = 403, .type = "application/problem+json", .body = body, .size = sizeof body - 1};
}

/** Give the sealed reply to the relay. */
static void reply_sealed(void *context, const sc_http_inner_reply *reply)
{
    opened *o = context;
    size_t size = 0;
    const sc_http_inner_reply instead = too_large();
    const bool is_sealable = reply->size <= REPLY_MAX - HEADERS_MAX;
    uint8_t *sealed = seal(&o->exchange, is_sealable ? reply : &instead, &size);
    if (sealed) {
        sc_http_reply(o->outer, 200, SC_OHTTP_RESPONSE_TYPE, sealed, size, NULL, 0);
    } else {
        reply_in_the_clear(o->outer, SC_PROBLEM_OVERLOADED, "out of memory; retry");
    }
    sc_free(sealed);
    forget(o);
}

static void outer_gone(void *context)
{
    forget(context);
}

/** Answer what was within ourselves. */
static void refuse_sealed(opened *o, int status, const char *type, const char *title)
{
    char body[256];
    const int size = snprintf(body, sizeof body, "{\"type\":\"%s\",\"title\":\"%s\",\"status\":%d}",
                              type, title, status);
    // By it a client whose clock is wrong knows how far.
    char date[40];
    const time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    const sc_http_header headers[] = {{"Date", date}, {"Cache-Control", "no-store"}};
    reply_sealed(o, &(sc_http_inner_reply){.status = status,
                                           .type = "application/problem+json",
                                           .body = body,
                                           .size = (size_t)size,
                                           .headers = headers,
                                           .header_count = 2});
}

/** Whether the request may be acted upon: it is of now, and did not come before. */
static bool is_fresh(sc_oblivious_gateway *gateway, opened *o, const sc_bhttp_message *message)
{
    const sc_slice *date = sc_bhttp_find(message->headers, message->header_count, "date");
    int64_t date_s = 0;
    sc_err err = SC_ETIME;
    if (date && sc_http_date_parse(date->text, date->size, &date_s) == SC_OK) {
        err = sc_replay_store_add(gateway->replays, o->exchange.enc, sizeof o->exchange.enc, date_s,
                                  seconds_now());
    }
    switch (err) {
    case SC_OK:
        return true;
    case SC_EDUPLICATE:
        count(&gateway->replayed);
        refuse_sealed(o, 400, "urn:starcloak:problem:replayed", "The sealed request came before");
        return false;
    case SC_ELIMIT:
        count(&gateway->crowded);
        refuse_sealed(o, 503, "urn:starcloak:problem:overloaded",
                      "More sealed requests than can be remembered; retry later");
        return false;
    default:
        count(&gateway->misdated);
        refuse_sealed(o, 400, SC_OHTTP_DATE_PROBLEM,
                      "The request's Date is missing, or too far from the service's");
        return false;
    }
}

/** Hand what was within to the routes. */
static void pass_on(opened *o, const sc_bhttp_message *message)
{
    sc_slice headers[2 * SC_BHTTP_FIELDS_MAX];
    for (size_t i = 0; i < message->header_count; i++) {
        headers[2 * i] = message->headers[i].name;
        headers[2 * i + 1] = message->headers[i].value;
    }
    const sc_http_inner inner = {.method = message->method,
                                 .target = message->path,
                                 .headers = headers,
                                 .header_count = message->header_count,
                                 .body = message->content,
                                 .body_size = message->content_size,
                                 .reply = reply_sealed,
                                 .gone = outer_gone,
                                 .context = o};
    switch (sc_http_inner_handle(o->outer, &inner)) {
    case SC_OK:
        return;
    case SC_EPARSE:
        refuse_sealed(o, 400, "urn:starcloak:problem:body", "The sealed request's path is none");
        return;
    default:
        refuse_sealed(o, 503, "urn:starcloak:problem:overloaded", "Out of memory; retry");
        return;
    }
}

static void handle_opened(sc_oblivious_gateway *gateway, opened *o, const uint8_t *bytes,
                          size_t size)
{
    sc_bhttp_decoded decoded = {0};
    const sc_err err = sc_bhttp_decode(bytes, size, &decoded);
    if (err == SC_ENOMEM) {
        refuse_sealed(o, 503, "urn:starcloak:problem:overloaded", "Out of memory; retry");
    } else if (err || !decoded.message.is_request) {
        refuse_sealed(o, 400, "urn:starcloak:problem:body",
                      "The sealed request is no binary HTTP request");
    } else if (is_fresh(gateway, o, &decoded.message)) {
        pass_on(o, &decoded.message);
    }
    sc_bhttp_decoded_fini(&decoded);
}

static bool is_sealed_request(const sc_http_request *request)
{
    const char *type = sc_http_request_header(request, "Content-Type");
    return type && strcasecmp(type, SC_OHTTP_REQUEST_TYPE) == 0;
}

static void refuse_unopened(sc_oblivious_gateway *gateway, sc_http_request *request, sc_err err)
{
    static const char key_problem[] =
        "{\"type\":\"" SC_OHTTP_KEY_PROBLEM "\",\"title\":\"No key of "
        "this gateway opens the request; fetch them again\","
        "\"status\":400}";
    switch (err) {
    case SC_EUNKNOWN:
    case SC_EPARSE:
        count(&gateway->unopened);
        sc_http_reply(request, 400, "application/problem+json", key_problem, sizeof key_problem - 1,
                      NULL, 0);
        return;
    default:
        reply_in_the_clear(request, SC_PROBLEM_OVERLOADED, "out of memory; retry");
        return;
    }
}

void sc_oblivious_gateway_post(sc_oblivious_gateway *gateway, sc_http_request *request)
{
    if (sc_http_request_is_inner(request)) {
        reply_in_the_clear(request, SC_PROBLEM_NOT_FOUND, "a sealed request may not carry another");
        return;
    }
    if (!is_sealed_request(request)) {
        reply_in_the_clear(request, SC_PROBLEM_MEDIA_TYPE,
                           "Content-Type must be " SC_OHTTP_REQUEST_TYPE);
        return;
    }
    opened *o = sc_calloc(1, sizeof *o);
    if (!o) {
        reply_in_the_clear(request, SC_PROBLEM_OVERLOADED, "out of memory; retry");
        return;
    }
    o->outer = request;
    size_t size = 0;
    size_t text_size = 0;
    uint8_t *bytes = (uint8_t *)sc_http_request_body(request, &size);
    uint8_t *text = bytes + (SC_OHTTP_REQUEST_EXTRA - SC_AEAD_TAG_SIZE);
    sc_err err = SC_EPARSE;
    if (size > SC_OHTTP_REQUEST_EXTRA) {
        pthread_rwlock_rdlock(&gateway->lock);
        err = sc_ohttp_keys_open(gateway->keys, seconds_now(), bytes, size, text, &text_size,
                                 &o->exchange);
        pthread_rwlock_unlock(&gateway->lock);
    }
    if (err) {
        forget(o);
        refuse_unopened(gateway, request, err);
        return;
    }
    count(&gateway->opened);
    handle_opened(gateway, o, text, text_size);
}

// --- Making --------------------------------------------------------------------------------------

static sc_err make_replays(sc_oblivious_gateway *gateway, const sc_oblivious_options *options)
{
    uint8_t key[SC_REPLAY_KEY_SIZE];
    randombytes_buf(key, sizeof key);
    const sc_err err =
        sc_replay_store_new(options->replays, options->window_s, key, &gateway->replays);
    sodium_memzero(key, sizeof key);
    return err;
}

sc_err sc_oblivious_gateway_new(sc_http *http, const sc_oblivious_options *options,
                                sc_oblivious_gateway **out, sc_diag *diag)
{
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "libsodium cannot be initialised");
    sc_oblivious_gateway *gateway = sc_calloc(1, sizeof *gateway);
    if (!gateway) return sc_fail_memory(diag, "preparing Oblivious HTTP");
    pthread_rwlock_init(&gateway->lock, NULL);
    gateway->rotation =
        (sc_ohttp_rotation){.period_s = options->period_s, .grace_s = options->period_s / 2};
    sc_err err = make_replays(gateway, options);
    if (!err && options->keys) {
        gateway->path = sc_malloc(strlen(options->keys) + 1);
        if (gateway->path) memcpy(gateway->path, options->keys, strlen(options->keys) + 1);
        err = gateway->path ? sc_oblivious_gateway_reload(gateway, diag) : SC_ENOMEM;
    } else if (!err) {
        err = rotate(gateway);
    }
    if (!err) err = sc_http_every(http, 0, TICK_S, tick, gateway);
    if (err) {
        sc_oblivious_gateway_free(gateway);
        return err == SC_ENOMEM ? sc_fail_memory(diag, "preparing Oblivious HTTP") : err;
    }
    *out = gateway;
    return SC_OK;
}

void sc_oblivious_gateway_free(sc_oblivious_gateway *gateway)
{
    if (!gateway) return;
    sc_ohttp_keys_free(gateway->keys);
    sc_replay_store_free(gateway->replays);
    pthread_rwlock_destroy(&gateway->lock);
    sc_free(gateway->path);
    sc_free(gateway);
}

sc_oblivious_stats sc_oblivious_gateway_stats(const sc_oblivious_gateway *gateway)
{
    return (sc_oblivious_stats){.opened = atomic_load(&gateway->opened),
                                .unopened = atomic_load(&gateway->unopened),
                                .replayed = atomic_load(&gateway->replayed),
                                .misdated = atomic_load(&gateway->misdated),
                                .crowded = atomic_load(&gateway->crowded),
                                .keys_made = atomic_load(&gateway->keys_made)};
}
