/**
 * @file received.h
 * @brief A port whose messages are kept, in the order in which they were sent, until a test looks.
 *
 * Any thread may send. How many messages fit can be sent, so that a test can play a gateway that
 * does not listen.
 */
#ifndef SC_SUPPORT_RECEIVED_H
#define SC_SUPPORT_RECEIVED_H

#include "messages/messages.h"

#include <pthread.h>

typedef struct received_msg {
    sc_peer to;
    sc_msg msg;
} received_msg;

typedef struct received {
    pthread_mutex_t lock;
    received_msg *msgs;
    size_t first;  ///< not yet taken
    size_t count;
    size_t capacity;
    size_t room;  ///< that many may wait; SIZE_MAX at first
    size_t lost;  ///< sent although there was no room
} received;

/** It stays where it is. */
void received_open(received *h);
void received_close(received *h);

sc_port received_port(received *h);

/** The oldest message, which is the caller's; false if there is none. */
bool received_take(received *h, received_msg *out);

/** The oldest message, which must be of that kind, and for that peer. */
sc_msg received_next(received *h, sc_msg_kind kind, sc_peer to);

/** Nothing is left. */
void received_check_quiet(received *h);

/** How many wait. */
size_t received_count(received *h);

/** How many may wait from now on. */
void received_limit(received *h, size_t room);

#endif
