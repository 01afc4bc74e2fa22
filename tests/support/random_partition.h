/**
 * @file random_partition.h
 * @brief Partitions for tests: any star in any part; a street along which hops are easy to count; a
 * city.
 */
#ifndef SC_TESTS_SUPPORT_RANDOM_PARTITION_H
#define SC_TESTS_SUPPORT_RANDOM_PARTITION_H

#include "partition/partition.h"

/** Between 1 and 6 parts, sometimes an empty one. Mostly neighbours are in the same. */
sc_partition *random_partition(const sc_map *map, uint64_t seed);

/** A street of so many crossings, each with a dead end; a star each. */
sc_map *street_of(uint32_t stars);

/** A generated city of so many nodes, always the same. */
sc_map *city_of(uint32_t nodes);

#endif
