// Whether the possible roads of all members are enough. possible_roads.h has the idea.
#include "engine/possible_roads.h"

#include "engine/listing.h"

/** Whether no star that is left is farther than a reach from the star of that row. */
static inline bool is_possible(const sc__star_trial *trial, size_t row, size_t reach)
{
    const uint64_t *far = trial->far + (row * trial->reach_count + reach) * trial->words;
    uint64_t farther = 0;
    for (size_t w = 0; w < trial->words; w++) {
        farther |= far[w] & trial->left[w];
    }
    return farther == 0;
}

static void find_possible(const sc__star_trial *trial, size_t reach)
{
    size_t row = 0;
    for (size_t w = 0; w < trial->words; w++) {
        uint64_t possible = 0;
        for (uint64_t bits = trial->all[w]; bits != 0; bits &= bits - 1, row++) {
            const uint64_t bit = bits & -bits;
            if (trial->left[w] & bit && is_possible(trial, row, reach)) possible |= bit;
        }
        trial->possible[w] = possible;
    }
}

/** Whether the zones of the members with one max_hops are inside their possible roads. */
static bool has_zones(const sc__star_trial *trial, const sc__road_set *roads, uint32_t max_hops)
{
    for (size_t i = 0; i < trial->specials.count; i++) {
        const sc_query *query = trial->specials.queries[i];
        if (sc__listing_hops(query) == max_hops && !sc__zone_is_inside(roads, query)) return false;
    }
    return true;
}

static bool reach_is_good(const sc__star_trial *trial, size_t reach)
{
    const sc__reach_demand *members = &trial->reaches[reach];
    sc__road_set roads = trial->roads;
    find_possible(trial, reach);
    roads.mask = trial->possible;
    return sc__roads_meet(trial->tables, &roads, &members->demand) &&
           has_zones(trial, &roads, members->max_hops);
}

size_t sc__star_trial_fails_at(const sc__star_trial *trial)
{
    sc__road_set roads = trial->roads;
    roads.mask = trial->left;
    // What users can have reached is asked of all roads of the cloak.
    for (size_t i = 0; i < trial->specials.count; i++) {
        if (!sc__reached_is_enough(trial->tables, &roads, &trial->specials, i)) {
            return SC__FAILS_FOR_GOOD;
        }
    }
    size_t reach = 0;
    while (reach < trial->reach_count && reach_is_good(trial, reach)) {
        reach++;
    }
    return reach;
}
