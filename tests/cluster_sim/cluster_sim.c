// A simulated cluster: its life, queries, and time that passes. See cluster_sim.h.
#include "cluster_sim/cluster_sim.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "cluster_sim/cluster_sim_internal.h"

// --- Life -----------------------------------------------------------------------------------

/** Names of processes have 16 bits for their place. */
enum { MOST_PROCESSES = 0xfffe };

sc_cluster_sim_options sc_cluster_sim_options_default(void)
{
    return (sc_cluster_sim_options){
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

static sc_err check_options(const sc_cluster_sim_options *options, sc_diag *diag)
{
    if (!options->partition) return sc_fail(diag, SC_EINVAL, "cluster_sim: there is no partition");
    if (options->gateways < 1 || options->workers < 1 || options->gateways > MOST_PROCESSES ||
        options->workers > MOST_PROCESSES ||
        options->gateways + options->workers > MOST_PROCESSES) {
        return sc_fail(diag, SC_EINVAL,
                       "cluster_sim: at least one gateway and one worker, %d in all",
                       MOST_PROCESSES);
    }
    if (options->max_pending < 1 || options->patience_us <= 0) {
        return sc_fail(diag, SC_EINVAL, "cluster_sim: gateways need room, and patience");
    }
    return SC_OK;
}

static sc_err make_processes(sc_cluster_sim *sim, sc_diag *diag)
{
    const sc_cluster_sim_options *options = &sim->options;
    const uint32_t count = options->gateways + options->workers;
    const uint32_t parts = sc_partition_part_count(options->partition);
    sim->owners = sc_calloc(parts, sizeof *sim->owners);
    sim->processes = sc_calloc(count, sizeof *sim->processes);
    if (!sim->owners || !sim->processes) return SC_ENOMEM;
    sim->process_count = count;
    for (uint32_t i = 0; i < count; i++) {
        sc__process *process = &sim->processes[i];
        process->sim = sim;
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
    for (uint32_t i = 0; i < count && !sim->err; i++) {
        sc__process *process = &sim->processes[i];
        sc__process_start(process, diag);
        if (process->is_worker) process->known = sc__process_peer(process);
    }
    if (!sim->err) sc__place_parts(sim, NULL);
    return sim->err;
}

sc_err sc_cluster_sim_new(const sc_map *map, const sc_cluster_sim_options *options,
                          sc_cluster_sim **out, sc_diag *diag)
{
    sc_err err = check_options(options, diag);
    if (err) return err;
    sc_cluster_sim *sim = sc_calloc(1, sizeof *sim);
    if (!sim) return sc_fail_memory(diag, "making a simulated cluster");
    sim->map = map;
    sim->options = *options;
    sc_rng_seed(&sim->rng, options->seed);
    err = sc__truth_init(&sim->truth, map, options);
    if (!err && options->is_encoded) {
        sim->codec.map = map;
        sim->codec.parts = sc_partition_part_count(options->partition);
        err = sc_category_table_new(&sim->codec.categories);
    }
    if (!err) err = make_processes(sim, diag);
    if (!err) {
        sc__faults_plan(sim);
        err = sim->err;
    }
    if (err) {
        sc_cluster_sim_free(sim);
        return err == SC_ENOMEM ? sc_fail_memory(diag, "making a simulated cluster") : err;
    }
    *out = sim;
    return SC_OK;
}

void sc_cluster_sim_free(sc_cluster_sim *sim)
{
    if (!sim) return;
    for (uint32_t i = 0; i < sim->process_count; i++) {
        sc__process *process = &sim->processes[i];
        sc__process_end(process);
        sc_free(process->has_part);
        sc_free(process->told);
    }
    sc__events_fini(&sim->events);
    sc__truth_fini(&sim->truth);
    sc_category_table_free(sim->codec.categories);
    sc_bytes_fini(&sim->bytes);
    sc_free(sim->processes);
    sc_free(sim->owners);
    sc_free(sim);
}

void sc__cluster_sim_fail(sc_cluster_sim *sim, sc_err err)
{
    if (!sim->err) sim->err = err;
}

void sc__cluster_sim_plan(sc_cluster_sim *sim, sc_time t, sc__event *event)
{
    const sc_err err = sc__events_put(&sim->events, t, event);
    if (err) sc__cluster_sim_fail(sim, err);
}

sc_time sc__draw_time(sc_rng *rng, sc_time mean)
{
    return (sc_time)(sc_rng_unit(rng) * 2.0 * (double)mean);
}

// --- Time passes ----------------------------------------------------------------------------

static void happen(sc_cluster_sim *sim, sc__event *event)
{
    switch (event->kind) {
    case SC__EVENT_MSG:
        sc__network_deliver(sim, event);
        break;
    case SC__EVENT_WAKE:
    case SC__EVENT_ASK:
    case SC__EVENT_WITHDRAW:
    case SC__EVENT_ANSWER:
    case SC__EVENT_RESEND:
        sc__process_meet(&sim->processes[event->process], event);
        break;
    case SC__EVENT_CRASH:
    case SC__EVENT_STALL:
    case SC__EVENT_CUT:
        sc__faults_strike(sim, event->kind);
        sc__event_free(event);
        break;
    default:
        sc__faults_meet(&sim->processes[event->process], event);
        sc__event_free(event);
        break;
    }
}

/** Whatever happens until `now`, that included. */
static sc_err advance(sc_cluster_sim *sim, sc_time now)
{
    while (!sim->err && sim->events.count > 0 && sc__events_next(&sim->events) <= now) {
        sim->now = sc__events_next(&sim->events);
        happen(sim, sc__events_take(&sim->events));
    }
    if (!sim->err && sim->now < now) sim->now = now;
    return sim->err;
}

/** By then whatever was asked must have its outcome, unless something is wrong. */
static sc_time last_moment(const sc_cluster_sim *sim)
{
    const sc_cluster_sim_options *options = &sim->options;
    const sc_time start = sim->now > sim->truth.last_deadline ? sim->now : sim->truth.last_deadline;
    return start + 2 * (options->guard_us + options->skew_us + options->down_us) +
           10 * (options->patience_us + options->provider_us + options->delay_us) + 1000000;
}

static sc_err run_to_the_end(sc_cluster_sim *sim)
{
    sim->is_calm = true;
    const sc_err err = advance(sim, last_moment(sim));
    sim->is_calm = false;
    if (err) return err;
    sc__truth_end(&sim->truth, sim->now);
    sc__faults_plan(sim);
    return sim->err;
}

static void count_proposals(sc_cluster_sim *sim)
{
    sc_cluster_sim_verdict *verdict = &sim->truth.verdict;
    verdict->proposals = sim->proposals_before;
    verdict->refused = sim->refused_before;
    for (uint32_t i = sim->options.gateways; i < sim->process_count; i++) {
        sc_engine_pool *engines = sim->processes[i].engines;
        if (!engines) continue;
        const sc_engine_pool_stats stats = sc_engine_pool_stats_of(engines, NULL);
        verdict->proposals += stats.proposals;
        verdict->refused += stats.proposals_refused;
    }
}

sc_err sc_cluster_sim_run(sc_cluster_sim *sim, sc_time now)
{
    const sc_err err = now == SC_TIME_NEVER ? run_to_the_end(sim) : advance(sim, now);
    count_proposals(sim);
    return err;
}

// --- Questions ------------------------------------------------------------------------------

/** Any gateway that is not down; NULL if all are. */
static sc__process *pick_gateway(sc_cluster_sim *sim)
{
    const uint32_t count = sim->options.gateways;
    const uint32_t first = sc_rng_below(&sim->rng, count);
    for (uint32_t i = 0; i < count; i++) {
        sc__process *process = &sim->processes[(first + i) % count];
        if (process->standing != SC__DOWN) return process;
    }
    return NULL;
}

static void plan_leaving(sc_cluster_sim *sim, const sc__process *process, const sc_query *query)
{
    if (!(sc_rng_unit(&sim->rng) < sim->options.leaving)) return;
    const double wait = (double)(query->deadline - sim->now);
    sc__event *event = sc__event_new(SC__EVENT_WITHDRAW, process->index, process->life);
    if (event) event->id = query->id;
    sc__cluster_sim_plan(sim, sim->now + (sc_time)(wait * sc_rng_unit(&sim->rng)), event);
}

sc_err sc_cluster_sim_ask(sc_cluster_sim *sim, const sc_query *query, sc_time now)
{
    sc_err err = advance(sim, now);
    if (err) return err;
    sc_ticket *ticket = sc_ticket_new();
    sc__event *event = sc__event_new(SC__EVENT_ASK, 0, 0);
    uint64_t number = 0;
    err = ticket && event ? sc__truth_ask(&sim->truth, query, &number) : SC_ENOMEM;
    if (err) {
        sc_ticket_free(ticket);
        sc__event_free(event);
        return err;
    }
    sc__process *process = pick_gateway(sim);
    event->ticket = ticket;
    if (!process) {
        sc__truth_disconnect(&sim->truth, number);
        sc__event_free(event);
        return SC_OK;
    }
    ticket->query = *query;
    ticket->query.deadline += process->skew_us + process->boot_us;
    ticket->request = (sc_request){.type = SC_REQUEST_KNN, .k = 1};
    ticket->asked = sc__process_now(process);
    ticket->client = (void *)(uintptr_t)number;
    event->process = process->index;
    event->life = process->life;
    plan_leaving(sim, process, query);
    sc__process_meet(process, event);
    return sim->err;
}

// --- What was found out ---------------------------------------------------------------------

const sc_cluster_sim_verdict *sc_cluster_sim_verdict_of(const sc_cluster_sim *sim)
{
    return &sim->truth.verdict;
}

sc_err sc_cluster_sim_loads(sc_cluster_sim *sim, sc_part_load *loads)
{
    const uint32_t parts = sc_partition_part_count(sim->options.partition);
    sc_part_load *of_one = sc_calloc(parts, sizeof *of_one);
    if (!of_one) return SC_ENOMEM;
    for (uint32_t part = 0; part < parts; part++) {
        loads[part] = (sc_part_load){0};
    }
    for (uint32_t i = sim->options.gateways; i < sim->process_count; i++) {
        sc__process *process = &sim->processes[i];
        if (!process->engines) continue;
        (void)sc_engine_pool_stats_of(process->engines, of_one);
        for (uint32_t part = 0; part < parts; part++) {
            if (of_one[part].is_open) loads[part] = of_one[part];
        }
    }
    sc_free(of_one);
    return SC_OK;
}

sc_err sc_cluster_sim_pack(sc_cluster_sim *sim, const double *loads)
{
    if (!sim->err) sc__place_parts(sim, loads);
    return sim->err;
}

uint32_t sc_cluster_sim_owner(const sc_cluster_sim *sim, uint32_t part)
{
    const sc_peer owner = sim->owners[part];
    if (owner == SC_PEER_NONE) return SC_NONE;
    return (uint32_t)(owner & 0xffff) - 1 - sim->options.gateways;
}
