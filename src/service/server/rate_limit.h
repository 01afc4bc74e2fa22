/**
 * @file rate_limit.h
 * @brief How often somebody may ask: buckets that fill with time, in a table of fixed size.
 *
 * Whoever asks takes one from its bucket; an empty one says when to come back. A bucket that is
 * full again is as good as none, and is cleared by sc_rate_limit_forget(). If more are remembered
 * than there is room for, the one among a few that is nearest to full makes way, and the newcomer
 * goes on with what is in it: so a flood of new names lets nobody have more than its limit, and
 * costs others no more than the little that was missing there. Somebody is a keyed number, so
 * nothing here can be turned back into a user or an address.
 *
 * Locks are per shard and held for a look-up. Times are sc_clock_us().
 *
 * Uses: base. Used by: service, provider.
 */
#ifndef SC_SERVER_RATE_LIMIT_H
#define SC_SERVER_RATE_LIMIT_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sc_rate_limit sc_rate_limit;

/**
 * @param capacity  buckets of 16 bytes, rounded up to a power of two. Enough, if it is twice as
 * many as ask within the time in which an empty bucket fills; with less, newcomers get less than a
 * full one.
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc_rate_limit_new(size_t capacity, sc_rate_limit **out);

/** NULL is fine. */
void sc_rate_limit_free(sc_rate_limit *limit);

/**
 * Take one. Any thread. Whoever gets none owes nothing for it. Limits may change from one call to
 * the next, but should be the same for all names of a table.
 *
 * @param rate_per_s  how fast the bucket fills; 0: no limit
 * @param burst       how many it holds, >= 1
 * @return 0 if there was one; else the seconds until there will be, at least 1
 */
unsigned sc_rate_limit_take(sc_rate_limit *limit, uint64_t who, double rate_per_s, double burst,
                            int64_t now_us);

/**
 * Clear every bucket that is full again, so that nothing tells who asked once. Nobody gets more or
 * less by that. Any thread; to be called now and then. Time O(capacity), a few milliseconds for a
 * million; others are not kept waiting.
 */
void sc_rate_limit_forget(sc_rate_limit *limit, int64_t now_us);

#endif
