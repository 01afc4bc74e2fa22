// The ends, at last: at which end of its road each member of a found cloak is. docs/engine.md
// ("Patient") has the rules.
//
// A search found members at one end each (together.c). Each that has two listings may still take
// its other end, u too; so this numbers the stars of both of u's balls.
#include "engine/patient.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "engine/candidate.h"
#include "engine/star_choice.h"

#include <string.h>

/** Masks of members at the ends they have or could take. */
typedef struct settling {
    sc_engine *engine;
    sc__patient *own;
    const sc_star_id *stars;  ///< by number
    size_t words;
    size_t count;  ///< of members
    sc__demand demand;
    sc__specials specials;
    uint64_t *later_balls;  ///< per member: stars in the balls of all from this one on
    uint64_t *later_stars;  ///< per member: stars of all from this one on
    uint64_t *balls;        ///< stars in the balls of all that are settled
    uint64_t *taken;        ///< their stars
    uint64_t *ball;         ///< of one end
    uint64_t *shared;       ///< of all
} settling;

/** Number the stars of both balls of the start; those of the end it was searched from first. */
static sc_err number_both(settling *s, const sc__listing *u)
{
    sc_engine *engine = s->engine;
    sc__patient *own = s->own;
    sc__numbers *numbers = &engine->numbers;
    const uint32_t count = sc__ball_count(u->ball, u->max_hops);
    s->stars = sc__ball_stars(u->ball);
    if (u->twin == SC_NONE) return SC_OK;  // as the search has numbered them

    const sc__ball *other = sc__listing_at(engine, u->twin)->ball;
    const uint32_t other_count = sc__ball_count(other, u->max_hops);
    const sc_err err = sc__numbers_reserve(numbers, other_count);
    if (err) return err;
    if (!sc_reserve(&own->stars, (size_t)count + other_count, &own->star_capacity,
                    sizeof *own->stars)) {
        return SC_ENOMEM;
    }
    memcpy(own->stars, s->stars, count * sizeof *own->stars);
    for (uint32_t i = 0; i < other_count; i++) {
        const sc_star_id star = sc__ball_stars(other)[i];
        sc__numbered *place = sc__numbers_at(numbers, star);
        if (place->stored - numbers->first < numbers->count) continue;
        own->stars[numbers->count] = star;
        sc__numbers_put(numbers, place, star);
    }
    s->stars = own->stars;
    return sc__vicinity_begin(engine, &own->around, own->stars);
}

/** List the members: the start, then as they joined. */
static sc_err list_members(settling *s, sc__slot start, size_t count)
{
    sc__patient *own = s->own;
    sc__scratch *scratch = &s->engine->scratch;
    s->count = count;
    if (!sc_reserve(&own->settlers, s->count, &own->settler_capacity, sizeof *own->settlers) ||
        !sc_reserve(&scratch->placed, s->count, &scratch->placed_capacity,
                    sizeof *scratch->placed)) {
        return SC_ENOMEM;
    }
    own->settlers[0] = (sc__settler){start, 0};
    for (size_t i = 1; i < s->count; i++) {
        const sc__joiner *joiner = &own->joiners[own->extensions[i].joiner];
        own->settlers[i] = (sc__settler){joiner->listing, joiner->number};
    }
    const sc__extension *last = &own->extensions[s->count - 1];
    s->demand = last->demand;
    s->specials = (sc__specials){.queries = own->specials, .count = last->special_count};
    return SC_OK;
}

/** Stars have got numbers since the search: note again which are at the roads that members can have
 * reached. */
static sc_err note_reached(settling *s)
{
    sc__patient *own = s->own;
    size_t count = 0;
    if (s->specials.count == 0 || s->engine->numbers.count > SC__REACHED_STARS_MAX) return SC_OK;
    const sc__road_set roads = sc__roads_of_mask(s->engine, s->stars, NULL, s->words);
    for (size_t i = 0; i < s->specials.count; i++) {
        const sc_query *query = s->specials.queries[i];
        own->first_reached[i] = count;
        if (query->own->reached_count == 0) continue;
        count += query->own->reached_count;
        if (!sc_reserve(&own->reached_stars, count, &own->reached_star_capacity,
                        sizeof *own->reached_stars)) {
            return SC_ENOMEM;
        }
        sc__reached_stars(&roads, query, own->reached_stars + own->first_reached[i]);
    }
    s->specials.reached_stars = own->reached_stars;
    s->specials.first_reached = own->first_reached;
    return SC_OK;
}

static sc_err lay_out(settling *s)
{
    sc__patient *own = s->own;
    s->words = ((size_t)s->engine->numbers.count + 63) / 64;
    const size_t per_member = (s->count + 1) * s->words;
    if (!sc_reserve(&own->settled, 2 * per_member + 4 * s->words, &own->settled_capacity,
                    sizeof *own->settled)) {
        return SC_ENOMEM;
    }
    s->later_balls = own->settled;
    s->later_stars = s->later_balls + per_member;
    s->balls = s->later_stars + per_member;
    s->taken = s->balls + s->words;
    s->ball = s->taken + s->words;
    s->shared = s->ball + s->words;
    return SC_OK;
}

