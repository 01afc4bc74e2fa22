// Whether settings go together, and the policy that they make. See settings.h.
#include "api/settings.h"

#include "base/diag.h"

#include <string.h>

sc_policy_terms sc_settings_policy(const sc_settings *s)
{
    return (sc_policy_terms){
        .least = {(uint32_t)s->min_k, (uint32_t)s->min_l, (uint32_t)s->min_hops,
                  sc_time_from_seconds(s->min_wait_s)},
        .most = {(uint32_t)s->max_k, (uint32_t)s->max_l, (uint32_t)s->max_hops,
                 sc_time_from_seconds(s->max_wait_s)},
        .standard = {(uint32_t)s->default_k, (uint32_t)s->default_l, (uint32_t)s->default_hops,
                     sc_time_from_seconds(s->default_wait_s)},
        .requests = {.max_k = (uint32_t)s->max_nearest, .max_radius_m = s->max_radius_m},
        .max_snap_m = s->max_snap_m,
        .user_rate = s->user_rate,
        .user_burst = s->user_burst,
        .address_rate = s->address_rate,
        .address_burst = s->address_burst,
        .user_pending = (uint32_t)s->user_pending,
        .events = (sc_access)s->events,
        .metrics = (sc_access)s->metrics,
    };
}

static bool is_web_address(const char *text)
{
    return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

static sc_err check_tls(const sc_settings *s, sc_diag *diag)
{
    if (!*s->tls_certificate && (*s->tls_key || *s->client_ca)) {
        return sc_fail(diag, SC_EINVAL, "%s: it is of no use without a tls-certificate",
                       *s->tls_key ? "tls-key" : "client-ca");
    }
    if (!*s->provider_certificate && *s->provider_key) {
        return sc_fail(diag, SC_EINVAL,
                       "provider-key: it is of no use without a provider-certificate");
    }
    return SC_OK;
}

/** There is one provider. */
static sc_err check_provider(const sc_settings *s, sc_diag *diag)
{
    if (*s->provider && *s->point_provider) {
        return sc_fail(diag, SC_EINVAL, "provider and point-provider: only one can be asked");
    }
    if (*s->objects && (*s->provider || *s->point_provider)) {
        return sc_fail(diag, SC_EINVAL,
                       "objects: they are the built-in provider's, and another one is asked "
                       "(%s); give them to that one",
                       *s->provider ? "provider" : "point-provider");
    }
    if (*s->provider && !is_web_address(s->provider)) {
        return sc_fail(diag, SC_EINVAL, "provider: its address begins with http:// or https://");
    }
    if (*s->point_provider && !is_web_address(s->point_provider)) {
        return sc_fail(diag, SC_EINVAL,
                       "point-provider: its address begins with http:// or https://");
    }
    if (*s->objects && strncmp(s->objects, "postgresql://", 13) != 0 &&
        strncmp(s->objects, "postgres://", 11) != 0) {
        return sc_fail(diag, SC_EINVAL,
                       "objects: the address of a database begins with postgresql://, as in "
                       "postgresql://user@host/database");
    }
    return SC_OK;
}

sc_err sc_settings_check(const sc_settings *settings, sc_diag *diag)
{
    const sc_policy_terms policy = sc_settings_policy(settings);
    sc_err err = sc_policy_terms_check(&policy, diag);
    if (!err) err = check_tls(settings, diag);
    if (!err) err = check_provider(settings, diag);
    if (!err && settings->guard_s >= settings->min_wait_s) {
        err = sc_fail(diag, SC_EINVAL,
                      "guard: it takes all the time that a query may allow (min-wait)");
    }
    if (!err && settings->provider_timeout_s > settings->provider_deadline_s) {
        err = sc_fail(diag, SC_EINVAL,
                      "provider-timeout: one try may not take longer than all together "
                      "(provider-deadline)");
    }
    return err;
}
