// Calling for memory before it is needed. See sc_engine_prefetch().
//
// On a map that no cache can hold, each query begins somewhere else, and finding its
// star and its ball goes from table to table: segment, its stars, their neighbours,
// theirs. Each step is a visit to memory that can begin only when the one before has
// ended. So a query is led through these steps ahead of its time, one step for each
// other query that is served meanwhile, and at each step the lines of the next one are
// called for. Nothing here changes anything.
#include "engine/expect.h"

/** Steps of the way; the first is for the segment itself. */
enum { STEPS = 5 };

static void call_for_star(const sc_engine *engine, sc_star_id star)
{
    __builtin_prefetch(&engine->stars[star]);
    __builtin_prefetch(&engine->not_first_vertex[star]);
}

static void call_for_lists(const sc_engine *engine, sc_star_id star)
{
    __builtin_prefetch(&engine->star_neighbours[engine->stars[star].first_neighbour]);
    __builtin_prefetch(&engine->star_segments[engine->stars[star].first_segment]);
}

typedef void call(const sc_engine *engine, sc_star_id star);

static void for_neighbours(const sc_engine *engine, sc_star_id star, call *call_for)
{
    const sc_star *at = &engine->stars[star];
    for (uint32_t j = at[0].first_neighbour; j < at[1].first_neighbour; j++) {
        call_for(engine, engine->star_neighbours[j]);
    }
}

static void call_for_segments(const sc_engine *engine, sc_star_id star)
{
    const sc_star *at = &engine->stars[star];
    for (uint32_t j = at[0].first_segment; j < at[1].first_segment; j++) {
        __builtin_prefetch(&engine->segments[engine->star_segments[j]]);
    }
}

/** One step for the star at an end of the road. What earlier steps called for is there now. */
static void step(const sc_engine *engine, unsigned number, sc_star_id star)
{
    switch (number) {
    case 1:
        call_for_star(engine, star);
        break;
    case 2:
        call_for_lists(engine, star);
        break;
    case 3:
        call_for_segments(engine, star);
        for_neighbours(engine, star, call_for_star);
        break;
    case 4:
        for_neighbours(engine, star, call_for_lists);
        break;
    default:
        break;
    }
}

void sc__expect(sc_engine *engine, sc_seg_id segment)
{
    engine->expected[engine->next_expected % SC_ENGINE_PREFETCH_AHEAD] = segment;
    __builtin_prefetch(&engine->segments[segment]);
    __builtin_prefetch(&engine->assigned[segment]);
    for (unsigned number = 1; number < STEPS; number++) {
        const sc_seg_id earlier =
            engine->expected[(engine->next_expected - number) % SC_ENGINE_PREFETCH_AHEAD];
        if (earlier == SC_NONE) break;
        const sc_segment *at = &engine->segments[earlier];
        step(engine, number, at->star_a);
        if (at->star_b != SC_NONE) step(engine, number, at->star_b);
    }
    engine->next_expected++;
}
