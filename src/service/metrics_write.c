// Figures as text: Prometheus' exposition format 0.0.4. See metrics.h.
//
//     # HELP name What it is.
//     # TYPE name counter
//     name{label="value"} 12
//
// All lines of a metric stand together, its HELP and TYPE first. Each function appends, and
// returns false if memory is out; labels are our own words, but for the map's source.
#include "service/metrics_internal.h"

#include "base/utf8.h"
#include "service/json_write.h"

#include <stdio.h>
#include <string.h>

static bool append_texts(sc_bytes *out, const char *const *texts, size_t count)
{
    bool fits = true;
    for (size_t i = 0; fits && i < count; i++) {
        fits = sc_json_append_text(out, texts[i]);
    }
    return fits;
}

/** Texts, one after the other. */
#define APPEND(out, ...)                                    \
    append_texts((out), (const char *const[]){__VA_ARGS__}, \
                 sizeof(const char *[]){__VA_ARGS__} / sizeof(char *))

static bool put_head(sc_bytes *out, const char *name, const char *type, const char *help)
{
    return APPEND(out, "# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
}

static bool put_value(sc_bytes *out, uint64_t value)
{
    return APPEND(out, " ") && sc_json_append_whole(out, value) && APPEND(out, "\n");
}

// Seconds, to the microsecond.
static bool put_seconds(sc_bytes *out, double value)
{
    return APPEND(out, " ") && sc_json_append_fixed(out, value, 6) && APPEND(out, "\n");
}

static bool put_plain(sc_bytes *out, const char *name, const char *type, const char *help,
                      uint64_t value)
{
    return put_head(out, name, type, help) && APPEND(out, name) && put_value(out, value);
}

static bool put_counter(sc_bytes *out, const char *name, const char *help, uint64_t value)
{
    return put_plain(out, name, "counter", help, value);
}

static bool put_gauge(sc_bytes *out, const char *name, const char *help, uint64_t value)
{
    return put_plain(out, name, "gauge", help, value);
}

static bool put_histogram(sc_bytes *out, const char *name, const char *help,
                          const sc_histogram *histogram)
{
    bool fits = put_head(out, name, "histogram", help);
    uint64_t count = 0;
    for (size_t i = 0; fits && i < histogram->bound_count; i++) {
        count += atomic_load_explicit(&histogram->counts[i], memory_order_relaxed);
        fits = APPEND(out, name, "_bucket{le=\"") &&
               sc_json_append_fixed(out, histogram->bounds[i], 9) && APPEND(out, "\"}") &&
               put_value(out, count);
    }
    count += atomic_load_explicit(&histogram->counts[histogram->bound_count], memory_order_relaxed);
    const uint64_t sum = atomic_load_explicit(&histogram->sum_millionths, memory_order_relaxed);
    // The count is made of the buckets that were just written, so that they agree.
    return fits && APPEND(out, name, "_bucket{le=\"+Inf\"}") && put_value(out, count) &&
           APPEND(out, name, "_sum") && put_seconds(out, (double)sum * 1e-6) &&
           APPEND(out, name, "_count") && put_value(out, count);
}

// --- Queries ---------------------------------------------------------------------------------

static bool put_outcomes(sc_bytes *out, const sc_ledger_stats *ledger)
{
    static const char name[] = "starcloak_queries_total";
    bool fits = put_head(out, name, "counter", "Queries that have their outcome.") &&
                APPEND(out, name, "{outcome=\"answered\"}") && put_value(out, ledger->answered);
    for (sc_drop_reason i = 0; fits && i < SC_DROP_REASON_COUNT; i++) {
        fits = APPEND(out, name, "{outcome=\"dropped\",reason=\"", sc_drop_reason_name(i), "\"}") &&
               put_value(out, ledger->dropped[i]);
    }
    for (sc_failure i = SC_FAILURE_NONE + 1; fits && i < SC_FAILURE_COUNT; i++) {
        fits = APPEND(out, name, "{outcome=\"failed\",reason=\"", sc_failure_name(i), "\"}") &&
               put_value(out, ledger->failed[i]);
    }
    return fits && APPEND(out, name, "{outcome=\"gone\"}") && put_value(out, ledger->gone);
}

static bool put_refused(sc_bytes *out, const uint64_t refused[SC_PROBLEM_COUNT])
{
    static const char *const words[] = {
#define X(name, status, word, title) word,
        SC_PROBLEM_MAP(X)
#undef X
    };
    static const char name[] = "starcloak_refused_total";
    bool fits = put_head(out, name, "counter", "Queries that were not taken, by problem.");
    for (sc_problem_kind i = 0; fits && i < SC_PROBLEM_COUNT; i++) {
        fits = APPEND(out, name, "{problem=\"", words[i], "\"}") && put_value(out, refused[i]);
    }
    return fits;
}

static bool put_queries(sc_bytes *out, const sc__readings *r)
{
    const sc_ledger_stats *ledger = &r->ledger;
    return put_counter(out, "starcloak_queries_taken_total", "Queries that were taken.",
                       ledger->taken) &&
           put_gauge(out, "starcloak_pending", "Queries that wait for their outcome.",
                     ledger->pending) &&
           put_outcomes(out, ledger) && put_refused(out, r->refused) &&
           put_counter(out, "starcloak_gone_published_total",
                       "Clients that went away after their cloak had left.",
                       ledger->gone_published) &&
           put_histogram(out, "starcloak_wait_seconds",
                         "From asking until the cloak left, of answered queries.",
                         &r->metrics->wait) &&
           put_histogram(out, "starcloak_exchange_seconds",
                         "From the cloak's leaving to the answer, of answered queries.",
                         &r->metrics->exchange) &&
           put_histogram(out, "starcloak_answer_seconds",
                         "From asking to the answer, of answered queries.", &r->metrics->answer);
}

static bool put_cloaks(sc_bytes *out, const sc__readings *r)
{
    return put_counter(out, "starcloak_cloaks_total", "Cloaks that left.", r->ledger.cloaks) &&
           put_counter(out, "starcloak_proposals_refused_total",
                       "Proposed cloaks that did not leave.", r->ledger.refused) &&
           put_counter(out, "starcloak_violations_total",
                       "Of these, those that would have broken a promise.", r->ledger.violations) &&
           put_histogram(out, "starcloak_cloak_users", "Different users of a cloak (achieved k).",
                         &r->metrics->users) &&
           put_histogram(out, "starcloak_cloak_segments", "Segments of a cloak (achieved l).",
                         &r->metrics->segments) &&
           put_histogram(out, "starcloak_cloak_effective_segments",
                         "Segments that a cloak is worth, given how busy each is.",
                         &r->metrics->effective);
}

static bool put_engine(sc_bytes *out, const sc_engine_stats *engine)
{
    return put_gauge(out, "starcloak_engine_pending", "Queries in the queue or the graph.",
                     engine->pending) &&
           put_gauge(out, "starcloak_engine_proposed", "Queries in cloaks that are proposed.",
                     engine->proposed) &&
           put_gauge(out, "starcloak_engine_vertices", "Vertices of the cloaking graph.",
                     engine->vertices) &&
           put_gauge(out, "starcloak_engine_active_stars", "Stars that have queries.",
                     engine->active_stars) &&
           put_counter(out, "starcloak_engine_searches_total", "Searches for a cloak.",
                       engine->searches) &&
           put_counter(out, "starcloak_engine_checks_total", "Combinations that were looked at.",
                       engine->checks) &&
           put_counter(out, "starcloak_engine_cap_hits_total",
                       "Searches that could not keep all their combinations.", engine->cap_hits);
}

// --- The provider, and the world around ------------------------------------------------------

static bool put_failures(sc_bytes *out, const sc_courier_stats *courier)
{
    static const char name[] = "starcloak_provider_failures_total";
    bool fits = put_head(out, name, "counter", "Cloaks that got no answer, by reason.");
    for (sc_failure i = SC_FAILURE_NONE + 1; fits && i < SC_FAILURE_COUNT; i++) {
        fits = APPEND(out, name, "{reason=\"", sc_failure_name(i), "\"}") &&
               put_value(out, courier->failed[i]);
    }
    return fits;
}

static bool put_provider(sc_bytes *out, const sc__readings *r)
{
    const sc_courier_stats *courier = &r->courier;
    return put_gauge(out, "starcloak_provider_under_way", "Cloaks whose answer is awaited.",
                     courier->under_way) &&
           put_counter(out, "starcloak_provider_errands_total", "Cloaks that were sent.",
                       courier->sent) &&
           put_counter(out, "starcloak_provider_tries_total", "Exchanges begun, repeated ones too.",
                       courier->tries) &&
           put_failures(out, courier) &&
           put_counter(out, "starcloak_provider_sent_bytes_total", "Bytes of bodies sent.",
                       courier->bytes_out) &&
           put_counter(out, "starcloak_provider_received_bytes_total", "Bytes of bodies received.",
                       courier->bytes_in) &&
           put_gauge(out, "starcloak_provider_suspended",
                     "1 while the provider is left alone since it failed too often.",
                     courier->is_suspended) &&
           put_counter(out, "starcloak_provider_suspensions_total", "How often that began.",
                       courier->times_suspended) &&
           put_histogram(out, "starcloak_provider_seconds",
                         "From sending a cloak to the checked answer.", r->provider_latency);
}

static bool put_http(sc_bytes *out, const sc_http_stats *http)
{
    return put_gauge(out, "starcloak_http_connections", "Open connections.", http->connections) &&
           put_counter(out, "starcloak_http_accepted_total", "Connections accepted.",
                       http->accepted) &&
           put_counter(out, "starcloak_http_requests_total", "Requests that came as a whole.",
                       http->requests) &&
           put_counter(out, "starcloak_http_refused_total",
                       "Requests that were too large, too slow, or not HTTP.",
                       http->refused_by_limits) &&
           put_counter(out, "starcloak_http_gone_total",
                       "Requests whose client went away before the reply.", http->gone) &&
           put_counter(out, "starcloak_http_accept_failures_total",
                       "Connections not accepted for want of descriptors or memory.",
                       http->accept_failures) &&
           put_counter(out, "starcloak_http_handshake_failures_total",
                       "TLS handshakes that failed.", http->handshake_failures);
}

// A stranger's words as a label: backslash, quote and line feed are escaped, and one byte that is
// not UTF-8 would make Prometheus refuse the whole page.
static bool put_label(sc_bytes *out, const char *text)
{
    if (!sc_json_reserve(out, 2 * strlen(text))) return false;
    for (size_t size = 0; *text; text += size) {
        size = sc_utf8_size(text, strlen(text));
        const char *escaped = *text == '\\' ? "\\\\" : *text == '"' ? "\\\"" : "\\n";
        if (size == 0) {
            out->data[out->size++] = '?';
            size = 1;
        } else if (strchr("\\\"\n", *text)) {
            memcpy(out->data + out->size, escaped, 2);
            out->size += 2;
        } else {
            memcpy(out->data + out->size, text, size);
            out->size += size;
        }
    }
    return true;
}

static bool put_map(sc_bytes *out, const sc__readings *r)
{
    char checksum[17];
    (void)snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)r->map_checksum);
    return put_head(out, "starcloak_map_info", "gauge", "The map that is served; always 1.") &&
           APPEND(out, "starcloak_map_info{checksum=\"", checksum, "\",source=\"") &&
           put_label(out, r->map_source) && APPEND(out, "\"} 1\n") &&
           put_gauge(out, "starcloak_map_segments", "Segments of the map.", r->map_segments);
}