static void mark_ball(const settling *s, const sc__listing *listing)
{
    const sc_star_id *stars = sc__ball_stars(listing->ball);
    const uint32_t count = sc__ball_count(listing->ball, listing->max_hops);
    if (s->own->around.is_in_use) {
        *s->ball = sc__vicinity_mark(&s->own->around, stars, count);
    } else {
        sc__mask_mark(s->engine, s->ball, s->words, stars, count);
    }
}

static void shuffle(const settling *s)
{
    sc__settler *settlers = s->own->settlers;
    for (size_t i = s->count - 1; i > 0; i--) {
        const size_t j = sc_rng_below(s->engine->rng, (uint32_t)i + 1);
        const sc__settler moved = settlers[i];
        settlers[i] = settlers[j];
        settlers[j] = moved;
    }
}

/** From the last member to the first, what it and those after it share, and where they are. */
static void sum_up(const settling *s)
{
    const size_t words = s->words;
    sc__mask_fill(s->later_balls + s->count * words, words, s->engine->numbers.count);
    memset(s->later_stars + s->count * words, 0, words * sizeof *s->later_stars);
    for (size_t i = s->count; i-- > 0;) {
        const sc__settler settler = s->own->settlers[i];
        mark_ball(s, sc__listing_at(s->engine, settler.listing));
        for (size_t w = 0; w < words; w++) {
            s->later_balls[i * words + w] = s->later_balls[(i + 1) * words + w] & s->ball[w];
            s->later_stars[i * words + w] = s->later_stars[(i + 1) * words + w];
        }
        sc__mask_put(s->later_stars + i * words, settler.number);
    }
}

/** Whether all members stay together if member `i` takes the end `other`, of that number. */
static bool can_take(const settling *s, size_t i, const sc__listing *other, uint32_t number)
{
    const uint64_t *later_balls = s->later_balls + (i + 1) * s->words;
    const uint64_t *later_stars = s->later_stars + (i + 1) * s->words;
    if (number >= s->engine->numbers.count) return false;
    // Cheap first: is the end in the balls of all others?
    if (!sc__mask_has(later_balls, number) || !sc__mask_has(s->balls, number)) return false;
    mark_ball(s, other);
    for (size_t w = 0; w < s->words; w++) {
        s->shared[w] = s->balls[w] & later_balls[w] & s->ball[w];
        if ((s->taken[w] | later_stars[w]) & ~s->shared[w]) return false;
    }
    return sc__stars_meet(s->engine, s->stars, s->shared, s->words, &s->demand) &&
           (s->specials.count == 0 ||
            sc__mask_meets_specials(s->engine, s->stars, s->shared, s->words, s->specials));
}

static bool is_taken(const settling *s, size_t i, uint32_t number)
{
    return sc__mask_has(s->taken, number) ||
           sc__mask_has(s->later_stars + (i + 1) * s->words, number);
}

/** Which end a member takes that can take both: one where another is, else at random. */
static bool takes_other(const settling *s, size_t i, const sc__listing *here,
                        const sc__listing *other, uint32_t other_number)
{
    const bool is_here = is_taken(s, i, s->own->settlers[i].number);
    const bool is_there = is_taken(s, i, other_number);
    if (is_here != is_there) return is_there;
    const sc_query *query = &sc__pending_at(s->engine, here->query)->query;
    const sc__listing *a = here->is_second ? other : here;
    const sc__listing *b = here->is_second ? here : other;
    return sc__draw_end(s->engine, query, a->star, b->star) == other->star;
}

/** Members take their ends one after the other; `shared` becomes the stars in all their balls. */
static void settle_ends(const settling *s)
{
    const size_t words = s->words;
    shuffle(s);
    sum_up(s);
    sc__mask_fill(s->balls, words, s->engine->numbers.count);
    memset(s->taken, 0, words * sizeof *s->taken);
    for (size_t i = 0; i < s->count; i++) {
        sc__settler *settler = &s->own->settlers[i];
        const sc__listing *here = sc__listing_at(s->engine, settler->listing);
        if (here->twin != SC_NONE) {
            const sc__listing *other = sc__listing_at(s->engine, here->twin);
            const uint32_t number = sc__number_of(&s->engine->numbers, other->star);
            if (can_take(s, i, other, number) && takes_other(s, i, here, other, number)) {
                *settler = (sc__settler){here->twin, number};
            }
        }
        mark_ball(s, sc__listing_at(s->engine, settler->listing));
        for (size_t w = 0; w < words; w++) {
            s->balls[w] &= s->ball[w];
        }
        sc__mask_put(s->taken, settler->number);
    }
}

// --- What members ask for beside segments ------------------------------------------

