// Whether a heartbeat was made just now, and not played back. See freshness.h.
#include "cluster/freshness.h"

/** A heartbeat that names one of our last so many is fresh. Three of ours may be missed, three of
 * theirs, and some may be under way. */
enum { FRESH_NUMBERS = 8 };

void sc__freshness_init(sc__freshness *freshness, sc_peer self, sc_time heartbeat_us)
{
    freshness->self = self;
    freshness->heartbeat_us = heartbeat_us;
    freshness->number = 0;
    freshness->count = 0;
}

static sc__heard_peer *find(sc__freshness *freshness, sc_peer peer)
{
    for (size_t i = 0; i < freshness->count; i++) {
        if (freshness->heard[i].peer == peer) return &freshness->heard[i];
    }
    return NULL;
}

/** Instead of the one that was silent for the longest, if there is no room. */
static sc__heard_peer *add(sc__freshness *freshness, sc_peer peer)
{
    sc__heard_peer *place = &freshness->heard[0];
    if (freshness->count < SC_HEARTBEAT_HEARD_MAX) {
        place = &freshness->heard[freshness->count++];
    } else {
        for (size_t i = 1; i < freshness->count; i++) {
            if (freshness->heard[i].received_at < place->received_at) place = &freshness->heard[i];
        }
    }
    *place = (sc__heard_peer){.peer = peer, .fresh_at = SC__NOT_FRESH};
    return place;
}

/** Whether it names one of our latest numbers. */
static bool names_us(const sc__freshness *freshness, const sc_heartbeat *heartbeat)
{
    for (size_t i = 0; i < heartbeat->heard_count; i++) {
        if (heartbeat->heard[i].peer != freshness->self) continue;
        const uint64_t number = heartbeat->heard[i].number;
        return number > 0 && number <= freshness->number &&
               freshness->number - number < FRESH_NUMBERS;
    }
    return false;
}

bool sc__freshness_receive(sc__freshness *freshness, const sc_heartbeat *heartbeat, sc_time now)
{
    if (heartbeat->peer == freshness->self) return true;
    sc__heard_peer *peer = find(freshness, heartbeat->peer);
    if (!peer) peer = add(freshness, heartbeat->peer);
    peer->received_at = now;
    if (heartbeat->number > peer->number) peer->number = heartbeat->number;
    const bool is_fresh = names_us(freshness, heartbeat);
    if (is_fresh) peer->fresh_at = now;
    return is_fresh;
}

bool sc__freshness_has(const sc__freshness *freshness, sc_peer peer, sc_time now)
{
    if (peer == freshness->self) return true;
    const sc_time long_ago = SC__HEARTBEATS_TO_LISTEN * freshness->heartbeat_us;
    for (size_t i = 0; i < freshness->count; i++) {
        const sc__heard_peer *heard = &freshness->heard[i];
        if (heard->peer != peer) continue;
        return heard->fresh_at != SC__NOT_FRESH && now - heard->fresh_at < long_ago;
    }
    return false;
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
