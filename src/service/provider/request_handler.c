// Requests to a provider and their replies, in the threads of the server's loops.
//
// Everything here is short: a cloak is copied into a job and queued for the pool; a job that came
// back is replied to and freed. A client that closes its connection leaves its job behind, which
// comes back all the same and is freed then.
//
// Problem details (RFC 9457) have the diagnosis as their title; docs/provider-protocol.md lists the
// statuses.
#include "provider/provider_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/json_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// --- Problem details -------------------------------------------------------------------

static int status_of(sc_err err)
{
    switch (err) {
    case SC_OK:
        return 200;
    case SC_EPARSE:
        return 400;
    case SC_EMISMATCH:
        return 409;
    case SC_ELIMIT:
        return 413;
    case SC_EREQUEST:
    case SC_EUNKNOWN:
    case SC_ENOCOORDS:
        return 422;
    default:
        return 500;
    }
}

/** A body that never needs memory: room for the longest diagnosis, each byte of it escaped. */
typedef struct problem_text {
    size_t size;
    char bytes[6 * sizeof(sc_diag) + 128];
} problem_text;

static void put_bytes(problem_text *text, const char *bytes, size_t size)
{
    if (size > sizeof text->bytes - text->size) size = sizeof text->bytes - text->size;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

static void write_problem(problem_text *text, int status, const char *title)
{
    char begin[64];
    const int size =
        snprintf(begin, sizeof begin, "{\"type\":\"about:blank\",\"status\":%d,\"title\":", status);
    text->size = 0;
    put_bytes(text, begin, (size_t)size);
    const size_t length = strnlen(title, sizeof(sc_diag));
    text->size += sc_json_escape(title, length, text->bytes + text->size);
    put_bytes(text, "}", 1);
}

// --- Replies ---------------------------------------------------------------------------

static void send_reply(sc_provider *provider, sc_http_request *request, int status,
                       const char *type, const void *body, size_t size)
{
    sc__provider_counts_status(&provider->counts, status);
    sc_http_reply(request, status, type, body, size, NULL, 0);
}

static void send_problem(sc_provider *provider, sc_http_request *request, int status,
                         const char *title, const char *allow)
{
    problem_text text;
    write_problem(&text, status, title);
    const sc_http_header headers[] = {allow ? (sc_http_header){"Allow", allow}
                                            : (sc_http_header){"Retry-After", "1"}};
    sc__provider_counts_status(&provider->counts, status);
    sc_http_reply(request, status, "application/problem+json", text.bytes, text.size, headers,
                  allow || status == 503 ? 1 : 0);
}

/** What the server refuses before the provider sees it. */
static const char *title_of(int status)
{
    switch (status) {
    case 400:
        return "the request is not valid HTTP/1.1";
    case 408:
        return "the request was not complete in time";
    case 413:
        return "the message is too large";
    case 417:
        return "the only supported value of Expect is 100-continue";
    case 431:
        return "the headers are too large";
    case 501:
        return "the method is not supported";
    case 503:
        return "the server is busy; retry later";
    default:
        return "internal error";
    }
}

size_t sc__provider_refusal(void *context, int status, char *buffer, size_t room)
{
    sc_provider *provider = context;
    sc__provider_counts_status(&provider->counts, status);
    problem_text text;
    write_problem(&text, status, title_of(status));
    // Better no body than half of one.
    if (text.size > room) return 0;
    memcpy(buffer, text.bytes, text.size);
    return text.size;
}

// --- Content-Type ----------------------------------------------------------------------
//
// Which encoding a Content-Type names. See docs/provider-protocol.md, "Versions": what would
// change the meaning of a message has a parameter "version", and only 2 is read here. A type
// without it is read, too, and the message tells its version.

bool sc__media_type_read(const char *content_type, sc_encoding *out)
{
    for (unsigned encoding = 0; sc_encoding_name(encoding); encoding++) {
        if (!sc_encoding_is_media_type((sc_encoding)encoding, content_type)) continue;
        *out = (sc_encoding)encoding;
        return true;
    }
    return false;
}

/** The version that a type of ours names, 0 for another type and where it names none. */
static unsigned long version_of(const char *content_type)
{
    static const char name[] = "version=";
    for (unsigned encoding = 0; content_type && sc_encoding_name(encoding); encoding++) {
        const char *type = sc_encoding_media_type((sc_encoding)encoding);
        const size_t size = strcspn(type, ";");
        const char *text = content_type + strspn(content_type, " \t");
        if (strncasecmp(text, type, size) != 0) continue;
        text += size;
        while ((text = strchr(text, ';'))) {
            text += 1 + strspn(text + 1, " \t");
            if (strncasecmp(text, name, sizeof name - 1) != 0) continue;
            text += sizeof name - 1;
            return strtoul(text + (*text == '"'), NULL, 10);
        }
    }
    return 0;
}

const char *sc__media_type_problem(const char *content_type)
{
    const unsigned long version = version_of(content_type);
    if (version > 2) {
        return "the Content-Type is of a later version of the provider protocol, and the provider "
               "reads version 2; update the provider";
    }
    if (version == 1) {
        return "the Content-Type is of version 1 of the provider protocol, and the provider reads "
               "version 2; update the service";
    }
    return "the Content-Type must be application/x-protobuf or application/geo+json, of version 2 "
           "of "
           "the provider protocol";
}

// --- Pages -----------------------------------------------------------------------------

static void show_text(sc_provider *provider, sc_http_request *request, int status, const char *text)
{
    send_reply(provider, request, status, "text/plain; charset=utf-8", text, strlen(text));
}

/** Reply with a page, if memory sufficed to write it; and free it. */
static void show_page(sc_provider *provider, sc_http_request *request, const char *type,
                      bool is_written, sc_bytes *page)
{
    if (is_written) {
        send_reply(provider, request, 200, type, page->data, page->size);
    } else {
        send_problem(provider, request, 500, sc_err_text(SC_ENOMEM), NULL);
    }
    sc_bytes_fini(page);
}

static void show_health(sc_provider *provider, sc_http_request *request)
{
    show_text(provider, request, 200, "ok\n");
}

// A database that is away does not matter here: cloaks are answered from the last objects.
static void show_readiness(sc_provider *provider, sc_http_request *request)
{
    if (atomic_load(&provider->is_draining)) {
        send_problem(provider, request, 503, "the provider is stopping", NULL);
    } else {
        show_text(provider, request, 200, "ready\n");
    }
}

static void show_metrics(sc_provider *provider, sc_http_request *request)
{
    if (!sc_http_request_is_admin(request)) {
        send_problem(provider, request, 404, "only the admin listener has this page (--admin)",
                     NULL);
        return;
    }
    sc_bytes page = {.data = NULL};
    const bool is_written = sc__provider_metrics_write(provider, &page);
    show_page(provider, request, "text/plain; version=0.0.4; charset=utf-8", is_written, &page);
}

/** {"categories":[{"name":"cafe","objects":112},...]} */
static bool write_categories(sc_bytes *out, const sc_objects *objects)
{
    const sc_vocabulary *vocabulary = sc_objects_vocabulary(objects);
    const sc_object_table *table = sc_objects_table(objects);
    uint64_t *counts = sc_calloc(vocabulary->count, sizeof *counts);
    if (!counts) return false;
    for (uint32_t i = 0; i < table->count; i++) {
        counts[table->objects[i].category]++;
    }
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_open_object(&json, NULL);
    sc_json_open_array(&json, "categories");
    for (uint32_t i = 0; i < vocabulary->count; i++) {
        sc_json_open_object(&json, NULL);
        sc_json_put_string(&json, "name", vocabulary->names[i]);
        sc_json_put_count(&json, "objects", counts[i]);
        sc_json_close_object(&json);
    }
    sc_json_close_array(&json);
    sc_json_close_object(&json);
    sc_json_put_text(&json, "\n");
    sc_free(counts);
    return !json.has_failed;
}

static void show_categories(sc_provider *provider, sc_http_request *request)
{
    sc_bytes page = {.data = NULL};
    sc_objects *objects = sc__provider_objects(&provider->options);
    const bool is_written = write_categories(&page, objects);
    sc_objects_release(objects);
    show_page(provider, request, "application/json", is_written, &page);
}

/** A page that is read with GET. */
typedef struct page {
    const char *path;
    void (*show)(sc_provider *provider, sc_http_request *request);
} page;

/** The page at this path, or above it; NULL if there is none. */
static const page *find_page(const char *path)
{
    static const page pages[] = {
        {"/healthz", show_health},
        {"/readyz", show_readiness},
        {"/metrics", show_metrics},
        {"/v1/categories", show_categories},
    };
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        const size_t size = strlen(pages[i].path);
        if (strncmp(path, pages[i].path, size) != 0) continue;
        if (path[size] == '\0' || path[size] == '/') return &pages[i];
    }
    return NULL;
}

