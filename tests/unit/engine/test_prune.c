// Pruning: choice by choice that of plain sets (support/slow_prune.h); what holds
// for every seed; what must be left to chance alone; and the corners, as pictures.
#include <starcloak/prune.h>

#include "support/candidate.h"
#include "support/check.h"
#include "support/slow_prune.h"

enum { ODD_MAPS = 3000, CANDIDATES_PER_MAP = 8, GRID_CANDIDATES = 200, GRID_SIDE = 12 };

static void check_same_cloak(const sc_cloak *got, const sc_cloak *wanted)
{
    check_same_ids("stars", got->stars, got->star_count, wanted->stars, wanted->star_count);
    check_same_ids("segments", got->segments, got->segment_count, wanted->segments,
                   wanted->segment_count);
    check_same_ids("border nodes", got->border_nodes, got->border_node_count, wanted->border_nodes,
                   wanted->border_node_count);
    assert_int_equal(got->member_count, wanted->member_count);
    for (size_t i = 0; i < got->member_count; i++) {
        assert_memory_equal(&got->members[i].query.id, &wanted->members[i].query.id,
                            sizeof(sc_query_id));
        assert_int_equal(got->members[i].star, wanted->members[i].star);
    }
}

/** Prune a random candidate both ways and compare; gives how many stars went. */
static size_t check_random_candidate(ground *g)
{
    sc_cloak *cloak = random_candidate(g);
    sc_cloak *before = twin_of(cloak);
    sc_cloak *wanted = twin_of(cloak);
    sc_rng same = g->rng;
    CHECK_OK(sc_pruner_prune(g->pruner, cloak, &g->rng), NULL);
    slow_prune(&g->roads, &(sc_demands){0}, wanted, &same);
    check_same_cloak(cloak, wanted);
    assert_int_equal(sc_rng_next(&g->rng), sc_rng_next(&same));
    check_pruned(&g->roads, before, cloak);
    const size_t gone = before->star_count - cloak->star_count;
    slow_cloak_free(wanted);
    slow_cloak_free(before);
    sc_cloak_free(cloak);
    return gone;
}

// --- Tests ------------------------------------------------------------------

static void test_pruning_is_that_of_plain_sets_on_odd_maps(void **state)
{
    (void)state;
    size_t gone = 0;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        ground g = ground_on(sketch_odd(seed), seed);
        for (int i = 0; i < CANDIDATES_PER_MAP && g.roads.star_count > 0; i++) {
            gone += check_random_candidate(&g);
        }
        ground_free(&g);
    }
    check_case_done();
    assert_true(gone > ODD_MAPS);
}

// More than sixty-four stars, so that the boundary has more than one word of bits.
static void test_pruning_is_that_of_plain_sets_on_a_large_grid(void **state)
{
    (void)state;
    ground g = ground_on(sketch_grid(SC_COORDS_PLANAR, GRID_SIDE, GRID_SIDE), 1);
    size_t gone = 0;
    for (uint64_t i = 0; i < GRID_CANDIDATES; i++) {
        check_case(i);
        gone += check_random_candidate(&g);
    }
    check_case_done();
    assert_true(gone > 10 * (size_t)GRID_CANDIDATES);
    ground_free(&g);
}

// Four stars around a fifth, in a town that goes on around them.
static const char town[] = "    o   o   o\n"
                           "    |   |   |\n"
                           "o---o---B---o---o\n"
                           "    |   |   |\n"
                           "o---A---E---C---o\n"
                           "    |   |   |\n"
                           "o---o---D---o---o\n"
                           "    |   |   |\n"
                           "    o   o   o\n";

static ground ground_in_town(uint64_t seed)
{
    return ground_on(sketch_draw(SC_COORDS_PLANAR, town, ""), seed);
}

/** Prune what the letters say and compare with the stars that should be left. */
static void check_left(ground *g, const char *letters, const char *members, uint32_t l,
                       const char *left)
{
    sc_cloak *cloak = candidate_at(g, letters, members, l);
    sc_cloak *wanted = candidate_at(g, left, members, l);
    CHECK_OK(sc_pruner_prune(g->pruner, cloak, &g->rng), NULL);
    check_same_ids("stars", cloak->stars, cloak->star_count, wanted->stars, wanted->star_count);
    check_border(g->map, cloak);
    sc_cloak_free(wanted);
    sc_cloak_free(cloak);
}

