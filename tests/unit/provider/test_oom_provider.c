// A provider without memory: it does not start, or says so to the client, and goes on.
#include "provider/provider_internal.h"

#include "support/check.h"
#include "support/lbs_scene.h"
#include "support/oom.h"

static void test_a_provider_that_finds_no_memory_does_not_start(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    s.options.threads = 2;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_provider *provider = NULL;
        sc_diag diag = {""};
        sc_err err = sc_provider_new(s.map, &s.options, &provider, &diag);
        assert_int_equal(provider == NULL, err != SC_OK);
        if (!err) err = sc_provider_start(provider, &diag);
        sc_provider_free(provider);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        failures++;
    }
    assert_true(failures > 10);
    lbs_scene_close(&s);
}

// Allocations are counted by thread: an evaluator lets its own fail.
static _Atomic(unsigned long) fail_at;
static atomic_bool has_failed;

static void answer_without_memory(sc__provider_evaluator *evaluator, sc__provider_job *job)
{
    sc_alloc_fail_at(atomic_load(&fail_at));
    sc__provider_evaluate(evaluator, job);
    atomic_store(&has_failed, oom_happened());
}

static void fail_at_every_place(const lbs_scene *s, sc_encoding encoding)
{
    sc_bytes message = lbs_scene_message(s, encoding);
    sc_bytes wanted = lbs_scene_reply(s, encoding, &message);
    unsigned long failures = 0;
    for (unsigned long n = 1;; n++) {
        atomic_store(&fail_at, n);
        lbs_answer got =
            lbs_post(s, "/", sc_encoding_media_type(encoding), message.data, message.size);
        if (!atomic_load(&has_failed)) {
            assert_int_equal(got.status, 200);
            assert_int_equal(got.size, wanted.size);
            assert_memory_equal(got.body, wanted.data, wanted.size);
            lbs_answer_free(&got);
            break;
        }
        lbs_check_problem(&got, 500, "memory");
        failures++;
    }
    assert_true(failures >= 3);
    sc_bytes_fini(&wanted);
    sc_bytes_fini(&message);
}

static void test_a_cloak_that_finds_no_memory_is_500_and_the_next_is_answered(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    lbs_scene_start(&s, answer_without_memory);
    fail_at_every_place(&s, SC_ENCODING_COMPACT);
    fail_at_every_place(&s, SC_ENCODING_GEOJSON);
    lbs_scene_close(&s);
}

static void test_pages_and_jobs_that_find_no_memory_are_not_made(void **state)
{
    (void)state;
    lbs_scene s;
    lbs_scene_open(&s);
    lbs_scene_start(&s, sc__provider_evaluate);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_bytes bytes = {.data = NULL};
        const bool is_full = !sc__provider_metrics_write(s.provider, &bytes);
        sc_bytes_fini(&bytes);
        assert_int_equal(is_full, oom_happened());
        if (!is_full) break;
        failures++;
    }
    assert_true(failures >= 3);
    sc_alloc_fail_at(1);
    assert_null(sc__provider_job_new("body", 4));
    assert_true(oom_happened());
    assert_null(sc__provider_job_new("body", SIZE_MAX));
    lbs_scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_provider_that_finds_no_memory_does_not_start),
    cmocka_unit_test(test_a_cloak_that_finds_no_memory_is_500_and_the_next_is_answered),
    cmocka_unit_test(test_pages_and_jobs_that_find_no_memory_are_not_made),
};
SC_SUITE(tests)
