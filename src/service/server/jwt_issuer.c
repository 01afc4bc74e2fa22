// The issuer's keys, from a file or an address, and a table of tokens that were good.
//
// `lock` guards the pointer to the keys, the table and the counters; it is held for a look-up and
// never while a signature is checked or keys are fetched. Keys are counted, since a check may go on
// while they are replaced.
#include "server/jwt_issuer.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/thread.h"
#include "net/http_client.h"
#include "server/token_internal.h"

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    KEYS_SIZE_MAX = 1 << 20,
    REMEMBERED = 4096,  ///< tokens; two users whose place is the same take turns
    DIGEST_SIZE = 32,
};

/** To stop waits for a question that is under way, so not for long. */
static const double fetch_timeout_s = 5;

/** Keys, and how many use them. */
typedef struct shared_keys {
    atomic_size_t holders;
    sc_jwt_keys *keys;
} shared_keys;

/** A token that was good. */
typedef struct remembered {
    uint8_t digest[DIGEST_SIZE];
    sc_token token;  ///< user_size 0: the place is free
} remembered;

struct sc_jwt_issuer {
    // Read only.
    char *location;
    char *issuer;
    char *audience;
    char *user;
    char *ca;
    double refresh_s;
    double retry_s;
    sc_log *log;
    uint8_t digest_key[crypto_generichash_KEYBYTES];
    bool is_remote;
    bool has_thread;
    pthread_t thread;
    // Under `lock`.
    pthread_mutex_t lock;
    pthread_cond_t wanted;  ///< keys are, or the end
    shared_keys *current;   ///< NULL: none have come
    remembered *table;
    bool is_wanted;
    bool is_ending;
    sc_jwt_issuer_stats stats;
};

bool sc_jwt_keys_are_remote(const char *keys)
{
    return strncmp(keys, "https://", 8) == 0 || strncmp(keys, "http://", 7) == 0;
}

// --- Keys ----------------------------------------------------------------------------------------

static void release(shared_keys *keys)
{
    if (!keys || atomic_fetch_sub(&keys->holders, 1) > 1) return;
    sc_jwt_keys_free(keys->keys);
    sc_free(keys);
}

static shared_keys *hold(sc_jwt_issuer *issuer)
{
    pthread_mutex_lock(&issuer->lock);
    shared_keys *keys = issuer->current;
    if (keys) atomic_fetch_add(&keys->holders, 1);
    pthread_mutex_unlock(&issuer->lock);
    return keys;
}

/** Take a set of keys, as bytes, into use. Tokens of keys that went are no longer remembered. */
static sc_err use_keys(sc_jwt_issuer *issuer, const char *text, size_t size, sc_diag *diag)
{
    shared_keys *next = sc_calloc(1, sizeof *next);
    if (!next) return sc_fail_memory(diag, "reading keys");
    const sc_err err = sc_jwt_keys_parse(issuer->location, text, size, &next->keys, diag);
    if (err) {
        sc_free(next);
        return err;
    }
    atomic_init(&next->holders, 1);
    pthread_mutex_lock(&issuer->lock);
    shared_keys *last = issuer->current;
    issuer->current = next;
    issuer->stats.keys = sc_jwt_keys_count(next->keys);
    sodium_memzero(issuer->table, REMEMBERED * sizeof *issuer->table);
    pthread_mutex_unlock(&issuer->lock);
    release(last);
    return SC_OK;
}

static sc_err read_file(sc_jwt_issuer *issuer, sc_diag *diag)
{
    sc_input file = {0};
    sc_err err = sc__small_file_read(issuer->location, KEYS_SIZE_MAX, &file, NULL, diag);
    if (!err) err = use_keys(issuer, (const char *)file.data, file.size, diag);
    sc__small_file_free(&file);
    return err;
}

// --- Keys at an address --------------------------------------------------------------------------

static sc_err fetch(sc_jwt_issuer *issuer, sc_diag *diag)
{
    const sc_http_call call = {
        .rules = {.user_agent = "starcloak", .max_bytes = KEYS_SIZE_MAX, .ca_file = issuer->ca},
        .url = issuer->location,
        .timeout_s = fetch_timeout_s,
    };
    sc_http_answer answer = {0};
    sc_err err = SC_OK;
    if (!sc_http_call_wait(&call, &answer)) {
        err = sc_fail(diag, SC_EIO, "%s: %s", issuer->location, answer.words);
    } else if (answer.status != 200) {
        err = sc_fail(diag, SC_EIO, "%s: the reply has status %ld instead of 200", issuer->location,
                      answer.status);
    } else {
        err = use_keys(issuer, (const char *)answer.body.data, answer.body.size, diag);
    }
    sc_http_answer_fini(&answer);
    return err;
}

