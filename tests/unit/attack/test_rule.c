// What the rules of cloaking exclude: the same as by the definitions (support/slow_demand.h), on
// small maps of every kind; and no road that is left has more than its share.
#include "ruled_town.h"
#include "tracking.h"

#include "support/oom.h"
#include "support/sketch.h"

enum { TOWNS = 240, CLOAKS = 12, MOST_TRAFFIC = 4 };

static sc_rule *rule_on(const sc_map *map, const sc_density *density, uint32_t traffic)
{
    const sc_rule_options options = {.density = density, .traffic = traffic};
    sc_rule *rule = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_rule_new(map, &options, &rule, &diag), &diag);
    return rule;
}

/** The roads that the definitions leave; *possible is how many there were without the core. */
static size_t slow_left(ruled_town *on, const sc_query *member, uint32_t traffic, size_t *possible)
{
    const uint32_t segment_count = on->roads.segment_count;
    const uint32_t n = member->l < traffic ? member->l : traffic;
    size_t count = 0;
    slow_possible_roads(&on->roads, member, on->stars, on->wanted);
    *possible = 0;
    for (sc_seg_id s = 0; s < segment_count; s++) {
        *possible += on->wanted[s];
    }
    if (n >= 2) slow_core(on->numbers, segment_count, n, on->wanted);
    for (sc_seg_id s = 0; s < segment_count; s++) {
        count += on->wanted[s];
    }
    return count;
}

/** How often something of interest was seen. */
typedef struct tally {
    int impossible;  ///< cloaks with roads that hops exclude
    int beyond;      ///< and with possible roads outside the core
    int unexplained;
} tally;

static void check_beliefs(const ruled_town *on, const sc_ruled *cloak, uint32_t traffic,
                          const sc_left *left, const sc_posterior *posterior)
{
    const uint32_t l = cloak->needs.l;
    const uint32_t n = l < traffic ? l : traffic;
    double sum = 0;
    for (size_t i = 0; i < cloak->segment_count; i++) {
        assert_int_equal(left->is_left[i], on->wanted[cloak->segments[i]]);
        const bool counts = left->left == 0 || left->is_left[i];
        if (counts) sum += sc_density_weight(on->density, cloak->segments[i]);
    }
    for (size_t i = 0; i < cloak->segment_count; i++) {
        const bool counts = left->left == 0 || left->is_left[i];
        const double weight = counts ? sc_density_weight(on->density, cloak->segments[i]) : 0;
        CHECK_CLOSE(posterior->links[i].linkability, weight / sum, 1e-12);
        if (left->left > 0 && n >= 2) {
            assert_true(posterior->links[i].linkability <= 1.0 / n + 1e-12);
        }
    }
}

static void compare_one(ruled_town *on, sc_rule *rule, uint32_t traffic, tally *seen)
{
    sc_rng *rng = &on->town.rng;
    draw_stars(on);
    const sc_query member = {.l = 1 + sc_rng_below(rng, 6), .max_hops = sc_rng_below(rng, 5)};
    size_t possible = 0;
    const size_t wanted = slow_left(on, &member, traffic, &possible);
    sc_ruled cloak = {.needs = {.k = 1, .l = member.l, .max_hops = member.max_hops}};
    uint32_t *segments = ids_of_roads(on, &cloak.segment_count);
    uint32_t *stars = slow_ids(on->stars, on->roads.star_count, &cloak.star_count);
    cloak.segments = segments;
    cloak.stars = stars;

    sc_left left;
    sc_posterior posterior = {0};
    CHECK_OK(sc_rule_see(rule, &cloak, &left, &posterior), NULL);
    check_identities(&posterior, segments, cloak.segment_count);
    assert_int_equal(left.possible, possible);
    assert_int_equal(left.left, wanted);
    assert_int_equal(posterior.is_unexplained, wanted == 0);
    check_beliefs(on, &cloak, traffic, &left, &posterior);
    seen->impossible += possible > 0 && possible < cloak.segment_count;
    seen->beyond += wanted > 0 && wanted < possible;
    seen->unexplained += wanted == 0;
    sc_posterior_fini(&posterior);
    free(segments);
    free(stars);
}

