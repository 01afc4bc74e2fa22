// A bid of this worker's. See own_bid.h.
#include "worker/own_bid.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <string.h>

sc__party *sc__own_bid_party(sc__own_bid *bid, sc_peer peer)
{
    for (size_t i = 0; i < bid->gateway_count; i++) {
        if (bid->gateways[i].peer == peer) return &bid->gateways[i];
    }
    return NULL;
}

/** Who has members in it, and by when they must have their cloak. */
static void look_at_members(sc__own_bid *bid)
{
    const sc_cloak *cloak = bid->cloak;
    bid->last = cloak->deadline;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *query = &cloak->members[i].query;
        if (query->deadline > bid->last) bid->last = query->deadline;
        bid->wish_room += query->owner != bid->releaser;
        if (!sc__own_bid_party(bid, query->owner)) {
            bid->gateways[bid->gateway_count++].peer = query->owner;
        }
    }
    bid->unsaid = bid->gateway_count;
    bid->is_released = bid->gateway_count == 1;
}

sc__own_bid *sc__own_bid_new(sc_cloak *cloak, uint32_t part, sc_rng *rng)
{
    sc__own_bid *made = sc_calloc(1, sizeof *made + cloak->member_count * sizeof *made->gateways);
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
    sc__own_bid_free(made);
    return NULL;
}

void sc__own_bid_free(sc__own_bid *bid)
{
    if (!bid) return;
    if (bid->wishes) {
        explicit_bzero(bid->wishes, bid->wish_count * sizeof *bid->wishes);
        sc_free(bid->wishes);
    }
    if (bid->gone) {
        explicit_bzero(bid->gone, bid->gone_count * sizeof *bid->gone);
        sc_free(bid->gone);
    }
    explicit_bzero(bid, sizeof *bid + bid->gateway_count * sizeof *bid->gateways);
    sc_free(bid);
}

void sc__own_bid_name_gone(sc__own_bid *bid)
{
    const sc_cloak *cloak = bid->cloak;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *query = &cloak->members[i].query;
        if (!sc__own_bid_party(bid, query->owner)->is_gone) continue;
        if (!bid->gone) bid->gone = sc_malloc_array(cloak->member_count, sizeof *bid->gone);
        if (!bid->gone) return;
        bid->gone[bid->gone_count++] = query->id;
    }
}

/** There may be none: a cloak can be without stars, or without a border. */
static void copy(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0) memcpy(to, from, count * size);
}

/** All that the cloak knows. */
static sc_bid *copy_cloak(const sc_cloak *cloak)
{
    sc_bid *bid = sc_bid_new(cloak->star_count, cloak->segment_count, cloak->border_node_count,
                             cloak->member_count);
    if (!bid) return NULL;
    copy(bid->stars, cloak->stars, cloak->star_count, sizeof *bid->stars);
    copy(bid->segments, cloak->segments, cloak->segment_count, sizeof *bid->segments);
    copy(bid->border_nodes, cloak->border_nodes, cloak->border_node_count,
         sizeof *bid->border_nodes);
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_member *member = &cloak->members[i];
        bid->members[i] = (sc_bid_member){.query = member->query, .star = member->star};
    }
    return bid;
}

/** As gateways are told of it. */
static sc_bid *describe(const sc__bids_options *options, const sc__own_bid *bid)
{
    sc_bid *told = copy_cloak(bid->cloak);
    if (!told) return NULL;
    told->id = bid->id;
    told->worker = options->self;
    told->room = options->room;
    told->part = bid->part;
    told->releaser = bid->releaser;
    told->is_single = bid->gateway_count == 1;
    told->deadline = bid->deadline;
    told->last = bid->last;
    return told;
}

sc_bid **sc__own_bid_tell(const sc__bids_options *options, const sc__own_bid *bid)
{
    sc_bid **told = sc_calloc(bid->gateway_count, sizeof(sc_bid *));
    if (!told) return NULL;
    size_t count = 0;
    while (count < bid->gateway_count && (told[count] = describe(options, bid))) {
        count++;
    }
    if (count == bid->gateway_count) return told;
    while (count > 0) {
        sc_bid_free(told[--count]);
    }
    sc_free(told);
    return NULL;
}
