// An adversary at a point: victims attacked, queries injected, travellers followed; and only where
// a figure wants it.
#include "lab/attack_points.h"

#include "small_lab.h"

#include "lab/run_listeners.h"
#include "travel/movement.h"
#include "travel/walk.h"

/** Entropy over k and injected queries, effective segments over cloaks seen; three methods. */
static sc_lab_options attacked_options(const sc_map *map)
{
    sc_lab_options options = small_options(map, "");
    memset(options.figures, 0, sizeof options.figures);
    options.figures[SC_LAB_ENTROPY] = 1u << SC_LAB_AXIS_K | 1u << SC_LAB_AXIS_INJECTED;
    options.figures[SC_LAB_EFFECTIVE] = 1u << SC_LAB_AXIS_ASKED;
    options.grids[SC_LAB_AXIS_INJECTED] = (sc_lab_grid){{0, 1, 2, 4}, 4};
    options.grids[SC_LAB_AXIS_ASKED] = (sc_lab_grid){{1, 2}, 2};
    options.methods = 1u << SC_LAB_BASIC | 1u << SC_LAB_XSTAR | 1u << SC_LAB_EXPANSION;
    // Travellers that turn at random need no routes, which take longer to find than all the rest.
    options.is_walk = true;
    return options;
}

/** A measure without what an adversary learns, and without times. */
static sc_lab_measure before_attacks(const sc_lab_measure *measure)
{
    sc_lab_measure rest = {.queries = 0};
    memcpy(&rest, measure, offsetof(sc_lab_measure, attacked_cloaks));
    rest.cpu_us = 0;
    rest.provider_cpu_us = 0;
    return rest;
}

static void check_same_but_for_attacks(const sc_lab_result *a, const sc_lab_result *b)
{
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        const sc_lab_measure of_a = before_attacks(&a->by_method[method]);
        const sc_lab_measure of_b = before_attacks(&b->by_method[method]);
        assert_memory_equal(&of_a, &of_b, sizeof of_a);
    }
}

/** Nothing of it was attacked, or followed. */
static bool is_unattacked(const sc_lab_measure *measure)
{
    return measure->attacked_cloaks == 0 && measure->replays == 0 && measure->entropy == 0 &&
           measure->followed[0] == 0 && measure->effective[0] == 0;
}

// --- What is wanted, and what is not -----------------------------------------------------

static void test_an_attack_tells_of_every_method_and_changes_nothing_else(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options(city);
    const sc_lab_result attacked = run_middle(&options, 1);
    assert_true(attacked.is_attacked);
    assert_int_equal(attacked.least_asked, 2);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        const sc_lab_measure *measure = &attacked.by_method[method];
        if (!sc__has_method(&options, method)) {
            assert_int_equal(measure->attacked_cloaks, 0);
            continue;
        }
        assert_int_equal(measure->attacked_cloaks, 5);
        assert_true(measure->entropy > 0 && measure->entropy <= 1);
        // Means, not sums: a cloak has some ten segments.
        assert_true(measure->entropy_error > 0 && measure->entropy_error < 0.05);
        assert_true(measure->entropy_bias < 0 && measure->entropy_bias > -0.1);
        assert_true(measure->attacked_effective > 1);
        assert_true(measure->attacked_effective <= measure->attacked_segments);
        assert_true(measure->probability > 0 && measure->probability < 0.4);
        assert_true(measure->rank >= 1 && measure->rank <= measure->segments);
        assert_true(measure->enumerated <= 5 && measure->unexplained <= 5);
        assert_true(measure->replays >= 10);
        CHECK_SAME(measure->recognised, 0);
        // All that is told of two cloaks is of those who have two.
        assert_true(measure->followed[0] > 10);
        assert_int_equal(measure->followed[0], measure->followed[1]);
        // The provider is shown as many as ever.
        assert_int_equal(measure->evaluated_cloaks, 15);
    }
    memset(options.figures, 0, sizeof options.figures);
    options.figures[SC_LAB_SUCCESS] = 1u << SC_LAB_AXIS_K;
    const sc_lab_result left_alone = run_middle(&options, 1);
    check_same_but_for_attacks(&attacked, &left_alone);
    assert_false(left_alone.is_attacked);
    assert_int_equal(left_alone.least_asked, 0);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        assert_true(is_unattacked(&left_alone.by_method[method]));
    }
}

