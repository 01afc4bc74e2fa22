// Settling: from all stars that members share to stars that are good for each of them, where
// demands are strict. docs/demands.md has the rule, possible_roads.h what good means.
//
// The star that goes is the one from which the most others are too far: with it gone, others become
// possible. The stars of members stay, and those at roads of their zones.
//
// How far stars are apart is looked up once: for each star of T, and for each max_hops among the
// members, those stars of T that are farther. The balls of stars are kept from one time to the next
// (listing.c), so this is mostly reading. Often no two stars of T are farther apart than the least
// max_hops; then all roads are possible, and the search has tested them.
//
// Most sets that are settled fail, six of seven where traffic is asked for, and yet have to be
// settled, since each star that goes is drawn. So where a set is one word and no member has demands
// of its own, all of it is done on the vicinity of the search (settle_near()), and only what
// has become good is measured for pruning.
#include "engine/patient.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "base/sort.h"
#include "engine/kept_demands.h"

#include <string.h>

/** Settling takes the square of the stars: of more than this many it is not tried. */
enum { MOST_STARS = 4096 };

void sc__settle_fini(sc__patient *own)
{
    // What members ask because of where they are, and at which stars they are.
    sc_free_wiped(own->reach_demands, own->reach_demand_capacity, sizeof *own->reach_demands);
    sc_free_wiped(own->far, own->far_capacity, sizeof *own->far);
    sc_free_wiped(own->trial_masks, own->trial_mask_capacity, sizeof *own->trial_masks);
    sc_free_wiped(own->equals, own->equal_capacity, sizeof *own->equals);
    sc_free_wiped(own->places, own->place_capacity, sizeof *own->places);
    sc__vicinity_fini(&own->around);
    sc__numbers_fini(&own->walk_numbers);
}

// --- How far stars are apart -----------------------------------------------------

/** Let the demand of members with `max_hops` count. */
static sc_err add_reach(sc__patient *own, size_t *count, uint32_t max_hops, sc__demand demand)
{
    size_t at = 0;
    while (at < *count && own->reach_demands[at].max_hops < max_hops) {
        at++;
    }
    if (at < *count && own->reach_demands[at].max_hops == max_hops) {
        sc__reach_demand *reach = &own->reach_demands[at];
        reach->demand = sc__demand_meet(reach->demand, demand);
        return SC_OK;
    }
    if (!sc_grow(&own->reach_demands, *count, &own->reach_demand_capacity,
                 sizeof *own->reach_demands)) {
        return SC_ENOMEM;
    }
    for (size_t i = *count; i > at; i--) {  // few
        own->reach_demands[i] = own->reach_demands[i - 1];
    }
    own->reach_demands[at] = (sc__reach_demand){max_hops, demand};
    (*count)++;
    return SC_OK;
}

/** Sort the members by their max_hops, and their demands with them. */
static sc_err list_reaches(sc_engine *engine, size_t member_count)
{
    sc__patient *own = engine->method_state;
    sc_err err = SC_OK;
    own->trial.reach_count = 0;
    for (size_t i = 0; !err && i < member_count; i++) {
        const sc__listing *member = sc__listing_at(engine, own->settlers[i].listing);
        err = add_reach(own, &own->trial.reach_count, member->max_hops,
                        sc__listing_demand(engine, member));
    }
    own->trial.reaches = own->reach_demands;
    return err;
}

/** Make room for the masks of a trial of `star_count` stars, and part it. */
static sc_err lay_out(sc__patient *own, size_t words, size_t star_count)
{
    sc__star_trial *trial = &own->trial;
    if (!sc_reserve(&own->trial_masks, 4 * words, &own->trial_mask_capacity,
                    sizeof *own->trial_masks) ||
        !sc_reserve(&own->far, star_count * trial->reach_count * words, &own->far_capacity,
                    sizeof *own->far) ||
        !sc_reserve(&own->equals, star_count, &own->equal_capacity, sizeof *own->equals)) {
        return SC_ENOMEM;
    }
    trial->words = words;
    trial->all = own->trial_masks;
    trial->left = own->trial_masks + words;
    trial->possible = trial->left + words;
    own->barred = trial->possible + words;
    trial->far = own->far;
    return SC_OK;
}

