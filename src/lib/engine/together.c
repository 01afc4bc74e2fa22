// Searching from one query of a patient engine: which listings can be cloaked together with it, and
// at which ends of their roads. docs/engine.md ("Patient") has the rules.
//
// A search from the listing (u, x) numbers the stars of ball(x, max_hops of u), as searches of the
// cloaking graph do (search.c): sets of stars are bits, and nothing outside that ball matters. The
// listings in reach of it, but for those whose k is too large (k_spread), are its *joiners*. The
// search goes into depth: each extension has one member more than the one before, and the list of
// joiners that are in reach of all its members. Most extensions that are begun succeed, so the
// first way down mostly finds; `dead ends` bound the rest.
//
// For a joiner that is tried, one walk of its ball gives its mask and its hops to each numbered
// star. Whether another joiner is in reach of it is then one comparison.
//
// When the members are known, each that has two listings may still take its other end
// (member_ends.c).
#include "engine/patient.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

/** Hops to a star that is not in the ball. */
#define NOT_THERE UINT16_MAX

/** What a special can have reached is not noted yet. */
#define NOT_NOTED SIZE_MAX

_Static_assert(SC__LISTING_HOPS_MAX < NOT_THERE, "hops within a ball are told from none");

/** One search, from one end. */
typedef struct together {
    sc_engine *engine;
    sc__patient *own;
    sc__slot start;
    const sc__listing *u;
    uint64_t most_k;          ///< of joiners
    const sc_star_id *stars;  ///< by number
    uint32_t star_count;
    size_t words;  ///< of a mask
    size_t joiner_count;
    size_t tried_count;
    size_t reached_count;  ///< of all specials that were tried
    size_t depth;          ///< extensions; the first is the start alone, so these are members too
    uint32_t dead_ends;
} together;

void sc__together_fini(sc__patient *own)
{
    // Who may have been together, at which stars.
    sc_free_wiped(own->active, own->active_capacity, sizeof *own->active);
    sc_free_wiped(own->joiners, own->joiner_capacity, sizeof *own->joiners);
    sc_free_wiped(own->reaches, own->reach_capacity, sizeof *own->reaches);
    sc_free_wiped(own->extensions, own->extension_capacity, sizeof *own->extensions);
    sc_free_wiped(own->lists, own->list_capacity, sizeof *own->lists);
    sc_free_wiped(own->shared, own->shared_capacity, sizeof *own->shared);
    sc_free_wiped(own->masks, own->mask_capacity, sizeof *own->masks);
    sc_free_wiped(own->hops, own->hop_capacity, sizeof *own->hops);
    sc_free_wiped(own->settlers, own->settler_capacity, sizeof *own->settlers);
    sc_free_wiped(own->settled, own->settled_capacity, sizeof *own->settled);
    sc_free_wiped(own->stars, own->star_capacity, sizeof *own->stars);
    sc_free(own->specials);
    sc_free(own->first_reached);
    sc_free(own->tried_reached);
    sc_free_wiped(own->reached_stars, own->reached_star_capacity, sizeof *own->reached_stars);
    sc_free_wiped(own->found_mask, own->found_mask_capacity, sizeof *own->found_mask);
    sc_free_wiped(own->found_ends, own->found_end_capacity, sizeof *own->found_ends);
}

// --- Joiners --------------------------------------------------------------------

static int compare_age(const void *a, const void *b)
{
    const sc__joiner *x = a;
    const sc__joiner *y = b;
    return (x->age > y->age) - (x->age < y->age);
}

/** Put the joiners from `first` on, all equally far, in the order of their age. */
static void sort_by_age(sc__joiner *joiners, size_t first, size_t end)
{
    enum { FEW = 32 };
    if (end - first > FEW) {
        qsort(joiners + first, end - first, sizeof *joiners, compare_age);
        return;
    }
    for (size_t i = first + 1; i < end; i++) {
        const sc__joiner moved = joiners[i];
        size_t at = i;
        for (; at > first && joiners[at - 1].age > moved.age; at--) {
            joiners[at] = joiners[at - 1];
        }
        joiners[at] = moved;
    }
}

