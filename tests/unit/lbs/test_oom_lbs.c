// A provider without memory: told, nothing leaks, and it answers as before once there is some.
#include <starcloak/lbs.h>

#include "support/check.h"
#include "support/odd_cloak.h"
#include "support/odd_town.h"
#include "support/oom.h"
#include "support/sketch.h"

/** A grid with objects on every other road, a cloak in it, and what it asks for. */
typedef struct scene {
    odd_town town;
    odd_cloak cloak;
    sc_request requests[4];
    sc_relay relay;
} scene;

// Roads so long that distances need more than 32 bits, if it `is_wide`.
static void open_scene(scene *sc, bool is_wide)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, 6, 6);
    for (uint32_t e = 0; is_wide && e < s.edge_count; e++) {
        s.edges[e].length = 1.9e6;  // two of them are still a segment in millimetres
    }
    sc_builder *builder = sketch_builder(&s);
    for (uint32_t e = 0; e < s.edge_count; e += 2) {
        put_object(builder, e, 0.25, e % 6 ? "common" : "rare", "");
    }
    *sc = (scene){.town = {.map = finish_builder(builder)}};
    sketch_free(&s);
    sc_rng_seed(&sc->town.rng, 1);
    CHECK_OK(sc_objects_new_from_map(sc->town.map, &sc->town.objects), NULL);
    sc->town.slow = slow_nearest_new(sc->town.map, sc_objects_table(sc->town.objects));
    sc->cloak = odd_cloak_of_stars(sc->town.map, 6, &sc->town.rng);
    sc->requests[0] = (sc_request){.type = SC_REQUEST_KNN, .k = 2};
    sc->requests[1] = (sc_request){.type = SC_REQUEST_KNN, .k = 12, .category_count = 1};
    sc->requests[2] =
        (sc_request){.type = SC_REQUEST_KNN, .k = 3, .category_count = 2, .categories = {0, 1}};
    sc->requests[3] = (sc_request){.type = SC_REQUEST_RANGE, .radius_m = is_wide ? 1e7 : 300};
    sc->relay = odd_cloak_relay(&sc->cloak, sc->town.map, sc->requests, 4);
    assert_true(sc->cloak.border_node_count > 4);
}

static void close_scene(scene *sc)
{
    odd_cloak_free(&sc->cloak);
    odd_town_free(&sc->town);
}

static void check_nears(scene *sc, const sc_reply *reply)
{
    const size_t border = sc->cloak.border_node_count;
    for (size_t i = 0; i < sc->relay.request_count * border; i++) {
        slow_answer wanted = slow_nearest_at_node(
            &sc->town.slow, sc->cloak.border_nodes[i % border], &sc->requests[i / border]);
        slow_check_answer(&sc->town.slow, &wanted, &reply->nears[reply->near_start[i]],
                          reply->near_start[i + 1] - reply->near_start[i], "border node");
        slow_answer_free(&wanted);
    }
}

static void test_a_provider_without_memory_is_told(void **state)
{
    (void)state;
    scene sc;
    open_scene(&sc, false);
    const sc_lbs_options options = sc_lbs_options_default();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_lbs *lbs = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_lbs_new(sc.town.map, &options, &lbs, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_lbs_free(lbs);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        assert_null(lbs);
        failures++;
    }
    assert_true(failures >= 1);
    close_scene(&sc);
}

// Everything new at each failure; then the same provider again, which must not be confused by what
// it left half done.
static void fail_at_every_place(scene *sc)
{
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_alloc_fail_at(0);
        sc_lbs *lbs = odd_town_lbs(&sc->town, false);
        sc_reply reply;
        sc_reply_init(&reply);
        sc_alloc_fail_at(n);
        sc_diag diag = {""};
        sc_err err = sc_lbs_evaluate(lbs, sc->town.objects, &sc->relay, &reply, &diag);
        const bool has_failed = oom_happened();
        if (has_failed) {
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
            failures++;
            err = sc_lbs_evaluate(lbs, sc->town.objects, &sc->relay, &reply, &diag);
        }
        CHECK_OK(err, &diag);
        check_nears(sc, &reply);
        sc_reply_fini(&reply);
        sc_lbs_free(lbs);
        if (!has_failed) break;
    }
    assert_true(failures >= 8);
}

