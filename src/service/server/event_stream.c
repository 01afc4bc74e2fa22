// Subscribers, and how a text reaches them.
//
//     the sending thread                      each loop's thread
//     a copy, once, in a block  --handover-->  sent to the loop's subscribers, released
//
//  1. A subscriber belongs to its loop's thread, from the request to the moment at which its client
//     is gone or its stream ends.
//  2. A block is held by every handover that it is in; the last one to release it frees it.
//  3. The number of subscribers is read without a lock. A subscriber is counted before it gets its
//     greeting: events sent after the greeting was made are never missed, and earlier ones may come
//     once more.
#include "server/event_stream.h"

#include "base/alloc.h"
#include "base/handover.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/** A text, shared by the loops. */
typedef struct text_block {
    atomic_size_t holders;
    size_t size;
    char text[];
} text_block;

typedef struct loop_subscribers loop_subscribers;

/** A subscriber. */
typedef struct subscriber {
    sc_http_request *request;
    loop_subscribers *among;
    uint64_t user;  ///< 0: not known
    struct subscriber *before;
    struct subscriber *next;
} subscriber;

/** The listeners of one loop. */
struct loop_subscribers {
    sc_event_stream *whole;
    sc_handover *handover;        ///< of block pointers
    atomic_size_t waiting_bytes;  ///< of the blocks in it
    atomic_size_t count;          ///< of listeners
    // The loop's thread alone:
    subscriber *first;
    unsigned silence_s;  ///< since something was sent
};

struct sc_event_stream {
    sc_event_stream_options options;
    loop_subscribers *loops;
    atomic_size_t count;  ///< of listeners, of all loops
    pthread_mutex_t lock;
    uint64_t *users;  ///< under the lock: of each subscriber whose user is known
    size_t user_count;
    atomic_uint_fast64_t lost;
};

// --- Sending, in any thread --------------------------------------------------------------------

static text_block *block_new(const void *text, size_t size)
{
    text_block *block = sc_malloc(sizeof *block + size);
    if (!block) return NULL;
    atomic_init(&block->holders, 1);
    block->size = size;
    memcpy(block->text, text, size);
    return block;
}

static void block_release(text_block *block)
{
    if (atomic_fetch_sub(&block->holders, 1) == 1) sc_free(block);
}

static void count_lost(sc_event_stream *stream)
{
    atomic_fetch_add_explicit(&stream->lost, 1, memory_order_relaxed);
}

bool sc_event_stream_is_empty(const sc_event_stream *stream)
{
    return sc_event_stream_count(stream) == 0;
}

/** Whether there was room for it. The bytes are counted first: two threads that send at the same
 * time may then both find that there is none, but never both take what is left. */
static bool hand_over(loop_subscribers *loop, text_block *block)
{
    const size_t before = atomic_fetch_add(&loop->waiting_bytes, block->size);
    const bool fits = before + block->size <= SC_EVENT_STREAM_WAITING_BYTES_MAX;
    if (fits && sc_handover_put(loop->handover, &block)) return true;
    atomic_fetch_sub(&loop->waiting_bytes, block->size);
    return false;
}

void sc_event_stream_send(sc_event_stream *stream, const void *text, size_t size)
{
    if (sc_event_stream_is_empty(stream)) return;
    text_block *block = block_new(text, size);
    if (!block) {
        count_lost(stream);
        return;
    }
    for (unsigned i = 0; i < stream->options.loops; i++) {
        loop_subscribers *loop = &stream->loops[i];
        if (atomic_load(&loop->count) == 0) continue;
        atomic_fetch_add(&block->holders, 1);
        if (!hand_over(loop, block)) {
            count_lost(stream);
            block_release(block);
        }
    }
    block_release(block);
}

size_t sc_event_stream_count(const sc_event_stream *stream)
{
    return atomic_load(&stream->count);
}

uint64_t sc_event_stream_lost(const sc_event_stream *stream)
{
    return atomic_load_explicit(&stream->lost, memory_order_relaxed);
}

// --- In a loop's thread ------------------------------------------------------------------------

static void send_to_all(loop_subscribers *among, const void *text, size_t size)
{
    for (const subscriber *h = among->first; h; h = h->next) {
        sc_http_stream_send(h->request, text, size);
    }
    among->silence_s = 0;
}

void sc_event_stream_send_loop(sc_event_stream *stream, unsigned loop, const void *text,
                               size_t size)
{
    send_to_all(&stream->loops[loop], text, size);
}

static void take_texts(void *context, unsigned loop)
{
    sc_event_stream *stream = context;
    loop_subscribers *among = &stream->loops[loop];
    text_block *blocks[16];
    // The descriptor stays readable while there are more, so that requests get their turn in
    // between.
    const size_t count = sc_handover_take(among->handover, blocks, 16);
    for (size_t i = 0; i < count; i++) {
        send_to_all(among, blocks[i]->text, blocks[i]->size);
        atomic_fetch_sub(&among->waiting_bytes, blocks[i]->size);
        block_release(blocks[i]);
    }
}

// --- Subscribers of one user ---------------------------------------------------------------------

/** Count one more of `user`; false if there are as many as one user may have. */
static bool user_enter(sc_event_stream *stream, uint64_t user)
{
    const size_t tenth = stream->options.max_listeners / 10;
    const size_t most = tenth > 0 ? tenth : 1;
    size_t has = 0;
    if (user == 0) return true;
    pthread_mutex_lock(&stream->lock);
    for (size_t i = 0; i < stream->user_count; i++) {
        has += stream->users[i] == user;
    }
    // There is room for as many as there may be subscribers.
    const bool may = has < most && stream->user_count < stream->options.max_listeners;
    if (may) stream->users[stream->user_count++] = user;
    pthread_mutex_unlock(&stream->lock);
    return may;
}

