// Where users can be since their last cloak: small stories, random walks that must be inside, what
// is erased and wiped, and memory that runs out.
#include "engine/continuity_internal.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

#include <starcloak/star.h>

#include <math.h>

static sc_time seconds(double s)
{
    return sc_time_from_seconds(s);
}

static sc_query query_of(uint64_t number, uint64_t user, sc_seg_id segment, uint32_t max_hops)
{
    sc_query query = {.user = user, .segment = segment, .k = 1, .l = 1, .max_hops = max_hops};
    memcpy(query.id.bytes, &number, sizeof number);
    return query;
}

static sc_continuity *open_with(const sc_map *map, double vmax_m_s, double tau_s, size_t users)
{
    const sc_continuity_options options = {vmax_m_s, seconds(tau_s), users};
    sc_continuity *continuity = NULL;
    sc_diag diag;
    CHECK_OK(sc_continuity_new(map, &options, &continuity, &diag), &diag);
    return continuity;
}

/** Ask and get a cloak of these segments at once. */
static sc_own_demands cloak_at(sc_continuity *continuity, const sc_query *query, sc_time t,
                               const sc_seg_id *segments, size_t count)
{
    sc_own_demands own = {0};
    CHECK_OK(sc_continuity_ask(continuity, query, t, &own), NULL);
    const sc_own_demands asked = own;
    CHECK_OK(sc_continuity_propose(continuity, &query->id, segments, count), NULL);
    sc_continuity_accept(continuity, &query->id);
    return asked;
}

// --- Stories ----------------------------------------------------------------------

// A street of five junctions, 100 m apart, with a dead end at each.
//   o   o   o   o   o
//   |   |   |   |   |
//   A---B---C---D---E
typedef struct street {
    sketch s;
    sc_map *map;
    sc_seg_id along[4];
    sc_seg_id up[5];
} street;

static street open_street(void)
{
    street st = {.s = sketch_new(SC_COORDS_PLANAR)};
    uint32_t junctions[5];
    uint32_t edge = 0;
    for (uint32_t i = 0; i < 5; i++) {
        junctions[i] = sketch_add_node(&st.s, 100.0 * i, 0);
        const uint32_t end = sketch_add_node(&st.s, 100.0 * i, 100);
        const uint32_t other = sketch_add_node(&st.s, 100.0 * i, -100);
        sketch_add_edge(&st.s, junctions[i], end, 100);
        sketch_add_edge(&st.s, junctions[i], other, 100);
        if (i > 0) sketch_add_edge(&st.s, junctions[i - 1], junctions[i], 100);
    }
    st.map = sketch_map(&st.s);
    // Found by their ends, whatever their numbers: nodes keep the order of the sketch.
    const sc_edge *edges = sc_map_edges(st.map);
    for (edge = 0; edge < sc_map_edge_count(st.map); edge++) {
        const uint32_t from = edges[edge].from < edges[edge].to ? edges[edge].from : edges[edge].to;
        const uint32_t to = edges[edge].from < edges[edge].to ? edges[edge].to : edges[edge].from;
        if (from % 3 == 0 && to == from + 3) st.along[from / 3] = edges[edge].segment;
        if (from % 3 == 0 && to == from + 1) st.up[from / 3] = edges[edge].segment;
    }
    return st;
}

static void close_street(street *st)
{
    sc_map_free(st->map);
    sketch_free(&st->s);
}

static uint16_t part_in(const sc_own_demands *own, sc_seg_id segment)
{
    for (size_t i = 0; i < own->reached_count; i++) {
        if (own->reached[i].segment == segment) return own->reached[i].part;
    }
    return 0;
}

static void test_a_first_query_asks_for_nothing(void **state)
{
    (void)state;
    street st = open_street();
    sc_continuity *continuity = open_with(st.map, 10, 300, 10);
    sc_own_demands own = {.has_reached = true, .reached_count = 3};
    const sc_query query = query_of(1, 7, st.along[0], 4);
    CHECK_OK(sc_continuity_ask(continuity, &query, 0, &own), NULL);
    assert_false(own.has_reached);
    assert_int_equal(own.reached_count, 0);
    sc_continuity_free(continuity);
    close_street(&st);
}

