// Reading metrics strictly. See prometheus.h.
#include "support/prometheus.h"

#include "base/utf8.h"
#include "support/check.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

enum { NAME_SIZE = 96, KEY_SIZE = 192, METRICS_MAX = 256, SAMPLES_MAX = 2048 };

typedef struct prometheus_sample {
    char key[KEY_SIZE];  ///< name and labels, as they are written
    double value;
} prometheus_sample;

struct prometheus {
    size_t metric_count;
    char names[METRICS_MAX][NAME_SIZE];
    size_t sample_count;
    prometheus_sample samples[SAMPLES_MAX];
};

/** The metric whose lines are being read. */
typedef struct metric {
    char name[NAME_SIZE];
    char type[16];
    size_t samples;
    // Of a histogram:
    double last_bound;
    double last_count;
    bool is_closed;  ///< +Inf was there
    bool has_sum;
    bool has_count;
} metric;

static bool is_name(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (!isalpha(c) && c != '_' && c != ':' && !(i > 0 && isdigit(c))) return false;
    }
    return size > 0 && size < NAME_SIZE;
}

static double number_of(const char *text, const char *line)
{
    char *end = NULL;
    const double value = strtod(text, &end);
    // strtod knows more than the format does: hexadecimal, "infinity", blanks in front.
    const bool is_plain = strspn(text, "0123456789+-.eE") == strlen(text);
    if (end == text || *end || !(is_plain || strcmp(text, "+Inf") == 0)) {
        fail_msg("not a number: %s", line);
    }
    return value;
}

// --- Labels ----------------------------------------------------------------------------------

// name="value", with a comma between two of them; returns what follows the closing brace. The
// value of `le` is put into `bound`.
static const char *read_labels(const char *at, const char *line, char *bound, size_t room)
{
    for (;;) {
        const size_t size = strcspn(at, "=");
        if (!is_name(at, size) || at[size + 1] != '"') fail_msg("a label that is none: %s", line);
        const bool is_bound = size == 2 && strncmp(at, "le", 2) == 0;
        size_t used = 0;
        for (at += size + 2; *at != '"'; at++) {
            if (*at == '\\' && !strchr("\\\"n", *++at))
                fail_msg("an escape that is none: %s", line);
            if (!*at) fail_msg("a label without an end: %s", line);
            if (is_bound && used + 1 < room) bound[used++] = *at;
        }
        if (is_bound) bound[used] = '\0';
        at++;
        if (*at == '}') return at + 1;
        if (*at != ',') fail_msg("labels without a comma: %s", line);
        at++;
    }
}

// --- Metrics ---------------------------------------------------------------------------------

static void close_metric(const metric *m)
{
    if (!m->name[0]) return;
    if (!m->type[0]) fail_msg("%s has no TYPE", m->name);
    if (m->samples == 0) fail_msg("%s has no sample", m->name);
    if (strcmp(m->type, "histogram") == 0 && !(m->is_closed && m->has_sum && m->has_count)) {
        fail_msg("%s has no +Inf, _sum or _count", m->name);
    }
}

static void open_metric(prometheus *page, metric *m, const char *line)
{
    const char *name = line + strlen("# HELP ");
    const size_t size = strcspn(name, " ");
    if (!is_name(name, size) || name[size] != ' ' || !name[size + 1]) fail_msg("no help: %s", line);
    close_metric(m);
    *m = (metric){.last_bound = -HUGE_VAL};
    memcpy(m->name, name, size);
    for (size_t i = 0; i < page->metric_count; i++) {
        if (strcmp(page->names[i], m->name) == 0) fail_msg("twice: %s", line);
    }
    assert_true(page->metric_count < METRICS_MAX);
    memcpy(page->names[page->metric_count++], m->name, NAME_SIZE);
}

static void type_metric(metric *m, const char *line)
{
    char wanted[NAME_SIZE + 16];
    const int size = snprintf(wanted, sizeof wanted, "# TYPE %s ", m->name);
    if (!m->name[0] || strncmp(line, wanted, (size_t)size) != 0 || m->type[0] || m->samples) {
        fail_msg("a TYPE out of place: %s", line);
    }
    const char *type = line + size;
    if (strcmp(type, "counter") != 0 && strcmp(type, "gauge") != 0 &&
        strcmp(type, "histogram") != 0) {
        fail_msg("a type that is not known: %s", line);
    }
    snprintf(m->type, sizeof m->type, "%s", type);
    const char *total = strstr(m->name, "_total");
    const bool ends_so = total && total[strlen("_total")] == '\0';
    if (ends_so != (strcmp(type, "counter") == 0)) fail_msg("_total is for counters: %s", line);
}

