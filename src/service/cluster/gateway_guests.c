// Who came and who went, for the log. See gateway_guests.h.
#include "cluster/gateway_guests.h"

#include "base/alloc.h"

#include <string.h>

void sc__guests_fini(sc__guests *guests)
{
    sc_free(guests->all);
    guests->all = NULL;
    guests->count = guests->capacity = 0;
}

static void say(const sc__guests *guests, sc_log_level level, const char *event,
                const sc__guest *guest)
{
    sc_log_line line;
    if (!sc_log_begin(guests->log, &line, level, event)) return;
    sc_log_text(&line, "name", guest->name);
    sc_log_text(&line, "kind", guest->is_worker ? "worker" : "gateway");
    sc_log_count(&line, "peers", guests->count);
    sc_log_end(&line);
}

static void say_skew(const sc__guests *guests, const sc__guest *guest, double seconds)
{
    sc_log_line line;
    if (!sc_log_begin(guests->log, &line, SC_LOG_WARNING, "clocks_differ")) return;
    sc_log_text(&line, "name", guest->name);
    sc_log_seconds(&line, "seconds", seconds);
    sc_log_text(&line, "message",
                "by more than the guard: cloaks may leave late; set the clocks by NTP");
    sc_log_end(&line);
}

static sc__guest *find(const sc__guests *guests, sc_peer peer)
{
    for (size_t i = 0; i < guests->count; i++) {
        if (guests->all[i].peer == peer) return &guests->all[i];
    }
    return NULL;
}

static bool is_beyond(int64_t skew_us, sc_time limit_us)
{
    return skew_us > limit_us || skew_us < -limit_us;
}

void sc__guests_meet(sc__guests *guests, const sc_roster_peer *peer)
{
    const sc_beat *beat = peer->beat;
    sc__guest *guest = find(guests, beat->peer);
    if (!guest) {
        if (!sc_grow(&guests->all, guests->count, &guests->capacity, sizeof *guests->all)) return;
        guest = &guests->all[guests->count++];
        *guest = (sc__guest){.peer = beat->peer, .is_worker = beat->is_worker};
        memcpy(guest->name, beat->name, sizeof guest->name);
        say(guests, SC_LOG_INFO, "peer_came", guest);
    }
    if (beat->is_leaving && !guest->is_leaving) say(guests, SC_LOG_INFO, "peer_leaves", guest);
    guest->is_leaving = beat->is_leaving;

    const bool is_skewed = is_beyond(peer->skew_us, guests->guard_us);
    if (is_skewed && !guest->is_skewed) say_skew(guests, guest, (double)peer->skew_us * 1e-6);
    // Said anew only if it was clearly over in between.
    if (is_skewed || !is_beyond(peer->skew_us, guests->guard_us / 2)) guest->is_skewed = is_skewed;
}

void sc__guests_sweep(sc__guests *guests, const sc_roster *roster)
{
    for (size_t i = guests->count; i-- > 0;) {
        const sc__guest guest = guests->all[i];
        if (sc_roster_find(roster, guest.peer)) continue;
        guests->all[i] = guests->all[--guests->count];
        say(guests, guest.is_leaving ? SC_LOG_INFO : SC_LOG_WARNING, "peer_gone", &guest);
    }
}
