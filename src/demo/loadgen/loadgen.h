/**
 * @file loadgen.h
 * @brief The load generator: thousands of simulated travellers that ask a running service over
 * HTTP, and check everything that they get.
 *
 * Each traveller drives on the map, has a token and one connection of its own, and at most one
 * query under way. They are spread over *groups*, one thread each. Every reply is checked: is it as
 * described, are there k users and l segments in the cloak, was it in time, and, of a sample, is it
 * the exact answer? And the counts must agree on both sides: each query that was sent has exactly
 * one outcome here, and as many have the same outcome at the service, by its own metrics.
 *
 * With *chaos* some clients close while they wait, or stop reading, or send slowly, far too much or
 * garbage; and the provider, if it was started here, is killed and stopped at random. The checks
 * stay the same, except for queries with a fault of ours.
 *
 * Nothing here includes the service: it is known by its protocol only.
 */
#ifndef SC_DEMO_LOADGEN_LOADGEN_H
#define SC_DEMO_LOADGEN_LOADGEN_H

#include <starcloak/map.h>
#include <starcloak/objects.h>
#include <starcloak/progress.h>

#include "base/histogram.h"
#include "sim/workload.h"
#include "travel/movement.h"

#include <signal.h>

// --- Tokens --------------------------------------------------------------------------------------
//
// One token per client: issued with the service's own key, by a function of the caller, or read
// from a file.

typedef struct sc_tokens sc_tokens;

/**
 * Issue tokens to "load-1", "load-2", ..., valid for `seconds` from now.
 *
 * @param key_path  the service's key file (server/token.h)
 * @return as sc_token_keys_read(), or SC_ENOMEM
 */
SC_CHECKED sc_err sc_tokens_issue(const char *key_path, uint32_t count, double seconds,
                                  sc_tokens **out, sc_diag *diag);

/** Writes the token of traveller `i`, from 0 on, to `out`, which has room for SC_TOKEN_SIZE. */
typedef sc_err (*sc_token_issuer)(void *context, uint32_t i, char *out, sc_diag *diag);

/** Have each issued by `issue`. @return SC_OK, SC_ENOMEM, or what `issue` failed with */
SC_CHECKED sc_err sc_tokens_gather(uint32_t count, sc_token_issuer issue, void *context,
                                   sc_tokens **out, sc_diag *diag);

/**
 * Read them, one per line; empty lines and lines that begin with # are skipped.
 *
 * @param count  how many are needed; the file may have more
 * @return SC_OK, SC_EIO, SC_EPARSE (with the line; never quotes a token), SC_EINVAL (too few),
 *         SC_ENOMEM
 */
SC_CHECKED sc_err sc_tokens_read(const char *path, uint32_t count, sc_tokens **out, sc_diag *diag);

/** Wipe and free; NULL is fine. */
void sc_tokens_free(sc_tokens *tokens);

/** The token of traveller `i`; lent. Any thread. */
const char *sc_tokens_at(const sc_tokens *tokens, uint32_t i);

// --- Outcomes and violations ---------------------------------------------------------------------

/** Counted by the service since its start. */
typedef struct sc_service_counts {
    uint64_t taken;  ///< each is pending, or has one of the next four outcomes; 0: not told
    uint64_t answered;
    uint64_t dropped;  ///< of all reasons, as the next
    uint64_t failed;
    uint64_t gone;
    uint64_t pending;  ///< now
    uint64_t violations;
    bool has_queries;  ///< whether it said anything of queries; else this is another service
    bool has_pending;  ///< whether the next are told
    bool has_violations;
    bool has_cpu;
    double cpu_s;
    uint64_t resident_bytes;  ///< now; 0: not told
} sc_service_counts;

/** How a query ends here. */
#define SC_LOAD_END_MAP(X)                                                                  \
    X(ANSWERED, "answered")                                                                 \
    X(DROPPED, "dropped")                                                                   \
    X(FAILED, "failed")   /* taken, but the provider gave no answer */                      \
    X(REFUSED, "refused") /* not taken: another status */                                   \
    X(LEFT, "left")       /* by us: chaos, or the end of a run that was interrupted */      \
    X(LOST, "lost")       /* the connection broke, no reply came in time, or it was none */ \
    X(UNSENT, "unsent")   /* there was no connection to send it on */

typedef enum sc_load_end {
#define X(name, word) SC_LOAD_##name,
    SC_LOAD_END_MAP(X)
#undef X
        SC_LOAD_END_COUNT
} sc_load_end;

/** "answered" */
const char *sc_load_end_name(sc_load_end end);

