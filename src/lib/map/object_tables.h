/**
 * @file object_tables.h
 * @brief The tables behind a map's objects, lent whole.
 *
 * The public accessors give one name or one segment at a time; whoever serves objects wants
 * the tables themselves instead of a copy.
 *
 * Uses: map. Used by: objects, relay.
 */
#ifndef SC_MAP_OBJECT_TABLES_H
#define SC_MAP_OBJECT_TABLES_H

#include <starcloak/map.h>

/** Segments + 1 entries, as sc_map_segment_objects() reads them; NULL on a map without objects. */
const sc_object_id *sc__map_segment_objects(const sc_map *map);

/** The texts that sc_object.name points into; the last byte is NUL. None: *size is 0. */
const char *sc__map_strings(const sc_map *map, size_t *size);

#endif
