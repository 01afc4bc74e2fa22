/**
 * @file event_stream.h
 * @brief Server-sent events: one text, sent to all subscribers, loop by loop.
 *
 * An event is written once, in any thread; every loop then sends it to its own subscribers. A
 * subscriber that does not read is cut off by the server (http.h); a loop that does not keep up
 * loses events, which are counted, so that what waits for it stays bounded; sending never waits.
 *
 * A comment line is sent when there was nothing else for SC_EVENT_STREAM_SILENCE_S seconds: proxies
 * close what is silent.
 */
#ifndef SC_SERVER_EVENT_STREAM_H
#define SC_SERVER_EVENT_STREAM_H

#include "server/http.h"

/** Seconds without an event after which a comment is sent. */
enum { SC_EVENT_STREAM_SILENCE_S = 15 };

/** What may wait for one loop, some seconds of a busy service: so many texts, and together so many
 * bytes. A subscriber's connection holds far less. */
enum { SC_EVENT_STREAM_WAITING_MAX = 1024, SC_EVENT_STREAM_WAITING_BYTES_MAX = 8 << 20 };

typedef struct sc_event_stream sc_event_stream;

typedef struct sc_event_stream_options {
    sc_http *http;
    unsigned loops;  ///< of that server
    size_t max_listeners;
    /** Sends first events to a new subscriber, in the loop's thread: call
     * sc_event_stream_send_first() as often as wanted. Events from before may still come after it.
     * May be NULL. */
    void (*greet)(void *context, unsigned loop, sc_http_request *subscriber);
    /** Called once per second in the thread of each loop that has subscribers; may send, or end
     * all. May be NULL. */
    void (*tick)(void *context, unsigned loop);
    void *context;
} sc_event_stream_options;

/** Before sc_http_start(). @return SC_OK, SC_EIO, SC_ENOMEM */
SC_CHECKED sc_err sc_event_stream_new(const sc_event_stream_options *options,
                                      sc_event_stream **out);

/** After the loops have stopped; NULL is fine. */
void sc_event_stream_free(sc_event_stream *stream);

/**
 * Subscribe a request from now on: headers are sent, "retry: 2000", and the greeting. In the
 * loop's thread.
 *
 * @param user  a number for the user, who may have a tenth of all subscribers, one at least; 0:
 *              not known, and not bounded
 * @return SC_OK; SC_EBUSY (there are as many subscribers as allowed, in all or of this user),
 * SC_ENOMEM: the request is still the caller's to answer
 */
SC_CHECKED sc_err sc_event_stream_subscribe(sc_event_stream *stream, unsigned loop,
                                            sc_http_request *request, uint64_t user);

/** From within `greet`: send this to the new subscriber. */
void sc_event_stream_send_first(sc_http_request *listener, const void *text, size_t size);

/** Whether there is no subscriber: then no event need be written. Any thread. */
bool sc_event_stream_is_empty(const sc_event_stream *stream);

/**
 * Send to all subscribers: one event or several, each ended by an empty line. Copied. Any thread.
 * If memory or room is out, it is lost, and counted.
 */
void sc_event_stream_send(sc_event_stream *stream, const void *text, size_t size);

/** The same to the subscribers of one loop, at once. In that loop's thread. */
void sc_event_stream_send_loop(sc_event_stream *stream, unsigned loop, const void *text,
                               size_t size);

/** End the streams of one loop. In that loop's thread, for instance in `tick`. */
void sc_event_stream_end(sc_event_stream *stream, unsigned loop);

size_t sc_event_stream_count(const sc_event_stream *stream);
uint64_t sc_event_stream_lost(const sc_event_stream *stream);

/** For tests, which then need not wait for the clock: a second has passed. In the loop's thread;
 * `context` is the stream. */
void sc__event_stream_second(void *context, unsigned loop);

#endif
