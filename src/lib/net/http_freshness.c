// How long a reply may be used. See http_freshness.h.
#include "net/http_freshness.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// The value of a directive as a number, no less than 0; -1: it is not there.
static double directive(const char *text, const char *name)
{
    const size_t size = strlen(name);
    for (const char *c = strcasestr(text, name); c; c = strcasestr(c + 1, name)) {
        const bool is_start = c == text || c[-1] == ' ' || c[-1] == ',';
        if (!is_start) continue;
        if (c[size] == '=') {
            const long long value = strtoll(c + size + 1 + (c[size + 1] == '"'), NULL, 10);
            return fmax((double)value, 0);
        }
        if (c[size] == '\0' || c[size] == ',' || c[size] == ' ') return 0;
    }
    return -1;
}

void sc_http_freshness_take(sc_http_freshness *freshness, const char *cache_control,
                            const char *age)
{
    const double max_age_s = directive(cache_control, "max-age");
    const double stale_s = directive(cache_control, "stale-while-revalidate");
    // What a cache in between has held for a while is fresh for less (RFC 9111, 4.2).
    const double age_s = fmax((double)strtoll(age, NULL, 10), 0);
    if (max_age_s >= 0) freshness->fresh_s = fmin(freshness->fresh_s, max_age_s - age_s);
    // A provider that says how long a reply is fresh also says whether it may be used later.
    if (cache_control[0] != '\0') freshness->stale_s = fmin(freshness->stale_s, fmax(stale_s, 0));
    if (directive(cache_control, "no-cache") >= 0) freshness->fresh_s = fmin(freshness->fresh_s, 0);
    if (directive(cache_control, "must-revalidate") >= 0) freshness->stale_s = 0;
    if (directive(cache_control, "no-store") >= 0) freshness->is_stored = false;
}