static void count_fetch(sc_jwt_issuer *issuer, bool has_failed)
{
    pthread_mutex_lock(&issuer->lock);
    if (has_failed) issuer->stats.failures++;
    if (!has_failed) issuer->stats.fetched++;
    pthread_mutex_unlock(&issuer->lock);
}

/** How asking went the last time. */
typedef enum fetch_state { NOT_ASKED, HAS_COME, HAS_FAILED } fetch_state;

/** Log what is otherwise than the last time. */
static void log_fetch(sc_jwt_issuer *issuer, fetch_state last, fetch_state now, const char *why)
{
    sc_log_line line;
    if (now == last) return;
    if (now == HAS_FAILED) {
        sc_log_message(issuer->log, SC_LOG_WARNING, "jwt_keys_failed", why);
    } else if (sc_log_begin(issuer->log, &line, SC_LOG_INFO, "jwt_keys")) {
        sc_log_count(&line, "keys", sc_jwt_issuer_stats_of(issuer).keys);
        sc_log_end(&line);
    }
}

/** Wait until keys are wanted, `seconds` have passed, or the end has come: false. */
static bool wait_for_reason(sc_jwt_issuer *issuer, double seconds, bool heeds_wishes)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const int64_t ns = until.tv_nsec + (int64_t)(seconds * 1e9);
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    pthread_mutex_lock(&issuer->lock);
    int late = 0;
    while (!issuer->is_ending && !late && !(heeds_wishes && issuer->is_wanted)) {
        late = pthread_cond_timedwait(&issuer->wanted, &issuer->lock, &until);
    }
    const bool goes_on = !issuer->is_ending;
    if (heeds_wishes) issuer->is_wanted = false;
    pthread_mutex_unlock(&issuer->lock);
    return goes_on;
}

static void *fetch_again_and_again(void *context)
{
    sc_jwt_issuer *issuer = context;
    fetch_state last = NOT_ASKED;
    bool goes_on = true;
    while (goes_on) {
        sc_diag diag = {.message = ""};
        const sc_err err = fetch(issuer, &diag);
        const fetch_state now = err ? HAS_FAILED : HAS_COME;
        count_fetch(issuer, err != SC_OK);
        log_fetch(issuer, last, now, diag.message);
        last = now;
        // A pause in any case, and then until there is a reason.
        goes_on = wait_for_reason(issuer, issuer->retry_s, false);
        const double rest_s = issuer->refresh_s - issuer->retry_s;
        if (goes_on && !err && rest_s > 0) goes_on = wait_for_reason(issuer, rest_s, true);
    }
    return NULL;
}

static void want_keys(sc_jwt_issuer *issuer)
{
    if (!issuer->is_remote) return;
    pthread_mutex_lock(&issuer->lock);
    issuer->is_wanted = true;
    pthread_cond_signal(&issuer->wanted);
    pthread_mutex_unlock(&issuer->lock);
}

// --- From start to end ---------------------------------------------------------------------------

static bool copy_text(const char *text, char **out)
{
    if (!text) return true;
    const size_t size = strlen(text) + 1;
    *out = sc_malloc(size);
    if (*out) memcpy(*out, text, size);
    return *out != NULL;
}

static void init_lock(sc_jwt_issuer *issuer)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&issuer->wanted, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&issuer->lock, NULL);
}

sc_err sc_jwt_issuer_new(const sc_jwt_issuer_options *options, sc_jwt_issuer **out, sc_diag *diag)
{
    sc_jwt_issuer *issuer = sc_calloc(1, sizeof *issuer);
    if (!issuer) return sc_fail_memory(diag, "reading the issuer's keys");
    init_lock(issuer);
    issuer->refresh_s = options->refresh_s;
    issuer->retry_s = options->retry_s;
    issuer->log = options->log;
    issuer->is_remote = sc_jwt_keys_are_remote(options->keys);
    issuer->table = sc_calloc(REMEMBERED, sizeof *issuer->table);
    sc_err err = SC_OK;
    if (!issuer->table || !copy_text(options->keys, &issuer->location) ||
        !copy_text(options->issuer, &issuer->issuer) ||
        !copy_text(options->audience, &issuer->audience) ||
        !copy_text(options->user, &issuer->user) || !copy_text(options->ca, &issuer->ca)) {
        err = sc_fail_memory(diag, "reading the issuer's keys");
    } else if (sodium_init() < 0) {
        err = sc_fail(diag, SC_EIO, "the system's random generator is not available");
    }
    if (!err) randombytes_buf(issuer->digest_key, sizeof issuer->digest_key);
    if (!err && !issuer->is_remote) err = read_file(issuer, diag);
    if (err) {
        sc_jwt_issuer_free(issuer);
        return err;
    }
    *out = issuer;
    return SC_OK;
}

