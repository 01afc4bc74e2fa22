// The frame of a pbf file: a row of blobs, each with a header, most of them packed with zlib.
//
// The format's limits (64 KiB for a header, 32 MiB for a blob, packed and plain) are checked before
// any memory is asked for. Blobs of unknown type are skipped, as the format demands; a header that
// requires a feature that is not supported is refused. What is inside a blob is read by
// osm_pbf_block.c.
#include "base/alloc.h"
#include "import/osm_internal.h"
#include "osm.pb-c.h"

#include <protobuf-c/protobuf-c.h>
#include <stdalign.h>
#include <stdint.h>
#include <string.h>

// --- An arena for unpacked messages -------------------------------------------------------------
// Given out piece by piece, taken back at once: protobuf-c wants several allocations per way; from
// here each costs a few instructions. The limit keeps a small hostile message from unfolding into a
// large one: protobuf-c spends some 40 bytes on a field of two, so that a blob of 32 MiB could ask
// for more than a gigabyte.

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

static void *arena_alloc(sc__osm_arena *arena, size_t size)
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

// Forgets all that was given out; up to `limit` bytes may be given out next.
static void arena_reset(sc__osm_arena *arena, size_t limit)
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
    arena_reset(arena, 0);
    sc_free(arena->chunks);
    arena->chunks = NULL;
}

static void *protobuf_alloc(void *arena, size_t size)
{
    return arena_alloc(arena, size);
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
    arena_reset(arena, size * GROWTH + ALLOWANCE);
    ProtobufCAllocator allocator = {protobuf_alloc, protobuf_free, arena};
    return protobuf_c_message_unpack(descriptor, &allocator, size, bytes);
}

sc_err sc__osm_fail_unpack(const sc__osm *osm, const sc__osm_arena *arena, sc__osm_place place,
                           const char *what)
{
    if (arena->out_of_memory) return sc__osm_fail_memory(osm);
    if (arena->over_limit) {
        return sc__osm_fail(osm, place, SC_ELIMIT,
                            "%s needs far more memory than its size justifies", what);
    }
    return sc__osm_fail(osm, place, SC_EPARSE, "%s is damaged", what);
}

// --- The reader ---------------------------------------------------------------------------------

#define ZLIB_CONST
#include <zlib.h>

enum { MAX_HEADER = 64 * 1024, MAX_BLOB = 32 * 1024 * 1024 };

// Unpacking takes almost half the time of reading, so what the second pass needs
// again is kept, up to this many bytes.
enum { MAX_HELD = 64 * 1024 * 1024 };

struct sc__osm_pbf {
    sc__osm *osm;
    sc__osm_block block;
    sc__osm_arena arena;  ///< for the header and the blob at hand
    z_stream inflater;
    bool has_inflater;
    uint8_t *plain;  ///< what the blob at hand unpacks to
    size_t plain_capacity;
};

static voidpf zlib_alloc(voidpf unused, uInt count, uInt size)
{
    (void)unused;
    return sc_malloc_array(count, size);
}

static void zlib_free(voidpf unused, voidpf memory)
{
    (void)unused;
    sc_free(memory);
}

bool sc__osm_is_pbf(const sc_input *input)
{
    return input->size > 0 && input->data[0] == 0;
}

sc_err sc__osm_pbf_new(sc__osm *osm, sc__osm_pbf **out)
{
    sc__osm_pbf *pbf = sc_calloc(1, sizeof *pbf);
    if (!pbf) return sc__osm_fail_memory(osm);
    pbf->osm = osm;
    pbf->block.osm = osm;
    pbf->inflater.zalloc = zlib_alloc;
    pbf->inflater.zfree = zlib_free;
    if (inflateInit(&pbf->inflater) != Z_OK) {
        sc__osm_pbf_free(pbf);
        return sc__osm_fail_memory(osm);
    }
    pbf->has_inflater = true;
    *out = pbf;
    return SC_OK;
}

void sc__osm_pbf_free(sc__osm_pbf *pbf)
{
    if (!pbf) return;
    if (pbf->has_inflater) inflateEnd(&pbf->inflater);
    sc__osm_block_fini(&pbf->block);
    sc__osm_arena_fini(&pbf->arena);
    sc_free(pbf->plain);
    sc_free(pbf);
}

// --- Blobs -----------------------------------------------------------------

// One blob as its header announces it.
typedef struct blob_frame {
    sc__osm_place place;  ///< its first byte
    bool is_header;
    bool is_data;
    size_t start;  ///< of the Blob message
    size_t size;
} blob_frame;

