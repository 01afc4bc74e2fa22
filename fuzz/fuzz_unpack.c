// Door: xz and gzip, as map files are published.
//
// The first byte says how the rest is taken. 0: as packed bytes; they unpack or
// are refused. Otherwise as plain bytes, which are packed (bit 0: gzip, else xz;
// bit 1: as two streams, one behind the other): they must come back unchanged,
// and no piece cut from the end of the last stream may go unnoticed.
#include "door.h"

#include "base/alloc.h"
#include "base/unpack.h"

#include <lzma.h>
#include <zlib.h>

enum { AS_PACKED = 0, WITH_GZIP = 1, IN_TWO_STREAMS = 2 };

/** Bytes being packed. */
typedef struct packed {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
} packed;

static void pack_xz(packed *out, const uint8_t *plain, size_t size)
{
    const lzma_ret ret = lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, plain, size, out->bytes,
                                                 &out->size, out->capacity);
    if (ret != LZMA_OK) abort();
}

static void pack_gzip(packed *out, const uint8_t *plain, size_t size)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)plain,
                       .avail_in = (uInt)size,
                       .next_out = out->bytes + out->size,
                       .avail_out = (uInt)(out->capacity - out->size)};
    if (deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        abort();
    }
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) abort();
    out->size = out->capacity - stream.avail_out;
    deflateEnd(&stream);
}

static void pack(packed *out, unsigned how, const uint8_t *plain, size_t size)
{
    if (how & WITH_GZIP) {
        pack_gzip(out, plain, size);
    } else {
        pack_xz(out, plain, size);
    }
}

// Unpack from memory of exactly the right size; false if it is refused.
static bool unpack(const uint8_t *bytes, size_t size, void **memory, size_t *plain_size)
{
    uint8_t *copy = door_copy(bytes, size);
    const sc_input input = {"a.gr.xz", copy, size};
    sc_diag diag = {""};
    const sc_err err = sc_unpack(&input, memory, plain_size, &diag);
    if (err) door_refused(err, &diag, &input, 1);
    free(copy);
    return !err;
}

static void round_trip(unsigned how, const uint8_t *plain, size_t size)
{
    packed p = {.capacity = 2 * size + 4096};
    p.bytes = malloc(p.capacity);
    if (!p.bytes) abort();
    const size_t half = how & IN_TWO_STREAMS ? size / 2 : 0;
    if (how & IN_TWO_STREAMS) pack(&p, how, plain, half);
    const size_t last_stream = p.size;
    pack(&p, how, plain + half, size - half);

    void *memory = NULL;
    size_t got = 0;
    DOOR_PROMISE(unpack(p.bytes, p.size, &memory, &got), "what was packed can be unpacked");
    DOOR_PROMISE(got == size && (size == 0 || memcmp(memory, plain, size) == 0),
                 "what was packed comes back unchanged");
    sc_free(memory);

    // Cut at eight places inside the last stream.
    for (size_t i = 1; i <= 8; i++) {
        const size_t cut = last_stream + (p.size - last_stream - 1) * i / 8;
        const sc_input input = {"a.gr.xz", p.bytes, cut};
        if (cut == last_stream || !sc_unpack_needed(&input)) continue;
        DOOR_PROMISE(!unpack(p.bytes, cut, &memory, &got), "a cut stream is noticed");
    }
    free(p.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > DOOR_MAX_SIZE) return 0;
    if (data[0] != AS_PACKED) {
        round_trip(data[0], data + 1, size - 1);
        return 0;
    }
    const sc_input input = {"a.gr.xz", data + 1, size - 1};
    void *memory = NULL;
    size_t plain_size = 0;
    if (sc_unpack_needed(&input) && unpack(data + 1, size - 1, &memory, &plain_size)) {
        sc_free(memory);
    }
    return 0;
}
