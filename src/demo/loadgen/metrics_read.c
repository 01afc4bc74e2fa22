// A few lines of Prometheus' text format. See metrics_read.h.
#include "demo/loadgen/metrics_read.h"

#include "base/diag.h"
#include "base/text.h"
#include "demo/loadgen/fetch.h"

#include <string.h>

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
