/**
 * @file random_cut.h
 * @brief Cuts for tests: any star in any part; a street along which hops are easy to count; a city.
 *
 * Used by: tests of cuts, of what is in reach, and of partitions.
 */
#ifndef SC_TESTS_SUPPORT_RANDOM_CUT_H
#define SC_TESTS_SUPPORT_RANDOM_CUT_H

#include "partition/partition.h"

/** Between 1 and 6 parts, sometimes an empty one. Mostly neighbours are in the same. */
sc_partition *random_cut(const sc_map *map, uint64_t seed);

/** A street of so many crossings, each with a dead end; a star each. */
sc_map *street_of(uint32_t stars);

/** A generated city of so many nodes, always the same. */
sc_map *city_of(uint32_t nodes);

#endif
