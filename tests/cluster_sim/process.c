// One process: its lives, its clock, and what waits while it stands still. See
// cluster_sim_internal.h.
#include "cluster_sim/cluster_sim_internal.h"

// --- Names and clocks -----------------------------------------------------------------------

sc_peer sc__process_peer(const sc__process *process)
{
    return (sc_peer)process->life << 16 | (process->index + 1);
}

sc_time sc__process_now(const sc__process *process)
{
    return process->sim->now + process->skew_us + process->boot_us;
}

void sc__process_wake_at(sc__process *process, sc_time t)
{
    sc_cluster_sim *sim = process->sim;
    if (t == SC_TIME_NEVER) return;
    const sc_time soonest = sc__process_now(process);
    const sc_time wake = sim->now + (t > soonest ? t - soonest : 0);
    if (wake >= process->wake) return;
    process->wake = wake;
    sc__cluster_sim_plan(sim, wake, sc__event_new(SC__EVENT_WAKE, process->index, process->life));
}

// --- Life -----------------------------------------------------------------------------------

/** Clocks of two processes differ by at most the skew; their own clocks began at any time. */
static void draw_clocks(sc__process *process)
{
    sc_cluster_sim *sim = process->sim;
    const double share = sc_rng_unit(&sim->rng) - 0.5;
    process->skew_us = (sc_time)(share * (double)sim->options.skew_us);
    if (!process->is_worker && process->index % 2 == 1) process->skew_us += sim->options.ahead_us;
    process->boot_us = (sc_time)sc_rng_below(&sim->rng, 1000000000);
}

void sc__process_start(sc__process *process, sc_diag *diag)
{
    process->life++;
    process->standing = SC__UP;
    process->is_doomed = false;
    process->is_mute = false;
    process->wake = SC_TIME_NEVER;
    sc_rng_seed(&process->rng, sc_rng_next(&process->sim->rng));
    draw_clocks(process);
    const sc_err err =
        process->is_worker ? sc__as_worker_start(process, diag) : sc__as_gateway_start(process);
    if (err) sc__cluster_sim_fail(process->sim, err);
}

/** Events that wait for a process that is no more. A client that waits there is disconnected. */
static void forget_waiting(sc__process *process)
{
    for (sc__event *event; (event = process->first);) {
        process->first = event->next;
        if (event->kind == SC__EVENT_ASK) {
            sc__truth_disconnect(&process->sim->truth, (uintptr_t)event->ticket->client);
        }
        sc__event_free(event);
    }
    process->last = NULL;
}

void sc__process_end(sc__process *process)
{
    process->is_mute = true;
    if (process->is_worker) {
        sc__as_worker_end(process);
    } else {
        sc__as_gateway_end(process);
    }
    forget_waiting(process);
    process->standing = SC__DOWN;
}

// --- What happens ---------------------------------------------------------------------------

static void step(sc__process *process, sc__event *event)
{
    if (event->kind == SC__EVENT_WAKE) {
        process->wake = SC_TIME_NEVER;
    } else if (process->is_worker) {
        sc__as_worker_receive(process, &event->msg);
    } else {
        sc__as_gateway_meet(process, event);
    }
    // A worker looks around once all that comes at this moment has come.
    if (!process->is_worker) {
        sc__as_gateway_attend(process);
    } else if (event->kind == SC__EVENT_WAKE) {
        sc__as_worker_attend(process);
    } else {
        sc__process_wake_at(process, sc__process_now(process));
    }
}

void sc__process_meet(sc__process *process, sc__event *event)
{
    if (process->standing == SC__DOWN || process->life != event->life) {
        // A client that was about to ask a gateway that is gone.
        if (event->kind == SC__EVENT_ASK) {
            sc__truth_disconnect(&process->sim->truth, (uintptr_t)event->ticket->client);
        }
        sc__event_free(event);
        return;
    }
    if (process->standing == SC__STILL) {
        event->next = NULL;
        if (process->last) {
            process->last->next = event;
        } else {
            process->first = event;
        }
        process->last = event;
        return;
    }
    // Woken later than was planned then: there is another wake under way for that.
    const bool is_stale = event->kind == SC__EVENT_WAKE && process->wake != process->sim->now;
    if (!is_stale) step(process, event);
    sc__event_free(event);
    // The worst moment for a crash: after a step, before any peer has received a message about it.
    if (!is_stale && process->is_doomed) sc__process_crash(process, process->sim->now);
}

void sc__process_resume(sc__process *process)
{
    process->standing = SC__UP;
    sc__event *waiting = process->first;
    process->first = process->last = NULL;
    // It may crash on the way: then the others are lost.
    for (sc__event *event; (event = waiting);) {
        waiting = event->next;
        if (event->kind == SC__EVENT_WAKE) process->wake = process->sim->now;
        sc__process_meet(process, event);
    }
    if (process->standing != SC__UP) return;
    process->wake = SC_TIME_NEVER;
    sc__process_wake_at(process, sc__process_now(process));
}
