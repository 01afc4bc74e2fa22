// The last look at a cloak. See paranoid.h.
//
// The verifier shares nothing with the engine, so the cloak is told to it as a
// claim, in its own words.
#include "engine/paranoid.h"

#include "base/alloc.h"
#include "base/diag.h"

sc_err sc__doubt(sc_engine *engine, const sc_cloak *cloak, sc_time now, sc_diag *diag)
{
    sc_claim_member *members = sc_malloc_array(cloak->member_count, sizeof *members);
    if (!members) return sc_fail_memory(diag, "checking a cloak");
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_member *member = &cloak->members[i];
        const sc__slot slot = sc__ids_find(&engine->ids, &engine->pending, &member->query.id);
        const sc_query *query = &sc__pending_at(engine, slot)->query;
        members[i] = (sc_claim_member){
            .user = query->user,
            .segment = query->segment,
            .star = member->star,
            .k = query->k,
            .l = query->l,
            .max_hops = query->max_hops,
            .deadline_us = query->deadline,
        };
    }
    const sc_claim claim = {
        .stars = cloak->stars,
        .star_count = cloak->star_count,
        .segments = cloak->segments,
        .segment_count = cloak->segment_count,
        .border_nodes = cloak->border_nodes,
        .border_node_count = cloak->border_node_count,
        .members = members,
        .member_count = cloak->member_count,
        .t_us = now,
    };
    unsigned broken = 0;
    sc_err err = sc_verifier_check_claim(engine->verifier, &claim, &broken, diag);
    sc_free(members);
    if (!err && broken != 0) {
        engine->stats.broken++;
        err = SC_EBROKEN;
    }
    return err;
}
