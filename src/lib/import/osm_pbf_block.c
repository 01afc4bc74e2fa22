// The elements of a pbf file: what is in an "OSMData" blob.
//
// A block is a table of strings and groups of elements, which name their strings
// by number. All of it is walked in place, since it has very many small parts. Elements that are
// not as usual (numbers one by one instead of packed, a column in several pieces, damage) are
// unpacked by protobuf-c, one at a time, into an arena: it knows every way to say the same, and
// says what is wrong. A block's elements may come before the numbers that scale their coordinates,
// so these are looked for first.
#include "import/osm_internal.h"

#include "base/alloc.h"
#include "osm.pb-c.h"

// --- Walking a message -----------------------------------------------------

typedef struct wire_reader {
    const uint8_t *at;
    const uint8_t *end;
} wire_reader;

// One field: a number, or bytes.
typedef struct wire_field {
    uint64_t number;
    bool is_bytes;
    uint64_t value;
    const uint8_t *bytes;
    size_t size;
} wire_field;

static bool wire_varint(wire_reader *wire, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && wire->at < wire->end; shift += 7) {
        const uint8_t byte = *wire->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return false;
}

// Read the next field; false when it is damaged. Do not call at the end.
static bool wire_next(wire_reader *wire, wire_field *field)
{
    enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };
    uint64_t tag = 0;
    if (!wire_varint(wire, &tag)) return false;
    *field = (wire_field){.number = tag >> 3};

    uint64_t size = 0;
    switch (tag & 7) {
    case VARINT:
        return wire_varint(wire, &field->value);
    case FIXED64:
        size = 8;
        break;
    case FIXED32:
        size = 4;
        break;
    case BYTES:
        field->is_bytes = true;
        if (!wire_varint(wire, &size)) return false;
        break;
    default:
        return false;
    }
    if (size > (size_t)(wire->end - wire->at)) return false;
    field->bytes = wire->at;
    field->size = (size_t)size;
    wire->at += size;
    return true;
}

static bool wire_zigzag(wire_reader *wire, int64_t *out)
{
    uint64_t value = 0;
    if (!wire_varint(wire, &value)) return false;
    *out = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
    return true;
}

// How many numbers a packed column has; as many as bytes that end one.
static size_t wire_count(wire_reader wire)
{
    size_t count = 0;
    for (; wire.at < wire.end; wire.at++) {
        count += *wire.at < 0x80;
    }
    return count;
}

// The column of a field, the first of that number; false if there was one before, or if the field
// is no column, or ends within a number.
static bool take_column(const wire_field *field, wire_reader *column)
{
    if (!field->is_bytes || column->at) return false;
    if (field->size > 0 && field->bytes[field->size - 1] >= 0x80) return false;
    *column = (wire_reader){field->bytes, field->bytes + field->size};
    return true;
}

static sc_err fail_damaged(const sc__osm_block *block, const char *what)
{
    return sc__osm_fail(block->osm, block->place, SC_EPARSE, "%s is damaged", what);
}

// --- Strings and tags ------------------------------------------------------

struct sc__osm_string {
    uint32_t offset;  ///< in the table; a block is far below 4 GiB
    uint32_t size;
    sc__osm_text_cache cache;
    uint32_t key;  ///< what it means as a key
};

// Find the strings of the table. Only blocks with a tag need them.
static sc_err find_strings(sc__osm_block *block)
{
    enum { FIELD_STRING = 1 };
    if (block->has_strings) return SC_OK;
    block->string_count = 0;

    wire_reader wire = {block->string_table, block->string_table + block->string_table_size};
    while (wire.at < wire.end) {
        wire_field field;
        if (!wire_next(&wire, &field)) return fail_damaged(block, "the string table of a block");
        if (field.number != FIELD_STRING || !field.is_bytes) continue;
        if (!sc_grow(&block->strings, block->string_count, &block->string_capacity,
                     sizeof *block->strings)) {
            return sc__osm_fail_memory(block->osm);
        }
        const sc_slice text = {(const char *)field.bytes, field.size};
        block->strings[block->string_count++] =
            (sc__osm_string){.offset = (uint32_t)(field.bytes - block->string_table),
                             .size = (uint32_t)field.size,
                             .key = sc__osm_key(text)};
    }
    block->has_strings = true;
    return SC_OK;
}

static sc_err fail_string(const sc__osm_block *block, const char *kind, int64_t id, uint64_t number)
{
    return sc__osm_fail(block->osm, block->place, SC_EPARSE,
                        "%s %lld: a tag refers to string %llu, but the table has %zu", kind,
                        (long long)id, (unsigned long long)number, block->string_count);
}

