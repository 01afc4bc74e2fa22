// Asking a provider that knows points only: rounds of questions over HTTP, until every answer
// reaches far enough. See starcloak/point_provider.h.
//
// All questions of a round are asked in random order; those whose answers do not reach far enough
// are asked again in the next round, for twice as many objects. What is asked depends on the
// segments, the requests and the provider's own answers. Neither positions of travellers nor their
// number are an input: sc_point_provider_ask() does not have them.
#include <starcloak/point_provider.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/diag.h"
#include "base/rng.h"
#include "net/http_client.h"
#include "points/point_reply.h"
#include "relay/relay_build.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

// === Questions over HTTP ========================================================================
// Some of many questions at once, by curl's multi interface. Connections, TLS sessions and resolved
// names live from open to close, which is one cloak, so that they do not link the questions of two
// cloaks. net/http_client.h has what holds for each request; the User-Agent is without a version.
//
// curl's memory is its own. Error texts are curl's general ones, which never quote a URL.

/** Some questions, by number: where to ask them, and what to do with what comes back. */
typedef struct question_batch {
    size_t count;
    /** The address of question i, into SC__POINT_URL_SIZE bytes. */
    sc_err (*address)(void *context, size_t i, char *url, sc_diag *diag);
    /** The body that came back for it. Called in the order of arrival. */
    sc_err (*take)(void *context, size_t i, const char *body, size_t size, sc_diag *diag);
    void *context;
    size_t bytes_out;  ///< added to
} question_batch;

/** One question under way, and room for its answer. */
typedef struct slot {
    CURL *easy;  ///< made when it is first needed
    size_t question;
    sc_http_body body;
    bool is_busy;           ///< whether the multi handle has it
    bool ends_at_deadline;  ///< its time limit is what was left until the deadline
} slot;

/** Connections to a provider. One thread. */
typedef struct connections {
    double timeout_s;
    double deadline_s;
    int64_t end_ms;       ///< when the deadline is, by clock_ms(); INT64_MAX: never
    int64_t leave_by_ms;  ///< from then on nothing leaves unless something has; INT64_MAX: never
    bool has_sent;        ///< a question has left
    int status;           ///< of HTTP, that ended the asking; 0: none has
    size_t max_bytes;
    CURLM *multi;
    struct curl_slist *headers;
    slot *slots;
    size_t slot_count;
} connections;

/** Some questions that are being asked. */
typedef struct asking {
    connections *http;
    question_batch *batch;
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
static long within_deadline(const connections *http, long wait_ms)
{
    const int64_t left_ms = http->end_ms - clock_ms();
    return left_ms <= 0 ? 0 : left_ms < wait_ms ? (long)left_ms : wait_ms;
}

static bool is_too_late_to_start(const connections *http)
{
    return !http->has_sent && clock_ms() >= http->leave_by_ms;
}

/** How long to wait for something to happen; 0: it is too late. */
static long wait_limit_ms(const connections *http, long most_ms)
{
    const long wait_ms = within_deadline(http, most_ms);
    if (http->has_sent) return wait_ms;
    const int64_t left_ms = http->leave_by_ms - clock_ms();
    return left_ms <= 0 ? 0 : left_ms < wait_ms ? (long)left_ms : wait_ms;
}

static long timeout_ms(const connections *http)
{
    return (long)(http->timeout_s * 1000.0) + 1;
}

static sc_err fail_deadline(const connections *http, sc_diag *diag)
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
    connections *http = context;
    if (is_too_late_to_start(http)) return CURL_PREREQFUNC_ABORT;
    http->has_sent = true;
    return CURL_PREREQFUNC_OK;
}

static bool prepare(connections *http, slot *s)
{
    const sc_http_rules rules = {.user_agent = "starcloak",
                                 .headers = http->headers,
                                 .max_bytes = http->max_bytes,
                                 .connect_timeout_ms = timeout_ms(http)};
    CURL *easy = s->easy = sc_http_easy_new(&rules);
    if (!easy) return false;
    s->body.max_bytes = http->max_bytes;
    bool is_fine = true;
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, allow_sending);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PREREQDATA, http);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, sc_http_take);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_WRITEDATA, &s->body);
    is_fine &= !curl_easy_setopt(easy, CURLOPT_PRIVATE, s);
    return is_fine;
}

static sc_err ask_next(asking *a, slot *s)
{
    char url[SC__POINT_URL_SIZE];
    s->question = a->next;
    s->body.bytes.size = 0;
    s->body.trouble = SC_OK;
    const long wait_ms = within_deadline(a->http, timeout_ms(a->http));
    if (wait_ms == 0) return fail_deadline(a->http, a->diag);
    s->ends_at_deadline = wait_ms < timeout_ms(a->http);
    const sc_err err = a->batch->address(a->batch->context, s->question, url, a->diag);
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
                       "the provider answered with a redirect (status %ld), and redirects are not "
                       "followed; set the provider's URL to the new address",
                       status);
    }
    return sc_fail(diag, SC_ENET, "the provider answered with status %ld instead of 200", status);
}

