// Questions over HTTP, by curl's multi interface. See http.h.
#include "points/point_http.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/diag.h"
#include "net/http_client.h"
#include "points/point_url.h"

#include <math.h>
#include <string.h>
#include <time.h>

/** One question under way, and room for its answer. */
typedef struct slot {
    CURL *easy;  ///< made when it is first needed
    size_t question;
    sc_http_body body;
    bool is_busy;  ///< whether the multi handle has it
} slot;

struct sc__http {
    double timeout_s;
    double deadline_s;
    int64_t end_ms;       ///< when the deadline is, by clock_ms(); INT64_MAX: never
    int64_t leave_by_ms;  ///< from then on nothing leaves unless something has; INT64_MAX: never
    bool has_spoken;      ///< a question has left
    size_t max_bytes;
    CURLM *multi;
    struct curl_slist *headers;
    slot *slots;
    size_t slot_count;
};

/** Some questions that are being asked. */
typedef struct asking {
    sc__http *http;
    sc__visit *visit;
    size_t next;     ///< the question to ask next
    size_t running;  ///< under way
    sc_diag *diag;
} asking;

// --- Time -------------------------------------------------------------------

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/** The lesser of `wait_ms` and what is left until the deadline; 0: it has passed. */
static long within_deadline(const sc__http *http, long wait_ms)
{
    const int64_t left_ms = http->end_ms - clock_ms();
    return left_ms <= 0 ? 0 : left_ms < wait_ms ? (long)left_ms : wait_ms;
}

static bool is_too_late_to_begin(const sc__http *http)
{
    return !http->has_spoken && clock_ms() >= http->leave_by_ms;
}

/** How long to wait for something to happen; 0: it is too late. */
static long patience_ms(const sc__http *http, long most_ms)
{
    const long wait_ms = within_deadline(http, most_ms);
    if (http->has_spoken) return wait_ms;
    const int64_t left_ms = http->leave_by_ms - clock_ms();
    return left_ms <= 0 ? 0 : left_ms < wait_ms ? (long)left_ms : wait_ms;
}

static long timeout_ms(const sc__http *http)
{
    return (long)(http->timeout_s * 1000.0) + 1;
}

static sc_err fail_deadline(const sc__http *http, sc_diag *diag)
{
    return sc_fail(diag, SC_ENET,
                   "the provider has not answered all questions for a cloak within %g seconds, "
                   "which is the deadline; allow more time, or ask at fewer points",
                   http->deadline_s);
}

static sc_err fail_unspoken(sc_diag *diag)
{
    return sc_fail(diag, SC_ELATE,
                   "there was no connection to the provider before the first question had to "
                   "leave, so none was asked");
}

// --- One question -----------------------------------------------------------

// The connection is there, and curl is about to speak: the last moment at which it can be kept
// silent.
// NOLINTNEXTLINE(readability-non-const-parameter): this is how curl calls it
static int let_speak(void *context, char *there, char *here, int port_there, int port_here)
{
    (void)there, (void)here, (void)port_there, (void)port_here;
    sc__http *http = context;
    if (is_too_late_to_begin(http)) return CURL_PREREQFUNC_ABORT;
    http->has_spoken = true;
    return CURL_PREREQFUNC_OK;
}

static bool prepare(sc__http *http, slot *s)
{
    const sc_http_rules rules = {.user_agent = "starcloak",
                                 .headers = http->headers,
                                 .max_bytes = http->max_bytes,
                                 .connect_timeout_ms = timeout_ms(http)};
    CURL *easy = s->easy = sc_http_easy_new(&rules);
    if (!easy) return false;
    s->body.max_bytes = http->max_bytes;
    bool is_fine = true;
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, let_speak);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PREREQDATA, http);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, sc_http_take);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_WRITEDATA, &s->body);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PRIVATE, s);
    return is_fine;
}

static sc_err ask_next(asking *a, slot *s)
{
    char url[SC__URL_SIZE];
    s->question = a->next;
    s->body.bytes.size = 0;
    s->body.trouble = SC_OK;
    const long wait_ms = within_deadline(a->http, timeout_ms(a->http));
    if (wait_ms == 0) return fail_deadline(a->http, a->diag);
    const sc_err err = a->visit->address(a->visit->context, s->question, url, a->diag);
    if (err) return err;
    if ((!s->easy && !prepare(a->http, s)) || curl_easy_setopt(s->easy, CURLOPT_URL, url) ||
        curl_easy_setopt(s->easy, CURLOPT_TIMEOUT_MS, wait_ms) ||
        curl_multi_add_handle(a->http->multi, s->easy)) {
        return sc_fail_memory(a->diag, "asking the provider");
    }
    s->is_busy = true;
    a->next++;
    a->running++;
    return SC_OK;
}

// --- Its end ----------------------------------------------------------------

static sc_err refuse_status(long status, sc_diag *diag)
{
    if (status >= 300 && status < 400) {
        return sc_fail(diag, SC_ENET,
                       "the provider answers with a redirect (status %ld), and those are not "
                       "followed; give the address it leads to",
                       status);
    }
    return sc_fail(diag, SC_ENET, "the provider answers with status %ld instead of 200", status);
}

