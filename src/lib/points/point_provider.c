// Asking a provider that knows points only: rounds of questions over HTTP, until every answer
// reaches far enough. See starcloak/point_provider.h.
//
// All questions of a round are asked in random order; those whose answers do not reach far enough
// are asked again in the next round, for twice as many objects. What is asked depends on the
// segments, the requests and the provider's own answers. Neither positions of travellers nor their
// number are an input: sc_point_provider_ask() does not have them.
#include <starcloak/point_provider.h>

#include "base/alloc.h"
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
    char url[SC__POINT_URL_SIZE];  ///< curl copies it
} inquiry;

static sc_err fill_question(void *context, size_t i, sc_http_question *out, sc_diag *diag)
{
    inquiry *r = context;
    const sc__point *point = sc__point_reply_point(r->reply, r->questions[i].list);
    const sc_category_id category = sc__point_reply_topic(r->reply, r->questions[i].list)->category;
    const sc__point_url_values values = {
        .x = point->x,
        .y = point->y,
        .k = r->questions[i].k,
        .category = category == SC_NONE ? "" : r->provider->vocabulary->names[category]};
    out->url = r->url;
    return sc__point_url_fill(r->provider->settings.options.url, &values, r->url, diag);
}

static sc_err take_body(void *context, size_t i, sc_http_arrival *arrival, sc_diag *diag)
{
    const inquiry *r = context;
    const sc__point_answer_body answer = {.list = r->questions[i].list,
                                          .k = r->questions[i].k,
                                          .bytes = arrival->bytes,
                                          .size = arrival->size};
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

static sc_err ask_rounds(sc_http_connections *http, inquiry *r, sc_rng *rng, sc_diag *diag)
{
    sc_http_batch batch = {.fill = fill_question, .take = take_body, .context = r};
    sc_err err = find_open(r, rng, &batch.count, diag);
    while (!err && batch.count > 0) {
        err = sc_http_batch_run(http, &batch, diag);
        if (!err) err = find_open(r, rng, &batch.count, diag);
    }
    r->reply->work.bytes_out = batch.bytes_out;
    return err;
}

static sc_err ask_all(sc_point_provider *provider, sc_point_reply *reply, sc_rng *rng,
                      sc_diag *diag)
{
    sc_http_connections *http = NULL;
    const sc_point_options *options = &provider->settings.options;
    inquiry r = {.provider = provider, .reply = reply};
    r.questions = sc_calloc(reply->list_count, sizeof *r.questions);
    struct curl_slist *headers = curl_slist_append(NULL, "Accept: application/json");
    sc_err err =
        r.questions && headers ? SC_OK : sc_fail_memory(diag, "preparing to ask the provider");
    if (!err) {
        const sc_http_batch_options how = {.parallel = options->parallel,
                                           .timeout_s = options->timeout_s,
                                           .deadline_s = options->deadline_s,
                                           .leave_s = options->leave_s,
                                           .max_bytes = options->max_bytes,
                                           .headers = headers};
        err = sc_http_connections_open(&how, &http, diag);
    }
    if (!err) err = ask_rounds(http, &r, rng, diag);
    if (http) provider->status = sc_http_connections_status(http);
    sc_http_connections_close(http);
    curl_slist_free_all(headers);
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