/** How far stars that members share can be apart, as far as it matters: they are all within the
 * least max_hops of the member who has it. */
static uint32_t farthest_hops(const sc__patient *own)
{
    const uint32_t least = own->reach_demands[0].max_hops;
    const uint32_t most = own->reach_demands[own->trial.reach_count - 1].max_hops;
    return most < 2 * least ? most : 2 * least;
}

/** mark_far() for all stars of T, in the vicinity of the search. */
static sc_err mark_all_far(sc_engine *engine, uint64_t all)
{
    sc__patient *own = engine->method_state;
    const uint32_t most = farthest_hops(own);
    const sc_err err = sc__vicinity_measure(engine, &own->around, all, most);
    if (err) return err;
    uint64_t *far = own->far;
    for (uint64_t bits = all; bits != 0; bits &= bits - 1) {
        for (size_t i = 0; i < own->trial.reach_count; i++) {
            const uint32_t hops = own->reach_demands[i].max_hops;
            const uint64_t *near = own->around.near[hops < most ? hops : most].of;
            *far++ = all & ~near[__builtin_ctzll(bits)];
        }
    }
    return SC_OK;
}

/** Note the stars of `all` that are farther from one star than each max_hops. */
static sc_err mark_far(sc_engine *engine, sc_star_id star, const uint64_t *all, size_t words,
                       uint64_t *far)
{
    const sc__patient *own = engine->method_state;
    const size_t reach_count = own->trial.reach_count;
    const sc__numbers *numbers = &engine->numbers;
    const sc__ball *ball;
    const sc_err err =
        sc__ball_of(engine, star, own->reach_demands[reach_count - 1].max_hops, &ball);
    if (err) return err;
    const sc_star_id *stars = sc__ball_stars(ball);
    uint32_t at = 0;
    for (size_t i = 0; i < reach_count; i++, far += words) {
        memcpy(far, i == 0 ? all : far - words, words * sizeof *far);
        const uint32_t end = sc__ball_count(ball, own->reach_demands[i].max_hops);
        for (; at < end; at++) {
            const uint32_t number = sc__number_of(numbers, stars[at]);
            if (number < words * 64) far[number / 64] &= ~(UINT64_C(1) << (number % 64));
        }
    }
    return SC_OK;
}

/** Whether some of `star_count` stars are farther apart than the least max_hops: more than others.
 */
static bool has_any_far(const sc__star_trial *trial, size_t star_count)
{
    uint64_t any = 0;
    for (size_t row = 0; row < star_count; row++) {
        const uint64_t *far = trial->far + row * trial->reach_count * trial->words;
        for (size_t w = 0; w < trial->words; w++) {
            any |= far[w];
        }
    }
    return any != 0;
}

