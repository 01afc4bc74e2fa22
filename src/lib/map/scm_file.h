/**
 * @file scm_file.h
 * @brief The `.scm` file: a header, then the tables of the map as they are in memory.
 *
 * Little-endian, every table aligned to 64 bytes, so that a mapping of the file
 * is a map. The layout is canonical: tables in order, each at the next aligned
 * place, zeros between them; whatever deviates is refused. A reader of version
 * N refuses any other version: maps are made again, not migrated.
 *
 *   header_checksum  over the header with this field 0
 *   table.checksum   over the bytes of the table
 *   map_checksum     over what the map means: its identity. Neither its source text nor the
 *                    nearest index (the last tables) is a part of it
 *
 * All are XXH3, 64 bits. They detect accidents, not malice; against malice
 * every index is checked as well (scm_file.c). docs/scm-format.md describes the
 * same byte by byte.
 */
#ifndef SC_MAP_SCM_FILE_H
#define SC_MAP_SCM_FILE_H

#include "map/map_internal.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "StarCloak maps are little-endian and are used in place"
#endif

/** As in PNG: a byte above 127 and both line ends show files mangled as text. */
#define SC_SCM_MAGIC "\x89SCM\r\n\x1a\n"

enum { SC_SCM_VERSION = 3, SC_SCM_ALIGNMENT = 64 };

typedef struct sc_scm_table {
    uint64_t offset;
    uint64_t count;
    uint64_t checksum;
    uint32_t element_size;
    uint32_t kind;
} sc_scm_table;

typedef struct sc_scm_header {
    char magic[8];
    uint32_t version;
    uint32_t table_count;
    uint64_t file_size;
    uint64_t header_checksum;
    uint64_t map_checksum;
    uint32_t coords;
    uint32_t in_metres;
    double unit_m;
    double time_unit_s;
    double origin_x;
    double origin_y;
    double grid_per_unit;
    uint32_t node_count;
    uint32_t reserved;
    char source[SC_SOURCE_SIZE];
    sc_scm_table tables[SC_TABLE_COUNT];
} sc_scm_header;

_Static_assert(sizeof(sc_scm_header) == 960, "the header's layout is part of the format");

/** The next aligned place at or behind `offset`. */
static inline uint64_t sc__scm_align(uint64_t offset)
{
    return (offset + SC_SCM_ALIGNMENT - 1) & ~(uint64_t)(SC_SCM_ALIGNMENT - 1);
}

/** Where every table lies in the file of a map, and the file's size. */
uint64_t sc__scm_lay_out(const sc_table *tables, sc_scm_table *out);

/** The checksum over a header, as if its own field were 0. */
uint64_t sc__scm_header_checksum(const sc_scm_header *header);

/** The identity of the map that a header describes. */
uint64_t sc__scm_map_checksum(const sc_scm_header *header);

#endif
