// The issuer's routes: who may have a signature, and the directory of keys.
//
// All but a reload happens in the loop's thread. `lock` guards the pointers to token keys and
// revoked tokens, which a reload exchanges.
#include "issuer/issuer.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "issuer/epoch_keys.h"
#include "issuer/issued_accounts.h"
#include "server/rate_limit.h"
#include "server/revoked.h"
#include "server/token.h"

#include <errno.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

enum {
    ADDRESS_BUCKETS = 1 << 16,
    PROBLEM_ROOM = 512,
    BODY_MAX = 4096,
    PATH_ROOM = 4096,
};

#define REQUEST_PATH "/token-request"

/** Whether an epoch is over is looked at so often, seconds. */
#define TICK_S 0.25
/** Rates that no longer count are forgotten so often. */
#define FORGET_S 10.0

struct sc_issuer {
    sc_issuer_options options;
    sc_http *http;
    sc_rate_limit *addresses;
    // The loop's thread, once it has started.
    sc_epoch_keys *keys;
    sc_issued_accounts *issued;
    bool has_epoch;
    bool has_failed;  ///< to make or write keys; the log has it
    uint64_t epoch;   ///< of `issued`
    // Under `lock`.
    pthread_mutex_t lock;
    sc_token_keys *token_keys;
    sc_revoked *revoked;
};

// --- Replies -------------------------------------------------------------------------------------

/** @param detail  without anything that would have to be escaped */
static size_t write_problem(int status, const char *title, const char *detail,
                            char out[PROBLEM_ROOM])
{
    const int size = snprintf(
        out, PROBLEM_ROOM, "{\"type\":\"about:blank\",\"title\":\"%s\",\"status\":%d%s%s%s}", title,
        status, *detail ? ",\"detail\":\"" : "", detail, *detail ? "\"" : "");
    return size > 0 && size < PROBLEM_ROOM ? (size_t)size : 0;
}

static size_t problem_of_server(void *context, int status, char *buffer, size_t room)
{
    (void)context;
    char text[PROBLEM_ROOM];
    const size_t size = write_problem(status, "The request was refused", "", text);
    if (size > room) return 0;
    memcpy(buffer, text, size);
    return size;
}

static void send_problem(sc_http_request *request, int status, const char *title,
                         const char *detail, unsigned retry_after_s)
{
    enum { UNAUTHORIZED = 401, METHOD = 405 };
    char text[PROBLEM_ROOM];
    char later[16];
    sc_http_header headers[3];
    size_t count = 0;
    if (retry_after_s > 0) {
        snprintf(later, sizeof later, "%u", retry_after_s);
        headers[count++] = (sc_http_header){"Retry-After", later};
    }
    if (status == UNAUTHORIZED) {
        headers[count++] = (sc_http_header){"WWW-Authenticate", "Bearer realm=\"token issuer\""};
    }
    if (status == METHOD) headers[count++] = (sc_http_header){"Allow", detail};
    const size_t size = write_problem(status, title, detail, text);
    sc_http_reply(request, status, "application/problem+json", text, size, headers, count);
}

// --- Epochs --------------------------------------------------------------------------------------

static void log_failure(sc_issuer *issuer, sc_err err, const char *why)
{
    if (err && !issuer->has_failed) {
        sc_log_message(issuer->options.log, SC_LOG_ERROR, "keys_failed", why);
    } else if (!err && issuer->has_failed) {
        sc_log_message(issuer->options.log, SC_LOG_INFO, "keys", "keys are made again");
    }
    issuer->has_failed = err != SC_OK;
}

/** The present epoch, with its key and its accounts. What failed is tried again, and keys are made
 * ahead, by the clock and not by a request. */
static sc_err enter_epoch(sc_issuer *issuer, int64_t now_s, bool is_tick, sc_diag *diag)
{
    const uint64_t epoch = sc_pass_epoch(now_s, issuer->options.epoch_s);
    const bool is_same = issuer->has_epoch && issuer->epoch == epoch;
    if (!is_tick && (is_same || issuer->has_failed)) return SC_OK;
    issuer->has_epoch = is_same;
    const sc_err made = sc_epoch_keys_pass_time(issuer->keys, now_s, diag);
    const uint8_t *hash_key = sc_epoch_keys_hash_key(issuer->keys, epoch);
    if (!hash_key || issuer->has_epoch) return made;
    const sc_err err = sc_issued_accounts_begin(issuer->issued, epoch, hash_key, diag);
    issuer->epoch = epoch;
    issuer->has_epoch = !err;
    return err ? err : made;
}

