// Counts of a run: of the clients, and of the service as its /metrics has them.
#include "demo/loadgen/load_counts.h"

#include "base/diag.h"
#include "base/text.h"
#include "demo/loadgen/http_response.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sc_load_end_name(sc_load_end end)
{
    static const char *const names[] = {
#define X(name, word) word,
        SC_LOAD_END_MAP(X)
#undef X
    };
    return (unsigned)end < SC_LOAD_END_COUNT ? names[end] : "unknown";
}

const char *sc_violation_name(sc_violation violation)
{
    static const char *const names[] = {
#define X(name, word) word,
        SC_VIOLATION_MAP(X)
#undef X
    };
    return (unsigned)violation < SC_VIOLATION_COUNT ? names[violation] : "unknown";
}

uint64_t sc_load_violations(const sc_load_report *report)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < SC_VIOLATION_COUNT; i++) {
        sum += report->counts.violations[i];
    }
    return sum;
}

/** Count in the table; what finds no room there is counted with what came last. */
static void count_tally(sc_load_counts *counts, const sc_load_tally *added)
{
    for (size_t i = 0; i < counts->tally_count; i++) {
        sc_load_tally *t = &counts->tallies[i];
        const bool is_last = i + 1 == SC_LOAD_TALLIES;
        if (is_last || (t->end == added->end && t->status == added->status &&
                        strcmp(t->word, added->word) == 0)) {
            t->count += added->count;
            return;
        }
    }
    counts->tallies[counts->tally_count++] = *added;
}

void sc__load_counts_end(sc_load_counts *counts, sc_load_end end, int status, const char *word)
{
    sc_load_tally one = {.end = end, .status = status, .count = 1};
    counts->ends[end]++;
    snprintf(one.word, sizeof one.word, "%s", word);
    count_tally(counts, &one);
}

void sc__load_counts_violate(sc_load_counts *counts, sc_violation violation, const char *format,
                             ...)
{
    counts->violations[violation]++;
    if (counts->shown_count == SC_LOAD_SHOWN) return;
    sc_load_remark *remark = &counts->shown[counts->shown_count++];
    remark->violation = violation;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(remark->text, sizeof remark->text, format, arguments);
    va_end(arguments);
}

void sc__load_counts_measure(sc_load_counts *counts, const sc_reply_check *check,
                             int64_t latency_us)
{
    const uint64_t took_us = latency_us > 0 ? (uint64_t)latency_us : 0;
    if (check->end != SC_LOAD_ANSWERED && check->end != SC_LOAD_DROPPED &&
        check->end != SC_LOAD_FAILED) {
        return;
    }
    counts->replies++;
    sc_log_histogram_add(&counts->latency_us, took_us);
    if (check->end != SC_LOAD_ANSWERED) return;
    const uint64_t wait_us = (uint64_t)(check->wait_s * 1e6 + 0.5);
    sc_log_histogram_add(&counts->wait_us, wait_us);
    // The wait is rounded in replies, and may be the longer one.
    sc_log_histogram_add(&counts->beyond_us, took_us > wait_us ? took_us - wait_us : 0);
    sc_log_histogram_add(&counts->users, check->users);
    sc_log_histogram_add(&counts->segments, check->segments);
}

static void merge_remarks(sc_load_counts *counts, const sc_load_counts *other)
{
    for (size_t i = 0; i < other->shown_count && counts->shown_count < SC_LOAD_SHOWN; i++) {
        counts->shown[counts->shown_count++] = other->shown[i];
    }
}

void sc__load_counts_merge(sc_load_counts *counts, const sc_load_counts *other)
{
    counts->asked += other->asked;
    for (unsigned i = 0; i < SC_LOAD_END_COUNT; i++) {
        counts->ends[i] += other->ends[i];
    }
    for (size_t i = 0; i < other->tally_count; i++) {
        count_tally(counts, &other->tallies[i]);
    }
    for (unsigned i = 0; i < SC_VIOLATION_COUNT; i++) {
        counts->violations[i] += other->violations[i];
    }
    merge_remarks(counts, other);
    counts->checked += other->checked;
    for (size_t i = 0; i < SC_LOAD_MAPS; i++) {
        counts->exact_on[i] += other->exact_on[i];
    }
    counts->connects += other->connects;
    counts->strays += other->strays;
    counts->faulty += other->faulty;
    counts->none_idle += other->none_idle;
    counts->replies += other->replies;
    sc_log_histogram_merge(&counts->latency_us, &other->latency_us);
    sc_log_histogram_merge(&counts->beyond_us, &other->beyond_us);
    sc_log_histogram_merge(&counts->wait_us, &other->wait_us);
    sc_log_histogram_merge(&counts->connect_us, &other->connect_us);
    sc_log_histogram_merge(&counts->behind_us, &other->behind_us);
    sc_log_histogram_merge(&counts->users, &other->users);
    sc_log_histogram_merge(&counts->segments, &other->segments);
}

