// GET /metrics: counters of the queries, and the text in Prometheus' format.
//
// To add a metric: count it where it happens (here, or in the statistics of the part that counts
// it), put it into sc__metrics_snapshot, write it in one of the put_ functions below. A query costs
// a handful of additions to atomic counters; everything else is read when the page is requested.
// Metrics of a cluster are in metrics_cluster.c.
#include "api/metrics.h"
#include "api/async_route.h"
#include "api/events.h"
#include "api/problem_details.h"
#include "api/service_internal.h"
#include "base/alloc.h"
#include "base/prometheus.h"

#include <dirent.h>
#include <stdio.h>
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

sc_err sc_metrics_new(sc_metrics **out)
{
    sc_metrics *metrics = sc_calloc(1, sizeof *metrics);
    if (!metrics) return SC_ENOMEM;
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    *metrics = (sc_metrics){
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

void sc_metrics_report_to(sc_metrics *metrics, sc_report_log *log)
{
    metrics->report_log = log;
}

void sc_metrics_published(sc_metrics *metrics, const sc_density *density, const sc_relay *relay,
                          uint32_t users)
{
    const double effective = sc_density_effective(density, relay->segments, relay->segment_count);
    sc_histogram_add(&metrics->users, users);
    sc_histogram_add(&metrics->segments, (double)relay->segment_count);
    sc_histogram_add(&metrics->effective, effective);
    if (metrics->report_log) sc_report_log_cloak(metrics->report_log, effective);
}

static double seconds_between(sc_time from, sc_time to)
{
    return to > from ? (double)(to - from) * 1e-6 : 0.0;
}

static sc_report_outcome outcome_of(const sc_ticket *ticket)
{
    static const sc_report_outcome dropped[SC_DROP_REASON_COUNT] = {
        [SC_DROP_EXPIRED] = SC_REPORT_EXPIRED,
        [SC_DROP_INFEASIBLE] = SC_REPORT_INFEASIBLE,
        [SC_DROP_EXPOSED] = SC_REPORT_EXPOSED,
        [SC_DROP_RARE_REQUEST] = SC_REPORT_RARE_REQUEST};
    static const sc_report_outcome failed[SC_FAILURE_COUNT] = {
        [SC_FAILURE_NONE] = SC_REPORT_PROVIDER,
        [SC_FAILURE_UNREACHABLE] = SC_REPORT_PROVIDER,
        [SC_FAILURE_TIMEOUT] = SC_REPORT_PROVIDER,
        [SC_FAILURE_REFUSED] = SC_REPORT_PROVIDER,
        [SC_FAILURE_UNBELIEVABLE] = SC_REPORT_PROVIDER,
        [SC_FAILURE_SUSPENDED] = SC_REPORT_PROVIDER,
        [SC_FAILURE_LOST] = SC_REPORT_PROVIDER,
        [SC_FAILURE_OVERLOADED] = SC_REPORT_OVERLOADED,
        [SC_FAILURE_IN_DOUBT] = SC_REPORT_IN_DOUBT,
        [SC_FAILURE_STOPPED] = SC_REPORT_STOPPED,
        [SC_FAILURE_UNSENT] = SC_REPORT_UNSENT,
        [SC_FAILURE_COSTLY] = SC_REPORT_COSTLY};
    switch (ticket->outcome) {
    case SC_OUTCOME_ANSWERED:
        return SC_REPORT_ANSWERED;
    case SC_OUTCOME_DROPPED:
        return dropped[ticket->drop];
    case SC_OUTCOME_FAILED:
        return failed[ticket->failure];
    case SC_OUTCOME_GONE:
        return SC_REPORT_WITHDRAWN;
    case SC_OUTCOME_NONE:
        break;
    }
    return SC_REPORT_STOPPED;  // the service ended before it did
}

static void report(sc_report_log *log, const sc_ticket *ticket)
{
    const sc_report_query query = {.outcome = outcome_of(ticket),
                                   .k = ticket->query.k,
                                   .l = ticket->query.l,
                                   .users = ticket->users,
                                   .segments = ticket->segments};
    sc_report_log_query(log, &query);
}

void sc_metrics_settled(sc_metrics *metrics, const sc_ticket *ticket)
{
    if (metrics->report_log) report(metrics->report_log, ticket);
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

sc_err sc_metrics_write(const sc_service_internal *service, sc_bytes *out)
{
    const sc_served_map *served = sc_served_now(service);
    sc_cluster_view *view = served->view ? served->view(served->view_context) : NULL;
    if (served->view && !view) return SC_ENOMEM;
    sc__metrics_snapshot snapshot = {
        .metrics = service->metrics,
        .version = service->version,
        .map_source = sc_map_source(served->map),
        .map_checksum = sc_map_checksum(served->map),
        .map_segments = sc_map_segment_count(served->map),
        .http = sc_http_stats_of(service->http),
        .listeners = sc_events_listeners(service->events),
        .events_lost = sc_events_lost(service->events),
        .log_lost = service->log ? sc_log_lost(service->log) : 0,
        .process = sc_process_usage_read(),
        .view = view,
    };
    sc_served_sums_of(service, &snapshot.all);
    if (service->query_route) {
        snapshot.async = sc_async_route_stats(sc_query_route_async(service->query_route));
    }
    if (service->oblivious) {
        snapshot.has_oblivious = true;
        snapshot.oblivious = sc_oblivious_gateway_stats(service->oblivious);
    }
    if (service->pass) {
        snapshot.has_pass = true;
        snapshot.pass = sc_pass_issuer_stats_of(service->pass);
    }
    if (service->cloak_log) {
        snapshot.has_cloak_log = true;
        snapshot.cloak_log = sc_cloak_log_stats_of(service->cloak_log, NULL);
    }
    const sc_auditor *auditor = service->auditor;
    snapshot.is_recording = auditor && auditor->until_s(auditor->context) > 0;
    if (service->report_log) {
        snapshot.report_log_failures = sc_report_log_failures(service->report_log);
    }
    for (sc_problem_kind kind = 0; kind < SC_PROBLEM_COUNT; kind++) {
        snapshot.refused[kind] = sc_refusals_of(service, kind);
    }
    for (unsigned i = 0; i < SC_PENDING_SIZES; i++) {
        snapshot.pending_by_k[i] = sc_query_charges_pending(service->charges, i);
    }
    out->size = 0;
    const bool fits = sc__metrics_print(&snapshot, out);
    sc_cluster_view_free(view);
    return fits ? SC_OK : SC_ENOMEM;
}

void sc_metrics_page(const sc_service_internal *service, sc_http_request *request)
{
    sc_bytes text = {0};
    if (sc_metrics_write(service, &text) == SC_OK) {
        sc_http_reply(request, 200, "text/plain; version=0.0.4; charset=utf-8", text.data,
                      text.size, NULL, 0);
    } else {
        sc_problem problem;
        sc_problem_set(&problem, SC_PROBLEM_OVERLOADED, NULL, "out of memory; retry");
        problem.retry_after_s = 1;
        sc_problem_reply(request, &problem, NULL);
    }
    sc_bytes_fini(&text);
}

// === The text ===================================================================================

// --- Queries ---------------------------------------------------------------------------------

static void put_labelled(sc_prometheus *out, const char *name, const char *label, const char *value,
                         uint64_t count)
{
    sc_prometheus_sample(out, name);
    sc_prometheus_label(out, label, value);
    sc_prometheus_count(out, count);
}

static void put_ended(sc_prometheus *out, const char *name, const char *outcome, const char *reason,
                      uint64_t count)
{
    sc_prometheus_sample(out, name);
    sc_prometheus_label(out, "outcome", outcome);
    sc_prometheus_label(out, "reason", reason);
    sc_prometheus_count(out, count);
}

static void put_outcomes(sc_prometheus *out, const sc_ledger_stats *ledger)
{
    static const char name[] = "starcloak_queries_total";
    sc_prometheus_head(out, name, "counter", "Queries that have ended, by outcome.");
    put_labelled(out, name, "outcome", "answered", ledger->answered);
    for (sc_drop_reason i = 0; i < SC_DROP_REASON_COUNT; i++) {
        put_ended(out, name, "dropped", sc_drop_reason_name(i), ledger->dropped[i]);
    }
    for (sc_failure i = SC_FAILURE_NONE + 1; i < SC_FAILURE_COUNT; i++) {
        put_ended(out, name, "failed", sc_failure_name(i), ledger->failed[i]);
    }
    put_labelled(out, name, "outcome", "gone", ledger->gone);
}

static void put_refused(sc_prometheus *out, const uint64_t refused[SC_PROBLEM_COUNT])
{
    static const char *const words[] = {
#define X(name, status, word, title) word,
        SC_PROBLEM_MAP(X)
#undef X
    };
    static const char name[] = "starcloak_refused_total";
    sc_prometheus_head(out, name, "counter", "Queries that were not accepted, by problem.");
    for (sc_problem_kind i = 0; i < SC_PROBLEM_COUNT; i++) {
        put_labelled(out, name, "problem", words[i], refused[i]);
    }
}

static void put_pending_by_k(sc_prometheus *out, const uint64_t pending[SC_PENDING_SIZES])
{
    static const char name[] = "starcloak_pending_by_k";
    sc_prometheus_head(out, name, "gauge", "Queries without an outcome yet, by their k.");
    for (unsigned i = 0; i < SC_PENDING_SIZES; i++) {
        put_labelled(out, name, "k", sc_pending_size_name(i), pending[i]);
    }
}

static void put_queries(sc_prometheus *out, const sc__metrics_snapshot *r)
{
    const sc_ledger_stats *ledger = &r->all.ledger;
    sc_prometheus_counter(out, "starcloak_queries_taken_total", "Queries that were accepted.",
                          ledger->taken);
    sc_prometheus_gauge(out, "starcloak_pending", "Queries without an outcome yet.",
                        ledger->pending);
    put_pending_by_k(out, r->pending_by_k);
    put_outcomes(out, ledger);
    put_refused(out, r->refused);
    sc_prometheus_counter(out, "starcloak_gone_published_total",
                          "Queries whose client disconnected after the cloak had left.",
                          ledger->gone_published);
    sc_prometheus_histogram(out, "starcloak_wait_seconds",
                            "Time from asking until the cloak left, of answered queries.",
                            &r->metrics->wait);
    sc_prometheus_histogram(out, "starcloak_exchange_seconds",
                            "Time from when the cloak left to the answer, of answered queries.",
                            &r->metrics->exchange);
    sc_prometheus_histogram(out, "starcloak_answer_seconds",
                            "Time from asking to the answer, of answered queries.",
                            &r->metrics->answer);
}

/** Of queries with a life of their own. */
static void put_async(sc_prometheus *out, const sc_async_stats *async)
{
    static const char name[] = "starcloak_async_forgotten_total";
    sc_prometheus_counter(out, "starcloak_async_queries_total",
                          "Queries that were accepted with a life of their own.", async->asked);
    sc_prometheus_gauge(out, "starcloak_async_pending",
                        "Queries with a life of their own that have no outcome yet.",
                        async->pending);
    sc_prometheus_gauge(out, "starcloak_async_outcomes", "Outcomes that are kept to be read again.",
                        async->outcomes);
    sc_prometheus_gauge(out, "starcloak_async_outcome_bytes", "Bytes that they take.",
                        async->bytes);
    sc_prometheus_counter(out, "starcloak_async_repeated_total",
                          "Requests for a query that was asked already, by their Idempotency-Key.",
                          async->repeated);
    sc_prometheus_counter(out, "starcloak_async_lapsed_total",
                          "Queries that were withdrawn since their lease was over.", async->lapsed);
    sc_prometheus_head(out, name, "counter",
                       "Queries and outcomes that were forgotten: their time was over after they "
                       "were told or without that, they made room for others, or their client "
                       "deleted them.");
    put_labelled(out, name, "reason", "told", async->forgotten_told);
    put_labelled(out, name, "reason", "untold", async->forgotten_untold);
    put_labelled(out, name, "reason", "crowded_out", async->forgotten_crowded_out);
    put_labelled(out, name, "reason", "deleted", async->forgotten_deleted);
}

static void put_cloaks(sc_prometheus *out, const sc__metrics_snapshot *r)
{
    sc_prometheus_counter(out, "starcloak_cloaks_total", "Cloaks that left.", r->all.ledger.cloaks);
    sc_prometheus_counter(out, "starcloak_proposals_refused_total",
                          "Proposed cloaks that were refused.", r->all.ledger.refused);
    sc_prometheus_counter(out, "starcloak_violations_total",
                          "Refused cloaks that would have broken a promise.",
                          r->all.ledger.violations);
    sc_prometheus_histogram(out, "starcloak_cloak_users",
                            "Different users of a cloak (achieved k).", &r->metrics->users);
    sc_prometheus_histogram(out, "starcloak_cloak_segments", "Segments of a cloak (achieved l).",
                            &r->metrics->segments);
    sc_prometheus_histogram(out, "starcloak_cloak_effective_segments",
                            "Effective segments of a cloak, weighted by the traffic on each.",
                            &r->metrics->effective);
}

/** What engines and gateways said to each other. Mostly 0 where they are one process. */
static void put_commit(sc_prometheus *out, const sc_ledger_stats *ledger)
{
    sc_prometheus_counter(out, "starcloak_proposals_total", "Proposed cloaks that were received.",
                          ledger->proposals);
    sc_prometheus_counter(out, "starcloak_proposals_aborted_total",
                          "Proposed cloaks that their engine withdrew.", ledger->aborted);
    sc_prometheus_counter(out, "starcloak_proposals_impatient_total",
                          "Proposed cloaks that were given up because no release arrived.",
                          ledger->impatient);
    sc_prometheus_counter(out, "starcloak_proposals_skewed_total",
                          "Proposed cloaks that were refused because the clock of another gateway "
                          "differs by more than the guard.",
                          ledger->skewed);
    sc_prometheus_counter(out, "starcloak_proposals_asked_total",
                          "Questions to other gateways about the outcome of a proposed cloak.",
                          ledger->asked);
    sc_prometheus_counter(out, "starcloak_cloaks_elsewhere_total",
                          "Cloaks that left from another gateway, with queries of this one.",
                          ledger->cloaks_elsewhere);
    sc_prometheus_counter(out, "starcloak_queries_resent_total",
                          "Queries that were sent to engines again.", ledger->resent);
    sc_prometheus_counter(
        out, "starcloak_queries_company_total",
        "Queries that were sent to engines of other parts, to be members of cloaks there.",
        ledger->company);
    sc_prometheus_counter(
        out, "starcloak_messages_lost_total",
        "Messages of engines and gateways that were dropped because a queue was full.",
        ledger->lost);
}

static void put_engine(sc_prometheus *out, const sc_engine_stats *engine)
{
    sc_prometheus_gauge(out, "starcloak_engine_pending", "Queries in the queue or the graph.",
                        engine->pending);
    sc_prometheus_gauge(out, "starcloak_engine_proposed", "Queries in proposed cloaks.",
                        engine->proposed);
    sc_prometheus_gauge(out, "starcloak_engine_vertices", "Vertices of the cloaking graph.",
                        engine->vertices);
    sc_prometheus_gauge(out, "starcloak_engine_active_stars", "Stars that have queries.",
                        engine->active_stars);
    sc_prometheus_counter(out, "starcloak_engine_searches_total", "Searches for a cloak.",
                          engine->searches);
    sc_prometheus_counter(out, "starcloak_engine_checks_total",
                          "Combinations of queries that were examined.", engine->checks);
    sc_prometheus_counter(out, "starcloak_engine_cap_hits_total",
                          "Searches that could not keep all their combinations.", engine->cap_hits);
    sc_prometheus_counter(out, "starcloak_engine_settled_total",
                          "Sets of stars that searches have settled: looked at, and narrowed where "
                          "needed until each member has what it asks for (strict demands).",
                          engine->settled);
    sc_prometheus_counter(out, "starcloak_engine_settle_failures_total",
                          "Of them, those that could not be.", engine->settle_failures);
    sc_prometheus_counter(out, "starcloak_engine_ends_taken_back_total",
                          "Cloaks whose members kept the ends of the search, since others could "
                          "not be settled.",
                          engine->ends_taken_back);
}

static void put_continuity(sc_prometheus *out, const sc_continuity_stats *continuity)
{
    static const char name[] = "starcloak_continuity_erased_total";
    sc_prometheus_gauge(out, "starcloak_continuity_users",
                        "Users whose last cloak is kept for continuity.", continuity->users);
    sc_prometheus_gauge(out, "starcloak_continuity_bytes",
                        "Memory of last cloaks, and of what queries that wait can have reached.",
                        continuity->bytes);
    sc_prometheus_counter(out, "starcloak_continuity_linked_total",
                          "Queries whose user had a cloak no older than tau.", continuity->linked);
    sc_prometheus_head(out, name, "counter",
                       "Last cloaks that were erased: older than tau, or the oldest of too many.");
    put_labelled(out, name, "reason", "old", continuity->erased);
    put_labelled(out, name, "reason", "crowded_out", continuity->crowded_out);
}

// --- The provider, and the world around ------------------------------------------------------

static void put_failures(sc_prometheus *out, const sc_courier_stats *courier)
{
    static const char name[] = "starcloak_provider_failures_total";
    sc_prometheus_head(out, name, "counter", "Cloaks that got no answer, by reason.");
    for (sc_failure i = SC_FAILURE_NONE + 1; i < SC_FAILURE_COUNT; i++) {
        put_labelled(out, name, "reason", sc_failure_name(i), courier->failed[i]);
    }
}

static void put_areas(sc_prometheus *out, const sc_area_status *areas)
{
    sc_prometheus_gauge(out, "starcloak_areas_tiles", "Tiles kept, each category by itself.",
                        areas->tiles);
    sc_prometheus_gauge(out, "starcloak_areas_bytes", "Bytes that they take.", areas->bytes);
    sc_prometheus_counter(out, "starcloak_areas_needed_total", "Tiles that cloaks needed.",
                          areas->looked_up);
    sc_prometheus_counter(out, "starcloak_areas_found_total", "Of them, those that were there.",
                          areas->found);
    sc_prometheus_counter(out, "starcloak_areas_evicted_total", "Tiles dropped for lack of room.",
                          areas->evicted);
    sc_prometheus_counter(out, "starcloak_areas_outside_total",
                          "Objects that were not in the box asked for.", areas->outside);
    sc_prometheus_counter(out, "starcloak_areas_left_out_total",
                          "Objects too far from any road, or without a category.", areas->left_out);
    sc_prometheus_counter(out, "starcloak_areas_indexes_total",
                          "Sets of tiles with an index that were made.", areas->indexes);
}

static void put_provider(sc_prometheus *out, const sc__metrics_snapshot *r)
{
    const sc_courier_stats *courier = &r->all.courier;
    sc_prometheus_gauge(out, "starcloak_provider_under_way", "Cloaks that wait for their answer.",
                        courier->under_way);
    sc_prometheus_counter(out, "starcloak_provider_errands_total", "Cloaks that were sent.",
                          courier->sent);
    sc_prometheus_counter(out, "starcloak_provider_tries_total",
                          "Requests sent to the provider, including retries.", courier->tries);
    put_failures(out, courier);
    sc_prometheus_counter(out, "starcloak_provider_sent_bytes_total", "Bytes of bodies sent.",
                          courier->bytes_out);
    sc_prometheus_counter(out, "starcloak_provider_received_bytes_total",
                          "Bytes of bodies received.", courier->bytes_in);
    sc_prometheus_gauge(out, "starcloak_provider_suspended",
                        "1 while the provider is suspended after repeated failures.",
                        courier->is_suspended);
    sc_prometheus_counter(out, "starcloak_provider_suspensions_total",
                          "How often the provider was suspended.", courier->times_suspended);
    sc_prometheus_histogram(out, "starcloak_provider_seconds",
                            "From sending a cloak to the checked answer.",
                            &r->all.provider_latency);
    if (r->all.has_areas) put_areas(out, &r->all.areas);
}

static void put_http(sc_prometheus *out, const sc_http_stats *http)
{
    sc_prometheus_gauge(out, "starcloak_http_connections", "Open connections.", http->connections);
    sc_prometheus_counter(out, "starcloak_http_accepted_total", "Connections accepted.",
                          http->accepted);
    sc_prometheus_counter(out, "starcloak_http_requests_total", "Complete requests received.",
                          http->requests);
    sc_prometheus_counter(out, "starcloak_http_refused_total",
                          "Requests that were too large, too slow, or not HTTP.",
                          http->refused_by_limits);
    sc_prometheus_counter(out, "starcloak_http_gone_total",
                          "Requests whose client disconnected before the reply.", http->gone);
    sc_prometheus_counter(out, "starcloak_http_accept_failures_total",
                          "Connections not accepted because descriptors or memory ran out.",
                          http->accept_failures);
    sc_prometheus_counter(out, "starcloak_http_stalled_total",
                          "Connections that were reset because their client did not take a reply.",
                          http->stalled);
    sc_prometheus_counter(out, "starcloak_http_paced_total",
                          "Pieces of large replies that waited for address-bandwidth.",
                          http->paced);
    sc_prometheus_counter(out, "starcloak_http_evicted_total",
                          "Idle connections, and those slow to send a request or to end their "
                          "handshake, that were closed to make room for others.",
                          http->evicted);
    sc_prometheus_counter(out, "starcloak_http_full_total",
                          "Connections that came when all of max-connections were busy.",
                          http->full);
    sc_prometheus_counter(
        out, "starcloak_http_refused_addresses_total",
        "Connections refused because their address had as many as allowed, all busy.",
        http->refused_addresses);
    sc_prometheus_counter(out, "starcloak_http_handshake_failures_total",
                          "TLS handshakes that failed.", http->handshake_failures);
    sc_prometheus_counter(
        out, "starcloak_http_refused_handshakes_total",
        "Connections refused because their address began too many TLS handshakes.",
        http->refused_handshakes);
}

static void put_oblivious(sc_prometheus *out, const sc_oblivious_stats *sealed)
{
    static const char refused[] = "starcloak_oblivious_refused_total";
    sc_prometheus_counter(out, "starcloak_oblivious_opened_total",
                          "Sealed requests that were opened.", sealed->opened);
    sc_prometheus_head(out, refused, "counter", "Sealed requests that were refused, by reason.");
    const struct {
        const char *reason;
        uint64_t count;
    } reasons[] = {{"unopened", sealed->unopened},
                   {"replayed", sealed->replayed},
                   {"date", sealed->misdated},
                   {"crowded", sealed->crowded}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        sc_prometheus_sample(out, refused);
        sc_prometheus_label(out, "reason", reasons[i].reason);
        sc_prometheus_count(out, reasons[i].count);
    }
    sc_prometheus_counter(out, "starcloak_oblivious_keys_total",
                          "Times that a key to seal with was made, or keys were read.",
                          sealed->keys_made);
}

static void put_pass(sc_prometheus *out, const sc_pass_issuer_stats *pass)
{
    static const char refused[] = "starcloak_pass_refused_total";
    sc_prometheus_counter(out, "starcloak_pass_accepted_total",
                          "Requests with a private token that was accepted.",
                          pass->verdicts[SC_PASS_GOOD]);
    sc_prometheus_counter(out, "starcloak_pass_remembered_total",
                          "Those of them whose signature had been checked before.",
                          pass->remembered);
    sc_prometheus_head(out, refused, "counter",
                       "Requests with a private token that was refused, by reason.");
    const struct {
        const char *reason;
        sc_pass_verdict verdict;
    } reasons[] = {{"malformed", SC_PASS_MALFORMED},
                   {"epoch", SC_PASS_EPOCH},
                   {"key", SC_PASS_KEY},
                   {"forged", SC_PASS_FORGED},
                   {"memory", SC_PASS_NO_MEMORY}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        sc_prometheus_sample(out, refused);
        sc_prometheus_label(out, "reason", reasons[i].reason);
        sc_prometheus_count(out, pass->verdicts[reasons[i].verdict]);
    }
    sc_prometheus_gauge(out, "starcloak_pass_keys", "Keys in the token issuer's directory.",
                        pass->keys);
    sc_prometheus_counter(out, "starcloak_pass_directory_failures_total",
                          "Times that the token issuer's directory could not be fetched.",
                          pass->failures);
}

static void put_build(sc_prometheus *out, const sc__metrics_snapshot *r)
{
    static const char name[] = "starcloak_build_info";
    sc_prometheus_head(out, name, "gauge", "The version of this process; always 1.");
    sc_prometheus_sample(out, name);
    sc_prometheus_label(out, "version", r->version ? r->version : "");
    sc_prometheus_count(out, 1);
}

static void put_map(sc_prometheus *out, const sc__metrics_snapshot *r)
{
    static const char name[] = "starcloak_map_info";
    char checksum[17];
    (void)snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)r->map_checksum);
    sc_prometheus_head(out, name, "gauge", "The map that is served; always 1.");
    sc_prometheus_sample(out, name);
    sc_prometheus_label(out, "checksum", checksum);
    sc_prometheus_label(out, "source", r->map_source);
    sc_prometheus_count(out, 1);
    sc_prometheus_gauge(out, "starcloak_map_segments", "Segments of the map.", r->map_segments);
    sc_prometheus_gauge(out, "starcloak_maps",
                        "Maps in memory: the one that is served, and those before it on which "
                        "queries still wait.",
                        r->all.maps);
    sc_prometheus_counter(out, "starcloak_map_changes_total",
                          "How often another map was served without a restart.", r->all.changes);
}

static void put_telling(sc_prometheus *out, const sc__metrics_snapshot *r)
{
    sc_prometheus_gauge(out, "starcloak_listeners", "Clients that receive events.", r->listeners);
    sc_prometheus_counter(out, "starcloak_events_lost_total",
                          "Events that were not sent because a loop was too busy.", r->events_lost);
    sc_prometheus_counter(out, "starcloak_log_lost_total", "Log lines that could not be written.",
                          r->log_lost);
    if (r->has_oblivious) put_oblivious(out, &r->oblivious);
    if (r->has_pass) put_pass(out, &r->pass);
    sc_prometheus_gauge(out, "starcloak_recording_true_positions",
                        "1 while users and true positions are recorded for an audit.",
                        r->is_recording);
    sc_prometheus_counter(out, "starcloak_report_log_failures_total",
                          "Times that the report log could not be written.",
                          r->report_log_failures);
    if (!r->has_cloak_log) return;
    sc_prometheus_counter(out, "starcloak_cloak_log_written_total",
                          "Cloaks that were written to the cloak log.", r->cloak_log.written);
    sc_prometheus_counter(out, "starcloak_cloak_log_lost_total",
                          "Cloaks that could not be written to the cloak log.", r->cloak_log.lost);
}

static void put_seconds(sc_prometheus *out, const char *name, const char *type, const char *help,
                        double seconds)
{
    sc_prometheus_head(out, name, type, help);
    sc_prometheus_sample(out, name);
    sc_prometheus_number(out, seconds);
}

// By the names that Prometheus' own libraries use.
static void put_process(sc_prometheus *out, const sc__metrics_snapshot *r)
{
    const sc_process_usage *process = &r->process;
    const sc_process_use *use = &process->use;
    put_seconds(out, "process_start_time_seconds", "gauge",
                "Start time of the process, seconds since 1970.", r->metrics->started_s);
    put_seconds(out, "process_cpu_seconds_total", "counter", "CPU time of all threads.",
                (double)use->cpu_us * 1e-6);
    if (use->knows_memory) {
        sc_prometheus_gauge(out, "process_virtual_memory_bytes", "Virtual memory of the process.",
                            use->virtual_bytes);
        sc_prometheus_gauge(out, "process_resident_memory_bytes", "Resident memory of the process.",
                            use->resident_bytes);
    }
    if (process->knows_descriptors) {
        sc_prometheus_gauge(out, "process_open_fds",
                            "Open descriptors, without those of clients' connections.",
                            process->descriptors);
    }
}

bool sc__metrics_print(const sc__metrics_snapshot *snapshot, sc_bytes *out)
{
    sc_prometheus metrics = sc_prometheus_of(out, "");
    put_queries(&metrics, snapshot);
    put_async(&metrics, &snapshot->async);
    put_cloaks(&metrics, snapshot);
    put_commit(&metrics, &snapshot->all.ledger);
    put_engine(&metrics, &snapshot->all.ledger.engine);
    put_continuity(&metrics, &snapshot->all.ledger.continuity);
    put_provider(&metrics, snapshot);
    put_http(&metrics, &snapshot->http);
    put_telling(&metrics, snapshot);
    put_build(&metrics, snapshot);
    put_map(&metrics, snapshot);
    put_process(&metrics, snapshot);
    return !sc_prometheus_has_failed(&metrics) &&
           (!snapshot->view || sc__metrics_print_cluster(snapshot->view, out));
}

// === This process ===============================================================================

static bool count_descriptors(uint64_t *out)
{
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return false;
    uint64_t count = 0;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    closedir(folder);
    *out = count - (count > 0);  // one of them was the folder
    return true;
}

sc_process_usage sc_process_usage_read(void)
{
    sc_process_usage figures = {.use = sc_process_use_now()};
    figures.knows_descriptors = count_descriptors(&figures.descriptors);
    return figures;
}
