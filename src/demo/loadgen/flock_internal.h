/**
 * @file flock_internal.h
 * @brief What the files of a flock share: its calls, and what is done to them.
 *
 *     flock.c    the loop: who asks next, what the kernel says, whose time is up
 *     call.c     one traveller's call: connect, send, wait, be answered
 *     spoil.c    what chaos does to a call
 *
 * A call is idle (with a connection or without), connecting, sending or waiting. Every query that
 * sc__call_begin() counts is ended by exactly one sc__call_end().
 *
 * Used by: flock.c, call.c, spoil.c, exact.c.
 */
#ifndef SC_CLIENT_FLOCK_INTERNAL_H
#define SC_CLIENT_FLOCK_INTERNAL_H

#include <starcloak/lbs.h>

#include "base/rng.h"
#include "demo/loadgen/books.h"
#include "demo/loadgen/flock.h"
#include "demo/loadgen/response.h"
#include "demo/loadgen/wire.h"

/** Bytes that are read at once; most replies are far smaller. */
enum { SC__READ_SIZE = 65536 };

/** Room for what is sent: a request, and what chaos sends behind it. */
enum { SC__FLOOD_SIZE = 256 * 1024, SC__TEXT_SIZE = SC__WORDS_SIZE + SC__FLOOD_SIZE };

/** Where a call stands. */
typedef enum sc__call_stage {
    SC__CALL_IDLE = 0,
    SC__CALL_CONNECTING,
    SC__CALL_SENDING,
    SC__CALL_WAITING,
} sc__call_stage;

/** What chaos has in mind for a call. */
typedef enum sc__fate {
    SC__FATE_NONE = 0,
    SC__FATE_LEAVE,    ///< closes its connection while it waits
    SC__FATE_RESET,    ///< the same, without a farewell
    SC__FATE_FLOOD,    ///< sends far more behind its request, and then leaves
    SC__FATE_DEAF,     ///< does not read for some seconds
    SC__FATE_HALF,     ///< sends a part of its request, and then nothing
    SC__FATE_DRIP,     ///< sends it a few bytes at a time
    SC__FATE_GARBAGE,  ///< sends nonsense instead; this is no query
    SC__FATE_COUNT,
} sc__fate;

/** One traveller's connection, and the query that is under way on it. */
typedef struct sc__call {
    sc_wire wire;
    sc_response response;
    sc__call_stage stage;
    sc__fate fate;
    bool is_measured;
    bool is_checked;  ///< the answer will be compared
    bool is_deaf;     ///< nothing is read for now
    int64_t begun_us;
    int64_t sent_us;
    int64_t used_us;  ///< when the connection was last used
    sc__question question;
    uint64_t number;  ///< of the query, for whoever watches
    char *rest;       ///< of the request, what is still to be sent; NULL: nothing
    size_t rest_size;
    size_t rest_at;
} sc__call;

struct sc__flock {
    sc__course *course;
    const sc_load_options *options;
    uint32_t first;
    uint32_t count;
    sc_rng rng;
    sc_travellers *travellers;
    sc__call *calls;
    int64_t *wakes_us;  ///< of each call: when it must be looked at; INT64_MAX: never
    int epoll;
    int64_t now_us;           ///< when the loop last looked
    int64_t next_arrival_us;  ///< open loop
    int64_t next_scan_us;
    uint32_t open_count;     ///< calls that are not idle
    uint32_t opening_count;  ///< of them, those without a connection yet
    sc_lbs *lbs;             ///< to compare answers; NULL: none are
    sc_load_books *books;
    sc_verdict *verdict;  ///< room for one
    char *text;           ///< room for what is sent, SC__TEXT_SIZE
    char *bytes;          ///< room for what is read
    sc_err err;           ///< the loop ends with it
    atomic_uint_fast64_t asked;
    atomic_uint_fast64_t sent;
    atomic_uint_fast64_t ended;
};

// --- call.c ---------------------------------------------------------------------

/** Traveller `who` asks. @param due_us  when it wanted to */
void sc__call_begin(sc__flock *flock, uint32_t who, const sc_request_line *request_line,
                    int64_t due_us);

/** Something may have changed about its connection. */
void sc__call_stir(sc__flock *flock, uint32_t who);

/** Its time has come: it is overdue, or chaos wanted to be woken. */
void sc__call_wake(sc__flock *flock, uint32_t who);

/** Its query ends so (or, of nonsense: that is over), and the traveller goes on. */
void sc__call_end(sc__flock *flock, uint32_t who, sc_load_end end, int status, const char *word);

/** The same, for a query that must not end so: a violation, unless we spoiled it ourselves. */
void sc__call_lose(sc__flock *flock, uint32_t who, sc_violation violation, const char *word);

void sc__call_close(sc__flock *flock, uint32_t who, bool is_reset);

/** Send what is left of the request, up to `size` bytes of it. */
void sc__call_send(sc__flock *flock, uint32_t who, size_t size);

/** The request was sent as a whole: wait. */
void sc__call_wait(sc__flock *flock, uint32_t who);

// --- spoil.c --------------------------------------------------------------------

/** What will happen to the next call. */
sc__fate sc__spoil_draw(sc__flock *flock);

/** The request of a call that is about to be sent: write it, or what is sent instead, into
 * flock->text; returns its size. */
size_t sc__spoil_request(sc__flock *flock, uint32_t who);

/** A request that is to go out in part, or slowly: begin with it. */
void sc__spoil_send(sc__flock *flock, uint32_t who);

/** A call begins to wait: when is it to be woken? */
void sc__spoil_wait(sc__flock *flock, uint32_t who);

/** It is woken. */
void sc__spoil_wake(sc__flock *flock, uint32_t who);

/** The run comes to its end: calls that wait for nothing but their fate meet it now. */
void sc__spoil_finish(sc__flock *flock);

// --- exact.c --------------------------------------------------------------------

/** Compare the answer in flock->verdict with a plain search. */
void sc__exact_check(sc__flock *flock, const sc__call *call);

#endif