sc_err sc__list_stars_in_use(sc_engine *engine, const sc__listing *from, size_t *count)
{
    sc__patient *own = engine->method_state;
    const sc_star_id *stars = sc__ball_stars(from->ball);
    const uint32_t star_count = sc__ball_count(from->ball, from->max_hops);
    if (!sc_reserve(&own->active, star_count, &own->active_capacity, sizeof *own->active)) {
        return SC_ENOMEM;
    }
    // About every second star has listings: each is written, and only those stay.
    size_t listed = 0;
    uint32_t number = 0;
    for (uint32_t hops = 0; number < star_count; hops++) {
        for (const uint32_t end = sc__ball_count(from->ball, hops); number < end; number++) {
            const sc__slot first = sc__first_vertex(engine, stars[number]);
            own->active[listed] = (sc__active_star){first, number, hops};
            listed += first != SC_NONE;
        }
    }
    // All are asked for before the first is read: one after the other would be waited for.
    for (size_t i = 0; engine->is_beyond_cache && i < listed; i++) {
        __builtin_prefetch(sc__listing_at(engine, own->active[i].vertex));
    }
    *count = listed;
    return SC_OK;
}

/** Add the listings of a star that are in reach of the start and want few enough users. */
static sc_err add_joiners(together *search, sc__active_star star)
{
    sc__patient *own = search->own;
    for (sc__slot at = star.vertex; at != SC_NONE;) {
        const sc__listing *other = sc__listing_at(search->engine, at);
        const sc__slot slot = at;
        at = other->next;
        if (!sc__listing_reaches(search->u, other, star.hops)) continue;
        if (other->k > search->most_k) continue;
        if (search->joiner_count == own->joiner_capacity &&
            !sc_grow(&own->joiners, search->joiner_count, &own->joiner_capacity,
                     sizeof *own->joiners)) {
            return SC_ENOMEM;
        }
        own->joiners[search->joiner_count++] = (sc__joiner){
            .user = other->user,
            .age = 2 * other->order + other->is_second,
            .listing = slot,
            .number = star.number,
            .max_hops = (uint16_t)other->max_hops,
            .has_own = other->has_own,
            .k = other->k,
            .l = other->l,
            .tried = SC_NONE,
        };
    }
    return SC_OK;
}

/** List all listings that may join the start: by hops, then by age. */
static sc_err list_joiners(together *search)
{
    const sc__patient *own = search->own;
    size_t active_count;
    sc_err err = sc__list_stars_in_use(search->engine, search->u, &active_count);
    size_t ring = 0;  // joiners before this one are nearer
    for (size_t i = 0; !err && i < active_count; i++) {
        if (i > 0 && own->active[i].hops != own->active[i - 1].hops) {
            sort_by_age(own->joiners, ring, search->joiner_count);
            ring = search->joiner_count;
        }
        err = add_joiners(search, own->active[i]);
    }
    if (!err) sort_by_age(own->joiners, ring, search->joiner_count);
    return err;
}

/** Leave out, again and again, joiners that want more users than are left. */
static void leave_out(together *search)
{
    sc__joiner *joiners = search->own->joiners;
    for (size_t before = search->joiner_count + 1; before != search->joiner_count;) {
        size_t kept = 0;
        before = search->joiner_count;
        for (size_t i = 0; i < before; i++) {
            if (joiners[i].k > 1 + before) continue;
            if (kept != i) joiners[kept] = joiners[i];
            kept++;
        }
        search->joiner_count = kept;
    }
}

// --- Balls of joiners -------------------------------------------------------------

// Whether a star of a joiner's ball has a number is hard to predict, and a branch that goes wrong
// costs more than all the rest. So both kinds are written: those without a number to one place
// behind the last, which is cleared.

/** Words of the mask of a joiner, and hops to stars, with that place. */
static size_t mask_words(const together *search)
{
    return (size_t)search->star_count / 64 + 1;
}

static size_t hop_row(const together *search)
{
    return (size_t)search->star_count + 1;
}

/** Note the stars of a joiner's ball in its mask, and their hops. `around` has their numbers; NULL:
 * the engine has. */
