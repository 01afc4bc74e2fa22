// What an operator allows, and whether a profile keeps to it.
#include "engine/query_internal.h"

#include "base/diag.h"

#include <inttypes.h>

sc_limits sc_limits_default(void)
{
    return (sc_limits){.max_k = 1000,
                       .max_l = 10000,
                       .max_hops = 16,
                       .max_wait_us = sc_time_from_seconds(3600),
                       .max_snap_m = 1000.0};
}

sc_err sc__limits_check(const sc_limits *limits, sc_diag *diag)
{
    if (limits->max_k == 0) {
        return sc_fail(diag, SC_EINVAL, "a limit of 0 users admits no query; allow 1 or more");
    }
    if (limits->max_l == 0) {
        return sc_fail(diag, SC_EINVAL, "a limit of 0 segments admits no query; allow 1 or more");
    }
    if (limits->max_wait_us <= 0 || limits->max_wait_us > SC_TIME_FARTHEST) {
        return sc_fail(diag, SC_EINVAL,
                       "a longest wait of %.15g s makes no sense; allow more than 0 and at most "
                       "%.15g s",
                       sc__in_seconds(limits->max_wait_us), sc__in_seconds(SC_TIME_FARTHEST));
    }
    // Written so that a limit that is not a number is refused too.
    if (!(limits->max_snap_m >= 0.0)) {
        return sc_fail(diag, SC_EINVAL,
                       "a farthest road of %.15g m makes no sense; allow 0 m or more",
                       limits->max_snap_m);
    }
    return SC_OK;
}

static sc_err check_need(const char *need, uint32_t value, uint32_t least, uint32_t most,
                         sc_diag *diag)
{
    if (value >= least && value <= most) return SC_OK;
    return sc_fail(diag, SC_EPROFILE,
                   "%s of %" PRIu32 " is not allowed; ask for %" PRIu32 " to %" PRIu32, need, value,
                   least, most);
}

sc_err sc__profile_check(const sc_limits *limits, const sc_profile *profile, sc_diag *diag)
{
    sc_err err = check_need("k (users)", profile->k, 1, limits->max_k, diag);
    if (!err) err = check_need("l (segments)", profile->l, 1, limits->max_l, diag);
    if (!err) err = check_need("sigma_s (hops)", profile->max_hops, 0, limits->max_hops, diag);
    if (err) return err;

    if (profile->max_wait_us <= 0 || profile->max_wait_us > limits->max_wait_us) {
        return sc_fail(diag, SC_EPROFILE,
                       "sigma_t (the longest wait) of %.15g s is not allowed; ask for more than 0 "
                       "and at most %.15g s",
                       sc__in_seconds(profile->max_wait_us), sc__in_seconds(limits->max_wait_us));
    }
    return SC_OK;
}