/** What must not happen. */
#define SC_VIOLATION_MAP(X)                                                                   \
    X(FEW_USERS, "few users")           /* fewer in the cloak than k */                       \
    X(FEW_SEGMENTS, "few segments")     /* fewer in the cloak than l */                       \
    X(LATE, "late")                     /* waited for longer than was allowed */              \
    X(WRONG_ANSWER, "wrong answer")     /* not what a search from the exact position gives */ \
    X(BAD_REPLY, "bad reply")           /* not HTTP, not JSON, or not as described */         \
    X(ANSWERED_TWICE, "answered twice") /* bytes without a request */                         \
    X(LOST_QUERY, "lost")               /* the connection broke before the reply */           \
    X(OVERDUE, "overdue")               /* no reply, long after the deadline */               \
    X(NO_CONNECTION, "no connection")   /* it could not be opened */                          \
    X(GARBAGE_TAKEN, "garbage taken")   /* nonsense was answered as if it had sense */        \
    X(MISCOUNT, "miscount")             /* the service's numbers and ours do not agree */     \
    X(BROKEN_PROMISE, "broken promise") /* the service found one itself (paranoid) */         \
    X(NO_OUTCOME, "no outcome")         /* of no query at all: nothing was learned */

typedef enum sc_violation {
#define X(name, word) SC_VIOLATION_##name,
    SC_VIOLATION_MAP(X)
#undef X
        SC_VIOLATION_COUNT
} sc_violation;

/** "few users" */
const char *sc_violation_name(sc_violation violation);

/** What is done to queries and to the provider so that something goes wrong. */
typedef struct sc_chaos_options {
    bool is_on;
    double share;                  ///< of queries that get a fault, 0 to 1
    double every_s;                ///< mean time between two blows to the provider
    const char *provider_command;  ///< for /bin/sh; NULL: the provider is left alone
} sc_chaos_options;

/** A query, as the watcher gets it. */
typedef struct sc_load_query {
    uint64_t number;  ///< of the query, from 1 on; unique in a run
    uint32_t who;     ///< the traveller, from 0 on
    sc_edge_id edge;  ///< where it is
    double offset_m;
    sc_profile profile;
    uint32_t nearest;  ///< how many objects it asks for
} sc_load_query;

/** How it ended. */
typedef struct sc_load_outcome {
    uint64_t number;
    uint32_t who;
    sc_load_end end;
    const char *word;   ///< why, if there is no answer: "expired", "rate"; may be "". Lent
    const char *cloak;  ///< of an answered one: the cloak's id as the service tells it; "" if not.
                        ///< Lent
    double wait_s;      ///< as the service tells it; 0 if it does not
} sc_load_outcome;

/** Called twice per query, when it is asked and when it ends. Called in the
 * groups' threads; must be quick. */
typedef struct sc_load_watcher {
    void (*asked)(void *context, const sc_load_query *question);
    void (*ended)(void *context, const sc_load_outcome *ending);
    void *context;
} sc_load_watcher;

/** Another map that the service may serve during the run: an answer may be the exact one of it. */
typedef struct sc_load_map {
    sc_map *map;
    sc_objects *objects;
} sc_load_map;

/** With that of the run. */
enum { SC_LOAD_MAPS = 8 };

typedef struct sc_load_options {
    const char *url;      ///< of the service, without /v1/queries
    const char *ca;       ///< as for sc_target_init()
    const char *metrics;  ///< URL; NULL: /metrics behind `url`
    bool without_metrics;
    const sc_objects *objects;  ///< to compare answers with; NULL: they are not
    const sc_load_map *others;  ///< borrowed; they have coordinates
    size_t other_count;         ///< below SC_LOAD_MAPS
    /** How many of a thousand answers are compared; 0: none, and replies are judged at a
     * known_form. */
    unsigned check_per_mille;
    sc_movement *const *movements;  ///< the travellers: of each group its own; borrowed
    unsigned group_count;
    const sc_tokens *tokens;  ///< as many as there are travellers in all; borrowed
    sc_workload workload;
    /** Queries per second, coming at random; 0: each traveller asks, waits, pauses, asks again. */
    double rate;
    bool is_restless;   ///< closed loop without pauses: a client with an outcome asks again at once
    double warmup_s;    ///< what is asked in it counts in the counts, but is not measured
    double duration_s;  ///< how long is measured
    int64_t start_us;   ///< sc_clock_us() when travellers' time is 0; 0: when all is prepared
    double keep_alive_s;  ///< a connection unused for longer is replaced before the next query
    double patience_s;    ///< how long after its deadline a query is still waited for
    uint64_t seed;
    sc_chaos_options chaos;
    bool holds;    ///< instead: each traveller asks once, and all wait until they are counted
    int hold_pid;  ///< the service's process, to be measured then; 0: not
    sc_load_watcher watcher;  ///< zero: none
    sc_progress progress;
    const volatile sig_atomic_t *stop;  ///< set: end early; may be NULL
    bool leaves_when_stopped;  ///< those who wait then leave, and their outcomes are not waited for
} sc_load_options;