__attribute__((always_inline)) static inline void walk_ball(const together *search,
                                                            const sc__joiner *joiner,
                                                            const sc__vicinity *around,
                                                            uint64_t *mask, uint16_t *hops_to)
{
    const sc__numbers *numbers = &search->engine->numbers;
    const sc__ball *ball = sc__listing_at(search->engine, joiner->listing)->ball;
    const sc_star_id *stars = sc__ball_stars(ball);
    const uint32_t star_count = search->star_count;
    const uint32_t count = sc__ball_count(ball, joiner->max_hops);
    uint32_t i = 0;
    for (uint32_t hops = 0; i < count; hops++) {
        for (const uint32_t end = sc__ball_count(ball, hops); i < end; i++) {
            const uint32_t found =
                around ? around->number_of[stars[i]] - 1u : sc__number_of(numbers, stars[i]);
            const uint32_t number = found < star_count ? found : star_count;
            sc__mask_put(mask, number);
            hops_to[number] = (uint16_t)hops;
        }
    }
}

/** The ball of a joiner, as bits and as hops to each star, both within the start's. */
static sc_err look_at(together *search, sc__joiner *joiner)
{
    sc__patient *own = search->own;
    const size_t tried = search->tried_count;
    const size_t words = mask_words(search);
    const size_t row = hop_row(search);
    if (!sc_reserve(&own->masks, (tried + 1) * words, &own->mask_capacity, sizeof *own->masks) ||
        !sc_reserve(&own->hops, (tried + 1) * row, &own->hop_capacity, sizeof *own->hops)) {
        return SC_ENOMEM;
    }
    if (joiner->has_own) {
        if (!sc_reserve(&own->tried_reached, tried + 1, &own->tried_reached_capacity,
                        sizeof *own->tried_reached)) {
            return SC_ENOMEM;
        }
        own->tried_reached[tried] = NOT_NOTED;
    }
    uint64_t *mask = own->masks + tried * words;
    memset(mask, 0, words * sizeof *mask);
    memset(own->hops + tried * row, 0xff, row * sizeof *own->hops);
    if (words == 1) {
        uint64_t bits = 0;  // in a register: each star would wait for the store of the one before
        if (own->around.is_in_use) {
            walk_ball(search, joiner, &own->around, &bits, own->hops + tried * row);
        } else {
            walk_ball(search, joiner, NULL, &bits, own->hops + tried * row);
        }
        *mask = bits;
    } else {
        walk_ball(search, joiner, NULL, mask, own->hops + tried * row);
    }
    mask[search->star_count / 64] &= ~(UINT64_C(1) << (search->star_count % 64));
    joiner->tried = (uint32_t)search->tried_count++;
    return SC_OK;
}

// --- Members with demands of their own ------------------------------------------------

/**
 * Note which stars are at the roads that the user of a special can have reached, where there are
 * few enough numbers.
 *
 * @param first  where they begin
 */
static sc_err note_reached(together *search, const sc_query *special, size_t *first)
{
    sc__patient *own = search->own;
    *first = search->reached_count;
    if (search->star_count > SC__REACHED_STARS_MAX) return SC_OK;
    if (special->own->reached_count == 0) return SC_OK;
    search->reached_count += special->own->reached_count;
    if (!sc_reserve(&own->reached_stars, search->reached_count, &own->reached_star_capacity,
                    sizeof *own->reached_stars)) {
        return SC_ENOMEM;
    }
    const sc__road_set roads =
        sc__roads_of_mask(search->engine, search->stars, NULL, search->words);
    sc__reached_stars(&roads, special, own->reached_stars + *first);
    return SC_OK;
}

/**
 * A member has demands of its own.
 *
 * @param first  of what is noted for it, or NOT_NOTED
 */
static sc_err add_special(together *search, sc__extension *to, const sc__listing *member,
                          size_t *first)
{
    sc__patient *own = search->own;
    const sc_query *query = &sc__pending_at(search->engine, member->query)->query;
    if (!sc_grow(&own->specials, to->special_count, &own->special_capacity,
                 sizeof(const sc_query *)) ||
        !sc_grow(&own->first_reached, to->special_count, &own->first_reached_capacity,
                 sizeof *own->first_reached)) {
        return SC_ENOMEM;
    }
    const sc_err err = *first == NOT_NOTED ? note_reached(search, query, first) : SC_OK;
    if (err) return err;
    own->specials[to->special_count] = query;
    own->first_reached[to->special_count++] = *first;
    return SC_OK;
}

