/**
 * @file covered_set.h
 * @brief Balls of stars, the covered sets of vertices; numbers for the stars of one, and sets of
 * numbered stars as bits.
 *
 * A covered set is a ball around a star. An active star keeps the largest ball it needs, nearest
 * star first, so that every smaller one is a prefix of it and no search has to walk the map again.
 *
 * The few stars of a ball are numbered 0, 1, 2, ... so that sets of them can be bits. The numbers
 * are in a hash table from id to number. It is small enough to stay in the nearest cache however
 * large the map, which a number stored beside each star would not be. Stars near each other have
 * ids near each other, so the low bits of the id spread them as well as any hash.
 *
 * Numbers are stored as offsets into a range of integers that only the present set of stars has:
 * the next set takes the next range, so nothing is cleared between them.
 */
#ifndef SC_ENGINE_COVERED_SET_H
#define SC_ENGINE_COVERED_SET_H

#include <string.h>

#include <starcloak/engine.h>
#include <starcloak/map.h>

#include "engine/demand.h"

// --- Numbers -----------------------------------------------------------------

typedef struct sc__numbered {
    sc_star_id star;
    uint32_t stored;  ///< counts if it lies in the present range
} sc__numbered;

/** Zero-initialise; sc__numbers_fini() when done. */
typedef struct sc__numbers {
    sc__numbered *entries;
    uint32_t capacity;  ///< a power of two, at least twice `count`; or 0
    uint32_t first;     ///< the present range begins here
    uint32_t count;     ///< and has this many numbers
} sc__numbers;

void sc__numbers_fini(sc__numbers *numbers);

/** Forget all numbers and make room for `count` stars; more can come. */
SC_CHECKED sc_err sc__numbers_begin(sc__numbers *numbers, uint32_t count);

/** Make the table large enough for `count` stars; use sc__numbers_reserve(). */
SC_CHECKED sc_err sc__numbers_grow(sc__numbers *numbers, uint64_t count);

/** Make room for `more` stars than there are. */
SC_CHECKED static inline sc_err sc__numbers_reserve(sc__numbers *numbers, uint32_t more)
{
    const uint64_t count = (uint64_t)numbers->count + more;
    return count <= numbers->capacity / 2 ? SC_OK : sc__numbers_grow(numbers, count);
}

/** Where `star` is, or would be put. There must be room. */
static inline sc__numbered *sc__numbers_at(const sc__numbers *numbers, sc_star_id star)
{
    const uint32_t mask = numbers->capacity - 1;
    uint32_t at = star & mask;
    while (numbers->entries[at].stored - numbers->first < numbers->count &&
           numbers->entries[at].star != star) {
        at = (at + 1) & mask;
    }
    return &numbers->entries[at];
}

/**
 * The number of `star`, or something >= count if it has none. Whether it has one is hard to
 * predict, so the first entry is looked at without a branch: it is the star's, or free, or, rarely,
 * another's.
 */
static inline uint32_t sc__number_of(const sc__numbers *numbers, sc_star_id star)
{
    const sc__numbered entry = numbers->entries[star & (numbers->capacity - 1)];
    const uint32_t number = entry.stored - numbers->first;
    const bool is_other = entry.star != star;
    if (__builtin_expect(is_other & (number < numbers->count), false)) {
        return sc__numbers_at(numbers, star)->stored - numbers->first;
    }
    return is_other ? UINT32_MAX : number;
}

/** Give the next number to a star that has none. There must be room. */
static inline void sc__numbers_put(sc__numbers *numbers, sc__numbered *at, sc_star_id star)
{
    *at = (sc__numbered){star, numbers->first + numbers->count};
    numbers->count++;
}

// --- Balls -------------------------------------------------------------------

/** All stars within some hops of one, nearest first: any smaller ball is the front of it. */
typedef struct sc__ball {
    uint32_t count;
    uint32_t depth;     ///< `upto` goes from 0 to depth
    bool is_complete;   ///< the whole component: reaches any number of hops
    uint32_t tables[];  ///< upto[depth + 1], then stars[count]
} sc__ball;

/** How many stars of `ball` are within `hops`; it must reach that far. */
static inline uint32_t sc__ball_count(const sc__ball *ball, uint32_t hops)
{
    return ball->tables[hops < ball->depth ? hops : ball->depth];
}

/** Its stars, nearest first. */
static inline const sc_star_id *sc__ball_stars(const sc__ball *ball)
{
    return ball->tables + ball->depth + 1;
}

