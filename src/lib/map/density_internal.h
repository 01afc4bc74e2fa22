/**
 * @file density_internal.h
 * @brief What a density is made of, and tables that are in memory.
 */
#ifndef SC_MAP_DENSITY_INTERNAL_H
#define SC_MAP_DENSITY_INTERNAL_H

#include <starcloak/density.h>

#include "base/file.h"

struct sc_density {
    size_t count;
    double mean_count;  ///< of travellers that were seen on a segment; NaN: it has no counts
    uint32_t
        *numbers;      ///< behind the weights; 1 to SC_DENSITY_NUMBER_MAX, see sc__density_finish()
    double weights[];  ///< each above 0 and finite
};

/** A density of that many segments, whose weights are still to be set; NULL if memory is out. */
sc_density *sc__density_new(size_t count);

/** All weights are set: make whole numbers of them. @param is_counted  they are whole, 1 or more */
void sc__density_finish(sc_density *density, bool is_counted);

/** The weight of a segment on which so many travellers were seen: one more. */
double sc__counted_weight(uint64_t count);

/** sc_density_read() for bytes in memory, as they are: nothing is unpacked. */
SC_CHECKED sc_err sc__density_read_input(const sc_map *map, const sc_input *input, sc_density **out,
                                         sc_diag *diag);

#endif