static void test_what_no_figure_wants_is_not_tried(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options(city);
    options.methods = 1u << SC_LAB_BASIC;
    options.figures[SC_LAB_EFFECTIVE] = 0;
    const sc_lab_measure attacked = run_middle(&options, 1).by_method[SC_LAB_BASIC];
    assert_true(attacked.attacked_cloaks > 0);
    assert_int_equal(attacked.followed[0], 0);
    options.figures[SC_LAB_EFFECTIVE] = 1u << SC_LAB_AXIS_ASKED;
    options.figures[SC_LAB_ENTROPY] = 0;
    const sc_lab_measure followed = run_middle(&options, 1).by_method[SC_LAB_BASIC];
    assert_int_equal(followed.attacked_cloaks, 0);
    assert_int_equal(followed.replays, 0);
    assert_true(followed.followed[0] > 0);
    // Away from the middle no traveller is followed; and over l there is no figure at all.
    options.figures[SC_LAB_ENTROPY] = 1u << SC_LAB_AXIS_K;
    const sc_lab_result k2 = run_at(&options, SC_LAB_AXIS_K, 2, 1);
    assert_true(k2.is_attacked);
    assert_true(k2.by_method[SC_LAB_BASIC].attacked_cloaks > 0);
    assert_int_equal(k2.by_method[SC_LAB_BASIC].followed[0], 0);
    const sc_lab_result l2 = run_at(&options, SC_LAB_AXIS_L, 2, 1);
    assert_true(is_unattacked(&l2.by_method[SC_LAB_BASIC]));
    // Nor is anything done for a value of k that is on no grid.
    const sc_lab_result k5 = run_at(&options, SC_LAB_AXIS_K, 5, 1);
    assert_true(is_unattacked(&k5.by_method[SC_LAB_BASIC]));
}

// --- Dice ------------------------------------------------------------------------------

static void test_the_same_seed_gives_the_same_attack_and_another_gives_another(void **state)
{
    (void)state;
    const sc_lab_options options = attacked_options(city);
    static const double injected[] = {0, 2};
    for (size_t i = 0; i < 2; i++) {
        const sc_lab_axis axis = SC_LAB_AXIS_INJECTED;
        const sc_lab_result once = run_at(&options, axis, injected[i], 1);
        const sc_lab_result twice = run_at(&options, axis, injected[i], 1);
        const sc_lab_result other = run_at(&options, axis, injected[i], 2);
        check_same_result(&once, &twice);
        assert_true(once.by_method[SC_LAB_BASIC].entropy != other.by_method[SC_LAB_BASIC].entropy);
    }
}

static void test_a_method_is_attacked_among_others_as_by_itself(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options(city);
    static const double injected[] = {0, 2};
    for (size_t i = 0; i < 2; i++) {
        const sc_lab_result all = run_at(&options, SC_LAB_AXIS_INJECTED, injected[i], 1);
        sc_lab_options alone = options;
        alone.methods = 1u << SC_LAB_XSTAR;
        const sc_lab_result one = run_at(&alone, SC_LAB_AXIS_INJECTED, injected[i], 1);
        const sc_lab_measure a = without_times(&all).by_method[SC_LAB_XSTAR];
        const sc_lab_measure b = without_times(&one).by_method[SC_LAB_XSTAR];
        const size_t of_attack = offsetof(sc_lab_measure, attacked_cloaks);
        assert_memory_equal((const char *)&a + of_attack, (const char *)&b + of_attack,
                            sizeof a - of_attack);
    }
}

