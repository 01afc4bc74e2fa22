// One try of a query that makes a region of its own. See alone.h.
//
// S begins with the query's own segment and grows, road by road, in the order of its method, until
// the query can be a member (circle.h says who can), or until it cannot any more. The members are
// all who can with the same roads.
#include "baselines/alone_internal.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "engine/candidate.h"
#include "engine/cloak_make.h"

// --- What was found -----------------------------------------------------------------

/** List those found, in the order in which they were added. */
static sc_err list_members(sc_engine *engine, size_t *member_count)
{
    sc__scratch *scratch = &engine->scratch;
    const sc__circle *circle = &engine->alone->circle;
    size_t count = 0;
    for (size_t i = 0; i < circle->left_count; i++) {
        const sc__mate *mate = &circle->mates[circle->left[i]];
        if (!mate->is_found) continue;
        if (!sc_grow(&scratch->placed, count, &scratch->placed_capacity, sizeof *scratch->placed)) {
            return SC_ENOMEM;
        }
        const sc__pending *query = sc__pending_at(engine, mate->slot);
        scratch->placed[count++] = (sc__placed){query->order, mate->slot};
    }
    sc__placed_sort(scratch->placed, count);
    *member_count = count;
    return SC_OK;
}

/** The chosen roads and those found on them become a candidate. On failure nothing has changed. */
static sc_err propose(sc_engine *engine)
{
    const sc__alone *alone = engine->alone;
    size_t member_count = 0;
    const sc_err err = list_members(engine, &member_count);
    if (err) return err;
    // Either end of a road may be a border node.
    sc_cloak *cloak = sc_cloak_new(0, 2 * alone->chosen_count, member_count);
    if (!cloak) return SC_ENOMEM;

    cloak->engine = engine;
    sc__candidate_of(cloak)->proposal = engine->next_proposal++;
    for (size_t i = 0; i < alone->chosen_count; i++) {
        cloak->segments[i] = alone->chosen[i];
    }
    cloak->segment_count = alone->chosen_count;
    sc_sort_u32(cloak->segments, cloak->segment_count);
    for (size_t i = 0; i < member_count; i++) {
        const sc__slot slot = engine->scratch.placed[i].slot;
        sc__alone_remove(engine, slot);
        sc__make_member(engine, cloak, i, slot, SC_NONE);
    }
    sc__offer(engine, cloak);
    return SC_OK;
}

// --- One try ------------------------------------------------------------------------

/** The roads around the one who tries, as its method takes them. */
typedef struct roads_ahead {
    sc__reach reach;
    sc__slot slot;
    unsigned end;  ///< within the region of this one
    uint32_t at;   ///< expansion: the next place of the nearest
} roads_ahead;

/** Get ready for the first road after the own one. */
static sc_err set_out(sc_engine *engine, sc__slot slot, unsigned end, roads_ahead *ahead)
{
    sc__alone *alone = engine->alone;
    const sc_query *query = &sc__pending_at(engine, slot)->query;
    const sc__mate *self = &alone->circle.mates[alone->circle.self];
    *ahead = (roads_ahead){
        .reach = {query->segment, query->max_hops, {self->regions[0], self->regions[1]}},
        .slot = slot,
        .end = end,
    };
    if (engine->options.variant != SC_VARIANT_SAMPLING) return SC_OK;
    return sc__draw_begin(&alone->draw, self->regions[end], query->max_hops, query->segment);
}

/** The next road, or SC_NONE. */
static sc_err go_on(sc_engine *engine, roads_ahead *ahead, sc_seg_id *out)
{
    sc__alone *alone = engine->alone;
    if (engine->options.variant == SC_VARIANT_SAMPLING) {
        *out = sc__draw_next(&alone->draw, engine->rng);
        return SC_OK;
    }
    const sc__reach *reach = &ahead->reach;
    do {
        const sc_err err = sc__nearest_at(engine, &alone->walks, reach,
                                          &alone->waits[ahead->slot].nearest, ahead->at++, out);
        if (err) return err;
    } while (*out != SC_NONE &&
             !sc__region_has(reach->regions[ahead->end], &engine->segments[*out], reach->max_hops));
    return SC_OK;
}

