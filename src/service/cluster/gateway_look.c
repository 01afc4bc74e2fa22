// What a gateway looks after once in each beat's time, and when something has happened: who is
// there, who leads, what is to be said anew. See gateway.h.
//
// A gateway that was away from NATS, or stood still, has heard no beats and must not take everybody
// for dead: it is *quiet* for as long as it takes to hear all who live, and neither leads nor
// buries anyone. If it did lead, others have begun to lead meanwhile, or there is nobody else.
//
// Nothing is sent while the lock is held: a server that does not read may hold up who sends.
#include "cluster/gateway_internal.h"

#include "base/clock.h"

/** A look that comes so late shows that the whole process stood still. */
enum { BEATS_STOOD_STILL = 2 };

// --- Who is there --------------------------------------------------------------------------

void sc__gateway_suspect(sc_gateway *gateway, sc_peer worker)
{
    const sc_time now = sc_clock_us();
    pthread_mutex_lock(&gateway->lock);
    size_t i = 0;
    while (i < gateway->suspect_count && gateway->suspects[i].worker != worker) {
        i++;
    }
    if (i < SC__SUSPECTS_MAX) {
        gateway->suspects[i] = (sc__suspect){.worker = worker, .since = now};
        if (i == gateway->suspect_count) gateway->suspect_count++;
    }
    pthread_mutex_unlock(&gateway->lock);
}

/** Who has not beaten since NATS found nobody there, and is behind with its beat, is gone; it need
 * not be missed three times. Who was merely away for a moment has beaten again. */
static bool bury_suspects(sc_gateway *gateway, sc_time now)
{
    bool is_gone = false;
    size_t kept = 0;
    for (size_t i = 0; i < gateway->suspect_count; i++) {
        const sc__suspect suspect = gateway->suspects[i];
        const sc_roster_peer *peer = sc_roster_find(gateway->roster, suspect.worker);
        if (!peer || peer->heard > suspect.since) continue;
        if (now - peer->heard > gateway->beat_us * 3 / 2) {
            sc_roster_forget(gateway->roster, suspect.worker);
            is_gone = true;
        } else {
            gateway->suspects[kept++] = suspect;
        }
    }
    gateway->suspect_count = kept;
    return is_gone;
}

/** Returns whether we know who is there. */
static bool look_around(sc_gateway *gateway, bool is_connected, sc_time now)
{
    const bool stood_still = now - gateway->last_look > BEATS_STOOD_STILL * gateway->beat_us;
    gateway->last_look = now;
    const bool is_back = atomic_exchange(&gateway->is_back, false);
    if (is_back) sc__routes_lose_all(gateway->routes);
    if (is_back || stood_still || !is_connected) {
        gateway->quiet_until = now + SC__BEATS_TO_LISTEN * gateway->beat_us;
        gateway->suspect_count = 0;
    }
    if (now < gateway->quiet_until) return false;
    const bool is_buried = bury_suspects(gateway, now);
    if (sc_roster_pass_time(gateway->roster, now) || is_buried) {
        sc__guests_sweep(&gateway->guests, gateway->roster);
        sc__routes_sweep(gateway->routes, gateway->roster);
    }
    return true;
}

// --- Placements ----------------------------------------------------------------------------

static void log_placement(const sc_gateway *gateway, const sc_placement *placement)
{
    sc_log_line line;
    if (!sc_log_begin(gateway->log, &line, SC_LOG_INFO, "placed")) return;
    uint64_t orphans = 0;
    for (uint32_t p = 0; p < placement->parts; p++) {
        orphans += placement->owners[p] == SC_PEER_NONE;
    }
    sc_log_count(&line, "epoch", placement->epoch);
    sc_log_count(&line, "parts", placement->parts);
    sc_log_count(&line, "without_worker", orphans);
    sc_log_text(&line, "by", placement->leader == gateway->identity.self ? "us" : "another");
    sc_log_end(&line);
}

void sc__gateway_placed(sc_gateway *gateway)
{
    const sc_placement *placement = sc_placing_now(gateway->placing);
    log_placement(gateway, placement);
    sc__routes_place(gateway->routes, placement);
    // A new owner may have said already that it serves.
    for (size_t i = 0; i < sc_roster_count(gateway->roster); i++) {
        const sc_beat *beat = sc_roster_at(gateway->roster, i)->beat;
        if (beat->is_worker) (void)sc__routes_hear(gateway->routes, beat);
    }
}

/** As the leader: decide, and write down what is to be told. With each beat the placement is told
 * again: somebody may have come, or missed it. */
static void lead(sc_gateway *gateway, bool is_beat, sc_time now, sc_bytes *out)
{
    if (sc_roster_leader(gateway->roster, now) != gateway->identity.self) return;
    const bool is_new = sc_placing_decide(gateway->placing, gateway->roster, now);
    if (is_new) sc__gateway_placed(gateway);
    const sc_placement *placement = sc_placing_now(gateway->placing);
    if (!placement || !(is_new || is_beat)) return;
    // For want of memory it is told with the next beat.
    if (sc_placement_encode(placement, out)) out->size = 0;
}

// --- The look ------------------------------------------------------------------------------

void sc__gateway_beat(sc_gateway *gateway, bool is_leaving)
{
    sc_beat *beat = sc_beat_new(0);
    if (!beat) return;
    beat->is_leaving = is_leaving;
    beat->open = sc_ledger_pending(gateway->ledger);
    pthread_mutex_lock(&gateway->lock);
    const sc_placement *placement = sc_placing_now(gateway->placing);
    beat->epoch = placement ? placement->epoch : 0;
    pthread_mutex_unlock(&gateway->lock);
    sc__beat_send(&gateway->identity, beat, gateway->wire);
    sc_beat_free(beat);
}

void sc__gateway_look(void *context, bool is_beat)
{
    sc_gateway *gateway = context;
    const bool is_connected = sc_wire_stats_of(gateway->wire).is_connected;
    const sc_time now = sc_clock_us();
    sc_bytes placement = {0};
    pthread_mutex_lock(&gateway->lock);
    if (look_around(gateway, is_connected, now)) lead(gateway, is_beat, now, &placement);
    pthread_mutex_unlock(&gateway->lock);

    // Without a connection beats would only pile up and be old when they leave.
    if (is_beat && is_connected) sc__gateway_beat(gateway, false);
    if (placement.size > 0) {
        (void)!sc_wire_send_placement(gateway->wire, placement.data, placement.size);
    }
    sc_bytes_fini(&placement);
    const size_t unsaid = sc__routes_take_unsaid(gateway->routes, gateway->unsaid, now);
    for (size_t i = 0; i < unsaid; i++) {
        sc_ledger_resend(gateway->ledger, gateway->unsaid[i]);
    }
}
