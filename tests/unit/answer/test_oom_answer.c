// The trusted side without memory: told, nothing leaks, and the same call succeeds once there is
// memory again. An answer itself takes none.
#include <starcloak/answer.h>
#include <starcloak/lbs.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/odd_cloak.h"
#include "support/odd_town.h"
#include "support/oom.h"

/** The 5 nearest of all, and what is within 300 m. */
static const sc_request requests[] = {
    {.type = SC_REQUEST_KNN, .k = 5},
    {.type = SC_REQUEST_RANGE, .radius_m = 300.0},
};

enum { REQUESTS = sizeof requests / sizeof *requests };

/** A cloak with a reply to it. */
typedef struct scene {
    odd_town town;
    odd_cloak cloak;
    sc_relay relay;
    sc_reply reply;
} scene;

static scene scene_new(uint64_t seed)
{
    scene s = {.town = odd_town_new(seed)};
    s.cloak = odd_cloak_of_stars(s.town.map, 4, &s.town.rng);
    s.relay = odd_cloak_relay(&s.cloak, s.town.map, requests, REQUESTS);
    sc_reply_init(&s.reply);
    sc_lbs *lbs = odd_town_lbs(&s.town, true);
    sc_diag diag = {""};
    CHECK_OK(sc_lbs_evaluate(lbs, s.town.objects, &s.relay, &s.reply, &diag), &diag);
    sc_lbs_free(lbs);
    return s;
}

static void scene_free(scene *s)
{
    sc_reply_fini(&s->reply);
    odd_cloak_free(&s->cloak);
    odd_town_free(&s->town);
}

// A town in which the reply names objects on the segments as well as at border nodes.
static scene full_scene(void)
{
    for (uint64_t seed = 0;; seed++) {
        scene s = scene_new(seed);
        const uint32_t lists = (uint32_t)(REQUESTS * s.relay.border_node_count);
        if (s.reply.run_start[REQUESTS] > 0 && s.reply.near_start[lists] > 5) return s;
        scene_free(&s);
    }
}

static void test_a_relay_without_memory_is_told(void **state)
{
    (void)state;
    scene s = full_scene();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        uint32_t which[REQUESTS] = {77, 77};
        sc_relay *relay = NULL;
        const sc_err err =
            sc_relay_new(s.town.map,
                         &(sc_relay_content){.segments = s.cloak.segments,
                                             .segment_count = s.cloak.segment_count,
                                             .border_nodes = s.cloak.border_nodes,
                                             .border_node_count = s.cloak.border_node_count,
                                             .requests = requests,
                                             .member_count = REQUESTS},
                         &s.town.rng, which, &relay);
        if (!oom_happened()) {
            CHECK_OK(err, NULL);
            sc_relay_free(relay);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_null(relay);
        assert_int_equal(which[0], 77);
        failures++;
    }
    assert_int_equal(failures, 3);
    scene_free(&s);
}

static void test_a_filter_without_memory_is_told(void **state)
{
    (void)state;
    scene s = full_scene();
    const sc_filter_options options = sc_filter_options_default();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_filter *filter = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_filter_new(s.town.map, &options, &filter, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_filter_free(filter);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while");
        assert_null(filter);
        failures++;
    }
    // Itself, the components, and two for the counts of their objects.
    assert_true(failures >= 4);
    scene_free(&s);
}

static void test_taking_in_a_reply_without_memory_can_be_done_again(void **state)
{
    (void)state;
    scene s = full_scene();
    const sc_filter_options options = sc_filter_options_default();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_alloc_fail_at(0);
        sc_filter *filter = NULL;
        sc_diag diag = {""};
        CHECK_OK(sc_filter_new(s.town.map, &options, &filter, &diag), &diag);
        sc_alloc_fail_at(n);
        const sc_err err = sc_filter_open(filter, &s.relay, &s.reply, &diag);
        const bool has_failed = oom_happened();
        if (has_failed) {
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while");
            const sc_near *got = NULL;
            size_t count = 0;
            assert_int_equal(sc_filter_answer(filter, (sc_road_point){.edge = 0, .offset_m = 0.0},
                                              0, &got, &count, NULL),
                             SC_EINVAL);
            failures++;
            CHECK_OK(sc_filter_open(filter, &s.relay, &s.reply, &diag), &diag);
        } else {
            CHECK_OK(err, &diag);
        }
        sc_filter_free(filter);
        if (!has_failed) break;
    }
    // The graph of the cloak takes ten, the lists of the reply five at least, the answers two.
    assert_true(failures >= 17);
    scene_free(&s);
}

static void test_an_answer_needs_no_memory(void **state)
{
    (void)state;
    scene s = full_scene();
    const sc_filter_options options = sc_filter_options_default();
    sc_filter *filter = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_filter_new(s.town.map, &options, &filter, &diag), &diag);
    CHECK_OK(sc_filter_open(filter, &s.relay, &s.reply, &diag), &diag);
    const odd_position at = odd_position_on(s.town.map, s.cloak.segments[0], &s.town.rng);
    for (size_t r = 0; r < REQUESTS; r++) {
        const sc_near *got = NULL;
        size_t count = 0;
        sc_alloc_fail_at(1);
        const sc_err err =
            sc_filter_answer(filter, (sc_road_point){.edge = at.edge, .offset_m = at.offset_m}, r,
                             &got, &count, &diag);
        assert_false(oom_happened());
        CHECK_OK(err, &diag);
    }
    // Neither does the next reply, if it is no larger.
    sc_alloc_fail_at(1);
    const sc_err err = sc_filter_open(filter, &s.relay, &s.reply, &diag);
    assert_false(oom_happened());
    CHECK_OK(err, &diag);
    sc_filter_free(filter);
    scene_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_relay_without_memory_is_told),
    cmocka_unit_test(test_a_filter_without_memory_is_told),
    cmocka_unit_test(test_taking_in_a_reply_without_memory_can_be_done_again),
    cmocka_unit_test(test_an_answer_needs_no_memory),
};
SC_SUITE(tests)
