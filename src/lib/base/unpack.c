// liblzma and zlib behind one growing buffer.
#include "base/unpack.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <lzma.h>
#include <string.h>
#include <zlib.h>

/** Where unpacked bytes gather. */
typedef struct buffer {
    uint8_t *bytes;
    size_t used;
    size_t capacity;
} buffer;

static bool is_xz(const sc_input *input)
{
    return input->size >= 6 && memcmp(input->data,
                                      "\xfd"
                                      "7zXZ\0",
                                      6) == 0;
}

static bool is_gzip(const sc_input *input)
{
    return input->size >= 3 && memcmp(input->data, "\x1f\x8b\x08", 3) == 0;
}

bool sc_unpack_needed(const sc_input *input)
{
    return is_xz(input) || is_gzip(input);
}

// What an honest input of this size may unpack to. Road maps shrink five- to
// twentyfold; one that grows two-hundredfold is meant to fill memory.
static size_t most_bytes(const sc_input *input)
{
    enum { MOST_RATIO = 200 };
    const size_t least = (size_t)256 << 20;
    const size_t most = input->size < SC_UNPACK_MAX_BYTES / MOST_RATIO ? input->size * MOST_RATIO
                                                                       : SC_UNPACK_MAX_BYTES;
    return most > least ? most : least;
}

static sc_err make_room(buffer *out, const sc_input *input, sc_diag *diag)
{
    if (out->used < out->capacity) return SC_OK;
    const size_t most = most_bytes(input);
    if (out->capacity >= most) {
        return sc_fail(
            diag, SC_ELIMIT,
            "%s: uncompresses to more than %zu bytes; if that is right, uncompress it first",
            input->name, most);
    }
    // Text shrinks about fourfold, so this is rarely done more than once.
    size_t wanted = out->capacity > 0 ? out->capacity * 2 : input->size * 6 + 4096;
    if (wanted > most) wanted = most;
    uint8_t *moved = sc_realloc(out->bytes, wanted);
    if (!moved) return sc_fail_memory(diag, "unpacking");
    out->bytes = moved;
    out->capacity = wanted;
    return SC_OK;
}

static void *lzma_take(void *opaque, size_t count, size_t size)
{
    (void)opaque;
    return sc_malloc_array(count, size);
}

static void lzma_give(void *opaque, void *memory)
{
    (void)opaque;
    sc_free(memory);
}

static sc_err unpack_xz(const sc_input *input, buffer *out, sc_diag *diag)
{
    // The header has how much memory the decoder takes, up to 4 GiB; the
    // strongest preset of xz takes 64 MiB.
    const uint64_t most_memory = (uint64_t)1 << 30;
    const lzma_allocator allocator = {.alloc = lzma_take, .free = lzma_give};
    lzma_stream stream = LZMA_STREAM_INIT;
    stream.allocator = &allocator;
    if (lzma_stream_decoder(&stream, most_memory, LZMA_CONCATENATED) != LZMA_OK) {
        return sc_fail_memory(diag, "unpacking");
    }
    stream.next_in = input->data;
    stream.avail_in = input->size;

    sc_err err = SC_OK;
    for (;;) {
        err = make_room(out, input, diag);
        if (err) break;
        stream.next_out = out->bytes + out->used;
        stream.avail_out = out->capacity - out->used;
        const lzma_ret ret = lzma_code(&stream, LZMA_FINISH);
        out->used = out->capacity - stream.avail_out;
        if (ret == LZMA_STREAM_END) break;
        if (ret == LZMA_MEM_ERROR) {
            err = sc_fail_memory(diag, "unpacking");
            break;
        }
        if (ret == LZMA_MEMLIMIT_ERROR) {
            err = sc_fail(
                diag, SC_ELIMIT,
                "%s: needs %llu MiB of memory to be uncompressed; uncompress it with xz first",
                input->name, (unsigned long long)(lzma_memusage(&stream) >> 20));
            break;
        }
        if (ret != LZMA_OK) {
            err = sc_fail(diag, SC_EPARSE, "%s: byte %llu: the xz data are damaged or cut short",
                          input->name, (unsigned long long)stream.total_in);
            break;
        }
    }
    lzma_end(&stream);
    return err;
}

static void *zlib_take(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return sc_malloc_array(count, size);
}

static void zlib_give(void *opaque, void *memory)
{
    (void)opaque;
    sc_free(memory);
}

static sc_err unpack_gzip(const sc_input *input, buffer *out, sc_diag *diag)
{
    // zlib counts in 32 bits, so a long input and output pass in pieces.
    enum { PIECE = 1 << 30 };
    z_stream stream = {.zalloc = zlib_take, .zfree = zlib_give};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return sc_fail_memory(diag, "unpacking");

    sc_err err = SC_OK;
    size_t taken = 0;
    for (;;) {
        err = make_room(out, input, diag);
        if (err) break;
        const size_t left = input->size - taken;
        const size_t room = out->capacity - out->used;
        stream.next_in = (Bytef *)(uintptr_t)(input->data + taken);
        stream.avail_in = left < PIECE ? (uInt)left : PIECE;
        stream.next_out = out->bytes + out->used;
        stream.avail_out = room < PIECE ? (uInt)room : PIECE;
        const int ret = inflate(&stream, Z_NO_FLUSH);
        taken = (size_t)(stream.next_in - input->data);
        out->used = (size_t)(stream.next_out - out->bytes);

        // A gzip file may hold several members, one after the other.
        if (ret == Z_STREAM_END) {
            if (taken == input->size) break;
            if (inflateReset(&stream) == Z_OK) continue;
        }
        if (ret == Z_MEM_ERROR) {
            err = sc_fail_memory(diag, "unpacking");
            break;
        }
        const bool wants_room = ret == Z_BUF_ERROR && stream.avail_out == 0;
        if (ret != Z_OK && !wants_room) {
            err = sc_fail(diag, SC_EPARSE, "%s: byte %zu: the gzip data are damaged or cut short",
                          input->name, taken);
            break;
        }
    }
    inflateEnd(&stream);
    return err;
}

sc_err sc_unpack(const sc_input *input, void **memory, size_t *size, sc_diag *diag)
{
    buffer out = {0};
    const sc_err err = is_xz(input) ? unpack_xz(input, &out, diag) : unpack_gzip(input, &out, diag);
    if (err) {
        sc_free(out.bytes);
        return err;
    }
    *memory = out.bytes;
    *size = out.used;
    return SC_OK;
}
