// One message by curl. See post.h.
#include "post.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "progress.h"

/** Larger replies are not taken in. */
#define REPLY_MAX ((size_t)16 << 20)

/** Whoever listens at all answers the telephone sooner than this. */
#define CONNECT_TIMEOUT_S 15L

/** A message under way. */
typedef struct exchange {
    const sc_post *post;
    sc_post_reply *reply;
    size_t capacity;
    double started_s;
    sc_err trouble;  ///< why the reply was not taken in
    char words[CURL_ERROR_SIZE];
} exchange;

// --- Addresses ------------------------------------------------------------------------

/** What follows the scheme; NULL if it is none of ours. */
static const char *after_scheme(const char *url)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < 2; i++) {
        if (strncasecmp(url, schemes[i], strlen(schemes[i])) == 0) return url + strlen(schemes[i]);
    }
    return NULL;
}

const char *sc_post_url(const char *service, const char *path, char out[SC_POST_URL_SIZE])
{
    const char *host = after_scheme(service);
    if (!host) return "begins with neither http:// nor https://";
    if (host[0] == '\0' || host[0] == '/' || host[0] == ':') return "names no host";
    if (strpbrk(host, "?#")) return "has more than a host and a path";
    if (memchr(host, '@', strcspn(host, "/"))) return "has a user in it; give a token instead";
    for (const char *c = service; *c != '\0'; c++) {
        if (*c <= ' ' || *c >= 0x7f) return "has letters that addresses cannot have";
    }
    size_t size = strlen(service);
    while (service[size - 1] == '/') {
        size--;
    }
    if (size + strlen(path) >= SC_POST_URL_SIZE) return "is too long";
    snprintf(out, SC_POST_URL_SIZE, "%.*s%s", (int)size, service, path);
    return NULL;
}

bool sc_post_is_local(const char *url)
{
    static const char *const names[] = {"localhost", "[::1]"};
    const char *host = after_scheme(url);
    const size_t size = strcspn(host, "/:");
    if (strncmp(host, "127.", 4) == 0) return strspn(host, "0123456789.") == size;
    if (strncmp(host, names[1], strlen(names[1])) == 0) return true;
    return size == strlen(names[0]) && strncasecmp(host, names[0], size) == 0;
}

// --- curl calls back ------------------------------------------------------------------

// A part of the body; taking less than that ends the transfer.
static size_t take_bytes(char *bytes, size_t one, size_t count, void *context)
{
    (void)one;  // always 1
    exchange *e = context;
    sc_post_reply *reply = e->reply;
    if (count > REPLY_MAX - reply->size) {
        e->trouble = SC_ELIMIT;
        return 0;
    }
    if (reply->size + count >= e->capacity) {
        const size_t capacity = 2 * (reply->size + count) + 1;
        char *larger = realloc(reply->body, capacity);
        if (!larger) {
            e->trouble = SC_ENOMEM;
            return 0;
        }
        reply->body = larger;
        e->capacity = capacity;
    }
    memcpy(reply->body + reply->size, bytes, count);
    reply->size += count;
    reply->body[reply->size] = '\0';
    return count;
}

static int tell_progress(void *context, curl_off_t down_total, curl_off_t down, curl_off_t up_total,
                         curl_off_t up)
{
    (void)down_total, (void)down, (void)up_total, (void)up;
    const exchange *e = context;
    const double passed_s = sc_clock_s() - e->started_s;
    const double expected_s = e->post->expected_wait_s;
    // Beyond what was expected there is nothing to show a share of.
    const uint64_t total = passed_s < expected_s ? (uint64_t)(expected_s + 0.5) : 0;
    e->post->progress.report(e->post->progress.context, "waiting for company", (uint64_t)passed_s,
                             total);
    return 0;
}

// --- One exchange ---------------------------------------------------------------------

/** The headers, or NULL if memory is out. */
static struct curl_slist *make_headers(const sc_post *post)
{
    static const char *const fixed[] = {
        "Content-Type: application/json", "Accept: application/json, application/problem+json",
        "Expect:"};  // curl would wait for a "100 Continue" that nobody needs
    struct curl_slist *list = NULL;
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        struct curl_slist *longer = curl_slist_append(list, fixed[i]);
        if (!longer) goto fail;
        list = longer;
    }
    if (post->token) {
        char line[2048];
        snprintf(line, sizeof(line), "Authorization: Bearer %s", post->token);
        struct curl_slist *longer = curl_slist_append(list, line);
        explicit_bzero(line, sizeof(line));
        if (!longer) goto fail;
        list = longer;
    }
    return list;
