/**
 * @file pbf_write.h
 * @brief A writer of tiny OpenStreetMap pbf files, so that tests can make any.
 *
 * Independent of the reader and of protobuf-c: it puts down byte by byte what the
 * format says. Nothing is checked, so that a test can also write what is wrong.
 * Running out of memory ends the test program.
 *
 *     pbf_bytes file = {0};
 *     pbf_add_header(&file, PBF_ZLIB, PBF_FEATURES("OsmSchema-V0.6", "DenseNodes"));
 *     pbf_block block = PBF_BLOCK;
 *     pbf_add_way(&block, 5, (int64_t[]){1, 2}, 2, PBF_TAGS("highway", "road"));
 *     pbf_add_block(&file, PBF_RAW, &block);
 *     ...
 *     pbf_free(&file);
 */
#ifndef SC_TESTS_SUPPORT_PBF_WRITE_H
#define SC_TESTS_SUPPORT_PBF_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/** A growing row of bytes. */
typedef struct pbf_bytes {
    uint8_t *data;
    size_t size;
    size_t capacity;
} pbf_bytes;

static inline void pbf_put(pbf_bytes *out, const void *bytes, size_t size)
{
    if (out->capacity - out->size < size) {
        out->capacity = out->capacity * 2 + size + 64;
        out->data = realloc(out->data, out->capacity);
        if (!out->data) abort();
    }
    if (size > 0) memcpy(out->data + out->size, bytes, size);
    out->size += size;
}

static inline void pbf_free(pbf_bytes *bytes)
{
    free(bytes->data);
    *bytes = (pbf_bytes){0};
}

// --- The wire --------------------------------------------------------------

static inline void pbf_put_varint(pbf_bytes *out, uint64_t value)
{
    while (value >= 0x80) {
        pbf_put(out, &(uint8_t){(uint8_t)(value | 0x80)}, 1);
        value >>= 7;
    }
    pbf_put(out, &(uint8_t){(uint8_t)value}, 1);
}

/** Signed numbers alternate: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... */
static inline uint64_t pbf_zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static inline void pbf_put_number(pbf_bytes *out, unsigned field, uint64_t value)
{
    pbf_put_varint(out, (uint64_t)field << 3);
    pbf_put_varint(out, value);
}

static inline void pbf_put_part(pbf_bytes *out, unsigned field, const void *bytes, size_t size)
{
    pbf_put_varint(out, (uint64_t)field << 3 | 2);
    pbf_put_varint(out, size);
    pbf_put(out, bytes, size);
}

static inline void pbf_put_text(pbf_bytes *out, unsigned field, const char *text)
{
    pbf_put_part(out, field, text, strlen(text));
}

/** Put `part` into `out` as a field, and free it. */
static inline void pbf_put_taken(pbf_bytes *out, unsigned field, pbf_bytes *part)
{
    pbf_put_part(out, field, part->data, part->size);
    pbf_free(part);
}

/** Differences of signed numbers, packed. */
static inline void pbf_put_deltas(pbf_bytes *out, unsigned field, const int64_t *values,
                                  size_t count)
{
    pbf_bytes packed = {0};
    for (size_t i = 0; i < count; i++) {
        pbf_put_varint(&packed, pbf_zigzag(values[i] - (i > 0 ? values[i - 1] : 0)));
    }
    pbf_put_taken(out, field, &packed);
}

// --- Blobs -----------------------------------------------------------------

typedef enum pbf_packing { PBF_RAW, PBF_ZLIB } pbf_packing;

/** The Blob message of some content. */
static inline pbf_bytes pbf_blob_of(pbf_packing packing, const pbf_bytes *content)
{
    pbf_bytes blob = {0};
    if (packing == PBF_RAW) {
        pbf_put_part(&blob, 1, content->data, content->size);
        return blob;
    }
    uLongf size = compressBound((uLong)content->size);
    uint8_t *packed = malloc(size);
    if (!packed || compress(packed, &size, content->data, (uLong)content->size) != Z_OK) abort();
    pbf_put_number(&blob, 2, content->size);
    pbf_put_part(&blob, 3, packed, size);
    free(packed);
    return blob;
}

/** A header of type `type` that announces `size` bytes; the blob itself is up to the caller. */
static inline void pbf_put_blob_header(pbf_bytes *file, const char *type, uint64_t size)
{
    pbf_bytes header = {0};
    pbf_put_text(&header, 1, type);
    pbf_put_number(&header, 3, size);
    const uint8_t length[] = {(uint8_t)(header.size >> 24), (uint8_t)(header.size >> 16),
                              (uint8_t)(header.size >> 8), (uint8_t)header.size};
    pbf_put(file, length, sizeof length);
    pbf_put(file, header.data, header.size);
    pbf_free(&header);
}

/** A header and the Blob message `blob`, which is freed. */
static inline void pbf_add_blob(pbf_bytes *file, const char *type, pbf_bytes *blob)
{
    pbf_put_blob_header(file, type, blob->size);
    pbf_put(file, blob->data, blob->size);
    pbf_free(blob);
}

/** Features that a header requires. */
#define PBF_FEATURES(...) ((const char *const[]){__VA_ARGS__, NULL})

/** The file's header, with the features it requires; NULL for none. */
static inline void pbf_add_header(pbf_bytes *file, pbf_packing packing, const char *const *features)
{
    pbf_bytes content = {0};
    for (; features && *features; features++) {
        pbf_put_text(&content, 4, *features);
    }
    pbf_bytes blob = pbf_blob_of(packing, &content);
    pbf_add_blob(file, "OSMHeader", &blob);
    pbf_free(&content);
}

