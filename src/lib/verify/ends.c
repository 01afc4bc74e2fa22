// The ends of queries that no cloak is: drops, failures, answers (P8). See follow.h.
//
// A reason is held against the record where it can be: who expired must have been late (P5), and
// who was dropped as infeasible must have had too few roads in reach.
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
        sc__wrong(&f->findings, SC_PROMISE_P8,
                  "query %s is dropped as infeasible, though there are enough segments in reach",
                  sc__quote_id(event->query).text);
    }
    return err;
}

// Is the reason true? Words that mean nothing to us are believed.
static sc_err look_at_reason(sc_follow *f, const sc_event *event, const sc_open_query *query)
{
    if (event->reason.size == 0) {
        sc__wrong(&f->findings, SC_PROMISE_P8, "query %s ends without a reason",
                  sc__quote_id(event->query).text);
    } else if (sc_slice_is(event->reason, "expired")) {
        look_at_expiry(f, event, query);
    } else if (sc_slice_is(event->reason, "infeasible")) {
        return look_at_infeasibility(f, event, query);
    }
    return SC_OK;
}

sc_err sc__follow_loss(sc_follow *f, const sc_event *event)
{
    const bool is_drop = event->kind == SC_EVENT_DROP;
    const uint32_t number = sc__ledger_find(&f->ledger, sc__ledger_key(event->query));
    sc__looked_at(&f->findings, SC_PROMISE_P8);
    if (number == SC_NONE) {
        sc__wrong(&f->findings, SC_PROMISE_P8, "query %s was never asked",
                  sc__quote_id(event->query).text);
        return SC_OK;
    }
    const sc_fate fate = sc__ledger_fate(&f->ledger, number);
    if (fate == SC_FATE_OPEN) {
        const sc_err err = look_at_reason(f, event, sc__ledger_open(&f->ledger, number));
        if (err) return err;
        sc__ledger_settle(&f->ledger, number, SC_FATE_LOST, 0);
        *(is_drop ? &f->report.drops : &f->report.failed) += 1;
    } else if (!is_drop && (fate == SC_FATE_CLOAKED || fate == SC_FATE_WATCHED)) {
        // The cloak was published, but no answer could be had: an end like an answer.
        sc__sample_dismiss(&f->sample, &f->ledger, number, SC_FATE_LOST);
    } else {
        sc__wrong(&f->findings, SC_PROMISE_P8, "query %s had ended before",
                  sc__quote_id(event->query).text);
    }
    return SC_OK;
}

sc_err sc__follow_answer(sc_follow *f, const sc_event *event)
{
    const uint32_t number = sc__ledger_find(&f->ledger, sc__ledger_key(event->query));
    const sc_fate fate = number == SC_NONE ? SC_FATE_LOST : sc__ledger_fate(&f->ledger, number);
    f->report.answers++;
    sc__looked_at(&f->findings, SC_PROMISE_P8);
    if (fate == SC_FATE_CLOAKED || fate == SC_FATE_WATCHED) {
        if (sc__sample_cloak(&f->sample, &f->ledger, number) != event->cloak) {
            sc__wrong(&f->findings, SC_PROMISE_P8,
                      "query %s is answered for cloak %" PRIu64 ", which it is not in",
                      sc__quote_id(event->query).text, event->cloak);
        }
        if (event->answer.is_foreign) {
            f->report.foreign_answers++;
            sc__sample_dismiss(&f->sample, &f->ledger, number, SC_FATE_ANSWERED);
            return SC_OK;
        }
        return sc__sample_answered(&f->sample, &f->ledger, number, f->line, &event->answer);
    }
    const char *what = number == SC_NONE          ? "was never asked"
                       : fate == SC_FATE_OPEN     ? "is answered without a cloak"
                       : fate == SC_FATE_ANSWERED ? "is answered a second time"
                                                  : "had ended before";
    sc__wrong(&f->findings, SC_PROMISE_P8, "query %s %s", sc__quote_id(event->query).text, what);
    return SC_OK;
}
