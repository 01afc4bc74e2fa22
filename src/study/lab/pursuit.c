// Travellers who ask again. See pursuit.h.
#include "lab/pursuit.h"

#include "score/score.h"

/** So many make a mean; with fewer, those who have fewer cloaks are taken as well. */
enum { ENOUGH = 10 };

static sc_err find_trails(const sc__pursuit *pursuit, const sc_cases *cases, sc_trails *trails)
{
    sc_err err = SC_OK;
    for (uint32_t least = pursuit->least_asked; least > 0 && !err; least--) {
        sc_trails_fini(trails);
        err = sc_trails_init(trails, cases, least, pursuit->seed);
        if (trails->count >= ENOUGH) break;
    }
    return err;
}

static sc_err see(sc_tracker *tracker, const sc_cases *cases, const sc_trails *trails, size_t trail,
                  size_t i, sc_lab_measure *sums)
{
    sc_posterior posterior = {.links = NULL};
    sc_score score;
    const sc_err err = sc_trail_see(tracker, cases, trails, trail, i, &posterior, &score);
    if (!err) {
        sums->followed[i]++;
        sums->effective[i] += posterior.effective;
        sums->located[i] += score.probability;
    }
    sc_posterior_fini(&posterior);
    return err;
}

static sc_err follow_all(const sc__pursuit *pursuit, sc_tracker *tracker, const sc_cases *cases,
                         const sc_trails *trails, sc_lab_measure *sums)
{
    sc_err err = SC_OK;
    for (size_t t = 0; t < trails->count && t < pursuit->max_travellers && !err; t++) {
        const size_t count = trails->all[t].count;
        for (size_t i = 0; i < count && i < SC_LAB_ASKED_MAX && !err; i++) {
            err = see(tracker, cases, trails, t, i, sums);
        }
    }
    return err;
}

sc_err sc__pursue(const sc__pursuit *pursuit, const sc_cases *cases, sc_lab_measure *measure,
                  sc_diag *diag)
{
    const sc_tracker_options options = {.density = pursuit->density};
    sc_trails trails = {.all = NULL};
    sc_tracker *tracker = NULL;
    sc_lab_measure sums = *measure;
    sc_err err = sc_tracker_new(pursuit->map, &options, &tracker, diag);
    if (!err) err = find_trails(pursuit, cases, &trails);
    if (!err) err = follow_all(pursuit, tracker, cases, &trails, &sums);
    sc_tracker_free(tracker);
    sc_trails_fini(&trails);
    if (err) return err;
    for (size_t i = 0; i < SC_LAB_ASKED_MAX; i++) {
        if (sums.followed[i] == 0) continue;
        sums.effective[i] /= (double)sums.followed[i];
        sums.located[i] /= (double)sums.followed[i];
    }
    *measure = sums;
    return SC_OK;
}
