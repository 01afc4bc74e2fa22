// A cluster on a stage: life, questions, and time that passes. See rehearsal.h.
#include "cluster_sim/cluster_sim.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "cluster_sim/cluster_sim_internal.h"

// --- Life ----------------------------------------------------------------------------------

/** Names of processes have 16 bits for their place. */
enum { MOST_PROCESSES = 0xfffe };

sc_rehearsal_options sc_rehearsal_options_default(void)
{
    return (sc_rehearsal_options){
        .seed = 1,
        .gateways = 2,
        .workers = 2,
        .engine = sc_engine_options_default(),
        .max_pending = 1000,
        .jitter_us = 200000,
        .guard_us = 100000,
        .patience_us = 500000,
        .delay_us = 1000,
        .down_us = 2000000,
        .notice_us = 1500000,
        .provider_us = 20000,
        .is_checked = true,
    };
}

static sc_err check_options(const sc_rehearsal_options *options, sc_diag *diag)
{
    if (!options->cut) return sc_fail(diag, SC_EINVAL, "rehearsal: there is no cut");
    if (options->gateways < 1 || options->workers < 1 || options->gateways > MOST_PROCESSES ||
        options->workers > MOST_PROCESSES ||
        options->gateways + options->workers > MOST_PROCESSES) {
        return sc_fail(diag, SC_EINVAL, "rehearsal: at least one gateway and one worker, %d in all",
                       MOST_PROCESSES);
    }
    if (options->max_pending < 1 || options->patience_us <= 0) {
        return sc_fail(diag, SC_EINVAL, "rehearsal: gateways need room, and patience");
    }
    return SC_OK;
}

static sc_err make_processes(sc_rehearsal *rehearsal, sc_diag *diag)
{
    const sc_rehearsal_options *options = &rehearsal->options;
    const uint32_t count = options->gateways + options->workers;
    const uint32_t parts = sc_partition_part_count(options->cut);
    rehearsal->owners = sc_calloc(parts, sizeof *rehearsal->owners);
    rehearsal->processes = sc_calloc(count, sizeof *rehearsal->processes);
    if (!rehearsal->owners || !rehearsal->processes) return SC_ENOMEM;
    rehearsal->process_count = count;
    for (uint32_t i = 0; i < count; i++) {
        sc__process *process = &rehearsal->processes[i];
        process->rehearsal = rehearsal;
        process->index = i;
        process->is_worker = i >= options->gateways;
        process->standing = SC__DOWN;
        if (process->is_worker) {
            process->has_part = sc_calloc(parts, sizeof *process->has_part);
        } else {
            process->told = sc_calloc(count, sizeof *process->told);
        }
        if (!process->has_part && !process->told) return SC_ENOMEM;
    }
    for (uint32_t i = 0; i < count && !rehearsal->err; i++) {
        sc__process *process = &rehearsal->processes[i];
        sc__process_start(process, diag);
        if (process->is_worker) process->known = sc__process_peer(process);
    }
    if (!rehearsal->err) sc__place_parts(rehearsal, NULL);
    return rehearsal->err;
}

sc_err sc_rehearsal_new(const sc_map *map, const sc_rehearsal_options *options, sc_rehearsal **out,
                        sc_diag *diag)
{
    sc_err err = check_options(options, diag);
    if (err) return err;
    sc_rehearsal *rehearsal = sc_calloc(1, sizeof *rehearsal);
    if (!rehearsal) return sc_fail_memory(diag, "making a rehearsal");
    rehearsal->map = map;
    rehearsal->options = *options;
    sc_rng_seed(&rehearsal->rng, options->seed);
    err = sc__truth_init(&rehearsal->truth, map, options);
    if (!err && options->is_encoded) {
        rehearsal->codec.map = map;
        rehearsal->codec.parts = sc_partition_part_count(options->cut);
        err = sc_category_table_new(&rehearsal->codec.categories);
    }
    if (!err) err = make_processes(rehearsal, diag);
    if (!err) {
        sc__faults_plan(rehearsal);
        err = rehearsal->err;
    }
    if (err) {
        sc_rehearsal_free(rehearsal);
        return err == SC_ENOMEM ? sc_fail_memory(diag, "making a rehearsal") : err;
    }
    *out = rehearsal;
    return SC_OK;
}

