// What comes of an attack: it is what the adversary says who is asked directly, and that is what
// can be known exactly on towns so small that all dice can be followed. Cloaks that a method makes
// are the first query's, and keep their promises. What takes too long is cut short.
#include "demo/attack_on_demand_internal.h"

#include "base/rng.h"
#include "made_attack.h"
#include "support/toy_stage.h"

static const char street[] = "o   o   o   o\n"
                             "|   |   |   |\n"
                             "A---B---C---D\n"
                             "|   |   |   |\n"
                             "o   o   o   o\n";

/** An attack with known dice. */
typedef struct attack_fixture {
    sc_attack_thread_options options;
    sc_rng rng;
    atomic_bool is_stopping;
    sc__attack_examiner examiner;
} attack_fixture;

static void attack_fixture_init(attack_fixture *d, const sc_map *map, uint64_t seed)
{
    *d = (attack_fixture){.options = sc_attack_thread_options_default()};
    sc_rng_seed(&d->rng, seed);
    d->examiner = (sc__attack_examiner){map, &d->options, &d->rng, &d->is_stopping};
}

static void examine(attack_fixture *d, sc_attack_request *attack)
{
    CHECK_OK(sc__attack_check(d->examiner.map, attack, &attack->diag), &attack->diag);
    CHECK_OK(sc__attack_run(&d->examiner, attack), &attack->diag);
}

// --- Of a cloak ----------------------------------------------------------------------------------

static void check_exact(sc_variant method, size_t members, sc_needs needs)
{
    toy_stage *toy = test_take(1, sizeof *toy);
    toy_stage_open(toy, street, method);
    toy_set_strangers(toy, members, needs);
    toy_see_stars(toy, "AB");
    const slow_posterior exact = toy_exact(toy, SC_LIKENESS_OVERLAP);
    assert_true(exact.likeness > 0);
    attack_fixture d;
    attack_fixture_init(&d, toy->map, 7);
    sc_attack_request *attack =
        attack_on_cloak(method, toy->segments, toy->segment_count, members, needs);
    examine(&d, attack);
    assert_true(attack->is_found);
    assert_int_equal(attack->found_members, members);
    CHECK_AGREES(&attack->posterior, &exact);
    sc_attack_request_free(attack);
    toy_stage_close(toy);
    free(toy);
}

static void test_a_attack_comes_to_what_can_be_known(void **state)
{
    (void)state;
    const sc_needs needs = {.k = 2, .l = 4, .max_hops = 1};
    check_exact(SC_VARIANT_BASIC, 2, needs);
    check_exact(SC_VARIANT_BOUNDED, 2, needs);
    check_exact(SC_VARIANT_HYBRID, 3, needs);
    check_exact(SC_VARIANT_XSTAR, 2, needs);
    check_exact(SC_VARIANT_EXPANSION, 3, needs);
}

static void test_a_attack_is_the_adversarys_own_word(void **state)
{
    (void)state;
    sketch drawing = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    sc_map *map = sketch_map(&drawing);
    const sc_seg_id cloak[] = {0, 1, 2, 4, 5, 6, 8};
    const sc_needs needs = {.k = 3, .l = 5, .max_hops = 3};
    attack_fixture d;
    attack_fixture_init(&d, map, 3);
    sc_attack_request *attack = attack_on_cloak(SC_VARIANT_HYBRID, cloak, 7, 4, needs);
    examine(&d, attack);

    // The first look took one seed, and what followed the next.
    sc_rng same;
    sc_rng_seed(&same, 3);
    (void)sc_rng_next(&same);
    sc_adversary_options options = sc_adversary_options_default();
    options.engine.variant = SC_VARIANT_HYBRID;
    // 210 placements: few enough for all of them to be looked at.
    options.max_placements = 210;
    options.runs = 8;
    options.samples = d.options.samples;
    options.fruitful = 0;
    options.seed = sc_rng_next(&same);
    options.threads = 1;
    sc_adversary *adversary = NULL;
    sc_posterior wanted = {0};
    const sc_sighting sighting = {
        .segments = cloak, .segment_count = 7, .strangers = attack->members, .stranger_count = 4};
    CHECK_OK(sc_adversary_new(map, &options, NULL, &adversary, NULL), NULL);
    CHECK_OK(sc_adversary_correlate(adversary, 0, &sighting, &wanted, NULL), NULL);
    assert_true(attack->posterior.is_enumerated);
    assert_int_equal(attack->posterior.replays, wanted.replays);
    assert_int_equal(attack->posterior.link_count, wanted.link_count);
    for (size_t i = 0; i < wanted.link_count; i++) {
        assert_int_equal(attack->posterior.links[i].segment, cloak[i]);
        CHECK_SAME(attack->posterior.links[i].linkability, wanted.links[i].linkability);
        CHECK_SAME(attack->posterior.links[i].error, wanted.links[i].error);
    }
    CHECK_SAME(attack->posterior.normalised_entropy, wanted.normalised_entropy);
    sc_posterior_fini(&wanted);
    sc_adversary_free(adversary);
    sc_attack_request_free(attack);
    sc_map_free(map);
    sketch_free(&drawing);
}

