// HTTP requests by curl. See http_client.h.
#include "net/http_client.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/diag.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

sc_err sc_http_client_start(sc_diag *diag)
{
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK
               ? SC_OK
               : sc_fail(diag, SC_ENET, "the HTTP client (curl) cannot be initialised");
}

void sc_http_client_stop(void)
{
    curl_global_cleanup();
}

// --- Handles -------------------------------------------------------------------------------------

static bool set_file(CURL *easy, CURLoption option, const char *path)
{
    return !path || !curl_easy_setopt(easy, option, path);
}

static bool set_blob(CURL *easy, CURLoption option, const sc_bytes *bytes)
{
    if (!bytes || bytes->size == 0) return true;
    // The rules outlive the handle: no need for copies of a key.
    struct curl_blob blob = {.data = bytes->data, .len = bytes->size, .flags = CURL_BLOB_NOCOPY};
    return !curl_easy_setopt(easy, option, &blob);
}

static bool set_tls(CURL *easy, const sc_http_rules *rules)
{
    bool is_fine = true;
    is_fine &= !curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    is_fine &= set_file(easy, CURLOPT_CAINFO, rules->ca_file);
    is_fine &= set_file(easy, CURLOPT_SSLCERT, rules->certificate_file);
    is_fine &= set_file(easy, CURLOPT_SSLKEY, rules->key_file);
    is_fine &= set_blob(easy, CURLOPT_CAINFO_BLOB, rules->ca);
    is_fine &= set_blob(easy, CURLOPT_SSLCERT_BLOB, rules->certificate);
    is_fine &= set_blob(easy, CURLOPT_SSLKEY_BLOB, rules->key);
    return is_fine;
}

// Each option keeps curl from telling more, or from telling another host.
static bool set_rules(CURL *easy, const sc_http_rules *rules)
{
    bool is_fine = true;
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    is_fine &= !curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, rules->http_version);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_USERAGENT, rules->user_agent);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_HTTPHEADER, rules->headers);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    // A proxy named in the environment would see every cloak without having been asked for.
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PROXY, "");
    is_fine &= !curl_easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)rules->max_bytes);
    // Signals are the program's, not a library's.
    is_fine &= !curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    if (rules->connect_timeout_ms > 0) {
        is_fine &= !curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, rules->connect_timeout_ms);
    }
    return is_fine && set_tls(easy, rules);
}

CURL *sc_http_easy_new(const sc_http_rules *rules)
{
    CURL *easy = curl_easy_init();
    if (!easy || set_rules(easy, rules)) return easy;
    curl_easy_cleanup(easy);
    return NULL;
}

// curl hands over a part of the body; taking less than that ends the transfer.
size_t sc_http_take(char *bytes, size_t one, size_t count, void *context)
{
    (void)one;  // always 1
    sc_http_body *body = context;
    if (count > body->max_bytes - body->bytes.size) {
        body->trouble = SC_ELIMIT;
        return 0;
    }
    if (!sc_bytes_reserve_wiping(&body->bytes, count + 1)) {
        body->trouble = SC_ENOMEM;
        return 0;
    }
    memcpy(body->bytes.data + body->bytes.size, bytes, count);
    body->bytes.size += count;
    return count;
}

// --- Broken pipes --------------------------------------------------------------------------------

static bool is_broken_pipe_pending(void)
{
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGPIPE) == 1;
}

sc_pipe_guard sc_pipe_guard_begin(void)
{
    sc_pipe_guard guard = {.was_pending = is_broken_pipe_pending()};
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, &guard.before);
    return guard;
}

void sc_pipe_guard_end(const sc_pipe_guard *guard)
{
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    if (!guard->was_pending && is_broken_pipe_pending()) {
        sigtimedwait(&broken_pipe, NULL, &(struct timespec){0});
    }
    pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
}

// --- One request, waited for ---------------------------------------------------------------------

/** A request under way. */
typedef struct exchange {
    const sc_http_call *call;
    sc_http_body body;
    int64_t started_us;
} exchange;

static double passed_s(const exchange *e)
{
    return (double)(sc_clock_us() - e->started_us) * 1e-6;
}