sc_err sc__settle_found(sc_engine *engine, sc__slot start, size_t count, const sc__found_stars *t,
                        bool *is_good)
{
    settling s = {.engine = engine, .own = engine->method_state};
    sc__patient *own = s.own;
    const sc__listing *u = sc__listing_at(engine, start);
    sc_err err = list_members(&s, start, count);
    if (err) return err;
    if (sc__ball_count(u->ball, u->max_hops) <= SC__REACHED_STARS_MAX) {  // as the search has noted
        s.specials.reached_stars = own->reached_stars;
        s.specials.first_reached = own->first_reached;
    }
    err = sc__settle(engine, u, t, count, s.specials, is_good);
    if (err || !*is_good) return err;
    if (!sc_reserve(&own->found_mask, t->words, &own->found_mask_capacity,
                    sizeof *own->found_mask) ||
        !sc_reserve(&own->found_ends, count, &own->found_end_capacity, sizeof *own->found_ends)) {
        return SC_ENOMEM;
    }
    memcpy(own->found_mask, t->mask, t->words * sizeof *t->mask);
    memcpy(own->found_ends, own->settlers, count * sizeof *own->settlers);
    return SC_OK;
}

/** Strict demands: settle the stars that members share at the ends they took; if that cannot be,
 * they go back to where the search found them. */
static sc_err settle_again(const settling *s, const sc__listing *u)
{
    sc_engine *engine = s->engine;
    sc__patient *own = s->own;
    const sc__found_stars t = {s->stars, s->balls, s->words};
    bool is_good = false;
    sc_err err = sc__settle(engine, u, &t, s->count, s->specials, &is_good);
    if (err || is_good) return err;
    const size_t found_words = ((size_t)sc__ball_count(u->ball, u->max_hops) + 63) / 64;
    memset(s->balls, 0, s->words * sizeof *s->balls);
    memcpy(s->balls, own->found_mask, found_words * sizeof *s->balls);
    memcpy(own->settlers, own->found_ends, s->count * sizeof *own->settlers);
    err = sc__settle_measure(engine, u, &t, s->count, s->specials);
    if (!err) engine->stats.ends_taken_back++;
    return err;
}

/** If members ask for more than segments, the cloak gets a block for that. */
static sc_err keep_demands(const settling *s, sc_cloak *cloak)
{
    sc_engine *engine = s->engine;
    sc__kept_sizes sizes = {.star_count = cloak->star_count, .member_count = s->count};
    const bool is_strict = engine->options.demands.is_strict;
    if (!is_strict && sc__tables_are_empty(&engine->tables) && s->specials.count == 0) {
        return SC_OK;
    }
    if (is_strict) sizes.reach_count = sc__settle_reach_count(s->own);
    for (size_t i = 0; i < s->specials.count; i++) {
        sizes.own_bytes += sc__own_size(s->specials.queries[i]->own);
        sizes.reached_count += s->specials.queries[i]->own->reached_count;
    }
    sc__kept_demands *kept = sc__kept_demands_new(&engine->tables, &sizes);
    if (!kept) return SC_ENOMEM;
    sc__candidate_of(cloak)->kept = kept;
    return sc__settle_keep(engine, cloak, kept);
}

/** Make a candidate of the members, at the ends that they took. */
static sc_err propose(const settling *s)
{
    sc_engine *engine = s->engine;
    sc__placed *placed = engine->scratch.placed;
    sc_cloak *cloak = sc__candidate_new(engine, s->stars, s->balls, s->words, s->count);
    if (!cloak) return SC_ENOMEM;
    const sc_err err = keep_demands(s, cloak);
    if (err) {
        sc_cloak_free(cloak);
        return err;
    }
    for (size_t i = 0; i < s->count; i++) {
        const sc__slot listing = s->own->settlers[i].listing;
        placed[i] = (sc__placed){sc__listing_at(engine, listing)->order, listing};
    }
    sc__placed_sort(placed, s->count);
    for (size_t i = 0; i < s->count; i++) {
        const sc__listing *listing = sc__listing_at(engine, placed[i].slot);
        const sc__slot query = listing->query;
        const sc_star_id star = listing->star;
        sc__patient_let_go(engine, query);
        sc__make_member(engine, cloak, i, query, star);
    }
    if (sc__candidate_of(cloak)->kept) {
        sc__kept_demands_fill(sc__candidate_of(cloak)->kept, cloak);
    }
    sc__offer(engine, cloak);
    return SC_OK;
}

sc_err sc__propose_found(sc_engine *engine, sc__slot start, size_t count)
{
    settling s = {.engine = engine, .own = engine->method_state};
    const sc__listing *u = sc__listing_at(engine, start);
    sc_err err = number_both(&s, u);
    if (!err) err = list_members(&s, start, count);
    if (!err) err = lay_out(&s);
    if (!err) err = note_reached(&s);
    if (err) return err;
    settle_ends(&s);
    if (engine->options.demands.is_strict) err = settle_again(&s, u);
    return err ? err : propose(&s);
}
