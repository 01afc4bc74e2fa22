// Figures of a service as text. See metrics.h; metrics_cluster.c has those of a cluster,
// metrics_text.c the format. Labels are our own words, but for the map's source.
#include "api/metrics_internal.h"

#include "api/metrics_text.h"

#include <stdio.h>

// --- Queries ---------------------------------------------------------------------------------

static bool put_outcomes(sc_bytes *out, const sc_ledger_stats *ledger)
{
    static const char name[] = "starcloak_queries_total";
    bool fits = sc__metric_head(out, name, "counter", "Queries that have their outcome.") &&
                SC__APPEND(out, name, "{outcome=\"answered\"}") &&
                sc__metric_whole(out, ledger->answered);
    for (sc_drop_reason i = 0; fits && i < SC_DROP_REASON_COUNT; i++) {
        fits = SC__APPEND(out, name, "{outcome=\"dropped\",reason=\"", sc_drop_reason_name(i),
                          "\"}") &&
               sc__metric_whole(out, ledger->dropped[i]);
    }
    for (sc_failure i = SC_FAILURE_NONE + 1; fits && i < SC_FAILURE_COUNT; i++) {
        fits = SC__APPEND(out, name, "{outcome=\"failed\",reason=\"", sc_failure_name(i), "\"}") &&
               sc__metric_whole(out, ledger->failed[i]);
    }
    return fits && SC__APPEND(out, name, "{outcome=\"gone\"}") &&
           sc__metric_whole(out, ledger->gone);
}

static bool put_refused(sc_bytes *out, const uint64_t refused[SC_PROBLEM_COUNT])
{
    static const char *const words[] = {
#define X(name, status, word, title) word,
        SC_PROBLEM_MAP(X)
#undef X
    };
    static const char name[] = "starcloak_refused_total";
    bool fits = sc__metric_head(out, name, "counter", "Queries that were not taken, by problem.");
    for (sc_problem_kind i = 0; fits && i < SC_PROBLEM_COUNT; i++) {
        fits = SC__APPEND(out, name, "{problem=\"", words[i], "\"}") &&
               sc__metric_whole(out, refused[i]);
    }
    return fits;
}

static bool put_queries(sc_bytes *out, const sc__readings *r)
{
    const sc_ledger_stats *ledger = &r->ledger;
    return sc__metric_counter(out, "starcloak_queries_taken_total", "Queries that were taken.",
                              ledger->taken) &&
           sc__metric_gauge(out, "starcloak_pending", "Queries that wait for their outcome.",
                            ledger->pending) &&
           put_outcomes(out, ledger) && put_refused(out, r->refused) &&
           sc__metric_counter(out, "starcloak_gone_published_total",
                              "Clients that went away after their cloak had left.",
                              ledger->gone_published) &&
           sc__metric_histogram(out, "starcloak_wait_seconds",
                                "From asking until the cloak left, of answered queries.",
                                &r->metrics->wait) &&
           sc__metric_histogram(out, "starcloak_exchange_seconds",
                                "From the cloak's leaving to the answer, of answered queries.",
                                &r->metrics->exchange) &&
           sc__metric_histogram(out, "starcloak_answer_seconds",
                                "From asking to the answer, of answered queries.",
                                &r->metrics->answer);
}

static bool put_cloaks(sc_bytes *out, const sc__readings *r)
{
    return sc__metric_counter(out, "starcloak_cloaks_total", "Cloaks that left.",
                              r->ledger.cloaks) &&
           sc__metric_counter(out, "starcloak_proposals_refused_total",
                              "Proposed cloaks that did not leave.", r->ledger.refused) &&
           sc__metric_counter(out, "starcloak_violations_total",
                              "Of these, those that would have broken a promise.",
                              r->ledger.violations) &&
           sc__metric_histogram(out, "starcloak_cloak_users",
                                "Different users of a cloak (achieved k).", &r->metrics->users) &&
           sc__metric_histogram(out, "starcloak_cloak_segments",
                                "Segments of a cloak (achieved l).", &r->metrics->segments) &&
           sc__metric_histogram(out, "starcloak_cloak_effective_segments",
                                "Segments that a cloak is worth, given how busy each is.",
                                &r->metrics->effective);
}

