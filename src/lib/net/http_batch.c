// Many questions over HTTP, some at once, by curl's multi interface. See http_batch.h.
#include "net/http_batch.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/diag.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/** Headers of a reply that are kept; longer ones are none. */
enum { HEADER_MAX = 256 };

/** One question under way, and room for its answer. */
typedef struct slot {
    sc_http_connections *http;
    CURL *easy;  ///< made when it is first needed
    size_t question;
    sc_http_body body;
    char etag[HEADER_MAX];
    char age[HEADER_MAX];
    char cache_control[HEADER_MAX];
    bool is_busy;           ///< whether the multi handle has it
    bool ends_at_deadline;  ///< its time limit is what was left until the deadline
    bool is_waiting;        ///< it has a question to be asked again
    int64_t again_ms;       ///< from then on
} slot;

struct sc_http_connections {
    double timeout_s;
    double deadline_s;
    int64_t end_ms;       ///< when the deadline is, by clock_ms(); INT64_MAX: never
    int64_t leave_by_ms;  ///< from then on nothing leaves unless something has; INT64_MAX: never
    bool has_sent;        ///< a question has left
    int status;           ///< of HTTP, that ended the asking; 0: none has
    size_t max_bytes;
    const struct curl_slist *headers;
    const char *ca_file;
    const int *stop;  ///< NULL: it is never given up
    CURLM *multi;
    slot *slots;
    size_t slot_count;
};

/** Some questions that are being asked. */
typedef struct asking {
    sc_http_connections *http;
    sc_http_batch *batch;
    size_t next;     ///< the question to ask next
    size_t running;  ///< under way
    size_t waiting;  ///< to be asked again
    long wait_ms;    ///< until another may leave
    bool has_ended;  ///< some question, since the last look
    sc_diag *diag;
} asking;

// --- Time -------------------------------------------------------------------

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

long sc_http_connections_left_ms(const sc_http_connections *http, long most_ms)
{
    const int64_t left_ms = http->end_ms - clock_ms();
    return left_ms <= 0 ? 0 : left_ms < most_ms ? (long)left_ms : most_ms;
}

static bool is_too_late_to_start(const sc_http_connections *http)
{
    return !http->has_sent && clock_ms() >= http->leave_by_ms;
}

/** How long to wait for something to happen; 0: it is too late. */
static long wait_limit_ms(const sc_http_connections *http, long most_ms)
{
    const long wait_ms = sc_http_connections_left_ms(http, most_ms);
    if (http->has_sent) return wait_ms;
    const int64_t left_ms = http->leave_by_ms - clock_ms();
    return left_ms <= 0 ? 0 : left_ms < wait_ms ? (long)left_ms : wait_ms;
}

static long timeout_ms(const sc_http_connections *http)
{
    return (long)(http->timeout_s * 1000.0) + 1;
}

static sc_err fail_deadline(const sc_http_connections *http, sc_diag *diag)
{
    return sc_fail(diag, SC_ENET,
                   "the provider did not answer all questions about a cloak within the deadline of "
                   "%g seconds; allow more time, or ask at fewer points",
                   http->deadline_s);
}

static sc_err fail_nothing_sent(sc_diag *diag)
{
    return sc_fail(diag, SC_ELATE,
                   "there was no connection to the provider in time for the first question, so no "
                   "question was sent");
}

// --- One question -----------------------------------------------------------

// The connection is there, and curl is about to send: the last moment at which it can be kept
// silent.
// NOLINTNEXTLINE(readability-non-const-parameter): this is how curl calls it
static int allow_sending(void *context, char *there, char *here, int port_there, int port_here)
{
    (void)there, (void)here, (void)port_there, (void)port_here;
    sc_http_connections *http = context;
    if (is_too_late_to_start(http)) return CURL_PREREQFUNC_ABORT;
    http->has_sent = true;
    return CURL_PREREQFUNC_OK;
}

