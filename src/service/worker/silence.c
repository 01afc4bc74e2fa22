// Gateways that did not answer. See silence.h.
#include "worker/silence.h"

static sc__silent *find(sc__silence *silence, sc_peer peer)
{
    for (size_t i = 0; i < silence->count; i++) {
        if (silence->gateways[i].peer == peer) return &silence->gateways[i];
    }
    return NULL;
}

bool sc__silence_has(const sc__silence *silence, sc_peer peer)
{
    for (size_t i = 0; i < silence->count; i++) {
        if (silence->gateways[i].peer == peer) return true;
    }
    return false;
}

/** Room for one more: a new one, or that of the oldest. */
static sc__silent *make_room(sc__silence *silence)
{
    if (silence->count < SC__SILENT_MOST) return &silence->gateways[silence->count++];
    sc__silent *oldest = &silence->gateways[0];
    for (size_t i = 1; i < silence->count; i++) {
        if (silence->gateways[i].since < oldest->since) oldest = &silence->gateways[i];
    }
    return oldest;
}

bool sc__silence_note(sc__silence *silence, sc_peer peer, sc_time told, sc_time now)
{
    const sc__silent *known = find(silence, peer);
    if (known) return told >= known->since;
    *make_room(silence) = (sc__silent){peer, now};
    return false;
}

void sc__silence_break(sc__silence *silence, sc_peer peer)
{
    sc__silent *known = find(silence, peer);
    if (known) *known = silence->gateways[--silence->count];
}
