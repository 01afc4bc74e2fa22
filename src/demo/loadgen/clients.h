/**
 * @file clients.h
 * @brief Clients of a run: groups of simulated travellers, each group with its connections and one
 * thread.
 *
 *     clients.c        the loop of a group, and each client: connect, send, wait, read the reply
 *     faults.c         faults of clients (chaos), and of the provider
 *     reply_checks.c   whether a reply is what the service promises
 *     reply_exact.c    whether an answer is the exact one
 *
 * A group has an epoll loop and a table of descriptors of its own, so that the limit of descriptors
 * counts for each group by itself. Clients ask when their travellers want to (closed loop), at
 * random times (open loop), or all at once and wait (holding).
 *
 * A client is idle (with a connection or without), connecting, sending or waiting. Every query that
 * begin_query() counts is ended by exactly one sc__client_end().
 */
#ifndef SC_DEMO_LOADGEN_CLIENTS_H
#define SC_DEMO_LOADGEN_CLIENTS_H

#include <starcloak/lbs.h>

#include "base/rng.h"
#include "demo/loadgen/http_response.h"
#include "demo/loadgen/load_connection.h"
#include "demo/loadgen/load_counts.h"
#include "demo/loadgen/loadgen.h"
#include "demo/loadgen/request_text.h"

#include <stdatomic.h>

/** How far a run has come. */
typedef enum sc__load_phase {
    SC__RUNNING = 0,
    SC__DRAINING,  ///< no new queries; those there are are waited for
    SC__CLOSING,   ///< those there are are given up
} sc__load_phase;

/** What all groups of a run share. All but the last two are set before they start. */
typedef struct sc__load_run {
    const sc_map *map;
    const sc_load_options *options;
    const sc_target *target;
    const sc__request_writer *writer;
    int64_t start_us;           ///< sc_clock_us(): when travellers' time is 0
    int64_t measure_from_us;    ///< what is asked from then
    int64_t measure_to_us;      ///< until then is measured
    atomic_int phase;           ///< an sc__load_phase
    atomic_uint_fast64_t told;  ///< number of the last query passed to the watcher
} sc__load_run;

typedef struct sc__client_group sc__client_group;

/**
 * @param number  of the group, from 0; its movement is options->movements[number]
 * @param first   of its travellers among those of all groups: tokens and addresses go by it
 * @return SC_OK, SC_EINVAL, SC_ENOMEM
 */
SC_CHECKED sc_err sc__client_group_new(sc__load_run *shared, unsigned number, uint32_t first,
                                       sc__client_group **out, sc_diag *diag);

/** NULL is fine. */
void sc__client_group_free(sc__client_group *group);

/**
 * Serve the clients until the run is over and none waits. Connections that are open then are
 * closed.
 *
 * @return SC_OK, SC_EIO (no epoll), SC_ENOMEM
 */
SC_CHECKED sc_err sc__client_group_run(sc__client_group *group);

/** Queries that were begun, sent, and have ended, so far. Any thread. */
typedef struct sc__client_progress {
    uint64_t asked;
    uint64_t sent;
    uint64_t ended;
} sc__client_progress;

sc__client_progress sc__client_progress_of(const sc__client_group *group);

/** Bytes that are read at once; most replies are far smaller. */
enum { SC__READ_SIZE = 65536 };

/** Room for what is sent: a request, and what chaos sends behind it. */
enum { SC__FLOOD_SIZE = 256 * 1024, SC__TEXT_SIZE = SC__REQUEST_SIZE + SC__FLOOD_SIZE };

/** The state of a client. */
typedef enum sc__client_stage {
    SC__CLIENT_IDLE = 0,
    SC__CLIENT_CONNECTING,
    SC__CLIENT_SENDING,
    SC__CLIENT_WAITING,
} sc__client_stage;