// --- The other side's counts -----------------------------------------------------

/** What the service counted must be what we saw, or up to `slack` more: those who went away. */
static void compare(sc_load_counts *counts, const char *what, uint64_t theirs, uint64_t ours,
                    uint64_t slack)
{
    if (theirs >= ours && theirs - ours <= slack) return;
    sc__load_counts_violate(counts, SC_VIOLATION_MISCOUNT,
                            "%s: the service counts %" PRIu64 ", but %" PRIu64
                            " were seen here (up to %" PRIu64
                            " more are possible); check that no other client uses it",
                            what, theirs, ours, slack);
}

void sc__load_counts_compare(sc_load_counts *counts, const sc_service_counts *before,
                             const sc_service_counts *after)
{
    const uint64_t *ends = counts->ends;
    // Of a query without an outcome here, the service may have any, or none if it never got it.
    const uint64_t slack = ends[SC_LOAD_LEFT] + ends[SC_LOAD_LOST];
    const uint64_t answered = after->answered - before->answered;
    const uint64_t dropped = after->dropped - before->dropped;
    const uint64_t failed = after->failed - before->failed;
    const uint64_t gone = after->gone - before->gone;
    compare(counts, "answered", answered, ends[SC_LOAD_ANSWERED], slack);
    compare(counts, "dropped", dropped, ends[SC_LOAD_DROPPED], slack);
    compare(counts, "failed", failed, ends[SC_LOAD_FAILED], slack);
    compare(counts, "gone", gone, 0, slack);
    compare(counts, "all outcomes", answered + dropped + failed + gone,
            ends[SC_LOAD_ANSWERED] + ends[SC_LOAD_DROPPED] + ends[SC_LOAD_FAILED], slack);
    const uint64_t outcomes = after->answered + after->dropped + after->failed + after->gone;
    if (after->taken > 0 && after->taken != outcomes + after->pending) {
        sc__load_counts_violate(counts, SC_VIOLATION_MISCOUNT,
                                "the service accepted %" PRIu64 " queries, but %" PRIu64
                                " have an outcome and %" PRIu64 " wait",
                                after->taken, outcomes, after->pending);
    }
    if (after->has_pending && after->pending > before->pending) {
        sc__load_counts_violate(counts, SC_VIOLATION_MISCOUNT,
                                "pending: %" PRIu64 " queries are still without an outcome",
                                after->pending);
    }
    if (after->violations > before->violations) {
        const uint64_t found = after->violations - before->violations;
        sc__load_counts_violate(
            counts, SC_VIOLATION_BROKEN_PROMISE,
            "the service itself stopped %" PRIu64 " cloaks that broke a promise", found);
        counts->violations[SC_VIOLATION_BROKEN_PROMISE] += found - 1;
    }
}

// --- Whether anything was counted --------------------------------------------------------

static uint64_t lacking(const sc_load_counts *counts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < counts->tally_count; i++) {
        const sc_load_tally *t = &counts->tallies[i];
        const bool is_ours =
            strcmp(t->word, SC__NO_DESCRIPTOR) == 0 || strcmp(t->word, SC__NO_RESOURCES) == 0;
        if (t->end == SC_LOAD_UNSENT && is_ours) sum += t->count;
    }
    return sum;
}

/** How most of the refused queries were refused; NULL if none was. */
static const sc_load_tally *main_refusal(const sc_load_counts *counts)
{
    const sc_load_tally *most = NULL;
    for (size_t i = 0; i < counts->tally_count; i++) {
        const sc_load_tally *t = &counts->tallies[i];
        if (t->end == SC_LOAD_REFUSED && (!most || t->count > most->count)) most = t;
    }
    return most;
}

uint64_t sc_load_lacking(const sc_load_report *report)
{
    return lacking(&report->counts);
}

void sc__load_counts_want_outcome(sc_load_counts *counts)
{
    const uint64_t *ends = counts->ends;
    const uint64_t outcomes = ends[SC_LOAD_ANSWERED] + ends[SC_LOAD_DROPPED] + ends[SC_LOAD_FAILED];
    const uint64_t blamed = ends[SC_LOAD_LOST] + ends[SC_LOAD_UNSENT] - lacking(counts);
    if (counts->asked == 0 || outcomes + blamed > 0) return;
    const sc_load_tally *why = main_refusal(counts);
    if (!why) {
        sc__load_counts_violate(counts, SC_VIOLATION_NO_OUTCOME,
                                "the run ended before any of %" PRIu64 " queries had an outcome",
                                counts->asked);
        return;
    }
    sc__load_counts_violate(
        counts, SC_VIOLATION_NO_OUTCOME, "no query was accepted: %" PRIu64 " refused with %d %s%s",
        why->count, why->status, why->word,
        why->status == 401 ? "; check that the key file is that of the service" : "");
}