static void test_busy_roads_weigh_more(void **state)
{
    (void)state;
    toy_stage *toy = test_take(1, sizeof *toy);
    toy_stage_open(toy, street, SC_VARIANT_BASIC);
    const sc_needs needs = {.k = 2, .l = 4, .max_hops = 1};
    toy_set_strangers(toy, 2, needs);
    toy_see_stars(toy, "AB");
    toy_set_traffic(toy, "AB 40");
    const slow_posterior exact = toy_exact(toy, SC_LIKENESS_OVERLAP);
    attack_fixture d;
    attack_fixture_init(&d, toy->map, 5);
    d.options.density = toy->density;
    sc_attack_request *attack =
        attack_on_cloak(SC_VARIANT_BASIC, toy->segments, toy->segment_count, 2, needs);
    examine(&d, attack);
    CHECK_AGREES(&attack->posterior, &exact);
    assert_true(toy_link(toy, &exact, "AB") > 0.5);
    sc_attack_request_free(attack);
    toy_stage_close(toy);
    free(toy);
}

static void test_more_is_tried_where_little_comes_of_it_and_never_for_long(void **state)
{
    (void)state;
    sketch drawing = sketch_grid(SC_COORDS_PLANAR, 6, 6);
    sc_map *map = sketch_map(&drawing);
    attack_fixture d;
    attack_fixture_init(&d, map, 1);
    d.options.samples = 64;
    sc_attack_request *attack = unlikely_attack(map);
    examine(&d, attack);
    assert_true(attack->posterior.is_unexplained);
    assert_int_equal(attack->posterior.replays, 64 * SC_ATTACK_MORE);
    sc_attack_request_free(attack);

    // Sixteen million of them no machine does in the time there is.
    d.options.samples = SC_ATTACK_REQUEST_SAMPLES_MAX;
    attack = unlikely_attack(map);
    examine(&d, attack);
    assert_true(attack->posterior.is_unexplained);
    assert_in_range(attack->posterior.replays, SC_ATTACK_BATCHES,
                    SC_ATTACK_REQUEST_SAMPLES_MAX * (SC_ATTACK_MORE - 1));
    sc_attack_request_free(attack);
    sc_map_free(map);
    sketch_free(&drawing);
}

// --- Of a method ---------------------------------------------------------------------------------

static bool has_segment(const sc_attack_request *attack, sc_seg_id segment)
{
    for (size_t i = 0; i < attack->segment_count; i++) {
        if (attack->segments[i] == segment) return true;
    }
    return false;
}

static void check_made(const sc_attack_request *attack, sc_seg_id first, sc_needs needs)
{
    assert_true(attack->is_found);
    assert_true(has_segment(attack, first));
    assert_true(attack->segment_count >= needs.l);
    assert_in_range(attack->found_members, needs.k, attack->member_count);
    const sc_posterior *posterior = &attack->posterior;
    assert_int_equal(posterior->link_count, attack->segment_count);
    double sum = 0.0;
    for (size_t i = 0; i < posterior->link_count; i++) {
        if (i > 0) assert_true(attack->segments[i] > attack->segments[i - 1]);
        assert_int_equal(posterior->links[i].segment, attack->segments[i]);
        sum += posterior->links[i].linkability;
    }
    CHECK_CLOSE(sum, 1.0, 1e-9);
    assert_false(posterior->is_unexplained);
}

static void test_a_method_cloaks_the_first_query(void **state)
{
    (void)state;
    sketch drawing = sketch_grid(SC_COORDS_PLANAR, 5, 5);
    sc_map *map = sketch_map(&drawing);
    const sc_seg_id places[] = {20, 21, 22, 18, 25, 20};
    const sc_needs needs = {.k = 3, .l = 5, .max_hops = 4};
    for (int method = 0; method < SC_VARIANT_COUNT; method++) {
        check_case((uint64_t)method);
        attack_fixture d;
        attack_fixture_init(&d, map, 11);
        d.options.samples = 256;
        sc_attack_request *attack = attack_on_method((sc_variant)method, places, 6, needs);
        examine(&d, attack);
        check_made(attack, places[0], needs);
        sc_attack_request_free(attack);
    }
    check_case_done();
    sc_map_free(map);
    sketch_free(&drawing);
}

static void test_a_query_with_too_little_company_finds_no_cloak(void **state)
{
    (void)state;
    sketch drawing = sketch_grid(SC_COORDS_PLANAR, 5, 5);
    sc_map *map = sketch_map(&drawing);
    const sc_seg_id places[] = {20, 21, 22};
    for (int method = 0; method < SC_VARIANT_COUNT; method++) {
        check_case((uint64_t)method);
        attack_fixture d;
        attack_fixture_init(&d, map, 11);
        sc_attack_request *attack = attack_on_method((sc_variant)method, places, 3,
                                                     (sc_needs){.k = 2, .l = 2, .max_hops = 4});
        // The others would be content with each other.
        attack->members[0].k = 4;
        examine(&d, attack);
        assert_false(attack->is_found);
        assert_null(attack->segments);
        assert_null(attack->posterior.links);
        sc_attack_request_free(attack);
    }
    check_case_done();
    sc_map_free(map);
    sketch_free(&drawing);
}

