// Messages for one process that leave together. See message_batch.h.
#include "cluster/message_batch.h"

#include "base/alloc.h"
#include "cluster/cluster_codec_internal.h"
#include "cluster/heartbeat.h"

#include <string.h>
#include <zlib.h>

enum { PLAIN = 1, COMPRESSED = 2, SIZE_BYTES = 4, FIRST_CAPACITY = 2048 };

static void put_u32(uint8_t *to, size_t value)
{
    for (unsigned i = 0; i < SIZE_BYTES; i++) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

static size_t get_u32(const uint8_t *from)
{
    size_t value = 0;
    for (unsigned i = 0; i < SIZE_BYTES; i++) {
        value |= (size_t)from[i] << (8 * i);
    }
    return value;
}

// --- Writing -----------------------------------------------------------------------------------

// Not by realloc: a copy of what was there would stay behind.
static bool make_room(sc_bytes *bytes, size_t size)
{
    if (size <= bytes->capacity) return true;
    size_t capacity = bytes->capacity > 0 ? bytes->capacity : FIRST_CAPACITY;
    while (capacity < size) {
        capacity *= 2;
    }
    sc_bytes larger = {.data = sc_malloc(capacity), .size = bytes->size, .capacity = capacity};
    if (!larger.data) return false;
    if (bytes->size > 0) memcpy(larger.data, bytes->data, bytes->size);
    sc__bytes_wipe(bytes);
    *bytes = larger;
    return true;
}

sc_err sc__batch_add(sc_bytes *batch, const void *bytes, size_t size)
{
    const size_t at = batch->size > 0 ? batch->size : 1;
    if (size == 0 || size > SC__CLUSTER_MESSAGE_MAX ||
        at + SIZE_BYTES + size > SC__CLUSTER_MESSAGE_MAX) {
        return SC_ELIMIT;
    }
    if (!make_room(batch, at + SIZE_BYTES + size)) return SC_ENOMEM;
    batch->data[0] = PLAIN;
    put_u32(batch->data + at, size);
    memcpy(batch->data + at + SIZE_BYTES, bytes, size);
    batch->size = at + SIZE_BYTES + size;
    return SC_OK;
}

void sc__batch_close(sc_bytes *batch)
{
    if (batch->size < SC_BATCH_COMPRESS) return;
    const size_t head = 1 + SIZE_BYTES;
    const size_t size = batch->size - 1;
    // A quarter less, or it is not worth the time of the reader.
    const size_t room = size - size / 4;
    sc_bytes less = {.data = sc_malloc(head + room), .capacity = head + room};
    uLongf packed = (uLongf)room;
    if (less.data &&
        compress2(less.data + head, &packed, batch->data + 1, (uLong)size, Z_BEST_SPEED) == Z_OK &&
        packed >= size / SC_BATCH_GROWTH + 1) {
        less.data[0] = COMPRESSED;
        put_u32(less.data + 1, size);
        less.size = head + packed;
        sc__bytes_wipe(batch);
        *batch = less;
        return;
    }
    sc__bytes_wipe(&less);
}

// --- Reading -----------------------------------------------------------------------------------

static sc_err read_plain(const uint8_t *bytes, size_t size,
                         void (*receive)(void *context, const void *bytes, size_t size),
                         void *context)
{
    while (size > 0) {
        if (size < SIZE_BYTES) return SC_EPARSE;
        const size_t each = get_u32(bytes);
        bytes += SIZE_BYTES;
        size -= SIZE_BYTES;
        if (each == 0 || each > size) return SC_EPARSE;
        receive(context, bytes, each);
        bytes += each;
        size -= each;
    }
    return SC_OK;
}

sc_err sc__batch_read(const void *bytes, size_t size,
                      void (*receive)(void *context, const void *bytes, size_t size), void *context)
{
    const uint8_t *from = bytes;
    if (size > SC__CLUSTER_MESSAGE_MAX) return SC_ELIMIT;
    if (size < 1 + SIZE_BYTES) return SC_EPARSE;
    if (from[0] == PLAIN) return read_plain(from + 1, size - 1, receive, context);
    if (from[0] != COMPRESSED) return SC_EPARSE;

    const size_t packed = size - 1 - SIZE_BYTES;
    const size_t unpacked = get_u32(from + 1);
    if (unpacked == 0) return SC_EPARSE;
    if (unpacked > SC__CLUSTER_MESSAGE_MAX || unpacked / SC_BATCH_GROWTH > packed) return SC_ELIMIT;
    sc_bytes plain = {.data = sc_malloc(unpacked), .size = unpacked, .capacity = unpacked};
    if (!plain.data) return SC_ENOMEM;
    uLongf got = (uLongf)unpacked;
    uLong taken = (uLong)packed;
    sc_err err = SC_EPARSE;
    if (uncompress2(plain.data, &got, from + 1 + SIZE_BYTES, &taken) == Z_OK && got == unpacked &&
        taken == packed) {
        err = read_plain(plain.data, unpacked, receive, context);
    }
    sc__bytes_wipe(&plain);
    return err;
}

// --- Sending -----------------------------------------------------------------------------------

/** Send it and begin another. */
static sc_err send_batch(const sc__batch_route *route, sc_peer to, sc_bytes *batch)
{
    if (batch->size == 0) return SC_OK;
    sc__batch_close(batch);
    const sc_err err = route->send(route->context, to, batch->data, batch->size);
    explicit_bzero(batch->data, batch->size);
    batch->size = 0;
    return err;
}

/** One message that is a batch by itself. */
static void send_large(const sc__batch_route *route, sc_peer to, sc_msg *msg, sc_bytes *one,
                       sc_bytes *batch)
{
    sc_err err = sc__batch_add(batch, one->data, one->size);
    if (!err) err = send_batch(route, to, batch);
    // A reply larger than NATS takes: the other gateway asks the provider for the same cloak by
    // itself. Other losses are counted, and the protocol bears them.
    if (err != SC_ELIMIT || msg->kind != SC_MSG_RESULT || msg->result->reply_size == 0) return;
    msg->result->reply_size = 0;
    if (route->encode(route->context, msg, one) && !sc__batch_add(batch, one->data, one->size)) {
        (void)!send_batch(route, to, batch);
    }
}

void sc__batch_send(const sc__batch_route *route, sc_peer to, sc_msg *const *msgs, size_t count)
{
    sc_bytes batch = {0};
    sc_bytes one = {0};
    for (size_t i = 0; i < count; i++) {
        if (route->encode(route->context, msgs[i], &one)) {
            if (batch.size > 0 && batch.size + one.size > SC_BATCH_SIZE)
                (void)!send_batch(route, to, &batch);
            if (one.size > SC_BATCH_SIZE) {
                send_large(route, to, msgs[i], &one, &batch);
            } else {
                // Without memory it is lost, as it may be on the way.
                (void)!sc__batch_add(&batch, one.data, one.size);
            }
        }
        sc_msg_fini(msgs[i]);
    }
    (void)!send_batch(route, to, &batch);
    sc__bytes_wipe(&one);
    sc__bytes_wipe(&batch);
}