static void test_the_table_has_the_part_of_each_road_within_reach(void **state)
{
    (void)state;
    street st = open_street();
    sc_continuity *continuity = open_with(st.map, 10, 300, 10);
    const sc_query first = query_of(1, 7, st.along[0], 4);
    const sc_query second = query_of(2, 7, st.along[0], 4);
    const sc_query stranger = query_of(3, 8, st.along[0], 4);
    (void)cloak_at(continuity, &first, seconds(5), &st.along[0], 1);
    // 15 s at 10 m/s are 150 m: all of the next road, half of the one behind it.
    sc_own_demands own = {0};
    CHECK_OK(sc_continuity_ask(continuity, &second, seconds(20), &own), NULL);
    assert_true(own.has_reached);
    assert_int_equal(part_in(&own, st.along[0]), SC_REACHED_WHOLE);
    assert_int_equal(part_in(&own, st.along[1]), SC_REACHED_WHOLE);
    assert_int_equal(part_in(&own, st.along[2]), SC_REACHED_WHOLE / 2);
    assert_int_equal(part_in(&own, st.along[3]), 0);
    assert_int_equal(part_in(&own, st.up[1]), SC_REACHED_WHOLE);
    assert_int_equal(part_in(&own, st.up[2]), SC_REACHED_WHOLE / 2);
    for (size_t i = 1; i < own.reached_count; i++) {
        assert_true(own.reached[i].segment > own.reached[i - 1].segment);
    }
    CHECK_OK(sc_continuity_ask(continuity, &stranger, seconds(20), &own), NULL);
    assert_false(own.has_reached);
    sc_continuity_free(continuity);
    close_street(&st);
}

static void test_only_what_a_cloak_can_have_is_in_the_table(void **state)
{
    (void)state;
    street st = open_street();
    sc_continuity *continuity = open_with(st.map, 100, 300, 10);
    const sc_query first = query_of(1, 7, st.along[0], 1);
    const sc_query second = query_of(2, 7, st.along[0], 0);
    (void)cloak_at(continuity, &first, 0, &st.along[0], 1);
    sc_own_demands own = {0};
    CHECK_OK(sc_continuity_ask(continuity, &second, seconds(100), &own), NULL);
    assert_int_equal(part_in(&own, st.along[1]), SC_REACHED_WHOLE);  // at the end B
    assert_int_equal(part_in(&own, st.along[2]), 0);
    sc_continuity_free(continuity);
    close_street(&st);
}

static void test_places_are_those_within_reach_on_the_cloak(void **state)
{
    (void)state;
    street st = open_street();
    sc_continuity *continuity = open_with(st.map, 10, 300, 10);
    const sc_query first = query_of(1, 7, st.along[0], 4);
    const sc_query second = query_of(2, 7, st.along[2], 4);
    const sc_query third = query_of(3, 7, st.along[2], 4);
    (void)cloak_at(continuity, &first, 0, &st.along[0], 1);
    (void)cloak_at(continuity, &second, seconds(15), &st.along[2], 1);
    size_t count = 0;
    const sc__road_span *places = sc__continuity_places(continuity, 7, &count);
    assert_int_equal(count, 1);
    assert_int_equal(places[0].segment, st.along[2]);
    assert_int_equal(places[0].to - places[0].from, 50000);  // of its 100 m, the half at C
    // From there it goes on: 1 s later 10 m more of it, and 10 m into each road at C.
    sc_own_demands own = {0};
    CHECK_OK(sc_continuity_ask(continuity, &third, seconds(16), &own), NULL);
    assert_int_equal(part_in(&own, st.along[2]), SC_REACHED_WHOLE * 60 / 100);
    assert_int_equal(part_in(&own, st.up[2]), SC_REACHED_WHOLE / 10);
    assert_int_equal(part_in(&own, st.along[3]), 0);
    sc_continuity_free(continuity);
    close_street(&st);
}