static sc_err refuse_transfer(const connections *http, const slot *s, CURLcode code, sc_diag *diag)
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

static void let_go(const connections *http, slot *s)
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
    a->batch->bytes_out += (size_t)request_bytes;
    if (code != CURLE_OK) return refuse_transfer(a->http, s, code, a->diag);
    if (status != 200) {
        a->http->status = (int)status;
        return refuse_status(status, a->diag);
    }
    const sc_bytes *body = &s->body.bytes;
    return a->batch->take(a->batch->context, s->question,
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
        if (!err && a->next < a->batch->count) err = ask_next(a, s);
        if (err) return err;
    }
    return SC_OK;
}

static sc_err fetch(connections *http, question_batch *batch, sc_diag *diag)
{
    enum { LONGEST_WAIT_MS = 1000 };  // and then look again
    asking a = {.http = http, .batch = batch, .diag = diag};
    sc_err err = SC_OK;
    for (size_t i = 0; i < http->slot_count && i < batch->count && !err; i++) {
        err = ask_next(&a, &http->slots[i]);
    }
    while (!err && a.running > 0) {
        int running = 0;
        CURLMcode code = curl_multi_perform(http->multi, &running);
        err = take_arrived(&a);
        const long wait_ms = wait_limit_ms(http, LONGEST_WAIT_MS);
        if (!err && !code && a.running > 0 && wait_ms == 0) {
            err = within_deadline(http, 1) ? fail_nothing_sent(diag) : fail_deadline(http, diag);
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

/**
 * Ask questions 0, 1, 2, ... in that order, and wait for all answers. The first failure ends it.
 *
 * @return SC_OK, SC_ENET, SC_ELATE (no question has left, and it is too late for the first),
 *         SC_EREPLY (too large a body), SC_ENOMEM, or what the batch's own functions return
 */
static sc_err fetch_all(connections *http, question_batch *batch, sc_diag *diag)
{
    const sc_pipe_guard guard = sc_pipe_guard_begin();
    const sc_err err = fetch(http, batch, diag);
    sc_pipe_guard_end(&guard);
    return err;
}

// --- Opening and closing ----------------------------------------------------

static void close_http(connections *http)
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

/**
 * The time until the deadline begins to run, and that for the first question to leave.
 *
 * @param options  parallel, timeout_s, deadline_s, leave_s and max_bytes are used
 */
static sc_err open_http(const sc_point_options *options, connections **out, sc_diag *diag)
{
    connections *http = sc_calloc(1, sizeof *http);
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
        close_http(http);
        return sc_fail_memory(diag, "preparing to ask the provider");
    }
    *out = http;
    return SC_OK;
}

// === The provider ===============================================================================

struct sc_point_provider {
    const sc_map *map;
    const sc_vocabulary *vocabulary;
    sc__point_settings settings;
    bool is_started;  ///< sc_http_client_start() was called
    int status;       ///< that ended the last asking; 0: none has
};

sc_err sc_point_provider_new(const sc_map *map, const sc_vocabulary *vocabulary,
                             const sc_point_options *options, sc_point_provider **out,
                             sc_diag *diag)
{
    if (sc_map_coords(map) == SC_COORDS_NONE) {
        return sc_fail(diag, SC_ENOCOORDS,
                       "the map has no coordinates, so a provider cannot be asked at its points");
    }
    sc_point_provider *provider = sc_calloc(1, sizeof *provider);
    if (!provider) return sc_fail_memory(diag, "preparing to ask the provider");
    provider->map = map;
    provider->vocabulary = vocabulary;
    sc_err err = sc__point_settings_init(options, &provider->settings, diag);
    if (!err) err = sc_http_client_start(diag);
    if (err) {
        sc_point_provider_free(provider);
        return err;
    }
    provider->is_started = true;
    *out = provider;
    return SC_OK;
}

void sc_point_provider_free(sc_point_provider *provider)
{
    if (!provider) return;
    if (provider->is_started) sc_http_client_stop();
    sc__point_settings_fini(&provider->settings);
    sc_free(provider);
}

// --- What is asked for ------------------------------------------------------

static sc_err check_requests(const sc_point_provider *provider, const sc_relay *relay,
                             sc_diag *diag)
{
    // Whether k is too large for this provider is seen when it is to be asked.
    const sc_request_limits limits = {
        .max_k = UINT32_MAX, .max_radius_m = HUGE_VAL, .max_radius_s = HUGE_VAL};
    for (size_t i = 0; i < relay->request_count; i++) {
        const sc_request *request = &relay->requests[i];
        const sc_err err = sc_request_check(request, &limits, provider->vocabulary->count, diag);
        if (err) return err;
        if (request->metric != SC_METRIC_DISTANCE) {
            return sc_fail(diag, SC_EREQUEST,
                           "a request is by %s, and a provider that knows points only tells no "
                           "travel times; ask by distance",
                           sc_metric_name(request->metric));
        }
        if (request->category_count > 0 && !provider->settings.has_category) {
            return sc_fail(diag, SC_EREQUEST,
                           "a request names categories, but the provider's URL has no {category}; "
                           "add it to the URL");
        }
    }
    return SC_OK;
}

// --- Rounds -----------------------------------------------------------------

/** A list that is to be asked for, and for how many objects. */
typedef struct question {
    size_t list;
    uint32_t k;
} question;

typedef struct inquiry {
    const sc_point_provider *provider;
    sc_point_reply *reply;
    question *questions;
} inquiry;

static sc_err address_of(void *context, size_t i, char *url, sc_diag *diag)
{
    const inquiry *r = context;
    const sc__point *point = sc__point_reply_point(r->reply, r->questions[i].list);
    const sc_category_id category = sc__point_reply_topic(r->reply, r->questions[i].list)->category;
    const sc__point_url_values values = {
        .x = point->x,
        .y = point->y,
        .k = r->questions[i].k,
        .category = category == SC_NONE ? "" : r->provider->vocabulary->names[category]};
    return sc__point_url_fill(r->provider->settings.options.url, &values, url, diag);
}

static sc_err take_body(void *context, size_t i, const char *body, size_t size, sc_diag *diag)
{
    const inquiry *r = context;
    const sc__point_answer_body answer = {
        .list = r->questions[i].list, .k = r->questions[i].k, .bytes = body, .size = size};
    return sc__point_reply_take(r->reply, &r->provider->settings, r->provider->vocabulary, &answer,
                                diag);
}

// The questions that are still open, in random order.
static sc_err find_open(const inquiry *r, sc_rng *rng, size_t *out, sc_diag *diag)
{
    size_t count = 0;
    for (size_t list = 0; list < r->reply->list_count; list++) {
        question next = {.list = list};
        const sc_err err = sc__point_reply_next_k(
            r->reply, list, r->provider->settings.options.max_k, &next.k, diag);
        if (err) return err;
        if (next.k == 0) continue;
        // Each one goes to a random place among those before it.
        const size_t place = sc_rng_below(rng, (uint32_t)count + 1);
        r->questions[count++] = r->questions[place];
        r->questions[place] = next;
    }
    *out = count;
    return SC_OK;
}

static sc_err ask_all(sc_point_provider *provider, sc_point_reply *reply, sc_rng *rng,
                      sc_diag *diag)
{
    connections *http = NULL;
    inquiry r = {.provider = provider, .reply = reply};
    question_batch batch = {.address = address_of, .take = take_body, .context = &r};
    r.questions = sc_calloc(reply->list_count, sizeof *r.questions);
    if (!r.questions) return sc_fail_memory(diag, "preparing to ask the provider");
    sc_err err = open_http(&provider->settings.options, &http, diag);
    if (!err) err = find_open(&r, rng, &batch.count, diag);
    while (!err && batch.count > 0) {
        err = fetch_all(http, &batch, diag);
        if (!err) err = find_open(&r, rng, &batch.count, diag);
    }
    reply->work.bytes_out = batch.bytes_out;
    if (http) provider->status = http->status;
    close_http(http);
    sc_free(r.questions);
    return err;
}

int sc_point_provider_status(const sc_point_provider *provider)
{
    return provider->status;
}

sc_err sc_point_provider_ask(sc_point_provider *provider, const sc_relay *relay, sc_rng *rng,
                             sc_point_reply **out, sc_diag *diag)
{
    provider->status = 0;
    // How many segments are too many is seen by the points that they need.
    sc_err err = sc__relay_check(provider->map, relay, SIZE_MAX, diag);
    if (!err) err = check_requests(provider, relay, diag);
    if (err) return err;
    sc_point_reply *reply = NULL;
    err = sc__point_reply_new(provider->map, &provider->settings, relay, &reply, diag);
    if (!err) err = ask_all(provider, reply, rng, diag);
    if (!err) err = sc__point_reply_settle(reply, diag);
    if (!err) err = sc__point_reply_check(reply, diag);
    if (err) {
        sc_point_reply_free(reply);
        return err;
    }
    *out = reply;
    return SC_OK;
}