static void keep_header(const char *line, size_t size, const char *name, char out[HEADER_MAX])
{
    const size_t name_size = strlen(name);
    if (size <= name_size || strncasecmp(line, name, name_size) != 0) return;
    line += name_size;
    size -= name_size;
    while (size > 0 && (*line == ' ' || *line == '\t')) {
        line++;
        size--;
    }
    while (size > 0 && (line[size - 1] == '\r' || line[size - 1] == '\n')) {
        size--;
    }
    if (size >= HEADER_MAX || memchr(line, '\0', size)) return;
    memcpy(out, line, size);
    out[size] = '\0';
}

// curl hands over a line of the head.
static size_t take_header(char *bytes, size_t one, size_t count, void *context)
{
    (void)one;  // always 1
    slot *s = context;
    keep_header(bytes, count, "etag:", s->etag);
    keep_header(bytes, count, "cache-control:", s->cache_control);
    keep_header(bytes, count, "age:", s->age);
    return count;
}

static bool prepare(sc_http_connections *http, slot *s)
{
    const sc_http_rules rules = {.user_agent = "starcloak",
                                 .headers = http->headers,
                                 .max_bytes = http->max_bytes,
                                 .ca_file = http->ca_file,
                                 .connect_timeout_ms = timeout_ms(http)};
    CURL *easy = s->easy = sc_http_easy_new(&rules);
    if (!easy) return false;
    s->http = http;
    s->body.max_bytes = http->max_bytes;
    bool is_fine = true;
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, allow_sending);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PREREQDATA, http);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_HEADERDATA, s);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, sc_http_take);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_WRITEDATA, &s->body);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PRIVATE, s);
    return is_fine;
}

static bool set_question(const sc_http_connections *http, slot *s, const sc_http_question *question,
                         long wait_ms)
{
    bool is_fine = true;
    is_fine &= !curl_easy_setopt(s->easy, CURLOPT_URL, question->url);
    is_fine &= !curl_easy_setopt(s->easy, CURLOPT_TIMEOUT_MS, wait_ms);
    is_fine &= !curl_easy_setopt(s->easy, CURLOPT_HTTPHEADER,
                                 question->headers ? question->headers : http->headers);
    if (question->body) {
        is_fine &= !curl_easy_setopt(s->easy, CURLOPT_POSTFIELDS, question->body);
    } else {
        is_fine &= !curl_easy_setopt(s->easy, CURLOPT_HTTPGET, 1L);
    }
    return is_fine;
}

static sc_err ask(asking *a, slot *s, size_t number)
{
    sc_http_question question = {.url = NULL};
    s->question = number;
    s->body.bytes.size = 0;
    s->body.trouble = SC_OK;
    s->etag[0] = '\0';
    s->cache_control[0] = '\0';
    s->age[0] = '\0';
    const long wait_ms = sc_http_connections_left_ms(a->http, timeout_ms(a->http));
    if (wait_ms == 0) return fail_deadline(a->http, a->diag);
    s->ends_at_deadline = wait_ms < timeout_ms(a->http);
    const sc_err err = a->batch->fill(a->batch->context, s->question, &question, a->diag);
    if (err) return err;
    if ((!s->easy && !prepare(a->http, s)) || !set_question(a->http, s, &question, wait_ms) ||
        curl_multi_add_handle(a->http->multi, s->easy)) {
        return sc_fail_memory(a->diag, "asking the provider");
    }
    s->is_busy = true;
    a->running++;
    return SC_OK;
}

// --- Its end ----------------------------------------------------------------

sc_err sc_http_refuse_status(sc_http_connections *http, long status, sc_diag *diag)
{
    http->status = (int)status;
    if (status >= 300 && status < 400) {
        return sc_fail(diag, SC_ENET,
                       "the provider answered with a redirect (status %ld), and redirects are not "
                       "followed; set the provider's URL to the new address",
                       status);
    }
    return sc_fail(diag, SC_ENET, "the provider answered with status %ld instead of 200", status);
}