/** For a request. */
static bool is_in_epoch(sc_issuer *issuer, int64_t now_s)
{
    sc_diag diag = {.message = ""};
    if (!issuer->has_failed) {
        log_failure(issuer, enter_epoch(issuer, now_s, false, &diag), diag.message);
    }
    return issuer->has_epoch && issuer->epoch == sc_pass_epoch(now_s, issuer->options.epoch_s);
}

static void tick(void *context, unsigned loop)
{
    (void)loop;
    sc_issuer *issuer = context;
    sc_diag diag = {.message = ""};
    log_failure(issuer, enter_epoch(issuer, (int64_t)time(NULL), true, &diag), diag.message);
}

static unsigned seconds_left(const sc_issuer *issuer, int64_t now_s)
{
    return (unsigned)(issuer->options.epoch_s - now_s % issuer->options.epoch_s);
}

// --- The directory -------------------------------------------------------------------------------

static void show_directory(sc_issuer *issuer, sc_http_request *request)
{
    const int64_t now_s = time(NULL);
    char age[40];
    sc_bytes text = {.size = 0};
    sc_pass_directory *directory = sc_calloc(1, sizeof *directory);
    const bool has_keys = directory && is_in_epoch(issuer, now_s);
    if (has_keys) {
        memcpy(directory->request_uri, REQUEST_PATH, sizeof REQUEST_PATH);
        sc_epoch_keys_list(issuer->keys, now_s, directory);
    }
    if (!has_keys || sc_pass_directory_write(directory, &text)) {
        send_problem(request, 503, "There are no keys", "retry", 1);
    } else {
        // The next key is there before it is needed.
        snprintf(age, sizeof age, "public, max-age=%u", seconds_left(issuer, now_s));
        const sc_http_header headers[] = {{"Cache-Control", age}};
        sc_http_reply(request, 200, SC_PASS_DIRECTORY_TYPE, text.data, text.size, headers, 1);
    }
    sc_bytes_fini(&text);
    sc_free(directory);
}

// --- Tokens --------------------------------------------------------------------------------------

/** The account of a request; otherwise why there is none. */
static const char *identify(sc_issuer *issuer, const sc_http_request *request, int64_t now_s,
                            sc_token *out)
{
    static const char scheme[] = "Bearer ";
    const char *header = sc_http_request_header(request, "Authorization");
    if (!header || strncasecmp(header, scheme, sizeof scheme - 1) != 0) {
        return "no token; send Authorization: Bearer TOKEN";
    }
    const char *text = header + sizeof scheme - 1;
    text += strspn(text, " ");
    const char *why = NULL;
    pthread_mutex_lock(&issuer->lock);
    if (sc_token_check(issuer->token_keys, text, out)) {
        why = "this is not a token of an account here";
    } else if (out->expires_s <= now_s) {
        why = "the token has expired; get a new one";
    } else if (sc_revoked_has(issuer->revoked, issuer->token_keys, out)) {
        why = "the token was revoked";
    }
    pthread_mutex_unlock(&issuer->lock);
    return why;
}

static void sign(sc_issuer *issuer, sc_http_request *http, const sc_token *account, int64_t now_s)
{
    size_t size = 0;
    const uint8_t *body = (const uint8_t *)sc_http_request_body(http, &size);
    uint8_t response[SC_PASS_RESPONSE_SIZE];
    uint8_t key_id = 0;
    const sc_pass_key *key = sc_epoch_keys_at(issuer->keys, issuer->epoch);
    if (sc_pass_request_key(body, size, &key_id)) {
        send_problem(http, 422, "This is no request for a token of type 2", "", 0);
        return;
    }
    if (key_id != key->id[SC_PASS_KEY_ID_SIZE - 1]) {
        send_problem(http, 422, "The request is not for the key of this epoch",
                     "fetch the directory again", 0);
        return;
    }
    // Before it is taken down: what cannot be signed costs an account nothing.
    const sc_err unsigned_why = sc_pass_issue(key, body, size, response);
    if (unsigned_why == SC_EPARSE) {
        send_problem(http, 422, "This is no request for a token of type 2", "", 0);
        return;
    }
    const sc_err err = unsigned_why ? unsigned_why
                                    : sc_issued_accounts_add(issuer->issued, account->user,
                                                             account->user_size, body, size);
    if (err == SC_EDUPLICATE) {
        send_problem(http, 429, "This account has its token of this epoch",
                     "ask again in the next one", seconds_left(issuer, now_s));
    } else if (err) {
        send_problem(http, 503, "The token cannot be signed now",
                     err == SC_ELIMIT ? "too many accounts have one" : "retry", 1);
    } else {
        const sc_http_header headers[] = {{"Cache-Control", "no-store"}};
        sc_http_reply(http, 200, SC_PASS_RESPONSE_TYPE, response, sizeof response, headers, 1);
    }
}