void sc_rehearsal_free(sc_rehearsal *rehearsal)
{
    if (!rehearsal) return;
    for (uint32_t i = 0; i < rehearsal->process_count; i++) {
        sc__process *process = &rehearsal->processes[i];
        sc__process_end(process);
        sc_free(process->has_part);
        sc_free(process->told);
    }
    sc__events_fini(&rehearsal->events);
    sc__truth_fini(&rehearsal->truth);
    sc_category_table_free(rehearsal->codec.categories);
    sc_bytes_fini(&rehearsal->bytes);
    sc_free(rehearsal->processes);
    sc_free(rehearsal->owners);
    sc_free(rehearsal);
}

void sc__rehearsal_fail(sc_rehearsal *rehearsal, sc_err err)
{
    if (!rehearsal->err) rehearsal->err = err;
}

void sc__rehearsal_plan(sc_rehearsal *rehearsal, sc_time t, sc__event *event)
{
    const sc_err err = sc__events_put(&rehearsal->events, t, event);
    if (err) sc__rehearsal_fail(rehearsal, err);
}

sc_time sc__draw_time(sc_rng *rng, sc_time mean)
{
    return (sc_time)(sc_rng_unit(rng) * 2.0 * (double)mean);
}

// --- Time passes ---------------------------------------------------------------------------

static void happen(sc_rehearsal *rehearsal, sc__event *event)
{
    switch (event->kind) {
    case SC__EVENT_WORD:
        sc__network_deliver(rehearsal, event);
        break;
    case SC__EVENT_WAKE:
    case SC__EVENT_ASK:
    case SC__EVENT_WITHDRAW:
    case SC__EVENT_ANSWER:
    case SC__EVENT_RESEND:
        sc__process_meet(&rehearsal->processes[event->process], event);
        break;
    case SC__EVENT_CRASH:
    case SC__EVENT_STALL:
        sc__faults_strike(rehearsal, event->kind);
        sc__event_free(event);
        break;
    default:
        sc__faults_meet(&rehearsal->processes[event->process], event);
        sc__event_free(event);
        break;
    }
}

/** Whatever happens until `now`, that included. */
static sc_err advance(sc_rehearsal *rehearsal, sc_time now)
{
    while (!rehearsal->err && rehearsal->events.count > 0 &&
           sc__events_next(&rehearsal->events) <= now) {
        rehearsal->now = sc__events_next(&rehearsal->events);
        happen(rehearsal, sc__events_take(&rehearsal->events));
    }
    if (!rehearsal->err && rehearsal->now < now) rehearsal->now = now;
    return rehearsal->err;
}

/** By then whatever was asked must have its outcome, unless something is wrong. */
static sc_time last_moment(const sc_rehearsal *rehearsal)
{
    const sc_rehearsal_options *options = &rehearsal->options;
    const sc_time start = rehearsal->now > rehearsal->truth.last_deadline
                              ? rehearsal->now
                              : rehearsal->truth.last_deadline;
    return start + 2 * (options->guard_us + options->skew_us + options->down_us) +
           10 * (options->patience_us + options->provider_us + options->delay_us) + 1000000;
}

static sc_err run_to_the_end(sc_rehearsal *rehearsal)
{
    rehearsal->is_calm = true;
    const sc_err err = advance(rehearsal, last_moment(rehearsal));
    rehearsal->is_calm = false;
    if (err) return err;
    sc__truth_end(&rehearsal->truth, rehearsal->now);
    sc__faults_plan(rehearsal);
    return rehearsal->err;
}

static void count_bids(sc_rehearsal *rehearsal)
{
    sc_rehearsal_verdict *verdict = &rehearsal->truth.verdict;
    verdict->bids = rehearsal->bids_before;
    verdict->refused = rehearsal->refused_before;
    for (uint32_t i = rehearsal->options.gateways; i < rehearsal->process_count; i++) {
        sc_crew *crew = rehearsal->processes[i].crew;
        if (!crew) continue;
        const sc_crew_stats stats = sc_crew_stats_of(crew, NULL);
        verdict->bids += stats.bids;
        verdict->refused += stats.bids_refused;
    }
}