/** Whether the roads of `shared` have what the specials from `from` to `end` ask for. */
static bool meets_specials(const together *search, const uint64_t *shared, size_t from, size_t end)
{
    if (from == end) return true;
    const sc__patient *own = search->own;
    const sc__specials specials = {
        .queries = own->specials + from,
        .count = end - from,
        .reached_stars = search->star_count <= SC__REACHED_STARS_MAX ? own->reached_stars : NULL,
        .first_reached = own->first_reached + from,
    };
    return sc__mask_meets_specials(search->engine, search->stars, shared, search->words, specials);
}

// --- Extending ------------------------------------------------------------------

/** Append to the stack of lists those from `from` to `end` in it that are in reach of `joiner`. */
static sc_err list_rest(const together *search, const sc__joiner *joiner, size_t from, size_t end,
                        size_t *count)
{
    sc__patient *own = search->own;
    if (!sc_reserve(&own->lists, end + (end - from), &own->list_capacity, sizeof *own->lists)) {
        return SC_ENOMEM;
    }
    const uint16_t *hops_to = own->hops + joiner->tried * hop_row(search);
    const sc__joiner_reach *reaches = own->reaches;
    const uint32_t *list = own->lists;
    uint32_t *rest = own->lists + end;
    const uint64_t user = joiner->user;
    size_t listed = 0;
    for (size_t i = from; i < end; i++) {
        const uint32_t other = list[i];
        rest[listed] = other;
        listed += (hops_to[reaches[other].number] <= reaches[other].max_hops) &
                  (reaches[other].user != user);
    }
    *count = listed;
    return SC_OK;
}

/** Make room for one extension more. */
static sc_err reserve_extension(const together *search)
{
    sc__patient *own = search->own;
    if (!sc_grow(&own->extensions, search->depth, &own->extension_capacity,
                 sizeof *own->extensions) ||
        !sc_reserve(&own->shared, (search->depth + 1) * search->words, &own->shared_capacity,
                    sizeof *own->shared)) {
        return SC_ENOMEM;
    }
    return SC_OK;
}

/** Begin with the start alone, and all joiners. */
static sc_err begin(together *search)
{
    sc__patient *own = search->own;
    sc_err err = reserve_extension(search);
    if (err) return err;
    if (!sc_reserve(&own->lists, search->joiner_count, &own->list_capacity, sizeof *own->lists)) {
        return SC_ENOMEM;
    }
    if (!sc_reserve(&own->reaches, search->joiner_count, &own->reach_capacity,
                    sizeof *own->reaches)) {
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < search->joiner_count; i++) {
        const sc__joiner *joiner = &own->joiners[i];
        own->lists[i] = (uint32_t)i;
        own->reaches[i] = (sc__joiner_reach){joiner->user, joiner->number, joiner->max_hops};
    }
    sc__mask_fill(own->shared, search->words, search->star_count);
    own->extensions[0] = (sc__extension){
        .joiner = SC_NONE,
        .k = search->u->k,
        .demand = sc__listing_demand(search->engine, search->u),
        .end = search->joiner_count,
    };
    search->depth = 1;
    size_t first = NOT_NOTED;
    if (search->u->has_own) err = add_special(search, &own->extensions[0], search->u, &first);
    return err;
}

/** Let what `joiner` asks for count. */
static void add_demand(const together *search, const sc__joiner *joiner, sc__extension *to)
{
    const sc_engine *engine = search->engine;
    if (engine->tables.density) {
        const sc__listing *listing = sc__listing_at(engine, joiner->listing);
        to->demand = sc__demand_meet(to->demand, sc__listing_demand(engine, listing));
    } else if (joiner->l > to->demand.segments) {
        to->demand.segments = joiner->l;
    }
}

/** Whether what the balls of all members and of `joiner` share has all that they ask for; `next`
 * has the demands of both then. */
static sc_err shares_enough(together *search, const sc__joiner *joiner, sc__extension *next,
                            bool *out)
{
    const sc__patient *own = search->own;
    const uint64_t *mask = own->masks + joiner->tried * mask_words(search);
    uint64_t *shared = own->shared + search->depth * search->words;
    for (size_t i = 0; i < search->words; i++) {
        shared[i] = own->shared[(search->depth - 1) * search->words + i] & mask[i];
    }
    search->engine->stats.checks++;
    add_demand(search, joiner, next);
    // Those of members first: what a joiner can have reached may have to be noted.
    const size_t earlier = next->special_count;
    *out = sc__stars_meet(search->engine, search->stars, shared, search->words, &next->demand) &&
           meets_specials(search, shared, 0, earlier);
    if (!*out || !joiner->has_own) return SC_OK;
    const sc_err err = add_special(search, next, sc__listing_at(search->engine, joiner->listing),
                                   &own->tried_reached[joiner->tried]);
    if (!err) *out = meets_specials(search, shared, earlier, next->special_count);
    return err;
}