static void give_token(sc_issuer *issuer, sc_http_request *request)
{
    const int64_t now_s = time(NULL);
    const char *type = sc_http_request_header(request, "Content-Type");
    sc_token account;
    if (!type || strcasecmp(type, SC_PASS_REQUEST_TYPE) != 0) {
        send_problem(request, 415, "Content-Type must be " SC_PASS_REQUEST_TYPE, "", 0);
        return;
    }
    const char *why = identify(issuer, request, now_s, &account);
    if (why) {
        send_problem(request, 401, "A token of an account is needed", why, 0);
    } else if (!is_in_epoch(issuer, now_s)) {
        send_problem(request, 503, "There is no key for this epoch", "retry", 1);
    } else {
        sign(issuer, request, &account, now_s);
    }
    sodium_memzero(&account, sizeof account);
}

// --- The handler ---------------------------------------------------------------------------------

static bool is_within_rate(sc_issuer *issuer, sc_http_request *request)
{
    const unsigned wait_s = sc_rate_limit_take(issuer->addresses, sc_http_request_peer(request),
                                               issuer->options.address_rate,
                                               issuer->options.address_burst, sc_clock_us());
    if (wait_s == 0) return true;
    send_problem(request, 429, "Too many requests from this address", "", wait_s);
    return false;
}

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    (void)loop;
    sc_issuer *issuer = context;
    static const char ok[] = "{\"status\":\"ok\"}";
    const sc_http_method method = sc_http_request_method(request);
    const char *path = sc_http_request_path(request);
    const bool is_read = method == SC_HTTP_GET || method == SC_HTTP_HEAD;
    const bool is_directory = strcmp(path, SC_PASS_DIRECTORY_PATH) == 0;
    if (is_read && strcmp(path, "/healthz") == 0) {
        sc_http_reply(request, 200, "application/json", ok, sizeof ok - 1, NULL, 0);
    } else if (sc_http_request_is_reserve(request)) {
        send_problem(request, 503, "Too many connections", "retry", 1);
    } else if (!is_within_rate(issuer, request)) {
        return;
    } else if (is_directory && is_read) {
        show_directory(issuer, request);
    } else if (is_directory) {
        send_problem(request, 405, "The directory is read", "GET, HEAD", 0);
    } else if (strcmp(path, REQUEST_PATH) != 0) {
        send_problem(request, 404, "No such page", "", 0);
    } else if (method != SC_HTTP_POST) {
        send_problem(request, 405, "Requests for tokens are sent by POST", "POST", 0);
    } else {
        give_token(issuer, request);
    }
}

/** Rates are forgotten: how often an address asked is private. */
static void forget_rates(void *context, unsigned loop)
{
    (void)loop;
    sc_issuer *issuer = context;
    sc_rate_limit_forget(issuer->addresses, sc_clock_us());
}

// --- From start to end ---------------------------------------------------------------------------

sc_issuer_options sc_issuer_options_default(void)
{
    sc_issuer_options options = {.http = sc_http_options_default(),
                                 .epoch_s = 3600,
                                 .max_accounts = 1000000,
                                 .address_rate = 10,
                                 .address_burst = 100};
    options.http.max_body_bytes = BODY_MAX;
    return options;
}

static sc_err read_accounts(const sc_issuer_options *options, sc_token_keys **keys,
                            sc_revoked **revoked, sc_diag *diag)
{
    sc_err err = sc_token_keys_read(options->token_keys, keys, diag);
    if (!err) err = sc_revoked_read(options->revoked, revoked, diag);
    if (!err) return SC_OK;
    sc_token_keys_free(*keys);
    *keys = NULL;
    return err;
}

