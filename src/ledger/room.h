/**
 * @file room.h
 * @brief Secret: the engine's room: a thread with an engine in it, and threads that prune.
 *
 *     ledger --commands--> engine --> candidates --> prune pool --+
 *     ledger <--messages-- engine <-------- pruned cloaks --------+
 *
 * In rounds: the commands that wait are carried out, the engine runs once for all of them, and what
 * it found is told. The engine keeps what there is no room to tell, so nothing is lost when
 * the ledger is slow. Where memory runs out, the engine rests a little and goes on; a query for
 * which there is none at all is told as not taken.
 *
 * Used by: ledger.c.
 */
#ifndef SC_LEDGER_ROOM_H
#define SC_LEDGER_ROOM_H

#include <starcloak/rng.h>

#include "ledger/words.h"

/** Commands of one round, and queries that are added between two looks at whether it is behind. */
enum { SC__ROOM_BATCH = 256 };

typedef struct sc__room sc__room;

typedef struct sc__room_options {
    sc_engine_options engine;
    unsigned prune_threads;  ///< 0: the engine's thread does it
    size_t max_queries;      ///< open at once
} sc__room_options;

/**
 * All but the thread.
 *
 * @param rng  used only during this call
 * @return SC_OK, SC_EINVAL, SC_EIO, SC_ENOMEM
 */
SC_CHECKED sc_err sc__room_new(const sc_map *map, const sc__room_options *options, sc_rng *rng,
                               sc__room **out, sc_diag *diag);

/** Ends the thread first; NULL is fine. Cloaks that were told and not heard are freed. */
void sc__room_free(sc__room *room);

/** Start the thread, all signals blocked in it. SC_OK, SC_EIO */
SC_CHECKED sc_err sc__room_start(sc__room *room);

/** Carry out all that was told before, and end the thread. Twice is harmless. */
void sc__room_end(sc__room *room);

/**
 * Tell the engine something. There is room for all words of the ledger as long as it adds no
 * queries while the room is behind (see room.c). One thread.
 */
void sc__room_tell(sc__room *room, const sc__command *command);

/** So many commands wait that no query should be added. */
bool sc__room_is_behind(sc__room *room);

/** Take up to `capacity` messages; returns how many. One thread. */
size_t sc__room_hear(sc__room *room, sc__message *messages, size_t capacity);

/** Readable when there is something to hear. Lent. */
int sc__room_fd(const sc__room *room);

/** As of the last round. Any thread. */
sc_engine_stats sc__room_stats(sc__room *room);

/**
 * One round at that time, without waiting: what the thread does again and again. For tests, which
 * play without threads.
 *
 * @return when there is something to do even if nothing comes in
 */
sc_time sc__room_round(sc__room *room, sc_time now);

#endif
