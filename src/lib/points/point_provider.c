// Asking a provider that knows points only: rounds of questions, until every answer reaches.
//
// All questions of a round are asked in random order; those whose answers do not reach far enough
// are asked again in the next round, for twice as many objects. What is asked depends on the
// segments, the requests and the provider's own answers. Neither the traveller's position nor
// how many there are comes in here: compare what sc_point_provider_ask() is given.
#include <starcloak/point_provider.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/rng.h"
#include "net/http_client.h"
#include "points/point_http.h"
#include "points/point_reply.h"
#include "points/point_url.h"
#include "relay/relay_build.h"

#include <math.h>

struct sc_point_provider {
    const sc_map *map;
    const sc_vocabulary *vocabulary;
    sc__point_settings settings;
    bool is_started;  ///< whether curl knows of us
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
    const sc_request_limits limits = {.max_k = UINT32_MAX, .max_radius_m = HUGE_VAL};
    for (size_t i = 0; i < relay->request_count; i++) {
        const sc_request *request = &relay->requests[i];
        const sc_err err = sc_request_check(request, &limits, provider->vocabulary->count, diag);
        if (err) return err;
        if (request->category_count > 0 && !provider->settings.has_category) {
            return sc_fail(diag, SC_EREQUEST,
                           "a request is for some categories, and the provider's URL has no "
                           "{category} to put them in");
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
    const sc__point *point = sc__asked_point(r->reply, r->questions[i].list);
    const sc_category_id category = sc__asked_topic(r->reply, r->questions[i].list)->category;
    const sc__url_values values = {
        .x = point->x,
        .y = point->y,
        .k = r->questions[i].k,
        .category = category == SC_NONE ? "" : r->provider->vocabulary->names[category]};
    return sc__url_fill(r->provider->settings.options.url, &values, url, diag);
}

static sc_err take_body(void *context, size_t i, const char *body, size_t size, sc_diag *diag)
{
    const inquiry *r = context;
    return sc__point_reply_take(r->reply, &r->provider->settings, r->provider->vocabulary,
                                r->questions[i].list, r->questions[i].k, body, size, diag);
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

static sc_err ask_all(const sc_point_provider *provider, sc_point_reply *reply, sc_rng *rng,
                      sc_diag *diag)
{
    sc__http *http = NULL;
    inquiry r = {.provider = provider, .reply = reply};
    sc__visit visit = {.address = address_of, .take = take_body, .context = &r};
    r.questions = sc_calloc(reply->list_count, sizeof *r.questions);
    if (!r.questions) return sc_fail_memory(diag, "preparing to ask the provider");
    sc_err err = sc__http_open(&provider->settings.options, &http, diag);
    if (!err) err = find_open(&r, rng, &visit.count, diag);
    while (!err && visit.count > 0) {
        err = sc__http_fetch(http, &visit, diag);
        if (!err) err = find_open(&r, rng, &visit.count, diag);
    }
    reply->work.bytes_out = visit.bytes_out;
    sc__http_close(http);
    sc_free(r.questions);
    return err;
}

sc_err sc_point_provider_ask(sc_point_provider *provider, const sc_relay *relay, sc_rng *rng,
                             sc_point_reply **out, sc_diag *diag)
{
    // How many segments are too many is seen by the points that they need.
    sc_err err = sc__relay_check(provider->map, relay, SIZE_MAX, diag);
    if (!err) err = check_requests(provider, relay, diag);
    if (err) return err;
    sc_point_reply *reply = NULL;
    err = sc__point_reply_new(provider->map, &provider->settings, relay, &reply, diag);
    if (!err) err = ask_all(provider, reply, rng, diag);
    if (!err) err = sc__point_reply_settle(reply, diag);
    if (!err) err = sc__point_reply_believe(reply, diag);
    if (err) {
        sc_point_reply_free(reply);
        return err;
    }
    *out = reply;
    return SC_OK;
}
