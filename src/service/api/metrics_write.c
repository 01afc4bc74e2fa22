// Figures of a service as text. See metrics.h; metrics_cluster.c has those of a cluster,
// base/prometheus.c the format. Labels are our own words, but for the map's source.
#include "api/metrics_internal.h"

#include "base/prometheus.h"

#include <stdio.h>

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
    sc_prometheus_head(out, name, "counter", "Queries that have their outcome.");
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
    sc_prometheus_head(out, name, "counter", "Queries that were not taken, by problem.");
    for (sc_problem_kind i = 0; i < SC_PROBLEM_COUNT; i++) {
        put_labelled(out, name, "problem", words[i], refused[i]);
    }
}

static void put_queries(sc_prometheus *out, const sc__readings *r)
{
    const sc_ledger_stats *ledger = &r->ledger;
    sc_prometheus_counter(out, "starcloak_queries_taken_total", "Queries that were taken.",
                          ledger->taken);
    sc_prometheus_gauge(out, "starcloak_pending", "Queries that wait for their outcome.",
                        ledger->pending);
    put_outcomes(out, ledger);
    put_refused(out, r->refused);
    sc_prometheus_counter(out, "starcloak_gone_published_total",
                          "Clients that went away after their cloak had left.",
                          ledger->gone_published);
    sc_prometheus_histogram(out, "starcloak_wait_seconds",
                            "From asking until the cloak left, of answered queries.",
                            &r->metrics->wait);
    sc_prometheus_histogram(out, "starcloak_exchange_seconds",
                            "From the cloak's leaving to the answer, of answered queries.",
                            &r->metrics->exchange);
    sc_prometheus_histogram(out, "starcloak_answer_seconds",
                            "From asking to the answer, of answered queries.", &r->metrics->answer);
}

static void put_cloaks(sc_prometheus *out, const sc__readings *r)
{
    sc_prometheus_counter(out, "starcloak_cloaks_total", "Cloaks that left.", r->ledger.cloaks);
    sc_prometheus_counter(out, "starcloak_proposals_refused_total",
                          "Proposed cloaks that did not leave.", r->ledger.refused);
    sc_prometheus_counter(out, "starcloak_violations_total",
                          "Of these, those that would have broken a promise.",
                          r->ledger.violations);
    sc_prometheus_histogram(out, "starcloak_cloak_users",
                            "Different users of a cloak (achieved k).", &r->metrics->users);
    sc_prometheus_histogram(out, "starcloak_cloak_segments", "Segments of a cloak (achieved l).",
                            &r->metrics->segments);
    sc_prometheus_histogram(out, "starcloak_cloak_effective_segments",
                            "Segments that a cloak is worth, given how busy each is.",
                            &r->metrics->effective);
}

/** What engines and gateways said to each other. Mostly 0 where they are one process. */
static void put_commit(sc_prometheus *out, const sc_ledger_stats *ledger)
{
    sc_prometheus_counter(out, "starcloak_proposals_total", "Proposed cloaks that were heard.",
                          ledger->proposals);
    sc_prometheus_counter(out, "starcloak_proposals_aborted_total",
                          "Proposed cloaks that were called off by who proposed them.",
                          ledger->aborted);
    sc_prometheus_counter(out, "starcloak_proposals_impatient_total",
                          "Proposed cloaks that were given up since no release came.",
                          ledger->impatient);
    sc_prometheus_counter(out, "starcloak_proposals_asked_total",
                          "Questions to other gateways what became of a proposed cloak.",
                          ledger->asked);
    sc_prometheus_counter(out, "starcloak_cloaks_elsewhere_total",
                          "Cloaks that left from another gateway, with queries of ours.",
                          ledger->cloaks_elsewhere);
    sc_prometheus_counter(out, "starcloak_queries_resent_total",
                          "Queries that were said anew to engines.", ledger->resent);
    sc_prometheus_counter(out, "starcloak_queries_company_total",
                          "Queries that were said as company to engines of other parts.",
                          ledger->company);
    sc_prometheus_counter(out, "starcloak_words_lost_total",
                          "Words of engines and gateways for which there was no room.",
                          ledger->lost);
}