/** What engines and gateways said to each other. Mostly 0 where they are one process. */
static bool put_commit(sc_bytes *out, const sc_ledger_stats *ledger)
{
    return sc__metric_counter(out, "starcloak_proposals_total", "Proposed cloaks that were heard.",
                              ledger->bids) &&
           sc__metric_counter(out, "starcloak_proposals_aborted_total",
                              "Proposed cloaks that were called off by who proposed them.",
                              ledger->aborted) &&
           sc__metric_counter(out, "starcloak_proposals_impatient_total",
                              "Proposed cloaks that were given up since no release came.",
                              ledger->impatient) &&
           sc__metric_counter(out, "starcloak_proposals_asked_total",
                              "Questions to other gateways what became of a proposed cloak.",
                              ledger->asked) &&
           sc__metric_counter(out, "starcloak_cloaks_elsewhere_total",
                              "Cloaks that left from another gateway, with queries of ours.",
                              ledger->cloaks_elsewhere) &&
           sc__metric_counter(out, "starcloak_queries_resent_total",
                              "Queries that were said anew to engines.", ledger->resent) &&
           sc__metric_counter(out, "starcloak_queries_company_total",
                              "Queries that were said as company to engines of other parts.",
                              ledger->company) &&
           sc__metric_counter(out, "starcloak_words_lost_total",
                              "Words of engines and gateways for which there was no room.",
                              ledger->lost);
}

static bool put_engine(sc_bytes *out, const sc_engine_stats *engine)
{
    return sc__metric_gauge(out, "starcloak_engine_pending", "Queries in the queue or the graph.",
                            engine->pending) &&
           sc__metric_gauge(out, "starcloak_engine_proposed",
                            "Queries in cloaks that are proposed.", engine->proposed) &&
           sc__metric_gauge(out, "starcloak_engine_vertices", "Vertices of the cloaking graph.",
                            engine->vertices) &&
           sc__metric_gauge(out, "starcloak_engine_active_stars", "Stars that have queries.",
                            engine->active_stars) &&
           sc__metric_counter(out, "starcloak_engine_searches_total", "Searches for a cloak.",
                              engine->searches) &&
           sc__metric_counter(out, "starcloak_engine_checks_total",
                              "Combinations that were looked at.", engine->checks) &&
           sc__metric_counter(out, "starcloak_engine_cap_hits_total",
                              "Searches that could not keep all their combinations.",
                              engine->cap_hits);
}

// --- The provider, and the world around ------------------------------------------------------

static bool put_failures(sc_bytes *out, const sc_courier_stats *courier)
{
    static const char name[] = "starcloak_provider_failures_total";
    bool fits = sc__metric_head(out, name, "counter", "Cloaks that got no answer, by reason.");
    for (sc_failure i = SC_FAILURE_NONE + 1; fits && i < SC_FAILURE_COUNT; i++) {
        fits = SC__APPEND(out, name, "{reason=\"", sc_failure_name(i), "\"}") &&
               sc__metric_whole(out, courier->failed[i]);
    }
    return fits;
}

static bool put_provider(sc_bytes *out, const sc__readings *r)
{
    const sc_courier_stats *courier = &r->courier;
    return sc__metric_gauge(out, "starcloak_provider_under_way", "Cloaks whose answer is awaited.",
                            courier->under_way) &&
           sc__metric_counter(out, "starcloak_provider_errands_total", "Cloaks that were sent.",
                              courier->sent) &&
           sc__metric_counter(out, "starcloak_provider_tries_total",
                              "Exchanges begun, repeated ones too.", courier->tries) &&
           put_failures(out, courier) &&
           sc__metric_counter(out, "starcloak_provider_sent_bytes_total", "Bytes of bodies sent.",
                              courier->bytes_out) &&
           sc__metric_counter(out, "starcloak_provider_received_bytes_total",
                              "Bytes of bodies received.", courier->bytes_in) &&
           sc__metric_gauge(out, "starcloak_provider_suspended",
                            "1 while the provider is left alone since it failed too often.",
                            courier->is_suspended) &&
           sc__metric_counter(out, "starcloak_provider_suspensions_total", "How often that began.",
                              courier->times_suspended) &&
           sc__metric_histogram(out, "starcloak_provider_seconds",
                                "From sending a cloak to the checked answer.", r->provider_latency);
}