static void test_a_cloak_out_of_reach_begins_again(void **state)
{
    (void)state;
    street st = open_street();
    sc_continuity *continuity = open_with(st.map, 10, 300, 10);
    const sc_query first = query_of(1, 7, st.up[0], 4);
    const sc_query second = query_of(2, 7, st.along[3], 4);
    (void)cloak_at(continuity, &first, 0, &st.up[0], 1);
    (void)cloak_at(continuity, &second, seconds(1), &st.along[3], 1);
    size_t count = 0;
    const sc__road_span *places = sc__continuity_places(continuity, 7, &count);
    assert_int_equal(count, 1);
    assert_int_equal(places[0].segment, st.along[3]);
    assert_int_equal(places[0].from, 0);
    assert_int_equal(places[0].to, 100000);
    sc_continuity_free(continuity);
    close_street(&st);
}

static void test_a_proposal_that_is_not_accepted_changes_nothing(void **state)
{
    (void)state;
    street st = open_street();
    sc_continuity *continuity = open_with(st.map, 10, 300, 10);
    const sc_query first = query_of(1, 7, st.along[0], 4);
    const sc_query second = query_of(2, 7, st.along[0], 4);
    sc_own_demands own = {0};
    CHECK_OK(sc_continuity_ask(continuity, &first, 0, &own), NULL);
    CHECK_OK(sc_continuity_propose(continuity, &first.id, &st.along[0], 1), NULL);
    CHECK_OK(sc_continuity_ask(continuity, &second, seconds(1), &own), NULL);
    assert_false(own.has_reached);
    sc_continuity_end(continuity, &first.id);
    sc_continuity_end(continuity, &second.id);
    size_t count;
    assert_null(sc__continuity_places(continuity, 7, &count));
    // Of two proposals the last counts.
    CHECK_OK(sc_continuity_ask(continuity, &first, seconds(2), &own), NULL);
    CHECK_OK(sc_continuity_propose(continuity, &first.id, &st.along[0], 1), NULL);
    CHECK_OK(sc_continuity_propose(continuity, &first.id, &st.along[1], 1), NULL);
    sc_continuity_accept(continuity, &first.id);
    assert_int_equal(sc__continuity_places(continuity, 7, &count)->segment, st.along[1]);
    assert_int_equal(sc_continuity_propose(continuity, &first.id, &st.along[1], 1), SC_EUNKNOWN);
    sc_continuity_free(continuity);
    close_street(&st);
}

static void test_of_two_queries_at_once_what_is_kept_is_of_the_later(void **state)
{
    (void)state;
    street st = open_street();
    for (int is_swapped = 0; is_swapped < 2; is_swapped++) {
        sc_continuity *continuity = open_with(st.map, 10, 300, 10);
        const sc_query early = query_of(1, 7, st.up[0], 4);
        const sc_query late = query_of(2, 7, st.along[0], 4);
        const sc_query *order[] = {is_swapped ? &late : &early, is_swapped ? &early : &late};
        sc_own_demands own = {0};
        CHECK_OK(sc_continuity_ask(continuity, &early, 0, &own), NULL);
        CHECK_OK(sc_continuity_ask(continuity, &late, seconds(5), &own), NULL);
        assert_false(own.has_reached);
        for (int i = 0; i < 2; i++) {
            const sc_seg_id *cloak = order[i] == &early ? &st.up[0] : &st.along[0];
            CHECK_OK(sc_continuity_propose(continuity, &order[i]->id, cloak, 1), NULL);
            sc_continuity_accept(continuity, &order[i]->id);
        }
        // If the early cloak left first, the late one is seen from there: 50 m.
        size_t count = 0;
        const sc__road_span *places = sc__continuity_places(continuity, 7, &count);
        assert_int_equal(count, 1);
        assert_int_equal(places[0].segment, st.along[0]);
        assert_int_equal(places[0].to - places[0].from, is_swapped ? 100000 : 50000);
        sc_continuity_free(continuity);
    }
    close_street(&st);
}