static void test_what_is_left_is_what_the_definitions_leave(void **state)
{
    (void)state;
    tally seen = {0};
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        ruled_town on = ruled_town_new(seed);
        const uint32_t traffic = (uint32_t)(seed % (MOST_TRAFFIC + 1));
        sc_rule *rule = rule_on(on.town.map, on.density, traffic);
        for (int i = 0; i < CLOAKS && on.roads.star_count > 0; i++) {
            compare_one(&on, rule, traffic, &seen);
        }
        sc_rule_free(rule);
        ruled_town_free(&on);
    }
    check_case_done();
    assert_true(seen.impossible > 100);
    assert_true(seen.beyond > 100);
    assert_true(seen.unexplained > 50);
}

// --- By hand -------------------------------------------------------------------

/** A junction with four dead ends, so busy. */
static sc_posterior see_four(const uint64_t counts[4], uint32_t traffic, uint32_t l, sc_left *left)
{
    sketch s = sketch_draw(SC_COORDS_PLANAR,
                           "  B  \n"
                           "  |  \n"
                           "C-A-D\n"
                           "  |  \n"
                           "  E  \n",
                           "");
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    sc_density *density = NULL;
    CHECK_OK(sc_density_new_counted(map, counts, &density), NULL);
    sc_rule *rule = rule_on(map, density, traffic);
    const sc_seg_id segments[] = {0, 1, 2, 3};
    const sc_star_id star = 0;
    const sc_ruled cloak = {.segments = segments,
                            .segment_count = 4,
                            .stars = &star,
                            .star_count = 1,
                            .needs = {.k = 1, .l = l}};
    sc_posterior posterior = {0};
    CHECK_OK(sc_rule_see(rule, &cloak, left, &posterior), NULL);
    sc_rule_free(rule);
    sc_density_free(density);
    sc_map_free(map);
    return posterior;
}

static void test_a_road_as_busy_as_all_others_is_left_and_a_busier_one_is_not(void **state)
{
    (void)state;
    sc_left left;
    sc_posterior posterior = see_four((const uint64_t[]){1, 2, 3, 8}, 2, 2, &left);
    assert_int_equal(left.left, 4);
    CHECK_CLOSE(posterior.links[3].linkability, 0.5, 1e-12);
    sc_posterior_fini(&posterior);

    posterior = see_four((const uint64_t[]){1, 2, 3, 9}, 2, 2, &left);
    assert_int_equal(left.possible, 4);
    assert_int_equal(left.left, 3);
    CHECK_SAME(posterior.links[3].linkability, 0.0);
    CHECK_CLOSE(posterior.links[2].linkability, 4.0 / 9, 1e-12);
    sc_posterior_fini(&posterior);

    // Who asks for one road only, or of whom nothing is demanded, may be anywhere.
    posterior = see_four((const uint64_t[]){1, 2, 3, 9}, 2, 1, &left);
    assert_int_equal(left.left, 4);
    sc_posterior_fini(&posterior);
    posterior = see_four((const uint64_t[]){1, 2, 3, 9}, 1, 2, &left);
    assert_int_equal(left.left, 4);
    CHECK_CLOSE(posterior.links[3].linkability, 10.0 / 19, 1e-12);
    sc_posterior_fini(&posterior);
}

// A street of three junctions: from its ends one hop does not reach all of it.
static void test_roads_at_stars_that_do_not_reach_the_cloak_are_excluded(void **state)
{
    (void)state;
    sketch s = sketch_draw(SC_COORDS_PLANAR,
                           "  F G H  \n"
                           "  | | |  \n"
                           "E-A-B-C-D\n",
                           "");
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    sc_rule *rule = rule_on(map, NULL, 4);
    const sc_seg_id segments[] = {0, 1, 2, 3, 4, 5, 6};
    const sc_star_id stars[] = {0, 1, 2};
    sc_left left;
    sc_posterior posterior = {0};
    sc_ruled cloak = {.segments = segments,
                      .segment_count = 7,
                      .stars = stars,
                      .star_count = 3,
                      .needs = {.k = 1, .l = 2, .max_hops = 1}};
    CHECK_OK(sc_rule_see(rule, &cloak, &left, &posterior), NULL);
    assert_int_equal(left.possible, 3);  // the two beside B, and its dead end
    CHECK_CLOSE(posterior.effective, 3.0, 1e-9);
    sc_posterior_fini(&posterior);
    cloak.needs.max_hops = 2;
    CHECK_OK(sc_rule_see(rule, &cloak, &left, NULL), NULL);
    assert_int_equal(left.possible, 7);
    cloak.needs.max_hops = 0;
    CHECK_OK(sc_rule_see(rule, &cloak, &left, &posterior), NULL);
    assert_int_equal(left.possible, 0);
    assert_true(posterior.is_unexplained);
    CHECK_CLOSE(posterior.effective, 7.0, 1e-9);
    sc_posterior_fini(&posterior);
    sc_rule_free(rule);
    sc_map_free(map);
}

