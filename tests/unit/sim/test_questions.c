// What travellers ask: as the workload says, by category, and the same for the same seed.
#include "crowd.h"

#include "base/rng.h"

#include <math.h>

// A road with a thousand objects: 700 of one kind, 250, 49 and a single one.
static const uint32_t kinds[] = {250, 700, 1, 49};
enum { KINDS = sizeof kinds / sizeof *kinds };

static sc_map *map_with_objects(void)
{
    sketch s = sketch_draw(SC_COORDS_PLANAR, "A--B--C\n   |\n   D\n", "");
    sc_builder *builder = sketch_builder(&s);
    sketch_free(&s);
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        for (uint32_t i = 0; i < kinds[kind]; i++) {
            char name[16];
            snprintf(name, sizeof name, "kind %u", kind);
            put_object(builder, i % 3, (i + 0.5) / kinds[kind], name, "");
        }
    }
    return finish_builder(builder);
}

// --- What they need ---------------------------------------------------------

static void test_needs_are_drawn_as_the_workload_says(void **state)
{
    (void)state;
    enum { QUESTIONS = 40000 };
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    crowd c = crowd_on(map, 500, 7);
    double k = 0;
    double l = 0;
    double hops = 0;
    double wait_s = 0;
    double nearest = 0;
    for (int i = 0; i < QUESTIONS; i++) {
        sc_request_line said;
        ask(&c, &said);
        const sc_profile *profile = &said.ask.profile;
        assert_in_range(profile->k, 1, 11);
        assert_in_range(profile->l, 1, 11);
        assert_in_range(profile->max_hops, 0, 8);
        assert_in_range(profile->max_wait_us, sc_time_from_seconds(2), sc_time_from_seconds(18));
        assert_int_equal(said.request.type, SC_REQUEST_KNN);
        assert_int_equal(said.request.category_count, 0);
        assert_in_range(said.request.k, 1, 9);
        assert_int_equal(said.ask.result_size, said.request.k);
        k += profile->k;
        l += profile->l;
        hops += profile->max_hops;
        wait_s += (double)profile->max_wait_us * 1e-6;
        nearest += said.request.k;
    }
    // Four standard errors, with 1/12 more variance where numbers are rounded, and for k
    // and l the 0.002 by which cutting at 1 shifts the mean.
    const double n = QUESTIONS;
    CHECK_CLOSE(k / n, 5.0, 4.0 * sqrt((2.25 + 1 / 12.0) / n) + 0.002);
    CHECK_CLOSE(l / n, 5.0, 4.0 * sqrt((2.25 + 1 / 12.0) / n) + 0.002);
    CHECK_CLOSE(hops / n, 4.0, 4.0 * sqrt((1.0 + 1 / 12.0) / n));
    CHECK_CLOSE(wait_s / n, 10.0, 4.0 * 2.0 / sqrt(n));
    CHECK_CLOSE(nearest / n, 5.0, 4.0 * sqrt((1.0 + 1 / 12.0) / n));
    crowd_free(&c);
    sc_map_free(map);
}

// --- What they look for -----------------------------------------------------

static void test_categories_are_asked_for_by_their_share_of_the_objects(void **state)
{
    (void)state;
    enum { QUESTIONS = 20000 };
    sc_map *map = map_with_objects();
    crowd c = crowd_on(map, 100, 21);
    uint32_t counts[KINDS] = {0};
    for (int i = 0; i < QUESTIONS; i++) {
        sc_request_line said;
        ask(&c, &said);
        assert_int_equal(said.request.category_count, 1);
        assert_in_range(said.request.categories[0], 0, KINDS - 1);
        counts[said.request.categories[0]]++;
    }
    double chi_square = 0;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        char name[16];
        snprintf(name, sizeof name, "kind %u", kind);
        const sc_category_id category = sc_map_category_find(map, name);
        const double expected = QUESTIONS * kinds[kind] / 1000.0;
        const double off = counts[category] - expected;
        chi_square += off * off / expected;
    }
    // Three degrees of freedom: one seed in a thousand exceeds this.
    assert_true(chi_square < 16.3);
    crowd_free(&c);
    sc_map_free(map);
}

