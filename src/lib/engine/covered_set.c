// Balls of stars, numbers for the stars of one, and sets of numbered stars. covered_set.h has the
// idea.
#include "engine/covered_set.h"

#include "base/alloc.h"
#include "engine/engine_internal.h"

#include <string.h>

// --- Numbers -----------------------------------------------------------------

/** 8 kB: room for the balls of ordinary queries at a sixteenth full. */
enum { LEAST_CAPACITY = 1024 };

void sc__numbers_fini(sc__numbers *numbers)
{
    sc_free(numbers->entries);
    *numbers = (sc__numbers){0};
}

/** Start again with the first range: no entry lies in it. */
static void clear(sc__numbers *numbers)
{
    memset(numbers->entries, 0, numbers->capacity * sizeof *numbers->entries);
    numbers->first = 1;
}

/** A table of `capacity` entries with those of the present range. */
static sc_err resize(sc__numbers *numbers, uint32_t capacity)
{
    sc__numbers grown = {.capacity = capacity};
    grown.entries = sc_malloc_array(capacity, sizeof *grown.entries);
    if (!grown.entries) return SC_ENOMEM;
    clear(&grown);
    // Only entries of the present range are copied.
    grown.count = numbers->count;
    for (uint32_t i = 0; i < numbers->capacity; i++) {
        const sc__numbered old = numbers->entries[i];
        const uint32_t number = old.stored - numbers->first;
        if (number >= numbers->count) continue;
        *sc__numbers_at(&grown, old.star) = (sc__numbered){old.star, grown.first + number};
    }
    sc_free(numbers->entries);
    *numbers = grown;
    return SC_OK;
}

sc_err sc__numbers_grow(sc__numbers *numbers, uint64_t count)
{
    uint32_t capacity = LEAST_CAPACITY;
    while (capacity / 2 < count) {
        if (capacity > UINT32_MAX / 2) return SC_ENOMEM;
        capacity *= 2;
    }
    return resize(numbers, capacity);
}

sc_err sc__numbers_begin(sc__numbers *numbers, uint32_t count)
{
    numbers->first += numbers->count;
    numbers->count = 0;
    const sc_err err = sc__numbers_reserve(numbers, count);
    if (err) return err;
    // No set can have more numbers than half the table, so this range is whole.
    if (numbers->first > UINT32_MAX - numbers->capacity) clear(numbers);
    return SC_OK;
}

// --- Walks over the map ------------------------------------------------------

sc_err sc__number_stars(sc_engine *engine, const sc__ball *ball, uint32_t count)
{
    sc__numbers *numbers = &engine->numbers;
    const sc_star_id *stars = sc__ball_stars(ball);
    const sc_err err = sc__numbers_begin(numbers, count);
    if (err) return err;
    for (uint32_t i = 0; i < count; i++) {
        sc__numbers_put(numbers, sc__numbers_at(numbers, stars[i]), stars[i]);
    }
    return SC_OK;
}

/** A walk prefetches the list of neighbours of the star so many stars ahead. */
enum { SOON = 3 };

/** Make room in the walk for `count` stars more. */
static sc_err make_room(sc_engine *engine, uint32_t count)
{
    const size_t needed = (size_t)engine->numbers.count + count;
    if (needed > engine->walk_capacity) {
        const size_t capacity = 2 * needed;
        sc_star_id *walk = sc_realloc_array(engine->walk, capacity, sizeof *walk);
        if (!walk) return SC_ENOMEM;
        engine->walk = walk;
        engine->walk_capacity = capacity;
    }
    return sc__numbers_reserve(&engine->numbers, count);
}

/** Add a star to the walk, unless it is there. There must be room. */
static inline void reach(sc_engine *engine, sc_star_id star)
{
    sc__numbers *numbers = &engine->numbers;
    sc__numbered *place = sc__numbers_at(numbers, star);
    if (place->stored - numbers->first < numbers->count) return;
    engine->walk[numbers->count] = star;
    sc__numbers_put(numbers, place, star);
    __builtin_prefetch(&engine->stars[star]);  // its neighbours will be asked for
}

