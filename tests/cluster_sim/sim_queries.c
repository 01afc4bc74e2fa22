// Travellers of a simulated cluster. See crowd.h.
#include "cluster_sim/sim_queries.h"

#include "base/alloc.h"
#include "base/diag.h"

struct sc_sim_crowd {
    sc_travellers *travellers;
    sc_admission *admission;
    uint32_t *askers;  ///< of queries, by their number
    size_t count;
    size_t capacity;
    sc_time now;
    sc_err err;  ///< of somebody who could not go on
};

sc_err sc_sim_crowd_new(sc_movement *movement, const sc_workload *workload, uint64_t seed,
                        sc_sim_crowd **out, sc_diag *diag)
{
    sc_sim_crowd *crowd = sc_calloc(1, sizeof *crowd);
    if (!crowd) return sc_fail_memory(diag, "gathering a crowd");
    const sc_limits limits = sc_limits_default();
    const uint8_t key[SC_KEY_SIZE] = "of a rehearsal, and no secret";
    sc_err err = sc_admission_new(movement->map, &limits, key, &crowd->admission, diag);
    if (!err) err = sc_travellers_new(movement, workload, seed, &crowd->travellers, diag);
    if (err) {
        sc_sim_crowd_free(crowd);
        return err;
    }
    *out = crowd;
    return SC_OK;
}

void sc_sim_crowd_free(sc_sim_crowd *crowd)
{
    if (!crowd) return;
    sc_travellers_free(crowd->travellers);
    sc_admission_free(crowd->admission);
    sc_free(crowd->askers);
    sc_free(crowd);
}

void sc_sim_crowd_ended(void *context, uint64_t number, const sc_ticket *ticket, sc_time now)
{
    (void)ticket;
    sc_sim_crowd *crowd = context;
    const sc_err err = sc_travellers_resume(crowd->travellers, crowd->askers[number], now);
    if (err && !crowd->err) crowd->err = err;
}

static sc_err ask_one(sc_sim_crowd *crowd, sc_cluster_sim *sim, sc_diag *diag)
{
    if (!sc_grow(&crowd->askers, crowd->count, &crowd->capacity, sizeof *crowd->askers)) {
        return sc_fail_memory(diag, "hearing a question");
    }
    sc_request_line request_line;
    const uint32_t who = sc_travellers_ask(crowd->travellers, &request_line);
    crowd->now = request_line.ask.t;
    sc_query query;
    if (sc_admission_admit(crowd->admission, &request_line.ask, &query, NULL, NULL)) {
        return sc_travellers_resume(crowd->travellers, who, request_line.ask.t);
    }
    crowd->askers[crowd->count++] = who;
    const sc_err err = sc_cluster_sim_ask(sim, &query, request_line.ask.t);
    return err ? sc_fail(diag, err, "a question: %s", sc_err_text(err)) : SC_OK;
}

sc_err sc_sim_crowd_ask(sc_sim_crowd *crowd, sc_cluster_sim *sim, sc_time until, sc_diag *diag)
{
    const sc_time pause = sc_travellers_least_pause(crowd->travellers);
    sc_err err = SC_OK;
    while (!err && crowd->now < until) {
        // A traveller that gets an outcome on the way asks again a pause later at the earliest.
        sc_time step = crowd->now + pause;
        if (step > until) step = until;
        const sc_time next = sc_travellers_next(crowd->travellers);
        if (next < step) {
            err = ask_one(crowd, sim, diag);
        } else {
            err = sc_cluster_sim_run(sim, step);
            crowd->now = step;
        }
        if (!err) err = crowd->err;
    }
    return err;
}
