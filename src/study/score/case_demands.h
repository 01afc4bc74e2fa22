/**
 * @file case_demands.h
 * @brief Secret: what the engine of a record demanded beyond l segments, as far as the record has
 * it: all but the table of densities, of which it has the checksum.
 */
#ifndef SC_SCORE_CASE_DEMANDS_H
#define SC_SCORE_CASE_DEMANDS_H

#include <starcloak/attack.h>
#include <starcloak/continuity.h>
#include <starcloak/place_classes.h>

#include "record/run_reader.h"
#include "record/zone_table.h"

/** Zeroed: nothing. sc_case_demands_fini(). */
typedef struct sc_case_demands {
    bool has_any;  ///< the record says what was demanded
    bool is_strict;
    uint32_t traffic;           ///< 0: not demanded
    uint64_t density_checksum;  ///< of the table, if traffic is
    bool has_continuity;
    sc_continuity_options continuity;  ///< if it has
    sc_place_classes *classes;         ///< NULL: none
    sc_zone_table *zones;              ///< NULL: none
} sc_case_demands;

/**
 * A line of the record was read: keep the zone that it tells.
 *
 * @return SC_OK, SC_EDUPLICATE (of a user's zones two have a road in common), SC_ENOMEM
 */
SC_CHECKED sc_err sc_case_demands_line(sc_case_demands *demands, const sc_run_line *line);

/** All was read. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_case_demands_end(sc_case_demands *demands, sc_run_reader *reader);

/** Harmless twice. */
void sc_case_demands_fini(sc_case_demands *demands);

// --- Whose zones -----------------------------------------------------------------

/** Zones by user, for an adversary who knows them. Zero-initialise; sc_case_zones_fini(). */
typedef struct sc_case_zones {
    uint64_t *users;  ///< sc_case_user(), ascending
    sc_known_zone *zones;
    size_t count;
} sc_case_zones;

/** @param table  borrowed, must outlive the result; NULL: no zones. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_case_zones_init(sc_case_zones *zones, const sc_zone_table *table);

/** Harmless twice. */
void sc_case_zones_fini(sc_case_zones *zones);

/** The zones of a user. */
const sc_known_zone *sc_case_zones_of(const sc_case_zones *zones, uint64_t user, size_t *count);

#endif