static void test_a_query_for_one_segment_is_left_with_the_stars_of_members(void **state)
{
    (void)state;
    ground g = ground_in_town(2);
    check_left(&g, "ABCDE", "E", 1, "E");
    // Once A is gone, E can go as well.
    check_left(&g, "ABCDE", "BD", 1, "BD");
    ground_free(&g);
}

static void test_a_member_whose_star_is_missing_is_refused_and_nothing_changes(void **state)
{
    (void)state;
    ground g = ground_in_town(2);
    sc_cloak *cloak = candidate_at(&g, "ABC", "AC", 1);
    cloak->members[1].star = star_at(&g, 'D');
    assert_int_equal(sc_pruner_prune(g.pruner, cloak, &g.rng), SC_EINVAL);
    assert_int_equal(cloak->star_count, 3);
    assert_int_equal(cloak->segment_count, 0);
    sc_cloak_free(cloak);
    ground_free(&g);
}

static void test_a_star_that_members_enclose_stays(void **state)
{
    (void)state;
    ground g = ground_in_town(3);
    check_left(&g, "ABCDE", "ABCD", 1, "ABCDE");
    ground_free(&g);
}

// Seg(ABCDE) has 16 segments, and without one of A to D three fewer.
static void test_trimming_stops_at_the_first_star_that_is_needed(void **state)
{
    (void)state;
    ground g = ground_in_town(4);
    check_left(&g, "ABCDE", "E", 16, "ABCDE");
    check_left(&g, "ABCDE", "E", 14, "ABCDE");
    check_left(&g, "ABCDE", "ABCE", 13, "ABCE");
    ground_free(&g);
}

static void test_a_whole_component_has_no_boundary_and_stays(void **state)
{
    (void)state;
    const char *whole[][2] = {{"street of three", "DEF"},
                              {"theta", "AB"},
                              {"dumbbell", "AB"},
                              {"parallel segments", "BC"}};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        ground g = ground_on(sketch_named(whole[i][0]), i);
        const char member[] = {whole[i][1][0], '\0'};
        check_left(&g, whole[i][1], member, 1, whole[i][1]);
        ground_free(&g);
    }
}

static void test_a_lone_road_and_a_ring_are_cloaks_of_one_segment_without_border(void **state)
{
    (void)state;
    const char *names[] = {"lone road", "ring", "loop alone", "two roads between two nodes"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ground g = ground_on(sketch_named(names[i]), i);
        sc_cloak *cloak = candidate_of(&g, &(bool){true}, &(sc_star_id){0}, 1, 1);
        CHECK_OK(sc_pruner_prune(g.pruner, cloak, &g.rng), NULL);
        assert_int_equal(cloak->star_count, 1);
        assert_int_equal(cloak->segment_count, 1);
        assert_int_equal(cloak->border_node_count, 0);
        sc_cloak_free(cloak);
        ground_free(&g);
    }
}

/** Whether the node of `letter` is a border node of the cloak of the star at `star`. */
static bool is_border(const char *picture, const char *more, char star, char letter)
{
    ground g = ground_on(sketch_draw(SC_COORDS_PLANAR, picture, more), 5);
    const char letters[] = {star, '\0'};
    sc_cloak *cloak = candidate_at(&g, letters, letters, 1);
    CHECK_OK(sc_pruner_prune(g.pruner, cloak, &g.rng), NULL);
    check_border(g.map, cloak);
    bool found = false;
    for (size_t i = 0; i < cloak->border_node_count; i++) {
        found |= cloak->border_nodes[i] == sketch_node(&g.sketch, letter);
    }
    sc_cloak_free(cloak);
    ground_free(&g);
    return found;
}

