// Checks of a shapefile's bytes before shapelib reads them.
//
// A .shp is a header of 100 bytes and then records: number and content length
// (big-endian, the length in units of two bytes), then the content
// (little-endian): type, box, number of parts, number of points, first point of
// each part, points; then z and m, which are not used here.
#include "import/shp_check.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <string.h>

enum {
    SHP_HEADER_SIZE = 100,
    SHP_FILE_CODE = 9994,
    SHP_VERSION = 1000,
    RECORD_HEADER_SIZE = 8,
    LINE_HEADER_SIZE = 44,  // type, box, two counts
    SHX_ENTRY_SIZE = 8,
    MOST_RECORDS = 256000000,  // what shapelib takes

    TYPE_NULL = 0,
    TYPE_LINE = 3,
    TYPE_LINE_Z = 13,
    TYPE_LINE_M = 23,

    DBF_HEADER_SIZE = 32,
    DBF_FIELD_SIZE = 32,
    DBF_END_OF_FIELDS = 0x0d,
};

static uint32_t big_u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint32_t little_u32(const uint8_t *at)
{
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static uint32_t little_u16(const uint8_t *at)
{
    return (uint32_t)at[1] << 8 | at[0];
}

static void put_big_u32(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

static const char *type_name(uint32_t type)
{
    static const struct {
        uint32_t type;
        const char *name;
    } names[] = {{0, "Null"},       {1, "Point"},        {5, "Polygon"},      {8, "MultiPoint"},
                 {11, "PointZ"},    {15, "PolygonZ"},    {18, "MultiPointZ"}, {21, "PointM"},
                 {25, "PolygonM"},  {28, "MultiPointM"}, {31, "MultiPatch"},  {3, "PolyLine"},
                 {13, "PolyLineZ"}, {23, "PolyLineM"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].type == type) return names[i].name;
    }
    return "unknown";
}

static sc_err check_header(const sc_input *shp, sc_diag *diag)
{
    const uint8_t *data = shp->data;
    if (shp->size == 0) return sc_fail(diag, SC_EPARSE, "%s: the file is empty", shp->name);
    if (shp->size < SHP_HEADER_SIZE) {
        return sc_fail(diag, SC_EPARSE,
                       "%s: byte %zu: the file ends inside the header of 100 bytes", shp->name,
                       shp->size);
    }
    if (big_u32(data) != SHP_FILE_CODE) {
        return sc_fail(diag, SC_EPARSE, "%s: byte 0: not a shapefile: file code %u instead of %d",
                       shp->name, big_u32(data), SHP_FILE_CODE);
    }
    if (little_u32(data + 28) != SHP_VERSION) {
        return sc_fail(diag, SC_EPARSE, "%s: byte 28: shapefile version %u instead of %d",
                       shp->name, little_u32(data + 28), SHP_VERSION);
    }
    const uint64_t stated_size = 2 * (uint64_t)big_u32(data + 24);
    if (stated_size != shp->size) {
        return sc_fail(diag, SC_EPARSE,
                       "%s: byte 24: the header gives a size of %llu bytes, but the file has %zu; "
                       "is it truncated?",
                       shp->name, (unsigned long long)stated_size, shp->size);
    }
    const uint32_t type = little_u32(data + 32);
    if (type != TYPE_LINE && type != TYPE_LINE_Z && type != TYPE_LINE_M) {
        return sc_fail(diag, SC_EPARSE,
                       "%s: byte 32: shapes of type %u (%s); roads are read from PolyLine, "
                       "PolyLineZ and PolyLineM",
                       shp->name, type, type_name(type));
    }
    return SC_OK;
}

// One record of the .shp: where it is, and what its own header has.
typedef struct record {
    const sc_input *shp;
    size_t at;       // of the record header
    uint32_t index;  // from 0
    const uint8_t *content;
    size_t size;  // of the content
} record;

static sc_err fail_record(const record *r, size_t at, sc_diag *diag, const char *what,
                          uint64_t value)
{
    return sc_fail(diag, SC_EPARSE, "%s: byte %zu: record %u: %s: %llu", r->shp->name, r->at + at,
                   r->index + 1, what, (unsigned long long)value);
}

// Parts begin at 0, ascend, and have two vertices at least.
static sc_err check_parts(const record *r, uint32_t part_count, uint32_t point_count, sc_diag *diag)
{
    for (uint32_t part = 0; part < part_count; part++) {
        const size_t at = LINE_HEADER_SIZE + 4 * (size_t)part;
        const uint32_t first = little_u32(r->content + at);
        const uint32_t end = part + 1 < part_count ? little_u32(r->content + at + 4) : point_count;
        if (part == 0 && first != 0) {
            return fail_record(r, RECORD_HEADER_SIZE + at, diag,
                               "part 1 does not begin at vertex 0 but at", first);
        }
        if (first >= point_count || end > point_count || end <= first) {
            return sc_fail(diag, SC_EPARSE,
                           "%s: byte %zu: record %u: part %u runs from vertex %u to %u, of %u",
                           r->shp->name, r->at + RECORD_HEADER_SIZE + at, r->index + 1, part + 1,
                           first, end, point_count);
        }
        if (end - first < 2) {
            return sc_fail(diag, SC_EPARSE,
                           "%s: byte %zu: record %u: part %u has one vertex; a line needs two",
                           r->shp->name, r->at + RECORD_HEADER_SIZE + at, r->index + 1, part + 1);
        }
    }
    return SC_OK;
}

static sc_err check_line(const record *r, uint32_t type, sc_diag *diag)
{
    if (r->size < LINE_HEADER_SIZE) {
        return fail_record(r, 4, diag, "too short for a line, bytes of content", r->size);
    }
    const uint32_t part_count = little_u32(r->content + 36);
    const uint32_t point_count = little_u32(r->content + 40);
    uint64_t needed = LINE_HEADER_SIZE + 4 * (uint64_t)part_count + 16 * (uint64_t)point_count;
    if (type == TYPE_LINE_Z) needed += 16 + 8 * (uint64_t)point_count;
    if (needed > r->size) {
        return sc_fail(diag, SC_EPARSE,
                       "%s: byte %zu: record %u: %u parts and %u vertices need %llu bytes, but the "
                       "record has %zu",
                       r->shp->name, r->at + RECORD_HEADER_SIZE + 36, r->index + 1, part_count,
                       point_count, (unsigned long long)needed, r->size);
    }
    if (part_count == 0 && point_count > 0) {
        return fail_record(r, RECORD_HEADER_SIZE + 36, diag, "no part, but vertices", point_count);
    }
    return check_parts(r, part_count, point_count, diag);
}

// Sets the record at `at`. `first_number` is the number of the file's first
// record: 1, though some programs count from 0.
static sc_err check_record(const sc_input *shp, size_t at, uint32_t index, uint32_t first_number,
                           record *out, sc_diag *diag)
{
    record r = {.shp = shp, .at = at, .index = index};
    const size_t left = shp->size - at;
    if (left < RECORD_HEADER_SIZE) {
        return fail_record(&r, 0, diag, "the file ends inside the record's header, bytes left",
                           left);
    }
    const uint32_t number = big_u32(shp->data + at);
    if (first_number > 1 || number != first_number + index) {
        return fail_record(&r, 0, diag, "records are not in order, this one has number", number);
    }
    const uint64_t size = 2 * (uint64_t)big_u32(shp->data + at + 4);
    if (size > left - RECORD_HEADER_SIZE) {
        return fail_record(&r, 4, diag, "the content extends beyond the end of the file, bytes",
                           size);
    }
    r.content = shp->data + at + RECORD_HEADER_SIZE;
    r.size = (size_t)size;
    if (r.size < 4)
        return fail_record(&r, 4, diag, "too short for a shape, bytes of content", size);

    const uint32_t type = little_u32(r.content);
    if (type != TYPE_NULL) {
        if (type != little_u32(shp->data + 32)) {
            return fail_record(&r, RECORD_HEADER_SIZE, diag,
                               "shape type differs from that of the file", type);
        }
        const sc_err err = check_line(&r, type, diag);
        if (err) return err;
    }
    *out = r;
    return SC_OK;
}

sc_err sc__shp_index(const sc_input *shp, sc_shp_index *out, sc_diag *diag)
{
    sc_err err = check_header(shp, diag);
    if (err) return err;

    sc_shp_index index = {.shx = NULL};
    size_t capacity = 0;
    const uint32_t first_number =
        shp->size >= SHP_HEADER_SIZE + 4 ? big_u32(shp->data + SHP_HEADER_SIZE) : 1;
    for (size_t at = SHP_HEADER_SIZE; at < shp->size; index.record_count++) {
        if (index.record_count == MOST_RECORDS) {
            err = sc_fail(diag, SC_ELIMIT, "%s: more than %d records", shp->name, MOST_RECORDS);
            goto fail;
        }
        record r = {.shp = shp};
        err = check_record(shp, at, index.record_count, first_number, &r, diag);
        if (err) goto fail;

        const size_t used = SHP_HEADER_SIZE + SHX_ENTRY_SIZE * (size_t)index.record_count;
        // The header counts as entries too, so that the first growth has room for it.
        while (capacity * SHX_ENTRY_SIZE < used + SHX_ENTRY_SIZE) {
            if (!sc_grow(&index.shx, capacity, &capacity, SHX_ENTRY_SIZE)) goto no_memory;
        }
        put_big_u32(index.shx + used, (uint32_t)(at / 2));
        put_big_u32(index.shx + used + 4, (uint32_t)(r.size / 2));
        at += RECORD_HEADER_SIZE + r.size;
    }
    if (index.record_count == 0) {
        err = sc_fail(diag, SC_EPARSE, "%s: the file has no records", shp->name);
        goto fail;
    }
    index.shx_size = SHP_HEADER_SIZE + SHX_ENTRY_SIZE * (size_t)index.record_count;
    memcpy(index.shx, shp->data, SHP_HEADER_SIZE);
    put_big_u32(index.shx + 24, (uint32_t)(index.shx_size / 2));
    *out = index;
    return SC_OK;

no_memory:
    err = sc_fail_memory(diag, "listing the records of a shapefile");
fail:
    sc_free(index.shx);
    return err;
}

sc_err sc__dbf_check(const sc_input *dbf, uint32_t record_count, sc_diag *diag)
{
    if (dbf->size < DBF_HEADER_SIZE + 1) {
        return sc_fail(diag, SC_EPARSE, "%s: byte %zu: the file ends inside its header", dbf->name,
                       dbf->size);
    }
    const uint32_t header_count = little_u32(dbf->data + 4);
    const uint32_t header_size = little_u16(dbf->data + 8);
    const uint32_t record_size = little_u16(dbf->data + 10);
    if (header_size < DBF_HEADER_SIZE + 1 || header_size > dbf->size) {
        return sc_fail(diag, SC_EPARSE, "%s: byte 8: header of %u bytes in a file of %zu",
                       dbf->name, header_size, dbf->size);
    }
    if (header_count != record_count) {
        return sc_fail(diag, SC_EPARSE,
                       "%s: byte 4: %u records, but the .shp of the same name has %u", dbf->name,
                       header_count, record_count);
    }
    if (record_size == 0) {
        return sc_fail(diag, SC_EPARSE, "%s: byte 10: records of 0 bytes", dbf->name);
    }
    const uint64_t needed = header_size + (uint64_t)record_size * header_count;
    if (needed > dbf->size) {
        return sc_fail(diag, SC_EPARSE,
                       "%s: byte 10: %u records of %u bytes need %llu bytes, but the file has %zu; "
                       "is it truncated?",
                       dbf->name, header_count, record_size, (unsigned long long)needed, dbf->size);
    }
    // A record is a mark (deleted or not) and the fields, side by side.
    uint32_t fields_size = 1;
    for (size_t at = DBF_HEADER_SIZE; at + DBF_FIELD_SIZE <= header_size; at += DBF_FIELD_SIZE) {
        if (dbf->data[at] == DBF_END_OF_FIELDS) break;
        fields_size += dbf->data[at + 16];
        if (fields_size > record_size) {
            return sc_fail(diag, SC_EPARSE,
                           "%s: byte %zu: the fields go beyond the record of %u bytes", dbf->name,
                           at + 16, record_size);
        }
    }
    return SC_OK;
}
