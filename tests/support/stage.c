// An engine on a drawn map. See stage.h.
#include "support/stage.h"

#include "support/check.h"

void stage_open(stage *st, const char *picture, const char *more, const sc_engine_options *options)
{
    sc_diag diag = {""};
    *st = (stage){.sketch = sketch_draw(SC_COORDS_PLANAR, picture, more)};
    st->map = sketch_map(&st->sketch);
    sc_rng_seed(&st->rng, 1);
    sc_rng_seed(&st->prune_rng, 2);
    CHECK_OK(sc_engine_new(st->map, options, &st->rng, &st->engine, &diag), &diag);
    CHECK_OK(sc_pruner_new(st->map, &st->pruner), NULL);
}

void stage_close(stage *st)
{
    sc_engine_free(st->engine);
    sc_pruner_free(st->pruner);
    sc_map_free(st->map);
    sketch_free(&st->sketch);
}

sc_star_id stage_star(const stage *st, char letter)
{
    const uint32_t node = sketch_node(&st->sketch, letter);
    for (sc_star_id star = 0; star < sc_map_star_count(st->map); star++) {
        if (sc_map_stars(st->map)[star].node == node) return star;
    }
    fail_msg("no star at '%c'", letter);
    return SC_NONE;
}

static sc_seg_id segment_between(const stage *st, sc_star_id a, sc_star_id b)
{
    const sc_segment *segments = sc_map_segments(st->map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(st->map); s++) {
        const sc_star_id first = segments[s].star_a;
        const sc_star_id last = segments[s].star_b;
        if ((first == a && last == b) || (first == b && last == a)) return s;
    }
    fail_msg("no such road in the picture");
    return SC_NONE;
}

sc_seg_id stage_dead_end(const stage *st, char letter)
{
    return segment_between(st, stage_star(st, letter), SC_NONE);
}

sc_seg_id stage_road(const stage *st, char a, char b)
{
    return segment_between(st, stage_star(st, a), stage_star(st, b));
}

sc_query stage_query(const stage *st, uint32_t number, char letter, uint32_t k, sc_time deadline)
{
    return plain_query(number, stage_dead_end(st, letter), k, 1, 100, deadline);
}

void stage_ask(stage *st, const sc_query *query, sc_time now)
{
    CHECK_OK(sc_engine_add(st->engine, query), NULL);
    stage_run(st, now);
}

void stage_run(stage *st, sc_time now)
{
    CHECK_OK(sc_engine_run(st->engine, now), NULL);
}

sc_cloak *stage_take(stage *st)
{
    sc_cloak *cloak = sc_engine_take_candidate(st->engine);
    if (cloak) CHECK_OK(sc_pruner_prune(st->pruner, cloak, &st->prune_rng), NULL);
    return cloak;
}

void check_members(const sc_cloak *cloak, const uint32_t *numbers)
{
    assert_non_null(cloak);
    size_t count = 0;
    for (; numbers[count] != 0; count++) {
        const sc_query_id id = plain_id(numbers[count]);
        bool found = false;
        for (size_t i = 0; i < cloak->member_count; i++) {
            found |= memcmp(&id, &cloak->members[i].query.id, sizeof id) == 0;
        }
        if (!found) fail_msg("query %u is not in the cloak", numbers[count]);
    }
    assert_int_equal(cloak->member_count, count);
}

void check_no_candidate(stage *st)
{
    sc_cloak *cloak = sc_engine_take_candidate(st->engine);
    if (!cloak) return;
    const size_t members = cloak->member_count;
    sc_cloak_free(cloak);
    fail_msg("a candidate of %zu members where none was expected", members);
}

void check_drop(stage *st, uint32_t number, sc_drop_reason reason, sc_time t)
{
    sc_drop drop;
    assert_true(sc_engine_take_drop(st->engine, &drop));
    const sc_query_id id = plain_id(number);
    assert_memory_equal(&drop.query.id, &id, sizeof id);
    assert_int_equal(drop.reason, reason);
    assert_int_equal(drop.t, t);
}

void check_no_drop(stage *st)
{
    sc_drop drop;
    assert_false(sc_engine_take_drop(st->engine, &drop));
}