// Note one tag; the numbers have been checked.
static void add_tag(sc__osm_block *block, sc__osm_tags *tags, uint32_t key, uint32_t value)
{
    const unsigned meaning = block->strings[key].key;
    if (meaning == SC__OSM_KEY_OTHER) return;
    sc__osm_string *string = &block->strings[value];
    const sc_slice text = {(const char *)block->string_table + string->offset, string->size};
    sc__osm_tags_add(tags, meaning, text, &string->cache);
}

// The tags of a plain node or way: two columns of string numbers.
static sc_err read_tags(sc__osm_block *block, const char *kind, int64_t id, const uint32_t *keys,
                        size_t key_count, const uint32_t *values, size_t value_count,
                        sc__osm_tags *tags)
{
    if (key_count != value_count) {
        return sc__osm_fail(block->osm, block->place, SC_EPARSE,
                            "%s %lld has %zu tag keys but %zu tag values", kind, (long long)id,
                            key_count, value_count);
    }
    if (key_count == 0) return SC_OK;
    const sc_err err = find_strings(block);
    if (err) return err;
    for (size_t i = 0; i < key_count; i++) {
        if (keys[i] >= block->string_count) return fail_string(block, kind, id, keys[i]);
        if (values[i] >= block->string_count) return fail_string(block, kind, id, values[i]);
        add_tag(block, tags, keys[i], values[i]);
    }
    return SC_OK;
}

// --- Nodes -----------------------------------------------------------------

// A coordinate on the grid; false when it is off the globe.
static bool grid_of(const sc__osm_block *block, int64_t offset, int64_t number, int64_t limit,
                    int32_t *out)
{
    enum { NANODEGREES = 100 };  // per step of the grid
    int64_t nano = 0;
    if (__builtin_mul_overflow(block->granularity, number, &nano) ||
        __builtin_add_overflow(offset, nano, &nano)) {
        return false;
    }
    if (nano > limit * NANODEGREES || nano < -limit * NANODEGREES) return false;
    *out = (int32_t)((nano + (nano < 0 ? -NANODEGREES / 2 : NANODEGREES / 2)) / NANODEGREES);
    return true;
}

static sc_err fail_off_globe(const sc__osm_block *block, int64_t id, const char *what,
                             int64_t offset, int64_t number)
{
    const double degrees = ((double)offset + (double)block->granularity * (double)number) / 1e9;
    return sc__osm_fail(block->osm, block->place, SC_EPARSE, "node %lld: %s out of range: %.7f",
                        (long long)id, what, degrees);
}

static sc_err read_point(const sc__osm_block *block, int64_t id, int64_t lat, int64_t lon,
                         sc__osm_point *out)
{
    if (!grid_of(block, block->lat_offset, lat, SC__OSM_MAX_Y, &out->y)) {
        return fail_off_globe(block, id, "latitude", block->lat_offset, lat);
    }
    if (!grid_of(block, block->lon_offset, lon, SC__OSM_MAX_X, &out->x)) {
        return fail_off_globe(block, id, "longitude", block->lon_offset, lon);
    }
    return SC_OK;
}

static sc_err read_node(sc__osm_block *block, const wire_field *field)
{
    const Sc__Osm__Node *node =
        sc__osm_unpack(&block->arena, &sc__osm__node__descriptor, field->bytes, field->size);
    if (!node) return sc__osm_fail_unpack(block->osm, &block->arena, block->place, "a node");

    sc__osm_point point = {0};
    sc__osm_tags tags = {0};
    sc_err err = read_point(block, node->id, node->lat, node->lon, &point);
    if (err) return err;
    err = read_tags(block, "node", node->id, node->keys, node->n_keys, node->vals, node->n_vals,
                    &tags);
    if (err) return err;
    err = sc__osm_add_object(block->osm, node->id, point, &tags);
    if (err) return err;
    return sc__osm_place_node(block->osm, block->place, node->id, point);
}

// The tags of the next dense node: pairs up to a 0, from *at on.
static sc_err read_dense_tags(sc__osm_block *block, const Sc__Osm__DenseNodes *dense, int64_t id,
                              size_t *at, sc__osm_tags *tags)
{
    const int32_t *numbers = dense->keys_vals;
    const size_t count = dense->n_keys_vals;
    for (; *at < count && numbers[*at] != 0; *at += 2) {
        if (*at + 1 == count) break;
        for (size_t i = 0; i < 2; i++) {
            // As an unsigned number a negative one is beyond any table.
            const uint32_t number = (uint32_t)numbers[*at + i];
            if (number >= block->string_count) return fail_string(block, "node", id, number);
        }
        add_tag(block, tags, (uint32_t)numbers[*at], (uint32_t)numbers[*at + 1]);
    }
    if (*at >= count || numbers[*at] != 0) {
        return sc__osm_fail(block->osm, block->place, SC_EPARSE,
                            "node %lld: the tags of dense nodes end too early", (long long)id);
    }
    ++*at;
    return SC_OK;
}

