// Whether a proposal keeps its promises, by the verifier, before it is reserved: P1 to P7, and what
// all members demand beyond that (P3 strict, P13, P14). What single members demand (P9, P12) is
// known of our own alone, from their tickets: it does not come with a proposal.
#include "base/alloc.h"
#include "ledger/state_internal.h"

#include <string.h>

sc_err sc__examiner_init(sc__examiner *examiner, const sc_map *map, const sc_demands *demands)
{
    *examiner = (sc__examiner){.demands = {.density = demands->density,
                                           .traffic = demands->traffic,
                                           .is_strict = demands->is_strict,
                                           .classes = demands->classes}};
    return sc_verifier_new(map, &examiner->verifier);
}

void sc__examiner_fini(sc__examiner *examiner)
{
    sc_verifier_free(examiner->verifier);
    sc_free(examiner->members);
    sc_free(examiner->own);
    sc_free(examiner->parts);
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

/** What a member of ours asks itself; where its user can be comes to stand at `parts`. */
static sc_claim_own claim_own(const sc_own_demands *own, sc_claim_part *parts)
{
    sc_claim_own out = {.zone = own->zone, .zone_count = own->zone_count};
    if (!own->has_reached) return out;
    for (size_t i = 0; i < own->reached_count; i++) {
        parts[i] = (sc_claim_part){own->reached[i].segment, own->reached[i].part};
    }
    out.reached = parts;
    out.reached_count = own->reached_count;
    out.has_reached = true;
    return out;
}

static size_t part_count(const sc_ticket *ticket)
{
    const sc_own_demands *own = ticket->query.own;
    return own && own->has_reached ? own->reached_count : 0;
}

/** Get the memory; `*parts` is set to how many there are in all. */
static bool make_room(sc__examiner *examiner, const sc_reservation *reservation, size_t *parts)
{
    const size_t members = reservation->proposal->member_count;
    *parts = 0;
    for (const sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        *parts += part_count(ticket);
    }
    return sc_reserve(&examiner->members, members, &examiner->member_capacity,
                      sizeof *examiner->members) &&
           sc_reserve(&examiner->own, members, &examiner->own_capacity, sizeof *examiner->own) &&
           sc_reserve(&examiner->parts, *parts, &examiner->part_capacity, sizeof *examiner->parts);
}

static void fill(sc__examiner *examiner, const sc_reservation *reservation)
{
    const sc_proposal *proposal = reservation->proposal;
    sc_claim_part *parts = examiner->parts;
    for (size_t i = 0; i < proposal->member_count; i++) {
        examiner->members[i] = claim_of(&proposal->members[i].query, proposal->members[i].star);
    }
    for (const sc_ticket *ticket = reservation->members; ticket; ticket = ticket->next) {
        const size_t place = ticket->place;
        sc_claim_member *member = &examiner->members[place];
        *member = claim_of(&ticket->query, proposal->members[place].star);
        if (!ticket->query.own) continue;
        examiner->own[place] = claim_own(ticket->query.own, parts);
        member->own = &examiner->own[place];
        if (parts) parts += part_count(ticket);
    }
}

/** What it held tells where members are, and where their users have been. */
static void wipe(void *memory, size_t count, size_t size)
{
    if (count > 0) explicit_bzero(memory, count * size);
}

sc_err sc__examine(sc__examiner *examiner, const sc_reservation *reservation, sc_time now)
{
    const sc_proposal *proposal = reservation->proposal;
    size_t parts = 0;
    if (!make_room(examiner, reservation, &parts)) return SC_ENOMEM;
    fill(examiner, reservation);
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
        .demands = &examiner->demands,
    };
    unsigned broken = 0;
    const sc_err err = sc_verifier_check_claim(examiner->verifier, &claim, &broken, NULL);
    wipe(examiner->members, proposal->member_count, sizeof *examiner->members);
    wipe(examiner->own, proposal->member_count, sizeof *examiner->own);
    wipe(examiner->parts, parts, sizeof *examiner->parts);
    if (err) return err;
    return broken == 0 ? SC_OK : SC_EBROKEN;
}