static void test_threads_and_engine_of_the_options_are_not_the_adversarys(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options(city);
    const sc_lab_result plain = run_middle(&options, 1);
    options.adversary.threads = 3;
    options.adversary.seed = 4711;
    options.adversary.engine.variant = SC_VARIANT_SAMPLING;
    const sc_lab_result same = run_middle(&options, 1);
    check_same_result(&plain, &same);
}

static void test_the_adversary_has_the_engine_of_the_method(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options(city);
    options.adversary.max_placements = 0;
    options.adversary.samples = 512;
    options.max_victims = 10;
    const sc_lab_result result = run_middle(&options, 1);
    // A cloak by expansion can be explained by expansion. A replay of it by another
    // method would seldom come out alike.
    assert_int_equal(result.by_method[SC_LAB_EXPANSION].unexplained, 0);
    assert_int_equal(result.by_method[SC_LAB_EXPANSION].enumerated, 0);
    assert_int_equal(result.by_method[SC_LAB_EXPANSION].replays, 10 * 512);
    assert_true(result.by_method[SC_LAB_EXPANSION].entropy !=
                result.by_method[SC_LAB_BASIC].entropy);
}

// --- What can be told ------------------------------------------------------------------

static void test_samples_runs_and_placements_are_those_of_the_options(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options(city);
    options.methods = 1u << SC_LAB_BASIC;
    options.adversary.max_placements = 0;
    options.adversary.samples = 96;
    const sc_lab_measure drawn = run_middle(&options, 1).by_method[SC_LAB_BASIC];
    assert_int_equal(drawn.enumerated, 0);
    assert_int_equal(drawn.replays, 5 * 96);
    options.adversary.samples = 960;
    const sc_lab_measure surer = run_middle(&options, 1).by_method[SC_LAB_BASIC];
    assert_true(surer.entropy_error < drawn.entropy_error);
    // Placements of one stranger are as many as there are segments, each run as often as is
    // wanted.
    options.workload.k = sc_normal_around(1, 0, SC_LEAST_COUNT);
    options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){{1}, 1};
    options.adversary.samples = 32;
    options.adversary.max_placements = 1000;
    options.adversary.runs = 32;
    const sc_lab_measure all = run_middle(&options, 1).by_method[SC_LAB_BASIC];
    assert_int_equal(all.enumerated, 5);
    options.adversary.runs = 64;
    const sc_lab_measure twice = run_middle(&options, 1).by_method[SC_LAB_BASIC];
    assert_int_equal(twice.enumerated, 5);
    assert_int_equal(twice.replays, 2 * all.replays);
}

static void test_no_more_victims_than_are_wanted_are_attacked(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options(city);
    options.max_victims = 1;
    const sc_lab_result one = run_middle(&options, 1);
    options.max_victims = 10000;
    const sc_lab_result all = run_middle(&options, 1);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!sc__has_method(&options, method)) continue;
        const sc_lab_measure *measure = &all.by_method[method];
        assert_int_equal(one.by_method[method].attacked_cloaks, 1);
        // Each cloak once, however many victims are in it; and those of the counted time only,
        // which may leave a little later.
        assert_true(measure->attacked_cloaks > 5);
        assert_true(measure->attacked_cloaks <= measure->cloaked);
    }
}

static void test_where_too_few_cloaks_are_explained_there_is_no_entropy(void **state)
{
    (void)state;
    sc_lab_measure measure = {.attacked_cloaks = 20, .unexplained = 5, .entropy = 0.75};
    double value = 0;
    assert_true(sc_lab_value(&measure, SC_LAB_ENTROPY, SC_LAB_AXIS_K, 5, &value));
    CHECK_SAME(value, 0.75);
    measure.unexplained = 6;
    assert_false(sc_lab_value(&measure, SC_LAB_ENTROPY, SC_LAB_AXIS_K, 5, &value));
}

