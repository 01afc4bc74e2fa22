// The issuer's keys, from a file or an address, and a table of tokens that were good.
//
// `lock` guards the pointer to the keys, the table and the counters; it is held for a look-up and
// never while a signature is checked. Keys are counted, since a check may go on while they are
// replaced.
#include "server/jwt_issuer.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "server/key_source.h"

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <string.h>

enum {
    KEYS_SIZE_MAX = 1 << 20,
    REMEMBERED = 4096,  ///< tokens; two users whose place is the same take turns
    DIGEST_SIZE = 32,
};

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
    sc_key_source *source;
    uint8_t digest_key[crypto_generichash_KEYBYTES];
    // Under `lock`.
    pthread_mutex_t lock;
    shared_keys *current;  ///< NULL: none have come
    remembered *table;
    sc_jwt_issuer_stats stats;
};

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
static sc_err use_keys(void *context, const char *text, size_t size, size_t *count, sc_diag *diag)
{
    sc_jwt_issuer *issuer = context;
    shared_keys *next = sc_calloc(1, sizeof *next);
    if (!next) return sc_fail_memory(diag, "reading keys");
    const sc_err err = sc_jwt_keys_parse(issuer->location, text, size, &next->keys, diag);
    if (err) {
        sc_free(next);
        return err;
    }
    atomic_init(&next->holders, 1);
    *count = sc_jwt_keys_count(next->keys);
    pthread_mutex_lock(&issuer->lock);
    shared_keys *last = issuer->current;
    issuer->current = next;
    issuer->stats.keys = *count;
    sodium_memzero(issuer->table, REMEMBERED * sizeof *issuer->table);
    pthread_mutex_unlock(&issuer->lock);
    release(last);
    return SC_OK;
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

sc_err sc_jwt_issuer_new(const sc_jwt_issuer_options *options, sc_jwt_issuer **out, sc_diag *diag)
{
    sc_jwt_issuer *issuer = sc_calloc(1, sizeof *issuer);
    if (!issuer) return sc_fail_memory(diag, "reading the issuer's keys");
    pthread_mutex_init(&issuer->lock, NULL);
    issuer->table = sc_calloc(REMEMBERED, sizeof *issuer->table);
    sc_err err = SC_OK;
    if (!issuer->table || !copy_text(options->keys, &issuer->location) ||
        !copy_text(options->issuer, &issuer->issuer) ||
        !copy_text(options->audience, &issuer->audience) ||
        !copy_text(options->user, &issuer->user)) {
        err = sc_fail_memory(diag, "reading the issuer's keys");
    } else if (sodium_init() < 0) {
        err = sc_fail(diag, SC_EIO, "the system's random generator is not available");
    }
    if (!err) randombytes_buf(issuer->digest_key, sizeof issuer->digest_key);
    const sc_key_source_options source = {.location = options->keys,
                                          .ca = options->ca,
                                          .event = "jwt_keys",
                                          .failed = "jwt_keys_failed",
                                          .refresh_s = options->refresh_s,
                                          .retry_s = options->retry_s,
                                          .max_bytes = KEYS_SIZE_MAX,
                                          .log = options->log,
                                          .use = use_keys,
                                          .context = issuer};
    if (!err) err = sc_key_source_new(&source, &issuer->source, diag);
    if (err) {
        sc_jwt_issuer_free(issuer);
        return err;
    }
    *out = issuer;
    return SC_OK;
}

sc_err sc_jwt_issuer_start(sc_jwt_issuer *issuer, sc_diag *diag)
{
    return sc_key_source_start(issuer->source, diag);
}

sc_err sc_jwt_issuer_reload(sc_jwt_issuer *issuer, sc_diag *diag)
{
    return sc_key_source_reload(issuer->source, diag);
}

void sc_jwt_issuer_free(sc_jwt_issuer *issuer)
{
    if (!issuer) return;
    sc_key_source_free(issuer->source);
    release(issuer->current);
    if (issuer->table) sodium_memzero(issuer->table, REMEMBERED * sizeof *issuer->table);
    sc_free(issuer->table);
    sc_free(issuer->location);
    sc_free(issuer->issuer);
    sc_free(issuer->audience);
    sc_free(issuer->user);
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
    if (verdict == SC_JWT_UNKNOWN_KEY) sc_key_source_want(issuer->source);
    pthread_mutex_lock(&issuer->lock);
    issuer->stats.checked++;
    pthread_mutex_unlock(&issuer->lock);
    release(keys);
    return verdict;
}

sc_jwt_issuer_stats sc_jwt_issuer_stats_of(sc_jwt_issuer *issuer)
{
    pthread_mutex_lock(&issuer->lock);
    sc_jwt_issuer_stats stats = issuer->stats;
    pthread_mutex_unlock(&issuer->lock);
    const sc_key_source_stats source = sc_key_source_stats_of(issuer->source);
    stats.fetched = source.fetched;
    stats.failures = source.failures;
    return stats;
}
