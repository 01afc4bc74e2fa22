// What this service is and allows. See about.h; docs/ui.md has an example.
//
// Written for each request: the engine may be switched, the policy reloaded, an offer appear.
#include "api/status_pages.h"

#include "api/problem_details.h"
#include "api/service.h"
#include "base/json_write.h"

/** "k":{"least":2,"standard":5,"most":1000} for one need. */
static void put_need(sc_json_writer *json, const char *name, double least, double standard,
                     double most)
{
    sc_json_open_object(json, name);
    sc_json_put_fixed(json, "least", least, 6);
    sc_json_put_fixed(json, "standard", standard, 6);
    sc_json_put_fixed(json, "most", most, 6);
    sc_json_close_object(json);
}

static double in_seconds(sc_time t)
{
    return (double)t / 1e6;
}

static void put_profile(sc_json_writer *json, const sc_policy_terms *policy)
{
    const sc_profile *least = &policy->least;
    const sc_profile *standard = &policy->standard;
    const sc_profile *most = &policy->most;
    sc_json_open_object(json, "profile");
    put_need(json, "k", least->k, standard->k, most->k);
    put_need(json, "l", least->l, standard->l, most->l);
    put_need(json, "max_hops", least->max_hops, standard->max_hops, most->max_hops);
    put_need(json, "max_wait_s", in_seconds(least->max_wait_us), in_seconds(standard->max_wait_us),
             in_seconds(most->max_wait_us));
    sc_json_close_object(json);
}

static const char *provider_name(sc_courier_kind provider)
{
    switch (provider) {
    case SC_COURIER_BUILT_IN:
        return "built in";
    case SC_COURIER_POINTS:
        return "points";
    case SC_COURIER_HTTP:
        break;
    }
    return "http";
}

/** The provider, and the encoding of messages to it: null where nothing is encoded. */
static void put_provider(sc_json_writer *json, const sc_service_internal *parts)
{
    sc_json_put_string(json, "provider", provider_name(parts->provider));
    if (parts->provider == SC_COURIER_HTTP) {
        sc_json_put_string(json, "encoding", sc_encoding_name(parts->encoding));
    } else {
        sc_json_put_null(json, "encoding");
    }
}

static const char *access_name(sc_access access)
{
    switch (access) {
    case SC_ACCESS_LOCAL:
        return "local";
    case SC_ACCESS_TOKEN:
        return "token";
    case SC_ACCESS_OPEN:
        return "open";
    case SC_ACCESS_OFF:
        break;
    }
    return "off";
}

/** "offers":["attacks"]: what extra pages offer now, to those who may see them. */
static void put_offers(sc_json_writer *json, const sc_service_internal *parts,
                       const sc_policy_terms *policy)
{
    const size_t count = policy->events == SC_ACCESS_OFF ? 0 : parts->extra_count;
    sc_json_open_array(json, "offers");
    for (size_t i = 0; i < count; i++) {
        const sc_extra_page *extra = &parts->extra[i];
        if (!extra->offer || (extra->is_offered && !extra->is_offered(extra->context))) continue;
        sc_json_put_string(json, NULL, extra->offer);
    }
    sc_json_close_array(json);
}

static bool put_about(sc_bytes *out, const sc_service_internal *parts,
                      const sc_policy_terms *policy)
{
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_open_object(&json, NULL);
    sc_json_put_string(&json, "version", parts->version);
    sc_json_put_string(&json, "engine", sc_variant_name(sc_ledger_variant(parts->ledger)));
    put_provider(&json, parts);
    put_profile(&json, policy);
    sc_json_put_count(&json, "max_nearest", policy->requests.max_k);
    sc_json_put_number(&json, "max_radius_m", policy->requests.max_radius_m);
    sc_json_put_string(&json, "events", access_name(policy->events));
    put_offers(&json, parts, policy);
    sc_json_put_flag(&json, "cluster", parts->view != NULL);
    sc_json_put_flag(&json, "demo", parts->extra_count > 0);
    sc_json_close_object(&json);
    return !json.has_failed;
}

void sc_about_show(const sc_service_internal *parts, const sc_policy_terms *policy,
                   sc_http_request *request)
{
    sc_bytes text = {0};
    if (put_about(&text, parts, policy)) {
        // Replies are "no-store" unless they say otherwise.
        sc_http_reply(request, 200, "application/json", text.data, text.size, NULL, 0);
    } else {
        sc_problem problem;
        sc_problem_set(&problem, SC_PROBLEM_OVERLOADED, NULL, "try again in a moment");
        problem.retry_after_s = 1;
        sc_problem_reply(request, &problem, NULL);
    }
    sc_bytes_fini(&text);
}
