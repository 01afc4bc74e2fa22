// Every allocation of the service's pages and metrics fails once, in turn: it is told, nothing is
// half done and nothing leaks.
#include "api/map_display.h"
#include "api/metrics.h"
#include "api/static_pages.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/prometheus.h"
#include "support/sketch.h"

static void test_pages_that_cannot_be_made(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_vocabulary vocabulary;
    CHECK_OK(sc_vocabulary_init_from_map(map, &vocabulary), NULL);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_static_pages *pages = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_static_pages_new(map, &vocabulary, &pages, &diag);
        const bool happened = oom_happened();
        if (!happened || !err) {
            // The last allocations only give room back; without them pages are as good.
            CHECK_OK(err, &diag);
            sc_static_pages_free(pages);
            if (!happened) break;
        } else {
            CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while writing the map");
            assert_null(pages);
        }
        failures++;
    }
    assert_true(failures > 10);
    sc_vocabulary_fini(&vocabulary);
    sc_map_free(map);
}

static void test_bytes_that_cannot_be_written(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_bytes whole = {0};
    assert_true(sc__map_bytes_write(map, &whole));
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_bytes bytes = {0};
        const bool fits = sc__map_bytes_write(map, &bytes);
        const bool happened = oom_happened();
        assert_int_equal(fits, !happened);
        if (fits) {
            assert_int_equal(bytes.size, whole.size);
            assert_memory_equal(bytes.data, whole.data, whole.size);
        }
        sc_bytes_fini(&bytes);
        if (!happened) break;
        failures++;
    }
    assert_true(failures >= 3);  // the head, the places of nodes, more room
    sc_bytes_fini(&whole);
    sc_map_free(map);
}

static void test_metrics_that_cannot_be_written(void **state)
{
    (void)state;
    sc_metrics *metrics = NULL;
    oom_arm(1);
    assert_int_equal(sc_metrics_new(&metrics), SC_ENOMEM);
    assert_true(oom_happened());
    assert_null(metrics);
    CHECK_OK(sc_metrics_new(&metrics), NULL);
    static const double bounds[] = {1.0};
    const sc__metrics_snapshot readings = {
        .metrics = metrics,
        .map_source = "a town",
        .all.provider_latency = {.bounds = bounds, .bound_count = 1},
    };
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_bytes text = {0};
        const bool fits = sc__metrics_print(&readings, &text);
        const bool happened = oom_happened();
        assert_int_equal(fits, !happened);
        if (fits) prometheus_free(prometheus_read((const char *)text.data, text.size));
        sc_bytes_fini(&text);
        if (!happened) break;
        failures++;
    }
    assert_true(failures > 3);
    sc_metrics_free(metrics);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pages_that_cannot_be_made),
    cmocka_unit_test(test_bytes_that_cannot_be_written),
    cmocka_unit_test(test_metrics_that_cannot_be_written),
};
SC_SUITE(tests)