static void test_any_category_or_a_certain_one_can_be_asked_for_instead(void **state)
{
    (void)state;
    sc_map *map = map_with_objects();
    sc_workload workload = sc_workload_default();
    workload.wanted = SC_WANT_ANY;
    crowd any = crowd_of(map, &workload, 10, 22);
    workload.wanted = SC_WANT_THIS;
    workload.category = 2;
    crowd this = crowd_of(map, &workload, 10, 22);
    crowd one = crowd_on(map, 10, 22);
    for (int i = 0; i < 300; i++) {
        sc_request_line said_any;
        sc_request_line said_this;
        sc_request_line said_one;
        ask(&any, &said_any);
        ask(&this, &said_this);
        ask(&one, &said_one);
        assert_int_equal(said_any.request.category_count, 0);
        assert_int_equal(said_this.request.category_count, 1);
        assert_int_equal(said_this.request.categories[0], 2);
        // Nothing else depends on it.
        assert_true(said_any.ask.t == said_one.ask.t && said_this.ask.t == said_one.ask.t);
        assert_int_equal(said_any.ask.edge, said_one.ask.edge);
        assert_int_equal(said_any.request.k, said_one.request.k);
        assert_int_equal(said_this.ask.profile.k, said_one.ask.profile.k);
    }
    crowd_free(&any);
    crowd_free(&this);
    crowd_free(&one);
    sc_map_free(map);
}

static void test_where_there_are_no_objects_any_category_is_asked_for(void **state)
{
    (void)state;
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    sc_workload workload = sc_workload_default();
    for (int wanted = SC_WANT_ONE; wanted <= SC_WANT_THIS; wanted++) {
        workload.wanted = (sc_want)wanted;
        workload.category = 5;
        crowd c = crowd_of(map, &workload, 10, 23);
        sc_request_line said;
        ask(&c, &said);
        assert_int_equal(said.request.category_count, 0);
        crowd_free(&c);
    }
    sc_map_free(map);
}

// --- The same seed ----------------------------------------------------------

/** A query, without its time and place. */
typedef struct needs {
    sc_profile profile;
    sc_request request;
} needs;

static bool needs_equal(const needs *a, const needs *b)
{
    return a->profile.k == b->profile.k && a->profile.l == b->profile.l &&
           a->profile.max_hops == b->profile.max_hops &&
           a->profile.max_wait_us == b->profile.max_wait_us &&
           sc_request_equal(&a->request, &b->request);
}

// One crowd has its outcomes at once, the other late and out of order; so they ask at other times,
// but the n-th question of each traveller is the same.
static void test_what_the_nth_question_is_does_not_depend_on_outcomes(void **state)
{
    (void)state;
    enum { COUNT = 10, QUESTIONS = 30, MOST = COUNT * QUESTIONS * 20 };
    sc_map *map = map_with_objects();
    needs prompt[COUNT][QUESTIONS];
    uint32_t asked[COUNT] = {0};
    crowd c = crowd_on(map, COUNT, 31);
    for (int i = 0; i < MOST; i++) {
        sc_request_line said;
        const uint32_t who = ask(&c, &said);
        if (asked[who] < QUESTIONS) {
            prompt[who][asked[who]++] = (needs){said.ask.profile, said.request};
        }
    }
    crowd_free(&c);

    c = crowd_on(map, COUNT, 31);
    sc_rng rng;
    sc_rng_seed(&rng, 5);
    uint32_t again[COUNT] = {0};
    bool have_differed = false;
    for (int i = 0; i < MOST; i++) {
        sc_request_line said;
        const uint32_t who = sc_travellers_ask(c.travellers, &said);
        resume(&c, who, said.ask.t + (sc_time)(sc_rng_unit(&rng) * 60e6));
        const uint32_t n = again[who]++;
        if (n >= QUESTIONS) continue;
        assert_int_equal(asked[who], QUESTIONS);
        const needs now = {said.ask.profile, said.request};
        assert_true(needs_equal(&now, &prompt[who][n]));
        have_differed |= n > 0 && !needs_equal(&now, &prompt[who][n - 1]);
    }
    assert_true(have_differed);
    crowd_free(&c);
    sc_map_free(map);
}

