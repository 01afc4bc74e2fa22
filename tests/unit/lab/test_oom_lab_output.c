// All files of an experiment while memory runs out: every allocation fails once, in turn. Nothing
// may leak (the sanitizer watches), the error must say so, and no file may be there in part.
#include "lab/lab_output.h"

#include "support/check.h"
#include "support/made_results.h"
#include "support/oom.h"
#include "support/place.h"

#include <unistd.h>

static void fail_each_in_turn(made_results *made, unsigned long least)
{
    place here = place_new();
    made->options.directory = here.path;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_lab_summary summary = {0};
        sc_diag diag = {""};
        const sc_err err = sc_lab_write(&made->results, &summary, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            assert_int_equal(summary.figure_count, 3);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        CHECK_CONTAINS(diag.message, "memory");
        assert_int_equal(summary.figure_count, 0);
        // It is the last to be written.
        assert_int_not_equal(access(place_path(&here, "report.json"), F_OK), 0);
        failures++;
    }
    assert_true(failures > least);
    assert_int_equal(access(place_path(&here, "report.json"), F_OK), 0);
    place_free(&here);
    made->options.directory = NULL;
}

static made_results three_figures(void)
{
    made_results made = made_results_new();
    made.options.map_count = 1;
    memset(made.options.figures, 0, sizeof made.options.figures);
    made.options.figures[SC_LAB_SUCCESS] = 1U << SC_LAB_AXIS_K;
    made.options.figures[SC_LAB_CANDIDATES] = 1U << SC_LAB_AXIS_L;
    made.options.figures[SC_LAB_ENTROPY] = 1U << SC_LAB_AXIS_K;
    return made;
}

static void test_writing_survives_the_failure_of_every_allocation(void **state)
{
    (void)state;
    made_results made = three_figures();
    made_results_fill(&made, as_the_paper_says);
    fail_each_in_turn(&made, 18);
    made_results_free(&made);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_writing_survives_the_failure_of_every_allocation),
};
SC_SUITE(tests)