/** How often an overload is logged, at most. */
#define LOG_AGAIN_US (10 * (int64_t)1000000)

/** Jobs taken back at once. */
enum { BATCH = 64 };

// --- In --------------------------------------------------------------------------------

static void on_gone(void *context)
{
    sc__provider_job *job = context;
    job->request = NULL;
    atomic_store_explicit(&job->is_unwanted, true, memory_order_relaxed);
    atomic_fetch_add_explicit(&job->provider->counts.unwanted, 1, memory_order_relaxed);
}

static void log_overload(sc_provider *provider)
{
    const int64_t now_us = sc_clock_us();
    int64_t logged_us = atomic_load(&provider->overload_logged_us);
    if (logged_us != 0 && now_us - logged_us < LOG_AGAIN_US) return;
    if (!atomic_compare_exchange_strong(&provider->overload_logged_us, &logged_us, now_us)) return;
    sc_log_line line;
    if (sc_log_begin(provider->options.log, &line, SC_LOG_WARNING, "overloaded")) {
        sc_log_count(&line, "waiting", sc__provider_pool_waiting(&provider->pool));
        sc_log_end(&line);
    }
}

/** Take a place among the jobs there may be; false if all are taken. */
static bool take_place(sc_provider *provider)
{
    if (atomic_fetch_add(&provider->open, 1) < provider->max_open) return true;
    atomic_fetch_sub(&provider->open, 1);
    return false;
}