static void test_queries_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    street st = open_street();
    sc_continuity *continuity = open_with(st.map, 10, 300, 10);
    const sc_query query = query_of(1, 7, st.along[0], 4);
    const sc_query nowhere = query_of(2, 7, sc_map_segment_count(st.map), 4);
    const sc_seg_id missing = sc_map_segment_count(st.map);
    sc_own_demands own = {0};
    CHECK_OK(sc_continuity_ask(continuity, &query, 0, &own), NULL);
    assert_int_equal(sc_continuity_ask(continuity, &query, 0, &own), SC_EDUPLICATE);
    assert_int_equal(sc_continuity_ask(continuity, &nowhere, 0, &own), SC_EUNKNOWN);
    assert_int_equal(sc_continuity_propose(continuity, &query.id, &missing, 1), SC_EUNKNOWN);
    sc_continuity_accept(continuity, &nowhere.id);
    sc_continuity_end(continuity, &nowhere.id);
    sc_continuity_free(continuity);
    close_street(&st);
}

static void test_options_out_of_range_are_refused(void **state)
{
    (void)state;
    street st = open_street();
    const sc_continuity_options good = sc_continuity_options_default();
    sc_continuity_options bad[6] = {good, good, good, good, good, good};
    bad[0].vmax_m_s = 0;
    bad[1].vmax_m_s = SC_VMAX_MAX_M_S * 2;
    bad[2].vmax_m_s = NOT_A_NUMBER;
    bad[3].tau_us = 0;
    bad[4].tau_us = seconds(SC_TAU_MAX_S) + 1;
    bad[5].max_users = 0;
    sc_continuity *continuity = NULL;
    sc_diag diag;
    for (size_t i = 0; i < 6; i++) {
        CHECK_REFUSED(sc_continuity_new(st.map, &bad[i], &continuity, &diag), SC_EINVAL, &diag,
                      "continuity");
    }
    close_street(&st);

    sketch s = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    s.unit_unknown = true;
    sc_map *map = sketch_map(&s);
    CHECK_REFUSED(sc_continuity_new(map, &good, &continuity, &diag), SC_EINVAL, &diag, "metres");
    sc_map_free(map);
    sketch_free(&s);
}

// --- Erasing ----------------------------------------------------------------------

static void test_a_cloak_counts_until_tau_and_is_then_erased(void **state)
{
    (void)state;
    street st = open_street();
    sc_continuity *continuity = open_with(st.map, 10, 300, 10);
    assert_int_equal(sc_continuity_next_erasure(continuity), SC_TIME_NEVER);
    const sc_query first = query_of(1, 7, st.along[0], 4);
    (void)cloak_at(continuity, &first, seconds(5), &st.along[0], 1);
    assert_int_equal(sc_continuity_next_erasure(continuity), seconds(305) + 1);
    sc_own_demands own = {0};
    const sc_query last = query_of(2, 7, st.along[0], 4);
    CHECK_OK(sc_continuity_ask(continuity, &last, seconds(305), &own), NULL);
    assert_true(own.has_reached);
    const sc_query late = query_of(3, 7, st.along[0], 4);
    CHECK_OK(sc_continuity_ask(continuity, &late, seconds(305) + 1, &own), NULL);
    assert_false(own.has_reached);

    size_t count;
    sc_continuity_erase(continuity, seconds(305));
    assert_non_null(sc__continuity_places(continuity, 7, &count));
    sc_continuity_erase(continuity, seconds(305) + 1);
    assert_null(sc__continuity_places(continuity, 7, &count));
    assert_int_equal(sc_continuity_next_erasure(continuity), SC_TIME_NEVER);
    assert_int_equal(sc_continuity_get_stats(continuity).erased, 1);
    assert_int_equal(sc_continuity_get_stats(continuity).linked, 1);
    // What a query was given stays with it.
    CHECK_OK(sc_continuity_propose(continuity, &last.id, &st.along[1], 1), NULL);
    sc_continuity_accept(continuity, &last.id);
    assert_int_equal(sc__continuity_places(continuity, 7, &count)->segment, st.along[1]);
    sc_continuity_free(continuity);
    close_street(&st);
}

