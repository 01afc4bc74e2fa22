// Whether the clocks of a cluster's processes agree. See clock_check.h.
#include "cluster/clock_check.h"

void sc__clock_check_init(sc__clock_check *check, sc_peer self, sc_time guard_us)
{
    *check = (sc__clock_check){.self = self, .guard_us = guard_us};
    pthread_mutex_init(&check->lock, NULL);
}

void sc__clock_check_fini(sc__clock_check *check)
{
    pthread_mutex_destroy(&check->lock);
}

int64_t sc__clock_check_ahead_us(const sc_roster_peer *peer, sc_peer self)
{
    if (peer->skew_us < 0) return peer->skew_us > INT64_MIN ? -peer->skew_us : INT64_MAX;
    const sc_heartbeat *heartbeat = peer->heartbeat;
    for (size_t i = 0; i < heartbeat->ahead_count; i++) {
        if (heartbeat->ahead[i].peer == self) return -heartbeat->ahead[i].ahead_us;
    }
    return 0;
}

static bool is_beyond(int64_t ahead_us, sc_time guard_us)
{
    return ahead_us > guard_us || ahead_us < -guard_us;
}

/** Several heartbeats in a row that all took longer than the guard are unlikely, not impossible:
 * enough to tell which of two gateways is wrong, once it is certain that one of them is. */
static bool seems_skewed(const sc__clock_check *check, const sc_roster_peer *peer)
{
    return is_beyond(sc__clock_check_ahead_us(peer, check->self), check->guard_us) ||
           (peer->skew_count >= SC_ROSTER_SKEW_WINDOW && peer->skew_us > check->guard_us);
}

/** Whether most workers with the key of number `*i` in the roster do, which is the first of them;
 * sets `*i` to the last. Processes can be made up, so that a key counts once. */
static bool key_seems_skewed(const sc__clock_check *check, const sc_roster *roster, size_t *i)
{
    const sc_peer key = sc_peer_key(sc_roster_at(roster, *i)->heartbeat->peer);
    size_t next = *i;
    size_t skewed = 0;
    for (; next < sc_roster_count(roster); next++) {
        const sc_roster_peer *peer = sc_roster_at(roster, next);
        if (sc_peer_key(peer->heartbeat->peer) != key) break;
        skewed += seems_skewed(check, peer);
    }
    const size_t count = next - *i;
    *i = next - 1;
    return 2 * skewed > count;
}

bool sc__clock_check_update(sc__clock_check *check, const sc_roster *roster)
{
    size_t others = 0;
    size_t seem_skewed = 0;
    pthread_mutex_lock(&check->lock);
    check->count = 0;
    check->is_overfull = false;
    for (size_t i = 0; i < sc_roster_count(roster); i++) {
        const sc_roster_peer *peer = sc_roster_at(roster, i);
        if (peer->heartbeat->peer == check->self) continue;
        others++;
        if (sc_peer_is_worker(peer->heartbeat->peer)) {
            seem_skewed += key_seems_skewed(check, roster, &i);
            continue;
        }
        seem_skewed += seems_skewed(check, peer);
        if (peer->heartbeat->is_worker ||
            !is_beyond(sc__clock_check_ahead_us(peer, check->self), check->guard_us)) {
            continue;
        }
        if (check->count == SC_HEARTBEAT_AHEAD_MAX) check->is_overfull = true;
        if (!check->is_overfull) check->skewed[check->count++] = peer->heartbeat->peer;
    }
    // Alone our clock harms no one; else we are one of those that show our time.
    const bool is_wrong = check->count > 0 && 2 * seem_skewed > others + 1;
    pthread_mutex_unlock(&check->lock);
    return atomic_exchange(&check->is_wrong, is_wrong) != is_wrong;
}

bool sc__clock_check_is_skewed(sc__clock_check *check, sc_peer gateway)
{
    pthread_mutex_lock(&check->lock);
    bool is_skewed = check->is_overfull;
    for (size_t i = 0; i < check->count && !is_skewed; i++) {
        is_skewed = check->skewed[i] == gateway;
    }
    pthread_mutex_unlock(&check->lock);
    return is_skewed;
}

void sc__clock_check_tell(const sc__clock_check *check, const sc_roster *roster,
                          sc_heartbeat *heartbeat)
{
    for (size_t i = 0; i < sc_roster_count(roster); i++) {
        const sc_roster_peer *peer = sc_roster_at(roster, i);
        if (peer->heartbeat->is_worker || peer->heartbeat->peer == check->self ||
            peer->skew_us >= -check->guard_us || heartbeat->ahead_count == SC_HEARTBEAT_AHEAD_MAX) {
            continue;
        }
        heartbeat->ahead[heartbeat->ahead_count++] = (sc_heartbeat_clock){
            .peer = peer->heartbeat->peer,
            .ahead_us = sc__clock_check_ahead_us(peer, check->self),
        };
    }
}
