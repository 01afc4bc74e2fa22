// What pruning must keep of a candidate. kept_demands.h has the idea.
//
// One block of memory, the most strictly aligned part first:
//
//     | sc__kept_demands | own demands | masks | reached stars | firsts | specials | reaches |
#include "engine/kept_demands.h"

#include "base/alloc.h"

#include <string.h>

_Static_assert(sizeof(sc__kept_demands) % _Alignof(sc_own_demands) == 0, "own demands follow");
_Static_assert(_Alignof(sc_own_demands) % _Alignof(uint64_t) == 0, "masks follow own demands");
_Static_assert(_Alignof(uint64_t) % _Alignof(size_t) == 0, "firsts follow stars");
_Static_assert(_Alignof(size_t) % _Alignof(const sc_query *) == 0, "specials follow firsts");
_Static_assert(_Alignof(const sc_query *) % _Alignof(sc__reach_demand) == 0, "reaches follow");

sc__kept_demands *sc__kept_demands_new(const sc__demand_tables *tables, const sc__kept_sizes *sizes)
{
    const size_t words = sizes->star_count / 64 + 1;
    size_t mask_count = 0;
    size_t mask_bytes = 0;
    if (__builtin_mul_overflow(sizes->star_count, sizes->reach_count, &mask_count) ||
        __builtin_mul_overflow(mask_count + 3, words * sizeof(uint64_t), &mask_bytes)) {
        return NULL;
    }
    const size_t size = sizeof(sc__kept_demands) + sizes->own_bytes + mask_bytes +
                        sizes->reached_count * sizeof(uint64_t) +
                        sizes->member_count * (sizeof(size_t) + sizeof(const sc_query *)) +
                        sizes->reach_count * sizeof(sc__reach_demand);
    sc__kept_demands *kept = sc_malloc(size);
    if (!kept) return NULL;
    *kept = (sc__kept_demands){
        .size = size, .tables = *tables, .reach_count = sizes->reach_count, .words = words};
    kept->own = (unsigned char *)(kept + 1);
    kept->all = (uint64_t *)(kept->own + sizes->own_bytes);
    kept->left = kept->all + words;
    kept->possible = kept->left + words;
    kept->far = kept->possible + words;
    kept->reached_stars = kept->far + mask_count * words;
    kept->first_reached = (size_t *)(kept->reached_stars + sizes->reached_count);
    kept->specials = (const sc_query **)(kept->first_reached + sizes->member_count);
    kept->reaches = (sc__reach_demand *)(kept->specials + sizes->member_count);
    memset(kept->all, 0, mask_bytes);
    for (uint32_t i = 0; i < sizes->star_count; i++) {
        sc__mask_put(kept->all, i);
        sc__mask_put(kept->left, i);
    }
    return kept;
}

void sc__kept_demands_free(sc__kept_demands *kept)
{
    if (!kept) return;
    explicit_bzero(kept, kept->size);
    sc_free(kept);
}

void sc__kept_demands_fill(sc__kept_demands *kept, sc_cloak *cloak)
{
    unsigned char *room = kept->own;
    size_t reached_count = 0;
    for (size_t i = 0; i < cloak->member_count; i++) {
        sc_query *query = &cloak->members[i].query;
        kept->demand = sc__demand_meet(kept->demand, sc__demand_of(&kept->tables, query));
        if (!query->own) continue;
        const size_t size = sc__own_size(query->own);
        query->own = sc__own_copy(query->own, room);
        room += size;
        kept->first_reached[kept->special_count] = reached_count;
        reached_count += query->own->reached_count;
        kept->specials[kept->special_count++] = query;
    }
}

void sc__kept_demands_note_reached(sc__kept_demands *kept, const sc__road_set *roads)
{
    for (size_t i = 0; i < kept->special_count; i++) {
        sc__reached_stars(roads, kept->specials[i], kept->reached_stars + kept->first_reached[i]);
    }
    kept->has_reached_stars = true;
}

bool sc__kept_demands_are_met(const sc__kept_demands *kept, const sc__road_set *roads)
{
    const sc__specials specials = {
        .queries = kept->specials,
        .count = kept->special_count,
        .reached_stars = kept->has_reached_stars ? kept->reached_stars : NULL,
        .first_reached = kept->first_reached,
    };
    if (kept->reach_count == 0) {
        sc__road_set left = *roads;
        left.mask = kept->left;
        left.words = kept->words;
        return sc__roads_meet(&kept->tables, &left, &kept->demand) &&
               sc__specials_are_met(&kept->tables, &left, specials);
    }
    sc__star_trial trial = {
        .tables = &kept->tables,
        .roads = *roads,
        .words = kept->words,
        .all = kept->all,
        .left = kept->left,
        .possible = kept->possible,
        .reaches = kept->reaches,
        .reach_count = kept->reach_count,
        .far = kept->far,
        .specials = specials,
    };
    trial.roads.words = kept->words;
    return sc__star_trial_fails_at(&trial) == kept->reach_count;
}
