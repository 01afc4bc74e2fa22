// Metrics as text. See metrics_text.h.
#include "api/metrics_text.h"

#include "base/json_write.h"
#include "base/utf8.h"

#include <string.h>

bool sc__metric_append(sc_bytes *out, const char *const *texts, size_t count)
{
    bool fits = true;
    for (size_t i = 0; fits && i < count; i++) {
        fits = sc_json_append_text(out, texts[i]);
    }
    return fits;
}

bool sc__metric_head(sc_bytes *out, const char *name, const char *type, const char *help)
{
    return SC__APPEND(out, "# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
}

bool sc__metric_whole(sc_bytes *out, uint64_t value)
{
    return SC__APPEND(out, " ") && sc_json_append_whole(out, value) && SC__APPEND(out, "\n");
}

bool sc__metric_number(sc_bytes *out, double value)
{
    return SC__APPEND(out, " ") && sc_json_append_fixed(out, value, 6) && SC__APPEND(out, "\n");
}

static bool put_plain(sc_bytes *out, const char *name, const char *type, const char *help,
                      uint64_t value)
{
    return sc__metric_head(out, name, type, help) && SC__APPEND(out, name) &&
           sc__metric_whole(out, value);
}

bool sc__metric_counter(sc_bytes *out, const char *name, const char *help, uint64_t value)
{
    return put_plain(out, name, "counter", help, value);
}

bool sc__metric_gauge(sc_bytes *out, const char *name, const char *help, uint64_t value)
{
    return put_plain(out, name, "gauge", help, value);
}

bool sc__metric_histogram(sc_bytes *out, const char *name, const char *help,
                          const sc_histogram *histogram)
{
    bool fits = sc__metric_head(out, name, "histogram", help);
    uint64_t count = 0;
    for (size_t i = 0; fits && i < histogram->bound_count; i++) {
        count += atomic_load_explicit(&histogram->counts[i], memory_order_relaxed);
        fits = SC__APPEND(out, name, "_bucket{le=\"") &&
               sc_json_append_fixed(out, histogram->bounds[i], 9) && SC__APPEND(out, "\"}") &&
               sc__metric_whole(out, count);
    }
    count += atomic_load_explicit(&histogram->counts[histogram->bound_count], memory_order_relaxed);
    const uint64_t sum = atomic_load_explicit(&histogram->sum_millionths, memory_order_relaxed);
    // The count is made of the buckets that were just written, so that they agree.
    return fits && SC__APPEND(out, name, "_bucket{le=\"+Inf\"}") && sc__metric_whole(out, count) &&
           SC__APPEND(out, name, "_sum") && sc__metric_number(out, (double)sum * 1e-6) &&
           SC__APPEND(out, name, "_count") && sc__metric_whole(out, count);
}

// A stranger's words as a label: backslash, quote and line feed are escaped, and one byte that is
// not UTF-8 would make Prometheus refuse the whole page.
bool sc__metric_label(sc_bytes *out, const char *text)
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
