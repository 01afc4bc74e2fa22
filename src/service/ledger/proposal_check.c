// The paranoid look: every promise of a proposal, checked by the verifier before it is reserved.
#include "base/alloc.h"
#include "ledger/state_internal.h"

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

sc_err sc__examine(sc__examiner *examiner, const sc_reservation *reservation, sc_time now)
{
    const sc_proposal *proposal = reservation->proposal;
    if (!sc_reserve(&examiner->members, proposal->member_count, &examiner->member_capacity,
                    sizeof *examiner->members)) {
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < proposal->member_count; i++) {
        examiner->members[i] = claim_of(&proposal->members[i].query, proposal->members[i].star);
    }
    for (const sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        const size_t place = ticket->place;
        examiner->members[place] = claim_of(&ticket->query, proposal->members[place].star);
    }
    const sc_claim claim = {
        .stars = proposal->stars,
        .star_count = proposal->star_count,
        .segments = proposal->segments,
        .segment_count = proposal->segment_count,
        .border_nodes = proposal->border_nodes,
        .border_node_count = proposal->border_node_count,
        .members = examiner->members,
        .member_count = proposal->member_count,
        .t_us = now,
    };
    unsigned broken = 0;
    const sc_err err = sc_verifier_check_claim(examiner->verifier, &claim, &broken, NULL);
    explicit_bzero(examiner->members, proposal->member_count * sizeof *examiner->members);
    if (err) return err;
    return broken == 0 ? SC_OK : SC_EBROKEN;
}
