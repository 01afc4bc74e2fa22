// The ends of queries that no cloak is: drops, failures, answers (P8). See query_states.h.
//
// A reason is held against the record where it can be: who expired must have been late (P5), who
// was dropped as infeasible must have had too few roads in reach, and who was dropped as exposed,
// roads in reach that are not as it asks.
#include "verify/area_check.h"
#include "verify/query_states.h"

#include "verify/verifier.h"

#include <inttypes.h>

static void look_at_expiry(sc_follow *f, const sc_event *event, const sc_open_query *query)
{
    sc__looked_at(&f->findings, SC_PROMISE_P5);
    if (event->t_us < query->deadline_us) {
        sc__wrong(&f->findings, SC_PROMISE_P5, "query %s expired %.6f s before its deadline",
                  sc__quote_id(event->query).text,
                  ((double)query->deadline_us - (double)event->t_us) * 1e-6);
    }
}

static sc_err look_at_infeasibility(sc_follow *f, const sc_event *event, const sc_open_query *query)
{
    // What is in reach of a place that the map does not have? P1 has told of it.
    if (query->edge >= sc_map_edge_count(f->map)) return SC_OK;
    bool has_room = false;
    const sc_err err =
        sc__has_room(f->verifier, query->segment, query->max_hops, query->l, &has_room);
    if (!err && has_room) {
        sc__follow_wrong(f, event->query,
                         "is dropped as infeasible, though there are enough segments in reach");
    }
    return err;
}

// Whether the roads around an end of the query's segment are all that it asks for.
static sc_err end_will_do(sc_follow *f, const sc_open_query *query, sc_star_id end, bool *out)
{
    size_t count = 0;
    sc__asked asked = {.demands = f->demands.has_demands ? &f->demands.demands : NULL,
                       .segment = query->segment,
                       .l = query->l};
    *out = false;
    if (end == SC_NONE) return SC_OK;
    sc_err err = sc__list_around(f->verifier, end, query->max_hops, &count);
    const sc_seg_id *roads = f->verifier->roads_of_member;
    if (!err) {
        err = sc__demand_states_around(&f->demands, &query->demands, roads, count, &asked.own);
    }
    return err ? err : sc__demands_are_met(f->verifier, &asked, roads, count, out);
}

static sc_err look_at_exposure(sc_follow *f, const sc_event *event, const sc_open_query *query)
{
    // Without the density of the run there is nothing to say.
    if (query->edge >= sc_map_edge_count(f->map) || sc__demand_states_lack_density(&f->demands)) {
        return SC_OK;
    }
    const sc_touching touching = f->verifier->roads.touching[query->segment];
    bool will_do = false;
    sc_err err = end_will_do(f, query, touching.a, &will_do);
    if (!err && !will_do) err = end_will_do(f, query, touching.b, &will_do);
    if (!err && will_do) {
        sc__follow_wrong(f, event->query,
                         "is dropped as exposed, though the segments in reach are as it asks");
    }
    return err;
}

// Is the reason true? Words that mean nothing to us are believed.
static sc_err look_at_reason(sc_follow *f, const sc_event *event, const sc_open_query *query)
{
    if (event->reason.size == 0) {
        sc__follow_wrong(f, event->query, "ended without a reason");
    } else if (sc_slice_is(event->reason, "expired")) {
        look_at_expiry(f, event, query);
    } else if (sc_slice_is(event->reason, "infeasible")) {
        return look_at_infeasibility(f, event, query);
    } else if (sc_slice_is(event->reason, "exposed")) {
        return look_at_exposure(f, event, query);
    }
    return SC_OK;
}

sc_err sc__follow_loss(sc_follow *f, const sc_event *event)
{
    const bool is_drop = event->kind == SC_EVENT_DROP;
    const uint32_t number = sc__query_table_find(&f->ledger, sc__query_table_key(event->query));
    sc__looked_at(&f->findings, SC_PROMISE_P8);
    if (number == SC_NONE) {
        sc__follow_wrong(f, event->query, "was never asked");
        return SC_OK;
    }
    const sc_query_end fate = sc__query_table_fate(&f->ledger, number);
    if (fate == SC_END_OPEN) {
        sc_open_query *query = sc__query_table_open(&f->ledger, number);
        const sc_err err = look_at_reason(f, event, query);
        if (err) return err;
        sc__demand_states_release(&f->demands, &query->demands);
        sc__query_table_settle(&f->ledger, number, SC_END_LOST, 0);
        *(is_drop ? &f->report.drops : &f->report.failed) += 1;
    } else if (!is_drop && (fate == SC_END_CLOAKED || fate == SC_END_WATCHED)) {
        // The cloak was published, but no answer could be had: an end like an answer.
        sc__sample_dismiss(&f->sample, &f->ledger, number, SC_END_LOST);
    } else {
        sc__follow_wrong(f, event->query, "had ended before");
    }
    return SC_OK;
}

sc_err sc__follow_answer(sc_follow *f, const sc_event *event)
{
    const uint32_t number = sc__query_table_find(&f->ledger, sc__query_table_key(event->query));
    const sc_query_end fate =
        number == SC_NONE ? SC_END_LOST : sc__query_table_fate(&f->ledger, number);
    f->report.answers++;
    sc__looked_at(&f->findings, SC_PROMISE_P8);
    if (fate == SC_END_CLOAKED || fate == SC_END_WATCHED) {
        if (sc__sample_cloak(&f->sample, &f->ledger, number) != event->cloak) {
            sc__wrong(&f->findings, SC_PROMISE_P8,
                      "query %s is answered for cloak %" PRIu64 ", which it is not in",
                      sc__quote_id(event->query).text, event->cloak);
        }
        if (event->answer.is_foreign) {
            f->report.foreign_answers++;
            sc__sample_dismiss(&f->sample, &f->ledger, number, SC_END_ANSWERED);
            return sc__area_answer(f->areas, number, f->line, event);
        }
        return sc__sample_answered(&f->sample, &f->ledger, number, f->line, &event->answer);
    }
    const char *what = number == SC_NONE         ? "was never asked"
                       : fate == SC_END_OPEN     ? "is answered without a cloak"
                       : fate == SC_END_ANSWERED ? "is answered a second time"
                                                 : "had ended before";
    sc__follow_wrong(f, event->query, what);
    return SC_OK;
}