static void put_engine(sc_prometheus *out, const sc_engine_stats *engine)
{
    sc_prometheus_gauge(out, "starcloak_engine_pending", "Queries in the queue or the graph.",
                        engine->pending);
    sc_prometheus_gauge(out, "starcloak_engine_proposed", "Queries in cloaks that are proposed.",
                        engine->proposed);
    sc_prometheus_gauge(out, "starcloak_engine_vertices", "Vertices of the cloaking graph.",
                        engine->vertices);
    sc_prometheus_gauge(out, "starcloak_engine_active_stars", "Stars that have queries.",
                        engine->active_stars);
    sc_prometheus_counter(out, "starcloak_engine_searches_total", "Searches for a cloak.",
                          engine->searches);
    sc_prometheus_counter(out, "starcloak_engine_checks_total", "Combinations that were looked at.",
                          engine->checks);
    sc_prometheus_counter(out, "starcloak_engine_cap_hits_total",
                          "Searches that could not keep all their combinations.", engine->cap_hits);
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

static void put_provider(sc_prometheus *out, const sc__readings *r)
{
    const sc_courier_stats *courier = &r->courier;
    sc_prometheus_gauge(out, "starcloak_provider_under_way", "Cloaks whose answer is awaited.",
                        courier->under_way);
    sc_prometheus_counter(out, "starcloak_provider_errands_total", "Cloaks that were sent.",
                          courier->sent);
    sc_prometheus_counter(out, "starcloak_provider_tries_total",
                          "Exchanges begun, repeated ones too.", courier->tries);
    put_failures(out, courier);
    sc_prometheus_counter(out, "starcloak_provider_sent_bytes_total", "Bytes of bodies sent.",
                          courier->bytes_out);
    sc_prometheus_counter(out, "starcloak_provider_received_bytes_total",
                          "Bytes of bodies received.", courier->bytes_in);
    sc_prometheus_gauge(out, "starcloak_provider_suspended",
                        "1 while the provider is left alone since it failed too often.",
                        courier->is_suspended);
    sc_prometheus_counter(out, "starcloak_provider_suspensions_total", "How often that began.",
                          courier->times_suspended);
    sc_prometheus_histogram(out, "starcloak_provider_seconds",
                            "From sending a cloak to the checked answer.", r->provider_latency);
}

static void put_http(sc_prometheus *out, const sc_http_stats *http)
{
    sc_prometheus_gauge(out, "starcloak_http_connections", "Open connections.", http->connections);
    sc_prometheus_counter(out, "starcloak_http_accepted_total", "Connections accepted.",
                          http->accepted);
    sc_prometheus_counter(out, "starcloak_http_requests_total", "Requests that came as a whole.",
                          http->requests);
    sc_prometheus_counter(out, "starcloak_http_refused_total",
                          "Requests that were too large, too slow, or not HTTP.",
                          http->refused_by_limits);
    sc_prometheus_counter(out, "starcloak_http_gone_total",
                          "Requests whose client went away before the reply.", http->gone);
    sc_prometheus_counter(out, "starcloak_http_accept_failures_total",
                          "Connections not accepted for want of descriptors or memory.",
                          http->accept_failures);
    sc_prometheus_counter(out, "starcloak_http_handshake_failures_total",
                          "TLS handshakes that failed.", http->handshake_failures);
}

static void put_map(sc_prometheus *out, const sc__readings *r)
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
}

static void put_telling(sc_prometheus *out, const sc__readings *r)
{
    sc_prometheus_gauge(out, "starcloak_listeners", "Who listens to events.", r->listeners);
    sc_prometheus_counter(out, "starcloak_events_lost_total",
                          "Events that a loop was too busy to tell.", r->events_lost);
    sc_prometheus_counter(out, "starcloak_log_lost_total",
                          "Lines of the log that were not written.", r->log_lost);
}

static void put_seconds(sc_prometheus *out, const char *name, const char *type, const char *help,
                        double seconds)
{
    sc_prometheus_head(out, name, type, help);
    sc_prometheus_sample(out, name);
    sc_prometheus_number(out, seconds);
}

// By the names that Prometheus' own libraries use.
static void put_process(sc_prometheus *out, const sc__readings *r)
{
    const sc_process_figures *process = &r->process;
    const sc_process_use *use = &process->use;
    put_seconds(out, "process_start_time_seconds", "gauge", "When it started, since 1970.",
                r->metrics->started_s);
    put_seconds(out, "process_cpu_seconds_total", "counter", "CPU time of all threads.",
                (double)use->cpu_us * 1e-6);
    if (use->knows_memory) {
        sc_prometheus_gauge(out, "process_virtual_memory_bytes", "Memory that is mapped.",
                            use->virtual_bytes);
        sc_prometheus_gauge(out, "process_resident_memory_bytes", "Memory that is in use.",
                            use->resident_bytes);
    }
    if (process->knows_descriptors) {
        sc_prometheus_gauge(out, "process_open_fds",
                            "Open descriptors, without those of clients' connections.",
                            process->descriptors);
    }
}

bool sc__metrics_print(const sc__readings *readings, sc_bytes *out)
{
    sc_prometheus metrics = sc_prometheus_of(out, "");
    put_queries(&metrics, readings);
    put_cloaks(&metrics, readings);
    put_commit(&metrics, &readings->ledger);
    put_engine(&metrics, &readings->ledger.engine);
    put_provider(&metrics, readings);
    put_http(&metrics, &readings->http);
    put_telling(&metrics, readings);
    put_map(&metrics, readings);
    put_process(&metrics, readings);
    return !sc_prometheus_has_failed(&metrics) &&
           (!readings->view || sc__metrics_print_cluster(readings->view, out));
}
