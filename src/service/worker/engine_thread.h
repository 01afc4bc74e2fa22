/**
 * @file engine_thread.h
 * @brief Secret: an engine room: the engines of some parts, in a thread of their own with threads
 * that prune for it, if there are any; or in place, in the thread of whoever speaks to it.
 *
 *     words in --> engines --> candidates --> pruned --> bids --> words to gateways
 *                     ^                                       |
 *                     +---------- accepted or refused --------+
 *
 * In rounds: the words that wait are carried out, each engine that has something to do runs once,
 * and what they found is told. A room keeps what it cannot say yet (sc_voice_space()), so nothing
 * is lost when a gateway in the same process is slow. Where memory runs out, the room rests a
 * little and goes on; a query for which there is none at all is told as not taken.
 *
 * A query that is added goes to the engine of its home part, if that is open here, and as company
 * to those of all other parts in its reach that are open here; `company` does the second alone.
 * Words that say what is known already change nothing.
 *
 * Used by: crew.c, tests.
 */
#ifndef SC_WORKER_ENGINE_THREAD_H
#define SC_WORKER_ENGINE_THREAD_H

#include <starcloak/rng.h>

#include "ledger/messages.h"
#include "partition/partition.h"
#include "worker/engine_pool.h"

typedef struct sc__room sc__room;

/**
 * All but the thread.
 *
 * @param number  of the room, below options->rooms
 * @param rng     used only during this call
 * @return SC_OK, SC_EINVAL, SC_EIO, SC_ENOMEM
 */
SC_CHECKED sc_err sc__room_new(const sc_map *map, const sc_crew_options *options, uint32_t number,
                               sc_rng *rng, sc__room **out, sc_diag *diag);

/** Ends the thread first; NULL is fine. */
void sc__room_free(sc__room *room);

/** Start the thread, all signals blocked in it. SC_OK, SC_EIO */
SC_CHECKED sc_err sc__room_start(sc__room *room);

/** Carry out all that was said before, and end the thread. Twice is harmless. */
void sc__room_end(sc__room *room);

/** Any thread. False if there is no room: the word is the caller's still. In place: it is carried
 * out, and wiped, before this returns. */
bool sc__room_hear(sc__room *room, sc_word *word);

/** Have engines for these parts, which must be of the cut, and no others, from the next round on.
 * One thread at a time. */
void sc__room_set_parts(sc__room *room, const uint16_t *parts, size_t count);

SC_CHECKED sc_err sc__room_switch(sc__room *room, sc_variant variant);
sc_variant sc__room_variant(const sc__room *room);

/** Prefetch the roads around a query that is about to be added. The room's thread. */
void sc__room_prefetch(const sc__room *room, const sc_query *query);

/** So many words wait that no query should be added. */
bool sc__room_is_behind(sc__room *room);

/** As of the last round; any thread. Adds to what is there; loads[part] of parts that are open. */
void sc__room_add_stats(sc__room *room, sc_crew_stats *stats, sc_part_load *loads);

/** One round at that time, without waiting. For a room in place; for tests and rehearsals, which
 * play without threads. Returns when there is something to do even if nothing comes in. */
sc_time sc__room_round(sc__room *room, sc_time now);

#endif