static void user_leave(sc_event_stream *stream, uint64_t user)
{
    if (user == 0) return;
    pthread_mutex_lock(&stream->lock);
    for (size_t i = 0; i < stream->user_count; i++) {
        if (stream->users[i] != user) continue;
        stream->users[i] = stream->users[--stream->user_count];
        break;
    }
    pthread_mutex_unlock(&stream->lock);
}

static void subscriber_drop(subscriber *dropped)
{
    loop_subscribers *among = dropped->among;
    user_leave(among->whole, dropped->user);
    if (dropped->before) {
        dropped->before->next = dropped->next;
    } else {
        among->first = dropped->next;
    }
    if (dropped->next) dropped->next->before = dropped->before;
    atomic_fetch_sub(&among->count, 1);
    atomic_fetch_sub(&among->whole->count, 1);
    sc_free(dropped);
}

static void subscriber_gone(void *context)
{
    subscriber_drop(context);
}

void sc_event_stream_end(sc_event_stream *stream, unsigned loop)
{
    loop_subscribers *among = &stream->loops[loop];
    while (among->first) {
        sc_http_request *request = among->first->request;
        subscriber_drop(among->first);
        sc_http_stream_end(request);
    }
}

void sc__event_stream_second(void *context, unsigned loop)
{
    sc_event_stream *stream = context;
    loop_subscribers *among = &stream->loops[loop];
    const sc_event_stream_options *options = &stream->options;
    if (!among->first) return;
    if (options->tick) options->tick(options->context, loop);
    if (among->silence_s >= SC_EVENT_STREAM_SILENCE_S) {
        static const char comment[] = ": nothing new\n\n";
        send_to_all(among, comment, sizeof comment - 1);
    }
    among->silence_s++;
}

/** Its place in the count is taken already. */
static bool subscriber_add(loop_subscribers *among, sc_http_request *request, uint64_t user)
{
    subscriber *added = sc_calloc(1, sizeof *added);
    if (!added) return false;
    *added = (subscriber){.request = request, .among = among, .user = user, .next = among->first};
    if (added->next) added->next->before = added;
    among->first = added;
    atomic_fetch_add(&among->count, 1);
    sc_http_on_gone(request, subscriber_gone, added);
    return true;
}

sc_err sc_event_stream_subscribe(sc_event_stream *stream, unsigned loop, sc_http_request *request,
                                 uint64_t user)
{
    const sc_event_stream_options *options = &stream->options;
    sc_err err = SC_OK;
    if (atomic_fetch_add(&stream->count, 1) >= options->max_listeners) {
        err = SC_EBUSY;
    } else if (!user_enter(stream, user)) {
        err = SC_EBUSY;
    } else if (!subscriber_add(&stream->loops[loop], request, user)) {
        user_leave(stream, user);
        err = SC_ENOMEM;
    }
    if (err) {
        atomic_fetch_sub(&stream->count, 1);
        return err;
    }
    // nginx, in front of us, would collect events before it passes them on.
    static const sc_http_header headers[] = {{"X-Accel-Buffering", "no"}};
    static const char hello[] = "retry: 2000\n\n";
    sc_http_stream_begin(request, 200, "text/event-stream", headers, 1);
    sc_http_stream_send(request, hello, sizeof hello - 1);
    if (options->greet) options->greet(options->context, loop, request);
    return SC_OK;
}

void sc_event_stream_send_first(sc_http_request *listener, const void *text, size_t size)
{
    sc_http_stream_send(listener, text, size);
}

// --- Making ------------------------------------------------------------------------------------

static sc_err open_loop(sc_event_stream *stream, unsigned loop)
{
    sc_http *http = stream->options.http;
    loop_subscribers *among = &stream->loops[loop];
    among->whole = stream;
    sc_err err =
        sc_handover_new(sizeof(text_block *), SC_EVENT_STREAM_WAITING_MAX, &among->handover);
    if (!err) {
        err = sc_http_watch(http, loop, sc_handover_fd(among->handover), take_texts, stream);
    }
    if (!err) err = sc_http_every(http, loop, 1.0, sc__event_stream_second, stream);
    return err;
}

sc_err sc_event_stream_new(const sc_event_stream_options *options, sc_event_stream **out)
{
    sc_err err = SC_ENOMEM;
    sc_event_stream *stream = sc_calloc(1, sizeof *stream);
    if (!stream) goto fail;
    stream->options = *options;
    pthread_mutex_init(&stream->lock, NULL);
    stream->users = sc_calloc(options->max_listeners, sizeof *stream->users);
    if (!stream->users) goto fail;
    stream->loops = sc_calloc(options->loops, sizeof *stream->loops);
    if (!stream->loops) goto fail;
    for (unsigned i = 0; i < options->loops; i++) {
        err = open_loop(stream, i);
        if (err) goto fail;
    }
    *out = stream;
    return SC_OK;
fail:
    sc_event_stream_free(stream);
    return err;
}

static void close_loop(loop_subscribers *among)
{
    text_block *block = NULL;
    while (among->handover && sc_handover_take(among->handover, &block, 1) == 1) {
        block_release(block);
    }
    sc_handover_free(among->handover);
    while (among->first) {
        subscriber_drop(among->first);
    }
}

void sc_event_stream_free(sc_event_stream *stream)
{
    if (!stream) return;
    for (unsigned i = 0; stream->loops && i < stream->options.loops; i++) {
        close_loop(&stream->loops[i]);
    }
    sc_free(stream->loops);
    sc_free(stream->users);
    pthread_mutex_destroy(&stream->lock);
    sc_free(stream);
}