fail:
    curl_slist_free_all(list);
    return NULL;
}

// Each option that is set here keeps curl from telling more, or somebody else.
static bool prepare(CURL *easy, exchange *e, struct curl_slist *headers)
{
    const sc_post *post = e->post;
    bool is_fine = true;
    is_fine &= !curl_easy_setopt(easy, CURLOPT_URL, post->url);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    is_fine &= !curl_easy_setopt(easy, CURLOPT_USERAGENT, "starcloak");
    is_fine &= !curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PROXY, "");
    is_fine &= !curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (post->ca) is_fine &= !curl_easy_setopt(easy, CURLOPT_CAINFO, post->ca);
    if (post->cert) is_fine &= !curl_easy_setopt(easy, CURLOPT_SSLCERT, post->cert);
    if (post->key) is_fine &= !curl_easy_setopt(easy, CURLOPT_SSLKEY, post->key);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_POSTFIELDS, post->body);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, CONNECT_TIMEOUT_S);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(post->timeout_s * 1000) + 1);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)REPLY_MAX);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, e->words);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_WRITEDATA, e);
    if (post->progress.report) {
        is_fine &= !curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
        is_fine &= !curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, tell_progress);
        is_fine &= !curl_easy_setopt(easy, CURLOPT_XFERINFODATA, e);
    }
    return is_fine;
}

static sc_err explain(const exchange *e, CURLcode code, sc_diag *diag)
{
    const char *words = e->words[0] != '\0' ? e->words : curl_easy_strerror(code);
    const char *hint = "";
    if (e->trouble == SC_ELIMIT || code == CURLE_FILESIZE_EXCEEDED) {
        snprintf(diag->message, sizeof(diag->message), "the reply is larger than %zu bytes",
                 REPLY_MAX);
        return SC_ELIMIT;
    }
    if (e->trouble == SC_ENOMEM || code == CURLE_OUT_OF_MEMORY) return SC_ENOMEM;
    if (code == CURLE_OPERATION_TIMEDOUT && sc_clock_s() - e->started_s >= e->post->timeout_s) {
        snprintf(diag->message, sizeof(diag->message),
                 "no reply within %g seconds; allow more with --timeout", e->post->timeout_s);
        return SC_ENET;
    }
    if (code == CURLE_COULDNT_CONNECT) hint = "; is the service running, and at that port?";
    if (code == CURLE_PEER_FAILED_VERIFICATION) {
        hint = "; if the service has a certificate of your own, name its authority with --ca";
    }
    snprintf(diag->message, sizeof(diag->message), "the service cannot be reached: %s%s", words,
             hint);
    return SC_ENET;
}

static sc_err perform(CURL *easy, exchange *e, sc_diag *diag)
{
    e->started_s = sc_clock_s();
    const CURLcode code = curl_easy_perform(easy);
    if (code != CURLE_OK) return explain(e, code, diag);
    curl_off_t retry_after_s = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &e->reply->status);
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &retry_after_s);
    e->reply->retry_after_s = (long)retry_after_s;
    // An empty body is one, too.
    if (!e->reply->body) e->reply->body = calloc(1, 1);
    return e->reply->body ? SC_OK : SC_ENOMEM;
}

sc_err sc_post_send(const sc_post *post, sc_post_reply *out, sc_diag *diag)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return SC_ENOMEM;
    exchange e = {.post = post, .reply = out};
    CURL *easy = curl_easy_init();
    struct curl_slist *headers = make_headers(post);
    sc_err err = SC_ENOMEM;
    if (easy && headers && prepare(easy, &e, headers)) err = perform(easy, &e, diag);
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
    curl_global_cleanup();
    if (err) sc_post_reply_fini(out);
    return err;
}

void sc_post_reply_fini(sc_post_reply *reply)
{
    if (reply->body) explicit_bzero(reply->body, reply->size);
    free(reply->body);
    *reply = (sc_post_reply){.status = 0};
}
