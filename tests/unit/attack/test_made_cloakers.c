// Cloakers whose secrets are known: the adversary reads all that a leaky one tells, learns nothing
// from a perfect one, and of those in between exactly what there is.
#include <starcloak/attack.h>

#include "support/check.h"
#include "support/sketch.h"
#include "support/slow_attack.h"
#include "support/toy_cloakers.h"

enum { WIDTH = 5 };

/** A town of 20 roads, of which windows of five are published. */
typedef struct fixture {
    sc_map *map;
    toy_cloaking cloaking;
    sc_adversary *adversary;
    sc_seg_id roads[WIDTH];  ///< the cloak that is seen: the window that begins with road 10
    sc_needs needs[3];
    sc_sighting sighting;
} fixture;

enum { FIRST = 10 };

static void open_town(fixture *f, toy_manner manner, sc_likeness likeness, uint64_t max_placements,
                      size_t strangers)
{
    *f = (fixture){.cloaking = {manner, WIDTH}};
    sketch s = sketch_grid(SC_COORDS_PLANAR, 4, 4);
    f->map = sketch_map(&s);
    sketch_free(&s);
    assert_int_equal(sc_map_segment_count(f->map), 20);

    sc_adversary_options options = sc_adversary_options_default();
    options.likeness = likeness;
    options.max_placements = max_placements;
    options.runs = 1000;  // what happens once in forty runs must happen
    options.samples = 20000;
    options.fruitful = 0;
    options.threads = 2;
    const sc_cloaker cloaker = toy_cloaker(&f->cloaking);
    sc_diag diag = {""};
    CHECK_OK(sc_adversary_new(f->map, &options, &cloaker, &f->adversary, &diag), &diag);

    toy_window(f->map, FIRST, WIDTH, f->roads);
    for (size_t i = 0; i < strangers; i++) {
        f->needs[i] = (sc_needs){.k = (uint32_t)strangers, .l = WIDTH, .max_hops = 1};
    }
    f->sighting = (sc_sighting){f->roads, WIDTH, f->needs, strangers, NULL, 0};
}

static void close_town(fixture *f)
{
    sc_adversary_free(f->adversary);
    sc_map_free(f->map);
}

/** The adversary believes what is told by `weights`, one for each road of the cloak. */
static void check_believes(const fixture *f, const sc_posterior *estimate, const double *weights)
{
    slow_posterior exact = {.count = WIDTH, .likeness = 1};
    double sum = 0;
    for (size_t i = 0; i < WIDTH; i++) {
        sum += weights[i];
    }
    for (size_t i = 0; i < WIDTH; i++) {
        exact.segments[i] = f->roads[i];
        exact.links[i] = weights[i] / sum;
    }
    exact.normalised_entropy = slow_normalised_entropy(weights, WIDTH);
    CHECK_AGREES(estimate, &exact);
}

/** Correlate, with all placements and with samples; both must believe the weights. */
static void check_correlates(toy_manner manner, sc_likeness likeness, size_t strangers,
                             const double *weights)
{
    for (uint64_t max_placements = 0; max_placements <= 1000; max_placements += 1000) {
        fixture f;
        open_town(&f, manner, likeness, max_placements, strangers);
        sc_posterior estimate = {0};
        CHECK_OK(sc_adversary_correlate(f.adversary, 1, &f.sighting, &estimate, NULL), NULL);
        assert_int_equal(estimate.is_enumerated, max_placements > 0);
        check_believes(&f, &estimate, weights);
        sc_posterior_fini(&estimate);
        close_town(&f);
    }
}

static void check_replays(toy_manner manner, sc_likeness likeness, size_t strangers,
                          const double *weights)
{
    fixture f;
    open_town(&f, manner, likeness, 0, strangers);
    sc_posterior estimate = {0};
    CHECK_OK(sc_adversary_replay(f.adversary, 1, &f.sighting, &estimate, NULL), NULL);
    check_believes(&f, &estimate, weights);
    sc_posterior_fini(&estimate);
    close_town(&f);
}

static const double only_the_first[WIDTH] = {1, 0, 0, 0, 0};
static const double all_alike[WIDTH] = {1, 1, 1, 1, 1};

