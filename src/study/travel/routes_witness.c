// Which shortcuts a star must leave behind. See routes_internal.h.
//
// For each two neighbours of the star there must be, without it, a way as fast as the one over it
// (a witness), or else a shortcut takes its place. One search from each neighbour looks for
// witnesses to all those after it. Where they exist they are mostly near, so a search that has
// looked at many arcs gives up: a shortcut too many costs less than the search.
#include "travel/routes_internal.h"

#include <string.h>

/** Arcs that one search may look at. On real maps few come near. On a grid of 300 by 300, where all
 * ways tie, a quarter of it leaves twice the arcs, and twice as much takes longer to build. */
enum { MOST_ARCS = 4000 };

sc_err sc__witness_init(sc__witness *witness, uint32_t star_count, uint32_t longest_ms)
{
    *witness = (sc__witness){.longest_ms = longest_ms};
    witness->ms = sc_malloc_array(star_count, sizeof *witness->ms);
    witness->wanted_ms = sc_calloc(star_count, sizeof *witness->wanted_ms);
    if (!witness->ms || !witness->wanted_ms) {
        sc__witness_fini(witness);
        return SC_ENOMEM;
    }
    memset(witness->ms, 0xff, (size_t)star_count * sizeof *witness->ms);
    return SC_OK;
}

void sc__witness_fini(sc__witness *witness)
{
    sc_free(witness->ms);
    sc_free(witness->wanted_ms);
    sc_free(witness->reached);
    sc_free(witness->shortcuts);
    sc__turns_fini(&witness->turns);
    *witness = (sc__witness){.longest_ms = 0};
}

static bool reach(sc__witness *w, sc_star_id star, uint32_t ms)
{
    if (w->ms[star] == SC__NEVER) {
        if (!sc_grow(&w->reached, w->reached_count, &w->reached_capacity, sizeof *w->reached)) {
            return false;
        }
        w->reached[w->reached_count++] = star;
    }
    w->ms[star] = ms;
    return sc__turns_put(&w->turns, ms, star);
}

// Look for the ways that are wanted, `open` of them, none longer than `limit_ms`. Those found are
// wanted no more.
static sc_err search(sc__witness *w, const sc__net *net, sc_star_id from, sc_star_id without,
                     uint32_t limit_ms, uint32_t open)
{
    uint32_t looked_at = 0;
    if (!reach(w, from, 0)) return SC_ENOMEM;
    while (w->turns.count > 0) {
        const sc__turn turn = sc__turns_take(&w->turns);
        if (turn.number > w->ms[turn.star]) continue;
        uint32_t count = 0;
        const sc__arc *arcs = sc__net_arcs(net, turn.star, &count);
        looked_at += count;
        if (looked_at > MOST_ARCS) return SC_OK;
        for (uint32_t i = 0; i < count; i++) {
            const sc_star_id to = arcs[i].to;
            const uint64_t ms = (uint64_t)turn.number + arcs[i].ms;
            if (ms > limit_ms || ms >= w->ms[to] || to == without) continue;
            if (!reach(w, to, (uint32_t)ms)) return SC_ENOMEM;
            if (ms > w->wanted_ms[to]) continue;
            w->wanted_ms[to] = 0;
            if (--open == 0) return SC_OK;
        }
    }
    return SC_OK;
}

static void forget(sc__witness *w)
{
    for (size_t i = 0; i < w->reached_count; i++) {
        w->ms[w->reached[i]] = SC__NEVER;
    }
    w->reached_count = 0;
    w->turns.count = 0;
}

// Shortcuts from neighbour `i` to those after it.
static sc_err shortcuts_from(sc__witness *w, const sc__net *net, sc_star_id star,
                             const sc__arc *arcs, uint32_t count, uint32_t i)
{
    uint32_t limit_ms = 0;
    uint32_t open = 0;
    for (uint32_t j = i + 1; j < count; j++) {
        const uint64_t ms = (uint64_t)arcs[i].ms + arcs[j].ms;
        if (ms > w->longest_ms) continue;
        w->wanted_ms[arcs[j].to] = (uint32_t)ms;
        if (ms > limit_ms) limit_ms = (uint32_t)ms;
        open++;
    }
    if (open == 0) return SC_OK;

    sc_err err = search(w, net, arcs[i].to, star, limit_ms, open);
    for (uint32_t j = i + 1; j < count; j++) {
        const sc__shortcut shortcut = {arcs[i].to, arcs[j].to, w->wanted_ms[arcs[j].to]};
        w->wanted_ms[arcs[j].to] = 0;
        if (err || shortcut.ms == 0) continue;
        if (!sc_grow(&w->shortcuts, w->shortcut_count, &w->shortcut_capacity,
                     sizeof *w->shortcuts)) {
            err = SC_ENOMEM;
            continue;
        }
        w->shortcuts[w->shortcut_count++] = shortcut;
    }
    forget(w);
    return err;
}

sc_err sc__witness_shortcuts(sc__witness *witness, const sc__net *net, sc_star_id star)
{
    uint32_t count = 0;
    const sc__arc *arcs = sc__net_arcs(net, star, &count);
    witness->shortcut_count = 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        const sc_err err = shortcuts_from(witness, net, star, arcs, count, i);
        if (err) return err;
    }
    return SC_OK;
}