/** Whether `ball` has all stars within `hops`. */
static inline bool sc__ball_reaches(const sc__ball *ball, uint32_t hops)
{
    return ball->is_complete || hops <= ball->depth;
}

/** Number the first `count` stars of `ball`, as they stand in it. */
SC_CHECKED sc_err sc__number_stars(sc_engine *engine, const sc__ball *ball, uint32_t count);

/** Walk ball(star, max_hops) and keep it; release it with sc__ball_free(). */
SC_CHECKED sc_err sc__ball_new(sc_engine *engine, sc_star_id star, uint32_t max_hops,
                               sc__ball **out);

/** Of the same engine; NULL is fine. */
void sc__ball_free(sc_engine *engine, sc__ball *ball);

/**
 * Whether the segments of ball(star, max_hops) meet `demand`. Walks only as far as it
 * takes to know, which is mostly a star or two.
 */
SC_CHECKED sc_err sc__ball_meets(sc_engine *engine, sc_star_id star, uint32_t max_hops,
                                 sc__demand demand, bool *out);

/** The same as far as the number of segments goes. */
SC_CHECKED sc_err sc__ball_is_enough(sc_engine *engine, sc_star_id star, uint32_t max_hops,
                                     sc__demand demand, bool *out);

/** The same, and whether they meet the demands of single queries. */
SC_CHECKED sc_err sc__ball_meets_all(sc_engine *engine, sc_star_id star, uint32_t max_hops,
                                     sc__demand demand, sc__specials specials, bool *out);

/** Whether the segments of ball(star, max_hops) meet all that `query` asks for. */
SC_CHECKED sc_err sc__ball_meets_query(sc_engine *engine, sc_star_id star, uint32_t max_hops,
                                       const sc_query *query, bool *out);

// --- Masks -------------------------------------------------------------------
//
// Sets of numbered stars: star number i is bit i. `words` words each.

static inline bool sc__mask_has(const uint64_t *mask, uint32_t number)
{
    return mask[number / 64] >> (number % 64) & 1;
}

static inline void sc__mask_put(uint64_t *mask, uint32_t number)
{
    mask[number / 64] |= UINT64_C(1) << (number % 64);
}

/** The set of all `star_count` stars, which need `words` words, at least one. */
static inline void sc__mask_fill(uint64_t *mask, size_t words, uint32_t star_count)
{
    memset(mask, 0xff, words * sizeof *mask);
    if (star_count % 64 > 0) mask[words - 1] = (UINT64_C(1) << (star_count % 64)) - 1;
}

/** Set `mask` to those of `stars` that have a number. */
void sc__mask_mark(const sc_engine *engine, uint64_t *mask, size_t words, const sc_star_id *stars,
                   uint32_t count);

/**
 * The segments of some stars: what demands are tested on. Stars have numbers, by the engine's table
 * or, where there is none, by their places.
 */
typedef struct sc__road_set {
    const sc_star *map_stars;
    const sc_seg_id *star_segments;
    const sc_segment *segments;
    const sc_star_id *stars;     ///< by number
    const uint64_t *mask;        ///< of those that count; NULL: all
    size_t words;                ///< of the mask
    uint32_t count;              ///< of numbers
    const sc__numbers *numbers;  ///< NULL: by `places`
    const uint32_t *places;      ///< by star of the map: 1 + its number, or 0
} sc__road_set;

/** The segments of the stars of `mask`, which have the engine's numbers; `stars` by number. */
sc__road_set sc__roads_of_mask(const sc_engine *engine, const sc_star_id *stars,
                               const uint64_t *mask, size_t words);

/**
 * Whether the segments of the stars of `mask` meet `demand`. Counts only until there are enough,
 * which two or three stars mostly have.
 *
 * @param stars  by number
 */
bool sc__mask_meets(const sc_engine *engine, const sc_star_id *stars, const uint64_t *mask,
                    size_t words, sc__demand demand);

/** The same as far as the number of segments goes. */
bool sc__mask_is_enough(const sc_engine *engine, const sc_star_id *stars, const uint64_t *mask,
                        size_t words, sc__demand demand);

/** The same for the demands of single queries. */
bool sc__mask_meets_specials(const sc_engine *engine, const sc_star_id *stars, const uint64_t *mask,
                             size_t words, sc__specials specials);

/** The other end star of `segment`, seen from `star`: itself for a loop, SC_NONE at a dead end. */
static inline sc_star_id sc__other_end(const sc_segment *segment, sc_star_id star)
{
    return segment->star_a == star ? segment->star_b : segment->star_a;
}

#endif