static void test_where_there_are_too_many_users_the_oldest_is_erased(void **state)
{
    (void)state;
    street st = open_street();
    sc_continuity *continuity = open_with(st.map, 10, 300, 3);
    for (uint64_t user = 1; user <= 5; user++) {
        const sc_query query = query_of(user, user, st.along[0], 4);
        (void)cloak_at(continuity, &query, seconds((double)user), &st.along[0], 1);
    }
    size_t count;
    for (uint64_t user = 1; user <= 5; user++) {
        assert_int_equal(sc__continuity_places(continuity, user, &count) != NULL, user > 2);
    }
    // A user who is there already takes no more room.
    const sc_query again = query_of(9, 4, st.along[0], 4);
    (void)cloak_at(continuity, &again, seconds(9), &st.along[0], 1);
    const sc_continuity_stats stats = sc_continuity_get_stats(continuity);
    assert_int_equal(stats.users, 3);
    assert_int_equal(stats.crowded_out, 2);
    assert_int_equal(stats.waiting, 0);
    assert_int_equal(stats.asked, 6);
    assert_true(stats.bytes > 0);
    sc_continuity_erase(continuity, seconds(1000));
    assert_int_equal(sc_continuity_get_stats(continuity).bytes, 0);
    sc_continuity_free(continuity);
    close_street(&st);
}

// --- Walks ------------------------------------------------------------------------

/** A walker: on an edge of a segment, `at` units from the segment's first node. */
typedef struct walker {
    sc_seg_id segment;
    uint32_t at;
} walker;

static void follow_road(const sc_map *map, walker *w, sc_star_id star, sc_rng *rng)
{
    const sc_star *at = &sc_map_stars(map)[star];
    const uint32_t pick = (uint32_t)sc_rng_below(rng, at[1].first_segment - at[0].first_segment);
    w->segment = sc_map_star_segments(map)[at[0].first_segment + pick];
    const sc_segment *segment = &sc_map_segments(map)[w->segment];
    w->at = segment->star_a == star ? 0 : segment->length;
}

/** Walk so many units at most, turning anywhere. */
static void walk(const sc_map *map, walker *w, uint64_t left, sc_rng *rng)
{
    for (int steps = 0; steps < 40; steps++) {
        const sc_segment *segment = &sc_map_segments(map)[w->segment];
        const bool is_back = sc_rng_below(rng, 2) == 0;
        const uint64_t to_end = is_back ? w->at : segment->length - w->at;
        const uint64_t step = to_end < left ? to_end : left;
        w->at = is_back ? w->at - (uint32_t)step : w->at + (uint32_t)step;
        left -= step;
        const sc_star_id end = is_back ? segment->star_a : segment->star_b;
        const bool is_at_star = step == to_end && end != SC_NONE &&
                                (!is_back || sc_map_edges(map)[segment->first_edge].from ==
                                                 sc_map_stars(map)[end].node);
        if (is_at_star) follow_road(map, w, end, rng);
    }
}

/** Whether any of the spans has the place. */
static bool has_place(const sc__road_span *spans, size_t count, walker w)
{
    for (size_t i = 0; i < count; i++) {
        if (spans[i].segment == w.segment && spans[i].from <= w.at && w.at <= spans[i].to) {
            return true;
        }
    }
    return false;
}

