/**
 * @file received.h
 * @brief A port whose messages are kept, in the order in which they were sent, until a test looks.
 *
 * Any thread may send. How many messages fit can be sent, so that a test can play a gateway that
 * does not listen.
 */
#ifndef SC_SUPPORT_RECEIVED_H
#define SC_SUPPORT_RECEIVED_H

#include "ledger/messages.h"

#include <pthread.h>

typedef struct heard_msg {
    sc_peer to;
    sc_msg msg;
} heard_msg;

typedef struct heard {
    pthread_mutex_t lock;
    heard_msg *msgs;
    size_t first;  ///< not yet taken
    size_t count;
    size_t capacity;
    size_t room;  ///< that many may wait; SIZE_MAX at first
    size_t lost;  ///< sent although there was no room
} heard;

/** It stays where it is. */
void heard_open(heard *h);
void heard_close(heard *h);

sc_port heard_voice(heard *h);

/** The oldest message, which is the caller's; false if there is none. */
bool heard_take(heard *h, heard_msg *out);

/** The oldest message, which must be of that kind, and for that peer. */
sc_msg heard_next(heard *h, sc_msg_kind kind, sc_peer to);

/** Nothing is left. */
void heard_check_quiet(heard *h);

/** How many wait. */
size_t heard_count(heard *h);

/** How many may wait from now on. */
void heard_limit(heard *h, size_t room);

#endif
