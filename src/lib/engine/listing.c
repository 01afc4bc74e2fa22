// Listings: queries of a patient engine at both ends of their roads. listing.h has the idea.
//
// Balls are made before anything is listed, so that listing cannot fail halfway: a ball that is
// made for a star without listings is kept in `spare` until the listing takes it.
//
// A query makes two stars active for a few seconds, and stars on busy roads again and again.
// Walking the map for each ball was an eighth of the engine's time, so the balls of stars that were
// active before are kept: one for each remainder of the star's number.
#include "engine/listing.h"

#include "base/alloc.h"
#include "engine/patient.h"

/** Whether the roads within a query's hops of `star` are enough for it. */
static sc_err will_do(sc_engine *engine, const sc_query *query, sc_star_id star, bool *out)
{
    return sc__ball_meets_query(engine, star, sc__listing_hops(query), query, out);
}

static sc_err find_ends(sc_engine *engine, const sc_query *query, sc__listing_ends *out)
{
    const sc_segment *segment = &engine->segments[query->segment];
    const sc_star_id ends[] = {segment->star_a, segment->star_b};
    const bool has_two = ends[1] != SC_NONE && ends[1] != ends[0];
    out->count = 0;
    for (unsigned i = 0; i < 1u + has_two; i++) {
        bool is_enough = false;
        const sc_err err = will_do(engine, query, ends[i], &is_enough);
        if (err) return err;
        if (is_enough) out->stars[out->count++] = ends[i];
    }
    return SC_OK;
}

// --- Balls -------------------------------------------------------------------

/** Let the ball of an active star reach `max_hops`. */
static sc_err stretch(sc_engine *engine, sc__slot first, uint32_t max_hops)
{
    sc__ball *old = sc__listing_at(engine, first)->ball;
    if (sc__ball_reaches(old, max_hops)) return SC_OK;
    sc__ball *ball;
    const sc_err err = sc__ball_new(engine, sc__listing_at(engine, first)->star, max_hops, &ball);
    if (err) return err;
    for (sc__slot at = first; at != SC_NONE; at = sc__listing_at(engine, at)->next) {
        sc__listing_at(engine, at)->ball = ball;
    }
    sc__ball_free(engine, old);
    return SC_OK;
}

static sc__kept_ball *kept_at(const sc_engine *engine, sc_star_id star)
{
    const sc__patient *own = engine->method_state;
    return &own->kept_balls[star % SC__KEPT_BALLS];
}

/** Keep the ball of a star for the next time, in place of another star's. */
static void keep_ball(sc_engine *engine, sc_star_id star, sc__ball *ball)
{
    sc__kept_ball *kept = kept_at(engine, star);
    sc__ball_free(engine, kept->ball);
    *kept = (sc__kept_ball){ball, star};
}

sc_err sc__ball_of(sc_engine *engine, sc_star_id star, uint32_t max_hops, const sc__ball **out)
{
    sc__patient *own = engine->method_state;
    const sc__slot first = sc__first_vertex(engine, star);
    if (first != SC_NONE && sc__ball_reaches(sc__listing_at(engine, first)->ball, max_hops)) {
        *out = sc__listing_at(engine, first)->ball;
        return SC_OK;
    }
    const sc__kept_ball *kept = kept_at(engine, star);
    if (kept->ball && kept->star == star && sc__ball_reaches(kept->ball, max_hops)) {
        *out = kept->ball;
        return SC_OK;
    }
    // A walk numbers its stars; those of the search keep theirs.
    const sc__numbers numbers = engine->numbers;
    engine->numbers = own->walk_numbers;
    sc__ball *ball = NULL;
    const sc_err err = sc__ball_new(engine, star, max_hops, &ball);
    own->walk_numbers = engine->numbers;
    engine->numbers = numbers;
    if (err) return err;
    keep_ball(engine, star, ball);
    *out = ball;
    return SC_OK;
}

void sc__listing_free_balls(sc_engine *engine)
{
    sc__patient *own = engine->method_state;
    for (size_t i = 0; own->kept_balls && i < SC__KEPT_BALLS; i++) {
        sc__ball_free(engine, own->kept_balls[i].ball);
    }
    sc_free(own->kept_balls);
    sc__ball_free(engine, own->spare_balls[0]);
    sc__ball_free(engine, own->spare_balls[1]);
    const uint32_t star_count = engine->not_first_vertex ? sc_map_star_count(engine->map) : 0;
    // All others go with the store.
    for (sc_star_id i = 0; i < star_count && engine->balls.large_count > 0; i++) {
        const sc__slot first = sc__first_vertex(engine, i);
        if (first != SC_NONE) sc__ball_free(engine, sc__listing_at(engine, first)->ball);
    }
}

