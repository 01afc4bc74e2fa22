// What operators of a provider watch, in Prometheus' text format. Counts over all cloaks: no
// sample belongs to one cloak.
#include "provider/provider_internal.h"

#include "base/prometheus.h"

#include <string.h>

/** Seconds; a look-up takes some microseconds, a wide range on a large map a second. */
static const double bounds_s[] = {0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001,
                                  0.0025,  0.005,    0.01,    0.025,  0.05,    0.1,    0.25,
                                  0.5,     1.0,      2.5,     5.0,    10.0};

static const int statuses[SC__STATUS_COUNT] = {
#define X(status) status,
    SC__STATUS_MAP(X)
#undef X
};

void sc__provider_counts_init(sc__provider_counts *counts)
{
    const size_t count = sizeof bounds_s / sizeof bounds_s[0];
    _Static_assert(sizeof bounds_s / sizeof bounds_s[0] < SC_HISTOGRAM_BUCKETS,
                   "one bucket has no bound");
    memset(counts, 0, sizeof *counts);
    counts->evaluation_s.bounds = counts->reply_s.bounds = bounds_s;
    counts->evaluation_s.bound_count = counts->reply_s.bound_count = count;
}

void sc__provider_counts_status(sc__provider_counts *counts, int status)
{
    size_t i = 0;
    while (i < SC__STATUS_COUNT && statuses[i] != status) {
        i++;
    }
    atomic_fetch_add_explicit(&counts->by_status[i], 1, memory_order_relaxed);
}

static uint64_t read_count(const atomic_uint_fast64_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

// --- What there is ---------------------------------------------------------------------

static void put_requests(sc_prometheus *metrics, const sc__provider_counts *counts)
{
    static const char *const labels[SC__STATUS_COUNT + 1] = {
#define X(status) #status,
        SC__STATUS_MAP(X)
#undef X
            "other"};
    sc_prometheus_head(metrics, "requests_total", "counter", "Requests answered, by status.");
    for (size_t i = 0; i <= SC__STATUS_COUNT; i++) {
        sc_prometheus_sample(metrics, "requests_total");
        sc_prometheus_label(metrics, "status", labels[i]);
        sc_prometheus_count(metrics, read_count(&counts->by_status[i]));
    }
}

static void put_work(sc_prometheus *metrics, sc_provider *provider)
{
    const sc__provider_counts *counts = &provider->counts;
    sc_prometheus_histogram(
        metrics, "evaluation_seconds",
        "Time to evaluate a cloak, from its bytes to those of the reply, without waiting.",
        &counts->evaluation_s);
    sc_prometheus_histogram(metrics, "reply_seconds",
                            "Time from a complete request to its reply, including waiting.",
                            &counts->reply_s);
    sc_prometheus_head(metrics, "border_answers_total", "counter",
                       "Answers of border nodes, by source.");
    sc_prometheus_sample(metrics, "border_answers_total");
    sc_prometheus_label(metrics, "by", "index");
    sc_prometheus_count(metrics, read_count(&counts->looked_up));
    sc_prometheus_sample(metrics, "border_answers_total");
    sc_prometheus_label(metrics, "by", "search");
    sc_prometheus_count(metrics, read_count(&counts->searched));
    sc_prometheus_gauge(metrics, "waiting", "Cloaks that wait for a thread.",
                        sc__provider_pool_waiting(&provider->pool));
    sc_prometheus_counter(metrics, "unwanted_total",
                          "Cloaks whose client disconnected before the reply.",
                          read_count(&counts->unwanted));
}

static void put_objects(sc_prometheus *metrics, const sc_provider_options *options)
{
    sc_objects *objects = sc__provider_objects(options);
    sc_prometheus_gauge(metrics, "objects", "Objects that answers are made from.",
                        sc_objects_table(objects)->count);
    sc_objects_release(objects);
    if (!options->feed) return;
    const sc_feed_status status = sc_object_feed_status(options->feed);
    sc_prometheus_counter(metrics, "feed_loads_total", "Sets of objects loaded from the database.",
                          status.loads);
    sc_prometheus_counter(metrics, "feed_failures_total", "Failed attempts to load objects.",
                          status.failures);
    sc_prometheus_gauge(metrics, "feed_rows", "Rows of the table when it was last loaded.",
                        status.row_count);
    sc_prometheus_gauge(metrics, "feed_rows_left_out",
                        "Rows of these that could not be used as objects on a road.",
                        status.left_out);
    sc_prometheus_gauge(metrics, "feed_connected", "1 while connected to the database.",
                        status.is_connected);
    sc_prometheus_gauge(metrics, "feed_stale", "1 if the last attempt to load failed.",
                        status.last_failure.message[0] != '\0');
}

static void put_server(sc_prometheus *metrics, const sc_http *http)
{
    const sc_http_stats stats = sc_http_stats_of(http);
    sc_prometheus_gauge(metrics, "connections", "Connections that are open.", stats.connections);
    sc_prometheus_counter(metrics, "connections_total", "Connections accepted.", stats.accepted);
    sc_prometheus_counter(metrics, "refused_by_limits_total",
                          "Requests too large, too slow, or not HTTP.", stats.refused_by_limits);
    sc_prometheus_counter(metrics, "accept_failures_total",
                          "Connections not accepted because descriptors or memory ran out.",
                          stats.accept_failures);
    sc_prometheus_counter(metrics, "handshake_failures_total", "TLS handshakes that failed.",
                          stats.handshake_failures);
}

bool sc__provider_metrics_write(sc_provider *provider, sc_bytes *out)
{
    sc_prometheus metrics = sc_prometheus_of(out, "starcloak_lbs_");
    put_requests(&metrics, &provider->counts);
    put_work(&metrics, provider);
    put_objects(&metrics, &provider->options);
    put_server(&metrics, provider->http);
    return !sc_prometheus_has_failed(&metrics);
}