static sc_err refuse_transfer(const sc__http *http, const slot *s, CURLcode code, sc_diag *diag)
{
    if (s->body.trouble == SC_ENOMEM || code == CURLE_OUT_OF_MEMORY) {
        return sc_fail_memory(diag, "asking the provider");
    }
    if (s->body.trouble == SC_ELIMIT || code == CURLE_FILESIZE_EXCEEDED) {
        return sc_fail(diag, SC_EREPLY,
                       "an answer of the provider is larger than %zu bytes, which is the limit",
                       s->body.max_bytes);
    }
    if (is_too_late_to_begin(http)) return fail_unspoken(diag);
    if (code == CURLE_OPERATION_TIMEDOUT && within_deadline(http, 1) == 0) {
        return fail_deadline(http, diag);
    }
    if (code == CURLE_OPERATION_TIMEDOUT) {
        return sc_fail(diag, SC_ENET, "the provider has not answered within %g seconds",
                       http->timeout_s);
    }
    return sc_fail(diag, SC_ENET, "the provider cannot be asked: %s", curl_easy_strerror(code));
}

static void let_go(const sc__http *http, slot *s)
{
    if (s->is_busy) curl_multi_remove_handle(http->multi, s->easy);
    s->is_busy = false;
}

static sc_err finish(asking *a, slot *s, CURLcode code)
{
    long status = 0;
    long request_bytes = 0;
    curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(s->easy, CURLINFO_REQUEST_SIZE, &request_bytes);
    let_go(a->http, s);
    a->running--;
    a->visit->bytes_out += (size_t)request_bytes;
    if (code != CURLE_OK) return refuse_transfer(a->http, s, code, a->diag);
    if (status != 200) return refuse_status(status, a->diag);
    const sc_bytes *body = &s->body.bytes;
    return a->visit->take(a->visit->context, s->question,
                          body->size > 0 ? (const char *)body->data : "", body->size, a->diag);
}

// --- All of them ------------------------------------------------------------

// Take what has arrived, and let each slot that has become free ask the next question.
static sc_err take_arrived(asking *a)
{
    int left = 0;
    for (CURLMsg *m = curl_multi_info_read(a->http->multi, &left); m;
         m = curl_multi_info_read(a->http->multi, &left)) {
        if (m->msg != CURLMSG_DONE) continue;
        char *found = NULL;
        const CURLcode code = m->data.result;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &found);
        slot *s = (slot *)(void *)found;
        sc_err err = finish(a, s, code);
        if (!err && a->next < a->visit->count) err = ask_next(a, s);
        if (err) return err;
    }
    return SC_OK;
}

static sc_err fetch(sc__http *http, sc__visit *visit, sc_diag *diag)
{
    enum { LONGEST_WAIT_MS = 1000 };  // and then look again
    asking a = {.http = http, .visit = visit, .diag = diag};
    sc_err err = SC_OK;
    for (size_t i = 0; i < http->slot_count && i < visit->count && !err; i++) {
        err = ask_next(&a, &http->slots[i]);
    }
    while (!err && a.running > 0) {
        int running = 0;
        CURLMcode code = curl_multi_perform(http->multi, &running);
        err = take_arrived(&a);
        const long wait_ms = patience_ms(http, LONGEST_WAIT_MS);
        if (!err && !code && a.running > 0 && wait_ms == 0) {
            err = within_deadline(http, 1) ? fail_unspoken(diag) : fail_deadline(http, diag);
        }
        if (!err && !code && a.running > 0) {
            code = curl_multi_poll(http->multi, NULL, 0, (int)wait_ms, NULL);
        }
        if (!err && code) {
            err = sc_fail(diag, SC_ENET, "the provider cannot be asked: %s",
                          curl_multi_strerror(code));
        }
    }
    for (size_t i = 0; i < http->slot_count; i++) {
        let_go(http, &http->slots[i]);
    }
    return err;
}

sc_err sc__http_fetch(sc__http *http, sc__visit *visit, sc_diag *diag)
{
    const sc_pipe_guard guard = sc_pipe_guard_begin();
    const sc_err err = fetch(http, visit, diag);
    sc_pipe_guard_end(&guard);
    return err;
}

// --- Opening and closing ----------------------------------------------------

sc_err sc__http_open(const sc_point_options *options, sc__http **out, sc_diag *diag)
{
    sc__http *http = sc_calloc(1, sizeof *http);
    if (!http) return sc_fail_memory(diag, "preparing to ask the provider");
    http->timeout_s = options->timeout_s;
    http->deadline_s = options->deadline_s;
    http->end_ms = options->deadline_s > 0.0
                       ? clock_ms() + (int64_t)ceil(options->deadline_s * 1000.0)
                       : INT64_MAX;
    // Rounded down, and within what the clock can count.
    http->leave_by_ms = options->leave_s > 0.0 && options->leave_s < 1e9
                            ? clock_ms() + (int64_t)(options->leave_s * 1000.0)
                            : INT64_MAX;
    http->max_bytes = options->max_bytes;
    http->slot_count = options->parallel;
    http->slots = sc_calloc(http->slot_count, sizeof *http->slots);
    http->multi = curl_multi_init();
    http->headers = curl_slist_append(NULL, "Accept: application/json");
    if (!http->slots || !http->multi || !http->headers ||
        curl_multi_setopt(http->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)options->parallel)) {
        sc__http_close(http);
        return sc_fail_memory(diag, "preparing to ask the provider");
    }
    *out = http;
    return SC_OK;
}

void sc__http_close(sc__http *http)
{
    if (!http) return;
    const sc_pipe_guard guard = sc_pipe_guard_begin();
    for (size_t i = 0; http->slots && i < http->slot_count; i++) {
        curl_easy_cleanup(http->slots[i].easy);
        sc_bytes_wipe(&http->slots[i].body.bytes);
        sc_bytes_fini(&http->slots[i].body.bytes);
    }
    sc_free(http->slots);
    curl_slist_free_all(http->headers);
    curl_multi_cleanup(http->multi);
    sc_pipe_guard_end(&guard);
    sc_free(http);
}
