// The envelope of all messages, and what they share: ascending ids, moments. See codec.h.
#include "cluster/cluster_codec_internal.h"

#include "base/alloc.h"

#include <string.h>

/**
 * Unpacked, a message may take so many times its size, and a little more. Columns of numbers take
 * eight times at most, where each has one byte; requests, the smallest parts that come in numbers,
 * less than that together with the ids of their queries.
 */
enum { GROWTH = 16, ALLOWANCE = 1 << 16 };

// --- In and out -------------------------------------------------------------------------------

// Not by realloc: what was there before may be of a query, and a copy of it would stay behind.
static bool make_room(sc_bytes *bytes, size_t size)
{
    if (bytes->data) explicit_bzero(bytes->data, bytes->size);
    bytes->size = 0;
    if (size <= bytes->capacity) return true;
    uint8_t *larger = sc_malloc(size);
    if (!larger) return false;
    sc_free(bytes->data);
    *bytes = (sc_bytes){.data = larger, .capacity = size};
    return true;
}

sc_err sc__message_pack(const Starcloak__Cluster__Message *message, sc_bytes *out)
{
    const size_t size = starcloak__cluster__message__get_packed_size(message);
    if (size > SC__MESSAGE_MAX) return SC_ELIMIT;
    if (!make_room(out, size)) return SC_ENOMEM;
    out->size = starcloak__cluster__message__pack(message, out->data);
    return SC_OK;
}

static void *take(void *scratch, size_t size)
{
    return sc__codec_scratch_take(scratch, size, 1);
}

// All of it is released at once.
static void give_back(void *scratch, void *memory)
{
    (void)scratch, (void)memory;
}

sc_err sc__message_unpack(const void *bytes, size_t size, sc_message_kind kind,
                          sc__codec_scratch *scratch, const Starcloak__Cluster__Message **out)
{
    if (size > SC__MESSAGE_MAX) return SC_ELIMIT;
    *scratch = sc__codec_scratch_of(size * GROWTH + ALLOWANCE);
    ProtobufCAllocator allocator = {take, give_back, scratch};
    const Starcloak__Cluster__Message *message =
        starcloak__cluster__message__unpack(&allocator, size, bytes);
    if (!message && scratch->is_over) return SC_ELIMIT;
    if (!message && scratch->out_of_memory) return SC_ENOMEM;
    // The cases of the oneof are the numbers of its fields, and those are the kinds.
    if (!message || (unsigned)message->what_case != (unsigned)kind) return SC_EPARSE;
    *out = message;
    return SC_OK;
}

// --- Ids that ascend ----------------------------------------------------------------------------

bool sc__steps_write(const uint32_t *ids, size_t count, uint32_t limit, uint32_t *steps)
{
    for (size_t i = 0; i < count; i++) {
        if (ids[i] >= limit || (i > 0 && ids[i] <= ids[i - 1])) return false;
        steps[i] = i > 0 ? ids[i] - ids[i - 1] : ids[i];
    }
    return true;
}

sc_err sc__steps_read(const uint32_t *steps, size_t count, uint32_t limit, uint32_t *ids)
{
    uint64_t id = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && steps[i] == 0) return SC_EPARSE;
        id += steps[i];
        if (id >= limit) return SC_EUNKNOWN;
        ids[i] = (uint32_t)id;
    }
    return SC_OK;
}

// --- Moments ------------------------------------------------------------------------------------

/** As far from 1970 as any moment may be: 2^33 seconds. */
static const sc_time farthest = (sc_time)1000000 << 33;

static bool is_calendar(int64_t us)
{
    return us >= -farthest && us <= farthest;
}

bool sc__time_write(sc_time t, int64_t offset_us, int64_t *out)
{
    if (t == SC_TIME_NEVER) {
        *out = SC_TIME_NEVER;
        return true;
    }
    return !__builtin_add_overflow(t, offset_us, out) && is_calendar(*out);
}

bool sc__time_read(int64_t calendar_us, int64_t offset_us, sc_time *out)
{
    if (calendar_us == SC_TIME_NEVER) {
        *out = SC_TIME_NEVER;
        return true;
    }
    return is_calendar(calendar_us) && !__builtin_sub_overflow(calendar_us, offset_us, out) &&
           *out != SC_TIME_NEVER;
}