static void test_what_is_unexplained_is_in_no_mean(void **state)
{
    (void)state;
    // The very same cloak is seldom drawn twice, and never by so few samples for all.
    sc_lab_options options = attacked_options(city);
    options.methods = 1u << SC_LAB_SAMPLING;
    options.adversary.likeness = SC_LIKENESS_EXACT;
    options.adversary.max_placements = 0;
    options.adversary.samples = 96;
    const sc_lab_measure measure = run_middle(&options, 1).by_method[SC_LAB_SAMPLING];
    assert_true(measure.attacked_cloaks > 0);
    assert_true(measure.unexplained > 0);
    // As an unexplained cloak has entropy 1 by the density alone, nothing less would be left.
    if (measure.unexplained == measure.attacked_cloaks) CHECK_SAME(measure.entropy, 0);
    assert_true(measure.attacked_segments > 1);
}

static void test_a_point_without_cloaks_has_no_entropy(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options(city);
    options.workload.k = sc_normal_around(500, 0, SC_LEAST_COUNT);
    options.grids[SC_LAB_AXIS_K] = (sc_lab_grid){{500}, 1};
    const sc_lab_result result = run_middle(&options, 1);
    assert_true(result.is_attacked);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        double value = 0;
        const sc_lab_measure *measure = &result.by_method[method];
        assert_true(is_unattacked(measure));
        assert_false(sc_lab_value(measure, SC_LAB_ENTROPY, SC_LAB_AXIS_K, 500, &value));
        assert_false(sc_lab_value(measure, SC_LAB_EFFECTIVE, SC_LAB_AXIS_ASKED, 1, &value));
    }
}

// --- Injection -------------------------------------------------------------------------

static void test_injected_queries_are_recognised_and_more_of_them_more(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options(city);
    const sc_lab_axis axis = SC_LAB_AXIS_INJECTED;
    options.max_victims = 10;
    const sc_lab_result none = run_at(&options, axis, 0, 1);
    const sc_lab_result one = run_at(&options, axis, 1, 1);
    const sc_lab_result four = run_at(&options, axis, 4, 1);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if (!sc__has_method(&options, method)) continue;
        assert_true(one.by_method[method].attacked_cloaks > 0);
        assert_true(one.by_method[method].recognised > none.by_method[method].recognised);
        assert_true(four.by_method[method].recognised > one.by_method[method].recognised);
        assert_true(one.by_method[method].recognised <= 1);
        assert_true(four.by_method[method].recognised <= 4);
    }
}

static void
test_where_queries_are_injected_nothing_goes_to_the_provider_and_no_traveller_is_followed(
    void **state)
{
    (void)state;
    const sc_lab_options options = attacked_options(city);
    const sc_lab_result none = run_at(&options, SC_LAB_AXIS_INJECTED, 0, 1);
    const sc_lab_result some = run_at(&options, SC_LAB_AXIS_INJECTED, 2, 1);
    // Half a dozen victims for each that is attacked, with two each.
    const uint64_t before = none.by_method[SC_LAB_BASIC].queries;
    assert_in_range(some.by_method[SC_LAB_BASIC].queries, before + 10, before + 60);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        assert_int_equal(some.by_method[method].evaluated_cloaks, 0);
        assert_int_equal(some.by_method[method].followed[0], 0);
    }
    assert_int_equal(some.least_asked, 0);
    // The questions are those of the middle, and so are the travellers.
    assert_int_equal(some.travellers, none.travellers);
}

// --- Closed loops and traces -------------------------------------------------------------