/** Begin a walk at `star`. */
static sc_err set_out(sc_engine *engine, sc_star_id star)
{
    sc_err err = sc__numbers_begin(&engine->numbers, 1);
    if (!err) err = make_room(engine, 1);
    if (!err) reach(engine, star);
    return err;
}

/** Reach the neighbours of the walk's star `at` that it has not reached yet. */
static inline sc_err reach_neighbours(sc_engine *engine, uint32_t at)
{
    const sc_star *star = &engine->stars[engine->walk[at]];
    if (at + SOON < engine->numbers.count) {
        const sc_star *soon = &engine->stars[engine->walk[at + SOON]];
        __builtin_prefetch(&engine->star_neighbours[soon->first_neighbour]);
    }
    const uint32_t end = star[1].first_neighbour;
    const sc_err err = make_room(engine, end - star[0].first_neighbour);
    for (uint32_t j = star[0].first_neighbour; !err && j < end; j++) {
        reach(engine, engine->star_neighbours[j]);
    }
    return err;
}

/**
 * Segments of a star that are at none of the stars before it, at least as many: a road leads to
 * each neighbour. That is mostly enough, and spares looking at the roads themselves.
 *
 * @param before  how many of its neighbours are such stars
 */
static inline size_t sure_segments(const sc_star *star, uint32_t before)
{
    return before == 0 ? star[1].first_segment - star[0].first_segment
                       : star[1].first_neighbour - star[0].first_neighbour - before;
}

/** Neighbours of the walk's star `at` that are before it. */
static uint32_t neighbours_before(const sc_engine *engine, uint32_t at)
{
    const sc_star *star = &engine->stars[engine->walk[at]];
    uint32_t count = 0;
    for (uint32_t j = star[0].first_neighbour; j < star[1].first_neighbour; j++) {
        count += sc__number_of(&engine->numbers, engine->star_neighbours[j]) < at;
    }
    return count;
}

/** Whether a star and the first of its neighbours, if they are in reach, are sure to have enough
 * segments: most are, and no walk has to be made. */
static bool is_enough_nearby(const sc_engine *engine, sc_star_id star, uint32_t max_hops,
                             sc__demand demand)
{
    enum { FEW = 4 };
    const sc_star *at = &engine->stars[star];
    const sc_star_id *neighbours = &engine->star_neighbours[at[0].first_neighbour];
    const uint32_t neighbour_count = at[1].first_neighbour - at[0].first_neighbour;
    size_t count = sure_segments(at, 0);
    for (uint32_t i = 0; !sc__demand_is_met(demand, count); i++) {
        if (i == FEW || i == neighbour_count || max_hops == 0) return false;
        const sc_star *next = &engine->stars[neighbours[i]];
        uint32_t before = 0;
        for (uint32_t j = next[0].first_neighbour; j < next[1].first_neighbour; j++) {
            const sc_star_id other = engine->star_neighbours[j];
            before += other == star;
            for (uint32_t n = 0; n < i; n++) {
                before += other == neighbours[n];
            }
        }
        count += sure_segments(next, before);
    }
    return true;
}

/** Segments of the walk's star `at` that touch none of the stars before it. */
static uint32_t new_segments(const sc_engine *engine, uint32_t at)
{
    const sc_star_id star = engine->walk[at];
    uint32_t count = 0;
    for (uint32_t j = engine->stars[star].first_segment; j < engine->stars[star + 1].first_segment;
         j++) {
        const sc_star_id other = sc__other_end(&engine->segments[engine->star_segments[j]], star);
        count += other == SC_NONE || sc__number_of(&engine->numbers, other) >= at;
    }
    return count;
}

