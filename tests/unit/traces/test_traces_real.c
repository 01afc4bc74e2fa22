// Three days of San Francisco's cabs, as they were published. Skipped where the data are not at
// hand.
#include "traces/traces.h"

#include "support/check.h"
#include "support/place.h"
#include "support/trace_texts.h"

#include <stdio.h>

static void test_all_cabs_are_read(void **state)
{
    (void)state;
    char archive[1024];
    if (!data_path("sf-cabs/cabs-2008-06-04_06.tar.xz", archive, sizeof archive)) skip();
    const place p = place_new();
    char command[2048];
    snprintf(command, sizeof command, "tar -xJf '%s' -C '%s' --strip-components=1", archive,
             p.path);
    // NOLINTNEXTLINE(cert-env33-c): the paths are the test's own
    if (system(command) != 0) {
        place_free(&p);
        skip();
    }
    const sc_traces_options options = sc_traces_options_default();
    sc_traces *traces = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_traces_read(p.path, &options, &traces, &diag), &diag);
    place_free(&p);

    check_traces(traces, 515);
    const sc_traces_summary summary = sc_traces_summary_of(traces);
    assert_int_equal(summary.format, SC_TRACE_CABSPOTTING);
    assert_int_equal(summary.file_count, 515);
    assert_int_equal(summary.other_file_count, 0);
    assert_int_equal(summary.fix_count, 1478348);
    assert_int_equal(summary.same_time_count, 0);
    CHECK_SAME(summary.first_s, 1212562800.0);
    CHECK_SAME(summary.last_s, 1212821999.0);

    // Longitude and latitude are not mixed up: all but a few are around the bay.
    size_t count = 0;
    const sc_track *tracks = sc_traces_tracks(traces, &count);
    size_t around_the_bay = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t f = 0; f < tracks[i].count; f++) {
            const sc_fix *fix = &tracks[i].fixes[f];
            around_the_bay += fix->x > -124 && fix->x < -121 && fix->y > 36 && fix->y < 39;
        }
    }
    assert_true(around_the_bay > 1470000);
    sc_traces_free(traces);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_all_cabs_are_read),
};
SC_SUITE(tests)
