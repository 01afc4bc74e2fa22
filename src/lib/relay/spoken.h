/**
 * @file spoken.h
 * @brief The objects that a reply speaks of.
 *
 * A provider may have millions; a reply tells only about those it names, numbered anew in the same
 * order: so consecutive objects stay consecutive.
 *
 * Used by: the encoders of replies.
 */
#ifndef SC_RELAY_SPOKEN_H
#define SC_RELAY_SPOKEN_H

#include "relay/relay_codec_internal.h"

/** Numbers of the reply's table, ascending, each once. Release with sc__spoken_fini(). */
typedef struct sc__spoken {
    uint32_t *objects;
    uint32_t count;
} sc__spoken;

/**
 * Gather them. Time O(n log n) for n objects as they are sent.
 *
 * @return SC_OK, SC_ENOMEM, SC_EINVAL (an object of no known category), SC_ELIMIT (2^32 of them)
 */
SC_CHECKED sc_err sc__spoken_init(const sc__codec *codec, const sc_reply *reply, sc__spoken *out);

/** Harmless twice. */
void sc__spoken_fini(sc__spoken *spoken);

#endif
