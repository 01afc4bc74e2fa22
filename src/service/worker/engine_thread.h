/**
 * @file engine_thread.h
 * @brief Secret: an engine thread: the engines of some parts, in a thread of their own with threads
 * that prune for it, if there are any; or in place, in the thread of the sender.
 *
 *     messages in --> engines --> candidates --> pruned --> proposals --> messages to gateways
 *                     ^                                       |
 *                     +---------- accepted or refused --------+
 *
 * In rounds: the messages that wait are carried out, each engine that has something to do runs
 * once, and what they found is sent. An engine thread keeps what it cannot send yet
 * (sc_port_space()), so nothing is lost when a gateway in the same process is slow. Where memory
 * runs out, the engine thread rests a little and goes on; a query for which there is none at all is
 * answered by `not taken`.
 *
 * A query that is added goes to the engine of its home part, if that is open here, and as company
 * to those of all other parts in its reach that are open here; `company` does the second alone. The
 * engine thread of its home, which knows its reach by then, passes it on to the engine threads of
 * the same process that have others of these parts; and that it is removed, too. Messages about
 * what is known already change nothing.
 */
#ifndef SC_WORKER_ENGINE_THREAD_H
#define SC_WORKER_ENGINE_THREAD_H

#include <starcloak/rng.h>

#include "messages/messages.h"
#include "partition/partition.h"
#include "worker/engine_pool.h"

#include <stdatomic.h>

typedef struct sc__engine_thread sc__engine_thread;

/**
 * All but the thread.
 *
 * @param number  of the engine thread, below options->engine_threads
 * @param rng     used only during this call
 * @return SC_OK, SC_EINVAL, SC_EIO, SC_ENOMEM
 */
SC_CHECKED sc_err sc__engine_thread_new(const sc_map *map, const sc_engine_pool_options *options,
                                        uint32_t number, sc_rng *rng, sc__engine_thread **out,
                                        sc_diag *diag);

/** "None": in no engine thread of this process. */
#define SC__NO_ENGINE_THREAD UINT16_MAX

/** All engine threads of a process, and which of them has which part. */
typedef struct sc__siblings {
    sc__engine_thread **threads;
    _Atomic uint16_t *thread_of;  ///< by part; or SC__NO_ENGINE_THREAD
    atomic_ullong *lost;          ///< counts messages for which there was no room
} sc__siblings;

/** Before it is started, if it has siblings. Borrowed; all of them must be ended before the first
 * one is freed. */
void sc__engine_thread_meet(sc__engine_thread *thread, const sc__siblings *siblings);

/** Ends the thread first; NULL is fine. */
void sc__engine_thread_free(sc__engine_thread *thread);

/** Start the thread, all signals blocked in it. SC_OK, SC_EIO */
SC_CHECKED sc_err sc__engine_thread_start(sc__engine_thread *thread);

/** Carry out all that was sent before, and end the thread. Twice is harmless. */
void sc__engine_thread_end(sc__engine_thread *thread);

/** Any thread. False if there is no room: the message is the caller's still. In place: it is
 * carried out, and wiped, before this returns. */
bool sc__engine_thread_receive(sc__engine_thread *thread, sc_msg *msg);

/** The same from another engine thread: false if so much waits that the rest of the room is the
 * ledger's. */
bool sc__engine_thread_hear(sc__engine_thread *thread, sc_msg *msg);

/** Have engines for these parts, which must be of the partition, and no others, from the next round
 * on. One thread at a time. */
void sc__engine_thread_set_parts(sc__engine_thread *thread, const uint16_t *parts, size_t count);

SC_CHECKED sc_err sc__engine_thread_switch(sc__engine_thread *thread, sc_variant variant);
sc_variant sc__engine_thread_variant(const sc__engine_thread *thread);

/** Prefetch the roads around a query that is about to be added. That thread alone. */
void sc__engine_thread_prefetch(const sc__engine_thread *thread, const sc_query *query);

/** So many messages wait that no query should be added. */
bool sc__engine_thread_is_behind(sc__engine_thread *thread);

/** As of the last round; any thread. Adds to what is there; loads[part] of parts that are open. */
void sc__engine_thread_add_stats(sc__engine_thread *thread, sc_engine_pool_stats *stats,
                                 sc_part_load *loads);

/** One round at that time, without waiting. For an engine thread in place; for tests and simulated
 * clusters, which play without threads. Returns when there is something to do even if nothing comes
 * in. */
sc_time sc__engine_thread_round(sc__engine_thread *thread, sc_time now);

/** The same as that returns, as it is now: other engine threads may have sent something since. */
sc_time sc__engine_thread_next_wake(sc__engine_thread *thread, sc_time now);

#endif
