// Crashes, stalls and cuts, and what is noticed of them. See cluster_sim_internal.h.
#include "cluster_sim/cluster_sim_internal.h"

#include <math.h>

// --- When -----------------------------------------------------------------------------------

/** The next one of its kind, at a rate; none if that is 0. */
static void plan_next(sc_cluster_sim *sim, sc__event_kind kind, double per_s)
{
    if (!(per_s > 0)) return;
    const double after_s = -log1p(-sc_rng_unit(&sim->rng)) / per_s;
    sc__cluster_sim_plan(sim, sim->now + sc_time_from_seconds(after_s),
                         sc__event_new(kind, SC_NONE, 0));
}

void sc__faults_plan(sc_cluster_sim *sim)
{
    plan_next(sim, SC__EVENT_CRASH, sim->options.crashes_per_s);
    plan_next(sim, SC__EVENT_STALL, sim->options.stalls_per_s);
    plan_next(sim, SC__EVENT_CUT, sim->options.cuts_per_s);
}

/** Of a process in its present life, later. */
static void plan_for(sc__process *process, sc__event_kind kind, uint32_t stall, sc_time after)
{
    sc_cluster_sim *sim = process->sim;
    sc__event *event = sc__event_new(kind, process->index, process->life);
    if (event) event->stall = stall;
    sc__cluster_sim_plan(sim, sim->now + after, event);
}

/** Any process, if it is not down; else NULL. */
static sc__process *pick(sc_cluster_sim *sim)
{
    const uint32_t i = sc_rng_below(&sim->rng, sim->process_count);
    sc__process *process = &sim->processes[i];
    return process->standing != SC__DOWN ? process : NULL;
}

// --- Crashes --------------------------------------------------------------------------------

void sc__process_crash(sc__process *process, sc_time lost_since)
{
    sc_cluster_sim *sim = process->sim;
    sim->truth.verdict.crashes++;
    process->dead_life = process->life;
    process->lost_since = lost_since;
    sc__process_end(process);
    plan_for(process, SC__EVENT_RESTART, 0, sc__draw_time(&sim->rng, sim->options.down_us));
    if (process->is_worker) {
        plan_for(process, SC__EVENT_NOTICED, 0, sim->options.notice_us);
    }
}

/** At once, with what was on its way out lost or not; or after its next step. */
static void crash_one(sc_cluster_sim *sim)
{
    sc__process *process = pick(sim);
    if (!process) return;
    switch (sc_rng_below(&sim->rng, 4)) {
    case 0:
        sc__process_crash(process, SC_TIME_NEVER);
        break;
    case 1:
        sc__process_crash(process, sim->now - sim->options.delay_us);
        break;
    default:
        process->is_doomed = true;
        break;
    }
}

static void restart(sc__process *process)
{
    sc_cluster_sim *sim = process->sim;
    sc__process_start(process, NULL);
    if (process->is_worker) {
        plan_for(process, SC__EVENT_GREETED, 0, sc__draw_time(&sim->rng, sim->options.delay_us));
    }
}

// --- Stalls ---------------------------------------------------------------------------------

static void stall_one(sc_cluster_sim *sim)
{
    sc__process *process = pick(sim);
    if (!process || process->standing == SC__STILL) return;
    process->standing = SC__STILL;
    process->stalls++;
    plan_for(process, SC__EVENT_RESUME, process->stalls,
             sc__draw_time(&sim->rng, sim->options.down_us / 2));
    if (process->is_worker) {
        plan_for(process, SC__EVENT_NOTICED, process->stalls, sim->options.notice_us);
    }
}

/** What waited is handled first, with the parts that it had: for a while two may have one part. */
static void resume(sc__process *process, uint32_t stall)
{
    if (process->standing != SC__STILL || process->stalls != stall) return;
    sc__process_resume(process);
    if (process->is_worker && process->standing == SC__UP) {
        plan_for(process, SC__EVENT_GREETED, 0, process->sim->options.delay_us);
    }
}

// --- Cuts -----------------------------------------------------------------------------------

static void cut_one(sc_cluster_sim *sim)
{
    sc__process *process = &sim->processes[sc_rng_below(&sim->rng, sim->options.gateways)];
    if (process->standing == SC__DOWN || sim->now < process->cut_until) return;
    const sc_time lasting = sc__draw_time(&sim->rng, sim->options.down_us / 2);
    process->cut_until = sim->now + lasting;
    plan_for(process, SC__EVENT_HEALED, 0, lasting);
}

/** A gateway that is connected again sends its queries again. */
static void heal(const sc__process *process, uint32_t life)
{
    sc_cluster_sim *sim = process->sim;
    if (process->standing == SC__DOWN || process->life != life) return;
    for (uint32_t part = 0; part < sc_partition_part_count(sim->options.partition); part++) {
        sc__event *event = sc__event_new(SC__EVENT_RESEND, process->index, life);
        if (event) event->part = part;
        sc__cluster_sim_plan(sim, sim->now, event);
    }
}

// --- What the leader believes ---------------------------------------------------------------

static void notice(sc__process *process, const sc__event *event)
{
    const bool is_there = process->life == event->life &&
                          (process->standing == SC__UP ||
                           (process->standing == SC__STILL && process->stalls != event->stall));
    if (is_there) return;
    const sc_peer missed = (sc_peer)event->life << 16 | (process->index + 1);
    if (process->known != missed) return;
    process->known = SC_PEER_NONE;
    sc__place_parts(process->sim, NULL);
}

static void greet(sc__process *process, const sc__event *event)
{
    if (process->standing != SC__UP || process->life != event->life) return;
    const sc_peer peer = sc__process_peer(process);
    if (process->known == peer) {
        if (process->has_news) sc__as_worker_take_parts(process);
        return;
    }
    process->known = peer;
    sc__place_parts(process->sim, NULL);
}

// --- What happens ---------------------------------------------------------------------------

void sc__faults_strike(sc_cluster_sim *sim, sc__event_kind kind)
{
    if (sim->is_calm) return;
    if (kind == SC__EVENT_CRASH) {
        crash_one(sim);
        plan_next(sim, kind, sim->options.crashes_per_s);
    } else if (kind == SC__EVENT_STALL) {
        stall_one(sim);
        plan_next(sim, kind, sim->options.stalls_per_s);
    } else {
        cut_one(sim);
        plan_next(sim, kind, sim->options.cuts_per_s);
    }
}

void sc__faults_meet(sc__process *process, const sc__event *event)
{
    switch (event->kind) {
    case SC__EVENT_RESTART:
        restart(process);
        break;
    case SC__EVENT_RESUME:
        resume(process, event->stall);
        break;
    case SC__EVENT_HEALED:
        heal(process, event->life);
        break;
    case SC__EVENT_NOTICED:
        notice(process, event);
        break;
    case SC__EVENT_GREETED:
        greet(process, event);
        break;
    default:
        break;
    }
}
