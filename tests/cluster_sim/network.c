// Messages on their way: late, lost, twice, overtaken. See cluster_sim_internal.h.
#include "base/alloc.h"
#include "cluster_sim/cluster_sim_internal.h"

#include <string.h>

// --- Times in messages ------------------------------------------------------------------------

static void shift(sc_time *t, sc_time by)
{
    if (*t != SC_TIME_NEVER) *t += by;
}

/** Moments of a message by another clock. */
static void shift_msg(sc_msg *msg, sc_time by)
{
    switch (msg->kind) {
    case SC_MSG_ADD:
    case SC_MSG_COMPANY:
    case SC_MSG_REMOVE:
    case SC_MSG_DROPPED:
    case SC_MSG_NOT_TAKEN:
        shift(&msg->query.deadline, by);
        break;
    case SC_MSG_RESERVE:
        shift(&msg->proposal->deadline, by);
        shift(&msg->proposal->last, by);
        for (size_t i = 0; i < msg->proposal->member_count; i++) {
            shift(&msg->proposal->members[i].query.deadline, by);
        }
        break;
    default:
        shift(&msg->deadline, by);
        break;
    }
}

// --- Saying ---------------------------------------------------------------------------------

static bool is_for_a_part(const sc_msg *msg)
{
    return msg->kind == SC_MSG_ADD || msg->kind == SC_MSG_COMPANY || msg->kind == SC_MSG_REMOVE;
}

/**
 * Whether the worker that has the part is told of the query anyway: it has the query's home too, or
 * another part to which the same was sent just now.
 */
static bool is_told_already(sc__process *process, const sc_msg *msg)
{
    const sc_cluster_sim *sim = process->sim;
    if (msg->part == msg->home) return false;
    const sc_peer owner = sim->owners[msg->part];
    if (owner == SC_PEER_NONE) return false;
    if (owner == sim->owners[msg->home]) return true;
    if (msg->kind != process->spread_kind ||
        memcmp(&msg->query.id, &process->spread, sizeof process->spread) != 0) {
        process->spread_kind = msg->kind;
        process->spread = msg->query.id;
        memset(process->told, 0, sim->process_count);
    }
    uint8_t *told = &process->told[(owner & 0xffff) - 1];
    if (*told) return true;
    *told = 1;
    return false;
}

/** As bytes and back, by the calendar of the sender. */
static sc_err encode(sc_cluster_sim *sim, sc_msg *msg)
{
    sc_err err = sc_msg_encode(&sim->codec, msg, 0, &sim->bytes);
    if (err) return err;
    sim->truth.verdict.bytes[msg->kind] += sim->bytes.size;
    sc_msg_fini(msg);
    return sc_msg_decode(&sim->codec, sim->bytes.data, sim->bytes.size, 0, msg);
}

/** Never at once: two processes that answer each other without end would stop the clock. */
static sc_time draw_delay(sc_cluster_sim *sim)
{
    const bool strays = sc_rng_unit(&sim->rng) < sim->options.straying;
    const sc_time mean = sim->options.delay_us * (strays ? 20 : 1);
    return 1 + sc__draw_time(&sim->rng, mean);
}

/** On its way, if it is not lost. Takes the message. */
static void send(sc__process *process, sc_peer to, sc_msg *msg)
{
    sc_cluster_sim *sim = process->sim;
    const bool is_lost =
        sc_rng_unit(&sim->rng) < sim->options.loss || sim->now < process->cut_until;
    const sc_time delay = draw_delay(sim);
    sc__event *event = NULL;
    if (!is_lost) {
        const bool has_target = to != SC_PEER_NONE;
        event = sc__event_new(SC__EVENT_MSG, has_target ? (uint32_t)(to & 0xffff) - 1 : SC_NONE,
                              (uint32_t)(to >> 16));
        if (!event) sc__cluster_sim_fail(sim, SC_ENOMEM);
    }
    if (!event) {
        sc_msg_fini(msg);
        return;
    }
    event->msg = *msg;
    event->from = process->index;
    event->from_life = process->life;
    event->said = sim->now;
    sc__cluster_sim_plan(sim, sim->now + delay, event);
}