// === The service's counts: a few lines of Prometheus' text format ===============================

/** How long one page may take. */
#define TIMEOUT_S 10.0

/** A sample: name{labels} value. */
typedef struct sample {
    sc_slice name;
    sc_slice labels;  ///< what is between the braces
    double value;
} sample;

static bool part_sample(sc_slice line, sample *out)
{
    if (line.size == 0 || line.text[0] == '#') return false;
    size_t name = 0;
    while (name < line.size && line.text[name] != '{' && line.text[name] != ' ') {
        name++;
    }
    out->name = (sc_slice){line.text, name};
    out->labels = (sc_slice){line.text + name, 0};
    sc_slice rest = {line.text + name, line.size - name};
    if (rest.size > 0 && rest.text[0] == '{') {
        // A label of ours has no brace in it; another's line is then not understood.
        const char *end = memchr(rest.text, '}', rest.size);
        if (!end) return false;
        out->labels = (sc_slice){rest.text + 1, (size_t)(end - rest.text) - 1};
        rest.size -= (size_t)(end + 1 - rest.text);
        rest.text = end + 1;
    }
    sc_slice value;
    return sc_slice_field(&rest, &value) && sc_slice_double(value, &out->value) &&
           out->value >= 0 && out->value < 9e15;
}

/** Whether the labels say outcome="word". */
static bool is_outcome(sc_slice labels, const char *word)
{
    static const char key[] = "outcome=\"";
    const char *at = memmem(labels.text, labels.size, key, sizeof key - 1);
    if (!at) return false;
    at += sizeof key - 1;
    const size_t left = labels.size - (size_t)(at - labels.text);
    const size_t size = strlen(word);
    return left > size && memcmp(at, word, size) == 0 && at[size] == '"';
}

static void take_query(sc_service_counts *counts, const sample *s)
{
    const uint64_t count = (uint64_t)s->value;
    counts->has_queries = true;
    if (is_outcome(s->labels, "answered")) counts->answered += count;
    if (is_outcome(s->labels, "dropped")) counts->dropped += count;
    if (is_outcome(s->labels, "failed")) counts->failed += count;
    if (is_outcome(s->labels, "gone")) counts->gone += count;
}

static void take_sample(sc_service_counts *counts, const sample *s)
{
    if (sc_slice_is(s->name, "starcloak_queries_total")) {
        take_query(counts, s);
    } else if (sc_slice_is(s->name, "starcloak_queries_taken_total")) {
        counts->taken = (uint64_t)s->value;
    } else if (sc_slice_is(s->name, "starcloak_pending")) {
        counts->has_pending = true;
        counts->pending = (uint64_t)s->value;
    } else if (sc_slice_is(s->name, "starcloak_violations_total")) {
        counts->has_violations = true;
        counts->violations += (uint64_t)s->value;
    } else if (sc_slice_is(s->name, "process_cpu_seconds_total")) {
        counts->has_cpu = true;
        counts->cpu_s = s->value;
    } else if (sc_slice_is(s->name, "process_resident_memory_bytes")) {
        counts->resident_bytes = (uint64_t)s->value;
    }
}

sc_service_counts sc_service_counts_of(const char *text, size_t size)
{
    sc_service_counts counts = {0};
    const sc_input input = {"metrics", (const uint8_t *)text, size};
    sc_lines lines = sc_lines_of(&input);
    sc_slice line;
    sample s;
    while (sc_lines_next(&lines, &line)) {
        if (part_sample(line, &s)) take_sample(&counts, &s);
    }
    return counts;
}

sc_err sc_service_counts_fetch(const sc_target *target, const char *path, const char *token,
                               sc_service_counts *out, sc_diag *diag)
{
    sc_response page = {0};
    const sc_err err = sc_fetch(target, path, token, TIMEOUT_S, &page, diag);
    if (err) return err;
    const int status = page.status;
    if (status == 200) *out = sc_service_counts_of(page.body ? page.body : "", page.body_size);
    sc_response_clear(&page);
    return status == 200
               ? SC_OK
               : sc_fail(diag, SC_ENET, "%.80s%.200s: status %d", target->host, path, status);
}