/** The columns of dense nodes. */
typedef struct dense_columns {
    wire_reader id;
    wire_reader lat;
    wire_reader lon;
    wire_reader tags;
} dense_columns;

// Find them; false if they are not as usual.
static bool find_dense_columns(const wire_field *dense, dense_columns *out)
{
    enum { FIELD_ID = 1, FIELD_LAT = 8, FIELD_LON = 9, FIELD_TAGS = 10 };
    wire_reader wire = {dense->bytes, dense->bytes + dense->size};
    *out = (dense_columns){0};
    while (wire.at < wire.end) {
        wire_field field;
        if (!wire_next(&wire, &field)) return false;
        wire_reader *column = field.number == FIELD_ID     ? &out->id
                              : field.number == FIELD_LAT  ? &out->lat
                              : field.number == FIELD_LON  ? &out->lon
                              : field.number == FIELD_TAGS ? &out->tags
                                                           : NULL;
        if (column && !take_column(&field, column)) return false;
    }
    const size_t count = wire_count(out->id);
    return wire_count(out->lat) == count && wire_count(out->lon) == count;
}

// The tags of the next dense node, as find_dense_columns() found them; false if they are not as
// usual.
static bool take_dense_tags(sc__osm_block *block, wire_reader *wire, sc__osm_tags *tags)
{
    for (;;) {
        uint64_t key = 0;
        uint64_t value = 0;
        if (!wire_varint(wire, &key)) return false;
        if (key == 0) return true;
        if (!wire_varint(wire, &value)) return false;
        if (key >= block->string_count || value >= block->string_count) return false;
        add_tag(block, tags, (uint32_t)key, (uint32_t)value);
    }
}

// Read dense nodes in place. Where they are not as usual *is_usual becomes false; what was added
// until then is added again from the unpacked message, and counts once.
static sc_err read_usual_dense(sc__osm_block *block, const wire_field *field, bool *is_usual)
{
    dense_columns columns;
    *is_usual = find_dense_columns(field, &columns);
    if (!*is_usual) return SC_OK;
    const bool has_tags = columns.tags.at < columns.tags.end;
    sc_err err = has_tags ? find_strings(block) : SC_OK;

    int64_t sums[3] = {0, 0, 0};
    while (!err && columns.id.at < columns.id.end) {
        int64_t steps[3];
        *is_usual = wire_zigzag(&columns.id, &steps[0]) && wire_zigzag(&columns.lat, &steps[1]) &&
                    wire_zigzag(&columns.lon, &steps[2]);
        for (size_t i = 0; i < 3 && *is_usual; i++) {
            *is_usual = !__builtin_add_overflow(sums[i], steps[i], &sums[i]);
        }
        if (!*is_usual) return SC_OK;
        sc__osm_point point = {0};
        err = read_point(block, sums[0], sums[1], sums[2], &point);
        if (!err && has_tags) {
            sc__osm_tags tags = {0};
            *is_usual = take_dense_tags(block, &columns.tags, &tags);
            if (!*is_usual) return SC_OK;
            err = sc__osm_add_object(block->osm, sums[0], point, &tags);
        }
        if (!err) err = sc__osm_place_node(block->osm, block->place, sums[0], point);
    }
    return err;
}