// Read the blob header at `offset`; the blob behind it is then known to be in the file.
static sc_err read_frame(sc__osm_pbf *pbf, uint32_t input_number, size_t offset, blob_frame *out)
{
    const sc__osm *osm = pbf->osm;
    const sc_input *input = &osm->load->inputs[input_number];
    const uint8_t *bytes = input->data + offset;
    const size_t left = input->size - offset;
    const sc__osm_place place = {.at = offset, .input = input_number};

    if (left < 4) {
        return sc__osm_fail(osm, place, SC_EPARSE,
                            "the file ends inside the size of a blob header: %zu of 4 bytes", left);
    }
    const uint32_t header_size =
        (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
    if (header_size > MAX_HEADER) {
        return sc__osm_fail(osm, place, SC_ELIMIT,
                            "a blob header of %u bytes, more than the %d allowed", header_size,
                            MAX_HEADER);
    }
    if (header_size > left - 4) {
        return sc__osm_fail(osm, place, SC_EPARSE,
                            "the file ends inside a blob header: %zu of %u bytes", left - 4,
                            header_size);
    }
    const Sc__Osm__BlobHeader *header =
        sc__osm_unpack(&pbf->arena, &sc__osm__blob_header__descriptor, bytes + 4, header_size);
    if (!header) return sc__osm_fail_unpack(osm, &pbf->arena, place, "a blob header");

    const int32_t size = header->datasize;
    if (size < 0 || size > MAX_BLOB) {
        return sc__osm_fail(osm, place, SC_ELIMIT,
                            "datasize of a blob out of range: %d (at most %d)", size, MAX_BLOB);
    }
    if ((size_t)size > left - 4 - header_size) {
        return sc__osm_fail(osm, place, SC_EPARSE, "the file ends inside a blob: %zu of %d bytes",
                            left - 4 - header_size, size);
    }
    *out = (blob_frame){.place = place,
                        .is_header = strcmp(header->type, "OSMHeader") == 0,
                        .is_data = strcmp(header->type, "OSMData") == 0,
                        .start = offset + 4 + header_size,
                        .size = (size_t)size};
    if (offset == 0 && !out->is_header) {
        return sc__osm_fail(osm, place, SC_EPARSE,
                            "not an OpenStreetMap pbf file: its first blob is %s, not 'OSMHeader'",
                            sc_quote(header->type, strlen(header->type)).text);
    }
    return SC_OK;
}

static bool reserve_plain(sc__osm_pbf *pbf, size_t size)
{
    if (pbf->plain && pbf->plain_capacity >= size) return true;
    uint8_t *plain = sc_malloc(size);
    if (!plain) return false;
    sc_free(pbf->plain);
    pbf->plain = plain;
    pbf->plain_capacity = size;
    return true;
}

static sc_err inflate_blob(sc__osm_pbf *pbf, sc__osm_place place, const Sc__Osm__Blob *blob,
                           size_t *plain_size)
{
    const sc__osm *osm = pbf->osm;
    if (!blob->has_raw_size) {
        return sc__osm_fail(osm, place, SC_EPARSE, "raw_size of a compressed blob is missing");
    }
    if (blob->raw_size < 0 || blob->raw_size > MAX_BLOB) {
        return sc__osm_fail(osm, place, SC_ELIMIT,
                            "raw_size of a compressed blob out of range: %d (at most %d)",
                            blob->raw_size, MAX_BLOB);
    }
    // One byte more than is due, so that a longer content shows.
    const size_t size = (size_t)blob->raw_size;
    if (!reserve_plain(pbf, size + 1)) return sc__osm_fail_memory(osm);

    z_stream *inflater = &pbf->inflater;
    inflateReset(inflater);
    inflater->next_in = blob->zlib_data.data;
    inflater->avail_in = (uInt)blob->zlib_data.len;
    inflater->next_out = pbf->plain;
    inflater->avail_out = (uInt)size + 1;
    const int status = inflate(inflater, Z_FINISH);
    if (status == Z_MEM_ERROR) return sc__osm_fail_memory(osm);
    if (inflater->avail_out == 0) {
        return sc__osm_fail(osm, place, SC_EPARSE,
                            "a blob uncompresses to more than its raw_size of %zu", size);
    }
    if (status == Z_BUF_ERROR) {
        return sc__osm_fail(osm, place, SC_EPARSE, "the zlib data of a blob end too early");
    }
    if (status != Z_STREAM_END) {
        return sc__osm_fail(osm, place, SC_EPARSE, "the zlib data of a blob are damaged: %s",
                            inflater->msg ? inflater->msg : "unknown reason");
    }
    if (inflater->avail_out > 1) {
        return sc__osm_fail(osm, place, SC_EPARSE,
                            "a blob uncompresses to %zu bytes, not its raw_size of %zu",
                            size + 1 - inflater->avail_out, size);
    }
    *plain_size = size;
    return SC_OK;
}

static const char *packing_of(const Sc__Osm__Blob *blob)
{
    if (blob->has_lzma_data) return "lzma";
    if (blob->has_bzip2_data) return "bzip2";
    if (blob->has_lz4_data) return "lz4";
    if (blob->has_zstd_data) return "zstd";
    return NULL;
}

// The plain content of a blob; lent until the next one.
static sc_err unpack_blob(sc__osm_pbf *pbf, sc__osm_place place, size_t start, size_t size,
                          const uint8_t **plain, size_t *plain_size)
{
    const sc__osm *osm = pbf->osm;
    const uint8_t *bytes = osm->load->inputs[place.input].data + start;
    const Sc__Osm__Blob *blob =
        sc__osm_unpack(&pbf->arena, &sc__osm__blob__descriptor, bytes, size);
    if (!blob) return sc__osm_fail_unpack(osm, &pbf->arena, place, "a blob");

    if (blob->has_raw) {
        *plain = blob->raw.data;
        *plain_size = blob->raw.len;
        return SC_OK;
    }
    if (blob->has_zlib_data) {
        const sc_err err = inflate_blob(pbf, place, blob, plain_size);
        if (err) return err;
        *plain = pbf->plain;
        return SC_OK;
    }
    const char *packing = packing_of(blob);
    if (!packing) return sc__osm_fail(osm, place, SC_EPARSE, "a blob has no content");
    return sc__osm_fail(
        osm, place, SC_EPARSE,
        "a blob is compressed with %s; only zlib and uncompressed blobs are supported", packing);
}

// Refuses a file that requires a feature which is not supported.
static sc_err check_header(sc__osm_pbf *pbf, sc__osm_place place, const uint8_t *plain, size_t size)
{
    const sc__osm *osm = pbf->osm;
    // The block's arena: `plain` may lie in the other one.
    sc__osm_arena *arena = &pbf->block.arena;
    const Sc__Osm__HeaderBlock *header =
        sc__osm_unpack(arena, &sc__osm__header_block__descriptor, plain, size);
    if (!header) return sc__osm_fail_unpack(osm, arena, place, "the file's header");
    for (size_t i = 0; i < header->n_required_features; i++) {
        const char *feature = header->required_features[i];
        if (strcmp(feature, "OsmSchema-V0.6") == 0 || strcmp(feature, "DenseNodes") == 0) continue;
        return sc__osm_fail(osm, place, SC_EPARSE, "the file requires an unsupported feature: %s",
                            sc_quote(feature, strlen(feature)).text);
    }
    return SC_OK;
}

// --- The two passes --------------------------------------------------------

// Note a blob with nodes for the second pass, unpacked if there is room for that.
static sc_err note_blob(sc__osm_pbf *pbf, const blob_frame *frame, const uint8_t *plain,
                        size_t plain_size)
{
    sc__osm *osm = pbf->osm;
    sc__osm_blob blob = {.place = frame->place, .start = frame->start, .size = frame->size};
    const bool is_held = plain == pbf->plain && pbf->plain_capacity <= MAX_HELD - osm->plain_held;
    if (is_held) {
        blob.plain = pbf->plain;
        blob.plain_size = plain_size;
    }
    const sc_err err = sc__osm_add_blob(osm, &blob);
    if (!err && is_held) {
        osm->plain_held += pbf->plain_capacity;
        pbf->plain = NULL;
        pbf->plain_capacity = 0;
    }
    return err;
}

static sc_err read_blob_ways(sc__osm_pbf *pbf, const blob_frame *frame)
{
    const uint8_t *plain = NULL;
    size_t size = 0;
    sc_err err = unpack_blob(pbf, frame->place, frame->start, frame->size, &plain, &size);
    if (err) return err;
    if (frame->is_header) return check_header(pbf, frame->place, plain, size);

    bool has_nodes = false;
    err = sc__osm_block_read(&pbf->block, frame->place, plain, size, SC__OSM_WAYS, &has_nodes);
    if (err || !has_nodes) return err;
    return note_blob(pbf, frame, plain, size);
}

sc_err sc__osm_pbf_read_ways(sc__osm_pbf *pbf, uint32_t input)
{
    const sc_load *load = pbf->osm->load;
    const size_t size = load->inputs[input].size;
    const uint64_t done = sc__osm_bytes_before(load, input);
    const uint64_t total = sc__osm_bytes_before(load, load->input_count);

    for (size_t offset = 0; offset < size;) {
        blob_frame frame = {0};
        sc_err err = read_frame(pbf, input, offset, &frame);
        if (err) return err;
        if (frame.is_header || frame.is_data) err = read_blob_ways(pbf, &frame);
        if (err) return err;
        offset = frame.start + frame.size;
        sc__load_progress(load, "reading ways", done + offset, total);
    }
    return SC_OK;
}

sc_err sc__osm_pbf_read_nodes(sc__osm_pbf *pbf)
{
    const sc_load *load = pbf->osm->load;
    const uint64_t total = sc__osm_bytes_before(load, load->input_count);

    for (size_t i = 0; i < pbf->osm->blob_count; i++) {
        sc__osm_blob *blob = &pbf->osm->blobs[i];
        const uint8_t *plain = blob->plain;
        size_t size = blob->plain_size;
        bool has_nodes = false;
        sc_err err = SC_OK;
        if (!plain) err = unpack_blob(pbf, blob->place, blob->start, blob->size, &plain, &size);
        if (err) return err;
        err = sc__osm_block_read(&pbf->block, blob->place, plain, size, SC__OSM_NODES, &has_nodes);
        if (err) return err;
        sc_free(blob->plain);
        blob->plain = NULL;
        sc__load_progress(load, "reading nodes",
                          sc__osm_bytes_before(load, blob->place.input) + blob->start + blob->size,
                          total);
    }
    return SC_OK;
}