/** A cloak: the walker's segment and others of the ball around an end, by chance. Ascending. */
static size_t draw_cloak(const sc_map *map, const bool *is_near, sc_seg_id own, sc_rng *rng,
                         sc_seg_id *out)
{
    size_t count = 0;
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        if (s == own || (is_near[s] && sc_rng_below(rng, 3) > 0)) out[count++] = s;
    }
    return count;
}

static void mark_near(const sc_map *map, sc_ball *ball, sc_seg_id own, uint32_t hops, bool *is_near)
{
    memset(is_near, 0, sc_map_segment_count(map) * sizeof *is_near);
    const sc_star_id ends[] = {sc_map_segments(map)[own].star_a, sc_map_segments(map)[own].star_b};
    for (int end = 0; end < 2; end++) {
        if (ends[end] == SC_NONE) continue;
        size_t count = 0;
        const sc_star_id *stars = sc_ball_walk(ball, ends[end], hops, &count);
        for (size_t i = 0; i < count; i++) {
            const sc_star *star = &sc_map_stars(map)[stars[i]];
            for (uint32_t j = star[0].first_segment; j < star[1].first_segment; j++) {
                is_near[sc_map_star_segments(map)[j]] = true;
            }
        }
    }
}

/** What the table must be: all that is within reach of `places`, on the segments near. */
static void check_table(const sc_map *map, sc__road_reach *reach, const sc__road_span *places,
                        size_t place_count, uint64_t within, const bool *is_near,
                        const sc_own_demands *own)
{
    const sc_seg_id count = sc_map_segment_count(map);
    sc_seg_id *all = test_take(count, sizeof *all);
    uint64_t *covered = test_take(count, sizeof *covered);
    bool *is_touched = test_take(count, sizeof *is_touched);
    for (sc_seg_id s = 0; s < count; s++) {
        all[s] = s;
    }
    sc__road_spans found = {0};
    CHECK_OK(sc__road_reach_find(reach, places, place_count, within, all, count, &found), NULL);
    for (size_t i = 0; i < found.count; i++) {
        covered[found.items[i].segment] += found.items[i].to - found.items[i].from;
        is_touched[found.items[i].segment] = true;
    }
    for (sc_seg_id s = 0; s < count; s++) {
        const uint64_t length = sc_map_segments(map)[s].length;
        const uint64_t whole = is_touched[s] ? SC_REACHED_WHOLE : 0;
        const uint64_t part = length == 0 ? whole : covered[s] * SC_REACHED_WHOLE / length;
        assert_int_equal(part_in(own, s), is_near[s] ? part : 0);
    }
    sc__road_spans_fini(&found);
    free(all);
    free(covered);
    free(is_touched);
}