static void send_msg(void *context, sc_peer to, sc_msg *msg)
{
    sc__process *process = context;
    sc_cluster_sim *sim = process->sim;
    if (process->is_mute || (msg->kind == SC_MSG_COMPANY && sim->options.is_company_off)) {
        sc_msg_fini(msg);
        return;
    }
    if (is_for_a_part(msg) && is_told_already(process, msg)) {
        sim->truth.verdict.words_inside++;
        sc_msg_fini(msg);
        return;
    }
    sim->truth.verdict.msgs[msg->kind]++;
    shift_msg(msg, -process->boot_us);
    if (sim->options.is_encoded) {
        const sc_err err = encode(sim, msg);
        if (err) {
            sc__cluster_sim_fail(sim, err);
            sc_msg_fini(msg);
            return;
        }
    }
    sc_msg twin = {0};
    if (sc_rng_unit(&sim->rng) < sim->options.doubling) {
        if (sc_msg_clone(msg, &twin)) send(process, to, &twin);
    }
    send(process, to, msg);
}

/** What gateways learn from each other's heartbeats. */
static bool is_skewed(void *context, sc_peer gateway)
{
    const sc__process *process = context;
    const sc_cluster_sim *sim = process->sim;
    const sc__process *other = &sim->processes[(gateway & 0xffff) - 1];
    if (sim->options.is_skew_hidden || sc__process_peer(other) != gateway) return false;
    const sc_time skew_us = process->skew_us - other->skew_us;
    return skew_us > sim->options.guard_us || skew_us < -sim->options.guard_us;
}

sc_port sc__network_port(sc__process *process)
{
    return (sc_port){.send = send_msg, .is_skewed = is_skewed, .context = process};
}

// --- Hearing --------------------------------------------------------------------------------

/** A no as an ok: who is gone has a wish. Deadlines are left out, as by somebody in no hurry. */
static void send_yes(sc_msg *msg)
{
    sc_wish *wishes = sc_calloc(msg->count + 1, sizeof *wishes);
    for (size_t i = 0; wishes && i < msg->count; i++) {
        wishes[i] = (sc_wish){msg->gone[i], {.type = SC_REQUEST_KNN, .k = 1}};
    }
    sc_free(msg->gone);
    msg->gone = NULL;
    msg->wishes = wishes;
    msg->deadline = SC_TIME_NEVER;
    msg->kind = SC_MSG_OK;
}

/** Faults are put into messages when they arrive. */
static void fault(const sc_cluster_sim *sim, sc_msg *msg)
{
    if (sim->options.fault == SC_CLUSTER_SIM_FAULT_NO_IS_OK && msg->kind == SC_MSG_NO)
        send_yes(msg);
    if (sim->options.fault == SC_CLUSTER_SIM_FAULT_SMALLER && msg->kind == SC_MSG_RESERVE) {
        msg->proposal->segment_count--;
    }
}

/** To one process, by its own clock; the event is taken. */
static void hand_over(sc__process *process, sc__event *event)
{
    event->process = process->index;
    event->life = process->life;
    shift_msg(&event->msg, process->boot_us);
    fault(process->sim, &event->msg);
    sc__process_meet(process, event);
}

/** To everybody who listens to the part: while parts move, that may be none, or two. */
static void hand_to_part(sc_cluster_sim *sim, sc__event *event)
{
    for (uint32_t i = sim->options.gateways; i < sim->process_count; i++) {
        sc__process *process = &sim->processes[i];
        if (process->standing == SC__DOWN || !process->has_part[event->msg.part]) continue;
        sc__event *copy = sc__event_new(SC__EVENT_MSG, i, process->life);
        if (!copy || !sc_msg_clone(&event->msg, &copy->msg)) {
            sc__event_free(copy);
            sc__cluster_sim_fail(sim, SC_ENOMEM);
            break;
        }
        hand_over(process, copy);
    }
    sc__event_free(event);
}

void sc__network_deliver(sc_cluster_sim *sim, sc__event *event)
{
    // What was sent just before a crash may not have left the process.
    const sc__process *from = &sim->processes[event->from];
    if (event->from_life == from->dead_life && event->said >= from->lost_since) {
        sc__event_free(event);
        return;
    }
    if (event->process == SC_NONE) {
        hand_to_part(sim, event);
        return;
    }
    sc__process *process = &sim->processes[event->process];
    if (process->standing == SC__DOWN || process->life != event->life ||
        sim->now < process->cut_until) {
        sc__event_free(event);
        return;
    }
    hand_over(process, event);
}
