// MEAN[:DEV], for each thing that travellers draw.
#include "workload_options.h"

#include <stdio.h>
#include <string.h>

#include "format.h"
#include "values.h"

/** Which spread an option sets, and what its mean must at least be. */
typedef struct target {
    const char *option;
    sc_normal *spread;
    double least;
} target;

static target target_of(int key, sc_workload *workload)
{
    switch (key) {
    case SC_KEY_WORKLOAD_K:
        return (target){"--k", &workload->k, SC_LEAST_COUNT};
    case SC_KEY_WORKLOAD_L:
        return (target){"--l", &workload->l, SC_LEAST_COUNT};
    case SC_KEY_WORKLOAD_SIGMA_S:
        return (target){"--sigma-s", &workload->max_hops, 0};
    case SC_KEY_WORKLOAD_SIGMA_T:
        return (target){"--sigma-t", &workload->max_wait_s, SC_LEAST_WAIT_S};
    case SC_KEY_WORKLOAD_NEAREST:
        return (target){"--nearest", &workload->nearest, SC_LEAST_COUNT};
    case SC_KEY_WORKLOAD_PAUSE:
        return (target){"--pause", &workload->pause_s, SC_LEAST_PAUSE_S};
    default:
        return (target){0};
    }
}

static void take_category(const char *argument, const struct argp_state *state, sc_asking *asking)
{
    if (*argument == '\0') sc_usage_error(state, "--category: the name of the category is empty");
    const bool is_one = strcmp(argument, "one") == 0;
    const bool is_any = strcmp(argument, "any") == 0;
    asking->workload.wanted = is_one ? SC_WANT_ONE : is_any ? SC_WANT_ANY : SC_WANT_THIS;
    asking->category = is_one || is_any ? NULL : argument;
}

sc_err sc_workload_find_category(sc_asking *asking, const sc_map *map, sc_diag *diag)
{
    if (!asking->category) return SC_OK;
    asking->workload.category = sc_map_category_find(map, asking->category);
    if (asking->workload.category != SC_NONE) return SC_OK;
    return sc_explain(
        diag, SC_EUNKNOWN,
        "--category: the map has no category '%.60s'; 'starcloak map info' lists its categories",
        asking->category);
}

bool sc_workload_option(int key, char *argument, const struct argp_state *state, sc_asking *asking)
{
    if (key == SC_KEY_WORKLOAD_CATEGORY) {
        take_category(argument, state, asking);
        return true;
    }
    if (key == SC_KEY_WORKLOAD_METRIC) {
        static const char *const metrics[] = {"distance", "time", NULL};
        asking->workload.metric =
            sc_metric_find(metrics[sc_value_word(state, "--metric", argument, metrics)]);
        return true;
    }
    const target set = target_of(key, &asking->workload);
    if (!set.option) return false;

    // The value is split in place, and restored for messages that show it.
    char *colon = strchr(argument, ':');
    if (argument == colon || (colon && colon[1] == '\0')) {
        sc_usage_error(state, "%s: '%s' is neither MEAN nor MEAN:DEV (as 5 or 5:1.5)", set.option,
                       argument);
    }
    if (colon) *colon = '\0';
    const double mean = sc_value_number(state, set.option, argument, set.least, SC_NORMAL_MAX);
    const double deviation =
        colon ? sc_value_number(state, set.option, colon + 1, 0, SC_NORMAL_MAX) : 0;
    if (colon) *colon = ':';
    *set.spread = sc_normal_around(mean, deviation, set.least);
    return true;
}

bool sc_workload_exceeds_limits(const sc_workload *workload, char *out, size_t size)
{
    const sc_limits limits = sc_limits_default();
    const struct {
        const char *option;
        double reach;
        double limit;
        const char *unit;
    } needs[] = {
        {"--k", workload->k.max, limits.max_k, ""},
        {"--l", workload->l.max, limits.max_l, ""},
        {"--sigma-s", workload->max_hops.max, limits.max_hops, " hops"},
        {"--sigma-t", workload->max_wait_s.max, (double)limits.max_wait_us * 1e-6, " s"},
    };
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if (needs[i].reach <= needs[i].limit) continue;
        char reach[SC_FORMAT_SIZE];
        char limit[SC_FORMAT_SIZE];
        snprintf(out, size, "%s: travellers ask for up to %s%s, but at most %s%s is admitted",
                 needs[i].option, sc_format_decimal(reach, needs[i].reach, 0), needs[i].unit,
                 sc_format_decimal(limit, needs[i].limit, 0), needs[i].unit);
        return true;
    }
    return false;
}
