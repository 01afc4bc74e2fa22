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
#include "net/http_batch.h"
#include "points/point_reply.h"
#include "relay/relay_build.h"

#include <math.h>

// === The provider ===============================================================================

struct sc_point_provider {
    const sc_map *map;
    const sc_vocabulary *vocabulary;
    const sc_point_settings *settings;
    struct curl_slist *headers;
    bool is_started;  ///< sc_http_client_start() was called
    int status;       ///< that ended the last asking; 0: none has
};

sc_err sc_point_provider_new(const sc_map *map, const sc_vocabulary *vocabulary,
                             const sc_point_settings *settings, sc_point_provider **out,
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
    provider->settings = settings;
    sc_err err = sc_http_client_start(diag);
    provider->is_started = !err;
    if (!err) {
        provider->headers = sc_adapter_headers(&settings->common, "application/json");
        if (!provider->headers) err = sc_fail_memory(diag, "preparing to ask the provider");
    }
    if (err) {
        sc_point_provider_free(provider);
        return err;
    }
    *out = provider;
    return SC_OK;
}

void sc_point_provider_free(sc_point_provider *provider)
{
    if (!provider) return;
    sc_http_headers_free(provider->headers);
    if (provider->is_started) sc_http_client_stop();
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
        if (request->category_count > 0 && !provider->settings->common.has[SC__POINT_CATEGORY]) {
            return sc_fail(diag, SC_EREQUEST,
                           "a request names categories, but the provider's URL has no {category}; "
                           "add it to the URL, or to the body");
        }
    }
    return SC_OK;
}

// --- Rounds -----------------------------------------------------------------

/** A list that is to be asked for, and for how many objects. */
typedef struct question {
    size_t list;
    uint32_t k;
    unsigned retries;
    sc_bytes body;  ///< sent while it is under way
} question;

typedef struct inquiry {
    const sc_point_provider *provider;
    sc_http_connections *http;
    sc_point_reply *reply;
    question *questions;
    sc_bytes url;  ///< curl copies it
} inquiry;

static sc_err fill_question(void *context, size_t i, sc_http_question *out, sc_diag *diag)
{
    inquiry *r = context;
    const sc__point *point = sc__point_reply_point(r->reply, r->questions[i].list);
    const sc_category_id category = sc__point_reply_topic(r->reply, r->questions[i].list)->category;
    const sc__point_question asked = {
        .x = point->x,
        .y = point->y,
        .k = r->questions[i].k,
        .category = category == SC_NONE ? NULL : r->provider->vocabulary->names[category]};
    sc_bytes *body = &r->questions[i].body;
    r->url.size = 0;
    body->size = 0;
    const sc_err err = sc__point_question_fill(r->provider->settings, &asked, &r->url, body, diag);
    out->url = (const char *)r->url.data;
    out->body = body->size > 0 ? (const char *)body->data : NULL;
    return err;
}

static bool may_leave(void *context, long *wait_ms)
{
    return sc_http_pace_may_leave(((const inquiry *)context)->provider->settings->pace, wait_ms);
}

static void ends(void *context)
{
    sc_http_pace_ends(((const inquiry *)context)->provider->settings->pace);
}

static sc_err take_body(void *context, size_t i, sc_http_arrival *arrival, sc_diag *diag)
{
    const inquiry *r = context;
    if (arrival->status != 200) {
        return sc_http_pace_again(r->provider->settings->pace, arrival, &r->questions[i].retries)
                   ? SC_OK
                   : sc_http_refuse_status(r->http, arrival->status, diag);
    }
    const sc__point_answer_body answer = {.list = r->questions[i].list,
                                          .k = r->questions[i].k,
                                          .bytes = arrival->bytes,
                                          .size = arrival->size};
    return sc__point_reply_take(r->reply, r->provider->settings, r->provider->vocabulary, &answer,
                                diag);
}

