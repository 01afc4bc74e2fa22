// Spans of roads within a distance of others, against a slow reference: ways from node to node, by
// relaxing all edges until nothing changes, and points along every segment.
#include "engine/road_reach.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

enum { SPANS_MAX = 64 };

/** What a search begins with. */
typedef struct start {
    sc__road_span spans[SPANS_MAX];
    size_t count;
    uint64_t within;
} start;

// --- The reference ----------------------------------------------------------------

static uint64_t gap(const sc__road_span *span, uint64_t at)
{
    if (at < span->from) return span->from - at;
    return at > span->to ? at - span->to : 0;
}

/** The distance of a place from the spans on its own segment, along it. */
static uint64_t along(const start *from, sc_seg_id segment, uint64_t at)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < from->count; i++) {
        if (from->spans[i].segment != segment) continue;
        const uint64_t distance = gap(&from->spans[i], at);
        if (distance < least) least = distance;
    }
    return least;
}

static void lower(uint64_t *distance, uint64_t by, bool *changed)
{
    if (by >= *distance) return;
    *distance = by;
    *changed = true;
}

/** The distance of each node from the spans. Free it. */
static uint64_t *slow_distances(const sc_map *map, const start *from)
{
    uint64_t *distance = test_take(sc_map_node_count(map), sizeof *distance);
    memset(distance, 0xff, sc_map_node_count(map) * sizeof *distance);
    const sc_edge *edges = sc_map_edges(map);
    bool changed = true;
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        uint64_t at = 0;
        for (sc_edge_id e = sc_map_segments(map)[s].first_edge;
             e < sc_map_segments(map)[s + 1].first_edge; e++) {
            lower(&distance[edges[e].from], along(from, s, at), &changed);
            at += edges[e].length;
            lower(&distance[edges[e].to], along(from, s, at), &changed);
        }
    }
    while (changed) {
        changed = false;
        for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
            uint64_t *ends[] = {&distance[edges[e].from], &distance[edges[e].to]};
            for (int end = 0; end < 2; end++) {
                if (*ends[end] == UINT64_MAX) continue;
                lower(ends[1 - end], *ends[end] + edges[e].length, &changed);
            }
        }
    }
    return distance;
}

/** Whether a place is within reach: `at` along `segment`. */
static bool slow_has(const sc_map *map, const start *from, const uint64_t *distance,
                     sc_seg_id segment, uint64_t at)
{
    if (along(from, segment, at) <= from->within) return true;
    uint64_t before = 0;
    const sc_edge *edges = sc_map_edges(map);
    for (sc_edge_id e = sc_map_segments(map)[segment].first_edge;
         e < sc_map_segments(map)[segment + 1].first_edge; e++) {
        const uint64_t behind = before + edges[e].length;
        const uint64_t first = distance[edges[e].from];
        const uint64_t last = distance[edges[e].to];
        if (at >= before && at <= behind &&
            ((first != UINT64_MAX && first + (at - before) <= from->within) ||
             (last != UINT64_MAX && last + (behind - at) <= from->within))) {
            return true;
        }
        before = behind;
    }
    return false;
}

// --- Comparing --------------------------------------------------------------------

static bool has(const sc__road_spans *found, sc_seg_id segment, uint64_t at)
{
    for (size_t i = 0; i < found->count; i++) {
        const sc__road_span *span = &found->items[i];
        if (span->segment == segment && gap(span, at) == 0) return true;
    }
    return false;
}

static void check_at(const sc_map *map, const start *from, const uint64_t *distance,
                     const sc__road_spans *found, sc_seg_id segment, uint64_t at)
{
    if (at > sc_map_segments(map)[segment].length) return;
    if (has(found, segment, at) == slow_has(map, from, distance, segment, at)) return;
    fail_msg("segment %u at %llu of %u: %s by the reference", segment, (unsigned long long)at,
             sc_map_segments(map)[segment].length,
             has(found, segment, at) ? "not reached" : "reached");
}

/** In order, apart from each other, inside their segments. */
static void check_form(const sc_map *map, const sc__road_spans *found)
{
    for (size_t i = 0; i < found->count; i++) {
        const sc__road_span *span = &found->items[i];
        assert_true(span->from <= span->to);
        assert_true(span->to <= sc_map_segments(map)[span->segment].length);
        if (i == 0) continue;
        assert_true(span->segment >= span[-1].segment);
        if (span->segment == span[-1].segment) assert_true(span->from > span[-1].to);
    }
}

static void check_places(const sc_map *map, const start *from, const sc_seg_id *targets,
                         size_t target_count, const sc__road_spans *found)
{
    enum { SAMPLES = 13 };
    uint64_t *distance = slow_distances(map, from);
    for (size_t i = 0; i < target_count; i++) {
        const uint64_t length = sc_map_segments(map)[targets[i]].length;
        for (uint64_t sample = 0; sample <= SAMPLES; sample++) {
            check_at(map, from, distance, found, targets[i], length * sample / SAMPLES);
        }
    }
    for (size_t i = 0; i < found->count; i++) {
        const sc__road_span *span = &found->items[i];
        const uint64_t ends[] = {span->from, span->to};
        for (int end = 0; end < 2; end++) {
            check_at(map, from, distance, found, span->segment, ends[end]);
            check_at(map, from, distance, found, span->segment, ends[end] + 1);
            if (ends[end] > 0) {
                check_at(map, from, distance, found, span->segment, ends[end] - 1);
            }
        }
    }
    free(distance);
}