static bool put_telling(sc_bytes *out, const sc__readings *r)
{
    return put_gauge(out, "starcloak_listeners", "Who listens to events.", r->listeners) &&
           put_counter(out, "starcloak_events_lost_total",
                       "Events that a loop was too busy to tell.", r->events_lost) &&
           put_counter(out, "starcloak_log_lost_total", "Lines of the log that were not written.",
                       r->log_lost);
}

// By the names that Prometheus' own libraries use.
static bool put_process(sc_bytes *out, const sc__readings *r)
{
    const sc_process_figures *process = &r->process;
    bool fits =
        put_head(out, "process_start_time_seconds", "gauge", "When it started, since 1970.") &&
        APPEND(out, "process_start_time_seconds") && put_seconds(out, r->metrics->started_s) &&
        put_head(out, "process_cpu_seconds_total", "counter", "CPU time of all threads.") &&
        APPEND(out, "process_cpu_seconds_total") && put_seconds(out, process->cpu_s);
    if (fits && process->knows_memory) {
        fits = put_gauge(out, "process_virtual_memory_bytes", "Memory that is mapped.",
                         process->virtual_bytes) &&
               put_gauge(out, "process_resident_memory_bytes", "Memory that is in use.",
                         process->resident_bytes);
    }
    if (fits && process->knows_descriptors) {
        fits = put_gauge(out, "process_open_fds",
                         "Open descriptors, without those of clients' connections.",
                         process->descriptors);
    }
    return fits;
}

bool sc__metrics_print(const sc__readings *readings, sc_bytes *out)
{
    return put_queries(out, readings) && put_cloaks(out, readings) &&
           put_engine(out, &readings->ledger.engine) && put_provider(out, readings) &&
           put_http(out, &readings->http) && put_telling(out, readings) && put_map(out, readings) &&
           put_process(out, readings);
}