/** Try the next joiner of the last extension; if it can join, it makes another extension. */
static sc_err try_next(together *search)
{
    sc__patient *own = search->own;
    sc_err err = reserve_extension(search);
    if (err) return err;
    sc__extension *last = &own->extensions[search->depth - 1];
    const size_t rest = last->end - last->at;
    sc__joiner *joiner = &own->joiners[own->lists[last->at]];
    sc__extension next = {
        .joiner = own->lists[last->at],
        .k = joiner->k > last->k ? joiner->k : last->k,
        .demand = last->demand,
        .special_count = last->special_count,
        .at = last->end,
    };
    if (next.k <= search->depth + rest) {
        if (joiner->tried == SC_NONE) err = look_at(search, joiner);
        if (err) return err;
        // Most that cannot join leave too few others, which is quicker to know than the demand.
        size_t count = 0;
        err = list_rest(search, joiner, last->at + 1, last->end, &count);
        if (err) return err;
        bool can_join = search->depth + 1 + count >= next.k;
        if (can_join) err = shares_enough(search, joiner, &next, &can_join);
        if (err) return err;
        if (can_join) {
            next.end = next.at + count;
            own->extensions[search->depth++] = next;
        }
    }
    last->at++;
    return SC_OK;
}

/** Whether the members that there are can be a cloak, with demands that are strict. */
static sc_err is_good(const together *search, bool *out)
{
    *out = true;
    if (!search->engine->options.demands.is_strict) return SC_OK;
    const sc__found_stars shared = {
        .stars = search->stars,
        .mask = search->own->shared + (search->depth - 1) * search->words,
        .words = search->words,
    };
    return sc__settle_found(search->engine, search->start, search->depth, &shared, out);
}

/** Extend the start until there are enough members, or until this end fails. */
static sc_err extend(together *search, bool *found)
{
    sc_err err = begin(search);
    while (!err) {
        const sc__extension *last = &search->own->extensions[search->depth - 1];
        const bool has_users = search->depth >= last->k;
        if (has_users) {
            err = is_good(search, found);
            if (err || *found) return err;
        }
        const size_t rest = last->end - last->at;
        if (!has_users && rest > 0 && search->depth + rest >= last->k) {
            err = try_next(search);
            continue;
        }
        if (--search->depth == 0) return SC_OK;
        if (++search->dead_ends == search->engine->options.max_combinations) {
            search->engine->stats.cap_hits++;
            return SC_OK;
        }
    }
    return err;
}

// --- The search -------------------------------------------------------------------

/** Search from one listing. */
static sc_err search_from(sc_engine *engine, sc__slot start, bool *found)
{
    together search = {
        .engine = engine,
        .own = engine->method_state,
        .start = start,
        .u = sc__listing_at(engine, start),
    };
    search.most_k = sc__listing_most_k(engine, search.u);
    search.stars = sc__ball_stars(search.u->ball);
    search.star_count = sc__ball_count(search.u->ball, search.u->max_hops);
    search.words = ((size_t)search.star_count + 63) / 64;
    sc_err err = list_joiners(&search);
    if (err) return err;
    leave_out(&search);
    if (1 + search.joiner_count < search.u->k) return SC_OK;
    err = sc__number_stars(engine, search.u->ball, search.star_count);
    if (!err) err = sc__vicinity_begin(engine, &search.own->around, search.stars);
    if (!err) err = extend(&search, found);
    if (!err && *found) err = sc__propose_found(engine, start, search.depth);
    return err;
}

sc_err sc__search_together(sc_engine *engine, sc__slot query)
{
    const sc__slot first = sc__pending_at(engine, query)->vertex;
    const sc__slot twin = sc__listing_at(engine, first)->twin;
    const bool is_turned = twin != SC_NONE && sc_rng_below(engine->rng, 2) == 1;
    bool found = false;
    engine->stats.searches++;
    sc_err err = search_from(engine, is_turned ? twin : first, &found);
    if (err || found || twin == SC_NONE) return err;
    return search_from(engine, is_turned ? first : twin, &found);
}
