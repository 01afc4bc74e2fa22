// What this service is and allows. See about.h; docs/ui.md has an example.
//
// Written for each request: the engine may be switched, the policy reloaded, an offer appear.
#include "api/about.h"

#include "api/json_write.h"
#include "api/problem.h"
#include "api/service.h"

/** ,"k":{"least":2,"standard":5,"most":1000} for one need. */
static bool put_need(sc_bytes *out, const char *before, double least, double standard, double most)
{
    return sc_json_append_text(out, before) && sc_json_append_text(out, "{\"least\":") &&
           sc_json_append_fixed(out, least, 6) && sc_json_append_text(out, ",\"standard\":") &&
           sc_json_append_fixed(out, standard, 6) && sc_json_append_text(out, ",\"most\":") &&
           sc_json_append_fixed(out, most, 6) && sc_json_append_text(out, "}");
}

static double in_seconds(sc_time t)
{
    return (double)t / 1e6;
}

static bool put_profile(sc_bytes *out, const sc_policy_terms *policy)
{
    const sc_profile *least = &policy->least;
    const sc_profile *standard = &policy->standard;
    const sc_profile *most = &policy->most;
    return put_need(out, ",\"profile\":{\"k\":", least->k, standard->k, most->k) &&
           put_need(out, ",\"l\":", least->l, standard->l, most->l) &&
           put_need(out, ",\"max_hops\":", least->max_hops, standard->max_hops, most->max_hops) &&
           put_need(out, ",\"max_wait_s\":", in_seconds(least->max_wait_us),
                    in_seconds(standard->max_wait_us), in_seconds(most->max_wait_us)) &&
           sc_json_append_text(out, "}");
}

/** The provider, and how it is spoken to: null where nothing is encoded. */
static bool put_provider(sc_bytes *out, const sc_service_internal *parts)
{
    switch (parts->provider) {
    case SC_COURIER_BUILT_IN:
        return sc_json_append_text(out, ",\"provider\":\"built in\",\"encoding\":null");
    case SC_COURIER_POINTS:
        return sc_json_append_text(out, ",\"provider\":\"points\",\"encoding\":null");
    case SC_COURIER_HTTP:
        break;
    }
    return sc_json_append_text(out, ",\"provider\":\"http\",\"encoding\":") &&
           sc_json_append_string(out, sc_encoding_name(parts->encoding));
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

static bool put_flag(sc_bytes *out, const char *before, bool holds)
{
    return sc_json_append_text(out, before) && sc_json_append_text(out, holds ? "true" : "false");
}

/** ,"offers":["attacks"]: what extra pages offer now, to those who may see them. */
static bool put_offers(sc_bytes *out, const sc_service_internal *parts,
                       const sc_policy_terms *policy)
{
    const size_t count = policy->events == SC_ACCESS_OFF ? 0 : parts->extra_count;
    const char *between = "";
    bool fits = sc_json_append_text(out, ",\"offers\":[");
    for (size_t i = 0; fits && i < count; i++) {
        const sc_extra_page *extra = &parts->extra[i];
        if (!extra->offer || (extra->is_offered && !extra->is_offered(extra->context))) continue;
        fits = sc_json_append_text(out, between) && sc_json_append_string(out, extra->offer);
        between = ",";
    }
    return fits && sc_json_append_text(out, "]");
}

static bool put_about(sc_bytes *out, const sc_service_internal *parts,
                      const sc_policy_terms *policy)
{
    const sc_request_limits *limits = &policy->requests;
    return sc_json_append_text(out, "{\"version\":") &&
           sc_json_append_string(out, parts->version) && sc_json_append_text(out, ",\"engine\":") &&
           sc_json_append_string(out, sc_variant_name(sc_ledger_variant(parts->ledger))) &&
           put_provider(out, parts) && put_profile(out, policy) &&
           sc_json_append_text(out, ",\"max_nearest\":") &&
           sc_json_append_whole(out, limits->max_k) &&
           sc_json_append_text(out, ",\"max_radius_m\":") &&
           sc_json_append_number(out, limits->max_radius_m) &&
           sc_json_append_text(out, ",\"events\":") &&
           sc_json_append_string(out, access_name(policy->events)) &&
           put_offers(out, parts, policy) && put_flag(out, ",\"cluster\":", parts->view != NULL) &&
           put_flag(out, ",\"demo\":", parts->extra_count > 0) && sc_json_append_text(out, "}");
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
