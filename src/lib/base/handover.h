/**
 * @file handover.h
 * @brief Things handed from any thread to one: a bounded queue with a lock and an eventfd.
 *
 * All memory is allocated at the start, so that handing over fails only when the queue is full.
 * The taking thread gets everything at once, in the order in which it came: under load a whole
 * batch costs one lock and one write to the eventfd. The lock is held for a copy of a few
 * words, never across anything that waits.
 *
 *     sc_handover_put(h, &thing)                    any thread
 *     n = sc_handover_take(h, things, room)         the one thread
 *     sc_handover_fd(h)                             readable while there may be something to take
 */
#ifndef SC_BASE_HANDOVER_H
#define SC_BASE_HANDOVER_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sc_handover sc_handover;

/**
 * @param item_size  bytes of one thing, which are copied
 * @param capacity   how many may wait
 * @return SC_OK, SC_ENOMEM, SC_EIO (no descriptor)
 */
SC_CHECKED sc_err sc_handover_new(size_t item_size, size_t capacity, sc_handover **out);

/**
 * The same with an eventfd of the caller, who keeps it open: for a queue that is made when those
 * who use it have tables of descriptors of their own already. What it counts is forgotten.
 */
SC_CHECKED sc_err sc_handover_new_at(size_t item_size, size_t capacity, int eventfd,
                                     sc_handover **out);

/** Wipe what is still in it, and free; NULL is fine. It must not be used any more. */
void sc_handover_free(sc_handover *handover);

/** Copy `item` to the end. False if there is no room: nothing is done then. Any thread. */
bool sc_handover_put(sc_handover *handover, const void *item);

/** The same for several, in their order; returns how many of them found room. */
size_t sc_handover_put_many(sc_handover *handover, const void *items, size_t count);

/**
 * Take up to `room` things into `items`, oldest first; returns how many. What is taken is wiped
 * from the queue. If more are waiting than were taken, the descriptor stays readable.
 */
size_t sc_handover_take(sc_handover *handover, void *items, size_t room);

/** A descriptor that is readable when something can be taken; for poll(). Lent. */
int sc_handover_fd(const sc_handover *handover);

/** How many were ever put. */
uint64_t sc_handover_total(sc_handover *handover);

/** How many wait at this moment; another thread may have changed it already. */
size_t sc_handover_count(sc_handover *handover);

#endif
