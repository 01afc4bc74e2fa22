// What travellers are like: what they draw from, and the defaults. See workload.h.
#include "sim/workload.h"

#include "base/diag.h"
#include "base/rng.h"

#include <math.h>

sc_normal sc_normal_around(double mean, double deviation, double least)
{
    // One draw of a million lies farther than about five deviations off; four keep
    // the least pause long, which a simulation gains from, and cut one in 16,000.
    const double reach = 4.0 * deviation;
    const double min = fmax(mean - reach, least);
    const double max = fmin(mean + reach, SC_NORMAL_MAX);
    return (sc_normal){.mean = mean, .deviation = deviation, .min = min, .max = fmax(min, max)};
}

double sc_normal_draw(const sc_normal *spread, sc_rng *rng)
{
    const double drawn = spread->mean + spread->deviation * sc_rng_normal(rng);
    return fmin(fmax(drawn, spread->min), spread->max);
}

uint32_t sc_normal_draw_whole(const sc_normal *spread, sc_rng *rng)
{
    return (uint32_t)lround(sc_normal_draw(spread, rng));
}

sc_workload sc_workload_default(void)
{
    return (sc_workload){
        .nearest = sc_normal_around(5, 1, SC_LEAST_COUNT),
        .k = sc_normal_around(5, 1.5, SC_LEAST_COUNT),
        .l = sc_normal_around(5, 1.5, SC_LEAST_COUNT),
        .max_hops = sc_normal_around(4, 1, 0),
        .max_wait_s = sc_normal_around(10, 2, SC_LEAST_WAIT_S),
        .pause_s = sc_normal_around(20, 2, SC_LEAST_PAUSE_S),
        .wanted = SC_WANT_ONE,
    };
}

// Written so that whatever is no number fails too.
static bool makes_sense(const sc_normal *spread, double least)
{
    return spread->deviation >= 0 && spread->deviation <= SC_NORMAL_MAX && spread->min >= least &&
           spread->min <= spread->mean && spread->mean <= spread->max &&
           spread->max <= SC_NORMAL_MAX;
}

sc_err sc_workload_check(const sc_workload *workload, sc_diag *diag)
{
    const struct {
        const char *name;
        const sc_normal *spread;
        double least;
    } parts[] = {
        {"the number of nearest objects", &workload->nearest, SC_LEAST_COUNT},
        {"k", &workload->k, SC_LEAST_COUNT},
        {"l", &workload->l, SC_LEAST_COUNT},
        {"the hops", &workload->max_hops, 0},
        {"the longest wait", &workload->max_wait_s, SC_LEAST_WAIT_S},
        {"the pause", &workload->pause_s, SC_LEAST_PAUSE_S},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (makes_sense(parts[i].spread, parts[i].least)) continue;
        return sc_fail(
            diag, SC_EINVAL,
            "the workload makes no sense: %s must be within %.15g and %.15g, and its deviation "
            "not negative",
            parts[i].name, parts[i].least, SC_NORMAL_MAX);
    }
    if ((unsigned)workload->wanted > SC_WANT_THIS) {
        return sc_fail(diag, SC_EINVAL,
                       "the workload makes no sense: travellers want one category, any, or a "
                       "certain one");
    }
    return SC_OK;
}
