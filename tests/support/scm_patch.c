// Forged map files. See scm_patch.h.
#include "support/scm_patch.h"

#include "support/check.h"
#include "support/place.h"

#include <xxhash.h>

// The bytes of a file of exactly their size; the file's directory goes.
static scm_bytes take_file(const place *p, const char *path)
{
    scm_bytes whole = {0};
    whole.data = (uint8_t *)read_whole(path, &whole.size);
    place_free(p);
    const scm_bytes file = scm_copy(&whole);
    free(whole.data);
    return file;
}

scm_bytes scm_of(const sc_map *map)
{
    place p = place_new();
    sc_diag diag = {""};
    const char *path = place_path(&p, "map.scm");
    CHECK_OK(sc_map_save(map, path, &diag), &diag);
    return take_file(&p, path);
}

scm_bytes scm_of_objects(const sc_objects *objects)
{
    place p = place_new();
    sc_diag diag = {""};
    const char *path = place_path(&p, "map.scm");
    CHECK_OK(sc_objects_save_map(objects, path, &diag), &diag);
    return take_file(&p, path);
}

scm_bytes scm_copy(const scm_bytes *file)
{
    scm_bytes copy = {test_take(file->size, 1), file->size};
    memcpy(copy.data, file->data, file->size);
    return copy;
}

void scm_free(scm_bytes *file)
{
    free(file->data);
    *file = (scm_bytes){0};
}

sc_scm_header *scm_header(const scm_bytes *file)
{
    return (sc_scm_header *)(void *)file->data;
}

void *scm_table(const scm_bytes *file, sc_table_kind kind)
{
    return file->data + scm_header(file)->tables[kind].offset;
}

void scm_seal_header(const scm_bytes *file)
{
    sc_scm_header *header = scm_header(file);
    header->map_checksum = sc__scm_map_checksum(header);
    header->header_checksum = sc__scm_header_checksum(header);
}

void scm_seal(const scm_bytes *file)
{
    sc_scm_header *header = scm_header(file);
    for (int kind = 0; kind < SC_TABLE_COUNT; kind++) {
        sc_scm_table *table = &header->tables[kind];
        table->checksum =
            XXH3_64bits(file->data + table->offset, table->count * table->element_size);
    }
    scm_seal_header(file);
}
