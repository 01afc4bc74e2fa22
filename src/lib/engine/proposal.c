// Proposals: what a search found, until the caller says yes or no.
//
// The caller knows more than the engine: a client may have gone, or another engine
// may have cloaked the same query. So a candidate's members are only set aside. If
// the cloak is accepted they are forgotten; if it is refused, those still open go
// back to the queue, and nothing was lost but a little time.
#include <starcloak/engine.h>

#include "base/diag.h"
#include "engine/candidate.h"
#include "engine/cloak_make.h"
#include "engine/engine_internal.h"
#include "engine/paranoid.h"

sc_cloak *sc_engine_take_candidate(sc_engine *engine)
{
    sc_cloak *cloak = engine->first_candidate;
    if (!cloak) return NULL;
    engine->first_candidate = sc__candidate_of(cloak)->next;
    if (!engine->first_candidate) engine->last_candidate = NULL;
    sc__candidate_of(cloak)->next = NULL;
    return cloak;
}

/** The query of that id, if it is proposed in this very cloak; else SC_NONE. */
static sc__slot find_member(const sc_engine *engine, const sc_cloak *cloak, const sc_query_id *id)
{
    const uint64_t proposal = ((const sc__candidate *)cloak)->proposal;
    const sc__slot slot = sc__ids_find(&engine->ids, &engine->pending, id);
    if (slot == SC_NONE) return SC_NONE;
    const sc__pending *query = sc__pending_at(engine, slot);
    const bool is_here = query->state == SC__PROPOSED && query->proposal == (uint32_t)proposal;
    return is_here ? slot : SC_NONE;
}

/**
 * List the members of a proposal in the engine's scratch, in the order in which they were
 * added. The cloak has been in other hands: false if it is not one of ours, or names
 * somebody twice. Needs no memory, since its making has needed as much.
 */
static bool list_members(sc_engine *engine, const sc_cloak *cloak)
{
    const sc__scratch *scratch = &engine->scratch;
    const size_t count = cloak->member_count;
    if (cloak->engine != engine || count == 0 || count > scratch->placed_capacity) return false;
    for (size_t i = 0; i < count; i++) {
        const sc__slot slot = find_member(engine, cloak, &cloak->members[i].query.id);
        if (slot == SC_NONE) return false;
        scratch->placed[i] = (sc__placed){sc__pending_at(engine, slot)->order, slot};
    }
    sc__placed_sort(scratch->placed, count);
    for (size_t i = 1; i < count; i++) {
        if (scratch->placed[i].slot == scratch->placed[i - 1].slot) return false;
    }
    return true;
}

/** A member leaves the proposal: no longer counted as proposed. */
static void let_go(sc_engine *engine, const sc__pending *query)
{
    if (query->is_company) {
        engine->stats.company_held--;
    } else {
        engine->stats.proposed--;
    }
}

sc_err sc_engine_accept(sc_engine *engine, const sc_cloak *cloak, sc_time now, sc_diag *diag)
{
    const sc__placed *members = engine->scratch.placed;
    // Whoever brings it may have looked at the clock before the engine did.
    if (now < engine->now) now = engine->now;
    if (!list_members(engine, cloak)) {
        return sc_fail(diag, SC_EINVAL, "accept: not a proposal of this engine");
    }
    if (!cloak->is_pruned) {
        return sc_fail(diag, SC_EINVAL,
                       "accept: the candidate has not been pruned; prune it first");
    }
    for (size_t i = 0; i < cloak->member_count; i++) {
        if (sc__pending_at(engine, members[i].slot)->query.deadline < now) {
            return sc_fail(diag, SC_ELATE, "accept: a member's deadline has passed; refuse it");
        }
    }
    if (engine->verifier) {
        const sc_err err = sc__doubt(engine, cloak, now, diag);
        if (err) return err;
    }
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc__pending *query = sc__pending_at(engine, members[i].slot);
        let_go(engine, query);
        if (query->is_company) {
            engine->stats.company_accepted++;
        } else {
            engine->stats.accepted++;
        }
        sc__forget(engine, members[i].slot);
    }
    engine->stats.cloaks++;
    return SC_OK;
}

sc_err sc_engine_refuse(sc_engine *engine, const sc_cloak *cloak, const sc_query_id *gone,
                        size_t gone_count)
{
    const sc__placed *members = engine->scratch.placed;
    if (!list_members(engine, cloak)) return SC_EINVAL;
    for (size_t i = 0; i < gone_count; i++) {
        const sc__slot slot = find_member(engine, cloak, &gone[i]);
        if (slot != SC_NONE) sc__pending_at(engine, slot)->is_gone = true;
    }
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc__slot slot = members[i].slot;
        const sc__pending *query = sc__pending_at(engine, slot);
        let_go(engine, query);
        if (!query->is_gone) {
            sc__enqueue(engine, slot);
            continue;
        }
        if (!query->is_company) engine->stats.removed++;
        sc__forget(engine, slot);
    }
    engine->stats.refused++;
    return SC_OK;
}
