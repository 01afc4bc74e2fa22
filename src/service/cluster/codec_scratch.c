// Memory for one message: given out piece by piece, wiped and released at once. See
// codec_internal.h.
//
// protobuf-c spends some hundred bytes on a part that has two in a message. The limit keeps a small
// hostile message from unfolding into a large one.
#include "cluster/cluster_codec_internal.h"

#include "base/alloc.h"

#include <stdalign.h>
#include <string.h>

/** Of most messages the first chunk is enough. */
enum { CHUNK_SIZE = 4096 };

struct sc__codec_scratch_chunk {
    sc__codec_scratch_chunk *next;
    size_t size;
    size_t used;
    alignas(max_align_t) unsigned char bytes[];
};

static bool add_chunk(sc__codec_scratch *scratch, size_t size)
{
    if (size < CHUNK_SIZE) size = CHUNK_SIZE;
    sc__codec_scratch_chunk *chunk = sc_malloc(sizeof *chunk + size);
    if (!chunk) return false;
    *chunk = (sc__codec_scratch_chunk){.next = scratch->chunks, .size = size};
    scratch->chunks = chunk;
    return true;
}

void *sc__codec_scratch_take(sc__codec_scratch *scratch, size_t count, size_t size)
{
    const size_t mask = alignof(max_align_t) - 1;
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, mask, &bytes) || (bytes & ~mask) > scratch->left) {
        scratch->is_over = true;
        return NULL;
    }
    bytes &= ~mask;
    sc__codec_scratch_chunk *chunk = scratch->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) {
        if (!add_chunk(scratch, bytes)) {
            scratch->out_of_memory = true;
            return NULL;
        }
        chunk = scratch->chunks;
    }
    void *memory = chunk->bytes + chunk->used;
    chunk->used += bytes;
    scratch->left -= bytes;
    return memset(memory, 0, bytes);
}

void sc__codec_scratch_fini(sc__codec_scratch *scratch)
{
    while (scratch->chunks) {
        sc__codec_scratch_chunk *chunk = scratch->chunks;
        scratch->chunks = chunk->next;
        explicit_bzero(chunk->bytes, chunk->used);
        sc_free(chunk);
    }
}