/** A folder for the owner alone, and a file in it. */
static sc_err path_in(const char *folder, const char *name, char out[PATH_ROOM], sc_diag *diag)
{
    if (mkdir(folder, S_IRWXU) != 0 && errno != EEXIST) {
        return sc_fail(diag, SC_EIO, "%s: %s", folder, strerror(errno));
    }
    const int size = snprintf(out, PATH_ROOM, "%s/%s", folder, name);
    return size > 0 && size < PATH_ROOM ? SC_OK
                                        : sc_fail(diag, SC_EINVAL, "the folder's name is too long");
}

static sc_err open_state(sc_issuer *issuer, sc_diag *diag)
{
    const sc_issuer_options *options = &issuer->options;
    char path[PATH_ROOM];
    sc_err err = path_in(options->state, "epoch-keys", path, diag);
    if (!err) err = sc_epoch_keys_open(path, options->epoch_s, &issuer->keys, diag);
    if (!err) err = path_in(options->state, "issued", path, diag);
    if (!err) err = sc_issued_accounts_open(path, options->max_accounts, &issuer->issued, diag);
    return err ? err : enter_epoch(issuer, (int64_t)time(NULL), true, diag);
}

static sc_err make_server(sc_issuer *issuer, sc_diag *diag)
{
    sc_http_options http = issuer->options.http;
    http.handle = handle;
    http.context = issuer;
    http.problem = problem_of_server;
    http.loops = 1;
    sc_err err = sc_http_new(&http, &issuer->http, diag);
    if (err) return err;
    err = sc_rate_limit_new(ADDRESS_BUCKETS, &issuer->addresses);
    if (!err) err = sc_http_every(issuer->http, 0, TICK_S, tick, issuer);
    if (!err) err = sc_http_every(issuer->http, 0, FORGET_S, forget_rates, issuer);
    return err ? sc_fail(diag, err, "the issuer cannot be started: %s", sc_err_text(err)) : SC_OK;
}

sc_err sc_issuer_new(const sc_issuer_options *options, sc_issuer **out, sc_diag *diag)
{
    if (sodium_init() < 0) {
        return sc_fail(diag, SC_EIO, "the system's random generator is not available");
    }
    sc_issuer *issuer = sc_calloc(1, sizeof *issuer);
    if (!issuer) return sc_fail_memory(diag, "preparing the issuer");
    issuer->options = *options;
    pthread_mutex_init(&issuer->lock, NULL);
    sc_err err = read_accounts(options, &issuer->token_keys, &issuer->revoked, diag);
    if (!err) err = make_server(issuer, diag);
    if (!err) err = open_state(issuer, diag);
    if (err) {
        sc_issuer_free(issuer);
        return err;
    }
    *out = issuer;
    return SC_OK;
}

sc_err sc_issuer_start(sc_issuer *issuer, sc_diag *diag)
{
    return sc_http_start(issuer->http, diag);
}

sc_err sc_issuer_reload(sc_issuer *issuer, sc_diag *diag)
{
    sc_token_keys *keys = NULL;
    sc_revoked *revoked = NULL;
    sc_err err = read_accounts(&issuer->options, &keys, &revoked, diag);
    if (!err && issuer->options.http.tls.certificate) err = sc_http_reload_tls(issuer->http, diag);
    if (!err) {
        pthread_mutex_lock(&issuer->lock);
        sc_token_keys *last_keys = issuer->token_keys;
        sc_revoked *last_revoked = issuer->revoked;
        issuer->token_keys = keys;
        issuer->revoked = revoked;
        pthread_mutex_unlock(&issuer->lock);
        keys = last_keys;
        revoked = last_revoked;
    }
    sc_token_keys_free(keys);
    sc_revoked_free(revoked);
    return err;
}

sc_http *sc_issuer_http(sc_issuer *issuer)
{
    return issuer->http;
}

void sc_issuer_free(sc_issuer *issuer)
{
    if (!issuer) return;
    if (issuer->http) sc_http_stop(issuer->http);
    sc_http_free(issuer->http);
    sc_rate_limit_free(issuer->addresses);
    sc_issued_accounts_free(issuer->issued);
    sc_epoch_keys_free(issuer->keys);
    sc_token_keys_free(issuer->token_keys);
    sc_revoked_free(issuer->revoked);
    pthread_mutex_destroy(&issuer->lock);
    sc_free(issuer);
}