/** Let S grow within the region of that end, until it is enough or cannot become so. */
static sc_err grow(sc_engine *engine, sc__slot slot, unsigned end, bool *is_done)
{
    sc__alone *alone = engine->alone;
    sc__circle *circle = &alone->circle;
    roads_ahead ahead;
    sc_err err = set_out(engine, slot, end, &ahead);
    sc__circle_begin(circle, end);
    alone->chosen_count = 0;
    for (sc_seg_id road = ahead.reach.segment; !err && road != SC_NONE;) {
        if (!sc_grow(&alone->chosen, alone->chosen_count, &alone->chosen_capacity,
                     sizeof *alone->chosen)) {
            return SC_ENOMEM;
        }
        alone->chosen[alone->chosen_count++] = road;
        if (alone->chosen_count > 1) sc__circle_join(engine, circle, road);
        if (sc__circle_is_enough(engine, circle)) {
            *is_done = true;
            return propose(engine);
        }
        if (!sc__circle_has_hope(circle)) break;
        err = go_on(engine, &ahead, &road);
    }
    return err;
}

/** Leave out of the circle who cannot be in a cloak with the newcomer. */
static void leave_out_strangers(const sc__alone *alone, sc__circle *circle)
{
    size_t count = 0;
    for (size_t i = 0; i < circle->left_count; i++) {
        const sc__slot slot = circle->mates[circle->left[i]].slot;
        circle->left[count] = circle->left[i];
        count += alone->waits[slot].met == alone->newcomer_number;
    }
    circle->left_count = count;
}

/** Whether the last answer of the circle has the newcomer in it. */
static bool has_newcomer(const sc__alone *alone, const sc__circle *circle)
{
    for (size_t i = 0; i < circle->left_count; i++) {
        const sc__mate *mate = &circle->mates[circle->left[i]];
        if (mate->slot == alone->newcomer) return mate->is_found;
    }
    return false;
}

/** The ends around which a cloak with the newcomer in it might be found, as bits. */
static unsigned open_ends(const sc_engine *engine, const sc_query *query)
{
    const sc__alone *alone = engine->alone;
    sc__circle *circle = &engine->alone->circle;
    const unsigned end_count = sc__end_count(&engine->segments[query->segment]);
    unsigned open = 0;
    for (unsigned end = 0; end < end_count; end++) {
        if (!sc__has_enough_roads(engine, query, end)) continue;
        sc__circle_begin(circle, end);
        leave_out_strangers(alone, circle);
        if (!sc__circle_find_hope(circle) || !has_newcomer(alone, circle)) continue;
        open |= (unsigned)SC__END_A << end;
    }
    return open;
}

/** Which one of two ends comes first: by chance, or the one with the lesser id. */
static unsigned first_end(sc_engine *engine, const sc_query *query)
{
    if (engine->options.variant == SC_VARIANT_SAMPLING) return sc_rng_below(engine->rng, 2);
    const sc_segment *segment = &engine->segments[query->segment];
    return segment->star_a < segment->star_b ? 0 : 1;
}

sc_err sc__alone_try(sc_engine *engine, sc__slot slot)
{
    sc__alone *alone = engine->alone;
    const sc_query *query = &sc__pending_at(engine, slot)->query;
    sc_err err = sc__circle_gather(engine, &alone->circle, &alone->regions, alone->waiting, slot);
    if (err) return err;
    const unsigned open = open_ends(engine, query);
    if (open == 0) return SC_OK;

    engine->stats.searches++;
    unsigned end = open == SC__END_B;
    if (open == (SC__END_A | SC__END_B)) end = first_end(engine, query);
    bool is_done = false;
    err = grow(engine, slot, end, &is_done);
    if (err || is_done || open != (SC__END_A | SC__END_B)) return err;
    return grow(engine, slot, 1 - end, &is_done);
}