/** One group without travellers; a minute, no warm-up; 10 of 1,000 answers compared; connections
 * unused for 45 s are replaced; 30 s of patience; chaos is off, and otherwise makes a fifth faulty
 * and strikes every 10 s. */
sc_load_options sc_load_options_default(void);

/** How often something ended in a certain way: "dropped", "expired"; "refused", 429, "rate". */
typedef struct sc_load_tally {
    sc_load_end end;
    int status;  ///< of HTTP; 0: there was none
    char word[40];
    uint64_t count;
} sc_load_tally;

enum { SC_LOAD_TALLIES = 48, SC_LOAD_SHOWN = 12 };

/** A violation in words; they name neither a user nor a position. */
typedef struct sc_load_remark {
    sc_violation violation;
    char text[200];
} sc_load_remark;

/** What a group, or all of them together, have seen. */
typedef struct sc_load_counts {
    uint64_t asked;                    ///< queries that were begun; each has one of the ends
    uint64_t ends[SC_LOAD_END_COUNT];  ///< so many
    sc_load_tally tallies[SC_LOAD_TALLIES];
    size_t tally_count;
    uint64_t violations[SC_VIOLATION_COUNT];
    sc_load_remark shown[SC_LOAD_SHOWN];  ///< the first ones
    size_t shown_count;
    uint64_t checked;                 ///< answers that were compared
    uint64_t exact_on[SC_LOAD_MAPS];  ///< of them, those that are exact: the map of the run, others
    uint64_t connects;                ///< connections opened
    uint64_t strays;                  ///< nonsense that was sent on purpose
    uint64_t faulty;                  ///< queries that were tampered with on purpose
    uint64_t none_idle;               ///< arrivals for which every traveller was busy (open loop)

    // Of queries that were asked while it was measured.
    uint64_t replies;             ///< answered, dropped or failed
    sc_log_histogram latency_us;  ///< from sending a query to its outcome
    sc_log_histogram
        beyond_us;             ///< of answered ones: the same, less the wait that the service tells
    sc_log_histogram wait_us;  ///< of answered ones: what it tells
    sc_log_histogram connect_us;  ///< from opening to being able to send
    sc_log_histogram behind_us;   ///< how late we were ourselves with sending
    sc_log_histogram users;       ///< of answered ones: in the cloak
    sc_log_histogram segments;
} sc_load_counts;

/** What holding came to. */
typedef struct sc_load_held {
    uint64_t wanted;
    uint64_t sent;
    uint64_t pending;       ///< as the service says; `sent` if it cannot be asked
    uint64_t bytes_before;  ///< resident, of the service's process; 0: not measured
    uint64_t bytes_after;
    double seconds;  ///< until all were pending
} sc_load_held;

typedef struct sc_load_report {
    sc_load_counts counts;
    size_t other_maps;  ///< that answers might be of
    uint64_t travellers;
    double measured_s;
    double own_cpu_s;  ///< of this process, while it was measured
    uint64_t provider_kills;
    uint64_t provider_stops;
    bool is_interrupted;
    sc_load_held held;  ///< of `holds`

    bool has_service;                  ///< whether its metrics could be read
    char no_service[200];              ///< why not
    sc_service_counts service_before;  ///< before the first query
    sc_service_counts service_after;   ///< when all had ended
    bool has_service_cpu;
    double service_cpu_s;      ///< while it was measured
    uint64_t service_replies;  ///< outcomes that it counted meanwhile
} sc_load_report;

/**
 * Run. Violations are no failure of this function: they are in the report.
 *
 * @param map     borrowed
 * @param report  filled on success; large: not for the stack of a small thread
 * @return SC_OK, SC_EINVAL, SC_ENET (the service cannot be reached at all), SC_EIO (a thread or
 *         process cannot be started), SC_ENOMEM
 */
SC_CHECKED sc_err sc_load_run(const sc_map *map, const sc_load_options *options,
                              sc_load_report *report, sc_diag *diag);

/** All violations of a report together. */
uint64_t sc_load_violations(const sc_load_report *report);

/** How many queries were not sent since this machine had no descriptor, port or memory for their
 * connection. They are no violations. */
uint64_t sc_load_lacking(const sc_load_report *report);

#endif
