// Doubting without memory: told, nothing leaks, the report is untouched; and a claim, once the
// verifier has seen one as large, needs none.
#include <starcloak/verify.h>

#include "support/check.h"
#include "support/made_record.h"
#include "support/oom.h"
#include "verify/verify_record.h"

static void test_verifying_a_record_without_memory_is_told(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 12, .min_members = 1, .has_answers = true};
    made_record record = made_record_new(map, 1, &wishes);
    size_t size = 0;
    char *text = made_text(&record, &size);
    const sc_input input = {"run.jsonl", (const uint8_t *)text, size};
    // Fewer than there are, so that the sample is thinned out.
    const sc_verify_options options = {.answer_sample = 5};
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_verify_report report = {.queries = 4711};
        sc_diag diag = {""};
        const sc_err err = sc__verify_input(map, &input, &options, &report, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            assert_int_equal(report.violations, 0);
            assert_int_equal(report.checked[SC_PROMISE_ANSWERS], 5);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_int_equal(report.queries, 4711);
        failures++;
    }
    assert_true(failures > 40);
    free(text);
    made_record_free(&record);
    sc_map_free(map);
}

static void test_a_verifier_without_memory_is_told_and_can_go_on(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 20, .min_members = 4};
    made_record record = made_record_new(map, 1, &wishes);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_verifier *verifier = NULL;
        sc_err err = sc_verifier_new(map, &verifier);
        const bool is_made = !err;
        bool failed = false;
        for (size_t i = 0; i < wishes.cloaks && is_made; i++) {
            sc_claim claim = made_claim(&record, made_find(&record, MADE_CLOAK, i));
            unsigned broken = 4711;
            err = sc_verifier_check_claim(verifier, &claim, &broken, NULL);
            assert_int_equal(broken, err ? 4711 : 0);
            if (err) {
                // With memory, the same verifier finds all in order.
                assert_int_equal(err, SC_ENOMEM);
                failed = oom_happened();
                assert_true(failed);
                failures++;
                CHECK_OK(sc_verifier_check_claim(verifier, &claim, &broken, NULL), NULL);
                assert_int_equal(broken, 0);
            }
            made_claim_free(&claim);
        }
        if (oom_happened()) failed = true;
        sc_verifier_free(verifier);
        if (!failed) break;
        if (!is_made) {
            assert_int_equal(err, SC_ENOMEM);
            assert_null(verifier);
        }
    }
    assert_true(failures >= 3);
    made_record_free(&record);
    sc_map_free(map);
}

static void test_claims_need_no_memory_once_the_verifier_is_warm(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const made_wishes wishes = {.cloaks = 50, .min_members = 4};
    made_record record = made_record_new(map, 2, &wishes);
    sc_verifier *verifier = NULL;
    CHECK_OK(sc_verifier_new(map, &verifier), NULL);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < wishes.cloaks; i++) {
            sc_claim claim = made_claim(&record, made_find(&record, MADE_CLOAK, i));
            unsigned broken = 4711;
            if (round == 1) sc_alloc_fail_at(1);
            const sc_err err = sc_verifier_check_claim(verifier, &claim, &broken, NULL);
            assert_false(oom_happened());
            CHECK_OK(err, NULL);
            assert_int_equal(broken, 0);
            made_claim_free(&claim);
        }
    }
    sc_verifier_free(verifier);
    made_record_free(&record);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_verifying_a_record_without_memory_is_told),
    cmocka_unit_test(test_a_verifier_without_memory_is_told_and_can_go_on),
    cmocka_unit_test(test_claims_need_no_memory_once_the_verifier_is_warm),
};
SC_SUITE(tests)