static sc_err read_dense(sc__osm_block *block, const wire_field *field)
{
    bool is_usual = false;
    const sc_err usual_err = read_usual_dense(block, field, &is_usual);
    if (usual_err || is_usual) return usual_err;

    const Sc__Osm__DenseNodes *dense =
        sc__osm_unpack(&block->arena, &sc__osm__dense_nodes__descriptor, field->bytes, field->size);
    if (!dense)
        return sc__osm_fail_unpack(block->osm, &block->arena, block->place, "a set of dense nodes");
    if (dense->n_id != dense->n_lat || dense->n_id != dense->n_lon) {
        return sc__osm_fail(block->osm, block->place, SC_EPARSE,
                            "dense nodes have %zu ids, %zu latitudes and %zu longitudes",
                            dense->n_id, dense->n_lat, dense->n_lon);
    }
    sc_err err = dense->n_keys_vals > 0 ? find_strings(block) : SC_OK;
    if (err) return err;

    int64_t id = 0;
    int64_t lat = 0;
    int64_t lon = 0;
    size_t tag_at = 0;
    for (size_t i = 0; i < dense->n_id; i++) {
        if (__builtin_add_overflow(id, dense->id[i], &id) ||
            __builtin_add_overflow(lat, dense->lat[i], &lat) ||
            __builtin_add_overflow(lon, dense->lon[i], &lon)) {
            return sc__osm_fail(block->osm, block->place, SC_EPARSE,
                                "dense node number %zu: id or coordinate out of range", i + 1);
        }
        sc__osm_point point = {0};
        err = read_point(block, id, lat, lon, &point);
        if (err) return err;
        if (dense->n_keys_vals > 0) {
            sc__osm_tags tags = {0};
            err = read_dense_tags(block, dense, id, &tag_at, &tags);
            if (!err) err = sc__osm_add_object(block->osm, id, point, &tags);
            if (err) return err;
        }
        err = sc__osm_place_node(block->osm, block->place, id, point);
        if (err) return err;
    }
    return SC_OK;
}

// --- Ways ------------------------------------------------------------------

/** The id of a way and its columns. */
typedef struct way_columns {
    int64_t id;
    bool has_id;
    wire_reader keys;
    wire_reader values;
    wire_reader refs;
} way_columns;

// Find them; false if they are not as usual.
static bool find_way_columns(const wire_field *way, way_columns *out)
{
    enum { FIELD_ID = 1, FIELD_KEYS = 2, FIELD_VALUES = 3, FIELD_REFS = 8 };
    wire_reader wire = {way->bytes, way->bytes + way->size};
    *out = (way_columns){.id = 0};
    while (wire.at < wire.end) {
        wire_field field;
        if (!wire_next(&wire, &field)) return false;
        if (field.number == FIELD_ID) {
            if (field.bytes || out->has_id) return false;
            out->id = (int64_t)field.value;
            out->has_id = true;
            continue;
        }
        wire_reader *column = field.number == FIELD_KEYS     ? &out->keys
                              : field.number == FIELD_VALUES ? &out->values
                              : field.number == FIELD_REFS   ? &out->refs
                                                             : NULL;
        if (column && !take_column(&field, column)) return false;
    }
    return out->has_id;
}

// Note the tags of a way; false if they are not as usual.
static bool take_way_tags(sc__osm_block *block, way_columns *way, sc__osm_tags *tags)
{
    while (way->keys.at < way->keys.end) {
        uint64_t key = 0;
        uint64_t value = 0;
        if (!wire_varint(&way->keys, &key) || !wire_varint(&way->values, &value)) return false;
        if (key >= block->string_count || value >= block->string_count) return false;
        add_tag(block, tags, (uint32_t)key, (uint32_t)value);
    }
    return way->values.at == way->values.end;
}

// Read a way in place. Where it is not as usual *is_usual becomes false, and nothing was added.
static sc_err read_usual_way(sc__osm_block *block, const wire_field *field, bool *is_usual)
{
    way_columns way;
    *is_usual = find_way_columns(field, &way);
    if (!*is_usual) return SC_OK;
    const sc_err err = way.keys.at < way.keys.end ? find_strings(block) : SC_OK;
    if (err) return err;

    sc__osm_road_tags road;
    road.given = 0;
    sc__osm_tags tags = {.road = &road};
    *is_usual = take_way_tags(block, &way, &tags);
    if (!*is_usual) return SC_OK;
    if (!tags.highway.text && !tags.object.text && road.given == 0) return SC_OK;

    const size_t count = wire_count(way.refs);
    if (!sc_reserve(&block->refs, count, &block->ref_capacity, sizeof *block->refs)) {
        return sc__osm_fail_memory(block->osm);
    }
    int64_t id = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t step = 0;
        *is_usual = wire_zigzag(&way.refs, &step) && !__builtin_add_overflow(id, step, &id);
        if (!*is_usual) return SC_OK;
        block->refs[i] = id;
    }
    return sc__osm_add_way(block->osm, block->place, way.id, block->refs, count, &tags);
}

