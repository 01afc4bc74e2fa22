// Metrics as text.
#include "base/prometheus.h"

#include "base/utf8.h"

#include <string.h>

sc_prometheus sc_prometheus_of(sc_bytes *out, const char *prefix)
{
    return (sc_prometheus){.text = sc_json_writer_of(out), .prefix = prefix};
}

bool sc_prometheus_has_failed(const sc_prometheus *metrics)
{
    return metrics->text.has_failed;
}

static void put(sc_prometheus *metrics, const char *text)
{
    sc_json_put_text(&metrics->text, text);
}

static void put_name(sc_prometheus *metrics, const char *name)
{
    put(metrics, metrics->prefix);
    put(metrics, name);
}

void sc_prometheus_head(sc_prometheus *metrics, const char *name, const char *type,
                        const char *help)
{
    put(metrics, "# HELP ");
    put_name(metrics, name);
    put(metrics, " ");
    put(metrics, help);
    put(metrics, "\n# TYPE ");
    put_name(metrics, name);
    put(metrics, " ");
    put(metrics, type);
    put(metrics, "\n");
}

// --- Samples -------------------------------------------------------------------------------------

void sc_prometheus_sample(sc_prometheus *metrics, const char *name)
{
    put_name(metrics, name);
    metrics->has_labels = false;
}

static void begin_label(sc_prometheus *metrics, const char *label)
{
    put(metrics, metrics->has_labels ? "," : "{");
    put(metrics, label);
    put(metrics, "=\"");
    metrics->has_labels = true;
}

// Backslash, quote and line feed are escaped, and one byte that is not UTF-8 would make Prometheus
// refuse the whole page.
void sc_prometheus_label(sc_prometheus *metrics, const char *label, const char *value)
{
    begin_label(metrics, label);
    for (size_t size = 0; *value; value += size) {
        char character[5] = {0};
        size = sc_utf8_size(value, strlen(value));
        memcpy(character, value, size);
        const char *text = character;
        if (size == 0) {
            text = "?";
            size = 1;
        } else if (*value == '\\') {
            text = "\\\\";
        } else if (*value == '"') {
            text = "\\\"";
        } else if (*value == '\n') {
            text = "\\n";
        }
        put(metrics, text);
    }
    put(metrics, "\"");
}

static void begin_value(sc_prometheus *metrics)
{
    put(metrics, metrics->has_labels ? "} " : " ");
}

void sc_prometheus_count(sc_prometheus *metrics, uint64_t value)
{
    begin_value(metrics);
    sc_json_put_count(&metrics->text, NULL, value);
    put(metrics, "\n");
}

void sc_prometheus_number(sc_prometheus *metrics, double value)
{
    begin_value(metrics);
    sc_json_put_fixed(&metrics->text, NULL, value, 6);
    put(metrics, "\n");
}

// --- Whole metrics -------------------------------------------------------------------------------

static void put_plain(sc_prometheus *metrics, const char *name, const char *type, const char *help,
                      uint64_t value)
{
    sc_prometheus_head(metrics, name, type, help);
    sc_prometheus_sample(metrics, name);
    sc_prometheus_count(metrics, value);
}

void sc_prometheus_counter(sc_prometheus *metrics, const char *name, const char *help,
                           uint64_t value)
{
    put_plain(metrics, name, "counter", help, value);
}

void sc_prometheus_gauge(sc_prometheus *metrics, const char *name, const char *help, uint64_t value)
{
    put_plain(metrics, name, "gauge", help, value);
}

static void put_bucket(sc_prometheus *metrics, const char *name, const double *bound,
                       uint64_t count)
{
    sc_prometheus_sample(metrics, name);
    put(metrics, "_bucket");
    begin_label(metrics, "le");
    if (bound) {
        sc_json_put_number(&metrics->text, NULL, *bound);
    } else {
        put(metrics, "+Inf");
    }
    put(metrics, "\"");
    sc_prometheus_count(metrics, count);
}

void sc_prometheus_histogram(sc_prometheus *metrics, const char *name, const char *help,
                             const sc_histogram *histogram)
{
    sc_prometheus_head(metrics, name, "histogram", help);
    uint64_t count = 0;  // values of a bucket and of all below it
    for (size_t i = 0; i <= histogram->bound_count; i++) {
        count += atomic_load_explicit(&histogram->counts[i], memory_order_relaxed);
        put_bucket(metrics, name, i < histogram->bound_count ? &histogram->bounds[i] : NULL, count);
    }
    const uint64_t sum = atomic_load_explicit(&histogram->sum_millionths, memory_order_relaxed);
    sc_prometheus_sample(metrics, name);
    put(metrics, "_sum");
    sc_prometheus_number(metrics, (double)sum / 1e6);
    // The count is made of the buckets that were just written, so that they agree.
    sc_prometheus_sample(metrics, name);
    put(metrics, "_count");
    sc_prometheus_count(metrics, count);
}
