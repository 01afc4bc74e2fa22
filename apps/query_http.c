// One request of `starcloak query` and its reply.
#include "query_http.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/** Larger replies are not taken in. */
#define REPLY_MAX ((size_t)16 << 20)

/** A service that runs takes a connection sooner than this. */
#define CONNECT_TIMEOUT_S 15L

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
        if (*c <= ' ' || *c >= 0x7f) return "has characters that are not allowed in a URL";
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

// --- One exchange ---------------------------------------------------------------------

static void tell_progress(void *context, double passed_s)
{
    const sc_post *post = context;
    // Beyond what was expected there is nothing to show a share of.
    const uint64_t total =
        passed_s < post->expected_wait_s ? (uint64_t)(post->expected_wait_s + 0.5) : 0;
    post->progress.report(post->progress.context, "waiting for a cloak", (uint64_t)passed_s, total);
}

/** The headers, or NULL if memory is out. */
static struct curl_slist *make_headers(const sc_post *post)
{
    static const char *const fixed[] = {
        "Content-Type: application/json", "Accept: application/json, application/problem+json",
        "Expect:"};  // curl would wait for a "100 Continue" that no service needs
    struct curl_slist *list = NULL;
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        struct curl_slist *longer = curl_slist_append(list, fixed[i]);
        if (!longer) goto fail;
        list = longer;
    }
    if (post->token || post->private_token) {
        char line[2048];
        snprintf(line, sizeof(line), "Authorization: %s%s", post->private_token ? "" : "Bearer ",
                 post->private_token ? post->private_token : post->token);
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

static sc_err explain(const sc_post *post, const sc_http_answer *answer, sc_diag *diag)
{
    const char *hint = "";
    switch (answer->failure) {
    case SC_HTTP_TOO_LARGE:
        return sc_explain(diag, SC_ELIMIT, "the reply is larger than %zu bytes", REPLY_MAX);
    case SC_HTTP_NO_MEMORY:
        return SC_ENOMEM;
    case SC_HTTP_TIMED_OUT:
        return sc_explain(diag, SC_ENET, "no reply within %g seconds; allow more with --timeout",
                          post->timeout_s);
    case SC_HTTP_NO_CONNECTION:
        hint = "; is the service running, and at that port?";
        break;
    case SC_HTTP_NOT_TRUSTED:
        hint = "; if the service has a certificate of your own, name its authority with --ca";
        break;
    case SC_HTTP_FINE:
    case SC_HTTP_BROKEN:
        break;
    }
    return sc_explain(diag, SC_ENET, "the service cannot be reached: %s%s", answer->words, hint);
}

sc_err sc_post_send(const sc_post *post, sc_post_reply *out, sc_diag *diag)
{
    struct curl_slist *headers = make_headers(post);
    if (!headers) return SC_ENOMEM;
    const sc_http_call call = {
        .rules = {.user_agent = "starcloak",
                  .headers = headers,
                  .max_bytes = REPLY_MAX,
                  .connect_timeout_ms = CONNECT_TIMEOUT_S * 1000,
                  .ca_file = post->ca,
                  .certificate_file = post->cert,
                  .key_file = post->key},
        .url = post->url,
        .body = post->body,
        .timeout_s = post->timeout_s,
        .waits = post->progress.report ? tell_progress : NULL,
        .context = (void *)(uintptr_t)post,
    };
    const bool is_answered = sc_http_call_wait(&call, &out->answer);
    curl_slist_free_all(headers);
    if (!is_answered) {
        const sc_err err = explain(post, &out->answer, diag);
        sc_post_reply_fini(out);
        return err;
    }
    out->status = out->answer.status;
    out->retry_after_s = out->answer.retry_after_s;
    out->body = (const char *)out->answer.body.data;
    out->size = out->answer.body.size;
    return SC_OK;
}

void sc_post_reply_fini(sc_post_reply *reply)
{
    sc_http_answer_fini(&reply->answer);
    *reply = (sc_post_reply){.status = 0};
}
