// Patient: a query waits at both ends of its road, and a search is made for the most urgent one.
// docs/engine.md ("Patient") has the rules.
//
// Three things differ from basic. Which end of its road is a query's star is decided when its cloak
// is made, so no query is lost to the wrong choice of an end. When a query comes, the search starts
// from the query in reach whose deadline is nearest, since the newcomer has time. And it is made
// only if there is a choice of members (`crowd`) or if that query is urgent (`alpha`).
//
// Invariants, between any two calls:
//  1. A query of state SC__IN_GRAPH has one or two listings (listing.h).
//  2. Queries that became urgent and were not searched from are in `urgent`, linked by `previous`
//     and `next`; the newcomer is listed and has not looked around. engine->to_search counts both.
//     There are some only if a run has stopped for lack of memory.
#include "engine/patient.h"

#include "base/alloc.h"

#include <string.h>

// --- Life --------------------------------------------------------------------

static void close_method(sc_engine *engine)
{
    sc__patient *own = engine->method_state;
    if (!own) return;
    sc__listing_free_balls(engine);
    for (size_t i = 0; i < engine->vertices.chunk_count; i++) {
        explicit_bzero(engine->vertices.chunks[i], SC_ITEM_POOL_CHUNK * sizeof(sc__listing));
    }
    sc__together_fini(own);
    sc__settle_fini(own);
    sc_free(own);
    engine->method_state = NULL;
}

static sc_err open_method(sc_engine *engine)
{
    sc__patient *own = sc_calloc(1, sizeof *own);
    if (!own) return SC_ENOMEM;
    own->newcomer = SC_NONE;
    own->urgent = SC__LIST_EMPTY;
    engine->method_state = own;
    own->kept_balls = sc_calloc(SC__KEPT_BALLS, sizeof *own->kept_balls);
    if (!own->kept_balls) return SC_ENOMEM;  // close_method() follows
    sc_item_pool_init(&engine->vertices, sizeof(sc__listing));
    return SC_OK;
}

// --- Coming and going ----------------------------------------------------------

static sc_err is_feasible(sc_engine *engine, sc__slot slot, bool *out)
{
    sc__patient *own = engine->method_state;
    const sc_err err =
        sc__listing_prepare(engine, &sc__pending_at(engine, slot)->query, &own->ends);
    if (!err) *out = own->ends.count > 0;
    return err;
}

static void add(sc_engine *engine, sc__slot slot)
{
    sc__patient *own = engine->method_state;
    sc__listing_add(engine, slot, &own->ends);
    if (sc__pending_at(engine, slot)->is_company) return;
    own->newcomer = slot;
    engine->to_search++;
}

/** A query has become urgent: it is searched from before the next query of the queue. */
static void become_urgent(sc_engine *engine, sc__slot slot)
{
    sc__patient *own = engine->method_state;
    sc__list_append(engine, &own->urgent, slot);
    sc__pending_at(engine, slot)->is_owed = true;
    engine->to_search++;
}

static void end_owing(sc_engine *engine, sc__slot slot)
{
    sc__patient *own = engine->method_state;
    sc__list_remove(engine, &own->urgent, slot);
    sc__pending_at(engine, slot)->is_owed = false;
    engine->to_search--;
}

void sc__patient_let_go(sc_engine *engine, sc__slot slot)
{
    sc__patient *own = engine->method_state;
    if (own->newcomer == slot) {
        own->newcomer = SC_NONE;
        engine->to_search--;
    }
    if (sc__pending_at(engine, slot)->is_owed) end_owing(engine, slot);
    sc__listing_remove(engine, slot);
}

// --- Looking around -------------------------------------------------------------

/** What a newcomer sees: how many could join it, and the one whose deadline is nearest. */
typedef struct surroundings {
    uint32_t crowd;        ///< 1 and the listings it counts on, at the end where there are more
    const sc__listing *u;  ///< of the most urgent query
} surroundings;

static bool is_more_urgent(const sc__listing *a, const sc__listing *b)
{
    return a->deadline != b->deadline ? a->deadline < b->deadline : a->order < b->order;
}

/**
 * Look at all listings in reach of one of the newcomer's. Sets `u` to the most urgent of those that
 * want at most `most_k`, if it is before `u`; raises `crowd` to 1 and those in reach whose k is not
 * too large for the newcomer (k_spread).
 */
static sc_err look_from(sc_engine *engine, const sc__listing *from, uint32_t most_k,
                        surroundings *seen)
{
    const sc__patient *own = engine->method_state;
    size_t active_count;
    const sc_err err = sc__list_stars_in_use(engine, from, &active_count);
    if (err) return err;
    const uint64_t counted_k = sc__listing_most_k(engine, from);
    uint32_t crowd = 1;
    for (size_t i = 0; i < active_count; i++) {
        for (sc__slot at = own->active[i].vertex; at != SC_NONE;) {
            const sc__listing *other = sc__listing_at(engine, at);
            at = other->next;
            if (!sc__listing_reaches(from, other, own->active[i].hops)) continue;
            crowd += other->k <= counted_k;
            if (other->is_company || other->k > most_k) continue;
            if (is_more_urgent(other, seen->u)) seen->u = other;
        }
    }
    if (crowd > seen->crowd) seen->crowd = crowd;
    return SC_OK;
}

static sc_err look_around(sc_engine *engine, const sc__listing *n, uint32_t most_k,
                          surroundings *out)
{
    *out = (surroundings){.u = n};
    const sc_err err = look_from(engine, n, most_k, out);
    if (err || n->twin == SC_NONE) return err;
    return look_from(engine, sc__listing_at(engine, n->twin), most_k, out);
}

/** A newcomer looks around, and perhaps there is a search from the most urgent. */
static sc_err search_for_newcomer(sc_engine *engine, sc__slot slot)
{
    const sc__listing *n = sc__listing_at(engine, sc__pending_at(engine, slot)->vertex);
    surroundings seen;
    sc_err err = look_around(engine, n, UINT32_MAX, &seen);
    // A query that wants more users than there are is not searched from, but for the newcomer.
    if (!err && seen.u->query != slot && seen.u->k > seen.crowd) {
        err = look_around(engine, n, seen.crowd, &seen);
    }
    if (err) return err;
    const bool is_crowd = seen.crowd >= (uint64_t)engine->options.crowd * n->k;
    if (!is_crowd && !sc__is_urgent(engine, sc__pending_at(engine, seen.u->query))) return SC_OK;
    return sc__search_together(engine, seen.u->query);
}

/** Search for the newcomer that looks around, then from all that became urgent. */
static sc_err search_all(sc_engine *engine)
{
    sc__patient *own = engine->method_state;
    while (engine->to_search > 0) {
        const bool is_newcomer = own->newcomer != SC_NONE;
        const sc__slot slot = is_newcomer ? own->newcomer : own->urgent.first;
        const sc_err err =
            is_newcomer ? search_for_newcomer(engine, slot) : sc__search_together(engine, slot);
        if (err) return err;
        // If it became a member, it is not owed a search any more.
        if (is_newcomer && own->newcomer == slot) {
            own->newcomer = SC_NONE;
            engine->to_search--;
        } else if (!is_newcomer && own->urgent.first == slot) {
            end_owing(engine, slot);
        }
    }
    return SC_OK;
}

const sc__engine_method sc__patient_method = {
    .open = open_method,
    .close = close_method,
    .is_feasible = is_feasible,
    .add = add,
    .remove = sc__patient_let_go,
    .become_urgent = become_urgent,
    .search_all = search_all,
};
