// The frame of a pbf file: a row of blobs, each with a header, most of them
// packed with zlib.
//
// The format's limits (64 KiB for a header, 32 MiB for a blob, packed and plain)
// are checked before any memory is asked for. Blobs of unknown type are skipped,
// as the format wishes; a header that requires a feature we lack is refused.
//
// Used by: load_osm.c.
#include "import/osm_internal.h"

#include "base/alloc.h"
#include "osm.pb-c.h"

#include <string.h>
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
        return sc__osm_fail(osm, place, SC_EPARSE, "raw_size of a packed blob is missing");
    }
    if (blob->raw_size < 0 || blob->raw_size > MAX_BLOB) {
        return sc__osm_fail(osm, place, SC_ELIMIT,
                            "raw_size of a packed blob out of range: %d (at most %d)",
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
                            "a blob unpacks to more than its raw_size of %zu", size);
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
                            "a blob unpacks to %zu bytes, not its raw_size of %zu",
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
    return sc__osm_fail(osm, place, SC_EPARSE,
                        "a blob is packed with %s; only zlib and unpacked blobs can be read",
                        packing);
}

// Refuse a file that cannot be understood without a feature we lack.
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
        return sc__osm_fail(osm, place, SC_EPARSE,
                            "the file requires a feature that this reader does not have: %s",
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