/** A ball for the listing to come at an end: kept in `*spare` if the star is not active. */
static sc_err prepare_ball(sc_engine *engine, sc_star_id star, uint32_t max_hops, sc__ball **spare)
{
    const sc__slot first = sc__first_vertex(engine, star);
    if (first != SC_NONE) return stretch(engine, first, max_hops);
    sc__ball_free(engine, *spare);  // of a run that stopped for lack of memory
    *spare = NULL;
    sc__kept_ball *kept = kept_at(engine, star);
    if (kept->ball && kept->star == star && sc__ball_reaches(kept->ball, max_hops)) {
        *spare = kept->ball;
        kept->ball = NULL;
        return SC_OK;
    }
    return sc__ball_new(engine, star, max_hops, spare);
}

sc_err sc__listing_prepare(sc_engine *engine, const sc_query *query, sc__listing_ends *out)
{
    sc__patient *own = engine->method_state;
    sc_err err = find_ends(engine, query, out);
    for (unsigned i = 0; !err && i < out->count; i++) {
        err = prepare_ball(engine, out->stars[i], sc__listing_hops(query), &own->spare_balls[i]);
    }
    // The pool promises one item after a reserve: one is taken, and given back below.
    if (!err) err = sc_item_pool_reserve(&engine->vertices);
    if (err || out->count < 2) return err;
    const sc__slot first = sc_item_pool_take(&engine->vertices);
    err = sc_item_pool_reserve(&engine->vertices);
    sc_item_pool_give(&engine->vertices, first);
    return err;
}

// --- Coming and going ----------------------------------------------------------

/** Put a listing behind the others of its star. */
static void put_last(sc_engine *engine, sc__slot made, sc__ball **spare)
{
    sc__listing *listing = sc__listing_at(engine, made);
    const sc__slot first = sc__first_vertex(engine, listing->star);
    listing->next = SC_NONE;
    if (first == SC_NONE) {
        engine->stats.active_stars++;
        sc__set_first_vertex(engine, listing->star, made);
        listing->previous = made;
        listing->ball = *spare;
        *spare = NULL;
        return;
    }
    // The first names the last as the one before it.
    sc__listing *head = sc__listing_at(engine, first);
    listing->ball = head->ball;
    listing->previous = head->previous;
    sc__listing_at(engine, head->previous)->next = made;
    head->previous = made;
}

void sc__listing_add(sc_engine *engine, sc__slot slot, const sc__listing_ends *ends)
{
    sc__patient *own = engine->method_state;
    sc__pending *query = sc__pending_at(engine, slot);
    sc__slot made[2] = {SC_NONE, SC_NONE};
    for (unsigned i = 0; i < ends->count; i++) {
        made[i] = sc_item_pool_take(&engine->vertices);
    }
    for (unsigned i = 0; i < ends->count; i++) {
        *sc__listing_at(engine, made[i]) = (sc__listing){
            .user = query->query.user,
            .deadline = query->query.deadline,
            .order = query->order & ((UINT64_C(1) << 61) - 1),
            .is_company = query->is_company,
            .is_second = i == 1,
            .has_own = query->query.own != NULL,
            .query = slot,
            .star = ends->stars[i],
            .twin = made[1 - i],
            .k = query->query.k,
            .l = query->query.l,
            .max_hops = sc__listing_hops(&query->query),
        };
        put_last(engine, made[i], &own->spare_balls[i]);
    }
    query->state = SC__IN_GRAPH;
    query->vertex = made[0];
}

/** Take one listing away; the star that has no other is not active any more. */
static void remove_one(sc_engine *engine, sc__slot slot)
{
    const sc__listing *listing = sc__listing_at(engine, slot);
    const sc__slot first = sc__first_vertex(engine, listing->star);
    if (slot != first) {
        const sc__slot after = listing->next != SC_NONE ? listing->next : first;
        sc__listing_at(engine, listing->previous)->next = listing->next;
        sc__listing_at(engine, after)->previous = listing->previous;
    } else {
        sc__set_first_vertex(engine, listing->star, listing->next);
        if (listing->next != SC_NONE) {
            sc__listing_at(engine, listing->next)->previous = listing->previous;
        } else {
            keep_ball(engine, listing->star, listing->ball);
            engine->stats.active_stars--;
        }
    }
    explicit_bzero(sc__listing_at(engine, slot), sizeof *listing);
    sc_item_pool_give(&engine->vertices, slot);
}

void sc__listing_remove(sc_engine *engine, sc__slot slot)
{
    const sc__slot first = sc__pending_at(engine, slot)->vertex;
    const sc__slot twin = sc__listing_at(engine, first)->twin;
    remove_one(engine, first);
    if (twin != SC_NONE) remove_one(engine, twin);
}
