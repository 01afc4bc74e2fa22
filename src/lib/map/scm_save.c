// Writing a map to a `.scm` file. See scm.h for the format.
#include "map/scm_file.h"

#include "base/diag.h"

#include "base/checksum.h"
#include "map/map_tables.h"
#include <string.h>

uint64_t sc__scm_lay_out(const sc_table *tables, sc_scm_table *out)
{
    uint64_t end = sizeof(sc_scm_header);
    for (uint32_t kind = 0; kind < SC_TABLE_COUNT; kind++) {
        const size_t element_size = sc__table_element_size(kind);
        out[kind].kind = kind;
        out[kind].element_size = (uint32_t)element_size;
        out[kind].count = tables[kind].count;
        out[kind].offset = sc__scm_align(end);
        end = out[kind].offset + tables[kind].count * element_size;
    }
    return end;
}

uint64_t sc__scm_header_checksum(const sc_scm_header *header)
{
    sc_scm_header copy = *header;
    copy.header_checksum = 0;
    return XXH3_64bits(&copy, sizeof copy);
}

uint64_t sc__scm_map_checksum(const sc_scm_header *header)
{
    sc_scm_header copy = *header;
    copy.header_checksum = 0;
    copy.map_checksum = 0;
    copy.file_size = 0;
    memset(copy.source, 0, sizeof copy.source);
    return XXH3_64bits(&copy, offsetof(sc_scm_header, tables[SC_TABLE_NEAREST_LISTS]));
}

static sc_scm_header header_of(const sc_map *map)
{
    sc_scm_header header;
    memset(&header, 0, sizeof header);
    memcpy(header.magic, SC_SCM_MAGIC, sizeof header.magic);
    header.version = SC_SCM_VERSION;
    header.table_count = SC_TABLE_COUNT;
    header.coords = (uint32_t)map->coords;
    header.in_metres = map->in_metres;
    header.unit_m = map->unit_m;
    header.origin_x = map->grid.origin_x;
    header.origin_y = map->grid.origin_y;
    header.grid_per_unit = map->grid.per_unit;
    header.node_count = map->node_count;
    memcpy(header.source, map->source, strlen(map->source));
    header.file_size = sc__scm_lay_out(map->tables, header.tables);
    for (int kind = 0; kind < SC_TABLE_COUNT; kind++) {
        sc_scm_table *table = &header.tables[kind];
        table->checksum = XXH3_64bits(map->tables[kind].data, table->count * table->element_size);
    }
    header.map_checksum = sc__scm_map_checksum(&header);
    header.header_checksum = sc__scm_header_checksum(&header);
    return header;
}

uint64_t sc__map_content_checksum(const sc_map *map)
{
    return header_of(map).map_checksum;
}

sc_err sc__map_save_with(const sc_map *map, const sc_nearest_list *lists, size_t list_count,
                         const sc_nearest *entries, size_t entry_count, const char *path,
                         sc_diag *diag)
{
    // A map is a handful of tables: one more of it, with two of them exchanged. Saving only
    // reads what they point to.
    sc_map with = *map;
    with.tables[SC_TABLE_NEAREST_LISTS] = (sc_table){(void *)(uintptr_t)lists, list_count};
    with.tables[SC_TABLE_NEAREST] = (sc_table){(void *)(uintptr_t)entries, entry_count};
    return sc_map_save(&with, path, diag);
}

sc_err sc_map_save(const sc_map *map, const char *path, sc_diag *diag)
{
    static const char zeros[SC_SCM_ALIGNMENT] = {0};
    sc_outfile file;
    const sc_err err = sc_outfile_open(path, &file, diag);
    if (err) return err;

    // Errors of writing stay with the stream until the commit, which reports them.
    const sc_scm_header header = header_of(map);
    uint64_t written = fwrite(&header, 1, sizeof header, file.stream);
    for (int kind = 0; kind < SC_TABLE_COUNT && !ferror(file.stream); kind++) {
        const sc_scm_table *table = &header.tables[kind];
        written += fwrite(zeros, 1, table->offset - written, file.stream);
        if (table->count == 0) continue;
        written += table->element_size *
                   fwrite(map->tables[kind].data, table->element_size, table->count, file.stream);
    }
    return sc_outfile_commit(&file, diag);
}
