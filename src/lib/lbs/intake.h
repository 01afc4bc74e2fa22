/**
 * @file intake.h
 * @brief The provider's door: is this a relay of our map, and at which stars are its border nodes?
 *
 * A relay is a stranger's. Whatever is used as an index later is checked here, once.
 *
 * Used by: lbs.c.
 */
#ifndef SC_LBS_INTAKE_H
#define SC_LBS_INTAKE_H

#include <starcloak/lbs.h>

/** Working memory; zero-initialise, release with sc__intake_fini(). */
typedef struct sc_intake {
    sc_star_id *star_of_node;  ///< of all nodes of the map; SC_NONE: no star's
    sc_star_id *stars;         ///< of the border nodes, in their order
    size_t star_capacity;
} sc_intake;

/** Prepare for the relays of `map`. Time O(nodes). */
SC_CHECKED sc_err sc__intake_init(sc_intake *intake, const sc_map *map);

void sc__intake_fini(sc_intake *intake);

/** Check `relay` and find the stars of its border nodes. Fails as sc_lbs_evaluate() does. */
SC_CHECKED sc_err sc__intake_take(sc_intake *intake, const sc_map *map,
                                  const sc_lbs_options *options, uint32_t category_count,
                                  const sc_relay *relay, sc_diag *diag);

#endif
