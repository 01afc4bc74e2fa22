// Whether a heartbeat was made just now, and not played back. See freshness.h.
#include "cluster/freshness.h"

/** A heartbeat that names one of our last so many is fresh. Three of ours may be missed, three of
 * theirs, and some may be under way. */
enum { FRESH_NUMBERS = 8 };

/** So many places are for gateways, and the others for workers. */
enum { GATEWAYS_MAX = 256, WORKERS_MAX = SC_HEARTBEAT_HEARD_MAX - GATEWAYS_MAX };

void sc__freshness_init(sc__freshness *freshness, sc_peer self, sc_time heartbeat_us)
{
    freshness->self = self;
    freshness->heartbeat_us = heartbeat_us;
    freshness->number = 0;
    freshness->count = 0;
    freshness->crowded = 0;
}

static sc__heard_peer *find(sc__freshness *freshness, sc_peer peer)
{
    for (size_t i = 0; i < freshness->count; i++) {
        if (freshness->heard[i].peer == peer) return &freshness->heard[i];
    }
    return NULL;
}

/** Whether a fresh heartbeat came within three heartbeats' time. */
static bool is_fresh_at(const sc__freshness *freshness, const sc__heard_peer *heard, sc_time now)
{
    return heard->fresh_at != SC__NOT_FRESH &&
           now - heard->fresh_at < SC__HEARTBEATS_TO_LISTEN * freshness->heartbeat_us;
}

/** A place for a process that was not heard before; NULL: there is none. A key that has too many
 * processes gets no place but those of its own: made-up processes take none from
 * gateways, from workers with other keys, or from those with this key that are fresh. */
static sc__heard_peer *add(sc__freshness *freshness, sc_peer peer, sc_time now)
{
    const bool is_worker = sc_peer_is_worker(peer);
    size_t of_role = 0;
    size_t of_key = 0;
    sc__heard_peer *silent = NULL;  // for the longest, of this key, and not fresh
    for (size_t i = 0; i < freshness->count; i++) {
        sc__heard_peer *other = &freshness->heard[i];
        of_role += sc_peer_is_worker(other->peer) == is_worker;
        if (sc_peer_key(other->peer) != sc_peer_key(peer)) continue;
        of_key++;
        if (is_fresh_at(freshness, other, now)) continue;
        if (!silent || other->received_at < silent->received_at) silent = other;
    }
    sc__heard_peer *place = silent;
    if (of_role < (is_worker ? WORKERS_MAX : GATEWAYS_MAX) &&
        (!is_worker || of_key < SC_KEY_PROCESSES_MAX)) {
        place = &freshness->heard[freshness->count++];
    } else {
        freshness->crowded++;
    }
    if (place) *place = (sc__heard_peer){.peer = peer, .fresh_at = SC__NOT_FRESH};
    return place;
}

/** The number of a process that the heartbeat names; 0: it does not name it. */
static uint64_t number_named(const sc_heartbeat *heartbeat, sc_peer peer)
{
    for (size_t i = 0; i < heartbeat->heard_count; i++) {
        if (heartbeat->heard[i].peer == peer) return heartbeat->heard[i].number;
    }
    return 0;
}

/** Whether it names one of our latest numbers. */
static bool names_us(const sc__freshness *freshness, const sc_heartbeat *heartbeat)
{
    const uint64_t number = number_named(heartbeat, freshness->self);
    return number > 0 && number <= freshness->number && freshness->number - number < FRESH_NUMBERS;
}

bool sc__freshness_receive(sc__freshness *freshness, const sc_heartbeat *heartbeat, sc_time now)
{
    if (heartbeat->peer == freshness->self) return true;
    sc__heard_peer *peer = find(freshness, heartbeat->peer);
    if (!peer) peer = add(freshness, heartbeat->peer, now);
    if (!peer) return false;
    peer->received_at = now;
    if (heartbeat->number > peer->number) peer->number = heartbeat->number;
    const bool is_fresh = names_us(freshness, heartbeat);
    if (is_fresh) peer->fresh_at = now;
    return is_fresh;
}

bool sc__freshness_has(const sc__freshness *freshness, sc_peer peer, sc_time now)
{
    if (peer == freshness->self) return true;
    for (size_t i = 0; i < freshness->count; i++) {
        const sc__heard_peer *heard = &freshness->heard[i];
        if (heard->peer == peer) return is_fresh_at(freshness, heard, now);
    }
    return false;
}

void sc__freshness_forget(sc__freshness *freshness, sc_peer peer)
{
    sc__heard_peer *heard = find(freshness, peer);
    if (heard) heard->fresh_at = SC__NOT_FRESH;
}

void sc__freshness_tell(sc__freshness *freshness, uint64_t number, sc_time now,
                        sc_heartbeat *heartbeat)
{
    freshness->number = number;
    size_t kept = 0;
    for (size_t i = 0; i < freshness->count; i++) {
        const sc__heard_peer *peer = &freshness->heard[i];
        if (now - peer->received_at >= FRESH_NUMBERS * freshness->heartbeat_us) continue;
        heartbeat->heard[heartbeat->heard_count++] =
            (sc_heartbeat_heard){.peer = peer->peer, .number = peer->number};
        freshness->heard[kept++] = *peer;
    }
    freshness->count = kept;
}

// --- Without numbers of our own ------------------------------------------------------------------

/** Whether `heartbeat` names the other process, with a number that is not older than the last
 * `count` of it. */
static bool names_lately(const sc_heartbeat *heartbeat, const sc_heartbeat *other, uint64_t count)
{
    const uint64_t number = number_named(heartbeat, other->peer);
    return number > 0 && (number >= other->number || other->number - number < count);
}

/** How many heartbeats a process may have sent between two moments. */
static uint64_t sent_between(sc_time from, sc_time to, sc_time heartbeat_us)
{
    return to > from ? (uint64_t)((to - from) / heartbeat_us) + 1 : 0;
}

bool sc__freshness_is_played_back(const sc_roster *roster, const sc_roster_peer *peer,
                                  sc_time heartbeat_us)
{
    for (size_t i = 0; i < sc_roster_count(roster); i++) {
        const sc_roster_peer *witness = sc_roster_at(roster, i);
        if (witness->heartbeat->is_worker || witness->heartbeat->peer == peer->heartbeat->peer)
            continue;
        // One that was silent when the heartbeat came may have been forgotten by its sender.
        if (peer->received_at - witness->received_at >= SC__HEARTBEATS_TO_LISTEN * heartbeat_us)
            continue;
        // A witness that names an old number is played back itself.
        if (!names_lately(witness->heartbeat, peer->heartbeat, FRESH_NUMBERS)) continue;
        const uint64_t since = sent_between(peer->received_at, witness->received_at, heartbeat_us);
        if (!names_lately(peer->heartbeat, witness->heartbeat, FRESH_NUMBERS + since)) return true;
    }
    return false;
}
