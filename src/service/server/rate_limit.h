/**
 * @file rate_limit.h
 * @brief Limits on how often a user or an address may ask: token buckets in a table of fixed size.
 *
 * A request takes one from the bucket of its name; an empty bucket gives the time to come back. A
 * bucket that is full again is as good as none, and is cleared by sc_rate_limit_forget(). If there
 * are more names than buckets, the one among a few that is nearest to full makes way, and the new
 * name goes on with what is in it: so a flood of new names gives no name more than its limit, and
 * costs others no more than the little that was missing there. Names are keyed numbers, so nothing
 * here can be turned back into a user or an address.
 *
 * Locks are per shard and held for a look-up. Times are sc_clock_us().
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
 * Take one. Any thread. A refused request takes nothing. Limits may change from one call to
 * the next, but should be the same for all names of a table.
 *
 * @param rate_per_s  how fast the bucket fills; 0: no limit
 * @param burst       how many it holds, >= 1
 * @return 0 if there was one; else the seconds until there will be, at least 1
 */
unsigned sc_rate_limit_take(sc_rate_limit *limit, uint64_t who, double rate_per_s, double burst,
                            int64_t now_us);

/**
 * Take more or less than one, where requests differ in what they cost. As above, with one rate and
 * burst for all names of a table; an amount above `burst` needs a full bucket, and empties it.
 */
unsigned sc_rate_limit_take_amount(sc_rate_limit *limit, uint64_t who, double amount,
                                   double rate_per_s, double burst, int64_t now_us);

/**
 * Take what turned out to be owed beside what was taken, though the bucket may hold less: it is
 * empty then. A negative amount is given back. Any thread.
 */
void sc_rate_limit_charge(sc_rate_limit *limit, uint64_t who, double amount, double rate_per_s,
                          double burst, int64_t now_us);

/**
 * Clear every bucket that is full again, so that no trace of its name is left. Limits stay
 * the same. Any thread; to be called now and then. Time O(capacity), a few milliseconds for a
 * million; others are not kept waiting.
 */
void sc_rate_limit_forget(sc_rate_limit *limit, int64_t now_us);

#endif
