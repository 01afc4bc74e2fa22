/**
 * @file prometheus.h
 * @brief Prometheus' text format, version 0.0.4, read strictly.
 *
 * What a lenient reader would let pass fails the test with the line: lines of a metric that do not
 * stand together, HELP or TYPE that are missing or out of place, a sample that is there twice,
 * counters without "_total" or below 0, histograms whose buckets do not ascend or do not end with
 * +Inf, whose counts fall, or whose _count is another than that of +Inf.
 */
#ifndef SC_TESTS_SUPPORT_PROMETHEUS_H
#define SC_TESTS_SUPPORT_PROMETHEUS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct prometheus prometheus;

/** Read a page. Release with prometheus_free(). */
prometheus *prometheus_read(const char *text, size_t size);
void prometheus_free(prometheus *page);

/** How many metrics (with HELP and TYPE) and samples there are. */
size_t prometheus_metrics(const prometheus *page);
size_t prometheus_samples(const prometheus *page);

/** The value of a sample, named as it is written: starcloak_queries_total{outcome="gone"}. It must
 * be there. */
double prometheus_value(const prometheus *page, const char *sample);

bool prometheus_has(const prometheus *page, const char *sample);

#endif
