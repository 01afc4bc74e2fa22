/**
 * @file reply_checks.h
 * @brief What a reply to a query means, and whether the service may send it.
 *
 * The service is known by its description (/openapi.json) and its promises only; no code is shared
 * with it, so that one mistake cannot hide another.
 */
#ifndef SC_DEMO_LOADGEN_REPLY_CHECKS_H
#define SC_DEMO_LOADGEN_REPLY_CHECKS_H

#include <starcloak/map.h>
#include <starcloak/query.h>

#include "demo/loadgen/http_response.h"
#include "demo/loadgen/loadgen.h"

/** Room for the objects of an answer. */
enum { SC_REPLY_OBJECTS = 1024 };

typedef struct sc_reply_check {
    sc_load_end end;
    char word[40];  ///< why: "expired", "rate"; "" of an answer. Letters, digits and dashes only
    bool is_violated;
    sc_violation violation;
    char remark[160];  ///< in words, if it is

    // Of an answer.
    char cloak[24];  ///< the id of its cloak, 16 hexadecimal digits; "" if it has none
    double wait_s;
    uint64_t users;
    uint64_t segments;
    size_t object_count;
    double distances_m[SC_REPLY_OBJECTS];
    double durations_s[SC_REPLY_OBJECTS];
    uint64_t digests[SC_REPLY_OBJECTS];  ///< sc_object_digest() of each
} sc_reply_check;

/** How far object `i` is in the metric that was asked for. */
static inline double sc__reply_cost(const sc_reply_check *check, size_t i, sc_metric metric)
{
    return metric == SC_METRIC_TIME ? check->durations_s[i] : check->distances_m[i];
}

/** A hash of an object's texts. */
uint64_t sc_object_digest(const char *id, const char *category, const char *name);

/** What was asked for. */
typedef struct sc_reply_wanted {
    const sc_profile *needs;  ///< borrowed
    uint32_t nearest;         ///< how many objects
    sc_metric metric;         ///< in which they are the nearest
} sc_reply_wanted;

/** Check a whole reply. SC_OK, SC_ENOMEM. */
SC_CHECKED sc_err sc_reply_check_read(const sc_response *response, const sc_reply_wanted *wanted,
                                      sc_reply_check *out);

/**
 * The same for runs in which asking must cost little: if a reply has exactly the form that the
 * service writes, its numbers are read and compared with the needs, and its objects are skipped.
 * Any other reply is checked as above.
 */
SC_CHECKED sc_err sc_reply_check_read_quickly(const sc_response *response,
                                              const sc_reply_wanted *wanted, sc_reply_check *out);

#endif