sc_err sc_rehearsal_run(sc_rehearsal *rehearsal, sc_time now)
{
    const sc_err err = now == SC_TIME_NEVER ? run_to_the_end(rehearsal) : advance(rehearsal, now);
    count_bids(rehearsal);
    return err;
}

// --- Questions -----------------------------------------------------------------------------

/** Any gateway that is not down; NULL if all are. */
static sc__process *pick_gateway(sc_rehearsal *rehearsal)
{
    const uint32_t count = rehearsal->options.gateways;
    const uint32_t first = sc_rng_below(&rehearsal->rng, count);
    for (uint32_t i = 0; i < count; i++) {
        sc__process *process = &rehearsal->processes[(first + i) % count];
        if (process->standing != SC__DOWN) return process;
    }
    return NULL;
}

static void plan_leaving(sc_rehearsal *rehearsal, const sc__process *process, const sc_query *query)
{
    if (!(sc_rng_unit(&rehearsal->rng) < rehearsal->options.leaving)) return;
    const double wait = (double)(query->deadline - rehearsal->now);
    sc__event *event = sc__event_new(SC__EVENT_WITHDRAW, process->index, process->life);
    if (event) event->id = query->id;
    sc__rehearsal_plan(rehearsal, rehearsal->now + (sc_time)(wait * sc_rng_unit(&rehearsal->rng)),
                       event);
}

sc_err sc_rehearsal_ask(sc_rehearsal *rehearsal, const sc_query *query, sc_time now)
{
    sc_err err = advance(rehearsal, now);
    if (err) return err;
    sc_ticket *ticket = sc_ticket_new();
    sc__event *event = sc__event_new(SC__EVENT_ASK, 0, 0);
    uint64_t number = 0;
    err = ticket && event ? sc__truth_ask(&rehearsal->truth, query, &number) : SC_ENOMEM;
    if (err) {
        sc_ticket_free(ticket);
        sc__event_free(event);
        return err;
    }
    sc__process *process = pick_gateway(rehearsal);
    event->ticket = ticket;
    if (!process) {
        sc__truth_disconnect(&rehearsal->truth, number);
        sc__event_free(event);
        return SC_OK;
    }
    ticket->query = *query;
    ticket->query.deadline += process->skew_us + process->boot_us;
    ticket->request = (sc_request){.type = SC_REQUEST_KNN, .k = 1};
    ticket->asked = sc__process_now(process);
    ticket->door = (void *)(uintptr_t)number;
    event->process = process->index;
    event->life = process->life;
    plan_leaving(rehearsal, process, query);
    sc__process_meet(process, event);
    return rehearsal->err;
}

// --- What was found out --------------------------------------------------------------------

const sc_rehearsal_verdict *sc_rehearsal_verdict_of(const sc_rehearsal *rehearsal)
{
    return &rehearsal->truth.verdict;
}

sc_err sc_rehearsal_loads(sc_rehearsal *rehearsal, sc_part_load *loads)
{
    const uint32_t parts = sc_partition_part_count(rehearsal->options.cut);
    sc_part_load *of_one = sc_calloc(parts, sizeof *of_one);
    if (!of_one) return SC_ENOMEM;
    for (uint32_t part = 0; part < parts; part++) {
        loads[part] = (sc_part_load){0};
    }
    for (uint32_t i = rehearsal->options.gateways; i < rehearsal->process_count; i++) {
        sc__process *process = &rehearsal->processes[i];
        if (!process->crew) continue;
        (void)sc_crew_stats_of(process->crew, of_one);
        for (uint32_t part = 0; part < parts; part++) {
            if (of_one[part].is_open) loads[part] = of_one[part];
        }
    }
    sc_free(of_one);
    return SC_OK;
}

sc_err sc_rehearsal_pack(sc_rehearsal *rehearsal, const double *loads)
{
    if (!rehearsal->err) sc__place_parts(rehearsal, loads);
    return rehearsal->err;
}

uint32_t sc_rehearsal_owner(const sc_rehearsal *rehearsal, uint32_t part)
{
    const sc_peer owner = rehearsal->owners[part];
    if (owner == SC_PEER_NONE) return SC_NONE;
    return (uint32_t)(owner & 0xffff) - 1 - rehearsal->options.gateways;
}