/** One walker asks again and again; where it is must always be among its places. */
static void walk_and_ask(const sc_map *map, uint64_t seed)
{
    enum { HOPS = 3, QUERIES = 6, VMAX = 20 };
    sc_rng *rng = NULL;
    sc_ball *ball = NULL;
    sc__road_reach reach;
    CHECK_OK(sc_rng_new_seeded(seed, &rng), NULL);
    CHECK_OK(sc_ball_new(map, &ball), NULL);
    CHECK_OK(sc__road_reach_init(&reach, map), NULL);
    sc_continuity *continuity = open_with(map, VMAX, 300, 10);
    sc_seg_id *cloak = test_take(sc_map_segment_count(map), sizeof *cloak);
    bool *is_near = test_take(sc_map_segment_count(map), sizeof *is_near);
    walker w = {.segment = (sc_seg_id)sc_rng_below(rng, sc_map_segment_count(map))};
    sc_time t = 0;
    for (uint64_t n = 0; n < QUERIES; n++) {
        mark_near(map, ball, w.segment, HOPS, is_near);
        const sc_query query = query_of(n, 7, w.segment, HOPS);
        size_t count = 0;
        const sc__road_span *places = sc__continuity_places(continuity, 7, &count);
        sc_own_demands own = {0};
        CHECK_OK(sc_continuity_ask(continuity, &query, t, &own), NULL);
        assert_int_equal(own.has_reached, places != NULL);
        if (places) {
            const sc_time dt = sc_continuity_next_erasure(continuity) - seconds(300) - 1;
            const double metres = VMAX * ((double)(t - dt) * 1e-6);
            const uint64_t within = (uint64_t)ceil(metres / sc_map_unit_m(map));
            check_table(map, &reach, places, count, within, is_near, &own);
        }
        const size_t cloak_count = draw_cloak(map, is_near, w.segment, rng, cloak);
        CHECK_OK(sc_continuity_propose(continuity, &query.id, cloak, cloak_count), NULL);
        sc_continuity_accept(continuity, &query.id);
        places = sc__continuity_places(continuity, 7, &count);
        assert_true(has_place(places, count, w));
        // Times with odd microseconds, and full speed: what is reached is rounded up.
        const sc_time dt = (sc_time)sc_rng_below(rng, 9) * 1000003 + 1;
        walk(map, &w, (uint64_t)(VMAX * ((double)dt * 1e-6) / sc_map_unit_m(map)), rng);
        t += dt;
    }
    free(cloak);
    free(is_near);
    sc_continuity_free(continuity);
    sc__road_reach_fini(&reach);
    sc_ball_free(ball);
    sc_rng_free(rng);
}

static void test_walks_at_full_speed_are_always_inside(void **state)
{
    (void)state;
    size_t maps = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        const bool is_walked = sc_map_segment_count(map) > 0 && sc_map_is_in_metres(map);
        if (is_walked) walk_and_ask(map, seed);
        maps += is_walked;
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
    assert_true(maps > 100);
}

static void test_walks_through_a_grid_are_always_inside(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 8, 8);
    sc_map *map = sketch_map(&s);
    for (uint64_t seed = 0; seed < 30; seed++) {
        check_case(seed);
        walk_and_ask(map, seed);
    }
    check_case_done();
    sc_map_free(map);
    sketch_free(&s);
}

// --- Wiping -----------------------------------------------------------------------

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CAN_SEE_FREES 1
#include <sanitizer/allocator_interface.h>
#endif
#endif

#ifdef CAN_SEE_FREES
static const uint64_t secret_user = UINT64_C(0x5ec2e75ec2e71234);
static size_t freed_with_secret;
static size_t freed_blocks;

static void see_malloc(const volatile void *block, size_t size)
{
    (void)block;
    (void)size;
}

static void see_free(const volatile void *block)
{
    if (!block) return;
    freed_blocks++;
    const unsigned char *bytes = (const unsigned char *)(uintptr_t)block;
    const size_t size = __sanitizer_get_allocated_size((const void *)(uintptr_t)block);
    for (size_t i = 0; i + sizeof secret_user <= size; i += sizeof(uint32_t)) {
        if (memcmp(bytes + i, &secret_user, sizeof secret_user) == 0) freed_with_secret++;
    }
}
#endif

static void test_memory_is_wiped_before_it_is_freed(void **state)
{
    (void)state;
#ifdef CAN_SEE_FREES
    street st = open_street();
    if (!__sanitizer_install_malloc_and_free_hooks(see_malloc, see_free)) skip();
    freed_blocks = 0;
    freed_with_secret = 0;
    sc_continuity *continuity = open_with(st.map, 10, 300, 10);
    for (uint64_t n = 1; n < 4; n++) {
        const sc_query query = query_of(n, secret_user, st.along[0], 4);
        (void)cloak_at(continuity, &query, seconds((double)n), st.along, 1);
    }
    sc_own_demands own = {0};
    const sc_query ends = query_of(8, secret_user, st.along[0], 4);
    CHECK_OK(sc_continuity_ask(continuity, &ends, seconds(8), &own), NULL);
    CHECK_OK(sc_continuity_propose(continuity, &ends.id, st.along, 1), NULL);
    sc_continuity_end(continuity, &ends.id);
    sc_continuity_erase(continuity, seconds(1000));
    const sc_query left = query_of(9, secret_user, st.along[0], 4);
    (void)cloak_at(continuity, &left, seconds(2000), st.along, 1);
    const sc_query waits = query_of(10, secret_user, st.along[0], 4);
    CHECK_OK(sc_continuity_ask(continuity, &waits, seconds(2001), &own), NULL);
    sc_continuity_free(continuity);
    const size_t seen = freed_with_secret;
    const size_t blocks = freed_blocks;
    close_street(&st);
    assert_true(blocks > 10);
    assert_int_equal(seen, 0);
#else
    skip();
#endif
}

