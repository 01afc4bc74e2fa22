// Memory for unpacked messages: given out piece by piece, taken back at once.
//
// protobuf-c wants several allocations per way; from here each costs a few
// instructions. The limit keeps a small hostile message from unfolding into a
// large one: protobuf-c spends some 40 bytes on a field of two, so that a blob of
// 32 MiB could ask for more than a gigabyte.
//
// Used by: osm_pbf.c, osm_block.c.
#include "import/osm_internal.h"

#include "base/alloc.h"

#include <protobuf-c/protobuf-c.h>
#include <stdalign.h>
#include <stdint.h>

enum { CHUNK_SIZE = 256 * 1024 };

struct sc__osm_chunk {
    sc__osm_chunk *next;
    size_t size;
    size_t used;
    alignas(max_align_t) unsigned char bytes[];
};

static bool add_chunk(sc__osm_arena *arena, size_t size)
{
    if (size < CHUNK_SIZE) size = CHUNK_SIZE;
    sc__osm_chunk *chunk = sc_malloc(sizeof *chunk + size);
    if (!chunk) {
        arena->out_of_memory = true;
        return false;
    }
    chunk->next = arena->chunks;
    chunk->size = size;
    chunk->used = 0;
    arena->chunks = chunk;
    return true;
}

void *sc__osm_arena_alloc(sc__osm_arena *arena, size_t size)
{
    const size_t mask = alignof(max_align_t) - 1;
    const size_t rounded = size < SIZE_MAX - mask ? (size + mask) & ~mask : SIZE_MAX;
    if (rounded > arena->limit - arena->used) {
        arena->over_limit = true;
        return NULL;
    }
    arena->used += rounded;

    if (!arena->chunks || arena->chunks->size - arena->chunks->used < rounded) {
        if (!add_chunk(arena, rounded)) return NULL;
    }
    void *memory = arena->chunks->bytes + arena->chunks->used;
    arena->chunks->used += rounded;
    return memory;
}

void sc__osm_arena_reset(sc__osm_arena *arena, size_t limit)
{
    // The oldest chunk stays, so that small messages never reach the allocator.
    while (arena->chunks && arena->chunks->next) {
        sc__osm_chunk *next = arena->chunks->next;
        sc_free(arena->chunks);
        arena->chunks = next;
    }
    if (arena->chunks) arena->chunks->used = 0;
    arena->used = 0;
    arena->limit = limit;
    arena->out_of_memory = false;
    arena->over_limit = false;
}

void sc__osm_arena_fini(sc__osm_arena *arena)
{
    sc__osm_arena_reset(arena, 0);
    sc_free(arena->chunks);
    arena->chunks = NULL;
}

static void *protobuf_alloc(void *arena, size_t size)
{
    return sc__osm_arena_alloc(arena, size);
}

static void protobuf_free(void *arena, void *memory)
{
    (void)arena;
    (void)memory;
}

void *sc__osm_unpack(sc__osm_arena *arena, const ProtobufCMessageDescriptor *descriptor,
                     const uint8_t *bytes, size_t size)
{
    // The worst that an honest message does is to hold packed numbers of one byte,
    // which become eight each.
    enum { GROWTH = 10, ALLOWANCE = 1 << 20 };
    sc__osm_arena_reset(arena, size * GROWTH + ALLOWANCE);
    ProtobufCAllocator allocator = {protobuf_alloc, protobuf_free, arena};
    return protobuf_c_message_unpack(descriptor, &allocator, size, bytes);
}

sc_err sc__osm_fail_unpack(const sc__osm *osm, const sc__osm_arena *arena, sc__osm_place place,
                           const char *what)
{
    if (arena->out_of_memory) return sc__osm_fail_memory(osm);
    if (arena->over_limit) {
        return sc__osm_fail(osm, place, SC_ELIMIT,
                            "%s takes far more memory than its size explains", what);
    }
    return sc__osm_fail(osm, place, SC_EPARSE, "%s is damaged", what);
}