static bool put_http(sc_bytes *out, const sc_http_stats *http)
{
    return sc__metric_gauge(out, "starcloak_http_connections", "Open connections.",
                            http->connections) &&
           sc__metric_counter(out, "starcloak_http_accepted_total", "Connections accepted.",
                              http->accepted) &&
           sc__metric_counter(out, "starcloak_http_requests_total",
                              "Requests that came as a whole.", http->requests) &&
           sc__metric_counter(out, "starcloak_http_refused_total",
                              "Requests that were too large, too slow, or not HTTP.",
                              http->refused_by_limits) &&
           sc__metric_counter(out, "starcloak_http_gone_total",
                              "Requests whose client went away before the reply.", http->gone) &&
           sc__metric_counter(out, "starcloak_http_accept_failures_total",
                              "Connections not accepted for want of descriptors or memory.",
                              http->accept_failures) &&
           sc__metric_counter(out, "starcloak_http_handshake_failures_total",
                              "TLS handshakes that failed.", http->handshake_failures);
}

static bool put_map(sc_bytes *out, const sc__readings *r)
{
    char checksum[17];
    (void)snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)r->map_checksum);
    return sc__metric_head(out, "starcloak_map_info", "gauge",
                           "The map that is served; always 1.") &&
           SC__APPEND(out, "starcloak_map_info{checksum=\"", checksum, "\",source=\"") &&
           sc__metric_label(out, r->map_source) && SC__APPEND(out, "\"} 1\n") &&
           sc__metric_gauge(out, "starcloak_map_segments", "Segments of the map.", r->map_segments);
}

static bool put_telling(sc_bytes *out, const sc__readings *r)
{
    return sc__metric_gauge(out, "starcloak_listeners", "Who listens to events.", r->listeners) &&
           sc__metric_counter(out, "starcloak_events_lost_total",
                              "Events that a loop was too busy to tell.", r->events_lost) &&
           sc__metric_counter(out, "starcloak_log_lost_total",
                              "Lines of the log that were not written.", r->log_lost);
}

// By the names that Prometheus' own libraries use.
static bool put_process(sc_bytes *out, const sc__readings *r)
{
    const sc_process_figures *process = &r->process;
    const sc_process_use *use = &process->use;
    bool fits =
        sc__metric_head(out, "process_start_time_seconds", "gauge",
                        "When it started, since 1970.") &&
        SC__APPEND(out, "process_start_time_seconds") &&
        sc__metric_number(out, r->metrics->started_s) &&
        sc__metric_head(out, "process_cpu_seconds_total", "counter", "CPU time of all threads.") &&
        SC__APPEND(out, "process_cpu_seconds_total") &&
        sc__metric_number(out, (double)use->cpu_us * 1e-6);
    if (fits && use->knows_memory) {
        fits = sc__metric_gauge(out, "process_virtual_memory_bytes", "Memory that is mapped.",
                                use->virtual_bytes) &&
               sc__metric_gauge(out, "process_resident_memory_bytes", "Memory that is in use.",
                                use->resident_bytes);
    }
    if (fits && process->knows_descriptors) {
        fits = sc__metric_gauge(out, "process_open_fds",
                                "Open descriptors, without those of clients' connections.",
                                process->descriptors);
    }
    return fits;
}

bool sc__metrics_print(const sc__readings *readings, sc_bytes *out)
{
    return put_queries(out, readings) && put_cloaks(out, readings) &&
           put_commit(out, &readings->ledger) && put_engine(out, &readings->ledger.engine) &&
           put_provider(out, readings) && put_http(out, &readings->http) &&
           put_telling(out, readings) && put_map(out, readings) && put_process(out, readings) &&
           (!readings->view || sc__metrics_print_cluster(readings->view, out));
}
