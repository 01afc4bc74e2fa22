// What operators of a provider watch, in Prometheus' text format. Nothing in it tells one cloak
// from another.
#include "provider/provider_internal.h"

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

void sc__tally_init(sc__tally *tally)
{
    const size_t count = sizeof bounds_s / sizeof bounds_s[0];
    _Static_assert(sizeof bounds_s / sizeof bounds_s[0] < SC_HISTOGRAM_BUCKETS,
                   "one bucket has no bound");
    memset(tally, 0, sizeof *tally);
    tally->evaluation_s.bounds = tally->reply_s.bounds = bounds_s;
    tally->evaluation_s.bound_count = tally->reply_s.bound_count = count;
}

void sc__tally_status(sc__tally *tally, int status)
{
    size_t i = 0;
    while (i < SC__STATUS_COUNT && statuses[i] != status) {
        i++;
    }
    atomic_fetch_add_explicit(&tally->by_status[i], 1, memory_order_relaxed);
}

// --- Writing ---------------------------------------------------------------------------

static uint64_t read_count(const atomic_uint_fast64_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

/** All names begin alike. */
static void put_name(sc__page *page, const char *name)
{
    sc__page_text(page, "starcloak_lbs_");
    sc__page_text(page, name);
}

static void begin(sc__page *page, const char *name, const char *type, const char *help)
{
    sc__page_text(page, "# HELP ");
    put_name(page, name);
    sc__page_text(page, " ");
    sc__page_text(page, help);
    sc__page_text(page, "\n# TYPE ");
    put_name(page, name);
    sc__page_text(page, " ");
    sc__page_text(page, type);
    sc__page_text(page, "\n");
}

/** @param label  as `{status="200"}`, or "" */
static void put_value(sc__page *page, const char *name, const char *label, uint64_t value)
{
    put_name(page, name);
    sc__page_text(page, label);
    sc__page_text(page, " ");
    sc__page_count(page, value);
    sc__page_text(page, "\n");
}

static void put_counter(sc__page *page, const char *name, const char *help, uint64_t value)
{
    begin(page, name, "counter", help);
    put_value(page, name, "", value);
}

static void put_gauge(sc__page *page, const char *name, const char *help, uint64_t value)
{
    begin(page, name, "gauge", help);
    put_value(page, name, "", value);
}

static void put_bucket(sc__page *page, const char *name, const double *bound, uint64_t count)
{
    put_name(page, name);
    sc__page_text(page, "_bucket{le=\"");
    if (bound) {
        sc__page_exact(page, *bound);
    } else {
        sc__page_text(page, "+Inf");
    }
    sc__page_text(page, "\"} ");
    sc__page_count(page, count);
    sc__page_text(page, "\n");
}

static void put_histogram(sc__page *page, const char *name, const char *help,
                          const sc_histogram *histogram)
{
    begin(page, name, "histogram", help);
    uint64_t count = 0;  // those of a bucket and of all below it
    for (size_t i = 0; i <= histogram->bound_count; i++) {
        count += read_count(&histogram->counts[i]);
        put_bucket(page, name, i < histogram->bound_count ? &histogram->bounds[i] : NULL, count);
    }
    put_name(page, name);
    sc__page_text(page, "_sum ");
    sc__page_decimal(page, (double)read_count(&histogram->sum_millionths) / 1e6, 6);
    sc__page_text(page, "\n");
    put_name(page, name);
    sc__page_text(page, "_count ");
    sc__page_count(page, count);
    sc__page_text(page, "\n");
}

// --- What there is ---------------------------------------------------------------------

static void put_requests(sc__page *page, const sc__tally *tally)
{
    static const char *const labels[SC__STATUS_COUNT + 1] = {
#define X(status) "{status=\"" #status "\"}",
        SC__STATUS_MAP(X)
#undef X
            "{status=\"other\"}"};
    begin(page, "requests_total", "counter", "Requests answered, by status.");
    for (size_t i = 0; i <= SC__STATUS_COUNT; i++) {
        put_value(page, "requests_total", labels[i], read_count(&tally->by_status[i]));
    }
}

static void put_work(sc__page *page, sc_provider *provider)
{
    const sc__tally *tally = &provider->tally;
    put_histogram(page, "evaluation_seconds",
                  "From the bytes of a cloak to those of its reply, without waiting.",
                  &tally->evaluation_s);
    put_histogram(page, "reply_seconds", "From a whole request to its reply, waiting included.",
                  &tally->reply_s);
    begin(page, "border_answers_total", "counter",
          "Answers of border nodes, by where they came from.");
    put_value(page, "border_answers_total", "{by=\"index\"}", read_count(&tally->looked_up));
    put_value(page, "border_answers_total", "{by=\"search\"}", read_count(&tally->searched));
    put_gauge(page, "waiting", "Cloaks that wait for a thread.",
              sc__desks_waiting(&provider->desks));
    put_counter(page, "unwanted_total", "Cloaks whose client went away before the reply.",
                read_count(&tally->unwanted));
}

static void put_objects(sc__page *page, const sc_provider_options *options)
{
    sc_objects *objects = sc__provider_objects(options);
    put_gauge(page, "objects", "Objects that answers are made from.",
              sc_objects_table(objects)->count);
    sc_objects_release(objects);
    if (!options->feed) return;
    const sc_feed_status status = sc_object_feed_status(options->feed);
    put_counter(page, "feed_loads_total", "Sets of objects loaded from the database.",
                status.loads);
    put_counter(page, "feed_failures_total", "Attempts to load them that failed.", status.failures);
    put_gauge(page, "feed_rows", "Rows of the table when it was last loaded.", status.row_count);
    put_gauge(page, "feed_rows_left_out", "Of these, rows that are no object on a road.",
              status.left_out);
    put_gauge(page, "feed_connected", "Whether the database is there.", status.is_connected);
    put_gauge(page, "feed_stale", "Whether the last attempt to load failed.",
              status.last_failure.message[0] != '\0');
}

static void put_server(sc__page *page, const sc_http *http)
{
    const sc_http_stats stats = sc_http_stats_of(http);
    put_gauge(page, "connections", "Connections that are open.", stats.connections);
    put_counter(page, "connections_total", "Connections accepted.", stats.accepted);
    put_counter(page, "refused_by_limits_total", "Requests too large, too slow, or not HTTP.",
                stats.refused_by_limits);
    put_counter(page, "accept_failures_total", "Connections not accepted for want of resources.",
                stats.accept_failures);
    put_counter(page, "handshake_failures_total", "TLS handshakes that failed.",
                stats.handshake_failures);
}

void sc__tally_write(sc_provider *provider, sc__page *page)
{
    put_requests(page, &provider->tally);
    put_work(page, provider);
    put_objects(page, &provider->options);
    put_server(page, provider->http);
}