static void test_border_nodes_have_a_road_that_is_not_in_the_cloak(void **state)
{
    (void)state;
    // Three roads between A and B, and nothing else.
    assert_false(is_border("A--B\n", "AB AB", 'A', 'B'));
    // One more road, or a loop, at B.
    assert_true(is_border("A--B--C\n", "AB AB", 'A', 'B'));
    assert_true(is_border("A--B\n", "AB AB BB", 'A', 'B'));
    // The star itself has all its roads in the cloak, a loop too; a dead end has one road.
    assert_false(is_border("A--B--C\n", "AB AB AA", 'A', 'A'));
    assert_false(is_border("A--B--C\n", "AB AB", 'B', 'C'));
}

// --- What is left to chance -------------------------------------------------

/**
 * Pearson's chi-square of counts that should be equal. With a right generator it
 * exceeds the bound used by one seed in a thousand; the seed is fixed, and that
 * it does not is what was seen.
 */
static double chi_square(const unsigned *counts, size_t kinds, unsigned total)
{
    const double expected = (double)total / (double)kinds;
    double sum = 0.0;
    for (size_t i = 0; i < kinds; i++) {
        const double off = counts[i] - expected;
        sum += off * off / expected;
    }
    return sum;
}

// Of the town's A, B, C and D exactly one can go if 13 segments are to stay.
static void test_every_star_of_the_boundary_is_as_likely_to_go(void **state)
{
    (void)state;
    enum { TRIES = 20000 };
    ground g = ground_in_town(6);
    unsigned gone[4] = {0};
    for (int i = 0; i < TRIES; i++) {
        sc_cloak *cloak = candidate_at(&g, "ABCDE", "E", 13);
        CHECK_OK(sc_pruner_prune(g.pruner, cloak, &g.rng), NULL);
        assert_int_equal(cloak->star_count, 4);
        uint32_t left = 0;
        for (size_t j = 0; j < 4; j++) {
            left |= 1u << cloak->stars[j];
        }
        for (size_t j = 0; j < 4; j++) {
            gone[j] += !(left & 1u << star_at(&g, "ABCD"[j]));
        }
        sc_cloak_free(cloak);
    }
    assert_true(chi_square(gone, 4, TRIES) < 16.3);  // 3 degrees of freedom
    ground_free(&g);
}

static void test_every_order_of_the_members_is_as_likely(void **state)
{
    (void)state;
    enum { TRIES = 24000, ORDERS = 4 * 4 * 4 * 4 };
    ground g = ground_in_town(7);
    unsigned seen[ORDERS] = {0};
    for (int i = 0; i < TRIES; i++) {
        sc_cloak *cloak = candidate_at(&g, "ABCDE", "ABCD", 1);
        CHECK_OK(sc_pruner_prune(g.pruner, cloak, &g.rng), NULL);
        unsigned order = 0;
        for (size_t j = 0; j < 4; j++) {
            order = order * 4 + cloak->members[j].query.id.bytes[0];
        }
        seen[order]++;
        sc_cloak_free(cloak);
    }
    unsigned orders[24];
    size_t count = 0;
    for (size_t i = 0; i < ORDERS; i++) {
        if (seen[i] == 0) continue;
        assert_true(count < 24);
        orders[count++] = seen[i];
    }
    assert_int_equal(count, 24);
    assert_true(chi_square(orders, 24, TRIES) < 49.7);  // 23 degrees of freedom
    ground_free(&g);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_pruning_is_that_of_plain_sets_on_odd_maps),
    SC_CASES(test_pruning_is_that_of_plain_sets_on_a_large_grid),
    cmocka_unit_test(test_a_query_for_one_segment_is_left_with_the_stars_of_members),
    cmocka_unit_test(test_a_member_whose_star_is_missing_is_refused_and_nothing_changes),
    cmocka_unit_test(test_a_star_that_members_enclose_stays),
    cmocka_unit_test(test_trimming_stops_at_the_first_star_that_is_needed),
    cmocka_unit_test(test_a_whole_component_has_no_boundary_and_stays),
    cmocka_unit_test(test_a_lone_road_and_a_ring_are_cloaks_of_one_segment_without_border),
    cmocka_unit_test(test_border_nodes_have_a_road_that_is_not_in_the_cloak),
    cmocka_unit_test(test_every_star_of_the_boundary_is_as_likely_to_go),
    cmocka_unit_test(test_every_order_of_the_members_is_as_likely),
};
SC_SUITE(tests)