// --- Refusals, and memory --------------------------------------------------------

static sc_map *grid_map(void)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, 6, 5);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

static void test_what_is_not_on_the_map_is_refused(void **state)
{
    (void)state;
    sc_map *map = grid_map();
    sc_map *other = full_map(SC_COORDS_PLANAR);
    sc_rule *rule = rule_on(map, NULL, 2);
    const sc_seg_id segments[] = {3, 5, 4000000};
    const sc_star_id stars[] = {1, 2, 4000000};
    const uint32_t twice[] = {3, 3};
    const sc_ruled known = {.segments = segments,
                            .segment_count = 2,
                            .stars = stars,
                            .star_count = 2,
                            .needs = {.l = 1}};
    sc_left left = {.possible = 77};
    CHECK_OK(sc_rule_see(rule, &known, &left, NULL), NULL);

    sc_ruled bad[6] = {known, known, known, known, known, known};
    bad[0].segment_count = 0;
    bad[1].star_count = 0;
    bad[2].segments = twice;
    bad[3].stars = twice;
    bad[4].segment_count = 3;  // the third is not on the map
    bad[5].star_count = 3;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        left.possible = 77;
        assert_int_equal(sc_rule_see(rule, &bad[i], &left, NULL), i < 4 ? SC_EINVAL : SC_EUNKNOWN);
        assert_int_equal(left.possible, 77);
    }
    sc_rule_free(rule);

    sc_density *density = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_density_new_uniform(other, &density), NULL);
    const sc_rule_options options = {.density = density};
    rule = NULL;
    CHECK_REFUSED(sc_rule_new(map, &options, &rule, &diag), SC_EINVAL, &diag,
                  "use a density of this map");
    assert_null(rule);
    sc_density_free(density);
    sc_map_free(other);
    sc_map_free(map);
}

static void test_a_rule_without_memory_is_told(void **state)
{
    (void)state;
    sc_map *map = grid_map();
    const sc_rule_options options = {.traffic = 2};
    const sc_seg_id segments[] = {3, 5, 9};
    const sc_star_id stars[] = {1, 2};
    const sc_ruled cloak = {.segments = segments,
                            .segment_count = 3,
                            .stars = stars,
                            .star_count = 2,
                            .needs = {.k = 1, .l = 2, .max_hops = 3}};
    FOR_EACH_FAILURE(n)
    {
        sc_rule *rule = NULL;
        sc_left left = {.possible = 77};
        sc_posterior posterior = {0};
        sc_diag diag = {""};
        sc_err err = sc_rule_new(map, &options, &rule, &diag);
        if (err) {
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while making a rule");
            assert_null(rule);
            continue;
        }
        err = sc_rule_see(rule, &cloak, &left, &posterior);
        const bool is_last = !oom_happened();
        if (is_last) {
            CHECK_OK(err, NULL);
        } else {
            assert_int_equal(err, SC_ENOMEM);
            assert_int_equal(left.possible, 77);
            assert_null(posterior.links);
        }
        sc_posterior_fini(&posterior);
        sc_rule_free(rule);
        if (is_last) break;
    }
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_what_is_left_is_what_the_definitions_leave),
    cmocka_unit_test(test_a_road_as_busy_as_all_others_is_left_and_a_busier_one_is_not),
    cmocka_unit_test(test_roads_at_stars_that_do_not_reach_the_cloak_are_excluded),
    cmocka_unit_test(test_what_is_not_on_the_map_is_refused),
    cmocka_unit_test(test_a_rule_without_memory_is_told),
};
SC_SUITE(tests)
