/**
 * @file traffic.h
 * @brief A stream of questions in memory, and ways to let it pass: the engine, or less than that.
 */
#ifndef SC_BENCH_TRAFFIC_H
#define SC_BENCH_TRAFFIC_H

#include <starcloak/admit.h>
#include <starcloak/engine.h>

/** Questions as travellers asked them, and as they were admitted. */
typedef struct traffic {
    const sc_map *map;
    size_t count;
    sc_ask *asks;
    sc_query *queries;
    char *names;         ///< what the asks' users point into
    double admission_s;  ///< CPU seconds for all of them

    void (*on_cloak)(void *data, const sc_cloak *cloak);  ///< called for each cloak; may be NULL
    void *data;
} traffic;

/** What `users` travellers ask in `seconds`, one pause after their last question each. */
traffic traffic_new(const sc_map *map, uint32_t users, double seconds);
void traffic_free(traffic *t);

/** What came of it. */
typedef struct passage {
    double cpu_s;  ///< without admission
    uint64_t cloaked;
    uint64_t pending;    ///< in the engine at its fullest
    size_t bytes;        ///< of the engine at that moment, if asked for
    size_t fixed_bytes;  ///< of the engine before the first query
    sc_engine_stats stats;
} passage;

/** Through an engine, pruned inline. `measure_bytes` slows it down. */
passage traffic_cloak(const traffic *t, const sc_engine_options *options, bool measure_bytes);

/**
 * The floor: a queue and a heap of deadlines and nothing else, each query staying as
 * long as `pending` others are behind it.
 */
double traffic_floor_s(const traffic *t, size_t pending);

/** A name and the options of a variant; the last has no name. */
typedef struct variant_entry {
    const char *name;
    sc_variant variant;
    bool is_strict;
    uint32_t crowd;  ///< patient: 0 is the default
} variant_entry;

/** The options of a variant, with its own cap. */
sc_engine_options variant_options(const variant_entry *v);
extern const variant_entry variants[];

/** The methods that StarCloak is compared with. */
extern const variant_entry compared[];

#endif
