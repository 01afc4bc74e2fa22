/**
 * @file outbox.h
 * @brief Secret: messages that wait to be sent, and the thread that sends them.
 *
 * The NATS library holds its lock while it reconnects, for seconds if a server is silent, and
 * every thread that publishes waits for it. So the ledger, which decides outcomes, and engines only
 * put their messages here: a bounded queue. What finds no room is lost, and counted; the protocol
 * bears that.
 *
 * Messages of one round are gathered until it ends (sc__outbox_flush()), and those to one process
 * are sent together: a seal, a message of NATS and a thread that wakes up cost many times what a
 * message among others does.
 */
#ifndef SC_CLUSTER_OUTBOX_H
#define SC_CLUSTER_OUTBOX_H

#include "messages/messages.h"

/** Messages that find room: some seconds of a busy gateway's; older ones are of no use. */
enum { SC_OUTBOX_SIZE = 32768 };

/** Between two rounds of a busy outbox, or of a busy worker's engines (base/pace.h): little against
 * the seconds for which queries wait, and against the time by which a cloak is delayed on purpose;
 * an idle one sends at once. */
enum { SC_CLUSTER_ROUND_US = 5000 };

typedef struct sc__outbox sc__outbox;

/** Send messages to one process, in their order. Takes what they own, and may wait. */
typedef void sc__outbox_send(void *context, sc_peer to, sc_msg *const *msgs, size_t count);

/**
 * @param send  called in the outbox's thread
 * @return SC_OK, SC_ENOMEM, SC_EIO (no descriptor)
 */
SC_CHECKED sc_err sc__outbox_new(sc__outbox_send *send, void *context, sc__outbox **out);

/** Start the thread. SC_OK, SC_EIO */
SC_CHECKED sc_err sc__outbox_start(sc__outbox *outbox);

/** Put a message to a process, for the next flush at the latest; what it owns goes with it. Any
 * thread; never waits. */
void sc__outbox_put(sc__outbox *outbox, sc_peer to, sc_msg *msg);

/** A round is over: send what was put. Any thread; never waits. */
void sc__outbox_flush(sc__outbox *outbox);

/** How many find room at this moment. Any thread. */
size_t sc__outbox_space(sc__outbox *outbox);

/** Messages for which there was no room. Any thread. */
uint64_t sc__outbox_lost(const sc__outbox *outbox);

/** What is there is sent, then the thread ends. Harmless twice. */
void sc__outbox_stop(sc__outbox *outbox);

/** Stops it first; NULL is fine. */
void sc__outbox_free(sc__outbox *outbox);

#endif
