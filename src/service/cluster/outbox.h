/**
 * @file outbox.h
 * @brief Secret: messages that wait to be sent, and the thread that sends them.
 *
 * The NATS library holds its lock while it reconnects, for seconds if a server is silent, and
 * every thread that publishes waits for it. So the ledger, which decides outcomes, only puts its
 * messages here: a bounded queue. What finds no room is lost, and counted; the protocol bears that.
 */
#ifndef SC_CLUSTER_OUTBOX_H
#define SC_CLUSTER_OUTBOX_H

#include "messages/messages.h"

/** Messages that find room: some seconds of a busy gateway's; older ones are of no use. */
enum { SC_OUTBOX_SIZE = 32768 };

typedef struct sc__outbox sc__outbox;

/**
 * @param send  sends one message, in the outbox's thread; it may wait. Takes what the message owns
 * @return SC_OK, SC_ENOMEM, SC_EIO (no descriptor)
 */
SC_CHECKED sc_err sc__outbox_new(void (*send)(void *context, sc_peer to, sc_msg *msg),
                                 void *context, sc__outbox **out);

/** Start the thread. SC_OK, SC_EIO */
SC_CHECKED sc_err sc__outbox_start(sc__outbox *outbox);

/** Put a message; what it owns goes with it. Any thread; never waits. */
void sc__outbox_put(sc__outbox *outbox, sc_peer to, sc_msg *msg);

/** How many find room at this moment. Any thread. */
size_t sc__outbox_space(sc__outbox *outbox);

/** Messages for which there was no room. Any thread. */
uint64_t sc__outbox_lost(const sc__outbox *outbox);

/** What is there is sent, then the thread ends. Harmless twice. */
void sc__outbox_stop(sc__outbox *outbox);

/** Stops it first; NULL is fine. */
void sc__outbox_free(sc__outbox *outbox);

#endif