static void check_bucket(metric *m, const char *bound, double value, const char *line)
{
    const double le = number_of(bound, line);
    if (m->is_closed || m->has_sum || m->has_count) fail_msg("a bucket after the end: %s", line);
    if (!(le > m->last_bound)) fail_msg("bounds do not ascend: %s", line);
    if (value < m->last_count) fail_msg("counts of buckets fall: %s", line);
    m->last_bound = le;
    m->last_count = value;
    m->is_closed = isinf(le);
}

static void check_histogram(metric *m, const char *more, const char *bound, double value,
                            const char *line)
{
    if (strcmp(more, "_bucket") == 0) {
        check_bucket(m, bound, value, line);
    } else if (strcmp(more, "_sum") == 0 && m->is_closed && !m->has_sum) {
        m->has_sum = true;
    } else if (strcmp(more, "_count") == 0 && m->has_sum && !m->has_count) {
        if (value != m->last_count) fail_msg("_count is not that of +Inf: %s", line);
        m->has_count = true;
    } else {
        fail_msg("not a line of a histogram: %s", line);
    }
}

static void add_sample(prometheus *page, const char *key, size_t size, double value)
{
    assert_true(page->sample_count < SAMPLES_MAX && size < KEY_SIZE);
    prometheus_sample *added = &page->samples[page->sample_count];
    memcpy(added->key, key, size);
    added->value = value;
    if (prometheus_has(page, added->key)) fail_msg("twice: %s", added->key);
    page->sample_count++;
}

static void read_sample(prometheus *page, metric *m, const char *line)
{
    const size_t size = strcspn(line, "{ ");
    const size_t own = strlen(m->name);
    if (!m->type[0] || size < own || strncmp(line, m->name, own) != 0) {
        fail_msg("not among its own: %s", line);
    }
    char bound[32] = "";
    const char *at = line + size;
    if (*at == '{') at = read_labels(at + 1, line, bound, sizeof bound);
    if (*at != ' ') fail_msg("no value: %s", line);
    const double value = number_of(at + 1, line);
    if (!isfinite(value) || value < 0.0) fail_msg("a count that is none: %s", line);
    char more[16];
    snprintf(more, sizeof more, "%.*s", (int)(size - own), line + own);
    if (strcmp(m->type, "histogram") == 0) {
        check_histogram(m, more, bound, value, line);
    } else if (more[0]) {
        fail_msg("not among its own: %s", line);
    }
    m->samples++;
    add_sample(page, line, (size_t)(at - line), value);
}

prometheus *prometheus_read(const char *text, size_t size)
{
    if (size == 0 || text[size - 1] != '\n') fail_msg("the last line does not end");
    prometheus *page = test_take(1, sizeof *page);
    char *copy = test_take(size + 1, 1);
    memcpy(copy, text, size);
    if (strlen(copy) != size || !sc_is_utf8(copy)) fail_msg("it is not UTF-8");
    metric m = {.name = ""};
    for (char *line = copy; *line;) {
        char *end = strchr(line, '\n');
        *end = '\0';
        if (strncmp(line, "# HELP ", 7) == 0) {
            open_metric(page, &m, line);
        } else if (line[0] == '#') {
            type_metric(&m, line);
        } else {
            read_sample(page, &m, line);
        }
        line = end + 1;
    }
    close_metric(&m);
    free(copy);
    return page;
}

void prometheus_free(prometheus *page)
{
    free(page);
}

size_t prometheus_metrics(const prometheus *page)
{
    return page->metric_count;
}

size_t prometheus_samples(const prometheus *page)
{
    return page->sample_count;
}

static const prometheus_sample *find(const prometheus *page, const char *key)
{
    for (size_t i = 0; i < page->sample_count; i++) {
        if (strcmp(page->samples[i].key, key) == 0) return &page->samples[i];
    }
    return NULL;
}

bool prometheus_has(const prometheus *page, const char *sample)
{
    return find(page, sample) != NULL;
}

double prometheus_value(const prometheus *page, const char *sample)
{
    const prometheus_sample *found = find(page, sample);
    if (!found) fail_msg("there is no %s", sample);
    return found ? found->value : 0.0;
}
