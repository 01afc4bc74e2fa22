/**
 * @file odd_objects.h
 * @brief Objects where they hurt: put on the roads of a sketch at random.
 *
 * On nodes (so that several roads have one at the same place), many at one place, on roads without
 * length, on loops, at dead ends, on lone roads and rings; with and without names; of a few
 * categories, some frequent and some rare, or of more than a word has bits. Sometimes there are
 * none at all.
 */
#ifndef SC_TESTS_SUPPORT_ODD_OBJECTS_H
#define SC_TESTS_SUPPORT_ODD_OBJECTS_H

#include <starcloak/relay.h>

#include "base/rng.h"
#include "support/sketch.h"

/** `builder` holds the sketch. */
void odd_objects_put(sc_builder *builder, const sketch *s, sc_rng *rng);

/** A request for them: the k nearest or a range; of one category, of several, of all. */
sc_request odd_request(const sc_map *map, uint32_t category_count, sc_rng *rng);

/** Up to `most` different ones; returns how many. */
size_t odd_requests(const sc_map *map, uint32_t category_count, sc_rng *rng, sc_request *requests,
                    size_t most);

#endif
