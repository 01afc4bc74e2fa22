// The three searches beside each other: each of them must find what the plain one finds.
//
// The provider's own tests (test_lbs_exact.c) see only what comes out in the end; here the shared
// search is looked at lane by lane, also where distances exceed what its lanes can count.
#include "lbs/lbs_search.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/odd_objects.h"
#include "support/sketch.h"

/** A town with objects and an index. */
typedef struct town {
    sketch drawing;
    sc_map *map;
    sc_objects *objects;
    const sc_objects_view *view;
    sc_rng rng;
} town;

// Lengths are stretched so far that some ways are longer than thirty bits of millimetres.
static town town_new(uint64_t seed, double stretch, uint32_t index_k)
{
    town t = {.drawing = sketch_odd(seed)};
    sc_rng_seed(&t.rng, seed);
    for (uint32_t i = 0; i < t.drawing.edge_count; i++) {
        t.drawing.edges[i].length = fmin(t.drawing.edges[i].length * stretch, 2e6);
    }
    sc_builder *builder = sketch_builder(&t.drawing);
    odd_objects_put(builder, &t.drawing, &t.rng);
    t.map = finish_builder(builder);
    assert_int_equal(sc_objects_new_from_map(t.map, &t.objects), SC_OK);
    sc_index_options options = sc_index_options_default();
    options.k = index_k;
    options.threads = 1;
    assert_int_equal(sc_objects_build_index(t.objects, &options, NULL), SC_OK);
    t.view = sc__objects_view(t.objects);
    return t;
}

static void town_free(town *t)
{
    sc_objects_release(t->objects);
    sc_map_free(t->map);
    sketch_free(&t->drawing);
}

// Distances and objects: of equally far ones, all ways name the lower number first.
static void check_same_hits(const sc_plain_search *plain, const sc_lbs_hit *hits, size_t count)
{
    assert_int_equal(count, plain->hit_count);
    for (size_t i = 0; i < count; i++) {
        CHECK_SAME(hits[i].way.cost, plain->hits[i].way.cost);
        CHECK_SAME(hits[i].way.other, plain->hits[i].way.other);
        assert_int_equal(hits[i].object, plain->hits[i].object);
    }
}

// Each lane, or the word that it does not know.
static size_t check_lanes(town *t, const sc_lbs_wanted *wanted, const sc_index_lookup *lists,
                          sc_lbs_reach reach, size_t lane_count)
{
    sc_shared_search shared = {.visited = 0};
    sc_plain_search plain = {.visited = 0};
    sc_star_id stars[SC_LANES];
    size_t unsure = 0;
    for (size_t i = 0; i < lane_count; i++) {
        stars[i] = sc_rng_below(&t->rng, sc_map_star_count(t->map));
    }
    // Any roads will do to spread the lanes over, also those of another end of town.
    sc_seg_id roads[8];
    size_t road_count = 0;
    for (sc_seg_id i = 0; i < sc_map_segment_count(t->map) && road_count < 8; i++) {
        if (sc_rng_below(&t->rng, 3) == 0) roads[road_count++] = i;
    }
    const sc_shared_question question = {.view = t->view,
                                         .wanted = wanted,
                                         .lists = lists,
                                         .reach = reach,
                                         .segments = roads,
                                         .segment_count = road_count};
    assert_int_equal(sc__shared_search(&shared, &question, stars, lane_count), SC_OK);
    for (size_t i = 0; i < lane_count; i++) {
        if (shared.is_unsure[i]) {
            unsure++;
            continue;
        }
        assert_int_equal(sc__plain_search_star(&plain, t->view, wanted, NULL, reach, stars[i]),
                         SC_OK);
        const size_t count = shared.start[i + 1] - shared.start[i];
        sc_lbs_hit *hits = test_take(count + 1, sizeof *hits);
        for (size_t j = 0; j < count; j++) {
            const uint64_t hit = shared.hits[shared.start[i] + j];
            const sc_lbs_cost way = {(double)(hit >> 32),
                                     sc__shared_other(&shared, i, shared.start[i] + j)};
            hits[j] = (sc_lbs_hit){way, (sc_object_id)hit};
        }
        check_same_hits(&plain, hits, count);
        free(hits);
    }
    sc__shared_search_fini(&shared);
    sc__plain_search_fini(&plain);
    return unsure;
}

static void check_towns(uint64_t first_seed, double stretch, size_t *unsure, size_t *lanes)
{
    for (uint64_t seed = first_seed; seed < first_seed + 600; seed++) {
        check_case(seed);
        town t = town_new(seed, stretch, 2);
        const sc_request request = odd_request(t.map, t.view->category_count, &t.rng);
        sc_lbs_wanted_table room = {.capacity = 0};
        sc_lbs_wanted wanted;
        assert_int_equal(sc__lbs_wanted_by(&room, t.view, &request, &wanted), SC_OK);
        const size_t lane_count = 1 + sc_rng_below(&t.rng, SC_LANES);
        if (sc_map_star_count(t.map) > 0) {
            // Every other town's search leans on the lists.
            const sc_lbs_reach reach = sc__lbs_reach_of(t.map, &request);
            sc_index_lookup lists;
            sc__index_lookup_init(&lists, t.view, &request, reach);
            const sc_index_lookup *lean = seed % 2 && lists.is_possible ? &lists : NULL;
            *unsure += check_lanes(&t, &wanted, lean, reach, lane_count);
            *lanes += lane_count;
        }
        sc__lbs_wanted_fini(&room);
        town_free(&t);
    }
    check_case_done();
}