static void test_an_answer_that_finds_no_memory_is_told_and_can_be_tried_again(void **state)
{
    (void)state;
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        scene sc;
        open_scene(&sc, is_wide);
        fail_at_every_place(&sc);
        odd_town_index(&sc.town);
        fail_at_every_place(&sc);
        close_scene(&sc);
    }
}

// One that grows from the failed call to the next: all failures of one provider in a row.
static void test_a_provider_that_fails_again_and_again_answers_in_the_end(void **state)
{
    (void)state;
    scene sc;
    open_scene(&sc, false);
    sc_lbs *lbs = odd_town_lbs(&sc.town, false);
    sc_reply reply;
    sc_reply_init(&reply);
    unsigned long failures = 0;
    for (;;) {
        sc_alloc_fail_at(2);  // one grows, the next does not
        sc_diag diag = {""};
        const sc_err err = sc_lbs_evaluate(lbs, sc.town.objects, &sc.relay, &reply, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        failures++;
    }
    check_nears(&sc, &reply);
    assert_in_range(failures, 4, 1000);
    sc_reply_fini(&reply);
    sc_lbs_free(lbs);
    close_scene(&sc);
}

static void test_a_second_answer_like_the_first_needs_no_memory(void **state)
{
    (void)state;
    scene sc;
    open_scene(&sc, false);
    sc_lbs *lbs = odd_town_lbs(&sc.town, false);
    sc_reply reply;
    sc_reply_init(&reply);
    sc_diag diag = {""};
    CHECK_OK(sc_lbs_evaluate(lbs, sc.town.objects, &sc.relay, &reply, &diag), &diag);
    sc_alloc_fail_at(1);
    const sc_err err = sc_lbs_evaluate(lbs, sc.town.objects, &sc.relay, &reply, &diag);
    assert_false(oom_happened());
    CHECK_OK(err, &diag);
    check_nears(&sc, &reply);
    sc_reply_fini(&reply);
    sc_lbs_free(lbs);
    close_scene(&sc);
}

static void test_a_point_that_finds_no_memory_is_told_and_can_be_tried_again(void **state)
{
    (void)state;
    scene sc;
    open_scene(&sc, false);
    for (size_t r = 0; r < sc.relay.request_count; r++) {
        slow_answer wanted = slow_nearest_at(&sc.town.slow, 3, 1.5, &sc.requests[r]);
        unsigned long failures = 0;
        FOR_EACH_FAILURE(n)
        {
            sc_alloc_fail_at(0);
            sc_lbs *lbs = odd_town_lbs(&sc.town, false);
            sc_alloc_fail_at(n);
            const sc_near *got = NULL;
            size_t count = 0;
            sc_diag diag = {""};
            sc_err err =
                sc_lbs_nearest(lbs, sc.town.objects,
                               &(sc_near_query){{.edge = 3, .offset_m = 1.5}, &sc.requests[r]},
                               &got, &count, &diag);
            const bool has_failed = oom_happened();
            if (has_failed) {
                CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
                assert_null(got);
                failures++;
                err =
                    sc_lbs_nearest(lbs, sc.town.objects,
                                   &(sc_near_query){{.edge = 3, .offset_m = 1.5}, &sc.requests[r]},
                                   &got, &count, &diag);
            }
            CHECK_OK(err, &diag);
            slow_check_answer(&sc.town.slow, &wanted, got, count, "point");
            sc_lbs_free(lbs);
            if (!has_failed) break;
        }
        assert_true(failures >= 3);
        slow_answer_free(&wanted);
    }
    close_scene(&sc);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_provider_without_memory_is_told),
    cmocka_unit_test(test_an_answer_that_finds_no_memory_is_told_and_can_be_tried_again),
    cmocka_unit_test(test_a_provider_that_fails_again_and_again_answers_in_the_end),
    cmocka_unit_test(test_a_second_answer_like_the_first_needs_no_memory),
    cmocka_unit_test(test_a_point_that_finds_no_memory_is_told_and_can_be_tried_again),
};
SC_SUITE(tests)