// A traveller that is not on the first road is not cloaked: whatever the attack, nothing else is
// possible, and the entropy is nought.
static void test_a_leaky_cloaker_hides_nothing(void **state)
{
    (void)state;
    for (size_t strangers = 1; strangers <= 3; strangers++) {
        check_correlates(TOY_GATED, SC_LIKENESS_OVERLAP, strangers, only_the_first);
        check_correlates(TOY_GATED, SC_LIKENESS_EXACT, strangers, only_the_first);
        check_replays(TOY_GATED, SC_LIKENESS_OVERLAP, strangers, only_the_first);
        check_replays(TOY_GATED, SC_LIKENESS_EXACT, strangers, only_the_first);
    }
    fixture f;
    open_town(&f, TOY_GATED, SC_LIKENESS_OVERLAP, 1000, 2);
    sc_posterior estimate = {0};
    CHECK_OK(sc_adversary_correlate(f.adversary, 1, &f.sighting, &estimate, NULL), NULL);
    assert_int_equal(estimate.ruled_out, WIDTH - 1);
    CHECK_CLOSE(estimate.entropy, 0, 0);
    CHECK_CLOSE(estimate.effective, 1, 0);
    sc_posterior_fini(&estimate);
    close_town(&f);
}

// The roads are drawn without looking at anybody: all are equally likely, and the entropy is one.
static void test_a_perfect_cloaker_tells_nothing(void **state)
{
    (void)state;
    for (size_t strangers = 1; strangers <= 3; strangers++) {
        check_correlates(TOY_BLIND, SC_LIKENESS_OVERLAP, strangers, all_alike);
        check_correlates(TOY_BLIND, SC_LIKENESS_EXACT, strangers, all_alike);
        check_replays(TOY_BLIND, SC_LIKENESS_OVERLAP, strangers, all_alike);
        check_replays(TOY_BLIND, SC_LIKENESS_EXACT, strangers, all_alike);
    }
    fixture f;
    open_town(&f, TOY_BLIND, SC_LIKENESS_OVERLAP, 1000, 3);
    sc_posterior estimate = {0};
    CHECK_OK(sc_adversary_correlate(f.adversary, 1, &f.sighting, &estimate, NULL), NULL);
    assert_int_equal(estimate.ruled_out, 0);
    assert_true(estimate.normalised_entropy > 0.999 && estimate.normalised_entropy <= 1);
    assert_true(estimate.effective > 4.99 && estimate.effective <= 5);
    sc_posterior_fini(&estimate);
    close_town(&f);
}

// The window begins with the own road. Held to the letter, that is the only one: no entropy. By the
// part that is shared, the next road's window has four of the five, the one behind it three, ...
static void test_how_like_a_cloak_must_be_decides_what_a_telltale_tells(void **state)
{
    (void)state;
    static const double shared[WIDTH] = {5, 4, 3, 2, 1};
    check_correlates(TOY_TELLTALE, SC_LIKENESS_EXACT, 1, only_the_first);
    check_replays(TOY_TELLTALE, SC_LIKENESS_EXACT, 1, only_the_first);
    check_correlates(TOY_TELLTALE, SC_LIKENESS_OVERLAP, 1, shared);
    check_replays(TOY_TELLTALE, SC_LIKENESS_OVERLAP, 3, shared);
}

// Of two, only the one who came first is told of. A stranger was that one in half of the cases;
// else it may be anywhere, and the other one was on the first road, as one in five would be.
static void test_who_came_second_hides_behind_who_came_first(void **state)
{
    (void)state;
    static const double weights[WIDTH] = {0.5 + 0.5 / 5, 0.5 / 5, 0.5 / 5, 0.5 / 5, 0.5 / 5};
    check_correlates(TOY_TELLTALE, SC_LIKENESS_EXACT, 2, weights);
}

// A coin decides between telling all and telling nothing. Drawn blindly, it is this window once in
// twenty times, wherever the traveller is: 21 to 1, the entropy is 0.41.
static void test_what_is_between_has_the_value_that_it_must_have(void **state)
{
    (void)state;
    static const double weights[WIDTH] = {21, 1, 1, 1, 1};
    CHECK_CLOSE(slow_normalised_entropy(weights, WIDTH), 0.411, 0.001);
    check_correlates(TOY_TORN, SC_LIKENESS_EXACT, 1, weights);
    check_replays(TOY_TORN, SC_LIKENESS_EXACT, 1, weights);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_leaky_cloaker_hides_nothing),
    cmocka_unit_test(test_a_perfect_cloaker_tells_nothing),
    cmocka_unit_test(test_how_like_a_cloak_must_be_decides_what_a_telltale_tells),
    cmocka_unit_test(test_who_came_second_hides_behind_who_came_first),
    cmocka_unit_test(test_what_is_between_has_the_value_that_it_must_have),
};
SC_SUITE(tests)
