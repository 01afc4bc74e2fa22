// Unpacking and packing with protobuf-c. See compact_internal.h.
//
// protobuf-c takes some hundred bytes for a part that has two, so that a message of a few megabytes
// could ask for a gigabyte. Memory comes from a budget instead, which honest messages do not reach:
// what they consist of, numbers of one byte or more, becomes four or eight bytes each.
#include "relay/compact_internal.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/diag.h"

enum { GROWTH = 8, ALLOWANCE = 1 << 20 };

typedef struct budget {
    size_t left;
    bool is_over;        ///< more was asked for than the budget has
    bool out_of_memory;  ///< or than there is
} budget;

static void *take(void *data, size_t size)
{
    budget *b = data;
    if (size > b->left) {
        b->is_over = true;
        return NULL;
    }
    b->left -= size;
    void *memory = sc_malloc(size);
    b->out_of_memory = !memory;
    return memory;
}

static void give_back(void *data, void *memory)
{
    (void)data;
    sc_free(memory);
}

sc_err sc__compact_unpack(const sc__codec *codec, const ProtobufCMessageDescriptor *kind,
                          sc__message message, ProtobufCMessage **out)
{
    budget b = {.left = ALLOWANCE};
    if (__builtin_mul_overflow(codec->limits.max_bytes, (size_t)GROWTH, &b.left) ||
        __builtin_add_overflow(b.left, (size_t)ALLOWANCE, &b.left)) {
        b.left = SIZE_MAX;
    }
    ProtobufCAllocator allocator = {take, give_back, &b};
    ProtobufCMessage *unpacked =
        protobuf_c_message_unpack(kind, &allocator, message.size, message.bytes);
    if (!unpacked && b.is_over) {
        return sc_fail(codec->diag, SC_ELIMIT,
                       "the message takes far more memory than its size explains");
    }
    if (!unpacked && b.out_of_memory) return sc_fail_memory(codec->diag, "reading a message");
    if (!unpacked) {
        return sc_fail(codec->diag, SC_EPARSE, "the message is not a %s in the compact encoding",
                       kind->short_name);
    }
    *out = unpacked;
    return SC_OK;
}

void sc__compact_free(ProtobufCMessage *message)
{
    ProtobufCAllocator allocator = {take, give_back, NULL};
    if (message) protobuf_c_message_free_unpacked(message, &allocator);
}

sc_err sc__compact_pack(const sc__codec *codec, const ProtobufCMessage *message, sc_bytes *out)
{
    const size_t size = protobuf_c_message_get_packed_size(message);
    if (!sc_bytes_reserve(out, size)) return sc_fail_memory(codec->diag, "writing a message");
    out->size += protobuf_c_message_pack(message, out->data + out->size);
    return SC_OK;
}

sc_err sc__compact_check_map(const sc__codec *codec, uint64_t checksum)
{
    if (checksum == sc_map_checksum(codec->map)) return SC_OK;
    return sc_fail(codec->diag, SC_EMISMATCH,
                   "the message is about another map (checksum %016llx, here %016llx); give both "
                   "sides the same .scm file, or use GeoJSON",
                   (unsigned long long)checksum, (unsigned long long)sc_map_checksum(codec->map));
}
