// Anonymous tokens: the keys of their issuer, the two epochs that matter, and tokens that were
// good.
//
// `lock` guards the pointer to the keys, the epochs, the table and the counters; it is not held
// while a signature is checked. Keys are counted, since a check may go on while they are replaced.
#include "server/pass_issuer.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "server/key_source.h"

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <string.h>

enum {
    WAYS = 4,  ///< places that a token may have in the table
    SETS = 1 << 14,
    DIGEST_SIZE = 16,
    USER_HASH_SIZE = 24,
};

/** The keys of a directory, and how many use them. */
typedef struct key_set {
    atomic_size_t holders;
    size_t count;
    sc_pass_key keys[SC_PASS_DIRECTORY_KEYS_MAX];
    int64_t not_before_s[SC_PASS_DIRECTORY_KEYS_MAX];
} key_set;

/** An epoch, with its key once a token of it was accepted. */
typedef struct epoch_state {
    uint64_t number;
    bool is_set;
    uint8_t challenge[SC_PASS_CHALLENGE_MAX];
    size_t challenge_size;
    uint8_t digest[SC_PASS_DIGEST_SIZE];
    key_set *used;  ///< NULL: no token yet
    size_t used_key;
} epoch_state;

/** A token that was good. Zeros: the place is free. */
typedef struct remembered {
    uint8_t digest[DIGEST_SIZE];
    uint64_t epoch;
} remembered;

struct sc_pass_issuer {
    // Read only.
    char *directory;
    sc_pass_challenge challenge;  ///< without a context
    int64_t epoch_s;
    sc_key_source *source;
    uint8_t digest_key[crypto_generichash_KEYBYTES];
    // Under `lock`.
    pthread_mutex_t lock;
    key_set *current;       ///< NULL: none have come
    epoch_state epochs[2];  ///< by the number modulo 2
    remembered *table;      ///< SETS * WAYS
    sc_pass_issuer_stats stats;
};

// --- Keys ----------------------------------------------------------------------------------------

static void release(key_set *set)
{
    if (!set || atomic_fetch_sub(&set->holders, 1) > 1) return;
    for (size_t i = 0; i < set->count; i++) {
        sc_pass_key_fini(&set->keys[i]);
    }
    sc_free(set);
}

static key_set *hold(key_set *set)
{
    atomic_fetch_add(&set->holders, 1);
    return set;
}

static sc_err read_keys(const sc_pass_directory *directory, key_set *set)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < directory->count && !err; i++) {
        const sc_pass_listed_key *listed = &directory->keys[i];
        err = sc_pass_key_parse(listed->spki, sizeof listed->spki, &set->keys[i]);
        set->not_before_s[i] = listed->not_before_s;
        if (!err) set->count++;
    }
    return err;
}

/** Take a directory into use. */
static sc_err use_directory(void *context, const char *text, size_t size, size_t *count,
                            sc_diag *diag)
{
    sc_pass_issuer *issuer = context;
    sc_pass_directory *directory = sc_calloc(1, sizeof *directory);
    key_set *next = sc_calloc(1, sizeof *next);
    sc_err err = directory && next ? SC_OK : SC_ENOMEM;
    if (next) atomic_init(&next->holders, 1);
    if (!err) err = sc_pass_directory_parse(text, size, directory);
    if (!err) err = read_keys(directory, next);
    if (!err && next->count == 0) err = SC_EPARSE;
    sc_free(directory);
    if (err) {
        release(next);
        if (err == SC_ENOMEM) return sc_fail_memory(diag, "reading an issuer's directory");
        return sc_fail(diag, err,
                       "%s: this is not the directory of a token issuer with keys of type 2",
                       issuer->directory);
    }
    *count = next->count;
    pthread_mutex_lock(&issuer->lock);
    key_set *last = issuer->current;
    issuer->current = next;
    issuer->stats.keys = next->count;
    pthread_mutex_unlock(&issuer->lock);
    release(last);
    return SC_OK;
}

/** The key of an epoch by a directory; false: there is none. */
static bool find_key(const key_set *set, int64_t start_s, size_t *out)
{
    bool has_one = false;
    for (size_t i = 0; set && i < set->count; i++) {
        if (set->not_before_s[i] > start_s) continue;
        if (has_one && set->not_before_s[i] <= set->not_before_s[*out]) continue;
        *out = i;
        has_one = true;
    }
    return has_one;
}

/** Under the lock: the key of an epoch, held. NULL: there is none. */
static key_set *hold_key(const sc_pass_issuer *issuer, const epoch_state *epoch, size_t *key)
{
    if (epoch->used) {
        *key = epoch->used_key;
        return hold(epoch->used);
    }
    const int64_t start_s = (int64_t)epoch->number * issuer->epoch_s;
    return find_key(issuer->current, start_s, key) ? hold(issuer->current) : NULL;
}

