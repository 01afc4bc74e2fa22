// There and back with a provider that knows points only. See exchange.h.
#include "sim/exchange.h"

static sc_err ask(sc_exchange *exchange, sc_batch_cloak *cloak, sc_diag *diag)
{
    sc_evaluate_report *report = exchange->report;
    const sc_err err = sc_point_provider_ask(exchange->options->points, cloak->relay, exchange->rng,
                                             &cloak->points, diag);
    if (err) return err;
    const sc_point_work work = sc_point_reply_work(cloak->points);
    report->points += work.points;
    report->questions += work.questions;
    return SC_OK;
}

static sc_err filter(sc_exchange *exchange, sc_batch_cloak *cloak, sc_diag *diag)
{
    sc_err err = SC_OK;
    cloak->table = sc_point_reply_table(cloak->points);
    const size_t candidates = sc_point_reply_work(cloak->points).candidates;
    for (size_t i = 0; i < cloak->member_count && !err; i++) {
        sc_batch_member *member = &exchange->batch->members[cloak->first_member + i];
        const sc_near *results = NULL;
        size_t count = 0;
        if (member->end == SC_BATCH_REFUSED) continue;
        err = sc_point_reply_answer(cloak->points, (sc_road_point){member->edge, member->offset_m},
                                    member->which, &results, &count, diag);
        if (!err) err = sc_batch_keep_answer(exchange->batch, member, results, count);
        // What came back serves all requests of the cloak; it is not told apart.
        member->candidates = candidates;
        member->distinct = cloak->table->count;
    }
    return err;
}

sc_err sc__point_exchange(sc_exchange *exchange, sc_diag *diag)
{
    sc_evaluate_report *report = exchange->report;
    const double start = sc__cpu_s();
    const double start_wall = sc__wall_s();
    sc_err err = sc__exchange_step(exchange, ask, diag);
    const double asked = sc__cpu_s();
    report->provider_wall_s += sc__wall_s() - start_wall;
    if (!err) err = sc__exchange_step(exchange, filter, diag);
    report->provider_cpu_s += asked - start;
    report->trusted_cpu_s += sc__cpu_s() - asked;
    return err;
}