// --- Memory -----------------------------------------------------------------------

/** Two users ask three times each; stops at the first failure. */
static sc_err play(sc_continuity *continuity, const street *st)
{
    for (uint64_t n = 0; n < 6; n++) {
        const sc_query query = query_of(n, n % 2, st->along[0], 4);
        sc_own_demands own = {0};
        sc_err err = sc_continuity_ask(continuity, &query, seconds((double)n), &own);
        if (err) return err;
        // Asked for once more, with memory again, it is as if nothing had failed.
        err = sc_continuity_propose(continuity, &query.id, st->along, 2);
        if (err) return err;
        sc_continuity_accept(continuity, &query.id);
    }
    return SC_OK;
}

static void test_continuity_survives_the_failure_of_every_allocation(void **state)
{
    (void)state;
    street st = open_street();
    // Places are told by ascending segments.
    if (st.along[0] > st.along[1]) {
        const sc_seg_id other = st.along[0];
        st.along[0] = st.along[1];
        st.along[1] = other;
    }
    const sc_continuity_options options = sc_continuity_options_default();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_continuity *continuity = NULL;
        sc_diag diag = {""};
        sc_err err = sc_continuity_new(st.map, &options, &continuity, &diag);
        if (!err) err = play(continuity, &st);
        const bool is_over = !oom_happened();
        if (!is_over) {
            failures++;
            assert_int_equal(err, SC_ENOMEM);
        } else {
            CHECK_OK(err, &diag);
        }
        if (continuity) {
            // What failed can be done again.
            for (uint64_t i = 0; i < 6; i++) {
                const sc_query query = query_of(i, i % 2, st.along[0], 4);
                sc_continuity_end(continuity, &query.id);
            }
            assert_int_equal(sc_continuity_get_stats(continuity).waiting, 0);
            CHECK_OK(play(continuity, &st), NULL);
        }
        sc_continuity_free(continuity);
        if (is_over) break;
    }
    assert_true(failures > 15);
    close_street(&st);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_first_query_asks_for_nothing),
    cmocka_unit_test(test_the_table_has_the_part_of_each_road_within_reach),
    cmocka_unit_test(test_only_what_a_cloak_can_have_is_in_the_table),
    cmocka_unit_test(test_places_are_those_within_reach_on_the_cloak),
    cmocka_unit_test(test_a_cloak_out_of_reach_begins_again),
    cmocka_unit_test(test_a_proposal_that_is_not_accepted_changes_nothing),
    cmocka_unit_test(test_of_two_queries_at_once_what_is_kept_is_of_the_later),
    cmocka_unit_test(test_queries_that_make_no_sense_are_refused),
    cmocka_unit_test(test_options_out_of_range_are_refused),
    cmocka_unit_test(test_a_cloak_counts_until_tau_and_is_then_erased),
    cmocka_unit_test(test_where_there_are_too_many_users_the_oldest_is_erased),
    SC_CASES(test_walks_at_full_speed_are_always_inside),
    SC_CASES(test_walks_through_a_grid_are_always_inside),
    cmocka_unit_test(test_memory_is_wiped_before_it_is_freed),
    cmocka_unit_test(test_continuity_survives_the_failure_of_every_allocation),
};
SC_SUITE(tests)
