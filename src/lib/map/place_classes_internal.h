/**
 * @file place_classes_internal.h
 * @brief Tables of classes that are in memory.
 */
#ifndef SC_MAP_PLACE_CLASSES_INTERNAL_H
#define SC_MAP_PLACE_CLASSES_INTERNAL_H

#include <starcloak/place_classes.h>

#include "base/file.h"

/** sc_place_classes_read() for bytes in memory, as they are: nothing is unpacked. */
SC_CHECKED sc_err sc__place_classes_read_input(const sc_map *map, const sc_input *input,
                                               sc_place_classes **out, sc_diag *diag);

#endif