static void take_cloak(sc_provider *provider, unsigned loop, sc_http_request *request)
{
    sc_encoding encoding;
    const char *content_type = sc_http_request_header(request, "Content-Type");
    if (!sc__media_type_read(content_type, &encoding)) {
        send_problem(provider, request, 415, sc__media_type_problem(content_type), NULL);
        return;
    }
    if (!take_place(provider)) {
        log_overload(provider);
        send_problem(provider, request, 503, "too many cloaks are waiting; retry later", NULL);
        return;
    }
    size_t size = 0;
    const char *body = sc_http_request_body(request, &size);
    sc__provider_job *job = sc__provider_job_new(body, size);
    if (!job) {
        atomic_fetch_sub(&provider->open, 1);
        send_problem(provider, request, 500, sc_err_text(SC_ENOMEM), NULL);
        return;
    }
    sc_http_request_forget_body(request);
    job->request = request;
    job->provider = provider;
    job->loop = loop;
    job->came_us = sc_clock_us();
    job->encoding = encoding;
    sc_http_on_gone(request, on_gone, job);
    sc__provider_pool_put(&provider->pool, job);
}

void sc__provider_handle(void *context, unsigned loop, sc_http_request *request)
{
    sc_provider *provider = context;
    const sc_http_method method = sc_http_request_method(request);
    const char *path = sc_http_request_path(request);
    const page *found = find_page(path);
    if (!found) {
        // There is no TLS, so clients that must show a certificate would not have to.
        if (sc_http_request_is_admin(request) && !provider->options.http.is_admin_shared) {
            send_problem(provider, request, 404, "no cloaks are taken here", NULL);
        } else if (method == SC_HTTP_POST) {
            take_cloak(provider, loop, request);
        } else {
            send_problem(provider, request, 405, "cloaks are sent with POST", "POST");
        }
        return;
    }
    if (strcmp(found->path, path) != 0) {
        send_problem(provider, request, 404, "no such page", NULL);
    } else if (method != SC_HTTP_GET && method != SC_HTTP_HEAD) {
        send_problem(provider, request, 405, "this page takes only GET and HEAD", "GET, HEAD");
    } else {
        found->show(provider, request);
    }
}

// --- Out -------------------------------------------------------------------------------

/** One line per reply: of failures of the provider at level error, of all others at debug. */
static void log_reply(const sc_provider *provider, const sc__provider_job *job, int status,
                      double seconds)
{
    const sc_log_level level = status == 500 ? SC_LOG_ERROR : SC_LOG_DEBUG;
    sc_log_line line;
    if (!sc_log_begin(provider->options.log, &line, level, "reply")) return;
    sc_log_count(&line, "status", (uint64_t)status);
    sc_log_seconds(&line, "seconds", seconds);
    if (job->err) sc_log_text(&line, "message", job->diag.message);
    sc_log_end(&line);
}

static void reply_to(sc_provider *provider, const sc__provider_job *job)
{
    const int status = job->err ? status_of(job->err) : 200;
    const double seconds = (double)(sc_clock_us() - job->came_us) / 1e6;
    sc_histogram_add(&provider->counts.reply_s, seconds);
    log_reply(provider, job, status, seconds);
    if (!job->err) {
        send_reply(provider, job->request, status, sc_encoding_media_type(job->encoding),
                   job->reply.data, job->reply.size);
        return;
    }
    const char *title = job->diag.message;
    send_problem(provider, job->request, status, title[0] != '\0' ? title : sc_err_text(job->err),
                 NULL);
}

void sc__provider_take_done(void *context, unsigned loop)
{
    sc_provider *provider = context;
    sc__provider_job *jobs[BATCH];
    // If there are more, the descriptor stays readable.
    const size_t count = sc_handover_take(provider->back[loop], (void *)jobs, BATCH);
    for (size_t i = 0; i < count; i++) {
        if (jobs[i]->request) reply_to(provider, jobs[i]);
        sc__provider_job_free(jobs[i]);
    }
    atomic_fetch_sub(&provider->open, count);
}
