/**
 * @file pending.h
 * @brief How many queries of a user are under way: one, unless the operator allows more.
 *
 * Users are keyed numbers. A user without a query under way leaves no trace.
 */
#ifndef SC_GUARD_PENDING_H
#define SC_GUARD_PENDING_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sc_pending sc_pending;

/** @param capacity  queries of all users together; room for them is taken at once */
SC_CHECKED sc_err sc_pending_new(size_t capacity, sc_pending **out);

/** NULL is fine. */
void sc_pending_free(sc_pending *pending);

/** One more of `user`'s: SC_OK; SC_EBUSY (it has `most` already), SC_ELIMIT (no room). Any thread.
 */
SC_CHECKED sc_err sc_pending_enter(sc_pending *pending, uint64_t user, unsigned most);

/** One less. Each that entered leaves once. Any thread. */
void sc_pending_leave(sc_pending *pending, uint64_t user);

/** Of all users. Any thread. */
size_t sc_pending_count(const sc_pending *pending);

#endif
