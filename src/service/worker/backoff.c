// When proposals are held back: the allowance of a part, and gateways that are silent. See
// backoff.h.
#include "worker/backoff.h"

// --- Allowance ------------------------------------------------------------------------------

void sc__allowance_take(sc__allowance *allowance)
{
    allowance->undecided++;
}

void sc__allowance_return(sc__allowance *allowance)
{
    allowance->undecided--;
}

void sc__allowance_widen(sc__allowance *allowance)
{
    sc__allowance_return(allowance);
    if (allowance->most <= UINT32_MAX - SC__ALLOWANCE_MORE) allowance->most += SC__ALLOWANCE_MORE;
}

void sc__allowance_halve(sc__allowance *allowance, sc_time made, sc_time now)
{
    const bool is_news = !allowance->is_bounded || made >= allowance->halved;
    if (is_news) {
        if (!allowance->is_bounded || allowance->undecided < allowance->most) {
            allowance->most = allowance->undecided;
        }
        allowance->most = allowance->most > 1 ? allowance->most / 2 : 1;
        allowance->is_bounded = true;
        allowance->halved = now;
    }
    sc__allowance_return(allowance);
}

// --- Silent gateways ------------------------------------------------------------------------

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
