/**
 * @file run_demands.h
 * @brief What a run record says of demands: its `demands`, `class` and `zone` lines.
 *
 * What is missing, of the wrong kind, not of this map or contradicts a line before it is refused
 * with file, line and field, and without a user.
 */
#ifndef SC_RECORD_RUN_DEMANDS_H
#define SC_RECORD_RUN_DEMANDS_H

#include <starcloak/place_classes.h>
#include <starcloak/query.h>

#include "base/hash.h"
#include "record/fields.h"

/** What all queries of a run ask beyond l segments. Lent until the reader is freed. */
typedef struct sc_run_demands {
    bool is_strict;
    uint32_t traffic;           ///< 0: not asked for
    uint64_t density_checksum;  ///< if traffic is
    bool has_continuity;
    double vmax_m_s;
    sc_time tau_us;
    const sc_place_classes *classes;  ///< NULL: none
} sc_run_demands;

/** A zone of a user. */
typedef struct sc_run_zone {
    uint64_t user;  ///< sc_run_user() of its name, as the record has it
    uint32_t next;  ///< of the same user; SC_NONE: none
    size_t first;   ///< in the list of all segments
    size_t count;
} sc_run_zone;

/** Zero-initialise; sc__run_demands_fini(). */
typedef struct sc_run_demand_lines {
    bool has_demands;
    bool has_queries;
    sc_run_demands demands;
    sc_place_classes *classes;
    uint32_t class_lines;  ///< a bit for each class whose segments are known
    sc_hash numbers;       ///< from the number of a zone to its place
    sc_hash users;         ///< from a user to the first of its zones
    sc_run_zone *zones;
    size_t zone_count;
    size_t zone_capacity;
    sc_seg_id *segments;  ///< of all zones
    size_t segment_count;
    size_t segment_capacity;
} sc_run_demand_lines;

/** Whether an event is one of these three. */
bool sc__run_demands_has(sc_slice event);

/** A line of such an event. @return SC_OK, SC_EPARSE, SC_EMISMATCH, SC_ENOMEM */
SC_CHECKED sc_err sc__run_demands_read(sc_run_demand_lines *lines, const sc_map *map,
                                       sc_slice event, const sc__fields *fields);

/**
 * A query on `segment`: the zone that it is in.
 *
 * @param place  set to that of the zone in the list, or SC_NONE
 */
SC_CHECKED sc_err sc__run_query_zone(sc_run_demand_lines *lines, const sc__fields *fields,
                                     sc_seg_id segment, uint32_t *place);

/** The segments of a zone by its place, ascending; lent until the next line. */
const sc_seg_id *sc__run_zone_segments(const sc_run_demand_lines *lines, uint32_t place,
                                       size_t *count);

/** Harmless twice. */
void sc__run_demands_fini(sc_run_demand_lines *lines);

#endif