/** Whether the segments of all stars walked are as many as `demand` asks for. */
static bool walk_is_enough(const sc_engine *engine, sc__demand demand)
{
    size_t segment_count = 0;
    for (uint32_t at = 0; at < engine->numbers.count; at++) {
        segment_count += new_segments(engine, at);
    }
    return sc__demand_is_met(demand, segment_count);
}

/** How far a walk has come. */
typedef struct walk_state {
    uint32_t ring_end;  ///< stars before this one are within `hops`
    uint32_t hops;
    uint32_t next;  ///< the star whose neighbours come next
} walk_state;

/** Let the walk reach its star `at`; it has not if it ends before. */
__attribute__((always_inline)) static inline sc_err walk_to(sc_engine *engine, walk_state *walk,
                                                            uint32_t at, uint32_t max_hops)
{
    while (at == engine->numbers.count) {
        if (walk->next == walk->ring_end) {
            if (walk->ring_end == engine->numbers.count) break;
            walk->ring_end = engine->numbers.count;
            walk->hops++;
        }
        if (walk->hops == max_hops) break;
        const sc_err err = reach_neighbours(engine, walk->next++);
        if (err) return err;
    }
    return SC_OK;
}

sc_err sc__ball_is_enough(sc_engine *engine, sc_star_id star, uint32_t max_hops, sc__demand demand,
                          bool *out)
{
    if (is_enough_nearby(engine, star, max_hops, demand)) {
        *out = true;
        return SC_OK;
    }
    sc_err err = set_out(engine, star);
    if (err) return err;
    size_t sure_count = 0;
    walk_state walk = {.ring_end = 1};
    for (uint32_t at = 0;; at++) {
        err = walk_to(engine, &walk, at, max_hops);
        if (err) return err;
        if (at == engine->numbers.count) break;
        sure_count +=
            sure_segments(&engine->stars[engine->walk[at]], neighbours_before(engine, at));
        if (sc__demand_is_met(demand, sure_count)) {
            *out = true;
            return SC_OK;
        }
    }
    *out = walk_is_enough(engine, demand);
    return SC_OK;
}

/** The segments of all stars walked. */
static sc__road_set roads_of_walk(const sc_engine *engine)
{
    return (sc__road_set){
        .map_stars = engine->stars,
        .star_segments = engine->star_segments,
        .segments = engine->segments,
        .stars = engine->walk,
        .count = engine->numbers.count,
        .numbers = &engine->numbers,
    };
}

sc_err sc__ball_meets(sc_engine *engine, sc_star_id star, uint32_t max_hops, sc__demand demand,
                      bool *out)
{
    const sc__demand_tables *tables = &engine->tables;
    if (sc__tables_are_empty(tables))
        return sc__ball_is_enough(engine, star, max_hops, demand, out);
    sc_err err = set_out(engine, star);
    if (err) return err;
    sc__tally tally = {0};
    walk_state walk = {.ring_end = 1};
    for (uint32_t at = 0;; at++) {
        err = walk_to(engine, &walk, at, max_hops);
        if (err) return err;
        const sc__road_set roads = roads_of_walk(engine);
        if (at == engine->numbers.count) {
            *out = sc__tally_meets(&tally, tables, &roads, &demand);
            return SC_OK;
        }
        sc__tally_add(&tally, tables, &roads, engine->walk[at], at, &demand);
        if (sc__tally_is_enough(&tally, tables, &demand)) {
            *out = true;
            return SC_OK;
        }
    }
}

sc_err sc__ball_meets_all(sc_engine *engine, sc_star_id star, uint32_t max_hops, sc__demand demand,
                          sc__specials specials, bool *out)
{
    sc_err err = sc__ball_meets(engine, star, max_hops, demand, out);
    if (err || !*out || specials.count == 0) return err;
    err = set_out(engine, star);
    walk_state walk = {.ring_end = 1};
    while (!err) {
        const uint32_t reached = engine->numbers.count;
        err = walk_to(engine, &walk, reached, max_hops);
        if (reached == engine->numbers.count) break;
    }
    if (err) return err;
    const sc__road_set roads = roads_of_walk(engine);
    *out = sc__specials_are_met(&engine->tables, &roads, specials);
    return SC_OK;
}