// --- Random starts ----------------------------------------------------------------

/** Up to three segments, each with up to three spans; near or far. */
static start draw_start(const sc_map *map, sc_rng *rng)
{
    start from = {.count = 0};
    const uint32_t count = sc_map_segment_count(map);
    sc_seg_id segment = (sc_seg_id)sc_rng_below(rng, count);
    uint64_t longest = 1;
    for (uint64_t n = sc_rng_below(rng, 3) + 1; n > 0 && segment < count; n--) {
        const uint32_t length = sc_map_segments(map)[segment].length;
        if (length > longest) longest = length;
        uint64_t at = sc_rng_below(rng, length + 1);
        for (uint64_t m = sc_rng_below(rng, 3) + 1; m > 0 && at <= length; m--) {
            const uint64_t to = at + sc_rng_below(rng, (uint32_t)(length - at) + 1) / 2;
            from.spans[from.count++] = (sc__road_span){segment, (uint32_t)at, (uint32_t)to};
            at = to + 1 + sc_rng_below(rng, length + 1) / 4;
        }
        segment += 1 + (sc_seg_id)sc_rng_below(rng, 3);
    }
    static const uint64_t parts[] = {0, 1, 2, 5, 10};
    from.within = longest * parts[sc_rng_below(rng, 5)] / (1 + sc_rng_below(rng, 4));
    return from;
}

/** All segments, or some of them. */
static size_t draw_targets(const sc_map *map, sc_rng *rng, sc_seg_id *targets)
{
    const bool is_all = sc_rng_below(rng, 2) == 0;
    size_t count = 0;
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        if (is_all || sc_rng_below(rng, 3) == 0) targets[count++] = s;
    }
    return count;
}

static void search_at_random(const sc_map *map, uint64_t seed)
{
    sc_rng *rng = NULL;
    sc__road_reach reach;
    sc__road_spans found = {0};
    CHECK_OK(sc_rng_new_seeded(seed, &rng), NULL);
    CHECK_OK(sc__road_reach_init(&reach, map), NULL);
    sc_seg_id *targets = test_take(sc_map_segment_count(map), sizeof *targets);
    for (int n = 0; n < 4; n++) {
        const start from = draw_start(map, rng);
        const size_t target_count = draw_targets(map, rng, targets);
        CHECK_OK(sc__road_reach_find(&reach, from.spans, from.count, from.within, targets,
                                     target_count, &found),
                 NULL);
        check_form(map, &found);
        check_places(map, &from, targets, target_count, &found);
        assert_int_equal(reach.touched_count, 0);
        for (sc_star_id star = 0; star < sc_map_star_count(map); star++) {
            assert_true(reach.distance[star] == 0 && !reach.is_wanted[star]);
        }
    }
    free(targets);
    sc__road_spans_fini(&found);
    sc__road_reach_fini(&reach);
    sc_rng_free(rng);
}

static void test_what_is_reached_on_odd_maps_is_what_the_reference_reaches(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        if (sc_map_segment_count(map) > 0) search_at_random(map, seed);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_what_is_reached_on_small_maps_is_what_the_reference_reaches(void **state)
{
    (void)state;
    for (const small_map *small = small_maps; small->name; small++) {
        sketch s = sketch_named(small->name);
        sc_map *map = sketch_map(&s);
        for (uint64_t seed = 0; seed < 10; seed++) {
            check_case(seed);
            search_at_random(map, seed);
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

// --- Memory -----------------------------------------------------------------------

static void test_a_search_survives_the_failure_of_every_allocation(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 6, 6);
    sc_map *map = sketch_map(&s);
    sc_seg_id targets[128];
    const size_t count = sc_map_segment_count(map);
    assert_true(count < 128);
    for (sc_seg_id i = 0; i < count; i++) {
        targets[i] = i;
    }
    const sc__road_span from = {0, 10, 20};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc__road_reach reach = {0};
        sc__road_spans found = {0};
        sc_err err = sc__road_reach_init(&reach, map);
        const bool is_made = !err;
        if (!err) err = sc__road_reach_find(&reach, &from, 1, 350000, targets, count, &found);
        const bool is_over = !oom_happened();
        if (!is_over) {
            failures++;
            assert_int_equal(err, SC_ENOMEM);
            assert_int_equal(found.count, 0);
            // What failed has left nothing that would disturb the next.
            if (is_made) {
                err = sc__road_reach_find(&reach, &from, 1, 350000, targets, count, &found);
                CHECK_OK(err, NULL);
                check_places(map, &(start){{from}, 1, 350000}, targets, count, &found);
            }
        }
        sc__road_spans_fini(&found);
        sc__road_reach_fini(&reach);
        if (is_over) break;
    }
    assert_true(failures > 5);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_what_is_reached_on_odd_maps_is_what_the_reference_reaches),
    SC_CASES(test_what_is_reached_on_small_maps_is_what_the_reference_reaches),
    cmocka_unit_test(test_a_search_survives_the_failure_of_every_allocation),
};
SC_SUITE(tests)
