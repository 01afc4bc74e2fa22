// Counting, and gathering what others have counted. See metrics.h; metrics_write.c puts it down.
//
// What happens for every query is a handful of additions to counters that no thread waits for.
// Everything else is read when somebody asks for the page.
#include "api/metrics_internal.h"

#include "api/query_route.h"
#include "api/events.h"
#include "api/problem_details.h"
#include "base/alloc.h"

#include <time.h>

// Waiting may take an hour, as the policy allows; most take seconds.
static const double wait_bounds[] = {0.1, 0.25, 0.5, 1,  1.5, 2,   3,   4,   5,   7.5,
                                     10,  15,   20,  30, 60,  120, 300, 900, 3600};

// A provider in the same process answers within a millisecond.
static const double exchange_bounds[] = {0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05,
                                         0.1,    0.2,    0.5,   1,     2,     5,    10,   30};

static const double user_bounds[] = {1,  2,  3,  4,  5,   6,   8,   10,  12,
                                     15, 20, 30, 50, 100, 200, 500, 1000};

static const double segment_bounds[] = {1,  2,  3,   5,   7,   10,  15,   20,   30,
                                        50, 75, 100, 150, 200, 500, 1000, 5000, 10000};

#define BOUNDS(table) .bounds = (table), .bound_count = sizeof(table) / sizeof(table)[0]

sc_err sc_metrics_new(const sc_density *density, sc_metrics **out)
{
    sc_metrics *metrics = sc_calloc(1, sizeof *metrics);
    if (!metrics) return SC_ENOMEM;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    *metrics = (sc_metrics){
        .density = density,
        .wait = {BOUNDS(wait_bounds)},
        .exchange = {BOUNDS(exchange_bounds)},
        .answer = {BOUNDS(wait_bounds)},
        .users = {BOUNDS(user_bounds)},
        .segments = {BOUNDS(segment_bounds)},
        .effective = {BOUNDS(segment_bounds)},
        .started_s = (double)now.tv_sec + (double)now.tv_nsec * 1e-9,
    };
    *out = metrics;
    return SC_OK;
}

void sc_metrics_free(sc_metrics *metrics)
{
    sc_free(metrics);
}

void sc_metrics_published(sc_metrics *metrics, const sc_relay *relay, uint32_t users)
{
    sc_histogram_add(&metrics->users, users);
    sc_histogram_add(&metrics->segments, (double)relay->segment_count);
    sc_histogram_add(&metrics->effective,
                     sc_density_effective(metrics->density, relay->segments, relay->segment_count));
}

static double seconds_between(sc_time from, sc_time to)
{
    return to > from ? (double)(to - from) * 1e-6 : 0.0;
}

void sc_metrics_settled(sc_metrics *metrics, const sc_ticket *ticket)
{
    // The waits of those who were dropped are their own limits, and would only hide what company
    // takes. Of those who failed some never had a cloak.
    if (ticket->outcome != SC_OUTCOME_ANSWERED) return;
    sc_histogram_add(&metrics->wait, seconds_between(ticket->asked, ticket->published));
    sc_histogram_add(&metrics->exchange, seconds_between(ticket->published, ticket->settled));
    sc_histogram_add(&metrics->answer, seconds_between(ticket->asked, ticket->settled));
}

static uint64_t millionths(const sc_histogram *histogram)
{
    return atomic_load_explicit(&histogram->sum_millionths, memory_order_relaxed);
}

sc_metrics_sums sc_metrics_sums_of(const sc_metrics *metrics)
{
    return (sc_metrics_sums){
        .wait_s = (double)millionths(&metrics->wait) * 1e-6,
        .users = millionths(&metrics->users) / 1000000,
        .segments = millionths(&metrics->segments) / 1000000,
    };
}

sc_err sc_metrics_write(const sc_service_internal *parts, sc_bytes *out)
{
    sc_cluster_view *view = parts->view ? parts->view(parts->view_context) : NULL;
    if (parts->view && !view) return SC_ENOMEM;
    sc__readings readings = {
        .metrics = parts->metrics,
        .map_source = sc_map_source(parts->map),
        .map_checksum = sc_map_checksum(parts->map),
        .map_segments = sc_map_segment_count(parts->map),
        .ledger = sc_ledger_stats_of(parts->ledger),
        .courier = sc_courier_stats_of(parts->courier),
        .provider_latency = sc_courier_latency(parts->courier),
        .http = sc_http_stats_of(parts->http),
        .listeners = sc_events_listeners(parts->events),
        .events_lost = sc_events_lost(parts->events),
        .log_lost = parts->log ? sc_log_lost(parts->log) : 0,
        .process = sc_process_figures_read(),
        .view = view,
    };
    for (sc_problem_kind kind = 0; kind < SC_PROBLEM_COUNT; kind++) {
        readings.refused[kind] = sc_door_refused(parts->door, kind);
    }
    out->size = 0;
    const bool fits = sc__metrics_print(&readings, out);
    sc_cluster_view_free(view);
    return fits ? SC_OK : SC_ENOMEM;
}

void sc_metrics_page(const sc_service_internal *parts, sc_http_request *request)
{
    sc_bytes text = {0};
    if (sc_metrics_write(parts, &text) == SC_OK) {
        sc_http_reply(request, 200, "text/plain; version=0.0.4; charset=utf-8", text.data,
                      text.size, NULL, 0);
    } else {
        sc_problem problem;
        sc_problem_set(&problem, SC_PROBLEM_OVERLOADED, NULL, "there is no memory for this page");
        problem.retry_after_s = 1;
        sc_problem_reply(request, &problem, NULL);
    }
    sc_bytes_fini(&text);
}