static void test_a_cloak_that_is_too_large_is_not_attacked(void **state)
{
    (void)state;
    sketch drawing = sketch_grid(SC_COORDS_PLANAR, 26, 26);
    sc_map *map = sketch_map(&drawing);
    attack_fixture d;
    attack_fixture_init(&d, map, 1);
    const sc_seg_id place = 100;
    sc_attack_request *attack = attack_on_method(
        SC_VARIANT_EXPANSION, &place, 1,
        (sc_needs){.k = 1, .l = SC_ATTACK_REQUEST_SEGMENTS_MAX + 1, .max_hops = 100});
    CHECK_REFUSED(sc__attack_run(&d.examiner, attack), SC_ELIMIT, &attack->diag,
                  "more than 1000 segments");
    sc_attack_request_free(attack);
    sc_map_free(map);
    sketch_free(&drawing);
}

// --- Not wanted any more -------------------------------------------------------------------------

static void test_an_unwanted_job_is_not_worked_on(void **state)
{
    (void)state;
    sketch drawing = sketch_grid(SC_COORDS_PLANAR, 5, 5);
    sc_map *map = sketch_map(&drawing);
    attack_fixture d;
    attack_fixture_init(&d, map, 1);
    const sc_needs needs = {.k = 1, .l = 2, .max_hops = 2};
    const sc_seg_id roads[] = {3, 4, 5};
    sc_attack_request *attacks[] = {attack_on_cloak(SC_VARIANT_BASIC, roads, 3, 1, needs),
                                    attack_on_method(SC_VARIANT_BASIC, roads, 3, needs)};
    for (size_t i = 0; i < 2; i++) {
        sc_attack_give_up(attacks[i]);
        assert_int_equal(sc__attack_run(&d.examiner, attacks[i]), SC_EINTERRUPTED);
        atomic_store(&attacks[i]->is_unwanted, false);
        atomic_store(&d.is_stopping, true);
        assert_int_equal(sc__attack_run(&d.examiner, attacks[i]), SC_EINTERRUPTED);
        assert_null(attacks[i]->posterior.links);
        atomic_store(&d.is_stopping, false);
        examine(&d, attacks[i]);
        assert_non_null(attacks[i]->posterior.links);
        sc_attack_request_free(attacks[i]);
    }
    sc_map_free(map);
    sketch_free(&drawing);
}

// --- Nothing stays behind ------------------------------------------------------------------------

/** The cloak whose beliefs are counted as they are wiped. */
static const sc_seg_id watched[] = {0, 1, 2, 4, 5, 6, 8};
enum { WATCHED = sizeof watched / sizeof watched[0] };
static unsigned wiped_beliefs;

static bool is_belief(const void *memory, size_t size)
{
    const sc_link *links = memory;
    double sum = 0.0;
    if (size != WATCHED * sizeof *links) return false;
    for (size_t i = 0; i < WATCHED; i++) {
        if (links[i].segment != watched[i]) return false;
        sum += links[i].linkability;
    }
    return sum > 0.99;
}

// Takes the place of the C library's: it is seen what is wiped, before it is.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): its names are reserved
void explicit_bzero(void *memory, size_t size)
{
    const void *volatile seen = memory;  // which the compiler holds to be written to only
    if (is_belief(seen, size)) wiped_beliefs++;
    volatile unsigned char *bytes = memory;
    for (size_t i = 0; i < size; i++) {
        bytes[i] = 0;
    }
}

static void test_what_was_believed_is_wiped(void **state)
{
    (void)state;
    sketch drawing = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    sc_map *map = sketch_map(&drawing);
    attack_fixture d;
    attack_fixture_init(&d, map, 3);
    sc_attack_request *attack = attack_on_cloak(SC_VARIANT_HYBRID, watched, WATCHED, 4,
                                                (sc_needs){.k = 3, .l = 5, .max_hops = 3});
    wiped_beliefs = 0;
    examine(&d, attack);
    assert_true(attack->posterior.replays > SC_ATTACK_BATCHES);
    assert_int_equal(wiped_beliefs, 1);  // the first look's
    sc_attack_request_free(attack);
    assert_int_equal(wiped_beliefs, 2);
    sc_map_free(map);
    sketch_free(&drawing);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_attack_comes_to_what_can_be_known),
    cmocka_unit_test(test_a_attack_is_the_adversarys_own_word),
    cmocka_unit_test(test_busy_roads_weigh_more),
    cmocka_unit_test(test_more_is_tried_where_little_comes_of_it_and_never_for_long),
    SC_CASES(test_a_method_cloaks_the_first_query),
    SC_CASES(test_a_query_with_too_little_company_finds_no_cloak),
    cmocka_unit_test(test_a_cloak_that_is_too_large_is_not_attacked),
    cmocka_unit_test(test_an_unwanted_job_is_not_worked_on),
    cmocka_unit_test(test_what_was_believed_is_wiped),
};
SC_SUITE(tests)
