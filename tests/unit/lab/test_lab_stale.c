// Figures of an earlier, wider run: gone when a narrower one writes into the same directory.
#include "lab/lab_output.h"

#include "support/check.h"
#include "support/made_results.h"
#include "support/place.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_to(made_results *made, const place *here)
{
    sc_lab_summary summary = {0};
    sc_diag diag = {""};
    made->options.directory = here->path;
    CHECK_OK(sc_lab_write(&made->results, &summary, &diag), &diag);
    made->options.directory = NULL;
}

static bool is_there(const place *here, const char *name)
{
    struct stat status;
    return lstat(place_path(here, name), &status) == 0;
}

static void narrow(made_results *made)
{
    made->options.map_count = 1;
    memset(made->options.figures, 0, sizeof made->options.figures);
    made->options.figures[SC_LAB_SUCCESS] = 1U << SC_LAB_AXIS_K;
    made_results_fill(made, as_the_paper_says);
}

static void test_figures_that_this_run_does_not_have_are_removed(void **state)
{
    (void)state;
    made_results made = made_results_new();
    made_results_fill(&made, as_the_paper_says);
    place here = place_new();
    write_to(&made, &here);
    assert_int_equal(count_entries(here.path), 40 + 4);
    // A plot of a figure that is written again, and the report: they show the numbers of before.
    place_write_text(&here, "town-success-k.svg", "<svg/>");
    place_write_text(&here, "report.html", "<title/>");
    place_write_text(&here, "a-third_map-candidates-nearest.svg", "<svg/>");
    narrow(&made);
    write_to(&made, &here);
    assert_int_equal(count_entries(here.path), 1 + 4);
    assert_true(is_there(&here, "town-success-k.csv"));
    place_free(&here);
    made_results_free(&made);
}

static void test_nothing_else_is_removed(void **state)
{
    (void)state;
    static const char *const others[] = {
        "notes.txt",
        "town-success-k.csv.bak",
        "town-success-k.png",
        "my-report.html",
        "report.html.bak",
        "town-success-speed.csv",
        "town-wealth-k.csv",
        "success-k.csv",
        "-success-k.csv",
        "my town-success-k.csv",
        "town.success-k.csv",
        "town-success_k.csv",
        "manifest.json",
        // One letter more than a map's name may have.
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-success-k.csv",
    };
    enum { OTHERS = sizeof others / sizeof others[0] };
    made_results made = made_results_new();
    narrow(&made);
    place here = place_new();
    for (size_t i = 0; i < OTHERS; i++) {
        place_write_text(&here, others[i], "mine");
    }
    // Named as a figure is, but no ordinary files.
    assert_int_equal(mkdir(place_path(&here, "town-success-l.csv"), 0777), 0);
    assert_int_equal(symlink("notes.txt", place_path(&here, "town-candidates-k.csv")), 0);
    write_to(&made, &here);
    for (size_t i = 0; i < OTHERS; i++) {
        assert_true(is_there(&here, others[i]));
    }
    assert_true(is_there(&here, "town-success-l.csv"));
    assert_true(is_there(&here, "town-candidates-k.csv"));
    assert_int_equal(count_entries(here.path), OTHERS + 2 + 1 + 4);
    place_free(&here);
    made_results_free(&made);
}

static void test_a_directory_that_cannot_be_read_is_told(void **state)
{
    (void)state;
    enum { NOBODY = 65534 };
    made_results made = made_results_new();
    narrow(&made);
    place here = place_new();
    made.options.directory = here.path;
    // One may write there, but not see what an earlier run has left.
    assert_int_equal(chmod(here.path, 0333), 0);
    if (geteuid() == 0) assert_int_equal(seteuid(NOBODY), 0);
    sc_lab_summary summary = {0};
    sc_diag diag = {""};
    const sc_err err = sc_lab_write(&made.results, &summary, &diag);
    have_rights_again();
    assert_int_equal(chmod(here.path, 0755), 0);
    CHECK_REFUSED(err, SC_EIO, &diag, "cannot read the directory");
    assert_int_equal(summary.figure_count, 0);
    place_free(&here);
    made_results_free(&made);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_figures_that_this_run_does_not_have_are_removed),
    cmocka_unit_test(test_nothing_else_is_removed),
    cmocka_unit_test(test_a_directory_that_cannot_be_read_is_told),
};
SC_SUITE(tests)