sc_err sc__ball_meets_query(sc_engine *engine, sc_star_id star, uint32_t max_hops,
                            const sc_query *query, bool *out)
{
    const sc__demand demand = sc__demand_of(&engine->tables, query);
    const sc__specials own = {.queries = &query, .count = query->own ? 1 : 0};
    return sc__ball_meets_all(engine, star, max_hops, demand, own, out);
}

static size_t ball_size(uint32_t depth, uint32_t count)
{
    return sizeof(sc__ball) + ((size_t)depth + 1 + count) * sizeof(uint32_t);
}

void sc__ball_free(sc_engine *engine, sc__ball *ball)
{
    if (ball) sc__ball_store_give(&engine->balls, ball, ball_size(ball->depth, ball->count));
}

sc_err sc__ball_new(sc_engine *engine, sc_star_id star, uint32_t max_hops, sc__ball **out)
{
    sc_err err = set_out(engine, star);
    if (err) return err;

    // Ring by ring: walk_upto[h] stars are within h hops.
    uint32_t depth = 0;
    uint32_t ring_start = 0;
    bool is_complete = false;
    for (;; depth++) {
        const uint32_t ring_end = engine->numbers.count;
        if (!sc_grow(&engine->walk_upto, depth, &engine->walk_upto_capacity,
                     sizeof *engine->walk_upto)) {
            return SC_ENOMEM;
        }
        engine->walk_upto[depth] = ring_end;
        if (depth == max_hops) break;
        for (uint32_t at = ring_start; at < ring_end; at++) {
            err = reach_neighbours(engine, at);
            if (err) return err;
        }
        if (engine->numbers.count == ring_end) {
            is_complete = true;
            break;
        }
        ring_start = ring_end;
    }

    const uint32_t count = engine->numbers.count;
    sc__ball *ball = sc__ball_store_take(&engine->balls, ball_size(depth, count));
    if (!ball) return SC_ENOMEM;
    ball->count = count;
    ball->depth = depth;
    ball->is_complete = is_complete;
    memcpy(ball->tables, engine->walk_upto, ((size_t)depth + 1) * sizeof *ball->tables);
    memcpy(ball->tables + depth + 1, engine->walk, count * sizeof *ball->tables);
    *out = ball;
    return SC_OK;
}

// --- Masks -------------------------------------------------------------------

void sc__mask_mark(const sc_engine *engine, uint64_t *mask, size_t words, const sc_star_id *stars,
                   uint32_t count)
{
    const sc__numbers *numbers = &engine->numbers;
    if (words == 1) {
        // Whether a star has a number is hard to predict: no branch, and no store for each.
        uint64_t bits = 0;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t number = sc__number_of(numbers, stars[i]);
            bits |= (uint64_t)(number < numbers->count) << (number % 64);
        }
        *mask = bits;
        return;
    }
    memset(mask, 0, words * sizeof *mask);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = sc__number_of(numbers, stars[i]);
        if (number < numbers->count) sc__mask_put(mask, number);
    }
}

/** Whether `other` is of the set `mask` and has a lower number. */
static bool is_earlier(const sc_engine *engine, const uint64_t *mask, sc_star_id other,
                       uint32_t number)
{
    const uint32_t theirs = sc__number_of(&engine->numbers, other);
    return theirs < number && sc__mask_has(mask, theirs);
}

/** Roads of a star that touch none of the set before it. A road counts at the first of its two
 * ends. */
