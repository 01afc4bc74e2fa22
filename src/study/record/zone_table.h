/**
 * @file zone_table.h
 * @brief Secret: zones of users, as a file: CSV with a line for each road of a zone.
 *
 *     zone,user,segment
 *     3,u17,120
 *     3,u17,121
 *
 * A zone is of one user and has two roads at least; a user may have several, which have no road in
 * common. Lines may come in any order. docs/demands.md tells what zones are for.
 */
#ifndef SC_RECORD_ZONE_TABLE_H
#define SC_RECORD_ZONE_TABLE_H

#include <starcloak/map.h>

#include "base/file.h"
#include "base/text.h"

/** A zone of a user. Lent until the table is freed. */
typedef struct sc_user_zone {
    uint32_t number;  ///< as the file has it
    sc_slice user;
    const sc_seg_id *segments;  ///< ascending
    size_t count;
} sc_user_zone;

typedef struct sc_zone_table sc_zone_table;

/**
 * Read the table at `path` ("-" is standard input; xz and gzip are unpacked). A comment line
 * "# map CHECKSUM" is compared with the map.
 *
 * @return SC_OK, SC_EIO, SC_EPARSE (with file and line, and no user), SC_ELIMIT, SC_EMISMATCH (of
 *         another map), SC_ENOMEM
 */
SC_CHECKED sc_err sc_zone_table_read(const sc_map *map, const char *path, sc_zone_table **out,
                                     sc_diag *diag);

/** The same for bytes in memory, as they are: nothing is unpacked. */
SC_CHECKED sc_err sc_zone_table_of(const sc_map *map, const sc_input *input, sc_zone_table **out,
                                   sc_diag *diag);

/**
 * A table of zones from elsewhere: make one, add all zones, and end it before it is used.
 *
 * @param zone  copied; its segments ascend
 * @return SC_OK, SC_ENOMEM, SC_EDUPLICATE (another zone has its number, or, of the same user, one
 * of its roads; the table is then of no use)
 */
SC_CHECKED sc_err sc_zone_table_new(sc_zone_table **out);
SC_CHECKED sc_err sc_zone_table_add(sc_zone_table *table, const sc_user_zone *zone);
SC_CHECKED sc_err sc_zone_table_end(sc_zone_table *table);

/** NULL is fine. */
void sc_zone_table_free(sc_zone_table *table);

/** All zones, in the order in which the file first names them. */
const sc_user_zone *sc_zone_table_zones(const sc_zone_table *table, size_t *count);

/** The zone of the user that the segment is in; NULL: none. */
const sc_user_zone *sc_zone_table_find(const sc_zone_table *table, const char *user, size_t size,
                                       sc_seg_id segment);

#endif
