/**
 * @file map_generate.h
 * @brief Making a road map that does not exist, as like a real one as can be.
 *
 * For demonstrations, for tests that need no data, and for sizes that no real
 * map at hand has. docs/generated-city.md shows it beside real cities.
 */
#ifndef STARCLOAK_MAP_GENERATE_H
#define STARCLOAK_MAP_GENERATE_H

#include <starcloak/map_build.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The least and the greatest city that can be made, in nodes. */
enum { SC_CITY_MIN_NODES = 100, SC_CITY_MAX_NODES = 30000000 };

/** What kind of city to make. */
typedef struct sc_city_options {
    uint32_t node_count;  ///< exactly as many; within the limits above
    uint64_t seed;
    /**
     * How much of the road length is one-way, 0 to 1: no more than this, and as near as roads allow
     * while every place can be reached from every other.
     */
    double one_way_share;
    sc_progress progress;
} sc_city_options;

/**
 * Make a city: arterials, local streets, dead ends, curved streets, a river
 * with bridges, and objects clustered as real ones are. The same options give
 * the same streets, bit for bit, on every machine; lengths depend on the C
 * library in their last digit, which the millimetre hides.
 */
SC_API SC_CHECKED sc_err sc_map_generate_city(const sc_city_options *options, sc_map **out,
                                              sc_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