// --- Blocks ----------------------------------------------------------------

enum { PBF_MAX_STRINGS = 64 };

/** A block in the making. Start from PBF_BLOCK. */
typedef struct pbf_block {
    const char *strings[PBF_MAX_STRINGS];  ///< borrowed; the first is always empty
    size_t string_count;
    pbf_bytes groups;
    int granularity;  ///< 100 is left unsaid
    int64_t lat_offset;
    int64_t lon_offset;
} pbf_block;

#define PBF_BLOCK ((pbf_block){.strings = {""}, .string_count = 1, .granularity = 100})

/** Tags: key, value, key, value, ... */
#define PBF_TAGS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define PBF_NO_TAGS ((const char *const[]){NULL})

/** A node; coordinates are numbers of the block's grid. */
typedef struct pbf_node {
    int64_t id;
    int64_t lon;
    int64_t lat;
    const char *const *tags;  ///< or NULL
} pbf_node;

static inline uint64_t pbf_string(pbf_block *block, const char *text)
{
    for (size_t i = 1; i < block->string_count; i++) {
        if (strcmp(block->strings[i], text) == 0) return i;
    }
    if (block->string_count == PBF_MAX_STRINGS) abort();
    block->strings[block->string_count] = text;
    return block->string_count++;
}

/** Put the columns of keys and values of a plain node or way. */
static inline void pbf_put_tags(pbf_block *block, pbf_bytes *out, const char *const *tags)
{
    if (!tags || !tags[0]) return;
    pbf_bytes keys = {0};
    pbf_bytes values = {0};
    for (; tags[0]; tags += 2) {
        pbf_put_varint(&keys, pbf_string(block, tags[0]));
        pbf_put_varint(&values, pbf_string(block, tags[1]));
    }
    pbf_put_taken(out, 2, &keys);
    pbf_put_taken(out, 3, &values);
}

/** Put one element into a group of its own. */
static inline void pbf_put_group(pbf_block *block, unsigned field, pbf_bytes *element)
{
    pbf_bytes group = {0};
    pbf_put_taken(&group, field, element);
    pbf_put_taken(&block->groups, 2, &group);
}

static inline void pbf_add_plain_node(pbf_block *block, const pbf_node *node)
{
    pbf_bytes out = {0};
    pbf_put_number(&out, 1, pbf_zigzag(node->id));
    pbf_put_tags(block, &out, node->tags);
    pbf_put_number(&out, 8, pbf_zigzag(node->lat));
    pbf_put_number(&out, 9, pbf_zigzag(node->lon));
    pbf_put_group(block, 1, &out);
}

static inline void pbf_add_dense_nodes(pbf_block *block, const pbf_node *nodes, size_t count)
{
    int64_t *column = calloc(count + 1, sizeof *column);
    if (!column) abort();
    pbf_bytes out = {0};
    pbf_bytes tags = {0};
    size_t tag_count = 0;
    for (size_t i = 0; i < count; i++) {
        for (const char *const *tag = nodes[i].tags; tag && *tag; tag++, tag_count++) {
            pbf_put_varint(&tags, pbf_string(block, *tag));
        }
        pbf_put_varint(&tags, 0);
        column[i] = nodes[i].id;
    }
    pbf_put_deltas(&out, 1, column, count);
    for (size_t i = 0; i < count; i++) {
        column[i] = nodes[i].lat;
    }
    pbf_put_deltas(&out, 8, column, count);
    for (size_t i = 0; i < count; i++) {
        column[i] = nodes[i].lon;
    }
    pbf_put_deltas(&out, 9, column, count);
    // Writers leave the column out where no node has a tag.
    if (tag_count > 0) pbf_put_part(&out, 10, tags.data, tags.size);
    pbf_free(&tags);
    free(column);
    pbf_put_group(block, 2, &out);
}

static inline void pbf_add_way(pbf_block *block, int64_t id, const int64_t *refs, size_t count,
                               const char *const *tags)
{
    pbf_bytes out = {0};
    pbf_put_number(&out, 1, (uint64_t)id);
    pbf_put_tags(block, &out, tags);
    pbf_put_deltas(&out, 8, refs, count);
    pbf_put_group(block, 3, &out);
}

/** The PrimitiveBlock message; what the block held is freed, and it is empty again. */
static inline pbf_bytes pbf_finish_block(pbf_block *block)
{
    pbf_bytes content = {0};
    pbf_bytes strings = {0};
    for (size_t i = 0; i < block->string_count; i++) {
        pbf_put_text(&strings, 1, block->strings[i]);
    }
    pbf_put_taken(&content, 1, &strings);
    pbf_put(&content, block->groups.data, block->groups.size);
    if (block->granularity != 100) pbf_put_number(&content, 17, (uint64_t)block->granularity);
    if (block->lat_offset != 0) pbf_put_number(&content, 19, (uint64_t)block->lat_offset);
    if (block->lon_offset != 0) pbf_put_number(&content, 20, (uint64_t)block->lon_offset);
    pbf_free(&block->groups);
    *block = PBF_BLOCK;
    return content;
}

static inline void pbf_add_block(pbf_bytes *file, pbf_packing packing, pbf_block *block)
{
    pbf_bytes content = pbf_finish_block(block);
    pbf_bytes blob = pbf_blob_of(packing, &content);
    pbf_add_blob(file, "OSMData", &blob);
    pbf_free(&content);
}

#endif