static void test_in_a_closed_loop_attacks_are_on_the_questions_that_all_are_asked(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options(city);
    static const double injected[] = {0, 2};
    for (size_t i = 0; i < 2; i++) {
        options.is_closed = false;
        const sc_lab_result open = run_at(&options, SC_LAB_AXIS_INJECTED, injected[i], 1);
        options.is_closed = true;
        const sc_lab_result closed = run_at(&options, SC_LAB_AXIS_INJECTED, injected[i], 1);
        const size_t of_attack = offsetof(sc_lab_measure, attacked_cloaks);
        for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
            const sc_lab_measure a = open.by_method[method];
            const sc_lab_measure b = closed.by_method[method];
            assert_memory_equal((const char *)&a + of_attack, (const char *)&b + of_attack,
                                sizeof a - of_attack);
        }
        // With the adversary's queries there is only one way to ask.
        if (injected[i] > 0) check_same_result(&open, &closed);
    }
    // The rest is of travellers of each method's own, attacked or not.
    const sc_lab_result attacked = run_middle(&options, 1);
    options.figures[SC_LAB_ENTROPY] = 0;
    options.figures[SC_LAB_EFFECTIVE] = 0;
    options.figures[SC_LAB_SUCCESS] = 1u << SC_LAB_AXIS_K;
    const sc_lab_result left_alone = run_middle(&options, 1);
    check_same_but_for_attacks(&attacked, &left_alone);
}

static void test_on_a_map_without_objects_cloaks_are_attacked_too(void **state)
{
    (void)state;
    const sc_lab_options options = attacked_options(grid);
    const sc_lab_measure measure = run_middle(&options, 1).by_method[SC_LAB_BASIC];
    assert_int_equal(measure.evaluated_cloaks, 0);
    assert_int_equal(measure.attacked_cloaks, 5);
    assert_true(measure.followed[0] > 0);
}

// --- What the adversary knows -------------------------------------------------------------

/** What is asked at the middle. */
static sc__questions asked_at(const sc_lab_options *options)
{
    sc_movement *movement = NULL;
    sc_run_report report;
    sc__questions questions = {0};
    sc_run_options run = sc_run_options_default();
    run.listener = sc__questions_listener(&questions);
    CHECK_OK(sc_walk_new(options->maps[0].map, options->travellers, 1, &movement, NULL), NULL);
    CHECK_OK(sc_run_travellers(movement, &options->workload, 20, &run, &report, NULL), NULL);
    sc_movement_free(movement);
    sc__questions_settle(&questions);
    return questions;
}

static const sc_run_window late = {.from = 5000000, .until = 15000000};

static void prepare(sc__point_attack *attack, const sc_lab_options *options,
                    const sc__questions *questions, uint64_t seed)
{
    const sc__map_setup setup = {.map = &options->maps[0]};
    const sc_lab_point point = sc_lab_point_at(options, 0, SC_LAB_AXIS_INJECTED, 2, seed);
    const sc__attacked_run run = {
        .setup = &setup,
        .point = &point,
        .lines = questions->lines,
        .line_count = questions->count,
        .counted = late,
    };
    sc_diag diag = {""};
    CHECK_OK(sc__point_attack_init(attack, options, &run, &diag), &diag);
}

static void test_victims_are_enough_of_those_who_ask_in_the_counted_time(void **state)
{
    (void)state;
    const sc_lab_options options = attacked_options(city);
    sc__questions questions = asked_at(&options);
    sc__point_attack attack = {0};
    prepare(&attack, &options, &questions, 1);
    assert_int_equal(attack.injection.victim_count, 6 * 5);
    assert_int_equal(attack.injection.line_count, questions.count + 60);
    for (size_t i = 0; i < attack.injection.victim_count; i++) {
        const sc_time asked = attack.injection.victims[i].asked;
        assert_true(asked >= late.from && asked < late.until);
    }
    assert_null(attack.density);
    sc__point_attack_fini(&attack);
    sc__point_attack_fini(&attack);
    sc__questions_fini(&questions);
}