sc_err sc_jwt_issuer_start(sc_jwt_issuer *issuer, sc_diag *diag)
{
    if (!issuer->is_remote) return SC_OK;
    sc_err err = sc_http_client_start(diag);
    if (err) return err;
    err = sc_thread_start(&issuer->thread, fetch_again_and_again, issuer);
    issuer->has_thread = !err;
    if (!err) return SC_OK;
    sc_http_client_stop();
    return sc_fail(diag, err, "no thread for the issuer's keys can be started");
}

sc_err sc_jwt_issuer_reload(sc_jwt_issuer *issuer, sc_diag *diag)
{
    if (!issuer->is_remote) return read_file(issuer, diag);
    want_keys(issuer);
    return SC_OK;
}

void sc_jwt_issuer_free(sc_jwt_issuer *issuer)
{
    if (!issuer) return;
    if (issuer->has_thread) {
        pthread_mutex_lock(&issuer->lock);
        issuer->is_ending = true;
        pthread_cond_signal(&issuer->wanted);
        pthread_mutex_unlock(&issuer->lock);
        pthread_join(issuer->thread, NULL);
        sc_http_client_stop();
    }
    release(issuer->current);
    if (issuer->table) sodium_memzero(issuer->table, REMEMBERED * sizeof *issuer->table);
    sc_free(issuer->table);
    sc_free(issuer->location);
    sc_free(issuer->issuer);
    sc_free(issuer->audience);
    sc_free(issuer->user);
    sc_free(issuer->ca);
    pthread_cond_destroy(&issuer->wanted);
    pthread_mutex_destroy(&issuer->lock);
    sodium_memzero(issuer, sizeof *issuer);
    sc_free(issuer);
}

// --- Tokens --------------------------------------------------------------------------------------

static remembered *place_of(const sc_jwt_issuer *issuer, const uint8_t digest[DIGEST_SIZE])
{
    uint32_t number = 0;
    memcpy(&number, digest, sizeof number);
    return &issuer->table[number % REMEMBERED];
}

/** Whether the token was good before and has not expired since. */
static bool recall(sc_jwt_issuer *issuer, const uint8_t digest[DIGEST_SIZE], int64_t now_s,
                   sc_token *out)
{
    pthread_mutex_lock(&issuer->lock);
    const remembered *known = place_of(issuer, digest);
    const bool is_known = known->token.user_size > 0 && known->token.expires_s > now_s &&
                          sodium_memcmp(known->digest, digest, DIGEST_SIZE) == 0;
    if (is_known) {
        *out = known->token;
        issuer->stats.remembered++;
    }
    pthread_mutex_unlock(&issuer->lock);
    return is_known;
}

/** @param keys  by which it is good; if they are no longer in use, it is not remembered */
static void remember(sc_jwt_issuer *issuer, const shared_keys *keys,
                     const uint8_t digest[DIGEST_SIZE], const sc_token *token)
{
    pthread_mutex_lock(&issuer->lock);
    if (issuer->current == keys) {
        remembered *place = place_of(issuer, digest);
        memcpy(place->digest, digest, DIGEST_SIZE);
        place->token = *token;
    }
    pthread_mutex_unlock(&issuer->lock);
}

sc_jwt_verdict sc_jwt_issuer_check(sc_jwt_issuer *issuer, const char *text, int64_t now_s,
                                   sc_token *out)
{
    const size_t size = strnlen(text, SC_JWT_SIZE_MAX + 1);
    if (size > SC_JWT_SIZE_MAX) return SC_JWT_MALFORMED;
    uint8_t digest[DIGEST_SIZE];
    crypto_generichash(digest, sizeof digest, (const uint8_t *)text, size, issuer->digest_key,
                       sizeof issuer->digest_key);
    if (recall(issuer, digest, now_s, out)) return SC_JWT_GOOD;

    shared_keys *keys = hold(issuer);
    const sc_jwt_terms terms = {
        .issuer = issuer->issuer, .audience = issuer->audience, .user = issuer->user};
    const sc_jwt_verdict verdict =
        keys ? sc_jwt_check(keys->keys, &terms, text, now_s, out) : SC_JWT_UNKNOWN_KEY;
    if (verdict == SC_JWT_GOOD) remember(issuer, keys, digest, out);
    if (verdict == SC_JWT_UNKNOWN_KEY) want_keys(issuer);
    pthread_mutex_lock(&issuer->lock);
    issuer->stats.checked++;
    pthread_mutex_unlock(&issuer->lock);
    release(keys);
    return verdict;
}

sc_jwt_issuer_stats sc_jwt_issuer_stats_of(sc_jwt_issuer *issuer)
{
    pthread_mutex_lock(&issuer->lock);
    const sc_jwt_issuer_stats stats = issuer->stats;
    pthread_mutex_unlock(&issuer->lock);
    return stats;
}
