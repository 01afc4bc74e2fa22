// One proposal: its cloak, the gateways of its members, and their replies. See own_proposal.h.
#include "worker/own_proposal.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <string.h>

void sc__own_proposal_free(sc__own_proposal *proposal)
{
    if (!proposal) return;
    if (proposal->wishes) {
        explicit_bzero(proposal->wishes, proposal->wish_count * sizeof *proposal->wishes);
        sc_free(proposal->wishes);
    }
    if (proposal->gone) {
        explicit_bzero(proposal->gone, proposal->gone_count * sizeof *proposal->gone);
        sc_free(proposal->gone);
    }
    explicit_bzero(proposal,
                   sizeof *proposal + proposal->gateway_count * sizeof *proposal->gateways);
    sc_free(proposal);
}

sc__party *sc__own_proposal_gateway(sc__own_proposal *proposal, sc_peer peer)
{
    for (size_t i = 0; i < proposal->gateway_count; i++) {
        if (proposal->gateways[i].peer == peer) return &proposal->gateways[i];
    }
    return NULL;
}

/** Who has members in it, and by when they must have their cloak. */
static void look_at_members(sc__own_proposal *proposal)
{
    const sc_cloak *cloak = proposal->cloak;
    proposal->last = cloak->deadline;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *query = &cloak->members[i].query;
        if (query->deadline > proposal->last) proposal->last = query->deadline;
        proposal->wish_room += query->owner != proposal->releaser;
        if (!sc__own_proposal_gateway(proposal, query->owner)) {
            proposal->gateways[proposal->gateway_count++].peer = query->owner;
        }
    }
    proposal->unsaid = proposal->gateway_count;
    proposal->is_released = proposal->gateway_count == 1;
}

sc__own_proposal *sc__own_proposal_new(sc_cloak *cloak, uint32_t part, sc_rng *rng)
{
    sc__own_proposal *made =
        sc_calloc(1, sizeof *made + cloak->member_count * sizeof *made->gateways);
    if (!made) return NULL;
    const uint64_t random[2] = {sc_rng_next(rng), sc_rng_next(rng)};
    _Static_assert(sizeof random == sizeof made->id.bytes, "an id is two random numbers");
    memcpy(made->id.bytes, random, sizeof random);
    made->cloak = cloak;
    made->part = part;
    made->deadline = cloak->deadline;
    const uint32_t drawn = sc_rng_below(rng, (uint32_t)cloak->member_count);
    made->releaser = cloak->members[drawn].query.owner;
    look_at_members(made);
    if (made->wish_room == 0) return made;
    made->wishes = sc_malloc_array(made->wish_room, sizeof *made->wishes);
    if (made->wishes) return made;
    sc__own_proposal_free(made);
    return NULL;
}

void sc__own_proposal_name_gone(sc__own_proposal *proposal)
{
    const sc_cloak *cloak = proposal->cloak;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *query = &cloak->members[i].query;
        if (!sc__own_proposal_gateway(proposal, query->owner)->is_gone) continue;
        if (!proposal->gone)
            proposal->gone = sc_malloc_array(cloak->member_count, sizeof *proposal->gone);
        if (!proposal->gone) return;
        proposal->gone[proposal->gone_count++] = query->id;
    }
}

/** There may be none: a cloak can be without stars, or without a border. */
static void copy(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0) memcpy(to, from, count * size);
}

/** All that the cloak knows. */
static sc_proposal *copy_cloak(const sc_cloak *cloak)
{
    sc_proposal *proposal = sc_proposal_new(cloak->star_count, cloak->segment_count,
                                            cloak->border_node_count, cloak->member_count);
    if (!proposal) return NULL;
    copy(proposal->stars, cloak->stars, cloak->star_count, sizeof *proposal->stars);
    copy(proposal->segments, cloak->segments, cloak->segment_count, sizeof *proposal->segments);
    copy(proposal->border_nodes, cloak->border_nodes, cloak->border_node_count,
         sizeof *proposal->border_nodes);
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_member *member = &cloak->members[i];
        proposal->members[i] = (sc_proposal_member){.query = member->query, .star = member->star};
        proposal->members[i].query.own = NULL;  // its gateway knows
    }
    return proposal;
}

/** As gateways are told of it. */
static sc_proposal *describe(sc_peer self, uint32_t engine_thread, const sc__own_proposal *proposal)
{
    sc_proposal *told = copy_cloak(proposal->cloak);
    if (!told) return NULL;
    told->id = proposal->id;
    told->worker = self;
    told->engine_thread = engine_thread;
    told->part = proposal->part;
    told->releaser = proposal->releaser;
    told->is_single = proposal->gateway_count == 1;
    told->deadline = proposal->deadline;
    told->last = proposal->last;
    return told;
}

sc_proposal **sc__own_proposal_tell(sc_peer self, uint32_t engine_thread,
                                    const sc__own_proposal *proposal)
{
    sc_proposal **told = sc_calloc(proposal->gateway_count, sizeof(sc_proposal *));
    if (!told) return NULL;
    size_t count = 0;
    while (count < proposal->gateway_count &&
           (told[count] = describe(self, engine_thread, proposal))) {
        count++;
    }
    if (count == proposal->gateway_count) return told;
    while (count > 0) {
        sc_proposal_free(told[--count]);
    }
    sc_free(told);
    return NULL;
}