static void test_victims_and_replays_are_of_the_seed(void **state)
{
    (void)state;
    const sc_lab_options options = attacked_options(city);
    sc__questions questions = asked_at(&options);
    sc__point_attack attacks[2] = {{0}, {0}};
    prepare(&attacks[0], &options, &questions, 1);
    prepare(&attacks[1], &options, &questions, 2);
    assert_memory_not_equal(attacks[0].injection.victims, attacks[1].injection.victims,
                            5 * sizeof(sc_victim));
    // The same victims, in the same cloaks, with other dice.
    sc_run_report report;
    sc_case_collector book = {.window = {0}};
    sc_run_options run = sc_run_options_default();
    run.listener = sc_case_collector_listener(&book);
    CHECK_OK(sc_run_lines(city, attacks[0].injection.lines, attacks[0].injection.line_count, &run,
                          &report, NULL),
             NULL);
    sc_case_collector_settle(&book);
    double entropies[2];
    for (uint64_t seed = 1; seed <= 2; seed++) {
        sc_lab_measure measure = {.queries = 7};
        attacks[0].seed = seed;
        CHECK_OK(sc__point_attack_run(&attacks[0], &(sc__attacked_method){.engine = run.engine},
                                      &book.cases, &measure, NULL),
                 NULL);
        assert_int_equal(measure.attacked_cloaks, 5);
        assert_int_equal(measure.queries, 7);
        entropies[seed - 1] = measure.entropy;
    }
    assert_true(entropies[0] != entropies[1]);
    sc_case_collector_fini(&book);
    sc__point_attack_fini(&attacks[0]);
    sc__point_attack_fini(&attacks[1]);
    sc__questions_fini(&questions);
}

static void test_the_traffic_that_is_known_is_of_as_many_others(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options(city);
    options.knows_traffic = true;
    sc__questions questions = asked_at(&options);
    sc__point_attack attack = {0};
    prepare(&attack, &options, &questions, 1);
    assert_non_null(attack.density);
    // Where the point's own travellers are, which the adversary must not know.
    const size_t count = sc_map_segment_count(city);
    uint64_t *own = test_take(count, sizeof *own);
    sc_movement *movement = NULL;
    CHECK_OK(sc_walk_new(city, options.travellers, 1, &movement, NULL), NULL);
    CHECK_OK(sc_traffic_count(movement, late.from, late.until, late.until, own), NULL);
    sc_movement_free(movement);
    double sum = 0;
    size_t different = 0;
    for (sc_seg_id i = 0; i < count; i++) {
        const double weight = sc_density_weight(attack.density, i);
        different += weight != (double)(own[i] + 1);
        sum += weight;
    }
    // One look in ten seconds, and one more for each segment.
    CHECK_SAME(sum, (double)(count + options.travellers));
    assert_true(different > 20);
    free(own);
    sc__point_attack_fini(&attack);
    sc__questions_fini(&questions);
}

static void test_traffic_that_is_known_is_of_other_travellers_and_makes_a_difference(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options(city);
    options.methods = 1u << SC_LAB_BASIC;
    const sc_lab_result without = run_middle(&options, 1);
    options.knows_traffic = true;
    const sc_lab_result once = run_middle(&options, 1);
    const sc_lab_result twice = run_middle(&options, 1);
    check_same_result(&once, &twice);
    check_same_but_for_attacks(&once, &without);
    const sc_lab_measure *a = &once.by_method[SC_LAB_BASIC];
    const sc_lab_measure *b = &without.by_method[SC_LAB_BASIC];
    assert_true(a->entropy != b->entropy);
    // Who knows where travellers tend to be is less in the dark about one of whom it knows no more.
    assert_true(a->effective[0] < b->effective[0]);
    // Of those who are on trips, too.
    options.is_walk = false;
    assert_true(run_middle(&options, 1).by_method[SC_LAB_BASIC].attacked_cloaks > 0);
}

// --- Travellers who ask again --------------------------------------------------------------

