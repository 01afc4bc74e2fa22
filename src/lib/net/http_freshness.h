/**
 * @file http_freshness.h
 * @brief How long a reply may be used, as its head says (RFC 9111, RFC 5861).
 */
#ifndef SC_NET_HTTP_FRESHNESS_H
#define SC_NET_HTTP_FRESHNESS_H

#include <math.h>
#include <stdbool.h>

/** Of one reply, or of several that are used together: the least of each. */
typedef struct sc_http_freshness {
    double fresh_s;  ///< from now on; below 0: it is stale since then; HUGE_VAL: not said
    double stale_s;  ///< so long it may be used after that while it is asked for again; likewise
    bool is_stored;  ///< none has said that it must not be
} sc_http_freshness;

/** Nothing is said. */
#define SC_HTTP_FRESHNESS_ANY ((sc_http_freshness){HUGE_VAL, HUGE_VAL, true})

/** Take in what one more head says; "" where it has no such header. */
void sc_http_freshness_take(sc_http_freshness *freshness, const char *cache_control,
                            const char *age);

#endif