static sc_err refuse_transfer(const sc_http_connections *http, const slot *s, CURLcode code,
                              sc_diag *diag)
{
    if (s->body.trouble == SC_ENOMEM || code == CURLE_OUT_OF_MEMORY) {
        return sc_fail_memory(diag, "asking the provider");
    }
    if (s->body.trouble == SC_ELIMIT || code == CURLE_FILESIZE_EXCEEDED) {
        return sc_fail(diag, SC_EREPLY,
                       "an answer of the provider is larger than the limit of %zu bytes",
                       s->body.max_bytes);
    }
    if (is_too_late_to_start(http)) return fail_nothing_sent(diag);
    if (code == CURLE_OPERATION_TIMEDOUT && s->ends_at_deadline) return fail_deadline(http, diag);
    if (code == CURLE_OPERATION_TIMEDOUT) {
        return sc_fail(diag, SC_ENET, "the provider did not answer within %g seconds",
                       http->timeout_s);
    }
    return sc_fail(diag, SC_ENET, "the provider cannot be asked: %s", curl_easy_strerror(code));
}

static void let_go(asking *a, slot *s)
{
    if (!s->is_busy) return;
    curl_multi_remove_handle(a->http->multi, s->easy);
    s->is_busy = false;
    a->running--;
    if (a->batch->ends) a->batch->ends(a->batch->context);
}

static sc_err take(asking *a, slot *s, long status)
{
    const sc_bytes *body = &s->body.bytes;
    curl_off_t retry_after_s = 0;
    curl_easy_getinfo(s->easy, CURLINFO_RETRY_AFTER, &retry_after_s);
    sc_http_arrival arrival = {.status = status,
                               .bytes = body->size > 0 ? (const char *)body->data : "",
                               .size = body->size,
                               .retry_after_s = (long)retry_after_s,
                               .etag = s->etag,
                               .cache_control = s->cache_control,
                               .age = s->age};
    const sc_err err = a->batch->take(a->batch->context, s->question, &arrival, a->diag);
    if (err || !arrival.is_again) return err;
    const long pause_ms = (long)fmin(ceil(arrival.pause_s * 1000.0), 1e9);
    if (sc_http_connections_left_ms(a->http, pause_ms + 1) <= pause_ms) {
        if (status != 200) return sc_http_refuse_status(a->http, status, a->diag);
        return fail_deadline(a->http, a->diag);
    }
    s->is_waiting = true;
    s->again_ms = clock_ms() + pause_ms;
    a->waiting++;
    return SC_OK;
}

static sc_err finish(asking *a, slot *s, CURLcode code)
{
    long status = 0;
    long request_bytes = 0;
    curl_off_t body_out = 0;
    curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(s->easy, CURLINFO_REQUEST_SIZE, &request_bytes);
    curl_easy_getinfo(s->easy, CURLINFO_SIZE_UPLOAD_T, &body_out);
    let_go(a, s);
    a->has_ended = true;
    a->batch->bytes_out += (size_t)request_bytes + (size_t)body_out;
    a->batch->bytes_in += s->body.bytes.size;
    if (code != CURLE_OK) return refuse_transfer(a->http, s, code, a->diag);
    if (status != 200 && !a->batch->takes_all) {
        return sc_http_refuse_status(a->http, status, a->diag);
    }
    return take(a, s, status);
}

// --- All of them ------------------------------------------------------------

static bool may_leave(asking *a)
{
    long wait_ms = 0;
    if (!a->batch->may_leave || a->batch->may_leave(a->batch->context, &wait_ms)) return true;
    if (wait_ms < a->wait_ms) a->wait_ms = wait_ms > 0 ? wait_ms : 1;
    return false;
}

// Let slots that are free ask what is next, or what is to be asked again.
static sc_err ask_more(asking *a)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < a->http->slot_count && !err; i++) {
        slot *s = &a->http->slots[i];
        if (s->is_busy) continue;
        if (s->is_waiting) {
            const int64_t left_ms = s->again_ms - clock_ms();
            if (left_ms > 0 && left_ms < a->wait_ms) a->wait_ms = (long)left_ms;
            if (left_ms > 0) continue;
        } else if (a->next >= a->batch->count) {
            continue;
        }
        if (!may_leave(a)) return SC_OK;
        const bool is_again = s->is_waiting;
        s->is_waiting = false;
        a->waiting -= is_again;
        err = ask(a, s, is_again ? s->question : a->next++);
        // One that may leave and cannot is over.
        if (err && !s->is_busy && a->batch->ends) a->batch->ends(a->batch->context);
    }
    return err;
}