// --- Epochs --------------------------------------------------------------------------------------

/** Under the lock: an epoch. The one before last makes room. */
static epoch_state *epoch_of(sc_pass_issuer *issuer, uint64_t number)
{
    epoch_state *epoch = &issuer->epochs[number % 2];
    if (epoch->is_set && epoch->number == number) return epoch;
    release(epoch->used);
    sc_pass_challenge challenge = issuer->challenge;
    challenge.has_context = true;
    sc_pass_epoch_context(number, issuer->epoch_s, challenge.origins, challenge.context);
    *epoch = (epoch_state){.number = number, .is_set = true};
    epoch->challenge_size = sc_pass_challenge_encode(&challenge, epoch->challenge);
    sc_pass_challenge_digest(epoch->challenge, epoch->challenge_size, epoch->digest);
    return epoch;
}

/** Under the lock: the epoch that a token is for, if it is one that is accepted now. */
static epoch_state *epoch_for(sc_pass_issuer *issuer, const sc_pass_token *token, int64_t now_s,
                              int64_t late_s)
{
    const uint64_t number = sc_pass_epoch(now_s, issuer->epoch_s);
    epoch_state *epoch = epoch_of(issuer, number);
    if (memcmp(epoch->digest, token->challenge_digest, sizeof epoch->digest) == 0) return epoch;
    if (now_s - (int64_t)number * issuer->epoch_s >= late_s || number == 0) return NULL;
    epoch = epoch_of(issuer, number - 1);
    const bool is_it = memcmp(epoch->digest, token->challenge_digest, sizeof epoch->digest) == 0;
    return is_it ? epoch : NULL;
}

// --- Tokens that were good -----------------------------------------------------------------------

static remembered *places_of(const sc_pass_issuer *issuer, const uint8_t digest[DIGEST_SIZE])
{
    uint32_t number = 0;
    memcpy(&number, digest, sizeof number);
    return issuer->table + (size_t)(number % SETS) * WAYS;
}

/** Under the lock. */
static bool recall(const sc_pass_issuer *issuer, const uint8_t digest[DIGEST_SIZE], uint64_t epoch)
{
    const remembered *places = places_of(issuer, digest);
    for (size_t i = 0; i < WAYS; i++) {
        if (places[i].epoch == epoch && sodium_memcmp(places[i].digest, digest, DIGEST_SIZE) == 0) {
            return true;
        }
    }
    return false;
}

/** Under the lock. In place of one of an earlier epoch, or else of any. */
static void remember(const sc_pass_issuer *issuer, const uint8_t digest[DIGEST_SIZE],
                     uint64_t epoch)
{
    remembered *places = places_of(issuer, digest);
    remembered *place = &places[digest[DIGEST_SIZE - 1] % WAYS];
    for (size_t i = 0; i < WAYS; i++) {
        if (places[i].epoch < epoch) place = &places[i];
    }
    memcpy(place->digest, digest, DIGEST_SIZE);
    place->epoch = epoch;
}

// --- Checks --------------------------------------------------------------------------------------