/** The fault that chaos chose for a query. */
typedef enum sc__fault {
    SC__FAULT_NONE = 0,
    SC__FAULT_LEAVE,        ///< closes its connection while it waits
    SC__FAULT_RESET,        ///< the same, with a TCP reset
    SC__FAULT_FLOOD,        ///< sends far more behind its request, and then leaves
    SC__FAULT_NOT_READING,  ///< does not read for some seconds
    SC__FAULT_PARTIAL,      ///< sends a part of its request, and then nothing
    SC__FAULT_SLOW,         ///< sends it a few bytes at a time
    SC__FAULT_GARBAGE,      ///< sends nonsense instead; this is no query
    SC__FAULT_COUNT,
} sc__fault;

/** One traveller's connection, and the query that is under way on it. */
typedef struct sc__client {
    sc_load_connection connection;
    sc_response response;
    sc__client_stage stage;
    sc__fault fault;
    bool is_measured;
    bool is_checked;      ///< the answer will be compared
    bool is_not_reading;  ///< nothing is read for now
    int64_t begun_us;
    int64_t sent_us;
    int64_t used_us;  ///< when the connection was last used
    sc__client_query question;
    uint64_t number;  ///< of the query, for the watcher
    char *rest;       ///< of the request, what is still to be sent; NULL: nothing
    size_t rest_size;
    size_t rest_at;
} sc__client;

struct sc__client_group {
    sc__load_run *shared;
    const sc_load_options *options;
    uint32_t first;
    uint32_t count;
    sc_rng rng;
    sc_travellers *travellers;
    sc__client *clients;
    int64_t *wakes_us;  ///< of each client: when it must be looked at; INT64_MAX: never
    int epoll;
    int64_t now_us;           ///< when the loop last looked
    int64_t next_arrival_us;  ///< open loop
    int64_t next_scan_us;
    uint32_t open_count;        ///< clients that are not idle
    uint32_t opening_count;     ///< of them, those without a connection yet
    sc_lbs *lbs[SC_LOAD_MAPS];  ///< to compare answers, of each map; NULL: none are
    sc_load_counts *counts;
    sc_reply_check *check;  ///< room for one
    char *text;             ///< room for what is sent, SC__TEXT_SIZE
    char *bytes;            ///< room for what is read
    sc_err err;             ///< the loop ends with it
    atomic_uint_fast64_t asked;
    atomic_uint_fast64_t sent;
    atomic_uint_fast64_t ended;
};

// --- Clients (clients.c) ---------------------------------------------------------------------

/** Its connection may be readable or writable. */
void sc__client_ready(sc__client_group *group, uint32_t who);

/** Count how its query (or its garbage) ended; the traveller goes on. */
void sc__client_end(sc__client_group *group, uint32_t who, sc_load_end end, int status,
                    const char *word);

/** The same for an end that is a violation, unless a fault of ours caused it. */
void sc__client_lose(sc__client_group *group, uint32_t who, sc_violation violation,
                     const char *word);

void sc__client_close(sc__client_group *group, uint32_t who, bool is_reset);

/** Send what is left of the request, up to `size` bytes of it. */
void sc__client_send(sc__client_group *group, uint32_t who, size_t size);

// --- Faults (faults.c) --------------------------------------------------------------------

/** Draw the fault of the next query. */
sc__fault sc__fault_draw(sc__client_group *group);

/** The request of a client that is about to be sent: write it, or what is sent instead, into
 * group->text; returns its size. */
size_t sc__fault_write_request(sc__client_group *group, uint32_t who);

/** Begin with a request that is sent in part, or slowly. */
void sc__fault_send(sc__client_group *group, uint32_t who);

/** A client begins to wait: set when its fault happens. */
void sc__fault_wait(sc__client_group *group, uint32_t who);

/** That time has come. */
void sc__fault_timeout(sc__client_group *group, uint32_t who);

/** The run ends: faults that have not happened yet happen now. */
void sc__fault_finish(sc__client_group *group);

// --- Checks (reply_exact.c) ---------------------------------------------------------------------

/** Compare the answer in group->check with a plain search. */
void sc__reply_check_exact(sc__client_group *group, const sc__client *client);

#endif