static size_t new_segments_of(const sc_engine *engine, const uint64_t *mask, sc_star_id star,
                              uint32_t number)
{
    size_t count = 0;
    for (uint32_t j = engine->stars[star].first_segment; j < engine->stars[star + 1].first_segment;
         j++) {
        const sc_star_id other = sc__other_end(&engine->segments[engine->star_segments[j]], star);
        count += other == SC_NONE || !is_earlier(engine, mask, other, number);
    }
    return count;
}

/** Count roads star by star, until there are enough. */
static bool has_segments(const sc_engine *engine, const sc_star_id *stars, const uint64_t *mask,
                         size_t words, sc__demand demand)
{
    size_t segment_count = 0;
    for (size_t word = 0; word < words; word++) {
        for (uint64_t bits = mask[word]; bits != 0; bits &= bits - 1) {
            const uint32_t number = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits);
            segment_count += new_segments_of(engine, mask, stars[number], number);
            if (sc__demand_is_met(demand, segment_count)) return true;
        }
    }
    return sc__demand_is_met(demand, segment_count);
}

/** The same by sure_segments(), so that it may be enough if this says no. */
static inline bool has_sure_segments(const sc_engine *engine, const sc_star_id *stars,
                                     const uint64_t *mask, size_t words, sc__demand demand)
{
    size_t sure_count = 0;
    sc_star_id first = SC_NONE;  // of the set
    bool are_more = false;       // it is not the only one before the star at hand
    for (size_t word = 0; word < words; word++) {
        for (uint64_t bits = mask[word]; bits != 0; bits &= bits - 1) {
            const uint32_t number = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits);
            const sc_star *at = &engine->stars[stars[number]];
            const sc_star_id *neighbours = &engine->star_neighbours[at[0].first_neighbour];
            const uint32_t neighbour_count = at[1].first_neighbour - at[0].first_neighbour;
            uint32_t before = 0;
            // Two stars are mostly enough, and need no number to be looked up.
            if (are_more) {
                for (uint32_t j = 0; j < neighbour_count; j++) {
                    before += is_earlier(engine, mask, neighbours[j], number);
                }
            } else if (first != SC_NONE) {
                for (uint32_t j = 0; j < neighbour_count; j++) {
                    before += neighbours[j] == first;
                }
                are_more = true;
            } else {
                first = stars[number];
            }
            sure_count += sure_segments(at, before);
            if (sc__demand_is_met(demand, sure_count)) return true;
        }
    }
    return false;
}

bool sc__mask_is_enough(const sc_engine *engine, const sc_star_id *stars, const uint64_t *mask,
                        size_t words, sc__demand demand)
{
    return has_sure_segments(engine, stars, mask, words, demand) ||
           has_segments(engine, stars, mask, words, demand);
}

sc__road_set sc__roads_of_mask(const sc_engine *engine, const sc_star_id *stars,
                               const uint64_t *mask, size_t words)
{
    return (sc__road_set){
        .map_stars = engine->stars,
        .star_segments = engine->star_segments,
        .segments = engine->segments,
        .stars = stars,
        .mask = mask,
        .words = words,
        // Stars may have got numbers since.
        .count = engine->numbers.count < words * 64 ? engine->numbers.count : (uint32_t)words * 64,
        .numbers = &engine->numbers,
    };
}

bool sc__mask_meets(const sc_engine *engine, const sc_star_id *stars, const uint64_t *mask,
                    size_t words, sc__demand demand)
{
    const sc__demand_tables *tables = &engine->tables;
    if (sc__tables_are_empty(tables)) return sc__mask_is_enough(engine, stars, mask, words, demand);
    const sc__road_set roads = sc__roads_of_mask(engine, stars, mask, words);
    return sc__roads_meet(tables, &roads, &demand);
}

bool sc__mask_meets_specials(const sc_engine *engine, const sc_star_id *stars, const uint64_t *mask,
                             size_t words, sc__specials specials)
{
    const sc__road_set roads = sc__roads_of_mask(engine, stars, mask, words);
    return sc__specials_are_met(&engine->tables, &roads, specials);
}