static sc_err take_arrived(asking *a)
{
    int left = 0;
    for (CURLMsg *m = curl_multi_info_read(a->http->multi, &left); m;
         m = curl_multi_info_read(a->http->multi, &left)) {
        if (m->msg != CURLMSG_DONE) continue;
        char *found = NULL;
        const CURLcode code = m->data.result;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &found);
        const sc_err err = finish(a, (slot *)(void *)found, code);
        if (err) return err;
    }
    return SC_OK;
}

static bool is_done(const asking *a)
{
    return a->running == 0 && a->waiting == 0 && a->next >= a->batch->count;
}

// Wait until something happens; false: it is given up.
static bool wait_for_more(const sc_http_connections *http, long wait_ms, CURLMcode *code)
{
    struct curl_waitfd stop = {.fd = http->stop ? *http->stop : -1, .events = CURL_WAIT_POLLIN};
    *code = curl_multi_poll(http->multi, &stop, http->stop ? 1 : 0, (int)wait_ms, NULL);
    return stop.revents == 0;
}

static sc_err run(asking *a)
{
    enum { LONGEST_WAIT_MS = 1000 };  // and then look again
    sc_http_connections *http = a->http;
    sc_err err = SC_OK;
    CURLMcode code = CURLM_OK;
    while (!err && !code) {
        int running = 0;
        a->wait_ms = LONGEST_WAIT_MS;
        a->has_ended = false;
        err = ask_more(a);
        if (!err) code = curl_multi_perform(http->multi, &running);
        if (!err && !code) err = take_arrived(a);
        if (err || code || is_done(a)) break;
        const long wait_ms = wait_limit_ms(http, a->wait_ms);
        if (wait_ms == 0) {
            return sc_http_connections_left_ms(http, 1) ? fail_nothing_sent(a->diag)
                                                        : fail_deadline(http, a->diag);
        }
        // A slot that has just become free asks the next question, or the same once more.
        if (!a->has_ended && !wait_for_more(http, wait_ms, &code)) {
            return sc_fail(a->diag, SC_ENET, "asking the provider is given up");
        }
    }
    if (err || !code) return err;
    return sc_fail(a->diag, SC_ENET, "the provider cannot be asked: %s", curl_multi_strerror(code));
}

sc_err sc_http_batch_run(sc_http_connections *http, sc_http_batch *batch, sc_diag *diag)
{
    const sc_pipe_guard guard = sc_pipe_guard_begin();
    asking a = {.http = http, .batch = batch, .diag = diag};
    http->status = 0;
    const sc_err err = run(&a);
    for (size_t i = 0; i < http->slot_count; i++) {
        let_go(&a, &http->slots[i]);
        http->slots[i].is_waiting = false;
    }
    sc_pipe_guard_end(&guard);
    return err;
}

// --- Opening and closing ----------------------------------------------------

int sc_http_connections_status(const sc_http_connections *http)
{
    return http->status;
}

void sc_http_connections_close(sc_http_connections *http)
{
    if (!http) return;
    const sc_pipe_guard guard = sc_pipe_guard_begin();
    for (size_t i = 0; http->slots && i < http->slot_count; i++) {
        curl_easy_cleanup(http->slots[i].easy);
        sc_bytes_wipe(&http->slots[i].body.bytes);
        sc_bytes_fini(&http->slots[i].body.bytes);
    }
    sc_free(http->slots);
    curl_multi_cleanup(http->multi);
    sc_pipe_guard_end(&guard);
    sc_free(http);
}

sc_err sc_http_connections_open(const sc_http_batch_options *options, sc_http_connections **out,
                                sc_diag *diag)
{
    sc_http_connections *http = sc_calloc(1, sizeof *http);
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
    http->headers = options->headers;
    http->ca_file = options->ca_file;
    http->stop = options->stop;
    http->slot_count = options->parallel;
    http->slots = sc_calloc(http->slot_count, sizeof *http->slots);
    http->multi = curl_multi_init();
    if (!http->slots || !http->multi ||
        curl_multi_setopt(http->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)options->parallel)) {
        sc_http_connections_close(http);
        return sc_fail_memory(diag, "preparing to ask the provider");
    }
    *out = http;
    return SC_OK;
}