static int tell_waiting(void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
                        curl_off_t up)
{
    (void)down_total, (void)down, (void)up_total, (void)up;
    const exchange *e = context;
    e->call->waits(e->call->context, passed_s(e));
    return 0;
}

static bool set_call(CURL *easy, exchange *e, char *words)
{
    const sc_http_call *call = e->call;
    bool is_fine = true;
    is_fine &= !curl_easy_setopt(easy, CURLOPT_URL, call->url);
    if (call->body) {
        const curl_off_t size = call->body_size > 0 ? (curl_off_t)call->body_size : -1;
        is_fine &= !curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call->body);
        is_fine &= !curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, size);
    }
    is_fine &= !curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(call->timeout_s * 1000) + 1);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, words);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, sc_http_take);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_WRITEDATA, &e->body);
    if (call->waits) {
        is_fine &= !curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
        is_fine &= !curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, tell_waiting);
        is_fine &= !curl_easy_setopt(easy, CURLOPT_XFERINFODATA, e);
    }
    return is_fine;
}

static sc_http_failure failure_of(const exchange *e, CURLcode code)
{
    if (e->body.trouble == SC_ELIMIT) return SC_HTTP_TOO_LARGE;
    if (e->body.trouble == SC_ENOMEM) return SC_HTTP_NO_MEMORY;
    switch (code) {
    case CURLE_OK:
        return SC_HTTP_FINE;
    case CURLE_FILESIZE_EXCEEDED:
        return SC_HTTP_TOO_LARGE;
    case CURLE_OUT_OF_MEMORY:
        return SC_HTTP_NO_MEMORY;
    case CURLE_COULDNT_CONNECT:
        return SC_HTTP_NO_CONNECTION;
    case CURLE_PEER_FAILED_VERIFICATION:
        return SC_HTTP_NOT_TRUSTED;
    case CURLE_OPERATION_TIMEDOUT:
        // Making a connection has a limit of its own.
        return passed_s(e) >= e->call->timeout_s ? SC_HTTP_TIMED_OUT : SC_HTTP_BROKEN;
    default:
        return SC_HTTP_BROKEN;
    }
}

static void perform(CURL *easy, exchange *e, sc_http_answer *answer)
{
    e->started_us = sc_clock_us();
    const CURLcode code = curl_easy_perform(easy);
    answer->failure = failure_of(e, code);
    if (code != CURLE_OK && answer->words[0] == '\0') {
        strncpy(answer->words, curl_easy_strerror(code), sizeof answer->words - 1);
    }
    curl_off_t retry_after_s = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer->status);
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &retry_after_s);
    answer->retry_after_s = (long)retry_after_s;
    const char *type = NULL;
    curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    if (type) strncpy(answer->type, type, sizeof answer->type - 1);
}

bool sc_http_call_wait(const sc_http_call *call, sc_http_answer *answer)
{
    exchange e = {.call = call, .body = {.max_bytes = call->rules.max_bytes}};
    *answer = (sc_http_answer){.failure = SC_HTTP_NO_MEMORY};
    if (sc_http_client_start(NULL)) return false;
    const sc_pipe_guard guard = sc_pipe_guard_begin();
    CURL *easy = sc_http_easy_new(&call->rules);
    // An empty body has a NUL behind it, too.
    if (easy && sc_bytes_reserve_wiping(&e.body.bytes, 1) && set_call(easy, &e, answer->words)) {
        perform(easy, &e, answer);
    }
    curl_easy_cleanup(easy);
    sc_pipe_guard_end(&guard);
    sc_http_client_stop();
    answer->body = e.body.bytes;
    if (answer->failure == SC_HTTP_FINE && answer->body.data) {
        answer->body.data[answer->body.size] = '\0';
        return true;
    }
    sc_bytes_wipe(&answer->body);
    sc_bytes_fini(&answer->body);
    return false;
}

void sc_http_answer_fini(sc_http_answer *answer)
{
    sc_bytes_wipe(&answer->body);
    sc_bytes_fini(&answer->body);
    *answer = (sc_http_answer){.failure = SC_HTTP_FINE};
}