static void test_the_same_seed_asks_the_same_and_another_another(void **state)
{
    (void)state;
    sc_map *map = grid_map(SC_COORDS_GEOGRAPHIC);
    crowd first = crowd_on(map, 100, 42);
    crowd again = crowd_on(map, 100, 42);
    crowd other = crowd_on(map, 100, 43);
    int same_count = 0;
    for (int i = 0; i < 500; i++) {
        sc_request_line said_first;
        sc_request_line said_again;
        sc_request_line said_other;
        const uint32_t who = ask(&first, &said_first);
        assert_int_equal(ask(&again, &said_again), who);
        assert_true(said_first.ask.t == said_again.ask.t);
        assert_int_equal(said_first.ask.edge, said_again.ask.edge);
        CHECK_SAME(said_first.ask.offset_m, said_again.ask.offset_m);
        assert_int_equal(said_first.ask.profile.k, said_again.ask.profile.k);
        ask(&other, &said_other);
        same_count += said_first.ask.t == said_other.ask.t;
    }
    assert_true(same_count < 5);
    crowd_free(&first);
    crowd_free(&again);
    crowd_free(&other);
    sc_map_free(map);
}

// So that two workloads can be compared on the same trips.
static void test_other_needs_do_not_change_the_trips(void **state)
{
    (void)state;
    sc_map *map = grid_map(SC_COORDS_PLANAR);
    sc_workload demanding = sc_workload_default();
    demanding.k = sc_normal_around(50, 0, 1);
    demanding.max_wait_s = sc_normal_around(3, 1, 0.1);
    crowd a = crowd_on(map, 40, 8);
    crowd b = crowd_of(map, &demanding, 40, 8);
    for (int i = 0; i < 1000; i++) {
        sc_request_line said_a;
        sc_request_line said_b;
        assert_int_equal(ask(&a, &said_a), ask(&b, &said_b));
        assert_true(said_a.ask.t == said_b.ask.t);
        assert_int_equal(said_a.ask.edge, said_b.ask.edge);
        CHECK_SAME(said_a.ask.offset_m, said_b.ask.offset_m);
        assert_int_equal(said_b.ask.profile.k, 50);
    }
    crowd_free(&a);
    crowd_free(&b);
    sc_map_free(map);
}

// --- Refusals ---------------------------------------------------------------

static void test_what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    sc_map *map = map_with_objects();
    sc_movement *walk = NULL;
    CHECK_OK(sc_walk_new(map, 1, 1, &walk, NULL), NULL);
    sc_workload workload = sc_workload_default();
    sc_travellers *travellers = NULL;
    sc_diag diag = {""};
    workload.pause_s.min = 0.5;
    CHECK_REFUSED(sc_travellers_new(walk, &workload, 1, &travellers, &diag), SC_EINVAL, &diag,
                  "the pause");
    workload = sc_workload_default();
    workload.wanted = SC_WANT_THIS;
    workload.category = KINDS;
    CHECK_REFUSED(sc_travellers_new(walk, &workload, 1, &travellers, &diag), SC_EINVAL, &diag,
                  "cannot ask for category 4; the map has 4");
    assert_null(travellers);
    sc_travellers_free(NULL);
    sc_movement_free(walk);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_needs_are_drawn_as_the_workload_says),
    cmocka_unit_test(test_categories_are_asked_for_by_their_share_of_the_objects),
    cmocka_unit_test(test_any_category_or_a_certain_one_can_be_asked_for_instead),
    cmocka_unit_test(test_where_there_are_no_objects_any_category_is_asked_for),
    cmocka_unit_test(test_what_the_nth_question_is_does_not_depend_on_outcomes),
    cmocka_unit_test(test_the_same_seed_asks_the_same_and_another_another),
    cmocka_unit_test(test_other_needs_do_not_change_the_trips),
    cmocka_unit_test(test_what_makes_no_sense_is_refused),
};
SC_SUITE(tests)
