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

static sc_claim_member claim_of(const sc_query *query, sc_star_id star)
{
    return (sc_claim_member){
        .user = query->user,
        .segment = query->segment,
        .star = star,
        .k = query->k,
        .l = query->l,
        .max_hops = query->max_hops,
        .deadline_us = query->deadline,
    };
}

sc_err sc__examine(sc__examiner *examiner, const sc_proposal *proposal, sc_time now)
{
    const sc_bid *bid = proposal->bid;
    if (!sc_reserve(&examiner->members, bid->member_count, &examiner->member_capacity,
                    sizeof *examiner->members)) {
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < bid->member_count; i++) {
        examiner->members[i] = claim_of(&bid->members[i].query, bid->members[i].star);
    }
    for (const sc_ticket *ticket = proposal->members; ticket; ticket = ticket->next) {
        const size_t place = ticket->place;
        examiner->members[place] = claim_of(&ticket->query, bid->members[place].star);
    }
    const sc_claim claim = {
        .stars = bid->stars,
        .star_count = bid->star_count,
        .segments = bid->segments,
        .segment_count = bid->segment_count,
        .border_nodes = bid->border_nodes,
        .border_node_count = bid->border_node_count,
        .members = examiner->members,
        .member_count = bid->member_count,
        .t_us = now,
    };
    unsigned broken = 0;
    const sc_err err = sc_verifier_check_claim(examiner->verifier, &claim, &broken, NULL);
    explicit_bzero(examiner->members, bid->member_count * sizeof *examiner->members);
    if (err) return err;
    return broken == 0 ? SC_OK : SC_EBROKEN;
}