static void test_every_lane_finds_what_a_search_of_its_own_finds(void **state)
{
    (void)state;
    size_t unsure = 0;
    size_t lanes = 0;
    check_towns(0, 1.0, &unsure, &lanes);
    assert_true(lanes > 1000);
    assert_true(unsure < lanes / 2);
}

static void test_a_lane_that_could_not_count_so_far_says_so(void **state)
{
    (void)state;
    size_t unsure = 0;
    size_t lanes = 0;
    check_towns(5000, 1e4, &unsure, &lanes);
    // Both happen, or nothing was tried here.
    assert_true(unsure > 50);
    assert_true(unsure < lanes - 50);
}

// Where the lists are enough, they say the same.
static void check_lookup(const town *t, const sc_index_lookup *lists, sc_star_id star,
                         const sc_plain_search *plain)
{
    sc_reply reply;
    sc_reply_init(&reply);
    assert_true(sc__reply_begin(&reply, 1, 1));
    const sc_index_lookup_result outcome = sc__index_look_up(lists, star, &reply);
    assert_int_equal(outcome == SC_LOOKED_UP, sc__index_lists_reach(lists, star));
    if (outcome == SC_LOOKED_UP) {
        assert_int_equal(reply.near_start[1], plain->hit_count);
        for (size_t i = 0; i < plain->hit_count; i++) {
            const sc_lbs_hit *hit = &plain->hits[i];
            const sc_near near = sc__lbs_near(t->map, lists->reach.metric, hit->object,
                                              hit->way.cost, hit->way.other);
            CHECK_SAME(reply.nears[i].distance_m, near.distance_m);
            CHECK_SAME(reply.nears[i].duration_s, near.duration_s);
            assert_int_equal(reply.nears[i].object, hit->object);
        }
    }
    sc_reply_fini(&reply);
}

static void test_lists_and_leaning_on_them_find_what_going_all_the_way_finds(void **state)
{
    (void)state;
    size_t leaned = 0;
    for (uint64_t seed = 9000; seed < 9800; seed++) {
        check_case(seed);
        town t = town_new(seed, seed % 4 == 0 ? 1e4 : 1.0, 1 + (uint32_t)(seed % 3));
        const sc_request request = odd_request(t.map, t.view->category_count, &t.rng);
        const sc_lbs_reach reach = sc__lbs_reach_of(t.map, &request);
        sc_index_lookup lists;
        sc__index_lookup_init(&lists, t.view, &request, reach);
        sc_lbs_wanted_table room = {.capacity = 0};
        sc_lbs_wanted wanted;
        assert_int_equal(sc__lbs_wanted_by(&room, t.view, &request, &wanted), SC_OK);
        sc_plain_search plain = {.visited = 0};
        sc_plain_search leaning = {.visited = 0};
        for (sc_star_id star = 0; star < sc_map_star_count(t.map) && lists.is_possible; star++) {
            assert_int_equal(sc__plain_search_star(&plain, t.view, &wanted, NULL, reach, star),
                             SC_OK);
            assert_int_equal(sc__plain_search_star(&leaning, t.view, &wanted, &lists, reach, star),
                             SC_OK);
            check_same_hits(&plain, leaning.hits, leaning.hit_count);
            check_lookup(&t, &lists, star, &plain);
        }
        leaned += leaning.visited < plain.visited;
        sc__plain_search_fini(&plain);
        sc__plain_search_fini(&leaning);
        sc__lbs_wanted_fini(&room);
        town_free(&t);
    }
    check_case_done();
    assert_true(leaned > 100);
}

static void test_marks_outlive_the_end_of_their_numbers(void **state)
{
    (void)state;
    sc_lbs_marks marks = {.count = 0};
    assert_true(sc__lbs_marks_begin(&marks, 3));
    marks.marks[1] = (sc_lbs_mark){marks.search, 7};
    assert_true(sc__lbs_marked(&marks, 1));
    // The search with this number comes again after four thousand million others.
    const uint32_t first = marks.search;
    marks.search = UINT32_MAX;
    marks.marks[2] = (sc_lbs_mark){UINT32_MAX, 7};
    assert_true(sc__lbs_marks_begin(&marks, 3));
    assert_int_equal(marks.search, first);
    for (uint32_t i = 0; i < 3; i++) {
        assert_false(sc__lbs_marked(&marks, i));
    }
    sc__lbs_marks_fini(&marks);
}

static void test_the_best_are_the_least_of_what_was_put_in(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (uint32_t k = 1; k < 40; k++) {
        double room[40];
        double all[100] = {0};
        sc_lbs_best best = {room, 0, k};
        for (size_t i = 0; i < 100; i++) {
            // Few different values, so that equal ones meet.
            const double value = sc_rng_below(&rng, 30);
            size_t at = i;
            for (; at > 0 && all[at - 1] > value; at--) {
                all[at] = all[at - 1];
            }
            all[at] = value;
            sc__lbs_best_add(&best, value);
            CHECK_SAME(sc__lbs_best_bound(&best, 1e9), i + 1 < k ? 1e9 : all[k - 1]);
        }
    }
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_lane_finds_what_a_search_of_its_own_finds),
    SC_CASES(test_a_lane_that_could_not_count_so_far_says_so),
    SC_CASES(test_lists_and_leaning_on_them_find_what_going_all_the_way_finds),
    cmocka_unit_test(test_marks_outlive_the_end_of_their_numbers),
    cmocka_unit_test(test_the_best_are_the_least_of_what_was_put_in),
};
SC_SUITE(tests)