/** The number of bits; not every processor that the library runs on has an instruction for it. */
static inline size_t count_bits(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (size_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

static size_t count_stars(const uint64_t *mask, size_t words)
{
    size_t count = 0;
    for (size_t w = 0; w < words; w++) {
        count += count_bits(mask[w]);
    }
    return count;
}

/** Whether all stars are within half of the least max_hops of the star that has number 0. */
static bool is_narrow(const sc__patient *own, const sc__listing *start, const uint64_t *mask,
                      size_t words)
{
    size_t last = words - 1;
    while (last > 0 && mask[last] == 0) {
        last--;
    }
    const uint32_t highest = (uint32_t)(last * 64 + 63) - (uint32_t)__builtin_clzll(mask[last]);
    const uint32_t half = own->reach_demands[0].max_hops / 2;
    return half <= start->max_hops && highest < sc__ball_count(start->ball, half);
}

/** The stars at roads of a zone stay: without them it would fail for good. */
static void bar_zone(const sc_engine *engine, const sc_own_demands *demands, size_t words)
{
    const sc__patient *own = engine->method_state;
    for (size_t i = 0; i < demands->zone_count; i++) {
        const sc_segment *road = &engine->segments[demands->zone[i]];
        const sc_star_id ends[] = {road->star_a, road->star_b};
        for (size_t j = 0; j < 2; j++) {
            const uint32_t number =
                ends[j] == SC_NONE ? UINT32_MAX : sc__number_of(&engine->numbers, ends[j]);
            if (number < words * 64) sc__mask_put(own->barred, number);
        }
    }
}

/** Whether all that members reach is kept of the vicinity of the search. */
static bool is_near(const sc__patient *own)
{
    return own->around.is_in_use &&
           own->reach_demands[own->trial.reach_count - 1].max_hops <= SC__NEAR_HOPS;
}

/** sc__settle_measure() of members whose reaches are listed. */
static sc_err measure(sc_engine *engine, const sc__listing *start, const sc__found_stars *t,
                      size_t member_count, sc__specials specials)
{
    sc__patient *own = engine->method_state;
    sc__star_trial *trial = &own->trial;
    const size_t star_count = count_stars(t->mask, t->words);
    sc_err err = lay_out(own, t->words, star_count);
    if (err) return err;
    trial->tables = &engine->tables;
    trial->roads = sc__roads_of_mask(engine, t->stars, NULL, t->words);
    trial->specials = specials;
    memcpy(own->trial_masks, t->mask, t->words * sizeof *t->mask);
    memcpy(trial->left, t->mask, t->words * sizeof *t->mask);
    memset(own->barred, 0, t->words * sizeof *own->barred);
    for (size_t i = 0; i < member_count; i++) {
        sc__mask_put(own->barred, own->settlers[i].number);
    }
    for (size_t i = 0; i < specials.count; i++) {
        bar_zone(engine, specials.queries[i]->own, t->words);
    }
    own->has_far = false;
    own->is_too_large = false;
    if (is_narrow(own, start, t->mask, t->words)) return SC_OK;
    own->is_too_large = star_count > MOST_STARS;
    if (own->is_too_large) return SC_OK;
    if (is_near(own)) {
        err = mark_all_far(engine, *t->mask);
    } else {
        uint64_t *far = own->far;
        for (size_t word = 0; !err && word < t->words; word++) {
            for (uint64_t bits = t->mask[word]; !err && bits != 0; bits &= bits - 1) {
                const sc_star_id star = t->stars[word * 64 + (size_t)__builtin_ctzll(bits)];
                err = mark_far(engine, star, own->trial_masks, t->words, far);
                far += trial->reach_count * t->words;
            }
        }
    }
    if (!err) own->has_far = has_any_far(trial, star_count);
    return err;
}

sc_err sc__settle_measure(sc_engine *engine, const sc__listing *start, const sc__found_stars *t,
                          size_t member_count, sc__specials specials)
{
    const sc_err err = list_reaches(engine, member_count);
    return err ? err : measure(engine, start, t, member_count, specials);
}

// --- Stars that go ---------------------------------------------------------------

/** How many stars that are left are farther than a reach from the star of that row. */
static size_t count_far(const sc__star_trial *trial, size_t row, size_t reach)
{
    const uint64_t *far = trial->far + (row * trial->reach_count + reach) * trial->words;
    size_t count = 0;
    for (size_t w = 0; w < trial->words; w++) {
        count += count_bits(far[w] & trial->left[w]);
    }
    return count;
}

/** The star from which the most are too far, drawn among equal ones; SC_NONE: none are. */
static sc_star_id choose(sc_engine *engine, size_t reach)
{
    const sc__patient *own = engine->method_state;
    const sc__star_trial *trial = &own->trial;
    size_t most = 1;
    size_t equal_count = 0;
    size_t row = 0;
    for (size_t w = 0; w < trial->words; w++) {
        for (uint64_t bits = trial->all[w]; bits != 0; bits &= bits - 1, row++) {
            const uint64_t bit = bits & -bits;
            if (!(trial->left[w] & ~own->barred[w] & bit)) continue;
            const size_t count = count_far(trial, row, reach);
            if (count < most) continue;
            if (count > most) equal_count = 0;
            most = count;
            own->equals[equal_count++] = trial->roads.stars[w * 64 + (size_t)__builtin_ctzll(bits)];
        }
    }
    if (equal_count == 0) return SC_NONE;
    sc_sort_u32(own->equals, equal_count);
    return own->equals[sc_rng_below(engine->rng, (uint32_t)equal_count)];
}

/** Settling in the vicinity of the search. */
typedef struct near_trial {
    uint64_t left;
    uint64_t barred;
    size_t road_count;    ///< of those that are left
    uint32_t most_roads;  ///< that a member asks for
    uint32_t most_hops;   ///< farthest_hops()
} near_trial;

static uint32_t hops_of(const near_trial *trial, const sc__reach_demand *members)
{
    return members->max_hops < trial->most_hops ? members->max_hops : trial->most_hops;
}

static near_trial begin_near(const sc_engine *engine, uint64_t stars, size_t member_count)
{
    const sc__patient *own = engine->method_state;
    near_trial trial = {.left = stars, .most_hops = farthest_hops(own)};
    for (size_t i = 0; i < member_count; i++) {
        trial.barred |= UINT64_C(1) << own->settlers[i].number;
    }
    for (size_t i = 0; i < own->trial.reach_count; i++) {
        const uint32_t segments = own->reach_demands[i].demand.segments;
        if (segments > trial.most_roads) trial.most_roads = segments;
    }
    return trial;
}

/** The first reach whose members lack possible roads with the stars that are left; or
 * `reach_count`. */
static size_t near_fails_at(const sc_engine *engine, const near_trial *trial)
{
    sc__patient *own = engine->method_state;
    size_t i = 0;
    for (; i < own->trial.reach_count; i++) {
        const sc__reach_demand *members = &own->reach_demands[i];
        const uint64_t possible =
            sc__vicinity_possible(&own->around, trial->left, hops_of(trial, members));
        if (!sc__vicinity_meets(engine, &own->around, possible, &members->demand)) break;
    }
    return i;
}

/** One of `stars`, drawn, as its number. */
static uint32_t draw_number(const sc_engine *engine, uint64_t stars)
{
    const sc__patient *own = engine->method_state;
    sc_star_id equals[SC__VICINITY_MAX];
    size_t count = 0;
    for (uint64_t bits = stars; bits != 0; bits &= bits - 1) {
        equals[count++] = own->around.ids[__builtin_ctzll(bits)];
    }
    sc_sort_u32(equals, count);
    return own->around.number_of[equals[sc_rng_below(engine->rng, (uint32_t)count)]] - 1u;
}

/** Take a star away because of the members of `reach`; whether there is one, and roads enough. */
static bool take_near(const sc_engine *engine, near_trial *trial, size_t reach)
{
    const sc__patient *own = engine->method_state;
    const uint32_t hops = hops_of(trial, &own->reach_demands[reach]);
    const uint64_t farthest =
        sc__vicinity_farthest(&own->around, trial->left, trial->left & ~trial->barred, hops);
    if (farthest == 0) return false;
    const uint32_t number = draw_number(engine, farthest);
    trial->left &= ~(UINT64_C(1) << number);
    trial->road_count -= sc__vicinity_sole(&own->around, number, trial->left);
    return trial->road_count >= trial->most_roads;
}

/** sc__settle() in the vicinity of the search. */
static sc_err settle_near(sc_engine *engine, const sc__listing *start, const sc__found_stars *t,
                          size_t member_count, bool *is_good)
{
    sc__patient *own = engine->method_state;
    *is_good = is_narrow(own, start, t->mask, 1);
    if (*is_good) return SC_OK;
    near_trial trial = begin_near(engine, *t->mask, member_count);
    const sc_err err = sc__vicinity_measure(engine, &own->around, trial.left, trial.most_hops);
    if (err) return err;
    const uint32_t least_hops = hops_of(&trial, &own->reach_demands[0]);
    *is_good = sc__vicinity_possible(&own->around, trial.left, least_hops) == trial.left;
    if (*is_good) return SC_OK;
    trial.road_count = sc__vicinity_count(engine, &own->around, trial.left);
    for (;;) {
        const size_t reach = near_fails_at(engine, &trial);
        *is_good = reach == own->trial.reach_count;
        if (*is_good) break;
        if (!take_near(engine, &trial, reach)) return SC_OK;
    }
    *t->mask = trial.left;
    return SC_OK;
}

sc_err sc__settle(sc_engine *engine, const sc__listing *start, const sc__found_stars *t,
                  size_t member_count, sc__specials specials, bool *is_good)
{
    sc__patient *own = engine->method_state;
    sc__star_trial *trial = &own->trial;
    sc_err err = list_reaches(engine, member_count);
    if (err) return err;
    if (specials.count == 0 && own->around.tests_roads && is_near(own)) {
        err = settle_near(engine, start, t, member_count, is_good);
        if (!err && *is_good) err = measure(engine, start, t, member_count, specials);
        if (err) return err;
        engine->stats.settled++;
        engine->stats.settle_failures += !*is_good;
        return SC_OK;
    }
    err = measure(engine, start, t, member_count, specials);
    if (err) return err;
    engine->stats.settled++;
    // Where nothing is too far, the search has tested all that there is to test.
    *is_good = !own->is_too_large && !own->has_far;
    if (own->is_too_large || *is_good) {
        engine->stats.settle_failures += own->is_too_large;
        return SC_OK;
    }
    sc__demand most = {0};
    for (size_t i = 0; i < trial->reach_count; i++) {
        most = sc__demand_meet(most, trial->reaches[i].demand);
    }
    for (;;) {
        const size_t reach = sc__star_trial_fails_at(trial);
        if (reach == trial->reach_count) break;
        const sc_star_id gone = reach == SC__FAILS_FOR_GOOD ? SC_NONE : choose(engine, reach);
        if (gone != SC_NONE) {
            const uint32_t number = sc__number_of(&engine->numbers, gone);
            trial->left[number / 64] &= ~(UINT64_C(1) << (number % 64));
        }
        if (gone == SC_NONE || !sc__mask_is_enough(engine, t->stars, trial->left, t->words, most)) {
            engine->stats.settle_failures++;
            return SC_OK;
        }
    }
    memcpy(t->mask, trial->left, t->words * sizeof *t->mask);
    *is_good = true;
    return SC_OK;
}

// --- What pruning goes on with ---------------------------------------------------

size_t sc__settle_reach_count(const sc__patient *own)
{
    return own->has_far ? own->trial.reach_count : 0;
}

sc_err sc__settle_keep(sc_engine *engine, const sc_cloak *cloak, sc__kept_demands *kept)
{
    sc__patient *own = engine->method_state;
    const sc__star_trial *trial = &own->trial;
    if (kept->reach_count == 0) return SC_OK;
    if (!sc_reserve(&own->places, trial->words * 64, &own->place_capacity, sizeof *own->places)) {
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < cloak->star_count; i++) {
        own->places[sc__number_of(&engine->numbers, cloak->stars[i])] = (uint32_t)i;
    }
    memcpy(kept->reaches, trial->reaches, trial->reach_count * sizeof *kept->reaches);
    const uint64_t *far = trial->far;
    for (size_t w = 0; w < trial->words; w++) {
        for (uint64_t bits = trial->all[w]; bits != 0; bits &= bits - 1) {
            const uint64_t *row = far;
            far += trial->reach_count * trial->words;
            if (!(trial->left[w] & bits & -bits)) continue;
            const uint32_t place = own->places[w * 64 + (size_t)__builtin_ctzll(bits)];
            uint64_t *out = kept->far + place * kept->reach_count * kept->words;
            for (size_t i = 0; i < trial->reach_count; i++, out += kept->words) {
                for (size_t v = 0; v < trial->words; v++, row++) {
                    for (uint64_t rest = *row & trial->left[v]; rest != 0; rest &= rest - 1) {
                        sc__mask_put(out, own->places[v * 64 + (size_t)__builtin_ctzll(rest)]);
                    }
                }
            }
        }
    }
    return SC_OK;
}