static void test_travellers_are_followed_as_long_as_they_have_cloaks(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options(city);
    options.warm_up_s = 0;
    options.counted_s = 40;
    const sc_lab_result result = run_middle(&options, 1);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        const sc_lab_measure *measure = &result.by_method[method];
        if (!sc__has_method(&options, method)) continue;
        // Five for each victim, each with two cloaks at least.
        assert_int_equal(measure->followed[0], 25);
        assert_int_equal(measure->followed[1], 25);
        assert_true(measure->followed[2] > 0);
        for (size_t i = 0; i < SC_LAB_ASKED_MAX; i++) {
            if (i > 0) assert_true(measure->followed[i] <= measure->followed[i - 1]);
            if (measure->followed[i] == 0) {
                CHECK_SAME(measure->effective[i], 0);
                CHECK_SAME(measure->located[i], 0);
                continue;
            }
            assert_true(measure->effective[i] >= 1 && measure->effective[i] < 100);
            assert_true(measure->located[i] >= 0 && measure->located[i] <= 1);
        }
        // After the first cloak nothing is known but the cloak: every segment is as likely.
        assert_true(measure->located[0] > 0);
        // Seen twice, one is at least not lost out of sight: reach only takes away.
        assert_true(measure->located[1] > 0);
    }
}

static void test_where_no_traveller_has_so_many_cloaks_those_with_fewer_are_followed(void **state)
{
    (void)state;
    sc_lab_options options = attacked_options(city);
    options.methods = 1u << SC_LAB_BASIC;
    options.grids[SC_LAB_AXIS_ASKED] = (sc_lab_grid){{1, SC_LAB_ASKED_MAX}, 2};
    // Time for three questions at most.
    const sc_lab_result result = run_middle(&options, 1);
    const sc_lab_measure *measure = &result.by_method[SC_LAB_BASIC];
    assert_int_equal(result.least_asked, SC_LAB_ASKED_MAX);
    assert_int_equal(measure->followed[SC_LAB_ASKED_MAX - 1], 0);
    assert_true(measure->followed[0] >= 10);
    assert_true(measure->followed[1] >= 10);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_attack_tells_of_every_method_and_changes_nothing_else),
    cmocka_unit_test(test_what_no_figure_wants_is_not_tried),
    cmocka_unit_test(test_the_same_seed_gives_the_same_attack_and_another_gives_another),
    cmocka_unit_test(test_a_method_is_attacked_among_others_as_by_itself),
    cmocka_unit_test(test_threads_and_engine_of_the_options_are_not_the_adversarys),
    cmocka_unit_test(test_the_adversary_has_the_engine_of_the_method),
    cmocka_unit_test(test_samples_runs_and_placements_are_those_of_the_options),
    cmocka_unit_test(test_no_more_victims_than_are_wanted_are_attacked),
    cmocka_unit_test(test_where_too_few_cloaks_are_explained_there_is_no_entropy),
    cmocka_unit_test(test_what_is_unexplained_is_in_no_mean),
    cmocka_unit_test(test_a_point_without_cloaks_has_no_entropy),
    cmocka_unit_test(test_injected_queries_are_recognised_and_more_of_them_more),
    cmocka_unit_test(
        test_where_queries_are_injected_nothing_goes_to_the_provider_and_no_traveller_is_followed),
    cmocka_unit_test(test_in_a_closed_loop_attacks_are_on_the_questions_that_all_are_asked),
    cmocka_unit_test(test_on_a_map_without_objects_cloaks_are_attacked_too),
    cmocka_unit_test(test_victims_are_enough_of_those_who_ask_in_the_counted_time),
    cmocka_unit_test(test_victims_and_replays_are_of_the_seed),
    cmocka_unit_test(test_the_traffic_that_is_known_is_of_as_many_others),
    cmocka_unit_test(test_traffic_that_is_known_is_of_other_travellers_and_makes_a_difference),
    cmocka_unit_test(test_travellers_are_followed_as_long_as_they_have_cloaks),
    cmocka_unit_test(test_where_no_traveller_has_so_many_cloaks_those_with_fewer_are_followed),
};
SC_SUITE_WITH(tests, open_maps, close_maps)