// The questions that are still open, in random order.
static sc_err find_open(const inquiry *r, sc_rng *rng, size_t *out, sc_diag *diag)
{
    size_t count = 0;
    for (size_t list = 0; list < r->reply->list_count; list++) {
        question next = {.list = list};
        const sc_err err = sc__point_reply_next_k(
            r->reply, list, r->provider->settings->options.max_k, &next.k, diag);
        if (err) return err;
        if (next.k == 0) continue;
        // Each one goes to a random place among those before it; rooms for bodies stay.
        const size_t place = sc_rng_below(rng, (uint32_t)count + 1);
        r->questions[count].list = r->questions[place].list;
        r->questions[count].k = r->questions[place].k;
        r->questions[count++].retries = 0;
        r->questions[place].list = next.list;
        r->questions[place].k = next.k;
    }
    *out = count;
    return SC_OK;
}

static sc_err ask_rounds(inquiry *r, sc_rng *rng, sc_diag *diag)
{
    sc_http_batch batch = {.fill = fill_question,
                           .take = take_body,
                           .takes_all = true,
                           .may_leave = may_leave,
                           .ends = ends,
                           .context = r};
    sc_err err = find_open(r, rng, &batch.count, diag);
    while (!err && batch.count > 0) {
        err = sc_http_batch_run(r->http, &batch, diag);
        if (!err) err = find_open(r, rng, &batch.count, diag);
    }
    r->reply->work.bytes_out = batch.bytes_out;
    return err;
}

// The earlier of two deadlines, each of which may be none.
static double deadline_of(const sc_point_options *options, const sc_point_patience *patience)
{
    const double own_s = options->deadline_s > 0 ? options->deadline_s : HUGE_VAL;
    const double given_s = patience && patience->deadline_s > 0 ? patience->deadline_s : HUGE_VAL;
    const double least_s = fmin(own_s, given_s);
    return isinf(least_s) ? 0 : least_s;
}

static sc_err ask_all(sc_point_provider *provider, const sc_point_patience *patience,
                      sc_point_reply *reply, sc_rng *rng, sc_diag *diag)
{
    const sc_point_options *options = &provider->settings->options;
    inquiry r = {.provider = provider, .reply = reply};
    r.questions = sc_calloc(reply->list_count, sizeof *r.questions);
    if (!r.questions) return sc_fail_memory(diag, "preparing to ask the provider");
    const sc_http_batch_options how = {.parallel = options->parallel,
                                       .timeout_s = options->timeout_s,
                                       .deadline_s = deadline_of(options, patience),
                                       .leave_s = patience ? patience->leave_s : 0,
                                       .max_bytes = options->max_bytes,
                                       .headers = provider->headers,
                                       .ca_file = provider->settings->common.ca_file};
    sc_err err = sc_http_connections_open(&how, &r.http, diag);
    if (!err) err = ask_rounds(&r, rng, diag);
    if (r.http) provider->status = sc_http_connections_status(r.http);
    sc_http_connections_close(r.http);
    // Keys may be in both.
    sc_bytes_wipe(&r.url);
    sc_bytes_fini(&r.url);
    for (size_t i = 0; i < reply->list_count; i++) {
        sc_bytes_wipe(&r.questions[i].body);
        sc_bytes_fini(&r.questions[i].body);
    }
    sc_free(r.questions);
    return err;
}

int sc_point_provider_status(const sc_point_provider *provider)
{
    return provider->status;
}

sc_err sc_point_provider_ask(sc_point_provider *provider, const sc_relay *relay,
                             const sc_point_patience *patience, sc_rng *rng, sc_point_reply **out,
                             sc_diag *diag)
{
    provider->status = 0;
    // How many segments are too many is seen by the points that they need.
    sc_err err = sc__relay_check(provider->map, relay, SIZE_MAX, diag);
    if (!err) err = check_requests(provider, relay, diag);
    if (err) return err;
    sc_point_reply *reply = NULL;
    err = sc__point_reply_new(provider->map, provider->settings, relay, &reply, diag);
    if (!err) err = ask_all(provider, patience, reply, rng, diag);
    if (!err) err = sc__point_reply_settle(reply, diag);
    if (!err) err = sc__point_reply_check(reply, diag);
    if (err) {
        sc_point_reply_free(reply);
        return err;
    }
    *out = reply;
    return SC_OK;
}