static void name_user(const sc_pass_issuer *issuer, const sc_pass_token *token, uint64_t epoch,
                      sc_token *out)
{
    static const char prefix[] = "\x01pass:";
    static const char use[] = "starcloak pass user";
    uint8_t hash[USER_HASH_SIZE];
    crypto_generichash_state state;
    crypto_generichash_init(&state, (const uint8_t *)use, sizeof use - 1, sizeof hash);
    crypto_generichash_update(&state, token->nonce, SC_PASS_NONCE_SIZE);
    // The digest has epoch, issuer and origin.
    crypto_generichash_update(&state, token->challenge_digest, SC_PASS_DIGEST_SIZE);
    crypto_generichash_final(&state, hash, sizeof hash);
    *out = (sc_token){.issued_s = (int64_t)epoch * issuer->epoch_s,
                      .expires_s = (int64_t)(epoch + 1) * issuer->epoch_s,
                      .is_of_epoch = true};
    memcpy(out->user, prefix, sizeof prefix);
    sodium_bin2base64(out->user + sizeof prefix - 1, sizeof out->user - (sizeof prefix - 1), hash,
                      sizeof hash, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    out->user_size = strlen(out->user);
    sodium_memzero(&state, sizeof state);
    sodium_memzero(hash, sizeof hash);
}

static sc_pass_verdict verdict_of(sc_err err)
{
    switch (err) {
    case SC_OK:
        return SC_PASS_GOOD;
    case SC_EUNKNOWN:
        return SC_PASS_KEY;
    case SC_EMISMATCH:
        return SC_PASS_EPOCH;
    case SC_EBROKEN:
        return SC_PASS_FORGED;
    case SC_ENOMEM:
        return SC_PASS_NO_MEMORY;
    default:
        return SC_PASS_MALFORMED;
    }
}

/** Under the lock: the first token of an epoch settles its key. False: another one was first. */
static bool settle_key(sc_pass_issuer *issuer, uint64_t number, key_set *set, size_t key)
{
    epoch_state *epoch = &issuer->epochs[number % 2];
    if (!epoch->is_set || epoch->number != number) return false;
    if (!epoch->used) {
        epoch->used = hold(set);
        epoch->used_key = key;
        return true;
    }
    return memcmp(epoch->used->keys[epoch->used_key].id, set->keys[key].id, SC_PASS_KEY_ID_SIZE) ==
           0;
}

/** The lock is held; it is given back meanwhile. */
static sc_pass_verdict verify(sc_pass_issuer *issuer, const epoch_state *epoch,
                              const uint8_t token[SC_PASS_TOKEN_SIZE],
                              const uint8_t digest[DIGEST_SIZE])
{
    size_t key = 0;
    const uint64_t number = epoch->number;
    uint8_t challenge_digest[SC_PASS_DIGEST_SIZE];
    memcpy(challenge_digest, epoch->digest, sizeof challenge_digest);
    key_set *set = hold_key(issuer, epoch, &key);
    if (!set) return SC_PASS_KEY;
    pthread_mutex_unlock(&issuer->lock);
    sc_pass_verdict verdict =
        verdict_of(sc_pass_verify(&set->keys[key], challenge_digest, token, SC_PASS_TOKEN_SIZE));
    pthread_mutex_lock(&issuer->lock);
    if (verdict == SC_PASS_GOOD && !settle_key(issuer, number, set, key)) verdict = SC_PASS_KEY;
    if (verdict == SC_PASS_GOOD) remember(issuer, digest, number);
    release(set);
    return verdict;
}

/** Under the lock, which is given back while a signature is checked. */
static sc_pass_verdict check(sc_pass_issuer *issuer, const uint8_t bytes[SC_PASS_TOKEN_SIZE],
                             int64_t now_s, int64_t late_s, sc_token *out)
{
    sc_pass_token token;
    if (sc_pass_token_parse(bytes, SC_PASS_TOKEN_SIZE, &token)) return SC_PASS_MALFORMED;
    const epoch_state *epoch = epoch_for(issuer, &token, now_s, late_s);
    if (!epoch) return SC_PASS_EPOCH;
    const uint64_t number = epoch->number;
    uint8_t digest[DIGEST_SIZE];
    crypto_generichash(digest, sizeof digest, bytes, SC_PASS_TOKEN_SIZE, issuer->digest_key,
                       sizeof issuer->digest_key);
    sc_pass_verdict verdict = SC_PASS_GOOD;
    if (recall(issuer, digest, number)) {
        issuer->stats.remembered++;
    } else {
        verdict = verify(issuer, epoch, bytes, digest);
    }
    if (verdict == SC_PASS_GOOD) name_user(issuer, &token, number, out);
    return verdict;
}

sc_pass_verdict sc_pass_issuer_check(sc_pass_issuer *issuer, const char *authorization,
                                     int64_t now_s, int64_t late_s, sc_token *out)
{
    uint8_t token[SC_PASS_TOKEN_SIZE];
    const size_t size = strnlen(authorization, SC_PASS_HEADER_MAX);
    const sc_err err = sc_pass_authorization_parse(authorization, size, token);
    pthread_mutex_lock(&issuer->lock);
    const sc_pass_verdict verdict =
        err ? verdict_of(err) : check(issuer, token, now_s, late_s, out);
    issuer->stats.verdicts[verdict]++;
    pthread_mutex_unlock(&issuer->lock);
    if (verdict == SC_PASS_KEY) sc_key_source_want(issuer->source);
    sodium_memzero(token, sizeof token);
    return verdict;
}

const char *sc_pass_words(sc_pass_verdict verdict)
{
    switch (verdict) {
    case SC_PASS_MALFORMED:
        return "this is not a private token of type 2";
    case SC_PASS_EPOCH:
        return "the private token is not for this challenge: its epoch may be over; get a new one";
    case SC_PASS_KEY:
        return "the private token is not of the key of this epoch; get a new one";
    case SC_PASS_FORGED:
        return "the private token was not signed by its issuer";
    case SC_PASS_NO_MEMORY:
        return "the private token could not be checked; retry";
    case SC_PASS_GOOD:
    case SC_PASS_VERDICT_COUNT:
        break;
    }
    return "";
}

bool sc_pass_issuer_challenge(sc_pass_issuer *issuer, int64_t now_s,
                              char out[SC_PASS_AUTHENTICATE_SIZE])
{
    sc_pass_offer offer = {.has_key = true};
    size_t key = 0;
    pthread_mutex_lock(&issuer->lock);
    const epoch_state *epoch = epoch_of(issuer, sc_pass_epoch(now_s, issuer->epoch_s));
    key_set *set = hold_key(issuer, epoch, &key);
    memcpy(offer.challenge, epoch->challenge, epoch->challenge_size);
    offer.challenge_size = epoch->challenge_size;
    offer.max_age_s = (int64_t)(epoch->number + 1) * issuer->epoch_s - now_s;
    pthread_mutex_unlock(&issuer->lock);
    if (!set) {
        sc_key_source_want(issuer->source);
        return false;
    }
    memcpy(offer.key, set->keys[key].spki, sizeof offer.key);
    release(set);
    sc_pass_authenticate_write(&offer, out);
    return true;
}

sc_pass_issuer_stats sc_pass_issuer_stats_of(sc_pass_issuer *issuer)
{
    pthread_mutex_lock(&issuer->lock);
    sc_pass_issuer_stats stats = issuer->stats;
    pthread_mutex_unlock(&issuer->lock);
    const sc_key_source_stats source = sc_key_source_stats_of(issuer->source);
    stats.fetched = source.fetched;
    stats.failures = source.failures;
    return stats;
}

// --- From start to end ---------------------------------------------------------------------------

static bool copy_name(const char *name, char *out, size_t room)
{
    const size_t size = strlen(name);
    if (size == 0 || size >= room) return false;
    memcpy(out, name, size + 1);
    return true;
}

/** What does not change in challenges. */
static sc_err set_names(sc_pass_issuer *issuer, const sc_pass_issuer_options *options,
                        sc_diag *diag)
{
    sc_pass_challenge *challenge = &issuer->challenge;
    uint8_t encoded[SC_PASS_CHALLENGE_MAX];
    const bool fits = copy_name(options->name, challenge->issuer, sizeof challenge->issuer) &&
                      copy_name(options->origin, challenge->origins, sizeof challenge->origins) &&
                      !strchr(options->origin, ',') &&
                      sc_pass_challenge_encode(challenge, encoded) > 0;
    if (fits) return SC_OK;
    return sc_fail(diag, SC_EINVAL,
                   "the names of issuer and origin must be those of hosts, as issuer.example");
}

static sc_err init(sc_pass_issuer *issuer, const sc_pass_issuer_options *options, sc_diag *diag)
{
    const size_t size = strlen(options->directory) + 1;
    issuer->epoch_s = options->epoch_s;
    issuer->table = sc_calloc((size_t)SETS * WAYS, sizeof *issuer->table);
    issuer->directory = sc_malloc(size);
    if (!issuer->table || !issuer->directory) return sc_fail_memory(diag, "reading keys");
    memcpy(issuer->directory, options->directory, size);
    if (sodium_init() < 0) {
        return sc_fail(diag, SC_EIO, "the system's random generator is not available");
    }
    randombytes_buf(issuer->digest_key, sizeof issuer->digest_key);
    const sc_err err = set_names(issuer, options, diag);
    if (err) return err;
    const sc_key_source_options source = {.location = options->directory,
                                          .ca = options->ca,
                                          .event = "pass_keys",
                                          .failed = "pass_keys_failed",
                                          .refresh_s = options->refresh_s,
                                          .retry_s = options->retry_s,
                                          .max_bytes = SC_PASS_DIRECTORY_MAX,
                                          .log = options->log,
                                          .use = use_directory,
                                          .context = issuer};
    return sc_key_source_new(&source, &issuer->source, diag);
}

sc_err sc_pass_issuer_new(const sc_pass_issuer_options *options, sc_pass_issuer **out,
                          sc_diag *diag)
{
    sc_pass_issuer *issuer = sc_calloc(1, sizeof *issuer);
    if (!issuer) return sc_fail_memory(diag, "reading keys");
    pthread_mutex_init(&issuer->lock, NULL);
    const sc_err err = init(issuer, options, diag);
    if (err) {
        sc_pass_issuer_free(issuer);
        return err;
    }
    *out = issuer;
    return SC_OK;
}

sc_err sc_pass_issuer_start(sc_pass_issuer *issuer, sc_diag *diag)
{
    return sc_key_source_start(issuer->source, diag);
}

sc_err sc_pass_issuer_reload(sc_pass_issuer *issuer, sc_diag *diag)
{
    return sc_key_source_reload(issuer->source, diag);
}

void sc_pass_issuer_free(sc_pass_issuer *issuer)
{
    if (!issuer) return;
    sc_key_source_free(issuer->source);
    release(issuer->epochs[0].used);
    release(issuer->epochs[1].used);
    release(issuer->current);
    sc_free(issuer->table);
    sc_free(issuer->directory);
    pthread_mutex_destroy(&issuer->lock);
    sodium_memzero(issuer, sizeof *issuer);
    sc_free(issuer);
}
