// Cloaks and requests that a provider is checked with: sound ones, as any cloak's, and all kinds.
#include "conformance/conformance_internal.h"
#include "relay/relay_build.h"
#include "support/check.h"
#include "support/lbs_scene.h"
#include "support/oom.h"
#include "support/sketch.h"

static sc__probe probe_of(const sc_conformance_options *options)
{
    sc__probe probe = {.options = options};
    sc_rng_seed(&probe.rng, options->seed);
    return probe;
}

static sc_conformance_options options_of(const lbs_scene *s)
{
    sc_conformance_options options = sc_conformance_options_default();
    options.map = s->map;
    options.objects = s->objects;
    options.vocabulary = sc_objects_vocabulary(s->objects);
    return options;
}

static void test_cloaks_are_such_as_leave(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    sc_conformance_options options = options_of(&s);
    options.cloak_count = 60;
    sc__probe probe = probe_of(&options);
    sc_diag diag = {""};
    CHECK_OK(sc__probe_make_cloaks(&probe, &diag), &diag);
    sc__probe_make_requests(&probe);
    assert_int_equal(probe.cloak_count, 60);
    size_t largest = 0;
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < probe.cloak_count; i++) {
        const sc_relay relay =
            sc__probe_relay(&probe, &probe.cloaks[i], probe.requests, probe.request_count);
        // What every relay must be: ascending segments, and exactly their border nodes.
        CHECK_OK(sc__relay_check(s.map, &relay, SIZE_MAX, &diag), &diag);
        if (relay.segment_count > largest) largest = relay.segment_count;
        if (relay.segment_count < least) least = relay.segment_count;
    }
    assert_true(largest > least);
    sc__probe_free_cloaks(&probe);
    lbs_scene_close(&s);
}

static void test_the_same_seed_makes_the_same_cloaks(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    const sc_conformance_options options = options_of(&s);
    sc__probe first = probe_of(&options);
    sc__probe second = probe_of(&options);
    CHECK_OK(sc__probe_make_cloaks(&first, NULL), NULL);
    CHECK_OK(sc__probe_make_cloaks(&second, NULL), NULL);
    for (size_t i = 0; i < first.cloak_count; i++) {
        assert_int_equal(first.cloaks[i].segment_count, second.cloaks[i].segment_count);
        assert_memory_equal(first.cloaks[i].segments, second.cloaks[i].segments,
                            first.cloaks[i].segment_count * sizeof(sc_seg_id));
    }
    sc__probe_free_cloaks(&first);
    sc__probe_free_cloaks(&second);
    lbs_scene_close(&s);
}

static void test_requests_are_of_every_kind_and_allowed(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    const sc_conformance_options options = options_of(&s);
    const sc_request_limits limits = sc_request_limits_default();
    sc__probe probe = probe_of(&options);
    sc_diag diag = {""};
    bool has[2][SC_METRIC_COUNT] = {{false}};
    size_t most_categories = 0;
    sc__probe_make_requests(&probe);
    assert_int_equal(probe.request_count, SC__PROBE_REQUESTS);
    // The category with most objects comes first.
    assert_string_equal(options.vocabulary->names[probe.categories[0]], "cafe");
    assert_string_equal(options.vocabulary->names[probe.categories[1]], "hospital");
    for (size_t i = 0; i < probe.request_count; i++) {
        const sc_request *r = &probe.requests[i];
        CHECK_OK(sc_request_check(r, &limits, options.vocabulary->count, &diag), &diag);
        has[r->type == SC_REQUEST_RANGE][r->metric] = true;
        if (r->category_count > most_categories) most_categories = r->category_count;
    }
    assert_true(has[0][0] && has[0][1] && has[1][0] && has[1][1]);
    assert_int_equal(most_categories, 2);
    lbs_scene_close(&s);
}

static void test_a_provider_without_words_for_categories_is_asked_without_them(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    sc_conformance_options options = options_of(&s);
    const sc_vocabulary none = {.count = 0};
    options.vocabulary = &none;
    options.objects = NULL;
    sc__probe probe = probe_of(&options);
    sc__probe_make_requests(&probe);
    assert_int_equal(probe.categories[0], SC_NONE);
    for (size_t i = 0; i < probe.request_count; i++) {
        assert_int_equal(probe.requests[i].category_count, 0);
    }
    lbs_scene_close(&s);
}

static void test_memory_that_runs_out_is_said(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    const sc_conformance_options options = options_of(&s);
    FOR_EACH_FAILURE(n)
    {
        sc__probe probe = probe_of(&options);
        const sc_err err = sc__probe_make_cloaks(&probe, NULL);
        sc__probe_free_cloaks(&probe);
        if (!oom_happened()) {
            assert_int_equal(err, SC_OK);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
    }
    lbs_scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cloaks_are_such_as_leave),
    cmocka_unit_test(test_the_same_seed_makes_the_same_cloaks),
    cmocka_unit_test(test_requests_are_of_every_kind_and_allowed),
    cmocka_unit_test(test_a_provider_without_words_for_categories_is_asked_without_them),
    cmocka_unit_test(test_memory_that_runs_out_is_said),
};
SC_SUITE(tests)
