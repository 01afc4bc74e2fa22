/**
 * @file message_batch.h
 * @brief Secret: messages for one process that leave together: one seal, one message of NATS.
 *
 *     1 | messages                    as they are
 *     2 | size (4 bytes) | zlib       of what would follow a 1, where that is much smaller
 *
 * and each of the messages: its size in 4 bytes, the lowest first, and its bytes
 * (cluster_codec.h). The first byte is the version of this format.
 *
 * What is read has been unsealed, and is read as if a stranger had sent it all the same: sizes are
 * checked against what is there, and what is compressed may grow to a bound.
 */
#ifndef SC_CLUSTER_MESSAGE_BATCH_H
#define SC_CLUSTER_MESSAGE_BATCH_H

#include <starcloak/err.h>
#include <starcloak/relay_codec.h>

#include "messages/messages.h"

enum {
    SC_BATCH_SIZE = 32 << 10,      ///< bytes after which no message is added
    SC_BATCH_COMPRESS = 16 << 10,  ///< bytes from which it is tried: what is less costs more time
                                   ///< to compress than to send
    SC_BATCH_GROWTH = 64,          ///< how many times its size something compressed may have
};

/** Add a message; what was there is wiped if it moves. SC_OK, SC_ENOMEM, SC_ELIMIT: it is as before
 */
SC_CHECKED sc_err sc__batch_add(sc_bytes *batch, const void *bytes, size_t size);

/** No message will be added: compress it, if it is large and that helps. */
void sc__batch_close(sc_bytes *batch);

/**
 * Hand each message on, in order.
 *
 * @param receive  may not keep the bytes
 * @return SC_OK, SC_EPARSE, SC_ELIMIT, SC_ENOMEM; messages before the one that is wrong were handed
 * on
 */
SC_CHECKED sc_err sc__batch_read(const void *bytes, size_t size,
                                 void (*receive)(void *context, const void *bytes, size_t size),
                                 void *context);

/** How messages become bytes, and where these go. */
typedef struct sc__batch_route {
    /** In place of what was in `out`; false: it is lost. */
    bool (*encode)(void *context, const sc_msg *msg, sc_bytes *out);
    /** SC_OK, SC_ELIMIT (larger than NATS takes), others: it is lost. */
    sc_err (*send)(void *context, sc_peer to, const void *bytes, size_t size);
    void *context;
} sc__batch_route;

/** Send messages to one process in as few batches as they fit into. Takes what they own. */
void sc__batch_send(const sc__batch_route *route, sc_peer to, sc_msg *const *msgs, size_t count);

#endif
