// Metrics as text: byte for byte as Prometheus wants them, and read back by a strict reader.
#include "base/prometheus.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "support/check.h"
#include "support/prometheus.h"

static const double bounds[] = {0.00001, 0.25, 3};

static void write_page(sc_prometheus *metrics)
{
    sc_histogram histogram = {.bounds = bounds, .bound_count = 3};
    sc_histogram_add(&histogram, 0.000005);
    sc_histogram_add(&histogram, 1.5);
    sc_histogram_add(&histogram, 1.5);
    sc_histogram_add(&histogram, 7.0);
    sc_prometheus_counter(metrics, "a_total", "What it counts.", 12);
    sc_prometheus_gauge(metrics, "b", "What it shows.", UINT64_MAX);
    sc_prometheus_head(metrics, "c_total", "counter", "By kind.");
    sc_prometheus_sample(metrics, "c_total");
    sc_prometheus_label(metrics, "kind", "a\\b\"c\nd\xff\xc3\xa9");
    sc_prometheus_label(metrics, "other", "");
    sc_prometheus_number(metrics, 0.1234567);
    sc_prometheus_sample(metrics, "c_total");
    sc_prometheus_number(metrics, 2.0);
    sc_prometheus_histogram(metrics, "d_seconds", "How long.", &histogram);
}

static const char page[] = "# HELP x_a_total What it counts.\n"
                           "# TYPE x_a_total counter\n"
                           "x_a_total 12\n"
                           "# HELP x_b What it shows.\n"
                           "# TYPE x_b gauge\n"
                           "x_b 18446744073709551615\n"
                           "# HELP x_c_total By kind.\n"
                           "# TYPE x_c_total counter\n"
                           "x_c_total{kind=\"a\\\\b\\\"c\\nd?\xc3\xa9\",other=\"\"} 0.123457\n"
                           "x_c_total 2\n"
                           "# HELP x_d_seconds How long.\n"
                           "# TYPE x_d_seconds histogram\n"
                           "x_d_seconds_bucket{le=\"1e-05\"} 1\n"
                           "x_d_seconds_bucket{le=\"0.25\"} 1\n"
                           "x_d_seconds_bucket{le=\"3\"} 3\n"
                           "x_d_seconds_bucket{le=\"+Inf\"} 4\n"
                           "x_d_seconds_sum 10.000005\n"
                           "x_d_seconds_count 4\n";

static void test_a_page_is_as_prometheus_wants_it(void **state)
{
    (void)state;
    sc_bytes text = {0};
    sc_prometheus metrics = sc_prometheus_of(&text, "x_");
    write_page(&metrics);
    assert_false(sc_prometheus_has_failed(&metrics));
    assert_true(sc_bytes_append(&text, "", 1));
    assert_string_equal((const char *)text.data, page);
    prometheus *read = prometheus_read((const char *)text.data, text.size - 1);
    assert_true(prometheus_value(read, "x_d_seconds_count") == 4.0);
    prometheus_free(read);
    sc_bytes_fini(&text);
}

static void test_without_memory_the_failure_is_remembered(void **state)
{
    (void)state;
    sc_bytes text = {0};
    sc_prometheus metrics = sc_prometheus_of(&text, "");
    sc_alloc_fail_at(1);
    sc_prometheus_counter(&metrics, "a_total", "What it counts.", 1);
    sc_alloc_fail_at(0);
    assert_true(sc_prometheus_has_failed(&metrics));
    sc_bytes_fini(&text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_page_is_as_prometheus_wants_it),
    cmocka_unit_test(test_without_memory_the_failure_is_remembered),
};
SC_SUITE(tests)
