// StarCloak's three ways to search: basic, spatially bounded, hybrid. (XStar's is in xstar.c.)
//
// Bounded keeps cloaks together by going outwards level by level, at the price of
// longer waits and more drops. Hybrid does the same as long as there is time, and
// takes what it can get when there is not. An engine can be switched from one to another: they
// have all of their state in common but for who is urgent, which is hybrid's alone.
#include "engine/variants.h"

#include "base/alloc.h"
#include "baselines/xstar.h"
#include "engine/neighbours.h"
#include "engine/search.h"

static const sc__bounds anywhere = {.hops_per_level = 0, .near_hops = UINT32_MAX};

static sc__bounds within_levels(const sc_engine_options *options)
{
    return (sc__bounds){
        .hops_per_level = options->compactness,
        .near_hops = options->is_strict ? 2 * options->compactness - 1 : UINT32_MAX,
    };
}

/** Note which of the vertices near `vertex` hold a query whose time is running out. */
static sc_err list_urgent(sc_engine *engine, sc__slot vertex, size_t *count)
{
    sc__scratch *scratch = &engine->scratch;
    size_t neighbour_count;
    uint64_t user_count;
    const sc_err err = sc__neighbours_list(engine, vertex, 0, &neighbour_count, &user_count);
    if (err) return err;
    *count = 0;
    for (size_t i = 0; i < neighbour_count; i++) {
        const sc__slot near = scratch->neighbours[i].vertex;
        if (!sc__vertex_at(engine, near)->has_urgent) continue;
        if (!sc_grow(&scratch->urgent, *count, &scratch->urgent_capacity,
                     sizeof *scratch->urgent)) {
            return SC_ENOMEM;
        }
        scratch->urgent[(*count)++] = near;
    }
    return SC_OK;
}

/**
 * Hybrid: somebody new has come to `vertex` and found nothing. Those near it whose time
 * is running out look again, until one finds something.
 */
static sc_err search_urgent(sc_engine *engine, sc__slot vertex)
{
    size_t count = 0;
    bool found = false;
    sc_err err = list_urgent(engine, vertex, &count);
    for (size_t i = 0; !err && !found && i < count; i++) {
        err = sc__search_within(engine, engine->scratch.urgent[i], anywhere, &found);
    }
    return err;
}

sc_err sc__search(sc_engine *engine, sc__slot vertex, bool is_new)
{
    const sc_engine_options *options = &engine->options;
    bool found = false;
    if (options->variant == SC_VARIANT_XSTAR) return sc__xstar_search(engine, vertex);
    if (options->variant == SC_VARIANT_BASIC)
        return sc__search_within(engine, vertex, anywhere, &found);

    sc_err err = sc__search_within(engine, vertex, within_levels(options), &found);
    if (err || found || options->variant == SC_VARIANT_BOUNDED) return err;
    if (sc__vertex_at(engine, vertex)->has_urgent) {
        err = sc__search_within(engine, vertex, anywhere, &found);
        if (err || found) return err;
    }
    return is_new ? search_urgent(engine, vertex) : SC_OK;
}

// --- From one to another ---------------------------------------------------------

sc_err sc_engine_switch(sc_engine *engine, sc_variant variant)
{
    if (!sc_variant_is_switchable(variant) || !sc_variant_is_switchable(engine->options.variant)) {
        return SC_EINVAL;
    }
    if (variant == engine->options.variant) return SC_OK;
    engine->options.variant = variant;
    // Everybody's moments begin anew. For hybrid the first may be past: then the next run sees at
    // once, in the order of deadlines, who is urgent.
    for (size_t i = 0; i < engine->moments.count; i++) {
        sc__engine_moment *moment = &engine->moments.entries[i];
        const sc__pending *query = sc__pending_at(engine, moment->slot);
        moment->t = sc__first_moment(engine, query);
        if (query->state == SC__IN_GRAPH) sc__vertex_at(engine, query->vertex)->has_urgent = false;
    }
    sc__engine_moments_reorder(&engine->moments);
    return SC_OK;
}
