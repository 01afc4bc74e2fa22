// A proposal as a claim, in the verifier's own words. See examine.h.
#include "ledger/examine.h"

#include "base/alloc.h"

#include <string.h>

void sc__examiner_fini(sc__examiner *examiner)
{
    sc_verifier_free(examiner->verifier);
    sc_free(examiner->members);
    *examiner = (sc__examiner){0};
}

sc_err sc__examine(sc__examiner *examiner, const sc_proposal *proposal, sc_time now)
{
    const sc_cloak *cloak = proposal->cloak;
    if (!sc_reserve(&examiner->members, cloak->member_count, &examiner->member_capacity,
                    sizeof *examiner->members)) {
        return SC_ENOMEM;
    }
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        examiner->members[ticket->place] = (sc_claim_member){
            .user = ticket->query.user,
            .segment = ticket->query.segment,
            .star = cloak->members[ticket->place].star,
            .k = ticket->query.k,
            .l = ticket->query.l,
            .max_hops = ticket->query.max_hops,
            .deadline_us = ticket->query.deadline,
        };
    }
    const sc_claim claim = {
        .stars = cloak->stars,
        .star_count = cloak->star_count,
        .segments = cloak->segments,
        .segment_count = cloak->segment_count,
        .border_nodes = cloak->border_nodes,
        .border_node_count = cloak->border_node_count,
        .members = examiner->members,
        .member_count = cloak->member_count,
        .t_us = now,
    };
    unsigned broken = 0;
    const sc_err err = sc_verify_claim(examiner->verifier, &claim, &broken, NULL);
    explicit_bzero(examiner->members, cloak->member_count * sizeof *examiner->members);
    if (err) return err;
    return broken == 0 ? SC_OK : SC_EBROKEN;
}