static sc_err read_way(sc__osm_block *block, const wire_field *field)
{
    bool is_usual = false;
    const sc_err usual_err = read_usual_way(block, field, &is_usual);
    if (usual_err || is_usual) return usual_err;

    const Sc__Osm__Way *way =
        sc__osm_unpack(&block->arena, &sc__osm__way__descriptor, field->bytes, field->size);
    if (!way) return sc__osm_fail_unpack(block->osm, &block->arena, block->place, "a way");

    sc__osm_road_tags road;
    road.given = 0;
    sc__osm_tags tags = {.road = &road};
    const sc_err err =
        read_tags(block, "way", way->id, way->keys, way->n_keys, way->vals, way->n_vals, &tags);
    if (err) return err;
    if (!tags.highway.text && !tags.object.text && road.given == 0) return SC_OK;

    // The message is in the arena of this block: its differences become ids in place.
    for (size_t i = 1; i < way->n_refs; i++) {
        if (__builtin_add_overflow(way->refs[i - 1], way->refs[i], &way->refs[i])) {
            return sc__osm_fail(block->osm, block->place, SC_EPARSE,
                                "way %lld: id of its node number %zu out of range",
                                (long long)way->id, i + 1);
        }
    }
    return sc__osm_add_way(block->osm, block->place, way->id, way->refs, way->n_refs, &tags);
}

// --- Groups and the block --------------------------------------------------

static sc_err read_group(sc__osm_block *block, const wire_field *group, sc__osm_wanted wanted,
                         bool *has_nodes)
{
    enum { FIELD_NODE = 1, FIELD_DENSE = 2, FIELD_WAY = 3 };
    wire_reader wire = {group->bytes, group->bytes + group->size};
    while (wire.at < wire.end) {
        wire_field field;
        if (!wire_next(&wire, &field)) return fail_damaged(block, "a group of elements");
        if (!field.is_bytes) continue;

        sc_err err = SC_OK;
        if (field.number == FIELD_WAY) {
            if (wanted == SC__OSM_WAYS) err = read_way(block, &field);
        } else if (field.number == FIELD_NODE || field.number == FIELD_DENSE) {
            *has_nodes = true;
            if (wanted == SC__OSM_NODES && field.number == FIELD_NODE) {
                err = read_node(block, &field);
            } else if (wanted == SC__OSM_NODES) {
                err = read_dense(block, &field);
            }
        }
        if (err) return err;
    }
    return SC_OK;
}

enum {
    FIELD_STRINGS = 1,
    FIELD_GROUP = 2,
    FIELD_GRANULARITY = 17,
    FIELD_LAT_OFFSET = 19,
    FIELD_LON_OFFSET = 20,
};

// Everything but the groups.
static sc_err read_frame(sc__osm_block *block, wire_reader wire)
{
    while (wire.at < wire.end) {
        wire_field field;
        if (!wire_next(&wire, &field)) return fail_damaged(block, "a block of elements");
        if (field.number == FIELD_STRINGS && field.is_bytes) {
            block->string_table = field.bytes;
            block->string_table_size = field.size;
        } else if (field.number == FIELD_GRANULARITY && !field.bytes) {
            // An int32 on the wire, sign-extended to 64 bits.
            block->granularity = (int64_t)field.value;
        } else if (field.number == FIELD_LAT_OFFSET && !field.bytes) {
            block->lat_offset = (int64_t)field.value;
        } else if (field.number == FIELD_LON_OFFSET && !field.bytes) {
            block->lon_offset = (int64_t)field.value;
        }
    }
    if (block->granularity < 1 || block->granularity > INT32_MAX) {
        return sc__osm_fail(block->osm, block->place, SC_EPARSE,
                            "granularity of a block out of range: %lld",
                            (long long)block->granularity);
    }
    return SC_OK;
}

sc_err sc__osm_block_read(sc__osm_block *block, sc__osm_place place, const uint8_t *bytes,
                          size_t size, sc__osm_wanted wanted, bool *has_nodes)
{
    block->place = place;
    block->has_strings = false;
    block->string_table = bytes;
    block->string_table_size = 0;
    block->granularity = 100;
    block->lat_offset = 0;
    block->lon_offset = 0;
    *has_nodes = false;
    if (size == 0) return SC_OK;

    wire_reader wire = {bytes, bytes + size};
    sc_err err = read_frame(block, wire);
    if (err) return err;
    while (wire.at < wire.end) {
        wire_field field;
        if (!wire_next(&wire, &field)) return fail_damaged(block, "a block of elements");
        if (field.number != FIELD_GROUP || !field.is_bytes) continue;
        err = read_group(block, &field, wanted, has_nodes);
        if (err) return err;
    }
    return SC_OK;
}

void sc__osm_block_fini(sc__osm_block *block)
{
    sc__osm_arena_fini(&block->arena);
    sc_free(block->strings);
    sc_free(block->refs);
    block->strings = NULL;
    block->refs = NULL;
}
